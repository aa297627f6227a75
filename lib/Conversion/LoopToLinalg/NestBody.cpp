//===- NestBody.cpp - The body of a nest on tensor elements ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestBody.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;
using guard::ExprKind;

//===----------------------------------------------------------------------===//
// Indexing maps
//===----------------------------------------------------------------------===//

llvm::DenseMap<Value, ExprAttr> loop::getIndexExprs(Block &body,
                                                    unsigned leading) {
  llvm::DenseMap<Value, ExprAttr> exprs;
  for (BlockArgument argument : body.getArguments())
    if (argument.getArgNumber() >= leading)
      exprs[argument] = guard::getDim(argument.getContext(),
                                      argument.getArgNumber() - leading);
  for (auto index : body.getOps<IndexOp>()) {
    SmallVector<ExprAttr> dims;
    for (Value operand : index.getIndices())
      dims.push_back(exprs.lookup(operand));
    if (!llvm::is_contained(dims, ExprAttr()))
      exprs[index.getResult()] = guard::substituteDims(index.getExpr(), dims);
  }
  return exprs;
}

/// The same expression in MLIR's terms, if it has such a form.
static std::optional<AffineExpr> toAffine(ExprAttr expr) {
  MLIRContext *context = expr.getContext();
  if (auto constant = expr.getConstant())
    return getAffineConstantExpr(*constant, context);
  if (expr.isDim())
    return getAffineDimExpr(expr.getPosition(), context);
  SmallVector<AffineExpr> operands;
  for (ExprAttr operand : expr.getOperands()) {
    auto affine = toAffine(operand);
    if (!affine)
      return std::nullopt;
    operands.push_back(*affine);
  }
  auto isPositive = [](AffineExpr e) {
    auto constant = dyn_cast<AffineConstantExpr>(e);
    return constant && constant.getValue() > 0;
  };
  switch (expr.getKind()) {
  case ExprKind::Add: {
    AffineExpr sum = operands[0];
    for (AffineExpr operand : ArrayRef(operands).drop_front())
      sum = sum + operand;
    return sum;
  }
  case ExprKind::Mul: {
    AffineExpr product = operands[0];
    for (AffineExpr operand : ArrayRef(operands).drop_front()) {
      if (!isa<AffineConstantExpr>(product) &&
          !isa<AffineConstantExpr>(operand))
        return std::nullopt;
      product = product * operand;
    }
    return product;
  }
  case ExprKind::FloorDiv:
  case ExprKind::CleanDiv:
    if (!isPositive(operands[1]))
      return std::nullopt;
    return operands[0].floorDiv(operands[1]);
  case ExprKind::Mod:
    if (!isPositive(operands[1]))
      return std::nullopt;
    return operands[0] % operands[1];
  default:
    return std::nullopt;
  }
}

