//===- Simplify.h - What rewrites of aten-simplify share --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_SIMPLIFY_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_SIMPLIFY_H

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"

#include "mlir/IR/PatternMatch.h"

namespace kiln::aten {

/// True if more than the elements of `value` is seen: it or a view of it is
/// returned or given to what nothing is known of, or somebody asks for strides.
/// What an input would take the place of must have no view at all, which may be
/// impossible with the caller's strides.
bool isMemorySeen(Value value, bool byInput);

/// What may take the place of `made`, a result in memory of its own with the
/// elements of `same`: `same`, or a copy of it where that memory is seen.
Value getStandIn(FormulaBuilder &c, Value made, Value same);

/// True if the types of two tensors say the same sizes, written alike. A
/// pattern asks before it builds: what it leaves behind in vain counts as a
/// change.
inline bool haveSameSizes(Value a, Value b) {
  RankedTensorType of = FormulaBuilder::typeOf(a),
                   other = FormulaBuilder::typeOf(b);
  return of.getShape() == other.getShape() &&
         of.getEncoding() == other.getEncoding();
}

/// `cat` and views of it: SimplifyCats.cpp. With `keepsOperands` all of its
/// tensors stay, so that each has a gradient.
void populateCatPatterns(RewritePatternSet &patterns, bool keepsOperands);

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_SIMPLIFY_H
