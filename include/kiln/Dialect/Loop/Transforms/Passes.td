//===- Passes.td - Passes on loop nests --------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_PASSES
#define KILN_DIALECT_LOOP_TRANSFORMS_PASSES

include "kiln/Dialect/Loop/Transforms/LayoutPasses.td"
include "kiln/Dialect/Loop/Transforms/RowPasses.td"
include "kiln/Dialect/Loop/Transforms/SortPasses.td"

include "mlir/Pass/PassBase.td"

def InlineVirtualPass : Pass<"loop-inline-virtual", "::mlir::func::FuncOp"> {
  let summary = "Inline pointwise nests into the nests that read them";
  let description = [{
    Assumes functions of loop nests. First merges equal nests (their origins are
    joined). Then a `loop.pointwise` is inlined into every nest that reads it,
    and goes away, if nothing else uses it and

    - it is read once per element by one load, or
    - its cost times the number of evaluations per element of its own domain
      stays below `max-recompute-cost`. Costs are weights: 1 for arithmetic and
      loads, 4 for division, 8 for an exponential, 16 for a power. Repetition
      (a row broadcast over a matrix) counts as evaluations, at the size hints; or
    - for a GPU, one of its readers reduces it in rows longer than a kernel keeps, and
      that number is at most 64: memory would take longer than to compute it again.

    An operand of a `loop.contract` is inlined as index expressions if it only
    moves elements, or on a GPU extends bytes to the sum's type, as the contraction does itself;
    and as a prologue if it maps one element to one and costs no more than `max-prologue-cost`.

    A load with a mask makes the loads of the inlined body masked by it.

    On a processor a nest whose own rows are at computed positions, or are not all there, is
    stored for a reader that walks across them: that reads by tiles, which such rows are not.

    Indices that are computed of indices become expressions, bounds that they keep anyway go,
    and so do assertions of what holds at every point (positions 0, 1, 2, ... of a table that
    is long enough) or of what is asserted before.

    On a GPU a nest is also recomputed where that costs at most two operations for each byte
    that is not stored and not read again: f64 made of bf16. Eight operations, if none of them
    is of f64 or gathers, and only pointwise nests read it: the sigmoid that both gelu and its derivative
    have. What rounds a product for a masked load, of a nest that puts tensors behind each
    other, is stored, by the kernel of the product.

    What is stored and extended last (`arith.extf`) is stored narrow, where nests alone
    read it, and extended by these. A factor of a product is only where the other one is as
    narrow and the target has units that multiply such factors.

    Before:

    ```mlir
    %e = loop.pointwise (%i) in [8] : tensor<8xf32> {
      %x = loop.load %a[%i] : tensor<8xf32>
      %y = arith.negf %x : f32
      loop.yield %y : f32
    }
    %r = loop.pointwise (%i) in [8] : tensor<8xf32> {
      %x = loop.load %e[7 - %i] : tensor<8xf32>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    ```

    After:

    ```mlir
    %r = loop.pointwise (%i) in [8] : tensor<8xf32> {
      %x = loop.load %a[7 - %i] : tensor<8xf32>
      %n = arith.negf %x : f32
      %y = math.exp %n : f32
      loop.yield %y : f32
    }
    ```

    Reports `inlined` (passed), `stored` and `no-prologue` (missed, with the reason).
  }];
  let options = [
    Option<"maxRecomputeCost", "max-recompute-cost", "::kiln::Count", "18",
           "The highest cost times evaluations at which a nest with several "
           "readers is recomputed instead of stored.">,
    Option<"maxPrologueCost", "max-prologue-cost", "::kiln::Count", "4",
           "The highest cost of a body that becomes the prologue of a "
           "contraction.">,
    Option<"prologues", "prologues", "bool", "true",
           "Without it operands of contractions are only moved, and what "
           "computes their elements is stored.">,
    Option<"maxBodyOps", "max-body-ops", "::kiln::PositiveCount", "256",
           "The largest number of operations a body may grow to.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def FoldOneHotPass : Pass<"loop-fold-one-hot", "::mlir::func::FuncOp"> {
  let summary = "Take the one term of a sum that is not 0";
  let description = [{
    A sum over an index of what is 0 unless the index is a certain one has one term, or
    none if there is no such index. That is how a row of the gradient of a loss adds up,
    which is 0 but at the target. The number that the index is compared with, the term
    and other conditions must not depend on the index themselves. For a processor a sum
    over dimensions of one element, as of the windows of a global pooling's gradient, is
    its term as well.

    Before:

    ```mlir
    %s = loop.reduce parallel (%i) in [8] reduction (%k) in [1000] <sum>
        : tensor<8xf32> {
      %n = arith.index_cast %k : index to i64
      %t = loop.load %target[%i] : tensor<8xi64>
      %hit = arith.cmpi eq, %n, %t : i64
      %g = loop.load %grad[%i] : tensor<8xf32>
      %zero = arith.constant 0.0 : f32
      %x = arith.select %hit, %g, %zero : f32
      loop.yield %x : f32
    }
    ```

    After:

    ```mlir
    %s = loop.pointwise (%i) in [8] : tensor<8xf32> {
      ... select(0 <= target and target < 1000, %g + 0.0, 0.0)
    }
    ```

    Reports `one-term` (passed).
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect",
                           "::mlir::arith::ArithDialect"];
}

def SplitReductionsPass : Pass<"loop-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce much to little in parts that run side by side";
  let description = [{
    A reduction to few values has few work items. One of at least `min-points`
    points, with fewer than `min-items` values, becomes two: the first reduces each
    of `parts` pieces of an outer reduced dimension to accumulators, the second the
    accumulators. All kinds but `generic` allow it, by what LoopReductions.td
    promises. How it is split follows from the sizes alone, not from the number of
    threads, so the bits of a sum do not depend on it.

    Values that are neighbours in what is read are walked side by side, up to 64 of
    them, and count as one; there the pieces are the first parallel dimension, so that
    they stay neighbours, and else the last. Where rows of such a matrix are reduced as
    well they stay whole, for `loop-fuse-columns` to do both together.

    Only reductions whose extents are known are split, along the first dimension
    that has pieces of equal size.

    Before:

    ```mlir
    %s = loop.reduce parallel () in [] reduction (%i) in [16777216] <sum>
        : tensor<f32> {
      %x = loop.load %t[%i] : tensor<16777216xf32>
      loop.yield %x : f32
    }
    ```

    After:

    ```mlir
    %p = loop.reduce parallel (%k) in [64] reduction (%i) in [262144] <sum>
        : tensor<64xf32> {
      %at = loop.index (%k * 262144 + %i)
      %x = loop.load %t[%at] : tensor<16777216xf32>
      loop.yield %x : f32
    }
    %s = loop.reduce parallel () in [] reduction (%k) in [64] <sum> : tensor<f32> {
      %x = loop.load %p[%k] : tensor<64xf32>
      loop.yield %x : f32
    }
    ```

    Reports `split` (passed).
  }];
  let options = [
    Option<"minPoints", "min-points", "::kiln::PositiveCount", "262144",
           "The fewest points of a reduction that is split.">,
    Option<"minItems", "min-items", "::kiln::PositiveCount", "16",
           "The values from which on a reduction has enough to do side by side.">,
    Option<"parts", "parts", "::kiln::PositiveCount", "64",
           "The most pieces.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def SplitContractionsPass : Pass<"loop-split-contractions", "::mlir::func::FuncOp"> {
  let summary = "Multiply with a long sum in parts that run side by side";
  let description = [{
    A product with few rows and columns and a long sum, as the gradient of a convolution's
    weights, has few tiles: to share them out, both operands are packed again for each.
    One of at most `max-values` values, whose sum is `min-ratio` times as long as its
    longer side, becomes two nests: a product for each of at most `parts` pieces of the
    sum, of at least `min-depth` terms, and a reduction that adds these up, in which the
    epilogue follows. Pieces are the outer dimensions of the sum, and equal parts of the
    next one; a dimension that a mask looks at stays whole, and so does a sum along rows that
    are reduced as a whole (a softmax's), with which the product fuses. How it is split follows
    from the sizes alone, not from the number of threads, so the bits of a product do not depend
    on it. Nothing is split for a GPU, whose schedules do.

    Before:

    ```mlir
    %c = loop.contract parallel [64, 64] reduction [65536]
        lhs %a[d0, d2] : tensor<64x65536xf32> rhs %b[d2, d1] : tensor<65536x64xf32>
        acc f32 : tensor<64x64xf32>
    ```

    After:

    ```mlir
    %p = loop.contract parallel [64, 64, 64] reduction [1024]
        lhs %a[d1, d0 * 1024 + d3] : tensor<64x65536xf32>
        rhs %b[d0 * 1024 + d3, d2] : tensor<65536x64xf32>
        acc f32 : tensor<64x64x64xf32>
    %c = loop.reduce parallel (%i, %j) in [64, 64] reduction (%k) in [64] <sum>
        : tensor<64x64xf32> {
      %x = loop.load %p[%k, %i, %j] : tensor<64x64x64xf32>
      loop.yield %x : f32
    }
    ```

    Reports `split` (passed), and `whole` (missed, with the reason) for what is small
    and has a sum of two pieces.
  }];
  let options = [
    Option<"maxValues", "max-values", "::kiln::PositiveCount", "65536",
           "The values up to which a product has too few tiles.">,
    Option<"minDepth", "min-depth", "::kiln::PositiveCount", "512",
           "The fewest terms of a piece, for which its sums are stored and added.">,
    Option<"minRatio", "min-ratio", "::kiln::PositiveCount", "8",
           "How many times as long as the longer side a sum is at least.">,
    Option<"parts", "parts", "::kiln::PositiveCount", "64",
           "The most pieces.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def FusePass : Pass<"loop-fuse", "::mlir::func::FuncOp"> {
  let summary = "Group loop nests into kernels";
  let description = [{
    Assumes functions of loop nests, guarantees that every nest is in a
    `loop.kernel`. Works in rounds until nothing changes, at most `max-rounds`.
    A round lists all pairs of groups that may be fused and fuses them, the one
    that saves most bytes first.

    - vertical: a producer and a consumer with common leading parallel extents,
      where the consumer reads the producer at its own point of these (so
      reductions of a row fuse with what precedes and follows them);
    - horizontal: two groups that do not depend on each other, share extents and
      read the same tensors;
    - epilogue: a pointwise nest that reads a contraction at its own index moves
      into the contraction. If the nest sees the result through a reshape, the
      contraction is rewritten to the nest's domain first.

    A pair is refused, with a recorded reason, if it would make a cycle, leave
    too little parallel work, need too large a row of scratch, exceed
    `max-nests`, or save too little.

    The traffic of each kernel is its `traffic` attribute. Reports each `round`
    (passed) with its groups (`candidate`, analysis) and what was `fused` (passed),
    the pairs of the last one that were `not-fused` (missed, with the reason),
    `epilogue` (passed) and `no-epilogue` (missed), and of which nests a `kernel`
    (analysis) is made.

    Before:

    ```mlir
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [8] <sum> : tensor<4xf32> {...}
    %p = loop.pointwise (%i, %j) in [4, 8] : tensor<4x8xf32> {... loop.load %s[%i] ...}
    ```

    After:

    ```mlir
    %p = loop.kernel @fused_sum_div_0 ins(%a = %x : tensor<4x8xf32>) shared [4]
        -> tensor<4x8xf32> {
      %s = loop.reduce ...
      %p = loop.pointwise ...
      loop.return %p : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"maxRounds", "max-rounds", "::kiln::Count", "10",
           "The number of rounds after which fusion ends.">,
    Option<"maxNests", "max-nests", "::kiln::PositiveCount", "64",
           "The largest number of nests in one kernel.">,
    Option<"minHorizontalBytes", "min-horizontal-bytes", "::kiln::ByteCount", "64",
           "The bytes that two independent groups must save to be fused.">,
    Option<"fuse", "fuse", "bool", "true",
           "Without it, every nest becomes a kernel of its own.">,
    Option<"epilogues", "epilogues", "bool", "true",
           "Without it nests stay behind the contractions that they read.">,
    Option<"vertical", "vertical", "bool", "true",
           "Without it no group is fused with one that it reads.">,
    Option<"horizontal", "horizontal", "bool", "true",
           "Without it groups that do not depend on each other stay apart.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def ShareRowsPass : Pass<"loop-share-rows", "::mlir::func::FuncOp"> {
  let summary = "Compute an expensive value of a kernel once per element";
  let description = [{
    Inlining may leave the same expensive subexpression in a reduction and in a
    pointwise nest of one kernel: softmax computes `exp` for the sum and again
    for the quotient. If both evaluate it at the same point of the domain, this
    pass gives it a nest of its own in front, whose row stays in scratch, and
    both load it. Subexpressions below `min-cost` stay.

    Before, in the kernel of a softmax:

    ```mlir
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [8] <sum> {
      ... %e = math.exp %d : f32
    %r = loop.pointwise (%i, %j) in [4, 8] {
      ... %e = math.exp %d : f32
      %q = arith.divf %e, %t : f32
    ```

    After:

    ```mlir
    %row = loop.pointwise (%i, %j) in [4, 8] { ... %e = math.exp %d : f32 ...
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [8] <sum> {
      %e = loop.load %row[%i, %j] : tensor<4x8xf32>
    %r = loop.pointwise (%i, %j) in [4, 8] {
      %e = loop.load %row[%i, %j] : tensor<4x8xf32>
    ```

    Reports `shared` (passed).
  }];
  let options = [
    Option<"minCost", "min-cost", "::kiln::PositiveCount", "8",
           "The lowest cost of a subexpression that is worth a row of scratch.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def FuseProductsPass : Pass<"loop-fuse-products", "::mlir::func::FuncOp"> {
  let summary = "Join contractions with the rows between them";
  let description = [{
    A kernel of pointwise nests and reductions whose rows are made by contractions
    and summed up by others becomes one kernel with them, if nobody else reads what
    goes from one to the next. It is emitted a block of rows at a time (#loop.blocks):
    the scores and weights of attention never are in memory. Nothing is looked for
    but contractions and rows, so it does not matter which operators they come from,
    or what is done with a row. More such kernels over the same rows join where one
    needs what another leaves, directly or around a product that makes rows: in the
    backward of attention weights and their slopes.

    - A contraction that makes rows is rewritten to the extents that the kernel
      shares, if the rows are read at the kernel's points one after the other.
    - A contraction that sums rows up keeps its domain, in which the shared
      extents stand in any order. Its sum may be over the rows themselves; then all
      rows of an outer point are one work item, and there are at least `min-points`
      of these.
    - Kernels between the first and the last part of a chain that need one of them
      move behind it.
    - On a processor, exponentials of what the maximum of their own row was subtracted
      from are multiplied by a factor of the row behind the product that sums them up,
      if that has the attribute `kiln.attention`: PyTorch's kernel does the same, and
      its sums may overflow where those of normalized weights do not. If the processor
      multiplies pairs of bf16, operands that another kernel only moves or extends
      from bf16 are read where it has them, and exponentials are rounded to
      bf16 where values are bf16, and results are or are rounded to it by their
      readers: the greatest is 1, and their sum is of what they were before.

    Before:

    ```mlir
    %s = loop.kernel @scores ... { loop.contract parallel [8, 512, 512] ... }
    %w = loop.kernel @softmax ins(%a = %s : tensor<8x512x512xf32>) shared [8, 512] ...
    %o = loop.kernel @values ins(%p = %w : tensor<8x512x512xf32>, ...) ...
    ```

    After:

    ```mlir
    %o = loop.kernel @softmax ... shared [8, 512] {
      %s = loop.contract parallel [8, 512, 512] ...
      ... // the nests of the softmax, which read %s
      %o = loop.contract parallel [8, 512, 64] ... lhs %w[d0, d1, d3] ...
      loop.return %o
    }
    ```

    Products of less than `min-product` multiply-adds at a point of the outer shared
    dimensions stay apart, and so do fewer than `min-rows` rows: what is packed for a
    block pays by the rows that use it. Each block reads the other operands again, which
    pays where rows are long beside what they are made of and become: heads of attention
    are at most `max-inner` wide, the weights of linear layers around a layer norm are
    not, and such products stay apart.

    For a GPU a chain is joined, whatever its size, where there is a schedule for it
    (#loop.gpu_blocks, #loop.gpu_column_parts); its products then read what another kernel only moves or extends
    from where that has it, and extensions to the type of a sum are left to matrix units.
    Operands whose rows begin at no multiple of 16 bytes are copied to longer ones by a
    kernel before, if that takes no longer than scores in memory.
    Where a point has one row, points that multiply the same columns become rows of one:
    heads that share keys read them once.
    Reports `fused` (passed) and `not-fused`
    (missed, with the reason).
  }];
  let options = [
    Option<"minProduct", "min-product", "::kiln::Count", "262144",
           "The fewest multiply-adds of a product that is joined with its rows.">,
    Option<"minRows", "min-rows", "::kiln::PositiveCount", "16",
           "The fewest rows, if their number is known.">,
    Option<"minPoints", "min-points", "::kiln::PositiveCount", "4",
           "The fewest outer points of a sum over rows, if their number is known.">,
    Option<"maxInner", "max-inner", "::kiln::PositiveCount", "256",
           "The largest depth of a product that makes rows, and the most columns of one "
           "that sums them up, if these are known.">,
    Option<"epilogues", "epilogues", "bool", "true",
           "Without it epilogues that read each other are never rows.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def RematerializePass : Pass<"loop-rematerialize", "::mlir::ModuleOp"> {
  let summary = "Compute again what would be kept too long for a limit of memory";
  let description = [{
    Assumes ordered kernels. Finds the peak of what a program needs at the size
    hints beside weights and inputs, as the memory plan counts it: for a training
    step what the forward saves, one arena for both functions, gradients and
    tangents. While that is over `limit`, a kernel runs again right before a later
    reader of its results: the one that takes most bytes off where they are too many
    for the time of it (bytes moved and operations). What it reads is kept for it,
    or made again as well. What only the backward reads moves there; a saved value
    that is made again is saved no longer (`loop.carried`), and the backward gets an
    argument of the forward that it lacks. In the end runs that have become needless
    go.

    A kernel that runs again is a copy with its schedule: results keep their bits.
    One that reads an argument whose contents its function changes is not run again,
    nor one of symbolic sizes in the other function. If the limit cannot be kept, the
    lowest peak that was found stays.

    Reports `run-again` (passed) for each run, and `limit-kept` (passed) or
    `over-limit` (missed) with the peaks before and after.

    Before, `%a` is live while `@large` runs:

    ```mlir
    %a = loop.kernel @cheap ins(%p = %x : tensor<1024xf32>) ...
    %b = loop.kernel @reads ins(%p = %a : tensor<1024xf32>) ...
    %c = loop.kernel @large ins(%p = %b : tensor<1xf32>) ...
    %d = loop.kernel @late ins(%p = %a : tensor<1024xf32>, %q = %c ...) ...
    ```

    After:

    ```mlir
    %a = loop.kernel @cheap ins(%p = %x : tensor<1024xf32>) ...
    %b = loop.kernel @reads ins(%p = %a : tensor<1024xf32>) ...
    %c = loop.kernel @large ins(%p = %b : tensor<1xf32>) ...
    %e = loop.kernel @cheap ins(%p = %x : tensor<1024xf32>) ...
    %d = loop.kernel @late ins(%p = %e : tensor<1024xf32>, %q = %c ...) ...
    ```
  }];
  let options = [
    Option<"limit", "limit", "::kiln::ByteCount", "0",
           "Bytes that the program may need at once, beside weights and inputs.">
  ];
}

def OrderKernelsPass : Pass<"loop-order-kernels", "::mlir::func::FuncOp"> {
  let summary = "Order kernels so that less memory is live at a time";
  let description = [{
    Simulates, at the size hints, the order of the program, one that always
    takes the ready kernel after which the least memory is live, and both of
    them with what is needed late made as late as it can, depth first; keeps the
    best. Calls with effects keep their order among each other. A kernel that
    makes the new contents of an argument (`loop.updates`) is then moved behind
    the last one that reads the argument, so that it can write in place. Kernels
    that do nothing else go to the end, side by side, as far as the peak allows; on a GPU
    so do those that make any results of the function from few bytes, which other kernels made
    for them alone, as parts of sums: they are one launch then.
    Reports `reordered` with the peaks before and after.

    Before, the new `%w` would be written while `@reads` still needs the old one:

    ```mlir
    %u = loop.kernel @update ins(%a = %w : tensor<1024xf32>) ...
    %r = loop.kernel @reads ins(%a = %w : tensor<1024xf32>) ...
    return %u, %r   // %u is the new contents of %w: loop.updates = 0
    ```

    After:

    ```mlir
    %r = loop.kernel @reads ins(%a = %w : tensor<1024xf32>) ...
    %u = loop.kernel @update ins(%a = %w : tensor<1024xf32>) ...
    ```
  }];
  let options = [
    Option<"updateTolerance", "update-tolerance", "::kiln::Fraction", "0.05",
           "How much the peak may grow, as a fraction, for updates to stand side "
           "by side.">
  ];
}

def SetTargetPass : Pass<"loop-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which processor kernels are for";
  let description = [{
    Sets `loop.target` on a module that has none. Without options that is the
    target which passes assume anyway. A module that states its target keeps it:
    its schedules were chosen for that one. With `chip` it is a GPU, of whose sizes
    `l2-bytes` and the last five options tell.

    `module {...}` becomes, with `vector-bits=512 vector-registers=32`:

    ```mlir
    module attributes {loop.target = #loop.target<vector_bits = 512,
                       vector_registers = 32, ...>} {...}
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "::kiln::VectorBits", "256",
           "The width of a vector register in bits.">,
    Option<"vectorRegisters", "vector-registers", "::kiln::VectorRegisters",
           "16", "The number of vector registers.">,
    Option<"masks", "masks", "bool", "false",
           "Lanes of all types can be masked.">,
    Option<"l1Bytes", "l1-bytes", "::kiln::ByteCount", "32768",
           "The size of a core's first cache, 0 for none.">,
    Option<"l2Bytes", "l2-bytes", "::kiln::ByteCount", "524288",
           "The size of a core's second cache, 0 for none.">,
    Option<"l3Bytes", "l3-bytes", "::kiln::ByteCount", "16777216",
           "The size of the cache that cores share, 0 for none.">,
    Option<"streamBytes", "stream-bytes", "::kiln::ByteCount", "0",
           "The size of a result from which on it is better written past the "
           "caches, 0 for never.">,
    Option<"grainPoints", "grain-points", "::kiln::PositiveCount", "16384",
           "The points of a kernel's nests that are worth handing to a thread.">,
    Option<"grainNs", "grain-ns", "::kiln::Nanoseconds", "20000",
           "The nanoseconds of a launch that are worth handing to a thread.">,
    Option<"bf16", "bf16", "::kiln::loop::DotUnit",
           "::kiln::loop::DotUnit::Fma", "What multiplies bf16 fastest.",
           [{::llvm::cl::values(
             clEnumValN(::kiln::loop::DotUnit::Fma, "fma",
                        "multiply-adds of f32"),
             clEnumValN(::kiln::loop::DotUnit::Pairs, "pairs",
                        "products of two neighbours in the sum (AVX512-BF16)"),
             clEnumValN(::kiln::loop::DotUnit::Tiles, "tiles",
                        "registers of 16 by 16 sums (AMX)"))}]>,
    Option<"bytes", "bytes", "::kiln::loop::DotUnit",
           "::kiln::loop::DotUnit::Fma", "What multiplies bytes fastest.",
           [{::llvm::cl::values(
             clEnumValN(::kiln::loop::DotUnit::Fma, "fma",
                        "multiplications and additions of i32"),
             clEnumValN(::kiln::loop::DotUnit::Quads, "quads",
                        "products of four neighbours in the sum (AVX512-VNNI)"))}]>,
    Option<"threads", "threads", "::kiln::PositiveCount", "2",
           "The threads that run kernels side by side.">,
    Option<"chip", "chip", "std::string", "",
           "LLVM's name of a GPU, such as sm_90a; empty for a CPU.">,
    Option<"multiprocessors", "multiprocessors", "::kiln::PositiveCount", "132",
           "The streaming multiprocessors of the GPU.">,
    Option<"gpuThreads", "gpu-threads", "::kiln::PositiveCount", "2048",
           "The threads that are resident on one of them.">,
    Option<"gpuRegisters", "gpu-registers", "::kiln::PositiveCount", "65536",
           "The registers of 32 bits of one of them.">,
    Option<"sharedBytes", "shared-bytes", "::kiln::ByteCount", "232448",
           "The most shared memory of a block.">,
    Option<"tf32", "tf32", "bool", "false",
           "Products of f32 may be those of factors rounded to tf32.">,
    Option<"convTf32", "conv-tf32", "bool", "false",
           "The same of products that convolutions are made of.">,
    Option<"deterministic", "deterministic", "bool", "false",
           "Floats are added up in order on a GPU, so that each run gives the same "
           "bits.">
  ];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def ChooseSchedulePass
    : Pass<"loop-choose-schedule", "::mlir::func::FuncOp"> {
  let summary = "Choose how the code of each kernel is laid out";
  let description = [{
    Sets a schedule (LoopSchedules.td) on each kernel that has none. Which one
    follows from what the kernel reads: `across` if its nests are pointwise,
    reduce over other dimensions than that along which memory lies, or scan in long
    steps by a combiner, which would wait for each other along a row; `within` if a
    nest reduces along memory, sorts, or keeps a row; `transpose` if a pointwise
    kernel reads along memory only across its last dimension; a contraction is
    `packed` or skinny if it is a matrix product of some size, otherwise it is a
    reduction of products. The numbers are chosen by the functions of Schedules.h
    for the module's target (`loop.target`).

    For a GPU (`#loop.gpu`) it is `gpu_rows` where a nest reduces along memory and
    threads can share its row, `gpu_columns` where several nests have the same columns across
    memory, `gpu_scatter` for a scatter, and else `gpu_across`.

    ```mlir
    %r = loop.kernel @k ins(%a = %x : tensor<64xf32>) shared [64]
        -> tensor<64xf32> {...}
    // becomes
    %r = loop.kernel @k ins(%a = %x : tensor<64xf32>) shared [64]
        schedule #loop.across<lanes = 8, chunk = 32, sum_block = 0,
                              masked = false, grain = 512> -> tensor<64xf32> {...}
    ```

    Fails where a tensor has dynamic sizes without names, or an argument strides
    for another rank. Reports `scheduled` with the schedule.
  }];
}

def FuseChecksPass : Pass<"loop-fuse-checks", "::mlir::func::FuncOp"> {
  let summary = "Have kernels of a GPU look at the indices that they read";
  let description = [{
    Assumes schedules. A check is a kernel that finds whether all of some elements have
    something, and the call that ends the run if one has not. Where another kernel reads each
    of them, at its points and nowhere else, it looks at them itself (`loop.assert`), and the check is gone with its
    two launches: the elements are read anyway, and a comparison beside what it does with them costs
    nothing. What is read with them stays where it is: positions are still kept within their tensors.

    Before:

    ```mlir
    %f = loop.kernel @check ins(%a = %x : tensor<128xi64>) shared [] ... {
      %r = loop.reduce parallel () in [] reduction (%i) in [128] <all> : tensor<i1> {
        %e = loop.load %a[%i] : tensor<128xi64>
        %less = arith.cmpi ult, %e, %c500 : i64
        loop.yield %less : i1
      }
      ...
    loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "index out of range in self"] ...
    %g = loop.kernel @gather ins(%a = %x : tensor<128xi64>, ...) shared [128, 64] ... {
      %p = loop.pointwise (%i, %j) in [128, 64] : tensor<128x64xf32> {
        %e = loop.load %a[%i] : tensor<128xi64>
        ...
    ```

    After:

    ```mlir
    %g = loop.kernel @gather ins(%a = %x : tensor<128xi64>, ...) shared [128, 64] ... {
      %p = loop.pointwise (%i, %j) in [128, 64] : tensor<128x64xf32> {
        %e = loop.load %a[%i] : tensor<128xi64>
        %less = arith.cmpi ult, %e, %c500 : i64
        loop.assert %less, "aten._assert_async.msg: index out of range in self (at model.py:3)"
        ...
    ```

    Such kernels are those without products, whose schedules have bodies evaluated at each point of their
    domains: `gpu_across`, `gpu_rows`, `gpu_parts`, `gpu_columns`, `gpu_tile`, and `gpu_scatter` of points
    that were not sorted. Of two assertions that do not hold either may be told, as of launches beside each
    other. Reports `fused`, and `not-fused` of a check that stays as it is.
  }];
  let dependentDialects = ["::kiln::loop::LoopDialect"];
}

def AutotunePass : Pass<"loop-autotune", "::mlir::func::FuncOp"> {
  let summary = "Choose schedules by what was measured";
  let description = [{
    Assumes kernels with schedules. The search is here and the clock elsewhere:
    each kernel says what to measure (`loop.wanted`); whoever measures adds the
    times to `loop.measured` and runs the pass again, until nothing is wanted. At
    first its own schedule and the candidates of a cost model (Tuning.h) are wanted.
    With `descend` the search goes on from the fastest: schedules that differ from
    it in one number, twice or half as large; the fastest of them takes over, until
    none gains. What would win is wanted a second time, and its longer time counts.

    With `settle` the kernel gets the fastest schedule of those that were measured,
    or keeps its own if none is faster by more than `gain` percent, which is the
    noise of measuring. A table that is written by hand gives the same choice every
    time.

    ```mlir
    %r = loop.kernel @k ins(%a = %x : tensor<64xf32>) shared [64]
        schedule #loop.across<lanes = 8, chunk = 32, sum_block = 0,
                              masked = false, grain = 512>
        attributes {loop.measured = [
          {schedule = #loop.across<lanes = 8, chunk = 32, sum_block = 0,
                                   masked = false, grain = 512>, ns = 90.0},
          {schedule = #loop.across<lanes = 16, chunk = 32, sum_block = 0,
                                   masked = false, grain = 512>, ns = 60.0},
          {schedule = #loop.across<lanes = 4, chunk = 32, sum_block = 0,
                                   masked = false, grain = 512>,
           failure = "crashes: Illegal instruction"} ]} -> tensor<64xf32> {...}
    // becomes, with settle=true
    %r = loop.kernel @k ins(%a = %x : tensor<64xf32>) shared [64]
        schedule #loop.across<lanes = 16, chunk = 32, sum_block = 0,
                              masked = false, grain = 512> -> tensor<64xf32> {...}
    ```

    Kernels of a GPU have few candidates, of the kind that they have by default, and with
    `libraries` one more for each that has the product (`cublas`) or the convolution (`cudnn`)
    that they are.

    Fails for a table that is none, and for another library. With `settle`
    it reports `candidate` with the time of each, `refused` with the reason for what
    is not legal or failed, and `tuned` or `not-tuned`.
  }];
  let options = [
    Option<"contractions", "contractions", "bool", "true",
           "Tune kernels with contractions.">,
    Option<"nests", "nests", "bool", "true", "Tune other kernels.">,
    Option<"descend", "descend", "bool", "false",
           "Go on from the fastest candidate by coordinate descent.">,
    ListOption<"libraries", "libraries", "std::string",
               "Functions of these libraries of a GPU are candidates, too: cublas, cudnn.">,
    Option<"settle", "settle", "bool", "false",
           "Take the best of what was measured.">,
    Option<"gain", "gain", "::kiln::Bounded<int64_t, 0, 100>", "3",
           "The percentage by which a schedule must be faster.">,
    Option<"threads", "threads", "::kiln::Bounded<int64_t, 1, 65536>", "1",
           "The threads that kernels are measured on.">,
    Option<"megabytesPerSecond", "megabytes-per-second",
           "::kiln::PositiveCount", "20000",
           "What all threads read and write of memory.">,
    Option<"megaflopsPerSecond", "megaflops-per-second",
           "::kiln::PositiveCount", "100000",
           "What all threads multiply and add of f32, in millions a second.">
  ];
}

#endif // KILN_DIALECT_LOOP_TRANSFORMS_PASSES
