func.func @main(%x: tensor<16384x16384xf32>) -> tensor<16384x16384xf32> {
  %r = loop.kernel @transpose ins(%a = %x : tensor<16384x16384xf32>) shared [16384, 16384] -> tensor<16384x16384xf32> {
    %p = loop.pointwise (%i, %j) in [16384, 16384] : tensor<16384x16384xf32> {
      %e = loop.load %a[%j, %i] : tensor<16384x16384xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<16384x16384xf32>
  }
  return %r : tensor<16384x16384xf32>
}
