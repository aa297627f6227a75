// RUN: kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file %s | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>} {
  // Below sm_90a by `mma.sync`, with copies under way.
  // CHECK-LABEL: func.func @linear
  // CHECK: #loop.step<kernel = @linear, {{.*}}shared = {{[0-9]+}}>
  // CHECK-SAME: unit = mma
  // CHECK: llvm.mlir.global external @kiln_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
  // CHECK: llvm.func @linear(
  // CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
  // CHECK: nvvm.cp.async.commit.group
  // CHECK: scf.for
  // CHECK: nvvm.cp.async.wait.group {{[0-9]}}
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: nvvm.ldmatrix
  // CHECK: nvvm.mma.sync
  func.func @linear(%x: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
    %r = loop.kernel @linear ins(%a = %x : tensor<1024x1024xbf16>, %b = %w : tensor<1024x1024xbf16>) shared [] -> tensor<1024x1024xbf16> {
      %c = loop.contract parallel [1024, 1024] reduction [1024]
          lhs %a[d0, d2] : tensor<1024x1024xbf16> rhs %b[d1, d2] : tensor<1024x1024xbf16>
          acc f32 : tensor<1024x1024xbf16>
      loop.return %c : tensor<1024x1024xbf16>
    }
    return %r : tensor<1024x1024xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>} {
  // f32 is multiplied exactly, and a long sum in parts.
  // CHECK-LABEL: func.func @deep
  // CHECK: #loop.step<kernel = @deep_parts, {{.*}}#loop.step<kernel = @deep,
  // CHECK-SAME: unit = fma
  // CHECK: llvm.func @deep_parts(
  // CHECK-NOT: mma
  // CHECK: math.fma
  // CHECK: llvm.func @deep(
  func.func @deep(%x: tensor<64x65536xf32>, %w: tensor<65536x64xf32>) -> tensor<64x64xf32> {
    %r = loop.kernel @deep ins(%a = %x : tensor<64x65536xf32>, %b = %w : tensor<65536x64xf32>) shared [] -> tensor<64x64xf32> {
      %c = loop.contract parallel [64, 64] reduction [65536]
          lhs %a[d0, d2] : tensor<64x65536xf32> rhs %b[d2, d1] : tensor<65536x64xf32>
          acc f32 : tensor<64x64xf32>
      loop.return %c : tensor<64x64xf32>
    }
    return %r : tensor<64x64xf32>
  }
}

// -----

// The copy engine brings tiles to two warpgroups.
// CHECK-LABEL: func.func @warpgroups
// CHECK: #loop.step<kernel = @warpgroups, symbols = [], blocks = <132>, threads = 384, shared = 229440, maps = [#loop.tensor_map<pointer = 0, element = bf16
// CHECK-SAME: swizzle = 128>, #loop.tensor_map<pointer = 1
// CHECK-SAME: swizzle = 128>, #loop.tensor_map<pointer = 2, element = bf16, offset = <0>, sizes = [#guard.expr<4096>, #guard.expr<4096>], strides = [#guard.expr<8192>], box = [64, 16], swizzle = 128>
// CHECK: llvm.func @warpgroups(
// CHECK-SAME: {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}
// CHECK-SAME: nvvm.minctasm = 1
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-5: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK: wgmma.wait_group.sync.aligned 0
// Warps have two boxes of 64 columns each, that the copy engine stores while the next is written.
// CHECK-COUNT-4: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NEXT: arith.constant -1 : i32
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: arith.constant -1 : i32
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: scf.if
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}} box[{{[^,]*, [^,]*}}]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NOT: nvvm.cp.async.bulk.wait_group {{.*}}read
// CHECK: nvvm.cp.async.bulk.wait_group 0
func.func @warpgroups(%x: tensor<4096x768xbf16>, %w: tensor<768x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = loop.kernel @warpgroups ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<768x4096xbf16>) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132> -> tensor<4096x4096xbf16> {
    %c = loop.contract parallel [4096, 4096] reduction [768]
        lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d2, d1] : tensor<768x4096xbf16>
        acc f32 : tensor<4096x4096xbf16>
    loop.return %c : tensor<4096x4096xbf16>
  }
  return %r : tensor<4096x4096xbf16>
}

// -----

// Three that multiply share what registers the fourth leaves. Their warps have one box each.
// CHECK-LABEL: func.func @three_warpgroups
// CHECK: #loop.step<kernel = @three, symbols = [], blocks = <132>, threads = 512, shared = 221248
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.setmaxregister increase 152
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 192, k = 16>
// CHECK-COUNT-3: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
func.func @three_warpgroups(%x: tensor<6304x768xbf16>, %w: tensor<768x768xbf16>) -> tensor<6304x768xbf16> {
  %r = loop.kernel @three ins(%a = %x : tensor<6304x768xbf16>, %b = %w : tensor<768x768xbf16>) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 192, columns = 192, sum = 64, part_rows = 64, part_columns = 192,
                                 stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> tensor<6304x768xbf16> {
    %c = loop.contract parallel [6304, 768] reduction [768]
        lhs %a[d0, d2] : tensor<6304x768xbf16> rhs %b[d1, d2] : tensor<768x768xbf16>
        acc f32 : tensor<6304x768xbf16>
    loop.return %c : tensor<6304x768xbf16>
  }
  return %r : tensor<6304x768xbf16>
}

