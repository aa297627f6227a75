// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-joint{saves-sums=f32})' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-joint)' | FileCheck %s --check-prefix=AGAIN

// The forward of attention saves a number a row, and the backward finds no maximum again.
// CHECK-LABEL: func.func @forward
// CHECK: aten.log
// CHECK: return {{.*}} : tensor<1x2x80x16xf32>, tensor<1x2x80x16xf32>, tensor<1x2x80xf32>
// CHECK-LABEL: func.func @backward
// CHECK-NOT: amax
// CHECK-NOT: softmax
// CHECK: return

// AGAIN-LABEL: func.func @forward
// AGAIN: return {{.*}} : tensor<1x2x80x16xf32>
// AGAIN-LABEL: func.func @backward
// AGAIN: aten._softmax(
func.func @main(%q: tensor<1x2x80x16xf32> {aten.input = #aten.input<kind = user_input, name = "q", path = "[0][0]", requires_grad = true>}) -> tensor<1x2x80x16xf32> {
  %0 = aten.scaled_dot_product_attention(%q, %q, %q, is_causal = true)
    : (tensor<1x2x80x16xf32>, tensor<1x2x80x16xf32>, tensor<1x2x80x16xf32>) -> tensor<1x2x80x16xf32>
  return %0 : tensor<1x2x80x16xf32>
}
