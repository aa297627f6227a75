//===- TileCases.cpp - Windows whose channels become first ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window of each channel of an image that has them last, and a result that has them
// first: what threads compute side by side does not lie so. Sizes that tiles do not divide.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;

// In bf16, with borders, a bias, and what is added with its channels last.
static const char kBecomeFirst[] = R"(
!x = tensor<?x6x12x40xbf16, #guard.shape<[s0, 6, 12, 40]>>
!w = tensor<3x3x40xbf16>
!b = tensor<40xbf16>
!y = tensor<?x40x6x12xbf16, #guard.shape<[s0, 40, 6, 12]>>
func.func @main(%x: !x, %w: !w, %p: !b) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b)
      shared [s0, 40, 6, 12] -> !y {
    %s = loop.contract parallel [s0, 40, 6, 12] reduction [3, 3]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d1] : !x
            mask and(and(le(1, d2 + d4), lt(d2 + d4 - 1, 6)), and(le(1, d3 + d5), lt(d3 + d5 - 1, 12)))
        rhs %b[d4, d5, d1] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %o, %i, %j) {
      %e = loop.load %c[%o] : !b
      %f = arith.extf %e : bf16 to f32
      %g = arith.addf %acc, %f : f32
      %h = loop.load %a[%n, %i, %j, %o] : !x
      %l = arith.extf %h : bf16 to f32
      %m = arith.addf %g, %l : f32
      %q = arith.truncf %m : f32 to bf16
      loop.yield %q : bf16
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Every second window, which share little.
static const char kBecomeFirstApart[] = R"(
!x = tensor<2x9x16x24xf32>
!w = tensor<3x3x24xf32>
!y = tensor<2x24x5x8xf32>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [2, 24, 5, 8] -> !y {
    %s = loop.contract parallel [2, 24, 5, 8] reduction [3, 3]
        lhs %a[d0, d2 * 2 + d4 - 1, d3 * 2 + d5 - 1, d1] : !x
            mask and(and(le(1, d2 * 2 + d4), lt(d2 * 2 + d4 - 1, 9)), and(le(1, d3 * 2 + d5), lt(d3 * 2 + d5 - 1, 16)))
        rhs %b[d4, d5, d1] : !w mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// Channels and places that no vector divides, of signals and of images.
static const char kBecomeFirstOdd[] = R"(
!x = tensor<3x5x7x21xf32>
!w = tensor<3x3x21xf32>
!y = tensor<3x21x5x7xf32>
!s = tensor<2x19x17xf32>
!v = tensor<5x17xf32>
!t = tensor<2x17x19xf32>
func.func @main(%x: !x, %w: !w, %s: !s, %v: !v) -> (!y, !t) {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [3, 21, 5, 7] -> !y {
    %c = loop.contract parallel [3, 21, 5, 7] reduction [3, 3]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d1] : !x
            mask and(and(le(1, d2 + d4), lt(d2 + d4 - 1, 5)), and(le(1, d3 + d5), lt(d3 + d5 - 1, 7)))
        rhs %b[d4, d5, d1] : !w mask 1
        acc f32 : !y
    loop.return %c : !y
  }
  %q = loop.kernel @l ins(%a = %s : !s, %b = %v : !v) shared [2, 17, 19] -> !t {
    %c = loop.contract parallel [2, 17, 19] reduction [5]
        lhs %a[d0, d2 + d3 - 2, d1] : !s
            mask and(le(2, d2 + d3), lt(d2 + d3 - 2, 19))
        rhs %b[d3, d1] : !v mask 1
        acc f32 : !t
    loop.return %c : !t
  }
  return %r, %q : !y, !t
})";

// The largest elements, and where they are positive: two results of different widths.
static const char kPooledBecomeFirst[] = R"(
!x = tensor<?x6x8x24xf32, #guard.shape<[s0, 6, 8, 24]>>
!y = tensor<?x24x6x8xf32, #guard.shape<[s0, 24, 6, 8]>>
!z = tensor<?x24x6x8xi1, #guard.shape<[s0, 24, 6, 8]>>
func.func @main(%x: !x) -> (!y, !z) {
  %r, %q = loop.kernel @k ins(%a = %x : !x) shared [s0, 24, 6, 8] -> (!y, !z) {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 0.0 : f32
    %zero = arith.constant 0 : index
    %m = loop.reduce parallel (%n, %c, %i, %j) in [s0, 24, 6, 8] reduction (%k, %l) in [3, 3] <max> : !y {
      %v = loop.index (and(le(0, %i + %k - 1), lt(%i + %k - 1, 6), le(0, %j + %l - 1), lt(%j + %l - 1, 8)))
      %f = arith.cmpi ne, %v, %zero : index
      %e = loop.load %a[%n, %i + %k - 1, %j + %l - 1, %c] mask %f, %low : !x
      loop.yield %e : f32
    }
    %p = loop.pointwise (%n, %c, %i, %j) in [s0, 24, 6, 8] : !z {
      %e = loop.load %m[%n, %c, %i, %j] : !y
      %f = arith.cmpf ogt, %e, %none : f32
      loop.yield %f : i1
    }
    loop.return %m, %p : !y, !z
  }
  return %r, %q : !y, !z
})";

llvm::ArrayRef<LoopCase> loop::getTileCases() {
  static const std::vector<SymbolValues> images = {
      {{"s0", 2}}, {{"s0", 1}}, {{"s0", 0}}};
  static const LoopCase cases[] = {
      {"ChannelsBecomeFirst", kBecomeFirst, images},
      {"ChannelsBecomeFirstApart", kBecomeFirstApart, {{}}, 0, 1024},
      {"ChannelsBecomeFirstOdd", kBecomeFirstOdd, {{}}, 0, 1024},
      {"PooledBecomeFirst", kPooledBecomeFirst, images},
      {"PooledBecomeFirstSpecial", kPooledBecomeFirst, images, 0, 64, /*special=*/true},
  };
  return cases;
}
