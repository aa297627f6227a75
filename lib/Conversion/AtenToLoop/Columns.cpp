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
#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// An image [(n,) loops, h, w] and its columns [(n,) loops kh kw, windows].
struct Columns {
  unsigned lead; ///< dimensions before the channel
  ExprAttr channels;
  SmallVector<WindowShape> shapes;
};

} // namespace

/// The columns of `op`; none if there are none.
template <typename Op>
static std::optional<Columns> getColumns(LoopBuilder &loops, Op op,
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
  columns.shapes = getWindowShapes(
      loops,
      {op.getKernelSize(), op.getStride(), op.getPadding(), op.getDilation()},
      input, input);
  for (WindowShape &shape : columns.shapes) {
    ExprAttr span = shape.input + shape.padding * 2 -
                    shape.dilation * (shape.kernel + -1) + -1;
    shape.output = guard::floorDiv(span, shape.stride) + 1;
    if (shape.output.isConstant() && shape.output.getPayload() < 1)
      return std::nullopt;
  }
  return columns;
}

LogicalResult loop::lowerImageToColumns(LoopBuilder &loops, aten::Im2colOp op) {
  View self = loops.getView(op.getSelf());
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  auto columns = getColumns(loops, op, self.dims);
  if (!columns)
    return loops.refuse("columns of an image without elements have no kernel");
  // Row (channel, tap), column (place).
  unsigned lead = columns->lead;
  const WindowShape &h = columns->shapes[0], &w = columns->shapes[1];
  ExprAttr row = loops.dim(lead), column = loops.dim(lead + 1);
  Window down = slide(h, guard::floorDiv(column, w.output),
                      guard::mod(guard::floorDiv(row, w.kernel), h.kernel));
  Window right = slide(w, guard::mod(column, w.output),
                       guard::mod(row, w.kernel));
  Exprs index;
  if (lead)
    index.push_back(loops.dim(0));
  index.append({guard::floorDiv(row, h.kernel * w.kernel), down.at, right.at});
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), *guard::getDims(type));
  ExprAttr inside = guard::simplify(
      guard::logicalAnd(down.valid, right.valid), assumptions);
  Value result = loops.makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = loops.condition(body, inside);
        Value zero = scalars.constant(stored, int64_t(0));
        return loops.read(body, self, index, valid, zero);
      });
  return loops.setMade(0, result);
}

/// Sums `type` over the windows of `nest`; `index` is where `source` is read.
static LogicalResult sumWindows(LoopBuilder &loops, Value source,
                                RankedTensorType type, const WindowNest &nest,
                                ArrayRef<ExprAttr> index) {
  View view = loops.getView(source);
  Type stored = type.getElementType();
  if (stored.isInteger(1) || loops.getElement(source) != stored)
    return loops.refuse("sums of these elements have no kernel");
  Type acc = LoopBuilder::getComputeType(stored);
  SmallVector<Value> sums = loops.makeReduce(
      TypeRange(type), nest.parallel, nest.reduction, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = loops.condition(body, nest.valid);
        Value zero = scalars.constant(stored, int64_t(0));
        Value value = loops.read(body, view, index, valid, zero);
        return SmallVector<Value>{scalars.convert(value, stored, acc)};
      });
  return loops.setMade(0, sums[0]);
}

LogicalResult loop::lowerColumnsToImage(LoopBuilder &loops, aten::Col2imOp op) {
  RankedTensorType type = loops.getResultType();
  Exprs image(*guard::getDims(type));
  View self = loops.getView(op.getSelf());
  auto columns = getColumns(loops, op, image);
  if (!columns || self.dims.size() + 1 != image.size())
    return loops.refuse("an image without elements has no kernel");
  const WindowShape &h = columns->shapes[0], &w = columns->shapes[1];
  WindowNest nest(loops, image, 2,
                  [&](unsigned k, ExprAttr place, ExprAttr index) {
                    return cover(columns->shapes[k], place, index);
                  });
  unsigned lead = columns->lead;
  Exprs index;
  if (lead)
    index.push_back(loops.dim(0));
  index.push_back((loops.dim(lead) * h.kernel + nest.taps[0]) * w.kernel +
                  nest.taps[1]);
  index.push_back(nest.at[lead + 1] * w.output + nest.at[lead + 2]);
  return sumWindows(loops, op.getSelf(), type, nest, index);
}
