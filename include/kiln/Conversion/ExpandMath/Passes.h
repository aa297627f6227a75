//===- Passes.h - Math functions as polynomials ---------------------------===//
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
//   mlir::RewritePatternSet patterns(context);
//   populateExpandMathPatterns(patterns, /*scales=*/true);
//   mlir::FrozenRewritePatternSet frozen(std::move(patterns));
//   mlir::walkAndApplyPatterns(function, frozen);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_EXPANDMATH_PASSES_H
#define KILN_CONVERSION_EXPANDMATH_PASSES_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace kiln {

#define GEN_PASS_DECL
#include "kiln/Conversion/ExpandMath/Passes.h.inc"

/// What a processor has instructions for.
struct MathInstructions {
  bool scales = false; ///< multiplies by 2^k (AVX-512)
  bool powers = false; ///< 2^x of f32, sums that round down or saturate (NVIDIA)
};

/// Adds one pattern per math op (and `arith.remf`, `maximumf`, `minimumf`) that becomes
/// arithmetic. No
/// pattern creates an op that another of them matches, so one walk is enough.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns,
                                MathInstructions has = {});

#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/ExpandMath/Passes.h.inc"

} // namespace kiln

#endif // KILN_CONVERSION_EXPANDMATH_PASSES_H
