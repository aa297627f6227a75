//===- AtenOps.h - The classes of all overloads -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class a record of Aten<Category>Ops.td, named like it: `AddTensorOp` is
// `aten.add.Tensor`. See Overload.h for what a class has.
//
//   if (auto add = value.getDefiningOp<AddTensorOp>())
//     return add.getSelf();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENOPS_H
#define KILN_DIALECT_ATEN_IR_ATENOPS_H

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/Overload.h"

#include "kiln/Dialect/Aten/IR/AtenOps.h.inc"

#endif // KILN_DIALECT_ATEN_IR_ATENOPS_H
