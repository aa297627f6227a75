//===- OrderKernels.cpp - Order kernels by the memory they keep live ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_ORDERKERNELSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

class OrderKernels : public loop::impl::OrderKernelsPassBase<OrderKernels> {
public:
  using OrderKernelsPassBase::OrderKernelsPassBase;
  void runOnOperation() override;
};

/// The operations of a block with what they allocate, use and depend on.
class Schedule {
public:
  Schedule(Block &block, const analysis::SizeHints &hints);

  /// `order` with the operations that make nothing but results of the function
  /// at its end, as far as the peak grows by no more than `tolerance`: updates
  /// of parameters stand side by side then, and can be launched as one, and on a
  /// GPU so do small kernels. What they keep alive longest, the largest
  /// gradients, is given up first.
  SmallVector<unsigned> postponeUpdates(ArrayRef<unsigned> order,
                                        double tolerance) const;

  /// Peak of the live bytes if the operations run in `order`.
  int64_t getPeak(ArrayRef<unsigned> order) const;
  SmallVector<unsigned> getProgramOrder() const;
  /// Of the ready operations always the one that leaves the least alive.
  SmallVector<unsigned> getGreedyOrder() const;
  /// What nothing uses as it stands in `order`, each behind what it needs and does
  /// not have yet, the last of that first: what could be made early and is needed
  /// late is made late.
  SmallVector<unsigned> getDepthFirstOrder(ArrayRef<unsigned> order) const;

  ArrayRef<Operation *> getOps() const { return ops; }

private:
  struct Node {
    int64_t allocates = 0;
    SmallVector<unsigned> values; ///< it reads, each once
    std::set<unsigned> users, needs;
    /// Makes new contents of arguments, or little on a GPU, and no more.
    bool isUpdate = false;
  };
  /// Bytes that die when `node` runs, given how often values are still needed.
  int64_t getFreed(const Node &node, ArrayRef<unsigned> remaining) const;

  SmallVector<Operation *> ops;
  std::vector<Node> nodes;
  SmallVector<int64_t> bytes;     ///< of each value; 0 if not ours to free
  SmallVector<unsigned> numUsers; ///< of each value
};

} // namespace

/// True for pointwise nests and sums of few bytes that other kernels have made for this one, as
/// the parts of a sum are: it takes hardly longer than its launch. What others read as well runs
/// beside them sooner.
static bool isSmall(KernelOp kernel, const analysis::SizeHints &hints) {
  constexpr int64_t kMostBytes = 4 << 20;
  int64_t bytes = 0;
  for (Value input : kernel.getInputs()) {
    if (!input.getDefiningOp<KernelOp>() || !input.hasOneUse())
      return false;
    bytes += hints.getBytes(cast<RankedTensorType>(input.getType()));
  }
  return bytes <= kMostBytes &&
         llvm::all_of(kernel.getNests(), [](NestOpInterface nest) {
           return nest.isPointwise() || isa<ReduceOp>(nest.getOperation());
         });
}

