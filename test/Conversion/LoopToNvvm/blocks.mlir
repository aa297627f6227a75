// RUN: kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file %s | FileCheck %s
// As many blocks of one warpgroup that multiplies share a multiprocessor as have room for their
// scores, weights and sums.
// RUN: sed 's/rows = 128, columns = 128/rows = 64, columns = 64/' %s | kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file | FileCheck %s --check-prefix=THREE
// RUN: sed 's/rows = 128, columns = 128/rows = 64, columns = 128/' %s | kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file | FileCheck %s --check-prefix=TWO
// THREE: llvm.func @warpgroups({{.*}}nvvm.minctasm = 3
// THREE: nvvm.setmaxregister increase 136
// TWO: llvm.func @warpgroups({{.*}}nvvm.minctasm = 2
// TWO: nvvm.setmaxregister increase 232

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

// -----

!q = tensor<4x200x40xf16>
!k = tensor<2x200x40xf16>
!s = tensor<4x200x200xf32>
!z = tensor<4x200xf32>

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // By warpgroups: two that multiply, one that asks. Points are one dimension of a map, in
  // units of 16 bytes from one to the next, so two heads may have the same keys. What is
  // inside the diagonal in every row of a tile is not compared with it.
  // CHECK-LABEL: func.func @warpgroups
  // CHECK: loop.launch_grid
  // CHECK-SAME: threads = 384, shared = {{[0-9]+}}
  // CHECK-SAME: #loop.tensor_map<pointer = 0, element = f16, offset = <0>, sizes = [#guard.expr<40>, #guard.expr<200>, #guard.expr<3001>], strides = [#guard.expr<80>, #guard.expr<16>], box = [64, 128, 1], swizzle = 128>
  // CHECK-SAME: #loop.tensor_map<pointer = 1, element = f16, offset = <0>, sizes = [#guard.expr<40>, #guard.expr<200>, #guard.expr<1001>], strides = [#guard.expr<80>, #guard.expr<16>], box = [64, 128, 1], swizzle = 128>
  // CHECK: llvm.func @warpgroups({{.*}}nvvm.minctasm = 1
  // CHECK: nvvm.mbarrier.init
  // CHECK: nvvm.setmaxregister decrease 24
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK: nvvm.setmaxregister increase 240
  // The first tile is masked, as the last ones are.
  // CHECK: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 128, k = 16>, D[<f32>, <zero>
  // CHECK: wgmma.wait_group.sync.aligned 0;
  // CHECK: arith.cmpi sge
  // Scores are multiplied by 0.125 together with log2(e).
  // CHECK: arith.constant 0.180336878 : f32
  // CHECK: scf.for
  // CHECK: nvvm.wgmma.mma_async
  // CHECK: wgmma.mma_async.sync.aligned.m64n40k16.f32.f16.f16
  // CHECK: wgmma.wait_group.sync.aligned 1;
  // CHECK-NOT: arith.cmpi sge
  // CHECK: nvvm.mbarrier.arrive
  // Sums are scaled where a score is far above what exponentials are taken behind.
  // CHECK: %[[FAR:.*]] = nvvm.vote.sync any
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: wgmma.wait_group.sync.aligned 0;
  // CHECK: scf.if %[[FAR]]
  // CHECK-NEXT: arith.mulf
  // CHECK: scf.for
  // CHECK: arith.cmpi sge
  // CHECK: wgmma.wait_group.sync.aligned 0;
  func.func @warpgroups(%x: !q, %y: !k, %u: !k) -> !q {
    %r = loop.kernel @warpgroups ins(%a = %x : !q, %b = %y : !k, %c = %u : !k) shared [4, 200]
        schedule #loop.gpu_blocks<rows = 128, columns = 128, part_rows = 16, stages = 2, group = 16, unit = wgmma> -> !q {
      %low = arith.constant 0xFF800000 : f32
      %scale = arith.constant 1.250000e-01 : f32
      %s = loop.contract parallel [4, 200, 200] reduction [40] lhs %a[d0, d1, d3] : !q
          rhs %b[floordiv(d0, 2), d2, d3] : !k acc f32 : !s
      %m = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <max> : !z {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %less = arith.mulf %f, %scale : f32
        %g = arith.select %p, %less, %low : f32
        loop.yield %g : f32
      }
      %e = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %less = arith.mulf %f, %scale : f32
        %h = arith.select %p, %less, %low : f32
        %g = loop.load %m[%n, %i] : !z
        %d = arith.subf %h, %g : f32
        %w = math.exp %d : f32
        loop.yield %w : f32
      }
      %z = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <sum> : !z {
        %f = loop.load %e[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %e[%n, %i, %j] : !s
        %g = loop.load %z[%n, %i] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      %o = loop.contract parallel [4, 200, 40] reduction [200] lhs %w[d0, d1, d3] : !s
          rhs %c[floordiv(d0, 2), d3, d2] : !k acc f32 : !q rhs_prologue (%v) {
        %f = arith.extf %v : f16 to f32
        loop.yield %f : f32
      }
      loop.return %o : !q
    }
    return %r : !q
  }
}

