// RUN: kiln-opt %s --split-input-file --loop-fuse=fuse=false --loop-order-kernels | FileCheck %s
// RUN: kiln-opt %s --split-input-file --loop-fuse=fuse=false --loop-order-kernels -o /dev/null --remarks-filter=loop-order-kernels 2>&1 | FileCheck %s --check-prefix=REMARK

// The update of %w waits for the kernel that reads the old contents, and then
// writes in place.

// CHECK-LABEL: func.func @update_last
// CHECK: loop.kernel @fused_reader
// CHECK: loop.kernel @fused_update
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

// -----

// An update that could run at once waits for the end, where it stands beside
// the other: what it keeps alive is small.

// CHECK-LABEL: func.func @side_by_side
// CHECK: loop.kernel @fused_gradient
// CHECK: loop.kernel @fused_work
// CHECK: loop.kernel @fused_first
// CHECK-NEXT: loop.pointwise
// CHECK: loop.kernel @fused_second
func.func @side_by_side(%a: tensor<8xf32>, %b: tensor<4096xf32>, %x: tensor<4096xf32>)
    -> (tensor<8xf32> {loop.updates = 0}, tensor<4096xf32> {loop.updates = 1}) {
  %g = loop.pointwise (%i) in [8] origins ["gradient"] : tensor<8xf32> {
    %v = loop.load %x[%i] : tensor<4096xf32>
    %z = math.exp %v : f32
    loop.yield %z : f32
  }
  %r = loop.pointwise (%i) in [8] origins ["first"] : tensor<8xf32> {
    %v = loop.load %a[%i] : tensor<8xf32>
    %w = loop.load %g[%i] : tensor<8xf32>
    %z = arith.addf %v, %w : f32
    loop.yield %z : f32
  }
  %h = loop.pointwise (%i) in [4096] origins ["work"] : tensor<4096xf32> {
    %v = loop.load %x[4095 - %i] : tensor<4096xf32>
    %z = math.exp %v : f32
    loop.yield %z : f32
  }
  %s = loop.pointwise (%i) in [4096] origins ["second"] : tensor<4096xf32> {
    %v = loop.load %b[%i] : tensor<4096xf32>
    %w = loop.load %h[%i] : tensor<4096xf32>
    %z = arith.addf %v, %w : f32
    loop.yield %z : f32
  }
  return %r, %s : tensor<8xf32>, tensor<4096xf32>
}

// -----

// What only the last kernel needs is made just before it. The program and who looks
// at the next kernel only would make it first, since it is the smaller one.

// REMARK: remark: [Passed] reordered | Category:loop-order-kernels | Function=made_late | after=8192, before=12288
// CHECK-LABEL: func.func @made_late
// CHECK: loop.kernel @fused_first
// CHECK: loop.kernel @fused_shrink_first
// CHECK: loop.kernel @fused_late
// CHECK: loop.kernel @fused_shrink_late
func.func @made_late(%x: tensor<1024xf32>, %y: tensor<2048xf32>)
    -> (tensor<1xf32>, tensor<1xf32>) {
  %late = loop.pointwise (%i) in [1024] origins ["late"] : tensor<1024xf32> {
    %v = loop.load %x[1023 - %i] : tensor<1024xf32>
    loop.yield %v : f32
  }
  %first = loop.pointwise (%i) in [2048] origins ["first"] : tensor<2048xf32> {
    %v = loop.load %y[2047 - %i] : tensor<2048xf32>
    loop.yield %v : f32
  }
  %a = loop.pointwise (%i) in [1] origins ["shrink_first"] : tensor<1xf32> {
    %v = loop.load %first[%i] : tensor<2048xf32>
    loop.yield %v : f32
  }
  %b = loop.pointwise (%i) in [1] origins ["shrink_late"] : tensor<1xf32> {
    %v = loop.load %late[%i] : tensor<1024xf32>
    %w = loop.load %a[%i] : tensor<1xf32>
    %z = arith.addf %v, %w : f32
    loop.yield %z : f32
  }
  return %a, %b : tensor<1xf32>, tensor<1xf32>
}
