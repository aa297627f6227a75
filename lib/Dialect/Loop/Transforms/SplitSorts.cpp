//===- SplitSorts.cpp - Sort long rows in parts and merge them ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of a GPU sorts a row; of few long rows most of the GPU sees nothing. Here parts of
// a row are rows, and runs that are in order are merged, two by two. Element `d` of what two
// runs give is found by itself: as many elements as are not behind it come from the first run,
// a number that is between 0 and d, and whose half the next comparison decides.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_SPLITSORTSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

class SplitSorts : public loop::impl::SplitSortsPassBase<SplitSorts> {
public:
  using SplitSortsPassBase::SplitSortsPassBase;
  void runOnOperation() override;

private:
  bool isWorth(SortOp op, const analysis::SizeHints &hints) const;
};

/// Makes the nests that a sort becomes; rows are the last dimension of all of them.
class SortSplitter {
public:
  SortSplitter(OpBuilder &builder, SortOp op)
      : b(op.getLoc(), builder), op(op),
        outer(op.getDomain().parallel),
        count(*op.getRowExtent().getConstant()),
        number(count < (int64_t(1) << 30) ? b.getI32Type() : b.getI64Type()) {}

  Value split(int64_t length);

private:
  SmallVector<ExprAttr> getRows(ArrayRef<int64_t> last) const;
  Value makeNest(ArrayRef<int64_t> last, Type element,
                 llvm::function_ref<Value(ValueRange)> body);
  SmallVector<Value> makeKeys();
  SortOp sortParts(ArrayRef<Value> keys, int64_t length);
  Value getPlaces(SortOp sorted, int64_t length);
  Value readInOrder(Value tensor, Value order);
  Value mergeRuns(ArrayRef<Value> keys, int64_t length);
  Value emitMerge(ArrayRef<Value> keys, int64_t length, ValueRange indices);
  Value emitTakesFirst(ArrayRef<Value> keys, ValueRange outer, Value first,
                       Value second);
  Value load(Value tensor, ValueRange outer, Value place);

  // Numbers of elements.
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(number, value));
  }
  Value compare(arith::CmpIPredicate kind, Value x, Value y) {
    return arith::CmpIOp::create(b, kind, x, y);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }

  ImplicitLocOpBuilder b;
  SortOp op;
  SmallVector<ExprAttr> outer;
  int64_t count;
  Type number; ///< of elements
};

} // namespace

SmallVector<ExprAttr> SortSplitter::getRows(ArrayRef<int64_t> last) const {
  SmallVector<ExprAttr> extents(outer);
  for (int64_t extent : last)
    extents.push_back(guard::getConstant(op->getContext(), extent));
  return extents;
}

/// A pointwise nest over rows of such extents.
Value SortSplitter::makeNest(ArrayRef<int64_t> last, Type element,
                             llvm::function_ref<Value(ValueRange)> body) {
  SmallVector<ExprAttr> extents = getRows(last);
  auto nest = PointwiseOp::create(b, guard::makeTensorType(element, extents),
                                  extents, op.getOriginsAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&nest.getBody().front());
  YieldOp::create(b, body(nest.getBody().getArguments()));
  return nest.getResult();
}

Value SortSplitter::load(Value tensor, ValueRange outer, Value place) {
  SmallVector<Value> indices(outer);
  indices.push_back(place.getType().isIndex()
                        ? place
                        : arith::IndexCastOp::create(b, b.getIndexType(), place)
                              .getResult());
  return LoadOp::create(b, tensor, ValueRange(indices));
}

/// The keys as tensors, from the one on that counts most.
SmallVector<Value> SortSplitter::makeKeys() {
  SmallVector<Value> keys;
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [k, type] : llvm::enumerate(yield->getOperandTypes()))
    keys.push_back(makeNest({count}, type, [&, k = k](ValueRange indices) {
      return cloneBody(b, op.getBody().front(), indices)[k];
    }));
  return keys;
}

