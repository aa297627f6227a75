// RUN: kiln-opt %s --loop-choose-layout | FileCheck %s

// A convolution that slides over a vector of channels multiplies next to nothing: whether images
// have their channels last is not put to its vote.

// CHECK-LABEL: func.func @slight
// CHECK: loop.contract parallel [2, 54, 54, 64] reduction [3, 3, 64]
func.func @slight(%x: tensor<2x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %u: tensor<1x1x5xf32>) -> tensor<2x1x60xf32> {
  %y = loop.contract parallel [2, 64, 54, 54] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x64x56x56xf32>
      rhs %w[d1, d4, d5, d6] : tensor<64x64x3x3xf32> acc f32 : tensor<2x64x54x54xf32>
  %m = loop.reduce parallel (%n, %c) in [2, 64] reduction (%h, %v) in [54, 54] <sum> : tensor<2x64xf32> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x64x54x54xf32>
    loop.yield %e : f32
  }
  %g = loop.contract parallel [2, 1, 60] reduction [1, 5]
      lhs %m[d0, d2 + d4] : tensor<2x64xf32>
      rhs %u[d1, d3, d4] : tensor<1x1x5xf32> acc f32 : tensor<2x1x60xf32>
  return %g : tensor<2x1x60xf32>
}

// One that multiplies as much as the other and keeps its channels first is counted.

// CHECK-LABEL: func.func @heavy
// CHECK: loop.contract parallel [2, 64, 54, 54] reduction [64, 3, 3]
func.func @heavy(%x: tensor<2x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %z: tensor<2x64x3136xf32>, %u: tensor<1x64x9xf32>) -> (tensor<2x64xf32>, tensor<2x64x3128xf32>) {
  %y = loop.contract parallel [2, 64, 54, 54] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x64x56x56xf32>
      rhs %w[d1, d4, d5, d6] : tensor<64x64x3x3xf32> acc f32 : tensor<2x64x54x54xf32>
  %m = loop.reduce parallel (%n, %c) in [2, 64] reduction (%h, %v) in [54, 54] <sum> : tensor<2x64xf32> {
    %e = loop.load %y[%n, %c, %h, %v] : tensor<2x64x54x54xf32>
    loop.yield %e : f32
  }
  %g = loop.contract parallel [2, 64, 3128] reduction [9]
      lhs %z[d0, d1, d2 + d3] : tensor<2x64x3136xf32>
      rhs %u[0, d1, d3] : tensor<1x64x9xf32> acc f32 : tensor<2x64x3128xf32>
  return %m, %g : tensor<2x64xf32>, tensor<2x64x3128xf32>
}
