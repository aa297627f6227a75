//===- NestEmitter.cpp - Loops of pointwise nests and reductions ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Positions and loops
//===----------------------------------------------------------------------===//

Position loop::enter(const Position &shared, const Domain &domain) {
  Position position = shared;
  SmallVector<ExprAttr> extents = domain.all();
  unsigned rank = extents.size();
  position.dims.resize(rank);
  // Collapsed extents of shared dims stay as they are.
  position.extents.append(extents.begin() + shared.extents.size(),
                          extents.end());
  return position;
}

void loop::setDim(Position &position, unsigned dim, Value value,
                  int64_t lanes) {
  position.dims[dim] = value;
  if (lanes == 1)
    return;
  position.vectorDim = dim;
  position.lanes = lanes;
}

LogicalResult
KernelEmitter::emitIf(Value condition,
                      llvm::function_ref<LogicalResult()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  return body();
}

LogicalResult KernelEmitter::emitLoops(
    Position position, ArrayRef<unsigned> dims, int64_t lanes,
    llvm::function_ref<LogicalResult(const Position &)> body,
    ValueRange results) {
  if (dims.empty())
    return body(position);
  unsigned dim = dims.front();
  Value begin = getBegin(position, dim), one = constantIndex(1);
  Value first = begin ? begin : constantIndex(0);
  Value extent = getEnd(position, dim);
  auto emitFor = [&](Value from, Value to, Value step, int64_t width,
                     bool masked = false) -> LogicalResult {
    auto loop = scf::ForOp::create(b, from, to, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Position inner = position;
    setDim(inner, dim, loop.getInductionVar(), width);
    if (masked)
      inner.mask = firstLanes(
          arith::SubIOp::create(b, to, loop.getInductionVar()), width);
    return emitLoops(inner, dims.drop_front(), lanes, body, results);
  };
  bool vectorize = dims.size() == 1 && lanes > 1;
  if (!vectorize)
    return emitFor(first, extent, one, 1);
  SmallVector<Value> past = getStreamed(results, position, dim, lanes);
  if (!past.empty())
    return emitStreamed(position, dim, first, extent, lanes, past, body);
  Value step = constantIndex(lanes);
  Value length = begin ? arith::SubIOp::create(b, extent, begin) : extent;
  Value rest = arith::RemUIOp::create(b, length, step);
  Value split = arith::SubIOp::create(b, extent, rest);
  if (failed(emitFor(first, split, step, lanes)))
    return failure();
  auto constant = position.extents[dim].getConstant();
  if (constant && *constant % lanes == 0)
    return success();
  return masksTails ? emitFor(split, extent, step, lanes, /*masked=*/true)
                    : emitFor(split, extent, one, 1);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void KernelEmitter::finish(Value result, const Position &position,
                           Value value) {
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getRank() == int64_t(sharedExtents.size()))
    perPoint[result] = value;
  auto buffer = buffers.find(result);
  if (buffer == buffers.end())
    return;
  store(buffer->second,
        linearAddress(
            buffer->second,
            result.getDefiningOp<NestOpInterface>().getResultMap()),
        position, value, isStreaming && streamed.contains(result));
}

/// The accumulators of `op` as elements of its results.
void KernelEmitter::finishAccumulators(AccumulationOpInterface op,
                                       const Position &position,
                                       ArrayRef<Value> values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    Value result = op->getResult(i);
    Type element = cast<RankedTensorType>(result.getType()).getElementType();
    bool isWanted =
        getElementTypeOrSelf(value.getType()) == getBodyType(element);
    finish(result, position, isWanted ? value : toMemory(value, element));
  }
}

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitElement(PointwiseOp op,
                                         const Position &position) {
  BodyEmitter body(*this, position);
  Block &block = op.getBody().front();
  if (failed(body.emit(block)))
    return failure();
  Value value = body.get(block.getTerminator()->getOperand(0));
  // A scalar per point must not look like one value for all lanes.
  finish(op.getResult(), position, value);
  return success();
}

LogicalResult KernelEmitter::emitPointwise(PointwiseOp op,
                                           const Position &shared,
                                           int64_t lanes) {
  Position start = enter(shared, op.getDomain());
  SmallVector<unsigned> own;
  for (unsigned k = shared.extents.size(); k < start.extents.size(); ++k)
    own.push_back(k);
  return emitLoops(
      start, own, lanes,
      [&](const Position &position) { return emitElement(op, position); },
      op->getResults());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelEmitter::identities(AccumulationOpInterface op,
                                             int64_t lanes) {
  SmallVector<Value> result;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    Value value =
        op.getKind(i).kind == ReductionKind::Generic
            ? captured.lookup(op.getInits()[i])
            : arith::ConstantOp::create(b, op.getNeutral(b, i)).getResult();
    result.push_back(broadcast(value, lanes));
  }
  return result;
}

