// RUN: kiln-opt %s --aten-decompose=keep-differentiable --split-input-file | FileCheck %s

// An op with a derivative of its own waits for joint-differentiate.
// CHECK-LABEL: func.func @own_rule
// CHECK: aten.silu
// CHECK-NOT: aten.sigmoid
func.func @own_rule(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = aten.silu(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// A composite op has the derivative of what it is made of.
// CHECK-LABEL: func.func @composite
// CHECK: aten.mm
// CHECK-NOT: aten.linear
func.func @composite(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x5xf32> {
  %y = aten.linear(%x, %w) : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// A view only moves elements.
// CHECK-LABEL: func.func @view
// CHECK: aten.permute
func.func @view(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %y = aten.t(%x) : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
