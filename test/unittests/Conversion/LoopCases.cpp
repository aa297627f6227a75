//===- LoopCases.cpp - Kernels that every lowering must get right ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

// Adds a row to every row of a matrix.
static const char kBroadcast[] = R"(
!m = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!v = tensor<?xf32, #guard.shape<[s1]>>
func.func @main(%x: !m, %y: !v) -> !m {
  %r = loop.kernel @k ins(%a = %x : !m, %b = %y : !v) shared [s0, s1] -> !m {
    %c = arith.constant 2.0 : f32
    %p = loop.pointwise (%i, %j) in [s0, s1] : !m {
      %u = loop.load %a[%i, %j] : !m
      %v = loop.load %b[%j] : !v
      %w = arith.mulf %v, %c : f32
      %s = arith.addf %u, %w : f32
      loop.yield %s : f32
    }
    loop.return %p : !m
  }
  return %r : !m
})";

// One operand is read across its rows, the other with a stride in memory; the
// indices are used as numbers too.
static const char kTransposed[] = R"(
!m = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!t = tensor<?x?xf32, #guard.shape<[s1, s0]>>
func.func @main(%x: !t,
                %y: !m {loop.strides = #guard.shape<[s1 * 3 + 1, 3]>}) -> !m {
  %r = loop.kernel @k ins(%a = %x : !t, %b = %y : !m) shared [s0, s1] -> !m {
    %p = loop.pointwise (%i, %j) in [s0, s1] : !m {
      %u = loop.load %a[%j, %i] : !t
      %v = loop.load %b[%i, %j] : !m
      %n = loop.index (%i * 10 + %j - s1)
      %k = arith.index_cast %n : index to i64
      %f = arith.sitofp %k : i64 to f32
      %s = arith.addf %u, %v : f32
      %w = arith.subf %s, %f : f32
      loop.yield %w : f32
    }
    loop.return %p : !m
  }
  return %r : !m
})";

// Permuted: tiles of several types, more than one block of them, and bytes.
static const char kPermuted[] = R"(
!a = tensor<2x?x?xbf16, #guard.shape<[2, s1, s0]>>
!f = tensor<?x2x?xi1, #guard.shape<[s1, 2, s0]>>
!m = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
func.func @main(%x: !a, %y: !f, %z: !m) -> !m {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !f, %c = %z : !m)
      shared [2, s0, s1] -> !m {
    %p = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !m {
      %u = loop.load %a[%n, %j, %i] : !a
      %f = loop.load %b[%j, %n, %i] : !f
      %v = loop.load %c[%n, %i, %j] : !m
      %w = arith.extf %u : bf16 to f32
      %s = arith.addf %w, %v : f32
      %t = arith.select %f, %s, %v : f32
      loop.yield %t : f32
    }
    loop.return %p : !m
  }
  return %r : !m
})";

// Views as index arithmetic: flip, every second element, reshape, repeat.
static const char kViews[] = R"(
!a = tensor<?xf32, #guard.shape<[s0 * 6]>>
!r = tensor<?x3xf32, #guard.shape<[s0, 3]>>
func.func @main(%x: !a) -> !r {
  %r = loop.kernel @k ins(%a = %x : !a) shared [s0, 3] -> !r {
    %p = loop.pointwise (%i, %j) in [s0, 3] : !r {
      %u = loop.load %a[s0 * 6 - 1 - %i * 3 - %j] : !a
      %v = loop.load %a[%i * 6 + %j * 2] : !a
      %w = loop.load %a[mod(%i * 3 + %j, 4)] : !a
      %z = loop.load %a[floordiv(%i * 3 + %j, 2)] : !a
      %s = arith.addf %u, %v : f32
      %t = arith.mulf %w, %z : f32
      %q = arith.subf %s, %t : f32
      loop.yield %q : f32
    }
    loop.return %p : !r
  }
  return %r : !r
})";

