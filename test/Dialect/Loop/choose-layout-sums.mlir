// RUN: kiln-opt %s --loop-choose-layout | FileCheck %s

// Sums over the channels of a group and all places: channels are neighbours where images have them
// last, so they are walked innermost.

// CHECK-LABEL: func.func @groups
// CHECK: loop.contract parallel [2, 54, 54, 64]
// CHECK: loop.reduce parallel (%i, %j) in [2, 4] reduction (%k, %l) in [2916, 16] <sum>
// CHECK-NEXT: loop.load %{{.*}}[%i, floordiv(%k, 54), mod(%k, 54), %j * 16 + %l]
func.func @groups(%x: tensor<2x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<2x4xf32> {
  %y = loop.contract parallel [2, 64, 54, 54] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x64x56x56xf32>
      rhs %w[d1, d4, d5, d6] : tensor<64x64x3x3xf32> acc f32 : tensor<2x64x54x54xf32>
  %m = loop.reduce parallel (%n, %g) in [2, 4] reduction (%c, %p) in [16, 2916] <sum> : tensor<2x4xf32> {
    %e = loop.load %y[%n, %g * 16 + %c, floordiv(%p, 54), mod(%p, 54)] : tensor<2x64x54x54xf32>
    loop.yield %e : f32
  }
  return %m : tensor<2x4xf32>
}

// The position of an extremum counts in the order of the sum, which stays.

// CHECK-LABEL: func.func @positions
// CHECK: loop.contract parallel [2, 54, 54, 64]
// CHECK: loop.reduce parallel (%i, %j) in [2, 4] reduction (%k, %l) in [16, 2916] <argmax>
func.func @positions(%x: tensor<2x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>) {
  %y = loop.contract parallel [2, 64, 54, 54] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x64x56x56xf32>
      rhs %w[d1, d4, d5, d6] : tensor<64x64x3x3xf32> acc f32 : tensor<2x64x54x54xf32>
  %m:2 = loop.reduce parallel (%n, %g) in [2, 4] reduction (%c, %p) in [16, 2916] <argmax> : tensor<2x4xf32>, tensor<2x4xi64> {
    %e = loop.load %y[%n, %g * 16 + %c, floordiv(%p, 54), mod(%p, 54)] : tensor<2x64x54x54xf32>
    %i = loop.index (%c * 2916 + %p)
    %k = arith.index_cast %i : index to i64
    loop.yield %e, %k : f32, i64
  }
  return %m#0, %m#1 : tensor<2x4xf32>, tensor<2x4xi64>
}
