//===- PlanMemory.cpp - Give every kernel result a place ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/Transforms/MemoryPlan.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

class PlanMemory : public loop::impl::PlanMemoryPassBase<PlanMemory> {
public:
  void runOnOperation() override;

private:
  void planFunction(func::FuncOp function, const analysis::SizeHints &hints,
                    const llvm::StringSet<> &givenUp);
};

/// Memory of an argument that is free once the function has read it.
struct Room {
  BlockArgument argument;
  guard::ExprAttr size; ///< in bytes
  int64_t bytes;        ///< at the hints
  /// What is in it from one step to another; the argument first.
  SmallVector<std::pair<unsigned, unsigned>> lives;
};

} // namespace

/// True if the kernel's result `index` may be written over its input `input`:
/// each element of the input is read, at the latest, where the element of the
/// result at the same place is computed.
static bool mayOverwrite(KernelOp kernel, unsigned index, unsigned input) {
  auto from = cast<RankedTensorType>(kernel.getInputs()[input].getType());
  auto to = cast<RankedTensorType>(kernel.getResultTypes()[index]);
  if (guard::getDims(from) != guard::getDims(to) ||
      analysis::getElementBytes(from.getElementType()) !=
          analysis::getElementBytes(to.getElementType()))
    return false;
  if (llvm::count(kernel.getInputs(), kernel.getInputs()[input]) != 1)
    return false;
  Block &body = kernel.getBody().front();
  Value argument = body.getArgument(input);
  Operation *writer =
      body.getTerminator()->getOperand(index).getDefiningOp();
  if (!isa<PointwiseOp>(writer))
    return false;
  unsigned shared = kernel.getShared().size();
  for (Operation &op : body) {
    if (!isNest(&op))
      continue;
    for (const analysis::Access &access : analysis::getReads(&op)) {
      if (access.tensor != argument)
        continue;
      if (writer->isBeforeInBlock(&op))
        return false; // reads what is overwritten already
      if (&op == writer ? !access.isIdentity() || access.indirect
                        : access.getAlignment() < shared)
        return false; // reads elements of other work items
    }
  }
  return true;
}

/// True if `result` may be written where `argument` is: whatever reads that
/// runs before, or reads in the same kernel what it is about to overwrite.
static bool
mayUpdate(OpResult result, BlockArgument argument,
          const llvm::MapVector<Operation *, unsigned> &steps) {
  auto kernel = cast<KernelOp>(result.getOwner());
  Block &block = *kernel->getBlock();
  auto function = cast<func::FuncOp>(block.getParentOp());
  if (argument.getType() != result.getType() ||
      function.getArgAttr(argument.getArgNumber(), kStridesAttrName))
    return false;
  // Returned twice, the caller would see two results in one place.
  if (llvm::count(block.getTerminator()->getOperands(), result) != 1)
    return false;
  for (OpOperand &use : argument.getUses()) {
    Operation *user = block.findAncestorOpInBlock(*use.getOwner());
    // What another operation returns may be a view of it.
    if (!isa<KernelOp>(user))
      return false;
    if (user == kernel
            ? !mayOverwrite(kernel, result.getResultNumber(),
                            use.getOperandNumber())
            : steps.lookup(user) > steps.lookup(kernel))
      return false;
  }
  return true;
}

/// The names of values that are handed from one function to another and that
/// nobody else looks at: the function that makes them returns them once, and no
/// view of them.
static llvm::StringSet<> findGivenUp(ModuleOp module) {
  llvm::StringSet<> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!llvm::hasSingleElement(function.getBody()))
      continue;
    Operation *terminator = function.getBody().front().getTerminator();
    for (OpOperand &returned : terminator->getOpOperands()) {
      auto name = function.getResultAttrOfType<StringAttr>(
          returned.getOperandNumber(), kSavedAttrName);
      auto result = dyn_cast<OpResult>(returned.get());
      if (!name || !result || !isa<KernelOp>(result.getOwner()))
        continue;
      bool isOnlyRead = llvm::all_of(result.getUses(), [&](OpOperand &use) {
        Operation *user = function.getBody().front().findAncestorOpInBlock(
            *use.getOwner());
        return &use == &returned || isa<KernelOp>(user);
      });
      if (isOnlyRead)
        names.insert(name.getValue());
    }
  }
  return names;
}

/// Arguments of that kind which kernels alone read.
static SmallVector<Room>
findRooms(func::FuncOp function, const analysis::SizeHints &hints,
          const llvm::StringSet<> &givenUp,
          const llvm::MapVector<Operation *, unsigned> &steps) {
  SmallVector<Room> rooms;
  Block &block = function.getBody().front();
  for (BlockArgument argument : block.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = function.getArgAttrOfType<StringAttr>(number, kSavedAttrName);
    if (!name || !givenUp.contains(name.getValue()) ||
        function.getArgAttr(number, kStridesAttrName))
      continue;
    unsigned last = 0;
    bool isOnlyRead = true;
    for (Operation *user : argument.getUsers()) {
      Operation *top = block.findAncestorOpInBlock(*user);
      isOnlyRead &= isa<KernelOp>(top);
      last = std::max(last, steps.lookup(top));
    }
    auto type = cast<RankedTensorType>(argument.getType());
    if (isOnlyRead)
      rooms.push_back({argument, analysis::getByteSize(type),
                       hints.getBytes(type), {{0, last}}});
  }
  return rooms;
}

