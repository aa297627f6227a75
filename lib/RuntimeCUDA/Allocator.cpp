//===- Allocator.cpp - Memory of a GPU, kept to be used again ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocator.h"

#include <algorithm>

namespace kiln::cuda {

/// What memory is overwritten with: no float that somebody computes.
static constexpr unsigned char kNothing = 0xff;

/// Few different sizes, so that a block fits what comes next: steps of 512 bytes, from
/// a mebibyte on of two mebibytes.
static size_t roundUp(size_t bytes) {
  size_t step = bytes < (size_t(1) << 20) ? 512 : size_t(2) << 20;
  return (std::max<size_t>(bytes, 1) + step - 1) / step * step;
}

void Allocator::freeAll() {
  std::lock_guard<std::mutex> lock(mutex_);
  freeCached();
  for (auto &[address, block] : live_)
    driver_.cuMemFree_v2(address);
  live_.clear();
}

/// Kernels that were asked for may still use it.
void Allocator::freeCached() {
  if (stream_ && !cached_.empty())
    driver_.cuStreamSynchronize(stream_);
  for (auto &[bytes, address] : cached_)
    driver_.cuMemFree_v2(address);
  cached_.clear();
  use_.cached = 0;
}

int Allocator::allocate(size_t bytes, const std::string &holder,
                        Address &block) {
  std::lock_guard<std::mutex> lock(mutex_);
  size_t rounded = roundUp(bytes);
  Address address = 0;
  // One that is much too large would be missed elsewhere.
  auto kept = cached_.lower_bound(rounded);
  if (kept != cached_.end() && kept->first <= rounded + rounded / 4) {
    rounded = kept->first;
    address = kept->second;
    cached_.erase(kept);
    use_.cached -= rounded;
  } else {
    ++use_.allocations;
    int answer = driver_.cuMemAlloc_v2(&address, rounded);
    if (answer == kOutOfMemory && !cached_.empty()) {
      freeCached();
      answer = driver_.cuMemAlloc_v2(&address, rounded);
    }
    if (answer != kSuccess)
      return answer;
  }
  live_[address] = {rounded, holder};
  use_.used += rounded;
  use_.peak = std::max(use_.peak, use_.used);
  block = address;
  return kSuccess;
}

int Allocator::clearKept() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto &[bytes, address] : cached_)
    if (int answer =
            driver_.cuMemsetD8Async(address, kNothing, bytes, stream_);
        answer != kSuccess)
      return answer;
  return kSuccess;
}

void Allocator::release(Address address) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto block = live_.find(address);
  if (block == live_.end())
    return;
  size_t bytes = block->second.bytes;
  live_.erase(block);
  cached_.emplace(bytes, address);
  use_.used -= bytes;
  use_.cached += bytes;
}

Allocator::Use Allocator::use() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return use_;
}

Error Allocator::outOfMemory(size_t bytes) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, size_t> holders;
  for (auto &[address, block] : live_)
    holders[block.holder] += block.bytes;
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
