//===- Aten.h - The aten dialect --------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole dialect.
//
//   auto sum = aten::create<aten::AddTensorOp>(builder, loc, {x, y});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATEN_H
#define KILN_DIALECT_ATEN_IR_ATEN_H

#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"

#endif // KILN_DIALECT_ATEN_IR_ATEN_H
