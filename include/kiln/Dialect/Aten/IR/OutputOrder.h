//===- OutputOrder.h - How an output was recorded to lie --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto order = function.getResultAttrOfType<DenseI64ArrayAttr>(
//       k, aten::kOutputOrderAttrName); // null: row-major, or not known
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_OUTPUTORDER_H
#define KILN_DIALECT_ATEN_IR_OUTPUTORDER_H

#include "mlir/Support/LLVM.h"

namespace kiln::aten {

/// The function result attribute (`array<i64>`) of a tensor that was recorded
/// to lie without gaps in another order than row-major: its dimensions, the
/// outermost first. For an image with its channels last that is `array<i64: 0,
/// 2, 3, 1>`. Of a gradient it is the order of what it is the gradient of, and
/// a tangent, which is an argument, has that of its output.
constexpr llvm::StringLiteral kOutputOrderAttrName = "aten.output_order";

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_OUTPUTORDER_H
