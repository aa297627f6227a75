//===- ChooseSchedule.cpp - How the code of each kernel is laid out -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

#include "FewWindows.h"
#include "KernelWalk.h"
#include "StreamedResults.h"

#include "kiln/Analysis/Blocks.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using analysis::KernelStrides;
using guard::ExprAttr;

/// Steps of a stride in memory that lanes along a sum may take: vectors are shuffled out of
/// what lies between.
static constexpr int64_t kMaxStepInRow = 4;
/// What a size that is not known counts as, in estimates.
static constexpr int64_t kUnknownExtent = 64;

//===----------------------------------------------------------------------===//
// What a kernel looks like
//===----------------------------------------------------------------------===//

/// Elements of a vector by the widest element that is computed with, 4 bytes at
/// least. An index as a number is mostly compared, and then has no lanes of its
/// own.
static int64_t getVector(Operation *code, const Machine &machine) {
  int64_t widest = 4;
  code->walk([&](Operation *op) {
    if (isa<arith::IndexCastOp>(op))
      return;
    for (Type type : op->getResultTypes())
      if (type.isF64() || type.isInteger(64))
        widest = 8;
  });
  return machine.vectorBits / (8 * widest);
}

/// The same of a nest whose lanes are among its dimensions from `first` on: what does not
/// depend on these, as the target of a row, is a scalar.
static int64_t getVector(NestOpInterface nest, unsigned first,
                         const Machine &machine) {
  int64_t widest = 4;
  llvm::SmallDenseSet<Value> varying;
  nest->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        auto dim = nest.getDimensionOf(argument);
        if (!dim || *dim >= first)
          varying.insert(argument);
      }
    if (op == nest.getOperation() ||
        llvm::none_of(op->getOperands(),
                      [&](Value operand) { return varying.contains(operand); }))
      return;
    for (Value result : op->getResults()) {
      varying.insert(result);
      Type type = result.getType();
      if (!isa<arith::IndexCastOp>(op) && (type.isF64() || type.isInteger(64)))
        widest = 8;
    }
  });
  return machine.vectorBits / (8 * widest);
}

/// Lanes of a reduction along its rows, or 1 for rows side by side. What else is
/// in the kernel does not matter, so that the reduction adds up in the same order
/// wherever it is fused, and what is computed again has the same bits.
static int64_t getRowLanes(NestOpInterface nest, const Machine &machine,
                           const analysis::SizeHints &hints) {
  if (readsAcross(nest, hints, /*joinsReduced=*/true))
    return 1;
  return chooseRowLanes(
      getVector(nest, nest.getDomain().parallel.size(), machine),
      analysis::getCost(nest->getRegion(0)),
      hints.evaluate(analysis::collapseReduced(nest, nullptr).back()));
}

/// A size in estimates that must not depend on hints: kernels of equal code share
/// a function.
static int64_t estimate(ExprAttr expr) {
  auto value = guard::evaluate(
      expr, [](ExprAttr leaf) -> std::optional<guard::Number> {
        return leaf.isSymbol() ? std::optional(guard::Number::of(kUnknownExtent))
                               : std::nullopt;
      });
  return value && !value->isFloat ? std::max<int64_t>(value->integer, 0)
                                  : kUnknownExtent;
}

/// The extents of a nest from dimension `first` on, multiplied.
static int64_t countPoints(NestOpInterface nest, unsigned first) {
  uint64_t points = 1;
  SmallVector<ExprAttr> extents = nest.getDomain().all();
  for (ExprAttr extent : ArrayRef(extents).drop_front(first))
    points = llvm::SaturatingMultiply<uint64_t>(
        points, std::max<int64_t>(estimate(extent), 1));
  return std::min<uint64_t>(points, INT64_MAX);
}

//===----------------------------------------------------------------------===//
// Kernels of nests
//===----------------------------------------------------------------------===//

namespace {
/// The schedule of one kernel.
class Chooser {
public:
  Chooser(KernelOp kernel, const KernelStrides &strides, const Machine &machine,
          const analysis::SizeHints &hints)
      : kernel(kernel), context(kernel.getContext()), strides(strides),
        machine(machine), hints(hints) {}

