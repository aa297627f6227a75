func.func @main(
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.softmax.int(%x, dim = 0) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
