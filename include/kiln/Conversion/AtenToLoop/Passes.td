//===- Passes.td - From aten to loop -----------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_ATENTOLOOP_PASSES
#define KILN_CONVERSION_ATENTOLOOP_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAtenToLoopPass : Pass<"convert-aten-to-loop", "::mlir::ModuleOp"> {
  let summary = "Lower aten operators to loop nests";
  let description = [{
    Assumes functions of one block in core form, whose composite operators
    (softmax, layer norm, losses) are decomposed to sums, maxima and pointwise
    operators. Guarantees that no aten operator is left.

    - Views become index expressions of the loads that read through them. A
      view is copied only where it must exist in memory.
    - Pointwise operators take their bodies from their records. 16-bit floats are
      computed in f32 and rounded at the result of each operator.
    - Reductions: sum, mean, prod, amax, amin, any, all, argmax, argmin, max.dim,
      min.dim, var and std (two passes, f32 in f64).
    - Products: mm, bmm, addmm, baddbmm become `loop.contract` with the bias in
      the epilogue; convolutions that are not transposed, too.
    - Indexing: embedding, gather, index, index_select read indirectly; scatter,
      index_put and embedding_dense_backward are `loop.scatter`. Indices are
      clamped in the kernel, so that none leaves its tensor, and checked by an
      `aten._assert_async.msg` call, which ends the run with PyTorch's message.
    - Factories, cat, pad, repeat, flip and roll are pointwise.

    Everything else becomes a `loop.extern` with a reason (remark `no-kernel`).

    Before:

    ```mlir
    %t = aten.t(%w) : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %r = aten.exp(%t) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```

    After:

    ```mlir
    %r = loop.pointwise (%i, %j) in [4, 8] origins ["exp"] : tensor<4x8xf32> {
      %x = loop.load %w[%j, %i] : tensor<8x4xf32>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    ```
  }];
  let options = [
    Option<"checkIndices", "check-indices", "bool", "true",
           "Check that computed indices are in bounds, as eager does.">
  ];
  let dependentDialects = [
    "::kiln::loop::LoopDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect"
  ];
}

#endif // KILN_CONVERSION_ATENTOLOOP_PASSES
