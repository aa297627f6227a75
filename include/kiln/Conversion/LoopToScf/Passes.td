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
        {schedule = #loop.across<lanes = 16, ...>}
        : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // KILN_CONVERSION_LOOPTOSCF_PASSES
