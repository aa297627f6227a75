//===- AtenPoolingOps.td - Pooling -------------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENPOOLINGOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENPOOLINGOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_AdaptiveAvgPool2dOp : Aten_PureOp<
    "aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> "
    "Tensor"> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool(AdaptivePool::Average)";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<2>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool2dBackwardOp : Aten_PureOp<
    "aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> "
    "Tensor"> {
  let summary = "Gradient of adaptive average pooling";
  let shape = "adaptivePoolBackward(2)";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<2>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool3dOp : Aten_PureOp<
    "aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> "
    "Tensor"> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool(AdaptivePool::Average)";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<3>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool3dBackwardOp : Aten_PureOp<
    "aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> "
    "Tensor"> {
  let summary = "Gradient of adaptive average pooling";
  let shape = "adaptivePoolBackward(3)";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<3>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool1dOp : Aten_PureOp<
    "aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor"> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool(AdaptivePool::AverageOrMean)";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposeAdaptiveAvgPool1d">;
}

def Aten_PlainAdaptiveAvgPool2dOp : Aten_PureOp<
    "aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor"> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool(AdaptivePool::AverageOrMean)";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposePlainAdaptiveAvgPool2d">;
}

def Aten_PlainAdaptiveAvgPool3dOp : Aten_PureOp<
    "aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor"> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool(AdaptivePool::AverageOrMean)";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposePlainAdaptiveAvgPool3d">;
}

def Aten_AdaptiveMaxPool2dOp : Aten_PureOp<
    "aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, "
    "Tensor)"> {
  let summary = "Greatest of windows that give a size, and where it was";
  let shape = "adaptivePool(AdaptivePool::Maximum)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<2>;
  let isCore = 1;
}

def Aten_AvgPool1dOp : Aten_PureOp<
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], "
    "int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> "
    "Tensor"> {
  let summary = "Mean over windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let decomposition = DecomposeBy<"decomposeAvgPool1d">;
}

def Aten_AvgPool2dOp : Aten_PureOp<
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], "
    "int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? "
    "divisor_override=None) -> Tensor"> {
  let summary = "Mean over windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<2>;
  let isCore = 1;
}

def Aten_AvgPool2dBackwardOp : Aten_PureOp<
    "aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] "
    "kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool "
    "count_include_pad, int? divisor_override) -> Tensor"> {
  let summary = "Gradient of average pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<2>;
  let isCore = 1;
}

def Aten_AvgPool3dOp : Aten_PureOp<
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], "
    "int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? "
    "divisor_override=None) -> Tensor"> {
  let summary = "Mean over windows";
  let shape = "averagePool3d";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<3>;
  let isCore = 1;
}

def Aten_AvgPool3dBackwardOp : Aten_PureOp<
    "aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] "
    "kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool "
    "count_include_pad, int? divisor_override) -> Tensor"> {
  let summary = "Gradient of average pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeReduction;
  let lowering = LowerAveragePool<3>;
  let isCore = 1;
}

def Aten_MaxPool1dOp : Aten_PureOp<
    "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], "
    "int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> "
    "Tensor"> {
  let summary = "Greatest of windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeMaxPool1d">;
}

def Aten_MaxPool2dOp : Aten_PureOp<
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], "
    "int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor"> {
  let summary = "Greatest of windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
    (call "max_pool2d_with_indices", $self, $kernel_size, $stride, $padding, $dilation,
          $ceil_mode)]>;
}

def Aten_MaxPool2dWithIndicesOp : Aten_PureOp<
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] "
    "stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> "
    "(Tensor, Tensor)"> {
  let summary = "Greatest of windows, and where it was";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<2>;
  let isCore = 1;
}

def Aten_MaxPool2dWithIndicesBackwardOp : Aten_PureOp<
    "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, "
    "int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool "
    "ceil_mode, Tensor indices) -> Tensor"> {
  let summary = "Gradient of max pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<2>;
  let isCore = 1;
}

def Aten_MaxPool3dWithIndicesOp : Aten_PureOp<
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] "
    "stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> "
    "(Tensor, Tensor)"> {
  let summary = "Greatest of windows, and where it was";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<3>;
  let isCore = 1;
}

def Aten_MaxPool3dWithIndicesBackwardOp : Aten_PureOp<
    "aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, "
    "int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool "
    "ceil_mode, Tensor indices) -> Tensor"> {
  let summary = "Gradient of max pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<3>;
  let isCore = 1;
}

def Aten_MaxPool1dWithIndicesOp : Aten_PureOp<
    "aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] "
    "stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) "
    "-> (Tensor, Tensor)"> {
  let summary = "Greatest of windows, and where it was";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeMaxPool1dWithIndices">;
}

def Aten_MaxPool3dOp : Aten_PureOp<
    "aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], "
    "int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor"> {
  let summary = "Greatest of windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
    (call "max_pool3d_with_indices", $self, $kernel_size, $stride, $padding, $dilation,
          $ceil_mode)]>;
}

def Aten_AdaptiveMaxPool1dOp : Aten_PureOp<
    "aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, "
    "Tensor)"> {
  let summary = "Greatest of windows that give a size, and where it was";
  let shape = "adaptivePool(AdaptivePool::Maximum)";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeAdaptiveMaxPool1d">;
}

def Aten_AdaptiveMaxPool3dOp : Aten_PureOp<
    "aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, "
    "Tensor)"> {
  let summary = "Greatest of windows that give a size, and where it was";
  let shape = "adaptivePool(AdaptivePool::Maximum)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<3>;
  let isCore = 1;
}

def Aten_AdaptiveMaxPool2dBackwardOp : Aten_PureOp<
    "aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, "
    "Tensor indices) -> Tensor"> {
  let summary = "Gradient of adaptive max pooling";
  let shape = "adaptivePoolBackward(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<2>;
  let isCore = 1;
}

def Aten_AdaptiveMaxPool3dBackwardOp : Aten_PureOp<
    "aten::adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, "
    "Tensor indices) -> Tensor"> {
  let summary = "Gradient of adaptive max pooling";
  let shape = "adaptivePoolBackward(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerMaxPool<3>;
  let isCore = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENPOOLINGOPS_TD
