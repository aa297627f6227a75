// RUN: kiln-opt %s --convert-loop-to-linalg --split-input-file | FileCheck %s

// Loads that walk the whole of a dimension become operands with indexing maps;
// the encoding is gone, and the size of the result is that of an argument.
// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @pointwise(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>, %[[Y:.*]]: tensor<4xf32>) -> tensor<?x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<4x?xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[$ROWS]], #[[$ROW]], #[[$ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME: ins(%[[X]], %[[Y]] : tensor<4x?xf32>, tensor<4xf32>) outs(%[[EMPTY]] : tensor<?x4xf32>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[S]] : f32
// CHECK: return %[[R]] : tensor<?x4xf32>
func.func @pointwise(%x: tensor<4x?xf32, #guard.shape<[4, s0]>>,
    %y: tensor<4xf32>) -> tensor<?x4xf32, #guard.shape<[s0, 4]>> {
  %r = loop.pointwise (%i, %j) in [s0, 4]
      : tensor<?x4xf32, #guard.shape<[s0, 4]>> {
    %a = loop.load %x[%j, %i] : tensor<4x?xf32, #guard.shape<[4, s0]>>
    %b = loop.load %y[%j] : tensor<4xf32>
    %s = arith.addf %a, %b : f32
    loop.yield %s : f32
  }
  return %r : tensor<?x4xf32, #guard.shape<[s0, 4]>>
}

// -----

// Other affine indices do too where they are in bounds for certain.
// CHECK-DAG: #[[$VIEW:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1 floordiv 2, d1 mod 2)>
// CHECK-LABEL: func.func @affine
// CHECK: linalg.generic {indexing_maps = [#[[$VIEW]], #{{.*}}]
func.func @affine(%x: tensor<6x2xf32>) -> tensor<3x4xf32> {
  %r = loop.pointwise (%i, %j) in [3, 4] : tensor<3x4xf32> {
    %a = loop.load %x[%i * 2 + floordiv(%j, 2), mod(%j, 2)] : tensor<6x2xf32>
    loop.yield %a : f32
  }
  return %r : tensor<3x4xf32>
}

// -----

// An index that is loaded, a part of a dimension, and a masked load.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<3xi64>)
// CHECK: linalg.generic {{.*}} ins(%[[I]] : tensor<3xi64>)
// CHECK: ^bb0(%[[N:.*]]: i64, %{{.*}}: f32):
// CHECK: %[[J:.*]] = linalg.index 1 : index
// CHECK: %[[P:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK: tensor.extract %[[X]][%[[P]], %[[J]]] : tensor<8x4xf32>
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK: tensor.extract %[[X]]
func.func @gather(%x: tensor<8x4xf32>, %n: tensor<3xi64>) -> tensor<3x3xf32> {
  %r = loop.pointwise (%i, %j) in [3, 3] : tensor<3x3xf32> {
    %zero = arith.constant 0.0 : f32
    %c = arith.constant 2 : index
    %k = loop.load %n[%i] : tensor<3xi64>
    %p = arith.index_cast %k : i64 to index
    %a = loop.load %x[%p, %j] : tensor<8x4xf32>
    %m = arith.cmpi slt, %j, %c : index
    %b = loop.load %x[%i, %j + 2] mask %m, %zero : tensor<8x4xf32>
    %s = arith.addf %a, %b : f32
    loop.yield %s : f32
  }
  return %r : tensor<3x3xf32>
}

// -----

// All accumulators are results of one op; the wide sum is rounded after it. Signs
// of integers are gone from types and kept in what is computed.
// CHECK-LABEL: func.func @reduce(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xi8>) -> (tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xi64>)
// CHECK: linalg.fill ins(%{{.*}} : f64)
// CHECK: %[[R:.*]]:4 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.addf
// CHECK: arith.maxui
// CHECK: arith.cmpi ugt
// CHECK: } -> (tensor<4xf64>, tensor<4xi8>, tensor<4xi8>, tensor<4xi64>)
// CHECK: linalg.generic {{.*}} ins(%[[R]]#0 : tensor<4xf64>)
// CHECK: arith.truncf
func.func @reduce(%x: tensor<4x8xui8>)
    -> (tensor<4xf32>, tensor<4xui8>, tensor<4xui8>, tensor<4xi64>) {
  %s, %m, %v, %n = loop.reduce parallel (%i) in [4] reduction (%j) in [8]
      <sum, max, argmax>
      : tensor<4xf32>, tensor<4xui8>, tensor<4xui8>, tensor<4xi64> {
    %e = loop.load %x[%i, %j] : tensor<4x8xui8>
    %f = arith.uitofp %e : i8 to f64
    %k = arith.index_cast %j : index to i64
    loop.yield %f, %e, %e, %k : f64, i8, i8, i64
  }
  return %s, %m, %v, %n
      : tensor<4xf32>, tensor<4xui8>, tensor<4xui8>, tensor<4xi64>
}

// -----

