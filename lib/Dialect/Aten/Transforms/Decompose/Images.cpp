//===- Images.cpp - Convolution, pooling and shuffles ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of a given number of dimensions, as the general ones of the core
// set; tensors without a batch get one.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

namespace kiln::aten {

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// A convolution in as many dimensions as its weight says.
static Value convolve(FormulaBuilder &c, Value input, Value weight, Value bias,
                      const SizesArg &stride, const SizesArg &padding,
                      const SizesArg &dilation, bool transposed,
                      const SizesArg &outputPadding, ExprAttr groups) {
  bool isBatched =
      FormulaBuilder::rankOf(input) == FormulaBuilder::rankOf(weight);
  if (!isBatched)
    input = c.unsqueeze(input, 0);
  Value result = c.convolution(input, weight, bias, stride, padding, dilation,
                               transposed, outputPadding, groups);
  return isBatched || !result ? result : c.squeezeDim(result, 0);
}

static Sizes zeros(FormulaBuilder &c, Value weight) {
  return Sizes(FormulaBuilder::rankOf(weight) - 2, c.expr(0));
}

Value decomposeConvolution(const ConvolutionArgs &conv, FormulaBuilder &c,
                           bool transposed) {
  return convolve(c, conv.input, conv.weight, conv.bias, conv.stride,
                  conv.padding, conv.dilation, transposed,
                  transposed ? conv.outputPadding : zeros(c, conv.weight),
                  conv.groups);
}

/// "same" pads so that the size stays, with the odd zero at the end.
Value decomposeNamedPadding(const NamedPaddingArgs &conv, FormulaBuilder &c) {
  Value input = conv.input, weight = conv.weight;
  size_t spatial = FormulaBuilder::rankOf(weight) - 2;
  Sizes padding(spatial, c.expr(0)), extra(2 * spatial, c.expr(0));
  bool isUneven = false;
  ArrayRef<ExprAttr> dilation = conv.dilation;
  if (conv.padding == "same")
    for (size_t i = 0; i < spatial; ++i) {
      ExprAttr total = dilation[dilation.size() == 1 ? 0 : i] *
                       (c.dimOf(weight, 2 + i) + -1);
      padding[i] = guard::floorDiv(total, 2);
      ExprAttr odd = guard::mod(total, 2);
      extra[2 * (spatial - 1 - i) + 1] = odd;
      isUneven |= !odd.isConstant(0);
    }
  if (isUneven)
    input = c.constantPad(input, extra, 0.0);
  return convolve(c, input, weight, conv.bias, conv.stride, padding,
                  conv.dilation, false, zeros(c, weight), conv.groups);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Of a list in one dimension, the list in two: `unit` for the first.
static SmallVector<int64_t> inTwo(ArrayRef<int64_t> list, int64_t unit) {
  if (list.empty())
    return {};
  return {unit, list.front()};
}

/// An image of one row.
static Value asImage(FormulaBuilder &c, Value signal) {
  return c.unsqueeze(signal, -2);
}

Value decomposeMaxPool1d(MaxPool1dOp op, FormulaBuilder &c) {
  if (FormulaBuilder::elementTypeOf(op.getSelf()).isInteger(1))
    return {};
  return c.squeezeDim(c.maxPool2dWithIndices(
                           asImage(c, op.getSelf()),
                           inTwo(op.getKernelSize(), 1),
                           inTwo(op.getStride(), 1), inTwo(op.getPadding(), 0),
                           inTwo(op.getDilation(), 1), op.getCeilMode())
                          .front(),
                      -2);
}

SmallVector<Value> decomposeMaxPool1dWithIndices(MaxPool1dWithIndicesOp op,
                                                 FormulaBuilder &c) {
  OpResults pool = c.maxPool2dWithIndices(
      asImage(c, op.getSelf()), inTwo(op.getKernelSize(), 1),
      inTwo(op.getStride(), 1), inTwo(op.getPadding(), 0),
      inTwo(op.getDilation(), 1), op.getCeilMode());
  if (!pool)
    return {};
  return {c.squeezeDim(pool[0], -2), c.squeezeDim(pool[1], -2)};
}

// The first result of the overload that gives indices, too.
Value decomposeAvgPool1d(AvgPool1dOp op, FormulaBuilder &c) {
  return c.squeezeDim(
      c.avgPool2d(asImage(c, op.getSelf()), inTwo(op.getKernelSize(), 1),
                  inTwo(op.getStride(), 1), inTwo(op.getPadding(), 0),
                  op.getCeilMode(), op.getCountIncludePad(), {}),
      -2);
}

/// The mean of nothing, which the kernel of a pooling refuses.
static Value meanOfNothing(FormulaBuilder &c, Value x, ArrayRef<int64_t> dims) {
  return c.numelOf(x).isConstant(0) ? c.meanOver(x, dims, /*keepdim=*/true)
                                    : Value();
}

Value decomposeAdaptiveAvgPool1d(AdaptiveAvgPool1dOp op, FormulaBuilder &c) {
  if (op.getOutputSize().front() == 1)
    if (Value mean = meanOfNothing(c, op.getSelf(), {-1}))
      return mean;
  return c.squeezeDim(
      c.adaptiveAvgPool2d(asImage(c, op.getSelf()),
                          {c.expr(1), c.expr(op.getOutputSize().front())}),
      -2);
}

/// The mean of nothing, for windows that are all of it.
static Value meanOfWhole(FormulaBuilder &c, Value x, guard::ShapeAttr size,
                         ArrayRef<int64_t> spatial) {
  bool isWhole =
      llvm::all_of(size.getDims(), [](ExprAttr d) { return d.isConstant(1); });
  return isWhole ? meanOfNothing(c, x, spatial) : Value();
}

Value decomposePlainAdaptiveAvgPool2d(PlainAdaptiveAvgPool2dOp op,
                                      FormulaBuilder &c) {
  Value mean = meanOfWhole(c, op.getSelf(), op.getOutputSize(), {-2, -1});
  return mean ? mean : c.adaptiveAvgPool2d(op.getSelf(), op.getOutputSize());
}

Value decomposePlainAdaptiveAvgPool3d(PlainAdaptiveAvgPool3dOp op,
                                      FormulaBuilder &c) {
  Value mean = meanOfWhole(c, op.getSelf(), op.getOutputSize(), {-3, -2, -1});
  return mean ? mean : c.adaptiveAvgPool3d(op.getSelf(), op.getOutputSize());
}

SmallVector<Value> decomposeAdaptiveMaxPool1d(AdaptiveMaxPool1dOp op,
                                              FormulaBuilder &c) {
  OpResults pool = c.adaptiveMaxPool2d(asImage(c, op.getSelf()),
                                       inTwo(op.getOutputSize(), 1));
  if (!pool)
    return {};
  return {c.squeezeDim(pool[0], -2), c.squeezeDim(pool[1], -2)};
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

Value decomposeChannelShuffle(const ShuffleArgs &args, FormulaBuilder &c) {
  Value x = args.self;
  ExprAttr groups = args.groups;
  Sizes sizes = c.dimsOf(x);
  if (sizes.size() < 3 || !groups.isConstant() || groups.getPayload() < 1)
    return {};
  ExprAttr inner = guard::floorDiv(sizes[1], groups);
  ExprAttr rest = inner * groups - sizes[1];
  if (rest.isConstant() && !rest.isConstant(0))
    return {}; // refused
  Sizes split = {sizes[0], groups, inner};
  split.append(sizes.begin() + 2, sizes.end());
  return c.view(c.transpose(c.view(x, split), 1, 2), sizes);
}

/// [..., C f f, H, W] as [..., C, H f, W f], or the other way.
Value decomposePixelShuffle(const PixelArgs &args, FormulaBuilder &c,
                            bool isUp) {
  Value x = args.self;
  Sizes from = c.dimsOf(x), to = c.dimsOf(args.op->getResult(0));
  int64_t lead = static_cast<int64_t>(from.size()) - 3;
  Sizes coarse = isUp ? from : to, fine = isUp ? to : from;
  ExprAttr f = c.expr(isUp ? *args.upscaleFactor : *args.downscaleFactor);
  ExprAttr channels = fine[lead], height = coarse[lead + 1],
           width = coarse[lead + 2];
  Sizes split(from.begin(), from.begin() + lead);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, lead));
  auto add = [&](ArrayRef<ExprAttr> sizes, ArrayRef<int64_t> dims) {
    split.append(sizes.begin(), sizes.end());
    for (int64_t dim : dims)
      order.push_back(lead + dim);
  };
  if (isUp)
    add({channels, f, f, height, width}, {0, 3, 1, 4, 2});
  else
    add({channels, height, f, width, f}, {0, 2, 4, 1, 3});
  return c.view(c.permute(c.view(x, split), order), to);
}

} // namespace kiln::aten
