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
// before stands in front of what uses it next, so it may be given out at once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_ALLOCATOR_H
#define KILN_LIB_RUNTIMECUDA_ALLOCATOR_H

#include "Driver.h"

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace kiln::cuda {

class Allocator {
public:
  explicit Allocator(const Driver &driver) : driver_(driver) {}
  /// Gives all memory back, after the stream has come to its end. This and the
  /// functions below need the context to be current.
  void freeAll();
  /// Where the work is.
  void setStream(Handle stream) { stream_ = stream; }

  /// Sets `block` to one of so many bytes or more. The driver's answer: out of memory
  /// only after everything that is kept was given back to it.
  int allocate(size_t bytes, const std::string &holder, Address &block);
  /// Io, with who holds most.
  Error outOfMemory(size_t bytes) const;
  /// Takes a block back.
  void release(Address block);
  /// Overwrites what is kept to be given out again. The driver's answer.
  int clearKept();

  struct Use {
    size_t used = 0, peak = 0, cached = 0;
    uint64_t allocations = 0; ///< that the driver was asked for
  };
  Use use() const;

private:
  struct Block {
    size_t bytes;
    std::string holder;
  };

  void freeCached();

  const Driver &driver_;
  Handle stream_ = nullptr;
  mutable std::mutex mutex_;
  std::unordered_map<Address, Block> live_;
  std::multimap<size_t, Address> cached_;
  Use use_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_ALLOCATOR_H
