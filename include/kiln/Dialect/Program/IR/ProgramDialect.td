//===- ProgramDialect.td - The program dialect -------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PROGRAMDIALECT_TD
#define KILN_DIALECT_PROGRAM_IR_PROGRAMDIALECT_TD

include "mlir/IR/DialectBase.td"

def Program_Dialect : Dialect {
  let name = "program";
  let cppNamespace = "::kiln::program";
  let summary = "What the runtime walks: buffers and the steps that use them";
  let description = [{
    A `program.func` is one program of a package: slots that a caller fills,
    symbols that are read from them, buffers with their places in memory, and the
    steps that run in order. An op is a step of `kiln/Package/Program.h`, an SSA
    value is a value of it, so that writing a package is a translation and not a
    decision.

    Values are memory, not contents: a launch writes into buffers that are
    operands. Which of them share bytes is in the text, and the verifier of
    `program.func` follows what is written over what.

    ```mlir
    program.func @main arena 256 {
      %x = program.slot user_input "x" : !program.buffer<[64], f32>
      %t = program.alloc at 0 : !program.buffer<[64], f32>
      program.launch @kernels::@k0(%x, %t) access [read, write] symbols []
          work 64 grain 64 : !program.buffer<[64], f32>, !program.buffer<[64], f32>
      %y = program.call "aten.sin.default"(%t) arguments [#program.operand<0>]
          : (!program.buffer<[64], f32>) -> !program.buffer<[64], f32>
      program.return %y outputs [#program.output<role = user_output, name = "y">]
          : !program.buffer<[64], f32>
    }
    ```

    See `lib/Dialect/Program/Rationale.md` for what was weighed.
  }];
  let dependentDialects = ["::kiln::guard::GuardDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Called once, by the constructor.
    void registerTypesAndAttributes();
  }];
}

#endif // KILN_DIALECT_PROGRAM_IR_PROGRAMDIALECT_TD
