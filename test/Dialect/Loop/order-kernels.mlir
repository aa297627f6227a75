// RUN: kiln-opt %s --loop-fuse=fuse=false --loop-order-kernels --loop-plan-memory | FileCheck %s

// The update of %w waits for the kernel that reads the old contents, and then
// writes in place.

// CHECK-LABEL: func.func @update_last
// CHECK: loop.kernel @fused_reader{{.*}} placements [#loop.new]
// CHECK: loop.kernel @fused_update{{.*}} placements [#loop.argument<0>]
func.func @update_last(%w: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.updates = 0}, tensor<1024xf32>) {
  %r = loop.pointwise (%i) in [1024] origins ["update"] : tensor<1024xf32> {
    %x = loop.load %w[%i] : tensor<1024xf32>
    %z = arith.negf %x : f32
    loop.yield %z : f32
  }
  %s = loop.pointwise (%i) in [1024] origins ["reader"] : tensor<1024xf32> {
    %x = loop.load %w[1023 - %i] : tensor<1024xf32>
    loop.yield %x : f32
  }
  return %r, %s : tensor<1024xf32>, tensor<1024xf32>
}
