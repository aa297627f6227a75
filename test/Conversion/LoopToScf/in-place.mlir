// RUN: kiln-opt %s --convert-loop-to-scf | FileCheck %s
// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s --check-prefix=INNER

// An image with its channels last is read where it lies: the addresses of the rows, one for
// each place in the window, are written down; what padding leaves out is at zeros.

// CHECK-LABEL: func.func @k
// CHECK: %[[IMAGE:.*]] = llvm.ptrtoint
// CHECK: %[[ZEROS:.*]] = llvm.ptrtoint
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xi64>

// The kernel in the middle takes the addresses of its six rows and broadcasts from there;
// there is a vector of the weight's panel for each 16 columns.
// INNER: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>
// INNER-COUNT-6: llvm.load {{.*}} -> !llvm.ptr
// A run that none of them has is not multiplied.
// INNER-COUNT-6: llvm.icmp "ne" %{{.*}}, %[[NOWHERE:.*]] : !llvm.ptr
// INNER: arith.select
// INNER: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>
// INNER-COUNT-2: llvm.load {{.*}} -> vector<16xf32>
// INNER: llvm.load {{.*}} -> f32
// INNER-NEXT: vector.broadcast {{.*}} : f32 to vector<16xf32>
// INNER-NEXT: math.fma
// INNER-NEXT: math.fma
func.func @main(%x: tensor<2x6x6x16xf32>, %w: tensor<32x3x3x16xf32>) -> tensor<2x6x6x32xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<2x6x6x16xf32>, %b = %w : tensor<32x3x3x16xf32>)
      shared [2, 6, 6, 32]
      schedule #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 32, block_rows = 36, block_depth = 144, item_rows = 72,
                            item_columns = 32, unroll = 4, masked = true, grain = 1, in_place = true>
      -> tensor<2x6x6x32xf32> {
    %s = loop.contract parallel [2, 6, 6, 32] reduction [3, 3, 16]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<2x6x6x16xf32>
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 6), le(1, d2 + d5), lt(d2 + d5 - 1, 6))
        rhs %b[d3, d4, d5, d6] : tensor<32x3x3x16xf32> mask 1
        acc f32 : tensor<2x6x6x32xf32>
    loop.return %s : tensor<2x6x6x32xf32>
  }
  return %r : tensor<2x6x6x32xf32>
}

// Of two panels of columns the next one is fetched while one is multiplied, by a line or a
// few before each iteration: one, for nine tiles of a block of rows do so, each with 36
// iterations, and a panel has 288 lines. The only panel above stays where it is.
// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s --check-prefix=FETCH
// FETCH-LABEL: func.func @k
// FETCH-NOT: llvm.intr.prefetch
// FETCH-LABEL: func.func @panels
// FETCH: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>
// FETCH: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>
// FETCH-COUNT-1: llvm.intr.prefetch
// FETCH-NOT: llvm.intr.prefetch
// FETCH: math.fma
func.func @two(%x: tensor<1x6x6x16xf32>, %w: tensor<64x3x3x16xf32>) -> tensor<1x6x6x64xf32> {
  %r = loop.kernel @panels ins(%a = %x : tensor<1x6x6x16xf32>, %b = %w : tensor<64x3x3x16xf32>)
      shared [1, 6, 6, 64]
      schedule #loop.packed<lanes = 16, tile_rows = 2, tile_columns = 32, block_rows = 18, block_depth = 144, item_rows = 36,
                            item_columns = 64, unroll = 4, masked = true, grain = 1, in_place = true>
      -> tensor<1x6x6x64xf32> {
    %s = loop.contract parallel [1, 6, 6, 64] reduction [3, 3, 16]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<1x6x6x16xf32>
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 6), le(1, d2 + d5), lt(d2 + d5 - 1, 6))
        rhs %b[d3, d4, d5, d6] : tensor<64x3x3x16xf32> mask 1
        acc f32 : tensor<1x6x6x64xf32>
    loop.return %s : tensor<1x6x6x64xf32>
  }
  return %r : tensor<1x6x6x64xf32>
}
