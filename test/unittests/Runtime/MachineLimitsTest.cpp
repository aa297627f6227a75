//===- MachineLimitsTest.cpp ----------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/ABI/KernelABI.h"
#include "kiln/Runtime/MachineLimits.h"

#include <gtest/gtest.h>

using namespace kiln::runtime;

// What a processor has not is not tried there, and is a figure all the same.
TEST(MachineLimits, AProcessorWithoutExtensionsIsMeasured) {
  MachineLimits limits = measureMachine(1, KILN_CPU_SSE42);
  EXPECT_GT(limits.f32FlopsPerSecond, 0);
  EXPECT_EQ(limits.bf16FlopsPerSecond, 0);
  EXPECT_GT(limits.memoryBytesPerSecond, 0);
}
