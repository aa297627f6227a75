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
#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Loop/IR/Precision.h"
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

/// Fewer elements of a sum are a thread's, or a tile's.
static constexpr int64_t kShortVectorSum = 32;

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
  shape.isSorted = !kernel.getBody().getOps<SortOp>().empty();
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

/// What maps the elements of operand `k` (A or B).
static Region &getPrologue(ContractOp op, const analysis::ContractionShape &shape,
                           unsigned k) {
  return (k == 0) != shape.exchanged ? op.getLhsPrologue()
                                     : op.getRhsPrologue();
}

bool loop::fitsBoxes(ContractOp op, const analysis::ContractionShape &shape,
                     unsigned k, int64_t bytes) {
  if (!getPrologue(op, shape, k).empty() ||
      shape.sum.extent.getConstant().value_or(0) < 1)
    return false;
  auto boxes = analysis::getOperandBoxes(op, shape, k, kCopiedAtOnce / bytes);
  // Warpgroups transpose elements of 16 bits only.
  return boxes && (bytes == 2 || boxes->alongSum);
}

/// Bytes of operand `k` that lie together wherever rows of a tile begin; those of a whole
/// access where that is not known.
static int64_t getTogether(ContractOp op,
                           const analysis::ContractionShape &shape, unsigned k,
                           int64_t bytes) {
  for (int64_t lanes = kCopiedAtOnce / bytes; lanes > 0; lanes /= 2)
    if (analysis::getOperandBoxes(op, shape, k, lanes))
      return lanes * bytes;
  return kCopiedAtOnce;
}

/// Of members in groups each group has its share: where they begin and how many there are is
/// not known. Of those that are summed up each is a line of what a copy engine brings, or there
/// would be more than lines to clear behind the last one.
static void shareMembers(GPUProductShape &product, ContractOp op,
                         const analysis::ContractionShape &shape) {
  product.inGroups = op.hasGroupedRows();
  int64_t &members = product.inGroups ? product.rows : product.sum;
  members = llvm::divideCeil(members, product.matrices);
  for (unsigned k = 0; k < 2 && product.inBoxes && !product.inGroups; ++k)
    product.inBoxes =
        !analysis::getOperandBoxes(op, shape, k, kCopiedAtOnce / product.bytes)
             ->alongSum;
  product.isGathered = product.knowsRows = product.maySplit = false;
}

ContractOp loop::getProduct(KernelOp kernel) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  return nests.size() == 1 ? dyn_cast<ContractOp>(nests[0].getOperation())
                           : ContractOp();
}

std::optional<analysis::ContractionShape>
loop::getTileShape(ContractOp op, const KernelStrides &strides) {
  analysis::KernelLayout layout =
      analysis::getLayout(op->getParentOfType<KernelOp>(), strides);
  return analysis::analyzeContraction(op, layout.lookup(op.getLhs()),
                                      layout.lookup(op.getRhs()),
                                      analysis::ContractionFrame::ofTiles());
}

GPUProductShape
loop::getGPUProductShape(ContractOp op, const analysis::ContractionShape &shape,
                         const GPUMachine &machine,
                         const analysis::SizeHints &hints) {
  Type factor = analysis::getFactorType(op);
  GPUProductShape product;
  SmallVector<ExprAttr> matrices = {shape.batch.extent};
  for (unsigned dim : shape.outer)
    matrices.push_back(op.getDomain().all()[dim]);
  auto count = [&](ArrayRef<ExprAttr> extents) {
    return std::max<int64_t>(hints.product(llvm::to_vector(extents)), 1);
  };
  product.matrices = count(matrices);
  product.rows = count(shape.rows.extent);
  product.knowsRows = shape.rows.extent.getConstant().has_value();
  product.columns = count(shape.columns.extent);
  product.sum = count(shape.sum.extent);
  if (!op.getEpilogue().empty())
    product.epilogue = double(analysis::getCost(op.getEpilogue()));
  op.getEpilogue().walk([&](LoadOp load) {
    product.reads +=
        hints.getBytes(cast<RankedTensorType>(load.getTensor().getType())) >=
        product.matrices * product.rows * product.columns;
  });
  product.sumBytes = op.getAccType().getIntOrFloatBitWidth() / 8;
  product.bytes = factor ? factor.getIntOrFloatBitWidth() / 8 : product.sumBytes;
  bool takesAll = machine.capability >= kGPUCopiesAhead;
  product.onUnits = factor && op.getAccType().isF32() &&
                    (factor.isF16() || (takesAll && factor.isBF16()) ||
                     (takesAll && factor.isF32() && permitsTf32(op)));
  product.byRegisters = machine.capability < kGPUCopiesAhead ||
                        !op.getLhsPrologue().empty() ||
                        !op.getRhsPrologue().empty();
  product.inBoxes = product.onUnits && machine.hasWarpgroups;
  for (unsigned k = 0; k < 2 && product.onUnits; ++k) {
    product.inBoxes &= fitsBoxes(op, shape, k, product.bytes);
    product.together =
        std::min(product.together, getTogether(op, shape, k, product.bytes));
    product.beginsSectors &=
        analysis::getOperandBoxes(op, shape, k, kSector / product.bytes)
            .has_value();
  }
  if (product.inBoxes)
    product.columnsAlongSum =
        analysis::getOperandBoxes(op, shape, 1, kCopiedAtOnce / product.bytes)
            ->alongSum;
  product.isGathered =
      product.onUnits && !product.inBoxes && machine.hasWarpgroups;
  if (op.isGrouped())
    shareMembers(product, op, shape);
  int64_t vector = kCopiedAtOnce / product.bytes;
  // Warpgroups take f32 along the sum.
  for (unsigned k = 0; k < 2 && product.isGathered; ++k)
    product.isGathered = analysis::hasSumVectors(op, shape, k, vector) ||
                         (product.bytes == 2 &&
                          analysis::hasAcrossVectors(op, shape, k, vector)) ||
                         fitsBoxes(op, shape, k, product.bytes);
  return product;
}

