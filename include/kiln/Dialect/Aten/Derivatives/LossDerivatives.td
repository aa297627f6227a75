//===- LossDerivatives.td - Losses -------------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_LOSSDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_LOSSDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

def bce_target_grad : GradientHelper;
def : VJP<Aten_BinaryCrossEntropyOp, [
    Grad<"self", (call "binary_cross_entropy_backward", $grad, $self, $target,
         $weight, $reduction)>,
    Grad<"target", (bce_target_grad $grad, $self, $target, $weight,
         $reduction)>]>;
def : VJPFunction<"vjpBceWithLogits", [Aten_BinaryCrossEntropyWithLogitsOp]>;
def : VJP<Aten_HuberLossOp, [
    Grad<"self", (call "huber_loss_backward", $grad, $self, $target, $reduction,
         $delta)>,
    Grad<"target", (call "huber_loss_backward", $grad, $target, $self,
         $reduction, $delta)>]>;
def : VJP<Aten_MseLossOp, [
    Grad<"self", (call "mse_loss_backward", $grad, $self, $target, $reduction)>,
    Grad<"target", (call "mse_loss_backward", $grad, $target, $self,
         $reduction)>]>;
def : VJP<Aten_SmoothL1LossOp, [
    Grad<"self", (call "smooth_l1_loss_backward", $grad, $self, $target,
         $reduction, $beta)>,
    Grad<"target", (call "smooth_l1_loss_backward", $grad, $target, $self,
         $reduction, $beta)>]>;
def share_loss : GradientHelper; // the gradient of each element's loss
def : ComplexVJP<Aten_L1LossOp, [
    Grad<"self", (mul (share_loss $grad, $self, $target, $reduction),
                      (sgn (sub $self, $target)))>,
    Grad<"target", (mul (share_loss $grad, $self, $target, $reduction),
                        (sgn (sub $target, $self)))>]>;
def soft_margin_grad : GradientHelper;
def : VJP<Aten_SoftMarginLossOp, [
    Grad<"self", (soft_margin_grad (share_loss $grad, $self, $target,
                                               $reduction), $self, $target)>]>;
def : VJPFunction<"vjpKlDiv", [Aten_KlDivOp]>;
def : VJPFunction<"vjpMultiMarginLoss", [Aten_MultiMarginLossOp]>;
def : VJP<Aten_NllLossForwardOp, [
    Grad<"self", (call "nll_loss_backward", $grad, $self, $target, $weight,
         $reduction, $ignore_index, $result_1)>]>;
def : VJP<Aten_NllLoss2dForwardOp, [
    Grad<"self", (call "nll_loss2d_backward", $grad, $self, $target, $weight,
                     $reduction, $ignore_index, $result_1)>]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_LOSSDERIVATIVES_TD
