//===- PlanMemory.cpp - Give every buffer a place -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchesBeside.h"

#include "DropCopies.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Program/IR/CopiesFirst.h"
#include "kiln/Dialect/Program/Transforms/MemoryPlan.h"
#include "kiln/Dialect/Program/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMPLANMEMORYPASS
#include "kiln/Dialect/Program/Transforms/Passes.h.inc"
} // namespace kiln::program

namespace {

/// Memory of a slot that is free once the program has read it.
struct Room {
  SlotOp slot;
  guard::ExprAttr size; ///< in bytes
  int64_t bytes;        ///< at the hints
  /// What is in it from one step to another; the slot's own contents first.
  SmallVector<std::pair<unsigned, unsigned>> lives;
};

/// A buffer without a place, and when it is needed.
struct Buffer {
  mutable AllocOp alloc; // getters of ops are not const
  mutable LaunchOp writer;
  unsigned position = 0; ///< among the buffers of its writer
  unsigned first = 0, last = 0;
  bool isReturned = false;
  bool forLaunches = true; ///< nothing else reads it
};

/// The plan of one program.
class Planner {
public:
  Planner(FuncOp function, const analysis::SizeHints &hints,
          const llvm::StringSet<> &givenUp)
      : function(function), hints(hints), givenUp(givenUp) {}
  void run();

private:
  void findBuffers();
  void findRooms();
  void placeUpdates();
  void placeInArena();
  bool isForGPU();
  MemoryPlan planBeside(ArrayRef<PlanBuffer> planned, ArrayRef<AllocOp> allocs);
  void setPlaces(ArrayRef<AllocOp> allocs, ArrayRef<guard::ExprAttr> sizes,
                 const MemoryPlan &plan);
  bool isShown();
  void keepApart(ArrayRef<AllocOp> allocs, MemoryPlan &plan);
  void tell(const MemoryPlan &plan);
  bool mayUpdate(const Buffer &buffer, SlotOp slot);
  bool takeRoom(const Buffer &buffer, unsigned last);
  llvm::SmallPtrSet<Operation *, 4> findCopied();
  void takeRooms();
  bool isFree(const Room &room, std::pair<unsigned, unsigned> life,
              const Buffer &buffer, unsigned last);
  bool isLate(guard::ExprAttr size);
  std::optional<unsigned> findOverwritten(const Buffer &buffer,
                                          ArrayRef<PlanBuffer> planned);
  void placeOver(const Buffer &buffer, SlotOp slot);
  Buffer *findBegin(const Buffer &buffer);
  void placeBegins();
  int64_t getBytes(BufferType type) {
    return hints.evaluate(*type.getByteSize());
  }

  FuncOp function;
  const analysis::SizeHints &hints;
  const llvm::StringSet<> &givenUp;
  llvm::DenseMap<Operation *, unsigned> steps;
  SmallVector<Buffer> buffers;
  SmallVector<Room> rooms;
  llvm::DenseMap<Value, unsigned> plannedOf; ///< buffers of the arena
  int64_t escaping = 0, inSlots = 0, inRooms = 0, roomBytes = 0;
};

class PlanMemory
    : public program::impl::ProgramPlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override;
};

} // namespace

static bool mayOverwrite(LaunchOp launch, unsigned to, unsigned from) {
  ArrayRef<int64_t> pairs = launch.getOverwrites().value_or(ArrayRef<int64_t>());
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] == to && pairs[i + 1] == from)
      return true;
  return false;
}

/// What reads or writes `value`; symbols are read before the first step.
static SmallVector<OpOperand *> getUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (!isa<SymbolOp>(use.getOwner()))
      uses.push_back(&use);
  return uses;
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// The same of `value` and of its parts, which views are.
static SmallVector<OpOperand *> getAllUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand *use : getUses(value)) {
    if (auto view = dyn_cast<ViewOp>(use->getOwner()))
      llvm::append_range(uses, getAllUses(view.getResult()));
    else
      uses.push_back(use);
  }
  return uses;
}

