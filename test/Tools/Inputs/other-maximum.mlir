// exp(h - 88.5 - max h) over its sum, times v: softmax(h) @ v, where the exponentials are denormal numbers.
func.func @main(%q: tensor<1x256x64xf32> {aten.input = #aten.input<kind = user_input, name = "q", path = "[0][0]">}, %k: tensor<1x64x256xf32> {aten.input = #aten.input<kind = user_input, name = "k", path = "[0][1]">}, %v: tensor<1x256x64xbf16> {aten.input = #aten.input<kind = user_input, name = "v", path = "[0][2]">}) -> (tensor<1x256x64xbf16> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %s = aten.bmm(%q, %k) : (tensor<1x256x64xf32>, tensor<1x64x256xf32>) -> tensor<1x256x256xf32>
  %c1 = arith.constant 1.000000e-02 : f64
  %c2 = arith.constant -8.850000e+01 : f64
  %h = aten.mul.Scalar(%s, %c1) : (tensor<1x256x256xf32>, f64) -> tensor<1x256x256xf32>
  %t = aten.add.Scalar(%h, %c2) : (tensor<1x256x256xf32>, f64) -> tensor<1x256x256xf32>
  %m = aten.amax(%h, dim = [-1], keepdim = true) : (tensor<1x256x256xf32>) -> tensor<1x256x1xf32>
  %d = aten.sub.Tensor(%t, %m) : (tensor<1x256x256xf32>, tensor<1x256x1xf32>) -> tensor<1x256x256xf32>
  %e = aten.exp(%d) : (tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  %z = aten.sum.dim_IntList(%e, dim = [-1], keepdim = true) : (tensor<1x256x256xf32>) -> tensor<1x256x1xf32>
  %p = aten.div.Tensor(%e, %z) : (tensor<1x256x256xf32>, tensor<1x256x1xf32>) -> tensor<1x256x256xf32>
  %w = aten._to_copy(%v, dtype = f32) : (tensor<1x256x64xbf16>) -> tensor<1x256x64xf32>
  %o = aten.bmm(%p, %w) : (tensor<1x256x256xf32>, tensor<1x256x64xf32>) -> tensor<1x256x64xf32>
  %y = aten._to_copy(%o, dtype = bf16) : (tensor<1x256x64xf32>) -> tensor<1x256x64xbf16>
  return %y : tensor<1x256x64xbf16>
}
