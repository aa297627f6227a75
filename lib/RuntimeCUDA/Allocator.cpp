//===- Allocator.cpp - Memory of a GPU, kept to be used again ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocator.h"

#include <algorithm>
#include <map>
#include <string>

namespace kiln::cuda {

/// What memory is overwritten with: no float that somebody computes.
static constexpr unsigned char kNothing = 0xff;

/// Few different sizes, so that a block fits what comes next: steps of 512 bytes, from
/// a mebibyte on of two mebibytes.
static size_t roundUp(size_t bytes) {
  size_t step = bytes < (size_t(1) << 20) ? 512 : size_t(2) << 20;
  return (std::max<size_t>(bytes, 1) + step - 1) / step * step;
}

void Allocator::Ring::append(Block *block) {
  block->previous = head_.previous;
  block->next = &head_;
  head_.previous->next = block;
  head_.previous = block;
}

void Allocator::Ring::remove(Block *block) {
  block->previous->next = block->next;
  block->next->previous = block->previous;
}

void Allocator::freeAll(Ring &blocks) {
  while (Block *block = blocks.front()) {
    driver_.cuMemFree_v2(block->address);
    Ring::remove(block);
    delete block;
  }
}

void Allocator::freeAll() {
  std::lock_guard<std::mutex> lock(mutex_);
  freeCached();
  freeAll(live_);
}

/// Kernels that were asked for may still use it.
void Allocator::freeCached() {
  if (stream_ && use_.cached != 0)
    driver_.cuStreamSynchronize(stream_);
  for (Shelf &shelf : shelves_)
    freeAll(*shelf.blocks);
  shelves_.clear();
  use_.cached = 0;
}

/// The first shelf of so many bytes or more.
std::vector<Allocator::Shelf>::iterator Allocator::shelfFrom(size_t bytes) {
  return std::lower_bound(
      shelves_.begin(), shelves_.end(), bytes,
      [](const Shelf &shelf, size_t least) { return shelf.bytes < least; });
}

/// One that is much too large would be missed elsewhere.
Allocator::Block *Allocator::takeKept(size_t bytes) {
  for (auto shelf = shelfFrom(bytes);
       shelf != shelves_.end() && shelf->bytes <= bytes + bytes / 4; ++shelf)
    if (Block *block = shelf->blocks->front()) {
      Ring::remove(block);
      use_.cached -= block->bytes;
      return block;
    }
  return nullptr;
}

int Allocator::allocate(size_t bytes, const char *holder, Block *&block) {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t rounded = roundUp(bytes);
  block = takeKept(rounded);
  if (!block) {
    ++use_.allocations;
    Address address = 0;
    int answer = driver_.cuMemAlloc_v2(&address, rounded);
    if (answer == kOutOfMemory && use_.cached != 0) {
      freeCached();
      answer = driver_.cuMemAlloc_v2(&address, rounded);
    }
    if (answer != kSuccess)
      return answer;
    block = new Block();
    block->address = address;
    block->bytes = rounded;
  }
  block->holder = holder;
  live_.append(block);
  use_.used += block->bytes;
  use_.peak = std::max(use_.peak, use_.used);
  return kSuccess;
}

int Allocator::clearKept() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Shelf &shelf : shelves_)
    for (const Block *block = shelf.blocks->begin();
         block != shelf.blocks->end(); block = block->next)
      if (int answer = driver_.cuMemsetD8Async(block->address, kNothing,
                                               block->bytes, stream_);
          answer != kSuccess)
        return answer;
  return kSuccess;
}

void Allocator::release(Block *block) {
  std::lock_guard<std::mutex> lock(mutex_);
  Ring::remove(block);
  auto shelf = shelfFrom(block->bytes);
  if (shelf == shelves_.end() || shelf->bytes != block->bytes)
    shelf = shelves_.insert(shelf, {block->bytes, std::make_unique<Ring>()});
  shelf->blocks->append(block);
  use_.used -= block->bytes;
  use_.cached += block->bytes;
}

Allocator::Use Allocator::use() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return use_;
}

Error Allocator::outOfMemory(size_t bytes) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, size_t> holders;
  for (const Block *block = live_.begin(); block != live_.end();
       block = block->next)
    holders[block->holder] += block->bytes;
  auto largest = std::max_element(
      holders.begin(), holders.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  size_t free = 0, total = 0;
  driver_.cuMemGetInfo_v2(&free, &total);
  std::string text = "out of memory on the device: " + std::to_string(bytes) +
                     " bytes were asked for, " + std::to_string(free) + " of " +
                     std::to_string(total) + " are free";
  if (largest != holders.end())
    text += ", the " + largest->first + " hold" + " " +
            std::to_string(largest->second);
  return Error::io(text);
}

} // namespace kiln::cuda
