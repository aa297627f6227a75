//===- ReductionCases.cpp - Kernels of reductions -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;

// Every kind over the last dimension.
const char loop::kReduceLast[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!n = tensor<?x?xi64, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s0]>>
!l = tensor<?xi64, #guard.shape<[s0]>>
!b = tensor<?xi1, #guard.shape<[s0]>>
func.func @main(%x: !a, %y: !n) -> (!f, !f, !f, !l, !l, !b, !b, !l) {
  %r:8 = loop.kernel @k ins(%a = %x : !a, %c = %y : !n) shared [s0]
      -> (!f, !f, !f, !l, !l, !b, !b, !l) {
    %one = arith.constant 1.0 : f32
    %s, %m, %n = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1]
        <sum, max, min> : !f, !f, !f {
      %e = loop.load %a[%i, %j] : !a
      %d = arith.extf %e : f32 to f64
      loop.yield %d, %e, %e : f64, f32, f32
    }
    %t, %u = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1]
        <sum, max> : !l, !l {
      %e = loop.load %c[%i, %j] : !n
      loop.yield %e, %e : i64, i64
    }
    %v, %w, %z = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1]
        <any, all, xor> : !b, !b, !l {
      %e = loop.load %c[%i, %j] : !n
      %zero = arith.constant 0 : i64
      %p = arith.cmpi sgt, %e, %zero : i64
      %q = arith.cmpi ne, %e, %zero : i64
      loop.yield %p, %q, %e : i1, i1, i64
    }
    loop.return %s, %m, %n, %t, %u, %v, %w, %z
        : !f, !f, !f, !l, !l, !b, !b, !l
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7
      : !f, !f, !f, !l, !l, !b, !b, !l
})";

// Over the first dimension, and over the middle one of three.
const char loop::kReduceLeading[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s1]>>
func.func @main(%x: !a) -> (!f, !f) {
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared [s1] -> (!f, !f) {
    %s, %p = loop.reduce parallel (%j) in [s1] reduction (%i) in [s0]
        <sum, prod> : !f, !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e, %e : f32, f32
    }
    loop.return %s, %p : !f, !f
  }
  return %r#0, %r#1 : !f, !f
})";

const char loop::kReduceMiddle[] = R"(
!a = tensor<3x?x7xf32, #guard.shape<[3, s0, 7]>>
!f = tensor<3x7xf32>
func.func @main(%x: !a) -> !f {
  %r = loop.kernel @k ins(%a = %x : !a) shared [3, 7] -> !f {
    %s = loop.reduce parallel (%i, %k) in [3, 7] reduction (%j) in [s0]
        <sum> : !f {
      %e = loop.load %a[%i, %j, %k] : !a
      loop.yield %e : f32
    }
    loop.return %s : !f
  }
  return %r : !f
})";

// Both directions in one work item: rows side by side, and along a row.
const char loop::kReduceWithin[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s1]>>
!g = tensor<?xf32, #guard.shape<[s0]>>
func.func @main(%x: !a) -> (!f, !g) {
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared [] -> (!f, !g) {
    %s = loop.reduce parallel (%j) in [s1] reduction (%i) in [s0] <sum> : !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e : f32
    }
    %t = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <sum> : !g {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e : f32
    }
    loop.return %s, %t : !f, !g
  }
  return %r#0, %r#1 : !f, !g
})";

// Over first and last at once, and to a scalar.
const char loop::kReduceSeveral[] = R"(
!a = tensor<?x4x?xf32, #guard.shape<[s0, 4, s1]>>
!f = tensor<4xf32>
!s = tensor<f32>
func.func @main(%x: !a) -> (!f, !s) {
  %r = loop.kernel @k ins(%a = %x : !a) shared [4] -> !f {
    %s = loop.reduce parallel (%j) in [4] reduction (%i, %k) in [s0, s1]
        <max> : !f {
      %e = loop.load %a[%i, %j, %k] : !a
      loop.yield %e : f32
    }
    loop.return %s : !f
  }
  %q = loop.kernel @all ins(%a = %x : !a) shared [] -> !s {
    %s = loop.reduce parallel () in [] reduction (%i, %j, %k) in [s0, 4, s1]
        <sum> : !s {
      %e = loop.load %a[%i, %j, %k] : !a
      loop.yield %e : f32
    }
    loop.return %s : !s
  }
  return %r, %q : !f, !s
})";

