//===- ChooseGPUSchedule.cpp - How a kernel is laid out on a GPU ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUProducts.h"
#include "GPURows.h"
#include "GPUTiles.h"
#include "KernelWalk.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using analysis::KernelStrides;
using guard::ExprAttr;

GPUMachine loop::getMachine(GPUTargetAttr target) {
  GPUMachine machine = {target.getMultiprocessors(), target.getThreads(),
                        target.getRegisters(), target.getShared()};
  machine.capability = target.getCapability();
  machine.hasWarpgroups = target.hasWarpgroups();
  machine.l2 = target.getL2();
  machine.deterministic = target.getDeterministic();
  return machine;
}

/// True if neighbours of a pointwise kernel all read the same element of `input`, as the
/// columns of a row do of its number in an embedding: it is read once for all lanes.
static bool isSameForNeighbours(BlockArgument input) {
  return llvm::all_of(input.getUsers(), [&](Operation *user) {
    auto load = dyn_cast<LoadOp>(user);
    auto nest = load ? load->getParentOfType<NestOpInterface>()
                     : NestOpInterface();
    if (!nest || !nest.isPointwise() || nest.getDomain().rank() == 0 ||
        load->getBlock() != &nest->getRegion(0).front())
      return false;
    BlockArgument last = nest->getRegion(0).front().getArgument(
        nest.getDomain().rank() - 1);
    return llvm::none_of(load.getIndices(), [&](Value index) {
      return dependsOnIndex(index, last);
    });
  });
}

void Widths::take(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bytes =
      (getBodyType(type.getElementType()).getIntOrFloatBitWidth() + 7) / 8;
  narrow = std::min(narrow, bytes);
  wide = std::max(wide, bytes);
}

Widths loop::getWidths(KernelOp kernel) {
  Widths widths;
  // A scalar is read once, whatever its width.
  for (BlockArgument input : kernel.getBody().getArguments())
    if (cast<RankedTensorType>(input.getType()).getRank() > 0 &&
        !isSameForNeighbours(input))
      widths.take(input);
  for (Value result : kernel.getResults())
    widths.take(result);
  return widths;
}

/// True if the borders of a window lie between neighbours along dimension `last`: lanes of a
/// vector would look one by one whether they are inside.
static bool masksNeighbours(KernelOp kernel, unsigned last) {
  guard::ExprAttr dim = guard::getDim(kernel.getContext(), last);
  return llvm::any_of(kernel.getBody().getOps<ContractOp>(), [&](ContractOp op) {
    return llvm::any_of(op.getMasks(), [&](Attribute mask) {
      return guard::contains(cast<ExprAttr>(mask), dim);
    });
  });
}

/// True if neighbours along the last shared dimension are neighbours in all that a nest
/// reads, or one element, or have groups of neighbours in common. Otherwise each lane of a
/// vector would be a line of its own.
static bool readsVectors(KernelOp kernel, NestOpInterface nest,
                         const analysis::KernelLayout &layout) {
  Domain domain = nest.getDomain();
  // As a reduction a contraction is over all of its parallel dimensions.
  size_t shared = kernel.getShared().size();
  if (isa<ContractOp>(nest.getOperation()) && shared != domain.parallel.size())
    return false;
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, kernel.getContext(), domain.all());
  return shared > 0 &&
         llvm::all_of(analysis::getReads(nest), [&](const analysis::Access &read) {
           auto it = layout.find(read.tensor);
           if (it == layout.end())
             return true; // one element for a point
           guard::ExprAttr address = analysis::linearize(
               kernel.getContext(), read.map, it->second, assumptions);
           return !read.indirect &&
                  (analysis::getStride(address, shared - 1).isZero() ||
                   analysis::areNeighbours(address, shared - 1));
         });
}

