//===- Columns.cpp - Windows as columns, and back -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Windows.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// An image [(n,) c, h, w] and its columns [(n,) c kh kw, windows].
struct Columns {
  unsigned lead; ///< dimensions before the channel
  ExprAttr channels;
  SmallVector<WindowShape> shapes;
};

} // namespace

static std::optional<Columns> getColumns(Converter &c,
                                         ArrayRef<ExprAttr> image) {
  if (image.size() != 3 && image.size() != 4)
    return std::nullopt;
  Columns columns;
  columns.lead = image.size() - 3;
  columns.channels = image[columns.lead];
  ArrayRef<ExprAttr> input = image.take_back(2);
  if (columns.channels.isConstant(0) || input[0].isConstant(0) ||
      input[1].isConstant(0))
    return std::nullopt;
  columns.shapes = getWindowShapes(c, input, input);
  for (WindowShape &shape : columns.shapes) {
    ExprAttr span = shape.input + shape.padding * 2 -
                    shape.dilation * (shape.kernel + -1) + -1;
    shape.output = guard::floorDiv(span, shape.stride) + 1;
    if (shape.output.isConstant() && shape.output.getPayload() < 1)
      return std::nullopt;
  }
  return columns;
}

LogicalResult loop::lowerImageToColumns(Converter &c) {
  View self = c.getView(c.getTensor("self"));
  RankedTensorType type = c.getResultType();
  Type stored = type.getElementType();
  auto columns = getColumns(c, self.dims);
  if (!columns)
    return c.refuse("columns of an image without elements have no kernel");
  // Row (channel, tap), column (place).
  unsigned lead = columns->lead;
  const WindowShape &h = columns->shapes[0], &w = columns->shapes[1];
  ExprAttr row = c.dim(lead), column = c.dim(lead + 1);
  Window down = slide(h, guard::floorDiv(column, w.output),
                      guard::mod(guard::floorDiv(row, w.kernel), h.kernel));
  Window right = slide(w, guard::mod(column, w.output),
                       guard::mod(row, w.kernel));
  Exprs index;
  if (lead)
    index.push_back(c.dim(0));
  index.append({guard::floorDiv(row, h.kernel * w.kernel), down.at, right.at});
  guard::Assumptions assumptions = c.getAssumptions();
  analysis::addExtents(assumptions, c.getContext(), *guard::getDims(type));
  ExprAttr inside = guard::simplify(
      guard::logicalAnd(down.valid, right.valid), assumptions);
  Value result = c.makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = c.condition(body, inside);
        Value zero = scalars.constant(stored, int64_t(0));
        return valid ? c.read(body, self, index, valid, zero)
                     : c.read(body, self, index);
      });
  if (!result)
    return failure();
  c.setResult(0, result);
  return success();
}

/// Sums `type` over the windows of `nest`; `index` is where `source` is read.
static LogicalResult sumWindows(Converter &c, Value source,
                                RankedTensorType type, const WindowNest &nest,
                                ArrayRef<ExprAttr> index) {
  View view = c.getView(source);
  Type stored = type.getElementType();
  if (stored.isInteger(1) || c.getElement(source) != stored)
    return c.refuse("sums of these elements have no kernel");
  Type acc = Converter::getComputeType(stored);
  SmallVector<Value> sums = c.makeReduce(
      TypeRange(type), nest.parallel, nest.reduction, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = c.condition(body, nest.valid);
        Value zero = scalars.constant(stored, int64_t(0));
        Value value = valid ? c.read(body, view, index, valid, zero)
                            : c.read(body, view, index);
        return SmallVector<Value>{scalars.convert(value, stored, acc)};
      });
  c.setResult(0, sums[0]);
  return success();
}

LogicalResult loop::lowerColumnsToImage(Converter &c) {
  RankedTensorType type = c.getResultType();
  Exprs image(*guard::getDims(type));
  View self = c.getView(c.getTensor("self"));
  auto columns = getColumns(c, image);
  if (!columns || self.dims.size() + 1 != image.size())
    return c.refuse("an image without elements has no kernel");
  const WindowShape &h = columns->shapes[0], &w = columns->shapes[1];
  WindowNest nest(c, image, 2, [&](unsigned k, ExprAttr place, ExprAttr index) {
    return cover(columns->shapes[k], place, index);
  });
  unsigned lead = columns->lead;
  Exprs index;
  if (lead)
    index.push_back(c.dim(0));
  index.push_back((c.dim(lead) * h.kernel + nest.taps[0]) * w.kernel +
                  nest.taps[1]);
  index.push_back(nest.at[lead + 1] * w.output + nest.at[lead + 2]);
  return sumWindows(c, c.getTensor("self"), type, nest, index);
}

/// The result is the one element of `source`.
static void setNumber(Converter &c, const View &source, RankedTensorType type) {
  c.setResult(0, c.makePointwise(type, type.getElementType(),
                                 [&](BodyContext body, ScalarBuilder &) {
                                   return c.read(body, source, {c.expr(0)});
                                 }));
}

/// Windows of one dimension: [..., windows, ..., size].
LogicalResult loop::lowerUnfoldBackward(Converter &c) {
  RankedTensorType type = c.getResultType();
  Value gradient = c.getTensor("grad_in");
  View source = c.getView(gradient);
  Exprs sizes(*guard::getDims(type));
  int64_t rank = sizes.size(), at = c.getInt("dim");
  at = at < 0 ? at + rank : at;
  if (rank == 0 && source.dims.size() == 1 && source.dims[0].isConstant(1)) {
    // A number has one window, which is itself.
    setNumber(c, source, type);
    return success();
  }
  if (rank == 0 || int64_t(source.dims.size()) != rank + 1 ||
      c.getInt("size") < 1 || c.getInt("step") < 1)
    return c.refuse("windows of these sizes have no kernel");
  WindowShape shape{c.expr(c.getInt("size")), c.expr(c.getInt("step")),
                    c.expr(0),  c.expr(1), sizes[at], source.dims[at]};
  // The windows lie in one dimension, whichever it is.
  WindowNest nest(c, sizes, 1, [&](unsigned, ExprAttr, ExprAttr index) {
    return cover(shape, c.dim(at), index);
  });
  Exprs index = getIdentityMap(c.getContext(), rank);
  index[at] = nest.at.back();
  index.push_back(nest.taps.front());
  return sumWindows(c, gradient, type, nest, index);
}