FailureOr<SmallVector<Value>>
KernelEmitter::combine(AccumulationOpInterface op, ArrayRef<Value> left,
                       ArrayRef<Value> right) {
  auto generic = [&](ArrayRef<Value> left, ArrayRef<Value> right)
      -> FailureOr<SmallVector<Value>> {
    auto vectorType = dyn_cast<VectorType>(left[0].getType());
    Position position;
    position.lanes = vectorType ? vectorType.getNumElements() : 1;
    SmallVector<Value> operands(left);
    operands.append(right.begin(), right.end());
    BodyEmitter body(*this, position);
    Block &block = op.getCombiner().front();
    if (failed(body.emit(block, operands)))
      return failure();
    SmallVector<Value> result;
    for (Value value : block.getTerminator()->getOperands())
      result.push_back(body.getWide(value));
    return result;
  };
  return op.combine(b, left, right, generic);
}

/// Halves the lanes until one is left: the tree depends on the number of lanes
/// only, so the same shape and schedule give the same bits.
FailureOr<SmallVector<Value>>
KernelEmitter::combineLanes(AccumulationOpInterface op, ArrayRef<Value> vectors) {
  SmallVector<Value> current(vectors);
  int64_t lanes = cast<VectorType>(current[0].getType()).getNumElements();
  for (; lanes > 1; lanes /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t k = 0; k < lanes / 2; ++k) {
      low.push_back(k);
      high.push_back(k + lanes / 2);
    }
    SmallVector<Value> left, right;
    for (Value value : current) {
      left.push_back(vector::ShuffleOp::create(b, value, value, low));
      right.push_back(vector::ShuffleOp::create(b, value, value, high));
    }
    auto combined = combine(op, left, right);
    if (failed(combined))
      return failure();
    current = std::move(*combined);
  }
  for (Value &value : current)
    value = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{0});
  return current;
}

/// What the body gives at a position, for each of its lanes.
FailureOr<SmallVector<Value>>
KernelEmitter::evaluate(AccumulationOpInterface op, const Position &position) {
  BodyEmitter body(*this, position);
  Block &block = op.getBody().front();
  if (failed(body.emit(block)))
    return failure();
  SmallVector<Value> values;
  for (Value value : block.getTerminator()->getOperands())
    values.push_back(body.getWide(value));
  return values;
}

/// Evaluates the body at a position and joins it with the accumulators.
FailureOr<SmallVector<Value>>
KernelEmitter::accumulate(AccumulationOpInterface op, const Position &position,
                          ArrayRef<Value> accumulators) {
  auto values = evaluate(op, position);
  if (failed(values))
    return failure();
  return combine(op, accumulators, *values);
}

/// True if the loops over `dims` are so short that their steps are written out, as
/// those over a window's taps: what only some indices decide is then computed once.
/// Where `points` are walked together only the last loop is: there the next step of one
/// reads what another has read.
static bool isWrittenOut(ReduceOp op, const Position &position,
                         ArrayRef<unsigned> dims, int64_t points) {
  constexpr int64_t kMostSteps = 16, kMostOperations = 160;
  if (points > 1 && dims.size() > 1)
    return false;
  int64_t steps = 1;
  for (unsigned dim : dims) {
    auto extent = position.extents[dim].getConstant();
    if (!extent || *extent < 1 || *extent > kMostSteps)
      return false;
    steps *= *extent;
  }
  int64_t operations = std::distance(op.getBody().front().begin(),
                                     op.getBody().front().end());
  return steps <= kMostSteps && steps * operations <= kMostOperations;
}

