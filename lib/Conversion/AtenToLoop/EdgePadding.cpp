//===- EdgePadding.cpp - Padding by the tensor itself ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A padding maps result positions to input positions. An input element gathers
// its gradient: itself, and what was mirrored or repeated from it.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Windows.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// One padded dimension.
struct Padded {
  ExprAttr size, left, right;
  ExprAttr getOutput() const { return size + left + right; }
};

} // namespace

/// The input position of output position `place`.
static ExprAttr getSource(Edge edge, const Padded &pad, ExprAttr place) {
  ExprAttr at = place - pad.left, last = pad.size + -1;
  ExprAttr zero = guard::getConstant(place.getContext(), 0);
  switch (edge) {
  case Edge::Reflect: {
    ExprAttr folded = guard::max(at, -at);
    return guard::min(folded, last * 2 - folded);
  }
  case Edge::Replicate:
    return guard::min(guard::max(at, zero), last);
  case Edge::Circular:
    return guard::select(
        guard::lt(at, zero), at + pad.size,
        guard::select(guard::ge(at, pad.size), at - pad.size, at));
  }
  return at;
}

/// The output positions that read input position `place`.
static Window getReaders(Edge edge, const Padded &pad, ExprAttr place,
                         ExprAttr index) {
  MLIRContext *context = place.getContext();
  ExprAttr zero = guard::getConstant(context, 0), last = pad.size + -1;
  ExprAttr one = guard::getConstant(context, 1);
  Window window;
  window.tap = index;
  ExprAttr own = place + pad.left, valid = one;
  if (edge == Edge::Reflect) {
    // Itself, its image at the left edge, its image at the right one.
    ExprAttr first = guard::eq(index, zero), second = guard::eq(index, one);
    window.extent = guard::getConstant(context, 3);
    window.at = guard::select(
        first, own,
        guard::select(second, pad.left - place, pad.left + last * 2 - place));
    valid = guard::select(first, one,
                          guard::select(second, guard::lt(zero, place),
                                        guard::lt(place, last)));
  } else {
    // A run that reaches to the end at an edge.
    ExprAttr begin = guard::select(guard::eq(place, zero), zero, own);
    ExprAttr end = guard::select(guard::eq(place, last), pad.getOutput(),
                                 own + 1);
    window.extent = guard::max(pad.left, zero) + guard::max(pad.right, zero) + 1;
    window.at = begin + index;
    valid = guard::lt(window.at, end);
  }
  window.valid = guard::logicalAnd(
      valid, guard::logicalAnd(guard::ge(window.at, zero),
                               guard::lt(window.at, pad.getOutput())));
  return window;
}

/// The padded dimensions, all at the end; none if PyTorch refuses them.
static std::optional<SmallVector<Padded>>
getPadded(Edge edge, ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> widths) {
  unsigned count = widths.size() / 2;
  if (widths.size() % 2 != 0 || count == 0 || count >= sizes.size() ||
      count + 2 < sizes.size())
    return std::nullopt;
  SmallVector<Padded> dims;
  for (unsigned k = 0; k < count; ++k) {
    // Pairs of widths, the last dimension first.
    unsigned pair = 2 * (count - 1 - k);
    Padded pad{sizes[sizes.size() - count + k], widths[pair],
               widths[pair + 1]};
    for (ExprAttr width : {pad.left, pad.right}) {
      ExprAttr room = pad.size - width;
      int64_t least = edge == Edge::Reflect ? 1 : 0;
      if (edge != Edge::Replicate && room.isConstant() &&
          room.getPayload() < least)
        return std::nullopt;
    }
    ExprAttr output = pad.getOutput();
    if (output.isConstant() && output.getPayload() < 1)
      return std::nullopt;
    dims.push_back(pad);
  }
  // Only the batch may be empty.
  for (ExprAttr size : sizes.drop_front(sizes.size() == count + 2))
    if (size.isConstant(0))
      return std::nullopt;
  return dims;
}

LogicalResult loop::lowerEdgePad(LoopBuilder &loops, const PaddingArgs &args,
                                 Edge edge) {
  View self = loops.getView(args.self);
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  auto dims = getPadded(edge, self.dims,
                        args.padding.empty() ? args.pad : args.padding);
  if (!dims || (edge != Edge::Circular && stored.isInteger(1)))
    return loops.refuse("a padding of these sizes has no kernel");
  unsigned rank = self.dims.size(), lead = rank - dims->size();
  Exprs index = getIdentityMap(loops.getContext(), rank);
  for (auto [k, pad] : llvm::enumerate(*dims))
    index[lead + k] = getSource(edge, pad, loops.dim(lead + k));
  Value result =
      loops.makePointwise(type, stored, [&](BodyContext body, ScalarBuilder &) {
        return loops.read(body, self, index);
      });
  return loops.setMade(0, result);
}

LogicalResult loop::lowerEdgePadBackward(LoopBuilder &loops,
                                         const PaddingArgs &args, Edge edge) {
  Value gradient = args.gradOutput;
  View source = loops.getView(gradient);
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  Exprs sizes(*guard::getDims(type));
  auto dims = getPadded(edge, sizes, args.padding);
  if (!dims || !isa<FloatType>(stored) ||
      loops.getElement(gradient) != stored ||
      source.dims.size() != sizes.size())
    return loops.refuse("a gradient of these sizes has no kernel");
  unsigned lead = sizes.size() - dims->size();
  for (auto [i, size] : llvm::enumerate(source.dims)) {
    ExprAttr missing =
        (i < lead ? sizes[i] : (*dims)[i - lead].getOutput()) - size;
    if (missing.isConstant() && !missing.isConstant(0))
      return loops.refuse("a gradient of these sizes has no kernel");
  }
  WindowNest nest(loops, sizes, dims->size(),
                  [&](unsigned k, ExprAttr place, ExprAttr index) {
                    return getReaders(edge, (*dims)[k], place, index);
                  });
  Type acc = LoopBuilder::getComputeType(stored);
  SmallVector<Value> sums = loops.makeReduce(
      TypeRange(type), nest.parallel, nest.reduction, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = loops.condition(body, nest.valid);
        Value zero = scalars.constant(stored, 0.0);
        Value value = loops.read(body, source, nest.at, valid, zero);
        return SmallVector<Value>{scalars.convert(value, stored, acc)};
      });
  return loops.setMade(0, sums[0]);
}
