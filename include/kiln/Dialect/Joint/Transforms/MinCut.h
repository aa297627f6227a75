//===- MinCut.h - Maximum flow and minimum cut on plain data --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flow network with integer capacities and its minimum cut, by Dinic's
// algorithm. It knows no IR: the partitioner states its problem as a network,
// and the tests compare it with an enumeration of all cuts.
//
// Capacities are integers, so a cut never depends on the order in which
// floating-point numbers were added. Of all minimum cuts, `minCut` returns the
// one whose sink side is smallest; it is unique, so the answer does not depend
// on the order of edges either.
//
// Example: the cheapest way to separate `s` from `t`.
//
//   FlowNetwork net;
//   int s = net.addNode(), a = net.addNode(), t = net.addNode();
//   net.addEdge(s, a, FlowNetwork::kInfinite);
//   net.addEdge(a, t, 7);
//   MinCut cut = net.minCut(s, t);   // cut.value == 7, cut.edges == {1}
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_TRANSFORMS_MINCUT_H
#define KILN_DIALECT_JOINT_TRANSFORMS_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace kiln::joint {

/// A minimum cut of a network, or the proof that there is none.
struct MinCut {
  /// Sum of the capacities of the cut edges; meaningless when `unbounded`.
  int64_t value = 0;
  /// True when source and sink are joined by a path that no cut may break.
  bool unbounded = false;
  /// That path, source first, when `unbounded`; else empty.
  std::vector<int> unbreakablePath;
  /// For each node whether it lies on the sink's side.
  std::vector<bool> onSinkSide;
  /// The cut edges, by the number that `addEdge` returned, ascending.
  std::vector<int> edges;
};

/// A directed graph with a capacity for each edge.
class FlowNetwork {
public:
  /// The capacity of an edge that must not be cut. Finite capacities above
  /// `kLargest` are treated as `kLargest`, so that sums cannot overflow.
  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;
  static constexpr int64_t kLargest = int64_t(1) << 40;

  /// Adds a node and returns its number, counting from 0.
  int addNode();
  /// Adds an edge and returns its number, counting from 0. Negative capacities
  /// count as 0.
  int addEdge(int from, int to, int64_t capacity);

  int numNodes() const { return static_cast<int>(first.size()); }
  int numEdges() const { return static_cast<int>(arcs.size() / 2); }

  /// Finds the minimum cut that lies nearest to `sink`. The network is left
  /// unchanged, so it can be solved again. Requires `source != sink`.
  MinCut minCut(int source, int sink) const;

private:
  /// One direction of an edge; arc `2 * e` is the edge, `2 * e + 1` its
  /// reverse.
  struct Arc {
    int to;
    int64_t capacity;
  };
  std::vector<Arc> arcs;
  std::vector<std::vector<int>> first; ///< arcs leaving each node

  friend class Dinic;
};

} // namespace kiln::joint

#endif // KILN_DIALECT_JOINT_TRANSFORMS_MINCUT_H
