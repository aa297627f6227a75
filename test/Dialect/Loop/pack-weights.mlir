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

// -----

#skinny = #loop.skinny_columns<lanes = 16, item_columns = 96, columns = 2, masked = true, grain = 1>

// Few rows read a weight once, and do so as panels, of 16 columns for the one row that there is.

// REMARK: remark: [Passed] packed-ahead | Category:loop-pack-weights | Function=few_rows | bytes=0, kernel=k
// CHECK-LABEL: func.func @few_rows
// CHECK: schedule #loop.packed<{{.*}}tile_rows = 1, tile_columns = 16,
// CHECK: {loop.packed_ahead}
// PANELS-LABEL: func.func @few_rows
// PANELS: %[[P:.*]] = loop.launch @kernels::@k_panels(%{{.*}}) symbols [] work {{.*}} grain 1 {loop.packed_ahead} : (tensor<128x64xf32>) -> tensor<8192xf32>
func.func @few_rows(%x: tensor<1x64xf32>, %w: tensor<128x64xf32> {loop.frozen}) -> tensor<1x128xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<1x64xf32>, %b = %w : tensor<128x64xf32>) shared [1, 128] schedule #skinny -> tensor<1x128xf32> {
    %1 = loop.contract parallel [1, 128] reduction [64] lhs %a[d0, d2] : tensor<1x64xf32> rhs %b[d1, d2] : tensor<128x64xf32> acc f32 : tensor<1x128xf32>
    loop.return %1 : tensor<1x128xf32>
  }
  return %0 : tensor<1x128xf32>
}

// -----

#skinny = #loop.skinny_rows<lanes = 16, item_columns = 512, unroll = 8, masked = true, grain = 1>

// Nor does it matter which side of the weight is contiguous.

// CHECK-LABEL: func.func @few_rows_of_rows
// CHECK: schedule #loop.packed<{{.*}}tile_rows = 4,
// CHECK: {loop.packed_ahead}
func.func @few_rows_of_rows(%x: tensor<8x64xf32>, %w: tensor<64x128xf32> {loop.frozen}) -> tensor<8x128xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<8x64xf32>, %b = %w : tensor<64x128xf32>) shared [8, 128] schedule #skinny -> tensor<8x128xf32> {
    %1 = loop.contract parallel [8, 128] reduction [64] lhs %a[d0, d2] : tensor<8x64xf32> rhs %b[d2, d1] : tensor<64x128xf32> acc f32 : tensor<8x128xf32>
    loop.return %1 : tensor<8x128xf32>
  }
  return %0 : tensor<8x128xf32>
}

// -----

#skinny = #loop.skinny_columns<lanes = 16, item_columns = 96, columns = 2, masked = true, grain = 1>

// An input of the caller is read where it lies.

// CHECK-LABEL: func.func @few_rows_of_an_input
// CHECK: schedule #loop.skinny_columns
// CHECK-NOT: packed_ahead
func.func @few_rows_of_an_input(%x: tensor<1x64xf32>, %w: tensor<128x64xf32>) -> tensor<1x128xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<1x64xf32>, %b = %w : tensor<128x64xf32>) shared [1, 128] schedule #skinny -> tensor<1x128xf32> {
    %1 = loop.contract parallel [1, 128] reduction [64] lhs %a[d0, d2] : tensor<1x64xf32> rhs %b[d1, d2] : tensor<128x64xf32> acc f32 : tensor<1x128xf32>
    loop.return %1 : tensor<1x128xf32>
  }
  return %0 : tensor<1x128xf32>
}

// -----

#skinny = #loop.skinny_columns<lanes = 16, item_columns = 96, columns = 2, masked = true, grain = 1>

// So is a weight whose panels take more than the limit beside it, because another reads it.

// CHECK-LABEL: func.func @few_rows_limited
// CHECK: schedule #loop.skinny_columns
// CHECK-NOT: packed_ahead
func.func @few_rows_limited(%x: tensor<1x64xf32>, %w: tensor<128x64xf32> {loop.frozen}) -> (tensor<1x128xf32>, tensor<128x64xf32>) {
  %0 = loop.kernel @k ins(%a = %x : tensor<1x64xf32>, %b = %w : tensor<128x64xf32>) shared [1, 128] schedule #skinny -> tensor<1x128xf32> {
    %1 = loop.contract parallel [1, 128] reduction [64] lhs %a[d0, d2] : tensor<1x64xf32> rhs %b[d1, d2] : tensor<128x64xf32> acc f32 : tensor<1x128xf32>
    loop.return %1 : tensor<1x128xf32>
  }
  return %0, %w : tensor<1x128xf32>, tensor<128x64xf32>
}

// -----

#skinny = #loop.skinny_columns<lanes = 16, item_columns = 96, columns = 2, masked = true, grain = 1>

// And one whose panels are larger than itself: of f16 they are f32.

