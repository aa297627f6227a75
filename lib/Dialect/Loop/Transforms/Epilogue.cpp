//===- Epilogue.cpp - Pointwise nests inside of contractions --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "Bodies.h"
#include "GPUTiles.h"
#include "ImageWindows.h"
#include "ReaderOrder.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// True if `contract` would find what nests make by several dimensions of
/// `order` where it was one that counts matrices: the nests still count them,
/// and share no points with it.
static bool partsMatrices(ContractOp contract, const ReaderOrder &order) {
  auto parts = [&](Value operand, ArrayAttr map) {
    if (map.empty() || !operand.getDefiningOp<NestOpInterface>())
      return false;
    guard::ExprAttr leading = getExprs(map).front();
    return leading.isDim() && leading.getPosition() < order.written.size() &&
           !order.written[leading.getPosition()].isDim() &&
           !order.written[leading.getPosition()].getConstant();
  };
  return parts(contract.getLhs(), contract.getLhsIndices()) ||
         parts(contract.getRhs(), contract.getRhsIndices());
}

/// True if all dimensions behind `dim` have one element.
static bool isInnermost(ArrayRef<guard::ExprAttr> extents, unsigned dim) {
  return llvm::all_of(
      extents.drop_front(dim + 1),
      [](guard::ExprAttr extent) { return extent.isConstant(1); });
}

/// The dimension of a convolution by channels of their own along which it reads them; nothing
/// for others.
static std::optional<unsigned>
findOwnChannels(ContractOp contract, const analysis::SizeHints &hints) {
  if (Windows(contract).empty())
    return std::nullopt;
  for (unsigned dim = contract.getDomain().parallel.size(); dim-- > 0;)
    if (readsOwnChannels(contract, dim, hints))
      return dim;
  return std::nullopt;
}

/// True if threads of a GPU that are beside each other would no longer read channels beside
/// each other: these are neither innermost nor what goes through shared memory.
static bool losesChannels(ContractOp contract, PointwiseOp reader,
                          unsigned channels, ArrayRef<guard::ExprAttr> map,
                          const analysis::SizeHints &hints) {
  bool areNow = isInnermost(contract.getDomain().parallel, channels) ||
                mayStageResult(contract, channels, {}, {}, hints);
  return areNow &&
         !isInnermost(reader.getDomain().parallel,
                      map[channels].getPosition()) &&
         !mayStageResult(contract, channels, reader, map, hints);
}

/// True if a contraction has its order for its operands, and another dimension would be the
/// innermost one in that of its reader, which is a permutation of it.
static bool losesOrder(ContractOp contract, PointwiseOp reader,
                       ArrayRef<guard::ExprAttr> map,
                       const analysis::SizeHints &hints) {
  if (map.empty())
    return false;
  if (getGPUTarget(contract))
    if (auto channels = findOwnChannels(contract, hints))
      return losesChannels(contract, reader, *channels, map, hints);
  if (isInnermost(reader.getDomain().parallel, map.back().getPosition()))
    return false;
  if (getGPUTarget(contract))
    return readsAlongResult(contract, hints);
  return readsImageInPlace(contract) || sumsImageInPlace(contract) ||
         (!Windows(contract).empty() &&
          readsOwnChannels(contract, contract.getDomain().parallel.size() - 1,
                           hints));
}

/// Sets `order` to the reader's, whose dimensions come apart where it reads several of
/// `contract` as one. Matrices are written in the order in which they are read, whole: rows
/// or columns of one that came apart would make it many small ones.
static bool takeApart(ContractOp contract, PointwiseOp reader,
                      ArrayRef<guard::ExprAttr> map,
                      const analysis::SizeHints &hints, ReaderOrder &order) {
  auto isWhole = [](const ReaderOrder &order) {
    return order.written.size() > 2 && order.written.end()[-1].isDim() &&
           order.written.end()[-2].isDim();
  };
  SmallVector<guard::ExprAttr> domain = reader.getDomain().parallel;
  auto found =
      getReaderOrder(domain, contract.getDomain().parallel, map, hints);
  if (!found || !isWhole(*found) || partsMatrices(contract, *found) ||
      (found->extents != domain &&
       !readsCanReshape(reader.getResult(), domain, found->extents, hints)))
    return false;
  order = std::move(*found);
  return true;
}

