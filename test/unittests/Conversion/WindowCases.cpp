//===- WindowCases.cpp - Contractions over windows ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbolic sizes make them packed products, however small. Widths around the
// number of lanes give vectors within a row, across rows, and at edges.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;

// Padded by one, with a bias and a residual.
static const char kPadded[] = R"(
!x = tensor<?x3x5x?xf32, #guard.shape<[s0, 3, 5, s1]>>
!w = tensor<14x3x3x3xf32>
!b = tensor<14xf32>
!y = tensor<?x14x5x?xf32, #guard.shape<[s0, 14, 5, s1]>>
func.func @main(%x: !x, %w: !w, %p: !b, %q: !y) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b, %d = %q : !y)
      shared [s0, 14, 5, s1] -> !y {
    %s = loop.contract parallel [s0, 14, 5, s1] reduction [3, 3, 3]
        lhs %a[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : !x
            mask and(le(1, d2 + d5), lt(d2 + d5 - 1, 5), le(1, d3 + d6), lt(d3 + d6 - 1, s1))
        rhs %b[d1, d4, d5, d6] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %o, %i, %j) {
      %e = loop.load %c[%o] : !b
      %f = arith.addf %acc, %e : f32
      %g = loop.load %d[%n, %o, %i, %j] : !y
      %h = arith.addf %f, %g : f32
      loop.yield %h : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Strides, dilation and more padding than the window is wide, without a batch;
// in bf16, and a prologue that does not keep 0.
static const char kStrided[] = R"(
!x = tensor<2x?xf32, #guard.shape<[2, s0]>>
!w = tensor<9x2x3xf32>
!y = tensor<9x?xbf16, #guard.shape<[9, floordiv(s0 + 9, 3) + 1]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w)
      shared [9, floordiv(s0 + 9, 3) + 1] -> !y {
    %one = arith.constant 1.0 : f32
    %s = loop.contract parallel [9, floordiv(s0 + 9, 3) + 1] reduction [2, 3]
        lhs %a[d2, d1 * 3 + d3 * 2 - 7] : !x
            mask and(le(7, d1 * 3 + d3 * 2), lt(d1 * 3 + d3 * 2 - 7, s0))
        rhs %b[d0, d2, d3] : !w mask 1
        acc f32 : !y lhs_prologue (%e) {
      %c = arith.addf %e, %one : f32
      loop.yield %c : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// The gradient of a weight: both operands walk the batch and the image apart,
// and the sums are as long as both together.
static const char kWeightGradient[] = R"(
!x = tensor<?x2x6x?xf32, #guard.shape<[s0, 2, 6, s1]>>
!g = tensor<?x13x6x?xf32, #guard.shape<[s0, 13, 6, s1]>>
!w = tensor<13x2x3x3xf32>
func.func @main(%x: !x, %g: !g) -> !w {
  %r = loop.kernel @k ins(%a = %g : !g, %b = %x : !x) shared [13, 2, 3, 3] -> !w {
    %s = loop.contract parallel [13, 2, 3, 3] reduction [s0, 6, s1]
        lhs %a[d4, d0, d5, d6] : !g mask 1
        rhs %b[d4, d1, d5 + d2 - 1, d6 + d3 - 1] : !x
            mask and(le(1, d5 + d2), lt(d5 + d2 - 1, 6), le(1, d6 + d3), lt(d6 + d3 - 1, s1))
        acc f32 : !w
    loop.return %s : !w
  }
  return %r : !w
})";

// The same with channels last and a stride, which tiles walk in the order of the image and
// not of the result: its columns are the places of a window, and then 12 channels.
static const char kWeightLast[] = R"(
!x = tensor<3x13x13x12xbf16>
!g = tensor<3x7x7x10xbf16>
!w = tensor<10x12x3x3xf32>
func.func @main(%x: !x, %g: !g, %v: !w) -> !w {
  %r = loop.kernel @k ins(%a = %g : !g, %b = %x : !x, %c = %v : !w) shared [10, 12, 3, 3] -> !w {
    %s = loop.contract parallel [10, 12, 3, 3] reduction [3, 7, 7]
        lhs %a[d4, d5, d6, d0] : !g mask 1
        rhs %b[d4, d5 * 2 + d2 - 1, d6 * 2 + d3 - 1, d1] : !x
            mask and(le(1, d5 * 2 + d2), lt(d5 * 2 + d2 - 1, 13), le(1, d6 * 2 + d3), lt(d6 * 2 + d3 - 1, 13))
        acc f32 : !w epilogue (%acc, %o, %n, %i, %j) {
      %e = loop.load %c[%o, %n, %i, %j] : !w
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !w
  }
  return %r : !w
})";

// Windows of an image whose border is repeated: rows of whole vectors, and others.
static const char kRepeatedBorder[] = R"(
!x = tensor<3x5x64xf32>
!y = tensor<3x5x77xf32>
func.func @main(%x: !x, %y: !y) -> (!x, !y) {
  %r = loop.kernel @k ins(%a = %x : !x) shared [3, 5, 64] -> !x {
    %s = loop.reduce parallel (%c, %h, %w) in [3, 5, 64] reduction (%i, %j) in [3, 3] <sum> : !x {
      %e = loop.load %a[%c, min(4, max(0, %h + %i - 1)), min(63, max(0, %w + %j - 1))] : !x
      loop.yield %e : f32
    }
    loop.return %s : !x
  }
  %q = loop.kernel @l ins(%a = %y : !y) shared [3, 5, 77] -> !y {
    %s = loop.reduce parallel (%c, %h, %w) in [3, 5, 77] reduction (%i, %j) in [2, 5] <max> : !y {
      %e = loop.load %a[%c, max(0, %h - %i), min(76, max(0, %w + %j - 2))] : !y
      loop.yield %e : f32
    }
    loop.return %s : !y
  }
  return %r, %q : !x, !y
})";

// Rows and sums of two dimensions each, apart in every operand that has them,
// and one mask over both operands.
static const char kApart[] = R"(
!a = tensor<?x5x7x?xf32, #guard.shape<[s0, 5, 7, s1]>>
!b = tensor<?x5x18xf32, #guard.shape<[s1, 5, 18]>>
!c = tensor<?x7x18xf32, #guard.shape<[s0, 7, 18]>>
func.func @main(%x: !a, %y: !b) -> !c {
  %r = loop.kernel @k ins(%a = %x : !a, %b = %y : !b) shared [s0, 7, 18] -> !c {
    %s = loop.contract parallel [s0, 7, 18] reduction [5, s1]
        lhs %a[d0, d3, d1, d4] : !a mask le(d3, d4)
        rhs %b[d4, d3, d2] : !b mask le(d3, d4)
        acc f32 : !c
    loop.return %s : !c
  }
  return %r : !c
})";

// Images that fill their panels badly: they are the rows, all at once, and tiles of
// rows begin and end within images.
static const char kSmallImages[] = R"(
!x = tensor<2x24x4x4xf32>
!w = tensor<48x24x3x3xf32>
!b = tensor<48xf32>
!y = tensor<2x48x4x4xf32>
func.func @main(%x: !x, %w: !w, %p: !b, %q: !y) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b, %d = %q : !y)
      shared [2, 48, 4, 4] -> !y {
    %s = loop.contract parallel [2, 48, 4, 4] reduction [24, 3, 3]
        lhs %a[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : !x
            mask and(le(1, d2 + d5), lt(d2 + d5 - 1, 4), le(1, d3 + d6), lt(d3 + d6 - 1, 4))
        rhs %b[d1, d4, d5, d6] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %o, %i, %j) {
      %e = loop.load %c[%o] : !b
      %f = arith.addf %acc, %e : f32
      %g = loop.load %d[%n, %o, %i, %j] : !y
      %h = arith.addf %f, %g : f32
      loop.yield %h : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// The same with a stride, an epilogue that walks the image the other way around, and
// a prologue.
static const char kSmallStrided[] = R"(
!x = tensor<2x144x7x7xf32>
!w = tensor<64x144xf32>
!y = tensor<2x64x4x4xf32>
func.func @main(%x: !x, %w: !w, %q: !y) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %d = %q : !y)
      shared [2, 64, 4, 4] -> !y {
    %one = arith.constant 1.0 : f32
    %s = loop.contract parallel [2, 64, 4, 4] reduction [144]
        lhs %a[d0, d4, d2 * 2, d3 * 2] : !x rhs %b[d1, d4] : !w
        acc f32 : !y lhs_prologue (%e) {
      %c = arith.addf %e, %one : f32
      loop.yield %c : f32
    } epilogue (%acc, %n, %o, %i, %j) {
      %g = loop.load %d[%n, %o, %j, %i] : !y
      %h = arith.subf %acc, %g : f32
      loop.yield %h : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// A matrix with one column more than a panel.
static const char kFewColumns[] = R"(
!x = tensor<100x160xf32>
!y = tensor<160x33xf32>
!b = tensor<33xf32>
!z = tensor<100x33xf32>
func.func @main(%x: !x, %y: !y, %p: !b) -> !z {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %y : !y, %c = %p : !b)
      shared [100, 33] -> !z {
    %s = loop.contract parallel [100, 33] reduction [160]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !y
        acc f32 : !z epilogue (%acc, %i, %j) {
      %e = loop.load %c[%j] : !b
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !z
  }
  return %r : !z
})";

// Transposed, over a single element: `mod(d2, 2)` is d2 below the extent of d2,
// and no longer once d2 and d3 are walked as one.
static const char kSingle[] = R"(
!x = tensor<1x3x1x1xf32>
!w = tensor<3x2x2x2xf32>
!y = tensor<1x2x2x2xf32>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [1, 2, 2, 2] -> !y {
    %s = loop.contract parallel [1, 2, 2, 2] reduction [3, 1, 1]
        lhs %a[d0, d4, d5 + floordiv(d2, 2), d6 + floordiv(d3, 2)] : !x
        rhs %b[d4, d1, d5 * -2 + mod(d2, 2), d6 * -2 + mod(d3, 2)] : !w
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// Images with their channels last, read where they lie: runs of 10 channels that end in
// the middle of an unrolled step, and padding on all sides.
static const char kChannelsLast[] = R"(
!x = tensor<?x5x?x10xf32, #guard.shape<[s0, 5, s1, 10]>>
!w = tensor<38x3x3x10xf32>
!b = tensor<38xf32>
!y = tensor<?x5x?x38xf32, #guard.shape<[s0, 5, s1, 38]>>
func.func @main(%x: !x, %w: !w, %p: !b, %q: !y) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b, %d = %q : !y)
      shared [s0, 5, s1, 38] -> !y {
    %s = loop.contract parallel [s0, 5, s1, 38] reduction [3, 3, 10]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : !x
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 5), le(1, d2 + d5), lt(d2 + d5 - 1, s1))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %i, %j, %o) {
      %e = loop.load %c[%o] : !b
      %f = arith.addf %acc, %e : f32
      %g = loop.load %d[%n, %i, %j, %o] : !y
      %h = arith.addf %f, %g : f32
      loop.yield %h : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Places so far apart that padding leaves runs out of all rows of a tile, and some of all.
static const char kFarPlaces[] = R"(
!x = tensor<?x5x?x10xf32, #guard.shape<[s0, 5, s1, 10]>>
!w = tensor<38x3x3x10xf32>
!y = tensor<?x5x?x38xf32, #guard.shape<[s0, 5, s1, 38]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 5, s1, 38] -> !y {
    %s = loop.contract parallel [s0, 5, s1, 38] reduction [3, 3, 10]
        lhs %a[d0, d1 + d4 * 4 - 4, d2 + d5 * 20 - 20, d6] : !x
            mask and(le(4, d1 + d4 * 4), lt(d1 + d4 * 4 - 4, 5), le(20, d2 + d5 * 20), lt(d2 + d5 * 20 - 20, s1))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// So many channels that a block of the sum has some places of the window, and a stride.
static const char kManyChannels[] = R"(
!x = tensor<?x5x5x144xf32, #guard.shape<[s0, 5, 5, 144]>>
!w = tensor<9x3x3x144xf32>
!y = tensor<?x3x3x9xf32, #guard.shape<[s0, 3, 3, 9]>>
func.func @main(%x: !x, %w: !w) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [s0, 3, 3, 9] -> !y {
    %s = loop.contract parallel [s0, 3, 3, 9] reduction [3, 3, 144]
        lhs %a[d0, d1 * 2 + d4 - 1, d2 * 2 + d5 - 1, d6] : !x
            mask and(le(1, d1 * 2 + d4), lt(d1 * 2 + d4 - 1, 5), le(1, d2 * 2 + d5), lt(d2 * 2 + d5 - 1, 5))
        rhs %b[d3, d4, d5, d6] : !w mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  return %r : !y
})";

