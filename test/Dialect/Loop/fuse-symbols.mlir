// RUN: kiln-opt %s --loop-fuse --loop-order-kernels | FileCheck %s

// A nest over as many elements as a program counts stays behind the count,
// although it reads nothing that the count gives.

guard.symbol @u0 unbacked range [0, 100]

// CHECK-LABEL: func.func @counted
// CHECK: loop.reduce
// CHECK: loop.extern "aten.item.default"
// CHECK: loop.kernel {{.*}} shared [u0]
func.func @counted(%x: tensor<100xi64>)
    -> tensor<?xf32, #guard.shape<[u0]>> {
  %n = loop.reduce parallel () in [] reduction (%i) in [100] <sum>
      : tensor<i64> {
    %e = loop.load %x[%i] : tensor<100xi64>
    loop.yield %e : i64
  }
  %s = loop.extern "aten.item.default"(%n) arguments [#loop.operand<0>]
      {symbol = "u0"} : (tensor<i64>) -> i64
  %r = loop.pointwise (%i) in [u0] : tensor<?xf32, #guard.shape<[u0]>> {
    %c = arith.constant 1.0 : f32
    loop.yield %c : f32
  }
  return %r : tensor<?xf32, #guard.shape<[u0]>>
}

// So does one that reads the count through a number, which stands outside of the
// nest.

// CHECK-LABEL: func.func @counted_number
// CHECK: loop.reduce
// CHECK: loop.extern "aten.item.default"
// CHECK: loop.kernel
// CHECK: guard.value <u0 * 2 + 1> : i64
// CHECK: arith.addi
func.func @counted_number(%x: tensor<100xi64>) -> tensor<100xi64> {
  %a = loop.pointwise (%i) in [100] : tensor<100xi64> {
    %e = loop.load %x[%i] : tensor<100xi64>
    %f = arith.muli %e, %e : i64
    loop.yield %f : i64
  }
  %n = loop.reduce parallel () in [] reduction (%i) in [100] <sum>
      : tensor<i64> {
    %e = loop.load %a[%i] : tensor<100xi64>
    loop.yield %e : i64
  }
  %s = loop.extern "aten.item.default"(%n) arguments [#loop.operand<0>]
      {symbol = "u0"} : (tensor<i64>) -> i64
  %k = guard.value <u0 * 2 + 1> : i64
  %r = loop.pointwise (%i) in [100] : tensor<100xi64> {
    %e = loop.load %a[%i] : tensor<100xi64>
    %f = arith.addi %e, %k : i64
    loop.yield %f : i64
  }
  return %r : tensor<100xi64>
}
