//===- Frame.cpp - Expressions and values of a call ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"
#include "DeviceCopy.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Runtime/Element.h"

namespace kiln::runtime {

using package::Cell;
using package::ExprFailure;
using package::ExprId;
using package::kNone;
using package::Value;
using package::ValueId;

namespace {

constexpr int64_t kBufferAlignment = 64;

/// Bytes that the address of an element must be a multiple of.
size_t alignmentOf(DType dtype) {
  return isComplex(dtype) ? itemSize(dtype) / 2 : itemSize(dtype);
}

std::string listText(const std::vector<int64_t> &list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + std::to_string(list[i]);
  return text + "]";
}

/// The slots that values are; empty without any.
std::vector<bool> slotsOf(const package::Program &program,
                          const std::vector<ValueId> &values) {
  std::vector<bool> slots(values.empty() ? 0 : program.slots.size());
  for (ValueId id : values)
    slots[program.values[id].slot] = true;
  return slots;
}

} // namespace

ProgramRunner::Frame::Frame(ProgramRunner &runner)
    : runner_(runner), program_(runner.program_), plan_(*runner.plan_),
      known_(slotsOf(program_, plan_.updated)),
      symbols_(program_.symbols.size()), newSymbols_(program_.symbols.size()),
      cells_(program_.exprs.size()), entries_(program_.values.size()),
      kept_(program_.values.size()), phases_(plan_.mostLaunches),
      launches_(plan_.mostLaunches), pointers_(plan_.mostBuffers),
      arguments_(plan_.mostArguments) {}

// --- Expressions -----------------------------------------------------------

Status ProgramRunner::Frame::cell(ExprId id, Cell &value) {
  Cell &known = cells_[id];
  if (!known.defined()) {
    ExprFailure failure =
        package::evaluate(program_.exprs[id], symbols_.data(), known);
    if (failure != ExprFailure::None) {
      known = Cell();
      return Error::guard(
          "expression '" +
          package::printExpr(program_.exprs[id], program_.symbols) +
          "': " + package::describe(failure));
    }
  }
  value = known;
  return Status::success();
}

Status ProgramRunner::Frame::integer(ExprId id, int64_t &value) {
  const Cell &known = cells_[id];
  if (known.isInteger()) {
    value = known.integer;
    return Status::success();
  }
  Cell evaluated;
  if (Status s = cell(id, evaluated); !s)
    return s;
  if (!evaluated.isInteger())
    return Error::malformed(
        "expression '" +
        package::printExpr(program_.exprs[id], program_.symbols) +
        "': expected an integer, found a float");
  value = evaluated.integer;
  return Status::success();
}

Status ProgramRunner::Frame::integers(const std::vector<ExprId> &ids,
                                      std::vector<int64_t> &values) {
  values.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i)
    if (Status s = integer(ids[i], values[i]); !s)
      return s;
  return Status::success();
}

OpValue ProgramRunner::Frame::exprValue(ExprId id, const Cell &cell) const {
  if (!cell.isInteger())
    return cell.real;
  if (plan_.conditionExpr[id])
    return cell.integer != 0;
  return cell.integer;
}

// --- Values ----------------------------------------------------------------

ProgramRunner::Frame::Entry &ProgramRunner::Frame::touch(ValueId id) {
  touched_.push_back(id);
  return entries_[id];
}

void ProgramRunner::Frame::setOwn(ValueId id, Tensor tensor) {
  Entry &entry = touch(id);
  entry.own = std::move(tensor);
  entry.tensor = &std::get<Tensor>(entry.own.value);
  entry.set = true;
}

/// Whether a call has a copy in place of what it was given for a slot.
bool ProgramRunner::Frame::isCopied(ValueId slot) const {
  return entries_[slot].own.isTensor();
}

