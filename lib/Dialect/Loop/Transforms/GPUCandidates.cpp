//===- GPUCandidates.cpp - Schedules to measure on a GPU ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUCandidates.h"

#include "GPUProducts.h"
#include "GPURows.h"

#include "kiln/Analysis/LibraryCall.h"
#include "kiln/Dialect/Loop/IR/KernelColumns.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// Schedules besides the default.
static constexpr size_t kMostOthers = 5;
/// Of them tiles of a product that the cost model likes best.
static constexpr size_t kTileChoices = 2;
/// Elements of a row that a thread has in registers at most.
static constexpr int64_t kMostInRegisters = 128;

namespace {
/// Collects the schedules of one kernel, each once.
class GPUCollector {
public:
  GPUCollector(KernelOp kernel, const analysis::KernelStrides &strides,
               const GPUMachine &machine, const analysis::SizeHints &hints,
               ScheduleAttr first, ArrayRef<GPULibrary> libraries)
      : kernel(kernel), context(kernel.getContext()), strides(strides),
        machine(machine), hints(hints), first(first), libraries(libraries) {}

  std::vector<Attribute> collect();

private:
  void addAcross(GPUAcrossScheduleAttr s);
  void addRows(GPURowsScheduleAttr s);
  void addParts(GPUPartsScheduleAttr s);
  void addColumns(GPUColumnsScheduleAttr s);
  void addTiles(GPUTileScheduleAttr s);
  void addScatters(GPUScatterScheduleAttr s);
  void addProducts(GPUProductScheduleAttr s);
  void addBlocks(GPUBlocksScheduleAttr s);
  void addColumnParts(GPUColumnPartsScheduleAttr s);
  void addLibraries(GPUProductScheduleAttr s);
  /// Adds a schedule of these numbers, if there is one.
  template <typename Schedule, typename... Numbers>
  void add(Numbers... numbers) {
    Attribute schedule = Schedule::getChecked(
        [&] { return mlir::emitError(UnknownLoc::get(context)); }, context,
        numbers...);
    if (schedule && schedule != first && found.size() < kMostOthers &&
        !llvm::is_contained(found, schedule))
      found.push_back(schedule);
  }

  KernelOp kernel;
  MLIRContext *context;
  const analysis::KernelStrides &strides;
  const GPUMachine &machine;
  const analysis::SizeHints &hints;
  ScheduleAttr first;
  ArrayRef<GPULibrary> libraries;
  std::vector<Attribute> found;
};
} // namespace

void GPUCollector::addAcross(GPUAcrossScheduleAttr s) {
  auto with = [&](int64_t threads, int64_t lanes, int64_t points = 0) {
    add<GPUAcrossScheduleAttr>(threads, lanes, s.getSumBlock(),
                               points ? points : s.getPoints());
  };
  if (s.getPoints() > 1) {
    with(s.getThreads(), s.getLanes(), s.getPoints() / 2);
    with(s.getThreads(), s.getLanes() / 2, s.getPoints() * 2);
  }
  with(s.getThreads() / 2, s.getLanes());
  with(s.getThreads() * 2, s.getLanes());
  // A thread has one element where nothing can be a vector.
  if (s.getLanes() == 1)
    return;
  with(s.getThreads(), s.getLanes() / 2);
  with(s.getThreads(), s.getLanes() * 2);
}

void GPUCollector::addRows(GPURowsScheduleAttr s) {
  auto with = [&](int64_t threads, int64_t steps, int64_t stages) {
    add<GPURowsScheduleAttr>(threads, int64_t(1), s.getLanes(), steps, stages);
  };
  if (s.getStages() > 0) {
    // What a copy engine brings to fewer or more threads, and without it.
    int64_t threads = s.getThreads(), steps = s.getSteps();
    if (getRowParts(kernel))
      with(threads, steps, 0);
    else if (auto own = chooseOwnRows(kernel, machine))
      with(own.getThreads(), own.getSteps(), 0);
    with(threads * 2, llvm::divideCeil(steps, 2), s.getStages());
    with(threads / 2, steps * 2, s.getStages());
    with(threads, steps, s.getStages() - 1);
    return;
  }
  if (auto brought =
          bringRows(kernel, strides, machine, s, /*onlyIfBetter=*/false))
    with(brought.getThreads(), brought.getSteps(), brought.getStages());
  // What threads have in registers is as much for more and for fewer of them.
  int64_t vectors = s.getSteps() * s.getThreads();
  for (int64_t threads : {s.getThreads() * 2, s.getThreads() / 2,
                          s.getThreads() * 4, s.getThreads() / 4}) {
    if (threads < 2)
      continue;
    int64_t steps = llvm::divideCeil(vectors, threads);
    if (steps * s.getLanes() > kMostInRegisters)
      steps = 0;
    add<GPURowsScheduleAttr>(threads, threads <= 32 ? 128 / threads : 1,
                             s.getLanes(), steps, int64_t(0));
  }
  if (s.getSteps() > 1)
    add<GPURowsScheduleAttr>(s.getThreads(), s.getRows(), s.getLanes(),
                             int64_t(0), int64_t(0));
}

