//===- NormalizationDerivatives.td - Norms, softmax --------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_NORMALIZATIONDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_NORMALIZATIONDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

def softmax_backward_data : BuilderMethod;
def log_softmax_backward_data : BuilderMethod;
def element_type_of : BuilderMethod;
def : VJP<Aten_SoftmaxOp, [
    Grad<"self", (softmax_backward_data $grad, $result, $dim,
                                        (element_type_of $self))>]>;
def : VJP<Aten_LogSoftmaxOp, [
    Grad<"self", (log_softmax_backward_data $grad, $result, $dim,
                                            (element_type_of $self))>]>;
def : VJP<Aten_SoftmaxIntOp, [
    Grad<"self", (softmax_backward_data $grad, $result, $dim,
                                        (element_type_of $result))>]>;
def : VJP<Aten_LogSoftmaxIntOp, [
    Grad<"self", (log_softmax_backward_data $grad, $result, $dim,
                                            (element_type_of $result))>]>;
// Only the first result of a norm is differentiable, as in PyTorch.
def : VJPFunction<"vjpLayerNorm", [Aten_NativeLayerNormOp]>;
def : VJPFunction<"vjpGroupNorm", [Aten_NativeGroupNormOp]>;
def : VJPFunction<"vjpRmsNorm", [Aten_FusedRmsNormOp]>;
def : VJPFunction<"vjpBatchNorm", [
    Aten_NativeBatchNormOp, Aten_NativeBatchNormLegitNoStatsOp,
    Aten_NativeBatchNormLegitFunctionalOp,
    Aten_NativeBatchNormLegitNoTrainingOp]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_NORMALIZATIONDERIVATIVES_TD
