// RUN: kiln-opt %s --loop-fuse-products="min-product=1 min-rows=1 min-points=1" --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-fuse-products="min-product=1 min-rows=1 min-points=1 max-inner=3" --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: kiln-opt %s --loop-fuse-products="min-product=1 min-rows=1 min-points=1 max-inner=3" --split-input-file -o /dev/null --remarks-filter=loop-fuse-products 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: kiln-opt %s --loop-fuse-products="min-product=1 min-rows=1 min-points=1 epilogues=false" --split-input-file | FileCheck %s --check-prefix=WIDE

!q = tensor<6x9x4xf32>
!k = tensor<6x7x4xf32>
!s = tensor<6x9x7xf32>
!z = tensor<6x9xf32>

// Weights and their slopes, whose rows' sums are known, are made in epilogues that read
// each other: they are the rows of a chain, which is no kernel's before.

// CHECK-LABEL: func.func @backward
// CHECK-NEXT: loop.kernel @slopes_rows ins({{.*}}) shared [6, 9]
// CHECK: %[[S:.*]] = loop.contract parallel [6, 9, 7] reduction [4]
// CHECK-NOT: epilogue
// CHECK: %[[P:.*]] = loop.contract parallel [6, 9, 7] reduction [4]
// CHECK-NOT: epilogue
// CHECK: %[[W:.*]] = loop.pointwise (%[[N:.*]], %[[I:.*]], %[[J:.*]]) in [6, 9, 7]
// CHECK: loop.load %[[S]][%[[N]], %[[I]], %[[J]]]
// CHECK: %[[D:.*]] = loop.pointwise (%[[N:.*]], %[[I:.*]], %[[J:.*]]) in [6, 9, 7]
// CHECK: loop.load %[[P]][%[[N]], %[[I]], %[[J]]]
// CHECK: loop.load %[[W]][%[[N]], %[[I]], %[[J]]]
// CHECK: loop.contract parallel [6, 9, 4] reduction [7] lhs %[[D]]
// CHECK: loop.contract parallel [6, 7, 4] reduction [9] lhs %[[D]][d0, d3, d1]
// CHECK: loop.contract parallel [6, 7, 4] reduction [9] lhs %[[W]][d0, d3, d1]
// CHECK-NOT: loop.kernel
// CHECK: return

// What is no chain stays as it was, and so does what is not asked for.
// WHY: remark: [Missed] not-fused | Category:loop-fuse-products | Function=backward | Reason="each block of rows would read a wide operand again", kernel=slopes
// WIDE-LABEL: func.func @backward
// WIDE-NEXT: loop.kernel @weights
// WIDE: epilogue
// WIDE: loop.kernel @slopes
// WIDE: epilogue
// WIDE-COUNT-3: loop.kernel
// WIDE-NOT: loop.kernel
func.func @backward(%q: !q, %key: !k, %g: !q, %v: !k, %l: !z, %m: !z) -> (!q, !k, !k) {
  %w = loop.kernel @weights ins(%a = %q : !q, %b = %key : !k, %c = %l : !z) shared [6, 9, 7] -> !s {
    %s = loop.contract parallel [6, 9, 7] reduction [4] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !k acc f32 : !s epilogue (%acc, %n, %i, %j) {
      %f = loop.load %c[%n, %i] : !z
      %d = arith.subf %acc, %f : f32
      %e = math.exp %d : f32
      loop.yield %e : f32
    }
    loop.return %s : !s
  }
  %d = loop.kernel @slopes ins(%a = %g : !q, %b = %v : !k, %c = %m : !z, %e = %w : !s) shared [6, 9, 7] -> !s {
    %s = loop.contract parallel [6, 9, 7] reduction [4] lhs %a[d0, d1, d3] : !q
        rhs %b[d0, d2, d3] : !k acc f32 : !s epilogue (%acc, %n, %i, %j) {
      %f = loop.load %c[%n, %i] : !z
      %x = arith.subf %acc, %f : f32
      %y = loop.load %e[%n, %i, %j] : !s
      %z = arith.mulf %x, %y : f32
      loop.yield %z : f32
    }
    loop.return %s : !s
  }
  %r = loop.kernel @queries ins(%a = %d : !s, %b = %key : !k) shared [6, 9, 4] -> !q {
    %s = loop.contract parallel [6, 9, 4] reduction [7] lhs %a[d0, d1, d3] : !s rhs %b[d0, d3, d2] : !k acc f32 : !q
    loop.return %s : !q
  }
  %t = loop.kernel @keys ins(%a = %d : !s, %b = %q : !q) shared [6, 7, 4] -> !k {
    %s = loop.contract parallel [6, 7, 4] reduction [9] lhs %a[d0, d3, d1] : !s rhs %b[d0, d3, d2] : !q acc f32 : !k
    loop.return %s : !k
  }
  %u = loop.kernel @values ins(%a = %w : !s, %b = %g : !q) shared [6, 7, 4] -> !k {
    %s = loop.contract parallel [6, 7, 4] reduction [9] lhs %a[d0, d3, d1] : !s rhs %b[d0, d3, d2] : !q acc f32 : !k
    loop.return %s : !k
  }
  return %r, %t, %u : !q, !k, !k
}

