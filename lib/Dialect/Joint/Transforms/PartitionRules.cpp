//===- PartitionRules.cpp - Facts and rules before the cut ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionRules.h"

#include "kiln/Dialect/Joint/Transforms/MinCut.h"

#include <algorithm>
#include <queue>
#include <set>

namespace kiln::joint {

/// Runs of recomputable ops longer than this are broken by a saved value.
static constexpr int kLongestChain = 100;
/// Weights grow by this factor for each op between a storage and the backward.
static constexpr double kDistanceFactor = 1.1;
static constexpr int kLargestDistance = 100;
/// A reduction of whose results the backward may need less than 1/4 of what it reads
/// is saved.
static constexpr int64_t kReductionFactor = 4;
/// Floating-point operations in the time in which memory moves a byte. Between
/// what a core of a server and an accelerator do; choices only hang on it where
/// contractions compete with reductions.
static constexpr double kFlopsPerByte = 16;

const char *describe(Ban ban) {
  switch (ban) {
  case Ban::None:
    return "cheapest place to cut";
  case Ban::LongChain:
    return "end of a chain of more than 100 recomputable ops";
  case Ban::FarApart:
    return "its operand is used far apart, across an op that does not fuse";
  case Ban::Written:
    return "read from memory by ops that do not fuse, in the forward and the backward";
  case Ban::Reduction:
    return "reduction that reads at least 4 times what the backward needs of it";
  case Ban::Heavy:
    return "contraction or the like, not recomputed";
  case Ban::Tagged:
    return "tagged by the user to be saved";
  case Ban::Compared:
    return "compared for equality, may differ in the last bit when run again";
  case Ban::Random:
    return "random, would draw other numbers";
  case Ban::Opaque:
    return "unknown op or one with effects, never recomputed";
  }
  return "";
}

bool isFusible(RecomputeClass recompute) {
  return recompute != RecomputeClass::Heavy &&
         recompute != RecomputeClass::Opaque;
}

int64_t recomputeCost(const PartitionProblem &problem, int op) {
  double moved = problem.ops[op].flops / kFlopsPerByte;
  for (int v : problem.ops[op].operands)
    moved += static_cast<double>(problem.values[v].bytes);
  for (int v : problem.ops[op].results)
    moved += static_cast<double>(problem.values[v].bytes);
  // Sums of many, in a network's integers.
  return static_cast<int64_t>(
      std::min(moved, static_cast<double>(FlowNetwork::kLargest)));
}

bool mayBeSaved(const PartitionProblem &problem, const PartitionFacts &facts,
                const std::vector<Ban> &bans, int value) {
  int op = facts.producer[value];
  bool mustBeRun = problem.ops[op].tag == RecomputeTag::Recompute &&
                   bans[op] == Ban::None;
  return problem.values[value].storage == value && !mustBeRun;
}

PartitionFacts::PartitionFacts(const PartitionProblem &problem)
    : producer(problem.values.size(), -1), users(problem.values.size()),
      storageUsers(problem.values.size()),
      onTangent(problem.ops.size(), false),
      inForward(problem.ops.size(), false),
      isOutputStorage(problem.values.size(), false),
      distance(problem.values.size(), kLargestDistance) {
  const auto &values = problem.values;
  const auto &ops = problem.ops;
  int numOps = static_cast<int>(ops.size());
  std::vector<bool> tangentValue(values.size(), false);
  for (size_t v = 0; v < values.size(); ++v)
    tangentValue[v] = values[v].isTangent;
  for (int op = 0; op < numOps; ++op) {
    for (int v : ops[op].operands) {
      users[v].push_back(op);
      if (ops[op].recompute != RecomputeClass::View)
        storageUsers[values[v].storage].push_back(op);
      onTangent[op] = onTangent[op] || tangentValue[v];
    }
    for (int v : ops[op].results) {
      producer[v] = op;
      tangentValue[v] = onTangent[op];
    }
  }

  std::vector<bool> needed(values.size(), false);
  for (size_t v = 0; v < values.size(); ++v)
    if (values[v].isOutput)
      needed[v] = isOutputStorage[values[v].storage] = true;
  for (int op = numOps - 1; op >= 0; --op) {
    for (int v : ops[op].results)
      inForward[op] = inForward[op] || needed[v];
    // Effects and random draws belong to the forward unless they depend on a
    // tangent, even if no output reads them.
    if (ops[op].recompute == RecomputeClass::Opaque && !onTangent[op])
      inForward[op] = true;
    if (!inForward[op])
      continue;
    for (int v : ops[op].operands)
      needed[v] = true;
  }

  // Distance of a storage: ops on the shortest way to one of the backward.
  for (int op = numOps - 1; op >= 0; --op) {
    int own = kLargestDistance;
    if (!inForward[op])
      own = 0;
    for (int v : ops[op].results)
      own = std::min(own, distance[values[v].storage]);
    bool isView = ops[op].recompute == RecomputeClass::View;
    for (int v : ops[op].operands) {
      int &far = distance[values[v].storage];
      far = std::min(far, isView ? own : own + 1);
    }
  }
}

/// The position of the first op, among those that follow from `start` up to
/// position `last`, which can not be fused with what leads to it.
static int findFirstUnfusible(const PartitionProblem &problem,
                              const PartitionFacts &facts,
                              const std::vector<int> &start, int last) {
  std::priority_queue<int, std::vector<int>, std::greater<int>> work(
      std::greater<int>(), start);
  std::set<int> seen(start.begin(), start.end());
  while (!work.empty()) {
    int op = work.top();
    work.pop();
    if (!isFusible(problem.ops[op].recompute))
      return op;
    for (int v : problem.ops[op].results)
      for (int user : facts.users[v])
        if (facts.inForward[user] && user <= last && seen.insert(user).second)
          work.push(user);
  }
  return last;
}

/// Bans ops that would need an operand long after the kernel that made it.
static void banFarApart(const PartitionProblem &problem,
                        const PartitionFacts &facts, std::vector<Ban> &bans) {
  for (size_t v = 0; v < problem.values.size(); ++v) {
    std::vector<int> users;
    for (int user : facts.users[v])
      if (facts.inForward[user])
        users.push_back(user);
    if (users.size() < 2)
      continue;
    int first = findFirstUnfusible(problem, facts, users, users.back());
    for (int user : users) {
      RecomputeClass recompute = problem.ops[user].recompute;
      if (user > first && isFusible(recompute) &&
          recompute != RecomputeClass::View && bans[user] == Ban::None)
        bans[user] = Ban::FarApart;
    }
  }
}

/// True for a storage that an op of the forward, or of the backward, which does not fuse reads.
static bool isReadUnfused(const PartitionProblem &problem,
                          const PartitionFacts &facts, int storage,
                          bool byForward) {
  return std::any_of(facts.storageUsers[storage].begin(),
                     facts.storageUsers[storage].end(), [&](int user) {
                       return facts.inForward[user] == byForward &&
                              !isFusible(problem.ops[user].recompute);
                     });
}

/// Bans what the forward has to write and the backward would have to write again, each for
/// an op that reads its operands from memory: saving it moves fewer bytes, not more.
static void banWritten(const PartitionProblem &problem,
                       const PartitionFacts &facts, std::vector<Ban> &bans) {
  for (size_t v = 0; problem.operandsInMemory && v < problem.values.size(); ++v) {
    int op = facts.producer[v];
    if (op >= 0 && problem.values[v].isTensor &&
        problem.values[v].storage == static_cast<int>(v) &&
        facts.inForward[op] && bans[op] == Ban::None &&
        isReadUnfused(problem, facts, static_cast<int>(v), true) &&
        isReadUnfused(problem, facts, static_cast<int>(v), false))
      bans[op] = Ban::Written;
  }
}

static void banLongChains(const PartitionProblem &problem,
                          const PartitionFacts &facts, std::vector<Ban> &bans) {
  std::vector<int> length(problem.values.size(), 0);
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    if (!facts.inForward[op])
      continue;
    int longest = 0;
    for (int v : problem.ops[op].operands)
      longest = std::max(longest, length[v]);
    bool isView = problem.ops[op].recompute == RecomputeClass::View;
    if (!isView)
      ++longest;
    if (longest > kLongestChain && bans[op] == Ban::None)
      bans[op] = Ban::LongChain;
    if (bans[op] != Ban::None)
      longest = 0;
    for (int v : problem.ops[op].results)
      length[v] = longest;
  }
}

