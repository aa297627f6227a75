//===- ProgramAttrs.td - Attributes of the program dialect -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PROGRAMATTRS_TD
#define KILN_DIALECT_PROGRAM_IR_PROGRAMATTRS_TD

include "kiln/Dialect/Program/IR/ProgramDialect.td"
include "kiln/Dialect/Program/IR/ProgramEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

/// A size, offset or condition: `#guard.expr`.
def Program_ExprAttr
    : Attr<CPred<"::llvm::isa<::kiln::guard::ExprAttr>($_self)">,
           "symbolic expression"> {
  let storageType = "::kiln::guard::ExprAttr";
  let returnType = "::kiln::guard::ExprAttr";
  let convertFromStorage = "$_self";
}

def Program_ExprArrayAttr
    : TypedArrayAttrBase<Program_ExprAttr, "list of symbolic expressions">;

class Program_Attr<string name, string attrMnemonic>
    : AttrDef<Program_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class Program_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<Program_Dialect, info, attrMnemonic> {
  let assemblyFormat = "$value";
}

def Program_SlotKindAttr : Program_EnumAttr<Program_SlotKind, "slot_kind">;
def Program_SymbolSourceAttr
    : Program_EnumAttr<Program_SymbolSource, "symbol_source">;
def Program_InvokeKindAttr : Program_EnumAttr<Program_InvokeKind, "invoke_kind">;

def Program_ReasonKindAttr : Program_EnumAttr<Program_ReasonKind, "reason_kind">;

def Program_OperandAttr : Program_Attr<"Operand", "operand"> {
  let summary = "The k-th operand, among the arguments of an operator";
  let description = [{ Example: `#program.operand<0>` }];
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

def Program_OutputAttr : Program_Attr<"Output", "output"> {
  let summary = "What an output is and where it goes";
  let description = [{
    `path` is the pytree path of a user output, `target` the name of what is
    changed or differentiated. With `value` the output is that constant or
    expression, without it an operand of `program.return`.

    ```mlir
    #program.output<role = buffer_mutation, name = "add", target = "mean">
    ```
  }];
  let parameters = (ins
    EnumParameter<Program_Role>:$role,
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::StringAttr">:$path,
    OptionalParameter<"::mlir::StringAttr">:$target,
    OptionalParameter<"::mlir::Attribute">:$value);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_OutputArrayAttr : TypedArrayAttrBase<
    Attr<CPred<"::llvm::isa<::kiln::program::OutputAttr>($_self)">, "output">,
    "list of outputs">;

def Program_TrafficAttr : Program_Attr<"Traffic", "traffic"> {
  let summary = "Bytes a launch moves, at the hint sizes";
  let description = [{
    `unfused` is what the loop nests of its kernels would move one by one.

    Example: `#program.traffic<read = 256, written = 256, unfused = 1152>`
  }];
  let parameters = (ins "int64_t":$read, "int64_t":$written,
                        "int64_t":$unfused);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // KILN_DIALECT_PROGRAM_IR_PROGRAMATTRS_TD