void GPUCollector::addParts(GPUPartsScheduleAttr s) {
  if (s.getParts() == 1)
    return;
  auto with = [&](int64_t threads, int64_t parts) {
    add<GPUPartsScheduleAttr>(threads, s.getLanes(), parts, s.getColumns());
  };
  for (int64_t parts : {s.getParts() * 2, s.getParts() / 2, s.getParts() * 4})
    with(s.getThreads(), parts);
  with(s.getThreads() * 2, s.getParts());
  with(s.getThreads() / 2, s.getParts());
}

/// Narrower and wider tiles, and columns of more and fewer threads, each with
/// all elements.
void GPUCollector::addColumns(GPUColumnsScheduleAttr s) {
  auto elements = guard::product(context, getKernelColumns(kernel)->elements)
                      .getConstant()
                      .value_or(0);
  auto with = [&](int64_t threads, int64_t lanes, int64_t columns) {
    if (lanes < 1 || columns < 1 || columns > threads)
      return;
    int64_t steps = llvm::divideCeil(elements, threads / columns);
    if (steps * lanes <= kMostInRegisters)
      add<GPUColumnsScheduleAttr>(threads, lanes, columns, steps);
  };
  int64_t threads = s.getThreads(), lanes = s.getLanes(),
          columns = s.getColumns();
  with(threads, lanes, columns / 2);
  with(threads, lanes, columns * 2);
  with(threads * 2, lanes, columns);
  with(threads / 2, lanes, columns);
  with(threads * 2, lanes, columns * 2);
  with(threads / 2, lanes, columns / 2);
  with(threads, lanes / 2, columns * 2);
}

void GPUCollector::addTiles(GPUTileScheduleAttr s) {
  auto with = [&](int64_t threads, int64_t side, int64_t points = 0) {
    add<GPUTileScheduleAttr>(threads, s.getLanes(), side, s.getDim(),
                             points ? points : s.getPoints());
  };
  if (s.getPoints() > 1)
    with(s.getThreads() * 2, s.getSide(), s.getPoints() / 2);
  with(s.getThreads(), s.getSide() / 2);
  with(s.getThreads(), s.getSide() * 2);
  with(s.getThreads() * 2, s.getSide());
  with(s.getThreads() / 2, s.getSide());
}

void GPUCollector::addScatters(GPUScatterScheduleAttr s) {
  for (int64_t threads : {s.getThreads() / 2, s.getThreads() * 2})
    add<GPUScatterScheduleAttr>(threads, s.getAtomic(), s.getOwners(),
                                s.getLanes());
}

void GPUCollector::addProducts(GPUProductScheduleAttr s) {
  auto ops = kernel.getBody().getOps<ContractOp>();
  if (ops.empty())
    return;
  ContractOp op = *ops.begin();
  auto shape = getTileShape(op, strides);
  if (!shape)
    return;
  auto with = [&](const GPUProductSchedule &p) {
    add<GPUProductScheduleAttr>(
        p.unit, p.rows, p.columns, p.sum, p.partRows, p.partColumns, p.stages,
        getProductLanes(op, *shape, p.split), p.group, p.split, p.blocks,
        p.cluster, p.turns, GPULibrary::None);
  };
  GPUProductSchedule own = {s.getUnit(),   s.getRows(),     s.getColumns(),
                            s.getSum(),    s.getPartRows(), s.getPartColumns(),
                            s.getStages(), s.getGroup(),    s.getSplit(),
                            s.getBlocks(), s.getCluster(),  s.getTurns()};
  GPUProductShape product = getGPUProductShape(op, *shape, machine, hints);
  std::vector<GPUProductSchedule> tiles = getGPUProducts(product, machine);
  for (const GPUProductSchedule &other : tiles)
    if (found.size() < kTileChoices)
      with(other);
  // Whether blocks share what the copy engine brings.
  if (own.unit == ProductUnit::Wgmma && product.inBoxes && product.knowsRows &&
      product.rows > own.rows &&
      (product.columnsAlongSum || own.columns % (2 * own.sum) == 0)) {
    GPUProductSchedule other = own;
    other.cluster = 3 - own.cluster;
    other.blocks -= other.blocks % other.cluster;
    with(other);
  }
  for (int64_t split : {own.split * 2, own.split / 2}) {
    if (!product.maySplit)
      break;
    GPUProductSchedule other = own;
    other.split = split;
    // A part of the sum fills the stages at least.
    if (split >= 1 && product.sum >= split * own.sum * own.stages)
      with(other);
  }
  for (const GPUProductSchedule &other : tiles)
    with(other);
}

