func.func @main(%x: tensor<16384x4096xbf16>) -> tensor<4096xbf16> {
  %r = loop.kernel @columns_bf16 ins(%a = %x : tensor<16384x4096xbf16>) shared [4096] -> tensor<4096xbf16> {
    %s = loop.reduce parallel (%j) in [4096] reduction (%i) in [16384] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : tensor<16384x4096xbf16>
      %w = arith.extf %e : bf16 to f32
      loop.yield %w : f32
    }
    %p = loop.pointwise (%j) in [4096] : tensor<4096xbf16> {
      %e = loop.load %s[%j] : tensor<4096xf32>
      %n = arith.truncf %e : f32 to bf16
      loop.yield %n : bf16
    }
    loop.return %p : tensor<4096xbf16>
  }
  return %r : tensor<4096xbf16>
}
