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
// LoopLoweringOpInterface itself; nothing of ATen is used. And an op whose lowering
// asks for what cannot be made, as its attribute `how` says:
//
//   %y = "foreign.refuses"(%x) {how = "range"} : (tensor<4x8xf32>) -> tensor<4xf32>
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

  Value top = loops.reduceDims(x, {-1}, wide, ReductionKind::Max, acc);
  if (!top)
    return mlir::failure();
  View greatest = loops.getView(top);
  // Infinities have no difference.
  auto readShift = [&](BodyContext body, ScalarBuilder &scalars) {
    Value top = loops.read(body, greatest, row);
    return scalars.where(scalars.isInf(top), scalars.constant(acc, 0.0), top);
  };
  Value total = loops.reduceDims(
      x, {-1}, wide, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars, Value element) {
        Value shift = readShift(body, scalars);
        return scalars.exp(
            scalars.sub(scalars.convert(element, from, acc), shift));
      });
  if (!total)
    return mlir::failure();
  View sum = loops.getView(total);
  return loops.setMade(
      0, loops.makePointwise(
             type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
               Value log = scalars.log(loops.read(body, sum, row));
               return scalars.add(log, readShift(body, scalars));
             }));
}

namespace {
class RefusesOp
    : public mlir::Op<RefusesOp, OpTrait::ZeroRegions, OpTrait::OneOperand,
                      OpTrait::OneResult, OpTrait::ZeroSuccessors,
                      LoopLoweringOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.refuses"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  bool takesAnyElements() { return true; }
  LogicalResult lowerToLoops(LoopBuilder &loops);
};
} // namespace

LogicalResult RefusesOp::lowerToLoops(LoopBuilder &loops) {
  StringRef how =
      getOperation()->getAttrOfType<mlir::StringAttr>("how").getValue();
  View x = loops.getView(getOperand());
  RankedTensorType type = loops.getResultType();
  Type acc = type.getElementType();
  auto none = [](BodyContext) { return SmallVector<Value>{Value()}; };
  auto number = [&](BodyContext body) {
    return SmallVector<Value>{
        ScalarBuilder(body.builder, body.loc, acc).constant(acc, 0.0)};
  };
  if (how == "range" || how == "sizes")
    return loops.setMade(
        0, loops.reduceDims(x, {how == "range" ? 2 : 1}, type,
                            ReductionKind::Sum, acc));
  if (how == "rank")
    return loops.setMade(
        0, loops.reduceDims(x, {}, type, ReductionKind::Sum, acc));
  if (how == "body") // no function of a float
    return loops.setMade(
        0, loops.reduceDims(x, {1}, type, ReductionKind::Sum, acc,
                            [](BodyContext, ScalarBuilder &scalars, Value e) {
                              return scalars.gcd(e, e);
                            }));
  if (how == "product")
    return mlir::failure(!loops.makeContract(type, {getOperand(), {}},
                                             {getOperand(), {}}, {}, acc));
  auto dims = guard::getDims(type);
  if (how == "sort")
    return loops.setMade(0, loops.makeSort(*dims, {}, dims->front(), 0, none));
  if (how == "scan")
    return mlir::failure(!loops.makeScan(type, {}, {}, dims->front(), 0,
                                         ReductionKind::Sum, none));
  if (how == "epilogue") {
    ContractOp nest = loops.makeContract(
        type, {getOperand(), {loops.dim(0), loops.dim(1)}},
        {getOperand(), {loops.dim(0), loops.dim(1)}}, x.dims[1], acc);
    return loops.addEpilogue(
        nest, [](BodyContext, ScalarBuilder &, Value) { return Value(); });
  }
  Value zero = ScalarBuilder(loops.getBuilder(), loops.getLoc(), acc)
                   .constant(acc, 0.0);
  ScanOp scan = loops.makeScan(type, zero, {}, dims->front(), 0,
                               ReductionKind::Generic, number);
  return loops.addCombiner(scan, [](OpBuilder &, ValueRange, ValueRange) {
    return SmallVector<Value>{Value()};
  });
}

namespace {
class ForeignDialect : public mlir::Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                mlir::TypeID::get<ForeignDialect>()) {
    addOperations<LogSumExpOp, RefusesOp>();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return "foreign";
  }
};
} // namespace

void registerLogSumExp(mlir::DialectRegistry &registry) {
  registry.insert<ForeignDialect>();
}