// Pairs and triples. Values repeat, so that ties are common.
const char loop::kArgMax[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!b = tensor<?x?xi8, #guard.shape<[s0, s1]>>
!u = tensor<?x?xui8, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s0]>>
!c = tensor<?xi8, #guard.shape<[s0]>>
!d = tensor<?xui8, #guard.shape<[s0]>>
!l = tensor<?xi64, #guard.shape<[s0]>>
func.func @main(%x: !a, %y: !b, %z: !u) -> (!f, !l, !c, !l, !d, !l, !d) {
  %r:7 = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %c = %z : !u)
      shared [s0] -> (!f, !l, !c, !l, !d, !l, !d) {
    %m, %n, %o, %p, %q, %s, %t = loop.reduce parallel (%i) in [s0]
        reduction (%j) in [s1] <argmax, argmin, argmax, max>
        : !f, !l, !c, !l, !d, !l, !d {
      %e = loop.load %a[%i, %j] : !a
      %f = loop.load %b[%i, %j] : !b
      %g = loop.load %c[%i, %j] : !u
      %k = arith.index_cast %j : index to i64
      loop.yield %e, %k, %f, %k, %g, %k, %g : f32, i64, i8, i64, i8, i64, i8
    }
    loop.return %m, %n, %o, %p, %q, %s, %t : !f, !l, !c, !l, !d, !l, !d
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6
      : !f, !l, !c, !l, !d, !l, !d
})";

// Layer normalization: Welford, then a pointwise nest over the same rows.
const char loop::kLayerNorm[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s0]>>
!w = tensor<?xf32, #guard.shape<[s1]>>
func.func @main(%x: !a, %y: !w) -> (!a, !f) {
  %r:2 = loop.kernel @k ins(%a = %x : !a, %w = %y : !w) shared [s0]
      -> (!a, !f) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %eps = arith.constant 1.0e-3 : f32
    %m, %q, %n = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1]
        <welford> : !f, !f, !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e, %zero, %one : f32, f32, f32
    }
    %rstd = loop.pointwise (%i) in [s0] : !f {
      %e = loop.load %q[%i] : !f
      %c = loop.load %n[%i] : !f
      %v = arith.divf %e, %c : f32
      %s = arith.addf %v, %eps : f32
      %t = math.rsqrt %s : f32
      loop.yield %t : f32
    }
    %p = loop.pointwise (%i, %j) in [s0, s1] : !a {
      %e = loop.load %a[%i, %j] : !a
      %u = loop.load %m[%i] : !f
      %v = loop.load %rstd[%i] : !f
      %g = loop.load %w[%j] : !w
      %d = arith.subf %e, %u : f32
      %s = arith.mulf %d, %v : f32
      %t = arith.mulf %s, %g : f32
      loop.yield %t : f32
    }
    loop.return %p, %rstd : !a, !f
  }
  return %r#0, %r#1 : !a, !f
})";

