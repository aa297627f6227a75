//===- RowCases.cpp - Kernels of scans, sorts and scatters ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;

// Running sums along the last and the first dimension, with own rows, and a
// scan of the rows of another scan in one kernel.
const char loop::kScans[] = R"(
!m = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!t = tensor<?x2x?xi32, #guard.shape<[s0, 2, s1]>>
func.func @main(%x: !m, %y: !t) -> (!m, !m, !m, !t) {
  %last, %max = loop.kernel @k ins(%a = %x : !m) shared [s0] -> (!m, !m) {
    %s = loop.scan parallel (%i) in [s0] along (%j) in [s1] at 1 <sum> : !m {
      %e = loop.load %a[%i, %j] : !m
      %w = arith.extf %e : f32 to f64
      loop.yield %w : f64
    }
    %t = loop.scan parallel (%i) in [s0] along (%j) in [s1] at 1 <max> : !m {
      %e = loop.load %s[%i, s1 - %j - 1] : !m
      loop.yield %e : f32
    }
    loop.return %s, %t : !m, !m
  }
  %first = loop.kernel @l ins(%a = %x : !m) shared [s1] -> !m {
    %s = loop.scan parallel (%j) in [s1] along (%i) in [s0] at 0 <sum> : !m {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : f32
    }
    loop.return %s : !m
  }
  %middle = loop.kernel @m ins(%a = %y : !t) shared [s0] -> !t {
    %s = loop.scan parallel (%i, %j) in [s0, s1] along (%k) in [2] at 1 <prod>
        : !t {
      %e = loop.load %a[%i, %k, %j] : !t
      loop.yield %e : i32
    }
    loop.return %s : !t
  }
  return %last, %max, %first, %middle : !m, !m, !m, !t
})";

