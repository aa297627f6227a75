//===- Allocator.h - Memory of a GPU, kept to be used again --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's allocations wait for the device and take as long as many kernels, so
// blocks that come back are kept by size. All work is on one stream: what used a block
// before stands in front of what uses it next, so it may be given out at once. Those of one
// size are given out in the order in which they came: calls that follow each other, and let
// go of their results in the same order, find each where it was.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_ALLOCATOR_H
#define KILN_LIB_RUNTIMECUDA_ALLOCATOR_H

#include "Driver.h"

#include <memory>
#include <mutex>
#include <vector>

namespace kiln::cuda {

class Allocator {
public:
  struct Block {
    Address address = 0;
    size_t bytes = 0;
    const char *holder = "";
    Block *previous = nullptr, *next = nullptr;
  };

  explicit Allocator(const Driver &driver) : driver_(driver) {}
  /// Gives all memory back, after the stream has come to its end. This and the
  /// functions below need the context to be current.
  void freeAll();
  /// Where the work is.
  void setStream(Handle stream) { stream_ = stream; }

  /// Sets `block` to one of so many bytes or more. `holder` stays valid as long as this. The
  /// driver's answer: out of memory only after everything that is kept was given back to it.
  int allocate(size_t bytes, const char *holder, Block *&block);
  /// Io, with who holds most.
  Error outOfMemory(size_t bytes) const;
  /// Takes a block back.
  void release(Block *block);
  /// Overwrites what is kept to be given out again. The driver's answer.
  int clearKept();

  struct Use {
    size_t used = 0, peak = 0, cached = 0;
    uint64_t allocations = 0; ///< that the driver was asked for
  };
  Use use() const;

private:
  /// Blocks in a ring.
  class Ring {
  public:
    Ring() { head_.previous = head_.next = &head_; }
    Ring(const Ring &) = delete;
    bool empty() const { return head_.next == &head_; }
    Block *front() { return empty() ? nullptr : head_.next; }
    const Block *begin() const { return head_.next; }
    const Block *end() const { return &head_; }
    void append(Block *block);
    static void remove(Block *block);

  private:
    Block head_;
  };
  /// What is kept of one size.
  struct Shelf {
    size_t bytes;
    std::unique_ptr<Ring> blocks;
  };

  std::vector<Shelf>::iterator shelfFrom(size_t bytes);
  Block *takeKept(size_t bytes);
  void freeAll(Ring &blocks);
  void freeCached();

  const Driver &driver_;
  Handle stream_ = nullptr;
  mutable std::mutex mutex_;
  Ring live_;
  std::vector<Shelf> shelves_; ///< by size; some are empty
  Use use_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_ALLOCATOR_H