// Softmax whose exponentials stay in a row of scratch.
const char loop::kSoftmax[] = R"(
!a = tensor<?x?xbf16, #guard.shape<[s0, s1]>>
!e = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s0]>>
func.func @main(%x: !a) -> !a {
  %r = loop.kernel @k ins(%a = %x : !a) shared [s0] -> !a {
    %m = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <max> : !f {
      %e = loop.load %a[%i, %j] : !a
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %x1 = loop.pointwise (%i, %j) in [s0, s1] : !e {
      %e = loop.load %a[%i, %j] : !a
      %f = arith.extf %e : bf16 to f32
      %g = loop.load %m[%i] : !f
      %d = arith.subf %f, %g : f32
      %h = math.exp %d : f32
      loop.yield %h : f32
    }
    %z = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <sum> : !f {
      %e = loop.load %x1[%i, %j] : !e
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %j) in [s0, s1] : !a {
      %e = loop.load %x1[%i, %j] : !e
      %g = loop.load %z[%i] : !f
      %q = arith.divf %e, %g : f32
      %h = arith.truncf %q : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %p : !a
  }
  return %r : !a
})";

// The same in f32, whose exponentials may lie where the result will, beside the logarithm
// of the sum.
const char loop::kSoftmaxInResult[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s0]>>
func.func @main(%x: !a) -> (!f, !a) {
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared [s0] -> (!f, !a) {
    %m = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <max> : !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e : f32
    }
    %x1 = loop.pointwise (%i, %j) in [s0, s1] : !a {
      %e = loop.load %a[%i, %j] : !a
      %g = loop.load %m[%i] : !f
      %d = arith.subf %e, %g : f32
      %h = math.exp %d : f32
      loop.yield %h : f32
    }
    %z = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <sum> : !f {
      %e = loop.load %x1[%i, %j] : !a
      loop.yield %e : f32
    }
    %l = loop.pointwise (%i) in [s0] : !f {
      %e = loop.load %z[%i] : !f
      %q = math.log %e : f32
      loop.yield %q : f32
    }
    %p = loop.pointwise (%i, %j) in [s0, s1] : !a {
      %e = loop.load %x1[%i, %j] : !a
      %g = loop.load %z[%i] : !f
      %q = arith.divf %e, %g : f32
      loop.yield %q : f32
    }
    loop.return %l, %p : !f, !a
  }
  return %r#0, %r#1 : !f, !a
})";

// A softmax as operators keep dimensions: of one element, which are no rows. A value of
// the row leaves the kernel with its unit, and rows have a known size.
const char loop::kKeptUnits[] = R"(
!a = tensor<?x24xbf16, #guard.shape<[s0, 24]>>
!e = tensor<?x24xf32, #guard.shape<[s0, 24]>>
!f = tensor<?x1xf32, #guard.shape<[s0, 1]>>
func.func @main(%x: !a) -> (!a, !f) {
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared [s0] -> (!a, !f) {
    %one = arith.constant 1.0 : f32
    %m = loop.reduce parallel (%i, %u) in [s0, 1] reduction (%j) in [24] <max>
        : !f {
      %e = loop.load %a[%i, %j] : !a
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %x1 = loop.pointwise (%i, %j) in [s0, 24] : !e {
      %e = loop.load %a[%i, %j] : !a
      %f = arith.extf %e : bf16 to f32
      %g = loop.load %m[%i, 0] : !f
      %d = arith.subf %f, %g : f32
      %h = math.exp %d : f32
      loop.yield %h : f32
    }
    %z = loop.reduce parallel (%i, %u) in [s0, 1] reduction (%j) in [24] <sum>
        : !f {
      %e = loop.load %x1[%i, %j] : !e
      loop.yield %e : f32
    }
    %y = loop.pointwise (%i, %u) in [s0, 1] : !f {
      %e = loop.load %z[%i, %u] : !f
      %q = arith.divf %one, %e : f32
      loop.yield %q : f32
    }
    %p = loop.pointwise (%i, %j) in [s0, 24] : !a {
      %e = loop.load %x1[%i, %j] : !e
      %g = loop.load %y[%i, 0] : !f
      %q = arith.mulf %e, %g : f32
      %h = arith.truncf %q : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %p, %y : !a, !f
  }
  return %r#0, %r#1 : !a, !f
})";

// The means of columns, with a dimension of one element that is kept.
const char loop::kKeptColumns[] = R"(
!a = tensor<?x24xf32, #guard.shape<[s0, 24]>>
!f = tensor<24x1xf32>
func.func @main(%x: !a) -> !f {
  %r = loop.kernel @k ins(%a = %x : !a) shared [24] -> !f {
    %few = arith.constant 0.0625 : f32
    %s = loop.reduce parallel (%i, %u) in [24, 1] reduction (%j) in [s0] <sum>
        : !f {
      %e = loop.load %a[%j, %i] : !a
      loop.yield %e : f32
    }
    %y = loop.pointwise (%i, %u) in [24, 1] : !f {
      %e = loop.load %s[%i, 0] : !f
      %q = arith.mulf %e, %few : f32
      loop.yield %q : f32
    }
    loop.return %y : !f
  }
  return %r : !f
})";

