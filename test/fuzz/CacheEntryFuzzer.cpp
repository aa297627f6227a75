//===- CacheEntryFuzzer.cpp - Entries of the cache ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheTargets.h"
#include "Fuzzer.h"

using namespace kiln;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The first byte says whether the file is signed again, and what the rest is:
  // the file, or changes of a good one.
  if (size == 0)
    return 0;
  std::string_view rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  bool isSealed = data[0] & 1;
  std::string file = data[0] & 2
                         ? fuzz::change(fuzz::goodEntry(data[0] & 4), rest)
                         : std::string(rest);
  fuzz::checkEntry(isSealed ? fuzz::sealEntry(file) : file, isSealed);
  return 0;
}
