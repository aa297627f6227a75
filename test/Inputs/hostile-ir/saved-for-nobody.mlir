// kiln-compile --training: exit 5, "the package does not verify: the forward program saves 1 values, the backward program expects 0"
func.func @forward(%x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]", requires_grad = true>})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">},
        tensor<4xf32> {aten.output = #aten.output<kind = saved, name = "saved_0", target = "saved_0">}) {
  %0 = aten.sin(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}
func.func @backward(%dy: tensor<4xf32> {aten.input = #aten.input<kind = tangent, name = "tangent_0", path = "">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = input_gradient, name = "grad_x", target = "[0][0]">}) {
  return %dy : tensor<4xf32>
}
