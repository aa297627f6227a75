// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s

// Euclidean distances of more than 25 rows are a product, and the squares of both.

// CHECK-LABEL: func.func @many
// CHECK-DAG: %[[A:.*]] = loop.reduce parallel (%{{.*}}, %{{.*}}) in [2, 30] reduction (%{{.*}}) in [8] <sum>
// CHECK-DAG: %[[B:.*]] = loop.reduce parallel (%{{.*}}) in [7] reduction (%{{.*}}) in [8] <sum>
// CHECK: loop.contract parallel [2, 30, 7] reduction [8] lhs %{{.*}}[d0, d1, d3] {{.*}} rhs %{{.*}}[d2, d3]
// CHECK-DAG: loop.load %[[A]][%{{.*}}, %{{.*}}]
// CHECK-DAG: loop.load %[[B]][%{{.*}}]
// CHECK: math.sqrt %{{.*}} : f32
func.func @many(%x: tensor<2x30x8xf32>, %y: tensor<7x8xf32>) -> tensor<2x30x7xf32> {
  %r = aten._cdist_forward(%x, %y, p = 2.0) : (tensor<2x30x8xf32>, tensor<7x8xf32>) -> tensor<2x30x7xf32>
  return %r : tensor<2x30x7xf32>
}

// -----

// Those of few rows, of rows that say so, and in other norms are sums of differences.

// CHECK-LABEL: func.func @few
// CHECK-NOT: loop.contract
// CHECK: arith.subf {{.*}} : f64
func.func @few(%x: tensor<25x8xf32>, %y: tensor<7x8xf32>) -> tensor<25x7xf32> {
  %r = aten._cdist_forward(%x, %y, p = 2.0) : (tensor<25x8xf32>, tensor<7x8xf32>) -> tensor<25x7xf32>
  return %r : tensor<25x7xf32>
}

// -----

// CHECK-LABEL: func.func @exact
// CHECK-NOT: loop.contract
// CHECK: arith.subf {{.*}} : f64
func.func @exact(%x: tensor<30x8xf32>, %y: tensor<7x8xf32>) -> tensor<30x7xf32> {
  %r = aten._cdist_forward(%x, %y, p = 2.0, compute_mode = 2) : (tensor<30x8xf32>, tensor<7x8xf32>) -> tensor<30x7xf32>
  return %r : tensor<30x7xf32>
}

// -----

// CHECK-LABEL: func.func @absolute
// CHECK-NOT: loop.contract
func.func @absolute(%x: tensor<30x8xf32>, %y: tensor<7x8xf32>) -> tensor<30x7xf32> {
  %r = aten._cdist_forward(%x, %y, p = 1.0) : (tensor<30x8xf32>, tensor<7x8xf32>) -> tensor<30x7xf32>
  return %r : tensor<30x7xf32>
}
