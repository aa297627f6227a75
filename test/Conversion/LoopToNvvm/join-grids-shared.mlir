// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm --loop-join-grids | FileCheck %s

// Sums of parts, each by one function whose threads join what they have in little shared memory:
// blocks of both are one launch. The sort beside them declares more than such a launch may have.

// CHECK-LABEL: func.func @sums
// CHECK: loop.launch_grid
// CHECK-SAME: kernel = @sort
// CHECK: loop.launch_grid
// CHECK-SAME: kernel = @a_joined, symbols = [], blocks = <40>, threads = 256
// CHECK-NOT: loop.launch_grid
// CHECK: llvm.func @a_joined
// CHECK: scf.if
// CHECK: nvvm.barrier0
// CHECK: } else {
// CHECK: nvvm.barrier0
!p = tensor<128x768xf32>
!q = tensor<128x512xf32>
!r = tensor<4x4096xf32>
!o = tensor<4x4096xi64>
func.func @sums(%x: !p, %y: !q, %z: !r) -> (tensor<768xf32>, tensor<512xf32>, !o) {
  %s = loop.kernel @sort ins(%p = %z : !r) shared [4] schedule #loop.gpu_rows<threads = 256, rows = 1, lanes = 1, steps = 0> -> !o {
    %t = loop.sort parallel (%i) in [4] along (%j) in [4096] at 1 : !o {
      %e = loop.load %p[%i, %j] : !r
      %k = arith.bitcast %e : f32 to i32
      loop.yield %k : i32
    }
    loop.return %t : !o
  }
  %a = loop.kernel @a ins(%p = %x : !p) shared [768] -> tensor<768xf32> {
    %t = loop.reduce parallel (%i) in [768] reduction (%j) in [128] <sum> : tensor<768xf32> {
      %e = loop.load %p[%j, %i] : !p
      loop.yield %e : f32
    }
    loop.return %t : tensor<768xf32>
  }
  %b = loop.kernel @b ins(%p = %y : !q) shared [512] -> tensor<512xf32> {
    %t = loop.reduce parallel (%i) in [512] reduction (%j) in [128] <sum> : tensor<512xf32> {
      %e = loop.load %p[%j, %i] : !q
      loop.yield %e : f32
    }
    loop.return %t : tensor<512xf32>
  }
  return %a, %b, %s : tensor<768xf32>, tensor<512xf32>, !o
}
