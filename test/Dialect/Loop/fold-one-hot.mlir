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
