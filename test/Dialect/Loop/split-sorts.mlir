// RUN: kiln-opt %s --loop-split-sorts="part=8" --split-input-file | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Three parts, the last of which is filled up with what comes last; then two merges.
  // CHECK-LABEL: func.func @odd
  // CHECK: %[[K:.*]] = loop.pointwise (%i) in [20] : tensor<20xi32>
  // CHECK: %[[P:.*]] = loop.sort parallel (%i) in [3] along (%j) in [8] at 1 : tensor<3x8xi64> {
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c20
  // CHECK: %[[MOST:.*]] = arith.constant 2147483647 : i32
  // CHECK: loop.load %[[K]][%i * 8 + %j] mask %[[IN]], %[[MOST]] : tensor<20xi32>
  // CHECK: %[[Q:.*]] = loop.pointwise (%i) in [20] : tensor<20xi32>
  // CHECK: loop.load %[[P]][floordiv(%i, 8), mod(%i, 8)]
  // CHECK: %[[S:.*]] = loop.pointwise (%i) in [20] : tensor<20xi32>
  // CHECK: %[[M:.*]] = loop.pointwise (%i) in [20] : tensor<20xi32>
  // CHECK: loop.load %[[S]]
  // CHECK: %[[R:.*]] = loop.pointwise (%i) in [20] : tensor<20xi32>
  // CHECK: loop.load %[[S]]
  // CHECK: loop.pointwise (%i) in [20] : tensor<20xi64>
  // CHECK: arith.extsi %{{.*}} : i32 to i64
  // CHECK: return
  func.func @odd(%x: tensor<20xi32>) -> tensor<20xi64> {
    %p = loop.sort parallel () in [] along (%j) in [20] at 0 : tensor<20xi64> {
      %e = loop.load %x[%j] : tensor<20xi32>
      loop.yield %e : i32
    }
    return %p : tensor<20xi64>
  }

  // Rows along the first dimension, of whole parts.
  // CHECK-LABEL: func.func @columns
  // CHECK: loop.pointwise (%i, %j) in [5, 16] : tensor<5x16xi8>
  // CHECK-NEXT: loop.load %arg0[%j, %i]
  // CHECK: loop.sort parallel (%i, %j) in [5, 2] along (%k) in [8] at 2 : tensor<5x2x8xi64> {
  // CHECK-NOT: mask
  // CHECK: loop.pointwise (%i, %j) in [16, 5] : tensor<16x5xi64>
  // CHECK-NEXT: loop.load %{{.*}}[%j, %i] : tensor<5x16xi32>
  func.func @columns(%x: tensor<16x5xi8>) -> tensor<16x5xi64> {
    %p = loop.sort parallel (%i) in [5] along (%j) in [16] at 0 : tensor<16x5xi64> {
      %e = loop.load %x[%j, %i] : tensor<16x5xi8>
      loop.yield %e : i8
    }
    return %p : tensor<16x5xi64>
  }

  // Enough rows, one part and a half, the first elements alone, and any number of them.
  // CHECK-LABEL: func.func @stay
  // CHECK: along (%j) in [64] at 1
  // CHECK: along (%j) in [12] at 1
  // CHECK: along (%i) in [64] keeping [3]
  // CHECK: along (%i) in [s0] at 0
  // CHECK-NOT: loop.pointwise
  func.func @stay(%x: tensor<132x64xi8>, %y: tensor<2x12xi8>, %z: tensor<64xi8>, %u: tensor<?xi8, #guard.shape<[s0]>>)
      -> (tensor<132x64xi64>, tensor<2x12xi64>, tensor<3xi64>, tensor<?xi64, #guard.shape<[s0]>>) {
    %p = loop.sort parallel (%i) in [132] along (%j) in [64] at 1 : tensor<132x64xi64> {
      %e = loop.load %x[%i, %j] : tensor<132x64xi8>
      loop.yield %e : i8
    }
    %q = loop.sort parallel (%i) in [2] along (%j) in [12] at 1 : tensor<2x12xi64> {
      %e = loop.load %y[%i, %j] : tensor<2x12xi8>
      loop.yield %e : i8
    }
    %r = loop.sort parallel () in [] along (%j) in [64] keeping [3] at 0 : tensor<3xi64> {
      %e = loop.load %z[%j] : tensor<64xi8>
      loop.yield %e : i8
    }
    %s = loop.sort parallel () in [] along (%j) in [s0] at 0 : tensor<?xi64, #guard.shape<[s0]>> {
      %e = loop.load %u[%j] : tensor<?xi8, #guard.shape<[s0]>>
      loop.yield %e : i8
    }
    return %p, %q, %r, %s : tensor<132x64xi64>, tensor<2x12xi64>, tensor<3xi64>, tensor<?xi64, #guard.shape<[s0]>>
  }
}
