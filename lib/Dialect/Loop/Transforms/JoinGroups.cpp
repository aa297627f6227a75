//===- JoinGroups.cpp - Narrow groups of a convolution as channels ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of 4 channels are products of 4 columns, of which 16 fill a vector. So channels of
// all groups become one dimension, c, which has neighbours in the result and in the weights:
//
//   y[n, g, j, h, w] = sum x[n, 4 g + r, h + k, w + l] v[4 g + j, r, k, l]
//   y[n, c, h, w]    = sum x[n, c / 4 * 4 + r, ...]    v[c, r, k, l]
//
// It is a convolution by channels of their own, of which neighbours read the same image.
// Matrix units of a GPU would multiply a group of 4 with 12 columns of nothing: there a thread
// has 8 channels of neighbouring pixels.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "ImageWindows.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Support/Remarks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// Channels of a group from which on packing its image takes less than multiplying it.
static constexpr int64_t kMinPacked = 6;

/// Elements of a vector of the sums; on a GPU of what a thread reads at a time of 16 bits.
static int64_t getLanes(ContractOp op) {
  constexpr int64_t kThreadLanes = 8;
  if (getGPUTarget(op))
    return kThreadLanes;
  return getTarget(op).getVectorBits() /
         op.getAccType().getIntOrFloatBitWidth();
}

bool loop::areNarrow(ContractOp op, ExprAttr channels) {
  auto size = channels.getConstant();
  int64_t lanes = getLanes(op);
  return isa<FloatType>(op.getAccType()) && size && *size > 1 &&
         2 * *size <= lanes && lanes % *size == 0;
}

namespace {

class JoinedGroups {
public:
  explicit JoinedGroups(ContractOp op)
      : op(op), context(op.getContext()), extents(op.getDomain().all()) {}

  /// False if there are no narrow groups, or somebody reads them as what they are. Those of an
  /// image that has its channels first are products of long rows, which few make worth packing.
  bool find(bool areLast);
  void rewrite();

private:
  /// Reports why groups stay apart; false.
  bool refuse(StringRef why);
  bool areRead() const;
  ExprAttr join(ExprAttr expr, ArrayRef<ExprAttr> names) const;
  ArrayAttr joinAll(ArrayAttr list, ArrayRef<ExprAttr> names) const;
  ArrayAttr joinIndices(ArrayAttr indices) const;
  void rewriteReaders();
  void rewriteEpilogue();
  void dropReshapes();

  ContractOp op;
  MLIRContext *context;
  SmallVector<ExprAttr> extents;
  unsigned group = 0; ///< the dimension of groups; channels of one are the next
  ExprAttr channels;  ///< of a group
};

} // namespace

bool JoinedGroups::find(bool areLast) {
  Windows windows(op);
  auto last = windows.findChannels(
      getIdentityMap(context, op.getDomain().parallel.size()));
  if (windows.empty() || !last || *last == 0 || op.isGrouped())
    return false;
  group = *last - 1;
  channels = extents[*last];
  auto read = getGroup(windows, op, group);
  if (!read || !areNarrow(op, channels))
    return false;
  int64_t made = *channels.getConstant();
  int64_t lanes = getLanes(op);
  if (!areLast && made >= kMinPacked)
    return false;
  // A vector has whole groups, and of what these read so much as two vectors hold.
  if (lanes / made * *read > 2 * lanes)
    return refuse("groups of a vector read more than two vectors");
  return areRead() || refuse("its channels are read as two dimensions");
}

bool JoinedGroups::refuse(StringRef why) {
  tellMissed(op, remarks::kGroupsApart, why);
  return false;
}

/// The index of channels whose group and number in it these are; null if they are not.
static ExprAttr getJoined(ExprAttr number, ExprAttr inGroup, ExprAttr channels) {
  ExprAttr joined = joinParts(number, inGroup);
  return joined && inGroup.getOperand(1) == channels ? joined : ExprAttr();
}

/// The indices at which `use` reads a tensor; none if it is no read.
static SmallVector<ExprAttr> getIndices(OpOperand &use) {
  if (auto load = dyn_cast<LoadOp>(use.getOwner()))
    return getExprs(load.getMap());
  auto reader = dyn_cast<ContractOp>(use.getOwner());
  if (reader && &use == &reader.getLhsMutable())
    return getExprs(reader.getLhsIndices());
  if (reader && &use == &reader.getRhsMutable())
    return getExprs(reader.getRhsIndices());
  return {};
}

bool JoinedGroups::areRead() const {
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    SmallVector<ExprAttr> indices = getIndices(use);
    return !indices.empty() &&
           getJoined(indices[group], indices[group + 1], channels);
  });
}

ExprAttr JoinedGroups::join(ExprAttr expr, ArrayRef<ExprAttr> names) const {
  ExprAttr one = guard::getConstant(context, 1);
  return analysis::linearize(context, guard::substituteDims(expr, names), one,
                             guard::Assumptions());
}

