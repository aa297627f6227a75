//===- BytesTest.cpp - Byte ranges, bounded readers, writers -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/Bytes.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Base/DType.h"
#include "kiln/Base/Digest.h"
#include "kiln/Base/Log.h"

#include <gtest/gtest.h>

using namespace kiln;

TEST(Bytes, WriterAndReaderAgree) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u8(1);
  writer.u16(0x0203);
  writer.u32(0x04050607);
  writer.u64(0x08090a0b0c0d0e0full);
  writer.i64(-5);
  writer.f64(-0.5);
  writer.text("abc");
  writer.align(8);
  writer.patchU32(3, 7);
  EXPECT_EQ(bytes.size() % 8, 0u);
  EXPECT_EQ(bytes[1], 3); // little-endian
  ByteReader reader{ByteView(bytes)};
  EXPECT_EQ(reader.u8(), 1);
  EXPECT_EQ(reader.u16(), 0x0203);
  EXPECT_EQ(reader.u32(), 7u);
  EXPECT_EQ(reader.u64(), 0x08090a0b0c0d0e0full);
  EXPECT_EQ(reader.i64(), -5);
  EXPECT_EQ(reader.f64(), -0.5);
  EXPECT_EQ(reader.text(3), "abc");
  EXPECT_TRUE(reader.ok());
}

TEST(Bytes, ReaderErrorIsSticky) {
  std::vector<uint8_t> bytes = {1, 2, 3};
  ByteReader reader{ByteView(bytes)};
  EXPECT_EQ(reader.u32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0u) << "nothing is read after a failure";
  Status status = reader.status("header");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Malformed);
  EXPECT_NE(status.error().message.find("header"), std::string::npos);
}

TEST(Bytes, SlicesNeverLeaveTheView) {
  ByteView view(std::string_view("hello"));
  EXPECT_EQ(view.slice(1, 3).text(), "ell");
  EXPECT_EQ(view.slice(3, ~uint64_t(0)).text(), "lo");
  EXPECT_TRUE(view.slice(9, 1).empty());
  EXPECT_FALSE(view.contains(2, ~uint64_t(0)));
  EXPECT_TRUE(view.contains(5, 0));
}

TEST(Bytes, SharedBytesKeepTheirOwner) {
  SharedBytes tail;
  {
    SharedBytes all = SharedBytes::own(std::string(1000, 'x') + "end");
    tail = all.slice(1000, 3);
  }
  EXPECT_EQ(tail.text(), "end");
}

TEST(Digest, MatchesPublishedVectors) {
  EXPECT_EQ(sha256(ByteView()).hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4"
                                      "649b934ca495991b7852b855");
  EXPECT_EQ(sha256(std::string_view("abc")).hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, PiecesEqualTheWhole) {
  Hasher pieces;
  pieces.add(std::string_view("a"));
  pieces.add(ByteView());
  pieces.add(std::string_view("bc"));
  EXPECT_EQ(pieces.finish(), sha256(std::string_view("abc")));
}

TEST(Digest, PartsDoNotRunTogether) {
  Hasher first, second;
  first.addPart("k", std::string_view("ab"));
  first.addPart("k", std::string_view("c"));
  second.addPart("k", std::string_view("a"));
  second.addPart("k", std::string_view("bc"));
  EXPECT_NE(first.finish(), second.finish());
}

TEST(Digest, HexRoundTrips) {
  Digest digest = sha256(std::string_view("x"));
  EXPECT_EQ(Digest::fromHex(digest.hex()), digest);
  EXPECT_FALSE(Digest::fromHex("12"));
  EXPECT_FALSE(Digest::fromHex(std::string(64, 'G')));
}

TEST(DType, NamesRoundTrip) {
  for (int code = 1; code <= 20; ++code) {
    DType dtype = static_cast<DType>(code);
    EXPECT_EQ(parseDType(dtypeName(dtype)), dtype);
    EXPECT_GT(itemSize(dtype), 0u);
    EXPECT_LE(isFloat(dtype) + isInteger(dtype) + isComplex(dtype), 1);
  }
  EXPECT_EQ(parseDType("torch.int64"), DType::I64);
  EXPECT_EQ(parseDType("b8"), DType::Bool);
  EXPECT_EQ(parseDType("float17"), std::nullopt);
  EXPECT_EQ(itemSize(DType::C128), 16u);
  EXPECT_FALSE(isInteger(DType::Bool));
}

TEST(CheckedMath, CountsElements) {
  EXPECT_EQ(*elementCount({}), 1);
  EXPECT_EQ(*elementCount({2, 3}), 6);
  // A size of zero wins over factors that would overflow on their own.
  EXPECT_EQ(*elementCount({int64_t(1) << 40, int64_t(1) << 40, 0}), 0);
  EXPECT_FALSE(elementCount({int64_t(1) << 40, int64_t(1) << 40}));
  EXPECT_FALSE(elementCount({-1}));
  EXPECT_FALSE(elementCount(std::vector<int64_t>(65, 1)));
  EXPECT_EQ(*byteCount(DType::F32, {3}), 12);
  EXPECT_FALSE(byteCount(DType::F64, {int64_t(1) << 46}));
}

TEST(CheckedMath, StorageExtentFollowsStrides) {
  // Offset 3, stride 3, ten elements of four bytes: 3 + 27 + 1 elements.
  EXPECT_EQ(*storageExtent(DType::F32, {10}, {3}, 3), 124);
  EXPECT_EQ(*storageExtent(DType::F32, {10}, {0}, 0), 4);
  EXPECT_EQ(*storageExtent(DType::F32, {0}, {3}, 99), 0);
  EXPECT_EQ(*storageExtent(DType::F32, {}, {}, 2), 12);
  EXPECT_FALSE(storageExtent(DType::F32, {2}, {-1}, 0));
  EXPECT_FALSE(storageExtent(DType::F32, {2}, {INT64_MAX}, INT64_MAX));
  EXPECT_FALSE(storageExtent(DType::F32, {2}, {}, 0));
}

TEST(Log, ShowsWarningsUntilConfigured) {
  std::vector<std::string> lines;
  log::setSink([&](std::string_view category, log::Level, std::string_view s) {
    lines.push_back(std::string(category) + ":" + std::string(s));
  });
  log::write("fusion", log::Level::Info, "hidden");
  log::write("fusion", log::Level::Warning, "shown");
  ASSERT_TRUE(log::configure("+fusion,-guards"));
  EXPECT_TRUE(log::isEnabled("fusion", log::Level::Debug));
  EXPECT_FALSE(log::isEnabled("guards", log::Level::Warning));
  log::write("fusion", log::Level::Debug, "debug");
  Status bad = log::configure("nonsense");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::Usage);
  // A list that is meant for others, too.
  std::vector<std::string> others;
  ASSERT_TRUE(log::configure("+dynamo,guards,-torch._inductor", &others));
  EXPECT_EQ(others, (std::vector<std::string>{"dynamo", "torch._inductor"}));
  EXPECT_TRUE(log::isEnabled("guards", log::Level::Info));
  ASSERT_TRUE(log::configure(""));
  log::setSink(nullptr);
  EXPECT_EQ(lines,
            (std::vector<std::string>{"fusion:shown", "fusion:debug"}));
}