static ScheduleAttr chooseThreads(KernelOp kernel, const KernelStrides &strides,
                                  const GPUMachine &machine,
                                  const analysis::SizeHints &hints) {
  MLIRContext *context = kernel.getContext();
  analysis::KernelLayout layout = analysis::getLayout(kernel, strides);
  // A contraction is no nest with a body yet, of which neighbours could be joined.
  bool isContraction = !kernel.getBody().getOps<ContractOp>().empty();
  SmallVector<ExprAttr> shared =
      isContraction ? getExprs(kernel.getShared())
                    : analysis::collapseShared(kernel, layout);
  GPUAcrossShape shape;
  shape.points = guard::product(context, shared).getConstant();
  shape.last = shared.empty() ? Size(1) : shared.back().getConstant();
  shape.hasOuter = !shared.empty() &&
                   llvm::any_of(ArrayRef(shared).drop_back(),
                                [](ExprAttr e) { return !e.isConstant(1); });
  shape.canVector = canWalkAcross(kernel) && !analysis::mayTrap(kernel);
  Widths widths = getWidths(kernel);
  shape.narrow = widths.narrow;
  shape.wide = widths.wide;
  shape.addsFloats =
      isContraction || llvm::any_of(kernel.getNests(), hasBlocks);
  if (!shared.empty())
    shape.canVector &= !masksNeighbours(kernel, kernel.getShared().size() - 1);
  for (NestOpInterface nest : kernel.getNests())
    shape.canVector &= nest.isPointwise() || readsVectors(kernel, nest, layout);
  if (shared.size() > 1) {
    unsigned beside = analysis::getLaneDim(ArrayRef(shared).drop_back());
    shape.hasWindows = sharesWindows(kernel, shared.size(), beside,
                                     /*along=*/shared.size() - 1);
    shape.beside = shared[beside].getConstant();
    shape.streams = countStreams(kernel);
    shape.likely = hints.product(shared);
  }
  GPUAcrossSchedule s = chooseGPUAcross(shape, machine);
  return GPUAcrossScheduleAttr::get(context, s.threads, s.lanes, s.sumBlock,
                                    s.points);
}

/// How many elements the only nest looks for that walks rows.
static Size findSelected(KernelOp kernel) {
  Size selected;
  bool isAlone = true;
  for (NestOpInterface nest : kernel.getNests()) {
    if (getRowExtents(kernel, nest).empty())
      continue;
    auto sort = dyn_cast<SortOp>(nest.getOperation());
    isAlone &= sort && !selected;
    if (sort)
      selected = getSelected(sort);
  }
  return isAlone ? selected : Size();
}

GPURowsScheduleAttr loop::chooseOwnRows(KernelOp kernel,
                                        const GPUMachine &machine) {
  MLIRContext *context = kernel.getContext();
  GPURowsShape shape;
  bool isFirst = true;
  int64_t last = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    SmallVector<ExprAttr> row = getRowExtents(kernel, nest);
    if (row.empty())
      continue;
    Size size = guard::product(context, row).getConstant();
    shape.size = isFirst || size == shape.size ? size : Size();
    last = std::gcd(last, getLastExtent(row).getConstant().value_or(1));
    isFirst = false;
  }
  if (isFirst || (shape.size && *shape.size < kShortGPURow))
    return {};
  shape.last = last;
  // Of what knows nothing of a row all threads may have neighbours anywhere.
  shape.canPeel =
      getPeelableSize(kernel).has_value() &&
      llvm::any_of(kernel.getNests(), [&](NestOpInterface nest) {
        return isOnePerPoint(kernel, nest);
      });
  Widths widths = getWidths(kernel);
  shape.narrow = widths.narrow;
  shape.wide = widths.wide;
  for (SortOp op : kernel.getBody().getOps<SortOp>()) {
    shape.isSorted = true;
    shape.hasSeveralKeys |=
        op.getBody().front().getTerminator()->getNumOperands() > 1;
  }
  shape.selected = findSelected(kernel);
  auto rows = guard::product(context, getExprs(kernel.getShared())).getConstant();
  shape.areFew = rows && *rows < machine.multiprocessors;
  GPURowsSchedule s = chooseGPURows(shape);
  return GPURowsScheduleAttr::get(context, s.threads, s.rows, s.lanes, s.steps,
                                  s.stages);
}

