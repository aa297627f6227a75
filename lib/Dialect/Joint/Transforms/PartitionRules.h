//===- PartitionRules.h - Facts and rules before the cut ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `partition` must know before it can state the flow problem: which ops
// the forward needs, which depend on tangents, which may not be recomputed and
// why, and what saving a storage costs.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_JOINT_TRANSFORMS_PARTITIONRULES_H
#define KILN_LIB_DIALECT_JOINT_TRANSFORMS_PARTITIONRULES_H

#include "kiln/Dialect/Joint/Transforms/Partition.h"

namespace kiln::joint {

/// Why an op is not recomputed; the numbers order how early the rule is given
/// up for the sake of memory (higher stays longer).
enum class Ban : uint8_t {
  None,
  LongChain,  ///< end of a long run of recomputable ops
  FarApart,   ///< its operand would be kept for it across an unfusible op
  Written,    ///< both functions would write it for ops that do not fuse
  Reduction,  ///< reads at least four times what it yields
  Heavy,
  Tagged,
  Compared,   ///< a comparison hangs on its last bit
  Random,
  Opaque,
};

/// The sentence for a ban.
const char *describe(Ban ban);

/// Facts about a joint graph.
struct PartitionFacts {
  std::vector<int> producer;           ///< per value: op, or -1
  std::vector<std::vector<int>> users; ///< per value: ops
  std::vector<std::vector<int>> storageUsers; ///< per storage, through views
  std::vector<bool> onTangent;         ///< per op: depends on a tangent
  std::vector<bool> inForward;         ///< per op: the outputs need it
  std::vector<bool> isOutputStorage;   ///< per storage: an output looks at it
  std::vector<int> distance;           ///< per storage: ops to the backward

  explicit PartitionFacts(const PartitionProblem &problem);
};

/// True if ops of this class melt into a neighbour's loop.
bool isFusible(RecomputeClass recompute);

/// False for views, and for results that the user wants computed again and that
/// can be.
bool mayBeSaved(const PartitionProblem &problem, const PartitionFacts &facts,
                const std::vector<Ban> &bans, int value);

/// The ban of each op under the default rules.
std::vector<Ban> applyRules(const PartitionProblem &problem,
                            const PartitionFacts &facts);

/// The weight of saving each storage: bytes, more the further from the
/// backward, twice for what the forward would not write otherwise.
std::vector<int64_t> weighStorages(const PartitionProblem &problem,
                                   const PartitionFacts &facts);

} // namespace kiln::joint

#endif // KILN_LIB_DIALECT_JOINT_TRANSFORMS_PARTITIONRULES_H
