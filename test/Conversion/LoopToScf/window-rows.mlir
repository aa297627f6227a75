// RUN: kiln-opt %s --convert-loop-to-scf | FileCheck %s

// The first vector of a row looks which elements there are, by a mask that is a constant. Those
// behind it read two vectors, which have an element in common, and pick every second one;
// the last one begins where it ends with the row.

// Two rows are walked together. Those whose windows begin within the image do not look whether
// they do: an address is chosen in the first two rows alone.

// CHECK-LABEL: func.func @pool
// CHECK: %[[ROW:.*]] = arith.muli
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[FROM:.*]] = arith.cmpi sge, %[[ROW]], %[[TWO]] : index
// CHECK: %[[LAST:.*]] = arith.constant 54 : index
// CHECK: %[[TO:.*]] = arith.cmpi sle, %[[ROW]], %[[LAST]] : index
// CHECK: %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[TO]] : i1
// CHECK: scf.if %[[INSIDE]] {
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.constant dense<[false, true, true,{{.*}}]> : vector<16xi1>
// CHECK: llvm.intr.masked.load {{.*}} vector<32xf32>
// CHECK: vector.shuffle %{{.*}} [0, 2, 4, {{.*}}, 30] : vector<32xf32>, vector<32xf32>
// CHECK: %[[SECOND:.*]] = arith.constant 16 : index
// CHECK: scf.for %{{.*}} = %[[SECOND]] to
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: masked
// CHECK-NOT: select
// CHECK: %[[LOW:.*]] = llvm.load %[[AT:.*]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[HIGH:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK: arith.constant 40 : index
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: masked
// CHECK-NOT: select
// CHECK: vector.shuffle %{{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK-NOT: masked
// CHECK-NOT: select
// CHECK: } else {
// CHECK: scf.for {{.*}} iter_args
// CHECK: llvm.intr.masked.load {{.*}} vector<32xf32>
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.select {{.*}} : !llvm.ptr
// CHECK-NOT: masked
// CHECK: return
!x = tensor<4x112x112xf32>
!y = tensor<4x56x56xf32>
func.func @rows(%x: !x) -> !y {
  %r = loop.kernel @pool ins(%a = %x : !x) shared [4, 56, 56]
      schedule #loop.across<lanes = 16, chunk = 56, sum_block = 0, masked = true, grain = 1,
                            points = 2> -> !y {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : index
    %m = loop.reduce parallel (%n, %i, %j) in [4, 56, 56] reduction (%k, %l) in [3, 3] <max> : !y {
      %v = loop.index (and(le(0, %i * 2 + %k - 1), le(0, %j * 2 + %l - 1)))
      %c = arith.cmpi ne, %v, %zero : index
      %e = loop.load %a[%n, %i * 2 + %k - 1, %j * 2 + %l - 1] mask %c, %low : !x
      loop.yield %e : f32
    }
    loop.return %m : !y
  }
  return %r : !y
}

// All rows that are walked together are the first ones.
// CHECK-LABEL: func.func @edge
// CHECK-NOT: scf.if
// CHECK: return
!short = tensor<4x3x112xf32>
!of_short = tensor<4x2x56xf32>
func.func @few_rows(%x: !short) -> !of_short {
  %r = loop.kernel @edge ins(%a = %x : !short) shared [4, 2, 56]
      schedule #loop.across<lanes = 16, chunk = 56, sum_block = 0, masked = true, grain = 1,
                            points = 2> -> !of_short {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : index
    %m = loop.reduce parallel (%n, %i, %j) in [4, 2, 56] reduction (%k, %l) in [3, 3] <max> : !of_short {
      %v = loop.index (and(le(0, %i + %k - 1), le(0, %j * 2 + %l - 1)))
      %c = arith.cmpi ne, %v, %zero : index
      %e = loop.load %a[%n, %i + %k - 1, %j * 2 + %l - 1] mask %c, %low : !short
      loop.yield %e : f32
    }
    loop.return %m : !of_short
  }
  return %r : !of_short
}
