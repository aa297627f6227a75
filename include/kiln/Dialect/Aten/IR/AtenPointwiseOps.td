//===- AtenPointwiseOps.td - Several operands, element by element ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENPOINTWISEOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENPOINTWISEOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_AddTensorOp : Aten_PureOp<
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> "
    "Tensor"> {
  let summary = "self + alpha * other";
  let takesNumbers = ["self", "other"];
  let shape = "scaledSum";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let roundsNumbers = 1;
  let writers = ["add.out"];
  let body = (add $self, (mul $other, $alpha));
  let isCore = 1;
}

def Aten_SubTensorOp : Aten_PureOp<
    "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> "
    "Tensor"> {
  let summary = "self - alpha * other";
  let aliases = ["subtract.Tensor"];
  let takesNumbers = ["self", "other"];
  let shape = "scaledDifference";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let roundsNumbers = 1;
  let writers = ["sub.out", "subtract.out"];
  let body = (sub $self, (mul $other, $alpha));
  let isCore = 1;
}

def Aten_MulTensorOp : Aten_PureOp<
    "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Product";
  let aliases = ["multiply.Tensor"];
  let takesNumbers = ["self", "other"];
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let takesSmallFloats = 1;
  let writers = ["mul.out", "multiply.out"];
  let body = (mul $self, $other);
  let isCore = 1;
}

def Aten_DivTensorOp : Aten_PureOp<
    "aten::div.Tensor(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Quotient as a float";
  let aliases = ["divide.Tensor"];
  let takesNumbers = ["self", "other"];
  let promotion = PromoteIntToFloat;
  let promotes = ["self", "other"];
  let refusesZeroDivisors = 1;
  let writers = ["div.out", "divide.out"];
  let body = (div $self, $other);
  let isCore = 1;
}

def Aten_FloorDivideOp : Aten_PureOp<
    "aten::floor_divide(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Quotient rounded down";
  let takesNumbers = ["self", "other"];
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let refusesZeroDivisors = 1;
  let writers = ["floor_divide_.Tensor"];
  let body = (floor_div $self, $other);
}

def Aten_DivTensorModeOp : Aten_PureOp<
    "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) "
    "-> Tensor"> {
  let summary = "Quotient, rounded as the mode says";
  let aliases = ["divide.Tensor_mode"];
  let description = [{
    Without a rounding mode as `div.Tensor`; `"floor"` rounds down, `"trunc"`
    toward zero.
  }];
  let takesNumbers = ["self", "other"];
  let modes = (ins Aten_Rounding:$rounding_mode);
  let promotion = PromoteDivMode;
  let promotes = ["self", "other"];
  let refusesZeroDivisors = 1;
  let lowering = LowerBy<"lowerDivMode", [], DivisionFamily>;
  let writers = ["div.out_mode", "divide.out_mode"];
  let isCore = 1;
}

def Aten_AddScalarOp : Aten_PureOp<
    "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> {
  let summary = "self + alpha * other";
  let shape = "scaledSum";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let roundsNumbers = 1;
  let body = (add $self, (mul $other, $alpha));
  let isCore = 1;
}

def Aten_SubScalarOp : Aten_PureOp<
    "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> {
  let summary = "self - alpha * other";
  let aliases = ["subtract.Scalar"];
  let shape = "scaledDifference";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let roundsNumbers = 1;
  let body = (sub $self, (mul $other, $alpha));
  let isCore = 1;
}

def Aten_RsubScalarOp : Aten_PureOp<
    "aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"> {
  let summary = "other - alpha * self";
  let shape = "scaledDifference";
  let promotion = PromoteDefault;
  let promotes = ["self", "other"];
  let decomposition = Decompose<[(call "sub.Tensor", $other, $self, $alpha)]>;
  let roundsNumbers = 1;
  let body = (sub $other, (mul $self, $alpha));
}

def Aten_MulScalarOp : Aten_BinaryNumberOp<"mul.Scalar", PromoteDefault,
    (mul $self, $other)> {
  let summary = "Product with a number";
  let aliases = ["multiply.Scalar"];
  let isCore = 1;
}

