//===- Layout.h - Names below the root of a cache -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_LAYOUT_H
#define KILN_LIB_CACHE_LAYOUT_H

#include "kiln/Cache/CacheKey.h"

namespace kiln::cache {

/// The key of a folder "f3f.."; nothing for a name of anybody else.
std::optional<Digest> keyOfFolder(KeyKind kind, std::string_view name);
/// True for names that `variantName` can give.
bool isVariantName(std::string_view name);

/// The lock of a key's compilation.
std::string lockPath(const CacheKey &key);
constexpr char kEvictorLock[] = "locks/gc";
constexpr char kSweepMark[] = "stats/swept";

/// Files of counters are several, so that processes seldom wait for each other.
constexpr unsigned kCounterFiles = 16;
std::string counterPath(const char *what, unsigned index);
/// The one of this process.
unsigned ownCounterFile();

/// Seconds since 1970.
int64_t currentSeconds();

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_LAYOUT_H
