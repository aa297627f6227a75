//===- LoopLoweringOpInterface.td - Ops that make loop nests -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_LOOPLOWERINGOPINTERFACE_TD
#define KILN_INTERFACES_LOOPLOWERINGOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def LoopLoweringOpInterface : OpInterface<"LoopLoweringOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An op on tensors that makes its own loop nests: a reduction, a scan, a
    contraction, a view, several of them. `convert-aten-to-loop` asks every op of
    every dialect for it, in the order of the program, and fuses the nests with their
    neighbours like any other; the op's name is not known there.

    An op whose element is a function of its operands' elements at the same place
    has less to do with `LoopBodyOpInterface`. Of an op with both this one counts.
  }];
  let methods = [
    InterfaceMethod<[{
        Makes the nests of the op with `loops` and sets all of its results, or
        refuses with a reason. May look at the op and at what its operands are
        views of, and changes neither. (An op that refuses may replace an operand of
        its own by what that is a view of, if its library reads it the same:
        `as_strided` names the tensor that owns the memory.)
      }], "::llvm::LogicalResult", "lowerToLoops",
      (ins "::kiln::loop::LoopBuilder &":$loops)>,
    InterfaceMethod<[{
        False if the op is to be asked only where all tensors among its operands
        and results are ranked, have sizes that are known and elements that bodies
        compute with: integers, bool, floats of 16 bits or more. True for an op
        that looks at no elements. Complex numbers have no nests at all.
      }], "bool", "takesAnyElements", (ins), "", "return false;">
  ];
}

#endif // KILN_INTERFACES_LOOPLOWERINGOPINTERFACE_TD
