//===- GPUSchedules.cpp - How kernels are best emitted for a GPU ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::loop;

/// Bytes of one access of a thread, the most there are.
static constexpr int64_t kAccess = 16;
/// Threads of a block, where nothing else is known to be better.
static constexpr int64_t kBlock = 256;
/// Elements of a row that a thread keeps in registers before more threads share it,
/// and at most.
static constexpr int64_t kKept = 32, kMostKept = 64;

/// Lanes so that the narrowest elements are one access; of the widest no more than
/// two, since what a thread has in flight costs registers.
static int64_t getLanes(int64_t narrow, int64_t wide) {
  int64_t lanes = kAccess / std::clamp<int64_t>(narrow, 1, kAccess);
  while (lanes > 1 && lanes * wide > 2 * kAccess)
    lanes /= 2;
  return lanes;
}

/// The largest power of two up to `lanes` that divides `extent`.
static int64_t divide(Size extent, int64_t lanes) {
  while (lanes > 1 && (!extent || *extent % lanes != 0))
    lanes /= 2;
  return lanes;
}

GPUAcrossSchedule loop::chooseGPUAcross(const GPUAcrossShape &kernel,
                                        const GPUMachine &machine) {
  int64_t lanes = kernel.canVector ? getLanes(kernel.narrow, kernel.wide) : 1;
  // Where rows begin anywhere, vectors would be read element by element.
  if (kernel.last || kernel.hasOuter)
    lanes = divide(kernel.last, lanes);
  // Rather all multiprocessors than whole vectors.
  while (lanes > 1 && kernel.points &&
         *kernel.points / lanes < machine.multiprocessors * kBlock)
    lanes /= 2;
  return {kBlock, lanes, kernel.addsFloats ? kSumBlock : 0};
}

GPURowsSchedule loop::chooseGPURows(const GPURowsShape &kernel) {
  int64_t lanes = divide(kernel.last, getLanes(kernel.narrow, kernel.wide));
  if (!kernel.size)
    return {kBlock, 1, lanes, 0};
  int64_t vectors = std::max<int64_t>(llvm::divideCeil(*kernel.size, lanes), 2);
  int64_t threads = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), kBlock);
  auto getSteps = [&] {
    return std::max<int64_t>(llvm::divideCeil(*kernel.size, threads * lanes), 1);
  };
  while (threads < 1024 && threads * 2 <= vectors &&
         getSteps() * lanes > kKept)
    threads *= 2;
  int64_t steps = getSteps();
  if (steps * lanes > kMostKept)
    steps = 0;
  // Parts of warps fill blocks of four warps.
  int64_t rows = threads <= 32 ? 128 / threads : 1;
  return {threads, rows, lanes, steps};
}
