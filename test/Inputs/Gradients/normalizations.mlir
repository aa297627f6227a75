// Derivatives of normalizations: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.softmax.int(%a0, dim = 1, dtype = f64) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.log_softmax.int(%a0, dim = 0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten._softmax(%a0, dim = 1, half_to_float = false) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten._log_softmax(%a0, dim = 1, half_to_float = false) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<2x4x3xf64>, %a1: tensor<4xf64>, %a2: tensor<4xf64>) -> (tensor<2x4x3xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %r:3 = aten.native_group_norm(%a0, weight = %a1, bias = %a2, N = 2, C = 4, HxW = 3, group = 2, eps = 0.001) : (tensor<2x4x3xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<2x4x3xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %r#0, %r#1, %r#2 : tensor<2x4x3xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>) {
  %r:2 = aten._fused_rms_norm(%a0, normalized_shape = [4], weight = %a1, eps = 0.001) : (tensor<3x4xf64>, tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x1xf64>
}
// -----
func.func @main(%a0: tensor<3x2x4xf64>, %a1: tensor<2xf64>, %a2: tensor<2xf64>) -> (tensor<3x2x4xf64>) {
  %r:3 = aten.native_batch_norm(%a0, weight = %a1, bias = %a2, training = true, momentum = 0.1, eps = 0.001) : (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>)
  return %r#0 : tensor<3x2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x2x4xf64>, %a1: tensor<2xf64>, %a2: tensor<2xf64>) -> (tensor<3x2x4xf64>) {
  %r:3 = aten._native_batch_norm_legit.no_stats(%a0, weight = %a1, bias = %a2, training = true, momentum = 0.1, eps = 0.001) : (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>)
  return %r#0 : tensor<3x2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x2x4xf64>, %a1: tensor<2xf64>, %a2: tensor<2xf64>) -> (tensor<3x2x4xf64>) {
  %m = arith.constant dense<[0.1, 0.2]> : tensor<2xf64>
  %v = arith.constant dense<[0.9, 1.1]> : tensor<2xf64>
  %r:5 = aten._native_batch_norm_legit_functional(%a0, weight = %a1, bias = %a2, %m, %v, training = true, momentum = 0.1, eps = 0.001) : (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %r#0 : tensor<3x2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x2x4xf64>, %a1: tensor<2xf64>, %a2: tensor<2xf64>) -> (tensor<3x2x4xf64>) {
  %m = arith.constant dense<[0.1, 0.2]> : tensor<2xf64>
  %v = arith.constant dense<[0.9, 1.1]> : tensor<2xf64>
  %r:3 = aten._native_batch_norm_legit_no_training(%a0, weight = %a1, bias = %a2, %m, %v, momentum = 0.1, eps = 0.001) : (tensor<3x2x4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x4xf64>, tensor<0xf64>, tensor<0xf64>)
  return %r#0 : tensor<3x2x4xf64>
}
