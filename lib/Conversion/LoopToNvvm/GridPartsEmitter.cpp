//===- GridPartsEmitter.cpp - Reductions in parts -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Elements of a column that a thread reads at a time.
static constexpr int64_t kUnrolled = 4;
/// Numbers of parts that are read at a time where a thread joins them.
static constexpr int64_t kJoinedAtOnce = 16;

//===----------------------------------------------------------------------===//
// Memory of the parts
//===----------------------------------------------------------------------===//

/// The number in memory.
static Type getPartType(Type type) {
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

/// How many parts of the same points, those of threads of a warp, are joined before one of
/// these stores them: a few columns in many parts would be read as many times as sectors of
/// memory have columns.
int64_t GridPartsEmitter::countJoined() const {
  int64_t lanes = parts.getLanes();
  auto points = guard::product(context, sharedExtents).getConstant();
  auto last = sharedExtents.empty() ? std::optional<int64_t>(1)
                                    : sharedExtents.back().getConstant();
  if (!parts.getAcross() || parts.getThreads() % kWarp != 0 || !points || !last ||
      *last < 1 || *last % lanes != 0)
    return 1;
  int64_t vectors = *points / lanes;
  // Threads of a warp are all there, or none of them.
  return vectors >= 1 && kWarp % vectors == 0 &&
                 parts.getParts() % (kWarp / vectors) == 0
             ? kWarp / vectors
             : 1;
}

/// A tensor [parts, shared...] of each accumulator, one behind the other.
void GridPartsEmitter::bindParts() {
  SmallVector<ExprAttr> extents = {guard::getConstant(context, countStored())};
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
  place.extents.assign({guard::getConstant(context, countStored())});
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

/// Combines `sums` with what a part has of the point at `position`.
FailureOr<SmallVector<Value>>
GridPartsEmitter::addPart(const Position &position, Value part,
                          ArrayRef<Value> sums) {
  Position place = getPlace(position, part);
  SmallVector<ExprAttr> identity =
      getIdentityMap(context, place.extents.size());
  SmallVector<Value> values;
  for (auto [buffer, sum] : llvm::zip_equal(partials, sums)) {
    Value value = load(buffer, linearAddress(buffer, identity), place, {}, {}, {});
    if (sum.getType().isIndex())
      value = arith::IndexCastOp::create(b, sum.getType(), value);
    values.push_back(value);
  }
  return forEachReduction(
      sums, [&](ReduceOp op, ArrayRef<Value> before, unsigned first) {
        return combine(op, before,
                       ArrayRef(values).slice(first, before.size()));
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

/// The position of `lanes` reduced elements, the first of which is `element`.
Position GridPartsEmitter::enterReduced(const Position &point, Value element,
                                        int64_t lanes) {
  Position position = enter(point, reductions.front().getDomain());
  unsigned shared = point.extents.size();
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

/// The results of the reductions, and then the nests that need no more than them.
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
// Across: a thread for neighbours in the last shared dimension
//===----------------------------------------------------------------------===//

/// What a thread adds up of a part.
FailureOr<SmallVector<Value>>
GridPartsEmitter::reduceAcross(const Position &position, Value part) {
  auto [begin, end] = getBounds(part, 1);
  auto accumulateOne = [&](Value element, ArrayRef<Value> before) {
    return accumulateAll(enterReduced(position, element, 1), before);
  };
  // Loads of several elements are under way before the first is added. The last parts may
  // be empty, and begin behind their end.
  Value size = arith::MaxSIOp::create(
      b, arith::SubIOp::create(b, end, begin), constantIndex(0));
  Value whole = arith::SubIOp::create(
      b, end, arith::RemUIOp::create(b, size, constantIndex(kUnrolled)));
  auto sums = emitFor(
      begin, whole, kUnrolled, getNeutral(position.lanes),
      [&](Value first, ArrayRef<Value> before) {
        FailureOr<SmallVector<Value>> values = llvm::to_vector(before);
        for (int64_t k = 0; k < kUnrolled && succeeded(values); ++k)
          values = accumulateOne(add(first, constantIndex(k)), *values);
        return values;
      });
  return failed(sums) ? sums : emitFor(whole, end, 1, *sums, accumulateOne);
}

LogicalResult GridPartsEmitter::reduceAcross() {
  ArrayRef<ExprAttr> outer = ArrayRef(sharedExtents);
  int64_t lanes = parts.getLanes(), joined = countJoined();
  ExprAttr chunks = guard::getConstant(context, 1);
  if (!outer.empty()) {
    chunks = guard::ceilDiv(outer.back(), lanes);
    outer = outer.drop_back();
  }
  ExprAttr points = guard::product(context, llvm::to_vector(outer)) * chunks;
  return emitForItem(points * parts.getParts(), [&]() -> LogicalResult {
    Value count = getArgument(points);
    Value part = arith::DivUIOp::create(b, item, count);
    Value point = arith::RemUIOp::create(b, item, count);
    auto reduce = [&](const Position &position) -> LogicalResult {
      auto sums = reduceAcross(position, part);
      if (succeeded(sums) && joined > 1)
        sums = forEachReduction(
            *sums, [&](ReduceOp op, ArrayRef<Value> own, unsigned) {
              return combineShuffled(op, llvm::to_vector(own), kWarp,
                                     /*least=*/kWarp / joined);
            });
      if (failed(sums))
        return failure();
      if (joined == 1) {
        storePart(position, part, *sums);
        return success();
      }
      Value first = arith::RemUIOp::create(b, lane, constantIndex(kWarp));
      return emitIf(isLess(first, constantIndex(kWarp / joined)), [&] {
        storePart(position,
                  arith::DivUIOp::create(b, part, constantIndex(joined)), *sums);
        return success();
      });
    };
    if (!sharedExtents.empty())
      return emitVectors(point, sharedExtents, lanes, reduce);
    return reduce(Position());
  });
}

LogicalResult GridPartsEmitter::combineAcross() {
  return emitForItem(guard::product(context, sharedExtents),
                     [&]() -> LogicalResult {
    Position position;
    position.dims = delinearize(item, sharedExtents);
    position.extents = sharedExtents;
    auto sums = joinParts(position);
    return failed(sums) ? failure() : finishPoint(position, *sums);
  });
}

/// What all parts have of a point, in their order. Several are read before the first of
/// them is added: there is one thread for each point, which otherwise waits for memory once
/// for each few parts.
FailureOr<SmallVector<Value>>
GridPartsEmitter::joinParts(const Position &position) {
  int64_t stored = countStored();
  int64_t together = std::max<int64_t>(kJoinedAtOnce / partials.size(), 1);
  auto addSeveral = [&](Value first, int64_t count, ArrayRef<Value> before) {
    FailureOr<SmallVector<Value>> values = llvm::to_vector(before);
    for (int64_t k = 0; k < count && succeeded(values); ++k)
      values = addPart(position, add(first, constantIndex(k)), *values);
    return values;
  };
  int64_t whole = stored - stored % together;
  auto sums = emitFor(constantIndex(0), constantIndex(whole), together,
                      getNeutral(1), [&](Value first, ArrayRef<Value> before) {
                        return addSeveral(first, together, before);
                      });
  return failed(sums)
             ? sums
             : addSeveral(constantIndex(whole), stored - whole, *sums);
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

/// Parts that would keep a thread waiting for one after the other are a
/// block's: each of its threads has some.
bool GridPartsEmitter::combinesByBlock() const {
  return !parts.getAcross() || countStored() >= parts.getThreads();
}

LogicalResult GridPartsEmitter::combineWithin() {
  blocks = guard::product(context, sharedExtents);
  Position position;
  position.dims = delinearize(block, sharedExtents);
  position.extents = sharedExtents;
  auto sums = emitFor(lane, constantIndex(countStored()),
                      parts.getThreads(), getNeutral(1),
                      [&](Value part, ArrayRef<Value> before) {
                        return addPart(position, part, before);
                      });
  if (succeeded(sums))
    sums = combineBlock(*sums, 1);
  return failed(sums) ? failure() : finishPoint(position, *sums);
}

//===----------------------------------------------------------------------===//
// The two functions
//===----------------------------------------------------------------------===//

/// A thread has points of its own, or all threads of a block have the same.
void GridPartsEmitter::finish(Value result, const Position &position,
                              Value value) {
  if (combinesByBlock())
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
  bindParts();
  if (isFirst)
    return parts.getAcross() ? reduceAcross() : reduceWithin();
  return combinesByBlock() ? combineWithin() : combineAcross();
}
