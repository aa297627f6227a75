//===- ZipFileTest.cpp - Reading zip archives ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveTestSupport.h"

using namespace kiln;
using namespace kiln::archive;

static Result<ZipFile> parseZip(std::string bytes) {
  return ZipFile::parse(SharedBytes::own(std::move(bytes)), "test.zip");
}

TEST(ZipFile, MembersAreViews) {
  auto zip = parseZip(ZipBuilder().add("r/a", "first").add("r/b", "").build());
  ASSERT_TRUE(zip) << zip.error().message;
  ASSERT_EQ(zip->members().size(), 2u);
  auto a = zip->read(*zip->find("r/a"));
  ASSERT_TRUE(a);
  EXPECT_EQ(a->text(), "first");
  EXPECT_TRUE(zip->read(*zip->find("r/b"))->empty());
  EXPECT_EQ(zip->find("r/c"), nullptr);
}

TEST(ZipFile, ViewsOutliveTheArchive) {
  SharedBytes kept;
  {
    auto zip = parseZip(ZipBuilder().add("a", std::string(100, 'x')).build());
    kept = *zip->read(*zip->find("a"));
  }
  EXPECT_EQ(kept.text(), std::string(100, 'x'));
}

TEST(ZipFile, RefusesHarmfulNames) {
  for (const char *name : {"../a", "a/../b", "/a", "a\\b", ""})
    expectError(parseZip(ZipBuilder().add(name, "x").build()),
                ErrorKind::Malformed, {"test.zip", "name"});
}

TEST(ZipFile, RefusesDoubledMembers) {
  expectError(parseZip(ZipBuilder().add("a", "x").add("a", "y").build()),
              ErrorKind::Malformed, {"'a'", "twice"});
}

TEST(ZipFile, LimitsTheNumberOfMembers) {
  ZipBuilder builder;
  for (size_t i = 0; i < ZipFile::kMaxMembers; ++i)
    builder.add(std::to_string(i), "");
  auto most = parseZip(builder.build());
  ASSERT_TRUE(most) << most.error().message;
  EXPECT_EQ(most->members().size(), ZipFile::kMaxMembers);
  expectError(parseZip(builder.add("one more", "").build()), ErrorKind::Malformed,
              {"has 65537 members, expected at most 65536"});
}

TEST(ZipFile, ComparesTheCrcWhenAMemberIsRead) {
  ZipBuilder builder;
  builder.wrongCrc = true;
  auto zip = parseZip(builder.add("a", "x").build());
  ASSERT_TRUE(zip);
  EXPECT_TRUE(zip->view(*zip->find("a")));
  expectError(zip->read(*zip->find("a")), ErrorKind::Malformed,
              {"'a'", "crc"});
}

TEST(ZipFile, ListsCompressedMembersButDoesNotReadThem) {
  ZipBuilder builder;
  builder.method = 8;
  auto zip = parseZip(builder.add("a", "x").build());
  ASSERT_TRUE(zip);
  expectError(zip->read(*zip->find("a")), ErrorKind::Unsupported,
              {"compressed"});
}

TEST(ZipFile, RefusesEncryptedMembers) {
  ZipBuilder builder;
  builder.flags = 1;
  expectError(parseZip(builder.add("a", "x").build()), ErrorKind::Unsupported,
              {"encrypted"});
}

TEST(ZipFile, RefusesOverlappingMembers) {
  std::string bytes =
      ZipBuilder().add("a", "xxxx").add("b", "yyyy").build();
  // Let the second entry of the directory point at the first member, whose
  // name it then contradicts.
  size_t entry = bytes.rfind("PK\x01\x02");
  bytes[entry + 42] = 0;
  EXPECT_FALSE(parseZip(bytes));
}

TEST(ZipFile, RefusesWhatIsNoZip) {
  expectError(parseZip("hello"), ErrorKind::Malformed, {"not a zip"});
  expectError(parseZip(std::string(1000, 'x')), ErrorKind::Malformed,
              {"end record"});
}

TEST(ZipFile, EveryCutIsAnError) {
  std::string bytes =
      ZipBuilder().add("r/a", "first").add("r/b", "second").build();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parseZip(bytes.substr(0, size))) << size;
}

TEST(ZipFile, NoFlippedBitGivesOtherContents) {
  std::string bytes =
      ZipBuilder().add("r/a", "first").add("r/b", "second").build();
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    auto zip = parseZip(flipped);
    if (!zip)
      continue;
    if (const ZipMember *member = zip->find("r/a"))
      if (auto data = zip->read(*member))
        EXPECT_EQ(data->text(), "first");
  }
}
