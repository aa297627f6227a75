//===- Passes.td - Passes of the aten dialect -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_PASSES_TD
#define KILN_DIALECT_ATEN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AtenDecomposePass : Pass<"aten-decompose"> {
  let summary = "Rewrite ATen ops as simpler ones";
  let description = [{
    With `to=core`, ops outside of the Kiln core set are rewritten until only the
    core set is left. With `to=loop`, so are those of the core set that
    convert-aten-to-loop has no loop nest for: softmax, norms, losses, attention,
    gelu, means and variances. Values are PyTorch's: what its kernels compute in
    f32 for bf16 and f16 is computed in f32 and rounded once.

    An op whose arguments have no decomposition (an einsum with a diagonal, a
    dropout that draws numbers) is left as it is. Assumes that every size has an
    expression; leaves other dialects alone, and unused ops to `canonicalize`.

    ```mlir
    %y = aten.linear(%x, %w) : (tensor<2x3x4xf32>, tensor<5x4xf32>)
      -> tensor<2x3x5xf32>
    ```

    becomes

    ```mlir
    %t = aten.permute(%w, dims = [1, 0]) : (tensor<5x4xf32>) -> tensor<4x5xf32>
    %f = aten.view(%x, size = [6, 4]) : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    %m = aten.mm(%f, %t) : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    %y = aten.view(%m, size = [2, 3, 5]) : (tensor<6x5xf32>)
      -> tensor<2x3x5xf32>
    ```
  }];
  let options = [
    Option<"to", "to", "std::string", "\"core\"",
           "How far to go: core or loop.">
  ];
  let dependentDialects = ["::kiln::aten::AtenDialect",
                           "::mlir::arith::ArithDialect",
                           "::kiln::guard::GuardDialect"];
}

def AtenSimplifyPass : Pass<"aten-simplify"> {
  let summary = "Remove ATen ops that change nothing, and merge views";
  let description = [{
    A view of a view is one view, a permutation of a permutation one permutation;
    what changes neither shape nor type goes away, as do `detach` of `detach`,
    `alias`, a double negation, and multiplication and division by one. Every
    rewrite gives the same bits for every input, NaN and signed zeros included.

    ```mlir
    %0 = aten.permute(%x, dims = [1, 0]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = aten.permute(%0, dims = [1, 0]) : (tensor<3x2xf32>) -> tensor<2x3xf32>
    ```

    leaves `%x`. Common subexpressions are upstream's `cse`.
  }];
  let dependentDialects = ["::kiln::aten::AtenDialect"];
}

#endif // KILN_DIALECT_ATEN_TRANSFORMS_PASSES_TD
