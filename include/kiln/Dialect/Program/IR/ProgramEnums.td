//===- ProgramEnums.td - Enums of the program dialect ------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cases are those of the enumerations of kiln/Package/Program.h, in the same
// order.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PROGRAMENUMS_TD
#define KILN_DIALECT_PROGRAM_IR_PROGRAMENUMS_TD

include "mlir/IR/EnumAttr.td"

class Program_Enum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::kiln::program";
  let genSpecializedAttr = 0;
}

def Program_SlotKind : Program_Enum<"SlotKind", "what an input is", [
    I32EnumAttrCase<"UserInput", 0, "user_input">,
    I32EnumAttrCase<"Parameter", 1, "parameter">,
    I32EnumAttrCase<"Buffer", 2, "buffer">,
    I32EnumAttrCase<"Constant", 3, "constant">,
    I32EnumAttrCase<"Seed", 4, "seed">,
    I32EnumAttrCase<"Tangent", 5, "tangent">,
    I32EnumAttrCase<"OptimizerState", 6, "optimizer_state">,
    I32EnumAttrCase<"Saved", 7, "saved">,
    I32EnumAttrCase<"Token", 8, "token">]>;

def Program_Role : Program_Enum<"Role", "what an output is", [
    I32EnumAttrCase<"UserOutput", 0, "user_output">,
    I32EnumAttrCase<"Loss", 1, "loss">,
    I32EnumAttrCase<"BufferMutation", 2, "buffer_mutation">,
    I32EnumAttrCase<"ParameterMutation", 3, "parameter_mutation">,
    I32EnumAttrCase<"InputMutation", 4, "input_mutation">,
    I32EnumAttrCase<"ParameterGradient", 5, "parameter_gradient">,
    I32EnumAttrCase<"InputGradient", 6, "input_gradient">,
    I32EnumAttrCase<"Saved", 7, "saved">,
    I32EnumAttrCase<"Token", 8, "token">]>;

def Program_SymbolSource : Program_Enum<"SymbolSource",
    "where the value of a symbol comes from", [
    I32EnumAttrCase<"Size", 0, "size">,
    I32EnumAttrCase<"Value", 1, "value">,
    I32EnumAttrCase<"Stride", 2, "stride">,
    I32EnumAttrCase<"Step", 3, "step">]>;

def Program_InvokeKind : Program_Enum<"InvokeKind", "how programs are run", [
    I32EnumAttrCase<"Branch", 0, "branch">,
    I32EnumAttrCase<"While", 1, "while">,
    I32EnumAttrCase<"Scan", 2, "scan">]>;

def Program_ReasonKind : Program_Enum<"ReasonKind", "what came of a decision", [
    I32EnumAttrCase<"Passed", 0, "passed">,
    I32EnumAttrCase<"Missed", 1, "missed">,
    I32EnumAttrCase<"Failed", 2, "failed">,
    I32EnumAttrCase<"Analysis", 3, "analysis">]>;

def Program_Access : Program_Enum<"Access", "what a kernel does with a buffer", [
    I32EnumAttrCase<"Read", 0, "read">,
    I32EnumAttrCase<"Write", 1, "write">]>;

#endif // KILN_DIALECT_PROGRAM_IR_PROGRAMENUMS_TD
