//===- LoopToNvvmTest.cpp - Values of kernels for a GPU -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case runs under several schedules and both widths of indices, on an interpreter
// of threads that reports races and accesses out of bounds. With KILN_GRID_CASES, the name
// of a folder, each is also written there for a machine with a GPU of KILN_GRID_CHIP, or
// any (test/Integration/GPU).
//
//===----------------------------------------------------------------------===//

#include "GridExport.h"
#include "GridSchedules.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

class LoopToNvvm
    : public testing::TestWithParam<std::tuple<LoopCase, Schedule>> {};

} // namespace

/// A target that permits factors of f32 to be rounded.
static GPUTargetAttr getRoundingTarget(MLIRContext *context) {
  return GPUTargetAttr::get(context, "sm_80", 108, 2048, 65536, 166912,
                            41943040, /*tf32=*/true, /*conv_tf32=*/false,
                            /*deterministic=*/false);
}

/// A target that copies nothing ahead.
static GPUTargetAttr getTuring(MLIRContext *context) {
  return GPUTargetAttr::get(context, "sm_75", 40, 1024, 65536, 65536, 4194304,
                            /*tf32=*/false, /*conv_tf32=*/false,
                            /*deterministic=*/false);
}

TEST_P(LoopToNvvm, GivesTheInterpretersValues) {
  auto [test, schedule] = GetParam();
  if (schedule.way == Way::Rounded)
    test.ulps *= 1 << 9; // A rounded factor is off by 2^-11, f32 by 2^-24.
  checkLowering(
      test,
      [&schedule = schedule](KernelOp kernel) {
        auto setTarget = [&](GPUTargetAttr target) {
          kernel->getParentOfType<ModuleOp>()->setAttr(kTargetAttrName, target);
        };
        if (schedule.way == Way::Rounded)
          setTarget(getRoundingTarget(kernel.getContext()));
        else if (schedule.way == Way::Early)
          setTarget(getTuring(kernel.getContext()));
        else if (schedule.way == Way::Vector &&
                 !kernel.getBody().getOps<ScatterOp>().empty())
          setTarget(getHopper(kernel.getContext(), /*deterministic=*/false));
        ScheduleAttr attr = getSchedule(kernel, schedule);
        kernel.setScheduleAttr(attr);
        EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
      },
      lowerToNVVM,
      [&test = test, &schedule = schedule](ModuleOp module,
                                           ArrayRef<Array> arguments,
                                           const SymbolValues &symbols) {
        GridRecord record;
        std::vector<Array> results =
            runGrids(module, schedule.width, arguments, symbols, &record);
        if (const char *folder = std::getenv("KILN_GRID_CASES"))
          exportGrids(folder, std::string(test.name) + "-" + schedule.name,
                      module, record, test.ulps);
        return results;
      });
}

// The mean of each row, at each of its elements.
static const char kMeans[] = R"(
!a = tensor<6x96xf32>
!f = tensor<6xf32>
func.func @main(%x: !a) -> !a {
  %r = loop.kernel @k ins(%a = %x : !a) shared [6] -> !a {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %m, %q, %n = loop.reduce parallel (%i) in [6] reduction (%j) in [96]
        <welford> : !f, !f, !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e, %zero, %one : f32, f32, f32
    }
    %p = loop.pointwise (%i, %j) in [6, 96] : !a {
      %u = loop.load %m[%i] : !f
      loop.yield %u : f32
    }
    loop.return %p : !a
  }
  return %r : !a
})";

/// Welford's formula is not symmetric: threads of a row must not each take their own
/// share of it as the first.
TEST(LoopToNvvmRows, ThreadsOfARowHaveTheSameBits) {
  for (int64_t threads : {4, 32, 128}) {
    SCOPED_TRACE(threads);
    checkLowering(
        LoopCase{"Means", kMeans},
        [&](KernelOp kernel) {
          kernel.setScheduleAttr(GPURowsScheduleAttr::get(
              kernel.getContext(), threads, std::max<int64_t>(32 / threads, 1),
              /*lanes=*/1, /*steps=*/0, /*stages=*/0));
        },
        lowerToNVVM,
        [](ModuleOp module, ArrayRef<Array> arguments,
           const SymbolValues &symbols) {
          std::vector<Array> results = runGrids(module, IndexWidth::Narrow,
                                                arguments, symbols, nullptr);
          for (int64_t i = 0; i < 6; ++i)
            for (int64_t j = 1; j < 96; ++j)
              EXPECT_EQ(results[0].at({i, j}).real, results[0].at({i, 0}).real)
                  << "row " << i << ", element " << j;
          return results;
        });
  }
}

