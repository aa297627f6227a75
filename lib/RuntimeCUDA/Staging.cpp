//===- Staging.cpp - Large copies to a GPU by threads of the host --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Staging.h"

#include <algorithm>
#include <cstring>

namespace kiln::cuda {

/// Eight read 32 to 40 GB/s of a mapped file from the system's cache.
static constexpr unsigned kMostHostThreads = 8;
/// As long as a buffer is on its way; then threads sleep.
static constexpr unsigned kSpinMicros = 1000;
/// What is worth a thread.
static constexpr int64_t kPieceBytes = 512 << 10;

Staging::Staging(const Driver &driver)
    : driver_(driver),
      pool_(std::min(runtime::ThreadPool(0).threads(), kMostHostThreads),
            kSpinMicros) {}

void Staging::free() {
  for (Buffer &buffer : buffers_) {
    if (buffer.isRead)
      driver_.cuEventDestroy_v2(buffer.isRead);
    if (buffer.memory)
      driver_.cuMemFreeHost(buffer.memory);
    buffer = {};
  }
  state_ = State::None;
}

bool Staging::takes(size_t bytes) {
  if (bytes < kSmallest || state_ != State::None)
    return bytes >= kSmallest && state_ == State::Made;
  asked_ += std::min(bytes, kWorth - asked_);
  if (asked_ < kWorth)
    return false;
  constexpr unsigned kNoTiming = 2;
  for (Buffer &buffer : buffers_)
    if (driver_.cuMemHostAlloc(&buffer.memory, kBufferBytes, 0) != kSuccess ||
        driver_.cuEventCreate(&buffer.isRead, kNoTiming) != kSuccess) {
      free();
      state_ = State::Refused;
      return false;
    }
  state_ = State::Made;
  return true;
}

int Staging::copy(Address target, const void *source, size_t bytes,
                  Handle stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t done = 0; done < bytes; done += kBufferBytes) {
    Buffer &buffer = buffers_[next_];
    next_ = (next_ + 1) % kBuffers;
    const size_t part = std::min(bytes - done, kBufferBytes);
    if (int answer = driver_.cuEventSynchronize(buffer.isRead))
      return answer;
    auto *to = static_cast<char *>(buffer.memory);
    auto *from = static_cast<const char *>(source) + done;
    pool_.parallelFor(
        int64_t(part), kPieceBytes, [&](int64_t begin, int64_t end, unsigned) {
          std::memcpy(to + begin, from + begin, size_t(end - begin));
        });
    if (int answer =
            driver_.cuMemcpyHtoDAsync_v2(target + done, to, part, stream))
      return answer;
    if (int answer = driver_.cuEventRecord(buffer.isRead, stream))
      return answer;
  }
  return kSuccess;
}

} // namespace kiln::cuda
