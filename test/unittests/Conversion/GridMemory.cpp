//===- GridMemory.cpp - Memory that many threads share, watched -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridMemory.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace kiln::loop;

/// An address is the number of its allocation, from 1, and the offset in it.
static constexpr unsigned kOffsetBits = 40;
/// Several threads have read a byte, of one warp or block or of several.
static constexpr int32_t kMany = -2;

static uint64_t offsetOf(uint64_t address) {
  return address & ((uint64_t(1) << kOffsetBits) - 1);
}

static size_t numberOf(uint64_t address) {
  return (address >> kOffsetBits) - 1;
}

uint64_t GridMemory::allocate(std::string name, uint64_t bytes) {
  allocations.emplace_back();
  allocations.back().name = std::move(name);
  allocations.back().bytes.resize(bytes);
  uint64_t address = uint64_t(allocations.size()) << kOffsetBits;
  renew(address);
  return address;
}

void GridMemory::renew(uint64_t address) {
  Allocation &allocation = allocations[numberOf(address)];
  // NaN in every float type.
  std::fill(allocation.bytes.begin(), allocation.bytes.end(), 0xFF);
  allocation.period = ++period;
}

void GridMemory::release(uint64_t address) {
  allocations.resize(numberOf(address));
}

uint8_t *GridMemory::data(uint64_t address) {
  return allocations[numberOf(address)].bytes.data() + offsetOf(address);
}

void GridMemory::beginLaunch() {
  ++period;
  for (Allocation &allocation : allocations)
    allocation.period = period;
}

void GridMemory::report(Allocation &allocation, const char *what,
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

/// The traces of an access of bytes, which has them for itself.
llvm::MutableArrayRef<GridMemory::Trace>
GridMemory::getTraces(Allocation &allocation, uint64_t offset, unsigned bytes) {
  std::vector<Trace> &traces = allocation.traces;
  unsigned &shift = allocation.shift;
  uint64_t size = allocation.bytes.size();
  if (traces.empty())
    traces.resize(((size - 1) >> shift) + 1);
  while ((offset | bytes) & ((uint64_t(1) << shift) - 1)) {
    std::vector<Trace> finer(((size - 1) >> --shift) + 1);
    for (size_t k = 0; k < finer.size(); ++k)
      finer[k] = traces[k / 2];
    traces = std::move(finer);
  }
  llvm::MutableArrayRef<Trace> all(traces);
  all = all.slice(offset >> shift, bytes >> shift);
  for (Trace &trace : all)
    if (trace.period != allocation.period) {
      trace = Trace();
      trace.period = allocation.period;
    }
  return all;
}

/// Whether nothing orders two accesses.
static bool isUnordered(int32_t thread, int32_t warp, int32_t block,
                        int32_t epoch, int32_t warpEpoch, const Access &by) {
  if (thread == -1)
    return false;
  if (block != by.block)
    return true;
  if (thread == by.thread || epoch != by.epoch)
    return false;
  return warp != by.getWarp() || warpEpoch == by.warpEpoch;
}

const uint8_t *GridMemory::load(uint64_t address, unsigned bytes,
                                const Access &by) {
  Allocation *found = find(address, bytes, by);
  if (!found)
    return nullptr;
  uint64_t offset = offsetOf(address), at = offset;
  for (Trace &trace : getTraces(*found, offset, bytes)) {
    if (!(trace.isAtomic && by.isAtomic) &&
        isUnordered(trace.writer, trace.writerWarp, trace.writerBlock,
                    trace.writerEpoch, trace.writerWarpEpoch, by))
      report(*found, "reads what another thread writes", at, by);
    if (by.isConstant && trace.writer != -1)
      report(*found, "reads as constant what has changed", at, by);
    int32_t warp = by.getWarp();
    bool isSame =
        trace.reader == -1 ||
        (trace.readerBlock == by.block &&
         (trace.readerEpoch != by.epoch ||
          (trace.readerWarp == warp && trace.readerWarpEpoch != by.warpEpoch)));
    if (isSame) {
      trace.reader = by.thread;
      trace.readerWarp = warp;
      trace.readerBlock = by.block;
      trace.isReadAtomic = by.isAtomic;
    } else {
      trace.isReadAtomic &= by.isAtomic;
      if (trace.reader != by.thread)
        trace.reader = kMany;
      if (trace.readerWarp != warp)
        trace.readerWarp = kMany;
      if (trace.readerBlock != by.block)
        trace.readerBlock = kMany;
    }
    trace.readerEpoch = by.epoch;
    trace.readerWarpEpoch = by.warpEpoch;
    trace.isConstant |= by.isConstant;
    at += uint64_t(1) << found->shift;
  }
  return found->bytes.data() + offset;
}

uint8_t *GridMemory::store(uint64_t address, unsigned bytes, const Access &by) {
  Allocation *found = find(address, bytes, by);
  if (!found)
    return nullptr;
  uint64_t offset = offsetOf(address), at = offset;
  for (Trace &trace : getTraces(*found, offset, bytes)) {
    if (!(trace.isAtomic && by.isAtomic) &&
        isUnordered(trace.writer, trace.writerWarp, trace.writerBlock,
                    trace.writerEpoch, trace.writerWarpEpoch, by))
      report(*found, "writes what another thread writes", at, by);
    if (!(trace.isReadAtomic && by.isAtomic) &&
        isUnordered(trace.reader, trace.readerWarp, trace.readerBlock,
                    trace.readerEpoch, trace.readerWarpEpoch, by))
      report(*found, "writes what another thread reads", at, by);
    if (trace.isConstant)
      report(*found, "writes what is read as constant", at, by);
    trace.writer = by.thread;
    trace.writerWarp = by.getWarp();
    trace.writerBlock = by.block;
    trace.writerEpoch = by.epoch;
    trace.writerWarpEpoch = by.warpEpoch;
    trace.isAtomic = by.isAtomic;
    at += uint64_t(1) << found->shift;
  }
  return found->bytes.data() + offset;
}

void GridMemory::settle(uint64_t address, unsigned bytes) {
  Allocation &allocation = allocations[numberOf(address)];
  for (Trace &trace : getTraces(allocation, offsetOf(address), bytes))
    trace.writer = -1;
}
