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
    if (block_ || allocator_.allocate(kBytes, "workspace of libraries",
                                      block_) == kSuccess)
      return Status::success();
    return Error::unsupported("there is no memory for the workspace of "
                              "libraries");
  }
  void *data() const {
    return reinterpret_cast<void *>(block_ ? block_->address : 0);
  }

private:
  Allocator &allocator_;
  Allocator::Block *block_ = nullptr;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_LIBRARYWORKSPACE_H
