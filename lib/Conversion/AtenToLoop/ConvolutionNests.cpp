//===- ConvolutionNests.cpp - The nests of convolutions -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionNests.h"

#include "kiln/Dialect/Loop/IR/Precision.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// What all have in common
//===----------------------------------------------------------------------===//

ExprAttr Convolution::addChannels(Exprs &parallel, ExprAttr ofGroup) const {
  ExprAttr group = loops.dim(parallel.size());
  parallel.push_back(groups);
  if (isDepthwise())
    return group;
  if (groups.isConstant(1)) {
    parallel.back() = ofGroup;
    return group;
  }
  ExprAttr channel = group * ofGroup + loops.dim(parallel.size());
  parallel.push_back(ofGroup);
  return channel;
}

/// The group of a nest is its second dimension.
ExprAttr Convolution::inGroup(ExprAttr index, ExprAttr size) const {
  return groups.isConstant(1) ? index : loops.dim(1) * size + index;
}

ContractOp Convolution::make(Type element, ArrayRef<ExprAttr> parallel,
                             const Factor &lhs, const Factor &rhs,
                             ArrayRef<ExprAttr> reduction) {
  ContractOp nest = loops.makeContract(
      guard::makeTensorType(element, parallel), lhs, rhs, reduction,
      LoopBuilder::getComputeType(LoopBuilder::getElement(lhs.tensor)));
  if (nest)
    setConvolutionPrecision(nest);
  return nest;
}

/// The sums of `nest`, with a bias per channel where they are rounded.
Value Convolution::addBias(ContractOp nest, Value bias, ExprAttr channel) {
  if (!nest || !bias)
    return nest ? nest.getResult() : Value();
  auto add = [&](BodyContext body, ScalarBuilder &scalars, Value sum) {
    Value x = loops.read(body, loops.getView(bias), {channel});
    return scalars.add(sum, scalars.convert(x, LoopBuilder::getElement(bias),
                                            nest.getAccType()));
  };
  return succeeded(loops.addEpilogue(nest, add)) ? nest.getResult() : Value();
}

//===----------------------------------------------------------------------===//
// The result and the gradient of the weight
//===----------------------------------------------------------------------===//

Value Convolution::makeForward(RankedTensorType type, Value x, Value weight,
                               Value bias) {
  // (n, co, output...) over (ci of the group, kernel...)
  auto sizes = *guard::getDims(type);
  Exprs parallel = {sizes[0]}, reduction = {groupIn};
  ExprAttr channel = addChannels(parallel, groupOut);
  unsigned places = parallel.size(), taps = places + shapes.size() + 1;
  Exprs left = {loops.dim(0), inGroup(loops.dim(taps - 1), groupIn)};
  Exprs right = {channel, loops.dim(taps - 1)};
  ExprAttr mask = loops.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    Window window = slide(shape, loops.dim(places + k), loops.dim(taps + k));
    parallel.push_back(sizes[2 + k]);
    reduction.push_back(window.extent);
    left.push_back(window.at);
    right.push_back(window.tap);
    mask = guard::logicalAnd(mask, window.valid);
  }
  ContractOp nest = make(type.getElementType(), parallel, {x, left, mask},
                         {weight, right}, reduction);
  return addBias(nest, bias, channel);
}

Value Convolution::makeWeightGradient(RankedTensorType type, Value x, Value y) {
  // (co, ci of the group, kernel...) over (n, output...)
  auto sizes = *guard::getDims(type);
  Exprs parallel, reduction = {loops.getView(y).dims[0]};
  ExprAttr out = loops.dim(0), in = loops.dim(1);
  if (hasGroupDim()) {
    parallel = {groups, groupOut, groupIn};
    out = loops.dim(0) * groupOut + loops.dim(1);
    in = loops.dim(0) * groupIn + loops.dim(2);
  } else {
    parallel = {sizes[0], sizes[1]};
    if (isDepthwise())
      in = loops.dim(0);
  }
  unsigned taps = parallel.size(), images = taps + shapes.size();
  Exprs left = {loops.dim(images), out}, right = {loops.dim(images), in};
  ExprAttr mask = loops.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    ExprAttr place = loops.dim(images + 1 + k);
    Window window = slide(shape, place, loops.dim(taps + k));
    parallel.push_back(sizes[2 + k]);
    reduction.push_back(shape.output);
    left.push_back(place);
    right.push_back(window.at);
    mask = guard::logicalAnd(mask, window.valid);
  }
  ContractOp nest = make(type.getElementType(), parallel, {y, left},
                         {x, right, mask}, reduction);
  return nest ? nest.getResult() : Value();
}

