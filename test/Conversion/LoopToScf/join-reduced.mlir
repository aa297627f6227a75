// RUN: kiln-opt %s --loop-set-target="vector-bits=512 vector-registers=32 masks=true" --loop-choose-schedule --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target="vector-bits=512 vector-registers=32 masks=true" --loop-choose-schedule --convert-loop-to-scf --split-input-file | FileCheck %s --check-prefix=CODE

// Rows of 14 are one row of 196 in memory: lanes of several vectors, one loop for both.

// CHECK-LABEL: func.func @images
// CHECK: schedule #loop.within<along = [32]
// CODE-LABEL: func.func @k
// CODE: scf.for
// CODE: scf.for {{.*}} iter_args
// CODE: scf.for {{.*}} iter_args
// CODE: vector<32xf32>
func.func @images(%x: tensor<8x3x14x14xf32>) -> tensor<3xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x3x14x14xf32>) shared [3] -> tensor<3xf32> {
    %s = loop.reduce parallel (%c) in [3] reduction (%n, %i, %j) in [8, 14, 14] <sum> : tensor<3xf32> {
      %v = loop.load %a[%n, %c, %i, %j] : tensor<8x3x14x14xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// -----

// A near miss: every second column, so that the end of a row is not where the next begins.

// CHECK-LABEL: func.func @columns
// CHECK: schedule #loop.within<along = [8]
func.func @columns(%x: tensor<8x3x14x16xf32>) -> tensor<3xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x3x14x16xf32>) shared [3] -> tensor<3xf32> {
    %s = loop.reduce parallel (%c) in [3] reduction (%n, %i, %j) in [8, 14, 8] <sum> : tensor<3xf32> {
      %v = loop.load %a[%n, %c, %i, %j] : tensor<8x3x14x16xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// -----

// And one that uses an index as a number.

// CHECK-LABEL: func.func @numbered
// CHECK: schedule #loop.within<along = [16]
func.func @numbered(%x: tensor<8x3x14x14xf32>) -> tensor<3xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x3x14x14xf32>) shared [3] -> tensor<3xf32> {
    %s = loop.reduce parallel (%c) in [3] reduction (%n, %i, %j) in [8, 14, 14] <sum> : tensor<3xf32> {
      %v = loop.load %a[%n, %c, %i, %j] : tensor<8x3x14x14xf32>
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      %w = arith.mulf %v, %f : f32
      loop.yield %w : f32
    }
    loop.return %s : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}
