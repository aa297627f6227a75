//===- ImageWindows.cpp - What convolutions read and give ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageWindows.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/IR/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

bool loop::mentions(ExprAttr expr, unsigned dim) {
  return guard::contains(expr, guard::getDim(expr.getContext(), dim));
}

/// An index is one of windows if a dimension that moves this operand alone (a place) and
/// one that moves both (a place in the window) are in it: d2 + d5 - 1 of an image. One of
/// groups is not, whose number moves both and is not summed up: d1 * 64 + d2 of a weight.
Windows::Windows(ContractOp op) {
  indices[0] = getExprs(op.getLhsIndices());
  indices[1] = getExprs(op.getRhsIndices());
  unsigned rank = op.getDomain().rank();
  walked.resize(rank);
  llvm::SmallBitVector moves[2] = {llvm::SmallBitVector(rank),
                                   llvm::SmallBitVector(rank)};
  for (unsigned k = 0; k < 2; ++k)
    for (ExprAttr index : indices[k])
      for (unsigned dim = 0; dim < rank; ++dim)
        if (mentions(index, dim))
          moves[k].set(dim);
  for (unsigned k = 0; k < 2; ++k)
    for (ExprAttr index : indices[k]) {
      llvm::SmallBitVector used(rank);
      for (unsigned dim = 0; dim < rank; ++dim)
        if (mentions(index, dim))
          used.set(dim);
      llvm::SmallBitVector alone = used, both = used;
      alone.reset(moves[1 - k]);
      both &= moves[1 - k];
      both.reset(0, op.getDomain().parallel.size());
      if (alone.any() && both.any())
        walked |= used;
    }
}

std::optional<unsigned> Windows::findChannels(ArrayRef<ExprAttr> indices) const {
  std::optional<unsigned> channels;
  for (unsigned k = 0; k < indices.size(); ++k)
    if (!isWalked(indices[k]))
      channels = k;
  return channels;
}

std::optional<unsigned>
Windows::getChannels(ArrayRef<ExprAttr> indices) const {
  auto channels = findChannels(indices);
  if (channels && *channels + 1 < indices.size())
    return channels;
  return std::nullopt;
}

std::optional<unsigned> Windows::getChannels(ContractOp op,
                                             unsigned side) const {
  auto channels = getChannels(indices[side]);
  Value tensor = side == 0 ? op.getLhs() : op.getRhs();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!channels || type.getDimSize(*channels) != 1)
    return channels;
  auto ofResult = findChannels(
      getIdentityMap(op.getContext(), op.getDomain().parallel.size()));
  if (!ofResult)
    return std::nullopt;
  // Beside it there may be the only member of its group.
  SmallVector<ExprAttr> extents = op.getDomain().all();
  const auto *it = llvm::find_if(indices[side], [&](ExprAttr index) {
    return guard::dropUnitDims(index, extents) ==
           guard::getDim(op.getContext(), *ofResult);
  });
  if (it == indices[side].end())
    return std::nullopt;
  return it - indices[side].begin();
}

SmallVector<ExprAttr> loop::getStrides(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (auto function =
            dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto strides = function.getArgAttrOfType<guard::ShapeAttr>(
              argument.getArgNumber(), kStridesAttrName))
        return llvm::to_vector(strides.getDims());
  auto dims = guard::getDims(type);
  return dims ? guard::getContiguousStrides(type.getContext(), *dims)
              : SmallVector<ExprAttr>();
}

/// The address in memory of what `side` reads, in the indices of the domain; nothing if that
/// is not known.
static std::optional<ExprAttr> getAddress(ContractOp op, unsigned side) {
  SmallVector<ExprAttr> strides = getStrides(side == 0 ? op.getLhs() : op.getRhs());
  if (strides.empty())
    return std::nullopt;
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, op.getContext(), op.getDomain().all());
  return analysis::linearize(
      op.getContext(), getExprs(side == 0 ? op.getLhsIndices() : op.getRhsIndices()),
      strides, assumptions);
}

