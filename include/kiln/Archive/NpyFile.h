//===- NpyFile.h - NumPy arrays in files ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `.npy` for inputs and outputs of tools:
//
//   file   := "\x93NUMPY" version:u8 u8 length:u16|u32 header data
//   header := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
//
// Versions 1, 2 and 3 are read; 1 is written. NumPy has no bfloat16 and no
// 8-bit floats: these are written as unsigned integers of the same width and
// come back as such.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_NPYFILE_H
#define KILN_ARCHIVE_NPYFILE_H

#include "kiln/Base/Bytes.h"
#include "kiln/Base/DType.h"

namespace kiln::archive {

struct NpyArray {
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  SharedBytes bytes; ///< row-major
};

/// Parses a file's bytes; the result shares their owner. Column-major arrays
/// are turned around. Malformed for damaged files, Unsupported for big-endian
/// numbers, records, strings and objects.
Result<NpyArray> parseNpy(SharedBytes bytes, const std::string &file);

/// Maps and parses a file.
Result<NpyArray> loadNpy(const std::string &path);

/// The bytes of a file. `bytes` is row-major and has the size of the array;
/// Usage error otherwise.
Result<std::vector<uint8_t>> encodeNpy(DType dtype,
                                       const std::vector<int64_t> &sizes,
                                       ByteView bytes);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_NPYFILE_H
