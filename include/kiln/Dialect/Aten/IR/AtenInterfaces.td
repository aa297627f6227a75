//===- AtenInterfaces.td - What all aten ops share ------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENINTERFACES_TD
#define KILN_DIALECT_ATEN_IR_ATENINTERFACES_TD

include "mlir/IR/OpBase.td"

def AtenOpInterface : OpInterface<"AtenOpInterface"> {
  let cppNamespace = "::kiln::aten";
  let description = [{
    Implemented by every op that stands for an operator overload of PyTorch: of
    ATen, or of a library of one's own in a dialect of that library's name. The
    static description of the overload answers everything that does not depend
    on the instance; see kiln/Dialect/Aten/IR/OpInfo.h.

    Its verifier infers the result types again and compares them with those of
    the op (C1: number of results, C2: element type, C3: rank, C4: sizes).
  }];
  let methods = [
    StaticInterfaceMethod<"The overload's description.",
      "const ::kiln::aten::OpInfo &", "getInfo">
  ];
  let verify = [{ return ::kiln::aten::verifyAtenOp($_op); }];
}

#endif // KILN_DIALECT_ATEN_IR_ATENINTERFACES_TD
