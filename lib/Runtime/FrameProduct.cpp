//===- FrameProduct.cpp - Products that a library may compute
//--------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of packages are checked against the buffers before anything is asked
// for (Frame::libraryOperand).
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

namespace kiln::runtime {

using package::GridStep;
using package::kNone;

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
  auto [lines, length] =
      matrix.isTransposed ? std::pair(columns, rows) : std::pair(rows, columns);
  return libraryOperand(
      step, matrix.buffer, dtype, offset,
      {{matrices, found.apart}, {lines, found.leading}, {length, 1}},
      "a matrix", found.data);
}

/// What the device is asked for, with the addresses of `pointers_`. A product of nothing is
/// not described any further.
Status ProgramRunner::Frame::describeProduct(const GridStep &step,
                                             const GridStep::Product &product,
                                             ProductLaunch &launch,
                                             bool &isEmpty) {
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

} // namespace kiln::runtime