// Index functions of every kind, on negative values too.
static const char kIndexFunctions[] = R"(
!r = tensor<5x7xi64>
func.func @main() -> !r {
  %r = loop.kernel @k ins() shared [5, 7] -> !r {
    %p = loop.pointwise (%i, %j) in [5, 7] : !r {
      %a = loop.index (floordiv(%i - %j, 3) + mod(%j - 4, 3) * 10)
      %b = loop.index (min(%i, %j) * 100 + max(%i - 2, 0) * 1000)
      %c = loop.index (select(lt(%i, %j), %i + 3, %j * 2))
      %d = loop.index (and(le(1, %i), ne(%j, 3)) * 7 + or(eq(%i, 0), lt(5, %j)))
      %e = loop.index (shl(%i, 2) + shr(%j * 5, 1) + bitand(%j, 5))
      %f = arith.addi %a, %b : index
      %g = arith.addi %c, %d : index
      %h = arith.addi %f, %g : index
      %l = arith.addi %h, %e : index
      %n = arith.index_cast %l : index to i64
      loop.yield %n : i64
    }
    loop.return %p : !r
  }
  return %r : !r
})";

// Rows chosen by a tensor of indices.
static const char kGather[] = R"(
!t = tensor<11x?xf32, #guard.shape<[11, s1]>>
!i = tensor<?xi64, #guard.shape<[s0]>>
!r = tensor<?x?xf32, #guard.shape<[s0, s1]>>
func.func @main(%x: !t, %y: !i) -> !r {
  %r = loop.kernel @k ins(%a = %x : !t, %b = %y : !i) shared [s0, s1] -> !r {
    %p = loop.pointwise (%i, %j) in [s0, s1] : !r {
      %n = loop.load %b[%i] : !i
      %k = arith.index_cast %n : i64 to index
      %u = loop.load %a[%k, %j] : !t
      %v = loop.load %a[10 - %k, s1 - 1 - %j] : !t
      %s = arith.subf %u, %v : f32
      loop.yield %s : f32
    }
    loop.return %p : !r
  }
  return %r : !r
})";

// Gathers along the last dimension: an index for each element.
static const char kGatherLast[] = R"(
!t = tensor<?x11xbf16, #guard.shape<[s0, 11]>>
!i = tensor<?x?xi64, #guard.shape<[s0, s1]>>
!r = tensor<?x?xbf16, #guard.shape<[s0, s1]>>
func.func @main(%x: !t, %y: !i) -> !r {
  %r = loop.kernel @k ins(%a = %x : !t, %b = %y : !i) shared [s0, s1] -> !r {
    %p = loop.pointwise (%i, %j) in [s0, s1] : !r {
      %n = loop.load %b[%i, %j] : !i
      %k = arith.index_cast %n : i64 to index
      %u = loop.load %a[%i, %k] : !t
      loop.yield %u : bf16
    }
    loop.return %p : !r
  }
  return %r : !r
})";

// A pad: the index is out of bounds where the mask is false.
static const char kMasked[] = R"(
!a = tensor<?x5xf32, #guard.shape<[s0, 5]>>
!r = tensor<?x9xf32, #guard.shape<[s0 + 1, 9]>>
func.func @main(%x: !a) -> !r {
  %r = loop.kernel @k ins(%a = %x : !a) shared [s0 + 1, 9] -> !r {
    %zero = arith.constant -1.5 : f32
    %p = loop.pointwise (%i, %j) in [s0 + 1, 9] : !r {
      %in = loop.index (and(le(1, %i), and(le(2, %j), lt(%j, 7))))
      %c0 = arith.constant 0 : index
      %m = arith.cmpi ne, %in, %c0 : index
      %u = loop.load %a[%i - 1, %j - 2] mask %m, %zero : !a
      %row = arith.cmpi ne, %i, %c0 : index
      %v = loop.load %a[%i - 1, 0] mask %row, %u : !a
      %s = arith.addf %u, %v : f32
      loop.yield %s : f32
    }
    loop.return %p : !r
  }
  return %r : !r
})";

