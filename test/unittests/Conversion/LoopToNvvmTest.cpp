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
#include "LoopCases.h"

#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

enum class Way {
  Point,  ///< a thread for each point
  Vector, ///< several lanes, where they may be
  Rows,   ///< threads share rows, where they can
  Columns, ///< reductions in parts of columns, where they can; or tiles
  Parts,  ///< and of rows
  Products, ///< tiles of products in shared memory, where they can
  Rounded, ///< the same of f32, rounded to tf32
  Chosen
};

struct Schedule {
  const char *name;
  Way way;
  IndexWidth width = IndexWidth::Narrow;
  int64_t threads = 32, rows = 1;
};

constexpr Schedule kSchedules[] = {
    {"Point", Way::Point},
    {"Vector", Way::Vector, IndexWidth::Wide},
    {"PartsOfWarps", Way::Rows, IndexWidth::Narrow, 4, 16},
    {"Warps", Way::Rows, IndexWidth::Wide, 32, 2},
    {"Blocks", Way::Rows, IndexWidth::Narrow, 128, 1},
    {"Columns", Way::Columns, IndexWidth::Narrow, 32},
    {"ColumnsOfWarps", Way::Columns, IndexWidth::Narrow, 64,
     32}, // parts, which threads of a warp join
    {"Tiles", Way::Columns, IndexWidth::Wide,
     64}, // parts for a block to combine
    {"Parts", Way::Parts, IndexWidth::Narrow, 64},
    {"ProductsInOne", Way::Products, IndexWidth::Wide, 1},
    {"ProductsInParts", Way::Products, IndexWidth::Narrow, 3},
    {"ProductsRounded", Way::Rounded, IndexWidth::Narrow, 1},
    {"Chosen", Way::Chosen},
};

class LoopToNvvm
    : public testing::TestWithParam<std::tuple<LoopCase, Schedule>> {};

} // namespace

/// Small tiles, so that there are several at the sizes of tests; null for what is no
/// product of matrices. On matrix units where it may be.
static ScheduleAttr getProduct(ContractOp op,
                               const analysis::KernelStrides &strides,
                               int64_t split, bool tf32) {
  auto kernel = op->getParentOfType<KernelOp>();
  analysis::KernelLayout layout = analysis::getLayout(kernel, strides);
  auto shape = analysis::analyzeContraction(op, layout.lookup(op.getLhs()),
                                            layout.lookup(op.getRhs()),
                                            analysis::ContractionFrame::ofTiles());
  if (!shape)
    return {};
  Type factor = analysis::getFactorType(op);
  bool isMatrix = factor && op.getAccType().isF32() &&
                  (factor.isBF16() || factor.isF16() ||
                   (tf32 && factor.isF32()));
  ProductUnit unit = isMatrix ? ProductUnit::Mma : ProductUnit::Fma;
  int64_t lanes = 4;
  while (!analysis::canStoreVectors(op, *shape, lanes,
                                    /*inParts=*/split > 1))
    lanes /= 2;
  int64_t part = isMatrix ? 16 : 4;
  if (op.isGrouped()) // in one part
    split = 1;
  return GPUProductScheduleAttr::get(
      op.getContext(), unit, /*rows=*/isMatrix ? 32 : 16, /*columns=*/32,
      /*sum=*/isMatrix ? 16 : 8, part, part, /*stages=*/split == 1 ? 2 : 3,
      lanes, /*group=*/2, split, /*blocks=*/0, /*cluster=*/1);
}

