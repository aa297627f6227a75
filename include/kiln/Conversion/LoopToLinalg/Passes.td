//===- Passes.td - From loop nests to linalg ---------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LOOPTOLINALG_PASSES
#define KILN_CONVERSION_LOOPTOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def ConvertLoopToLinalgPass
    : Pass<"convert-loop-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Rewrite loop nests as linalg on tensors";
  let description = [{
    Every nest, inside a `loop.kernel` or not, becomes structured ops that stock
    MLIR understands:

    | from | to |
    |---|---|
    | `loop.pointwise` | a parallel `linalg.generic` |
    | `loop.reduce` | `linalg.fill` and one `linalg.generic` with a result per accumulator, all kinds |
    | `loop.contract` | `linalg.matmul` or `linalg.batch_matmul` where its indices are theirs, else a `linalg.generic`; the epilogue is a second one |
    | `loop.scatter` | `scf.for` with `tensor.insert`, in order |
    | `loop.kernel` | its nests in place |

    A load whose indices are affine in the nest's own indices (sums, constant
    factors, `floordiv` and `mod` by constants) becomes an operand with an indexing
    map; any other one a `tensor.extract` in the body, within `scf.if` where it is
    masked.

    `#guard.shape` encodings and the signs of integers are dropped from all types,
    those of functions too. Sizes become SSA values: constants, `tensor.dim` of
    an argument for a symbol that is a dimension of it (or a linear function of
    one symbol), or the value of an operation of the function's entry block that
    says so: `%n = ... {loop.value = #guard.expr<s77>} : index`.

    Guarantees that no loop op is left in functions, and no guard op besides
    module-level ones. Fails on `loop.extern`, which has no tensor form, and where
    a symbol is nowhere to be had.

    ```mlir
    func.func @f(%x: tensor<?x4xf32, #guard.shape<[s0, 4]>>)
        -> tensor<?xf32, #guard.shape<[s0]>> {
      %r = loop.reduce parallel (%i) in [s0] reduction (%j) in [4] <sum>
          : tensor<?xf32, #guard.shape<[s0]>> {
        %e = loop.load %x[%i, %j] : tensor<?x4xf32, #guard.shape<[s0, 4]>>
        loop.yield %e : f32
      }
      return %r : tensor<?xf32, #guard.shape<[s0]>>
    }
    // becomes
    func.func @f(%x: tensor<?x4xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%n) : tensor<?xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %r = linalg.generic {...} ins(%x : tensor<?x4xf32>) outs(%z : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %out, %in : f32
        linalg.yield %s : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::kiln::guard::GuardDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LoopOutlineKernelsPass : Pass<"loop-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move kernels into functions of their own, on tensors";
  let description = [{
    Each `loop.kernel` becomes a function in the nested module `@kernels`, with the
    signature of `kiln/ABI/KernelABI.h`, and a `loop.launch` in its place. The
    function makes memrefs of its bare pointers, reads them as tensors, holds the
    kernel's nests, and puts the results into the destinations. Sizes, strides and
    numbers computed of sizes are arguments of the launch (a float by its bits),
    marked with `loop.value` for `convert-loop-to-linalg`, which comes next. There
    is one work item.

    With `grid` it is the signature of a GPU's kernels, and a `loop.launch_grid` of one
    thread, which `kiln-collect-launches` replaces.

    ```mlir
    %r = loop.kernel @k ins(%a = %x : tensor<8xf32>) shared [8]
        -> tensor<8xf32> {...}
    // becomes
    %r = loop.launch @kernels::@k(%x) symbols [] work 1 grain 1
        : (tensor<8xf32>) -> tensor<8xf32>
    // with grid
    %r = loop.launch_grid(%x)
        steps [#loop.step<kernel = @k, symbols = [], blocks = <1>, threads = 1>]
        : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let options = [Option<"grid", "grid", "bool", "false",
                        "Make functions and launches in the form of a GPU's.">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def KilnPlaceScratchPass : Pass<"kiln-place-scratch", "::mlir::ModuleOp"> {
  let summary = "Put the temporary buffers of kernels into their scratch";
  let description = [{
    In the functions of the module `@kernels`, a `memref.alloc` becomes a place in
    the kernel's scratch memory, on a GPU its workspace, aligned to 64 bytes, and the
    launches of the kernel say how much they need. `memref.copy` becomes loops, on a GPU
    a parallel one, because its stock lowering is a library call.

    Assumes that dynamic sizes of buffers are values with a `loop.value` attribute, as
    `loop-outline-kernels` makes them, and that no buffer is allocated in a loop;
    fails otherwise.

    Before:

    ```mlir
    %b = memref.alloc() : memref<16xf32>
    ```

    After, and the kernel's launches say `scratch 64`:

    ```mlir
    %p = llvm.getelementptr %scratch[0] : (!llvm.ptr) -> !llvm.ptr, i8
    %b = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<16xf32>
    ```
  }];
  let dependentDialects = [
    "::kiln::guard::GuardDialect",
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def KilnFlattenLoopsPass : Pass<"kiln-flatten-loops", "::mlir::func::FuncOp"> {
  let summary = "Make a kernel's code a sequence of parallel loops of one dimension";
  let description = [{
    Of the code of a GPU's kernel, as `loop-outline-kernels` with `grid` made its function,
    each parallel loop at the top becomes one over all its points, and what stands between
    two of them a loop of one iteration. What touches no memory stays outside, where
    every launch finds it. Loops within others belong to one thread. Each of the loops can
    be a launch of a grid of one dimension then:

        scf-parallel-loop-tiling, gpu-map-parallel-loops, convert-parallel-loops-to-gpu

    Fails where a loop gives another one a number without memory between them, and where
    a parallel loop joins values.

    Before:

    ```mlir
    scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {...}
    %x = llvm.load %p : !llvm.ptr -> f32
    llvm.store %x, %q : f32, !llvm.ptr
    ```

    After:

    ```mlir
    %nm = arith.muli %n, %m : index
    scf.parallel (%k) = (%c0) to (%nm) step (%c1) {...}
    scf.parallel (%k) = (%c0) to (%c1) step (%c1) {
      %x = llvm.load %p : !llvm.ptr -> f32
      llvm.store %x, %q : f32, !llvm.ptr
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def KilnCollectLaunchesPass
    : Pass<"kiln-collect-launches", "::mlir::ModuleOp"> {
  let summary = "Make the launches of a kernel steps of its grid";
  let description = [{
    In the functions of the module `@kernels`, as `loop-outline-kernels` with `grid` makes
    them, each `gpu.launch_func` becomes a step of the `loop.launch_grid` of its kernel. Its
    function takes what all functions of that launch take, computes what the
    `gpu.launch_func` handed over, and stands in the `gpu.module` `@kernels_64`. The
    module `@kernels` goes.

    Assumes that memrefs are lowered. Fails unless a grid has one dimension, blocks that
    symbols give, and a constant number of threads without shared memory, and where
    something besides launches touches memory.

    Before, in `@kernels`:

    ```mlir
    func.func @k(%a: !llvm.ptr<1>, %r: !llvm.ptr<1>, %workspace: !llvm.ptr<1>, %s0: i64)
        attributes {loop.symbols = [#guard.expr<s0>]} {
      %n = arith.index_cast %s0 : i64 to index
      %blocks = affine.apply affine_map<()[s0] -> (s0 ceildiv 256)>()[%n]
      gpu.launch_func @k_kernel::@k_kernel blocks in (%blocks, %c1, %c1)
          threads in (%c256, %c1, %c1) args(%n : index, %r : !llvm.ptr<1>)
      return
    }
    ```

    After, and its launch has `steps [#loop.step<kernel = @k, symbols =
    [#guard.expr<s0>], blocks = <ceildiv(s0, 256)>, threads = 256>]`:

    ```mlir
    gpu.module @kernels_64 {
      llvm.func @k(%a: !llvm.ptr<1>, %r: !llvm.ptr<1>, %workspace: !llvm.ptr<1>, %s0: i64)
          attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>} {
        %n = arith.index_cast %s0 : i64 to index
        %tid = nvvm.read.ptx.sreg.tid.x : i32
        ...
    ```
  }];
  let dependentDialects = [
    "::kiln::guard::GuardDialect", "::kiln::loop::LoopDialect",
    "::mlir::arith::ArithDialect", "::mlir::DLTIDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"
  ];
}

def KilnReconcileIndexCastsPass
    : Pass<"kiln-reconcile-index-casts", "::mlir::ModuleOp"> {
  let summary = "Turn casts between index and i64 into arithmetic";
  let description = [{
    Lowering memrefs alone leaves `builtin.unrealized_conversion_cast` between the
    `index` values of loops and the `i64` of addresses. They become
    `arith.index_cast`, which any later conversion handles.

    ```mlir
    %a = builtin.unrealized_conversion_cast %i : index to i64
    // becomes
    %a = arith.index_cast %i : index to i64
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // KILN_CONVERSION_LOOPTOLINALG_PASSES
