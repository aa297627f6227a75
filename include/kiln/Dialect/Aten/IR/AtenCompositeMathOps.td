//===- AtenCompositeMathOps.td - Composite functions -------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCOMPOSITEMATHOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCOMPOSITEMATHOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def IsinFamily : OpFamily<"IsinArgs", "Elements or a number, looked up among others.",
    ["elements", "element", "test_elements", "test_element", "invert"]>;
def DecomposeIsin : DecomposeBy<"decomposeIsin", [], IsinFamily>;
def RoundFamily : OpFamily<"RoundArgs", "A rounding to decimals.", ["self", "decimals"]>;
def PowerFamily : OpFamily<"PowerArgs", "A power of tensors or numbers.",
    ["self", "exponent"]>;
def DecomposeFloatPower : DecomposeBy<"decomposeFloatPower", [], PowerFamily>;
def LinspaceFamily : OpFamily<"LinspaceArgs",
    "Equal steps between ends of which one is a tensor.",
    ["start", "end", "steps", "dtype"]>;
def DecomposeLinspace : DecomposeBy<"decomposeLinspaceOfTensors", [], LinspaceFamily>;
def MomentsFamily : OpFamily<"MomentsArgs", "Standard deviation and mean.",
    ["self", "dim?", "unbiased", "keepdim"]>;
def TrapezoidFamily : OpFamily<"TrapezoidArgs",
    "The area below a curve, of points at places or at equal distances.",
    ["y", "x", "dx", "dim"]>;
class DecomposeTrapezoid<string cumulative>
    : DecomposeBy<"decomposeTrapezoid", [cumulative], TrapezoidFamily>;

def Aten_Deg2radOp : Aten_CompositeOp<"aten::deg2rad(Tensor self) -> Tensor"> {
  let summary = "Degrees as radians";
  let decomposition = Decompose<[(mul (floating $self), "M_PI / 180")]>;
}

def Aten_Rad2degOp : Aten_CompositeOp<"aten::rad2deg(Tensor self) -> Tensor"> {
  let summary = "Radians as degrees";
  let decomposition = Decompose<[(mul (floating $self), "180 / M_PI")]>;
}

def Aten_IscloseOp : Aten_CompositeOp<
    "aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float "
    "atol=1e-08, bool equal_nan=False) -> Tensor", "decomposeIsclose"> {
  let summary = "True where two are equal within a tolerance";
}

def Aten_IsrealOp : Aten_CompositeOp<
    "aten::isreal(Tensor self) -> Tensor", "decomposeIsreal"> {
  let summary = "True where the imaginary part is zero";
}

def Aten_IsinTensorTensorOp : Aten_CompositeOp<
    "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool "
    "assume_unique=False, bool invert=False) -> Tensor"> {
  let summary = "True where an element is among others";
  let decomposition = DecomposeIsin;
}

def Aten_IsinTensorScalarOp : Aten_CompositeOp<
    "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool "
    "assume_unique=False, bool invert=False) -> Tensor"> {
  let summary = "True where an element is a number";
  let decomposition = DecomposeIsin;
}

def Aten_IsinScalarTensorOp : Aten_CompositeOp<
    "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool "
    "assume_unique=False, bool invert=False) -> Tensor"> {
  let summary = "True if a number is among elements";
  let decomposition = DecomposeIsin;
}

def Aten_RoundDecimalsOp : Aten_CompositeOp<
    "aten::round.decimals(Tensor self, *, int decimals) -> Tensor"> {
  let summary = "Round to a number of decimals";
  let decomposition = DecomposeBy<"decomposeRound", [], RoundFamily>;
}

def Aten_SpecialRoundOp : Aten_CompositeOp<
    "aten::special_round(Tensor self, *, int decimals=0) -> Tensor"> {
  let summary = "Round to a number of decimals";
  let decomposition = DecomposeBy<"decomposeRound", [], RoundFamily>;
}

def Aten_Logaddexp2Op : Aten_CompositeOp<
    "aten::logaddexp2(Tensor self, Tensor other) -> Tensor",
    "decomposeLogaddexp2"> {
  let summary = "log2(2^self + 2^other)";
}

