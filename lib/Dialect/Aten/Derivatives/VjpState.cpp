//===- VjpState.cpp - What a derivative rule works with -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VjpState.h"

namespace kiln::aten {

//===----------------------------------------------------------------------===//
// Bringing a gradient to its operand
//===----------------------------------------------------------------------===//

Value VjpState::reduceTo(Value grad, Value operand) {
  Sizes have = builder.sizes(grad), want = builder.sizes(operand);
  if (have == want)
    return grad;
  size_t lead = have.size() < want.size() ? 0 : have.size() - want.size();
  SmallVector<int64_t> summed;
  bool mustExpand = have.size() < want.size();
  for (size_t i = 0; i < have.size() && !mustExpand; ++i) {
    if (i < lead) {
      summed.push_back(i);
      continue;
    }
    ExprAttr from = have[i], to = want[i - lead];
    if (from == to)
      continue;
    if (to.isConstant(1))
      summed.push_back(i);
    else if (from.isConstant(1))
      mustExpand = true;
    else {
      op->emitOpError("cannot bring a gradient of size ")
          << from.str() << " to size " << to.str()
          << ", expected equal sizes or 1";
      return {};
    }
  }
  // A gradient that is constant along a dimension (of a sum, say).
  if (mustExpand && summed.empty())
    return builder.expand(grad, want);
  grad = builder.sum(grad, summed, /*keepdim=*/lead == 0);
  return grad ? builder.view(grad, want) : grad;
}

void VjpState::setOperand(unsigned operand, Value value) {
  if (value)
    value = reduceTo(value, op->getOperand(operand));
  if (value)
    value = builder.cast(value,
                            Composer::elementType(op->getOperand(operand)));
  if (!value)
    failedToBuild = true;
  operandGrads[operand] = value;
}

//===----------------------------------------------------------------------===//
// Helpers of dags
//===----------------------------------------------------------------------===//

Value VjpState::scale(Value v, Value number) {
  if (!number || Composer::getConstantNumber(number) == 1.0)
    return v;
  return builder.mul(v, number);
}

Value VjpState::keepWhere(Value v, Value condition) {
  return builder.where(condition, v, 0.0);
}

Value VjpState::dropWhere(Value v, Value condition) {
  return builder.where(condition, 0.0, v);
}

Value VjpState::keepDims(Value v, Value self, OptionalDims dims, bool keepdim) {
  if (!v || keepdim)
    return v;
  Sizes sizes = builder.sizes(self);
  ArrayRef<int64_t> given = dims.value_or(ArrayRef<int64_t>());
  for (int64_t dim : Composer::wrapAll(given, sizes.size()))
    sizes[dim] = builder.constant(1);
  return builder.view(v, sizes);
}

Value VjpState::unreduce(Value v, Value self, OptionalDims dims, bool keepdim) {
  Value kept = keepDims(v, self, dims, keepdim);
  return builder.expand(kept, builder.sizes(self));
}

Value VjpState::like(Value v, Value model) {
  return builder.view(v, builder.sizes(model));
}

Value VjpState::meanOf(Value v, Value self, Value result) {
  ExprAttr all = builder.numElements(self);
  ExprAttr kept = builder.numElements(result);
  ExprAttr count = guard::exactDivide(all, kept).value_or(
      kept.isConstant(0) ? kept : guard::floorDiv(all, kept));
  return builder.div(v, builder.number(count));
}

Value VjpState::siluGrad(Value grad, Value self) {
  Composer &b = builder;
  Value s = b.sigmoid(self);
  return b.mul(grad, b.mul(s, b.add(b.mul(self, b.sub(1, s)), 1)));
}

Value VjpState::leakySlope(Value slope) {
  return slope ? slope : builder.number(Operand(0.01));
}

Value VjpState::share(Value grad, Value self, Value result, OptionalDims dims,
                      bool keepdim) {
  Composer &b = builder;
  Value mask = b.eq(self, keepDims(result, self, dims, keepdim));
  ArrayRef<int64_t> given = dims.value_or(ArrayRef<int64_t>());
  Value count =
      b.sum(mask, Composer::wrapAll(given, Composer::rank(self)), true);
  return b.div(b.mul(keepDims(grad, self, dims, keepdim), mask), count);
}

Value VjpState::atIndex(Value grad, Value self, Value indices, int64_t dim,
                        bool keepdim) {
  if (Composer::rank(self) != 0 && !keepdim) {
    grad = builder.unsqueeze(grad, dim);
    indices = builder.unsqueeze(indices, dim);
  }
  return builder.emit("scatter.src", {builder.zerosLike(self),
                                      builder.integer(dim), indices, grad});
}

Value VjpState::reverseCumsum(Value grad, int64_t dim) {
  if (Composer::rank(grad) == 0)
    return grad;
  Value flipped = builder.flip(grad, {dim});
  return builder.flip(builder.emit("cumsum", {flipped, builder.integer(dim)}),
                      {dim});
}

Value VjpState::varGradWith(Value grad, Value self, OptionalDims dims,
                            bool keepdim, double correction) {
  Composer &b = builder;
  ArrayRef<int64_t> given = dims.value_or(ArrayRef<int64_t>());
  ExprAttr count = b.constant(1);
  for (int64_t dim : Composer::wrapAll(given, Composer::rank(self)))
    count = guard::mul(count, b.size(self, dim));
  ExprAttr less = guard::sub(guard::toFloat(count),
                             guard::getFloat(b.getContext(), correction));
  Value divisor = less.isFloatConstant() ? b.number(Operand(less.getFloat()))
                                         : b.number(less);
  SmallVector<int64_t> all = Composer::wrapAll(given, Composer::rank(self));
  Value centered = b.sub(self, b.mean(self, all, true));
  Value twice = b.mul(keepDims(grad, self, dims, keepdim), 2);
  return b.mul(b.div(twice, divisor), centered);
}

Value VjpState::varGrad(Value grad, Value self, OptionalDims dims, bool keepdim,
                        Value correction) {
  double less = 1.0;
  if (correction) {
    auto known = Composer::getConstantNumber(correction);
    if (!known) {
      op->emitOpError("has a correction that is not a constant, expected one "
                      "for its derivative");
      return {};
    }
    less = *known;
  }
  return varGradWith(grad, self, dims, keepdim, less);
}

Value VjpState::varGradUnbiased(Value grad, Value self, OptionalDims dims,
                                bool keepdim, bool unbiased) {
  return varGradWith(grad, self, dims, keepdim, unbiased ? 1.0 : 0.0);
}

Value VjpState::stdGrad(Value grad, Value result) {
  return dropWhere(builder.div(grad, builder.mul(result, 2)),
                   builder.eq(result, 0));
}

Value VjpState::unpermute(Value grad, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> inverse(dims.size());
  for (auto [i, dim] : llvm::enumerate(dims))
    inverse[Composer::wrapDim(dim, dims.size())] = i;
  return builder.permute(grad, inverse);
}

Value VjpState::reverseDims(Value grad) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, Composer::rank(grad)));
  std::reverse(order.begin(), order.end());
  return builder.permute(grad, order);
}

Value VjpState::unselect(Value grad, Value self, int64_t dim, ExprAttr index) {
  return builder.emit("select_backward",
                      {grad, builder.shape(builder.sizes(self)),
                       builder.integer(dim), index});
}

Value VjpState::unslice(Value grad, Value self, int64_t dim,
                        std::optional<ExprAttr> start,
                        std::optional<ExprAttr> end, ExprAttr step) {
  ExprAttr first = start.value_or(builder.constant(0));
  ExprAttr last = end.value_or(
      builder.constant(std::numeric_limits<int64_t>::max()));
  return builder.emit("slice_backward",
                      {grad, builder.shape(builder.sizes(self)),
                       builder.integer(dim), first, last, step});
}

} // namespace kiln::aten
