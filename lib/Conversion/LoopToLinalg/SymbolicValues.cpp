//===- SymbolicValues.cpp - Expressions as SSA values ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicValues.h"

#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/Utils/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <functional>
#include <numeric>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;
using guard::ExprKind;

Type loop::getValueType(ExprAttr expr) {
  if (expr.isFloatTyped())
    return Float64Type::get(expr.getContext());
  return IndexType::get(expr.getContext());
}

SymbolicValues::SymbolicValues(func::FuncOp function) : function(function) {
  Block &entry = function.getBody().front();
  for (Operation &op : entry) {
    auto expr = op.getAttrOfType<ExprAttr>(kValueAttrName);
    if (!expr || op.getNumResults() != 1 ||
        op.getResult(0).getType() != getValueType(expr))
      continue;
    known.try_emplace(expr, op.getResult(0));
    last = &op;
  }
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto dims = type ? guard::getDims(type) : std::nullopt;
    if (!dims)
      continue;
    for (auto [k, dim] : llvm::enumerate(*dims)) {
      SmallVector<guard::Term> terms = guard::getTerms(dim);
      if (terms.empty() || !terms[0].monomial ||
          !terms[0].monomial.isSymbol() || terms.size() > 2 ||
          (terms.size() == 2 && terms[1].monomial))
        continue;
      Source source{argument, int64_t(k), terms[0].coefficient,
                    terms.size() == 2 ? terms[1].coefficient : 0};
      auto [it, inserted] = sources.try_emplace(terms[0].monomial, source);
      // A dimension that is the symbol itself reads best.
      if (!inserted && source.factor == 1 && source.offset == 0)
        it->second = source;
    }
  }
}

ImplicitLocOpBuilder SymbolicValues::getTop() {
  Block &entry = function.getBody().front();
  ImplicitLocOpBuilder top(function.getLoc(), function.getContext());
  if (last)
    top.setInsertionPointAfter(last);
  else
    top.setInsertionPointToStart(&entry);
  return top;
}

void SymbolicValues::setTop(const ImplicitLocOpBuilder &top) {
  if (top.getInsertionPoint() != top.getInsertionBlock()->begin())
    last = &*std::prev(top.getInsertionPoint());
}

/// The value of a symbol, computed once.
Value SymbolicValues::getSymbol(ExprAttr symbol) {
  auto it = sources.find(symbol);
  if (it == sources.end() || symbol.isFloatTyped()) {
    error = "needs the value of '" + symbol.str() +
            "', expected a symbol that is a dimension of an argument of its "
            "function";
    return {};
  }
  const Source &source = it->second;
  ImplicitLocOpBuilder b = getTop();
  Value value =
      tensor::DimOp::create(b, source.tensor, source.dim).getResult();
  if (source.offset != 0)
    value = arith::SubIOp::create(
        b, value, arith::ConstantIndexOp::create(b, source.offset));
  if (source.factor != 1)
    value = arith::DivSIOp::create(
        b, value, arith::ConstantIndexOp::create(b, source.factor));
  setTop(b);
  return value;
}

Value SymbolicValues::get(ImplicitLocOpBuilder &b, ExprAttr expr,
                          ArrayRef<Value> dims,
                          const guard::Assumptions &assumptions) {
  if (guard::hasDims(expr))
    return emit(b, guard::simplify(expr, assumptions), dims, assumptions);
  if (Value value = known.lookup(expr))
    return value;
  Value value;
  if (expr.isSymbol()) {
    value = getSymbol(expr);
  } else {
    ImplicitLocOpBuilder top = getTop();
    value = emit(top, expr, {}, assumptions);
    setTop(top);
  }
  if (value)
    known[expr] = value;
  return value;
}

/// A function whose value is a float, of floats and integers; null if it has no
/// code.
static Value emitRealFunction(ImplicitLocOpBuilder &b, ExprKind kind,
                              MutableArrayRef<Value> x) {
  for (Value &operand : x)
    if (operand.getType().isIndex())
      operand = arith::SIToFPOp::create(
          b, b.getF64Type(),
          arith::IndexCastOp::create(b, b.getI64Type(), operand));
  auto fold = [&](auto join) {
    return std::accumulate(x.begin() + 1, x.end(), x.front(), join);
  };
  switch (kind) {
  case ExprKind::ToFloat:
    return x[0];
  case ExprKind::Add:
    return fold([&](Value l, Value r) -> Value {
      return arith::AddFOp::create(b, l, r);
    });
  case ExprKind::Mul:
    return fold([&](Value l, Value r) -> Value {
      return arith::MulFOp::create(b, l, r);
    });
  case ExprKind::TrueDiv:
    return arith::DivFOp::create(b, x[0], x[1]);
  case ExprKind::Pow:
    return math::PowFOp::create(b, x[0], x[1]);
  case ExprKind::Sqrt:
    return math::SqrtOp::create(b, x[0]);
  default:
    return {};
  }
}

Value SymbolicValues::emit(ImplicitLocOpBuilder &b, ExprAttr expr,
                           ArrayRef<Value> dims,
                           const guard::Assumptions &assumptions) {
  if (auto constant = expr.getConstant())
    return arith::ConstantIndexOp::create(b, *constant);
  if (expr.isFloatConstant())
    return arith::ConstantOp::create(b, b.getF64FloatAttr(expr.getFloat()));
  if (expr.isDim())
    return dims[expr.getPosition()];
  if (expr.isSymbol())
    return get(b, expr);
  SmallVector<Value> x;
  for (ExprAttr operand : expr.getOperands()) {
    x.push_back(guard::hasDims(operand) ? emit(b, operand, dims, assumptions)
                                        : get(b, operand));
    if (!x.back())
      return {};
  }
  bool isReal = expr.isFloatTyped() ||
                llvm::any_of(expr.getOperands(), std::mem_fn(&ExprAttr::isFloatTyped));
  Value value = isReal ? emitRealFunction(b, expr.getKind(), x)
                       : emitIndexFunction(b, expr, x, assumptions);
  if (!value)
    error = "computes '" + expr.str() + "', expected " +
            (isReal ? "sums, products, quotients, powers and roots of floats"
                    : "integer arithmetic without powers");
  return value;
}