// A product of 75 rows, in tiles of 32, and sums of its columns once they are rounded.
static const char kTileSums[] = R"(
!a = tensor<3x25x24xbf16>
!b = tensor<24x40xbf16>
!c = tensor<3x25x40xbf16>
!m = tensor<40xf32>
!s = tensor<3x40xf32>
!d = tensor<3x40xf64>
func.func @main(%x: !a, %y: !b, %m: !m) -> (!c, !s, !d, !d) {
  %r:4 = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %n = %m : !m)
      shared [] -> (!c, !s, !d, !d) {
    %c = loop.contract parallel [3, 25, 40] reduction [24]
        lhs %a[d0, d1, d3] : !a rhs %b[d3, d2] : !b acc f32 : !c
        epilogue (%acc, %i, %j, %k) {
      %e = loop.load %n[%k] : !m
      %f = arith.addf %acc, %e : f32
      %g = arith.truncf %f : f32 to bf16
      loop.yield %g : bf16
    }
    %s = loop.reduce parallel (%p, %j) in [3, 40] reduction (%r) in [32] <sum> : !s {
      %zero = arith.constant 0.0 : f32
      %none = arith.constant 0.0 : bf16
      %c0 = arith.constant 0 : index
      %is = loop.index (lt(%p * 32 + %r, 75))
      %there = arith.cmpi ne, %is, %c0 : index
      %e = loop.load %c[floordiv(%p * 32 + %r, 25), mod(%p * 32 + %r, 25), %j]
          mask %there, %none : !c
      %f = arith.extf %e : bf16 to f32
      %v = arith.select %there, %f, %zero : f32
      loop.yield %v : f32
    }
    %d = loop.reduce parallel (%p, %j) in [3, 40] reduction (%r) in [32] <sum> : !d {
      %zero = arith.constant 0.0 : f64
      %none = arith.constant 0.0 : bf16
      %c0 = arith.constant 0 : index
      %is = loop.index (lt(%p * 32 + %r, 75))
      %there = arith.cmpi ne, %is, %c0 : index
      %e = loop.load %c[floordiv(%p * 32 + %r, 25), mod(%p * 32 + %r, 25), %j]
          mask %there, %none : !c
      %f = arith.extf %e : bf16 to f64
      %o = loop.load %n[%j] : !m
      %t = arith.extf %o : f32 to f64
      %u = arith.subf %f, %t : f64
      %q = arith.mulf %u, %u : f64
      %v = arith.select %there, %q, %zero : f64
      loop.yield %v : f64
    }
    %h = loop.reduce parallel (%p, %j) in [3, 40] reduction (%r) in [32] <sum>
        attributes {kiln.short_sums} : !d {
      %zero = arith.constant 0.0 : f64
      %none = arith.constant 0.0 : bf16
      %c0 = arith.constant 0 : index
      %is = loop.index (lt(%p * 32 + %r, 75))
      %there = arith.cmpi ne, %is, %c0 : index
      %e = loop.load %c[floordiv(%p * 32 + %r, 25), mod(%p * 32 + %r, 25), %j]
          mask %there, %none : !c
      %f = arith.extf %e : bf16 to f64
      %q = arith.mulf %f, %f : f64
      %v = arith.select %there, %q, %zero : f64
      loop.yield %v : f64
    }
    loop.return %c, %s, %d, %h : !c, !s, !d, !d
  }
  return %r#0, %r#1, %r#2, %r#3 : !c, !s, !d, !d
})";

/// All of it is exact but the rounding of the result: sums are of what was stored.
TEST(LoopToNvvmProducts, SumUpTheRowsOfTheirTiles) {
  for (auto [width, lanes] : {std::pair(IndexWidth::Narrow, 4),
                              std::pair(IndexWidth::Wide, 1)}) {
    SCOPED_TRACE(lanes);
    checkLowering(
        LoopCase{"TileSums", kTileSums, {{}}, 0, /*ulps=*/0},
        [lanes = lanes](KernelOp kernel) {
          auto attr = GPUProductScheduleAttr::get(
              kernel.getContext(), ProductUnit::Mma, /*rows=*/32,
              /*columns=*/32, /*sum=*/16, /*part_rows=*/16, /*part_columns=*/16,
              /*stages=*/2, lanes, /*group=*/2, /*split=*/1, /*blocks=*/0,
              /*cluster=*/1, /*turns=*/1, GPULibrary::None);
          kernel.setScheduleAttr(attr);
          EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
        },
        lowerToNVVM,
        [width = width](ModuleOp module, ArrayRef<Array> arguments,
                        const SymbolValues &symbols) {
          return runGrids(module, width, arguments, symbols, nullptr);
        });
  }
}

// Columns that are reduced in one part, with what follows them.
static const char kOnePart[] = R"(
!a = tensor<45x13xf32>
!d = tensor<13xf64>
!f = tensor<13xf32>
func.func @main(%x: !a) -> (!f, !f) {
  %r:2 = loop.kernel @k ins(%a = %x : !a) shared [13] -> (!f, !f) {
    %s = loop.reduce parallel (%j) in [13] reduction (%i) in [45] <sum> : !d {
      %e = loop.load %a[%i, %j] : !a
      %f = arith.extf %e : f32 to f64
      loop.yield %f : f64
    }
    %m = loop.reduce parallel (%j) in [13] reduction (%i) in [45] <max> : !f {
      %e = loop.load %a[%i, %j] : !a
      loop.yield %e : f32
    }
    %p = loop.pointwise (%j) in [13] : !f {
      %e = loop.load %s[%j] : !d
      %f = arith.truncf %e : f64 to f32
      %g = loop.load %m[%j] : !f
      %h = arith.mulf %f, %g : f32
      loop.yield %h : f32
    }
    loop.return %m, %p : !f, !f
  }
  return %r#0, %r#1 : !f, !f
})";

TEST(LoopToNvvmParts, OneIsOneFunction) {
  for (int64_t columns : {4, 8}) {
    SCOPED_TRACE(columns);
    checkLowering(
        LoopCase{"OnePart", kOnePart},
        [&](KernelOp kernel) {
          kernel.setScheduleAttr(GPUPartsScheduleAttr::get(
              kernel.getContext(), /*threads=*/64, /*lanes=*/1, /*parts=*/1,
              columns));
        },
        lowerToNVVM,
        [](ModuleOp module, ArrayRef<Array> arguments,
           const SymbolValues &symbols) {
          return runGrids(module, IndexWidth::Narrow, arguments, symbols,
                          nullptr);
        });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToNvvm, testing::ValuesIn(getRuns()),
    [](const testing::TestParamInfo<LoopToNvvm::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });
