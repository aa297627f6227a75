//===- Fusion.h - Which loop nests become one kernel ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion as a problem over plain data: nests with extents and reads, tensors
// with sizes. The pass fills it from the IR, `run` decides, the pass rewrites.
//
// Two groups of nests may become one kernel if their first k extents agree, and
// every read of a tensor that becomes internal happens at the reader's own
// point of these k dimensions (`Read::alignment >= k`). Then one work item, a
// point of the shared domain, computes a row of everything without asking
// another.
//
//   sum   (i) in [1024] over (j)          alignment of its read of x: 2
//   div   (i, j) in [1024, 1024]          reads sum[i] with alignment 1
//   k = 1: one kernel of 1024 rows
//
// Where threads share columns, what is reduced may have its points on both
// sides: what agrees is the points, wherever each nest has them, and k may be
// less than all of them, or 0.
//
//   max   (i, 0, k) in [8, 1, 128] over (j)     columns [8, 128], elements [64]
//   sub   (i, j, k) in [8, 64, 128]             reads max[i, 0, k]: its own column
//   k = 1: a kernel whose blocks have some of the columns (i, k) each
//
// The score of a pair is the traffic it saves, then likeness (both reduce, or
// neither), then how near they stand in the program. What both read saves
// traffic if a point of the k dimensions reads one part of it in both: the rows
// of a square matrix and its columns, which have the same extents, do not.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_FUSION_H
#define KILN_DIALECT_LOOP_TRANSFORMS_FUSION_H

#include "kiln/Dialect/Guard/IR/Expr.h"

#include <string>
#include <vector>

namespace kiln::loop {

/// A tensor that nests read or write.
struct FusionTensor {
  int64_t bytes = 0;
  int64_t elements = 0;
  /// Something other than a nest uses it, so it must be stored.
  bool escapes = false;
};

/// One read of a nest.
struct FusionRead {
  unsigned tensor = 0;
  int64_t bytes = 0;
  /// How many leading indices are the nest's own first dimensions.
  unsigned alignment = 0;
  bool isComputed = false; ///< some index follows from what was read
  bool isOwnPlace = false; ///< the element at the point itself, of one for each
  /// Of each index of the tensor: which dimension of the nest it is, parallel
  /// and then reduced ones, or -1.
  SmallVector<int, 4> dims = {};
};

/// A nest, or an operation that cannot be fused but orders others.
struct FusionNode {
  enum class Kind { Pointwise, Reduction, Contraction, Scatter, Opaque };
  Kind kind = Kind::Opaque;
  SmallVector<guard::ExprAttr> parallel;
  /// How many of them are the first dimensions of the results, too: fewer where
  /// a scan or sort along an outer dimension has rows that lie apart.
  size_t leading = ~size_t(0);
  SmallVector<int64_t> parallelHints;
  int64_t points = 0; ///< of the whole domain, at the hints
  /// Elements that it has of a row of nests before it, where they lie together: threads
  /// may share them. 0 elsewhere.
  int64_t rowElements = 0;
  bool walksRow = false; ///< a scan or sort
  bool inParts = false; ///< a reduction that would be done in parts
  bool across = false;  ///< such a one that is across memory
  /// One that threads may share the columns of: points beside each other are
  /// neighbours in memory, and read elements of their own.
  bool hasColumns = false;
  SmallVector<guard::ExprAttr> reduction; ///< extents of what it reduces
  std::vector<FusionRead> reads;
  std::vector<unsigned> writes;
};

struct FusionOptions {
  int64_t maxRounds = 10;
  int64_t maxNests = 64;
  int64_t minHorizontalBytes = 64;
  /// Whether groups fuse of which one reads the other; which do not depend on each other.
  bool vertical = true, horizontal = true;
  /// Fewest work items that a large kernel may be left with.
  int64_t minWorkItems = 16;
  /// The same where reductions across memory follow from each other: what reduces alone is
  /// done in parts, these by one thread for each point.
  int64_t minAcrossItems = 0;
  /// Up to so many points a kernel may run in one thread.
  int64_t smallKernelPoints = 32768;
  /// Elements of a row up to which rows may be few: those who work together on one keep
  /// so many. 0: a row is for one.
  int64_t sharedRow = 0;
  /// Points that follow each other in a thread at most, where those who work together
  /// cannot share a row and there are fewer than `minAcrossItems`. 0: any number.
  int64_t mostSerialPoints = 0;
  /// Words that a block keeps of columns, of which it has so many bytes beside each other at
  /// least; of fewer tiles than this in proportion, since few blocks take longer. 0: nobody
  /// shares columns.
  int64_t columnWords = 0, columnBytes = 1, columnTiles = 1;
  /// Largest row of an internal tensor.
  int64_t maxRowBytes = 1 << 20;
};

/// A fused kernel: its nodes in program order and the shared dimensions.
struct FusionGroup {
  std::vector<unsigned> nodes;
  unsigned shared = 0;
};

/// Why two groups may not become one kernel.
struct FusionObstacle {
  enum class Kind {
    Contraction,     ///< one is a contraction, which only takes epilogues
    Scatter,         ///< one is a scatter, which runs in order
    TooManyNests,    ///< the kernel would have `number` nests
    KernelBetween,   ///< another kernel lies between them
    NoSharedExtents, ///< their outer extents differ
    OtherIndex,      ///< a value is read elsewhere than it is computed
    FewRows,         ///< `number` rows would be left to run in parallel
    LargeRow,        ///< a row of `number` bytes does not fit the cache
    LittleSaved,     ///< it would save less than `number` bytes
    VerticalOff,     ///< one reads the other, and that is switched off
    HorizontalOff,   ///< they are independent, and that is switched off
  };
  Kind kind;
  int64_t number = 0;

  /// The sentence a user reads.
  std::string str() const;
};

/// Two groups that were not fused, by their nodes.
struct FusionRefusal {
  std::vector<unsigned> first, second;
  FusionObstacle obstacle;
};

/// One round: the groups, by their nodes, between which it could choose, and
/// what it made of them.
struct FusionRound {
  std::vector<std::vector<unsigned>> candidates;
  std::vector<std::pair<std::vector<unsigned>, std::vector<unsigned>>> fusions;
  unsigned groupsBefore = 0, groupsAfter = 0;
};

struct FusionResult {
  /// All groups, also of single nodes, in an order without cycles.
  std::vector<FusionGroup> groups;
  std::vector<FusionRefusal> refusals; ///< of the last round
  std::vector<FusionRound> rounds;     ///< those that fused something
};

/// The nodes stand in program order; a node reads only what earlier ones write
/// or nobody does.
struct FusionProblem {
  std::vector<FusionTensor> tensors;
  std::vector<FusionNode> nodes;
};

/// Bytes of an element that are wanted from nest `first` of a kernel to nest
/// `last`.
struct KeptElement {
  int64_t bytes = 0;
  size_t first = 0, last = 0;
};
/// Bytes of those that are wanted at one time, the most.
int64_t countKeptBytes(ArrayRef<KeptElement> elements);

/// True if `nodes`, in program order, reduce the same elements of columns and
/// read each other's in their own places, and a block can keep the elements of
/// its columns. `writerOf` has the node that writes each tensor, ~0u for
/// inputs.
bool shareColumns(const FusionProblem &problem, ArrayRef<unsigned> nodes,
                  ArrayRef<unsigned> writerOf, const FusionOptions &options);

/// Runs the rounds.
FusionResult runFusion(const FusionProblem &problem,
                       const FusionOptions &options);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_FUSION_H
