//===- LibraryVerifier.cpp - What a library may do in a program -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryVerifier.h"

#include <algorithm>

namespace kiln::package {

namespace {

class LibraryVerifier {
public:
  LibraryVerifier(const GridStep &grid, const Program &program,
                  const std::function<Status(ExprId)> &expr)
      : grid_(grid), program_(program), expr(expr) {}

  /// A buffer of a library: one of these elements that is written or not.
  Status buffer(uint32_t at, DType dtype, bool isResult) const {
    if (at >= grid_.buffers.size())
      return bad("buffer " + std::to_string(at) +
                 " does not exist, expected one below " +
                 std::to_string(grid_.buffers.size()));
    bool isWritten = std::find(grid_.writes.begin(), grid_.writes.end(), at) !=
                     grid_.writes.end();
    bool isWorkspace = grid_.hasWorkspace && at + 1 == grid_.buffers.size();
    DType found = program_.values[grid_.buffers[at]].dtype;
    if (isWritten != isResult || isWorkspace || found != dtype)
      return bad("expected buffer " + std::to_string(at) + " to be " +
                 (isResult ? "written" : "read") + " and of " +
                 std::string(dtypeName(dtype)) + ", found one of " +
                 std::string(dtypeName(found)) +
                 (isWorkspace ? ", the workspace" : ""));
    return Status::success();
  }

  Status product(const GridStep::Product &product) const {
    if ((product.factors != DType::F32 && product.factors != DType::F16 &&
         product.factors != DType::BF16) ||
        (product.results != product.factors && product.results != DType::F32))
      return bad(
          "expected factors of f32, f16 or bf16 and results of the same or "
          "f32, found " +
          std::string(dtypeName(product.factors)) + " and " +
          std::string(dtypeName(product.results)));
    if (product.result.isTransposed)
      return bad("expected a result that is not transposed");
    for (ExprId id :
         {product.matrices, product.rows, product.columns, product.sum})
      if (Status s = expr(id); !s)
        return s;
    for (const GridStep::Product::Matrix *matrix :
         {&product.left, &product.right, &product.result}) {
      bool isResult = matrix == &product.result;
      if (Status s =
              buffer(matrix->buffer,
                     isResult ? product.results : product.factors, isResult);
          !s)
        return s;
      for (ExprId id : {matrix->offset, matrix->leading, matrix->apart})
        if (Status s = expr(id); !s)
          return s;
    }
    return product.bias == kNone ? Status::success()
                                 : buffer(product.bias, product.results, false);
  }

  /// As many expressions as dimensions.
  Status perDim(const std::vector<ExprId> &ids, size_t rank) const {
    if (ids.size() != rank)
      return bad("expected " + std::to_string(rank) +
                 " numbers, one for each dimension, found " +
                 std::to_string(ids.size()));
    for (ExprId id : ids)
      if (Status s = expr(id); !s)
        return s;
    return Status::success();
  }

  /// The same of numbers, each within [least, 2^16].
  Status perDim(const std::vector<uint32_t> &numbers, size_t rank,
                uint32_t least) const {
    constexpr uint32_t kMost = 1u << 16;
    if (numbers.size() != rank)
      return bad("expected " + std::to_string(rank) +
                 " numbers, one for each dimension, found " +
                 std::to_string(numbers.size()));
    for (uint32_t number : numbers)
      if (number < least || number > kMost)
        return bad("expected a number from " + std::to_string(least) +
                   " to 65536, found " + std::to_string(number));
    return Status::success();
  }

  Status image(const GridStep::Convolution::Image &image, size_t rank,
               DType elements, bool isResult) const {
    if (Status s = buffer(image.buffer, elements, isResult); !s)
      return s;
    for (ExprId id : {image.offset, image.image, image.channel})
      if (Status s = expr(id); !s)
        return s;
    return perDim(image.places, rank);
  }

  Status convolution(const GridStep::Convolution &c) const {
    if (c.elements != DType::F32 && c.elements != DType::F16 &&
        c.elements != DType::BF16)
      return bad("expected elements of f32, f16 or bf16, found " +
                 std::string(dtypeName(c.elements)));
    const size_t rank = c.inputs.size();
    if (rank < 1 || rank > GridStep::Convolution::kMostDims)
      return bad("expected 1 to 3 dimensions, found " + std::to_string(rank));
    for (const auto *list : {&c.inputs, &c.outputs, &c.taps})
      if (Status s = perDim(*list, rank); !s)
        return s;
    for (auto [list, least] :
         {std::pair(&c.strides, 1u), std::pair(&c.dilations, 1u),
          std::pair(&c.padding, 0u)})
      if (Status s = perDim(*list, rank, least); !s)
        return s;
    for (ExprId id :
         {c.images, c.groups, c.channels, c.filters, c.weightOffset})
      if (Status s = expr(id); !s)
        return s;
    if (Status s = image(c.source, rank, c.elements, false); !s)
      return s;
    if (Status s = image(c.target, rank, c.elements, !c.isGradient); !s)
      return s;
    return buffer(c.weight, c.elements, c.isGradient);
  }

private:
  static Error bad(const std::string &message) {
    return Error::malformed(message);
  }

  const GridStep &grid_;
  const Program &program_;
  const std::function<Status(ExprId)> &expr;
};

} // namespace

Status verifyLibrary(const GridStep &grid, const Program &program,
                     const std::function<Status(ExprId)> &expr) {
  LibraryVerifier verifier(grid, program, expr);
  if (auto *call = std::get_if<GridStep::Product>(&grid.library))
    if (Status s = verifier.product(*call); !s)
      return s.error().withContext("product");
  if (auto *call = std::get_if<GridStep::Convolution>(&grid.library))
    if (Status s = verifier.convolution(*call); !s)
      return s.error().withContext("convolution");
  return Status::success();
}

} // namespace kiln::package
