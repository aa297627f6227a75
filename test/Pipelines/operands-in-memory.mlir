// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-joint{operands-in-memory})' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-joint)' | FileCheck %s --check-prefix=AGAIN

// What `gelu` gives is an operand of a product in the forward and of another one in the backward,
// which read it from memory.
// CHECK-LABEL: func.func @forward
// CHECK: aten.gelu(
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten.gelu(
// CHECK: aten.gelu_backward
// CHECK-NOT: aten.gelu(

// Where products compute it as they read it is not worth its bytes.
// AGAIN-LABEL: func.func @backward
// AGAIN: aten.gelu(
func.func @main(
    %x: tensor<64x32xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %w: tensor<128x32xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>},
    %v: tensor<16x128xf32> {aten.input = #aten.input<kind = parameter, name = "v", path = "v", requires_grad = true>})
    -> tensor<64x16xf32> {
  %0 = aten.linear(%x, %w) : (tensor<64x32xf32>, tensor<128x32xf32>) -> tensor<64x128xf32>
  %1 = aten.gelu(%0) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = aten.linear(%1, %v) : (tensor<64x128xf32>, tensor<16x128xf32>) -> tensor<64x16xf32>
  return %2 : tensor<64x16xf32>
}
