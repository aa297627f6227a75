//===- BuildId.cpp - What ELF files say of themselves --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout read here, all little-endian (ELF64):
//
//   file header     e_ident[16] .. e_phoff at 32, e_phentsize at 54, e_phnum
//                   at 56
//   program header  p_type u32, p_flags u32, p_offset u64, p_vaddr u64,
//                   p_paddr u64, p_filesz u64, p_memsz u64, p_align u64
//   dynamic entry  d_tag u64, d_val u64
//   note          namesz u32, descsz u32, type u32, name padded to 4, desc
//                 padded to 4 (to 8 where p_align is 8)
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/DynamicNeeds.h"
#include "kiln/Base/Hex.h"

#include <algorithm>

using namespace kiln;

std::string kiln::findBuildId(ByteView notes, uint64_t alignment) {
  constexpr uint32_t buildIdType = 3; // NT_GNU_BUILD_ID
  constexpr uint32_t maxBuildIdBytes = 64;
  if (alignment != 8)
    alignment = 4;
  auto padded = [&](uint64_t size) {
    return (size + alignment - 1) & ~(alignment - 1);
  };
  ByteReader reader(notes);
  while (reader.ok() && reader.remaining() >= 12) {
    uint32_t nameSize = reader.u32();
    uint32_t valueSize = reader.u32();
    uint32_t type = reader.u32();
    // The last note of a segment may lack its padding.
    std::string_view name = reader.text(nameSize);
    reader.skip(std::min<uint64_t>(padded(nameSize) - nameSize,
                                   reader.remaining()));
    ByteView value = reader.bytes(valueSize);
    reader.skip(std::min<uint64_t>(padded(valueSize) - valueSize,
                                   reader.remaining()));
    if (reader.ok() && type == buildIdType &&
        name == std::string_view("GNU\0", 4) && valueSize > 0 &&
        valueSize <= maxBuildIdBytes)
      return toHex(value);
  }
  return {};
}

namespace {
/// A program header.
struct Segment {
  uint32_t type = 0;
  uint64_t offset = 0, address = 0, size = 0, alignment = 0;
};
} // namespace

static Result<std::vector<Segment>> readSegments(ByteView elf,
                                                 const std::string &what) {
  ByteReader reader(elf);
  ByteView ident = reader.bytes(16);
  if (ident.text().substr(0, 6) != std::string_view("\177ELF\2\1", 6))
    return Error::malformed("'" + what +
                            "' is not a 64-bit little-endian ELF file");
  reader.seek(32);
  uint64_t headers = reader.u64();
  reader.seek(54);
  uint16_t entrySize = reader.u16();
  uint16_t count = reader.u16();
  if (!reader.ok() || (count > 0 && entrySize < 56))
    return Error::malformed("'" + what + "' has a damaged ELF header");
  std::vector<Segment> segments;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = i * entrySize; // both below 2^16
    if (!elf.contains(headers, offset + 56))
      return Error::malformed("'" + what +
                              "' has program headers past its end");
    ByteReader header(elf.slice(headers + offset, 56));
    Segment segment;
    segment.type = header.u32();
    header.skip(4);
    segment.offset = header.u64();
    segment.address = header.u64();
    header.skip(8);
    segment.size = header.u64();
    header.skip(8);
    segment.alignment = header.u64();
    segments.push_back(segment);
  }
  return segments;
}

Result<std::string> kiln::readBuildId(ByteView elf, const std::string &what) {
  constexpr uint32_t noteSegment = 4; // PT_NOTE
  auto segments = readSegments(elf, what);
  if (!segments)
    return segments.takeError();
  for (const Segment &segment : *segments) {
    if (segment.type != noteSegment)
      continue;
    if (!elf.contains(segment.offset, segment.size))
      return Error::malformed("'" + what + "' has notes past its end");
    std::string id = findBuildId(elf.slice(segment.offset, segment.size),
                                 segment.alignment);
    if (!id.empty())
      return id;
  }
  return Error::unsupported("'" + what +
                            "' has no GNU build id; link with --build-id");
}

Result<DynamicNeeds> kiln::readDynamicNeeds(ByteView elf,
                                            const std::string &what) {
  constexpr uint32_t loadSegment = 1, dynamicSegment = 2;
  constexpr uint64_t end = 0, needed = 1, strings = 5, runPath = 29;
  auto segments = readSegments(elf, what);
  if (!segments)
    return segments.takeError();
  std::vector<std::pair<uint64_t, uint64_t>> entries;
  uint64_t stringsAddress = 0;
  for (const Segment &segment : *segments) {
    if (segment.type != dynamicSegment)
      continue;
    ByteReader reader(elf.slice(segment.offset, segment.size));
    while (reader.remaining() >= 16) {
      uint64_t tag = reader.u64(), value = reader.u64();
      if (tag == end)
        break;
      if (tag == strings)
        stringsAddress = value;
      else if (tag == needed || tag == runPath)
        entries.emplace_back(tag, value);
    }
  }
  ByteView table;
  for (const Segment &segment : *segments)
    if (segment.type == loadSegment && stringsAddress >= segment.address &&
        stringsAddress - segment.address < segment.size)
      table = elf.slice(segment.offset, segment.size)
                  .slice(stringsAddress - segment.address, segment.size);
  DynamicNeeds needs;
  for (auto [tag, offset] : entries) {
    std::string_view text = table.slice(offset, table.size()).text();
    size_t zero = text.find('\0');
    if (zero == std::string_view::npos)
      return Error::malformed("'" + what + "' has names past its end");
    std::string name(text.substr(0, zero));
    if (tag == needed) {
      needs.needed.push_back(std::move(name));
      continue;
    }
    for (size_t begin = 0; begin <= name.size();) {
      size_t colon = std::min(name.find(':', begin), name.size());
      if (colon > begin)
        needs.folders.push_back(name.substr(begin, colon - begin));
      begin = colon + 1;
    }
  }
  return needs;
}

Result<DynamicNeeds> kiln::readDynamicNeeds(const std::string &path) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  return readDynamicNeeds(bytes->view(), path);
}

Result<std::string> kiln::readBuildId(const std::string &path) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  return readBuildId(bytes->view(), path);
}
