// RUN: kiln-opt %s --kiln-fuse | FileCheck %s

// The gradient of an image of three channels: what it reads has its channels last and is read
// in place, so it has its own last, too, and is turned around for the caller behind it.

// CHECK-LABEL: func.func @gradient
// CHECK: loop.contract parallel [2, 9, 9, 3] reduction [3, 3, 32]
// CHECK-SAME: lhs %{{.*}}[d0, d1 + d4, d2 + d5, d6] : tensor<2x11x11x32xf32>
// CHECK: loop.pointwise (%i, %j, %k, %l) in [2, 3, 9, 9]
func.func @gradient(%g: tensor<2x11x11x32xf32>, %w: tensor<32x3x3x3xf32>) -> tensor<2x3x9x9xf32> {
  %x = loop.contract parallel [2, 9, 9, 3] reduction [3, 3, 32]
      lhs %g[d0, d1 + d4, d2 + d5, d6] : tensor<2x11x11x32xf32>
      rhs %w[d6, d3, d4, d5] : tensor<32x3x3x3xf32>
      acc f32 : tensor<2x9x9x3xf32>
  %t = loop.pointwise (%n, %c, %h, %v) in [2, 3, 9, 9] : tensor<2x3x9x9xf32> {
    %e = loop.load %x[%n, %h, %v, %c] : tensor<2x9x9x3xf32>
    loop.yield %e : f32
  }
  return %t : tensor<2x3x9x9xf32>
}

// A product follows its reader.

// CHECK-LABEL: func.func @product
// CHECK: loop.contract parallel [3, 64] reduction [32]
// CHECK-NOT: loop.pointwise
func.func @product(%g: tensor<64x32xf32>, %w: tensor<32x3xf32>) -> tensor<3x64xf32> {
  %x = loop.contract parallel [64, 3] reduction [32]
      lhs %g[d0, d2] : tensor<64x32xf32> rhs %w[d2, d1] : tensor<32x3xf32> acc f32 : tensor<64x3xf32>
  %t = loop.pointwise (%c, %v) in [3, 64] : tensor<3x64xf32> {
    %e = loop.load %x[%v, %c] : tensor<64x3xf32>
    loop.yield %e : f32
  }
  return %t : tensor<3x64xf32>
}

// -----

// The gradient of weights for channels of their own sums along neighbours of both operands: a
// copy in the order of weights does not become its epilogue.

// CHECK-LABEL: func.func @own_channels
// CHECK: loop.kernel {{.*}} shared [1, 3, 3, 16]
// CHECK: loop.kernel {{.*}} shared [16, 1, 3, 3]
func.func @own_channels(%g: tensor<2x64x16xf32>, %x: tensor<2x64x16xf32>) -> tensor<16x1x3x3xf32> {
  %c = loop.contract parallel [1, 3, 3, 16] reduction [2, 8, 8]
      lhs %g[d4, d5 * 8 + d6, d3] : tensor<2x64x16xf32> mask 1
      rhs %x[d4, d1 * 8 + d2 + d5 * 8 + d6 - 9, d3] : tensor<2x64x16xf32>
          mask and(and(le(0, d1 + d5 - 1), lt(d1 + d5 - 1, 8)), and(le(0, d2 + d6 - 1), lt(d2 + d6 - 1, 8)))
      acc f32 : tensor<1x3x3x16xf32>
  %w = loop.pointwise (%i, %j, %k, %l) in [16, 1, 3, 3] : tensor<16x1x3x3xf32> {
    %e = loop.load %c[%j, %k, %l, %i] : tensor<1x3x3x16xf32>
    loop.yield %e : f32
  }
  return %w : tensor<16x1x3x3xf32>
}

// A reader that counts the channels of all groups as one becomes the epilogue of a convolution
// by groups; windows over the result, which never leave its channels, read it by groups.

// CHECK-LABEL: func.func @groups
// CHECK: %[[Y:.*]] = loop.contract parallel [2, 14, 14, 4, 16] reduction [3, 3, 16]
// CHECK-SAME: epilogue (%acc, %i, %j, %k, %l, %
// CHECK-NOT: loop.pointwise
// CHECK: loop.contract parallel [2, 14, 14, 8, 8] reduction [3, 3, 8]
// CHECK-SAME: lhs %{{.*}}[d0, d1 + d5 - 1, d2 + d6 - 1, floordiv(d3 * 8 + d7, 16), mod(d3 * 8 + d7, 16)] : tensor<2x14x14x4x16xf32>
func.func @groups(%x: tensor<2x16x16x64xf32>, %w: tensor<64x3x3x16xf32>, %v: tensor<64x3x3x8xf32>)
    -> tensor<2x14x14x8x8xf32> {
  %y = loop.contract parallel [2, 14, 14, 4, 16] reduction [3, 3, 16]
      lhs %x[d0, d1 + d5, d2 + d6, d3 * 16 + d7] : tensor<2x16x16x64xf32>
      rhs %w[d3 * 16 + d4, d5, d6, d7] : tensor<64x3x3x16xf32>
      acc f32 : tensor<2x14x14x4x16xf32>
  %r = loop.pointwise (%n, %h, %u, %c) in [2, 14, 14, 64] : tensor<2x14x14x64xf32> {
    %e = loop.load %y[%n, %h, %u, floordiv(%c, 16), mod(%c, 16)] : tensor<2x14x14x4x16xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %z = loop.contract parallel [2, 14, 14, 8, 8] reduction [3, 3, 8]
      lhs %r[d0, d1 + d5 - 1, d2 + d6 - 1, d3 * 8 + d7] : tensor<2x14x14x64xf32>
          mask and(and(le(1, d1 + d5), lt(d1 + d5 - 1, 14)), and(le(1, d2 + d6), lt(d2 + d6 - 1, 14)))
      rhs %v[d3 * 8 + d4, d5, d6, d7] : tensor<64x3x3x8xf32> mask 1
      acc f32 : tensor<2x14x14x8x8xf32>
  return %z : tensor<2x14x14x8x8xf32>
}

// The gradient of a weight that has its channels last, as its image has, keeps them so, here in two parts: a copy in
// another order is behind it.

// CHECK-LABEL: func.func @weight_gradient
// CHECK: loop.contract parallel [2, 16, 3, 3, 16] reduction [1, 24, 24]
// CHECK: loop.reduce parallel (%{{.*}}) in [16, 3, 3, 16]
// CHECK: loop.pointwise (%{{.*}}) in [16, 16, 3, 3]
func.func @weight_gradient(%x: tensor<2x26x26x16xf32>, %y: tensor<2x24x24x16xf32>) -> tensor<16x16x3x3xf32> {
  %w = loop.contract parallel [16, 3, 3, 16] reduction [2, 24, 24]
      lhs %y[d4, d5, d6, d0] : tensor<2x24x24x16xf32>
      rhs %x[d4, d1 + d5, d2 + d6, d3] : tensor<2x26x26x16xf32>
      acc f32 : tensor<16x3x3x16xf32>
  %r = loop.pointwise (%o, %c, %h, %i) in [16, 16, 3, 3] : tensor<16x16x3x3xf32> {
    %e = loop.load %w[%o, %h, %i, %c] : tensor<16x3x3x16xf32>
    loop.yield %e : f32
  }
  return %r : tensor<16x16x3x3xf32>
}
