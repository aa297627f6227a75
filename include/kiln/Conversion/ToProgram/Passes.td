//===- Passes.td - From calls and launches to programs -----*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_TOPROGRAM_PASSES
#define KILN_CONVERSION_TOPROGRAM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAtenToProgramPass
    : Pass<"convert-aten-to-program", "::mlir::ModuleOp"> {
  let summary = "Turn functions of operators into programs that call them";
  let description = [{
    Each public function, and what it runs, becomes a `program.func`; each operator
    a `program.call` with all its arguments. Arguments and results say by
    `aten.input` and `aten.output` what they are; without them they are inputs and
    outputs of the user. A symbol is read from the size of an argument that is
    linear in it, or is defined by a step. Numbers become attributes of what uses
    them.

    Fails at an op that is no operator.

    ```mlir
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
      %0 = aten.sum.dim_IntList(%x, dim = [1]) : (tensor<4x8xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // becomes
    program.func @main {
      %0 = program.slot user_input "arg0" : !program.buffer<[4, 8], f32>
      %1 = program.call "aten.sum.dim_IntList"(%0)
          arguments [#program.operand<0>, [1], false, unit]
          : (!program.buffer<[4, 8], f32>) -> !program.buffer<[4], f32>
      program.return %1 outputs [#program.output<role = user_output>]
          : !program.buffer<[4], f32>
    }
    ```
  }];
  let options = [
    Option<"ignoreStrides", "ignore-strides", "bool", "false",
           "Views are reshapes, as in core form, which says nothing of strides.">
  ];
  let dependentDialects = ["::kiln::program::ProgramDialect",
                           "::mlir::complex::ComplexDialect"];
}

def ConvertLoopToProgramPass
    : Pass<"convert-loop-to-program", "::mlir::ModuleOp"> {
  let summary = "Turn functions of launches into programs that run them";
  let description = [{
    As `convert-aten-to-program`, for functions of `loop.launch`, `loop.extern` and
    `loop.invoke`. The result of a launch becomes a buffer that it writes, which has
    no place yet.

    Fails at an op that is no launch or call.

    ```mlir
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = loop.launch @kernels::@k0(%x) symbols [] work 64 grain 64
          : (tensor<64xf32>) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    // becomes
    program.func @main {
      %0 = program.slot user_input "arg0" : !program.buffer<[64], f32>
      %1 = program.alloc : !program.buffer<[64], f32>
      program.launch @kernels::@k0(%0, %1) access [read, write] symbols []
          work 64 grain 64 alone : !program.buffer<[64], f32>, !program.buffer<[64], f32>
      program.return %1 outputs [#program.output<role = user_output>]
          : !program.buffer<[64], f32>
    }
    ```
  }];
  let dependentDialects = ["::kiln::program::ProgramDialect",
                           "::mlir::complex::ComplexDialect"];
}

def ProgramJoinLaunchesPass
    : Pass<"program-join-launches", "::mlir::ModuleOp"> {
  let summary = "Launch kernels that stand side by side as one";
  let description = [{
    Launches that follow each other and may run at the same time (nothing one
    writes is read or written by another, as the memory plan has it) become one
    launch of a new function, which calls the kernels of its parts for the chunks
    of work that are theirs. Sizes and kernels of the parts may differ: the updates
    of all parameters of a model become one launch. What is `alone` stays alone.

    ```mlir
    program.launch @kernels::@k0(%x, %a) access [read, write] symbols []
        work 100 grain 64 ...
    program.launch @kernels::@k0(%y, %b) access [read, write] symbols []
        work 5000 grain 64 ...
    // becomes
    program.launch @kernels::@joined_2_0(%x, %a, %y, %b)
        access [read, write, read, write] symbols [2, 100, 64, 81, 5000, 64]
        work 81 grain 81 alone ...
    ```

    Behind the symbols of its parts a launch hands in, for each part, the chunk where
    it ends, its items and its grain. So groups of the same kernels share a function,
    however large they are.

    A thread gets as many chunks as take `grain_ns` of the module's target at four
    bytes a nanosecond. Reports `joined` with the number of parts.
  }];
  let options = [
    Option<"maxParts", "max-parts", "::kiln::PositiveCount", /*default=*/"256",
           "The largest number of kernels in one launch.">,
    Option<"maxPointers", "max-pointers", "::kiln::PositiveCount", /*default=*/"4096",
           "The largest number of tensors of one launch.">,
  ];
  let dependentDialects = [
    "::kiln::loop::LoopDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // KILN_CONVERSION_TOPROGRAM_PASSES