// The result has its channels first: it is stored across its order, and windows with holes
// are read in place all the same.
static const char kChannelsFirst[] = R"(
!x = tensor<2x6x7x16xf32>
!w = tensor<24x3x3x16xf32>
!b = tensor<24xf32>
!y = tensor<2x24x6x7xf32>
func.func @main(%x: !x, %w: !w, %p: !b) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b)
      shared [2, 24, 6, 7] -> !y {
    %s = loop.contract parallel [2, 24, 6, 7] reduction [3, 3, 16]
        lhs %a[d0, d2 + d4 * 2 - 2, d3 + d5 * 2 - 2, d6] : !x
            mask and(le(2, d2 + d4 * 2), lt(d2 + d4 * 2 - 2, 6), le(2, d3 + d5 * 2), lt(d3 + d5 * 2 - 2, 7))
        rhs %b[d1, d4, d5, d6] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %o, %i, %j) {
      %e = loop.load %c[%o] : !b
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// A window of each channel, channels last: neighbours share most of what they read.
static const char kDepthwise[] = R"(
!x = tensor<?x5x?x21xf32, #guard.shape<[s0, 5, s1, 21]>>
!w = tensor<3x5x21xf32>
!b = tensor<21xf32>
func.func @main(%x: !x, %w: !w, %p: !b) -> !x {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b)
      shared [s0, 5, s1, 21] -> !x {
    %s = loop.contract parallel [s0, 5, s1, 21] reduction [3, 5]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 2, d3] : !x
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 5), le(2, d2 + d5), lt(d2 + d5 - 2, s1))
        rhs %b[d4, d5, d3] : !w mask 1
        acc f32 : !x epilogue (%acc, %n, %i, %j, %o) {
      %e = loop.load %c[%o] : !b
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !x
  }
  return %r : !x
})";

