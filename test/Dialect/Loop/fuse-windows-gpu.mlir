// RUN: kiln-opt %s --kiln-fuse=chip=sm_90a | FileCheck %s

// What follows a convolution is done by it, in the order that a caller wants: without matrix
// units as well as

// CHECK-LABEL: func.func @fma
// CHECK: loop.kernel
// CHECK-SAME: shared [8, 64, 56, 56] schedule #loop.gpu_product<unit = fma
// CHECK: arith.maximumf
// CHECK-NOT: loop.kernel
func.func @fma(%x: tensor<8x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32> {
  %y = loop.contract parallel [8, 64, 56, 56] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<8x64x56x56xf32> mask and(and(le(1, d2 + d5), lt(d2 + d5 - 1, 56)), and(le(1, d3 + d6), lt(d3 + d6 - 1, 56)))
      rhs %w[d1, d4, d5, d6] : tensor<64x64x3x3xf32> mask 1
      acc f32 : tensor<8x64x56x56xf32>
  %r = loop.pointwise (%n, %c, %h, %v) in [8, 64, 56, 56] : tensor<8x64x56x56xf32> {
    %zero = arith.constant 0.0 : f32
    %e = loop.load %y[%n, %c, %h, %v] : tensor<8x64x56x56xf32>
    %m = arith.maximumf %e, %zero : f32
    loop.yield %m : f32
  }
  return %r : tensor<8x64x56x56xf32>
}

// with them, behind a copy of the image and one of the weights.

// CHECK-LABEL: func.func @units
// CHECK-COUNT-2: loop.kernel
// CHECK: loop.kernel
// CHECK-SAME: shared [8, 64, 56, 56] schedule #loop.gpu_product<unit = wgmma
// CHECK: arith.maximumf
// CHECK-NOT: loop.kernel
func.func @units(%x: tensor<8x64x56x56xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<8x64x56x56xbf16> {
  %y = loop.contract parallel [8, 64, 56, 56] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<8x64x56x56xbf16> mask and(and(le(1, d2 + d5), lt(d2 + d5 - 1, 56)), and(le(1, d3 + d6), lt(d3 + d6 - 1, 56)))
      rhs %w[d1, d4, d5, d6] : tensor<64x64x3x3xbf16> mask 1
      acc f32 : tensor<8x64x56x56xbf16>
  %r = loop.pointwise (%n, %c, %h, %v) in [8, 64, 56, 56] : tensor<8x64x56x56xbf16> {
    %zero = arith.constant 0.0 : bf16
    %e = loop.load %y[%n, %c, %h, %v] : tensor<8x64x56x56xbf16>
    %m = arith.maximumf %e, %zero : bf16
    loop.yield %m : bf16
  }
  return %r : tensor<8x64x56x56xbf16>
}

// In the gradient of a weight the channels of the image are read along those of the result,
// which in the caller's order would be an element at a time.

// CHECK-LABEL: func.func @weight
// CHECK-COUNT-2: loop.kernel
// CHECK: loop.kernel
// CHECK-SAME: shared [64, 3, 3, 64] schedule #loop.gpu_product<{{.*}}lanes = 8
// CHECK: loop.kernel
// CHECK-SAME: shared [64, 64, 3, 3]
// CHECK-NOT: loop.kernel
func.func @weight(%g: tensor<8x64x56x56xbf16>, %x: tensor<8x64x58x58xbf16>, %s: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  %dw = loop.contract parallel [64, 64, 3, 3] reduction [8, 56, 56]
      lhs %g[d4, d0, d5, d6] : tensor<8x64x56x56xbf16>
      rhs %x[d4, d1, d2 + d5, d3 + d6] : tensor<8x64x58x58xbf16>
      acc f32 : tensor<64x64x3x3xbf16>
  %r = loop.pointwise (%n, %c, %h, %v) in [64, 64, 3, 3] : tensor<64x64x3x3xf32> {
    %e = loop.load %dw[%n, %c, %h, %v] : tensor<64x64x3x3xbf16>
    %f = arith.extf %e : bf16 to f32
    %k = loop.load %s[%n, %c, %h, %v] : tensor<64x64x3x3xf32>
    %m = arith.addf %f, %k : f32
    loop.yield %m : f32
  }
  return %r : tensor<64x64x3x3xf32>
}
