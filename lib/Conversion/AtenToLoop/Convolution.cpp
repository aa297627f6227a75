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

#include "Windows.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

class Convolution {
public:
  Convolution(Converter &converter) : c(converter) {}

  /// Reads the parameters, of `x` and `y` with the roles that a transposed
  /// convolution exchanges already exchanged back.
  LogicalResult read(ArrayRef<ExprAttr> x, ArrayRef<ExprAttr> weight,
                     ArrayRef<ExprAttr> y);

  ContractOp makeForward(RankedTensorType type, Value x, Value weight);
  ContractOp makeInputGradient(RankedTensorType type, Value y, Value weight);
  ContractOp makeWeightGradient(RankedTensorType type, Value x, Value y);

private:
  ContractOp make(RankedTensorType type, Value lhs, Value rhs,
                  ArrayRef<ExprAttr> reduction, ArrayRef<ExprAttr> left,
                  ArrayRef<ExprAttr> right, ExprAttr leftMask,
                  ExprAttr rightMask);
  /// `channel` of a group of `size` channels, the group being that of `other`
  /// among groups of `otherSize`.
  ExprAttr inGroup(ExprAttr channel, ExprAttr size, ExprAttr other,
                   ExprAttr otherSize) const {
    if (groups.isConstant(1))
      return channel;
    return guard::floorDiv(other, otherSize) * size + channel;
  }

  Converter &c;
  ExprAttr groups, groupIn, groupOut;
  SmallVector<WindowShape> shapes;
};

} // namespace

LogicalResult Convolution::read(ArrayRef<ExprAttr> x,
                                ArrayRef<ExprAttr> weight,
                                ArrayRef<ExprAttr> y) {
  unsigned spatial = weight.size() - 2;
  Exprs lists[3] = {c.getShape("stride"), c.getShape("padding"),
                    c.getShape("dilation")};
  // One number stands for all dimensions.
  for (Exprs &list : lists) {
    if (list.size() == 1)
      list.assign(spatial, ExprAttr(list.front()));
    if (list.size() != spatial || x.size() != weight.size() ||
        y.size() != weight.size())
      return c.refuse("the parameters have another number of dimensions");
  }
  groups = c.getExpr("groups");
  if (!groups || !groups.isConstant() || groups.getPayload() < 1)
    return c.refuse("the number of groups is not constant");
  groupIn = weight[1];
  groupOut = guard::floorDiv(weight[0], groups);
  auto differ = [](ExprAttr a, ExprAttr b) {
    ExprAttr difference = a - b;
    return difference.isConstant() && !difference.isConstant(0);
  };
  if (differ(groupOut * groups, weight[0]) || weight[0].isConstant(0) ||
      differ(y[1], weight[0]) || differ(x[1], groupIn * groups) ||
      differ(x[0], y[0]))
    return c.refuse("the channels do not fit the groups");
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
      return c.refuse("the windows do not fit the input");
  }
  return success();
}

ContractOp Convolution::make(RankedTensorType type, Value lhs, Value rhs,
                             ArrayRef<ExprAttr> reduction,
                             ArrayRef<ExprAttr> left, ArrayRef<ExprAttr> right,
                             ExprAttr leftMask, ExprAttr rightMask) {
  Exprs parallel(*guard::getDims(type)), extents(parallel);
  extents.append(reduction.begin(), reduction.end());
  guard::Assumptions assumptions = c.getAssumptions();
  analysis::addExtents(assumptions, c.getContext(), extents);
  View a = c.getStraight(lhs, extents, left);
  View b = c.getStraight(rhs, extents, right);
  auto nest = ContractOp::create(
      c.getBuilder(), c.getLoc(), type, a.base, b.base, parallel, reduction,
      a.map, b.map, getBodyType(Converter::getComputeType(c.getElement(lhs))),
      c.getOrigins());
  leftMask = guard::simplify(leftMask, assumptions);
  rightMask = guard::simplify(rightMask, assumptions);
  if (!leftMask.isConstant(1) || !rightMask.isConstant(1))
    nest.setMasksAttr(getExprArray(c.getContext(), {leftMask, rightMask}));
  return nest;
}

