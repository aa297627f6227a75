// operations 137438953472
func.func @main(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %r = loop.kernel @product ins(%a = %x : tensor<4096x4096xf32>, %b = %w : tensor<4096x4096xf32>) shared [] -> tensor<4096x4096xf32> {
    %c = loop.contract parallel [4096, 4096] reduction [4096]
        lhs %a[d0, d2] : tensor<4096x4096xf32> rhs %b[d1, d2] : tensor<4096x4096xf32>
        acc f32 : tensor<4096x4096xf32>
    loop.return %c : tensor<4096x4096xf32>
  }
  return %r : tensor<4096x4096xf32>
}