/// Whether the next call finds a value, which is no view, where this one has it, unless
/// something is found to be another: the arena, an input, what is prepared.
bool ProgramRunner::Frame::staysAt(ValueId root) const {
  switch (program_.values[root].kind) {
  case Value::Kind::Arena:
    return true;
  case Value::Kind::Slot:
  case Value::Kind::Constant:
    return !isCopied(root);
  case Value::Kind::Prepared:
    return prepared_ && prepared_->tensors[root].defined();
  default:
    return false;
  }
}

void ProgramRunner::Frame::forget(ValueId id) {
  const bool stays = staysAt(plan_.root[id]);
  auto clear = [&](ValueId value) {
    Entry &entry = entries_[value];
    if (!entry.set)
      return;
    entry.own = OpValue();
    entry.tensor = nullptr;
    entry.set = false;
    entry.laidOut = false;
    if (!stays || plan_.lateValue[value])
      entry.pointer = nullptr;
  };
  clear(id);
  for (ValueId view : plan_.viewsOf[id])
    clear(view);
}

void ProgramRunner::Frame::forgetPointers(const std::vector<ValueId> &values) {
  for (ValueId id : values)
    entries_[id].pointer = nullptr;
}

void ProgramRunner::Frame::reset() {
  for (ValueId id : touched_)
    forget(id);
  touched_.clear();
  prepared_.reset();
  preparing_.reset();
  if (options_.arena)
    arena_.reset();
  inputs_ = nullptr;
}

Status
ProgramRunner::Frame::layoutOf(ValueId id,
                               std::shared_ptr<const TensorLayout> &layout) {
  layout = entries_[id].layout;
  if (layout)
    return Status::success();
  const Value &value = program_.values[id];
  auto made = std::make_shared<TensorLayout>();
  if (Status s = integers(value.sizes, made->sizes); !s)
    return s;
  auto count = elementCount(made->sizes);
  if (!count)
    return count.takeError();
  if (value.strides.empty())
    made->strides = rowMajorStrides(made->sizes);
  else if (Status s = integers(value.strides, made->strides); !s)
    return s;
  layout = std::move(made);
  if (!plan_.lateValue[id])
    entries_[id].layout = layout;
  return Status::success();
}

Status ProgramRunner::Frame::makeArena(ValueId id) {
  const Value &value = program_.values[id];
  std::shared_ptr<const TensorLayout> layout;
  if (Status s = layoutOf(id, layout); !s)
    return s;
  int64_t offset = 0;
  if (Status s = integer(value.offset, offset); !s)
    return s;
  if (offset < 0 || offset % kBufferAlignment != 0)
    return Error::malformed(
        "value " + std::to_string(id) +
        ": expected an arena offset that is a multiple of " +
        std::to_string(kBufferAlignment) + ", found " + std::to_string(offset));
  auto tensor =
      Tensor::view(arena_, value.dtype, std::move(layout),
                   offset / static_cast<int64_t>(itemSize(value.dtype)));
  if (!tensor)
    return tensor.error().withContext("value " + std::to_string(id) +
                                      " in the arena");
  setOwn(id, std::move(*tensor));
  return Status::success();
}

Status ProgramRunner::Frame::makeNew(ValueId id) {
  const Value &value = program_.values[id];
  std::shared_ptr<const TensorLayout> layout;
  if (Status s = layoutOf(id, layout); !s)
    return s;
  auto extent = storageExtent(value.dtype, layout->sizes, layout->strides, 0);
  if (!extent)
    return extent.error().withContext("value " + std::to_string(id));
  size_t bytes = static_cast<size_t>(*extent);
  std::vector<std::shared_ptr<Storage>> &all =
      options_.outputs ? *options_.outputs : kept_;
  if (all.size() <= id)
    all.resize(program_.values.size());
  std::shared_ptr<Storage> &kept = all[id];
  std::shared_ptr<Storage> storage;
  if (options_.reuseOutputs && kept && kept.use_count() == 1 &&
      kept->bytes() == bytes) {
    storage = kept;
  } else {
    auto fresh = allocateOn(device(), bytes);
    if (!fresh)
      return fresh.takeError();
    storage = std::move(*fresh);
    kept = options_.reuseOutputs ? storage : nullptr;
  }
  auto tensor =
      Tensor::view(std::move(storage), value.dtype, std::move(layout), 0);
  if (!tensor)
    return tensor.error().withContext("value " + std::to_string(id));
  setOwn(id, std::move(*tensor));
  return Status::success();
}

