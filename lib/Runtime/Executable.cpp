//===- Executable.cpp - A loaded package ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/Executable.h"
#include "kiln/ABI/PackageABI.h"
#include "kiln/Package/GraphPlan.h"
#include "kiln/Package/Verifier.h"
#include "kiln/Runtime/Device.h"

#include <algorithm>
#include <cstring>

namespace kiln::runtime {

using package::kNone;
using package::Output;
using package::Program;
using package::Slot;

namespace {

/// A read-only tensor, so that results which share it may outlive the
/// executable: over bytes that are aligned as kernels expect it, such as those
/// of a mapped package, or over a copy.
Result<Tensor> materialize(const package::ConstantTensor &constant) {
  ByteView bytes = constant.bytes.view();
  std::shared_ptr<void> owner =
      std::const_pointer_cast<void>(constant.bytes.owner());
  auto *data = const_cast<uint8_t *>(bytes.data());
  if (!owner ||
      reinterpret_cast<uintptr_t>(data) % KILN_PACKAGE_DATA_ALIGNMENT != 0) {
    auto copy = Storage::allocate(bytes.size());
    if (!copy)
      return copy.takeError();
    data = (*copy)->data();
    std::copy(bytes.begin(), bytes.end(), data);
    owner = std::move(*copy);
  }
  return Tensor::view(
      Storage::borrow(data, bytes.size(), std::move(owner), /*readOnly=*/true),
      constant.dtype, constant.sizes, rowMajorStrides(constant.sizes), 0);
}

template <typename T> void fill(const Tensor &tensor, T value) {
  T *data = tensor.dataAs<T>();
  for (int64_t i = 0, n = tensor.numel(); i < n; ++i)
    data[i] = value;
}

/// A row-major tensor of zeros or ones; Unsupported for other than float and
/// complex dtypes.
Result<Tensor> filled(DType dtype, const std::vector<int64_t> &sizes,
                      bool ones) {
  auto tensor = Tensor::empty(dtype, sizes);
  if (!tensor)
    return tensor;
  std::memset(tensor->data(), 0,
              static_cast<size_t>(tensor->numel()) * itemSize(dtype));
  if (!ones)
    return tensor;
  switch (dtype) {
  case DType::F16:
    fill<uint16_t>(*tensor, 0x3c00);
    return tensor;
  case DType::BF16:
    fill<uint16_t>(*tensor, 0x3f80);
    return tensor;
  case DType::F32:
    fill<float>(*tensor, 1.0f);
    return tensor;
  case DType::F64:
    fill<double>(*tensor, 1.0);
    return tensor;
  case DType::C64:
    fill<std::complex<float>>(*tensor, 1.0f);
    return tensor;
  case DType::C128:
    fill<std::complex<double>>(*tensor, 1.0);
    return tensor;
  default:
    return Error::unsupported("a tangent of dtype " +
                              std::string(dtypeName(dtype)) +
                              ", expected a float or complex dtype");
  }
}

bool isResult(const Output &output) {
  return output.kind == Output::Kind::Tensor &&
         (output.role == Output::Role::UserOutput ||
          output.role == Output::Role::Loss);
}

/// True if the program writes to the input of `slot`.
bool isChanged(const Program &program, uint32_t slot) {
  for (const Output &output : program.outputs)
    if (output.aliasOfSlot == slot &&
        (output.role == Output::Role::BufferMutation ||
         output.role == Output::Role::ParameterMutation ||
         output.role == Output::Role::InputMutation))
      return true;
  return false;
}

/// The outputs with `test`, in order.
template <typename F>
std::vector<uint32_t> outputsWith(const Program &program, F test) {
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < program.outputs.size(); ++i)
    if (test(program.outputs[i]))
      result.push_back(i);
  return result;
}

} // namespace

static bool hasDeviceChecks(const package::Package &package) {
  for (const auto *programs : {&package.programs, &package.bodies})
    for (const Program &program : *programs)
      for (const package::Step &step : program.steps)
        if (auto *call = std::get_if<package::ExternStep>(&step))
          if (package::isDeviceCheck(program, *call))
            return true;
  return false;
}

