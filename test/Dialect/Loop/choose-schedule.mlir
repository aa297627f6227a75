// RUN: kiln-opt %s --loop-choose-schedule --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule --split-input-file | FileCheck %s --check-prefix=GPU

// The lanes of a reduction follow from the reduction alone: they are the same in
// a kernel that also computes with wider elements, so that what is computed again
// elsewhere adds up in the same order.

// CHECK-LABEL: func.func @alone
// CHECK: schedule #loop.within<along = [16], beside = [1], sum_block = 128, masked = false, grain = 256>
func.func @alone(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x64xf32>) shared [4]
      -> tensor<4xf32> {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum>
        : tensor<4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @beside_integers
// CHECK: schedule #loop.within<along = [16, 16], beside = [1, 1], sum_block = 128, masked = false, grain = 256>
func.func @beside_integers(%x: tensor<4x64xf32>, %y: tensor<4x64xi64>)
    -> (tensor<4xf32>, tensor<4xi1>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<4x64xf32>,
                            %b = %y : tensor<4x64xi64>) shared [4]
      -> (tensor<4xf32>, tensor<4xi1>) {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum>
        : tensor<4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      loop.yield %v : f32
    }
    %t = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <all>
        : tensor<4xi1> {
      %zero = arith.constant 0 : i64
      %v = loop.load %b[%i, %j] : tensor<4x64xi64>
      %w = arith.cmpi sge, %v, %zero : i64
      loop.yield %w : i1
    }
    loop.return %s, %t : tensor<4xf32>, tensor<4xi1>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi1>
}

// In a kernel of rows, a reduction that reads across them has them side by side.

// CHECK-LABEL: func.func @across
// CHECK: schedule #loop.within<along = [16, 1], beside = [1, 8], sum_block = 128, masked = false, grain = 64>
func.func @across(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>)
    -> (tensor<4xf32>, tensor<64xf32>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<4x64xf32>,
                            %b = %y : tensor<4x64xf32>) shared []
      -> (tensor<4xf32>, tensor<64xf32>) {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum>
        : tensor<4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      %u = loop.load %b[%i, %j] : tensor<4x64xf32>
      %w = arith.mulf %v, %u : f32
      loop.yield %w : f32
    }
    %t = loop.reduce parallel (%j) in [64] reduction (%i) in [4] <sum>
        : tensor<64xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      loop.yield %v : f32
    }
    loop.return %s, %t : tensor<4xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<64xf32>
}

// -----

// The target of the module decides: tiles where lanes can be masked.

