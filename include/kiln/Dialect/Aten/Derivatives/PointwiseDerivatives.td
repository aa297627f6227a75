//===- PointwiseDerivatives.td - Arithmetic and functions --*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_POINTWISEDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_POINTWISEDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def : ComplexVJP<Aten_AddTensorOp, [
    Grad<"self", (identity $grad)>,
    Grad<"other", (scale $grad, (conjugate $alpha))>]>;
def : ComplexVJP<Aten_AddScalarOp, [Grad<"self", (identity $grad)>]>;
def : ComplexVJP<Aten_SubTensorOp, [
    Grad<"self", (identity $grad)>,
    Grad<"other", (neg (scale $grad, (conjugate $alpha)))>]>;
def : ComplexVJP<Aten_SubScalarOp, [Grad<"self", (identity $grad)>]>;
def : ComplexVJP<Aten_RsubScalarOp, [
    Grad<"self", (neg (scale $grad, (conjugate $alpha)))>]>;
def : ComplexVJP<Aten_RsubTensorOp, [
    Grad<"self", (neg (scale $grad, (conjugate $alpha)))>,
    Grad<"other", (identity $grad)>]>;
def : ComplexVJP<Aten_MulTensorOp, [
    Grad<"self", (mul $grad, (conjugate $other))>,
    Grad<"other", (mul $grad, (conjugate $self))>]>;
def : ComplexVJP<Aten_MulScalarOp, [Grad<"self", (mul $grad, (conjugate $other))>]>;
foreach rule = [Aten_DivTensorOp, Aten_TrueDivideTensorOp] in
  def : ComplexVJP<rule, [
      Grad<"self", (div $grad, (conjugate $other))>,
      Grad<"other", (mul (neg $grad),
                         (conjugate (div (div $self, $other), $other)))>]>;
def : ComplexVJP<Aten_DivScalarOp, [Grad<"self", (div $grad, (conjugate $other))>]>;
def : ComplexVJPFunction<"vjpDivMode", [Aten_DivTensorModeOp]>;
def : ComplexVJPFunction<"vjpDivScalarMode", [Aten_DivScalarModeOp]>;
def : VJP<Aten_FmodScalarOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_RemainderScalarOp, [Grad<"self", (identity $grad)>]>;
def div_rounded : GradientHelper; // a quotient in a rounding mode
def : VJP<Aten_FmodTensorOp, [
    Grad<"self", (identity $grad)>,
    Grad<"other", (mul (neg $grad),
                       (div_rounded $self, $other, "\"trunc\""))>]>;
def : VJP<Aten_RemainderTensorOp, [
    Grad<"self", (identity $grad)>,
    Grad<"other", (mul (neg $grad),
                       (div_rounded $self, $other, "\"floor\""))>]>;
def : ComplexVJP<Aten_NegOp, [Grad<"self", (neg $grad)>]>;
def : ComplexVJP<Aten_NegViewOp, [Grad<"self", (neg $grad)>]>;
def : ComplexVJP<Aten_ReciprocalOp, [
    Grad<"self", (mul (neg $grad), (conjugate (square $result)))>]>;
def : ComplexVJP<Aten_SquareOp, [
    Grad<"self", (mul $grad, (conjugate (mul $self, 2)))>]>;
def : ComplexVJP<Aten_AddcmulOp, [
    Grad<"self", (identity $grad)>,
    Grad<"tensor1", (mul $grad, (conjugate (scale $tensor2, $value)))>,
    Grad<"tensor2", (mul $grad, (conjugate (scale $tensor1, $value)))>]>;
def number_over : GradientHelper; // an optional number by a tensor
def : ComplexVJP<Aten_AddcdivOp, [
    Grad<"self", (identity $grad)>,
    Grad<"tensor1", (mul $grad, (conjugate (number_over $value, $tensor2)))>,
    Grad<"tensor2", (mul (neg $grad), (conjugate (div (scale $tensor1, $value),
                                                 (square $tensor2))))>]>;
def lerp_rest : GradientHelper; // times one minus a number
def : ComplexVJP<Aten_LerpScalarOp, [
    Grad<"self", (lerp_rest $grad, (conjugate $weight))>,
    Grad<"end", (mul $grad, (conjugate $weight))>]>;
def : ComplexVJP<Aten_LerpTensorOp, [
    Grad<"self", (mul $grad, (conjugate (sub 1, $weight)))>,
    Grad<"end", (mul $grad, (conjugate $weight))>,
    Grad<"weight", (mul $grad, (conjugate (sub $end, $self)))>]>;
