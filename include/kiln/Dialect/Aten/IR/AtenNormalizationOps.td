//===- AtenNormalizationOps.td - Softmax, norms, dropout, loss ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENNORMALIZATIONOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENNORMALIZATIONOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_SoftmaxOp : Aten_PureOp<
    "aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"> {
  let summary = "Softmax along a dimension";
  let description = [{
    `half_to_float` computes an f16 input to f32.
  }];
  let shape = "softmax";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeSoftmax">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_LogSoftmaxOp : Aten_PureOp<
    "aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"> {
  let summary = "Logarithm of softmax along a dimension";
  let shape = "softmax";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeLogSoftmax">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_SoftmaxIntOp : Aten_PureOp<
    "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> "
    "Tensor"> {
  let summary = "Softmax along a dimension";
  let aliases = ["special_softmax"];
  let shape = "sameWithDim";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeSoftmaxInt">;
  let recompute = RecomputeReduction;
}

def Aten_LogSoftmaxIntOp : Aten_PureOp<
    "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> "
    "Tensor"> {
  let summary = "Logarithm of softmax along a dimension";
  let aliases = ["special_log_softmax"];
  let shape = "sameWithDim";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeLogSoftmaxInt">;
  let recompute = RecomputeReduction;
}

def Aten_SoftmaxBackwardDataOp : Aten_PureOp<
    "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, "
    "ScalarType input_dtype) -> Tensor"> {
  let summary = "Gradient of softmax";
  let shape = "softmaxBackward";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeSoftmaxBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_LogSoftmaxBackwardDataOp : Aten_PureOp<
    "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int "
    "dim, ScalarType input_dtype) -> Tensor"> {
  let summary = "Gradient of log_softmax";
  let shape = "softmaxBackward";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeLogSoftmaxBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_LayerNormOp : Aten_PureOp<
    "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? "
    "weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool "
    "cudnn_enable=True) -> Tensor"> {
  let summary = "Normalize over the last dimensions";
  let shape = "layerNorm";
  let promotion = PromoteNorm;
  let decomposition = Decompose<[
    (call "native_layer_norm", $input, $normalized_shape, $weight, $bias, $eps)]>;
  let recompute = RecomputeReduction;
}

def Aten_NativeLayerNormOp : Aten_PureOp<
    "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? "
    "weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Normalize the last dimensions; also mean and 1/deviation";
  let shape = "nativeLayerNorm";
  let promotion = PromoteNorm;
  let decomposition = DecomposeBy<"decomposeNativeLayerNorm">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NativeLayerNormBackwardOp : Aten_PureOp<
    "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] "
    "normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, "
    "bool[3] output_mask) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Gradients of native_layer_norm";
  let shape = "nativeLayerNormBackward";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeNativeLayerNormBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_DropoutOp : Aten_Op<
    "aten::dropout(Tensor input, float p, bool train) -> Tensor"> {
  let summary = "Zero elements at random, scale the rest";
  let shape = "sameAsFirst";
  let promotion = PromoteDefault;
  let mayCopy = 1;
  let isRandom = 1;
  let decomposition = DecomposeBy<"decomposeDropout">;
}

def Aten_NativeDropoutOp : Aten_RandomOp<
    "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, "
    "Tensor)"> {
  let summary = "Zero elements at random, scale the rest; also the mask";
  let shape = "nativeDropout";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeNativeDropout">;
  let lowering = LowerBy<"lowerDropout">;
  let isCore = 1;
}

def Aten_CrossEntropyLossOp : Aten_PureOp<
    "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, "
    "int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> "
    "Tensor"> {
  let summary = "Negative log likelihood of log_softmax";
  let description = [{
    `reduction` is 0 for none, 1 for the mean, 2 for the sum.
  }];
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "crossEntropy";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeCrossEntropyLoss">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NllLossForwardOp : Aten_PureOp<
    "aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int "
    "reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)"> {
  let modes = (ins Aten_LossReduction:$reduction);
  let summary = "Negative log likelihood; also the total weight";
  let shape = "nllLossForward";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeLikelihood", [], LikelihoodFamily>;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NllLossBackwardOp : Aten_PureOp<
    "aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, "
    "Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) "
    "-> Tensor"> {
  let summary = "Gradient of nll_loss_forward";
  let modes = (ins Aten_LossReduction:$reduction);
  let shape = "nllLossBackward";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeLikelihoodBackward", [], LikelihoodFamily>;
  let isCore = 1;
}

def Aten_FusedRmsNormOp : Aten_PureOp<
    "aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? "
    "weight, float? eps) -> (Tensor, Tensor)"> {
  let summary = "Division by the root of the mean square, and its inverse";
  let shape = "fusedRmsNorm";
  let promotion = PromoteNorm;
  let promotes = ["input", "weight"];
  let decomposition = DecomposeBy<"decomposeFusedRmsNorm">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_RmsNormOp : Aten_PureOp<
    "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? "
    "weight=None, float? eps=None) -> Tensor"> {
  let summary = "Division by the root of the mean square";
  let shape = "layerNorm";
  let promotion = PromoteNorm;
  let promotes = ["input", "weight"];
  let decomposition = DecomposeBy<"decomposeRmsNorm">;
}

// Batch norms are heavy: their statistics are of the whole batch, and whoever reads the result
// would wait for two passes over the operand. Backwards read the statistics. Those by running
// statistics are pointwise, and cheap.
def Aten_NativeBatchNormLegitNoStatsOp : Aten_PureOp<
    "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, "
    "Tensor? bias, bool training, float momentum, float eps) -> (Tensor, "
    "Tensor, Tensor)"> {
  let summary = "Batch norm without running statistics";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNormNoStats">;
  let recompute = RecomputeHeavy;
  let isCore = 1;
}

def Aten_NativeBatchNormLegitFunctionalOp : Aten_PureOp<
    "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, "
    "Tensor? bias, Tensor running_mean, Tensor running_var, bool training, "
    "float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor "
    "running_mean_out, Tensor running_var_out)"> {
  let summary = "Batch norm that returns its running statistics";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNormFunctional">;
  let recompute = RecomputeHeavy;
  let isCore = 1;
}

def Aten_NativeBatchNormLegitNoTrainingOp : Aten_PureOp<
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, "
    "Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, "
    "float eps) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Batch norm by running statistics";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNormNoTraining">;
  let isCore = 1;
}

def Aten_BatchNormOp : Aten_PureOp<
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
    "running_mean, Tensor? running_var, bool training, float momentum, float "
    "eps, bool cudnn_enabled) -> Tensor"> {
  let summary = "Batch norm";
  let shape = "channelNorm";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNorm">;
}

def Aten_BatchNormBackwardOp : Aten_PureOp<
    "aten::batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, "
    "Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? "
    "save_var, bool update, float eps, bool[3] output_mask, Tensor reserve) -> "
    "(Tensor, Tensor, Tensor)"> {
  let summary = "Gradients of batch norm";
  let shape = "normBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_out"];
  let decomposition = DecomposeBy<"decomposeBatchNormBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NativeBatchNormOp : Aten_PureOp<
    "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, "
    "Tensor? running_mean, Tensor? running_var, bool training, float momentum, "
    "float eps) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Batch norm and the statistics it used";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeBy<"decomposeNativeBatchNorm">;
}

def Aten_NativeBatchNormBackwardOp : Aten_PureOp<
    "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? "
    "weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, "
    "Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> "
    "(Tensor, Tensor, Tensor)"> {
  let summary = "Gradients of batch norm";
  let shape = "normBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_out"];
  let decomposition = DecomposeBy<"decomposeNativeBatchNormBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_InstanceNormOp : Aten_PureOp<
    "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
    "running_mean, Tensor? running_var, bool use_input_stats, float momentum, "
    "float eps, bool cudnn_enabled) -> Tensor"> {
  let summary = "Norm of each channel of each sample";
  let shape = "channelNorm";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeInstanceNorm">;
}

def Aten_GroupNormOp : Aten_PureOp<
    "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, "
    "Tensor? bias=None, float eps=1.0000000000000001e-05, bool "
    "cudnn_enabled=True) -> Tensor"> {
  let summary = "Norm of groups of channels";
  let shape = "groupNorm";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeGroupNorm">;
}

def Aten_NativeGroupNormOp : Aten_PureOp<
    "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, "
    "SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, "
    "Tensor)"> {
  let summary = "Norm of groups of channels, and its statistics";
  let shape = "groupNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeNativeGroupNorm">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NativeGroupNormBackwardOp : Aten_PureOp<
    "aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor "
    "mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int "
    "group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Gradients of the norm of groups";
  let shape = "normBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_out"];
  let decomposition = DecomposeBy<"decomposeNativeGroupNormBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENNORMALIZATIONOPS_TD
