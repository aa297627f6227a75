// Derivatives of reductions: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %r = aten.nansum(%a0, dim = [1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.prod(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %r = aten.prod.dim_int(%a0, dim = 1) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<1x4xf64>) {
  %r = aten.prod.dim_int(%a0, dim = 0, keepdim = true) : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %r : tensor<1x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.trace(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %r:2 = aten.aminmax(%a0, dim = 1) : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>, tensor<f64>) {
  %r:2 = aten.aminmax(%a0) : (tensor<3x4xf64>) -> (tensor<f64>, tensor<f64>)
  return %r#0, %r#1 : tensor<f64>, tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.max(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.min(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %r:2 = aten.median.dim(%a0, dim = 1) : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %r:2 = aten.min.dim(%a0, dim = 1) : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %r:2 = aten.max.dim(%a0, dim = 1) : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %r:2 = aten.mode(%a0) : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<4xf64>, tensor<4xi64>) {
  %r:2 = aten.kthvalue(%a0, k = 2, dim = 0) : (tensor<3x4xf64>) -> (tensor<4xf64>, tensor<4xi64>)
  return %r#0, %r#1 : tensor<4xf64>, tensor<4xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>) {
  %r:2 = aten.sort(%a0) : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>) {
  %r:2 = aten.sort(%a0, dim = 0, descending = true) : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>) {
  %r:2 = aten.sort.stable(%a0, stable = true) : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2xf64>, tensor<3x2xi64>) {
  %r:2 = aten.topk(%a0, k = 2) : (tensor<3x4xf64>) -> (tensor<3x2xf64>, tensor<3x2xi64>)
  return %r#0, %r#1 : tensor<3x2xf64>, tensor<3x2xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>) {
  %r:2 = aten.cummax(%a0, dim = 1) : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>) {
  %r:2 = aten.cummin(%a0, dim = 0) : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xi64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.cumprod(%a0, dim = 1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.logcumsumexp(%a0, dim = 1) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %r = aten.logsumexp(%a0, dim = [1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<1x1xf64>) {
  %r = aten.logsumexp(%a0, dim = [0, 1], keepdim = true) : (tensor<3x4xf64>) -> tensor<1x1xf64>
  return %r : tensor<1x1xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.var(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.std(%a0, unbiased = false) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %r = aten.std.dim(%a0, dim = [1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %r:2 = aten.std_mean.correction(%a0, dim = [0]) : (tensor<3x4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %r#0, %r#1 : tensor<4xf64>, tensor<4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>) {
  %r:2 = aten.var_mean.dim(%a0, dim = [1], keepdim = true) : (tensor<3x4xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  return %r#0, %r#1 : tensor<3x1xf64>, tensor<3x1xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %r = aten.var.dim(%a0, dim = [1]) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %r = aten.norm.Scalar(%a0) : (tensor<3x4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<f64>) {
  %n = arith.constant 3.0 : f64
  %r = aten.norm.Scalar(%a0, p = %n) : (tensor<3x4xf64>, f64) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %n = arith.constant 1.5 : f64
  %r = aten.norm.ScalarOpt_dim(%a0, p = %n, dim = [1]) : (tensor<3x4xf64>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %n = arith.constant 0x7FF0000000000000 : f64
  %r = aten.linalg_vector_norm(%a0, ord = %n, dim = [1]) : (tensor<3x4xf64>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %n = arith.constant 0.5 : f64
  %r = aten.linalg_vector_norm(%a0, ord = %n, dim = [1]) : (tensor<3x4xf64>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<3xf64>) {
  %r = aten.cosine_similarity(%a0, %a1, dim = 1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