def Aten_DivScalarOp : Aten_BinaryNumberOp<"div.Scalar", PromoteIntToFloat,
    (div $self, $other)> {
  let summary = "Quotient by a number as a float";
  let aliases = ["divide.Scalar", "true_divide.Scalar"];
  let refusesZeroDivisors = 1;
  let isCore = 1;
}

def Aten_RemainderScalarOp
    : Aten_BinaryNumberOp<"remainder.Scalar", PromoteDefault,
    (remainder $self, $other)> {
  let summary = "Remainder with the divisor's sign";
  let roundsNumbers = 1;
  let refusesZeroDivisors = 1;
  let isCore = 1;
}

def Aten_RemainderTensorOp : Aten_BinaryOp<"remainder.Tensor", PromoteDefault,
    (remainder $self, $other)> {
  let summary = "Remainder with the divisor's sign";
  let roundsNumbers = 1;
  let refusesZeroDivisors = 1;
  let isCore = 1;
}

def Aten_FmodScalarOp : Aten_BinaryNumberOp<"fmod.Scalar", PromoteDefault,
    (fmod $self, $other)> {
  let summary = "Remainder with the dividend's sign";
  let refusesZeroDivisors = 1;
  let isCore = 1;
}

def Aten_FmodTensorOp : Aten_BinaryOp<"fmod.Tensor", PromoteDefault,
    (fmod $self, $other)> {
  let summary = "Remainder with the dividend's sign";
  let refusesZeroDivisors = 1;
  let isCore = 1;
}

def Aten_RshiftScalarOp
    : Aten_BinaryNumberOp<"__rshift__.Scalar", PromoteDefault,
    (shr $self, $other)> {
  let summary = "Shift right";
}

def Aten_BitwiseAndTensorOp
    : Aten_BinaryOp<"bitwise_and.Tensor", PromoteDefault,
    (bit_and $self, $other)> {
  let summary = "Bitwise and";
  let isCore = 1;
}

def Aten_BitwiseOrTensorOp : Aten_BinaryOp<"bitwise_or.Tensor", PromoteDefault,
    (bit_or $self, $other)> {
  let summary = "Bitwise or";
  let isCore = 1;
}

def Aten_BitwiseXorTensorOp
    : Aten_BinaryOp<"bitwise_xor.Tensor", PromoteDefault,
    (bit_xor $self, $other)> {
  let summary = "Bitwise exclusive or";
  let isCore = 1;
}

def Aten_LogicalAndOp : Aten_BinaryOp<"logical_and", PromoteAlwaysBool,
    (logical_and $self, $other)> {
  let summary = "True where both are not zero";
  let isCore = 1;
}

def Aten_LogicalOrOp : Aten_BinaryOp<"logical_or", PromoteAlwaysBool,
    (logical_or $self, $other)> {
  let summary = "True where one is not zero";
  let isCore = 1;
}

def Aten_MaximumOp : Aten_BinaryOp<"maximum", PromoteNoOpmath,
    (max $self, $other)> {
  let summary = "The greater; NaN wins";
  let isCore = 1;
}

def Aten_MinimumOp : Aten_BinaryOp<"minimum", PromoteNoOpmath,
    (min $self, $other)> {
  let summary = "The lesser; NaN wins";
  let isCore = 1;
}

