// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --convert-loop-to-nvvm | FileCheck %s

// A block has rows of a part one after the other: three of both inputs are in shared memory
// or under way, 16 KB each.

// CHECK-LABEL: func.func @gradient
// CHECK: threads = 512, shared = 49176>
// CHECK-LABEL: func.func @long
// CHECK: threads = 512, shared = 100560>

// The thread that asks needs no barrier to ask first. A row is read before the first barrier
// of those that walk it, behind which the row after next but one is asked for.

// CHECK-LABEL: llvm.func @gradient(
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK: scf.if
// CHECK-COUNT-3: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK-COUNT-6: nvvm.cp.async.bulk.shared.cluster.global
// CHECK: nvvm.barrier0
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-NOT: llvm.load {{.*}} vector<8xbf16>
// CHECK: nvvm.barrier0
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK: llvm.return
!x = tensor<16384x4096xbf16>
!m = tensor<16384xf32>
!s = tensor<256x4096xf32>
func.func @gradient(%x: !x, %g: !x) -> (!x, !s) {
  %r:2 = loop.kernel @gradient ins(%a = %x : !x, %b = %g : !x) shared [16384]
      schedule #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 1, stages = 3> -> (!x, !s) {
    %m = loop.reduce parallel (%i) in [16384] reduction (%j) in [4096] <sum> : !m {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %p = loop.pointwise (%i, %j) in [16384, 4096] : !x {
      %e = loop.load %b[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %m[%i] : !m
      %y = arith.mulf %f, %t : f32
      %h = arith.truncf %y : f32 to bf16
      loop.yield %h : bf16
    }
    %s = loop.reduce parallel (%q, %j) in [256, 4096] reduction (%n) in [64] <sum> : !s {
      %e = loop.load %a[%q * 64 + %n, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %h = loop.load %b[%q * 64 + %n, %j] : !x
      %k = arith.extf %h : bf16 to f32
      %y = arith.mulf %f, %k : f32
      loop.yield %y : f32
    }
    loop.return %p, %s : !x, !s
  }
  return %r#0, %r#1 : !x, !s
}

// A row of 100 KB comes in four pieces of four steps each, the last of which is what there is
// behind the others. The first nest waits for each, and others read them again; elements
// before and behind the vectors are read once, and stay.

// CHECK-LABEL: llvm.func @long(
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK: %[[HEAD:.*]] = arith.andi
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK-COUNT-4: nvvm.cp.async.bulk.shared.cluster.global
// CHECK: nvvm.barrier0
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-NOT: nvvm.mbarrier
// CHECK: nvvm.barrier0
// CHECK-COUNT-13: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK: llvm.return
!l = tensor<2048x50257xbf16>
func.func @long(%x: !l) -> !l {
  %r = loop.kernel @long ins(%a = %x : !l) shared [2048]
      schedule #loop.gpu_rows<threads = 512, rows = 1, lanes = 8, steps = 13, stages = 4> -> !l {
    %m = loop.reduce parallel (%i) in [2048] reduction (%j) in [50257] <max> : tensor<2048xbf16> {
      %e = loop.load %a[%i, %j] : !l
      loop.yield %e : bf16
    }
    %p = loop.pointwise (%i, %j) in [2048, 50257] : !l {
      %e = loop.load %a[%i, %j] : !l
      %z = loop.load %m[%i] : tensor<2048xbf16>
      %d = arith.subf %e, %z : bf16
      loop.yield %d : bf16
    }
    loop.return %p : !l
  }
  return %r : !l
}
