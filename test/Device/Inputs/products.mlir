// What a library may be asked for: operands in either order, one and several matrices, heads that
// lie side by side, a bias, each type; results in f32.
#units = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 32, part_rows = 32, part_columns = 32, stages = 3, lanes = 4, group = 8, split = 1, library = cublas>
#exact = #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 4, group = 8, split = 1, library = cublas>
!a = tensor<96x64xbf16>
!b = tensor<128x64xbf16>
!c = tensor<128xbf16>
!d = tensor<64x4x96xf32>
!e = tensor<4x64x128xf32>
!f = tensor<64x96xf16>
!r = tensor<96x128xf32>
func.func @main(
    %a: !a {aten.input = #aten.input<kind = user_input, name = "a", path = "[0][0]">},
    %b: !b {aten.input = #aten.input<kind = user_input, name = "b", path = "[0][1]">},
    %c: !c {aten.input = #aten.input<kind = user_input, name = "c", path = "[0][2]">},
    %d: !d {aten.input = #aten.input<kind = user_input, name = "d", path = "[0][3]">},
    %e: !e {aten.input = #aten.input<kind = user_input, name = "e", path = "[0][4]">},
    %f: !f {aten.input = #aten.input<kind = user_input, name = "f", path = "[0][5]">})
    -> (!r {aten.output = #aten.output<kind = user_output, name = "p", path = "[0]">},
        tensor<4x96x128xf32> {aten.output = #aten.output<kind = user_output, name = "q", path = "[1]">},
        tensor<96x96xf32> {aten.output = #aten.output<kind = user_output, name = "s", path = "[2]">}) {
  %o = loop.kernel @linear ins(%x = %a : !a, %y = %b : !b, %z = %c : !c) shared [] schedule #units -> tensor<96x128xbf16> {
    %0 = loop.contract parallel [96, 128] reduction [64] lhs %x[d0, d2] : !a rhs %y[d1, d2] : !b acc f32 : tensor<96x128xbf16>
        epilogue (%acc, %i, %j) {
      %1 = loop.load %z[%j] : !c
      %2 = arith.extf %1 : bf16 to f32
      %3 = arith.addf %acc, %2 : f32
      %4 = arith.truncf %3 : f32 to bf16
      loop.yield %4 : bf16
    }
    loop.return %0 : tensor<96x128xbf16>
  }
  %p = loop.kernel @extended ins(%x = %o : tensor<96x128xbf16>) shared [96, 128] -> !r {
    %0 = loop.pointwise (%i, %j) in [96, 128] : !r {
      %1 = loop.load %x[%i, %j] : tensor<96x128xbf16>
      %2 = arith.extf %1 : bf16 to f32
      loop.yield %2 : f32
    }
    loop.return %0 : !r
  }
  %q = loop.kernel @heads ins(%x = %d : !d, %y = %e : !e) shared [] schedule #exact -> tensor<4x96x128xf32> {
    %0 = loop.contract parallel [4, 96, 128] reduction [64] lhs %x[d3, d0, d1] : !d rhs %y[d0, d3, d2] : !e acc f32 : tensor<4x96x128xf32>
    loop.return %0 : tensor<4x96x128xf32>
  }
  %s = loop.kernel @squares ins(%x = %f : !f) shared [] schedule #units -> tensor<96x96xf32> {
    %0 = loop.contract parallel [96, 96] reduction [64] lhs %x[d2, d0] : !f rhs %x[d2, d1] : !f acc f32 : tensor<96x96xf32>
    loop.return %0 : tensor<96x96xf32>
  }
  return %p, %q, %s : !r, tensor<4x96x128xf32>, tensor<96x96xf32>
}
