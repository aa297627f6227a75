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

def Aten_AdaptiveAvgPool2dOp : Aten_PureOp<"_adaptive_avg_pool2d",
    "aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["2"]>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool2dBackwardOp : Aten_PureOp<
    "_adaptive_avg_pool2d_backward",
    "aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) "
    "-> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of adaptive average pooling";
  let shape = "adaptivePoolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["2"]>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool3dOp : Aten_PureOp<"_adaptive_avg_pool3d",
    "aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["3"]>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool3dBackwardOp : Aten_PureOp<
    "_adaptive_avg_pool3d_backward",
    "aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) "
    "-> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of adaptive average pooling";
  let shape = "adaptivePoolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["3"]>;
  let isCore = 1;
}

def Aten_AdaptiveAvgPool1dOp : Aten_PureOp<"adaptive_avg_pool1d",
    "aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$output_size),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeAdaptiveAvgPool1d">;
  let lowering = LowerBy<"lowerAveragePool", ["1"]>;
}

def Aten_PlainAdaptiveAvgPool2dOp : Aten_PureOp<"adaptive_avg_pool2d",
    "aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposePlainAdaptiveAvgPool2d">;
  let lowering = LowerBy<"lowerAveragePool", ["2"]>;
}

def Aten_PlainAdaptiveAvgPool3dOp : Aten_PureOp<"adaptive_avg_pool3d",
    "aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$output_size),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows that give a size";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposePlainAdaptiveAvgPool3d">;
  let lowering = LowerBy<"lowerAveragePool", ["3"]>;
}

def Aten_AdaptiveMaxPool2dOp : Aten_PureOp<"adaptive_max_pool2d",
    "aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, "
    "Tensor)",
    (ins Aten_Tensor:$self, Aten_Ints:$output_size),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Greatest of windows that give a size, and where it was";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["2"]>;
  let isCore = 1;
}

def Aten_AvgPool1dOp : Aten_PureOp<"avg_pool1d",
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], "
    "int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) "
    "-> Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Bool:$ceil_mode,
         Aten_Bool:$count_include_pad),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeAvgPool1d">;
  let lowering = LowerBy<"lowerAveragePool", ["1"]>;
}

def Aten_AvgPool2dOp : Aten_PureOp<"avg_pool2d",
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], "
    "int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, "
    "int? divisor_override=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Bool:$ceil_mode, Aten_Bool:$count_include_pad,
         OptionalAttr<Aten_Int>:$divisor_override),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["2"]>;
  let isCore = 1;
}

def Aten_AvgPool2dBackwardOp : Aten_PureOp<"avg_pool2d_backward",
    "aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] "
    "kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool "
    "count_include_pad, int? divisor_override) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self, Aten_Ints:$kernel_size,
         Aten_Ints:$stride, Aten_Ints:$padding, Aten_Bool:$ceil_mode,
         Aten_Bool:$count_include_pad,
         OptionalAttr<Aten_Int>:$divisor_override),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of average pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["2"]>;
  let isCore = 1;
}

def Aten_AvgPool3dOp : Aten_PureOp<"avg_pool3d",
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], "
    "int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, "
    "int? divisor_override=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Bool:$ceil_mode, Aten_Bool:$count_include_pad,
         OptionalAttr<Aten_Int>:$divisor_override),
    (outs Aten_Tensor:$result)> {
  let summary = "Mean over windows";
  let shape = "averagePool3d";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["3"]>;
  let isCore = 1;
}

def Aten_AvgPool3dBackwardOp : Aten_PureOp<"avg_pool3d_backward",
    "aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] "
    "kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool "
    "count_include_pad, int? divisor_override) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self, Aten_Ints:$kernel_size,
         Aten_Ints:$stride, Aten_Ints:$padding, Aten_Bool:$ceil_mode,
         Aten_Bool:$count_include_pad,
         OptionalAttr<Aten_Int>:$divisor_override),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of average pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAveragePool", ["3"]>;
  let isCore = 1;
}

def Aten_MaxPool1dOp : Aten_PureOp<"max_pool1d",
    "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], "
    "int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Ints:$dilation, Aten_Bool:$ceil_mode),
    (outs Aten_Tensor:$result)> {
  let summary = "Greatest of windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeMaxPool1d">;
  let lowering = LowerBy<"lowerMaxPool", ["1"]>;
}