def : VJP<Aten_LdexpTensorOp, [
    Grad<"self", (mul $grad, (call "exp2", $other))>,
    Grad<"other", (mul (mul $grad, $result), "0.6931471805599453")>]>;
def : VJP<Aten_HypotOp, [Grad<"self", (mul $grad, (div $self, $result))>,
                         Grad<"other", (mul $grad, (div $other, $result))>]>;
def : VJP<Aten_LogaddexpOp, [
    Grad<"self", (div $grad, (add (exp (sub $other, $self)), 1))>,
    Grad<"other", (div $grad, (add (exp (sub $self, $other)), 1))>]>;
def : VJP<Aten_NextafterOp, [Grad<"self", (keep_where $grad,
                                                      (ne $self, $other))>,
                             Grad<"other", (filled $other, 0)>]>;

//===----------------------------------------------------------------------===//
// Functions of one variable
//===----------------------------------------------------------------------===//

def : ComplexVJP<Aten_ExpOp, [Grad<"self", (mul $grad, (conjugate $result))>]>;
def : ComplexVJP<Aten_Exp2Op, [
    Grad<"self", (mul (mul $grad, (conjugate $result)), "0.6931471805599453")>]>;
def : ComplexVJP<Aten_Expm1Op, [
    Grad<"self", (mul $grad, (conjugate (add $result, 1)))>]>;
def : ComplexVJP<Aten_LogOp, [Grad<"self", (div $grad, (conjugate $self))>]>;
def : ComplexVJP<Aten_Log1pOp, [
    Grad<"self", (div $grad, (conjugate (add $self, 1)))>]>;
def : ComplexVJP<Aten_Log2Op, [
    Grad<"self", (div $grad, (mul (conjugate $self), "0.6931471805599453"))>]>;
def : ComplexVJP<Aten_Log10Op, [
    Grad<"self", (div $grad, (mul (conjugate $self), "2.3025850929940456"))>]>;
def : ComplexVJP<Aten_SinOp, [Grad<"self", (mul $grad, (conjugate (cos $self)))>]>;
def : ComplexVJP<Aten_CosOp, [
    Grad<"self", (mul $grad, (conjugate (neg (sin $self))))>]>;
def : ComplexVJP<Aten_TanOp, [
    Grad<"self", (mul $grad, (conjugate (add (square $result), 1)))>]>;
def : ComplexVJP<Aten_AsinOp, [
    Grad<"self", (mul $grad, (conjugate (rsqrt (sub 1, (square $self)))))>]>;
def : ComplexVJP<Aten_AcosOp, [
    Grad<"self", (mul $grad, (conjugate (neg (rsqrt (sub 1, (square $self))))))>]>;
def : ComplexVJP<Aten_AtanOp, [
    Grad<"self", (div $grad, (conjugate (add (square $self), 1)))>]>;
def : ComplexVJP<Aten_SinhOp, [Grad<"self", (mul $grad, (conjugate (cosh $self)))>]>;
def : ComplexVJP<Aten_CoshOp, [Grad<"self", (mul $grad, (conjugate (sinh $self)))>]>;
def : ComplexVJP<Aten_AsinhOp, [
    Grad<"self", (mul $grad, (conjugate (rsqrt (add (square $self), 1))))>]>;
def acosh_slope : GradientHelper;
def : ComplexVJP<Aten_AcoshOp, [
    Grad<"self", (mul $grad, (conjugate (acosh_slope $self)))>]>;
def : ComplexVJP<Aten_AtanhOp, [
    Grad<"self", (div $grad, (conjugate (sub 1, (square $self))))>]>;
def inverse_or_zero : GradientHelper; // zero of zero
def : VJP<Aten_Atan2Op, [
    Grad<"self", (mul (mul $grad, $other),
        (inverse_or_zero (add (square $self), (square $other))))>,
    Grad<"other", (mul (mul $grad, (neg $self)),
        (inverse_or_zero (add (square $self), (square $other))))>]>;
def : ComplexVJP<Aten_SqrtOp, [
    Grad<"self", (div $grad, (conjugate (mul $result, 2)))>]>;
def : ComplexVJP<Aten_RsqrtOp, [
    Grad<"self", (mul (mul $grad, "-0.5"),
                      (conjugate (mul (square $result), $result)))>]>;