  ScheduleAttr choose();
  /// Blocks of `rows` rows, or of as many as the machine wants.
  ScheduleAttr chooseBlocks(std::optional<int64_t> rows);
  std::optional<ProductShape> findProduct(ContractOp op);

private:
  ScheduleAttr chooseContraction(ContractOp op);
  ScheduleAttr chooseExpanded(ContractOp op);
  int64_t countLanes(ContractOp op) const;
  ScheduleAttr chooseScatter(ScatterOp op);
  ScheduleAttr chooseNests();
  ScheduleAttr addStream(ScheduleAttr schedule);
  ScheduleAttr chooseAcross(KernelOp kernel, ArrayRef<ExprAttr> shared,
                            int64_t vector);
  ScheduleAttr
  chooseWithin(KernelOp kernel, int64_t vector,
               llvm::function_ref<std::optional<int64_t>(NestOpInterface)> wanted);
  TransposeScheduleAttr chooseTranspose(const analysis::KernelLayout &layout,
                                        ArrayRef<ExprAttr> shared,
                                        int64_t vector);

  KernelOp kernel;
  MLIRContext *context;
  const KernelStrides &strides;
  const Machine &machine;
  const analysis::SizeHints &hints;
};
} // namespace

bool loop::hasBlocks(NestOpInterface nest) {
  auto reduction = dyn_cast<AccumulationOpInterface>(nest.getOperation());
  return reduction && nest.isReduction() && reduction.roundsEachStep();
}

ScheduleAttr Chooser::chooseAcross(KernelOp kernel, ArrayRef<ExprAttr> shared,
                                   int64_t vector) {
  AcrossShape shape;
  unsigned lane = analysis::getLaneDim(shared);
  shape.last = shared[lane].getConstant();
  shape.hasOuter = llvm::any_of(shared.take_front(lane), [](ExprAttr extent) {
    return !extent.isConstant(1);
  });
  shape.vector = vector;
  shape.traps = analysis::mayTrap(kernel);
  for (NestOpInterface nest : kernel.getNests()) {
    shape.addsFloats |= hasBlocks(nest);
    // Sums of blocks have a value of their own.
    if (nest.isReduction())
      shape.carried = std::max<int64_t>(
          shape.carried, nest->getNumResults() * (1 + hasBlocks(nest)));
    SmallVector<ExprAttr> extents = nest.getDomain().all();
    for (ExprAttr extent : ArrayRef(extents).drop_front(shared.size()))
      shape.inner = std::max(shape.inner, estimate(extent));
  }
  if (lane > 0 && !shape.traps) {
    unsigned beside = analysis::getLaneDim(shared.take_front(lane));
    shape.beside = shared[beside].getConstant();
    shape.hasWindows = hasWindows(kernel, shared.size());
    shape.readsAlone =
        llvm::all_of(kernel.getNests(), [](NestOpInterface nest) {
          return !nest.isReduction() || analysis::getReads(nest).size() <= 1;
        });
    shape.sharesValues = sharesValues(kernel, shared.size(), beside);
  }
  AcrossSchedule s = loop::chooseAcross(shape, machine);
  return AcrossScheduleAttr::get(context, s.lanes, s.chunk, s.sumBlock,
                                 s.masked, s.grain, s.points, /*stream=*/{});
}

