//===- Passes.td - Passes on programs ----------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_TRANSFORMS_PASSES
#define KILN_DIALECT_PROGRAM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ProgramHoistPreparationPass
    : Pass<"program-hoist-preparation", "::mlir::ModuleOp"> {
  let summary = "Compute what depends on weights alone once";
  let description = [{
    Launches that read weights which no output and no step changes, constants, or what
    such launches have written, depend on no symbol, and whose results launches alone read,
    move to the beginning of the program, and write `prepared` buffers: the runtime
    leaves them out of calls whose weights are those of the call before. Equal ones
    become one.

    What is prepared stays in memory, for each variant of a model that is called, unless
    nothing but the preparation reads it: such is let go of, and is written just before it
    is read, as a weight with its channels last between the archive's and its panels. What stays
    may take `limit` bytes, and as much beside as the weights that nothing else
    reads, or a few elements of at computed positions (`program.sparse`): those of an
    archive are mapped, and pages that nobody touches leave memory.
    (A weight that a caller has set does not.) On a GPU, whose memory has the weights
    whether they are read or not, it may take `limit` bytes. Launches
    that share such weights, or read each other's results, are judged together: first
    those that take no more than their weights, then what the kernels that read it were
    compiled for (`program.prepared_first`), then the cheapest. Of a group that does not
    fit, the first ones that do are taken; the others stay where they are. So does a
    launch without inputs whose result the one that reads it could overwrite in place.
    Programs of a training step and bodies of control flow stay as they are.

    Reports `prepared` (passed) with the number of launches and the bytes that stay, and
    `not-prepared` (missed) for what does not fit.

    Before:

    ```mlir
    %x = program.slot user_input "x" : !program.buffer<[64], f32>
    %w = program.slot parameter "w" : !program.buffer<[64], f32>
    %a = program.alloc : !program.buffer<[64], f32>
    program.launch @kernels::@k0(%x, %a) ...
    %s = program.alloc : !program.buffer<[64], f32>
    program.launch @kernels::@k1(%w, %s) ...
    ```

    After:

    ```mlir
    %x = program.slot user_input "x" : !program.buffer<[64], f32>
    %w = program.slot parameter "w" : !program.buffer<[64], f32>
    %s = program.alloc prepared : !program.buffer<[64], f32>
    program.launch @kernels::@k1(%w, %s) ...
    %a = program.alloc : !program.buffer<[64], f32>
    program.launch @kernels::@k0(%x, %a) ...
    ```
  }];
  let options = [
    Option<"limit", "limit", "::kiln::PreparedBytes", "67108864",
           "Bytes that prepared buffers may take beside those of the weights that "
           "nothing else reads. Negative: nothing is prepared.">
  ];
}

def ProgramPlanMemoryPass : Pass<"program-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every buffer a place";
  let description = [{
    Computes when each buffer that launches write is needed and assigns byte
    offsets in one arena, multiples of 64, so that buffers whose lives overlap do
    not. One that is written by its parts lives from the first of them on. What the
    caller receives is `new`. Static sizes are packed best-fit;
    buffers of symbolic size share a place only with those of equal size, behind
    the static part.

    A buffer may take over the place of one that dies in the launch that writes
    it, if the two have the same size and the launch `overwrites` it.

    The new contents of a slot are written over it, and nothing is copied, if
    everything that reads the slot runs before, or in the same launch under the
    rule above. A launch whose first step copies what its results overwrite
    (`program.copies_first`) loses that step if all of them lie there. So does one whose
    result the caller receives, and that is the last to look at what is copied: what
    makes that writes it into the result.

    Launches of a GPU that need nothing of each other run at the same time. There, buffers of which one
    is at most 1 MB share bytes only where the launch that writes the later one waits for all that sees
    the earlier one anyway, unless that takes 16 MB more than sharing as above.

    What a program hands to another one alone (an output and a slot that are
    `saved`, of one name) is memory of the second once its launches have read it
    for the last time: buffers of the second are put there, those that its caller
    receives first, then the largest ones first.

    Reports `planned` (passed) with the peak, the lower bound (the largest sum of
    live bytes), the bytes without reuse and what is written in place. A program
    that has an arena keeps its plan.

    Before:

    ```mlir
    program.func @main {
      %x = program.slot user_input "x" : !program.buffer<[64], f32>
      %a = program.alloc : !program.buffer<[64], f32>
      program.launch @kernels::@k0(%x, %a) ...
      %b = program.alloc : !program.buffer<[64], f32>
      program.launch @kernels::@k1(%a, %b) ...
      program.return %b ...
    ```

    After:

    ```mlir
    program.func @main arena 256 {
      %x = program.slot user_input "x" : !program.buffer<[64], f32>
      %a = program.alloc at 0 : !program.buffer<[64], f32>
      program.launch @kernels::@k0(%x, %a) ...
      %b = program.alloc new : !program.buffer<[64], f32>
      program.launch @kernels::@k1(%a, %b) ...
      program.return %b ...
    ```
  }];
}

def ProgramReleasePass : Pass<"program-release", "::kiln::program::FuncOp"> {
  let summary = "Let go of storage after its last use";
  let description = [{
    Results of calls, and new buffers, are released behind the last step that uses
    them or a view of them, unless the caller receives them. What is released
    somewhere already stays as it is.

    Before:

    ```mlir
    %a = program.call "aten.sin.default"(%x) ...
    %b = program.call "aten.cos.default"(%a) ...
    program.return %b ...
    ```

    After:

    ```mlir
    %a = program.call "aten.sin.default"(%x) ...
    %b = program.call "aten.cos.default"(%a) ...
    program.release %a : !program.buffer<[64], f32>
    program.return %b ...
    ```
  }];
}

#endif // KILN_DIALECT_PROGRAM_TRANSFORMS_PASSES