/// A schedule of the wanted kind, or another one for kernels that it is not for.
static ScheduleAttr getSchedule(KernelOp kernel, const Schedule &schedule) {
  MLIRContext *context = kernel.getContext();
  auto strides = analysis::getInputStrides(kernel);
  EXPECT_TRUE(succeeded(strides));
  if (schedule.way == Way::Chosen) {
    analysis::SizeHints hints(kernel->getParentOfType<ModuleOp>());
    // So small that vectors pay at the sizes of tests.
    return chooseGPUSchedule(kernel, *strides, GPUMachine{0, 0}, hints);
  }
  for (NestOpInterface nest : kernel.getNests()) {
    if (auto scatter = dyn_cast<ScatterOp>(nest.getOperation())) {
      bool isAtomic =
          schedule.way == Way::Vector && canScatterInAnyOrder(scatter);
      return GPUScatterScheduleAttr::get(
          context, 32, isAtomic,
          /*owners=*/schedule.way == Way::Rows && !scatter.getWritten() ? 4 : 1,
          /*lanes=*/isAtomic && scattersRows(scatter) ? 4 : 1);
    }
    if (auto op = dyn_cast<ContractOp>(nest.getOperation())) {
      if (schedule.way == Way::Products || schedule.way == Way::Rounded)
        if (ScheduleAttr product = getProduct(op, *strides, schedule.threads,
                                              schedule.way == Way::Rounded))
          return product;
      return GPUAcrossScheduleAttr::get(
          context, 32, 1, /*sum_block=*/4,
          /*points=*/schedule.way == Way::Vector ? 2 : 1);
    }
  }
  if (auto parts = getRowParts(kernel)) {
    // A row of at most so many elements, in vectors or one by one.
    int64_t lanes = schedule.width == IndexWidth::Wide ? 4 : 1;
    int64_t threads = std::max<int64_t>(schedule.threads, 32);
    return GPURowsScheduleAttr::get(
        context, threads, /*rows=*/1, lanes,
        /*steps=*/llvm::divideCeil(64, lanes * threads));
  }
  bool isInParts = schedule.way == Way::Columns || schedule.way == Way::Parts;
  if (isInParts && canReduceInParts(kernel))
    return GPUPartsScheduleAttr::get(
        context, schedule.threads, /*lanes=*/
        schedule.way == Way::Columns && !kernel.getShared().empty() &&
                !analysis::mayTrap(kernel)
            ? 4
            : 1,
        /*parts=*/
        schedule.way != Way::Columns            ? 3
        : schedule.rows > 1                     ? schedule.rows
        : schedule.width == IndexWidth::Wide    ? schedule.threads + 3
                                                : 3,
        schedule.way == Way::Columns);
  analysis::KernelLayout layout = analysis::getLayout(kernel, *strides);
  auto reads = analysis::getTransposedReads(kernel, layout);
  if (schedule.way == Way::Columns && !reads.empty()) {
    SmallVector<guard::ExprAttr> extents =
        analysis::collapseShared(kernel, layout);
    bool isEven =
        !analysis::mayTrap(kernel) &&
        llvm::all_of(ArrayRef({extents[reads.front().dim], extents.back()}),
                     [](guard::ExprAttr extent) {
                       return extent.getConstant().value_or(1) % 2 == 0;
                     });
    auto tile = GPUTileScheduleAttr::get(context, schedule.threads,
                                         isEven ? 2 : 1, /*side=*/16,
                                         reads.front().dim);
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
    if (succeeded(tile.verifyKernel(kernel)))
      return tile;
  }
  bool hasRows = llvm::any_of(kernel.getNests(), [&](NestOpInterface nest) {
    return nest.getDomain().rank() > kernel.getShared().size();
  });
  if (schedule.way == Way::Rows && hasRows && canShareRows(kernel)) {
    // Vectors that need not divide a row, whose ends are elements then.
    auto size = getPeelableSize(kernel);
    bool isPeeled = size && *size >= 8 && schedule.threads >= 8;
    return GPURowsScheduleAttr::get(context, schedule.threads, schedule.rows,
                                    /*lanes=*/isPeeled ? 4 : 1, /*steps=*/0);
  }
  bool isVector = schedule.way == Way::Vector && canWalkAcross(kernel) &&
                  !analysis::mayTrap(kernel);
  return GPUAcrossScheduleAttr::get(context, 64, isVector ? 4 : 1,
                                    /*sum_block=*/4,
                                    /*points=*/isVector ? 3 : 1);
}

/// A target that permits factors of f32 to be rounded.
static GPUTargetAttr getRoundingTarget(MLIRContext *context) {
  return GPUTargetAttr::get(context, "sm_80", 108, 2048, 65536, 166912,
                            41943040, /*tf32=*/true, /*conv_tf32=*/false,
                            /*deterministic=*/false);
}

/// One that adds several floats to memory at once.
static GPUTargetAttr getAtomicTarget(MLIRContext *context) {
  return GPUTargetAttr::get(context, "sm_90a", 132, 2048, 65536, 232448,
                            52428800, /*tf32=*/false, /*conv_tf32=*/false,
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
        else if (schedule.way == Way::Vector &&
                 !kernel.getBody().getOps<ScatterOp>().empty())
          setTarget(getAtomicTarget(kernel.getContext()));
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

/// True if a kernel has products beside other nests, or sums over parts of
/// unknown size, which only a CPU has a schedule for.
static bool isForCPU(const LoopCase &test, MLIRContext *context) {
  auto module = parseSourceString<ModuleOp>(test.text, context);
  bool mixes = false;
  if (module)
    module->walk([&](KernelOp kernel) {
      auto parts = getRowParts(kernel);
      mixes |= mixesContractions(kernel) ||
               (parts && !guard::product(context, parts->rows).getConstant());
    });
  return mixes;
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
              /*lanes=*/1, /*steps=*/0));
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

/// Each case under all schedules, a contraction under those that differ for it.
static std::vector<std::tuple<LoopCase, Schedule>> getRuns() {
  std::vector<std::tuple<LoopCase, Schedule>> runs;
  std::unique_ptr<MLIRContext> context = makeLoopContext();
  for (const LoopCase &test : getLoopCases()) {
    bool isContraction = StringRef(test.text).contains("loop.contract");
    bool isOfF32 = StringRef(test.text).contains("acc f32") &&
                   !StringRef(test.text).contains("f16");
    if (isForCPU(test, context.get()))
      continue;
    for (const Schedule &schedule : kSchedules)
      if (isContraction ? schedule.way == Way::Point ||
                              schedule.way == Way::Vector ||
                              schedule.way == Way::Products ||
                              (schedule.way == Way::Rounded && isOfF32) ||
                              schedule.way == Way::Chosen
                        : schedule.way != Way::Products &&
                              schedule.way != Way::Rounded)
        runs.emplace_back(test, schedule);
  }
  return runs;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LoopToNvvm, testing::ValuesIn(getRuns()),
    [](const testing::TestParamInfo<LoopToNvvm::ParamType> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });
