//===- HoistPreparation.cpp - Compute what depends on weights once --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMHOISTPREPARATIONPASS
#include "kiln/Dialect/Program/Transforms/Passes.h.inc"
} // namespace kiln::program

namespace {

class Hoister {
public:
  Hoister(FuncOp function, int64_t limit) : function(function), limit(limit) {}
  void run();

private:
  bool mayPrepare(LaunchOp launch);
  bool isLasting(Value buffer);
  void findLaunches();
  void keepWithinLimit();
  int64_t getFreedBytes();
  void drop(LaunchOp launch, StringRef reason);
  void hoist();
  void moveUp(Value buffer);
  bool joinWithEqual(LaunchOp launch);

  FuncOp function;
  int64_t limit;
  Operation *firstStep = nullptr;
  /// In the order of the program, and by what they write.
  llvm::SetVector<LaunchOp> launches;
  llvm::DenseSet<Value> prepared;
  SmallVector<LaunchOp> hoisted;
};

class HoistPreparation
    : public program::impl::ProgramHoistPreparationPassBase<HoistPreparation> {
public:
  using ProgramHoistPreparationPassBase::ProgramHoistPreparationPassBase;
  void runOnOperation() override;
};

} // namespace

/// Bytes of a buffer whose sizes are numbers.
static std::optional<int64_t> getBytes(Value buffer) {
  auto size = cast<BufferType>(buffer.getType()).getByteSize();
  return size ? size->getConstant() : std::nullopt;
}

/// The workspace of a grid holds nothing behind its launch.
static bool isWorkspace(LaunchOp launch, size_t k) {
  return launch.getGridAttr() && launch.getGridAttr().getWorkspace() &&
         k + 1 == launch.getBuffers().size();
}

/// The buffers that a launch leaves to others.
static SmallVector<Value> getResults(LaunchOp launch) {
  SmallVector<Value> results;
  for (auto [k, buffer] : llvm::enumerate(launch.getBuffers()))
    if (launch.getWrites()[k] && !isWorkspace(launch, k))
      results.push_back(buffer);
  return results;
}

static int64_t getResultBytes(LaunchOp launch) {
  int64_t bytes = 0;
  for (Value result : getResults(launch))
    bytes += *getBytes(result);
  return bytes;
}

/// The launches that use a buffer or a view of it; nothing if others do, too.
static std::optional<SmallVector<OpOperand *>> getLaunchUses(Value buffer) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : buffer.getUses()) {
    if (auto view = dyn_cast<ViewOp>(use.getOwner())) {
      auto more = getLaunchUses(view.getResult());
      if (!more)
        return std::nullopt;
      llvm::append_range(uses, *more);
    } else if (isa<LaunchOp>(use.getOwner())) {
      uses.push_back(&use);
    } else if (!isa<SymbolOp>(use.getOwner())) {
      return std::nullopt;
    }
  }
  return uses;
}

/// True if a launch could write its result in the place of operand `k`.
static bool mayBeOverwritten(LaunchOp launch, unsigned k) {
  ArrayRef<int64_t> pairs =
      launch.getOverwrites().value_or(ArrayRef<int64_t>());
  for (size_t i = 1; i < pairs.size(); i += 2)
    if (pairs[i] == int64_t(k))
      return true;
  return false;
}

/// What it holds is the same in each call with the same weights.
bool Hoister::isLasting(Value buffer) {
  Value root = getFixedRoot(buffer);
  if (!root)
    return false;
  if (auto slot = root.getDefiningOp<SlotOp>())
    return staysTheSame(slot) && getBytes(root);
  return root.getDefiningOp<GetOp>() || prepared.contains(root);
}

bool Hoister::mayPrepare(LaunchOp launch) {
  if (dependsOnSymbols(launch))
    return false;
  SmallVector<Value> results = getResults(launch);
  bool readsNothing = true;
  for (auto [k, buffer] : llvm::enumerate(launch.getBuffers())) {
    if (launch.getWrites()[k])
      continue;
    readsNothing = false;
    if (!isLasting(buffer))
      return false;
  }
  for (auto [k, buffer] : llvm::enumerate(launch.getBuffers())) {
    if (!launch.getWrites()[k])
      continue;
    auto alloc = buffer.getDefiningOp<AllocOp>();
    auto uses = getLaunchUses(buffer);
    if (!alloc || alloc.getPlaceAttr() || alloc.getIsNew() ||
        alloc.getIsPrepared() || !uses || !getBytes(buffer))
      return false;
    for (OpOperand *use : *uses) {
      auto user = cast<LaunchOp>(use->getOwner());
      unsigned at = use->getOperandNumber();
      bool isOwn = user == launch && at == k;
      if (!isOwn && (user.getWrites()[at] || isWorkspace(launch, k) ||
                     (readsNothing && mayBeOverwritten(user, at))))
        return false;
    }
  }
  return !results.empty();
}

void Hoister::findLaunches() {
  for (Operation &op : function.getBody().front()) {
    if (!firstStep && !isa<SlotOp, SymbolOp>(op))
      firstStep = &op;
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch || !mayPrepare(launch))
      continue;
    launches.insert(launch);
    prepared.insert_range(getResults(launch));
  }
}

