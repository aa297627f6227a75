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

def Aten_SoftmaxOp : Aten_PureOp<"_softmax",
    "aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_Bool:$half_to_float),
    (outs Aten_Tensor:$result)> {
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

def Aten_LogSoftmaxOp : Aten_PureOp<"_log_softmax",
    "aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_Bool:$half_to_float),
    (outs Aten_Tensor:$result)> {
  let summary = "Logarithm of softmax along a dimension";
  let shape = "softmax";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeLogSoftmax">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_SoftmaxIntOp : Aten_PureOp<"softmax.int",
    "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$dim, OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result)> {
  let summary = "Softmax along a dimension";
  let shape = "sameWithDim";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeSoftmaxInt">;
  let recompute = RecomputeReduction;
}

def Aten_LogSoftmaxIntOp : Aten_PureOp<"log_softmax.int",
    "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$dim, OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result)> {
  let summary = "Logarithm of softmax along a dimension";
  let shape = "sameWithDim";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeLogSoftmaxInt">;
  let recompute = RecomputeReduction;
}

def Aten_SoftmaxBackwardDataOp : Aten_PureOp<"_softmax_backward_data",
    "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim,"
    " ScalarType input_dtype) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$output, Aten_Int:$dim,
         Aten_DType:$input_dtype),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of softmax";
  let shape = "softmaxBackward";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeSoftmaxBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_LogSoftmaxBackwardDataOp : Aten_PureOp<"_log_softmax_backward_data",
    "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int "
    "dim, ScalarType input_dtype) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$output, Aten_Int:$dim,
         Aten_DType:$input_dtype),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of log_softmax";
  let shape = "softmaxBackward";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeLogSoftmaxBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_LayerNormOp : Aten_PureOp<"layer_norm",
    "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? "
    "weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool "
    "cudnn_enable=True) -> Tensor",
    (ins Aten_Tensor:$input, Aten_SymInts:$normalized_shape,
         Optional<Aten_Tensor>:$weight, Optional<Aten_Tensor>:$bias,
         Aten_Float:$eps, Aten_Bool:$cudnn_enable),
    (outs Aten_Tensor:$result)> {
  let summary = "Normalize over the last dimensions";
  let shape = "layerNorm";
  let promotion = PromoteNorm;
  let decomposition = DecomposeBy<"decomposeLayerNorm">;
  let recompute = RecomputeReduction;
}

def Aten_NativeLayerNormOp : Aten_PureOp<"native_layer_norm",
    "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor?"
    " weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$input, Aten_SymInts:$normalized_shape,
         Optional<Aten_Tensor>:$weight, Optional<Aten_Tensor>:$bias,
         Aten_Float:$eps),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Normalize the last dimensions; also mean and 1/deviation";
  let shape = "nativeLayerNorm";
  let promotion = PromoteNorm;
  let decomposition = DecomposeBy<"decomposeNativeLayerNorm">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NativeLayerNormBackwardOp : Aten_PureOp<"native_layer_norm_backward",
    "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[]"
    " normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? "
    "bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$grad_out, Aten_Tensor:$input,
         Aten_SymInts:$normalized_shape, Aten_Tensor:$mean, Aten_Tensor:$rstd,
         Optional<Aten_Tensor>:$weight, Optional<Aten_Tensor>:$bias,
         Aten_Bools:$output_mask),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Gradients of native_layer_norm";
  let shape = "nativeLayerNormBackward";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeNativeLayerNormBackward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_DropoutOp : Aten_Op<"dropout",
    "aten::dropout(Tensor input, float p, bool train) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Float:$p, Aten_Bool:$train),
    (outs Aten_Tensor:$result)> {
  let summary = "Zero elements at random, scale the rest";
  let shape = "sameAsFirst";
  let promotion = PromoteDefault;
  let mayCopy = 1;
  let isRandom = 1;
  let decomposition = DecomposeBy<"decomposeDropout">;
}

def Aten_NativeDropoutOp : Aten_RandomOp<"native_dropout",
    "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, "
    "Tensor)",
    (ins Aten_Tensor:$input, Aten_Float:$p, OptionalAttr<Aten_Bool>:$train),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Zero elements at random, scale the rest; also the mask";
  let shape = "nativeDropout";
  let promotion = PromoteDefault;
  let decomposition = DecomposeBy<"decomposeNativeDropout">;
  let lowering = LowerBy<"lowerDropout">;
  let isCore = 1;
}

