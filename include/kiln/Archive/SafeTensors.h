//===- SafeTensors.h - Reading and writing safetensors files --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of weights that Hugging Face's safetensors defines: the length of a
// JSON object as a little-endian 64-bit number, the object, then the elements of
// all tensors, row-major:
//
//   {"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
//    "__metadata__": {"format": "pt"}}
//
// Files are untrusted. As the original demands, tensors cover all bytes behind the
// object, without gaps and without overlaps.
//
//   auto bytes = mapFile("model.safetensors");
//   auto tensors = archive::readSafeTensors(*bytes, "'model.safetensors'");
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_SAFETENSORS_H
#define KILN_ARCHIVE_SAFETENSORS_H

#include "kiln/Base/Bytes.h"
#include "kiln/Base/DType.h"

namespace kiln::archive {

/// A tensor of a file; `bytes` are borrowed from what was read.
struct SafeTensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  ByteView bytes;
};

/// The tensors of a file in the order of its object. Malformed errors begin with
/// `name` and say which tensor and what was expected; Unsupported for an element
/// type that Kiln does not have. Elements need not be aligned in memory.
Result<std::vector<SafeTensor>> readSafeTensors(const SharedBytes &bytes,
                                                const std::string &name);

/// The bytes of a file. Unsupported for a dtype that the format does not have.
Result<std::vector<uint8_t>>
writeSafeTensors(const std::vector<SafeTensor> &tensors);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_SAFETENSORS_H
