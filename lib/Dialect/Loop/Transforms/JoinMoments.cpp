//===- JoinMoments.cpp - A mean and distances from it ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinMoments.h"

#include "Bodies.h"
#include "PermuteNest.h"

#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {
/// Sums of `squares` are of distances from `mean`, which is `sum` divided by
/// how many there are.
struct Moments {
  ReduceOp sum, squares;
  PointwiseOp mean;
};
} // namespace

/// Dimensions of more than one element.
static SmallVector<unsigned> getWalked(ArrayRef<ExprAttr> extents) {
  SmallVector<unsigned> dims;
  for (auto [k, extent] : llvm::enumerate(extents))
    if (!extent.isConstant(1))
      dims.push_back(k);
  return dims;
}

static Value getYielded(Region &body) {
  return body.front().getTerminator()->getOperand(0);
}

/// True for one sum in f32 of results in f32.
static bool isPlainSum(ReduceOp op) {
  return op && op->getNumResults() == 1 &&
         getKinds(op) == ArrayRef(ReductionKind::Sum) &&
         getYielded(op.getBody()).getType().isF32() &&
         cast<RankedTensorType>(op.getType(0)).getElementType().isF32();
}

/// True if `load` reads, without a mask, what is at the point of its nest:
/// index k is dimension `dims[k]` of that where the tensor has more than one
/// element.
static bool readsAt(LoadOp load, ArrayRef<ExprAttr> sizes,
                    ArrayRef<unsigned> dims) {
  if (!load || load.getMask())
    return false;
  SmallVector<ExprAttr> map = getExprs(load.getMap());
  Block *body = load->getBlock();
  return llvm::all_of(llvm::zip_equal(getWalked(sizes), dims), [&](auto pair) {
    auto [place, dim] = pair;
    return map[place].isDim() && load.getIndices()[map[place].getPosition()] ==
                                     body->getArgument(dim);
  });
}

/// The sum that `mean` divides by `count`, element by element; null if it is
/// something else.
static ReduceOp getSum(PointwiseOp mean, int64_t count) {
  auto divide = getYielded(mean.getBody()).getDefiningOp<arith::DivFOp>();
  FloatAttr divisor;
  if (!divide || !matchPattern(divide.getRhs(), m_Constant(&divisor)) ||
      divisor.getValueAsDouble() != double(count))
    return {};
  auto load = divide.getLhs().getDefiningOp<LoadOp>();
  auto sum = load ? load.getTensor().getDefiningOp<ReduceOp>() : ReduceOp();
  SmallVector<ExprAttr> extents = mean.getDomain().parallel;
  if (!isPlainSum(sum) || sum.getDomain().parallel != extents ||
      !readsAt(load, extents, getWalked(extents)))
    return {};
  return sum;
}

/// For each dimension of `from` what has its place among `to`, which are
/// dimensions of other extents with the same ones of more than one element; 0
/// for those of one.
static SmallVector<ExprAttr>
mapDims(MLIRContext *context, ArrayRef<ExprAttr> from, ArrayRef<ExprAttr> to) {
  SmallVector<ExprAttr> map(from.size(), guard::getConstant(context, 0));
  for (auto [own, other] : llvm::zip_equal(getWalked(from), getWalked(to)))
    map[own] = guard::getDim(context, other);
  return map;
}

/// Where a load reads, with the dimensions of its nest as `names` has them;
/// empty where an index is computed or masked.
static SmallVector<ExprAttr> getPlaces(LoadOp load, ArrayRef<ExprAttr> names) {
  NestOpInterface nest = getNest(load);
  SmallVector<ExprAttr> indices, places;
  for (Value index : load.getIndices()) {
    ExprAttr expr = getIndexExpr(nest, index);
    if (!expr || load.getMask())
      return {};
    indices.push_back(guard::substituteDims(expr, names));
  }
  for (ExprAttr expr : getExprs(load.getMap()))
    places.push_back(guard::substituteDims(expr, indices));
  return places;
}