def Aten_CrossEntropyLossOp : Aten_PureOp<"cross_entropy_loss",
    "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? "
    "weight=None, int reduction=1, SymInt ignore_index=-100, float "
    "label_smoothing=0.) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$target, Optional<Aten_Tensor>:$weight,
         Aten_LossReduction:$reduction, Aten_SymInt:$ignore_index,
         Aten_Float:$label_smoothing),
    (outs Aten_Tensor:$result)> {
  let summary = "Negative log likelihood of log_softmax";
  let description = [{
    `reduction` is 0 for none, 1 for the mean, 2 for the sum.
  }];
  let shape = "crossEntropy";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeCrossEntropyLoss">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NllLossForwardOp : Aten_PureOp<"nll_loss_forward",
    "aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int "
    "reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
    (ins Aten_Tensor:$self, Aten_Tensor:$target, Optional<Aten_Tensor>:$weight,
         Aten_LossReduction:$reduction, Aten_SymInt:$ignore_index),
    (outs Aten_Tensor:$output, Aten_Tensor:$total_weight)> {
  let summary = "Negative log likelihood; also the total weight";
  let shape = "nllLossForward";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeNllLossForward">;
  let recompute = RecomputeReduction;
  let isCore = 1;
}

def Aten_NllLossBackwardOp : Aten_PureOp<"nll_loss_backward",
    "aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, "
    "Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight)"
    " -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self, Aten_Tensor:$target,
         Optional<Aten_Tensor>:$weight, Aten_LossReduction:$reduction,
         Aten_SymInt:$ignore_index, Aten_Tensor:$total_weight),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of nll_loss_forward";
  let shape = "nllLossBackward";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = DecomposeBy<"decomposeNllLossBackward">;
  let isCore = 1;
}

def Aten_FusedRmsNormOp : Aten_PureOp<"_fused_rms_norm",
    "aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? "
    "weight, float? eps) -> (Tensor, Tensor)",
    (ins Aten_Tensor:$input, Aten_Ints:$normalized_shape,
         Optional<Aten_Tensor>:$weight, OptionalAttr<Aten_Float>:$eps),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Division by the root of the mean square, and its inverse";
  let shape = "fusedRmsNorm";
  let promotion = PromoteNorm;
  let promotes = ["input", "weight"];
  let decomposition = DecomposeBy<"decomposeFusedRmsNorm">;
  let isCore = 1;
}

def Aten_RmsNormOp : Aten_PureOp<"rms_norm",
    "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? "
    "weight=None, float? eps=None) -> Tensor",
    (ins Aten_Tensor:$input, Aten_SymInts:$normalized_shape,
         Optional<Aten_Tensor>:$weight, OptionalAttr<Aten_Float>:$eps),
    (outs Aten_Tensor:$result)> {
  let summary = "Division by the root of the mean square";
  let shape = "layerNorm";
  let promotion = PromoteNorm;
  let promotes = ["input", "weight"];
  let decomposition = DecomposeBy<"decomposeRmsNorm">;
}

def Aten_NativeBatchNormLegitNoStatsOp : Aten_PureOp<
    "_native_batch_norm_legit.no_stats",
    "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, "
    "Tensor? bias, bool training, float momentum, float eps) -> (Tensor, "
    "Tensor, Tensor)",
    (ins Aten_Tensor:$input, Optional<Aten_Tensor>:$weight,
         Optional<Aten_Tensor>:$bias, Aten_Bool:$training, Aten_Float:$momentum,
         Aten_Float:$eps),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Batch norm without running statistics";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNormNoStats">;
  let isCore = 1;
}

def Aten_NativeBatchNormLegitFunctionalOp : Aten_PureOp<
    "_native_batch_norm_legit_functional",
    "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? "
    "weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool "
    "training, float momentum, float eps) -> (Tensor, Tensor, Tensor, "
    "Tensor running_mean_out, Tensor running_var_out)",
    (ins Aten_Tensor:$input, Optional<Aten_Tensor>:$weight,
         Optional<Aten_Tensor>:$bias, Aten_Tensor:$running_mean,
         Aten_Tensor:$running_var, Aten_Bool:$training, Aten_Float:$momentum,
         Aten_Float:$eps),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2,
          Aten_Tensor:$running_mean_out, Aten_Tensor:$running_var_out)> {
  let summary = "Batch norm that returns its running statistics";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNormFunctional">;
  let isCore = 1;
}

def Aten_NativeBatchNormLegitNoTrainingOp : Aten_PureOp<
    "_native_batch_norm_legit_no_training",
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? "
    "weight, Tensor? bias, Tensor running_mean, Tensor running_var, float "
    "momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$input, Optional<Aten_Tensor>:$weight,
         Optional<Aten_Tensor>:$bias, Aten_Tensor:$running_mean,
         Aten_Tensor:$running_var, Aten_Float:$momentum, Aten_Float:$eps),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Batch norm by running statistics";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNormNoTraining">;
  let isCore = 1;
}

def Aten_BatchNormOp : Aten_PureOp<"batch_norm",
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
    "running_mean, Tensor? running_var, bool training, float momentum, "
    "float eps, bool cudnn_enabled) -> Tensor",
    (ins Aten_Tensor:$input, Optional<Aten_Tensor>:$weight,
         Optional<Aten_Tensor>:$bias, Optional<Aten_Tensor>:$running_mean,
         Optional<Aten_Tensor>:$running_var, Aten_Bool:$training,
         Aten_Float:$momentum, Aten_Float:$eps, Aten_Bool:$cudnn_enabled),
    (outs Aten_Tensor:$result)> {
  let summary = "Batch norm";
  let shape = "channelNorm";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeBatchNorm">;
}

