//===- RecomputableOpInterface.td - What running an op again costs ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_RECOMPUTABLEOPINTERFACE_TD
#define KILN_INTERFACES_RECOMPUTABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def RecomputableOpInterface : OpInterface<"RecomputableOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    What the partitioner must know of an op: whether its results may be computed
    a second time in the backward, and whether a result is a view. An op without
    it is recomputed if it is pure and works element by element (`Elementwise`
    or `LoopBodyOpInterface`), or a constant, and else never.
  }];
  let methods = [
    InterfaceMethod<[{
        What it means to run the op again.
      }], "::kiln::RecomputeClass", "getRecomputeClass">,
    InterfaceMethod<[{
        The operand whose storage the results look at, or -1. Only for ops of
        class `View`.
      }], "int", "getViewedOperand", (ins), [{}], [{ return -1; }]>,
    InterfaceMethod<[{
        Floating-point operations of one run, for an op that does more of them
        than it has elements; 0 for all others. `sizesOf` gives the sizes of a
        tensor, with hints in place of symbols.
      }], "double", "getFlops", (ins "::kiln::SizesFn":$sizesOf), [{}],
      [{ return 0; }]>,
    InterfaceMethod<[{
        True if the results hang on every bit of the operands, as those of `==`
        do. A sum may add up in another order where it is run again, so that none
        that leads to an operand is.
      }], "bool", "comparesExactly", (ins), [{}], [{ return false; }]>
  ];
}

#endif // KILN_INTERFACES_RECOMPUTABLEOPINTERFACE_TD
