// Derivatives of pointwise: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.asinh(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.atanh(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.digamma(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.erfc(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.erfinv(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.exp2(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.frac(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.lgamma(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.log10(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.logit(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.nan_to_num(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.sgn(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.angle(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.sinc(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.special_entr(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.square(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten._neg_view(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.clone(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %r = aten.fill.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 1.5 : f64
  %s = aten.add.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  %r = aten.acosh(%s) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.polygamma(n = 2, %a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.5 : f64
  %r = aten.rsub.Tensor(%a0, %a1, alpha = %n) : (tensor<3x4xf64>, tensor<4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.true_divide.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.div.Tensor_mode(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.7 : f64
  %r = aten.div.Scalar_mode(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.fmod.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.remainder.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.37 : f64
  %r = aten.remainder.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.37 : f64
  %r = aten.fmod.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>, %a2: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.lerp.Tensor(%a0, %a1, %a2) : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.ldexp.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.hypot(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.logaddexp(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.nextafter(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.xlogy.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.special_xlog1py(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.copysign.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant -1.0 : f64
  %r = aten.copysign.Scalar(%a0, %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 2.0 : f64
  %m = arith.constant 0.8 : f64
  %r = aten.renorm(%a0, %n, dim = 0, %m) : (tensor<3x4xf64>, f64, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 1.0 : f64
  %m = arith.constant 0.5 : f64
  %r = aten.renorm(%a0, %n, dim = 1, %m) : (tensor<3x4xf64>, f64, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %c = arith.constant dense<[[true, false, true, true], [false, true, false, true], [true, true, false, false]]> : tensor<3x4xi1>
  %n = arith.constant 0.5 : f64
  %r = aten.where.ScalarOther(%c, %a0, %n) : (tensor<3x4xi1>, tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %c = arith.constant dense<[[true, false, true, true], [false, true, false, true], [true, true, false, false]]> : tensor<3x4xi1>
  %n = arith.constant 0.5 : f64
  %r = aten.where.ScalarSelf(%c, %n, %a0) : (tensor<3x4xi1>, f64, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>, %a2: tensor<3x1xf64>) -> (tensor<3x4xf64>) {
  %r = aten.clamp.Tensor(%a0, min = %a1, max = %a2) : (tensor<3x4xf64>, tensor<4xf64>, tensor<3x1xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.clamp_min.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.clamp_max.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.25 : f64
  %r = aten.clamp(%a0, min = %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.max.other(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.min.other(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.fmax(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.fmin(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<f64>) -> (tensor<3x4xf64>) {
  %c = arith.constant dense<[[true, false, true, true], [false, true, false, true], [true, true, false, false]]> : tensor<3x4xi1>
  %r = aten.masked_fill.Tensor(%a0, %c, %a1) : (tensor<3x4xf64>, tensor<3x4xi1>, tensor<f64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.copy(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<f64>) -> (tensor<3x4xf64>) {
  %r = aten.fill.Tensor(%a0, %a1) : (tensor<3x4xf64>, tensor<f64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.contiguous(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.alias(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.lift_fresh_copy(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.to.device(%a0, device = "cpu", dtype = f64) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.to.dtype_layout(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.to.dtype(%a0, dtype = f64) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.tril(%a0, diagonal = 1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.triu(%a0, diagonal = -1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
