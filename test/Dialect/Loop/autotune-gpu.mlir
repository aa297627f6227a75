// RUN: kiln-opt %s --loop-autotune --split-input-file | FileCheck %s --check-prefix=WANTED
// RUN: kiln-opt %s --loop-autotune='settle=true' --split-input-file --remarks-filter=loop-autotune 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// A GPU has few candidates of the kind that was chosen, since each is assembled by a driver.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>

// WANTED-LABEL: func.func @across
// WANTED: loop.wanted = [#loop.gpu_across<threads = 256, lanes = 4, sum_block = 0>,
// WANTED-SAME: #loop.gpu_across<threads = 128, lanes = 4, sum_block = 0>,
// WANTED-SAME: #loop.gpu_across<threads = 512, lanes = 4, sum_block = 0>,
// WANTED-SAME: #loop.gpu_across<threads = 256, lanes = 2, sum_block = 0>,
// WANTED-SAME: #loop.gpu_across<threads = 256, lanes = 8, sum_block = 0>]
// CHECK-LABEL: func.func @across
// CHECK: schedule #loop.gpu_across<threads = 256, lanes = 4, sum_block = 0>
// CHECK-NOT: loop.wanted
// REMARK: not-tuned{{.*}}Function=across{{.*}}the default was not measured
module attributes {loop.target = #gpu} {
  func.func @across(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<1048576xf32>) shared [1048576]
        schedule #loop.gpu_across<threads = 256, lanes = 4, sum_block = 0>
        -> tensor<1048576xf32> {
      %p = loop.pointwise (%i) in [1048576] : tensor<1048576xf32> {
        %v = loop.load %a[%i] : tensor<1048576xf32>
        %n = arith.negf %v : f32
        loop.yield %n : f32
      }
      loop.return %p : tensor<1048576xf32>
    }
    return %r : tensor<1048576xf32>
  }
}

// -----

// Threads that share a row hold all of it, however many they are. What spills is left out.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>

// CHECK-LABEL: func.func @rows
// CHECK: schedule #loop.gpu_rows<threads = 512, rows = 1, lanes = 4, steps = 2>
// REMARK: refused{{.*}}spills: 64 bytes of a thread are in memory{{.*}}threads = 128
// REMARK: tuned{{.*}}Function=rows
module attributes {loop.target = #gpu} {
  func.func @rows(%x: tensor<512x4096xf32>) -> tensor<512xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<512x4096xf32>) shared [512]
        schedule #loop.gpu_rows<threads = 256, rows = 1, lanes = 4, steps = 4>
        attributes {loop.measured = [
          {schedule = #loop.gpu_rows<threads = 256, rows = 1, lanes = 4, steps = 4>, ns = 100.0},
          {schedule = #loop.gpu_rows<threads = 512, rows = 1, lanes = 4, steps = 2>, ns = 50.0},
          {schedule = #loop.gpu_rows<threads = 128, rows = 1, lanes = 4, steps = 8>,
           failure = "spills: 64 bytes of a thread are in memory"}]}
        -> tensor<512xf32> {
      %p = loop.reduce parallel (%i) in [512] reduction (%k) in [4096] <sum> : tensor<512xf32> {
        %v = loop.load %a[%i, %k] : tensor<512x4096xf32>
        loop.yield %v : f32
      }
      loop.return %p : tensor<512xf32>
    }
    return %r : tensor<512xf32>
  }
}

// -----

// Products are tried with the tiles that the cost model likes next, and in more parts.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>

// WANTED-LABEL: func.func @product
// WANTED: loop.wanted = [#loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64,
// WANTED-SAME: #loop.gpu_product<unit = {{[a-z]+}}, rows = {{[0-9]+}}, columns = {{[0-9]+}},
// WANTED-SAME: #loop.gpu_product<unit = {{[a-z]+}}, rows = {{[0-9]+}}, columns = {{[0-9]+}},
// WANTED-SAME: #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256, stages = 4, lanes = 8, group = 16, split = 1, blocks = 132, cluster = 2>
// WANTED-SAME: #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256, stages = 4, lanes = 8, group = 16, split = 2
module attributes {loop.target = #gpu} {
  func.func @product(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xbf16>)
        shared [4096, 4096]
        schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 256, sum = 64, part_rows = 64, part_columns = 256, stages = 4, lanes = 8, group = 16, split = 1, blocks = 132>
        -> tensor<4096x4096xf32> {
      %c = loop.contract parallel [4096, 4096] reduction [4096] lhs %a[d0, d2] : tensor<4096x4096xbf16>
          rhs %b[d1, d2] : tensor<4096x4096xbf16> acc f32 : tensor<4096x4096xf32>
      loop.return %c : tensor<4096x4096xf32>
    }
    return %r : tensor<4096x4096xf32>
  }
}

// -----

// A transpose is tried with other squares, and with more and fewer threads.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>

