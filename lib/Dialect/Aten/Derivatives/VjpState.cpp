//===- VjpState.cpp - What a derivative rule works with -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VjpState.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

namespace kiln::aten {

//===----------------------------------------------------------------------===//
// Bringing a gradient to its operand
//===----------------------------------------------------------------------===//

/// True if two sizes can be one that is written in two ways: floordiv(s0, 3) * 3
/// is s0 where 3 divides it. In the example they have to be the same.
static bool mayBeEqual(Operation *op, ExprAttr a, ExprAttr b) {
  if (guard::sub(a, b).isConstant())
    return false; // and not 0
  auto hint = [&](ExprAttr leaf) -> std::optional<guard::Number> {
    if (!leaf.isSymbol())
      return std::nullopt;
    auto symbol = mlir::SymbolTable::lookupNearestSymbolFrom<guard::SymbolOp>(
        op, leaf.getSymbol());
    std::optional<int64_t> value = symbol ? symbol.getHint() : std::nullopt;
    return value ? std::optional(guard::Number::of(*value)) : std::nullopt;
  };
  auto x = guard::evaluate(a, hint), y = guard::evaluate(b, hint);
  return !x || !y || x->asDouble() == y->asDouble();
}

Value VjpState::reduceTo(Value grad, Value operand) {
  Sizes have = builder.dimsOf(grad), want = builder.dimsOf(operand);
  if (have == want)
    return grad;
  size_t lead = have.size() < want.size() ? 0 : have.size() - want.size();
  SmallVector<int64_t> summed;
  bool mustExpand = have.size() < want.size(), isRespelled = false;
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
    else if (mayBeEqual(op, from, to))
      isRespelled = true;
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
  if (isRespelled && summed.empty())
    return builder.view(grad, want);
  grad = builder.sumOver(grad, summed, /*keepdim=*/lead == 0);
  return grad ? builder.view(grad, want) : grad;
}

void VjpState::setOperand(unsigned operand, Value value) {
  Type element = FormulaBuilder::elementTypeOf(op->getOperand(operand));
  // A real number gets the real part.
  if (value && FormulaBuilder::isComplex(value) &&
      !llvm::isa<mlir::ComplexType>(element))
    value = builder.real(value);
  // Sums of f32 are exact enough in f64; those of 16 bits are rounded first.
  if (value && element.isF64() && FormulaBuilder::elementTypeOf(value).isF32())
    value = builder.cast(value, element);
  if (value)
    value = reduceTo(value, op->getOperand(operand));
  if (value)
    value = builder.cast(value, element);
  if (!value)
    failedToBuild = true;
  operandGrads[operand] = value;
}

//===----------------------------------------------------------------------===//
// Helpers of dags
//===----------------------------------------------------------------------===//

Value VjpState::scale(Value v, Value number) {
  if (!number || FormulaBuilder::getConstantNumber(number) == 1.0)
    return v;
  return builder.mul(v, number);
}

Value VjpState::numberOr(Value number, Operand otherwise) {
  return number ? number : builder.number(otherwise);
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
  Sizes sizes = builder.dimsOf(self);
  ArrayRef<int64_t> given = dims.value_or(ArrayRef<int64_t>());
  for (int64_t dim : FormulaBuilder::wrapAll(given, sizes.size()))
    sizes[dim] = builder.expr(1);
  return builder.view(v, sizes);
}

Value VjpState::unreduce(Value v, Value self, OptionalDims dims, bool keepdim) {
  Value kept = keepDims(v, self, dims, keepdim);
  return builder.expand(kept, builder.dimsOf(self));
}

Value VjpState::like(Value v, Value model) {
  return builder.view(v, builder.dimsOf(model));
}

Value VjpState::meanOf(Value v, Value self, Value result) {
  ExprAttr all = builder.numelOf(self);
  ExprAttr kept = builder.numelOf(result);
  ExprAttr count = guard::exactDivide(all, kept).value_or(
      kept.isConstant(0) ? kept : guard::floorDiv(all, kept));
  return builder.div(v, builder.number(count));
}

Value VjpState::castLike(Value v, Value model) {
  return builder.cast(v, FormulaBuilder::elementTypeOf(model));
}

Value VjpState::rowMajor(Value v) {
  return v ? builder.clone(v, "contiguous_format") : v;
}

Value VjpState::secondResult(Value v) {
  return v ? v.getDefiningOp()->getResult(1) : v;
}

} // namespace kiln::aten
