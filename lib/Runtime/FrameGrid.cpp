//===- FrameGrid.cpp - Launches on a device ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCopy.h"
#include "Frame.h"
#include "kiln/Base/CheckedMath.h"

#include <algorithm>

namespace kiln::runtime {

using package::GridStep;
using package::kNone;

/// The first byte of what `tensor` spans, and the one behind the last.
static Result<std::pair<uintptr_t, uintptr_t>> getEnds(const Tensor &tensor) {
  auto bytes =
      storageExtent(tensor.dtype(), tensor.sizes(), tensor.strides(), 0);
  if (!bytes)
    return bytes.takeError();
  auto first = reinterpret_cast<uintptr_t>(tensor.data());
  return std::make_pair(first, first + static_cast<uintptr_t>(*bytes));
}

/// Unsupported where the buffer at `at`, of which the kernel gets a copy, spans memory
/// of another one, and one of the two is written: each would keep what it had.
Status ProgramRunner::Frame::checkApart(const GridStep &step, size_t at,
                                        const Tensor &laid) {
  auto isWritten = [&](size_t i) {
    return std::find(step.writes.begin(), step.writes.end(), i) !=
           step.writes.end();
  };
  auto span = getEnds(laid);
  if (!span)
    return span.takeError();
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (i == at || (!isWritten(i) && !isWritten(at)))
      continue;
    const Tensor *other = nullptr;
    if (Status s = laidOut(step.buffers[i], other); !s)
      return s;
    // In place: what a kernel reads and what it writes then are the same elements.
    if (!(isWritten(i) && isWritten(at)) && other->data() == laid.data() &&
        other->sizes() == laid.sizes() && other->strides() == laid.strides())
      continue;
    auto its = getEnds(*other);
    if (!its)
      return its.takeError();
    if (its->first < span->second && span->first < its->second)
      return Error::unsupported(
          "a kernel writes to one of two views of the same memory, of which one "
          "begins " +
          std::to_string(span->first % kGridAlignment) +
          " bytes behind a multiple of " + std::to_string(kGridAlignment) +
          "; expected views that begin at multiples, or memory of their own");
  }
  return Status::success();
}

/// Fills `pointers_`. A view may begin anywhere: the kernel gets a copy of one that is
/// not aligned, which goes into `aligned` at its position.
Status ProgramRunner::Frame::gridPointers(const GridStep &step,
                                          std::vector<Tensor> &aligned) {
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (Status s = pointer(step.buffers[i], pointers_[i]); !s)
      return s;
    if (reinterpret_cast<uintptr_t>(pointers_[i]) % kGridAlignment == 0)
      continue;
    const Tensor *laid = nullptr;
    if (Status s = laidOut(step.buffers[i], laid); !s)
      return s;
    if (Status s = checkApart(step, i, *laid); !s)
      return s;
    if (recording_)
      recording_->whyNot = "a kernel gets a copy of a view that begins " +
                           std::to_string(reinterpret_cast<uintptr_t>(
                                              pointers_[i]) %
                                          kGridAlignment) +
                           " bytes behind a multiple of 16";
    auto extent =
        storageExtent(laid->dtype(), laid->sizes(), laid->strides(), 0);
    if (!extent)
      return extent.takeError();
    size_t bytes = static_cast<size_t>(*extent);
    auto storage = device()->allocate(bytes, "aligned copies");
    if (!storage)
      return storage.takeError();
    auto copy = Tensor::view(std::move(*storage), laid->dtype(), laid->sizes(),
                             laid->strides(), 0);
    if (!copy)
      return copy.takeError();
    // Also of what is written: elements that the kernel leaves alone stay.
    if (bytes != 0)
      if (Status s = device()->copy(copy->data(), laid->data(), bytes); !s)
        return s;
    if (options_.stats)
      ++options_.stats->layoutCopies;
    pointers_[i] = copy->data();
    aligned.resize(step.buffers.size());
    aligned[i] = std::move(*copy);
  }
  if (!step.hasWorkspace)
    pointers_[step.buffers.size()] = nullptr;
  return Status::success();
}

/// The map of a tensor without elements, of which the driver makes none: a kernel that
/// sums up nothing gets one element, which is 0 like what lies outside of a map.
Status ProgramRunner::Frame::makeEmpty(TensorMapLayout &layout) {
  if (!zeros_) {
    auto storage = device()->allocate(kGridAlignment, "zeros");
    if (!storage)
      return storage.takeError();
    static constexpr uint8_t kZeros[kGridAlignment] = {};
    zeros_ = std::move(*storage);
    if (Status s = device()->upload(zeros_->data(), kZeros, kGridAlignment); !s)
      return s;
  }
  layout.address = zeros_->data();
  layout.sizes.assign(layout.sizes.size(), 1);
  layout.strides.assign(layout.strides.size(), kGridAlignment);
  return Status::success();
}

