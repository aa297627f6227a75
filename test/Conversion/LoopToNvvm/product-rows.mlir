// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Rows of 2,003 elements begin anywhere: pairs of sums are packed as those of other rows,
  // and eight elements go to a multiple of 16 bytes, by the bits of their address. Words are
  // put together of the two that their halves lie in. What is left of 64 columns is kept for
  // those that follow; of the last ones it goes element by element.
  // CHECK-LABEL: llvm.func @odd(
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK: scf.for
  // CHECK: %[[BITS:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
  // CHECK: arith.trunci %[[BITS]] : i64 to i32
  // CHECK-COUNT-4: llvm.intr.fshr
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
  // CHECK-COUNT-8: llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
  // CHECK-NOT: llvm.store %{{.*}} : i16
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
  // CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<1>
  // CHECK-NOT: llvm.store %{{.*}} : i16
  // CHECK-NOT: !llvm.ptr<3> -> vector<4xi32>
  func.func @odd(%x: tensor<1999x2048xbf16>, %w: tensor<2003x2048xbf16>) -> tensor<1999x2003xbf16> {
    %r = loop.kernel @odd ins(%a = %x : tensor<1999x2048xbf16>, %b = %w : tensor<2003x2048xbf16>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                   stages = 4, lanes = 1, group = 16, split = 1, blocks = 132> -> tensor<1999x2003xbf16> {
      %c = loop.contract parallel [1999, 2003] reduction [2005]
          lhs %a[d0, d2] : tensor<1999x2048xbf16> rhs %b[d1, d2] : tensor<2003x2048xbf16>
          acc f32 : tensor<1999x2003xbf16>
      loop.return %c : tensor<1999x2003xbf16>
    }
    return %r : tensor<1999x2003xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Longer rows begin at multiples of 16 bytes, and the last 16 bytes of one run over the end:
  // 2,003 columns are asked for, and what is behind them is nobody's.
  // CHECK: #loop.tensor_map<pointer = 2, element = bf16, offset = <0>, sizes = [#guard.expr<2008>, #guard.expr<1999>], strides = [#guard.expr<4096>], box = [64, 16], swizzle = 128>
  // CHECK-LABEL: llvm.func @longer(
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  // CHECK-NOT: llvm.store
  // CHECK-LABEL: llvm.func @sums(
  func.func @longer(%x: tensor<1999x512xbf16>, %w: tensor<2003x512xbf16>) -> tensor<1999xf32> {
    %r = loop.kernel @longer ins(%a = %x : tensor<1999x512xbf16>, %b = %w : tensor<2003x512xbf16>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                   stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> tensor<1999x2048xbf16> {
      %c = loop.contract parallel [1999, 2003] reduction [500]
          lhs %a[d0, d2] : tensor<1999x512xbf16> rhs %b[d1, d2] : tensor<2003x512xbf16>
          acc f32 : tensor<1999x2003xbf16>
      loop.return %c : tensor<1999x2003xbf16>
    }
    %s = loop.kernel @sums ins(%a = %r : tensor<1999x2048xbf16>) shared [1999]
        schedule #loop.gpu_rows<threads = 256, rows = 1, lanes = 8, steps = 0> -> tensor<1999xf32> {
      %m = loop.reduce parallel (%i) in [1999] reduction (%j) in [2003] <max> : tensor<1999xf32> {
        %e = loop.load %a[%i, %j] : tensor<1999x2048xbf16>
        %f = arith.extf %e : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %m : tensor<1999xf32>
    }
    return %s : tensor<1999xf32>
  }
}
