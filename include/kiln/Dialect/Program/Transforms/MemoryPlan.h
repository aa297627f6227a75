//===- MemoryPlan.h - Places for buffers in one arena -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: buffers, each live over a range of steps, are to share memory
// where their ranges do not meet. Plain data, so that it is tested without IR.
//
//   step        0    1    2    3
//   a  64 KB    [---------]
//   b  32 KB         [---------]
//   c  64 KB              [----]      placed where a was
//
// A static size is a number. A symbolic size is a key: two buffers have equal
// keys exactly if their sizes are the same expression. Static buffers are
// placed one after another in a gap that holds them, in several orders (the largest
// first, those that live longest first, what found no gap before the others, ...)
// until the bytes that are live at once suffice or some milliseconds are over. Small
// plans are the best there are (a test compares them with all orders).
// Symbolic ones get slots: a slot serves buffers of one key, one at a time. The
// slots stand behind the static part, in order.
//
// Considered: comparing symbolic sizes by their ranges. A slot for `s0 * 8`
// could serve `s0 * 4`, but rounding to the alignment and the order of slots
// would then depend on proofs; equal expressions need none.
//
//   PlanBuffer a, b;
//   a.bytes = b.bytes = 1 << 16;
//   a.first = 0, a.last = 2;
//   b.first = 3, b.last = 4;
//   planMemory({a, b}).peakBytes;  // 65536: b lies where a was
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_TRANSFORMS_MEMORYPLAN_H
#define KILN_DIALECT_PROGRAM_TRANSFORMS_MEMORYPLAN_H

#include "kiln/Dialect/Program/IR/Arena.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::program {

/// A buffer to place. It is live from the step that writes it to the last one
/// that reads it, both included.
struct PlanBuffer {
  int64_t bytes = 0; ///< at the hints if the size is symbolic
  /// Which symbolic size it has; nothing for a static size.
  std::optional<unsigned> symbolicSize;
  unsigned first = 0;
  unsigned last = 0;
  /// An earlier buffer that dies in step `first` and that this one may
  /// overwrite element by element.
  std::optional<unsigned> overwrites;
};

struct PlanPlace {
  /// Offset within the static part, or the slot.
  int64_t offset = 0;
  std::optional<unsigned> slot;
  bool inPlace = false;
};

struct MemoryPlan {
  std::vector<PlanPlace> places;       ///< of each buffer
  std::vector<unsigned> slotSizes;     ///< symbolic size of each slot
  int64_t staticBytes = 0;             ///< of the static part
  int64_t peakBytes = 0;               ///< of the arena, at the hints
  int64_t lowerBound = 0;              ///< largest sum of live bytes
  int64_t withoutReuse = 0;            ///< sum of all buffers
};

/// True for a buffer and a later one that are to have places of their own although their
/// lives do not meet.
using PlanApart = llvm::function_ref<bool(unsigned earlier, unsigned later)>;

/// Places all buffers. A buffer that overwrites another gets its place if the
/// sizes are equal, else a place of its own. Static buffers that are `apart` share nothing.
MemoryPlan planMemory(llvm::ArrayRef<PlanBuffer> buffers,
                      PlanApart apart = nullptr);

/// `bytes` rounded up to the alignment.
inline int64_t alignBytes(int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_TRANSFORMS_MEMORYPLAN_H
