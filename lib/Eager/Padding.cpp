//===- Padding.cpp - Padding by a value or by the tensor itself -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every padding is a map from result coordinates to input coordinates. The
// forward operator gathers through it, the backward one adds through it.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Positions.h"

using namespace kiln;
using namespace kiln::eager;

namespace {
enum class Edge { Constant, Reflect, Replicate, Circular };
} // namespace

/// The input coordinate of a result coordinate, -1 outside.
static int64_t sourceCoordinate(Edge edge, int64_t at, int64_t size) {
  if (at >= 0 && at < size)
    return at;
  switch (edge) {
  case Edge::Constant:
    return -1;
  case Edge::Reflect:
    return at < 0 ? -at : 2 * (size - 1) - at;
  case Edge::Replicate:
    return at < 0 ? 0 : size - 1;
  case Edge::Circular:
    return at < 0 ? at + size : at - size;
  }
  return -1;
}

/// `pads` lists (before, after) from the last dimension backwards.
static Positions padPositions(const Tensor &x, const Ints &pads, Edge edge) {
  require(pads.size() % 2 == 0 && int64_t(pads.size()) <= 2 * x.rank(),
          {"expected pairs of padding for at most ", x.rank(),
           " dimensions, found ", pads});
  Ints sizes = x.sizes(), before(x.rank(), 0);
  bool leavesNothing = !pads.empty();
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    int64_t d = x.rank() - 1 - int64_t(i), size = x.size(d);
    int64_t left = pads[2 * i], right = pads[2 * i + 1];
    before[d] = left;
    require(!__builtin_add_overflow(sizes[d], left, &sizes[d]) &&
                !__builtin_add_overflow(sizes[d], right, &sizes[d]) &&
                sizes[d] >= 0,
            {"padding ", pads, " leaves a negative size of ", x});
    bool fits = edge == Edge::Reflect    ? left < size && right < size
                : edge == Edge::Circular ? left <= size && right <= size
                : edge == Edge::Replicate ? size > 0 && sizes[d] > 0
                                          : true;
    require(fits, {"padding ", pads, " is too large for ", x});
    leavesNothing &= sizes[d] == 0;
  }
  // PyTorch's kernels ask for elements along one dimension that they reflect.
  require(!leavesNothing || edge != Edge::Reflect,
          {"padding ", pads, " leaves nothing of ", x});
  requireSizes(sizes);
  Ints strides = runtime::rowMajorStrides(x.sizes());
  Positions result{sizes, std::vector<int64_t>(size_t(product(sizes)))};
  forEachIndex(sizes, [&](const Ints &at, int64_t i) {
    int64_t position = 0;
    for (int64_t d = 0; d < x.rank() && position >= 0; ++d) {
      int64_t from = sourceCoordinate(edge, at[d] - before[d], x.size(d));
      position = from < 0 ? -1 : position + from * strides[d];
    }
    result.elements[i] = position;
  });
  return result;
}

static Tensor padded(const Tensor &x, const Ints &pads, Edge edge,
                     const OpValue &value = int64_t(0)) {
  Positions positions = padPositions(x, pads, edge);
  return gatherElements(x, positions.sizes, positions.elements, value);
}

static Values constantPad(const Args &args) {
  return {padded(args.tensor(0), args.ints(1), Edge::Constant,
                 args.isNone(2) ? OpValue(int64_t(0)) : args[2])};
}

/// Reflection and replication of `Dims` dimensions behind channel and batch;
/// only the batch may be empty.
static void requirePadded(const Tensor &x, int64_t dims, const Ints &pads) {
  require(int64_t(pads.size()) == 2 * dims,
          {"expected ", 2 * dims, " paddings, found ", pads});
  require(x.rank() == dims + 1 || x.rank() == dims + 2,
          {"expected rank ", dims + 1, " or ", dims + 2, ", found ", x});
  for (int64_t d = x.rank() == dims + 2 ? 1 : 0; d < x.rank(); ++d)
    require(x.size(d) > 0, {"expected sizes that are not zero, found ", x});
}
template <Edge Kind, int Dims> static Values edgePad(const Args &args) {
  requirePadded(args.tensor(0), Dims, args.ints(1));
  require(args.tensor(0).dtype() != DType::Bool, {"not defined for bool"});
  return {padded(args.tensor(0), args.ints(1), Kind)};
}
template <Edge Kind, int Dims> static Values edgePadBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &x = args.tensor(1);
  requirePadded(x, Dims, args.ints(2));
  Positions positions = padPositions(x, args.ints(2), Kind);
  require(gradient.sizes() == positions.sizes,
          {"expected a gradient of sizes ", positions.sizes, ", found ",
           gradient});
  return {combineInto(filled(gradient.dtype(), x.sizes(), int64_t(0)),
                      positions.elements, gradient, Combine::Add)};
}

/// Circular padding covers all but batch and channel.
static Values circularPad(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints pads = args.ints(1);
  require(int64_t(pads.size()) == 2 * (x.rank() - 2),
          {"expected padding of all dimensions after the second, found ", pads,
           " for ", x});
  return {padded(x, pads, Edge::Circular)};
}

/// Schema: self, pad, mode, value.
static Values pad(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints pads = args.ints(1);
  std::string mode = args.optString(2).value_or("constant");
  if (mode == "constant")
    return {padded(x, pads, Edge::Constant,
                   args.isNone(3) ? OpValue(int64_t(0)) : args[3])};
  require(args.isNone(3) || args.number(3) == 0,
          {"padding mode '", mode, "' takes no value"});
  require(mode == "reflect" || mode == "replicate" || mode == "circular",
          {"unknown padding mode '", mode, "'"});
  int64_t dims = int64_t(pads.size()) / 2;
  require(pads.size() % 2 == 0 && dims >= 1 && dims <= 3 &&
              (x.rank() == dims + 1 || x.rank() == dims + 2),
          {"mode '", mode, "' cannot pad ", x, " by ", pads});
  return {padded(x, pads,
                 mode == "reflect"     ? Edge::Reflect
                 : mode == "replicate" ? Edge::Replicate
                                       : Edge::Circular)};
}

template <Edge Kind> static void addEdge(Table &table, std::string name) {
  table.op<edgePad<Kind, 1>>(name + "1d.default");
  table.op<edgePad<Kind, 2>>(name + "2d.default");
  table.op<edgePad<Kind, 3>>(name + "3d.default");
  table.op<edgePadBackward<Kind, 1>>(name + "1d_backward.default");
  table.op<edgePadBackward<Kind, 2>>(name + "2d_backward.default");
  table.op<edgePadBackward<Kind, 3>>(name + "3d_backward.default");
}

void eager::addPaddingOperators(Table &table) {
  table.op<constantPad>("constant_pad_nd.default");
  table.op<pad>("pad.default");
  table.op<circularPad>("_pad_circular.default");
  addEdge<Edge::Reflect>(table, "reflection_pad");
  addEdge<Edge::Replicate>(table, "replication_pad");
}
