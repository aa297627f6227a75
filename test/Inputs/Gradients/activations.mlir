// Derivatives of activations: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.mish(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.hardswish(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.hardsigmoid(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.relu6(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.selu(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.celu(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.elu(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.softplus(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.hardshrink(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.softshrink(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.silu(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.6 : f64
  %r = aten.celu(%a0, alpha = %n) : (tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.6 : f64
  %m = arith.constant 1.2 : f64
  %k = arith.constant 0.9 : f64
  %r = aten.elu(%a0, alpha = %n, scale = %m, input_scale = %k) : (tensor<3x4xf64>, f64, f64, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.3 : f64
  %m = arith.constant 0.1 : f64
  %r = aten.threshold(%a0, %n, %m) : (tensor<3x4xf64>, f64, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %n = arith.constant 0.3 : f64
  %r = aten.threshold_backward(%a0, %a1, %n) : (tensor<3x4xf64>, tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2xf64>) {
  %r = aten.glu(%a0) : (tensor<3x4xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<4x3xf64>) -> (tensor<2x3xf64>) {
  %r = aten.glu(%a0, dim = 0) : (tensor<4x3xf64>) -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64>, %a1: tensor<1x3x1xf64>) -> (tensor<2x3x4xf64>) {
  %r = aten._prelu_kernel(%a0, %a1) : (tensor<2x3x4xf64>, tensor<1x3x1xf64>) -> tensor<2x3x4xf64>
  return %r : tensor<2x3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r:2 = aten.log_sigmoid_forward(%a0) : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
  return %r#0 : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>) {
  %r:2 = aten.rrelu_with_noise_functional(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi1>) {
  %r:2 = aten.native_dropout(%a0, p = 0.0, train = false) : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi1>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xi1>
}