//===----------------------------------------------------------------------===//
// The gradient of the input
//===----------------------------------------------------------------------===//

Convolution::RemaindersList
Convolution::splitDimension(int64_t kernel, int64_t stride, int64_t dilation) {
  RemaindersList list;
  if (dilation == 1) {
    // Each remainder meets the tap of its number and every stride-th after it.
    int64_t more = kernel % stride, least = kernel / stride;
    if (more > 0)
      list.push_back({0, more, least + 1, 0, stride, 0, 1});
    list.push_back({more, stride - more, least, more, stride, 0, 1});
    return list;
  }
  int64_t step = stride / std::gcd(stride, dilation);
  for (int64_t first = 0; first < stride; ++first) {
    int64_t tap = 0; // the first that leaves this remainder
    while (tap < step && (first - tap * dilation) % stride != 0)
      ++tap;
    int64_t taps =
        tap < std::min(step, kernel) ? llvm::divideCeil(kernel - tap, step) : 0;
    list.push_back({first, 1, taps, tap, step,
                    (first - tap * dilation) / stride,
                    step * dilation / stride});
  }
  return list;
}

SmallVector<Convolution::RemaindersList> Convolution::split() const {
  // A nest for each combination; so many are worth their code.
  constexpr size_t kMostParts = 16;
  SmallVector<RemaindersList> lists(shapes.size());
  size_t parts = 1;
  for (auto [list, shape] : llvm::zip(lists, shapes)) {
    auto kernel = shape.kernel.getConstant(),
         stride = shape.stride.getConstant(),
         dilation = shape.dilation.getConstant();
    if (!kernel || !stride || !dilation || *stride < 2 ||
        !shape.padding.isConstant() ||
        (*dilation > 1 && *stride > int64_t(kMostParts)))
      continue;
    RemaindersList found = splitDimension(*kernel, *stride, *dilation);
    if (parts * found.size() > kMostParts)
      continue;
    parts *= found.size();
    list = std::move(found);
  }
  return lists;
}

ExprAttr Convolution::Remainders::getFirstQuotient(const WindowShape &shape) const {
  return guard::ceilDiv(shape.padding + (1 - first - count), shape.stride);
}

ExprAttr Convolution::Remainders::getQuotients(const WindowShape &shape) const {
  ExprAttr last = guard::floorDiv(shape.input + shape.padding + (-1 - first), shape.stride);
  ExprAttr none = guard::getConstant(shape.input.getContext(), 0);
  return guard::max(last + 1 - getFirstQuotient(shape), none);
}

