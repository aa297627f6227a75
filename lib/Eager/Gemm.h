//===- Gemm.h - Matrix products on dense values ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_GEMM_H
#define KILN_LIB_EAGER_GEMM_H

#include "Elements.h"

#include <algorithm>

namespace kiln::eager {

/// c[m, n] += a[m, k] * b[k, n], all row-major. The innermost loop runs along
/// rows of b and c; blocks of b stay in the second-level cache.
template <typename T>
void gemm(int64_t m, int64_t n, int64_t k, const T *a, const T *b, T *c) {
  constexpr int64_t kBlock = 128;
  for (int64_t p0 = 0; p0 < k; p0 += kBlock) {
    int64_t p1 = std::min(k, p0 + kBlock);
    for (int64_t j0 = 0; j0 < n; j0 += 4 * kBlock) {
      int64_t j1 = std::min(n, j0 + 4 * kBlock);
      for (int64_t i = 0; i < m; ++i) {
        T *__restrict row = c + i * n;
        for (int64_t p = p0; p < p1; ++p) {
          T factor = a[i * k + p];
          const T *__restrict other = b + p * n;
          for (int64_t j = j0; j < j1; ++j) {
            if constexpr (std::is_same_v<T, int64_t>)
              row[j] = int64_t(uint64_t(row[j]) +
                               uint64_t(factor) * uint64_t(other[j]));
            else
              row[j] += factor * other[j];
          }
        }
      }
    }
  }
}

/// b[columns, rows] from a[rows, columns].
template <typename T>
std::vector<T> transposedValues(const T *a, int64_t rows, int64_t columns) {
  std::vector<T> result(size_t(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[j * rows + i] = a[i * columns + j];
  return result;
}

/// PyTorch's matmul: vectors, matrices and broadcast batches; operands of one
/// dtype, accumulated in the compute type, rounded once.
Tensor matmulOf(const Tensor &a, const Tensor &b);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_GEMM_H