/// Buffers in the order in which they are written, by the first who writes some
/// of them.
void Planner::findBuffers() {
  for (Operation &op : function.getBody().front())
    steps[&op] = steps.size();
  llvm::DenseSet<Value> seen;
  for (auto launch : function.getBody().getOps<LaunchOp>())
    for (auto [k, value] : llvm::enumerate(launch.getBuffers())) {
      auto alloc = getRoot(value).getDefiningOp<AllocOp>();
      if (!launch.getWrites()[k] || !alloc || alloc.getPlaceAttr() ||
          alloc.getIsNew() || alloc.getIsPrepared() ||
          !seen.insert(alloc.getResult()).second)
        continue;
      Buffer buffer{alloc, launch, unsigned(k)};
      buffer.first = buffer.last = steps[launch];
      for (OpOperand *use : getAllUses(alloc.getResult())) {
        Operation *user = use->getOwner();
        buffer.last = std::max(buffer.last, steps[user]);
        buffer.isReturned |= isa<ReturnOp>(user);
        buffer.forLaunches &= isa<LaunchOp>(user);
      }
      buffers.push_back(buffer);
    }
}

/// The names of values that are handed from one program to another and that
/// nobody else looks at: the program that makes them returns them once, and no
/// part of them.
static llvm::StringSet<> findGivenUp(ModuleOp module) {
  llvm::StringSet<> names;
  for (auto function : module.getOps<FuncOp>()) {
    ReturnOp returned = function.getReturn();
    size_t next = 0;
    for (auto output : returned.getOutputs().getAsRange<OutputAttr>()) {
      if (output.getValue())
        continue;
      Value value = returned.getValues()[next++];
      if (output.getRole() != Role::Saved || !output.getTarget() ||
          !value.getDefiningOp<AllocOp>())
        continue;
      unsigned returns = 0;
      bool isOnlyRead = true;
      for (OpOperand *use : getAllUses(value)) {
        returns += use->getOwner() == returned;
        isOnlyRead &= isa<LaunchOp, ReturnOp>(use->getOwner());
      }
      if (isOnlyRead && returns == 1)
        names.insert(output.getTarget().getValue());
    }
  }
  return names;
}

/// Slots of that kind which launches alone read.
void Planner::findRooms() {
  for (auto slot : function.getBody().getOps<SlotOp>()) {
    auto type = dyn_cast<BufferType>(slot.getResult().getType());
    if (slot.getKind() != SlotKind::Saved || !type ||
        !type.getStrides().empty() || !givenUp.contains(slot.getName()))
      continue;
    unsigned last = 0;
    bool isOnlyRead = true;
    for (OpOperand *use : getUses(slot.getResult())) {
      isOnlyRead &= isa<LaunchOp>(use->getOwner());
      last = std::max(last, steps[use->getOwner()]);
    }
    if (isOnlyRead)
      rooms.push_back({slot, *type.getByteSize(), getBytes(type), {{0, last}}});
  }
}

/// A size that is known only once the program runs.
bool Planner::isLate(guard::ExprAttr size) {
  SmallVector<StringAttr> names;
  guard::collectSymbols(size, names);
  for (auto symbol : function.getBody().getOps<SymbolOp>())
    if (symbol.getSource() == SymbolSource::Step &&
        llvm::is_contained(names, symbol.getNameAttr()))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

void Planner::placeOver(const Buffer &buffer, SlotOp slot) {
  AllocOp alloc = buffer.alloc;
  OpBuilder builder(alloc);
  auto view = ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                             slot.getResult(),
                             guard::getConstant(alloc.getContext(), 0));
  alloc.getResult().replaceAllUsesWith(view.getResult());
  alloc.erase();
  ++inSlots;
}

/// True if the buffer may be written where the slot is: whatever reads that runs
/// before, or reads in the same launch what it is about to overwrite.
bool Planner::mayUpdate(const Buffer &buffer, SlotOp slot) {
  if (slot.getResult().getType() != buffer.alloc.getType())
    return false;
  // Returned twice, the caller would see two results in one place.
  ReturnOp returned = function.getReturn();
  if (llvm::count(returned.getValues(), buffer.alloc.getResult()) != 1)
    return false;
  return llvm::all_of(getUses(slot.getResult()), [&](OpOperand *use) {
    // What another step returns may be a view of it.
    auto user = dyn_cast<LaunchOp>(use->getOwner());
    if (!user)
      return false;
    return user == buffer.writer ? mayOverwrite(user, buffer.position,
                                                use->getOperandNumber())
                                 : steps[user] < buffer.first;
  });
}

