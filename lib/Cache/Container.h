//===- Container.h - What lies in the payload of an entry ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_CONTAINER_H
#define KILN_LIB_CACHE_CONTAINER_H

#include "kiln/Cache/CacheKey.h"

namespace kiln::cache {

/// The container of CacheEntry.h.
std::vector<uint8_t> packEntry(const std::vector<KeyPart> &parts,
                               ByteView contents);
/// The inverse, of untrusted bytes; `contents` is a view of them. False if they
/// are no such container.
bool unpackEntry(ByteView container, std::vector<KeyPart> &parts,
                 ByteView &contents);

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_CONTAINER_H
