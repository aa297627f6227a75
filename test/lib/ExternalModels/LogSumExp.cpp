//===- LogSumExp.cpp - A foreign reduction --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect of one op that brings its own reduction, for test/Tools:
//
//   %y = "foreign.log_sum_exp"(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
//
// the logarithm of the sum of exponentials over the last dimension, by two
// reductions and what is done with their results. It implements
// LoopLoweringOpInterface itself; nothing of ATen is used.
//
//===----------------------------------------------------------------------===//

#include "LogSumExp.h"

#include "kiln/Lowering/LoopBuilder.h"
#include "kiln/Interfaces/LoopLoweringOpInterface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace kiln;
using namespace kiln::loop;
namespace OpTrait = mlir::OpTrait;

namespace {

class LogSumExpOp
    : public mlir::Op<LogSumExpOp, OpTrait::ZeroRegions, OpTrait::OneOperand,
                      OpTrait::OneResult, OpTrait::ZeroSuccessors,
                      mlir::MemoryEffectOpInterface::Trait,
                      LoopLoweringOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.log_sum_exp"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  void getEffects(
      SmallVectorImpl<
          mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &) {}

  LogicalResult verify() {
    auto from = llvm::dyn_cast<RankedTensorType>(getOperand().getType());
    auto to = llvm::dyn_cast<RankedTensorType>(
        getOperation()->getResult(0).getType());
    if (!from || !to || !llvm::isa<mlir::FloatType>(from.getElementType()) ||
        from.getRank() == 0 || to.getRank() + 1 != from.getRank() ||
        to.getElementType() != from.getElementType())
      return emitOpError("expects a tensor of floats and its last dimension "
                         "reduced");
    return mlir::success();
  }

  LogicalResult lowerToLoops(LoopBuilder &loops);
};

} // namespace

LogicalResult LogSumExpOp::lowerToLoops(LoopBuilder &loops) {
  View x = loops.getView(getOperand());
  RankedTensorType type = loops.getResultType();
  Type from = type.getElementType(), acc = LoopBuilder::getComputeType(from);
  auto wide = llvm::cast<RankedTensorType>(type.clone(acc));
  // At the same place of each row's result.
  Exprs row = getIdentityMap(loops.getContext(), type.getRank());

  View greatest =
      loops.getView(loops.reduceDims(x, {-1}, wide, ReductionKind::Max, acc));
  // Infinities have no difference.
  auto readShift = [&](BodyContext body, ScalarBuilder &scalars) {
    Value top = loops.read(body, greatest, row);
    return scalars.where(scalars.isInf(top), scalars.constant(acc, 0.0), top);
  };
  View sum = loops.getView(loops.reduceDims(
      x, {-1}, wide, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars, Value element) {
        Value shift = readShift(body, scalars);
        return scalars.exp(
            scalars.sub(scalars.convert(element, from, acc), shift));
      }));
  return loops.setMade(
      0, loops.makePointwise(
             type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
               Value log = scalars.log(loops.read(body, sum, row));
               return scalars.add(log, readShift(body, scalars));
             }));
}

namespace {
class ForeignDialect : public mlir::Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                mlir::TypeID::get<ForeignDialect>()) {
    addOperations<LogSumExpOp>();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return "foreign";
  }
};
} // namespace

void registerLogSumExp(mlir::DialectRegistry &registry) {
  registry.insert<ForeignDialect>();
}
