//===- AtenReductionOps.td - Sums, extrema, scans ----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def MeanFamily : OpFamily<"MeanArgs", "A mean over dimensions.",
    ["self", "dim?", "keepdim"]>;

def Aten_SumOp : Aten_PureOp<
    "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Sum of all elements";
  let shape = "reduceAll";
  let promotion = PromoteIntToI64;
  let decomposition = Decompose<[(call "sum.dim_IntList", $self, "ArrayRef<int64_t>()", "false", $dtype)]>;
  let recompute = RecomputeReduction;
}

def Aten_SumDimIntListOp : Aten_PureOp<
    "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor"> {
  let summary = "Sum over dimensions";
  let description = [{
    An empty or absent list of dimensions means all. `dtype` converts before the
    sum.
  }];
  let shape = "reduceDims";
  let promotion = PromoteIntToI64;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"Sum">;
  let writers = ["sum.IntList_out"];
  let isCore = 1;
}

def Aten_MeanOp : Aten_PureOp<
    "aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Mean of all elements";
  let shape = "reduceAll";
  let promotion = PromoteFloatOnly;
  let decomposition = DecomposeBy<"decomposeMean", [], MeanFamily>;
  let recompute = RecomputeReduction;
  let writers = ["mean.dtype_out"];
  let isCore = 1;
}

def Aten_MeanDimOp : Aten_PureOp<
    "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor"> {
  let summary = "Mean over dimensions";
  let shape = "reduceDims";
  let promotion = PromoteFloatOnly;
  let decomposition = DecomposeBy<"decomposeMean", [], MeanFamily>;
  let recompute = RecomputeReduction;
  let writers = ["mean.out"];
  let isCore = 1;
}

def Aten_ProdOp : Aten_PureOp<
    "aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Product of all elements";
  let shape = "reduceAll";
  let promotion = PromoteIntToI64;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"Prod">;
  let isCore = 1;
}

def Aten_ProdDimIntOp : Aten_PureOp<
    "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor"> {
  let summary = "Product over a dimension";
  let shape = "reduceDim";
  let promotion = PromoteIntToI64;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"Prod">;
  let writers = ["prod.int_out"];
  let isCore = 1;
}

def Aten_AmaxOp : Aten_PureOp<
    "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"> {
  let summary = "Maximum over dimensions";
  let shape = "reduceElements";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"Max">;
  let isCore = 1;
}

def Aten_AminOp : Aten_PureOp<
    "aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"> {
  let summary = "Minimum over dimensions";
  let shape = "reduceElements";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"Min">;
  let isCore = 1;
}

def Aten_MaxOp : Aten_PureOp<"aten::max(Tensor self) -> Tensor"> {
  let summary = "Maximum of all elements";
  let shape = "reduceAll";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(call "amax", $self, "ArrayRef<int64_t>()", "false")]>;
  let recompute = RecomputeReduction;
  let writers = ["max.unary_out"];
}

def Aten_MinOp : Aten_PureOp<"aten::min(Tensor self) -> Tensor"> {
  let summary = "Minimum of all elements";
  let shape = "reduceAll";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(call "amin", $self, "ArrayRef<int64_t>()", "false")]>;
  let recompute = RecomputeReduction;
  let writers = ["min.unary_out"];
}

def Aten_MaxDimOp : Aten_PureOp<
    "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor "
    "values, Tensor indices)"> {
  let summary = "Maximum over a dimension and where it is";
  let shape = "reduceDimWithIndex";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"MaxDim">;
  let isCore = 1;
}

def Aten_MinDimOp : Aten_PureOp<
    "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor "
    "values, Tensor indices)"> {
  let summary = "Minimum over a dimension and where it is";
  let shape = "reduceDimWithIndex";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"MinDim">;
  let isCore = 1;
}

def Aten_ArgmaxOp : Aten_PureOp<
    "aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"> {
  let summary = "Where the maximum is";
  let shape = "place";
  let promotion = PromoteAlwaysI64;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"ArgMax">;
  let isCore = 1;
}

def Aten_ArgminOp : Aten_PureOp<
    "aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"> {
  let summary = "Where the minimum is";
  let shape = "place";
  let promotion = PromoteAlwaysI64;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"ArgMin">;
  let isCore = 1;
}

def Aten_AnyOp : Aten_PureOp<"aten::any(Tensor self) -> Tensor"> {
  let summary = "True if an element is not zero";
  let shape = "reduceAll";
  let promotion = PromoteAnyBool;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"Any">;
  let writers = ["any.all_out"];
  let isCore = 1;
}

def Aten_AnyDimOp : Aten_PureOp<
    "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"> {
  let summary = "True if an element along a dimension is not zero";
  let shape = "reduceDim";
  let promotion = PromoteAnyBool;
  let recompute = RecomputeReduction;
  let lowering = LowerReduction<"Any">;
  let writers = ["any.out"];
  let isCore = 1;
}

