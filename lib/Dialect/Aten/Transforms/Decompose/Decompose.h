//===- Decompose.h - The functions that decompose ops -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: declares what the records of the ops name. Each
// category file defines its part.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_DECOMPOSE_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_DECOMPOSE_H

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/Transforms/Decompositions.h"

namespace kiln::aten {

/// What recurrent layers are made of.
enum class Cell { Lstm, Gru, Tanh, Relu };

#include "kiln/Dialect/Aten/Transforms/AtenDecompositions.h.inc"

/// A view as ops of the core set, by its map.
SmallVector<Value> decomposeView(Operation *op, FormulaBuilder &c);

/// An attention as the operator that gives the logarithms of its sums as well; empty
/// where there is no such one: with dropout, of other elements than `types`, for
/// heads and sizes that it does not take. `why` says so then.
SmallVector<Value> attendWithSums(ScaledDotProductAttentionOp op,
                                  ArrayRef<Type> types, FormulaBuilder &c,
                                  StringRef &why);

/// True for what has no elements: no greatest one that is subtracted, and no mean.
inline bool isEmpty(FormulaBuilder &c, Value x) {
  return c.numelOf(x).isConstant(0);
}

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_DECOMPOSE_H
