//===- IndexExpr.cpp - Expressions that are evaluated often ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexExpr.h"

#include "kiln/Dialect/Guard/IR/GuardBytecode.h"

#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;
using guard::ExprKind;
using package::Cell;

IndexExpr::IndexExpr(ExprAttr expr, const SymbolValues &symbols) : expr(expr) {
  append(expr, symbols);
  stack.resize(steps.size());
}

void IndexExpr::append(ExprAttr part, const SymbolValues &symbols) {
  ExprKind kind = part.getKind();
  switch (kind) {
  case ExprKind::Constant:
  case ExprKind::Dim:
    steps.push_back({kind, 0, 0, Cell::ofInteger(part.getPayload())});
    return;
  case ExprKind::Float:
    steps.push_back({kind, 0, 0, Cell::ofFloat(part.getFloat())});
    return;
  case ExprKind::Symbol: {
    auto known = symbols.find(part.str());
    steps.push_back(
        {kind, 0, 0,
         known == symbols.end() ? Cell() : Cell::ofInteger(known->second)});
    return;
  }
  default:
    break;
  }
  // Those of any number of operands take two at a time.
  unsigned arity = guard::getArity(kind), operands = arity ? arity : 2;
  for (auto [k, operand] : llvm::enumerate(part.getOperands())) {
    append(operand, symbols);
    if (k + 1 >= operands)
      steps.push_back({kind, guard::getOpcode(kind), uint8_t(operands), {}});
  }
}

/// Puts the result of a function in place of its first operand, at `cells`; false if it has
/// none.
static bool applyStep(ExprKind kind, uint8_t opcode, Cell *cells) {
  // Nearly all are sums and products of indices.
  bool isSum = kind == ExprKind::Add;
  if ((isSum || kind == ExprKind::Mul) && cells[0].isInteger() &&
      cells[1].isInteger()) {
    int64_t &to = cells[0].integer;
    return isSum ? !llvm::AddOverflow(to, cells[1].integer, to)
                 : !llvm::MulOverflow(to, cells[1].integer, to);
  }
  return package::applyFunction(opcode, cells) == package::ExprFailure::None;
}

int64_t IndexExpr::evaluate(llvm::ArrayRef<int64_t> dims) {
  Cell *top = stack.data(); // one past the last cell
  bool isKnown = true;
  for (const Step &step : steps) {
    if (step.kind == ExprKind::Dim) {
      *top++ = Cell::ofInteger(dims[step.value.integer]);
    } else if (step.operands == 0) {
      *top++ = step.value;
      isKnown &= step.value.defined();
    } else if (isKnown) {
      top -= step.operands - 1;
      isKnown = applyStep(step.kind, step.opcode, top - 1);
    }
  }
  if (isKnown && stack[0].isInteger())
    return stack[0].integer;
  ADD_FAILURE() << "cannot evaluate " << expr.str();
  return 0;
}
