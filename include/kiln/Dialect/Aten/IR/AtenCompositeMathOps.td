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

def Aten_Deg2radOp : Aten_CompositeOp<"deg2rad",
    "aten::deg2rad(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeDeg2rad"> {
  let summary = "Degrees as radians";
}

def Aten_Rad2degOp : Aten_CompositeOp<"rad2deg",
    "aten::rad2deg(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeRad2deg"> {
  let summary = "Radians as degrees";
}

def Aten_IscloseOp : Aten_CompositeOp<"isclose",
    "aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float "
    "atol=1e-08, bool equal_nan=False) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other, Aten_Float:$rtol,
         Aten_Float:$atol, Aten_Bool:$equal_nan),
    (outs Aten_Tensor:$result), "decomposeIsclose"> {
  let summary = "True where two are equal within a tolerance";
}

def Aten_IsrealOp : Aten_CompositeOp<"isreal",
    "aten::isreal(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeIsreal"> {
  let summary = "True where the imaginary part is zero";
}

def Aten_IsinTensorTensorOp : Aten_CompositeOp<"isin.Tensor_Tensor",
    "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool "
    "assume_unique=False, bool invert=False) -> Tensor",
    (ins Aten_Tensor:$elements, Aten_Tensor:$test_elements,
         Aten_Bool:$assume_unique, Aten_Bool:$invert),
    (outs Aten_Tensor:$result), "decomposeIsinTensorTensor"> {
  let summary = "True where an element is among others";
}

def Aten_IsinTensorScalarOp : Aten_CompositeOp<"isin.Tensor_Scalar",
    "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool "
    "assume_unique=False, bool invert=False) -> Tensor",
    (ins Aten_Tensor:$elements, Aten_Number:$test_element,
         Aten_Bool:$assume_unique, Aten_Bool:$invert),
    (outs Aten_Tensor:$result), "decomposeIsinTensorScalar"> {
  let summary = "True where an element is a number";
}

def Aten_IsinScalarTensorOp : Aten_CompositeOp<"isin.Scalar_Tensor",
    "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool "
    "assume_unique=False, bool invert=False) -> Tensor",
    (ins Aten_Number:$element, Aten_Tensor:$test_elements,
         Aten_Bool:$assume_unique, Aten_Bool:$invert),
    (outs Aten_Tensor:$result), "decomposeIsinScalarTensor"> {
  let summary = "True if a number is among elements";
}

def Aten_RoundDecimalsOp : Aten_CompositeOp<"round.decimals",
    "aten::round.decimals(Tensor self, *, int decimals) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$decimals),
    (outs Aten_Tensor:$result), "decomposeRoundDecimals"> {
  let summary = "Round to a number of decimals";
}

def Aten_SpecialRoundOp : Aten_CompositeOp<"special_round",
    "aten::special_round(Tensor self, *, int decimals=0) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$decimals),
    (outs Aten_Tensor:$result), "decomposeSpecialRound"> {
  let summary = "Round to a number of decimals";
}

def Aten_Logaddexp2Op : Aten_CompositeOp<"logaddexp2",
    "aten::logaddexp2(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeLogaddexp2"> {
  let summary = "log2(2^self + 2^other)";
}

def Aten_MvlgammaOp : Aten_CompositeOp<"mvlgamma",
    "aten::mvlgamma(Tensor self, int p) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$p),
    (outs Aten_Tensor:$result), "decomposeMvlgamma"> {
  let summary = "Logarithm of the multivariate gamma function";
}

def Aten_SpecialNdtrOp : Aten_CompositeOp<"special_ndtr",
    "aten::special_ndtr(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeSpecialNdtr"> {
  let summary = "Area below the normal curve";
}

def Aten_FloatPowerTensorTensorOp
    : Aten_CompositeOp<"float_power.Tensor_Tensor",
    "aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$exponent),
    (outs Aten_Tensor:$result), "decomposeFloatPowerTensorTensor"> {
  let summary = "Power in f64";
  let writers = ["float_power_.Tensor"];
}

def Aten_FloatPowerTensorScalarOp
    : Aten_CompositeOp<"float_power.Tensor_Scalar",
    "aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$exponent),
    (outs Aten_Tensor:$result), "decomposeFloatPowerTensorScalar"> {
  let summary = "Power in f64 with a number as exponent";
  let writers = ["float_power_.Scalar"];
}

