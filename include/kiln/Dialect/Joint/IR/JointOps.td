//===- JointOps.td - The ops of the joint dialect -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_IR_JOINTOPS_TD
#define KILN_DIALECT_JOINT_IR_JOINTOPS_TD

include "kiln/Dialect/Joint/IR/JointDialect.td"
include "kiln/Interfaces/DifferentiableOpInterface.td"
include "kiln/Interfaces/RecomputableOpInterface.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Joint_Op<string mnemonic, list<Trait> traits = []>
    : Op<Joint_Dialect, mnemonic, traits>;

def Joint_GraphOp : Joint_Op<"graph", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock]> {
  let summary = "Outputs and gradients in one graph";
  let description = [{
    Its arguments are the primals (inputs of the model) and then the tangents
    (gradients of outputs, given by the caller). Its results are the outputs and
    then the gradients. Attributes on arguments and results are those of the
    function it was made from; they say what each tangent or gradient is of.

    The numbers of primals and outputs are within the numbers of arguments and
    results (C1). Outputs must not depend on tangents (C2).

    ```mlir
    joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
        -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
      joint.return outputs(%x : tensor<4xf32>) gradients(%dy : tensor<4xf32>)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       I64Attr:$num_primals, I64Attr:$num_outputs,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// FunctionOpInterface: the types of arguments and results.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// The arguments known when the forward runs.
    ::mlir::Block::BlockArgListType getPrimals() {
      return getBody().getArguments().take_front(getNumPrimals());
    }
    /// The arguments known when the backward runs.
    ::mlir::Block::BlockArgListType getTangents() {
      return getBody().getArguments().drop_front(getNumPrimals());
    }
  }];
}

def Joint_ReturnOp : Joint_Op<"return", [
    Pure, Terminator, ReturnLike, HasParent<"GraphOp">,
    AttrSizedOperandSegments]> {
  let summary = "End of a joint graph";
  let description = [{
    Types and numbers of outputs and gradients are those of the graph (C1).

    ```mlir
    joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$outputs,
                       Variadic<AnyType>:$gradients);
  let assemblyFormat = [{
    `outputs` `(` ($outputs^ `:` type($outputs))? `)`
    `gradients` `(` ($gradients^ `:` type($gradients))? `)` attr-dict
  }];
  let hasVerifier = 1;
}

class Joint_IdentityOp<string mnemonic> : Joint_Op<mnemonic, [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, [
        "isStopGradient", "getStopReason"]>,
    DeclareOpInterfaceMethods<RecomputableOpInterface, ["getViewedOperand"]>]> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Joint_SaveOp : Joint_IdentityOp<"save"> {
  let summary = "Ask for a value to be saved rather than recomputed";
  let description = [{
    The value itself; whatever makes it is never run again in the backward. This
    is how a user's checkpoint policy reaches the partitioner. It has no meaning
    outside of training and goes away with the partition.

    ```mlir
    %1 = joint.save %0 : tensor<4xf32>
    ```
  }];
}

def Joint_RecomputeOp : Joint_IdentityOp<"recompute"> {
  let summary = "Ask for a value to be recomputed rather than saved";
  let description = [{
    The value itself; whatever makes it is run again in the backward, unless it
    draws random numbers or has effects. The opposite of `joint.save`.

    ```mlir
    %1 = joint.recompute %0 : tensor<4xf32>
    ```
  }];
}

def Joint_DetachOp : Joint_IdentityOp<"detach"> {
  let summary = "The value, without its gradient";
  let description = [{
    No gradient flows from the result to the operand.

    ```mlir
    %1 = joint.detach %0 : tensor<4xf32>
    ```
  }];
}

#endif // KILN_DIALECT_JOINT_IR_JOINTOPS_TD
