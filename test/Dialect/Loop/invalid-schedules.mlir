// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// Numbers out of their range.

// expected-error @below {{lanes of a schedule is a power of two in 1..128, but found 3}}
func.func private @s() attributes {s = #loop.across<lanes = 3, chunk = 8, sum_block = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{lanes of a schedule is a power of two in 1..128, but found 256}}
func.func private @s() attributes {s = #loop.across<lanes = 256, chunk = 8, sum_block = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{lanes of a schedule is a power of two in 1..128, but found -4}}
func.func private @s() attributes {s = #loop.across<lanes = -4, chunk = 8, sum_block = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{chunk of a schedule is in 1..1000000000, but found 0}}
func.func private @s() attributes {s = #loop.across<lanes = 4, chunk = 0, sum_block = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{chunk of a schedule is in 1..1000000000, but found 9223372036854775807}}
func.func private @s() attributes {s = #loop.across<lanes = 4, chunk = 9223372036854775807, sum_block = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{sum_block of a schedule is in 0..1000000000, but found -1}}
func.func private @s() attributes {s = #loop.across<lanes = 4, chunk = 4, sum_block = -1, masked = true, grain = 1>}

// -----

// expected-error @below {{grain of a schedule is in 1..1000000000, but found 0}}
func.func private @s() attributes {s = #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = true, grain = 0>}

// -----

// expected-error @below {{points of a schedule is in 1..16, but found 0}}
func.func private @s() attributes {s = #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = true, grain = 1, points = 0>}

// -----

// expected-error @below {{points = 2 with results past the caches; expected one or the other}}
func.func private @s() attributes {s = #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = true, grain = 1, points = 2, stream = [0]>}

// -----

// expected-error @below {{along of a schedule is a power of two in 1..128, but found 0}}
func.func private @s() attributes {s = #loop.within<along = [1, 0], beside = [1, 1], sum_block = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{beside of a schedule is a power of two in 1..128, but found 4096}}
func.func private @s() attributes {s = #loop.within<along = [1], beside = [4096], sum_block = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{dim of a schedule is in 0..1048576, but found -1}}
func.func private @s() attributes {s = #loop.transpose<dim = -1, lanes = 4, block = 4, grain = 1>}

// -----

// expected-error @below {{lanes of a schedule is a power of two in 4..64, but found 2}}
func.func private @s() attributes {s = #loop.transpose<dim = 0, lanes = 2, block = 4, grain = 1>}

// -----

// expected-error @below {{block of a schedule is a multiple of lanes, 4, up to 4096, but found 6}}
func.func private @s() attributes {s = #loop.transpose<dim = 0, lanes = 4, block = 6, grain = 1>}

// -----

// expected-error @below {{block of a schedule is a multiple of lanes, 4, up to 4096, but found 8192}}
func.func private @s() attributes {s = #loop.transpose<dim = 0, lanes = 4, block = 8192, grain = 1>}

// -----

// expected-error @below {{lanes of a schedule is a power of two in 1..128, but found 0}}
func.func private @s() attributes {s = #loop.scatter<lanes = 0, masked = true, grain = 1>}

// -----

// expected-error @below {{columns of a schedule is a multiple of lanes, 16, up to 1000000000, but found 24}}
func.func private @s() attributes {s = #loop.scatter<lanes = 16, masked = true, grain = 1, columns = 24>}

// -----

// expected-error @below {{tile_rows of a schedule is in 1..64, but found 0}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 0, tile_columns = 16, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 16, unroll = 4, masked = true, grain = 1>}

// -----

// expected-error @below {{tile_columns of a schedule is a multiple of lanes, 8, up to 80, but found 88}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 88, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 88, unroll = 4, masked = true, grain = 1>}

// -----

// expected-error @below {{tile_columns of a schedule is a multiple of lanes, 8, up to 80, but found 12}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 12, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 12, unroll = 4, masked = true, grain = 1>}

// -----

// expected-error @below {{unroll of a schedule divides lanes, 8, but found 3}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 16, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 16, unroll = 3, masked = true, grain = 1>}

// -----

// expected-error @below {{block_rows of a schedule is a multiple of tile_rows, 12, up to 1048576, but found 16}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 16, block_rows = 16, block_depth = 64, item_rows = 12, item_columns = 16, unroll = 4, masked = true, grain = 1>}

// -----

// expected-error @below {{item_columns of a schedule is a multiple of tile_columns, 16, up to 1048576, but found 0}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 16, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 0, unroll = 4, masked = true, grain = 1>}

// -----

// expected-error @below {{block_depth of a schedule is a multiple of lanes, 8, up to 1048576, but found 9223372036854775800}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 16, block_rows = 12, block_depth = 9223372036854775800, item_rows = 12, item_columns = 16, unroll = 4, masked = true, grain = 1>}

// -----

// expected-error @below {{a schedule with unit pairs has 16 lanes and is masked, but found 8}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 16, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 16, unroll = 4, masked = true, grain = 1, unit = pairs>}

// -----

// expected-error @below {{a schedule with unit tiles has 16 lanes and is masked, but found 16, not masked}}
func.func private @s() attributes {s = #loop.packed<lanes = 16, tile_rows = 16, tile_columns = 16, block_rows = 16, block_depth = 64, item_rows = 16, item_columns = 16, unroll = 4, masked = false, grain = 1, unit = tiles>}

// -----

// expected-error @below {{block_depth of a schedule is a multiple of 2 * lanes, 32, up to 1048576, but found 48}}
func.func private @s() attributes {s = #loop.packed<lanes = 16, tile_rows = 16, tile_columns = 16, block_rows = 16, block_depth = 48, item_rows = 16, item_columns = 16, unroll = 4, masked = true, grain = 1, unit = tiles>}

// -----

// expected-error @below {{a schedule with unit tiles has sums and factors for at most 8 registers of 16 by 16, but found tile_rows 48 and tile_columns 32}}
func.func private @s() attributes {s = #loop.packed<lanes = 16, tile_rows = 48, tile_columns = 32, block_rows = 48, block_depth = 64, item_rows = 48, item_columns = 32, unroll = 4, masked = true, grain = 1, unit = tiles>}

// -----

// expected-error @below {{block and item of a schedule need scratch memory for 1099528405248 elements, expected at most 134217728}}
func.func private @s() attributes {s = #loop.packed<lanes = 8, tile_rows = 16, tile_columns = 16, block_rows = 16, block_depth = 16, item_rows = 1048576, item_columns = 1048576, unroll = 4, masked = true, grain = 1>}

// -----

// expected-error @below {{item_columns of a schedule is a multiple of lanes, 8, up to 1048576, but found 4}}
func.func private @s() attributes {s = #loop.skinny_rows<lanes = 8, item_columns = 4, unroll = 8, masked = true, grain = 1>}

// -----

// expected-error @below {{unroll of a schedule is in 1..16, but found 17}}
func.func private @s() attributes {s = #loop.skinny_rows<lanes = 8, item_columns = 8, unroll = 17, masked = true, grain = 1>}

// -----

// expected-error @below {{columns of a schedule is in 1..16, but found 0}}
func.func private @s() attributes {s = #loop.skinny_columns<lanes = 8, item_columns = 8, columns = 0, masked = true, grain = 1>}

// -----

// Schedules of other kernels.

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'loop.kernel' op cannot be emitted as '#loop.within<along = [8, 8], beside = [1], sum_block = 0, masked = true, grain = 1>', which has 2 and 1 numbers of lanes, expected one for each of 1 nests}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.within<along = [8, 8], beside = [1], sum_block = 0, masked = true, grain = 1>
      -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{because 'loop.reduce', its nest 0, cannot have 8 lanes along its rows and 8 rows beside each other}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.within<along = [8], beside = [8], sum_block = 0, masked = true, grain = 1>
      -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{because 'loop.reduce', its nest 0, cannot have 1 lanes along its rows and 8 rows beside each other}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.within<along = [1], beside = [8], sum_block = 0, masked = true, grain = 1>
      -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{which is for kernels that share a dimension, neither sort nor scatter, and keep one value per point of the shared domain}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.across<lanes = 8, chunk = 8, sum_block = 0, masked = true, grain = 1>
      -> tensor<8xf32> {
    %e = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %v = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %v : f32
    }
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %v = loop.load %e[%i, %j] : tensor<8x8xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{which is for nests that are pointwise over the shared domain, with 'dim' before its last dimension}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.transpose<dim = 0, lanes = 4, block = 4, grain = 1>
      -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>, %y: tensor<8x8xi64>) -> tensor<8x8xf32> {
  // expected-error @below {{whose columns are for points that go to the column of their own index}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>, %b = %y : tensor<8x8xi64>)
      shared [] schedule #loop.scatter<lanes = 4, masked = true, grain = 1, columns = 4>
      -> tensor<8x8xf32> {
    %s = loop.scatter (%i, %j) in [8, 8] into %a <set> : tensor<8x8xf32> {
      %t = loop.load %b[%i, %j] : tensor<8x8xi64>
      %at = arith.index_cast %t : i64 to index
      %one = arith.constant 1.0 : f32
      loop.yield_at %one at [%i, %at] : f32
    }
    loop.return %s : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{which is for a scatter}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.scatter<lanes = 4, masked = true, grain = 1>
      -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{which is for a contraction}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.packed<lanes = 8, tile_rows = 12, tile_columns = 16, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 16, unroll = 4, masked = true, grain = 1>
      -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @k(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      // expected-error @below {{invalid kind of attribute specified}}
      schedule #loop.traffic<read = 1, written = 1, unfused = 1>
      -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [8] <sum>
        : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @integers(%x: tensor<8x8xi64>) -> tensor<8x8xi64> {
  // expected-error @below {{which accumulates in f32, f64 or i32, but its contraction does in 'i64'}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xi64>) shared []
      schedule #loop.skinny_rows<lanes = 8, item_columns = 8, unroll = 8,
                                 masked = true, grain = 1> -> tensor<8x8xi64> {
    %p = loop.contract parallel [8, 8] reduction [8]
        lhs %a[d0, d2] : tensor<8x8xi64> rhs %a[d2, d1] : tensor<8x8xi64>
        acc i64 : tensor<8x8xi64>
    loop.return %p : tensor<8x8xi64>
  }
  return %r : tensor<8x8xi64>
}

// -----

// expected-error @below {{rows of a schedule is in 1..1048576, but found 0}}
func.func private @s() attributes {s = #loop.blocks<rows = 0, nests = <along = [1], beside = [1], sum_block = 0, masked = true, grain = 1>, products = [], grain = 1>}

// -----

// expected-error @below {{products of a schedule are '#loop.packed', but found 3 : i64}}
func.func private @s() attributes {s = #loop.blocks<rows = 4, nests = <along = [1], beside = [1], sum_block = 0, masked = true, grain = 1>, products = [3], grain = 1>}

// -----

func.func @room(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{whose products have block_rows and item_rows of at least its rows, 4, but found 3 and 3}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.blocks<rows = 4, nests = <along = [1, 1], beside = [1, 1], sum_block = 0, masked = true, grain = 1>, products = [#loop.packed<lanes = 16, tile_rows = 3, tile_columns = 32, block_rows = 3, block_depth = 16, item_rows = 3, item_columns = 32, unroll = 4, masked = true, grain = 1>], grain = 1>
      -> tensor<8x8xf32> {
    %c = loop.contract parallel [8, 8] reduction [8] lhs %a[d0, d2] : tensor<8x8xf32>
        rhs %a[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %u = loop.load %c[%i, %j] : tensor<8x8xf32>
      loop.yield %u : f32
    }
    loop.return %p : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// A product that sums up the rows has room for any number of them.

func.func @over_rows(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.blocks<rows = 4, nests = <along = [1, 1], beside = [1, 1], sum_block = 0, masked = true, grain = 1>, products = [#loop.packed<lanes = 16, tile_rows = 3, tile_columns = 32, block_rows = 3, block_depth = 16, item_rows = 3, item_columns = 32, unroll = 4, masked = true, grain = 1>], grain = 1>
      -> tensor<8x8xf32> {
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %u = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %u : f32
    }
    %c = loop.contract parallel [8, 8] reduction [8] lhs %p[d2, d0] : tensor<8x8xf32>
        rhs %a[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    loop.return %c : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{which is for contractions among other nests, with a product for each contraction and lanes for each nest}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8, 8]
      schedule #loop.blocks<rows = 4, nests = <along = [1], beside = [1], sum_block = 0, masked = true, grain = 1>, products = [], grain = 1>
      -> tensor<8x8xf32> {
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %u = loop.load %a[%i, %j] : tensor<8x8xf32>
      loop.yield %u : f32
    }
    loop.return %p : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// Contractions among other nests have no other schedule.

func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{which is not for contractions among other nests}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x8xf32>) shared [8]
      schedule #loop.within<along = [1, 1], beside = [1, 1], sum_block = 0, masked = true, grain = 1>
      -> tensor<8x8xf32> {
    %c = loop.contract parallel [8, 8] reduction [8] lhs %a[d0, d2] : tensor<8x8xf32>
        rhs %a[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    %p = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %u = loop.load %c[%i, %j] : tensor<8x8xf32>
      loop.yield %u : f32
    }
    loop.return %p : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// expected-error @below {{a schedule with unit tiles does not read in place}}
func.func private @s() attributes {s = #loop.packed<lanes = 16, tile_rows = 32, tile_columns = 32, block_rows = 32, block_depth = 64, item_rows = 32, item_columns = 64, unroll = 4, masked = true, grain = 1, unit = tiles, in_place = true>}

// -----

// expected-error @below {{products of a schedule pack their rows}}
func.func private @s() attributes {s = #loop.blocks<rows = 4, nests = <along = [1], beside = [1], sum_block = 0, masked = true, grain = 1>, products = [#loop.packed<lanes = 16, tile_rows = 6, tile_columns = 64, block_rows = 12, block_depth = 64, item_rows = 12, item_columns = 64, unroll = 4, masked = true, grain = 1, in_place = true>], grain = 1>}

// -----

// expected-error @below {{stream of a schedule has numbers of results, each greater than the one before, but found 1 behind 1}}
func.func private @s() attributes {s = #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = true, grain = 1, stream = [1, 1]>}

// -----

// expected-error @below {{stream of a schedule has numbers of results, each greater than the one before, but found -1 behind -1}}
func.func private @s() attributes {s = #loop.within<along = [1], beside = [1], sum_block = 0, masked = true, grain = 1, stream = [-1]>}

// -----

func.func @no_such_result(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{which streams result 1 of 1}}
  %r = loop.kernel @k ins(%a = %x : tensor<64xf32>) shared [64]
      schedule #loop.across<lanes = 4, chunk = 8, sum_block = 0, masked = false,
                            grain = 2, stream = [0, 1]> -> tensor<64xf32> {
    %p = loop.pointwise (%i) in [64] : tensor<64xf32> {
      %v = loop.load %a[%i] : tensor<64xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

// expected-error @below {{block_depth of a schedule is a multiple of 4 * lanes}}
func.func private @s() attributes {s = #loop.packed<lanes = 16, tile_rows = 12, tile_columns = 32, block_rows = 12, block_depth = 32, item_rows = 12, item_columns = 32, unroll = 4, masked = true, grain = 1, unit = quads>}

// -----

// expected-error @below {{a target has bytes = fma, or quads with masked vectors of 512 bits, but found quads}}
module attributes {loop.target = #loop.target<vector_bits = 256, registers = 16, masks = false, l1 = 32768, l2 = 524288, l3 = 16777216, grain_points = 16384, grain_ns = 20000, bytes = quads>} {}
