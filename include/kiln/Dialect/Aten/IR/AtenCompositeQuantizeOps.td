//===- AtenCompositeQuantizeOps.td - Simulated quantization -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCOMPOSITEQUANTIZEOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCOMPOSITEQUANTIZEOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_FakeQuantizePerTensorAffineOp : Aten_CompositeOp<
    "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int "
    "zero_point, int quant_min, int quant_max) -> Tensor",
    "decomposeFakeQuantizePerTensorAffine"> {
  let summary = "Round to the levels of a grid";
}

def Aten_FakeQuantizePerTensorAffineTensorQparamsOp : Aten_CompositeOp<
    "aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor "
    "scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor",
    "decomposeFakeQuantizePerTensorAffineTensorQparams"> {
  let summary = "Round to the levels of a grid";
}

def Aten_FakeQuantizePerTensorAffineCachemaskOp : Aten_CompositeOp<
    "aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, "
    "int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor "
    "mask)", "decomposeFakeQuantizePerTensorAffineCachemask"> {
  let summary = "Round to the levels of a grid, and what lies inside";
}

def Aten_FakeQuantizePerTensorAffineCachemaskTensorQparamsOp : Aten_CompositeOp<
    "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor "
    "self, Tensor scale, Tensor zero_point, Tensor fake_quant_enabled, int "
    "quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    "decomposeFakeQuantizePerTensorAffineCachemaskTensorQparams"> {
  let summary = "Round to the levels of a grid where a switch is on";
}

def Aten_FakeQuantizePerChannelAffineOp : Aten_ActingCompositeOp<
    "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor "
    "zero_point, int axis, int quant_min, int quant_max) -> Tensor",
    "decomposeFakeQuantizePerChannelAffine"> {
  let summary = "Round to the levels of grids by channel";
}

def Aten_FakeQuantizePerChannelAffineCachemaskOp : Aten_ActingCompositeOp<
    "aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor "
    "scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> "
    "(Tensor output, Tensor mask)",
    "decomposeFakeQuantizePerChannelAffineCachemask"> {
  let summary = "Round to the levels of grids by channel, and what lies inside";
}

def Aten_FakeQuantizePerTensorAffineCachemaskBackwardOp : Aten_CompositeOp<
    "aten::fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, "
    "Tensor mask) -> Tensor"> {
  let summary = "Gradient inside of a grid";
  let decomposition = Decompose<[(mul $grad, $mask)]>;
}

def Aten_FakeQuantizePerChannelAffineCachemaskBackwardOp : Aten_CompositeOp<
    "aten::fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, "
    "Tensor mask) -> Tensor"> {
  let summary = "Gradient inside of grids by channel";
  let decomposition = Decompose<[(mul $grad, $mask)]>;
}

def Aten_FakeQuantizeLearnablePerTensorAffineOp : Aten_CompositeOp<
    "aten::_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor "
    "scale, Tensor zero_point, int quant_min, int quant_max, float "
    "grad_factor=1.) -> Tensor",
    "decomposeFakeQuantizeLearnablePerTensorAffine"> {
  let summary = "Round to the levels of a grid that is learned";
}

def Aten_FakeQuantizeLearnablePerTensorAffineBackwardOp : Aten_CompositeOp<
    "aten::_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, "
    "Tensor self, Tensor scale, Tensor zero_point, int quant_min, int "
    "quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)",
    "decomposeFakeQuantizeLearnablePerTensorAffineBackward"> {
  let summary = "Gradients of rounding to a grid that is learned";
}

def Aten_FakeQuantizeLearnablePerChannelAffineOp : Aten_CompositeOp<
    "aten::_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor "
    "scale, Tensor zero_point, int axis, int quant_min, int quant_max, float "
    "grad_factor=1.) -> Tensor",
    "decomposeFakeQuantizeLearnablePerChannelAffine"> {
  let summary = "Round to the levels of learned grids by channel";
}

def Aten_FakeQuantizeLearnablePerChannelAffineBackwardOp : Aten_CompositeOp<
    "aten::_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, "
    "Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, "
    "int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)",
    "decomposeFakeQuantizeLearnablePerChannelAffineBackward"> {
  let summary = "Gradients of rounding to learned grids by channel";
}

def Aten_FusedMovingAvgObsFqHelperFunctionalOp : Aten_CompositeOp<
    "aten::_fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor "
    "observer_on, Tensor fake_quant_on, Tensor running_min, Tensor "
    "running_max, Tensor scale, Tensor zero_point, float averaging_const, int "
    "quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, "
    "bool symmetric_quant=False) -> (Tensor output, Tensor mask, Tensor "
    "running_min_out, Tensor running_max_out, Tensor scale_out, Tensor "
    "zero_point_out)", "decomposeFusedMovingAvgObsFqHelperFunctional"> {
  let summary = "Observe a range, and round to the grid that it asks for";
}

//===----------------------------------------------------------------------===//
// Products of levels
//===----------------------------------------------------------------------===//

def Aten_IntMmOp : Aten_CompositeOp<
    "aten::_int_mm(Tensor self, Tensor mat2) -> Tensor", "decomposeIntMm"> {
  let summary = "Product of two matrices of bytes, in 32 bits";
}

def Aten_WeightInt8packMmOp : Aten_CompositeOp<
    "aten::_weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> "
    "Tensor", "decomposeWeightInt8packMm"> {
  let summary = "self @ mat2^T * scales, of a weight of bytes";
}

//===----------------------------------------------------------------------===//
// Products of 8-bit floats
//===----------------------------------------------------------------------===//

/// Factors are f8E4M3FN or f8E5M2, scales f32: one for a matrix, or one for each row of `self`
/// and each column of `mat2`. `scale_result` is of results of 8 bits alone. How sums are added up,
/// `use_fast_accum`, is a matter of units that do so with less than f32.
def Aten_ScaledMmOp : Aten_CompositeOp<
    "aten::_scaled_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor "
    "scale_b, Tensor? bias=None, Tensor? scale_result=None, ScalarType? "
    "out_dtype=None, bool use_fast_accum=False) -> Tensor",
    "decomposeScaledMm"> {
  let summary = "self @ mat2 * scale_a * scale_b + bias, of 8-bit floats";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITEQUANTIZEOPS_TD
