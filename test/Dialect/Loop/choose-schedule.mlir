// RUN: kiln-opt %s --loop-choose-schedule --split-input-file | FileCheck %s

// The lanes of a reduction follow from the reduction alone: they are the same in
// a kernel that also computes with wider elements, so that what is computed again
// elsewhere adds up in the same order. The kernel's own vectors are narrower.

// CHECK-LABEL: func.func @alone
// CHECK: schedule #loop.schedule<row, vector = 8, grain
// CHECK: loop.reduce {{.*}} <sum> attributes {loop.lanes = 16 : i64}
func.func @alone(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x64xf32>) shared [4]
      -> tensor<4xf32> {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum>
        : tensor<4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @beside_integers
// CHECK: schedule #loop.schedule<row, vector = 4,
// CHECK: loop.reduce {{.*}} <sum> attributes {loop.lanes = 16 : i64}
// CHECK: loop.reduce {{.*}} <all> attributes {loop.lanes = 16 : i64}
func.func @beside_integers(%x: tensor<4x64xf32>, %y: tensor<4x64xi64>)
    -> (tensor<4xf32>, tensor<4xi1>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<4x64xf32>,
                            %b = %y : tensor<4x64xi64>) shared [4]
      -> (tensor<4xf32>, tensor<4xi1>) {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum>
        : tensor<4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      loop.yield %v : f32
    }
    %t = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <all>
        : tensor<4xi1> {
      %zero = arith.constant 0 : i64
      %v = loop.load %b[%i, %j] : tensor<4x64xi64>
      %w = arith.cmpi sge, %v, %zero : i64
      loop.yield %w : i1
    }
    loop.return %s, %t : tensor<4xf32>, tensor<4xi1>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi1>
}

// In a kernel of rows, a reduction that reads across them has them side by side.

// CHECK-LABEL: func.func @across
// CHECK: schedule #loop.schedule<row,
// CHECK: loop.reduce parallel ({{.*}}) in [4] {{.*}} <sum> attributes {loop.lanes = 16 : i64}
// CHECK: loop.reduce parallel ({{.*}}) in [64] {{.*}} <sum> attributes {loop.lanes = 1 : i64}
func.func @across(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>)
    -> (tensor<4xf32>, tensor<64xf32>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<4x64xf32>,
                            %b = %y : tensor<4x64xf32>) shared []
      -> (tensor<4xf32>, tensor<64xf32>) {
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum>
        : tensor<4xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      %u = loop.load %b[%i, %j] : tensor<4x64xf32>
      %w = arith.mulf %v, %u : f32
      loop.yield %w : f32
    }
    %t = loop.reduce parallel (%j) in [64] reduction (%i) in [4] <sum>
        : tensor<64xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x64xf32>
      loop.yield %v : f32
    }
    loop.return %s, %t : tensor<4xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<64xf32>
}
