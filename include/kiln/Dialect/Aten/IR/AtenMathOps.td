//===- AtenMathOps.td - More pointwise functions -----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENMATHOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENMATHOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_AcoshOp : Aten_PureOp<"aten::acosh(Tensor self) -> Tensor"> {
  let summary = "Inverse hyperbolic cosine";
  let aliases = ["arccosh"];
  let promotion = PromoteIntToFloat;
  let body = (where (gt $self, (number "1e8")), (add (log $self),
    (number "0.69314718055994530942")), (log1p (add (sub $self, (number "1")),
    (mul (sqrt (sub $self, (number "1"))),
         (sqrt (add $self, (number "1")))))));
}

def Aten_AsinhOp : Aten_PureOp<"aten::asinh(Tensor self) -> Tensor"> {
  let summary = "Inverse hyperbolic sine";
  let aliases = ["arcsinh"];
  let promotion = PromoteIntToFloat;
  let body = (mul (sign $self), (where (gt (abs $self), (number "1e8")), (add
    (log (abs $self)), (number "0.69314718055994530942")), (log1p (add (abs
    $self), (div (mul $self, $self), (add (sqrt (add (mul $self, $self),
    (number "1"))), (number "1")))))));
}

def Aten_AtanhOp : Aten_PureOp<"aten::atanh(Tensor self) -> Tensor"> {
  let summary = "Inverse hyperbolic tangent";
  let aliases = ["arctanh"];
  let promotion = PromoteIntToFloat;
  let body = (mul (number "0.5"), (sub (log1p $self), (log1p (neg $self))));
}

def Aten_AngleOp : Aten_PureOp<"aten::angle(Tensor self) -> Tensor"> {
  let summary = "Angle of a number: of reals 0, or pi if negative";
  let shape = "angle";
  let promotion = PromoteIntToFloat;
  let body = (where (is_nan $self), $self, (where (lt $self, (number "0")),
    (number "3.14159265358979323846"), (number "0")));
}

def Aten_DigammaOp : Aten_PureOp<"aten::digamma(Tensor self) -> Tensor"> {
  let summary = "Logarithmic derivative of the gamma function";
  let aliases = ["special_digamma", "special_psi"];
  let promotion = PromoteIntToFloat;
  let body = (digamma $self);
}

def Aten_PolygammaOp : Aten_PureOp<
    "aten::polygamma(int n, Tensor self) -> Tensor"> {
  let summary = "Derivative of order n of digamma";
  let promotion = PromoteIntToFloat;
}

def Aten_LgammaOp : Aten_PureOp<"aten::lgamma(Tensor self) -> Tensor"> {
  let summary = "Logarithm of the magnitude of the gamma function";
  let aliases = ["special_gammaln"];
  let promotion = PromoteIntToFloat;
  let body = (lgamma $self);
}

def Aten_ErfcOp : Aten_PureOp<"aten::erfc(Tensor self) -> Tensor"> {
  let summary = "Complementary error function";
  let aliases = ["special_erfc"];
  let promotion = PromoteIntToFloat;
  let body = (erfc $self);
}

def Aten_ErfinvOp : Aten_PureOp<"aten::erfinv(Tensor self) -> Tensor"> {
  let summary = "Inverse error function";
  let aliases = ["special_erfinv"];
  let promotion = PromoteIntToFloat;
  let body = (erfinv $self);
}

def Aten_Exp2Op : Aten_PureOp<"aten::exp2(Tensor self) -> Tensor"> {
  let summary = "2 to the power of each element";
  let aliases = ["special_exp2"];
  let promotion = PromoteIntToFloat;
  let body = (pow (number "2"), $self);
}

def Aten_Log10Op : Aten_PureOp<"aten::log10(Tensor self) -> Tensor"> {
  let summary = "Logarithm to base 10";
  let promotion = PromoteIntToFloat;
  let body = (log10 $self);
}

def Aten_FracOp : Aten_PureOp<"aten::frac(Tensor self) -> Tensor"> {
  let summary = "Part after the point, with the sign of the element";
  let promotion = PromoteDefault;
  let body = (sub $self, (trunc $self));
}

def Aten_SquareOp : Aten_PureOp<"aten::square(Tensor self) -> Tensor"> {
  let summary = "Product with itself";
  let shape = "square";
  let promotion = PromoteDefault;
  let body = (mul $self, $self);
}

def Aten_SgnOp : Aten_PureOp<"aten::sgn(Tensor self) -> Tensor"> {
  let summary = "Sign; of complex numbers the direction";
  let promotion = PromoteDefault;
  let body = (sign $self);
}

def Aten_SignbitOp : Aten_PureOp<"aten::signbit(Tensor self) -> Tensor"> {
  let summary = "True where the sign is minus, also of zero";
  let promotion = PromoteAlwaysBool;
  let body = (sign_bit $self);
}

