//===- GridMemory.cpp - Memory that many threads share, watched -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridMemory.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace kiln::loop;

/// An address is the number of its allocation, from 1, and the offset in it.
static constexpr unsigned kOffsetBits = 40;
/// Several threads have read a byte, of one block or of several.
static constexpr int32_t kMany = -2;

static uint64_t offsetOf(uint64_t address) {
  return address & ((uint64_t(1) << kOffsetBits) - 1);
}

uint64_t GridMemory::allocate(std::string name, uint64_t bytes) {
  Allocation allocation;
  allocation.name = std::move(name);
  allocation.bytes.assign(bytes, 0xFF); // NaN in every float type
  allocation.traces.resize(bytes);
  allocations.push_back(std::move(allocation));
  return uint64_t(allocations.size()) << kOffsetBits;
}

void GridMemory::release(uint64_t address) {
  allocations.resize((address >> kOffsetBits) - 1);
}

uint8_t *GridMemory::data(uint64_t address) {
  return allocations[(address >> kOffsetBits) - 1].bytes.data() +
         offsetOf(address);
}

void GridMemory::beginLaunch() {
  for (Allocation &allocation : allocations)
    allocation.traces.assign(allocation.bytes.size(), {});
}

void GridMemory::report(Allocation &allocation, const std::string &what,
                        uint64_t offset, const Access &by) {
  if (allocation.isReported)
    return;
  allocation.isReported = true;
  ADD_FAILURE() << "thread " << by.thread << " of block " << by.block << " "
                << what << " at byte " << offset << " of " << allocation.name
                << ", which has " << allocation.bytes.size();
}

GridMemory::Allocation *GridMemory::find(uint64_t address, unsigned bytes,
                                         const Access &by) {
  uint64_t number = address >> kOffsetBits, offset = offsetOf(address);
  if (number == 0 || number > allocations.size()) {
    ADD_FAILURE() << "thread " << by.thread << " of block " << by.block
                  << " follows a pointer to nowhere";
    return nullptr;
  }
  Allocation &allocation = allocations[number - 1];
  if (offset % by.alignment != 0)
    report(allocation, "is not aligned", offset, by);
  if (offset + bytes <= allocation.bytes.size())
    return &allocation;
  report(allocation, "goes out of bounds", offset, by);
  return nullptr;
}

/// Whether nothing orders two accesses.
static bool isUnordered(int32_t thread, int32_t block, int32_t epoch,
                        const Access &by) {
  if (thread == -1)
    return false;
  if (block != by.block)
    return true;
  return thread != by.thread && epoch == by.epoch;
}

void GridMemory::load(uint64_t address, void *to, unsigned bytes,
                      const Access &by) {
  std::memset(to, 0, bytes);
  Allocation *found = find(address, bytes, by);
  if (!found)
    return;
  uint64_t offset = offsetOf(address);
  std::memcpy(to, found->bytes.data() + offset, bytes);
  for (uint64_t k = offset; k < offset + bytes; ++k) {
    Trace &trace = found->traces[k];
    if (!(trace.isAtomic && by.isAtomic) &&
        isUnordered(trace.writer, trace.writerBlock, trace.writerEpoch, by))
      report(*found, "reads what another thread writes", k, by);
    if (by.isConstant && trace.writer != -1)
      report(*found, "reads as constant what has changed", k, by);
    bool isSame = trace.reader == -1 || (trace.readerBlock == by.block &&
                                         trace.readerEpoch != by.epoch);
    if (isSame) {
      trace.reader = by.thread;
      trace.readerBlock = by.block;
    } else {
      if (trace.reader != by.thread)
        trace.reader = kMany;
      if (trace.readerBlock != by.block)
        trace.readerBlock = kMany;
    }
    trace.readerEpoch = by.epoch;
    trace.isConstant |= by.isConstant;
  }
}

void GridMemory::store(uint64_t address, const void *from, unsigned bytes,
                       const Access &by) {
  Allocation *found = find(address, bytes, by);
  if (!found)
    return;
  uint64_t offset = offsetOf(address);
  std::memcpy(found->bytes.data() + offset, from, bytes);
  for (uint64_t k = offset; k < offset + bytes; ++k) {
    Trace &trace = found->traces[k];
    bool isJoined = trace.isAtomic && by.isAtomic;
    if (!isJoined &&
        isUnordered(trace.writer, trace.writerBlock, trace.writerEpoch, by))
      report(*found, "writes what another thread writes", k, by);
    if (!isJoined &&
        isUnordered(trace.reader, trace.readerBlock, trace.readerEpoch, by))
      report(*found, "writes what another thread reads", k, by);
    if (trace.isConstant)
      report(*found, "writes what is read as constant", k, by);
    trace.writer = by.thread;
    trace.writerBlock = by.block;
    trace.writerEpoch = by.epoch;
    trace.isAtomic = by.isAtomic;
  }
}
