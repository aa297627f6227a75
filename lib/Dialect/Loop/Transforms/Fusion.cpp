//===- Fusion.cpp - Which loop nests become one kernel --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Fusion.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/ErrorHandling.h"

#include <map>
#include <set>
#include <tuple>

using namespace kiln;
using namespace kiln::loop;

namespace {

using Kind = FusionNode::Kind;
using Obstacle = FusionObstacle::Kind;

/// Bytes of a row from which on it is no longer one thread's where threads
/// share rows, and no other thread can have any element of it.
constexpr int64_t kLeastSharedBytes = 64;

/// Readers of one tensor beyond this number are not paired with each other:
/// a weight that everything reads says nothing about who belongs together.
constexpr size_t maxReadersPaired = 32;

struct Score {
  int64_t bytes = 0;
  bool alike = false;
  int64_t distance = 0;

  bool operator>(const Score &other) const {
    return std::make_tuple(bytes, alike, -distance) >
           std::make_tuple(other.bytes, other.alike, -other.distance);
  }
};

class Fuser {
public:
  Fuser(const FusionProblem &problem, const FusionOptions &options);
  FusionResult run();

private:
  struct Candidate {
    unsigned a, b;
    Score score;
  };

  bool runRound();
  /// Nothing if the groups may be fused; `shared` is then set.
  std::optional<FusionObstacle> whyNot(unsigned a, unsigned b,
                                       unsigned &shared) const;
  std::optional<FusionObstacle> whyNotAlone(ArrayRef<unsigned> nodes,
                                            unsigned &shared) const;
  bool areInParts(ArrayRef<unsigned> nodes, size_t shared) const;
  bool canShareRows(ArrayRef<unsigned> nodes, size_t shared,
                    int64_t workItems) const;
  bool waitsAcross(ArrayRef<unsigned> nodes) const;
  bool readSamePart(unsigned tensor, unsigned a, unsigned b,
                    unsigned shared) const;
  Score getScore(unsigned a, unsigned b, unsigned shared) const;
  bool reaches(unsigned from, unsigned to, bool indirectly) const;
  /// Calls `visit` with each group that reads from `group`, as often as it does,
  /// until it says false.
  template <typename F> bool forEachReader(unsigned group, F visit) const;
  /// Makes the order fit after `b` has become a part of `a`.
  void mergePositions(unsigned a, unsigned b);
  std::set<std::pair<unsigned, unsigned>> getPairs() const;
  void merge(unsigned a, unsigned b, unsigned shared);
  void finish();

  const FusionNode &node(unsigned i) const { return problem.nodes[i]; }

  const FusionProblem &problem;
  const FusionOptions &options;
  FusionResult result;
  /// The group of each node, and the nodes of each (empty: merged away).
  std::vector<unsigned> groupOf;
  std::vector<FusionGroup> groups;
  /// The node that writes each tensor; ~0u for inputs.
  std::vector<unsigned> writerOf;
  std::vector<std::vector<unsigned>> readersOf;
  unsigned numGroups = 0;
  /// An order in which each group stands behind those it reads from, and the
  /// inverse; ~0u where one has been merged away.
  std::vector<unsigned> positionOf, groupAt;
};

} // namespace

Fuser::Fuser(const FusionProblem &problem, const FusionOptions &options)
    : problem(problem), options(options) {
  writerOf.assign(problem.tensors.size(), ~0u);
  readersOf.resize(problem.tensors.size());
  for (unsigned i = 0; i < problem.nodes.size(); ++i) {
    groupOf.push_back(i);
    positionOf.push_back(i);
    groupAt.push_back(i);
    // A scatter is walked in order: one work item.
    bool ordered = node(i).kind == Kind::Scatter;
    groups.push_back({{i}, ordered ? 0 : unsigned(node(i).parallel.size())});
    for (unsigned tensor : node(i).writes)
      writerOf[tensor] = i;
    for (const FusionRead &read : node(i).reads)
      if (readersOf[read.tensor].empty() || readersOf[read.tensor].back() != i)
        readersOf[read.tensor].push_back(i);
    numGroups += node(i).kind != Kind::Opaque;
  }
}

/// True if group `to` depends on group `from`; with `indirectly` only a path
/// over a third group counts.
bool Fuser::reaches(unsigned from, unsigned to, bool indirectly) const {
  if (positionOf[from] > positionOf[to])
    return false;
  llvm::SmallDenseSet<unsigned> seen;
  SmallVector<unsigned> work = {from};
  while (!work.empty()) {
    unsigned group = work.pop_back_val();
    bool isMissing = forEachReader(group, [&](unsigned next) {
      if (indirectly && group == from && next == to)
        return true;
      if (next == to)
        return false;
      // No way leads back from behind it.
      if (positionOf[next] < positionOf[to] && seen.insert(next).second)
        work.push_back(next);
      return true;
    });
    if (!isMissing)
      return true;
  }
  return false;
}

