// RUN: kiln-opt %s --joint-differentiate --joint-append-optimizer=optimizer=adam,clip_norm=1 | FileCheck %s

// Complex parameters are updated as pairs of reals, as in `torch.optim`: real and
// imaginary part have a spread each.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: primals(%[[W:[a-z0-9]+]]: tensor<4xcomplex<f32>>
// CHECK-DAG: %[[PARAMETER:.*]] = aten.view_as_real(%[[W]])
// CHECK-DAG: %[[GRADIENT:.*]] = aten.view_as_real
// CHECK: aten.linalg_vector_norm(%{{.*}}) : (tensor<4x2xf32>
// CHECK: aten.addcmul({{.*}}) : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, f64) -> tensor<4x2xf32>
// CHECK: aten.add.Tensor(%[[PARAMETER]],
// CHECK-COUNT-3: aten.view_as_complex({{.*}}) : (tensor<4x2xf32>) -> tensor<4xcomplex<f32>>
func.func @main(
    %w: tensor<4xcomplex<f32>> {aten.input = #aten.input<kind = parameter, name = "w", path = "net.w", requires_grad = true>},
    %x: tensor<4xcomplex<f32>> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<4xcomplex<f32>> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %y = aten.mul.Tensor(%w, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %y : tensor<4xcomplex<f32>>
}
