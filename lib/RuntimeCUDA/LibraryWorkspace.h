//===- LibraryWorkspace.h - Memory that libraries compute in ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All calls of libraries share it, since they follow each other on one stream.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_LIBRARYWORKSPACE_H
#define KILN_LIB_RUNTIMECUDA_LIBRARYWORKSPACE_H

#include "Allocator.h"
#include "kiln/Base/Result.h"

namespace kiln::cuda {

class LibraryWorkspace {
public:
  /// What users of cuBLASLt give it on GPUs with warpgroups.
  static constexpr size_t kBytes = size_t(32) << 20;

  explicit LibraryWorkspace(Allocator &allocator) : allocator_(allocator) {}
  /// Takes it when it is first asked for. Unsupported if there is no memory for
  /// it. The context is current, and the allocator lets go of it.
  Status take() {
    if (address_ != 0 || allocator_.allocate(kBytes, "workspace of libraries",
                                             address_) == kSuccess)
      return Status::success();
    address_ = 0;
    return Error::unsupported("there is no memory for the workspace of "
                              "libraries");
  }
  void *data() const { return reinterpret_cast<void *>(address_); }

private:
  Allocator &allocator_;
  Address address_ = 0;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_LIBRARYWORKSPACE_H
