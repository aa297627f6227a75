//===- Windows.cpp - Windows over one dimension ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

static ExprAttr inRange(ExprAttr value, ExprAttr size) {
  ExprAttr zero = guard::getConstant(value.getContext(), 0);
  return guard::logicalAnd(guard::ge(value, zero), guard::lt(value, size));
}

Window loop::slide(const WindowShape &shape, ExprAttr place, ExprAttr index) {
  ExprAttr at = place * shape.stride - shape.padding + index * shape.dilation;
  return {shape.kernel, at, index, inRange(at, shape.input)};
}

Window loop::cover(const WindowShape &shape, ExprAttr place, ExprAttr index) {
  MLIRContext *context = place.getContext();
  ExprAttr padded = place + shape.padding;
  if (shape.dilation.isConstant(1)) {
    // Windows begin a stride apart: so many can cover one position. They are
    // counted backwards from the last one that begins before it.
    ExprAttr extent = guard::ceilDiv(shape.kernel, shape.stride);
    ExprAttr back = extent - index + -1;
    ExprAttr at = guard::floorDiv(padded, shape.stride) - back;
    ExprAttr tap = guard::mod(padded, shape.stride) + back * shape.stride;
    return {extent, at, tap,
            guard::logicalAnd(inRange(at, shape.output),
                              guard::lt(tap, shape.kernel))};
  }
  // The tap decides where a window would begin, if one does.
  ExprAttr tap = shape.kernel - index + -1;
  ExprAttr begin = padded - tap * shape.dilation;
  ExprAttr at = guard::floorDiv(begin, shape.stride);
  ExprAttr aligned = guard::eq(guard::mod(begin, shape.stride),
                               guard::getConstant(context, 0));
  return {shape.kernel, at, tap,
          guard::logicalAnd(aligned, inRange(at, shape.output))};
}

/// First position of output `place`, and the one behind its last.
static ExprAttr getBegin(ExprAttr input, ExprAttr output, ExprAttr place) {
  return guard::floorDiv(place * input, output);
}
static ExprAttr getEnd(ExprAttr input, ExprAttr output, ExprAttr place) {
  return guard::ceilDiv((place + 1) * input, output);
}

guard::ExprAttr loop::countAdaptive(ExprAttr input, ExprAttr output,
                                    ExprAttr place) {
  return getEnd(input, output, place) - getBegin(input, output, place);
}

bool loop::isCountable(ExprAttr size) {
  constexpr int64_t most = int64_t(1) << 20;
  return size.isConstant() && size.getPayload() <= most;
}

Window loop::adapt(ExprAttr input, ExprAttr output, ExprAttr place,
                   ExprAttr index) {
  MLIRContext *context = place.getContext();
  ExprAttr at = getBegin(input, output, place) + index;
  ExprAttr one = guard::getConstant(context, 1);
  if (guard::mod(input, output).isConstant(0))
    return {guard::floorDiv(input, output), at, index, one};
  // Windows that do not divide the input are longer by one at most.
  ExprAttr extent = guard::ceilDiv(input, output) + 1;
  if (input.isConstant() && isCountable(output)) {
    int64_t longest = 0;
    for (int64_t i = 0; i < output.getPayload(); ++i)
      longest = std::max(
          longest, countAdaptive(input, output, guard::getConstant(context, i))
                       .getPayload());
    extent = guard::getConstant(context, longest);
  }
  return {extent, at, index, guard::lt(at, getEnd(input, output, place))};
}

SmallVector<WindowShape> loop::getWindowShapes(LoopBuilder &loops,
                                               const WindowLists &lists,
                                               ArrayRef<ExprAttr> input,
                                               ArrayRef<ExprAttr> output) {
  size_t count = input.size();
  auto grow = [&](ArrayRef<int64_t> list, ArrayRef<int64_t> byDefault) {
    SmallVector<int64_t> values(list.empty() ? byDefault : list);
    if (values.size() == 1)
      values.assign(count, int64_t(values.front()));
    return values;
  };
  SmallVector<int64_t> kernel = grow(lists.kernel, {1});
  SmallVector<int64_t> stride = grow(lists.stride, kernel),
                       padding = grow(lists.padding, {0}),
                       dilation = grow(lists.dilation, {1});
  SmallVector<WindowShape> shapes;
  for (size_t i = 0; i < count; ++i)
    shapes.push_back({loops.expr(kernel[i]), loops.expr(stride[i]),
                      loops.expr(padding[i]), loops.expr(dilation[i]), input[i],
                      output[i]});
  return shapes;
}

WindowNest::WindowNest(
    LoopBuilder &loops, ArrayRef<ExprAttr> parallel, unsigned spatial,
    llvm::function_ref<Window(unsigned, ExprAttr, ExprAttr)> makeWindow)
    : parallel(parallel), valid(loops.expr(1)) {
  unsigned rank = parallel.size(), lead = rank - spatial;
  for (unsigned i = 0; i < lead; ++i)
    at.push_back(loops.dim(i));
  for (unsigned k = 0; k < spatial; ++k) {
    Window window = makeWindow(k, loops.dim(lead + k), loops.dim(rank + k));
    reduction.push_back(window.extent);
    at.push_back(window.at);
    taps.push_back(window.tap);
    valid = guard::logicalAnd(valid, window.valid);
  }
  guard::Assumptions assumptions = loops.getAssumptions();
  Exprs extents(parallel);
  extents.append(reduction);
  analysis::addExtents(assumptions, loops.getContext(), extents);
  for (Exprs *list : {&at, &taps})
    for (ExprAttr &expr : *list)
      expr = guard::simplify(expr, assumptions);
  valid = guard::simplify(valid, assumptions);
}
