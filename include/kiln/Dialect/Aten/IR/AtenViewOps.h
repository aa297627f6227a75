//===- AtenViewOps.h - Views ------------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes of this category. Categories are apart because they take time
// to compile: a file that needs a few ops should not include kiln/.../Aten.h.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENVIEWOPS_H
#define KILN_DIALECT_ATEN_IR_ATENVIEWOPS_H

#include "kiln/Dialect/Aten/IR/AtenBase.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Aten/IR/AtenViewOps.h.inc"

#endif // KILN_DIALECT_ATEN_IR_ATENVIEWOPS_H
