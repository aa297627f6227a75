//===- LoopToScfTest.cpp - Values of directly emitted kernels -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case runs under several schedules: a schedule may change how fast a
// kernel is, and never what it computes.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

#include "kiln/Analysis/Blocks.h"
#include "kiln/Analysis/PackedAhead.h"
#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/IR/Weights.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Target/CPU/CPUTarget.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

enum class CPUWay {
  Across,
  Within,    ///< lanes along rows
  Beside,    ///< rows of reductions beside each other
  Transpose, ///< where something is read across memory
  Chosen,    ///< as chosen for vectors of so many lanes of f32
  Panels     ///< products in panels of few columns and steps
};

struct CPUSchedule {
  const char *name;
  CPUWay way;
  int64_t lanes;
  bool masked = false;
  bool isAhead = false; ///< panels are made by a kernel of their own, where they can be
  bool streams = false; ///< every result, past the caches
  int64_t points = 1;   ///< of an item
  bool ofWords = false; ///< bf16 by pairs, bytes by fours, where this machine multiplies them so
};

constexpr CPUSchedule kCPUSchedules[] = {
    {"Scalar", CPUWay::Across, 1},
    {"Across16", CPUWay::Across, 16},
    {"MaskedAcross8", CPUWay::Across, 8, true},
    {"PointsAcross16", CPUWay::Across, 16, false, false, false, 4},
    {"MaskedPointsAcross8", CPUWay::Across, 8, true, false, false, 3},
    {"Within8", CPUWay::Within, 8},
    {"MaskedWithin16", CPUWay::Within, 16, true},
    {"MaskedBeside4", CPUWay::Beside, 4, true},
    {"StreamedAcross16", CPUWay::Across, 16, false, /*isAhead=*/false, true},
    {"MaskedStreamedAcross16", CPUWay::Across, 16, true, /*isAhead=*/false, true},
    {"StreamedWithin16", CPUWay::Within, 16, false, /*isAhead=*/false, true},
    {"MaskedStreamedWithin16", CPUWay::Within, 16, true, /*isAhead=*/false, true},
    {"Transpose16", CPUWay::Transpose, 16, true},
    {"StreamedTranspose16", CPUWay::Transpose, 16, true, /*isAhead=*/false, true},
    {"Chosen8", CPUWay::Chosen, 8},
    {"MaskedChosen16", CPUWay::Chosen, 16, true},
    {"WordsChosen16", CPUWay::Chosen, 16, true, false, false, 1, /*ofWords=*/true},
};

/// Of products: blocks of k that are not full, and items of which some are empty.
constexpr CPUSchedule kAheadSchedules[] = {
    {"PanelsAhead8", CPUWay::Panels, 8, false, true},
    {"MaskedPanels16", CPUWay::Panels, 16, true},
    {"MaskedPanelsAhead16", CPUWay::Panels, 16, true, true},
    {"MaskedChosenAhead16", CPUWay::Chosen, 16, true, true},
    {"WordPanelsAhead16", CPUWay::Panels, 16, true, true, false, 1, /*ofWords=*/true},
    {"WordsChosenAhead16", CPUWay::Chosen, 16, true, true, false, 1, /*ofWords=*/true},
};

class LoopToScf
    : public testing::TestWithParam<std::tuple<LoopCase, CPUSchedule>> {};

} // namespace

static SmallVector<int64_t> getStream(KernelOp kernel,
                                      const CPUSchedule &schedule) {
  return llvm::to_vector(llvm::seq<int64_t>(
      0, schedule.streams ? kernel.getNumResults() : 0));
}

static ScheduleAttr getWithin(KernelOp kernel, const CPUSchedule &schedule) {
  SmallVector<int64_t> along, beside;
  for (NestOpInterface nest : kernel.getNests()) {
    auto parts = getRowParts(kernel, nest);
    bool isBeside =
        parts || (schedule.way == CPUWay::Beside && nest.isReduction() &&
                  nest.getDomain().parallel.size() > kernel.getShared().size());
    auto scan = dyn_cast<ScanOp>(nest.getOperation());
    bool hasLanes = !nest.isOrdered() || (scan && scan.getCombiner().empty());
    along.push_back(isBeside || !hasLanes ? 1 : schedule.lanes);
    beside.push_back(isBeside ? schedule.lanes : 1);
  }
  return WithinScheduleAttr::get(kernel.getContext(), along, beside,
                                 /*sum_block=*/4, schedule.masked,
                                 /*grain=*/1, getStream(kernel, schedule));
}