// Rows of 421 elements, which begin at no multiple of any vector: a softmax
// whose exponentials are kept, the place of the largest of a part of each row
// that begins three elements behind it, and elements weighted by what all rows
// share.
const char loop::kOddRows[] = R"(
!m = tensor<5x421xbf16>
!f = tensor<5x421xf32>
!p = tensor<5x424xbf16>
!w = tensor<421xbf16>
!o = tensor<5x1xf32>
!n = tensor<5xi64>
func.func @main(%x: !m, %y: !p, %z: !w) -> (!m, !n, !f) {
  %soft = loop.kernel @k ins(%a = %x : !m) shared [5] -> !m {
    %t = loop.reduce parallel (%i, %k) in [5, 1] reduction (%j) in [421] <max> : !o {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %e = loop.pointwise (%i, %j) in [5, 421] : !f {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.extf %e : bf16 to f32
      %g = loop.load %t[%i, 0] : !o
      %d = arith.subf %f, %g : f32
      %r = math.exp %d : f32
      loop.yield %r : f32
    }
    %s = loop.reduce parallel (%i, %k) in [5, 1] reduction (%j) in [421] <sum> : !o {
      %f = loop.load %e[%i, %j] : !f
      loop.yield %f : f32
    }
    %r = loop.pointwise (%i, %j) in [5, 421] : !m {
      %f = loop.load %e[%i, %j] : !f
      %g = loop.load %s[%i, 0] : !o
      %d = arith.divf %f, %g : f32
      %h = arith.truncf %d : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %r : !m
  }
  %place = loop.kernel @l ins(%a = %y : !p) shared [5] -> !n {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 9223372036854775807 : i64
    %v, %p = loop.reduce parallel (%i) in [5] reduction (%j) in [421] <generic>
        init(%low, %none : f32, i64) : tensor<5xf32>, !n {
      %e = loop.load %a[%i, %j + 3] : !p
      %f = arith.extf %e : bf16 to f32
      %k = arith.index_cast %j : index to i64
      loop.yield %f, %k : f32, i64
    } combine (%u: f32, %k: i64, %w: f32, %l: i64) {
      %more = arith.cmpf ogt, %w, %u : f32
      %same = arith.cmpf oeq, %w, %u : f32
      %before = arith.cmpi slt, %l, %k : i64
      %tie = arith.andi %same, %before : i1
      %c = arith.ori %more, %tie : i1
      %m = arith.select %c, %w, %u : f32
      %n = arith.select %c, %l, %k : i64
      loop.yield %m, %n : f32, i64
    }
    loop.return %p : !n
  }
  %weighted = loop.kernel @m ins(%a = %x : !m, %b = %z : !w) shared [5] -> !f {
    %s = loop.reduce parallel (%i) in [5] reduction (%j) in [421] <sum> : tensor<5xf32> {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %r = loop.pointwise (%i, %j) in [5, 421] : !f {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.extf %e : bf16 to f32
      %g = loop.load %s[%i] : tensor<5xf32>
      %h = loop.load %b[%j] : !w
      %w = arith.extf %h : bf16 to f32
      %d = arith.subf %f, %g : f32
      %q = arith.mulf %d, %w : f32
      loop.yield %q : f32
    }
    loop.return %r : !f
  }
  return %soft, %place, %weighted : !m, !n, !f
})";

// A running maximum with its place, also where many elements are the least there are: the
// place is the last one's, though what the scan starts from is as great.
const char loop::kGenericScan[] = R"(
!m = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!n = tensor<?x?xi64, #guard.shape<[s0, s1]>>
!k = tensor<3x1024xf32>
!l = tensor<3x1024xi64>
func.func @main(%x: !m, %y: !k) -> (!m, !n, !l) {
  %r:2 = loop.kernel @k ins(%a = %x : !m) shared [s0] -> (!m, !n) {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    %v, %p = loop.scan parallel (%i) in [s0] along (%j) in [s1] at 1 <generic>
        init(%low, %zero : f32, i64) : !m, !n {
      %e = loop.load %a[%i, %j] : !m
      %k = arith.index_cast %j : index to i64
      loop.yield %e, %k : f32, i64
    } combine (%u: f32, %k: i64, %w: f32, %l: i64) {
      %c = arith.cmpf oge, %w, %u : f32
      %m = arith.select %c, %w, %u : f32
      %n = arith.select %c, %l, %k : i64
      loop.yield %m, %n : f32, i64
    }
    loop.return %v, %p : !m, !n
  }
  %most = loop.kernel @l ins(%a = %y : !k) shared [3] -> !l {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    %v, %p = loop.scan parallel (%i) in [3] along (%j) in [1024] at 1 <generic>
        init(%low, %zero : f32, i64) : !k, !l {
      %e = loop.load %a[%i, %j] : !k
      %least = arith.constant 0xFF800000 : f32
      %end = arith.constant 700 : index
      %isLate = arith.cmpi uge, %j, %end : index
      %f = arith.select %isLate, %e, %least : f32
      %k = arith.index_cast %j : index to i64
      loop.yield %f, %k : f32, i64
    } combine (%u: f32, %k: i64, %w: f32, %l: i64) {
      %c = arith.cmpf oge, %w, %u : f32
      %m = arith.select %c, %w, %u : f32
      %n = arith.select %c, %l, %k : i64
      loop.yield %m, %n : f32, i64
    }
    loop.return %p : !l
  }
  return %r#0, %r#1, %most : !m, !n, !l
})";

// The first of rows: values and their sum in the kernel that sorts, of few
// elements (one too) and of so many that a row is sorted as a whole, of short
// rows that share a block, along the first dimension, by two keys, and of a row
// that the kernel makes.
const char loop::kKeptOfSorts[] = R"(
!m = tensor<3x?xi32, #guard.shape<[3, s0]>>
!k = tensor<7x24xi8>
!v = tensor<3x5xi32>
!n = tensor<3x5xi64>
!s = tensor<3x1xi32>
!f = tensor<24x2xi64>
!r = tensor<7x4xi64>
func.func @main(%x: !m, %y: !k) -> (!v, !s, tensor<3x1xi32>, !f, !r, tensor<7x2xi64>) {
  %values, %sums = loop.kernel @k ins(%a = %x : !m) shared [3] -> (!v, !s) {
    %p = loop.sort parallel (%i) in [3] along (%j) in [s0] keeping [5] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    %v = loop.pointwise (%i, %j) in [3, 5] : !v {
      %k = loop.load %p[%i, %j] : !n
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : !m
      loop.yield %e : i32
    }
    %s = loop.reduce parallel (%i, %l) in [3, 1] reduction (%j) in [5] <sum> : !s {
      %e = loop.load %v[%i, %j] : !v
      loop.yield %e : i32
    }
    loop.return %v, %s : !v, !s
  }
  %one = loop.kernel @o ins(%a = %x : !m) shared [3] -> tensor<3x1xi32> {
    %p = loop.sort parallel (%i) in [3] along (%j) in [s0] keeping [1] at 1 : tensor<3x1xi64> {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    %v = loop.pointwise (%i, %j) in [3, 1] : tensor<3x1xi32> {
      %k = loop.load %p[%i, %j] : tensor<3x1xi64>
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : !m
      loop.yield %e : i32
    }
    loop.return %v : tensor<3x1xi32>
  }
  %first = loop.kernel @l ins(%b = %y : !k) shared [24] -> !f {
    %p = loop.sort parallel (%j) in [24] along (%i) in [7] keeping [2] at 1 : !f {
      %c = arith.constant 1 : i8
      %e = loop.load %b[%i, %j] : !k
      %g = arith.andi %e, %c : i8
      loop.yield %g, %e : i8, i8
    }
    loop.return %p : !f
  }
  %short = loop.kernel @s ins(%b = %y : !k) shared [7] -> !r {
    %p = loop.sort parallel (%i) in [7] along (%j) in [24] keeping [4] at 1 : !r {
      %e = loop.load %b[%i, %j] : !k
      loop.yield %e : i8
    }
    loop.return %p : !r
  }
  %made = loop.kernel @m ins(%b = %y : !k) shared [7] -> tensor<7x2xi64> {
    %d = loop.pointwise (%i, %j) in [7, 24] : !k {
      %c = arith.constant 7 : i8
      %e = loop.load %b[%i, %j] : !k
      %g = arith.andi %e, %c : i8
      loop.yield %g : i8
    }
    %p = loop.sort parallel (%i) in [7] along (%j) in [24] keeping [2] at 1 : tensor<7x2xi64> {
      %e = loop.load %d[%i, %j] : !k
      loop.yield %e : i8
    }
    loop.return %p : tensor<7x2xi64>
  }
  return %values, %sums, %one, %first, %short, %made
      : !v, !s, tensor<3x1xi32>, !f, !r, tensor<7x2xi64>
})";

// The first of rows of a known length, whose elements threads have in
// registers, of different numbers, of few, where far more are equal than are
// kept, and of none but one; by keys of eight bits and of 64; and more than
// half of a row.
const char loop::kSelections[] = R"(
!m = tensor<2x768xi32>
!k = tensor<2x768xi64>
!p = tensor<2x11xi64>
!q = tensor<2x150xi64>
!h = tensor<2x500xi64>
func.func @main(%x: !m) -> (!p, !p, !p, !q, !q, !h, !p) {
  %many = loop.kernel @a ins(%a = %x : !m) shared [2] -> !p {
    %p = loop.sort parallel (%i) in [2] along (%j) in [768] keeping [11] at 1 : !p {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    loop.return %p : !p
  }
  %few = loop.kernel @b ins(%a = %x : !m) shared [2] -> !p {
    %p = loop.sort parallel (%i) in [2] along (%j) in [768] keeping [11] at 1 : !p {
      %c = arith.constant 3 : i32
      %e = loop.load %a[%i, %j] : !m
      %f = arith.andi %e, %c : i32
      %g = arith.trunci %f : i32 to i8
      loop.yield %g : i8
    }
    loop.return %p : !p
  }
  %same = loop.kernel @c ins(%a = %x : !m) shared [2] -> !p {
    %p = loop.sort parallel (%i) in [2] along (%j) in [768] keeping [11] at 1 : !p {
      %c = arith.constant 9223372036854775807 : i64
      loop.yield %c : i64
    }
    loop.return %p : !p
  }
  %wide = loop.kernel @d ins(%a = %x : !m) shared [2] -> !q {
    %p = loop.sort parallel (%i) in [2] along (%j) in [768] keeping [150] at 1 : !q {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.extsi %e : i32 to i64
      loop.yield %f : i64
    }
    loop.return %p : !q
  }
  %ordered = loop.kernel @e ins(%a = %x : !m) shared [2] -> !q {
    %p = loop.sort parallel (%i) in [2] along (%j) in [768] keeping [150] at 1 : !q {
      %e = loop.index (768 - %j)
      %f = arith.index_cast %e : index to i64
      %g = arith.trunci %f : i64 to i16
      loop.yield %g : i16
    }
    loop.return %p : !q
  }
  %half = loop.kernel @f ins(%a = %x : !m) shared [2] -> !h {
    %p = loop.sort parallel (%i) in [2] along (%j) in [768] keeping [500] at 1 : !h {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    loop.return %p : !h
  }
  %made = loop.kernel @g ins(%a = %x : !m) shared [2] -> !p {
    %t = loop.reduce parallel (%i, %l) in [2, 1] reduction (%j) in [768] <max> : tensor<2x1xi32> {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    %d = loop.pointwise (%i, %j) in [2, 768] : !m {
      %e = loop.load %a[%i, %j] : !m
      %f = loop.load %t[%i, 0] : tensor<2x1xi32>
      %g = arith.subi %f, %e : i32
      loop.yield %g : i32
    }
    %p = loop.sort parallel (%i) in [2] along (%j) in [768] keeping [11] at 1 : !p {
      %e = loop.load %d[%i, %j] : !m
      loop.yield %e : i32
    }
    loop.return %p : !p
  }
  return %many, %few, %same, %wide, %ordered, %half, %made
      : !p, !p, !p, !q, !q, !h, !p
})";

// The other ways in which a scatter joins values.
static const char kScatterKinds[] = R"(
!t = tensor<11xf32>
!u = tensor<11xui8>
!i = tensor<?xi32, #guard.shape<[s0]>>
!v = tensor<?xf32, #guard.shape<[s0]>>
!w = tensor<?xui8, #guard.shape<[s0]>>
func.func @main(%t: !t, %u: !u, %n: !i, %v: !v, %w: !w) -> (!t, !t, !u) {
  %p = loop.kernel @p ins(%a = %t : !t, %b = %n : !i, %c = %v : !v) shared []
      -> !t {
    %r = loop.scatter (%i) in [s0] into %a <prod> : !t {
      %k = loop.load %b[%i] : !i
      %at = arith.index_cast %k : i32 to index
      %x = loop.load %c[%i] : !v
      loop.yield_at %x at [%at] : f32
    }
    loop.return %r : !t
  }
  %q = loop.kernel @q ins(%a = %t : !t, %b = %n : !i, %c = %v : !v) shared []
      -> !t {
    %r = loop.scatter (%i) in [s0] into %a <max> : !t {
      %k = loop.load %b[%i] : !i
      %at = arith.index_cast %k : i32 to index
      %x = loop.load %c[%i] : !v
      loop.yield_at %x at [%at] : f32
    }
    loop.return %r : !t
  }
  %m = loop.kernel @m ins(%a = %u : !u, %b = %n : !i, %c = %w : !w) shared []
      -> !u {
    %r = loop.scatter (%i) in [s0] into %a <min> : !u {
      %k = loop.load %b[%i] : !i
      %at = arith.index_cast %k : i32 to index
      %x = loop.load %c[%i] : !w
      loop.yield_at %x at [%at] : i8
    }
    loop.return %r : !u
  }
  return %p, %q, %m : !t, !t, !u
})";

// Columns that items of their own write, in a result that has more of them, at several
// points; places that move with the index, but are not it; rows that columns find out.
static const char kScatterColumns[] = R"(
!o = tensor<?x5x?xi8, #guard.shape<[s0, 5, s1 + 9]>>
!i = tensor<?x7xi64, #guard.shape<[s0, 7]>>
!v = tensor<?x7x?xi8, #guard.shape<[s0, 7, s1]>>
!r = tensor<11x?xf32, #guard.shape<[11, s1 + 9]>>
!n = tensor<?xi64, #guard.shape<[s0]>>
!w = tensor<?xf32, #guard.shape<[s1]>>
func.func @main(%o: !o, %y: !i, %v: !v, %x: !r, %z: !n, %w: !w) -> (!o, !r) {
  %p = loop.kernel @parts ins(%a = %o : !o, %b = %y : !i, %c = %v : !v)
      shared [s0, 7, s1] -> !o {
    %s = loop.scatter (%k, %n, %d) in [s0, 7, s1] independent 1 into %a <set> : !o {
      %t = loop.load %b[%k, %n] : !i
      %m = arith.index_cast %t : i64 to index
      %at = loop.index (mod(%m, 5))
      %e = loop.load %c[%k, %n, %d] : !v
      loop.yield_at %e at [%k, %at, %d] : i8
    }
    loop.return %s : !o
  }
  %q = loop.kernel @moved ins(%a = %x : !r, %b = %z : !n, %c = %w : !w)
      shared [s0, s1] -> !r {
    %s = loop.scatter (%n, %d) in [s0, s1] into %a <set> : !r {
      %t = loop.load %b[%n] : !n
      %j = loop.index (%d + mod(%n, 9))
      %e = loop.load %c[%d] : !w
      %number = arith.index_cast %n : index to i64
      %two = arith.constant 2 : i64
      %valid = arith.cmpi ne, %number, %two : i64
      %more = arith.addi %number, %t : i64
      %place = arith.index_cast %more : i64 to index
      %row = loop.index (mod(%place, 11))
      loop.yield_at %e at [%row, %j] if %valid : f32
    }
    loop.return %s : !r
  }
  %u = loop.kernel @elements ins(%a = %q : !r, %b = %z : !n, %c = %w : !w)
      shared [s0, s1] -> !r {
    %s = loop.scatter (%n, %d) in [s0, s1] into %a <add> : !r {
      %t = loop.load %b[%n] : !n
      %at = arith.index_cast %t : i64 to index
      %k = loop.index (mod(%at + %d, 11))
      %e = loop.load %c[%d] : !w
      loop.yield_at %e at [%k, %d] : f32
    }
    loop.return %s : !r
  }
  return %p, %u : !o, !r
})";

// Neighbours that are added together: 16 bytes at a time; 8, where rows begin at no
// multiple of more; words of two floats of 16 bits; rows with a tail.
static const char kScatterVectors[] = R"(
!r = tensor<11x8xf32>
!o = tensor<11x14xf32>
!b = tensor<11x12xbf16>
!h = tensor<11x6xf16>
!i = tensor<?xi64, #guard.shape<[s0]>>
!u = tensor<?x8xf32, #guard.shape<[s0, 8]>>
!v = tensor<?x6xf32, #guard.shape<[s0, 6]>>
!w = tensor<?x12xbf16, #guard.shape<[s0, 12]>>
!z = tensor<?x6xf16, #guard.shape<[s0, 6]>>
func.func @main(%rr: !r, %oo: !o, %bb: !b, %hh: !h, %y: !i, %u: !u, %v: !v, %w: !w,
                %z: !z) -> (!r, !o, !b, !h) {
  %rows = loop.kernel @rows ins(%a = %rr : !r, %b = %y : !i, %c = %u : !u)
      shared [s0, 8] -> !r {
    %s = loop.scatter (%n, %d) in [s0, 8] into %a <add> : !r {
      %k = loop.load %b[%n] : !i
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%n, %d] : !u
      %four = arith.constant 4 : i64
      %valid = arith.cmpi ne, %k, %four : i64
      loop.yield_at %e at [%p, %d] if %valid : f32
    }
    loop.return %s : !r
  }
  %pairs = loop.kernel @pairs ins(%a = %oo : !o, %b = %y : !i, %c = %v : !v)
      shared [s0, 6] -> !o {
    %s = loop.scatter (%n, %d) in [s0, 6] into %a <add> : !o {
      %k = loop.load %b[%n] : !i
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%n, %d] : !v
      %q = loop.index (%d + 2)
      loop.yield_at %e at [%p, %q] : f32
    }
    loop.return %s : !o
  }
  %brains = loop.kernel @brains ins(%a = %bb : !b, %b = %y : !i, %c = %w : !w)
      shared [s0, 12] -> !b {
    %s = loop.scatter (%n, %d) in [s0, 12] into %a <add> : !b {
      %k = loop.load %b[%n] : !i
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%n, %d] : !w
      loop.yield_at %e at [%p, %d] : bf16
    }
    loop.return %s : !b
  }
  %halves = loop.kernel @halves ins(%a = %hh : !h, %b = %y : !i, %c = %z : !z)
      shared [s0, 6] -> !h {
    %s = loop.scatter (%n, %d) in [s0, 6] into %a <add> : !h {
      %k = loop.load %b[%n] : !i
      %p = arith.index_cast %k : i64 to index
      %e = loop.load %c[%n, %d] : !z
      loop.yield_at %e at [%p, %d] : f16
    }
    loop.return %s : !h
  }
  return %rows, %pairs, %brains, %halves : !r, !o, !b, !h
})";

