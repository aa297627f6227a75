module attributes {loop.target = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>} {
func.func @main(%a: tensor<128x128xbf16>, %b: tensor<128x128xbf16>) -> tensor<128x128xf32> {
  %r = loop.kernel @k ins(%x = %a : tensor<128x128xbf16>, %y = %b : tensor<128x128xbf16>) shared [128, 128] -> tensor<128x128xf32> {
    %c = loop.contract parallel [128, 128] reduction [128] lhs %x[d0, d2] : tensor<128x128xbf16> rhs %y[d2, d1] : tensor<128x128xbf16> acc f32 : tensor<128x128xf32>
    loop.return %c : tensor<128x128xf32>
  }
  return %r : tensor<128x128xf32>
}
}
