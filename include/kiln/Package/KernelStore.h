//===- KernelStore.h - Where the code of kernels is kept --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a code generator asks before it compiles a kernel, and tells afterwards. It
// is an interface so that code generation knows no folder and no environment; the
// session's, which keeps kernels in the cache, is kiln/Session/KernelCache.h.
//
//   std::vector<std::optional<KernelImage>> found = store.find({key});
//   if (!found[0])
//     store.keep(key, image, micros);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_KERNELSTORE_H
#define KILN_PACKAGE_KERNELSTORE_H

#include "kiln/Base/Digest.h"
#include "kiln/Package/Package.h"

#include <optional>

namespace kiln::package {

/// Keys stand for everything that the code of a kernel depends on, but for the
/// compiler itself. Asked and told by one thread at a time. Nothing here fails: what
/// cannot be found is compiled, what cannot be kept is compiled again.
class KernelStore {
public:
  virtual ~KernelStore() = default;

  /// What is kept under each key, in their order. An image has one kernel, whose
  /// name means nothing; it may come from outside, so its caller looks whether it
  /// fits before it is used.
  virtual std::vector<std::optional<KernelImage>>
  find(const std::vector<Digest> &keys) = 0;

  /// Keeps an image of one kernel, which took so many microseconds to compile.
  virtual void keep(const Digest &key, const KernelImage &image,
                    uint64_t micros) = 0;
};

} // namespace kiln::package

#endif // KILN_PACKAGE_KERNELSTORE_H
