// What a library may be asked for: channels last and first, padding, strides, dilations, groups, the
// gradient of a weight, each type.
#units = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 32, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1, library = cudnn>
#exact = #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 1, group = 8, split = 1, library = cudnn>
!a = tensor<4x16x16x32xbf16>
!b = tensor<64x3x3x32xbf16>
!c = tensor<4x16x16x64xbf16>
!d = tensor<4x16x20x20xf32>
!e = tensor<32x16x3x3xf32>
!f = tensor<4x32x9x10xf32>
!g = tensor<2x20x20x32xf16>
!h = tensor<64x3x3x16xf16>
!i = tensor<2x16x16x2x32xf16>
!p = tensor<4x16x16x64xf32>
!s = tensor<2x16x16x2x32xf32>
!t = tensor<64x3x3x32xf32>
func.func @main(
    %a: !a {aten.input = #aten.input<kind = user_input, name = "a", path = "[0][0]">},
    %b: !b {aten.input = #aten.input<kind = user_input, name = "b", path = "[0][1]">},
    %d: !d {aten.input = #aten.input<kind = user_input, name = "d", path = "[0][2]">},
    %e: !e {aten.input = #aten.input<kind = user_input, name = "e", path = "[0][3]">},
    %g: !g {aten.input = #aten.input<kind = user_input, name = "g", path = "[0][4]">},
    %h: !h {aten.input = #aten.input<kind = user_input, name = "h", path = "[0][5]">},
    %c: !c {aten.input = #aten.input<kind = user_input, name = "c", path = "[0][6]">})
    -> (!p {aten.output = #aten.output<kind = user_output, name = "p", path = "[0]">},
        !f {aten.output = #aten.output<kind = user_output, name = "q", path = "[1]">},
        !s {aten.output = #aten.output<kind = user_output, name = "s", path = "[2]">},
        !t {aten.output = #aten.output<kind = user_output, name = "t", path = "[3]">}) {
  %o = loop.kernel @padded ins(%x = %a : !a, %y = %b : !b) shared [] schedule #units -> !c {
    %0 = loop.contract parallel [4, 16, 16, 64] reduction [3, 3, 32]
        lhs %x[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : !a mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 16)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 16)))
        rhs %y[d3, d4, d5, d6] : !b mask 1 acc f32 : !c
    loop.return %0 : !c
  }
  %p = loop.kernel @extended ins(%x = %o : !c) shared [4, 16, 16, 64] -> !p {
    %0 = loop.pointwise (%i, %j, %k, %l) in [4, 16, 16, 64] : !p {
      %1 = loop.load %x[%i, %j, %k, %l] : !c
      %2 = arith.extf %1 : bf16 to f32
      loop.yield %2 : f32
    }
    loop.return %0 : !p
  }
  %q = loop.kernel @strided ins(%x = %d : !d, %y = %e : !e) shared [] schedule #exact -> !f {
    %0 = loop.contract parallel [4, 32, 9, 10] reduction [16, 3, 3]
        lhs %x[d0, d4, d2 * 2 + d5, d3 * 2 + d6 - 1] : !d mask le(0, d3 * 2 + d6 - 1)
        rhs %y[d1, d4, d5, d6] : !e mask 1 acc f32 : !f
    loop.return %0 : !f
  }
  %r = loop.kernel @groups ins(%x = %g : !g, %y = %h : !h) shared [] schedule #units -> !i {
    %0 = loop.contract parallel [2, 16, 16, 2, 32] reduction [3, 3, 16]
        lhs %x[d0, d1 + d5 * 2, d2 + d6 * 2, d3 * 16 + d7] : !g rhs %y[d3 * 32 + d4, d5, d6, d7] : !h acc f32 : !i
    loop.return %0 : !i
  }
  %s = loop.kernel @extended_groups ins(%x = %r : !i) shared [2, 16, 16, 2, 32] -> !s {
    %0 = loop.pointwise (%i, %j, %k, %l, %m) in [2, 16, 16, 2, 32] : !s {
      %1 = loop.load %x[%i, %j, %k, %l, %m] : !i
      %2 = arith.extf %1 : f16 to f32
      loop.yield %2 : f32
    }
    loop.return %0 : !s
  }
  %u = loop.kernel @gradient ins(%x = %c : !c, %y = %a : !a) shared [] schedule #units -> !b {
    %0 = loop.contract parallel [64, 3, 3, 32] reduction [4, 16, 16] lhs %x[d4, d5, d6, d0] : !c mask 1
        rhs %y[d4, d1 + d5 - 1, d2 + d6 - 1, d3] : !a mask and(and(le(0, d1 + d5 - 1), lt(d1 + d5 - 1, 16)), and(le(0, d2 + d6 - 1), lt(d2 + d6 - 1, 16))) acc f32 : !b
    loop.return %0 : !b
  }
  %t = loop.kernel @extended_gradient ins(%x = %u : !b) shared [64, 3, 3, 32] -> !t {
    %0 = loop.pointwise (%i, %j, %k, %l) in [64, 3, 3, 32] : !t {
      %1 = loop.load %x[%i, %j, %k, %l] : !b
      %2 = arith.extf %1 : bf16 to f32
      loop.yield %2 : f32
    }
    loop.return %0 : !t
  }
  return %p, %q, %s, %t : !p, !f, !s, !t
}
