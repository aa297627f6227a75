//===- Passes.td - From fused kernels to loops ----*- tablegen -*- --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LOOPTOSCF_PASSES
#define KILN_CONVERSION_LOOPTOSCF_PASSES

include "mlir/Pass/PassBase.td"

def ConvertLoopToScfPass : Pass<"convert-loop-to-scf", "::mlir::ModuleOp"> {
  let summary = "Emit the code of fused kernels and launch them";
  let description = [{
    Each `loop.kernel` becomes a function in the nested module `@kernels`, with
    the signature of `kiln/ABI/KernelABI.h`, made of `scf.for`, `vector`,
    `arith`, `math` and `llvm` memory operations; in its place stands a
    `loop.launch`. Kernels of equal content share one function.

    Assumes that every nest is inside a `loop.kernel`. An input that is a
    function argument has the strides of its `loop.strides` attribute, if it
    has one; everything else is row-major. Guarantees that no nest is left.
    Leaves `loop.extern` alone.

    The schedule of a kernel says how it is emitted and with which numbers; a
    kernel without one is refused, as is one that its schedule does not fit for
    the strides of its inputs. A contraction whose schedule is `across` or `within`
    is emitted as a reduction of products. What depends on symbols alone becomes an
    integer argument of the launch.

    ```mlir
    %r = loop.kernel @k0 ins(%a = %x : tensor<64xf32>) shared [64]
        schedule #loop.across<lanes = 16, chunk = 64, sum_block = 0,
                              masked = true, grain = 256> -> tensor<64xf32> {...}
    // becomes
    %r = loop.launch @kernels::@k0(%x) symbols [] work 1 grain 256
        {schedules = [#loop.across<lanes = 16, ...>]}
        : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def JoinLaunchesPass : Pass<"loop-join-launches", "::mlir::ModuleOp"> {
  let summary = "Launch kernels that stand side by side as one";
  let description = [{
    Assumes that every `loop.kernel` has become a `loop.launch` with placements.
    Launches that follow each other, do not depend on each other and may run at
    the same time (nothing one writes, in the arena or over an argument, is read
    or written by another) become one launch of a new function, which calls the
    kernels of its parts for the chunks of work that are theirs. Sizes and
    kernels of the parts may differ: the updates of all parameters of a model
    become one launch. Matrix products and scatters stay alone.

    ```mlir
    %a = loop.launch @kernels::@k0(%x) symbols [] work 100 grain 64 ...
    %b = loop.launch @kernels::@k0(%y) symbols [] work 5000 grain 64 ...
    // becomes
    %c:2 = loop.launch @kernels::@joined_2_0(%x, %y) symbols []
        work 81 grain 81 ... {parts = array<i64: 1, 1, 1, 1>}
    ```

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
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // KILN_CONVERSION_LOOPTOSCF_PASSES
