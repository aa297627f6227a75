// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --convert-aten-to-loop | FileCheck %s
// RUN: kiln-opt %s --convert-aten-to-loop | FileCheck %s

// Outputs that were recorded with their channels last may be stored so, on any device; others
// have the strides that were recorded.
// CHECK: func.func @main
// CHECK-SAME: -> (tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = user_output, name = "a", path = "">, aten.output_order = array<i64: 0, 2, 3, 1>, loop.order = array<i64: 0, 1, 2, 3>},
// CHECK-SAME: tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = user_output, name = "b", path = "">},
// CHECK-SAME: tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = user_output, name = "c", path = "">, aten.output_order = array<i64: 0, 1, 3, 2>})
func.func @main(
    %x: tensor<2x3x4x5xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "x">})
    -> (tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = user_output, name = "a", path = "">, aten.output_order = array<i64: 0, 2, 3, 1>},
        tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = user_output, name = "b", path = "">},
        tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = user_output, name = "c", path = "">, aten.output_order = array<i64: 0, 1, 3, 2>}) {
  %0 = aten.exp(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = aten.neg(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %2 = aten.sin(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0, %1, %2 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>
}

// What is saved for the backward may have any order in both functions, on any device.
// CHECK: func.func @forward
// CHECK-SAME: -> (tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = saved, name = "saved_0", target = "saved_0">, loop.carried = "saved_0"})
// CHECK: func.func @backward
// CHECK-SAME: {aten.input = #aten.input<kind = saved, name = "saved_0">, loop.carried = "saved_0"
func.func @forward(
    %x: tensor<2x3x4x5xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "x">})
    -> (tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = saved, name = "saved_0", target = "saved_0">}) {
  %0 = aten.exp(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}
func.func @backward(
    %x: tensor<2x3x4x5xf32> {aten.input = #aten.input<kind = saved, name = "saved_0">})
    -> (tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = user_output, name = "a", path = "">}) {
  %0 = aten.neg(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// A gradient may lie as what it is the gradient of, a tangent lies as its output.
// CHECK: func.func @gradients
// CHECK-SAME: %arg0: tensor<2x3x4x5xf32> {aten.input = #aten.input<kind = tangent, name = "tangent_0">, aten.output_order = array<i64: 0, 2, 3, 1>, loop.strides = #guard.shape<[60, 1, 15, 3]>}
// CHECK-SAME: %arg1: tensor<2x3x4x5xf32> {aten.input = #aten.input<kind = tangent, name = "tangent_1">, aten.output_order = array<i64: 0, 1, 3, 2>}
// CHECK-SAME: name = "grad_x", target = "x">, aten.output_order = array<i64: 0, 2, 3, 1>, loop.order = array<i64: 0, 1, 2, 3>}
// CHECK-SAME: name = "grad_w", target = "w">, aten.output_order = array<i64: 0, 2, 3, 1>, loop.order = array<i64: 0, 1, 2, 3>}
func.func @gradients(
    %x: tensor<2x3x4x5xf32> {aten.input = #aten.input<kind = tangent, name = "tangent_0">, aten.output_order = array<i64: 0, 2, 3, 1>},
    %w: tensor<2x3x4x5xf32> {aten.input = #aten.input<kind = tangent, name = "tangent_1">, aten.output_order = array<i64: 0, 1, 3, 2>})
    -> (tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = input_gradient, name = "grad_x", target = "x">, aten.output_order = array<i64: 0, 2, 3, 1>},
        tensor<2x3x4x5xf32> {aten.output = #aten.output<kind = parameter_gradient, name = "grad_w", target = "w">, aten.output_order = array<i64: 0, 2, 3, 1>}) {
  %0 = aten.neg(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = aten.sin(%w) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0, %1 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>
}
