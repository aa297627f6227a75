//===- ScanTilesTest.cpp - Scans of long rows as a GPU has them -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans whose rows are in tiles, run on the interpreter of threads, give what the scans gave:
// integers, extrema and places to the bit, sums of floats up to the order in which they are
// joined. Rows are of several groups of tiles, or of one, and end within a vector, within a
// tile, or with one.
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
struct ScanSchedule {
  int64_t threads, lanes, steps, group;
};
class ScanTiles : public testing::TestWithParam<ScanSchedule> {
protected:
  void check(const LoopCase &test);
};
} // namespace

// Wrapping sums of two words, with nests before and behind, the largest of unsigned bytes along
// the first dimension, a running maximum with its place, whose start is neutral on its left
// alone.
static const char kExact[] = R"(
!m = tensor<3x1031xi64>
!u = tensor<1280x2xui8>
!f = tensor<2x769xf32>
!p = tensor<2x769xi64>
func.func @main(%x: !m, %y: !u, %z: !f) -> (!m, !m, !u, !f, !p) {
  %r:2 = loop.kernel @sums ins(%a = %x : !m) shared [3] -> (!m, !m) {
    %b = loop.pointwise (%i, %j) in [3, 1031] : !m {
      %e = loop.load %a[%i, %j] : !m
      %q = arith.muli %e, %e : i64
      loop.yield %q : i64
    }
    %s = loop.scan parallel (%i) in [3] along (%j) in [1031] at 1 <sum> : !m {
      %e = loop.load %b[%i, %j] : !m
      loop.yield %e : i64
    }
    %t = loop.pointwise (%i, %j) in [3, 1031] : !m {
      %e = loop.load %s[%i, %j] : !m
      %g = loop.load %b[%i, %j] : !m
      %h = loop.load %a[%i, 1030 - %j] : !m
      %k = arith.subi %e, %g : i64
      %l = arith.xori %k, %h : i64
      loop.yield %l : i64
    }
    loop.return %s, %t : !m, !m
  }
  %t = loop.kernel @bytes ins(%a = %y : !u) shared [2] -> !u {
    %t = loop.scan parallel (%i) in [2] along (%j) in [1280] at 0 <max> : !u {
      %e = loop.load %a[%j, %i] : !u
      loop.yield %e : i8
    }
    loop.return %t : !u
  }
  %v:2 = loop.kernel @places ins(%a = %z : !f) shared [2] -> (!f, !p) {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    %v, %p = loop.scan parallel (%i) in [2] along (%j) in [769] at 1 <generic>
        init(%low, %zero : f32, i64) : !f, !p {
      %e = loop.load %a[%i, %j] : !f
      %k = arith.index_cast %j : index to i64
      loop.yield %e, %k : f32, i64
    } combine (%u: f32, %k: i64, %w: f32, %l: i64) {
      %g = arith.cmpf oge, %w, %u : f32
      %o = arith.cmpf uno, %w, %w : f32
      %c = arith.ori %g, %o : i1
      %m = arith.select %c, %w, %u : f32
      %n = arith.select %c, %l, %k : i64
      loop.yield %m, %n : f32, i64
    }
    loop.return %v, %p : !f, !p
  }
  return %r#0, %r#1, %t, %v#0, %v#1 : !m, !m, !u, !f, !p
})";

