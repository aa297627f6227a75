//===- GridSchedules.cpp - Schedules that cases have on a GPU -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridSchedules.h"

#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

static constexpr Schedule kSchedules[] = {
    {"Point", Way::Point},
    {"Vector", Way::Vector, IndexWidth::Wide},
    {"PartsOfWarps", Way::Rows, IndexWidth::Narrow, 4, 16},
    {"Warps", Way::Rows, IndexWidth::Wide, 32, 2},
    {"Blocks", Way::Rows, IndexWidth::Narrow, 128, 1},
    {"Columns", Way::Columns, IndexWidth::Narrow, 32},
    {"ColumnsOfWarps", Way::Columns, IndexWidth::Narrow, 64,
     32}, // parts for a block to combine
    {"ColumnsInOne", Way::Columns, IndexWidth::Wide, 64, 8},
    {"Tiles", Way::Columns, IndexWidth::Wide, 64},
    {"Parts", Way::Parts, IndexWidth::Narrow, 64},
    {"ProductsInOne", Way::Products, IndexWidth::Wide, 1},
    {"ProductsInParts", Way::Products, IndexWidth::Narrow, 3},
    {"ProductsRounded", Way::Rounded, IndexWidth::Narrow, 1},
    {"ProductsOfTuring", Way::Early, IndexWidth::Narrow, 1},
    {"Chosen", Way::Chosen},
};

/// Parts, and columns that neither divide the threads of a block nor, most often, the points.
static ScheduleAttr getParts(KernelOp kernel, const Schedule &schedule,
                             ArrayRef<guard::ExprAttr> shared) {
  bool areColumns = schedule.way == Way::Columns,
       areWide = schedule.width == IndexWidth::Wide;
  auto last = shared.empty() ? std::nullopt : shared.back().getConstant();
  int64_t lanes =
      areColumns && last && *last % 4 == 0 && !analysis::mayTrap(kernel) ? 4 : 1;
  int64_t parts = 3;
  if (areColumns && (schedule.rows > 1 || areWide))
    parts = schedule.rows > 1 ? schedule.rows : schedule.threads + 3;
  // One part, of which a thread has one column.
  if (areColumns && areWide && schedule.rows > 1)
    lanes = parts = 1;
  return GPUPartsScheduleAttr::get(kernel.getContext(), schedule.threads, lanes,
                                   parts, areColumns ? (areWide ? 8 : 5) : 0);
}

/// Small tiles, so that there are several at the sizes of tests; null for what is no
/// product of matrices. On matrix units where it may be.
static ScheduleAttr getProduct(ContractOp op,
                               const analysis::KernelStrides &strides,
                               int64_t split, Way way) {
  auto kernel = op->getParentOfType<KernelOp>();
  analysis::KernelLayout layout = analysis::getLayout(kernel, strides);
  auto shape = analysis::analyzeContraction(op, layout.lookup(op.getLhs()),
                                            layout.lookup(op.getRhs()),
                                            analysis::ContractionFrame::ofTiles());
  if (!shape)
    return {};
  Type factor = analysis::getFactorType(op);
  auto factors = analysis::getUnitFactors(factor);
  bool isMatrix = factors && op.getAccType() == factors->sum &&
                  (way != Way::Early || factors->capability <= kGPUProduct) &&
                  (way == Way::Rounded || !factor.isF32());
  if (!isMatrix && !isa<FloatType>(op.getAccType()))
    return {};
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
      /*sum=*/
          !isMatrix         ? 8
      : factor.isInteger(8) ? 32
                            : 16,
      part, part, /*stages=*/split == 1 ? 2 : 3, lanes, /*group=*/2, split,
      /*blocks=*/0, /*cluster=*/1,
      /*turns=*/1, GPULibrary::None);
}

