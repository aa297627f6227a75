//===- ProgramTypes.td - Buffers and numbers ---------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PROGRAMTYPES_TD
#define KILN_DIALECT_PROGRAM_IR_PROGRAMTYPES_TD

include "kiln/Dialect/Program/IR/ProgramDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Program_Type<string name, string typeMnemonic>
    : TypeDef<Program_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Program_BufferType : Program_Type<"Buffer", "buffer"> {
  let summary = "Memory that holds a tensor";
  let description = [{
    Sizes are expressions over the symbols of the program. `strides` count
    elements; without them the elements stand in row-major order.

    ```mlir
    !program.buffer<[s77, 4], f32>
    !program.buffer<[8, 4], bf16, strides = [1, 8]>
    !program.buffer<[], i64>
    ```

    The element type has a counterpart at run time (C1), and there is a stride
    for each size, if any (C2).
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::kiln::guard::ExprAttr">:$sizes,
    "::mlir::Type":$elementType,
    OptionalArrayRefParameter<"::kiln::guard::ExprAttr">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many bytes the memory has; nothing where strides leave it open.
    std::optional<::kiln::guard::ExprAttr> getByteSize();
  }];
}

def Program_NumberType : Program_Type<"Number", "number"> {
  let summary = "A number that a step reads from a tensor, or a caller passes";
  let description = [{ Example: `!program.number` }];
}

#endif // KILN_DIALECT_PROGRAM_IR_PROGRAMTYPES_TD
