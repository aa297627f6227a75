// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// A row of 512 elements: a block of 128 threads with a vector each. They combine
// within warps by shuffles, and four warps by slots of shared memory. One of them
// stores what the row has one of.

// CHECK-LABEL: func.func @rows
// CHECK: #loop.gpu_rows<threads = 128, rows = 1, lanes = 4, steps = 1>
// CHECK-LABEL: func.func @short
// CHECK: blocks = <8>, threads = 128
// CHECK: #loop.gpu_rows<threads = 16, rows = 8, lanes = 4, steps = 1>

// CHECK: llvm.mlir.global internal @rows_slots() {addr_space = 3 : i32
// CHECK: llvm.func @rows(
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
!t = tensor<64x512xf32>
func.func @rows(%x: !t) -> (tensor<64xf32>, !t) {
  %r:2 = loop.kernel @rows ins(%a = %x : !t) shared [64] -> (tensor<64xf32>, !t) {
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [512] <sum>
        : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %j) in [64, 512] : !t {
      %e = loop.load %a[%i, %j] : !t
      %z = loop.load %s[%i] : tensor<64xf32>
      %d = arith.divf %e, %z : f32
      loop.yield %d : f32
    }
    loop.return %s, %p : tensor<64xf32>, !t
  }
  return %r#0, %r#1 : tensor<64xf32>, !t
}

// Rows of 60 elements: sixteen threads a row, the last of which compute elements of
// others again and store nothing.

// CHECK: llvm.func @short(
// CHECK: arith.minsi
// CHECK: arith.select
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.barrier0
!u = tensor<64x60xf32>
func.func @short(%x: !u) -> tensor<64xf32> {
  %r = loop.kernel @short ins(%a = %x : !u) shared [64] -> tensor<64xf32> {
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [60] <max>
        : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : !u
      loop.yield %e : f32
    }
    loop.return %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// Rows of 421 elements of bf16 begin anywhere: up to the first multiple of 16 bytes and
// behind the last there are elements with a thread each, vectors between them.

// CHECK-LABEL: llvm.func @odd(
// CHECK: %[[HEAD:.*]] = arith.andi
// CHECK: arith.subi %{{.*}}, %[[HEAD]]
// CHECK: arith.divui
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>
// CHECK: llvm.store %{{.*}} {alignment = 2 : i64} : bf16
!o = tensor<64x421xbf16>
func.func @odd(%x: !o) -> !o {
  %r = loop.kernel @odd ins(%a = %x : !o) shared [64] -> !o {
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [421] <max>
        : tensor<64xbf16> {
      %e = loop.load %a[%i, %j] : !o
      loop.yield %e : bf16
    }
    %p = loop.pointwise (%i, %j) in [64, 421] : !o {
      %e = loop.load %a[%i, %j] : !o
      %z = loop.load %s[%i] : tensor<64xbf16>
      %d = arith.subf %e, %z : bf16
      loop.yield %d : bf16
    }
    loop.return %p : !o
  }
  return %r : !o
}

// A block of 512 threads that keep 104 elements each has all registers of a multiprocessor.
// CHECK-LABEL: llvm.func @kept(
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK-LABEL: llvm.func @walked(
// CHECK-NOT: nvvm.minctasm
func.func @keep(%x: tensor<64x50257xbf16>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = loop.kernel @kept ins(%a = %x : tensor<64x50257xbf16>) shared [64]
      schedule #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 13> -> tensor<64xf32> {
    %m = loop.reduce parallel (%i) in [64] reduction (%j) in [50257] <max> : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : tensor<64x50257xbf16>
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %m : tensor<64xf32>
  }
  %s = loop.kernel @walked ins(%a = %x : tensor<64x50257xbf16>) shared [64]
      schedule #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 0> -> tensor<64xf32> {
    %m = loop.reduce parallel (%i) in [64] reduction (%j) in [50257] <max> : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : tensor<64x50257xbf16>
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %m : tensor<64xf32>
  }
  return %r, %s : tensor<64xf32>, tensor<64xf32>
}
