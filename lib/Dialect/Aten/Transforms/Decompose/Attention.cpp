//===- Attention.cpp - Scaled dot product attention -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "kiln/Interfaces/AttentionMark.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

/// Up to this many keys a row of scores lies in a few registers.
constexpr int64_t kShortRow = 64;

/// The heads of key or value repeated to those of the query.
static Value repeatHeads(FormulaBuilder &c, Value x, ExprAttr heads) {
  Sizes sizes = c.dimsOf(x);
  size_t at = sizes.size() - 3;
  if (sizes[at] == heads)
    return x;
  ExprAttr times = guard::exactDivide(heads, sizes[at])
                       .value_or(guard::floorDiv(heads, sizes[at]));
  Sizes grown = sizes;
  grown.insert(grown.begin() + at + 1, times);
  Value expanded = c.expand(c.unsqueeze(x, at + 1), grown);
  sizes[at] = heads;
  return expanded ? c.view(expanded, sizes) : expanded;
}

/// Heads [b, h, s, d] that `x` repeats for as many heads of the query beside each other, by
/// views; null if it does not.
static Value getRepeatedHeads(FormulaBuilder &c, Value x) {
  auto skipCopies = [](Value tensor) {
    while (auto copy = tensor.getDefiningOp<CloneOp>())
      tensor = copy.getSelf();
    return tensor;
  };
  auto joined = skipCopies(x).getDefiningOp<ViewOp>();
  auto repeated =
      joined ? skipCopies(joined.getSelf()).getDefiningOp<ExpandOp>() : ExpandOp();
  if (!repeated || FormulaBuilder::rankOf(x) != 4 ||
      FormulaBuilder::rankOf(repeated.getSelf()) != 5)
    return {};
  Sizes from = c.dimsOf(repeated.getSelf()), to = c.dimsOf(repeated.getResult()),
        sizes = c.dimsOf(x);
  if (!from[2].isConstant(1) || sizes[1] != to[1] * to[2])
    return {};
  for (size_t k : {0, 1, 3, 4})
    if (from[k] != to[k] || (k != 1 && sizes[k - (k > 1)] != from[k]))
      return {};
  from.erase(from.begin() + 2);
  return c.view(repeated.getSelf(), from);
}

/// True if a mask says the same of all queries of all heads.
static bool isForAllRows(FormulaBuilder &c, Value mask) {
  Sizes sizes = c.dimsOf(mask);
  size_t rank = sizes.size();
  return rank < 5 && (rank < 2 || sizes[rank - 2].isConstant(1)) &&
         (rank < 3 || sizes[rank - 3].isConstant(1));
}

/// Heads that share keys as rows of one product by them, which then are read once and not
/// repeated: grouped-query attention (Ainslie et al., arXiv:2305.13245) where a query says
/// nothing of which keys it sees, as that of the last token. Null for any other.
static Value attendInGroups(ScaledDotProductAttentionOp op, FormulaBuilder &c) {
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  if (FormulaBuilder::rankOf(query) != 4 || FormulaBuilder::rankOf(key) != 4 ||
      FormulaBuilder::rankOf(value) != 4 || op.getIsCausal() ||
      !op.getDropoutP().isZero() ||
      (op.getAttnMask() && !isForAllRows(c, op.getAttnMask())))
    return {};
  if (!op.getEnableGqa()) {
    key = getRepeatedHeads(c, key);
    value = getRepeatedHeads(c, value);
    if (!key || !value)
      return {};
  }
  Sizes sizes = c.dimsOf(query), keys = c.dimsOf(key), values = c.dimsOf(value);
  auto times = guard::exactDivide(sizes[1], keys[1]);
  if (!times || times->isConstant(1) || keys[1] != values[1] ||
      sizes[0] != keys[0] || sizes[0] != values[0])
    return {};
  Value rows = c.view(query, Sizes{sizes[0], keys[1], *times * sizes[2], sizes[3]});
  Value result = c.scaledDotProductAttention(rows, key, value, op.getAttnMask(), 0.0,
                                             false, op.getScale());
  return result ? c.view(result, Sizes{sizes[0], sizes[1], sizes[2], values[3]})
                : result;
}

