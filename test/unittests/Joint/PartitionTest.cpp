//===- PartitionTest.cpp - The rules of saving, without IR ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/Transforms/Knapsack.h"
#include "kiln/Dialect/Joint/Transforms/Partition.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <optional>
#include <random>
#include <tuple>

using namespace kiln::joint;

namespace {

/// Writes problems like a program.
struct Graph : PartitionProblem {
  int value(const char *name, int64_t bytes) {
    PartitionValue v;
    valueNames.push_back(name);
    v.bytes = bytes;
    v.storage = static_cast<int>(values.size());
    values.push_back(v);
    return v.storage;
  }
  int primal(const char *name, int64_t bytes) {
    int v = value(name, bytes);
    values[v].isPrimal = true;
    return v;
  }
  int tangent(const char *name, int64_t bytes) {
    int v = value(name, bytes);
    values[v].isTangent = true;
    return v;
  }
  int op(const char *name, RecomputeClass recompute, std::vector<int> operands,
         int64_t bytes) {
    int result = value(name, bytes);
    if (recompute == RecomputeClass::View)
      values[result].storage = values[operands.front()].storage;
    PartitionOp op;
    op.recompute = recompute;
    op.operands = std::move(operands);
    op.results = {result};
    ops.push_back(op);
    return result;
  }
  int cheap(const char *name, std::vector<int> operands, int64_t bytes) {
    return op(name, RecomputeClass::Cheap, std::move(operands), bytes);
  }
  int heavy(const char *name, std::vector<int> operands, int64_t bytes) {
    return op(name, RecomputeClass::Heavy, std::move(operands), bytes);
  }
  int view(const char *name, int operand) {
    return op(name, RecomputeClass::View, {operand}, values[operand].bytes);
  }
  void output(int v) { values[v].isOutput = true; }
  void gradient(int v) { values[v].isGradient = true; }

  std::vector<std::string> names(const std::vector<int> &list) const {
    std::vector<std::string> result;
    for (int v : list)
      result.push_back(valueNames[v]);
    return result;
  }

