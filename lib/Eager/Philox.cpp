//===- Philox.cpp - Counter-based random numbers --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Philox.h"

#include "kiln/Eager/Registry.h"

#include <atomic>
#include <cmath>

using namespace kiln;
using namespace kiln::eager;

Words eager::philox(Words counter, uint64_t key) {
  uint32_t low = uint32_t(key), high = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t x = uint64_t(0xD2511F53) * counter[0];
    uint64_t y = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(y >> 32) ^ counter[1] ^ low, uint32_t(y),
               uint32_t(x >> 32) ^ counter[3] ^ high, uint32_t(x)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return counter;
}

/// Where a thread begins that nobody gave a seed: each has numbers of its own.
static Draw firstDraw() {
  static std::atomic<uint64_t> threads{0};
  return {67280421310721, threads.fetch_add(1) << 48};
}

static thread_local Draw next = firstDraw();

void eager::seedGenerator(uint64_t seed, uint64_t stream) {
  next = {seed, stream << 24};
}

Draw eager::nextDraws(uint64_t count) {
  Draw first = next;
  next.number += count;
  return first;
}

eager::GivenDraws::GivenDraws(Draw first) : own(next) { next = first; }
eager::GivenDraws::~GivenDraws() { next = own; }

double eager::unitOf(const Words &words, int bits) {
  if (bits <= 32)
    return std::ldexp(double(words[0] >> (32 - bits)), -bits);
  uint64_t wide = uint64_t(words[0]) << 32 | words[1];
  return std::ldexp(double(wide >> (64 - bits)), -bits);
}

double eager::positiveUnitOf(const Words &words, int first, int bits) {
  if (bits <= 32)
    return std::ldexp(double(words[first] >> (32 - bits)) + 1, -bits);
  uint64_t wide = uint64_t(words[first]) << 32 | words[first + 1];
  return std::ldexp(double(wide >> (64 - bits)) + 1, -bits);
}
