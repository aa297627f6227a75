// RUN: kiln-opt %s --loop-autotune --split-input-file | FileCheck %s --check-prefix=WANTED
// RUN: kiln-opt %s --loop-autotune='settle=true' --split-input-file --remarks-filter=loop-autotune 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: kiln-opt %s --loop-autotune='settle=true gain=60' --split-input-file | FileCheck %s --check-prefix=NOISY
// RUN: kiln-opt %s --loop-autotune='nests=false' --split-input-file | FileCheck %s --check-prefix=NONE

// Nothing was measured: the schedule of the kernel and its candidates are wanted.

// WANTED-LABEL: func.func @unknown
// WANTED: schedule #loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = false, grain = 16>
// WANTED-SAME: loop.wanted = [#loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = false, grain = 16>,
// WANTED-SAME: #loop.across<lanes = 16, chunk = 64,
// CHECK-LABEL: func.func @unknown
// CHECK: schedule #loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = false, grain = 16>
// CHECK-NOT: loop.wanted
// REMARK: not-tuned{{.*}}Function=unknown{{.*}}the default was not measured
// NONE-LABEL: func.func @unknown
// NONE-NOT: loop.wanted
func.func @unknown(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x64xf32>) shared [8, 64]
      schedule #loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = false, grain = 16>
      -> tensor<8x64xf32> {
    %p = loop.pointwise (%i, %j) in [8, 64] : tensor<8x64xf32> {
      %v = loop.load %a[%i, %j] : tensor<8x64xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

// The fastest of those that came back wins, unless it is within the noise.

// CHECK-LABEL: func.func @known
// CHECK: schedule #loop.across<lanes = 4, chunk = 64, sum_block = 0, masked = false, grain = 16>
// CHECK-NOT: loop.measured
// NOISY-LABEL: func.func @known
// NOISY: schedule #loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = false, grain = 16>
// REMARK: candidate{{.*}}ns=50, schedule="#loop.across<lanes = 4
// REMARK: refused{{.*}}crashes: Illegal instruction{{.*}}lanes = 16
// REMARK: tuned{{.*}}Function=known{{.*}}default_ns=100{{.*}}lanes = 4
func.func @known(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x64xf32>) shared [8, 64]
      schedule #loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = false, grain = 16>
      attributes {loop.measured = [
        {schedule = #loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = false, grain = 16>, ns = 100.0},
        {schedule = #loop.across<lanes = 4, chunk = 64, sum_block = 0, masked = false, grain = 16>, ns = 50.0},
        {schedule = #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = false, grain = 16>, failure = "crashes: Illegal instruction"}]}
      -> tensor<8x64xf32> {
    %p = loop.pointwise (%i, %j) in [8, 64] : tensor<8x64xf32> {
      %v = loop.load %a[%i, %j] : tensor<8x64xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

// Of a product without rows there is nothing to measure.

// WANTED-LABEL: func.func @empty
// WANTED-NOT: loop.wanted
func.func @empty(%x: tensor<0x64xf32>, %w: tensor<64x64xf32>) -> tensor<0x64xf32> {
  %r = loop.kernel @product ins(%a = %x : tensor<0x64xf32>, %b = %w : tensor<64x64xf32>) shared []
      schedule #loop.packed<lanes = 8, tile_rows = 6, tile_columns = 16, block_rows = 6, block_depth = 64,
                            item_rows = 6, item_columns = 64, unroll = 4, masked = false, grain = 1>
      -> tensor<0x64xf32> {
    %c = loop.contract parallel [0, 64] reduction [64]
        lhs %a[d0, d2] : tensor<0x64xf32> rhs %b[d2, d1] : tensor<64x64xf32>
        acc f32 : tensor<0x64xf32>
    loop.return %c : tensor<0x64xf32>
  }
  return %r : tensor<0x64xf32>
}
