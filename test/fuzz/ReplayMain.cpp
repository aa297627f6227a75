//===- ReplayMain.cpp - Fuzz targets on files ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// usage: TARGET FOLDER|FILE...   runs each file once; for plain builds.

#include "Fuzzer.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace fs = std::filesystem;

static size_t replay(const fs::path &path) {
  if (fs::is_directory(path)) {
    size_t count = 0;
    for (const fs::directory_entry &entry : fs::directory_iterator(path))
      count += replay(entry.path());
    return count;
  }
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  // Exactly so many bytes, for a sanitizer to see a read behind them.
  std::vector<uint8_t> exact(bytes.begin(), bytes.end());
  exact.shrink_to_fit();
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  return 1;
}

int main(int argc, char **argv) {
  size_t count = 0;
  for (int k = 1; k < argc; ++k)
    count += replay(argv[k]);
  std::printf("%zu files\n", count);
  return count == 0;
}
