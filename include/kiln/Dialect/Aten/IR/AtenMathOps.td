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

def Aten_AcoshOp : Aten_PureOp<"acosh",
    "aten::acosh(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Inverse hyperbolic cosine";
  let promotion = PromoteIntToFloat;
  let body = (where (gt $self, (number "1e8")), (add (log $self),
    (number "0.69314718055994530942")), (log1p (add (sub $self, (number "1")),
    (mul (sqrt (sub $self, (number "1"))),
         (sqrt (add $self, (number "1")))))));
}

def Aten_AsinhOp : Aten_PureOp<"asinh",
    "aten::asinh(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Inverse hyperbolic sine";
  let promotion = PromoteIntToFloat;
  let body = (mul (sign $self), (where (gt (abs $self), (number "1e8")), (add
    (log (abs $self)), (number "0.69314718055994530942")), (log1p (add (abs
    $self), (div (mul $self, $self), (add (sqrt (add (mul $self, $self),
    (number "1"))), (number "1")))))));
}

def Aten_AtanhOp : Aten_PureOp<"atanh",
    "aten::atanh(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Inverse hyperbolic tangent";
  let promotion = PromoteIntToFloat;
  let body = (mul (number "0.5"), (sub (log1p $self), (log1p (neg $self))));
}

def Aten_AngleOp : Aten_PureOp<"angle",
    "aten::angle(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Angle of a number: of reals 0, or pi if negative";
  let shape = "angle";
  let promotion = PromoteIntToFloat;
  let body = (where (is_nan $self), $self, (where (lt $self, (number "0")),
    (number "3.14159265358979323846"), (number "0")));
}

def Aten_DigammaOp : Aten_PureOp<"digamma",
    "aten::digamma(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Logarithmic derivative of the gamma function";
  let promotion = PromoteIntToFloat;
  let body = (digamma $self);
}

def Aten_PolygammaOp : Aten_PureOp<"polygamma",
    "aten::polygamma(int n, Tensor self) -> Tensor",
    (ins Aten_Int:$n, Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Derivative of order n of digamma";
  let promotion = PromoteIntToFloat;
}

def Aten_LgammaOp : Aten_PureOp<"lgamma",
    "aten::lgamma(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Logarithm of the magnitude of the gamma function";
  let promotion = PromoteIntToFloat;
  let body = (lgamma $self);
}

def Aten_ErfcOp : Aten_PureOp<"erfc",
    "aten::erfc(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Complementary error function";
  let promotion = PromoteIntToFloat;
  let body = (erfc $self);
}

def Aten_ErfinvOp : Aten_PureOp<"erfinv",
    "aten::erfinv(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Inverse error function";
  let promotion = PromoteIntToFloat;
  let body = (erfinv $self);
}

def Aten_Exp2Op : Aten_PureOp<"exp2",
    "aten::exp2(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "2 to the power of each element";
  let promotion = PromoteIntToFloat;
  let body = (pow (number "2"), $self);
}

def Aten_Log10Op : Aten_PureOp<"log10",
    "aten::log10(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Logarithm to base 10";
  let promotion = PromoteIntToFloat;
  let body = (log10 $self);
}

def Aten_FracOp : Aten_PureOp<"frac",
    "aten::frac(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Part after the point, with the sign of the element";
  let promotion = PromoteDefault;
  let body = (sub $self, (trunc $self));
}

def Aten_SquareOp : Aten_PureOp<"square",
    "aten::square(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Product with itself";
  let shape = "square";
  let promotion = PromoteDefault;
  let body = (mul $self, $self);
}

def Aten_SgnOp : Aten_PureOp<"sgn",
    "aten::sgn(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Sign; of complex numbers the direction";
  let promotion = PromoteDefault;
  let body = (sign $self);
}

def Aten_SignbitOp : Aten_PureOp<"signbit",
    "aten::signbit(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "True where the sign is minus, also of zero";
  let promotion = PromoteAlwaysBool;
  let body = (sign_bit $self);
}

def Aten_SincOp : Aten_PureOp<"sinc",
    "aten::sinc(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "sin(pi x) / (pi x)";
  let promotion = PromoteIntToFloat;
  let body = (where (eq $self, (number "0")), (number "1"), (div (sin (mul
    (number "3.14159265358979323846"), $self)), (mul
    (number "3.14159265358979323846"), $self)));
}

def Aten_IsfiniteOp : Aten_PureOp<"isfinite",
    "aten::isfinite(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "True unless infinite or NaN";
  let promotion = PromoteAlwaysBool;
  let takesSmallFloats = 1;
  let body = (logical_not (logical_or (is_nan $self), (is_inf $self)));
}

