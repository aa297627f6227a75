// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-layout | FileCheck %s

// On a GPU the gradient of a weight by channels of their own has no tile that would be read more than once: it is a sum,
// of columns where channels are neighbours. The gradient of the image reads a copy of the weight whose channels are
// neighbours, though one of a group is counted beside the groups.

// CHECK-LABEL: func.func @weight
// CHECK-NOT: loop.contract
// CHECK: %[[S:.*]] = loop.reduce parallel (%i, %j, %k, %l) in [1, 3, 3, 64] reduction (%m, %n, %i6) in [4, 28, 28] <sum>
// CHECK: loop.pointwise (%i, %j, %k, %l) in [64, 1, 3, 3]
// CHECK-NEXT: loop.load %[[S]][%j, %k, %l, %i]
func.func @weight(%x: tensor<4x64x28x28xbf16> {loop.strides = #guard.shape<[50176, 1, 1792, 64]>},
                  %dy: tensor<4x64x28x28xbf16> {loop.strides = #guard.shape<[50176, 1, 1792, 64]>}) -> tensor<64x1x3x3xbf16> {
  %0 = loop.contract parallel [64, 1, 3, 3] reduction [4, 28, 28]
      lhs %dy[d4, d0, d5, d6] : tensor<4x64x28x28xbf16> mask 1
      rhs %x[d4, d0, d2 + d5 - 1, d3 + d6 - 1] : tensor<4x64x28x28xbf16>
      mask and(and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)), and(le(0, d3 + d6 - 1), lt(d3 + d6 - 1, 28)))
      acc f32 : tensor<64x1x3x3xbf16>
  return %0 : tensor<64x1x3x3xbf16>
}

// CHECK-LABEL: func.func @returned
// CHECK: %[[S:.*]] = loop.reduce parallel (%i, %j, %k, %l) in [1, 3, 3, 64] reduction (%m, %n, %i6) in [4, 28, 28] <sum>
// CHECK: %[[C:.*]] = loop.pointwise (%i, %j, %k, %l) in [64, 1, 3, 3] : tensor<64x1x3x3xf32>
// CHECK-NEXT: loop.load %[[S]][%j, %k, %l, %i]
// CHECK: return %[[C]]
func.func @returned(%x: tensor<4x64x28x28xf32> {loop.strides = #guard.shape<[50176, 1, 1792, 64]>},
                    %dy: tensor<4x64x28x28xf32> {loop.strides = #guard.shape<[50176, 1, 1792, 64]>}) -> tensor<64x1x3x3xf32> {
  %0 = loop.contract parallel [64, 1, 3, 3] reduction [4, 28, 28]
      lhs %dy[d4, d0, d5, d6] : tensor<4x64x28x28xf32> mask 1
      rhs %x[d4, d0, d2 + d5 - 1, d3 + d6 - 1] : tensor<4x64x28x28xf32>
      mask and(and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)), and(le(0, d3 + d6 - 1), lt(d3 + d6 - 1, 28)))
      acc f32 : tensor<64x1x3x3xf32>
  return %0 : tensor<64x1x3x3xf32>
}

// CHECK-LABEL: func.func @image
// CHECK: %[[W:.*]] = loop.pointwise (%i, %j, %k, %l) in [1, 3, 3, 64]
// CHECK: loop.contract parallel [4, 28, 28, 64]
// CHECK-SAME: rhs %[[W]][0, d5, d6, d3 + d4]
func.func @image(%dy: tensor<4x64x28x28xbf16> {loop.strides = #guard.shape<[50176, 1, 1792, 64]>}, %w: tensor<64x1x3x3xbf16>)
    -> (tensor<4x64x28x28xbf16> {loop.order = array<i64: 0, 2, 3, 1>}) {
  %0 = loop.contract parallel [4, 64, 28, 28] reduction [1, 3, 3]
      lhs %dy[d0, d1 + d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<4x64x28x28xbf16>
      mask and(and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)), and(le(0, d3 + d6 - 1), lt(d3 + d6 - 1, 28)))
      rhs %w[d1 + d4, 0, d5, d6] : tensor<64x1x3x3xbf16> mask 1
      acc f32 : tensor<4x64x28x28xbf16>
  return %0 : tensor<4x64x28x28xbf16>
}

// Where both have channels of their own, each is read by all of the other's: a product.
// CHECK-LABEL: func.func @dense
// CHECK: loop.contract
func.func @dense(%x: tensor<4x64x28x28xbf16> {loop.strides = #guard.shape<[50176, 1, 1792, 64]>},
                 %dy: tensor<4x64x28x28xbf16> {loop.strides = #guard.shape<[50176, 1, 1792, 64]>}) -> tensor<64x64x3x3xbf16> {
  %0 = loop.contract parallel [64, 64, 3, 3] reduction [4, 28, 28]
      lhs %dy[d4, d0, d5, d6] : tensor<4x64x28x28xbf16> mask 1
      rhs %x[d4, d1, d2 + d5 - 1, d3 + d6 - 1] : tensor<4x64x28x28xbf16>
      mask and(and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)), and(le(0, d3 + d6 - 1), lt(d3 + d6 - 1, 28)))
      acc f32 : tensor<64x64x3x3xbf16>
  return %0 : tensor<64x64x3x3xbf16>
}
