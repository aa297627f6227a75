//===- Rematerialization.cpp - What is computed again ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Rematerialization.h"

#include <algorithm>
#include <set>

using namespace kiln::loop;

namespace {

/// Adds cuts, one candidate after another, until the limit holds.
class Search {
public:
  Search(const RematProblem &problem, int64_t limit)
      : problem(problem), limit(limit), target(limit) {}
  RematResult run();

private:
  /// Simulations of a descent after which no other candidate is tried.
  static constexpr unsigned kMaxSimulations = 2'000;
  /// Programs with up to so many cuts have all sets of them tried.
  static constexpr size_t kLargestExact = 10;
  /// Candidates that are simulated at a time, those that promise most first.
  static constexpr size_t kBatch = 8;
  /// Candidates of which pairs are simulated where none helps alone.
  static constexpr size_t kMostPaired = 24;

  using Cut = std::pair<unsigned, unsigned>; ///< step, before which
  struct Candidate {
    Cut cut;
    double gain = 0; ///< bytes a cost
  };
  struct Step {
    double gain = 0;
    RematCuts cuts;
    RematState state;
  };

  /// Which state is better: less memory as far as that counts, then less time.
  std::pair<int64_t, int64_t> getOrder(const RematState &reached) const {
    return {std::max(reached.peak, target), reached.cost};
  }
  RematState simulate(const RematCuts &cuts) {
    ++simulations;
    return kiln::loop::simulate(problem, cuts);
  }
  std::vector<Candidate> findCandidates() const;
  RematCuts addCut(const RematCuts &cuts, Cut cut, unsigned depth) const;
  void findReads();
  bool isThere(unsigned value, unsigned slot) const;
  void tryCuts(RematCuts tried, Step &best);
  bool improve();
  void descend();
  RematCuts cutEverywhere() const;
  static std::vector<Cut> list(const RematCuts &cuts);
  void descendSlowly(RematResult &result);
  void keepIfBetter(RematResult &result);
  void tryAll(const std::vector<Cut> &all, RematResult &result);
  void leaveOut();

  const RematProblem &problem;
  const int64_t limit;
  int64_t target; ///< what is descended to: the limit, or a step towards it
  bool weighsCost = true;
  RematCuts cuts;
  RematState state;
  /// Of each value: from which slot on it is there for who reads it at another.
  std::vector<std::vector<std::pair<unsigned, unsigned>>> readsOf;
  unsigned simulations = 0;
};

} // namespace

/// Gaps between uses of what a run makes, in which too much is live.
std::vector<Search::Candidate> Search::findCandidates() const {
  std::vector<unsigned> over(state.order.size() + 1);
  for (size_t i = 0; i < state.order.size(); ++i)
    over[i + 1] = over[i] + (state.live[i] > target);
  // Of each run: positions that read what it makes, and which value that is.
  std::vector<std::vector<std::pair<unsigned, unsigned>>> uses(
      state.order.size());
  for (unsigned position = 0; position < state.order.size(); ++position) {
    const RematRun &run = state.order[position];
    for (size_t k = 0; k < run.sources.size(); ++k)
      uses[run.sources[k]].push_back(
          {position, problem.steps[run.step].reads[k]});
  }
  std::vector<Candidate> candidates;
  for (unsigned position = 0; position < state.order.size(); ++position) {
    const RematRun &run = state.order[position];
    const RematStep &step = problem.steps[run.step];
    if (!step.mayRepeat)
      continue;
    unsigned last = position;
    for (size_t k = 0; k < uses[position].size(); ++k) {
      const unsigned next = uses[position][k].first;
      const unsigned slot = state.order[next].slot;
      const bool crosses =
          run.slot < problem.numForward && slot >= problem.numForward;
      const bool isRepeatable = slot < problem.numForward ||
                                run.step >= problem.numForward ||
                                step.mayRepeatInBackward;
      // A saved value takes its bytes all the time.
      const bool isOver =
          crosses ? over.back() != 0 : over[next] != over[last + 1];
      if (next > last && slot > state.order[last].slot && isRepeatable &&
          isOver) {
        std::set<unsigned> values;
        for (size_t later = k; later < uses[position].size(); ++later)
          values.insert(uses[position][later].second);
        double bytes = 0;
        for (unsigned value : values)
          bytes += double(problem.values[value].bytes);
        candidates.push_back(
            {{run.step, slot}, bytes / (double(step.cost) + 1)});
      }
      last = std::max(last, next);
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return a.gain != b.gain ? a.gain > b.gain : a.cut < b.cut;
            });
  return candidates;
}

