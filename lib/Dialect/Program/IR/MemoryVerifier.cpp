//===- MemoryVerifier.cpp - What is read is what was written --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a program as the runtime does and follows the contents of each buffer. A
// step that writes takes away what other buffers hold in the same bytes; a step
// that reads what was taken away is an error. That is the same as asking that
// the lives of buffers which overlap do not, and needs no lives. Two buffers are
// apart where that is shown for all values of the symbols (SizeOrder.h).
//
//===----------------------------------------------------------------------===//

#include "Writes.h"

#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Dialect/Program/IR/SizeOrder.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

namespace {

/// Where a buffer is: the storage, by the slot or step that brings it (null: the
/// arena), and its bytes.
struct Place {
  Value storage;
  guard::ExprAttr begin, end; ///< null: all of the storage

  bool isKnown() const { return bool(begin); }
  bool isEmpty() const { return isKnown() && begin == end; }
  bool is(const Place &other) const {
    return isKnown() && storage == other.storage && begin == other.begin &&
           end == other.end;
  }
};

/// What a buffer holds.
struct Contents {
  enum { Nothing, Something, OfBase, Overwritten, Released } state = Nothing;
  Operation *by = nullptr; ///< the step that overwrote or released it
};

class MemoryVerifier {
public:
  explicit MemoryVerifier(FuncOp function) : function(function) {}
  LogicalResult run();

private:
  void noteSizes();
  bool meet(const Place &a, const Place &b);
  Place getPlace(Value buffer);
  LogicalResult verifyArena(AllocOp alloc, const Place &place);
  void noteReads();

  LogicalResult visit(Operation &op);
  LogicalResult visitLaunch(LaunchOp launch);
  LogicalResult read(Operation *op, Value value);
  LogicalResult write(Operation *op, Value value);
  void define(Value value, decltype(Contents::state) state);
  void defineResults(Operation *op);