module attributes {loop.target = #loop.target<
    vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576,
    l3 = 33554432, grain_points = 16384, grain_ns = 20000>} {
  // CHECK-LABEL: func.func @transposed
  // CHECK: schedule #loop.transpose<dim = 0, lanes = 16, block = 64, grain = 4>
  func.func @transposed(%x: tensor<100x64xf32>) -> tensor<64x100xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<100x64xf32>) shared [64, 100]
        -> tensor<64x100xf32> {
      %p = loop.pointwise (%i, %j) in [64, 100] : tensor<64x100xf32> {
        %v = loop.load %a[%j, %i] : tensor<100x64xf32>
        loop.yield %v : f32
      }
      loop.return %p : tensor<64x100xf32>
    }
    return %r : tensor<64x100xf32>
  }

  // CHECK-LABEL: func.func @product
  // CHECK: schedule #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 64, block_rows = 126, block_depth = 1008, item_rows = 504, item_columns = 256, unroll = 4, masked = true, grain = 1, in_place = true>
  func.func @product(%x: tensor<1000x1000xf32>, %y: tensor<1000x1000xf32>)
      -> tensor<1000x1000xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<1000x1000xf32>,
                            %b = %y : tensor<1000x1000xf32>) shared []
        -> tensor<1000x1000xf32> {
      %p = loop.contract parallel [1000, 1000] reduction [1000]
          lhs %a[d0, d2] : tensor<1000x1000xf32>
          rhs %b[d2, d1] : tensor<1000x1000xf32> acc f32
          : tensor<1000x1000xf32>
      loop.return %p : tensor<1000x1000xf32>
    }
    return %r : tensor<1000x1000xf32>
  }

  // A small one is a reduction of products, a thin one streams its matrix.
  // CHECK-LABEL: func.func @small
  // CHECK: schedule #loop.across<lanes = 16, chunk = 16, sum_block = 128, masked = true, grain = 8, points = 8>
  func.func @small(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>)
      -> tensor<16x16xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<16x16xf32>,
                            %b = %y : tensor<16x16xf32>) shared []
        -> tensor<16x16xf32> {
      %p = loop.contract parallel [16, 16] reduction [16]
          lhs %a[d0, d2] : tensor<16x16xf32>
          rhs %b[d2, d1] : tensor<16x16xf32> acc f32 : tensor<16x16xf32>
      loop.return %p : tensor<16x16xf32>
    }
    return %r : tensor<16x16xf32>
  }

  // CHECK-LABEL: func.func @thin
  // CHECK: schedule #loop.skinny_rows<lanes = 16, item_columns = 512, unroll = 8, masked = true, grain = 1>
  // CHECK: schedule #loop.skinny_columns<lanes = 16, item_columns = 96, columns = 2, masked = true, grain = 1>
  func.func @thin(%x: tensor<4x1000xf32>, %y: tensor<1000x1000xf32>)
      -> (tensor<4x1000xf32>, tensor<4x1000xf32>) {
    %r = loop.kernel @k ins(%a = %x : tensor<4x1000xf32>,
                            %b = %y : tensor<1000x1000xf32>) shared []
        -> tensor<4x1000xf32> {
      %p = loop.contract parallel [4, 1000] reduction [1000]
          lhs %a[d0, d2] : tensor<4x1000xf32>
          rhs %b[d2, d1] : tensor<1000x1000xf32> acc f32 : tensor<4x1000xf32>
      loop.return %p : tensor<4x1000xf32>
    }
    %s = loop.kernel @l ins(%a = %x : tensor<4x1000xf32>,
                            %b = %y : tensor<1000x1000xf32>) shared []
        -> tensor<4x1000xf32> {
      %p = loop.contract parallel [4, 1000] reduction [1000]
          lhs %a[d0, d2] : tensor<4x1000xf32>
          rhs %b[d1, d2] : tensor<1000x1000xf32> acc f32 : tensor<4x1000xf32>
      loop.return %p : tensor<4x1000xf32>
    }
    return %r, %s : tensor<4x1000xf32>, tensor<4x1000xf32>
  }

  // Rows that go to rows are written in vectors, and columns of them by several
  // threads, each of which walks all rows.
  // CHECK-LABEL: func.func @scatter_rows
  // CHECK: schedule #loop.scatter<lanes = 16, masked = true, grain = 2, columns = 64>
  func.func @scatter_rows(%x: tensor<100x256xf32>, %y: tensor<100xi64>, %z: tensor<100x256xf32>) -> tensor<100x256xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<100x256xf32>, %b = %y : tensor<100xi64>, %c = %z : tensor<100x256xf32>)
        shared [] -> tensor<100x256xf32> {
      %p = loop.scatter (%n, %d) in [100, 256] into %a <add> : tensor<100x256xf32> {
        %i = loop.load %b[%n] : tensor<100xi64>
        %at = arith.index_cast %i : i64 to index
        %e = loop.load %c[%n, %d] : tensor<100x256xf32>
        loop.yield_at %e at [%at, %d] : f32
      }
      loop.return %p : tensor<100x256xf32>
    }
    return %r : tensor<100x256xf32>
  }

  // Elements whose columns are found out are in rows of their own.
  // CHECK-LABEL: func.func @scatter_elements
  // CHECK: schedule #loop.scatter<lanes = 16, masked = true, grain = 64>
  func.func @scatter_elements(%x: tensor<100x256xf32>, %y: tensor<100x256xi64>, %z: tensor<100x256xf32>) -> tensor<100x256xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<100x256xf32>, %b = %y : tensor<100x256xi64>, %c = %z : tensor<100x256xf32>)
        shared [] -> tensor<100x256xf32> {
      %p = loop.scatter (%n, %d) in [100, 256] into %a <add> : tensor<100x256xf32> {
        %i = loop.load %b[%n, %d] : tensor<100x256xi64>
        %at = arith.index_cast %i : i64 to index
        %e = loop.load %c[%n, %d] : tensor<100x256xf32>
        loop.yield_at %e at [%n, %at] : f32
      }
      loop.return %p : tensor<100x256xf32>
    }
    return %r : tensor<100x256xf32>
  }

  // The elements of a scatter are copied in vectors.
  // CHECK-LABEL: func.func @scatter
  // CHECK: schedule #loop.scatter<lanes = 16, masked = true, grain = 2730>
  func.func @scatter(%x: tensor<100xf32>, %y: tensor<6xi64>) -> tensor<100xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<100xf32>, %b = %y : tensor<6xi64>)
        shared [] -> tensor<100xf32> {
      %p = loop.scatter (%n) in [6] into %a <set> : tensor<100xf32> {
        %i = loop.load %b[%n] : tensor<6xi64>
        %at = arith.index_cast %i : i64 to index
        %one = arith.constant 1.0 : f32
        loop.yield_at %one at [%at] : f32
      }
      loop.return %p : tensor<100xf32>
    }
    return %r : tensor<100xf32>
  }
}

