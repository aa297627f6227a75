//===- EpilogueRows.h - Epilogues that make rows together -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions whose epilogues read each other element by element, as weights
// of attention and their gradients do where the sums of rows are known:
//
//   @p   contract a, b  epilogue { exp(%acc - %l[i]) }             -> %w[i, j]
//   @q   contract c, d  epilogue { %w[i, j] * (%acc - %m[i]) }     -> %g[i, j]
//
// There is no reduction between them, so they are kernels of one contraction
// each, and no chain of products has rows to begin with. Taken apart they have:
//
//   @p   contract a, b                                             -> %s[i, j]
//   @q   contract c, d                                             -> %t[i, j]
//   rows %w = exp(%s - %l), %g = %w * (%t - %m)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_EPILOGUEROWS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_EPILOGUEROWS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Kernels that were taken apart.
struct EpilogueRows {
  SmallVector<KernelOp> old;  ///< without readers, in their order
  SmallVector<KernelOp> made; ///< the products alone
  SmallVector<KernelOp> left; ///< of `old`, those that others read
  KernelOp rows; ///< has the results of `left`, one after the other

  /// Lets readers have the results of the old kernels again, and removes the
  /// new ones.
  void undo();
  /// Removes the old kernels.
  void finish();
};

/// Takes the epilogue of `last`, a kernel of one contraction, and those of the
/// contractions that it reads element by element out into rows behind it.
/// Nothing, and no change, if it reads no such one, or no two contractions read
/// one of the results.
std::optional<EpilogueRows> openEpilogues(KernelOp last);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_EPILOGUEROWS_H
