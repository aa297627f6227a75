// y = x * w, and w itself
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w">},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "[0]">},
        tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "v", path = "[1]">}) {
  %0 = aten.mul.Tensor(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %w : tensor<4xf32>, tensor<4xf32>
}