// Comparison and selection over bools, bytes and wide integers.
static const char kIntegers[] = R"(
!b = tensor<?xi1, #guard.shape<[s0]>>
!c = tensor<?xi8, #guard.shape<[s0]>>
!u = tensor<?xui8, #guard.shape<[s0]>>
!l = tensor<?xi64, #guard.shape<[s0]>>
func.func @main(%x: !b, %y: !c, %z: !u, %w: !l) -> (!b, !c, !u, !l) {
  %r:4 = loop.kernel @k ins(%a = %x : !b, %b = %y : !c, %c = %z : !u,
      %d = %w : !l) shared [s0] -> (!b, !c, !u, !l) {
    %p = loop.pointwise (%i) in [s0] : !b {
      %e = loop.load %a[%i] : !b
      %f = loop.load %d[%i] : !l
      %zero = arith.constant 0 : i64
      %g = arith.cmpi sgt, %f, %zero : i64
      %h = arith.xori %e, %g : i1
      loop.yield %h : i1
    }
    %q = loop.pointwise (%i) in [s0] : !c {
      %e = loop.load %b[%i] : !c
      %f = arith.muli %e, %e : i8
      loop.yield %f : i8
    }
    %s = loop.pointwise (%i) in [s0] : !u {
      %e = loop.load %c[%i] : !u
      %f = arith.extui %e : i8 to i32
      %g = arith.muli %f, %f : i32
      %h = arith.trunci %g : i32 to i8
      loop.yield %h : i8
    }
    %t = loop.pointwise (%i) in [s0] : !l {
      %e = loop.load %a[%i] : !b
      %f = loop.load %d[%i] : !l
      %g = loop.load %b[%i] : !c
      %h = arith.extsi %g : i8 to i64
      %m = arith.select %e, %f, %h : i64
      loop.yield %m : i64
    }
    loop.return %p, %q, %s, %t : !b, !c, !u, !l
  }
  return %r#0, %r#1, %r#2, %r#3 : !b, !c, !u, !l
})";

// Doubles and the two small floats, and functions of them.
static const char kFloats[] = R"(
!d = tensor<?x5xf64, #guard.shape<[s0, 5]>>
!b = tensor<?x5xbf16, #guard.shape<[s0, 5]>>
!h = tensor<?x5xf16, #guard.shape<[s0, 5]>>
func.func @main(%x: !d, %y: !b, %z: !h) -> (!d, !b, !h) {
  %r:3 = loop.kernel @k ins(%a = %x : !d, %b = %y : !b, %c = %z : !h)
      shared [s0, 5] -> (!d, !b, !h) {
    %p = loop.pointwise (%i, %j) in [s0, 5] : !d {
      %e = loop.load %a[%i, %j] : !d
      %f = loop.load %b[%i, %j] : !b
      %g = arith.extf %f : bf16 to f64
      %k = math.exp %e : f64
      %s = arith.addf %k, %g : f64
      loop.yield %s : f64
    }
    %q = loop.pointwise (%i, %j) in [s0, 5] : !b {
      %e = loop.load %b[%i, %j] : !b
      %f = arith.extf %e : bf16 to f32
      %g = math.tanh %f : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    %t = loop.pointwise (%i, %j) in [s0, 5] : !h {
      %e = loop.load %c[%i, %j] : !h
      %f = arith.extf %e : f16 to f32
      %g = arith.mulf %f, %f : f32
      %h = arith.truncf %g : f32 to f16
      loop.yield %h : f16
    }
    loop.return %p, %q, %t : !d, !b, !h
  }
  return %r#0, %r#1, %r#2 : !d, !b, !h
})";

// A tensor without dimensions, and one element a side.
static const char kScalars[] = R"(
!s = tensor<f32>
!o = tensor<1x1x1xf32>
func.func @main(%x: !s, %y: !o) -> (!s, !o) {
  %r = loop.kernel @k ins(%a = %x : !s, %b = %y : !o) shared [] -> !s {
    %p = loop.pointwise () in [] : !s {
      %e = loop.load %a[] : !s
      %f = loop.load %b[0, 0, 0] : !o
      %g = arith.addf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !s
  }
  %q = loop.kernel @one ins(%a = %r : !s, %b = %y : !o) shared [1, 1, 1]
      -> !o {
    %p = loop.pointwise (%i, %j, %k) in [1, 1, 1] : !o {
      %e = loop.load %a[] : !s
      %f = loop.load %b[%i, %j, %k] : !o
      %g = arith.mulf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !o
  }
  return %r, %q : !s, !o
})";

// The gradient of an embedding: rows are added where indices say.
static const char kScatterAdd[] = R"(
!z = tensor<11x?xf32, #guard.shape<[11, s1]>>
!i = tensor<?xi64, #guard.shape<[s0]>>
!g = tensor<?x?xf32, #guard.shape<[s0, s1]>>
func.func @main(%x: !z, %y: !i, %w: !g) -> !z {
  %r = loop.kernel @k ins(%a = %x : !z, %b = %y : !i, %c = %w : !g)
      shared [s0, s1] -> !z {
    %s = loop.scatter (%n, %d) in [s0, s1] into %a <add> : !z {
      %i = loop.load %b[%n] : !i
      %p = arith.index_cast %i : i64 to index
      %e = loop.load %c[%n, %d] : !g
      %four = arith.constant 4 : i64
      %valid = arith.cmpi ne, %i, %four : i64
      loop.yield_at %e at [%p, %d] if %valid : f32
    }
    loop.return %s : !z
  }
  return %r : !z
})";

