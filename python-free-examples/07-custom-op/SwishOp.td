//===- SwishOp.td - Operators of mylib as MLIR ops ---------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect with the name of the library, and one record for each overload. The
// schema says what the arguments are and their defaults; a program that calls
// torch.ops.mylib.swish is imported as `mylib.swish`.
//
//===----------------------------------------------------------------------===//

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Mylib_Dialect : Dialect {
  let name = "mylib";
  let cppNamespace = "::mylib";
  let summary = "Operators of torch.ops.mylib";
}

def Mylib_SwishOp : Aten_OverloadOp<Mylib_Dialect,
    "mylib::swish(Tensor x, float beta=1.0) -> Tensor", NoEffects> {
  let summary = "x * sigmoid(beta * x)";
  let shape = "::mylib::inferSwish";
  let promotion = PromoteKeepFirst;
  // Nothing simpler is known: the op stays until it becomes a loop.
  let isCore = 1;
}

def Mylib_SquaresOp : Aten_OverloadOp<Mylib_Dialect,
    "mylib::squares(Tensor x) -> Tensor", NoEffects> {
  let summary = "The sum of squares over the last dimension";
  let shape = "::mylib::inferSquares";
  let promotion = PromoteKeepFirst;
  let isCore = 1;
}
