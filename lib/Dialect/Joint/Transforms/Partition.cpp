//===- Partition.cpp - The cut between forward and backward ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/Transforms/Partition.h"

#include "MemoryBudget.h"
#include "kiln/Dialect/Joint/Transforms/MinCut.h"

#include <algorithm>

namespace kiln::joint {

namespace {

/// One attempt: the problem with some of the rules in force.
class Attempt {
public:
  Attempt(const PartitionProblem &problem, const PartitionFacts &facts,
          const std::vector<Ban> &rules, const std::vector<Ban> &bans,
          const std::vector<int64_t> &weights)
      : problem(problem), facts(facts), rules(rules), bans(bans),
        weights(weights) {}

  PartitionResult run();

private:
  bool isForwardValue(int v) const {
    if (problem.values[v].isTangent)
      return false;
    int op = facts.producer[v];
    return op < 0 || !facts.onTangent[op];
  }
  bool ownsStorage(int v) const { return problem.values[v].storage == v; }
  bool isNeededByBackward(int v) const;

  void buildNetwork();
  std::vector<int> getValues(const std::vector<int> &path) const;
  void collect(const MinCut &cut, PartitionResult &result) const;
  void explainChoices(PartitionResult &result) const;

  const PartitionProblem &problem;
  const PartitionFacts &facts;
  const std::vector<Ban> &rules; ///< all of them
  const std::vector<Ban> &bans;  ///< those in force
  const std::vector<int64_t> &weights;

  FlowNetwork net;
  int source = -1, sink = -1;
  std::vector<int> inNode, outNode; ///< per value; -1 for backward values
};

} // namespace

bool Attempt::isNeededByBackward(int v) const {
  if (problem.values[v].isGradient)
    return true;
  const std::vector<int> &users = facts.users[v];
  return std::any_of(users.begin(), users.end(),
                     [&](int op) { return facts.onTangent[op]; });
}

void Attempt::buildNetwork() {
  source = net.addNode();
  sink = net.addNode();
  int count = static_cast<int>(problem.values.size());
  inNode.assign(count, -1);
  outNode.assign(count, -1);
  for (int v = 0; v < count; ++v) {
    if (!isForwardValue(v))
      continue;
    inNode[v] = net.addNode();
    outNode[v] = net.addNode();
    bool isPrimal = facts.producer[v] < 0;
    if (isPrimal) {
      net.addEdge(source, inNode[v], FlowNetwork::kInfinite);
      net.addEdge(inNode[v], outNode[v], 0);
    } else {
      net.addEdge(inNode[v], outNode[v],
                  mayBeSaved(problem, facts, bans, v)
                      ? weights[v]
                      : FlowNetwork::kInfinite);
    }
    if (isNeededByBackward(v))
      net.addEdge(outNode[v], sink, FlowNetwork::kInfinite);
  }
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    if (facts.onTangent[i])
      continue;
    const PartitionOp &op = problem.ops[i];
    for (int result : op.results) {
      for (int operand : op.operands)
        net.addEdge(outNode[operand], inNode[result], FlowNetwork::kInfinite);
      if (bans[i] != Ban::None && ownsStorage(result))
        net.addEdge(source, inNode[result], FlowNetwork::kInfinite);
    }
  }
}

std::vector<int> Attempt::getValues(const std::vector<int> &path) const {
  std::vector<int> values;
  for (int node : path)
    for (size_t v = 0; v < problem.values.size(); ++v)
      if (inNode[v] == node)
        values.push_back(static_cast<int>(v));
  return values;
}

void Attempt::collect(const MinCut &cut, PartitionResult &result) const {
  size_t count = problem.values.size();
  std::vector<bool> isSaved(count, false);
  std::vector<bool> visited(count, false);
  std::vector<bool> inBackward(problem.ops.size(), false);

  // Walk from what the backward needs up to inputs and saved storages.
  std::vector<int> work;
  auto need = [&](int v) {
    if (visited[v] || problem.values[v].isTangent)
      return;
    visited[v] = true;
    work.push_back(v);
  };
  for (size_t v = 0; v < count; ++v)
    if (problem.values[v].isGradient)
      need(static_cast<int>(v));
  while (!work.empty()) {
    int v = work.back();
    work.pop_back();
    int op = facts.producer[v];
    if (op < 0) {
      result.keptInputs.push_back(v);
      continue;
    }
    bool isCut = inNode[v] >= 0 && ownsStorage(v) &&
                 !cut.onSinkSide[inNode[v]] && cut.onSinkSide[outNode[v]];
    if (isCut) {
      isSaved[v] = true;
      result.saved.push_back(v);
      continue;
    }
    inBackward[op] = true;
    for (int operand : problem.ops[op].operands)
      need(operand);
  }
  std::sort(result.keptInputs.begin(), result.keptInputs.end());
  std::sort(result.saved.begin(), result.saved.end());

  // The forward computes the outputs and what is saved.
  std::vector<bool> wanted(count, false);
  for (size_t v = 0; v < count; ++v)
    wanted[v] = problem.values[v].isOutput || isSaved[v];
  std::vector<bool> inForward(problem.ops.size(), false);
  for (int op = static_cast<int>(problem.ops.size()) - 1; op >= 0; --op) {
    const auto &results = problem.ops[op].results;
    inForward[op] = facts.inForward[op] ||
                    std::any_of(results.begin(), results.end(),
                                [&](int v) { return wanted[v]; });
    if (inForward[op])
      for (int v : problem.ops[op].operands)
        wanted[v] = true;
  }
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    int index = static_cast<int>(op);
    if (inForward[op])
      result.forwardOps.push_back(index);
    if (inBackward[op])
      result.backwardOps.push_back(index);
    if (inForward[op] && inBackward[op])
      result.recomputedOps.push_back(index);
    if (inBackward[op] && rules[op] != Ban::None)
      result.extraCost += recomputeCost(problem, index);
  }
  for (int v : result.saved)
    result.savedBytes += problem.values[v].bytes;
}

