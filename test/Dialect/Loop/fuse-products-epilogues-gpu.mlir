// RUN: kiln-opt %s --loop-fuse-products --loop-choose-schedule | FileCheck %s
// RUN: kiln-opt %s --loop-fuse-products --loop-choose-schedule --convert-loop-to-nvvm | FileCheck %s --check-prefix=CODE

!q = tensor<16x1024x64xbf16>
!s = tensor<16x1024x1024xf32>
!z = tensor<16x1024xf32>

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // The backward of attention that knows the logarithms of its sums: five products, of which two are made again for the
  // sums over the rows.

  // CHECK-LABEL: func.func @backward
  // CHECK-NEXT: loop.kernel @slopes_rows ins({{.*}}) shared [16, 1024]
  // CHECK-SAME: #loop.gpu_blocks<rows = 64, columns = 64, part_rows = 16, stages = 2, group = 16, unit = wgmma>
  // CHECK-COUNT-5: loop.contract
  // CHECK-NOT: loop.kernel
  // CHECK: return

  // A block of rows: weights and slopes, and the sums over the columns. Tiles inside the diagonal come first.
  // CODE-LABEL: llvm.func @slopes_rows_rows
  // CODE: scf.for
  // CODE: nvvm.cp.async.bulk.tensor
  // CODE: scf.for
  // CODE: nvvm.wgmma.mma_async
  // CODE: nvvm.wgmma.commit.group.sync.aligned
  // CODE: nvvm.wgmma.mma_async
  // CODE: nvvm.wgmma.commit.group.sync.aligned
  // CODE-NOT: arith.cmpi sge
  // CODE: wgmma.wait_group.sync.aligned 1;
  // CODE-NOT: arith.cmpi sge
  // Exponentials, while slopes are multiplied.
  // CODE: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CODE-NOT: arith.cmpi sge
  // CODE: wgmma.wait_group.sync.aligned 0;
  // CODE-NOT: arith.cmpi sge
  // CODE: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
  // CODE: wgmma.wait_group.sync.aligned 0;
  // CODE: scf.for
  // CODE: arith.cmpi sge

  // A block of columns: tiles on the diagonal come first. Weights are multiplied while their slopes are computed.
  // CODE-LABEL: llvm.func @slopes_rows
  // CODE: scf.for
  // CODE: nvvm.cp.async.bulk.tensor
  // CODE: scf.for
  // CODE: arith.cmpi sge
  // CODE: scf.for
  // CODE-NOT: arith.cmpi sge
  // CODE: wgmma.wait_group.sync.aligned 1;
  // CODE-NOT: arith.cmpi sge
  // CODE: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
  // CODE: wgmma.wait_group.sync.aligned 1;
  // CODE-NOT: arith.cmpi sge
  // CODE: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
  // CODE: wgmma.wait_group.sync.aligned 0;
  func.func @backward(%q: !q, %key: !q, %g: !q, %v: !q, %l: !z, %m: !z) -> (!q, !q, !q) {
    %w = loop.kernel @weights ins(%a = %q : !q, %b = %key : !q, %c = %l : !z) shared [16, 1024, 1024] -> !s {
      %s = loop.contract parallel [16, 1024, 1024] reduction [64] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s epilogue (%acc, %n, %i, %j) {
        %zero = arith.constant 0.0 : f32
        %p = arith.cmpi sle, %j, %i : index
        %f = loop.load %c[%n, %i] : !z
        %d = arith.subf %acc, %f : f32
        %e = math.exp %d : f32
        %h = arith.select %p, %e, %zero : f32
        loop.yield %h : f32
      }
      loop.return %s : !s
    }
    %d = loop.kernel @slopes ins(%a = %g : !q, %b = %v : !q, %c = %m : !z, %e = %w : !s) shared [16, 1024, 1024] -> !s {
      %s = loop.contract parallel [16, 1024, 1024] reduction [64] lhs %a[d0, d1, d3] : !q
          rhs %b[d0, d2, d3] : !q acc f32 : !s epilogue (%acc, %n, %i, %j) {
        %zero = arith.constant 0.0 : f32
        %p = arith.cmpi sle, %j, %i : index
        %f = loop.load %c[%n, %i] : !z
        %x = arith.subf %acc, %f : f32
        %y = loop.load %e[%n, %i, %j] : !s
        %z = arith.mulf %x, %y : f32
        %h = arith.select %p, %z, %zero : f32
        loop.yield %h : f32
      }
      loop.return %s : !s
    }
    %r = loop.kernel @queries ins(%a = %d : !s, %b = %key : !q) shared [16, 1024, 64] -> !q {
      %s = loop.contract parallel [16, 1024, 64] reduction [1024] lhs %a[d0, d1, d3] : !s rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %s : !q
    }
    %t = loop.kernel @keys ins(%a = %d : !s, %b = %q : !q) shared [16, 1024, 64] -> !q {
      %s = loop.contract parallel [16, 1024, 64] reduction [1024] lhs %a[d0, d3, d1] : !s rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %s : !q
    }
    %u = loop.kernel @values ins(%a = %w : !s, %b = %g : !q) shared [16, 1024, 64] -> !q {
      %s = loop.contract parallel [16, 1024, 64] reduction [1024] lhs %a[d0, d3, d1] : !s rhs %b[d0, d3, d2] : !q acc f32 : !q
      loop.return %s : !q
    }
    return %r, %t, %u : !q, !q, !q
  }
}
