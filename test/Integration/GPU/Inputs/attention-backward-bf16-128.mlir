// operations 687194767360

!q = tensor<128x2048x128xbf16>
!s = tensor<128x2048x2048xf32>
!z = tensor<128x2048xf32>

module {
  func.func @backward(%queries: !q, %keys: !q, %values: !q, %slopes: !q) -> (!q, !q, !q) {
    %r:3 = loop.kernel @backward ins(%a = %queries : !q, %b = %keys : !q, %c = %values : !q, %d = %slopes : !q) shared [128, 2048] -> (!q, !q, !q) {
      %one = arith.constant 1.0 : f32
      %scale = arith.constant 0.0883883461 : f32
      %s = loop.contract parallel [128, 2048, 2048] reduction [128] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s
      %m = loop.reduce parallel (%n, %i) in [128, 2048] reduction (%j) in [2048] <max> : !z {
        %f = loop.load %s[%n, %i, %j] : !s
        %h = arith.mulf %f, %scale : f32
        loop.yield %h : f32
      }
      %e = loop.pointwise (%n, %i, %j) in [128, 2048, 2048] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %h = arith.mulf %f, %scale : f32
        %l = loop.load %m[%n, %i] : !z
        %y = arith.subf %h, %l : f32
        %w = math.exp %y : f32
        loop.yield %w : f32
      }
      %z = loop.reduce parallel (%n, %i) in [128, 2048] reduction (%j) in [2048] <sum> : !z {
        %f = loop.load %e[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %u = loop.pointwise (%n, %i) in [128, 2048] : !z {
        %f = loop.load %z[%n, %i] : !z
        %y = arith.divf %one, %f : f32
        loop.yield %y : f32
      }
      %w = loop.pointwise (%n, %i, %j) in [128, 2048, 2048] : !s {
        %f = loop.load %e[%n, %i, %j] : !s
        %l = loop.load %u[%n, %i] : !z
        %y = arith.mulf %f, %l : f32
        loop.yield %y : f32
      }
      %value = loop.contract parallel [128, 2048, 128] reduction [2048] lhs %w[d0, d3, d1] : !s
          rhs %d[d0, d3, d2] : !q acc f32 : !q
      %p = loop.contract parallel [128, 2048, 2048] reduction [128] lhs %d[d0, d1, d3] : !q
          rhs %c[d0, d2, d3] : !q acc f32 : !s epilogue (%acc, %n, %i, %j) {
        %f = loop.load %w[%n, %i, %j] : !s
        %y = arith.mulf %acc, %f : f32
        loop.yield %y : f32
      }
      %o = loop.reduce parallel (%n, %i) in [128, 2048] reduction (%j) in [2048] <sum> : !z {
        %f = loop.load %p[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %slope = loop.pointwise (%n, %i, %j) in [128, 2048, 2048] : !s {
        %f = loop.load %p[%n, %i, %j] : !s
        %h = loop.load %w[%n, %i, %j] : !s
        %l = loop.load %o[%n, %i] : !z
        %x = arith.mulf %h, %l : f32
        %y = arith.subf %f, %x : f32
        %l2 = arith.mulf %y, %scale : f32
        loop.yield %l2 : f32
      }
      %key = loop.contract parallel [128, 2048, 128] reduction [2048] lhs %slope[d0, d3, d1] : !s
          rhs %a[d0, d3, d2] : !q acc f32 : !q
      %query = loop.contract parallel [128, 2048, 128] reduction [2048] lhs %slope[d0, d1, d3] : !s
          rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %query, %key, %value : !q, !q, !q
    }
    return %r#0, %r#1, %r#2 : !q, !q, !q
  }
}