def Aten_SincOp : Aten_PureOp<"aten::sinc(Tensor self) -> Tensor"> {
  let summary = "sin(pi x) / (pi x)";
  let aliases = ["special_sinc"];
  let promotion = PromoteIntToFloat;
  let body = (where (eq $self, (number "0")), (number "1"), (div (sin (mul
    (number "3.14159265358979323846"), $self)), (mul
    (number "3.14159265358979323846"), $self)));
}

def Aten_SpecialSphericalBesselJ0Op : Aten_PureOp<
    "aten::special_spherical_bessel_j0(Tensor x) -> Tensor"> {
  let summary = "sin(x) / x, near 0 by its series";
  let promotion = PromoteIntToFloat;
  let body = (where (is_inf $x), (number "0"), (where (lt (abs $x),
    (number "0.5")), (sub (number "1"), (mul (div (mul $x, $x), (number "6")),
    (sub (number "1"), (mul (div (mul $x, $x), (number "20")), (sub
    (number "1"), (mul (div (mul $x, $x), (number "42")), (sub (number "1"),
    (mul (div (mul $x, $x), (number "72")), (sub (number "1"), (mul (div (mul
    $x, $x), (number "110")), (sub (number "1"), (div (mul $x, $x),
    (number "156"))))))))))))), (div (sin $x), $x)));
}

def Aten_IsfiniteOp : Aten_PureOp<"aten::isfinite(Tensor self) -> Tensor"> {
  let summary = "True unless infinite or NaN";
  let promotion = PromoteAlwaysBool;
  let takesSmallFloats = 1;
  let body = (logical_not (logical_or (is_nan $self), (is_inf $self)));
}

def Aten_IsneginfOp : Aten_PureOp<"aten::isneginf(Tensor self) -> Tensor"> {
  let summary = "True for minus infinity";
  let promotion = PromoteAlwaysBool;
  let body = (logical_and (is_inf $self), (lt $self, (number "0")));
}

def Aten_IsposinfOp : Aten_PureOp<"aten::isposinf(Tensor self) -> Tensor"> {
  let summary = "True for plus infinity";
  let promotion = PromoteAlwaysBool;
  let body = (logical_and (is_inf $self), (gt $self, (number "0")));
}

def Aten_LogitOp : Aten_PureOp<
    "aten::logit(Tensor self, float? eps=None) -> Tensor"> {
  let summary = "log(x / (1 - x)), of x clamped to [eps, 1 - eps]";
  let aliases = ["special_logit"];
  let promotion = PromoteIntToFloat;
  let body = (log (div (clamp_first $self, (or_else $eps, (number "-inf")),
    (sub (number "1"), (or_else $eps, (number "-inf")))), (sub (number "1"),
    (clamp_first $self, (or_else $eps, (number "-inf")), (sub (number "1"),
    (or_else $eps, (number "-inf")))))));
}

def Aten_NanToNumOp : Aten_PureOp<
    "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? "
    "neginf=None) -> Tensor"> {
  let summary = "Replace NaN and infinities by numbers";
  let promotion = PromoteDefault;
  let decomposition = Decompose<[
      (replace_specials $self, $nan, $posinf, $neginf)]>;
}

def Aten_SpecialEntrOp : Aten_PureOp<
    "aten::special_entr(Tensor self) -> Tensor"> {
  let summary = "-x log(x); 0 at 0, minus infinity below";
  let promotion = PromoteIntToFloat;
  let body = (where (is_nan $self), $self, (where (gt $self, (number "0")), (neg
    (mul $self, (log $self))), (where (eq $self, (number "0")), (number "0"),
    (number "-inf"))));
}

def Aten_SpecialXlog1pyOp : Aten_PureOp<
    "aten::special_xlog1py(Tensor self, Tensor other) -> Tensor"> {
  let summary = "self * log1p(other), 0 where self is 0";
  let promotion = PromoteIntToFloat;
  let body = (where (logical_and (eq $self, (number "0")), (logical_not (is_nan
    $other))), (number "0"), (mul $self, (log1p $other)));
}

def Aten_XlogyTensorOp : Aten_PureOp<
    "aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "self * log(other), 0 where self is 0";
  let aliases = ["special_xlogy"];
  let promotion = PromoteIntToFloat;
  let writers = ["xlogy.OutTensor"];
  let body = (where (logical_and (eq $self, (number "0")), (logical_not (is_nan
    $other))), (number "0"), (mul $self, (log $other)));
}

def Aten_ConjOp : Aten_PureOp<"aten::_conj(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Complex conjugate, as a view";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let undoesItself = 1;
  let isView = 1;
}

