//===- SplitReductions.cpp - Reduce much to little in parts ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "KernelWalk.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Interfaces/SumMark.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Columns that are walked side by side, which are one item.
static constexpr int64_t kColumnsOfItem = 64;

namespace {

class SplitReductions
    : public loop::impl::SplitReductionsPassBase<SplitReductions> {
public:
  using SplitReductionsPassBase::SplitReductionsPassBase;
  void runOnOperation() override;

private:
  struct Split {
    unsigned dim;  ///< of the reduced ones
    int64_t parts; ///< of equal size
    unsigned place; ///< of the parts among the parallel dimensions
  };
  std::optional<Split> choose(ReduceOp op, const analysis::SizeHints &hints) const;
};

} // namespace

/// True if rows of a matrix as that whose columns `op` reduces are reduced, too, as those of a
/// layer norm's gradient: `loop-fuse-columns` does both in one kernel.
static bool hasRows(ReduceOp op, const analysis::SizeHints &hints) {
  Domain domain = op.getDomain();
  auto columns = countPoints(domain.parallel), rows = countPoints(domain.reduction);
  auto function = op->getParentOfType<func::FuncOp>();
  return llvm::any_of(function.getOps<ReduceOp>(), [&](ReduceOp other) {
    Domain reduced = other.getDomain();
    return countPoints(reduced.parallel) == rows &&
           countPoints(reduced.reduction) == columns &&
           !readsAcross(cast<NestOpInterface>(other.getOperation()), hints,
                        /*joinsReduced=*/true);
  });
}

std::optional<SplitReductions::Split>
SplitReductions::choose(ReduceOp op, const analysis::SizeHints &hints) const {
  if (!op.getInits().empty()) // generic: nothing is known of its combiner
    return std::nullopt;
  Domain domain = op.getDomain();
  auto values = countPoints(domain.parallel), points = countPoints(domain.all());
  if (!values || !points || *points < int64_t(minPoints))
    return std::nullopt;
  // Columns stay neighbours: of parts that stand before them.
  bool isAcross = !domain.parallel.empty() &&
                  readsAcross(cast<NestOpInterface>(op.getOperation()), hints,
                              /*joinsReduced=*/true);
  unsigned place = isAcross ? 0 : domain.parallel.size();
  int64_t items = isAcross ? llvm::divideCeil(*values, kColumnsOfItem) : *values;
  if (items >= int64_t(minItems) || (isAcross && hasRows(op, hints)))
    return std::nullopt;
  for (auto [dim, extent] : llvm::enumerate(domain.reduction)) {
    int64_t size = *extent.getConstant();
    for (int64_t k = std::min<int64_t>(parts, size); k > 1; --k)
      if (size % k == 0 && k * items >= int64_t(minItems) / 2)
        return Split{unsigned(dim), k, place};
  }
  return std::nullopt;
}

/// Reduces each part; the parts are parallel dimension `place`.
static ReduceOp reduceParts(OpBuilder &builder, ReduceOp op, unsigned dim,
                            int64_t parts, unsigned place) {
  MLIRContext *context = op.getContext();
  Domain domain = op.getDomain();
  SmallVector<ExprAttr> parallel(domain.parallel), reduction(domain.reduction);
  ExprAttr size =
      guard::getConstant(context, *reduction[dim].getConstant() / parts);
  parallel.insert(parallel.begin() + place, guard::getConstant(context, parts));
  reduction[dim] = size;
  SmallVector<Type> types;
  for (Type type : getAccumulatorElements(op))
    types.push_back(guard::makeTensorType(type, parallel));
  auto made = ReduceOp::create(builder, op.getLoc(), types, parallel, reduction,
                               getKinds(op), op.getOriginsAttr());
  copySumMark(op, made);
  Block &body = made.getBody().front();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> indices;
  unsigned outer = domain.parallel.size();
  for (unsigned k = 0; k <= outer; ++k)
    if (k != place)
      indices.push_back(body.getArgument(k));
  Value part = body.getArgument(place);
  for (unsigned k = 0; k < reduction.size(); ++k) {
    Value index = body.getArgument(outer + 1 + k);
    if (k == dim)
      index = createIndex(builder, op.getLoc(),
                          guard::getDim(context, 0) * size +
                              guard::getDim(context, 1),
                          {part, index});
    indices.push_back(index);
  }
  YieldOp::create(builder, op.getLoc(),
                  cloneBody(builder, op.getBody().front(), indices));
  return made;
}

/// Reduces the accumulators of the parts, dimension `place`, to the results of `op`.
static ReduceOp joinParts(OpBuilder &builder, ReduceOp op, ReduceOp parts,
                          unsigned place) {
  Domain domain = op.getDomain();
  unsigned outer = domain.parallel.size();
  auto made = ReduceOp::create(
      builder, op.getLoc(), op->getResultTypes(), domain.parallel,
      {parts.getDomain().parallel[place]}, getKinds(op), op.getOriginsAttr());
  Block &body = made.getBody().front();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> values, indices(body.getArguments().take_front(outer));
  indices.insert(indices.begin() + place, body.getArgument(outer));
  for (Value part : parts->getResults())
    values.push_back(LoadOp::create(builder, op.getLoc(), part, indices));
  YieldOp::create(builder, op.getLoc(), values);
  return made;
}

void SplitReductions::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (getGPUTarget(getOperation()))
    return; // a warp or a block is enough for a row there
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  for (auto op :
       llvm::make_early_inc_range(getOperation().getOps<ReduceOp>())) {
    auto split = choose(op, hints);
    if (!split)
      continue;
    OpBuilder builder(op);
    ReduceOp parts =
        reduceParts(builder, op, split->dim, split->parts, split->place);
    ReduceOp joined = joinParts(builder, op, parts, split->place);
    if (auto told = remark::passed(
            op.getLoc(), remarks::kReductionSplit.function(
                             getOperation().getName())))
      told << remark::metric("nest", describe(cast<NestOpInterface>(*op)))
           << remark::metric("parts", split->parts);
    op->replaceAllUsesWith(joined->getResults());
    op.erase();
  }
}
