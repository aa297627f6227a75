//===- FileSystemTest.cpp - Mapping, reading and writing files -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/DynamicNeeds.h"

#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <sys/stat.h>

using namespace kiln;

namespace {

/// A folder of its own for each test.
class FileSystem : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/kiln-base-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string &name) { return folder_ + "/" + name; }

  std::string folder_;
};

/// The bytes in memory of the mapping that begins at `address`; -1 if none
/// does.
int64_t residentBytes(const void *address) {
  std::ifstream maps("/proc/self/smaps");
  std::ostringstream begin;
  begin << std::hex << reinterpret_cast<uintptr_t>(address) << '-';
  bool isMapping = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.rfind(begin.str(), 0) == 0)
      isMapping = true;
    else if (isMapping && line.rfind("Rss:", 0) == 0)
      return std::stoll(line.substr(4)) * 1024;
  }
  return -1;
}

/// A minimal ELF file with one note segment.
std::vector<uint8_t> makeElf(std::string_view noteName, uint32_t noteType) {
  std::vector<uint8_t> bytes;
  ByteWriter out(bytes);
  out.text(std::string_view("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16));
  while (out.position() < 32)
    out.u8(0);
  out.u64(64); // program headers
  while (out.position() < 54)
    out.u8(0);
  out.u16(56); // entry size
  out.u16(1);  // entries
  while (out.position() < 64)
    out.u8(0);
  out.u32(4); // PT_NOTE
  out.u32(4);
  out.u64(120); // offset
  out.u64(0);
  out.u64(0);
  out.u64(12 + 4 + 4); // size
  out.u64(0);
  out.u64(4); // alignment
  out.u32(4); // name size
  out.u32(4); // value size
  out.u32(noteType);
  out.text(noteName);
  out.u32(0xefbeadde);
  return bytes;
}

} // namespace

TEST_F(FileSystem, RefusesFilesOverTheLimit) {
  ASSERT_TRUE(writeFile(path("a"), std::string_view("12345")));
  EXPECT_TRUE(readFile(path("a"), 5));
  auto tooLarge = readFile(path("a"), 4);
  ASSERT_FALSE(tooLarge);
  EXPECT_EQ(tooLarge.error().kind, ErrorKind::Malformed);
}

TEST_F(FileSystem, MappingOutlivesTheFile) {
  ASSERT_TRUE(writeFile(path("a"), std::string_view("mapped")));
  auto mapped = mapFile(path("a"));
  ASSERT_TRUE(mapped);
  std::filesystem::remove(path("a"));
  EXPECT_EQ(mapped->text(), "mapped");
}

TEST_F(FileSystem, EmptyFilesMapToNothing) {
  ASSERT_TRUE(writeFile(path("a"), ByteView()));
  auto mapped = mapFile(path("a"));
  ASSERT_TRUE(mapped);
  EXPECT_TRUE(mapped->empty());
}

TEST_F(FileSystem, ReleasedPagesAreReadAgain) {
  std::string content(64 * 4096, 'a');
  ASSERT_TRUE(writeFile(path("a"), std::string_view(content)));
  auto mapped = mapFile(path("a"));
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->text(), content);
  EXPECT_EQ(residentBytes(mapped->data()), 64 * 4096);
  // A part, as a weight is of an archive: only its whole pages go.
  SharedBytes part = mapped->slice(100, 3 * 4096);
  EXPECT_TRUE(releasePages(part.view(), part.owner()));
  EXPECT_EQ(residentBytes(mapped->data()), 62 * 4096);
  EXPECT_TRUE(releasePages(mapped->view(), mapped->owner()));
  EXPECT_EQ(residentBytes(mapped->data()), 0);
  EXPECT_EQ(mapped->text(), content);
}

TEST_F(FileSystem, MemoryThatIsNoFileIsKept) {
  std::string content(64 * 4096, 'a');
  SharedBytes own = SharedBytes::own(content);
  EXPECT_FALSE(releasePages(own.view(), own.owner()));
  EXPECT_FALSE(releasePages(own.view(), nullptr));
  EXPECT_EQ(own.text(), content);
}

TEST_F(FileSystem, RefusesWhatIsNoRegularFile) {
  EXPECT_EQ(mapFile(path("missing")).error().kind, ErrorKind::Io);
  EXPECT_EQ(mapFile(folder_).error().kind, ErrorKind::Io);
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  // A FIFO without a writer must not block.
  EXPECT_EQ(readFile(path("fifo")).error().kind, ErrorKind::Io);
}

TEST_F(FileSystem, IdentityChangesWithTheContents) {
  ASSERT_TRUE(writeFile(path("a"), std::string_view("1")));
  auto before = fileIdentity(path("a"));
  ASSERT_TRUE(writeFile(path("a"), std::string_view("2")));
  auto after = fileIdentity(path("a"));
  ASSERT_TRUE(before && after);
  EXPECT_FALSE(*before == *after);
}

TEST(BuildId, ReadsTheGnuNote) {
  auto id = readBuildId(makeElf(std::string_view("GNU\0", 4), 3), "x");
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, "deadbeef");
}

TEST(BuildId, OtherNotesAreNoBuildId) {
  auto id = readBuildId(makeElf(std::string_view("XYZ\0", 4), 3), "x");
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().kind, ErrorKind::Unsupported);
}

TEST(BuildId, NoByteOfADamagedFileIsTrusted) {
  std::vector<uint8_t> elf = makeElf(std::string_view("GNU\0", 4), 3);
  for (size_t size = 0; size < elf.size(); ++size) {
    auto id = readBuildId(ByteView(elf.data(), size), "x");
    EXPECT_FALSE(id) << "cut to " << size << " bytes";
  }
  for (size_t i = 0; i < elf.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<uint8_t> flipped = elf;
      flipped[i] ^= static_cast<uint8_t>(1 << bit);
      if (auto id = readBuildId(flipped, "x"))
        EXPECT_LE(id->size(), 128u);
    }
}

TEST(DynamicNeeds, SaysWhatThisProgramNeeds) {
  auto needs = readDynamicNeeds("/proc/self/exe");
  ASSERT_TRUE(bool(needs)) << needs.error().message;
  EXPECT_NE(std::find(needs->needed.begin(), needs->needed.end(), "libc.so.6"),
            needs->needed.end());
  EXPECT_FALSE(needs->folders.empty());
}

TEST(DynamicNeeds, AnyBytesGiveNamesOrAnError) {
  auto whole = readFile("/proc/self/exe", uint64_t(1) << 30);
  ASSERT_TRUE(bool(whole));
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    // Headers and the first pages, where the tables are.
    std::vector<uint8_t> bytes(whole->begin(),
                               whole->begin() + long(random() % whole->size()));
    for (int k = 0; k < 4 && !bytes.empty(); ++k)
      bytes[random() % std::min<size_t>(bytes.size(), 1024)] =
          uint8_t(random());
    (void)readDynamicNeeds(bytes, "bytes");
    (void)readBuildId(bytes, "bytes");
  }
}
