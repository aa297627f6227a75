// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// The matrix of a product that normalizes its row is first read behind the row's sum: it is under
// way before threads combine that.

// CHECK-LABEL: llvm.func @late(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>, %[[W:[a-z0-9]*]]: !llvm.ptr<1>
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[W]]
// CHECK: %[[AHEAD:.*]] = llvm.load %[[AT]] invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: nvvm.shfl.sync
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: math.sqrt
// CHECK: arith.extf %[[AHEAD]]
!x = tensor<1x256xbf16>
!w = tensor<3072x256xbf16>
!y = tensor<1x3072xf32>
func.func @late(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @late ins(%a = %x : !x, %b = %w : !w) shared [1, 3072] -> !y {
    %s = loop.reduce parallel (%i, %j, %u) in [1, 3072, 1] reduction (%k) in [256] <sum> : tensor<1x3072x1xf32> {
      %e = loop.load %a[%u, %k] : !x
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %d = loop.reduce parallel (%i, %j) in [1, 3072] reduction (%k) in [256] <sum> : !y {
      %t = loop.load %s[%i, %j, 0] : tensor<1x3072x1xf32>
      %q = math.sqrt %t : f32
      %e = loop.load %b[%j, %k] : !w
      %f = arith.extf %e : bf16 to f32
      %g = arith.mulf %q, %f : f32
      loop.yield %g : f32
    }
    loop.return %d : !y
  }
  return %r : !y
}
