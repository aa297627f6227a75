//===- Digest.h - SHA-256 ------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SHA-256 of bytes that arrive in pieces, by OpenSSL. Parts of different
// meaning go in with `addPart`, which hashes a label and a length as well, so
// that ("ab", "c") and ("a", "bc") differ.
//
// Example:
//
//   Hasher hasher;
//   hasher.addPart("pipeline", pipelineText);
//   hasher.addPart("source", bytes);
//   std::string key = hasher.finish().hex();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_DIGEST_H
#define KILN_BASE_DIGEST_H

#include "kiln/Base/Bytes.h"

#include <array>
#include <functional>
#include <optional>

namespace kiln {

/// A SHA-256 value.
struct Digest {
  std::array<uint8_t, 32> bytes{};

  /// 64 lower-case hexadecimal digits.
  std::string hex() const;
  /// The inverse of `hex`; nothing for any other text.
  static std::optional<Digest> fromHex(std::string_view text);

  bool operator==(const Digest &other) const { return bytes == other.bytes; }
  bool operator!=(const Digest &other) const { return bytes != other.bytes; }
  bool operator<(const Digest &other) const { return bytes < other.bytes; }
};

/// A running SHA-256. Not to be used after `finish`.
class Hasher {
public:
  Hasher();
  Hasher(const Hasher &) = delete;
  Hasher &operator=(const Hasher &) = delete;

  /// Hashes raw bytes.
  void add(ByteView bytes);
  /// Hashes a number as eight little-endian bytes.
  void addNumber(uint64_t value);
  /// Hashes a labelled part: lengths of both, the label, the bytes.
  void addPart(std::string_view label, ByteView bytes);

  Digest finish();

private:
  alignas(8) unsigned char context_[112]; ///< SHA256_CTX
};

/// The digest of one piece.
Digest sha256(ByteView bytes);

} // namespace kiln

namespace std {
template <> struct hash<kiln::Digest> {
  size_t operator()(const kiln::Digest &digest) const {
    size_t value;
    std::memcpy(&value, digest.bytes.data(), sizeof(value));
    return value;
  }
};
} // namespace std

#endif // KILN_BASE_DIGEST_H
