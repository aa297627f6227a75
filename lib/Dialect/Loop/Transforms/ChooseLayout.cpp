//===- ChooseLayout.cpp - Channels last, where a convolution reads --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dimension of each computed tensor has the neighbours in memory:
//
//   choose     (ImageLayouts)  the channels of what convolutions read and give, and from
//                              there those of what pointwise nests and reductions read
//                              and give at the same index
//   permute    (PermuteNest)   the domain of the nest that makes a tensor, and the
//                              indices of all who read it
//   copy       (CopyOperands)  what cannot change, or fills no vector, and is read often
//   order      (orderSum)      the channels innermost in the sum of a convolution
//
//===----------------------------------------------------------------------===//

#include "ImageWindows.h"
#include "PermuteNest.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_CHOOSELAYOUTPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

//===----------------------------------------------------------------------===//
// Which tensors
//===----------------------------------------------------------------------===//

namespace {
class ImageLayouts {
public:
  explicit ImageLayouts(func::FuncOp function)
      : function(function), hints(function->getParentOfType<ModuleOp>()) {}

  /// The nests whose results change, each with the dimension that becomes the last.
  const llvm::MapVector<Operation *, unsigned> &choose();

private:
  bool mayChange(Operation *nest);
  bool staysStraight(Operation *nest, unsigned last);
  void decide(Value tensor, unsigned last);
  void spread(NestOpInterface nest);
  std::optional<unsigned> getLast(Value tensor) const;

  func::FuncOp function;
  analysis::SizeHints hints;
  llvm::MapVector<Operation *, unsigned> chosen;
  llvm::MapVector<Operation *, bool> changeable;
};
} // namespace

/// The position of stride 1 among those of an argument, if that is not the last.
static std::optional<unsigned> getLastOfArgument(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto strides = function.getArgAttrOfType<guard::ShapeAttr>(
      argument.getArgNumber(), kStridesAttrName);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!strides || !type || type.getRank() < 3)
    return std::nullopt;
  for (auto [k, stride] : llvm::enumerate(strides.getDims()))
    if (stride.isConstant(1) && type.getDimSize(k) != 1 &&
        k + 1 < strides.getDims().size())
      return k;
  return std::nullopt;
}

/// True if a caller takes a tensor in any order of its dimensions.
static bool takesAnyOrder(OpOperand &use) {
  return isa<func::ReturnOp>(use.getOwner()) &&
         use.getOwner()->getParentOfType<func::FuncOp>().getResultAttr(
             use.getOperandNumber(), kOrderAttrName);
}

/// Results of pointwise nests, reductions and contractions that nests alone read.
bool ImageLayouts::mayChange(Operation *nest) {
  if (!isa_and_nonnull<PointwiseOp, ReduceOp, ContractOp>(nest) ||
      nest->getParentOp() != function.getOperation())
    return false;
  auto [it, isNew] = changeable.try_emplace(nest, true);
  if (!isNew)
    return it->second;
  auto type = cast<RankedTensorType>(nest->getResult(0).getType());
  return it->second =
             type.getRank() >= 3 && guard::getDims(type) &&
             llvm::all_of(nest->getUses(), [](OpOperand &use) {
               return isa<LoadOp, ContractOp>(use.getOwner()) ||
                      takesAnyOrder(use);
             });
}

/// True if whoever walked a result in regular steps still does: a reshape of what
/// were neighbours is one as long as they are.
bool ImageLayouts::staysStraight(Operation *nest, unsigned last) {
  auto type = cast<RankedTensorType>(nest->getResult(0).getType());
  SmallVector<unsigned> order = getOrder(type.getRank(), last);
  auto permuted = permute(type, order);
  for (Operation *user : nest->getUsers()) {
    NestOpInterface reader = dyn_cast<NestOpInterface>(user);
    if (!reader)
      reader = user->getParentOfType<NestOpInterface>();
    if (!reader)
      continue; // a caller
    SmallVector<ExprAttr> extents = reader.getDomain().all();
    for (const analysis::Access &read : analysis::getReads(reader))
      if (read.tensor.getDefiningOp() == nest &&
          analysis::isStraight(type, read.map, extents,
                               hints.getAssumptions()) &&
          !analysis::isStraight(permuted, permute(ArrayRef(read.map), order),
                                extents, hints.getAssumptions()))
        return false;
  }
  return true;
}