// Heads of eight elements that stand in another order, behind others; a boundary at a
// multiple of four and one that is none, and quotients of what is no multiple.
const char loop::kHeads[] = R"(
!q = tensor<2x3x4x8xf32>
!o = tensor<8x48xf32>
func.func @main(%x: !q, %y: !q) -> (!o, !o) {
  %r = loop.kernel @k ins(%a = %x : !q, %b = %y : !q) shared [8, 48] -> !o {
    %p = loop.pointwise (%i, %j) in [8, 48] : !o {
      %one = arith.constant 1.0 : f32
      %end = arith.constant 24 : index
      %before = arith.cmpi slt, %j, %end : index
      %behind = arith.cmpi sge, %j, %end : index
      %e = loop.load %a[floordiv(%i, 4), floordiv(%j, 8), mod(%i, 4), mod(%j, 8)]
          mask %before, %one : !q
      %f = loop.load %b[floordiv(%i, 4), floordiv(%j - 24, 8), mod(%i, 4), mod(%j - 24, 8)]
          mask %behind, %one : !q
      %g = arith.mulf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !o
  }
  %s = loop.kernel @l ins(%a = %x : !q, %b = %y : !q) shared [8, 48] -> !o {
    %p = loop.pointwise (%i, %j) in [8, 48] : !o {
      %one = arith.constant 1.0 : f32
      %end = arith.constant 22 : index
      %before = arith.cmpi slt, %j, %end : index
      %behind = arith.cmpi sge, %j, %end : index
      %e = loop.load %a[floordiv(%i, 4), floordiv(%j + 2, 8), mod(%i, 4), mod(%j + 2, 8)]
          mask %before, %one : !q
      %f = loop.load %b[floordiv(%i, 4), floordiv(%j - 22, 9), mod(%i, 4), mod(%j - 22, 6)]
          mask %behind, %one : !q
      %g = arith.mulf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !o
  }
  return %r, %s : !o, !o
})";

// More than vectors hold is kept: candidates are sorted, by two keys once.
static const char kManyKept[] = R"(
!m = tensor<3x?xi32, #guard.shape<[3, s0]>>
!n = tensor<3x40xi64>
func.func @main(%x: !m) -> (!n, !n) {
  %r = loop.kernel @k ins(%a = %x : !m) shared [3] -> !n {
    %p = loop.sort parallel (%i) in [3] along (%j) in [s0] keeping [40] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    loop.return %p : !n
  }
  %q = loop.kernel @l ins(%a = %x : !m) shared [3] -> !n {
    %p = loop.sort parallel (%i) in [3] along (%j) in [s0] keeping [40] at 1 : !n {
      %c = arith.constant 3 : i32
      %e = loop.load %a[%i, %j] : !m
      %g = arith.andi %e, %c : i32
      loop.yield %g, %e : i32, i32
    }
    loop.return %p : !n
  }
  return %r, %q : !n, !n
})";

llvm::ArrayRef<loop::LoopCase> loop::getRowCases() {
  static const LoopCase cases[] = {
      {"ManyKept", kManyKept, {{{"s0", 40}}, {{"s0", 300}}, {{"s0", 901}}}},
      {"ScatterKinds", kScatterKinds, {{{"s0", 1}}, {{"s0", 7}}, {{"s0", 64}}}, 11},
      {"ScatterVectors",
       kScatterVectors,
       {{{"s0", 1}}, {{"s0", 7}}, {{"s0", 40}}, {{"s0", 64}}},
       11},
      {"ScatterColumns",
       kScatterColumns,
       {{{"s0", 3}, {"s1", 5}},
        {{"s0", 1}, {"s1", 1}},
        {{"s0", 17}, {"s1", 33}},
        {{"s0", 4}, {"s1", 64}},
        {{"s0", 2}, {"s1", 0}}},
       11},
  };
  return cases;
}
