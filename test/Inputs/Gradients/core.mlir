// Derivatives of ops that decompositions are made of: the gradients of all
// arguments against finite differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %r = aten._to_copy(%a0, dtype = f64) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64>, %a1: tensor<2x4x5xf64>) -> tensor<2x3x5xf64> {
  %r = aten.bmm(%a0, %a1) : (tensor<2x3x4xf64>, tensor<2x4x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %r = aten.ceil(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %r = aten.floor(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %r = aten.round(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %r = aten.trunc(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %r = aten.sign(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %l = arith.constant -0.5 : f64
  %h = arith.constant 0.5 : f64
  %r = aten.hardtanh(%a0, min_val = %l, max_val = %h) : (tensor<3x4xf64>, f64, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %w = arith.constant 0.3 : f64
  %r = aten.lerp.Scalar(%a0, %a1, %w) : (tensor<3x4xf64>, tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %m = arith.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %v = arith.constant 2.0 : f64
  %r = aten.masked_fill.Scalar(%a0, %m, %v) : (tensor<2x2xf64>, tensor<2x2xi1>, f64) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}
// -----
func.func @main(%a0: tensor<2x2xf64>, %a1: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %m = arith.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %r = aten.where.self(%m, %a0, %a1) : (tensor<2x2xi1>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>, %a2: tensor<4xf64>) -> tensor<3x4xf64> {
  %r:3 = aten.native_layer_norm(%a0, normalized_shape = [4], weight = %a1, bias = %a2, eps = 0.001) : (tensor<3x4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>, tensor<3x1xf64>)
  return %r#0 : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %b = arith.constant 2.5 : f64
  %r = aten.pow.Scalar(%b, %a0) : (f64, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x1x4xf64>) -> tensor<3x4xf64> {
  %r = aten.squeeze.dim(%a0, dim = 1) : (tensor<3x1x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<1x3x1x4xf64>) -> tensor<3x4xf64> {
  %r = aten.squeeze.dims(%a0, dim = [0, 2]) : (tensor<1x3x1x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> tensor<2x6xf64> {
  %r = aten.view(%a0, size = [2, 6]) : (tensor<3x4xf64>) -> tensor<2x6xf64>
  return %r : tensor<2x6xf64>
}
