//===- MemoryPlan.cpp - Places for buffers in one arena -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/Transforms/MemoryPlan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>

using namespace kiln::program;

namespace {

/// Buffers that hand one place on to each other, and when it is taken.
struct Chain {
  std::vector<unsigned> buffers;
  int64_t bytes = 0;
  std::optional<unsigned> symbolicSize;
  unsigned first = 0;
  unsigned last = 0;
  unsigned number = 0;
  int64_t offset = 0;
  unsigned slot = 0;
  std::vector<bool> apart = {}; ///< by number of chain; empty: from none

  bool meets(const Chain &other) const {
    return (first <= other.last && other.first <= last) ||
           (!apart.empty() && apart[other.number]);
  }
};

} // namespace

/// Joins buffers with those they overwrite.
static std::vector<Chain> makeChains(llvm::ArrayRef<PlanBuffer> buffers,
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
      if (*old < i && equal && before.last == buffer.first && !handedOn[*old]) {
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
    chains.push_back(
        {{i}, bytes, buffer.symbolicSize, buffer.first, buffer.last, chainOf[i]});
  }
  return chains;
}

/// Notes in chains of static size which of them have no byte in common.
static void keepApart(std::vector<Chain> &chains, PlanApart apart) {
  for (Chain &chain : chains)
    chain.apart.resize(chains.size());
  for (Chain &chain : chains)
    for (Chain &later : chains) {
      if (chain.symbolicSize || later.symbolicSize || chain.last >= later.first)
        continue;
      bool isApart = std::any_of(
          chain.buffers.begin(), chain.buffers.end(),
          [&](unsigned buffer) { return apart(buffer, later.buffers.front()); });
      chain.apart[later.number] = later.apart[chain.number] = isApart;
    }
}

/// What no plan can go below: a place handed on counts once.
static int64_t getLowerBound(const std::vector<Chain *> &chains) {
  std::map<unsigned, int64_t> change;
  for (const Chain *chain : chains) {
    change[chain->first] += chain->bytes;
    change[chain->last + 1] -= chain->bytes;
  }
  int64_t live = 0, most = 0;
  for (auto [step, bytes] : change)
    most = std::max(most, live += bytes);
  return most;
}

namespace {

/// Which of the gaps that the chains of the same time leave is taken.
enum class Fit { Smallest, Lowest };

/// Places static chains in several orders and keeps the best places.
class Placer {
public:
  explicit Placer(std::vector<Chain *> chains)
      : order(std::move(chains)), lowerBound(getLowerBound(order)) {}

  /// Leaves the best places in the chains. Returns the bytes they need.
  int64_t run();

private:
  /// Comparisons of two chains after which no other order is tried: some
  /// milliseconds.
  static constexpr int64_t kMaxSteps = 2'000'000;
  /// How often an order is changed in vain.
  static constexpr unsigned kMaxMoves = 8;
  /// Orders that are made from the best one by chance.
  static constexpr unsigned kMaxShakes = 64;

  int64_t findOffset(const Chain &chain, size_t placed, Fit fit);
  /// Places the chains as they are ordered. True if that is better than before.
  bool place(Fit fit);
  /// Moves what stood highest before the others, as long as that helps.
  void improve(Fit fit);
  void moveToFront(size_t i) {
    std::rotate(order.begin(), order.begin() + i, order.begin() + i + 1);
  }
  bool isDone() const { return best == lowerBound || steps > kMaxSteps; }

  std::vector<Chain *> order;
  int64_t lowerBound;
  int64_t best = std::numeric_limits<int64_t>::max();
  std::vector<std::pair<Chain *, int64_t>> bestPlaces;
  size_t highest = 0; ///< in `order`, of the last placement
  int64_t steps = 0;
  std::vector<std::pair<int64_t, int64_t>> taken;
};

} // namespace

int64_t Placer::findOffset(const Chain &chain, size_t placed, Fit fit) {
  taken.clear();
  for (size_t i = 0; i < placed; ++i)
    if (chain.meets(*order[i]))
      taken.push_back({order[i]->offset, order[i]->offset + order[i]->bytes});
  steps += placed;
  std::sort(taken.begin(), taken.end());
  int64_t end = 0, found = -1, smallest = 0;
  for (auto [from, to] : taken) {
    int64_t gap = from - end;
    if (gap >= chain.bytes && (found < 0 || gap < smallest)) {
      found = end;
      smallest = gap;
      if (fit == Fit::Lowest)
        break;
    }
    end = std::max(end, to);
  }
  return found < 0 ? end : found;
}

bool Placer::place(Fit fit) {
  int64_t bytes = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    Chain &chain = *order[i];
    chain.offset = findOffset(chain, i, fit);
    if (chain.offset + chain.bytes > bytes) {
      bytes = chain.offset + chain.bytes;
      highest = i;
    }
  }
  if (bytes >= best)
    return false;
  best = bytes;
  bestPlaces.clear();
  for (Chain *chain : order)
    bestPlaces.push_back({chain, chain->offset});
  return true;
}

void Placer::improve(Fit fit) {
  place(fit);
  for (unsigned moves = 0; moves < kMaxMoves && !isDone(); ++moves) {
    // What stands highest found no gap: it chooses before the others now.
    moveToFront(highest);
    if (place(fit))
      moves = 0;
  }
}

int64_t Placer::run() {
  if (order.empty())
    return 0;
  // The largest first; among equals the earliest. Then those that fill most of
  // the plane of bytes and steps, those that live longest, and in turn.
  auto tryOrder = [&](auto key) {
    for (Fit fit : {Fit::Smallest, Fit::Lowest}) {
      if (isDone())
        return;
      std::sort(order.begin(), order.end(), [&](Chain *a, Chain *b) {
        return key(*a) != key(*b) ? key(*a) > key(*b) : a < b;
      });
      improve(fit);
    }
  };
  tryOrder([](const Chain &chain) { return chain.bytes; });
  tryOrder([](const Chain &chain) {
    return double(chain.bytes) * (chain.last - chain.first + 1);
  });
  tryOrder([](const Chain &chain) { return chain.last - chain.first; });
  tryOrder([](const Chain &chain) { return -int64_t(chain.first); });
  // What these have in common is left by chance, the same one each time.
  std::minstd_rand random;
  for (unsigned tries = 0; tries < kMaxShakes && !isDone(); ++tries) {
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = bestPlaces[i].first;
    // One alone may bring back what was tried.
    moveToFront(random() % order.size());
    moveToFront(random() % order.size());
    improve(tries % 2 ? Fit::Lowest : Fit::Smallest);
  }
  for (auto [chain, offset] : bestPlaces)
    chain->offset = offset;
  return best;
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

MemoryPlan kiln::program::planMemory(llvm::ArrayRef<PlanBuffer> buffers,
                                     PlanApart apart) {
  MemoryPlan plan;
  plan.places.resize(buffers.size());
  std::vector<Chain> chains = makeChains(buffers, plan);
  if (apart)
    keepApart(chains, apart);
  std::vector<Chain *> all, statics, symbolics;
  for (Chain &chain : chains) {
    all.push_back(&chain);
    (chain.symbolicSize ? symbolics : statics).push_back(&chain);
  }
  plan.staticBytes = plan.peakBytes = Placer(statics).run();
  placeSymbolics(symbolics, plan);
  for (const Chain &chain : chains)
    for (unsigned i : chain.buffers) {
      plan.places[i].offset = chain.offset;
      if (chain.symbolicSize)
        plan.places[i].slot = chain.slot;
    }
  plan.lowerBound = getLowerBound(all);
  return plan;
}
