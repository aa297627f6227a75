//===- TensorMetaFuzzer.cpp - Metadata of tensors and whole graphs -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Archive/GraphReader.h"
#include "Fuzzer.h"

#include "kiln/Archive/ExportedProgram.h"

using namespace kiln;
using namespace kiln::archive;

static void check(const TensorMeta &meta) {
  test::require(meta.sizes.size() == meta.strides.size(), "a stride a size");
  test::require(meta.sizes.size() <= 64, "no more dimensions than the limit");
  for (const SymInt &size : meta.sizes)
    test::require(!size.isStatic() ||
                      (size.value >= 0 && size.value <= int64_t(1) << 48),
                  "sizes from 0 to 2^48");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto document = parseJson(text, "fuzz.json");
  if (!document)
    return 0;
  bool isGraph = document->root().isObject() &&
                 !document->root().optional("nodes").isNull();
  if (!isGraph) {
    TensorMeta meta = GraphReader().tensorMeta(document->root());
    if (document->status())
      check(meta);
    return 0;
  }
  Graph graph = GraphReader().graph(document->root());
  if (!document->status())
    return 0;
  for (const auto &[name, meta] : graph.tensors)
    check(meta);
  (void)verifyGraph(graph, "fuzz");
  return 0;
}
