//===- ZipBuilder.h - Zip files for tests -----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_ARCHIVE_ZIPBUILDER_H
#define KILN_UNITTESTS_ARCHIVE_ZIPBUILDER_H

#include "kiln/Archive/ZipFile.h"
#include "kiln/Base/Crc32.h"

#include <string>
#include <vector>

namespace kiln::archive {

/// Writes stored members as Python's zipfile does: sizes in local headers, and
/// a zip64 record where the members are too many for the plain one.
class ZipBuilder {
public:
  uint16_t method = 0;
  uint16_t flags = 0;
  bool wrongCrc = false;

  ZipBuilder &add(const std::string &name, const std::string &data) {
    ByteWriter out(file_);
    uint32_t offset = static_cast<uint32_t>(file_.size());
    uint32_t crc = crc32(ByteView(data)) ^ (wrongCrc ? 1u : 0u);
    uint32_t size = static_cast<uint32_t>(data.size());
    uint16_t length = static_cast<uint16_t>(name.size());
    out.u32(0x04034b50);
    out.u16(20);
    out.u16(flags);
    out.u16(method);
    out.u32(0);
    out.u32(crc);
    out.u32(size);
    out.u32(size);
    out.u16(length);
    out.u16(0);
    out.text(name);
    out.text(data);
    ByteWriter entry(directory_);
    entry.u32(0x02014b50);
    entry.u32(0x00140014);
    entry.u16(flags);
    entry.u16(method);
    entry.u32(0);
    entry.u32(crc);
    entry.u32(size);
    entry.u32(size);
    entry.u16(length);
    entry.u32(0);
    entry.u16(0);
    entry.u16(0);
    entry.u32(0);
    entry.u32(offset);
    entry.text(name);
    ++count_;
    return *this;
  }

  std::string build() const {
    std::vector<uint8_t> bytes = file_;
    ByteWriter out(bytes);
    uint32_t offset = static_cast<uint32_t>(bytes.size());
    out.bytes(directory_);
    bool is64 = count_ >= 0xffff;
    if (is64) {
      uint64_t record = bytes.size();
      out.u32(0x06064b50);
      out.u64(44);
      out.u32(0x002d002d);
      out.u64(0);
      out.u64(count_);
      out.u64(count_);
      out.u64(directory_.size());
      out.u64(offset);
      out.u32(0x07064b50);
      out.u32(0);
      out.u64(record);
      out.u32(1);
    }
    uint16_t count = is64 ? 0xffff : static_cast<uint16_t>(count_);
    out.u32(0x06054b50);
    out.u32(0);
    out.u16(count);
    out.u16(count);
    out.u32(static_cast<uint32_t>(directory_.size()));
    out.u32(offset);
    out.u16(0);
    return std::string(bytes.begin(), bytes.end());
  }

private:
  std::vector<uint8_t> file_;
  std::vector<uint8_t> directory_;
  uint64_t count_ = 0;
};

} // namespace kiln::archive

#endif // KILN_UNITTESTS_ARCHIVE_ZIPBUILDER_H
