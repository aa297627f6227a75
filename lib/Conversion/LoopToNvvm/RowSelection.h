//===- RowSelection.h - A row that the first elements are wanted of -*- C++
//-*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_ROWSELECTION_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_ROWSELECTION_H

#include "GridEmitter.h"
#include "RowMemory.h"

namespace kiln::loop {

/// Bytes of the number of a slot that has candidates.
inline constexpr int64_t kSlotBytes = 2;

struct RowSelection {
  /// Neighbouring elements that a thread has in registers.
  struct Element {
    Position position;
    Value inside, key;
  };

  SortOp op;
  Position start;
  unsigned shared; ///< dimensions
  /// Vectors of a row in memory that a thread reads together. Those that are as
  /// many others apart make a slot of the thread.
  int64_t slots = 1;
  SmallVector<Element> elements;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_ROWSELECTION_H
