func.func @main(%x: tensor<64x1048576xf32>) -> (tensor<64x1048576xf32>) {
  %r = loop.kernel @scan ins(%a = %x : tensor<64x1048576xf32>) shared [64] -> tensor<64x1048576xf32> {
    %s = loop.scan parallel (%i) in [64] along (%j) in [1048576] at 1 <sum> : tensor<64x1048576xf32> {
      %e = loop.load %a[%i, %j] : tensor<64x1048576xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<64x1048576xf32>
  }
  return %r : tensor<64x1048576xf32>
}