ScheduleAttr Chooser::chooseWithin(
    KernelOp kernel, int64_t vector,
    llvm::function_ref<std::optional<int64_t>(NestOpInterface)> wanted) {
  SmallVector<int64_t> along, beside;
  bool sums = false;
  int64_t points = 1, rows = 1;
  analysis::KernelLayout layout = analysis::getLayout(kernel, strides);
  unsigned shared = kernel.getShared().size();
  for (NestOpInterface nest : kernel.getNests()) {
    Domain domain = nest.getDomain();
    auto parts = getRowParts(kernel, nest);
    NestShape shape;
    shape.hasOwn = domain.parallel.size() > (parts ? parts->dim + 1 : shared);
    if (shape.hasOwn)
      shape.own = domain.parallel.back().getConstant();
    shape.vector = vector;
    if (nest.isPointwise())
      shape.vector = std::max(vector, getVector(nest, shared, machine));
    shape.traps = analysis::mayTrap(nest);
    if (nest.isReduction()) {
      shape.kind = NestShape::Kind::Reduction;
      shape.row =
          analysis::collapseReduced(nest, &layout).back().getConstant();
      shape.wanted = parts ? 1 : wanted(nest);
    } else if (auto scan = dyn_cast<ScanOp>(nest.getOperation());
               scan && scan.getCombiner().empty()) {
      shape.kind = NestShape::Kind::Scan;
      shape.row = domain.reduction.back().getConstant();
      shape.wanted = wanted(nest);
    } else if (auto sort = dyn_cast<SortOp>(nest.getOperation());
               sort && !sort.keepsAll()) {
      // Vectors show that nothing of theirs is kept.
      shape.kind = NestShape::Kind::Scan;
      shape.row = domain.reduction.back().getConstant();
      shape.wanted = wanted(nest);
      shape.vector = shape.wanted.value_or(vector);
    } else if (nest.isOrdered()) {
      shape.kind = NestShape::Kind::Ordered;
    }
    NestLanes lanes = chooseNestLanes(shape, machine);
    if (parts) // sums lie in memory, beside each other
      lanes.along = 1;
    along.push_back(lanes.along);
    beside.push_back(lanes.beside);
    if (parts) {
      rows = estimate(guard::product(context, parts->rows));
      continue;
    }
    sums |= hasBlocks(nest);
    points = std::max(points, countPoints(nest, shared));
  }
  points = llvm::SaturatingMultiply<uint64_t>(points, rows);
  return WithinScheduleAttr::get(context, along, beside, sums ? kSumBlock : 0,
                                 machine.masks, getGrain(machine, points),
                                 /*stream=*/{});
}

TransposeScheduleAttr
Chooser::chooseTranspose(const analysis::KernelLayout &layout,
                         ArrayRef<ExprAttr> shared, int64_t vector) {
  bool isPointwise =
      llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
        return nest.isPointwise() &&
               nest.getDomain().rank() == shared.size();
      });
  if (!isPointwise)
    return {};
  for (const analysis::TransposedRead &read :
       analysis::getTransposedReads(kernel, layout))
    if (auto s = loop::chooseTranspose(shared.back().getConstant(),
                                       shared[read.dim].getConstant(), vector,
                                       analysis::mayTrap(kernel), machine))
      return TransposeScheduleAttr::get(context, read.dim, s->lanes, s->block,
                                        s->grain, /*stream=*/{});
  return {};
}

ScheduleAttr Chooser::chooseNests() {
  Walk walk = getWalk(kernel, hints, /*joinsReduced=*/true);
  int64_t vector = getVector(kernel, machine);
  analysis::KernelLayout layout = analysis::getLayout(kernel, strides);
  SmallVector<ExprAttr> shared = analysis::collapseShared(kernel, layout);
  if (walk == Walk::Tiled)
    if (TransposeScheduleAttr tiled = chooseTranspose(layout, shared, vector))
      return tiled;
  if (canWalkAcross(kernel) &&
      (walk != Walk::Within ||
       (waitsAlongRows(kernel) &&
        estimate(shared[analysis::getLaneDim(shared)]) >= vector))) {
    // What is joined with the dimension of lanes is before it, as extents of 1.
    unsigned first = analysis::getLaneDim(shared);
    while (first > 0 && shared[first - 1].isConstant(1))
      --first;
    int64_t lanes = machine.vectorBits / 32;
    for (NestOpInterface nest : kernel.getNests())
      lanes = std::min(lanes, getVector(nest, first, machine));
    return chooseAcross(kernel, shared, lanes);
  }
  return chooseWithin(kernel, vector,
                      [&](NestOpInterface nest) -> std::optional<int64_t> {
                        if (walk != Walk::Within)
                          return std::nullopt;
                        return getRowLanes(nest, machine, hints);
                      });
}

