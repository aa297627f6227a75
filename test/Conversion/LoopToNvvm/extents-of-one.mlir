// RUN: kiln-opt %s --convert-loop-to-nvvm | FileCheck %s

// A sum over one channel, as of a convolution of each channel by itself: the address of
// a vector has no term of it, and all others are multiples of 16 bytes.

!x = tensor<2x9x9x64xbf16>
!w = tensor<3x3x64xbf16>
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
// CHECK-LABEL: llvm.func @depthwise
// CHECK-NOT: alignment = 2
// CHECK-COUNT-18: llvm.load {{.*}}alignment = 16 {{.*}} -> vector<8xbf16>
// CHECK: llvm.store {{.*}}alignment = 16
func.func @main(%x: !x, %w: !w) -> !x {
  %r = loop.kernel @depthwise ins(%a = %x : !x, %b = %w : !w) shared [2, 9, 9, 64]
      schedule #loop.gpu_across<threads = 256, lanes = 8, sum_block = 128> -> !x {
    %s = loop.contract parallel [2, 9, 9, 64] reduction [1, 3, 3]
        lhs %a[d0, d1 + d5 - 1, d2 + d6 - 1, d3 + d4] : !x
          mask and(and(le(0, d1 + d5 - 1), lt(d1 + d5 - 1, 9)), and(le(0, d2 + d6 - 1), lt(d2 + d6 - 1, 9)))
        rhs %b[d5, d6, d3] : !w mask 1 acc f32 : !x
    loop.return %s : !x
  }
  return %r : !x
}
}
