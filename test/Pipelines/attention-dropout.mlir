// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(kiln-core{training=true},kiln-joint{saves-sums=f32})' | FileCheck %s

// The backward of attention with dropout draws once more what the forward drew: two numbers
// are saved and no mask. Its weights are computed again from the scores, since the op that
// saves sums of rows has no dropout.

!h = tensor<1x2x80x16xf32>

// CHECK-LABEL: func.func @forward
// CHECK: %[[DRAWS:.*]] = aten.operator "aten::_draws"() [1] : () -> tensor<2xi64>
// CHECK: aten._softmax(
// CHECK: aten.bernoulli.p({{.*}}, p = 7.500000e-01, draws = %[[DRAWS]], draw = 0)
// CHECK: return %{{.*}}, %[[DRAWS]], %{{.*}} : tensor<1x2x80x16xf32>, tensor<2xi64>, tensor<2x80x80xf32>
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %[[SAVED:.*]]: tensor<2xi64> {
// CHECK-NOT: _draws
// CHECK: aten.bernoulli.p({{.*}}, p = 7.500000e-01, draws = %[[SAVED]], draw = 0)
// CHECK: aten._softmax(
// CHECK-NOT: bernoulli
// CHECK: return
func.func @main(%q: !h {aten.input = #aten.input<kind = user_input, name = "q", path = "[0][0]", requires_grad = true>}) -> !h {
  %0 = aten.scaled_dot_product_attention(%q, %q, %q, dropout_p = 0.25) : (!h, !h, !h) -> !h
  return %0 : !h
}

// -----

// With a probability of 0 it is attention without, which saves its sums.

!h = tensor<1x2x80x16xf32>

// CHECK-LABEL: func.func @forward
// CHECK-NOT: _draws
// CHECK-NOT: bernoulli
// CHECK: return %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x2x80x16xf32>, tensor<1x2x80x16xf32>, tensor<1x2x80xf32>
// CHECK-LABEL: func.func @backward
// CHECK-NOT: bernoulli
// CHECK-NOT: softmax
// CHECK: return
func.func @main(%q: !h {aten.input = #aten.input<kind = user_input, name = "q", path = "[0][0]", requires_grad = true>}) -> !h {
  %0 = aten.scaled_dot_product_attention(%q, %q, %q, dropout_p = 0.0) : (!h, !h, !h) -> !h
  return %0 : !h
}