def Aten_MaxPool2dOp : Aten_PureOp<"max_pool2d",
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], "
    "int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Ints:$dilation, Aten_Bool:$ceil_mode),
    (outs Aten_Tensor:$result)> {
  let summary = "Greatest of windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeMaxPool2d">;
  let lowering = LowerBy<"lowerMaxPool", ["2"]>;
}

def Aten_MaxPool2dWithIndicesOp : Aten_PureOp<"max_pool2d_with_indices",
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] "
    "stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) "
    "-> (Tensor, Tensor)",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Ints:$dilation, Aten_Bool:$ceil_mode),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Greatest of windows, and where it was";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["2"]>;
  let isCore = 1;
}

def Aten_MaxPool2dWithIndicesBackwardOp : Aten_PureOp<
    "max_pool2d_with_indices_backward",
    "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor "
    "self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] "
    "dilation, bool ceil_mode, Tensor indices) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self, Aten_Ints:$kernel_size,
         Aten_Ints:$stride, Aten_Ints:$padding, Aten_Ints:$dilation,
         Aten_Bool:$ceil_mode, Aten_Tensor:$indices),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of max pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["2"]>;
  let isCore = 1;
}

def Aten_MaxPool3dWithIndicesOp : Aten_PureOp<"max_pool3d_with_indices",
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] "
    "stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) "
    "-> (Tensor, Tensor)",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Ints:$dilation, Aten_Bool:$ceil_mode),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Greatest of windows, and where it was";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["3"]>;
  let isCore = 1;
}

def Aten_MaxPool3dWithIndicesBackwardOp : Aten_PureOp<
    "max_pool3d_with_indices_backward",
    "aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor "
    "self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] "
    "dilation, bool ceil_mode, Tensor indices) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self, Aten_Ints:$kernel_size,
         Aten_Ints:$stride, Aten_Ints:$padding, Aten_Ints:$dilation,
         Aten_Bool:$ceil_mode, Aten_Tensor:$indices),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of max pooling";
  let shape = "poolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["3"]>;
  let isCore = 1;
}

def Aten_MaxPool1dWithIndicesOp : Aten_PureOp<"max_pool1d_with_indices",
    "aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, "
    "int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool "
    "ceil_mode=False) -> (Tensor, Tensor)",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Ints:$dilation, Aten_Bool:$ceil_mode),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Greatest of windows, and where it was";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeMaxPool1dWithIndices">;
  let lowering = LowerBy<"lowerMaxPool", ["1"]>;
}

def Aten_MaxPool3dOp : Aten_PureOp<"max_pool3d",
    "aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], "
    "int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$kernel_size, Aten_Ints:$stride,
         Aten_Ints:$padding, Aten_Ints:$dilation, Aten_Bool:$ceil_mode),
    (outs Aten_Tensor:$result)> {
  let summary = "Greatest of windows";
  let shape = "pool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeMaxPool3d">;
  let lowering = LowerBy<"lowerMaxPool", ["3"]>;
}

def Aten_AdaptiveMaxPool1dOp : Aten_PureOp<"adaptive_max_pool1d",
    "aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> "
    "(Tensor, Tensor)",
    (ins Aten_Tensor:$self, Aten_Ints:$output_size),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Greatest of windows that give a size, and where it was";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeAdaptiveMaxPool1d">;
  let lowering = LowerBy<"lowerMaxPool", ["1"]>;
}

def Aten_AdaptiveMaxPool3dOp : Aten_PureOp<"adaptive_max_pool3d",
    "aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> "
    "(Tensor, Tensor)",
    (ins Aten_Tensor:$self, Aten_Ints:$output_size),
    (outs Aten_Tensor:$result0, Aten_Tensor:$result1)> {
  let summary = "Greatest of windows that give a size, and where it was";
  let shape = "adaptivePool";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["3"]>;
  let isCore = 1;
}

def Aten_AdaptiveMaxPool2dBackwardOp : Aten_PureOp<
    "adaptive_max_pool2d_backward",
    "aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, "
    "Tensor indices) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self, Aten_Tensor:$indices),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of adaptive max pooling";
  let shape = "adaptivePoolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["2"]>;
  let isCore = 1;
}

def Aten_AdaptiveMaxPool3dBackwardOp : Aten_PureOp<
    "adaptive_max_pool3d_backward",
    "aten::adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, "
    "Tensor indices) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_Tensor:$self, Aten_Tensor:$indices),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of adaptive max pooling";
  let shape = "adaptivePoolBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerMaxPool", ["3"]>;
  let isCore = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENPOOLINGOPS_TD
