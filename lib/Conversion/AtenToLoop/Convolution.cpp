//===- Convolution.cpp - Convolutions and their gradients -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind every operator stands a plain convolution of x [n, ci, input] with a
// weight [co, ci / groups, kernel] to y [n, co, output]. Three contractions
// serve all: y, the gradient of x, which is also the transposed convolution,
// and the gradient of the weight.
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

/// How windows lie, as a convolution and its gradient say.
struct Parameters {
  template <typename Op>
  explicit Parameters(Op op)
      : stride(toExprs(op.getStride())), padding(toExprs(op.getPadding())),
        dilation(toExprs(op.getDilation())), groups(op.getGroups()) {}
  Exprs stride, padding, dilation;
  ExprAttr groups;
};

class Convolution {
public:
  Convolution(LoopBuilder &loops) : loops(loops) {}

  /// Takes the parameters of `x` and `y` with the roles that a transposed
  /// convolution exchanges already exchanged back.
  LogicalResult read(const Parameters &given, ArrayRef<ExprAttr> x,
                     ArrayRef<ExprAttr> weight, ArrayRef<ExprAttr> y);

  ContractOp makeForward(RankedTensorType type, Value x, Value weight);
  ContractOp makeInputGradient(RankedTensorType type, Value y, Value weight);
  ContractOp makeWeightGradient(RankedTensorType type, Value x, Value y);

private:
  ContractOp make(RankedTensorType type, const Factor &lhs, const Factor &rhs,
                  ArrayRef<ExprAttr> reduction) {
    return loops.makeContract(
        type, lhs, rhs, reduction,
        LoopBuilder::getComputeType(LoopBuilder::getElement(lhs.tensor)));
  }
  /// `channel` of a group of `size` channels, the group being that of `other`
  /// among groups of `otherSize`.
  ExprAttr inGroup(ExprAttr channel, ExprAttr size, ExprAttr other,
                   ExprAttr otherSize) const {
    if (groups.isConstant(1))
      return channel;
    return guard::floorDiv(other, otherSize) * size + channel;
  }

  LoopBuilder &loops;
  ExprAttr groups, groupIn, groupOut;
  SmallVector<WindowShape> shapes;
};

} // namespace

LogicalResult Convolution::read(const Parameters &given, ArrayRef<ExprAttr> x,
                                ArrayRef<ExprAttr> weight,
                                ArrayRef<ExprAttr> y) {
  unsigned spatial = weight.size() - 2;
  Exprs lists[3] = {given.stride, given.padding, given.dilation};
  // One number stands for all dimensions.
  for (Exprs &list : lists) {
    if (list.size() == 1)
      list.assign(spatial, ExprAttr(list.front()));
    if (list.size() != spatial || x.size() != weight.size() ||
        y.size() != weight.size())
      return loops.refuse("the parameters have another number of dimensions");
  }
  groups = given.groups;
  if (!groups || !groups.isConstant() || groups.getPayload() < 1)
    return loops.refuse("the number of groups is not constant");
  groupIn = weight[1];
  groupOut = guard::floorDiv(weight[0], groups);
  auto differ = [](ExprAttr a, ExprAttr b) {
    ExprAttr difference = a - b;
    return difference.isConstant() && !difference.isConstant(0);
  };
  if (differ(groupOut * groups, weight[0]) || weight[0].isConstant(0) ||
      differ(y[1], weight[0]) || differ(x[1], groupIn * groups) ||
      differ(x[0], y[0]))
    return loops.refuse("the channels do not fit the groups");
  for (unsigned i = 0; i < spatial; ++i) {
    shapes.push_back({weight[2 + i], lists[0][i], lists[1][i], lists[2][i],
                      x[2 + i], y[2 + i]});
    // The windows that lie in the input are those of the output, at least.
    const WindowShape &s = shapes.back();
    ExprAttr reach = (s.output + -1) * s.stride - s.padding * 2 +
                     (s.kernel + -1) * s.dilation + 1;
    ExprAttr rest = s.input - reach;
    ExprAttr room = guard::max(s.stride, s.dilation) - rest;
    if ((s.output.isConstant() && s.output.getPayload() < 1) ||
        (rest.isConstant() && rest.getPayload() < 0) ||
        (room.isConstant() && room.getPayload() < 1))
      return loops.refuse("the windows do not fit the input");
  }
  return success();
}