int64_t loop::getProductLanes(ContractOp op,
                              const analysis::ContractionShape &shape,
                              int64_t split) {
  int64_t lanes = 8;
  while (!analysis::canStoreVectors(op, shape, lanes, /*inParts=*/split > 1))
    lanes /= 2;
  return lanes;
}

/// Threads share the sum of an element, both of whose operands are along it: no tile is
/// needed. Null for others.
static ScheduleAttr chooseDots(ContractOp op,
                               const analysis::ContractionShape &shape) {
  auto size = shape.sum.extent.getConstant();
  if (op.isGrouped() || !op.getMasks().empty() || !size ||
      *size < kShortVectorSum || shape.sum.runs.size() != 1 ||
      !shape.sum.steps[0] || !shape.sum.steps[0].isConstant(1) ||
      !shape.sum.steps[1] || !shape.sum.steps[1].isConstant(1))
    return {};
  int64_t bytes = 1;
  for (Value operand : {op.getLhs(), op.getRhs()})
    bytes = std::max<int64_t>(
        bytes,
        analysis::getElementBytes(
            cast<RankedTensorType>(operand.getType()).getElementType()));
  auto last = getExprs(op.getReductionExtents()).back().getConstant();
  GPURowsSchedule s = chooseGPUVectorProduct(*size, last.value_or(1), bytes);
  return GPURowsScheduleAttr::get(op.getContext(), s.threads, s.rows, s.lanes,
                                  s.steps, s.stages);
}

/// True if a matrix is multiplied with a vector.
static bool isByVector(const analysis::ContractionShape &shape) {
  return shape.rows.extent.isConstant(1) || shape.columns.extent.isConstant(1);
}

/// A matrix times a vector: the matrix is read once. Null for others, and where there are
/// too few rows.
static ScheduleAttr chooseVectorProduct(ContractOp op,
                                        const analysis::ContractionShape &shape,
                                        const GPUMachine &machine,
                                        const analysis::SizeHints &hints) {
  if (!isByVector(shape) || hints.product(getExprs(op.getParallelExtents())) <
                                machine.multiprocessors)
    return {};
  return chooseDots(op, shape);
}

/// True if a thread for each element of the result has as little to do as a window of an image
/// has, of which each row meets one column: matrix units would multiply it with 15 others.
static bool isForThreads(ContractOp op, const analysis::ContractionShape &shape,
                         const GPUMachine &machine,
                         const analysis::SizeHints &hints) {
  return isByVector(shape) && !op.isGrouped() &&
         hints.product(getExprs(op.getReductionExtents())) <= kMostThreadSum &&
         hints.product(getExprs(op.getParallelExtents())) >=
             machine.multiprocessors * kGPUBlock;
}

/// Null for what is no product of matrices.
static ScheduleAttr chooseMatrixProduct(ContractOp op, KernelOp kernel,
                                        const KernelStrides &strides,
                                        const GPUMachine &machine,
                                        const analysis::SizeHints &hints) {
  auto shape = getTileShape(op, strides);
  // Neighbours of the result that are matrices of their own are for threads.
  if (!shape ||
      (shape->columns.dims.empty() && !shape->batch.dims.empty() &&
       shape->batch.steps[2] && shape->batch.steps[2].isConstant(1)))
    return {};
  if (ScheduleAttr rows = chooseVectorProduct(op, *shape, machine, hints))
    return rows;
  if (machine.capability < kGPUProduct ||
      isForThreads(op, *shape, machine, hints))
    return {};
  GPUProductShape product = getGPUProductShape(op, *shape, machine, hints);
  // A step of a recurrence has few rows, which are read again sooner than tiles are filled.
  if (ScheduleAttr dots = chooseDots(op, *shape);
      dots && estimateGPUDots(product, machine) <
                  estimateGPUProduct(product, machine))
    return dots;
  GPUProductSchedule s = chooseGPUProduct(product, machine);
  if (s.rows == 0)
    return {};
  return GPUProductScheduleAttr::get(
      kernel.getContext(), s.unit, s.rows, s.columns, s.sum, s.partRows,
      s.partColumns, s.stages, getProductLanes(op, *shape, s.split), s.group,
      s.split, s.blocks, s.cluster, s.turns, GPULibrary::None);
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
  if (StringRef why; mixesContractions(kernel))
    return chooseGPUBlocks(kernel, strides, machine, hints, why);
  for (NestOpInterface nest : kernel.getNests()) {
    if (auto scatter = dyn_cast<ScatterOp>(nest.getOperation()))
      return chooseGPUScatter(scatter, kernel, strides, machine, hints);
    if (auto op = dyn_cast<ContractOp>(nest.getOperation()))
      if (ScheduleAttr product =
              chooseMatrixProduct(op, kernel, strides, machine, hints))
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
