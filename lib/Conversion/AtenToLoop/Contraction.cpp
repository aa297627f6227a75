//===- Contraction.cpp - Products of matrices -----------------------------===//
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
  View a = getStraight(lhs, extents, left);
  View b = getStraight(rhs, extents, right);
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

LogicalResult Converter::lowerMatrixProduct() {
  return lowerProduct(getTensor("self"), getTensor("mat2"), {});
}

LogicalResult Converter::lowerAddmm() {
  return lowerProduct(getTensor("mat1"), getTensor("mat2"), "self");
}

LogicalResult Converter::lowerBaddbmm() {
  return lowerProduct(getTensor("batch1"), getTensor("batch2"), "self");
}

LogicalResult Converter::refuseGroupedMm() {
  return refuse(op->getNumOperands() > 2
                    ? "which rows share a matrix is known when it runs"
                    : "no kernel is written for this operator");
}

LogicalResult Converter::refuseRecurrence() {
  return refuse("a recurrence has kernels if its length is known and it has no "
                "dropout");
}
