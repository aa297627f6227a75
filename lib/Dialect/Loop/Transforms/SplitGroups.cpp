//===- SplitGroups.cpp - Groups as a dimension of what reads their sums ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group norm sums up some channels of an image, and then looks at all of them: its sums have
// groups, what reads them has channels. Nests become one kernel by the extents that they begin
// with, so only images would be left to run in parallel. Here the nest that reads the sums gets
// the groups as a dimension of its own, and a copy, which is no kernel behind emission, gives
// its result the sizes that others know.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "PermuteNest.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;
using guard::ExprKind;

namespace kiln::loop {
#define GEN_PASS_DEF_SPLITGROUPSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {
class SplitGroups : public loop::impl::SplitGroupsPassBase<SplitGroups> {
public:
  using SplitGroupsPassBase::SplitGroupsPassBase;
  void runOnOperation() override;
};

/// Dimension `dim` of a nest is `count` groups of `size` elements.
struct Groups {
  unsigned dim;
  ExprAttr count, size;
};
} // namespace

/// True if a sum, or what nests make of it point by point, has an element for each of `outer`, and
/// sums up as many as `row` has.
static bool isSumOf(Value tensor, ArrayRef<ExprAttr> outer, ExprAttr row) {
  auto nest = tensor.getDefiningOp<NestOpInterface>();
  if (!nest)
    return false;
  Domain domain = nest.getDomain();
  ArrayRef<ExprAttr> parallel = domain.parallel;
  if (parallel.size() < outer.size() ||
      parallel.take_front(outer.size()) != outer ||
      !llvm::all_of(parallel.drop_front(outer.size()),
                    [](ExprAttr extent) { return extent.isConstant(1); }))
    return false;
  if (isa<ReduceOp>(nest.getOperation()))
    return guard::product(row.getContext(), domain.reduction) == row;
  return nest.isPointwise() &&
         llvm::any_of(analysis::getReads(nest), [&](const auto &read) {
           return isSumOf(read.tensor, outer, row);
         });
}

/// The groups of a dimension whose sums `read` reads.
static std::optional<Groups> getGroups(const analysis::Access &read,
                                       ArrayRef<ExprAttr> extents) {
  unsigned k = read.getAlignment();
  if (read.indirect || k >= read.map.size() || k >= extents.size() ||
      read.map[k].getKind() != ExprKind::FloorDiv ||
      !read.map[k].getOperand(0).isDim() ||
      read.map[k].getOperand(0).getPosition() != k)
    return std::nullopt;
  ExprAttr size = read.map[k].getOperand(1);
  auto count = guard::exactDivide(extents[k], size);
  if (!size.getConstant() || !count)
    return std::nullopt;
  SmallVector<ExprAttr> outer(extents.take_front(k)),
      row(extents.drop_front(k + 1));
  outer.push_back(*count);
  row.push_back(size);
  if (!isSumOf(read.tensor, outer,
               guard::product(size.getContext(), row)))
    return std::nullopt;
  return Groups{k, *count, size};
}

/// The groups whose sums `op` reads, if what has the copy of its result is no nest that could be
/// in one kernel with it.
static std::optional<Groups> findGroups(PointwiseOp op) {
  bool isRead = llvm::any_of(op->getUsers(), [](Operation *user) {
    NestOpInterface nest = getNest(user);
    return nest && !isa<ContractOp>(nest.getOperation());
  });
  if (isRead)
    return std::nullopt;
  SmallVector<ExprAttr> extents = op.getDomain().parallel;
  for (const analysis::Access &read : analysis::getReads(op))
    if (auto groups = getGroups(read, extents))
      return groups;
  return std::nullopt;
}

/// `op` with groups as a dimension before those of a group.
static PointwiseOp splitGroups(OpBuilder &b, PointwiseOp op,
                               const Groups &groups) {
  MLIRContext *context = b.getContext();
  SmallVector<ExprAttr> extents = op.getDomain().parallel;
  extents[groups.dim] = groups.size;
  extents.insert(extents.begin() + groups.dim, groups.count);
  auto split = PointwiseOp::create(
      b, op.getLoc(),
      guard::makeTensorType(getElementTypeOrSelf(op.getType()), extents),
      extents, op.getOriginsAttr());
  split->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(b);
  Block &body = split.getBody().front();
  b.setInsertionPointToStart(&body);
  SmallVector<Value> at(body.getArguments());
  Value group = at[groups.dim], inside = at[groups.dim + 1];
  at.erase(at.begin() + groups.dim);
  at[groups.dim] = createIndex(
      b, op.getLoc(),
      guard::getDim(context, 0) * groups.size + guard::getDim(context, 1),
      {group, inside});
  YieldOp::create(b, op.getLoc(), cloneBody(b, op.getBody().front(), at));
  return split;
}

void SplitGroups::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (!getGPUTarget(function))
    return; // a processor has threads enough in images
  bool changed = false;
  for (auto op : llvm::make_early_inc_range(function.getOps<PointwiseOp>())) {
    auto groups = findGroups(op);
    if (!groups)
      continue;
    OpBuilder b(op);
    PointwiseOp split = splitGroups(b, op, *groups);
    SmallVector<ExprAttr> extents = op.getDomain().parallel;
    SmallVector<ExprAttr> map = getIdentityMap(b.getContext(), extents.size());
    ExprAttr dim = map[groups->dim];
    map[groups->dim] = guard::mod(dim, groups->size);
    map.insert(map.begin() + groups->dim, guard::floorDiv(dim, groups->size));
    PointwiseOp copy = createCopy(b, op.getLoc(), split.getResult(), extents,
                                  map, op.getOriginsAttr());
    if (auto told = remark::passed(
            op.getLoc(), remarks::kGroupSplit.function(function.getName())))
      told << remark::metric("nest", describe(cast<NestOpInterface>(*op)))
           << remark::metric("groups", groups->count.str());
    op.replaceAllUsesWith(copy.getResult());
    op.erase();
    changed = true;
  }
  if (changed)
    simplifyBodies(function,
                   analysis::SizeHints(function->getParentOfType<ModuleOp>()));
}
