//===- FormulasOfViews.cpp - Views and rearrangements ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::aten::formula {

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value viewLike(FormulaBuilder &c, Value x, Value like) {
  return c.view(x, c.dimsOf(like));
}

Value copyOfView(FormulaBuilder &c, Value view, Value self) {
  return view == self ? c.clone(view) : view;
}

Value moveDim(FormulaBuilder &c, Value x, int64_t from, int64_t to) {
  int64_t rank = FormulaBuilder::rankOf(x);
  if (rank == 0)
    return x;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  from = FormulaBuilder::wrapDim(from, rank);
  order.erase(order.begin() + from);
  order.insert(order.begin() + FormulaBuilder::wrapDim(to, rank), from);
  return c.permute(x, order);
}

Value fillLike(FormulaBuilder &c, Value like, Value number) {
  if (FormulaBuilder::rankOf(number) != 0)
    return {};
  Value filled = c.expand(c.cast(number, FormulaBuilder::elementTypeOf(like)),
                          c.dimsOf(like));
  return copyOfView(c, filled, number);
}

Value convertLike(FormulaBuilder &c, Value x, Value like, bool copies) {
  Value result = c.cast(x, FormulaBuilder::elementTypeOf(like));
  return copies ? copyOfView(c, result, x) : result;
}

Value uninitialized(FormulaBuilder &c, Value like) {
  return c.emptyMemoryFormat(c.dimsOf(like),
                             FormulaBuilder::elementTypeOf(like));
}

Value half(FormulaBuilder &c, Value x, int64_t dim, int64_t which) {
  if (FormulaBuilder::rankOf(x) == 0)
    return {};
  ExprAttr size = c.dimOf(x, dim), middle = guard::floorDiv(size, 2);
  return which == 0 ? c.sliceTensor(x, dim, c.expr(0), middle)
                    : c.sliceTensor(x, dim, middle, size);
}

Value pair(FormulaBuilder &c, Value first, Value second, int64_t dim) {
  return c.concat({first, second}, dim);
}

Value trace(FormulaBuilder &c, Value x) {
  if (FormulaBuilder::rankOf(x) != 2)
    return {};
  return c.sum(c.diagonal(x));
}

Value asColumn(FormulaBuilder &c, Value x) {
  return FormulaBuilder::rankOf(x) == 1 ? c.unsqueeze(x, 1) : x;
}

Value batchInColumns(FormulaBuilder &c, Value x) {
  return c.view(c.permute(x, {1, 0, 2}),
                {c.dimOf(x, 1), guard::mul(c.dimOf(x, 0), c.dimOf(x, 2))});
}

Value batchInRows(FormulaBuilder &c, Value x) {
  return c.view(x, {guard::mul(c.dimOf(x, 0), c.dimOf(x, 1)), c.dimOf(x, 2)});
}

Value channelWeight(FormulaBuilder &c, Value x, Value weight) {
  int64_t rank = FormulaBuilder::rankOf(x);
  if (c.numelOf(weight).isConstant(1))
    return c.view(weight, ArrayRef<ExprAttr>());
  if (rank < 2)
    return {};
  Sizes sizes(rank, c.expr(1));
  sizes[1] = c.dimOf(weight, 0);
  return c.view(weight, sizes);
}

//===----------------------------------------------------------------------===//
// Repetition and order
//===----------------------------------------------------------------------===//

Value tile(FormulaBuilder &c, Value x, ArrayRef<ExprAttr> repeats) {
  Sizes all(repeats);
  while (all.size() < static_cast<size_t>(FormulaBuilder::rankOf(x)))
    all.insert(all.begin(), c.expr(1));
  return c.repeat(x, all);
}

Value repeatEach(FormulaBuilder &c, Value x, ExprAttr repeats,
                 OptionalDim dim) {
  if (!dim || FormulaBuilder::rankOf(x) == 0) {
    x = c.view(x, {c.numelOf(x)});
    dim = 0;
  }
  if (!x)
    return {};
  Sizes sizes = c.dimsOf(x);
  int64_t at = FormulaBuilder::wrapDim(*dim, sizes.size());
  Sizes grown = sizes;
  grown.insert(grown.begin() + at + 1, repeats);
  sizes[at] = guard::mul(sizes[at], repeats);
  Value result = c.view(c.expand(c.unsqueeze(x, at + 1), grown), sizes);
  return repeats.isConstant(1) && result ? c.clone(result) : result;
}