def Aten_NegViewOp : Aten_PureOp<
    "aten::_neg_view(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Negated elements, as a view";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let undoesItself = 1;
  let isView = 1;
  let body = (neg $self);
}

def Aten_AndTensorOp : Aten_PureOp<
    "aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Bitwise and";
  let promotion = PromoteDefault;
  let body = (bit_and $self, $other);
}

def Aten_OrTensorOp : Aten_PureOp<
    "aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Bitwise or";
  let promotion = PromoteDefault;
  let body = (bit_or $self, $other);
}

def Aten_XorTensorOp : Aten_PureOp<
    "aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Bitwise exclusive or";
  let promotion = PromoteDefault;
  let body = (bit_xor $self, $other);
}

def Aten_LshiftScalarOp : Aten_PureOp<
    "aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor"> {
  let summary = "Shift left";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (shl $self, $other);
}

def Aten_BitwiseAndScalarOp : Aten_PureOp<
    "aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor"> {
  let summary = "Bitwise and with a number";
  let aliases = ["__and__.Scalar"];
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (bit_and $self, $other);
}

def Aten_BitwiseOrScalarOp : Aten_PureOp<
    "aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor"> {
  let summary = "Bitwise or with a number";
  let aliases = ["__or__.Scalar"];
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (bit_or $self, $other);
}

def Aten_BitwiseXorScalarOp : Aten_PureOp<
    "aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor"> {
  let summary = "Bitwise exclusive or with a number";
  let aliases = ["__xor__.Scalar"];
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (bit_xor $self, $other);
}

def Aten_BitwiseLeftShiftTensorOp : Aten_PureOp<
    "aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Shift left";
  let aliases = ["__lshift__.Tensor"];
  let promotion = PromoteDefault;
  let body = (shl $self, $other);
}

def Aten_BitwiseRightShiftTensorOp : Aten_PureOp<
    "aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Arithmetic shift right";
  let aliases = ["__rshift__.Tensor"];
  let promotion = PromoteDefault;
  let body = (shr $self, $other);
}

def Aten_ClampTensorOp : Aten_PureOp<
    "aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> "
    "Tensor"> {
  let summary = "Clamp to bounds for each element";
  let aliases = ["clip.Tensor"];
  let shape = "clamp";
  let promotion = PromoteNoOpmath;
  let body = (clamp_high (clamp_low $self, $min), $max);
}

def Aten_ClampMaxTensorOp : Aten_PureOp<
    "aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"> {
  let summary = "Clamp to upper bounds";
  let promotion = PromoteNoOpmath;
  let body = (min $self, $max);
}

def Aten_ClampMinTensorOp : Aten_PureOp<
    "aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"> {
  let summary = "Clamp to lower bounds";
  let promotion = PromoteNoOpmath;
  let body = (max $self, $min);
}

def Aten_MaxOtherOp : Aten_PureOp<
    "aten::max.other(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Greater of two elements";
  let promotion = PromoteNoOpmath;
  let writers = ["max.out"];
  let body = (max $self, $other);
}

def Aten_MinOtherOp : Aten_PureOp<
    "aten::min.other(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Lesser of two elements";
  let promotion = PromoteNoOpmath;
  let writers = ["min.out"];
  let body = (min $self, $other);
}

def Aten_FmaxOp : Aten_PureOp<
    "aten::fmax(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Greater of two elements; NaN loses";
  let promotion = PromoteNoOpmath;
  let body = (where (is_nan $self), $other, (where (is_nan $other), $self, (max
    $self, $other)));
}

def Aten_FminOp : Aten_PureOp<
    "aten::fmin(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Lesser of two elements; NaN loses";
  let promotion = PromoteNoOpmath;
  let body = (where (is_nan $self), $other, (where (is_nan $other), $self, (min
    $self, $other)));
}

def Aten_ComplexOp : Aten_PureOp<
    "aten::complex(Tensor real, Tensor imag) -> Tensor"> {
  let summary = "Complex numbers from their parts";
  let shape = "makeComplex";
  let promotion = PromoteSameDType;
}

def Aten_PolarOp : Aten_PureOp<
    "aten::polar(Tensor abs, Tensor angle) -> Tensor"> {
  let summary = "Complex numbers from magnitude and angle";
  let shape = "makeComplex";
  let promotion = PromoteSameDType;
}

def Aten_CopysignScalarOp : Aten_PureOp<
    "aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor"> {
  let summary = "Magnitude of self with the sign of a number";
  let promotion = PromoteIntToFloat;
  let promotes = ["self", "other"];
  let body = (copy_sign $self, $other);
}

def Aten_CopysignTensorOp : Aten_PureOp<
    "aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Magnitude of self with the sign of other";
  let promotion = PromoteIntToFloat;
  let writers = ["copysign.out"];
  let body = (copy_sign $self, $other);
}

