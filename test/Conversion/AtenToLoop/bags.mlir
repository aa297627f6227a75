// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s

// Offsets that count by the width of a matrix of indices: each bag is a row of it, and its
// sum one over as many places. Nothing is marked, counted or written somewhere.

// CHECK-LABEL: func.func @rows
// CHECK-NOT: loop.scan
// CHECK-NOT: loop.scatter
// CHECK: %[[SUMS:.*]] = loop.reduce parallel (%[[B:.*]], %[[D:.*]]) in [4, 8] reduction (%[[K:.*]]) in [3] <sum>
// CHECK: loop.load %{{.*}}[%[[B]] * 3 + %[[K]]] : tensor<12xi64>
// CHECK: loop.load %{{.*}}[%{{.*}}, %[[D]]] : tensor<10x8xf32>
// CHECK-NOT: loop.scatter
func.func @rows(%w: tensor<10x8xf32>, %i: tensor<12xi64>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %c12 = arith.constant 12 : i64
  %o = aten.arange.start_step(%c0, %c12, step = %c3, dtype = i64) : (i64, i64, i64) -> tensor<4xi64>
  %r:4 = aten._embedding_bag(%w, %i, %o) : (tensor<10x8xf32>, tensor<12xi64>, tensor<4xi64>) -> (tensor<4x8xf32>, tensor<0xi64>, tensor<4xi64>, tensor<4xi64>)
  return %r#0 : tensor<4x8xf32>
}

// -----

// The greatest of each bag but for the rows of an index that stands for none, and how many
// there are: for a bag of none it is 0.

// CHECK-LABEL: func.func @greatest
// CHECK-NOT: loop.scan
// CHECK-NOT: loop.scatter
// CHECK: loop.reduce parallel (%{{.*}}) in [4] reduction (%{{.*}}) in [3] <sum>
// CHECK: loop.reduce parallel (%{{.*}}, %{{.*}}) in [4, 8] reduction (%{{.*}}) in [3] <max>
func.func @greatest(%w: tensor<10x8xf32>, %i: tensor<12xi64>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %c12 = arith.constant 12 : i64
  %o = aten.arange.start_step(%c0, %c12, step = %c3, dtype = i64) : (i64, i64, i64) -> tensor<4xi64>
  %r:4 = aten._embedding_bag(%w, %i, %o, mode = 2, padding_idx = 2) : (tensor<10x8xf32>, tensor<12xi64>, tensor<4xi64>) -> (tensor<4x8xf32>, tensor<12xi64>, tensor<4xi64>, tensor<4x8xi64>)
  return %r#0 : tensor<4x8xf32>
}

// -----

// The last bag has another length, or bags are not those of the first element: who is where
// is found out.

// CHECK-LABEL: func.func @ragged
// CHECK: loop.scan
// CHECK: loop.scatter {{.*}} in [11, 8]
func.func @ragged(%w: tensor<10x8xf32>, %i: tensor<11xi64>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %c11 = arith.constant 11 : i64
  %o = aten.arange.start_step(%c0, %c11, step = %c3, dtype = i64) : (i64, i64, i64) -> tensor<4xi64>
  %r:4 = aten._embedding_bag(%w, %i, %o) : (tensor<10x8xf32>, tensor<11xi64>, tensor<4xi64>) -> (tensor<4x8xf32>, tensor<0xi64>, tensor<4xi64>, tensor<4xi64>)
  return %r#0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @given
// CHECK: loop.scan
// CHECK: loop.scatter {{.*}} in [12, 8]
func.func @given(%w: tensor<10x8xf32>, %i: tensor<12xi64>, %o: tensor<4xi64>) -> tensor<4x8xf32> {
  %r:4 = aten._embedding_bag(%w, %i, %o) : (tensor<10x8xf32>, tensor<12xi64>, tensor<4xi64>) -> (tensor<4x8xf32>, tensor<0xi64>, tensor<4xi64>, tensor<4xi64>)
  return %r#0 : tensor<4x8xf32>
}
