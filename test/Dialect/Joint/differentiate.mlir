// RUN: kiln-opt %s --split-input-file --joint-differentiate | FileCheck %s
// RUN: kiln-opt %s --split-input-file --joint-differentiate -o /dev/null --remarks-filter=joint-differentiate 2>&1 | FileCheck %s --check-prefix=REMARK

// Tangents follow the outputs, gradients the arguments that want one; labels
// say what belongs to what.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: primals(%[[W:[a-z0-9]+]]: tensor<4xf32> {{.*}}, %[[X:[a-z0-9]+]]: tensor<3x4xf32> {aten.input = {{[^)]*}})
// CHECK-SAME: tangents(%[[DY:[a-z0-9]+]]: tensor<3x4xf32> {aten.input = #aten.input<kind = tangent, name = "tangent_0", path = "[0]">})
// CHECK-SAME: outputs(tensor<3x4xf32>
// CHECK-SAME: gradients(tensor<4xf32> {aten.output = #aten.output<kind = parameter_gradient, name = "grad_p_w", target = "net.w">})
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "p_w", path = "net.w", requires_grad = true>},
    %x: tensor<3x4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<3x4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "[0]">}) {
  // The gradient of what was broadcast is summed.
  // CHECK: %[[Y:.*]] = aten.mul.Tensor(%[[X]], %[[W]])
  // CHECK: %[[P:.*]] = aten.mul.Tensor(%[[DY]], %[[X]])
  // CHECK: %[[DW:.*]] = aten.sum.dim_IntList(%[[P]], dim = [0])
  // CHECK: joint.return outputs(%[[Y]] : tensor<3x4xf32>) gradients(%[[DW]] : tensor<4xf32>)
  %y = aten.mul.Tensor(%x, %w) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// A value with two users gets the sum of what they give.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: tangents(%[[DY:[a-z0-9]+]]:
// CHECK: %[[E:.*]] = aten.exp
// CHECK: aten.add.Tensor
// CHECK-NEXT: %[[N:.*]] = aten.neg(%[[DY]])
// CHECK-NEXT: %[[G:.*]] = aten.mul.Tensor(%[[DY]], %[[E]])
// CHECK-NEXT: %[[S:.*]] = aten.add.Tensor(%[[N]], %[[G]])
// CHECK: gradients(%[[S]] : tensor<4xf32>)
func.func @main(%x: tensor<4xf32> {joint.requires_grad}) -> tensor<4xf32> {
  %e = aten.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %n = aten.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y = aten.add.Tensor(%e, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Of more than two, a sum of 16-bit gradients is kept in f32 and rounded once.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: tangents(%[[DY:[a-z0-9]+]]:
// CHECK-COUNT-3: aten._to_copy({{.*}}, dtype = f32)
// CHECK: %[[S:.*]] = aten.add.Tensor({{.*}}tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[T:.*]] = aten.add.Tensor(%[[S]], {{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = aten._to_copy(%[[T]], dtype = bf16)
// CHECK-NEXT: gradients(%[[G]] : tensor<4xbf16>)
func.func @main(%x: tensor<4xbf16> {joint.requires_grad}) -> tensor<4xbf16> {
  %a = aten.mul.Tensor(%x, %x) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %y = aten.mul.Tensor(%a, %x) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// Of complex numbers a gradient is multiplied by the conjugate of the slope, and
// a real operand gets the real part.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: primals(%[[Z:[a-z0-9]+]]: tensor<4xcomplex<f32>> {{.*}}, %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: tangents(%[[DY:[a-z0-9]+]]:
// CHECK: %[[DZ:.*]] = aten.mul.Tensor(%[[DY]], %[[X]])
// CHECK: %[[C:.*]] = aten._conj(%[[Z]])
// CHECK: %[[P:.*]] = aten.mul.Tensor(%[[DY]], %[[C]])
// CHECK: %[[DX:.*]] = aten.real(%[[P]])
// CHECK: gradients(%[[DZ]], %[[DX]] : tensor<4xcomplex<f32>>, tensor<4xf32>)
func.func @main(%z: tensor<4xcomplex<f32>> {joint.requires_grad}, %x: tensor<4xf32> {joint.requires_grad}) -> tensor<4xcomplex<f32>> {
  %y = aten.mul.Tensor(%z, %x) : (tensor<4xcomplex<f32>>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return %y : tensor<4xcomplex<f32>>
}

// -----

// Sizes that are symbols: what is equal as an expression is not summed.
// CHECK-LABEL: joint.graph @main
// CHECK-NOT: aten.sum
// CHECK: joint.return
guard.symbol @s0 range [2, 64] hint 8
func.func @main(%x: tensor<?x4xf32, #guard.shape<[s0, 4]>> {joint.requires_grad})
    -> tensor<?x4xf32, #guard.shape<[s0, 4]>> {
  %y = aten.mul.Tensor(%x, %x) : (tensor<?x4xf32, #guard.shape<[s0, 4]>>, tensor<?x4xf32, #guard.shape<[s0, 4]>>) -> tensor<?x4xf32, #guard.shape<[s0, 4]>>
  return %y : tensor<?x4xf32, #guard.shape<[s0, 4]>>
}

// -----

// REMARK: remark: [Missed] no-gradient | Category:joint-differentiate | Function=main | Reason="the gradient stops at '{{.*}}", argument=0
// No gradient flows through a comparison or past a detach, so the argument has
// none, and there is no tangent that nobody would read.
// CHECK-LABEL: joint.graph @main
// CHECK-SAME: tangents() -> outputs(tensor<4xi1>, tensor<4xf32>) gradients()
func.func @main(%x: tensor<4xf32> {joint.requires_grad}) -> (tensor<4xi1>, tensor<4xf32>) {
  %c = aten.gt.Tensor(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %d = aten.detach(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %c, %d : tensor<4xi1>, tensor<4xf32>
}

// -----

// The forward keeps attention whole; the backward is made of its parts.
// CHECK-LABEL: joint.graph @main
// CHECK: aten.scaled_dot_product_attention
// CHECK: aten._softmax(
// CHECK: aten._softmax_backward_data(
// CHECK: joint.return
func.func @main(%q: tensor<1x4x8xf32> {joint.requires_grad}, %k: tensor<1x5x8xf32>,
                %v: tensor<1x5x8xf32>) -> tensor<1x4x8xf32> {
  %y = aten.scaled_dot_product_attention(%q, %k, %v) : (tensor<1x4x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x4x8xf32>
  return %y : tensor<1x4x8xf32>
}

// -----

// The gradient of one element of each row is chosen by its place. Two of a row may be the same one: they are added up.
// CHECK-LABEL: joint.graph @main
// CHECK: aten.scatter_add(%{{.*}}, dim = 1, %{{.*}}, %{{.*}}) : (tensor<3x5xf32>, tensor<3x2xi64>, tensor<3x2xf32>)
// CHECK: %[[AT:.*]] = aten.view(%{{.*}}, size = [1, 5])
// CHECK: %[[IS:.*]] = aten.eq.Tensor(%[[AT]], %[[T:.*]]) : (tensor<1x5xi64>, tensor<3x1xi64>)
// CHECK: aten.where.self(%[[IS]], %{{.*}}) : (tensor<3x5xi1>, tensor<3x1xf32>, tensor<f32>)
func.func @main(%x: tensor<3x5xf32> {joint.requires_grad}, %t: tensor<3x1xi64>, %y: tensor<3x5xf32> {joint.requires_grad},
                %u: tensor<3x2xi64>) -> (tensor<3x1xf32>, tensor<3x2xf32>) {
  %a = aten.gather(%x, dim = 1, %t) : (tensor<3x5xf32>, tensor<3x1xi64>) -> tensor<3x1xf32>
  %b = aten.gather(%y, dim = 1, %u) : (tensor<3x5xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  return %a, %b : tensor<3x1xf32>, tensor<3x2xf32>
}