// Sums in f32 of numbers of 16 bits, each of which is rounded once, with what reads them; sums
// of f32 in f64; x -> p * x + q after each other, whose order counts.
static const char kRounded[] = R"(
!b = tensor<2x1024xbf16>
!f = tensor<1027xf32>
func.func @main(%x: !b, %y: !f) -> (!b, !f, !f) {
  %r = loop.kernel @halves ins(%a = %x : !b) shared [2] -> !b {
    %s = loop.scan parallel (%i) in [2] along (%j) in [1024] at 1 <sum> : !b {
      %e = loop.load %a[%i, %j] : !b
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    %n = loop.pointwise (%i, %j) in [2, 1024] : !b {
      %e = loop.load %s[%i, %j] : !b
      %n = arith.negf %e : bf16
      loop.yield %n : bf16
    }
    loop.return %n : !b
  }
  %t = loop.kernel @wide ins(%a = %y : !f) shared [] -> !f {
    %t = loop.scan parallel () in [] along (%j) in [1027] at 0 <sum> : !f {
      %e = loop.load %a[%j] : !f
      %w = arith.extf %e : f32 to f64
      loop.yield %w : f64
    }
    loop.return %t : !f
  }
  %m:2 = loop.kernel @maps ins(%a = %y : !f) shared [] -> (!f, !f) {
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %u:2 = loop.scan parallel () in [] along (%j) in [1027] at 0 <generic>
        init(%one, %zero : f32, f32) : !f, !f {
      %e = loop.load %a[%j] : !f
      loop.yield %half, %e : f32, f32
    } combine (%u: f32, %v: f32, %w: f32, %z: f32) {
      %p = arith.mulf %u, %w : f32
      %q = arith.mulf %v, %w : f32
      %o = arith.addf %q, %z : f32
      loop.yield %p, %o : f32, f32
    }
    loop.return %u#0, %u#1 : !f, !f
  }
  return %r, %t, %m#1 : !b, !f, !f
})";

// As many elements as a call brings, none among them.
static const char kUnknownLength[] = R"(
!m = tensor<2x?xf32, #guard.shape<[2, s0]>>
func.func @main(%x: !m) -> !m {
  %r = loop.kernel @k ins(%a = %x : !m) shared [2] -> !m {
    %s = loop.scan parallel (%i) in [2] along (%j) in [s0] at 1 <sum> : !m {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : f32
    }
    loop.return %s : !m
  }
  return %r : !m
})";

void ScanTiles::check(const LoopCase &test) {
  ScanSchedule s = GetParam();
  for (IndexWidth width : {IndexWidth::Narrow, IndexWidth::Wide})
    checkLowering(
        test,
        [&](KernelOp kernel) {
          auto schedule = GPUScanScheduleAttr::get(
              kernel.getContext(), s.threads, s.lanes, s.steps, s.group);
          kernel.setScheduleAttr(schedule);
          EXPECT_TRUE(succeeded(schedule.verifyKernel(kernel)));
        },
        lowerToNVVM,
        [&](ModuleOp module, ArrayRef<Array> arguments,
            const SymbolValues &symbols) {
          return runGrids(module, width, arguments, symbols);
        });
}

TEST_P(ScanTiles, IntegersAndPlaces) {
  check({"Exact", kExact, {{}}, /*indexLimit=*/0, /*ulps=*/0});
}

TEST_P(ScanTiles, NotANumberStays) {
  LoopCase test{"Special", kExact, {{}}, /*indexLimit=*/0, /*ulps=*/0};
  test.special = true;
  check(test);
}

TEST_P(ScanTiles, SumsAreRoundedOnce) { check({"Rounded", kRounded}); }

TEST_P(ScanTiles, AnyNumberOfElements) {
  check({"Unknown",
         kUnknownLength,
         {{{"s0", 0}}, {{"s0", 1}}, {{"s0", 4}}, {{"s0", 61}}, {{"s0", 768}}}});
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, ScanTiles,
    testing::Values(ScanSchedule{64, 1, 1, 1}, ScanSchedule{64, 1, 1, 4},
                    ScanSchedule{64, 2, 2, 2}, ScanSchedule{64, 4, 1, 1024},
                    ScanSchedule{128, 4, 2, 64}, ScanSchedule{64, 8, 1, 128}),
    [](const testing::TestParamInfo<ScanSchedule> &info) {
      const ScanSchedule &s = info.param;
      return "Threads" + std::to_string(s.threads) + "Lanes" +
             std::to_string(s.lanes) + "Steps" + std::to_string(s.steps) +
             "Group" + std::to_string(s.group);
    });
