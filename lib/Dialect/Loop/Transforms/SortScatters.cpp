//===- SortScatters.cpp - Points of a scatter by where they write ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scatter whose order is part of its meaning visits, for each element, the points that write
// there in their order. If the numbers of points are sorted by where they write, stably, those
// of an element follow each other, still in that order, and somebody who looks at one element
// need not see all others.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_SORTSCATTERSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

/// What the points of a scatter are sorted by.
struct SortedPoints {
  SmallVector<unsigned> own;      ///< dimensions that are positions themselves
  SmallVector<unsigned> walked;   ///< the others, whose points are sorted
  SmallVector<unsigned> keyed;    ///< of `own`: those that have an order of their own
  SmallVector<unsigned> computed; ///< positions that are not `own` dimensions
  SmallVector<ExprAttr> extents;  ///< of the domain
  ExprAttr count;                 ///< points of `walked`
};

class SortScatters : public loop::impl::SortScattersPassBase<SortScatters> {
public:
  using SortScattersPassBase::SortScattersPassBase;
  void runOnOperation() override;

private:
  std::optional<SortedPoints> choose(ScatterOp op,
                                     const analysis::SizeHints &hints) const;
};

} // namespace

static YieldAtOp getYield(ScatterOp op) {
  return cast<YieldAtOp>(op.getBody().front().getTerminator());
}

static SortedPoints getSortedPoints(ScatterOp op) {
  SortedPoints points;
  points.own = getOwnDims(op);
  points.extents = op.getDomain().all();
  SmallVector<ExprAttr> walked;
  for (auto [dim, extent] : llvm::enumerate(points.extents))
    if (!llvm::is_contained(points.own, dim)) {
      points.walked.push_back(dim);
      walked.push_back(extent);
    }
  points.count = guard::product(op.getContext(), walked);
  YieldAtOp yield = getYield(op);
  SmallVector<Value> deciding;
  for (auto [k, position] : llvm::enumerate(yield.getPosition())) {
    auto index = dyn_cast<BlockArgument>(position);
    if (index && llvm::is_contained(points.own, index.getArgNumber()))
      continue;
    points.computed.push_back(k);
    deciding.push_back(position);
  }
  if (yield.getCondition())
    deciding.push_back(yield.getCondition());
  for (unsigned dim : points.own)
    if (llvm::any_of(deciding, [&](Value value) {
          return dependsOnIndex(value, op.getBody().getArgument(dim));
        }))
      points.keyed.push_back(dim);
  return points;
}

/// What the points of `op` are sorted by; nothing if they stay as they are.
std::optional<SortedPoints>
SortScatters::choose(ScatterOp op, const analysis::SizeHints &hints) const {
  if (op.getWritten() || op.getGrouped())
    return std::nullopt;
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  GPUTargetAttr gpu = getGPUTarget(op);
  if (canScatterInAnyOrder(op) &&
      !(gpu.getDeterministic() && isa<FloatType>(element)))
    return std::nullopt;
  if (!guard::getDims(cast<RankedTensorType>(op.getResult().getType())))
    return std::nullopt;
  SortedPoints points = getSortedPoints(op);
  if (points.walked.empty() || points.computed.empty() ||
      hints.evaluate(points.count) < int64_t(minPoints))
    return std::nullopt;
  return points;
}

/// The indices of the domain, of number `number` of the sorted points and `own` indices in
/// the order of `dims`; 0 for what nothing depends on.
static SmallVector<Value> getIndices(OpBuilder &b, Location loc,
                                     const SortedPoints &points, Value number,
                                     ArrayRef<unsigned> dims, ValueRange own) {
  SmallVector<Value> indices(points.extents.size());
  for (auto [dim, index] : llvm::zip_equal(dims, own))
    indices[dim] = index;
  for (unsigned dim : points.own)
    if (!indices[dim])
      indices[dim] = arith::ConstantIndexOp::create(b, loc, 0);
  ExprAttr rest = guard::getDim(b.getContext(), 0);
  for (unsigned dim : llvm::reverse(points.walked)) {
    bool isFirst = dim == points.walked.front();
    ExprAttr index = isFirst ? rest : guard::mod(rest, points.extents[dim]);
    indices[dim] = createIndex(b, loc, index, number);
    rest = guard::floorDiv(rest, points.extents[dim]);
  }
  return indices;
}

