//===- AccessRelations.cpp - What loop nests read, write and cost ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/AccessRelations.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::analysis;

/// What a symbol counts as when nothing is known of it.
static constexpr int64_t kDefaultHint = 64;

SizeHints::SizeHints(ModuleOp module) {
  if (!module)
    return;
  guard::collectSymbolRanges(module, assumptions);
  // At the top of the module alone: passes on its functions run side by side.
  for (auto symbol : module.getOps<guard::SymbolOp>()) {
    int64_t hint = symbol.getHint().value_or(kDefaultHint);
    if (symbol.getLowerBound() <= symbol.getUpperBound())
      hint = std::clamp(hint, symbol.getLowerBound(), symbol.getUpperBound());
    hints[symbol.getSymName()] = std::max<int64_t>(hint, 0);
  }
}

int64_t SizeHints::evaluate(ExprAttr expr) const {
  auto leaf = [&](ExprAttr leaf) -> std::optional<guard::Number> {
    if (!leaf.isSymbol())
      return std::nullopt;
    auto known = hints.find(leaf.getSymbol().getValue());
    int64_t value = known == hints.end() ? kDefaultHint : known->second;
    if (leaf.isFloatTyped())
      return guard::Number::of(double(value));
    return guard::Number::of(value);
  };
  std::optional<guard::Number> value = guard::evaluate(expr, leaf);
  if (!value || value->isFloat)
    return kDefaultHint;
  return std::max<int64_t>(value->integer, 0);
}

static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::numeric_limits<int64_t>::max() / 4;
  return std::min(result, std::numeric_limits<int64_t>::max() / 4);
}

int64_t SizeHints::product(ArrayRef<ExprAttr> exprs) const {
  int64_t result = 1;
  for (ExprAttr expr : exprs)
    result = saturatingMul(result, evaluate(expr));
  return result;
}

int64_t SizeHints::getBytes(RankedTensorType type) const {
  auto dims = guard::getDims(type);
  if (!dims)
    return 0;
  return saturatingMul(product(*dims), getElementBytes(type.getElementType()));
}

int64_t analysis::getElementBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getElementBytes(complex.getElementType());
  if (elementType.isIntOrFloat())
    return (elementType.getIntOrFloatBitWidth() + 7) / 8;
  return 8;
}

ExprAttr analysis::getByteSize(RankedTensorType type) {
  auto dims = guard::getDims(type);
  MLIRContext *context = type.getContext();
  int64_t element = getElementBytes(type.getElementType());
  if (!dims)
    return guard::getConstant(context, 0);
  return guard::getNumElements(context, *dims) * element;
}

unsigned Access::getAlignment() const {
  unsigned k = 0;
  while (k < map.size() && map[k].isDim() && map[k].getPosition() == k)
    ++k;
  return k;
}

/// The read that `load` makes in `nest`, whose domain has `rank` dimensions.
static Access getAccess(loop::NestOpInterface nest, loop::LoadOp load,
                        unsigned rank) {
  MLIRContext *context = nest->getContext();
  Access access;
  access.tensor = load.getTensor();
  access.load = load;
  access.masked = bool(load.getMask());
  // What an index operand is, in terms of the domain.
  std::function<ExprAttr(Value)> resolve = [&](Value index) -> ExprAttr {
    if (auto argument = dyn_cast<BlockArgument>(index))
      if (auto dimension = nest.getDimensionOf(argument))
        return guard::getDim(context, *dimension);
    if (auto inner = index.getDefiningOp<loop::IndexOp>()) {
      SmallVector<ExprAttr> map;
      for (Value operand : inner.getIndices())
        map.push_back(resolve(operand));
      return guard::substituteDims(inner.getExpr(), map);
    }
    APInt constant;
    if (matchPattern(index, m_ConstantInt(&constant)))
      return guard::getConstant(context, constant.getSExtValue());
    access.indirect = true;
    access.computed.push_back(index);
    return guard::getDim(context, rank + access.computed.size() - 1);
  };
  SmallVector<ExprAttr> operands;
  for (Value index : load.getIndices())
    operands.push_back(resolve(index));
  for (ExprAttr expr : loop::getExprs(load.getMap()))
    access.map.push_back(guard::substituteDims(expr, operands));
  return access;
}

