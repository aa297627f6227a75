// Derivatives of complex: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4x2xf64>) {
  %c = aten.complex(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xcomplex<f64>>
  %r = aten.view_as_real(%c) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4x2xf64>
  return %r : tensor<3x4x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4x2xf64>) {
  %p = aten.exp(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %c = aten.polar(%p, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xcomplex<f64>>
  %r = aten.view_as_real(%c) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4x2xf64>
  return %r : tensor<3x4x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4x2xf64>) -> (tensor<3x4x2xf64>) {
  %c = aten.view_as_complex(%a0) : (tensor<3x4x2xf64>) -> tensor<3x4xcomplex<f64>>
  %r = aten.view_as_real(%c) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4x2xf64>
  return %r : tensor<3x4x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x3x2xf64>) {
  %c = aten._fft_r2c(%a0, dim = [1], normalization = 0, onesided = true) : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
  %r = aten.view_as_real(%c) : (tensor<3x3xcomplex<f64>>) -> tensor<3x3x2xf64>
  return %r : tensor<3x3x2xf64>
}
