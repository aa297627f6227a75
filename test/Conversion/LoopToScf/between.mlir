// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s

// Two rows lie between each other, of which the first begins with the second element: which lanes
// of a vector are whose is a constant, and each row is read in vectors of the nine and eight of
// its elements that there are.

// CHECK-LABEL: func.func @between
// CHECK-DAG: arith.constant dense<[false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true]> : vector<16xi1>
// CHECK-DAG: arith.constant dense<[true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false]> : vector<16xi1>
// CHECK: %[[EVEN:.*]] = llvm.intr.masked.load %{{.*}} : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
// CHECK: vector.shuffle %[[EVEN]], %[[EVEN]] [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]
// CHECK: %[[ODD:.*]] = llvm.intr.masked.load %{{.*}} : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
// CHECK: vector.shuffle %[[ODD]], %[[ODD]] [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]
// CHECK-NOT: gather
// CHECK: return
!x = tensor<3x32xf32>
!y = tensor<3x64xf32>
func.func @main(%x: !x, %w: !x) -> !y {
  %r = loop.kernel @between ins(%a = %x : !x, %b = %w : !x) shared [3, 64]
      schedule #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true, grain = 1> -> !y {
    %p = loop.pointwise (%i, %j) in [3, 64] : !y {
      %zero = arith.constant 0.0 : f32
      %none = arith.constant 0 : index
      %0 = loop.index (lt(mod(%j + 1, 2), 1))
      %first = arith.cmpi ne, %0, %none : index
      %1 = loop.load %a[%i, floordiv(%j + 1, 2) - 1] mask %first, %zero : !x
      %2 = loop.index (le(1, mod(%j + 1, 2)))
      %second = arith.cmpi ne, %2, %none : index
      %3 = loop.load %b[%i, floordiv(%j + 1, 2)] mask %second, %1 : !x
      loop.yield %3 : f32
    }
    loop.return %p : !y
  }
  return %r : !y
}

// A number that only some lanes read is read once: it is there for all of them.

// CHECK-LABEL: func.func @scaled
// CHECK: %[[ONE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[ALL:.*]] = vector.broadcast %[[ONE]] : f32 to vector<16xf32>
// CHECK: arith.select %{{.*}}, %[[ALL]], %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-NOT: gather
// CHECK: return
func.func @scales(%x: !x, %s: tensor<f32>) -> !y {
  %r = loop.kernel @scaled ins(%a = %x : !x, %b = %s : tensor<f32>) shared [3, 64]
      schedule #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true, grain = 1> -> !y {
    %p = loop.pointwise (%i, %j) in [3, 64] : !y {
      %zero = arith.constant 0.0 : f32
      %none = arith.constant 0 : index
      %0 = loop.index (mod(%j, 2))
      %even = arith.cmpi eq, %0, %none : index
      %1 = loop.load %a[%i, floordiv(%j, 2)] mask %even, %zero : !x
      %2 = loop.load %b[] mask %even, %zero : tensor<f32>
      %3 = arith.mulf %1, %2 : f32
      loop.yield %3 : f32
    }
    loop.return %p : !y
  }
  return %r : !y
}
