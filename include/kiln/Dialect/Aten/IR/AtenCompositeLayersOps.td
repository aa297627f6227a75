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

def RnnCellFamily : OpFamily<"RnnCellArgs", "A step of a recurrent cell without gates.",
    ["input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"]>;
/// `activation` is one of Activation in Composites.h.
class DecomposeRnnCell<string activation>
    : DecomposeBy<"decomposeRnnCell", ["Activation::" # activation], RnnCellFamily>;
def UnpoolFamily : OpFamily<"UnpoolArgs", "What a pooling has taken, put back.",
    ["self", "indices", "output_size"]>;
class DecomposeUnpool<int rank>
    : DecomposeBy<"decomposeMaxUnpool", [!cast<string>(rank)], UnpoolFamily>;
def BackendConvolutionFamily : OpFamily<"BackendConvolutionArgs",
    "A convolution, with hints for its kernel.",
    ["input", "weight", "bias", "stride", "padding", "dilation", "transposed",
     "output_padding", "groups"]>;
def DrawnDropoutFamily : OpFamily<"DrawnDropoutArgs",
    "A dropout that PyTorch makes of draws and products.", ["input", "p", "train"]>;
def WeightNormFamily : OpFamily<"WeightNormArgs", "Weights and norms.", ["v", "g", "dim"]>;
class DecomposeDropout<string ofFeatures, string keepsMoments>
    : DecomposeBy<"decomposeDrawnDropout", [ofFeatures, keepsMoments],
                  DrawnDropoutFamily>;

def Aten_LogSigmoidOp : Aten_CompositeOp<
    "aten::log_sigmoid(Tensor self) -> Tensor"> {
  let summary = "Logarithm of the sigmoid";
  let decomposition = Decompose<[(call "log_sigmoid_forward", $self)]>;
}

def Aten_PlainNllLossOp : Aten_CompositeOp<
    "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int "
    "reduction=1, SymInt ignore_index=-100) -> Tensor"> {
  let summary = "Negative log likelihood";
  let decomposition = Decompose<[(call "nll_loss_forward", $self, $target, $weight, $reduction,
          $ignore_index)]>;
}

def Aten_PlainNllLoss2dOp : Aten_CompositeOp<
    "aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int "
    "reduction=1, SymInt ignore_index=-100) -> Tensor"> {
  let summary = "Negative log likelihood of images";
  let decomposition = Decompose<[(call "nll_loss2d_forward", $self, $target, $weight, $reduction,
          $ignore_index)]>;
}

def Aten_CosineEmbeddingLossOp : Aten_CompositeOp<
    "aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, "
    "float margin=0., int reduction=1) -> Tensor",
    "decomposeCosineEmbeddingLoss"> {
  let summary = "Loss by the cosine between pairs";
}

def Aten_HingeEmbeddingLossOp : Aten_CompositeOp<
    "aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., "
    "int reduction=1) -> Tensor", "decomposeHingeEmbeddingLoss"> {
  let summary = "Hinge loss of distances";
}

def Aten_MarginRankingLossOp : Aten_CompositeOp<
    "aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, "
    "float margin=0., int reduction=1) -> Tensor",
    "decomposeMarginRankingLoss"> {
  let summary = "Hinge loss of an order of pairs";
}

def Aten_TripletMarginLossOp : Aten_CompositeOp<
    "aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor "
    "negative, float margin=1., float p=2., float eps=1e-06, bool swap=False, "
    "int reduction=1) -> Tensor", "decomposeTripletMarginLoss"> {
  let summary = "Hinge loss of distances to a positive and a negative";
}

def Aten_PoissonNllLossOp : Aten_CompositeOp<
    "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool "
    "full, float eps, int reduction) -> Tensor", "decomposePoissonNllLoss"> {
  let summary = "Negative log likelihood of Poisson";
}

def Aten_RnnTanhCellOp : Aten_CompositeOp<
    "aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, "
    "Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor"> {
  let summary = "One step of a recurrent unit with tanh";
  let decomposition = DecomposeRnnCell<"Tanh">;
}

def Aten_RnnReluCellOp : Aten_CompositeOp<
    "aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, "
    "Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor"> {
  let summary = "One step of a recurrent unit with relu";
  let decomposition = DecomposeRnnCell<"Relu">;
}

def Aten_CdistOp : Aten_CompositeOp<
    "aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> "
    "Tensor"> {
  let summary = "Distances of all pairs of rows";
  let decomposition = Decompose<[(call "_cdist_forward", $x1, $x2, $p, $compute_mode)]>;
}

def Aten_PdistOp : Aten_CompositeOp<
    "aten::pdist(Tensor self, float p=2.) -> Tensor"> {
  let summary = "Distances of pairs of rows of one matrix";
  let decomposition = Decompose<[(call "_pdist_forward", $self, $p)]>;
}

def Aten_PlainEmbeddingBagOp : Aten_CountingCompositeOp<
    "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
    "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
    "per_sample_weights=None, bool include_last_offset=False) -> (Tensor, "
    "Tensor, Tensor, Tensor)", "decomposePlainEmbeddingBag"> {
  let summary = "Sums of rows by bags";
  let shape = "embeddingBag";
  let promotion = PromoteKeepFirst;
}

def Aten_EmbeddingBagPaddingIdxOp : Aten_CountingCompositeOp<
    "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor "
    "offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? "
    "per_sample_weights, bool include_last_offset, int? padding_idx) -> "
    "(Tensor, Tensor, Tensor, Tensor)", "decomposeEmbeddingBagPaddingIdx"> {
  let summary = "Sums of rows by bags, but for one row";
  let shape = "embeddingBag";
  let promotion = PromoteKeepFirst;
}

def Aten_WeightNormOp : Aten_CompositeOp<
    "aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor"> {
  let summary = "Weights whose slices have given norms";
  let decomposition = DecomposeBy<"decomposeWeightNorm", [], WeightNormFamily>;
}

def Aten_WeightNormInterfaceOp : Aten_CompositeOp<
    "aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, "
    "Tensor)"> {
  let summary = "Weights whose slices have given norms, and what they had";
  let decomposition = DecomposeBy<"decomposeWeightNorm", [], WeightNormFamily>;
}

def Aten_MaxUnpool2dOp : Aten_CompositeOp<
    "aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> "
    "Tensor"> {
  let summary = "Put what a pooling has taken back in place";
  let decomposition = DecomposeUnpool<2>;
}

def Aten_MaxUnpool3dOp : Aten_CompositeOp<
    "aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, "
    "int[3] stride, int[3] padding) -> Tensor"> {
  let summary = "Put what a pooling has taken back in place";
  let decomposition = DecomposeUnpool<3>;
}

def Aten_MultilabelMarginLossOp : Aten_CompositeOp<
    "aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) "
    "-> Tensor", "decomposeMultilabelMarginLoss"> {
  let summary = "Hinge loss of several labels";
}

def Aten_SafeSoftmaxOp : Aten_CompositeOp<
    "aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> "
    "Tensor", "decomposeSafeSoftmax"> {
  let summary = "Softmax, with zeros in rows that are minus infinity";
}

def Aten_AlphaDropoutOp : Aten_ActingCompositeOp<
    "aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor"> {
  let summary = "Dropout that keeps mean and variance";
  let decomposition = DecomposeDropout<"false", "true">;
  let isRandom = 1;
}

def Aten_FeatureDropoutOp : Aten_ActingCompositeOp<
    "aten::feature_dropout(Tensor input, float p, bool train) -> Tensor"> {
  let summary = "Dropout of whole channels";
  let decomposition = DecomposeDropout<"true", "false">;
  let isRandom = 1;
}

def Aten_FeatureAlphaDropoutOp : Aten_ActingCompositeOp<
    "aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor"> {
  let summary = "Dropout of whole channels that keeps mean and variance";
  let decomposition = DecomposeDropout<"true", "true">;
  let isRandom = 1;
}

def Aten_RreluOp : Aten_ActingCompositeOp<
    "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar "
    "upper=0.33333333333333331, bool training=False, Generator? "
    "generator=None) -> Tensor", "decomposeRrelu"> {
  let summary = "Leaky relu with random slopes";
  let isRandom = 1;
}

def Aten_ConvTbcOp : Aten_CompositeOp<
    "aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> "
    "Tensor", "decomposeConvTbc"> {
  let summary = "Convolution of sequences whose channels come last";
}

def Aten_BackendConvolutionOp : Aten_CompositeOp<
    "aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] "
    "stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] "
    "output_padding, SymInt groups, bool benchmark, bool deterministic, bool "
    "cudnn_enabled, bool allow_tf32) -> Tensor"> {
  let summary = "Convolution, with flags of a backend";
  let decomposition = DecomposeBy<"decomposeBackendConvolution", [], BackendConvolutionFamily>;
}

def Aten_BackendConvolutionDeprecatedOp : Aten_CompositeOp<
    "aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, "
    "SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, "
    "SymInt[] output_padding, SymInt groups, bool benchmark, bool "
    "deterministic, bool cudnn_enabled) -> Tensor"> {
  let summary = "Convolution, with flags of a backend";
  let decomposition = DecomposeBy<"decomposeBackendConvolution", [], BackendConvolutionFamily>;
}

def Aten_GridSamplerOp : Aten_CompositeOp<
    "aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int "
    "padding_mode, bool align_corners) -> Tensor", "decomposeGridSampler"> {
  let summary = "Sample images at the positions of a grid";
}

def Aten_UpsampleNearest1dOp : Aten_CompositeOp<
    "aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? "
    "scales=None) -> Tensor"> {
  let summary = "Resize signals by the nearest element";
  let decomposition = Decompose<[(call "upsample_nearest1d.vec", $self,
      (sizes_unless $output_size, $scales),
      (factors_for $self, $output_size, $scales))]>;
}

def Aten_UpsampleNearest3dOp : Aten_CompositeOp<
    "aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? "
    "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Resize volumes by the nearest element";
  let decomposition = Decompose<[(call "upsample_nearest3d.vec", $self,
      (sizes_unless $output_size, $scales_d),
      (factors_for $self, $output_size, $scales_d, $scales_h, $scales_w))]>;
}