  std::vector<std::string> valueNames;
};

using Names = std::vector<std::string>;

TEST(PartitionTest, InputsAreFreeAndPointwiseIsRecomputed) {
  // y = exp(x), dx = dy * exp(x): nothing is saved, exp is done twice.
  Graph g;
  int x = g.primal("x", 400), dy = g.tangent("dy", 400);
  int y = g.cheap("exp", {x}, 400);
  g.output(y);
  g.gradient(g.cheap("mul", {dy, y}, 400));
  PartitionResult r = partition(g);
  ASSERT_TRUE(r.uncut.empty());
  EXPECT_EQ(r.savedBytes, 0);
  EXPECT_EQ(g.names(r.keptInputs), Names{"x"});
  EXPECT_EQ(r.recomputedOps, std::vector<int>{0});
  EXPECT_EQ(r.forwardOps, std::vector<int>{0});
  EXPECT_EQ(r.backwardOps, (std::vector<int>{0, 1}));
}

TEST(PartitionTest, ContractionsAreSavedNotRecomputed) {
  Graph g;
  int x = g.primal("x", 400), w = g.primal("w", 400);
  int dy = g.tangent("dy", 400);
  int h = g.heavy("mm", {x, w}, 400);
  int y = g.cheap("exp", {h}, 400);
  int z = g.heavy("mm2", {y, w}, 400);
  g.output(z);
  int dh = g.cheap("mul", {dy, y}, 400);
  g.gradient(g.heavy("mm3", {dh, w}, 400));
  PartitionResult r = partition(g);
  EXPECT_EQ(r.savedBytes, 400);
  ASSERT_EQ(r.saved.size(), 1u);
  EXPECT_TRUE(r.saved[0] == h || r.saved[0] == y);
}

TEST(PartitionTest, ViewsShareTheirStorage) {
  // Two views of one contraction in the backward: one storage is saved.
  Graph g;
  int x = g.primal("x", 400), dy = g.tangent("dy", 400);
  int h = g.heavy("mm", {x, x}, 400);
  int a = g.view("t", h), b = g.view("view", h);
  g.output(g.cheap("add", {a, b}, 400));
  g.gradient(g.cheap("mul", {dy, a}, 400));
  g.gradient(g.cheap("mul2", {dy, b}, 400));
  PartitionResult r = partition(g);
  EXPECT_EQ(g.names(r.saved), Names{"mm"});
  EXPECT_EQ(r.savedBytes, 400);
}

TEST(PartitionTest, ViewsOfInputsAreFree) {
  Graph g;
  int x = g.primal("x", 400), dy = g.tangent("dy", 400);
  int t = g.view("t", x);
  g.output(g.heavy("mm", {t, x}, 400));
  g.gradient(g.heavy("mm2", {t, dy}, 400));
  PartitionResult r = partition(g);
  EXPECT_EQ(r.savedBytes, 0);
  EXPECT_EQ(g.names(r.keptInputs), Names{"x"});
}

TEST(PartitionTest, RandomIsNeverRecomputed) {
  for (double budget : {1.0, 0.5, 0.0}) {
    Graph g;
    int x = g.primal("x", 400), dy = g.tangent("dy", 400);
    int mask = g.op("rand", RecomputeClass::Random, {x}, 100);
    g.output(g.cheap("mul", {x, mask}, 400));
    g.gradient(g.cheap("mul2", {dy, mask}, 400));
    PartitionOptions options;
    options.memoryBudget = budget;
    PartitionResult r = partition(g, options);
    EXPECT_EQ(g.names(r.saved), Names{"rand"});
  }
}

TEST(PartitionTest, SmallReductionsAreSaved) {
  Graph g;
  int x = g.primal("x", 4000), dy = g.tangent("dy", 40);
  int sum = g.op("sum", RecomputeClass::Reduction, {x}, 40);
  g.output(g.cheap("div", {x, sum}, 4000));
  g.gradient(g.cheap("mul", {dy, sum}, 40));
  PartitionResult r = partition(g);
  EXPECT_EQ(g.names(r.saved), Names{"sum"});
  ASSERT_FALSE(r.reasons.empty());
  EXPECT_EQ(r.reasons[0].action, PartitionReason::Action::Save);
  EXPECT_EQ(r.reasons[0].value, sum);
  EXPECT_EQ(r.reasons[0].bytes, 40);
  EXPECT_STREQ(r.reasons[0].reason,
               "reduction that reads at least 4 times what the backward needs of it");
}

/// A norm that gives its rows and a statistic of each: what the backward reads decides.
TEST(PartitionTest, StatisticsAreSavedUnlessRowsAreMadeAgain) {
  for (bool needsRows : {false, true}) {
    Graph g;
    int x = g.primal("x", 4000), dy = g.tangent("dy", 4000);
    int rows = g.op("norm", RecomputeClass::Reduction, {x}, 4000);
    int rstd = g.value("rstd", 40);
    g.ops.back().results.push_back(rstd);
    int y = g.cheap("relu", {rows}, 4000);
    g.output(y);
    g.gradient(g.cheap("mul", {dy, x, rstd}, 4000));
    if (needsRows)
      g.gradient(g.cheap("mask", {dy, g.cheap("gt", {rows}, 1000)}, 4000));
    PartitionResult r = partition(g);
    EXPECT_EQ(g.names(r.saved), needsRows ? Names{} : Names{"rstd"});
  }
}

TEST(PartitionTest, TagsOutrankTheRules) {
  Graph g;
  int x = g.primal("x", 400), dy = g.tangent("dy", 400);
  int h = g.heavy("mm", {x, x}, 400);
  int y = g.cheap("exp", {h}, 400);
  g.output(y);
  g.gradient(g.cheap("mul", {dy, y}, 400));
  g.ops[0].tag = RecomputeTag::Recompute;
  EXPECT_EQ(partition(g).savedBytes, 0);
  g.ops[1].tag = RecomputeTag::Save;
  EXPECT_EQ(g.names(partition(g).saved), Names{"exp"});
}

/// y = tanh(sum(x)), m = max(y), dx = dm * (|y| == m) * y; the sum reads no more
/// than three times what it yields. Returns the sum, and `m` as `result`.
static int compareWithMaximum(Graph &g, RecomputeClass kind, int &result) {
  int x = g.primal("x", 900), dm = g.tangent("dm", 4);
  int sum = g.op("sum", kind, {x}, 300);
  int y = g.cheap("tanh", {sum}, 400);
  result = g.op("max", RecomputeClass::Reduction, {y}, 4);
  g.output(result);
  int seen = g.cheap("abs", {g.view("view", y)}, 400);
  int mask = g.cheap("eq", {seen, result}, 100);
  g.ops.back().comparesExactly = true;
  g.gradient(g.cheap("mul", {g.cheap("where", {dm, mask}, 400), y}, 400));
  return sum;
}

TEST(PartitionTest, WhatIsComparedIsNotAddedUpAgain) {
  auto recomputes = [](const PartitionResult &r, int op) {
    return std::count(r.recomputedOps.begin(), r.recomputedOps.end(), op) > 0;
  };
  for (RecomputeClass kind : {RecomputeClass::Reduction, RecomputeClass::Heavy}) {
    Graph g;
    int m, sum = compareWithMaximum(g, kind, m);
    PartitionResult r = partition(g);
    EXPECT_EQ(r.saved, (std::vector<int>{sum, m}));
    EXPECT_STREQ(r.reasons[0].reason, "compared for equality, may differ in the "
                                      "last bit when run again");
    // What works element by element may run again.
    EXPECT_FALSE(recomputes(r, 0));
    EXPECT_TRUE(recomputes(r, 1));
    // The sum neither for memory nor because the user wants it.
    PartitionOptions nothing;
    nothing.memoryBudget = 0;
    EXPECT_FALSE(recomputes(partition(g, nothing), 0));
    g.ops[0].tag = RecomputeTag::Recompute;
    EXPECT_FALSE(recomputes(partition(g), 0));
    EXPECT_FALSE(recomputes(partition(g, nothing), 0));
  }
  // Where no bit counts the sum is done again.
  Graph g;
  int m;
  compareWithMaximum(g, RecomputeClass::Reduction, m);
  for (PartitionOp &op : g.ops)
    op.comparesExactly = false;
  EXPECT_TRUE(recomputes(partition(g), 0));
}

TEST(PartitionTest, ResidualStreamIsSavedAtEachBlock) {
  // x1 = x0 + mm(gelu(x0)), x2 = x1 + mm(gelu(x1)), ...: without the rule for
  // values used far apart all x would be rebuilt at once in the backward.
  Graph g;
  int w = g.primal("w", 100), x = g.primal("x0", 400);
  int dy = g.tangent("dy", 400);
  std::vector<int> xs;
  for (int i = 0; i < 5; ++i) {
    int a = g.cheap("gelu", {x}, 400);
    int m = g.heavy("mm", {a, w}, 400);
    x = g.cheap("add", {x, m}, 400);
    xs.push_back(x);
  }
  g.output(x);
  for (int i = 0; i < 4; ++i)
    g.gradient(g.cheap("gelu_backward", {dy, xs[i]}, 400));
  PartitionResult r = partition(g);
  EXPECT_EQ(g.names(r.saved), (Names{"add", "add", "add", "add"}));
}

TEST(PartitionTest, WhatBothWouldWriteIsSaved) {
  // mm(gelu(x), w), whose gradient of w reads gelu(x), and that of x the slope at x.
  for (bool inMemory : {false, true})
    for (bool isRead : {false, true}) {
      Graph g;
      int w = g.primal("w", 100), v = g.primal("v", 100), in = g.primal("in", 400);
      int dy = g.tangent("dy", 400);
      int x = g.heavy("mm", {in, v}, 400);
      int a = g.cheap("gelu", {x}, 400);
      // Behind the view it is the same storage.
      int flat = g.view("view", a);
      g.output(isRead ? g.heavy("mm", {flat, w}, 400)
                      : g.cheap("add", {flat, w}, 400));
      g.gradient(g.heavy("dw", {dy, flat}, 100));
      g.gradient(g.cheap("gelu_backward", {dy, x}, 400));
      g.operandsInMemory = inMemory;
      PartitionResult r = partition(g);
      EXPECT_EQ(std::count(r.recomputedOps.begin(), r.recomputedOps.end(), 1),
                inMemory && isRead ? 0 : 1);
      EXPECT_EQ(r.savedBytes, inMemory && isRead ? 800 : 400);
      // A number is in no memory.
      g.values[a].isTensor = false;
      EXPECT_EQ(partition(g).savedBytes, 400);
    }
}

/// A random joint graph whose forward is a mix of all classes.
Graph randomGraph(std::mt19937 &random, int size = 8) {
  Graph g;
  std::vector<int> live;
  int numInputs = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < numInputs; ++i)
    live.push_back(g.primal("x", 4 * (1 + static_cast<int>(random() % 50))));
  int dy = g.tangent("dy", 40);
  const RecomputeClass classes[] = {
      RecomputeClass::View,  RecomputeClass::Cheap,  RecomputeClass::Cheap,
      RecomputeClass::Cheap, RecomputeClass::Heavy,  RecomputeClass::Reduction,
      RecomputeClass::Random};
  int numOps = 2 + static_cast<int>(random() % size);
  for (int i = 0; i < numOps; ++i) {
    std::vector<int> operands = {live[random() % live.size()]};
    RecomputeClass recompute = classes[random() % 7];
    if (recompute != RecomputeClass::View && random() % 2)
      operands.push_back(live[random() % live.size()]);
    int64_t bytes = recompute == RecomputeClass::View
                        ? g.values[operands[0]].bytes
                        : 4 * (1 + static_cast<int64_t>(random() % 50));
    live.push_back(g.op("v", recompute, operands, bytes));
  }
  g.output(live.back());
  int used = 1 + static_cast<int>(random() % (size / 2));
  for (int i = 0; i < used; ++i)
    g.gradient(g.cheap("d", {dy, live[random() % live.size()]}, 40));
  return g;
}

