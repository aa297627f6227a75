//===- LoopToLinalg.cpp - Functions of nests as functions of linalg -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"
#include "kiln/Dialect/Loop/Utils/ExpandSort.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace kiln {
#define GEN_PASS_DEF_CONVERTLOOPTOLINALGPASS
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Without encoding and without signs.
static Type stripType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(
        tensor.getShape(), getBodyType(tensor.getElementType()),
        isa_and_nonnull<guard::ShapeAttr>(tensor.getEncoding())
            ? Attribute()
            : tensor.getEncoding());
  if (isa<IntegerType>(type))
    return getBodyType(type);
  return type;
}

static void stripFunction(func::FuncOp function) {
  function.walk([](Operation *op) {
    for (Value result : op->getResults())
      result.setType(stripType(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(stripType(argument.getType()));
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant)
      return;
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      constant.setValueAttr(IntegerAttr::get(stripType(number.getType()),
                                             number.getValue()));
    else if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(DenseElementsAttr::getFromRawBuffer(
          cast<ShapedType>(stripType(dense.getType())), dense.getRawData()));
    else if (auto blob =
                 dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      constant.setValueAttr(DenseResourceElementsAttr::get(
          cast<ShapedType>(stripType(blob.getType())), blob.getRawHandle()));
  });
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes())
    inputs.push_back(stripType(type));
  for (Type type : function.getResultTypes())
    results.push_back(stripType(type));
  function.setFunctionType(
      FunctionType::get(function.getContext(), inputs, results));
  // Casts between what are now equal types.
  function.walk([](UnrealizedConversionCastOp cast) {
    if (cast.getNumOperands() != 1 || cast.getNumResults() != 1 ||
        cast.getOperand(0).getType() != cast.getResult(0).getType())
      return;
    cast.getResult(0).replaceAllUsesWith(cast.getOperand(0));
    cast.erase();
  });
}

/// Puts the nests of a kernel in its place.
static void inlineKernel(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), kernel.getInputs()))
    argument.replaceAllUsesWith(input);
  Operation *terminator = body.getTerminator();
  kernel.replaceAllUsesWith(terminator->getOperands());
  terminator->erase();
  kernel->getBlock()->getOperations().splice(kernel->getIterator(),
                                             body.getOperations());
  kernel.erase();
}

static LogicalResult convertFunction(func::FuncOp function) {
  SmallVector<KernelOp> kernels;
  WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
    if (auto kernel = dyn_cast<KernelOp>(op))
      kernels.push_back(kernel);
    if (auto call = dyn_cast<ExternOp>(op))
      return call.emitOpError()
             << "calls the eager operator '" << call.getOverload()
             << "', which has no form in linalg, expected loop nests only";
    if (isa<LaunchOp>(op))
      return op->emitOpError(
          "runs a kernel that was lowered already, expected loop nests only");
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (KernelOp kernel : kernels)
    inlineKernel(kernel);

  function.walk([](ContractOp op) {
    if (!LinalgEmitter::hasNamedForm(op))
      expandContraction(op);
  });
  function.walk([](SortOp op) { expandSort(op); });
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<NestOpInterface, guard::ValueOp, guard::AssertOp>(op))
      ops.push_back(op);
  });
  LinalgEmitter emitter(function);
  for (Operation *op : ops) {
    auto nest = dyn_cast<NestOpInterface>(op);
    if (failed(nest ? emitter.convert(nest) : emitter.convertGuard(op)))
      return failure();
  }
  stripFunction(function);
  return success();
}

namespace {
class ConvertLoopToLinalg
    : public kiln::impl::ConvertLoopToLinalgPassBase<ConvertLoopToLinalg> {
  using ConvertLoopToLinalgPassBase::ConvertLoopToLinalgPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    WalkResult walked = getOperation().walk([](func::FuncOp function) {
      if (function.isDeclaration()) {
        stripFunction(function);
        return WalkResult::advance();
      }
      return failed(convertFunction(function)) ? WalkResult::interrupt()
                                               : WalkResult::skip();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
