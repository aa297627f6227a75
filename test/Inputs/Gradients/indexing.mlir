// Derivatives of indexing: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x4xf64>) {
  %t = arith.constant dense<[2, 0]> : tensor<2xi64>
  %r = aten._unsafe_index.Tensor(%a0, [%t]) : (tensor<3x4xf64>, tensor<2xi64>) -> tensor<2x4xf64>
  return %r : tensor<2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = aten._unsafe_index_put(%a0, [%t], %a1, accumulate = true) : (tensor<3x4xf64>, tensor<3xi64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0]> : tensor<2xi64>
  %r = aten.index_put(%a0, [%t], %a1) : (tensor<3x4xf64>, tensor<2xi64>, tensor<2x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2xf64>) {
  %t = arith.constant dense<[[3, 1]]> : tensor<1x2xi64>
  %r = aten.take_along_dim(%a0, %t, dim = 1) : (tensor<3x4xf64>, tensor<1x2xi64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2xf64>) {
  %t = arith.constant dense<[7, 1]> : tensor<2xi64>
  %r = aten.take_along_dim(%a0, %t) : (tensor<3x4xf64>, tensor<2xi64>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x2xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.take(%a0, %t) : (tensor<3x4xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0]> : tensor<2xi64>
  %r = aten.put(%a0, %t, %a1) : (tensor<3x4xf64>, tensor<2xi64>, tensor<2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = aten.put(%a0, %t, %a1, accumulate = true) : (tensor<3x4xf64>, tensor<3xi64>, tensor<3xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %n = arith.constant 0.5 : f64
  %r = aten.index_add(%a0, dim = 0, %t, %a1, alpha = %n) : (tensor<3x4xf64>, tensor<3xi64>, tensor<3x4xf64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0]> : tensor<2xi64>
  %r = aten.index_copy(%a0, dim = 1, %t, %a1) : (tensor<3x4xf64>, tensor<2xi64>, tensor<3x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0]> : tensor<2xi64>
  %n = arith.constant 0.5 : f64
  %r = aten.index_fill.int_Scalar(%a0, dim = 1, %t, %n) : (tensor<3x4xf64>, tensor<2xi64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = aten.index_reduce(%a0, dim = 0, %t, %a1, reduce = "prod") : (tensor<3x4xf64>, tensor<3xi64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.scatter_reduce.two(%a0, dim = 1, %t, %a1, reduce = "prod") : (tensor<3x4xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = aten.index_reduce(%a0, dim = 0, %t, %a1, reduce = "mean") : (tensor<3x4xf64>, tensor<3xi64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.scatter_reduce.two(%a0, dim = 1, %t, %a1, reduce = "mean") : (tensor<3x4xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = aten.index_reduce(%a0, dim = 0, %t, %a1, reduce = "amax") : (tensor<3x4xf64>, tensor<3xi64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.scatter_reduce.two(%a0, dim = 1, %t, %a1, reduce = "amax") : (tensor<3x4xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = aten.index_reduce(%a0, dim = 0, %t, %a1, reduce = "amin") : (tensor<3x4xf64>, tensor<3xi64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.scatter_reduce.two(%a0, dim = 1, %t, %a1, reduce = "amin") : (tensor<3x4xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.scatter_reduce.two(%a0, dim = 1, %t, %a1, reduce = "sum", include_self = false) : (tensor<3x4xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = aten.index_reduce(%a0, dim = 0, %t, %a1, reduce = "mean", include_self = false) : (tensor<3x4xf64>, tensor<3xi64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %n = arith.constant 0.5 : f64
  %r = aten.scatter.value(%a0, dim = 1, %t, %n) : (tensor<3x4xf64>, tensor<2x2xi64>, f64) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<2x2xf64>) -> (tensor<3x4xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.scatter_add(%a0, dim = 0, %t, %a1) : (tensor<3x4xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x2xf64>) {
  %t = arith.constant dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>
  %r = aten.gather(%a0, dim = 1, %t) : (tensor<3x4xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x1xf64>) {
  %t = arith.constant dense<[[1], [3], [0]]> : tensor<3x1xi64>
  %r = aten.gather(%a0, dim = -1, %t) : (tensor<3x4xf64>, tensor<3x1xi64>) -> tensor<3x1xf64>
  return %r : tensor<3x1xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<9xf64>) -> (tensor<3x4xf64>) {
  %c = arith.constant dense<[[true, false, true, true], [false, true, false, true], [true, true, false, false]]> : tensor<3x4xi1>
  %r = aten.masked_scatter(%a0, %c, %a1) : (tensor<3x4xf64>, tensor<3x4xi1>, tensor<9xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<7xf64>) {
  %c = arith.constant dense<[[true, false, true, true], [false, true, false, true], [true, true, false, false]]> : tensor<3x4xi1>
  %r = aten.masked_select(%a0, %c) : (tensor<3x4xf64>, tensor<3x4xi1>) -> tensor<7xf64>
  return %r : tensor<7xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x4xf64>, tensor<0xi64>, tensor<2xi64>, tensor<2xi64>) {
  %i = arith.constant dense<[1, 2, 0, 1]> : tensor<4xi64>
  %o = arith.constant dense<[0, 2]> : tensor<2xi64>
  %r:4 = aten._embedding_bag(%a0, %i, %o, mode = 0) : (tensor<3x4xf64>, tensor<4xi64>, tensor<2xi64>) -> (tensor<2x4xf64>, tensor<0xi64>, tensor<2xi64>, tensor<2xi64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf64>, tensor<0xi64>, tensor<2xi64>, tensor<2xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>) {
  %i = arith.constant dense<[1, 2, 0, 1]> : tensor<4xi64>
  %o = arith.constant dense<[0, 2]> : tensor<2xi64>
  %r:4 = aten._embedding_bag(%a0, %i, %o, mode = 1) : (tensor<3x4xf64>, tensor<4xi64>, tensor<2xi64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<4xf64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>) {
  %i = arith.constant dense<[1, 2, 0, 1]> : tensor<4xi64>
  %o = arith.constant dense<[0, 2]> : tensor<2xi64>
  %r:4 = aten._embedding_bag(%a0, %i, %o, per_sample_weights = %a1) : (tensor<3x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<4xf64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2x4xi64>) {
  %i = arith.constant dense<[1, 2, 0, 1]> : tensor<4xi64>
  %o = arith.constant dense<[0, 2]> : tensor<2xi64>
  %r:4 = aten._embedding_bag(%a0, %i, %o, mode = 2) : (tensor<3x4xf64>, tensor<4xi64>, tensor<2xi64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2x4xi64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2x4xi64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>) {
  %i = arith.constant dense<[1, 2, 0, 1]> : tensor<4xi64>
  %o = arith.constant dense<[0, 2]> : tensor<2xi64>
  %r:4 = aten._embedding_bag_forward_only(%a0, %i, %o, mode = 1) : (tensor<3x4xf64>, tensor<4xi64>, tensor<2xi64>) -> (tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf64>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>
}
