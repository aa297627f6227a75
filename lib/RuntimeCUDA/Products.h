//===- Products.h - Products of matrices by a library -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt has columns where a package has rows, so it is asked for the
// transposed result: C^T = B^T A^T, whose bias of a row is that of our column.
// For each kind of product its heuristic is asked once; what came of it is kept
// with the descriptors.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_PRODUCTS_H
#define KILN_LIB_RUNTIMECUDA_PRODUCTS_H

#include "BlasLibrary.h"
#include "LibraryWorkspace.h"
#include "kiln/Runtime/Device.h"

#include <array>
#include <map>

namespace kiln::cuda {

/// Of one device. All functions need its context to be current, and one thread
/// at a time.
class Products {
public:
  Products(const Driver &driver, LibraryWorkspace &workspace)
      : driver_(driver), workspace_(workspace) {}
  /// Lets go of what the library has made, after the stream has come to its
  /// end.
  void free();

  /// "libcublasLt.so.12 120805"; empty if there is none.
  std::string describe() const;
  /// Unsupported, with nothing done, if there is no library or it refuses.
  Status multiply(const runtime::ProductLaunch &product, Handle stream);

private:
  /// A kind of product: its numbers.
  using Key = std::array<int64_t, 19>;
  struct Plan {
    std::string refusal; ///< empty: there is an algorithm
    Handle product = nullptr;
    Handle layouts[3] = {}; ///< of what the library calls A, B and C
    BlasAlgorithm algorithm = {};
  };

  static Key keyOf(const runtime::ProductLaunch &product);
  Status start();
  Plan makePlan(const runtime::ProductLaunch &product);
  Status describeProduct(Plan &plan, const runtime::ProductLaunch &product);
  Status describeMatrices(Plan &plan, const runtime::ProductLaunch &product);
  Status choose(Plan &plan, const runtime::ProductLaunch &product);
  void destroy(Plan &plan);

  const Driver &driver_;
  LibraryWorkspace &workspace_;
  const BlasLibrary *blas_ = nullptr;
  Handle handle_ = nullptr;
  std::map<Key, Plan> plans_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_PRODUCTS_H
