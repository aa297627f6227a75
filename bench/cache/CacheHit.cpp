//===- CacheHit.cpp - What a local hit costs ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/LocalStore.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <filesystem>

using namespace kiln;
using namespace kiln::cache;

/// A hit on an entry of 64 KiB that does not shrink, in the page cache: list,
/// open, read, authenticate, digest. Argument: 1 HMAC, 2 Ed25519.
static void hit(benchmark::State &state) {
  char pattern[] = "/tmp/kiln-bench-XXXXXX";
  if (!::mkdtemp(pattern))
    return state.SkipWithError("no folder");
  auto ring = std::make_shared<KeyRing>(Seed({1}), std::vector<PublicKey>(),
                                        std::vector<PublicKey>());
  auto store = LocalStore::open(std::string(pattern) + "/cache", ring);
  CacheKeyBuilder builder(KeyKind::FxGraph);
  builder.addText(KeyTag::Options, "options", "bench");
  CacheKey key = builder.finish();
  Digest environment = sha256(std::string_view("environment"));
  std::vector<uint8_t> payload(64 << 10);
  uint32_t number = 1;
  for (uint8_t &byte : payload)
    byte = uint8_t((number = number * 1664525 + 1013904223) >> 24);
  auto method = Authentication(state.range(0));
  Status put = store ? (*store)->putFile(key, payload,
                                         encodeEntry(key.digest, environment,
                                                     {}, payload,
                                                     {*ring, method}))
                     : Status(store.takeError());
  if (!put)
    state.SkipWithError(put.error().message.c_str());
  else
    for (auto _ : state)
      if (!(*store)->get(key, environment).hit())
        return state.SkipWithError("miss");
  std::filesystem::remove_all(pattern);
}
BENCHMARK(hit)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
