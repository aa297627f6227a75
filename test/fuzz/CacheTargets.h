//===- CacheTargets.h - What the cache promises of any bytes ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the fuzz targets of the cache and by `kiln-mutate-cache`. A broken
// promise ends the process. What is sealed has its digest, signature and checksum
// made anew, so that what lies behind them is read as well.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FUZZ_CACHETARGETS_H
#define KILN_TEST_FUZZ_CACHETARGETS_H

#include "kiln/Base/Bytes.h"

#include <functional>
#include <string>
#include <string_view>

namespace kiln::fuzz {

/// A small entry, and one whose payload is compressed, as their makers write
/// them.
const std::string &goodEntry(bool isCompressed);
/// An artifact file with three entries.
const std::string &goodArtifact();

/// Replaces bytes: `changes` are three bytes each, a place and what stands there.
std::string change(std::string file, std::string_view changes);

/// Signs the file of an entry anew.
std::string sealEntry(std::string file);
/// An artifact file of a manifest, whatever it says, and what follows it.
std::string sealArtifact(std::string_view manifest, std::string_view blobs);
/// The two parts of `goodArtifact`.
std::string_view goodManifest();
std::string_view goodBlobs();

/// `isSealed` says that the bytes are of `seal...`: others must be refused,
/// unless they are what a maker wrote.
void checkEntry(std::string_view file, bool isSealed);
void checkArtifact(std::string_view file, bool isSealed);
/// A stream of a server, in parts as `nextPart` gives them for what is left.
void checkReplies(std::string_view stream,
                  const std::function<size_t(size_t)> &nextPart);
/// A public key, a list of them, a seed, a URL, a size, an age, counters.
void checkKeyText(std::string_view text);

} // namespace kiln::fuzz

#endif // KILN_TEST_FUZZ_CACHETARGETS_H
