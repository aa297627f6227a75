// Rows of a table at two lists of indices, and rows that are added to others.
func.func @main(%t: tensor<500x64xbf16>, %i: tensor<4x32xi64>, %j: tensor<4x32xi64>, %g: tensor<128xi64>, %src: tensor<128x64xf32>, %z: tensor<300x64xf32>) -> (tensor<4x32x64xbf16>, tensor<300x64xf32>) {
  %r = aten.embedding(%t, %i) : (tensor<500x64xbf16>, tensor<4x32xi64>) -> tensor<4x32x64xbf16>
  %q = aten.embedding(%t, %j) : (tensor<500x64xbf16>, tensor<4x32xi64>) -> tensor<4x32x64xbf16>
  %s = aten.add.Tensor(%r, %q) : (tensor<4x32x64xbf16>, tensor<4x32x64xbf16>) -> tensor<4x32x64xbf16>
  %u = aten.index_add(%z, %g, %src, dim = 0) : (tensor<300x64xf32>, tensor<128xi64>, tensor<128x64xf32>) -> tensor<300x64xf32>
  return %s, %u : tensor<4x32x64xbf16>, tensor<300x64xf32>
}
