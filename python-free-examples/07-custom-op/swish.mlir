// Swish of a product: element by element, with beta by its default.
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>)
    -> tensor<8x16xf32> {
  %product = aten.mul.Tensor(%x, %y)
    : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = mylib.swish(%product) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
