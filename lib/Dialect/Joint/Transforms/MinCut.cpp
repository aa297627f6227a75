//===- MinCut.cpp - Dinic's algorithm -------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Level graphs by breadth-first search, blocking flows by an iterative
// depth-first search (graphs of real models are deep enough to exhaust the
// stack of a recursive one).
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/Transforms/MinCut.h"

#include <algorithm>

namespace kiln::joint {

int FlowNetwork::addNode() {
  first.emplace_back();
  return numNodes() - 1;
}

int FlowNetwork::addEdge(int from, int to, int64_t capacity) {
  if (capacity < kInfinite)
    capacity = std::clamp<int64_t>(capacity, 0, kLargest);
  else
    capacity = kInfinite;
  int edge = numEdges();
  first[from].push_back(2 * edge);
  first[to].push_back(2 * edge + 1);
  arcs.push_back({to, capacity});
  arcs.push_back({from, 0});
  return edge;
}

/// The residual network of one run.
class Dinic {
public:
  Dinic(const FlowNetwork &net, int source, int sink)
      : net(net), source(source), sink(sink), residual(net.arcs.size()) {
    for (size_t i = 0; i < residual.size(); ++i)
      residual[i] = net.arcs[i].capacity;
  }

  int64_t run() {
    int64_t total = 0;
    while (buildLevels()) {
      next.assign(net.first.size(), 0);
      while (int64_t sent = augment())
        total += sent;
    }
    return total;
  }

  /// The nodes that still reach the sink through residual capacity.
  std::vector<bool> sinkSide() const {
    std::vector<bool> reached(net.first.size(), false);
    std::vector<int> work = {sink};
    reached[sink] = true;
    while (!work.empty()) {
      int node = work.back();
      work.pop_back();
      // The partner of an arc that leaves `node` is one that enters it.
      for (int arc : net.first[node]) {
        int from = net.arcs[arc].to;
        if (reached[from] || residual[arc ^ 1] == 0)
          continue;
        reached[from] = true;
        work.push_back(from);
      }
    }
    return reached;
  }

private:
  bool buildLevels() {
    level.assign(net.first.size(), -1);
    level[source] = 0;
    std::vector<int> queue = {source};
    for (size_t head = 0; head < queue.size(); ++head) {
      int node = queue[head];
      for (int arc : net.first[node]) {
        int to = net.arcs[arc].to;
        if (level[to] >= 0 || residual[arc] == 0)
          continue;
        level[to] = level[node] + 1;
        queue.push_back(to);
      }
    }
    return level[sink] >= 0;
  }

  /// Sends flow along one path of the level graph; 0 when there is none left.
  int64_t augment() {
    std::vector<int> path;
    int node = source;
    while (node != sink) {
      bool advanced = false;
      for (size_t &i = next[node]; i < net.first[node].size(); ++i) {
        int arc = net.first[node][i];
        int to = net.arcs[arc].to;
        if (residual[arc] == 0 || level[to] != level[node] + 1)
          continue;
        path.push_back(arc);
        node = to;
        advanced = true;
        break;
      }
      if (advanced)
        continue;
      if (node == source)
        return 0;
      // A dead end: step back and do not enter it again.
      level[node] = -1;
      node = net.arcs[path.back() ^ 1].to;
      path.pop_back();
    }
    int64_t sent = FlowNetwork::kInfinite;
    for (int arc : path)
      sent = std::min(sent, residual[arc]);
    for (int arc : path) {
      // Infinite arcs stay infinite, whatever flows through them.
      if (net.arcs[arc].capacity != FlowNetwork::kInfinite)
        residual[arc] -= sent;
      if (net.arcs[arc ^ 1].capacity != FlowNetwork::kInfinite)
        residual[arc ^ 1] += sent;
    }
    return sent;
  }

  const FlowNetwork &net;
  int source, sink;
  std::vector<int64_t> residual;
  std::vector<int> level;
  std::vector<size_t> next;
};

/// The path from `source` to `sink` along infinite edges, or nothing.
static std::vector<int> findPath(int source, int sink, int numNodes,
                                 const std::vector<std::vector<int>> &next) {
  std::vector<int> parent(numNodes, -1);
  parent[source] = source;
  std::vector<int> queue = {source};
  for (size_t head = 0; head < queue.size(); ++head)
    for (int to : next[queue[head]])
      if (parent[to] < 0) {
        parent[to] = queue[head];
        queue.push_back(to);
      }
  std::vector<int> path;
  if (parent[sink] < 0)
    return path;
  for (int node = sink; node != source; node = parent[node])
    path.push_back(node);
  path.push_back(source);
  std::reverse(path.begin(), path.end());
  return path;
}

MinCut FlowNetwork::minCut(int source, int sink) const {
  MinCut cut;
  cut.onSinkSide.assign(numNodes(), false);

  std::vector<std::vector<int>> unbreakable(numNodes());
  for (int edge = 0; edge < numEdges(); ++edge)
    if (arcs[2 * edge].capacity == kInfinite)
      unbreakable[arcs[2 * edge + 1].to].push_back(arcs[2 * edge].to);
  cut.unbreakablePath = findPath(source, sink, numNodes(), unbreakable);
  if (!cut.unbreakablePath.empty()) {
    cut.unbounded = true;
    return cut;
  }

  Dinic dinic(*this, source, sink);
  cut.value = dinic.run();
  cut.onSinkSide = dinic.sinkSide();
  for (int edge = 0; edge < numEdges(); ++edge) {
    int from = arcs[2 * edge + 1].to, to = arcs[2 * edge].to;
    if (!cut.onSinkSide[from] && cut.onSinkSide[to])
      cut.edges.push_back(edge);
  }
  return cut;
}

} // namespace kiln::joint
