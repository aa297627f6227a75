//===- ByteCases.cpp - Contractions of bytes ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unsigned bytes times signed ones, of matrices and of windows, whose sums are
// i32: four neighbours along the sum are a word (`DotUnit::Quads`), where there
// are four.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;

// Images with their channels last, three words each, read where they lie;
// padding on all sides, and an epilogue that makes floats.
static const char kLast[] = R"(
!x = tensor<?x5x?x12xui8, #guard.shape<[s0, 5, s1, 12]>>
!w = tensor<38x3x3x12xi8>
!b = tensor<38xf32>
!y = tensor<?x5x?x38xf32, #guard.shape<[s0, 5, s1, 38]>>
func.func @main(%x: !x, %w: !w, %p: !b) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b)
      shared [s0, 5, s1, 38] -> !y {
    %s = loop.contract parallel [s0, 5, s1, 38] reduction [3, 3, 12]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : !x
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 5), le(1, d2 + d5), lt(d2 + d5 - 1, s1))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc i32 : !y lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    } epilogue (%acc, %n, %i, %j, %o) {
      %f = arith.sitofp %acc : i32 to f32
      %g = loop.load %c[%o] : !b
      %h = arith.mulf %f, %g : f32
      loop.yield %h : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Without padding the taps of a row are neighbours as the channels are. A
// stride, holes in one direction, and signs the other way around.
static const char kStrided[] = R"(
!x = tensor<?x9x11x8xi8, #guard.shape<[s0, 9, 11, 8]>>
!w = tensor<3x3x8x21xui8>
!y = tensor<?x3x5x21xi32, #guard.shape<[s0, 3, 5, 21]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 3, 5, 21] -> !y {
    %s = loop.contract parallel [s0, 3, 5, 21] reduction [3, 3, 8]
        lhs %a[d0, d1 * 2 + d4 * 2, d2 * 2 + d5, d6] : !x rhs %b[d4, d5, d6, d3] : !w
        acc i32 : !y lhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Three channels in front: words are of the taps of a row, of which the last
// has no weight.
static const char kTaps[] = R"(
!x = tensor<?x3x9x14xui8, #guard.shape<[s0, 3, 9, 14]>>
!w = tensor<18x3x3x4xi8>
!y = tensor<?x7x11x18xi32, #guard.shape<[s0, 7, 11, 18]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 7, 11, 18] -> !y {
    %s = loop.contract parallel [s0, 7, 11, 18] reduction [3, 3, 4]
        lhs %a[d0, d4, d1 + d5, d2 + d6] : !x rhs %b[d3, d4, d5, d6] : !w
        acc i32 : !y lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Three taps and three channels in front, no word anywhere, and padding that is
// no 0 once 128 is added: what is packed is folded into words.
static const char kFolded[] = R"(
!x = tensor<?x3x6x?xi8, #guard.shape<[s0, 3, 6, s1]>>
!w = tensor<14x3x3x3xi8>
!y = tensor<?x14x6x?xi32, #guard.shape<[s0, 14, 6, s1]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 14, 6, s1] -> !y {
    %c128 = arith.constant 128 : i32
    %s = loop.contract parallel [s0, 14, 6, s1] reduction [3, 3, 3]
        lhs %a[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : !x
            mask and(le(1, d2 + d5), lt(d2 + d5 - 1, 6), le(1, d3 + d6), lt(d3 + d6 - 1, s1))
        rhs %b[d1, d4, d5, d6] : !w mask 1
        acc i32 : !y lhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      %f = arith.addi %e, %c128 : i32
      loop.yield %f : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Rows of a matrix, which are words to the last, in front of a result that is
// stored across.
static const char kMatrix[] = R"(
!x = tensor<?x76xui8, #guard.shape<[s0, 76]>>
!w = tensor<40x76xi8>
!y = tensor<40x?xi32, #guard.shape<[40, s0]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [40, s0] -> !y {
    %s = loop.contract parallel [40, s0] reduction [76]
        lhs %a[d1, d2] : !x rhs %b[d0, d2] : !w
        acc i32 : !y lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// So many channels that a block of the sum has some places of the window.
static const char kMany[] = R"(
!x = tensor<?x4x4x1152xui8, #guard.shape<[s0, 4, 4, 1152]>>
!w = tensor<5x3x3x1152xi8>
!y = tensor<?x2x2x5xi32, #guard.shape<[s0, 2, 2, 5]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 2, 2, 5] -> !y {
    %s = loop.contract parallel [s0, 2, 2, 5] reduction [3, 3, 1152]
        lhs %a[d0, d1 + d4, d2 + d5 * 1, d6] : !x
            mask le(d1 + d4, 2)
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc i32 : !y lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Groups of four channels that give twelve.
static const char kGroups[] = R"(
!x = tensor<?x5x?x12xui8, #guard.shape<[s0, 5, s1, 12]>>
!w = tensor<36x4x3x3xi8>
!y = tensor<?x5x?x3x12xi32, #guard.shape<[s0, 5, s1, 3, 12]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 5, s1, 3, 12] -> !y {
    %s = loop.contract parallel [s0, 5, s1, 3, 12] reduction [3, 3, 4]
        lhs %a[d0, d1 + d5 - 1, d2 + d6 - 1, d3 * 4 + d7] : !x
            mask and(le(1, d1 + d5), lt(d1 + d5 - 1, 5), le(1, d2 + d6), lt(d2 + d6 - 1, s1))
        rhs %b[d3 * 12 + d4, d7, d5, d6] : !w mask 1
        acc i32 : !y lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

llvm::ArrayRef<LoopCase> loop::getByteCases() {
  static const std::vector<SymbolValues> images = {{{"s0", 1}, {"s1", 1}},
                                                   {{"s0", 2}, {"s1", 7}},
                                                   {{"s0", 1}, {"s1", 16}},
                                                   {{"s0", 3}, {"s1", 33}},
                                                   {{"s0", 0}, {"s1", 9}}};
  static const std::vector<SymbolValues> batches = {
      {{"s0", 0}}, {{"s0", 1}}, {{"s0", 3}}};
  static const LoopCase cases[] = {
      {"BytesLast", kLast, images},
      {"BytesStrided", kStrided, batches},
      {"BytesOfTaps", kTaps, batches},
      {"BytesFolded", kFolded, images},
      {"BytesOfAMatrix", kMatrix, {{{"s0", 0}}, {{"s0", 1}}, {{"s0", 50}}}},
      {"BytesOfManyChannels", kMany, {{{"s0", 0}}, {{"s0", 3}}}},
      {"BytesOfGroups", kGroups, images},
  };
  return cases;
}
