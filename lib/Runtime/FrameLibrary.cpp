//===- FrameLibrary.cpp - Steps that a library may do
//----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package has kernels of its own for each of them, which run where there is
// no library or it refuses.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"
#include "kiln/Base/CheckedMath.h"

namespace kiln::runtime {

using package::GridStep;
using package::kNone;

Status ProgramRunner::Frame::libraryOperand(const GridStep &step,
                                            uint32_t buffer, DType dtype,
                                            int64_t offset,
                                            const std::vector<LibraryDim> &dims,
                                            const char *what, void *&data) {
  auto bytes = bytesOf(step, buffer);
  if (!bytes)
    return bytes.takeError();
  std::optional<int64_t> end;
  if (offset >= 0)
    end = checkedAdd(offset, int64_t(1));
  for (const LibraryDim &dim : dims) {
    auto reach = dim.size >= 1 && dim.step >= 0
                     ? checkedMul(dim.size - 1, dim.step)
                     : std::nullopt;
    end = end && reach ? checkedAdd(*end, *reach) : std::nullopt;
  }
  const int64_t itemBytes = static_cast<int64_t>(itemSize(dtype));
  const int64_t elements = *bytes / itemBytes;
  if (!end || *end > elements)
    return Error::malformed("expected " + std::string(what) + " within the " +
                            std::to_string(elements) +
                            " elements of its buffer, found an end at " +
                            (end ? std::to_string(*end) : "no valid element"));
  data = static_cast<uint8_t *>(pointers_[buffer]) + offset * itemBytes;
  return Status::success();
}

/// What the device is asked for, with the addresses of `pointers_`. Where there
/// is nothing to compute, or no term of a sum, it is not described any further.
Status ProgramRunner::Frame::describeLibrary(const GridStep &step,
                                             LibraryLaunch &launch,
                                             bool &isEmpty) {
  if (auto *product = std::get_if<GridStep::Product>(&step.library))
    return describeProduct(step, *product, launch.emplace<ProductLaunch>(),
                           isEmpty);
  return describeConvolution(step,
                             std::get<GridStep::Convolution>(step.library),
                             launch.emplace<ConvolutionLaunch>(), isEmpty);
}

/// Asks the device's library to do what a step does; `isDone` tells whether it
/// did.
Status ProgramRunner::Frame::library(const GridStep &step, bool &isDone) {
  LibraryLaunch launch;
  bool isEmpty = false;
  if (Status s = describeLibrary(step, launch, isEmpty); !s)
    return s;
  // Kernels know what is left of a sum of nothing.
  if (isEmpty)
    return Status::success();
  Status asked = device()->call(launch);
  isDone = static_cast<bool>(asked);
  if (!isDone) {
    if (options_.needsLibraries || asked.error().kind != ErrorKind::Unsupported)
      return asked;
    if (options_.stats)
      RunStats::addSkip(options_.stats->librarySkips, asked.error().message);
    return Status::success();
  }
  if (options_.stats)
    options_.stats->addLibrary(launch);
  if (!recording_)
    return Status::success();
  Recording::Node node;
  node.step = &step;
  node.pointers = pointers_;
  node.library = launch;
  if (Status s = findSpans(step, node.spans); !s)
    return s;
  // All of them write to the libraries' workspace.
  node.spans.push_back({kNone, 0, 0, /*isWritten=*/true});
  recording_->nodes.push_back(std::move(node));
  return Status::success();
}

} // namespace kiln::runtime
