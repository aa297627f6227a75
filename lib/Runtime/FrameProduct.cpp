//===- FrameProduct.cpp - Products that a library may compute --------------===//
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

/// The end of a matrix, in elements from the first one of its buffer; nothing
/// where a number is negative or too large.
static std::optional<int64_t> getEnd(int64_t offset, int64_t matrices,
                                     int64_t apart, int64_t lines,
                                     int64_t leading, int64_t length) {
  if (offset < 0 || apart < 0 || leading < 0)
    return std::nullopt;
  auto whole = checkedMul(matrices - 1, apart);
  auto last = checkedMul(lines - 1, leading);
  auto end = checkedAdd(offset, length);
  for (std::optional<int64_t> part : {whole, last})
    end = end && part ? checkedAdd(*end, *part) : std::nullopt;
  return end;
}

/// Where a matrix lies. Malformed unless all of it is in its buffer: the
/// numbers come from a package.
Status ProgramRunner::Frame::productMatrix(
    const GridStep &step, const GridStep::Product::Matrix &matrix, DType dtype,
    int64_t matrices, int64_t rows, int64_t columns,
    ProductLaunch::Matrix &found) {
  int64_t offset = 0;
  for (auto [id, number] : {std::pair(matrix.offset, &offset),
                            std::pair(matrix.leading, &found.leading),
                            std::pair(matrix.apart, &found.apart)})
    if (Status s = integer(id, *number); !s)
      return s;
  found.isTransposed = matrix.isTransposed;
  auto bytes = bytesOf(step, matrix.buffer);
  if (!bytes)
    return bytes.takeError();
  auto end = getEnd(offset, matrices, found.apart,
                    matrix.isTransposed ? columns : rows, found.leading,
                    matrix.isTransposed ? rows : columns);
  const int64_t itemBytes = static_cast<int64_t>(itemSize(dtype));
  const int64_t elements = *bytes / itemBytes;
  if (!end || *end > elements)
    return Error::malformed("expected a matrix within the " +
                            std::to_string(elements) +
                            " elements of its buffer, found an end at " +
                            (end ? std::to_string(*end) : "no valid element"));
  found.data =
      static_cast<uint8_t *>(pointers_[matrix.buffer]) + offset * itemBytes;
  return Status::success();
}

/// What the device is asked for, with the addresses of `pointers_`. A product of nothing is
/// not described any further.
Status ProgramRunner::Frame::describeProduct(const GridStep &step,
                                             ProductLaunch &launch,
                                             bool &isEmpty) {
  const GridStep::Product &product = *step.product;
  launch.factors = product.factors;
  launch.results = product.results;
  launch.permitsTF32 = product.permitsTF32;
  isEmpty = false;
  for (auto [id, number] : {std::pair(product.matrices, &launch.matrices),
                            std::pair(product.rows, &launch.rows),
                            std::pair(product.columns, &launch.columns),
                            std::pair(product.sum, &launch.sum)}) {
    if (Status s = integer(id, *number); !s)
      return s;
    isEmpty |= *number < 1;
  }
  if (isEmpty)
    return Status::success();
  if (Status s =
          productMatrix(step, product.left, product.factors, launch.matrices,
                        launch.rows, launch.sum, launch.left);
      !s)
    return s.error().withContext("product, left");
  if (Status s =
          productMatrix(step, product.right, product.factors, launch.matrices,
                        launch.sum, launch.columns, launch.right);
      !s)
    return s.error().withContext("product, right");
  if (Status s =
          productMatrix(step, product.result, product.results, launch.matrices,
                        launch.rows, launch.columns, launch.result);
      !s)
    return s.error().withContext("product, result");
  if (product.bias != kNone) {
    auto bytes = bytesOf(step, product.bias);
    if (!bytes)
      return bytes.takeError();
    if (*bytes / static_cast<int64_t>(itemSize(product.results)) <
        launch.columns)
      return Error::malformed(
          "expected a bias of " + std::to_string(launch.columns) +
          " elements, found " + std::to_string(*bytes) + " bytes");
    launch.bias = pointers_[product.bias];
  }
  return Status::success();
}

/// Asks the device's library for the product of a step; `isDone` tells whether it took it.
Status ProgramRunner::Frame::product(const GridStep &step, bool &isDone) {
  ProductLaunch launch;
  bool isEmpty = false;
  if (Status s = describeProduct(step, launch, isEmpty); !s)
    return s;
  // Kernels know what is left of a sum of nothing.
  if (isEmpty)
    return Status::success();
  Status asked = device()->multiply(launch);
  isDone = static_cast<bool>(asked);
  if (!isDone) {
    if (options_.needsLibraries || asked.error().kind != ErrorKind::Unsupported)
      return asked;
    if (options_.stats)
      RunStats::addSkip(options_.stats->librarySkips, asked.error().message);
    return Status::success();
  }
  if (options_.stats)
    ++options_.stats->libraryProducts;
  if (!recording_)
    return Status::success();
  Recording::Node node;
  node.step = &step;
  node.pointers = pointers_;
  node.product = launch;
  if (Status s = findSpans(step, node.spans); !s)
    return s;
  // All of them write to the library's workspace.
  node.spans.push_back({kNone, 0, 0, /*isWritten=*/true});
  recording_->nodes.push_back(std::move(node));
  return Status::success();
}

} // namespace kiln::runtime
