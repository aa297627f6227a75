// RUN: kiln-opt %s --loop-split-reductions="min-points=64 min-items=16 parts=8" --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @all
// CHECK: %[[P:.*]] = loop.reduce parallel (%i) in [8] reduction (%j) in [12] <sum> : tensor<8xf64> {
// CHECK: loop.index (%i * 12 + %j)
// CHECK: arith.extf
// CHECK: loop.reduce parallel () in [] reduction (%i) in [8] <sum> : tensor<f32> {
// CHECK: loop.load %[[P]][%i]
// CHECK: loop.yield %{{.*}} : f64
func.func @all(%x: tensor<96xf32>) -> tensor<f32> {
  %s = loop.reduce parallel () in [] reduction (%i) in [96] <sum> : tensor<f32> {
    %e = loop.load %x[%i] : tensor<96xf32>
    %w = arith.extf %e : f32 to f64
    loop.yield %w : f64
  }
  return %s : tensor<f32>
}

// -----

// Two accumulators; the first dimension has no equal pieces, the second has.

// CHECK-LABEL: func.func @largest
// CHECK: %[[P:.*]]:2 = loop.reduce parallel (%i, %j) in [3, 6] reduction (%k, %l) in [1, 6] <argmax>
// CHECK: loop.reduce parallel (%i) in [3] reduction (%j) in [6] <argmax>
func.func @largest(%x: tensor<3x1x18xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %v, %p = loop.reduce parallel (%r) in [3] reduction (%i, %j) in [1, 36] <argmax> : tensor<3xf32>, tensor<3xi64> {
    %e = loop.load %x[%r, %i, floordiv(%j, 2)] : tensor<3x1x18xf32>
    %n = arith.index_cast %j : index to i64
    loop.yield %e, %n : f32, i64
  }
  return %v, %p : tensor<3xf32>, tensor<3xi64>
}

// -----

// Enough values, too few points, and a size that is not known stay as they are.

// CHECK-LABEL: func.func @stay
// CHECK-COUNT-3: loop.reduce
// CHECK-NOT: loop.reduce
func.func @stay(%x: tensor<16x96xf32>, %y: tensor<32xf32>, %z: tensor<?xf32, #guard.shape<[s0]>>)
    -> (tensor<16xf32>, tensor<f32>, tensor<f32>) {
  %s = loop.reduce parallel (%i) in [16] reduction (%j) in [96] <sum> : tensor<16xf32> {
    %e = loop.load %x[%i, %j] : tensor<16x96xf32>
    loop.yield %e : f32
  }
  %t = loop.reduce parallel () in [] reduction (%j) in [32] <sum> : tensor<f32> {
    %e = loop.load %y[%j] : tensor<32xf32>
    loop.yield %e : f32
  }
  %u = loop.reduce parallel () in [] reduction (%j) in [s0] <sum> : tensor<f32> {
    %e = loop.load %z[%j] : tensor<?xf32, #guard.shape<[s0]>>
    loop.yield %e : f32
  }
  return %s, %t, %u : tensor<16xf32>, tensor<f32>, tensor<f32>
}

// -----

// Columns that are read side by side are an item of up to 64: parts stand in front of them, and
// they stay neighbours.

// CHECK-LABEL: func.func @columns
// CHECK: %[[P:.*]] = loop.reduce parallel (%i, %j) in [8, 32] reduction (%k, %l) in [4, 1] <sum> : tensor<8x32xf32> {
// CHECK: %[[N:.*]] = loop.index (%i * 4 + %k)
// CHECK: loop.load %{{.*}}[%[[N]], %l, %j] : tensor<32x1x32xf32>
// CHECK: loop.reduce parallel (%i) in [32] reduction (%j) in [8] <sum> : tensor<32xf32> {
// CHECK: loop.load %[[P]][%j, %i] : tensor<8x32xf32>
func.func @columns(%x: tensor<32x1x32xf32>) -> tensor<32xf32> {
  %s = loop.reduce parallel (%c) in [32] reduction (%n, %h) in [32, 1] <sum> : tensor<32xf32> {
    %e = loop.load %x[%n, %h, %c] : tensor<32x1x32xf32>
    loop.yield %e : f32
  }
  return %s : tensor<32xf32>
}

// -----

// Where the rows are summed up, too, columns wait for a kernel of both.

// CHECK-LABEL: func.func @with_rows
// CHECK-COUNT-2: loop.reduce parallel (%i) in [32] reduction (%j) in [32] <sum>
// CHECK-NOT: loop.reduce
func.func @with_rows(%x: tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %s = loop.reduce parallel (%c) in [32] reduction (%n) in [32] <sum> : tensor<32xf32> {
    %e = loop.load %x[%n, %c] : tensor<32x32xf32>
    loop.yield %e : f32
  }
  %t = loop.reduce parallel (%n) in [32] reduction (%c) in [32] <sum> : tensor<32xf32> {
    %e = loop.load %x[%n, %c] : tensor<32x32xf32>
    loop.yield %e : f32
  }
  return %s, %t : tensor<32xf32>, tensor<32xf32>
}

// -----

// The largest of unsigned bytes is that of the largest of parts, which are unsigned, too.
// CHECK-LABEL: func.func @unsigned
// CHECK: %[[P:.*]] = loop.reduce parallel (%i) in [8] reduction (%j) in [16] <max> : tensor<8xui8>
// CHECK: loop.reduce parallel () in [] reduction (%i) in [8] <max> : tensor<ui8>
// CHECK-NEXT: loop.load %[[P]][%i] : tensor<8xui8>
func.func @unsigned(%x: tensor<128xui8>) -> tensor<ui8> {
  %s = loop.reduce parallel () in [] reduction (%i) in [128] <max> : tensor<ui8> {
    %e = loop.load %x[%i] : tensor<128xui8>
    loop.yield %e : i8
  }
  return %s : tensor<ui8>
}
