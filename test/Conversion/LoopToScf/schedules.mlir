// RUN: kiln-opt %s --convert-loop-to-scf | FileCheck %s

// Every number of a schedule is one of the code. The kernels differ in it alone.

// CHECK-LABEL: func.func @main
// CHECK: loop.launch @kernels::@narrow({{.*}}) symbols [] work 8 grain 2
// CHECK: loop.launch @kernels::@wide({{.*}}) symbols [] work 2 grain 1
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = loop.kernel @narrow ins(%a = %x : tensor<64xf32>) shared [64]
      schedule #loop.across<lanes = 4, chunk = 8, sum_block = 0, masked = false,
                            grain = 2> -> tensor<64xf32> {
    %p = loop.pointwise (%i) in [64] : tensor<64xf32> {
      %v = loop.load %a[%i] : tensor<64xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<64xf32>
  }
  %s = loop.kernel @wide ins(%a = %x : tensor<64xf32>) shared [64]
      schedule #loop.across<lanes = 16, chunk = 32, sum_block = 0,
                            masked = false, grain = 1> -> tensor<64xf32> {
    %p = loop.pointwise (%i) in [64] : tensor<64xf32> {
      %v = loop.load %a[%i] : tensor<64xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<64xf32>
  }
  return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// Tiles of the product: as many sums are carried through the loop over the depth,
// and as many rows and columns are an item. All of the depth is packed at once, or
// some of it.
// CHECK-LABEL: func.func @products
// CHECK: loop.launch @kernels::@two_by_eight({{.*}}) symbols [] work 16 grain 1 scratch 1600
// CHECK: loop.launch @kernels::@four_by_four({{.*}}) symbols [] work 4 grain 1 scratch 1024
func.func @products(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %r = loop.kernel @two_by_eight ins(%a = %x : tensor<16x32xf32>,
                                     %b = %y : tensor<32x16xf32>) shared []
      schedule #loop.packed<lanes = 4, tile_rows = 2, tile_columns = 8,
          block_rows = 4, block_depth = 32, item_rows = 2, item_columns = 8,
          unroll = 2, masked = false, grain = 1> -> tensor<16x16xf32> {
    %p = loop.contract parallel [16, 16] reduction [32]
        lhs %a[d0, d2] : tensor<16x32xf32> rhs %b[d2, d1] : tensor<32x16xf32>
        acc f32 : tensor<16x16xf32>
    loop.return %p : tensor<16x16xf32>
  }
  %s = loop.kernel @four_by_four ins(%a = %x : tensor<16x32xf32>,
                                     %b = %y : tensor<32x16xf32>) shared []
      schedule #loop.packed<lanes = 4, tile_rows = 4, tile_columns = 4,
          block_rows = 4, block_depth = 16, item_rows = 8, item_columns = 8,
          unroll = 4, masked = false, grain = 1> -> tensor<16x16xf32> {
    %p = loop.contract parallel [16, 16] reduction [32]
        lhs %a[d0, d2] : tensor<16x32xf32> rhs %b[d2, d1] : tensor<32x16xf32>
        acc f32 : tensor<16x16xf32>
    loop.return %p : tensor<16x16xf32>
  }
  return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: func.func @narrow
// CHECK: arith.negf %{{.*}} : vector<4xf32>
// CHECK-LABEL: func.func @wide
// CHECK: arith.negf %{{.*}} : vector<16xf32>
// A tile of the second one fetches lines of the next panel of columns before each iteration
// over k; the first has one panel, which is packed again.
// CHECK-LABEL: func.func @two_by_eight
// CHECK-NOT: llvm.intr.prefetch
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-8: {{math|vector}}.fma
// CHECK-NOT: {{math|vector}}.fma
// CHECK: scf.yield
// CHECK-LABEL: func.func @four_by_four
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-1: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK-COUNT-16: {{math|vector}}.fma
// CHECK-NOT: {{math|vector}}.fma
// CHECK: scf.yield

// An operand that is read through index expressions has a bit for each lane, and as many
// lanes as a word has bits at most.
// CHECK-LABEL: func.func @sixty_four
// CHECK: llvm.bitcast %{{.*}} : vector<64xi1> to i64
func.func @most_lanes(%x: tensor<2x64x12x16xf32>, %w: tensor<64x64xf32>) -> tensor<2x64x12x16xf32> {
  %r = loop.kernel @sixty_four ins(%a = %x : tensor<2x64x12x16xf32>, %b = %w : tensor<64x64xf32>) shared []
      schedule #loop.packed<lanes = 64, tile_rows = 1, tile_columns = 128, block_rows = 66, block_depth = 64, item_rows = 66,
                            item_columns = 128, unroll = 4, masked = true, grain = 1> -> tensor<2x64x12x16xf32> {
    %p = loop.contract parallel [2, 64, 12, 16] reduction [8, 8]
        lhs %a[d0, d4 * 8 + d5, d3 * 0 + d2, d3] : tensor<2x64x12x16xf32> rhs %b[d1, d4 + d5 * 8] : tensor<64x64xf32>
        acc f32 : tensor<2x64x12x16xf32>
    loop.return %p : tensor<2x64x12x16xf32>
  }
  return %r : tensor<2x64x12x16xf32>
}