/// What was decided of which value and op.
std::vector<std::tuple<PartitionReason::Action, int, int>>
listDecisions(const PartitionResult &r) {
  std::vector<std::tuple<PartitionReason::Action, int, int>> decisions;
  for (const PartitionReason &reason : r.reasons)
    decisions.emplace_back(reason.action, reason.value, reason.op);
  return decisions;
}

/// Every op of the backward finds its operands among inputs, saved storages,
/// tangents and earlier ops of the backward.
void expectComplete(const Graph &g, const PartitionResult &r) {
  std::vector<bool> have(g.values.size(), false);
  for (size_t v = 0; v < g.values.size(); ++v)
    have[v] = g.values[v].isTangent;
  for (int v : r.saved)
    have[v] = true;
  for (int v : r.keptInputs) {
    EXPECT_TRUE(g.values[v].isPrimal);
    have[v] = true;
  }
  for (int op : r.backwardOps) {
    for (int v : g.ops[op].operands)
      EXPECT_TRUE(have[v]);
    for (int v : g.ops[op].results)
      have[v] = true;
  }
  for (size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].isGradient)
      EXPECT_TRUE(have[v]);
}

TEST(PartitionTest, BudgetIsMonotoneAndTheBackwardComplete) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    Graph g = randomGraph(random);
    PartitionOptions options;
    options.saveAll = true;
    PartitionResult all = partition(g, options);
    ASSERT_TRUE(all.uncut.empty());
    expectComplete(g, all);
    options.saveAll = false;
    int64_t last = -1;
    for (double budget : {1.0, 0.75, 0.5, 0.25, 0.0}) {
      options.memoryBudget = budget;
      PartitionResult r = partition(g, options);
      ASSERT_TRUE(r.uncut.empty());
      expectComplete(g, r);
      if (last >= 0)
        EXPECT_LE(r.savedBytes, last) << "round " << round;
      last = r.savedBytes;
      for (int op : r.recomputedOps)
        EXPECT_NE(g.ops[op].recompute, RecomputeClass::Random);
      EXPECT_EQ(listDecisions(r), listDecisions(partition(g, options)));
    }
  }
}

