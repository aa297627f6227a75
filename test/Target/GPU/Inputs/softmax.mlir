func.func @main(%x: tensor<64x4096xf32>) -> (tensor<64x4096xf32>) {
  %r = loop.kernel @softmax ins(%a = %x : tensor<64x4096xf32>) shared [64] -> tensor<64x4096xf32> {
    %m = loop.reduce parallel (%i) in [64] reduction (%j) in [4096] <max> : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : tensor<64x4096xf32>
      loop.yield %e : f32
    }
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [4096] <sum> : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : tensor<64x4096xf32>
      %z = loop.load %m[%i] : tensor<64xf32>
      %d = arith.subf %e, %z : f32
      %t = math.exp %d : f32
      loop.yield %t : f32
    }
    %p = loop.pointwise (%i, %j) in [64, 4096] : tensor<64x4096xf32> {
      %e = loop.load %a[%i, %j] : tensor<64x4096xf32>
      %z = loop.load %m[%i] : tensor<64xf32>
      %d = arith.subf %e, %z : f32
      %t = math.exp %d : f32
      %y = loop.load %s[%i] : tensor<64xf32>
      %q = arith.divf %t, %y : f32
      loop.yield %q : f32
    }
    loop.return %p : tensor<64x4096xf32>
  }
  return %r : tensor<64x4096xf32>
}
