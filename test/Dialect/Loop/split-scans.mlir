// RUN: kiln-opt %s --loop-split-scans="part=8" --split-input-file | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Thirteen parts, the last of them half empty; sums are rounded once.
  // CHECK-LABEL: func.func @odd
  // CHECK: %[[P:.*]] = loop.scan parallel (%i, %j) in [2, 13] along (%k) in [8] at 2 <sum> : tensor<2x13x8xf32> {
  // CHECK: %[[N:.*]] = loop.index (%j * 8 + %k)
  // CHECK: %[[END:.*]] = loop.index (100)
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %[[N]], %[[END]]
  // CHECK: loop.load %arg0[%i, %j * 8 + %k] mask %[[IN]]
  // CHECK: %[[B:.*]] = loop.scan parallel (%i) in [2] along (%j) in [13] at 1 <sum> : tensor<2x13xf32> {
  // CHECK-NEXT: loop.load %[[P]][%i, %j, 7]
  // CHECK: %[[R:.*]] = loop.pointwise (%i, %j) in [2, 100] : tensor<2x100xbf16> {
  // CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %j, %c8
  // CHECK: %[[X:.*]] = loop.load %[[P]][%i, floordiv(%j, 8), mod(%j, 8)]
  // CHECK: %[[Y:.*]] = loop.load %[[B]][%i, floordiv(%j, 8) - 1] mask %[[BEHIND]]
  // CHECK: %[[S:.*]] = arith.addf %[[Y]], %[[X]]
  // CHECK: %[[V:.*]] = arith.select %[[BEHIND]], %[[S]], %[[X]]
  // CHECK: arith.truncf %[[V]] : f32 to bf16
  // CHECK: return %[[R]]
  func.func @odd(%x: tensor<2x100xf32>) -> tensor<2x100xbf16> {
    %s = loop.scan parallel (%i) in [2] along (%j) in [100] at 1 <sum> : tensor<2x100xbf16> {
      %e = loop.load %x[%i, %j] : tensor<2x100xf32>
      loop.yield %e : f32
    }
    return %s : tensor<2x100xbf16>
  }
  // Whole parts, along the first dimension, of bytes that compare as unsigned ones.
  // CHECK-LABEL: func.func @columns
  // CHECK: loop.scan parallel (%i, %j) in [5, 8] along (%k) in [8] at 2 <max> : tensor<5x8x8xui8> {
  // CHECK-NEXT: loop.load %arg0[%j * 8 + %k, %i] : tensor<64x5xui8>
  // CHECK: loop.scan parallel (%i) in [5] along (%j) in [8] at 1 <max> : tensor<5x8xui8>
  // CHECK: loop.pointwise (%i, %j) in [64, 5] : tensor<64x5xui8>
  // CHECK: arith.maxui
  func.func @columns(%x: tensor<64x5xui8>) -> tensor<64x5xui8> {
    %s = loop.scan parallel (%i) in [5] along (%j) in [64] at 0 <max> : tensor<64x5xui8> {
      %e = loop.load %x[%j, %i] : tensor<64x5xui8>
      loop.yield %e : i8
    }
    return %s : tensor<64x5xui8>
  }
  // What f64 adds up for f32 is stored as f32, but for the last elements.
  // CHECK-LABEL: func.func @wide
  // CHECK: loop.scan parallel (%i) in [8] along (%j) in [8] at 1 <sum> : tensor<8x8xf32>
  // CHECK: loop.scan parallel () in [] along (%i) in [8] at 0 <sum> : tensor<8xf64>
  // CHECK: arith.addf %{{.*}} : f64
  func.func @wide(%x: tensor<64xf32>) -> tensor<64xf32> {
    %s = loop.scan parallel () in [] along (%j) in [64] at 0 <sum> : tensor<64xf32> {
      %e = loop.load %x[%j] : tensor<64xf32>
      %w = arith.extf %e : f32 to f64
      loop.yield %w : f64
    }
    return %s : tensor<64xf32>
  }

  // As many elements as a call brings: 8192 by the hint.
  // CHECK-LABEL: func.func @unknown
  // CHECK: loop.scan parallel (%i) in [floordiv(s0 + 7, 8)] along (%j) in [8] at 1 <sum>
  func.func @unknown(%x: tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0]>> {
    %s = loop.scan parallel () in [] along (%j) in [s0] at 0 <sum> : tensor<?xf32, #guard.shape<[s0]>> {
      %e = loop.load %x[%j] : tensor<?xf32, #guard.shape<[s0]>>
      loop.yield %e : f32
    }
    return %s : tensor<?xf32, #guard.shape<[s0]>>
  }

  // Enough rows; too few elements.
  // CHECK-LABEL: func.func @stay
  // CHECK: in [67] along (%j) in [64] at 1
  // CHECK: along (%i) in [63] at 0
  // CHECK-NOT: loop.pointwise
  func.func @stay(%x: tensor<67x64xf32>, %y: tensor<63xf32>) -> (tensor<67x64xf32>, tensor<63xf32>) {
    %s = loop.scan parallel (%i) in [67] along (%j) in [64] at 1 <sum> : tensor<67x64xf32> {
      %e = loop.load %x[%i, %j] : tensor<67x64xf32>
      loop.yield %e : f32
    }
    %t = loop.scan parallel () in [] along (%j) in [63] at 0 <sum> : tensor<63xf32> {
      %e = loop.load %y[%j] : tensor<63xf32>
      loop.yield %e : f32
    }
    return %s, %t : tensor<67x64xf32>, tensor<63xf32>
  }
}

// -----

// A processor's thread reads a row as fast as memory gives.
// CHECK-LABEL: func.func @processor
// CHECK: loop.scan parallel () in [] along (%i) in [64] at 0
// CHECK-NOT: loop.scan
func.func @processor(%x: tensor<64xf32>) -> tensor<64xf32> {
  %s = loop.scan parallel () in [] along (%j) in [64] at 0 <sum> : tensor<64xf32> {
    %e = loop.load %x[%j] : tensor<64xf32>
    loop.yield %e : f32
  }
  return %s : tensor<64xf32>
}
