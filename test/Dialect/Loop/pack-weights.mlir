// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(loop-pack-weights{limit=10000}))' | FileCheck %s
// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(loop-pack-weights{limit=10000}))' -o /dev/null --remarks-filter=loop-pack-weights 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(loop-pack-weights{limit=10000}),convert-loop-to-scf)' | FileCheck %s --check-prefix=PANELS

#panels = #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 24, block_depth = 64, item_rows = 24, item_columns = 64, unroll = 4, masked = true, grain = 1>

// The panels of a weight are made by a kernel of their own, which reads nothing else: two
// of 32 columns for 40, with a depth of 80 for 70. What the product reads is what
// that kernel gives.

// REMARK: remark: [Passed] packed-ahead | Category:loop-pack-weights | Function=weight | bytes=9280, kernel=k
// CHECK-LABEL: func.func @weight
// CHECK: loop.contract
// CHECK-SAME: {loop.packed_ahead}
// PANELS-LABEL: func.func @weight
// PANELS-SAME: %[[X:.*]]: tensor<48x70xf32>, %[[W:.*]]: tensor<70x40xf32>
// PANELS: %[[P:.*]] = loop.launch @kernels::@k_panels(%[[W]]) symbols [] work 2 grain 1 {loop.packed_ahead} : (tensor<70x40xf32>) -> tensor<5120xf32>
// PANELS: loop.launch @kernels::@k(%[[X]], %[[P]])
// PANELS: func.func @k_panels
func.func @weight(%x: tensor<48x70xf32>, %w: tensor<70x40xf32> {loop.frozen}) -> tensor<48x40xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<48x70xf32>, %b = %w : tensor<70x40xf32>) shared [] schedule #panels -> tensor<48x40xf32> {
    %1 = loop.contract parallel [48, 40] reduction [70] lhs %a[d0, d2] : tensor<48x70xf32> rhs %b[d2, d1] : tensor<70x40xf32> acc f32 : tensor<48x40xf32>
    loop.return %1 : tensor<48x40xf32>
  }
  return %0 : tensor<48x40xf32>
}

// -----

#panels = #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 36, block_depth = 64, item_rows = 36, item_columns = 32, unroll = 4, masked = true, grain = 1>

// The weight of a convolution with a window of one place: its dimensions are in the index, and
// are the same in every call.

// CHECK-LABEL: func.func @window_of_one
// CHECK: {loop.packed_ahead}
// PANELS-LABEL: func.func @window_of_one
// PANELS: loop.launch @kernels::@k_panels
func.func @window_of_one(%x: tensor<1x6x6x64xf32>, %w: tensor<32x64x1x1xf32> {loop.frozen}) -> tensor<1x6x6x32xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<1x6x6x64xf32>, %b = %w : tensor<32x64x1x1xf32>) shared [] schedule #panels -> tensor<1x6x6x32xf32> {
    %1 = loop.contract parallel [1, 6, 6, 32] reduction [1, 1, 64]
        lhs %a[d0, d1 + d4, d2 + d5, d6] : tensor<1x6x6x64xf32>
        rhs %b[d3, d6, d4, d5] : tensor<32x64x1x1xf32> acc f32 : tensor<1x6x6x32xf32>
    loop.return %1 : tensor<1x6x6x32xf32>
  }
  return %0 : tensor<1x6x6x32xf32>
}

// -----

#panels = #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 24, block_depth = 64, item_rows = 24, item_columns = 64, unroll = 4, masked = true, grain = 1>

// Not of an input of the caller.

// CHECK-LABEL: func.func @input
// CHECK-NOT: packed_ahead
// PANELS-LABEL: func.func @input
// PANELS-NOT: _panels
func.func @input(%x: tensor<48x64xf32>, %w: tensor<64x32xf32>) -> tensor<48x32xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<48x64xf32>, %b = %w : tensor<64x32xf32>) shared [] schedule #panels -> tensor<48x32xf32> {
    %1 = loop.contract parallel [48, 32] reduction [64] lhs %a[d0, d2] : tensor<48x64xf32> rhs %b[d2, d1] : tensor<64x32xf32> acc f32 : tensor<48x32xf32>
    loop.return %1 : tensor<48x32xf32>
  }
  return %0 : tensor<48x32xf32>
}

// -----

#panels = #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 24, block_depth = 64, item_rows = 24, item_columns = 64, unroll = 4, masked = true, grain = 1>

// Not where the panels take more than the limit: the weight is read by others, too, and
// stays beside them.

// REMARK: remark: [Missed] not-packed-ahead | Category:loop-pack-weights | Function=limited | Reason="it takes more memory than prepared-memory allows", bytes=16384, kernel=k
// CHECK-LABEL: func.func @limited
// CHECK-NOT: packed_ahead
func.func @limited(%x: tensor<48x64xf32>, %w: tensor<64x64xf32> {loop.frozen}) -> (tensor<48x64xf32>, tensor<64x64xf32>) {
  %0 = loop.kernel @k ins(%a = %x : tensor<48x64xf32>, %b = %w : tensor<64x64xf32>) shared [] schedule #panels -> tensor<48x64xf32> {
    %1 = loop.contract parallel [48, 64] reduction [64] lhs %a[d0, d2] : tensor<48x64xf32> rhs %b[d2, d1] : tensor<64x64xf32> acc f32 : tensor<48x64xf32>
    loop.return %1 : tensor<48x64xf32>
  }
  return %0, %w : tensor<48x64xf32>, tensor<64x64xf32>
}

// -----

#panels = #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 24, block_depth = 64, item_rows = 24, item_columns = 64, unroll = 4, masked = true, grain = 1>

// The matrices of a batch each have their panels: two for each of two.

// CHECK-LABEL: func.func @batch
// CHECK: {loop.packed_ahead}
// PANELS-LABEL: func.func @batch
// PANELS: loop.launch @kernels::@k_panels(%{{.*}}) symbols [] work 4 grain 1 {loop.packed_ahead} : (tensor<2x20x40xf32>) -> tensor<4096xf32>
func.func @batch(%x: tensor<2x48x20xf32>, %w: tensor<2x20x40xf32> {loop.frozen}) -> tensor<2x48x40xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<2x48x20xf32>, %b = %w : tensor<2x20x40xf32>) shared [] schedule #panels -> tensor<2x48x40xf32> {
    %1 = loop.contract parallel [2, 48, 40] reduction [20] lhs %a[d0, d1, d3] : tensor<2x48x20xf32> rhs %b[d0, d3, d2] : tensor<2x20x40xf32> acc f32 : tensor<2x48x40xf32>
    loop.return %1 : tensor<2x48x40xf32>
  }
  return %0 : tensor<2x48x40xf32>
}
