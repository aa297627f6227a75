//===- CompositeRules.cpp - Derivatives of ops by what they are made of ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/Dialect/Aten/Transforms/Decompositions.h"
#include "kiln/Interfaces/DifferentiableOpInterface.h"

namespace kiln::aten {

namespace {

/// What the values of a decomposition get from their users.
class Gradients {
public:
  explicit Gradients(FormulaBuilder &c)
      : c(c), dialect(getGradientDialectInterface(c.getContext())) {}

  void add(Value value, Value grad) {
    sums[value].add(c.getBuilder(), c.getLoc(), dialect, grad);
  }
  Value get(Value value) {
    return sums.lookup(value).get(c.getBuilder(), c.getLoc(), dialect);
  }

private:
  FormulaBuilder &c;
  const GradientDialectInterface *dialect;
  DenseMap<Value, GradientSum> sums;
};

} // namespace

/// Reverse mode over the ops that a decomposition has built.
static LogicalResult differentiate(ArrayRef<Operation *> ops, Gradients &grads,
                                   const llvm::DenseSet<Value> &active,
                                   FormulaBuilder &c) {
  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> resultGrads;
    for (Value result : op->getResults())
      resultGrads.push_back(grads.get(result));
    if (llvm::none_of(resultGrads, [](Value v) { return bool(v); }))
      continue;
    auto isWanted = [&](unsigned i) {
      return active.contains(op->getOperand(i));
    };
    bool isReached = false;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      isReached |= isWanted(i);
    if (!isReached)
      continue;
    auto rule = llvm::dyn_cast<DifferentiableOpInterface>(op);
    if (!rule)
      return op->emitOpError("has no derivative, and a gradient flows through "
                             "it; expected an op that implements "
                             "DifferentiableOpInterface");
    if (rule.isStopGradient())
      continue;
    SmallVector<Value> operandGrads(op->getNumOperands());
    if (failed(rule.buildVjp(c.getBuilder(), resultGrads, isWanted,
                             operandGrads)))
      return failure();
    for (auto [operand, grad] : llvm::zip(op->getOperands(), operandGrads)) {
      if (grad)
        grads.add(operand, grad);
    }
  }
  return success();
}

LogicalResult vjpByDecomposition(Operation *op, VjpState &state) {
  // Random numbers drawn again would be others.
  if (auto dropout = llvm::dyn_cast<DropoutOp>(op))
    if (dropout.getTrain() && !dropout.getP().isZero())
      return state.refuse("draws random numbers that its derivative has to "
                          "read; run aten-decompose first");
  if (auto attention = llvm::dyn_cast<ScaledDotProductAttentionOp>(op))
    if (!attention.getDropoutP().isZero())
      return state.refuse("draws random numbers that its derivative has to "
                          "read; run aten-decompose first");

  FormulaBuilder &c = state.builder;
  Block *block = c.getBuilder().getInsertionBlock();
  auto position = c.getBuilder().getInsertionPoint();
  Operation *before =
      position == block->begin() ? nullptr : &*std::prev(position);
  SmallVector<Value> results = lookUpDecomposition(op)(op, c);
  if (results.empty())
    return state.refuse("has no derivative for these arguments");

  SmallVector<Operation *> ops;
  for (auto it = before ? std::next(before->getIterator()) : block->begin();
       it != position; ++it)
    ops.push_back(&*it);

  llvm::DenseSet<Value> active;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (state.isOperandWanted(i))
      active.insert(op->getOperand(i));
  for (Operation *made : ops)
    if (llvm::any_of(made->getOperands(),
                     [&](Value v) { return active.contains(v); }))
      active.insert(made->result_begin(), made->result_end());

  Gradients grads(c);
  for (auto [i, result] : llvm::enumerate(results)) {
    if (Value grad = state.grad(i))
      grads.add(result, grad);
  }
  if (failed(differentiate(ops, grads, active, c)))
    return failure();
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (state.isOperandWanted(i))
      if (Value grad = grads.get(op->getOperand(i)))
        state.setOperand(i, grad);
  return success();
}

} // namespace kiln::aten
