//===- NarrowResults.cpp - Results as narrow as what they are made of
//-----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowResults.h"
#include "Bodies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

void loop::extendOperand(ContractOp op, bool isLeft, Type narrow, Type wide,
                         Location location) {
  Region &prologue = isLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  OpBuilder builder(op.getContext());
  if (prologue.empty()) {
    Block *block = builder.createBlock(&prologue, {}, {narrow}, {location});
    Value extended =
        arith::ExtFOp::create(builder, location, wide, block->getArgument(0));
    YieldOp::create(builder, location, extended);
    return;
  }
  Block &block = prologue.front();
  BlockArgument old = block.getArgument(0);
  BlockArgument made = block.insertArgument(0u, narrow, location);
  builder.setInsertionPointToStart(&block);
  old.replaceAllUsesWith(
      arith::ExtFOp::create(builder, location, wide, made).getResult());
  block.eraseArgument(1);
}

/// What a masked load gives instead of an element, in type `narrow`; nothing
/// where it is no constant that has this type's precision.
static std::optional<APFloat> narrowOther(LoadOp load, FloatType narrow) {
  APFloat value(0.0);
  if (!matchPattern(load.getOther(), m_ConstantFloat(&value)))
    return std::nullopt;
  bool losesInfo = false;
  value.convert(narrow.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  if (losesInfo)
    return std::nullopt;
  return value;
}

/// The type of the elements that `producer` extends last; null if it does not.
static FloatType getNarrow(PointwiseOp producer) {
  Value made = producer.getBody().front().getTerminator()->getOperand(0);
  auto type = cast<RankedTensorType>(producer.getResult().getType());
  if (made.getType() != type.getElementType())
    return {};
  while (auto extension = made.getDefiningOp<arith::ExtFOp>())
    made = extension.getIn();
  return made.getType() == type.getElementType()
             ? FloatType()
             : dyn_cast<FloatType>(made.getType());
}

namespace {
/// The nests whose results become narrow, all at once: a product multiplies
/// narrow factors only where both are.
class Narrowing {
public:
  Narrowing(func::FuncOp function, llvm::function_ref<bool(Type)> hasUnits);
  ArrayRef<PointwiseOp> getProducers() const { return producers.getArrayRef(); }

private:
  Type getUnitType(Value operand, Region &prologue) const;
  bool canRead(Operation *user, Value tensor, FloatType narrow) const;

  llvm::function_ref<bool(Type)> hasUnits;
  llvm::SmallSetVector<PointwiseOp, 8> producers;
};
} // namespace

Narrowing::Narrowing(func::FuncOp function,
                     llvm::function_ref<bool(Type)> hasUnits)
    : hasUnits(hasUnits) {
  for (auto producer : function.getOps<PointwiseOp>())
    if (getNarrow(producer) && !producer.getResult().use_empty())
      producers.insert(producer);
  // One that stays wide may be the other factor of one that would be narrow.
  SmallVector<PointwiseOp> wide;
  do {
    wide.clear();
    for (PointwiseOp producer : producers)
      if (!llvm::all_of(producer.getResult().getUsers(), [&](Operation *user) {
            return canRead(user, producer.getResult(), getNarrow(producer));
          }))
        wide.push_back(producer);
    for (PointwiseOp producer : wide)
      producers.remove(producer);
  } while (!wide.empty());
}

/// The type in which a matrix unit may read a factor: that before it is
/// extended, by its prologue or, from now on, by who reads it.
Type Narrowing::getUnitType(Value operand, Region &prologue) const {
  if (!prologue.empty()) {
    Value factor = prologue.front().getTerminator()->getOperand(0);
    while (auto extension = factor.getDefiningOp<arith::ExtFOp>())
      factor = extension.getIn();
    if (!isa<BlockArgument>(factor))
      return factor.getType();
  }
  auto producer = operand.getDefiningOp<PointwiseOp>();
  if (producer && producers.contains(producer))
    return getNarrow(producer);
  return cast<RankedTensorType>(operand.getType()).getElementType();
}

bool Narrowing::canRead(Operation *user, Value tensor, FloatType narrow) const {
  if (auto contract = dyn_cast<ContractOp>(user))
    return hasUnits(narrow) && contract.getAccType().isF32() &&
           contract.getMasks().empty() &&
           getUnitType(contract.getLhs(), contract.getLhsPrologue()) ==
               narrow &&
           getUnitType(contract.getRhs(), contract.getRhsPrologue()) == narrow;
  auto load = dyn_cast<LoadOp>(user);
  return load && getNest(load) && load.getTensor() == tensor &&
         (!load.getOther() || narrowOther(load, narrow));
}

static void readNarrow(LoadOp load, FloatType narrow) {
  OpBuilder builder(load);
  if (load.getOther()) {
    Value other = arith::ConstantOp::create(
        builder, load.getLoc(),
        builder.getFloatAttr(narrow, *narrowOther(load, narrow)));
    load.getOtherMutable().assign(other);
  }
  Type wide = load.getType();
  load.getResult().setType(narrow);
  builder.setInsertionPointAfter(load);
  auto extended =
      arith::ExtFOp::create(builder, load.getLoc(), wide, load.getResult());
  load.getResult().replaceAllUsesExcept(extended.getResult(), extended);
}

static void narrowResult(PointwiseOp producer) {
  Operation *yield = producer.getBody().front().getTerminator();
  Value result = producer.getResult(), made = yield->getOperand(0);
  auto type = cast<RankedTensorType>(result.getType());
  FloatType narrow = getNarrow(producer);
  Type wide = type.getElementType();
  while (auto extension = made.getDefiningOp<arith::ExtFOp>())
    made = extension.getIn();
  yield->setOperand(0, made);
  result.setType(
      RankedTensorType::get(type.getShape(), narrow, type.getEncoding()));
  llvm::SmallSetVector<Operation *, 4> users(result.user_begin(),
                                             result.user_end());
  for (Operation *user : users) {
    auto contract = dyn_cast<ContractOp>(user);
    if (!contract) {
      readNarrow(cast<LoadOp>(user), narrow);
      continue;
    }
    for (bool isLeft : {true, false})
      if ((isLeft ? contract.getLhs() : contract.getRhs()) == result)
        extendOperand(contract, isLeft, narrow, wide, producer.getLoc());
  }
}

void loop::narrowResults(func::FuncOp function,
                         llvm::function_ref<bool(Type)> hasUnits) {
  Narrowing narrowing(function, hasUnits);
  for (PointwiseOp producer : narrowing.getProducers())
    narrowResult(producer);
}
