//===- IndexEmitter.cpp - Expressions over indices as code ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/Utils/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;
using guard::ExprKind;

Value KernelEmitter::constantIndex(int64_t value) {
  fitsIn32 &= llvm::isInt<32>(value);
  return arith::ConstantIndexOp::create(b, value);
}

Value KernelEmitter::getWord(ExprAttr expr) {
  if (auto constant = expr.getConstant())
    return arith::ConstantIntOp::create(b, *constant, 64);
  auto [it, inserted] = arguments.try_emplace(expr);
  if (inserted)
    it->second.word = emitArgument(arguments.size() - 1);
  return it->second.word;
}

Value KernelEmitter::getArgument(ExprAttr expr) {
  if (auto constant = expr.getConstant())
    return constantIndex(*constant);
  Value word = getWord(expr);
  Argument &argument = arguments[expr];
  if (!argument.index) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(word);
    argument.index = arith::IndexCastOp::create(b, b.getIndexType(), word);
  }
  return argument.index;
}

Value KernelEmitter::toIndex(Value number) {
  Type type = b.getIndexType();
  if (auto vector = dyn_cast<VectorType>(number.getType()))
    type = vector.clone(type);
  return arith::IndexCastOp::create(b, type, number);
}

Value KernelEmitter::emitNumber(guard::ValueOp number) {
  Type type = number.getType();
  if (type.isIndex())
    return getArgument(number.getExpr());
  Value bits = getWord(number.getExpr());
  if (number.getExpr().isFloatTyped()) {
    Value real = arith::BitcastOp::create(b, b.getF64Type(), bits);
    return type.isF64() ? real
                        : arith::TruncFOp::create(b, type, real).getResult();
  }
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, type, bits);
  return type.isInteger(64)
             ? bits
             : arith::TruncIOp::create(b, type, bits).getResult();
}

Value KernelEmitter::emitNumber(NumberOp number) {
  unsigned slot = number->getAttrOfType<IntegerAttr>(kSlotAttrName).getInt();
  return getWord(guard::getDim(context, slot));
}

guard::Assumptions
KernelEmitter::assumptionsOf(const Position &position) const {
  guard::Assumptions assumptions;
  for (auto [k, extent] : llvm::enumerate(position.extents))
    if (extent)
      assumptions.setExtent(guard::getDim(context, k), extent);
  if (position.vectorDim >= 0 && position.bounds.max != guard::Interval::kMax)
    assumptions.setRange(guard::getDim(context, position.vectorDim),
                         position.bounds);
  return assumptions;
}

Position KernelEmitter::getWithin(NestOpInterface nest, unsigned dim,
                                  guard::Interval bounds) const {
  Position shared;
  shared.dims.resize(sharedExtents.size());
  shared.extents = sharedExtents;
  Position position = enter(shared, nest.getDomain());
  position.vectorDim = int(dim);
  position.bounds = bounds;
  return position;
}

Value KernelEmitter::emitIndex(ExprAttr expr, const Position &position) {
  llvm::SmallDenseMap<ExprAttr, Value> done;
  return emitIndexTree(expr, position, 1, done);
}

Value KernelEmitter::emitIndexVector(ExprAttr expr, const Position &position) {
  llvm::SmallDenseMap<ExprAttr, Value> done;
  return broadcast(emitIndexTree(expr, position, position.lanes, done),
                   position.lanes);
}

Value KernelEmitter::emitNarrowVector(ExprAttr expr, const Position &position) {
  auto type = VectorType::get({position.lanes}, b.getI32Type());
  ExprKind kind = expr.getKind();
  if (guard::hasDims(expr) && (kind == ExprKind::Add || kind == ExprKind::Mul)) {
    // Low bits of a sum or a product follow from those of its parts.
    Value made;
    for (ExprAttr operand : expr.getOperands()) {
      Value part = emitNarrowVector(operand, position);
      if (!made)
        made = part;
      else if (kind == ExprKind::Add)
        made = arith::AddIOp::create(b, made, part);
      else
        made = arith::MulIOp::create(b, made, part);
    }
    return made;
  }
  llvm::SmallDenseMap<ExprAttr, Value> done;
  Value wide = emitIndexTree(expr, position, position.lanes, done);
  if (isa<VectorType>(wide.getType())) {
    auto computed = wide.getDefiningOp<arith::IndexCastOp>();
    if (computed && computed.getIn().getType() == type)
      return computed.getIn();
    return arith::IndexCastOp::create(b, type, wide);
  }
  return broadcast(arith::IndexCastOp::create(b, b.getI32Type(), wide),
                   position.lanes);
}

