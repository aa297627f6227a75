//===- RowPasses.td - Passes on rows and columns ----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_ROWPASSES
#define KILN_DIALECT_LOOP_TRANSFORMS_ROWPASSES

include "mlir/Pass/PassBase.td"

def SplitGroupsPass : Pass<"loop-split-groups", "::mlir::func::FuncOp"> {
  let summary = "Give what reads sums of groups the groups as a dimension";
  let description = [{
    Nests become one kernel by the extents that they begin with. A group norm has sums for each group of channels, and
    a nest over channels that reads them. For a GPU a pointwise nest that reads such a sum at `floordiv` of a
    dimension by a constant, and has as many elements for each group as the sum has terms, gets the groups as a dimension of its own,
    and a copy that gives the result its sizes; emission needs no kernel for that. A nest whose result another one but a contraction reads
    stays as it is, since the copy would be between them.

    Before:

    ```mlir
    %r = loop.pointwise (%n, %c, %p) in [16, 320, 4096] : tensor<16x320x4096xf32> {
      %m = loop.load %mean[%n, floordiv(%c, 10)] : tensor<16x32xf32>
      %x = loop.load %a[%n, %c, %p] : tensor<16x320x4096xf32>
      ...
    ```

    After:

    ```mlir
    %s = loop.pointwise (%n, %g, %c, %p) in [16, 32, 10, 4096] : tensor<16x32x10x4096xf32> {
      %m = loop.load %mean[%n, %g] : tensor<16x32xf32>
      %x = loop.load %a[%n, %g * 10 + %c, %p] : tensor<16x320x4096xf32>
      ...
    %r = loop.pointwise (%n, %c, %p) in [16, 320, 4096] : tensor<16x320x4096xf32> {
      %x = loop.load %s[%n, floordiv(%c, 10), mod(%c, 10), %p] : tensor<16x32x10x4096xf32>
      loop.yield %x : f32
    }
    ```

    Reports `split` (passed).
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def FuseColumnsPass : Pass<"loop-fuse-columns", "::mlir::func::FuncOp"> {
  let summary = "Sum up columns where their rows are";
  let description = [{
    The backward of a norm, or of a layer with a bias, needs sums along each row and
    sums over all rows, of the same tensors. The first kind is a kernel over rows, the
    second one over columns, which reads everything once more. Here such a sum becomes
    sums over parts of the rows (`RowParts.h`) in the kernel of the rows, and what is
    left of its own kernel adds up the parts.

    Before:

    ```mlir
    %r:2 = loop.kernel @rows ins(%a = %x : tensor<8192x768xf32>, ...) shared [8192] ...
    %s = loop.kernel @columns ins(%a = %x, %m = %r#0 : tensor<8192xf32>) shared [768] {
      %s = loop.reduce parallel (%j) in [768] reduction (%i) in [8192] <sum> ...
    ```

    After:

    ```mlir
    %r:2 = loop.kernel @rows ins(%a = %x : tensor<8192x768xf32>, ...) shared [8192] {
      ...
      %p = loop.reduce parallel (%p, %j) in [64, 768] reduction (%b) in [128] <sum> ...
    %s = loop.kernel @columns ins(%a = %r#1 : tensor<64x768xf32>) shared [768] {
      %s = loop.reduce parallel (%j) in [768] reduction (%p) in [64] <sum> ...
    ```

    A kernel that is pointwise over rows and columns is turned into one over rows. A sum
    joins the kernel with which it shares most bytes, at least `min-bytes`; it stays
    where it is if it reads another row than its own of what that kernel makes, needs
    what comes later, has fewer than `min-columns` columns, or where no part has 2 to `max-rows` rows and
    leaves `min-parts` parts. How rows are cut follows from sizes alone, so that sums do
    not depend on the number of threads.

    On a GPU a block has a part, and there are about as many as run together: two or more on
    each multiprocessor, where threads have registers for the columns that they sum up and
    for the next row, else sums stay where they are. It must read along its rows already. Where
    warps have rows of their own, because these are short, a block walks eight or more at a time; of
    longer ones what both read must be more than the last cache holds. Sums over as many rows in
    other dimensions walk those of the kernel. Reports `fused` (passed) and `not-fused` (missed, with
    the reason).
  }];
  let options = [
    Option<"minBytes", "min-bytes", "::kiln::ByteCount", "1048576",
           "The fewest bytes that are not read again.">,
    Option<"minColumns", "min-columns", "::kiln::PositiveCount", "64",
           "The fewest columns: rows are walked one by one.">,
    Option<"maxRows", "max-rows", "::kiln::PositiveCount", "128",
           "The most rows of a part.">,
    Option<"minParts", "min-parts", "::kiln::PositiveCount", "16",
           "The fewest parts, if their number is known.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def FuseResultsPass : Pass<"loop-fuse-results", "::mlir::func::FuncOp"> {
  let summary = "Finish what reads a product where its tiles are";
  let description = [{
    On a GPU. Assumes schedules. In training what a product or a convolution makes is often read by
    the backward, and at once by a function of its elements, as GELU between two layers is: then
    that is no epilogue, which would leave the product's own elements nowhere. Here the reader's
    nests follow the product in its kernel (`kiln/Analysis/Followers.h`): threads have its elements
    at hand, rounded as they are stored, and nobody reads them again for it.

    Before:

    ```mlir
    %h = loop.kernel @product ... schedule #loop.gpu_product<...> -> tensor<4096x3072xbf16>
    %g = loop.kernel @gelu ins(%a = %h) shared [8, 512, 3072] schedule #loop.gpu_across<...> {
      %g = loop.pointwise (%i, %j, %k) in [8, 512, 3072] { ... %a[%i * 512 + %j, %k] ...
    ```

    After:

    ```mlir
    %h:2 = loop.kernel @product ... shared [] -> tensor<4096x3072xbf16>, tensor<8x512x3072xbf16> {
      %c = loop.contract parallel [4096, 3072] ...
      %g = loop.pointwise (%i, %j, %k) in [8, 512, 3072] { ... %c[%i * 512 + %j, %k] ...
      loop.return %c, %g
    ```

    All nests of a reader follow, or none: pointwise ones over the elements of the product in their
    order, that read of it the element at their point, and other tensors at known positions along
    rows. What nobody else reads of the product is not stored. The kernel stands where the product
    did, or where the reader did if that reads what is made in between; of two products it follows
    the later one. It stays a kernel where the estimate of tiles (`GPUSchedules.h`), for the best
    tile with it and without it, says that finishing them would take longer than it does. A
    schedule that was chosen is chosen again, one that was given stays. Reports `fused` (passed)
    and `not-fused` (missed, with the reason).
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def FuseSumsPass : Pass<"loop-fuse-sums", "::mlir::func::FuncOp"> {
  let summary = "Sum up columns of a product where its tiles are";
  let description = [{
    On a GPU. Assumes schedules. What a product or a convolution makes is often read at once for
    sums of its columns: the statistics of a batch norm, the gradient of a bias. Here blocks of
    the product sum up the rows of their tiles (`kiln/Analysis/TileSums.h`), of what they have
    just rounded, and what is left of the sums' kernel adds up the tiles: by one function, which
    does what follows the sums, too.

    Before:

    ```mlir
    %y = loop.kernel @product ... schedule #loop.gpu_product<rows = 128, ...> -> tensor<4096x768xbf16>
    %s = loop.kernel @bias ins(%a = %y) shared [768] schedule #loop.gpu_parts<...> {
      %s = loop.reduce parallel (%j) in [768] reduction (%i) in [4096] <sum> ...
    ```

    After:

    ```mlir
    %y:2 = loop.kernel @product ... -> tensor<4096x768xbf16>, tensor<32x768xf32> {
      ...
      %p = loop.reduce parallel (%p, %j) in [32, 768] reduction (%r) in [128] <sum> ...
    %s = loop.kernel @bias ins(%a = %y#1) shared [768] schedule #loop.gpu_parts<parts = 1, ...> {
      %s = loop.reduce parallel (%j) in [768] reduction (%p) in [32] <sum> ...
    ```

    All sums of a kernel are taken, or none: each of a function of one product's result, element
    by element, and of what is the same for all rows. The result has 16 bits and at least
    `min-bytes`, as one matrix of known size, and its product is neither split nor a library's.
    Who else reads the result does so as before. Reports `fused` (passed) and `not-fused` (missed,
    with the reason).
  }];
  let options = [
    Option<"minBytes", "min-bytes", "::kiln::ByteCount", "1048576",
           "The fewest bytes that are not read again.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // KILN_DIALECT_LOOP_TRANSFORMS_ROWPASSES