ScheduleAttr Chooser::chooseScatter(ScatterOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  unsigned independent = countIndependent(op);
  Size last = 1;
  if (type.getRank() > int64_t(independent))
    last = guard::getDims(type)->back().getConstant();
  int64_t bits = std::max(
      8u, getBodyType(type.getElementType()).getIntOrFloatBitWidth());
  unsigned rank = op.getDomain().rank();
  ScatterShape shape;
  shape.last = last;
  shape.vector = machine.vectorBits / bits;
  if (scattersRows(op))
    shape.vector = std::min(shape.vector, getVector(op, rank - 1, machine));
  shape.points = countPoints(op, independent);
  SmallVector<ExprAttr> extents = op.getDomain().all();
  shape.items = estimate(guard::product(
      context, ArrayRef(extents).take_front(independent)));
  if (ownsColumns(op) && independent < rank)
    shape.columns = countPoints(op, rank - 1);
  shape.traps = analysis::mayTrap(kernel);
  ScatterSchedule s = loop::chooseScatter(shape, machine);
  return ScatterScheduleAttr::get(context, s.lanes, s.masked, s.grain,
                                  s.columns);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Of members in groups each group has its share, as far as is known beforehand; of rows there
/// is room for twice as many, since groups differ and a second item packs the columns again.
/// How many it has is not known: schedules that repeat rows in their code do not fit, and
/// members that are summed up have no runs of a known length.
static void shareMembers(ProductShape &product, bool areRows) {
  Size &members = areRows ? product.m : product.k;
  if (!areRows)
    product.aRun = 0;
  if (members && product.batch && *product.batch > 0)
    members = std::min<int64_t>(*members, llvm::divideCeil(*members, *product.batch) *
                                     (areRows ? 2 : 1));
  product.isRegular = false;
}

static ProductShape describe(ContractOp op,
                             const analysis::ContractionShape &shape) {
  ProductShape product;
  product.batch = shape.batch.extent.getConstant();
  product.m = shape.rows.extent.getConstant();
  product.n = shape.columns.extent.getConstant();
  product.k = shape.sum.extent.getConstant();
  product.sumBits = op.getAccType().getIntOrFloatBitWidth();
  product.ofBF16 =
      op.getAccType().isF32() && analysis::hasFactorsOfBF16(op);
  product.ofBytes = analysis::getUnsignedFactor(op).has_value();
  product.isRegular = llvm::none_of(
      llvm::seq(3u), [&](unsigned k) { return shape.isIrregular(k); });
  product.aIsMatrix = !shape.isIrregular(0);
  auto isOne = [](ExprAttr step) { return step && step.isConstant(1); };
  product.cBatch = isOne(shape.batch.steps[2]);
  product.aRows = isOne(shape.sum.steps[0]);
  product.bRows = isOne(shape.columns.steps[1]);
  product.bColumns = isOne(shape.sum.steps[1]);
  product.cRows = isOne(shape.columns.steps[2]);
  product.aRun = analysis::getRunInPlace(op, shape);
  SmallVector<ExprAttr> extents = getExprs(op.getParallelExtents());
  ExprAttr outer = guard::getConstant(op.getContext(), 1);
  for (unsigned dim : shape.outer)
    outer = outer * extents[dim];
  product.outer = outer.getConstant();
  if (op.isGrouped())
    shareMembers(product, op.hasGroupedRows());
  return product;
}

std::optional<ProductShape> Chooser::findProduct(ContractOp op) {
  auto stridesOf = [&](Value operand) -> ArrayRef<ExprAttr> {
    return strides[cast<BlockArgument>(operand).getArgNumber()];
  };
  auto shape = analysis::analyzeContraction(op, stridesOf(op.getLhs()),
                                            stridesOf(op.getRhs()));
  if (!shape)
    return std::nullopt;
  return describe(op, *shape);
}

ScheduleAttr Chooser::chooseContraction(ContractOp op) {
  auto product = findProduct(op);
  if (product && isWorthPacking(*product) &&
      !walksFewWindows(op, *product, strides, countLanes(op)))
    return toAttribute(context, chooseProduct(*product, machine));
  return chooseExpanded(op);
}

int64_t Chooser::countLanes(ContractOp op) const {
  return std::min<int64_t>(
      machine.vectorBits / op.getAccType().getIntOrFloatBitWidth(), 128);
}

/// Fewer lanes where the last of them would be mostly empty: 144 channels, whose rows are
/// short, are five times 32 rather than twice 128.
static AcrossScheduleAttr fitColumns(AcrossScheduleAttr s, Size columns,
                                     int64_t vector) {
  int64_t lanes = s.getLanes();
  if (!columns || *columns == 0 || s.getChunk() > lanes)
    return s;
  while (lanes > vector && roundUp(*columns, lanes) > *columns + *columns / 8)
    lanes /= 2;
  return AcrossScheduleAttr::get(s.getContext(), lanes, std::min(lanes, *columns),
                                 s.getSumBlock(), s.getMasked(), s.getGrain(),
                                 s.getPoints(), s.getStream());
}

/// A contraction as a reduction: lanes along the last parallel dimension if both
/// operands and the result are contiguous or constant there, along the reduction
/// if both operands are contiguous there and a vector fits; also where the last parallel
/// dimension fills half a vector at most, as the taps of a window's gradient do.
ScheduleAttr Chooser::chooseExpanded(ContractOp op) {
  unsigned parallel = op.getParallelExtents().size();
  unsigned rank = parallel + op.getReductionExtents().size();
  int64_t lanes = countLanes(op);
  // Dimensions of 1 are no steps: a convolution of 1 x 1 is a product of matrices.
  SmallVector<ExprAttr> extents = op.getDomain().all();
  unsigned row = getEnd(extents, parallel, rank), across = getEnd(extents, 0, parallel);
  bool isLong = row > parallel && extents[row - 1].getConstant().value_or(lanes) >= lanes;
  bool isNarrow =
      across > 0 && 2 * extents[across - 1].getConstant().value_or(lanes) <= lanes;
  bool isRow = isLong && haveSteps(op, strides, row - 1, 1, isNarrow ? kMaxStepInRow : 1) &&
               (isNarrow || !(across > 0 && haveSteps(op, strides, across - 1, 0, 1)));

  // As it will be emitted.
  KernelOp copy = cast<KernelOp>(kernel->clone());
  copy.setSharedAttr(op.getParallelExtents());
  expandContraction(*copy.getBody().front().getOps<ContractOp>().begin());
  ScheduleAttr schedule;
  if (!isRow && canWalkAcross(copy)) {
    analysis::KernelLayout layout = analysis::getLayout(copy, strides);
    SmallVector<ExprAttr> shared = analysis::collapseShared(copy, layout);
    schedule = fitColumns(
        cast<AcrossScheduleAttr>(chooseAcross(copy, shared, lanes)),
        shared[analysis::getLaneDim(shared)].getConstant(), lanes);
  } else {
    auto within = cast<WithinScheduleAttr>(
        chooseWithin(copy, lanes, [&](NestOpInterface) {
          return lanes * (1 + isRow);
        }));
    // The epilogue has one value per point.
    schedule = WithinScheduleAttr::get(
        context, within.getAlong().take_front(), within.getBeside().take_front(),
        within.getSumBlock(), within.getMasked(), within.getGrain(),
        /*stream=*/{});
  }
  copy->erase();
  return schedule;
}

//===----------------------------------------------------------------------===//
// Contractions among other nests
//===----------------------------------------------------------------------===//

/// A product of known extents, as static as they are.
static Size getSize(ArrayRef<ExprAttr> extents) {
  return guard::product(extents.front().getContext(), extents).getConstant();
}

ScheduleAttr Chooser::chooseBlocks(std::optional<int64_t> wantedRows) {
  SmallVector<ExprAttr> shared = getExprs(kernel.getShared());
  analysis::KernelLayout layout = analysis::getBlockLayout(kernel, strides);
  BlocksShape shape;
  shape.rows = shared.back().getConstant();
  shape.points = 1;
  if (shared.size() > 1)
    shape.points = getSize(ArrayRef(shared).drop_back());
  shape.rowBytes = 0;
  for (NestOpInterface nest : kernel.getNests())
    for (Value result : nest->getResults()) {
      if (!analysis::isKeptForBlock(kernel, result))
        continue;
      Size row = layout.lookup(result)[shared.size() - 1].getConstant();
      Type element = cast<RankedTensorType>(result.getType()).getElementType();
      if (row && shape.rowBytes)
        shape.rowBytes = llvm::SaturatingMultiplyAdd<uint64_t>(
            *row, analysis::getElementBytes(element), *shape.rowBytes);
      else
        shape.rowBytes = std::nullopt;
    }
  int64_t rows = wantedRows ? *wantedRows : chooseBlockRows(shape, machine);

  SmallVector<Attribute> products;
  auto found = analysis::getBlockProducts(kernel, layout);
  if (!found)
    return {};
  for (const analysis::BlockProduct &product : *found) {
    ProductShape extents = describe(product.op, product.shape);
    PackedSchedule packed = product.overRows
                                ? chooseBlockSum(extents, rows, machine)
                                : chooseBlockProduct(extents, rows, machine);
    products.push_back(toAttribute(context, packed));
  }
  auto within = cast<WithinScheduleAttr>(
      chooseWithin(kernel, getVector(kernel, machine),
                   [&](NestOpInterface nest) -> std::optional<int64_t> {
                     return getRowLanes(nest, machine, hints);
                   }));
  SmallVector<int64_t> along(within.getAlong()), beside(within.getBeside());
  for (auto [k, nest] : llvm::enumerate(kernel.getNests()))
    if (isa<ContractOp>(nest.getOperation()))
      along[k] = beside[k] = 1;
  within = WithinScheduleAttr::get(context, along, beside, within.getSumBlock(),
                                   within.getMasked(), within.getGrain(),
                                   /*stream=*/{});
  return BlocksScheduleAttr::get(context, rows, within,
                                 ArrayAttr::get(context, products),
                                 /*grain=*/1);
}

/// The schedule, with results that caches would not keep.
ScheduleAttr Chooser::addStream(ScheduleAttr schedule) {
  SmallVector<int64_t> stream = getStreamedResults(kernel, machine.streamBytes);
  if (stream.empty())
    return schedule;
  if (auto s = dyn_cast<AcrossScheduleAttr>(schedule)) {
    // Lines of several points at a time are not begun and ended together.
    if (s.getPoints() > 1)
      return schedule;
    return AcrossScheduleAttr::get(context, s.getLanes(), s.getChunk(),
                                   s.getSumBlock(), s.getMasked(), s.getGrain(),
                                   s.getPoints(), stream);
  }
  if (auto s = dyn_cast<WithinScheduleAttr>(schedule))
    return WithinScheduleAttr::get(context, s.getAlong(), s.getBeside(),
                                   s.getSumBlock(), s.getMasked(), s.getGrain(),
                                   stream);
  if (auto s = dyn_cast<TransposeScheduleAttr>(schedule))
    return TransposeScheduleAttr::get(context, s.getDim(), s.getLanes(),
                                      s.getBlock(), s.getGrain(), stream);
  return schedule;
}

ScheduleAttr Chooser::choose() {
  if (mixesContractions(kernel))
    return chooseBlocks(std::nullopt);
  for (NestOpInterface nest : kernel.getNests()) {
    if (auto contract = dyn_cast<ContractOp>(nest.getOperation()))
      return chooseContraction(contract);
    if (auto scatter = dyn_cast<ScatterOp>(nest.getOperation()))
      return chooseScatter(scatter);
  }
  return addStream(chooseNests());
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

ScheduleAttr loop::chooseSchedule(KernelOp kernel, const KernelStrides &strides,
                                  const Machine &machine,
                                  const analysis::SizeHints &hints) {
  return Chooser(kernel, strides, machine, hints).choose();
}

ScheduleAttr loop::chooseBlocks(KernelOp kernel, const KernelStrides &strides,
                                const Machine &machine,
                                const analysis::SizeHints &hints,
                                int64_t rows) {
  return Chooser(kernel, strides, machine, hints).chooseBlocks(rows);
}

std::optional<ProductShape>
loop::findProduct(KernelOp kernel, const KernelStrides &strides,
                  const Machine &machine, const analysis::SizeHints &hints) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  if (nests.size() != 1)
    return std::nullopt;
  auto contract = dyn_cast<ContractOp>(nests.front().getOperation());
  if (!contract)
    return std::nullopt;
  return Chooser(kernel, strides, machine, hints).findProduct(contract);
}
