//===- SymbolicShapes.cpp - SymPy expressions as #guard.expr --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicShapes.h"

using namespace kiln;
using namespace kiln::pt2;
using archive::SymExpr;
using archive::SymKind;
using guard::ExprAttr;
using guard::ExprKind;

/// The function that a SymPy node of fixed arity stands for.
static std::optional<ExprKind> functionOf(SymKind kind) {
  switch (kind) {
  case SymKind::PowByNatural:
    return ExprKind::Pow;
  case SymKind::FloorDiv:
    return ExprKind::FloorDiv;
  case SymKind::CleanDiv:
    return ExprKind::CleanDiv;
  case SymKind::CeilDiv:
    return ExprKind::CeilDiv;
  // Operands of Mod are not negative, where all rules of signs agree.
  case SymKind::Mod:
  case SymKind::PythonMod:
    return ExprKind::Mod;
  case SymKind::LShift:
    return ExprKind::Shl;
  case SymKind::RShift:
    return ExprKind::Shr;
  case SymKind::BitwiseAnd:
    return ExprKind::BitAnd;
  case SymKind::BitwiseOr:
    return ExprKind::BitOr;
  case SymKind::BitwiseXor:
    return ExprKind::BitXor;
  case SymKind::ToFloat:
    return ExprKind::ToFloat;
  case SymKind::IntTrueDiv:
  case SymKind::FloatTrueDiv:
    return ExprKind::TrueDiv;
  case SymKind::TruncToInt:
    return ExprKind::Trunc;
  case SymKind::FloorToInt:
    return ExprKind::Floor;
  case SymKind::CeilToInt:
    return ExprKind::Ceil;
  case SymKind::RoundToInt:
    return ExprKind::Round;
  case SymKind::Eq:
    return ExprKind::Eq;
  case SymKind::Ne:
    return ExprKind::Ne;
  case SymKind::Le:
    return ExprKind::Le;
  case SymKind::Lt:
    return ExprKind::Lt;
  case SymKind::Ge:
    return ExprKind::Ge;
  case SymKind::Gt:
    return ExprKind::Gt;
  case SymKind::Not:
    return ExprKind::Not;
  case SymKind::Where:
    return ExprKind::Select;
  default:
    return std::nullopt;
  }
}

/// The binary function that an n-ary SymPy node folds.
static std::optional<ExprKind> foldOf(SymKind kind) {
  switch (kind) {
  case SymKind::Add:
    return ExprKind::Add;
  case SymKind::Mul:
    return ExprKind::Mul;
  case SymKind::Max:
    return ExprKind::Max;
  case SymKind::Min:
    return ExprKind::Min;
  case SymKind::And:
    return ExprKind::And;
  case SymKind::Or:
    return ExprKind::Or;
  default:
    return std::nullopt;
  }
}

/// The last case must hold if no other does; SymPy writes it as `true`.
Result<ExprAttr>
SymbolicShapes::convertPiecewise(const SymExpr &expr,
                                 const InputLeaf &inputLeaf) const {
  ExprAttr result;
  for (auto it = expr.operands.rbegin(); it != expr.operands.rend(); ++it) {
    if ((*it)->kind != SymKind::ExprCondPair || (*it)->operands.size() != 2)
      return Error::malformed("Piecewise expects pairs of expression and "
                              "condition");
    auto value = convert(*(*it)->operands[0], inputLeaf);
    if (!value)
      return value.takeError();
    if (!result) {
      result = *value;
      continue;
    }
    auto condition = convert(*(*it)->operands[1], inputLeaf);
    if (!condition)
      return condition.takeError();
    result = guard::select(*condition, *value, result);
  }
  if (!result)
    return Error::malformed("Piecewise without a case");
  return result;
}

Result<ExprAttr> SymbolicShapes::convert(const SymExpr &expr,
                                         const InputLeaf &inputLeaf) const {
  switch (expr.kind) {
  case SymKind::Symbol: {
    auto known = specialization.find(expr.name);
    if (known != specialization.end())
      return guard::getConstant(context, known->second);
    return guard::getSymbol(context, expr.name);
  }
  case SymKind::Integer:
  case SymKind::Bool:
    return guard::getConstant(context, expr.integer);
  case SymKind::Rational:
    return guard::getFloat(context, double(expr.integer) / expr.denominator);
  case SymKind::Float:
    return guard::getFloat(context, expr.number);
  case SymKind::InputSize:
  case SymKind::InputStride:
  case SymKind::InputStorageOffset:
  case SymKind::InputValue:
    if (inputLeaf)
      if (ExprAttr leaf = inputLeaf(expr))
        return leaf;
    return Error::unsupported("expression reads '" + toString(expr) +
                              "', which is no size or number of an input");
  default:
    break;
  }

  if (expr.kind == SymKind::Piecewise)
    return convertPiecewise(expr, inputLeaf);
  SmallVector<ExprAttr> operands;
  for (const archive::SymExprPtr &operand : expr.operands) {
    auto converted = convert(*operand, inputLeaf);
    if (!converted)
      return converted.takeError();
    operands.push_back(*converted);
  }
  if (auto kind = functionOf(expr.kind))
    return guard::build(*kind, operands);
  if (auto kind = foldOf(expr.kind)) {
    ExprAttr result = operands.front();
    for (ExprAttr operand : ArrayRef(operands).drop_front())
      result = guard::build(*kind, {result, operand});
    return result;
  }
  switch (expr.kind) {
  case SymKind::Pow: {
    auto exponent = operands[1].getConstant();
    if (exponent && *exponent < 0)
      return guard::build(
          ExprKind::TrueDiv,
          {guard::getConstant(context, 1),
           guard::pow(operands[0], guard::getConstant(context, -*exponent))});
    return guard::pow(operands[0], operands[1]);
  }
  case SymKind::FloatPow:
    return guard::pow(guard::toFloat(operands[0]),
                      guard::toFloat(operands[1]));
  case SymKind::ModularIndexing:
    return guard::modularIndexing(operands[0], operands[1], operands[2]);
  case SymKind::Abs:
    return guard::max(operands[0], -operands[0]);
  case SymKind::TruncToFloat:
    return guard::toFloat(guard::build(ExprKind::Trunc, {operands[0]}));
  case SymKind::Identity:
    return operands[0];
  case SymKind::UnaryFn:
    if (auto kind = guard::lookUpFunction(expr.name))
      return guard::build(*kind, operands);
    break;
  default:
    break;
  }
  return Error::unsupported("symbolic function '" +
                            std::string(symKindName(expr.kind)) + "' in '" +
                            toString(expr) + "' is not supported");
}

Result<ExprAttr> SymbolicShapes::convert(const archive::SymInt &value) const {
  if (value.isStatic())
    return guard::getConstant(context, value.value);
  return convert(*value.expr);
}

Result<ExprAttr> SymbolicShapes::convert(const archive::SymFloat &value) const {
  if (value.isStatic())
    return guard::getFloat(context, value.value);
  return convert(*value.expr);
}

Result<ExprAttr> SymbolicShapes::convert(const archive::SymBool &value) const {
  if (value.isStatic())
    return guard::getConstant(context, value.value);
  return convert(*value.expr);
}

Result<SmallVector<ExprAttr>>
SymbolicShapes::convert(const std::vector<archive::SymInt> &values) const {
  SmallVector<ExprAttr> result;
  for (const archive::SymInt &value : values) {
    auto expr = convert(value);
    if (!expr)
      return expr.takeError();
    result.push_back(*expr);
  }
  return result;
}
