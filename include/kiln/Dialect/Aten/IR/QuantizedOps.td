//===- QuantizedOps.td - Operators of quantization ---------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_QUANTIZEDOPS_TD
#define KILN_DIALECT_ATEN_IR_QUANTIZEDOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"
include "kiln/Dialect/Aten/IR/QuantizedDialect.td"

class QuantizedDecomposed_Op<string schemaText, string function>
    : Aten_CompositeOverloadOp<QuantizedDecomposed_Dialect,
                               "quantized_decomposed::" # schemaText, function,
                               NoEffects>;

//===----------------------------------------------------------------------===//
// Grids of a tensor
//===----------------------------------------------------------------------===//

def QuantizedDecomposed_QuantizePerTensorOp : QuantizedDecomposed_Op<
    "quantize_per_tensor(Tensor input, float scale, int zero_point, int "
    "quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "decomposeQuantizePerTensor"> {
  let summary = "Levels of floats on a grid";
}

def QuantizedDecomposed_QuantizePerTensorTensorOp : QuantizedDecomposed_Op<
    "quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, "
    "int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "decomposeQuantizePerTensorTensor"> {
  let summary = "Levels of floats on a grid that is computed";
}

def QuantizedDecomposed_QuantizePerTensorTensor2Op : QuantizedDecomposed_Op<
    "quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, "
    "Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
    "decomposeQuantizePerTensorTensor2"> {
  let summary = "Levels of floats on a grid whose bounds are computed, too";
}

def QuantizedDecomposed_DequantizePerTensorOp : QuantizedDecomposed_Op<
    "dequantize_per_tensor(Tensor input, float scale, int zero_point, int "
    "quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) "
    "-> Tensor", "decomposeDequantizePerTensor"> {
  let summary = "Floats of levels on a grid";
}

def QuantizedDecomposed_DequantizePerTensorTensorOp : QuantizedDecomposed_Op<
    "dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor "
    "zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? "
    "out_dtype=None) -> Tensor", "decomposeDequantizePerTensorTensor"> {
  let summary = "Floats of levels on a grid that is computed";
}

def QuantizedDecomposed_DequantizePerTensorTensor2Op : QuantizedDecomposed_Op<
    "dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor "
    "zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, "
    "ScalarType? out_dtype=None) -> Tensor",
    "decomposeDequantizePerTensorTensor2"> {
  let summary = "Floats of levels on a grid that is computed";
}

def QuantizedDecomposed_ChooseQparamsTensorOp : QuantizedDecomposed_Op<
    "choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float "
    "eps, ScalarType dtype) -> (Tensor, Tensor)", "decomposeChooseQparams"> {
  let summary = "Scale and zero of a grid that holds a tensor";
}

def QuantizedDecomposed_ChooseQparamsSymmetricTensorOp : QuantizedDecomposed_Op<
    "choose_qparams_symmetric.tensor(Tensor input, int quant_min, int "
    "quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
    "decomposeChooseQparamsSymmetric"> {
  let summary = "Scale and zero of a symmetric grid that holds a tensor";
}

//===----------------------------------------------------------------------===//
// Grids of channels, of tokens and of groups
//===----------------------------------------------------------------------===//

def QuantizedDecomposed_QuantizePerChannelOp : QuantizedDecomposed_Op<
    "quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int "
    "axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "decomposeQuantizePerChannel"> {
  let summary = "Levels of floats, with a grid for each channel";
}

def QuantizedDecomposed_DequantizePerChannelOp : QuantizedDecomposed_Op<
    "dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, "
    "int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? "
    "out_dtype=None) -> Tensor", "decomposeDequantizePerChannel"> {
  let summary = "Floats of levels, with a grid for each channel";
}

def QuantizedDecomposed_FakeQuantPerChannelOp : QuantizedDecomposed_Op<
    "fake_quant_per_channel(Tensor input, Tensor scales, Tensor zero_points, int "
    "axis, int quant_min, int quant_max) -> Tensor",
    "decomposeFakeQuantPerChannel"> {
  let summary = "Round to the levels of grids by channel";
}

def QuantizedDecomposed_ChooseQparamsPerTokenOp : QuantizedDecomposed_Op<
    "choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, "
    "Tensor)", "decomposeChooseQparamsPerToken"> {
  let summary = "Symmetric grids that hold the rows of a tensor";
}

def QuantizedDecomposed_ChooseQparamsPerTokenAsymmetricOp
    : QuantizedDecomposed_Op<
    "choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> "
    "(Tensor, Tensor)", "decomposeChooseQparamsPerTokenAsymmetric"> {
  let summary = "Grids that hold the rows of a tensor";
}

def QuantizedDecomposed_QuantizePerTokenOp : QuantizedDecomposed_Op<
    "quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int "
    "quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "decomposeQuantizePerToken"> {
  let summary = "Levels of floats, with a grid for each row";
}

def QuantizedDecomposed_DequantizePerTokenOp : QuantizedDecomposed_Op<
    "dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int "
    "quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> "
    "Tensor", "decomposeDequantizePerToken"> {
  let summary = "Floats of levels, with a grid for each row";
}

def QuantizedDecomposed_QuantizePerChannelGroupOp
    : Aten_CompositeOverloadOp<QuantizedDecomposed_Dialect,
    "quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor "
    "scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, "
    "int group_size) -> Tensor", "decomposeQuantizePerChannelGroup"> {
  let summary = "Levels of floats, with a grid for each group of a row";
}

def QuantizedDecomposed_DequantizePerChannelGroupOp : QuantizedDecomposed_Op<
    "dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? "
    "zero_points, int quant_min, int quant_max, ScalarType dtype, int "
    "group_size, ScalarType output_dtype) -> Tensor",
    "decomposeDequantizePerChannelGroup"> {
  let summary = "Floats of levels, with a grid for each group of a row";
}

def QuantizedDecomposed_ConvertElementTypeNoFuseOp : QuantizedDecomposed_Op<
    "convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor",
    "decomposeConvertElementTypeNoFuse"> {
  let summary = "Cast";
}

#endif // KILN_DIALECT_ATEN_IR_QUANTIZEDOPS_TD
