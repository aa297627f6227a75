//===- PairCases.cpp - Contractions of bf16 -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices and windows of bf16 whose sums are f32: two neighbours along the sum
// are a word (`DotUnit::Pairs`), where there are two.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;

// Images with their channels last, five words each, read where they lie; padding
// on all sides, and an epilogue that rounds.
static const char kLast[] = R"(
!x = tensor<?x5x?x10xbf16, #guard.shape<[s0, 5, s1, 10]>>
!w = tensor<38x3x3x10xbf16>
!b = tensor<38xf32>
!y = tensor<?x5x?x38xbf16, #guard.shape<[s0, 5, s1, 38]>>
func.func @main(%x: !x, %w: !w, %p: !b) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b)
      shared [s0, 5, s1, 38] -> !y {
    %s = loop.contract parallel [s0, 5, s1, 38] reduction [3, 3, 10]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : !x
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 5), le(1, d2 + d5), lt(d2 + d5 - 1, s1))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %i, %j, %o) {
      %e = loop.load %c[%o] : !b
      %f = arith.addf %acc, %e : f32
      %g = arith.truncf %f : f32 to bf16
      loop.yield %g : bf16
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Windows of rows with an odd number of elements: words begin at any of them. The
// weight has its columns last, so that a word of it is of two rows.
static const char kOddRows[] = R"(
!x = tensor<?x9x43xbf16, #guard.shape<[s0, 9, 43]>>
!w = tensor<3x6x21xbf16>
!y = tensor<?x4x13x21xf32, #guard.shape<[s0, 4, 13, 21]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 4, 13, 21] -> !y {
    %s = loop.contract parallel [s0, 4, 13, 21] reduction [3, 6]
        lhs %a[d0, d1 * 2 + d4, d2 * 3 + d5] : !x rhs %b[d4, d5, d3] : !w
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// Nine channels are no words: windows are packed.
static const char kNoWords[] = R"(
!x = tensor<?x5x7x9xbf16, #guard.shape<[s0, 5, 7, 9]>>
!w = tensor<20x3x3x9xbf16>
!y = tensor<?x3x5x20xf32, #guard.shape<[s0, 3, 5, 20]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 3, 5, 20] -> !y {
    %s = loop.contract parallel [s0, 3, 5, 20] reduction [3, 3, 9]
        lhs %a[d0, d1 + d4 * 2 - 1, d2 + d5 * 2 - 1, d6] : !x
            mask and(le(1, d1 + d4 * 2), lt(d1 + d4 * 2 - 1, 5), le(1, d2 + d5 * 2), lt(d2 + d5 * 2 - 1, 7))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// So many channels that a block of the sum has some places of the window; the result has
// its channels first.
static const char kManyChannels[] = R"(
!x = tensor<2x5x5x288xbf16>
!w = tensor<17x3x3x288xbf16>
!y = tensor<2x17x5x5xf32>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [2, 17, 5, 5] -> !y {
    %s = loop.contract parallel [2, 17, 5, 5] reduction [3, 3, 288]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d6] : !x
            mask and(le(1, d2 + d4), lt(d2 + d4 - 1, 5), le(1, d3 + d5), lt(d3 + d5 - 1, 5))
        rhs %b[d1, d4, d5, d6] : !w mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// A matrix whose rows are read where they lie, times one that becomes bf16 while its
// columns are packed.
static const char kRounded[] = R"(
!x = tensor<?x70xbf16, #guard.shape<[s0, 70]>>
!w = tensor<70x35xf32>
!y = tensor<?x35xf32, #guard.shape<[s0, 35]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 35] -> !y {
    %s = loop.contract parallel [s0, 35] reduction [70] lhs %a[d0, d2] : !x
        rhs %b[d2, d1] : !w acc f32 : !y rhs_prologue (%v) {
      %e = arith.truncf %v : f32 to bf16
      loop.yield %e : bf16
    }
    loop.return %s : !y
  }
  return %r : !y
})";

llvm::ArrayRef<LoopCase> loop::getPairCases() {
  static const std::vector<SymbolValues> images = {{{"s0", 1}, {"s1", 1}},
                                                   {{"s0", 2}, {"s1", 7}},
                                                   {{"s0", 3}, {"s1", 33}},
                                                   {{"s0", 0}, {"s1", 9}}};
  static const std::vector<SymbolValues> batches = {
      {{"s0", 0}}, {{"s0", 1}}, {{"s0", 3}}};
  static const LoopCase cases[] = {
      {"PairsLast", kLast, images},
      {"PairsInOddRows", kOddRows, batches},
      {"NoPairs", kNoWords, batches},
      {"PairsOfManyChannels", kManyChannels, {{}}},
      {"PairsRounded", kRounded, {{{"s0", 0}}, {{"s0", 1}}, {{"s0", 50}}}},
  };
  return cases;
}
