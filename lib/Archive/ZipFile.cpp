//===- ZipFile.cpp - Stored members of a zip, mapped read-only -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout: members (local header, data, perhaps a data descriptor), central
// directory, perhaps ZIP64 end record and locator, end record. Local headers
// written by PyTorch carry no sizes (flag bit 3), so sizes and CRC come from
// the central directory; where a local header does carry them they must agree.
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/ZipFile.h"

#include "kiln/Base/Crc32.h"
#include "kiln/Base/FileSystem.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::archive;

namespace {

constexpr uint32_t localSignature = 0x04034b50;
constexpr uint32_t centralSignature = 0x02014b50;
constexpr uint32_t endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50;
constexpr uint32_t locator64Signature = 0x07064b50;
constexpr uint64_t endSize = 22;
constexpr uint64_t locator64Size = 20;
constexpr uint64_t localSize = 30;

/// Where the central directory lies.
struct Directory {
  uint64_t count = 0;
  uint64_t size = 0;
  uint64_t offset = 0;
  uint64_t limit = 0; ///< start of the end records
};

} // namespace

/// Finds the end record: the last one whose comment ends with the file.
static Result<uint64_t> findEnd(ByteView file) {
  if (file.size() < endSize)
    return Error::malformed("is not a zip archive: only " +
                            std::to_string(file.size()) + " bytes");
  uint64_t last = file.size() - endSize;
  uint64_t first = last > 65535 ? last - 65535 : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    if (file[at] != 'P' || file[at + 1] != 'K')
      continue;
    ByteReader reader(file.slice(at, endSize));
    if (reader.u32() != endSignature)
      continue;
    reader.skip(16);
    if (at + endSize + reader.u16() == file.size())
      return at;
  }
  return Error::malformed(
      "is not a zip archive or is cut short: no end record found");
}

static Result<Directory> findDirectory(ByteView file) {
  auto end = findEnd(file);
  if (!end)
    return end.takeError();
  ByteReader reader(file.slice(*end, endSize));
  reader.skip(4);
  uint32_t disk = reader.u16(), directoryDisk = reader.u16();
  uint64_t here = reader.u16();
  Directory directory;
  directory.count = reader.u16();
  directory.size = reader.u32();
  directory.offset = reader.u32();
  directory.limit = *end;
  bool is64 = false;
  if (*end >= locator64Size) {
    ByteReader locator(file.slice(*end - locator64Size, locator64Size));
    is64 = locator.u32() == locator64Signature;
    uint32_t endDisk = locator.u32();
    uint64_t offset = locator.u64();
    uint32_t disks = locator.u32();
    if (is64) {
      if (endDisk != 0 || disks > 1)
        return Error::unsupported("is a zip archive of several volumes");
      if (offset > *end - locator64Size || !file.contains(offset, 56))
        return Error::malformed("zip64 end record lies past the file's end");
      ByteReader record(file.slice(offset, 56));
      if (record.u32() != end64Signature)
        return Error::malformed("zip64 end record has no signature");
      record.skip(12);
      disk = record.u32();
      directoryDisk = record.u32();
      here = record.u64();
      directory.count = record.u64();
      directory.size = record.u64();
      directory.offset = record.u64();
      directory.limit = offset;
    }
  }
  if (!is64 && (directory.count == 0xffff || directory.size == 0xffffffff ||
                directory.offset == 0xffffffff))
    return Error::malformed("zip64 end record is missing");
  if (disk != 0 || directoryDisk != 0 || here != directory.count)
    return Error::unsupported("is a zip archive of several volumes");
  if (directory.count > ZipFile::kMaxMembers)
    return Error::malformed("has " + std::to_string(directory.count) +
                            " members, expected at most " +
                            std::to_string(ZipFile::kMaxMembers));
  if (directory.offset > directory.limit ||
      directory.size != directory.limit - directory.offset)
    return Error::malformed("central directory at byte " +
                            std::to_string(directory.offset) +
                            " does not end at the end record");
  return directory;
}

