//===- Libraries.h - Libraries beside kernels -------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which library computes what, launch by launch or captured into a graph.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_LIBRARIES_H
#define KILN_LIB_RUNTIMECUDA_LIBRARIES_H

#include "Convolutions.h"
#include "Products.h"

namespace kiln::cuda {

/// Of one device. All functions need its context to be current, and one thread
/// at a time.
class Libraries {
public:
  Libraries(const Driver &driver, Allocator &allocator)
      : driver_(driver), workspace_(allocator), products_(driver, workspace_),
        convolutions_(driver, workspace_) {}
  /// Lets go of what libraries have made, after the stream has come to its end.
  void free();

  /// The library of a kind with its version; empty if there is none.
  std::string describe(runtime::LibraryKind kind) const;
  /// What is told of a launch where kernels have names.
  static const char *nameOf(const runtime::LibraryLaunch &launch);
  /// Unsupported, with nothing done, if there is no library or it refuses.
  Status call(const runtime::LibraryLaunch &launch, Handle stream);
  /// Sets `graph` to one of what `call` would ask the driver for, which is the
  /// caller's.
  Status capture(const runtime::LibraryLaunch &launch, Handle &graph);

private:
  const Driver &driver_;
  LibraryWorkspace workspace_;
  Products products_;
  Convolutions convolutions_;
  Handle captured_ = nullptr; ///< a stream that does nothing, only writes down
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_LIBRARIES_H
