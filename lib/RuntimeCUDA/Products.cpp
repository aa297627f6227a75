//===- Products.cpp - Products of matrices by a library -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include <algorithm>

namespace kiln::cuda {

using runtime::ProductLaunch;

/// Kinds of products that are kept: sizes may be others in every call.
static constexpr size_t kMostPlans = 256;
/// What addresses are told to be multiples of: no algorithm asks for more.
static constexpr uint32_t kMostAlignment = 16;

static int typeOf(DType dtype) {
  return dtype == DType::F16    ? kBlasF16
         : dtype == DType::BF16 ? kBlasBF16
                                : kBlasF32;
}

static uint32_t alignmentOf(const void *address) {
  uint32_t alignment = kMostAlignment;
  while (reinterpret_cast<uintptr_t>(address) % alignment != 0)
    alignment /= 2;
  return alignment;
}

static Status check(int answer, const char *what) {
  if (answer == 0)
    return Status::success();
  return Error::unsupported("cuBLASLt answers " + std::to_string(answer) + " " +
                            what);
}

Products::Key Products::keyOf(const ProductLaunch &product) {
  Key key = {int64_t(product.factors),
             int64_t(product.results),
             product.permitsTF32,
             product.bias != nullptr,
             product.matrices,
             product.rows,
             product.columns,
             product.sum,
             alignmentOf(product.left.data),
             alignmentOf(product.right.data),
             alignmentOf(product.result.data)};
  size_t at = 11;
  for (const ProductLaunch::Matrix *matrix :
       {&product.left, &product.right, &product.result}) {
    key[at++] = matrix->leading;
    key[at++] = matrix->apart;
  }
  key[at++] = product.left.isTransposed;
  key[at++] = product.right.isTransposed;
  return key;
}

std::string Products::describe() const {
  auto blas = BlasLibrary::get(driver_.version);
  return blas ? (*blas)->soname + " " +
                    std::to_string((*blas)->cublasLtGetVersion())
              : "";
}

/// Opens the library and takes the workspace.
Status Products::start() {
  if (handle_)
    return Status::success();
  auto blas = BlasLibrary::get(driver_.version);
  if (!blas)
    return blas.takeError();
  blas_ = *blas;
  if (Status s = workspace_.take(); !s)
    return s;
  return check(blas_->cublasLtCreate(&handle_), "to being started");
}

/// C^T = B^T A^T. What lies by rows here lies by columns there, so an operand
/// that is not transposed here is not there either.
Status Products::describeProduct(Plan &plan, const ProductLaunch &product) {
  const int compute = product.permitsTF32 && product.factors == DType::F32
                          ? kComputeFastTF32
                          : kComputeF32;
  if (Status s = check(
          blas_->cublasLtMatmulDescCreate(&plan.product, compute, kBlasF32),
          "to a product");
      !s)
    return s;
  auto set = [&](int attribute, const auto &value) {
    return check(blas_->cublasLtMatmulDescSetAttribute(plan.product, attribute,
                                                       &value, sizeof(value)),
                 "to a kind of product");
  };
  auto operation = [](const ProductLaunch::Matrix &matrix) -> int32_t {
    return matrix.isTransposed ? kTransposed : kPlain;
  };
  if (Status s = set(kTransposeA, operation(product.right)); !s)
    return s;
  if (Status s = set(kTransposeB, operation(product.left)); !s)
    return s;
  if (!product.bias)
    return Status::success();
  if (Status s = set(kEpilogue, uint32_t(kEpilogueBias)); !s)
    return s;
  // Its alignment is known by the pointer; what comes later may be aligned to
  // less than the first one.
  return set(kBiasPointer, uintptr_t(kMostAlignment));
}

Status Products::describeMatrices(Plan &plan, const ProductLaunch &product) {
  struct Layout {
    const ProductLaunch::Matrix &matrix;
    DType dtype;
    int64_t rows, columns; // of ours, where they are not transposed
  };
  const Layout layouts[] = {
      {product.right, product.factors, product.sum, product.columns},
      {product.left, product.factors, product.rows, product.sum},
      {product.result, product.results, product.rows, product.columns}};
  const int32_t matrices = static_cast<int32_t>(product.matrices);
  for (size_t k = 0; k < 3; ++k) {
    const Layout &layout = layouts[k];
    auto [lines, length] = layout.matrix.isTransposed
                               ? std::pair(layout.columns, layout.rows)
                               : std::pair(layout.rows, layout.columns);
    if (Status s =
            check(blas_->cublasLtMatrixLayoutCreate(
                      &plan.layouts[k], typeOf(layout.dtype), uint64_t(length),
                      uint64_t(lines), layout.matrix.leading),
                  "to a matrix");
        !s)
      return s;
    if (matrices == 1)
      continue;
    int answer = blas_->cublasLtMatrixLayoutSetAttribute(
        plan.layouts[k], kBatchCount, &matrices, sizeof(matrices));
    if (answer == 0)
      answer = blas_->cublasLtMatrixLayoutSetAttribute(
          plan.layouts[k], kBatchOffset, &layout.matrix.apart,
          sizeof(layout.matrix.apart));
    if (Status s = check(answer, "to several matrices"); !s)
      return s;
  }
  return Status::success();
}

/// Asks the heuristic for an algorithm.
Status Products::choose(Plan &plan, const ProductLaunch &product) {
  Handle preference = nullptr;
  int answer = blas_->cublasLtMatmulPreferenceCreate(&preference);
  auto set = [&](int attribute, const auto &value) {
    if (answer == 0)
      answer = blas_->cublasLtMatmulPreferenceSetAttribute(
          preference, attribute, &value, sizeof(value));
  };
  set(kMostWorkspace, uint64_t(LibraryWorkspace::kBytes));
  set(kReductionMask, uint32_t(kReduceInF32));
  // Of A, B, C and D.
  int attribute = kAlignmentOfA;
  for (const void *data : {product.right.data, product.left.data,
                           product.result.data, product.result.data})
    set(attribute++, alignmentOf(data));
  int found = 0;
  if (answer == 0)
    answer = blas_->cublasLtMatmulAlgoGetHeuristic(
        handle_, plan.product, plan.layouts[0], plan.layouts[1],
        plan.layouts[2], plan.layouts[2], preference, 1, &plan.algorithm,
        &found);
  if (preference)
    blas_->cublasLtMatmulPreferenceDestroy(preference);
  if (Status s = check(answer, "to the choice of an algorithm"); !s)
    return s;
  if (found < 1 || plan.algorithm.state != 0 ||
      plan.algorithm.workspace > LibraryWorkspace::kBytes)
    return Error::unsupported("cuBLASLt has no algorithm for the product");
  return Status::success();
}

Products::Plan Products::makePlan(const ProductLaunch &product) {
  Plan plan;
  const int64_t numbers[] = {product.matrices, product.rows, product.columns,
                             product.sum};
  Status made = Status::success();
  if (*std::max_element(std::begin(numbers), std::end(numbers)) > INT32_MAX)
    made =
        Error::unsupported("cuBLASLt has no products of 2^31 rows or columns");
  if (made)
    made = describeProduct(plan, product);
  if (made)
    made = describeMatrices(plan, product);
  if (made)
    made = choose(plan, product);
  if (!made)
    plan.refusal = made.error().message;
  return plan;
}

Status Products::multiply(const ProductLaunch &product, Handle stream) {
  if (Status s = start(); !s)
    return s;
  const Key key = keyOf(product);
  auto known = plans_.find(key);
  if (known == plans_.end()) {
    if (plans_.size() >= kMostPlans) {
      for (auto &[other, plan] : plans_)
        destroy(plan);
      plans_.clear();
    }
    known = plans_.emplace(key, makePlan(product)).first;
  }
  Plan &plan = known->second;
  if (!plan.refusal.empty())
    return Error::unsupported(plan.refusal);
  if (product.bias)
    if (Status s = check(blas_->cublasLtMatmulDescSetAttribute(
                             plan.product, kBiasPointer, &product.bias,
                             sizeof(product.bias)),
                         "to a bias");
        !s)
      return s;
  const float one = 1, zero = 0;
  return check(blas_->cublasLtMatmul(
                   handle_, plan.product, &one, product.right.data,
                   plan.layouts[0], product.left.data, plan.layouts[1], &zero,
                   product.result.data, plan.layouts[2], product.result.data,
                   plan.layouts[2], plan.algorithm.algorithm, workspace_.data(),
                   LibraryWorkspace::kBytes, stream),
               "to the product");
}

void Products::destroy(Plan &plan) {
  for (Handle layout : plan.layouts)
    if (layout)
      blas_->cublasLtMatrixLayoutDestroy(layout);
  if (plan.product)
    blas_->cublasLtMatmulDescDestroy(plan.product);
}

void Products::free() {
  for (auto &[key, plan] : plans_)
    destroy(plan);
  plans_.clear();
  if (handle_)
    blas_->cublasLtDestroy(handle_);
  handle_ = nullptr;
}

} // namespace kiln::cuda