/// Tiles of `rows` by `columns`, dimension `dim` and the last, in vectors if they divide both,
/// and of windows for neighbours of the last extent; null if the kernel is none for them.
static ScheduleAttr getTile(KernelOp kernel, const Schedule &schedule,
                            unsigned dim, guard::ExprAttr rows,
                            guard::ExprAttr columns, guard::ExprAttr last) {
  constexpr int64_t kSide = 16;
  auto divides = [](int64_t count, guard::ExprAttr extent) {
    return extent.getConstant().value_or(1) % count == 0;
  };
  bool isEven =
      !analysis::mayTrap(kernel) && divides(2, rows) && divides(2, columns);
  int64_t lanes = isEven ? 2 : 1, points = 1;
  if (stagesResults(kernel))
    points = schedule.width == IndexWidth::Wide ? 4 : 2;
  while (!divides(points, last))
    points /= 2;
  auto tile = GPUTileScheduleAttr::get(
      kernel.getContext(),
      std::min(schedule.threads, kSide / lanes * (kSide / points)), lanes,
      kSide, dim, points);
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) {});
  return succeeded(tile.verifyKernel(kernel)) ? tile : ScheduleAttr();
}

/// Tiles of the results of a kernel of one domain: of its third dimension from behind, as the
/// channels of an image are. Null where rows are longer than what is stored of them.
static ScheduleAttr getResultTile(KernelOp kernel, const Schedule &schedule) {
  SmallVector<guard::ExprAttr> extents =
      kernel.getNests().front().getDomain().parallel;
  Operation *terminator = kernel.getBody().front().getTerminator();
  if (extents.size() < 2 ||
      llvm::any_of(terminator->getOperands(), [](Value result) {
        return analysis::getStoredType(result) != result.getType();
      }))
    return {};
  unsigned dim = extents.size() < 3 ? 0 : extents.size() - 3;
  return getTile(kernel, schedule, dim, extents[dim],
                 guard::product(kernel.getContext(),
                                ArrayRef(extents).drop_front(dim + 1)),
                 extents.back());
}

ScheduleAttr loop::getSchedule(KernelOp kernel, const Schedule &schedule,
                               const GPUMachine &machine) {
  MLIRContext *context = kernel.getContext();
  auto strides = analysis::getInputStrides(kernel);
  EXPECT_TRUE(succeeded(strides));
  if (schedule.way == Way::Chosen) {
    analysis::SizeHints hints(kernel->getParentOfType<ModuleOp>());
    return chooseGPUSchedule(kernel, *strides, machine, hints);
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
      if (schedule.way == Way::Products || schedule.way == Way::Rounded ||
          schedule.way == Way::Early)
        if (ScheduleAttr product = getProduct(op, *strides, schedule.threads,
                                              schedule.way))
          return product;
      if (schedule.way == Way::Columns)
        if (ScheduleAttr tile = getResultTile(kernel, schedule))
          return tile;
      return GPUAcrossScheduleAttr::get(
          context, 32, 1, /*sum_block=*/4,
          /*points=*/schedule.way == Way::Vector ? 2 : 1);
    }
  }
  if (auto parts = getRowParts(kernel)) {
    // A row of at most so many elements, in vectors or one by one; several at a time, of
    // which a part has some over.
    bool areWide = schedule.width == IndexWidth::Wide;
    int64_t lanes = areWide ? 4 : 1;
    int64_t threads = std::max<int64_t>(schedule.threads, 32), rows = 1;
    if (areWide && schedule.way == Way::Rows)
      threads = 8, rows = 4;
    return GPURowsScheduleAttr::get(
        context, threads, rows, lanes,
        /*steps=*/llvm::divideCeil(64, lanes * threads), /*stages=*/0);
  }
  analysis::KernelLayout layout = analysis::getLayout(kernel, *strides);
  bool isInParts = schedule.way == Way::Columns || schedule.way == Way::Parts;
  if (isInParts && canReduceInParts(kernel))
    return getParts(kernel, schedule, analysis::collapseShared(kernel, layout));
  auto reads = analysis::getTransposedReads(kernel, layout);
  if (schedule.way == Way::Columns && stagesResults(kernel))
    if (ScheduleAttr tile = getResultTile(kernel, schedule))
      return tile;
  if (schedule.way == Way::Columns && !reads.empty()) {
    SmallVector<guard::ExprAttr> extents =
        analysis::collapseShared(kernel, layout);
    if (ScheduleAttr tile =
            getTile(kernel, schedule, reads.front().dim,
                    extents[reads.front().dim], extents.back(), extents.back()))
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
                                    /*lanes=*/isPeeled ? 4 : 1, /*steps=*/0,
                                    /*stages=*/0);
  }
  bool isVector = schedule.way == Way::Vector && canWalkAcross(kernel) &&
                  !analysis::mayTrap(kernel);
  return GPUAcrossScheduleAttr::get(context, 64, isVector ? 4 : 1,
                                    /*sum_block=*/4,
                                    /*points=*/isVector ? 3 : 1);
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

