//===- CompositeViews.cpp - Views, joins and splits made of others --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

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

static Values atLeastOf(Composite &c, int64_t rank) {
  Values result;
  for (Value tensor : c.tensors("tensors"))
    result.push_back(atLeast(c, tensor, rank));
  return result;
}

/// `x` with the dimensions `from` at `to`.
static Value moveDims(Composite &c, Value x, ArrayRef<int64_t> from,
                      ArrayRef<int64_t> to) {
  int64_t rank = Composite::rankOf(x);
  if (from.size() != to.size())
    return {};
  SmallVector<int64_t> order(rank, -1);
  SmallVector<bool> moved(rank, false);
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    int64_t s = c.place(source, rank);
    int64_t d = c.place(target, rank);
    if (s < 0 || s >= rank || d < 0 || d >= rank || moved[s] || order[d] >= 0)
      return {};
    moved[s] = true;
    order[d] = s;
  }
  int64_t next = 0;
  for (int64_t &dim : order) {
    if (dim >= 0)
      continue;
    while (moved[next])
      ++next;
    dim = next++;
  }
  return c.permute(x, order);
}

/// The transposed matrices, conjugated where they are complex.
static Value adjoint(Composite &c, Value x) {
  if (Composite::rankOf(x) == 0)
    return x;
  x = c.t(x);
  bool isComplex =
      x && llvm::isa<mlir::ComplexType>(Composite::elementTypeOf(x));
  return isComplex ? c.call("aten._conj", {x}) : x;
}

static Values copies(Composite &c, ArrayRef<Value> views) {
  Values result;
  for (Value view : views)
    result.push_back(c.clone(view));
  return result;
}

static Values splitAt(Composite &c, StringRef how, StringRef argument,
                      int64_t dim) {
  return Values(c.callMany(
      how, {c.self(), c.arg(argument), c.AtenBuilder::integer(dim)}));
}

/// Blocks along the diagonal.
static Value blockDiagonal(Composite &c) {
  SmallVector<Value> blocks;
  ExprAttr columns = c.expr(0);
  for (Value tensor : c.tensors("tensors")) {
    blocks.push_back(atLeast(c, tensor, 2));
    columns = columns + c.dimOf(blocks.back(), 1);
    if (Composite::rankOf(blocks.back()) != 2)
      return {};
  }
  ExprAttr before = c.expr(0);
  for (Value &block : blocks) {
    ExprAttr width = c.dimOf(block, 1);
    block = c.constantPad(block, {before, columns - before - width}, 0);
    before = before + width;
  }
  return c.cat(blocks, 0);
}

/// Sequences side by side, filled up to the longest.
static Value padSequence(Composite &c) {
  SmallVector<Value> sequences = c.tensors("sequences");
  bool batchFirst = c.flag("batch_first"), left = c.text("padding_side") == "left";
  ExprAttr longest;
  for (Value sequence : sequences) {
    if (Composite::rankOf(sequence) == 0)
      return {};
    ExprAttr length = c.dimOf(sequence, 0);
    longest = longest ? guard::max(longest, length) : length;
  }
  for (Value &sequence : sequences) {
    SmallVector<ExprAttr> widths(2 * Composite::rankOf(sequence), c.expr(0));
    ExprAttr missing = longest - c.dimOf(sequence, 0);
    widths[widths.size() - (left ? 2 : 1)] = missing;
    sequence = c.unsqueeze(
        c.constantPad(sequence, widths, c.real("padding_value")),
        batchFirst ? 0 : 1);
  }
  return sequences.empty() ? Value() : c.cat(sequences, batchFirst ? 0 : 1);
}