  FuncOp function;
  SizeOrder order;
  llvm::DenseMap<Value, Place> places;
  llvm::DenseMap<Value, Contents> contents;
  llvm::DenseMap<Value, unsigned> lastRead;
  /// Buffers of a storage that hold what is still to be read.
  llvm::DenseMap<Value, SmallVector<Value>> live;
  /// Slots that launches write to, and what calls may have returned of them.
  llvm::DenseSet<Value> writtenSlots;
  llvm::DenseMap<Value, SmallVector<Value>> slotsBehind;
  unsigned now = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// What is known of sizes: ranges of symbols, and that buffers exist.
void MemoryVerifier::noteSizes() {
  for (Operation &op : function.getBody().front()) {
    if (auto symbol = dyn_cast<SymbolOp>(op))
      order.setRange(guard::getSymbol(op.getContext(), symbol.getName()),
                     {int64_t(symbol.getMin()), int64_t(symbol.getMax())});
    for (Type type : op.getResultTypes()) {
      auto buffer = dyn_cast<BufferType>(type);
      if (!buffer)
        continue;
      for (guard::ExprAttr size : buffer.getSizes())
        order.addSize(size);
      if (auto bytes = buffer.getByteSize())
        order.addSize(*bytes);
    }
  }
}

/// True unless it can be shown that no byte is in both, whatever the symbols.
bool MemoryVerifier::meet(const Place &a, const Place &b) {
  if (a.storage != b.storage || a.isEmpty() || b.isEmpty())
    return false;
  if (!a.isKnown() || !b.isKnown())
    return true;
  return !order.isAtMost(a.end, b.begin) && !order.isAtMost(b.end, a.begin);
}

/// The first byte of a buffer in the arena or in its base; none for what a slot or
/// a call brings.
static guard::ExprAttr getOffset(Operation *op) {
  guard::ExprAttr start = guard::getConstant(op->getContext(), 0);
  if (auto alloc = dyn_cast<AllocOp>(op))
    return alloc.getPlaceAttr() ? alloc.getPlaceAttr() : start;
  auto view = dyn_cast<ViewOp>(op);
  if (!view)
    return start;
  guard::ExprAttr size =
      BufferType::get(op->getContext(), {}, view.getType().getElementType(), {})
          .getByteSize()
          .value();
  return view.getOffset() * size;
}

Place MemoryVerifier::getPlace(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  auto alloc = dyn_cast<AllocOp>(op);
  Place place;
  place.begin = guard::getConstant(op->getContext(), 0);
  if (auto view = dyn_cast<ViewOp>(op))
    place = places[view.getBase()];
  else
    place.storage = alloc && alloc.getPlaceAttr() ? Value() : buffer;
  auto size = cast<BufferType>(buffer.getType()).getByteSize();
  if (!size || !place.isKnown()) {
    place.begin = place.end = {};
    return place;
  }
  place.begin = place.begin + getOffset(op);
  place.end = place.begin + *size;
  return place;
}

LogicalResult MemoryVerifier::verifyArena(AllocOp alloc, const Place &place) {
  if (!alloc.getPlaceAttr())
    return success();
  guard::ExprAttr arena = function.getArenaAttr();
  if (!arena)
    return alloc.emitOpError("is in the arena of '")
           << function.getSymName() << "', which has none";
  guard::ExprAttr start = guard::getConstant(alloc.getContext(), 0);
  if (!SizeOrder::isMultiple(place.begin, kArenaAlignment) ||
      !order.isAtMost(start, place.begin))
    return alloc.emitOpError("is at byte ")
           << place.begin.str() << " of the arena, expected a multiple of "
           << kArenaAlignment;
  if (!order.isAtMost(place.end, arena))
    return alloc.emitOpError("ends at byte ")
           << place.end.str() << " of an arena of " << arena.str();
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// When each buffer is read for the last time, itself or by a view.
void MemoryVerifier::noteReads() {
  unsigned index = 0;
  for (Operation &op : function.getBody().front()) {
    ++index;
    for (OpOperand &use : op.getOpOperands()) {
      Value value = use.get();
      bool isWritten = writesOperand(use);
      Value root = getRoot(value);
      if (isWritten && root.getDefiningOp<SlotOp>())
        writtenSlots.insert(root);
      // A call reads what it writes.
      if ((isWritten && !isa<CallOp>(op)) ||
          isa<ReleaseOp, ViewOp, SymbolOp>(op))
        continue;
      for (Value at = value;; at = at.getDefiningOp<ViewOp>().getBase()) {
        lastRead[at] = index;
        if (!at.getDefiningOp<ViewOp>())
          break;
      }
    }
  }
}

LogicalResult MemoryVerifier::read(Operation *op, Value value) {
  Value at = value;
  while (contents[at].state == Contents::OfBase)
    at = at.getDefiningOp<ViewOp>().getBase();
  Contents found = contents[at];
  if (found.state == Contents::Something)
    return success();
  unsigned number = llvm::find(op->getOperands(), value).getIndex();
  InFlightDiagnostic error = op->emitOpError("reads operand ") << number;
  if (found.state == Contents::Nothing)
    error << " before anything is written into it";
  else if (found.state == Contents::Released)
    error << " after its release";
  else
    error << " after something else was written over it";
  if (found.by)
    error.attachNote(found.by->getLoc())
        << (found.state == Contents::Released ? "it is released here"
                                              : "this writes to the same bytes");
  return error;
}

void MemoryVerifier::define(Value value, decltype(Contents::state) state) {
  contents[value] = {state, nullptr};
  auto last = lastRead.find(value);
  if (last == lastRead.end() || last->second <= now)
    return;
  auto &others = live[places[value].storage];
  if (!llvm::is_contained(others, value))
    others.push_back(value);
}

/// What `value` holds from now on is what `op` has written.
LogicalResult MemoryVerifier::write(Operation *op, Value value) {
  const Place &place = places[value];
  if (place.storage && place.storage.getDefiningOp<GetOp>()) {
    unsigned number = llvm::find(op->getOperands(), value).getIndex();
    return op->emitOpError("writes operand ")
           << number << ", which is a constant of the package";
  }
  auto &others = live[place.storage];
  llvm::erase_if(others, [&](Value other) {
    if (other == value)
      return false;
    if (lastRead.lookup(other) <= now)
      return true; // nobody misses it
    // A view without contents of its own sees those of its base.
    if (contents[other].state == Contents::OfBase ||
        !meet(places[other], place))
      return false;
    contents[other] = {Contents::Overwritten, op};
    return true;
  });
  if (writtenSlots.contains(place.storage))
    for (auto &[other, slots] : slotsBehind)
      if (llvm::is_contained(slots, place.storage) &&
          contents[other].state == Contents::Something)
        contents[other] = {Contents::Overwritten, op};
  define(value, Contents::Something);
  return success();
}

LogicalResult MemoryVerifier::visitLaunch(LaunchOp launch) {
  ArrayRef<bool> writes = launch.getWrites();
  ArrayRef<int64_t> pairs = launch.getOverwrites().value_or(ArrayRef<int64_t>());
  auto mayOverwrite = [&](size_t to, size_t from) {
    for (size_t i = 0; i < pairs.size(); i += 2)
      if (size_t(pairs[i]) == to && size_t(pairs[i + 1]) == from)
        return true;
    return false;
  };
  OperandRange buffers = launch.getBuffers();
  // By storage: a joined launch has thousands.
  llvm::DenseMap<Value, SmallVector<size_t>> byStorage;
  for (auto [k, buffer] : llvm::enumerate(buffers)) {
    if (!writes[k] && failed(read(launch, buffer)))
      return failure();
    byStorage[places[buffer].storage].push_back(k);
  }
  for (auto [to, buffer] : llvm::enumerate(buffers)) {
    if (!writes[to])
      continue;
    const Place &place = places[buffer];
    for (size_t other : byStorage[place.storage]) {
      const Place &otherPlace = places[buffers[other]];
      if (other == to || !meet(place, otherPlace))
        continue;
      if (writes[other])
        return launch.emitOpError("writes operands ")
               << std::min(to, other) << " and " << std::max(to, other)
               << " to the same bytes";
      if (!place.is(otherPlace) || !mayOverwrite(to, other))
        return launch.emitOpError("writes operand ")
               << to << " over operand " << other
               << ", which it reads at the same time";
    }
  }
  for (auto [k, buffer] : llvm::enumerate(buffers))
    if (writes[k] && failed(write(launch, buffer)))
      return failure();
  return success();
}

/// What a call returns may be a view of what it was given.
void MemoryVerifier::defineResults(Operation *op) {
  SmallVector<Value> slots;
  for (Value operand : op->getOperands()) {
    if (Value storage = places[operand].storage;
        writtenSlots.contains(storage))
      slots.push_back(storage);
    llvm::append_range(slots, slotsBehind.lookup(operand));
  }
  for (Value result : op->getResults()) {
    if (isa<NoneType>(result.getType()))
      continue;
    Place &place = places[result];
    place = {result, {}, {}};
    define(result, Contents::Something);
    if (!slots.empty() && lastRead.lookup(result) > now)
      slotsBehind[result] = slots;
  }
}

LogicalResult MemoryVerifier::visit(Operation &op) {
  if (isa<SlotOp, GetOp, AllocOp, ViewOp>(op)) {
    Value value = op.getResult(0);
    if (isa<BufferType>(value.getType()))
      places[value] = getPlace(value);
    else
      places[value] = {value, {}, {}};
    define(value, isa<ViewOp>(op)    ? Contents::OfBase
                  : isa<AllocOp>(op) ? Contents::Nothing
                                     : Contents::Something);
    if (auto alloc = dyn_cast<AllocOp>(op))
      return verifyArena(alloc, places[value]);
    return success();
  }
  if (auto launch = dyn_cast<LaunchOp>(op))
    return visitLaunch(launch);
  if (auto copy = dyn_cast<CopyOp>(op)) {
    if (failed(read(copy, copy.getSource())))
      return failure();
    return write(copy, copy.getTarget());
  }
  if (auto release = dyn_cast<ReleaseOp>(op)) {
    for (Value value : release.getValues())
      contents[value] = {Contents::Released, release};
    return success();
  }
  if (isa<SymbolOp>(op))
    return success();
  for (Value value : op.getOperands())
    if (failed(read(&op, value)))
      return failure();
  defineResults(&op);
  return success();
}

LogicalResult MemoryVerifier::run() {
  noteSizes();
  noteReads();
  for (Operation &op : function.getBody().front()) {
    ++now;
    if (failed(visit(op)))
      return failure();
  }
  return success();
}

LogicalResult program::verifyMemory(FuncOp function) {
  return MemoryVerifier(function).run();
}