std::optional<ExprAttr> loop::getStep(ContractOp op, unsigned side, unsigned dim) {
  auto address = getAddress(op, side);
  if (!address)
    return std::nullopt;
  return guard::getCoefficient(*address, guard::getDim(op.getContext(), dim));
}

bool loop::isWorthOrder(ContractOp op, unsigned dim,
                        const analysis::SizeHints &hints) {
  Domain domain = op.getDomain();
  return multipliesOnUnits(op) &&
         hints.product(domain.reduction) >= kMinReuse &&
         hints.evaluate(domain.parallel[dim]) >= kMinChannels;
}

bool loop::sumsOwnChannels(ContractOp op) {
  if (Windows(op).empty() || !sumsImages(op) || op.isGrouped())
    return false;
  Domain domain = op.getDomain();
  bool hasOwn[2] = {false, false};
  for (unsigned dim = 0; dim < domain.parallel.size(); ++dim) {
    if (domain.parallel[dim].isConstant(1))
      continue;
    auto moves = [&](ArrayAttr indices) {
      return llvm::any_of(getExprs(indices),
                          [&](ExprAttr expr) { return mentions(expr, dim); });
    };
    bool left = moves(op.getLhsIndices()), right = moves(op.getRhsIndices());
    hasOwn[0] |= left && !right;
    hasOwn[1] |= right && !left;
  }
  return !(hasOwn[0] && hasOwn[1]);
}

bool loop::hasOwnChannels(ContractOp op, unsigned dim) {
  auto isMoved = [&](ArrayAttr indices) {
    return llvm::any_of(getExprs(indices),
                        [&](ExprAttr expr) { return mentions(expr, dim); });
  };
  return isMoved(op.getLhsIndices()) && isMoved(op.getRhsIndices());
}

bool loop::readsOwnChannels(ContractOp op, unsigned dim,
                            const analysis::SizeHints &hints) {
  return hints.evaluate(op.getDomain().parallel[dim]) >= kMinChannels &&
         hasOwnChannels(op, dim) &&
         llvm::any_of(llvm::seq(2u), [&](unsigned side) {
           auto address = getAddress(op, side);
           return address && analysis::areNeighbours(*address, dim);
         });
}

bool loop::readsAlongResult(ContractOp op, const analysis::SizeHints &hints) {
  if (Windows(op).empty())
    return false;
  unsigned last = op.getDomain().parallel.size() - 1;
  if (readsOwnChannels(op, last, hints))
    return true;
  return isWorthOrder(op, last, hints) &&
         llvm::any_of(llvm::seq(2u), [&](unsigned side) {
           auto step = getStep(op, side, last);
           return step && step->isConstant(1);
         });
}

bool loop::readsImageInPlace(ContractOp op) {
  Windows windows(op);
  unsigned last = op.getDomain().parallel.size() - 1;
  if (windows.empty() || !multipliesInOrder(op) ||
      windows.findChannels(getIdentityMap(op.getContext(), last + 1)) != last)
    return false;
  return llvm::any_of(llvm::seq(2u), [&](unsigned side) {
    auto step = getStep(op, side, last);
    return step && step->isConstant(0) && getNeighbours(op, side);
  });
}

bool loop::sumsImageInPlace(ContractOp op) {
  unsigned last = op.getDomain().parallel.size() - 1;
  return !Windows(op).empty() && multipliesInOrder(op) && sumsImages(op) &&
         llvm::any_of(llvm::seq(2u), [&](unsigned side) {
           auto step = getStep(op, side, last);
           return step && step->isConstant(1);
         });
}

bool loop::sumsImages(ContractOp op) {
  SmallVector<ExprAttr> left = getExprs(op.getLhsIndices()),
                        right = getExprs(op.getRhsIndices());
  return !left.empty() && !right.empty() && left.front() == right.front() &&
         left.front().isDim() &&
         left.front().getPosition() >= op.getParallelExtents().size();
}

