//===- GPUScatters.cpp - Scatters as they are emitted for a GPU -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

LogicalResult GPUScatterScheduleAttr::verify(EmitError emitError,
                                             int64_t threads, bool,
                                             int64_t owners, int64_t lanes) {
  return failure(failed(verifyThreads(emitError, threads)) || // C1
                 failed(verifyPower(emitError, "owners", owners, 1, 4096)) ||
                 failed(verifyPower(emitError, "lanes", lanes, 1, 16)));
}

bool loop::canScatterInAnyOrder(ScatterOp op) {
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  bool isAtomic = element.isInteger(32) || element.isInteger(64) ||
                  (isa<FloatType>(element) && !isSmallFloat(element));
  return isAtomic && op.getKind() == ScatterKind::Add && !op.getWritten();
}

bool loop::dependsOnIndex(Value value, BlockArgument index) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t k = 0; k < reached.size(); ++k) {
    Operation *op = reached[k].getDefiningOp();
    if (op && op->getBlock() == index.getOwner())
      reached.insert(op->operand_begin(), op->operand_end());
  }
  return reached.contains(index);
}

llvm::DenseSet<Value> loop::getDependent(BlockArgument index) {
  llvm::DenseSet<Value> found = {index};
  for (Operation &op : index.getOwner()->without_terminator()) {
    auto load = dyn_cast<LoadOp>(op);
    bool isMade = load && load.getTensor().getDefiningOp<NestOpInterface>();
    if (isMade || llvm::any_of(op.getOperands(), [&](Value operand) {
          return found.contains(operand);
        }))
      found.insert(op.result_begin(), op.result_end());
  }
  return found;
}

/// True if a position is the index itself, or always as far from it.
static bool movesByOne(Value position, BlockArgument index) {
  if (position == index)
    return true;
  auto computed = position.getDefiningOp<IndexOp>();
  if (!computed)
    return false;
  MLIRContext *context = position.getContext();
  guard::ExprAttr moving = guard::getDim(context, 0);
  SmallVector<guard::ExprAttr> dims;
  for (auto [k, operand] : llvm::enumerate(computed.getIndices())) {
    if (operand != index && dependsOnIndex(operand, index))
      return false;
    dims.push_back(operand == index ? moving : guard::getDim(context, k + 1));
  }
  auto at = [&](guard::ExprAttr place) {
    return guard::substitute(
        guard::substituteDims(computed.getExpr(), dims),
        [&](guard::ExprAttr leaf) { return leaf == moving ? place : leaf; });
  };
  return (at(moving + 1) - at(moving)).isConstant(1);
}

bool loop::scattersRows(ScatterOp op) {
  Block &block = op.getBody().front();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  unsigned rank = op.getDomain().rank();
  if (op.getWritten() || rank == 0 || yield.getPosition().empty())
    return false;
  BlockArgument last = block.getArgument(rank - 1);
  if (!movesByOne(yield.getPosition().back(), last))
    return false;
  SmallVector<Value> others(yield.getPosition().drop_back());
  if (yield.getCondition())
    others.push_back(yield.getCondition());
  return llvm::none_of(
      others, [&](Value value) { return dependsOnIndex(value, last); });
}

bool loop::ownsColumns(ScatterOp op) {
  Block &block = op.getBody().front();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  unsigned rank = op.getDomain().rank();
  return !op.getWritten() && op.getIndependent() < rank &&
         !yield.getPosition().empty() &&
         yield.getPosition().back() == block.getArgument(rank - 1);
}

unsigned loop::countIndependent(ScatterOp op) {
  unsigned count = op.getIndependent();
  if (op.getWritten())
    return count;
  Block &block = op.getBody().front();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  SmallVector<ExprAttr> extents = op.getDomain().all();
  SmallVector<ExprAttr> sizes =
      *guard::getDims(cast<RankedTensorType>(op.getResult().getType()));
  size_t most = std::min(sizes.size(), extents.size() - scattersRows(op));
  while (count < most && extents[count] == sizes[count] &&
         yield.getPosition()[count] == block.getArgument(count))
    ++count;
  return count;
}

int64_t loop::getAtomicLanes(GPUTargetAttr target, Type element) {
  if (!target)
    return 1;
  int64_t capability = target.getCapability();
  // PTX has vectors of them from 8.1 on, which is what is written for these chips.
  bool hasVectors = target.hasWarpgroups() || capability >= 100;
  if (element.isF32())
    return hasVectors ? 4 : 1;
  if (element.isF16())
    return hasVectors ? 8 : 2;
  if (element.isBF16())
    return hasVectors ? 8 : capability >= 90 ? 2 : 1;
  return 1;
}

SmallVector<unsigned> loop::getOwnDims(ScatterOp op) {
  if (op.getWritten())
    return llvm::to_vector(llvm::seq<unsigned>(op.getIndependent()));
  Block &block = op.getBody().front();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  SmallVector<unsigned> own;
  for (unsigned dim = 0; dim < op.getDomain().rank(); ++dim)
    if (llvm::is_contained(yield.getPosition(), block.getArgument(dim)))
      own.push_back(dim);
  return own;
}

LogicalResult GPUScatterScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto scatter = nests.size() == 1 ? dyn_cast<ScatterOp>(nests[0].getOperation())
                                   : ScatterOp();
  if (!scatter) // C2
    return refuse(kernel, *this) << "which is for a scatter";
  if (getAtomic() && !canScatterInAnyOrder(scatter))
    return refuse(kernel, *this)
           << "because its scatter depends on the order of points";
  if (getOwners() > 1 &&
      (getAtomic() || scatter.getWritten() || scatter.getGrouped())) // C3
    return refuse(kernel, *this) << "whose owners are for a scatter in order "
                                    "that does not read what it "
                                    "has written and is not grouped";
  bool hasRows = !scatter.getGrouped() || scatter.getDomain().rank() > 1;
  bool canVector =
      (getAtomic() || scatter.getGrouped()) && hasRows && scattersRows(scatter);
  if (getLanes() > 1 && !canVector) // C4
    return refuse(kernel, *this)
           << "whose lanes are for atomic sums, or groups, of neighbours that go "
              "to neighbouring elements of one row";
  return success();
}
