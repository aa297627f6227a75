// Derivatives of contractions: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x5xf64>, %a1: tensor<2x3x4xf64>, %a2: tensor<2x4x5xf64>) -> (tensor<3x5xf64>) {
  %n = arith.constant 0.5 : f64
  %m = arith.constant 2.0 : f64
  %r = aten.addbmm(%a0, %a1, %a2, beta = %n, alpha = %m) : (tensor<3x5xf64>, tensor<2x3x4xf64>, tensor<2x4x5xf64>, f64, f64) -> tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}
// -----
func.func @main(%a0: tensor<3xf64>, %a1: tensor<3x4xf64>, %a2: tensor<4xf64>) -> (tensor<3xf64>) {
  %r = aten.addmv(%a0, %a1, %a2) : (tensor<3xf64>, tensor<3x4xf64>, tensor<4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<3xf64>) {
  %r = aten.mv(%a0, %a1) : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<4xf64>, %a1: tensor<4xf64>) -> (tensor<f64>) {
  %r = aten.dot(%a0, %a1) : (tensor<4xf64>, tensor<4xf64>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.outer(%a0, %a1) : (tensor<3xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<2x3xf64>, %a1: tensor<2x4xf64>, %a2: tensor<5x3x4xf64>, %a3: tensor<5xf64>) -> (tensor<2x5xf64>) {
  %r = aten.bilinear(%a0, %a1, %a2, bias = %a3) : (tensor<2x3xf64>, tensor<2x4xf64>, tensor<5x3x4xf64>, tensor<5xf64>) -> tensor<2x5xf64>
  return %r : tensor<2x5xf64>
}
// -----
func.func @main(%a0: tensor<2x3x5xf64>, %a1: tensor<2x3x4xf64>, %a2: tensor<2x4x5xf64>) -> (tensor<2x3x5xf64>) {
  %r = aten.baddbmm(%a0, %a1, %a2) : (tensor<2x3x5xf64>, tensor<2x3x4xf64>, tensor<2x4x5xf64>) -> tensor<2x3x5xf64>
  return %r : tensor<2x3x5xf64>
}
// -----
func.func @main(%a0: tensor<1x4x5x4xf64>, %a1: tensor<6x2x3x2xf64>, %a2: tensor<6xf64>) -> (tensor<1x6x3x3xf64>) {
  %r = aten.convolution(%a0, %a1, bias = %a2, stride = [2, 1], padding = [1, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 2) : (tensor<1x4x5x4xf64>, tensor<6x2x3x2xf64>, tensor<6xf64>) -> tensor<1x6x3x3xf64>
  return %r : tensor<1x6x3x3xf64>
}
// -----
func.func @main(%a0: tensor<1x2x3xf64>, %a1: tensor<2x3x3xf64>) -> (tensor<1x3x6xf64>) {
  %r = aten.convolution(%a0, %a1, stride = [2], padding = [1], dilation = [1], transposed = true, output_padding = [1], groups = 1) : (tensor<1x2x3xf64>, tensor<2x3x3xf64>) -> tensor<1x3x6xf64>
  return %r : tensor<1x3x6xf64>
}
// -----
func.func @main(%a0: tensor<1x2x5xf64>, %a1: tensor<3x2x3xf64>, %a2: tensor<3xf64>) -> (tensor<1x3x5xf64>) {
  %r = aten.conv1d(%a0, %a1, bias = %a2, padding = [1]) : (tensor<1x2x5xf64>, tensor<3x2x3xf64>, tensor<3xf64>) -> tensor<1x3x5xf64>
  return %r : tensor<1x3x5xf64>
}
// -----
func.func @main(%a0: tensor<2x4x4xf64>, %a1: tensor<3x2x3x3xf64>) -> (tensor<3x2x2xf64>) {
  %r = aten.conv2d(%a0, %a1) : (tensor<2x4x4xf64>, tensor<3x2x3x3xf64>) -> tensor<3x2x2xf64>
  return %r : tensor<3x2x2xf64>
}
// -----
func.func @main(%a0: tensor<1x1x3x3x3xf64>, %a1: tensor<2x1x2x2x2xf64>) -> (tensor<1x2x2x2x2xf64>) {
  %r = aten.conv3d(%a0, %a1) : (tensor<1x1x3x3x3xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x2x2x2x2xf64>
  return %r : tensor<1x2x2x2x2xf64>
}
// -----
func.func @main(%a0: tensor<1x2x3xf64>, %a1: tensor<2x2x2xf64>) -> (tensor<1x2x4xf64>) {
  %r = aten.conv_transpose1d(%a0, %a1) : (tensor<1x2x3xf64>, tensor<2x2x2xf64>) -> tensor<1x2x4xf64>
  return %r : tensor<1x2x4xf64>
}
// -----
func.func @main(%a0: tensor<1x2x2x2xf64>, %a1: tensor<2x1x2x2xf64>) -> (tensor<1x1x4x4xf64>) {
  %r = aten.conv_transpose2d.input(%a0, %a1, stride = [2, 2]) : (tensor<1x2x2x2xf64>, tensor<2x1x2x2xf64>) -> tensor<1x1x4x4xf64>
  return %r : tensor<1x1x4x4xf64>
}
// -----
func.func @main(%a0: tensor<1x2x3x4xf64>, %a1: tensor<1x2x5x4xf64>, %a2: tensor<1x2x5x4xf64>) -> (tensor<1x2x3x4xf64>) {
  %r:2 = aten._scaled_dot_product_flash_attention_for_cpu(%a0, %a1, %a2) : (tensor<1x2x3x4xf64>, tensor<1x2x5x4xf64>, tensor<1x2x5x4xf64>) -> (tensor<1x2x3x4xf64>, tensor<1x2x3xf64>)
  return %r#0 : tensor<1x2x3x4xf64>
}
// -----
func.func @main(%a0: tensor<4x3xf64>, %a1: tensor<4x3xf64>) -> (tensor<4x3xf64>) {
  %r = aten.linalg_cross(%a0, %a1) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<4x3xf64>, %a1: tensor<4x3xf64>) -> (tensor<4x3xf64>) {
  %r = aten.cross(%a0, %a1) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %t = aten.permute(%a0, dims = [1, 0]) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %p = aten.mm(%a0, %t) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %s = aten.add.Tensor(%p, %e) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %r:2 = aten.linalg_cholesky_ex(%s) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  return %r#0, %r#1 : tensor<3x3xf64>, tensor<i32>
}
// -----
func.func @main(%a0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %t = aten.permute(%a0, dims = [1, 0]) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %p = aten.mm(%a0, %t) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %s = aten.add.Tensor(%p, %e) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %r:2 = aten.linalg_cholesky_ex(%s, upper = true) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  return %r#0, %r#1 : tensor<3x3xf64>, tensor<i32>
}
// -----
func.func @main(%a0: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3x3xf64>) {
  %r:2 = aten.linalg_qr(%a0) : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3x3xf64>)
  return %r#0, %r#1 : tensor<4x3xf64>, tensor<3x3xf64>
}
// -----
func.func @main(%a0: tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2x3xf64>) {
  %r:2 = aten.linalg_qr(%a0) : (tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2x3xf64>)
  return %r#0, %r#1 : tensor<2x2xf64>, tensor<2x3xf64>
}
// -----
func.func @main(%a0: tensor<3x3xf64>, %a1: tensor<3x2xf64>) -> (tensor<3x2xf64>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %r = aten.linalg_solve_triangular(%s, %a1, upper = true) : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x3xf64>, %a1: tensor<3x2xf64>) -> (tensor<3x2xf64>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %r = aten.linalg_solve_triangular(%s, %a1, upper = false) : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x3xf64>, %a1: tensor<2x3xf64>) -> (tensor<2x3xf64>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %r = aten.linalg_solve_triangular(%s, %a1, upper = true, left = false) : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
// -----
func.func @main(%a0: tensor<3x3xf64>, %a1: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x3xf64>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %r:2 = aten.triangular_solve(%a1, %s) : (tensor<3x2xf64>, tensor<3x3xf64>) -> (tensor<3x2xf64>, tensor<3x3xf64>)
  return %r#0, %r#1 : tensor<3x2xf64>, tensor<3x3xf64>
}
// -----
func.func @main(%a0: tensor<3x3xf64>, %a1: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x3xf64>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %r:2 = aten.triangular_solve(%a1, %s, upper = false, transpose = true) : (tensor<3x2xf64>, tensor<3x3xf64>) -> (tensor<3x2xf64>, tensor<3x3xf64>)
  return %r#0, %r#1 : tensor<3x2xf64>, tensor<3x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x4xf64>) -> (tensor<3x2xf64>) {
  %r = aten._cdist_forward(%a0, %a1, p = 2.0) : (tensor<3x4xf64>, tensor<2x4xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x4xf64>) -> (tensor<3x2xf64>) {
  %r = aten._cdist_forward(%a0, %a1, p = 1.5) : (tensor<3x4xf64>, tensor<2x4xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %r = aten._pdist_forward(%a0) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
// Rows in groups that end where the first does, so that rows are left over.
func.func @main(%a0: tensor<5x3xf64>, %a1: tensor<3x3x4xf64>) -> (tensor<5x4xf64>) {
  %n = arith.constant 2 : i64
  %offs = aten.full(size = [3], %n, dtype = i32) : (i64) -> tensor<3xi32>
  %r = aten._grouped_mm(%a0, %a1, offs = %offs) : (tensor<5x3xf64>, tensor<3x3x4xf64>, tensor<3xi32>) -> tensor<5x4xf64>
  return %r : tensor<5x4xf64>
}
