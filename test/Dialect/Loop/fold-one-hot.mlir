// RUN: kiln-opt %s --loop-fold-one-hot --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @target
// CHECK-NOT: loop.reduce
// CHECK: loop.pointwise (%i) in [8] : tensor<8xf32> {
// CHECK-DAG: %[[T:.*]] = loop.load %{{.*}}[%i] : tensor<8xi64>
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi sge, %[[T]], %c0_i64
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %[[T]], %c1000_i64
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[ALL:.*]] = arith.andi %[[IN]], %{{.*}} : i1
// CHECK: %[[X:.*]] = arith.addf
// CHECK: %[[R:.*]] = arith.select %[[ALL]], %[[X]], %{{.*}} : f32
// CHECK: loop.yield %[[R]]
func.func @target(%target: tensor<8xi64>, %valid: tensor<8xi1>, %grad: tensor<f32>) -> tensor<8xf32> {
  %s = loop.reduce parallel (%i) in [8] reduction (%k) in [1000] <sum> : tensor<8xf32> {
    %n = arith.index_cast %k : index to i64
    %t = loop.load %target[%i] : tensor<8xi64>
    %hit = arith.cmpi eq, %n, %t : i64
    %v = loop.load %valid[%i] : tensor<8xi1>
    %both = arith.andi %hit, %v : i1
    %g = loop.load %grad[] : tensor<f32>
    %zero = arith.constant 0.0 : f32
    %x = arith.select %both, %g, %zero : f32
    loop.yield %x : f32
  }
  return %s : tensor<8xf32>
}

// -----

// The other dimension is still summed over; the number depends on it.

// CHECK-LABEL: func.func @rest
// CHECK: loop.reduce parallel (%i) in [4] reduction (%j) in [6] <sum> : tensor<4xf32> {
// CHECK: loop.load %{{.*}}[%i, %j] : tensor<4x6xi64>
// CHECK: arith.select
func.func @rest(%at: tensor<4x6xi64>, %w: tensor<4x6xf32>) -> tensor<4xf32> {
  %s = loop.reduce parallel (%i) in [4] reduction (%k, %j) in [5, 6] <sum> : tensor<4xf32> {
    %n = arith.index_cast %k : index to i64
    %t = loop.load %at[%i, %j] : tensor<4x6xi64>
    %hit = arith.cmpi eq, %t, %n : i64
    %g = loop.load %w[%i, %j] : tensor<4x6xf32>
    %zero = arith.constant 0.0 : f32
    %x = arith.select %hit, %g, %zero : f32
    loop.yield %x : f32
  }
  return %s : tensor<4xf32>
}

// -----

// A term that depends on the index, another false value, a narrow integer that more than
// one index could be, and a product stay.

