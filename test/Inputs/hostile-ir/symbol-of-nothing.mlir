// kiln-compile: exit 5, "the package does not verify: expression 2 uses symbol 0 before a step gives it a value"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %1 = loop.load %x[n] : tensor<4xf32>
    loop.yield %1 : f32
  }
  return %0 : tensor<4xf32>
}
