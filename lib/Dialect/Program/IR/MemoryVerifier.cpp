//===- MemoryVerifier.cpp - What is read is what was written --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a program as the runtime does and follows the contents of each buffer.
// A step that writes takes away what other buffers hold in the same bytes; a
// step that reads what was taken away is an error. That is the same as asking
// that the lives of buffers which overlap do not, and needs no lives. Two
// buffers are apart where that is shown for all values of the symbols
// (SizeOrder.h).
//
// A buffer may be written by its parts, which views of it are. It holds what
// they do once they have all of its elements:
//
//   %r = program.alloc : !program.buffer<[4, 24], f32>
//   %a = program.view %r offset 0 : ... to [4, 8], strides = [24, 1]
//   %b = program.view %r offset 8 : ... to [4, 16], strides = [24, 1]
//
// Their bytes are between each other's; they are apart as columns of the rows
// of 24.
//
//===----------------------------------------------------------------------===//

#include "Writes.h"

#include "kiln/Base/CheckedMath.h"
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
  BufferType gaps =
      {}; ///< of elements that do not fill these bytes; null if they do

  bool isKnown() const { return bool(begin); }
  bool isEmpty() const { return isKnown() && begin == end; }
  bool is(const Place &other) const {
    return isKnown() && storage == other.storage && begin == other.begin &&
           end == other.end && gaps == other.gaps;
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
  bool isAssembled(Value value);
  LogicalResult read(Operation *op, Value value);
  LogicalResult write(Operation *op, Value value);
  void define(Value value, decltype(Contents::state) state);
  void defineResults(Operation *op);

  FuncOp function;
  SizeOrder order;
  llvm::DenseMap<Value, Place> places;
  llvm::DenseMap<Value, Contents> contents;
  /// Views that have been written since all of the buffer was.
  llvm::DenseMap<Value, SmallVector<Value>> parts;
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

static int64_t getItemBytes(BufferType type) {
  auto item = BufferType::get(type.getContext(), {}, type.getElementType(), {});
  return *item.getByteSize()->getConstant();
}

/// The bytes of all elements, without those between them.
static guard::ExprAttr getOwnBytes(Value buffer) {
  auto type = cast<BufferType>(buffer.getType());
  return guard::getNumElements(type.getContext(), type.getSizes()) *
         getItemBytes(type);
}

/// The bytes from the first to the last element of a buffer with gaps.
static guard::ExprAttr getSpan(BufferType type) {
  guard::ExprAttr last = guard::getConstant(type.getContext(), 0);
  for (auto [size, stride] :
       llvm::zip_equal(type.getSizes(), type.getStrides()))
    last = last + (size + -1) * stride;
  return (last + 1) * getItemBytes(type);
}

/// True if no two elements of a buffer with gaps are one.
static bool hasApartElements(BufferType type) {
  SmallVector<std::pair<int64_t, guard::ExprAttr>> steps;
  for (auto [size, stride] :
       llvm::zip_equal(type.getSizes(), type.getStrides())) {
    if (size.isConstant(1))
      continue;
    auto step = stride.getConstant();
    if (!step)
      return false;
    steps.push_back({*step, size});
  }
  llvm::sort(steps, llvm::less_first());
  std::optional<int64_t> reach =
      0; // the last element that smaller steps lead to
  for (auto [step, size] : steps) {
    if (!reach || step <= *reach)
      return false;
    auto count = size.getConstant();
    auto more = count ? checkedMul(*count - 1, step) : std::nullopt;
    reach = more ? checkedAdd(*reach, *more) : std::nullopt;
  }
  return true;
}

/// The bytes from the first to the last element of a row, if each dimension is
/// one of rows, which are `pitch` bytes apart or several times that, or one
/// within a row.
static std::optional<int64_t> getRowSpan(BufferType type, int64_t pitch) {
  int64_t item = getItemBytes(type);
  std::optional<int64_t> span = item;
  for (auto [size, stride] :
       llvm::zip_equal(type.getSizes(), type.getStrides())) {
    guard::ExprAttr step = stride * item;
    if (size.isConstant(1) || SizeOrder::isMultiple(step, pitch))
      continue;
    auto count = size.getConstant(), bytes = step.getConstant();
    if (!count || *count < 1 || !bytes || *bytes < 0)
      return std::nullopt;
    auto more = checkedMul(*count - 1, *bytes);
    span = more ? checkedAdd(*span, *more) : std::nullopt;
    if (!span)
      return std::nullopt;
  }
  return span;
}

/// True if buffers with gaps lie in columns of their own of rows that are as
/// long as a step of one of them: `a` goes from its beginning to that of `b` at
/// most, and `b` to the end of the row that began with `a`.
static bool haveOwnColumns(const Place &a, const Place &b) {
  if (!a.gaps || !b.gaps)
    return false;
  auto between = (b.begin - a.begin).getConstant();
  int64_t item = getItemBytes(a.gaps);
  return between &&
         llvm::any_of(a.gaps.getStrides(), [&](guard::ExprAttr stride) {
           auto pitch = (stride * item).getConstant();
           if (!pitch || *pitch < 1)
             return false;
           auto first = getRowSpan(a.gaps, *pitch),
                second = getRowSpan(b.gaps, *pitch);
           int64_t column = (*between % *pitch + *pitch) % *pitch;
           return first && second && *first <= column &&
                  *second <= *pitch - column;
         });
}

/// True unless it can be shown that no byte is in both, whatever the symbols.
bool MemoryVerifier::meet(const Place &a, const Place &b) {
  if (a.storage != b.storage || a.isEmpty() || b.isEmpty())
    return false;
  if (!a.isKnown() || !b.isKnown())
    return true;
  return !order.isAtMost(a.end, b.begin) && !order.isAtMost(b.end, a.begin) &&
         !haveOwnColumns(a, b);
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
  auto type = cast<BufferType>(buffer.getType());
  auto size = type.getByteSize();
  // What has gaps by itself is what somebody brings.
  if (!place.isKnown() || (!size && !isa<ViewOp>(op))) {
    place.begin = place.end = {};
    return place;
  }
  place.gaps = size ? BufferType() : type;
  place.begin = place.begin + getOffset(op);
  place.end = place.begin + (size ? *size : getSpan(type));
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

/// When each buffer is read for the last time, itself, by a view, or as a part
/// of another.
void MemoryVerifier::noteReads() {
  unsigned index = 0;
  llvm::DenseMap<Value, SmallVector<Value>> views;
  for (auto view : function.getBody().getOps<ViewOp>())
    views[view.getBase()].push_back(view.getResult());
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
      for (Value view : views.lookup(value))
        lastRead[view] = index;
    }
  }
}