Value rotate(FormulaBuilder &c, Value x, int64_t quarters, Dims dims) {
  if (dims.size() != 2)
    return {};
  switch (((quarters % 4) + 4) % 4) {
  case 1:
    return c.transpose(c.flip(x, {dims[1]}), dims[0], dims[1]);
  case 2:
    return c.flip(x, dims);
  case 3:
    return c.transpose(c.flip(x, {dims[0]}), dims[0], dims[1]);
  default:
    return c.clone(x);
  }
}

Value differences(FormulaBuilder &c, Value x, int64_t n, int64_t dim,
                  Value prepend, Value append) {
  if (FormulaBuilder::rankOf(x) == 0 || n < 0)
    return {};
  Value original = x;
  if (n > 0 && (prepend || append)) {
    SmallVector<Value> parts;
    for (Value part : {prepend, x, append})
      if (part)
        parts.push_back(part);
    x = c.concat(parts, dim);
  }
  for (int64_t i = 0; i < n && x; ++i) {
    ExprAttr size = c.dimOf(x, dim);
    if (size.isConstant(0))
      break;
    Value low = c.sliceTensor(x, dim, c.expr(0), size - c.expr(1));
    Value high = c.sliceTensor(x, dim, c.expr(1), size);
    x = FormulaBuilder::elementTypeOf(x).isInteger(1) ? c.ne(high, low)
                                                      : c.sub(high, low);
  }
  return x ? copyOfView(c, x, original) : x;
}

Value takeAlong(FormulaBuilder &c, Value x, Value indices, OptionalDim dim) {
  if (!dim)
    return c.gather(c.view(x, {c.numelOf(x)}), 0,
                    c.view(indices, {c.numelOf(indices)}), false);
  int64_t rank = FormulaBuilder::rankOf(x);
  if (rank > 0) {
    // All other dimensions of both broadcast.
    int64_t at = FormulaBuilder::wrapDim(*dim, rank);
    Sizes wide = c.dimsOf(x), picked = c.dimsOf(indices);
    for (int64_t i = 0; i < rank; ++i)
      if (i != at)
        wide[i] = picked[i] = wide[i].isConstant(1) ? picked[i] : wide[i];
    x = c.expand(x, wide);
    indices =
        c.remainderScalar(c.expand(indices, picked), c.number(c.dimOf(x, at)));
  }
  return c.gather(x, *dim, indices, false);
}

Value join(FormulaBuilder &c, ValueRange tensors, int64_t rank) {
  SmallVector<Value> parts;
  for (Value tensor : tensors) {
    Sizes sizes = c.dimsOf(tensor);
    while (sizes.size() < static_cast<size_t>(rank))
      sizes.insert(sizes.begin(), c.expr(1));
    parts.push_back(c.view(tensor, sizes));
  }
  if (parts.empty() || llvm::is_contained(parts, Value()))
    return {};
  int64_t dim = rank == 1 && FormulaBuilder::rankOf(parts.front()) > 1 ? 1 : 0;
  return copyOfView(c, c.concat(parts, dim), tensors.front());
}

SmallVector<Value> grid(FormulaBuilder &c, ValueRange tensors) {
  Sizes all;
  for (Value tensor : tensors)
    all.push_back(c.numelOf(tensor));
  SmallVector<Value> result;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    Sizes own(all.size(), c.expr(1));
    own[i] = all[i];
    result.push_back(c.expand(c.view(tensor, own), all));
  }
  return result;
}

Value cartesian(FormulaBuilder &c, ValueRange tensors) {
  if (tensors.size() == 1)
    return c.clone(tensors.front());
  SmallVector<Value> columns;
  for (Value spread : grid(c, tensors)) {
    if (!spread)
      return {};
    columns.push_back(c.view(spread, {c.numelOf(spread), c.expr(1)}));
  }
  return columns.empty() ? Value() : c.concat(columns, 1);
}

//===----------------------------------------------------------------------===//
// Diagonals and positions
//===----------------------------------------------------------------------===//

Value zerosOf(FormulaBuilder &c, Value like, ArrayRef<ExprAttr> sizes) {
  return c.full(sizes, 0, FormulaBuilder::elementTypeOf(like));
}

/// The order of dimensions in which `dim1` and `dim2` come last.
static SmallVector<int64_t> putLast(int64_t rank, int64_t dim1, int64_t dim2) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dim1 && i != dim2)
      order.push_back(i);
  order.append({dim1, dim2});
  return order;
}

static SmallVector<int64_t> invert(ArrayRef<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    inverse[from] = to;
  return inverse;
}

