func.func @main(%x: tensor<16777216xf32>) -> (tensor<16777216xf32>) {
  %r = loop.kernel @scan ins(%a = %x : tensor<16777216xf32>) shared [] -> tensor<16777216xf32> {
    %s = loop.scan parallel () in [] along (%j) in [16777216] at 0 <sum> : tensor<16777216xf32> {
      %e = loop.load %a[%j] : tensor<16777216xf32>
      %w = arith.extf %e : f32 to f64
      loop.yield %w : f64
    }
    loop.return %s : tensor<16777216xf32>
  }
  return %r : tensor<16777216xf32>
}
