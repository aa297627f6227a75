// RUN: kiln-opt %s --split-input-file | kiln-opt --split-input-file | FileCheck %s

// The first op that is PyTorch's is of a dialect beside aten: nothing else
// loads what it needs.

// CHECK-LABEL: func.func @levels
// CHECK: quantized_decomposed.quantize_per_tensor(%{{.*}}, scale = 5.000000e-01, zero_point = 3, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xf32>) -> tensor<3x8xi8>
func.func @levels(%x: tensor<3x8xf32>) -> tensor<3x8xi8> {
  %0 = quantized_decomposed.quantize_per_tensor(%x, scale = 0.5, zero_point = 3, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xf32>) -> tensor<3x8xi8>
  return %0 : tensor<3x8xi8>
}

// -----

// CHECK-LABEL: func.func @groups
// CHECK: transformers.grouped_mm_fallback(%{{.*}}) : (tensor<6x5xf32>, tensor<3x5x4xf32>, tensor<3xi32>) -> tensor<6x4xf32>
func.func @groups(%x: tensor<6x5xf32>, %w: tensor<3x5x4xf32>, %ends: tensor<3xi32>) -> tensor<6x4xf32> {
  %0 = transformers.grouped_mm_fallback(%x, %w, %ends) : (tensor<6x5xf32>, tensor<3x5x4xf32>, tensor<3xi32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
