// RUN: kiln-opt %s --loop-autotune='descend=true' | FileCheck %s --check-prefix=WANTED
// RUN: kiln-opt %s --loop-autotune='descend=true settle=true' | FileCheck %s

// A scatter has no candidates but its own schedule. From there the descent goes on:
// twice the grain is faster, so that becomes the schedule, and what lies around it is
// wanted next. Lanes of 256 are not legal and not wanted. Where nothing more gains,
// what would win is wanted a second time.

// WANTED: loop.wanted = [#loop.scatter<lanes = 128, masked = true, grain = 16>]
// CHECK: schedule #loop.scatter<lanes = 128, masked = true, grain = 8>
func.func @scatter(%x: tensor<8xf32>, %y: tensor<4xi64>, %z: tensor<4xf32>)
    -> tensor<8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8xf32>, %b = %y : tensor<4xi64>,
                          %c = %z : tensor<4xf32>) shared []
      schedule #loop.scatter<lanes = 128, masked = true, grain = 4>
      attributes {loop.measured = [
        {schedule = #loop.scatter<lanes = 128, masked = true, grain = 4>, ns = 100.0},
        {schedule = #loop.scatter<lanes = 64, masked = true, grain = 4>, ns = 110.0},
        {schedule = #loop.scatter<lanes = 128, masked = true, grain = 2>, ns = 120.0},
        {schedule = #loop.scatter<lanes = 64, masked = true, grain = 8>, ns = 99.0},
        {schedule = #loop.scatter<lanes = 128, masked = true, grain = 8>, ns = 80.0}]}
      -> tensor<8xf32> {
    %s = loop.scatter (%i) in [4] into %a <set> : tensor<8xf32> {
      %t = loop.load %b[%i] : tensor<4xi64>
      %v = loop.load %c[%i] : tensor<4xf32>
      %k = arith.index_cast %t : i64 to index
      loop.yield_at %v at [%k] : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
