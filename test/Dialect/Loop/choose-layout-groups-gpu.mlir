// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-layout | FileCheck %s

// Groups of sixteen channels stand in front of those of a group, as on a processor. Of four
// they are channels of their own, of which a thread reads whole groups: those are innermost in
// the sum, and weights are copied so that the channels of the result are neighbours, and no
// further.

// CHECK-LABEL: func.func @sixteen
// CHECK: loop.contract parallel [2, 14, 14, 4, 16] reduction [3, 3, 16]
// CHECK-SAME: lhs %arg0[d0, d3 * 16 + d7, d1 + d5, d2 + d6] : tensor<2x64x16x16xbf16>
// CHECK-LABEL: func.func @four
// CHECK: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [4, 3, 3, 64]
// CHECK-NEXT: loop.load %arg1[%l, %i, %j, %k]
// CHECK: loop.contract parallel [2, 14, 14, 64] reduction [3, 3, 4]
// CHECK-SAME: lhs %arg0[d0, d6 + floordiv(d3, 4) * 4, d1 + d4, d2 + d5] : tensor<2x64x16x16xbf16>
// CHECK-SAME: rhs %[[W]][d6, d4, d5, d3] : tensor<4x3x3x64xbf16>
// CHECK-LABEL: func.func @own
// CHECK-NOT: loop.pointwise
// CHECK: loop.contract parallel [4, 64, 16, 16] reduction [1, 3, 3]
// CHECK-SAME: rhs %arg1[d1, d4, d5, d6] : tensor<64x1x3x3xbf16>
!x = tensor<2x64x16x16xbf16>
func.func @sixteen(%x: !x {loop.strides = #guard.shape<[16384, 1, 1024, 64]>}, %w: tensor<64x16x3x3xbf16>)
    -> (tensor<2x64x14x14xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %y = loop.contract parallel [2, 4, 16, 14, 14] reduction [16, 3, 3]
      lhs %x[d0, d1 * 16 + d5, d3 + d6, d4 + d7] : !x
      rhs %w[d1 * 16 + d2, d5, d6, d7] : tensor<64x16x3x3xbf16>
      acc f32 : tensor<2x4x16x14x14xbf16>
  %r = loop.pointwise (%n, %c, %h, %u) in [2, 64, 14, 14] : tensor<2x64x14x14xbf16> {
    %e = loop.load %y[%n, floordiv(%c, 16), mod(%c, 16), %h, %u] : tensor<2x4x16x14x14xbf16>
    loop.yield %e : bf16
  }
  return %r : tensor<2x64x14x14xbf16>
}

func.func @four(%x: !x {loop.strides = #guard.shape<[16384, 1, 1024, 64]>}, %w: tensor<64x4x3x3xbf16>)
    -> (tensor<2x64x14x14xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %y = loop.contract parallel [2, 16, 4, 14, 14] reduction [4, 3, 3]
      lhs %x[d0, d1 * 4 + d5, d3 + d6, d4 + d7] : !x
      rhs %w[d1 * 4 + d2, d5, d6, d7] : tensor<64x4x3x3xbf16>
      acc f32 : tensor<2x16x4x14x14xbf16>
  %r = loop.pointwise (%n, %c, %h, %u) in [2, 64, 14, 14] : tensor<2x64x14x14xbf16> {
    %e = loop.load %y[%n, floordiv(%c, 4), mod(%c, 4), %h, %u] : tensor<2x16x4x14x14xbf16>
    loop.yield %e : bf16
  }
  return %r : tensor<2x64x14x14xbf16>
}

// Weights of channels that are first in the result are read where they lie.
func.func @own(%x: tensor<4x64x18x18xbf16>, %w: tensor<64x1x3x3xbf16>) -> tensor<4x64x16x16xbf16> {
  %y = loop.contract parallel [4, 64, 16, 16] reduction [1, 3, 3]
      lhs %x[d0, d1 + d4, d2 + d5, d3 + d6] : tensor<4x64x18x18xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<64x1x3x3xbf16>
      acc f32 : tensor<4x64x16x16xbf16>
  return %y : tensor<4x64x16x16xbf16>
}
