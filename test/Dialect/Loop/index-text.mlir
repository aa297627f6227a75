// The text of an index depends on the values in it, not on how operands are
// numbered: what is read back is written as it was read.
// RUN: kiln-opt %s | FileCheck %s
// RUN: kiln-opt %s -o %t.1 && kiln-opt %t.1 -o %t.2 && diff %t.1 %t.2
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt -o %t.3 && diff %t.1 %t.3
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @text(
// CANON-LABEL: func.func @text(
func.func @text(%x: tensor<64xf32>) -> tensor<4x8xf32> {
  %0 = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {
    // Equal operands are one index.
    // CHECK: loop.index (%i * 12 + %j)
    // CANON: arith.constant 5 : index
    // CANON: loop.index (%i * 12 + %j)
    %a = "loop.index"(%i, %i, %j) <{expr = #guard.expr<d0 * 6 + d1 * 6 + d2>}> : (index, index, index) -> index
    // Terms stand in the order of names, not in that of operands.
    // CHECK: loop.index (%i + %j + mod(%i, 3) + mod(%j, 3))
    %b = "loop.index"(%j, %i) <{expr = #guard.expr<d0 + d1 + mod(d0, 3) + mod(d1, 3)>}> : (index, index) -> index
    // CHECK: loop.index (%j + mod(%i, 8) + mod(%j, 8))
    %c = "loop.index"(%j, %i) <{expr = #guard.expr<d0 + mod(d1, 8) + mod(d0, 8)>}> : (index, index) -> index
    // An operand that the expression does not mention leaves no trace.
    // CHECK: loop.index (%j * 2)
    %d = "loop.index"(%i, %j) <{expr = #guard.expr<d1 * 2>}> : (index, index) -> index
    // A number and an index are no computation.
    // CANON-NOT: loop.index (5)
    %e = loop.index (5)
    // CANON-NOT: loop.index (%i)
    %f = loop.index (%i)
    // CHECK: loop.load %{{.*}}[%i * 12 + %j]
    %g = "loop.load"(%x, %i, %j, %i) <{map = [#guard.expr<d0 * 4 + d2 * 8 + d1>], operandSegmentSizes = array<i32: 1, 3, 0, 0>}> : (tensor<64xf32>, index, index, index) -> f32
    %s1 = arith.addi %a, %b : index
    %s2 = arith.addi %s1, %c : index
    %s3 = arith.addi %s2, %d : index
    %s4 = arith.addi %s3, %e : index
    %s5 = arith.addi %s4, %f : index
    %h = loop.load %x[%s5] : tensor<64xf32>
    %r = arith.addf %g, %h : f32
    loop.yield %r : f32
  }
  return %0 : tensor<4x8xf32>
}
