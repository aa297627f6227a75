//===- SymbolicValues.cpp - Expressions as SSA values ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicValues.h"

#include "kiln/Conversion/LoopToLinalg/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;
using guard::ExprKind;

SymbolicValues::SymbolicValues(func::FuncOp function) : function(function) {
  Block &entry = function.getBody().front();
  for (Operation &op : entry) {
    auto expr = op.getAttrOfType<ExprAttr>(kValueAttrName);
    if (!expr || op.getNumResults() != 1 ||
        !op.getResult(0).getType().isIndex())
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
  if (it == sources.end()) {
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
  if (auto constant = expr.getConstant())
    return arith::ConstantIndexOp::create(b, *constant);
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

Value SymbolicValues::emit(ImplicitLocOpBuilder &b, ExprAttr expr,
                           ArrayRef<Value> dims,
                           const guard::Assumptions &assumptions) {
  if (auto constant = expr.getConstant())
    return arith::ConstantIndexOp::create(b, *constant);
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
  auto isTruth = [](ExprAttr e) {
    return e.getKind() >= ExprKind::Eq && e.getKind() <= ExprKind::Not;
  };
  auto toFlag = [&](unsigned k) -> Value {
    if (isTruth(expr.getOperand(k)))
      return x[k];
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value flag =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x[k], zero);
    return arith::IndexCastUIOp::create(b, b.getIndexType(), flag);
  };
  auto fold = [&](auto create) {
    Value result = x[0];
    for (Value value : ArrayRef(x).drop_front())
      result = create(result, value);
    return result;
  };
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    Value flag = arith::CmpIOp::create(b, predicate, x[0], x[1]);
    return arith::IndexCastUIOp::create(b, b.getIndexType(), flag);
  };
  bool isUnsigned =
      x.size() == 2 &&
      guard::isKnownNonNegative(expr.getOperand(0), assumptions) &&
      guard::isKnownNonNegative(expr.getOperand(1), assumptions);

  switch (expr.getKind()) {
  case ExprKind::Add:
    return fold([&](Value p, Value q) -> Value {
      return arith::AddIOp::create(b, p, q);
    });
  case ExprKind::Mul:
    return fold([&](Value p, Value q) -> Value {
      return arith::MulIOp::create(b, p, q);
    });
  case ExprKind::Min:
    return fold([&](Value p, Value q) -> Value {
      return arith::MinSIOp::create(b, p, q);
    });
  case ExprKind::Max:
    return fold([&](Value p, Value q) -> Value {
      return arith::MaxSIOp::create(b, p, q);
    });
  case ExprKind::And:
    for (unsigned k = 0; k < x.size(); ++k)
      x[k] = toFlag(k);
    return fold([&](Value p, Value q) -> Value {
      return arith::AndIOp::create(b, p, q);
    });
  case ExprKind::Or:
    for (unsigned k = 0; k < x.size(); ++k)
      x[k] = toFlag(k);
    return fold([&](Value p, Value q) -> Value {
      return arith::OrIOp::create(b, p, q);
    });
  case ExprKind::Not:
    return arith::XOrIOp::create(b, toFlag(0),
                                 arith::ConstantIndexOp::create(b, 1));
  case ExprKind::FloorDiv:
  case ExprKind::CleanDiv:
    if (isUnsigned)
      return arith::DivUIOp::create(b, x[0], x[1]);
    return arith::FloorDivSIOp::create(b, x[0], x[1]);
  case ExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(b, x[0], x[1]);
  case ExprKind::Mod: {
    if (isUnsigned)
      return arith::RemUIOp::create(b, x[0], x[1]);
    // a - floordiv(a, b) * b has the sign of b.
    Value quotient = arith::FloorDivSIOp::create(b, x[0], x[1]);
    Value product = arith::MulIOp::create(b, quotient, x[1]);
    return arith::SubIOp::create(b, x[0], product);
  }
  case ExprKind::Eq:
    return compare(arith::CmpIPredicate::eq);
  case ExprKind::Ne:
    return compare(arith::CmpIPredicate::ne);
  case ExprKind::Lt:
    return compare(arith::CmpIPredicate::slt);
  case ExprKind::Le:
    return compare(arith::CmpIPredicate::sle);
  case ExprKind::Gt:
    return compare(arith::CmpIPredicate::sgt);
  case ExprKind::Ge:
    return compare(arith::CmpIPredicate::sge);
  case ExprKind::Select: {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value flag =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x[0], zero);
    return arith::SelectOp::create(b, flag, x[1], x[2]);
  }
  case ExprKind::Shl:
    return arith::ShLIOp::create(b, x[0], x[1]);
  case ExprKind::Shr:
    return arith::ShRSIOp::create(b, x[0], x[1]);
  case ExprKind::BitAnd:
    return arith::AndIOp::create(b, x[0], x[1]);
  case ExprKind::BitOr:
    return arith::OrIOp::create(b, x[0], x[1]);
  case ExprKind::BitXor:
    return arith::XOrIOp::create(b, x[0], x[1]);
  default:
    break;
  }
  error = "computes '" + expr.str() +
          "', expected integer arithmetic without powers";
  return {};
}