// A combiner of its own: the value of largest magnitude.
const char loop::kGenericReduce[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!f = tensor<?xf32, #guard.shape<[s0]>>
func.func @main(%x: !a) -> !f {
  %r = loop.kernel @k ins(%a = %x : !a) shared [s0] -> !f {
    %zero = arith.constant 0.0 : f32
    %s = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <generic>
        init(%zero : f32) : !f {
      %e = loop.load %a[%i, %j] : !a
      %g = math.absf %e : f32
      loop.yield %g : f32
    } combine (%l : f32, %r : f32) {
      %c = arith.cmpf ogt, %l, %r : f32
      %m = arith.select %c, %l, %r : f32
      loop.yield %m : f32
    }
    loop.return %s : !f
  }
  return %r : !f
})";

// Sizes 0 and 1, in shared and in reduced dimensions.
const char loop::kEmptyReduce[] = R"(
!a = tensor<3x0xf32>
!f = tensor<3xf32>
!e = tensor<0x4xf32>
func.func @main(%x: !a, %y: !e) -> (!f, !f, !e) {
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared [3] -> (!f, !f) {
    %s, %m = loop.reduce parallel (%i) in [3] reduction (%j) in [0]
        <sum, max> : !f, !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e, %e : f32, f32
    }
    loop.return %s, %m : !f, !f
  }
  %q = loop.kernel @none ins(%a = %y : !e) shared [0, 4] -> !e {
    %p = loop.pointwise (%i, %j) in [0, 4] : !e {
      %e = loop.load %a[%i, %j] : !e
      %f = arith.negf %e : f32
      loop.yield %f : f32
    }
    loop.return %p : !e
  }
  return %r#0, %r#1, %q : !f, !f, !e
})";

// Sums of columns over parts of the rows: the second of three shared dimensions is cut.
// What is read is an input, a row that stays inside and a value of the row.
const char loop::kColumnParts[] = R"(
!a = tensor<3x6x?x5xf32, #guard.shape<[3, 6, s0, 5]>>
!r = tensor<3x6x?xf32, #guard.shape<[3, 6, s0]>>
!p = tensor<3x2x5xf32>
func.func @main(%x: !a) -> (!a, !p, !p, !p) {
  %r:4 = loop.kernel @k ins(%a = %x : !a) shared [3, 6, s0] -> (!a, !p, !p, !p) {
    %two = arith.constant 2.0 : f32
    %m = loop.reduce parallel (%n, %i, %j) in [3, 6, s0] reduction (%c) in [5]
        <max> : !r {
      %e = loop.load %a[%n, %i, %j, %c] : !a
      loop.yield %e : f32
    }
    %d = loop.pointwise (%n, %i, %j, %c) in [3, 6, s0, 5] : !a {
      %e = loop.load %a[%n, %i, %j, %c] : !a
      %t = loop.load %m[%n, %i, %j] : !r
      %y = arith.subf %e, %t : f32
      loop.yield %y : f32
    }
    %s, %h = loop.reduce parallel (%n, %q, %c) in [3, 2, 5]
        reduction (%b, %j) in [3, s0] <sum, max> : !p, !p {
      %e = loop.load %a[%n, %q * 3 + %b, %j, %c] : !a
      %u = loop.load %d[%n, %q * 3 + %b, %j, %c] : !a
      %t = loop.load %m[%n, %q * 3 + %b, %j] : !r
      %y = arith.mulf %e, %u : f32
      loop.yield %y, %t : f32, f32
    }
    %g = loop.reduce parallel (%n, %q, %c) in [3, 2, 5]
        reduction (%b, %j) in [3, s0] <sum> : !p {
      %e = loop.load %a[%n, %q * 3 + %b, %j, 4 - %c] : !a
      %y = arith.mulf %e, %two : f32
      loop.yield %y : f32
    }
    %w = loop.pointwise (%n, %i, %j, %c) in [3, 6, s0, 5] : !a {
      %e = loop.load %d[%n, %i, %j, %c] : !a
      %y = arith.mulf %e, %two : f32
      loop.yield %y : f32
    }
    loop.return %w, %s, %h, %g : !a, !p, !p, !p
  }
  return %r#0, %r#1, %r#2, %r#3 : !a, !p, !p, !p
})";

