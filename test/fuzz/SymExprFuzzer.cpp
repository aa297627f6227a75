//===- SymExprFuzzer.cpp - Texts of symbolic sizes and guards ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "kiln/Archive/SymExpr.h"

using namespace kiln;
using namespace kiln::archive;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (auto parse : {parseSymExpr, parseGuardCode}) {
    auto expr = parse(text);
    if (!expr)
      continue;
    test::require(!toString(**expr).empty(), "an expression has a text");
    forEachSymbol(**expr, [](const std::string &name) {
      test::require(!name.empty(), "a symbol has a name");
    });
    for (SymValue leaf : {SymValue(int64_t(3)), SymValue(int64_t(-1)),
                          SymValue(INT64_MAX), SymValue(0.5), SymValue(true)})
      (void)evaluate(**expr, [&](const SymExpr &) { return leaf; });
    (void)evaluate(**expr, [](const SymExpr &) { return std::nullopt; });
  }
  return 0;
}
