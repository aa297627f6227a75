//===- GuardDialect.td - The guard dialect -----------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARDDIALECT_TD
#define KILN_DIALECT_GUARD_IR_GUARDDIALECT_TD

include "mlir/IR/DialectBase.td"

def Guard_Dialect : Dialect {
  let name = "guard";
  let cppNamespace = "::kiln::guard";
  let summary = "Symbols, expressions over them, and checks of inputs";
  let description = [{
    Sizes that are not known when a program is compiled are *symbols*, and
    everything computed from them is a `#guard.expr`: an immutable expression
    in one canonical form, so that two sizes are equal if their attributes are
    the same. The other dialects of Kiln use these attributes for tensor
    shapes, for the arguments of operators and for index computations.

    The ops of this dialect declare the symbols of a module with their ranges,
    turn an expression into an SSA value, and list the checks that a compiled
    program makes before it accepts its inputs.

    ```mlir
    guard.symbol @s77 range [2, 64] hint 8

    func.func @main(%x: tensor<?x4xf32, #guard.shape<[s77, 4]>>) {
      %n = guard.value <s77 * 4> : i64
      guard.assert <le(s77, 64)>, "the batch is too large"
      return
    }
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = "void registerAttributes();";
}

#endif // KILN_DIALECT_GUARD_IR_GUARDDIALECT_TD