// The last write to a place wins; places are computed from the index.
static const char kScatterSet[] = R"(
!z = tensor<11xi8>
!i = tensor<?xi64, #guard.shape<[s0]>>
!g = tensor<?xi8, #guard.shape<[s0]>>
func.func @main(%x: !z, %y: !i, %w: !g) -> !z {
  %r = loop.kernel @k ins(%a = %x : !z, %b = %y : !i, %c = %w : !g)
      shared [s0] -> !z {
    %s = loop.scatter (%n) in [s0] into %a <set> : !z {
      %i = loop.load %b[%n] : !i
      %p = arith.index_cast %i : i64 to index
      %q = loop.index (10 - %p)
      %e = loop.load %c[%n] : !g
      loop.yield_at %e at [%q] : i8
    }
    loop.return %s : !z
  }
  return %r : !z
})";

// Rows of sums of two before: each row reads what it has written itself.
static const char kRecurrence[] = R"(
!z = tensor<?x?xf32, #guard.shape<[s0, s1 + 2]>>
!g = tensor<?x?xf32, #guard.shape<[s0, s1]>>
func.func @main(%x: !z, %y: !g) -> !z {
  %r = loop.kernel @k ins(%a = %x : !z, %b = %y : !g) shared [s0, s1] -> !z {
    %s = loop.scatter (%i, %j) in [s0, s1] independent 1 reading %w into %a
        <set> : !z {
      %e = loop.load %w[%i, %j] : !z
      %f = loop.load %w[%i, %j + 1] : !z
      %c = loop.load %b[%i, %j] : !g
      %sum = arith.addf %e, %f : f32
      %half = arith.constant 0.5 : f32
      %mean = arith.mulf %sum, %half : f32
      %next = arith.addf %mean, %c : f32
      %p = loop.index (%j + 2)
      %zero = arith.constant 0.0 : f32
      %valid = arith.cmpf oge, %c, %zero : f32
      loop.yield_at %next at [%i, %p] if %valid : f32
    }
    loop.return %s : !z
  }
  return %r : !z
})";

static const char kMatmul[] = R"(
!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!b = tensor<?x7xf32, #guard.shape<[s1, 7]>>
!c = tensor<?x7xf32, #guard.shape<[s0, 7]>>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [s0, 7] -> !c {
    %s = loop.contract parallel [s0, 7] reduction [s1]
        lhs %a[d0, d2] : !a rhs %b[d2, d1] : !b acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// A linear layer: the weight is transposed, a bias and a relu follow.
