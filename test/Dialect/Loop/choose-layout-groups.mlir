// RUN: kiln-opt %s --loop-choose-layout --split-input-file | FileCheck %s

// Groups of channels stand in front of those of a group, who reads both as one has them last
// as well, and weights are no windows that groups walk.

// CHECK-LABEL: func.func @groups
// CHECK: %[[Y:.*]] = loop.contract parallel [2, 14, 14, 4, 16] reduction [3, 3, 16]
// CHECK-SAME: lhs %{{.*}}[d0, d1 + d5, d2 + d6, d3 * 16 + d7] : tensor<2x16x16x64xf32>
// CHECK-SAME: rhs %{{.*}}[d3 * 16 + d4, d5, d6, d7] : tensor<64x3x3x16xf32>
// CHECK: %[[R:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 14, 14, 64]
// CHECK-NEXT: loop.load %[[Y]][%i, %j, %k, floordiv(%l, 16), mod(%l, 16)] : tensor<2x14x14x4x16xf32>
// CHECK: loop.contract parallel [2, 12, 12, 32] reduction [3, 3, 64]
// CHECK-SAME: lhs %[[R]][d0, d1 + d4, d2 + d5, d6]
func.func @groups(%x: tensor<2x64x16x16xf32>, %w: tensor<64x16x3x3xf32>, %v: tensor<32x64x3x3xf32>)
    -> tensor<2x32x12x12xf32> {
  %y = loop.contract parallel [2, 4, 16, 14, 14] reduction [16, 3, 3]
      lhs %x[d0, d1 * 16 + d5, d3 + d6, d4 + d7] : tensor<2x64x16x16xf32>
      rhs %w[d1 * 16 + d2, d5, d6, d7] : tensor<64x16x3x3xf32>
      acc f32 : tensor<2x4x16x14x14xf32>
  %r = loop.pointwise (%n, %c, %h, %u) in [2, 64, 14, 14] : tensor<2x64x14x14xf32> {
    %e = loop.load %y[%n, floordiv(%c, 16), mod(%c, 16), %h, %u] : tensor<2x4x16x14x14xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %z = loop.contract parallel [2, 32, 12, 12] reduction [64, 3, 3]
      lhs %r[d0, d4, d2 + d5, d3 + d6] : tensor<2x64x14x14xf32>
      rhs %v[d1, d4, d5, d6] : tensor<32x64x3x3xf32> acc f32 : tensor<2x32x12x12xf32>
  return %z : tensor<2x32x12x12xf32>
}

// -----

// Groups of two are too few neighbours: one beside another convolution keeps both channels
// first.

// CHECK-LABEL: func.func @narrow_groups
// CHECK: loop.contract parallel [2, 32, 2, 14, 14] reduction [2, 3, 3]
// CHECK: loop.contract parallel [2, 32, 12, 12] reduction [64, 3, 3]
func.func @narrow_groups(%x: tensor<2x64x16x16xf32>, %w: tensor<64x2x3x3xf32>, %v: tensor<32x64x3x3xf32>)
    -> tensor<2x32x12x12xf32> {
  %y = loop.contract parallel [2, 32, 2, 14, 14] reduction [2, 3, 3]
      lhs %x[d0, d1 * 2 + d5, d3 + d6, d4 + d7] : tensor<2x64x16x16xf32>
      rhs %w[d1 * 2 + d2, d5, d6, d7] : tensor<64x2x3x3xf32>
      acc f32 : tensor<2x32x2x14x14xf32>
  %r = loop.pointwise (%n, %c, %h, %u) in [2, 64, 14, 14] : tensor<2x64x14x14xf32> {
    %e = loop.load %y[%n, floordiv(%c, 2), mod(%c, 2), %h, %u] : tensor<2x32x2x14x14xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %z = loop.contract parallel [2, 32, 12, 12] reduction [64, 3, 3]
      lhs %r[d0, d4, d2 + d5, d3 + d6] : tensor<2x64x14x14xf32>
      rhs %v[d1, d4, d5, d6] : tensor<32x64x3x3xf32> acc f32 : tensor<2x32x12x12xf32>
  return %z : tensor<2x32x12x12xf32>
}
