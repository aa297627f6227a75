//===- DifferentiableOpInterface.td - Ops with a gradient -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_DIFFERENTIABLEOPINTERFACE_TD
#define KILN_INTERFACES_DIFFERENTIABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An op that knows its vector-Jacobian product: given the gradients of its
    results it builds the gradients of its operands from its operands and
    results. `joint-differentiate` asks for nothing else, so an op of any
    dialect can take part in training, by the op itself or by an external model.

    An op through which no gradient flows (a comparison, an integer result, a
    tensor made from nothing) says so with `isStopGradient` and a reason; an op
    that should have a gradient and has none must fail in `buildVjp` with a
    sentence that says why.
  }];
  let methods = [
    InterfaceMethod<[{
        True if no gradient flows through the op, whatever its operands.
      }], "bool", "isStopGradient", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        Why no gradient flows, as a clause: "its result is boolean". Empty for
        ops that are differentiable.
      }], "std::string", "getStopReason", (ins), [{}], [{ return ""; }]>,
    InterfaceMethod<[{
        True if the op brings a derivative of its own. False for an op whose
        derivative is that of the ops it decomposes into: nothing is lost if it
        is decomposed first, and intermediate results may then be saved.
      }], "bool", "isDifferentiatedWhole", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<[{
        The operands and results that `buildVjp` may read. The partitioner works
        on what is really read; this is for tools and for documentation.
      }], "::llvm::SmallVector<::mlir::Value>", "getSavedValues", (ins), [{}], [{
        ::llvm::SmallVector<::mlir::Value> values($_op->getOperands());
        values.append($_op->result_begin(), $_op->result_end());
        return values;
      }]>,
    InterfaceMethod<[{
        Builds the gradients of the operands at the builder's position.
        `resultGrads` has one entry for each result; a null one is zero, at
        least one is not. `isWanted(i)` says whether the gradient of operand
        `i` will be used. Fills `operandGrads`, which has one null entry for
        each operand, with values of the operand's type; what stays null is
        zero. Failure is reported with `emitError` on the op.
      }], "::llvm::LogicalResult", "buildVjp",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGrads,
           "::llvm::function_ref<bool(unsigned)>":$isWanted,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandGrads)>
  ];
}

#endif // KILN_INTERFACES_DIFFERENTIABLEOPINTERFACE_TD
