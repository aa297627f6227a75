//===- LoopGPU.td - How kernels are emitted for a GPU ------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target, one schedule for each way of emitting a kernel, and a step of a
// launch:
//
//   kernels                                          schedule
//   pointwise; anything else, a thread a point       #loop.gpu_across
//   rows: reductions, scans, sorts along memory      #loop.gpu_rows
//   few points that much is reduced to               #loop.gpu_parts
//   rows across memory, read by several nests        #loop.gpu_columns
//   pointwise, windows, read along another dimension #loop.gpu_tile
//   scatters                                         #loop.gpu_scatter
//   contractions, convolutions                       #loop.gpu_product
//   contractions and the rows between them           #loop.gpu_blocks
//   the same of few rows and many columns            #loop.gpu_column_parts
//
// Throughout:
//
//   threads  of a block, at most 1024, a multiple of 32 that is a warp each
//   lanes    neighbouring elements that a thread reads, computes and writes
//            together, a power of two
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPGPU
#define KILN_DIALECT_LOOP_IR_LOOPGPU

include "kiln/Dialect/Loop/IR/LoopSchedules.td"

def Loop_GPUTargetAttr : Loop_Attr<"GPUTarget", "gpu"> {
  let summary = "What schedules need to know of a GPU";
  let description = [{
    Stands as `loop.target` of a module whose kernels are for a GPU, where
    `#loop.target` would say a CPU.

    | field | unit | what |
    |---|---|---|
    | `chip` | | LLVM's name of the instruction set |
    | `multiprocessors` | | streaming multiprocessors |
    | `threads` | | that are resident on one of them |
    | `registers` | 32 bits | of one of them |
    | `shared` | bytes | most shared memory of a block |
    | `l2` | bytes | the cache that they share |
    | `tf32` | | products of f32 may be those of factors rounded to tf32, of 10 bits behind the point |
    | `conv_tf32` | | the same of those that convolutions are made of (`loop.tf32`, Precision.h) |
    | `deterministic` | | floats are added up in one order, so that each run gives the same bits |

    Constraints:
    - (C1) `chip` is `sm_` and two or three digits, and may end in a letter.
    - (C2) `multiprocessors`, `threads` and `registers` are from 1 to 10^9.
    - (C3) `shared` and `l2` have 0 to 2^40 bytes.

    Example: `#loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048,
    registers = 65536, shared = 232448, l2 = 52428800>`
  }];
  let parameters = (ins StringRefParameter<>:$chip, "int64_t":$multiprocessors,
                        "int64_t":$threads, "int64_t":$registers,
                        "int64_t":$shared, "int64_t":$l2,
                        DefaultValuedParameter<"bool", "false">:$tf32,
                        DefaultValuedParameter<"bool", "false">:$conv_tf32,
                        DefaultValuedParameter<"bool", "false">:$deterministic);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of the instruction set, times ten: 90 of "sm_90a".
    int64_t getCapability() const;
    /// There are `wgmma` and a copy engine, as sm_90a has them, and no later chip.
    bool hasWarpgroups() const;
  }];
}