/// Where each point writes, as one number; behind everything where it does not.
static PointwiseOp createKeys(OpBuilder &b, ScatterOp op,
                              const SortedPoints &points) {
  Location loc = op.getLoc();
  auto dims = *guard::getDims(cast<RankedTensorType>(op.getResult().getType()));
  SmallVector<ExprAttr> sizes;
  for (unsigned k : points.computed)
    sizes.push_back(dims[k]);
  auto elements = guard::product(op.getContext(), sizes).getConstant();
  Type type = elements && *elements < INT32_MAX ? b.getI32Type() : b.getI64Type();
  SmallVector<ExprAttr> extents;
  for (unsigned dim : points.keyed)
    extents.push_back(points.extents[dim]);
  extents.push_back(points.count);
  auto keys =
      PointwiseOp::create(b, loc, guard::makeTensorType(type, extents), extents,
                          op.getOriginsAttr());
  OpBuilder::InsertionGuard guard(b);
  Block &body = keys.getBody().front();
  b.setInsertionPointToStart(&body);
  SmallVector<Value> indices =
      getIndices(b, loc, points, body.getArguments().back(), points.keyed,
                 body.getArguments().drop_back());
  SmallVector<Value> values = cloneBody(b, op.getBody().front(), indices);
  auto toKey = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, loc, type, index);
  };
  Value key;
  for (auto [k, size] : llvm::zip_equal(points.computed, sizes)) {
    Value place = toKey(values[k + 1]);
    if (key) {
      Value extent = toKey(IndexOp::create(b, loc, b.getIndexType(),
                                           ValueRange(), size));
      key = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, key, extent), place);
    } else {
      key = place;
    }
  }
  if (getYield(op).getCondition()) {
    auto last = APInt::getSignedMaxValue(type.getIntOrFloatBitWidth());
    Value nowhere = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, last));
    key = arith::SelectOp::create(b, loc, values.back(), key, nowhere);
  }
  YieldOp::create(b, loc, key);
  return keys;
}

/// The numbers of the points by their keys.
static SortOp sortPoints(OpBuilder &b, ScatterOp op, PointwiseOp keys) {
  SmallVector<ExprAttr> extents = keys.getDomain().all();
  auto sorted = SortOp::create(
      b, op.getLoc(), guard::makeTensorType(b.getI64Type(), extents),
      ArrayRef(extents).drop_back(), extents.back(), extents.back(),
      extents.size() - 1, op.getOriginsAttr());
  OpBuilder::InsertionGuard guard(b);
  Block &body = sorted.getBody().front();
  b.setInsertionPointToStart(&body);
  Value key = LoadOp::create(b, op.getLoc(), keys.getResult(),
                             ValueRange(body.getArguments()));
  YieldOp::create(b, op.getLoc(), key);
  return sorted;
}

/// The scatter, by the order of `sorted` along its first dimension.
static ScatterOp scatterSorted(OpBuilder &b, ScatterOp op,
                               const SortedPoints &points, SortOp sorted) {
  Location loc = op.getLoc();
  SmallVector<ExprAttr> extents = {points.count};
  for (unsigned dim : points.own)
    extents.push_back(points.extents[dim]);
  auto made = ScatterOp::create(b, loc, op.getInit(), extents, op.getKind(),
                                op.getOriginsAttr());
  made.setGrouped(true);
  OpBuilder::InsertionGuard guard(b);
  Block &body = made.getBody().front();
  b.setInsertionPointToStart(&body);
  auto own = body.getArguments().drop_front();
  SmallVector<Value> at;
  for (unsigned dim : points.keyed)
    at.push_back(own[llvm::find(points.own, dim) - points.own.begin()]);
  at.push_back(body.getArgument(0));
  Value number = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      LoadOp::create(b, loc, sorted.getResult(), ValueRange(at)));
  SmallVector<Value> values =
      cloneBody(b, op.getBody().front(),
                getIndices(b, loc, points, number, points.own, own));
  size_t rank = getYield(op).getPosition().size();
  YieldAtOp::create(b, loc, values[0], ArrayRef(values).slice(1, rank),
                    getYield(op).getCondition() ? values.back() : Value());
  return made;
}

