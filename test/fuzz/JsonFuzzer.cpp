//===- JsonFuzzer.cpp - JSON texts and the views of them -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "kiln/Archive/JsonReader.h"

using namespace kiln;
using namespace kiln::archive;

/// Asks every value for all that it may be.
static void visit(JsonView view, size_t depth) {
  test::require(depth <= 64, "no deeper than the limit");
  (void)view.asInt();
  (void)view.asInt(0, 100);
  (void)view.asDouble();
  (void)view.asBool();
  (void)view.asString();
  (void)view.asInts();
  (void)view.asStrings();
  (void)view.asUnion();
  (void)view.field("graph_module");
  (void)view.optional("as_int");
  if (!view.isArray() && !view.isObject())
    return;
  for (size_t i = 0, count = view.size(); i < count; ++i) {
    if (view.isArray()) {
      visit(view[i], depth + 1);
      continue;
    }
    (void)view.key(i);
    visit(view.member(i), depth + 1);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (bool quoteNonFinite : {false, true}) {
    JsonLimits limits;
    limits.depth = 64;
    limits.quoteNonFinite = quoteNonFinite;
    auto document = parseJson(text, "fuzz.json", limits);
    if (!document)
      continue;
    visit(document->root(), 1);
    (void)document->status();
  }
  // What is quoted is read back; bytes that are no UTF-8 are replaced once.
  std::string quoted = jsonQuote(text);
  auto again = parseJson(quoted, "quoted");
  test::require(bool(again), "what is quoted is JSON");
  test::require(jsonQuote(again->root().asString()) == quoted,
                "quoting keeps the text");
  return 0;
}
