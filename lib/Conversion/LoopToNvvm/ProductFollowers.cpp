//===- ProductFollowers.cpp - What follows an element of a product --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nests that follow a product (`kiln/Analysis/Followers.h`) are evaluated where its epilogue
// is, on the same neighbours, of what was rounded as it is stored: so they have the bits that
// a kernel of their own would read. What the kernel returns of it all is stored.
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"

#include "kiln/Analysis/Followers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::DimGroup;
using guard::ExprAttr;

static analysis::FollowedDims getDims(PointwiseOp nest, ContractOp op) {
  return *analysis::getFollowedDims(nest.getDomain().parallel,
                                    op.getDomain().parallel);
}

LogicalResult GridProductBase::describeFollowers() {
  llvm::append_range(followers, kernel.getBody().getOps<PointwiseOp>());
  for (PointwiseOp nest : followers) {
    if (!analysis::isFollower(nest, op))
      return refuse(schedule) << "whose product is followed by nests that read "
                                 "elements at their own point, but one reads "
                                 "others";
    // Neighbours are along one dimension of both.
    if (schedule.getLanes() > 1 &&
        shape.columns.dims.back() < getDims(nest, op).product)
      return refuse(schedule) << "because a nest that follows its product "
                                 "counts columns in another way";
  }
  auto take = [&](Value tensor) {
    if (buffers.contains(tensor))
      results.push_back(tensor);
  };
  take(op.getResult());
  for (PointwiseOp nest : followers)
    take(nest.getResult());
  return success();
}

Position GridProductBase::enterFollower(PointwiseOp nest,
                                        const Position &position) {
  analysis::FollowedDims dims = getDims(nest, op);
  SmallVector<ExprAttr> extents = nest.getDomain().parallel;
  size_t rank = op.getDomain().parallel.size();
  Position entered = position;
  Value number = constantIndex(0);
  for (unsigned k = 0; k < dims.product; ++k)
    number = add(mulExpr(number, position.extents[k]), position.dims[k]);
  entered.dims = delinearize(number, ArrayRef(extents).take_front(dims.own));
  llvm::append_range(entered.dims, ArrayRef(position.dims)
                                       .take_front(rank)
                                       .drop_front(dims.product));
  entered.extents = std::move(extents);
  if (position.vectorDim >= 0)
    entered.vectorDim = position.vectorDim - dims.product + dims.own;
  return entered;
}

FailureOr<SmallVector<Value>>
GridProductBase::evaluateAll(const Position &position, Value sums) {
  FailureOr<Value> result = evaluateEpilogue(position, sums);
  if (failed(result))
    return failure();
  SmallVector<Value> values;
  auto take = [&](Value tensor, Value value) {
    if (llvm::is_contained(results, tensor))
      values.push_back(value);
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    if (!followers.empty())
      atHand.emplace_back(tensor, fromMemory(toMemory(value, element), element));
  };
  take(op.getResult(), *result);
  for (PointwiseOp nest : followers) {
    BodyEmitter body(*this, enterFollower(nest, position));
    Block &block = nest.getBody().front();
    if (failed(body.emit(block)))
      return failure();
    take(nest.getResult(),
         body.getWide(block.getTerminator()->getOperand(0)));
  }
  atHand.clear();
  return values;
}

void GridProductBase::storeOne(Value tensor, const Position &position,
                                Value value) {
  const Buffer &buffer = buffers.find(tensor)->second;
  auto nest = tensor.getDefiningOp<PointwiseOp>();
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  store(buffer, linearAddress(buffer, getIdentityMap(context, rank)),
        nest ? enterFollower(nest, position) : position, value);
}

SmallVector<LoadOp> GridProductBase::getFinishLoads() {
  SmallVector<LoadOp> loads;
  if (!op.getEpilogue().empty())
    llvm::append_range(loads, op.getEpilogue().front().getOps<LoadOp>());
  for (PointwiseOp nest : followers)
    llvm::copy_if(nest.getBody().front().getOps<LoadOp>(),
                  std::back_inserter(loads), [](LoadOp load) {
                    return isa<BlockArgument>(load.getTensor());
                  });
  return loads;
}

SmallVector<unsigned> GridProductBase::getDimsOf(LoadOp load,
                                                 const DimGroup &side) {
  auto nest = dyn_cast<PointwiseOp>(load->getParentOp());
  if (!nest)
    return SmallVector<unsigned>(side.dims);
  analysis::FollowedDims dims = getDims(nest, op);
  SmallVector<unsigned> own;
  for (unsigned dim : side.dims) {
    if (dim >= dims.product)
      own.push_back(dim - dims.product + dims.own);
    else // All that is counted as one may move.
      llvm::append_range(own, llvm::seq<unsigned>(dims.own));
  }
  return own;
}
