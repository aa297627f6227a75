func.func @main(%w: tensor<16x8xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>},
                %x: tensor<4x8xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<4x16xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.linear(%x, %w) : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
