//===- TorchSave.cpp - Weights of a `torch.save` file --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/PickleReader.h"
#include "kiln/Archive/ZipFile.h"
#include "kiln/Base/CheckedMath.h"

using namespace kiln;
using namespace kiln::archive;

/// Kernels want aligned elements. Inner zips of the oldest layout start
/// anywhere, so their storages are copied if they must.
static SharedBytes aligned(const SharedBytes &bytes) {
  constexpr size_t alignment = 64;
  if (bytes.empty() ||
      reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0)
    return bytes;
  size_t padded = (bytes.size() + alignment - 1) / alignment * alignment;
  auto *copy = static_cast<uint8_t *>(
      ::operator new(padded, std::align_val_t(alignment)));
  std::shared_ptr<const void> owner(copy, [](const void *memory) {
    ::operator delete(const_cast<void *>(memory), std::align_val_t(alignment));
  });
  std::memcpy(copy, bytes.data(), bytes.size());
  return SharedBytes(ByteView(copy, bytes.size()), std::move(owner));
}

/// "archive" for members like "archive/data.pkl".
static Result<std::string> findRoot(const ZipFile &zip) {
  for (const ZipMember &member : zip.members()) {
    size_t slash = member.name.find('/');
    if (slash != std::string::npos &&
        member.name.substr(slash) == "/data.pkl")
      return member.name.substr(0, slash);
  }
  return Error::malformed(zip.name() +
                          ": is not a torch.save file: 'data.pkl' is missing");
}

Result<std::map<std::string, Weight>>
archive::readTorchSave(SharedBytes bytes, const std::string &file) {
  std::map<std::string, Weight> weights;
  if (bytes.empty())
    return weights;
  auto zip = ZipFile::parse(std::move(bytes), file);
  if (!zip)
    return zip.takeError();
  auto root = findRoot(*zip);
  if (!root)
    return root.takeError();
  if (const ZipMember *order = zip->find(*root + "/byteorder")) {
    auto text = zip->read(*order);
    if (!text)
      return text.takeError();
    if (text->text() != "little")
      return Error::unsupported(file + ": byte order is not little");
  }
  auto pickleBytes = zip->read(*zip->find(*root + "/data.pkl"));
  if (!pickleBytes)
    return pickleBytes.takeError();
  auto pickle = parsePickle(pickleBytes->view());
  if (!pickle)
    return pickle.takeError().withContext(file);
  auto *dict =
      std::get_if<PickledObject::Dict>(&pickle->objects[pickle->root].value);
  if (!dict)
    return Error::malformed(file + ": expected a dictionary of tensors");
  std::map<std::string, SharedBytes> storages;
  for (const auto &[keyIndex, valueIndex] : dict->items) {
    auto *name = std::get_if<std::string>(&pickle->objects[keyIndex].value);
    auto *tensor =
        std::get_if<PickledTensor>(&pickle->objects[valueIndex].value);
    if (!name)
      return Error::malformed(file + ": a key is not a string");
    if (!tensor)
      return Error::unsupported(file + ": '" + *name +
                                "' is not a plain tensor");
    auto place = storages.find(tensor->key);
    if (place == storages.end()) {
      const ZipMember *member = zip->find(*root + "/data/" + tensor->key);
      if (!member)
        return Error::malformed(file + ": storage '" + tensor->key + "' of '" +
                                *name + "' is missing");
      auto storage = zip->read(*member);
      if (!storage)
        return storage.takeError();
      place = storages.emplace(tensor->key, aligned(*storage)).first;
    }
    if (static_cast<uint64_t>(tensor->storageBytes) > place->second.size())
      return Error::malformed(
          file + ": storage '" + tensor->key + "' of '" + *name + "' has " +
          std::to_string(place->second.size()) + " bytes, expected " +
          std::to_string(tensor->storageBytes));
    Weight weight;
    weight.dtype = tensor->dtype;
    weight.sizes = tensor->sizes;
    weight.strides = tensor->strides;
    weight.storageOffset = tensor->storageOffset;
    weight.storage = place->second;
    weight.storageKey = file + "/" + tensor->key;
    weight.isParameter = tensor->isParameter;
    weight.requiresGrad = tensor->requiresGrad;
    weights[*name] = std::move(weight); // the last one wins, as in Python
  }
  return weights;
}