/// Bans what adds up, in an order of its kernel's, on the way to an operand of a
/// comparison for equality: an extremum that was saved is not found among values
/// that differ from the forward's in a bit, and its gradient would be 0/0. What
/// works element by element has the same bits whenever it is run.
static void banCompared(const PartitionProblem &problem,
                        const PartitionFacts &facts, std::vector<Ban> &bans) {
  std::vector<bool> seen(problem.values.size(), false);
  std::vector<int> work;
  auto follow = [&](const PartitionOp &op) {
    for (int v : op.operands)
      if (!seen[v]) {
        seen[v] = true;
        work.push_back(v);
      }
  };
  for (const PartitionOp &op : problem.ops)
    if (op.comparesExactly)
      follow(op);
  while (!work.empty()) {
    int op = facts.producer[work.back()];
    work.pop_back();
    if (op < 0)
      continue;
    RecomputeClass recompute = problem.ops[op].recompute;
    bool addsUp = recompute == RecomputeClass::Reduction ||
                  recompute == RecomputeClass::Heavy;
    if (addsUp && facts.inForward[op])
      bans[op] = std::max(bans[op], Ban::Compared);
    else
      follow(problem.ops[op]);
  }
}

/// Per value: whether the backward reads it, or something that it may run again does.
/// Of a norm that is often only what a row has, not the rows.
static std::vector<bool> findNeeded(const PartitionProblem &problem,
                                    const PartitionFacts &facts) {
  std::vector<bool> needed(problem.values.size(), false);
  for (size_t op = problem.ops.size(); op-- > 0;) {
    const PartitionOp &user = problem.ops[op];
    bool needs = !facts.inForward[op] ||
                 (isFusible(user.recompute) &&
                  std::any_of(user.results.begin(), user.results.end(),
                              [&](int v) { return needed[v]; }));
    if (needs)
      for (int v : user.operands)
        needed[v] = true;
  }
  return needed;
}

std::vector<Ban> applyRules(const PartitionProblem &problem,
                            const PartitionFacts &facts) {
  std::vector<Ban> bans(problem.ops.size(), Ban::None);
  std::vector<bool> needed = findNeeded(problem, facts);
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    const PartitionOp &op = problem.ops[i];
    // What only the backward needs is computed once, there.
    if (!facts.inForward[i])
      continue;
    switch (op.recompute) {
    case RecomputeClass::View:
    case RecomputeClass::Cheap:
      break;
    case RecomputeClass::Heavy:
      bans[i] = Ban::Heavy;
      break;
    case RecomputeClass::Random:
      bans[i] = Ban::Random;
      break;
    case RecomputeClass::Opaque:
      bans[i] = Ban::Opaque;
      break;
    case RecomputeClass::Reduction: {
      double read = 0, written = 0;
      for (int v : op.operands)
        read += static_cast<double>(problem.values[v].bytes);
      for (int v : op.results)
        if (needed[v])
          written += static_cast<double>(problem.values[v].bytes);
      if (read >= kReductionFactor * written)
        bans[i] = Ban::Reduction;
      break;
    }
    }
    if (op.tag == RecomputeTag::Save && bans[i] < Ban::Tagged)
      bans[i] = Ban::Tagged;
    if (op.tag == RecomputeTag::Recompute && bans[i] < Ban::Random)
      bans[i] = Ban::None;
  }
  banCompared(problem, facts, bans);
  banFarApart(problem, facts, bans);
  banWritten(problem, facts, bans);
  banLongChains(problem, facts, bans);
  for (size_t i = 0; i < problem.ops.size(); ++i)
    if (problem.ops[i].tag == RecomputeTag::Recompute && bans[i] < Ban::Tagged)
      bans[i] = Ban::None;
  return bans;
}

/// True if the forward writes the storage to memory whether it is saved or not.
static bool isMaterialized(const PartitionProblem &problem,
                           const PartitionFacts &facts, int storage) {
  int made = facts.producer[storage];
  if (made < 0 || !isFusible(problem.ops[made].recompute))
    return true;
  return facts.isOutputStorage[storage] ||
         isReadUnfused(problem, facts, storage, /*byForward=*/true);
}

std::vector<int64_t> weighStorages(const PartitionProblem &problem,
                                   const PartitionFacts &facts) {
  size_t count = problem.values.size();
  std::vector<double> growth(kLargestDistance + 1, 1.0);
  for (int d = 1; d <= kLargestDistance; ++d)
    growth[d] = growth[d - 1] * kDistanceFactor;

  std::vector<double> weights(count, 0.0);
  double largest = 0;
  for (size_t v = 0; v < count; ++v) {
    const PartitionValue &value = problem.values[v];
    if (value.storage != static_cast<int>(v) || value.isPrimal)
      continue;
    int far = std::clamp(facts.distance[v], 1, kLargestDistance);
    weights[v] = static_cast<double>(value.bytes) * growth[far];
    if (!isMaterialized(problem, facts, static_cast<int>(v)))
      weights[v] *= 2;
    largest = std::max(largest, weights[v]);
  }
  // The network takes integers of a limited size; keep ten bits below a byte
  // when there is room, so that 1.1 still counts for small values.
  double scale = 1024.0;
  if (largest * scale > static_cast<double>(FlowNetwork::kLargest))
    scale = static_cast<double>(FlowNetwork::kLargest) / largest;
  std::vector<int64_t> scaled(count, 0);
  for (size_t v = 0; v < count; ++v)
    scaled[v] = std::max<int64_t>(1, static_cast<int64_t>(weights[v] * scale));
  return scaled;
}

} // namespace kiln::joint