static const char kLinear[] = R"(
!a = tensor<?x?xbf16, #guard.shape<[s0, s1]>>
!b = tensor<5x?xbf16, #guard.shape<[5, s1]>>
!v = tensor<5xf32>
!c = tensor<?x5xbf16, #guard.shape<[s0, 5]>>
func.func @main(%x: !a, %y: !b, %z: !v) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %v = %z : !v)
      shared [s0, 5] -> !c {
    %zero = arith.constant 0.0 : f32
    %s = loop.contract parallel [s0, 5] reduction [s1]
        lhs %a[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
        epilogue (%acc, %i, %j) {
      %e = loop.load %v[%j] : !v
      %f = arith.addf %acc, %e : f32
      %g = arith.maximumf %f, %zero : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

static const char kBatchMatmul[] = R"(
!a = tensor<3x?x4xf32, #guard.shape<[3, s0, 4]>>
!b = tensor<3x4x?xf32, #guard.shape<[3, 4, s1]>>
!c = tensor<3x?x?xf32, #guard.shape<[3, s0, s1]>>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [3, s0, s1]
      -> !c {
    %s = loop.contract parallel [3, s0, s1] reduction [4]
        lhs %a[d0, d1, d3] : !a rhs %b[d0, d3, d2] : !b acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// A padded, strided convolution with a prologue, and an integer contraction.
static const char kConvolution[] = R"(
!x = tensor<3x9xf32>
!w = tensor<4x3x3xf32>
!y = tensor<4x5xf32>
!i = tensor<5x6xi8>
!j = tensor<6x2xui8>
!k = tensor<5x2xi32>
func.func @main(%x: !x, %w: !w, %p: !i, %q: !j) -> (!y, !k) {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [4, 5] -> !y {
    %s = loop.contract parallel [4, 5] reduction [3, 3]
        lhs %a[d2, d1 * 2 + d3 - 1] : !x
            mask and(le(1, d1 * 2 + d3), lt(d1 * 2 + d3 - 1, 9))
        rhs %b[d0, d2, d3] : !w mask 1
        acc f32 : !y lhs_prologue (%e) {
      %c = arith.negf %e : f32
      loop.yield %c : f32
    }
    loop.return %s : !y
  }
  %t = loop.kernel @i ins(%a = %p : !i, %b = %q : !j) shared [5, 2] -> !k {
    %s = loop.contract parallel [5, 2] reduction [6]
        lhs %a[d0, d2] : !i rhs %b[d2, d1] : !j acc i32 : !k
    loop.return %s : !k
  }
  return %r, %t : !y, !k
})";

// A size that is computed, as a number of the body, and two kernels in a row.
static const char kTwoKernels[] = R"(
guard.symbol @s0
!a = tensor<?xf32, #guard.shape<[s0]>>
!r = tensor<?xf32, #guard.shape<[s0 * 2 + 1]>>
func.func @main(%x: !a) -> (!r, !a) {
  %r = loop.kernel @k ins(%a = %x : !a) shared [s0 * 2 + 1] -> !r {
    %n = guard.value <s0 * 3> : i64
    %p = loop.pointwise (%i) in [s0 * 2 + 1] : !r {
      %f = arith.sitofp %n : i64 to f32
      %e = loop.load %a[mod(%i, s0)] : !a
      %g = arith.addf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !r
  }
  %q = loop.kernel @l ins(%a = %r : !r) shared [s0] -> !a {
    %p = loop.pointwise (%i) in [s0] : !a {
      %e = loop.load %a[%i * 2] : !r
      %f = loop.load %a[%i * 2 + 1] : !r
      %g = arith.maximumf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !a
  }
  return %r, %q : !r, !a
})";

static std::vector<LoopCase> join(std::vector<LoopCase> cases) {
  llvm::append_range(cases, getPieceCases());
  llvm::append_range(cases, getRowCases());
  llvm::append_range(cases, getWindowCases());
  llvm::append_range(cases, getTileCases());
  llvm::append_range(cases, getGroupCases());
  llvm::append_range(cases, getProductsOfBytes());
  llvm::append_range(cases, getSortCases());
  return cases;
}

ArrayRef<LoopCase> loop::getLoopCases() {
  static const std::vector<SymbolValues> both = {
      {{"s0", 3}, {"s1", 5}},
      {{"s0", 1}, {"s1", 1}},
      {{"s0", 17}, {"s1", 33}},
      {{"s0", 4}, {"s1", 64}},
  };
  static const std::vector<SymbolValues> one = {
      {{"s0", 1}}, {{"s0", 7}}, {{"s0", 40}}, {{"s0", 64}}};
  // More than one piece of work, and of a packed panel.
  static const std::vector<SymbolValues> large = {{{"s0", 3}, {"s1", 9001}},
                                                  {{"s0", 67}, {"s1", 301}}};
  static std::vector<SymbolValues> withEmpty = both;
  if (withEmpty.size() == both.size()) {
    withEmpty.push_back({{"s0", 0}, {"s1", 9}});
    withEmpty.push_back({{"s0", 5}, {"s1", 0}});
  }
  static const std::vector<LoopCase> cases = join({
      {"Broadcast", kBroadcast, withEmpty},
      {"LongRows", kBroadcast, large},
      {"Transposed", kTransposed, both},
      {"Permuted", kPermuted, withEmpty},
      {"PermutedBlocks", kPermuted, large},
      {"Views", kViews, one},
      {"IndexFunctions", kIndexFunctions},
      {"Gather", kGather, both, 11},
      {"GatherLast", kGatherLast, both, 11},
      {"Masked", kMasked, one},
      {"Integers", kIntegers, one},
      {"Floats", kFloats, one},
      {"ReduceLast", kReduceLast, withEmpty},
      {"ReduceLeading", kReduceLeading, both, 0, 4096},
      {"ReduceMiddle", kReduceMiddle, one},
      {"ReduceLong", kReduceMiddle, {{{"s0", 256}}, {{"s0", 300}}}, 0, 4096},
      {"ReduceWithin", kReduceWithin, both, 0, 4096},
      {"ReduceWithinLong", kReduceWithin, large, 0, 65536},
      {"ReduceSeveral", kReduceSeveral, both, 0, 4096},
      {"ArgMax", kArgMax, both},
      {"ArgMaxSpecial", kArgMax, both, 0, 64, /*special=*/true},
      {"ReduceSpecial", kReduceLast, both, 0, 64, /*special=*/true},
      {"LayerNorm", kLayerNorm, both, 0, 1024},
      {"Softmax", kSoftmax, both},
      {"SoftmaxInResult", kSoftmaxInResult, withEmpty, 0, 4096},
      {"SoftmaxInResultLong", kSoftmaxInResult, large, 0, 4096},
      {"SoftmaxInResultSpecial", kSoftmaxInResult, both, 0, 4096,
       /*special=*/true},
      {"KeptUnits", kKeptUnits, {{{"s0", 5}}, {{"s0", 1}}}},
      {"KeptColumns", kKeptColumns, {{{"s0", 37}}, {{"s0", 2}}}},
      {"Heads", kHeads, {{}}},
      {"Causal",
       kCausal,
       {{{"s0", 13}, {"s1", 37}, {"s2", 9}, {"s3", 21}},
        {{"s0", 40}, {"s1", 16}, {"s2", 16}, {"s3", 5}},
        {{"s0", 5}, {"s1", 1}, {"s2", 1}, {"s3", 33}},
        {{"s0", 0}, {"s1", 4}, {"s2", 3}, {"s3", 2}}}},
      {"KeptRows",
       kKeptRows,
       {{{"s0", 11}, {"s1", 35}}, {{"s0", 5}, {"s1", 8}}}},
      {"Numbers", kNumbers, both},
      {"EveryKind", getEveryKind(), both, 0, 4096},
      {"EveryKindSpecial", getEveryKind(), both, 0, 4096, /*special=*/true},
      {"GenericReduce", kGenericReduce, both},
      {"EmptyReduce", kEmptyReduce},
      {"ColumnParts", kColumnParts, {{{"s0", 1}}, {{"s0", 4}}}, 0, 1024},
      {"MaskedRows", kMaskedRows},
      {"RowParts", kRowParts, {{}}, 0, 1024},
      {"RowPartsOfTwo", kRowPartsOfTwo, {{}}, 0, 1024},
      {"ReduceImages", kReduceImages, one, 0, 4096},
      {"Scalars", kScalars},
      {"ScatterAdd", kScatterAdd, both, 11},
      {"ScatterSet", kScatterSet, one, 11},
      {"OwnRows", kOwnRows, both, 11},
      {"SharedPlaces", kSharedPlaces, both, 9},
      {"Recurrence", kRecurrence, both},
      {"Scans", kScans, withEmpty, 0, 1024},
      {"GenericScan", kGenericScan, both},
      {"OddRows", kOddRows},
      {"KeptOfSorts", kKeptOfSorts, {{{"s0", 5}}, {{"s0", 37}}, {{"s0", 600}}}},
      {"Selections", kSelections},
      {"Matmul", kMatmul, both, 0, 1024},
      {"LongMatmul", kMatmul, large, 0, 8192},
      {"Linear", kLinear, both, 0, 4},
      {"BatchMatmul", kBatchMatmul, both},
      {"ProductOfRows", kProductOfRows, {{}}, 0, 1024},
      {"ProductOfColumns", kProductOfColumns, {{}}, 0, 4},
      {"ProductOfAVector", kProductOfAVector, {{}}, 0, 4},
      {"ProductWithRounding", kProductWithRounding, {{}}, 0, 4},
      {"ProductOfBytes", kProductOfBytes, {{}}, 0, 4},
      {"ProductOfBytesAcross", kProductOfBytesAcross, {{}}, 0, 16},
      {"LongerRows", kLongerRows, {{}}, 0, 64},
      {"LongerRowsOfF32", kLongerRowsOfF32},
      {"Convolution", kConvolution},
      {"TwoKernels", kTwoKernels, one},
  });
  return cases;
}
