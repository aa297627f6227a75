// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s

// A row is sorted by digits of eight bits. Key and position are a word, the key above; all
// digits are counted at once; a pass for each of them is left out where all elements have
// the same, and else moves each element to where those with its digit have come to.

// CHECK-LABEL: func.func @packed
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C100:.*]] = arith.constant 100 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[BITS:.*]] = arith.constant 32 : i64
// CHECK: scf.for {{.*}} to %[[C100]]
// CHECK: arith.shli {{.*}}, %[[BITS]] : i64
// CHECK: llvm.store {{.*}} : i64
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<8xi64>
// CHECK: scf.for {{.*}} to %[[C100]]
// CHECK: arith.shrui {{.*}} : i64
// CHECK: %[[FROM:.*]] = scf.for %{{.*}} = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[SOFAR:.*]] = %[[C0]])
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %{{.*}}, %[[C100]] : index
// CHECK: scf.if %[[SAME]]
// CHECK: scf.yield %[[SOFAR]]
// CHECK: } else {
// CHECK: %[[TO:.*]] = arith.subi %[[C100]], %[[SOFAR]] : index
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (i64)
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> i64
// CHECK: llvm.load {{.*}} -> i64
// CHECK: llvm.store
// CHECK: llvm.store
// CHECK: scf.yield %[[TO]] : index
func.func @main(%x: tensor<7x100xi32>, %y: tensor<7x100xi16>) -> (tensor<7x100xi64>, tensor<7x100xi64>) {
  %r = loop.kernel @packed ins(%a = %x : tensor<7x100xi32>) shared [7]
      schedule #loop.within<along = [1], beside = [1], sum_block = 0, masked = true, grain = 1>
      -> tensor<7x100xi64> {
    %s = loop.sort parallel (%i) in [7] along (%j) in [100] at 1 : tensor<7x100xi64> {
      %e = loop.load %a[%i, %j] : tensor<7x100xi32>
      loop.yield %e : i32
    }
    loop.return %s : tensor<7x100xi64>
  }

  // Of two keys the last one, of four digits, is sorted by first; then those of two.
  // CHECK-LABEL: func.func @two
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: scf.for %{{.*}} to %[[C4]] {{.*}} iter_args
  // CHECK: scf.for %{{.*}} to %[[C2]] {{.*}} iter_args
  // CHECK: return
  %t = loop.kernel @two ins(%a = %x : tensor<7x100xi32>, %b = %y : tensor<7x100xi16>) shared [7]
      schedule #loop.within<along = [1], beside = [1], sum_block = 0, masked = true, grain = 1>
      -> tensor<7x100xi64> {
    %s = loop.sort parallel (%i) in [7] along (%j) in [100] at 1 : tensor<7x100xi64> {
      %e = loop.load %a[%i, %j] : tensor<7x100xi32>
      %f = loop.load %b[%i, %j] : tensor<7x100xi16>
      loop.yield %f, %e : i16, i32
    }
    loop.return %s : tensor<7x100xi64>
  }
  return %r, %t : tensor<7x100xi64>, tensor<7x100xi64>
}