ContractOp Convolution::makeForward(RankedTensorType type, Value x,
                                    Value weight) {
  // (n, co, output...) over (ci of the group, kernel...)
  unsigned rank = type.getRank();
  Exprs reduction = {groupIn};
  Exprs left = {loops.dim(0),
                inGroup(loops.dim(rank), groupIn, loops.dim(1), groupOut)};
  Exprs right = {loops.dim(1), loops.dim(rank)};
  ExprAttr mask = loops.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    Window window = slide(shape, loops.dim(2 + k), loops.dim(rank + 1 + k));
    reduction.push_back(window.extent);
    left.push_back(window.at);
    right.push_back(window.tap);
    mask = guard::logicalAnd(mask, window.valid);
  }
  return make(type, {x, left, mask}, {weight, right}, reduction);
}

ContractOp Convolution::makeInputGradient(RankedTensorType type, Value y,
                                          Value weight) {
  // (n, ci, input...) over (co of the group, windows...)
  unsigned rank = type.getRank();
  Exprs reduction = {groupOut};
  ExprAttr channel = inGroup(loops.dim(rank), groupOut, loops.dim(1), groupIn);
  ExprAttr inner =
      groups.isConstant(1) ? loops.dim(1) : guard::mod(loops.dim(1), groupIn);
  Exprs left = {loops.dim(0), channel}, right = {channel, inner};
  ExprAttr mask = loops.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    Window window = cover(shape, loops.dim(2 + k), loops.dim(rank + 1 + k));
    reduction.push_back(window.extent);
    left.push_back(window.at);
    right.push_back(window.tap);
    mask = guard::logicalAnd(mask, window.valid);
  }
  // Both are masked: a weight that is infinite counts only where it is used.
  return make(type, {y, left, mask}, {weight, right, mask}, reduction);
}

ContractOp Convolution::makeWeightGradient(RankedTensorType type, Value x,
                                           Value y) {
  // (co, ci of the group, kernel...) over (n, output...)
  unsigned rank = type.getRank();
  Exprs reduction = {loops.getView(y).dims[0]};
  Exprs left = {loops.dim(rank), loops.dim(0)};
  Exprs right = {loops.dim(rank),
                 inGroup(loops.dim(1), groupIn, loops.dim(0), groupOut)};
  ExprAttr mask = loops.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    ExprAttr place = loops.dim(rank + 1 + k);
    Window window = slide(shape, place, loops.dim(2 + k));
    reduction.push_back(shape.output);
    left.push_back(place);
    right.push_back(window.at);
    mask = guard::logicalAnd(mask, window.valid);
  }
  return make(type, {y, left}, {x, right, mask}, reduction);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Adds a bias per channel where the sums are rounded.
static void addBias(LoopBuilder &loops, ContractOp nest, Value bias) {
  loops.addEpilogue(nest, [&](BodyContext body, ScalarBuilder &scalars,
                              Value sum) {
    Value x = loops.read(body, loops.getView(bias), {loops.dim(1)});
    return scalars.add(sum, scalars.convert(x, LoopBuilder::getElement(bias),
                                            scalars.getType()));
  });
}