def Aten_BatchNormBackwardOp : Aten_PureOp<"batch_norm_backward",
    "aten::batch_norm_backward(Tensor grad_out, Tensor input, Tensor "
    "weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, "
    "Tensor? save_var, bool update, float eps, bool[3] output_mask, Tensor "
    "reserve) -> (Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$grad_out, Aten_Tensor:$input, Aten_Tensor:$weight,
         Optional<Aten_Tensor>:$running_mean,
         Optional<Aten_Tensor>:$running_var, Optional<Aten_Tensor>:$save_mean,
         Optional<Aten_Tensor>:$save_var, Aten_Bool:$update, Aten_Float:$eps,
         Aten_Bools:$output_mask, Aten_Tensor:$reserve),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Gradients of batch norm";
  let shape = "normBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_out"];
  let decomposition = DecomposeBy<"decomposeBatchNormBackward">;
  let isCore = 1;
}

def Aten_NativeBatchNormOp : Aten_PureOp<"native_batch_norm",
    "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, "
    "Tensor? running_mean, Tensor? running_var, bool training, float "
    "momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$input, Optional<Aten_Tensor>:$weight,
         Optional<Aten_Tensor>:$bias, Optional<Aten_Tensor>:$running_mean,
         Optional<Aten_Tensor>:$running_var, Aten_Bool:$training,
         Aten_Float:$momentum, Aten_Float:$eps),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Batch norm and the statistics it used";
  let shape = "batchNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeNativeBatchNorm">;
}

def Aten_NativeBatchNormBackwardOp : Aten_PureOp<"native_batch_norm_backward",
    "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, "
    "Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? "
    "save_mean, Tensor? save_invstd, bool train, float eps, bool[3] "
    "output_mask) -> (Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$grad_out, Aten_Tensor:$input,
         Optional<Aten_Tensor>:$weight, Optional<Aten_Tensor>:$running_mean,
         Optional<Aten_Tensor>:$running_var, Optional<Aten_Tensor>:$save_mean,
         Optional<Aten_Tensor>:$save_invstd, Aten_Bool:$train, Aten_Float:$eps,
         Aten_Bools:$output_mask),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Gradients of batch norm";
  let shape = "normBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_out"];
  let decomposition = DecomposeBy<"decomposeNativeBatchNormBackward">;
  let isCore = 1;
}

def Aten_InstanceNormOp : Aten_PureOp<"instance_norm",
    "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, "
    "Tensor? running_mean, Tensor? running_var, bool use_input_stats, float "
    "momentum, float eps, bool cudnn_enabled) -> Tensor",
    (ins Aten_Tensor:$input, Optional<Aten_Tensor>:$weight,
         Optional<Aten_Tensor>:$bias, Optional<Aten_Tensor>:$running_mean,
         Optional<Aten_Tensor>:$running_var, Aten_Bool:$use_input_stats,
         Aten_Float:$momentum, Aten_Float:$eps, Aten_Bool:$cudnn_enabled),
    (outs Aten_Tensor:$result)> {
  let summary = "Norm of each channel of each sample";
  let shape = "channelNorm";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeInstanceNorm">;
}

def Aten_GroupNormOp : Aten_PureOp<"group_norm",
    "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, "
    "Tensor? bias=None, float eps=1.0000000000000001e-05, bool "
    "cudnn_enabled=True) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Int:$num_groups,
         Optional<Aten_Tensor>:$weight, Optional<Aten_Tensor>:$bias,
         Aten_Float:$eps, Aten_Bool:$cudnn_enabled),
    (outs Aten_Tensor:$result)> {
  let summary = "Norm of groups of channels";
  let shape = "groupNorm";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeGroupNorm">;
}

def Aten_NativeGroupNormOp : Aten_PureOp<"native_group_norm",
    "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, "
    "SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, "
    "Tensor, Tensor)",
    (ins Aten_Tensor:$input, Optional<Aten_Tensor>:$weight,
         Optional<Aten_Tensor>:$bias, Aten_SymInt:$N, Aten_SymInt:$C,
         Aten_SymInt:$HxW, Aten_Int:$group, Aten_Float:$eps),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Norm of groups of channels, and its statistics";
  let shape = "groupNormStats";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeNativeGroupNorm">;
  let isCore = 1;
}

def Aten_NativeGroupNormBackwardOp : Aten_PureOp<"native_group_norm_backward",
    "aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor "
    "mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int "
    "group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$grad_out, Aten_Tensor:$input, Aten_Tensor:$mean,
         Aten_Tensor:$rstd, Optional<Aten_Tensor>:$weight, Aten_SymInt:$N,
         Aten_SymInt:$C, Aten_SymInt:$HxW, Aten_Int:$group,
         Aten_Bools:$output_mask),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2)> {
  let summary = "Gradients of the norm of groups";
  let shape = "normBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_out"];
  let decomposition = DecomposeBy<"decomposeNativeGroupNormBackward">;
  let isCore = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENNORMALIZATIONOPS_TD
