//===- GuardedOpInterface.td - What guards check the inputs of -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARDEDOPINTERFACE_TD
#define KILN_DIALECT_GUARD_IR_GUARDEDOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def GuardedOpInterface : OpInterface<"GuardedOpInterface"> {
  let cppNamespace = "::kiln::guard";
  let description = [{
    A symbol that a `guard.program` can be for although it is no function: what was
    a function and has other inputs than arguments now.
  }];
  let methods = [
    InterfaceMethod<"The types of the inputs, in the order of the guards' slots.",
      "::llvm::SmallVector<::mlir::Type>", "getInputTypes">,
    InterfaceMethod<"The rank of an input; nothing if it is no tensor.",
      "std::optional<uint64_t>", "getInputRank", (ins "unsigned":$slot)>
  ];
}

#endif // KILN_DIALECT_GUARD_IR_GUARDEDOPINTERFACE_TD