/// Null if its rows are not worth sharing.
static ScheduleAttr chooseRows(KernelOp kernel, const KernelStrides &strides,
                               const GPUMachine &machine) {
  GPURowsScheduleAttr rows = chooseOwnRows(kernel, machine);
  auto brought = rows ? bringRows(kernel, strides, machine, rows,
                                  /*onlyIfBetter=*/true)
                      : GPURowsScheduleAttr();
  return brought ? brought : rows;
}

/// Bytes of what `sum` has of one column.
static int64_t countSummed(ReduceOp sum) {
  int64_t bytes = 0;
  for (Type type : sum.getResultTypes())
    bytes += analysis::getElementBytes(
        cast<RankedTensorType>(type).getElementType());
  return bytes;
}

/// Bytes that a thread keeps for each element that it has of so many rows of `size`: sums,
/// elements of this row and the next, and of what all rows read.
static int64_t countKept(ArrayRef<ReduceOp> sums, ValueRange inputs, Size rows,
                         int64_t size) {
  int64_t kept = 0;
  for (ReduceOp sum : sums)
    kept += countSummed(sum);
  for (Value input : inputs) {
    auto type = cast<RankedTensorType>(input.getType());
    int64_t bytes = analysis::getElementBytes(type.getElementType());
    if (!rows || !type.hasStaticShape() ||
        type.getNumElements() / std::max<int64_t>(size, 1) >= *rows)
      kept += 2 * bytes;
    else if (type.getNumElements() == size)
      kept += bytes;
  }
  return kept;
}

std::optional<GPURowPartsSchedule>
loop::chooseGPURowParts(KernelOp kernel, ReduceOp further, ValueRange inputs,
                        const GPUMachine &machine) {
  if (!canShareRows(kernel))
    return std::nullopt;
  MLIRContext *context = kernel.getContext();
  SmallVector<ReduceOp> sums;
  GPURowPartsShape shape;
  int64_t last = 0;
  auto takeRow = [&](ArrayRef<ExprAttr> row) {
    Size size = guard::product(context, row).getConstant(),
         end = getLastExtent(row).getConstant();
    if (!size || *size == 0 || (last != 0 && *size != shape.size))
      return false;
    shape.size = *size;
    last = std::gcd(last, *end);
    return true;
  };
  for (NestOpInterface nest : kernel.getNests()) {
    SmallVector<ExprAttr> row;
    if (auto parts = getRowParts(kernel, nest)) {
      sums.push_back(cast<ReduceOp>(nest.getOperation()));
      row = getColumns(sums.back(), *parts);
    } else if (!nest.isPointwise() && !isa<ReduceOp>(nest.getOperation())) {
      return std::nullopt;
    } else {
      row = getRowExtents(kernel, nest);
    }
    if (!row.empty() && !takeRow(row))
      return std::nullopt;
  }
  if (further) {
    sums.push_back(further);
    SmallVector<ExprAttr> columns = further.getDomain().parallel;
    llvm::erase_if(columns, [](ExprAttr e) { return e.isConstant(1); });
    if (columns.empty() || !takeRow(columns))
      return std::nullopt;
  }
  if (sums.empty())
    return std::nullopt;
  shape.last = last;
  Widths widths = getWidths(kernel);
  shape.narrow = widths.narrow;
  shape.wide = widths.wide;
  shape.joined = 0;
  for (ReduceOp sum : sums)
    shape.joined = std::max(shape.joined, countSummed(sum));
  shape.kept = countKept(
      sums, inputs,
      guard::product(context, getExprs(kernel.getShared())).getConstant(),
      shape.size);
  return chooseGPURowParts(shape, machine);
}

/// Null if a thread has no room for what it sums up.
static ScheduleAttr chooseRowParts(KernelOp kernel,
                                   const KernelStrides &strides,
                                   const GPUMachine &machine) {
  auto s = chooseGPURowParts(kernel, {}, kernel.getInputs(), machine);
  if (!s)
    return {};
  auto rows =
      GPURowsScheduleAttr::get(kernel.getContext(), s->threads, s->rows,
                               s->lanes, s->steps, /*stages=*/0);
  auto brought = bringRows(kernel, strides, machine, rows, /*onlyIfBetter=*/true);
  return brought ? brought : rows;
}

