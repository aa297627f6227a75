//===- PieceRuns.h - Pieces of a row that are read alike --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a concatenation of twenty tensors each piece has code of its own, which
// differs from that of the piece before in the tensor that it reads:
//
//   [64, 96)    a[j - 64] * w[j]        input 1
//   [96, 128)   b[j - 96] * w[j]        input 2
//   [128, 160)  c[j - 128] * w[j]       input 3
//
// Such a run of pieces is one loop, which finds the tensor by its number.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EMISSION_PIECERUNS_H
#define KILN_LIB_EMISSION_PIECERUNS_H

#include "kiln/Emission/KernelEmitter.h"

namespace kiln::loop {

/// A comparison that is `above` at indices from `cut` on, and the other before.
struct Comparison {
  Operation *op;
  int64_t cut;
  bool above;

  bool isTrueFrom(int64_t first) const { return above == (first >= cut); }
};

/// Neighbouring pieces of equal width whose code differs in inputs alone.
struct PieceRun {
  /// What the first piece reads; the one behind it reads the input `step`
  /// further.
  struct Input {
    Value tensor;
    int64_t step;
    int64_t stride; ///< elements from one index of the row to the next
  };

  size_t first = 0, count = 1; ///< pieces
  int64_t width = 0;           ///< indices of each; 0 of a piece by itself
  SmallVector<Input> inputs;
};

/// Puts the pieces [bounds[k], bounds[k + 1]) of dimension `dim` into runs, in
/// their order. Those that are alike are runs of one where they are few, and
/// where `buffers` says that their tensors lie in memory in other ways.
SmallVector<PieceRun>
findPieceRuns(KernelOp kernel, unsigned dim, ArrayRef<int64_t> bounds,
              ArrayRef<Comparison> comparisons,
              const llvm::DenseMap<Value, Buffer> &buffers);

} // namespace kiln::loop

#endif // KILN_LIB_EMISSION_PIECERUNS_H
