//===- MemoryBudget.cpp - What to run again for fewer bytes ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryBudget.h"

#include "kiln/Dialect/Joint/Transforms/MinCut.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace kiln::joint {

/// Regions of up to so many costly ops state all of their tradeoffs.
static constexpr size_t kLargestExact = 8;
/// The most cuts spent on the hull of a larger one.
static constexpr int kHullAttempts = 32;

MemoryBudget::MemoryBudget(const PartitionProblem &problem,
                           const PartitionFacts &facts,
                           const std::vector<Ban> &bans,
                           const PartitionResult &ruled,
                           const PartitionResult &unruled)
    : problem(problem), facts(facts), bans(bans),
      inRuled(problem.ops.size(), false), inUnruled(problem.ops.size(), false),
      isNeeded(problem.values.size(), false) {
  for (int op : ruled.backwardOps)
    inRuled[op] = !facts.onTangent[op];
  for (int op : unruled.backwardOps)
    inUnruled[op] = !facts.onTangent[op];
  for (size_t v = 0; v < problem.values.size(); ++v)
    isNeeded[v] =
        problem.values[v].isGradient ||
        std::any_of(facts.users[v].begin(), facts.users[v].end(), [&](int op) {
          return facts.onTangent[op] || inRuled[op];
        });
  findRegions();
  fixedBytes = ruled.savedBytes;
  for (Region &region : regions) {
    findStates(region);
    // The first state is the one under the rules.
    fixedBytes -= region.states.front().bytes;
  }
}

void MemoryBudget::findRegions() {
  std::vector<int> parent(problem.ops.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](int op) {
    while (parent[op] != op)
      op = parent[op] = parent[parent[op]];
    return op;
  };
  std::vector<std::pair<int, int>> borrowed; // value, one of its users
  for (size_t v = 0; v < problem.values.size(); ++v) {
    int made = facts.producer[v];
    if (made < 0 || isNeeded[v] || inRuled[made])
      continue;
    int first = isInDispute(made) ? made : -1;
    for (int user : facts.users[v]) {
      if (!isInDispute(user))
        continue;
      if (first < 0) {
        first = user;
        borrowed.push_back({static_cast<int>(v), user});
      }
      parent[find(user)] = find(first);
    }
  }
  std::map<int, size_t> numbers;
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    int op = static_cast<int>(i);
    if (!isInDispute(op))
      continue;
    auto [known, isNew] = numbers.try_emplace(find(op), regions.size());
    if (isNew)
      regions.emplace_back();
    Region &region = regions[known->second];
    region.ops.push_back(op);
    if (bans[op] != Ban::None)
      region.costly.push_back(op);
  }
  for (auto [value, user] : borrowed)
    regions[numbers[find(user)]].borrowed.push_back(value);
}

int MemoryBudget::addState(Region &region, const Prices &prices) const {
  FlowNetwork net;
  int source = net.addNode(), sink = net.addNode();
  std::map<int, std::pair<int, int>> nodes; // value: in, out
  auto addValue = [&](int v) {
    int in = net.addNode(), out = net.addNode();
    net.addEdge(in, out,
                mayBeSaved(problem, facts, bans, v)
                    ? prices.perByte *
                          std::max<int64_t>(1, problem.values[v].bytes)
                    : FlowNetwork::kInfinite);
    if (isNeeded[v])
      net.addEdge(out, sink, FlowNetwork::kInfinite);
    nodes[v] = {in, out};
    return in;
  };
  for (int v : region.borrowed)
    net.addEdge(source, addValue(v), FlowNetwork::kInfinite);
  std::vector<int> costlyNodes;
  for (int op : region.ops) {
    int node = net.addNode();
    if (bans[op] != Ban::None) {
      size_t position = costlyNodes.size();
      bool isAllowed = position < kLargestExact ? prices.allowed >> position & 1
                                                : prices.allowed != 0;
      costlyNodes.push_back(node);
      net.addEdge(source, node,
                  isAllowed ? prices.perCost * recomputeCost(problem, op)
                            : FlowNetwork::kInfinite);
    }
    for (int v : problem.ops[op].operands)
      if (auto known = nodes.find(v); known != nodes.end())
        net.addEdge(known->second.second, node, FlowNetwork::kInfinite);
    for (int v : problem.ops[op].results)
      net.addEdge(node, addValue(v), FlowNetwork::kInfinite);
  }

  MinCut cut = net.minCut(source, sink);
  Tradeoff &state = region.states.emplace_back();
  std::vector<int> &recomputed = region.recomputed.emplace_back();
  for (auto [v, node] : nodes)
    if (!cut.onSinkSide[node.first] && cut.onSinkSide[node.second])
      state.bytes += problem.values[v].bytes;
  for (size_t i = 0; i < costlyNodes.size(); ++i)
    if (cut.onSinkSide[costlyNodes[i]]) {
      recomputed.push_back(region.costly[i]);
      state.cost += recomputeCost(problem, region.costly[i]);
    }
  return static_cast<int>(region.states.size()) - 1;
}

/// Adds the states between two by the cut at which both would be equally good:
/// either there is a better one, or nothing lies below the line between them.
void MemoryBudget::addHull(Region &region, int low, int high,
                           int &attempts) const {
  Tradeoff a = region.states[low], b = region.states[high];
  if (attempts-- <= 0 || a.bytes <= b.bytes || a.cost >= b.cost)
    return;
  // Prices are relative; a network takes numbers up to a size.
  double perByte = static_cast<double>(b.cost - a.cost);
  double perCost = static_cast<double>(a.bytes - b.bytes);
  double largest = 1;
  for (int op : region.ops) {
    largest = std::max(
        largest, perCost * static_cast<double>(recomputeCost(problem, op)));
    for (int v : problem.ops[op].results)
      largest = std::max(
          largest, perByte * static_cast<double>(problem.values[v].bytes));
  }
  double scale =
      std::min(1.0, static_cast<double>(FlowNetwork::kLargest) / largest);
  Prices prices;
  prices.perByte = std::max<int64_t>(1, std::llround(perByte * scale));
  prices.perCost = std::max<int64_t>(1, std::llround(perCost * scale));
  int middle = addState(region, prices);
  Tradeoff found = region.states[middle];
  auto isEqual = [&](const Tradeoff &other) {
    return found.bytes == other.bytes && found.cost == other.cost;
  };
  if (isEqual(a) || isEqual(b))
    return;
  addHull(region, low, middle, attempts);
  addHull(region, middle, high, attempts);
}

void MemoryBudget::findStates(Region &region) const {
  Prices nothing;
  nothing.allowed = 0;
  if (region.costly.size() <= kLargestExact) {
    for (uint64_t set = 0; set < uint64_t(1) << region.costly.size(); ++set) {
      Prices some;
      some.allowed = set;
      addState(region, some);
    }
  } else {
    int low = addState(region, nothing), high = addState(region, Prices());
    int attempts = kHullAttempts;
    addHull(region, low, high, attempts);
  }
  // The state under the rules comes first: it costs nothing, so it is kept.
  std::vector<int> order = findFrontier(region.states);
  std::reverse(order.begin(), order.end());
  Region kept = region;
  kept.states.clear();
  kept.recomputed.clear();
  for (int state : order) {
    kept.states.push_back(region.states[state]);
    kept.recomputed.push_back(region.recomputed[state]);
  }
  region = std::move(kept);
}

std::vector<Ban> MemoryBudget::fit(int64_t target) const {
  std::vector<std::vector<Tradeoff>> items;
  for (const Region &region : regions)
    items.push_back(region.states);
  std::vector<int> states = Knapsack(items).choose(target - fixedBytes);
  std::vector<Ban> left = bans;
  for (size_t i = 0; i < regions.size(); ++i)
    for (int op : regions[i].recomputed[states[i]])
      left[op] = Ban::None;
  return left;
}

} // namespace kiln::joint
