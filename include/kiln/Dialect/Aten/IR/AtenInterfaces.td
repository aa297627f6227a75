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
    ATen, or of a library of one's own in a dialect of that library's name. Such
    ops come from `registerOverloads` (kiln/Dialect/Aten/IR/Overload.h), one a
    record, which also verifies them.
  }];
  let methods = [
    InterfaceMethod<"The overload's description; see OpInfo.h.",
      "const ::kiln::aten::OpInfo &", "getInfo">
  ];
}

def ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::kiln::aten";
  let description = [{
    Implemented by ops whose results show elements of a tensor operand, in another
    order or shape, or as numbers of another type, by a rule that their record
    names (`view`). All that is done
    with such an op follows from its maps; see kiln/Dialect/Aten/IR/ViewMaps.h.
    Whether a result shares memory with the operand, or is a copy, the op's
    description says: `OpInfo::isView`, `OpInfo::mayCopy`.
  }];
  let methods = [
    InterfaceMethod<"What each result shows; failure if a size is not known.",
      "::llvm::FailureOr<::kiln::aten::ViewMaps>", "getViewMaps">
  ];
}

#endif // KILN_DIALECT_ATEN_IR_ATENINTERFACES_TD
