func.func @main(%x: tensor<8x1048576xf32>) -> (tensor<8x1048576xf32>) {
  %r = loop.kernel @scan ins(%a = %x : tensor<8x1048576xf32>) shared [8] -> tensor<8x1048576xf32> {
    %half = arith.constant 0.5 : f32
    %s = loop.scan parallel (%i) in [8] along (%j) in [1048576] at 1 <sum> : tensor<8x1048576xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x1048576xf32>
      %w = arith.extf %e : f32 to f64
      loop.yield %w : f64
    }
    %p = loop.pointwise (%i, %j) in [8, 1048576] : tensor<8x1048576xf32> {
      %e = loop.load %s[%i, %j] : tensor<8x1048576xf32>
      %f = loop.load %a[%i, %j] : tensor<8x1048576xf32>
      %h = arith.mulf %e, %half : f32
      %g = arith.addf %h, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : tensor<8x1048576xf32>
  }
  return %r : tensor<8x1048576xf32>
}
