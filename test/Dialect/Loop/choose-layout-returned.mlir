// RUN: kiln-opt %s --loop-choose-layout | FileCheck %s

// An image that comes with its channels last, and whose resized form a caller takes so: the
// nest walks its channels innermost, and returns what it writes.

// CHECK-LABEL: func.func @resized
// CHECK-SAME: loop.order = array<i64: 0, 3, 1, 2>
// CHECK: loop.pointwise (%[[N:.*]], %[[H:.*]], %[[W:.*]], %[[C:.*]]) in [2, 32, 32, 64]
// CHECK: loop.load %{{.*}}[%[[N]], %[[C]], floordiv(%[[H]], 2), floordiv(%[[W]], 2)]
func.func @resized(%x: tensor<2x64x16x16xf32> {loop.strides = #guard.shape<[16384, 1, 1024, 64]>})
    -> (tensor<2x64x32x32xf32> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %r = loop.pointwise (%n, %c, %h, %w) in [2, 64, 32, 32] : tensor<2x64x32x32xf32> {
    %e = loop.load %x[%n, %c, floordiv(%h, 2), floordiv(%w, 2)] : tensor<2x64x16x16xf32>
    loop.yield %e : f32
  }
  return %r : tensor<2x64x32x32xf32>
}

// As much is read in the other order, so one of both is read across either way: the result
// stays as it is.

// CHECK-LABEL: func.func @tied
// CHECK-SAME: loop.order = array<i64: 0, 1, 2, 3>
// CHECK: loop.pointwise {{.*}} in [2, 64, 16, 16]
func.func @tied(%x: tensor<2x64x16x16xf32> {loop.strides = #guard.shape<[16384, 1, 1024, 64]>},
                %y: tensor<2x64x16x16xf32>)
    -> (tensor<2x64x16x16xf32> {loop.order = array<i64: 0, 1, 2, 3>}) {
  %r = loop.pointwise (%n, %c, %h, %w) in [2, 64, 16, 16] : tensor<2x64x16x16xf32> {
    %e = loop.load %x[%n, %c, %h, %w] : tensor<2x64x16x16xf32>
    %f = loop.load %y[%n, %c, %h, %w] : tensor<2x64x16x16xf32>
    %g = arith.addf %e, %f : f32
    loop.yield %g : f32
  }
  return %r : tensor<2x64x16x16xf32>
}

// A caller who counts on the order of the elements gets it.

// CHECK-LABEL: func.func @counted_on
// CHECK: loop.pointwise {{.*}} in [2, 64, 16, 16]
func.func @counted_on(%x: tensor<2x64x16x16xf32> {loop.strides = #guard.shape<[16384, 1, 1024, 64]>})
    -> tensor<2x64x16x16xf32> {
  %r = loop.pointwise (%n, %c, %h, %w) in [2, 64, 16, 16] : tensor<2x64x16x16xf32> {
    %e = loop.load %x[%n, %c, %h, %w] : tensor<2x64x16x16xf32>
    %f = math.exp %e : f32
    loop.yield %f : f32
  }
  return %r : tensor<2x64x16x16xf32>
}
