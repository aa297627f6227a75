// Attention of one row of each head over many columns.
func.func @decode(%x: tensor<8x16x1x64xbf16>, %y: tensor<8x16x8192x64xbf16>, %v: tensor<8x16x8192x64xbf16>) -> tensor<8x16x1x64xbf16> {
  %r = loop.kernel @decode ins(%q = %x : tensor<8x16x1x64xbf16>, %k = %y : tensor<8x16x8192x64xbf16>, %c = %v : tensor<8x16x8192x64xbf16>) shared [8, 16, 1] -> tensor<8x16x1x64xbf16> {
    %low = arith.constant 0xFF800000 : f32
    %one = arith.constant 1.0 : f32
    %scale = arith.constant 1.250000e-01 : f32
    %s = loop.contract parallel [8, 16, 1, 8192] reduction [64]
        lhs %q[d0, d1, d2, d4] : tensor<8x16x1x64xbf16> rhs %k[d0, d1, d3, d4] : tensor<8x16x8192x64xbf16> acc f32 : tensor<8x16x1x8192xf32>
    %t = loop.reduce parallel (%b, %h, %i) in [8, 16, 1] reduction (%j) in [8192] <max> : tensor<8x16x1xf32> {
      %f = loop.load %s[%b, %h, %i, %j] : tensor<8x16x1x8192xf32>
      %g = arith.mulf %f, %scale : f32
      loop.yield %g : f32
    }
    %e = loop.pointwise (%b, %h, %i, %j) in [8, 16, 1, 8192] : tensor<8x16x1x8192xf32> {
      %f = loop.load %s[%b, %h, %i, %j] : tensor<8x16x1x8192xf32>
      %g = arith.mulf %f, %scale : f32
      %n = loop.load %t[%b, %h, %i] : tensor<8x16x1xf32>
      %d = arith.subf %g, %n : f32
      %w = math.exp %d : f32
      loop.yield %w : f32
    }
    %z = loop.reduce parallel (%b, %h, %i) in [8, 16, 1] reduction (%j) in [8192] <sum> : tensor<8x16x1xf32> {
      %f = loop.load %e[%b, %h, %i, %j] : tensor<8x16x1x8192xf32>
      loop.yield %f : f32
    }
    %a = loop.pointwise (%b, %h, %i) in [8, 16, 1] : tensor<8x16x1xf32> {
      %f = loop.load %z[%b, %h, %i] : tensor<8x16x1xf32>
      %g = arith.divf %one, %f : f32
      loop.yield %g : f32
    }
    %w = loop.pointwise (%b, %h, %i, %j) in [8, 16, 1, 8192] : tensor<8x16x1x8192xf32> {
      %f = loop.load %e[%b, %h, %i, %j] : tensor<8x16x1x8192xf32>
      %g = loop.load %a[%b, %h, %i] : tensor<8x16x1xf32>
      %u = arith.mulf %f, %g : f32
      loop.yield %u : f32
    }
    %o = loop.contract parallel [8, 16, 1, 64] reduction [8192]
        lhs %w[d0, d1, d2, d4] : tensor<8x16x1x8192xf32> rhs %c[d0, d1, d4, d3] : tensor<8x16x8192x64xbf16> acc f32 : tensor<8x16x1x64xbf16> rhs_prologue (%f) {
      %g = arith.extf %f : bf16 to f32
      loop.yield %g : f32
    }
    loop.return %o : tensor<8x16x1x64xbf16>
  }
  return %r : tensor<8x16x1x64xbf16>
}
