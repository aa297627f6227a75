func.func @main(%x: tensor<2048x1024xbf16>) -> tensor<1024x2048xbf16> {
  %r = loop.kernel @transpose_bf16 ins(%a = %x : tensor<2048x1024xbf16>) shared [1024, 2048] -> tensor<1024x2048xbf16> {
    %p = loop.pointwise (%i, %j) in [1024, 2048] : tensor<1024x2048xbf16> {
      %e = loop.load %a[%j, %i] : tensor<2048x1024xbf16>
      loop.yield %e : bf16
    }
    loop.return %p : tensor<1024x2048xbf16>
  }
  return %r : tensor<1024x2048xbf16>
}
