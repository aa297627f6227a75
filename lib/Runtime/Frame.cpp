//===- Frame.cpp - Expressions and values of a call ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"
#include "DeviceCopy.h"
#include "InputText.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Runtime/Element.h"

#include <algorithm>

namespace kiln::runtime {

using package::Cell;
using package::ExprFailure;
using package::ExprId;
using package::kNone;
using package::Slot;
using package::Symbol;
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

} // namespace

ProgramRunner::Frame::Frame(ProgramRunner &runner)
    : runner_(runner), program_(runner.program_), plan_(*runner.plan_),
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

// --- Before the steps ------------------------------------------------------

Status ProgramRunner::Frame::bind() {
  std::string failure;
  if (!bindSymbols(program_, *inputs_, newSymbols_.data(), failure))
    return Error::guard(failure);
  bool same = true;
  for (size_t i = 0; i < symbols_.size(); ++i)
    if (program_.symbols[i].source != Symbol::Source::Step)
      same &= symbols_[i].identical(newSymbols_[i]);
  symbols_ = newSymbols_;
  for (size_t i = 0; i < cells_.size(); ++i)
    if (!same || plan_.lateExpr[i])
      cells_[i] = Cell();
  if (!same)
    for (Entry &entry : entries_) {
      entry.pointer = nullptr;
      entry.fit.data = nullptr;
    }
  for (size_t i = 0; !options_.inputsChecked && i < program_.slots.size(); ++i)
    if (Status s = checkSlot(i); !s)
      return s;
  if (plan_.mutates && options_.writeBack)
    if (Status s = checkWritable(); !s)
      return s;
  if (!plan_.updated.empty() && !mayUpdateInPlace())
    if (Status s = protectUpdated(); !s)
      return s;
  return Status::success();
}

