//===- SortedPointsTest.cpp - Scatters and sorts as a GPU has them --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `loop-sort-scatters` and `loop-split-sorts` make of nests, fused, scheduled and run on
// the interpreter of threads, gives what the nests gave: to the bit, since elements are joined
// in the same order.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

// Rows at places, without those of one place; the second has sums of 16 bits, of which
// each is rounded.
static const char kAddedRows[] = R"(
!z = tensor<11x8xf32>
!b = tensor<11x8xbf16>
!i = tensor<61xi64>
!g = tensor<61x8xf32>
func.func @main(%x: !z, %c: !b, %y: !i, %w: !g) -> (!z, !b) {
  %r = loop.scatter (%n, %d) in [61, 8] into %x <add> : !z {
    %i = loop.load %y[%n] : !i
    %p = arith.index_cast %i : i64 to index
    %e = loop.load %w[%n, %d] : !g
    %four = arith.constant 4 : i64
    %valid = arith.cmpi ne, %i, %four : i64
    loop.yield_at %e at [%p, %d] if %valid : f32
  }
  %s = loop.scatter (%n, %d) in [61, 8] into %c <add> : !b {
    %i = loop.load %y[%n] : !i
    %p = arith.index_cast %i : i64 to index
    %e = loop.load %w[%n, %d] : !g
    %third = arith.constant 0.3330078125 : f32
    %f = arith.mulf %e, %third : f32
    loop.yield_at %f at [%p, %d] : f32
  }
  return %r, %s : !z, !b
})";

// Two computed positions of points of two dimensions; the last write wins. A place for each
// column; and all points to one place.
static const char kComputedPlaces[] = R"(
!z = tensor<11x11xi8>
!i = tensor<5x13xi64>
!g = tensor<5x13xi8>
!o = tensor<11x13xf32>
!e = tensor<5x13xf32>
!t = tensor<3xf32>
func.func @main(%x: !z, %y: !i, %v: !i, %w: !g, %a: !o, %c: !e, %t: !t) -> (!z, !o, !t) {
  %r = loop.scatter (%m, %n) in [5, 13] into %x <set> : !z {
    %i = loop.load %y[%m, %n] : !i
    %p = arith.index_cast %i : i64 to index
    %j = loop.load %v[%m, %n] : !i
    %q = arith.index_cast %j : i64 to index
    %e = loop.load %w[%m, %n] : !g
    loop.yield_at %e at [%p, %q] : i8
  }
  %s = loop.scatter (%m, %n) in [5, 13] into %a <prod> : !o {
    %i = loop.load %y[%m, %n] : !i
    %p = arith.index_cast %i : i64 to index
    %e = loop.load %c[%m, %n] : !e
    loop.yield_at %e at [%p, %n] : f32
  }
  %u = loop.scatter (%m, %n) in [5, 13] into %t <add> : !t {
    %one = arith.constant 1 : index
    %e = loop.load %c[%m, %n] : !e
    loop.yield_at %e at [%one] : f32
  }
  return %r, %s, %u : !z, !o, !t
})";

// As many points as a call brings, none among them.
static const char kUnknownCount[] = R"(
!z = tensor<11x4xf32>
!i = tensor<?xi64, #guard.shape<[s0]>>
!g = tensor<?x4xf32, #guard.shape<[s0, 4]>>
func.func @main(%x: !z, %y: !i, %w: !g) -> !z {
  %r = loop.scatter (%n, %d) in [s0, 4] into %x <add> : !z {
    %i = loop.load %y[%n] : !i
    %p = arith.index_cast %i : i64 to index
    %e = loop.load %w[%n, %d] : !g
    loop.yield_at %e at [%p, %d] : f32
  }
  return %r : !z
})";

// Rows of 13 parts, the last of them short, whose keys are those that it is filled up with or
// less; along the first dimension; and by two keys.
static const char kRowsInParts[] = R"(
!k = tensor<3x100xi8>
!l = tensor<100xi8>
!n = tensor<100x3xi64>
!m = tensor<100xi64>
func.func @main(%x: !k, %y: !l) -> (!n, !m) {
  %r = loop.sort parallel (%i) in [3] along (%j) in [100] at 0 : !n {
    %e = loop.load %x[%i, %j] : !k
    %most = arith.constant 127 : i8
    %zero = arith.constant 0 : i8
    %large = arith.cmpi sgt, %e, %zero : i8
    %key = arith.select %large, %most, %e : i8
    loop.yield %key : i8
  }
  %s = loop.sort parallel () in [] along (%j) in [100] at 0 : !m {
    %e = loop.load %y[%j] : !l
    %f = loop.load %y[99 - %j] : !l
    loop.yield %e, %f : i8, i8
  }
  return %r, %s : !n, !m
})";

static void checkSorted(const LoopCase &test, bool deterministic = true) {
  checkPasses(
      test, deterministic,
      [](OpPassManager &pm) {
        OpPassManager &functions = pm.nest<func::FuncOp>();
        SortScattersPassOptions sorted;
        sorted.minPoints = 1;
        functions.addPass(createSortScattersPass(sorted));
        SplitSortsPassOptions split;
        split.part = 8;
        functions.addPass(createSplitSortsPass(split));
        functions.addPass(createFusePass());
        functions.addPass(createChooseSchedulePass());
      },
      [](ModuleOp module) {
        bool isGrouped = true;
        module.walk([&](ScatterOp op) { isGrouped &= op.getGrouped(); });
        EXPECT_TRUE(isGrouped);
      });
}

TEST(SortedPoints, RowsAreAddedInOrder) {
  checkSorted({"Rows", kAddedRows, {{}}, /*indexLimit=*/11, /*ulps=*/0});
}

TEST(SortedPoints, PlacesOfSeveralDimensionsAndColumns) {
  checkSorted({"Places", kComputedPlaces, {{}}, /*indexLimit=*/11, /*ulps=*/0});
}

TEST(SortedPoints, AnyNumberOfPoints) {
  checkSorted({"Unknown",
         kUnknownCount,
         {{{"s0", 0}}, {{"s0", 1}}, {{"s0", 23}}},
         /*indexLimit=*/11,
         /*ulps=*/0});
}

TEST(SortedPoints, PartsOfRowsAreMerged) {
  checkSorted({"Sorts", kRowsInParts, {{}}, /*indexLimit=*/0, /*ulps=*/0});
  checkSorted({"FewKeys", kRowsInParts, {{}}, /*indexLimit=*/3, /*ulps=*/0});
}