/// Kernels for a GPU run on the device, those for a processor here. The kernel that looks
/// at assertions is added to the image of a package that has some.
static Result<ProgramCode> loadCode(package::Package &package,
                                    std::shared_ptr<Device> device,
                                    package::KernelStore *store) {
  package::KernelImage &image = package.image;
  if (image.kind == KILN_IMAGE_PTX) {
    if (!device)
      return Error::usage("the package is compiled for '" + image.target +
                          "'; expected --device=cuda");
    auto check = static_cast<uint32_t>(image.kernels.size());
    if (hasDeviceChecks(package)) {
      std::string_view code = device->checkCode();
      image.kernels.push_back({kCheckKernel, image.bytes.size()});
      image.bytes.insert(image.bytes.end(), code.begin(), code.end());
      image.bytes.push_back(0);
    }
    auto grids = device->load(image, store);
    return grids ? Result<ProgramCode>(
                       ProgramCode(std::move(device), std::move(*grids), check))
                 : Result<ProgramCode>(grids.takeError());
  }
  if (device)
    return Error::unsupported(
        "the package has no kernels for " + device->name() +
        (image.target.empty() ? "; expected the backend inductor"
                              : ", only for '" + image.target + "'"));
  auto loaded = LoadedImage::load(image);
  return loaded ? Result<ProgramCode>(ProgramCode(std::move(*loaded)))
                : Result<ProgramCode>(loaded.takeError());
}

Result<std::shared_ptr<Executable>>
Executable::load(package::Package package, const OperatorRegistry &registry,
                 std::shared_ptr<Device> device,
                 package::KernelStore *store) {
  if (Status s = package::verifyPackage(package); !s)
    return s.takeError();
  std::shared_ptr<Executable> executable(new Executable());
  executable->package_ = std::move(package);
  package::Package &own = executable->package_;

  // What is on a device is not kept here while its driver takes memory to make
  // code.
  for (package::ConstantTensor &constant : own.constants) {
    auto tensor = materialize(constant);
    if (tensor && device)
      tensor = tensor->toDevice(*device, "constants");
    if (!tensor)
      return tensor.takeError();
    executable->constants_.push_back(std::move(*tensor));
    constant.bytes = {};
  }
  auto code = loadCode(own, std::move(device), store);
  if (!code)
    return code.takeError();
  own.image.bytes = {};
  executable->grids_ = code->grids;
  executable->guards_ = std::make_unique<GuardTable>(own);
  for (auto [programs, runners] :
       {std::pair(&own.programs, &executable->runners_),
        std::pair(&own.bodies, &executable->bodies_)})
    for (const Program &program : *programs) {
      auto runner =
          ProgramRunner::create(program, *code, executable->constants_,
                                registry, executable->bodies_);
      if (!runner)
        return runner.takeError();
      runners->push_back(std::move(*runner));
    }
  if (executable->hasBackward())
    if (Status s = executable->connectBackward(); !s)
      return s.takeError();
  return executable;
}

size_t Executable::localBytes() const {
  return grids_ ? grids_->localBytes() : 0;
}

Status Executable::connectBackward() {
  const Program &forward = package_.programs[0];
  const Program &backward = package_.programs[1];
  std::vector<uint32_t> saved = outputsWith(forward, [](const Output &output) {
    return output.role == Output::Role::Saved;
  });
  std::vector<uint32_t> results = outputsWith(forward, isResult);
  size_t nextSaved = 0, nextTangent = 0;
  for (const Slot &slot : backward.slots) {
    if (slot.kind == Slot::Kind::Saved) {
      backwardSources_.push_back({BackwardSource::Saved, saved[nextSaved++]});
      continue;
    }
    if (slot.kind == Slot::Kind::Tangent) {
      if (slot.ofOutput == kNone && nextTangent >= results.size())
        return Error::malformed(
            "program '" + backward.name + "': tangent '" + slot.name +
            "' is one more than the forward program has results");
      backwardSources_.push_back(
          {BackwardSource::Tangent, slot.ofOutput != kNone
                                        ? slot.ofOutput
                                        : results[nextTangent]});
      ++nextTangent;
      continue;
    }
    uint32_t found = kNone;
    for (uint32_t i = 0; i < forward.slots.size() && found == kNone; ++i)
      if (forward.slots[i].name == slot.name)
        found = i;
    if (found == kNone && slot.payload == kNone)
      return Error::malformed("program '" + backward.name + "': input '" +
                              slot.name +
                              "' is no input of the forward program");
    backwardSources_.push_back({BackwardSource::Input, found,
                                found != kNone && isChanged(forward, found)});
  }
  return Status::success();
}

