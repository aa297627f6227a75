// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file | FileCheck %s

// A block has 16 columns side by side and 32 threads for each 4 of them: a warp's 8 join by
// shuffles what they have, those of 4 warps in memory that one barrier parts, of which the next
// sum takes another half. What a thread reads once stays in registers.

// CHECK-LABEL: func.func @shared
// CHECK: #loop.step<kernel = @k, {{.*}}blocks = <25>, threads = 128>
// CHECK: llvm.mlir.global internal @k_slots() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
// CHECK: llvm.func @k(
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: arith.select
// CHECK-COUNT-12: nvvm.shfl.sync bfly
// CHECK: scf.if
// CHECK-COUNT-4: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: arith.addf
// CHECK-COUNT-12: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: llvm.return
!t = tensor<2x45x196xf32>
!c = tensor<2x1x196xf32>
func.func @shared(%x: !t) -> !t {
  %r = loop.kernel @k ins(%a = %x : !t) shared [2]
      schedule #loop.gpu_columns<threads = 128, lanes = 4, columns = 4, steps = 2> -> !t {
    %m = loop.reduce parallel (%i, %u, %k) in [2, 1, 196] reduction (%j) in [45] <max> : !c {
      %0 = loop.load %a[%i, %j, %k] : !t
      loop.yield %0 : f32
    }
    %s = loop.reduce parallel (%i, %u, %k) in [2, 1, 196] reduction (%j) in [45] <sum> : !c {
      %0 = loop.load %a[%i, %j, %k] : !t
      %1 = loop.load %m[%i, 0, %k] : !c
      %2 = arith.subf %0, %1 : f32
      loop.yield %2 : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [2, 45, 196] : !t {
      %0 = loop.load %a[%i, %j, %k] : !t
      %1 = loop.load %s[%i, 0, %k] : !c
      %2 = arith.mulf %0, %1 : f32
      loop.yield %2 : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

// Threads that have columns for themselves need neither, and all of them store what a column has.

// CHECK-LABEL: func.func @own
// CHECK: #loop.step<kernel = @k, {{.*}}blocks = <13>, threads = 32>
// CHECK-NOT: llvm.mlir.global
// CHECK: llvm.func @k(
// CHECK-NOT: nvvm.barrier0
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
!t = tensor<2x21x196xf32>
!c = tensor<2x196xf32>
func.func @own(%x: !t) -> (!t, !c) {
  %r:2 = loop.kernel @k ins(%a = %x : !t) shared [2]
      schedule #loop.gpu_columns<threads = 32, lanes = 1, columns = 32, steps = 21> -> (!t, !c) {
    %m = loop.reduce parallel (%i, %k) in [2, 196] reduction (%j) in [21] <max> : !c {
      %0 = loop.load %a[%i, %j, %k] : !t
      loop.yield %0 : f32
    }
    %p = loop.pointwise (%i, %j, %k) in [2, 21, 196] : !t {
      %0 = loop.load %a[%i, %j, %k] : !t
      %1 = loop.load %m[%i, %k] : !c
      %2 = arith.subf %0, %1 : f32
      loop.yield %2 : f32
    }
    loop.return %p, %m : !t, !c
  }
  return %r#0, %r#1 : !t, !c
}