// A matrix product has a named op; its epilogue is a second one.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<8x6xf32>, %[[B:.*]]: tensor<6xf32>)
// CHECK: %[[Z:.*]] = linalg.fill
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %[[Y]] : tensor<4x8xf32>, tensor<8x6xf32>) outs(%[[Z]] : tensor<4x6xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[B]] : tensor<4x6xf32>, tensor<6xf32>)
func.func @matmul(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>, %b: tensor<6xf32>)
    -> tensor<4x6xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x8xf32>, %w = %y : tensor<8x6xf32>,
      %v = %b : tensor<6xf32>) shared [4, 6] -> tensor<4x6xf32> {
    %c = loop.contract parallel [4, 6] reduction [8]
        lhs %a[d0, d2] : tensor<4x8xf32> rhs %w[d2, d1] : tensor<8x6xf32>
        acc f32 : tensor<4x6xf32> epilogue (%acc, %i, %j) {
      %e = loop.load %v[%j] : tensor<6xf32>
      %s = arith.addf %acc, %e : f32
      loop.yield %s : f32
    }
    loop.return %c : tensor<4x6xf32>
  }
  return %r : tensor<4x6xf32>
}

// -----

// A transposed operand has none: a generic op with a contraction's maps.
// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @transposed
// CHECK: linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHS]], #[[$OUT]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
func.func @transposed(%x: tensor<4x8xf32>, %y: tensor<6x8xf32>)
    -> tensor<4x6xf32> {
  %r = loop.contract parallel [4, 6] reduction [8]
      lhs %x[d0, d2] : tensor<4x8xf32> rhs %y[d1, d2] : tensor<6x8xf32>
      acc f32 : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// Writes stay in order.
// CHECK-LABEL: func.func @scatter(
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<8xf32>)
// CHECK: %[[OLD:.*]] = tensor.extract %[[T]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK: tensor.insert %[[NEW]] into %[[T]]
func.func @scatter(%x: tensor<8xf32>, %n: tensor<3xi64>, %g: tensor<3xf32>)
    -> tensor<8xf32> {
  %r = loop.scatter (%i) in [3] into %x <add> : tensor<8xf32> {
    %k = loop.load %n[%i] : tensor<3xi64>
    %p = arith.index_cast %k : i64 to index
    %e = loop.load %g[%i] : tensor<3xf32>
    loop.yield_at %e at [%p] : f32
  }
  return %r : tensor<8xf32>
}

// -----

// A single point, written or not, stands in a loop of its own, so that there is one
// buffer in both cases.
// CHECK-LABEL: func.func @scatter_of_one(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c1 step %c1 iter_args(%[[T:.*]] = %[[X]])
// CHECK: scf.if
// CHECK: tensor.insert %{{.*}} into %[[T]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[T]]
func.func @scatter_of_one(%x: tensor<8xf32>, %n: tensor<i64>, %g: tensor<f32>)
    -> tensor<8xf32> {
  %r = loop.scatter () in [] into %x <add> : tensor<8xf32> {
    %zero = arith.constant 0 : i64
    %k = loop.load %n[] : tensor<i64>
    %c = arith.cmpi sge, %k, %zero : i64
    %p = arith.index_cast %k : i64 to index
    %e = loop.load %g[] : tensor<f32>
    loop.yield_at %e at [%p] if %c : f32
  }
  return %r : tensor<8xf32>
}

// -----

// Numbers that are floats: their parts are integers.
// CHECK-LABEL: func.func @floats(
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: %[[I:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[F:.*]] = arith.sitofp %[[I]] : i64 to f64
// CHECK: %[[P:.*]] = math.powf %[[F]], %{{.*}} : f64
// CHECK: arith.divf %{{.*}}, %{{.*}} : f64
// CHECK: math.sqrt %{{.*}} : f64
// CHECK: arith.truncf %[[P]] : f64 to f32
guard.symbol @s0
func.func @floats(%x: tensor<?xf32, #guard.shape<[s0]>>) -> (f32, f64) {
  %n = guard.value <pow(tofloat(s0), float(-0.5))> : f32
  %m = guard.value <sqrt(truediv(s0, 2))> : f64
  return %n, %m : f32, f64
}

// -----

// Numbers of symbols, where a dimension is a function of the symbol.
// CHECK-LABEL: func.func @symbols(
// CHECK: %[[D:.*]] = tensor.dim
// CHECK: %[[E:.*]] = arith.subi %[[D]], %{{.*}} : index
// CHECK: %[[S:.*]] = arith.divsi %[[E]], %{{.*}} : index
// CHECK: arith.index_cast %[[S]] : index to i64
// CHECK: cf.assert %{{.*}}, "at most 64"
// CHECK-NOT: guard.
guard.symbol @s0
func.func @symbols(%x: tensor<?xf32, #guard.shape<[s0 * 2 + 1]>>) -> i64 {
  %n = guard.value <s0> : i64
  guard.assert <le(s0, 64)>, "at most 64"
  return %n : i64
}

// -----

// A function without nests is left as it is.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: return %[[X]] : tensor<4xf32>
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