/// Values for each element of a result from which on 16 bits are too few to add them up: each
/// sum is rounded, and who adds to a half of a word tries until nobody else has meanwhile.
static constexpr int64_t kManyAdded = 4;

/// True if many floats of 16 bits are added up in each element.
static bool addsMany(ScatterOp op, const analysis::SizeHints &hints) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto sizes = guard::getDims(type);
  return op.getKind() == ScatterKind::Add && !op.getWritten() && sizes &&
         (type.getElementType().isBF16() || type.getElementType().isF16()) &&
         hints.product(op.getDomain().all()) >=
             kManyAdded * std::max<int64_t>(hints.product(*sizes), 1);
}

/// A tensor as one of other floats, element by element.
static Value convert(OpBuilder &b, ScatterOp op, Value tensor, Type element) {
  auto sizes = *guard::getDims(cast<RankedTensorType>(tensor.getType()));
  auto made = PointwiseOp::create(b, op.getLoc(),
                                  guard::makeTensorType(element, sizes), sizes,
                                  op.getOriginsAttr());
  OpBuilder::InsertionGuard guard(b);
  Block &body = made.getBody().front();
  b.setInsertionPointToStart(&body);
  auto load = LoadOp::create(b, op.getLoc(), tensor, ValueRange(body.getArguments()));
  Value value = load;
  if (element.getIntOrFloatBitWidth() == 32)
    value = arith::ExtFOp::create(b, op.getLoc(), element, value);
  else
    value = arith::TruncFOp::create(b, op.getLoc(), element, value);
  YieldOp::create(b, op.getLoc(), value);
  // Zeros are made as what they are wanted as.
  if (auto producer = tensor.getDefiningOp<PointwiseOp>();
      producer && llvm::all_of(producer->getUsers(), [&](Operation *user) {
        return user == load || user == op;
      }))
    inlineLoad(load, producer);
  return made.getResult();
}

/// Adds up in f32 and rounds each sum once.
static Value addWide(OpBuilder &b, ScatterOp op) {
  Type f32 = b.getF32Type();
  auto made = ScatterOp::create(b, op.getLoc(), convert(b, op, op.getInit(), f32),
                                op.getDomain().all(), op.getKind(),
                                op.getOriginsAttr(), op.getIndependent());
  {
    OpBuilder::InsertionGuard guard(b);
    Block &body = made.getBody().front();
    b.setInsertionPointToStart(&body);
    YieldAtOp yield = getYield(op);
    SmallVector<Value> values =
        cloneBody(b, op.getBody().front(), body.getArguments());
    size_t rank = yield.getPosition().size();
    Value value = values[0];
    if (value.getType() != f32)
      value = arith::ExtFOp::create(b, op.getLoc(), f32, value);
    YieldAtOp::create(b, op.getLoc(), value, ArrayRef(values).slice(1, rank),
                      yield.getCondition() ? values.back() : Value());
  }
  return convert(b, op, made.getResult(),
                 cast<RankedTensorType>(op.getResult().getType()).getElementType());
}

void SortScatters::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (!getGPUTarget(function))
    return; // one thread of a processor walks all points
  analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
  bool changed = false;
  for (auto op : llvm::make_early_inc_range(function.getOps<ScatterOp>())) {
    auto points = choose(op, hints);
    if (!points && addsMany(op, hints)) {
      OpBuilder builder(op);
      Operation *init = op.getInit().getDefiningOp();
      op.replaceAllUsesWith(addWide(builder, op));
      op.erase();
      if (init && init->use_empty() && isa<PointwiseOp>(init))
        init->erase();
      changed = true;
      continue;
    }
    if (!points)
      continue;
    OpBuilder builder(op);
    PointwiseOp keys = createKeys(builder, op, *points);
    SortOp sorted = sortPoints(builder, op, keys);
    ScatterOp made = scatterSorted(builder, op, *points, sorted);
    if (auto told = remark::passed(
            op.getLoc(), remarks::kScatterSorted.function(function.getName())))
      told << remark::metric("nest", describe(cast<NestOpInterface>(*op)));
    op.replaceAllUsesWith(made.getResult());
    op.erase();
    changed = true;
  }
  if (changed)
    simplifyBodies(function, hints);
}
