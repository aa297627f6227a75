// RUN: kiln-opt %s --split-input-file --loop-fuse=fuse=false --loop-rematerialize=limit=33100 | FileCheck %s
// RUN: kiln-opt %s --split-input-file --loop-fuse=fuse=false --loop-rematerialize=limit=33100 -o /dev/null --remarks-filter=loop-rematerialize 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: kiln-opt %s --split-input-file --loop-fuse=fuse=false --loop-rematerialize=limit=50000 | FileCheck %s --check-prefix=ROOM

// %a is read at once and at the end; while what is large between them runs it is in
// the way. Where there is room for all of it nothing runs again.

// REMARK: remark: [Passed] run-again | Category:loop-rematerialize | Function=long_life | before=fused_last_4, cost=20480, kernel=fused_a_0
// REMARK: remark: [Passed] limit-kept | Category:loop-rematerialize | Function=long_life | after=32832, before=49216, cost=20480, kernels=1, limit=33100
// CHECK-LABEL: func.func @long_life
// CHECK: loop.kernel @fused_a
// CHECK: loop.kernel @fused_first
// CHECK: loop.kernel @fused_large
// CHECK: loop.kernel @fused_shrink
// CHECK-NOT: loop.kernel @fused_first
// CHECK: %[[AGAIN:.*]] = loop.kernel @fused_a_0 ins(%{{.*}} = %arg0 :
// CHECK: loop.kernel @fused_last_4 ins({{.*}}%[[AGAIN]]
// ROOM-LABEL: func.func @long_life
// ROOM-COUNT-1: loop.kernel @fused_a
// ROOM-NOT: loop.kernel @fused_a
func.func @long_life(%x: tensor<1024xf32>) -> tensor<4x1024xf32> {
  %a = loop.pointwise (%i, %j) in [4, 1024] origins ["a"] : tensor<4x1024xf32> {
    %v = loop.load %x[%j] : tensor<1024xf32>
    loop.yield %v : f32
  }
  %b = loop.pointwise (%i) in [16] origins ["first"] : tensor<16xf32> {
    %v = loop.load %a[0, %i] : tensor<4x1024xf32>
    loop.yield %v : f32
  }
  %c = loop.pointwise (%i) in [4096] origins ["large"] : tensor<4096xf32> {
    %v = loop.load %b[0] : tensor<16xf32>
    loop.yield %v : f32
  }
  %d = loop.pointwise (%i) in [16] origins ["shrink"] : tensor<16xf32> {
    %v = loop.load %c[%i] : tensor<4096xf32>
    loop.yield %v : f32
  }
  %e = loop.pointwise (%i, %j) in [4, 1024] origins ["last"] : tensor<4x1024xf32> {
    %v = loop.load %a[0, 1023 - %j] : tensor<4x1024xf32>
    %w = loop.load %d[0] : tensor<16xf32>
    %z = arith.addf %v, %w : f32
    loop.yield %z : f32
  }
  return %e : tensor<4x1024xf32>
}

// -----

// A kernel that reads what its function changes would read the new contents.

// REMARK: remark: [Missed] over-limit | Category:loop-rematerialize | Function=changed | Reason="no kernel that may run again was found to lower the peak at 'fused_large_3', which reads and makes 16448 bytes", after=49216, before=49216, cost=0, kernels=0, limit=33100
// CHECK-LABEL: func.func @changed
// ROOM-LABEL: func.func @changed
// CHECK-COUNT-1: loop.kernel @fused_a
// CHECK-NOT: loop.kernel @fused_a
func.func @changed(%x: tensor<1024xf32>)
    -> (tensor<4x1024xf32>, tensor<1024xf32> {loop.updates = 0}) {
  %a = loop.pointwise (%i, %j) in [4, 1024] origins ["a"] : tensor<4x1024xf32> {
    %v = loop.load %x[%j] : tensor<1024xf32>
    loop.yield %v : f32
  }
  %u = loop.pointwise (%i) in [1024] origins ["update"] : tensor<1024xf32> {
    %v = loop.load %x[%i] : tensor<1024xf32>
    %z = arith.negf %v : f32
    loop.yield %z : f32
  }
  %b = loop.pointwise (%i) in [16] origins ["first"] : tensor<16xf32> {
    %v = loop.load %a[0, %i] : tensor<4x1024xf32>
    loop.yield %v : f32
  }
  %c = loop.pointwise (%i) in [4096] origins ["large"] : tensor<4096xf32> {
    %v = loop.load %b[0] : tensor<16xf32>
    loop.yield %v : f32
  }
  %d = loop.pointwise (%i) in [16] origins ["shrink"] : tensor<16xf32> {
    %v = loop.load %c[%i] : tensor<4096xf32>
    loop.yield %v : f32
  }
  %e = loop.pointwise (%i, %j) in [4, 1024] origins ["last"] : tensor<4x1024xf32> {
    %v = loop.load %a[0, 1023 - %j] : tensor<4x1024xf32>
    %w = loop.load %d[0] : tensor<16xf32>
    %z = arith.addf %v, %w : f32
    loop.yield %z : f32
  }
  return %e, %u : tensor<4x1024xf32>, tensor<1024xf32>
}

