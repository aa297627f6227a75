//===- AccessRelations.h - What loop nests read, write and cost -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest is summarized as the list of its reads, each an index list over the
// nest's domain, and numbers at the hint sizes: bytes moved, points visited,
// weighted operations a point. Fusion, scheduling and memory planning ask here
// and never look at bodies themselves.
//
//   SizeHints hints(module);
//   Traffic alone = getTraffic(nest, hints);  // bytes, at the hints
//   for (const Access &read : getReads(nest))
//     if (!read.isIdentity())
//       across.push_back(read.tensor);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_ACCESSRELATIONS_H
#define KILN_ANALYSIS_ACCESSRELATIONS_H

#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::analysis {

using guard::ExprAttr;

/// The sizes a program was captured with, to weigh decisions by.
class SizeHints {
public:
  /// Reads the hints and ranges of the symbols that `module` declares.
  explicit SizeHints(ModuleOp module);

  /// The value of `expr` at the hints, at least 0. A symbol without a hint
  /// counts as 64, brought into its range.
  int64_t evaluate(ExprAttr expr) const;
  /// Product of the values, without overflow (it saturates).
  int64_t product(ArrayRef<ExprAttr> exprs) const;
  /// Bytes of a tensor of this type.
  int64_t getBytes(RankedTensorType type) const;

  /// What is known of the symbols.
  const guard::Assumptions &getAssumptions() const { return assumptions; }

private:
  llvm::StringMap<int64_t> hints;
  guard::Assumptions assumptions;
};

/// Bytes of one element in memory; booleans take one.
int64_t getElementBytes(Type elementType);
/// Bytes of a dense tensor of this type, as an expression.
ExprAttr getByteSize(RankedTensorType type);

/// One read of a nest.
struct Access {
  Value tensor;
  /// Index k of the element, over the nest's dimensions (parallel, then
  /// reduction). Computed indices are dimensions beyond the domain.
  SmallVector<ExprAttr> map;
  bool indirect = false; ///< some index is computed
  bool masked = false;
  loop::LoadOp load; ///< null for an operand that the nest reads itself
  /// The values of computed indices, in the order of their dimensions.
  SmallVector<Value> computed = {};

  /// The number of leading indices that are d0, d1, ... in that order.
  unsigned getAlignment() const;
  /// True if the indices are d0, d1, ... and no others.
  bool isIdentity() const { return getAlignment() == map.size(); }
};

/// Reads of a nest in program order: operands that it reads by maps of its own, then
/// loads. The tensor that it starts from is not among them.
SmallVector<Access> getReads(loop::NestOpInterface nest);

/// The number of different elements a read can touch, at the hints: extents of
/// the dimensions it depends on, at most the tensor.
int64_t getFootprint(const Access &access, const loop::Domain &domain,
                     const SizeHints &hints);

/// The inputs of a kernel of which it reads at most a quarter of the elements, all at computed
/// indices, as an embedding reads rows of its table.
SmallVector<int64_t> getSparseInputs(loop::KernelOp kernel,
                                     const SizeHints &hints);

/// True if the address of the element at `map` of a dense tensor of this type
/// moves by a fixed step along each index of a domain of these extents.
bool isStraight(RankedTensorType type, ArrayRef<ExprAttr> map,
                ArrayRef<ExprAttr> extents,
                const guard::Assumptions &assumptions);

/// Bytes that a set of nests moves.
struct Traffic {
  int64_t read = 0;
  int64_t written = 0;
  int64_t total() const { return read + written; }
};

/// Bytes of one nest run alone: each tensor it reads counts once (its widest
/// read), its results count fully.
Traffic getTraffic(loop::NestOpInterface nest, const SizeHints &hints);

/// Weight of one operation of a body: 0 for constants, numbers and index arithmetic on
/// attributes, 1 for arithmetic, 4 for division and roots, 8 for exp and log,
/// 16 for the likes of erf, sin and pow; 1 for a load, 4 for an indirect one.
int64_t getCost(Operation *op);
/// The sum over a region.
int64_t getCost(Region &body);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_ACCESSRELATIONS_H
