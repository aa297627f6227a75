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
// the lives of buffers which overlap do not, and needs no lives.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/IR/Program.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

namespace {

/// Bytes of some storage, for one choice of values of the symbols.
struct Bytes {
  int64_t begin = 0, end = 0;
  bool meets(Bytes other) const {
    return begin < other.end && other.begin < end;
  }
  bool operator==(Bytes other) const {
    return begin == other.begin && end == other.end;
  }
};

/// Where a buffer is: the storage, by the slot or step that brings it (null: the
/// arena), and its bytes for each choice.
struct Place {
  Value storage;
  SmallVector<Bytes, 1> bytes;
  bool isKnown = true; ///< else all of the storage

  bool meets(const Place &other) const {
    if (storage != other.storage)
      return false;
    if (!isKnown || !other.isKnown)
      return true;
    return llvm::any_of(llvm::zip_equal(bytes, other.bytes), [](auto pair) {
      return std::get<0>(pair).meets(std::get<1>(pair));
    });
  }
  bool is(const Place &other) const {
    return storage == other.storage && isKnown && other.isKnown &&
           bytes == other.bytes;
  }
};

/// What a buffer holds.
struct Contents {
  enum { Nothing, Something, OfBase, Overwritten, Released } state = Nothing;
  Operation *by = nullptr; ///< the step that overwrote or released it
};

/// One choice of values of the symbols.
using Choice = llvm::DenseMap<guard::ExprAttr, int64_t>;

class MemoryVerifier {
public:
  explicit MemoryVerifier(FuncOp function) : function(function) {}
  LogicalResult run();

private:
  void chooseSymbols();
  bool tryChoice(Choice choice);
  std::optional<int64_t> evaluate(guard::ExprAttr expr, Choice &choice);
  std::optional<int64_t> getOffset(Operation *op, Choice &choice);

  Place getPlace(Value buffer);
  LogicalResult verifyArena(AllocOp alloc, const Place &place);
  void noteReads();

  LogicalResult visit(Operation &op);
  LogicalResult visitLaunch(LaunchOp launch);
  LogicalResult read(Operation *op, Value value);
  void write(Operation *op, Value value);
  void define(Value value, decltype(Contents::state) state);
  void defineResults(Operation *op);

