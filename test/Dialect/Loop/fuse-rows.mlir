// RUN: kiln-opt %s --loop-inline-virtual --loop-fuse --split-input-file | FileCheck %s

// What feeds a sort is inlined into its keys, and what reads the sorted
// positions of a row runs with it.

// CHECK-LABEL: func.func @sorted
// CHECK: loop.kernel @{{.*}} shared [64]
// CHECK: loop.sort
// CHECK: arith.xori
// CHECK: loop.pointwise
// CHECK-NOT: loop.kernel
func.func @sorted(%x: tensor<64x9xi32>) -> tensor<64x9xi32> {
  %k = loop.pointwise (%i, %j) in [64, 9] : tensor<64x9xi32> {
    %m = arith.constant -1 : i32
    %e = loop.load %x[%i, %j] : tensor<64x9xi32>
    %f = arith.xori %e, %m : i32
    loop.yield %f : i32
  }
  %p = loop.sort parallel (%i) in [64] along (%j) in [9] at 1
      : tensor<64x9xi64> {
    %e = loop.load %k[%i, %j] : tensor<64x9xi32>
    loop.yield %e : i32
  }
  %v = loop.pointwise (%i, %j) in [64, 9] : tensor<64x9xi32> {
    %n = loop.load %p[%i, %j] : tensor<64x9xi64>
    %at = arith.index_cast %n : i64 to index
    %e = loop.load %x[%i, %at] : tensor<64x9xi32>
    loop.yield %e : i32
  }
  return %v : tensor<64x9xi32>
}

// -----

// The rows of a scan along the first dimension lie across what reads it, even
// where the sizes are equal.

// CHECK-LABEL: func.func @apart
// CHECK: loop.kernel @{{.*}} shared [256]
// CHECK: loop.scan
// CHECK: loop.kernel @{{.*}} shared [256]
// CHECK: loop.reduce
func.func @apart(%x: tensor<256x256xf32>) -> tensor<256xf32> {
  %s = loop.scan parallel (%j) in [256] along (%i) in [256] at 0 <sum>
      : tensor<256x256xf32> {
    %e = loop.load %x[%i, %j] : tensor<256x256xf32>
    loop.yield %e : f32
  }
  %r = loop.reduce parallel (%i) in [256] reduction (%j) in [256] <max>
      : tensor<256xf32> {
    %e = loop.load %s[%i, %j] : tensor<256x256xf32>
    loop.yield %e : f32
  }
  return %r : tensor<256xf32>
}