/// What a backward saves and what its recomputation costs, when it saves those
/// of `mayBeSaved` that it meets; nothing if that leaves something out that can
/// not be run again.
std::optional<Tradeoff> evaluateSaving(const Graph &g,
                                       const std::vector<bool> &mayBeSaved,
                                       const std::vector<bool> &isRuledOut) {
  std::vector<int> producer(g.values.size(), -1);
  for (size_t op = 0; op < g.ops.size(); ++op)
    for (int v : g.ops[op].results)
      producer[v] = static_cast<int>(op);
  std::vector<bool> visited(g.values.size(), false);
  std::vector<int> work;
  for (size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].isGradient)
      work.push_back(static_cast<int>(v));
  Tradeoff sum;
  while (!work.empty()) {
    int v = work.back();
    work.pop_back();
    if (visited[v])
      continue;
    visited[v] = true;
    int op = producer[v];
    if (op < 0)
      continue;
    if (mayBeSaved[v]) {
      sum.bytes += g.values[v].bytes;
      continue;
    }
    if (isRuledOut[op]) {
      if (g.ops[op].recompute == RecomputeClass::Random)
        return std::nullopt;
      sum.cost += recomputeCost(g, op);
    }
    for (int operand : g.ops[op].operands)
      work.push_back(operand);
  }
  return sum;
}

