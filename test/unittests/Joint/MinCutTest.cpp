//===- MinCutTest.cpp - Dinic against an enumeration of all cuts ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/Transforms/MinCut.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace kiln::joint;

namespace {

struct Edge {
  int from, to;
  int64_t capacity;
};

/// The cheapest cut by trying every subset; -1 when each cuts an infinite edge.
int64_t cheapestCut(int numNodes, int source, int sink,
                    const std::vector<Edge> &edges) {
  int64_t best = -1;
  for (unsigned set = 0; set < (1u << numNodes); ++set) {
    if (!(set >> source & 1) || (set >> sink & 1))
      continue;
    int64_t sum = 0;
    bool isLegal = true;
    for (const Edge &edge : edges) {
      if (!(set >> edge.from & 1) || (set >> edge.to & 1))
        continue;
      isLegal = isLegal && edge.capacity != FlowNetwork::kInfinite;
      if (isLegal)
        sum += edge.capacity;
    }
    if (isLegal && (best < 0 || sum < best))
      best = sum;
  }
  return best;
}

TEST(MinCutTest, AgreesWithAllCutsOfRandomGraphs) {
  std::mt19937 random(20260);
  int bounded = 0;
  for (int round = 0; round < 1000; ++round) {
    int numNodes = 2 + static_cast<int>(random() % 7);
    int numEdges = static_cast<int>(random() % 20);
    std::vector<Edge> edges;
    FlowNetwork net;
    for (int i = 0; i < numNodes; ++i)
      net.addNode();
    for (int i = 0; i < numEdges; ++i) {
      int from = static_cast<int>(random() % numNodes);
      int to = static_cast<int>(random() % numNodes);
      int64_t capacity = static_cast<int64_t>(random() % 20);
      if (random() % 6 == 0)
        capacity = FlowNetwork::kInfinite;
      edges.push_back({from, to, capacity});
      EXPECT_EQ(net.addEdge(from, to, capacity), i);
    }
    int64_t expected = cheapestCut(numNodes, 0, 1, edges);
    MinCut cut = net.minCut(0, 1);
    ASSERT_EQ(cut.unbounded, expected < 0) << "round " << round;
    if (cut.unbounded) {
      ASSERT_GE(cut.unbreakablePath.size(), 2u);
      EXPECT_EQ(cut.unbreakablePath.front(), 0);
      EXPECT_EQ(cut.unbreakablePath.back(), 1);
      continue;
    }
    ++bounded;
    ASSERT_EQ(cut.value, expected) << "round " << round;
    // The edges named are exactly those that cross, and they add up.
    int64_t sum = 0;
    for (int edge : cut.edges) {
      EXPECT_FALSE(cut.onSinkSide[edges[edge].from]);
      EXPECT_TRUE(cut.onSinkSide[edges[edge].to]);
      sum += edges[edge].capacity;
    }
    EXPECT_EQ(sum, expected);
  }
  EXPECT_GE(bounded, 300);
}

TEST(MinCutTest, PrefersTheCutNearestToTheSink) {
  FlowNetwork net;
  for (int i = 0; i < 4; ++i)
    net.addNode();
  net.addEdge(0, 2, 5);
  net.addEdge(2, 3, 5);
  int last = net.addEdge(3, 1, 5);
  EXPECT_EQ(net.minCut(0, 1).edges, std::vector<int>{last});
}

TEST(MinCutTest, DoesNotDependOnTheOrderOfEdges) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Edge> edges;
    for (int i = 0; i < 14; ++i)
      edges.push_back({static_cast<int>(random() % 6),
                       static_cast<int>(random() % 6),
                       static_cast<int64_t>(random() % 4)});
    auto solve = [&](bool reversed) {
      FlowNetwork net;
      for (int i = 0; i < 6; ++i)
        net.addNode();
      for (size_t i = 0; i < edges.size(); ++i) {
        const Edge &edge = edges[reversed ? edges.size() - 1 - i : i];
        net.addEdge(edge.from, edge.to, edge.capacity);
      }
      return net.minCut(0, 1).onSinkSide;
    };
    EXPECT_EQ(solve(false), solve(true));
  }
}

TEST(MinCutTest, NamesThePathThatCannotBeCut) {
  FlowNetwork net;
  for (int i = 0; i < 3; ++i)
    net.addNode();
  net.addEdge(0, 2, FlowNetwork::kInfinite);
  net.addEdge(2, 1, FlowNetwork::kInfinite);
  MinCut cut = net.minCut(0, 1);
  EXPECT_TRUE(cut.unbounded);
  EXPECT_EQ(cut.unbreakablePath, (std::vector<int>{0, 2, 1}));
}

TEST(MinCutTest, SolvesLongChains) {
  // A recursive search would run out of stack here.
  FlowNetwork net;
  int source = net.addNode(), sink = net.addNode(), last = source;
  for (int i = 0; i < 100000; ++i) {
    int node = net.addNode();
    net.addEdge(last, node, 3);
    last = node;
  }
  net.addEdge(last, sink, 2);
  EXPECT_EQ(net.minCut(source, sink).value, 2);
}

} // namespace
