//===- Container.cpp - What lies in the payload of an entry ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Container.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::cache;

namespace {
enum Section : uint32_t { KeyParts = 1, Contents = 2 };
} // namespace

static constexpr size_t kHeadBytes = 4 + 2 * 20;
// What is shown to people is cut there.
static constexpr uint32_t kMostParts = 256;
static constexpr uint32_t kMostText = 1 << 14;

std::vector<uint8_t> cache::packEntry(const std::vector<KeyPart> &parts,
                                      ByteView contents) {
  std::vector<uint8_t> record;
  ByteWriter text(record);
  auto count =
      static_cast<uint32_t>(std::min<size_t>(parts.size(), kMostParts));
  text.u32(count);
  for (uint32_t i = 0; i < count; ++i)
    for (std::string_view word :
         {std::string_view(parts[i].label), std::string_view(parts[i].value)}) {
      word = word.substr(0, kMostText);
      text.u32(static_cast<uint32_t>(word.size()));
      text.text(word);
    }

  std::vector<uint8_t> out;
  out.reserve(kHeadBytes + record.size() + contents.size());
  ByteWriter writer(out);
  writer.u32(2);
  uint64_t offset = kHeadBytes;
  for (auto [type, length] :
       {std::pair<uint32_t, uint64_t>(KeyParts, record.size()),
        {Contents, contents.size()}}) {
    writer.u32(type);
    writer.u64(offset);
    writer.u64(length);
    offset += length;
  }
  writer.bytes(record);
  writer.bytes(contents);
  return out;
}

static bool readParts(ByteView record, std::vector<KeyPart> &parts) {
  ByteReader reader(record);
  uint32_t count = reader.u32();
  if (count > kMostParts)
    return false;
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    KeyPart part;
    part.label = reader.text(reader.u32());
    part.value = reader.text(reader.u32());
    parts.push_back(std::move(part));
  }
  return reader.ok() && reader.atEnd();
}

bool cache::unpackEntry(ByteView container, std::vector<KeyPart> &parts,
                        ByteView &contents) {
  ByteReader reader(container);
  if (reader.u32() != 2)
    return false;
  uint64_t offset = kHeadBytes;
  ByteView sections[2];
  for (uint32_t i = 0; i < 2; ++i) {
    uint32_t type = reader.u32();
    uint64_t begin = reader.u64();
    uint64_t length = reader.u64();
    if (!reader.ok() || type != KeyParts + i || begin != offset ||
        !container.contains(begin, length))
      return false;
    sections[i] = container.slice(begin, length);
    offset = begin + length;
  }
  contents = sections[1];
  return offset == container.size() && readParts(sections[0], parts);
}
