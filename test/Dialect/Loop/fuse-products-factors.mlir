// RUN: kiln-opt %s --loop-fuse-products --split-input-file | FileCheck %s

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

// Rows of exponentials are divided by their sums behind the product with the values,
// which are rounded to bf16: so are the exponentials, not their sum.

// CHECK-LABEL: func.func @attention(
// CHECK: loop.contract
// CHECK: loop.reduce {{.*}} <max>
// CHECK: %[[E:.*]] = loop.pointwise {{.*}} : tensor<1x256x256xf32>
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = loop.reduce {{.*}} <sum>
// CHECK-NEXT: loop.load %[[E]]
// CHECK: %[[W:.*]] = loop.pointwise {{.*}} : tensor<1x256x256xbf16>
// CHECK-NEXT: %[[F:.*]] = loop.load %[[E]]
// CHECK-NEXT: arith.truncf %[[F]] : f32 to bf16
// CHECK: loop.contract {{.*}} lhs %[[W]][0, d1, d3]
// CHECK: epilogue (%[[ACC:.*]], %{{.*}}, %[[J:.*]], %{{.*}}) {
// CHECK: %[[T:.*]] = loop.load %[[SUM]][0, %[[J]], 0]
// CHECK-NEXT: %[[O:.*]] = arith.divf %[[ACC]], %[[T]] : f32
// CHECK-NEXT: arith.truncf %[[O]] : f32 to bf16
module attributes {loop.target = #tiles} {
  func.func @attention(%q: !b, %k: !b, %v: !b) -> !b {
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !b) shared [1, 256, 64] -> !b {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !b acc f32 attributes {kiln.attention} : !b rhs_prologue (%x) {
        %f = arith.extf %x : bf16 to f32
        loop.yield %f : f32
      } epilogue (%acc, %i, %j, %l) {
        %r = arith.truncf %acc : f32 to bf16
        loop.yield %r : bf16
      }
      loop.return %c : !b
    }
    return %o : !b
  }
}

// -----

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

// Without such units exponentials are multiplied as they are, in f32.

// CHECK-LABEL: func.func @exact(
// CHECK: %[[E:.*]] = loop.pointwise {{.*}} : tensor<1x256x256xf32>
// CHECK: math.exp
// CHECK-NOT: loop.pointwise
// CHECK: loop.contract {{.*}} lhs %[[E]][0, d1, d3] : tensor<1x256x256xf32>
// CHECK: epilogue
// CHECK: arith.divf
module attributes {loop.target = #lanes} {
  func.func @exact(%q: !b, %k: !b, %v: !b) -> !b {
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !b) shared [1, 256, 64] -> !b {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !b acc f32 attributes {kiln.attention} : !b rhs_prologue (%x) {
        %f = arith.extf %x : bf16 to f32
        loop.yield %f : f32
      } epilogue (%acc, %i, %j, %l) {
        %r = arith.truncf %acc : f32 to bf16
        loop.yield %r : bf16
      }
      loop.return %c : !b
    }
    return %o : !b
  }
}

// -----

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

// What may be larger than 1 is divided before it is added up.

// CHECK-LABEL: func.func @unbounded(
// CHECK: math.exp
// CHECK: loop.pointwise
// CHECK: arith.divf
// CHECK: loop.contract
// CHECK-NOT: arith.divf
module attributes {loop.target = #lanes} {
  func.func @unbounded(%q: !b, %k: !b, %v: !b) -> !b {
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.mulf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !b) shared [1, 256, 64] -> !b {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !b acc f32 attributes {kiln.attention} : !b rhs_prologue (%x) {
        %f = arith.extf %x : bf16 to f32
        loop.yield %f : f32
      } epilogue (%acc, %i, %j, %l) {
        %r = arith.truncf %acc : f32 to bf16
        loop.yield %r : bf16
      }
      loop.return %c : !b
    }
    return %o : !b
  }
}

// -----

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

!f = tensor<1x256x64xf32>

// Values that another kernel moved and extended are read from where it has them, and
// whoever reads the result rounds it.

// CHECK-LABEL: func.func @moved(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<1x256x64xbf16>)
// CHECK-NOT: @extended
// CHECK: loop.kernel @softmax ins({{.*}}%[[V:.*]] = %[[X]] : tensor<1x256x64xbf16>)
// CHECK: math.exp
// CHECK: loop.contract {{.*}}rhs %[[V]][0, d3 * -1 + 255, d2] : tensor<1x256x64xbf16> acc f32 attributes {kiln.attention} : tensor<1x256x64xf32> lhs_prologue
// CHECK: epilogue
// CHECK: loop.kernel @rounded
module attributes {loop.target = #tiles} {
  func.func @moved(%q: !b, %k: !b, %x: !b) -> !b {
    %v = loop.kernel @extended ins(%a = %x : !b) shared [1, 256, 64] -> !f {
      %c = loop.pointwise (%i, %j, %l) in [1, 256, 64] : !f {
        %f = loop.load %a[0, 255 - %j, %l] : !b
        %g = arith.extf %f : bf16 to f32
        loop.yield %g : f32
      }
      loop.return %c : !f
    }
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !f) shared [1, 256, 64] -> !f {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !f acc f32 attributes {kiln.attention} : !f
      loop.return %c : !f
    }
    %r = loop.kernel @rounded ins(%a = %o : !f) shared [1, 256, 64] -> !b {
      %c = loop.pointwise (%i, %j, %l) in [1, 256, 64] : !b {
        %f = loop.load %a[0, %j, %l] : !f
        %g = arith.truncf %f : f32 to bf16
        loop.yield %g : bf16
      }
      loop.return %c : !b
    }
    return %r : !b
  }
}

// -----

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

