// A loss that is linear in nothing: the squares of w * x.
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %y = aten.mul.Tensor(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = aten.mul.Tensor(%y, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = aten.sum(%z) : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
