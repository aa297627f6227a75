func.func @main(%x: tensor<4194304xbf16>) -> (tensor<4194304xbf16>) {
  %r = loop.kernel @scan ins(%a = %x : tensor<4194304xbf16>) shared [] -> tensor<4194304xbf16> {
    %s = loop.scan parallel () in [] along (%j) in [4194304] at 0 <sum> : tensor<4194304xbf16> {
      %e = loop.load %a[%j] : tensor<4194304xbf16>
      %w = arith.extf %e : bf16 to f32
      loop.yield %w : f32
    }
    loop.return %s : tensor<4194304xbf16>
  }
  return %r : tensor<4194304xbf16>
}