def Aten_FloatPowerScalarOp : Aten_CompositeOp<"float_power.Scalar",
    "aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$exponent),
    (outs Aten_Tensor:$result), "decomposeFloatPowerScalar"> {
  let summary = "Power in f64 of a number";
}

def Aten_XlogyScalarOtherOp : Aten_CompositeOp<"xlogy.Scalar_Other",
    "aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result), "decomposeXlogyScalarOther"> {
  let summary = "self * log(number), 0 where self is 0";
  let writers = ["xlogy.OutScalar_Other"];
}

def Aten_XlogyScalarSelfOp : Aten_CompositeOp<"xlogy.Scalar_Self",
    "aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeXlogyScalarSelf"> {
  let summary = "number * log(other)";
  let writers = ["xlogy.OutScalar_Self"];
}

def Aten_RemainderScalarTensorOp : Aten_CompositeOp<"remainder.Scalar_Tensor",
    "aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeRemainderScalarTensor"> {
  let summary = "Remainder of a number";
}

def Aten_BitwiseAndScalarTensorOp
    : Aten_CompositeOp<"bitwise_and.Scalar_Tensor",
    "aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeBitwiseAndScalarTensor"> {
  let summary = "Bitwise and with a number on the left";
}

def Aten_BitwiseOrScalarTensorOp : Aten_CompositeOp<"bitwise_or.Scalar_Tensor",
    "aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeBitwiseOrScalarTensor"> {
  let summary = "Bitwise or with a number on the left";
}

def Aten_BitwiseXorScalarTensorOp
    : Aten_CompositeOp<"bitwise_xor.Scalar_Tensor",
    "aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeBitwiseXorScalarTensor"> {
  let summary = "Bitwise exclusive or with a number on the left";
}

def Aten_BitwiseLeftShiftScalarTensorOp
    : Aten_CompositeOp<"bitwise_left_shift.Scalar_Tensor",
    "aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> "
    "Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeBitwiseLeftShiftScalarTensor"> {
  let summary = "Shift a number left";
}

def Aten_BitwiseRightShiftScalarTensorOp
    : Aten_CompositeOp<"bitwise_right_shift.Scalar_Tensor",
    "aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> "
    "Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeBitwiseRightShiftScalarTensor"> {
  let summary = "Shift a number right";
}

def Aten_BitwiseLeftShiftTensorScalarOp
    : Aten_CompositeOp<"bitwise_left_shift.Tensor_Scalar",
    "aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result), "decomposeBitwiseLeftShiftTensorScalar"> {
  let summary = "Shift left by a number";
}

def Aten_BitwiseRightShiftTensorScalarOp
    : Aten_CompositeOp<"bitwise_right_shift.Tensor_Scalar",
    "aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$other),
    (outs Aten_Tensor:$result), "decomposeBitwiseRightShiftTensorScalar"> {
  let summary = "Shift right by a number";
}

def Aten_BucketizeScalarOp : Aten_CompositeOp<"bucketize.Scalar",
    "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool "
    "out_int32=False, bool right=False) -> Tensor",
    (ins Aten_Number:$self, Aten_Tensor:$boundaries, Aten_Bool:$out_int32,
         Aten_Bool:$right),
    (outs Aten_Tensor:$result), "decomposeBucketizeScalar"> {
  let summary = "Index of the bucket of a number";
}

def Aten_SearchsortedScalarOp : Aten_CompositeOp<"searchsorted.Scalar",
    "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool "
    "out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) "
    "-> Tensor",
    (ins Aten_Tensor:$sorted_sequence, Aten_Number:$self, Aten_Bool:$out_int32,
         Aten_Bool:$right, OptionalAttr<Aten_Str>:$side,
         Optional<Aten_Tensor>:$sorter),
    (outs Aten_Tensor:$result), "decomposeSearchsortedScalar"> {
  let summary = "Index at which a number would be inserted";
}

def Aten_CountNonzeroDimIntListOp
    : Aten_CompositeOp<"count_nonzero.dim_IntList",
    "aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$dim),
    (outs Aten_Tensor:$result), "decomposeCountNonzeroDimIntList"> {
  let summary = "Number of elements that are not zero, over dimensions";
}