View Convolution::makePart(RankedTensorType type, Value y, Value weight,
                           ArrayRef<Remainders> chosen, Value bias) {
  // (n, ci, remainders..., quotients...) over (co of the group, taps...)
  auto sizes = *guard::getDims(type);
  Exprs parallel = {sizes[0]}, dims = {sizes[0], sizes[1]},
        reduction = {groupOut};
  ExprAttr channel = addChannels(parallel, groupIn);
  unsigned remainder = parallel.size();
  for (const Remainders &r : chosen)
    if (r.isSplit()) {
      parallel.push_back(loops.expr(r.count));
      dims.push_back(loops.expr(r.count));
    }
  unsigned places = parallel.size(), taps = places + shapes.size() + 1;
  ExprAttr inner = hasGroupDim()   ? loops.dim(2)
                   : isDepthwise() ? loops.expr(0)
                                   : loops.dim(1);
  ExprAttr out = inGroup(loops.dim(taps - 1), groupOut);
  Exprs left = {loops.dim(0), out}, right = {out, inner};
  ExprAttr mask = loops.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    ExprAttr place = loops.dim(places + k), index = loops.dim(taps + k);
    const Remainders &r = chosen[k];
    Window window;
    ExprAttr extent = sizes[2 + k];
    if (!r.isSplit()) {
      window = cover(shape, place, index);
    } else {
      ExprAttr first = r.getFirstQuotient(shape);
      extent = r.getQuotients(shape);
      ExprAttr back = loops.expr(r.taps - 1) - index;
      window.extent = loops.expr(r.taps);
      window.at = place + first - back * r.apart + r.shift;
      window.tap = back * r.step + loops.dim(remainder++) + r.tap;
      window.valid = guard::logicalAnd(guard::ge(window.at, loops.expr(0)),
                                       guard::lt(window.at, shape.output));
    }
    parallel.push_back(extent);
    dims.push_back(extent);
    reduction.push_back(window.extent);
    left.push_back(window.at);
    right.push_back(window.tap);
    mask = guard::logicalAnd(mask, window.valid);
  }
  // Both are masked: a weight that is infinite counts only where it is used.
  ContractOp nest = make(type.getElementType(), parallel, {y, left, mask},
                         {weight, right, mask}, reduction);
  Value sums = addBias(nest, bias, channel);
  return loops.reshape(loops.getView(sums), dims);
}

Value Convolution::interleave(
    RankedTensorType type,
    ArrayRef<std::pair<SmallVector<Remainders>, View>> parts, Value bias) {
  Type stored = type.getElementType();
  return loops.makePointwise(
      type, stored, [&](BodyContext body, ScalarBuilder &scalars) {
        // What no tap meets.
        Value value =
            bias ? loops.read(body, loops.getView(bias), {loops.dim(1)})
                 : scalars.constant(stored, 0.0);
        for (const auto &[chosen, view] : parts) {
          Exprs index = {loops.dim(0), loops.dim(1)}, quotients;
          ExprAttr mask = loops.expr(1);
          for (auto [k, shape] : llvm::enumerate(shapes)) {
            const Remainders &r = chosen[k];
            ExprAttr place = loops.dim(2 + k), padded = place + shape.padding;
            if (!r.isSplit()) {
              quotients.push_back(place);
              continue;
            }
            ExprAttr remainder = guard::mod(padded, shape.stride);
            index.push_back(r.count == 1 ? loops.expr(0)
                                         : remainder + -r.first);
            quotients.push_back(guard::floorDiv(padded, shape.stride) -
                                r.getFirstQuotient(shape));
            if (r.first > 0)
              mask = guard::logicalAnd(
                  mask, guard::ge(remainder, loops.expr(r.first)));
            if (int64_t end = r.first + r.count; !shape.stride.isConstant(end))
              mask = guard::logicalAnd(mask,
                                       guard::lt(remainder, loops.expr(end)));
          }
          llvm::append_range(index, quotients);
          Value isHere = loops.condition(body, mask);
          value =
              loops.read(body, view, index, isHere, isHere ? value : Value());
        }
        return value;
      });
}

Value Convolution::makeInputGradient(RankedTensorType type, Value y,
                                     Value weight, Value bias) {
  SmallVector<RemaindersList> lists = split();
  SmallVector<SmallVector<Remainders>> combinations(1);
  for (const RemaindersList &list : lists) {
    SmallVector<SmallVector<Remainders>> longer;
    for (const auto &combination : combinations)
      for (size_t i = 0; i < std::max<size_t>(list.size(), 1); ++i) {
        longer.push_back(combination);
        longer.back().push_back(list.empty() ? Remainders() : list[i]);
      }
    combinations = std::move(longer);
  }
  SmallVector<std::pair<SmallVector<Remainders>, View>> parts;
  auto isThere = [](auto pair) {
    auto [r, shape] = pair;
    return r.taps > 0 && !(r.isSplit() && r.getQuotients(shape).isConstant(0));
  };
  for (auto &chosen : combinations)
    if (llvm::all_of(llvm::zip_equal(chosen, shapes), isThere))
      parts.emplace_back(chosen, makePart(type, y, weight, chosen, bias));
  if (llvm::all_of(lists, [](auto &list) { return list.empty(); }))
    return parts.front().second.base;
  return interleave(type, parts, bias);
}
