// RUN: kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file %s | FileCheck %s
// RUN: sed -e 's/l2 = 52428800>/l2 = 52428800, deterministic = true>/' %s | kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file | FileCheck %s --check-prefix=ORDERED

// The backward of causal attention, whose forward has saved the logarithms of sums. The walk over rows
// adds up the gradient of queries: weights go to shared memory with rows as rows, all warpgroups
// multiply them by what the block keeps of keys, and the copy engine adds what a warp has.

!q = tensor<32x4096x128xbf16>
!s = tensor<32x4096x4096xf32>
!z = tensor<32x4096xf32>

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // CHECK-LABEL: func.func @backward
  // CHECK: #loop.step<kernel = @backward_init, symbols = [], blocks = <{{[0-9]+}}>, threads = 128>
  // CHECK-SAME: #loop.step<kernel = @backward_rows, symbols = [], blocks = <1024>, threads = 384
  // CHECK-SAME: #loop.step<kernel = @backward, symbols = [], blocks = <2048>, threads = 128>
  // CHECK-SAME: unit = wgmma, added = true>
  // CHECK: llvm.func @backward_init(
  // CHECK: llvm.store {{.*}} : vector<4xf32>
  // CHECK: llvm.func @backward_rows(
  // Who asks brings values of rows with the tiles.
  // CHECK: nvvm.setmaxregister decrease
  // CHECK-COUNT-2: nvvm.cp.async.bulk.shared.cluster.global
  // CHECK: nvvm.setmaxregister increase
  // CHECK: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 64, k = 16>{{.*}}<row>], B{{.*}}<col>]
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: wgmma.mma_async.sync.aligned.m64n128k16
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: nvvm.wgmma.mma_async {{.*}}<m = 64, n = 64, k = 16>{{.*}}<row>], B{{.*}}<row>]
  // CHECK: nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<col>
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
  // CHECK: nvvm.mbarrier.arrive
  // CHECK: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32
  // CHECK: llvm.func @backward(
  // CHECK: llvm.load {{.*}} -> vector<4xf32>
  // CHECK-NOT: wgmma
  // CHECK: llvm.return

  // In one order each sum has a walk over what it adds up.
  // ORDERED-LABEL: func.func @backward
  // ORDERED: #loop.step<kernel = @backward_rows,
  // ORDERED-SAME: #loop.step<kernel = @backward, symbols = [], blocks = <1024>, threads = 384
  // ORDERED-SAME: #loop.gpu_blocks<rows = 128, columns = 64, part_rows = 16, stages = 2, group = 16, unit = wgmma>
  // ORDERED-NOT: cp.reduce.async
  func.func @backward(%x: !q, %y: !q, %u: !q, %g: !q, %l: !z, %d: !z) -> (!q, !q, !q) {
    %r:3 = loop.kernel @backward ins(%a = %x : !q, %b = %y : !q, %c = %u : !q, %e = %g : !q,
            %logs = %l : !z, %slopes = %d : !z) shared [32, 4096] -> (!q, !q, !q) {
      %scale = arith.constant 8.837890e-02 : f32
      %low = arith.constant 0xFF800000 : f32
      %s = loop.contract parallel [32, 4096, 4096] reduction [128] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s
      %p = loop.contract parallel [32, 4096, 4096] reduction [128] lhs %e[d0, d1, d3] : !q
          rhs %c[d0, d2, d3] : !q acc f32 : !s
      %w = loop.pointwise (%n, %i, %j) in [32, 4096, 4096] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %h = arith.mulf %f, %scale : f32
        %in = arith.cmpi sle, %j, %i : index
        %v = arith.select %in, %h, %low : f32
        %m = loop.load %logs[%n, %i] : !z
        %k = arith.subf %v, %m : f32
        %o = math.exp %k : f32
        loop.yield %o : f32
      }
      %t = loop.pointwise (%n, %i, %j) in [32, 4096, 4096] : !s {
        %f = loop.load %p[%n, %i, %j] : !s
        %m = loop.load %slopes[%n, %i] : !z
        %k = arith.subf %f, %m : f32
        %h = loop.load %w[%n, %i, %j] : !s
        %o = arith.mulf %h, %k : f32
        %v = arith.mulf %o, %scale : f32
        loop.yield %v : f32
      }
      %query = loop.contract parallel [32, 4096, 128] reduction [4096] lhs %t[d0, d1, d3] : !s
          rhs %b[d0, d3, d2] : !q acc f32 : !q
      %key = loop.contract parallel [32, 4096, 128] reduction [4096] lhs %t[d0, d3, d1] : !s
          rhs %a[d0, d3, d2] : !q acc f32 : !q
      %value = loop.contract parallel [32, 4096, 128] reduction [4096] lhs %w[d0, d3, d1] : !s
          rhs %e[d0, d3, d2] : !q acc f32 : !q
      loop.return %query, %key, %value : !q, !q, !q
    }
    return %r#0, %r#1, %r#2 : !q, !q, !q
  }
}
