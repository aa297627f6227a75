// RUN: kiln-opt --loop-choose-schedule --convert-loop-to-nvvm %s | FileCheck %s
// RUN: sed -e 's/"sm_80"/"sm_90a"/' -e 's/166912/232448/' %s | kiln-opt --loop-choose-schedule --convert-loop-to-nvvm | FileCheck %s --check-prefix=GROUPS

// The backward of attention with heads of 256 elements, whose forward has saved the logarithms
// of sums: sums of keys and of values over the rows have no room together, so each has a walk
// of its own, in one function.

!q = tensor<64x512x256xbf16>
!s = tensor<64x512x512xf32>
!z = tensor<64x512xf32>

module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>} {
  // CHECK-LABEL: func.func @backward
  // CHECK: #loop.step<kernel = @backward_rows, symbols = [], blocks = <512>, threads = 128, shared = 135168>
  // CHECK: #loop.step<kernel = @backward, symbols = [], blocks = <512>, threads = 128, shared = 135168>
  // CHECK-SAME: #loop.gpu_blocks<rows = 64, columns = 32, part_rows = 16, stages = 2, group = 16, apart = true>
  // CHECK: llvm.func @backward_rows(
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  // CHECK: llvm.func @backward(
  // CHECK: scf.for
  // CHECK: llvm.store
  // CHECK: nvvm.barrier0
  // CHECK: scf.for
  // CHECK: llvm.store
  // CHECK-NOT: scf.for
  // CHECK: llvm.return

  // By warpgroups, where who asks goes through the same walks.
  // GROUPS-LABEL: func.func @backward
  // GROUPS: #loop.step<kernel = @backward_rows, symbols = [], blocks = <256>, threads = 384
  // GROUPS-SAME: #loop.gpu_blocks<rows = 128, columns = 32, part_rows = 16, stages = 2, group = 16, unit = wgmma, apart = true>
  // GROUPS: llvm.func @backward(
  // GROUPS: nvvm.setmaxregister decrease
  // GROUPS-COUNT-2: scf.for
  // GROUPS-NOT: scf.for
  // GROUPS: nvvm.setmaxregister increase
  // GROUPS: scf.for
  // GROUPS: wgmma.mma_async.sync.aligned.m64n256k16
  // GROUPS: llvm.store
  // GROUPS: scf.for
  // GROUPS: wgmma.mma_async.sync.aligned.m64n256k16
  // GROUPS: llvm.store
  // GROUPS-NOT: scf.for
  // GROUPS: llvm.return
  func.func @backward(%x: !q, %y: !q, %u: !q, %g: !q, %l: !z, %d: !z) -> (!q, !q, !q) {
    %r:3 = loop.kernel @backward ins(%a = %x : !q, %b = %y : !q, %c = %u : !q, %e = %g : !q,
            %logs = %l : !z, %slopes = %d : !z) shared [64, 512] -> (!q, !q, !q) {
      %scale = arith.constant 6.250000e-02 : f32
      %s = loop.contract parallel [64, 512, 512] reduction [256] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s
      %p = loop.contract parallel [64, 512, 512] reduction [256] lhs %e[d0, d1, d3] : !q
          rhs %c[d0, d2, d3] : !q acc f32 : !s
      %w = loop.pointwise (%n, %i, %j) in [64, 512, 512] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %h = arith.mulf %f, %scale : f32
        %m = loop.load %logs[%n, %i] : !z
        %k = arith.subf %h, %m : f32
        %o = math.exp %k : f32
        loop.yield %o : f32
      }
      %t = loop.pointwise (%n, %i, %j) in [64, 512, 512] : !s {
        %f = loop.load %p[%n, %i, %j] : !s
        %m = loop.load %slopes[%n, %i] : !z
        %k = arith.subf %f, %m : f32
        %h = loop.load %w[%n, %i, %j] : !s
        %o = arith.mulf %h, %k : f32
        %v = arith.mulf %o, %scale : f32
        loop.yield %v : f32
      }
      %query = loop.contract parallel [64, 512, 256] reduction [512] lhs %t[d0, d1, d3] : !s
          rhs %b[d0, d3, d2] : !q acc f32 : !q
      %key = loop.contract parallel [64, 512, 256] reduction [512] lhs %t[d0, d3, d1] : !s
          rhs %a[d0, d3, d2] : !q acc f32 : !q
      %value = loop.contract parallel [64, 512, 256] reduction [512] lhs %w[d0, d3, d1] : !s
          rhs %e[d0, d3, d2] : !q acc f32 : !q
      loop.return %query, %key, %value : !q, !q, !q
    }
    return %r#0, %r#1, %r#2 : !q, !q, !q
  }
}