/// The order of each part by itself, as places in it. Behind the end of the row are keys
/// that come last, also of those that are equal to them.
SortOp SortSplitter::sortParts(ArrayRef<Value> keys, int64_t length) {
  int64_t parts = llvm::divideCeil(count, length);
  SmallVector<ExprAttr> parallel = getRows({parts});
  ExprAttr extent = guard::getConstant(b.getContext(), length);
  auto sorted = SortOp::create(
      b, guard::makeTensorType(b.getI64Type(), getRows({parts, length})),
      parallel, extent, extent, parallel.size(), op.getOriginsAttr());
  OpBuilder::InsertionGuard guard(b);
  Block &body = sorted.getBody().front();
  b.setInsertionPointToStart(&body);
  ExprAttr part = guard::getDim(b.getContext(), 0),
           element = guard::getDim(b.getContext(), 1);
  ValueRange inner = body.getArguments().take_back(2);
  SmallVector<Value> indices(body.getArguments().drop_back(2));
  indices.push_back(
      createIndex(b, op.getLoc(), part * length + element, inner));
  Value isInside;
  if (count % length != 0)
    isInside = arith::CmpIOp::create(
        b, arith::CmpIPredicate::slt, indices.back(),
        arith::ConstantIndexOp::create(b, count));
  SmallVector<Value> values;
  for (Value key : keys) {
    Type type = cast<RankedTensorType>(key.getType()).getElementType();
    Value last;
    if (isInside)
      last = arith::ConstantOp::create(
          b, b.getIntegerAttr(
                 type, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth())));
    values.push_back(LoadOp::create(
        b, key, indices, getIdentityMap(b.getContext(), indices.size()),
        isInside, last));
  }
  YieldOp::create(b, values);
  return sorted;
}

/// The order of parts, as places in the row.
Value SortSplitter::getPlaces(SortOp sorted, int64_t length) {
  return makeNest({count}, number, [&](ValueRange at) {
    ExprAttr place = guard::getDim(b.getContext(), 0);
    SmallVector<Value> from(at.drop_back());
    from.push_back(createIndex(b, op.getLoc(), guard::floorDiv(place, length),
                               at.back()));
    from.push_back(
        createIndex(b, op.getLoc(), guard::mod(place, length), at.back()));
    Value begin = createIndex(
        b, op.getLoc(), guard::floorDiv(place, length) * length, at.back());
    Value found = LoadOp::create(b, sorted.getResult(), ValueRange(from));
    if (number != found.getType())
      found = arith::TruncIOp::create(b, number, found);
    return add(found, arith::IndexCastOp::create(b, number, begin));
  });
}

/// Element k of `tensor`, of which `order` says the place.
Value SortSplitter::readInOrder(Value tensor, Value order) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  return makeNest({count}, type, [&](ValueRange at) {
    Value place = load(order, at.drop_back(), at.back());
    return load(tensor, at.drop_back(), place);
  });
}

/// Whether element `first` comes before `second`, of a run behind its own.
Value SortSplitter::emitTakesFirst(ArrayRef<Value> keys, ValueRange outer,
                                   Value first, Value second) {
  Value before;
  for (Value key : llvm::reverse(keys)) {
    Value x = load(key, outer, first), y = load(key, outer, second);
    if (!before) {
      before = compare(arith::CmpIPredicate::sle, x, y);
      continue;
    }
    Value less = compare(arith::CmpIPredicate::slt, x, y),
          same = compare(arith::CmpIPredicate::eq, x, y);
    before = arith::OrIOp::create(b, less,
                                  arith::AndIOp::create(b, same, before));
  }
  return before;
}

