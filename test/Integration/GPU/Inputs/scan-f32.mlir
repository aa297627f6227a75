func.func @main(%x: tensor<8192x4096xf32>) -> (tensor<8192x4096xf32>) {
  %r = loop.kernel @scan ins(%a = %x : tensor<8192x4096xf32>) shared [8192] -> tensor<8192x4096xf32> {
    %s = loop.scan parallel (%i) in [8192] along (%j) in [4096] at 1 <sum> : tensor<8192x4096xf32> {
      %e = loop.load %a[%i, %j] : tensor<8192x4096xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8192x4096xf32>
  }
  return %r : tensor<8192x4096xf32>
}
