// RUN: kiln-opt %s --convert-aten-to-loop | FileCheck %s

// Which result is the new contents of which argument is said in terms of loops:
// weights are found by path, inputs by name.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<4xf32> {aten.output = {{.*}}, loop.updates = 0 : i64}, tensor<4xf32> {aten.output = {{.*}}, loop.updates = 1 : i64}, tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">})
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "p_w", path = "w">},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "w">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = parameter_mutation, name = "n", target = "w">},
        tensor<4xf32> {aten.output = #aten.output<kind = input_mutation, name = "m", target = "x">},
        tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.exp(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.add.Tensor(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
