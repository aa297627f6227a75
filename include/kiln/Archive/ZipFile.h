//===- ZipFile.h - Stored members of a zip, mapped read-only -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch stores everything uncompressed, so a member is a range of the mapped
// file. The central directory is checked once when a file is opened: offsets
// inside of the file, no overlap, unique and harmless names, nothing encrypted,
// local headers that agree. ZIP64 is understood. A member's CRC is compared
// when it is used first. Compressed members are listed, since foreign files are
// told apart by their names, but reading one is an Unsupported error.
//
// Example:
//
//   auto zip = ZipFile::open("train.pt2");
//   if (const ZipMember *member = zip->find("train/models/model.json"))
//     auto json = zip->read(*member); // a view, keeps the mapping alive
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_ZIPFILE_H
#define KILN_ARCHIVE_ZIPFILE_H

#include "kiln/Base/Bytes.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace kiln::archive {

struct ZipMember {
  std::string name;
  uint64_t size = 0;
  uint32_t crc = 0;
  uint64_t dataOffset = 0; ///< from the start of the file
  bool isStored = true;    ///< false: compressed, cannot be read
};

class ZipFile {
public:
  static constexpr size_t kMaxMembers = 65536;

  /// Maps a file. Io if it cannot be read, otherwise as `parse`.
  static Result<ZipFile> open(const std::string &path);
  /// Reads the directory of a zip in memory; `name` begins messages. Malformed
  /// for damaged files, Unsupported for encrypted members and several volumes.
  static Result<ZipFile> parse(SharedBytes bytes, std::string name);

  ZipFile(ZipFile &&) = default;
  ZipFile &operator=(ZipFile &&) = default;
  ZipFile(const ZipFile &) = delete; // the index refers to the names
  ZipFile &operator=(const ZipFile &) = delete;

  const std::string &name() const { return name_; }
  /// In the order of the central directory, folders left out.
  const std::vector<ZipMember> &members() const { return members_; }
  /// Null if there is none of that name.
  const ZipMember *find(std::string_view name) const;

  /// The bytes of a member, its CRC compared at the first call. Unsupported if
  /// the member is compressed.
  Result<SharedBytes> read(const ZipMember &member);
  /// The bytes without comparing the CRC.
  Result<SharedBytes> view(const ZipMember &member) const;

private:
  ZipFile() = default;
  Status readDirectory();
  Status addMember(ByteReader &directory, uint64_t directoryStart);
  Status checkOverlap(uint64_t directoryStart);

  SharedBytes bytes_;
  std::string name_;
  std::vector<ZipMember> members_;
  std::vector<std::pair<uint64_t, uint64_t>> ranges_; ///< header to data end
  std::unordered_map<std::string_view, size_t> index_;
  std::vector<bool> checked_;
};

} // namespace kiln::archive

#endif // KILN_ARCHIVE_ZIPFILE_H