/// The one nest that reads `contract` if it may become the epilogue; `order` is
/// then the domain that the contraction gets.
static PointwiseOp getEpilogue(ContractOp contract,
                               const analysis::SizeHints &hints,
                               ReaderOrder &order, StringRef &reason) {
  PointwiseOp reader;
  for (Operation *user : contract.getResult().getUsers()) {
    auto nest = dyn_cast_if_present<PointwiseOp>(
        getNest(user).getOperation());
    if (!nest || (reader && reader != nest)) {
      reason = reader || nest ? "the product has other readers"
                              : "the product leaves the kernels";
      return {};
    }
    reader = nest;
  }
  if (!reader)
    return {};
  bool first = true;
  SmallVector<guard::ExprAttr> map;
  for (const analysis::Access &access : analysis::getReads(reader)) {
    if (access.tensor != contract.getResult())
      continue;
    if (access.indirect || access.masked ||
        (!first && ArrayRef(access.map) != ArrayRef(map))) {
      reason = "the product is read at several indices";
      return {};
    }
    map.assign(access.map.begin(), access.map.end());
    first = false;
  }

  // The read must visit each element of the product once.
  MLIRContext *context = contract.getContext();
  SmallVector<guard::ExprAttr> domain = reader.getDomain().parallel;
  SmallVector<guard::ExprAttr> extents = contract.getDomain().parallel;
  auto numElements = guard::getNumElements(context, domain);
  if (numElements != guard::getNumElements(context, extents)) {
    reason = "the product is broadcast";
    return {};
  }
  order = {domain, map, getIdentityMap(context, domain.size())};
  bool permutes = true;
  SmallVector<bool> seen(domain.size());
  for (auto [i, expr] : llvm::enumerate(map)) {
    if (!expr.isDim() || seen[expr.getPosition()] ||
        domain[expr.getPosition()] != extents[i]) {
      permutes = false;
      break;
    }
    seen[expr.getPosition()] = true;
  }
  if (permutes && losesOrder(contract, reader, map, hints)) {
    reason = "its order was chosen for its operands";
    return {};
  }
  if (permutes)
    return reader;
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, domain);
  auto address = analysis::linearize(
      context, map, guard::getContiguousStrides(context, extents), assumptions);
  auto own = analysis::linearize(
      context, getIdentityMap(context, domain.size()),
      guard::getContiguousStrides(context, domain), assumptions);
  if (address == own)
    return reader;
  if (takeApart(contract, reader, map, hints, order))
    return reader;
  reason = "the product is read in another order";
  return {};
}