/// Writes new contents of slots over the old ones where that can be.
void Planner::placeUpdates() {
  ReturnOp returned = function.getReturn();
  llvm::DenseMap<Value, SlotOp> targets;
  size_t next = 0;
  for (auto output : returned.getOutputs().getAsRange<OutputAttr>()) {
    if (output.getValue())
      continue;
    Value value = returned.getValues()[next++];
    if (SlotOp slot = returned.getTarget(output))
      targets[value] = slot;
  }
  llvm::erase_if(buffers, [&](const Buffer &buffer) {
    SlotOp slot = targets.lookup(buffer.alloc.getResult());
    if (!slot || !mayUpdate(buffer, slot))
      return false;
    placeOver(buffer, slot);
    return true;
  });
}

bool Planner::isFree(const Room &room, std::pair<unsigned, unsigned> life,
                     const Buffer &buffer, unsigned last) {
  if (last < life.first || buffer.first > life.second)
    return true;
  // The slot may be overwritten where it is read for the last time.
  if (life != room.lives.front() || buffer.first != life.second)
    return false;
  SlotOp slot = room.slot;
  return llvm::all_of(getUses(slot.getResult()), [&](OpOperand *use) {
    return use->getOwner() != buffer.writer ||
           mayOverwrite(buffer.writer, buffer.position,
                        use->getOperandNumber());
  });
}

/// Puts a buffer, which lives from its launch to `last`, into a room that is free
/// then. What the caller receives must be of the room's own type, since it is the
/// slot that is returned; what launches alone touch must fit.
bool Planner::takeRoom(const Buffer &buffer, unsigned last) {
  AllocOp alloc = buffer.alloc;
  guard::ExprAttr size = *alloc.getType().getByteSize();
  int64_t bytes = getBytes(alloc.getType());
  Room *best = nullptr;
  // The smallest that fits, and of those the one that was read last: the others
  // serve what comes before.
  auto getOrder = [&](const Room &room) {
    unsigned freed = 0;
    for (auto life : room.lives)
      if (life.second <= buffer.first)
        freed = std::max(freed, life.second);
    return std::make_pair(room.bytes, -int64_t(freed));
  };
  for (Room &room : rooms) {
    bool fits = buffer.isReturned
                    ? alloc.getType() == room.slot.getResult().getType()
                    : size == room.size ||
                          (size.isConstant() && room.size.isConstant() &&
                           bytes <= room.bytes);
    bool isEmpty = llvm::all_of(
        room.lives, [&](auto life) { return isFree(room, life, buffer, last); });
    if (fits && isEmpty && (!best || getOrder(room) < getOrder(*best)))
      best = &room;
  }
  if (!best)
    return false;
  best->lives.push_back({buffer.first, last});
  ++inRooms;
  roomBytes += bytes;
  placeOver(buffer, best->slot);
  return true;
}

/// What launches begin with a copy of, and where to: the arena can have both in
/// one place, and then there is no copy.
llvm::SmallPtrSet<Operation *, 4> Planner::findCopied() {
  llvm::SmallPtrSet<Operation *, 4> copied;
  for (const Buffer &buffer : buffers) {
    LaunchOp launch = buffer.writer;
    if (!launch->hasAttr(kCopiesFirstAttrName))
      continue;
    for (auto [k, value] : llvm::enumerate(launch.getBuffers())) {
      auto begin = value.getDefiningOp<AllocOp>();
      if (!begin || !mayOverwrite(launch, buffer.position, k))
        continue;
      AllocOp result = buffer.alloc;
      copied.insert(begin);
      copied.insert(result);
    }
  }
  return copied;
}

/// Puts what launches alone touch into rooms, what is large first: there are
/// few rooms for it, and the small find some beside it.
void Planner::takeRooms() {
  llvm::SmallPtrSet<Operation *, 4> copied = findCopied();
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [k, buffer] : llvm::enumerate(buffers))
    order.push_back({-getBytes(buffer.alloc.getType()), k});
  llvm::sort(order);
  SmallVector<bool> isPlaced(buffers.size());
  for (auto [bytes, k] : order) {
    const Buffer &buffer = buffers[k];
    AllocOp alloc = buffer.alloc;
    isPlaced[k] = !buffer.isReturned && buffer.forLaunches &&
                  !copied.contains(alloc) && takeRoom(buffer, buffer.last);
  }
  SmallVector<Buffer> others;
  for (auto [buffer, placed] : llvm::zip_equal(buffers, isPlaced))
    if (!placed)
      others.push_back(buffer);
  buffers = std::move(others);
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

/// A buffer of the arena that dies where `buffer` is written and may be
/// overwritten by it.
std::optional<unsigned>
Planner::findOverwritten(const Buffer &buffer, ArrayRef<PlanBuffer> planned) {
  LaunchOp launch = buffer.writer;
  for (auto [k, value] : llvm::enumerate(launch.getBuffers())) {
    auto found = plannedOf.find(value);
    if (!launch.getWrites()[k] && found != plannedOf.end() &&
        planned[found->second].last == buffer.first &&
        mayOverwrite(launch, buffer.position, k))
      return found->second;
  }
  return std::nullopt;
}

void Planner::placeInArena() {
  std::vector<PlanBuffer> planned;
  SmallVector<AllocOp> allocs;
  llvm::MapVector<guard::ExprAttr, unsigned> sizes;
  for (const Buffer &buffer : buffers) {
    AllocOp alloc = buffer.alloc;
    guard::ExprAttr size = *alloc.getType().getByteSize();
    // The arena is there before a size is counted.
    if (buffer.isReturned || isLate(size)) {
      if (buffer.isReturned)
        escaping += getBytes(alloc.getType());
      alloc.setIsNew(true);
      continue;
    }
    PlanBuffer plan;
    plan.bytes = getBytes(alloc.getType());
    if (!size.isConstant())
      plan.symbolicSize =
          sizes.insert({size, unsigned(sizes.size())}).first->second;
    plan.first = buffer.first;
    plan.last = buffer.last;
    plan.overwrites = findOverwritten(buffer, planned);
    plannedOf[alloc.getResult()] = planned.size();
    planned.push_back(plan);
    allocs.push_back(alloc);
  }
  MemoryPlan plan = isForGPU() ? planBeside(planned, allocs)
                               : planMemory(planned);
  SmallVector<guard::ExprAttr> keys;
  for (auto &[size, key] : sizes)
    keys.push_back(size);
  setPlaces(allocs, keys, plan);
  if (!keys.empty() && !isShown())
    keepApart(allocs, plan);
  tell(plan);
}

bool Planner::isForGPU() {
  auto launches = function.getBody().getOps<LaunchOp>();
  return !launches.empty() && (*launches.begin()).getGridAttr();
}

/// A plan whose small buffers share places only where their launches follow each other anyway,
/// if that takes little more memory: what is made of small buffers fills no GPU alone.
MemoryPlan Planner::planBeside(ArrayRef<PlanBuffer> planned,
                               ArrayRef<AllocOp> allocs) {
  constexpr int64_t kSmall = int64_t(1) << 20, kLittle = int64_t(1) << 24;
  LaunchesBeside beside(function);
  SmallVector<SmallVector<unsigned>> users;
  for (AllocOp alloc : allocs)
    users.push_back(beside.getUsers(alloc));
  MemoryPlan apart = planMemory(planned, [&](unsigned earlier, unsigned later) {
    return std::min(planned[earlier].bytes, planned[later].bytes) <= kSmall &&
           beside.mayPass(users[earlier], users[later].front());
  });
  MemoryPlan together = planMemory(planned);
  return apart.staticBytes <= together.staticBytes + kLittle ? apart : together;
}

/// What `buffer`, which the caller receives, begins as a copy of, if its launch is the last
/// to look at that.
Buffer *Planner::findBegin(const Buffer &buffer) {
  LaunchOp launch = buffer.writer;
  if (!buffer.isReturned || !launch->hasAttr(kCopiesFirstAttrName))
    return nullptr;
  for (unsigned k = 0; k < launch.getBuffers().size(); ++k) {
    Value value = launch.getBuffers()[k];
    if (launch.getWrites()[k] || !mayOverwrite(launch, buffer.position, k) ||
        llvm::count(launch.getBuffers(), value) != 1)
      continue;
    auto *begin = llvm::find_if(buffers, [&](Buffer &other) {
      return other.alloc.getResult() == value;
    });
    if (begin != buffers.end() && !begin->isReturned && begin->forLaunches &&
        begin->last == buffer.first &&
        begin->alloc.getType() == AllocOp(buffer.alloc).getType())
      return begin;
  }
  return nullptr;
}

