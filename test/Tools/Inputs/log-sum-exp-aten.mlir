// log-sum-exp-foreign.mlir as operators say it, of rows without infinities.
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = aten.mul.Tensor(%x, %y)
    : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = aten.amax(%0, dim = [-1], keepdim = true)
    : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = aten.sub.Tensor(%0, %1)
    : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %3 = aten.exp(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = aten.sum.dim_IntList(%3, dim = [-1], keepdim = true)
    : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %5 = aten.log(%4) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = aten.add.Tensor(%5, %1)
    : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %7 = aten.squeeze.dim(%6, dim = -1) : (tensor<4x1xf32>) -> tensor<4xf32>
  %8 = aten.neg(%7) : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
