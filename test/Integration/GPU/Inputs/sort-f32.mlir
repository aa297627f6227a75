func.func @main(%x: tensor<8192x4096xf32>) -> (tensor<8192x4096xi64>) {
  %r = loop.kernel @sort ins(%a = %x : tensor<8192x4096xf32>) shared [8192] -> tensor<8192x4096xi64> {
    %s = loop.sort parallel (%i) in [8192] along (%j) in [4096] at 1 : tensor<8192x4096xi64> {
      %e = loop.load %a[%i, %j] : tensor<8192x4096xf32>
      %k = arith.bitcast %e : f32 to i32
      loop.yield %k : i32
    }
    loop.return %s : tensor<8192x4096xi64>
  }
  return %r : tensor<8192x4096xi64>
}