def Loop_GPUAcrossScheduleAttr : Loop_Schedule<"GPUAcrossSchedule", "gpu_across"> {
  let summary = "A thread for neighbours in the last shared dimension";
  let description = [{
    A thread has `lanes` neighbours in the last shared dimension (after those were
    joined that every access walks as one), and walks all other dimensions, reduced
    ones too, one element after the other. Sums of floats are added up in blocks of
    `sum_block` terms, with 0 in one piece.

    With `points` it has so many neighbours in the dimension before that one, too, and their
    reductions go step by step together: what they read of a window that neighbours share,
    and factors that are the same for all, is loaded once. Pointwise nests load what they read for
    all of them before they compute.

    Constraints:
    - (C1) `threads` is a multiple of 32 from 32 to 1024.
    - (C2) `lanes` is a power of two from 1 to 16, `sum_block` from 0 to 10^9, `points` from 1 to 16.
    - (C3) the kernel has no scatter, and a contraction only alone; with several lanes it has a shared dimension,
      no sort, and what stays inside is one value per point of the shared domain.

    Example: `#loop.gpu_across<threads = 256, lanes = 4, sum_block = 0>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$lanes,
                        "int64_t":$sum_block,
                        DefaultValuedParameter<"int64_t", "1">:$points);
}

def Loop_GPURowsScheduleAttr : Loop_Schedule<"GPURowsSchedule", "gpu_rows"> {
  let summary = "A block, or a part of a warp, for each row";
  let description = [{
    `threads` threads share a point of the shared domain and walk its row: thread t
    has elements (k * threads + t) * lanes and the next, for k = 0, 1, ... What each
    of them has reduced is combined by shuffles, and between warps by way of shared
    memory. A block has `rows` such points.

    With `steps` other than 0 no row has more than `steps` times `threads` times
    `lanes` elements: steps are repeated in the code, and a row is read once and
    stays in registers. With 0 they are a loop.

    Rows of which `lanes` is no divisor are peeled: with bf16 and 50257 elements to
    a row, row r begins 2 * (r * 50257 mod 8) bytes behind a multiple of 16. Up to there it
    is elements, then vectors that are aligned, then elements again, fewer than 2 * `lanes`
    of them, each with a thread of its own. What decides is where most of what rows
    read and write begins; the rest is read by elements.

    Where nests sum up parts of the rows (`RowParts.h`) a block has a part, `rows` rows of it at
    a time, and a thread the same columns of each of its rows: their sums stay in its registers, and
    are joined by way of shared memory at the end. The next row is read while one is computed.

    With `stages` a copy engine brings rows of inputs to shared memory, whole and from a multiple
    of 16 bytes to another: of a part so many rows, one of which is computed while others are
    under way; of other rows, those that several nests read, in so many pieces, each of which is
    computed as it arrives, and threads read them again there in place of registers. What is no
    such row threads read themselves, as without.

    Constraints:
    - (C1) `threads` is a power of two from 2 to 1024, `rows` one from 1 to 512, and
      `threads * rows` from 32 to 1024.
    - (C2) `rows` is 1 where `threads` is more than 32.
    - (C3) `lanes` is a power of two from 1 to 16, `steps` from 0 to 64, and
      `steps * lanes` at most 256.
    - (C4) the kernel has pointwise nests, and reductions, scans and sorts of one row
      per point of the shared domain; a nest reads of a row of another only the
      element in its own place. Or it is a contraction, whose rows are what it adds up.
    - (C5) with `steps`, all rows have one known size, which they hold.
    - (C6) `lanes` divides the last extent of each row, dimensions of one element
      left out. Or rows are peeled, see above: nests are pointwise or reductions, each
      row has one dimension, of the same known extent, and there are at least
      2 * `lanes` elements and threads.
    - (C7) with sums over parts of the rows, these have known sizes, as many columns as rows
      have elements, and read of what the kernel makes the element of their row and column;
      `steps` is not 0, and there are no scans, sorts or peeled rows.
    - (C8) `stages` is 0, or from 2 to 8, with `rows` 1, `steps` not 0 and a warp or more of
      threads; the target is sm_90 or later, and nests are pointwise or reductions.

    Example: `#loop.gpu_rows<threads = 256, rows = 1, lanes = 8, steps = 2>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$rows, "int64_t":$lanes,
                        "int64_t":$steps,
                        DefaultValuedParameter<"int64_t", "0">:$stages);
}

def Loop_GPUPartsScheduleAttr
    : Loop_Schedule<"GPUPartsSchedule", "gpu_parts"> {
  let summary = "Reductions in parts, and then a combination of the parts";
  let description = [{
    For kernels with too few points to occupy a GPU. By one function `parts` equal
    pieces of the reduced elements are reduced, by the next what became of them is
    combined in the order of the parts, and nests of one element per point follow:
    no atomic operation, and the same result each time.

    A block has `columns` vectors of `lanes` neighbours in the last shared dimension, side by
    side. As many of its threads as there are for each have elements of its part by turns, and
    join what they have in shared memory. With 0 columns a block reduces a part of a row, whose
    threads have `lanes` neighbours at a time. One part of columns is all of them, and there is one
    function: what is little needs no more blocks.

    Constraints:
    - (C1) `threads` is a power of two from 32 to 1024, `lanes` one from 1 to 16,
      `parts` from 1 to 4096, `columns` from 0 to `threads`; of one part there are columns, and
      1 lane.
    - (C2) the kernel has reductions over the same extents, to one value per point of
      the shared domain, that read inputs of the kernel alone; its other nests are
      pointwise over the shared domain.
    - (C3) without columns, `lanes` divides the last reduced extent; with them the last of the
      shared extents, those that memory does not part as one.

    Example: `#loop.gpu_parts<threads = 256, lanes = 4, parts = 64, columns = 32>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$lanes, "int64_t":$parts,
                        "int64_t":$columns);
}

def Loop_GPUColumnsScheduleAttr
    : Loop_Schedule<"GPUColumnsSchedule", "gpu_columns"> {
  let summary = "A tile of columns for each block, whose elements stay in registers";
  let description = [{
    For kernels whose nests reduce across memory and read each other's columns
    (`KernelColumns.h`), such as a softmax over channels that are not last. A block has
    `columns` vectors of `lanes` neighbouring columns side by side; `threads / columns` threads
    share each of them, and have its elements by turns, `steps` of them at most: these are
    repeated in the code, so a column is read once and stays in registers. What threads have
    reduced is combined by shuffles, where a warp has several elements of a column, and by way of
    shared memory. With `columns` as many as `threads` each thread has its columns for itself.

    Constraints:
    - (C1) `threads` is a power of two from 32 to 1024, `lanes` one from 1 to 16, `columns` one
      from 1 to `threads`.
    - (C2) `steps` is from 1 to 64, and `steps * lanes` at most 256.
    - (C3) the kernel has pointwise nests, and reductions over the same elements of each column;
      a nest reads of another the value of its own column or the element in its own place.
    - (C4) there are at most `steps` times `threads / columns` elements of a column, a known number.
    - (C5) `lanes` divides the last extent of the columns, those that every access walks as one
      joined.

    Example: `#loop.gpu_columns<threads = 256, lanes = 4, columns = 32, steps = 8>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$lanes,
                        "int64_t":$columns, "int64_t":$steps);
}

def Loop_GPUTileScheduleAttr : Loop_Schedule<"GPUTileSchedule", "gpu_tile"> {
  let summary = "Square tiles that go through shared memory";
  let description = [{
    For kernels that read some inputs along shared dimension `dim` and write along
    the last. A block has a tile of `side` by `side` points of the two: its threads
    read those inputs as they lie in memory, `lanes` neighbours each, into shared
    memory, and after a barrier compute and write `lanes` neighbours in the last
    dimension.

    Where nests reduce, as a window of each channel is, the results are what goes through
    shared memory: threads compute `lanes` neighbours along `dim`, where neighbours of
    what they read are, and write them along the dimensions behind it, all of which are one
    side of the tile. A thread has `points` neighbours in the last dimension at a time, as
    those of `gpu_across`.

    Constraints:
    - (C1) `threads` is a multiple of 32 from 32 to 1024, `lanes` a power of two from
      1 to 16, `side` one from 16 to 128, `points` one from 1 to 16; threads are a multiple
      of `side / lanes` and divide what that is times `side / points`.
    - (C2) the nests are pointwise, or reductions, over the shared domain, or one
      contraction; `dim` is one of its dimensions, and not the last.
    - (C3) `lanes` divides the extents of `dim` and of the last dimension, after those
      were joined that every access walks as one, or all behind `dim` that results have as one.
    - (C4) `points` is 1 where all nests are pointwise, and divides the last extent.
    - (C5) tiles of results take no more than the 48 KB that every GPU has.

    Example: `#loop.gpu_tile<threads = 256, lanes = 4, side = 64, dim = 0>`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$lanes, "int64_t":$side,
                        "int64_t":$dim,
                        DefaultValuedParameter<"int64_t", "1">:$points);
}

def Loop_GPUScatterScheduleAttr
    : Loop_Schedule<"GPUScatterSchedule", "gpu_scatter"> {
  let summary = "A copy, then a thread for each point or each ordered walk";
  let description = [{
    The initial values are copied by one kernel, unless the result lies where they
    do. By the next, with `atomic`, each
    point of the domain is visited by a thread of its own and combined with atomic
    operations, in no order; without, a thread has a point of the dimensions whose
    index is a position, or are independent, and visits the others in order.
    There are `owners` such threads for each of these points, of which each joins what
    goes to elements of its own: they share the elements by their other positions modulo
    `owners`. All of them see every point, and an element has one order of its own.

    With `atomic` a thread has `lanes` neighbours in the last dimension of the domain, which
    go to neighbouring elements of one row: as many of them are one operation as the
    chip adds at once, where their address is known to be a multiple of their bytes.

    Where points are grouped each is visited by a thread of its own, of which the first of each group
    goes on alone: it looks for the end in steps that double, joins the values of all points in their
    order and stores them once, `lanes` neighbours at a time.

    Constraints:
    - (C1) `threads` is a multiple of 32 from 32 to 1024, `owners` a power of two up to
      4096, `lanes` one from 1 to 16.
    - (C2) the kernel is a scatter; with `atomic` it does not read what it has
      written, and adds up floats or integers of 32 or 64 bits.
    - (C3) `owners` is 1 with `atomic`, and where the scatter reads what it has written or is
      grouped.
    - (C4) with several lanes it is `atomic` or the scatter grouped, and along the last dimension of the domain
      the last position moves by one, other positions and the condition stay.

    Example: `#loop.gpu_scatter<threads = 256, atomic = true, lanes = 4>`
  }];
  let parameters = (ins "int64_t":$threads, "bool":$atomic,
                        DefaultValuedParameter<"int64_t", "1">:$owners,
                        DefaultValuedParameter<"int64_t", "1">:$lanes);
}

def Loop_GPUProductScheduleAttr
    : Loop_Schedule<"GPUProductSchedule", "gpu_product"> {
  let summary = "Tiles of a matrix product in shared memory";
  let description = [{
    A block has a tile of `rows` by `columns` of the result. It walks the sum `sum`
    elements at a time: those of both operands are copied into shared memory,
    `stages` copies of them in flight (before sm_80 by way of registers, one step ahead), and
    multiplied by `unit`:

    | unit | `part_rows` by `part_columns` are of | how |
    |---|---|---|
    | `fma` | a thread | fused multiplications and additions in the type of the sum |
    | `mma` | a warp | `mma.sync` on matrix units: f16, bf16, or f32 rounded to tf32, added up in f32; i8, in i32 |
    | `wgmma` | a warpgroup | `wgmma`, of the same types, on tiles that the copy engine brings, on sm_90a; one more warpgroup asks for them |

    Tiles are visited `group` rows of tiles at a time, column by column of these, so
    that what blocks that run together read stays in the cache. At the end
    `lanes` neighbours of a row are a thread's: it evaluates the epilogue and stores
    them. Where `blocks` is not 0, there are so many blocks at most, each of which has one
    tile after the other. With `split` other than 1 the sum is done in so many parts, by as many
    blocks, and another function adds them up in their order: the same result each time.

    With `cluster` other than 1 so many blocks have tiles below each other and run together:
    each has a part of their columns' factors brought to all of them.

    With `turns` 2 a tile is one warpgroup's, and there are two of them: one multiplies
    while the other finishes the tile before, so that units do not wait for the epilogue.

    With a `library` of the device it computes the product (`cublas`,
    `#loop.library_product`) or the convolution (`cudnn`, `#loop.library_convolution`) that the
    kernel is where it can, and these tiles where it cannot.

    Where other nests of the kernel follow the product, element by element
    (`kiln/Analysis/Followers.h`), threads go on with what they have just rounded, and store all
    that the kernel returns.

    Where the kernel sums up columns of the rows of each tile, too (`kiln/Analysis/TileSums.h`), a
    block does so with what it has just rounded of its tile: nobody reads it again for that.

    Constraints:
    - (C1) `rows`, `columns`, `sum` are multiples of 8 from 8 to 256; `part_rows` divides
      `rows` and `part_columns` divides `columns`.
    - (C2) `stages` is from 2 to 8, `group` from 1 to 1024, `split` from 1 to 1024,
      `lanes` a power of two from 1 to 16 that divides `columns`; `blocks` is from 0 to 65536, and 0 but with `wgmma`.
      `cluster` is 1, or 2 with `wgmma`; then `blocks` is even, and `columns` a multiple of 128
      where their factors lie across the sum. `turns` is 1, or 2 with `wgmma`; then `rows` times
      `columns` is 16,384 at most: 128 sums of a thread.
    - (C3) the threads that follow from the parts are from 32 to 1024, a multiple of 32.
    - (C4) with `mma`, parts and `sum` are multiples of 16, `sum` of 32 where factors are i8; with
      `wgmma`, `part_rows` is 64, `part_columns` is `columns`, a multiple of 32, and `sum` is
      128 bytes of factors: 64, 32 of f32, or 128 of i8.
    - (C5) with `fma`, parts are 4 or 8.
    - (C6) the kernel is a contraction; of members in groups in one part, without `library`.
      Without groups and `library`, in a kernel that shares no extents, other nests may follow it:
      pointwise ones with as many points as it has elements; and sums over rows of tiles, `rows` of
      them, of a result of 16 bits, not by `fma`, in one part.
    - (C7) the target is sm_75 or later; with `mma` of other factors than f16, sm_80 or later; with
      `wgmma`, sm_90a.

    How much shared memory the tiles take is known once they are emitted; more than the
    target has is an error then.

    Example: `#loop.gpu_product<unit = mma, rows = 128, columns = 128, sum = 32,
    part_rows = 64, part_columns = 64, stages = 4, lanes = 8, group = 8, split = 1,
    blocks = 0>`
  }];
  let parameters = (ins EnumParameter<Loop_ProductUnit>:$unit, "int64_t":$rows,
                        "int64_t":$columns, "int64_t":$sum,
                        "int64_t":$part_rows, "int64_t":$part_columns,
                        "int64_t":$stages, "int64_t":$lanes, "int64_t":$group,
                        "int64_t":$split, DefaultValuedParameter<"int64_t", "0">:$blocks,
                        DefaultValuedParameter<"int64_t", "1">:$cluster,
                        DefaultValuedParameter<"int64_t", "1">:$turns,
                        Loop_GPULibraryParameter:$library);
  let extraClassDeclaration = [{
    ::llvm::LogicalResult verifyKernel(::mlir::Operation *kernel) const;
    /// Threads of a block.
    int64_t getThreads() const;
    /// Warpgroups that multiply, and parts of 64 rows of a tile that each has; of `wgmma`.
    int64_t getGroups() const;
    int64_t getGroupParts() const;
  }];
}

def Loop_UnitOrMma : EnumParameter<Loop_ProductUnit> {
  let defaultValue = "::kiln::loop::ProductUnit::Mma";
}

def Loop_GPUBlocksScheduleAttr : Loop_Schedule<"GPUBlocksSchedule", "gpu_blocks"> {
  let summary = "Products and the rows between them, in walks over columns";
  let description = [{
    For kernels such as attention, whose weights are known as columns come
    (`kiln/Analysis/OnlineRows.h`), and its backward (`BlockWalks.h` there). A block has
    `rows` rows, whose factors are in shared memory, and walks the columns `columns` at a
    time, `stages` copies of what products need of them in flight; where sums are over the
    rows, blocks have columns and walk rows. A warp has `part_rows` rows, whose scores,
    weights and sums stay in its registers. Weights are rounded to the type of what they are
    multiplied by, which is f16 or bf16; sums are f32. With `unit` `mma` each warp multiplies
    its own rows by `mma.sync`; with `wgmma`, on sm_90a, four warps together multiply theirs,
    which the copy engine brings: one more warpgroup asks for them. With `apart`, each sum has
    a walk of its own, where registers do not suffice for all of them: what it needs of
    scores is computed again.

    With `added`, the walk over the rows adds its part of the sum over the columns to
    memory, in f32 and by atomic instructions, so that scores and their weights are
    computed once; one function clears this memory before, and another one has the sums
    through their epilogue behind. The order of additions differs from run to run, so
    nothing is `added` where the target is `deterministic`, unless a schedule says so.

    Blocks that run together have the rows of `group` points of the outer shared
    dimensions, the last rows first where a mask leaves them the most columns.

    Constraints:
    - (C1) `rows` and `columns` are multiples of 16 from 16 to 256; `part_rows` is 16 or 32
      and divides `rows`, and threads, 32 for each part, are at most 1024.
    - (C2) `stages` is from 2 to 8, `group` from 1 to 1024.
    - (C3) the kernel has two contractions or more, of its rows, and other nests between.
    - (C4) `unit` is `mma` or `wgmma`; with `wgmma`, `part_rows` is 16 and `rows` a multiple
      of 64 up to 192.
    - (C5) the target is sm_80 or later; with `wgmma`, sm_90a.
    - (C6) `added` is with `wgmma`, 64 or 128 `rows`, 64 `columns`, and not `apart`; the
      kernel has one sum over the columns, whose weights are those of a sum over the rows
      (`analysis::whyNotAdded`).

    How much shared memory the tiles take is known once they are emitted; more than the
    target has is an error then.

    Example: `#loop.gpu_blocks<rows = 128, columns = 64, part_rows = 16, stages = 2,
    group = 16>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "int64_t":$part_rows, "int64_t":$stages,
                        "int64_t":$group,
                        Loop_UnitOrMma:$unit,
                        DefaultValuedParameter<"bool", "false">:$apart,
                        DefaultValuedParameter<"bool", "false">:$added);
  let extraClassDeclaration = [{
    ::llvm::LogicalResult verifyKernel(::mlir::Operation *kernel) const;
    /// Threads of a block.
    int64_t getThreads() const;
  }];
}

def Loop_GPUColumnPartsScheduleAttr
    : Loop_Schedule<"GPUColumnPartsSchedule", "gpu_column_parts"> {
  let summary = "Few rows of products, whose columns come in parts";
  let description = [{
    For kernels such as attention of one row, or few, over many columns, whose weights are
    known as columns come (`kiln/Analysis/OnlineRows.h`). A warp has 16 rows, as far as
    there are so many, and walks one of `parts` parts of the columns, `columns` at a time,
    `stages` copies of them in flight, as with `#loop.gpu_blocks`. What it knows of a row
    then, its maximum and what was added up behind it, goes to memory, and another function
    joins all parts in their order.

    Constraints:
    - (C1) `columns` is a multiple of 16 from 16 to 256, `stages` from 2 to 8, `parts`
      from 2 to 64.
    - (C2) the kernel has two contractions of its rows, and other nests between.
    - (C3) the target is sm_80 or later.

    Example: `#loop.gpu_column_parts<columns = 64, stages = 2, parts = 16>`
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$stages,
                        "int64_t":$parts);
}

def Loop_TensorMapAttr : Loop_Attr<"TensorMap", "tensor_map"> {
  let summary = "What the copy engine of a GPU needs to know of a tensor";
  let description = [{
    Describes memory from `offset` elements of type `element` behind pointer number
    `pointer` of a function on. The innermost dimension comes first, as in the
    driver: `sizes` in elements, `strides` in bytes of all dimensions but the
    innermost, whose elements are neighbours. A copy is a `box` of elements; what lies
    outside of the sizes is 0, and stays as it is where the function stores. Shared memory has rows of `swizzle` bytes, whose units
    of 16 bytes are exchanged by the driver's pattern of that name (0: not). Elements of f32
    are rounded to tf32 on the way: such a map is made only where the target permits it
    (`tf32` of `#loop.gpu`).

    Constraints:
    - (C1) there are 2 to 5 sizes, one stride fewer, and as many extents of the box, from
      1 to 256.
    - (C2) `swizzle` is 0, 32, 64 or 128, and the innermost extent of the box has as
      many bytes where it is not 0.

    Example: `#loop.tensor_map<pointer = 0, element = bf16, offset = <0>,
    sizes = [#guard.expr<64>, #guard.expr<s0>], strides = [#guard.expr<128>],
    box = [64, 128], swizzle = 128>`
  }];
  let parameters = (ins "int64_t":$pointer, "::mlir::Type":$element,
                        "::kiln::guard::ExprAttr":$offset,
                        "::mlir::ArrayAttr":$sizes,
                        "::mlir::ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$box, "int64_t":$swizzle);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Loop_ProductMatrixAttr : Loop_Attr<"ProductMatrix", "product_matrix"> {
  let summary = "A matrix of a product, as it lies in memory";
  let description = [{
    Element j of row i of matrix b lies `offset + b * apart + i * leading + j` elements
    behind pointer number `pointer` of a launch, or, with `transposed`, with i and j
    exchanged.

    Example: `#loop.product_matrix<pointer = 0, offset = <0>, leading = <64>,
    apart = <0>>`
  }];
  let parameters = (ins "int64_t":$pointer, "::kiln::guard::ExprAttr":$offset,
                        "::kiln::guard::ExprAttr":$leading,
                        "::kiln::guard::ExprAttr":$apart,
                        DefaultValuedParameter<"bool", "false">:$transposed);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Loop_LibraryProductAttr
    : Loop_Attr<"LibraryProduct", "library_product"> {
  let summary = "A product that a library may compute in place of kernels";
  let description = [{
    `result[b, i, j] = sum over k of left[b, i, k] * right[b, k, j]`, added up in f32, with
    `bias[j]` added if there is one, for `matrices`, `rows`, `columns` and `sum`. `left` and
    `right` have elements of type `factors`, the result and the bias, which is pointer number
    `bias`, of type `results`. Factors of f32 may be rounded to tf32 with `tf32`.

    Constraints:
    - (C1) `factors` is f32, f16 or bf16, `results` the same or f32.
    - (C2) the result is not transposed.

    Example: `#loop.library_product<factors = bf16, results = bf16, matrices = <1>,
    rows = <s0>, columns = <64>, sum = <32>, left = <pointer = 0, offset = <0>,
    leading = <32>, apart = <0>>, right = <pointer = 1, offset = <0>, leading = <32>,
    apart = <0>, transposed = true>, result = <pointer = 2, offset = <0>, leading = <64>,
    apart = <0>>>`
  }];
  let parameters = (ins "::mlir::Type":$factors, "::mlir::Type":$results,
                        "::kiln::guard::ExprAttr":$matrices,
                        "::kiln::guard::ExprAttr":$rows,
                        "::kiln::guard::ExprAttr":$columns,
                        "::kiln::guard::ExprAttr":$sum,
                        "::kiln::loop::ProductMatrixAttr":$left,
                        "::kiln::loop::ProductMatrixAttr":$right,
                        "::kiln::loop::ProductMatrixAttr":$result,
                        DefaultValuedParameter<"int64_t", "-1">:$bias,
                        DefaultValuedParameter<"bool", "false">:$tf32);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Loop_ConvolutionImageAttr
    : Loop_Attr<"ConvolutionImage", "convolution_image"> {
  let summary = "An image of a convolution, as it lies in memory";
  let description = [{
    The element of image n, channel c at the place p of each dimension lies
    `offset + n * image + c * channel + sum of p * places` elements behind pointer number
    `pointer` of a launch. A step along a dimension of one element may be 0.

    Example: `#loop.convolution_image<pointer = 0, offset = <0>, image = <12544>,
    channel = <1>, places = [#guard.expr<896>, #guard.expr<64>]>`
  }];
  let parameters = (ins "int64_t":$pointer, "::kiln::guard::ExprAttr":$offset,
                        "::kiln::guard::ExprAttr":$image,
                        "::kiln::guard::ExprAttr":$channel,
                        "::mlir::ArrayAttr":$places);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Loop_ConvolutionWeightAttr
    : Loop_Attr<"ConvolutionWeight", "convolution_weight"> {
  let summary = "A weight of a convolution, as it lies in memory";
  let description = [{
    Dense and row-major from element `offset` behind pointer number `pointer` of a launch on:
    filters of all groups, the channels of a group, and the taps of each dimension; with
    `channels_last` the channels come behind the taps.

    Example: `#loop.convolution_weight<pointer = 1, offset = <0>, channels_last = true>`
  }];
  let parameters = (ins "int64_t":$pointer, "::kiln::guard::ExprAttr":$offset,
                        DefaultValuedParameter<"bool", "false">:$channels_last);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Loop_LibraryConvolutionAttr
    : Loop_Attr<"LibraryConvolution", "library_convolution"> {
  let summary = "A convolution that a library may compute in place of kernels";
  let description = [{
    For `images`, `groups`, `filters` and `channels` of each group, and in each of 1 to 3
    dimensions `inputs` places of the source, `outputs` places of the target, and `taps`,
    all of one type, `elements`:

    `target[n, g, f, p] = sum over c and t of weight[g, f, c, t] *
    source[n, g, c, p * strides + t * dilations - padding]`, added up in f32, where the source
    is 0 outside of its inputs. With `gradient` it is the weight that is summed up, over n and p,
    from source and target. Factors of f32 may be rounded to tf32 with `tf32`.

    Constraints:
    - (C1) `elements` is f32, f16 or bf16.
    - (C2) there are 1 to 3 dimensions, of which all lists have an entry, strides and
      dilations of at least 1, and a padding of at least 0.

    Example: `#loop.library_convolution<elements = bf16, images = <8>, groups = <1>,
    channels = <64>, filters = <128>, inputs = [#guard.expr<28>], outputs = [#guard.expr<14>],
    taps = [#guard.expr<3>], strides = [2], dilations = [1], padding = [1], source = <...>,
    target = <...>, weight = <...>>`
  }];
  let parameters = (ins "::mlir::Type":$elements,
                        "::kiln::guard::ExprAttr":$images,
                        "::kiln::guard::ExprAttr":$groups,
                        "::kiln::guard::ExprAttr":$channels,
                        "::kiln::guard::ExprAttr":$filters,
                        "::mlir::ArrayAttr":$inputs,
                        "::mlir::ArrayAttr":$outputs, "::mlir::ArrayAttr":$taps,
                        "::mlir::DenseI64ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$dilations,
                        "::mlir::DenseI64ArrayAttr":$padding,
                        "::kiln::loop::ConvolutionImageAttr":$source,
                        "::kiln::loop::ConvolutionImageAttr":$target,
                        "::kiln::loop::ConvolutionWeightAttr":$weight,
                        DefaultValuedParameter<"bool", "false">:$gradient,
                        DefaultValuedParameter<"bool", "false">:$tf32);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

/// What a library may do in place of kernels.
def Loop_LibraryCallAttr
    : AnyAttrOf<[Loop_LibraryProductAttr, Loop_LibraryConvolutionAttr],
                "what a library may do">;

def Loop_GridStepAttr : Loop_Attr<"GridStep", "step"> {
  let summary = "A function of a GPU and the grid that it runs on";
  let description = [{
    `blocks` blocks of `threads` threads. `symbols` are the integers that the function
    takes behind its pointers. Each block has `shared` bytes of shared memory besides
    what the function declares. `maps` are encoded by the driver for these pointers; the
    function takes them by value behind all others, 128 bytes each, aligned to 64.

    Constraints:
    - (C1) `threads` is from 1 to 1024.
    - (C2) `symbols` are expressions.
    - (C3) `shared` is from 0 to 2^20, `maps` are tensor maps.

    Example: `#loop.step<kernel = @k0, symbols = [#guard.expr<s0>],
    blocks = #guard.expr<ceildiv(s0, 256)>, threads = 256>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$kernel,
                        "::mlir::ArrayAttr":$symbols,
                        "::kiln::guard::ExprAttr":$blocks, "int64_t":$threads,
                        DefaultValuedParameter<"int64_t", "0">:$shared,
                        OptionalParameter<"::mlir::ArrayAttr">:$maps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Loop_GridStepArrayAttr
    : TypedArrayAttrBase<
          Attr<CPred<"::llvm::isa<::kiln::loop::GridStepAttr>($_self)">,
               "step of a launch">,
          "list of steps">;

#endif // KILN_DIALECT_LOOP_IR_LOOPGPU
