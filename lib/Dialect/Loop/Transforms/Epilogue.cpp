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
#include "PermuteNest.h"
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

/// Where an element of a tensor of sizes `from`, over a domain of `extents`, is
/// in one of sizes `to` that has its elements in their order.
static SmallVector<guard::ExprAttr>
regroup(MLIRContext *context, ArrayRef<guard::ExprAttr> indices,
        ArrayRef<guard::ExprAttr> from, ArrayRef<guard::ExprAttr> to,
        ArrayRef<guard::ExprAttr> extents, const analysis::SizeHints &hints) {
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, extents);
  return llvm::map_to_vector(
      analysis::reshapeIndices(context, indices, from, to, assumptions),
      [&](guard::ExprAttr index) {
        return guard::simplify(index, assumptions);
      });
}

/// True if nobody but the caller has the result of `reader`, which then may be
/// a copy that gives its elements other sizes.
static bool isReturned(PointwiseOp reader) {
  Value result = reader.getResult();
  return !result.use_empty() &&
         llvm::all_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>);
}

/// True if a nest makes nothing else than what it reads.
static bool isCopy(PointwiseOp reader) {
  return reader.getBody()
      .front()
      .getTerminator()
      ->getOperand(0)
      .getDefiningOp<LoadOp>();
}

/// True if the result of `reader`, which has the elements of `contract` at
/// `map`, may have the sizes `to`: nests that read it can follow, and for a
/// caller a copy gives it its own.
static bool canResize(ContractOp contract, PointwiseOp reader,
                      ArrayRef<guard::ExprAttr> map,
                      ArrayRef<guard::ExprAttr> to,
                      const analysis::SizeHints &hints) {
  SmallVector<guard::ExprAttr> domain = reader.getDomain().parallel;
  if (!isReturned(reader))
    return readsCanReshape(reader.getResult(), domain, to, hints);
  // Such a copy would become another one.
  return !isCopy(reader) ||
         !analysis::isRegrouped(contract.getContext(), domain,
                                contract.getDomain().parallel, map,
                                hints.getAssumptions());
}

/// Sets `order` to the contraction's own, where the reader, who has its
/// elements at `map` in their order, may make its result of the contraction's
/// sizes: it reads along straight lines then, and so does who reads that.
static bool keepSizes(ContractOp contract, PointwiseOp reader,
                      ArrayRef<guard::ExprAttr> map,
                      const analysis::SizeHints &hints, ReaderOrder &order) {
  MLIRContext *context = contract.getContext();
  SmallVector<guard::ExprAttr> domain = reader.getDomain().parallel,
                               sizes = contract.getDomain().parallel;
  // Rows of other nests would no longer be those of a dimension, by which they
  // share kernels.
  if (!analysis::isRegrouped(context, domain, sizes, map,
                             hints.getAssumptions()) ||
      !canResize(contract, reader, map, sizes, hints) ||
      !(isReturned(reader) ||
        llvm::all_of(reader.getResult().getUsers(), llvm::IsaPred<ContractOp>)))
    return false;
  SmallVector<guard::ExprAttr> own = getIdentityMap(context, sizes.size());
  ReaderOrder kept = {sizes, own, regroup(context, own, sizes, domain, sizes, hints)};
  for (const analysis::Access &read : analysis::getReads(reader)) {
    if (read.tensor == contract.getResult())
      continue;
    SmallVector<guard::ExprAttr> indices =
        llvm::map_to_vector(read.map, [&](guard::ExprAttr index) {
          return guard::substituteDims(index, kept.reader);
        });
    if (read.indirect ||
        !analysis::isStraight(cast<RankedTensorType>(read.tensor.getType()),
                              indices, sizes, hints.getAssumptions()))
      return false;
  }
  auto type = cast<RankedTensorType>(reader.getResult().getType());
  if (!staysStraight(
          reader.getResult(),
          guard::makeTensorType(type.getElementType(), sizes),
          [&](const analysis::Access &read, ArrayRef<guard::ExprAttr> extents)
              -> std::optional<SmallVector<guard::ExprAttr>> {
            if (read.indirect)
              return std::nullopt;
            return regroup(context, read.map, domain, sizes, extents, hints);
          },
          hints))
    return false;
  order = std::move(kept);
  return true;
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
       !canResize(contract, reader, map, found->extents, hints)))
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
  if (analysis::isInOrder(context, domain, extents, map,
                          hints.getAssumptions()))
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

/// Lets who reads `reader` read `fused`, which has its elements in the order of
/// `extents`.
static void replaceReader(PointwiseOp reader, ContractOp fused,
                          ArrayRef<guard::ExprAttr> extents,
                          const analysis::SizeHints &hints) {
  SmallVector<guard::ExprAttr> sizes = reader.getDomain().parallel;
  Value made = fused.getResult();
  if (ArrayRef(sizes) != extents && isReturned(reader)) {
    SmallVector<guard::ExprAttr> map =
        regroup(fused.getContext(),
                getIdentityMap(fused.getContext(), sizes.size()), sizes,
                extents, sizes, hints);
    OpBuilder builder(reader);
    made = createCopy(builder, reader.getLoc(), made, sizes, map,
                      reader.getOriginsAttr());
  } else if (ArrayRef(sizes) != extents) {
    reshapeReads(reader.getResult(), sizes, extents, hints);
  }
  reader.getResult().replaceAllUsesWith(made);
  reader.erase();
}

/// A contraction in the place of `contract` with the nest that reads it as its
/// epilogue, in the order that this has, else in one that leaves operands
/// straight; null and `reason` where there is none.
static ContractOp fuseEpilogue(ContractOp contract,
                               const analysis::SizeHints &hints,
                               StringRef &reason) {
  ReaderOrder order;
  PointwiseOp reader = getEpilogue(contract, hints, order, reason);
  if (!reader)
    return {};
  ContractOp fused = moveInto(contract, reader, order, hints);
  SmallVector<guard::ExprAttr> map(order.written);
  bool isWhole = reader.getDomain().parallel == order.extents;
  // Groups of channels stay apart where the reader counts their channels as
  // one.
  if (!fused && isWhole && !Windows(contract).empty() &&
      takeApart(contract, reader, map, hints, order))
    fused = moveInto(contract, reader, order, hints);
  if (!fused && isWhole && keepSizes(contract, reader, map, hints, order))
    fused = moveInto(contract, reader, order, hints);
  if (!fused) {
    reason = "its operands would not be read along straight lines";
    return {};
  }
  if (auto told = remark::passed(
          reader.getLoc(),
          remarks::kEpilogue.function(remarks::getFunctionName(contract))))
    told << remark::metric("nest", describe(reader))
         << remark::metric("contraction", describe(contract));
  replaceReader(reader, fused, order.extents, hints);
  contract.erase();
  return fused;
}

void loop::fuseEpilogues(func::FuncOp function,
                         const analysis::SizeHints &hints) {
  // Each fusion makes a new contraction, whose reader may follow.
  SmallVector<ContractOp> work(function.getOps<ContractOp>());
  while (!work.empty()) {
    ContractOp contract = work.pop_back_val();
    StringRef reason;
    if (ContractOp fused = fuseEpilogue(contract, hints, reason))
      work.push_back(fused);
    else if (!reason.empty())
      tellMissed(contract, remarks::kNoEpilogue, reason);
  }
}
