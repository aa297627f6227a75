//===- MemoryPlan.cpp - Places for buffers in one arena -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/Transforms/MemoryPlan.h"

#include <algorithm>
#include <map>

using namespace kiln::program;

namespace {

/// Buffers that hand one place on to each other, and when it is taken.
struct Chain {
  std::vector<unsigned> buffers;
  int64_t bytes = 0;
  std::optional<unsigned> symbolicSize;
  unsigned first = 0;
  unsigned last = 0;
  int64_t offset = 0;
  unsigned slot = 0;

  bool meets(const Chain &other) const {
    return first <= other.last && other.first <= last;
  }
};

} // namespace

/// Joins buffers with those they overwrite.
static std::vector<Chain> makeChains(const std::vector<PlanBuffer> &buffers,
                                     MemoryPlan &plan) {
  std::vector<Chain> chains;
  std::vector<unsigned> chainOf(buffers.size());
  std::vector<bool> handedOn(buffers.size());
  for (unsigned i = 0; i < buffers.size(); ++i) {
    const PlanBuffer &buffer = buffers[i];
    int64_t bytes = alignBytes(std::max<int64_t>(buffer.bytes, 1));
    plan.withoutReuse += bytes;
    if (auto old = buffer.overwrites) {
      const PlanBuffer &before = buffers[*old];
      bool equal = before.symbolicSize == buffer.symbolicSize &&
                   before.bytes == buffer.bytes;
      if (*old < i && equal && before.last == buffer.first &&
          !handedOn[*old]) {
        handedOn[*old] = true;
        chainOf[i] = chainOf[*old];
        Chain &chain = chains[chainOf[i]];
        chain.buffers.push_back(i);
        chain.last = std::max(chain.last, buffer.last);
        plan.places[i].inPlace = true;
        continue;
      }
    }
    chainOf[i] = chains.size();
    chains.push_back({{i}, bytes, buffer.symbolicSize, buffer.first,
                      buffer.last, 0, 0});
  }
  return chains;
}

/// Best fit among the gaps that the placed chains of the same time leave.
static int64_t findOffset(const Chain &chain,
                          const std::vector<const Chain *> &placed) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const Chain *other : placed)
    if (chain.meets(*other))
      taken.push_back({other->offset, other->offset + other->bytes});
  std::sort(taken.begin(), taken.end());
  int64_t end = 0, best = -1, bestGap = 0;
  for (auto [from, to] : taken) {
    int64_t gap = from - end;
    if (gap >= chain.bytes && (best < 0 || gap < bestGap)) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, to);
  }
  return best < 0 ? end : best;
}

/// The largest first; among equals the earliest.
static void placeStatics(std::vector<Chain *> chains, MemoryPlan &plan) {
  std::sort(chains.begin(), chains.end(), [](const Chain *a, const Chain *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  std::vector<const Chain *> placed;
  for (Chain *chain : chains) {
    chain->offset = findOffset(*chain, placed);
    placed.push_back(chain);
    plan.staticBytes = std::max(plan.staticBytes, chain->offset + chain->bytes);
  }
  plan.peakBytes = plan.staticBytes;
}

/// A slot is free again one step after its last use.
static void placeSymbolics(std::vector<Chain *> chains, MemoryPlan &plan) {
  std::sort(chains.begin(), chains.end(), [](const Chain *a, const Chain *b) {
    return a->first != b->first ? a->first < b->first : a < b;
  });
  std::vector<unsigned> freeFrom; // of each slot
  for (Chain *chain : chains) {
    unsigned slot = 0;
    while (slot < freeFrom.size() &&
           (plan.slotSizes[slot] != *chain->symbolicSize ||
            freeFrom[slot] > chain->first))
      ++slot;
    if (slot == freeFrom.size()) {
      freeFrom.push_back(0);
      plan.slotSizes.push_back(*chain->symbolicSize);
      plan.peakBytes += chain->bytes;
    }
    freeFrom[slot] = chain->last + 1;
    chain->slot = slot;
  }
}

/// What no plan can go below: a place handed on counts once.
static int64_t getLowerBound(const std::vector<Chain> &chains) {
  std::map<unsigned, int64_t> change;
  for (const Chain &chain : chains) {
    change[chain.first] += chain.bytes;
    change[chain.last + 1] -= chain.bytes;
  }
  int64_t live = 0, most = 0;
  for (auto [step, bytes] : change)
    most = std::max(most, live += bytes);
  return most;
}

MemoryPlan kiln::program::planMemory(const std::vector<PlanBuffer> &buffers) {
  MemoryPlan plan;
  plan.places.resize(buffers.size());
  std::vector<Chain> chains = makeChains(buffers, plan);
  std::vector<Chain *> statics, symbolics;
  for (Chain &chain : chains)
    (chain.symbolicSize ? symbolics : statics).push_back(&chain);
  placeStatics(statics, plan);
  placeSymbolics(symbolics, plan);
  for (const Chain &chain : chains)
    for (unsigned i : chain.buffers) {
      plan.places[i].offset = chain.offset;
      if (chain.symbolicSize)
        plan.places[i].slot = chain.slot;
    }
  plan.lowerBound = getLowerBound(chains);
  return plan;
}