template <typename F>
bool Fuser::forEachReader(unsigned group, F visit) const {
  for (unsigned i : groups[group].nodes)
    for (unsigned tensor : node(i).writes)
      for (unsigned reader : readersOf[tensor])
        if (groupOf[reader] != group && !visit(groupOf[reader]))
          return false;
  return true;
}

// Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic
// graphs" (2006): only what stands between the two has to move.
void Fuser::mergePositions(unsigned a, unsigned b) {
  unsigned first = std::min(positionOf[a], positionOf[b]);
  unsigned last = std::max(positionOf[a], positionOf[b]);
  llvm::SmallDenseSet<unsigned> behind;
  SmallVector<unsigned> work = {a};
  while (!work.empty())
    forEachReader(work.pop_back_val(), [&](unsigned next) {
      if (positionOf[next] < last && next != a && behind.insert(next).second)
        work.push_back(next);
      return true;
    });
  SmallVector<unsigned> order, later;
  for (unsigned k = first; k <= last; ++k)
    if (unsigned group = groupAt[k]; group != ~0u && group != a && group != b)
      (behind.contains(group) ? later : order).push_back(group);
  order.push_back(a);
  llvm::append_range(order, later);
  order.resize(last - first + 1, ~0u);
  for (auto [k, group] : llvm::enumerate(order)) {
    groupAt[first + k] = group;
    if (group != ~0u)
      positionOf[group] = first + k;
  }
}

/// True if reductions are done in parts together, and the other nodes need
/// their results alone, point by point: how few points there are does not
/// matter then.
bool Fuser::areInParts(ArrayRef<unsigned> nodes, size_t shared) const {
  const FusionNode *first = nullptr;
  for (unsigned i : nodes) {
    const FusionNode &each = node(i);
    if (each.parallel.size() != shared ||
        (!each.inParts && each.kind != Kind::Pointwise))
      return false;
    if (!each.inParts)
      continue;
    bool waits = llvm::any_of(each.reads, [&](const FusionRead &read) {
      unsigned writer = writerOf[read.tensor];
      return writer != ~0u && llvm::is_contained(nodes, writer);
    });
    if (waits || (first && (first->reduction != each.reduction ||
                            first->across != each.across)))
      return false;
    first = &each;
  }
  return first != nullptr;
}

/// True if threads may share the row of each of `workItems` points: of what nodes make they
/// read what all have or the element in their own place, and reductions give one value for a
/// point. What `loop::canShareRows` asks of a kernel.
bool Fuser::canShareRows(ArrayRef<unsigned> nodes, size_t shared,
                         int64_t workItems) const {
  auto isOnePerPoint = [&](unsigned tensor) {
    return problem.tensors[tensor].elements == workItems;
  };
  return llvm::all_of(nodes, [&](unsigned i) {
    const FusionNode &each = node(i);
    if (each.kind == Kind::Reduction && !each.walksRow &&
        !llvm::all_of(each.writes, isOnePerPoint))
      return false;
    if (each.walksRow && each.parallel.size() != shared)
      return false;
    return llvm::all_of(each.reads, [&](const FusionRead &read) {
      unsigned writer = writerOf[read.tensor];
      return writer == ~0u || !llvm::is_contained(nodes, writer) ||
             isOnePerPoint(read.tensor) || read.isOwnPlace;
    });
  });
}

/// True if a reduction across memory reads what another node makes.
bool Fuser::waitsAcross(ArrayRef<unsigned> nodes) const {
  return llvm::any_of(nodes, [&](unsigned i) {
    return node(i).across &&
           llvm::any_of(node(i).reads, [&](const FusionRead &read) {
             unsigned writer = writerOf[read.tensor];
             return writer != ~0u && llvm::is_contained(nodes, writer);
           });
  });
}