def : ComplexVJP<Aten_AbsOp, [Grad<"self", (mul $grad, (sgn $self))>]>;
def : VJP<Aten_ErfOp, [
    Grad<"self", (mul (mul (exp (neg (square $self))), "1.1283791670955126"),
                      $grad)>]>;
def : VJP<Aten_ErfcOp, [
    Grad<"self", (mul (mul (exp (neg (square $self))), "-1.1283791670955126"),
                      $grad)>]>;
def : VJP<Aten_ErfinvOp, [
    Grad<"self", (mul (mul (exp (square $result)), "0.88622692545275801"),
                      $grad)>]>;
def : VJP<Aten_LgammaOp, [Grad<"self", (mul $grad, (call "digamma", $self))>]>;
def : VJP<Aten_DigammaOp, [
    Grad<"self", (mul $grad, (call "polygamma", 1, $self))>]>;
def : VJPFunction<"vjpPolygamma", [Aten_PolygammaOp]>;
def sinc_grad : GradientHelper;
def : VJP<Aten_SincOp, [Grad<"self", (sinc_grad $grad, $self)>]>;
def : VJP<Aten_LogitOp, [
    Grad<"self", (call "logit_backward", $grad, $self, $eps)>]>;
def is_finite : GradientHelper;
def : VJP<Aten_NanToNumOp, [
    Grad<"self", (keep_where $grad, (is_finite $self))>]>;
def : VJP<Aten_SpecialEntrOp, [
    Grad<"self", (mul $grad, (neg (add (log $self), 1)))>]>;
def : VJP<Aten_XlogyTensorOp, [
    Grad<"self", (drop_where (call "xlogy.Tensor", $grad, $other),
                      (logical_and (eq $self, 0), (le $other, 0)))>,
    Grad<"other", (div (mul $grad, $self), $other)>]>;
def : VJP<Aten_SpecialXlog1pyOp, [
    Grad<"self", (mul (drop_where (log1p (cast_like $other, $grad)),
                          (logical_and (eq $self, 0), (le $other, -1))),
                      $grad)>,
    Grad<"other", (div (mul $grad, $self), (add $other, 1))>]>;
def : ComplexVJPFunction<"vjpPow", [Aten_PowTensorScalarOp]>;
def : ComplexVJPFunction<"vjpPowTensor", [Aten_PowTensorTensorOp]>;
def : ComplexVJPFunction<"vjpPowScalar", [Aten_PowScalarOp]>;
def copysign_grad : GradientHelper;
def : VJP<Aten_CopysignTensorOp, [
    Grad<"self", (copysign_grad $grad, $self, $result)>,
    Grad<"other", (filled $other, 0)>]>;
def : VJP<Aten_CopysignScalarOp, [
    Grad<"self", (copysign_grad $grad, $self, $result)>]>;
def : VJP<Aten_FracOp, [Grad<"self", (identity $grad)>]>;
def : VJPFunction<"vjpRenorm", [Aten_RenormOp]>;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

def : ComplexVJP<Aten_WhereSelfOp, [
    Grad<"self", (keep_where $grad, $condition)>,
    Grad<"other", (drop_where $grad, $condition)>]>;
def : ComplexVJP<Aten_WhereScalarOtherOp, [
    Grad<"self", (keep_where $grad, $condition)>]>;
def : ComplexVJP<Aten_WhereScalarSelfOp, [
    Grad<"other", (drop_where $grad, $condition)>]>;
def : VJPFunction<"vjpClamp", [Aten_ClampOp]>;
def : VJPFunction<"vjpClampTensor", [Aten_ClampTensorOp]>;
def : VJP<Aten_ClampMinOp, [
    Grad<"self", (keep_where $grad, (gt $self, $min))>]>;
def : VJP<Aten_ClampMaxOp, [
    Grad<"self", (keep_where $grad, (lt $self, $max))>]>;
// At a tie each side gets half; where one side is NaN each gets all, also of those
// that pass over it.
def half_at_tie : GradientHelper;
foreach rule = [Aten_MaximumOp, Aten_MaxOtherOp, Aten_FmaxOp] in
  def : VJP<rule, [
      Grad<"self", (drop_where (half_at_tie $grad, $self, $other),
                               (lt $self, $other))>,
      Grad<"other", (drop_where (half_at_tie $grad, $self, $other),
                                (gt $self, $other))>]>;
foreach rule = [Aten_MinimumOp, Aten_MinOtherOp, Aten_FminOp] in
  def : VJP<rule, [
      Grad<"self", (drop_where (half_at_tie $grad, $self, $other),
                               (gt $self, $other))>,
      Grad<"other", (drop_where (half_at_tie $grad, $self, $other),
                                (lt $self, $other))>]>;
