// Sums of rows; traced with sizes 4 and 6.
func.func @main(%x: tensor<4x6xf32> {aten.input = #aten.input<
                    kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<4xf32> {aten.output = #aten.output<
            kind = user_output, name = "y", path = "">}) {
  %0 = aten.sum.dim_IntList(%x, dim = [1])
      : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
