// RUN: kiln-opt %s --loop-choose-layout --split-input-file | FileCheck %s

// By channels of their own nothing is packed, so a convolution gives its image as it reads it,
// of bf16 as well, and reads a copy of its weights in which channels are neighbours, widened once.
// CHECK-LABEL: func.func @own
// CHECK: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [1, 7, 7, 96] : tensor<1x7x7x96xf32> {
// CHECK-NEXT: %[[E:.*]] = loop.load %arg1[%l, %i, %j, %k]
// CHECK-NEXT: arith.extf %[[E]] : bf16 to f32
// CHECK: %[[C:.*]] = loop.contract parallel [2, 50, 50, 96] reduction [1, 7, 7] lhs %arg0[d0, d3, d1 + d5, d2 + d6] : tensor<2x96x56x56xbf16>
// CHECK-SAME: rhs %[[W]][d4, d5, d6, d3] : tensor<1x7x7x96xf32>
// CHECK: return %[[C]] : tensor<2x50x50x96xbf16>
func.func @own(%image: tensor<2x96x56x56xbf16> {loop.strides = #guard.shape<[301056, 1, 5376, 96]>}, %weight: tensor<96x1x7x7xbf16>)
    -> (tensor<2x96x50x50xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %c = loop.contract parallel [2, 96, 50, 50] reduction [1, 7, 7] lhs %image[d0, d1, d2 + d5, d3 + d6] : tensor<2x96x56x56xbf16> mask 1 rhs %weight[d1, d4, d5, d6] : tensor<96x1x7x7xbf16> mask 1 acc f32 : tensor<2x96x50x50xbf16>
  return %c : tensor<2x96x50x50xbf16>
}

// -----

// Its image has its channels first: so has what it gives.
// CHECK-LABEL: func.func @first
// CHECK-NOT: loop.pointwise
// CHECK: loop.contract parallel [2, 96, 50, 50]
func.func @first(%image: tensor<2x96x56x56xbf16>, %weight: tensor<96x1x7x7xbf16>)
    -> (tensor<2x96x50x50xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %c = loop.contract parallel [2, 96, 50, 50] reduction [1, 7, 7] lhs %image[d0, d1, d2 + d5, d3 + d6] : tensor<2x96x56x56xbf16> mask 1 rhs %weight[d1, d4, d5, d6] : tensor<96x1x7x7xbf16> mask 1 acc f32 : tensor<2x96x50x50xbf16>
  return %c : tensor<2x96x50x50xbf16>
}

// -----

// So few places for each weight that widening all of them beforehand would be no less work.
// CHECK-LABEL: func.func @few_places
// CHECK: loop.pointwise (%i, %j, %k, %l) in [1, 7, 7, 96] : tensor<1x7x7x96xbf16> {
// CHECK: loop.contract parallel [1, 4, 4, 96]
func.func @few_places(%image: tensor<1x96x10x10xbf16> {loop.strides = #guard.shape<[9600, 1, 960, 96]>}, %weight: tensor<96x1x7x7xbf16>)
    -> (tensor<1x96x4x4xbf16> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %c = loop.contract parallel [1, 96, 4, 4] reduction [1, 7, 7] lhs %image[d0, d1, d2 + d5, d3 + d6] : tensor<1x96x10x10xbf16> mask 1 rhs %weight[d1, d4, d5, d6] : tensor<96x1x7x7xbf16> mask 1 acc f32 : tensor<1x96x4x4xbf16>
  return %c : tensor<1x96x4x4xbf16>
}