void Attempt::explainChoices(PartitionResult &result) const {
  using Action = PartitionReason::Action;
  for (int v : result.saved) {
    int op = facts.producer[v];
    result.reasons.push_back({Action::Save, v, op, problem.values[v].bytes,
                              describe(bans[op])});
  }
  for (int v : result.keptInputs)
    result.reasons.push_back(
        {Action::KeepInput, v, -1, 0, "graph input, the caller holds it"});
  for (int op : result.recomputedOps) {
    const char *why = "";
    int64_t cost = 0;
    if (problem.ops[op].tag == RecomputeTag::Recompute)
      why = "tagged by the user to be recomputed";
    else if (rules[op] != Ban::None) {
      why = "for the memory budget";
      cost = recomputeCost(problem, op);
    } else if (problem.ops[op].recompute == RecomputeClass::View)
      why = "view, moves no data";
    else if (problem.ops[op].recompute == RecomputeClass::Cheap)
      why = "pointwise, fuses into its user";
    else
      why = "reads little more than it yields, fuses into its user";
    const std::vector<int> &results = problem.ops[op].results;
    result.reasons.push_back({Action::Recompute,
                              results.empty() ? -1 : results.front(), op, cost,
                              why});
  }
}

PartitionResult Attempt::run() {
  PartitionResult result;
  buildNetwork();
  MinCut cut = net.minCut(source, sink);
  if (cut.unbounded) {
    result.uncut = getValues(cut.unbreakablePath);
    return result;
  }
  collect(cut, result);
  explainChoices(result);
  return result;
}

/// Bytes as weights, for when memory is all that counts.
static std::vector<int64_t> weighByBytes(const PartitionProblem &problem) {
  std::vector<int64_t> weights;
  weights.reserve(problem.values.size());
  for (const PartitionValue &value : problem.values)
    weights.push_back(std::max<int64_t>(1, value.bytes));
  return weights;
}

std::vector<bool> findRuledOut(const PartitionProblem &problem) {
  std::vector<bool> isRuledOut;
  for (Ban ban : applyRules(problem, PartitionFacts(problem)))
    isRuledOut.push_back(ban != Ban::None);
  return isRuledOut;
}

/// The cut of least cost within `target` bytes.
static PartitionResult fitBudget(const PartitionProblem &problem,
                                 const PartitionFacts &facts,
                                 const std::vector<Ban> &rules,
                                 int64_t target) {
  std::vector<int64_t> weights = weighByBytes(problem);
  auto attempt = [&](const std::vector<Ban> &bans) {
    return Attempt(problem, facts, rules, bans, weights).run();
  };
  std::vector<Ban> fewest = rules;
  for (Ban &ban : fewest)
    if (ban < Ban::Tagged)
      ban = Ban::None;
  MemoryBudget budget(problem, facts, rules, attempt(rules), attempt(fewest));
  PartitionResult result = attempt(budget.fit(target));
  result.budgetBytes = target;
  return result;
}

PartitionResult partition(const PartitionProblem &problem,
                          const PartitionOptions &options) {
  PartitionFacts facts(problem);
  std::vector<Ban> bans = applyRules(problem, facts);
  if (options.saveAll) {
    for (size_t op = 0; op < bans.size(); ++op)
      if (facts.inForward[op] && bans[op] == Ban::None &&
          problem.ops[op].recompute != RecomputeClass::View)
        bans[op] = Ban::Tagged;
    return Attempt(problem, facts, bans, bans, weighByBytes(problem)).run();
  }
  std::vector<int64_t> weights = weighStorages(problem, facts);
  PartitionResult result = Attempt(problem, facts, bans, bans, weights).run();
  double budget = std::clamp(options.memoryBudget, 0.0, 1.0);
  if (!result.uncut.empty() || budget >= 1.0)
    return result;
  return fitBudget(problem, facts, bans,
                   static_cast<int64_t>(
                       static_cast<double>(result.savedBytes) * budget));
}

} // namespace kiln::joint
