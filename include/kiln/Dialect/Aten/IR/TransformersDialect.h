//===- TransformersDialect.h - Operators of transformers --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the library transformers composes of PyTorch's operators; its ops are in
// AtenOps.h.
//
//   context.loadDialect<aten::AtenDialect, aten::TransformersDialect>();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_TRANSFORMERSDIALECT_H
#define KILN_DIALECT_ATEN_IR_TRANSFORMERSDIALECT_H

#include "mlir/IR/Dialect.h"

#include "kiln/Dialect/Aten/IR/TransformersDialect.h.inc"

#endif // KILN_DIALECT_ATEN_IR_TRANSFORMERSDIALECT_H
