//===- LoopOps.td - Loop nests and their bodies ------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPOPS
#define KILN_DIALECT_LOOP_IR_LOOPOPS

include "kiln/Dialect/Loop/IR/LoopAttrs.td"
include "kiln/Dialect/Loop/IR/LoopInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class Loop_Op<string mnemonic, list<Trait> traits = []>
    : Op<Loop_Dialect, mnemonic, traits>;

/// A loop nest: extents, a body over index arguments, tensors out. `origins`
/// names the captured nodes it stands for, in the order of the graph; logs and
/// kernel names are made of them. `methods` are
/// those of its interface that it does not take the default of.
class Loop_NestOp<string mnemonic, list<string> methods = [],
                  list<Trait> traits = []>
    : Loop_Op<mnemonic, !listconcat([
        Pure,
        DeclareOpInterfaceMethods<OpAsmOpInterface,
                                  ["getAsmBlockArgumentNames"]>,
        DeclareOpInterfaceMethods<Loop_NestOpInterface, methods>
      ], traits)> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

def Loop_PointwiseOp : Loop_NestOp<"pointwise"> {
  let summary = "Compute each element of a tensor from its indices";
  let description = [{
    The body is evaluated once per point of the domain, in any order. It has one
    `index` argument per extent and yields the element at that index. The shape
    of the result is the list of extents.

    A body may use its indices, `loop.load` of any tensor defined above, scalar
    constants defined above, `loop.index`, `arith` and `math` operations, and
    `loop.assert` for a GPU.

    Constraints:
    - (C1) the result has as many dimensions as there are extents, and static
      dimensions equal them.
    - (C2) the body has one `index` argument per extent.
    - (C3) the body yields one value of the result's element type (a signless
      integer where that type has a sign).

    Example:

    ```mlir
    %e = loop.pointwise (%b, %i) in [s77, 4] origins ["exp"]
        : tensor<?x4xf32, #guard.shape<[s77, 4]>> {
      %x = loop.load %t[%b, %i] : tensor<?x4xf32, #guard.shape<[s77, 4]>>
      %y = math.exp %x : f32
      loop.yield %y : f32
    }
    ```
  }];
  let arguments = (ins Loop_ExprArrayAttr:$extents,
                       OptionalAttr<StrArrayAttr>:$origins);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    /// Makes the body block with its index arguments and leaves it empty.
    OpBuilder<(ins "::mlir::RankedTensorType":$type,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$extents,
                   CArg<"::mlir::ArrayAttr", "{}">:$origins)>
  ];
}

def Loop_ReduceOp
    : Loop_NestOp<"reduce", [], [Loop_AccumulationOpInterface]> {
  let summary = "Reduce a body's values over some dimensions";
  let description = !strconcat([{
    The body has one `index` argument per parallel and then per reduction
    extent, and yields one value per accumulator, of the accumulator's type. Each
    accumulator is a result, whose shape is the parallel extents. Where a result's
    element type is a narrower float or integer than the accumulator, the final value is
    rounded (or wrapped) to it; that is how f32 sums in f64.

    `kinds` says how accumulators combine: records of LoopReductions.td. A kind
    covers one accumulator, save:
  }], Loop_ReductionKind.meanings, [{

    `min` and `max` yield NaN if any value is NaN. An empty reduction of a kind
    with identity gives the identity (0 for sum and any, 1 for prod and all,
    the infinities or the integer bounds for max and min).

    Constraints:
    - (C1) there is at least one reduction extent.
    - (C2) the kinds cover exactly the accumulators.
    - (C3) each result's shape is the parallel extents.
    - (C4) the body has one `index` argument per extent and yields one value
      per accumulator.
    - (C5) init values and a combiner are there for `generic` and only there.
    - (C6) each accumulator has a type that its kind carries: any, all and xor
      integers, welford floats; the index of argmax is `i64`.

    Example:

    ```mlir
    %z = loop.reduce parallel (%b, %i) in [s77, 4] reduction (%j) in [8] <sum>
        : tensor<?x4xf32, #guard.shape<[s77, 4]>> {
      %x = loop.load %e[%b, %i, %j] : tensor<?x4x8xf32, #guard.shape<[s77, 4, 8]>>
      loop.yield %x : f32
    }
    ```
  }]);
  let arguments = (ins Variadic<AnyType>:$inits,
                       Loop_ExprArrayAttr:$parallelExtents,
                       Loop_ExprArrayAttr:$reductionExtents,
                       Loop_ReductionKindArrayAttr:$kinds,
                       OptionalAttr<StrArrayAttr>:$origins);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$combiner);
  let skipDefaultBuilders = 1;
  let builders = [
    /// A reduction of named kinds; leaves the body block empty.
    OpBuilder<(ins "::mlir::TypeRange":$types,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$parallel,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$reduction,
                   "::llvm::ArrayRef<::kiln::loop::ReductionKind>":$kinds,
                   CArg<"::mlir::ArrayAttr", "{}">:$origins)>
  ];
}

