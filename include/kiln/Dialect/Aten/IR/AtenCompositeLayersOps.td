//===- AtenCompositeLayersOps.td - Composite layers, losses -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCOMPOSITELAYERSOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCOMPOSITELAYERSOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_LogSigmoidOp : Aten_CompositeOp<"log_sigmoid",
    "aten::log_sigmoid(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeLogSigmoid"> {
  let summary = "Logarithm of the sigmoid";
}

def Aten_PlainNllLossOp : Aten_CompositeOp<"nll_loss",
    "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int "
    "reduction=1, SymInt ignore_index=-100) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$target, Optional<Aten_Tensor>:$weight,
         Aten_Int:$reduction, Aten_SymInt:$ignore_index),
    (outs Aten_Tensor:$result), "decomposePlainNllLoss"> {
  let summary = "Negative log likelihood";
}

def Aten_PlainNllLoss2dOp : Aten_CompositeOp<"nll_loss2d",
    "aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int "
    "reduction=1, SymInt ignore_index=-100) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$target, Optional<Aten_Tensor>:$weight,
         Aten_Int:$reduction, Aten_SymInt:$ignore_index),
    (outs Aten_Tensor:$result), "decomposePlainNllLoss2d"> {
  let summary = "Negative log likelihood of images";
}

def Aten_CosineEmbeddingLossOp : Aten_CompositeOp<"cosine_embedding_loss",
    "aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, "
    "float margin=0., int reduction=1) -> Tensor",
    (ins Aten_Tensor:$input1, Aten_Tensor:$input2, Aten_Tensor:$target,
         Aten_Float:$margin, Aten_Int:$reduction),
    (outs Aten_Tensor:$result), "decomposeCosineEmbeddingLoss"> {
  let summary = "Loss by the cosine between pairs";
}

def Aten_HingeEmbeddingLossOp : Aten_CompositeOp<"hinge_embedding_loss",
    "aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., "
    "int reduction=1) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$target, Aten_Float:$margin,
         Aten_Int:$reduction),
    (outs Aten_Tensor:$result), "decomposeHingeEmbeddingLoss"> {
  let summary = "Hinge loss of distances";
}

def Aten_MarginRankingLossOp : Aten_CompositeOp<"margin_ranking_loss",
    "aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, "
    "float margin=0., int reduction=1) -> Tensor",
    (ins Aten_Tensor:$input1, Aten_Tensor:$input2, Aten_Tensor:$target,
         Aten_Float:$margin, Aten_Int:$reduction),
    (outs Aten_Tensor:$result), "decomposeMarginRankingLoss"> {
  let summary = "Hinge loss of an order of pairs";
}

def Aten_TripletMarginLossOp : Aten_CompositeOp<"triplet_margin_loss",
    "aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor "
    "negative, float margin=1., float p=2., float eps=1e-06, bool swap=False, "
    "int reduction=1) -> Tensor",
    (ins Aten_Tensor:$anchor, Aten_Tensor:$positive, Aten_Tensor:$negative,
         Aten_Float:$margin, Aten_Float:$p, Aten_Float:$eps, Aten_Bool:$swap,
         Aten_Int:$reduction),
    (outs Aten_Tensor:$result), "decomposeTripletMarginLoss"> {
  let summary = "Hinge loss of distances to a positive and a negative";
}

def Aten_PoissonNllLossOp : Aten_CompositeOp<"poisson_nll_loss",
    "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool "
    "full, float eps, int reduction) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Tensor:$target, Aten_Bool:$log_input,
         Aten_Bool:$full, Aten_Float:$eps, Aten_Int:$reduction),
    (outs Aten_Tensor:$result), "decomposePoissonNllLoss"> {
  let summary = "Negative log likelihood of Poisson";
}

def Aten_RnnTanhCellOp : Aten_CompositeOp<"rnn_tanh_cell",
    "aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, "
    "Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Tensor:$hx, Aten_Tensor:$w_ih,
         Aten_Tensor:$w_hh, Optional<Aten_Tensor>:$b_ih,
         Optional<Aten_Tensor>:$b_hh),
    (outs Aten_Tensor:$result),
    "decomposeRnnTanhCell"> {
  let summary = "One step of a recurrent unit with tanh";
}

