// RUN: kiln-opt %s --loop-fuse --loop-order-kernels | FileCheck %s

// New contents of an argument that there is not are a result like any other.

// CHECK-LABEL: func.func @update
// CHECK: loop.kernel
func.func @update(%w: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.updates = 4294967295}) {
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %w[%i] : tensor<1024xf32>
    loop.yield %x : f32
  }
  return %r : tensor<1024xf32>
}

// What nobody reads is no kernel, also where ops stand in a row.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%w: tensor<4xf32>) {
  %0 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %x = loop.load %w[%i] : tensor<4xf32>
    loop.yield %x : f32
  }
  %1 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %x = loop.load %0[%i] : tensor<4xf32>
    loop.yield %x : f32
  }
  %2 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %x = loop.load %1[%i] : tensor<4xf32>
    loop.yield %x : f32
  }
  return
}