/// False if an input that is written in place shares memory with another, or
/// must keep its contents.
bool ProgramRunner::Frame::mayUpdateInPlace() const {
  if (!options_.writeBack)
    return false;
  std::vector<bool> written(inputs_->size());
  for (ValueId id : plan_.updated)
    written[program_.values[id].slot] = true;
  struct Range {
    const uint8_t *begin, *end;
    bool written;
  };
  std::vector<Range> ranges;
  for (size_t i = 0; i < inputs_->size(); ++i) {
    auto *tensor = std::get_if<Tensor>(&(*inputs_)[i].value);
    if (!tensor || !tensor->defined() || tensor->numel() == 0)
      continue;
    int64_t last = 0;
    for (int64_t dim = 0; dim < tensor->rank(); ++dim)
      last += (tensor->size(dim) - 1) * tensor->stride(dim);
    size_t bytes = static_cast<size_t>(last + 1) * itemSize(tensor->dtype());
    ranges.push_back({tensor->data(), tensor->data() + bytes, written[i]});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  const uint8_t *end = nullptr, *writtenEnd = nullptr;
  for (const Range &range : ranges) {
    if (range.begin < writtenEnd || (range.written && range.begin < end))
      return false;
    end = std::max(end, range.end);
    if (range.written)
      writtenEnd = std::max(writtenEnd, range.end);
  }
  return true;
}

/// Gives what is written in place a copy for this call; the new contents reach
/// the inputs at the end, if at all.
Status ProgramRunner::Frame::protectUpdated() {
  for (ValueId id : plan_.updated) {
    auto *tensor = std::get_if<Tensor>(
        &(*inputs_)[program_.values[id].slot].value);
    if (!tensor || !tensor->defined())
      continue;
    auto copy = tensor->clone();
    if (!copy)
      return copy.takeError();
    if (options_.stats)
      ++options_.stats->copies;
    setOwn(id, std::move(*copy));
  }
  return Status::success();
}

Status ProgramRunner::Frame::checkSlot(size_t index) {
  const Slot &slot = program_.slots[index];
  const OpValue &input = (*inputs_)[index];
  if (!slot.isTensor)
    return Status::success();
  const Tensor *tensor = std::get_if<Tensor>(&input.value);
  if (!tensor || !tensor->defined()) {
    if (package::mayBeLeftOut(slot))
      return Status::success();
    return Error::guard(kindFailure(slot, input));
  }
  if (tensor->dtype() != slot.dtype)
    return Error::guard(dtypeFailure(slot, slot.dtype, tensor->dtype()));
  int64_t rank = static_cast<int64_t>(slot.sizes.size());
  if (tensor->rank() != rank)
    return Error::guard(rankFailure(slot, rank, tensor->rank()));
  for (size_t dim = 0; dim < slot.sizes.size(); ++dim) {
    int64_t expected = 0;
    if (Status s = integer(slot.sizes[dim], expected); !s)
      return s;
    if (tensor->sizes()[dim] != expected)
      return Error::guard(dimFailure(slot, "size", dim, expected,
                                     tensor->sizes()[dim]));
  }
  return Status::success();
}

Status ProgramRunner::Frame::prepareArena() {
  if (program_.arenaBytes == kNone)
    return Status::success();
  int64_t bytes = 0;
  if (Status s = integer(program_.arenaBytes, bytes); !s)
    return s.error().withContext("arena size");
  if (bytes < 0)
    return Error::malformed("arena size: expected at least 0, found " +
                            std::to_string(bytes));
  // Results of an earlier call may lie in the arena; then it is theirs.
  std::shared_ptr<Storage> &kept = options_.arena ? *options_.arena : arena_;
  if (options_.arena)
    arena_.reset();
  size_t needed = static_cast<size_t>(bytes);
  bool fits = kept && kept.use_count() == 1 &&
              (options_.arena ? kept->bytes() >= needed
                              : kept->bytes() == needed);
  if (!fits) {
    kept.reset();
    auto storage = allocateOn(device(), needed, "arena");
    if (!storage)
      return storage.takeError();
    kept = std::move(*storage);
  }
  if (kept->data() != arenaData_)
    for (Entry &entry : entries_)
      entry.pointer = nullptr;
  arena_ = kept;
  arenaData_ = kept->data();
  return Status::success();
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

void ProgramRunner::Frame::forget(ValueId id) {
  auto clear = [&](ValueId value) {
    Entry &entry = entries_[value];
    entry.own = OpValue();
    entry.tensor = nullptr;
    entry.set = false;
    entry.laidOut = false;
    if (!plan_.arenaRooted[value] || plan_.lateValue[value])
      entry.pointer = nullptr;
  };
  clear(id);
  for (ValueId view : plan_.viewsOf[id])
    clear(view);
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

Status ProgramRunner::Frame::layoutOf(const Value &value,
                                      std::vector<int64_t> &sizes,
                                      std::vector<int64_t> &strides) {
  if (Status s = integers(value.sizes, sizes); !s)
    return s;
  auto count = elementCount(sizes);
  if (!count)
    return count.takeError();
  if (value.strides.empty()) {
    strides = rowMajorStrides(sizes);
    return Status::success();
  }
  return integers(value.strides, strides);
}

Status ProgramRunner::Frame::makeArena(ValueId id) {
  const Value &value = program_.values[id];
  std::vector<int64_t> sizes, strides;
  if (Status s = layoutOf(value, sizes, strides); !s)
    return s;
  int64_t offset = 0;
  if (Status s = integer(value.offset, offset); !s)
    return s;
  if (offset < 0 || offset % kBufferAlignment != 0)
    return Error::malformed(
        "value " + std::to_string(id) +
        ": expected an arena offset that is a multiple of " +
        std::to_string(kBufferAlignment) + ", found " + std::to_string(offset));
  auto tensor = Tensor::view(
      arena_, value.dtype, std::move(sizes), std::move(strides),
      offset / static_cast<int64_t>(itemSize(value.dtype)));
  if (!tensor)
    return tensor.error().withContext("value " + std::to_string(id) +
                                      " in the arena");
  setOwn(id, std::move(*tensor));
  return Status::success();
}

Status ProgramRunner::Frame::makeNew(ValueId id) {
  const Value &value = program_.values[id];
  std::vector<int64_t> sizes, strides;
  if (Status s = layoutOf(value, sizes, strides); !s)
    return s;
  auto extent = storageExtent(value.dtype, sizes, strides, 0);
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
  auto tensor = Tensor::view(std::move(storage), value.dtype, std::move(sizes),
                             std::move(strides), 0);
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
  std::vector<int64_t> sizes, strides;
  if (Status s = layoutOf(value, sizes, strides); !s)
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
  auto tensor = Tensor::view(base->storage(), value.dtype, std::move(sizes),
                             std::move(strides), *first);
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
                                         const std::vector<int64_t> &sizes,
                                         const std::vector<int64_t> &strides,
                                         bool &fits) const {
  const Value &value = program_.values[id];
  std::string name = value.kind == Value::Kind::Slot
                         ? "tensor '" + program_.slots[value.slot].name + "'"
                         : "value " + std::to_string(id);
  if (tensor.dtype() != value.dtype || tensor.sizes() != sizes)
    return Error::guard(name + ": expected " +
                        std::string(dtypeName(value.dtype)) + listText(sizes) +
                        ", found " + tensor.typeString());
  fits = reinterpret_cast<uintptr_t>(tensor.data()) %
             alignmentOf(value.dtype) ==
         0;
  if (tensor.numel() == 0)
    return Status::success();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1 || tensor.strides()[i] == strides[i])
      continue;
    if (strides[i] == 0)
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
  if (entry.fit.data && entry.fit.isOf(*result))
    return Status::success();
  if (result->storage()->device() != device()) {
    auto there = device() ? result->toDevice(*device()) : result->toHost();
    if (!there)
      return there.takeError();
    entry.own = std::move(*there);
    entry.tensor = result = &std::get<Tensor>(entry.own.value);
  }
  std::vector<int64_t> sizes, strides;
  if (Status s = layoutOf(program_.values[id], sizes, strides); !s)
    return s;
  bool fits = true;
  if (Status s = checkLayout(id, *result, sizes, strides, fits); !s)
    return s;
  if (fits) {
    if (kind == Value::Kind::Slot && !plan_.lateValue[id])
      entry.fit = {result->data(), result->storage()->device(),
                   result->dtype(), result->sizes(), result->strides()};
    return Status::success();
  }
  auto extent = storageExtent(result->dtype(), sizes, strides, 0);
  if (!extent)
    return extent.takeError();
  auto storage = allocateOn(device(), static_cast<size_t>(*extent), "inputs");
  if (!storage)
    return storage.takeError();
  auto copy = Tensor::view(std::move(*storage), result->dtype(),
                           std::move(sizes), std::move(strides), 0);
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