ContractOp Convolution::makeForward(RankedTensorType type, Value x,
                                    Value weight) {
  // (n, co, output...) over (ci of the group, kernel...)
  unsigned rank = type.getRank();
  Exprs reduction = {groupIn};
  Exprs left = {c.dim(0),
                inGroup(c.dim(rank), groupIn, c.dim(1), groupOut)};
  Exprs right = {c.dim(1), c.dim(rank)};
  ExprAttr mask = c.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    Window window = slide(shape, c.dim(2 + k), c.dim(rank + 1 + k));
    reduction.push_back(window.extent);
    left.push_back(window.at);
    right.push_back(window.tap);
    mask = guard::logicalAnd(mask, window.valid);
  }
  return make(type, x, weight, reduction, left, right, mask, c.expr(1));
}

ContractOp Convolution::makeInputGradient(RankedTensorType type, Value y,
                                          Value weight) {
  // (n, ci, input...) over (co of the group, windows...)
  unsigned rank = type.getRank();
  Exprs reduction = {groupOut};
  ExprAttr channel = inGroup(c.dim(rank), groupOut, c.dim(1), groupIn);
  ExprAttr inner = groups.isConstant(1) ? c.dim(1)
                                        : guard::mod(c.dim(1), groupIn);
  Exprs left = {c.dim(0), channel}, right = {channel, inner};
  ExprAttr mask = c.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    Window window = cover(shape, c.dim(2 + k), c.dim(rank + 1 + k));
    reduction.push_back(window.extent);
    left.push_back(window.at);
    right.push_back(window.tap);
    mask = guard::logicalAnd(mask, window.valid);
  }
  // Both are masked: a weight that is infinite counts only where it is used.
  return make(type, y, weight, reduction, left, right, mask, mask);
}

ContractOp Convolution::makeWeightGradient(RankedTensorType type, Value x,
                                           Value y) {
  // (co, ci of the group, kernel...) over (n, output...)
  unsigned rank = type.getRank();
  Exprs reduction = {c.getView(y).dims[0]};
  Exprs left = {c.dim(rank), c.dim(0)};
  Exprs right = {c.dim(rank),
                 inGroup(c.dim(1), groupIn, c.dim(0), groupOut)};
  ExprAttr mask = c.expr(1);
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    ExprAttr place = c.dim(rank + 1 + k);
    Window window = slide(shape, place, c.dim(2 + k));
    reduction.push_back(shape.output);
    left.push_back(place);
    right.push_back(window.at);
    mask = guard::logicalAnd(mask, window.valid);
  }
  return make(type, y, x, reduction, left, right, c.expr(1), mask);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Adds a bias per channel where the sums are rounded.
static void addBias(Converter &c, ContractOp nest, Value bias) {
  auto type = cast<RankedTensorType>(nest.getResult().getType());
  Block *block = nest.addEpilogue(c.getBuilder());
  OpBuilder inner = OpBuilder::atBlockEnd(block);
  BodyContext body{inner, c.getLoc(), block->getArguments().drop_front()};
  Type acc = nest.getAccType();
  ScalarBuilder scalars(inner, c.getLoc(), acc);
  Value x = scalars.convert(c.read(body, c.getView(bias), {c.dim(1)}),
                            c.getElement(bias), acc);
  Value value = scalars.add(block->getArgument(0), x);
  YieldOp::create(inner, c.getLoc(),
                  scalars.convert(value, acc, type.getElementType()));
}

