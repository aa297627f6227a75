//===- FrameInputs.cpp - What a call is given ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was found of inputs stays as long as they are what they were: that they are
// what the program was compiled for and may be written to, where kernels read them.
//
//===----------------------------------------------------------------------===//

#include "DeviceCopy.h"
#include "Frame.h"
#include "InputText.h"

#include <algorithm>

namespace kiln::runtime {

using package::Cell;
using package::kNone;
using package::Slot;
using package::Symbol;
using package::ValueId;

/// Forgets where values were that the last call was given and this one is not.
void ProgramRunner::Frame::takeInputs() {
  known_.update(*inputs_);
  for (uint32_t slot : known_.changed())
    forgetPointers(plan_.valuesOf[slot]);
}

Status ProgramRunner::Frame::bind() {
  takeInputs();
  Status bound = known_.hasSameLayouts() ? Status::success() : bindInputs();
  for (uint32_t symbol : plan_.stepSymbols) {
    symbols_[symbol] = Cell();
    for (uint32_t expr : plan_.exprsOfSymbol[symbol])
      cells_[expr] = Cell();
  }
  if (bound)
    bound = checkInputs();
  if (!bound)
    known_.forget();
  return bound;
}

/// Gives symbols their values. What depends on them is forgotten if one has another.
Status ProgramRunner::Frame::bindInputs() {
  std::string failure;
  if (!bindSymbols(program_, *inputs_, newSymbols_.data(), failure))
    return Error::guard(failure);
  bool same = true;
  for (size_t i = 0; i < symbols_.size(); ++i)
    if (program_.symbols[i].source != Symbol::Source::Step)
      same &= symbols_[i].identical(newSymbols_[i]);
  if (same)
    return Status::success();
  symbols_ = newSymbols_;
  std::fill(cells_.begin(), cells_.end(), Cell());
  for (Entry &entry : entries_) {
    entry.pointer = nullptr;
    entry.layout = nullptr;
  }
  return Status::success();
}

/// What was found of the same inputs is not looked for again.
Status ProgramRunner::Frame::checkInputs() {
  if (!options_.inputsChecked && !known_.hasSameLayouts())
    for (size_t i = 0; i < program_.slots.size(); ++i)
      if (Status s = checkSlot(i); !s)
        return s;
  isWritable_ &= known_.changed().empty();
  if (plan_.mutates && options_.writeBack && !isWritable_) {
    if (Status s = checkWritable(); !s)
      return s;
    isWritable_ = true;
  }
  // One that shares memory with another, or must keep its contents.
  if (!plan_.updated.empty() && (known_.overlaps() || !options_.writeBack))
    return protectUpdated();
  return Status::success();
}

/// Gives what is written in place a copy for this call; the new contents reach
/// the inputs at the end, if at all.
Status ProgramRunner::Frame::protectUpdated() {
  for (ValueId id : plan_.updated) {
    auto *tensor =
        std::get_if<Tensor>(&(*inputs_)[program_.values[id].slot].value);
    if (!tensor || !tensor->defined())
      continue;
    auto copy = tensor->clone();
    if (!copy)
      return copy.takeError();
    if (options_.stats)
      ++options_.stats->copies;
    setOwn(id, std::move(*copy));
    entries_[id].pointer = nullptr;
    forgetPointers(plan_.viewsOf[id]);
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
      return Error::guard(
          dimFailure(slot, "size", dim, expected, tensor->sizes()[dim]));
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
  bool fits =
      kept && kept.use_count() == 1 &&
      (options_.arena ? kept->bytes() >= needed : kept->bytes() == needed);
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

} // namespace kiln::runtime
