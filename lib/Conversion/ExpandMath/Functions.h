//===- Functions.h - The expansions of ExpandMath -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per math function, building on f32 or f64 of any shape. They
// call each other freely; none creates an op that must be expanded again.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_EXPANDMATH_FUNCTIONS_H
#define KILN_CONVERSION_EXPANDMATH_FUNCTIONS_H

#include "MathBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::expand {

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2 = 0.69314718055994531;
/// ln 2 in two parts. The high one has enough trailing zeros that its product with an
/// exponent is exact.
constexpr double kLn2HighF64 = 6.93147180369123816490e-01;
constexpr double kLn2LowF64 = 1.90821492927058770002e-10;

// Exponential.cpp

/// x = p * 2^k, not yet multiplied out: lets a caller scale p first.
struct Scaled {
  Num p;
  Int k;
};
/// e^(x + low), where |low| is at most an ulp of x; `x` is clamped to where the
/// result is neither 0 nor infinite by far.
Scaled expScaled(Num x);
Scaled expScaled(Num x, Num low);
/// p * 2^k, rounded once even if the result is denormal.
Num multiplyOut(Scaled value);

Num expandExp(Num x);
/// e^x for |x| up to 80 in f32 and 700 in f64, where no power of two on the way is
/// denormal or infinite. NaN gives NaN.
Num expandNormalExp(Num x);
/// e^x for all x, off by |x| 2^-23 and 0 where it is denormal, where that is instructions;
/// else as `expandExp`.
Num expandCoarseExp(Num x);
/// 1 / x; within 1 ulp, and without denormals, where the processor has it so.
Num expandReciprocal(Num x);
Num expandRsqrt(Num x);
Num expandExp2(Num x);
Num expandExpM1(Num x);
Num expandTanh(Num x);
Num expandSinh(Num x);
Num expandCosh(Num x);

// Logarithm.cpp

/// x = m * 2^e with m in [sqrt(1/2), sqrt(2)), for positive finite x.
struct Decomposed {
  Num m;
  Num e;
};
Decomposed decompose(Num x);
/// log(1 + f) + e log(2), for f in [sqrt(1/2) - 1, sqrt(2) - 1).
Num logKernel(Num f, Num e);

Num expandLog(Num x);
Num expandLog1p(Num x);
Num expandLog2(Num x);
Num expandLog10(Num x);
Num expandAsinh(Num x);
Num expandAcosh(Num x);
Num expandAtanh(Num x);

// Power.cpp

Num expandPow(Num x, Num y);
Num expandCbrt(Num x);
/// C's fmod: exact, with the sign of x.
Num expandRemainder(Num x, Num y);

// Trigonometric.cpp

Num expandSin(Num x);
Num expandCos(Num x);
Num expandTan(Num x);
Num expandAsin(Num x);
Num expandAcos(Num x);
Num expandAtan(Num x);
Num expandAtan2(Num y, Num x);

// LookUp.cpp

/// True where sixteen numbers of f32 are looked up by an instruction, and scaled by another.
bool hasSixteen(const MathBuilder &m);
/// What `make` gives for sixteen lanes of the operands, for all that there are.
mlir::Value
bySixteen(const MathBuilder &m, mlir::ValueRange operands,
          llvm::function_ref<mlir::Value(mlir::ValueRange)> make);
/// table[index mod 16] of sixteen numbers.
Num lookUp(llvm::ArrayRef<float> table, Int index);

// Error.cpp

Num expandErf(Num x);
/// erf, off by 2^-21 of 1 (2^-24 from 2 on), where powers of two are instructions; else as `expandErf`.
Num expandCoarseErf(Num x);
Num expandErfc(Num x);

/// Computes in f64 and rounds once: for functions that are rarely the
/// bottleneck and hard to get right in f32.
Num throughF64(Num x, llvm::function_ref<Num(Num)> function);
Num throughF64(Num x, Num y, llvm::function_ref<Num(Num, Num)> function);

/// A scalar i1: some lane of `mask` is true.
mlir::Value anyLane(Mask mask);

/// The integer nearest to x (ties to even), for |x| < 2^21 in f32 and 2^50 in
/// f64, as a float and as an integer. NaN gives NaN and some integer.
struct Rounded {
  Num n;
  Int k;
};
Rounded roundToInt(Num x);
/// round(x * factor); the product is not rounded before.
Rounded roundToInt(Num x, double factor);
/// k as a float, for small k. Also fast where the target cannot convert i64.
Num smallToNum(Int k);
/// 2^k for k from 1 - bias to bias + 1 (infinity).
Num powerOfTwo(Int k);

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kNaN = __builtin_nan("");

} // namespace kiln::expand

#endif // KILN_CONVERSION_EXPANDMATH_FUNCTIONS_H