def Aten_MvlgammaOp : Aten_CompositeOp<
    "aten::mvlgamma(Tensor self, int p) -> Tensor", "decomposeMvlgamma"> {
  let summary = "Logarithm of the multivariate gamma function";
  let aliases = ["special_multigammaln"];
}

def Aten_SpecialNdtrOp : Aten_CompositeOp<
    "aten::special_ndtr(Tensor self) -> Tensor", "decomposeSpecialNdtr"> {
  let summary = "Area below the normal curve";
}

def Aten_FloatPowerTensorTensorOp : Aten_CompositeOp<
    "aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor"> {
  let summary = "Power in f64";
  let decomposition = DecomposeFloatPower;
  let writers = ["float_power_.Tensor"];
}

def Aten_FloatPowerTensorScalarOp : Aten_CompositeOp<
    "aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor"> {
  let summary = "Power in f64 with a number as exponent";
  let decomposition = DecomposeFloatPower;
  let writers = ["float_power_.Scalar"];
}

def Aten_FloatPowerScalarOp : Aten_CompositeOp<
    "aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor"> {
  let summary = "Power in f64 of a number";
  let decomposition = DecomposeFloatPower;
}

def Aten_XlogyScalarOtherOp : Aten_CompositeOp<
    "aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor"> {
  let summary = "self * log(number), 0 where self is 0";
  let decomposition = Decompose<[(call "xlogy.Tensor", $self, (wrap $other, $self))]>;
  let aliases = ["special_xlogy.other_scalar"];
  let writers = ["xlogy.OutScalar_Other"];
}

def Aten_XlogyScalarSelfOp : Aten_CompositeOp<
    "aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor"> {
  let summary = "number * log(other)";
  let decomposition = Decompose<[(call "xlogy.Tensor", (wrap $self, $other), $other)]>;
  let aliases = ["special_xlogy.self_scalar"];
  let writers = ["xlogy.OutScalar_Self"];
}

def Aten_SpecialXlog1pyOtherScalarOp : Aten_CompositeOp<
    "aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor"> {
  let summary = "self * log1p(number), 0 where self is 0";
  let decomposition = Decompose<[
      (call "special_xlog1py", $self, (wrap $other, $self))]>;
}

def Aten_SpecialXlog1pySelfScalarOp : Aten_CompositeOp<
    "aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor"> {
  let summary = "number * log1p(other), 0 if the number is 0";
  let decomposition = Decompose<[
      (call "special_xlog1py", (wrap $self, $other), $other)]>;
}

def Aten_RemainderScalarTensorOp : Aten_CompositeOp<
    "aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> {
  let summary = "Remainder of a number";
  let decomposition = Decompose<[(call "remainder.Tensor", (wrap $self, $other), $other)]>;
}

def Aten_BitwiseAndScalarTensorOp : Aten_CompositeOp<
    "aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> {
  let summary = "Bitwise and with a number on the left";
  let decomposition = Decompose<[(call "bitwise_and.Tensor", (wrap $self, $other), $other)]>;
}

def Aten_BitwiseOrScalarTensorOp : Aten_CompositeOp<
    "aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> {
  let summary = "Bitwise or with a number on the left";
  let decomposition = Decompose<[(call "bitwise_or.Tensor", (wrap $self, $other), $other)]>;
}

def Aten_BitwiseXorScalarTensorOp : Aten_CompositeOp<
    "aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"> {
  let summary = "Bitwise exclusive or with a number on the left";
  let decomposition = Decompose<[(call "bitwise_xor.Tensor", (wrap $self, $other), $other)]>;
}

def Aten_BitwiseLeftShiftScalarTensorOp : Aten_CompositeOp<
    "aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> "
    "Tensor"> {
  let summary = "Shift a number left";
  let decomposition = Decompose<[(call "bitwise_left_shift.Tensor", (wrap $self, $other), $other)]>;
}