/// A random graph with arithmetic, of up to `size` forward ops.
Graph randomCostlyGraph(std::mt19937 &random, int size) {
  Graph g = randomGraph(random, size);
  for (PartitionOp &op : g.ops)
    if (op.recompute == RecomputeClass::Heavy)
      op.flops = static_cast<double>(random() % 20000);
  return g;
}

TEST(PartitionTest, BudgetsAreMetForTheLeastCost) {
  // Compare with all sets of storages that may be saved.
  std::mt19937 random(29);
  int compared = 0, priced = 0;
  for (int round = 0; round < 600; ++round) {
    Graph g = randomCostlyGraph(random, 8);
    std::vector<bool> isRuledOut = findRuledOut(g);
    std::vector<int> owned;
    for (const PartitionOp &op : g.ops)
      for (int v : op.results)
        if (g.values[v].storage == v && !g.values[v].isGradient)
          owned.push_back(v);
    if (owned.size() > 9)
      continue;
    std::vector<Tradeoff> all;
    for (unsigned set = 0; set < (1u << owned.size()); ++set) {
      std::vector<bool> mayBeSaved(g.values.size(), false);
      for (size_t i = 0; i < owned.size(); ++i)
        mayBeSaved[owned[i]] = set >> i & 1;
      if (auto sum = evaluateSaving(g, mayBeSaved, isRuledOut))
        all.push_back(*sum);
    }
    std::vector<int> frontier = findFrontier(all);
    ASSERT_FALSE(frontier.empty());
    int64_t most = partition(g).savedBytes;
    for (double budget : {0.9, 0.75, 0.6, 0.5, 0.4, 0.25, 0.1, 0.0}) {
      PartitionOptions options;
      options.memoryBudget = budget;
      PartitionResult r = partition(g, options);
      auto target = static_cast<int64_t>(static_cast<double>(most) * budget);
      Tradeoff best = all[frontier.front()];
      for (int i : frontier)
        if (all[i].bytes <= target)
          best = all[i];
      EXPECT_EQ(r.budgetBytes, target);
      EXPECT_EQ(r.savedBytes, best.bytes) << "round " << round << " " << budget;
      EXPECT_EQ(r.extraCost, best.cost) << "round " << round << " " << budget;
      ++compared;
      priced += best.cost > 0;
    }
  }
  EXPECT_GT(compared, 2000);
  EXPECT_GT(priced, 500);
}