/// True if values of two bodies are the same elements of the same tensors, or
/// the same operations of such, where dimensions have the names `names` in one
/// and `others` in the other.
static bool areSame(Value value, ArrayRef<ExprAttr> names, Value other,
                    ArrayRef<ExprAttr> others) {
  Operation *op = value.getDefiningOp(), *twin = other.getDefiningOp();
  if (!op || !twin || op->getNumRegions() != 0)
    return false;
  if (auto load = dyn_cast<LoadOp>(op)) {
    auto same = dyn_cast<LoadOp>(twin);
    SmallVector<ExprAttr> places = getPlaces(load, names);
    return same && load.getTensor() == same.getTensor() && !places.empty() &&
           places == getPlaces(same, others);
  }
  return OperationEquivalence::isEquivalentTo(
      op, twin,
      [&](Value x, Value y) { return success(areSame(x, names, y, others)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// True if both reduce the same elements of the same points, of which `term` is
/// one in the body of `squares`.
static bool addUpTheSame(ReduceOp sum, ReduceOp squares, Value term) {
  MLIRContext *context = sum.getContext();
  Domain from = sum.getDomain(), to = squares.getDomain();
  auto drop = [](ArrayRef<ExprAttr> extents) {
    return llvm::map_to_vector(getWalked(extents),
                               [&](unsigned k) { return extents[k]; });
  };
  return drop(from.parallel) == drop(to.parallel) &&
         drop(from.reduction) == drop(to.reduction) &&
         areSame(getYielded(sum.getBody()),
                 mapDims(context, from.all(), to.all()), term,
                 mapDims(context, to.all(), to.all()));
}

static std::optional<Moments> findMoments(ReduceOp squares) {
  if (!isPlainSum(squares))
    return std::nullopt;
  auto square = getYielded(squares.getBody()).getDefiningOp<arith::MulFOp>();
  auto distance = square && square.getLhs() == square.getRhs()
                      ? square.getLhs().getDefiningOp<arith::SubFOp>()
                      : arith::SubFOp();
  auto load = distance ? distance.getRhs().getDefiningOp<LoadOp>() : LoadOp();
  auto mean =
      load ? load.getTensor().getDefiningOp<PointwiseOp>() : PointwiseOp();
  auto count = countPoints(squares.getDomain().reduction);
  if (!mean || !count || *count < 1)
    return std::nullopt;
  ReduceOp sum = getSum(mean, *count);
  SmallVector<ExprAttr> points = squares.getDomain().parallel;
  if (!sum || !sum->hasOneUse() ||
      !addUpTheSame(sum, squares, distance.getLhs()) ||
      !readsAt(load, mean.getDomain().parallel, getWalked(points)))
    return std::nullopt;
  return Moments{sum, squares, mean};
}

/// The moments of the elements that `sum` adds up, over the points and elements
/// of `squares`.
static ReduceOp createJoined(const Moments &moments) {
  auto [sum, squares, mean] = moments;
  OpBuilder builder(sum);
  MLIRContext *context = builder.getContext();
  Location location = squares.getLoc();
  Domain domain = squares.getDomain();
  SmallVector<StringRef> origins;
  mergeOrigins(origins, getOrigins(sum));
  mergeOrigins(origins, getOrigins(squares));
  Type type = squares.getType(0);
  auto joined = ReduceOp::create(
      builder, location, {type, type, type}, domain.parallel, domain.reduction,
      {ReductionKind::Welford}, getOriginsAttr(context, origins));
  Block &body = joined.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> indices;
  for (ExprAttr index : mapDims(context, sum.getDomain().all(), domain.all()))
    indices.push_back(
        index.isDim() ? Value(body.getArgument(index.getPosition()))
                      : arith::ConstantIndexOp::create(builder, location, 0));
  SmallVector<Value> values =
      cloneBody(builder, sum.getBody().front(), indices);
  for (float number : {0.0f, 1.0f}) // of one element
    values.push_back(arith::ConstantOp::create(
        builder, location, builder.getF32FloatAttr(number)));
  YieldOp::create(builder, location, values);
  return joined;
}

static void join(const Moments &moments) {
  auto [sum, squares, mean] = moments;
  ReduceOp joined = createJoined(moments);
  squares.getResult(0).replaceAllUsesWith(joined.getResult(1));
  SmallVector<ExprAttr> points = joined.getDomain().parallel,
                        extents = mean.getDomain().parallel;
  squares.erase();
  Value found = joined.getResult(0);
  if (points != extents && !mean->use_empty()) {
    OpBuilder builder(mean);
    found = createCopy(builder, mean.getLoc(), found, extents,
                       mapDims(builder.getContext(), points, extents),
                       mean.getOriginsAttr())
                .getResult();
  }
  mean.getResult().replaceAllUsesWith(found);
  mean.erase();
  sum.erase();
}

void loop::joinMoments(Block &block,
                       llvm::function_ref<bool(ReduceOp sum)> isWanted) {
  for (auto op : llvm::make_early_inc_range(block.getOps<ReduceOp>()))
    if (auto moments = findMoments(op); moments && isWanted(moments->sum))
      join(*moments);
}
