//===- RespFuzzer.cpp - Replies of a Redis server -------------------------===//
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
  // The first byte is the size of the parts in which the stream comes.
  if (size == 0)
    return 0;
  size_t part = data[0];
  fuzz::checkReplies(
      {reinterpret_cast<const char *>(data) + 1, size - 1},
      [&](size_t left) { return part == 0 || part > left ? left : part; });
  return 0;
}