Value replaceDiagonal(FormulaBuilder &c, Value self, Value source,
                      int64_t offset, int64_t dim1, int64_t dim2) {
  if (!self || !source)
    return {};
  int64_t rank = FormulaBuilder::rankOf(self);
  auto order = putLast(rank, FormulaBuilder::wrapDim(dim1, rank),
                       FormulaBuilder::wrapDim(dim2, rank));
  Value x = c.permute(self, order);
  if (!x)
    return {};
  // The diagonal, as a column whose entries stand at their rows.
  ExprAttr rows = c.dimOf(x, -2), columns = c.dimOf(x, -1);
  ExprAttr front = c.expr(std::max<int64_t>(-offset, 0));
  ExprAttr back = rows - front - c.dimOf(source, -1);
  Value column = c.unsqueeze(
      c.constantPad(c.cast(source, FormulaBuilder::elementTypeOf(self)),
                    {front, back}, 0.0),
      -1);
  Type i64 = c.getBuilder().getI64Type();
  Value isDiagonal =
      c.eq(c.iota(columns, i64),
           c.add(c.unsqueeze(c.iota(rows, i64), 1), offset));
  return c.permute(c.where(isDiagonal, column, x), invert(order));
}

Value embedDiagonal(FormulaBuilder &c, Value self, Value result, int64_t offset,
                    int64_t dim1, int64_t dim2) {
  return replaceDiagonal(c, zerosOf(c, self, c.dimsOf(result)), self, offset,
                         dim1, dim2);
}

/// True if the elements of `x` stand in memory in its own order, from the first
/// on. A caller's tensor may lie otherwise.
static bool isRowMajor(Value x) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(x);
  auto function = argument ? llvm::dyn_cast<mlir::func::FuncOp>(
                                 argument.getOwner()->getParentOp())
                           : mlir::func::FuncOp();
  if (!function)
    return true;
  unsigned i = argument.getArgNumber();
  auto input = function.getArgAttrOfType<InputAttr>(i, kInputAttrName);
  return !(input && input.getStrides()) &&
         !function.getArgAttr(i, kStorageOffsetAttrName);
}

Value scatterStrided(FormulaBuilder &c, Value self, Value source,
                     ArrayRef<ExprAttr> size, ArrayRef<ExprAttr> stride,
                     std::optional<ExprAttr> offset) {
  if (!isRowMajor(self))
    return {};
  Type i64 = c.getBuilder().getI64Type();
  Value position = c.full(Sizes(), 0, i64);
  for (auto [i, extent] : llvm::enumerate(size)) {
    Value step = c.mul(c.iota(extent, i64), c.number(stride[i]));
    for (size_t after = i + 1; after < size.size(); ++after)
      step = c.unsqueeze(step, -1);
    position = c.add(position, step);
  }
  if (offset)
    position = c.add(position, c.number(*offset));
  Value flat = c.view(self, {c.numelOf(self)});
  Value values = c.view(c.cast(source, FormulaBuilder::elementTypeOf(self)),
                        {c.numelOf(source)});
  position = c.view(position, {c.numelOf(source)});
  if (!flat || !values || !position)
    return {};
  Value written = c.scatterSrc(flat, 0, position, values);
  return c.view(written, c.dimsOf(self));
}

Value foldWindows(FormulaBuilder &c, Value windows, ArrayRef<ExprAttr> sizes,
                  int64_t dim, int64_t size, int64_t step) {
  int64_t rank = sizes.size();
  if (rank == 0)
    return c.view(c.sum(windows), ArrayRef<ExprAttr>());
  dim = FormulaBuilder::wrapDim(dim, rank);
  // The elements of a window beside its number, then both as one dimension.
  Value x = moveDim(c, windows, -1, dim + 1);
  if (!x)
    return {};
  ExprAttr count = c.dimOf(x, dim);
  Sizes joined = c.dimsOf(x);
  joined.erase(joined.begin() + dim);
  joined[dim] = guard::mul(count, size);
  Type i64 = c.getBuilder().getI64Type();
  Value position =
      c.add(c.unsqueeze(c.mul(c.iota(count, i64), step), 1),
            c.iota(c.expr(size), i64));
  SmallVector<Value> indices(dim, Value());
  indices.push_back(c.view(position, {joined[dim]}));
  return c.indexPut(zerosOf(c, windows, sizes), indices, c.view(x, joined),
                    /*accumulate=*/true);
}

} // namespace kiln::aten::formula
