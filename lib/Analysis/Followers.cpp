//===- Followers.cpp - What else a product's kernel makes -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/Followers.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;

std::optional<FollowedDims>
analysis::getFollowedDims(ArrayRef<ExprAttr> own, ArrayRef<ExprAttr> product) {
  if (own.empty() || product.empty() || own.back() != product.back())
    return std::nullopt;
  MLIRContext *context = own.back().getContext();
  FollowedDims dims = {unsigned(own.size()), unsigned(product.size())};
  while (dims.own > 0 && dims.product > 0 &&
         own[dims.own - 1] == product[dims.product - 1]) {
    --dims.own;
    --dims.product;
  }
  if (guard::product(context, own.take_front(dims.own)) !=
      guard::product(context, product.take_front(dims.product)))
    return std::nullopt;
  return dims;
}

bool analysis::readsOwnElement(const Access &access,
                               ArrayRef<ExprAttr> extents) {
  auto sizes =
      guard::getDims(cast<RankedTensorType>(access.tensor.getType()));
  if (!sizes || !access.load || access.indirect || access.masked)
    return false;
  MLIRContext *context = access.tensor.getContext();
  guard::Assumptions assumptions;
  addExtents(assumptions, context, extents);
  // The index of one element is written as 0, or as the dimension.
  SmallVector<ExprAttr> point =
      loop::getIdentityMap(context, extents.size());
  for (auto [index, extent] : llvm::zip_equal(point, extents))
    if (extent.isConstant(1))
      index = guard::getConstant(context, 0);
  SmallVector<ExprAttr> map;
  for (ExprAttr index : access.map)
    map.push_back(guard::substituteDims(index, point));
  auto count = [&](ArrayRef<ExprAttr> indices, ArrayRef<ExprAttr> dims) {
    return linearize(context, indices,
                     guard::getContiguousStrides(context, dims), assumptions);
  };
  return guard::product(context, *sizes) == guard::product(context, extents) &&
         count(map, *sizes) == count(point, extents);
}

bool analysis::isFollower(loop::PointwiseOp nest, loop::ContractOp op) {
  SmallVector<ExprAttr> extents = nest.getDomain().parallel;
  return getFollowedDims(extents, op.getDomain().parallel) &&
         llvm::all_of(
             getReads(cast<loop::NestOpInterface>(nest.getOperation())),
             [&](const Access &access) {
               Operation *maker = access.tensor.getDefiningOp();
               return !maker || ((maker == op || isa<loop::PointwiseOp>(maker)) &&
                                 readsOwnElement(access, extents));
             });
}