bool loop::readsWordsOfTaps(ContractOp op, unsigned side, unsigned channels) {
  Value tensor = side == 0 ? op.getLhs() : op.getRhs();
  auto along = getNeighbours(op, side);
  if (!analysis::getUnsignedFactor(op) || !along)
    return false;
  auto areWords = [](std::optional<int64_t> size) {
    return size && *size % getFactorsOfWord(DotUnit::Quads) == 0;
  };
  auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  return dims && !areWords((*dims)[channels].getConstant()) &&
         areWords(op.getDomain().reduction[*along].getConstant());
}

std::optional<unsigned> loop::getNeighbours(ContractOp op, unsigned side) {
  Domain domain = op.getDomain();
  for (unsigned k = 0; k < domain.reduction.size(); ++k) {
    auto step = getStep(op, side, domain.parallel.size() + k);
    if (step && step->isConstant(1) && !domain.reduction[k].isConstant(1))
      return k;
  }
  return std::nullopt;
}

std::optional<int64_t> loop::getGroup(const Windows &windows, ContractOp op,
                                     unsigned dim) {
  auto isMoved = [&](ArrayRef<ExprAttr> indices) {
    return llvm::any_of(indices,
                        [&](ExprAttr index) { return mentions(index, dim); });
  };
  if (windows.walked.test(dim) || !isMoved(windows.indices[0]) ||
      !isMoved(windows.indices[1]))
    return std::nullopt;
  Domain domain = op.getDomain();
  for (unsigned side = 0; side < 2; ++side) {
    auto channels = windows.getChannels(op, side);
    if (!channels)
      continue;
    ExprAttr index = windows.indices[side][*channels];
    bool isSummed = llvm::any_of(
        llvm::seq<unsigned>(domain.parallel.size(), domain.rank()),
        [&](unsigned reduced) { return mentions(index, reduced); });
    if (!isSummed || !mentions(index, dim))
      continue;
    auto step = guard::getCoefficient(index, guard::getDim(op.getContext(), dim));
    return step ? step->getConstant().value_or(0) : 0;
  }
  return std::nullopt;
}

ExprAttr loop::joinParts(ExprAttr group, ExprAttr inGroup) {
  bool areParts = group.getKind() == guard::ExprKind::FloorDiv &&
                  inGroup.getKind() == guard::ExprKind::Mod &&
                  group.getOperand(0) == inGroup.getOperand(0) &&
                  group.getOperand(1) == inGroup.getOperand(1);
  return areParts ? group.getOperand(0) : ExprAttr();
}

std::optional<LastDims> loop::getResultChannels(const Windows &windows,
                                                ContractOp op) {
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  auto channels =
      windows.getChannels(getIdentityMap(op.getContext(), parallel.size()));
  if (!channels)
    return std::nullopt;
  if (*channels > 0)
    if (auto group = getGroup(windows, op, *channels - 1)) {
      if (*group < kMinGroup ||
          parallel[*channels].getConstant().value_or(0) < kMinGroup)
        return std::nullopt;
      return LastDims{*channels - 1, 2};
    }
  if (!parallel[*channels].isConstant(1))
    return LastDims{*channels};
  for (unsigned dim = *channels; dim-- > 0;)
    if (!windows.walked.test(dim) && !parallel[dim].isConstant(1) &&
        llvm::all_of(windows.indices, [&](ArrayRef<ExprAttr> indices) {
          return llvm::is_contained(indices, guard::getDim(op.getContext(), dim));
        }))
      return LastDims{dim};
  return LastDims{*channels};
}

std::optional<LastDims> loop::getOperandChannels(const Windows &windows,
                                                 ContractOp op, unsigned side) {
  auto channels = windows.getChannels(op, side);
  if (!channels)
    return std::nullopt;
  ArrayRef<ExprAttr> indices = windows.indices[side];
  if (*channels > 0 && joinParts(indices[*channels - 1], indices[*channels]))
    return LastDims{*channels - 1, 2};
  return LastDims{*channels};
}