/// Names never become paths here, but they are printed and compared.
static Status checkName(std::string_view name) {
  std::string shown = "'" + std::string(name.substr(0, 200)) + "'";
  if (name.empty())
    return Error::malformed("member without a name");
  if (name[0] == '/' || name.find('\\') != std::string_view::npos ||
      name.find('\0') != std::string_view::npos)
    return Error::malformed("member name " + shown +
                            " is absolute or holds a backslash or zero byte");
  for (size_t start = 0; start <= name.size();) {
    size_t end = std::min(name.find('/', start), name.size());
    if (name.substr(start, end - start) == "..")
      return Error::malformed("member name " + shown + " holds '..'");
    start = end + 1;
  }
  return Status::success();
}

Result<ZipFile> ZipFile::open(const std::string &path) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  return parse(std::move(*bytes), "'" + path + "'");
}

Result<ZipFile> ZipFile::parse(SharedBytes bytes, std::string name) {
  ZipFile zip;
  zip.bytes_ = std::move(bytes);
  zip.name_ = std::move(name);
  if (auto status = zip.readDirectory(); !status)
    return status.takeError().withContext(zip.name_);
  return zip;
}

Status ZipFile::readDirectory() {
  auto directory = findDirectory(bytes_.view());
  if (!directory)
    return directory.takeError();
  // 46 bytes is the least that one entry takes.
  if (directory->count > directory->size / 46)
    return Error::malformed("central directory is too small for " +
                            std::to_string(directory->count) + " members");
  members_.reserve(directory->count);
  ByteReader reader(
      bytes_.view().slice(directory->offset, directory->size));
  for (uint64_t i = 0; i < directory->count; ++i)
    if (auto status = addMember(reader, directory->offset); !status)
      return status;
  if (!reader.atEnd())
    return Error::malformed("central directory is longer than its members");
  if (auto status = checkOverlap(directory->offset); !status)
    return status;
  index_.reserve(members_.size());
  for (size_t i = 0; i < members_.size(); ++i)
    if (!index_.emplace(members_[i].name, i).second)
      return Error::malformed("member '" + members_[i].name +
                              "' occurs twice");
  checked_.resize(members_.size());
  return Status::success();
}

/// Takes 64-bit values from the extra field (id 1) where the entry says so.
static bool readZip64(ByteView extra, uint64_t &size, uint64_t &compressed,
                      uint64_t &offset) {
  ByteReader fields(extra);
  while (fields.remaining() >= 4) {
    uint16_t id = fields.u16();
    uint16_t length = fields.u16();
    ByteReader field(fields.bytes(length));
    if (!fields.ok())
      return false;
    if (id != 1)
      continue;
    if (size == 0xffffffff)
      size = field.u64();
    if (compressed == 0xffffffff)
      compressed = field.u64();
    if (offset == 0xffffffff)
      offset = field.u64();
    return field.ok();
  }
  return true;
}