def Aten_AllOp : Aten_PureOp<"aten::all(Tensor self) -> Tensor"> {
  let summary = "True if no element is zero";
  let shape = "reduceAll";
  let promotion = PromoteAnyBool;
  let decomposition = DecomposeBy<"decomposeAll">;
  let recompute = RecomputeReduction;
  let writers = ["all.all_out"];
}

def Aten_AllDimOp : Aten_PureOp<
    "aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"> {
  let summary = "True if no element along a dimension is zero";
  let shape = "reduceDim";
  let promotion = PromoteAnyBool;
  let decomposition = DecomposeBy<"decomposeAllDim">;
  let recompute = RecomputeReduction;
  let writers = ["all.out"];
}

def Aten_CumsumOp : Aten_PureOp<
    "aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Running sum along a dimension";
  let shape = "sameWithDim";
  let promotion = PromoteIntToI64;
  let recompute = RecomputeHeavy;
  let lowering = LowerRows<"lowerCumsum">;
  let isCore = 1;
}

def Aten_VarCorrectionOp : Aten_PureOp<
    "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? "
    "correction=None, bool keepdim=False) -> Tensor"> {
  let summary = "Variance over dimensions";
  let description = [{
    The divisor is the number of elements less `correction`, 1 if absent.
  }];
  let shape = "reduceDims";
  let promotion = PromoteFloatToReal;
  let decomposition = DecomposeBy<"decomposeVar">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_VarDimOp : Aten_PureOp<
    "aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
    "keepdim=False) -> Tensor"> {
  let summary = "Variance over dimensions";
  let shape = "reduceDims";
  let promotion = PromoteFloatToReal;
  let decomposition = DecomposeBy<"decomposeVarDim">;
  let recompute = RecomputeReduction;
  let writers = ["var.out"];
  let isCore = 1;
}

def Aten_StdCorrectionOp : Aten_PureOp<
    "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? "
    "correction=None, bool keepdim=False) -> Tensor"> {
  let summary = "Standard deviation over dimensions";
  let shape = "reduceDims";
  let promotion = PromoteFloatToReal;
  let decomposition = DecomposeBy<"decomposeStd">;
  let recompute = RecomputeReduction;
}

def Aten_VarMeanCorrectionOp : Aten_PureOp<
    "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? "
    "correction=None, bool keepdim=False) -> (Tensor, Tensor)"> {
  let summary = "Variance and mean over dimensions";
  let shape = "reduceDimsTwice";
  let promotion = PromoteFloatToReal;
  let decomposition = DecomposeBy<"decomposeVarMean">;
  let recompute = RecomputeReduction;
}

def Aten_LinalgVectorNormOp : Aten_PureOp<
    "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, "
    "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Norm of vectors over dimensions";
  let shape = "reduceDims";
  let promotion = PromoteFloatToReal;
  let decomposition = DecomposeBy<"decomposeVectorNorm">;
  let recompute = RecomputeReduction;
}

def Aten_LogcumsumexpOp : Aten_PureOp<
    "aten::logcumsumexp(Tensor self, int dim) -> Tensor"> {
  let summary = "Logarithm of the running sum of exponentials";
  let aliases = ["_logcumsumexp"];
  let shape = "sameWithDim";
  let promotion = PromoteDefault;
  let lowering = LowerRows<"lowerLogcumsumexp">;
}

def Aten_CumprodOp : Aten_PureOp<
    "aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> "
    "Tensor"> {
  let summary = "Running product";
  let shape = "sameWithDim";
  let promotion = PromoteIntToI64;
  let lowering = LowerRows<"lowerCumprod">;
}

def Aten_CummaxOp : Aten_PureOp<
    "aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"> {
  let summary = "Running maximum, and where it was";
  let shape = "scanWithIndex";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerCummax">;
}

def Aten_CumminOp : Aten_PureOp<
    "aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)"> {
  let summary = "Running minimum, and where it was";
  let shape = "scanWithIndex";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerCummin">;
}

def Aten_LogsumexpOp : Aten_PureOp<
    "aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor"> {
  let summary = "Logarithm of the sum of exponentials";
  let aliases = ["special_logsumexp"];
  let shape = "reduceDims";
  let promotion = PromoteIntToFloat;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[(log_sum_exp $self, $dim, $keepdim)]>;
}

def Aten_AllDimsOp : Aten_PureOp<
    "aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> "
    "Tensor"> {
  let summary = "All elements along dimensions are not zero";
  let shape = "reduceGivenDims";
  let promotion = PromoteAnyBool;
  let decomposition = Decompose<[
      (logical_not (call "any.dims", (logical_not $self), $dim, $keepdim))]>;
}