LogicalResult Converter::lowerConvolution() {
  RankedTensorType type = getResultType();
  Value input = getTensor("input"), weight = getTensor("weight");
  View image = getView(input), filter = getView(weight);
  bool isTransposed = getBool("transposed");
  if (filter.dims.size() < 3 || type.getElementType().isInteger(1))
    return refuse("convolutions of these tensors have no kernel");
  Exprs output(*guard::getDims(type));
  // Without a batch, one of one image.
  bool isBatched = image.dims.size() == filter.dims.size();
  if (!isBatched) {
    image.dims.insert(image.dims.begin(), expr(1));
    for (ExprAttr &index : image.map)
      index = guard::substitute(index, [&](ExprAttr leaf) {
        return leaf.isDim() ? dim(leaf.getPosition() + 1) : ExprAttr();
      });
    output.insert(output.begin(), expr(1));
    type = guard::makeTensorType(type.getElementType(), output);
  }
  for (ExprAttr extra : getShape("output_padding"))
    if (isTransposed && extra.isConstant() && extra.getPayload() < 0)
      return refuse("a negative output padding has no kernel");
  Convolution plain(*this);
  if (failed(plain.read(isTransposed ? output : image.dims, filter.dims,
                        isTransposed ? image.dims : output)))
    return failure();
  if (Value bias = getTensor("bias")) {
    View view = getView(bias);
    if (view.dims.size() != 1 || view.dims[0] != output[1])
      return refuse("the bias has not one number a channel");
  }
  if (!isBatched) {
    // A view of another rank, under a name of its own.
    auto imageType =
        guard::makeTensorType(type.getElementType(), image.dims);
    Value source = makePointwise(
        imageType, imageType.getElementType(),
        [&](BodyContext body, ScalarBuilder &) {
          return read(body, image, getIdentityMap(getContext(),
                                                  image.dims.size()));
        });
    input = source;
  }
  ContractOp nest = isTransposed ? plain.makeInputGradient(type, input, weight)
                                 : plain.makeForward(type, input, weight);
  if (Value bias = getTensor("bias"))
    addBias(*this, nest, bias);
  if (isBatched) {
    setResult(0, nest.getResult());
    return success();
  }
  View result{nest.getResult(), {expr(0)}, {}};
  for (unsigned i = 1; i < output.size(); ++i) {
    result.map.push_back(dim(i - 1));
    result.dims.push_back(output[i]);
  }
  setView(getResult(0), result);
  return success();
}

LogicalResult Converter::lowerConvolutionBackward() {
  Value gradient = getTensor("grad_output"), input = getTensor("input"),
        weight = getTensor("weight");
  View grad = getView(gradient), image = getView(input),
       filter = getView(weight);
  Type stored = getElement(input);
  bool isTransposed = getBool("transposed");
  if (filter.dims.size() < 3 || !isa<FloatType>(stored) ||
      getElement(gradient) != stored || getElement(weight) != stored)
    return refuse("gradients of these tensors have no kernel");
  Convolution plain(*this);
  if (failed(plain.read(isTransposed ? grad.dims : image.dims, filter.dims,
                        isTransposed ? image.dims : grad.dims)))
    return failure();
  auto mask = dyn_cast_if_present<DenseBoolArrayAttr>(
      getArg("output_mask").getAttribute());
  if (!mask || mask.size() != 3)
    return refuse("expected a mask of three results");
  for (unsigned i = 0; i < 3; ++i) {
    RankedTensorType type = getResultType(i);
    if (!mask[i]) {
      // Nobody reads it; PyTorch gives an undefined tensor.
      setResult(i, makePointwise(type, stored,
                                 [&](BodyContext, ScalarBuilder &scalars) {
                                   return scalars.constant(stored, 0.0);
                                 }));
      continue;
    }
    if (i == 0)
      setResult(0, isTransposed
                       ? plain.makeForward(type, gradient, weight).getResult()
                       : plain.makeInputGradient(type, gradient, weight)
                             .getResult());
    else if (i == 1)
      setResult(1, isTransposed
                       ? plain.makeWeightGradient(type, gradient, input)
                             .getResult()
                       : plain.makeWeightGradient(type, input, gradient)
                             .getResult());
    else {
      SmallVector<int64_t> dims = {0};
      for (int64_t k = 2; k < int64_t(grad.dims.size()); ++k)
        dims.push_back(k);
      setResult(2, makeReduction(grad, dims, type, ReductionKind::Sum,
                                 getComputeType(stored)));
    }
  }
  return success();
}
