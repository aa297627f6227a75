// The logarithm of a sum of exponentials as an op of a foreign dialect.
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = aten.mul.Tensor(%x, %y)
    : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "foreign.log_sum_exp"(%0) : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = aten.neg(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
