// RUN: not kiln-opt %s --convert-loop-to-scf --split-input-file 2>&1 | FileCheck %s

// Channels that lie apart, a block that ends within a window's place, a prologue, and padding that
// leaves out a part of a run.
// CHECK-COUNT-4: expected neighbours of A along the depth, of which a block has whole runs

func.func @apart(%x: tensor<64x72xf32>, %y: tensor<64x64xf32>) -> tensor<72x64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<64x72xf32>, %b = %y : tensor<64x64xf32>) shared [72, 64]
      schedule #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 64, block_rows = 72, block_depth = 64, item_rows = 72,
                            item_columns = 64, unroll = 4, masked = true, grain = 1, in_place = true> -> tensor<72x64xf32> {
    %s = loop.contract parallel [72, 64] reduction [64] lhs %a[d2, d0] : tensor<64x72xf32>
        rhs %b[d2, d1] : tensor<64x64xf32> acc f32 : tensor<72x64xf32>
    loop.return %s : tensor<72x64xf32>
  }
  return %r : tensor<72x64xf32>
}

// -----

func.func @within(%x: tensor<72x96xf32>, %y: tensor<96x64xf32>) -> tensor<72x64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<72x96xf32>, %b = %y : tensor<96x64xf32>) shared [72, 64]
      schedule #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 64, block_rows = 72, block_depth = 64, item_rows = 72,
                            item_columns = 64, unroll = 4, masked = true, grain = 1, in_place = true> -> tensor<72x64xf32> {
    %s = loop.contract parallel [72, 64] reduction [96] lhs %a[d0, d2] : tensor<72x96xf32>
        rhs %b[d2, d1] : tensor<96x64xf32> acc f32 : tensor<72x64xf32>
    loop.return %s : tensor<72x64xf32>
  }
  return %r : tensor<72x64xf32>
}

// -----

func.func @mapped(%x: tensor<72x64xf32>, %y: tensor<64x64xf32>) -> tensor<72x64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<72x64xf32>, %b = %y : tensor<64x64xf32>) shared [72, 64]
      schedule #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 64, block_rows = 72, block_depth = 64, item_rows = 72,
                            item_columns = 64, unroll = 4, masked = true, grain = 1, in_place = true> -> tensor<72x64xf32> {
    %s = loop.contract parallel [72, 64] reduction [64] lhs %a[d0, d2] : tensor<72x64xf32>
        rhs %b[d2, d1] : tensor<64x64xf32> acc f32 : tensor<72x64xf32> lhs_prologue (%e) {
      %f = math.absf %e : f32
      loop.yield %f : f32
    }
    loop.return %s : tensor<72x64xf32>
  }
  return %r : tensor<72x64xf32>
}

// -----

func.func @padded(%x: tensor<5000xf32>, %y: tensor<64x64xf32>) -> tensor<5000x64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<5000xf32>, %b = %y : tensor<64x64xf32>) shared [5000, 64]
      schedule #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 64, block_rows = 72, block_depth = 64, item_rows = 72,
                            item_columns = 64, unroll = 4, masked = true, grain = 1, in_place = true> -> tensor<5000x64xf32> {
    %s = loop.contract parallel [5000, 64] reduction [64]
        lhs %a[d0 + d2 - 1] : tensor<5000xf32> mask and(le(1, d0 + d2), lt(d0 + d2 - 1, 5000))
        rhs %b[d2, d1] : tensor<64x64xf32> mask 1 acc f32 : tensor<5000x64xf32>
    loop.return %s : tensor<5000x64xf32>
  }
  return %r : tensor<5000x64xf32>
}