FailureOr<SmallVector<Value>> KernelEmitter::emitReductionLoops(
    ReduceOp op, ArrayRef<Position> positions, unsigned depth,
    ArrayRef<unsigned> dims, ArrayRef<Value> accumulators) {
  if (depth == dims.size())
    return accumulateTogether(op, positions, accumulators);
  unsigned dim = dims[depth];
  // Extents are those of all.
  const Position &position = positions.front();
  auto setAll = [&](Value index) {
    SmallVector<Position> at(positions);
    for (Position &one : at)
      setDim(one, dim, index, 1);
    return at;
  };
  Value zero = constantIndex(0), extent = getEnd(position, dim);
  auto end = getConstantIntValue(extent);
  if (end && isWrittenOut(op, position, dims.drop_front(depth),
                          positions.size())) {
    FailureOr<SmallVector<Value>> sums = llvm::to_vector(accumulators);
    for (int64_t k = 0; k < *end && succeeded(sums); ++k)
      sums = emitReductionLoops(op, setAll(constantIndex(k)), depth + 1, dims,
                                *sums);
    return sums;
  }
  auto emitFor = [&](Value from, Value to,
                     ArrayRef<Value> before) -> FailureOr<SmallVector<Value>> {
    auto loop = scf::ForOp::create(b, from, to, constantIndex(1), before);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    auto inner = emitReductionLoops(
        op, setAll(loop.getInductionVar()), depth + 1, dims,
        llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
    if (failed(inner))
      return failure();
    scf::YieldOp::create(b, *inner);
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  auto constant = position.extents[dim].getConstant();
  bool isShort = constant && *constant <= 2 * sumBlock;
  if (sumBlock == 0 || !op.roundsEachStep() || isShort)
    return emitFor(zero, extent, accumulators);

  Value block = constantIndex(sumBlock);
  auto blocks = scf::ForOp::create(b, zero, extent, block, accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(blocks.getBody());
  Value from = blocks.getInductionVar();
  Value to = arith::MinUIOp::create(
      b, arith::AddIOp::create(b, from, block), extent);
  SmallVector<Value> neutral = identities(op, position.lanes), begun;
  for (size_t k = 0; k < positions.size(); ++k)
    llvm::append_range(begun, neutral);
  auto part = emitFor(from, to, begun);
  if (failed(part))
    return failure();
  SmallVector<Value> all;
  SmallVector<Value> before =
      llvm::to_vector_of<Value>(blocks.getRegionIterArgs());
  for (size_t k = 0; k < before.size(); k += neutral.size()) {
    auto sums = combine(op, ArrayRef(before).slice(k, neutral.size()),
                        ArrayRef(*part).slice(k, neutral.size()));
    if (failed(sums))
      return failure();
    llvm::append_range(all, *sums);
  }
  scf::YieldOp::create(b, all);
  return llvm::to_vector_of<Value>(blocks.getResults());
}

/// Lanes along the last reduced dimension `last`, one after the other over those
/// in `outer`. Whole vectors are accumulated lane by lane; what is left of a row is
/// one more vector with a mask, or elements that have scalar accumulators of their
/// own. At the end all become one.
FailureOr<SmallVector<Value>>
KernelEmitter::emitReducedRows(ReduceOp op, const Position &position,
                               ArrayRef<unsigned> outer, unsigned last,
                               int64_t lanes, BeforeStep beforeStep) {
  RowBounds row = emitRowBounds(position, last, lanes);
  bool hasScalars = !row.isExact && !masksTails;
  SmallVector<Value> carried = identities(op, lanes);
  unsigned count = carried.size();
  if (hasScalars)
    llvm::append_range(carried, identities(op, 1));

  SmallVector<scf::ForOp> loops;
  OpBuilder::InsertionGuard guard(b);
  Position inner = position;
  for (unsigned dim : outer) {
    auto loop = scf::ForOp::create(b, row.zero,
                                   getEnd(position, dim), row.one, carried);
    b.setInsertionPointToEnd(loop.getBody());
    setDim(inner, dim, loop.getInductionVar(), 1);
    carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    loops.push_back(loop);
  }
  auto all = emitReducedRow(op, inner, last, lanes, row, carried, count,
                            beforeStep);
  if (failed(all))
    return failure();
  for (scf::ForOp loop : llvm::reverse(loops)) {
    scf::YieldOp::create(b, *all);
    all = llvm::to_vector_of<Value>(loop.getResults());
    b.setInsertionPointAfter(loop);
  }
  auto values = combineLanes(op, ArrayRef(*all).take_front(count));
  if (succeeded(values) && hasScalars)
    values = combine(op, *values, ArrayRef(*all).drop_front(count));
  return values;
}

/// Where the whole vectors of a row end.
KernelEmitter::RowBounds
KernelEmitter::emitRowBounds(const Position &position, unsigned dim,
                             int64_t lanes) {
  RowBounds row;
  row.zero = constantIndex(0);
  row.one = constantIndex(1);
  row.end = getEnd(position, dim);
  row.step = constantIndex(lanes);
  Value rest = arith::RemUIOp::create(b, row.end, row.step);
  row.split = arith::SubIOp::create(b, row.end, rest);
  auto constant = position.extents[dim].getConstant();
  row.isExact = constant && *constant % lanes == 0;
  return row;
}

/// One row of `emitReducedRows`: `carried` are `count` vectors and then, if there
/// are any, as many scalars.
FailureOr<SmallVector<Value>> KernelEmitter::emitReducedRow(
    ReduceOp op, const Position &outer, unsigned last, int64_t lanes,
    const RowBounds &row, ArrayRef<Value> carried, unsigned count,
    BeforeStep beforeStep) {
  auto emitFor = [&](Value from, Value to, Value by, int64_t width,
                     ArrayRef<Value> accumulators,
                     bool masked = false) -> FailureOr<SmallVector<Value>> {
    auto loop = scf::ForOp::create(b, from, to, by, accumulators);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Position at = outer;
    setDim(at, last, loop.getInductionVar(), width);
    if (masked)
      at.mask = firstLanes(
          arith::SubIOp::create(b, to, loop.getInductionVar()), width);
    SmallVector<Value> before =
        llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    if (beforeStep && failed(beforeStep(at)))
      return failure();
    auto values = accumulate(op, at, before);
    if (failed(values))
      return failure();
    if (masked)
      for (auto [value, old] : llvm::zip_equal(*values, before))
        value = arith::SelectOp::create(b, at.mask, value, old);
    scf::YieldOp::create(b, *values);
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  auto all =
      emitFor(row.zero, row.split, row.step, lanes, carried.take_front(count));
  if (succeeded(all) && !row.isExact && masksTails)
    all = emitFor(row.split, row.end, row.step, lanes, *all, /*masked=*/true);
  if (failed(all) || carried.size() == count)
    return all;
  auto scalars =
      emitFor(row.split, row.end, row.one, 1, carried.drop_front(count));
  if (failed(scalars))
    return failure();
  llvm::append_range(*all, *scalars);
  return all;
}

KernelEmitter::ReducedDims
KernelEmitter::enterReduced(ReduceOp op, const Position &shared) {
  Domain domain = op.getDomain();
  ReducedDims entered;
  auto &[start, own, reduced] = entered;
  start = enter(shared, domain);
  SmallVector<ExprAttr> extents = domain.all();
  if (joinsReduced)
    extents = analysis::collapseReduced(
        cast<NestOpInterface>(op.getOperation()), &layout);
  for (unsigned k = shared.extents.size(); k < start.extents.size(); ++k) {
    if (k < domain.parallel.size()) {
      own.push_back(k);
      continue;
    }
    if (extents[k] == start.extents[k] || !extents[k].isConstant(1))
      reduced.push_back(k);
    else // walked with the next
      start.dims[k] = constantIndex(0);
    start.extents[k] = extents[k];
  }
  return entered;
}

LogicalResult KernelEmitter::emitReduce(ReduceOp op, const Position &shared,
                                        OwnLanes wanted, BeforeStep before) {
  assert((!before || wanted.along > 1) && "of vectors along a row alone");
  ReducedDims entered = enterReduced(op, shared);
  ArrayRef<unsigned> reduced = entered.reduced;
  return emitLoops(
      entered.start, entered.own, wanted.beside,
      [&](const Position &position) -> LogicalResult {
        auto values =
            wanted.along == 1
                ? emitReductionLoops(op, position, 0, reduced,
                                     identities(op, position.lanes))
                : emitReducedRows(op, position, reduced.drop_back(),
                                  reduced.back(), wanted.along, before);
        if (failed(values))
          return failure();
        finishAccumulators(op, position, *values);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitNest(NestOpInterface nest,
                                      const Position &shared, OwnLanes lanes) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(nest)
      .Case([&](PointwiseOp op) {
        return emitPointwise(op, shared, lanes.along);
      })
      .Case([&](ReduceOp op) { return emitReduce(op, shared, lanes); })
      .Case([&](ScanOp op) { return emitScan(op, shared, lanes.along); })
      .Case([&](SortOp op) { return emitSort(op, shared, lanes.along); });
}

LogicalResult KernelEmitter::emitNests(const Position &shared) {
  for (NestOpInterface nest : kernel.getNests())
    if (failed(emitNest(nest, shared)))
      return failure();
  // Other positions have other values.
  perPoint.clear();
  return success();
}