def Aten_BitwiseRightShiftScalarTensorOp : Aten_CompositeOp<
    "aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> "
    "Tensor"> {
  let summary = "Shift a number right";
  let decomposition = Decompose<[(call "bitwise_right_shift.Tensor", (wrap $self, $other), $other)]>;
}

def Aten_BitwiseLeftShiftTensorScalarOp : Aten_CompositeOp<
    "aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> "
    "Tensor"> {
  let summary = "Shift left by a number";
  let decomposition = Decompose<[(call "bitwise_left_shift.Tensor", $self, (wrap $other, $self))]>;
}

def Aten_BitwiseRightShiftTensorScalarOp : Aten_CompositeOp<
    "aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> "
    "Tensor"> {
  let summary = "Shift right by a number";
  let decomposition = Decompose<[(call "bitwise_right_shift.Tensor", $self, (wrap $other, $self))]>;
}

def Aten_BucketizeScalarOp : Aten_CompositeOp<
    "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool "
    "out_int32=False, bool right=False) -> Tensor"> {
  let summary = "Index of the bucket of a number";
  let decomposition = Decompose<[
    (call "bucketize.Tensor", (wrap $self, $boundaries), $boundaries, $out_int32, $right)]>;
}

def Aten_SearchsortedScalarOp : Aten_CompositeOp<
    "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool "
    "out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) "
    "-> Tensor"> {
  let summary = "Index at which a number would be inserted";
  let decomposition = Decompose<[
    (call "searchsorted.Tensor", $sorted_sequence, (wrap $self, $sorted_sequence),
          $out_int32, $right, $side, $sorter)]>;
}

def Aten_CountNonzeroDimIntListOp : Aten_CompositeOp<
    "aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
    "decomposeCountNonzeroDimIntList"> {
  let summary = "Number of elements that are not zero, over dimensions";
}

def Aten_StdMeanOp : Aten_CompositeOp<
    "aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"> {
  let summary = "Standard deviation and mean of all elements";
  let decomposition = DecomposeBy<"decomposeDeviationAndMean", [], MomentsFamily>;
}

def Aten_StdMeanDimOp : Aten_CompositeOp<
    "aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
    "keepdim=False) -> (Tensor, Tensor)"> {
  let summary = "Standard deviation and mean over dimensions";
  let decomposition = DecomposeBy<"decomposeDeviationAndMean", [], MomentsFamily>;
}

def Aten_VarMeanOp : Aten_CompositeOp<
    "aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
    "decomposeVarMean"> {
  let summary = "Variance and mean of all elements";
}

def Aten_NanmeanOp : Aten_CompositeOp<
    "aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor", "decomposeNanmean"> {
  let summary = "Mean of the elements that are numbers";
}

def Aten_MedianOp : Aten_CompositeOp<
    "aten::median(Tensor self) -> Tensor", "decomposeMedian"> {
  let summary = "The lower of the middle elements";
}

def Aten_QuantileOp : Aten_CompositeOp<
    "aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, "
    "*, str interpolation=\"linear\") -> Tensor"> {
  let summary = "Values at shares of the way through sorted elements";
  let decomposition = Decompose<[
      (quantile $self, $q, $dim, $keepdim, $interpolation, "false")]>;
}

def Aten_QuantileScalarOp : Aten_CompositeOp<
    "aten::quantile.scalar(Tensor self, float q, int? dim=None, bool "
    "keepdim=False, *, str interpolation=\"linear\") -> Tensor"> {
  let summary = "Value at a share of the way through sorted elements";
  let decomposition = Decompose<[
      (quantile $self, (share_of $self, $q), $dim, $keepdim, $interpolation, "false")]>;
}

def Aten_NanquantileOp : Aten_CompositeOp<
    "aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool "
    "keepdim=False, *, str interpolation=\"linear\") -> Tensor"> {
  let summary = "Quantiles of the elements that are numbers";
  let decomposition = Decompose<[
      (quantile $self, $q, $dim, $keepdim, $interpolation, "true")]>;
}