def Aten_UpsampleLinear1dOp : Aten_CompositeOp<
    "aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool "
    "align_corners, float? scales=None) -> Tensor"> {
  let summary = "Resize signals linearly";
  let decomposition = Decompose<[(call "upsample_linear1d.vec", $self,
      (sizes_unless $output_size, $scales), $align_corners,
      (factors_for $self, $output_size, $scales))]>;
}

def Aten_UpsampleBicubic2dOp : Aten_CompositeOp<
    "aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool "
    "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Resize images bicubically";
  let decomposition = Decompose<[(call "upsample_bicubic2d.vec", $self,
      (sizes_unless $output_size, $scales_h), $align_corners,
      (factors_for $self, $output_size, $scales_h, $scales_w))]>;
}

def Aten_UpsampleNearestExact2dOp : Aten_CompositeOp<
    "aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, "
    "float? scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Resize images by the nearest pixel's center";
  let decomposition = Decompose<[(call "_upsample_nearest_exact2d.vec", $self,
      (sizes_unless $output_size, $scales_h),
      (factors_for $self, $output_size, $scales_h, $scales_w))]>;
}

def Aten_UpsampleBilinear2dAaOp : Aten_CompositeOp<
    "aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool "
    "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Resize images bilinearly, with a filter as wide as the step";
  let decomposition = Decompose<[(call "_upsample_bilinear2d_aa.vec", $self,
      (sizes_unless $output_size, $scales_h), $align_corners,
      (factors_for $self, $output_size, $scales_h, $scales_w))]>;
}

def Aten_UpsampleTrilinear3dOp : Aten_CompositeOp<
    "aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool "
    "align_corners, float? scales_d=None, float? scales_h=None, float? "
    "scales_w=None) -> Tensor"> {
  let summary = "Resize volumes trilinearly";
  let decomposition = Decompose<[(call "upsample_trilinear3d.vec", $self,
      (sizes_unless $output_size, $scales_d), $align_corners,
      (factors_for $self, $output_size, $scales_d, $scales_h, $scales_w))]>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITELAYERSOPS_TD
