//===- Contraction.cpp - Products of matrices -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// lhs @ rhs of matrices, or of batches of them; null if it is refused.
/// Integers wrap in their own type, 16-bit floats are summed in f32.
static ContractOp makeProduct(LoopBuilder &loops, Value lhs, Value rhs) {
  RankedTensorType type = loops.getResultType();
  Type stored = type.getElementType();
  if (stored.isInteger(1)) {
    (void)loops.refuse("there is no product of matrices of bool");
    return {};
  }
  unsigned rank = type.getRank(); // 2, or 3 with a batch
  guard::ExprAttr depth = loops.getView(lhs).dims[rank - 1];
  Exprs left, right;
  if (rank == 3) {
    left.push_back(loops.dim(0));
    right.push_back(loops.dim(0));
  }
  left.append({loops.dim(rank - 2), loops.dim(rank)});
  right.append({loops.dim(rank), loops.dim(rank - 1)});
  return loops.makeContract(type, {lhs, left}, {rhs, right}, depth,
                            LoopBuilder::getComputeType(stored));
}

LogicalResult loop::lowerMatrixProduct(LoopBuilder &loops,
                                       const ProductArgs &args) {
  ContractOp nest = makeProduct(loops, args.self, args.mat2);
  return nest ? loops.setMade(0, nest.getResult()) : failure();
}

/// beta * self + alpha * (lhs @ rhs)
LogicalResult loop::lowerAddmm(LoopBuilder &loops, aten::AddmmOp op) {
  std::optional<double> alpha = 1, beta = 1;
  if (op.getAlpha())
    alpha = LoopBuilder::getConstant(op.getAlpha());
  if (op.getBeta())
    beta = LoopBuilder::getConstant(op.getBeta());
  if (!alpha || !beta)
    return loops.refuse("alpha or beta is not constant");
  ContractOp nest = makeProduct(loops, op.getMat1(), op.getMat2());
  if (!nest)
    return failure();
  if (*beta == 0 && *alpha == 1)
    return loops.setMade(0, nest.getResult());
  auto scale = [&](BodyContext body, ScalarBuilder &scalars, Value sum) {
    Type acc = scalars.getType();
    sum = scalars.mul(sum, scalars.constant(acc, *alpha));
    // With beta 0 the bias does not count, not even its NaNs.
    if (*beta == 0)
      return sum;
    View view = loops.getView(op.getSelf());
    Exprs index = loops.broadcast(view, *guard::getDims(loops.getResultType()));
    Value x = scalars.convert(loops.read(body, view, index),
                              LoopBuilder::getElement(op.getSelf()), acc);
    return scalars.add(scalars.mul(x, scalars.constant(acc, *beta)), sum);
  };
  if (failed(loops.addEpilogue(nest, scale)))
    return failure();
  return loops.setMade(0, nest.getResult());
}

/// The least end of each group and those behind it. So ends ascend, and where they did not, rows
/// are of the last group that has them, as where PyTorch multiplies group by group (rows behind
/// the last end are of none).
static Value makeAscending(LoopBuilder &loops, Value offs) {
  View ends = loops.getView(offs);
  Type i32 = IntegerType::get(loops.getContext(), 32);
  ExprAttr later = guard::max(loops.dim(0), loops.dim(1));
  return loops.makeReduce(
      TypeRange(guard::makeTensorType(i32, ends.dims)), ends.dims, ends.dims,
      ReductionKind::Min, i32,
      [&](BodyContext body, ScalarBuilder &) -> SmallVector<Value> {
        return {loops.read(body, ends, later)};
      })[0];
}

/// Rows of a matrix, or columns, or what both share, in groups that end at `offs`.
LogicalResult loop::lowerGroupedMm(LoopBuilder &loops, aten::GroupedMmOp op) {
  Value self = op.getSelf(), mat2 = op.getMat2();
  RankedTensorType type = loops.getResultType();
  auto rankOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getRank();
  };
  bool hasRows = rankOf(self) == 2, hasColumns = rankOf(mat2) == 2;
  if (!hasRows && !hasColumns) {
    ContractOp nest = makeProduct(loops, self, mat2);
    return nest ? loops.setMade(0, nest.getResult()) : failure();
  }
  // Sums over members that two groups have count for both.
  Value ends = hasRows && hasColumns ? loops.materialize(op.getOffs())
                                     : makeAscending(loops, op.getOffs());
  if (!ends)
    return failure();
  auto dim = [&](unsigned number) { return loops.dim(number); };
  View left = loops.getView(self), right = loops.getView(mat2);
  Exprs lhs, rhs, reduction;
  unsigned group, member;
  if (hasRows && hasColumns) { // [group, row, column], member
    lhs = {dim(1), dim(3)};
    rhs = {dim(3), dim(2)};
    reduction = {left.dims[1]};
    std::tie(group, member) = std::pair(0, 3);
  } else if (hasRows) { // [member, column], group, k
    lhs = {dim(0), dim(3)};
    rhs = {dim(2), dim(3), dim(1)};
    reduction = {right.dims[0], left.dims[1]};
    std::tie(group, member) = std::pair(2, 0);
  } else { // [row, member], group, k
    lhs = {dim(2), dim(0), dim(3)};
    rhs = {dim(3), dim(1)};
    reduction = {left.dims[0], left.dims[2]};
    std::tie(group, member) = std::pair(2, 1);
  }
  ContractOp nest =
      loops.makeContract(type, {self, lhs}, {mat2, rhs}, reduction,
                         LoopBuilder::getComputeType(type.getElementType()));
  if (!nest)
    return failure();
  nest.setGroups(ends, group, member);
  return loops.setMade(0, nest.getResult());
}

LogicalResult loop::refuseRecurrence(LoopBuilder &loops, Operation *) {
  return loops.refuse("a recurrence has kernels if its length is known and it "
                      "has no dropout");
}
