// loss = sum(x * w)
func.func @main(
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %0 = aten.mul.Tensor(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.sum(%0) : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