/// Writes what a result begins as where the result will be, so that there is no copy: the
/// zeros that a sum at computed positions starts from, for example.
void Planner::placeBegins() {
  for (size_t k = 0; k < buffers.size(); ++k) {
    Buffer *begin = findBegin(buffers[k]);
    if (!begin)
      continue;
    AllocOp alloc = buffers[k].alloc, other = begin->alloc;
    alloc->moveBefore(other);
    other.getResult().replaceAllUsesWith(alloc.getResult());
    other.erase();
    buffers[k].first = begin->first;
    buffers[k].writer = begin->writer;
    buffers[k].position = begin->position;
    buffers.erase(begin);
    // It may begin as a copy itself; others have moved.
    k = size_t(-1);
  }
}

/// True if the plan is right whatever the symbols, as far as the verifier can tell.
bool Planner::isShown() {
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  return succeeded(verifyMemory(function));
}

/// Buffers of symbolic sizes get storage of their own: nothing is to be shown then.
void Planner::keepApart(ArrayRef<AllocOp> allocs, MemoryPlan &plan) {
  for (auto [alloc, place] : llvm::zip_equal(allocs, plan.places)) {
    if (!place.slot)
      continue;
    AllocOp(alloc).removePlaceAttr();
    AllocOp(alloc).setIsNew(true);
    escaping += getBytes(AllocOp(alloc).getType());
  }
  function.setArenaAttr(
      guard::getConstant(function.getContext(), plan.staticBytes));
  plan.peakBytes = plan.staticBytes;
}

/// Places of the plan as expressions; `sizes` are those that it knows by key.
void Planner::setPlaces(ArrayRef<AllocOp> allocs,
                        ArrayRef<guard::ExprAttr> sizes,
                        const MemoryPlan &plan) {
  MLIRContext *context = function.getContext();
  // Where each slot begins, behind what has a static size.
  guard::ExprAttr end = guard::getConstant(context, plan.staticBytes);
  SmallVector<guard::ExprAttr> slots;
  for (unsigned key : plan.slotSizes) {
    slots.push_back(end);
    end = end + alignBytes(sizes[key]);
  }
  for (auto [alloc, place] : llvm::zip_equal(allocs, plan.places))
    AllocOp(alloc).setPlaceAttr(
        place.slot ? slots[*place.slot]
                   : guard::getConstant(context, place.offset));
  function.setArenaAttr(end);
}

void Planner::tell(const MemoryPlan &plan) {
  auto told = remark::passed(
      function.getLoc(), remarks::kPlanned.function(function.getSymName()));
  if (!told)
    return;
  int64_t inPlace = llvm::count_if(
      plan.places, [](const PlanPlace &place) { return place.inPlace; });
  told << remark::metric("buffers", plan.places.size())
       << remark::metric("arena", function.getArenaAttr().str())
       << remark::metric("peak", plan.peakBytes)
       << remark::metric("lower_bound", plan.lowerBound)
       << remark::metric("without_reuse", plan.withoutReuse)
       << remark::metric("in_place", inSlots + inPlace)
       << remark::metric("escaping", escaping);
  if (!rooms.empty())
    told << remark::metric("saved_places", inRooms)
         << remark::metric("saved_places_bytes", roomBytes);
}

void Planner::run() {
  findBuffers();
  findRooms();
  placeUpdates();
  // What the caller receives takes room first: the arena is reused anyway.
  ReturnOp returned = function.getReturn();
  for (Value value : llvm::to_vector(returned.getValues())) {
    auto *buffer = llvm::find_if(buffers, [&](Buffer &other) {
      return other.alloc.getResult() == value;
    });
    if (buffer != buffers.end() && takeRoom(*buffer, steps[returned]))
      buffers.erase(buffer);
  }
  placeBegins();
  takeRooms();
  placeInArena();
  dropCopies(function);
}

void PlanMemory::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Package, Stage::Package})))
    return signalPassFailure();
  analysis::SizeHints hints(getOperation());
  llvm::StringSet<> givenUp = findGivenUp(getOperation());
  for (auto function : getOperation().getOps<FuncOp>())
    if (!function.getArenaAttr())
      Planner(function, hints, givenUp).run();
}
