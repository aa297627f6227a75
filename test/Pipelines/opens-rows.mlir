// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-joint{opens-rows=true})' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-joint)' | FileCheck %s --check-prefix=WHOLE

// Of the rows of a loss the backward gets the maximum and the logarithm of the sum of exponentials,
// and the sum of the weights; with them it reads the logits once, and reduces no row.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: joint.saved_bytes = 68 : i64
// CHECK: aten.amax
// CHECK: aten.sum.dim_IntList
// CHECK-LABEL: func.func @backward(%{{.*}}: tensor<8x1xf32> {{.*}}, %{{.*}}: tensor<8x1xf32>
// CHECK-NOT: aten.amax
// CHECK-NOT: aten.sum.dim_IntList
// CHECK: aten.nll_loss_backward
// CHECK: return

// Operator by operator that would be passes over memory: there the loss is one call.

// WHOLE-LABEL: func.func @forward
// WHOLE-SAME: joint.saved_bytes = 0 : i64
// WHOLE-NEXT: aten.cross_entropy_loss
// WHOLE-NEXT: return
func.func @main(%x: tensor<8x100xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]", requires_grad = true>}, %t: tensor<8xi64>) -> tensor<f32> {
  %r = aten.cross_entropy_loss(%x, %t) : (tensor<8x100xf32>, tensor<8xi64>) -> tensor<f32>
  return %r : tensor<f32>
}
