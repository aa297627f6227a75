//===- LoopSchedules.td - How kernels are emitted ----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One attribute for each way of emitting a kernel:
//
//   kernels                                   schedule
//   pointwise, reduced over other dimensions  #loop.across
//   rows: reductions, scans, sorts            #loop.within
//   pointwise, read across memory             #loop.transpose
//   scatters                                  #loop.scatter
//   contractions, convolutions                #loop.packed, #loop.skinny_rows,
//                                             #loop.skinny_columns
//   rows between contractions                 #loop.blocks
//
// A contraction may also be emitted `across` or `within`, as a reduction of
// products. Throughout:
//
//   lanes   elements of a vector, a power of two from 1 (scalar code) to 128
//   masked  what is left of a row after whole vectors is one more vector with a
//           mask, and every second element is read as a vector with a mask,
//           except in code that may trap; otherwise they are single elements
//   grain   work items that are worth handing to a thread, 1 to 10^9
//   stream  results of the kernel whose whole lines are written past the caches,
//           which would not keep them until they are read; none if it is not said.
//           Those of pointwise nests are, where their elements lie beside each other
//           along the lanes, a vector of them is a line at least, and rows are not
//           known to be short and to share lines; others are written as ever
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPSCHEDULES
#define KILN_DIALECT_LOOP_IR_LOOPSCHEDULES

include "kiln/Dialect/Loop/IR/LoopDialect.td"
include "kiln/Dialect/Loop/IR/LoopScheduleInterface.td"

class Loop_Schedule<string name, string attrMnemonic>
    : Loop_Attr<name, attrMnemonic, [Loop_ScheduleAttr]> {
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::llvm::LogicalResult verifyKernel(::mlir::Operation *kernel) const;
  }];
}

