//===- ProductCases.cpp - Products of halves of words ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;

// Rows of both operands along memory, and a sum that is added to what is there.
const char loop::kProductOfRows[] = R"(
!a = tensor<40x72xbf16>
!b = tensor<72x48xbf16>
!c = tensor<40x48xf32>
func.func @main(%x: !a, %y: !b, %z: !c) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %d = %z : !c)
      shared [40, 48] -> !c {
    %s = loop.contract parallel [40, 48] reduction [72]
        lhs %a[d0, d2] : !a rhs %b[d2, d1] : !b acc f32 : !c
        epilogue (%acc, %i, %j) {
      %e = loop.load %d[%i, %j] : !c
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// Columns of both along memory, where vectors of the result are short.
const char loop::kProductOfColumns[] = R"(
!a = tensor<72x40xf16>
!b = tensor<36x72xf16>
!c = tensor<40x36xf16>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [40, 36] -> !c {
    %s = loop.contract parallel [40, 36] reduction [72]
        lhs %a[d2, d0] : !a rhs %b[d1, d2] : !b acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// A matrix for each of two vectors, which leave a place at its end.
const char loop::kProductOfAVector[] = R"(
!a = tensor<2x1x76xf32>
!b = tensor<2x20x72xbf16>
!c = tensor<2x1x20xbf16>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [2, 1, 20] -> !c {
    %s = loop.contract parallel [2, 1, 20] reduction [72]
        lhs %a[d0, d1, d3 + 4] : !a rhs %b[d0, d2, d3] : !b acc f32 : !c
        lhs_prologue (%e) {
      %h = arith.truncf %e : f32 to bf16
      loop.yield %h : bf16
    }
        epilogue (%acc, %i, %j, %k) {
      %f = arith.truncf %acc : f32 to bf16
      %e = loop.load %b[%i, %k, 3] : !b
      %g = arith.addf %f, %e : bf16
      loop.yield %g : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// A batch, whose left operand is rounded on the way and has slices of odd width.
const char loop::kProductWithRounding[] = R"(
!a = tensor<2x24x21xf32>
!b = tensor<2x20x24xbf16>
!c = tensor<2x24x24xbf16>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [2, 24, 24] -> !c {
    %s = loop.contract parallel [2, 24, 24] reduction [20]
        lhs %a[d0, d1, d3 + 1] : !a rhs %b[d0, d3, d2] : !b acc f32 : !c
        lhs_prologue (%e) {
      %h = arith.truncf %e : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// Weights of bytes, which lie along the sum, and a row of them behind the tiles.
const char loop::kProductOfBytes[] = R"(
!a = tensor<20x80xbf16>
!b = tensor<33x80xi8>
!s = tensor<33xbf16>
!c = tensor<20x33xbf16>
func.func @main(%x: !a, %y: !b, %z: !s) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %d = %z : !s)
      shared [20, 33] -> !c {
    %s = loop.contract parallel [20, 33] reduction [80]
        lhs %a[d0, d2] : !a rhs %b[d1, d2] : !b acc f32 : !c
        rhs_prologue (%e) {
      %h = arith.sitofp %e : i8 to bf16
      loop.yield %h : bf16
    }
        epilogue (%acc, %i, %j) {
      %e = loop.load %d[%j] : !s
      %f = arith.extf %e : bf16 to f32
      %g = arith.mulf %acc, %f : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// Bytes without a sign whose neighbours lie across the sum, by f32.
const char loop::kProductOfBytesAcross[] = R"(
!a = tensor<20x24xui8>
!b = tensor<20x48xf32>
!c = tensor<24x48xf32>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [24, 48] -> !c {
    %s = loop.contract parallel [24, 48] reduction [20]
        lhs %a[d2, d0] : !a rhs %b[d2, d1] : !b acc f32 : !c
        lhs_prologue (%e) {
      %h = arith.uitofp %e : i8 to f32
      loop.yield %h : f32
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// Bytes by bytes, whose sums have 32 bits and become floats. The right ones
// have no sign, and lie across the sum; rows behind the tiles, and a sum that
// ends within a step.
static const char kProductOfTwoBytes[] = R"(
!a = tensor<2x37x80xi8>
!b = tensor<2x80x48xui8>
!s = tensor<48xf32>
!c = tensor<2x37x48xbf16>
func.func @main(%x: !a, %y: !b, %z: !s) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %d = %z : !s)
      shared [2, 37, 48] -> !c {
    %s = loop.contract parallel [2, 37, 48] reduction [80]
        lhs %a[d0, d1, d3] : !a rhs %b[d0, d3, d2] : !b acc i32 : !c
        epilogue (%acc, %i, %j, %k) {
      %e = loop.load %d[%k] : !s
      %f = arith.sitofp %acc : i32 to f32
      %g = arith.mulf %e, %f : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// Both along the sum, in rows that begin anywhere, of which single ones are
// copied, and in rows of which four are; the sums as they are, and bytes of
// them.
static const char kProductOfOddBytes[] = R"(
!a = tensor<33x71xi8>
!b = tensor<21x71xi8>
!d = tensor<33x100xi8>
!e = tensor<20x100xi8>
!c = tensor<33x21xi32>
!f = tensor<33x20xi8>
func.func @main(%x: !a, %y: !b, %z: !d, %w: !e) -> (!c, !f) {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [33, 21] -> !c {
    %s = loop.contract parallel [33, 21] reduction [71]
        lhs %a[d0, d2] : !a rhs %b[d1, d2] : !b acc i32 : !c
    loop.return %s : !c
  }
  %q = loop.kernel @q ins(%a = %z : !d, %b = %w : !e) shared [33, 20] -> !f {
    %s = loop.contract parallel [33, 20] reduction [97]
        lhs %a[d0, d2 + 1] : !d rhs %b[d1, d2 + 3] : !e acc i32 : !f
        epilogue (%acc, %i, %j) {
      %t = arith.trunci %acc : i32 to i8
      loop.yield %t : i8
    }
    loop.return %s : !f
  }
  return %r, %q : !c, !f
})";

// A matrix of bytes by a vector.
static const char kVectorOfBytes[] = R"(
!a = tensor<40x96xi8>
!b = tensor<96xui8>
!c = tensor<40xi32>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [40] -> !c {
    %s = loop.contract parallel [40] reduction [96]
        lhs %a[d0, d1] : !a rhs %b[d1] : !b acc i32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// Windows of an image with its channels last, whose padding is 0.
static const char kWindowsOfBytes[] = R"(
!x = tensor<2x5x7x32xi8>
!w = tensor<18x3x3x32xi8>
!y = tensor<2x5x7x18xi32>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [2, 5, 7, 18] -> !y {
    %s = loop.contract parallel [2, 5, 7, 18] reduction [3, 3, 32]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : !x
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 5), le(1, d2 + d5), lt(d2 + d5 - 1, 7))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc i32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// Rows in groups, of which the first is empty, by a matrix for each; the last rows are in none.
static const char kProductOfGroups[] = R"(
!a = tensor<45x40xbf16>
!b = tensor<5x40x24xbf16>
!c = tensor<45x24xbf16>
!e = tensor<5xi32>
func.func @main(%x: !a, %y: !b) -> !c {
  %ends = loop.kernel @e ins() shared [5] -> !e {
    %p = loop.pointwise (%g) in [5] : !e {
      %v = loop.index (min(%g * %g * 3, 42))
      %w = arith.index_cast %v : index to i32
      loop.yield %w : i32
    }
    loop.return %p : !e
  }
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %n = %ends : !e)
      shared [45, 24] -> !c {
    %s = loop.contract parallel [45, 24] reduction [5, 40]
        lhs %a[d0, d3] : !a rhs %b[d2, d3, d1] : !b
        groups %n(d2, d0) : !e acc f32 : !c
        epilogue (%acc, %i, %j) {
      %one = arith.constant 1.0 : f32
      %f = arith.addf %acc, %one : f32
      %h = arith.truncf %f : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %s : !c
  }
  return %r : !c
})";

// More groups than a warpgroup has threads, most of them of one row or none.
static const char kProductOfManyGroups[] = R"(
!a = tensor<90x16xf16>
!b = tensor<140x16x40xf16>
!c = tensor<90x40xf16>
!e = tensor<140xi32>
func.func @main(%x: !a, %y: !b) -> !c {
  %ends = loop.kernel @e ins() shared [140] -> !e {
    %p = loop.pointwise (%g) in [140] : !e {
      %v = loop.index (min(floordiv(%g, 70) * 40 + floordiv(%g, 3), 89))
      %w = arith.index_cast %v : index to i32
      loop.yield %w : i32
    }
    loop.return %p : !e
  }
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %n = %ends : !e)
      shared [90, 40] -> !c {
    %s = loop.contract parallel [90, 40] reduction [140, 16]
        lhs %a[d0, d3] : !a rhs %b[d2, d3, d1] : !b
        groups %n(d2, d0) : !e acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// Columns in groups.
static const char kProductOfGroupedColumns[] = R"(
!a = tensor<4x20x24xf32>
!b = tensor<24x45xf32>
!c = tensor<20x45xf32>
!e = tensor<4xi32>
func.func @main(%x: !a, %y: !b) -> !c {
  %ends = loop.kernel @e ins() shared [4] -> !e {
    %p = loop.pointwise (%g) in [4] : !e {
      %v = loop.index (min(%g * %g * 3 + 7, 45))
      %w = arith.index_cast %v : index to i32
      loop.yield %w : i32
    }
    loop.return %p : !e
  }
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %n = %ends : !e)
      shared [20, 45] -> !c {
    %s = loop.contract parallel [20, 45] reduction [4, 24]
        lhs %a[d2, d0, d3] : !a rhs %b[d3, d1] : !b
        groups %n(d2, d1) : !e acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// The sum over the members of each group, of which the second has none, and along which one
// operand has neighbours.
static const char kProductOverGroups[] = R"(
!a = tensor<24x53xf32>
!b = tensor<53x40xf32>
!c = tensor<4x24x40xf32>
!e = tensor<4xi32>
func.func @main(%x: !a, %y: !b) -> !c {
  %ends = loop.kernel @e ins() shared [4] -> !e {
    %p = loop.pointwise (%g) in [4] : !e {
      %v = loop.index (min(floordiv(%g, 2) * 19 + 11, 53))
      %w = arith.index_cast %v : index to i32
      loop.yield %w : i32
    }
    loop.return %p : !e
  }
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %n = %ends : !e)
      shared [4, 24, 40] -> !c {
    %s = loop.contract parallel [4, 24, 40] reduction [53]
        lhs %a[d1, d3] : !a rhs %b[d3, d2] : !b
        groups %n(d0, d3) : !e acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// The same of 16 bits, of which each operand has its neighbours across; one group after another,
// and what is behind them all is of none.
static const char kProductOverLines[] = R"(
!a = tensor<75x24xbf16>
!b = tensor<75x40xbf16>
!c = tensor<4x24x40xbf16>
!e = tensor<4xi32>
func.func @main(%x: !a, %y: !b) -> !c {
  %ends = loop.kernel @e ins() shared [4] -> !e {
    %p = loop.pointwise (%g) in [4] : !e {
      %v = loop.index (min(floordiv(%g, 2) * 47 + 13, 66))
      %w = arith.index_cast %v : index to i32
      loop.yield %w : i32
    }
    loop.return %p : !e
  }
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %n = %ends : !e)
      shared [4, 24, 40] -> !c {
    %s = loop.contract parallel [4, 24, 40] reduction [75]
        lhs %a[d3, d1] : !a rhs %b[d3, d2] : !b
        groups %n(d0, d3) : !e acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// Rows that are longer than what is made of them: a product makes some and another reads
// others, which a kernel makes that walks them. What is behind them is not a number.
const char loop::kLongerRows[] = R"(
!x = tensor<37x24xbf16>
!w = tensor<21x24xbf16>
!l = tensor<37x21xbf16>
!p = tensor<37x24xbf16>
!m = tensor<37xf32>
func.func @main(%x: !x, %w: !w) -> (!x, !w) {
  %l = loop.kernel @l ins(%a = %x : !x, %b = %w : !w) shared [37, 21] -> !p {
    %half = arith.constant 0.5 : f32
    %s = loop.contract parallel [37, 21] reduction [24]
        lhs %a[d0, d2] : !x rhs %b[d1, d2] : !w acc f32 : !l
        epilogue (%acc, %i, %j) {
      %h = arith.mulf %acc, %half : f32
      %t = arith.truncf %h : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %s : !l
  }
  %g = loop.kernel @g ins(%a = %l : !p) shared [37] -> !p {
    %m = loop.reduce parallel (%i) in [37] reduction (%j) in [21] <max> : !m {
      %e = loop.load %a[%i, %j] : !p
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %q = loop.pointwise (%i, %j) in [37, 21] : !l {
      %e = loop.load %a[%i, %j] : !p
      %f = arith.extf %e : bf16 to f32
      %h = loop.load %m[%i] : !m
      %d = arith.subf %f, %h : f32
      %t = arith.truncf %d : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %q : !l
  }
  %y = loop.kernel @y ins(%a = %g : !p, %b = %w : !w) shared [37, 24] -> !x {
    %s = loop.contract parallel [37, 24] reduction [21]
        lhs %a[d0, d2] : !p rhs %b[d2, d1] : !w acc f32 : !x
    loop.return %s : !x
  }
  %v = loop.kernel @v ins(%a = %g : !p, %b = %x : !x) shared [21, 24] -> !w {
    %s = loop.contract parallel [21, 24] reduction [37]
        lhs %a[d2, d0] : !p rhs %b[d2, d1] : !x acc f32 : !w
    loop.return %s : !w
  }
  return %y, %v : !x, !w
})";

// The same of f32, with an epilogue that reads for each column, and two matrices.
const char loop::kLongerRowsOfF32[] = R"(
!x = tensor<2x9x5xf32>
!w = tensor<13x5xf32>
!b = tensor<13xf32>
!l = tensor<2x9x13xf32>
!p = tensor<2x9x16xf32>
func.func @main(%x: !x, %w: !w, %b: !b) -> !l {
  %l = loop.kernel @l ins(%a = %x : !x, %c = %w : !w, %d = %b : !b) shared [2, 9, 13] -> !p {
    %s = loop.contract parallel [2, 9, 13] reduction [5]
        lhs %a[d0, d1, d3] : !x rhs %c[d2, d3] : !w acc f32 : !l
        epilogue (%acc, %i, %j, %k) {
      %e = loop.load %d[%k] : !b
      %t = arith.addf %acc, %e : f32
      loop.yield %t : f32
    }
    loop.return %s : !l
  }
  %n = loop.kernel @n ins(%a = %l : !p) shared [2, 9, 13] -> !p {
    %q = loop.pointwise (%i, %j, %k) in [2, 9, 13] : !l {
      %e = loop.load %a[%i, %j, %k] : !p
      %t = arith.negf %e : f32
      loop.yield %t : f32
    }
    loop.return %q : !l
  }
  %y = loop.kernel @y ins(%a = %n : !p) shared [2, 9, 13] -> !l {
    %q = loop.pointwise (%i, %j, %k) in [2, 9, 13] : !l {
      %e = loop.load %a[%i, %j, 12 - %k] : !p
      loop.yield %e : f32
    }
    loop.return %q : !l
  }
  return %y : !l
})";

llvm::ArrayRef<loop::LoopCase> loop::getGroupCases() {
  static const std::vector<LoopCase> cases = {
      {"ProductOfGroups", kProductOfGroups, {{}}, 0, 4},
      {"ProductOfGroupedColumns", kProductOfGroupedColumns, {{}}, 0, 4},
      {"ProductOverGroups", kProductOverGroups, {{}}, 0, 4},
      {"ProductOfManyGroups", kProductOfManyGroups, {{}}, 0, 16},
      {"ProductOverLines", kProductOverLines, {{}}, 0, 16},
  };
  return cases;
}

llvm::ArrayRef<loop::LoopCase> loop::getProductsOfBytes() {
  static const std::vector<LoopCase> cases = {
      {"ProductOfTwoBytes", kProductOfTwoBytes, {{}}, 0, 4},
      {"ProductOfOddBytes", kProductOfOddBytes},
      {"VectorOfBytes", kVectorOfBytes},
      {"WindowsOfBytes", kWindowsOfBytes},
  };
  return cases;
}
