// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// Short rows are a warp's, and a block has eight of a part at a time: those of each warp in steps
// of eight. There is no barrier among them. Behind the rows upper halves of the warps hand
// their sums to lower ones, and the first one stores them.

// CHECK-LABEL: func.func @short
// CHECK: blocks = <128>, threads = 256
// CHECK-LABEL: llvm.func @short(
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK: arith.divui
// CHECK: %[[GROUP:.*]] = arith.divui %{{.*}}, %{{.*}} : index
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c32{{.*}} step %c8
// CHECK-NOT: nvvm.barrier0
// CHECK: scf.yield
// CHECK-COUNT-6: nvvm.barrier0
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[GROUP]], %c1
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr<1>
!r = tensor<4096x256xbf16>
!q = tensor<128x256xf32>
func.func @short(%x: !r) -> (!r, !q) {
  %r:2 = loop.kernel @short ins(%a = %x : !r) shared [4096] -> (!r, !q) {
    %m = loop.reduce parallel (%i) in [4096] reduction (%j) in [256] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : !r
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %o = loop.pointwise (%i, %j) in [4096, 256] : !r {
      %e = loop.load %a[%i, %j] : !r
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %m[%i] : tensor<4096xf32>
      %y = arith.mulf %f, %t : f32
      %h = arith.truncf %y : f32 to bf16
      loop.yield %h : bf16
    }
    %s = loop.reduce parallel (%q, %j) in [128, 256] reduction (%n) in [32] <sum> : !q {
      %e = loop.load %a[%q * 32 + %n, %j] : !r
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %m[%q * 32 + %n] : tensor<4096xf32>
      %y = arith.mulf %f, %t : f32
      loop.yield %y : f32
    }
    loop.return %o, %s : !r, !q
  }
  return %r#0, %r#1 : !r, !q
}
