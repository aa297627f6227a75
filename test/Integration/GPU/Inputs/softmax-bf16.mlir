func.func @main(%x: tensor<8192x4096xbf16>) -> (tensor<8192x4096xbf16>) {
  %r = loop.kernel @softmax ins(%a = %x : tensor<8192x4096xbf16>) shared [8192] -> tensor<8192x4096xbf16> {
    %m = loop.reduce parallel (%i) in [8192] reduction (%j) in [4096] <max> : tensor<8192xf32> {
      %l = loop.load %a[%i, %j] : tensor<8192x4096xbf16>
      %e = arith.extf %l : bf16 to f32
      loop.yield %e : f32
    }
    %s = loop.reduce parallel (%i) in [8192] reduction (%j) in [4096] <sum> : tensor<8192xf32> {
      %l = loop.load %a[%i, %j] : tensor<8192x4096xbf16>
      %e = arith.extf %l : bf16 to f32
      %z = loop.load %m[%i] : tensor<8192xf32>
      %d = arith.subf %e, %z : f32
      %t = math.exp %d : f32
      loop.yield %t : f32
    }
    %p = loop.pointwise (%i, %j) in [8192, 4096] : tensor<8192x4096xbf16> {
      %l = loop.load %a[%i, %j] : tensor<8192x4096xbf16>
      %e = arith.extf %l : bf16 to f32
      %z = loop.load %m[%i] : tensor<8192xf32>
      %d = arith.subf %e, %z : f32
      %t = math.exp %d : f32
      %y = loop.load %s[%i] : tensor<8192xf32>
      %q = arith.divf %t, %y : f32
      %o = arith.truncf %q : f32 to bf16
      loop.yield %o : bf16
    }
    loop.return %p : tensor<8192x4096xbf16>
  }
  return %r : tensor<8192x4096xbf16>
}