// -----

// Rows of an image whose border is repeated are neighbours elsewhere.

// CHECK-LABEL: func.func @repeated_border
// CHECK: schedule #loop.across<
// GPU-LABEL: func.func @repeated_border
func.func @repeated_border(%x: tensor<32x56x56xf32>) -> tensor<32x56x56xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<32x56x56xf32>) shared [32, 56, 56] -> tensor<32x56x56xf32> {
    %s = loop.reduce parallel (%c, %h, %w) in [32, 56, 56] reduction (%i, %j) in [3, 3] <sum> : tensor<32x56x56xf32> {
      %e = loop.load %a[%c, min(55, max(0, %h + %i - 1)), min(55, max(0, %w + %j - 1))] : tensor<32x56x56xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<32x56x56xf32>
  }
  return %r : tensor<32x56x56xf32>
}

// -----

// Channels that read at the same places are walked together.

// CHECK-LABEL: func.func @same_places
// CHECK: schedule #loop.across<lanes = 8, chunk = 4096, sum_block = 0, masked = false, grain = 1, points = 4>
func.func @same_places(%x: tensor<32x500xf32>, %w: tensor<4096xf32>) -> tensor<32x4096xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<32x500xf32>, %b = %w : tensor<4096xf32>)
      shared [32, 4096] -> tensor<32x4096xf32> {
    %p = loop.pointwise (%i, %j) in [32, 4096] : tensor<32x4096xf32> {
      %v = loop.load %b[%j] : tensor<4096xf32>
      %s = math.sin %v : f32
      %n = arith.fptosi %s : f32 to i32
      %at = arith.index_cast %n : i32 to index
      %e = loop.load %a[%i, %at] : tensor<32x500xf32>
      %m = arith.mulf %e, %s : f32
      loop.yield %m : f32
    }
    loop.return %p : tensor<32x4096xf32>
  }
  return %r : tensor<32x4096xf32>
}

// -----

// Rows of a table that others choose are summed up with their columns beside each other, in
// which the rows lie; what is chosen along the lanes is gathered either way.