std::optional<FusionObstacle>
Fuser::whyNotAlone(ArrayRef<unsigned> nodes, unsigned &shared) const {
  // The longest common prefix of the parallel extents.
  auto getLeading = [&](unsigned i) {
    ArrayRef<guard::ExprAttr> extents = node(i).parallel;
    return extents.take_front(std::min(extents.size(), node(i).leading));
  };
  ArrayRef<guard::ExprAttr> prefix = getLeading(nodes[0]);
  size_t k = prefix.size();
  size_t lowestRank = k;
  for (unsigned i : nodes) {
    ArrayRef<guard::ExprAttr> extents = getLeading(i);
    lowestRank = std::min(lowestRank, extents.size());
    k = std::min(k, extents.size());
    for (size_t d = 0; d < k; ++d)
      if (extents[d] != prefix[d])
        k = d;
  }
  // Reads of what becomes internal limit it further.
  llvm::SmallSet<unsigned, 16> written;
  for (unsigned i : nodes)
    written.insert(node(i).writes.begin(), node(i).writes.end());
  bool dependent = false;
  size_t aligned = k;
  for (unsigned i : nodes)
    for (const FusionRead &read : node(i).reads)
      if (written.contains(read.tensor)) {
        dependent = true;
        aligned = std::min<size_t>(aligned, read.alignment);
      }
  if (shareColumns(problem, nodes, writerOf, options)) {
    shared = aligned;
    return std::nullopt;
  }
  if (k == 0 && lowestRank > 0)
    return FusionObstacle{Obstacle::NoSharedExtents};
  if (aligned == 0 && k > 0)
    return FusionObstacle{Obstacle::OtherIndex};
  k = aligned;

  int64_t workItems = 1, points = 0;
  for (size_t d = 0; d < k; ++d)
    workItems *= std::max<int64_t>(node(nodes[0]).parallelHints[d], 1);
  for (unsigned i : nodes)
    points += node(i).points;
  if (options.sharedRow > 0)
    for (unsigned i : nodes)
      for (const FusionRead &read : node(i).reads)
        if (read.isComputed && written.contains(read.tensor) &&
            problem.tensors[read.tensor].bytes / workItems > kLeastSharedBytes)
          return FusionObstacle{Obstacle::OtherIndex};
  bool allFull = llvm::all_of(nodes, [&](unsigned i) {
    return node(i).parallel.size() == k && node(i).kind == Kind::Pointwise;
  });
  // Nests over nothing but reduction indices may be split, but only if none
  // needs what another gives.
  bool splittable = !dependent && llvm::all_of(nodes, [&](unsigned i) {
    return node(i).parallel.empty();
  });
  bool sharesRows = options.sharedRow > 0 && llvm::all_of(nodes, [&](unsigned i) {
    int64_t row = node(i).points / workItems;
    return row == 1 || (node(i).rowElements > 0 && row <= options.sharedRow);
  });
  // Sums that nobody waits for but what is as small as they are gain nothing by one block.
  bool areSums = options.sharedRow > 0 && llvm::all_of(nodes, [&](unsigned i) {
    if (node(i).points == workItems)
      return true;
    return node(i).kind == Kind::Reduction &&
           llvm::none_of(node(i).reads, [&](const FusionRead &read) {
             return written.contains(read.tensor);
           });
  });
  if (!allFull && (areSums || (!splittable && !sharesRows)) &&
      workItems < options.minWorkItems && points > options.smallKernelPoints &&
      !areInParts(nodes, k))
    return FusionObstacle{Obstacle::FewRows, workItems};
  if (options.mostSerialPoints > 0 && !allFull && !splittable &&
      workItems < options.minAcrossItems &&
      points / workItems > options.mostSerialPoints &&
      !canShareRows(nodes, k, workItems) && !areInParts(nodes, k))
    return FusionObstacle{Obstacle::FewRows, workItems};
  if (waitsAcross(nodes) && workItems < options.minAcrossItems &&
      points > options.smallKernelPoints)
    return FusionObstacle{Obstacle::FewRows, workItems};
  for (unsigned i : nodes)
    for (unsigned tensor : node(i).writes) {
      bool internal = llvm::any_of(readersOf[tensor], [&](unsigned reader) {
        return llvm::is_contained(nodes, reader);
      });
      int64_t row = problem.tensors[tensor].bytes / workItems;
      if (internal && row > options.maxRowBytes)
        return FusionObstacle{Obstacle::LargeRow, row};
    }
  shared = k;
  return std::nullopt;
}

