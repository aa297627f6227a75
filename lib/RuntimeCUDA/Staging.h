//===- Staging.h - Large copies to a GPU by threads of the host -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is not page-locked the driver copies with one thread, which waits
// for the disk and for each page of a mapped file, and the caller waits until
// all is there. Here several threads fill one page-locked buffer while the
// device reads another.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_STAGING_H
#define KILN_LIB_RUNTIMECUDA_STAGING_H

#include "Driver.h"
#include "kiln/Runtime/ThreadPool.h"

#include <array>
#include <mutex>

namespace kiln::cuda {

class Staging {
public:
  static constexpr size_t kBufferBytes = size_t(16) << 20;
  static constexpr size_t kBuffers = 2;
  /// Copies of fewer bytes are left to the driver.
  static constexpr size_t kSmallest = size_t(1) << 20;
  /// Bytes of larger ones from which on buffers are worth their making, which
  /// takes some 17 ms.
  static constexpr size_t kWorth = size_t(128) << 20;

  explicit Staging(const Driver &driver);
  /// Gives the buffers back; the stream has come to its end. This and the
  /// functions below need the context to be current.
  void free();

  /// Whether a copy of so many bytes is one for `copy`; makes the buffers.
  /// False from then on if there is no memory for them. One thread at a time.
  bool takes(size_t bytes);
  /// Asks for a copy in the order of the stream. `source` has been read when
  /// this returns. The driver's answer.
  int copy(Address target, const void *source, size_t bytes, Handle stream);

private:
  struct Buffer {
    void *memory = nullptr;
    Handle isRead = nullptr; ///< event behind the last copy from it
  };
  enum class State { None, Made, Refused };

  const Driver &driver_;
  State state_ = State::None;
  size_t asked_ = 0; ///< bytes of copies that were not small, up to `kWorth`
  std::array<Buffer, kBuffers> buffers_;
  std::mutex mutex_; ///< of what follows
  size_t next_ = 0;  ///< the buffer that was filled the longest time ago
  runtime::ThreadPool pool_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_STAGING_H
