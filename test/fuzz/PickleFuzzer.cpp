//===- PickleFuzzer.cpp - Pickles of tensors -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "kiln/Archive/PickleReader.h"

using namespace kiln;
using namespace kiln::archive;

/// Objects refer to objects of the pickle.
static void check(const Pickle &pickle, const PickledObject &object) {
  auto inside = [&](PickledObject::Index index) {
    test::require(index < pickle.objects.size(), "indices are in range");
  };
  if (auto *tuple = std::get_if<PickledObject::Tuple>(&object.value))
    for (PickledObject::Index item : tuple->items)
      inside(item);
  if (auto *list = std::get_if<PickledObject::List>(&object.value))
    for (PickledObject::Index item : list->items)
      inside(item);
  if (auto *dict = std::get_if<PickledObject::Dict>(&object.value))
    for (auto [key, value] : dict->items) {
      inside(key);
      inside(value);
    }
  if (auto *tensor = std::get_if<PickledTensor>(&object.value))
    test::require(tensor->sizes.size() == tensor->strides.size(),
                  "a stride a size");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  auto pickle = parsePickle(ByteView(bytes));
  if (pickle) {
    test::require(pickle->root < pickle->objects.size(), "there is a root");
    for (const PickledObject &object : pickle->objects)
      check(*pickle, object);
  }
  auto weights =
      readTorchSave(SharedBytes::own(std::move(bytes)), "fuzz.pt");
  if (!weights)
    return 0;
  for (const auto &[name, weight] : *weights)
    test::require(weight.sizes.size() == weight.strides.size(),
                  "a stride a size");
  return 0;
}
