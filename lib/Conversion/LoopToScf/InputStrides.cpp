//===- InputStrides.cpp - Where kernels find the elements they read -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/LoopToScf/Nests.h"
#include "kiln/Conversion/LoopToScf/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// The attribute that states the strides of an argument, if there is one.
static guard::ShapeAttr getStatedStrides(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return {};
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return {};
  return function.getArgAttrOfType<guard::ShapeAttr>(argument.getArgNumber(),
                                                     kStridesAttrName);
}

FailureOr<SmallVector<SmallVector<ExprAttr>>>
loop::getInputStrides(KernelOp kernel) {
  auto checkSizes = [&](Value tensor) -> LogicalResult {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (guard::getDims(type))
      return success();
    return kernel.emitOpError() << "has a tensor of type " << type
                                << ", expected a '#guard.shape' that names its "
                                   "dynamic dimensions";
  };
  SmallVector<SmallVector<ExprAttr>> strides;
  for (Value input : kernel.getInputs()) {
    if (failed(checkSizes(input)))
      return failure();
    auto dims = guard::getDims(cast<RankedTensorType>(input.getType()));
    guard::ShapeAttr stated = getStatedStrides(input);
    if (stated && stated.size() != dims->size())
      return kernel.emitOpError()
             << "reads an argument with " << stated.size()
             << " strides, expected " << dims->size();
    strides.push_back(
        stated ? llvm::to_vector(stated.getDims())
               : guard::getContiguousStrides(kernel.getContext(), *dims));
  }
  for (Operation &op : kernel.getBody().front())
    if (isNest(&op))
      for (Value result : op.getResults())
        if (failed(checkSizes(result)))
          return failure();
  return strides;
}