/// Null if its points occupy the machine, or there is no way to reduce in parts.
static ScheduleAttr chooseParts(KernelOp kernel, const KernelStrides &strides,
                                bool across, const GPUMachine &machine,
                                const analysis::SizeHints &hints) {
  if (!canReduceInParts(kernel))
    return {};
  ReduceOp op = *kernel.getBody().getOps<ReduceOp>().begin();
  Domain domain = op.getDomain();
  GPUPartsShape shape;
  shape.points = hints.product(domain.parallel);
  shape.size = hints.product(domain.reduction);
  shape.across = across;
  shape.canVector = !analysis::mayTrap(kernel);
  if (across) {
    SmallVector<ExprAttr> shared =
        analysis::collapseShared(kernel, analysis::getLayout(kernel, strides));
    shape.last = shared.empty() ? Size(1) : shared.back().getConstant();
  } else {
    shape.last = domain.reduction.back().getConstant();
  }
  Widths widths = getWidths(kernel);
  shape.narrow = widths.narrow;
  shape.wide = widths.wide;
  auto s = chooseGPUParts(shape, machine);
  if (!s)
    return {};
  return GPUPartsScheduleAttr::get(kernel.getContext(), s->threads, s->lanes,
                                   s->parts, s->columns);
}

/// True if a thread for each point would compute many elements one after the other, and there
/// are too few threads to make up for it.
static bool isSerial(KernelOp kernel, const GPUMachine &machine,
                     const analysis::SizeHints &hints) {
  FusionOptions limits = getGPUFusionOptions(machine);
  int64_t points = std::max<int64_t>(
      hints.product(getExprs(kernel.getShared())), 1);
  int64_t elements = 0;
  for (NestOpInterface nest : kernel.getNests())
    elements += hints.product(nest.getDomain().all());
  return points < limits.minAcrossItems &&
         elements / points > limits.mostSerialPoints;
}

ScheduleAttr loop::chooseGPUSchedule(KernelOp kernel,
                                     const KernelStrides &strides,
                                     const GPUMachine &machine,
                                     const analysis::SizeHints &hints) {
  if (ContractOp op = getFollowedProduct(kernel))
    return chooseMatrixProduct(op, strides, machine, hints);
  if (StringRef why; mixesContractions(kernel))
    return chooseGPUBlocks(kernel, strides, machine, hints, why);
  for (NestOpInterface nest : kernel.getNests()) {
    if (auto scatter = dyn_cast<ScatterOp>(nest.getOperation()))
      return chooseGPUScatter(scatter, kernel, strides, machine, hints);
    if (auto op = dyn_cast<ContractOp>(nest.getOperation()))
      if (ScheduleAttr product =
              chooseMatrixProduct(op, strides, machine, hints))
        return product;
    if (isa<ContractOp>(nest.getOperation())) {
      ScheduleAttr tile = chooseResultTile(kernel, machine, hints);
      return tile ? tile : chooseThreads(kernel, strides, machine, hints);
    }
  }
  if (getRowParts(kernel))
    return chooseRowParts(kernel, strides, machine);
  if (ScheduleAttr tile = chooseResultTile(kernel, machine, hints))
    return tile;
  Walk walk = getWalk(kernel, hints, /*joinsReduced=*/false);
  if (ScheduleAttr parts = chooseParts(
          kernel, strides, /*across=*/walk != Walk::Within, machine, hints))
    return parts;
  if (ScheduleAttr columns = chooseColumns(kernel, strides, machine, hints))
    return columns;
  if (walk == Walk::Tiled)
    if (ScheduleAttr tile = chooseTile(kernel, strides))
      return tile;
  // Threads that share rows that lie across memory are better than a few that have one each.
  bool mayShare = walk == Walk::Within || isSerial(kernel, machine, hints);
  if (mayShare && canShareRows(kernel))
    if (ScheduleAttr rows = chooseRows(kernel, strides, machine))
      return rows;
  return chooseThreads(kernel, strides, machine, hints);
}