  FuncOp function;
  SmallVector<Choice, 3> choices;
  SmallVector<int64_t> arenaBytes; ///< of each choice
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

std::optional<int64_t> MemoryVerifier::evaluate(guard::ExprAttr expr,
                                                Choice &choice) {
  if (auto constant = expr.getConstant())
    return constant;
  if (auto known = choice.find(expr); known != choice.end())
    return known->second;
  auto number = guard::evaluate(
      expr, [&](guard::ExprAttr leaf) -> std::optional<guard::Number> {
        if (leaf.isSymbol() &&
            guard::isFloatSymbolName(leaf.getSymbol().getValue()))
          return guard::Number::of(1.0);
        auto known = choice.find(leaf);
        if (known == choice.end())
          return std::nullopt;
        return guard::Number::of(known->second);
      });
  if (!number || number->isFloat)
    return std::nullopt;
  choice[expr] = number->integer;
  return number->integer;
}

/// The first byte of a buffer in the arena or in its base.
std::optional<int64_t> MemoryVerifier::getOffset(Operation *op,
                                                 Choice &choice) {
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    if (!alloc.getPlaceAttr())
      return 0;
    return evaluate(alloc.getPlaceAttr(), choice);
  }
  auto view = cast<ViewOp>(op);
  guard::ExprAttr size =
      BufferType::get(op->getContext(), {}, view.getType().getElementType(), {})
          .getByteSize()
          .value();
  return evaluate(view.getOffset() * size, choice);
}

/// Takes values of the symbols if every buffer can exist with them.
bool MemoryVerifier::tryChoice(Choice choice) {
  int64_t bytes = 0;
  if (guard::ExprAttr arena = function.getArenaAttr()) {
    auto known = evaluate(arena, choice);
    if (!known || *known < 0)
      return false;
    bytes = *known;
  }
  for (Operation &op : function.getBody().front()) {
    if (!isa<AllocOp, ViewOp>(op))
      continue;
    for (guard::ExprAttr size :
         cast<BufferType>(op.getResult(0).getType()).getSizes())
      if (auto known = evaluate(size, choice); !known || *known < 0)
        return false;
    auto size = cast<BufferType>(op.getResult(0).getType()).getByteSize();
    if (!getOffset(&op, choice) || (size && !evaluate(*size, choice)))
      return false;
  }
  choices.push_back(std::move(choice));
  arenaBytes.push_back(bytes);
  return true;
}

void MemoryVerifier::chooseSymbols() {
  // Coprime steps, so that sizes differ that are not the same.
  constexpr int64_t kFirst[] = {2, 11, 640}, kStep[] = {1, 13, 127};
  bool isSymbolic = false;
  for (auto [first, step] : llvm::zip_equal(kFirst, kStep)) {
    Choice choice;
    int64_t value = first;
    for (auto symbol : function.getBody().getOps<SymbolOp>()) {
      isSymbolic = true;
      choice[guard::getSymbol(function.getContext(), symbol.getName())] =
          std::max(int64_t(symbol.getMin()),
                   std::min(int64_t(symbol.getMax()), value));
      value += step;
    }
    tryChoice(std::move(choice));
    if (!isSymbolic)
      return;
  }
}

Place MemoryVerifier::getPlace(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  auto alloc = dyn_cast<AllocOp>(op);
  auto view = dyn_cast<ViewOp>(op);
  Place place;
  if (view)
    place = places[view.getBase()];
  else
    place.storage = alloc && alloc.getPlaceAttr() ? Value() : buffer;
  auto size = cast<BufferType>(buffer.getType()).getByteSize();
  place.isKnown &= size.has_value();
  place.bytes.resize(choices.size());
  for (auto [bytes, choice] : llvm::zip_equal(place.bytes, choices)) {
    if (!place.isKnown)
      continue;
    // What a slot or a call brings is as large as it is.
    auto offset = isa<AllocOp, ViewOp>(op) ? getOffset(op, choice)
                                           : std::optional<int64_t>(0);
    auto count = evaluate(*size, choice);
    place.isKnown &= offset && count;
    if (!place.isKnown)
      continue;
    bytes.begin += *offset;
    bytes.end = bytes.begin + *count;
  }
  return place;
}

LogicalResult MemoryVerifier::verifyArena(AllocOp alloc, const Place &place) {
  if (!alloc.getPlaceAttr())
    return success();
  if (!function.getArenaAttr())
    return alloc.emitOpError("is in the arena of '")
           << function.getSymName() << "', which has none";
  for (auto [bytes, size] : llvm::zip_equal(place.bytes, arenaBytes)) {
    if (!place.isKnown)
      continue;
    if (bytes.begin < 0 || bytes.begin % kArenaAlignment != 0)
      return alloc.emitOpError("is at byte ")
             << bytes.begin << " of the arena, expected a multiple of "
             << kArenaAlignment;
    if (bytes.end > size)
      return alloc.emitOpError("ends at byte ")
             << bytes.end << " of an arena of " << size;
  }
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
    auto launch = dyn_cast<LaunchOp>(op);
    auto copy = dyn_cast<CopyOp>(op);
    for (auto [k, value] : llvm::enumerate(op.getOperands())) {
      bool isWritten = launch ? launch.getWrites()[k]
                              : copy && value == copy.getTarget();
      Value root = value;
      while (auto view = root.getDefiningOp<ViewOp>())
        root = view.getBase();
      if (isWritten && root.getDefiningOp<SlotOp>())
        writtenSlots.insert(root);
      if (isWritten || isa<ReleaseOp, ViewOp, SymbolOp>(op))
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
void MemoryVerifier::write(Operation *op, Value value) {
  const Place &place = places[value];
  auto &others = live[place.storage];
  llvm::erase_if(others, [&](Value other) {
    if (other == value)
      return false;
    if (lastRead.lookup(other) <= now)
      return true; // nobody misses it
    // A view without contents of its own sees those of its base.
    if (contents[other].state == Contents::OfBase ||
        !places[other].meets(place))
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
      if (other == to || !place.meets(otherPlace))
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
    if (writes[k])
      write(launch, buffer);
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
    place.storage = result;
    place.isKnown = false;
    define(result, Contents::Something);
    if (!slots.empty() && lastRead.lookup(result) > now)
      slotsBehind[result] = slots;
  }
}

LogicalResult MemoryVerifier::visit(Operation &op) {
  if (isa<SlotOp>(op) || isa<AllocOp, ViewOp>(op)) {
    Value value = op.getResult(0);
    if (isa<BufferType>(value.getType()))
      places[value] = getPlace(value);
    else
      places[value] = {value, {}, false};
    define(value, isa<SlotOp>(op)   ? Contents::Something
                  : isa<ViewOp>(op) ? Contents::OfBase
                                    : Contents::Nothing);
    if (auto alloc = dyn_cast<AllocOp>(op))
      return verifyArena(alloc, places[value]);
    return success();
  }
  if (auto launch = dyn_cast<LaunchOp>(op))
    return visitLaunch(launch);
  if (auto copy = dyn_cast<CopyOp>(op)) {
    if (failed(read(copy, copy.getSource())))
      return failure();
    write(copy, copy.getTarget());
    return success();
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
  chooseSymbols();
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