/// Malformed unless what a map describes lies within `bytes` from its buffer's first
/// one, and the copy engine can reach it: the numbers come from a package.
static Status checkMap(const std::vector<int64_t> &sizes,
                       const std::vector<int64_t> &strides, int64_t offset,
                       int64_t itemBytes, size_t bytes) {
  auto start = checkedMul(offset, itemBytes);
  auto end = start;
  bool isEmpty = false, isAligned = start && static_cast<uint64_t>(*start) % kGridAlignment == 0;
  if (offset < 0)
    end = std::nullopt;
  for (size_t i = 0; i < sizes.size() && end; ++i) {
    int64_t stride = i == 0 ? itemBytes : strides[i - 1];
    if (sizes[i] < 0 || stride < 0) {
      end = std::nullopt;
      break;
    }
    isAligned &= i == 0 || static_cast<uint64_t>(stride) % kGridAlignment == 0;
    isEmpty |= sizes[i] == 0;
    auto length = checkedMul(sizes[i] - (i != 0), stride);
    end = length ? checkedAdd(*end, *length) : std::nullopt;
  }
  if (!end || (!isEmpty && static_cast<uint64_t>(*end) > bytes))
    return Error::malformed("expected elements within the " +
                            std::to_string(bytes) +
                            " bytes of the buffer, found an end at " +
                            (end ? std::to_string(*end) : "no valid byte"));
  if (!isEmpty && !isAligned)
    return Error::malformed("expected an offset and strides that are multiples "
                            "of 16 bytes");
  return Status::success();
}

Result<int64_t> ProgramRunner::Frame::bytesOf(const GridStep &step,
                                              uint32_t at) {
  const Tensor *buffer = nullptr;
  if (Status s = laidOut(step.buffers[at], buffer); !s)
    return s.takeError();
  // A copy that is aligned has the bytes that the buffer's elements span.
  if (pointers_[at] != buffer->data())
    return storageExtent(buffer->dtype(), buffer->sizes(), buffer->strides(),
                         0);
  return static_cast<int64_t>(buffer->storage()->data() +
                              buffer->storage()->bytes() - buffer->data());
}

Result<TensorMapBytes>
ProgramRunner::Frame::tensorMap(const GridStep &step,
                                const GridStep::TensorMap &map) {
  TensorMapLayout layout;
  layout.dtype = map.dtype;
  layout.box = map.box;
  layout.swizzle = map.swizzle;
  std::vector<int64_t> sizes, strides;
  if (Status s = integers(map.sizes, sizes); !s)
    return s.takeError();
  if (Status s = integers(map.strides, strides); !s)
    return s.takeError();
  int64_t offset = 0;
  if (Status s = integer(map.offset, offset); !s)
    return s.takeError();
  Result<int64_t> bytes = bytesOf(step, map.buffer);
  if (!bytes)
    return bytes.takeError();
  int64_t itemBytes = static_cast<int64_t>(itemSize(map.dtype));
  if (Status s = checkMap(sizes, strides, offset, itemBytes,
                          static_cast<size_t>(*bytes));
      !s)
    return s.takeError();
  layout.sizes.assign(sizes.begin(), sizes.end());
  layout.strides.assign(strides.begin(), strides.end());
  layout.address =
      static_cast<const uint8_t *>(pointers_[map.buffer]) + offset * itemBytes;
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    if (Status s = makeEmpty(layout); !s)
      return s.takeError();
  return device()->encode(layout);
}

Status ProgramRunner::Frame::gridPart(const GridStep &step,
                                      const GridStep::Part &part,
                                      bool isNarrow) {
  int64_t blocks = 0;
  if (Status s = integer(part.blocks, blocks); !s)
    return s;
  if (blocks < 0 || blocks > INT32_MAX)
    return Error::unsupported("a grid of " + std::to_string(blocks) +
                              " blocks, expected 0 to 2^31 - 1");
  if (blocks == 0)
    return Status::success();
  for (size_t i = 0; i < part.arguments.size(); ++i) {
    package::Cell value;
    if (Status s = cell(part.arguments[i], value); !s)
      return s;
    // A float travels as its bits; both are eight bytes of the cell.
    arguments_[i] = value.integer;
  }
  size_t count = part.arguments.size();
  if (!step.checks.empty())
    for (int64_t address : plan_.cells.at(&step))
      arguments_[count++] = address;
  maps_.clear();
  for (const GridStep::TensorMap &map : part.maps) {
    auto bytes = tensorMap(step, map);
    if (!bytes)
      return bytes.error().withContext("tensor map");
    maps_.push_back(*bytes);
  }
  return launchPart(step, part, isNarrow ? part.kernel : part.wide,
                    static_cast<uint32_t>(blocks), count);
}