/// The scale of the scores: as given, else 1 / sqrt(depth).
static Value scoreScale(FormulaBuilder &c,
                        const std::optional<llvm::APFloat> &scale,
                        Value query) {
  if (scale)
    return c.number(Operand(scale->convertToDouble()));
  ExprAttr depth = c.dimOf(query, -1);
  if (auto known = depth.getConstant())
    return c.number(Operand(1.0 / std::sqrt(static_cast<double>(*known))));
  return c.number(guard::build(
      guard::ExprKind::TrueDiv,
      {guard::getFloat(c.getContext(), 1.0),
       guard::build(guard::ExprKind::Sqrt, {guard::toFloat(depth)})}));
}

static constexpr double kLow = -std::numeric_limits<double>::infinity();

/// The greatest score of each row; of no keys it is that of a masked row.
static Value greatest(FormulaBuilder &c, Value scores) {
  int64_t last = FormulaBuilder::rankOf(scores) - 1;
  if (!c.dimOf(scores, last).isConstant(0))
    return c.amaxOver(scores, {last}, true);
  auto sizes = c.dimsOf(scores);
  sizes.back() = c.expr(1);
  return c.full(sizes, kLow, FormulaBuilder::elementTypeOf(scores));
}

/// query @ key^T, in the type that scores are computed in: 16 bits would lose what the
/// exponential magnifies.
static Value multiplyKeys(FormulaBuilder &c, Value query, Value key) {
  return c.matmul(c.widen(query), c.transposeLast(c.widen(key)));
}

/// Which keys are not behind their query.
static Value allowedKeys(FormulaBuilder &c, Value query, Value key) {
  Type i64 = c.getBuilder().getI64Type();
  Value rows = c.iota(c.dimOf(query, -2), i64);
  Value columns = c.iota(c.dimOf(key, -2), i64);
  return c.le(columns, c.unsqueeze(rows, 1));
}

/// query @ key^T * scale + mask.
static Value maskedScores(FormulaBuilder &c, Value query, Value key,
                          Value scale, bool isCausal, Value mask) {
  Value scores = c.mul(multiplyKeys(c, query, key), scale);
  if (!scores)
    return {};
  if (isCausal)
    scores = c.where(allowedKeys(c, query, key), scores, kLow);
  if (!mask)
    return scores;
  return FormulaBuilder::elementTypeOf(mask).isInteger(1)
             ? c.where(mask, scores, kLow)
             : c.add(scores,
                     c.cast(mask, FormulaBuilder::elementTypeOf(scores)));
}

/// True if PyTorch computes such an attention in tiles on a processor; elsewhere it
/// normalizes the weights before they are multiplied.
static bool isInTiles(FormulaBuilder &c, Value query, Value key, Value value,
                      Value mask) {
  Sizes rows = c.dimsOf(query), keys = c.dimsOf(key), values = c.dimsOf(value);
  size_t rank = rows.size();
  if ((rank != 3 && rank != 4) || keys.size() != rank || values.size() != rank ||
      rows.back() != values.back())
    return false;
  for (size_t k = 0; k + 2 < rank; ++k)
    if (rows[k] != keys[k] || rows[k] != values[k])
      return false;
  return !mask || FormulaBuilder::rankOf(mask) == 2 ||
         FormulaBuilder::rankOf(mask) == 4;
}

/// weights @ value, whose numbers may be those of PyTorch's tiles.
static Value multiplyInTiles(FormulaBuilder &c, Value weights, Value value) {
  Value product = c.matmul(weights, value);
  Operation *made = product ? product.getDefiningOp() : nullptr;
  if (llvm::isa_and_nonnull<MatmulOp, MmOp, BmmOp>(made))
    made->setDiscardableAttr(kAttentionAttrName,
                             mlir::UnitAttr::get(c.getContext()));
  return product;
}