// -----

!q = tensor<4x200x48xf16>
!k = tensor<2x200x48xf16>
!o = tensor<4x200x37xf16>
!s = tensor<4x200x200xf32>
!z = tensor<4x200xf32>

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Heads of 37 elements in rows of 48: what lies behind them is 0 where the engine brings it,
  // and of the last eight columns a thread stores those that are there, one by one.
  // CHECK-LABEL: func.func @odd_heads
  // CHECK-SAME: -> tensor<4x200x37xf16>
  // CHECK: loop.launch_grid
  // CHECK-SAME: #loop.tensor_map<pointer = 0, element = f16, offset = <0>, sizes = [#guard.expr<37>, #guard.expr<200>, #guard.expr<3601>], strides = [#guard.expr<96>, #guard.expr<16>], box = [64, 128, 1], swizzle = 128>
  // CHECK: llvm.func @odd_heads(
  // CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 128, k = 16>
  // CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: wgmma.mma_async.sync.aligned.m64n40k16.f32.f16.f16
  // CHECK: llvm.store {{.*}} {alignment = 2 : i64} : vector<8xf16>
  // CHECK: %[[LAST:.*]] = arith.constant 5 : index
  // CHECK: arith.cmpi {{.*}}%[[LAST]]
  // CHECK: llvm.store {{.*}} {alignment = 2 : i64} : f16
  func.func @odd_heads(%x: !q, %y: !k, %u: !k) -> !o {
    %r = loop.kernel @odd_heads ins(%a = %x : !q, %b = %y : !k, %c = %u : !k) shared [4, 200]
        schedule #loop.gpu_blocks<rows = 128, columns = 128, part_rows = 16, stages = 2, group = 16, unit = wgmma> -> !o {
      %low = arith.constant 0xFF800000 : f32
      %scale = arith.constant 1.250000e-01 : f32
      %s = loop.contract parallel [4, 200, 200] reduction [37] lhs %a[d0, d1, d3] : !q
          rhs %b[floordiv(d0, 2), d2, d3] : !k acc f32 : !s
      %m = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <max> : !z {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %less = arith.mulf %f, %scale : f32
        %g = arith.select %p, %less, %low : f32
        loop.yield %g : f32
      }
      %e = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %less = arith.mulf %f, %scale : f32
        %h = arith.select %p, %less, %low : f32
        %g = loop.load %m[%n, %i] : !z
        %d = arith.subf %h, %g : f32
        %w = math.exp %d : f32
        loop.yield %w : f32
      }
      %z = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <sum> : !z {
        %f = loop.load %e[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %e[%n, %i, %j] : !s
        %g = loop.load %z[%n, %i] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      %o = loop.contract parallel [4, 200, 37] reduction [200] lhs %w[d0, d1, d3] : !s
          rhs %c[floordiv(d0, 2), d3, d2] : !k acc f32 : !o rhs_prologue (%v) {
        %f = arith.extf %v : f16 to f32
        loop.yield %f : f32
      }
      loop.return %o : !o
    }
    return %r : !o
  }
}
