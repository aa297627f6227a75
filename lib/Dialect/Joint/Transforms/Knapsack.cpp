//===- Knapsack.cpp - The least cost within a number of bytes -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/Transforms/Knapsack.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace kiln::joint {

static bool isBefore(const Tradeoff &a, const Tradeoff &b) {
  return a.bytes != b.bytes ? a.bytes < b.bytes : a.cost < b.cost;
}

std::vector<int> findFrontier(const std::vector<Tradeoff> &states) {
  std::vector<int> order(states.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    if (isBefore(states[a], states[b]) || isBefore(states[b], states[a]))
      return isBefore(states[a], states[b]);
    return a < b;
  });
  std::vector<int> frontier;
  for (int i : order)
    if (frontier.empty() || states[i].cost < states[frontier.back()].cost)
      frontier.push_back(i);
  return frontier;
}

Knapsack::Layer Knapsack::addItem(const Layer &before,
                                  const std::vector<Tradeoff> &item) {
  auto isPointBefore = [](const Point &a, const Point &b) {
    return isBefore(a.sum, b.sum);
  };
  // Each state moves the sorted layer as a whole, so merging sorts the union.
  Layer all, moved, merged;
  for (size_t state = 0; state < item.size(); ++state) {
    moved.clear();
    for (size_t i = 0; i < before.size(); ++i)
      moved.push_back({{before[i].sum.bytes + item[state].bytes,
                        before[i].sum.cost + item[state].cost},
                       static_cast<int>(i),
                       static_cast<int>(state)});
    merged.clear();
    std::merge(all.begin(), all.end(), moved.begin(), moved.end(),
               std::back_inserter(merged), isPointBefore);
    std::swap(all, merged);
  }
  Layer frontier;
  for (const Point &point : all)
    if (frontier.empty() || point.sum.cost < frontier.back().sum.cost)
      frontier.push_back(point);
  return frontier;
}

void Knapsack::thin(Layer &layer, size_t limit) {
  if (layer.size() <= limit)
    return;
  int64_t first = layer.front().sum.bytes;
  int64_t range = layer.back().sum.bytes - first;
  int64_t quantum = range / static_cast<int64_t>(limit) + 1;
  Layer left;
  int64_t last = -1;
  for (const Point &point : layer) {
    int64_t place = (point.sum.bytes - first) / quantum;
    if (place != last)
      left.push_back(point);
    last = place;
  }
  // The end where nothing costs anything stays.
  if (left.back().sum.cost != layer.back().sum.cost)
    left.push_back(layer.back());
  layer = std::move(left);
}

Knapsack::Knapsack(const std::vector<std::vector<Tradeoff>> &items,
                   size_t limit) {
  Layer layer = {{{0, 0}, -1, -1}};
  for (const std::vector<Tradeoff> &item : items) {
    layer = addItem(layer, item);
    thin(layer, limit);
    std::vector<Step> &step = steps.emplace_back();
    step.reserve(layer.size());
    for (const Point &point : layer)
      step.push_back({point.before, point.state});
  }
  for (const Point &point : layer)
    sums.push_back(point.sum);
}

std::vector<int> Knapsack::choose(int64_t capacity) const {
  // Cost falls while bytes rise: the last one that fits costs least.
  auto after = std::upper_bound(
      sums.begin(), sums.end(), capacity,
      [](int64_t bytes, const Tradeoff &sum) { return bytes < sum.bytes; });
  auto point = static_cast<int>(after - sums.begin());
  if (point > 0)
    --point;
  std::vector<int> states(steps.size());
  for (size_t item = steps.size(); item-- > 0;) {
    states[item] = steps[item][point].state;
    point = steps[item][point].before;
  }
  return states;
}

} // namespace kiln::joint
