//===- Weights.cpp - Where the weights of a package are -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Weights.h"

#include "kiln/Archive/SafeTensors.h"
#include "kiln/Base/FileSystem.h"
#include "kiln/Session/Session.h"

using namespace kiln;
using runtime::Tensor;

/// A weight without gaps between its elements.
static Result<package::ConstantTensor>
denseWeight(const std::string &name, const archive::Weight &weight) {
  if (!weight.isSupplied)
    return Error::unsupported("weight '" + name + "' is not in the archive");
  auto storage = runtime::Storage::borrow(
      const_cast<uint8_t *>(weight.storage.data()), weight.storage.size(),
      std::const_pointer_cast<void>(weight.storage.owner()), true);
  auto view = runtime::Tensor::view(storage, weight.dtype, weight.sizes,
                                    weight.strides, weight.storageOffset);
  auto dense = view ? view->contiguous() : std::move(view);
  if (!dense)
    return dense.error().withContext("weight '" + name + "'");
  size_t bytes = static_cast<size_t>(dense->numel()) * itemSize(weight.dtype);
  return package::ConstantTensor{
      weight.dtype, weight.sizes,
      SharedBytes(ByteView(dense->data(), bytes), dense->storage())};
}

Status session::embedWeights(const archive::ExportedProgram &program, bool all,
                              package::Package &package) {
  using Kind = package::Slot::Kind;
  package::ConstantAdder constants(package);
  std::map<std::string, uint32_t> known;
  for (package::Program &compiled : package.programs)
    for (package::Slot &slot : compiled.slots) {
      bool isWeight =
          slot.kind == Kind::Constant ||
          (all && (slot.kind == Kind::Parameter || slot.kind == Kind::Buffer));
      auto weight = program.weights.find(slot.path);
      if (!isWeight || slot.payload != package::kNone ||
          weight == program.weights.end())
        continue;
      auto [entry, isNew] = known.try_emplace(slot.path, package::kNone);
      if (isNew) {
        auto constant = denseWeight(slot.path, weight->second);
        if (!constant)
          return constant.takeError();
        entry->second = constants.add(std::move(*constant));
      }
      slot.payload = entry->second;
    }
  return Status::success();
}

Status session::writeWeights(const archive::ExportedProgram &program,
                             const std::string &path) {
  std::map<std::string, package::ConstantTensor> dense;
  std::vector<archive::SafeTensor> tensors;
  for (const archive::InputSpec &spec : program.inputs) {
    const archive::Weight *weight = program.weightOf(spec);
    bool isReplaceable = spec.kind == archive::InputSpec::Kind::Parameter ||
                         spec.kind == archive::InputSpec::Kind::Buffer;
    if (!weight || !isReplaceable || dense.count(spec.target))
      continue;
    auto constant = denseWeight(spec.target, *weight);
    if (!constant)
      return constant.takeError();
    package::ConstantTensor &kept = dense[spec.target] = std::move(*constant);
    tensors.push_back({spec.target, kept.dtype, kept.sizes, kept.bytes.view()});
  }
  auto bytes = archive::writeSafeTensors(tensors);
  return bytes ? writeFile(path, *bytes) : Status(bytes.takeError());
}

Status session::Session::loadWeights(const std::string &path) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  auto file = archive::readSafeTensors(*bytes, "'" + path + "'");
  if (!file)
    return file.takeError();
  // Everything is compared before anything is changed.
  std::vector<std::pair<std::string, Tensor>> weights;
  for (const archive::SafeTensor &tensor : *file) {
    auto storage = runtime::Storage::borrow(
        const_cast<uint8_t *>(tensor.bytes.data()), tensor.bytes.size(),
        std::const_pointer_cast<void>(bytes->owner()), /*readOnly=*/true);
    auto view = Tensor::view(storage, tensor.dtype, tensor.sizes,
                             runtime::rowMajorStrides(tensor.sizes), 0);
    Status fits = view ? checkWeight(tensor.name, *view)
                       : Status(view.takeError());
    if (!fits)
      return fits.error().withContext("'" + path + "'");
    weights.emplace_back(tensor.name, std::move(*view));
  }
  for (const auto &[name, tensor] : weights)
    if (Status s = setWeight(name, tensor); !s)
      return s.error().withContext("'" + path + "'");
  return Status::success();
}