// The same of known sizes, so that something is there to be read where a place is left out.
static const char kDepthwiseKnown[] = R"(
!x = tensor<2x5x9x24xf32>
!w = tensor<3x3x24xf32>
func.func @main(%x: !x, %w: !w) -> !x {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [2, 5, 9, 24] -> !x {
    %s = loop.contract parallel [2, 5, 9, 24] reduction [3, 3]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d3] : !x
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 5), le(1, d2 + d5), lt(d2 + d5 - 1, 9))
        rhs %b[d4, d5, d3] : !w mask 1
        acc f32 : !x
    loop.return %s : !x
  }
  return %r : !x
})";

// Groups of four channels, of two of the image, as channels of their own: the last vector of them
// has a part of its lanes. And of four, in bf16, with those innermost in the sum. So many places beside each other that some have no end of the image in
// their windows.
static const char kNarrowGroups[] = R"(
!x = tensor<2x5x27x12xf32>
!w = tensor<2x3x3x24xf32>
!x4 = tensor<2x5x27x24xbf16>
!w4 = tensor<4x3x3x24xbf16>
!y = tensor<2x5x27x24xf32>
func.func @main(%x: !x, %w: !w, %x4: !x4, %w4: !w4) -> (!y, !y) {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [2, 5, 27, 24] -> !y {
    %s = loop.contract parallel [2, 5, 27, 24] reduction [2, 3, 3]
        lhs %a[d0, d1 + d5 - 1, d2 + d6 - 1, d4 + floordiv(d3, 4) * 2] : !x
            mask and(and(le(1, d1 + d5), lt(d1 + d5 - 1, 5)), and(le(1, d2 + d6), lt(d2 + d6 - 1, 27)))
        rhs %b[d4, d5, d6, d3] : !w mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  %t = loop.kernel @l ins(%a = %x4 : !x4, %b = %w4 : !w4) shared [2, 5, 27, 24] -> !y {
    %s = loop.contract parallel [2, 5, 27, 24] reduction [3, 3, 4]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, floordiv(d3, 4) * 4 + d6] : !x4
            mask and(and(le(1, d1 + d4), lt(d1 + d4 - 1, 5)), and(le(1, d2 + d5), lt(d2 + d5 - 1, 27)))
        rhs %b[d6, d4, d5, d3] : !w4 mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  return %r, %t : !y, !y
})";

