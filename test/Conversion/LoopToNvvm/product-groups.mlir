// RUN: kiln-opt %s --loop-choose-schedule --convert-loop-to-nvvm | FileCheck %s

// Members in groups by warpgroups: rows of each group by its own matrix.
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // The group's matrix is the last coordinate of the second map. Threads store: there is no map
  // of the result.
  // CHECK-LABEL: func.func @experts
  // CHECK: maps = [#loop.tensor_map<pointer = 0, element = bf16, offset = <0>, sizes = [#guard.expr<2048>, #guard.expr<8192>], strides = [#guard.expr<4096>], box = [64, 128], swizzle = 128>,
  // CHECK-SAME: #loop.tensor_map<pointer = 1, element = bf16, offset = <0>, sizes = [#guard.expr<4096>, #guard.expr<2048>, #guard.expr<8>], strides = [#guard.expr<8192>, #guard.expr<16777216>], box = [64, 64, 1], swizzle = 128>]

  // What is chosen: warpgroups, unless there is more to clear than lines.
  // CHECK-LABEL: func.func @chosen
  // CHECK: kernel = @rows{{.*}}unit = wgmma
  // CHECK: kernel = @odd{{.*}}unit = wgmma
  // CHECK: kernel = @across{{.*}}unit = wgmma
  // CHECK: kernel = @along{{.*}}unit = mma

  // CHECK-LABEL: llvm.func @experts(
  // CHECK: nvvm.setmaxregister decrease 40
  // 64 whole row tiles, one more for each group and for rows of none, by 16 of columns.
  // CHECK: [[TILES:%.*]] = arith.constant 1168 : index
  // CHECK: scf.for %{{.*}} to [[TILES]] step {{.*}} -> (i32, i32, index, index, index)
  // From where the tile before was to the first row tile of those that are visited together, ...
  // CHECK: [[NEAR:%[0-9]+]]:5 = scf.while
  // CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> i32
  // CHECK: scf.condition
  // ... and from there to its own.
  // CHECK: [[FOUND:%[0-9]+]]:5 = scf.while ({{.*}} = [[NEAR]]#0, {{.*}} = [[NEAR]]#1, {{.*}} = [[NEAR]]#3)
  // CHECK: [[DOWN:%.*]] = arith.addi [[FOUND]]#3,
  // CHECK: [[ROW:%.*]] = arith.minsi [[DOWN]], [[FOUND]]#4
  // CHECK: [[MATRIX:%.*]] = arith.minsi [[FOUND]]#0,
  // CHECK: nvvm.mbarrier.arrive.expect_tx
  // CHECK: [[ROW32:%.*]] = arith.index_cast [[ROW]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[{{%[^,]*}}, [[ROW32]]]
  // CHECK: [[MATRIX32:%.*]] = arith.index_cast [[MATRIX]]
  // CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[{{%[^,]*}}, {{%[^,]*}}, [[MATRIX32]]]
  // CHECK: scf.yield {{.*}} [[NEAR]]#0, [[NEAR]]#1, [[NEAR]]#3
  // CHECK: nvvm.setmaxregister increase
  // CHECK: scf.while
  // CHECK: [[OWN:%[0-9]+]]:5 = scf.while
  // CHECK: [[FIRST:%.*]] = arith.minsi {{.*}}, [[OWN]]#4
  // CHECK: [[EXISTS:%.*]] = arith.cmpi slt, [[FIRST]], [[OWN]]#4
  // CHECK: nvvm.wgmma.mma_async
  // CHECK-NOT: nvvm.barrier id
  // Rows that the next group has are not stored.
  // CHECK: scf.if [[EXISTS]]
  // CHECK: wgmma.wait_group.sync.aligned 0
  // CHECK-NOT: nvvm.cp.async.bulk.tensor.global
  // CHECK: arith.cmpi slt, {{.*}}, [[OWN]]#4
  // CHECK: vector<8xbf16>
  // CHECK: } else {
  // CHECK: wgmma.wait_group.sync.aligned 0

  // Members that are summed up: what the last step of a group has behind its end is cleared in
  // both operands before it is multiplied.
  // CHECK-LABEL: llvm.func @weights(
  // CHECK: nvvm.setmaxregister increase
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: [[LEFT:%.*]] = arith.subi
  // CHECK: [[CUT:%.*]] = arith.cmpi slt, [[LEFT]], %c64
  // CHECK: scf.if [[CUT]]
  // CHECK: scf.for
  // Two chunks of rows and four of columns.
  // CHECK-COUNT-6: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
  // CHECK: nvvm.barrier id = {{.*}} number_of_threads =
  // CHECK: nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]

  func.func @experts(%x: tensor<8192x2048xbf16>, %w: tensor<8x2048x4096xbf16>, %e: tensor<8xi32>) -> tensor<8192x4096xbf16> {
    %r = loop.kernel @experts ins(%a = %x : tensor<8192x2048xbf16>, %b = %w : tensor<8x2048x4096xbf16>, %n = %e : tensor<8xi32>) shared [8192, 4096]
        schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256,
                                   stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> tensor<8192x4096xbf16> {
      %c = loop.contract parallel [8192, 4096] reduction [8, 2048]
          lhs %a[d0, d3] : tensor<8192x2048xbf16> rhs %b[d2, d3, d1] : tensor<8x2048x4096xbf16>
          groups %n(d2, d0) : tensor<8xi32> acc f32 : tensor<8192x4096xbf16>
      loop.return %c : tensor<8192x4096xbf16>
    }
    return %r : tensor<8192x4096xbf16>
  }
  func.func @weights(%x: tensor<8192x2048xbf16>, %w: tensor<8192x4096xbf16>, %e: tensor<8xi32>) -> tensor<8x2048x4096xbf16> {
    %r = loop.kernel @weights ins(%a = %x : tensor<8192x2048xbf16>, %b = %w : tensor<8192x4096xbf16>, %n = %e : tensor<8xi32>) shared [8, 2048, 4096]
        schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256,
                                   stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> tensor<8x2048x4096xbf16> {
      %c = loop.contract parallel [8, 2048, 4096] reduction [8192]
          lhs %a[d3, d1] : tensor<8192x2048xbf16> rhs %b[d3, d2] : tensor<8192x4096xbf16>
          groups %n(d0, d3) : tensor<8xi32> acc f32 : tensor<8x2048x4096xbf16>
      loop.return %c : tensor<8x2048x4096xbf16>
    }
    return %r : tensor<8x2048x4096xbf16>
  }
  func.func @chosen(%x: tensor<4096x1024xbf16>, %xt: tensor<1024x4096xbf16>, %w: tensor<64x1024x1024xbf16>, %v: tensor<64x1003x1024xbf16>,
                    %y: tensor<4096x1024xbf16>, %e: tensor<64xi32>)
      -> (tensor<4096x1024xbf16>, tensor<4096x1003xbf16>, tensor<64x1024x1024xbf16>, tensor<64x1024x1024xbf16>) {
    %0 = loop.kernel @rows ins(%a = %x : tensor<4096x1024xbf16>, %b = %w : tensor<64x1024x1024xbf16>, %n = %e : tensor<64xi32>)
        shared [4096, 1024] -> tensor<4096x1024xbf16> {
      %c = loop.contract parallel [4096, 1024] reduction [64, 1024]
          lhs %a[d0, d3] : tensor<4096x1024xbf16> rhs %b[d2, d3, d1] : tensor<64x1024x1024xbf16>
          groups %n(d2, d0) : tensor<64xi32> acc f32 : tensor<4096x1024xbf16>
      loop.return %c : tensor<4096x1024xbf16>
    }
    // Rows of the result begin anywhere.
    %1 = loop.kernel @odd ins(%a = %x : tensor<4096x1024xbf16>, %b = %v : tensor<64x1003x1024xbf16>, %n = %e : tensor<64xi32>)
        shared [4096, 1003] -> tensor<4096x1003xbf16> {
      %c = loop.contract parallel [4096, 1003] reduction [64, 1024]
          lhs %a[d0, d3] : tensor<4096x1024xbf16> rhs %b[d2, d1, d3] : tensor<64x1003x1024xbf16>
          groups %n(d2, d0) : tensor<64xi32> acc f32 : tensor<4096x1003xbf16>
      loop.return %c : tensor<4096x1003xbf16>
    }
    %2 = loop.kernel @across ins(%a = %x : tensor<4096x1024xbf16>, %b = %y : tensor<4096x1024xbf16>, %n = %e : tensor<64xi32>)
        shared [64, 1024, 1024] -> tensor<64x1024x1024xbf16> {
      %c = loop.contract parallel [64, 1024, 1024] reduction [4096]
          lhs %a[d3, d1] : tensor<4096x1024xbf16> rhs %b[d3, d2] : tensor<4096x1024xbf16>
          groups %n(d0, d3) : tensor<64xi32> acc f32 : tensor<64x1024x1024xbf16>
      loop.return %c : tensor<64x1024x1024xbf16>
    }
    %3 = loop.kernel @along ins(%a = %xt : tensor<1024x4096xbf16>, %b = %y : tensor<4096x1024xbf16>, %n = %e : tensor<64xi32>)
        shared [64, 1024, 1024] -> tensor<64x1024x1024xbf16> {
      %c = loop.contract parallel [64, 1024, 1024] reduction [4096]
          lhs %a[d1, d3] : tensor<1024x4096xbf16> rhs %b[d3, d2] : tensor<4096x1024xbf16>
          groups %n(d0, d3) : tensor<64xi32> acc f32 : tensor<64x1024x1024xbf16>
      loop.return %c : tensor<64x1024x1024xbf16>
    }
    return %0, %1, %2, %3 : tensor<4096x1024xbf16>, tensor<4096x1003xbf16>, tensor<64x1024x1024xbf16>, tensor<64x1024x1024xbf16>
  }
}