def Loop_AcrossScheduleAttr : Loop_Schedule<"AcrossSchedule", "across"> {
  let summary = "Vectors along the last shared dimension";
  let description = [{
    Lanes are neighbours in the last shared dimension (after those were joined
    that every access walks as one); all other dimensions, reduced ones too, are
    walked one after the other. A work item is `chunk` elements of that dimension
    at one point of the others. Sums of floats are added up in blocks of
    `sum_block` terms, with 0 in one piece.

    With `points`, an item has so many neighbours in the dimension before that one, and
    their reductions go step by step together: what they read of a window that
    neighbours share, and factors that are the same for all, is loaded once.

    Constraints:
    - (C1) `lanes` is a power of two from 1 to 128.
    - (C2) `chunk` is from 1 to 10^9, `sum_block` from 0 to 10^9.
    - (C3) `grain` is from 1 to 10^9.
    - (C4) the kernel has a shared dimension, no scatter and no sort, and what
      stays inside of it is one value per point of the shared domain.
    - (C5) `stream` are numbers of results, each greater than the one before.
    - (C6) `points` is from 1 to 16, and 1 where results are streamed.

    Example: `#loop.across<lanes = 16, chunk = 4096, sum_block = 128,
    masked = true, grain = 4, stream = [0]>`
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$chunk,
                        "int64_t":$sum_block, "bool":$masked,
                        "int64_t":$grain,
                        DefaultValuedParameter<"int64_t", "1">:$points,
                        OptionalArrayRefParameter<"int64_t">:$stream);
  let assemblyFormat = [{
    `<` struct($lanes, $chunk, $sum_block, $masked, $grain, $points,
               custom<Lanes>($stream)) `>`
  }];
}

def Loop_WithinScheduleAttr : Loop_Schedule<"WithinSchedule", "within"> {
  let summary = "Vectors along the rows of each nest";
  let description = [{
    A work item is one point of the shared domain, or all points of a part, one after
    the other, where nests sum up parts of the kernel's rows. These nests add each row
    to their result, in memory. Each nest has lanes of its own, in the order of the body:

    - `along[k]` lanes are neighbours in the innermost dimension of nest k that is
      not shared: the reduced one of a reduction, whose lanes are then combined in
      a tree, or the row of a scan, whose lanes are joined with those 1, 2, 4, ...
      before them and with what came before the vector.
    - `beside[k]` lanes are rows of a reduction that lie side by side, neighbours in
      its innermost own parallel dimension.

    Sums of floats over dimensions that no lanes run along are added up in blocks
    of `sum_block` terms, with 0 in one piece. Sorts, and scans of one lane, walk
    their rows one element after the other.

    Constraints:
    - (C1) all lanes are powers of two from 1 to 128.
    - (C2) `sum_block` is from 0 to 10^9.
    - (C3) `grain` is from 1 to 10^9.
    - (C4) both lists have an entry for each nest, of which one is 1; both are 1 for
      sorts and for scans with a region that combines, `along` is 1 for sums over parts
      of the rows, and `beside` is 1 for all but reductions that have a parallel
      dimension of their own.
    - (C5) the kernel has no scatter.
    - (C6) `stream` are numbers of results, each greater than the one before.

    Example: `#loop.within<along = [32, 16, 1], beside = [1, 1, 16],
    sum_block = 128, masked = true, grain = 40>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$along,
                        ArrayRefParameter<"int64_t">:$beside,
                        "int64_t":$sum_block, "bool":$masked,
                        "int64_t":$grain,
                        OptionalArrayRefParameter<"int64_t">:$stream);
  let assemblyFormat = [{
    `<` struct(custom<Lanes>($along), custom<Lanes>($beside), $sum_block,
               $masked, $grain)
        (`,` `stream` `=` custom<Lanes>($stream)^)? `>`
  }];
}

def Loop_TransposeScheduleAttr
    : Loop_Schedule<"TransposeSchedule", "transpose"> {
  let summary = "Square tiles, transposed in registers";
  let description = [{
    Lanes are neighbours in the last shared dimension. What is contiguous along
    dimension `dim` instead is read in tiles of `lanes` times `lanes` elements,
    transposed in registers and put into scratch memory. A work item is a block of
    `block` times `block` elements, so that lines of both sides are used whole.

    Constraints:
    - (C1) `lanes` is a power of two from 4 to 64.
    - (C2) `block` is a multiple of `lanes`, at most 4096.
    - (C3) `grain` is from 1 to 10^9.
    - (C4) all nests are pointwise over the shared domain and cannot trap, and `dim`
      is one of its dimensions before the last. That some tensor is contiguous
      along `dim` is checked where it is emitted.
    - (C5) `stream` are numbers of results, each greater than the one before.

    Example: `#loop.transpose<dim = 0, lanes = 16, block = 64, grain = 4,
    stream = [0]>`
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$lanes, "int64_t":$block,
                        "int64_t":$grain,
                        OptionalArrayRefParameter<"int64_t">:$stream);
  let assemblyFormat = [{
    `<` struct($dim, $lanes, $block, $grain)
        (`,` `stream` `=` custom<Lanes>($stream)^)? `>`
  }];
}

def Loop_ScatterScheduleAttr : Loop_Schedule<"ScatterSchedule", "scatter"> {
  let summary = "A copy, then points in order";
  let description = [{
    The initial values are copied in vectors of `lanes`, unless the result lies where
    they do; the points of the domain are visited one after the other, or in such
    vectors along the last dimension where these go to neighbouring elements of one
    row. A work item is a point of the independent dimensions: those that the scatter says,
    and the first ones whose index is that of the same dimension of the result.

    With `columns` an item has so many elements of each row, at one of these points: it
    visits all others of the domain, but of its own columns alone. Items that follow
    each other are walked as one.

    Constraints:
    - (C1) `lanes` is a power of two from 1 to 128.
    - (C2) `grain` is from 1 to 10^9.
    - (C3) the kernel is a scatter.
    - (C4) `columns` is 0, all of a row, or a multiple of `lanes` up to 10^9.
    - (C5) with `columns` the last dimension of the domain is not an independent one,
      and its points go to the column of their own index.

    Example: `#loop.scatter<lanes = 16, masked = true, grain = 1, columns = 64>`
  }];
  let parameters = (ins "int64_t":$lanes, "bool":$masked, "int64_t":$grain,
                        DefaultValuedParameter<"int64_t", "0">:$columns);
}

def Loop_PackedScheduleAttr : Loop_Schedule<"PackedSchedule", "packed"> {
  let summary = "A matrix product of packed panels";
  let description = [{
    Of the product of A, rows times depth, and B, depth times columns, a work item is
    `item_rows` times `item_columns` elements. Of A `block_rows` times `block_depth`
    elements are packed at a time, of B as many columns as the item has. The kernel
    in the middle keeps `tile_rows` times `tile_columns` sums in registers and takes
    `unroll` steps of the depth at a time.

    `unit` says what multiplies. Other than with `fma`, neighbours along the depth
    are a word of a panel, and a step is a word. Of two bf16 `pairs` multiplies
    vectors of words (`vdpbf16ps`), `tiles` registers of 16 by 16 words
    (`tdpbf16ps`); of four bytes, unsigned ones of one operand and signed ones of the
    other, `quads` multiplies vectors of words (`vpdpbusd`) and sums are i32.

    If `in_place`, A is not packed: neighbours along the innermost dimensions of the
    depth, which no mask leaves out in part, are broadcast from where they lie. Where
    they begin for each row is written down for a block of rows, and what a mask leaves
    out is read from zeros: the windows of an image with its channels last.

    Constraints:
    - (C1) `lanes` is a power of two from 2 to 64.
    - (C2) `tile_columns` is a multiple of `lanes`, and a tile is at most 128
      vectors, at most 64 rows.
    - (C3) `unroll` divides `lanes` and is at most 8.
    - (C4) `block_rows` and `item_rows` are multiples of `tile_rows`, `item_columns`
      of `tile_columns`, `block_depth` of `lanes`, all at most 2^20.
    - (C5) block and item together need scratch memory for at most 2^27 elements.
    - (C6) `grain` is from 1 to 10^9.
    - (C7) the kernel is a contraction that accumulates in f32, f64 or i32.
    - (C8) with another unit than `fma` there are 16 lanes, masked, and
      `block_depth` is a multiple of 32, with `quads` of 64. That factors are bf16
      or bytes is checked where it is emitted.
    - (C9) with `tiles` `tile_rows` and `tile_columns` are multiples of 16, whose
      sums and factors fit into 8 registers: 16 by 16, 32 or 48, 32 by 16 or 32,
      or 48 by 16.
    - (C10) `in_place` is not for `tiles`; runs of bf16 and of bytes are whole words.
      That A has such neighbours, of which a block's depth has whole runs or a whole part
      of one, is checked where it is emitted.

    Example: `#loop.packed<lanes = 16, tile_rows = 12, tile_columns = 32,
    block_rows = 120, block_depth = 1024, item_rows = 960, item_columns = 256,
    unroll = 4, masked = true, grain = 1>`
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$tile_rows,
                        "int64_t":$tile_columns, "int64_t":$block_rows,
                        "int64_t":$block_depth, "int64_t":$item_rows,
                        "int64_t":$item_columns, "int64_t":$unroll,
                        "bool":$masked, "int64_t":$grain,
                        Loop_DotUnitParameter:$unit,
                        DefaultValuedParameter<"bool", "false">:$in_place);
}

def Loop_SkinnyRowsScheduleAttr
    : Loop_Schedule<"SkinnyRowsSchedule", "skinny_rows"> {
  let summary = "A product of few rows that streams rows of B";
  let description = [{
    `unroll` rows of B at a time are read as streams and added to sums in scratch
    memory. A work item is `item_columns` columns.

    Constraints:
    - (C1) `lanes` is a power of two from 2 to 64.
    - (C2) `item_columns` is a multiple of `lanes`, at most 2^20.
    - (C3) `unroll` is from 1 to 16.
    - (C4) `grain` is from 1 to 10^9.
    - (C5) the kernel is a contraction that accumulates in f32, f64 or i32. That it has
      1 to 32 rows and neighbours along the rows of B and of the result is checked
      where it is emitted.

    Example: `#loop.skinny_rows<lanes = 16, item_columns = 512, unroll = 8,
    masked = true, grain = 1>`
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$item_columns,
                        "int64_t":$unroll, "bool":$masked, "int64_t":$grain);
}

def Loop_SkinnyColumnsScheduleAttr
    : Loop_Schedule<"SkinnyColumnsSchedule", "skinny_columns"> {
  let summary = "A product of few rows by inner products along columns of B";
  let description = [{
    Lanes run along the depth; `columns` columns at a time keep their sums in
    registers. A work item is `item_columns` columns.

    Constraints:
    - (C1) `lanes` is a power of two from 2 to 64.
    - (C2) `item_columns` is from 1 to 2^20.
    - (C3) `columns` is from 1 to 16.
    - (C4) `grain` is from 1 to 10^9.
    - (C5) the kernel is a contraction that accumulates in f32, f64 or i32. That it has
      at most 32 rows and neighbours along the rows of A and the columns of B is
      checked where it is emitted.

    Example: `#loop.skinny_columns<lanes = 16, item_columns = 96, columns = 8,
    masked = true, grain = 1>`
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$item_columns,
                        "int64_t":$columns, "bool":$masked, "int64_t":$grain);
}

def Loop_BlocksScheduleAttr : Loop_Schedule<"BlocksSchedule", "blocks"> {
  let summary = "Blocks of rows that stay in the cache from product to product";
  let description = [{
    A work item is `rows` neighbours in the last shared dimension, at one point of
    those before it. The nests of the kernel run one after the other on them: a
    contraction as the packed product of `products` that stands in its place among
    the contractions, whose items have these rows; nests between two contractions
    row by row, as `nests` says, which has an entry for each nest of the kernel (1
    for a contraction). What a nest leaves for a later contraction, or a
    contraction for a later nest, is `rows` rows of scratch memory.

    If a contraction sums over the last shared dimension, a work item is all of that
    dimension at one point of those before, block after block, and each block adds
    its part to sums in scratch memory.

    Constraints:
    - (C1) `rows` is from 1 to 2^20.
    - (C2) `products` are `#loop.packed`, which have room for `rows`: `block_rows` and
      `item_rows` are at least `rows`, save in one that sums over the last shared
      dimension.
    - (C3) `grain` is from 1 to 10^9.
    - (C4) the kernel has contractions, which accumulate in f32 or f64, as many as
      `products`, and other nests, which are pointwise or reductions.

    Example: `#loop.blocks<rows = 96, nests = <along = [1, 64, 16, 1],
    beside = [1, 1, 1, 1], sum_block = 128, masked = true, grain = 1>,
    products = [#loop.packed<...>, #loop.packed<...>], grain = 1>`
  }];
  let parameters = (ins "int64_t":$rows,
                        "::kiln::loop::WithinScheduleAttr":$nests,
                        "::mlir::ArrayAttr":$products, "int64_t":$grain);
}

#endif // KILN_DIALECT_LOOP_IR_LOOPSCHEDULES
