//===- Wave.td - A dialect with gradients ------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "kiln/Interfaces/DifferentiableOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wave_Dialect : Dialect {
  let name = "wave";
  let cppNamespace = "::wave";
  let summary = "Sines, cosines and their products";
}

class Wave_Op<string mnemonic> : Op<Wave_Dialect, mnemonic, [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let results = (outs AnyRankedTensor:$result);
}

class Wave_UnaryOp<string mnemonic> : Wave_Op<mnemonic> {
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

def Wave_SinOp : Wave_UnaryOp<"sin"> {
  let summary = "The sine of each element";
}

def Wave_CosOp : Wave_UnaryOp<"cos"> {
  let summary = "The cosine of each element";
}

def Wave_NegOp : Wave_UnaryOp<"neg"> {
  let summary = "Each element with the other sign";
}

def Wave_MulOp : Wave_Op<"mul"> {
  let summary = "The product, element by element";
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($result)";
}
