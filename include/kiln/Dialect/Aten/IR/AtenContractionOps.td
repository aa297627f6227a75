//===- AtenContractionOps.td - Products, convolution, attention -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCONTRACTIONOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCONTRACTIONOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def RecurrenceFamily : OpFamily<"RecurrenceArgs", "Layers of recurrent cells.",
    ["input", "hx", "params", "has_biases", "num_layers", "dropout", "train",
     "bidirectional", "batch_first"]>;
/// `cell` is one of Cell in Decompose.h.
class DecomposeRecurrence<string cell>
    : DecomposeBy<"decomposeRecurrence", ["Cell::" # cell], RecurrenceFamily>;

def ConvolutionFamily : OpFamily<"ConvolutionArgs", "A convolution or a transposed one.",
    ["input", "weight", "bias", "stride", "padding", "output_padding", "dilation",
     "groups"]>;
class DecomposeConvolution<string transposed>
    : DecomposeBy<"decomposeConvolution", [transposed], ConvolutionFamily>;
def NamedPaddingFamily : OpFamily<"NamedPaddingArgs",
    "A convolution whose padding is \"same\" or \"valid\".",
    ["input", "weight", "bias", "stride", "padding", "dilation", "groups"]>;

def Aten_MmOp : Aten_PureOp<"aten::mm(Tensor self, Tensor mat2) -> Tensor"> {
  let summary = "Product of two matrices";
  let shape = "mm";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfProduct;
  let lowering = LowerBy<"lowerMatrixProduct", [], ProductFamily>;
  let isCore = 1;
}

def Aten_BmmOp : Aten_PureOp<"aten::bmm(Tensor self, Tensor mat2) -> Tensor"> {
  let summary = "Products of two batches of matrices";
  let shape = "bmm";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfProduct;
  let lowering = LowerBy<"lowerMatrixProduct", [], ProductFamily>;
  let isCore = 1;
}

def Aten_AddmmOp : Aten_PureOp<
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, "
    "Scalar alpha=1) -> Tensor"> {
  let summary = "beta * self + alpha * mat1 @ mat2";
  let shape = "addmm";
  let promotion = PromoteSameDType;
  let promotes = ["self", "mat1", "mat2"];
  let decomposition = DecomposeBy<"decomposeAddmm">;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfAddedProduct;
  let lowering = LowerBy<"lowerAddmm">;
  let isCore = 1;
}

def Aten_BaddbmmOp : Aten_PureOp<
    "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar "
    "beta=1, Scalar alpha=1) -> Tensor"> {
  let summary = "beta * self + alpha * batch1 @ batch2";
  let shape = "bmmAdd";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeBaddbmm">;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfAddedProduct;
}

/// Rows of a matrix, or columns, or what both share, in groups that end at
/// `offs`, each with a matrix of its own. Which dimension is in groups follows
/// from the ranks, as in PyTorch; two stacks of matrices have no offsets.
def Aten_GroupedMmOp : Aten_PureOp<
    "aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? "
    "bias=None, ScalarType? out_dtype=None) -> Tensor"> {
  let summary = "Products of groups of rows with matrices of their own";
  let shape = "groupedMm";
  let promotion = PromoteSameDType;
  let promotes = ["self", "mat2"];
  let lowering = LowerBy<"lowerGroupedMm">;
}

def Aten_MatmulOp : Aten_PureOp<
    "aten::matmul(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Product by the ranks of the operands";
  let aliases = ["linalg_matmul"];
  let shape = "matmul";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeMatmul">;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfProduct;
}

def Aten_LinearOp : Aten_PureOp<
    "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"> {
  let summary = "input @ weight^T + bias";
  let shape = "linear";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeLinear">;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfProduct;
}

def Aten_EinsumOp : Aten_PureOp<
    "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> "
    "Tensor"> {
  let summary = "Sum of products by an equation";
  let shape = "einsum";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeEinsum">;
  let recompute = RecomputeHeavy;
}

def Aten_ConvolutionOp : Aten_PureOp<
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] "
    "stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] "
    "output_padding, SymInt groups) -> Tensor"> {
  let summary = "Convolution in any number of dimensions";
  let shape = "convolution";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfConvolution;
  let lowering = LowerBy<"lowerConvolution">;
  let isCore = 1;
}

def Aten_Conv2dOp : Aten_PureOp<
    "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] "
    "stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], "
    "SymInt groups=1) -> Tensor"> {
  let summary = "Convolution of images";
  let shape = "conv(2)";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeConvolution<"false">;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfConvolution;
}

