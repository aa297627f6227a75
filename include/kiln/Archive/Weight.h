//===- Weight.h - Tensors stored in an archive ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Weight transposed = weight;  // of the same record, without a copy
//   std::swap(transposed.sizes[0], transposed.sizes[1]);
//   std::swap(transposed.strides[0], transposed.strides[1]);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_WEIGHT_H
#define KILN_ARCHIVE_WEIGHT_H

#include "kiln/Base/Bytes.h"
#include "kiln/Base/DType.h"

#include <vector>

namespace kiln::archive {

/// A strided view of a storage record. The view lies inside of the record;
/// strides may be 0 or transposed, and several weights may share one record.
struct Weight {
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  ///< in elements
  int64_t storageOffset = 0;     ///< in elements
  SharedBytes storage;           ///< the whole record, read-only
  /// Equal keys mean the same storage: tied weights and views of one buffer.
  std::string storageKey;
  bool isParameter = false;
  bool requiresGrad = false;
  /// False if the program was exported without weights: `storage` is empty and
  /// the caller has to bring the tensor.
  bool isSupplied = true;

  /// True if both are one tensor: the same view of the same storage.
  bool isSameView(const Weight &other) const {
    return !storageKey.empty() && storageKey == other.storageKey &&
           dtype == other.dtype && sizes == other.sizes &&
           strides == other.strides && storageOffset == other.storageOffset;
  }
};

} // namespace kiln::archive

#endif // KILN_ARCHIVE_WEIGHT_H
