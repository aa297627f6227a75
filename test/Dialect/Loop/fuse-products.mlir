// RUN: kiln-opt %s --loop-fuse-products="min-product=1 min-rows=1" --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-fuse-products=min-rows=1 --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: kiln-opt %s --loop-fuse-products="min-product=1 min-rows=1" --split-input-file --remarks-filter=loop-fuse-products 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: kiln-opt %s --loop-fuse-products=min-product=1 --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: kiln-opt %s --loop-fuse-products="min-product=1 min-rows=1 max-inner=3" --split-input-file --remarks-filter=loop-fuse-products 2>&1 | FileCheck %s --check-prefix=WIDE

// Scores, what is done with a row of them, and a weighted sum become one kernel. The
// rows are seen through a reshape of the batch: the first product gets the extents of
// the rows, and the last one, whose domain stands in another order, keeps its own.

!q = tensor<6x9x4xf32>
!s = tensor<6x9x7xf32>
!w = tensor<2x3x9x7xf32>
!o = tensor<2x9x3x4xf32>

// CHECK-LABEL: func.func @chain
// CHECK: %[[R:.*]] = loop.kernel @rows ins(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) shared [2, 3, 9]
// CHECK: %[[S:.*]] = loop.contract parallel [2, 3, 9, 7] reduction [4] lhs %{{.*}}[d0 * 3 + d1, d2, d4]
// CHECK-SAME: rhs %{{.*}}[d0 * 3 + d1, d3, d4]
// CHECK: loop.reduce parallel
// CHECK: loop.load %[[S]][%i, %j, %k, %l]
// CHECK: %[[W:.*]] = loop.pointwise
// CHECK: %[[O:.*]] = loop.contract parallel [2, 9, 3, 4] reduction [7] lhs %[[W]][d0, d2, d1, d4]
// CHECK: loop.return %[[O]]
// CHECK-NOT: loop.kernel
// SMALL-LABEL: func.func @chain
// SMALL-COUNT-3: loop.kernel
// WHY: fused{{.*}}
// WIDE: each block of rows would read a wide operand again
// WIDE-LABEL: func.func @chain
// WIDE-COUNT-3: loop.kernel
func.func @chain(%q: !q, %key: tensor<6x7x4xf32>, %v: tensor<6x7x4xf32>) -> !o {
  %s = loop.kernel @scores ins(%a = %q : !q, %b = %key : tensor<6x7x4xf32>) shared [6, 9, 7] -> !s {
    %c = loop.contract parallel [6, 9, 7] reduction [4] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : tensor<6x7x4xf32> acc f32 : !s
    loop.return %c : !s
  }
  %w = loop.kernel @rows ins(%a = %s : !s) shared [2, 3, 9] -> !w {
    %m = loop.reduce parallel (%i, %j, %k) in [2, 3, 9] reduction (%l) in [7] <max> : tensor<2x3x9xf32> {
      %x = loop.load %a[%i * 3 + %j, %k, %l] : !s
      loop.yield %x : f32
    }
    %e = loop.pointwise (%i, %j, %k, %l) in [2, 3, 9, 7] : !w {
      %x = loop.load %a[%i * 3 + %j, %k, %l] : !s
      %y = loop.load %m[%i, %j, %k] : tensor<2x3x9xf32>
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : !w
  }
  %o = loop.kernel @values ins(%a = %w : !w, %b = %v : tensor<6x7x4xf32>) shared [2, 9, 3, 4] -> !o {
    %c = loop.contract parallel [2, 9, 3, 4] reduction [7] lhs %a[d0, d2, d1, d4] : !w
        rhs %b[d0 * 3 + d2, d4, d3] : tensor<6x7x4xf32> acc f32 : !o
    loop.return %c : !o
  }
  return %o : !o
}

// -----

// The weights are needed elsewhere.

// CHECK-LABEL: func.func @weights_leave
// CHECK-COUNT-3: loop.kernel
// WHY: not-fused{{.*}}Function=weights_leave | Reason="a product does not read one result of the rows for itself"
func.func @weights_leave(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>) -> (tensor<9x7xf32>, tensor<9x4xf32>) {
  %s = loop.kernel @scores ins(%a = %q : tensor<9x4xf32>, %b = %k : tensor<7x4xf32>) shared [9, 7] -> tensor<9x7xf32> {
    %c = loop.contract parallel [9, 7] reduction [4] lhs %a[d0, d2] : tensor<9x4xf32>
        rhs %b[d1, d2] : tensor<7x4xf32> acc f32 : tensor<9x7xf32>
    loop.return %c : tensor<9x7xf32>
  }
  %w = loop.kernel @rows ins(%a = %s : tensor<9x7xf32>) shared [9] -> tensor<9x7xf32> {
    %m = loop.reduce parallel (%i) in [9] reduction (%l) in [7] <max> : tensor<9xf32> {
      %x = loop.load %a[%i, %l] : tensor<9x7xf32>
      loop.yield %x : f32
    }
    %e = loop.pointwise (%i, %l) in [9, 7] : tensor<9x7xf32> {
      %x = loop.load %a[%i, %l] : tensor<9x7xf32>
      %y = loop.load %m[%i] : tensor<9xf32>
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : tensor<9x7xf32>
  }
  %o = loop.kernel @values ins(%a = %w : tensor<9x7xf32>, %b = %k : tensor<7x4xf32>) shared [9, 4] -> tensor<9x4xf32> {
    %c = loop.contract parallel [9, 4] reduction [7] lhs %a[d0, d2] : tensor<9x7xf32>
        rhs %b[d2, d1] : tensor<7x4xf32> acc f32 : tensor<9x4xf32>
    loop.return %c : tensor<9x4xf32>
  }
  return %w, %o : tensor<9x7xf32>, tensor<9x4xf32>
}

// -----

// The sum runs over the rows, of which there is but one point: one thread would have
// all of them.

// CHECK-LABEL: func.func @other_way
// CHECK-COUNT-3: loop.kernel
// WHY: not-fused{{.*}}a product sums over the rows of too few points
func.func @other_way(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %s = loop.kernel @scores ins(%a = %q : tensor<9x4xf32>, %b = %k : tensor<7x4xf32>) shared [9, 7] -> tensor<9x7xf32> {
    %c = loop.contract parallel [9, 7] reduction [4] lhs %a[d0, d2] : tensor<9x4xf32>
        rhs %b[d1, d2] : tensor<7x4xf32> acc f32 : tensor<9x7xf32>
    loop.return %c : tensor<9x7xf32>
  }
  %w = loop.kernel @rows ins(%a = %s : tensor<9x7xf32>) shared [9] -> tensor<9x7xf32> {
    %m = loop.reduce parallel (%i) in [9] reduction (%l) in [7] <max> : tensor<9xf32> {
      %x = loop.load %a[%i, %l] : tensor<9x7xf32>
      loop.yield %x : f32
    }
    %e = loop.pointwise (%i, %l) in [9, 7] : tensor<9x7xf32> {
      %x = loop.load %a[%i, %l] : tensor<9x7xf32>
      %y = loop.load %m[%i] : tensor<9xf32>
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : tensor<9x7xf32>
  }
  %o = loop.kernel @values ins(%a = %w : tensor<9x7xf32>, %b = %q : tensor<9x4xf32>) shared [7, 4] -> tensor<7x4xf32> {
    %c = loop.contract parallel [7, 4] reduction [9] lhs %a[d2, d0] : tensor<9x7xf32>
        rhs %b[d2, d1] : tensor<9x4xf32> acc f32 : tensor<7x4xf32>
    loop.return %c : tensor<7x4xf32>
  }
  return %o : tensor<7x4xf32>
}

// -----

// The last product walks batch and heads as one: they come apart, and who reads its
// result reads the same elements of other sizes.

// CHECK-LABEL: func.func @apart
// CHECK: %[[R:.*]] = loop.kernel @rows {{.*}} shared [2, 3, 9] {{.*}}-> tensor<2x3x9x4xf32> {
// CHECK: loop.contract parallel [2, 3, 9, 4] reduction [7] lhs %{{.*}}[d0, d1, d2, d4] : tensor<2x3x9x7xf32> rhs %{{.*}}[d0 * 3 + d1, d4, d3]
// CHECK: loop.kernel @copy ins(%[[A:.*]] = %[[R]] : tensor<2x3x9x4xf32>)
// CHECK: loop.load %[[A]][%i, floordiv(%k, 4), %j, mod(%k, 4)]
func.func @apart(%q: tensor<6x9x4xf32>, %key: tensor<6x7x4xf32>) -> tensor<2x9x12xf32> {
  %s = loop.kernel @scores ins(%a = %q : tensor<6x9x4xf32>, %b = %key : tensor<6x7x4xf32>) shared [6, 9, 7] -> tensor<6x9x7xf32> {
    %c = loop.contract parallel [6, 9, 7] reduction [4] lhs %a[d0, d1, d3] : tensor<6x9x4xf32>
        rhs %b[d0, d2, d3] : tensor<6x7x4xf32> acc f32 : tensor<6x9x7xf32>
    loop.return %c : tensor<6x9x7xf32>
  }
  %w = loop.kernel @rows ins(%a = %s : tensor<6x9x7xf32>) shared [2, 3, 9] -> tensor<2x3x9x7xf32> {
    %m = loop.reduce parallel (%i, %j, %k) in [2, 3, 9] reduction (%l) in [7] <max> : tensor<2x3x9xf32> {
      %x = loop.load %a[%i * 3 + %j, %k, %l] : tensor<6x9x7xf32>
      loop.yield %x : f32
    }
    %e = loop.pointwise (%i, %j, %k, %l) in [2, 3, 9, 7] : tensor<2x3x9x7xf32> {
      %x = loop.load %a[%i * 3 + %j, %k, %l] : tensor<6x9x7xf32>
      %y = loop.load %m[%i, %j, %k] : tensor<2x3x9xf32>
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : tensor<2x3x9x7xf32>
  }
  %o = loop.kernel @values ins(%a = %w : tensor<2x3x9x7xf32>, %b = %key : tensor<6x7x4xf32>) shared [6, 9, 4] -> tensor<6x9x4xf32> {
    %c = loop.contract parallel [6, 9, 4] reduction [7] lhs %a[floordiv(d0, 3), mod(d0, 3), d1, d3] : tensor<2x3x9x7xf32>
        rhs %b[d0, d3, d2] : tensor<6x7x4xf32> acc f32 : tensor<6x9x4xf32>
    loop.return %c : tensor<6x9x4xf32>
  }
  %r = loop.kernel @copy ins(%a = %o : tensor<6x9x4xf32>) shared [2, 9, 12] -> tensor<2x9x12xf32> {
    %c = loop.pointwise (%i, %j, %k) in [2, 9, 12] : tensor<2x9x12xf32> {
      %x = loop.load %a[%i * 3 + floordiv(%k, 4), %j, mod(%k, 4)] : tensor<6x9x4xf32>
      loop.yield %x : f32
    }
    loop.return %c : tensor<2x9x12xf32>
  }
  return %r : tensor<2x9x12xf32>
}

// -----

// The last product reads two results of the rows, one of them around its sum.

// CHECK-LABEL: func.func @two_results
// CHECK-COUNT-3: loop.kernel
// CHECK-NOT: loop.kernel
// WHY: not-fused{{.*}}Function=two_results | Reason="a product does not read one result of the rows for itself"
func.func @two_results(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>) -> tensor<9x4xf32> {
  %s = loop.kernel @scores ins(%a = %q : tensor<9x4xf32>, %b = %k : tensor<7x4xf32>) shared [9, 7] -> tensor<9x7xf32> {
    %c = loop.contract parallel [9, 7] reduction [4] lhs %a[d0, d2] : tensor<9x4xf32>
        rhs %b[d1, d2] : tensor<7x4xf32> acc f32 : tensor<9x7xf32>
    loop.return %c : tensor<9x7xf32>
  }
  %w:2 = loop.kernel @rows ins(%a = %s : tensor<9x7xf32>, %g = %q : tensor<9x4xf32>) shared [9] -> (tensor<9x7xf32>, tensor<9x4xf32>) {
    %e = loop.pointwise (%i, %j) in [9, 7] : tensor<9x7xf32> {
      %x = loop.load %a[%i, %j] : tensor<9x7xf32>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    %f = loop.pointwise (%i, %j) in [9, 4] : tensor<9x4xf32> {
      %x = loop.load %g[%i, %j] : tensor<9x4xf32>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    loop.return %e, %f : tensor<9x7xf32>, tensor<9x4xf32>
  }
  %o = loop.kernel @values ins(%a = %w#0 : tensor<9x7xf32>, %b = %k : tensor<7x4xf32>, %g = %w#1 : tensor<9x4xf32>) shared [9, 4] -> tensor<9x4xf32> {
    %c = loop.contract parallel [9, 4] reduction [7] lhs %a[d0, d2] : tensor<9x7xf32>
        rhs %b[d2, d1] : tensor<7x4xf32> acc f32 : tensor<9x4xf32> epilogue (%acc, %i, %j) {
      %x = loop.load %g[%i, %j] : tensor<9x4xf32>
      %y = arith.mulf %acc, %x : f32
      loop.yield %y : f32
    }
    loop.return %c : tensor<9x4xf32>
  }
  return %o : tensor<9x4xf32>
}

// -----

// Of two last products one reads the other, and a result of the rows: it stays apart.

// CHECK-LABEL: func.func @one_after_the_other
// CHECK: %[[R:.*]]:2 = loop.kernel @rows
// CHECK: loop.kernel @second ins(%{{.*}} = %[[R]]#0 : tensor<8x8xf32>, %{{.*}} = %[[R]]#1
// CHECK-NOT: loop.kernel
// WHY: Passed{{.*}}Function=one_after_the_other
func.func @one_after_the_other(%q: tensor<8x4xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = loop.kernel @scores ins(%a = %q : tensor<8x4xf32>) shared [8, 8] -> tensor<8x8xf32> {
    %c = loop.contract parallel [8, 8] reduction [4] lhs %a[d0, d2] : tensor<8x4xf32>
        rhs %a[d1, d2] : tensor<8x4xf32> acc f32 : tensor<8x8xf32>
    loop.return %c : tensor<8x8xf32>
  }
  %w:2 = loop.kernel @rows ins(%a = %s : tensor<8x8xf32>) shared [8] -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %e = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %x = loop.load %a[%i, %j] : tensor<8x8xf32>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    %f = loop.pointwise (%i, %j) in [8, 8] : tensor<8x8xf32> {
      %x = loop.load %a[%i, %j] : tensor<8x8xf32>
      %y = math.sin %x : f32
      loop.yield %y : f32
    }
    loop.return %e, %f : tensor<8x8xf32>, tensor<8x8xf32>
  }
  %o = loop.kernel @first ins(%a = %w#1 : tensor<8x8xf32>, %b = %v : tensor<8x8xf32>) shared [8, 8] -> tensor<8x8xf32> {
    %c = loop.contract parallel [8, 8] reduction [8] lhs %a[d0, d2] : tensor<8x8xf32>
        rhs %b[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    loop.return %c : tensor<8x8xf32>
  }
  %p = loop.kernel @second ins(%a = %w#0 : tensor<8x8xf32>, %b = %o : tensor<8x8xf32>) shared [8, 8] -> tensor<8x8xf32> {
    %c = loop.contract parallel [8, 8] reduction [8] lhs %a[d0, d2] : tensor<8x8xf32>
        rhs %b[d2, d1] : tensor<8x8xf32> acc f32 : tensor<8x8xf32>
    loop.return %c : tensor<8x8xf32>
  }
  return %p : tensor<8x8xf32>
}

// -----

// What the rows leave is read in another block as well.

// CHECK-LABEL: func.func @blocks
// CHECK: loop.kernel @rows {{.*}} -> (tensor<9xf32>, tensor<9x4xf32>)
// CHECK-NOT: loop.kernel
// CHECK: ^bb1
// CHECK: loop.kernel @next
// WHY: Passed{{.*}}Function=blocks
func.func @blocks(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>) -> (tensor<9xf32>, tensor<9x4xf32>) {
  %s = loop.kernel @scores ins(%a = %q : tensor<9x4xf32>, %b = %k : tensor<7x4xf32>) shared [9, 7] -> tensor<9x7xf32> {
    %c = loop.contract parallel [9, 7] reduction [4] lhs %a[d0, d2] : tensor<9x4xf32>
        rhs %b[d1, d2] : tensor<7x4xf32> acc f32 : tensor<9x7xf32>
    loop.return %c : tensor<9x7xf32>
  }
  %w:2 = loop.kernel @rows ins(%a = %s : tensor<9x7xf32>) shared [9] -> (tensor<9xf32>, tensor<9x7xf32>) {
    %m = loop.reduce parallel (%i) in [9] reduction (%l) in [7] <max> : tensor<9xf32> {
      %x = loop.load %a[%i, %l] : tensor<9x7xf32>
      loop.yield %x : f32
    }
    %e = loop.pointwise (%i, %l) in [9, 7] : tensor<9x7xf32> {
      %x = loop.load %a[%i, %l] : tensor<9x7xf32>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    loop.return %m, %e : tensor<9xf32>, tensor<9x7xf32>
  }
  %o = loop.kernel @values ins(%a = %w#1 : tensor<9x7xf32>, %b = %k : tensor<7x4xf32>) shared [9, 4] -> tensor<9x4xf32> {
    %c = loop.contract parallel [9, 4] reduction [7] lhs %a[d0, d2] : tensor<9x7xf32>
        rhs %b[d2, d1] : tensor<7x4xf32> acc f32 : tensor<9x4xf32>
    loop.return %c : tensor<9x4xf32>
  }
  cf.br ^bb1
^bb1:
  %n = loop.kernel @next ins(%a = %w#0 : tensor<9xf32>) shared [9] -> tensor<9xf32> {
    %c = loop.pointwise (%i) in [9] : tensor<9xf32> {
      %x = loop.load %a[%i] : tensor<9xf32>
      %y = arith.negf %x : f32
      loop.yield %y : f32
    }
    loop.return %c : tensor<9xf32>
  }
  return %n, %o : tensor<9xf32>, tensor<9x4xf32>
}

// -----

// The backward of attention: weights, their slopes around a product, rows that need
// both, and sums along and over the rows. What needs the first of the sums moves behind
// the last part.

!q = tensor<4x9x5xf32>
!s = tensor<4x9x7xf32>
!k = tensor<4x7x5xf32>
!l = tensor<4x5x7xf32>

// CHECK-LABEL: func.func @backward
// CHECK: %[[R:.*]]:3 = loop.kernel @weights {{.*}} shared [4, 9] {{.*}}-> (tensor<4x5x7xf32>, tensor<4x9x5xf32>, tensor<4x7x5xf32>)
// CHECK: %[[S:.*]] = loop.contract parallel [4, 9, 7] reduction [5]
// CHECK: %[[W:.*]] = loop.pointwise
// CHECK: loop.load %[[S]]
// CHECK: %[[E:.*]] = loop.contract parallel [4, 9, 7] reduction [5]
// CHECK: loop.load %[[W]][%i, %j, %k]
// CHECK: %[[D:.*]] = loop.pointwise
// CHECK: loop.contract parallel [4, 5, 7] reduction [9] {{.*}}rhs %[[D]][d0, d3, d2]
// CHECK: loop.contract parallel [4, 9, 5] reduction [7] lhs %[[D]][d0, d1, d3]
// CHECK: loop.contract parallel [4, 7, 5] reduction [9] lhs %[[W]][d0, d3, d1]
// CHECK: loop.return
// CHECK: loop.kernel @turn ins(%{{.*}} = %[[R]]#0
// CHECK-NOT: loop.kernel
// WHY: Passed{{.*}}Function=backward{{.*}}products=5
func.func @backward(%q: !q, %key: !k, %g: !q, %v: !k) -> (!q, !k, !k) {
  %s = loop.kernel @scores ins(%a = %q : !q, %b = %key : !k) shared [4, 9, 7] -> !s {
    %c = loop.contract parallel [4, 9, 7] reduction [5] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !k acc f32 : !s
    loop.return %c : !s
  }
  %w = loop.kernel @weights ins(%a = %s : !s) shared [4, 9] -> !s {
    %e = loop.pointwise (%i, %j, %k) in [4, 9, 7] : !s {
      %x = loop.load %a[%i, %j, %k] : !s
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    loop.return %e : !s
  }
  %e = loop.kernel @slopes ins(%a = %g : !q, %b = %v : !k, %p = %w : !s) shared [4, 9, 7] -> !s {
    %c = loop.contract parallel [4, 9, 7] reduction [5] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !k acc f32 : !s epilogue (%acc, %i, %j, %k) {
      %x = loop.load %p[%i, %j, %k] : !s
      %y = arith.mulf %acc, %x : f32
      loop.yield %y : f32
    }
    loop.return %c : !s
  }
  %d = loop.kernel @differences ins(%a = %e : !s, %b = %w : !s) shared [4, 9] -> !s {
    %f = loop.pointwise (%i, %j, %k) in [4, 9, 7] : !s {
      %x = loop.load %a[%i, %j, %k] : !s
      %y = loop.load %b[%i, %j, %k] : !s
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %f : !s
  }
  %l = loop.kernel @keys ins(%a = %q : !q, %b = %d : !s) shared [4, 5, 7] -> !l {
    %c = loop.contract parallel [4, 5, 7] reduction [9] lhs %a[d0, d3, d1] : !q
        rhs %b[d0, d3, d2] : !s acc f32 : !l
    loop.return %c : !l
  }
  %dk = loop.kernel @turn ins(%a = %l : !l) shared [4, 7, 5] -> !k {
    %c = loop.pointwise (%i, %j, %k) in [4, 7, 5] : !k {
      %x = loop.load %a[%i, %k, %j] : !l
      loop.yield %x : f32
    }
    loop.return %c : !k
  }
  %dq = loop.kernel @queries ins(%a = %d : !s, %b = %key : !k) shared [4, 9, 5] -> !q {
    %c = loop.contract parallel [4, 9, 5] reduction [7] lhs %a[d0, d1, d3] : !s
        rhs %b[d0, d3, d2] : !k acc f32 : !q
    loop.return %c : !q
  }
  %dv = loop.kernel @values ins(%a = %w : !s, %b = %g : !q) shared [4, 7, 5] -> !k {
    %c = loop.contract parallel [4, 7, 5] reduction [9] lhs %a[d0, d3, d1] : !s
        rhs %b[d0, d3, d2] : !q acc f32 : !k
    loop.return %c : !k
  }
  return %dq, %dk, %dv : !q, !k, !k
}

// -----

// Further rows read the first product in another order of its rows: they need all of
// it, and not the row at hand.

!t = tensor<2x9x9xf32>

// CHECK-LABEL: func.func @transposed_product
// CHECK-COUNT-4: loop.kernel
// CHECK-NOT: loop.kernel
// WHY-NOT: Passed{{.*}}Function=transposed_product
// WHY: not-fused{{.*}}Function=transposed_product
func.func @transposed_product(%q: tensor<2x9x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
  %s = loop.kernel @scores ins(%a = %q : tensor<2x9x4xf32>, %b = %k : tensor<2x9x4xf32>) shared [2, 9, 9] -> !t {
    %c = loop.contract parallel [2, 9, 9] reduction [4] lhs %a[d0, d1, d3] : tensor<2x9x4xf32>
        rhs %b[d0, d2, d3] : tensor<2x9x4xf32> acc f32 : !t
    loop.return %c : !t
  }
  %w = loop.kernel @rows ins(%a = %s : !t) shared [2, 9] -> !t {
    %m = loop.reduce parallel (%i, %j) in [2, 9] reduction (%l) in [9] <max> : tensor<2x9xf32> {
      %x = loop.load %a[%i, %j, %l] : !t
      loop.yield %x : f32
    }
    %e = loop.pointwise (%i, %j, %l) in [2, 9, 9] : !t {
      %x = loop.load %a[%i, %j, %l] : !t
      %y = loop.load %m[%i, %j] : tensor<2x9xf32>
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : !t
  }
  %w2 = loop.kernel @more ins(%a = %w : !t, %t = %s : !t) shared [2, 9] -> !t {
    %e = loop.pointwise (%i, %j, %l) in [2, 9, 9] : !t {
      %x = loop.load %a[%i, %j, %l] : !t
      %y = loop.load %t[%i, %l, %j] : !t
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : !t
  }
  %o = loop.kernel @values ins(%a = %w2 : !t, %b = %v : tensor<2x9x4xf32>) shared [2, 9, 4] -> tensor<2x9x4xf32> {
    %c = loop.contract parallel [2, 9, 4] reduction [9] lhs %a[d0, d1, d3] : !t
        rhs %b[d0, d3, d2] : tensor<2x9x4xf32> acc f32 : tensor<2x9x4xf32>
    loop.return %c : tensor<2x9x4xf32>
  }
  return %o : tensor<2x9x4xf32>
}

// -----

// Rows that were found before those that they read in another order.

!t = tensor<2x9x9xf32>

// CHECK-LABEL: func.func @transposed_rows
// CHECK-COUNT-5: loop.kernel
// CHECK-NOT: loop.kernel
// WHY-NOT: Passed{{.*}}Function=transposed_rows
func.func @transposed_rows(%q: tensor<2x9x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>) -> tensor<2x9x4xf32> {
  %s = loop.kernel @scores ins(%a = %q : tensor<2x9x4xf32>, %b = %k : tensor<2x9x4xf32>) shared [2, 9, 9] -> !t {
    %c = loop.contract parallel [2, 9, 9] reduction [4] lhs %a[d0, d1, d3] : tensor<2x9x4xf32>
        rhs %b[d0, d2, d3] : tensor<2x9x4xf32> acc f32 : !t
    loop.return %c : !t
  }
  %w = loop.kernel @rows ins(%a = %s : !t) shared [2, 9] -> !t {
    %m = loop.reduce parallel (%i, %j) in [2, 9] reduction (%l) in [9] <max> : tensor<2x9xf32> {
      %x = loop.load %a[%i, %j, %l] : !t
      loop.yield %x : f32
    }
    %e = loop.pointwise (%i, %j, %l) in [2, 9, 9] : !t {
      %x = loop.load %a[%i, %j, %l] : !t
      %y = loop.load %m[%i, %j] : tensor<2x9xf32>
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : !t
  }
  %c2 = loop.kernel @cc ins(%a = %w : !t) shared [2, 9] -> !t {
    %e = loop.pointwise (%i, %j, %l) in [2, 9, 9] : !t {
      %x = loop.load %a[%i, %j, %l] : !t
      %z = math.absf %x : f32
      loop.yield %z : f32
    }
    loop.return %e : !t
  }
  %w2 = loop.kernel @more ins(%a = %w : !t, %t = %c2 : !t) shared [2, 9] -> !t {
    %e = loop.pointwise (%i, %j, %l) in [2, 9, 9] : !t {
      %x = loop.load %a[%i, %j, %l] : !t
      %y = loop.load %t[%i, %l, %j] : !t
      %z = arith.subf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %e : !t
  }
  %o = loop.kernel @values ins(%a = %w2 : !t, %b = %v : tensor<2x9x4xf32>) shared [2, 9, 4] -> tensor<2x9x4xf32> {
    %c = loop.contract parallel [2, 9, 4] reduction [9] lhs %a[d0, d1, d3] : !t
        rhs %b[d0, d3, d2] : tensor<2x9x4xf32> acc f32 : tensor<2x9x4xf32>
    loop.return %c : tensor<2x9x4xf32>
  }
  return %o : tensor<2x9x4xf32>
}
