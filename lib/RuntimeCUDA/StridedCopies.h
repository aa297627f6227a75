//===- StridedCopies.h - Elements brought into another order ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels of the runtime's own, as PTX, for each width of an item: one that
// finds the place of each item by itself, and one for transposes, which reads
// and writes neighbours by way of a tile in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_STRIDEDCOPIES_H
#define KILN_LIB_RUNTIMECUDA_STRIDEDCOPIES_H

#include "Driver.h"
#include "kiln/Runtime/Device.h"

namespace kiln::cuda {

/// The text of the kernels for items of 1, 2, 4 or 8 bytes.
std::string stridedCopyPTX(uint32_t itemBytes);

class StridedCopies {
public:
  explicit StridedCopies(const Driver &driver) : driver_(driver) {}
  /// Unloads the kernels. This and `launch` need the context to be current, and
  /// one thread at a time.
  void free();

  /// Asks a stream for a copy; `name` is that of the kernel. The driver's
  /// answer.
  int launch(const runtime::StridedCopy &copy, Handle stream,
             std::string &name);

private:
  struct Code {
    Handle module = nullptr, items = nullptr, tiles = nullptr;
  };
  int load(uint32_t itemBytes, Code &code);

  const Driver &driver_;
  Code codes_[4]; ///< by the logarithm of an item's bytes
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_STRIDEDCOPIES_H
