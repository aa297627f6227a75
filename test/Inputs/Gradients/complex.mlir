// Derivatives of complex numbers that are not those of reals: the gradients of all
// arguments against finite differences. Split at the dashes.
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
// -----
// Reals of complex numbers.
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xf64>) {
  %r = aten.abs(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xf64>) {
  %r = aten.angle(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xf64>) {
  %r = aten.real(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xf64>) {
  %r = aten.imag(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4x2xf64>) {
  %r = aten.view_as_real(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4x2xf64>
  return %r : tensor<3x4x2xf64>
}
// -----
func.func @main(%a0: tensor<3x2xf64>) -> (tensor<3xcomplex<f64>>) {
  %r = aten.view_as_complex(%a0) : (tensor<3x2xf64>) -> tensor<3xcomplex<f64>>
  return %r : tensor<3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._conj(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.sgn(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._to_copy(%a0, dtype = complex<f64>) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.to.dtype(%a0, dtype = complex<f64>) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.to.device(%a0, device = "cpu", dtype = complex<f64>) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
// A real operand gets the real part.
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._to_copy(%a0, dtype = complex<f64>) : (tensor<3x4xf64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.add.Tensor(%a0, %a1) : (tensor<3x4xcomplex<f64>>, tensor<4xf64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x1xf64>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.add.Tensor(%a0, %a1) : (tensor<3x1xf64>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.sub.Tensor(%a0, %a1) : (tensor<3x4xcomplex<f64>>, tensor<4xf64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x1xf64>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.sub.Tensor(%a0, %a1) : (tensor<3x1xf64>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.mul.Tensor(%a0, %a1) : (tensor<3x4xcomplex<f64>>, tensor<4xf64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x1xf64>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.mul.Tensor(%a0, %a1) : (tensor<3x1xf64>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.div.Tensor(%a0, %a1) : (tensor<3x4xcomplex<f64>>, tensor<4xf64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x1xf64>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.div.Tensor(%a0, %a1) : (tensor<3x1xf64>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.pow.Tensor_Tensor(%a0, %a1) : (tensor<3x4xcomplex<f64>>, tensor<4xf64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x1xf64>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten.pow.Tensor_Tensor(%a0, %a1) : (tensor<3x1xf64>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.mul.Scalar(%a0, %n) : (tensor<3x4xf64>, complex<f64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
// Complex numbers in the graph.
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.div.Scalar(%a0, %n) : (tensor<3x4xcomplex<f64>>, complex<f64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.pow.Tensor_Scalar(%a0, %n) : (tensor<3x4xcomplex<f64>>, complex<f64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.pow.Tensor_Scalar(%a0, %n) : (tensor<3x4xf64>, complex<f64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.pow.Scalar(%n, %a0) : (complex<f64>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.add.Tensor(%a0, %a1, alpha = %n) : (tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>, complex<f64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.lerp.Scalar(%a0, %a1, %n) : (tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>, complex<f64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<3x4xcomplex<f64>>, %a2: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.addcdiv(%a0, %a1, %a2, value = %n) : (tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>, complex<f64>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x2xcomplex<f64>>, %a1: tensor<3x4xcomplex<f64>>, %a2: tensor<4x2xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>) {
  %n = complex.constant [1.5, -0.5] : complex<f64>
  %r = aten.addmm(%a0, %a1, %a2, beta = %n, alpha = %n) : (tensor<3x2xcomplex<f64>>, tensor<3x4xcomplex<f64>>, tensor<4x2xcomplex<f64>>, complex<f64>, complex<f64>) -> tensor<3x2xcomplex<f64>>
  return %r : tensor<3x2xcomplex<f64>>
}
// -----
// Spreads and norms.
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %r = aten.var.correction(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %r = aten.var.dim(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %r = aten.std.correction(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %r = aten.std.dim(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %r = aten.linalg_vector_norm(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<f64>) {
  %r = aten.var(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<f64>) {
  %r = aten.std(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<f64>) {
  %r = aten.norm.Scalar(%a0) : (tensor<3x4xcomplex<f64>>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %n = arith.constant 1.0 : f64
  %r = aten.linalg_vector_norm(%a0, ord = %n, dim = [1]) : (tensor<3x4xcomplex<f64>>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %n = arith.constant 3.0 : f64
  %r = aten.linalg_vector_norm(%a0, ord = %n, dim = [1]) : (tensor<3x4xcomplex<f64>>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %n = arith.constant 0.5 : f64
  %r = aten.linalg_vector_norm(%a0, ord = %n, dim = [1]) : (tensor<3x4xcomplex<f64>>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %n = arith.constant 0x7FF0000000000000 : f64
  %r = aten.linalg_vector_norm(%a0, ord = %n, dim = [1]) : (tensor<3x4xcomplex<f64>>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>) {
  %n = arith.constant 2.5 : f64
  %r = aten.norm.ScalarOpt_dim(%a0, p = %n, dim = [1]) : (tensor<3x4xcomplex<f64>>, f64) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>, tensor<3xcomplex<f64>>) {
  %r:2 = aten.var_mean.correction(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>, tensor<3xcomplex<f64>>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>, tensor<3xcomplex<f64>>) {
  %r:2 = aten.var_mean.dim(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>, tensor<3xcomplex<f64>>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>, tensor<3xcomplex<f64>>) {
  %r:2 = aten.std_mean.correction(%a0, dim = [1]) : (tensor<3x4xcomplex<f64>>) -> (tensor<3xf64>, tensor<3xcomplex<f64>>)
  return %r#0, %r#1 : tensor<3xf64>, tensor<3xcomplex<f64>>
}
// -----
// Factors of hermitian matrices.
func.func @main(%a0: tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %t = aten.permute(%a0, dims = [1, 0]) : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %h = aten._conj(%t) : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %p = aten.mm(%a0, %h) : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %s = aten.add.Tensor(%p, %e) : (tensor<3x3xcomplex<f64>>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %r:2 = aten.linalg_cholesky_ex(%s) : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>)
  return %r#0, %r#1 : tensor<3x3xcomplex<f64>>, tensor<i32>
}
// -----
func.func @main(%a0: tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %t = aten.permute(%a0, dims = [1, 0]) : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %h = aten._conj(%t) : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %p = aten.mm(%a0, %h) : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %s = aten.add.Tensor(%p, %e) : (tensor<3x3xcomplex<f64>>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %r:2 = aten.linalg_cholesky_ex(%s, upper = true) : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>)
  return %r#0, %r#1 : tensor<3x3xcomplex<f64>>, tensor<i32>
}
// -----
func.func @main(%a0: tensor<3x3xcomplex<f64>>, %a1: tensor<3x2xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xcomplex<f64>>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %r = aten.linalg_solve_triangular(%s, %a1, upper = true) : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  return %r : tensor<3x2xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x3xcomplex<f64>>, %a1: tensor<3x2xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xcomplex<f64>>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %r = aten.linalg_solve_triangular(%s, %a1, upper = false) : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  return %r : tensor<3x2xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x3xcomplex<f64>>, %a1: tensor<2x3xcomplex<f64>>) -> (tensor<2x3xcomplex<f64>>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a0, %e) : (tensor<3x3xcomplex<f64>>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %r = aten.linalg_solve_triangular(%s, %a1, upper = true, left = false) : (tensor<3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  return %r : tensor<2x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x2xcomplex<f64>>, %a1: tensor<3x3xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a1, %e) : (tensor<3x3xcomplex<f64>>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %r:2 = aten.triangular_solve(%a0, %s) : (tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>)
  return %r#0, %r#1 : tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x2xcomplex<f64>>, %a1: tensor<3x3xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>) {
  %e = arith.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>
  %s = aten.add.Tensor(%a1, %e) : (tensor<3x3xcomplex<f64>>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %r:2 = aten.triangular_solve(%a0, %s, transpose = true) : (tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>)
  return %r#0, %r#1 : tensor<3x2xcomplex<f64>>, tensor<3x3xcomplex<f64>>
}
// -----
// Transforms; of an odd or even number of elements.
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._fft_c2c(%a0, dim = [0, 1], normalization = 0, forward = true) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._fft_c2c(%a0, dim = [0, 1], normalization = 0, forward = false) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<2x3xcomplex<f64>>) -> (tensor<2x4xf64>) {
  %r = aten._fft_c2r(%a0, dim = [0, 1], normalization = 0, last_dim_size = 4) : (tensor<2x3xcomplex<f64>>) -> tensor<2x4xf64>
  return %r : tensor<2x4xf64>
}
// -----
func.func @main(%a0: tensor<2x4xf64>) -> (tensor<2x3xcomplex<f64>>) {
  %r = aten._fft_r2c(%a0, dim = [0, 1], normalization = 0, onesided = true) : (tensor<2x4xf64>) -> tensor<2x3xcomplex<f64>>
  return %r : tensor<2x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<2x3xcomplex<f64>>) -> (tensor<2x5xf64>) {
  %r = aten._fft_c2r(%a0, dim = [0, 1], normalization = 0, last_dim_size = 5) : (tensor<2x3xcomplex<f64>>) -> tensor<2x5xf64>
  return %r : tensor<2x5xf64>
}
// -----
func.func @main(%a0: tensor<2x5xf64>) -> (tensor<2x3xcomplex<f64>>) {
  %r = aten._fft_r2c(%a0, dim = [0, 1], normalization = 0, onesided = true) : (tensor<2x5xf64>) -> tensor<2x3xcomplex<f64>>
  return %r : tensor<2x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._fft_c2c(%a0, dim = [0, 1], normalization = 1, forward = true) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._fft_c2c(%a0, dim = [0, 1], normalization = 1, forward = false) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<2x3xcomplex<f64>>) -> (tensor<2x4xf64>) {
  %r = aten._fft_c2r(%a0, dim = [0, 1], normalization = 1, last_dim_size = 4) : (tensor<2x3xcomplex<f64>>) -> tensor<2x4xf64>
  return %r : tensor<2x4xf64>
}
// -----
func.func @main(%a0: tensor<2x4xf64>) -> (tensor<2x3xcomplex<f64>>) {
  %r = aten._fft_r2c(%a0, dim = [0, 1], normalization = 1, onesided = true) : (tensor<2x4xf64>) -> tensor<2x3xcomplex<f64>>
  return %r : tensor<2x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<2x3xcomplex<f64>>) -> (tensor<2x5xf64>) {
  %r = aten._fft_c2r(%a0, dim = [0, 1], normalization = 1, last_dim_size = 5) : (tensor<2x3xcomplex<f64>>) -> tensor<2x5xf64>
  return %r : tensor<2x5xf64>
}
// -----
func.func @main(%a0: tensor<2x5xf64>) -> (tensor<2x3xcomplex<f64>>) {
  %r = aten._fft_r2c(%a0, dim = [0, 1], normalization = 1, onesided = true) : (tensor<2x5xf64>) -> tensor<2x3xcomplex<f64>>
  return %r : tensor<2x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._fft_c2c(%a0, dim = [0, 1], normalization = 2, forward = true) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>>) {
  %r = aten._fft_c2c(%a0, dim = [0, 1], normalization = 2, forward = false) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %r : tensor<3x4xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<2x3xcomplex<f64>>) -> (tensor<2x4xf64>) {
  %r = aten._fft_c2r(%a0, dim = [0, 1], normalization = 2, last_dim_size = 4) : (tensor<2x3xcomplex<f64>>) -> tensor<2x4xf64>
  return %r : tensor<2x4xf64>
}
// -----
func.func @main(%a0: tensor<2x4xf64>) -> (tensor<2x3xcomplex<f64>>) {
  %r = aten._fft_r2c(%a0, dim = [0, 1], normalization = 2, onesided = true) : (tensor<2x4xf64>) -> tensor<2x3xcomplex<f64>>
  return %r : tensor<2x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<2x3xcomplex<f64>>) -> (tensor<2x5xf64>) {
  %r = aten._fft_c2r(%a0, dim = [0, 1], normalization = 2, last_dim_size = 5) : (tensor<2x3xcomplex<f64>>) -> tensor<2x5xf64>
  return %r : tensor<2x5xf64>
}
// -----
func.func @main(%a0: tensor<2x5xf64>) -> (tensor<2x3xcomplex<f64>>) {
  %r = aten._fft_r2c(%a0, dim = [0, 1], normalization = 2, onesided = true) : (tensor<2x5xf64>) -> tensor<2x3xcomplex<f64>>
  return %r : tensor<2x3xcomplex<f64>>
}
// -----
func.func @main(%a0: tensor<2x1xcomplex<f64>>) -> (tensor<2x1xf64>) {
  %r = aten._fft_c2r(%a0, dim = [1], normalization = 2, last_dim_size = 1) : (tensor<2x1xcomplex<f64>>) -> tensor<2x1xf64>
  return %r : tensor<2x1xf64>
}
// -----
func.func @main(%a0: tensor<2x2xcomplex<f64>>) -> (tensor<2x2xf64>) {
  %r = aten._fft_c2r(%a0, dim = [1], normalization = 2, last_dim_size = 2) : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}
// -----
func.func @main(%a0: tensor<3x3xcomplex<f64>>) -> (tensor<4x3xf64>) {
  %r = aten._fft_c2r(%a0, dim = [0], normalization = 2, last_dim_size = 4) : (tensor<3x3xcomplex<f64>>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<3x4xcomplex<f64>>) -> (tensor<f64>) {
  %r = aten.l1_loss(%a0, %a1) : (tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>) -> tensor<f64>
  return %r : tensor<f64>
}
// -----
func.func @main(%a0: tensor<3x4xcomplex<f64>>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.l1_loss(%a0, %a1, reduction = 0) : (tensor<3x4xcomplex<f64>>, tensor<4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