// What a program spells as a softmax and a product is divided before, in f32, and not
// rounded: a sum of exponentials times 1e37 may be infinite where that is not.

// CHECK-LABEL: func.func @spelled(
// CHECK: math.exp
// CHECK: %[[W:.*]] = loop.pointwise {{.*}} : tensor<1x256x256xf32>
// CHECK: arith.divf
// CHECK-NOT: bf16
// CHECK: loop.contract {{.*}} lhs %[[W]][0, d1, d3] : tensor<1x256x256xf32>
// CHECK-NOT: arith.divf
module attributes {loop.target = #tiles} {
  func.func @spelled(%q: !b, %k: !b, %v: !b) -> !b {
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %d = arith.subf %f, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !b) shared [1, 256, 64] -> !b {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !b acc f32 : !b rhs_prologue (%x) {
        %f = arith.extf %x : bf16 to f32
        loop.yield %f : f32
      } epilogue (%acc, %i, %j, %l) {
        %r = arith.truncf %acc : f32 to bf16
        loop.yield %r : bf16
      }
      loop.return %c : !b
    }
    return %o : !b
  }
}

// -----

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

// The maximum of other numbers than those that are exponentiated bounds nothing.

// CHECK-LABEL: func.func @other_maximum(
// CHECK: math.exp
// CHECK: loop.pointwise
// CHECK: arith.divf
// CHECK: loop.contract
// CHECK-NOT: arith.divf
module attributes {loop.target = #tiles} {
  func.func @other_maximum(%q: !b, %k: !b, %v: !b) -> !b {
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %c = arith.constant -88.5 : f32
        %b = arith.addf %f, %c : f32
        %d = arith.subf %b, %g : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !b) shared [1, 256, 64] -> !b {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !b acc f32 attributes {kiln.attention} : !b rhs_prologue (%x) {
        %f = arith.extf %x : bf16 to f32
        loop.yield %f : f32
      } epilogue (%acc, %i, %j, %l) {
        %r = arith.truncf %acc : f32 to bf16
        loop.yield %r : bf16
      }
      loop.return %c : !b
    }
    return %o : !b
  }
}

// -----

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

// Only where all of a row is minus infinity may another number stand for the maximum.

// CHECK-LABEL: func.func @flagged(
// CHECK: math.exp
// CHECK: loop.pointwise
// CHECK: arith.divf
// CHECK: loop.contract
// CHECK-NOT: arith.divf
module attributes {loop.target = #tiles} {
  func.func @flagged(%q: !b, %k: !b, %v: !b) -> !b {
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %c = arith.constant 0.0 : f32
        %b = arith.cmpf ogt, %g, %c : f32
        %n = arith.select %b, %c, %g : f32
        %d = arith.subf %f, %n : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !b) shared [1, 256, 64] -> !b {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !b acc f32 attributes {kiln.attention} : !b rhs_prologue (%x) {
        %f = arith.extf %x : bf16 to f32
        loop.yield %f : f32
      } epilogue (%acc, %i, %j, %l) {
        %r = arith.truncf %acc : f32 to bf16
        loop.yield %r : bf16
      }
      loop.return %c : !b
    }
    return %o : !b
  }
}

// -----

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>
#lanes = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000>

!b = tensor<1x256x64xbf16>
!s = tensor<1x256x256xf32>
!z = tensor<1x256x1xf32>

// A masked row has 0 for its maximum.

// CHECK-LABEL: func.func @masked(
// CHECK: math.exp
// CHECK: loop.contract
// CHECK: epilogue
// CHECK: arith.divf
module attributes {loop.target = #tiles} {
  func.func @masked(%q: !b, %k: !b, %v: !b) -> !b {
    %s = loop.kernel @scores ins(%a = %q : !b, %b = %k : !b) shared [1, 256, 256] -> !s {
      %c = loop.contract parallel [1, 256, 256] reduction [64] lhs %a[0, d1, d3] : !b
          rhs %b[0, d2, d3] : !b acc f32 : !s
      loop.return %c : !s
    }
    %w = loop.kernel @softmax ins(%a = %s : !s) shared [1, 256] -> !s {
      %m = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <max> : !z {
        %f = loop.load %a[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %e = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %a[%i, %j, %l] : !s
        %g = loop.load %m[%i, %j, 0] : !z
        %c = arith.constant 0.0 : f32
        %low = arith.constant 0xFF800000 : f32
        %b = arith.cmpf oeq, %g, %low : f32
        %n = arith.select %b, %c, %g : f32
        %d = arith.subf %f, %n : f32
        %h = math.exp %d : f32
        loop.yield %h : f32
      }
      %t = loop.reduce parallel (%i, %j, %u) in [1, 256, 1] reduction (%l) in [256] <sum> : !z {
        %f = loop.load %e[%i, %j, %l] : !s
        loop.yield %f : f32
      }
      %w = loop.pointwise (%i, %j, %l) in [1, 256, 256] : !s {
        %f = loop.load %e[%i, %j, %l] : !s
        %g = loop.load %t[%i, %j, 0] : !z
        %d = arith.divf %f, %g : f32
        loop.yield %d : f32
      }
      loop.return %w : !s
    }
    %o = loop.kernel @values ins(%a = %w : !s, %b = %v : !b) shared [1, 256, 64] -> !b {
      %c = loop.contract parallel [1, 256, 64] reduction [256] lhs %a[0, d1, d3] : !s
          rhs %b[0, d3, d2] : !b acc f32 attributes {kiln.attention} : !b rhs_prologue (%x) {
        %f = arith.extf %x : bf16 to f32
        loop.yield %f : f32
      } epilogue (%acc, %i, %j, %l) {
        %r = arith.truncf %acc : f32 to bf16
        loop.yield %r : bf16
      }
      loop.return %c : !b
    }
    return %o : !b
  }
}
