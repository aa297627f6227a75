//===- Checks.cpp - Assertions that a GPU looks at by itself --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <algorithm>
#include <cstring>

namespace kiln::cuda {

// A value of 1, 2, 4 or 8 bytes is true unless its bits under the mask are 0. What is
// written to the host is there before the device stops.
const char kCheckPTX[] = R"(.version 6.4
.target sm_75
.address_size 64

.visible .entry kiln_check(
	.param .u64 value,
	.param .u64 cell,
	.param .u64 mask,
	.param .u64 bytes
)
{
	.reg .pred %p<6>;
	.reg .b16 %h<2>;
	.reg .b32 %r<3>;
	.reg .b64 %d<6>;
	ld.param.u64 %d1, [value];
	ld.param.u64 %d2, [cell];
	ld.param.u64 %d3, [mask];
	ld.param.u64 %d4, [bytes];
	setp.eq.u64 %p1, %d4, 1;
	setp.eq.u64 %p2, %d4, 2;
	setp.eq.u64 %p3, %d4, 4;
	setp.eq.u64 %p4, %d4, 8;
	mov.b64 %d5, 0;
	@%p1 ld.global.u8 %d5, [%d1];
	@%p2 ld.global.u16 %d5, [%d1];
	@%p3 ld.global.u32 %d5, [%d1];
	@%p4 ld.global.u64 %d5, [%d1];
	and.b64 %d5, %d5, %d3;
	setp.ne.u64 %p5, %d5, 0;
	@%p5 ret;
	mov.b32 %r1, 1;
	st.volatile.global.u32 [%d2], %r1;
	membar.sys;
	trap;
}
)";

void Checks::free() {
  if (cells_)
    driver_.cuMemFreeHost(cells_);
  cells_ = nullptr;
}

int Checks::cellOf(const Error &error, Address &cell) {
  constexpr unsigned kPortable = 1, kMapped = 2;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!cells_) {
    void *memory = nullptr;
    int answer = driver_.cuMemHostAlloc(&memory, kCells * sizeof(uint32_t),
                                        kPortable | kMapped);
    if (answer != kSuccess)
      return answer;
    std::memset(memory, 0, kCells * sizeof(uint32_t));
    cells_ = static_cast<uint32_t *>(memory);
    answer = driver_.cuMemHostGetDevicePointer_v2(&address_, memory, 0);
    if (answer != kSuccess) {
      free();
      return answer;
    }
  }
  size_t at = 0;
  while (at < errors_.size() && (errors_[at].kind != error.kind ||
                                 errors_[at].message != error.message))
    ++at;
  if (at == errors_.size()) {
    at = std::min(at, kCells - 1);
    if (errors_.size() < kCells)
      errors_.push_back(at < kCells - 1
                            ? error
                            : Error::usage("an assertion of the program failed"));
  }
  cell = address_ + at * sizeof(uint32_t);
  return kSuccess;
}

std::optional<Error> Checks::findFailed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; cells_ && i < errors_.size(); ++i)
    if (const_cast<const volatile uint32_t *>(cells_)[i])
      return errors_[i];
  return std::nullopt;
}

} // namespace kiln::cuda