std::optional<FusionObstacle> Fuser::whyNot(unsigned a, unsigned b,
                                            unsigned &shared) const {
  auto alone = [&](unsigned group, Kind kind) {
    return node(groups[group].nodes[0]).kind == kind;
  };
  if (alone(a, Kind::Contraction) || alone(b, Kind::Contraction))
    return FusionObstacle{Obstacle::Contraction};
  if (alone(a, Kind::Scatter) || alone(b, Kind::Scatter))
    return FusionObstacle{Obstacle::Scatter};
  size_t size = groups[a].nodes.size() + groups[b].nodes.size();
  if (size > size_t(options.maxNests))
    return FusionObstacle{Obstacle::TooManyNests, int64_t(size)};
  if (reaches(a, b, /*indirectly=*/true) || reaches(b, a, /*indirectly=*/true))
    return FusionObstacle{Obstacle::KernelBetween};
  SmallVector<unsigned> nodes(groups[a].nodes.begin(), groups[a].nodes.end());
  nodes.append(groups[b].nodes.begin(), groups[b].nodes.end());
  llvm::sort(nodes);
  if (auto obstacle = whyNotAlone(nodes, shared))
    return obstacle;
  bool vertical = reaches(a, b, false) || reaches(b, a, false);
  if (vertical ? !options.vertical : !options.horizontal)
    return FusionObstacle{vertical ? Obstacle::VerticalOff
                                   : Obstacle::HorizontalOff};
  if (!vertical && getScore(a, b, shared).bytes < options.minHorizontalBytes)
    return FusionObstacle{Obstacle::LittleSaved, options.minHorizontalBytes};
  return {};
}

/// True if nests of both groups read the same part of `tensor` at a point of the shared
/// dimensions.
bool Fuser::readSamePart(unsigned tensor, unsigned a, unsigned b,
                         unsigned shared) const {
  /// Calls `visit` with which index of the tensor each shared dimension is in a
  /// read of `group`, until it says true.
  auto anyRead = [&](unsigned group, auto visit) {
    return llvm::any_of(groups[group].nodes, [&](unsigned i) {
      return llvm::any_of(node(i).reads, [&](const FusionRead &read) {
        if (read.tensor != tensor)
          return false;
        SmallVector<int> at;
        for (unsigned d = 0; d < shared; ++d)
          if (!node(i).parallel[d].isConstant(1))
            at.push_back(llvm::find(read.dims, int(d)) - read.dims.begin());
        return visit(at);
      });
    });
  };
  return anyRead(a, [&](ArrayRef<int> atA) {
    return anyRead(b, [&](ArrayRef<int> atB) { return atA == atB; });
  });
}

Score Fuser::getScore(unsigned a, unsigned b, unsigned shared) const {
  Score score;
  auto inside = [&](unsigned i) { return groupOf[i] == a || groupOf[i] == b; };
  auto getReads = [&](unsigned group) {
    std::map<unsigned, int64_t> reads;
    for (unsigned i : groups[group].nodes)
      for (const FusionRead &read : node(i).reads) {
        unsigned writer = writerOf[read.tensor];
        if (writer == ~0u || groupOf[writer] != group)
          reads[read.tensor] = std::max(reads[read.tensor], read.bytes);
      }
    return reads;
  };
  std::map<unsigned, int64_t> readsA = getReads(a), readsB = getReads(b);
  for (const auto &reads : {readsA, readsB})
    for (auto [tensor, bytes] : reads) {
      unsigned writer = writerOf[tensor];
      if (writer == ~0u || !inside(writer))
        continue;
      score.bytes += bytes;
      if (!problem.tensors[tensor].escapes &&
          llvm::all_of(readersOf[tensor], inside))
        score.bytes += problem.tensors[tensor].bytes;
    }
  for (auto [tensor, bytes] : readsA)
    if (auto other = readsB.find(tensor);
        other != readsB.end() && readSamePart(tensor, a, b, shared))
      score.bytes += std::min(bytes, other->second);
  auto reduces = [&](unsigned group) {
    return llvm::any_of(groups[group].nodes, [&](unsigned i) {
      return node(i).kind == Kind::Reduction;
    });
  };
  score.alike = reduces(a) == reduces(b);
  score.distance = std::abs(int64_t(groups[a].nodes.front()) -
                            int64_t(groups[b].nodes.front()));
  return score;
}

/// Pairs of groups with a tensor in common.
std::set<std::pair<unsigned, unsigned>> Fuser::getPairs() const {
  std::set<std::pair<unsigned, unsigned>> pairs;
  for (unsigned tensor = 0; tensor < problem.tensors.size(); ++tensor) {
    SmallVector<unsigned> users;
    size_t readers = readersOf[tensor].size();
    if (readers <= maxReadersPaired)
      for (unsigned reader : readersOf[tensor])
        users.push_back(groupOf[reader]);
    if (writerOf[tensor] != ~0u) {
      unsigned writer = groupOf[writerOf[tensor]];
      for (unsigned reader : readersOf[tensor])
        if (groupOf[reader] != writer)
          pairs.insert(std::minmax(writer, groupOf[reader]));
    }
    for (unsigned i = 0; i < users.size(); ++i)
      for (unsigned j = i + 1; j < users.size(); ++j)
        if (users[i] != users[j])
          pairs.insert(std::minmax(users[i], users[j]));
  }
  return pairs;
}

