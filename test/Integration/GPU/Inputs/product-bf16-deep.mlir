// operations 8589934592
func.func @main(%x: tensor<512x16384xbf16>, %w: tensor<512x16384xbf16>) -> tensor<512x512xbf16> {
  %r = loop.kernel @product ins(%a = %x : tensor<512x16384xbf16>, %b = %w : tensor<512x16384xbf16>) shared [] -> tensor<512x512xbf16> {
    %c = loop.contract parallel [512, 512] reduction [16384]
        lhs %a[d0, d2] : tensor<512x16384xbf16> rhs %b[d1, d2] : tensor<512x16384xbf16>
        acc f32 : tensor<512x512xbf16>
    loop.return %c : tensor<512x512xbf16>
  }
  return %r : tensor<512x512xbf16>
}
