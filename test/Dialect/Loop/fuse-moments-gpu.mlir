// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-fuse --loop-choose-schedule \
// RUN:   --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target --loop-fuse --split-input-file | FileCheck %s --check-prefix=CPU

// The variance of long columns: the mean and distances from it in one walk, with what follows.
// Others see the mean, too.

// CHECK-LABEL: func.func @variance
// CHECK: loop.kernel {{.*}} shared [1024]
// CHECK-SAME: #loop.gpu_parts<{{.*}}parts = {{[0-9]+}}, columns = {{[1-9].*}}>
// CHECK: %[[M:.*]]:3 = loop.reduce parallel (%[[J:.*]]) in [1024] reduction (%[[I:.*]]) in [32768] <welford>
// CHECK: %[[X:.*]] = loop.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: loop.yield %[[X]], %{{.*}}, %{{.*}} : f32, f32, f32
// CHECK: loop.pointwise (%[[K:.*]]) in [1024]
// CHECK: loop.load %[[M]]#1[%[[K]]]
// CHECK-NOT: <sum>
// CHECK: {{^ +}}return
// CPU-LABEL: func.func @variance
// CPU-NOT: welford
// CPU: {{^ +}}return
!t = tensor<32768x1024xf32>
!k = tensor<1x1024xf32>
!c = tensor<1024xf32>
func.func @variance(%x: !t) -> (!c, !k) {
  %s = loop.reduce parallel (%u, %j) in [1, 1024] reduction (%i) in [32768] <sum> : !k {
    %0 = loop.load %x[%i, %j] : !t
    loop.yield %0 : f32
  }
  %m = loop.pointwise (%u, %j) in [1, 1024] : !k {
    %n = arith.constant 32768.0 : f32
    %0 = loop.load %s[0, %j] : !k
    %1 = arith.divf %0, %n : f32
    loop.yield %1 : f32
  }
  %q = loop.reduce parallel (%j) in [1024] reduction (%i) in [32768] <sum> : !c {
    %0 = loop.load %x[%i, %j] : !t
    %1 = loop.load %m[0, %j] : !k
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    loop.yield %3 : f32
  }
  %v = loop.pointwise (%j) in [1024] : !c {
    %n = arith.constant 32767.0 : f32
    %0 = loop.load %q[%j] : !c
    %1 = arith.divf %0, %n : f32
    loop.yield %1 : f32
  }
  return %v, %m : !c, !k
}

// -----

// What is divided by another number is no mean.

// CHECK-LABEL: func.func @other
// CHECK-NOT: welford
// CHECK: {{^ +}}return
!t = tensor<32768x1024xf32>
!c = tensor<1024xf32>
func.func @other(%x: !t) -> !c {
  %s = loop.reduce parallel (%j) in [1024] reduction (%i) in [32768] <sum> : !c {
    %0 = loop.load %x[%i, %j] : !t
    loop.yield %0 : f32
  }
  %m = loop.pointwise (%j) in [1024] : !c {
    %n = arith.constant 32767.0 : f32
    %0 = loop.load %s[%j] : !c
    %1 = arith.divf %0, %n : f32
    loop.yield %1 : f32
  }
  %q = loop.reduce parallel (%j) in [1024] reduction (%i) in [32768] <sum> : !c {
    %0 = loop.load %x[%i, %j] : !t
    %1 = loop.load %m[%j] : !c
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    loop.yield %3 : f32
  }
  return %q : !c
}

// -----

// Nor are distances of something else from it, or of another column's.

// CHECK-LABEL: func.func @apart
// CHECK-NOT: welford
// CHECK: {{^ +}}return
!t = tensor<32768x1024xf32>
!c = tensor<1024xf32>
func.func @apart(%x: !t, %y: !t) -> (!c, !c) {
  %s = loop.reduce parallel (%j) in [1024] reduction (%i) in [32768] <sum> : !c {
    %0 = loop.load %x[%i, %j] : !t
    loop.yield %0 : f32
  }
  %m = loop.pointwise (%j) in [1024] : !c {
    %n = arith.constant 32768.0 : f32
    %0 = loop.load %s[%j] : !c
    %1 = arith.divf %0, %n : f32
    loop.yield %1 : f32
  }
  %q = loop.reduce parallel (%j) in [1024] reduction (%i) in [32768] <sum> : !c {
    %0 = loop.load %y[%i, %j] : !t
    %1 = loop.load %m[%j] : !c
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    loop.yield %3 : f32
  }
  %r = loop.reduce parallel (%j) in [1024] reduction (%i) in [32768] <sum> : !c {
    %0 = loop.load %x[%i, %j] : !t
    %1 = loop.load %m[1023 - %j] : !c
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    loop.yield %3 : f32
  }
  return %q, %r : !c, !c
}

// -----

// A row that a block holds is read once anyway.

// CHECK-LABEL: func.func @row
// CHECK-NOT: welford
// CHECK: {{^ +}}return
!t = tensor<64x4096xf32>
!c = tensor<64xf32>
func.func @row(%x: !t) -> !c {
  %s = loop.reduce parallel (%j) in [64] reduction (%i) in [4096] <sum> : !c {
    %0 = loop.load %x[%j, %i] : !t
    loop.yield %0 : f32
  }
  %m = loop.pointwise (%j) in [64] : !c {
    %n = arith.constant 4096.0 : f32
    %0 = loop.load %s[%j] : !c
    %1 = arith.divf %0, %n : f32
    loop.yield %1 : f32
  }
  %q = loop.reduce parallel (%j) in [64] reduction (%i) in [4096] <sum> : !c {
    %0 = loop.load %x[%j, %i] : !t
    %1 = loop.load %m[%j] : !c
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    loop.yield %3 : f32
  }
  return %q : !c
}