std::vector<std::tuple<LoopCase, Schedule>> loop::getRuns() {
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
                              (schedule.way == Way::Columns &&
                               schedule.rows == 1) ||
                              schedule.way == Way::Products ||
                              schedule.way == Way::Early ||
                              (schedule.way == Way::Rounded && isOfF32) ||
                              schedule.way == Way::Chosen
                        : schedule.way != Way::Products &&
                              schedule.way != Way::Early &&
                              schedule.way != Way::Rounded)
        runs.emplace_back(test, schedule);
  }
  return runs;
}


//===----------------------------------------------------------------------===//
// Rows with products between them
//===----------------------------------------------------------------------===//

static constexpr Blocks kBlocks[] = {
    {"Warps", IndexWidth::Wide, 32, 16, 16, 2, 1},
    {"LongParts", IndexWidth::Narrow, 32, 32, 32, 3, 2},
    {"Parts", IndexWidth::Narrow, 0, 16, 0, 2, 0, 3},
    {"MoreParts", IndexWidth::Wide, 0, 32, 0, 3, 0, 7},
    {"Chosen", IndexWidth::Narrow, 0, 0, 0, 0, 0},
};

static constexpr Blocks kWalks[] = {
    {"Warps", IndexWidth::Wide, 32, 16, 16, 2, 1},
    {"Stages", IndexWidth::Narrow, 16, 32, 16, 3, 2},
    {"Apart", IndexWidth::Wide, 32, 16, 16, 2, 1, 0, /*isApart=*/true},
    {"Chosen", IndexWidth::Narrow, 0, 0, 0, 0, 0},
};

ArrayRef<Blocks> loop::getBlocks() { return kBlocks; }
ArrayRef<Blocks> loop::getWalks() { return kWalks; }

ScheduleAttr loop::getSchedule(KernelOp kernel, const Blocks &blocks,
                               const GPUMachine &machine) {
  MLIRContext *context = kernel.getContext();
  if (blocks.parts != 0)
    return GPUColumnPartsScheduleAttr::get(context, blocks.columns,
                                           blocks.stages, blocks.parts);
  if (blocks.rows != 0)
    return GPUBlocksScheduleAttr::get(
        context, blocks.rows, blocks.columns, blocks.partRows, blocks.stages,
        blocks.group, ProductUnit::Mma, blocks.isApart, /*added=*/false);
  analysis::SizeHints hints(kernel->getParentOfType<ModuleOp>());
  auto strides = analysis::getInputStrides(kernel);
  EXPECT_TRUE(succeeded(strides));
  return chooseGPUSchedule(kernel, *strides, machine, hints);
}

static constexpr Warpgroups kWarpgroups[] = {
    {"One", IndexWidth::Wide, 64, 64, 2},
    {"Two", IndexWidth::Narrow, 128, 128, 2},
    {"Three", IndexWidth::Narrow, 192, 48, 3},
};

static constexpr Warpgroups kWarpgroupWalks[] = {
    kWarpgroups[0],
    kWarpgroups[1],
    {"Apart", IndexWidth::Narrow, 128, 32, 2, /*isApart=*/true},
};

static constexpr Warpgroups kAddedWalks[] = {
    {"Added", IndexWidth::Wide, 64, 64, 2, /*isApart=*/false, /*isAdded=*/true},
    {"AddedByTwo", IndexWidth::Narrow, 128, 64, 2, /*isApart=*/false,
     /*isAdded=*/true},
};

ArrayRef<Warpgroups> loop::getWarpgroups() { return kWarpgroups; }
ArrayRef<Warpgroups> loop::getWarpgroupWalks() { return kWarpgroupWalks; }
ArrayRef<Warpgroups> loop::getAddedWalks() { return kAddedWalks; }

ScheduleAttr loop::getSchedule(KernelOp kernel, const Warpgroups &blocks) {
  return GPUBlocksScheduleAttr::get(
      kernel.getContext(), blocks.rows, blocks.columns, /*part_rows=*/16,
      blocks.stages, /*group=*/2, ProductUnit::Wgmma, blocks.isApart,
      blocks.isAdded);
}
