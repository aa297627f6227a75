// operations 1099511627776
func.func @main(%x: tensor<8192x8192xbf16>, %w: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %r = loop.kernel @product ins(%a = %x : tensor<8192x8192xbf16>, %b = %w : tensor<8192x8192xbf16>) shared [] -> tensor<8192x8192xbf16> {
    %c = loop.contract parallel [8192, 8192] reduction [8192]
        lhs %a[d0, d2] : tensor<8192x8192xbf16> rhs %b[d1, d2] : tensor<8192x8192xbf16>
        acc f32 : tensor<8192x8192xbf16>
    loop.return %c : tensor<8192x8192xbf16>
  }
  return %r : tensor<8192x8192xbf16>
}
