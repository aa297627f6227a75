//===- AtenLossOps.td - Losses -----------------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENLOSSOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENLOSSOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def LikelihoodFamily : OpFamily<"LikelihoodArgs",
    "A negative log likelihood or its gradient.",
    ["self", "target", "weight", "reduction", "ignore_index", "grad_output",
     "total_weight"]>;

def Aten_BinaryCrossEntropyOp : Aten_PureOp<
    "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? "
    "weight=None, int reduction=1) -> Tensor"> {
  let summary = "Cross entropy of probabilities";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "loss";
  let promotion = PromoteSameDType;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (times_given (bce $self, $target), $weight), $reduction)]>;
}

def Aten_BinaryCrossEntropyBackwardOp : Aten_PureOp<
    "aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, "
    "Tensor target, Tensor? weight=None, int reduction=1) -> Tensor"> {
  let summary = "Gradient of the cross entropy of probabilities";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "lossBackwardLikeSelf";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeWide<[
      (mul (times_given (mul (shared 1, $self, $reduction), $grad_output),
                        $weight), (bce_slope $self, $target))]>;
}

def Aten_BinaryCrossEntropyWithLogitsOp : Aten_PureOp<
    "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, "
    "Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> "
    "Tensor"> {
  let summary = "Cross entropy of the sigmoid of logits";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "lossInTarget";
  let promotion = PromoteKeepFirst;
  let promotes = ["target"];
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (times_given (bce_with_logits $self, $target, $pos_weight),
                            $weight), $reduction)]>;
}

def Aten_HuberLossOp : Aten_PureOp<
    "aten::huber_loss(Tensor self, Tensor target, int reduction=1, float "
    "delta=1.) -> Tensor"> {
  let summary = "Quadratic near zero, linear beyond delta";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "loss";
  let promotion = PromoteDefault;
  let promotes = ["self", "target"];
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (huber (sub $self, $target), $delta), $reduction)]>;
}

def Aten_HuberLossBackwardOp : Aten_PureOp<
    "aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, "
    "int reduction, float delta) -> Tensor"> {
  let summary = "Gradient of the Huber loss";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "lossBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeWide<[
      (mul (mul (shared 1, $self, $reduction), $grad_output),
           (huber_slope (sub $self, $target), $delta))]>;
}

def Aten_KlDivOp : Aten_PureOp<
    "aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool "
    "log_target=False) -> Tensor"> {
  let summary = "Kullback-Leibler divergence";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "floatLoss";
  let promotion = PromoteDefault;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (divergence $self, $target, $log_target), $reduction)]>;
}

def Aten_L1LossOp : Aten_PureOp<
    "aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor"> {
  let summary = "Absolute difference";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "loss";
  let promotion = PromoteComplexToFloat;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (abs (sub $self, $target)), $reduction)]>;
}

def Aten_MseLossOp : Aten_PureOp<
    "aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor"> {
  let summary = "Squared difference";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "loss";
  let promotion = PromoteDefault;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (square (sub $self, $target)), $reduction)]>;
}

def Aten_MseLossBackwardOp : Aten_PureOp<
    "aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, "
    "int reduction) -> Tensor"> {
  let summary = "Gradient of the squared difference";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "lossBackward";
  let promotion = PromoteDefault;
  let decomposition = DecomposeWide<[
      (mul (mul (shared 2, $self, $reduction), (sub $self, $target)),
           $grad_output)]>;
}

def Aten_MultiMarginLossOp : Aten_PureOp<
    "aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar "
    "margin=1, Tensor? weight=None, int reduction=1) -> Tensor"> {
  let summary = "Multi-class hinge loss";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "multiMarginLoss";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposeMultiMarginLoss">;
}

def Aten_NllLossNdOp : Aten_PureOp<
    "aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int "
    "reduction=1, SymInt ignore_index=-100) -> Tensor"> {
  let summary = "Negative log likelihood, of any rank";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "nllLoss";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeLikelihood", [], LikelihoodFamily>;
}

def Aten_NllLoss2dForwardOp : Aten_PureOp<
    "aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int "
    "reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)"> {
  let summary = "Negative log likelihood of images, and the sum of weights";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "nllLossForward";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposeLikelihood", [], LikelihoodFamily>;
}

def Aten_NllLoss2dBackwardOp : Aten_PureOp<
    "aten::nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, "
    "Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) "
    "-> Tensor"> {
  let summary = "Gradient of the negative log likelihood of images";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "nllLossBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeLikelihoodBackward", [], LikelihoodFamily>;
}

def Aten_SmoothL1LossOp : Aten_PureOp<
    "aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float "
    "beta=1.) -> Tensor"> {
  let summary = "Quadratic below beta, absolute beyond";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "loss";
  let promotion = PromoteDefault;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (smooth_l1 (sub $self, $target), $beta), $reduction)]>;
}

def Aten_SmoothL1LossBackwardOp : Aten_PureOp<
    "aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor "
    "target, int reduction, float beta) -> Tensor"> {
  let summary = "Gradient of the smooth absolute difference";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "lossBackward";
  let promotion = PromoteDefault;
  let decomposition = DecomposeWide<[
      (mul (mul (shared 1, $self, $reduction), $grad_output),
           (smooth_l1_slope (sub $self, $target), $beta))]>;
}

def Aten_SoftMarginLossOp : Aten_PureOp<
    "aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> "
    "Tensor"> {
  let summary = "Logistic loss";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "lossInSelf";
  let promotion = PromoteDefault;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeWide<[
      (reduced (log1p (exp (mul (neg $self), $target))), $reduction)]>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENLOSSOPS_TD
