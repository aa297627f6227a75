// One op a function, in f64: gradients against finite differences, and the op
// against what it decomposes into. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.neg(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.exp(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.expm1(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.log(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.log1p(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.log2(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.sin(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.cos(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.tan(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.asin(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.acos(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.atan(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.sinh(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.cosh(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.sqrt(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.rsqrt(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.reciprocal(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.abs(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.erf(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.tanh(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.sigmoid(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.relu(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.silu(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.gelu(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.clone(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.alias(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.contiguous(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.lift_fresh_copy(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.add.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.sub.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.mul.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.div.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.maximum(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.minimum(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.pow.Tensor_Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.atan2(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.add.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.sub.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.rsub.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.mul.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.div.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.clamp_min(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.clamp_max(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.fmod.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.remainder.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.pow.Tensor_Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 3.0 : f64
  %r = aten.pow.Tensor_Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.5 : f64
  %r = aten.pow.Tensor_Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.clamp(%a0, min = %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.leaky_relu(%a0, negative_slope = %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<f64>) {
  %r = aten.sum(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<f64>) {
  %r = aten.mean(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<f64>) {
  %r = aten.max(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.sum.dim_IntList(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.sum.dim_IntList(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.mean.dim(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.mean.dim(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.amax(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.amax(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.amin(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.amin(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.var.correction(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.var.correction(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.var.dim(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.var.dim(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.std.correction(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.std.correction(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.linalg_vector_norm(%a0, dim = [-1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<1x4xf64>) {
  %r = aten.linalg_vector_norm(%a0, dim = [0], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x1xf64>, tensor<3x1xf64>) {
  %r:2 = aten.var_mean.correction(%a0, dim = [1], keepdim = true) : (tensor<3x4xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %r#0, %r#1 : tensor<3x1xf64>, tensor<3x1xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>, tensor<3xi64>) {
  %r:2 = aten.max.dim(%a0, dim = 1) : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.cumsum(%a0, dim = 1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.softmax.int(%a0, dim = -1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.log_softmax.int(%a0, dim = -1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<2x3x4xf64>) {
  %r = aten.layer_norm(%a0, normalized_shape = [4], weight = %a1, bias = %a2) : (tensor<2x3x4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<2x3x4xf64>
  return %r : tensor<2x3x4xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<5x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<5xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<2x3x5xf64>) {
  %r = aten.linear(%a0, %a1, bias = %a2) : (tensor<2x3x4xf64>, tensor<5x4xf64>, tensor<5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<5x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<5xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<5xf64>) {
  %r = aten.linear(%a0, %a1, bias = %a2) : (tensor<4xf64>, tensor<5x4xf64>, tensor<5xf64>) -> tensor<5xf64>
  return %r : tensor<5xf64>
}
// -----
func.func @main(%a0: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<f64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<4xf64>, tensor<4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<5xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<4xf64>, tensor<4x5xf64>) -> tensor<5xf64>
  return %r : tensor<5xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x5xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<3x4xf64>, tensor<4x5xf64>) -> tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<2x3x5xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<2x3x4xf64>, tensor<4x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<2x3x5xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<2x3x4xf64>, tensor<2x4x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<7x1x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<7x2x3x5xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<7x1x3x4xf64>, tensor<2x4x5xf64>) -> tensor<7x2x3x5xf64>
  return %r : tensor<7x2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<2x3x5xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<3x4xf64>, tensor<2x4x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<2x3xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<2x3x4xf64>, tensor<4xf64>) -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
// -----
func.func @main(%a0: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<2x5xf64>) {
  %r = aten.matmul(%a0, %a1) : (tensor<4xf64>, tensor<2x4x5xf64>) -> tensor<2x5xf64>
  return %r : tensor<2x5xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4x8xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x3x5x8xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<2x3x5x8xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<2x3x4x8xf64>) {
  %r = aten.scaled_dot_product_attention(%a0, %a1, %a2, is_causal = true) : (tensor<2x3x4x8xf64>, tensor<2x3x5x8xf64>, tensor<2x3x5x8xf64>) -> tensor<2x3x4x8xf64>
  return %r : tensor<2x3x4x8xf64>
}
// -----
func.func @main(%a0: tensor<2x4x4x8xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x2x5x8xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<2x2x5x8xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}, %a3: tensor<4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a3", requires_grad = true>}) -> (tensor<2x4x4x8xf64>) {
  %r = aten.scaled_dot_product_attention(%a0, %a1, %a2, attn_mask = %a3, enable_gqa = true, scale = 0.5) : (tensor<2x4x4x8xf64>, tensor<2x2x5x8xf64>, tensor<2x2x5x8xf64>, tensor<4x5xf64>) -> tensor<2x4x4x8xf64>
  return %r : tensor<2x4x4x8xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<f64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t, weight = %a1) : (tensor<3x4xf64>, tensor<3xi64>, tensor<4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<f64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t) : (tensor<3x4xf64>, tensor<3xi64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3xf64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t, weight = %a1, reduction = 0) : (tensor<3x4xf64>, tensor<3xi64>, tensor<4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t, reduction = 0) : (tensor<3x4xf64>, tensor<3xi64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<f64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t, weight = %a1, reduction = 2) : (tensor<3x4xf64>, tensor<3xi64>, tensor<4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<f64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t, reduction = 2) : (tensor<3x4xf64>, tensor<3xi64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<f64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t, weight = %a1, label_smoothing = 0.1) : (tensor<3x4xf64>, tensor<3xi64>, tensor<4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<f64>) {
%t = arith.constant dense<[0,1,-100]> : tensor<3xi64>
  %r = aten.cross_entropy_loss(%a0, %t, label_smoothing = 0.1) : (tensor<3x4xf64>, tensor<3xi64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<f64>) {
  %r = aten.cross_entropy_loss(%a0, %a1, label_smoothing = 0.1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<4x3xf64>) {
  %r = aten.transpose.int(%a0, dim0 = 0, dim1 = 1) : (tensor<3x4xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<4x3xf64>) {
  %r = aten.t(%a0) : (tensor<3x4xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<4x3x2xf64>) {
  %r = aten.numpy_T(%a0) : (tensor<2x3x4xf64>) -> tensor<4x3x2xf64>
  return %r : tensor<4x3x2xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<4x2x3xf64>) {
  %r = aten.permute(%a0, dims = [2, 0, 1]) : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
  return %r : tensor<4x2x3xf64>
}
// -----
func.func @main(%a0: tensor<1x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x3x4xf64>) {
  %r = aten.expand(%a0, size = [2, 3, 4]) : (tensor<1x4xf64>) -> tensor<2x3x4xf64>
  return %r : tensor<2x3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x6xf64>) {
  %r = aten.reshape(%a0, shape = [2, 6]) : (tensor<3x4xf64>) -> tensor<2x6xf64>
  return %r : tensor<2x6xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x12xf64>) {
  %r = aten.flatten.using_ints(%a0, start_dim = 1) : (tensor<2x3x4xf64>) -> tensor<2x12xf64>
  return %r : tensor<2x12xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x2xf64>) {
  %r = aten.slice.Tensor(%a0, dim = 1, start = 1, end = 3) : (tensor<3x4xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3xf64>) {
  %r = aten.select.int(%a0, dim = 1, index = -1) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<1x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<4xf64>) {
  %r = aten.squeeze(%a0) : (tensor<1x4xf64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x1x4xf64>) {
  %r = aten.unsqueeze(%a0, dim = 1) : (tensor<3x4xf64>) -> tensor<3x1x4xf64>
  return %r : tensor<3x1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<5x4xf64>) {
  %r = aten.cat([%a0, %a1], dim = 0) : (tensor<3x4xf64>, tensor<2x4xf64>) -> tensor<5x4xf64>
  return %r : tensor<5x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x2x4xf64>) {
  %r = aten.stack([%a0, %a1], dim = 1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x2x4xf64>
  return %r : tensor<3x2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x3xf64>, tensor<3x1xf64>) {
  %r:2 = aten.split.Tensor(%a0, split_size = 3, dim = 1) : (tensor<3x4xf64>) -> (tensor<3x3xf64>, tensor<3x1xf64>)
  return %r#0, %r#1 : tensor<3x3xf64>, tensor<3x1xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x4xf64>, tensor<1x4xf64>) {
  %r:2 = aten.chunk(%a0, chunks = 2, dim = 0) : (tensor<3x4xf64>) -> (tensor<2x4xf64>, tensor<1x4xf64>)
  return %r#0, %r#1 : tensor<2x4xf64>, tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<2x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<4xf64>, tensor<4xf64>) {
  %r:2 = aten.unbind.int(%a0) : (tensor<2x4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %r#0, %r#1 : tensor<4xf64>, tensor<4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x3x12xf64>) {
  %r = aten.repeat(%a0, repeats = [2, 1, 3]) : (tensor<3x4xf64>) -> tensor<2x3x12xf64>
  return %r : tensor<2x3x12xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.roll(%a0, shifts = [1], dims = [1]) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.flip(%a0, dims = [1]) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x7xf64>) {
  %r = aten.constant_pad_nd(%a0, pad = [1, 2]) : (tensor<3x4xf64>) -> tensor<3x7xf64>
  return %r : tensor<3x7xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x7xf64>) {
  %r = aten.pad(%a0, pad = [1, 2]) : (tensor<3x4xf64>) -> tensor<3x7xf64>
  return %r : tensor<3x7xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.dropout(%a0, p = 0.5, train = false) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x2xf64>) {
%t = arith.constant dense<[[0,1],[1,0]]> : tensor<2x2xi64>
  %r = aten.gather(%a0, dim = 1, %t) : (tensor<3x4xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x2xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<3x4xf64>) {
%t = arith.constant dense<[[0,1],[1,0]]> : tensor<2x2xi64>
  %r = aten.scatter.src(%a0, dim = 1, %t, %a1) : (tensor<3x4xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x2x4xf64>) {
%t = arith.constant dense<[[0,1],[1,0]]> : tensor<2x2xi64>
  %r = aten.embedding(%a0, %t) : (tensor<3x4xf64>, tensor<2x2xi64>) -> tensor<2x2x4xf64>
  return %r : tensor<2x2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<2x2x4xf64>) {
%t = arith.constant dense<[[0,1],[1,0]]> : tensor<2x2xi64>
  %r = aten.index.Tensor(%a0, [%t]) : (tensor<3x4xf64>, tensor<2x2xi64>) -> tensor<2x2x4xf64>
  return %r : tensor<2x2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x2xf64>) {
%t = arith.constant dense<[0,1]> : tensor<2xi64>
  %r = aten.index_select(%a0, dim = 1, %t) : (tensor<3x4xf64>, tensor<2xi64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<5xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<3x5xf64>) {
  %r = aten.addmm(%a0, %a1, %a2) : (tensor<5xf64>, tensor<3x4xf64>, tensor<4x5xf64>) -> tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}
// -----
func.func @main(%a0: tensor<5xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<2x4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<2x3x5xf64>) {
  %r = aten.baddbmm(%a0, %a1, %a2) : (tensor<5xf64>, tensor<2x3x4xf64>, tensor<2x4x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<4x5xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}) -> (tensor<2x3x5xf64>) {
  %r = aten.einsum(equation = "bij,jk->bik", [%a0, %a1]) : (tensor<2x3x4xf64>, tensor<4x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.tril(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.addcmul(%a0, %a1, %a2) : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a0", requires_grad = true>}, %a1: tensor<3x4xf64> {aten.input = #aten.input<kind = user_input, name = "a1", requires_grad = true>}, %a2: tensor<4xf64> {aten.input = #aten.input<kind = user_input, name = "a2", requires_grad = true>}) -> (tensor<3x4xf64>) {
  %r = aten.addcdiv(%a0, %a1, %a2) : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
