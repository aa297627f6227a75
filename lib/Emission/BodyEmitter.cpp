//===- BodyEmitter.cpp - Widening the body of a nest ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "kiln/Analysis/IndexExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

Value BodyEmitter::get(Value value) {
  if (Value emitted = values.lookup(value))
    return emitted;
  if (Value constant = kernel.captured.lookup(value))
    return constant;
  // An index of the nest, used as a number.
  ExprAttr expr = getExpr(value);
  return values[value] = kernel.emitIndexVector(expr, position);
}

Value BodyEmitter::getWide(Value value) {
  return kernel.broadcast(get(value), position.lanes);
}

ExprAttr BodyEmitter::getExpr(Value index) {
  if (ExprAttr expr = exprs.lookup(index))
    return expr;
  // Computed in the body: a further dim whose value is what was computed.
  Value value = get(index);
  if (auto constant = index.getDefiningOp<arith::ConstantOp>())
    return exprs[index] = guard::getConstant(
               kernel.context, cast<IntegerAttr>(constant.getValue()).getInt());
  unsigned dim = position.dims.size();
  position.dims.push_back(value);
  position.extents.push_back({});
  if (isa<VectorType>(value.getType()))
    varying.push_back(dim);
  return exprs[index] = guard::getDim(kernel.context, dim);
}

SmallVector<ExprAttr> BodyEmitter::composeMap(ArrayAttr map,
                                              ValueRange operands) {
  SmallVector<ExprAttr> dims, result;
  for (Value operand : operands)
    dims.push_back(getExpr(operand));
  for (ExprAttr expr : getExprs(map))
    result.push_back(guard::substituteDims(expr, dims));
  return result;
}

/// What a condition is known to be.
static std::optional<bool> getFlag(Value value) {
  APInt flag;
  if (value.getType().isInteger(1) && matchPattern(value, m_ConstantInt(&flag)))
    return flag.isOne();
  return std::nullopt;
}

LogicalResult BodyEmitter::emitLoad(LoadOp op) {
  Value staged = kernel.loadStaged(op, position.lanes);
  Value mask, other;
  if (op.getMask()) {
    mask = get(op.getMask());
    other = get(op.getOther());
    std::optional<bool> known = getFlag(mask);
    if (known && !*known) {
      values[op.getResult()] = other;
      return success();
    }
    if (known)
      mask = other = {};
  }
  auto setAtHand = [&](Value value) {
    if (mask) {
      bool wide = isa<VectorType>(value.getType()) ||
                  isa<VectorType>(mask.getType()) ||
                  isa<VectorType>(other.getType());
      int64_t lanes = wide ? position.lanes : 1;
      value = arith::SelectOp::create(
          kernel.b, kernel.broadcast(mask, lanes),
          kernel.broadcast(value, lanes), kernel.broadcast(other, lanes));
    }
    values[op.getResult()] = value;
    return success();
  };
  if (staged)
    return setAtHand(staged);
  SmallVector<ExprAttr> indices = composeMap(op.getMap(), op.getIndices());
  Value tensor = op.getTensor();
  if (Value value = kernel.perPoint.lookup(tensor))
    return setAtHand(value);
  auto buffer = kernel.buffers.find(tensor);
  if (buffer == kernel.buffers.end())
    return op.emitOpError("reads a tensor that is not available in its kernel");
  ExprAttr address = analysis::linearize(kernel.context, indices,
                                         buffer->second.strides,
                                         kernel.assumptionsOf(position));
  values[op.getResult()] =
      kernel.load(buffer->second, address, position, varying, mask, other);
  return success();
}

/// The expression of a value that is an index, seen as a number, or a constant.
ExprAttr BodyEmitter::lookupExpr(Value value) const {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    if (value.getType().isInteger(64))
      value = cast.getIn();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= 64)
    return guard::getConstant(kernel.context, constant.getSExtValue());
  return exprs.lookup(value);
}

/// A comparison of index expressions, which masks are.
bool BodyEmitter::emitCondition(Operation &op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return false;
  ExprAttr left = lookupExpr(compare.getLhs()),
           right = lookupExpr(compare.getRhs());
  if (!left || !right)
    return false;
  ExprAttr expr;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::ne:
    if (!right.isConstant(0))
      return false;
    expr = left;
    break;
  case arith::CmpIPredicate::sle:
    expr = guard::le(left, right);
    break;
  case arith::CmpIPredicate::slt:
    expr = guard::lt(left, right);
    break;
  case arith::CmpIPredicate::sge:
    expr = guard::le(right, left);
    break;
  case arith::CmpIPredicate::sgt:
    expr = guard::lt(right, left);
    break;
  default:
    return false;
  }
  values[compare.getResult()] = kernel.emitCondition(expr, position);
  return true;
}