void GPUCollector::addBlocks(GPUBlocksScheduleAttr s) {
  auto with = [&](int64_t rows, int64_t columns, int64_t partRows) {
    add<GPUBlocksScheduleAttr>(rows, columns, partRows, s.getStages(),
                               s.getGroup(), s.getUnit(), s.getApart(),
                               s.getAdded());
  };
  int64_t rows = s.getRows(), columns = s.getColumns(), part = s.getPartRows();
  if (s.getUnit() == ProductUnit::Wgmma) {
    // Another number of warpgroups, longer or shorter steps, more of them in flight.
    with(rows == 64 ? 128 : 64, columns, part);
    with(rows, columns == 64 ? 128 : 64, part);
    with(rows == 64 ? 128 : 64, columns == 64 ? 128 : 64, part);
    add<GPUBlocksScheduleAttr>(rows, columns, part, s.getStages() + 1,
                               s.getGroup(), s.getUnit(), s.getApart(),
                               s.getAdded());
    if (s.getAdded()) // each sum by a walk over what it adds up
      add<GPUBlocksScheduleAttr>(rows, columns, part, s.getStages(),
                                 s.getGroup(), s.getUnit(), s.getApart(),
                                 /*added=*/false);
    // Warps that multiply by themselves wait for each other less.
    add<GPUBlocksScheduleAttr>(rows, std::min<int64_t>(columns, 64), part,
                               s.getStages(), s.getGroup(), ProductUnit::Mma,
                               s.getApart(), /*added=*/false);
    return;
  }
  with(rows, columns * 2, part);
  with(rows, columns / 2, part);
  with(rows, columns, part == 16 ? 32 : 16);
  with(rows * 2, columns, part);
  with(rows / 2, columns, part);
}

void GPUCollector::addColumnParts(GPUColumnPartsScheduleAttr s) {
  auto with = [&](int64_t columns, int64_t stages, int64_t parts) {
    add<GPUColumnPartsScheduleAttr>(columns, stages, parts);
  };
  int64_t columns = s.getColumns(), stages = s.getStages(), parts = s.getParts();
  with(columns, stages, parts * 2);
  with(columns, stages, parts / 2);
  with(columns, stages + 1, parts);
  with(columns / 2, stages, parts);
  with(columns * 2, stages, parts);
}

/// The default once more, beside a library's function: it costs no driver anything, so it is
/// not one of the few.
void GPUCollector::addLibraries(GPUProductScheduleAttr s) {
  if (s.getLibrary() != GPULibrary::None)
    return;
  for (GPULibrary library : libraries)
    if (analysis::getLibraryCall(kernel, strides, library))
      found.push_back(GPUProductScheduleAttr::get(
          context, s.getUnit(), s.getRows(), s.getColumns(), s.getSum(),
          s.getPartRows(), s.getPartColumns(), s.getStages(), s.getLanes(),
          s.getGroup(), s.getSplit(), s.getBlocks(), s.getCluster(),
          s.getTurns(), library));
}

std::vector<Attribute> GPUCollector::collect() {
  // Numbers that no schedule has are passed over without a word.
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  llvm::TypeSwitch<Attribute>(first)
      .Case([&](GPUAcrossScheduleAttr s) { addAcross(s); })
      .Case([&](GPURowsScheduleAttr s) { addRows(s); })
      .Case([&](GPUPartsScheduleAttr s) { addParts(s); })
      .Case([&](GPUColumnsScheduleAttr s) { addColumns(s); })
      .Case([&](GPUTileScheduleAttr s) { addTiles(s); })
      .Case([&](GPUScatterScheduleAttr s) { addScatters(s); })
      .Case([&](GPUProductScheduleAttr s) { addProducts(s); })
      .Case([&](GPUBlocksScheduleAttr s) { addBlocks(s); })
      .Case([&](GPUColumnPartsScheduleAttr s) { addColumnParts(s); });
  if (auto product = dyn_cast<GPUProductScheduleAttr>(first))
    addLibraries(product);
  return std::move(found);
}

std::vector<Attribute> loop::collectGPUSchedules(
    KernelOp kernel, const analysis::KernelStrides &strides,
    const GPUMachine &machine, const analysis::SizeHints &hints,
    ScheduleAttr first, ArrayRef<GPULibrary> libraries) {
  return GPUCollector(kernel, strides, machine, hints, first, libraries)
      .collect();
}