SmallVector<Access> analysis::getReads(loop::NestOpInterface nest) {
  SmallVector<Access> reads;
  for (const loop::OperandRead &read : nest.getOperandReads())
    reads.push_back({read.tensor, read.map, false, read.masked, {}});
  unsigned rank = nest.getDomain().rank();
  nest->walk([&](loop::LoadOp load) {
    // What a scatter has written itself is its result and not read from others.
    if (load.getTensor().getParentRegion()->getParentOp() != nest)
      reads.push_back(getAccess(nest, load, rank));
  });
  return reads;
}

int64_t analysis::getFootprint(const Access &access,
                               const loop::Domain &domain,
                               const SizeHints &hints) {
  auto type = cast<RankedTensorType>(access.tensor.getType());
  int64_t elements =
      hints.getBytes(type) / getElementBytes(type.getElementType());
  SmallVector<ExprAttr> extents = domain.all();
  MLIRContext *context = type.getContext();
  int64_t touched = 1;
  for (unsigned i = 0; i < extents.size(); ++i) {
    ExprAttr dim = guard::getDim(context, i);
    // A computed index may depend on every dimension of the domain.
    if (access.indirect || llvm::any_of(access.map, [&](ExprAttr expr) {
          return guard::contains(expr, dim);
        }))
      touched = saturatingMul(touched, hints.evaluate(extents[i]));
  }
  return std::min(touched, elements);
}

SmallVector<int64_t> analysis::getSparseInputs(loop::KernelOp kernel,
                                               const SizeHints &hints) {
  SmallVector<int64_t> sparse;
  for (BlockArgument input : kernel.getBody().getArguments()) {
    auto dims = guard::getDims(cast<RankedTensorType>(input.getType()));
    uint64_t read = 0;
    bool isComputed = bool(dims);
    for (loop::NestOpInterface nest : kernel.getNests())
      for (const Access &access : getReads(nest))
        if (access.tensor == input) {
          isComputed &= access.indirect;
          read = llvm::SaturatingAdd<uint64_t>(
              read, getFootprint(access, nest.getDomain(), hints));
        }
    if (isComputed && read > 0 && read <= uint64_t(hints.product(*dims)) / 4)
      sparse.push_back(input.getArgNumber());
  }
  return sparse;
}

bool analysis::isStraight(RankedTensorType type, ArrayRef<ExprAttr> map,
                          ArrayRef<ExprAttr> extents,
                          const guard::Assumptions &assumptions) {
  MLIRContext *context = type.getContext();
  auto dims = guard::getDims(type);
  if (!dims)
    return false;
  guard::Assumptions bounded = assumptions;
  addExtents(bounded, context, extents);
  ExprAttr address = linearize(
      context, map, guard::getContiguousStrides(context, *dims), bounded);
  for (unsigned d = 0; d < extents.size(); ++d)
    if (getStride(address, d).kind == Stride::Kind::Irregular)
      return false;
  return true;
}

Traffic analysis::getTraffic(loop::NestOpInterface nest,
                             const SizeHints &hints) {
  loop::Domain domain = nest.getDomain();
  llvm::MapVector<Value, int64_t> widest;
  for (const Access &access : getReads(nest)) {
    int64_t bytes =
        getFootprint(access, domain, hints) *
        getElementBytes(
            cast<RankedTensorType>(access.tensor.getType()).getElementType());
    int64_t &known = widest[access.tensor];
    known = std::max(known, bytes);
  }
  if (Value init = nest.getInitialTensor())
    widest[init] = hints.getBytes(cast<RankedTensorType>(init.getType()));
  Traffic traffic;
  for (auto &[tensor, bytes] : widest)
    traffic.read += bytes;
  for (Type type : nest->getResultTypes())
    traffic.written += hints.getBytes(cast<RankedTensorType>(type));
  return traffic;
}

int64_t analysis::getCost(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      isa<loop::IndexOp, loop::NumberOp, arith::IndexCastOp>(op))
    return 0;
  if (auto load = dyn_cast<loop::LoadOp>(op)) {
    for (Value index : load.getIndices())
      if (!isa<BlockArgument>(index) && !index.getDefiningOp<loop::IndexOp>())
        return 4;
    return 1;
  }
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::RemFOp, arith::FloorDivSIOp, math::SqrtOp,
          math::RsqrtOp>(op))
    return 4;
  if (isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp,
          math::TruncOp, math::RoundEvenOp, math::CopySignOp, math::FmaOp>(op))
    return 1;
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op>(op))
    return 8;
  if (op->getDialect() && isa<math::MathDialect>(op->getDialect()))
    return 16;
  return 1;
}

int64_t analysis::getCost(Region &body) {
  int64_t cost = 0;
  body.walk([&](Operation *op) { cost += getCost(op); });
  return cost;
}
