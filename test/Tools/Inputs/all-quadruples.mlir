// Sums of all pairs, triples and quadruples; traced with 4 numbers.
func.func @main(%x: tensor<4xf32> {aten.input = #aten.input<
                    kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<4x4x4x4xf32> {aten.output = #aten.output<
            kind = user_output, name = "y", path = "">}) {
  %0 = aten.unsqueeze(%x, dim = 1) : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = aten.add.Tensor(%0, %x) : (tensor<4x1xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = aten.unsqueeze(%1, dim = 2) : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
  %3 = aten.add.Tensor(%2, %x) : (tensor<4x4x1xf32>, tensor<4xf32>) -> tensor<4x4x4xf32>
  %4 = aten.unsqueeze(%3, dim = 3) : (tensor<4x4x4xf32>) -> tensor<4x4x4x1xf32>
  %5 = aten.add.Tensor(%4, %x) : (tensor<4x4x4x1xf32>, tensor<4xf32>) -> tensor<4x4x4x4xf32>
  return %5 : tensor<4x4x4x4xf32>
}
