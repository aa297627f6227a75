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

static bool canReadNarrow(Operation *user, Value tensor, FloatType narrow) {
  if (auto contract = dyn_cast<ContractOp>(user))
    return contract.getMasks().empty();
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
  Value made = yield->getOperand(0);
  auto type = cast<RankedTensorType>(producer.getResult().getType());
  if (made.getType() != type.getElementType())
    return;
  while (auto extension = made.getDefiningOp<arith::ExtFOp>())
    made = extension.getIn();
  auto narrow = dyn_cast<FloatType>(made.getType());
  Type wide = type.getElementType();
  Value result = producer.getResult();
  if (!narrow || narrow == wide || result.use_empty() ||
      !llvm::all_of(result.getUsers(), [&](Operation *user) {
        return canReadNarrow(user, result, narrow);
      }))
    return;
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

void loop::narrowResults(func::FuncOp function) {
  for (auto producer : function.getOps<PointwiseOp>())
    narrowResult(producer);
}