Status ProgramRunner::Frame::makeView(ValueId id) {
  const Value &value = program_.values[id];
  const Tensor *base = nullptr;
  if (Status s = laidOut(value.base, base); !s)
    return s;
  std::shared_ptr<const TensorLayout> layout;
  if (Status s = layoutOf(id, layout); !s)
    return s;
  int64_t offset = 0;
  if (value.offset != kNone)
    if (Status s = integer(value.offset, offset); !s)
      return s;
  int64_t item = static_cast<int64_t>(itemSize(value.dtype));
  int64_t start =
      base->storageOffset() * static_cast<int64_t>(itemSize(base->dtype()));
  if (start % item != 0)
    return Error::unsupported(
        "value " + std::to_string(id) + ": a view as " +
        std::string(dtypeName(value.dtype)) + " starts at byte " +
        std::to_string(start) + ", expected a multiple of " +
        std::to_string(item));
  auto first = checkedAdd(start / item, offset);
  if (!first)
    return Error::malformed("value " + std::to_string(id) +
                            ": the offset overflows");
  auto tensor =
      Tensor::view(base->storage(), value.dtype, std::move(layout), *first);
  if (!tensor)
    return tensor.error().withContext("value " + std::to_string(id));
  setOwn(id, std::move(*tensor));
  return Status::success();
}

Status ProgramRunner::Frame::tensor(ValueId id, const Tensor *&tensor) {
  const Value &value = program_.values[id];
  Entry &entry = entries_[id];
  if (!entry.set) {
    switch (value.kind) {
    case Value::Kind::Slot: {
      const Tensor *input =
          std::get_if<Tensor>(&(*inputs_)[value.slot].value);
      if (!input || !input->defined())
        input = &plan_.stored[value.slot];
      if (!input || !input->defined()) {
        touch(id).own = (*inputs_)[value.slot];
        entry.set = true;
        break;
      }
      touch(id).tensor = input;
      entry.set = true;
      break;
    }
    case Value::Kind::Constant:
      touch(id).tensor = &plan_.constants[value.slot];
      entry.set = true;
      break;
    case Value::Kind::Arena:
      if (Status s = makeArena(id); !s)
        return s;
      break;
    case Value::Kind::New:
      if (Status s = makeNew(id); !s)
        return s;
      break;
    case Value::Kind::View:
      if (Status s = makeView(id); !s)
        return s;
      break;
    case Value::Kind::Prepared:
      if (Status s = makePrepared(id); !s)
        return s;
      break;
    case Value::Kind::Dynamic:
      return Error::internal("value " + std::to_string(id) +
                             " is used before it is defined");
    }
  }
  if (!entry.tensor)
    return Error::malformed("value " + std::to_string(id) +
                            ": expected a tensor, found " +
                            (entry.own.isNone() ? "nothing" : "a number"));
  tensor = entry.tensor;
  return Status::success();
}

Status ProgramRunner::Frame::checkLayout(ValueId id, const Tensor &tensor,
                                         const TensorLayout &layout,
                                         bool &fits) const {
  const Value &value = program_.values[id];
  fits =
      reinterpret_cast<uintptr_t>(tensor.data()) % alignmentOf(value.dtype) ==
      0;
  if (tensor.dtype() == value.dtype && tensor.sizes() == layout.sizes &&
      tensor.strides() == layout.strides)
    return Status::success();
  std::string name = value.kind == Value::Kind::Slot
                         ? "tensor '" + program_.slots[value.slot].name + "'"
                         : "value " + std::to_string(id);
  if (tensor.dtype() != value.dtype || tensor.sizes() != layout.sizes)
    return Error::guard(
        name + ": expected " + std::string(dtypeName(value.dtype)) +
        listText(layout.sizes) + ", found " + tensor.typeString());
  if (tensor.numel() == 0)
    return Status::success();
  for (size_t i = 0; i < layout.sizes.size(); ++i) {
    if (layout.sizes[i] == 1 || tensor.strides()[i] == layout.strides[i])
      continue;
    if (layout.strides[i] == 0)
      return Error::guard(name + " stride mismatch at index " +
                          std::to_string(i) + ". expected 0, actual " +
                          std::to_string(tensor.strides()[i]));
    fits = false;
  }
  return Status::success();
}