/// Each slice of `x` as often as `repeats` says, or without one the numbers of
/// the slices. How many there are in all the archive says.
static Value repeatEach(Composite &c, Value x, bool hasDim) {
  Value repeats = c.tensor("repeats");
  auto type = llvm::cast<RankedTensorType>(c.getRecorded().front());
  auto dims = guard::getDims(type);
  int64_t dim = hasDim ? c.place(c.integer("dim"), type.getRank()) : 0;
  if (!dims || dim < 0 || dim >= type.getRank())
    return {};
  ExprAttr total = (*dims)[dim];
  if (!total.isConstant())
    return c.refuse("repetitions that only the run can count");
  Type i64 = c.getBuilder().getI64Type();
  if (x && !hasDim)
    x = c.call("aten.reshape", {x, c.shape(Composite::numelOf(x))});
  // One number of repetitions stands for all.
  if (x) {
    ExprAttr count = c.dimOf(x, dim);
    if (Composite::rankOf(repeats) == 0)
      repeats = c.unsqueeze(repeats, 0);
    repeats = c.expand(repeats, count);
  }
  Value ends = c.cumsum(c.cast(repeats, i64), 0);
  Value places = c.arange(c.expr(0), total, c.expr(1), i64);
  Value slices = c.call("aten.searchsorted.Tensor",
                        {ends, places, c.boolean(false), c.boolean(true)});
  if (!x || !slices)
    return slices;
  return c.call("aten.index_select",
                {x, c.AtenBuilder::integer(dim), slices});
}