/// `difference + lane * step >= 0` for each lane as a constant, where all indices are
/// numbers; null where they are not.
static Value getConstantFlags(ImplicitLocOpBuilder &b, ExprAttr difference,
                              int64_t step, const Position &position) {
  ExprAttr first = guard::substitute(difference, [&](ExprAttr leaf) {
    if (!leaf.isDim())
      return leaf;
    Value index = position.dims[leaf.getPosition()];
    auto number = index ? getConstantIntValue(index) : std::nullopt;
    return number ? guard::getConstant(leaf.getContext(), *number) : leaf;
  });
  auto number = first.getConstant();
  if (!number)
    return {};
  SmallVector<bool> flags;
  for (int64_t lane = 0; lane < position.lanes; ++lane)
    flags.push_back(*number + lane * step >= 0);
  auto type = VectorType::get({position.lanes}, b.getI1Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<bool>(flags)));
}

/// `difference >= 0` for each lane as a constant, where it depends on lanes by a remainder
/// that comes again within them, as of pixels that lie between others; null where it does not.
Value KernelEmitter::getPeriodicFlags(ExprAttr difference,
                                      const Position &position) {
  if (!picksLanes || !beginsVectors(position))
    return {};
  ExprAttr dim = guard::getDim(context, position.vectorDim);
  if (!guard::contains(difference, dim))
    return {};
  SmallVector<bool> flags;
  for (int64_t lane = 0; lane < position.lanes; ++lane) {
    ExprAttr there = guard::substitute(difference, [&](ExprAttr leaf) {
      return leaf == dim ? dim * position.lanes + lane : leaf;
    });
    auto number = there.getConstant();
    if (!number)
      return {};
    flags.push_back(*number >= 0);
  }
  auto type = VectorType::get({position.lanes}, b.getI1Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<bool>(flags)));
}

/// A comparison along lanes that are neighbours: `difference >= 0`, where it
/// moves by a fixed number a lane. One narrow comparison with constants, instead
/// of indices for all lanes. Null where it is not so.
Value KernelEmitter::emitLaneComparison(ExprAttr difference,
                                        const Position &position) {
  if (position.vectorDim < 0)
    return {};
  ExprAttr dim = guard::getDim(context, position.vectorDim);
  auto step = guard::getCoefficient(difference, dim);
  if (!step || !step->getConstant())
    return {};
  constexpr int64_t kMost = int64_t(1) << 30;
  int64_t last = *step->getConstant();
  if (llvm::MulOverflow(last, position.lanes, last) || std::abs(last) >= kMost)
    return {};
  for (auto [k, value] : llvm::enumerate(position.dims))
    if (value && isa<VectorType>(value.getType()) &&
        guard::contains(difference, guard::getDim(context, k)))
      return {};
  if (Value flags = getConstantFlags(b, difference, *step->getConstant(),
                                     position))
    return flags;
  Value first = emitIndex(difference, position);
  // Behind a multiple of the lanes, or before one, whole vectors are.
  int64_t one = *step->getConstant();
  bool isWhole =
      beginsVectors(position) && std::abs(one) == 1 &&
      int64_t(getFactor(one == 1 ? difference : difference + 1, dim,
                        position.multiple, position.lanes)) == position.lanes;
  if (last == 0 || isWhole) // the same for all lanes
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, first,
                                 constantIndex(0));
  // first + lane * step >= 0, in 32 bits: beyond them only the sign counts.
  Value bound = arith::SubIOp::create(b, constantIndex(0), first);
  bound = arith::MaxSIOp::create(b, bound, constantIndex(-2 * kMost));
  bound = arith::MinSIOp::create(b, bound, constantIndex(2 * kMost - 1));
  bound = arith::IndexCastOp::create(b, b.getI32Type(), bound);
  SmallVector<int32_t> steps;
  for (int64_t lane = 0; lane < position.lanes; ++lane)
    steps.push_back(int32_t(lane * *step->getConstant()));
  auto type = VectorType::get({position.lanes}, b.getI32Type());
  Value moves = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps)));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, moves,
                               broadcast(bound, position.lanes));
}

