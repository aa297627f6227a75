// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --convert-loop-to-nvvm | FileCheck %s

// Rows of a window have 28 elements, of which eight are copied at a time: of the last eight four
// are there, whatever is behind them in memory, and zeros are in their place.

// CHECK-LABEL: llvm.func @sevens(
// CHECK: %[[C28:.*]] = arith.constant 28 : index
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[C28]], %{{.*}} : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[LEFT]], %{{.*}} : index
// CHECK: arith.minsi %[[BYTES]], %{{.*}} : index
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %{{.*}}
func.func @sevens(%x: tensor<8x69x272xbf16>, %w: tensor<64x7x32xbf16>) -> tensor<8x32x32x64xbf16> {
  %0 = loop.kernel @sevens ins(%a = %x : tensor<8x69x272xbf16>, %b = %w : tensor<64x7x32xbf16>) shared [8, 32, 32, 64]
      schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 64, sum = 64, part_rows = 64, part_columns = 64, stages = 4, lanes = 8, group = 8, split = 1, blocks = 132>
      -> tensor<8x32x32x64xbf16> {
    %y = loop.contract parallel [8, 32, 32, 64] reduction [7, 32]
        lhs %a[d0, d1 * 2 + d4, d2 * 8 + d5] : tensor<8x69x272xbf16> mask lt(d5, 28)
        rhs %b[d3, d4, d5] : tensor<64x7x32xbf16> mask 1 acc f32 : tensor<8x32x32x64xbf16>
    loop.return %y : tensor<8x32x32x64xbf16>
  }
  return %0 : tensor<8x32x32x64xbf16>
}