def Aten_NanquantileScalarOp : Aten_CompositeOp<
    "aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool "
    "keepdim=False, *, str interpolation=\"linear\") -> Tensor"> {
  let summary = "Quantile of the elements that are numbers";
  let decomposition = Decompose<[
      (quantile $self, (share_of $self, $q), $dim, $keepdim, $interpolation, "true")]>;
}

def Aten_NanmedianOp : Aten_CompositeOp<
    "aten::nanmedian(Tensor self) -> Tensor", "decomposeNanmedian"> {
  let summary = "Median of the elements that are numbers";
}

def Aten_NanmedianDimOp : Aten_CompositeOp<
    "aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor "
    "values, Tensor indices)", "decomposeNanmedianDim"> {
  let summary = "Medians of the elements that are numbers, and where they are";
}

def Aten_CovOp : Aten_CompositeOp<
    "aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, "
    "Tensor? aweights=None) -> Tensor", "decomposeCov"> {
  let summary = "How rows vary with each other";
}

def Aten_CorrcoefOp : Aten_CompositeOp<
    "aten::corrcoef(Tensor self) -> Tensor", "decomposeCorrcoef"> {
  let summary = "Correlation of rows";
}

def Aten_LcmOp : Aten_CompositeOp<
    "aten::lcm(Tensor self, Tensor other) -> Tensor", "decomposeLcm"> {
  let summary = "Least common multiple";
}

def Aten_LinspaceTensorTensorOp : Aten_CompositeOp<
    "aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Evenly spaced, between two tensors";
  let decomposition = DecomposeLinspace;
}

def Aten_LinspaceTensorScalarOp : Aten_CompositeOp<
    "aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Evenly spaced, from a tensor to a number";
  let decomposition = DecomposeLinspace;
}

def Aten_LinspaceScalarTensorOp : Aten_CompositeOp<
    "aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Evenly spaced, from a number to a tensor";
  let decomposition = DecomposeLinspace;
}

def Aten_IsAllTrueOp : Aten_CompositeOp<
    "aten::_is_all_true(Tensor self) -> Tensor"> {
  let summary = "True if all elements are";
  let decomposition = Decompose<[(call "all", $self)]>;
}

def Aten_IsAnyTrueOp : Aten_CompositeOp<
    "aten::_is_any_true(Tensor self) -> Tensor"> {
  let summary = "True if an element is";
  let decomposition = Decompose<[(call "any", $self)]>;
}

def Aten_UniqueDimConsecutiveOp : Aten_CountingCompositeOp<
    "aten::unique_dim_consecutive(Tensor self, int dim, bool "
    "return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, "
    "Tensor)", "decomposeUniqueDimConsecutive"> {
  let summary = "Slices without repetitions that lie together";
  let shape = "uniqueSlices";
}

def Aten_NonzeroNumpyOp : Aten_CountingCompositeOp<
    "aten::nonzero_numpy(Tensor self) -> Tensor[]", "decomposeNonzeroNumpy"> {
  let summary = "Indices of elements that are not zero, by dimension";
  let shape = "nonzeroPerDim";
}

def Aten_TrapezoidDxOp : Aten_CompositeOp<
    "aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor"> {
  let summary = "Area below a curve with equal steps";
  let aliases = ["trapz.dx"];
  let decomposition = DecomposeTrapezoid<"false">;
}

def Aten_TrapezoidXOp : Aten_CompositeOp<
    "aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor"> {
  let summary = "Area below a curve at given places";
  let aliases = ["trapz.x"];
  let decomposition = DecomposeTrapezoid<"false">;
}

def Aten_CumulativeTrapezoidDxOp : Aten_CompositeOp<
    "aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> "
    "Tensor"> {
  let summary = "Areas below a curve up to each point, with equal steps";
  let decomposition = DecomposeTrapezoid<"true">;
}

def Aten_CumulativeTrapezoidXOp : Aten_CompositeOp<
    "aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor"> {
  let summary = "Areas below a curve up to each point";
  let decomposition = DecomposeTrapezoid<"true">;
}

def Aten_DistOp : Aten_CompositeOp<
    "aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
    "decomposeDist"> {
  let summary = "Norm of the difference";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITEMATHOPS_TD
