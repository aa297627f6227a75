func.func @main(
    %x: tensor<4x8xf32> {aten.input = #aten.input<kind = user_input, name = "x",
        path = "[0][0]", requires_grad = true>},
    %b: tensor<4x8xf32> {aten.input = #aten.input<kind = user_input, name = "b",
        path = "[0][1]", requires_grad = true>})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output,
        name = "loss", path = "">}) {
  %0 = aten.tanh(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = aten.exp(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = aten.add.Tensor(%1, %b)
    : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = aten.sin(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = aten.sum(%3) : (tensor<4x8xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}