/// True if parts of the buffer that hold what was written are all of it. None
/// of them is over another: what is written takes away what it meets.
bool MemoryVerifier::isAssembled(Value value) {
  auto found = parts.find(value);
  if (found == parts.end())
    return false;
  guard::ExprAttr bytes = guard::getConstant(value.getContext(), 0);
  const Place &whole = places[value];
  for (Value part : found->second) {
    const Place &place = places[part];
    if (contents[part].state == Contents::Something && place.isKnown() &&
        whole.isKnown() && order.isAtMost(whole.begin, place.begin) &&
        order.isAtMost(place.end, whole.end) &&
        (!place.gaps || hasApartElements(place.gaps)))
      bytes = bytes + getOwnBytes(part);
  }
  return bytes == getOwnBytes(value);
}

LogicalResult MemoryVerifier::read(Operation *op, Value value) {
  Value at = value;
  for (;; at = at.getDefiningOp<ViewOp>().getBase()) {
    if (isAssembled(at))
      return success();
    if (contents[at].state != Contents::OfBase)
      break;
  }
  Contents found = contents[at];
  if (found.state == Contents::Something)
    return success();
  unsigned number = llvm::find(op->getOperands(), value).getIndex();
  InFlightDiagnostic error = op->emitOpError("reads operand ") << number;
  if (parts.count(at))
    return error << ", of which parts have not been written or are gone";
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
  parts.erase(value);
  // What is all of its base is no part: the base are the contents before.
  auto view = value.getDefiningOp<ViewOp>();
  if (view && getOwnBytes(value) != getOwnBytes(view.getBase()))
    if (auto &written = parts[view.getBase()];
        !llvm::is_contained(written, value))
      written.push_back(value);
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