void pt2::addCompositeViews(CompositeTable &table) {
  for (StringRef name : {"mT", "mH", "adjoint", "matrix_H"}) {
    std::string schema = ("aten::" + name + "(Tensor(a) self) -> Tensor(a)").str();
    if (name == "mT")
      table.add(schema, [](Composite &c) { return Values{c.t(c.self())}; });
    else
      table.add(schema,
                [](Composite &c) { return Values{adjoint(c, c.self())}; });
  }
  for (StringRef name :
       {"positive", "lift", "lift_fresh", "resolve_conj", "resolve_neg"})
    table.add(("aten::" + name + "(Tensor(a) self) -> Tensor(a)").str(),
              [](Composite &c) { return Values{c.self()}; });
  for (StringRef name : {"conj", "conj_physical"})
    table.add(("aten::" + name + "(Tensor(a) self) -> Tensor(a)").str(),
              [](Composite &c) -> Values {
                Value x = c.self();
                bool isComplex = llvm::isa<mlir::ComplexType>(
                    Composite::elementTypeOf(x));
                return {isComplex ? c.call("aten._conj", {x}) : x};
              });
  table.add("aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)",
            [](Composite &c) { return Values{c.self()}; });
  table.add("aten::ravel(Tensor(a) self) -> Tensor(a)", [](Composite &c) {
    return Values{c.call(
        "aten.reshape", {c.self(), c.shape(Composite::numelOf(c.self()))})};
  });
  table.add("aten::movedim.intlist(Tensor(a) self, int[] source, int[] "
            "destination) -> Tensor(a)",
            [](Composite &c) {
              return Values{moveDims(c, c.self(), c.list("source"),
                                     c.list("destination"))};
            });
  table.add("aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, "
            "int dim2=-1) -> Tensor(a)",
            [](Composite &c) {
              return Values{c.call("aten.diagonal",
                                   {c.self(), c.arg("offset"), c.arg("dim1"),
                                    c.arg("dim2")})};
            });
  table.add("aten::type_as(Tensor self, Tensor other) -> Tensor",
            [](Composite &c) {
              return Values{c.cast(
                  c.self(), Composite::elementTypeOf(c.tensor("other")))};
            });
  table.add("aten::to.other(Tensor(a) self, Tensor other, bool "
            "non_blocking=False, bool copy=False, MemoryFormat? "
            "memory_format=None) -> Tensor(a)",
            [](Composite &c) -> Values {
              Value x = c.cast(c.self(),
                               Composite::elementTypeOf(c.tensor("other")));
              return {c.flag("copy") && x == c.self() ? c.clone(x) : x};
            });
  table.add("aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor",
            [](Composite &c) {
              return Values{c.sumToSize(c.self(), c.sizes("size"))};
            });

  table.add("aten::atleast_1d(Tensor self) -> Tensor",
            [](Composite &c) { return Values{atLeast(c, c.self(), 1)}; });
  table.add("aten::atleast_2d(Tensor self) -> Tensor",
            [](Composite &c) { return Values{atLeast(c, c.self(), 2)}; });
  table.add("aten::atleast_3d(Tensor self) -> Tensor",
            [](Composite &c) { return Values{atLeast(c, c.self(), 3)}; });
  table.add("aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]",
            [](Composite &c) { return atLeastOf(c, 1); });
  table.add("aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]",
            [](Composite &c) { return atLeastOf(c, 2); });
  table.add("aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]",
            [](Composite &c) { return atLeastOf(c, 3); });

  // Splits, of which the unsafe ones and the copies share no memory.
  table.add("aten::split.sizes(Tensor(a) self, SymInt[] split_size, int dim=0) "
            "-> Tensor(a)[]",
            [](Composite &c) {
              return Values(c.callMany(
                  "aten.split_with_sizes",
                  {c.self(), c.arg("split_size"), c.arg("dim")}));
            });
  for (StringRef name : {"unsafe_split", "split_copy"})
    table.add(("aten::" + name +
               ".Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]")
                  .str(),
              [](Composite &c) {
                return copies(c, c.callMany("aten.split.Tensor",
                                            {c.self(), c.arg("split_size"),
                                             c.arg("dim")}));
              });
  for (StringRef name : {"unsafe_split_with_sizes", "split_with_sizes_copy"})
    table.add(("aten::" + name +
               "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]")
                  .str(),
              [](Composite &c) {
                return copies(c, c.callMany("aten.split_with_sizes",
                                            {c.self(), c.arg("split_sizes"),
                                             c.arg("dim")}));
              });
  table.add("aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
            [](Composite &c) {
              return copies(c, c.callMany("aten.chunk",
                                          {c.self(), c.arg("chunks"),
                                           c.arg("dim")}));
            });
  table.add("aten::hsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]",
            [](Composite &c) {
              return splitAt(c, "aten.tensor_split.sections", "sections",
                             Composite::rankOf(c.self()) > 1);
            });
  table.add("aten::hsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]",
            [](Composite &c) {
              return splitAt(c, "aten.tensor_split.indices", "indices",
                             Composite::rankOf(c.self()) > 1);
            });
  table.add("aten::vsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]",
            [](Composite &c) {
              return splitAt(c, "aten.tensor_split.sections", "sections", 0);
            });
  table.add("aten::vsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]",
            [](Composite &c) {
              return splitAt(c, "aten.tensor_split.indices", "indices", 0);
            });
  table.add("aten::dsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]",
            [](Composite &c) {
              return splitAt(c, "aten.tensor_split.sections", "sections", 2);
            });
  table.add("aten::dsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]",
            [](Composite &c) {
              return splitAt(c, "aten.tensor_split.indices", "indices", 2);
            });

  // Joins.
  table.add("aten::column_stack(Tensor[] tensors) -> Tensor",
            [](Composite &c) {
              SmallVector<Value> columns = c.tensors("tensors");
              for (Value &x : columns)
                if (Composite::rankOf(x) < 2)
                  x = c.view(x, {Composite::numelOf(x), c.expr(1)});
              return Values{c.cat(columns, 1)};
            });
  table.add("aten::dstack(Tensor[] tensors) -> Tensor", [](Composite &c) {
    return Values{c.cat(atLeastOf(c, 3), 2)};
  });
  table.add("aten::block_diag(Tensor[] tensors) -> Tensor",
            [](Composite &c) { return Values{blockDiagonal(c)}; });
  table.add("aten::pad_sequence(Tensor[] sequences, bool batch_first=False, "
            "float padding_value=0., str padding_side=\"right\") -> Tensor",
            [](Composite &c) { return Values{padSequence(c)}; });

  // Diagonals and orders.
  table.add("aten::diag(Tensor self, int diagonal=0) -> Tensor",
            [](Composite &c) -> Values {
              Value x = c.self();
              if (Composite::rankOf(x) == 1)
                return {c.call("aten.diag_embed", {x, c.arg("diagonal")})};
              if (Composite::rankOf(x) != 2)
                return {};
              return {c.clone(
                  c.call("aten.diagonal", {x, c.arg("diagonal")}))};
            });
  table.add("aten::diagflat(Tensor self, int offset=0) -> Tensor",
            [](Composite &c) {
              Value row = c.call("aten.reshape",
                                 {c.self(),
                                  c.shape(Composite::numelOf(c.self()))});
              return Values{c.call("aten.diag_embed", {row, c.arg("offset")})};
            });
  table.add("aten::fliplr(Tensor self) -> Tensor", [](Composite &c) {
    return Values{c.call("aten.flip", {c.self(), c.ints({1})})};
  });
  table.add("aten::flipud(Tensor self) -> Tensor", [](Composite &c) {
    return Values{c.call("aten.flip", {c.self(), c.ints({0})})};
  });
  table.add("aten::msort(Tensor self) -> Tensor", [](Composite &c) {
    auto sorted = c.callMany("aten.sort", {c.self(), c.AtenBuilder::integer(0)});
    return sorted.empty() ? Values() : Values{sorted[0]};
  });
  table.add("aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> "
            "Tensor[]",
            [](Composite &c) -> Values {
              SmallVector<Value> axes = c.tensors("tensors");
              bool swaps = c.text("indexing") == "xy" && axes.size() >= 2;
              if (swaps)
                std::swap(axes[0], axes[1]);
              Values grids(c.callMany("aten.meshgrid",
                                      {aten::ArgValue(ArrayRef<Value>(axes))}));
              if (swaps && !grids.empty())
                std::swap(grids[0], grids[1]);
              return grids;
            });
  table.add("aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, "
            "Tensor value) -> Tensor",
            [](Composite &c) -> Values {
              Value x = c.self(), index = c.tensor("index");
              if (Composite::rankOf(c.tensor("value")) != 0)
                return {};
              auto dims = Composite::dimsOf(x);
              int64_t dim = c.integer("dim");
              if (!dims.empty())
                dims[c.place(dim, dims.size())] =
                    Composite::numelOf(index);
              Value value = c.expand(
                  c.cast(c.tensor("value"), Composite::elementTypeOf(x)), dims);
              return {c.call("aten.index_copy",
                             {x, c.arg("dim"), index, value})};
            });
  table.add("aten::scatter.value_reduce(Tensor self, int dim, Tensor index, "
            "Scalar value, *, str reduce) -> Tensor",
            [](Composite &c) {
              Value index = c.tensor("index");
              Value source = c.call(
                  "aten.full_like",
                  {index, c.scalar("value"),
                   c.AtenBuilder::type(Composite::elementTypeOf(c.self()))});
              return Values{c.call("aten.scatter.reduce",
                                   {c.self(), c.arg("dim"), index, source,
                                    c.arg("reduce")})};
            });
  table.add("aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? "
            "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
            [](Composite &c) {
              Type type = c.type("dtype"), i64 = c.getBuilder().getI64Type();
              auto count = [&](StringRef name) {
                return c.arange(c.expr(0), c.size(name), c.expr(1), i64);
              };
              Value same = c.eq(c.unsqueeze(count("n"), 1), count("m"));
              return Values{
                  c.cast(same, type ? type : c.getBuilder().getF32Type())};
            });
  table.add("aten::combinations(Tensor self, int r=2, bool "
            "with_replacement=False) -> Tensor",
            [](Composite &c) -> Values {
              Value x = c.self();
              int64_t r = c.integer("r");
              if (Composite::rankOf(x) != 1)
                return {};
              if (r == 1)
                return {c.clone(c.unsqueeze(x, 1))};
              auto count = c.fixed(x, 0);
              if (r != 2 || !count)
                return {c.refuse("combinations of more than two, or of how many "
                                 "is not known")};
              // [2, pairs], in the order of rows.
              Value pairs = c.call(
                  "aten.triu_indices",
                  {c.AtenBuilder::integer(*count),
                   c.AtenBuilder::integer(*count),
                   c.AtenBuilder::integer(c.flag("with_replacement") ? 0 : 1)});
              return {c.index(x, {c.t(pairs)})};
            });
  table.add("aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, "
            "int? dim=None, *, SymInt? output_size=None) -> Tensor",
            [](Composite &c) {
              return Values{repeatEach(c, c.self(), c.has("dim"))};
            });
  table.add("aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? "
            "output_size=None) -> Tensor",
            [](Composite &c) {
              return Values{repeatEach(c, Value(), false)};
            });
  table.add("aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) "
            "-> Tensor(a)",
            [](Composite &c) {
              return Values{c.view(c.self(), c.sizes("size"))};
            });
  table.add("aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor",
            [](Composite &c) {
              return Values{c.clone(c.view(c.self(), c.sizes("size")))};
            });
  table.add("aten::zero(Tensor self) -> Tensor",
            [](Composite &c) { return Values{c.zerosLike(c.self())}; });
}
