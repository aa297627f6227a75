//===- LoopEnums.td - Enums of the loop dialect ------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPENUMS
#define KILN_DIALECT_LOOP_IR_LOOPENUMS

include "mlir/IR/EnumAttr.td"

def Loop_ReductionKind : I32EnumAttr<"ReductionKind",
    "how the accumulators of a reduction combine", [
      I32EnumAttrCase<"Sum", 0, "sum">,
      I32EnumAttrCase<"Prod", 1, "prod">,
      I32EnumAttrCase<"Min", 2, "min">,
      I32EnumAttrCase<"Max", 3, "max">,
      I32EnumAttrCase<"Any", 4, "any">,
      I32EnumAttrCase<"All", 5, "all">,
      I32EnumAttrCase<"Xor", 6, "xor">,
      I32EnumAttrCase<"ArgMax", 7, "argmax">,
      I32EnumAttrCase<"ArgMin", 8, "argmin">,
      I32EnumAttrCase<"Welford", 9, "welford">,
      I32EnumAttrCase<"Generic", 10, "generic">
    ]> {
  let cppNamespace = "::kiln::loop";
  let genSpecializedAttr = 0;
}

def Loop_ScatterKind : I32EnumAttr<"ScatterKind",
    "what happens to an element that is written", [
      I32EnumAttrCase<"Set", 0, "set">,
      I32EnumAttrCase<"Add", 1, "add">,
      I32EnumAttrCase<"Prod", 2, "prod">,
      I32EnumAttrCase<"Min", 3, "min">,
      I32EnumAttrCase<"Max", 4, "max">
    ]> {
  let cppNamespace = "::kiln::loop";
  let genSpecializedAttr = 0;
}

def Loop_InvokeKind : I32EnumAttr<"InvokeKind",
    "how functions are run", [
      I32EnumAttrCase<"Branch", 0, "branch">,
      I32EnumAttrCase<"While", 1, "while">,
      I32EnumAttrCase<"Scan", 2, "scan">
    ]> {
  let cppNamespace = "::kiln::loop";
  let genSpecializedAttr = 0;
}

#endif // KILN_DIALECT_LOOP_IR_LOOPENUMS