// CHECK-LABEL: func.func @chosen_rows
// CHECK: schedule #loop.across<
func.func @chosen_rows(%w: tensor<500x128xf32>, %i: tensor<64x20xi64>) -> tensor<64x128xf32> {
  %r = loop.kernel @k ins(%a = %w : tensor<500x128xf32>, %b = %i : tensor<64x20xi64>)
      shared [64, 128] -> tensor<64x128xf32> {
    %s = loop.reduce parallel (%n, %d) in [64, 128] reduction (%k) in [20] <sum> : tensor<64x128xf32> {
      %t = loop.load %b[%n, %k] : tensor<64x20xi64>
      %at = arith.index_cast %t : i64 to index
      %v = loop.load %a[%at, %d] : tensor<500x128xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @chosen_columns
// CHECK: schedule #loop.within<
func.func @chosen_columns(%w: tensor<128x500xf32>, %i: tensor<64x20xi64>) -> tensor<64x128xf32> {
  %r = loop.kernel @k ins(%a = %w : tensor<128x500xf32>, %b = %i : tensor<64x20xi64>)
      shared [64, 128] -> tensor<64x128xf32> {
    %s = loop.reduce parallel (%n, %d) in [64, 128] reduction (%k) in [20] <sum> : tensor<64x128xf32> {
      %t = loop.load %b[%n, %k] : tensor<64x20xi64>
      %at = arith.index_cast %t : i64 to index
      %v = loop.load %a[%d, %at] : tensor<128x500xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}

// -----

// A schedule that is there stays.
// CHECK-LABEL: func.func @kept
// CHECK: schedule #loop.across<lanes = 2, chunk = 7, sum_block = 0, masked = false, grain = 3>
func.func @kept(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<64xf32>) shared [64]
      schedule #loop.across<lanes = 2, chunk = 7, sum_block = 0, masked = false,
                            grain = 3> -> tensor<64xf32> {
    %p = loop.pointwise (%i) in [64] : tensor<64xf32> {
      %v = loop.load %a[%i] : tensor<64xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

// A long sum that walks neighbours of both: the operand with less has the columns.
// CHECK-LABEL: func.func @few_columns
// CHECK: schedule #loop.packed<{{.*}} item_rows = 36, item_columns = 16,
func.func @few_columns(%x: tensor<16x36864xf32>, %y: tensor<144x36864xf32>) -> tensor<16x144xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<16x36864xf32>, %b = %y : tensor<144x36864xf32>) shared [] -> tensor<16x144xf32> {
    %p = loop.contract parallel [16, 144] reduction [36864]
        lhs %a[d0, d2] : tensor<16x36864xf32> rhs %b[d1, d2] : tensor<144x36864xf32>
        acc f32 : tensor<16x144xf32>
    loop.return %p : tensor<16x144xf32>
  }
  return %r : tensor<16x144xf32>
}

// -----

// Images of 49 elements fill their panels badly: all images together are the rows,
// 98 of them. Those of 196 do so too if the sum is long, not if it is short.
// CHECK-LABEL: func.func @images
// CHECK: schedule #loop.packed<{{.*}}item_rows = 102, item_columns = 64,
// CHECK: schedule #loop.packed<{{.*}}item_rows = 102, item_columns = 128,
// CHECK: schedule #loop.packed<{{.*}}item_rows = 66, item_columns = 32,
func.func @images(%x: tensor<2x512x7x7xf32>, %w: tensor<256x512xf32>,
                  %y: tensor<1x2304x14x14xf32>, %v: tensor<256x2304xf32>,
                  %z: tensor<1x64x14x14xf32>, %u: tensor<64x64xf32>)
    -> (tensor<2x256x7x7xf32>, tensor<1x256x14x14xf32>, tensor<1x64x14x14xf32>) {
  %r = loop.kernel @k ins(%a = %x : tensor<2x512x7x7xf32>, %b = %w : tensor<256x512xf32>) shared [] -> tensor<2x256x7x7xf32> {
    %p = loop.contract parallel [2, 256, 7, 7] reduction [512]
        lhs %a[d0, d4, d2, d3] : tensor<2x512x7x7xf32> rhs %b[d1, d4] : tensor<256x512xf32>
        acc f32 : tensor<2x256x7x7xf32>
    loop.return %p : tensor<2x256x7x7xf32>
  }
  %s = loop.kernel @l ins(%a = %y : tensor<1x2304x14x14xf32>, %b = %v : tensor<256x2304xf32>) shared [] -> tensor<1x256x14x14xf32> {
    %p = loop.contract parallel [1, 256, 14, 14] reduction [2304]
        lhs %a[d0, d4, d2, d3] : tensor<1x2304x14x14xf32> rhs %b[d1, d4] : tensor<256x2304xf32>
        acc f32 : tensor<1x256x14x14xf32>
    loop.return %p : tensor<1x256x14x14xf32>
  }
  %t = loop.kernel @m ins(%a = %z : tensor<1x64x14x14xf32>, %b = %u : tensor<64x64xf32>) shared [] -> tensor<1x64x14x14xf32> {
    %p = loop.contract parallel [1, 64, 14, 14] reduction [64]
        lhs %a[d0, d4, d2, d3] : tensor<1x64x14x14xf32> rhs %b[d1, d4] : tensor<64x64xf32>
        acc f32 : tensor<1x64x14x14xf32>
    loop.return %p : tensor<1x64x14x14xf32>
  }
  return %r, %s, %t : tensor<2x256x7x7xf32>, tensor<1x256x14x14xf32>, tensor<1x64x14x14xf32>
}

// -----

// Windows of neighbours in a row are walked together, as many as there are registers for; windows that
// are all of an image are not, nor are sums of unknown length.
// CHECK-LABEL: func.func @windows
// CHECK: schedule #loop.across<lanes = 8, chunk = 24, sum_block = 128, masked = false, grain = 56, points = 4>
// CHECK: schedule #loop.across<lanes = {{[0-9]+}}, chunk = {{[0-9]+}}, sum_block = 0, masked = false, grain = {{[0-9]+}}>
// CHECK: schedule #loop.across<lanes = {{[0-9]+}}, chunk = {{[0-9]+}}, sum_block = 0, masked = false, grain = {{[0-9]+}}>
func.func @windows(%x: tensor<2x14x14x24xf32>, %w: tensor<3x3x24xf32>,
                   %z: tensor<2x?x14x24xf32, #guard.shape<[2, s0, 14, 24]>>)
    -> (tensor<2x12x14x24xf32>, tensor<2x1x1x24xf32>, tensor<2x14x24xf32>) {
  %r = loop.kernel @k ins(%a = %x : tensor<2x14x14x24xf32>, %b = %w : tensor<3x3x24xf32>) shared [2, 12, 14, 24] -> tensor<2x12x14x24xf32> {
    %p = loop.contract parallel [2, 12, 14, 24] reduction [3, 3]
        lhs %a[d0, d1 + d4, d2 + d5 - 1, d3] : tensor<2x14x14x24xf32>
            mask and(le(1, d2 + d5), lt(d2 + d5 - 1, 14))
        rhs %b[d4, d5, d3] : tensor<3x3x24xf32> mask 1
        acc f32 : tensor<2x12x14x24xf32>
    loop.return %p : tensor<2x12x14x24xf32>
  }
  %s = loop.kernel @l ins(%a = %x : tensor<2x14x14x24xf32>) shared [2, 1, 1, 24] -> tensor<2x1x1x24xf32> {
    %p = loop.reduce parallel (%i, %j, %k, %l) in [2, 1, 1, 24] reduction (%m, %n) in [14, 14] <max> : tensor<2x1x1x24xf32> {
      %v = loop.load %a[%i, %j * 14 + %m, %k * 14 + %n, %l] : tensor<2x14x14x24xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<2x1x1x24xf32>
  }
  %t = loop.kernel @m ins(%a = %z : tensor<2x?x14x24xf32, #guard.shape<[2, s0, 14, 24]>>) shared [2, 14, 24] -> tensor<2x14x24xf32> {
    %p = loop.reduce parallel (%i, %k, %l) in [2, 14, 24] reduction (%m) in [s0] <max> : tensor<2x14x24xf32> {
      %v = loop.load %a[%i, %m, %k, %l] : tensor<2x?x14x24xf32, #guard.shape<[2, s0, 14, 24]>>
      loop.yield %v : f32
    }
    loop.return %p : tensor<2x14x24xf32>
  }
  return %r, %s, %t : tensor<2x12x14x24xf32>, tensor<2x1x1x24xf32>, tensor<2x14x24xf32>
}

// -----

// Lanes run along the last dimension that has more than one element, wherever it is.
// CHECK-LABEL: func.func @units
// CHECK: schedule #loop.across<lanes = 8, chunk = 32,
func.func @units(%x: tensor<64xf32>) -> tensor<1x64x1x1xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<64xf32>) shared [1, 64, 1, 1] -> tensor<1x64x1x1xf32> {
    %p = loop.pointwise (%i, %j, %k, %l) in [1, 64, 1, 1] : tensor<1x64x1x1xf32> {
      %v = loop.load %a[%j] : tensor<64xf32>
      %w = math.sqrt %v : f32
      loop.yield %w : f32
    }
    loop.return %p : tensor<1x64x1x1xf32>
  }
  return %r : tensor<1x64x1x1xf32>
}

// -----

// An argument lies in memory as its caller has it: sums of channels that are neighbours are
// made side by side, those of another order along their rows.

// CHECK-LABEL: func.func @channels_last
// CHECK: schedule #loop.across
// GPU-LABEL: func.func @channels_last
// GPU: schedule #loop.gpu_parts<{{.*}}, columns = {{[1-9].*}}>
func.func @channels_last(%x: tensor<8x64x32x32xf32> {loop.strides = #guard.shape<[65536, 1, 2048, 64]>})
    -> tensor<64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x64x32x32xf32>) shared [64]
      -> tensor<64xf32> {
    %s = loop.reduce parallel (%i) in [64] reduction (%n, %h, %w) in [8, 32, 32] <sum>
        : tensor<64xf32> {
      %v = loop.load %a[%n, %i, %h, %w] : tensor<8x64x32x32xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// CHECK-LABEL: func.func @channels_first
// CHECK: schedule #loop.within
// GPU-LABEL: func.func @channels_first
// GPU: schedule #loop.gpu_parts<{{.*}}, columns = 0>
func.func @channels_first(%x: tensor<8x64x32x32xf32>) -> tensor<64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x64x32x32xf32>) shared [64]
      -> tensor<64xf32> {
    %s = loop.reduce parallel (%i) in [64] reduction (%n, %h, %w) in [8, 32, 32] <sum>
        : tensor<64xf32> {
      %v = loop.load %a[%n, %i, %h, %w] : tensor<8x64x32x32xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

// A processor stores 1,032 columns, which fill their panels badly, across their order; where
// blocks have tiles of a matrix neighbours in the result stay columns, and are stored together.
// CHECK-LABEL: func.func @uneven
// CHECK: schedule #loop.packed<
// GPU-LABEL: func.func @uneven
// GPU: schedule #loop.gpu_product<{{.*}} lanes = 8,
func.func @uneven(%x: tensor<4096x4104xf32>, %w: tensor<1032x4104xf32>) -> tensor<4096x1032xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4096x4104xf32>, %b = %w : tensor<1032x4104xf32>) shared [] -> tensor<4096x1032xf32> {
    %c = loop.contract parallel [4096, 1032] reduction [4104]
        lhs %a[d0, d2] : tensor<4096x4104xf32> rhs %b[d1, d2] : tensor<1032x4104xf32>
        acc f32 : tensor<4096x1032xf32>
    loop.return %c : tensor<4096x1032xf32>
  }
  return %r : tensor<4096x1032xf32>
}

// -----

// Three taps in a row, as the gradient of a window's weights has them, would leave most of a
// vector empty: lanes go along the sum, also over an image in steps of two.

// CHECK-LABEL: func.func @taps
// CHECK-COUNT-2: schedule #loop.within<along = [16], beside = [1],
func.func @taps(%g: tensor<4x8x64x64xf32>, %x: tensor<4x8x66x66xf32>, %y: tensor<4x8x130x130xf32>)
    -> (tensor<8x3x3xf32>, tensor<8x3x3xf32>) {
  %r = loop.kernel @k ins(%a = %g : tensor<4x8x64x64xf32>, %b = %x : tensor<4x8x66x66xf32>) shared [8, 3, 3] -> tensor<8x3x3xf32> {
    %c = loop.contract parallel [8, 3, 3] reduction [4, 64, 64]
        lhs %a[d3, d0, d4, d5] : tensor<4x8x64x64xf32>
        rhs %b[d3, d0, d4 + d1, d5 + d2] : tensor<4x8x66x66xf32>
        acc f32 : tensor<8x3x3xf32>
    loop.return %c : tensor<8x3x3xf32>
  }
  %s = loop.kernel @l ins(%a = %g : tensor<4x8x64x64xf32>, %b = %y : tensor<4x8x130x130xf32>) shared [8, 3, 3] -> tensor<8x3x3xf32> {
    %c = loop.contract parallel [8, 3, 3] reduction [4, 64, 64]
        lhs %a[d3, d0, d4, d5] : tensor<4x8x64x64xf32>
        rhs %b[d3, d0, d4 * 2 + d1, d5 * 2 + d2] : tensor<4x8x130x130xf32>
        acc f32 : tensor<8x3x3xf32>
    loop.return %c : tensor<8x3x3xf32>
  }
  return %r, %s : tensor<8x3x3xf32>, tensor<8x3x3xf32>
}

// -----

// Threads have items of one size: 384 columns are two of 192, not 256 and 128.

module attributes {loop.target = #loop.target<
    vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576,
    l3 = 33554432, grain_points = 16384, grain_ns = 20000>} {
  // CHECK-LABEL: func.func @level
  // CHECK: schedule #loop.packed<{{.*}} item_columns = 192,
  func.func @level(%x: tensor<257x384xf32>, %w: tensor<384x384xf32>) -> tensor<257x384xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<257x384xf32>, %b = %w : tensor<384x384xf32>) shared [] -> tensor<257x384xf32> {
      %c = loop.contract parallel [257, 384] reduction [384]
          lhs %a[d0, d2] : tensor<257x384xf32> rhs %b[d1, d2] : tensor<384x384xf32>
          acc f32 : tensor<257x384xf32>
      loop.return %c : tensor<257x384xf32>
    }
    return %r : tensor<257x384xf32>
  }
}

// -----

// A scan with a combiner of its own has no lanes along its rows. If its steps are long, rows
// side by side are lanes, if there are enough; short ones wait less than elements are gathered.

// CHECK-LABEL: func.func @long_steps
// CHECK: loop.kernel @k
// CHECK-SAME: schedule #loop.across<lanes = 4,
// CHECK: loop.kernel @few
// CHECK-SAME: schedule #loop.within<along = [1]
// CHECK: loop.kernel @short
// CHECK-SAME: schedule #loop.within<along = [1]
func.func @long_steps(%x: tensor<32x64xf64>, %y: tensor<3x64xf64>)
    -> (tensor<32x64xf64>, tensor<3x64xf64>, tensor<32x64xf64>) {
  %r = loop.kernel @k ins(%a = %x : tensor<32x64xf64>) shared [32] -> tensor<32x64xf64> {
    %zero = arith.constant 0.0 : f64
    %s = loop.scan parallel (%i) in [32] along (%j) in [64] at 1 <generic> init(%zero : f64)
        : tensor<32x64xf64> {
      %v = loop.load %a[%i, %j] : tensor<32x64xf64>
      loop.yield %v : f64
    } combine (%p: f64, %q: f64) {
      %e = math.expm1 %p : f64
      %c = arith.addf %e, %q : f64
      loop.yield %c : f64
    }
    loop.return %s : tensor<32x64xf64>
  }
  %t = loop.kernel @few ins(%a = %y : tensor<3x64xf64>) shared [3] -> tensor<3x64xf64> {
    %zero = arith.constant 0.0 : f64
    %s = loop.scan parallel (%i) in [3] along (%j) in [64] at 1 <generic> init(%zero : f64)
        : tensor<3x64xf64> {
      %v = loop.load %a[%i, %j] : tensor<3x64xf64>
      loop.yield %v : f64
    } combine (%p: f64, %q: f64) {
      %e = math.expm1 %p : f64
      %c = arith.addf %e, %q : f64
      loop.yield %c : f64
    }
    loop.return %s : tensor<3x64xf64>
  }
  %u = loop.kernel @short ins(%a = %x : tensor<32x64xf64>) shared [32] -> tensor<32x64xf64> {
    %zero = arith.constant 0.0 : f64
    %s = loop.scan parallel (%i) in [32] along (%j) in [64] at 1 <generic> init(%zero : f64)
        : tensor<32x64xf64> {
      %v = loop.load %a[%i, %j] : tensor<32x64xf64>
      loop.yield %v : f64
    } combine (%p: f64, %q: f64) {
      %c = arith.addf %p, %q : f64
      loop.yield %c : f64
    }
    loop.return %s : tensor<32x64xf64>
  }
  return %r, %t, %u : tensor<32x64xf64>, tensor<3x64xf64>, tensor<32x64xf64>
}
