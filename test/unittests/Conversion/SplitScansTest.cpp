//===- SplitScansTest.cpp - Scans of long rows as a GPU has them ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `loop-split-scans` makes of scans, fused, scheduled and run on the interpreter of
// threads, gives what the scans gave: integers, extrema and places to the bit, sums of floats
// up to the order in which they are joined.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

// Parts of 4, the last one short: wrapping sums, the largest of unsigned bytes along the
// first dimension, a running maximum with its place.
static const char kExact[] = R"(
!m = tensor<3x45xi32>
!u = tensor<50x2xui8>
!f = tensor<2x47xf32>
!p = tensor<2x47xi64>
func.func @main(%x: !m, %y: !u, %z: !f) -> (!m, !u, !f, !p) {
  %s = loop.scan parallel (%i) in [3] along (%j) in [45] at 1 <sum> : !m {
    %e = loop.load %x[%i, %j] : !m
    loop.yield %e : i32
  }
  %t = loop.scan parallel (%i) in [2] along (%j) in [50] at 0 <max> : !u {
    %e = loop.load %y[%j, %i] : !u
    loop.yield %e : i8
  }
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %v, %p = loop.scan parallel (%i) in [2] along (%j) in [47] at 1 <generic>
      init(%low, %zero : f32, i64) : !f, !p {
    %e = loop.load %z[%i, %j] : !f
    %k = arith.index_cast %j : index to i64
    loop.yield %e, %k : f32, i64
  } combine (%u: f32, %k: i64, %w: f32, %l: i64) {
    %c = arith.cmpf oge, %w, %u : f32
    %m = arith.select %c, %w, %u : f32
    %n = arith.select %c, %l, %k : i64
    loop.yield %m, %n : f32, i64
  }
  return %s, %t, %v, %p : !m, !u, !f, !p
})";

// Sums in f32 of numbers of 16 bits, each of which is rounded once, with what reads them; and
// sums of f32 in f64.
static const char kRounded[] = R"(
!b = tensor<2x64xbf16>
!f = tensor<70xf32>
func.func @main(%x: !b, %y: !f) -> (!b, !b, !f) {
  %s = loop.scan parallel (%i) in [2] along (%j) in [64] at 1 <sum> : !b {
    %e = loop.load %x[%i, %j] : !b
    %f = arith.extf %e : bf16 to f32
    loop.yield %f : f32
  }
  %r = loop.pointwise (%i, %j) in [2, 64] : !b {
    %e = loop.load %s[%i, 63 - %j] : !b
    %n = arith.negf %e : bf16
    loop.yield %n : bf16
  }
  %t = loop.scan parallel () in [] along (%j) in [70] at 0 <sum> : !f {
    %e = loop.load %y[%j] : !f
    %w = arith.extf %e : f32 to f64
    loop.yield %w : f64
  }
  return %s, %r, %t : !b, !b, !f
})";

// As many elements as a call brings, none among them.
static const char kUnknownLength[] = R"(
!m = tensor<2x?xf32, #guard.shape<[2, s0]>>
func.func @main(%x: !m) -> !m {
  %s = loop.scan parallel (%i) in [2] along (%j) in [s0] at 1 <sum> : !m {
    %e = loop.load %x[%i, %j] : !m
    loop.yield %e : f32
  }
  return %s : !m
})";

static void checkSplit(const LoopCase &test) {
  checkPasses(
      test, /*deterministic=*/true,
      [](OpPassManager &pm) {
        OpPassManager &functions = pm.nest<func::FuncOp>();
        SplitScansPassOptions split;
        split.part = 4;
        functions.addPass(createSplitScansPass(split));
        functions.addPass(createFusePass());
        // What a combiner starts from stands in its kernel.
        functions.addPass(createCanonicalizerPass());
        functions.addPass(createChooseSchedulePass());
      },
      [](ModuleOp module) {
        unsigned parts = 0;
        module.walk(
            [&](ScanOp op) { parts += op.getRowExtent().getConstant() == 4; });
        EXPECT_GT(parts, 0u);
      });
}

TEST(SplitScans, IntegersAndPlaces) {
  checkSplit({"Exact", kExact, {{}}, /*indexLimit=*/0, /*ulps=*/0});
}

TEST(SplitScans, NotANumberStays) {
  LoopCase test{"Special", kExact, {{}}, /*indexLimit=*/0, /*ulps=*/0};
  test.special = true;
  checkSplit(test);
}

TEST(SplitScans, SumsAreRoundedOnce) {
  checkSplit({"Rounded", kRounded});
}

TEST(SplitScans, AnyNumberOfElements) {
  checkSplit({"Unknown",
              kUnknownLength,
              {{{"s0", 0}}, {{"s0", 1}}, {{"s0", 4}}, {{"s0", 61}}}});
}
