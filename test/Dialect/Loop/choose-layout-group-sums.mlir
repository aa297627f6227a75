// RUN: kiln-opt %s --loop-choose-layout | FileCheck %s

// Groups of eight channels, which are half a line of the cache: each channel is summed up over the
// places first, all of them side by side.

// CHECK-LABEL: func.func @groups
// CHECK: %[[C:.*]]:2 = loop.reduce parallel (%i, %j) in [2, 64] reduction (%k) in [2916] <sum, max>
// CHECK-NEXT: loop.load %{{.*}}[%i, floordiv(%k, 54), mod(%k, 54), %j]
// CHECK-NEXT: loop.load %{{.*}}[%i, floordiv(%j, 8)]
// CHECK: %[[M:.*]]:2 = loop.reduce parallel (%i, %j) in [2, 8] reduction (%k) in [8] <sum, max>
// CHECK-NEXT: loop.load %[[C]]#0[%i, %j * 8 + %k]
// CHECK-NEXT: loop.load %[[C]]#1[%i, %j * 8 + %k]
// CHECK: return %[[M]]#0, %[[M]]#1
func.func @groups(%x: tensor<2x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %s: tensor<2x8xf32>)
    -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %y = loop.contract parallel [2, 64, 54, 54] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x64x56x56xf32>
      rhs %w[d1, d4, d5, d6] : tensor<64x64x3x3xf32> acc f32 : tensor<2x64x54x54xf32>
  %m:2 = loop.reduce parallel (%n, %g) in [2, 8] reduction (%c, %p) in [8, 2916] <sum, max> : tensor<2x8xf32>, tensor<2x8xf32> {
    %e = loop.load %y[%n, %g * 8 + %c, floordiv(%p, 54), mod(%p, 54)] : tensor<2x64x54x54xf32>
    %f = loop.load %s[%n, %g] : tensor<2x8xf32>
    %d = arith.subf %e, %f : f32
    loop.yield %d, %e : f32, f32
  }
  return %m#0, %m#1 : tensor<2x8xf32>, tensor<2x8xf32>
}

// An argument whose strides say that it has its channels last.

// CHECK-LABEL: func.func @argument
// CHECK: loop.reduce parallel (%i, %j) in [2, 64] reduction (%k, %l) in [32, 32] <sum>
// CHECK-NEXT: loop.load %{{.*}}[%i, %j, %k, %l]
func.func @argument(%x: tensor<2x64x32x32xf32> {loop.strides = #guard.shape<[65536, 1, 2048, 64]>}) -> tensor<2x16xf64> {
  %m = loop.reduce parallel (%n, %g) in [2, 16] reduction (%c, %h, %w) in [4, 32, 32] <sum> : tensor<2x16xf64> {
    %e = loop.load %x[%n, %g * 4 + %c, %h, %w] : tensor<2x64x32x32xf32>
    %d = arith.extf %e : f32 to f64
    loop.yield %d : f64
  }
  return %m : tensor<2x16xf64>
}

// Where places are neighbours, groups are long rows. So they are of channels by themselves, without places.

// CHECK-LABEL: func.func @rows
// CHECK: loop.reduce parallel (%i, %j) in [2, 16] reduction (%k, %l, %m) in [4, 32, 32] <sum>
// CHECK: loop.reduce parallel (%i, %j) in [2, 16] reduction (%k) in [4] <sum>
func.func @rows(%x: tensor<2x64x32x32xf32>, %z: tensor<2x64xf32>) -> (tensor<2x16xf32>, tensor<2x16xf32>) {
  %m = loop.reduce parallel (%n, %g) in [2, 16] reduction (%c, %h, %w) in [4, 32, 32] <sum> : tensor<2x16xf32> {
    %e = loop.load %x[%n, %g * 4 + %c, %h, %w] : tensor<2x64x32x32xf32>
    loop.yield %e : f32
  }
  %s = loop.reduce parallel (%n, %g) in [2, 16] reduction (%c) in [4] <sum> : tensor<2x16xf32> {
    %e = loop.load %z[%n, %g * 4 + %c] : tensor<2x64xf32>
    loop.yield %e : f32
  }
  return %m, %s : tensor<2x16xf32>, tensor<2x16xf32>
}
