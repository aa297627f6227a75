//===- StopGradients.td - Where gradients stop -------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_STOPGRADIENTS_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_STOPGRADIENTS_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

def : StopGradient<"its result is detached", [Aten_DetachOp]>;
def : StopGradient<"its result is boolean", [
    Aten_EqScalarOp, Aten_EqTensorOp, Aten_NeScalarOp, Aten_NeTensorOp,
    Aten_LtScalarOp, Aten_LtTensorOp, Aten_LeScalarOp, Aten_LeTensorOp,
    Aten_GtScalarOp, Aten_GtTensorOp, Aten_GeScalarOp, Aten_GeTensorOp,
    Aten_LogicalNotOp, Aten_LogicalAndOp, Aten_LogicalOrOp, Aten_LogicalXorOp,
    Aten_IsinfOp, Aten_IsfiniteOp, Aten_IsneginfOp, Aten_IsposinfOp,
    Aten_IsnanOp, Aten_AnyOp, Aten_AnyDimOp, Aten_AllOp, Aten_AllDimOp]>;
def : StopGradient<"its result is an integer", [
    Aten_ArgmaxOp, Aten_ArgminOp, Aten_BitwiseNotOp, Aten_BitwiseAndTensorOp,
    Aten_BitwiseOrTensorOp, Aten_BitwiseXorTensorOp]>;
def : StopGradient<"its derivative is zero wherever it exists",
    [Aten_FloorDivideOp, Aten_FloorDivideScalarOp]>;
def : StopGradient<"its result does not depend on the elements", [
    Aten_ZerosOp, Aten_OnesOp, Aten_EmptyMemoryFormatOp,
    Aten_EmptyPermutedOp, Aten_RandOp, Aten_RandnOp, Aten_FullOp,
    Aten_ZerosLikeOp, Aten_OnesLikeOp, Aten_EmptyLikeOp, Aten_FullLikeOp,
    Aten_RandLikeOp, Aten_RandnLikeOp, Aten_NewZerosOp, Aten_NewOnesOp,
    Aten_NewFullOp, Aten_ScalarTensorOp, Aten_ArangeOp, Aten_ArangeStartOp,
    Aten_ArangeStartStepOp, Aten_LinspaceOp, Aten_LogspaceOp, Aten_EyeOp,
    Aten_EmptyStridedOp, Aten_NewEmptyOp, Aten_NewEmptyStridedOp,
    Aten_RandintOp, Aten_RandintLowOp, Aten_RandintLikeOp, Aten_RandpermOp,
    Aten_WhereScalarOp,
    Aten_AssertTensorMetadataOp]>;
def : StopGradient<"a number carries no gradient", [Aten_ItemOp]>;
def : NoDerivative<"has no derivative in PyTorch either", [
    Aten_HeavisideOp, Aten_HistcOp, Aten_ScatterReduceOp, Aten_ViewDtypeOp]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_STOPGRADIENTS_TD
