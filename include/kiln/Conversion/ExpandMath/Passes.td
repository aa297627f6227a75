//===- Passes.td - Math functions as polynomials -*- tablegen -*- ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_EXPANDMATH_PASSES
#define KILN_CONVERSION_EXPANDMATH_PASSES

include "mlir/Pass/PassBase.td"

def KilnExpandMathPass : Pass<"kiln-expand-math"> {
  let summary = "Replace math functions by polynomials";
  let description = [{
    Math functions that no processor has as an instruction (`exp`, `log`, `sin`,
    `tanh`, `erf`, `powf`, ... and `arith.remf`) become range reduction, a
    polynomial and reconstruction: `arith` ops, `math.fma` and others that are
    single instructions. Works on scalars and on vectors of any shape of f32 and
    f64; f16 and bf16 are computed in f32, also where f32 has an instruction, and
    rounded once. f32 functions are within 2 ulp, f64 functions within 4 ulp
    (lib/Conversion/Numerics.md); signed zeros, infinities and NaN as in C's
    <math.h>. Calls nothing, and leaves other ops alone.

    `arith.maximumf` and `minimumf` of f32 and f64 become a comparison with a
    selection, which is one instruction of x86, and where both operands may be NaN a
    mask that keeps the right one's; of two zeros the first is taken.

    With `scales` (AVX-512), `exp` and `exp2` of f32 are a sixteenth of a power of two that
    is looked up in a register, times a short polynomial, and scaled by the instruction
    for that; other exponentials are multiplied by their power of two by the intrinsic
    `llvm.ldexp`, which is one instruction there and a call elsewhere; without it, in two
    steps by numbers made of their bits. With `powers`,
    `exp` and `exp2` of f32 are what is left of them beside `ex2.approx` of NVIDIA's GPUs,
    `rsqrt` is `rsqrt.approx`, and an `arith.divf` whose flags permit approximations
    (`afn`) multiplies by `rcp.approx`; `tanh` is within 3 ulp there, and maxima stay as
    they are.

    Before:

    ```mlir
    %1 = math.exp %0 : vector<16xf32>
    ```

    After (about twenty ops):

    ```mlir
    %log2e = arith.constant dense<1.44269502> : vector<16xf32>
    %n = math.roundeven ...
    %p = math.fma ...
    ```
  }];
  let options = [
    Option<"scales", "scales", "bool", /*default=*/"false",
           "The processor has AVX-512, which multiplies floats by powers of two.">,
    Option<"powers", "powers", "bool", /*default=*/"false",
           "The processor has the instructions of NVIDIA's GPUs for powers of two.">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // KILN_CONVERSION_EXPANDMATH_PASSES
