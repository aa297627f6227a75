//===- HoistPreparation.cpp - Compute what depends on weights once --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/IR/Preparation.h"
#include "kiln/Dialect/Program/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMHOISTPREPARATIONPASS
#include "kiln/Dialect/Program/Transforms/Passes.h.inc"
} // namespace kiln::program

namespace {

/// A weight that nothing but launches which may be prepared reads, or others read a few
/// elements of.
struct FreedWeight {
  int64_t bytes;
  SmallVector<LaunchOp> readers;
};

/// Launches that read what others of them write, or the same freed weights.
struct Group {
  SmallVector<LaunchOp> launches;
  SmallVector<const FreedWeight *> weights;
  int64_t cost = 0; ///< bytes of what stays, less those of the weights
  bool comesFirst = false;
  size_t number = 0; ///< in the order of the program

  /// Those that cost nothing, then what readers were compiled for, then the
  /// cheapest.
  std::tuple<int, int64_t, size_t> getRank() const {
    const int rank = cost <= 0 ? 0 : comesFirst ? 1 : 2;
    return {rank, rank == 2 ? cost : 0, number};
  }
};

class Hoister {
public:
  Hoister(FuncOp function, int64_t limit) : function(function), limit(limit) {}
  void run();

private:
  bool mayPrepare(LaunchOp launch);
  bool isLasting(Value buffer);
  void findLaunches();
  llvm::SmallSetVector<LaunchOp, 4> getWriters(LaunchOp launch);
  SmallVector<FreedWeight> findFreedWeights();
  SmallVector<Group> findGroups(ArrayRef<FreedWeight> weights);
  bool isReady(LaunchOp launch, const llvm::DenseSet<Operation *> &kept);
  int64_t getLastingBytes(LaunchOp launch,
                          llvm::function_ref<bool(LaunchOp)> isPrepared);
  int64_t getCost(LaunchOp launch, const Group &group,
                  const llvm::DenseSet<Operation *> &kept);
  void keepSome(const Group &group, int64_t &taken,
                llvm::DenseSet<Operation *> &kept);
  void keepWithinLimit();
  void drop(LaunchOp launch, StringRef reason);
  SmallVector<LaunchOp> getOrder();
  void hoist();
  void moveUp(Value buffer);
  bool joinWithEqual(LaunchOp launch, ArrayRef<LaunchOp> others);

  FuncOp function;
  int64_t limit;
  Operation *firstStep = nullptr;
  /// In the order of the program, and by what they write.
  llvm::SetVector<LaunchOp> launches;
  llvm::DenseMap<Value, LaunchOp> prepared;
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
  llvm::DenseMap<Attribute, SmallVector<LaunchOp, 1>> ofKernel;
  for (Operation &op :
       llvm::make_early_inc_range(function.getBody().front())) {
    if (!firstStep && !isa<SlotOp, SymbolOp>(op))
      firstStep = &op;
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch || !mayPrepare(launch))
      continue;
    auto &others = ofKernel[launch.getKernel()];
    if (joinWithEqual(launch, others))
      continue;
    others.push_back(launch);
    launches.insert(launch);
    for (Value result : getResults(launch))
      prepared[result] = launch;
  }
}

/// The launches that wrote what `launch` reads, of those that may be prepared.
llvm::SmallSetVector<LaunchOp, 4> Hoister::getWriters(LaunchOp launch) {
  llvm::SmallSetVector<LaunchOp, 4> writers;
  for (auto [k, buffer] : llvm::enumerate(launch.getBuffers()))
    if (!launch.getWrites()[k])
      if (LaunchOp writer = prepared.lookup(getFixedRoot(buffer)))
        writers.insert(writer);
  return writers;
}

/// True if a launch touches few pages of an operand.
static bool readsLittle(OpOperand &use) {
  auto sparse =
      use.getOwner()->getAttrOfType<DenseI64ArrayAttr>(kSparseAttrName);
  return sparse && llvm::is_contained(sparse.asArrayRef(),
                                      int64_t(use.getOperandNumber()));
}

