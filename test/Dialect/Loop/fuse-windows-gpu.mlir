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

// By channels of their own, which lie last in the image, they are computed in vectors of channels,
// as what goes through shared memory on its way to the order of a caller.

// CHECK-LABEL: func.func @own
// CHECK: loop.kernel
// CHECK-SAME: shared [1, 3, 3, 384]
// CHECK: loop.kernel
// CHECK-SAME: shared [64, 384, 28, 28] schedule #loop.gpu_tile<threads = 128, lanes = 8, side = 64, dim = 1, points = 4>
// CHECK: loop.contract parallel [64, 384, 28, 28] reduction [1, 3, 3] lhs %{{.*}}[d0, d1 + d4, d2 + d5 - 1, d3 + d6 - 1]
// CHECK-SAME: epilogue
// CHECK-NOT: loop.kernel
!own = tensor<64x384x28x28xbf16>
func.func @own(%x: !own {loop.strides = #guard.shape<[301056, 1, 10752, 384]>},
               %w: tensor<384x1x3x3xbf16>, %b: tensor<384xbf16>) -> !own {
  %y = loop.contract parallel [64, 384, 28, 28] reduction [1, 3, 3]
      lhs %x[d0, d1 + d4, d2 + d5 - 1, d3 + d6 - 1] : !own mask and(and(le(1, d2 + d5), lt(d2 + d5 - 1, 28)), and(le(1, d3 + d6), lt(d3 + d6 - 1, 28)))
      rhs %w[d1, d4, d5, d6] : tensor<384x1x3x3xbf16> mask 1
      acc f32 : !own epilogue (%acc, %n, %c, %h, %v) {
    %e = loop.load %b[%c] : tensor<384xbf16>
    %f = arith.extf %e : bf16 to f32
    %s = arith.addf %acc, %f : f32
    %r = arith.truncf %s : f32 to bf16
    loop.yield %r : bf16
  }
  return %y : !own
}

// Not where what follows reads something else in the order of the caller,

// CHECK-LABEL: func.func @residual
// CHECK: loop.kernel
// CHECK-SAME: shared [1, 3, 3, 384]
// CHECK: loop.kernel
// CHECK-SAME: shared [64, 28, 28, 384] schedule #loop.gpu_across<threads = 256, lanes = 8, sum_block = 128, points = 7>
// CHECK: loop.kernel
// CHECK-SAME: shared [64, 384, 28, 28] schedule #loop.gpu_tile<threads = 256, lanes = 8, side = 64, dim = 1>
// CHECK: arith.addf
// CHECK-NOT: loop.kernel
func.func @residual(%x: !own {loop.strides = #guard.shape<[301056, 1, 10752, 384]>},
                    %w: tensor<384x1x3x3xbf16>, %b: !own) -> !own {
  %y = loop.contract parallel [64, 384, 28, 28] reduction [1, 3, 3]
      lhs %x[d0, d1 + d4, d2 + d5 - 1, d3 + d6 - 1] : !own mask and(and(le(1, d2 + d5), lt(d2 + d5 - 1, 28)), and(le(1, d3 + d6), lt(d3 + d6 - 1, 28)))
      rhs %w[d1, d4, d5, d6] : tensor<384x1x3x3xbf16> mask 1
      acc f32 : !own
  %r = loop.pointwise (%n, %c, %h, %v) in [64, 384, 28, 28] : !own {
    %e = loop.load %y[%n, %c, %h, %v] : !own
    %f = loop.load %b[%n, %c, %h, %v] : !own
    %s = arith.addf %e, %f : bf16
    loop.yield %s : bf16
  }
  return %r : !own
}

// nor where images have an odd number of places, so that no vectors could be stored.

// CHECK-LABEL: func.func @places
// CHECK: loop.kernel
// CHECK: loop.kernel
// CHECK-SAME: shared [64, 7, 7, 384] schedule #loop.gpu_across<threads = 256, lanes = 8
// CHECK: loop.kernel
// CHECK-SAME: shared [64, 384, 7, 7] schedule #loop.gpu_tile
// CHECK-NOT: loop.kernel
!places = tensor<64x384x7x7xbf16>
func.func @places(%x: !places {loop.strides = #guard.shape<[18816, 1, 2688, 384]>},
                  %w: tensor<384x1x3x3xbf16>) -> !places {
  %y = loop.contract parallel [64, 384, 7, 7] reduction [1, 3, 3]
      lhs %x[d0, d1 + d4, d2 + d5 - 1, d3 + d6 - 1] : !places mask and(and(le(1, d2 + d5), lt(d2 + d5 - 1, 7)), and(le(1, d3 + d6), lt(d3 + d6 - 1, 7)))
      rhs %w[d1, d4, d5, d6] : tensor<384x1x3x3xbf16> mask 1
      acc f32 : !places
  return %y : !places
}
