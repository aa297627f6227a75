//===- ChooseSchedule.cpp - How the code of each kernel is laid out -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_CHOOSESCHEDULEPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Elements of a row from which on lanes along it pay.
static constexpr int64_t kShortRow = 8;

namespace {

class ChooseSchedule
    : public loop::impl::ChooseSchedulePassBase<ChooseSchedule> {
public:
  using ChooseSchedulePassBase::ChooseSchedulePassBase;
  void runOnOperation() override;

private:
  ScheduleAttr choose(KernelOp kernel, const analysis::SizeHints &hints);

  TargetAttr target;
  int64_t vectorBytes = 0;
};

} // namespace

/// How `access` moves along dimension `dim` of a nest.
static analysis::Stride getStride(const analysis::Access &access,
                                  const Domain &domain, unsigned dim,
                                  const analysis::SizeHints &hints) {
  auto type = cast<RankedTensorType>(access.tensor.getType());
  MLIRContext *context = type.getContext();
  auto dims = guard::getDims(type);
  if (!dims || access.indirect)
    return {};
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, domain.all());
  return analysis::getStride(
      analysis::linearize(context, access.map,
                          guard::getContiguousStrides(context, *dims),
                          assumptions),
      dim);
}

/// The last dimension of [begin, end) whose extent is not 1.
static std::optional<unsigned> getInnermost(ArrayRef<guard::ExprAttr> extents,
                                            unsigned begin, unsigned end) {
  while (end-- > begin)
    if (!extents[end].isConstant(1))
      return end;
  return std::nullopt;
}

namespace {
/// Bytes that a reduction reads along its rows, and from rows side by side.
struct Reach {
  int64_t along = 0, across = 0;
};
} // namespace

static Reach getReach(Operation *op, const analysis::SizeHints &hints) {
  Reach reach;
  Domain domain = getDomain(op);
  SmallVector<guard::ExprAttr> extents = domain.all();
  auto last = getInnermost(extents, 0, domain.parallel.size());
  auto inner = getInnermost(extents, domain.parallel.size(), extents.size());
  for (const analysis::Access &access : analysis::getReads(op)) {
    int64_t bytes = analysis::getFootprint(access, domain, hints);
    bool isAlong = inner && getStride(access, domain, *inner, hints).isOne();
    bool isAcross = last && getStride(access, domain, *last, hints).isOne();
    // Windows and other rows that are too short for a vector.
    if (isAlong && last) {
      int64_t length = hints.evaluate(extents[*inner]);
      if (length < kShortRow && length < hints.evaluate(extents[*last])) {
        isAlong = false;
        isAcross = true;
      }
    }
    reach.along += isAlong ? bytes : 0;
    reach.across += !isAlong && isAcross ? bytes : 0;
  }
  return reach;
}

static ScheduleKind getKind(KernelOp kernel,
                            const analysis::SizeHints &hints) {
  Reach total;
  bool reduces = false, transposes = false, rows = false;
  unsigned shared = kernel.getShared().size();
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ContractOp>(op))
      return ScheduleKind::Contraction;
    if (isa<ScatterOp>(op))
      return ScheduleKind::Scatter;
    if (!isNest(&op))
      continue;
    if (isa<SortOp>(op)) // its scratch is a row
      return ScheduleKind::Row;
    Domain domain = getDomain(&op);
    SmallVector<guard::ExprAttr> extents = domain.all();
    rows |= domain.parallel.size() > shared &&
            getInnermost(extents, shared, domain.parallel.size());
    if (isa<ReduceOp, ScanOp>(op)) {
      reduces = true;
      Reach reach = getReach(&op, hints);
      total.along += reach.along;
      total.across += reach.across;
      continue;
    }
    auto last = getInnermost(extents, 0, domain.parallel.size());
    bool reads[2] = {false, false}; // along, across the last dimension
    for (const analysis::Access &access : analysis::getReads(&op)) {
      if (!last)
        continue;
      analysis::Stride stride = getStride(access, domain, *last, hints);
      reads[0] |= stride.isOne();
      if (!stride.isOne() && !stride.isZero())
        for (unsigned d = 0; d < *last; ++d)
          reads[1] |= getStride(access, domain, d, hints).isOne();
    }
    transposes |= reads[1];
  }
  if (reduces)
    return total.across > total.along ? ScheduleKind::Column
                                      : ScheduleKind::Row;
  if (rows)
    return ScheduleKind::Row;
  return transposes ? ScheduleKind::Transpose : ScheduleKind::Pointwise;
}

