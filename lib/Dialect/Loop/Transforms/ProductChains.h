//===- ProductChains.h - Contractions and rows that belong together -*- C++ -*-=//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels become one. A chain has rows: kernels of pointwise nests and
// reductions over the same shared extents, of which one reads what another leaves.
// Around them stand contractions:
//
//   producers   make rows that the chain alone reads, and read none of it but around
//               their products: scores, and the slopes of weights
//   consumers   sum up rows of the chain, each along itself or all of them: values,
//               the gradient of queries; those of keys and values
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTCHAINS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTCHAINS_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::loop {

struct ProductChain {
  SmallVector<KernelOp> rows; ///< the first is the one that was asked for
  /// With the leading indices at which the rows read each, over the shared dimensions.
  llvm::MapVector<KernelOp, SmallVector<guard::ExprAttr>> producers;
  llvm::SetVector<KernelOp> consumers;

  bool contains(Operation *op) const;
  /// Nobody else reads the result.
  bool isInside(OpResult result) const;
  /// All kernels in the order of the program.
  SmallVector<KernelOp> getParts() const;
  ArrayRef<mlir::Attribute> getShared() const {
    return KernelOp(rows.front()).getShared().getValue();
  }
};

/// What belongs to a chain at least, and at most.
struct ChainLimits {
  int64_t minProduct; ///< multiply-adds of a contraction at one of the outer points
  int64_t minRows;    ///< rows, if their number is known
  int64_t minPoints;  ///< outer points of a chain that sums over its rows, if known
  /// At most: what a row is made of, and what becomes of it, if known.
  int64_t maxInner;
};

/// The contraction that a kernel consists of; null if there is none.
ContractOp getContraction(Operation *op);

/// The chain around `rows`, with further rows if `extended`; says why there is none,
/// and nothing if nobody would expect one.
StringRef findChain(ProductChain &chain, KernelOp rows, bool extended,
                    const ChainLimits &limits,
                    const analysis::SizeHints &hints);

/// Finds what stands between the first and the last part of a chain and needs what one
/// of them makes: it may stand behind the last as well. False if a part needs it, or if
/// it does more than compute.
bool findDependents(const ProductChain &chain,
                    SmallVector<Operation *> &dependents);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_PRODUCTCHAINS_H