Status ProgramRunner::Frame::laidOut(ValueId id, const Tensor *&result) {
  if (Status s = tensor(id, result); !s)
    return s;
  Entry &entry = entries_[id];
  Value::Kind kind = program_.values[id].kind;
  if (entry.laidOut)
    return Status::success();
  entry.laidOut = true;
  if (kind == Value::Kind::Arena || kind == Value::Kind::New ||
      kind == Value::Kind::View || kind == Value::Kind::Prepared)
    return Status::success();
  if (result->storage()->device() != device()) {
    auto there = device() ? result->toDevice(*device()) : result->toHost();
    if (!there)
      return there.takeError();
    entry.own = std::move(*there);
    entry.tensor = result = &std::get<Tensor>(entry.own.value);
  }
  std::shared_ptr<const TensorLayout> layout;
  if (Status s = layoutOf(id, layout); !s)
    return s;
  bool fits = true;
  if (Status s = checkLayout(id, *result, *layout, fits); !s || fits)
    return s;
  auto extent =
      storageExtent(result->dtype(), layout->sizes, layout->strides, 0);
  if (!extent)
    return extent.takeError();
  auto storage = allocateOn(device(), static_cast<size_t>(*extent), "inputs");
  if (!storage)
    return storage.takeError();
  auto copy =
      Tensor::view(std::move(*storage), result->dtype(), std::move(layout), 0);
  if (!copy)
    return copy.takeError();
  if (Status s = copyElements(*result, *copy); !s)
    return s;
  if (options_.stats)
    ++options_.stats->layoutCopies;
  entry.own = std::move(*copy);
  entry.tensor = &std::get<Tensor>(entry.own.value);
  result = entry.tensor;
  return Status::success();
}

Status ProgramRunner::Frame::pointer(ValueId id, void *&pointer) {
  Entry &entry = entries_[id];
  if (!entry.pointer) {
    const Tensor *laid = nullptr;
    if (Status s = laidOut(id, laid); !s)
      return s;
    entry.pointer = laid->data();
  }
  pointer = entry.pointer;
  return Status::success();
}

Status ProgramRunner::Frame::number(ValueId id, OpValue &value) {
  const Entry &entry = entries_[id];
  if (entry.set && entry.own.isNumber()) {
    value = entry.own;
    return Status::success();
  }
  const Tensor *held = nullptr;
  if (Status s = tensor(id, held); !s) {
    const OpValue &own = entries_[id].own;
    if (!own.isNumber())
      return s;
    value = own;
    return Status::success();
  }
  auto item = itemOf(*held);
  if (!item)
    return item.error().withContext("value " + std::to_string(id));
  value = std::move(*item);
  return Status::success();
}

Status ProgramRunner::Frame::assign(ValueId id, OpValue value) {
  auto *given = std::get_if<Tensor>(&value.value);
  if (program_.values[id].kind == Value::Kind::Dynamic) {
    forget(id);
    Entry &entry = touch(id);
    bool undefined = given && !given->defined();
    entry.own = undefined ? OpValue() : std::move(value);
    entry.tensor = std::get_if<Tensor>(&entry.own.value);
    entry.set = true;
    return Status::success();
  }
  if (!given)
    return Error::internal("value " + std::to_string(id) +
                           ": expected a tensor");
  const Tensor *target = nullptr;
  if (Status s = tensor(id, target); !s)
    return s;
  return copyElements(*given, *target);
}

} // namespace kiln::runtime