/// Where the element at `indices` stands before two runs of `length` elements are merged.
Value SortSplitter::emitMerge(ArrayRef<Value> keys, int64_t length,
                              ValueRange indices) {
  ValueRange outer = indices.drop_back();
  Value zero = constant(0), one = constant(1), end = constant(count),
        last = constant(count - 1), size = constant(length);
  Value at = arith::IndexCastOp::create(b, number, indices.back());
  ExprAttr place = guard::getDim(b.getContext(), 0);
  Value first = arith::IndexCastOp::create(
      b, number,
      createIndex(b, op.getLoc(),
                  guard::floorDiv(place, 2 * length) * (2 * length),
                  indices.back()));
  // The last run of all may be short, or have none to be merged with.
  Value second = arith::MinSIOp::create(b, add(first, size), end);
  Value behind = arith::MinSIOp::create(b, add(second, size), end);
  Value wanted = sub(at, first);
  Value firstSize = sub(second, first), secondSize = sub(behind, second);
  auto clamp = [&](Value index) -> Value {
    return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, index, last), zero);
  };
  Value low = arith::MaxSIOp::create(b, sub(wanted, secondSize), zero);
  Value high = arith::MinSIOp::create(b, wanted, firstSize);
  for (int64_t left = length; left > 0; left /= 2) {
    Value isOpen = compare(arith::CmpIPredicate::slt, low, high);
    Value middle = arith::ShRUIOp::create(b, add(low, high), one);
    Value other = sub(sub(wanted, middle), one);
    Value takes = emitTakesFirst(keys, outer, clamp(add(first, middle)),
                                 clamp(add(second, other)));
    Value raises = arith::AndIOp::create(b, isOpen, takes);
    Value more = add(middle, one);
    high = arith::SelectOp::create(b, raises, high,
                                   arith::SelectOp::create(b, isOpen, middle, high));
    low = arith::SelectOp::create(b, raises, more, low);
  }
  Value fromFirst = add(first, low), fromSecond = add(second, sub(wanted, low));
  Value hasFirst = compare(arith::CmpIPredicate::slt, low, firstSize);
  Value hasSecond = compare(arith::CmpIPredicate::slt, fromSecond, behind);
  Value takes = emitTakesFirst(keys, outer, clamp(fromFirst), clamp(fromSecond));
  Value isFirst = arith::SelectOp::create(b, hasSecond, takes, hasFirst);
  isFirst = arith::AndIOp::create(b, hasFirst, isFirst);
  return arith::SelectOp::create(b, isFirst, fromFirst, fromSecond);
}

Value SortSplitter::mergeRuns(ArrayRef<Value> keys, int64_t length) {
  return makeNest({count}, number, [&](ValueRange indices) {
    return emitMerge(keys, length, indices);
  });
}

Value SortSplitter::split(int64_t length) {
  SmallVector<Value> keys = makeKeys();
  Value order = getPlaces(sortParts(keys, length), length);
  auto reorder = [&](Value by) {
    for (Value &key : keys)
      key = readInOrder(key, by);
  };
  reorder(order);
  for (; length < count; length *= 2) {
    Value merged = mergeRuns(keys, length);
    order = readInOrder(order, merged);
    if (length * 2 < count)
      reorder(merged);
  }
  // As the sort gives them: 64 bits, its rows where they were.
  auto extents = op.getResultExtents();
  auto nest = PointwiseOp::create(
      b, cast<RankedTensorType>(op.getResult().getType()), extents,
      op.getOriginsAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&nest.getBody().front());
  SmallVector<Value> at(nest.getBody().getArguments());
  Value row = at[op.getDimension()];
  at.erase(at.begin() + op.getDimension());
  Value found = load(order, at, row);
  if (found.getType() != b.getI64Type())
    found = arith::ExtSIOp::create(b, b.getI64Type(), found);
  YieldOp::create(b, found);
  return nest.getResult();
}

bool SplitSorts::isWorth(SortOp op, const analysis::SizeHints &hints) const {
  auto count = op.getRowExtent().getConstant();
  GPUTargetAttr gpu = getGPUTarget(op);
  if (!op.keepsAll() || !count || *count < 2 * int64_t(part))
    return false;
  // Enough rows are sorted side by side as they are.
  return hints.product(op.getDomain().parallel) < gpu.getMultiprocessors();
}

void SplitSorts::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (!getGPUTarget(function))
    return; // a processor merges runs by itself
  analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
  bool changed = false;
  for (auto op : llvm::make_early_inc_range(function.getOps<SortOp>())) {
    if (!isWorth(op, hints))
      continue;
    OpBuilder builder(op);
    Value order = SortSplitter(builder, op).split(part);
    if (auto told = remark::passed(
            op.getLoc(), remarks::kSortSplit.function(function.getName())))
      told << remark::metric("nest", describe(cast<NestOpInterface>(*op)))
           << remark::metric("parts",
                             llvm::divideCeil(*op.getRowExtent().getConstant(),
                                              uint64_t(part)));
    op.getResult().replaceAllUsesWith(order);
    op.erase();
    changed = true;
  }
  if (changed)
    simplifyBodies(function, hints);
}
