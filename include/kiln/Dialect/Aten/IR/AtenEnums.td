//===- AtenEnums.td - Kinds of inputs and outputs ----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENENUMS_TD
#define KILN_DIALECT_ATEN_IR_ATENENUMS_TD

include "mlir/IR/EnumAttr.td"

def Aten_InputKind : I32Enum<"InputKind", "What an argument of a program is", [
    I32EnumCase<"UserInput", 0, "user_input">,
    I32EnumCase<"Parameter", 1, "parameter">,
    I32EnumCase<"Buffer", 2, "buffer">,
    I32EnumCase<"Constant", 3, "constant">,
    I32EnumCase<"Seed", 4, "seed">,
    I32EnumCase<"Tangent", 5, "tangent">,
    I32EnumCase<"OptimizerState", 6, "optimizer_state">,
    I32EnumCase<"Saved", 7, "saved">,
    I32EnumCase<"Token", 8, "token">]> {
  let cppNamespace = "::kiln::aten";
}

def Aten_OutputKind : I32Enum<"OutputKind", "What a result of a program is", [
    I32EnumCase<"UserOutput", 0, "user_output">,
    I32EnumCase<"Loss", 1, "loss">,
    I32EnumCase<"BufferMutation", 2, "buffer_mutation">,
    I32EnumCase<"ParameterMutation", 3, "parameter_mutation">,
    I32EnumCase<"InputMutation", 4, "input_mutation">,
    I32EnumCase<"ParameterGradient", 5, "parameter_gradient">,
    I32EnumCase<"InputGradient", 6, "input_gradient">,
    I32EnumCase<"Saved", 7, "saved">,
    I32EnumCase<"Token", 8, "token">]> {
  let cppNamespace = "::kiln::aten";
}

#endif // KILN_DIALECT_ATEN_IR_ATENENUMS_TD
