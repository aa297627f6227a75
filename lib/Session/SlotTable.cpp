//===- SlotTable.cpp - What the slots of a program hold --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotTable.h"

#include "kiln/Package/ExprEvaluator.h"

#include "kiln/Runtime/Device.h"

#include <algorithm>
#include <cstring>

using namespace kiln;
using namespace kiln::session;
using package::Slot;
using runtime::OpValue;
using runtime::Tensor;

SlotTable::SlotTable(const archive::ExportedProgram *program, bool hasOptimizer)
    : program_(program), hasOptimizer_(hasOptimizer) {
  if (program_)
    takeSlots(*program_);
}

/// The recorded strides of a tensor whose sizes do not vary.
static std::vector<int64_t> getStrides(const archive::TensorMeta &meta) {
  std::vector<int64_t> strides;
  auto isStatic = [](const archive::SymInt &value) { return value.isStatic(); };
  if (meta.stridesKnown &&
      std::all_of(meta.sizes.begin(), meta.sizes.end(), isStatic) &&
      std::all_of(meta.strides.begin(), meta.strides.end(), isStatic))
    for (const archive::SymInt &stride : meta.strides)
      strides.push_back(stride.value);
  return strides;
}

/// What a program counts on for a slot, if these are numbers.
static std::vector<int64_t> getStrides(const package::Program &program,
                                       size_t slot) {
  std::vector<int64_t> strides;
  for (const package::Value &value : program.values) {
    if (value.kind != package::Value::Kind::Slot || value.slot != slot)
      continue;
    for (package::ExprId id : value.strides)
      if (auto stride = package::constantSize(program.exprs[id]))
        strides.push_back(*stride);
    if (strides.size() != value.sizes.size())
      strides.clear();
    break;
  }
  return strides;
}

void SlotTable::takeSlots(const archive::ExportedProgram &program) {
  values_.resize(program.inputs.size());
  for (size_t slot = 0; slot < program.inputs.size(); ++slot) {
    const archive::InputSpec &spec = program.inputs[slot];
    if (!spec.isCallerInput())
      continue;
    bool isUser = spec.kind == archive::InputSpec::Kind::UserInput;
    UserInput input;
    input.name = spec.name;
    input.path = spec.path;
    input.constant = spec.constant;
    input.isTensor = isUser && spec.isTensor;
    input.isSymbolic = isUser && !spec.isTensor;
    if (input.isTensor)
      if (const archive::TensorMeta *meta = program.graph.tensor(spec.name)) {
        input.dtype = meta->dtype;
        input.sizes = meta->sizes;
        input.strides = getStrides(*meta);
      }
    inputSlots_.push_back(slot);
    userInputs_.push_back(std::move(input));
  }
}