def Aten_StdMeanOp : Aten_CompositeOp<"std_mean",
    "aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
    (ins Aten_Tensor:$self, Aten_Bool:$unbiased),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1), "decomposeStdMean"> {
  let summary = "Standard deviation and mean of all elements";
}

def Aten_StdMeanDimOp : Aten_CompositeOp<"std_mean.dim",
    "aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
    "keepdim=False) -> (Tensor, Tensor)",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_Ints>:$dim, Aten_Bool:$unbiased,
         Aten_Bool:$keepdim),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1), "decomposeStdMeanDim"> {
  let summary = "Standard deviation and mean over dimensions";
}

def Aten_VarMeanOp : Aten_CompositeOp<"var_mean",
    "aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
    (ins Aten_Tensor:$self, Aten_Bool:$unbiased),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1), "decomposeVarMean"> {
  let summary = "Variance and mean of all elements";
}

def Aten_NanmeanOp : Aten_CompositeOp<"nanmean",
    "aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_Ints>:$dim, Aten_Bool:$keepdim,
         OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result), "decomposeNanmean"> {
  let summary = "Mean of the elements that are numbers";
}

def Aten_MedianOp : Aten_CompositeOp<"median",
    "aten::median(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeMedian"> {
  let summary = "The lower of the middle elements";
}

def Aten_QuantileOp : Aten_CompositeOp<"quantile",
    "aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, "
    "*, str interpolation=\"linear\") -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$q, OptionalAttr<Aten_Int>:$dim,
         Aten_Bool:$keepdim, Aten_Str:$interpolation),
    (outs Aten_Tensor:$result), "decomposeQuantile"> {
  let summary = "Values at shares of the way through sorted elements";
}

def Aten_QuantileScalarOp : Aten_CompositeOp<"quantile.scalar",
    "aten::quantile.scalar(Tensor self, float q, int? dim=None, bool "
    "keepdim=False, *, str interpolation=\"linear\") -> Tensor",
    (ins Aten_Tensor:$self, Aten_Float:$q, OptionalAttr<Aten_Int>:$dim,
         Aten_Bool:$keepdim, Aten_Str:$interpolation),
    (outs Aten_Tensor:$result), "decomposeQuantileScalar"> {
  let summary = "Value at a share of the way through sorted elements";
}

def Aten_NanquantileOp : Aten_CompositeOp<"nanquantile",
    "aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool "
    "keepdim=False, *, str interpolation=\"linear\") -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$q, OptionalAttr<Aten_Int>:$dim,
         Aten_Bool:$keepdim, Aten_Str:$interpolation),
    (outs Aten_Tensor:$result), "decomposeNanquantile"> {
  let summary = "Quantiles of the elements that are numbers";
}

def Aten_NanquantileScalarOp : Aten_CompositeOp<"nanquantile.scalar",
    "aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool "
    "keepdim=False, *, str interpolation=\"linear\") -> Tensor",
    (ins Aten_Tensor:$self, Aten_Float:$q, OptionalAttr<Aten_Int>:$dim,
         Aten_Bool:$keepdim, Aten_Str:$interpolation),
    (outs Aten_Tensor:$result), "decomposeNanquantileScalar"> {
  let summary = "Quantile of the elements that are numbers";
}

def Aten_NanmedianOp : Aten_CompositeOp<"nanmedian",
    "aten::nanmedian(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeNanmedian"> {
  let summary = "Median of the elements that are numbers";
}

def Aten_NanmedianDimOp : Aten_CompositeOp<"nanmedian.dim",
    "aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor "
    "values, Tensor indices)",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_Bool:$keepdim),
    (outs Aten_Tensor:$values, Aten_Tensor:$indices), "decomposeNanmedianDim"> {
  let summary = "Medians of the elements that are numbers, and where they are";
}

def Aten_CovOp : Aten_CompositeOp<"cov",
    "aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, "
    "Tensor? aweights=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$correction,
         Optional<Aten_Tensor>:$fweights, Optional<Aten_Tensor>:$aweights),
    (outs Aten_Tensor:$result), "decomposeCov"> {
  let summary = "How rows vary with each other";
}

def Aten_CorrcoefOp : Aten_CompositeOp<"corrcoef",
    "aten::corrcoef(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeCorrcoef"> {
  let summary = "Correlation of rows";
}

