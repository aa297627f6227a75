//===- LayoutPasses.td - How tensors lie in memory ---------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_LAYOUTPASSES_TD
#define KILN_DIALECT_LOOP_TRANSFORMS_LAYOUTPASSES_TD

include "mlir/Pass/PassBase.td"

def SaveAsReadPass : Pass<"loop-save-as-read", "::mlir::ModuleOp"> {
  let summary = "Save the copy of a tensor that is made anyway";
  let description = [{
    Assumes functions of loop nests. On a GPU, where one function saves a tensor for another
    (`loop.carried`: a forward for its backward) and itself only copies it, with each element
    once and at least 32 bytes of neighbours side by side, for a contraction that could not
    walk the tensor in regular steps, the copy is saved instead. So the result of attention is
    made as rows of tokens, as the projection behind it and the gradient of that read it, and
    is not stored as heads as well. Who reads the saved tensor in regular steps must still be
    able to.

    Before:

    ```mlir
    func.func @forward(...) -> (..., tensor<8x4x64x64xbf16> {loop.carried = "a"}) {
      %h = loop.pointwise (%i, %j, %k, %l) in [8, 4, 64, 64] : tensor<8x4x64x64xbf16> {...}
      %t = loop.pointwise (%i, %j) in [512, 256] : tensor<512x256xbf16> {
        %x = loop.load %h[floordiv(%i, 64), floordiv(%j, 64), mod(%i, 64), mod(%j, 64)]
            : tensor<8x4x64x64xbf16>
        loop.yield %x : bf16
      }
      %y = loop.contract ... lhs %t[d0, d2] ...
      return ..., %h
    }
    func.func @backward(%h: tensor<8x4x64x64xbf16> {loop.carried = "a"}) {
      ... loop.load %h[%i, %j, %k, %l]
    }
    ```

    After:

    ```mlir
    func.func @forward(...) -> (..., tensor<8x64x4x64xbf16> {loop.carried = "a"}) {
      ...
      %t = loop.pointwise (%i, %k, %j, %l) in [8, 64, 4, 64] : tensor<8x64x4x64xbf16> {
        %x = loop.load %h[%i, %j, %k, %l] : tensor<8x4x64x64xbf16>
        loop.yield %x : bf16
      }
      %y = loop.contract ... lhs %t[floordiv(d0, 64), mod(d0, 64), floordiv(d2, 64), mod(d2, 64)] ...
      return ..., %t
    }
    func.func @backward(%t: tensor<8x64x4x64xbf16> {loop.carried = "a"}) {
      ... loop.load %t[%i, %k, %j, %l]
    }
    ```
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def ChooseLayoutPass : Pass<"loop-choose-layout", "::mlir::ModuleOp"> {
  let summary = "Store images with their channels last";
  let description = [{
    Assumes functions of loop nests. A contraction with windows (an operand of which an index is the sum of a place and a
    place in the window) is a product of matrices without gathers if its operands and its
    result have their channels innermost: the last dimension that no window walks. The
    results of pointwise nests, reductions and contractions that such a contraction reads
    or gives are stored in this order, and so are those that pointwise nests and
    reductions read or give at the same index, arguments with such strides among them. Of
    the sum of such a contraction the dimension of neighbours in memory becomes the
    innermost one.

    What an operator reads keeps its order, and so does what a function returns, unless that
    result has a `loop.order` attribute, which then says in which order the caller sees it,
    or is carried to an argument of another function (`loop.carried`, what a forward saves
    for its backward), which then has the same order, and what somebody reads by a reshape
    that would no longer walk it in regular steps. A returned result of factors of 16 bits (or
    of f32 that the target rounds to tf32) whose neighbours an operand walks in its channels,
    as the gradient of a weight, is made with its channels last if its sum has 64 terms and
    more, and copied to the order that the caller wants. An operand of such factors and at
    least 8 channels that keeps its order is copied if each of its elements is read 64 times
    and more: weights that an archive holds with their channels outside, and, in the gradient
    of an image, weights turned around, with what is summed up innermost. Fewer
    channels, and those that are no multiple of 8, are filled with zeros on the way. The gradient of
    a weight over fewer channels reads a copy of the image with zeros around it, in which channels,
    in twos, fours or eights, and the taps of a row of the window are one dimension, and so does a
    convolution where a row of its window then has a multiple of 8 elements.

    On a GPU the gradient of a weight by channels of their own becomes a reduction, whose columns are
    the channels if these are neighbours: each tap of a channel is a sum of products of elements,
    and there is no tile of which anything would be read more than once.

    Sums, maxima and minima over the places of an image with its channels last and over groups of
    channels become reductions of each channel, all of which are neighbours, and of these, where
    the channels of a group are less than 64 bytes: a group norm of 32 groups.

    On a processor the order is chosen for contractions of f32, of bf16 where it multiplies vectors of
    two at once, and of bytes where it multiplies four, that sum up 128 elements and more, and for those beside them: channels
    that are neighbours are read where they lie (`#loop.packed` with `in_place`), and fill vectors however small the image is.
    Operands of such a contraction that are read 16 times and more are copied, and so is a result that is returned: back,
    into the order that it has there. An image of bytes whose channels are no multiple of four keeps its order where the taps of a
    row are one: these are read together instead. A convolution of f32 or such bf16 over two to seven channels reads a copy
    with zeros around its image, in which they and the taps of a row of the window are one dimension, filled where a row is no
    whole number of words; a window's places are then runs of a row, and none is masked. Where rows are neighbours already and
    no padding parts them, as those of patches, there is no copy. The gradient of a weight that sums up an image with padding
    reads a copy with zeros around it, if each of its elements is read 16 times and more: no place of that sum is masked. Contractions with windows that keep their order walk taps as
    weights have them in memory, backwards in the image where that is needed. Where an image of 8
    channels and more has them last from the start, as the tokens of a transformer do, the result of a convolution by
    channels of their own follows, and so does the gradient of its weights. Such a gradient that sums up 128 products and more
    has its channels last wherever its operands have them, and reads copies of them: its taps are vectors of channels, where
    rows of an image end in parts of one. The gradient of the image reads the same copy.

    Where channels are in groups of four and more, on a processor, the groups are a dimension in front of the
    channels of one, and both are last; who counts all channels as one reads them by quotient and remainder. Narrower
    groups keep their order: if they are one convolution in five at most they read a copy of
    their image as it was, else all keep theirs. A result that reads rows of such an image at computed
    positions, or where only some are there, as of one that is resized or lies between others, has its channels
    last, too, and is copied where it is returned.

    Before:

    ```mlir
    %c = loop.contract parallel [2, 8, 5, 5] reduction [16, 3, 3]
        lhs %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x7x7xbf16>
        rhs %w[d1, d4, d5, d6] : tensor<8x16x3x3xbf16>
        acc f32 : tensor<2x8x5x5xbf16>
    ```

    After:

    ```mlir
    %c = loop.contract parallel [2, 5, 5, 8] reduction [3, 3, 16]
        lhs %x[d0, d1 + d4, d2 + d5, d6] : tensor<2x7x7x16xbf16>
        rhs %w[d3, d6, d4, d5] : tensor<8x16x3x3xbf16>
        acc f32 : tensor<2x5x5x8xbf16>
    ```

    Reports `groups-apart` and `taps-apart` (missed, with the reason).
  }];
  let options = [
    Option<"joinsGroups", "join-groups", "bool", "true",
           "Without it channels of narrow groups stay dimensions of their own.">,
    Option<"joinsTaps", "join-taps", "bool", "true",
           "Without it few channels and the taps of a window's rows do.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def PadRowsPass : Pass<"loop-pad-rows", "::mlir::ModuleOp"> {
  let summary = "Let rows of a tensor begin where a GPU reads vectors";
  let description = [{
    Assumes fused kernels. On a GPU with warpgroups (sm_90a), a tensor of 1 MiB and more whose
    rows are no multiple of 16 bytes, as 50,257 logits, gets longer rows, of multiples of 32
    bytes, and of whole lines of 128 where rows are long. What is behind their elements is not defined, and nobody
    reads it. Who makes the tensor stores vectors, who walks its rows reads them, and products
    need no copy for the copy engine (`loop-pack-operands`).

    This is done where a product makes the tensor, or a kernel that walks each row for itself,
    with a reduction of it; where only products, whose factor it may be in boxes, and such
    kernels read it; and where one of the products is one of matrix units. The tensor may be
    saved for another function (`loop.carried`), which then reads it so, too.

    Before:

    ```mlir
    %l = loop.kernel @logits ins(...) shared [4096, 50257] -> tensor<4096x50257xbf16> {
      %c = loop.contract parallel [4096, 50257] reduction [768] ... : tensor<4096x50257xbf16>
      loop.return %c : tensor<4096x50257xbf16>
    }
    %s = loop.kernel @sums ins(%a = %l : tensor<4096x50257xbf16>) shared [4096] ...
    ```

    After:

    ```mlir
    %l = loop.kernel @logits ins(...) shared [4096, 50257] -> tensor<4096x50304xbf16> {
      %c = loop.contract parallel [4096, 50257] reduction [768] ... : tensor<4096x50257xbf16>
      loop.return %c : tensor<4096x50257xbf16>
    }
    %s = loop.kernel @sums ins(%a = %l : tensor<4096x50304xbf16>) shared [4096] ...
    ```
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def PlacePartsPass : Pass<"loop-place-parts", "::mlir::func::FuncOp"> {
  let summary = "Let kernels store parts of a concatenation where it has them";
  let description = [{
    Assumes fused kernels in their order, without schedules. On a GPU, a kernel that does
    nothing but to put tensors behind each other goes away: those that make the tensors store
    them in its result, which `loop.assemble` gives. So may anything that copies all of a
    tensor, in any order of its dimensions that keeps neighbours, into a range of indices of a
    known size, as a slice that is written.

    A part is what a pointwise nest or a contraction makes, for kernels alone; who else reads
    it does so by steps as regular as before. Its place, its strides and its rows are
    multiples of 16 bytes, so that vectors and the copy engine do as before. Other tensors (of the caller,
    of operators, or those that are part of something already) are copied into their place by a
    kernel each, if what the others save is worth the launches.

    Before:

    ```mlir
    %q = loop.kernel @queries ... -> tensor<8x512x64xbf16> { ... }
    %k = loop.kernel @keys ... -> tensor<8x512x64xbf16> { ... }
    %r = loop.kernel @cat ins(%a = %q : tensor<8x512x64xbf16>, %b = %k : tensor<8x512x64xbf16>)
        shared [512, 1024] -> tensor<512x1024xbf16> {
      %p = loop.pointwise (%i, %j) in [512, 1024] : tensor<512x1024xbf16> {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[floordiv(%j, 64), %i, mod(%j, 64)] mask %0, %zero : tensor<8x512x64xbf16>
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %b[floordiv(%j, 64) - 8, %i, mod(%j, 64)] mask %2, %zero : tensor<8x512x64xbf16>
        %4 = arith.select %2, %3, %1 : bf16
        loop.yield %4 : bf16
      }
      loop.return %p : tensor<512x1024xbf16>
    }
    ```

    After:

    ```mlir
    %q = loop.kernel @queries ... -> tensor<8x512x64xbf16> {
      ...
      loop.return %0 : tensor<8x512x64xbf16> strides [#guard.shape<[64, 1024, 1]>]
    }
    %k = loop.kernel @keys ... -> tensor<8x512x64xbf16> {
      ...
      loop.return %0 : tensor<8x512x64xbf16> strides [#guard.shape<[64, 1024, 1]>]
    }
    %r = loop.assemble(%q, %k) offsets [0, 512]
        strides [#guard.shape<[64, 1024, 1]>, #guard.shape<[64, 1024, 1]>]
        : (tensor<8x512x64xbf16>, tensor<8x512x64xbf16>) -> tensor<512x1024xbf16>
    ```
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def RoundFactorsPass : Pass<"loop-round-factors", "::mlir::func::FuncOp"> {
  let summary = "Round factors to tf32 as they are made";
  let description = [{
    Assumes schedules. Warpgroups of a GPU cut off what tf32 does not have of f32. The copy engine
    rounds what it brings; threads that bring windows of an image, each element several times,
    would read again what they have copied and write it back rounded. Where all who read a tensor
    are products that round it, and a pointwise nest or the epilogue of a contraction makes it, it
    is rounded there, once. To round a number of tf32 changes nothing, so who reads it otherwise
    has the same values.

    Before:

    ```mlir
    %i = loop.kernel @turned ins(%x = ...) shared [32, 56, 56, 128] ... {
      %p = loop.pointwise (%n, %h, %w, %c) in [32, 56, 56, 128] : tensor<32x56x56x128xf32> {
        %e = loop.load %x[%n, %c, %h, %w] : tensor<32x128x56x56xf32>
        loop.yield %e : f32
      }
      ...
    %c = loop.contract parallel [32, 128, 56, 56] reduction [3, 3, 128]
        lhs %i[d0, d2 + d4 - 1, d3 + d5 - 1, d6] ... attributes {loop.tf32 = true}
    ```

    After:

    ```mlir
        loop.yield %rounded : f32 // away from 0 where two are as near; a NaN stays one
    ...
        lhs %i[...] ... attributes {loop.rounded = array<i64: 0>, loop.tf32 = true}
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PackOperandsPass : Pass<"loop-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Lay operands of products out as a GPU's copy engine takes them";
  let description = [{
    Warpgroups (sm_90a) multiply what the copy engine brings: operands as they lie in
    memory, whose rows begin at multiples of 16 bytes, f32 along the sum. Where one of a
    large product is not so, a kernel before it copies it, with rows that are
    multiples of 32 bytes (long ones of 128), which caches are quicker to bring, or with what
    its prologue makes of it; their last elements are not read.
    That gains where the product takes longer without it than the copies do, by the
    estimates of GPUSchedules.h.

    On any GPU a matrix of f32 that products of few rows read across their sum, as those of the
    steps of a recurrence's backward do, is turned once for all of them, where threads that
    share sums then gain more than the copy takes.

    On any GPU, too, a product of few rows reads weights of bytes as they lie, and a kernel that
    would have made floats of them becomes its prologue: these would be written and read again,
    five bytes for each. Matrices of many rows are multiplied as floats instead, by the same
    estimates.

    Before, for bf16:

    ```mlir
    %c = loop.contract parallel [1999, 2003] reduction [2005]
        lhs %a[d0, d2] : tensor<1999x2005xbf16> ...
    ```

    After:

    ```mlir
    %p = loop.pointwise (%i, %j) in [1999, 2048] : tensor<1999x2048xbf16> {
      %m = arith.cmpi slt, %j, %c2005 : index
      %x = loop.load %a[%i, %j] mask %m, %zero : tensor<1999x2005xbf16>
      loop.yield %x : bf16
    }
    ...
    %c = loop.contract parallel [1999, 2003] reduction [2005]
        lhs %b[d0, d2] : tensor<1999x2048xbf16> ...
    ```

    Stays as it is where an operand has a mask, or would have its elements several
    times, as windows of images do.
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect",
                           "::mlir::arith::ArithDialect"];
}

def PackWeightsPass : Pass<"loop-pack-weights", "::mlir::func::FuncOp"> {
  let summary = "Have the panels of weights made before products";
  let description = [{
    A product of the schedule `packed` or `blocks` copies the operand with its columns
    into panels as it multiplies, for each tile of rows again. Where that operand is a
    weight that no call changes (`loop.frozen`), of known sizes, which the
    kernel reads nowhere else, the contraction is marked `loop.packed_ahead`:
    `convert-loop-to-scf` then makes a kernel of its own for the panels, in the very
    layout, and `program-hoist-preparation` has it run once.

    A product of few rows, which was given a schedule that reads B where it lies
    (`skinny_rows`, `skinny_columns`), becomes `packed` if its weight is such a one and its
    panels are at most a quarter larger: it takes as long as B is read, and panels
    are read in order, each factor of A for many columns.

    Panels take memory: they are padded to whole panels, and bf16 may become f32. What
    they take beside the weights that nothing else reads (or a few elements of, as an
    embedding does) is at most `limit`, in the order of the program; equal ones, as of the steps of a recurrence, count once. Reports `packed-ahead` (passed) and `not-packed-ahead` (missed) with
    what the panels of a kernel take beside its weight.

    Before:

    ```mlir
    %c = loop.contract parallel [d0, d1] in [64, 512] reduction [d2] in [256]
        lhs %x[d0, d2] : tensor<64x256xf32> rhs %w[d1, d2] : tensor<512x256xf32> ...
    ```

    After:

    ```mlir
    %c = loop.contract parallel [d0, d1] in [64, 512] reduction [d2] in [256]
        lhs %x[d0, d2] : tensor<64x256xf32> rhs %w[d1, d2] : tensor<512x256xf32>
        ... {loop.packed_ahead}
    ```
  }];
  let options = [
    Option<"limit", "limit", "::kiln::PreparedBytes", "67108864",
           "Bytes that panels may take beside the weights that nothing else reads.">
  ];
}

#endif // KILN_DIALECT_LOOP_TRANSFORMS_LAYOUTPASSES_TD
