//===- WholeRows.h - Rows that are one piece of memory ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a copy engine can bring for the threads that share a row: an input of which
// each of them reads the element that it is at, so that all of them read a row, and
// this lies element by element from one place on.
//
//   shared [8192]; %x[%i, %j] of nests over [8192, 4096], x a dense tensor of bf16
//   getWholeRows(kernel, layout)
//     -> {x, begin = d0 * 4096, size = 4096, bytes = 8192, isAligned}
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_WHOLEROWS_H
#define KILN_ANALYSIS_WHOLEROWS_H

#include "kiln/Analysis/KernelLayout.h"

namespace kiln::analysis {

/// What copies of the engine begin at multiples of, and consist of, in bytes.
inline constexpr int64_t kEngineBytes = 16;

struct WholeRow {
  mlir::BlockArgument input;
  /// The loads that read the element that a thread is at, without a mask, and the nests
  /// that they are in. There may be others, of other elements.
  SmallVector<loop::LoadOp> loads;
  int64_t nests = 0;
  /// Where a row begins, in elements, over the shared dimensions of the kernel.
  ExprAttr begin;
  int64_t size = 0, bytes = 0; ///< elements of a row, and what they take
  /// All rows begin at multiples of such bytes of the tensor, and end there.
  bool isAligned = false;
};

/// Those of the inputs of a kernel with rows of known size.
SmallVector<WholeRow> getWholeRows(loop::KernelOp kernel,
                                   const KernelLayout &layout);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_WHOLEROWS_H