// -----

// f32 is rounded to tf32 where the target permits it: on its way into shared memory, from
// where warpgroups take it along the sum, ...
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800, tf32 = true>} {
  // CHECK-LABEL: func.func @rounded
  // CHECK: #loop.tensor_map<pointer = 0, element = f32, {{.*}}box = [32, 128], swizzle = 128>
  // CHECK-SAME: unit = wgmma
  // CHECK: nvvm.mbarrier.arrive.expect_tx
  // CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK-NOT: nvvm.cp.async.bulk.tensor
  // CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 8>, D[<f32>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>]
  func.func @rounded(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %r = loop.kernel @rounded ins(%a = %x : tensor<4096x4096xf32>, %b = %w : tensor<4096x4096xf32>) shared [] -> tensor<4096x4096xf32> {
      %c = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xf32> rhs %b[d1, d2] : tensor<4096x4096xf32>
          acc f32 : tensor<4096x4096xf32>
      loop.return %c : tensor<4096x4096xf32>
    }
    return %r : tensor<4096x4096xf32>
  }
}

// -----

// ... or in registers. What lies across the sum is read word by word.
module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040, tf32 = true>} {
  // CHECK-LABEL: func.func @rounded_by_warps
  // CHECK: loop.launch_grid{{.*}}unit = mma
  // CHECK: llvm.func @rounded_by_warps(
  // CHECK: nvvm.ldmatrix
  // CHECK: nvvm.convert.float.to.tf32 {{.*}}rna
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
  func.func @rounded_by_warps(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %r = loop.kernel @rounded_by_warps ins(%a = %x : tensor<1024x1024xf32>, %b = %w : tensor<1024x1024xf32>) shared [] -> tensor<1024x1024xf32> {
      %c = loop.contract parallel [1024, 1024] reduction [1024]
          lhs %a[d0, d2] : tensor<1024x1024xf32> rhs %b[d2, d1] : tensor<1024x1024xf32>
          acc f32 : tensor<1024x1024xf32>
      loop.return %c : tensor<1024x1024xf32>
    }
    return %r : tensor<1024x1024xf32>
  }
}

// -----

// Blocks of a cluster each bring half of the columns' factors to both, and say to both what
// they have read. The result of 16 bits goes as pairs through shared memory.
// CHECK-LABEL: func.func @clusters
// CHECK: #loop.step<kernel = @clusters, symbols = [], blocks = <132>
// CHECK-SAME: box = [64, 128]
// CHECK-SAME: box = [64, 128]
// CHECK: llvm.func @clusters(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[FOUR]]
// CHECK: nvvm.barrier0
// CHECK-NEXT: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: multicast_mask
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: mapa.shared::cluster.u32
// CHECK-COUNT-16: nvvm.stmatrix
// CHECK-NOT: nvvm.stmatrix
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: llvm.return
func.func @clusters(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = loop.kernel @clusters ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xbf16>) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132, cluster = 2> -> tensor<4096x4096xbf16> {
    %c = loop.contract parallel [4096, 4096] reduction [4096]
        lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16>
        acc f32 : tensor<4096x4096xbf16>
    loop.return %c : tensor<4096x4096xbf16>
  }
  return %r : tensor<4096x4096xbf16>
}

// -----