/// `words`, where this machine has the instruction.
static DotUnit getUnit(const CPUSchedule &schedule, DotUnit words) {
  static const auto native = target::CPUTarget::parse("native");
  kiln_cpu_feature feature =
      words == DotUnit::Pairs ? KILN_CPU_AVX512_BF16 : KILN_CPU_AVX512_VNNI;
  return schedule.ofWords && native && native->hasFeature(feature)
             ? words
             : DotUnit::Fma;
}

/// Blocks of few rows, which end within tiles, and products of several passes.
static ScheduleAttr getBlocks(KernelOp kernel, const CPUSchedule &schedule) {
  MLIRContext *context = kernel.getContext();
  int64_t lanes = std::max<int64_t>(schedule.lanes, 2);
  auto product = PackedScheduleAttr::get(
      context, lanes, /*tile_rows=*/3, /*tile_columns=*/2 * lanes,
      /*block_rows=*/6, /*block_depth=*/lanes, /*item_rows=*/6,
      /*item_columns=*/4 * lanes, /*unroll=*/2, schedule.masked, /*grain=*/1,
      DotUnit::Fma, /*in_place=*/false);
  SmallVector<int64_t> along, beside;
  SmallVector<Attribute> products;
  for (NestOpInterface nest : kernel.getNests()) {
    bool isProduct = isa<ContractOp>(nest.getOperation());
    along.push_back(isProduct ? 1 : schedule.lanes);
    beside.push_back(1);
    if (isProduct)
      products.push_back(product);
  }
  auto nests = WithinScheduleAttr::get(context, along, beside, /*sum_block=*/4,
                                       schedule.masked, /*grain=*/1,
                                       /*stream=*/{});
  return BlocksScheduleAttr::get(context, /*rows=*/5, nests,
                                 ArrayAttr::get(context, products),
                                 /*grain=*/1);
}

/// A schedule of the wanted kind, or another one for kernels that it is not for.
static ScheduleAttr getCPUSchedule(KernelOp kernel, const CPUSchedule &schedule) {
  MLIRContext *context = kernel.getContext();
  auto strides = analysis::getInputStrides(kernel);
  EXPECT_TRUE(succeeded(strides));
  if (mixesContractions(kernel) && schedule.way != CPUWay::Chosen)
    return getBlocks(kernel, schedule);
  bool scatters = false, isPointwise = true;
  for (NestOpInterface nest : kernel.getNests()) {
    scatters |= isa<ScatterOp>(nest.getOperation());
    isPointwise &= nest.isPointwise() &&
                   nest.getDomain().rank() == kernel.getShared().size() &&
                   !analysis::mayTrap(nest);
  }
  if (schedule.way == CPUWay::Panels) {
    auto contracts = kernel.getBody().getOps<ContractOp>();
    DotUnit unit = DotUnit::Fma;
    if (!contracts.empty() && analysis::getUnsignedFactor(*contracts.begin()))
      unit = getUnit(schedule, DotUnit::Quads);
    else if (!contracts.empty() && analysis::hasFactorsOfBF16(*contracts.begin()))
      unit = getUnit(schedule, DotUnit::Pairs);
    auto panels = PackedScheduleAttr::get(
        context, schedule.lanes, /*tile_rows=*/3,
        /*tile_columns=*/schedule.lanes, /*block_rows=*/6,
        /*block_depth=*/getFactorsOfWord(unit) * schedule.lanes,
        /*item_rows=*/6, /*item_columns=*/2 * schedule.lanes, /*unroll=*/2,
        schedule.masked, /*grain=*/1, unit, /*in_place=*/false);
    if (scatters) {
      auto scatter = *kernel.getBody().getOps<ScatterOp>().begin();
      return ScatterScheduleAttr::get(
          context, schedule.lanes, schedule.masked, /*grain=*/1,
          /*columns=*/ownsColumns(scatter) ? schedule.lanes : 0);
    }
    if (contracts.empty())
      return getWithin(kernel, schedule);
    ContractOp op = *contracts.begin();
    analysis::KernelLayout layout = analysis::getLayout(kernel, *strides);
    if (analysis::analyzeContraction(op, layout.lookup(op.getLhs()),
                                     layout.lookup(op.getRhs())))
      return panels;
    return getWithin(kernel, schedule);
  }
  if (schedule.way == CPUWay::Chosen) {
    Machine machine;
    machine.vectorBits = 32 * schedule.lanes;
    machine.masks = schedule.masked;
    machine.registers = schedule.masked ? 32 : 16;
    machine.bf16 = getUnit(schedule, DotUnit::Pairs);
    machine.bytes = getUnit(schedule, DotUnit::Quads);
    analysis::SizeHints hints(kernel->getParentOfType<ModuleOp>());
    return chooseSchedule(kernel, *strides, machine, hints);
  }
  if (scatters)
    return ScatterScheduleAttr::get(context, schedule.lanes, schedule.masked,
                                    /*grain=*/1, /*columns=*/0);
  if (schedule.way == CPUWay::Transpose && isPointwise)
    for (const analysis::TransposedRead &read : analysis::getTransposedReads(
             kernel, analysis::getLayout(kernel, *strides)))
      return TransposeScheduleAttr::get(context, read.dim, schedule.lanes,
                                        /*block=*/2 * schedule.lanes,
                                        /*grain=*/1, getStream(kernel, schedule));
  if (schedule.way == CPUWay::Across && canWalkAcross(kernel))
    return AcrossScheduleAttr::get(context, schedule.lanes,
                                   /*chunk=*/3 * schedule.lanes,
                                   /*sum_block=*/4, schedule.masked,
                                   /*grain=*/1, schedule.points,
                                   getStream(kernel, schedule));
  return getWithin(kernel, schedule);
}

