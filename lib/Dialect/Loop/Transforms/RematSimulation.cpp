//===- RematSimulation.cpp - The memory that a program needs --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Rematerialization.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>

using namespace kiln::loop;

namespace {

/// A run, and what is known of it while the order is not.
struct Run {
  unsigned step, slot;
  uint64_t key; ///< runs are in the order of these
  std::vector<unsigned> sources;
};

/// One making of a value, and when it is needed. Steps are positions in the
/// order.
struct Life {
  unsigned value = 0;
  unsigned first = 0, last = 0;
  bool isOutput = false, isSaved = false;
};

/// The memory of a saved value, which a backward uses again.
struct Room {
  unsigned value;
  std::vector<std::pair<unsigned, unsigned>> lives;
};

class Simulation {
public:
  Simulation(const RematProblem &problem, const RematCuts &cuts)
      : problem(problem), cuts(cuts), runsOf(problem.steps.size()),
        readersOf(problem.steps.size()) {}
  RematState run();

private:
  struct Use {
    unsigned run, read;
  };
  uint64_t getKey(unsigned slot, unsigned step) const {
    return uint64_t(slot) * (problem.steps.size() + 1) + step;
  }
  unsigned addRun(unsigned step, unsigned slot, bool isAgain) {
    unsigned last = isAgain ? step : problem.steps.size();
    runs.push_back({step, slot, getKey(slot, last), {}});
    runs.back().sources.resize(problem.steps[step].reads.size());
    runsOf[step].push_back(runs.size() - 1);
    return runs.size() - 1;
  }
  bool isBackward(unsigned slot) const { return slot >= problem.numForward; }
  bool makesOutput(const RematStep &step) const {
    return std::any_of(step.makes.begin(), step.makes.end(),
                       [&](unsigned v) { return problem.values[v].isOutput; });
  }
  void placeRuns(unsigned step);
  void order();
  void findLives();
  bool mayOverwrite(unsigned position, unsigned made, unsigned read) const;
  bool takeRoom(const Life &life, unsigned last);
  void addArena(std::vector<Life *> lives);
  void count();

  const RematProblem &problem;
  const RematCuts &cuts;
  std::vector<Run> runs;
  std::vector<std::vector<unsigned>> runsOf; ///< by step
  /// Of a step: who reads its results, and as which of their reads.
  std::vector<std::vector<std::pair<unsigned, unsigned>>> readersOf;
  std::vector<Life> lives;
  std::vector<Room> rooms;
  RematState state;
};

} // namespace

/// Gives each use of what `step` makes a run of it. Whoever reads comes later,
/// so all of those are known.
void Simulation::placeRuns(unsigned step) {
  const RematStep &made = problem.steps[step];
  std::vector<Use> uses;
  for (auto [reader, read] : readersOf[step])
    for (unsigned run : runsOf[reader])
      uses.push_back({run, read});
  std::sort(uses.begin(), uses.end(), [&](Use a, Use b) {
    return std::make_pair(runs[a.run].key, a.read) <
           std::make_pair(runs[b.run].key, b.read);
  });
  std::optional<unsigned> current;
  // What nobody can run again, or gets a result of at the end, runs in its
  // place.
  if (uses.empty() || !made.mayRepeat || makesOutput(made))
    current = addRun(step, step, false);
  size_t passed = 0;
  for (Use use : uses) {
    const unsigned slot = runs[use.run].slot;
    bool isCut = false;
    for (; passed < cuts[step].size() && cuts[step][passed] <= slot; ++passed)
      isCut = true;
    isCut &= made.mayRepeat && (!isBackward(slot) || isBackward(step) ||
                                made.mayRepeatInBackward);
    if (isCut)
      current = addRun(step, slot, true);
    else if (!current)
      current = addRun(step, step, false);
    runs[use.run].sources[use.read] = *current;
  }
}

void Simulation::order() {
  std::vector<unsigned> sorted(runs.size()), position(runs.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(),
            [&](unsigned a, unsigned b) { return runs[a].key < runs[b].key; });
  for (unsigned i = 0; i < sorted.size(); ++i)
    position[sorted[i]] = i;
  for (unsigned index : sorted) {
    const Run &run = runs[index];
    RematRun placed;
    placed.step = run.step;
    placed.slot = run.slot;
    placed.isAgain = run.key != getKey(run.slot, problem.steps.size());
    for (unsigned source : run.sources)
      placed.sources.push_back(position[source]);
    state.order.push_back(std::move(placed));
    state.cost += problem.steps[run.step].cost;
  }
  for (const RematStep &step : problem.steps)
    state.cost -= step.cost;
}

void Simulation::findLives() {
  std::vector<unsigned> firstLife; // of each position
  for (unsigned position = 0; position < state.order.size(); ++position) {
    const RematRun &run = state.order[position];
    const RematStep &step = problem.steps[run.step];
    firstLife.push_back(lives.size());
    for (size_t k = 0; k < step.reads.size(); ++k) {
      unsigned read = step.reads[k], source = run.sources[k];
      const std::vector<unsigned> &made =
          problem.steps[state.order[source].step].makes;
      Life &life =
          lives[firstLife[source] +
                (std::find(made.begin(), made.end(), read) - made.begin())];
      life.last = position;
      if (isBackward(run.slot) && !isBackward(state.order[source].slot)) {
        life.isSaved = true;
        state.isPossible &= problem.values[read].mayBeSaved;
      }
    }
    for (unsigned value : step.makes)
      lives.push_back({value, position, position,
                       problem.values[value].isOutput && !run.isAgain, false});
  }
}

