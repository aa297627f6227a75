//===- OrderSums.cpp - In which order a convolution sums up ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderSums.h"

#include "Bodies.h"
#include "ImageWindows.h"
#include "PermuteNest.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// Neighbours from which on a vector of them is read rather than gathered along a longer row.
static constexpr int64_t kMinNeighbours = 8;

void loop::orderSum(ContractOp op) {
  if (Windows(op).empty() || op.getDomain().reduction.size() < 2)
    return;
  auto left = getNeighbours(op, 0), right = getNeighbours(op, 1);
  if (left || right)
    permuteReduction(op, left ? *left : *right);
}

/// Whether a read has neighbours along dimension `dim` of a domain; nothing if it does not move
/// along it.
static std::optional<bool> hasNeighbours(const analysis::Access &read, unsigned dim) {
  ExprAttr name = guard::getDim(read.tensor.getContext(), dim);
  if (llvm::none_of(read.map, [&](ExprAttr index) { return guard::contains(index, name); }))
    return std::nullopt;
  auto step = guard::getCoefficient(read.map.back(), name);
  bool isElsewhere = llvm::any_of(ArrayRef(read.map).drop_back(), [&](ExprAttr index) {
    return guard::contains(index, name);
  });
  return step && step->isConstant(1) && !isElsewhere;
}

bool loop::joinsInAnyOrder(ReduceOp op) {
  return llvm::all_of(getKinds(op), [](ReductionKind kind) {
    return llvm::is_contained({ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min},
                              kind);
  });
}

void loop::orderSum(ReduceOp op) {
  Domain domain = op.getDomain();
  unsigned first = domain.parallel.size(), rank = domain.rank();
  if (!joinsInAnyOrder(op))
    return;
  auto areNeighbours = [&](unsigned dim) {
    bool isAny = false;
    for (const analysis::Access &read : analysis::getReads(op)) {
      auto has = hasNeighbours(read, dim);
      if (read.indirect || (has && !*has))
        return false;
      isAny |= has.has_value();
    }
    return isAny;
  };
  if (rank - first < 2 || areNeighbours(rank - 1))
    return;
  for (unsigned dim = first; dim + 1 < rank; ++dim)
    if (domain.all()[dim].getConstant().value_or(0) >= kMinNeighbours && areNeighbours(dim))
      return permuteReduction(op, dim - first);
}

/// Whether an operand is moved by reduced dimension `dim` and, at the same index, by others:
/// by places of a window.
static bool isMovedTogether(const Windows &windows, unsigned side, unsigned dim,
                            unsigned rank) {
  return llvm::any_of(windows.indices[side], [&](ExprAttr index) {
    return mentions(index, dim) &&
           llvm::any_of(llvm::seq(rank), [&](unsigned other) {
             return other != dim && mentions(index, other);
           });
  });
}

void loop::turnSum(ContractOp op) {
  Windows windows(op);
  Domain domain = op.getDomain();
  if (windows.empty() || readsImageInPlace(op))
    return;
  for (unsigned k = 0; k < domain.reduction.size(); ++k) {
    if (domain.reduction[k].isConstant(1))
      continue;
    unsigned dim = domain.parallel.size() + k;
    for (unsigned side = 0; side < 2; ++side) {
      auto step = getStep(op, side, dim);
      auto size = step ? step->getConstant() : std::nullopt;
      if (size && *size < 0 &&
          !isMovedTogether(windows, side, dim, domain.rank()) &&
          isMovedTogether(windows, 1 - side, dim, domain.rank())) {
        reverseReduction(op, k);
        break;
      }
    }
  }
}