// The same with rows and parts of known size: sums of what is read once for all
// rows, of another column, with a mask of what stays inside, of a value of the
// row.
const char loop::kRowParts[] = R"(
!a = tensor<12x40xf32>
!w = tensor<40xf32>
!r = tensor<12x1xf32>
!p = tensor<4x40xf32>
func.func @main(%x: !a, %w: !w, %v: !r) -> (!a, !p, !p, !p, !r) {
  %r:5 = loop.kernel @k ins(%a = %x : !a, %b = %w : !w, %c = %v : !r) shared [12] -> (!a, !p, !p, !p, !r) {
    %m = loop.reduce parallel (%i, %u) in [12, 1] reduction (%j) in [40] <max> : !r {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e : f32
    }
    %d = loop.pointwise (%i, %j) in [12, 40] : !a {
      %e = loop.load %a[%i, %j] : !a
      %f = loop.load %b[%j] : !w
      %t = loop.load %m[%i, 0] : !r
      %s = arith.subf %e, %t : f32
      %y = arith.mulf %s, %f : f32
      loop.yield %y : f32
    }
    %s, %h = loop.reduce parallel (%q, %j) in [4, 40] reduction (%n) in [3] <sum, max> : !p, !p {
      %e = loop.load %a[%q * 3 + %n, %j] : !a
      %f = loop.load %b[%j] : !w
      %t = loop.load %m[%q * 3 + %n, 0] : !r
      %g = loop.load %c[%q * 3 + %n, 0] : !r
      %y = arith.mulf %e, %f : f32
      %z = arith.mulf %t, %g : f32
      loop.yield %y, %z : f32, f32
    }
    %g = loop.reduce parallel (%q, %j) in [4, 40] reduction (%n) in [3] <sum> : !p {
      %end = arith.constant 33 : index
      %seven = arith.constant 7.0 : f32
      %inside = arith.cmpi slt, %j, %end : index
      %u = loop.load %d[%q * 3 + %n, %j] mask %inside, %seven : !a
      %e = loop.load %a[%q * 3 + %n, 39 - %j] : !a
      %y = arith.mulf %e, %u : f32
      loop.yield %y : f32
    }
    %o = loop.pointwise (%i, %j) in [12, 40] : !a {
      %end = arith.constant 11 : index
      %seven = arith.constant 7.0 : f32
      %inside = arith.cmpi slt, %i, %end : index
      %e = loop.load %d[%i, %j] mask %inside, %seven : !a
      loop.yield %e : f32
    }
    loop.return %o, %s, %h, %g, %m : !a, !p, !p, !p, !r
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4 : !a, !p, !p, !p, !r
})";

