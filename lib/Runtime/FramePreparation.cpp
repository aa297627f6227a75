//===- FramePreparation.cpp - What depends on weights alone ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first call with a version of the weights runs the preparation of the
// program and leaves what it has written to the runner; others take it from
// there. A preparation that fails leaves nothing, and one that another call
// still reads is let go of with it: both have storage of their own.
//
// A package may bring what is made of its own weights. A call that is given
// none of those that preparation reads has these, and takes that, whatever
// their version is.
//
//===----------------------------------------------------------------------===//

#include "DeviceCopy.h"
#include "Frame.h"
#include "kiln/Base/CheckedMath.h"

#include <algorithm>

namespace kiln::runtime {

using package::Output;
using package::ValueId;

namespace {

/// The bytes of a tensor, for comparison alone.
struct Range {
  const uint8_t *begin = nullptr, *end = nullptr;

  explicit Range(const OpValue &value) {
    auto *tensor = std::get_if<Tensor>(&value.value);
    if (!tensor || !tensor->defined() || tensor->numel() == 0)
      return;
    int64_t last = 1;
    for (int64_t dim = 0; dim < tensor->rank(); ++dim)
      last += (tensor->size(dim) - 1) * tensor->stride(dim);
    begin = tensor->data();
    end = begin + static_cast<size_t>(last) * itemSize(tensor->dtype());
  }
  bool meets(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

} // namespace

/// True if the program writes to memory that preparation reads by another name:
/// a tied buffer, or an input that is a view of a weight.
bool ProgramRunner::Frame::meetWeights() const {
  for (const Output &output : program_.outputs) {
    if (output.role != Output::Role::BufferMutation &&
        output.role != Output::Role::ParameterMutation &&
        output.role != Output::Role::InputMutation)
      continue;
    Range written((*inputs_)[output.aliasOfSlot]);
    for (uint32_t slot : plan_.preparedFrom)
      if (written.meets(Range((*inputs_)[slot])))
        return true;
  }
  return false;
}

/// Where the weights of this call are.
void ProgramRunner::Frame::findWeights() {
  if (known_.changed().empty() && weights_.size() == plan_.preparedFrom.size())
    return;
  weights_.clear();
  for (uint32_t slot : plan_.preparedFrom) {
    auto *tensor = std::get_if<Tensor>(&(*inputs_)[slot].value);
    weights_.push_back(tensor && tensor->defined() ? tensor->data() : nullptr);
  }
  meetsWeights_ = plan_.mutates && meetWeights();
}

/// Values that were prepared stay where they are as long as calls take the same.
void ProgramRunner::Frame::takePrepared(
    std::shared_ptr<const Prepared> prepared) {
  if (prepared.owner_before(lastPrepared_) ||
      lastPrepared_.owner_before(prepared))
    forgetPointers(plan_.prepared);
  lastPrepared_ = prepared;
  prepared_ = std::move(prepared);
}

Status ProgramRunner::Frame::prepare() {
  findWeights();
  if (plan_.storedPreparation &&
      std::all_of(weights_.begin(), weights_.end(),
                  [](const uint8_t *weight) { return !weight; })) {
    takePrepared(plan_.storedPreparation);
    return Status::success();
  }
  if (Status s = checkFrozen(); !s)
    return s;
  if (!options_.weightsVersion)
    return runPreparation(0, weights_);
  if (meetsWeights_ && options_.writeBack) {
    // Who reads them in this call sees what they held before it, later calls do
    // not.
    ++*options_.weightsVersion;
    return runPreparation(0, weights_);
  }
  uint64_t version = *options_.weightsVersion;
  std::lock_guard<std::mutex> lock(runner_.preparedMutex_);
  if (const Prepared *known = runner_.prepared_.get();
      known && known->version == version && known->weights == weights_) {
    takePrepared(runner_.prepared_);
    return Status::success();
  }
  runner_.prepared_.reset(); // not both at a time
  if (Status s = runPreparation(version, weights_); !s)
    return s;
  runner_.prepared_ = prepared_;
  return Status::success();
}

/// Weights that are not in the package are given all together.
Status ProgramRunner::Frame::checkFrozen() const {
  for (size_t i = 0; i < weights_.size(); ++i) {
    const package::Slot &slot = program_.slots[plan_.preparedFrom[i]];
    if (slot.isFrozen && !weights_[i])
      return Error::usage("weight '" + slot.path +
                          "' is frozen and has no contents beside new ones of "
                          "others; expected new ones of all");
  }
  return Status::success();
}

/// What a step of the preparation read of the archive need not stay in memory
/// beside what it made of it.
void ProgramRunner::Frame::releaseWeights(const package::Step &step) {
  for (ValueId id : *package::getBuffers(step)) {
    const package::Value &value = program_.values[plan_.root[id]];
    if (value.kind != package::Value::Kind::Slot)
      continue;
    auto *tensor = std::get_if<Tensor>(&(*inputs_)[value.slot].value);
    if (!tensor || !tensor->defined())
      tensor = &plan_.stored[value.slot];
    if (tensor->defined())
      tensor->storage()->releasePages();
  }
}

/// What only the preparation reads does not stay beside what it made of it.
void ProgramRunner::Frame::releasePassing(size_t step) {
  for (ValueId id : plan_.passing[step]) {
    if (wanted_ && (*wanted_)[id])
      continue;
    forget(id);
    preparing_->tensors[id] = Tensor();
  }
}

Status
ProgramRunner::Frame::runPreparation(uint64_t version,
                                     std::vector<const uint8_t *> weights) {
  if (options_.stats)
    ++options_.stats->preparations;
  forgetPointers(plan_.prepared);
  preparing_ = std::make_shared<Prepared>();
  preparing_->version = version;
  preparing_->weights = std::move(weights);
  preparing_->tensors.resize(program_.values.size());
  for (size_t i = 0; i < program_.steps.size(); ++i)
    if (plan_.isPreparation[i]) {
      if (Status s = step(i); !s)
        return s.error().withContext("preparation");
      releaseWeights(program_.steps[i]);
      releasePassing(i);
    }
  lastPrepared_ = preparing_;
  prepared_ = std::move(preparing_);
  return Status::success();
}

/// On the weights that the package stores. Preparation depends on no symbol, so
/// none is bound.
Result<std::vector<Tensor>>
ProgramRunner::Frame::prepareAlone(const std::vector<bool> &wanted,
                                   const RunOptions &options) {
  const std::vector<OpValue> none(program_.slots.size());
  inputs_ = &none;
  options_ = options;
  takeInputs();
  wanted_ = &wanted;
  std::vector<Tensor> tensors(program_.values.size());
  Status status = Status::success();
  if (!plan_.isPreparation.empty())
    status = runPreparation(0, {});
  for (ValueId id = 0; prepared_ && id < tensors.size(); ++id)
    if (wanted[id])
      tensors[id] = prepared_->tensors[id];
  wanted_ = nullptr;
  reset();
  known_.forget(); // of which nothing else was looked at
  if (!status)
    return status.takeError();
  return tensors;
}

/// Where a prepared value is: in what calls share, or in what this one makes.
Status ProgramRunner::Frame::makePrepared(ValueId id) {
  if (prepared_ && prepared_->tensors[id].defined()) {
    setOwn(id, prepared_->tensors[id]);
    return Status::success();
  }
  if (!preparing_)
    return Error::internal("value " + std::to_string(id) +
                           " is used and was not prepared");
  const package::Value &value = program_.values[id];
  std::shared_ptr<const TensorLayout> layout;
  if (Status s = layoutOf(id, layout); !s)
    return s;
  auto extent = storageExtent(value.dtype, layout->sizes, layout->strides, 0);
  if (!extent)
    return extent.error().withContext("value " + std::to_string(id));
  auto storage =
      allocateOn(device(), static_cast<size_t>(*extent), "prepared weights");
  if (!storage)
    return storage.takeError();
  auto tensor =
      Tensor::view(std::move(*storage), value.dtype, std::move(layout), 0);
  if (!tensor)
    return tensor.error().withContext("value " + std::to_string(id));
  preparing_->tensors[id] = *tensor;
  setOwn(id, std::move(*tensor));
  return Status::success();
}

} // namespace kiln::runtime
