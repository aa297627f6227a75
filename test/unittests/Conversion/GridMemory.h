//===- GridMemory.h - Memory that many threads share, watched -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access is checked: that it lies inside of one allocation, is aligned to what
// it says, and does not race. Two threads race at a byte if one of them writes it, not
// both do so atomically, and no barrier of their block, or of the warp that both are of, is
// in between; threads of different blocks have no barrier. What is read as constant may not be written in the
// same launch. A violation fails the test, once an allocation.
//
// Bytes that were always accessed together share a trace: an allocation has one for 16
// bytes until an access is of fewer, or begins elsewhere, and finer ones from then on.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_GRIDMEMORY_H
#define KILN_TEST_UNITTESTS_CONVERSION_GRIDMEMORY_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::loop {

inline constexpr size_t kWarpSize = 32;

/// Who accesses memory, and how.
struct Access {
  int32_t thread = 0; ///< of its block
  int32_t block = 0;
  int32_t epoch = 0;     ///< barriers that its block has passed
  int32_t warpEpoch = 0; ///< and its warp
  unsigned alignment = 1;
  bool isAtomic = false;
  bool isConstant = false; ///< said to be read only in this launch

  int32_t getWarp() const { return thread / int32_t(kWarpSize); }
};

class GridMemory {
public:
  /// Memory of `bytes` with no content, by the name in messages; its address.
  uint64_t allocate(std::string name, uint64_t bytes);
  /// The contents, unwatched: what the host reads and writes.
  uint8_t *data(uint64_t address);

  /// No launch has accessed anything.
  void beginLaunch();
  /// Forgets what the allocation of an address holds, and who has accessed it.
  void renew(uint64_t address);
  /// Forgets the allocations from this one on.
  void release(uint64_t address);

  /// Checks and notes an access. Where its bytes lie, to be read or written by the
  /// caller; null if they are not in memory.
  const uint8_t *load(uint64_t address, unsigned bytes, const Access &by);
  uint8_t *store(uint64_t address, unsigned bytes, const Access &by);
  /// Those who read bytes from now on know that they were written.
  void settle(uint64_t address, unsigned bytes);

private:
  /// Of bytes that were accessed together: who wrote them last, and who read them since.
  struct Trace {
    int32_t writer = -1, writerBlock = -1, writerEpoch = -1;
    int32_t reader = -1, readerBlock = -1, readerEpoch = -1;
    int32_t writerWarp = -1, writerWarpEpoch = -1;
    int32_t readerWarp = -1, readerWarpEpoch = -1;
    uint32_t period = 0;       ///< what it tells is of
    bool isAtomic = false;     ///< the write
    bool isReadAtomic = false; ///< all of the reads
    bool isConstant = false;   ///< one of the reads
  };
  struct Allocation {
    std::string name;
    std::vector<uint8_t> bytes;
    std::vector<Trace> traces;
    unsigned shift = 4;  ///< a trace is of 1 << shift bytes
    uint32_t period = 0; ///< traces of others are forgotten
    bool isReported = false;
  };

  Allocation *find(uint64_t address, unsigned bytes, const Access &by);
  llvm::MutableArrayRef<Trace> getTraces(Allocation &allocation,
                                         uint64_t offset, unsigned bytes);
  void report(Allocation &allocation, const char *what, uint64_t offset,
              const Access &by);

  std::vector<Allocation> allocations;
  uint32_t period = 0;
};

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDMEMORY_H
