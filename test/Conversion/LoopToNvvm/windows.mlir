// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --kiln-gpu=chip=sm_90a \
// RUN:   | kiln-translate --gpu-to-ptx - | FileCheck %s --check-prefix=PTX

// The windows of an image are copied by the threads of a warpgroup, zeros where they are
// masked; the copy engine brings the weights, and a stage is full when 128 copies and what
// was asked for have come. Tiles of 192 rows are one round for 131 blocks, of 128 it would be two.

// CHECK-LABEL: func.func @image
// CHECK: #loop.step<kernel = @image, symbols = [], blocks = <131>, threads = 512,
// CHECK-SAME: maps = [#loop.tensor_map<pointer = 1, element = bf16, offset = <0>, sizes = [#guard.expr<1152>, #guard.expr<128>]
// CHECK-SAME: unit = wgmma
// CHECK: func.func @channels
// CHECK: schedule = #loop.gpu_across<threads = 256, lanes = 8, sum_block = 128, points = 7>
// CHECK: func.func @bordered
// CHECK: schedule = #loop.gpu_across<threads = 256, lanes = 8, sum_block = 128, points = 7>
// CHECK: func.func @batches
// CHECK: schedule = #loop.gpu_across<threads = 256, lanes = 8, sum_block = 128, points = 7>
// CHECK: func.func @strided
// CHECK: schedule = #loop.gpu_across<threads = 256, lanes = 8, sum_block = 128>
// CHECK: llvm.func @image(
// CHECK: %[[COUNT:.*]] = arith.constant 129 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[COUNT]]
// CHECK: nvvm.setmaxregister decrease 88
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-COUNT-12: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %
// CHECK: nvvm.cp.async.mbarrier.arrive {{.*}} {noinc = true}
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: nvvm.setmaxregister increase 136
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.wgmma.mma_async
// PTX: .visible .entry image(
// PTX-DAG: cp.async.cg.shared.global [%r{{[^,]*}}], [%rd{{[0-9]+}}], 16, %r{{[0-9]+}};
// PTX-DAG: cp.async.mbarrier.arrive.noinc.shared.b64
// PTX-DAG: fence.proxy.async.shared::cta;
// PTX-DAG: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTX: .visible .entry channels(
// PTX: ld.global.nc.v4
// PTX: .visible .entry bordered(
// PTX-COUNT-12: ld.global.nc.v4
// PTX-NOT: ld.global
// PTX: bra
// PTX-COUNT-7: st.global.v4
// PTX: .visible .entry batches(
// PTX-COUNT-12: ld.global.nc.v4
// PTX-NOT: ld.global
// PTX: bra
func.func @image(%x: tensor<8x56x56x128xbf16>, %w: tensor<128x3x3x128xbf16>) -> tensor<8x56x56x128xbf16> {
  %r = loop.kernel @image ins(%a = %x : tensor<8x56x56x128xbf16>, %b = %w : tensor<128x3x3x128xbf16>)
      shared [8, 56, 56, 128] -> tensor<8x56x56x128xbf16> {
    %c = loop.contract parallel [8, 56, 56, 128] reduction [3, 3, 128]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x56x56x128xbf16>
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 57)), and(le(1, d2 + d5), lt(d2 + d5, 57)))
        rhs %b[d3, d4, d5, d6] : tensor<128x3x3x128xbf16> mask 1
        acc f32 : tensor<8x56x56x128xbf16>
    loop.return %c : tensor<8x56x56x128xbf16>
  }
  return %r : tensor<8x56x56x128xbf16>
}

// Channels of their own are no product of matrices: a thread has eight neighbours.
func.func @channels(%x: tensor<64x30x30x384xbf16>, %w: tensor<3x3x384xbf16>) -> tensor<64x28x28x384xbf16> {
  %r = loop.kernel @channels ins(%a = %x : tensor<64x30x30x384xbf16>, %b = %w : tensor<3x3x384xbf16>)
      shared [64, 28, 28, 384] -> tensor<64x28x28x384xbf16> {
    %c = loop.contract parallel [64, 28, 28, 384] reduction [3, 3]
        lhs %a[d0, d1 + d4, d2 + d5, d3] : tensor<64x30x30x384xbf16>
        rhs %b[d4, d5, d3] : tensor<3x3x384xbf16>
        acc f32 : tensor<64x28x28x384xbf16>
    loop.return %c : tensor<64x28x28x384xbf16>
  }
  return %r : tensor<64x28x28x384xbf16>
}

