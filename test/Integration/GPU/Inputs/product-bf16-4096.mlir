// operations 137438953472
func.func @main(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = loop.kernel @product ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xbf16>) shared [] -> tensor<4096x4096xbf16> {
    %c = loop.contract parallel [4096, 4096] reduction [4096]
        lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16>
        acc f32 : tensor<4096x4096xbf16>
    loop.return %c : tensor<4096x4096xbf16>
  }
  return %r : tensor<4096x4096xbf16>
}
