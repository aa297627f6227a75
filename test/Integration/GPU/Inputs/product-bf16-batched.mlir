// operations 536870912
func.func @main(%x: tensor<64x256x64xbf16>, %w: tensor<64x64x256xbf16>) -> tensor<64x256x256xbf16> {
  %r = loop.kernel @product ins(%a = %x : tensor<64x256x64xbf16>, %b = %w : tensor<64x64x256xbf16>) shared [] -> tensor<64x256x256xbf16> {
    %c = loop.contract parallel [64, 256, 256] reduction [64]
        lhs %a[d0, d1, d3] : tensor<64x256x64xbf16> rhs %b[d0, d3, d2] : tensor<64x64x256xbf16>
        acc f32 : tensor<64x256x256xbf16>
    loop.return %c : tensor<64x256x256xbf16>
  }
  return %r : tensor<64x256x256xbf16>
}
