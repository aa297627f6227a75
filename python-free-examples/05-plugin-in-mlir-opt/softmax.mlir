// Scores scaled and normalized over the last dimension, as in attention.
func.func @main(%scores: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %half = arith.constant 5.0e-01 : f64
  %scaled = aten.mul.Tensor(%scores, %half)
      : (tensor<4x16xf32>, f64) -> tensor<4x16xf32>
  %weights = aten.softmax.int(%scaled, dim = -1)
      : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %weights : tensor<4x16xf32>
}