Result<OpValue>
Executable::tangent(uint32_t slot, uint32_t output,
                    const std::vector<OpValue> &outputs,
                    const std::vector<OpValue> &tangents) const {
  const Output &description = package_.programs[0].outputs[output];
  bool isOne = tangents.empty() || tangents[output].isNumber();
  if (!tangents.empty() && !tangents[output].isNone() && !isOne)
    return tangents[output];
  auto *result = std::get_if<Tensor>(&outputs[output].value);
  if (!result || !result->defined())
    return Error::usage("output '" + description.name +
                        "' is no tensor and has no tangent");
  if (tangents.empty() && result->numel() != 1)
    return Error::usage("tangent of output '" + description.name +
                        "' is missing: it has " +
                        std::to_string(result->numel()) +
                        " elements, only one element starts from 1 by "
                        "itself");
  DType dtype = package_.programs[1].slots[slot].dtype;
  Device *device = result->storage()->device();
  if (!isOne || !device || result->numel() != 1) {
    auto value = filled(dtype, result->sizes(), /*ones=*/isOne);
    if (!value)
      return value.takeError();
    return OpValue(std::move(*value));
  }
  // A step brings nothing to the device that is there already.
  std::lock_guard<std::mutex> lock(arenaMutex_);
  Tensor &one = ones_[slot];
  if (!one.defined() || one.storage()->device() != device ||
      one.sizes() != result->sizes()) {
    auto value = filled(dtype, result->sizes(), /*ones=*/true);
    if (value)
      value = value->toDevice(*device, "tangents");
    if (!value)
      return value.takeError();
    one = std::move(*value);
  }
  return OpValue(one);
}

Result<TrainingResult>
Executable::runTraining(const std::vector<OpValue> &inputs,
                        const std::vector<OpValue> &tangents,
                        const RunOptions &options) const {
  if (!hasBackward())
    return Error::usage("the package has no backward program; compile it for "
                        "training");
  const Program &program = package_.programs[0];
  if (!tangents.empty() && tangents.size() != program.outputs.size())
    return Error::usage("expected a tangent per output, " +
                        std::to_string(program.outputs.size()) +
                        ", or none, found " + std::to_string(tangents.size()));
  std::vector<OpValue> backwardInputs(backwardSources_.size());
  for (uint32_t i = 0; i < backwardInputs.size(); ++i) {
    const BackwardSource &source = backwardSources_[i];
    if (source.kind != BackwardSource::Input || source.index == kNone)
      continue;
    backwardInputs[i] = inputs[source.index];
    // The backward reads what an input holds before the forward changes it.
    auto *tensor = std::get_if<Tensor>(&backwardInputs[i].value);
    if (!tensor || !tensor->defined() || !source.isChanged)
      continue;
    auto copy = tensor->clone();
    if (!copy)
      return copy.takeError();
    backwardInputs[i] = OpValue(std::move(*copy));
  }
  // Another thread's call finds none and makes its own.
  std::shared_ptr<Storage> arena;
  {
    std::lock_guard<std::mutex> lock(arenaMutex_);
    arena = std::move(trainingArena_);
  }
  RunOptions forwardOptions = options;
  forwardOptions.arena = &arena;
  auto outputs = forward().run(inputs, forwardOptions);
  if (!outputs)
    return outputs.takeError();
  for (uint32_t i = 0; i < backwardInputs.size(); ++i) {
    const BackwardSource &source = backwardSources_[i];
    if (source.kind == BackwardSource::Saved) {
      backwardInputs[i] = std::move((*outputs)[source.index]);
      (*outputs)[source.index] = OpValue();
    } else if (source.kind == BackwardSource::Tangent) {
      auto value = tangent(i, source.index, *outputs, tangents);
      if (!value)
        return value.takeError();
      backwardInputs[i] = std::move(*value);
    }
  }
  RunOptions backwardOptions = forwardOptions;
  backwardOptions.inputsChecked = false;
  auto gradients = backward().run(backwardInputs, backwardOptions);
  {
    std::lock_guard<std::mutex> lock(arenaMutex_);
    trainingArena_ = std::move(arena);
  }
  if (!gradients)
    return gradients.takeError();
  return TrainingResult{std::move(*outputs), std::move(*gradients)};
}

} // namespace kiln::runtime
