// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s

// A row with mirrored edges: what is between them is a copy, in vectors of neighbours. The
// edges alone compute where each lane reads.

// CHECK-LABEL: func.func @mirrored
// CHECK-DAG: %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[C115:.+]] = arith.constant 115 : index
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.store
// CHECK: scf.for %{{.+}} = %[[C3]] to %[[C115]]
// CHECK-NOT: gather
// CHECK-NOT: vector<16xindex>
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.store
// CHECK-NOT: gather
// CHECK: return
func.func @main(%x: tensor<7x112xf32>, %w: tensor<7x24xf32>) -> (tensor<7x118xf32>, tensor<7x28xf32>) {
  %r = loop.kernel @mirrored ins(%a = %x : tensor<7x112xf32>) shared [7, 118]
      schedule #loop.across<lanes = 16, chunk = 118, sum_block = 0, masked = true, grain = 1>
      -> tensor<7x118xf32> {
    %p = loop.pointwise (%i, %j) in [7, 118] : tensor<7x118xf32> {
      %0 = loop.load %a[%i, min(max(%j - 3, 3 - %j), 222 - max(%j - 3, 3 - %j))] : tensor<7x112xf32>
      loop.yield %0 : f32
    }
    loop.return %p : tensor<7x118xf32>
  }
  // Less than a vector is between these edges: the row stays one loop.
  // CHECK-LABEL: func.func @narrow
  // CHECK-COUNT-2: llvm.intr.masked.gather
  // CHECK-NOT: llvm.load {{.*}} -> vector<16xf32>
  // CHECK: return
  %s = loop.kernel @narrow ins(%a = %w : tensor<7x24xf32>) shared [7, 28]
      schedule #loop.across<lanes = 16, chunk = 28, sum_block = 0, masked = true, grain = 1>
      -> tensor<7x28xf32> {
    %p = loop.pointwise (%i, %j) in [7, 28] : tensor<7x28xf32> {
      %0 = loop.load %a[%i, min(max(%j - 8, 8 - %j), 14)] : tensor<7x24xf32>
      loop.yield %0 : f32
    }
    loop.return %p : tensor<7x28xf32>
  }
  return %r, %s : tensor<7x118xf32>, tensor<7x28xf32>
}

// Windows of a row whose border is repeated: the vectors at its ends alone compute where each
// lane reads.

// CHECK-LABEL: func.func @border
// CHECK: llvm.intr.masked.gather
// CHECK: scf.for
// CHECK-NOT: gather
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT: gather
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.gather
// CHECK: return
func.func @windows(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %r = loop.kernel @border ins(%a = %x : tensor<6x64xf32>) shared [6, 64]
      schedule #loop.across<lanes = 16, chunk = 64, sum_block = 128, masked = true,
                            grain = 1, points = 2> -> tensor<6x64xf32> {
    %s = loop.reduce parallel (%i, %j) in [6, 64] reduction (%k) in [3] <sum> : tensor<6x64xf32> {
      %0 = loop.load %a[%i, min(63, max(0, %j + %k - 1))] : tensor<6x64xf32>
      loop.yield %0 : f32
    }
    loop.return %s : tensor<6x64xf32>
  }
  return %r : tensor<6x64xf32>
}
