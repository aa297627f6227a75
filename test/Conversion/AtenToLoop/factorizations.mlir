// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s

// A triangular system: unknowns one after the other, each leaves the equations
// behind it. Right-hand sides are independent, so they stand in front.

// CHECK-LABEL: func.func @solve
// CHECK: %[[B:.*]] = loop.pointwise (%{{.*}}) in [2, 4, 3]
// CHECK: loop.scatter (%[[I:.*]], %[[J:.*]], %[[K:.*]], %[[L:.*]]) in [2, 4, 3, 3] independent 2 reading %[[X:.*]] into %[[B]] <set>
// CHECK: loop.load %[[X]][%[[I]], %[[J]], min(2, %[[K]] + %[[L]])]
// CHECK: loop.load %[[X]][%[[I]], %[[J]], %[[K]]]
// CHECK: arith.divf
// CHECK-NOT: loop.extern
func.func @solve(%a: tensor<2x3x3xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %x = aten.linalg_solve_triangular(%a, %b, upper = false) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %x : tensor<2x3x4xf32>
}

// -----

// With a unit diagonal nothing is divided.

// CHECK-LABEL: func.func @unit
// CHECK: loop.scatter
// CHECK-NOT: arith.divf
// CHECK: return
func.func @unit(%a: tensor<3x3xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %x = aten.linalg_solve_triangular(%a, %b, upper = true, unitriangular = true) : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %x : tensor<3x4xf32>
}

// -----

// One more row remembers the first pivot that is not positive, which ends the
// run if errors are checked. Sizes may be symbols.

// CHECK-LABEL: func.func @cholesky
// CHECK: loop.scatter {{.*}} in [s0, s1, s1 + 1, s1] independent 1 reading
// CHECK: math.sqrt
// CHECK: loop.extern "aten._assert_async.msg"
func.func @cholesky(%a: tensor<?x?x?xf64, #guard.shape<[s0, s1, s1]>>) -> tensor<?x?x?xf64, #guard.shape<[s0, s1, s1]>> {
  %l, %i = aten.linalg_cholesky_ex(%a, check_errors = true) : (tensor<?x?x?xf64, #guard.shape<[s0, s1, s1]>>) -> (tensor<?x?x?xf64, #guard.shape<[s0, s1, s1]>>, tensor<?xi32, #guard.shape<[s0]>>)
  return %l : tensor<?x?x?xf64, #guard.shape<[s0, s1, s1]>>
}

// -----

// Reflections of [A | I], of three scratch rows more; without Q there is no I.

// CHECK-LABEL: func.func @qr
// CHECK: loop.scatter {{.*}} in [1, 3, 8, 13] independent 1 reading %{{.*}} : tensor<1x8x8xf64>
func.func @qr(%a: tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>) {
  %q, %r = aten.linalg_qr(%a) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>)
  return %q, %r : tensor<5x3xf32>, tensor<3x3xf32>
}

// -----

// CHECK-LABEL: func.func @r
// CHECK: loop.scatter {{.*}} in [1, 3, 3, 13] independent 1 reading %{{.*}} : tensor<1x8x3xf64>
func.func @r(%a: tensor<5x3xf32>) -> tensor<3x3xf32> {
  %q, %r = aten.linalg_qr(%a, mode = "r") : (tensor<5x3xf32>) -> (tensor<0xf32>, tensor<3x3xf32>)
  return %r : tensor<3x3xf32>
}

// -----

// As many classes as the largest index needs: a symbol is defined, a number is
// checked.

// CHECK-LABEL: func.func @classes
// CHECK: %[[MAX:.*]] = loop.reduce {{.*}} <max> {{.*}} : tensor<i64>
// CHECK: loop.extern "aten.item.default"
// CHECK: loop.pointwise (%{{.*}}, %{{.*}}) in [5, u0]
func.func @classes(%x: tensor<5xi64>) -> tensor<5x?xi64, #guard.shape<[5, u0]>> {
  %0 = aten.one_hot(%x) : (tensor<5xi64>) -> tensor<5x?xi64, #guard.shape<[5, u0]>>
  return %0 : tensor<5x?xi64, #guard.shape<[5, u0]>>
}