// WANTED-LABEL: func.func @transposed
// WANTED: loop.wanted = [#loop.gpu_tile<threads = 256, lanes = 4, side = 64, dim = 0>,
// WANTED-SAME: #loop.gpu_tile<threads = 256, lanes = 4, side = 32, dim = 0>
// WANTED-NOT: lanes = 8
module attributes {loop.target = #gpu} {
  func.func @transposed(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<1024x1024xf32>) shared [1024, 1024]
        schedule #loop.gpu_tile<threads = 256, lanes = 4, side = 64, dim = 0>
        -> tensor<1024x1024xf32> {
      %p = loop.pointwise (%i, %j) in [1024, 1024] : tensor<1024x1024xf32> {
        %v = loop.load %a[%j, %i] : tensor<1024x1024xf32>
        loop.yield %v : f32
      }
      loop.return %p : tensor<1024x1024xf32>
    }
    return %r : tensor<1024x1024xf32>
  }
}

// -----

// Windows whose results become first are tried with half as many neighbours of a thread, too.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>

// WANTED-LABEL: func.func @windows
// WANTED: loop.wanted = [#loop.gpu_tile<threads = 256, lanes = 4, side = 64, dim = 1, points = 4>,
// WANTED-SAME: #loop.gpu_tile<threads = 512, lanes = 4, side = 64, dim = 1, points = 2>,
module attributes {loop.target = #gpu} {
  func.func @windows(%x: tensor<64x30x384xbf16>, %w: tensor<3x384xbf16>) -> tensor<64x384x28xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<64x30x384xbf16>, %b = %w : tensor<3x384xbf16>) shared [64, 384, 28]
        schedule #loop.gpu_tile<threads = 256, lanes = 4, side = 64, dim = 1, points = 4>
        -> tensor<64x384x28xbf16> {
      %c = loop.contract parallel [64, 384, 28] reduction [3]
          lhs %a[d0, d2 + d3, d1] : tensor<64x30x384xbf16> rhs %b[d3, d1] : tensor<3x384xbf16>
          acc f32 : tensor<64x384x28xbf16>
      loop.return %c : tensor<64x384x28xbf16>
    }
    return %r : tensor<64x384x28xbf16>
  }
}

// -----

// Attention is tried with other numbers of warpgroups, longer and shorter steps and more of
// them in flight, and by warps; in parts, with more, fewer, and other steps.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>
!q = tensor<4x200x40xf16>
!k = tensor<2x200x40xf16>
!s = tensor<4x200x200xf32>
!z = tensor<4x200xf32>

