//===- CacheKey.h - Keys over typed, labelled parts -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key is SHA-256 over a record of typed, length-prefixed fields, so that no
// two different inputs can be written as the same bytes:
//
//   record := "KCE1" u8:kind u32:n field*n
//   field  := u16:tag u8:type u64:length bytes       tags strictly ascending
//   key    := SHA-256("kiln-key-v1\0" record)
//
// All integers are little-endian. Each field also carries a label that is not
// hashed: it names the part when a key is shown to people, and two keys are
// compared part by part to say why a lookup missed.
//
// Example:
//
//   CacheKeyBuilder builder(KeyKind::FxGraph);
//   builder.addDigest(KeyTag::Source, "source", sourceDigest);
//   builder.addText(KeyTag::Options, "options", "backend=inductor\n");
//   CacheKey key = builder.finish();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_CACHEKEY_H
#define KILN_CACHE_CACHEKEY_H

#include "kiln/Base/Digest.h"

#include <string>
#include <string_view>
#include <vector>

namespace kiln::cache {

/// What a key stands for. The numbers are part of the hashed record.
enum class KeyKind : uint8_t {
  Environment = 1, ///< the compiler and the machine: `env_id`
#define KILN_KIND(Name, number, name, folder, type, slots, joined, meaning)    \
  Name = number, ///< meaning
#include "kiln/Cache/Kinds.def"
};

/// A row of Kinds.def.
struct KindRow {
  KeyKind kind;
  const char *name;   ///< in counters: "kernel"
  const char *folder; ///< below the root: "kernels"
  const char *type;   ///< in an artifact file: "kernel"
  size_t slots;       ///< values of one key in a remote
  bool isJoined;      ///< what is here does not spare a look into the remote
  const char *meaning;
};
/// The kinds that have entries.
constexpr KindRow kKinds[] = {
#define KILN_KIND(Name, number, name, folder, type, slots, joined, meaning)    \
  {KeyKind::Name, name, folder, type, slots, joined, meaning},
#include "kiln/Cache/Kinds.def"
};
/// Null for the environment and for numbers that are no kind.
constexpr const KindRow *findKind(KeyKind kind) {
  for (const KindRow &row : kKinds)
    if (row.kind == kind)
      return &row;
  return nullptr;
}
/// The row of a kind that has entries.
const KindRow &rowOf(KeyKind kind);

/// The fields of the records, one number each for all kinds.
enum class KeyTag : uint16_t {
  // KeyKind::Environment
  FormatEpoch = 1,
  BuildIds = 2,     ///< list of ELF build ids, sorted
  Processor = 3,    ///< what `target=native` means on this machine
  KernelAbi = 4,
  // graphs
  EnvironmentId = 16,
  Source = 17,      ///< digest of the archive or module
  Model = 18,       ///< program of an archive with several
  Options = 19,     ///< the options record of CompilerABI.h
  Namespace = 20,
  Threads = 21,     ///< on which something was measured
  Device = 22,      ///< the same on a GPU: product and driver
  Specialization = 23, ///< what a variant makes of symbols
};

/// One labelled part of a key, in words.
struct KeyPart {
  std::string label;
  std::string value;
};

struct CacheKey {
  KeyKind kind = KeyKind::FxGraph;
  Digest digest;
  std::vector<KeyPart> parts;
};

/// A part in which two keys differ; empty where one of them has none.
struct KeyDifference {
  std::string label;
  std::string first, second;
};
std::vector<KeyDifference> differences(const std::vector<KeyPart> &first,
                                       const std::vector<KeyPart> &second);

/// Builds a record field by field. Tags must ascend: a programming error is
/// reported by `finish` through an assertion in debug builds and sorts nothing.
class CacheKeyBuilder {
public:
  explicit CacheKeyBuilder(KeyKind kind);

  void addNumber(KeyTag tag, std::string_view label, uint64_t value);
  void addText(KeyTag tag, std::string_view label, std::string_view text);
  void addDigest(KeyTag tag, std::string_view label, const Digest &digest);
  void addTexts(KeyTag tag, std::string_view label,
                const std::vector<std::string> &texts);
  /// Named values in an order that means something; shown one by one.
  void addParts(KeyTag tag, std::string_view label,
                const std::vector<KeyPart> &parts);
  /// Lines "name=value", hashed as one text and shown one by one.
  void addLines(KeyTag tag, std::string_view label, std::string_view lines);
  /// The digest of another key, shown as the parts of that one.
  void addKey(KeyTag tag, const CacheKey &key);

  CacheKey finish();

private:
  void field(KeyTag tag, uint8_t type, ByteView bytes);
  void show(std::string_view label, std::string_view value);

  KeyKind kind_;
  uint16_t lastTag_ = 0;
  uint32_t count_ = 0;
  std::vector<uint8_t> fields_;
  std::vector<KeyPart> parts_;
};

} // namespace kiln::cache

#endif // KILN_CACHE_CACHEKEY_H