// CHECK-LABEL: func.func @few_rows_widened
// CHECK: schedule #loop.skinny_columns
// CHECK-NOT: packed_ahead
func.func @few_rows_widened(%x: tensor<1x64xf16>, %w: tensor<128x64xf16> {loop.frozen}) -> tensor<1x128xf32> {
  %0 = loop.kernel @k ins(%a = %x : tensor<1x64xf16>, %b = %w : tensor<128x64xf16>) shared [1, 128] schedule #skinny -> tensor<1x128xf32> {
    %1 = loop.contract parallel [1, 128] reduction [64] lhs %a[d0, d2] : tensor<1x64xf16> rhs %b[d1, d2] : tensor<128x64xf16> acc f32 : tensor<1x128xf32>
    loop.return %1 : tensor<1x128xf32>
  }
  return %0 : tensor<1x128xf32>
}

// -----

#panels = #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 24, block_depth = 64, item_rows = 24, item_columns = 64, unroll = 4, masked = true, grain = 1>

// Two that read the same panels take no more than one, which is 8,192 bytes of 10,000.

// REMARK: remark: [Passed] packed-ahead | Category:loop-pack-weights | Function=steps | bytes=8192, kernel=k
// REMARK: remark: [Passed] packed-ahead | Category:loop-pack-weights | Function=steps | bytes=0, kernel=l
// CHECK-LABEL: func.func @steps
// CHECK-COUNT-2: {loop.packed_ahead}
func.func @steps(%x: tensor<48x64xf32>, %w: tensor<64x32xf32> {loop.frozen}) -> (tensor<48x32xf32>, tensor<48x32xf32>) {
  %0 = loop.kernel @k ins(%a = %x : tensor<48x64xf32>, %b = %w : tensor<64x32xf32>) shared [48, 32] schedule #panels -> tensor<48x32xf32> {
    %1 = loop.contract parallel [48, 32] reduction [64] lhs %a[d0, d2] : tensor<48x64xf32> rhs %b[d2, d1] : tensor<64x32xf32> acc f32 : tensor<48x32xf32>
    loop.return %1 : tensor<48x32xf32>
  }
  %2 = loop.kernel @l ins(%a = %x : tensor<48x64xf32>, %b = %w : tensor<64x32xf32>) shared [48, 32] schedule #panels -> tensor<48x32xf32> {
    %3 = loop.contract parallel [48, 32] reduction [64] lhs %a[d0, d2] : tensor<48x64xf32> rhs %b[d2, d1] : tensor<64x32xf32> acc f32 : tensor<48x32xf32> epilogue (%acc, %i, %j) {
      %n = arith.negf %acc : f32
      loop.yield %n : f32
    }
    loop.return %3 : tensor<48x32xf32>
  }
  return %0, %2 : tensor<48x32xf32>, tensor<48x32xf32>
}

// -----

#panels = #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 24, block_depth = 64, item_rows = 24, item_columns = 64, unroll = 4, masked = true, grain = 1>
#rows = #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true, grain = 64>

// An embedding reads a few rows of a table that a product has for its weight, which is then as
// good as read by nobody else: 16,384 bytes of panels are in its place. What reads it does so
// at computed positions.

// REMARK: remark: [Passed] packed-ahead | Category:loop-pack-weights | Function=tied | bytes=0, kernel=k
// CHECK-LABEL: func.func @tied
// CHECK: {loop.packed_ahead}
// PANELS-LABEL: func.func @tied
// PANELS: loop.launch @kernels::@e(%{{.*}}, %{{.*}}) {{.*}}loop.sparse = array<i64: 1>
func.func @tied(%x: tensor<48x64xf32>, %i: tensor<4xi64>, %w: tensor<64x64xf32> {loop.frozen}) -> (tensor<48x64xf32>, tensor<4x64xf32>) {
  %e = loop.kernel @e ins(%p = %i : tensor<4xi64>, %t = %w : tensor<64x64xf32>) shared [4, 64] schedule #rows -> tensor<4x64xf32> {
    %1 = loop.pointwise (%j, %k) in [4, 64] : tensor<4x64xf32> {
      %a = loop.load %p[%j] : tensor<4xi64>
      %n = arith.index_cast %a : i64 to index
      %v = loop.load %t[%n, %k] : tensor<64x64xf32>
      loop.yield %v : f32
    }
    loop.return %1 : tensor<4x64xf32>
  }
  %0 = loop.kernel @k ins(%a = %x : tensor<48x64xf32>, %b = %w : tensor<64x64xf32>) shared [48, 64] schedule #panels -> tensor<48x64xf32> {
    %1 = loop.contract parallel [48, 64] reduction [64] lhs %a[d0, d2] : tensor<48x64xf32> rhs %b[d1, d2] : tensor<64x64xf32> acc f32 : tensor<48x64xf32>
    loop.return %1 : tensor<48x64xf32>
  }
  return %0, %e : tensor<48x64xf32>, tensor<4x64xf32>
}
