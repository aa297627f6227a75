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

def LoopShareKernelsPass : Pass<"loop-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Make one function of kernels that differ in sizes alone";
  let description = [{
    Functions of `@kernels` that are equal but for constants of type `index` and `i64` become
    one, the first of them, which reads these numbers behind the values of symbols;
    each `loop.launch` of one of them hands in its own. A number is handed in
    divided by the greatest common divisor of all, and multiplied by it in the
    function, so that what was a multiple of a vector's lanes is still known to be.
    Numbers that are multiples of one that is handed in, plus or minus less than the
    factor, are computed of it.

    Numbers stay constants, and tell functions apart, that are 0, 1, -1 or have 30 bits
    or more, are a step or a divisor where there are not two more loops inside, a
    factor of vectors in an innermost loop, a factor of more than `max-multiples`
    different products there, or anything else but a bound or a start of a loop, part
    of a mask, a condition, an address, or of what is stored: there, code that does not
    know them would be slower. A 1 that is but a divisor or where loops end is a number
    like others. Numbers of which something is computed that can be divided by a power of
    two, and is, are told apart by the powers of two up to this one by which they can be
    divided themselves.

    Assumes functions with the signature of `kiln/ABI/KernelABI.h`. Leaves alone
    what is not launched by a `loop.launch`, or called by another function.

    ```mlir
    %0 = loop.launch @kernels::@k0(%a) symbols [] work 1 grain 1 : ...
    %1 = loop.launch @kernels::@k1(%b) symbols [] work 1 grain 1 : ...
    // k0: scf.for %i = %c0 to 96, k1: the same to 128; becomes
    %0 = loop.launch @kernels::@k0(%a) symbols [3] work 1 grain 1 : ...
    %1 = loop.launch @kernels::@k0(%b) symbols [4] work 1 grain 1 : ...
    // k0: %n = 32 * load(symbols[0]), scf.for %i = %c0 to %n
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"maxMultiples", "max-multiples", "::kiln::PositiveCount", "4",
           "Products of one number in an innermost loop with which it may still "
           "be handed in; each takes a register there.">
  ];
  let statistics = [
    Statistic<"shared", "shared", "functions that became another">
  ];
}

#endif // KILN_CONVERSION_LOOPTOSCF_PASSES
