// RUN: not kiln-opt %s --convert-loop-to-scf 2>&1 | FileCheck %s

// Pairs and tiles are for factors of bf16 also where a product is one of a block's.
// CHECK: expected factors of bf16 and sums of f32

module attributes {loop.target = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 524288, l3 = 16777216, grain_points = 16384, grain_ns = 20000>} {
  func.func @main(%arg0: tensor<64x64xf32>, %arg1: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = loop.kernel @k ins(%arg2 = %arg0 : tensor<64x64xf32>, %arg3 = %arg1 : tensor<64x64xf32>) shared [64] schedule #loop.blocks<rows = 24, nests = <along = [1, 16, 16], beside = [1, 1, 1], sum_block = 0, masked = true, grain = 4>, products = [#loop.packed<lanes = 16, tile_rows = 12, tile_columns = 32, block_rows = 24, block_depth = 64, item_rows = 24, item_columns = 64, unroll = 4, masked = true, grain = 1, unit = pairs>], grain = 1> -> tensor<64x64xf32> {
      %1 = loop.contract parallel [64, 64] reduction [64] lhs %arg2[d0, d2] : tensor<64x64xf32> rhs %arg3[d2, d1] : tensor<64x64xf32> acc f32 : tensor<64x64xf32>
      %2 = loop.reduce parallel (%i) in [64] reduction (%j) in [64] <max> : tensor<64xf32> {
        %4 = loop.load %1[%i, %j] : tensor<64x64xf32>
        loop.yield %4 : f32
      }
      %3 = loop.pointwise (%i, %j) in [64, 64] : tensor<64x64xf32> {
        %4 = loop.load %1[%i, %j] : tensor<64x64xf32>
        %5 = loop.load %2[%i] : tensor<64xf32>
        %6 = arith.subf %4, %5 : f32
        loop.yield %6 : f32
      }
      loop.return %3 : tensor<64x64xf32>
    }
    return %0 : tensor<64x64xf32>
  }
}

