//===- blas.cpp - A cuBLASLt without a GPU --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers what lib/RuntimeCUDA/BlasLibrary.h asks of libcublasLt.so.12 or .13,
// on the driver without a GPU. It is found where its folder is in the path of
// libraries.
//
// A product is written down as "multiply M N K BATCH OPS TYPES COMPUTE
// EPILOGUE", as the library sees it: m rows and n columns by columns, "TN" for
// a transposed A, the numbers of the types of A and D. By the clock of events
// it takes 10 microseconds. KILN_FAKE_CUDA says with blas=N whether it is
// computed, too (1; only of f32), whether there is no algorithm for anything
// (2), or whether the library does not start (3); the default is 0.
//
//===----------------------------------------------------------------------===//

#include "driver.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace fake_cuda;

namespace {

enum { NotInitializedYet = 1, InvalidArgument = 7, NotSupported = 15 };
enum { Computes = 1, HasNone = 2, DoesNotStart = 3 };

struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t matrices = 1;
  int64_t apart = 0;

  /// Elements from the first one to the last.
  int64_t span() const {
    return (matrices - 1) * apart + int64_t(columns - 1) * leading +
           int64_t(rows);
  }
  size_t itemBytes() const { return type == 0 ? 4 : 2; }
  bool isInMemory(const void *data) const {
    return bytesFrom(reinterpret_cast<Address>(data)) >= span() * itemBytes();
  }
};

struct Product {
  int compute;
  int32_t transposed[2] = {};
  uint32_t epilogue = 1;
  const float *bias = nullptr;
};

struct Preference {
  uint64_t workspace = 0;
  uint32_t reduction = 7, alignment[4] = {256, 256, 256, 256};
};