// Parts of the first of two shared dimensions, so that sums have as many
// dimensions as rows; columns are two of memory. Two reductions of each row, or
// none.
const char loop::kRowPartsOfTwo[] = R"(
!a = tensor<6x2x5x8xbf16>
!r = tensor<6x2xf32>
!p = tensor<3x40xf32>
!q = tensor<3x5x8xf32>
!y = tensor<6x2x40xbf16>
func.func @main(%x: !a, %z: !y) -> (!q, !a, !p) {
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared [6, 2] -> (!q, !a) {
    %m, %l = loop.reduce parallel (%i, %j) in [6, 2] reduction (%c, %d) in [5, 8] <sum, max> : !r, !r {
      %e = loop.load %a[%i, %j, %c, %d] : !a
      %f = arith.extf %e : bf16 to f32
      loop.yield %f, %f : f32, f32
    }
    %s = loop.reduce parallel (%q, %c, %d) in [3, 5, 8] reduction (%n, %j) in [2, 2] <sum> : !q {
      %e = loop.load %a[%q * 2 + %n, %j, %c, %d] : !a
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %m[%q * 2 + %n, %j] : !r
      %y = arith.mulf %f, %t : f32
      loop.yield %y : f32
    }
    %o = loop.pointwise (%i, %j, %c, %d) in [6, 2, 5, 8] : !a {
      %e = loop.load %a[%i, %j, %c, %d] : !a
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %l[%i, %j] : !r
      %y = arith.subf %f, %t : f32
      %b = arith.truncf %y : f32 to bf16
      loop.yield %b : bf16
    }
    loop.return %s, %o : !q, !a
  }
  %k = loop.kernel @none ins(%a = %z : !y) shared [6, 2] -> !p {
    %s = loop.reduce parallel (%q, %c) in [3, 40] reduction (%n, %j) in [2, 2] <sum> : !p {
      %e = loop.load %a[%q * 2 + %n, %j, %c] : !y
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %s : !p
  }
  return %r#0, %r#1, %k : !q, !a, !p
})";

// A row that stays inside is read where a mask says so, and else something
// else.
const char loop::kMaskedRows[] = R"(
!a = tensor<6x96xf32>
!f = tensor<6xf32>
func.func @main(%x: !a) -> !a {
  %r = loop.kernel @k ins(%a = %x : !a) shared [6] -> !a {
    %s = loop.reduce parallel (%i) in [6] reduction (%j) in [96] <max> : !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e : f32
    }
    %d = loop.pointwise (%i, %j) in [6, 96] : !a {
      %e = loop.load %a[%i, %j] : !a
      %t = loop.load %s[%i] : !f
      %y = arith.subf %e, %t : f32
      loop.yield %y : f32
    }
    %o = loop.pointwise (%i, %j) in [6, 96] : !a {
      %row = arith.constant 5 : index
      %column = arith.constant 41 : index
      %seven = arith.constant 7.0 : f32
      %above = arith.cmpi slt, %i, %row : index
      %left = arith.cmpi slt, %j, %column : index
      %e = loop.load %d[%i, %j] mask %above, %seven : !a
      %f = loop.load %d[%i, %j] mask %left, %seven : !a
      %y = arith.addf %e, %f : f32
      loop.yield %y : f32
    }
    loop.return %o : !a
  }
  return %r : !a
})";

// Images, of which two dimensions are one row of memory, and a transposed one, of which
// they are not.
const char loop::kReduceImages[] = R"(
!a = tensor<4x3x7x?xf32, #guard.shape<[4, 3, 7, s0]>>
!t = tensor<4x3x?x7xf32, #guard.shape<[4, 3, s0, 7]>>
!c = tensor<3xf32>
func.func @main(%x: !a, %y: !t) -> (!c, !c) {
  %r:2 = loop.kernel @k ins(%a = %x : !a, %b = %y : !t) shared [3] -> (!c, !c) {
    %s, %m = loop.reduce parallel (%c) in [3] reduction (%n, %i, %j) in [4, 7, s0]
        <sum, max> : !c, !c {
      %e = loop.load %a[%n, %c, %i, %j] : !a
      loop.yield %e, %e : f32, f32
    }
    %g = loop.reduce parallel (%c) in [3] reduction (%n, %i, %j) in [4, 7, s0]
        <sum> : !c {
      %e = loop.load %a[%n, %c, %i, %j] : !a
      %f = loop.load %b[%n, %c, %j, %i] : !t
      %t = loop.load %m[%c] : !c
      %u = arith.mulf %e, %f : f32
      %v = arith.addf %u, %t : f32
      loop.yield %v : f32
    }
    loop.return %s, %g : !c, !c
  }
  return %r#0, %r#1 : !c, !c
})";
