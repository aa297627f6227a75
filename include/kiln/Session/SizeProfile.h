//===- SizeProfile.h - The sizes a program was called with ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each symbol of a program, whether it always had one value or varied. A
// program of which a size varied before is compiled for any such size at once,
// also by the next process and by another compiler: a profile depends on the
// source alone, so it is an entry of the cache (`KeyKind::Pgo`) for every
// environment.
//
// What is known of a symbol only grows: unknown, one value, varies. Joining
// profiles is commutative and idempotent, so processes may add to one in any
// order and nothing is lost in one folder. A remote is always asked, too, and what
// machines know there is joined. It has no locks: of two machines that write at once
// it keeps what one of them knows, until the other looks again and adds its own. A
// wrong profile costs time and nothing else, since variants have guards.
//
//   SizeProfile seen;
//   seen.note("s0", 16);
//   SizeProfile all = mergeProfile(store, profileKey(source, ""), seen);
//   if (all.varies("s0")) ...
//
// The payload of an entry, little-endian, symbols ascending:
//
//   u32 version 1 | u32 n | n * (u8 varies, i64 value or 0, u32 length, name)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_SIZEPROFILE_H
#define KILN_SESSION_SIZEPROFILE_H

#include "kiln/Archive/Source.h"
#include "kiln/Cache/Store.h"

#include <map>
#include <optional>

namespace kiln::session {

class SizeProfile {
public:
  static constexpr size_t kMaxSymbols = 100000;
  static constexpr size_t kMaxBytes = 4 << 20;

  /// A call in which the symbol had this value.
  void note(const std::string &symbol, int64_t value);
  /// Adds what another profile knows.
  void join(const SizeProfile &other);

  bool varies(const std::string &symbol) const;
  bool variesAtAll() const;
  bool empty() const { return symbols_.empty(); }
  size_t size() const { return symbols_.size(); }
  bool operator==(const SizeProfile &other) const {
    return symbols_ == other.symbols_;
  }

  std::vector<uint8_t> encode() const;
  /// From untrusted bytes; nothing for those that `encode` does not give.
  static std::optional<SizeProfile> decode(ByteView bytes);

private:
  /// Nothing: it varies.
  using Value = std::optional<int64_t>;
  void add(const std::string &symbol, const Value &value);

  std::map<std::string, Value> symbols_;
};

/// The key of a program's profile. `nameSpace` is KILN_CACHE_NAMESPACE, or empty.
cache::CacheKey profileKey(const archive::Source &source,
                           const std::string &nameSpace);

/// Adds `seen` to what the store knows, and gives both together. One process at
/// a time; where files cannot be locked each leaves an entry, and readers join
/// them. What cannot be kept is known to this process all the same.
SizeProfile mergeProfile(cache::Store &store, const cache::CacheKey &key,
                         const SizeProfile &seen);

} // namespace kiln::session

#endif // KILN_SESSION_SIZEPROFILE_H