// -----

!q = tensor<9x4xf32>
!k = tensor<7x4xf32>
!s = tensor<9x7xf32>

// A gate is read by one product alone: its two contractions stay apart.

// CHECK-LABEL: func.func @gate
// CHECK-COUNT-3: loop.kernel
// CHECK-NOT: loop.kernel
// WIDE-LABEL: func.func @gate
func.func @gate(%x: !q, %a: !k, %b: !k) -> !q {
  %w = loop.kernel @one ins(%c = %x : !q, %d = %a : !k) shared [9, 7] -> !s {
    %s = loop.contract parallel [9, 7] reduction [4] lhs %c[d0, d2] : !q rhs %d[d1, d2] : !k acc f32 : !s
        epilogue (%acc, %i, %j) {
      %e = math.exp %acc : f32
      loop.yield %e : f32
    }
    loop.return %s : !s
  }
  %g = loop.kernel @other ins(%c = %x : !q, %d = %b : !k, %e = %w : !s) shared [9, 7] -> !s {
    %s = loop.contract parallel [9, 7] reduction [4] lhs %c[d0, d2] : !q rhs %d[d1, d2] : !k acc f32 : !s
        epilogue (%acc, %i, %j) {
      %f = loop.load %e[%i, %j] : !s
      %h = arith.mulf %acc, %f : f32
      loop.yield %h : f32
    }
    loop.return %s : !s
  }
  %r = loop.kernel @down ins(%c = %g : !s, %d = %a : !k) shared [9, 4] -> !q {
    %s = loop.contract parallel [9, 4] reduction [7] lhs %c[d0, d2] : !s rhs %d[d2, d1] : !k acc f32 : !q
    loop.return %s : !q
  }
  return %r : !q
}

// -----

// Weights that a second product reads in place and a third one, between them,
// turned: their row is not that of the third's.

!m = tensor<16x16xf32>
!q = tensor<16x4xf32>

// CHECK-LABEL: func.func @turned
// CHECK-COUNT-6: loop.kernel
// CHECK-NOT: loop.kernel
// WIDE-LABEL: func.func @turned
func.func @turned(%q: !q, %k: !q, %g: !q, %v: !q) -> (!q, !q, !q) {
  %w = loop.kernel @w ins(%c = %q : !q, %d = %k : !q) shared [16, 16] -> !m {
    %s = loop.contract parallel [16, 16] reduction [4] lhs %c[d0, d2] : !q rhs %d[d1, d2] : !q acc f32 : !m
        epilogue (%acc, %i, %j) {
      %e = math.exp %acc : f32
      loop.yield %e : f32
    }
    loop.return %s : !m
  }
  %b = loop.kernel @b ins(%c = %g : !q, %d = %k : !q, %e = %w : !m) shared [16, 16] -> !m {
    %s = loop.contract parallel [16, 16] reduction [4] lhs %c[d0, d2] : !q rhs %d[d1, d2] : !q acc f32 : !m
        epilogue (%acc, %i, %j) {
      %f = loop.load %e[%j, %i] : !m
      %h = arith.mulf %f, %acc : f32
      loop.yield %h : f32
    }
    loop.return %s : !m
  }
  %g2 = loop.kernel @g2 ins(%c = %g : !q, %d = %v : !q, %e = %w : !m, %f = %b : !m) shared [16, 16] -> !m {
    %s = loop.contract parallel [16, 16] reduction [4] lhs %c[d0, d2] : !q rhs %d[d1, d2] : !q acc f32 : !m
        epilogue (%acc, %i, %j) {
      %x = loop.load %e[%i, %j] : !m
      %y = loop.load %f[%i, %j] : !m
      %p = arith.mulf %x, %y : f32
      %h = arith.mulf %p, %acc : f32
      loop.yield %h : f32
    }
    loop.return %s : !m
  }
  %r = loop.kernel @r ins(%c = %g2 : !m, %d = %q : !q) shared [16, 4] -> !q {
    %s = loop.contract parallel [16, 4] reduction [16] lhs %c[d0, d2] : !m rhs %d[d2, d1] : !q acc f32 : !q
    loop.return %s : !q
  }
  %t = loop.kernel @t ins(%c = %g2 : !m, %d = %q : !q) shared [16, 4] -> !q {
    %s = loop.contract parallel [16, 4] reduction [16] lhs %c[d2, d0] : !m rhs %d[d2, d1] : !q acc f32 : !q
    loop.return %s : !q
  }
  %u = loop.kernel @u ins(%c = %w : !m, %d = %q : !q) shared [16, 4] -> !q {
    %s = loop.contract parallel [16, 4] reduction [16] lhs %c[d2, d0] : !m rhs %d[d2, d1] : !q acc f32 : !q
    loop.return %s : !q
  }
  return %r, %t, %u : !q, !q, !q
}