// Two channels of each of the image, in bf16, by a stride; and those of groups with holes between
// channels of the image, which vectors of rows end within.
static const char kMultipliedChannels[] = R"(
!x = tensor<2x4x51x20xbf16>
!w = tensor<3x3x40xbf16>
!y = tensor<2x4x26x40xbf16>
!z = tensor<2x4x26x48xf32>
func.func @main(%x: !x, %w: !w) -> (!y, !z) {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w) shared [2, 4, 26, 40] -> !y {
    %s = loop.contract parallel [2, 4, 26, 40] reduction [3, 3]
        lhs %a[d0, d1 + d4 - 1, d2 * 2 + d5 - 1, floordiv(d3, 2)] : !x
            mask and(and(le(1, d1 + d4), lt(d1 + d4 - 1, 4)), and(le(1, d2 * 2 + d5), lt(d2 * 2 + d5 - 1, 51)))
        rhs %b[d4, d5, d3] : !w mask 1
        acc f32 : !y
    loop.return %s : !y
  }
  %t = loop.kernel @l ins(%a = %x : !x, %b = %w : !w) shared [2, 4, 26, 48] -> !z {
    %s = loop.contract parallel [2, 4, 26, 48] reduction [3, 3]
        lhs %a[d0, d1 + d4 - 1, d2 * 2 + d5 - 1, floordiv(d3, 8) * 3 + 1] : !x
            mask and(and(le(1, d1 + d4), lt(d1 + d4 - 1, 4)), and(le(1, d2 * 2 + d5), lt(d2 * 2 + d5 - 1, 51)))
        rhs %b[d4, d5, floordiv(d3, 2)] : !w mask 1
        acc f32 : !z
    loop.return %s : !z
  }
  return %r, %t : !y, !z
})";

