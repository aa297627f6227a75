//===- SortPasses.td - Passes that sort, and on sorts ------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_SORTPASSES
#define KILN_DIALECT_LOOP_TRANSFORMS_SORTPASSES

include "mlir/Pass/PassBase.td"

def SortScattersPass : Pass<"loop-sort-scatters", "::mlir::func::FuncOp"> {
  let summary = "Sort the points of a scatter by where they write";
  let description = [{
    Where the order of a scatter counts, whoever looks after an element has to look at all
    points in turn. For a GPU such a scatter (one that atomic operations may not do, or floats
    that are added up with `deterministic` of the target) with at least `min-points` points,
    besides dimensions that are positions themselves, becomes three nests: where each point writes,
    as one number; a stable sort of the points by that; and the scatter, whose points are visited
    in that order and are `grouped`. Each element is joined with the same values in the same order as before.
    Points that write nothing are sorted behind all others.

    Where many floats of 16 bits are added up in each element, four and more, and atomic operations do that,
    as in the gradient of a table of few rows, they are added up in f32 and each sum is rounded once.

    Before:

    ```mlir
    %r = loop.scatter (%n, %d) in [4096, 64] into %x <add> : tensor<100x64xf32> {
      %i = loop.load %index[%n] : tensor<4096xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %edges[%n, %d] : tensor<4096x64xf32>
      loop.yield_at %v at [%p, %d] : f32
    }
    ```

    After:

    ```mlir
    %k = loop.pointwise (%n) in [4096] : tensor<4096xi32> {
      %i = loop.load %index[%n] : tensor<4096xi64>
      ...
    }
    %o = loop.sort parallel () in [] along (%n) in [4096] at 0 : tensor<4096xi64> {
      %i = loop.load %k[%n] : tensor<4096xi32>
      loop.yield %i : i32
    }
    %r = loop.scatter (%m, %d) in [4096, 64] grouped into %x <add> : tensor<100x64xf32> {
      %s = loop.load %o[%m] : tensor<4096xi64>
      %n = arith.index_cast %s : i64 to index
      %i = loop.load %index[%n] : tensor<4096xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %edges[%n, %d] : tensor<4096x64xf32>
      loop.yield_at %v at [%p, %d] : f32
    }
    ```

    Reports `sorted` (passed).
  }];
  let options = [
    Option<"minPoints", "min-points", "::kiln::PositiveCount", "512",
           "The fewest points that are sorted rather than looked at by all threads.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect",
                           "::mlir::arith::ArithDialect"];
}

def SplitSortsPass : Pass<"loop-split-sorts", "::mlir::func::FuncOp"> {
  let summary = "Sort few long rows in parts, and merge these";
  let description = [{
    A block of a GPU sorts a row. A sort of all elements of fewer rows than the target has multiprocessors,
    each of a known number of elements that is twice `part` at least, becomes a sort of parts
    of `part` elements, the last of which is filled up, and nests that merge runs two by two: each
    element of what they give looks, by halving, for the number of elements before it that are of the first run.
    Keys are stored, and brought into the order of each step, so that these elements are read beside each other.

    Before:

    ```mlir
    %o = loop.sort parallel () in [] along (%n) in [16384] at 0 : tensor<16384xi64> {
      %k = loop.load %keys[%n] : tensor<16384xi32>
      loop.yield %k : i32
    }
    ```

    After:

    ```mlir
    %p = loop.sort parallel (%i) in [2] along (%j) in [8192] at 1 : tensor<2x8192xi64> {
      %n = loop.index (%i * 8192 + %j)
      %k = loop.load %keys[%n] : tensor<16384xi32>
      loop.yield %k : i32
    }
    %q = loop.pointwise (%i) in [16384] : tensor<16384xi32> { ... place of element i of the parts }
    %s = loop.pointwise (%i) in [16384] : tensor<16384xi32> { ... keys[q[i]] }
    %m = loop.pointwise (%i) in [16384] : tensor<16384xi32> { ... place in %s of element i }
    %o = loop.pointwise (%i) in [16384] : tensor<16384xi64> { ... q[m[i]] }
    ```

    Reports `split` (passed).
  }];
  let options = [
    Option<"part", "part", "::kiln::PositiveCount", "8192",
           "Elements that one block sorts.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect",
                           "::mlir::arith::ArithDialect"];
}

def SplitScansPass : Pass<"loop-split-scans", "::mlir::func::FuncOp"> {
  let summary = "Scan few long rows in parts, and carry what is before each";
  let description = [{
    A block of a GPU walks a row. A scan of at most half as many rows as the target has multiprocessors, each of
    eight times `part` elements at least (by the hints, where sizes are not known), becomes three nests: a scan of
    parts, which are as many as keep the GPU busy; a scan of their last elements; and a nest that joins each element
    with what is before its part, which takes in what reads it. All kinds allow it, and so does a combiner, which is
    associative. Accumulators are stored between the nests as they are, but those of f64 for results of f32 as f32.
    Which values are joined follows from sizes alone, so the same input gives the same bits.

    Before:

    ```mlir
    %s = loop.scan parallel () in [] along (%n) in [1048576] at 0 <sum> : tensor<1048576xf32> {
      %x = loop.load %t[%n] : tensor<1048576xf32>
      loop.yield %x : f32
    }
    ```

    After:

    ```mlir
    %p = loop.scan parallel (%i) in [512] along (%j) in [2048] at 1 <sum> : tensor<512x2048xf32> {
      %n = loop.index (%i * 2048 + %j)
      %x = loop.load %t[%n] : tensor<1048576xf32>
      loop.yield %x : f32
    }
    %b = loop.scan parallel () in [] along (%i) in [512] at 0 <sum> : tensor<512xf32> { ... p[i, 2047] }
    %s = loop.pointwise (%n) in [1048576] : tensor<1048576xf32> {
      ... p[n / 2048, n mod 2048], from element 2048 on b[n / 2048 - 1] + that
    }
    ```

    Reports `split` (passed).
  }];
  let options = [
    Option<"part", "part", "::kiln::PositiveCount", "2048",
           "The fewest elements of a part.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // KILN_DIALECT_LOOP_TRANSFORMS_SORTPASSES
