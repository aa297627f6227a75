//===- QuantizedDialect.h - Operators of quantized programs -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PyTorch's quantization composes of its operators; the ops are in AtenOps.h.
//
//   context.loadDialect<aten::AtenDialect, aten::QuantizedDecomposedDialect>();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_QUANTIZEDDIALECT_H
#define KILN_DIALECT_ATEN_IR_QUANTIZEDDIALECT_H

#include "mlir/IR/Dialect.h"

#include "kiln/Dialect/Aten/IR/QuantizedDialect.h.inc"

#endif // KILN_DIALECT_ATEN_IR_QUANTIZEDDIALECT_H
