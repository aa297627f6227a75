//===- LoopEnums.td - Enums of the loop dialect ------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPENUMS
#define KILN_DIALECT_LOOP_IR_LOOPENUMS

include "kiln/Dialect/Loop/IR/LoopReductions.td"
include "mlir/IR/EnumAttr.td"

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

def Loop_DotUnit : I32EnumAttr<"DotUnit",
    "what multiplies on a processor", [
      I32EnumAttrCase<"Fma", 0, "fma">,
      I32EnumAttrCase<"Pairs", 1, "pairs">,
      I32EnumAttrCase<"Tiles", 2, "tiles">,
      I32EnumAttrCase<"Quads", 3, "quads">
    ]> {
  let cppNamespace = "::kiln::loop";
  let genSpecializedAttr = 0;
}

/// Left out of the text where it is `fma`.
def Loop_DotUnitParameter : EnumParameter<Loop_DotUnit> {
  let defaultValue = "::kiln::loop::DotUnit::Fma";
}

def Loop_ProductUnit : I32EnumAttr<"ProductUnit",
    "what multiplies on a GPU", [
      I32EnumAttrCase<"Fma", 0, "fma">,
      I32EnumAttrCase<"Mma", 1, "mma">,
      I32EnumAttrCase<"Wgmma", 2, "wgmma">
    ]> {
  let cppNamespace = "::kiln::loop";
  let genSpecializedAttr = 0;
}

def Loop_GPULibrary : I32EnumAttr<"GPULibrary",
    "a library of a GPU that may do what a kernel does", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"Cublas", 1, "cublas">,
      I32EnumAttrCase<"Cudnn", 2, "cudnn">
    ]> {
  let cppNamespace = "::kiln::loop";
  let genSpecializedAttr = 0;
}

/// Left out of the text where it is `none`.
def Loop_GPULibraryParameter : EnumParameter<Loop_GPULibrary> {
  let defaultValue = "::kiln::loop::GPULibrary::None";
}

#endif // KILN_DIALECT_LOOP_IR_LOOPENUMS