def Aten_RnnReluCellOp : Aten_CompositeOp<"rnn_relu_cell",
    "aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, "
    "Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Tensor:$hx, Aten_Tensor:$w_ih,
         Aten_Tensor:$w_hh, Optional<Aten_Tensor>:$b_ih,
         Optional<Aten_Tensor>:$b_hh),
    (outs Aten_Tensor:$result),
    "decomposeRnnReluCell"> {
  let summary = "One step of a recurrent unit with relu";
}

def Aten_CdistOp : Aten_CompositeOp<"cdist",
    "aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> "
    "Tensor",
    (ins Aten_Tensor:$x1, Aten_Tensor:$x2, Aten_Float:$p,
         OptionalAttr<Aten_Int>:$compute_mode),
    (outs Aten_Tensor:$result), "decomposeCdist"> {
  let summary = "Distances of all pairs of rows";
}

def Aten_PdistOp : Aten_CompositeOp<"pdist",
    "aten::pdist(Tensor self, float p=2.) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Float:$p),
    (outs Aten_Tensor:$result), "decomposePdist"> {
  let summary = "Distances of pairs of rows of one matrix";
}

def Aten_PlainEmbeddingBagOp : Aten_CountingCompositeOp<"embedding_bag",
    "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
    "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
    "per_sample_weights=None, bool include_last_offset=False) -> (Tensor, "
    "Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$weight, Aten_Tensor:$indices, Aten_Tensor:$offsets,
         Aten_Bool:$scale_grad_by_freq, Aten_Int:$mode, Aten_Bool:$sparse,
         Optional<Aten_Tensor>:$per_sample_weights,
         Aten_Bool:$include_last_offset),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2,
          Aten_Tensor:$result3), "decomposePlainEmbeddingBag"> {
  let summary = "Sums of rows by bags";
  let shape = "embeddingBag";
  let promotion = PromoteKeepFirst;
}

def Aten_EmbeddingBagPaddingIdxOp
    : Aten_CountingCompositeOp<"embedding_bag.padding_idx",
    "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor "
    "offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? "
    "per_sample_weights, bool include_last_offset, int? padding_idx) -> "
    "(Tensor, Tensor, Tensor, Tensor)",
    (ins Aten_Tensor:$weight, Aten_Tensor:$indices, Aten_Tensor:$offsets,
         Aten_Bool:$scale_grad_by_freq, Aten_Int:$mode, Aten_Bool:$sparse,
         Optional<Aten_Tensor>:$per_sample_weights,
         Aten_Bool:$include_last_offset, OptionalAttr<Aten_Int>:$padding_idx),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1, Aten_Tensor:$result2,
          Aten_Tensor:$result3), "decomposeEmbeddingBagPaddingIdx"> {
  let summary = "Sums of rows by bags, but for one row";
  let shape = "embeddingBag";
  let promotion = PromoteKeepFirst;
}

def Aten_WeightNormOp : Aten_CompositeOp<"_weight_norm",
    "aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor",
    (ins Aten_Tensor:$v, Aten_Tensor:$g, Aten_Int:$dim),
    (outs Aten_Tensor:$result), "decomposeWeightNorm"> {
  let summary = "Weights whose slices have given norms";
}

def Aten_WeightNormInterfaceOp : Aten_CompositeOp<"_weight_norm_interface",
    "aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, "
    "Tensor)",
    (ins Aten_Tensor:$v, Aten_Tensor:$g, Aten_Int:$dim),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1),
    "decomposeWeightNormInterface"> {
  let summary = "Weights whose slices have given norms, and what they had";
}

def Aten_MaxUnpool2dOp : Aten_CompositeOp<"max_unpool2d",
    "aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) "
    "-> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$indices, Aten_SymInts:$output_size),
    (outs Aten_Tensor:$result), "decomposeMaxUnpool2d"> {
  let summary = "Put what a pooling has taken back in place";
}