ArrayAttr JoinedGroups::joinAll(ArrayAttr list, ArrayRef<ExprAttr> names) const {
  return getExprArray(context,
                      llvm::map_to_vector(getExprs(list), [&](ExprAttr expr) {
                        return join(expr, names);
                      }));
}

/// The indices of a reader, with that of the channels for both parts.
ArrayAttr JoinedGroups::joinIndices(ArrayAttr indices) const {
  SmallVector<ExprAttr> joined = getExprs(indices);
  joined[group] = getJoined(joined[group], joined[group + 1], channels);
  joined.erase(joined.begin() + group + 1);
  return getExprArray(context, joined);
}

void JoinedGroups::rewriteReaders() {
  for (OpOperand &use : op->getUses()) {
    if (auto load = dyn_cast<LoadOp>(use.getOwner())) {
      load.setMapAttr(joinIndices(load.getMap()));
      continue;
    }
    auto reader = cast<ContractOp>(use.getOwner());
    if (&use == &reader.getLhsMutable())
      reader.setLhsIndicesAttr(joinIndices(reader.getLhsIndices()));
    else
      reader.setRhsIndicesAttr(joinIndices(reader.getRhsIndices()));
  }
}

/// Both indices are parts of one, which loads see through.
void JoinedGroups::rewriteEpilogue() {
  if (op.getEpilogue().empty())
    return;
  Block &block = op.getEpilogue().front();
  BlockArgument number = block.getArgument(1 + group),
                inGroup = block.getArgument(2 + group);
  BlockArgument channel =
      block.insertArgument(3 + group, number.getType(), number.getLoc());
  for (auto load : block.getOps<LoadOp>()) {
    SmallVector<Value> indices(load.getIndices());
    SmallVector<ExprAttr> names = getIdentityMap(context, indices.size());
    ExprAttr first;
    for (auto [k, index] : llvm::enumerate(indices)) {
      if (index != number && index != inGroup)
        continue;
      if (!first)
        first = names[k];
      names[k] = index == number ? guard::floorDiv(first, channels)
                                 : guard::mod(first, channels);
      index = channel;
    }
    if (!first)
      continue;
    load.getIndicesMutable().assign(indices);
    load.setMapAttr(joinAll(load.getMap(), names));
  }
  OpBuilder builder(&block, block.begin());
  ExprAttr dim = guard::getDim(context, 0);
  for (auto [part, expr] : {std::pair(number, guard::floorDiv(dim, channels)),
                            std::pair(inGroup, guard::mod(dim, channels))})
    if (!part.use_empty())
      part.replaceAllUsesWith(IndexOp::create(builder, op.getLoc(),
                                              builder.getIndexType(),
                                              ValueRange(channel), expr));
  block.eraseArguments(1 + group, 2);
}

void JoinedGroups::rewrite() {
  rewriteReaders();
  rewriteEpilogue();
  SmallVector<ExprAttr> names;
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    names.push_back(guard::getDim(context, dim - (dim > group)));
  names[group + 1] = guard::mod(names[group], channels);
  names[group] = guard::floorDiv(names[group], channels);
  op.setLhsIndicesAttr(joinAll(op.getLhsIndices(), names));
  op.setRhsIndicesAttr(joinAll(op.getRhsIndices(), names));
  op.setMasksAttr(joinAll(op.getMasks(), names));
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  parallel[group] = parallel[group] * channels;
  parallel.erase(parallel.begin() + group + 1);
  op.setParallelExtentsAttr(getExprArray(context, parallel));
  Value result = op.getResult();
  result.setType(guard::makeTensorType(
      cast<RankedTensorType>(result.getType()).getElementType(), parallel));
  dropReshapes();
}

/// A nest that makes nothing else than what it reads: the reshape that put groups together.
static bool isSame(PointwiseOp op, Value tensor) {
  Block &body = op.getBody().front();
  auto load = dyn_cast<LoadOp>(body.front());
  return load && load.getTensor() == tensor && !load.getMask() &&
         op.getResult().getType() == tensor.getType() &&
         body.getTerminator()->getOperand(0) == load.getResult() &&
         llvm::equal(load.getIndices(), body.getArguments()) &&
         getExprs(load.getMap()) ==
             getIdentityMap(op.getContext(), body.getNumArguments());
}

void JoinedGroups::dropReshapes() {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto reader = dyn_cast<PointwiseOp>(user->getParentOp());
    if (!reader || !isSame(reader, op.getResult()))
      continue;
    reader.getResult().replaceAllUsesWith(op.getResult());
    reader.erase();
  }
}

void loop::joinGroups(ContractOp op, bool areLast) {
  if (JoinedGroups groups(op); groups.find(areLast))
    groups.rewrite();
}