void ImageLayouts::decide(Value tensor, unsigned last) {
  Operation *nest = tensor.getDefiningOp();
  if (mayChange(nest) && !chosen.count(nest) && staysStraight(nest, last))
    chosen[nest] = last;
}

std::optional<unsigned> ImageLayouts::getLast(Value tensor) const {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return getLastOfArgument(argument);
  auto it = chosen.find(tensor.getDefiningOp());
  return it == chosen.end() ? std::nullopt : std::optional(it->second);
}

/// From what a nest reads to its results, and back.
void ImageLayouts::spread(NestOpInterface nest) {
  if (!isa<PointwiseOp, ReduceOp>(nest.getOperation()) || !mayChange(nest))
    return;
  unsigned rank = nest.getDomain().parallel.size();
  for (const analysis::Access &read : analysis::getReads(nest)) {
    if (read.map.size() != rank)
      continue;
    if (auto last = getLast(read.tensor)) {
      ExprAttr index = read.map[*last];
      if (index.isDim() && index.getPosition() < rank)
        decide(nest->getResult(0), index.getPosition());
    }
    if (auto it = chosen.find(nest); it != chosen.end()) {
      ExprAttr dim = guard::getDim(nest->getContext(), it->second);
      for (auto [k, index] : llvm::enumerate(read.map))
        if (index == dim)
          decide(read.tensor, k);
    }
  }
}

const llvm::MapVector<Operation *, unsigned> &ImageLayouts::choose() {
  for (auto op : function.getOps<ContractOp>()) {
    Windows windows(op);
    if (windows.empty())
      continue;
    SmallVector<ExprAttr> identity = getIdentityMap(
        op.getContext(), op.getDomain().parallel.size());
    if (auto channels = windows.getChannels(identity))
      decide(op.getResult(), *channels);
    for (unsigned side = 0; side < 2; ++side)
      if (auto channels = windows.getChannels(op, side))
        decide(side == 0 ? op.getLhs() : op.getRhs(), *channels);
  }
  size_t count;
  do {
    count = chosen.size();
    for (auto nest : function.getOps<NestOpInterface>())
      spread(nest);
  } while (chosen.size() != count);
  return chosen;
}

//===----------------------------------------------------------------------===//
// The order of sums
//===----------------------------------------------------------------------===//

/// The reduced dimension along which an operand has neighbours; nothing if there is none.
static std::optional<unsigned> getNeighbours(ContractOp op, unsigned side) {
  SmallVector<ExprAttr> strides = getStrides(side == 0 ? op.getLhs() : op.getRhs());
  if (strides.empty())
    return std::nullopt;
  Domain domain = op.getDomain();
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, op.getContext(), domain.all());
  ExprAttr address = analysis::linearize(
      op.getContext(), getExprs(side == 0 ? op.getLhsIndices() : op.getRhsIndices()),
      strides, assumptions);
  for (unsigned k = 0; k < domain.reduction.size(); ++k) {
    auto step = guard::getCoefficient(
        address, guard::getDim(op.getContext(), domain.parallel.size() + k));
    if (step && step->isConstant(1) && !domain.reduction[k].isConstant(1))
      return k;
  }
  return std::nullopt;
}

/// Puts the dimension along which both operands of a convolution have neighbours, or else
/// the one that does, innermost into its sum.
static void orderSum(ContractOp op) {
  if (Windows(op).empty() || op.getDomain().reduction.size() < 2)
    return;
  auto left = getNeighbours(op, 0), right = getNeighbours(op, 1);
  if (left || right)
    permuteReduction(op, left ? *left : *right);
}

namespace {
class ChooseLayout : public loop::impl::ChooseLayoutPassBase<ChooseLayout> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(verifyPassInput(function, getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    if (!getGPUTarget(function) || function.isExternal())
      return;
    ImageLayouts layouts(function);
    for (auto [nest, last] : layouts.choose())
      permuteResults(nest, last);
    analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
    OperandCopies copies(hints);
    for (auto op : function.getOps<ContractOp>()) {
      copies.fillChannels(op);
      copies.relay(op);
      orderSum(op);
    }
  }
};
} // namespace
