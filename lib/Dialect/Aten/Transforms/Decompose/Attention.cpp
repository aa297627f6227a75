//===- Attention.cpp - Scaled dot product attention -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

/// The heads of key or value repeated to those of the query.
static Value repeatHeads(Composer &c, Value x, ExprAttr heads) {
  Sizes sizes = c.sizes(x);
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

/// softmax(query @ key^T * scale + mask) @ value. A row whose scores are all
/// minus infinity, which only a mask can make, gives zeros.
static Value decomposeAttention(ScaledDotProductAttentionOp op, Composer &c) {
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  if (Composer::rank(query) < 2)
    return {};
  if (op.getEnableGqa()) {
    if (Composer::rank(query) < 3 || Composer::rank(key) < 3)
      return {};
    ExprAttr heads = c.size(query, -3);
    key = repeatHeads(c, key, heads);
    value = repeatHeads(c, value, heads);
  }
  ExprAttr depth = c.size(query, -1);
  Value scale;
  if (op.getScale())
    scale = c.number(Operand(op.getScale()->convertToDouble()));
  else if (auto known = depth.getConstant())
    scale = c.number(Operand(1.0 / std::sqrt(static_cast<double>(*known))));
  else
    scale = c.number(guard::build(
        guard::ExprKind::TrueDiv,
        {guard::getFloat(c.getContext(), 1.0),
         guard::build(guard::ExprKind::Sqrt, {guard::toFloat(depth)})}));

  Value scores = c.mul(c.emit("matmul", {query, c.t(key)}), scale);
  if (!scores)
    return {};
  Type element = Composer::elementType(scores);
  double low = -std::numeric_limits<double>::infinity();
  if (op.getIsCausal()) {
    Type i64 = c.getBuilder().getI64Type();
    Value rows = c.iota(c.size(query, -2), i64);
    Value columns = c.iota(c.size(key, -2), i64);
    Value allowed = c.le(columns, c.unsqueeze(rows, 1));
    scores = c.where(allowed, scores, low);
  }
  if (Value mask = op.getAttnMask()) {
    if (Composer::elementType(mask).isInteger(1))
      scores = c.where(mask, scores, low);
    else
      scores = c.add(scores, mask);
  }
  Value weights = c.emit("_softmax", {c.cast(scores, element), c.integer(-1),
                                      c.boolean(false)});
  if (op.getAttnMask()) {
    Value top = c.amax(scores, {Composer::rank(scores) - 1}, true);
    weights = c.where(c.eq(top, low), 0.0, weights);
  }
  double p = op.getDropoutP().convertToDouble();
  if (p != 0.0)
    weights = c.emit("native_dropout", {weights, c.real(p), c.boolean(true)});
  return c.emit("matmul", {weights, value});
}

void addAttention(DecompositionTable &table) {
  table.add<ScaledDotProductAttentionOp, decomposeAttention>(Stage::BeforeLoop);
}

} // namespace kiln::aten
