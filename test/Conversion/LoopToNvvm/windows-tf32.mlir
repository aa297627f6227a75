// RUN: kiln-opt %s --loop-set-target="chip=sm_90a tf32=true" --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s --check-prefix=EXACT
// RUN: kiln-opt %s --kiln-gpu="chip=sm_90a tf32=true" \
// RUN:   | kiln-translate --gpu-to-ptx - | FileCheck %s --check-prefix=PTX

// Warpgroups cut off what tf32 does not have of f32. The copy engine rounds weights; threads copy
// windows, and three steps later, when these have come, round what they have copied and write it
// back. Only then has the stage come, which 128 threads and what was asked for say.

// CHECK-LABEL: func.func @image
// CHECK-SAME: tensor<32x56x56x128xf32>
// CHECK: unit = wgmma
// CHECK: llvm.func @image(
// CHECK: %[[COUNT:.*]] = arith.constant 129 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[COUNT]]
// CHECK: scf.if
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-COUNT-8: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %
// CHECK-NOT: nvvm.cp.async.mbarrier.arrive
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 3
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-4: nvvm.convert.float.to.tf32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.wgmma.mma_async {{.*}}tf32
// EXACT-NOT: nvvm.wgmma
// PTX: .visible .entry image(
// PTX-DAG: cvt.rna.tf32.f32
// PTX-DAG: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k8.f32.tf32.tf32
func.func @image(%x: tensor<32x56x56x128xf32>, %w: tensor<128x3x3x128xf32>) -> tensor<32x56x56x128xf32> {
  %r = loop.kernel @image ins(%a = %x : tensor<32x56x56x128xf32>, %b = %w : tensor<128x3x3x128xf32>)
      shared [32, 56, 56, 128] -> tensor<32x56x56x128xf32> {
    %c = loop.contract parallel [32, 56, 56, 128] reduction [3, 3, 128]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<32x56x56x128xf32>
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 57)), and(le(1, d2 + d5), lt(d2 + d5, 57)))
        rhs %b[d3, d4, d5, d6] : tensor<128x3x3x128xf32> mask 1
        acc f32 : tensor<32x56x56x128xf32>
    loop.return %c : tensor<32x56x56x128xf32>
  }
  return %r : tensor<32x56x56x128xf32>
}

// A result that has its channels first: all images are one matrix, whose 100,352 columns are 392
// tiles for 132 blocks, three each, where 13 tiles for each image would be 416. A thread stores
// eight neighbours in a row of an image.

// CHECK: llvm.func @first(
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr<1>
// PTX: .visible .entry first(
// PTX: setp.gt.u32 %p{{[0-9]+}}, %r{{[0-9]+}}, 391;
func.func @first(%x: tensor<32x56x56x128xf32>, %w: tensor<128x3x3x128xf32>) -> tensor<32x128x56x56xf32> {
  %r = loop.kernel @first ins(%a = %x : tensor<32x56x56x128xf32>, %b = %w : tensor<128x3x3x128xf32>)
      shared [32, 128, 56, 56] -> tensor<32x128x56x56xf32> {
    %c = loop.contract parallel [32, 128, 56, 56] reduction [3, 3, 128]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d6] : tensor<32x56x56x128xf32>
        mask and(and(le(1, d2 + d4), lt(d2 + d4, 57)), and(le(1, d3 + d5), lt(d3 + d5, 57)))
        rhs %b[d1, d4, d5, d6] : tensor<128x3x3x128xf32> mask 1
        acc f32 : tensor<32x128x56x56xf32>
    loop.return %c : tensor<32x128x56x56xf32>
  }
  return %r : tensor<32x128x56x56xf32>
}