// Two reductions over windows with different padding and what joins them, at each point:
// the largest element less the sum.
static const char kPooling[] = R"(
!x = tensor<?x5x?x21xf32, #guard.shape<[s0, 5, s1, 21]>>
func.func @main(%x: !x) -> (!x, !x) {
  %r:2 = loop.kernel @k ins(%a = %x : !x) shared [s0, 5, s1, 21] -> (!x, !x) {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : index
    %m = loop.reduce parallel (%n, %i, %j, %o) in [s0, 5, s1, 21]
        reduction (%k, %l) in [3, 3] <max> : !x {
      %v = loop.index (and(le(1, %i + %k), lt(%i + %k - 1, 5), le(1, %j + %l), lt(%j + %l - 1, s1)))
      %c = arith.cmpi eq, %v, %one : index
      %e = loop.load %a[%n, %i + %k - 1, %j + %l - 1, %o] mask %c, %low : !x
      loop.yield %e : f32
    }
    %s = loop.reduce parallel (%n, %i, %j, %o) in [s0, 5, s1, 21]
        reduction (%k, %l) in [1, 2] <sum> : !x {
      %v = loop.index (lt(%j + %l, s1))
      %c = arith.cmpi eq, %v, %one : index
      %e = loop.load %a[%n, %i + %k, %j + %l, %o] mask %c, %zero : !x
      loop.yield %e : f32
    }
    %d = loop.pointwise (%n, %i, %j, %o) in [s0, 5, s1, 21] : !x {
      %p = loop.load %m[%n, %i, %j, %o] : !x
      %q = loop.load %s[%n, %i, %j, %o] : !x
      %f = arith.subf %p, %q : f32
      loop.yield %f : f32
    }
    loop.return %d, %m : !x, !x
  }
  return %r#0, %r#1 : !x, !x
})";