def : VJP<Aten_ClampMinTensorOp, [
    Grad<"self", (drop_where (half_at_tie $grad, $self, $min),
                             (lt $self, $min))>,
    Grad<"min", (drop_where (half_at_tie $grad, $self, $min),
                            (gt $self, $min))>]>;
def : VJP<Aten_ClampMaxTensorOp, [
    Grad<"self", (drop_where (half_at_tie $grad, $self, $max),
                             (gt $self, $max))>,
    Grad<"max", (drop_where (half_at_tie $grad, $self, $max),
                            (lt $self, $max))>]>;
def : ComplexVJP<Aten_MaskedFillScalarOp, [
    Grad<"self", (drop_where $grad, $mask)>]>;
def : ComplexVJP<Aten_MaskedFillTensorOp, [
    Grad<"self", (drop_where $grad, $mask)>,
    Grad<"value", (keep_where $grad, $mask)>]>;

//===----------------------------------------------------------------------===//
// Complex numbers
//===----------------------------------------------------------------------===//

def : ComplexVJP<Aten_ComplexOp, [Grad<"real", (call "real", $grad)>,
                                  Grad<"imag", (call "imag", $grad)>]>;
// A magnitude is taken for positive: `sgn` of the result, not `exp(i angle)`.
def : ComplexVJP<Aten_PolarOp, [
    Grad<"abs", (mul (sign $abs),
                     (add (mul (call "real", $grad), (cos $angle)),
                          (mul (call "imag", $grad), (sin $angle))))>,
    Grad<"angle", (mul $abs, (sub (mul (call "imag", $grad), (cos $angle)),
                                  (mul (call "real", $grad),
                                       (sin $angle))))>]>;
def : ComplexVJP<Aten_ConjOp, [Grad<"self", (conjugate $grad)>]>;
def angle_grad : GradientHelper; // zero of reals
def : ComplexVJP<Aten_AngleOp, [Grad<"self", (angle_grad $grad, $self)>]>;
def sgn_grad : GradientHelper; // zero of reals
def : ComplexVJP<Aten_SgnOp, [Grad<"self", (sgn_grad $grad, $self, $result)>]>;
def : ComplexVJPFunction<"vjpFftOfReals", [Aten_FftR2cOp]>;
def : ComplexVJPFunction<"vjpFftToReals", [Aten_FftC2rOp]>;
def : ComplexVJP<Aten_FftC2cOp, [
    Grad<"self", (call "_fft_c2c", $grad, $dim, $normalization,
                       "!rule.getForward()")>]>;

//===----------------------------------------------------------------------===//
// Copies; the conversion to the operand's type is automatic
//===----------------------------------------------------------------------===//

foreach rule = [Aten_ToCopyOp, Aten_ToDtypeOp, Aten_ToDeviceOp,
                Aten_ToDtypeLayoutOp] in
  def : ComplexVJP<rule, [Grad<"self", (identity $grad)>]>;
// What is overwritten has a gradient, and it is zero.
def overwritten : GradientHelper;
def : ComplexVJP<Aten_CopyOp, [
    Grad<"self", (overwritten $grad, $self, $src)>,
    Grad<"src", (cast_like $grad, $src)>]>;
def : ComplexVJP<Aten_FillScalarOp, [Grad<"self", (filled $self, 0)>]>;
def : ComplexVJP<Aten_FillTensorOp, [Grad<"self", (filled $self, 0)>,
                                     Grad<"value", (identity $grad)>]>;
def tril : BuilderMethod;
def triu : BuilderMethod;
def : ComplexVJP<Aten_TrilOp, [Grad<"self", (tril $grad, $diagonal)>]>;
def : ComplexVJP<Aten_TriuOp, [Grad<"self", (triu $grad, $diagonal)>]>;

//===----------------------------------------------------------------------===//
// Steps and draws: the gradient is zero, and is there
//===----------------------------------------------------------------------===//

foreach rule = [Aten_FloorOp, Aten_CeilOp, Aten_RoundOp, Aten_TruncOp,
                Aten_SignOp, Aten_BernoulliOp, Aten_BernoulliPOp,
                Aten_ExponentialOp, Aten_NormalFunctionalOp,
                Aten_UniformOp] in
  def : VJP<rule, [Grad<"self", (filled $self, 0)>]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_POINTWISEDERIVATIVES_TD
