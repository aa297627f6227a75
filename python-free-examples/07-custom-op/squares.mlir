// The sum of squares of a difference, halved: a reduction between pointwise
// operators.
func.func @main(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2xf32> {
  %half = arith.constant 0.5 : f64
  %0 = aten.sub.Tensor(%x, %y)
    : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = mylib.squares(%0) : (tensor<2x4xf32>) -> tensor<2xf32>
  %2 = aten.mul.Scalar(%1, %half) : (tensor<2xf32>, f64) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
