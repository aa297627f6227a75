//===- GuardInterfaces.td - What all checks share ----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARDINTERFACES_TD
#define KILN_DIALECT_GUARD_IR_GUARDINTERFACES_TD

include "mlir/IR/OpBase.td"

def Guard_CheckOpInterface : OpInterface<"CheckOpInterface"> {
  let cppNamespace = "::kiln::guard";
  let description = [{
    Implemented by what may stand in a `guard.program`: a check that becomes one
    record of the table that is evaluated before a call.

    An attribute `expr` of a check, whatever its kind, is an integer over symbols.
  }];
  let methods = [
    StaticInterfaceMethod<"What a record of this check checks.",
      "::kiln_guard_kind", "getGuardKind">
  ];
  let verify = [{ return ::kiln::guard::verifyCheck($_op); }];
}

#endif // KILN_DIALECT_GUARD_IR_GUARDINTERFACES_TD