def Aten_MaxUnpool3dOp : Aten_CompositeOp<"max_unpool3d",
    "aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, "
    "int[3] stride, int[3] padding) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$indices, Aten_SymInts:$output_size,
         Aten_Ints:$stride, Aten_Ints:$padding),
    (outs Aten_Tensor:$result), "decomposeMaxUnpool3d"> {
  let summary = "Put what a pooling has taken back in place";
}

def Aten_MultilabelMarginLossOp : Aten_CompositeOp<"multilabel_margin_loss",
    "aten::multilabel_margin_loss(Tensor self, Tensor target, int "
    "reduction=1) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$target, Aten_Int:$reduction),
    (outs Aten_Tensor:$result), "decomposeMultilabelMarginLoss"> {
  let summary = "Hinge loss of several labels";
}

def Aten_SafeSoftmaxOp : Aten_CompositeOp<"_safe_softmax",
    "aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$dim, OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result), "decomposeSafeSoftmax"> {
  let summary = "Softmax, with zeros in rows that are minus infinity";
}

def Aten_FeatureDropoutOp : Aten_ActingCompositeOp<"feature_dropout",
    "aten::feature_dropout(Tensor input, float p, bool train) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Float:$p, Aten_Bool:$train),
    (outs Aten_Tensor:$result), "decomposeFeatureDropout"> {
  let summary = "Dropout of whole channels";
  let isRandom = 1;
}

def Aten_FeatureAlphaDropoutOp : Aten_ActingCompositeOp<"feature_alpha_dropout",
    "aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Float:$p, Aten_Bool:$train),
    (outs Aten_Tensor:$result), "decomposeFeatureAlphaDropout"> {
  let summary = "Dropout of whole channels that keeps mean and variance";
  let isRandom = 1;
}

def Aten_RreluOp : Aten_ActingCompositeOp<"rrelu",
    "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar "
    "upper=0.33333333333333331, bool training=False, Generator? "
    "generator=None) -> Tensor",
    (ins Aten_Tensor:$self, Optional<Aten_Number>:$lower,
         Optional<Aten_Number>:$upper, Aten_Bool:$training),
    (outs Aten_Tensor:$result), "decomposeRrelu"> {
  let summary = "Leaky relu with random slopes";
  let isRandom = 1;
}

def Aten_ConvTbcOp : Aten_CompositeOp<"conv_tbc",
    "aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$weight, Aten_Tensor:$bias,
         Aten_Int:$pad),
    (outs Aten_Tensor:$result), "decomposeConvTbc"> {
  let summary = "Convolution of sequences whose channels come last";
}

def Aten_BackendConvolutionOp : Aten_CompositeOp<"_convolution",
    "aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] "
    "stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] "
    "output_padding, SymInt groups, bool benchmark, bool deterministic, bool "
    "cudnn_enabled, bool allow_tf32) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Tensor:$weight, Optional<Aten_Tensor>:$bias,
         Aten_SymInts:$stride, Aten_SymInts:$padding, Aten_SymInts:$dilation,
         Aten_Bool:$transposed, Aten_SymInts:$output_padding,
         Aten_SymInt:$groups, Aten_Bool:$benchmark, Aten_Bool:$deterministic,
         Aten_Bool:$cudnn_enabled, Aten_Bool:$allow_tf32),
    (outs Aten_Tensor:$result), "decomposeBackendConvolution"> {
  let summary = "Convolution, with flags of a backend";
}

def Aten_BackendConvolutionDeprecatedOp
    : Aten_CompositeOp<"_convolution.deprecated",
    "aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, "
    "SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, "
    "SymInt[] output_padding, SymInt groups, bool benchmark, bool "
    "deterministic, bool cudnn_enabled) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Tensor:$weight, Optional<Aten_Tensor>:$bias,
         Aten_SymInts:$stride, Aten_SymInts:$padding, Aten_SymInts:$dilation,
         Aten_Bool:$transposed, Aten_SymInts:$output_padding,
         Aten_SymInt:$groups, Aten_Bool:$benchmark, Aten_Bool:$deterministic,
         Aten_Bool:$cudnn_enabled),
    (outs Aten_Tensor:$result), "decomposeBackendConvolutionDeprecated"> {
  let summary = "Convolution, with flags of a backend";
}