Status ZipFile::addMember(ByteReader &directory, uint64_t directoryStart) {
  uint32_t signature = directory.u32();
  directory.skip(4); // versions
  uint16_t flags = directory.u16();
  uint16_t method = directory.u16();
  directory.skip(4); // time and date
  uint32_t crc = directory.u32();
  uint64_t compressed = directory.u32();
  uint64_t size = directory.u32();
  uint16_t nameLength = directory.u16();
  uint16_t extraLength = directory.u16();
  uint16_t commentLength = directory.u16();
  uint16_t disk = directory.u16();
  directory.skip(2); // internal attributes
  uint32_t attributes = directory.u32();
  uint64_t header = directory.u32();
  std::string_view name = directory.text(nameLength);
  ByteView extra = directory.bytes(extraLength);
  directory.skip(commentLength);
  if (!directory.ok() || signature != centralSignature)
    return Error::malformed("entry " + std::to_string(members_.size()) +
                            " of the central directory is damaged");
  if (auto status = checkName(name); !status)
    return status;
  std::string shown = "member '" + std::string(name) + "'";
  if (!readZip64(extra, size, compressed, header))
    return Error::malformed(shown + " has a damaged zip64 field");
  if (flags & 0x41)
    return Error::unsupported(shown + " is encrypted");
  if (disk != 0)
    return Error::unsupported(shown + " is on another volume");
  if (((attributes >> 16) & 0170000) == 0120000)
    return Error::malformed(shown + " is a symbolic link");
  if (method == 0 && size != compressed)
    return Error::malformed(shown + " is stored but has two sizes");
  ByteView file = bytes_.view();
  if (header > directoryStart || directoryStart - header < localSize)
    return Error::malformed(shown + " lies past the file's end");
  ByteReader local(file.slice(header, directoryStart - header));
  uint32_t localSign = local.u32();
  local.skip(2);
  uint16_t localFlags = local.u16();
  uint16_t localMethod = local.u16();
  local.skip(4);
  uint32_t localCrc = local.u32();
  uint64_t localCompressed = local.u32();
  uint64_t localUncompressed = local.u32();
  uint16_t localNameLength = local.u16();
  uint16_t localExtraLength = local.u16();
  std::string_view localName = local.text(localNameLength);
  ByteView localExtra = local.bytes(localExtraLength);
  if (!local.ok() || localSign != localSignature)
    return Error::malformed(shown + " has a damaged local header");
  uint64_t ignored = 0;
  if (!readZip64(localExtra, localUncompressed, localCompressed, ignored))
    localUncompressed = ~uint64_t(0);
  bool hasDescriptor = localFlags & 8;
  if (localName != name || localMethod != method || (localFlags & 0x41) ||
      (!hasDescriptor && (localCrc != crc || localUncompressed != size ||
                          localCompressed != compressed)))
    return Error::malformed(shown +
                            " has a local header that contradicts the central "
                            "directory");
  if (compressed > local.remaining())
    return Error::malformed(shown + " of " + std::to_string(compressed) +
                            " bytes lies past the file's end");
  uint64_t data = header + local.position();
  ranges_.emplace_back(header, data + compressed);
  if (name.back() == '/') {
    if (size != 0)
      return Error::malformed(shown + " is a folder with contents");
    return Status::success();
  }
  members_.push_back({std::string(name), size, crc, data, method == 0});
  return Status::success();
}

Status ZipFile::checkOverlap(uint64_t directoryStart) {
  std::sort(ranges_.begin(), ranges_.end());
  uint64_t end = 0;
  for (const auto &range : ranges_) {
    if (range.first < end)
      return Error::malformed("two members overlap at byte " +
                              std::to_string(range.first));
    end = range.second;
  }
  if (end > directoryStart)
    return Error::malformed("a member overlaps the central directory");
  ranges_.clear();
  ranges_.shrink_to_fit();
  return Status::success();
}

const ZipMember *ZipFile::find(std::string_view name) const {
  auto it = index_.find(name);
  return it == index_.end() ? nullptr : &members_[it->second];
}

Result<SharedBytes> ZipFile::view(const ZipMember &member) const {
  if (!member.isStored)
    return Error::unsupported(name_ + ": member '" + member.name +
                              "' is compressed, expected stored members");
  return bytes_.slice(member.dataOffset, member.size);
}

Result<SharedBytes> ZipFile::read(const ZipMember &member) {
  auto bytes = view(member);
  if (!bytes)
    return bytes;
  size_t index = static_cast<size_t>(&member - members_.data());
  if (checked_[index])
    return bytes;
  uint32_t found = crc32(bytes->view());
  if (found != member.crc)
    return Error::malformed(name_ + ": member '" + member.name +
                            "' is damaged: its crc does not match");
  checked_[index] = true;
  return bytes;
}