def Aten_IsneginfOp : Aten_PureOp<"isneginf",
    "aten::isneginf(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "True for minus infinity";
  let promotion = PromoteAlwaysBool;
  let body = (logical_and (is_inf $self), (lt $self, (number "0")));
}

def Aten_IsposinfOp : Aten_PureOp<"isposinf",
    "aten::isposinf(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "True for plus infinity";
  let promotion = PromoteAlwaysBool;
  let body = (logical_and (is_inf $self), (gt $self, (number "0")));
}

def Aten_LogitOp : Aten_PureOp<"logit",
    "aten::logit(Tensor self, float? eps=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_Float>:$eps),
    (outs Aten_Tensor:$result)> {
  let summary = "log(x / (1 - x)), of x clamped to [eps, 1 - eps]";
  let promotion = PromoteIntToFloat;
  let body = (log (div (clamp_first $self, (or_else $eps, (number "-inf")),
    (sub (number "1"), (or_else $eps, (number "-inf")))), (sub (number "1"),
    (clamp_first $self, (or_else $eps, (number "-inf")), (sub (number "1"),
    (or_else $eps, (number "-inf")))))));
}

def Aten_NanToNumOp : Aten_PureOp<"nan_to_num",
    "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, "
    "float? neginf=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_Float>:$nan,
         OptionalAttr<Aten_Float>:$posinf, OptionalAttr<Aten_Float>:$neginf),
    (outs Aten_Tensor:$result)> {
  let summary = "Replace NaN and infinities by numbers";
  let promotion = PromoteDefault;
  let decomposition = Decompose<[
      (replace_specials $self, $nan, $posinf, $neginf)]>;
}

def Aten_SpecialEntrOp : Aten_PureOp<"special_entr",
    "aten::special_entr(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "-x log(x); 0 at 0, minus infinity below";
  let promotion = PromoteIntToFloat;
  let body = (where (is_nan $self), $self, (where (gt $self, (number "0")), (neg
    (mul $self, (log $self))), (where (eq $self, (number "0")), (number "0"),
    (number "-inf"))));
}

def Aten_SpecialXlog1pyOp : Aten_PureOp<"special_xlog1py",
    "aten::special_xlog1py(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "self * log1p(other), 0 where self is 0";
  let promotion = PromoteIntToFloat;
  let body = (where (logical_and (eq $self, (number "0")), (logical_not (is_nan
    $other))), (number "0"), (mul $self, (log1p $other)));
}

def Aten_XlogyTensorOp : Aten_PureOp<"xlogy.Tensor",
    "aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "self * log(other), 0 where self is 0";
  let promotion = PromoteIntToFloat;
  let writers = ["xlogy.OutTensor"];
  let body = (where (logical_and (eq $self, (number "0")), (logical_not (is_nan
    $other))), (number "0"), (mul $self, (log $other)));
}

def Aten_ConjOp : Aten_PureOp<"_conj",
    "aten::_conj(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Complex conjugate, as a view";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let inverse = "_conj";
  let isView = 1;
}

def Aten_NegViewOp : Aten_PureOp<"_neg_view",
    "aten::_neg_view(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Negated elements, as a view";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let inverse = "_neg_view";
  let isView = 1;
  let body = (neg $self);
}

def Aten_AndTensorOp : Aten_PureOp<"__and__.Tensor",
    "aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Bitwise and";
  let promotion = PromoteDefault;
  let body = (bit_and $self, $other);
}

def Aten_OrTensorOp : Aten_PureOp<"__or__.Tensor",
    "aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Bitwise or";
  let promotion = PromoteDefault;
  let body = (bit_or $self, $other);
}

def Aten_XorTensorOp : Aten_PureOp<"__xor__.Tensor",
    "aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Bitwise exclusive or";
  let promotion = PromoteDefault;
  let body = (bit_xor $self, $other);
}

def Aten_LshiftScalarOp : Aten_PureOp<"__lshift__.Scalar",
    "aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Shift left";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (shl $self, $other);
}

def Aten_BitwiseAndScalarOp : Aten_PureOp<"bitwise_and.Scalar",
    "aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Bitwise and with a number";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (bit_and $self, $other);
}

def Aten_BitwiseOrScalarOp : Aten_PureOp<"bitwise_or.Scalar",
    "aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Bitwise or with a number";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (bit_or $self, $other);
}

def Aten_BitwiseXorScalarOp : Aten_PureOp<"bitwise_xor.Scalar",
    "aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Bitwise exclusive or with a number";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let body = (bit_xor $self, $other);
}

