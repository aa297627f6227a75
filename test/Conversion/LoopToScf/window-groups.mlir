// RUN: kiln-opt %s --convert-loop-to-scf | FileCheck %s

// Four channels of a group read one of the image: a vector is shuffled out of the four that
// sixteen of them read, which lie four apart. What is behind the last one is not read.

// CHECK-LABEL: func.func @groups
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[FLAGS:.*]] = arith.constant dense<[true, false, false, false, true, false, false, false, true, false, false, false, true, false, false, false]> : vector<16xi1>
// CHECK: %[[READ:.*]] = llvm.intr.masked.load %{{.*}}, %[[FLAGS]], %{{.*}} : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
// CHECK: vector.shuffle %[[READ]], %[[READ]] [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]
// CHECK-NOT: gather
// CHECK: return
!x = tensor<2x9x32xf32>
!w = tensor<4x3x32xf32>
!y = tensor<2x7x32xf32>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @groups ins(%a = %x : !x, %b = %w : !w) shared [2, 7, 32]
      schedule #loop.across<lanes = 16, chunk = 32, sum_block = 128, masked = true, grain = 1,
                            points = 7> -> !y {
    %s = loop.contract parallel [2, 7, 32] reduction [4, 3]
        lhs %a[d0, d1 + d4, d3 + floordiv(d2, 4) * 4] : !x rhs %b[d3, d4, d2] : !w
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
}

// Without masks each of them is read by itself.
// CHECK-LABEL: func.func @unmasked
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[SECOND:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[BOTH:.*]] = vector.from_elements %[[FIRST]], %[[SECOND]] : vector<2xf32>
// CHECK: vector.shuffle %[[BOTH]], %[[BOTH]] [0, 0, 0, 0, 1, 1, 1, 1]
// CHECK-NOT: gather
// CHECK: return
func.func @narrow(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @unmasked ins(%a = %x : !x, %b = %w : !w) shared [2, 7, 32]
      schedule #loop.across<lanes = 8, chunk = 32, sum_block = 128, masked = false, grain = 1,
                            points = 7> -> !y {
    %s = loop.contract parallel [2, 7, 32] reduction [4, 3]
        lhs %a[d0, d1 + d4, d3 + floordiv(d2, 4) * 4] : !x rhs %b[d3, d4, d2] : !w
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
}

// A vector has no whole groups of three.
// CHECK-LABEL: func.func @odd
// CHECK: gather
// CHECK: return
!odd = tensor<2x7x48xf32>
!of_odd = tensor<4x3x48xf32>
func.func @threes(%x: !x, %w: !of_odd) -> !odd {
  %r = loop.kernel @odd ins(%a = %x : !x, %b = %w : !of_odd) shared [2, 7, 48]
      schedule #loop.across<lanes = 16, chunk = 48, sum_block = 128, masked = true, grain = 1,
                            points = 7> -> !odd {
    %s = loop.contract parallel [2, 7, 48] reduction [1, 3]
        lhs %a[d0, d1 + d4, d3 + floordiv(d2, 3)] : !x rhs %b[d3, d4, d2] : !of_odd
        acc f32 : !odd
    loop.return %s : !odd
  }
  return %r : !odd
}

// Tiles of what is read across begin with whole groups, too: statistics of groups of four are
// not gathered for each row of a tile.
// CHECK-LABEL: func.func @tiles
// CHECK: %[[ALL:.*]] = arith.constant dense<true> : vector<4xi1>
// CHECK: %[[FOUR:.*]] = llvm.intr.masked.load %{{.*}}, %[[ALL]], %{{.*}} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
// CHECK: vector.shuffle %[[FOUR]], %[[FOUR]] [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
// CHECK-NOT: gather
// CHECK: return
!first = tensor<2x64x96xf32>
!last = tensor<2x96x64xf32>
!sums = tensor<2x16xf32>
func.func @statistics(%x: !first, %y: !sums) -> !last {
  %r = loop.kernel @tiles ins(%a = %x : !first, %b = %y : !sums) shared [2, 96, 64]
      schedule #loop.transpose<dim = 1, lanes = 16, block = 64, grain = 1> -> !last {
    %s = loop.pointwise (%n, %h, %c) in [2, 96, 64] : !last {
      %e = loop.load %a[%n, %c, %h] : !first
      %m = loop.load %b[%n, floordiv(%c, 4)] : !sums
      %d = arith.subf %e, %m : f32
      loop.yield %d : f32
    }
    loop.return %s : !last
  }
  return %r : !last
}