struct Algorithm {
  uint64_t data[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

constexpr uint64_t kMark = 0x6b696c6e;

template <typename T> int set(T &field, const void *value, size_t bytes) {
  if (bytes != sizeof(field))
    return InvalidArgument;
  std::memcpy(&field, value, bytes);
  return Success;
}

/// How many rows, columns and terms there are; false if the matrices do not fit
/// each other.
bool findSizes(const Product &product, const Layout &a, const Layout &b,
               const Layout &d, uint64_t &m, uint64_t &n, uint64_t &k) {
  m = product.transposed[0] ? a.columns : a.rows;
  k = product.transposed[0] ? a.rows : a.columns;
  n = product.transposed[1] ? b.rows : b.columns;
  bool isLong = a.leading >= int64_t(a.rows) && b.leading >= int64_t(b.rows) &&
                d.leading >= int64_t(d.rows);
  return isLong && k == (product.transposed[1] ? b.columns : b.rows) &&
         d.rows == m && d.columns == n && a.matrices == d.matrices &&
         b.matrices == d.matrices && a.type == b.type &&
         (d.type == a.type || d.type == 0);
}

void compute(const Product &product, const Layout &a, const float *left,
             const Layout &b, const float *right, const Layout &d, float *to,
             uint64_t m, uint64_t n, uint64_t k) {
  auto at = [](const Layout &matrix, const float *data, bool isTransposed,
               int64_t batch, uint64_t row, uint64_t column) {
    if (isTransposed)
      std::swap(row, column);
    return data[batch * matrix.apart + int64_t(column) * matrix.leading +
                int64_t(row)];
  };
  for (int64_t batch = 0; batch < d.matrices; ++batch)
    for (uint64_t column = 0; column < n; ++column)
      for (uint64_t row = 0; row < m; ++row) {
        float sum = product.epilogue == 4 ? product.bias[row] : 0;
        for (uint64_t i = 0; i < k; ++i)
          sum += at(a, left, product.transposed[0], batch, row, i) *
                 at(b, right, product.transposed[1], batch, i, column);
        to[batch * d.apart + int64_t(column) * d.leading + int64_t(row)] = sum;
      }
}

/// What the stream does.
struct Call {
  Product product;
  Layout a, b, d;
  const void *left, *right;
  void *to;

  bool isValid() const {
    uint64_t m, n, k;
    return findSizes(product, a, b, d, m, n, k) && a.isInMemory(left) &&
           b.isInMemory(right) && d.isInMemory(to) &&
           (product.epilogue != 4 || bytesFrom(reinterpret_cast<Address>(
                                         product.bias)) >= m * d.itemBytes());
  }
  int run() const {
    State &s = state();
    uint64_t m, n, k;
    if (!isValid() || !findSizes(product, a, b, d, m, n, k))
      return InvalidArgument;
    s.isBusy = true;
    ++s.asked;
    doCopies();
    auto letter = [&](int i) { return product.transposed[i] ? "T" : "N"; };
    note("multiply " + std::to_string(m) + " " + std::to_string(n) + " " +
         std::to_string(k) + " " + std::to_string(d.matrices) + " " +
         letter(0) + letter(1) + " " + std::to_string(a.type) + "," +
         std::to_string(d.type) + " " + std::to_string(product.compute) + " " +
         std::to_string(product.epilogue));
    s.clock += 10;
    if (setting("blas", 0) == Computes && a.type == 0)
      compute(product, a, static_cast<const float *>(left), b,
              static_cast<const float *>(right), d, static_cast<float *>(to), m,
              n, k);
    return Success;
  }
};

} // namespace

extern "C" {

int cublasLtCreate(void **handle) {
  if (setting("blas", 0) == DoesNotStart || contexts.empty())
    return NotInitializedYet;
  note("blas begins");
  *handle = &state();
  return Success;
}
int cublasLtDestroy(void *) {
  note("blas ends");
  return Success;
}
size_t cublasLtGetVersion() { return 120805; }
int cublasLtMatmulDescCreate(void **product, int compute, int scale) {
  if (scale != 0)
    return NotSupported;
  *product = new Product{compute};
  return Success;
}
int cublasLtMatmulDescDestroy(void *product) {
  delete static_cast<Product *>(product);
  return Success;
}
int cublasLtMatmulDescSetAttribute(void *product, int attribute,
                                   const void *value, size_t bytes) {
  auto &p = *static_cast<Product *>(product);
  switch (attribute) {
  case 3:
  case 4:
    return set(p.transposed[attribute - 3], value, bytes);
  case 7:
    return set(p.epilogue, value, bytes);
  case 8:
    return set(p.bias, value, bytes);
  }
  return InvalidArgument;
}
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows,
                               uint64_t columns, int64_t leading) {
  *layout = new Layout{type, rows, columns, leading};
  return Success;
}
int cublasLtMatrixLayoutDestroy(void *layout) {
  delete static_cast<Layout *>(layout);
  return Success;
}
int cublasLtMatrixLayoutSetAttribute(void *layout, int attribute,
                                     const void *value, size_t bytes) {
  auto &l = *static_cast<Layout *>(layout);
  return attribute == 5   ? set(l.matrices, value, bytes)
         : attribute == 6 ? set(l.apart, value, bytes)
                          : InvalidArgument;
}
int cublasLtMatmulPreferenceCreate(void **preference) {
  *preference = new Preference();
  return Success;
}
int cublasLtMatmulPreferenceDestroy(void *preference) {
  delete static_cast<Preference *>(preference);
  return Success;
}
int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute,
                                         const void *value, size_t bytes) {
  auto &p = *static_cast<Preference *>(preference);
  return attribute == 1   ? set(p.workspace, value, bytes)
         : attribute == 3 ? set(p.reduction, value, bytes)
         : attribute >= 5 && attribute <= 8
             ? set(p.alignment[attribute - 5], value, bytes)
             : InvalidArgument;
}
int cublasLtMatmulAlgoGetHeuristic(void *, void *product, void *a, void *b,
                                   void *c, void *d, void *preference,
                                   int wanted, void *results, int *found) {
  const auto &p = *static_cast<Preference *>(preference);
  uint64_t m, n, k;
  if (c != d || wanted != 1 ||
      !findSizes(*static_cast<Product *>(product), *static_cast<Layout *>(a),
                 *static_cast<Layout *>(b), *static_cast<Layout *>(d), m, n, k))
    return InvalidArgument;
  note("heuristic");
  *found = setting("blas", 0) != HasNone;
  Algorithm algorithm = {};
  algorithm.workspace = p.workspace;
  // What the product must keep to.
  algorithm.data[0] = kMark;
  for (int i = 0; i < 4; ++i)
    algorithm.data[1 + i] = p.alignment[i];
  // Partial sums of anything but f32, or added up in no order, are not wanted.
  if (p.reduction != 2)
    return NotSupported;
  std::memcpy(results, &algorithm, sizeof(algorithm));
  return Success;
}
int cublasLtMatmul(void *, void *product, const void *alpha, const void *a,
                   void *aLayout, const void *b, void *bLayout,
                   const void *beta, const void *c, void *cLayout, void *d,
                   void *dLayout, const void *algorithm, void *workspace,
                   size_t bytes, void *stream) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (contexts.empty())
    return NotInitializedYet;
  Call call = {*static_cast<Product *>(product),
               *static_cast<Layout *>(aLayout),
               *static_cast<Layout *>(bLayout),
               *static_cast<Layout *>(dLayout),
               a,
               b,
               d};
  const auto *chosen = static_cast<const uint64_t *>(algorithm);
  bool isAligned = chosen[0] == kMark;
  const void *const data[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    isAligned &= reinterpret_cast<uintptr_t>(data[i]) % chosen[1 + i] == 0;
  if (!isAligned || *static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0 || c != d || cLayout != dLayout ||
      bytesFrom(reinterpret_cast<Address>(workspace)) < bytes ||
      !call.isValid())
    return InvalidArgument;
  if (stream != s.capturing)
    return call.run();
  s.captured.push_back([call] { return call.run(); });
  return Success;
}

} // extern "C"
