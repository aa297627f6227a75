// RUN: kiln-opt %s --loop-choose-layout --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-choose-layout --split-input-file | kiln-opt --split-input-file | FileCheck %s

// The gradient of a weight sums up an image with padding: it reads a copy with zeros around it, and nothing is
// masked in the sum.

// CHECK-LABEL: func.func @padded
// CHECK: %[[C:.*]] = loop.pointwise (%i, %j, %k, %l) in [2, 26, 26, 16]
// CHECK: loop.load %{{.*}}[%i, %j - 1, %k - 1, %l] mask %{{.*}}, %{{.*}} : tensor<2x24x24x16xf32>
// CHECK: loop.contract parallel [16, 3, 3, 16] reduction [2, 24, 24]
// CHECK-NOT: mask
// CHECK-SAME: rhs %[[C]][d4, d1 + d5, d2 + d6, d3] : tensor<2x26x26x16xf32>
// CHECK-NOT: mask
// CHECK: return
func.func @padded(%x: tensor<2x16x24x24xf32>, %y: tensor<2x16x24x24xf32>) -> tensor<16x16x3x3xf32> {
  %u = loop.pointwise (%n, %c, %h, %i) in [2, 16, 24, 24] : tensor<2x16x24x24xf32> {
    %e = loop.load %x[%n, %c, %h, %i] : tensor<2x16x24x24xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %g = loop.pointwise (%n, %c, %h, %i) in [2, 16, 24, 24] : tensor<2x16x24x24xf32> {
    %e = loop.load %y[%n, %c, %h, %i] : tensor<2x16x24x24xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %w = loop.contract parallel [16, 16, 3, 3] reduction [2, 24, 24]
      lhs %g[d4, d0, d5, d6] : tensor<2x16x24x24xf32> mask 1
      rhs %u[d4, d1, d2 + d5 - 1, d3 + d6 - 1] : tensor<2x16x24x24xf32>
        mask and(and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 24)), and(le(0, d3 + d6 - 1), lt(d3 + d6 - 1, 24)))
      acc f32 : tensor<16x16x3x3xf32>
  return %w : tensor<16x16x3x3xf32>
}

// -----

// Not where what is left out are no elements around the image, but every second place.

// CHECK-LABEL: func.func @holes
// CHECK: loop.contract {{.*}} reduction [2, 24, 24]
// CHECK-SAME: mask lt(mod(d5, 2), 1)
func.func @holes(%x: tensor<2x16x26x26xf32>, %y: tensor<2x16x24x24xf32>) -> tensor<16x16x3x3xf32> {
  %u = loop.pointwise (%n, %c, %h, %i) in [2, 16, 26, 26] : tensor<2x16x26x26xf32> {
    %e = loop.load %x[%n, %c, %h, %i] : tensor<2x16x26x26xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %g = loop.pointwise (%n, %c, %h, %i) in [2, 16, 24, 24] : tensor<2x16x24x24xf32> {
    %e = loop.load %y[%n, %c, %h, %i] : tensor<2x16x24x24xf32>
    %a = math.absf %e : f32
    loop.yield %a : f32
  }
  %w = loop.contract parallel [16, 16, 3, 3] reduction [2, 24, 24]
      lhs %g[d4, d0, d5, d6] : tensor<2x16x24x24xf32> mask 1
      rhs %u[d4, d1, d2 + d5, d3 + d6] : tensor<2x16x26x26xf32> mask lt(mod(d5, 2), 1)
      acc f32 : tensor<16x16x3x3xf32>
  return %w : tensor<16x16x3x3xf32>
}