/// What follows from comparisons that are known here: without it what they
/// leave out would be read and computed.
bool BodyEmitter::emitKnown(Operation &op) {
  if (auto it = kernel.decided.find(&op); it != kernel.decided.end()) {
    values[op.getResult(0)] =
        arith::ConstantIntOp::create(kernel.b, it->second, 1);
    return true;
  }
  if (kernel.decided.empty())
    return false;
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    std::optional<bool> flag = getFlag(get(choice.getCondition()));
    if (flag)
      values[choice.getResult()] =
          get(*flag ? choice.getTrueValue() : choice.getFalseValue());
    return flag.has_value();
  }
  auto both = dyn_cast<arith::AndIOp>(op);
  if (!both || !both.getType().isInteger(1))
    return false;
  for (auto [one, other] : {std::pair(both.getLhs(), both.getRhs()),
                            std::pair(both.getRhs(), both.getLhs())})
    if (std::optional<bool> flag = getFlag(get(one))) {
      values[both.getResult()] = get(*flag ? other : one);
      return true;
    }
  return false;
}

/// Clones an operation that works element by element, on vectors if one of its
/// operands is one.
LogicalResult BodyEmitter::emitElementwise(Operation &op) {
  bool wide = false;
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(get(operand));
    wide |= isa<VectorType>(operands.back().getType());
  }
  if (wide)
    for (Value &operand : operands)
      operand = kernel.broadcast(operand, position.lanes);
  if (Value made = kernel.emitOperation(op, operands)) {
    values[op.getResult(0)] = made;
    return success();
  }
  IRMapping mapping;
  mapping.map(op.getOperands(), operands);
  Operation *clone = kernel.b.clone(op, mapping);
  for (auto [from, to] :
       llvm::zip_equal(op.getResults(), clone->getResults())) {
    if (wide)
      to.setType(VectorType::get({position.lanes}, from.getType()));
    values[from] = to;
  }
  return success();
}

void BodyEmitter::enter(Block &block, ArrayRef<Value> leading) {
  for (auto [k, argument] : llvm::enumerate(block.getArguments())) {
    if (k < leading.size())
      values[argument] = leading[k];
    else
      exprs[argument] = guard::getDim(kernel.context, k - leading.size());
  }
}

LogicalResult BodyEmitter::emitOne(Operation &op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return emitLoad(load);
  if (auto index = dyn_cast<IndexOp>(op)) {
    SmallVector<ExprAttr> dims;
    for (Value operand : index.getIndices())
      dims.push_back(getExpr(operand));
    exprs[index.getResult()] = guard::substituteDims(index.getExpr(), dims);
    return success();
  }
  if (auto number = dyn_cast<guard::ValueOp>(op)) {
    values[number.getResult()] = kernel.emitNumber(number);
    return success();
  }
  if (auto number = dyn_cast<NumberOp>(op)) {
    values[number.getResult()] = kernel.emitNumber(number);
    return success();
  }
  if (auto assertion = dyn_cast<AssertOp>(op))
    return kernel.emitAssertion(assertion, get(assertion.getCondition()));
  if (emitKnown(op) || emitCondition(op))
    return success();
  if (auto cast = dyn_cast<arith::IndexCastOp>(op);
      cast && cast.getType().isIndex()) {
    values[cast.getResult()] = kernel.toIndex(get(cast.getIn()));
    return success();
  }
  if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
    return op.emitOpError(
        "cannot be part of a kernel's body, expected an operation that "
        "works element by element");
  return emitElementwise(op);
}

/// Emits what has not been emitted yet.
LogicalResult BodyEmitter::emitOnce(Operation &op) {
  bool isEmitted = llvm::any_of(op.getResults(), [&](Value result) {
    return values.contains(result) || exprs.contains(result);
  });
  return isEmitted ? success() : emitOne(op);
}

LogicalResult BodyEmitter::emit(Block &block, ArrayRef<Value> leading) {
  enter(block, leading);
  for (Operation &op : block.without_terminator())
    if (failed(emitOnce(op)))
      return failure();
  return success();
}

LogicalResult BodyEmitter::emitAlike(Block &block, BlockArgument index) {
  enter(block, {});
  llvm::DenseSet<Value> moving = getDependent(index);
  // Whether an assertion holds is asked at each point.
  for (Operation &op : block.without_terminator())
    if (!isa<AssertOp>(op) && !moving.contains(op.getResult(0)) &&
        failed(emitOne(op)))
      return failure();
  return success();
}

LogicalResult BodyEmitter::emitLoads(Block &block) {
  enter(block, {});
  llvm::SmallDenseSet<Value> wanted;
  SmallVector<Operation *> first;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (!isa<LoadOp>(op) && llvm::none_of(op.getResults(), [&](Value result) {
          return wanted.contains(result);
        }))
      continue;
    wanted.insert_range(op.getOperands());
    first.push_back(&op);
  }
  for (Operation *op : llvm::reverse(first))
    if (failed(emitOnce(*op)))
      return failure();
  return success();
}