/// Puts `result`, which lives from its kernel's step to `last`, into a room that
/// is free then. What the caller receives must be of the room's own type, since
/// it is the argument that is returned; what kernels alone touch must fit.
static Room *takeRoom(MutableArrayRef<Room> rooms, OpResult result,
                      unsigned first, unsigned last, bool isReturned,
                      const analysis::SizeHints &hints) {
  auto kernel = cast<KernelOp>(result.getOwner());
  auto type = cast<RankedTensorType>(result.getType());
  guard::ExprAttr size = analysis::getByteSize(type);
  int64_t bytes = hints.getBytes(type);
  Room *best = nullptr;
  for (Room &room : rooms) {
    bool fits = isReturned
                    ? type == room.argument.getType()
                    : size == room.size ||
                          (size.isConstant() && room.size.isConstant() &&
                           bytes <= room.bytes);
    if (!fits)
      continue;
    auto isFree = [&](std::pair<unsigned, unsigned> life) {
      if (last < life.first || first > life.second)
        return true;
      // The argument may be overwritten where it is read for the last time.
      if (life != room.lives.front() || first != life.second)
        return false;
      return llvm::all_of(room.argument.getUses(), [&](OpOperand &use) {
        Operation *user = kernel->getBlock()->findAncestorOpInBlock(
            *use.getOwner());
        return user != kernel.getOperation() ||
               mayOverwrite(kernel, result.getResultNumber(),
                            use.getOperandNumber());
      });
    };
    // The smallest that fits, and of those the one that was read last: the
    // others serve what comes before.
    auto getOrder = [&](const Room &other) {
      unsigned freed = 0;
      for (auto life : other.lives)
        if (life.second <= first)
          freed = std::max(freed, life.second);
      return std::make_pair(other.bytes, -int64_t(freed));
    };
    if (llvm::all_of(room.lives, isFree) &&
        (!best || getOrder(room) < getOrder(*best)))
      best = &room;
  }
  if (best)
    best->lives.push_back({first, last});
  return best;
}

/// The operations of `block` that may look at the memory of `value`: its users, and
/// those of what an op of another dialect makes of it, which may be a view.
static llvm::SetVector<Operation *> getReaders(Value value, Block &block) {
  llvm::SetVector<Operation *> readers;
  SmallVector<Value> values = {value};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      Operation *top = block.findAncestorOpInBlock(*user);
      if (readers.insert(top) && !isa<LoopDialect>(top->getDialect()))
        llvm::append_range(values, top->getResults());
    }
  return readers;
}

