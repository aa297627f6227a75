// Derivatives of losses: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.mse_loss(%a0, %a1, reduction = 0) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.mse_loss(%a0, %a1, reduction = 1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.mse_loss(%a0, %a1, reduction = 2) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.huber_loss(%a0, %a1, delta = 0.3) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.smooth_l1_loss(%a0, %a1, beta = 0.3) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.l1_loss(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %t = arith.constant dense<1.0> : tensor<3x4xf64>
  %r = aten.soft_margin_loss(%a0, %t) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %p = aten.sigmoid(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %t = aten.sigmoid(%a1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %r = aten.binary_cross_entropy(%p, %t) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %p = aten.sigmoid(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %t = aten.sigmoid(%a1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %w = arith.constant dense<0.7> : tensor<3x4xf64>
  %r = aten.binary_cross_entropy(%p, %t, weight = %w, reduction = 2) : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.binary_cross_entropy_with_logits(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %w = arith.constant dense<0.7> : tensor<3x4xf64>
  %p = arith.constant dense<1.3> : tensor<4xf64>
  %r = aten.binary_cross_entropy_with_logits(%a0, %a1, weight = %w, pos_weight = %p, reduction = 0) : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.kl_div(%a0, %a1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.kl_div(%a0, %a1, reduction = 2, log_target = true) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %t = arith.constant dense<[1, 3, 0]> : tensor<3xi64>
  %r = aten.multi_margin_loss(%a0, %t) : (tensor<3x4xf64>, tensor<3xi64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %t = arith.constant dense<[1, 3, 0]> : tensor<3xi64>
  %n = arith.constant 2 : i64
  %m = arith.constant 0.7 : f64
  %r = aten.multi_margin_loss(%a0, %t, p = %n, margin = %m, reduction = 0) : (tensor<3x4xf64>, tensor<3xi64>, i64, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>, tensor<f64>) {
  %t = arith.constant dense<[1, 3, 0]> : tensor<3xi64>
  %r:2 = aten.nll_loss_forward(%a0, %t, reduction = 1, ignore_index = -100) : (tensor<3x4xf64>, tensor<3xi64>) -> (tensor<f64>, tensor<f64>)
  return %r#0, %r#1 : tensor<f64>, tensor<f64>
}
// -----
func.func @main(%a0: tensor<1x4x2x2xf64>) -> (tensor<f64>, tensor<f64>) {
  %t = arith.constant dense<[[[1, 3], [0, 2]]]> : tensor<1x2x2xi64>
  %r:2 = aten.nll_loss2d_forward(%a0, %t, reduction = 1, ignore_index = 2) : (tensor<1x4x2x2xf64>, tensor<1x2x2xi64>) -> (tensor<f64>, tensor<f64>)
  return %r#0, %r#1 : tensor<f64>, tensor<f64>
}
