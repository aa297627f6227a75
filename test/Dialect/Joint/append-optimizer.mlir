// RUN: kiln-opt %s --joint-differentiate --joint-append-optimizer=optimizer=sgd,momentum=0.9 | FileCheck %s
// RUN: kiln-opt %s --joint-differentiate --joint-append-optimizer=optimizer=sgd,momentum=0.9 | FileCheck %s --check-prefix=GUARDED
// RUN: kiln-opt %s --joint-differentiate --joint-append-optimizer=optimizer=adamw --joint-partition | FileCheck %s --check-prefix=CUT

// The gradient of the parameter becomes its new contents, beside the new
// momentum; the gradient of the input stays. State and numbers are primals.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: primals(%[[W:[a-z0-9]+]]: tensor<4xf32> {{.*}}, %[[X:[a-z0-9]+]]: tensor<4xf32> {{.*}}, %[[LR:[a-z0-9]+]]: tensor<f64> {aten.input = #aten.input<kind = optimizer_state, name = "lr", path = "lr">}, %{{[a-z0-9]+}}: tensor<f64> {aten.input = #aten.input<kind = optimizer_state, name = "step", path = "step">}, %[[M:[a-z0-9]+]]: tensor<4xf32> {aten.input = #aten.input<kind = optimizer_state, name = "momentum_buffer_w", path = "momentum_buffer@net.w">})
// CHECK-SAME: tangents(%[[DY:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: gradients(tensor<4xf32> {aten.output = #aten.output<kind = input_gradient
// CHECK-SAME: tensor<4xf32> {aten.output = #aten.output<kind = parameter_mutation, name = "new_w", target = "net.w">}
// CHECK-SAME: tensor<4xf32> {aten.output = #aten.output<kind = buffer_mutation, name = "new_momentum_buffer_w", target = "momentum_buffer@net.w">})
// CHECK: %[[DW:.*]] = aten.mul.Tensor(%[[DY]], %[[X]])
// CHECK: %[[DX:.*]] = aten.mul.Tensor(%[[DY]], %[[W]])
// CHECK: %[[KEPT:.*]] = aten.mul.Tensor(%[[M]],
// CHECK: %[[MOVED:.*]] = aten.add.Tensor(%[[KEPT]], %[[DW]])
// CHECK: %[[MINUS:.*]] = aten.neg(%[[LR]])
// CHECK: %[[NEW:.*]] = aten.add.Tensor(%[[W]],
// CHECK: gradients(%[[DX]], %[[NEW]], %[[MOVED]] :

// After the cut the update is the backward's, and its state no saved value.
// CUT: func.func @forward
// CUT-NOT: aten.lerp
// CUT: func.func @backward(%{{.*}}: tensor<4xf32> {aten.input = #aten.input<kind = parameter
// CUT-NOT: kind = saved
// CUT-SAME: path = "exp_avg_sq@net.w"
// CUT: aten.pow.Scalar
// CUT: aten.lerp.Scalar
// CUT: aten.addcmul
// What a step writes has memory of its own.
// GUARDED-LABEL: guard.program
// GUARDED: guard.check_tensor 1 "x"
// GUARDED-NEXT: guard.check_no_alias 0 "w"
// GUARDED-NEXT: guard.check_no_alias 4 "momentum_buffer_w"
// GUARDED-NEXT: guard.check_expr
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "net.w", requires_grad = true>},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]", requires_grad = true>})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %y = aten.mul.Tensor(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

guard.symbol @s0 range [2, 64] hint 8
guard.program @main_guards for @main {
  guard.check_tensor 1 "x"
  guard.check_expr <le(s0, 64)> source "s0 <= 64"
}