/// softmax(query @ key^T * scale + mask) @ value. A row whose scores are all
/// minus infinity, which only a mask can make, gives zeros.
Value decomposeAttention(ScaledDotProductAttentionOp op, FormulaBuilder &c) {
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  if (FormulaBuilder::rankOf(query) < 2)
    return {};
  if (Value grouped = attendInGroups(op, c))
    return grouped;
  if (op.getEnableGqa()) {
    if (FormulaBuilder::rankOf(query) < 3 || FormulaBuilder::rankOf(key) < 3)
      return {};
    ExprAttr heads = c.dimOf(query, -3);
    key = repeatHeads(c, key, heads);
    value = repeatHeads(c, value, heads);
  }
  Value scores =
      maskedScores(c, query, key, scoreScale(c, op.getScale(), query),
                   op.getIsCausal(), op.getAttnMask());
  if (!scores)
    return {};
  Value weights = c.softmax(scores, -1, false);
  if (op.getAttnMask()) {
    weights = c.where(c.eq(greatest(c, scores), kLow), 0.0, weights);
  }
  double p = op.getDropoutP().convertToDouble();
  if (p != 0.0)
    weights = c.nativeDropout(weights, p, true).front();
  bool inTiles = p == 0.0 && isInTiles(c, query, key, value, op.getAttnMask());
  Value result = inTiles ? multiplyInTiles(c, weights, c.widen(value))
                         : c.matmul(weights, c.widen(value));
  return result ? c.cast(result, FormulaBuilder::elementTypeOf(query)) : result;
}

//===----------------------------------------------------------------------===//
// With the logarithms of the sums
//===----------------------------------------------------------------------===//

SmallVector<Value>
decomposeFlashAttention(ScaledDotProductFlashAttentionForCpuOp op,
                        FormulaBuilder &c) {
  Value query = op.getQuery();
  if (!op.getDropoutP().isZero())
    return {};
  Value scores = maskedScores(c, query, op.getKey(),
                              scoreScale(c, op.getScale(), query),
                              op.getIsCausal(), op.getAttnMask());
  if (!scores)
    return {};
  SmallVector<int64_t> last = {FormulaBuilder::rankOf(scores) - 1};
  Value top = greatest(c, scores);
  Value e = c.exp(c.sub(scores, top));
  Value sum = c.sumOver(e, last, true);
  Value weights = c.div(e, sum), sums = c.add(c.log(sum), top);
  // Nothing to attend to, which only a mask can bring about: zeros, and the logarithm of
  // zero.
  if (op.getAttnMask()) {
    Value isMasked = c.eq(top, kLow);
    weights = c.where(isMasked, 0.0, weights);
    sums = c.where(isMasked, kLow, sums);
  }
  Value output = multiplyInTiles(c, weights, c.widen(op.getValue()));
  sums = c.squeezeDims(sums, last);
  if (!output || !sums)
    return {};
  auto resultType = [&](unsigned i) {
    return mlir::getElementTypeOrSelf(op->getResult(i));
  };
  return {c.cast(output, resultType(0)), c.cast(sums, resultType(1))};
}

/// The weights that the forward had, from its logarithms of sums.
static Value weightsAgain(ScaledDotProductFlashAttentionForCpuBackwardOp op,
                          FormulaBuilder &c, Value scale, Value allowed) {
  Value scores = maskedScores(c, op.getQuery(), op.getKey(), scale,
                              /*isCausal=*/allowed && op.getAttnMask(),
                              op.getAttnMask());
  if (!scores)
    return {};
  Value sums = c.unsqueeze(
      c.cast(op.getLogsumexp(), FormulaBuilder::elementTypeOf(scores)), -1);
  Value weights = c.exp(c.sub(scores, sums));
  if (op.getAttnMask())
    return c.where(c.eq(scores, kLow), 0.0, weights);
  return allowed ? c.where(allowed, weights, 0.0) : weights;
}

