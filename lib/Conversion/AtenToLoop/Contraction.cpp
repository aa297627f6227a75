//===- Contraction.cpp - Products of matrices, convolutions ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// The operand of a contraction: its tensor and index. A view that is not read
/// along straight lines is copied first.
static View getOperand(Converter &converter, Value tensor,
                       ArrayRef<guard::ExprAttr> extents,
                       ArrayRef<guard::ExprAttr> index) {
  View view = converter.getView(tensor);
  for (guard::ExprAttr &expr : view.map)
    expr = guard::substituteDims(expr, index);
  if (!analysis::isStraight(cast<RankedTensorType>(view.base.getType()),
                            view.map, extents, converter.getAssumptions())) {
    view.base = converter.materialize(tensor);
    view.map = Exprs(index);
  }
  return view;
}

/// Integers wrap in their own type, 16-bit floats are summed in f32.
static Type getAccumulator(Type type) {
  return getBodyType(Converter::getComputeType(type));
}

LogicalResult Converter::lowerProduct(Value lhs, Value rhs, StringRef bias) {
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  if (stored.isInteger(1))
    return refuse("there is no product of matrices of bool");
  Type acc = getAccumulator(stored);
  auto dims = *guard::getDims(type);
  Exprs parallel(dims.begin(), dims.end());
  unsigned rank = parallel.size(); // 2, or 3 with a batch
  guard::ExprAttr depth = getView(lhs).dims[rank - 1];
  Exprs extents(parallel);
  extents.push_back(depth);
  Exprs left, right;
  if (rank == 3) {
    left.push_back(dim(0));
    right.push_back(dim(0));
  }
  left.append({dim(rank - 2), dim(rank)});
  right.append({dim(rank), dim(rank - 1)});

  std::optional<double> alpha = 1, beta = 1;
  if (!bias.empty()) {
    if (!getArg("alpha").isNone())
      alpha = getConstant("alpha");
    if (!getArg("beta").isNone())
      beta = getConstant("beta");
    if (!alpha || !beta)
      return refuse("alpha or beta is not constant");
  }
  View a = getOperand(*this, lhs, extents, left);
  View b = getOperand(*this, rhs, extents, right);
  auto nest =
      ContractOp::create(builder, getLoc(), type, a.base, b.base, parallel,
                         ArrayRef(depth), a.map, b.map, acc, getOrigins());
  if (!bias.empty() && (*beta != 0 || *alpha != 1)) {
    Block *block = nest.addEpilogue(builder);
    OpBuilder inner = OpBuilder::atBlockEnd(block);
    BodyContext body{inner, getLoc(), block->getArguments().drop_front()};
    ScalarBuilder scalars(inner, getLoc(), acc);
    Value value = block->getArgument(0);
    value = scalars.mul(value, scalars.constant(acc, *alpha));
    // With beta 0 the bias does not count, not even its NaNs.
    if (*beta != 0) {
      Value tensor = getTensor(bias);
      View view = getView(tensor);
      Value x = scalars.convert(
          read(body, view, broadcast(view, parallel)),
          cast<RankedTensorType>(tensor.getType()).getElementType(), acc);
      value = scalars.add(scalars.mul(x, scalars.constant(acc, *beta)), value);
    }
    YieldOp::create(inner, getLoc(), scalars.convert(value, acc, stored));
  }
  setResult(0, nest.getResult());
  return success();
}

LogicalResult Converter::lowerConvolution() {
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  if (getBool("transposed"))
    return refuse("transposed convolutions have no kernel");
  Value input = getTensor("input"), weight = getTensor("weight");
  View image = getView(input), filter = getView(weight);
  unsigned spatial = image.dims.size() - 2;
  Exprs stride = getShape("stride"), padding = getShape("padding"),
        dilation = getShape("dilation");
  // One number stands for all dimensions.
  for (Exprs *list : {&stride, &padding, &dilation}) {
    if (list->size() == 1)
      list->assign(spatial, list->front());
    if (list->size() != spatial)
      return refuse("the parameters have another number of dimensions");
  }
  guard::ExprAttr groups = getExpr("groups");
  if (!groups || !groups.isConstant())
    return refuse("the number of groups is not constant");

  // (n, oc, spatial...) over (ic, kernel...)
  auto dims = *guard::getDims(type);
  Exprs parallel(dims.begin(), dims.end());
  unsigned rank = parallel.size();
  Exprs reduction(filter.dims.begin() + 1, filter.dims.end());
  Exprs extents(parallel);
  extents.append(reduction);
  guard::ExprAttr channel = dim(rank);
  if (!groups.isConstant(1)) {
    guard::ExprAttr perGroup = guard::floorDiv(filter.dims[0], groups);
    channel = guard::floorDiv(dim(1), perGroup) * filter.dims[1] + channel;
  }
  Exprs left = {dim(0), channel}, right = {dim(1), dim(rank)};
  guard::ExprAttr mask = expr(1);
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), extents);
  for (unsigned i = 0; i < spatial; ++i) {
    guard::ExprAttr kernel = dim(rank + 1 + i);
    guard::ExprAttr at =
        dim(2 + i) * stride[i] + kernel * dilation[i] - padding[i];
    left.push_back(at);
    right.push_back(kernel);
    mask = guard::logicalAnd(mask, guard::ge(at, expr(0)));
    mask = guard::logicalAnd(mask, guard::lt(at, image.dims[2 + i]));
  }
  mask = guard::simplify(mask, assumptions);
  // The image's view is read through; its own index must stay straight.
  Value base = materialize(input);
  View weights = getOperand(*this, weight, extents, right);
  Type acc = getAccumulator(stored);
  auto nest = ContractOp::create(builder, getLoc(), type, base, weights.base,
                                 parallel, reduction, left, weights.map, acc,
                                 getOrigins());
  if (!mask.isConstant(1))
    nest.setMasksAttr(getExprArray(getContext(), {mask, expr(1)}));
  if (Value bias = getTensor("bias")) {
    Block *block = nest.addEpilogue(builder);
    OpBuilder inner = OpBuilder::atBlockEnd(block);
    BodyContext body{inner, getLoc(), block->getArguments().drop_front()};
    ScalarBuilder scalars(inner, getLoc(), acc);
    Value x = scalars.convert(
        read(body, getView(bias), {dim(1)}),
        cast<RankedTensorType>(bias.getType()).getElementType(), acc);
    Value value = scalars.add(block->getArgument(0), x);
    YieldOp::create(inner, getLoc(), scalars.convert(value, acc, stored));
  }
  setResult(0, nest.getResult());
  return success();
}

std::optional<LogicalResult> Converter::lowerContraction(StringRef name) {
  if (name == "aten.mm" || name == "aten.bmm")
    return lowerProduct(getTensor("self"), getTensor("mat2"), {});
  if (name == "aten.addmm")
    return lowerProduct(getTensor("mat1"), getTensor("mat2"), "self");
  if (name == "aten.baddbmm")
    return lowerProduct(getTensor("batch1"), getTensor("batch2"), "self");
  if (name == "aten.convolution")
    return lowerConvolution();
  return std::nullopt;
}