// Images with their channels last give some with these first: columns of a tile are the end of
// one image and the begin of the next.
static const char kFirstFromLast[] = R"(
!x = tensor<3x6x8x24xf32>
!w = tensor<10x3x3x24xf32>
!b = tensor<10xf32>
!y = tensor<3x10x6x8xf32>
func.func @main(%x: !x, %w: !w, %p: !b) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b) shared [3, 10, 6, 8] -> !y {
    %s = loop.contract parallel [3, 10, 6, 8] reduction [3, 3, 24]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d6] : !x
            mask and(le(1, d2 + d4), lt(d2 + d4 - 1, 6), le(1, d3 + d5), lt(d3 + d5 - 1, 8))
        rhs %b[d1, d4, d5, d6] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %o, %i, %j) {
      %e = loop.load %c[%o] : !b
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

// Largest elements of rows that vectors end within: every second window, with padding at
// both ends, and in front; all windows, added to what the result may be placed over; and of rows
// that are whole vectors, in words of another type.
static const char kPooledRows[] = R"(
!x = tensor<?x9x75xf32, #guard.shape<[s0, 9, 75]>>
!y = tensor<?x5x38xf32, #guard.shape<[s0, 5, 38]>>
!z = tensor<?x4x37xf32, #guard.shape<[s0, 4, 37]>>
!w = tensor<?x6x64xbf16, #guard.shape<[s0, 6, 64]>>
func.func @main(%x: !x, %y: !x, %w: !w) -> (!y, !z, !x, !w) {
  %half = loop.kernel @half ins(%a = %x : !x) shared [s0, 5, 38] -> !y {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : index
    %m = loop.reduce parallel (%n, %i, %j) in [s0, 5, 38] reduction (%k, %l) in [3, 3] <max> : !y {
      %v = loop.index (and(le(0, %i * 2 + %k - 1), le(%i * 2 + %k - 1, 8), le(0, %j * 2 + %l - 1), le(%j * 2 + %l - 1, 74)))
      %c = arith.cmpi ne, %v, %zero : index
      %e = loop.load %a[%n, %i * 2 + %k - 1, %j * 2 + %l - 1] mask %c, %low : !x
      loop.yield %e : f32
    }
    loop.return %m : !y
  }
  %part = loop.kernel @part ins(%a = %x : !x) shared [s0, 4, 37] -> !z {
    %high = arith.constant 0x7F800000 : f32
    %zero = arith.constant 0 : index
    %m = loop.reduce parallel (%n, %i, %j) in [s0, 4, 37] reduction (%k, %l) in [2, 3] <min> : !z {
      %v = loop.index (le(0, %j * 2 + %l - 1))
      %c = arith.cmpi ne, %v, %zero : index
      %e = loop.load %a[%n, %i * 2 + %k, %j * 2 + %l - 1] mask %c, %high : !x
      loop.yield %e : f32
    }
    loop.return %m : !z
  }
  %all = loop.kernel @all ins(%a = %x : !x, %b = %y : !x) shared [s0, 9, 75] -> !x {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : index
    %m = loop.reduce parallel (%n, %i, %j) in [s0, 9, 75] reduction (%k, %l) in [1, 3] <max> : !x {
      %v = loop.index (and(le(0, %j + %l - 1), le(%j + %l - 1, 74)))
      %c = arith.cmpi ne, %v, %zero : index
      %e = loop.load %a[%n, %i + %k, %j + %l - 1] mask %c, %low : !x
      loop.yield %e : f32
    }
    %s = loop.pointwise (%n, %i, %j) in [s0, 9, 75] : !x {
      %p = loop.load %m[%n, %i, %j] : !x
      %q = loop.load %b[%n, %i, %j] : !x
      %f = arith.addf %p, %q : f32
      loop.yield %f : f32
    }
    loop.return %s : !x
  }
  %whole = loop.kernel @whole ins(%a = %w : !w) shared [s0, 6, 64] -> !w {
    %low = arith.constant 0xFF80 : bf16
    %zero = arith.constant 0 : index
    %m = loop.reduce parallel (%n, %i, %j) in [s0, 6, 64] reduction (%k, %l) in [3, 3] <max> : !w {
      %v = loop.index (and(le(0, %i + %k - 1), lt(%i + %k - 1, 6), le(0, %j + %l - 1), lt(%j + %l - 1, 64)))
      %c = arith.cmpi ne, %v, %zero : index
      %e = loop.load %a[%n, %i + %k - 1, %j + %l - 1] mask %c, %low : !w
      loop.yield %e : bf16
    }
    loop.return %m : !w
  }
  return %half, %part, %all, %whole : !y, !z, !x, !w
})";

