//===- CompositeViews.cpp - Views, joins and splits made of others --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

namespace kiln::aten {

/// `x` with at least `rank` dimensions, as `atleast_<rank>d` adds them.
static Value atLeast(Composite &c, Value x, int64_t rank) {
  int64_t have = Composite::rankOf(x);
  if (have == 0 && rank >= 1)
    x = c.view(x, Composite::Ints{1});
  if (have <= 1 && rank >= 2)
    x = c.unsqueeze(x, 0);
  if (have <= 2 && rank >= 3)
    x = c.unsqueeze(x, -1);
  return x;
}

static Values atLeast(Composite &c, mlir::ValueRange tensors, int64_t rank) {
  Values result;
  for (Value tensor : tensors)
    result.push_back(atLeast(c, tensor, rank));
  return result;
}

Value decomposeAtLeast(const TensorArgs &args, Composite &c, unsigned rank) {
  return atLeast(c, args.self, rank);
}

Values decomposeAtLeast(const TensorsArgs &args, Composite &c, unsigned rank) {
  return atLeast(c, args.tensors, rank);
}

/// The transposed matrices, conjugated where they are complex.
Value decomposeAdjoint(const TensorArgs &args, Composite &c) {
  if (Composite::rankOf(args.self) == 0)
    return args.self;
  return c.conjugate(c.transposeLast(args.self));
}

static Values copies(Composite &c, ArrayRef<Value> views) {
  Values result;
  for (Value view : views)
    result.push_back(c.clone(view));
  return result;
}

Values decomposeSplitCopies(const SplitArgs &args, Composite &c) {
  return copies(c, c.splitTensor(args.self, args.splitSize, args.dim).all());
}

Values decomposeSplitCopies(const SplitSizesArgs &args, Composite &c) {
  return copies(c,
                c.splitWithSizes(args.self, args.splitSizes, args.dim).all());
}

/// Parts along the rows, columns or the third dimension.
Values decomposeSplitAlong(const SplitAlongArgs &args, Composite &c,
                           unsigned dim) {
  // What has one dimension has columns only.
  int64_t along = dim == 1 && Composite::rankOf(args.self) <= 1 ? 0 : dim;
  if (args.sections)
    return c.tensorSplitSections(args.self, *args.sections, along).all();
  SmallVector<ExprAttr> indices =
      guard::getConstants(c.getContext(), args.indices);
  return c.tensorSplitIndices(args.self, indices, along).all();
}

/// Blocks along the diagonal.
Value decomposeBlockDiag(BlockDiagOp op, Composite &c) {
  SmallVector<Value> blocks;
  ExprAttr columns = c.expr(0);
  for (Value tensor : llvm::to_vector(op.getTensors())) {
    blocks.push_back(atLeast(c, tensor, 2));
    columns = columns + c.sizeOf(blocks.back(), 1);
    if (Composite::rankOf(blocks.back()) != 2)
      return {};
  }
  ExprAttr before = c.expr(0);
  for (Value &block : blocks) {
    ExprAttr width = c.sizeOf(block, 1);
    block = c.constantPad(block, {before, columns - before - width}, 0);
    before = before + width;
  }
  return c.concat(blocks, 0);
}

/// Sequences side by side, filled up to the longest.
Value decomposePadSequence(PadSequenceOp op, Composite &c) {
  SmallVector<Value> sequences = llvm::to_vector(op.getSequences());
  bool batchFirst = op.getBatchFirst(), left = op.getPaddingSide() == "left";
  ExprAttr longest;
  for (Value sequence : sequences) {
    if (Composite::rankOf(sequence) == 0)
      return {};
    ExprAttr length = c.sizeOf(sequence, 0);
    longest = longest ? guard::max(longest, length) : length;
  }
  for (Value &sequence : sequences) {
    SmallVector<ExprAttr> widths(2 * Composite::rankOf(sequence), c.expr(0));
    ExprAttr missing = longest - c.sizeOf(sequence, 0);
    widths[widths.size() - (left ? 2 : 1)] = missing;
    sequence = c.unsqueeze(
        c.constantPad(sequence, widths, op.getPaddingValue().convertToDouble()),
        batchFirst ? 0 : 1);
  }
  return sequences.empty() ? Value() : c.concat(sequences, batchFirst ? 0 : 1);
}

/// How many there are in all the type says.
Value decomposeRepetitions(const RepetitionArgs &args, Composite &c) {
  Value x = args.self, repeats = args.repeats;
  auto type = llvm::cast<RankedTensorType>(args.op->getResult(0).getType());
  auto dims = guard::getDims(type);
  int64_t dim = args.dim ? c.place(*args.dim, type.getRank()) : 0;
  if (!dims || dim < 0 || dim >= type.getRank())
    return {};
  ExprAttr total = (*dims)[dim];
  if (!total.isConstant())
    return c.refuse("repetitions that only the run can count");
  Type i64 = c.getBuilder().getI64Type();
  if (x && !args.dim)
    x = c.row(x);
  // One number of repetitions stands for all.
  if (x) {
    ExprAttr count = c.sizeOf(x, dim);
    if (Composite::rankOf(repeats) == 0)
      repeats = c.unsqueeze(repeats, 0);
    repeats = c.expand(repeats, {count});
  }
  Value ends = c.cumsum(c.cast(repeats, i64), 0);
  Value places = c.iota(total, i64);
  Value slices = c.searchsortedTensor(ends, places, false, true);
  if (!x || !slices)
    return slices;
  return c.indexSelect(x, dim, slices);
}

Value decomposeTypeAs(TypeAsOp op, Composite &c) {
  return c.cast(op.getSelf(), Composite::elementTypeOf(op.getOther()));
}

Value decomposeToOther(ToOtherOp op, Composite &c) {
  Value x = c.cast(op.getSelf(), Composite::elementTypeOf(op.getOther()));
  return op.getCopy() && x == op.getSelf() ? c.clone(x) : x;
}

Value decomposeSumToSize(SumToSizeOp op, Composite &c) {
  return c.sumToSize(op.getSelf(), op.getSize().getDims());
}

Values decomposeSplitSizes(SplitSizesOp op, Composite &c) {
  return c.splitWithSizes(op.getSelf(), op.getSplitSize(), op.getDim()).all();
}

Values decomposeUnsafeChunk(UnsafeChunkOp op, Composite &c) {
  return copies(c, c.chunk(op.getSelf(), op.getChunks(), op.getDim()).all());
}

Value decomposeColumnStack(ColumnStackOp op, Composite &c) {
  SmallVector<Value> columns = llvm::to_vector(op.getTensors());
  for (Value &x : columns)
    if (Composite::rankOf(x) < 2)
      x = c.view(x, {Composite::numelOf(x), c.expr(1)});
  return c.concat(columns, 1);
}

Value decomposeDstack(DstackOp op, Composite &c) {
  return c.concat(atLeast(c, op.getTensors(), 3), 2);
}

Value decomposeDiag(DiagOp op, Composite &c) {
  Value x = op.getSelf();
  if (Composite::rankOf(x) == 1)
    return c.diagEmbed(x, op.getDiagonal());
  if (Composite::rankOf(x) != 2)
    return {};
  return c.clone(c.diagonal(x, op.getDiagonal()));
}

Value decomposeDiagflat(DiagflatOp op, Composite &c) {
  Value row = c.row(op.getSelf());
  return c.diagEmbed(row, op.getOffset());
}

Values decomposeMeshgridIndexing(MeshgridIndexingOp op, Composite &c) {
  SmallVector<Value> axes = llvm::to_vector(op.getTensors());
  bool swaps = op.getIndexing() == "xy" && axes.size() >= 2;
  if (swaps)
    std::swap(axes[0], axes[1]);
  Values grids(c.meshgrid(axes).all());
  if (swaps && !grids.empty())
    std::swap(grids[0], grids[1]);
  return grids;
}

Value decomposeIndexFillIntTensor(IndexFillIntTensorOp op, Composite &c) {
  Value x = op.getSelf(), index = op.getIndex();
  if (Composite::rankOf(op.getValue()) != 0)
    return {};
  auto dims = Composite::dimsOf(x);
  int64_t dim = int64_t(op.getDim());
  if (!dims.empty())
    dims[c.place(dim, dims.size())] = Composite::numelOf(index);
  Value value =
      c.expand(c.cast(op.getValue(), Composite::elementTypeOf(x)), dims);
  return c.indexCopy(x, op.getDim(), index, value);
}

Value decomposeScatterValueReduce(ScatterValueReduceOp op, Composite &c) {
  Value index = op.getIndex();
  Value source =
      c.fullLike(index, op.getValue(), Composite::elementTypeOf(op.getSelf()));
  return c.scatterReduce(op.getSelf(), op.getDim(), index, source,
                         op.getReduce());
}

Value decomposeEyeM(EyeMOp op, Composite &c) {
  Type type = op.getDtype().value_or(Type()), i64 = c.getBuilder().getI64Type();
  auto count = [&](ExprAttr size) { return c.iota(size, i64); };
  Value same = c.eq(c.unsqueeze(count(op.getN()), 1), count(op.getM()));
  return c.cast(same, type ? type : c.getBuilder().getF32Type());
}

Value decomposeCombinations(CombinationsOp op, Composite &c) {
  Value x = op.getSelf();
  int64_t r = int64_t(op.getR());
  if (Composite::rankOf(x) != 1)
    return {};
  if (r == 1)
    return c.clone(c.unsqueeze(x, 1));
  auto count = c.fixed(x, 0);
  if (r != 2 || !count)
    return c.refuse("combinations of more than two, or of how many "
                    "is not known");
  // [2, pairs], in the order of rows.
  Value pairs = c.triuIndices(*count, *count, op.getWithReplacement() ? 0 : 1);
  return c.indexTensor(x, {c.transposeLast(pairs)});
}

Value decomposeReshapeAlias(ReshapeAliasOp op, Composite &c) {
  return c.view(op.getSelf(), op.getSize().getDims());
}

Value decomposeReshapeCopy(ReshapeCopyOp op, Composite &c) {
  return c.clone(c.view(op.getSelf(), op.getSize().getDims()));
}

} // namespace kiln::aten
