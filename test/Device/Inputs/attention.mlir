// Schedules of it differ in numbers and in the unit that multiplies.
!q = tensor<96x1024x64xf16>
!s = tensor<96x1024x1024xf32>
!z = tensor<96x1024xf32>
func.func @main(%x: !q {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">},
    %y: !q {aten.input = #aten.input<kind = user_input,
        name = "y", path = "[0][1]">},
    %u: !q {aten.input = #aten.input<kind = user_input,
        name = "u", path = "[0][2]">})
    -> (!q {aten.output = #aten.output<kind = user_output, name = "r", path = "">}) {
  %r = loop.kernel @attention ins(%a = %x : !q, %b = %y : !q, %c = %u : !q) shared [96, 1024] -> !q {
    %low = arith.constant 0xFF800000 : f32
    %s = loop.contract parallel [96, 1024, 1024] reduction [64] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !q acc f32 : !s
    %m = loop.reduce parallel (%n, %i) in [96, 1024] reduction (%j) in [1024] <max> : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      %p = arith.cmpi sle, %j, %i : index
      %g = arith.select %p, %f, %low : f32
      loop.yield %g : f32
    }
    %e = loop.pointwise (%n, %i, %j) in [96, 1024, 1024] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %p = arith.cmpi sle, %j, %i : index
      %h = arith.select %p, %f, %low : f32
      %g = loop.load %m[%n, %i] : !z
      %d = arith.subf %h, %g : f32
      %w = math.exp %d : f32
      loop.yield %w : f32
    }
    %z = loop.reduce parallel (%n, %i) in [96, 1024] reduction (%j) in [1024] <sum> : !z {
      %f = loop.load %e[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [96, 1024, 1024] : !s {
      %f = loop.load %e[%n, %i, %j] : !s
      %g = loop.load %z[%n, %i] : !z
      %d = arith.divf %f, %g : f32
      loop.yield %d : f32
    }
    %o = loop.contract parallel [96, 1024, 64] reduction [1024] lhs %w[d0, d1, d3] : !s
        rhs %c[d0, d3, d2] : !q acc f32 : !q rhs_prologue (%v) {
      %f = arith.extf %v : f16 to f32
      loop.yield %f : f32
    }
    loop.return %o : !q
  }
  return %r : !q
}
