//===- Partition.h - What a training step saves and what it recomputes ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A joint graph computes outputs from primals, and gradients from primals and
// tangents. Cut in two, the forward function must hand some intermediate values
// to the backward function. Which ones is a minimum-cut problem:
//
//   * each storage is a pair of nodes in -> out whose capacity is what saving
//     it costs (its bytes, weighted); views share the storage they look at and
//     can not be saved on their own, they are redone for nothing;
//   * a data dependence is an infinite edge out -> in;
//   * what the backward uses has an infinite edge to the sink;
//   * what must not be recomputed has an infinite edge from the source;
//   * a graph input costs nothing to save: the caller holds it anyway.
//
// Worked example, s = sum(exp(x @ w)) with x an input, 4 KB each:
//
//   mm -> exp -> sum     backward: grad * exp -> mm with x
//
// The contraction is banned from recomputation, so `mm` or `exp` must be
// saved. Both cost 4 KB; `exp` is only virtual in a fused forward, so saving it
// would write memory that is otherwise not written (weight 2). `mm` is saved
// and the backward recomputes one exponential.
//
// Everything here is plain data; the pass `joint-partition` translates IR to a
// `PartitionProblem` and the `PartitionResult` back.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_TRANSFORMS_PARTITION_H
#define KILN_DIALECT_JOINT_TRANSFORMS_PARTITION_H

#include "kiln/Interfaces/RecomputeClass.h"

#include <cstdint>
#include <vector>

namespace kiln::joint {

using kiln::RecomputeClass;

/// The user's wish for an op (a checkpoint tag); it outranks the rules.
enum class RecomputeTag : uint8_t { None, Save, Recompute };

/// A value of the joint graph.
struct PartitionValue {
  int64_t bytes = 0;        ///< of its elements; hints stand for symbols
  int storage = -1;         ///< the value that owns its storage, itself if own
  bool isTensor = true;     ///< else a number, which is in no memory
  bool isPrimal = false;    ///< graph input known when the forward runs
  bool isTangent = false;   ///< graph input known when the backward runs
  bool isOutput = false;    ///< result of the forward
  bool isGradient = false;  ///< result of the backward
};

/// An op of the joint graph; operands and results are value numbers.
struct PartitionOp {
  RecomputeClass recompute = RecomputeClass::Opaque;
  RecomputeTag tag = RecomputeTag::None;
  double flops = 0;         ///< arithmetic beyond one operation an element
  bool comparesExactly = false; ///< the results hang on each bit of operands
  std::vector<int> operands;
  std::vector<int> results;
};

/// A joint graph; `ops` are in topological order.
struct PartitionProblem {
  std::vector<PartitionValue> values;
  std::vector<PartitionOp> ops;
  /// Ops that do not fuse read their operands from memory, as products by matrix units
  /// do: what one of them needs is written there by whoever makes it.
  bool operandsInMemory = false;
};

/// How far to trade time for memory.
struct PartitionOptions {
  /// Fraction of the default cut's bytes that may be saved, 0 to 1. 1 takes the
  /// default rules; below 1, what they ban is run again where it costs least
  /// (`recomputeCost`) until the bytes fit; 0 saves what can never be recomputed
  /// and nothing else. Bytes never grow when the budget falls.
  double memoryBudget = 1.0;
  /// Save every storage that the backward reads and recompute nothing but
  /// views: the baseline to compare with.
  bool saveAll = false;
};

/// One decision.
struct PartitionReason {
  enum class Action : uint8_t { Save, KeepInput, Recompute };
  Action action;
  int value = -1;     ///< what is saved, kept, or made again; -1: no result
  int op = -1;        ///< the op that makes it; -1 for graph inputs
  /// What is saved; of an op that is run again for the budget, its
  /// `recomputeCost`.
  int64_t bytes = 0;
  const char *reason; ///< "contraction or the like, not recomputed"
};

/// The cut.
struct PartitionResult {
  /// Empty on success; else there is no cut: values from one that must not be
  /// recomputed to one that the backward uses, none of which can be saved.
  std::vector<int> uncut;
  std::vector<int> saved;         ///< storages handed over, ascending
  std::vector<int> keptInputs;    ///< primals the backward reads, ascending
  std::vector<int> forwardOps;    ///< ops of the forward, ascending
  std::vector<int> backwardOps;   ///< ops of the backward with recomputation
  std::vector<int> recomputedOps; ///< ops that stand in both
  int64_t savedBytes = 0;
  /// What it costs to run again, for the budget, what the rules would save: a
  /// sum of `recomputeCost`.
  int64_t extraCost = 0;
  /// The most bytes that the budget allowed; -1 without one.
  int64_t budgetBytes = -1;
  std::vector<PartitionReason> reasons;
};

/// What running an op again costs, as the bytes that memory moves in the same
/// time: what it reads and writes, and its arithmetic.
int64_t recomputeCost(const PartitionProblem &problem, int op);

/// Which ops the default rules do not run again.
std::vector<bool> findRuledOut(const PartitionProblem &problem);

/// Solves `problem`. Deterministic: equal problems give equal results.
PartitionResult partition(const PartitionProblem &problem,
                          const PartitionOptions &options = {});

} // namespace kiln::joint

#endif // KILN_DIALECT_JOINT_TRANSFORMS_PARTITION_H