Schedule::Schedule(Block &block, const analysis::SizeHints &hints) {
  llvm::DenseMap<Operation *, unsigned> indexOf;
  llvm::DenseMap<Value, unsigned> valueOf;
  std::optional<unsigned> lastEffect;
  Operation *terminator = block.getTerminator();
  SymbolDefiners definers(block);
  auto function = cast<func::FuncOp>(block.getParentOp());
  bool isOnGPU = bool(getGPUTarget(function));
  for (Operation &op : block.without_terminator()) {
    unsigned index = ops.size();
    Node node;
    definers.visit(op, [&](Operation *definer) {
      node.needs.insert(indexOf[definer]);
      nodes[indexOf[definer]].users.insert(index);
    });
    auto use = [&](Value value) {
      Operation *definer = value.getDefiningOp();
      if (!definer || definer->getBlock() != &block)
        return;
      unsigned from = indexOf[definer];
      node.needs.insert(from);
      nodes[from].users.insert(index);
      unsigned number = valueOf[value];
      if (!llvm::is_contained(node.values, number)) {
        node.values.push_back(number);
        ++numUsers[number];
      }
    };
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        use(operand);
    });
    if (!isMemoryEffectFree(&op)) {
      if (lastEffect) {
        node.needs.insert(*lastEffect);
        nodes[*lastEffect].users.insert(index);
      }
      lastEffect = index;
    }
    for (Value result : op.getResults()) {
      int64_t size = 0;
      auto type = dyn_cast<RankedTensorType>(result.getType());
      bool returned =
          llvm::is_contained(result.getUsers(), terminator);
      if (type && !returned && !op.hasTrait<OpTrait::ConstantLike>())
        size = hints.getBytes(type);
      valueOf[result] = bytes.size();
      bytes.push_back(size);
      numUsers.push_back(0);
      node.allocates += size;
    }
    auto kernel = dyn_cast<KernelOp>(op);
    bool anyResult = kernel && isOnGPU && isSmall(kernel, hints);
    auto isLast = [&](OpOperand &use) {
      return use.getOwner() == terminator &&
             (anyResult || function.getResultAttr(use.getOperandNumber(),
                                                  kUpdatesAttrName));
    };
    node.isUpdate = kernel && llvm::all_of(op.getResults(), [&](Value result) {
                      return llvm::all_of(result.getUses(), isLast);
                    });
    indexOf[&op] = index;
    ops.push_back(&op);
    nodes.push_back(std::move(node));
  }
}

int64_t Schedule::getFreed(const Node &node,
                           ArrayRef<unsigned> remaining) const {
  int64_t freed = 0;
  for (unsigned value : node.values)
    if (remaining[value] == 1)
      freed += bytes[value];
  return freed;
}

int64_t Schedule::getPeak(ArrayRef<unsigned> order) const {
  SmallVector<unsigned> remaining(numUsers);
  int64_t live = 0, peak = 0;
  for (unsigned index : order) {
    live += nodes[index].allocates;
    peak = std::max(peak, live);
    live -= getFreed(nodes[index], remaining);
    for (unsigned value : nodes[index].values)
      --remaining[value];
  }
  return peak;
}

SmallVector<unsigned> Schedule::getProgramOrder() const {
  return llvm::to_vector(llvm::seq<unsigned>(0, ops.size()));
}

SmallVector<unsigned> Schedule::getGreedyOrder() const {
  SmallVector<unsigned> remaining(numUsers), waiting, order;
  std::set<unsigned> ready;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    waiting.push_back(nodes[i].needs.size());
    if (nodes[i].needs.empty())
      ready.insert(i);
  }
  while (!ready.empty()) {
    unsigned best = *ready.begin();
    int64_t least = std::numeric_limits<int64_t>::max();
    for (unsigned index : ready) {
      int64_t grows =
          nodes[index].allocates - getFreed(nodes[index], remaining);
      if (grows < least) {
        least = grows;
        best = index;
      }
    }
    ready.erase(best);
    order.push_back(best);
    for (unsigned value : nodes[best].values)
      --remaining[value];
    for (unsigned user : nodes[best].users)
      if (--waiting[user] == 0)
        ready.insert(user);
  }
  return order;
}

SmallVector<unsigned>
Schedule::getDepthFirstOrder(ArrayRef<unsigned> order) const {
  SmallVector<unsigned> position(order.size()), result, path;
  for (auto [i, index] : llvm::enumerate(order))
    position[index] = i;
  SmallVector<bool> isPlaced(nodes.size(), false);
  for (unsigned last : order) {
    if (!nodes[last].users.empty())
      continue;
    path.push_back(last);
    while (!path.empty()) {
      unsigned index = path.back();
      std::optional<unsigned> missing;
      for (unsigned need : nodes[index].needs)
        if (!isPlaced[need] &&
            (!missing || position[need] > position[*missing]))
          missing = need;
      if (missing) {
        path.push_back(*missing);
        continue;
      }
      path.pop_back();
      isPlaced[index] = true;
      result.push_back(index);
    }
  }
  return result;
}

SmallVector<unsigned>
Schedule::postponeUpdates(ArrayRef<unsigned> order, double tolerance) const {
  // What waits for an update: the bytes that nobody else reads.
  auto getHeld = [&](unsigned index) {
    int64_t held = 0;
    for (unsigned value : nodes[index].values)
      held += bytes[value];
    return held;
  };
  SmallVector<unsigned> updates;
  for (unsigned index : order)
    if (nodes[index].isUpdate)
      updates.push_back(index);
  llvm::sort(updates, [&](unsigned a, unsigned b) {
    return std::pair(getHeld(a), a) < std::pair(getHeld(b), b);
  });
  auto postpone = [&](size_t count) {
    std::set<unsigned> late(updates.begin(), updates.begin() + count);
    SmallVector<unsigned> result;
    for (bool isLate : {false, true})
      for (unsigned index : order)
        if ((late.count(index) != 0) == isLate)
          result.push_back(index);
    return result;
  };
  double limit = getPeak(order) * (1 + tolerance);
  size_t low = 0, high = updates.size();
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (getPeak(postpone(middle)) <= limit)
      low = middle;
    else
      high = middle - 1;
  }
  return postpone(low);
}

/// Moves kernels that update an argument behind all that read it, if what uses
/// their results stands further behind.
static void sinkUpdates(func::FuncOp function) {
  Block &block = function.getBody().front();
  Operation *terminator = block.getTerminator();
  auto getLast = [&](Operation *last, Operation *other) {
    return !last || last->isBeforeInBlock(other) ? other : last;
  };
  for (OpOperand &returned : terminator->getOpOperands()) {
    auto index = function.getResultAttrOfType<IntegerAttr>(
        returned.getOperandNumber(), kUpdatesAttrName);
    Operation *kernel = returned.get().getDefiningOp();
    // An attribute of the source may say anything.
    if (!index || index.getValue().uge(function.getNumArguments()) ||
        !isa_and_nonnull<KernelOp>(kernel))
      continue;
    Operation *last = nullptr;
    for (Operation *user : function.getArgument(index.getInt()).getUsers())
      last = getLast(last, block.findAncestorOpInBlock(*user));
    if (!last || last == terminator || !kernel->isBeforeInBlock(last))
      continue;
    bool isFree = llvm::all_of(kernel->getUsers(), [&](Operation *user) {
      return last->isBeforeInBlock(block.findAncestorOpInBlock(*user));
    });
    if (isFree)
      kernel->moveAfter(last);
  }
}

void OrderKernels::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  func::FuncOp function = getOperation();
  if (!llvm::hasSingleElement(function.getBody()))
    return;
  analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
  Block &block = function.getBody().front();
  Schedule schedule(block, hints);
  SmallVector<unsigned> program = schedule.getProgramOrder(),
                        greedy = schedule.getGreedyOrder(), order = program;
  int64_t before = schedule.getPeak(program), after = before;
  for (const SmallVector<unsigned> &other :
       {greedy, schedule.getDepthFirstOrder(program),
        schedule.getDepthFirstOrder(greedy)})
    if (int64_t peak = schedule.getPeak(other); peak < after) {
      order = other;
      after = peak;
    }
  for (unsigned index : schedule.postponeUpdates(order, updateTolerance))
    schedule.getOps()[index]->moveBefore(block.getTerminator());
  sinkUpdates(function);
  if (after >= before)
    return;
  if (auto told =
          remark::passed(function.getLoc(),
                         remarks::kReordered.function(function.getName())))
    told << remark::metric("before", before)
         << remark::metric("after", after);
}