// -----

// What is saved is made again by the backward, which gets the input that it lacks;
// "kept" stays saved, because the call that makes it cannot run again. The saved bytes
// are counted anew.

// REMARK: remark: [Passed] run-again | Category:loop-rematerialize | Function=forward | before=fused_gradient_2, cost=20480, kernel=fused_saved_0
// REMARK: remark: [Passed] limit-kept | Category:loop-rematerialize | Function=forward | after=33024, before=49408, cost=20480, kernels=1, limit=33100
// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<16xf32>, tensor<4096xf32> {loop.carried = "kept"})
// CHECK-SAME: joint.saved_bytes = 16384
// CHECK: loop.kernel @fused_saved
// CHECK: return %{{.*}}, %{{.*}} : tensor<16xf32>, tensor<4096xf32>
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %[[KEPT:.*]]: tensor<4096xf32> {loop.carried = "kept"}, %[[W:.*]]: tensor<16xf32> {test.name = "w"}, %[[X:.*]]: tensor<1024xf32> {test.name = "x"}, %[[T:.*]]: tensor<16xf32>)
// CHECK: %[[AGAIN:.*]] = loop.kernel @fused_saved_0 ins(%{{.*}} = %[[X]] :
// CHECK: loop.kernel @fused_gradient_2 ins({{.*}}%[[AGAIN]]
// ROOM-LABEL: func.func @backward
// ROOM-SAME: loop.carried = "saved"
func.func @forward(%x: tensor<1024xf32> {test.name = "x"},
    %w: tensor<16xf32> {test.name = "w"})
    -> (tensor<16xf32>, tensor<4x1024xf32> {loop.carried = "saved"},
        tensor<4096xf32> {loop.carried = "kept"})
    attributes {joint.saved_bytes = 32768 : i64} {
  %a = loop.pointwise (%i, %j) in [4, 1024] origins ["saved"] : tensor<4x1024xf32> {
    %v = loop.load %x[%j] : tensor<1024xf32>
    loop.yield %v : f32
  }
  %k = loop.extern "test.kept.default"(%w) arguments [#loop.operand<0>] : (tensor<16xf32>) -> tensor<4096xf32>
  %b = loop.pointwise (%i) in [16] origins ["result"] : tensor<16xf32> {
    %v = loop.load %a[0, %i] : tensor<4x1024xf32>
    %u = loop.load %k[%i] : tensor<4096xf32>
    %z = arith.addf %v, %u : f32
    loop.yield %z : f32
  }
  return %b, %a, %k : tensor<16xf32>, tensor<4x1024xf32>, tensor<4096xf32>
}
func.func @backward(%a: tensor<4x1024xf32> {loop.carried = "saved"},
    %k: tensor<4096xf32> {loop.carried = "kept"},
    %w: tensor<16xf32> {test.name = "w"}, %t: tensor<16xf32>) -> tensor<16xf32> {
  %b = loop.pointwise (%i) in [4096] origins ["large"] : tensor<4096xf32> {
    %v = loop.load %t[0] : tensor<16xf32>
    loop.yield %v : f32
  }
  %s = loop.pointwise (%i) in [16] origins ["shrink"] : tensor<16xf32> {
    %v = loop.load %b[%i] : tensor<4096xf32>
    loop.yield %v : f32
  }
  %g = loop.pointwise (%i) in [16] origins ["gradient"] : tensor<16xf32> {
    %v = loop.load %a[1, %i] : tensor<4x1024xf32>
    %u = loop.load %s[%i] : tensor<16xf32>
    %z = arith.mulf %v, %u : f32
    loop.yield %z : f32
  }
  %h = loop.pointwise (%i) in [16] origins ["scaled"] : tensor<16xf32> {
    %v = loop.load %g[%i] : tensor<16xf32>
    %u = loop.load %w[%i] : tensor<16xf32>
    %y = loop.load %k[%i] : tensor<4096xf32>
    %p = arith.mulf %v, %u : f32
    %z = arith.mulf %p, %y : f32
    loop.yield %z : f32
  }
  return %h : tensor<16xf32>
}