SmallVector<Value> decomposeFlashAttentionBackward(
    ScaledDotProductFlashAttentionForCpuBackwardOp op, FormulaBuilder &c) {
  if (!op.getDropoutP().isZero())
    return {};
  Value scale = scoreScale(c, op.getScale(), op.getQuery());
  Value allowed = op.getIsCausal()
                      ? allowedKeys(c, op.getQuery(), op.getKey())
                      : Value();
  Value weights = weightsAgain(op, c, scale, allowed);
  Value grad = c.widen(op.getGradOut()), out = c.widen(op.getOut());
  Value query = c.widen(op.getQuery()), key = c.widen(op.getKey()),
        value = c.widen(op.getValue());
  if (!weights || !grad || !out)
    return {};
  // The sum of weights * slopes over the keys, which is that of grad * out over
  // the channels. The latter needs no second look at long rows of slopes; the
  // former is exact where a single key is left.
  Value slope = c.matmul(grad, c.transposeLast(value));
  std::optional<int64_t> keys = c.dimOf(key, -2).getConstant();
  bool isShort = keys && *keys <= kShortRow;
  Value delta = c.sumOver(isShort ? c.mul(weights, slope) : c.mul(grad, out),
                          {FormulaBuilder::rankOf(grad) - 1}, true);
  Value gradScores = c.mul(weights, c.sub(slope, delta));
  // A slope at a key behind its query may be infinite.
  if (allowed)
    gradScores = c.where(allowed, gradScores, 0.0);
  // Scores were scaled: so are both sums of their gradient, and not each of its elements.
  SmallVector<Value> results = {
      c.mul(c.matmul(gradScores, key), scale),
      c.mul(c.matmul(c.transposeLast(gradScores), query), scale),
      c.matmul(c.transposeLast(weights), grad)};
  for (auto [i, result] : llvm::enumerate(results)) {
    if (!result)
      return {};
    result = c.cast(result, mlir::getElementTypeOrSelf(op->getResult(i)));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// One as the other
//===----------------------------------------------------------------------===//

/// True if all have the same elements, of one of `types`.
static bool areOfType(ArrayRef<Value> values, ArrayRef<Type> types) {
  Type type = FormulaBuilder::elementTypeOf(values.front());
  return llvm::is_contained(types, type) &&
         llvm::all_of(values, [&](Value each) {
           return FormulaBuilder::elementTypeOf(each) == type;
         });
}

SmallVector<Value> attendWithSums(ScaledDotProductAttentionOp op,
                                  ArrayRef<Type> types, FormulaBuilder &c,
                                  StringRef &why) {
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  why = "its tensors are not of four dimensions of known names";
  for (Value each : {query, key, value})
    if (!guard::getDims(llvm::cast<RankedTensorType>(each.getType())) ||
        FormulaBuilder::rankOf(each) != 4)
      return {};
  why = "it has dropout";
  if (!op.getDropoutP().isZero())
    return {};
  why = "sums of its element type are not saved";
  if (!areOfType({query, key, value}, types))
    return {};
  why = "rows of its queries and values are not of one length, or there are no keys";
  if (c.dimOf(query, -1) != c.dimOf(value, -1) || c.dimOf(key, -2).isConstant(0))
    return {};
  why = "it does not have keys and values for each query";
  if (op.getEnableGqa()) {
    ExprAttr heads = c.dimOf(query, -3);
    key = repeatHeads(c, key, heads);
    value = repeatHeads(c, value, heads);
    if (!key || !value)
      return {};
  }
  for (Value each : {key, value})
    for (int64_t dim : {-4, -3})
      if (c.dimOf(each, dim) != c.dimOf(query, dim))
        return {};
  OpResults made = c.scaledDotProductFlashAttentionForCpu(
      query, key, value, op.getDropoutP(), op.getIsCausal(), op.getAttnMask(),
      op.getScale());
  why = "no types of its results are known";
  if (!made)
    return {};
  return {made[0], made[1]};
}

} // namespace kiln::aten
