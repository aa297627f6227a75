// RUN: kiln-opt %s --loop-choose-layout | FileCheck %s

// Rows of a resized image lie at positions of a table. They are read with the channels last that
// the convolution gives, and who calls sees a copy.

// CHECK-LABEL: func.func @resized
// CHECK: %[[Y:.*]] = loop.contract parallel [2, 12, 12, 64] reduction [3, 3, 16]
// CHECK: %[[R:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 24, 12, 64]
// CHECK-NEXT: %[[A:.*]] = loop.load %arg2[%j] : tensor<24xi64>
// CHECK-NEXT: %[[P:.*]] = arith.index_cast %[[A]]
// CHECK-NEXT: loop.load %[[Y]][%i, %[[P]], %k, %l] : tensor<2x12x12x64xf32>
// CHECK: %[[C:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 64, 24, 12]
// CHECK-NEXT: loop.load %[[R]][%i, %k, %l, %j]
// CHECK: return %[[C]]
func.func @resized(%x: tensor<2x16x14x14xf32>, %w: tensor<64x16x3x3xf32>, %at: tensor<24xi64>)
    -> tensor<2x64x24x12xf32> {
  %y = loop.contract parallel [2, 64, 12, 12] reduction [16, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x14x14xf32>
      rhs %w[d1, d4, d5, d6] : tensor<64x16x3x3xf32> acc f32 : tensor<2x64x12x12xf32>
  %r = loop.pointwise (%n, %c, %h, %u) in [2, 64, 24, 12] : tensor<2x64x24x12xf32> {
    %a = loop.load %at[%h] : tensor<24xi64>
    %p = arith.index_cast %a : i64 to index
    %e = loop.load %y[%n, %c, %p, %u] : tensor<2x64x12x12xf32>
    loop.yield %e : f32
  }
  return %r : tensor<2x64x24x12xf32>
}
