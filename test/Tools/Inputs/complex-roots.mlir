// The roots of a complex tensor: complex numbers have no kernels, the rest does.
func.func @main(%x: tensor<4xcomplex<f32>> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">}) -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %s = aten.sqrt(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %a = aten.abs(%s) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %y = aten.relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
