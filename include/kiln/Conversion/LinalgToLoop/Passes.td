//===- Passes.td - From linalg to loop nests ---------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_LINALGTOLOOP_PASSES
#define KILN_CONVERSION_LINALGTOLOOP_PASSES

include "mlir/Pass/PassBase.td"

def ConvertLinalgToLoopPass
    : Pass<"convert-linalg-to-loop", "::mlir::func::FuncOp"> {
  let summary = "Rewrite linalg on tensors as loop nests";
  let description = [{
    The way into Kiln's fusion and kernels for compilers that have `linalg`. Each
    structured op on tensors, `linalg.generic` or named, becomes

    | linalg | loop |
    |---|---|
    | all iterators parallel | `loop.pointwise`, one a result |
    | sums of products of two operands | `loop.contract` |
    | another reduction: `addf`, `addi`, `mulf`, `muli`, `maximumf`, `minimumf`, `maxsi`, `minsi`, `andi`, `ori`, `xori` | `loop.reduce` |

    An operand may be read at any indices that are sums of the iterators with
    factors, `floordiv` and `mod`: transposed, broadcast, windows. A result must be
    written once for each point of the parallel iterators: its map is a permutation
    of them. Values that a reduction starts from are joined with the result, unless
    they are a fill with what changes nothing. A sum of floats begins at +0.0, so
    where all values and what they are added to are -0.0, it is +0.0. Values that are
    reduced are computed from inputs alone, not from what a result has so far.
    `andi`, `ori` and `xori` may be of any integers. `tensor.empty` goes; all other
    ops stay where they are.

    Assumes functions of one block. Guarantees that no op of `linalg` is left in
    it; fails with the op and the reason otherwise: buffers, sizes without names
    (a dynamic dimension wants a `#guard.shape`), other combiners, bodies of ops
    that are not of `arith` or `math`.

    `kiln-fuse` is what comes next.

    Before:

    ```mlir
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %y = math.exp %a : f32
      linalg.yield %y : f32
    } -> tensor<4x8xf32>
    ```

    After:

    ```mlir
    %r = loop.pointwise (%i, %j) in [4, 8] origins ["generic"] : tensor<4x8xf32> {
      %a = loop.load %x[%j, %i] : tensor<8x4xf32>
      %y = math.exp %a : f32
      loop.yield %y : f32
    }
    ```
  }];
  let dependentDialects = [
    "::kiln::loop::LoopDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect"
  ];
}

#endif // KILN_CONVERSION_LINALGTOLOOP_PASSES
