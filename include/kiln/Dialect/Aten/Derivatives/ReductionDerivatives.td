//===- ReductionDerivatives.td - Reductions, scans ---------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_REDUCTIONDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_REDUCTIONDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

def : ComplexVJP<Aten_SumOp, [Grad<"self", (unreduce $grad, $self)>]>;
def : ComplexVJP<Aten_SumDimIntListOp, [
    Grad<"self", (unreduce $grad, $self, $dim, $keepdim)>]>;
def not_nan : GradientHelper;
def : VJP<Aten_NansumOp, [
    Grad<"self", (mul (unreduce $grad, $self, $dim, $keepdim),
                      (not_nan $self))>]>;
def : ComplexVJP<Aten_MeanOp, [
    Grad<"self", (mean_of (unreduce $grad, $self), $self, $result)>]>;
def : ComplexVJP<Aten_MeanDimOp, [
    Grad<"self", (mean_of (unreduce $grad, $self, $dim, $keepdim), $self,
                          $result)>]>;
def : ComplexVJPFunction<"vjpProd", [Aten_ProdOp]>;
def : ComplexVJPFunction<"vjpProdDim", [Aten_ProdDimIntOp]>;
def trace_grad : GradientHelper;
def : ComplexVJP<Aten_TraceOp, [Grad<"self", (trace_grad $grad, $self)>]>;

// The gradient is shared among all elements that are the extremum.
def share : GradientHelper;
foreach rule = [Aten_AmaxOp, Aten_AminOp] in
  def : VJP<rule, [
      Grad<"self", (share $grad, $self, $result, $dim, $keepdim)>]>;
def : VJPFunction<"vjpAminmax", [Aten_AminmaxOp]>;
// The same; if the extremum is NaN, among all NaN.
def share_all : GradientHelper;
foreach rule = [Aten_MaxOp, Aten_MinOp] in
  def : VJP<rule, [Grad<"self", (share_all $grad, $self, $result)>]>;

// The gradient goes where the value came from.
def at_index : GradientHelper;
foreach rule = [Aten_MaxDimOp, Aten_MinDimOp, Aten_MedianDimOp, Aten_ModeOp,
                Aten_KthvalueOp] in
  def : VJP<rule, [
      Grad<"self", (at_index $grad, $self, $result_1, $dim, $keepdim)>]>;
foreach rule = [Aten_SortOp, Aten_SortStableOp, Aten_TopkOp] in
  def : VJP<rule, [
      Grad<"self", (at_index $grad, $self, $result_1, $dim, "true")>]>;
def add_at_index : GradientHelper;
foreach rule = [Aten_CummaxOp, Aten_CumminOp] in
  def : VJP<rule, [
      Grad<"self", (add_at_index $grad, $self, $result_1, $dim)>]>;

def reverse_cumsum : GradientHelper;
def : ComplexVJP<Aten_CumsumOp, [
    Grad<"self", (reverse_cumsum (cast_like $grad, $self), $dim)>]>;
def : ComplexVJPFunction<"vjpCumprod", [Aten_CumprodOp]>;
def : VJPFunction<"vjpLogcumsumexp", [Aten_LogcumsumexpOp]>;
def logsumexp_grad : GradientHelper;
def : VJP<Aten_LogsumexpOp, [
    Grad<"self", (logsumexp_grad $grad, $self, $result, $dim, $keepdim)>]>;

//===----------------------------------------------------------------------===//
// Variances and norms
//===----------------------------------------------------------------------===//

def var_grad : GradientHelper;
def var_grad_unbiased : GradientHelper;
def std_grad : GradientHelper; // the gradient of the variance under a root
def : ComplexVJP<Aten_VarCorrectionOp, [
    Grad<"self", (var_grad $grad, $self, $dim, $keepdim, $correction)>]>;
def : ComplexVJP<Aten_VarDimOp, [
    Grad<"self", (var_grad_unbiased $grad, $self, $dim, $keepdim,
                                    $unbiased)>]>;
def : ComplexVJP<Aten_VarOp, [
    Grad<"self", (var_grad_unbiased $grad, $self, "std::nullopt", "false",
                                    $unbiased)>]>;
def : ComplexVJP<Aten_StdCorrectionOp, [
    Grad<"self", (var_grad (std_grad $grad, $result), $self, $dim, $keepdim,
                           $correction)>]>;
def : ComplexVJP<Aten_StdDimOp, [
    Grad<"self", (var_grad_unbiased (std_grad $grad, $result), $self, $dim,
                                    $keepdim, $unbiased)>]>;
def : ComplexVJP<Aten_StdOp, [
    Grad<"self", (var_grad_unbiased (std_grad $grad, $result), $self,
                                    "std::nullopt", "false", $unbiased)>]>;
def : ComplexVJPFunction<"vjpVarMean", [Aten_VarMeanCorrectionOp]>;
def : ComplexVJPFunction<"vjpVarMeanDim", [Aten_VarMeanDimOp]>;
def : ComplexVJPFunction<"vjpStdMean", [Aten_StdMeanCorrectionOp]>;
def : ComplexVJPFunction<"vjpVectorNorm", [Aten_LinalgVectorNormOp]>;
def : ComplexVJPFunction<"vjpNorm", [Aten_NormScalarOp]>;
def : ComplexVJPFunction<"vjpNormDim", [Aten_NormScalarOptDimOp]>;
def : VJPFunction<"vjpCosineSimilarity", [Aten_CosineSimilarityOp]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_REDUCTIONDERIVATIVES_TD