def Aten_ScaledDotProductAttentionOp : Aten_Op<
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor "
    "value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, "
    "*, float? scale=None, bool enable_gqa=False) -> Tensor"> {
  let summary = "softmax(query @ key^T * scale + mask) @ value";
  let description = [{
    `is_causal` masks what lies after the diagonal; `enable_gqa` repeats heads
    of key and value. A dropout that is not 0 draws random numbers.
  }];
  let shape = "attention";
  let promotion = PromoteSameDType;
  let promotes = ["query", "key", "value"];
  let decomposition = DecomposeBy<"decomposeAttention">;
  let recompute = RecomputeHeavy;
  let flops = FlopsOfAttention;
  let isCore = 1;
  let isRandom = 1;
}

def Aten_Conv1dOp : Aten_PureOp<
    "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] "
    "stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt "
    "groups=1) -> Tensor"> {
  let summary = "Convolution of signals";
  let shape = "conv(1)";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeConvolution<"false">;
  let flops = FlopsOfConvolution;
}

def Aten_Conv3dOp : Aten_PureOp<
    "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] "
    "stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, "
    "1], SymInt groups=1) -> Tensor"> {
  let summary = "Convolution of volumes";
  let shape = "conv(3)";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeConvolution<"false">;
  let flops = FlopsOfConvolution;
}

def Aten_ConvTranspose1dOp : Aten_PureOp<
    "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, "
    "SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] "
    "output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor"> {
  let summary = "Transposed convolution of signals";
  let shape = "convTransposed(1)";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeConvolution<"true">;
}

def Aten_ConvTranspose2dInputOp : Aten_PureOp<
    "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? "
    "bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] "
    "output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> "
    "Tensor"> {
  let summary = "Transposed convolution of images";
  let shape = "convTransposed(2)";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeConvolution<"true">;
}

def Aten_ConvolutionBackwardOp : Aten_PureOp<
    "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor "
    "weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] "
    "dilation, bool transposed, SymInt[] output_padding, SymInt groups, "
    "bool[3] output_mask) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Gradients of convolution";
  let shape = "convolutionBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_output"];
  let lowering = LowerBy<"lowerConvolutionBackward">;
}

def Aten_AddbmmOp : Aten_PureOp<
    "aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, "
    "Scalar alpha=1) -> Tensor"> {
  let summary = "beta * self + alpha * sum of products of matrices";
  let shape = "addbmm";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = Decompose<[
      (call "addmm", $self, (batch_in_columns $batch1), (batch_in_rows $batch2),
            $beta, $alpha)]>;
}

def Aten_AddmvOp : Aten_PureOp<
    "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar "
    "alpha=1) -> Tensor"> {
  let summary = "beta * self + alpha * matrix times vector";
  let shape = "mv";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = Decompose<[
      (view_like (call "addmm", (as_column $self), $mat, (as_column $vec),
                       $beta, $alpha), $result)]>;
}

def Aten_MvOp : Aten_PureOp<"aten::mv(Tensor self, Tensor vec) -> Tensor"> {
  let summary = "Matrix times vector";
  let shape = "mv";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = Decompose<[
      (view_like (mm $self, (unsqueeze $vec, 1)), $result)]>;
}

def Aten_DotOp : Aten_PureOp<
    "aten::dot(Tensor self, Tensor tensor) -> Tensor"> {
  let summary = "Sum of products of two vectors";
  let shape = "dot";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeWide<[(sum_all (mul $self, $tensor))]>;
}

def Aten_OuterOp : Aten_PureOp<
    "aten::outer(Tensor self, Tensor vec2) -> Tensor"> {
  let summary = "Products of all pairs of elements";
  let aliases = ["ger"];
  let shape = "outer";
  let promotion = PromoteDefault;
  let decomposition = Decompose<[
      (mul (unsqueeze $self, 1), (unsqueeze $vec2, 0))]>;
}

def Aten_BilinearOp : Aten_PureOp<
    "aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? "
    "bias=None) -> Tensor"> {
  let summary = "Bilinear form of two inputs";
  let shape = "bilinear";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeBy<"decomposeBilinear">;
}

def Aten_ScaledDotProductFlashAttentionForCpuOp : Aten_PureOp<
    "aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor "
    "key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? "
    "attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)"> {
  let summary = "Attention in tiles, and the logarithms of its sums";
  let shape = "flashAttention";
  let promotion = PromoteKeepFirst;
  let promotes = ["query"];
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeBy<"decomposeFlashAttention">;
}