/// What a session without an archive knows of its inputs is in the package.
void SlotTable::takeSlots(const package::Program &program) {
  values_.resize(program.slots.size());
  for (size_t i = 0; i < program.slots.size(); ++i) {
    const Slot &slot = program.slots[i];
    if (slot.kind != Slot::Kind::UserInput)
      continue;
    UserInput input;
    input.name = slot.name;
    input.path = slot.path;
    input.isTensor = slot.isTensor;
    input.isSymbolic = slot.isSymbolic;
    input.dtype = slot.dtype;
    input.constant = slot.constant;
    input.strides = getStrides(program, i);
    for (package::ExprId size : slot.sizes) {
      archive::SymInt dim;
      dim.value = package::constantSize(program.exprs[size]).value_or(-1);
      input.sizes.push_back(dim);
    }
    inputSlots_.push_back(i);
    userInputs_.push_back(std::move(input));
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The bytes of weights in memory of a device, or themselves if it is null.
static Result<std::shared_ptr<runtime::Storage>>
placeWeights(runtime::Device *device,
             const std::shared_ptr<runtime::Storage> &weights, bool readOnly) {
  if (!device)
    return weights;
  auto memory = device->allocate(weights->bytes(), "weights");
  if (!memory)
    return memory.takeError();
  Status copied =
      weights->bytes() == 0 ? Status::success()
      : weights->device()
          ? device->copy((*memory)->data(), weights->data(), weights->bytes())
          : device->upload((*memory)->data(), weights->data(),
                           weights->bytes());
  if (!copied)
    return copied.takeError();
  weights->releasePages();
  void *data = (*memory)->data();
  return runtime::Storage::onDevice(data, weights->bytes(), *device,
                                    std::move(*memory), readOnly);
}

/// Moves a tensor to the device, if there is one.
Status SlotTable::place(Tensor &tensor) const {
  if (!device_)
    return Status::success();
  auto placed = tensor.toDevice(*device_, "weights");
  if (!placed)
    return placed.takeError();
  tensor = std::move(*placed);
  return Status::success();
}

Status SlotTable::bindWeights() {
  ++weightsVersion_;
  weights_.clear();
  std::map<std::string, std::shared_ptr<runtime::Storage>> storages;
  for (size_t slot = 0; program_ && slot < program_->inputs.size(); ++slot) {
    const archive::InputSpec &spec = program_->inputs[slot];
    const archive::Weight *weight = program_->weightOf(spec);
    if (!weight)
      continue;
    if (!weight->isSupplied)
      return Error::unsupported("weight '" + spec.target +
                                "' is not in the archive, which was exported "
                                "without its weights");
    auto &storage = storages[weight->storageKey];
    if (!storage || weight->storageKey.empty()) {
      storage = runtime::Storage::borrow(
          const_cast<uint8_t *>(weight->storage.data()), weight->storage.size(),
          std::const_pointer_cast<void>(weight->storage.owner()),
          /*readOnly=*/true);
      auto placed = placeWeights(device_.get(), storage, /*readOnly=*/true);
      if (!placed)
        return placed.error().withContext("weight '" + spec.target + "'");
      storage = std::move(*placed);
    }
    auto tensor = Tensor::view(storage, weight->dtype, weight->sizes,
                               weight->strides, weight->storageOffset);
    if (!tensor)
      return tensor.error().withContext("weight '" + spec.target + "'");
    BoundWeight &bound = weights_[spec.target];
    bound.tensor = *tensor;
    bound.dtype = tensor->dtype();
    bound.sizes = tensor->sizes();
    bound.slots.push_back(slot);
    values_[slot] = std::move(*tensor);
  }
  return Status::success();
}

Status SlotTable::prepare(const package::Package &package) {
  if (!program_) {
    if (values_.empty())
      takeSlots(package.programs.front());
    if (Status s = bindPackageWeights(package); !s)
      return s;
  }
  if (Status s = ownChangedWeights(package); !s)
    return s;
  return hasOptimizer_ || !package.facts.optimizer.empty()
             ? bindOptimizer(package)
             : Status::success();
}

/// True if a call writes to the weight of this name.
static bool isChange(const package::Output &output) {
  return output.role == package::Output::Role::BufferMutation ||
         output.role == package::Output::Role::ParameterMutation;
}

static bool changes(const package::Package &package, const std::string &name) {
  for (const package::Program &program : package.programs)
    for (const package::Output &output : program.outputs)
      if (isChange(output) && output.target == name)
        return true;
  return false;
}

/// Weights of a source that is no archive: those that the program changes are
/// copied out of the package, others stay there. A module has none at all; they
/// are without contents until `setWeight`.
Status SlotTable::bindPackageWeights(const package::Package &package) {
  const package::Program &program = package.programs.front();
  std::vector<bool> prepared(program.slots.size());
  if (package::isPreparationStored(program))
    prepared = package::findPreparedSlots(program);
  for (size_t i = 0; i < program.slots.size(); ++i) {
    const Slot &slot = program.slots[i];
    bool isWeight =
        slot.kind == Slot::Kind::Parameter || slot.kind == Slot::Kind::Buffer;
    if (!isWeight)
      continue;
    if (auto known = weights_.find(slot.path); known != weights_.end()) {
      std::vector<size_t> &slots = known->second.slots;
      if (std::find(slots.begin(), slots.end(), i) == slots.end()) {
        slots.push_back(i);
        if (known->second.tensor.defined())
          values_[i] = known->second.tensor;
      }
      continue;
    }
    BoundWeight &bound = weights_[slot.path];
    bound.slots.push_back(i);
    bound.dtype = slot.dtype;
    for (package::ExprId id : slot.sizes) {
      auto size = package::constantSize(program.exprs[id]);
      if (!size)
        return Error::unsupported("weight '" + slot.path +
                                  "' has a symbolic size");
      bound.sizes.push_back(*size);
    }
    bound.isInPackage = package::mayBeLeftOut(slot);
    bound.isFrozen = slot.isFrozen;
    bound.isPrepared = prepared[i];
    if (slot.payload == package::kNone || !changes(package, slot.path))
      continue;
    const package::ConstantTensor &constant = package.constants[slot.payload];
    auto tensor = Tensor::empty(constant.dtype, constant.sizes);
    if (!tensor)
      return tensor.error().withContext("weight '" + slot.path + "'");
    std::copy(constant.bytes.view().begin(), constant.bytes.view().end(),
              tensor->data());
    if (Status s = place(*tensor); !s)
      return s.error().withContext("weight '" + slot.path + "'");
    bound.tensor = *tensor;
    values_[i] = std::move(*tensor);
  }
  return Status::success();
}

/// Weights that the program changes get memory of their own, together with all
/// that share it: the archive is mapped read-only.
Status SlotTable::ownChangedWeights(const package::Package &package) {
  for (const package::Program &program : package.programs)
    for (const package::Output &output : program.outputs) {
      auto weight = weights_.find(output.target);
      if (!isChange(output) || weight == weights_.end() ||
          !weight->second.tensor.defined() ||
          !weight->second.tensor.storage()->readOnly())
        continue;
      if (Status s = copyStorage(weight->second.tensor.storage()); !s)
        return s;
    }
  return Status::success();
}

Status
SlotTable::copyStorage(const std::shared_ptr<runtime::Storage> &shared) {
  auto copy = device_ ? placeWeights(device_.get(), shared, /*readOnly=*/false)
                      : runtime::Storage::allocate(shared->bytes());
  if (!copy)
    return copy.takeError();
  if (!device_)
    std::copy_n(shared->data(), shared->bytes(), (*copy)->data());
  ++weightsVersion_;
  for (auto &[name, bound] : weights_) {
    if (!bound.tensor.defined() || bound.tensor.storage() != shared)
      continue;
    auto view =
        Tensor::view(*copy, bound.tensor.dtype(), bound.tensor.sizes(),
                     bound.tensor.strides(), bound.tensor.storageOffset());
    if (!view)
      return view.takeError();
    bound.tensor = std::move(*view);
    for (size_t slot : bound.slots)
      values_[slot] = bound.tensor;
  }
  return Status::success();
}

Status SlotTable::reset() {
  if (!program_)
    return Status::success();
  values_.resize(program_->inputs.size());
  optimizerState_.clear();
  return bindWeights();
}

Tensor SlotTable::weight(const std::string &name) const {
  auto it = weights_.find(name);
  return it == weights_.end() ? Tensor() : it->second.tensor;
}

bool SlotTable::isTied(const std::string &name,
                       const std::string &other) const {
  Tensor a = weight(name), b = weight(other);
  return a.defined() && b.defined() && a.storage() == b.storage() &&
         a.storageOffset() == b.storageOffset() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

/// "f32[2, 3]".
static std::string typeText(DType dtype, const std::vector<int64_t> &sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return std::string(dtypeName(dtype)) + "[" + text + "]";
}

Status SlotTable::checkWeight(const std::string &name,
                              const Tensor &contents) const {
  auto it = weights_.find(name);
  if (it == weights_.end()) {
    std::string known =
        weights_.empty() ? "" : ", whose first is '" + weights_.begin()->first;
    return Error::usage("the model has no weight '" + name +
                        "', expected one of its " +
                        std::to_string(weights_.size()) + known +
                        (known.empty() ? "" : "'"));
  }
  const BoundWeight &bound = it->second;
  if (contents.dtype() != bound.dtype || contents.sizes() != bound.sizes)
    return Error::usage("weight '" + name + "' is " + contents.typeString() +
                        ", expected " + typeText(bound.dtype, bound.sizes));
  return Status::success();
}

Status SlotTable::setWeight(const std::string &name, const Tensor &contents) {
  if (Status s = checkWeight(name, contents); !s)
    return s;
  auto copy = contents.clone();
  if (!copy)
    return copy.takeError();
  if (Status s = place(*copy); !s)
    return s;
  std::vector<BoundWeight *> changed = {&weights_.at(name)};
  for (auto &[other, bound] : weights_)
    if (other != name && isTied(name, other))
      changed.push_back(&bound);
  ++weightsVersion_;
  for (BoundWeight *bound : changed) {
    bound->tensor = *copy;
    for (size_t slot : bound->slots)
      values_[slot] = *copy;
  }
  return Status::success();
}

std::vector<std::string> SlotTable::missingWeights() const {
  // What is prepared has to be computed again.
  bool isReplaced =
      std::any_of(weights_.begin(), weights_.end(), [](const auto &weight) {
        return weight.second.isPrepared && weight.second.tensor.defined();
      });
  std::vector<std::string> names;
  for (const auto &[name, bound] : weights_)
    if (!bound.tensor.defined() &&
        (!bound.isInPackage || (bound.isFrozen && isReplaced)))
      names.push_back(name);
  return names;
}

std::map<std::string, Tensor> SlotTable::ownedWeights() const {
  std::map<std::string, Tensor> owned;
  for (const auto &[name, bound] : weights_)
    if (bound.tensor.defined() && !bound.tensor.storage()->readOnly())
      owned[name] = bound.tensor;
  return owned;
}

//===----------------------------------------------------------------------===//
// The state of an optimizer
//===----------------------------------------------------------------------===//

/// A tensor of zeros for a slot, whose sizes must be constants.
static Result<Tensor> zeros(const package::Program &program, const Slot &slot) {
  std::vector<int64_t> sizes;
  for (package::ExprId id : slot.sizes) {
    auto size = package::constantSize(program.exprs[id]);
    if (!size)
      return Error::unsupported("optimizer state '" + slot.path +
                                "' has a symbolic size");
    sizes.push_back(*size);
  }
  auto tensor = Tensor::empty(slot.dtype, std::move(sizes));
  if (tensor)
    std::memset(tensor->data(), 0,
                static_cast<size_t>(tensor->numel()) * itemSize(slot.dtype));
  return tensor;
}

Status SlotTable::bindOptimizer(const package::Package &package) {
  const package::Program &forward = package.programs.front();
  if (values_.size() < forward.slots.size())
    values_.resize(forward.slots.size());
  for (size_t i = 0; i < forward.slots.size(); ++i) {
    const Slot &slot = forward.slots[i];
    if (slot.kind != Slot::Kind::OptimizerState || !values_[i].isNone())
      continue;
    auto tensor = zeros(forward, slot);
    if (!tensor)
      return tensor.takeError();
    // Numbers are written by the host before each step.
    if (tensor->rank() != 0)
      if (Status s = place(*tensor); !s)
        return s;
    values_[i] = std::move(*tensor);
    optimizerState_.push_back({slot.path, i});
  }
  return checkUpdates(package);
}

/// Two updates of one memory would each see only their part of the gradient.
Status SlotTable::checkUpdates(const package::Package &package) const {
  std::map<const uint8_t *, std::string> owners;
  for (const package::Program &program : package.programs)
    for (const package::Output &output : program.outputs) {
      auto weight = weights_.find(output.target);
      if (output.role != package::Output::Role::ParameterMutation ||
          weight == weights_.end() || !weight->second.tensor.defined() ||
          weight->second.tensor.numel() == 0)
        continue;
      auto [owner, isNew] =
          owners.try_emplace(weight->second.tensor.data(), output.target);
      if (!isNew && owner->second != output.target)
        return Error::unsupported(
            "parameters '" + owner->second + "' and '" + output.target +
            "' share memory; expected a program that was exported with one "
            "name for them");
    }
  return Status::success();
}

Status SlotTable::checkCount(const std::vector<OpValue> &inputs) const {
  if (inputs.size() == inputSlots_.size())
    return Status::success();
  return Error::usage("the model takes " + std::to_string(inputSlots_.size()) +
                      " inputs, found " + std::to_string(inputs.size()));
}

Result<std::vector<OpValue>>
SlotTable::withInputs(const std::vector<OpValue> &inputs) const {
  if (Status s = checkCount(inputs); !s)
    return s.takeError();
  std::vector<OpValue> values = values_;
  for (size_t i = 0; i < inputs.size(); ++i)
    values[inputSlots_[i]] = inputs[i];
  return values;
}

Status SlotTable::setInputs(const std::vector<OpValue> &inputs) {
  if (Status s = checkCount(inputs); !s)
    return s;
  for (size_t i = 0; i < inputs.size(); ++i)
    values_[inputSlots_[i]] = inputs[i];
  return Status::success();
}
