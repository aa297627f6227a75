//===- Passes.td - Passes that know no dialect ----------*- tablegen -*----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TRANSFORMS_PASSES
#define KILN_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def KilnVerifyStagePass : Pass<"kiln-verify-stage"> {
  let summary = "Check that nothing was left behind by the passes of a stage";
  let description = [{
    Fails at each op that does not belong to `stage`, or that is not in the form
    which the end of the stage promises. What ops belong to is said by their
    dialects (Stages.h); an op whose dialect says nothing may stand anywhere but
    at `native`. Ops in nested regions and in functions of any kind are checked
    as well: that is where passes do not look. Changes nothing.

    | stage | what belongs to it | what its end promises |
    |---|---|---|
    | `capture` | `aten`, `guard` | |
    | `core` | `aten`, `guard` | no op outside of the core set that has a decomposition |
    | `joint` | `aten`, `guard`, `joint` | the same |
    | `loop` | `loop` without launches, `guard` | every nest in a kernel that has a schedule |
    | `kernel` | `loop.launch`, `loop.extern`, `loop.invoke`, `guard` | |
    | `native` | `llvm` | calls of functions that are there alone |
    | `package` | `program`, `guard` | every buffer has a place |

    In a module of stages `capture` to `joint`, the symbols that sizes and attributes
    name are declared by `guard.symbol`. What the verifiers of ops see at every stage is not said again
    here: each expression of a program is evaluated when its symbols have values, and
    its memory plan is right.

    Every pipeline ends with it.

    ```mlir
    // error: 'aten.relu' op belongs to stages 'capture' to 'joint', but the IR
    // is to be of stage 'loop'; run 'kiln-loop' first
    %1 = scf.if %c -> tensor<4xf32> {
      %2 = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
      ...
    ```
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"\"",
           "The stage: capture, core, joint, loop, kernel, native or package.">,
    Option<"keepsDerivatives", "keeps-derivatives", "bool", "false",
           "Ops that bring a derivative of their own may still be whole, as "
           "kiln-core{training} leaves them.">
  ];
}

#endif // KILN_TRANSFORMS_PASSES
