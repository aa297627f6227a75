//===- Convolution.cpp - Convolutions and their gradients -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of the operators, and the nests that they are made of.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionNests.h"
#include "Lowerings.h"

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

} // namespace

/// Takes the parameters of `x` and `y` with the roles that a transposed convolution
/// exchanges already exchanged back; nothing if it refused.
static std::optional<Convolution>
readParameters(LoopBuilder &loops, const Parameters &given, ArrayRef<ExprAttr> x,
     ArrayRef<ExprAttr> weight, ArrayRef<ExprAttr> y) {
  auto refuse = [&](const Twine &why) {
    (void)loops.refuse(why);
    return std::nullopt;
  };
  unsigned spatial = weight.size() - 2;
  Exprs lists[3] = {given.stride, given.padding, given.dilation};
  // One number stands for all dimensions.
  for (Exprs &list : lists) {
    if (list.size() == 1)
      list.assign(spatial, ExprAttr(list.front()));
    if (list.size() != spatial || x.size() != weight.size() ||
        y.size() != weight.size())
      return refuse("the parameters have another number of dimensions");
  }
  ExprAttr groups = given.groups;
  if (!groups || !groups.isConstant() || groups.getPayload() < 1)
    return refuse("the number of groups is not constant");
  ExprAttr groupIn = weight[1];
  ExprAttr groupOut = guard::floorDiv(weight[0], groups);
  auto differ = [](ExprAttr a, ExprAttr b) {
    ExprAttr difference = a - b;
    return difference.isConstant() && !difference.isConstant(0);
  };
  if (differ(groupOut * groups, weight[0]) || weight[0].isConstant(0) ||
      differ(y[1], weight[0]) || differ(x[1], groupIn * groups) ||
      differ(x[0], y[0]))
    return refuse("the channels do not fit the groups");
  SmallVector<WindowShape> shapes;
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
      return refuse("the windows do not fit the input");
  }
  return Convolution(loops, groups, groupIn, groupOut, shapes);
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
  auto plain = readParameters(loops, Parameters(op), isTransposed ? output : image.dims,
                      filter.dims, isTransposed ? image.dims : output);
  if (!plain)
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
  Value bias = op.getBias();
  return loops.setReshaped(
      0, isTransposed ? plain->makeInputGradient(type, input, weight, bias)
                      : plain->makeForward(type, input, weight, bias));
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
  auto plain = readParameters(loops, Parameters(op),
                      isTransposed ? grad.dims : image.dims, filter.dims,
                      isTransposed ? image.dims : grad.dims);
  if (!plain)
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
    Value sums;
    if (i == 0)
      sums = isTransposed
                 ? plain->makeForward(type, gradient, weight, Value())
                 : plain->makeInputGradient(type, gradient, weight, Value());
    else if (i == 1)
      sums = isTransposed ? plain->makeWeightGradient(type, gradient, input)
                          : plain->makeWeightGradient(type, input, gradient);
    else {
      SmallVector<int64_t> dims = {0};
      for (int64_t k = 2; k < int64_t(grad.dims.size()); ++k)
        dims.push_back(k);
      sums = loops.reduceDims(grad, dims, type, ReductionKind::Sum,
                              loops.getComputeType(stored));
    }
    if (failed(loops.setReshaped(i, sums)))
      return failure();
  }
  return success();
}
