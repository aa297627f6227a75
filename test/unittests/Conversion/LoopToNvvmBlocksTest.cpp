//===- LoopToNvvmBlocksTest.cpp - Products and rows on a GPU --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two products in one walk, on the interpreter of threads, under several schedules. With
// KILN_GRID_CASES each run is written for a machine with a GPU, as in LoopToNvvmTest.cpp.
// What warpgroups do is compiled here, and runs there alone.
//
//===----------------------------------------------------------------------===//

#include "GridExport.h"
#include "GridSchedules.h"
#include "OnlineCases.h"

#include "kiln/Analysis/OnlineRows.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
class LoopToNvvmBlocks
    : public testing::TestWithParam<std::tuple<LoopCase, Blocks>> {};
} // namespace

TEST_P(LoopToNvvmBlocks, GivesTheInterpretersValues) {
  const auto &[test, blocks] = GetParam();
  checkLowering(
      test,
      [&blocks = blocks](KernelOp kernel) {
        ScheduleAttr attr = getSchedule(kernel, blocks);
        ASSERT_TRUE((isa_and_present<GPUBlocksScheduleAttr,
                                     GPUColumnPartsScheduleAttr>(attr)));
        kernel.setScheduleAttr(attr);
        EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
      },
      lowerToNVVM,
      [&test = test, &blocks = blocks](ModuleOp module,
                                       ArrayRef<Array> arguments,
                                       const SymbolValues &symbols) {
        GridRecord record;
        std::vector<Array> results =
            runGrids(module, blocks.width, arguments, symbols, &record);
        if (const char *folder = std::getenv("KILN_GRID_CASES"))
          exportGrids(folder, std::string(test.name) + "-" + blocks.name, module,
                      record, test.ulps);
        return results;
      });
}

namespace {
class LoopToNvvmWarpgroups
    : public testing::TestWithParam<std::tuple<LoopCase, Warpgroups>> {};
} // namespace

TEST_P(LoopToNvvmWarpgroups, AreCompiled) {
  const auto &[test, blocks] = GetParam();
  checkLowering(
      test,
      [&blocks = blocks](KernelOp kernel) {
        kernel.setScheduleAttr(getSchedule(kernel, blocks));
      },
      lowerToNVVM,
      [&test = test, &blocks = blocks](ModuleOp module,
                                       ArrayRef<Array> arguments,
                                       const SymbolValues &symbols) {
        auto source =
            parseSourceString<ModuleOp>(test.text, module.getContext());
        std::vector<Array> expected = interpretOnce(
            test, source->lookupSymbol<func::FuncOp>("main"), arguments, symbols);
        GridRecord record;
        recordGrids(module, blocks.width, arguments, expected, symbols, record);
        // Sums that are added have a function before and one behind.
        size_t others = blocks.isAdded ? 2 : 0;
        EXPECT_GE(record.maps.size(), 3 * (record.steps.size() - others));
        for (const GridRecord::Step &step : record.steps) {
          StringRef text = compilePTX(step.function->getParentOp(), "sm_90a");
          EXPECT_TRUE(text.contains("wgmma.mma_async"));
          EXPECT_EQ(text.contains("cp.reduce.async.bulk"),
                    blocks.isAdded);
        }
        if (const char *folder = std::getenv("KILN_GRID_CASES"))
          exportGrids(folder, std::string(test.name) + "-" + blocks.name, module,
                      record, test.ulps);
        return expected;
      });
}

TEST(LoopToNvvmBlocksChoice, SaysWhyAKernelHasNoSuchSchedule) {
  std::unique_ptr<MLIRContext> context = makeLoopContext();
  for (const RefusedCase &test : getRefusedCases()) {
    SCOPED_TRACE(test.why);
    auto module = parseSourceString<ModuleOp>(test.text, context.get());
    ASSERT_TRUE(module);
    analysis::SizeHints hints(*module);
    module->walk([&](KernelOp kernel) {
      auto strides = analysis::getInputStrides(kernel);
      ASSERT_TRUE(succeeded(strides));
      StringRef why;
      EXPECT_FALSE(chooseGPUBlocks(kernel, *strides, GPUMachine{}, hints, why));
      EXPECT_TRUE(why.contains(test.why)) << why.str();
    });
  }
}

TEST(LoopToNvvmBlocksChoice, WalksSeveralTimesWhereWeightsAreNotKnownAsColumnsCome) {
  std::unique_ptr<MLIRContext> context = makeLoopContext();
  for (const RefusedCase &test : getOfflineCases()) {
    auto module = parseSourceString<ModuleOp>(test.text, context.get());
    ASSERT_TRUE(module);
    analysis::SizeHints hints(*module);
    module->walk([&](KernelOp kernel) {
      auto strides = analysis::getInputStrides(kernel);
      ASSERT_TRUE(succeeded(strides));
      StringRef why;
      EXPECT_FALSE(analysis::getOnlineRows(kernel, *strides, why));
      EXPECT_TRUE(why.contains(test.why)) << why.str();
      EXPECT_TRUE(chooseGPUBlocks(kernel, *strides, GPUMachine{}, hints, why))
          << why.str();
    });
  }
}

static std::string
getBlocksName(const testing::TestParamInfo<LoopToNvvmBlocks::ParamType> &info) {
  return std::string(std::get<0>(info.param).name) + "_" +
         std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Cases, LoopToNvvmBlocks,
                         testing::Combine(testing::ValuesIn(getOnlineCases()),
                                          testing::ValuesIn(getBlocks())),
                         getBlocksName);

// As rows come, or in longer parts.
INSTANTIATE_TEST_SUITE_P(
    Odd, LoopToNvvmBlocks,
    testing::Combine(testing::ValuesIn(getOddCases()),
                     testing::ValuesIn(getBlocks().take_front(2))),
    getBlocksName);

INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToNvvmWarpgroups,
    testing::Combine(testing::ValuesIn(getBroughtCases()),
                     testing::ValuesIn(getWarpgroups())),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(
    Walks, LoopToNvvmWarpgroups,
    testing::Combine(testing::ValuesIn(getBroughtWalkCases()),
                     testing::ValuesIn(getWarpgroupWalks())),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(
    Added, LoopToNvvmWarpgroups,
    testing::Combine(testing::ValuesIn(getAddedWalkCases()),
                     testing::ValuesIn(getAddedWalks())),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(Walks, LoopToNvvmBlocks,
                         testing::Combine(testing::ValuesIn(getWalkCases()),
                                          testing::ValuesIn(getWalks())),
                         getBlocksName);