void PlanMemory::planFunction(func::FuncOp function,
                              const analysis::SizeHints &hints,
                              const llvm::StringSet<> &givenUp) {
  MLIRContext *context = &getContext();
  Block &block = function.getBody().front();
  llvm::MapVector<Operation *, unsigned> steps;
  SymbolDefiners definers(block);
  for (Operation &op : block) {
    steps.insert({&op, unsigned(steps.size())});
    definers.visit(op, [](Operation *) {});
  }
  Operation *terminator = block.getTerminator();
  // Results of kernels that are new contents of arguments.
  llvm::DenseMap<Value, BlockArgument> updates;
  for (OpOperand &returned : terminator->getOpOperands())
    if (auto index = function.getResultAttrOfType<IntegerAttr>(
            returned.getOperandNumber(), kUpdatesAttrName))
      if (auto result = dyn_cast<OpResult>(returned.get());
          result && isa<KernelOp>(result.getOwner()) &&
          index.getValue().ult(function.getNumArguments()))
        if (BlockArgument argument = function.getArgument(index.getInt());
            mayUpdate(result, argument, steps))
          updates[result] = argument;

  // What the caller receives takes room first: the arena is reused anyway.
  SmallVector<Room> rooms = findRooms(function, hints, givenUp, steps);
  unsigned inRooms = 0;
  int64_t roomBytes = 0;
  auto put = [&](OpResult result, unsigned last, bool isReturned) {
    Room *room = takeRoom(rooms, result, steps[result.getOwner()], last,
                          isReturned, hints);
    if (!room)
      return false;
    updates[result] = room->argument;
    ++inRooms;
    roomBytes += hints.getBytes(cast<RankedTensorType>(result.getType()));
    return true;
  };
  for (OpOperand &returned : terminator->getOpOperands())
    if (auto result = dyn_cast<OpResult>(returned.get());
        result && isa<KernelOp>(result.getOwner()) && !updates.contains(result))
      put(result, steps[terminator], /*isReturned=*/true);

  std::vector<PlanBuffer> buffers;
  SmallVector<Value> values;
  llvm::DenseMap<Value, unsigned> bufferOf;
  llvm::MapVector<guard::ExprAttr, unsigned> sizes;
  int64_t escaping = 0;
  for (auto kernel : block.getOps<KernelOp>()) {
    for (OpResult result : kernel.getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      unsigned last = steps[kernel];
      bool returned = false, forKernels = true;
      for (Operation *top : getReaders(result, block)) {
        returned |= top == terminator;
        forKernels &= isa<KernelOp>(top);
        last = std::max(last, steps[top]);
      }
      if (updates.contains(result))
        continue;
      if (returned) {
        escaping += hints.getBytes(type);
        continue;
      }
      if (forKernels && put(result, last, /*isReturned=*/false))
        continue;
      // The arena is there before a size is counted.
      guard::ExprAttr size = analysis::getByteSize(type);
      if (definers.isLate(size))
        continue;
      PlanBuffer buffer;
      buffer.bytes = hints.getBytes(type);
      if (!size.isConstant())
        buffer.symbolicSize =
            sizes.insert({size, unsigned(sizes.size())}).first->second;
      buffer.first = steps[kernel];
      buffer.last = last;
      for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
        auto input = bufferOf.find(kernel.getInputs()[i]);
        if (input == bufferOf.end() ||
            buffers[input->second].last != buffer.first ||
            !mayOverwrite(kernel, result.getResultNumber(), i))
          continue;
        buffer.overwrites = input->second;
        break;
      }
      bufferOf[result] = buffers.size();
      buffers.push_back(buffer);
      values.push_back(result);
    }
  }

  MemoryPlan plan = planMemory(buffers);
  // Where each slot begins.
  SmallVector<guard::ExprAttr> keys;
  for (auto &[size, number] : sizes)
    keys.push_back(size);
  guard::ExprAttr end = guard::getConstant(context, plan.staticBytes);
  SmallVector<guard::ExprAttr> slots;
  for (unsigned key : plan.slotSizes) {
    slots.push_back(end);
    guard::ExprAttr bytes = keys[key];
    if (!guard::exactDivide(bytes,
                            guard::getConstant(context, kArenaAlignment)))
      bytes = guard::ceilDiv(bytes, kArenaAlignment) * kArenaAlignment;
    end = end + bytes;
  }
  unsigned inPlace = 0;
  for (auto kernel : block.getOps<KernelOp>()) {
    SmallVector<Attribute> placements;
    for (OpResult result : kernel.getResults()) {
      auto buffer = bufferOf.find(result);
      if (BlockArgument argument = updates.lookup(result)) {
        ++inPlace;
        placements.push_back(
            ArgumentAttr::get(context, argument.getArgNumber()));
        continue;
      }
      if (buffer == bufferOf.end()) {
        placements.push_back(NewAttr::get(context));
        continue;
      }
      const PlanPlace &place = plan.places[buffer->second];
      inPlace += place.inPlace;
      placements.push_back(ArenaAttr::get(
          context, place.slot ? slots[*place.slot]
                              : guard::getConstant(context, place.offset)));
    }
    kernel.setPlacementsAttr(ArrayAttr::get(context, placements));
  }

  function->setAttr("loop.arena_bytes", end);
  Builder builder(context);
  function->setAttr("loop.planned_peak_bytes",
                    builder.getI64IntegerAttr(plan.peakBytes + escaping));
  function->setAttr("loop.lower_bound_bytes",
                    builder.getI64IntegerAttr(plan.lowerBound + escaping));
  if (auto told =
          remark::passed(function.getLoc(),
                         remarks::kPlanned.function(function.getName()))) {
    told << remark::metric("buffers", buffers.size())
         << remark::metric("arena", end.str())
         << remark::metric("peak", plan.peakBytes)
         << remark::metric("lower_bound", plan.lowerBound)
         << remark::metric("without_reuse", plan.withoutReuse)
         << remark::metric("in_place", inPlace)
         << remark::metric("escaping", escaping);
    if (!rooms.empty())
      told << remark::metric("saved_places", inRooms)
           << remark::metric("saved_places_bytes", roomBytes);
  }
}

/// True if a function's kernels are launched already, at places in an arena
/// whose size it has.
static bool isPlanned(func::FuncOp function) {
  return function->hasAttr("loop.arena_bytes") &&
         !function.getOps<LaunchOp>().empty();
}

void PlanMemory::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  analysis::SizeHints hints(getOperation());
  llvm::StringSet<> givenUp = findGivenUp(getOperation());
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (llvm::hasSingleElement(function.getBody()) && !isPlanned(function))
      planFunction(function, hints, givenUp);
}
