//===- Fuzzer.h - What every fuzz target shares --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is the function of libFuzzer. It feeds bytes to one reader and
// checks what the reader promises of a value that it accepts. Built without
// the fuzzer, ReplayMain.cpp runs it on files.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FUZZER_H
#define KILN_TEST_FUZZER_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace kiln::test {

/// Ends the process if a reader broke its promise.
inline void require(bool holds, const char *promise) {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

} // namespace kiln::test

#endif // KILN_TEST_FUZZER_H
