//===- CacheKey.cpp - Labelled hashing ------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheKey.h"

#include <cassert>

using namespace kiln;
using namespace kiln::cache;

namespace {
// Field types of the record; see CacheKey.h.
enum FieldType : uint8_t { U64 = 3, Utf8 = 6, List = 7, DigestType = 9 };
} // namespace

CacheKeyBuilder::CacheKeyBuilder(KeyKind kind) : kind_(kind) {}

void CacheKeyBuilder::field(KeyTag tag, uint8_t type, std::string_view label,
                            ByteView bytes, std::string shown) {
  auto number = static_cast<uint16_t>(tag);
  assert(number > lastTag_ && "key fields must be added in ascending order");
  lastTag_ = number;
  ++count_;
  ByteWriter writer(fields_);
  writer.u16(number);
  writer.u8(type);
  writer.u64(bytes.size());
  writer.bytes(bytes);
  parts_.push_back({std::string(label), std::move(shown)});
}

void CacheKeyBuilder::addNumber(KeyTag tag, std::string_view label,
                                uint64_t value) {
  std::vector<uint8_t> bytes;
  ByteWriter(bytes).u64(value);
  field(tag, U64, label, bytes, std::to_string(value));
}

void CacheKeyBuilder::addText(KeyTag tag, std::string_view label,
                              std::string_view text) {
  field(tag, Utf8, label, text, std::string(text));
}

void CacheKeyBuilder::addDigest(KeyTag tag, std::string_view label,
                                const Digest &digest) {
  field(tag, DigestType, label,
        ByteView(digest.bytes.data(), digest.bytes.size()), digest.hex());
}

void CacheKeyBuilder::addTexts(KeyTag tag, std::string_view label,
                               const std::vector<std::string> &texts) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u32(static_cast<uint32_t>(texts.size()));
  std::string shown;
  for (const std::string &text : texts) {
    writer.u8(Utf8);
    writer.u64(text.size());
    writer.text(text);
    shown += (shown.empty() ? "" : " ") + text;
  }
  field(tag, List, label, bytes, std::move(shown));
}

CacheKey CacheKeyBuilder::finish() {
  std::vector<uint8_t> head;
  ByteWriter writer(head);
  writer.text(std::string_view("kiln-key-v1\0", 12));
  writer.text("KCE1");
  writer.u8(static_cast<uint8_t>(kind_));
  writer.u32(count_);
  Hasher hasher;
  hasher.add(head);
  hasher.add(fields_);
  return {kind_, hasher.finish(), std::move(parts_)};
}
