//===- IndexArithmetic.cpp - Functions of expressions as arith ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Utils/IndexArithmetic.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace mlir;
using guard::ExprAttr;
using guard::ExprKind;

/// True for a function whose value is 0 or 1 by construction.
static bool isTruth(ExprAttr expr) {
  return guard::isTruthFunction(expr.getKind());
}

/// A constant of the type of the other operands.
static Value constantOf(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  Value scalar = arith::ConstantIndexOp::create(b, value);
  if (!isa<VectorType>(type))
    return scalar;
  return vector::BroadcastOp::create(b, type, scalar);
}

template <typename OpT>
static Value fold(ImplicitLocOpBuilder &b, ArrayRef<Value> operands) {
  Value result = operands[0];
  for (Value operand : operands.drop_front())
    result = OpT::create(b, result, operand);
  return result;
}

Value loop::emitIndexFunction(ImplicitLocOpBuilder &b, ExprAttr expr,
                              ArrayRef<Value> x,
                              const guard::Assumptions &assumptions) {
  Type type = x[0].getType();
  auto isSet = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                                 constantOf(b, type, 0));
  };
  auto toIndex = [&](Value flag) -> Value {
    return arith::IndexCastUIOp::create(b, type, flag);
  };
  auto compare = [&](arith::CmpIPredicate predicate) {
    return toIndex(arith::CmpIOp::create(b, predicate, x[0], x[1]));
  };
  auto flags = [&] {
    SmallVector<Value> result;
    for (auto [value, source] : llvm::zip_equal(x, expr.getOperands()))
      result.push_back(isTruth(source) ? value : toIndex(isSet(value)));
    return result;
  };
  auto isUnsigned = [&] {
    return guard::isKnownNonNegative(expr.getOperand(0), assumptions) &&
           guard::isKnownNonNegative(expr.getOperand(1), assumptions);
  };

  switch (expr.getKind()) {
  case ExprKind::Add:
    return fold<arith::AddIOp>(b, x);
  case ExprKind::Mul:
    return fold<arith::MulIOp>(b, x);
  case ExprKind::Min:
    return fold<arith::MinSIOp>(b, x);
  case ExprKind::Max:
    return fold<arith::MaxSIOp>(b, x);
  case ExprKind::And:
    return fold<arith::AndIOp>(b, flags());
  case ExprKind::Or:
    return fold<arith::OrIOp>(b, flags());
  case ExprKind::Not:
    return arith::XOrIOp::create(b, flags()[0], constantOf(b, type, 1));
  case ExprKind::FloorDiv:
  case ExprKind::CleanDiv:
    if (isUnsigned())
      return arith::DivUIOp::create(b, x[0], x[1]);
    return arith::FloorDivSIOp::create(b, x[0], x[1]);
  case ExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(b, x[0], x[1]);
  case ExprKind::Mod: {
    if (isUnsigned())
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
  case ExprKind::Select:
    return arith::SelectOp::create(b, isSet(x[0]), x[1], x[2]);
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
    return {};
  }
}
