// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-layout --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-choose-layout --split-input-file | FileCheck %s --check-prefix=CPU

// In the gradient of a weight over three colours these, in fours, and the taps of a row of the
// window are one dimension of the result: with zeros around the image none is masked.

// CHECK-LABEL: func.func @gradient_of_colours
// CHECK: %[[G:.*]] = loop.pointwise (%i, %j, %k, %l) in [8, 16, 16, 64]
// CHECK: %[[X:.*]] = loop.pointwise (%i, %j, %k) in [8, 37, 152]
// CHECK: %[[H:.*]] = loop.index (%j - 3)
// CHECK: arith.cmpi ult, %[[H]], %c32
// CHECK: arith.cmpi ult, %{{.*}}, %c32
// CHECK: arith.cmpi ult, %{{.*}}, %c3
// CHECK: loop.load %arg1[%i, {{.*}}] mask
// CHECK: %[[R:.*]] = loop.contract parallel [64, 7, 32] reduction [8, 16, 16]
// CHECK-SAME: lhs %[[G]][d3, d4, d5, d0] : tensor<8x16x16x64xbf16>
// CHECK-SAME: rhs %[[X]][d3, d1 + d4 * 2, d2 + d5 * 8] : tensor<8x37x152xbf16>
// CHECK-NOT: mask
// CHECK: loop.pointwise (%i, %j, %k, %l) in [64, 3, 7, 7]
// CHECK: loop.load %[[R]][%i, %k, {{.*}}] : tensor<64x7x32xbf16>
// CPU-LABEL: func.func @gradient_of_colours
// CPU: reduction [8, 16, 16]
// CPU-SAME: mask
func.func @gradient_of_colours(%g: tensor<8x64x16x16xbf16>, %x: tensor<8x3x32x32xbf16>)
    -> tensor<64x3x7x7xbf16> {
  %y = loop.contract parallel [64, 3, 7, 7] reduction [8, 16, 16]
      lhs %g[d4, d0, d5, d6] : tensor<8x64x16x16xbf16> mask 1
      rhs %x[d4, d1, d5 * 2 + d2 - 3, d6 * 2 + d3 - 3] : tensor<8x3x32x32xbf16>
      mask and(and(le(0, d5 * 2 + d2 - 3), lt(d5 * 2 + d2 - 3, 32)), and(le(0, d6 * 2 + d3 - 3), lt(d6 * 2 + d3 - 3, 32)))
      acc f32 : tensor<64x3x7x7xbf16>
  return %y : tensor<64x3x7x7xbf16>
}

// -----

// The same where another condition is among the masks: nothing is known of what it leaves out.

// CHECK-LABEL: func.func @gradient_of_a_corner
// CHECK: loop.contract parallel [64, 3, 7, 7]
// CHECK-SAME: mask
func.func @gradient_of_a_corner(%g: tensor<8x64x16x16xbf16>, %x: tensor<8x3x32x32xbf16>)
    -> tensor<64x3x7x7xbf16> {
  %y = loop.contract parallel [64, 3, 7, 7] reduction [8, 16, 16]
      lhs %g[d4, d0, d5, d6] : tensor<8x64x16x16xbf16> mask 1
      rhs %x[d4, d1, d5 * 2 + d2 - 3, d6 * 2 + d3 - 3] : tensor<8x3x32x32xbf16>
      mask and(and(le(0, d5 * 2 + d2 - 3), lt(d5 * 2 + d2 - 3, 32)), and(le(0, d6 * 2 + d3 - 3), lt(d6 * 2 + d3 - 3, 31)))
      acc f32 : tensor<64x3x7x7xbf16>
  return %y : tensor<64x3x7x7xbf16>
}

// -----

// Patches of 16 by 16 have rows of 64 elements with their colours in fours: the sum is over
// rows. Of windows of 7 something behind the row would be summed up, too, times zero.

// CHECK-LABEL: func.func @patches
// CHECK: %[[X:.*]] = loop.pointwise (%i, %j, %k) in [4, 224, 896]
// CHECK: %[[W:.*]] = loop.pointwise (%i, %j, %k) in [768, 16, 64]
// CHECK: loop.contract parallel [4, 14, 14, 768] reduction [16, 64]
// CHECK-SAME: lhs %[[X]][d0, d1 * 16 + d4, d2 * 64 + d5] : tensor<4x224x896xbf16>
// CHECK-SAME: rhs %[[W]][d3, d4, d5] : tensor<768x16x64xbf16>
// CHECK-LABEL: func.func @sevens
// CHECK: loop.contract parallel [4, 16, 16, 64] reduction [7, 7, 8]
func.func @patches(%x: tensor<4x3x224x224xbf16>, %w: tensor<768x3x16x16xbf16>)
    -> (tensor<4x768x14x14xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %y = loop.contract parallel [4, 768, 14, 14] reduction [3, 16, 16]
      lhs %x[d0, d4, d2 * 16 + d5, d3 * 16 + d6] : tensor<4x3x224x224xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<768x3x16x16xbf16> acc f32 : tensor<4x768x14x14xbf16>
  return %y : tensor<4x768x14x14xbf16>
}
func.func @sevens(%x: tensor<4x3x37x37xbf16>, %w: tensor<64x3x7x7xbf16>)
    -> (tensor<4x64x16x16xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %y = loop.contract parallel [4, 64, 16, 16] reduction [3, 7, 7]
      lhs %x[d0, d4, d2 * 2 + d5, d3 * 2 + d6] : tensor<4x3x37x37xbf16>
      rhs %w[d1, d4, d5, d6] : tensor<64x3x7x7xbf16> acc f32 : tensor<4x64x16x16xbf16>
  return %y : tensor<4x64x16x16xbf16>
}
