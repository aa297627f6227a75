//===- CacheArtifacts.h - A cache in one file -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one machine compiled, to be carried to another of the same kind:
//
//   auto artifacts = kiln::saveCacheArtifacts();          // on the first
//   writeFile("model.klnb", (*artifacts)->bytes);
//
//   auto info = kiln::loadCacheArtifacts(bytes);          // on the second
//   if (!info)
//     return info.takeError();                            // nothing was written
//
// The file ("KLNB"; integers are little-endian, blobs lie at multiples of 64):
//
//   header    256 bytes as in CacheEntry.h, with magic 89 4B 4C 4E 42 0D 0A 1A,
//             kind 7, authentication 2; stored length: of the manifest; raw
//             length: of the file; digest: of the manifest; key and environment
//             are zero
//   manifest  {"entries":[{"digest":D,"env":E,"key":K,"offset":N,"stored":N,
//             "type":T}, ..],"format":1,"producer":TEXT}, sorted by type, key
//             and digest
//   blobs     entry files, each signed as what goes to others is
//
// The tag is over "kiln-artifact-v1\0" and the first 160 bytes. A reader checks
// size, header, signature, manifest and the digest of every blob before it
// writes anything; then it takes the entries for this compiler and machine and
// says why it skips others. Names of files are derived, never read. Equal entries
// give equal bytes: nothing in the file says when or where it was made.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_CACHEARTIFACTS_H
#define KILN_SESSION_CACHEARTIFACTS_H

#include "kiln/Cache/CacheConfig.h"
#include "kiln/Cache/CacheEntry.h"

#include <map>

namespace kiln {

/// What was saved or loaded.
struct CacheInfo {
  struct Skipped {
    std::string key, reason;
  };
  /// Keys by type: "inductor", "aot_autograd", "kernel", "autotune", "pgo", "joint",
  /// "autotune_bundle".
  std::map<std::string, std::vector<std::string>> keys;
  uint64_t bytes = 0; ///< of the file
  std::vector<Skipped> skipped;
  std::string producer;

  /// One JSON object.
  std::string json() const;
};

struct CacheArtifacts {
  std::vector<uint8_t> bytes;
  CacheInfo info;
};

/// The entries of the cache folder that this compiler made for this machine;
/// nothing if there are none. Io error if the folder or the key cannot be read.
Result<std::optional<CacheArtifacts>>
saveCacheArtifacts(const cache::CacheConfig &config =
                       cache::readCacheConfig(std::nullopt));

/// Puts the entries of a file into the cache folder. Malformed if the file is not
/// what a trusted key signed: then nothing is written.
Result<CacheInfo> loadCacheArtifacts(
    ByteView file,
    const cache::CacheConfig &config = cache::readCacheConfig(std::nullopt));

namespace session {

/// The most that a file may hold, to who writes and to who reads it.
constexpr uint64_t kMaxArtifactBytes = uint64_t(4) << 30;
constexpr size_t kMaxArtifactEntries = 100000;

/// An entry of a file, for whatever machine.
struct ArtifactEntry {
  cache::KeyKind kind = cache::KeyKind::FxGraph;
  Digest key;
  Digest environment;
  std::vector<uint8_t> file; ///< of the entry, signed
};

/// The bytes of a file.
std::vector<uint8_t> encodeArtifacts(std::vector<ArtifactEntry> entries,
                                     const cache::KeyRing &keys);
/// Reads a file of untrusted bytes, which a key of the ring must have signed.
/// `info` receives its producer and size, and entries of unknown types.
Result<std::vector<ArtifactEntry>> decodeArtifacts(ByteView file,
                                                   const cache::KeyRing &keys,
                                                   CacheInfo &info);

} // namespace session

} // namespace kiln

#endif // KILN_SESSION_CACHEARTIFACTS_H
