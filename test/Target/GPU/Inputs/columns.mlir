func.func @main(%x: tensor<16384x4096xf32>) -> tensor<4096xf32> {
  %r = loop.kernel @columns ins(%a = %x : tensor<16384x4096xf32>) shared [4096] -> tensor<4096xf32> {
    %s = loop.reduce parallel (%j) in [4096] reduction (%i) in [16384] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : tensor<16384x4096xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}
