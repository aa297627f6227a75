//===- AtenAttrs.td - Inputs and outputs of a program ---*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENATTRS_TD
#define KILN_DIALECT_ATEN_IR_ATENATTRS_TD

include "kiln/Dialect/Aten/IR/AtenDialect.td"
include "kiln/Dialect/Aten/IR/AtenEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Aten_Attr<string name, string attrMnemonic>
    : AttrDef<Aten_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Aten_InputAttr : Aten_Attr<"Input", "input"> {
  let summary = "What an argument of a program is and where it comes from";
  let description = [{
    Stands on a function argument as `aten.input`. `name` is the value's name
    in the captured graph, `path` the pytree path of a user input or the name
    of a weight. `strides` are those of the captured example; they are absent
    for a dense row-major tensor. `value` is set for an input that is a
    constant.

    ```mlir
    #aten.input<kind = parameter, name = "p_w", path = "W_q.weight",
                requires_grad = true, strides = <[64, 1]>>
    #aten.input<kind = user_input, name = "n", path = "[1]['n']", value = 3>
    ```
  }];
  let parameters = (ins
    EnumParameter<Aten_InputKind>:$kind,
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::StringAttr">:$path,
    DefaultValuedParameter<"bool", "false">:$requires_grad,
    OptionalParameter<"::kiln::guard::ShapeAttr">:$strides,
    OptionalParameter<"::mlir::Attribute">:$value,
    OptionalParameter<"::mlir::StringAttr">:$device);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Aten_OutputAttr : Aten_Attr<"Output", "output"> {
  let summary = "What a result of a program is and where it goes";
  let description = [{
    Stands on a function result as `aten.output`. `path` is the pytree path of
    a user output, `target` the name of what is mutated or differentiated,
    `value` is set for an output that is a constant.

    ```mlir
    #aten.output<kind = buffer_mutation, name = "add", target = "running_mean">
    ```
  }];
  let parameters = (ins
    EnumParameter<Aten_OutputKind>:$kind,
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::StringAttr">:$path,
    OptionalParameter<"::mlir::StringAttr">:$target,
    OptionalParameter<"::mlir::Attribute">:$value);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Aten_OperandAttr : Aten_Attr<"Operand", "operand"> {
  let summary = "Which operand stands for an argument of `aten.operator`";
  let description = [{
    ```mlir
    #aten.operand<0>
    ```
  }];
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

#endif // KILN_DIALECT_ATEN_IR_ATENATTRS_TD
