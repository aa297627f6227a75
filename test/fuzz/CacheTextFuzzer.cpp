//===- CacheTextFuzzer.cpp - Keys, addresses and counters of the cache ----===//
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
  fuzz::checkKeyText({reinterpret_cast<const char *>(data), size});
  return 0;
}
