// RUN: kiln-opt %s --loop-choose-schedule --convert-loop-to-scf --split-input-file | FileCheck %s

// Of products with rows between them, columns behind the last row of a block are left
// out where nothing needs them: their end is the smaller of both, in whole vectors.
// LoopToScfTest.cpp has the values of these and of more.

!x = tensor<96x64xf32>
!y = tensor<160x64xf32>
!v = tensor<160x32xf32>
!s = tensor<96x160xf32>
!o = tensor<96x32xf32>

// Weights of later columns are 0, and nothing is added for them.
// CHECK-LABEL: func.func @causal
// CHECK: %[[ROWS:.*]] = arith.minui
// CHECK: %[[AHEAD:.*]] = arith.constant 0
// CHECK: arith.addi %[[ROWS]], %[[AHEAD]]
// CHECK: %[[VECTORS:.*]] = arith.divui
// CHECK: %[[WHOLE:.*]] = arith.muli %[[VECTORS]]
// CHECK: %[[ALL:.*]] = arith.constant 160
// CHECK-NEXT: %[[END:.*]] = arith.minui %[[WHOLE]], %[[ALL]]
// CHECK: arith.index_cast %[[END]] : index to i64
func.func @main(%q: !x, %k: !y, %u: !v) -> !o {
  %r = loop.kernel @causal ins(%a = %q : !x, %b = %k : !y, %c = %u : !v)
      shared [96] -> !o {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [96, 160] reduction [64]
        lhs %a[d0, d2] : !x rhs %b[d1, d2] : !y acc f32 : !s
    %w = loop.pointwise (%i, %j) in [96, 160] : !s {
      %e = loop.load %s[%i, %j] : !s
      %f = arith.cmpi sle, %j, %i : index
      %g = arith.select %f, %e, %none : f32
      loop.yield %g : f32
    }
    %o = loop.contract parallel [96, 32] reduction [160]
        lhs %w[d0, d2] : !s rhs %c[d2, d1] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
}

// -----

!x = tensor<96x64xf32>
!y = tensor<160x64xf32>
!v = tensor<160x32xf32>
!s = tensor<96x160xf32>
!o = tensor<96x32xf32>

// A mask that lets three more be seen.
// CHECK-LABEL: func.func @ahead
// CHECK: %[[ROWS:.*]] = arith.minui
// CHECK: %[[AHEAD:.*]] = arith.constant 2
// CHECK: arith.addi %[[ROWS]], %[[AHEAD]]
// CHECK: %[[VECTORS:.*]] = arith.divui
// CHECK: %[[WHOLE:.*]] = arith.muli %[[VECTORS]]
// CHECK: %[[ALL:.*]] = arith.constant 160
// CHECK-NEXT: %[[END:.*]] = arith.minui %[[WHOLE]], %[[ALL]]
// CHECK: arith.index_cast %[[END]] : index to i64
func.func @main(%q: !x, %k: !y, %u: !v) -> !o {
  %r = loop.kernel @ahead ins(%a = %q : !x, %b = %k : !y, %c = %u : !v)
      shared [96] -> !o {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [96, 160] reduction [64]
        lhs %a[d0, d2] : !x rhs %b[d1, d2] : !y acc f32 : !s
    %w = loop.pointwise (%i, %j) in [96, 160] : !s {
      %e = loop.load %s[%i, %j] : !s
      %l = loop.index (%i + 3)
      %f = arith.cmpi slt, %j, %l : index
      %g = arith.select %f, %e, %none : f32
      loop.yield %g : f32
    }
    %o = loop.contract parallel [96, 32] reduction [160]
        lhs %w[d0, d2] : !s rhs %c[d2, d1] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
}

// -----

!x = tensor<96x64xf32>
!y = tensor<160x64xf32>
!v = tensor<160x32xf32>
!s = tensor<96x160xf32>
!o = tensor<96x32xf32>

// No mask.
// CHECK-LABEL: func.func @every
// CHECK: arith.minui %{{.*}}, %c96
// CHECK-NOT: arith.minui %{{.*}}, %c160{{[_ ]}}
func.func @main(%q: !x, %k: !y, %u: !v) -> !o {
  %r = loop.kernel @every ins(%a = %q : !x, %b = %k : !y, %c = %u : !v)
      shared [96] -> !o {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [96, 160] reduction [64]
        lhs %a[d0, d2] : !x rhs %b[d1, d2] : !y acc f32 : !s
    %w = loop.pointwise (%i, %j) in [96, 160] : !s {
      %e = loop.load %s[%i, %j] : !s
      %g = arith.maximumf %e, %none : f32
      loop.yield %g : f32
    }
    %o = loop.contract parallel [96, 32] reduction [160]
        lhs %w[d0, d2] : !s rhs %c[d2, d1] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
}

// -----

!x = tensor<96x64xf32>
!y = tensor<160x64xf32>
!v = tensor<160x32xf32>
!s = tensor<96x160xf32>
!o = tensor<96x32xf32>

// Scores behind the limit are read.
// CHECK-LABEL: func.func @reversed
// CHECK: arith.minui %{{.*}}, %c96
// CHECK-NOT: arith.minui %{{.*}}, %c160{{[_ ]}}
func.func @main(%q: !x, %k: !y, %u: !v) -> !o {
  %r = loop.kernel @reversed ins(%a = %q : !x, %b = %k : !y, %c = %u : !v)
      shared [96] -> !o {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [96, 160] reduction [64]
        lhs %a[d0, d2] : !x rhs %b[d1, d2] : !y acc f32 : !s
    %w = loop.pointwise (%i, %j) in [96, 160] : !s {
      %e = loop.load %s[%i, 159 - %j] : !s
      %f = arith.cmpi sle, %j, %i : index
      %g = arith.select %f, %e, %none : f32
      loop.yield %g : f32
    }
    %o = loop.contract parallel [96, 32] reduction [160]
        lhs %w[d0, d2] : !s rhs %c[d2, d1] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
}

// -----

!x = tensor<96x64xf32>
!y = tensor<160x64xf32>
!v = tensor<160x32xf32>
!s = tensor<96x160xf32>
!o = tensor<96x32xf32>

// Numbers that wrap say nothing of what lies behind.
// CHECK-LABEL: func.func @narrow
// CHECK: arith.minui %{{.*}}, %c96
// CHECK-NOT: arith.minui %{{.*}}, %c160{{[_ ]}}
func.func @main(%q: !x, %k: !y, %u: !v) -> !o {
  %r = loop.kernel @narrow ins(%a = %q : !x, %b = %k : !y, %c = %u : !v)
      shared [96] -> !o {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [96, 160] reduction [64]
        lhs %a[d0, d2] : !x rhs %b[d1, d2] : !y acc f32 : !s
    %w = loop.pointwise (%i, %j) in [96, 160] : !s {
      %e = loop.load %s[%i, %j] : !s
      %p = arith.index_cast %j : index to i8
      %l = arith.index_cast %i : index to i8
      %f = arith.cmpi sle, %p, %l : i8
      %g = arith.select %f, %e, %none : f32
      loop.yield %g : f32
    }
    %o = loop.contract parallel [96, 32] reduction [160]
        lhs %w[d0, d2] : !s rhs %c[d2, d1] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
}

// -----

!x = tensor<96x64xf32>
!y = tensor<160x64xf32>
!v = tensor<160x32xf32>
!s = tensor<96x160xf32>
!o = tensor<96x32xf32>

// What the weight is divided by may be 0 behind the limit.
// CHECK-LABEL: func.func @infinite
// CHECK: arith.minui %{{.*}}, %c96
// CHECK-NOT: arith.minui %{{.*}}, %c160{{[_ ]}}
func.func @main(%q: !x, %k: !y, %u: !v) -> !o {
  %r = loop.kernel @infinite ins(%a = %q : !x, %b = %k : !y, %c = %u : !v)
      shared [96] -> !o {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [96, 160] reduction [64]
        lhs %a[d0, d2] : !x rhs %b[d1, d2] : !y acc f32 : !s
    %w = loop.pointwise (%i, %j) in [96, 160] : !s {
      %e = loop.load %s[%i, %j] : !s
      %f = arith.cmpi sle, %j, %i : index
      %h = arith.select %f, %e, %none : f32
      %g = arith.divf %h, %e : f32
      loop.yield %g : f32
    }
    %o = loop.contract parallel [96, 32] reduction [160]
        lhs %w[d0, d2] : !s rhs %c[d2, d1] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
}