def Aten_BitwiseLeftShiftTensorOp : Aten_PureOp<"bitwise_left_shift.Tensor",
    "aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Shift left";
  let promotion = PromoteDefault;
  let body = (shl $self, $other);
}

def Aten_BitwiseRightShiftTensorOp : Aten_PureOp<"bitwise_right_shift.Tensor",
    "aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Arithmetic shift right";
  let promotion = PromoteDefault;
  let body = (shr $self, $other);
}

def Aten_ClampTensorOp : Aten_PureOp<"clamp.Tensor",
    "aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Optional<Aten_Tensor>:$min,
         Optional<Aten_Tensor>:$max),
    (outs Aten_Tensor:$result)> {
  let summary = "Clamp to bounds for each element";
  let shape = "clamp";
  let promotion = PromoteNoOpmath;
  let body = (clamp_high (clamp_low $self, $min), $max);
}

def Aten_ClampMaxTensorOp : Aten_PureOp<"clamp_max.Tensor",
    "aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$max),
    (outs Aten_Tensor:$result)> {
  let summary = "Clamp to upper bounds";
  let promotion = PromoteNoOpmath;
  let body = (min $self, $max);
}

def Aten_ClampMinTensorOp : Aten_PureOp<"clamp_min.Tensor",
    "aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$min),
    (outs Aten_Tensor:$result)> {
  let summary = "Clamp to lower bounds";
  let promotion = PromoteNoOpmath;
  let body = (max $self, $min);
}

def Aten_MaxOtherOp : Aten_PureOp<"max.other",
    "aten::max.other(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Greater of two elements";
  let promotion = PromoteNoOpmath;
  let writers = ["max.out"];
  let body = (max $self, $other);
}

def Aten_MinOtherOp : Aten_PureOp<"min.other",
    "aten::min.other(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Lesser of two elements";
  let promotion = PromoteNoOpmath;
  let writers = ["min.out"];
  let body = (min $self, $other);
}

def Aten_FmaxOp : Aten_PureOp<"fmax",
    "aten::fmax(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Greater of two elements; NaN loses";
  let promotion = PromoteNoOpmath;
  let body = (where (is_nan $self), $other, (where (is_nan $other), $self, (max
    $self, $other)));
}

def Aten_FminOp : Aten_PureOp<"fmin",
    "aten::fmin(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Lesser of two elements; NaN loses";
  let promotion = PromoteNoOpmath;
  let body = (where (is_nan $self), $other, (where (is_nan $other), $self, (min
    $self, $other)));
}

def Aten_ComplexOp : Aten_PureOp<"complex",
    "aten::complex(Tensor real, Tensor imag) -> Tensor",
    (ins Aten_Tensor:$real, Aten_Tensor:$imag),
    (outs Aten_Tensor:$result)> {
  let summary = "Complex numbers from their parts";
  let shape = "makeComplex";
  let promotion = PromoteSameDType;
}

def Aten_PolarOp : Aten_PureOp<"polar",
    "aten::polar(Tensor abs, Tensor angle) -> Tensor",
    (ins Aten_Tensor:$abs, Aten_Tensor:$angle),
    (outs Aten_Tensor:$result)> {
  let summary = "Complex numbers from magnitude and angle";
  let shape = "makeComplex";
  let promotion = PromoteSameDType;
}

def Aten_CopysignScalarOp : Aten_PureOp<"copysign.Scalar",
    "aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Magnitude of self with the sign of a number";
  let promotion = PromoteIntToFloat;
  let promotes = ["self", "other"];
  let body = (copy_sign $self, $other);
}

def Aten_CopysignTensorOp : Aten_PureOp<"copysign.Tensor",
    "aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Magnitude of self with the sign of other";
  let promotion = PromoteIntToFloat;
  let writers = ["copysign.out"];
  let body = (copy_sign $self, $other);
}

def Aten_DivScalarModeOp : Aten_PureOp<"div.Scalar_mode",
    "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? "
    "rounding_mode) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other,
         OptionalAttr<Aten_Rounding>:$rounding_mode),
    (outs Aten_Tensor:$result)> {
  let summary = "Quotient by a number, rounded as asked";
  let promotion = PromoteDivMode;
  let promotes = ["self", "other"];
  let refusesZeroDivisors = 1;
  let lowering = LowerBy<"Converter::lowerDivMode">;
}

def Aten_FloorDivideScalarOp : Aten_PureOp<"floor_divide.Scalar",
    "aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Quotient by a number, rounded down";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let refusesZeroDivisors = 1;
  let body = (floor_div $self, $other);
}

def Aten_TrueDivideTensorOp : Aten_PureOp<"true_divide.Tensor",
    "aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_TensorOrNumber:$self, Aten_TensorOrNumber:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Quotient as a float";
  let promotion = PromoteIntToFloat;
  let promotes = ["self", "other"];
  let writers = ["true_divide.out"];
  let body = (div $self, $other);
}