/// A nest that walks one dimension for each row of its parallel domain and
/// gives a value per point of both.
class Loop_RowOp<string mnemonic, list<string> methods = [],
                 list<Trait> traits = []>
    : Loop_NestOp<mnemonic, !listconcat(["getRowDimension"], methods), traits> {
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    /// The extents of the results: the row's stands at `dimension`.
    ::llvm::SmallVector<::kiln::guard::ExprAttr> getResultExtents();
  }];
}

def Loop_ScanOp : Loop_RowOp<"scan", [], [Loop_AccumulationOpInterface]> {
  let summary = "Running sums, products, extrema along a dimension";
  let description = [{
    A reduction of which every intermediate value is kept. The body has one
    `index` argument per parallel extent and one more, the position in the row,
    and yields one value per accumulator. Along the row values are joined with
    the accumulators one after the other, first to last, and the accumulators
    after each join are the elements of the results: the scan is inclusive. The
    order of the elements is part of the meaning; which neighbours are joined first
    is not. So a combiner is associative, up to rounding, and what it starts from
    changes nothing on its right: `combine(init, x)` is `x`.

    The shape of a result is the parallel extents with the extent of the row
    inserted at `dimension`. Kinds, init values, the combiner and rounding are
    those of `loop.reduce`.

    Constraints:
    - (C1) `dimension` is at most the number of parallel extents.
    - (C2) the kinds cover exactly the accumulators.
    - (C3) each result's shape is the parallel extents with that of the row.
    - (C4) the body has one `index` argument per extent and yields one value
      per accumulator.
    - (C5) init values and a combiner are there for `generic` and only there.
    - (C6) each accumulator has a type that its kind carries: any, all and xor
      integers, welford floats; the index of argmax is `i64`.

    Example:

    ```mlir
    %s = loop.scan parallel (%i) in [4] along (%j) in [8] at 1 <sum>
        : tensor<4x8xf32> {
      %x = loop.load %t[%i, %j] : tensor<4x8xf32>
      %w = arith.extf %x : f32 to f64
      loop.yield %w : f64
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inits,
                       Loop_ExprArrayAttr:$parallelExtents,
                       Loop_ExprAttr:$rowExtent, I64Attr:$dimension,
                       Loop_ReductionKindArrayAttr:$kinds,
                       OptionalAttr<StrArrayAttr>:$origins);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$combiner);
  let builders = [
    /// Leaves the body block empty, and the combiner without one.
    OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$inits,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$parallel,
                   "::kiln::guard::ExprAttr":$row, "int64_t":$dimension,
                   "::llvm::ArrayRef<::kiln::loop::ReductionKind>":$kinds,
                   CArg<"::mlir::ArrayAttr", "{}">:$origins)>
  ];
}

def Loop_SortOp : Loop_RowOp<"sort", ["holdsRow"]> {
  let summary = "Where the elements of each row stand in sorted order";
  let description = [{
    The body has one `index` argument per parallel extent and one more, the
    position in the row, and yields the keys of that element: integers, compared
    as signed numbers, the first key first. Element k of a row of the result is
    the position of the element that is k-th in ascending order. The order is
    stable: of elements with equal keys the earlier one comes first.

    With `keeping` only so many elements of the order are asked for, the first
    ones: what comes behind them need not be put in order. Else all of the row are.

    How floats, NaN and descending orders become keys is the body's business
    (a float's bits, flipped below zero, compare as it does), and so is what is
    then read at the positions.

    The shape of the result is the parallel extents with the extent of what is
    kept inserted at `dimension`.

    Constraints:
    - (C1) `dimension` is at most the number of parallel extents.
    - (C2) the result's shape is the parallel extents with that of what is kept.
    - (C3) the result's elements are `i64`.
    - (C4) the body has one `index` argument per extent and yields at least one
      integer, of at least 8 bits.
    - (C5) no more elements are kept than a row has, as far as both are known.

    Example, the positions of the three least elements of each row:

    ```mlir
    %p = loop.sort parallel (%i) in [4] along (%j) in [8] keeping [3] at 1
        : tensor<4x3xi64> {
      %x = loop.load %t[%i, %j] : tensor<4x8xi32>
      loop.yield %x : i32
    }
    ```
  }];
  let arguments = (ins Loop_ExprArrayAttr:$parallelExtents,
                       Loop_ExprAttr:$rowExtent, Loop_ExprAttr:$keptExtent,
                       I64Attr:$dimension,
                       OptionalAttr<StrArrayAttr>:$origins);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    /// Leaves the body block empty.
    OpBuilder<(ins "::mlir::RankedTensorType":$type,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$parallel,
                   "::kiln::guard::ExprAttr":$row,
                   "::kiln::guard::ExprAttr":$kept, "int64_t":$dimension,
                   CArg<"::mlir::ArrayAttr", "{}">:$origins)>
  ];
  let extraClassDeclaration = [{
    /// The extents of the result: what is kept stands at `dimension`.
    ::llvm::SmallVector<::kiln::guard::ExprAttr> getResultExtents();
    /// True if all elements of a row are put in order.
    bool keepsAll() { return getKeptExtent() == getRowExtent(); }
  }];
}

def Loop_ScatterOp : Loop_NestOp<"scatter",
    ["getInitialTensor", "isOrdered", "standsAlone"]> {
  let summary = "Write values of a body at computed positions";
  let description = [{
    Starts from the values of `init` and visits the domain in row-major order.
    For each point the body gives a value and the position it goes to; the
    element there is replaced (`set`), or joined with the value: its sum
    (`add`), product (`prod`), lesser (`min`) or greater (`max`). A NaN wins
    against every number. The order is part of the meaning: among writes to one
    position the last wins, and values are joined one after the other.

    A position outside the result is not checked: the body must clamp it, or
    mask the write with `if`.

    With `reading` the body sees the result as the points before have left it,
    as a last argument that it may `loop.load`. So recurrences in several
    dimensions are written: a triangular solve, a factorization.

    The first `independent` extents are those of the first dimensions of the
    result: each of their points reads and writes its own part, and they are
    visited in any order.

    With `grouped` points that write to one element follow each other along the first
    extent, whatever the other indices are: no point between two of them writes
    elsewhere. Points that write nothing are anywhere but between them. That is a promise, made
    where points have been sorted, and no part of the meaning.

    Constraints:
    - (C1) the result's type is the type of `init`.
    - (C2) the body has one `index` argument per extent, and one more of the
      result's type or none.
    - (C3) `loop.yield_at` gives one position per dimension of the result and a
      value of its element type (or a wider float, if they are joined).
    - (C4) there are at least as many extents and dimensions as independent
      ones; those extents are the sizes of the result's first dimensions, and
      the position there is the index itself, as is that of every read of what
      has been written.
    - (C5) with `grouped` there is an extent at least, the body does not read what has
      been written, and every index but the first is one of the positions.

    Example:

    ```mlir
    %r = loop.scatter (%n, %d) in [6, 4] into %zero <add> : tensor<10x4xf32> {
      %i = loop.load %index[%n] : tensor<6xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %grad[%n, %d] : tensor<6x4xf32>
      loop.yield_at %x at [%p, %d] : f32
    }
    // Fibonacci's numbers, two rows of them, if %ones is that.
    %f = loop.scatter (%r, %k) in [2, 6] independent 1 reading %now into %ones
        <set> : tensor<2x8xi64> {
      %x = loop.load %now[%r, %k] : tensor<2x8xi64>
      %y = loop.load %now[%r, %k + 1] : tensor<2x8xi64>
      %z = arith.addi %x, %y : i64
      %p = loop.index (%k + 2)
      loop.yield_at %z at [%r, %p] : i64
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$init, Loop_ExprArrayAttr:$extents,
                       Loop_ScatterKindAttr:$kind,
                       DefaultValuedAttr<I64Attr, "0">:$independent,
                       UnitAttr:$grouped,
                       OptionalAttr<StrArrayAttr>:$origins);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$init,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$extents,
                   "::kiln::loop::ScatterKind":$kind,
                   CArg<"::mlir::ArrayAttr", "{}">:$origins,
                   CArg<"int64_t", "0">:$independent)>
  ];
  let extraClassDeclaration = [{
    /// The argument of the body that is the result so far, or null.
    ::mlir::BlockArgument getWritten();
    /// Adds that argument, after which the body is one that reads.
    ::mlir::BlockArgument addWritten();
  }];
}

