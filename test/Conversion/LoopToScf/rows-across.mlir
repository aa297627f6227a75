// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s

// Rows that are neighbours in memory, as those of the gradient of a weight, are packed a
// piece of each panel at a time. Four panels of 6 rows that all exist are moved without a
// loop over them and without a mask that is computed; the last ones, which are fewer, have
// both.

// CHECK-LABEL: func.func @gradient
// CHECK-DAG: %[[SIX:.*]] = arith.constant dense<[true, true, true, true, true, true, false, {{.*}}]> : vector<16xi1>
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-4: llvm.intr.masked.load {{.*}}, %[[SIX]], {{.*}} -> vector<16xf32>
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.cmpi {{slt|sgt}}, {{.*}} : vector<16xi32>
// CHECK: llvm.intr.masked.load
func.func @main(%x: tensor<800x57xf32>, %y: tensor<800x128xf32>) -> tensor<57x128xf32> {
  %r = loop.kernel @gradient ins(%a = %x : tensor<800x57xf32>, %b = %y : tensor<800x128xf32>) shared []
      schedule #loop.packed<lanes = 16, tile_rows = 6, tile_columns = 64,
          block_rows = 60, block_depth = 800, item_rows = 60, item_columns = 128,
          unroll = 4, masked = true, grain = 1> -> tensor<57x128xf32> {
    %p = loop.contract parallel [57, 128] reduction [800]
        lhs %a[d2, d0] : tensor<800x57xf32> rhs %b[d2, d1] : tensor<800x128xf32>
        acc f32 : tensor<57x128xf32>
    loop.return %p : tensor<57x128xf32>
  }
  return %r : tensor<57x128xf32>
}
