// RUN: kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file %s | FileCheck %s

!q = tensor<8x1024x64xbf16>
!s = tensor<8x1024x1024xf32>
!z = tensor<8x1024xf32>

module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>} {
  // One walk: scores, their maximum so far, exponentials, and sums that are scaled when it
  // grows. Nothing of it is in memory, so there is no workspace.
  // CHECK-LABEL: func.func @attention
  // CHECK: loop.launch_grid
  // CHECK-SAME: #loop.step<kernel = @attention, {{.*}}threads = 128, shared = {{[0-9]+}}>
  // CHECK-SAME: #loop.gpu_blocks<rows = 64, columns = 64, part_rows = 16, stages = 2, group = 16>
  // CHECK-NOT: workspace
  // CHECK: llvm.func @attention(
  // CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
  // CHECK: scf.for
  // CHECK: nvvm.cp.async.wait.group 0
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: nvvm.mma.sync
  // CHECK: arith.maximumf
  // CHECK: nvvm.shfl.sync  bfly
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: arith.truncf {{.*}} : vector<2xf32> to vector<2xbf16>
  // CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
  // CHECK: nvvm.mma.sync
  func.func @attention(%x: !q, %y: !q, %u: !q) -> !q {
    %r = loop.kernel @attention ins(%a = %x : !q, %b = %y : !q, %c = %u : !q) shared [8, 1024] -> !q {
      %s = loop.contract parallel [8, 1024, 1024] reduction [64] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s
      %m = loop.reduce parallel (%n, %i) in [8, 1024] reduction (%j) in [1024] <max> : !z {
        %f = loop.load %s[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%n, %i, %j) in [8, 1024, 1024] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %g = loop.load %m[%n, %i] : !z
        %d = arith.subf %f, %g : f32
        %w = math.exp %d : f32
        loop.yield %w : f32
      }
      %z = loop.reduce parallel (%n, %i) in [8, 1024] reduction (%j) in [1024] <sum> : !z {
        %f = loop.load %e[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%n, %i, %j) in [8, 1024, 1024] : !s {
        %f = loop.load %e[%n, %i, %j] : !s
        %g = loop.load %z[%n, %i] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      %o = loop.contract parallel [8, 1024, 64] reduction [1024] lhs %w[d0, d1, d3] : !s
          rhs %c[d0, d3, d2] : !q acc f32 : !q rhs_prologue (%v) {
        %f = arith.extf %v : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %o : !q
    }
    return %r : !q
  }
}