/// A GPU has weights in its memory whether they are read or not.
SmallVector<FreedWeight> Hoister::findFreedWeights() {
  SmallVector<FreedWeight> weights;
  if (llvm::any_of(launches,
                   [](LaunchOp launch) { return bool(launch.getGridAttr()); }))
    return weights;
  for (auto slot : function.getBody().getOps<SlotOp>()) {
    Value weight = slot.getResult();
    auto type = dyn_cast<BufferType>(weight.getType());
    auto uses =
        type && staysTheSame(slot) ? getLaunchUses(weight) : std::nullopt;
    if (!uses || uses->empty())
      continue;
    FreedWeight freed{getBytes(weight).value_or(0), {}};
    bool isFreed = true;
    for (OpOperand *use : *uses) {
      auto reader = cast<LaunchOp>(use->getOwner());
      if (launches.contains(reader))
        freed.readers.push_back(reader);
      else
        isFreed &= readsLittle(*use);
    }
    if (isFreed && !freed.readers.empty())
      weights.push_back(std::move(freed));
  }
  return weights;
}

/// Bytes of the results of a launch that stay in memory if those that `isPrepared` names are
/// prepared: what others read, and what is larger than the limit and all that it is made of,
/// for which there should be no room at any time.
int64_t
Hoister::getLastingBytes(LaunchOp launch,
                         llvm::function_ref<bool(LaunchOp)> isPrepared) {
  int64_t read = 0, bytes = 0;
  for (auto [k, buffer] : llvm::enumerate(launch.getBuffers()))
    if (!launch.getWrites()[k])
      read += getBytes(getFixedRoot(buffer)).value_or(0);
  for (Value result : getResults(launch)) {
    const int64_t size = *getBytes(result);
    auto uses = getLaunchUses(result);
    if (size > std::max(limit, read) || !uses ||
        !llvm::all_of(*uses, [&](OpOperand *use) {
          return isPrepared(cast<LaunchOp>(use->getOwner()));
        }))
      bytes += size;
  }
  return bytes;
}

void Hoister::drop(LaunchOp launch, StringRef reason) {
  if (auto told =
          remark::missed(launch.getLoc(),
                         remarks::kNotPrepared.function(function.getSymName())))
    told << remark::metric("kernel",
                           launch.getKernel().getLeafReference().getValue())
         << remark::metric("bytes", getLastingBytes(launch, [](LaunchOp) {
                             return false;
                           }))
         << remark::reason("{0}", reason);
  launches.remove(launch);
  for (Value result : getResults(launch))
    prepared.erase(result);
}

SmallVector<Group> Hoister::findGroups(ArrayRef<FreedWeight> weights) {
  llvm::EquivalenceClasses<Operation *> classes;
  for (LaunchOp launch : launches) {
    classes.insert(launch);
    for (LaunchOp writer : getWriters(launch))
      classes.unionSets(writer, launch);
  }
  for (const FreedWeight &weight : weights)
    for (LaunchOp reader : weight.readers)
      classes.unionSets(LaunchOp(weight.readers.front()), reader);
  SmallVector<Group> groups;
  llvm::DenseMap<Operation *, size_t> numbers;
  auto getGroup = [&](LaunchOp launch) -> Group & {
    auto [it, isNew] =
        numbers.try_emplace(classes.getLeaderValue(launch), groups.size());
    if (isNew)
      groups.emplace_back().number = it->second;
    return groups[it->second];
  };
  for (LaunchOp launch : launches) {
    Group &group = getGroup(launch);
    group.launches.push_back(launch);
    group.cost += getLastingBytes(
        launch, [&](LaunchOp user) { return launches.contains(user); });
    group.comesFirst |= launch->hasAttr(kPreparedFirstAttrName);
  }
  for (const FreedWeight &weight : weights) {
    Group &group = getGroup(weight.readers.front());
    group.weights.push_back(&weight);
    group.cost -= weight.bytes;
  }
  return groups;
}

/// True if what `launch` reads is a weight, or made by launches that are kept.
bool Hoister::isReady(LaunchOp launch,
                      const llvm::DenseSet<Operation *> &kept) {
  return llvm::all_of(getWriters(launch),
                      [&](LaunchOp writer) { return kept.contains(writer); });
}

/// What `launch` takes beside those that are kept: its results, less weights that nobody
/// else reads any more, and results of others that nobody else does.
int64_t Hoister::getCost(LaunchOp launch, const Group &group,
                         const llvm::DenseSet<Operation *> &kept) {
  auto isKept = [&](LaunchOp user) { return kept.contains(user); };
  auto isKeptThen = [&](LaunchOp user) {
    return user == launch || kept.contains(user);
  };
  int64_t cost = getLastingBytes(launch, isKeptThen);
  for (const FreedWeight *weight : group.weights)
    if (llvm::is_contained(weight->readers, launch) &&
        llvm::all_of(weight->readers, isKeptThen))
      cost -= weight->bytes;
  for (LaunchOp writer : getWriters(launch))
    cost += getLastingBytes(writer, isKeptThen) - getLastingBytes(writer, isKept);
  return cost;
}

