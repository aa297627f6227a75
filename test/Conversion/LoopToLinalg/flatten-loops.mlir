// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(kiln-flatten-loops))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(kiln-flatten-loops,scf-parallel-loop-tiling{parallel-loop-tile-sizes=256 no-min-max-bounds=true},gpu-map-parallel-loops,convert-parallel-loops-to-gpu))' \
// RUN:   | FileCheck %s --check-prefix=LAUNCH

// Loops of several dimensions have one, the last of which are neighbours. What is between
// two of them is a loop of one iteration; what touches no memory stays for all.

// CHECK-LABEL: func.func @k
// CHECK-DAG: %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[C8:c8.+]] = arith.constant 8 : index
// CHECK: %[[A:.*]] = arith.muli %{{.*}}, %[[N]] : index
// CHECK: %[[B:.*]] = arith.muli %[[A]], %[[C8]] : index
// CHECK: scf.parallel (%[[K:.*]]) = (%{{.*}}) to (%[[B]]) step (%{{.*}}) {
// CHECK: arith.remsi %[[K]], %[[C8]] : index
// CHECK: arith.divsi %[[K]], %[[C8]] : index
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step
// CHECK-NEXT: llvm.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: llvm.store
// CHECK-NEXT: scf.reduce
// CHECK: scf.parallel
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: llvm.store
// LAUNCH-LABEL: func.func @k
// LAUNCH-COUNT-3: gpu.launch
func.func @k(%p: !llvm.ptr<1>, %w: !llvm.ptr<1>, %s: i64)
    attributes {loop.symbols = [#guard.expr<s0>]} {
  %n = arith.index_cast %s : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c8) step (%c1, %c1) {
    scf.for %k = %c0 to %i step %c1 {
      %o = arith.index_cast %j : index to i64
      %a = llvm.getelementptr %p[%o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      llvm.store %f, %a : f32, !llvm.ptr<1>
    }
  }
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = arith.addf %x, %f : f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j, %k) = (%c0, %c0) to (%i, %n) step (%c1, %c1) {
      llvm.store %f, %p : f32, !llvm.ptr<1>
    }
  }
  return
}

// A function of another form stays as it is.
// CHECK-LABEL: func.func @other
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) =
func.func @other(%p: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c1, %c1) step (%c1, %c1) {
    llvm.store %f, %p : f32, !llvm.ptr
  }
  return
}
