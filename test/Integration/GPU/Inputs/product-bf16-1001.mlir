// operations 2006006002
func.func @main(%x: tensor<1001x1001xbf16>, %w: tensor<1001x1001xbf16>) -> tensor<1001x1001xbf16> {
  %r = loop.kernel @product ins(%a = %x : tensor<1001x1001xbf16>, %b = %w : tensor<1001x1001xbf16>) shared [] -> tensor<1001x1001xbf16> {
    %c = loop.contract parallel [1001, 1001] reduction [1001]
        lhs %a[d0, d2] : tensor<1001x1001xbf16> rhs %b[d1, d2] : tensor<1001x1001xbf16>
        acc f32 : tensor<1001x1001xbf16>
    loop.return %c : tensor<1001x1001xbf16>
  }
  return %r : tensor<1001x1001xbf16>
}