// CHECK-LABEL: func.func @stay
// CHECK-COUNT-4: loop.reduce
func.func @stay(%t: tensor<8xi64>, %n: tensor<8xi8>, %x: tensor<8x300xf32>, %g: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = loop.reduce parallel (%i) in [8] reduction (%k) in [300] <sum> : tensor<8xf32> {
    %c = arith.index_cast %k : index to i64
    %a = loop.load %t[%i] : tensor<8xi64>
    %h = arith.cmpi eq, %c, %a : i64
    %v = loop.load %x[%i, %k] : tensor<8x300xf32>
    %zero = arith.constant 0.0 : f32
    %y = arith.select %h, %v, %zero : f32
    loop.yield %y : f32
  }
  %1 = loop.reduce parallel (%i) in [8] reduction (%k) in [300] <sum> : tensor<8xf32> {
    %c = arith.index_cast %k : index to i64
    %a = loop.load %t[%i] : tensor<8xi64>
    %h = arith.cmpi eq, %c, %a : i64
    %v = loop.load %g[%i] : tensor<8xf32>
    %one = arith.constant 1.0 : f32
    %y = arith.select %h, %v, %one : f32
    loop.yield %y : f32
  }
  %2 = loop.reduce parallel (%i) in [8] reduction (%k) in [300] <sum> : tensor<8xf32> {
    %c = arith.index_cast %k : index to i8
    %a = loop.load %n[%i] : tensor<8xi8>
    %h = arith.cmpi eq, %c, %a : i8
    %v = loop.load %g[%i] : tensor<8xf32>
    %zero = arith.constant 0.0 : f32
    %y = arith.select %h, %v, %zero : f32
    loop.yield %y : f32
  }
  %3 = loop.reduce parallel (%i) in [8] reduction (%k) in [300] <prod> : tensor<8xf32> {
    %c = arith.index_cast %k : index to i64
    %a = loop.load %t[%i] : tensor<8xi64>
    %h = arith.cmpi eq, %c, %a : i64
    %v = loop.load %g[%i] : tensor<8xf32>
    %zero = arith.constant 0.0 : f32
    %y = arith.select %h, %v, %zero : f32
    loop.yield %y : f32
  }
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Values that are used twice are looked at once.

// CHECK-LABEL: func.func @chain
// CHECK-NOT: loop.reduce
func.func @chain(%target: tensor<8xi64>, %grad: tensor<8xf32>) -> tensor<8xf32> {
  %s = loop.reduce parallel (%i) in [8] reduction (%k) in [1000] <sum> : tensor<8xf32> {
    %n = arith.index_cast %k : index to i64
    %t = loop.load %target[%i] : tensor<8xi64>
    %c0 = arith.cmpi eq, %n, %t : i64
    %c1 = arith.andi %c0, %c0 : i1
    %c2 = arith.andi %c1, %c1 : i1
    %c3 = arith.andi %c2, %c2 : i1
    %c4 = arith.andi %c3, %c3 : i1
    %c5 = arith.andi %c4, %c4 : i1
    %c6 = arith.andi %c5, %c5 : i1
    %c7 = arith.andi %c6, %c6 : i1
    %c8 = arith.andi %c7, %c7 : i1
    %c9 = arith.andi %c8, %c8 : i1
    %c10 = arith.andi %c9, %c9 : i1
    %c11 = arith.andi %c10, %c10 : i1
    %c12 = arith.andi %c11, %c11 : i1
    %c13 = arith.andi %c12, %c12 : i1
    %c14 = arith.andi %c13, %c13 : i1
    %c15 = arith.andi %c14, %c14 : i1
    %c16 = arith.andi %c15, %c15 : i1
    %c17 = arith.andi %c16, %c16 : i1
    %c18 = arith.andi %c17, %c17 : i1
    %c19 = arith.andi %c18, %c18 : i1
    %c20 = arith.andi %c19, %c19 : i1
    %c21 = arith.andi %c20, %c20 : i1
    %c22 = arith.andi %c21, %c21 : i1
    %c23 = arith.andi %c22, %c22 : i1
    %c24 = arith.andi %c23, %c23 : i1
    %c25 = arith.andi %c24, %c24 : i1
    %c26 = arith.andi %c25, %c25 : i1
    %c27 = arith.andi %c26, %c26 : i1
    %c28 = arith.andi %c27, %c27 : i1
    %c29 = arith.andi %c28, %c28 : i1
    %c30 = arith.andi %c29, %c29 : i1
    %c31 = arith.andi %c30, %c30 : i1
    %c32 = arith.andi %c31, %c31 : i1
    %c33 = arith.andi %c32, %c32 : i1
    %c34 = arith.andi %c33, %c33 : i1
    %c35 = arith.andi %c34, %c34 : i1
    %c36 = arith.andi %c35, %c35 : i1
    %c37 = arith.andi %c36, %c36 : i1
    %c38 = arith.andi %c37, %c37 : i1
    %c39 = arith.andi %c38, %c38 : i1
    %c40 = arith.andi %c39, %c39 : i1
    %c41 = arith.andi %c40, %c40 : i1
    %c42 = arith.andi %c41, %c41 : i1
    %c43 = arith.andi %c42, %c42 : i1
    %c44 = arith.andi %c43, %c43 : i1
    %c45 = arith.andi %c44, %c44 : i1
    %c46 = arith.andi %c45, %c45 : i1
    %c47 = arith.andi %c46, %c46 : i1
    %c48 = arith.andi %c47, %c47 : i1
    %c49 = arith.andi %c48, %c48 : i1
    %c50 = arith.andi %c49, %c49 : i1
    %c51 = arith.andi %c50, %c50 : i1
    %c52 = arith.andi %c51, %c51 : i1
    %c53 = arith.andi %c52, %c52 : i1
    %c54 = arith.andi %c53, %c53 : i1
    %c55 = arith.andi %c54, %c54 : i1
    %c56 = arith.andi %c55, %c55 : i1
    %c57 = arith.andi %c56, %c56 : i1
    %c58 = arith.andi %c57, %c57 : i1
    %c59 = arith.andi %c58, %c58 : i1
    %c60 = arith.andi %c59, %c59 : i1
    %c61 = arith.andi %c60, %c60 : i1
    %c62 = arith.andi %c61, %c61 : i1
    %c63 = arith.andi %c62, %c62 : i1
    %v0 = loop.load %grad[%i] : tensor<8xf32>
    %v1 = arith.mulf %v0, %v0 : f32
    %v2 = arith.mulf %v1, %v1 : f32
    %v3 = arith.mulf %v2, %v2 : f32
    %v4 = arith.mulf %v3, %v3 : f32
    %v5 = arith.mulf %v4, %v4 : f32
    %v6 = arith.mulf %v5, %v5 : f32
    %v7 = arith.mulf %v6, %v6 : f32
    %v8 = arith.mulf %v7, %v7 : f32
    %v9 = arith.mulf %v8, %v8 : f32
    %v10 = arith.mulf %v9, %v9 : f32
    %v11 = arith.mulf %v10, %v10 : f32
    %v12 = arith.mulf %v11, %v11 : f32
    %v13 = arith.mulf %v12, %v12 : f32
    %v14 = arith.mulf %v13, %v13 : f32
    %v15 = arith.mulf %v14, %v14 : f32
    %v16 = arith.mulf %v15, %v15 : f32
    %v17 = arith.mulf %v16, %v16 : f32
    %v18 = arith.mulf %v17, %v17 : f32
    %v19 = arith.mulf %v18, %v18 : f32
    %v20 = arith.mulf %v19, %v19 : f32
    %v21 = arith.mulf %v20, %v20 : f32
    %v22 = arith.mulf %v21, %v21 : f32
    %v23 = arith.mulf %v22, %v22 : f32
    %v24 = arith.mulf %v23, %v23 : f32
    %v25 = arith.mulf %v24, %v24 : f32
    %v26 = arith.mulf %v25, %v25 : f32
    %v27 = arith.mulf %v26, %v26 : f32
    %v28 = arith.mulf %v27, %v27 : f32
    %v29 = arith.mulf %v28, %v28 : f32
    %v30 = arith.mulf %v29, %v29 : f32
    %v31 = arith.mulf %v30, %v30 : f32
    %v32 = arith.mulf %v31, %v31 : f32
    %v33 = arith.mulf %v32, %v32 : f32
    %v34 = arith.mulf %v33, %v33 : f32
    %v35 = arith.mulf %v34, %v34 : f32
    %v36 = arith.mulf %v35, %v35 : f32
    %v37 = arith.mulf %v36, %v36 : f32
    %v38 = arith.mulf %v37, %v37 : f32
    %v39 = arith.mulf %v38, %v38 : f32
    %v40 = arith.mulf %v39, %v39 : f32
    %v41 = arith.mulf %v40, %v40 : f32
    %v42 = arith.mulf %v41, %v41 : f32
    %v43 = arith.mulf %v42, %v42 : f32
    %v44 = arith.mulf %v43, %v43 : f32
    %v45 = arith.mulf %v44, %v44 : f32
    %v46 = arith.mulf %v45, %v45 : f32
    %v47 = arith.mulf %v46, %v46 : f32
    %v48 = arith.mulf %v47, %v47 : f32
    %v49 = arith.mulf %v48, %v48 : f32
    %v50 = arith.mulf %v49, %v49 : f32
    %v51 = arith.mulf %v50, %v50 : f32
    %v52 = arith.mulf %v51, %v51 : f32
    %v53 = arith.mulf %v52, %v52 : f32
    %v54 = arith.mulf %v53, %v53 : f32
    %v55 = arith.mulf %v54, %v54 : f32
    %v56 = arith.mulf %v55, %v55 : f32
    %v57 = arith.mulf %v56, %v56 : f32
    %v58 = arith.mulf %v57, %v57 : f32
    %v59 = arith.mulf %v58, %v58 : f32
    %v60 = arith.mulf %v59, %v59 : f32
    %v61 = arith.mulf %v60, %v60 : f32
    %v62 = arith.mulf %v61, %v61 : f32
    %v63 = arith.mulf %v62, %v62 : f32
    %zero = arith.constant 0.0 : f32
    %x = arith.select %c63, %v63, %zero : f32
    loop.yield %x : f32
  }
  return %s : tensor<8xf32>
}

// -----

// A sum over dimensions of one element is its term.
// CHECK-LABEL: func.func @single
// CHECK-NOT: loop.reduce
// CHECK: loop.pointwise (%i, %j) in [8, 14] : tensor<8x14xf32> {
// CHECK: %[[G:.*]] = loop.load %{{.*}}[%i]
// CHECK: %[[X:.*]] = arith.addf %[[G]], %{{.*}} : f32
// CHECK: loop.yield %[[X]] : f32
func.func @single(%grad: tensor<8xf32>) -> tensor<8x14xf32> {
  %s = loop.reduce parallel (%i, %j) in [8, 14] reduction (%k, %l) in [1, 1] <sum> : tensor<8x14xf32> {
    %g = loop.load %grad[%i + %k] : tensor<8xf32>
    loop.yield %g : f32
  }
  return %s : tensor<8x14xf32>
}
