// Kernels before and behind operators of complex numbers, which have none.
func.func @main(%x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">}) -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %r = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %c = aten.complex(%r, %r) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %a = aten.abs(%c) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %y = aten.relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