/// What PyTorch does: a knapsack of single ops by what they yield and what they
/// cost, then the cut of fewest bytes without those that were given up.
Tradeoff budgetOfSingleOps(Graph g, int64_t target) {
  std::vector<bool> isRuledOut = findRuledOut(g);
  PartitionOptions zero;
  zero.memoryBudget = 0;
  std::vector<int> inQuestion;
  for (size_t op = 0; op < g.ops.size(); ++op)
    if (isRuledOut[op] && g.ops[op].recompute != RecomputeClass::Random)
      inQuestion.push_back(static_cast<int>(op));
  std::vector<std::vector<Tradeoff>> items;
  for (int op : inQuestion)
    items.push_back({{g.values[g.ops[op].results[0]].bytes, 0},
                     {0, recomputeCost(g, op)}});
  std::vector<int> states = Knapsack(items).choose(target);
  for (size_t i = 0; i < inQuestion.size(); ++i)
    if (states[i] == 0)
      g.ops[inQuestion[i]].tag = RecomputeTag::Save;
  PartitionResult r = partition(g, zero);
  Tradeoff sum{r.savedBytes, 0};
  for (int op : r.recomputedOps)
    if (isRuledOut[op])
      sum.cost += recomputeCost(g, op);
  return sum;
}

TEST(PartitionTest, BudgetsCostNoMoreThanAKnapsackOfSingleOps) {
  std::mt19937 random(31);
  int better = 0;
  for (int round = 0; round < 300; ++round) {
    Graph g = randomCostlyGraph(random, 60);
    for (double budget : {0.75, 0.5, 0.25}) {
      PartitionOptions options;
      options.memoryBudget = budget;
      PartitionResult r = partition(g, options);
      Tradeoff other = budgetOfSingleOps(g, r.budgetBytes);
      if (other.bytes > r.budgetBytes)
        continue;
      EXPECT_LE(r.savedBytes, r.budgetBytes) << "round " << round;
      EXPECT_LE(r.extraCost, other.cost) << "round " << round << " " << budget;
      better += r.extraCost < other.cost;
    }
  }
  EXPECT_GT(better, 10);
}

TEST(PartitionTest, ZeroBudgetIsOptimalInBytes) {
  // Compare with all subsets of storages that let the backward be computed.
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    Graph g = randomGraph(random);
    std::vector<int> owned;
    for (const PartitionOp &op : g.ops)
      for (int v : op.results)
        if (g.values[v].storage == v && !g.values[v].isGradient)
          owned.push_back(v);
    if (owned.size() > 10)
      continue;
    int64_t best = -1;
    for (unsigned set = 0; set < (1u << owned.size()); ++set) {
      std::vector<bool> have(g.values.size(), false);
      int64_t bytes = 0;
      for (size_t v = 0; v < g.values.size(); ++v)
        have[v] = g.values[v].isPrimal || g.values[v].isTangent;
      for (size_t i = 0; i < owned.size(); ++i)
        if (set >> i & 1) {
          have[owned[i]] = true;
          bytes += g.values[owned[i]].bytes;
        }
      // Whether a random op is in the forward is the partitioner's to say;
      // count only those that outputs need.
      std::vector<bool> needed(g.values.size(), false);
      for (size_t v = 0; v < g.values.size(); ++v)
        needed[v] = g.values[v].isOutput;
      std::vector<bool> inForward(g.ops.size(), false);
      for (size_t op = g.ops.size(); op-- > 0;) {
        inForward[op] = needed[g.ops[op].results[0]];
        if (inForward[op])
          for (int v : g.ops[op].operands)
            needed[v] = true;
      }
      for (size_t op = 0; op < g.ops.size(); ++op) {
        if (g.ops[op].recompute == RecomputeClass::Random && inForward[op])
          continue;
        const auto &operands = g.ops[op].operands;
        if (std::all_of(operands.begin(), operands.end(),
                        [&](int v) { return have[v]; }))
          have[g.ops[op].results[0]] = true;
      }
      bool ok = true;
      for (size_t v = 0; v < g.values.size(); ++v)
        ok = ok && (!g.values[v].isGradient || have[v]);
      if (ok && (best < 0 || bytes < best))
        best = bytes;
    }
    PartitionOptions options;
    options.memoryBudget = 0.0;
    EXPECT_EQ(partition(g, options).savedBytes, best) << "round " << round;
  }
}

} // namespace