def Aten_DivScalarModeOp : Aten_PureOp<
    "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) "
    "-> Tensor"> {
  let summary = "Quotient by a number, rounded as asked";
  let aliases = ["divide.Scalar_mode"];
  let modes = (ins Aten_Rounding:$rounding_mode);
  let promotion = PromoteDivMode;
  let promotes = ["self", "other"];
  let refusesZeroDivisors = 1;
  let lowering = LowerBy<"lowerDivMode", [], DivisionFamily>;
}

def Aten_FloorDivideScalarOp : Aten_PureOp<
    "aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"> {
  let summary = "Quotient by a number, rounded down";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let refusesZeroDivisors = 1;
  let body = (floor_div $self, $other);
}

def Aten_TrueDivideTensorOp : Aten_PureOp<
    "aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Quotient as a float";
  let takesNumbers = ["self", "other"];
  let promotion = PromoteIntToFloat;
  let promotes = ["self", "other"];
  let writers = ["true_divide.out"];
  let body = (div $self, $other);
}

def Aten_RsubTensorOp : Aten_PureOp<
    "aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> "
    "Tensor"> {
  let summary = "other - alpha * self";
  let shape = "scaledDifference";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let roundsNumbers = 1;
  let body = (sub $other, (mul $self, $alpha));
}

def Aten_GcdOp : Aten_PureOp<"aten::gcd(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Greatest common divisor";
  let promotion = PromoteDefault;
  let body = (gcd $self, $other);
}

def Aten_HeavisideOp : Aten_PureOp<
    "aten::heaviside(Tensor self, Tensor values) -> Tensor"> {
  let summary = "Step function, with values at 0";
  let promotion = PromoteSameDType;
  let body = (where (is_nan $self), $self, (where (eq $self, (number "0")), $values,
    (where (gt $self, (number "0")), (number "1"), (number "0"))));
}

def Aten_HypotOp : Aten_PureOp<
    "aten::hypot(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Length of the vector (self, other)";
  let promotion = PromoteDefault;
  let body = (hypot $self, $other);
}

def Aten_LdexpTensorOp : Aten_PureOp<
    "aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "self times 2 to the power other";
  let promotion = PromoteIntToFloat;
  let writers = ["ldexp.out", "ldexp_"];
  let body = (mul $self, (pow (number "2"), $other));
}

def Aten_LerpTensorOp : Aten_PureOp<
    "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor"> {
  let summary = "Linear interpolation";
  let promotion = PromoteSameDType;
  let body = (where (lt (abs $weight), (number "0.5")), (add $self, (mul $weight, (sub
    $end, $self))), (sub $end, (mul (sub $end, $self), (sub (number "1"),
    $weight))));
}

def Aten_LogaddexpOp : Aten_PureOp<
    "aten::logaddexp(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Logarithm of the sum of exponentials";
  let promotion = PromoteDefault;
  let body = (where (logical_and (is_inf $self), (eq $self, $other)), $self, (add (max
    $self, $other), (log1p (exp (neg (abs (sub $self, $other)))))));
}

def Aten_LogicalXorOp : Aten_PureOp<
    "aten::logical_xor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Exactly one is not zero";
  let promotion = PromoteAlwaysBool;
  let body = (logical_xor $self, $other);
}

def Aten_NextafterOp : Aten_PureOp<
    "aten::nextafter(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Next float toward other";
  let promotion = PromoteDefault;
  let body = (next_after $self, $other);
}

def Aten_WhereScalarOp : Aten_PureOp<
    "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> "
    "Tensor"> {
  let summary = "Choose one of two numbers";
  let shape = "maskedBroadcast";
  let promotion = PromoteFromScalar;
  let promotes = ["self", "other"];
  let body = (where (raw $condition), $self, $other);
}

def Aten_WhereScalarOtherOp : Aten_PureOp<
    "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> "
    "Tensor"> {
  let summary = "Choose elements or a number";
  let shape = "maskedBroadcast";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "other"];
  let body = (where (raw $condition), $self, $other);
}

def Aten_WhereScalarSelfOp : Aten_PureOp<
    "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> "
    "Tensor"> {
  let summary = "Choose a number or elements";
  let shape = "maskedBroadcast";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "other"];
  let body = (where (raw $condition), $self, $other);
}

def Aten_FillTensorOp : Aten_PureOp<
    "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor"> {
  let summary = "The shape of self, filled with the element of value";
  let shape = "expandsToFirst";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[(fill_like $self, $value)]>;
  let takesSmallFloats = 1;
}

def Aten_RenormOp : Aten_PureOp<
    "aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor"> {
  let summary = "Limit the norms of slices";
  let shape = "sameWithDim";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[(limit_norms $self, $p, $dim, $maxnorm)]>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENMATHOPS_TD