/// A contraction in `order`, the reader's, with the reader's body behind its
/// own epilogue. Null if operands would not be read along straight lines.
static ContractOp moveInto(ContractOp contract, PointwiseOp reader,
                           const ReaderOrder &order,
                           const analysis::SizeHints &hints) {
  MLIRContext *context = contract.getContext();
  Domain old = contract.getDomain();
  ArrayRef<guard::ExprAttr> map = order.written, parallel = order.extents;
  SmallVector<guard::ExprAttr> dims(map);
  for (unsigned i = 0; i < old.reduction.size(); ++i)
    dims.push_back(guard::getDim(context, parallel.size() + i));
  if (contract.isGrouped() && !(dims[contract.getGroupDim()].isDim() &&
                                dims[contract.getMemberDim()].isDim()))
    return {};
  guard::Assumptions assumptions = hints.getAssumptions();
  SmallVector<guard::ExprAttr> extents(parallel);
  extents.append(old.reduction);
  analysis::addExtents(assumptions, context, extents);
  auto rewrite = [&](ArrayAttr exprs) {
    SmallVector<guard::ExprAttr> result;
    for (guard::ExprAttr expr : getExprs(exprs))
      result.push_back(
          guard::simplify(guard::substituteDims(expr, dims), assumptions));
    return result;
  };
  auto lhs = rewrite(contract.getLhsIndices());
  auto rhs = rewrite(contract.getRhsIndices());
  auto isStraight = [&](Value operand, ArrayRef<guard::ExprAttr> indices) {
    return analysis::isStraight(cast<RankedTensorType>(operand.getType()),
                                indices, extents, hints.getAssumptions());
  };
  if (!isStraight(contract.getLhs(), lhs) ||
      !isStraight(contract.getRhs(), rhs))
    return {};

  auto type = cast<RankedTensorType>(reader.getResult().getType());
  if (ArrayRef(reader.getDomain().parallel) != parallel)
    type =
        guard::makeTensorType(type.getElementType(), llvm::to_vector(parallel));
  OpBuilder builder(reader);
  SmallVector<StringRef> origins = getOrigins(contract);
  mergeOrigins(origins, getOrigins(reader));
  auto fused = ContractOp::create(
      builder, builder.getFusedLoc({contract.getLoc(), reader.getLoc()}), type,
      contract.getLhs(), contract.getRhs(), parallel, old.reduction, lhs, rhs,
      contract.getAccType(), getOriginsAttr(context, origins));
  fused->setDiscardableAttrs(contract->getDiscardableAttrDictionary());
  fused.setMasksAttr(getExprArray(context, rewrite(contract.getMasks())));
  if (contract.isGrouped())
    fused.setGroups(contract.getEnds(),
                    dims[contract.getGroupDim()].getPosition(),
                    dims[contract.getMemberDim()].getPosition());
  fused.getLhsPrologue().takeBody(contract.getLhsPrologue());
  fused.getRhsPrologue().takeBody(contract.getRhsPrologue());

  Block *block = fused.addEpilogue(builder);
  builder.setInsertionPointToEnd(block);
  Value value = block->getArgument(0);
  ValueRange indices = block->getArguments().drop_front();
  if (!contract.getEpilogue().empty()) {
    SmallVector<Value> arguments = {value};
    for (guard::ExprAttr expr : map)
      arguments.push_back(
          createIndex(builder, contract.getLoc(), expr, indices));
    value = cloneBody(builder, contract.getEpilogue().front(), arguments)[0];
  } else {
    // The product is rounded to its type, as it would be in memory.
    value = roundToElement(
        builder, contract.getLoc(), value,
        cast<RankedTensorType>(contract.getResult().getType()));
  }
  for (LoadOp load :
       llvm::make_early_inc_range(reader.getBody().getOps<LoadOp>()))
    if (load.getTensor() == contract.getResult()) {
      load.replaceAllUsesWith(value);
      load.erase();
    }
  SmallVector<Value> own;
  for (guard::ExprAttr expr : order.reader)
    own.push_back(createIndex(builder, reader.getLoc(), expr, indices));
  SmallVector<Value> results =
      cloneBody(builder, reader.getBody().front(), own);
  YieldOp::create(builder, reader.getLoc(), results);
  return fused;
}

void loop::fuseEpilogues(func::FuncOp function,
                         const analysis::SizeHints &hints) {
  // Each fusion makes a new contraction, whose reader may follow.
  SmallVector<ContractOp> work(function.getOps<ContractOp>());
  while (!work.empty()) {
    ContractOp contract = work.pop_back_val();
    ReaderOrder order;
    StringRef reason;
    PointwiseOp reader = getEpilogue(contract, hints, order, reason);
    ContractOp fused =
        reader ? moveInto(contract, reader, order, hints) : ContractOp();
    // Groups of channels stay apart where the reader counts their channels as one.
    if (reader && !fused && !Windows(contract).empty() &&
        reader.getDomain().parallel == order.extents &&
        takeApart(contract, reader, SmallVector<guard::ExprAttr>(order.written),
                  hints, order))
      fused = moveInto(contract, reader, order, hints);
    if (reader && !fused)
      reason = "its operands would not be read along straight lines";
    if (!fused) {
      if (!reason.empty())
        tellMissed(contract, remarks::kNoEpilogue, reason);
      continue;
    }
    if (auto told =
            remark::passed(reader.getLoc(),
                           remarks::kEpilogue.function(function.getName())))
      told << remark::metric("nest", describe(reader))
           << remark::metric("contraction", describe(contract));
    SmallVector<guard::ExprAttr> sizes = reader.getDomain().parallel;
    if (sizes != order.extents)
      reshapeReads(reader.getResult(), sizes, order.extents, hints);
    reader.getResult().replaceAllUsesWith(fused.getResult());
    reader.erase();
    contract.erase();
    work.push_back(fused);
  }
}
