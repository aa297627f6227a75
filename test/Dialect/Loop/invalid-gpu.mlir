// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{chip of a GPU is a name like sm_90a, but found 'gfx90a'}}
module attributes {loop.target = #loop.gpu<chip = "gfx90a", multiprocessors = 1, threads = 1, registers = 1, shared = 0, l2 = 0>} {}

// -----

// expected-error @below {{multiprocessors of a GPU is in 1..1000000000, but found 0}}
module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 0, threads = 1, registers = 1, shared = 0, l2 = 0>} {}

// -----

// expected-error @below {{shared of a GPU is in 0..1099511627776, but found -1}}
module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 1, threads = 1, registers = 1, shared = -1, l2 = 0>} {}

// -----

// expected-error @below {{threads of a schedule is a multiple of 32 in 32..1024, but found 100}}
func.func private @s() attributes {s = #loop.gpu_across<threads = 100, lanes = 4, sum_block = 0>}

// -----

// expected-error @below {{lanes of a schedule is a power of two in 1..16, but found 32}}
func.func private @s() attributes {s = #loop.gpu_across<threads = 128, lanes = 32, sum_block = 0>}

// -----

// expected-error @below {{points of a schedule is in 1..16, but found 17}}
func.func private @s() attributes {s = #loop.gpu_across<threads = 128, lanes = 4, sum_block = 0, points = 17>}

// -----

// expected-error @below {{threads times rows of a schedule is in 32..1024, but found 16}}
func.func private @s() attributes {s = #loop.gpu_rows<threads = 16, rows = 1, lanes = 1, steps = 0>}

// -----

// expected-error @below {{rows of a schedule with more than 32 threads is 1, but found 2}}
func.func private @s() attributes {s = #loop.gpu_rows<threads = 64, rows = 2, lanes = 1, steps = 0>}

// -----

// expected-error @below {{steps of a schedule is in 0..64, with at most 256 lanes in all, but found 64 of 8}}
func.func private @s() attributes {s = #loop.gpu_rows<threads = 64, rows = 1, lanes = 8, steps = 64>}

// -----

// expected-error @below {{stages of a schedule is 0 or in 2..8, but found 1}}
func.func private @s() attributes {s = #loop.gpu_rows<threads = 64, rows = 1, lanes = 8, steps = 1, stages = 1>}

// -----

// expected-error @below {{stages of a schedule go with 1 row and steps, but found 2 and 1}}
func.func private @s() attributes {s = #loop.gpu_rows<threads = 32, rows = 2, lanes = 8, steps = 1, stages = 2>}

// -----

// expected-error @below {{threads of a schedule is a power of two in 32..1024, but found 96}}
func.func private @s() attributes {s = #loop.gpu_parts<threads = 96, lanes = 1, parts = 2, columns = 32>}

// -----

// expected-error @below {{parts of a schedule is in 1..4096, but found 0}}
func.func private @s() attributes {s = #loop.gpu_parts<threads = 128, lanes = 1, parts = 0, columns = 32>}

// -----

// expected-error @below {{a schedule of 1 part has columns and 1 lane, but found 32 and 4}}
func.func private @s() attributes {s = #loop.gpu_parts<threads = 128, lanes = 4, parts = 1, columns = 32>}

// -----

// expected-error @below {{side of a schedule is a power of two in 16..128, but found 8}}
func.func private @s() attributes {s = #loop.gpu_tile<threads = 128, lanes = 1, side = 8, dim = 0>}

// -----

// expected-error @below {{threads of a schedule is a multiple of 16 that divides 1024, but found 96}}
func.func private @s() attributes {s = #loop.gpu_tile<threads = 96, lanes = 4, side = 64, dim = 0>}

// -----

// expected-error @below {{threads of a step is in 1..1024, but found 2000}}
func.func private @s() attributes {s = #loop.step<kernel = @k, symbols = [], blocks = <1>, threads = 2000>}

// -----

!t = tensor<64x60xf32>
func.func @rows(%x: !t) -> tensor<64xf32> {
  // expected-error @below {{whose steps hold 32 elements of rows of one size, but a row has '60'}}
  %r = loop.kernel @short ins(%a = %x : !t) shared [64]
      schedule #loop.gpu_rows<threads = 32, rows = 1, lanes = 1, steps = 1> -> tensor<64xf32> {
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [60] <max> : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    loop.return %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

!t = tensor<8x16xf32>
func.func @parts(%x: !t) -> tensor<4x16xf32> {
  // expected-error @below {{which sums up parts of its rows, expected steps, and parts of known size}}
  %r = loop.kernel @parts ins(%a = %x : !t) shared [8]
      schedule #loop.gpu_rows<threads = 16, rows = 2, lanes = 1, steps = 0> -> tensor<4x16xf32> {
    %s = loop.reduce parallel (%p, %j) in [4, 16] reduction (%n) in [2] <sum> : tensor<4x16xf32> {
      %e = loop.load %a[%p * 2 + %n, %j] : !t
      loop.yield %e : f32
    }
    loop.return %s : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}

// -----

// Another column of what the kernel makes is with another thread.
!t = tensor<8x16xf32>
func.func @columns(%x: !t) -> tensor<4x16xf32> {
  // expected-error @below {{that read of each other's rows the element in their own place}}
  %r = loop.kernel @columns ins(%a = %x : !t) shared [8]
      schedule #loop.gpu_rows<threads = 32, rows = 1, lanes = 1, steps = 1> -> tensor<4x16xf32> {
    %d = loop.pointwise (%i, %j) in [8, 16] : !t {
      %e = loop.load %a[%i, %j] : !t
      %f = arith.addf %e, %e : f32
      loop.yield %f : f32
    }
    %s = loop.reduce parallel (%p, %j) in [4, 16] reduction (%n) in [2] <sum> : tensor<4x16xf32> {
      %e = loop.load %d[%p * 2 + %n, 15 - %j] : !t
      loop.yield %e : f32
    }
    loop.return %s : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}

// -----

// Peeled rows have what is before and behind their vectors with a thread each.
!t = tensor<64x60xf32>
func.func @peeled(%x: !t) -> tensor<64xf32> {
  // expected-error @below {{because 8 lanes do not divide '60'}}
  %r = loop.kernel @peeled ins(%a = %x : !t) shared [64]
      schedule #loop.gpu_rows<threads = 8, rows = 4, lanes = 8, steps = 0> -> tensor<64xf32> {
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [60] <max> : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    loop.return %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

!t = tensor<64x60xf32>
func.func @rows(%x: !t) -> tensor<64xf32> {
  // expected-error @below {{because 8 lanes do not divide '60'}}
  %r = loop.kernel @rows ins(%a = %x : !t) shared [64]
      schedule #loop.gpu_parts<threads = 32, lanes = 8, parts = 2, columns = 0> -> tensor<64xf32> {
    %s = loop.reduce parallel (%i) in [64] reduction (%j) in [60] <max> : tensor<64xf32> {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    loop.return %s : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

!t = tensor<64x60xf32>
func.func @points(%x: !t) -> !t {
  // expected-error @below {{which is for reductions of inputs over the same extents}}
  %r = loop.kernel @points ins(%a = %x : !t) shared [64, 60]
      schedule #loop.gpu_parts<threads = 32, lanes = 1, parts = 2, columns = 32> -> !t {
    %p = loop.pointwise (%i, %j) in [64, 60] : !t {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<64x60xf32>
func.func @points(%x: !t) -> !t {
  // expected-error @below {{which is for pointwise nests and reductions over a shared domain, or a contraction, that has a dimension behind dimension 1}}
  %r = loop.kernel @points ins(%a = %x : !t) shared [64, 60]
      schedule #loop.gpu_tile<threads = 32, lanes = 1, side = 16, dim = 1> -> !t {
    %p = loop.pointwise (%i, %j) in [64, 60] : !t {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<64x60xf32>
func.func @together(%x: !t) -> !t {
  // expected-error @below {{whose 4 points are of windows, and divide '60'}}
  %r = loop.kernel @together ins(%a = %x : !t) shared [64, 60]
      schedule #loop.gpu_tile<threads = 32, lanes = 1, side = 16, dim = 0, points = 4> -> !t {
    %p = loop.pointwise (%i, %j) in [64, 60] : !t {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

!t = tensor<64x60xf32>
func.func @room(%x: tensor<66x60xf32>) -> !t {
  // expected-error @below {{whose tiles take 67584 bytes, expected at most 49152}}
  %r = loop.kernel @room ins(%a = %x : tensor<66x60xf32>) shared [64, 60]
      schedule #loop.gpu_tile<threads = 128, lanes = 1, side = 128, dim = 0> -> !t {
    %p = loop.reduce parallel (%i, %j) in [64, 60] reduction (%k) in [3] <sum> : !t {
      %e = loop.load %a[%i + %k, %j] : tensor<66x60xf32>
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

// expected-error @below {{points of a schedule is a power of two in 1..16, but found 3}}
func.func private @s() attributes {s = #loop.gpu_tile<threads = 32, lanes = 1, side = 16, dim = 0, points = 3>}

// -----

// expected-error @below {{rows of a schedule is a multiple of 8 in 8..256, but found 512}}
func.func private @s() attributes {s = #loop.gpu_product<unit = mma, rows = 512, columns = 128, sum = 32, part_rows = 64, part_columns = 64, stages = 3, lanes = 8, group = 8, split = 1>}

// -----

// expected-error @below {{parts of a schedule divide its tile, but found 48 by 64 in 128 by 128}}
func.func private @s() attributes {s = #loop.gpu_product<unit = mma, rows = 128, columns = 128, sum = 32, part_rows = 48, part_columns = 64, stages = 3, lanes = 8, group = 8, split = 1>}

// -----

// expected-error @below {{a schedule for 'mma' has multiples of 16, but found parts of 8 by 64 and a sum of 32}}
func.func private @s() attributes {s = #loop.gpu_product<unit = mma, rows = 128, columns = 128, sum = 32, part_rows = 8, part_columns = 64, stages = 3, lanes = 8, group = 8, split = 1>}

// -----

// expected-error @below {{a schedule for 'fma' has parts of 4 or 8, but found parts of 64 by 64 and a sum of 32}}
func.func private @s() attributes {s = #loop.gpu_product<unit = fma, rows = 128, columns = 128, sum = 32, part_rows = 64, part_columns = 64, stages = 3, lanes = 8, group = 8, split = 1>}

// -----

// expected-error @below {{lanes of a schedule divide its columns, but found 16 of 24}}
func.func private @s() attributes {s = #loop.gpu_product<unit = fma, rows = 32, columns = 24, sum = 8, part_rows = 4, part_columns = 8, stages = 2, lanes = 16, group = 8, split = 1>}

// -----

// expected-error @below {{stages of a schedule is in 2..8, but found 1}}
func.func private @s() attributes {s = #loop.gpu_product<unit = mma, rows = 128, columns = 128, sum = 32, part_rows = 64, part_columns = 64, stages = 1, lanes = 8, group = 8, split = 1>}

// -----

// expected-error @below {{blocks of a schedule is in 0..0, but found 132}}
func.func private @s() attributes {s = #loop.gpu_product<unit = mma, rows = 128, columns = 128, sum = 32, part_rows = 64, part_columns = 64, stages = 3, lanes = 8, group = 8, split = 1, blocks = 132>}

// -----

// expected-error @below {{cluster of a schedule is in 1..1, but found 2}}
func.func private @s() attributes {s = #loop.gpu_product<unit = mma, rows = 128, columns = 128, sum = 32, part_rows = 64, part_columns = 64, stages = 3, lanes = 8, group = 8, split = 1, blocks = 0, cluster = 2>}

// -----

// expected-error @below {{blocks of a schedule are whole clusters, but found 131 in clusters of 2}}
func.func private @s() attributes {s = #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128, stages = 3, lanes = 8, group = 8, split = 1, blocks = 131, cluster = 2>}

// -----

// expected-error @below {{turns of a schedule is in 1..1, but found 2}}
func.func private @s() attributes {s = #loop.gpu_product<unit = mma, rows = 128, columns = 128, sum = 32, part_rows = 64, part_columns = 64, stages = 3, lanes = 8, group = 8, split = 1, turns = 2>}

// -----

// expected-error @below {{tiles of a schedule by turns are of 16384 elements at most, but found 128 by 256}}
func.func private @s() attributes {s = #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256, stages = 3, lanes = 8, group = 8, split = 1, turns = 2>}

// -----

// expected-error @below {{shared of a step is in 0..1048576, but found -1}}
func.func private @s() attributes {s = #loop.step<kernel = @k, symbols = [], blocks = <1>, threads = 32, shared = -1>}

// -----

// expected-error @below {{maps of a step are tensor maps, but found 3 : i64}}
func.func private @s() attributes {s = #loop.step<kernel = @k, symbols = [], blocks = <1>, threads = 32, maps = [3]>}

// -----

// expected-error @below {{columns of a schedule is a multiple of 16 in 16..256, but found 24}}
func.func private @s() attributes {s = #loop.gpu_blocks<rows = 64, columns = 24, part_rows = 16, stages = 2, group = 1>}

// -----

// expected-error @below {{part_rows of a schedule is 16 or 32 and divides its rows, but found 32 of 48}}
func.func private @s() attributes {s = #loop.gpu_blocks<rows = 48, columns = 64, part_rows = 32, stages = 2, group = 1>}

// -----

// expected-error @below {{stages of a schedule is in 2..8, but found 1}}
func.func private @s() attributes {s = #loop.gpu_blocks<rows = 64, columns = 64, part_rows = 16, stages = 1, group = 1>}

// -----

// expected-error @below {{unit of a schedule is mma, or wgmma where rows are a multiple of 64 up to 192 in parts of 16, but found wgmma of 96 rows in parts of 16}}
func.func private @s() attributes {s = #loop.gpu_blocks<rows = 96, columns = 64, part_rows = 16, stages = 2, group = 1, unit = wgmma>}

// -----

// expected-error @below {{a schedule is added where its unit is wgmma, it has 64 or 128 rows and 64 columns and is not apart, but found wgmma, 128 rows and 32 columns}}
func.func private @s() attributes {s = #loop.gpu_blocks<rows = 128, columns = 32, part_rows = 16, stages = 2, group = 1, unit = wgmma, added = true>}

// -----

// expected-error @below {{unit of a schedule is mma, or wgmma where rows are a multiple of 64 up to 192 in parts of 16, but found fma of 64 rows in parts of 16}}
func.func private @s() attributes {s = #loop.gpu_blocks<rows = 64, columns = 64, part_rows = 16, stages = 2, group = 1, unit = fma>}

// -----

// expected-error @below {{columns of a schedule is a multiple of 16 in 16..256, but found 8}}
func.func private @s() attributes {s = #loop.gpu_column_parts<columns = 8, stages = 2, parts = 4>}

// -----

// expected-error @below {{parts of a schedule is in 2..64, but found 1}}
func.func private @s() attributes {s = #loop.gpu_column_parts<columns = 64, stages = 2, parts = 1>}

// -----

// expected-error @below {{lanes of a schedule is a power of two in 1..16, but found 3}}
func.func private @s() attributes {s = #loop.gpu_scatter<threads = 256, atomic = true, lanes = 3>}

// -----

func.func @owners(%x: tensor<8x4xf32>, %y: tensor<6x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{whose owners are for a scatter in order that does not read what it has written and is not grouped}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x4xf32>, %c = %y : tensor<6x4xf32>)
      shared [6, 4] schedule #loop.gpu_scatter<threads = 256, atomic = false, owners = 2> -> tensor<8x4xf32> {
    %s = loop.scatter (%i, %j) in [6, 4] grouped into %a <add> : tensor<8x4xf32> {
      %p = loop.index (floordiv(%i, 2))
      %e = loop.load %c[%i, %j] : tensor<6x4xf32>
      loop.yield_at %e at [%p, %j] : f32
    }
    loop.return %s : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @elements(%x: tensor<8x4xf32>, %n: tensor<6x4xi64>, %y: tensor<6x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{whose lanes are for atomic sums, or groups, of neighbours that go to neighbouring elements of one row}}
  %r = loop.kernel @k ins(%a = %x : tensor<8x4xf32>, %b = %n : tensor<6x4xi64>, %c = %y : tensor<6x4xf32>)
      shared [6, 4] schedule #loop.gpu_scatter<threads = 256, atomic = true, lanes = 4> -> tensor<8x4xf32> {
    %s = loop.scatter (%i, %j) in [6, 4] into %a <add> : tensor<8x4xf32> {
      %k = loop.load %b[%i, %j] : tensor<6x4xi64>
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%i, %j] : tensor<6x4xf32>
      loop.yield_at %e at [%p, %j] : f32
    }
    loop.return %s : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @parts_of_groups(%x: tensor<48x32xbf16>, %w: tensor<3x32x64xbf16>, %e: tensor<3xi32>) -> tensor<48x64xbf16> {
  // expected-error @below {{which is for members in groups with split 1}}
  %0 = loop.kernel @k ins(%a = %x : tensor<48x32xbf16>, %b = %w : tensor<3x32x64xbf16>, %n = %e : tensor<3xi32>) shared [48, 64]
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 8, group = 8, split = 2, blocks = 0> -> tensor<48x64xbf16> {
    %p = loop.contract parallel [48, 64] reduction [3, 32] lhs %a[d0, d3] : tensor<48x32xbf16>
        rhs %b[d2, d3, d1] : tensor<3x32x64xbf16> groups %n(d2, d0) : tensor<3xi32> acc f32 : tensor<48x64xbf16>
    loop.return %p : tensor<48x64xbf16>
  }
  return %0 : tensor<48x64xbf16>
}

// -----

func.func @library_of_groups(%x: tensor<48x32xbf16>, %w: tensor<3x32x64xbf16>, %e: tensor<3xi32>) -> tensor<48x64xbf16> {
  // expected-error @below {{which is for members in groups with split 1, without a library}}
  %0 = loop.kernel @k ins(%a = %x : tensor<48x32xbf16>, %b = %w : tensor<3x32x64xbf16>, %n = %e : tensor<3xi32>) shared [48, 64]
      schedule #loop.gpu_product<unit = mma, rows = 32, columns = 32, sum = 16, part_rows = 16, part_columns = 16, stages = 2, lanes = 8, group = 8, split = 1, library = cublas> -> tensor<48x64xbf16> {
    %p = loop.contract parallel [48, 64] reduction [3, 32] lhs %a[d0, d3] : tensor<48x32xbf16>
        rhs %b[d2, d3, d1] : tensor<3x32x64xbf16> groups %n(d2, d0) : tensor<3xi32> acc f32 : tensor<48x64xbf16>
    loop.return %p : tensor<48x64xbf16>
  }
  return %0 : tensor<48x64xbf16>
}

// -----

// expected-error @below {{factors of a product by a library are f32, f16 or bf16 and results the same or f32, but found 'f64' and 'f64'}}
#p = #loop.library_product<factors = f64, results = f64, matrices = <1>, rows = <4>, columns = <4>, sum = <4>,
    left = <pointer = 0, offset = <0>, leading = <4>, apart = <0>>, right = <pointer = 0, offset = <0>, leading = <4>, apart = <0>>,
    result = <pointer = 1, offset = <0>, leading = <4>, apart = <0>>>

// -----

// expected-error @below {{the result of a product by a library is not transposed, but found #loop.product_matrix<pointer = 1}}
#p = #loop.library_product<factors = f32, results = f32, matrices = <1>, rows = <4>, columns = <4>, sum = <4>,
    left = <pointer = 0, offset = <0>, leading = <4>, apart = <0>>, right = <pointer = 0, offset = <0>, leading = <4>, apart = <0>>,
    result = <pointer = 1, offset = <0>, leading = <4>, apart = <0>, transposed = true>>

// -----

#p = #loop.library_product<factors = f32, results = f32, matrices = <1>, rows = <4>, columns = <4>, sum = <4>,
    left = <pointer = 1, offset = <0>, leading = <4>, apart = <0>>, right = <pointer = 0, offset = <0>, leading = <4>, apart = <0>>,
    result = <pointer = 1, offset = <0>, leading = <4>, apart = <0>>>
func.func @pointers(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{expects a library to read some of its 1 inputs and to write one of its 1 results, but found #loop.library_product}}
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k, symbols = [], blocks = <1>, threads = 32>] {library = #p}
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

#p = #loop.library_product<factors = f32, results = f32, matrices = <1>, rows = <4>, columns = <4>, sum = <4>,
    left = <pointer = 0, offset = <0>, leading = <4>, apart = <0>>, right = <pointer = 0, offset = <0>, leading = <4>, apart = <0>>,
    result = <pointer = 1, offset = <0>, leading = <4>, apart = <0>>>
func.func @checks(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'loop.launch_grid' op has checks, which a library does not look at}}
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k, symbols = [], blocks = <1>, threads = 32>] checks ["wrong"] {library = #p}
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// expected-error @below {{elements of a convolution by a library are f32, f16 or bf16, but found 'f64'}}
#c = #loop.library_convolution<elements = f64, images = <2>, groups = <1>, channels = <8>, filters = <16>,
    inputs = [#guard.expr<10>], outputs = [#guard.expr<8>], taps = [#guard.expr<3>], strides = [1], dilations = [1], padding = [0],
    source = <pointer = 0, offset = <0>, image = <80>, channel = <1>, places = [#guard.expr<8>]>,
    target = <pointer = 2, offset = <0>, image = <128>, channel = <1>, places = [#guard.expr<16>]>,
    weight = <pointer = 1, offset = <0>, channels_last = true>>

// -----

// expected-error @below {{a convolution by a library has 1 to 3 dimensions}}
#c = #loop.library_convolution<elements = f32, images = <2>, groups = <1>, channels = <8>, filters = <16>,
    inputs = [#guard.expr<10>], outputs = [#guard.expr<8>], taps = [], strides = [1], dilations = [1], padding = [0],
    source = <pointer = 0, offset = <0>, image = <80>, channel = <1>, places = [#guard.expr<8>]>,
    target = <pointer = 2, offset = <0>, image = <128>, channel = <1>, places = [#guard.expr<16>]>,
    weight = <pointer = 1, offset = <0>, channels_last = true>>

// -----

// expected-error @below {{a stride and a dilation of at least 1 and a padding of at least 0, but found inputs [#guard.expr<10>], strides array<i64: 0>, dilations array<i64: 1> and padding array<i64: 0>}}
#c = #loop.library_convolution<elements = f32, images = <2>, groups = <1>, channels = <8>, filters = <16>,
    inputs = [#guard.expr<10>], outputs = [#guard.expr<8>], taps = [#guard.expr<3>], strides = [0], dilations = [1], padding = [0],
    source = <pointer = 0, offset = <0>, image = <80>, channel = <1>, places = [#guard.expr<8>]>,
    target = <pointer = 2, offset = <0>, image = <128>, channel = <1>, places = [#guard.expr<16>]>,
    weight = <pointer = 1, offset = <0>, channels_last = true>>

// -----

// A gradient is of the weight, which is a result then.
#c = #loop.library_convolution<elements = f32, images = <2>, groups = <1>, channels = <8>, filters = <16>,
    inputs = [#guard.expr<10>], outputs = [#guard.expr<8>], taps = [#guard.expr<3>], strides = [1], dilations = [1], padding = [0],
    source = <pointer = 0, offset = <0>, image = <80>, channel = <1>, places = [#guard.expr<8>]>,
    target = <pointer = 2, offset = <0>, image = <128>, channel = <1>, places = [#guard.expr<16>]>,
    weight = <pointer = 1, offset = <0>, channels_last = true>, gradient = true>
func.func @gradient(%x: tensor<2x10x8xf32>, %w: tensor<16x3x8xf32>) -> tensor<2x8x16xf32> {
  // expected-error @below {{expects a library to read some of its 2 inputs and to write one of its 1 results, but found #loop.library_convolution}}
  %r = loop.launch_grid(%x, %w) steps [#loop.step<kernel = @k, symbols = [], blocks = <1>, threads = 32>] {library = #c}
      : (tensor<2x10x8xf32>, tensor<16x3x8xf32>) -> tensor<2x8x16xf32>
  return %r : tensor<2x8x16xf32>
}

// -----

// A chip must have the copies and units that a schedule is made of.
!t = tensor<64x64xbf16>
module attributes {loop.target = #loop.gpu<chip = "sm_75", multiprocessors = 40, threads = 1024, registers = 65536, shared = 65536, l2 = 4194304>} {
  func.func @early(%x: !t) -> !t {
    // expected-error @below {{which is for sm_80 and later, but its target is sm_75}}
    %r = loop.kernel @k ins(%a = %x : !t) shared []
        schedule #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 16, part_rows = 32, part_columns = 32, stages = 2, lanes = 4, group = 8, split = 1> -> !t {
      %c = loop.contract parallel [64, 64] reduction [64]
          lhs %a[d0, d2] : !t rhs %a[d2, d1] : !t acc f32 : !t
      loop.return %c : !t
    }
    return %r : !t
  }
}

// -----

!t = tensor<64x64xbf16>
module attributes {loop.target = #loop.gpu<chip = "sm_100", multiprocessors = 148, threads = 2048, registers = 65536, shared = 232448, l2 = 132120576>} {
  func.func @late(%x: !t) -> !t {
    // expected-error @below {{which is for sm_90a, but its target is sm_100}}
    %r = loop.kernel @k ins(%a = %x : !t) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 64, sum = 64, part_rows = 64, part_columns = 64, stages = 2, lanes = 4, group = 8, split = 1> -> !t {
      %c = loop.contract parallel [64, 64] reduction [64]
          lhs %a[d0, d2] : !t rhs %a[d1, d2] : !t acc f32 : !t
      loop.return %c : !t
    }
    return %r : !t
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048,
    registers = 65536, shared = 166912, l2 = 41943040>} {
  func.func @early(%x: tensor<64x64xf32>) -> tensor<64xf32> {
    // expected-error @below {{which is for sm_90 and later, but its target is sm_80}}
    %r = loop.kernel @early ins(%a = %x : tensor<64x64xf32>) shared [64]
        schedule #loop.gpu_rows<threads = 64, rows = 1, lanes = 1, steps = 1, stages = 2> -> tensor<64xf32> {
      %s = loop.reduce parallel (%i) in [64] reduction (%j) in [64] <max> : tensor<64xf32> {
        %e = loop.load %a[%i, %j] : tensor<64x64xf32>
        loop.yield %e : f32
      }
      loop.return %s : tensor<64xf32>
    }
    return %r : tensor<64xf32>
  }
}

// -----

func.func @scanned(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{whose stages are for pointwise nests and reductions}}
  %r = loop.kernel @scanned ins(%a = %x : tensor<64x64xf32>) shared [64]
      schedule #loop.gpu_rows<threads = 64, rows = 1, lanes = 1, steps = 1, stages = 2> -> tensor<64x64xf32> {
    %s = loop.scan parallel (%i) in [64] along (%j) in [64] at 1 <sum> : tensor<64x64xf32> {
      %e = loop.load %a[%i, %j] : tensor<64x64xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