def Aten_Atan2Op : Aten_BinaryOp<"atan2", PromoteIntToFloat,
    (atan2 $self, $other)> {
  let summary = "Angle of the point (other, self)";
  let aliases = ["arctan2"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_EqScalarOp : Aten_BinaryNumberOp<"eq.Scalar", PromoteAlwaysBool,
    (eq $self, $other)> {
  let summary = "True where equal";
  let takesSmallFloats = 1;
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_EqTensorOp : Aten_BinaryOp<"eq.Tensor", PromoteAlwaysBool,
    (eq $self, $other)> {
  let summary = "True where equal";
  let takesSmallFloats = 1;
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_NeScalarOp : Aten_BinaryNumberOp<"ne.Scalar", PromoteAlwaysBool,
    (ne $self, $other)> {
  let summary = "True where different";
  let aliases = ["not_equal.Scalar"];
  let takesSmallFloats = 1;
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_NeTensorOp : Aten_BinaryOp<"ne.Tensor", PromoteAlwaysBool,
    (ne $self, $other)> {
  let summary = "True where different";
  let aliases = ["not_equal.Tensor"];
  let takesSmallFloats = 1;
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_LtScalarOp : Aten_BinaryNumberOp<"lt.Scalar", PromoteAlwaysBool,
    (lt $self, $other)> {
  let summary = "True where less";
  let aliases = ["less.Scalar"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_LtTensorOp : Aten_BinaryOp<"lt.Tensor", PromoteAlwaysBool,
    (lt $self, $other)> {
  let summary = "True where less";
  let aliases = ["less.Tensor"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_LeScalarOp : Aten_BinaryNumberOp<"le.Scalar", PromoteAlwaysBool,
    (le $self, $other)> {
  let summary = "True where less or equal";
  let aliases = ["less_equal.Scalar"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_LeTensorOp : Aten_BinaryOp<"le.Tensor", PromoteAlwaysBool,
    (le $self, $other)> {
  let summary = "True where less or equal";
  let aliases = ["less_equal.Tensor"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_GtScalarOp : Aten_BinaryNumberOp<"gt.Scalar", PromoteAlwaysBool,
    (gt $self, $other)> {
  let summary = "True where greater";
  let aliases = ["greater.Scalar"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_GtTensorOp : Aten_BinaryOp<"gt.Tensor", PromoteAlwaysBool,
    (gt $self, $other)> {
  let summary = "True where greater";
  let aliases = ["greater.Tensor"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_GeScalarOp : Aten_BinaryNumberOp<"ge.Scalar", PromoteAlwaysBool,
    (ge $self, $other)> {
  let summary = "True where greater or equal";
  let aliases = ["greater_equal.Scalar"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_GeTensorOp : Aten_BinaryOp<"ge.Tensor", PromoteAlwaysBool,
    (ge $self, $other)> {
  let summary = "True where greater or equal";
  let aliases = ["greater_equal.Tensor"];
  let roundsNumbers = 1;
  let isCore = 1;
}

def Aten_PowTensorScalarOp : Aten_PureOp<
    "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"> {
  let summary = "Power with a number as exponent";
  let promotion = PromoteDefault;
  let promotes = ["self", "exponent"];
  let roundsNumbers = 1;
  let writers = ["pow_.Scalar"];
  let body = (pow $self, $exponent);
  let isCore = 1;
}

def Aten_PowScalarOp : Aten_PureOp<
    "aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor"> {
  let summary = "Power of a number";
  let promotion = PromoteDefault;
  let promotes = ["self", "exponent"];
  let roundsNumbers = 1;
  let body = (pow $self, $exponent);
  let isCore = 1;
}

def Aten_PowTensorTensorOp : Aten_PureOp<
    "aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor"> {
  let summary = "Power";
  let promotion = PromoteDefault;
  let roundsNumbers = 1;
  let writers = ["pow_.Tensor"];
  let body = (pow $self, $exponent);
  let isCore = 1;
}

def Aten_ClampOp : Aten_PureOp<
    "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"> {
  let summary = "Limit to a range";
  let aliases = ["clip"];
  let shape = "clamp";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "min", "max"];
  let lowering = LowerBy<"lowerClamp">;
  let body = (clamp_high (clamp_low $self, $min), $max);
  let isCore = 1;
}

def Aten_ClampMinOp : Aten_PureOp<
    "aten::clamp_min(Tensor self, Scalar min) -> Tensor"> {
  let summary = "Limit from below";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "min"];
  let body = (max $self, $min);
  let decomposition = Decompose<[(call "clamp", $self, $min, "nullptr")]>;
}

def Aten_ClampMaxOp : Aten_PureOp<
    "aten::clamp_max(Tensor self, Scalar max) -> Tensor"> {
  let summary = "Limit from above";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "max"];
  let body = (min $self, $max);
  let decomposition = Decompose<[(call "clamp", $self, "nullptr", $max)]>;
}

def Aten_WhereSelfOp : Aten_PureOp<
    "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor"> {
  let summary = "Choose by a condition";
  let shape = "maskedBroadcast";
  let promotion = PromoteNoOpmath;
  let promotes = ["self", "other"];
  let takesSmallFloats = 1;
  let body = (where (raw $condition), $self, $other);
  let isCore = 1;
}

def Aten_MaskedFillScalarOp : Aten_PureOp<
    "aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> "
    "Tensor"> {
  let summary = "Replace where a mask is true";
  let shape = "maskedBroadcast";
  let promotion = PromoteKeepFirst;
  let body = (where (raw $mask), $value, $self);
  let decomposition = DecomposeBy<"decomposeMaskedFillScalar">;
}

def Aten_MaskedFillTensorOp : Aten_PureOp<
    "aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> "
    "Tensor"> {
  let summary = "Replace where a mask is true";
  let shape = "maskedBroadcast";
  let promotion = PromoteKeepFirst;
  let body = (where (raw $mask), $value, $self);
  let decomposition = DecomposeBy<"decomposeMaskedFillTensor">;
}

def Aten_FillScalarOp : Aten_PureOp<
    "aten::fill.Scalar(Tensor self, Scalar value) -> Tensor"> {
  let summary = "All elements replaced by a number";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let writers = ["zero_"];
  let body = (copy_of $value);
  let isCore = 1;
}

def Aten_AddcmulOp : Aten_PureOp<
    "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar "
    "value=1) -> Tensor"> {
  let summary = "self + value * tensor1 * tensor2";
  let promotion = PromoteDefault;
  let body = (add $self, (mul $value, (mul $tensor1, $tensor2)));
  let decomposition = DecomposeBy<"decomposeAddcmul">;
}

def Aten_AddcdivOp : Aten_PureOp<
    "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar "
    "value=1) -> Tensor"> {
  let summary = "self + value * tensor1 / tensor2";
  let shape = "scaledQuotient";
  let promotion = PromoteIntToFloat;
  let body = (add $self, (mul $value, (div $tensor1, $tensor2)));
  let decomposition = DecomposeBy<"decomposeAddcdiv">;
}

def Aten_LerpScalarOp : Aten_PureOp<
    "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor"> {
  let summary = "Linear interpolation";
  let promotion = PromoteDefault;
  let body = (add $self, (mul $weight, (sub $end, $self)));
  let decomposition = DecomposeBy<"decomposeLerp">;
}

def Aten_LeakyReluOp : Aten_PureOp<
    "aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor"> {
  let summary = "Slope for negative elements";
  let promotion = PromoteDefault;
  let body =
      (where (gt $self, (number "0")), $self, (mul $self, $negative_slope));
  let isCore = 1;
}

def Aten_HardtanhOp : Aten_PureOp<
    "aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> "
    "Tensor"> {
  let summary = "Limit to a range";
  let promotion = PromoteDefault;
  let lowering = LowerBy<"lowerHardtanh">;
  let body = (min (max $self, $min_val), $max_val);
  let isCore = 1;
}

def Aten_GeluOp : Aten_PureOp<
    "aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `approximate` is `"none"` (by erf) or `"tanh"`.
  }];
  let modes = (ins Aten_GeluApproximation:$approximate);
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeGelu">;
  let isCore = 1;
}

def Aten_GeluBackwardOp : Aten_PureOp<
    "aten::gelu_backward(Tensor grad_output, Tensor self, *, str "
    "approximate=\"none\") -> Tensor"> {
  let summary = "Gradient of gelu";
  let modes = (ins Aten_GeluApproximation:$approximate);
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeGeluBackward">;
  let isCore = 1;
}

def Aten_ThresholdBackwardOp : Aten_PureOp<
    "aten::threshold_backward(Tensor grad_output, Tensor self, Scalar "
    "threshold) -> Tensor"> {
  let summary = "Gradient of relu";
  let description = [{
    The gradient where `self` exceeds the threshold, else zero.
  }];
  let promotion = PromoteNoOpmath;
  let body = (where (le $self, $threshold), (number "0"), $grad_output);
  let isCore = 1;
}

def Aten_TanhBackwardOp : Aten_PureOp<
    "aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor"> {
  let summary = "Gradient of tanh";
  let promotion = PromoteDefault;
  let body = (mul $grad_output, (sub (number "1"), (mul $output, $output)));
  let decomposition = DecomposeBy<"decomposeTanhBackward">;
}

def Aten_SigmoidBackwardOp : Aten_PureOp<
    "aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor"> {
  let summary = "Gradient of sigmoid";
  let promotion = PromoteDefault;
  let body = (mul $grad_output, (mul (sub (number "1"), $output), $output));
  let decomposition = DecomposeBy<"decomposeSigmoidBackward">;
}

def Aten_ToCopyOp : Aten_PureOp<
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None, bool "
    "non_blocking=False, MemoryFormat? memory_format=None) -> Tensor"> {
  let summary = "Convert to another element type or layout";
  let description = [{
    Without `dtype` the element type stays.
  }];
  let shape = "sameAsFirst";
  let promotion = PromoteView;
  let body = (copy_of $self);
  let isCore = 1;
}

def Aten_ToDtypeOp : Aten_PureOp<
    "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, "
    "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)"> {
  let summary = "Convert to another element type";
  let shape = "sameAsFirst";
  let promotion = PromoteView;
  let mayCopy = 1;
  let body = (copy_of $self);
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeToDtype">;
}

def Aten_CloneOp : Aten_MappedOp<
    "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
    "same"> {
  let summary = "A copy";
  let shape = "sameAsFirst"; // checks the memory format
  let isView = 0;
  let body = (copy_of $self);
  let isCore = 1;
  let hasOwnKernel = 1;
}

def Aten_CopyOp : Aten_PureOp<
    "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor"> {
  let summary = "The elements of `src` in the type and shape of `self`";
  let description = [{
    What `self.copy_(src)` leaves in `self`.
  }];
  let shape = "copy";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let body = (copy_of $src);
  let isCore = 1;
}

def Aten_AliasOp : Aten_MappedOp<
    "aten::alias(Tensor(a) self) -> Tensor(a)", "same"> {
  let summary = "The same tensor";
  let body = (copy_of $self);
  let decomposition = DecomposeView;
  let isCore = 1;
}

def Aten_DetachOp : Aten_MappedOp<
    "aten::detach(Tensor(a) self) -> Tensor(a)", "same"> {
  let summary = "The same tensor, without gradient";
  let body = (copy_of $self);
  let decomposition = DecomposeView;
  let isCore = 1;
}

def Aten_ContiguousOp : Aten_MappedOp<
    "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> "
    "Tensor(a)", "same"> {
  let summary = "The same elements, dense in memory";
  let shape = "sameAsFirst"; // checks the memory format
  let mayCopy = 1;
  let body = (copy_of $self);
  let hasOwnKernel = 1;
}

def Aten_LiftFreshCopyOp : Aten_MappedOp<
    "aten::lift_fresh_copy(Tensor self) -> Tensor", "same"> {
  let summary = "A copy of a constant";
  let isView = 0;
  let body = (copy_of $self);
  let hasOwnKernel = 1;
}

def Aten_TrilOp : Aten_PureOp<
    "aten::tril(Tensor self, SymInt diagonal=0) -> Tensor"> {
  let summary = "The lower triangle, zeros above";
  let shape = "triangle";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeTril">;
}

def Aten_TriuOp : Aten_PureOp<
    "aten::triu(Tensor self, SymInt diagonal=0) -> Tensor"> {
  let summary = "The upper triangle, zeros below";
  let shape = "triangle";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeTriu">;
}

#endif // KILN_DIALECT_ATEN_IR_ATENPOINTWISEOPS_TD
