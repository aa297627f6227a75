//===- SafeTensorsFuzzer.cpp - Weights files of any bytes -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "kiln/Archive/SafeTensors.h"
#include "kiln/Base/CheckedMath.h"

using namespace kiln;
using namespace kiln::archive;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SharedBytes bytes = SharedBytes::own(std::vector<uint8_t>(data, data + size));
  auto tensors = readSafeTensors(bytes, "fuzz.safetensors");
  if (!tensors)
    return 0;
  size_t sum = 0;
  for (const SafeTensor &tensor : *tensors) {
    auto needed = byteCount(tensor.dtype, tensor.sizes);
    test::require(needed && size_t(*needed) == tensor.bytes.size(),
                  "a tensor has the bytes of its sizes");
    sum += tensor.bytes.size();
    for (uint8_t byte : tensor.bytes)
      sum += byte & 0; // each of them can be read
  }
  test::require(sum <= size, "tensors lie side by side in the file");
  // What was read is written, and read the same.
  auto again = writeSafeTensors(*tensors);
  test::require(bool(again), "what was read can be written");
  auto second = readSafeTensors(SharedBytes::own(std::move(*again)), "again");
  test::require(second && second->size() == tensors->size(),
                "what is written can be read");
  for (size_t i = 0; i < tensors->size(); ++i)
    test::require((*second)[i].name == (*tensors)[i].name &&
                      (*second)[i].sizes == (*tensors)[i].sizes &&
                      (*second)[i].bytes.text() == (*tensors)[i].bytes.text(),
                  "writing keeps a tensor");
  return 0;
}
