// operations 2000000000
func.func @main(%x: tensor<1000x1000xbf16>, %w: tensor<1000x1000xbf16>) -> tensor<1000x1000xbf16> {
  %r = loop.kernel @product ins(%a = %x : tensor<1000x1000xbf16>, %b = %w : tensor<1000x1000xbf16>) shared [] -> tensor<1000x1000xbf16> {
    %c = loop.contract parallel [1000, 1000] reduction [1000]
        lhs %a[d0, d2] : tensor<1000x1000xbf16> rhs %b[d1, d2] : tensor<1000x1000xbf16>
        acc f32 : tensor<1000x1000xbf16>
    loop.return %c : tensor<1000x1000xbf16>
  }
  return %r : tensor<1000x1000xbf16>
}
