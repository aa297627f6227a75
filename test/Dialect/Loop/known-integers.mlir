// RUN: kiln-opt %s --loop-inline-virtual --split-input-file | FileCheck %s

// Positions 0 to 63 of a table of 64 rows need neither a check nor a bound.

// CHECK-LABEL: func.func @positions
// CHECK-NOT: loop.reduce
// CHECK-NOT: loop.extern
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]]) in [64, 8]
// CHECK-NEXT: %[[X:.*]] = loop.load %arg0[%[[I]], %[[J]]] : tensor<64x8xf32>
// CHECK-NEXT: loop.yield %[[X]]
func.func @positions(%w: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %p = loop.pointwise (%i) in [64] : tensor<64xi64> {
    %a = arith.index_cast %i : index to i64
    loop.yield %a : i64
  }
  %c = loop.reduce parallel () in [] reduction (%i) in [64] <all> : tensor<i1> {
    %zero = arith.constant 0 : i64
    %size = arith.constant 64 : i64
    %a = loop.load %p[%i] : tensor<64xi64>
    %low = arith.cmpi sge, %a, %zero : i64
    %high = arith.cmpi slt, %a, %size : i64
    %both = arith.andi %low, %high : i1
    loop.yield %both : i1
  }
  loop.extern "aten._assert_async.msg"(%c) arguments [#loop.operand<0>, "index out of range in self"] : (tensor<i1>) -> ()
  %r = loop.pointwise (%i, %j) in [64, 8] : tensor<64x8xf32> {
    %last = arith.constant 63 : index
    %zero = arith.constant 0 : index
    %a = loop.load %p[%i] : tensor<64xi64>
    %b = arith.index_cast %a : i64 to index
    %c0 = arith.minsi %b, %last : index
    %c1 = arith.maxsi %c0, %zero : index
    %x = loop.load %w[%c1, %j] : tensor<64x8xf32>
    loop.yield %x : f32
  }
  return %r : tensor<64x8xf32>
}

// -----

// The last of 65 positions is none: everything stays.

// CHECK-LABEL: func.func @beyond
// CHECK: loop.reduce
// CHECK: loop.extern "aten._assert_async.msg"
// CHECK: arith.minsi
// CHECK: loop.load
func.func @beyond(%w: tensor<64x8xf32>) -> tensor<65x8xf32> {
  %c = loop.reduce parallel () in [] reduction (%i) in [65] <all> : tensor<i1> {
    %size = arith.constant 64 : i64
    %a = arith.index_cast %i : index to i64
    %high = arith.cmpi slt, %a, %size : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%c) arguments [#loop.operand<0>, "index out of range in self"] : (tensor<i1>) -> ()
  %r = loop.pointwise (%i, %j) in [65, 8] : tensor<65x8xf32> {
    %last = arith.constant 63 : index
    %zero = arith.constant 0 : index
    %a = arith.index_cast %i : index to i64
    %b = arith.index_cast %a : i64 to index
    %c0 = arith.minsi %b, %last : index
    %c1 = arith.maxsi %c0, %zero : index
    %x = loop.load %w[%c1, %j] : tensor<64x8xf32>
    loop.yield %x : f32
  }
  return %r : tensor<65x8xf32>
}

// -----

// Sizes that are symbols bound their indices. Products that may leave 64 bits decide nothing.

// CHECK-LABEL: func.func @symbols
// CHECK-COUNT-1: loop.reduce
// CHECK: arith.muli
// CHECK-COUNT-1: loop.extern
// CHECK-NOT: loop.extern
func.func @symbols(%x: tensor<?xf32, #guard.shape<[s0]>>) {
  %c = loop.reduce parallel () in [] reduction (%i) in [s0] <all> : tensor<i1> {
    %size = loop.index (s0)
    %high = arith.cmpi slt, %i, %size : index
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%c) arguments [#loop.operand<0>, "too large"] : (tensor<i1>) -> ()
  %d = loop.reduce parallel () in [] reduction (%i) in [s0] <all> : tensor<i1> {
    %zero = arith.constant 0 : i64
    %a = arith.index_cast %i : index to i64
    %b = arith.muli %a, %a : i64
    %low = arith.cmpi sge, %b, %zero : i64
    loop.yield %low : i1
  }
  loop.extern "aten._assert_async.msg"(%d) arguments [#loop.operand<0>, "negative"] : (tensor<i1>) -> ()
  return
}

// -----

// What is asserted once is not asserted again: the checks of all layers are one nest.

// CHECK-LABEL: func.func @twice
// CHECK-COUNT-1: loop.reduce
// CHECK: loop.extern "aten._assert_async.msg"(%{{.*}}) arguments [#loop.operand<0>, "first"]
// CHECK-NOT: loop.extern
func.func @twice(%p: tensor<1xi64>) {
  %c = loop.reduce parallel () in [] reduction (%i) in [1] <all> : tensor<i1> {
    %size = arith.constant 64 : i64
    %a = loop.load %p[%i] : tensor<1xi64>
    %high = arith.cmpi slt, %a, %size : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%c) arguments [#loop.operand<0>, "first"] : (tensor<i1>) -> ()
  %d = loop.reduce parallel () in [] reduction (%i) in [1] <all> : tensor<i1> {
    %size = arith.constant 64 : i64
    %a = loop.load %p[%i] : tensor<1xi64>
    %high = arith.cmpi slt, %a, %size : i64
    loop.yield %high : i1
  }
  loop.extern "aten._assert_async.msg"(%d) arguments [#loop.operand<0>, "second"] : (tensor<i1>) -> ()
  return
}