TEST_P(LoopToScf, GivesTheInterpretersValues) {
  const auto &[test, schedule] = GetParam();
  checkLowering(
      test,
      [&schedule = schedule](KernelOp kernel) {
        ScheduleAttr attr = getCPUSchedule(kernel, schedule);
        kernel.setScheduleAttr(attr);
        EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
        auto strides = analysis::getInputStrides(kernel);
        if (schedule.isAhead)
          for (analysis::PackableProduct &product :
               analysis::getPackableProducts(kernel, *strides))
            product.op->setAttr(kPackedAheadAttrName,
                                UnitAttr::get(kernel.getContext()));
      },
      [](ModuleOp module) {
        PassManager pm(module.getContext());
        pm.addPass(createConvertLoopToScfPass());
        return succeeded(pm.run(module));
      });
}

TEST(ColumnLimit, IsWhereRowsCanEnd) {
  std::unique_ptr<MLIRContext> context = makeLoopContext();
  for (const LimitCase &test : getLimitCases()) {
    auto module = parseSourceString<ModuleOp>(test.text, context.get());
    ASSERT_TRUE(module) << test.name;
    std::optional<int64_t> beyond;
    module->walk([&](KernelOp kernel) {
      if (auto limit = analysis::getColumnLimit(kernel))
        beyond = limit->beyond;
    });
    EXPECT_EQ(beyond, test.beyond) << test.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Limits, LoopToScf,
    testing::Combine(testing::ValuesIn(std::vector<LoopCase>(
                         getLimitCases().begin(), getLimitCases().end())),
                     testing::ValuesIn(kCPUSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToScf,
    testing::Combine(testing::ValuesIn(getLoopCases().begin(),
                                       getLoopCases().end()),
                     testing::ValuesIn(kCPUSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

/// The cases that have products.
static std::vector<LoopCase> getProductCases() {
  std::vector<LoopCase> cases;
  for (const LoopCase &test : getLoopCases())
    if (StringRef(test.text).contains("loop.contract"))
      cases.push_back(test);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(
    Ahead, LoopToScf,
    testing::Combine(testing::ValuesIn(getProductCases()),
                     testing::ValuesIn(kAheadSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(
    Bytes, LoopToScf,
    testing::Combine(testing::ValuesIn(getByteCases().begin(),
                                       getByteCases().end()),
                     testing::ValuesIn(kCPUSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(
    BytesAhead, LoopToScf,
    testing::Combine(testing::ValuesIn(getByteCases().begin(),
                                       getByteCases().end()),
                     testing::ValuesIn(kAheadSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(
    Pairs, LoopToScf,
    testing::Combine(testing::ValuesIn(getPairCases().begin(),
                                       getPairCases().end()),
                     testing::ValuesIn(kCPUSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

INSTANTIATE_TEST_SUITE_P(
    PairsAhead, LoopToScf,
    testing::Combine(testing::ValuesIn(getPairCases().begin(),
                                       getPairCases().end()),
                     testing::ValuesIn(kAheadSchedules)),
    [](const testing::TestParamInfo<LoopToScf::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });
