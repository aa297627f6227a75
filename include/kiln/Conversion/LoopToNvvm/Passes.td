//===- Passes.td - From fused kernels to a GPU's code *- tablegen -*- -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LOOPTONVVM_PASSES
#define KILN_CONVERSION_LOOPTONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertLoopToNvvmPass : Pass<"convert-loop-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Emit the code of fused kernels for a GPU and launch them";
  let description = [{
    Each `loop.kernel` becomes one function or a few in the `gpu.module` `@kernels`,
    made of `scf`, `vector`, `arith`, `math`, `nvvm` and `llvm` memory operations; in
    its place stands a `loop.launch_grid`, which says what the functions take.
    Kernels of equal content share their functions.

    Assumes that every nest is inside a `loop.kernel` with a schedule for a GPU
    (LoopGPU.td), and that memory is aligned to 16 bytes. An input that is a function
    argument has the strides of its `loop.strides` attribute, if it has one;
    everything else is row-major. Guarantees that no nest is left. Leaves
    `loop.extern` alone.

    Indices are 32 bits wide. Where a tensor or an index may reach 2^31, the functions
    are also in `@kernels_64`, with 64 bits, or only there. Which width `index` has is
    said by the data layout of the `gpu.module`. A contraction is emitted as a reduction
    of products.

    ```mlir
    %r = loop.kernel @k0 ins(%a = %x : tensor<1024xf32>) shared [1024]
        schedule #loop.gpu_across<threads = 256, lanes = 4, sum_block = 0>
        -> tensor<1024xf32> {...}
    // becomes
    %r = loop.launch_grid(%x)
        steps [#loop.step<kernel = @k0, symbols = [], blocks = #guard.expr<1>,
                          threads = 256>]
        {schedule = #loop.gpu_across<...>}
        : (tensor<1024xf32>) -> tensor<1024xf32>
    // and
    gpu.module @kernels {
      llvm.func @k0(%a: !llvm.ptr<1>, %r: !llvm.ptr<1>, %workspace: !llvm.ptr<1>)
          attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>} {
        %tid = nvvm.read.ptx.sreg.tid.x : i32
        ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::DLTIDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def JoinGridsPass : Pass<"loop-join-grids", "::mlir::ModuleOp"> {
  let summary = "Launch grids that follow each other as one";
  let description = [{
    Launches that need nothing of each other, as the updates of an optimizer's parameters,
    become one launch of a new function, whose blocks are those of all of them. A block
    finds out by comparisons which of the functions is its own, and with which pointers.
    Functions that nobody launches any more go away.

    Assumes `loop.launch_grid`s as `convert-loop-to-nvvm` leaves them, before functions are
    lowered. Joins those with no other operation between them, of as many threads, whose
    one step has neither workspace nor tensor maps nor shared memory that the launch gives, and
    declares no more than 8 KB of it together with others; up to 500 pointers and symbols in all.
    Leaves alone what moves 256 MB or more, and what another
    launch of the group may overwrite.

    ```mlir
    %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k0, symbols = [],
        blocks = <2>, threads = 256>] : (tensor<512xf32>) -> tensor<512xf32>
    %s = loop.launch_grid(%y) steps [#loop.step<kernel = @k0, symbols = [],
        blocks = <2>, threads = 256>] : (tensor<512xf32>) -> tensor<512xf32>
    // becomes
    %r:2 = loop.launch_grid(%x, %y) steps [#loop.step<kernel = @k0_joined, symbols = [],
        blocks = <4>, threads = 256>]
        : (tensor<512xf32>, tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // KILN_CONVERSION_LOOPTONVVM_PASSES
