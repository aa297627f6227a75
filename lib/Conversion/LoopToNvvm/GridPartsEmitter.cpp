//===- GridPartsEmitter.cpp - Reductions in parts -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridParts.h"

#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Memory of the parts
//===----------------------------------------------------------------------===//

/// The number in memory.
static Type getPartType(Type type) {
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

/// A tensor [parts, shared...] of each accumulator, one behind the other.
void GridPartsEmitter::bindParts() {
  SmallVector<ExprAttr> extents = {guard::getConstant(context, parts.getParts())};
  llvm::append_range(extents, sharedExtents);
  ExprAttr elements = guard::product(context, extents);
  reached.push_back(elements);
  scratchBytes = guard::getConstant(context, 0);
  for (ReduceOp op : reductions) {
    for (Value neutral : identities(op, 1)) {
      Buffer buffer;
      buffer.elementType = getPartType(neutral.getType());
      buffer.strides = guard::getContiguousStrides(context, extents);
      buffer.alignment = 16;
      buffer.isConstant = !isFirst;
      buffer.pointer = LLVM::GEPOp::create(
          b, workspace.getType(), b.getI8Type(), workspace,
          ArrayRef<LLVM::GEPArg>{getWord(scratchBytes)});
      int64_t bits = buffer.elementType.getIntOrFloatBitWidth();
      scratchBytes =
          scratchBytes + guard::ceilDiv(elements * ((bits + 7) / 8), 16) * 16;
      partials.push_back(buffer);
    }
  }
}

/// The place of a part of the points at `position`.
Position GridPartsEmitter::getPlace(const Position &position, Value part) {
  Position place = position;
  unsigned shared = sharedExtents.size();
  place.dims.assign({part});
  place.dims.append(position.dims.begin(), position.dims.begin() + shared);
  place.extents.assign({guard::getConstant(context, parts.getParts())});
  llvm::append_range(place.extents, sharedExtents);
  if (position.vectorDim >= 0)
    ++place.vectorDim;
  return place;
}

void GridPartsEmitter::storePart(const Position &position, Value part,
                                 ArrayRef<Value> values) {
  Position place = getPlace(position, part);
  SmallVector<ExprAttr> identity =
      getIdentityMap(context, place.extents.size());
  for (auto [buffer, value] : llvm::zip_equal(partials, values)) {
    Value stored = value;
    if (getElementTypeOrSelf(value.getType()).isIndex()) {
      auto vector = dyn_cast<VectorType>(value.getType());
      stored = arith::IndexCastOp::create(
          b, vector ? Type(vector.clone(b.getI64Type())) : b.getI64Type(),
          value);
    }
    store(buffer, linearAddress(buffer, identity), place, stored);
  }
}

/// What a part has of the point at `position`.
SmallVector<Value> GridPartsEmitter::loadPart(const Position &position,
                                              Value part) {
  Position place = getPlace(position, part);
  SmallVector<ExprAttr> identity =
      getIdentityMap(context, place.extents.size());
  SmallVector<Value> values, types = getNeutral(1);
  for (auto [buffer, like] : llvm::zip_equal(partials, types)) {
    Value value = load(buffer, linearAddress(buffer, identity), place, {}, {}, {});
    if (like.getType().isIndex())
      value = arith::IndexCastOp::create(b, like.getType(), value);
    values.push_back(value);
  }
  return values;
}

/// Combines `sums` with what a part has.
FailureOr<SmallVector<Value>>
GridPartsEmitter::addPart(ArrayRef<Value> sums, ArrayRef<Value> part) {
  return forEachReduction(
      sums, [&](ReduceOp op, ArrayRef<Value> before, unsigned first) {
        return combine(op, before, part.slice(first, before.size()));
      });
}

//===----------------------------------------------------------------------===//
// All reductions of the kernel together
//===----------------------------------------------------------------------===//

/// What `body` makes of the accumulators of each reduction; `first` is the number of
/// the first of them.
FailureOr<SmallVector<Value>> GridPartsEmitter::forEachReduction(
    ArrayRef<Value> sums,
    llvm::function_ref<FailureOr<SmallVector<Value>>(
        ReduceOp op, ArrayRef<Value> sums, unsigned first)>
        body) {
  SmallVector<Value> all;
  for (ReduceOp op : reductions) {
    unsigned count = op->getNumResults();
    auto values = body(op, sums.slice(all.size(), count), all.size());
    if (failed(values))
      return failure();
    llvm::append_range(all, *values);
  }
  return all;
}

SmallVector<Value> GridPartsEmitter::getNeutral(int64_t lanes) {
  SmallVector<Value> all;
  for (ReduceOp op : reductions)
    llvm::append_range(all, identities(op, lanes));
  return all;
}

/// A loop that carries the accumulators.
FailureOr<SmallVector<Value>> GridPartsEmitter::emitFor(
    Value from, Value to, int64_t step, ArrayRef<Value> sums,
    llvm::function_ref<FailureOr<SmallVector<Value>>(Value, ArrayRef<Value>)>
        body) {
  auto loop = scf::ForOp::create(b, from, to, constantIndex(step), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  auto values = body(loop.getInductionVar(),
                     llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  if (failed(values))
    return failure();
  scf::YieldOp::create(b, *values);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Where a part of the reduced elements begins and ends, a multiple of `unit`.
std::pair<Value, Value> GridPartsEmitter::getBounds(Value part, int64_t unit) {
  ExprAttr size = guard::product(
      context, llvm::to_vector(reductions.front().getDomain().reduction));
  ExprAttr each =
      guard::ceilDiv(guard::ceilDiv(size, parts.getParts()), unit) * unit;
  Value begin = arith::MulIOp::create(b, part, getArgument(each));
  Value end = arith::MinSIOp::create(b, add(begin, getArgument(each)),
                                     getArgument(size));
  return {begin, end};
}

/// Dimensions that memory has as one are walked as one: an element is found by fewer
/// divisions. All reductions have the same elements.
void GridPartsEmitter::bindReduced() {
  Domain domain = reductions.front().getDomain();
  for (ReduceOp op : reductions) {
    SmallVector<ExprAttr> own = analysis::collapseReduced(
        cast<NestOpInterface>(op.getOperation()), &layout, /*inDense=*/false);
    own.erase(own.begin(), own.begin() + domain.parallel.size());
    if (!reduced.empty() && reduced != own) {
      reduced = llvm::to_vector(domain.reduction);
      return;
    }
    reduced = own;
  }
}

/// The position of `lanes` reduced elements, the first of which is `element`.
Position GridPartsEmitter::enterReduced(const Position &point, Value element,
                                        int64_t lanes) {
  Position position = enter(point, reductions.front().getDomain());
  unsigned shared = point.extents.size();
  llvm::copy(reduced, position.extents.begin() + shared);
  for (auto [k, index] : llvm::enumerate(delinearize(
           element, ArrayRef(position.extents).drop_front(shared))))
    position.dims[shared + k] = index;
  if (lanes > 1) {
    position.vectorDim = position.extents.size() - 1;
    position.lanes = position.multiple = lanes;
  }
  return position;
}

FailureOr<SmallVector<Value>>
GridPartsEmitter::accumulateAll(const Position &position,
                                ArrayRef<Value> sums) {
  return forEachReduction(
      sums, [&](ReduceOp op, ArrayRef<Value> before, unsigned) {
        return accumulate(op, position, before);
      });
}

/// The results of the reductions, and then the nests that need no more than them, by one
/// thread of those that have the point: what it stores may lie where an input lay that it has read.
LogicalResult GridPartsEmitter::finishPoint(const Position &position,
                                            ArrayRef<Value> sums) {
  unsigned first = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    auto op = dyn_cast<ReduceOp>(nest.getOperation());
    if (!op) {
      if (failed(emitRowPointwise(cast<PointwiseOp>(nest.getOperation()),
                                  position)))
        return failure();
      continue;
    }
    unsigned count = op->getNumResults();
    finishAccumulators(op, enterPoint(position, nest),
                       sums.slice(first, count));
    first += count;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Within: a block for a part of a row
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
GridPartsEmitter::combineBlock(ArrayRef<Value> sums, int64_t lanes) {
  return forEachReduction(
      sums,
      [&](ReduceOp op, ArrayRef<Value> own,
          unsigned) -> FailureOr<SmallVector<Value>> {
        FailureOr<SmallVector<Value>> values = llvm::to_vector(own);
        if (lanes > 1)
          values = combineLanes(op, own);
        return failed(values) ? values : combineThreads(op, *values);
      });
}

LogicalResult GridPartsEmitter::reduceWithin() {
  int64_t lanes = parts.getLanes();
  blocks = guard::product(context, sharedExtents) * parts.getParts();
  Value count = constantIndex(parts.getParts());
  Value part = arith::RemUIOp::create(b, block, count);
  Position position;
  position.dims =
      delinearize(arith::DivUIOp::create(b, block, count), sharedExtents);
  position.extents = sharedExtents;
  auto [begin, end] = getBounds(part, lanes);
  auto sums = emitFor(add(begin, mul(lane, lanes)), end,
                      parts.getThreads() * lanes, getNeutral(lanes),
                      [&](Value element, ArrayRef<Value> before) {
                        return accumulateAll(
                            enterReduced(position, element, lanes), before);
                      });
  if (succeeded(sums))
    sums = combineBlock(*sums, lanes);
  if (failed(sums))
    return failure();
  return emitIf(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                                      constantIndex(0)),
                [&] {
                  storePart(position, part, *sums);
                  return success();
                });
}

LogicalResult GridPartsEmitter::combineWithin() {
  blocks = guard::product(context, sharedExtents);
  Position position;
  position.dims = delinearize(block, sharedExtents);
  position.extents = sharedExtents;
  auto sums = emitFor(lane, constantIndex(parts.getParts()),
                      parts.getThreads(), getNeutral(1),
                      [&](Value part, ArrayRef<Value> before) {
                        return addPart(before, loadPart(position, part));
                      });
  if (succeeded(sums))
    sums = combineBlock(*sums, 1);
  if (failed(sums))
    return failure();
  return emitIf(isLess(lane, constantIndex(1)),
                [&] { return finishPoint(position, *sums); });
}

//===----------------------------------------------------------------------===//
// The two functions
//===----------------------------------------------------------------------===//

/// Threads have points of their own, or all threads of a block have the same.
void GridPartsEmitter::finish(Value result, const Position &position,
                              Value value) {
  if (parts.getColumns() == 0)
    return GridRowsEmitter::finish(result, position, value);
  if (isOnePerPoint(kernel, result))
    perPoint[result] = value;
  KernelEmitter::finish(result, position, value);
}

LogicalResult GridPartsEmitter::emitThread() {
  if (failed(parts.verifyKernel(kernel)))
    return failure();
  sharedExtents = analysis::collapseShared(kernel, layout);
  llvm::append_range(reductions, kernel.getBody().getOps<ReduceOp>());
  if (parts.getParts() > 1)
    bindParts();
  bindReduced();
  if (parts.getColumns() == 0)
    return isFirst ? reduceWithin() : combineWithin();
  if (isFirst)
    return reduceColumns();
  return parts.getParts() < kMostInOrder ? combineInOrder() : combineColumns();
}
