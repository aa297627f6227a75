//===- CacheMutants.cpp - Mutants of what the cache reads -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kiln-mutate-cache [SECONDS [SEED]]
//
// Changes entries, artifact files, replies of a server and texts of keys, and
// gives them to their readers. Half of the entries and files are signed again.
// SECONDS are for each of the four; without them each has 5000 mutants. A seed and
// a number determine a mutant.
//
//===----------------------------------------------------------------------===//

#include "CacheTargets.h"
#include "mutate/FileMutator.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>

using namespace kiln;
using namespace kiln::fuzz;

static void mutateEntry(Random &random) {
  std::string file = mutateBytes(goodEntry(below(random, 2)), random);
  bool isSealed = below(random, 2);
  checkEntry(isSealed ? sealEntry(file) : file, isSealed);
}

static void mutateArtifact(Random &random) {
  bool isSealed = below(random, 4) != 0;
  if (!isSealed)
    return checkArtifact(mutateBytes(goodArtifact(), random), isSealed);
  // The manifest as text, in as many bytes.
  const std::string good(goodManifest());
  std::string text = below(random, 2) ? mutateText(good, good, random)
                                      : mutateBytes(good, random);
  text.resize(good.size(), ' ');
  checkArtifact(sealArtifact(text, goodBlobs()), isSealed);
}

static void mutateReply(Random &random) {
  static const std::string seeds[] = {
      "*3\r\n$5\r\nhello\r\n$-1\r\n:42\r\n", "+OK\r\n-NOPERM no\r\n",
      "*2\r\n*2\r\n:1\r\n:2\r\n$0\r\n\r\n", "$20\r\n01234567890123456789\r\n",
      "*8\r\n$-1\r\n$-1\r\n$-1\r\n$3\r\nabc\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n",
      "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "*2147483647\r\n",
      "$9223372036854775807\r\n", "*65536\r\n:1\r\n"};
  checkReplies(mutateBytes(seeds[below(random, std::size(seeds))], random),
               [&](size_t left) { return 1 + below(random, left); });
}

static void mutateKeyText(Random &random) {
  static const std::string seeds[] = {
      "farm-1:9yV/X6Wm+Q1mYvQ0wYw0cBv6cV8vX9kH6N0m1d3K3bE=",
      std::string(64, 'a'),
      "redis://user:hunter2@[::1]:6379/3",
      "rediss://:hunter2@example.org",
      "unix://:hunter2@/run/redis.sock",
      "64M",
      "7d",
      "local fxgraph 3 hit\nlocal reason 1 corrupt: bad\n"};
  checkKeyText(mutateBytes(seeds[below(random, std::size(seeds))], random));
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 0;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const struct {
    const char *name;
    void (*mutate)(Random &);
  } targets[] = {{"entry", mutateEntry},
                 {"artifact", mutateArtifact},
                 {"reply", mutateReply},
                 {"key", mutateKeyText}};
  using Clock = std::chrono::steady_clock;
  for (const auto &one : targets) {
    auto end = Clock::now() + std::chrono::duration<double>(seconds);
    uint64_t number = 0;
    for (; seconds > 0 ? Clock::now() < end : number < 5000; ++number) {
      Random random(seed * 1000003 + number);
      one.mutate(random);
    }
    std::printf("%s: %llu mutants\n", one.name, (unsigned long long)number);
  }
  return 0;
}