LogicalResult loop::lowerConvolution(LoopBuilder &loops,
                                     aten::ConvolutionOp op) {
  RankedTensorType type = loops.getResultType();
  Value input = op.getInput(), weight = op.getWeight();
  View image = loops.getView(input), filter = loops.getView(weight);
  bool isTransposed = op.getTransposed();
  if (filter.dims.size() < 3 || type.getElementType().isInteger(1))
    return loops.refuse("convolutions of these tensors have no kernel");
  Exprs output(*guard::getDims(type));
  // Without a batch, one of one image.
  bool isBatched = image.dims.size() == filter.dims.size();
  if (!isBatched) {
    image.dims.insert(image.dims.begin(), loops.expr(1));
    for (ExprAttr &index : image.map)
      index = guard::substitute(index, [&](ExprAttr leaf) {
        return leaf.isDim() ? loops.dim(leaf.getPosition() + 1) : ExprAttr();
      });
    output.insert(output.begin(), loops.expr(1));
    type = guard::makeTensorType(type.getElementType(), output);
  }
  for (ExprAttr extra : toExprs(op.getOutputPadding()))
    if (isTransposed && extra.isConstant() && extra.getPayload() < 0)
      return loops.refuse("a negative output padding has no kernel");
  Convolution plain(loops);
  if (failed(plain.read(Parameters(op), isTransposed ? output : image.dims,
                        filter.dims, isTransposed ? image.dims : output)))
    return failure();
  if (Value bias = op.getBias()) {
    View view = loops.getView(bias);
    if (view.dims.size() != 1 || view.dims[0] != output[1])
      return loops.refuse("the bias has not one number a channel");
  }
  if (!isBatched) {
    // A view of another rank, under a name of its own.
    auto imageType =
        guard::makeTensorType(type.getElementType(), image.dims);
    Value source = loops.makePointwise(
        imageType, imageType.getElementType(),
        [&](BodyContext body, ScalarBuilder &) {
          return loops.read(
              body, image,
              getIdentityMap(loops.getContext(), image.dims.size()));
        });
    input = source;
  }
  ContractOp nest = isTransposed ? plain.makeInputGradient(type, input, weight)
                                 : plain.makeForward(type, input, weight);
  if (Value bias = op.getBias())
    addBias(loops, nest, bias);
  if (isBatched) {
    loops.setResult(0, nest.getResult());
    return success();
  }
  View result{nest.getResult(), {loops.expr(0)}, {}};
  for (unsigned i = 1; i < output.size(); ++i) {
    result.map.push_back(loops.dim(i - 1));
    result.dims.push_back(output[i]);
  }
  loops.setView(loops.getResult(0), result);
  return success();
}

LogicalResult loop::lowerConvolutionBackward(LoopBuilder &loops,
                                             aten::ConvolutionBackwardOp op) {
  Value gradient = op.getGradOutput(), input = op.getInput(),
        weight = op.getWeight();
  View grad = loops.getView(gradient), image = loops.getView(input),
       filter = loops.getView(weight);
  Type stored = loops.getElement(input);
  bool isTransposed = op.getTransposed();
  if (filter.dims.size() < 3 || !isa<FloatType>(stored) ||
      loops.getElement(gradient) != stored ||
      loops.getElement(weight) != stored)
    return loops.refuse("gradients of these tensors have no kernel");
  Convolution plain(loops);
  if (failed(plain.read(Parameters(op), isTransposed ? grad.dims : image.dims,
                        filter.dims, isTransposed ? image.dims : grad.dims)))
    return failure();
  ArrayRef<bool> mask = op.getOutputMask();
  if (mask.size() != 3)
    return loops.refuse("expected a mask of three results");
  for (unsigned i = 0; i < 3; ++i) {
    RankedTensorType type = loops.getResultType(i);
    if (!mask[i]) {
      // Nobody reads it; PyTorch gives an undefined tensor.
      loops.setResult(
          i, loops.makePointwise(type, stored,
                                 [&](BodyContext, ScalarBuilder &scalars) {
                                   return scalars.constant(stored, 0.0);
                                 }));
      continue;
    }
    if (i == 0)
      loops.setResult(
          0, isTransposed
                 ? plain.makeForward(type, gradient, weight).getResult()
                 : plain.makeInputGradient(type, gradient, weight).getResult());
    else if (i == 1)
      loops.setResult(
          1, isTransposed
                 ? plain.makeWeightGradient(type, gradient, input).getResult()
                 : plain.makeWeightGradient(type, input, gradient).getResult());
    else {
      SmallVector<int64_t> dims = {0};
      for (int64_t k = 2; k < int64_t(grad.dims.size()); ++k)
        dims.push_back(k);
      loops.setResult(2, loops.reduceDims(grad, dims, type, ReductionKind::Sum,
                                          loops.getComputeType(stored)));
    }
  }
  return success();
}
