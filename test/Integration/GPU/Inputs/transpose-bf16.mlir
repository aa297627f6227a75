func.func @main(%x: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
  %r = loop.kernel @transpose_bf16 ins(%a = %x : tensor<16384x16384xbf16>) shared [16384, 16384] -> tensor<16384x16384xbf16> {
    %p = loop.pointwise (%i, %j) in [16384, 16384] : tensor<16384x16384xbf16> {
      %e = loop.load %a[%j, %i] : tensor<16384x16384xbf16>
      loop.yield %e : bf16
    }
    loop.return %p : tensor<16384x16384xbf16>
  }
  return %r : tensor<16384x16384xbf16>
}
