// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s

// A row that is put together of two others is walked piece by piece: there a comparison is
// known, and what it leaves out is not read. The first piece has whole vectors; the second
// begins at 32 and ends in one with a mask.

// CHECK-LABEL: func.func @joined
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK-NOT: arith.select
// CHECK: scf.for %{{.+}} = %[[C0]] to %[[C32]]
// CHECK-NOT: mask
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT: load
// CHECK: llvm.store
// CHECK-NOT: mask
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT: load
// CHECK: llvm.store
// CHECK: llvm.intr.masked.load
// CHECK-NOT: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK: return
func.func @main(%x: tensor<7x32xf32>, %y: tensor<7x20xf32>) -> tensor<7x52xf32> {
  %r = loop.kernel @joined ins(%a = %x : tensor<7x32xf32>, %b = %y : tensor<7x20xf32>)
      shared [7, 52]
      schedule #loop.across<lanes = 16, chunk = 52, sum_block = 0, masked = true, grain = 1>
      -> tensor<7x52xf32> {
    %zero = arith.constant 0.0 : f32
    %c32 = arith.constant 32 : index
    %p = loop.pointwise (%i, %j) in [7, 52] : tensor<7x52xf32> {
      %0 = arith.cmpi slt, %j, %c32 : index
      %1 = loop.load %a[%i, %j] mask %0, %zero : tensor<7x32xf32>
      %2 = arith.cmpi sge, %j, %c32 : index
      %3 = loop.load %b[%i, %j - 32] mask %2, %zero : tensor<7x20xf32>
      %4 = arith.select %2, %3, %1 : f32
      loop.yield %4 : f32
    }
    loop.return %p : tensor<7x52xf32>
  }
  %s = loop.kernel @chunks ins(%a = %r : tensor<7x52xf32>) shared [7, 52]
      schedule #loop.across<lanes = 16, chunk = 32, sum_block = 0, masked = true, grain = 1>
      -> tensor<7x52xf32> {
    %zero = arith.constant 0.0 : f32
    %c20 = arith.constant 20 : index
    %p = loop.pointwise (%i, %j) in [7, 52] : tensor<7x52xf32> {
      %0 = arith.cmpi slt, %j, %c20 : index
      %1 = loop.load %a[%i, %j + 20] mask %0, %zero : tensor<7x52xf32>
      loop.yield %1 : f32
    }
    loop.return %p : tensor<7x52xf32>
  }
  return %s : tensor<7x52xf32>
}

// A row of two items: a piece is what it has in the item, maybe nothing.
// CHECK-LABEL: func.func @chunks
// CHECK: %[[C20:.+]] = arith.constant 20 : index
// CHECK: %[[LOW:.+]] = arith.muli
// CHECK: %[[END:.+]] = arith.minsi {{.*}}, %[[C20]] : index
// CHECK: arith.maxsi %[[LOW]], %[[END]] : index
// CHECK: arith.maxsi %[[LOW]], %[[C20]] : index