def Loop_ContractOp : Loop_NestOp<"contract",
    ["getDimensionOf", "getBodyExtents", "getOperandReads", "standsAlone"]> {
  let summary = "Sum products of two operands over some dimensions";
  let description = [{
    The domain has parallel and then reduction dimensions; expressions name them
    `d0`, `d1`, ... in that order. Each operand has one index expression per
    dimension of its tensor: a matrix product reads `[d0, d2]` and `[d2, d1]`, a
    convolution `d2 * stride + d5 * dilation - padding`. Where an operand has a
    mask, a zero is read wherever the mask expression is 0; without one every
    index is in bounds.

    The value is `sum over reduction of lhs * rhs`, both converted to `accType`
    first, summed in `accType`. An operand's prologue region maps the loaded
    element to the one that is multiplied. The epilogue maps the accumulator and
    the parallel indices to the element of the result, and may `loop.load`
    other tensors there. Without an epilogue the accumulator is converted to the
    element type of the result. Without reduction extents, or with an extent 0
    among them, the sum has one or no term.

    Constraints:
    - (C1) the result's shape is the parallel extents.
    - (C2) an operand has as many index expressions as dimensions; they use
      `d<k>` below the number of domain dimensions.
    - (C3) the accumulator is f32, f64 or an integer, and factors, which are what
      prologues yield, are floats if it is one and integers if not.
    - (C4) a prologue has one argument, of the operand's element type; the
      epilogue one of `accType` and an `index` per parallel extent. It yields the
      result's element type.
    - (C5) a mask is given for both operands or for neither (`masks` empty).
    - (C6) without masks no index leaves its dimension. That is checked where all
      extents and the size are numbers and the index is a sum of dimensions with
      factors.
    - (C7) ends are i32, one for each group, and the group and the member are two
      dimensions of the domain, of which one is reduced and the other is not.

    With `groups %ends(dG, dM)` members of dimension dM are in groups that follow each
    other: a product counts only where `ends[dG - 1] <= dM < ends[dG]`, the first group
    beginning at 0. Ends are taken to be within 0 and the extent of dM, and to ascend;
    what they say otherwise leaves elements of the groups concerned without a meaning.
    So rows that are sorted by the matrix they are multiplied with are written (the
    experts of a mixture), if the group is reduced; and the gradients of these
    matrices, if the member is.

    Examples:

    ```mlir
    // Rows [ends[g - 1], ends[g]) of %x by matrix g.
    %y = loop.contract parallel [64, 16] reduction [4, 32]
        lhs %x[d0, d3] : tensor<64x32xf32> rhs %w[d2, d3, d1] : tensor<4x32x16xf32>
        groups %ends(d2, d0) : tensor<4xi32> acc f32 : tensor<64x16xf32>
    ```

    ```mlir
    %c = loop.contract parallel [8, 16] reduction [32]
        lhs %a[d0, d2] : tensor<8x32xf32> rhs %b[d2, d1] : tensor<32x16xf32>
        acc f32 : tensor<8x16xf32> epilogue (%acc, %i, %j) {
      %x = loop.load %bias[%j] : tensor<16xf32>
      %y = arith.addf %acc, %x : f32
      loop.yield %y : f32
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
                       Optional<AnyRankedTensor>:$ends,
                       Loop_ExprArrayAttr:$parallelExtents,
                       Loop_ExprArrayAttr:$reductionExtents,
                       Loop_ExprArrayAttr:$lhsIndices,
                       Loop_ExprArrayAttr:$rhsIndices,
                       Loop_ExprArrayAttr:$masks, TypeAttr:$accType,
                       OptionalAttr<DenseI64ArrayAttr>:$groups,
                       OptionalAttr<StrArrayAttr>:$origins);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region MaxSizedRegion<1>:$lhsPrologue,
                        MaxSizedRegion<1>:$rhsPrologue,
                        MaxSizedRegion<1>:$epilogue);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::RankedTensorType":$type, "::mlir::Value":$lhs,
                   "::mlir::Value":$rhs,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$parallel,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$reduction,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$lhsIndices,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$rhsIndices,
                   "::mlir::Type":$accType,
                   CArg<"::mlir::ArrayAttr", "{}">:$origins)>
  ];
  let extraClassDeclaration = [{
    /// Adds an epilogue block with its arguments (accumulator, indices).
    ::mlir::Block *addEpilogue(::mlir::OpBuilder &builder);
    /// Only products of a member of dimension `member` with its own group count.
    void setGroups(::mlir::Value ends, unsigned group, unsigned member);
    /// True if members are in groups; the two functions below are of such alone.
    bool isGrouped() { return bool(getEnds()); }
    unsigned getGroupDim() { return (*getGroups())[0]; }
    unsigned getMemberDim() { return (*getGroups())[1]; }
    /// True if each row (or column) of the result is of one group; else the members
    /// are summed up, and each group has a result.
    bool hasGroupedRows() {
      return getMemberDim() < getParallelExtents().size();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Inside bodies
//===----------------------------------------------------------------------===//

def Loop_LoadOp : Loop_Op<"load", [Pure, AttrSizedOperandSegments]> {
  let summary = "Read one element of a tensor";
  let description = [{
    Index k of the element is `map[k]`, an expression over the `indices`
    operands (`d0` is the first) and symbols. An operand may be an index of a
    body or computed there (an indirect load).

    With a mask the element is read only where the mask is true; elsewhere the
    result is `other`, and the index may be out of bounds.

    Elements of `i1` tensors are bytes 0 or 1 in memory and `i1` here; elements
    of tensors of signed or unsigned integers are signless here.

    Constraints:
    - (C1) the map has one expression per dimension of the tensor.
    - (C2) expressions use `d<k>` only for existing index operands.
    - (C3) mask and other come together.
    - (C4) without a mask no index leaves its dimension. That is checked where
      `indices` are indices of a body, extents and size are numbers, and the
      index is a sum with factors.

    Examples:

    ```mlir
    %x = loop.load %t[%i, %j] : tensor<4x8xf32>
    %y = loop.load %t[floordiv(%i, 2), %j + 1] : tensor<4x8xf32>
    %z = loop.load %t[%i, %j - 4] mask %in, %zero : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, Variadic<Index>:$indices,
                       Optional<I1>:$mask, Optional<AnyType>:$other,
                       Loop_ExprArrayAttr:$map);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$tensor, "::mlir::ValueRange":$indices,
                   "::llvm::ArrayRef<::kiln::guard::ExprAttr>":$map,
                   CArg<"::mlir::Value", "{}">:$mask,
                   CArg<"::mlir::Value", "{}">:$other)>,
    /// The element at exactly `indices`.
    OpBuilder<(ins "::mlir::Value":$tensor, "::mlir::ValueRange":$indices)>
  ];
}

