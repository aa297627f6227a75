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

def ConvertAtenToLoopPass : Pass<"convert-aten-to-loop", "::mlir::func::FuncOp"> {
  let summary = "Lower aten operators to loop nests";
  let description = [{
    Assumes functions of one block in core form, whose composite operators
    (softmax, layer norm, losses) are decomposed to sums, maxima and pointwise
    operators. Guarantees that no aten operator is left.

    - Views become index expressions of the loads that read through them. A
      view is copied only where it must exist in memory.
    - Pointwise operators take their bodies from their records. 16-bit floats are
      computed in f32 and rounded at the result of each operator.
    - Reductions: sum, prod, amax, amin, any, argmax, argmin, max.dim and min.dim.
    - Products: mm, bmm and addmm become `loop.contract` with the bias in
      the epilogue; convolutions that are not transposed, too.
    - Indexing: embedding, gather, index, index_select read indirectly; scatter,
      index_put and embedding_dense_backward are `loop.scatter`. Indices are
      clamped in the kernel, so that none leaves its tensor, and checked by an
      `aten._assert_async.msg` call, which ends the run with PyTorch's message.
    - Factories, cat, pad and flip are pointwise.

    Each op is asked for its nests by `LoopLoweringOpInterface`, which operators
    implement by an external model over their records. Every other aten operator, and
    one that refuses, becomes a `loop.extern` with a reason (remark `no-kernel`). An
    op of another dialect becomes nests if it implements the interface, or
    `LoopBodyOpInterface` if it works element by element; else it stays, with tensors
    in memory around it.

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
           "Check that computed indices are in bounds, as eager does.">,
    Option<"shortSpecials", "short-specials", "bool", "false",
           "Special functions of f32 (erfinv, lgamma) take the terms that f32 needs, "
           "not those of f64.">
  ];
  let dependentDialects = [
    "::kiln::loop::LoopDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect"
  ];
}

def OutlineAtenBodiesPass : Pass<"outline-aten-bodies", "::mlir::ModuleOp"> {
  let summary = "Make functions of the bodies of operators that run graphs";
  let description = [{
    Each `aten.cond`, `aten.while_loop`, `aten.scan` and `aten.map` becomes a
    `loop.invoke` of private functions, one a body, which every later pass treats
    like any function: they are fused, planned and emitted like the program
    itself. A symbol that a body uses and that no size of its arguments tells is
    passed as a number more. Inner operators come first. Changes nothing else.

    Before:

    ```mlir
    func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %r = aten.cond %p(%x) then {
      ^bb0(%t: tensor<4xf32>):
        %0 = aten.sin(%t) : (tensor<4xf32>) -> tensor<4xf32>
        aten.yield %0 : tensor<4xf32>
      } else { ... }
    ```

    After:

    ```mlir
    func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %r = loop.invoke branch [@main_cond_then, @main_cond_else](%p, %x)
          : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
      ...
    func.func private @main_cond_then(%t: tensor<4xf32>) -> tensor<4xf32> {
      %0 = aten.sin(%t) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect",
                           "::kiln::guard::GuardDialect"];
}

#endif // KILN_CONVERSION_ATENTOLOOP_PASSES
