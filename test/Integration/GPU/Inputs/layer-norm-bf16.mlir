func.func @main(%x: tensor<8192x4096xbf16>, %g: tensor<4096xbf16>, %h: tensor<4096xbf16>) -> tensor<8192x4096xbf16> {
  %r = loop.kernel @norm ins(%a = %x : tensor<8192x4096xbf16>, %w = %g : tensor<4096xbf16>, %b = %h : tensor<4096xbf16>) shared [8192] -> tensor<8192x4096xbf16> {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %size = arith.constant 4096.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %m, %q, %n = loop.reduce parallel (%i) in [8192] reduction (%j) in [4096] <welford> : tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32> {
      %e0 = loop.load %a[%i, %j] : tensor<8192x4096xbf16>
      %e = arith.extf %e0 : bf16 to f32
      loop.yield %e, %zero, %one : f32, f32, f32
    }
    %s = loop.pointwise (%i) in [8192] : tensor<8192xf32> {
      %e = loop.load %q[%i] : tensor<8192xf32>
      %f = arith.divf %e, %size : f32
      %v = arith.addf %f, %eps : f32
      %o = math.rsqrt %v : f32
      loop.yield %o : f32
    }
    %y = loop.pointwise (%i, %j) in [8192, 4096] : tensor<8192x4096xbf16> {
      %e0 = loop.load %a[%i, %j] : tensor<8192x4096xbf16>
      %e = arith.extf %e0 : bf16 to f32
      %f0 = loop.load %w[%j] : tensor<4096xbf16>
      %f = arith.extf %f0 : bf16 to f32
      %c0 = loop.load %b[%j] : tensor<4096xbf16>
      %c = arith.extf %c0 : bf16 to f32
      %t = loop.load %m[%i] : tensor<8192xf32>
      %u = loop.load %s[%i] : tensor<8192xf32>
      %d = arith.subf %e, %t : f32
      %k = arith.mulf %d, %u : f32
      %l = arith.mulf %k, %f : f32
      %o = arith.addf %l, %c : f32
      %p = arith.truncf %o : f32 to bf16
      loop.yield %p : bf16
    }
    loop.return %y : tensor<8192x4096xbf16>
  }
  return %r : tensor<8192x4096xbf16>
}