Value KernelEmitter::emitCondition(ExprAttr expr, const Position &position) {
  if (isAssured(expr, position))
    return arith::ConstantIntOp::create(b, 1, 1);
  auto both = [&](auto create) {
    SmallVector<Value> flags;
    bool wide = false;
    for (ExprAttr operand : expr.getOperands()) {
      if (expr.getKind() == ExprKind::And && isAssured(operand, position))
        continue;
      flags.push_back(emitCondition(operand, position));
      wide |= isa<VectorType>(flags.back().getType());
    }
    if (flags.empty())
      flags.push_back(arith::ConstantIntOp::create(b, 1, 1));
    Value result;
    for (Value flag : flags) {
      flag = wide ? broadcast(flag, position.lanes) : flag;
      result = result ? create(result, flag) : flag;
    }
    return result;
  };
  if (guard::hasDims(expr)) {
    switch (expr.getKind()) {
    case ExprKind::And:
      return both([&](Value x, Value y) {
        return arith::AndIOp::create(b, x, y).getResult();
      });
    case ExprKind::Or:
      return both([&](Value x, Value y) {
        return arith::OrIOp::create(b, x, y).getResult();
      });
    case ExprKind::Le:
    case ExprKind::Lt: {
      ExprAttr difference = expr.getOperand(1) - expr.getOperand(0);
      if (expr.getKind() == ExprKind::Lt)
        difference = difference + -1;
      if (Value flags = emitLaneComparison(difference, position))
        return flags;
      if (Value flags = getPeriodicFlags(difference, position))
        return flags;
      break;
    }
    default:
      break;
    }
  }
  llvm::SmallDenseMap<ExprAttr, Value> done;
  Value number = emitIndexTree(expr, position, position.lanes, done);
  auto type = dyn_cast<VectorType>(number.getType());
  Value zero = broadcast(constantIndex(0), type ? position.lanes : 1);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, number, zero);
}

/// Emits `expr`, scalar where it does not depend on lanes. `lanes` 1 asks for
/// the first lane only.
Value KernelEmitter::emitIndexTree(
    ExprAttr expr, const Position &position, int64_t lanes,
    llvm::SmallDenseMap<ExprAttr, Value> &done) {
  if (!guard::hasDims(expr))
    return getArgument(expr);
  if (Value value = done.lookup(expr))
    return value;
  auto remember = [&](Value value) { return done[expr] = value; };

  if (expr.isDim()) {
    Value value = position.dims[expr.getPosition()];
    if (lanes == 1) {
      // The first lane of an index that was computed for all of them.
      if (isa<VectorType>(value.getType()))
        value = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{0});
      return remember(value);
    }
    if (int(expr.getPosition()) == position.vectorDim) {
      auto type = VectorType::get({lanes}, b.getIndexType());
      Value steps = vector::StepOp::create(b, type);
      value = arith::AddIOp::create(b, broadcast(value, lanes), steps);
    }
    return remember(value);
  }

  SmallVector<Value> operands;
  bool wide = false;
  for (ExprAttr operand : expr.getOperands()) {
    operands.push_back(emitIndexTree(operand, position, lanes, done));
    wide |= isa<VectorType>(operands.back().getType());
  }
  if (wide)
    for (Value &operand : operands)
      operand = broadcast(operand, lanes);
  if (Value value =
          emitIndexFunction(b, expr, operands, assumptionsOf(position)))
    return remember(value);
  // Powers and functions of floats, of loop indices: an error at the end.
  unsupported = expr;
  return remember(broadcast(constantIndex(0), wide ? lanes : 1));
}

Value KernelEmitter::broadcast(Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, value.getType()), value);
}
