// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s

// Padding is a mask, and one reduction gives value and place.
// CHECK-LABEL: func @max_pool
// CHECK: loop.reduce parallel (%[[N:.*]], %[[C:.*]], %[[H:.*]], %[[W:.*]]) in [2, 3, 4, 4] reduction (%[[I:.*]], %[[J:.*]]) in [3, 3] <argmax>
// CHECK: loop.load %arg0[%[[N]], %[[C]], {{.*}}%[[H]] * 2{{.*}}] mask
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

// A transposed convolution visits the windows that cover an element: with
// stride 2 and a kernel of 3, two of them in a dimension.
// CHECK-LABEL: func @transposed
// CHECK: loop.contract parallel [1, 4, 9] reduction [2, 2]
// CHECK-SAME: mask
func.func @transposed(%x: tensor<1x2x4xf32>, %w: tensor<2x4x3xf32>)
    -> tensor<1x4x9xf32> {
  %v = aten.convolution(%x, %w, stride = [2], padding = [0], dilation = [1], transposed = true, output_padding = [0], groups = 1)
      : (tensor<1x2x4xf32>, tensor<2x4x3xf32>) -> tensor<1x4x9xf32>
  return %v : tensor<1x4x9xf32>
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

// The gradient of a mirrored edge: an element, and its two images.
// CHECK-LABEL: func @reflection
// CHECK: loop.reduce parallel {{.*}} in [2, 5] reduction {{.*}} in [3] <sum>
func.func @reflection(%g: tensor<2x8xf32>, %x: tensor<2x5xf32>)
    -> tensor<2x5xf32> {
  %v = aten.reflection_pad1d_backward(%g, %x, padding = [1, 2])
      : (tensor<2x8xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return %v : tensor<2x5xf32>
}