/// Launches of a group that does not fit as a whole, one by one; the last one
/// that reads something is given its bytes.
void Hoister::keepSome(const Group &group, int64_t &taken,
                       llvm::DenseSet<Operation *> &kept) {
  for (bool changed = true; changed;) {
    changed = false;
    for (LaunchOp launch : group.launches) {
      if (kept.contains(launch) || !isReady(launch, kept))
        continue;
      int64_t cost = getCost(launch, group, kept);
      if (taken + cost > limit)
        continue;
      taken += cost;
      kept.insert(launch);
      changed = true;
    }
  }
}

/// Each group is charged with what it takes beside the weights that it frees,
/// so that one which is too large does not take those of others with it.
void Hoister::keepWithinLimit() {
  SmallVector<FreedWeight> weights = findFreedWeights();
  SmallVector<Group> groups = findGroups(weights);
  llvm::sort(groups, [](const Group &a, const Group &b) {
    return a.getRank() < b.getRank();
  });
  llvm::DenseSet<Operation *> kept;
  int64_t taken = 0;
  for (const Group &group : groups) {
    if (taken + group.cost > limit) {
      keepSome(group, taken, kept);
      continue;
    }
    taken += group.cost;
    for (LaunchOp launch : group.launches)
      kept.insert(launch);
  }
  SmallVector<std::pair<LaunchOp, bool>> dropped;
  for (LaunchOp launch : launches)
    if (!kept.contains(launch))
      dropped.emplace_back(launch, isReady(launch, kept));
  for (auto [launch, wasReady] : dropped)
    drop(launch, wasReady ? "it takes more memory than prepared-memory allows"
                          : "what it reads is computed in each call");
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

/// True if an earlier launch of the same kernel has written the same, which then takes its
/// place.
bool Hoister::joinWithEqual(LaunchOp launch, ArrayRef<LaunchOp> others) {
  SmallVector<Value> results = getResults(launch);
  for (LaunchOp other : others) {
    if (other->getDiscardableAttrDictionary() !=
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

/// Those that are kept, what each reads just before it, so that little of what is not read
/// later is in memory at a time.
SmallVector<LaunchOp> Hoister::getOrder() {
  llvm::SetVector<LaunchOp> order;
  SmallVector<LaunchOp> waiting;
  // First what the rest of the program reads, then what is left over.
  auto isKept = [&](LaunchOp user) { return launches.contains(user); };
  for (bool lasts : {true, false})
    for (LaunchOp first : launches) {
      if (lasts && getLastingBytes(first, isKept) == 0)
        continue;
      waiting.push_back(first);
      while (!waiting.empty()) {
        LaunchOp launch = waiting.back();
        size_t others = waiting.size();
        for (LaunchOp writer : getWriters(launch))
          if (!order.contains(writer))
            waiting.push_back(writer);
        if (waiting.size() > others)
          continue;
        order.insert(launch);
        waiting.pop_back();
      }
    }
  return order.takeVector();
}

void Hoister::hoist() {
  for (LaunchOp launch : getOrder()) {
    for (auto [k, buffer] : llvm::enumerate(launch.getBuffers())) {
      moveUp(buffer);
      // A workspace, too: there is no arena before what it stands behind is prepared.
      if (launch.getWrites()[k])
        buffer.getDefiningOp<AllocOp>().setIsPrepared(true);
    }
    if (launch.getOperation() == firstStep)
      firstStep = launch->getNextNode();
    else
      launch->moveBefore(firstStep);
  }
}

void Hoister::run() {
  findLaunches();
  keepWithinLimit();
  for (auto launch : function.getBody().getOps<LaunchOp>())
    launch->removeAttr(kPreparedFirstAttrName);
  auto forgetSparse = llvm::scope_exit([&] {
    for (auto launch : function.getBody().getOps<LaunchOp>())
      launch->removeAttr(kSparseAttrName);
  });
  if (launches.empty())
    return;
  int64_t freed = 0;
  for (const FreedWeight &weight : findFreedWeights())
    freed += weight.bytes;
  hoist();
  if (auto told =
          remark::passed(function.getLoc(),
                         remarks::kPrepared.function(function.getSymName()))) {
    int64_t bytes = 0;
    for (LaunchOp launch : launches)
      bytes += getLastingBytes(
          launch, [&](LaunchOp user) { return launches.contains(user); });
    told << remark::metric("launches", launches.size())
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