bool Simulation::mayOverwrite(unsigned position, unsigned made,
                              unsigned read) const {
  const auto &pairs = problem.steps[state.order[position].step].overwrites;
  return std::find(pairs.begin(), pairs.end(), std::make_pair(made, read)) !=
         pairs.end();
}

/// As the memory plan does: the smallest room that fits, and of those the one
/// that was read last.
bool Simulation::takeRoom(const Life &life, unsigned last) {
  const RematValue &value = problem.values[life.value];
  Room *best = nullptr;
  std::pair<int64_t, int64_t> bestOrder;
  for (Room &room : rooms) {
    const RematValue &kept = problem.values[room.value];
    bool fits =
        value.type == kept.type || (!life.isOutput && value.isStatic &&
                                    kept.isStatic && value.bytes <= kept.bytes);
    unsigned freed = 0;
    for (size_t k = 0; k < room.lives.size() && fits; ++k) {
      auto [from, to] = room.lives[k];
      fits = last < from || life.first > to ||
             (k == 0 && life.first == to &&
              mayOverwrite(life.first, life.value, room.value));
      if (to <= life.first)
        freed = std::max(freed, to);
    }
    std::pair<int64_t, int64_t> order = {kept.bytes, -int64_t(freed)};
    if (fits && (!best || order < bestOrder)) {
      best = &room;
      bestOrder = order;
    }
  }
  if (best)
    best->lives.push_back({life.first, last});
  return best;
}

/// Counts what lives in the arena; what is written over something hands its
/// place on.
void Simulation::addArena(std::vector<Life *> lives) {
  std::vector<int64_t> change(state.order.size() + 1);
  // Values whose place nobody has taken over yet, by where they end.
  std::vector<std::vector<unsigned>> ending(state.order.size());
  for (const Life *life : lives) {
    int64_t bytes = problem.values[life->value].bytes;
    change[life->first] += bytes;
    change[life->last + 1] -= bytes;
    std::vector<unsigned> &ended = ending[life->first];
    auto old = std::find_if(ended.begin(), ended.end(), [&](unsigned before) {
      return problem.values[before].bytes == bytes &&
             mayOverwrite(life->first, life->value, before);
    });
    if (old != ended.end()) {
      ended.erase(old);
      change[life->first] -= bytes;
      change[life->first + 1] += bytes;
    }
    ending[life->last].push_back(life->value);
  }
  int64_t now = 0;
  for (size_t i = 0; i < state.live.size(); ++i)
    state.live[i] += now += change[i];
}

void Simulation::count() {
  const unsigned end = state.order.size();
  int64_t base = problem.fixedBytes;
  std::vector<Life *> arena;
  for (Life &life : lives) {
    bool isForward = !isBackward(state.order[life.first].slot);
    int64_t bytes = problem.values[life.value].bytes;
    if (life.isSaved)
      state.savedBytes += bytes;
    if (isForward && (life.isSaved || life.isOutput))
      base += bytes;
    if (life.isSaved && !life.isOutput)
      rooms.push_back({life.value, {{0, life.last}}});
  }
  // What the caller receives takes room first: the arena is used again anyway.
  std::vector<const Life *> lifeOf(problem.values.size()); // of outputs
  for (const Life &life : lives)
    if (life.isOutput)
      lifeOf[life.value] = &life;
  for (unsigned output : problem.outputs)
    if (!takeRoom(*lifeOf[output], end))
      base += problem.values[output].bytes;
  for (Life &life : lives) {
    if (life.isSaved || life.isOutput)
      continue;
    if (!isBackward(state.order[life.first].slot) || !takeRoom(life, life.last))
      arena.push_back(&life);
  }
  state.live.assign(end, base);
  addArena(std::move(arena));
  state.peak = base;
  for (unsigned i = 0; i < end; ++i)
    if (state.live[i] > state.peak) {
      state.peak = state.live[i];
      state.peakPosition = i;
    }
}

RematState Simulation::run() {
  for (unsigned reader = 0; reader < problem.steps.size(); ++reader)
    for (size_t k = 0; k < problem.steps[reader].reads.size(); ++k) {
      unsigned made = problem.values[problem.steps[reader].reads[k]].step;
      assert(made < reader && "a step reads what is made before it");
      readersOf[made].push_back({reader, unsigned(k)});
    }
  for (unsigned step = problem.steps.size(); step-- > 0;)
    placeRuns(step);
  order();
  findLives();
  count();
  return std::move(state);
}

RematState kiln::loop::simulate(const RematProblem &problem,
                                const RematCuts &cuts) {
  return Simulation(problem, cuts).run();
}

int64_t RematState::getExcess(int64_t limit) const {
  int64_t excess = 0;
  for (int64_t bytes : live)
    excess += std::max<int64_t>(0, bytes - limit);
  return excess;
}
