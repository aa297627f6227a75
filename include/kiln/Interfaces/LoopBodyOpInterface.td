//===- LoopBodyOpInterface.td - Ops that work element by element ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_LOOPBODYOPINTERFACE_TD
#define KILN_INTERFACES_LOOPBODYOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def LoopBodyOpInterface : OpInterface<"LoopBodyOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An op with one tensor result, each element of which is a function of the
    elements of its operands at the same place; operands broadcast to the
    result. `convert-aten-to-loop` makes a loop nest with this body of it, which
    then fuses with its neighbours like any other; the op's name is not known
    there. An op that is more than that (a reduction, a scan, a view, several
    results) implements `LoopLoweringOpInterface`, which counts where both are.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the element of the result at the builder's position, of ops of
        `arith` and `math` alone. `elements` has an element for each operand: of
        a tensor in the type that it is computed with (f32 for bf16 and f16,
        signless for unsigned integers), of a number the number itself (`i1`,
        `i64` or `f64`). The value must have the type that the result's element
        type is computed with; it is rounded when it is stored.
      }], "::mlir::Value", "buildLoopBody",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$elements)>
  ];
}

#endif // KILN_INTERFACES_LOOPBODYOPINTERFACE_TD