// What is left out at a border is read from where something lies, and let go: there is no
// branch. So seven neighbours read nine vectors of a row of their windows and three of weights.
//
// CHECK: llvm.func @bordered(
// CHECK: scf.for {{.*}} = %{{.*}} to %{{.*}} step
// CHECK-NOT: scf.if
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<1>
// CHECK-NEXT: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xbf16>
// CHECK: scf.yield
func.func @bordered(%x: tensor<64x28x28x384xbf16>, %w: tensor<3x3x384xbf16>) -> tensor<64x28x28x384xbf16> {
  %r = loop.kernel @bordered ins(%a = %x : tensor<64x28x28x384xbf16>, %b = %w : tensor<3x3x384xbf16>)
      shared [64, 28, 28, 384] -> tensor<64x28x28x384xbf16> {
    %c = loop.contract parallel [64, 28, 28, 384] reduction [3, 3]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d3] : tensor<64x28x28x384xbf16>
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 29)), and(le(1, d2 + d5), lt(d2 + d5, 29)))
        rhs %b[d4, d5, d3] : tensor<3x3x384xbf16> mask 1
        acc f32 : tensor<64x28x28x384xbf16>
    loop.return %c : tensor<64x28x28x384xbf16>
  }
  return %r : tensor<64x28x28x384xbf16>
}

// A thread has a point, so there is an image: also of batches of any size something lies where
// nothing is left out.
func.func @batches(%x: tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>>, %w: tensor<3x3x384xbf16>)
    -> tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>> {
  %r = loop.kernel @batches ins(%a = %x : tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>>, %b = %w : tensor<3x3x384xbf16>)
      shared [s0, 28, 28, 384] -> tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>> {
    %c = loop.contract parallel [s0, 28, 28, 384] reduction [3, 3]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d3] : tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>>
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 29)), and(le(1, d2 + d5), lt(d2 + d5, 29)))
        rhs %b[d4, d5, d3] : tensor<3x3x384xbf16> mask 1
        acc f32 : tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>>
    loop.return %c : tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>>
  }
  return %r : tensor<?x28x28x384xbf16, #guard.shape<[s0, 28, 28, 384]>>
}

// Windows that are two apart share one place of three, which is not worth the registers.
func.func @strided(%x: tensor<64x57x57x384xbf16>, %w: tensor<3x3x384xbf16>) -> tensor<64x28x28x384xbf16> {
  %r = loop.kernel @strided ins(%a = %x : tensor<64x57x57x384xbf16>, %b = %w : tensor<3x3x384xbf16>)
      shared [64, 28, 28, 384] -> tensor<64x28x28x384xbf16> {
    %c = loop.contract parallel [64, 28, 28, 384] reduction [3, 3]
        lhs %a[d0, 2 * d1 + d4, 2 * d2 + d5, d3] : tensor<64x57x57x384xbf16>
        rhs %b[d4, d5, d3] : tensor<3x3x384xbf16>
        acc f32 : tensor<64x28x28x384xbf16>
    loop.return %c : tensor<64x28x28x384xbf16>
  }
  return %r : tensor<64x28x28x384xbf16>
}

// The gradient of a weight sums over pixels. Its columns are walked as the image has them, a
// place of the window and then channels, whatever the order of the result: a thread copies
// eight channels of four pixels of a step, for each 64 columns; another function stores the
// sums of the parts in the order of the result.
//
// CHECK: llvm.func @weight_parts(
// CHECK: nvvm.setmaxregister decrease 88
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-COUNT-12: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.mbarrier.arrive
// CHECK: nvvm.wgmma.mma_async {{.*}}, A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK: llvm.func @weight(
// CHECK-COUNT-5: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : bf16
// PTX: .visible .entry weight_parts(
// PTX: wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {{.*}}, p, 1, 1, 1, 1;
func.func @weight(%g: tensor<32x14x14x256xbf16>, %x: tensor<32x14x14x256xbf16>) -> tensor<256x256x3x3xbf16> {
  %r = loop.kernel @weight ins(%a = %g : tensor<32x14x14x256xbf16>, %b = %x : tensor<32x14x14x256xbf16>)
      shared [256, 256, 3, 3] -> tensor<256x256x3x3xbf16> {
    %c = loop.contract parallel [256, 256, 3, 3] reduction [32, 14, 14]
        lhs %a[d4, d5, d6, d0] : tensor<32x14x14x256xbf16> mask 1
        rhs %b[d4, d5 + d2 - 1, d6 + d3 - 1, d1] : tensor<32x14x14x256xbf16>
        mask and(and(le(1, d5 + d2), lt(d5 + d2, 15)), and(le(1, d6 + d3), lt(d6 + d3, 15)))
        acc f32 : tensor<256x256x3x3xbf16>
    loop.return %c : tensor<256x256x3x3xbf16>
  }
  return %r : tensor<256x256x3x3xbf16>
}
