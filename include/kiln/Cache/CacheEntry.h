//===- CacheEntry.h - The file format of a cache entry --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is a 256-byte header and a payload, in one file; nothing is ever
// spread over several files. All integers are little-endian:
//
//     0   8  magic 89 4B 4C 4E 43 0D 0A 1A (detects text conversion)
//     8   2  format version 1
//    10   2  header length 256
//    12   2  kind (KeyKind)
//    14   1  compression: 0 none, 1 zstd
//    15   1  authentication: 0 none, 1 HMAC-SHA256, 2 Ed25519,
//          3 HMAC-SHA256 with a shared secret
//    16   4  flags: bit 0 native code, bit 1 portable; others are zero
//    20   4  key id of the signer, 0 if none
//    24   8  stored length
//    32   8  raw length
//    40   8  created, milliseconds since 1970 (information only)
//    48   8  compile time in microseconds
//    56   8  zero
//    64  32  cache key
//    96  32  environment id
//   128  32  SHA-256 of the stored payload
//   160  64  authentication tag
//   224   4  CRC-32 of bytes 0..223 (tells rot from forgery)
//   228  28  zero
//   256   -  payload; the file's size is exactly 256 + stored length
//
// The payload is one container of what the key produced, before compression:
//
//     u32 n, n * (u32 type, u64 offset, u64 length), sections
//
// with the sections in order and without gaps: 1 the labelled parts of the key,
// which explain a miss, and 2 what the caller stored.
//
// The tag is over "kiln-entry-v1\0" and bytes 0..159, which hold the payload's
// digest; an HMAC is followed by zeros. Who made an entry is asked of a KeyRing.
//
// A reader assumes arbitrary bytes: header rules first, then who made it, then
// key and environment, then the digest, and only then decompression with the
// raw length as a hard bound. Source: the entry formats of ccache (header and
// checksum) and Nix (key inside what is signed).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_CACHEENTRY_H
#define KILN_CACHE_CACHEENTRY_H

#include "kiln/Cache/CacheKey.h"
#include "kiln/Cache/KeyRing.h"

namespace kiln::cache {

constexpr size_t kEntryHeaderBytes = 256;
/// Bounds of a payload before and after decompression.
constexpr uint64_t kMaxEntryBytes = uint64_t(1) << 30;
constexpr uint64_t kMaxCompressionRatio = 200;

struct EntryInfo {
  KeyKind kind = KeyKind::FxGraph;
  bool nativeCode = false;
  uint64_t compileTimeMicros = 0;
  uint64_t createdMillis = 0; ///< given by the caller
  /// The parts of the key, kept to say why another one missed. A store fills
  /// them in.
  std::vector<KeyPart> keyParts;
};

/// Why an entry was not served.
enum class EntryFault {
  None,
  Corrupt,     ///< bytes contradict the format or a checksum
  Auth,        ///< made by somebody who is not believed; see `authFault`
  WrongKey,    ///< a valid entry of another key
  ForeignEnvironment, ///< made by another compiler or for another machine
};

struct DecodedEntry {
  EntryFault fault = EntryFault::None;
  AuthFault authFault = AuthFault::None;
  Authentication method = Authentication::None; ///< how it is authenticated
  std::string reason; ///< one sentence when `fault` is set
  EntryInfo info;
  std::vector<uint8_t> payload;
};

/// The bytes of an entry. Compresses payloads over 4 KiB that shrink by at
/// least a tenth.
std::vector<uint8_t> encodeEntry(const Digest &key, const Digest &environment,
                                 const EntryInfo &info, ByteView payload,
                                 const Signer &signer);

/// Reads an entry from untrusted bytes.
DecodedEntry decodeEntry(ByteView file, const Digest &key,
                         const Digest &environment, const Verifier &verifier);

} // namespace kiln::cache

#endif // KILN_CACHE_CACHEENTRY_H