// What the epilogue reads of rows is under way before the sums are there: of the first 64
// columns here, by 16 bytes.
// CHECK-LABEL: llvm.func @residual(
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-COUNT-4: llvm.load {{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: nvvm.stmatrix
func.func @residual(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %z: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = loop.kernel @residual ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xbf16>, %v = %z : tensor<4096x4096xbf16>) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256,
                                 stages = 4, lanes = 8, group = 8, split = 1, blocks = 132> -> tensor<4096x4096xbf16> {
    %c = loop.contract parallel [4096, 4096] reduction [4096]
        lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16>
        acc f32 : tensor<4096x4096xbf16> epilogue (%acc, %i, %j) {
      %e = loop.load %v[%i, %j] : tensor<4096x4096xbf16>
      %f = arith.extf %e : bf16 to f32
      %g = arith.addf %acc, %f : f32
      %t = arith.truncf %g : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %c : tensor<4096x4096xbf16>
  }
  return %r : tensor<4096x4096xbf16>
}

// -----

// By turns a warpgroup has a tile of its own, of two parts that read the same columns: it waits
// until it is its turn, and gives it away when it has begun with the last stage, before it
// finishes what it has. What the other has of the stages it passes over.
// CHECK-LABEL: func.func @turns
// CHECK: #loop.step<kernel = @turns, symbols = [], blocks = <132>, threads = 384
// CHECK: llvm.func @turns(
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-COUNT-14: nvvm.mbarrier.init
// CHECK-NOT: nvvm.mbarrier.init
// CHECK: nvvm.setmaxregister increase 232
// CHECK: scf.for
// CHECK: scf.if {{.*}} -> (i32, i32)
// CHECK: arith.shrui
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-8: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.mbarrier.arrive
// CHECK: scf.yield
// CHECK: nvvm.mbarrier.arrive
// CHECK: wgmma.wait_group.sync.aligned 0
// Behind a sum as long as this threads store.
// CHECK-COUNT-16: nvvm.stmatrix
// CHECK-NOT: nvvm.stmatrix
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global
// CHECK: } else {
// CHECK: arith.remui
func.func @turns(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = loop.kernel @turns ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xbf16>) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 6, lanes = 8, group = 8, split = 1, blocks = 132, turns = 2> -> tensor<4096x4096xbf16> {
    %c = loop.contract parallel [4096, 4096] reduction [4096]
        lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16>
        acc f32 : tensor<4096x4096xbf16>
    loop.return %c : tensor<4096x4096xbf16>
  }
  return %r : tensor<4096x4096xbf16>
}

// -----

// What a tile of one step has is all stores, which are the copy engine's, too: of all images
// of a convolution by channels, in the order of which neighbours in a row are four. What the
// epilogue reads for all columns is read once for a row, the last one where it is outside.
// CHECK-LABEL: func.func @single
// CHECK: #loop.tensor_map<pointer = 3, element = f16, offset = <0>, sizes = [#guard.expr<784>, #guard.expr<250>, #guard.expr<16>], strides = [#guard.expr<1568>, #guard.expr<392000>], box = [64, 16, 1], swizzle = 128>
// CHECK: llvm.func @single(
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: arith.constant 250 : index
// CHECK: arith.minsi
// CHECK: llvm.load {{.*}} invariant {{.*}} : !llvm.ptr<1> -> f16
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}} box[{{[^,]*, [^,]*, [^,]*}}]
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NOT: llvm.store
// CHECK: nvvm.cp.async.bulk.wait_group 0
func.func @single(%w: tensor<250x64xf16>, %x: tensor<16x64x28x28xf16>, %z: tensor<250xf16>) -> tensor<16x250x28x28xf16> {
  %r = loop.kernel @single ins(%a = %w : tensor<250x64xf16>, %b = %x : tensor<16x64x28x28xf16>, %v = %z : tensor<250xf16>) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 6, lanes = 4, group = 8, split = 1, blocks = 132> -> tensor<16x250x28x28xf16> {
    %c = loop.contract parallel [16, 250, 28, 28] reduction [64]
        lhs %a[d1, d4] : tensor<250x64xf16> rhs %b[d0, d4, d2, d3] : tensor<16x64x28x28xf16>
        acc f32 : tensor<16x250x28x28xf16> epilogue (%acc, %n, %o, %y, %x0) {
      %e = loop.load %v[%o] : tensor<250xf16>
      %f = arith.extf %e : f16 to f32
      %g = arith.addf %acc, %f : f32
      %t = arith.truncf %g : f32 to f16
      loop.yield %t : f16
    }
    loop.return %c : tensor<16x250x28x28xf16>
  }
  return %r : tensor<16x250x28x28xf16>
}

// -----

// Threads store what has strides that are not known.
// CHECK-LABEL: func.func @unknown
// CHECK: #loop.tensor_map<pointer = 1
// CHECK-NOT: #loop.tensor_map<pointer = 2
// CHECK: llvm.func @unknown(
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK-NEXT: arith.constant -1 : i32
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global
!l = tensor<?x16x128xbf16, #guard.shape<[s0, 16, 128]>>
!r = tensor<16x?x256xbf16, #guard.shape<[16, s0, 256]>>
func.func @unknown(%x: !l, %w: tensor<16x256x128xbf16>) -> !r {
  %r = loop.kernel @unknown ins(%a = %x : !l, %b = %w : tensor<16x256x128xbf16>) shared []
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 6, lanes = 8, group = 8, split = 1, blocks = 132> -> !r {
    %c = loop.contract parallel [16, s0, 256] reduction [128]
        lhs %a[d1, d0, d3] : !l rhs %b[d0, d2, d3] : tensor<16x256x128xbf16>
        acc f32 : !r
    loop.return %c : !r
  }
  return %r : !r
}