def Aten_AnyDimsOp : Aten_PureOp<
    "aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> "
    "Tensor"> {
  let summary = "Some element along dimensions is not zero";
  let shape = "reduceGivenDims";
  let promotion = PromoteAnyBool;
  let decomposition = DecomposeBy<"decomposeAnyDims">;
  let lowering = LowerReduction<"Any">;
}

def Aten_AminmaxOp : Aten_PureOp<
    "aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> "
    "(Tensor min, Tensor max)"> {
  let summary = "Least and greatest element";
  let shape = "aminmax";
  let promotion = PromoteNoOpmath;
  let decomposition = Decompose<[
      (extremum "false", $self, $dim, $keepdim),
      (extremum "true", $self, $dim, $keepdim)]>;
}

def Aten_CountNonzeroOp : Aten_PureOp<
    "aten::count_nonzero(Tensor self, int? dim=None) -> Tensor"> {
  let summary = "Number of elements that are not zero";
  let shape = "reduceOptionalDim";
  let promotion = PromoteAlwaysI64;
  let decomposition = Decompose<[(count_nonzero $self, $dim)]>;
}

def Aten_NansumOp : Aten_PureOp<
    "aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor"> {
  let summary = "Sum without NaN";
  let shape = "reduceDims";
  let promotion = PromoteIntToI64;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[
      (call "sum.dim_IntList", (without_nan $self), $dim, $keepdim, $dtype)]>;
}

def Aten_LinalgPowsumOp : Aten_CompositeOp<
    "aten::linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool "
    "keepdim=False, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Sum of powers of magnitudes";
  let decomposition = Decompose<[
      (call "sum.dim_IntList",
       (call "pow.Tensor_Scalar", (abs (call "_to_copy", $self, $dtype)),
        "c.numberOr(op.getOrd(), 2)"),
       $dim, $keepdim)]>;
}

def Aten_NormScalarOp : Aten_PureOp<
    "aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor"> {
  let summary = "Norm of all elements";
  let shape = "reduceAll";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[(vector_norm $self, $p, "{}", "false")]>;
}

def Aten_NormScalarOptDimOp : Aten_PureOp<
    "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool "
    "keepdim=False) -> Tensor"> {
  let summary = "Norm over dimensions";
  let shape = "reduceDims";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[(vector_norm $self, $p, $dim, $keepdim)]>;
  let writers = ["norm.out"];
}

def Aten_StdOp : Aten_PureOp<
    "aten::std(Tensor self, bool unbiased=True) -> Tensor"> {
  let summary = "Standard deviation of all elements";
  let shape = "reduceAll";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[
      (call "std.correction", $self, "nullptr", (correction $unbiased),
            "false")]>;
}

def Aten_StdDimOp : Aten_PureOp<
    "aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
    "keepdim=False) -> Tensor"> {
  let summary = "Standard deviation over dimensions";
  let shape = "reduceDims";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[
      (call "std.correction", $self, $dim, (correction $unbiased), $keepdim)]>;
  let writers = ["std.out"];
}

def Aten_StdMeanCorrectionOp : Aten_PureOp<
    "aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? "
    "correction=None, bool keepdim=False) -> (Tensor, Tensor)"> {
  let summary = "Standard deviation and mean over dimensions";
  let shape = "reduceDimsTwice";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposeStdMean">;
}

def Aten_VarOp : Aten_PureOp<
    "aten::var(Tensor self, bool unbiased=True) -> Tensor"> {
  let summary = "Variance of all elements";
  let shape = "reduceAll";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[
      (call "var.correction", $self, "nullptr", (correction $unbiased),
            "false")]>;
}

def Aten_VarMeanDimOp : Aten_PureOp<
    "aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
    "keepdim=False) -> (Tensor, Tensor)"> {
  let summary = "Variance and mean over dimensions";
  let shape = "reduceDimsTwice";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposeVarMeanDim">;
}

def Aten_TraceOp : Aten_PureOp<"aten::trace(Tensor self) -> Tensor"> {
  let summary = "Sum of the diagonal";
  let shape = "reduceAll";
  let promotion = PromoteIntToI64;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[(trace $self)]>;
}

def Aten_MedianDimOp : Aten_PureOp<
    "aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor "
    "values, Tensor indices)"> {
  let summary = "Median, the lower of two, and where it was";
  let shape = "reduceDimWithIndex";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerMedian">;
}

def Aten_ModeOp : Aten_PureOp<
    "aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor "
    "values, Tensor indices)"> {
  let summary = "Most frequent element, and where it was";
  let shape = "reduceDimWithIndex";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerMode">;
}

def Aten_KthvalueOp : Aten_PureOp<
    "aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> "
    "(Tensor values, Tensor indices)"> {
  let summary = "k-th least element, and where it was";
  let shape = "reduceDimWithIndex";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerKthValue">;
}

#endif // KILN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD
