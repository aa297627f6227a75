//===- SortCases.cpp - Kernels that sort whole rows -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;

// Sorts with one and two keys along both dimensions; the sorted rows are read
// in the kernel that sorts them.
static const char kSorts[] = R"(
!m = tensor<?x?xi32, #guard.shape<[s0, s1]>>
!k = tensor<?x?xi8, #guard.shape<[s0, s1]>>
!n = tensor<?x?xi64, #guard.shape<[s0, s1]>>
func.func @main(%x: !m, %y: !k) -> (!m, !n) {
  %values = loop.kernel @k ins(%a = %x : !m) shared [s0] -> !m {
    %p = loop.sort parallel (%i) in [s0] along (%j) in [s1] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : i32
    }
    %v = loop.pointwise (%i, %j) in [s0, s1] : !m {
      %k = loop.load %p[%i, %j] : !n
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : !m
      loop.yield %e : i32
    }
    loop.return %v : !m
  }
  %first = loop.kernel @l ins(%a = %x : !m, %b = %y : !k) shared [s1] -> !n {
    %p = loop.sort parallel (%j) in [s1] along (%i) in [s0] at 0 : !n {
      %c = arith.constant 1 : i8
      %e = loop.load %b[%i, %j] : !k
      %g = arith.andi %e, %c : i8
      %f = loop.load %a[%i, %j] : !m
      loop.yield %g, %f : i8, i32
    }
    loop.return %p : !n
  }
  return %values, %first : !m, !n
})";

// More elements than a bitonic network has memory for on a GPU, few values among them.
static const char kLongSort[] = R"(
!k = tensor<1x9100xi8>
!n = tensor<1x9100xi64>
func.func @main(%x: !k) -> !n {
  %r = loop.kernel @k ins(%a = %x : !k) shared [1] -> !n {
    %p = loop.sort parallel (%i) in [1] along (%j) in [9100] at 1 : !n {
      %e = loop.load %a[%i, %j] : !k
      loop.yield %e : i8
    }
    loop.return %p : !n
  }
  return %r : !n
})";

// Whole rows by keys of 16, 32 and 64 bits, all of whose digits differ, and by two keys; the
// upper digits of the last one are the same in all elements.
static const char kDigits[] = R"(
!m = tensor<3x70xi32>
!n = tensor<3x70xi64>
func.func @main(%x: !m) -> (!n, !n, !n, !n) {
  %r:4 = loop.kernel @k ins(%a = %x : !m) shared [3] -> (!n, !n, !n, !n) {
    %large = arith.constant 324474259 : i32
    %p = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      loop.yield %f : i32
    }
    %q = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      %g = arith.trunci %f : i32 to i16
      loop.yield %g : i16
    }
    %s = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      %g = arith.extsi %f : i32 to i64
      %h = arith.muli %g, %g : i64
      %n = arith.muli %h, %g : i64
      loop.yield %n : i64
    }
    %t = loop.sort parallel (%i) in [3] along (%j) in [70] at 1 : !n {
      %c = arith.constant 3 : i32
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %e : i32
      %g = arith.andi %e, %c : i32
      %h = arith.trunci %g : i32 to i8
      loop.yield %h, %f : i8, i32
    }
    loop.return %p, %q, %s, %t : !n, !n, !n, !n
  }
  return %r#0, %r#1, %r#2, %r#3 : !n, !n, !n, !n
})";

// Rows whose elements stay in registers, by keys of all widths, with ties and without; the last
// elements of threads are behind the end of the row.
static const char kRankedSorts[] = R"(
!m = tensor<3x601xi32>
!n = tensor<3x601xi64>
func.func @main(%x: !m) -> (!n, !n, !n, !n) {
  %r:4 = loop.kernel @k ins(%a = %x : !m) shared [3] -> (!n, !n, !n, !n) {
    %large = arith.constant 324474259 : i32
    %p = loop.sort parallel (%i) in [3] along (%j) in [601] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %k = arith.index_cast %j : index to i32
      %f = arith.addi %e, %k : i32
      %g = arith.muli %f, %large : i32
      loop.yield %g : i32
    }
    %q = loop.sort parallel (%i) in [3] along (%j) in [601] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      %g = arith.trunci %f : i32 to i16
      loop.yield %g : i16
    }
    %s = loop.sort parallel (%i) in [3] along (%j) in [601] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %k = arith.index_cast %j : index to i32
      %c = arith.constant 255 : i32
      %l = arith.andi %k, %c : i32
      %f = arith.addi %e, %l : i32
      %g = arith.muli %f, %large : i32
      %w = arith.extsi %g : i32 to i64
      %h = arith.muli %w, %w : i64
      %o = arith.muli %h, %w : i64
      loop.yield %o : i64
    }
    %t = loop.sort parallel (%i) in [3] along (%j) in [601] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      %h = arith.trunci %f : i32 to i8
      loop.yield %h : i8
    }
    loop.return %p, %q, %s, %t : !n, !n, !n, !n
  }
  return %r#0, %r#1, %r#2, %r#3 : !n, !n, !n, !n
})";

// Floats as torch.sort has them, descending, with NaN and both zeros; the values are read in the
// kernel that sorts. Floats of 16 bits at points of two dimensions, as their bits stand.
static const char kSortedFloats[] = R"(
!m = tensor<5x1024xf32>
!n = tensor<5x1024xi64>
!h = tensor<2x3x700xbf16>
!p = tensor<2x3x700xi64>
func.func @main(%x: !m, %y: !h) -> (!m, !n, !h) {
  %r:2 = loop.kernel @k ins(%a = %x : !m) shared [5] -> (!m, !n) {
    %none = arith.constant 0.0 : f32
    %p = loop.sort parallel (%i) in [5] along (%j) in [1024] at 1 : !n {
      %c31 = arith.constant 31 : i32
      %c0 = arith.constant 0 : i32
      %greatest = arith.constant 2147483647 : i32
      %ones = arith.constant -1 : i32
      %g = loop.load %a[%i, %j] : !m
      %minus = arith.negf %none : f32
      %isOne = arith.cmpf oeq, %g, %none : f32
      %k = arith.index_cast %j : index to i32
      %odd = arith.trunci %k : i32 to i1
      %isMinus = arith.andi %isOne, %odd : i1
      %e = arith.select %isMinus, %minus, %g : f32
      %bits = arith.bitcast %e : f32 to i32
      %sign = arith.shrsi %bits, %c31 : i32
      %flips = arith.andi %sign, %greatest : i32
      %f = arith.xori %bits, %flips : i32
      %isZero = arith.cmpf oeq, %e, %none : f32
      %h = arith.select %isZero, %c0, %f : i32
      %isNaN = arith.cmpf uno, %e, %e : f32
      %l = arith.select %isNaN, %greatest, %h : i32
      %d = arith.xori %l, %ones : i32
      loop.yield %d : i32
    }
    %v = loop.pointwise (%i, %j) in [5, 1024] : !m {
      %k = loop.load %p[%i, %j] : !n
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : !m
      loop.yield %e : f32
    }
    %o = loop.pointwise (%i, %j) in [5, 1024] : !n {
      %k = loop.load %p[%i, %j] : !n
      loop.yield %k : i64
    }
    loop.return %v, %o : !m, !n
  }
  %s = loop.kernel @l ins(%a = %y : !h) shared [2, 3] -> !h {
    %p = loop.sort parallel (%i, %k) in [2, 3] along (%j) in [700] at 2 : !p {
      %e = loop.load %a[%i, %k, %j] : !h
      %b = arith.bitcast %e : bf16 to i16
      loop.yield %b : i16
    }
    %v = loop.pointwise (%i, %k, %j) in [2, 3, 700] : !h {
      %n = loop.load %p[%i, %k, %j] : !p
      %at = arith.index_cast %n : i64 to index
      %e = loop.load %a[%i, %k, %at] : !h
      loop.yield %e : bf16
    }
    loop.return %v : !h
  }
  return %r#0, %r#1, %s : !m, !n, !h
})";

// Shared memory has room for counters of few bits; rows of two schedules have none at all.
static const char kFewCounters[] = R"(
!m = tensor<2x1100xi32>
!n = tensor<2x1100xi64>
module attributes {loop.target = #loop.gpu<chip = "sm_75", multiprocessors = 72,
    threads = 1024, registers = 65536, shared = 12288, l2 = 6291456>} {
func.func @main(%x: !m) -> !n {
  %r = loop.kernel @k ins(%a = %x : !m) shared [2] -> !n {
    %large = arith.constant 324474259 : i32
    %p = loop.sort parallel (%i) in [2] along (%j) in [1100] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %k = arith.index_cast %j : index to i32
      %c = arith.constant 511 : i32
      %l = arith.andi %k, %c : i32
      %f = arith.addi %e, %l : i32
      %g = arith.muli %f, %large : i32
      loop.yield %g : i32
    }
    loop.return %p : !n
  }
  return %r : !n
}
})";

// A row that is read at sorted places is in shared memory until the next sort has that; who reads
// the second row reads its own element, too.
static const char kSortsByTurns[] = R"(
!m = tensor<2x700xi32>
!n = tensor<2x700xi64>
func.func @main(%x: !m, %y: !m) -> (!m, !m) {
  %r:2 = loop.kernel @k ins(%a = %x : !m, %c = %y : !m) shared [2] -> (!m, !m) {
    %large = arith.constant 324474259 : i32
    %p = loop.sort parallel (%i) in [2] along (%j) in [700] at 1 : !n {
      %e = loop.load %a[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      loop.yield %f : i32
    }
    %v = loop.pointwise (%i, %j) in [2, 700] : !m {
      %k = loop.load %p[%i, %j] : !n
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : !m
      loop.yield %e : i32
    }
    %q = loop.sort parallel (%i) in [2] along (%j) in [700] at 1 : !n {
      %e = loop.load %c[%i, %j] : !m
      %f = arith.muli %e, %large : i32
      loop.yield %f : i32
    }
    %w = loop.pointwise (%i, %j) in [2, 700] : !m {
      %k = loop.load %q[%i, %j] : !n
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %c[%i, %at] : !m
      %own = loop.load %c[%i, %j] : !m
      %s = arith.subi %e, %own : i32
      loop.yield %s : i32
    }
    loop.return %v, %w : !m, !m
  }
  return %r#0, %r#1 : !m, !m
})";

llvm::ArrayRef<loop::LoopCase> loop::getSortCases() {
  static const LoopCase cases[] = {
      {"Sorts",
       kSorts,
       {{{"s0", 3}, {"s1", 37}},
        {{"s0", 0}, {"s1", 9}},
        {{"s0", 5}, {"s1", 0}}}},
      {"LongSort", kLongSort},
      {"Digits", kDigits},
      {"RankedSorts", kRankedSorts},
      {"SortedFloats", kSortedFloats, {{}}, 0, 0, /*special=*/true},
      {"SortsOfFewCounters", kFewCounters},
      {"SortsByTurns", kSortsByTurns},
  };
  return cases;
}