def Aten_LcmOp : Aten_CompositeOp<"lcm",
    "aten::lcm(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeLcm"> {
  let summary = "Least common multiple";
}

def Aten_LinspaceTensorTensorOp : Aten_CompositeOp<"linspace.Tensor_Tensor",
    "aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor",
    (ins Aten_Tensor:$start, Aten_Tensor:$end, Aten_Int:$steps,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeLinspaceTensorTensor"> {
  let summary = "Evenly spaced, between two tensors";
}

def Aten_LinspaceTensorScalarOp : Aten_CompositeOp<"linspace.Tensor_Scalar",
    "aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor",
    (ins Aten_Tensor:$start, Aten_Number:$end, Aten_Int:$steps,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeLinspaceTensorScalar"> {
  let summary = "Evenly spaced, from a tensor to a number";
}

def Aten_LinspaceScalarTensorOp : Aten_CompositeOp<"linspace.Scalar_Tensor",
    "aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor",
    (ins Aten_Number:$start, Aten_Tensor:$end, Aten_Int:$steps,
         OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
         OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeLinspaceScalarTensor"> {
  let summary = "Evenly spaced, from a number to a tensor";
}

def Aten_IsAllTrueOp : Aten_CompositeOp<"_is_all_true",
    "aten::_is_all_true(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeIsAllTrue"> {
  let summary = "True if all elements are";
}

def Aten_IsAnyTrueOp : Aten_CompositeOp<"_is_any_true",
    "aten::_is_any_true(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeIsAnyTrue"> {
  let summary = "True if an element is";
}

def Aten_UniqueDimConsecutiveOp
    : Aten_CountingCompositeOp<"unique_dim_consecutive",
    "aten::unique_dim_consecutive(Tensor self, int dim, bool "
    "return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, "
    "Tensor)",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_Bool:$return_inverse,
         Aten_Bool:$return_counts),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2),
    "decomposeUniqueDimConsecutive"> {
  let summary = "Slices without repetitions that lie together";
  let shape = "unique";
}

def Aten_NonzeroNumpyOp : Aten_CountingCompositeOp<"nonzero_numpy",
    "aten::nonzero_numpy(Tensor self) -> Tensor[]",
    (ins Aten_Tensor:$self),
    (outs Variadic<Aten_Tensor>:$result), "decomposeNonzeroNumpy"> {
  let summary = "Indices of elements that are not zero, by dimension";
  let shape = "nonzeroPerDim";
}

def Aten_TrapezoidDxOp : Aten_CompositeOp<"trapezoid.dx",
    "aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
    (ins Aten_Tensor:$y, Optional<Aten_Number>:$dx, Aten_Int:$dim),
    (outs Aten_Tensor:$result), "decomposeTrapezoidDx"> {
  let summary = "Area below a curve with equal steps";
}

def Aten_TrapezoidXOp : Aten_CompositeOp<"trapezoid.x",
    "aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
    (ins Aten_Tensor:$y, Aten_Tensor:$x, Aten_Int:$dim),
    (outs Aten_Tensor:$result), "decomposeTrapezoidX"> {
  let summary = "Area below a curve at given places";
}

def Aten_CumulativeTrapezoidDxOp : Aten_CompositeOp<"cumulative_trapezoid.dx",
    "aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> "
    "Tensor",
    (ins Aten_Tensor:$y, Optional<Aten_Number>:$dx, Aten_Int:$dim),
    (outs Aten_Tensor:$result), "decomposeCumulativeTrapezoidDx"> {
  let summary = "Areas below a curve up to each point, with equal steps";
}

def Aten_CumulativeTrapezoidXOp : Aten_CompositeOp<"cumulative_trapezoid.x",
    "aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
    (ins Aten_Tensor:$y, Aten_Tensor:$x, Aten_Int:$dim),
    (outs Aten_Tensor:$result), "decomposeCumulativeTrapezoidX"> {
  let summary = "Areas below a curve up to each point";
}

def Aten_DistOp : Aten_CompositeOp<"dist",
    "aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other, Optional<Aten_Number>:$p),
    (outs Aten_Tensor:$result), "decomposeDist"> {
  let summary = "Norm of the difference";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITEMATHOPS_TD