/// Bytes of the weights that nothing but preparation reads.
int64_t Hoister::getFreedBytes() {
  int64_t bytes = 0;
  for (auto slot : function.getBody().getOps<SlotOp>()) {
    Value weight = slot.getResult();
    if (!isa<BufferType>(weight.getType()) || !staysTheSame(slot))
      continue;
    auto uses = getLaunchUses(weight);
    if (uses && !uses->empty() && llvm::all_of(*uses, [&](OpOperand *use) {
          return launches.contains(cast<LaunchOp>(use->getOwner()));
        }))
      bytes += getBytes(weight).value_or(0);
  }
  return bytes;
}

void Hoister::drop(LaunchOp launch, StringRef reason) {
  if (auto told =
          remark::missed(launch.getLoc(),
                         remarks::kNotPrepared.function(function.getSymName())))
    told << remark::metric("kernel",
                           launch.getKernel().getLeafReference().getValue())
         << remark::metric("bytes", getResultBytes(launch))
         << remark::reason("{0}", reason);
  launches.remove(launch);
  for (Value result : getResults(launch))
    prepared.erase(result);
}

/// Leaves out what comes last until the others fit. What reads a result that is
/// not prepared is none either, which may free others of their room.
void Hoister::keepWithinLimit() {
  for (bool changed = true; changed;) {
    changed = false;
    const int64_t room = limit + getFreedBytes();
    int64_t taken = 0;
    for (LaunchOp launch : llvm::to_vector(launches)) {
      bool isReady =
          llvm::all_of(llvm::enumerate(launch.getBuffers()), [&](auto each) {
            return launch.getWrites()[each.index()] || isLasting(each.value());
          });
      int64_t bytes = getResultBytes(launch);
      if (isReady && taken + bytes <= room) {
        taken += bytes;
        continue;
      }
      drop(launch, isReady ? "it takes more memory than prepared-memory allows"
                           : "what it reads is computed in each call");
      changed = true;
    }
  }
}

/// Views of weights stand where they were made.
void Hoister::moveUp(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (auto view = dyn_cast<ViewOp>(op))
    moveUp(view.getBase());
  if (op == firstStep)
    firstStep = op->getNextNode();
  else if (isa<ViewOp, GetOp, AllocOp>(op) && firstStep->isBeforeInBlock(op))
    op->moveBefore(firstStep);
}

/// True if an earlier launch has written the same, which then takes its place.
bool Hoister::joinWithEqual(LaunchOp launch) {
  SmallVector<Value> results = getResults(launch);
  for (LaunchOp other : hoisted) {
    if (other.getKernel() != launch.getKernel() ||
        other->getDiscardableAttrDictionary() !=
            launch->getDiscardableAttrDictionary() ||
        other.getWrites() != launch.getWrites() ||
        other.getSymbols() != launch.getSymbols() ||
        other.getWork() != launch.getWork() ||
        other.getGridAttr() != launch.getGridAttr() ||
        other.getBuffers().getTypes() != launch.getBuffers().getTypes())
      continue;
    bool readsTheSame = true;
    for (auto [k, buffer] : llvm::enumerate(launch.getBuffers()))
      readsTheSame &= launch.getWrites()[k] || buffer == other.getBuffers()[k];
    if (!readsTheSame)
      continue;
    for (auto [mine, theirs] : llvm::zip_equal(results, getResults(other)))
      mine.replaceAllUsesExcept(theirs, launch);
    SmallVector<Operation *> unused = {launch};
    for (auto [k, buffer] : llvm::enumerate(launch.getBuffers()))
      if (launch.getWrites()[k])
        unused.push_back(buffer.getDefiningOp());
    for (Operation *op : unused) {
      if (op == firstStep)
        firstStep = op->getNextNode();
      op->erase();
    }
    return true;
  }
  return false;
}

void Hoister::hoist() {
  for (LaunchOp launch : launches) {
    if (joinWithEqual(launch))
      continue;
    for (auto [k, buffer] : llvm::enumerate(launch.getBuffers())) {
      moveUp(buffer);
      if (launch.getWrites()[k] && !isWorkspace(launch, k))
        buffer.getDefiningOp<AllocOp>().setIsPrepared(true);
    }
    if (launch.getOperation() == firstStep)
      firstStep = launch->getNextNode();
    else
      launch->moveBefore(firstStep);
    hoisted.push_back(launch);
  }
}

void Hoister::run() {
  findLaunches();
  keepWithinLimit();
  if (launches.empty())
    return;
  const int64_t freed = getFreedBytes();
  hoist();
  if (auto told =
          remark::passed(function.getLoc(),
                         remarks::kPrepared.function(function.getSymName()))) {
    int64_t bytes = 0;
    for (LaunchOp launch : hoisted)
      bytes += getResultBytes(launch);
    told << remark::metric("launches", hoisted.size())
         << remark::metric("bytes", bytes) << remark::metric("weights", freed);
  }
}

void HoistPreparation::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(verifyPassInput(module, getArgument(),
                             {Stage::Package, Stage::Package})))
    return signalPassFailure();
  // Weights are others in each step of training.
  if (limit < 0 || module.lookupSymbol<FuncOp>("backward"))
    return;
  llvm::DenseSet<StringRef> bodies;
  module.walk([&](InvokeOp invoke) {
    for (auto callee : invoke.getCallees().getAsRange<FlatSymbolRefAttr>())
      bodies.insert(callee.getValue());
  });
  for (auto function : module.getOps<FuncOp>())
    if (!bodies.contains(function.getSymName()) && !function.getArenaAttr())
      Hoister(function, limit).run();
}