/// The memory that a launch sees.
Status ProgramRunner::Frame::findSpans(const GridStep &step,
                                       std::vector<Span> &spans) {
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    const Tensor *laid = nullptr;
    if (Status s = laidOut(step.buffers[i], laid); !s)
      return s;
    auto ends = getEnds(*laid);
    if (!ends)
      return ends.takeError();
    bool isWritten = std::find(step.writes.begin(), step.writes.end(), i) !=
                     step.writes.end();
    spans.push_back({plan_.root[step.buffers[i]], ends->first, ends->second,
                     isWritten});
  }
  return Status::success();
}

/// Launches with what `pointers_`, `arguments_` and `maps_` hold.
Status ProgramRunner::Frame::launchPart(const GridStep &step,
                                        const GridStep::Part &part,
                                        uint32_t kernel, uint32_t blocks,
                                        size_t arguments) {
  parameters_.clear();
  size_t pointers = step.buffers.size() + (step.hasWorkspace ? 0 : 1);
  for (size_t i = 0; i < pointers; ++i)
    parameters_.push_back(&pointers_[i]);
  for (size_t i = 0; i < arguments; ++i)
    parameters_.push_back(&arguments_[i]);
  for (TensorMapBytes &map : maps_)
    parameters_.push_back(&map);
  GridLaunch launch;
  launch.kernel = kernel;
  launch.blocks = blocks;
  launch.threads = part.threads;
  launch.sharedBytes = part.sharedBytes;
  launch.parameters = parameters_.data();
  if (options_.stats) {
    ++options_.stats->kernelLaunches;
    ++options_.stats->kernels;
  }
  if (recording_) {
    std::vector<Span> spans;
    if (Status s = findSpans(step, spans); !s)
      return s;
    recording_->nodes.push_back(
        {&step, &part, launch, pointers_,
         {arguments_.begin(), arguments_.begin() + arguments},
         maps_, std::move(spans), false, std::nullopt});
  }
  return device()->launch(*plan_.code.grids, launch);
}

/// Asks the device to look at an assertion.
Status ProgramRunner::Frame::check(const Plan::Check &check) {
  if (Status s = pointer(check.step.buffers[0], pointers_[0]); !s)
    return s;
  std::copy(std::begin(check.arguments), std::end(check.arguments),
            arguments_.begin());
  maps_.clear();
  const GridStep::Part &part = check.step.parts[0];
  return launchPart(check.step, part, part.kernel, /*blocks=*/1,
                    std::size(check.arguments));
}

Status ProgramRunner::Frame::gridParts(const GridStep &step) {
  int64_t narrow = 1;
  if (step.narrow != kNone)
    if (Status s = integer(step.narrow, narrow); !s)
      return s;
  for (const GridStep::Part &part : step.parts)
    if (Status s = gridPart(step, part, narrow != 0); !s)
      return s;
  return Status::success();
}

Status ProgramRunner::Frame::grid(const GridStep &step) {
  std::vector<Tensor> aligned;
  if (Status s = gridPointers(step, aligned); !s)
    return s;
  bool isDone = false;
  if (!std::holds_alternative<std::monostate>(step.library))
    if (Status s = library(step, isDone); !s)
      return s;
  if (!isDone)
    if (Status s = gridParts(step); !s)
      return s;
  for (uint32_t at : step.writes) {
    if (at >= aligned.size() || !aligned[at].defined())
      continue;
    const Tensor *target = nullptr;
    if (Status s = laidOut(step.buffers[at], target); !s)
      return s;
    auto bytes = storageExtent(target->dtype(), target->sizes(),
                               target->strides(), 0);
    if (!bytes)
      return bytes.takeError();
    if (Status s = device()->copy(target->data(), aligned[at].data(),
                                  static_cast<size_t>(*bytes));
        !s)
      return s;
  }
  return Status::success();
}

/// The launches of a step between two events. The device is held until all are asked
/// for, so that it does not wait for the host in between.
Status ProgramRunner::Frame::timeGrid(const GridStep &step) {
  constexpr double kLongestHold = 0.01;
  auto gate = device()->hold(kLongestHold);
  if (!gate)
    return gate.takeError();
  auto begin = device()->record();
  if (!begin)
    return begin.takeError();
  if (Status s = grid(step); !s)
    return s;
  auto end = device()->record();
  if (!end)
    return end.takeError();
  gate->reset();
  if (Status s = (*end)->wait(); !s)
    return s;
  auto spent = (*end)->secondsSince(**begin);
  if (!spent)
    return spent.takeError();
  countLaunch(step.parts.front().kernel, *spent, step.buffers);
  return Status::success();
}

} // namespace kiln::runtime
