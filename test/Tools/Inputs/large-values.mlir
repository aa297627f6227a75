// softmax(q @ k) @ v, where v is from 1e37 to 6e37: 256 such values have no sum in f32, their mean is one.
func.func @main(%q: tensor<1x256x64xf32> {aten.input = #aten.input<kind = user_input, name = "q", path = "[0][0]">}, %k: tensor<1x64x256xf32> {aten.input = #aten.input<kind = user_input, name = "k", path = "[0][1]">}, %v: tensor<1x256x64xf32> {aten.input = #aten.input<kind = user_input, name = "v", path = "[0][2]">}) -> (tensor<1x256x64xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %s = aten.bmm(%q, %k) : (tensor<1x256x64xf32>, tensor<1x64x256xf32>) -> tensor<1x256x256xf32>
  %c0 = arith.constant 1.000000e-02 : f64
  %h = aten.mul.Scalar(%s, %c0) : (tensor<1x256x256xf32>, f64) -> tensor<1x256x256xf32>
  %p = aten._softmax(%h, dim = -1, half_to_float = false) : (tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %a = aten.abs(%v) : (tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  %c1 = arith.constant 1.000000e+00 : f64
  %b = aten.add.Scalar(%a, %c1) : (tensor<1x256x64xf32>, f64) -> tensor<1x256x64xf32>
  %c2 = arith.constant 1.000000e+37 : f64
  %w = aten.mul.Scalar(%b, %c2) : (tensor<1x256x64xf32>, f64) -> tensor<1x256x64xf32>
  %o = aten.bmm(%p, %w) : (tensor<1x256x256xf32>, tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  return %o : tensor<1x256x64xf32>
}