/// Notes who reads what, for `isThere`.
void Search::findReads() {
  readsOf.assign(problem.values.size(), {});
  for (const RematRun &run : state.order) {
    const std::vector<unsigned> &reads = problem.steps[run.step].reads;
    for (size_t k = 0; k < reads.size(); ++k) {
      const RematRun &source = state.order[run.sources[k]];
      // What runs again right before `slot` is there for others that do.
      unsigned from = source.slot + (source.isAgain ? 0 : 1);
      readsOf[reads[k]].push_back({from, run.slot});
    }
  }
}

/// True if somebody at or behind `slot` reads a making of the value from
/// before.
bool Search::isThere(unsigned value, unsigned slot) const {
  for (auto [from, to] : readsOf[value])
    if (from <= slot && slot <= to)
      return true;
  return problem.values[value].isOutput && problem.values[value].step < slot;
}

/// The cuts with another one. What the step reads and nobody has kept until
/// then is run again as well, over `depth` steps.
RematCuts Search::addCut(const RematCuts &cuts, Cut cut, unsigned depth) const {
  RematCuts more = cuts;
  std::vector<std::pair<Cut, unsigned>> added = {{cut, depth}};
  while (!added.empty()) {
    auto [next, left] = added.back();
    added.pop_back();
    auto [step, slot] = next;
    std::vector<unsigned> &slots = more[step];
    auto place = std::lower_bound(slots.begin(), slots.end(), slot);
    if (place != slots.end() && *place == slot)
      continue;
    slots.insert(place, slot);
    if (left == 0)
      continue;
    for (unsigned value : problem.steps[step].reads) {
      const unsigned made = problem.values[value].step;
      if (problem.steps[made].mayRepeat && !isThere(value, slot))
        added.push_back({{made, slot}, left - 1});
    }
  }
  return more;
}

/// Keeps what comes of `tried` if it lowers the excess by more for its cost
/// than what was tried before.
void Search::tryCuts(RematCuts tried, Step &best) {
  RematState reached = simulate(tried);
  int64_t lowered = state.getExcess(target) - reached.getExcess(target);
  if (!reached.isPossible || lowered <= 0)
    return;
  // What costs nothing is taken first.
  double cost = weighsCost ? std::max<double>(0, reached.cost - state.cost) : 0;
  double gain = double(lowered) / (cost + 1);
  if (gain > best.gain)
    best = {gain, std::move(tried), std::move(reached)};
}

/// Takes the candidate that lowers the excess most for its cost, of the first
/// few that lower it at all; else two of them. False if there are none.
bool Search::improve() {
  findReads();
  const std::vector<Candidate> candidates = findCandidates();
  Step best;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (simulations > kMaxSimulations || (i % kBatch == 0 && best.gain > 0))
      break;
    RematCuts before;
    for (unsigned depth : {0, 1, 2, 4, 8, 64}) {
      RematCuts tried = addCut(cuts, candidates[i].cut, depth);
      if (tried == before)
        break;
      before = tried;
      tryCuts(std::move(tried), best);
    }
  }
  const size_t few = std::min(candidates.size(), kMostPaired);
  for (size_t i = 0; i < few && best.gain == 0; ++i)
    for (size_t k = 0; k < i && simulations <= kMaxSimulations; ++k)
      for (unsigned depth : {0, 64})
        tryCuts(addCut(addCut(cuts, candidates[i].cut, depth),
                       candidates[k].cut, depth),
                best);
  if (best.gain == 0)
    return false;
  cuts = std::move(best.cuts);
  state = std::move(best.state);
  return true;
}

std::vector<Search::Cut> Search::list(const RematCuts &cuts) {
  std::vector<Cut> all;
  for (unsigned step = 0; step < cuts.size(); ++step)
    for (unsigned slot : cuts[step])
      all.push_back({step, slot});
  return all;
}

