// RUN: kiln-opt %s --split-input-file --loop-choose-layout | FileCheck %s

// Where bf16 is multiplied in vectors of pairs, an image of it has its channels last, as one
// of floats has, and so has the result; weights are copied in that order.
#pairs = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = pairs>
module attributes {loop.target = #pairs} {
  // CHECK-LABEL: func.func @channels
  // CHECK: %[[IMAGE:.*]] = loop.pointwise {{.*}} in [2, 16, 16, 24] : tensor<2x16x16x24xbf16>
  // CHECK: %[[WEIGHT:.*]] = loop.pointwise {{.*}} in [32, 3, 3, 24] : tensor<32x3x3x24xbf16>
  // CHECK: loop.contract parallel [2, 14, 14, 32] reduction [3, 3, 24]
  // CHECK-SAME: lhs %[[IMAGE]][d0, d1 + d4, d2 + d5, d6]
  // CHECK-SAME: rhs %[[WEIGHT]][d3, d4, d5, d6]
  // CHECK: loop.pointwise {{.*}} in [2, 32, 14, 14]
  func.func @channels(%a: tensor<2x24x16x16xbf16>, %w: tensor<32x24x3x3xbf16>) -> tensor<2x32x14x14xbf16> {
    %0 = loop.pointwise (%n, %c, %i, %j) in [2, 24, 16, 16] : tensor<2x24x16x16xbf16> {
      %e = loop.load %a[%n, %c, %i, %j] : tensor<2x24x16x16xbf16>
      loop.yield %e : bf16
    }
    %1 = loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3] lhs %0[d0, d4, d2 + d5, d3 + d6] : tensor<2x24x16x16xbf16> rhs %w[d1, d4, d5, d6] : tensor<32x24x3x3xbf16> acc f32 : tensor<2x32x14x14xbf16>
    return %1 : tensor<2x32x14x14xbf16>
  }

  // Seven places of three colours are no words: of four they are. Eight places of three are.
  // CHECK-LABEL: func.func @colours
  // CHECK: loop.pointwise (%i, %j, %k) in [2, 69, 276] : tensor<2x69x276xbf16>
  // CHECK: loop.index (%k - 12)
  // CHECK: arith.cmpi ult, %{{.*}}, %c256
  // CHECK: loop.index (mod(%k, 4))
  // CHECK: loop.contract parallel [2, 32, 32, 64] reduction [7, 28]
  // CHECK-LABEL: func.func @even
  // CHECK: loop.contract parallel [2, 32, 32, 64] reduction [8, 24]
  func.func @colours(%x: tensor<2x3x64x64xbf16>, %w: tensor<64x3x7x7xbf16>) -> tensor<2x64x32x32xbf16> {
    %y = loop.contract parallel [2, 64, 32, 32] reduction [3, 7, 7]
        lhs %x[d0, d4, d2 * 2 + d5 - 3, d3 * 2 + d6 - 3] : tensor<2x3x64x64xbf16>
        mask and(and(le(0, d2 * 2 + d5 - 3), lt(d2 * 2 + d5 - 3, 64)), and(le(0, d3 * 2 + d6 - 3), lt(d3 * 2 + d6 - 3, 64)))
        rhs %w[d1, d4, d5, d6] : tensor<64x3x7x7xbf16> mask 1 acc f32 : tensor<2x64x32x32xbf16>
    return %y : tensor<2x64x32x32xbf16>
  }
  func.func @even(%x: tensor<2x3x64x64xbf16>, %w: tensor<64x3x8x8xbf16>) -> tensor<2x64x32x32xbf16> {
    %y = loop.contract parallel [2, 64, 32, 32] reduction [3, 8, 8]
        lhs %x[d0, d4, d2 * 2 + d5 - 3, d3 * 2 + d6 - 3] : tensor<2x3x64x64xbf16>
        mask and(and(le(0, d2 * 2 + d5 - 3), lt(d2 * 2 + d5 - 3, 64)), and(le(0, d3 * 2 + d6 - 3), lt(d3 * 2 + d6 - 3, 64)))
        rhs %w[d1, d4, d5, d6] : tensor<64x3x8x8xbf16> mask 1 acc f32 : tensor<2x64x32x32xbf16>
    return %y : tensor<2x64x32x32xbf16>
  }
}

// -----

// AMX takes words from panels.
#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
module attributes {loop.target = #tiles} {
  // CHECK-LABEL: func.func @panels
  // CHECK-NEXT: loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3]
  func.func @panels(%a: tensor<2x24x16x16xbf16>, %w: tensor<32x24x3x3xbf16>) -> tensor<2x32x14x14xbf16> {
    %1 = loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3] lhs %a[d0, d4, d2 + d5, d3 + d6] : tensor<2x24x16x16xbf16> rhs %w[d1, d4, d5, d6] : tensor<32x24x3x3xbf16> acc f32 : tensor<2x32x14x14xbf16>
    return %1 : tensor<2x32x14x14xbf16>
  }
}

// -----

// What multiplies f32 extends bf16 while it packs.
#lanes = #loop.target<vector_bits = 256, registers = 16, masks = false, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000>
module attributes {loop.target = #lanes} {
  // CHECK-LABEL: func.func @extended
  // CHECK-NEXT: loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3]
  func.func @extended(%a: tensor<2x24x16x16xbf16>, %w: tensor<32x24x3x3xbf16>) -> tensor<2x32x14x14xbf16> {
    %1 = loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3] lhs %a[d0, d4, d2 + d5, d3 + d6] : tensor<2x24x16x16xbf16> rhs %w[d1, d4, d5, d6] : tensor<32x24x3x3xbf16> acc f32 : tensor<2x32x14x14xbf16>
    return %1 : tensor<2x32x14x14xbf16>
  }
}
