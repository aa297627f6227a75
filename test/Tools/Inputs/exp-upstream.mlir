// exp-aten.mlir with upstream's ops in the place of two operators.
func.func @main(
    %x: tensor<4x8xf32> {aten.input = #aten.input<kind = user_input, name = "x",
        path = "[0][0]", requires_grad = true>},
    %b: tensor<4x8xf32> {aten.input = #aten.input<kind = user_input, name = "b",
        path = "[0][1]", requires_grad = true>})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output,
        name = "loss", path = "">}) {
  %0 = aten.tanh(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = math.exp %0 : tensor<4x8xf32>
  %2 = arith.addf %1, %b : tensor<4x8xf32>
  %3 = aten.sin(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = aten.sum(%3) : (tensor<4x8xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}