/// Elements of a vector by the widest element that is computed with, 4 bytes at
/// least. An index as a number is mostly compared, and then has no lanes of its
/// own.
static int64_t getVector(Operation *code, int64_t vectorBytes) {
  int64_t widest = 4;
  code->walk([&](Operation *op) {
    if (isa<arith::IndexCastOp>(op))
      return;
    for (Type type : op->getResultTypes())
      if (type.isF64() || type.isInteger(64))
        widest = 8;
  });
  int64_t vector = std::max<int64_t>(vectorBytes / widest, 1);
  return std::min<int64_t>(llvm::bit_floor(uint64_t(vector)), 128);
}

/// Lanes of a row that is reduced: several vectors side by side, as one alone
/// waits for itself at each step; a row is several times as long. What else is
/// in the kernel does not matter, so that the reduction adds up in the same order
/// wherever it is fused, and what is computed again has the same bits.
static int64_t getLanes(ReduceOp op, int64_t vectorBytes,
                        const analysis::SizeHints &hints) {
  Reach reach = getReach(op, hints);
  if (reach.across > reach.along)
    return 1;
  int64_t vector = getVector(op, vectorBytes);
  SmallVector<guard::ExprAttr> extents = getExprs(op.getReductionExtents());
  int64_t unroll = analysis::getCost(op.getBody()) <= 8 ? 4 : 2;
  while (unroll > 1 && 4 * unroll * vector > hints.evaluate(extents.back()))
    unroll /= 2;
  return unroll * vector;
}

/// Nanoseconds of one work item: operations and bytes, whichever takes longer.
static double getItemTime(KernelOp kernel, int64_t items, int64_t vector,
                          const analysis::SizeHints &hints) {
  double operations = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (!isNest(&op))
      continue;
    double points = hints.product(getDomain(&op).all());
    int64_t cost = 1;
    for (Region &region : op.getRegions())
      cost += analysis::getCost(region);
    operations += points * cost;
  }
  double bytes = 0;
  if (TrafficAttr traffic = kernel.getTrafficAttr())
    bytes = double(traffic.getRead()) + double(traffic.getWritten());
  return std::max(operations / vector, bytes / 4) / std::max<int64_t>(items, 1);
}

ScheduleAttr ChooseSchedule::choose(KernelOp kernel,
                                    const analysis::SizeHints &hints) {
  ScheduleKind kind = getKind(kernel, hints);
  int64_t vector = getVector(kernel, vectorBytes);
  if (kind == ScheduleKind::Scatter)
    vector = 1;
  SmallVector<int64_t> tiles;
  if (kind == ScheduleKind::Contraction)
    // Rows and columns of the register tile, depth and rows of a packed block.
    tiles = {vectorBytes >= 64 ? 12 : 6, 2 * vector, 512, 96};
  if (kind == ScheduleKind::Transpose)
    tiles = {vector, 64};

  int64_t items = hints.product(getExprs(kernel.getShared()));
  double time = getItemTime(kernel, items, vector, hints);
  int64_t grain = std::max<int64_t>(
      int64_t(target.getGrainNs() / std::max(time, 1e-3)), 1);
  grain = std::min<int64_t>(grain, std::max<int64_t>(items, 1));
  int64_t split = 1;
  // A reduction to a single row has no rows to hand out: cut it.
  if (kind == ScheduleKind::Row && kernel.getShared().empty() &&
      time > 4.0 * target.getGrainNs())
    split = std::min<int64_t>(int64_t(time / target.getGrainNs()), 64);
  int64_t written = 0;
  for (Type type : kernel.getResultTypes())
    written += hints.getBytes(cast<RankedTensorType>(type));
  bool nontemporal =
      written > 2 * target.getL3() && kind != ScheduleKind::Contraction &&
      kind != ScheduleKind::Scatter;
  return ScheduleAttr::get(&getContext(), kind, vector, /*unroll=*/1, tiles,
                           grain, split, nontemporal);
}

void ChooseSchedule::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  target = getTarget(getOperation());
  vectorBytes = target.getVectorBits() / 8;
  analysis::SizeHints hints(getOperation());
  getOperation().walk([&](KernelOp kernel) {
    if (kernel.getScheduleAttr())
      return;
    ScheduleAttr schedule = choose(kernel, hints);
    kernel.setScheduleAttr(schedule);
    if (schedule.getKind() == ScheduleKind::Row)
      for (ReduceOp op : kernel.getBody().getOps<ReduceOp>())
        op->setAttr(kLanesAttrName,
                    Builder(&getContext())
                        .getI64IntegerAttr(getLanes(op, vectorBytes, hints)));
    if (auto told = remark::passed(
            kernel.getLoc(),
            remarks::kScheduled.function(remarks::getFunctionName(kernel))))
      told << remark::metric("kernel", kernel.getName())
           << remark::metric("schedule",
                             stringifyScheduleKind(schedule.getKind()));
  });
}
