//===- ExpandMath.h - Math functions as polynomials -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the ops of the math dialect that have no instruction by arithmetic:
// range reduction, a polynomial, reconstruction. The expansions contain arith
// ops, math.fma and a few others that are single instructions; they work on
// scalars and on vectors of any shape alike, and call nothing.
//
// f32 functions are within 2 ulp and f64 functions within 4 ulp of the true
// value over their whole range, including denormals; zeros keep their sign,
// infinities and NaN give what C's <math.h> gives. The measured error of each
// function is in lib/Conversion/Numerics.md.
//
// f16 and bf16 operands are computed in f32 and rounded once at the end.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_EXPANDMATH_H
#define KILN_CONVERSION_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace kiln {

/// Adds one pattern per math op (and `arith.remf`) that becomes arithmetic. No
/// pattern creates an op that another of them matches, so one walk is enough.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// The pass `kiln-expand-math`, on any op.
///
/// Before:
///
///   %1 = math.exp %0 : vector<16xf32>
///
/// After: about twenty arith ops and math.fma on vector<16xf32>.
std::unique_ptr<mlir::Pass> createExpandMathPass();

/// Makes `kiln-expand-math` known to textual pipelines.
void registerExpandMathPass();

} // namespace kiln

#endif // KILN_CONVERSION_EXPANDMATH_H