// WANTED-LABEL: func.func @warpgroups
// WANTED: loop.wanted = [#loop.gpu_blocks<rows = 128, columns = 128, part_rows = 16, stages = 2, group = 16, unit = wgmma>,
// WANTED-SAME: #loop.gpu_blocks<rows = 64, columns = 128, part_rows = 16, stages = 2, group = 16, unit = wgmma>,
// WANTED-SAME: #loop.gpu_blocks<rows = 128, columns = 64, part_rows = 16, stages = 2, group = 16, unit = wgmma>,
// WANTED-SAME: #loop.gpu_blocks<rows = 64, columns = 64, part_rows = 16, stages = 2, group = 16, unit = wgmma>,
// WANTED-SAME: #loop.gpu_blocks<rows = 128, columns = 128, part_rows = 16, stages = 3, group = 16, unit = wgmma>,
// WANTED-SAME: #loop.gpu_blocks<rows = 128, columns = 64, part_rows = 16, stages = 2, group = 16>]
// WANTED-LABEL: func.func @column_parts
// WANTED: loop.wanted = [#loop.gpu_column_parts<columns = 64, stages = 2, parts = 4>,
// WANTED-SAME: #loop.gpu_column_parts<columns = 64, stages = 2, parts = 8>,
// WANTED-SAME: #loop.gpu_column_parts<columns = 64, stages = 2, parts = 2>,
// WANTED-SAME: #loop.gpu_column_parts<columns = 64, stages = 3, parts = 4>,
// WANTED-SAME: #loop.gpu_column_parts<columns = 32, stages = 2, parts = 4>,
// WANTED-SAME: #loop.gpu_column_parts<columns = 128, stages = 2, parts = 4>]
module attributes {loop.target = #gpu} {
  func.func @warpgroups(%x: !q, %y: !k, %u: !k) -> !q {
    %r = loop.kernel @warpgroups ins(%a = %x : !q, %b = %y : !k, %c = %u : !k) shared [4, 200]
        schedule #loop.gpu_blocks<rows = 128, columns = 128, part_rows = 16, stages = 2, group = 16, unit = wgmma> -> !q {
      %low = arith.constant 0xFF800000 : f32
      %s = loop.contract parallel [4, 200, 200] reduction [40] lhs %a[d0, d1, d3] : !q
          rhs %b[floordiv(d0, 2), d2, d3] : !k acc f32 : !s
      %m = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <max> : !z {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %g = arith.select %p, %f, %low : f32
        loop.yield %g : f32
      }
      %e = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %h = arith.select %p, %f, %low : f32
        %g = loop.load %m[%n, %i] : !z
        %d = arith.subf %h, %g : f32
        %w = math.exp %d : f32
        loop.yield %w : f32
      }
      %z = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <sum> : !z {
        %f = loop.load %e[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %e[%n, %i, %j] : !s
        %g = loop.load %z[%n, %i] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      %o = loop.contract parallel [4, 200, 40] reduction [200] lhs %w[d0, d1, d3] : !s
          rhs %c[floordiv(d0, 2), d3, d2] : !k acc f32 : !q rhs_prologue (%v) {
        %f = arith.extf %v : f16 to f32
        loop.yield %f : f32
      }
      loop.return %o : !q
    }
    return %r : !q
  }
  func.func @column_parts(%x: !q, %y: !k, %u: !k) -> !q {
    %r = loop.kernel @column_parts ins(%a = %x : !q, %b = %y : !k, %c = %u : !k) shared [4, 200]
        schedule #loop.gpu_column_parts<columns = 64, stages = 2, parts = 4> -> !q {
      %low = arith.constant 0xFF800000 : f32
      %s = loop.contract parallel [4, 200, 200] reduction [40] lhs %a[d0, d1, d3] : !q
          rhs %b[floordiv(d0, 2), d2, d3] : !k acc f32 : !s
      %m = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <max> : !z {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %g = arith.select %p, %f, %low : f32
        loop.yield %g : f32
      }
      %e = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %s[%n, %i, %j] : !s
        %p = arith.cmpi sle, %j, %i : index
        %h = arith.select %p, %f, %low : f32
        %g = loop.load %m[%n, %i] : !z
        %d = arith.subf %h, %g : f32
        %w = math.exp %d : f32
        loop.yield %w : f32
      }
      %z = loop.reduce parallel (%n, %i) in [4, 200] reduction (%j) in [200] <sum> : !z {
        %f = loop.load %e[%n, %i, %j] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%n, %i, %j) in [4, 200, 200] : !s {
        %f = loop.load %e[%n, %i, %j] : !s
        %g = loop.load %z[%n, %i] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      %o = loop.contract parallel [4, 200, 40] reduction [200] lhs %w[d0, d1, d3] : !s
          rhs %c[floordiv(d0, 2), d3, d2] : !k acc f32 : !q rhs_prologue (%v) {
        %f = arith.extf %v : f16 to f32
        loop.yield %f : f32
      }
      loop.return %o : !q
    }
    return %r : !q
  }
}

// -----

// Threads of columns hold all elements, however wide the tile is.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>

// WANTED-LABEL: func.func @columns
// WANTED: loop.wanted = [#loop.gpu_columns<threads = 512, lanes = 4, columns = 16, steps = 5>,
// WANTED-SAME: #loop.gpu_columns<threads = 512, lanes = 4, columns = 8, steps = 3>,
// WANTED-SAME: #loop.gpu_columns<threads = 512, lanes = 4, columns = 32, steps = 10>,
// WANTED-SAME: #loop.gpu_columns<threads = 1024, lanes = 4, columns = 16, steps = 3>,
// WANTED-SAME: #loop.gpu_columns<threads = 256, lanes = 4, columns = 16, steps = 10>,
// WANTED-SAME: #loop.gpu_columns<threads = 1024, lanes = 4, columns = 32, steps = 5>]
// CHECK-LABEL: func.func @columns
// CHECK: schedule #loop.gpu_columns<threads = 512, lanes = 4, columns = 16, steps = 5>
module attributes {loop.target = #gpu} {
  func.func @columns(%x: tensor<8x150x16384xf32>) -> tensor<8x150x16384xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x150x16384xf32>) shared [8]
        schedule #loop.gpu_columns<threads = 512, lanes = 4, columns = 16, steps = 5>
        -> tensor<8x150x16384xf32> {
      %m = loop.reduce parallel (%i, %k) in [8, 16384] reduction (%j) in [150] <max> : tensor<8x16384xf32> {
        %v = loop.load %a[%i, %j, %k] : tensor<8x150x16384xf32>
        loop.yield %v : f32
      }
      %p = loop.pointwise (%i, %j, %k) in [8, 150, 16384] : tensor<8x150x16384xf32> {
        %v = loop.load %a[%i, %j, %k] : tensor<8x150x16384xf32>
        %w = loop.load %m[%i, %k] : tensor<8x16384xf32>
        %d = arith.subf %v, %w : f32
        loop.yield %d : f32
      }
      loop.return %p : tensor<8x150x16384xf32>
    }
    return %r : tensor<8x150x16384xf32>
  }
}
