//===- CacheKey.cpp - Labelled hashing ------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheKey.h"

#include <algorithm>
#include <cassert>
#include <map>

using namespace kiln;
using namespace kiln::cache;

namespace {
// Field types of the record; see CacheKey.h.
enum FieldType : uint8_t { U64 = 3, Utf8 = 6, List = 7, DigestType = 9 };
} // namespace

const KindRow &cache::rowOf(KeyKind kind) {
  const KindRow *row = findKind(kind);
  assert(row && "the environment has no entries");
  return row ? *row : kKinds[0];
}

CacheKeyBuilder::CacheKeyBuilder(KeyKind kind) : kind_(kind) {}

void CacheKeyBuilder::field(KeyTag tag, uint8_t type, ByteView bytes) {
  auto number = static_cast<uint16_t>(tag);
  assert(number > lastTag_ && "key fields must be added in ascending order");
  lastTag_ = number;
  ++count_;
  ByteWriter writer(fields_);
  writer.u16(number);
  writer.u8(type);
  writer.u64(bytes.size());
  writer.bytes(bytes);
}

void CacheKeyBuilder::show(std::string_view label, std::string_view value) {
  parts_.push_back({std::string(label), std::string(value)});
}

void CacheKeyBuilder::addNumber(KeyTag tag, std::string_view label,
                                uint64_t value) {
  std::vector<uint8_t> bytes;
  ByteWriter(bytes).u64(value);
  field(tag, U64, bytes);
  show(label, std::to_string(value));
}

void CacheKeyBuilder::addText(KeyTag tag, std::string_view label,
                              std::string_view text) {
  field(tag, Utf8, text);
  show(label, text);
}

void CacheKeyBuilder::addDigest(KeyTag tag, std::string_view label,
                                const Digest &digest) {
  field(tag, DigestType, ByteView(digest.bytes.data(), digest.bytes.size()));
  show(label, digest.hex());
}

/// A list of texts, each with its length.
static std::vector<uint8_t>
listOf(const std::vector<std::string_view> &texts) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u32(static_cast<uint32_t>(texts.size()));
  for (std::string_view text : texts) {
    writer.u8(Utf8);
    writer.u64(text.size());
    writer.text(text);
  }
  return bytes;
}

void CacheKeyBuilder::addTexts(KeyTag tag, std::string_view label,
                               const std::vector<std::string> &texts) {
  field(tag, List, listOf({texts.begin(), texts.end()}));
  std::string shown;
  for (const std::string &text : texts)
    shown += (shown.empty() ? "" : " ") + text;
  show(label, shown);
}

void CacheKeyBuilder::addParts(KeyTag tag, std::string_view label,
                               const std::vector<KeyPart> &parts) {
  std::vector<std::string_view> texts;
  for (const KeyPart &part : parts) {
    texts.push_back(part.label);
    texts.push_back(part.value);
    show(std::string(label) + " " + part.label, part.value);
  }
  field(tag, List, listOf(texts));
}

void CacheKeyBuilder::addLines(KeyTag tag, std::string_view label,
                               std::string_view lines) {
  field(tag, Utf8, lines);
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    size_t equals = std::min(line.find('='), line.size());
    show(std::string(label) + " " + std::string(line.substr(0, equals)),
         line.substr(std::min(equals + 1, line.size())));
  }
}

void CacheKeyBuilder::addKey(KeyTag tag, const CacheKey &key) {
  const auto &bytes = key.digest.bytes;
  field(tag, DigestType, ByteView(bytes.data(), bytes.size()));
  parts_.insert(parts_.end(), key.parts.begin(), key.parts.end());
}

std::vector<KeyDifference>
cache::differences(const std::vector<KeyPart> &first,
                   const std::vector<KeyPart> &second) {
  std::map<std::string, std::string> others;
  for (const KeyPart &part : second)
    others[part.label] = part.value;
  std::vector<KeyDifference> found;
  for (const KeyPart &part : first) {
    auto other = others.find(part.label);
    std::string value = other == others.end() ? "" : other->second;
    if (other == others.end() || value != part.value)
      found.push_back({part.label, part.value, value});
    if (other != others.end())
      others.erase(other);
  }
  for (const auto &[label, value] : others)
    found.push_back({label, "", value});
  return found;
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