std::optional<AffineMap>
loop::getIndexingMap(LoadOp load,
                     const llvm::DenseMap<Value, ExprAttr> &exprs,
                     ArrayRef<ExprAttr> extents) {
  if (load.getMask())
    return std::nullopt;
  SmallVector<ExprAttr> dims;
  for (Value operand : load.getIndices()) {
    dims.push_back(exprs.lookup(operand));
    if (!dims.back())
      return std::nullopt;
  }
  auto shape =
      guard::getDims(cast<RankedTensorType>(load.getTensor().getType()));
  if (!shape)
    return std::nullopt;
  guard::Assumptions assumptions;
  bool isStatic = true, isEmpty = false;
  for (auto [k, extent] : llvm::enumerate(extents)) {
    assumptions.setExtent(guard::getDim(load.getContext(), k), extent);
    isStatic &= extent.getConstant().has_value();
    isEmpty |= extent.isConstant(0);
  }
  SmallVector<AffineExpr> results;
  for (auto [size, expr] : llvm::zip_equal(*shape, getExprs(load.getMap()))) {
    ExprAttr index =
        guard::simplify(guard::substituteDims(expr, dims), assumptions);
    auto affine = toAffine(index);
    if (!affine)
      return std::nullopt;
    if (index.isDim()) {
      if (extents[index.getPosition()] != size)
        return std::nullopt;
    } else if (isEmpty) {
      return std::nullopt;
    } else if (isStatic && size.getConstant()) {
      // The verifier of linalg wants to see that it is in bounds.
      guard::Interval range = guard::getRange(index, assumptions);
      if (range.min < 0 || range.max >= *size.getConstant())
        return std::nullopt;
    }
    results.push_back(*affine);
  }
  return AffineMap::get(extents.size(), 0, results, load.getContext());
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

NestBody::NestBody(ImplicitLocOpBuilder &b, SymbolicValues &symbols,
                   ArrayRef<ExprAttr> extents, ArrayRef<Value> dims)
    : b(b), symbols(symbols), dims(dims) {
  for (auto [k, extent] : llvm::enumerate(extents))
    assumptions.setExtent(guard::getDim(b.getContext(), k), extent);
}

Value NestBody::getIndex(ExprAttr expr) {
  return symbols.get(b, expr, dims, assumptions);
}

Value NestBody::get(Value value) {
  if (Value known = values.lookupOrNull(value))
    return known;
  auto expr = exprs.find(value);
  if (expr == exprs.end())
    return value; // defined above the nest
  Value index = getIndex(expr->second);
  values.map(value, index);
  return index;
}

/// What is computed in the body becomes a further index.
ExprAttr NestBody::getExpr(Value index) {
  if (ExprAttr expr = exprs.lookup(index))
    return expr;
  dims.push_back(get(index));
  return exprs[index] = guard::getDim(b.getContext(), dims.size() - 1);
}

LogicalResult NestBody::emitLoad(LoadOp load) {
  SmallVector<ExprAttr> operands;
  for (Value operand : load.getIndices())
    operands.push_back(getExpr(operand));
  Type type = load.getResult().getType();
  auto extract = [&]() -> Value {
    SmallVector<Value> indices;
    for (ExprAttr expr : getExprs(load.getMap())) {
      indices.push_back(getIndex(guard::substituteDims(expr, operands)));
      if (!indices.back())
        return {};
    }
    return tensor::ExtractOp::create(b, type, load.getTensor(), indices);
  };
  Value value;
  if (!load.getMask()) {
    value = extract();
  } else {
    auto branch = scf::IfOp::create(b, TypeRange{type}, get(load.getMask()),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    if (Value element = extract()) {
      scf::YieldOp::create(b, element);
      value = branch.getResult(0);
    }
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, get(load.getOther()));
  }
  if (!value)
    return load.emitOpError(symbols.getError());
  values.map(load.getResult(), value);
  return success();
}

LogicalResult NestBody::emit(Block &block, ArrayRef<Value> leading) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), leading))
    values.map(argument, value);
  for (auto [value, expr] : getIndexExprs(block, leading.size()))
    exprs[value] = expr;
  for (Operation &op : block.without_terminator()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (!values.contains(load.getResult()) && failed(emitLoad(load)))
        return failure();
      continue;
    }
    if (auto index = dyn_cast<IndexOp>(op)) {
      SmallVector<ExprAttr> operands;
      for (Value operand : index.getIndices())
        operands.push_back(getExpr(operand));
      exprs[index.getResult()] =
          guard::substituteDims(index.getExpr(), operands);
      continue;
    }
    if (auto number = dyn_cast<NumberOp>(op)) {
      values.map(number.getResult(),
                 Value(arith::ConstantIntOp::create(b, number.getValue(), 64)));
      continue;
    }
    for (Value operand : op.getOperands()) {
      Value value = get(operand);
      if (!value)
        return op.emitOpError(symbols.getError());
      values.map(operand, value);
    }
    b.clone(op, values);
  }
  return success();
}
