// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s

// Padding is a mask, and one reduction gives value and place.
// CHECK-LABEL: func @max_pool
// CHECK: loop.reduce parallel (%[[N:.*]], %[[C:.*]], %[[H:.*]], %[[W:.*]]) in [2, 3, 4, 4] reduction (%[[I:.*]], %[[J:.*]]) in [3, 3] <argmax_last_nan>
// CHECK: loop.load %arg0[%[[N]], %[[C]], {{.*}}%[[H]] * 2{{.*}}] mask
// CHECK-NOT: loop.pointwise
// CHECK: return
func.func @max_pool(%x: tensor<2x3x8x8xf32>)
    -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>) {
  %v, %i = aten.max_pool2d_with_indices(%x, kernel_size = [3, 3], stride = [2, 2], padding = [1, 1])
      : (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  return %v, %i : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>
}

// -----

// Without padding nothing is masked.
// CHECK-LABEL: func @avg_pool
// CHECK: loop.reduce parallel {{.*}} in [3, 4] <sum>
// CHECK-NOT: mask
// CHECK: return
func.func @avg_pool(%x: tensor<2x6x8xf32>) -> tensor<2x2x2xf32> {
  %v = aten.avg_pool2d(%x, kernel_size = [3, 4]) : (tensor<2x6x8xf32>) -> tensor<2x2x2xf32>
  return %v : tensor<2x2x2xf32>
}

// -----

// A gradient sums the windows that cover an element: two of three in a row.
// CHECK-LABEL: func @avg_pool_backward
// CHECK: loop.reduce parallel {{.*}} in [1, 8, 8] reduction {{.*}} in [2, 2] <sum>
// CHECK-NOT: loop.scatter
func.func @avg_pool_backward(%g: tensor<1x4x4xf32>, %x: tensor<1x8x8xf32>)
    -> tensor<1x8x8xf32> {
  %v = aten.avg_pool2d_backward(%g, %x, kernel_size = [3, 3], stride = [2, 2], padding = [1, 1], ceil_mode = false, count_include_pad = true)
      : (tensor<1x4x4xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  return %v : tensor<1x8x8xf32>
}

// -----

// A global average reads all of a symbolic image, and masks nothing.
// CHECK-LABEL: func @global
// CHECK: loop.reduce parallel {{.*}} in [1, 3, 1, 1] reduction {{.*}} in [s0, s1] <sum>
// CHECK-NOT: mask
// CHECK: return
guard.symbol @s0 range [1, 512]
guard.symbol @s1 range [1, 512]
func.func @global(%x: tensor<1x3x?x?xf32, #guard.shape<[1, 3, s0, s1]>>)
    -> tensor<1x3x1x1xf32> {
  %v = aten._adaptive_avg_pool2d(%x, output_size = [1, 1])
      : (tensor<1x3x?x?xf32, #guard.shape<[1, 3, s0, s1]>>)
      -> tensor<1x3x1x1xf32>
  return %v : tensor<1x3x1x1xf32>
}

// -----

// With stride 2 and a kernel of 3, even positions lie in two windows and odd ones in
// one: each kind is a convolution without a stride, of as many positions as there are of it,
// and no tap is tried in vain.
// CHECK-LABEL: func @transposed
// CHECK: %[[EVEN:.*]] = loop.contract parallel [1, 4, 1, 5] reduction [2, 2]
// CHECK-SAME: lhs %arg0[d0, d4, d3 + d5 - 1]
// CHECK-SAME: rhs %arg1[d4, d1, d2 - d5 * 2 + 2]
// CHECK: %[[ODD:.*]] = loop.contract parallel [1, 4, 1, 4] reduction [2, 1]
// CHECK-SAME: lhs %arg0[d0, d4, d3 + d5]
// CHECK-SAME: rhs %arg1[d4, d1, d2 - d5 * 2 + 1]
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in [1, 4, 9]
// CHECK: loop.load %[[EVEN]][%[[I]], %[[J]], 0, floordiv(%[[K]], 2)]
// CHECK-SAME: mask
// CHECK: loop.load %[[ODD]][%[[I]], %[[J]], 0, floordiv(%[[K]], 2)]
// CHECK-SAME: mask
func.func @transposed(%x: tensor<1x2x4xf32>, %w: tensor<2x4x3xf32>)
    -> tensor<1x4x9xf32> {
  %v = aten.convolution(%x, %w, stride = [2], padding = [0], dilation = [1], transposed = true, output_padding = [0], groups = 1)
      : (tensor<1x2x4xf32>, tensor<2x4x3xf32>) -> tensor<1x4x9xf32>
  return %v : tensor<1x4x9xf32>
}

// -----

// A stride that divides the kernel leaves one nest, whose remainders are a dimension.
// CHECK-LABEL: func @patches
// CHECK: loop.contract parallel [1, 4, 4, 3] reduction [2, 1]
// CHECK-NOT: loop.contract
// CHECK-NOT: mask
func.func @patches(%x: tensor<1x2x3xf32>, %w: tensor<2x4x4xf32>)
    -> tensor<1x4x12xf32> {
  %v = aten.convolution(%x, %w, stride = [4], padding = [0], dilation = [1], transposed = true, output_padding = [0], groups = 1)
      : (tensor<1x2x3xf32>, tensor<2x4x4xf32>) -> tensor<1x4x12xf32>
  return %v : tensor<1x4x12xf32>
}

// -----

// Groups are a dimension of every operand; with a channel a group, channels are.
// CHECK-LABEL: func @groups
// CHECK: loop.contract parallel [1, 2, 3, 4] reduction [2, 3]
// CHECK-SAME: lhs %arg0[d0, d1 * 2 + d4, d3 + d5]
// CHECK-SAME: rhs %arg1[d1 * 3 + d2, d4, d5]
// CHECK: loop.contract parallel [1, 4, 4] reduction [1, 3]
// CHECK-SAME: lhs %arg0[d0, d1{{( \+ d3)?}}, d2 + d4]
func.func @groups(%x: tensor<1x4x6xf32>, %w: tensor<6x2x3xf32>,
                  %d: tensor<4x1x3xf32>)
    -> (tensor<1x6x4xf32>, tensor<1x4x4xf32>) {
  %v = aten.convolution(%x, %w, stride = [1], padding = [0], dilation = [1], transposed = false, output_padding = [0], groups = 2)
      : (tensor<1x4x6xf32>, tensor<6x2x3xf32>) -> tensor<1x6x4xf32>
  %u = aten.convolution(%x, %d, stride = [1], padding = [0], dilation = [1], transposed = false, output_padding = [0], groups = 4)
      : (tensor<1x4x6xf32>, tensor<4x1x3xf32>) -> tensor<1x4x4xf32>
  return %v, %u : tensor<1x6x4xf32>, tensor<1x4x4xf32>
}

// -----

// Twice the size: the nearest pixel is a quotient, and no float is computed.
// CHECK-LABEL: func @nearest
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in [1, 2, s0 * 2]
// CHECK: loop.load %arg0[%[[I]], %[[J]], floordiv(%[[K]], 2)]
// CHECK-NEXT: loop.yield
guard.symbol @s0 range [1, 512]
func.func @nearest(%x: tensor<1x2x?xf32, #guard.shape<[1, 2, s0]>>)
    -> tensor<1x2x?xf32, #guard.shape<[1, 2, s0 * 2]>> {
  %v = aten.upsample_nearest1d.vec(%x, scale_factors = [2.0])
      : (tensor<1x2x?xf32, #guard.shape<[1, 2, s0]>>)
      -> tensor<1x2x?xf32, #guard.shape<[1, 2, s0 * 2]>>
  return %v : tensor<1x2x?xf32, #guard.shape<[1, 2, s0 * 2]>>
}

// -----

// Positions and weights are tables of the two taps of each output. Widths are resized first, and
// heights of what that gives; an image that shrinks is read at once.
// CHECK-LABEL: func @bilinear
// CHECK-DAG: %[[AT:.*]] = loop.pointwise {{.*}} in [14] {{.*}}: tensor<14xi64>
// CHECK: %[[W:.*]] = loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) in [1, 2, 5, 14]
// CHECK: %[[A:.*]] = loop.load %{{.*}}[%[[L]]] : tensor<14xi64>
// CHECK: %[[X:.*]] = arith.index_cast %[[A]]
// CHECK: loop.load %arg0[%[[I]], %[[J]], %[[K]], %[[X]]]
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) in [1, 2, 10, 14]
// CHECK: %[[A:.*]] = loop.load %{{.*}}[%[[K]]] : tensor<10xi64>
// CHECK: %[[Y:.*]] = arith.index_cast %[[A]]
// CHECK: loop.load %[[W]][%[[I]], %[[J]], %[[Y]], %[[L]]]
// CHECK-LABEL: func @shrunk
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) in [1, 2, 3, 14]
// CHECK-COUNT-4: loop.load %arg0[%[[I]], %[[J]],
// CHECK-NOT: loop.pointwise
func.func @bilinear(%x: tensor<1x2x5x7xf32>) -> tensor<1x2x10x14xf32> {
  %v = aten.upsample_bilinear2d.vec(%x, output_size = [10, 14], align_corners = false)
      : (tensor<1x2x5x7xf32>) -> tensor<1x2x10x14xf32>
  return %v : tensor<1x2x10x14xf32>
}
func.func @shrunk(%x: tensor<1x2x5x7xf32>) -> tensor<1x2x3x14xf32> {
  %v = aten.upsample_bilinear2d.vec(%x, output_size = [3, 14], align_corners = false)
      : (tensor<1x2x5x7xf32>) -> tensor<1x2x3x14xf32>
  return %v : tensor<1x2x3x14xf32>
}

// -----

// The gradient of a mirrored edge: an element, and its two images.
// CHECK-LABEL: func @reflection
// CHECK: loop.reduce parallel {{.*}} in [2, 5] reduction {{.*}} in [3] <sum>
func.func @reflection(%g: tensor<2x8xf32>, %x: tensor<2x5xf32>)
    -> tensor<2x5xf32> {
  %v = aten.reflection_pad1d_backward(%g, %x, padding = [1, 2])
      : (tensor<2x8xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return %v : tensor<2x5xf32>
}
