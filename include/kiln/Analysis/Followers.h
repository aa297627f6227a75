//===- Followers.h - What else a product's kernel makes ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a product may make more of each element than its result, while
// the element is at hand:
//
//   %h = loop.contract parallel [4096, 3072] ...
//   %g = loop.pointwise (%i, %j, %k) in [8, 512, 3072] {
//     ... %h[i * 512 + j, k] ...
//   loop.return %h, %g
//
// Such a nest follows the product: its points are the elements in their order,
// and of what the kernel makes it reads nothing but the element at its point.
// Which of them all are stored is said by what the kernel returns.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_FOLLOWERS_H
#define KILN_ANALYSIS_FOLLOWERS_H

#include "kiln/Analysis/AccessRelations.h"

namespace kiln::analysis {

/// So many first dimensions of a nest are, counted as one, so many of the
/// product that it follows; those behind them are the same.
struct FollowedDims {
  unsigned own = 0, product = 0;
};

/// Nothing where extents are those of other points, or not even the last
/// dimension is the same.
std::optional<FollowedDims> getFollowedDims(ArrayRef<ExprAttr> own,
                                            ArrayRef<ExprAttr> product);

/// True if `access`, in a nest over `extents`, is of the element whose number in
/// its tensor is that of the point, whatever else is true.
bool readsOwnElement(const Access &access, ArrayRef<ExprAttr> extents);

/// True if `nest`, in the kernel of `op`, follows it.
bool isFollower(loop::PointwiseOp nest, loop::ContractOp op);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_FOLLOWERS_H
