// RUN: kiln-opt %s --loop-set-target=chip=sm_80 --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// A block has 64 rows, one after the other. The first row and what is the same for all
// rows are read before the loop; in it the next row, before this one is computed. What
// threads have summed up is stored behind it. There is one exchange between warps for
// each row, so its slots must have been read before the next has them.

// CHECK-LABEL: func.func @rows
// CHECK: blocks = <128>, threads = 128
// CHECK-LABEL: llvm.func @rows(
// CHECK-SAME: nvvm.minctasm = 8 : i32
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: %[[SUMS:.*]]:2 = scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[ROW:.*]] = %{{.*}}) -> (vector<8xf32>, vector<8xbf16>)
// CHECK: arith.minsi
// CHECK: %[[NEXT:.*]] = llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-NOT: llvm.load {{.*}}!llvm.ptr<1>
// CHECK: arith.extf %[[ROW]]
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} : vector<8xbf16>, !llvm.ptr<1>
// CHECK: %[[ADDED:.*]] = arith.addf %[[SUM]], %{{.*}} : vector<8xf32>
// CHECK: nvvm.barrier0
// CHECK: scf.yield %[[ADDED]], %[[NEXT]]
// CHECK: llvm.store %[[SUMS]]#0, %{{.*}} {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr<1>
!x = tensor<8192x1024xbf16>
!w = tensor<1024xbf16>
!p = tensor<128x1024xf32>
func.func @rows(%x: !x, %w: !w) -> (!x, !p) {
  %r:2 = loop.kernel @rows ins(%a = %x : !x, %b = %w : !w) shared [8192] -> (!x, !p) {
    %m = loop.reduce parallel (%i) in [8192] reduction (%j) in [1024] <sum> : tensor<8192xf32> {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %o = loop.pointwise (%i, %j) in [8192, 1024] : !x {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %u = loop.load %b[%j] : !w
      %v = arith.extf %u : bf16 to f32
      %t = loop.load %m[%i] : tensor<8192xf32>
      %y = arith.mulf %f, %t : f32
      %z = arith.mulf %y, %v : f32
      %h = arith.truncf %z : f32 to bf16
      loop.yield %h : bf16
    }
    %s = loop.reduce parallel (%q, %j) in [128, 1024] reduction (%n) in [64] <sum> : !p {
      %e = loop.load %a[%q * 64 + %n, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %m[%q * 64 + %n] : tensor<8192xf32>
      %y = arith.mulf %f, %t : f32
      loop.yield %y : f32
    }
    loop.return %o, %s : !x, !p
  }
  return %r#0, %r#1 : !x, !p
}