def Aten_GridSamplerOp : Aten_CompositeOp<"grid_sampler",
    "aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, "
    "int padding_mode, bool align_corners) -> Tensor",
    (ins Aten_Tensor:$input, Aten_Tensor:$grid, Aten_Int:$interpolation_mode,
         Aten_Int:$padding_mode, Aten_Bool:$align_corners),
    (outs Aten_Tensor:$result), "decomposeGridSampler"> {
  let summary = "Sample images at the positions of a grid";
}

def Aten_UpsampleNearest1dOp : Aten_CompositeOp<"upsample_nearest1d",
    "aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? "
    "scales=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size,
         OptionalAttr<Aten_Float>:$scales),
    (outs Aten_Tensor:$result), "decomposeUpsampleNearest1d"> {
  let summary = "Resize signals by the nearest element";
}

def Aten_UpsampleNearest3dOp : Aten_CompositeOp<"upsample_nearest3d",
    "aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? "
    "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size,
         OptionalAttr<Aten_Float>:$scales_d,
         OptionalAttr<Aten_Float>:$scales_h, OptionalAttr<Aten_Float>:$scales_w),
    (outs Aten_Tensor:$result), "decomposeUpsampleNearest3d"> {
  let summary = "Resize volumes by the nearest element";
}

def Aten_UpsampleLinear1dOp : Aten_CompositeOp<"upsample_linear1d",
    "aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool "
    "align_corners, float? scales=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size,
         Aten_Bool:$align_corners, OptionalAttr<Aten_Float>:$scales),
    (outs Aten_Tensor:$result), "decomposeUpsampleLinear1d"> {
  let summary = "Resize signals linearly";
}

def Aten_UpsampleBicubic2dOp : Aten_CompositeOp<"upsample_bicubic2d",
    "aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool "
    "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size,
         Aten_Bool:$align_corners, OptionalAttr<Aten_Float>:$scales_h,
         OptionalAttr<Aten_Float>:$scales_w),
    (outs Aten_Tensor:$result), "decomposeUpsampleBicubic2d"> {
  let summary = "Resize images bicubically";
}

def Aten_UpsampleNearestExact2dOp
    : Aten_CompositeOp<"_upsample_nearest_exact2d",
    "aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, "
    "float? scales_h=None, float? scales_w=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size,
         OptionalAttr<Aten_Float>:$scales_h, OptionalAttr<Aten_Float>:$scales_w),
    (outs Aten_Tensor:$result), "decomposeUpsampleNearestExact2d"> {
  let summary = "Resize images by the nearest pixel's center";
}

def Aten_UpsampleBilinear2dAaOp : Aten_CompositeOp<"_upsample_bilinear2d_aa",
    "aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool "
    "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size,
         Aten_Bool:$align_corners, OptionalAttr<Aten_Float>:$scales_h,
         OptionalAttr<Aten_Float>:$scales_w),
    (outs Aten_Tensor:$result), "decomposeUpsampleBilinear2dAa"> {
  let summary = "Resize images bilinearly, with a filter as wide as the step";
}

def Aten_UpsampleTrilinear3dOp : Aten_CompositeOp<"upsample_trilinear3d",
    "aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool "
    "align_corners, float? scales_d=None, float? scales_h=None, float? "
    "scales_w=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size,
         Aten_Bool:$align_corners, OptionalAttr<Aten_Float>:$scales_d,
         OptionalAttr<Aten_Float>:$scales_h, OptionalAttr<Aten_Float>:$scales_w),
    (outs Aten_Tensor:$result), "decomposeUpsampleTrilinear3d"> {
  let summary = "Resize volumes trilinearly";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITELAYERSOPS_TD