/// Takes cuts back that later ones have made needless, the dearest first, until
/// none can go.
void Search::leaveOut() {
  std::vector<Cut> all = list(cuts);
  std::sort(all.begin(), all.end(), [&](Cut a, Cut b) {
    int64_t costA = problem.steps[a.first].cost,
            costB = problem.steps[b.first].cost;
    return costA != costB ? costA > costB : a < b;
  });
  for (size_t k = 0, failed = 0; failed < all.size(); ++k, ++failed) {
    if (simulations > kMaxSimulations)
      return;
    auto [step, slot] = all[k % all.size()];
    RematCuts fewer = cuts;
    std::vector<unsigned> &slots = fewer[step];
    auto place = std::find(slots.begin(), slots.end(), slot);
    if (place == slots.end())
      continue;
    slots.erase(place);
    RematState reached = simulate(fewer);
    if (!reached.isPossible || getOrder(reached) > getOrder(state))
      continue;
    cuts = std::move(fewer);
    state = std::move(reached);
    failed = 0;
  }
}

/// Starts from the cuts there are, and leaves the lowest peak that was met.
void Search::descend() {
  RematCuts lowestCuts = cuts;
  RematState lowest = state;
  while (state.peak > target && improve())
    if (state.peak < lowest.peak) {
      lowestCuts = cuts;
      lowest = state;
    }
  cuts = std::move(lowestCuts);
  state = std::move(lowest);
  leaveOut();
}

/// What nothing keeps for a later reader: each of them has a run of its own.
RematCuts Search::cutEverywhere() const {
  RematCuts all(problem.steps.size());
  for (unsigned reader = 0; reader < problem.steps.size(); ++reader)
    for (unsigned read : problem.steps[reader].reads) {
      // Those that are run again for it read there, too.
      std::vector<unsigned> steps = {problem.values[read].step};
      while (!steps.empty()) {
        const unsigned step = steps.back();
        steps.pop_back();
        if (!problem.steps[step].mayRepeat || reader == step + 1 ||
            (!all[step].empty() && all[step].back() == reader))
          continue;
        all[step].push_back(reader);
        for (unsigned value : problem.steps[step].reads)
          steps.push_back(problem.values[value].step);
      }
    }
  return all;
}

void Search::keepIfBetter(RematResult &result) {
  if (!state.isPossible || getOrder(state) >= getOrder(result.state))
    return;
  result.cuts = std::move(cuts);
  result.state = std::move(state);
}

/// Tries all sets of cuts.
void Search::tryAll(const std::vector<Cut> &all, RematResult &result) {
  for (unsigned set = 1; set < 1u << all.size(); ++set) {
    cuts.assign(problem.steps.size(), {});
    for (size_t k = 0; k < all.size(); ++k)
      if (set >> k & 1)
        cuts[all[k].first].push_back(all[k].second);
    state = simulate(cuts);
    keepIfBetter(result);
  }
}

/// Far from what can be reached the excess says little of it: goes there in
/// small steps.
void Search::descendSlowly(RematResult &result) {
  weighsCost = true;
  simulations = 0;
  cuts.assign(problem.steps.size(), {});
  state = result.before;
  while (state.peak > limit) {
    const int64_t before = state.peak;
    target = std::max(limit, before - before / 64 - 1);
    descend();
    if (state.peak >= before)
      break;
  }
  target = limit;
  keepIfBetter(result);
}

RematResult Search::run() {
  RematResult result;
  result.cuts.resize(problem.steps.size());
  result.before = result.state = simulate(result.cuts);
  if (result.state.peak <= limit)
    return result;
  const RematCuts everywhere = cutEverywhere();
  const std::vector<Cut> all = list(everywhere);
  if (all.size() <= kLargestExact) {
    tryAll(all, result);
    return result;
  }
  auto start = [&](const RematCuts &from, bool weighs) {
    weighsCost = weighs;
    simulations = 0;
    cuts = from;
    state = simulate(cuts);
    descend();
    keepIfBetter(result);
  };
  // What takes most off at once can leave less to be done than what is cheap.
  start(RematCuts(problem.steps.size()), true);
  start(RematCuts(problem.steps.size()), false);
  if (result.state.peak > limit)
    start(everywhere, true);
  if (result.state.peak > limit)
    descendSlowly(result);
  return result;
}

RematResult kiln::loop::rematerialize(const RematProblem &problem,
                                      int64_t limit) {
  return Search(problem, limit).run();
}