// Groups of four channels that give twelve, of an image with its channels last: a matrix for
// each group, whose windows are read where they lie.
static const char kGroups[] = R"(
!x = tensor<?x5x?x12xf32, #guard.shape<[s0, 5, s1, 12]>>
!w = tensor<36x4x3x3xf32>
!b = tensor<36xf32>
!y = tensor<?x5x?x3x12xf32, #guard.shape<[s0, 5, s1, 3, 12]>>
func.func @main(%x: !x, %w: !w, %p: !b) -> !y {
  %r = loop.kernel @k ins(%a = %x : !x, %b = %w : !w, %c = %p : !b)
      shared [s0, 5, s1, 3, 12] -> !y {
    %s = loop.contract parallel [s0, 5, s1, 3, 12] reduction [3, 3, 4]
        lhs %a[d0, d1 + d5 - 1, d2 + d6 - 1, d3 * 4 + d7] : !x
            mask and(le(1, d1 + d5), lt(d1 + d5 - 1, 5), le(1, d2 + d6), lt(d2 + d6 - 1, s1))
        rhs %b[d3 * 12 + d4, d7, d5, d6] : !w mask 1
        acc f32 : !y epilogue (%acc, %n, %i, %j, %g, %o) {
      %e = loop.load %c[%g * 12 + %o] : !b
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %s : !y
  }
  return %r : !y
})";

llvm::ArrayRef<LoopCase> loop::getWindowCases() {
  static const std::vector<SymbolValues> images = {
      {{"s0", 1}, {"s1", 1}},  {{"s0", 2}, {"s1", 7}},
      {{"s0", 1}, {"s1", 16}}, {{"s0", 3}, {"s1", 33}},
      {{"s0", 0}, {"s1", 9}},  {{"s0", 2}, {"s1", 96}}};
  // Fewer, as a window of each channel is many elements for an interpreter.
  static const std::vector<SymbolValues> few = {
      {{"s0", 2}, {"s1", 1}}, {{"s0", 1}, {"s1", 8}}, {{"s0", 0}, {"s1", 9}}};
  static const LoopCase cases[] = {
      {"PaddedWindows", kPadded, images, 0, 1024},
      {"StridedWindows",
       kStrided,
       {{{"s0", 1}}, {{"s0", 4}}, {{"s0", 50}}, {{"s0", 400}}},
       0,
       4},
      {"WeightGradient", kWeightGradient, images, 0, 4096},
      {"WeightGradientLast", kWeightLast, {{}}, 0, 1024},
      {"RepeatedBorder", kRepeatedBorder, {{}}, 0, 1024},
      {"DimensionsApart", kApart, images, 0, 4096},
      {"SmallImages", kSmallImages, {{}}, 0, 1024},
      {"SmallStridedImages", kSmallStrided, {{}}, 0, 1024},
      {"FewColumns", kFewColumns, {{}}, 0, 1024},
      {"SingleElement", kSingle},
      {"ChannelsLast", kChannelsLast, images, 0, 1024},
      {"FarPlaces", kFarPlaces, images, 0, 1024},
      {"ManyChannels", kManyChannels, {{{"s0", 0}}, {{"s0", 1}}, {{"s0", 3}}}, 0, 4096},
      {"GroupsLast", kGroups, images, 0, 1024},
      {"FirstFromLast", kFirstFromLast, {{}}, 0, 4096},
      {"ChannelsFirst", kChannelsFirst, {{}}, 0, 1024},
      {"Depthwise", kDepthwise, few, 0, 1024},
      {"DepthwiseSpecial", kDepthwise, few, 0, 1024, /*special=*/true},
      {"DepthwiseKnown", kDepthwiseKnown, {{}}, 0, 1024},
      {"DepthwiseKnownSpecial", kDepthwiseKnown, {{}}, 0, 1024, /*special=*/true},
      {"NarrowGroups", kNarrowGroups, {{}}, 0, 1024},
      {"NarrowGroupsSpecial", kNarrowGroups, {{}}, 0, 1024, /*special=*/true},
      {"MultipliedChannels", kMultipliedChannels, {{}}, 0, 1024},
      {"Pooling", kPooling, few, 0, 1024},
      {"PoolingSpecial", kPooling, few, 0, 1024, /*special=*/true},
      {"PooledRows", kPooledRows, {{{"s0", 2}}, {{"s0", 0}}}},
      {"PooledRowsSpecial", kPooledRows, {{{"s0", 3}}}, 0, 64, /*special=*/true},
  };
  return cases;
}
