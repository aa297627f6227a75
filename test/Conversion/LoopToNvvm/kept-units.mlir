// RUN: split-file %s %t
// RUN: kiln-opt %t/kernels.mlir --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %t/kernels.mlir
// RUN: kiln-opt %t/fused.mlir --loop-set-target=chip=sm_90a --loop-fuse \
// RUN:   --loop-choose-schedule --convert-loop-to-nvvm | FileCheck %t/fused.mlir

//--- kernels.mlir

// Rows are [1024], whatever stands behind them: vectors go along the 1024.

// CHECK: func.func @unit
// CHECK: #loop.gpu_rows<{{.*}}lanes = 4
// CHECK: func.func @parts
// CHECK-NOT: #loop.gpu_parts
// CHECK: #loop.gpu_rows<
// CHECK: func.func @race
// CHECK-NOT: #loop.gpu_rows<
// CHECK: llvm.func @unit(
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
!t = tensor<64x1024x1xf32>
!w = tensor<1024xf32>
!m = tensor<64x1x1xf32>
func.func @unit(%x: !t, %w: !w) -> !t {
  %r = loop.kernel @unit ins(%a = %x : !t, %c = %w : !w) shared [64] -> !t {
    %s = loop.reduce parallel (%i, %u, %v) in [64, 1, 1] reduction (%j) in [1024] <sum> : !m {
      %e = loop.load %a[%i, %j, 0] : !t
      loop.yield %e : f32
    }
    %y = loop.pointwise (%i, %j, %k) in [64, 1024, 1] : !t {
      %e = loop.load %a[%i, %j, 0] : !t
      %q = loop.load %c[%j] : !w
      %z = loop.load %s[%i, 0, 0] : !m
      %f = arith.mulf %e, %q : f32
      %g = arith.addf %f, %z : f32
      loop.yield %g : f32
    }
    loop.return %y : !t
  }
  return %r : !t
}

// Parts of reductions are walked alike, so these, which keep different dimensions, have
// none.

!s = tensor<4x1048576xf32>
!k = tensor<4xf32>
!n = tensor<4x1xf32>
func.func @parts(%x: !s, %y: !s) -> (!k, !n) {
  %r:2 = loop.kernel @parts ins(%a = %x : !s, %c = %y : !s) shared [4] -> (!k, !n) {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [1048576] <sum> : !k {
      %e = loop.load %a[%i, %j] : !s
      loop.yield %e : f32
    }
    %z = loop.reduce parallel (%i, %u) in [4, 1] reduction (%j) in [1048576] <sum> : !n {
      %e = loop.load %c[%i, %j] : !s
      loop.yield %e : f32
    }
    loop.return %s, %z : !k, !n
  }
  return %r#0, %r#1 : !k, !n
}

// An element that eight others of the row read is made by another thread: no rows are
// shared.

!f = tensor<8192x1024xf32>
!g = tensor<8192xf32>
!b = tensor<8192x1024x8xf32>
func.func @race(%x: !f, %w: tensor<8xf32>) -> (!f, !b) {
  %r:2 = loop.kernel @race ins(%p = %x : !f, %q = %w : tensor<8xf32>) shared [8192] -> (!f, !b) {
    %s = loop.reduce parallel (%i) in [8192] reduction (%j) in [1024] <sum> : !g {
      %e = loop.load %p[%i, %j] : !f
      loop.yield %e : f32
    }
    %a = loop.pointwise (%i, %j) in [8192, 1024] : !f {
      %e = loop.load %p[%i, %j] : !f
      %z = loop.load %s[%i] : !g
      %h = math.exp %e : f32
      %g = arith.subf %h, %z : f32
      loop.yield %g : f32
    }
    %y = loop.pointwise (%i, %j, %k) in [8192, 1024, 8] : !b {
      %e = loop.load %a[%i, %j] : !f
      %v = loop.load %q[%k] : tensor<8xf32>
      %g = arith.mulf %e, %v : f32
      loop.yield %g : f32
    }
    loop.return %a, %y : !f, !b
  }
  return %r#0, %r#1 : !f, !b
}

//--- fused.mlir

// So a thread for each of the 8192 rows would walk 8192 elements of it: these are a kernel of
// their own, and the others share rows.

// CHECK: func.func @race
// CHECK: #loop.gpu_rows
// CHECK-NEXT: #loop.gpu_across<threads = 256, lanes = 4
// CHECK: func.func @sorts
!t = tensor<8192x1024xf32>
!m = tensor<8192xf32>
!b = tensor<8192x1024x8xf32>
func.func @race(%x: !t, %w: tensor<8xf32>) -> (!t, !b) {
  %s = loop.reduce parallel (%i) in [8192] reduction (%j) in [1024] <sum> : !m {
    %e = loop.load %x[%i, %j] : !t
    loop.yield %e : f32
  }
  %a = loop.pointwise (%i, %j) in [8192, 1024] : !t {
    %e = loop.load %x[%i, %j] : !t
    %z = loop.load %s[%i] : !m
    %h = math.exp %e : f32
    %g = arith.subf %h, %z : f32
    loop.yield %g : f32
  }
  %y = loop.pointwise (%i, %j, %k) in [8192, 1024, 8] : !b {
    %e = loop.load %a[%i, %j] : !t
    %q = loop.load %w[%k] : tensor<8xf32>
    %g = arith.mulf %e, %q : f32
    loop.yield %g : f32
  }
  return %a, %y : !t, !b
}

// Two sorts in a kernel have the same shared memory, one after the other.

// CHECK-SAME: (%arg0: tensor<8192x4096xf32>)
// CHECK-NEXT: loop.launch_grid(%arg0) steps {{.*}}threads = 128, shared = 28672>
// CHECK: gpu.module
// CHECK-NOT: llvm.mlir.global internal @{{.*}}_keys
// CHECK: llvm.func @
!u = tensor<8192x4096xf32>
!p = tensor<8192x4096xi64>
func.func @sorts(%x: !u) -> (!p, !p) {
  %a = loop.sort parallel (%i) in [8192] along (%j) in [4096] at 1 : !p {
    %e = loop.load %x[%i, %j] : !u
    %k = arith.bitcast %e : f32 to i32
    loop.yield %k : i32
  }
  %b = loop.sort parallel (%i) in [8192] along (%j) in [4096] at 1 : !p {
    %e = loop.load %x[%i, %j] : !u
    %k0 = arith.bitcast %e : f32 to i32
    %c = arith.constant -1 : i32
    %k = arith.xori %k0, %c : i32
    loop.yield %k : i32
  }
  return %a, %b : !p, !p
}