def Loop_IndexOp : Loop_Op<"index", [Pure]> {
  let summary = "The value of an expression over indices and symbols";
  let description = [{
    Gives the value of `expr`, where `d<k>` is the k-th operand.

    Example: `%v = loop.index (%i * 2 + s77)`
  }];
  let arguments = (ins Variadic<Index>:$indices, Loop_ExprAttr:$expr);
  let results = (outs Index:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Loop_NumberOp : Loop_Op<"number", [Pure,
    ParentOneOf<["PointwiseOp", "ReduceOp", "ScanOp", "SortOp", "ContractOp",
                 "ScatterOp"]>]> {
  let summary = "A number that is no part of the code";
  let description = [{
    Gives `value`, which `convert-loop-to-scf` makes an argument of the launch:
    kernels that differ in such numbers alone share a function. It is for what
    each layer of a model has its own of, as the number of a draw of random
    words. Code is made for sizes, indices and all other constants.

    Example: `%n = loop.number 5`
  }];
  let arguments = (ins I64Attr:$value);
  let results = (outs I64:$result);
  let assemblyFormat = "$value attr-dict";
}

def Loop_AssertOp : Loop_Op<"assert", [MemoryEffects<[MemWrite]>,
    ParentOneOf<["PointwiseOp", "ReduceOp", "ScatterOp"]>]> {
  let summary = "What must hold at each point";
  let description = [{
    Where `condition` is false the run ends with `message`, as whoever waits for the
    kernel is told; what the kernel has written by then is nobody's. It is for kernels of a
    GPU: those of a processor cannot fail, and are followed by a call instead. Kernels that
    differ in such messages alone share a function.

    Example: `loop.assert %inside, "aten._assert_async.msg: index out of range in self"`
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Loop_YieldOp : Loop_Op<"yield", [Pure, Terminator,
    ParentOneOf<["PointwiseOp", "ReduceOp", "ScanOp", "SortOp",
                 "ContractOp"]>]> {
  let summary = "The values of a body";
  let description = [{ Example: `loop.yield %x : f32` }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Loop_YieldAtOp : Loop_Op<"yield_at", [Pure, Terminator,
    AttrSizedOperandSegments, HasParent<"ScatterOp">]> {
  let summary = "A value of a scatter's body, and where it goes";
  let description = [{
    With a condition, nothing is written where it is false.

    Example: `loop.yield_at %x at [%p, %d] if %valid : f32`
  }];
  let arguments = (ins AnyType:$value, Variadic<Index>:$position,
                       Optional<I1>:$condition);
  let assemblyFormat = [{
    $value `at` `[` $position `]` (`if` $condition^)? attr-dict `:` type($value)
  }];
}

#endif // KILN_DIALECT_LOOP_IR_LOOPOPS