def Aten_RsubTensorOp : Aten_PureOp<"rsub.Tensor",
    "aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other, Optional<Aten_Number>:$alpha),
    (outs Aten_Tensor:$result)> {
  let summary = "other - alpha * self";
  let shape = "scaledSum";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let roundsNumbers = 1;
  let body = (sub $other, (mul $self, $alpha));
}

def Aten_GcdOp : Aten_PureOp<"gcd",
    "aten::gcd(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Greatest common divisor";
  let promotion = PromoteDefault;
  let body = (gcd $self, $other);
}

def Aten_HeavisideOp : Aten_PureOp<"heaviside",
    "aten::heaviside(Tensor self, Tensor values) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$values),
    (outs Aten_Tensor:$result)> {
  let summary = "Step function, with values at 0";
  let promotion = PromoteSameDType;
  let body = (where (is_nan $self), $self, (where (eq $self, (number "0")), $values,
    (where (gt $self, (number "0")), (number "1"), (number "0"))));
}

def Aten_HypotOp : Aten_PureOp<"hypot",
    "aten::hypot(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Length of the vector (self, other)";
  let promotion = PromoteDefault;
  let body = (hypot $self, $other);
}

def Aten_LdexpTensorOp : Aten_PureOp<"ldexp.Tensor",
    "aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "self times 2 to the power other";
  let promotion = PromoteIntToFloat;
  let writers = ["ldexp.out", "ldexp_"];
  let body = (mul $self, (pow (number "2"), $other));
}

def Aten_LerpTensorOp : Aten_PureOp<"lerp.Tensor",
    "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$end, Aten_Tensor:$weight),
    (outs Aten_Tensor:$result)> {
  let summary = "Linear interpolation";
  let promotion = PromoteSameDType;
  let body = (where (lt (abs $weight), (number "0.5")), (add $self, (mul $weight, (sub
    $end, $self))), (sub $end, (mul (sub $end, $self), (sub (number "1"),
    $weight))));
}

def Aten_LogaddexpOp : Aten_PureOp<"logaddexp",
    "aten::logaddexp(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Logarithm of the sum of exponentials";
  let promotion = PromoteDefault;
  let body = (where (logical_and (is_inf $self), (eq $self, $other)), $self, (add (max
    $self, $other), (log1p (exp (neg (abs (sub $self, $other)))))));
}

def Aten_LogicalXorOp : Aten_PureOp<"logical_xor",
    "aten::logical_xor(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Exactly one is not zero";
  let promotion = PromoteAlwaysBool;
  let body = (logical_xor $self, $other);
}

def Aten_NextafterOp : Aten_PureOp<"nextafter",
    "aten::nextafter(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Next float toward other";
  let promotion = PromoteDefault;
  let body = (next_after $self, $other);
}

def Aten_WhereScalarOp : Aten_PureOp<"where.Scalar",
    "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> "
    "Tensor",
    (ins Aten_Tensor:$condition, Aten_Number:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Choose one of two numbers";
  let shape = "maskedBroadcast";
  let promotion = PromoteFromScalar;
  let promotes = ["self", "other"];
  let body = (where (raw $condition), $self, $other);
}

def Aten_WhereScalarOtherOp : Aten_PureOp<"where.ScalarOther",
    "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) "
    "-> Tensor",
    (ins Aten_Tensor:$condition, Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Choose elements or a number";
  let shape = "maskedBroadcast";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "other"];
  let body = (where (raw $condition), $self, $other);
}

def Aten_WhereScalarSelfOp : Aten_PureOp<"where.ScalarSelf",
    "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> "
    "Tensor",
    (ins Aten_Tensor:$condition, Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Choose a number or elements";
  let shape = "maskedBroadcast";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "other"];
  let body = (where (raw $condition), $self, $other);
}

def Aten_FillTensorOp : Aten_PureOp<"fill.Tensor",
    "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$value),
    (outs Aten_Tensor:$result)> {
  let summary = "The shape of self, filled with the element of value";
  let shape = "expandsToFirst";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[(fill_like $self, $value)]>;
  let takesSmallFloats = 1;
}

def Aten_RenormOp : Aten_PureOp<"renorm",
    "aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$p, Aten_Int:$dim,
         Aten_Number:$maxnorm),
    (outs Aten_Tensor:$result)> {
  let summary = "Limit the norms of slices";
  let shape = "sameWithDim";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeWide<[(limit_norms $self, $p, $dim, $maxnorm)]>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENMATHOPS_TD