def Aten_ScaledDotProductFlashAttentionForCpuBackwardOp : Aten_PureOp<
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor "
    "grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor "
    "logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, "
    "float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor "
    "grad_value)"> {
  let summary = "Gradients of attention in tiles";
  let shape = "flashAttentionBackward";
  let promotion = PromoteKeepFirst;
  let promotes = ["grad_out"];
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeBy<"decomposeFlashAttentionBackward">;
}

def Aten_GruInputOp : Aten_Op<
    "aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool "
    "has_biases, int num_layers, float dropout, bool train, bool "
    "bidirectional, bool batch_first) -> (Tensor, Tensor)"> {
  let summary = "Layers of gated recurrent units";
  let shape = "recurrent(3)";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeRecurrence<"Gru">;
  let lowering = RefuseBy<"refuseRecurrence", AnyOp>;
  let isRandom = 1;
}

def Aten_GruCellOp : Aten_PureOp<
    "aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? "
    "b_ih=None, Tensor? b_hh=None) -> Tensor"> {
  let summary = "One step of a gated recurrent unit";
  let shape = "recurrentCell(3)";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeGruCell">;
}

def Aten_LstmInputOp : Aten_Op<
    "aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool "
    "has_biases, int num_layers, float dropout, bool train, bool "
    "bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Layers of long short-term memory";
  let shape = "recurrent(4)";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeRecurrence<"Lstm">;
  let lowering = RefuseBy<"refuseRecurrence", AnyOp>;
  let isRandom = 1;
}

def Aten_LstmCellOp : Aten_PureOp<
    "aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, "
    "Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)"> {
  let summary = "One step of long short-term memory";
  let shape = "recurrentCell(4)";
  let promotion = PromoteKeepFirst;
  let promotes = ["input"];
  let decomposition = DecomposeBy<"decomposeLstmCell">;
}

def Aten_RnnTanhInputOp : Aten_Op<
    "aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool "
    "has_biases, int num_layers, float dropout, bool train, bool "
    "bidirectional, bool batch_first) -> (Tensor, Tensor)"> {
  let summary = "Layers of recurrent units with tanh";
  let shape = "recurrent(1)";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeRecurrence<"Tanh">;
  let lowering = RefuseBy<"refuseRecurrence", AnyOp>;
  let isRandom = 1;
}

def Aten_RnnReluInputOp : Aten_Op<
    "aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool "
    "has_biases, int num_layers, float dropout, bool train, bool "
    "bidirectional, bool batch_first) -> (Tensor, Tensor)"> {
  let summary = "Layers of recurrent units with relu";
  let shape = "recurrent(1)";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeRecurrence<"Relu">;
  let lowering = RefuseBy<"refuseRecurrence", AnyOp>;
  let isRandom = 1;
}

def Aten_ConvTranspose3dInputOp : Aten_PureOp<
    "aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? "
    "bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], "
    "SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] "
    "dilation=[1, 1, 1]) -> Tensor"> {
  let summary = "Transposed convolution of volumes";
  let shape = "convTransposed(3)";
  let promotion = PromoteSameDType;
  let recompute = RecomputeHeavy;
  let decomposition = DecomposeConvolution<"true">;
}

def Aten_Conv1dPaddingOp : Aten_PureOp<
    "aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, "
    "SymInt[1] stride=[1], str padding=\"valid\", SymInt[1] dilation=[1], "
    "SymInt "
    "groups=1) -> Tensor"> {
  let summary = "Convolution with a padding by its name";
  let modes = (ins Aten_ConvolutionPadding:$padding);
  let shape = "convNamedPadding(1)";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeNamedPadding", [], NamedPaddingFamily>;
}

def Aten_Conv2dPaddingOp : Aten_PureOp<
    "aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, "
    "SymInt[2] stride=[1, 1], str padding=\"valid\", SymInt[2] dilation=[1, "
    "1], "
    "SymInt groups=1) -> Tensor"> {
  let summary = "Convolution with a padding by its name";
  let modes = (ins Aten_ConvolutionPadding:$padding);
  let shape = "convNamedPadding(2)";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeNamedPadding", [], NamedPaddingFamily>;
}

def Aten_Conv3dPaddingOp : Aten_PureOp<
    "aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, "
    "SymInt[3] stride=[1, 1, 1], str padding=\"valid\", SymInt[3] dilation=[1, "
    "1, "
    "1], SymInt groups=1) -> Tensor"> {
  let summary = "Convolution with a padding by its name";
  let modes = (ins Aten_ConvolutionPadding:$padding);
  let shape = "convNamedPadding(3)";
  let promotion = PromoteSameDType;
  let decomposition = DecomposeBy<"decomposeNamedPadding", [], NamedPaddingFamily>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENCONTRACTIONOPS_TD