void Fuser::merge(unsigned a, unsigned b, unsigned shared) {
  FusionGroup &into = groups[a];
  into.nodes.insert(into.nodes.end(), groups[b].nodes.begin(),
                    groups[b].nodes.end());
  llvm::sort(into.nodes);
  into.shared = shared;
  for (unsigned i : groups[b].nodes)
    groupOf[i] = a;
  groups[b].nodes.clear();
  mergePositions(a, b);
  --numGroups;
}

bool Fuser::runRound() {
  std::vector<Candidate> candidates;
  llvm::SetVector<unsigned> involved;
  result.refusals.clear();
  for (auto [a, b] : getPairs()) {
    if (node(groups[a].nodes[0]).kind == Kind::Opaque ||
        node(groups[b].nodes[0]).kind == Kind::Opaque)
      continue;
    unsigned shared;
    if (auto obstacle = whyNot(a, b, shared)) {
      result.refusals.push_back(
          {groups[a].nodes, groups[b].nodes, *obstacle});
      continue;
    }
    candidates.push_back({a, b, getScore(a, b, shared)});
    involved.insert(a);
    involved.insert(b);
  }
  if (candidates.empty())
    return false;
  llvm::sort(candidates, [](const Candidate &x, const Candidate &y) {
    if (x.score > y.score || y.score > x.score)
      return x.score > y.score;
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });

  FusionRound round;
  round.groupsBefore = numGroups;
  SmallVector<unsigned> order(involved.begin(), involved.end());
  llvm::sort(order);
  for (unsigned group : order)
    round.candidates.push_back(groups[group].nodes);
  for (const Candidate &candidate : candidates) {
    // Earlier fusions of this round may have changed both.
    unsigned a = groupOf[candidate.a], b = groupOf[candidate.b];
    if (a == b)
      continue;
    unsigned shared;
    if (whyNot(a, b, shared))
      continue;
    if (groups[b].nodes.front() < groups[a].nodes.front())
      std::swap(a, b);
    round.fusions.emplace_back(groups[a].nodes, groups[b].nodes);
    merge(a, b, shared);
  }
  if (round.fusions.empty())
    return false;
  round.groupsAfter = numGroups;
  result.rounds.push_back(std::move(round));
  return true;
}

/// Groups in an order in which each stands after those it reads from.
void Fuser::finish() {
  std::vector<unsigned> waiting(groups.size());
  std::vector<std::set<unsigned>> users(groups.size());
  for (unsigned i = 0; i < problem.nodes.size(); ++i)
    for (const FusionRead &read : node(i).reads) {
      unsigned writer = writerOf[read.tensor];
      if (writer != ~0u && groupOf[writer] != groupOf[i])
        users[groupOf[writer]].insert(groupOf[i]);
    }
  for (const auto &list : users)
    for (unsigned user : list)
      ++waiting[user];
  std::set<unsigned> ready;
  for (unsigned group = 0; group < groups.size(); ++group)
    if (!groups[group].nodes.empty() && waiting[group] == 0)
      ready.insert(group);
  while (!ready.empty()) {
    unsigned group = *ready.begin();
    ready.erase(ready.begin());
    result.groups.push_back(groups[group]);
    for (unsigned user : users[group])
      if (--waiting[user] == 0)
        ready.insert(user);
  }
}

FusionResult Fuser::run() {
  for (int64_t round = 0; round < options.maxRounds; ++round)
    if (!runRound())
      break;
  finish();
  return std::move(result);
}

std::string FusionObstacle::str() const {
  std::string count = std::to_string(number);
  switch (kind) {
  case Kind::Contraction:
    return "a contraction only takes epilogues";
  case Kind::Scatter:
    return "a scatter runs in order";
  case Kind::TooManyNests:
    return "the kernel would have " + count + " nests";
  case Kind::KernelBetween:
    return "another kernel lies between them";
  case Kind::NoSharedExtents:
    return "no shared outer extents";
  case Kind::OtherIndex:
    return "a value is read at an index other than the one it is computed at";
  case Kind::FewRows:
    return "only " + count + " rows would be left to run in parallel";
  case Kind::LargeRow:
    return "a row of " + count + " bytes does not fit the cache";
  case Kind::LittleSaved:
    return "it would save less than " + count + " bytes";
  case Kind::VerticalOff:
    return "'vertical' is off";
  case Kind::HorizontalOff:
    return "'horizontal' is off";
  }
  llvm_unreachable("all kinds are named");
}

FusionResult loop::runFusion(const FusionProblem &problem,
                             const FusionOptions &options) {
  return Fuser(problem, options).run();
}
