// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-inline-virtual --split-input-file | FileCheck %s --check-prefix=GPU
// RUN: kiln-opt %s --loop-inline-virtual --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-inline-virtual --split-input-file -o /dev/null --remarks-filter=loop-inline-virtual 2>&1 | FileCheck %s --check-prefix=REMARK

// RUN: kiln-opt %s --loop-inline-virtual=prologues=false --split-input-file | FileCheck %s --check-prefix=OFF

// A single reader takes the body in, at the index at which it reads.

// REMARK: remark: [Passed] inlined | Category:loop-inline-virtual | Function=single | nest=neg
// CHECK-LABEL: func.func @single
// CHECK: loop.pointwise (%[[I:.*]]) in [8] origins ["exp", "neg"]
// CHECK-NEXT: %[[X:.*]] = loop.load %{{.*}}[%[[I]] * -1 + 7]
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[X]]
// CHECK-NEXT: math.exp %[[N]]
// CHECK-NOT: loop.pointwise
func.func @single(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = loop.pointwise (%i) in [8] origins ["neg"] : tensor<8xf32> {
    %x = loop.load %a[%i] : tensor<8xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  %r = loop.pointwise (%i) in [8] origins ["exp"] : tensor<8xf32> {
    %x = loop.load %e[7 - %i] : tensor<8xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  return %r : tensor<8xf32>
}

// -----

// Two equal nests become one; a power with two readers is too dear to repeat.

// REMARK: remark: [Missed] stored | Category:loop-inline-virtual | Function=equal | Reason="recomputing it costs {{[0-9]+}} per element, more than 'max-recompute-cost' allows", nest=pow
// CHECK-LABEL: func.func @equal
// CHECK: %[[P:.*]] = loop.pointwise {{.*}} origins ["pow"]
// CHECK: math.powf
// CHECK-NOT: math.powf
// CHECK: loop.load %[[P]]
// CHECK: loop.load %[[P]]
func.func @equal(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %p = loop.pointwise (%i) in [8] origins ["pow"] : tensor<8xf32> {
    %x = loop.load %a[%i] : tensor<8xf32>
    %y = math.powf %x, %x : f32
    loop.yield %y : f32
  }
  %q = loop.pointwise (%i) in [8] origins ["pow_1"] : tensor<8xf32> {
    %x = loop.load %a[%i] : tensor<8xf32>
    %y = math.powf %x, %x : f32
    loop.yield %y : f32
  }
  %r = loop.pointwise (%i) in [8] : tensor<8xf32> {
    %x = loop.load %p[%i] : tensor<8xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  %s = loop.pointwise (%i) in [8] : tensor<8xf32> {
    %x = loop.load %q[7 - %i] : tensor<8xf32>
    %y = math.absf %x : f32
    loop.yield %y : f32
  }
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// What the function returns stays, whoever else reads it.

// CHECK-LABEL: func.func @escapes
// CHECK-COUNT-2: loop.pointwise
func.func @escapes(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %p = loop.pointwise (%i) in [8] : tensor<8xf32> {
    %x = loop.load %a[%i] : tensor<8xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  %r = loop.pointwise (%i) in [8] : tensor<8xf32> {
    %x = loop.load %p[%i] : tensor<8xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  return %p, %r : tensor<8xf32>, tensor<8xf32>
}

// -----

// Under a mask the inlined loads are masked, too.

// CHECK-LABEL: func.func @masked
// CHECK: %[[M:.*]] = arith.cmpi slt
// CHECK: loop.load %arg0[%{{.*}}] mask %[[M]], %{{.*}}
// CHECK: arith.select %[[M]]
func.func @masked(%a: tensor<4xf32>) -> tensor<8xf32> {
  %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %x = loop.load %a[%i] : tensor<4xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  %r = loop.pointwise (%i) in [8] : tensor<8xf32> {
    %c = arith.constant 4 : index
    %one = arith.constant 1.0 : f32
    %m = arith.cmpi slt, %i, %c : index
    %x = loop.load %p[%i] mask %m, %one : tensor<4xf32>
    loop.yield %x : f32
  }
  return %r : tensor<8xf32>
}

// -----

// A transposed copy before a product is read in place, a cheap scale becomes
// the prologue.

// OFF-LABEL: func.func @operands
// OFF: arith.mulf
// OFF: loop.contract {{.*}} lhs %{{[^ ]*}}[d0, d2] : tensor<8x32xf32> rhs %arg1[d1, d2] : tensor<16x32xf32>
// OFF-NOT: lhs_prologue
// OFF: return
// CHECK-LABEL: func.func @operands
// CHECK-NOT: loop.pointwise
// CHECK: loop.contract {{.*}} lhs %arg0[d0, d2] : tensor<8x32xf32> rhs %arg1[d1, d2] : tensor<16x32xf32>
// CHECK-SAME: lhs_prologue
// CHECK: arith.mulf
func.func @operands(%a: tensor<8x32xf32>, %b: tensor<16x32xf32>) -> tensor<8x16xf32> {
  %s = loop.pointwise (%i, %j) in [8, 32] : tensor<8x32xf32> {
    %x = loop.load %a[%i, %j] : tensor<8x32xf32>
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %x, %two : f32
    loop.yield %y : f32
  }
  %t = loop.pointwise (%i, %j) in [32, 16] : tensor<32x16xf32> {
    %x = loop.load %b[%j, %i] : tensor<16x32xf32>
    loop.yield %x : f32
  }
  %c = loop.contract parallel [8, 16] reduction [32]
      lhs %s[d0, d2] : tensor<8x32xf32> rhs %t[d2, d1] : tensor<32x16xf32>
      acc f32 : tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// -----

// What is extended last is stored narrow: who reads it extends it, a masked load what it
// gives instead as well.

#tiles = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = tiles>

// CHECK-LABEL: func.func @narrow
// CHECK: %[[N:.*]] = loop.pointwise {{.*}} : tensor<8x16xbf16> {
// CHECK: %[[T:.*]] = arith.truncf
// CHECK-NOT: arith.extf
// CHECK: loop.yield %[[T]] : bf16
// CHECK: %[[F:.*]] = loop.pointwise {{.*}} : tensor<4x16xbf16> {
// CHECK: loop.contract {{.*}} lhs %[[N]][d0, d2] : tensor<8x16xbf16> rhs %[[F]][d1, d2] : tensor<4x16xbf16> {{.*}} lhs_prologue (%[[X:.*]]) {
// CHECK-NEXT: arith.extf %[[X]] : bf16 to f32
// CHECK: loop.pointwise
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK: %[[L:.*]] = loop.load %[[N]]{{.*}} mask %{{.*}}, %[[Z]] : tensor<8x16xbf16>
// CHECK: arith.extf %[[L]] : bf16 to f32
module attributes {loop.target = #tiles} {
  func.func @narrow(%a: tensor<8x16xf32>, %b: tensor<4x16xf32>, %i: tensor<8x16xi1>)
      -> (tensor<8x4xf32>, tensor<8x16xf32>) {
    %e = loop.pointwise (%i0, %i1) in [8, 16] : tensor<8x16xf32> {
      %x = loop.load %a[%i0, %i1] : tensor<8x16xf32>
      %y = math.exp %x : f32
      %z = arith.truncf %y : f32 to bf16
      %w = arith.extf %z : bf16 to f32
      loop.yield %w : f32
    }
    %f = loop.pointwise (%i0, %i1) in [4, 16] : tensor<4x16xf32> {
      %x = loop.load %b[%i0, %i1] : tensor<4x16xf32>
      %y = math.exp %x : f32
      %z = arith.truncf %y : f32 to bf16
      %w = arith.extf %z : bf16 to f32
      loop.yield %w : f32
    }
    %c = loop.contract parallel [8, 4] reduction [16] lhs %e[d0, d2] : tensor<8x16xf32>
        rhs %f[d1, d2] : tensor<4x16xf32> acc f32 : tensor<8x4xf32>
    %r = loop.pointwise (%i0, %i1) in [8, 16] : tensor<8x16xf32> {
      %zero = arith.constant 0.0 : f32
      %m = loop.load %i[%i0, %i1] : tensor<8x16xi1>
      %x = loop.load %e[%i0, %i1] mask %m, %zero : tensor<8x16xf32>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    return %c, %r : tensor<8x4xf32>, tensor<8x16xf32>
  }

  // One factor alone is nothing for a unit.

  // CHECK-LABEL: func.func @one_is_wide
  // CHECK: loop.yield %{{.*}} : f32
  // CHECK: loop.contract {{.*}} lhs %{{.*}}[d0, d2] : tensor<8x16xf32>
  func.func @one_is_wide(%a: tensor<8x16xbf16>, %b: tensor<4x16xf32>) -> tensor<8x4xf32> {
    %e = loop.pointwise (%i0, %i1) in [8, 16] : tensor<8x16xf32> {
      %x = loop.load %a[%i0, %i1] : tensor<8x16xbf16>
      %z = loop.load %a[%i0, 15 - %i1] : tensor<8x16xbf16>
      %y = arith.addf %x, %z : bf16
      %w = arith.extf %y : bf16 to f32
      loop.yield %w : f32
    }
    %c = loop.contract parallel [8, 4] reduction [16] lhs %e[d0, d2] : tensor<8x16xf32>
        rhs %b[d1, d2] : tensor<4x16xf32> acc f32 : tensor<8x4xf32>
    return %c : tensor<8x4xf32>
  }

  // CHECK-LABEL: func.func @units
  // CHECK: loop.yield %{{.*}} : bf16
  // CHECK: loop.contract {{.*}} lhs %{{.*}}[d0, d2] : tensor<8x16xbf16>
  func.func @units(%a: tensor<8x16xbf16>, %b: tensor<4x16xbf16>) -> tensor<8x4xf32> {
    %e = loop.pointwise (%i0, %i1) in [8, 16] : tensor<8x16xf32> {
      %x = loop.load %a[%i0, %i1] : tensor<8x16xbf16>
      %z = loop.load %a[%i0, 15 - %i1] : tensor<8x16xbf16>
      %y = arith.addf %x, %z : bf16
      %w = arith.extf %y : bf16 to f32
      loop.yield %w : f32
    }
    %c = loop.contract parallel [8, 4] reduction [16] lhs %e[d0, d2] : tensor<8x16xf32>
        rhs %b[d1, d2] : tensor<4x16xbf16> acc f32 : tensor<8x4xf32>
    return %c : tensor<8x4xf32>
  }
}

// -----

// Neither are both without units.

// CHECK-LABEL: func.func @no_units
// CHECK: loop.yield %{{.*}} : f32
// CHECK: loop.contract {{.*}} lhs %{{.*}}[d0, d2] : tensor<8x16xf32>
func.func @no_units(%a: tensor<8x16xbf16>, %b: tensor<4x16xbf16>) -> tensor<8x4xf32> {
  %e = loop.pointwise (%i0, %i1) in [8, 16] : tensor<8x16xf32> {
    %x = loop.load %a[%i0, %i1] : tensor<8x16xbf16>
    %z = loop.load %a[%i0, 15 - %i1] : tensor<8x16xbf16>
    %y = arith.addf %x, %z : bf16
    %w = arith.extf %y : bf16 to f32
    loop.yield %w : f32
  }
  %c = loop.contract parallel [8, 4] reduction [16] lhs %e[d0, d2] : tensor<8x16xf32>
      rhs %b[d1, d2] : tensor<4x16xbf16> acc f32 : tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// -----

// What the caller gets stays as wide as it was asked for, and so does what a masked load
// may replace by a number that is not as narrow.

// CHECK-LABEL: func.func @wide
// CHECK-COUNT-2: loop.yield %{{.*}} : f32
func.func @wide(%a: tensor<8xbf16>, %b: tensor<8xbf16>, %i: tensor<8xi1>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>) {
  %e = loop.pointwise (%k) in [8] : tensor<8xf32> {
    %x = loop.load %a[%k] : tensor<8xbf16>
    %w = arith.extf %x : bf16 to f32
    loop.yield %w : f32
  }
  %g = loop.pointwise (%k) in [8] : tensor<8xf32> {
    %x = loop.load %b[%k] : tensor<8xbf16>
    %y = math.exp %x : bf16
    %p = math.exp %y : bf16
    %q = math.exp %p : bf16
    %w = arith.extf %q : bf16 to f32
    loop.yield %w : f32
  }
  %r = loop.pointwise (%k, %l) in [8, 8] : tensor<8x8xf32> {
    %third = arith.constant 0.1 : f32
    %m = loop.load %i[%k] : tensor<8xi1>
    %x = loop.load %g[%l] mask %m, %third : tensor<8xf32>
    loop.yield %x : f32
  }
  return %e, %e, %r : tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>
}

// -----

// f64 made of bf16 is computed again by a GPU rather than stored four times as wide.

// CHECK-LABEL: func.func @much_wider
// CHECK-COUNT-3: loop.{{pointwise|reduce}}
// GPU-LABEL: func.func @much_wider
// GPU-NOT: loop.pointwise
// GPU: loop.reduce
// GPU-COUNT-2: math.sqrt
// GPU: loop.pointwise
// GPU-COUNT-2: math.sqrt
// GPU: return
func.func @much_wider(%x: tensor<4096x8xbf16>) -> (tensor<8xf64>, tensor<4096x8xbf16>) {
  %n = loop.pointwise (%i, %j) in [4096, 8] : tensor<4096x8xf64> {
    %a = loop.load %x[%i, %j] : tensor<4096x8xbf16>
    %b = arith.extf %a : bf16 to f64
    %c = math.sqrt %b : f64
    %d = math.sqrt %c : f64
    %e = math.absf %d : f64
    loop.yield %e : f64
  }
  %s = loop.reduce parallel (%i) in [8] reduction (%j) in [4096] <sum> : tensor<8xf64> {
    %a = loop.load %n[%j, %i] : tensor<4096x8xf64>
    loop.yield %a : f64
  }
  %r = loop.pointwise (%i, %j) in [4096, 8] : tensor<4096x8xbf16> {
    %a = loop.load %n[%i, %j] : tensor<4096x8xf64>
    %b = arith.truncf %a : f64 to bf16
    loop.yield %b : bf16
  }
  return %s, %r : tensor<8xf64>, tensor<4096x8xbf16>
}

// -----

// A table that many rows read is computed once by a GPU, too: the second row finds it in the
// cache.

// GPU-LABEL: func.func @table
// GPU: loop.pointwise (%{{.*}}, %{{.*}}) in [1024, 1024]
// GPU: loop.pointwise (%{{.*}}, %{{.*}}, %{{.*}}) in [64, 1024, 1024]
// CHECK-LABEL: func.func @table
// CHECK-COUNT-2: loop.pointwise
func.func @table(%x: tensor<1024xbf16>, %y: tensor<64x1024x1024xf64>) -> tensor<64x1024x1024xf64> {
  %t = loop.pointwise (%i, %j) in [1024, 1024] : tensor<1024x1024xf64> {
    %a = loop.load %x[%i] : tensor<1024xbf16>
    %w = arith.extf %a : bf16 to f64
    %b = math.exp %w : f64
    loop.yield %b : f64
  }
  %r = loop.pointwise (%i, %j, %k) in [64, 1024, 1024] : tensor<64x1024x1024xf64> {
    %a = loop.load %t[%j, %k] : tensor<1024x1024xf64>
    %b = loop.load %y[%i, %j, %k] : tensor<64x1024x1024xf64>
    %c = arith.mulf %a, %b : f64
    loop.yield %c : f64
  }
  return %r : tensor<64x1024x1024xf64>
}

// -----

// The sigmoid that gelu and its derivative have, point by point and each in a kernel of its
// own, is computed in both by a GPU. Where a sum reads it, its row stays in registers.

// CHECK-LABEL: func.func @sigmoid
// CHECK-COUNT-3: loop.pointwise
// GPU-LABEL: func.func @sigmoid
// GPU-COUNT-2: loop.pointwise {{.*}} origins
// GPU-NOT: loop.pointwise
func.func @sigmoid(%x: tensor<4096x64xbf16>, %g: tensor<4096x64xbf16>) -> (tensor<4096x64xbf16>, tensor<4096x64xbf16>) {
  %n = loop.pointwise (%i, %j) in [4096, 64] origins ["sigmoid"] : tensor<4096x64xf32> {
    %one = arith.constant 1.0 : f32
    %a = loop.load %x[%i, %j] : tensor<4096x64xbf16>
    %b = arith.extf %a : bf16 to f32
    %c = arith.negf %b : f32
    %d = math.exp %c : f32
    %e = arith.addf %d, %one : f32
    %f = arith.divf %one, %e : f32
    loop.yield %f : f32
  }
  %r = loop.pointwise (%i, %j) in [4096, 64] origins ["gelu"] : tensor<4096x64xbf16> {
    %a = loop.load %n[%i, %j] : tensor<4096x64xf32>
    %b = loop.load %x[%i, %j] : tensor<4096x64xbf16>
    %c = arith.extf %b : bf16 to f32
    %d = arith.mulf %a, %c : f32
    %e = arith.truncf %d : f32 to bf16
    loop.yield %e : bf16
  }
  %s = loop.pointwise (%i, %j) in [4096, 64] origins ["slope"] : tensor<4096x64xbf16> {
    %a = loop.load %n[%i, %j] : tensor<4096x64xf32>
    %b = loop.load %g[%i, %j] : tensor<4096x64xbf16>
    %c = arith.extf %b : bf16 to f32
    %d = arith.mulf %a, %c : f32
    %e = arith.truncf %d : f32 to bf16
    loop.yield %e : bf16
  }
  return %r, %s : tensor<4096x64xbf16>, tensor<4096x64xbf16>
}

// -----

// CHECK-LABEL: func.func @sigmoid_of_rows
// GPU-LABEL: func.func @sigmoid_of_rows
// GPU-COUNT-1: math.exp
// GPU-NOT: math.exp
func.func @sigmoid_of_rows(%x: tensor<4096x64xbf16>) -> (tensor<4096xf32>, tensor<4096x64xbf16>) {
  %n = loop.pointwise (%i, %j) in [4096, 64] : tensor<4096x64xf32> {
    %one = arith.constant 1.0 : f32
    %a = loop.load %x[%i, %j] : tensor<4096x64xbf16>
    %b = arith.extf %a : bf16 to f32
    %c = arith.negf %b : f32
    %d = math.exp %c : f32
    %e = arith.addf %d, %one : f32
    %f = arith.divf %one, %e : f32
    loop.yield %f : f32
  }
  %s = loop.reduce parallel (%i) in [4096] reduction (%j) in [64] <sum> : tensor<4096xf32> {
    %a = loop.load %n[%i, %j] : tensor<4096x64xf32>
    loop.yield %a : f32
  }
  %r = loop.pointwise (%i, %j) in [4096, 64] : tensor<4096x64xbf16> {
    %a = loop.load %n[%i, %j] : tensor<4096x64xf32>
    %b = arith.truncf %a : f32 to bf16
    loop.yield %b : bf16
  }
  return %s, %r : tensor<4096xf32>, tensor<4096x64xbf16>
}

// -----

// Nor is what is made of rows at computed places.

// CHECK-LABEL: func.func @gathered
// GPU-LABEL: func.func @gathered
// GPU-COUNT-3: loop.pointwise
func.func @gathered(%t: tensor<500x64xbf16>, %w: tensor<4096xi64>, %u: tensor<4096x64xbf16>) -> (tensor<4096x64xbf16>, tensor<4096x64xbf16>) {
  %n = loop.pointwise (%i, %j) in [4096, 64] : tensor<4096x64xf32> {
    %k = loop.load %w[%i] : tensor<4096xi64>
    %p = arith.index_cast %k : i64 to index
    %a = loop.load %t[%p, %j] : tensor<500x64xbf16>
    %b = arith.extf %a : bf16 to f32
    %c = math.exp %b : f32
    loop.yield %c : f32
  }
  %r = loop.pointwise (%i, %j) in [4096, 64] : tensor<4096x64xbf16> {
    %a = loop.load %n[%i, %j] : tensor<4096x64xf32>
    %e = arith.truncf %a : f32 to bf16
    loop.yield %e : bf16
  }
  %s = loop.pointwise (%i, %j) in [4096, 64] : tensor<4096x64xbf16> {
    %a = loop.load %n[%i, %j] : tensor<4096x64xf32>
    %b = loop.load %u[%i, %j] : tensor<4096x64xbf16>
    %c = arith.extf %b : bf16 to f32
    %d = arith.mulf %a, %c : f32
    %e = arith.truncf %d : f32 to bf16
    loop.yield %e : bf16
  }
  return %r, %s : tensor<4096x64xbf16>, tensor<4096x64xbf16>
}

// -----

// What rounds a product is not taken in by a nest that puts tensors behind each other, which
// cannot follow the product in its kernel: 16 bits are stored in place of 32.

// CHECK-LABEL: func.func @rounded
// CHECK: loop.contract
// CHECK-COUNT-1: loop.pointwise
// CHECK-NOT: loop.pointwise
// GPU-LABEL: func.func @rounded
// GPU: loop.contract
// GPU: loop.pointwise (%{{.*}}, %{{.*}}) in [64, 64] {{.*}}tensor<64x64xbf16>
// GPU: arith.mulf
// GPU: arith.truncf
// GPU: loop.pointwise (%{{.*}}, %{{.*}}) in [64, 128]
// GPU-NOT: arith.truncf
// GPU: return
func.func @rounded(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %y: tensor<64x64xbf16>) -> tensor<64x128xbf16> {
  %c = loop.contract parallel [64, 64] reduction [32] lhs %a[d0, d2] : tensor<64x32xbf16>
      rhs %b[d2, d1] : tensor<32x64xbf16> acc f32 : tensor<64x64xf32>
  %n = loop.pointwise (%i, %j) in [64, 64] origins ["round"] : tensor<64x64xbf16> {
    %eighth = arith.constant 0.125 : f32
    %x = loop.load %c[%i, %j] : tensor<64x64xf32>
    %m = arith.mulf %x, %eighth : f32
    %t = arith.truncf %m : f32 to bf16
    loop.yield %t : bf16
  }
  %r = loop.pointwise (%i, %j) in [64, 128] origins ["cat"] : tensor<64x128xbf16> {
    %zero = arith.constant 0.0 : bf16
    %end = arith.constant 64 : index
    %first = arith.cmpi slt, %j, %end : index
    %second = arith.cmpi sge, %j, %end : index
    %e = loop.load %n[%i, %j] mask %first, %zero : tensor<64x64xbf16>
    %f = loop.load %y[%i, %j - 64] mask %second, %zero : tensor<64x64xbf16>
    %g = arith.select %first, %e, %f : bf16
    loop.yield %g : bf16
  }
  return %r : tensor<64x128xbf16>
}

// -----

// What lies between others along its last dimension is stored for a reader that walks across it, by
// tiles; one that walks along it takes its body in.

// REMARK: remark: [Missed] stored | Category:loop-inline-virtual | Function=turned | Reason="its reader walks across it, by tiles", nest=between
// CHECK-LABEL: func.func @turned
// CHECK: %[[P:.*]] = loop.pointwise (%{{.*}}, %{{.*}}) in [28, 64] origins ["between"]
// CHECK: loop.pointwise (%[[I:.*]], %[[J:.*]]) in [64, 28] origins ["copy"]
// CHECK-NEXT: loop.load %[[P]][%[[J]], %[[I]]]
// CHECK: loop.pointwise (%{{.*}}, %{{.*}}) in [28, 64] origins ["neg", "between"]
func.func @turned(%x: tensor<14x64xf32>) -> (tensor<64x28xf32>, tensor<28x64xf32>) {
  %p = loop.pointwise (%i, %j) in [28, 64] origins ["between"] : tensor<28x64xf32> {
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : index
    %0 = loop.index (mod(%i, 2))
    %even = arith.cmpi eq, %0, %none : index
    %1 = loop.load %x[floordiv(%i, 2), %j] mask %even, %zero : tensor<14x64xf32>
    loop.yield %1 : f32
  }
  %q = loop.pointwise (%i, %j) in [28, 64] origins ["between"] : tensor<28x64xf32> {
    %one = arith.constant 1.0 : f32
    %none = arith.constant 0 : index
    %0 = loop.index (mod(%i, 2))
    %even = arith.cmpi eq, %0, %none : index
    %1 = loop.load %x[floordiv(%i, 2), %j] mask %even, %one : tensor<14x64xf32>
    loop.yield %1 : f32
  }
  %r = loop.pointwise (%i, %j) in [64, 28] origins ["copy"] : tensor<64x28xf32> {
    %0 = loop.load %p[%j, %i] : tensor<28x64xf32>
    loop.yield %0 : f32
  }
  %s = loop.pointwise (%i, %j) in [28, 64] origins ["neg"] : tensor<28x64xf32> {
    %0 = loop.load %q[%i, %j] : tensor<28x64xf32>
    %1 = arith.negf %0 : f32
    loop.yield %1 : f32
  }
  return %r, %s : tensor<64x28xf32>, tensor<28x64xf32>
}

// -----

// What is rounded before a bound is taken and behind it is rounded once, whatever the order of the
// operands, if the bound needs no rounding. A sum does.

// CHECK-LABEL: func.func @bounded
// CHECK: %[[S:.*]] = arith.addf
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[S]], %{{.*}} : f32
// CHECK-NEXT: %[[N:.*]] = arith.minimumf %{{.*}}, %[[M]] : f32
// CHECK-NEXT: arith.truncf %[[N]] : f32 to bf16
// CHECK-NEXT: loop.yield
// CHECK: arith.addf
// CHECK-NEXT: %[[T:.*]] = arith.truncf
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[T]]
// CHECK-NEXT: arith.maximumf %[[W]]
// CHECK: arith.addf
// CHECK-NEXT: %[[U:.*]] = arith.truncf
// CHECK-NEXT: %[[V:.*]] = arith.extf %[[U]]
// CHECK-NEXT: arith.addf %[[V]]
!b = tensor<8xbf16>
func.func @bounded(%a: tensor<8xf32>) -> (!b, !b, !b) {
  %r = loop.pointwise (%i) in [8] : !b {
    %zero = arith.constant 0.0 : f32
    %six = arith.constant 6.0 : f32
    %x = loop.load %a[%i] : tensor<8xf32>
    %y = arith.addf %x, %x : f32
    %z = arith.truncf %y : f32 to bf16
    %w = arith.extf %z : bf16 to f32
    %m = arith.maximumf %w, %zero : f32
    %n = arith.minimumf %six, %m : f32
    %t = arith.truncf %n : f32 to bf16
    loop.yield %t : bf16
  }
  %s = loop.pointwise (%i) in [8] : !b {
    %tenth = arith.constant 0.1 : f32
    %x = loop.load %a[%i] : tensor<8xf32>
    %y = arith.addf %x, %x : f32
    %z = arith.truncf %y : f32 to bf16
    %w = arith.extf %z : bf16 to f32
    %m = arith.maximumf %w, %tenth : f32
    %t = arith.truncf %m : f32 to bf16
    loop.yield %t : bf16
  }
  %u = loop.pointwise (%i) in [8] : !b {
    %one = arith.constant 1.0 : f32
    %x = loop.load %a[%i] : tensor<8xf32>
    %y = arith.addf %x, %x : f32
    %z = arith.truncf %y : f32 to bf16
    %w = arith.extf %z : bf16 to f32
    %m = arith.addf %w, %one : f32
    %t = arith.truncf %m : f32 to bf16
    loop.yield %t : bf16
  }
  return %r, %s, %u : !b, !b, !b
}
