//===- Freeze.cpp - Weights as kernels read them --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/Executable.h"
#include "kiln/Session/Weights.h"

#include <algorithm>

using namespace kiln;
using package::kNone;
using package::Package;
using package::Program;
using package::Slot;
using package::Value;
using runtime::Tensor;

/// A package that does the preparation of another and nothing else, so that it
/// needs no operators and no inputs.
static Package takePreparation(const Package &package) {
  Package part;
  part.image = package.image;
  part.constants = package.constants;
  Program program = package.programs.front();
  program.outputs.clear();
  auto isOther = [&](const package::Step &step) {
    return !package::isPreparation(package.programs.front(), step);
  };
  program.steps.erase(
      std::remove_if(program.steps.begin(), program.steps.end(), isOther),
      program.steps.end());
  part.programs.push_back(std::move(program));
  return part;
}

/// All memory of a prepared tensor; what lies between its elements is zero, so
/// that equal weights give equal packages.
static Result<package::ConstantTensor> toConstant(const Tensor &tensor,
                                                  int64_t bytes) {
  auto storage = runtime::Storage::allocate(static_cast<size_t>(bytes));
  if (!storage)
    return storage.takeError();
  std::fill_n((*storage)->data(), bytes, uint8_t(0));
  auto copy = Tensor::view(*storage, tensor.dtype(), tensor.sizes(),
                           tensor.strides(), 0);
  if (!copy)
    return copy.takeError();
  if (Status s = runtime::copyElements(tensor, *copy); !s)
    return s.takeError();
  return package::ConstantTensor{
      tensor.dtype(),
      {bytes / static_cast<int64_t>(itemSize(tensor.dtype()))},
      SharedBytes(ByteView((*storage)->data(), (*storage)->bytes()), *storage)};
}

/// Removes constants that nothing names any more.
static void dropUnused(Package &package) {
  std::vector<uint32_t *> names;
  for (auto *list : {&package.programs, &package.bodies})
    for (Program &program : *list) {
      for (Slot &slot : program.slots)
        names.push_back(&slot.payload);
      for (Value &value : program.values)
        if (value.kind == Value::Kind::Constant ||
            value.kind == Value::Kind::Prepared)
          names.push_back(&value.slot);
    }
  std::vector<uint32_t> places(package.constants.size(), kNone);
  for (const uint32_t *name : names)
    if (*name != kNone)
      places[*name] = 0;
  std::vector<package::ConstantTensor> kept;
  for (size_t i = 0; i < places.size(); ++i)
    if (places[i] != kNone) {
      places[i] = static_cast<uint32_t>(kept.size());
      kept.push_back(std::move(package.constants[i]));
    }
  package.constants = std::move(kept);
  for (uint32_t *name : names)
    if (*name != kNone)
      *name = places[*name];
}

Status session::freezeWeights(Package &package, runtime::ThreadPool *pool) {
  if (package.programs.size() != 1)
    return Error::usage("weights of a training step change; expected a package "
                        "without a backward program");
  if (package.image.kind != KILN_IMAGE_NATIVE)
    return Error::unsupported("weights are laid out by the kernels that read "
                              "them, and those for '" +
                              package.image.target + "' do not run here");
  Program &program = package.programs.front();
  std::vector<bool> lasting = package::findLasting(program);
  if (std::find(lasting.begin(), lasting.end(), true) == lasting.end())
    return Status::success();
  auto executable = runtime::Executable::load(takePreparation(package),
                                              runtime::OperatorRegistry());
  if (!executable)
    return executable.takeError();
  runtime::RunOptions options;
  options.pool = pool;
  auto tensors = (*executable)->forward().prepare(lasting, options);
  if (!tensors)
    return tensors.takeError();
  package::ConstantAdder constants(package);
  for (size_t id = 0; id < lasting.size(); ++id) {
    if (!lasting[id])
      continue;
    Value &value = program.values[id];
    auto layout = package::getPreparedLayout(program, value);
    if (!layout)
      return layout.takeError();
    auto constant = toConstant((*tensors)[id], layout->bytes);
    if (!constant)
      return constant.takeError();
    value.slot = constants.add(std::move(*constant));
    (*tensors)[id] = Tensor();
  }
  std::vector<bool> freezable = package::findFreezable(program);
  for (size_t i = 0; i < freezable.size(); ++i)
    if (Slot &slot = program.slots[i]; freezable[i]) {
      slot.payload = kNone;
      slot.isFrozen = true;
    }
  dropUnused(package);
  return Status::success();
}
