//===- CacheEntryTest.cpp -------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheEntry.h"

#include <gtest/gtest.h>
#include <random>

using namespace kiln;
using namespace kiln::cache;

namespace {
class CacheEntryTest : public ::testing::Test {
protected:
  CacheEntryTest() {
    // Half compressible, half not, and above the compression threshold.
    std::mt19937 random(7);
    payload.resize(12000, 0x55);
    for (size_t i = 0; i < payload.size() / 2; ++i)
      payload[i] = static_cast<uint8_t>(random());
    info.nativeCode = true;
    info.compileTimeMicros = 1234;
  }

  DecodedEntry decode(const std::vector<uint8_t> &bytes) const {
    return decodeEntry(bytes, key, environment);
  }

  Digest key = sha256(std::string_view("key"));
  Digest environment = sha256(std::string_view("environment"));
  EntryInfo info;
  std::vector<uint8_t> payload;
};
} // namespace

TEST_F(CacheEntryTest, RoundTrip) {
  auto bytes = encodeEntry(key, environment, info, payload);
  EXPECT_LT(bytes.size(), payload.size());
  DecodedEntry entry = decode(bytes);
  EXPECT_EQ(entry.fault, EntryFault::None) << entry.reason;
  EXPECT_EQ(entry.payload, payload);
  EXPECT_TRUE(entry.info.nativeCode);
  EXPECT_EQ(entry.info.compileTimeMicros, 1234u);
}

TEST_F(CacheEntryTest, SmallAndEmptyPayloads) {
  for (size_t size : {0u, 1u, 4096u}) {
    std::vector<uint8_t> small(size, 1);
    DecodedEntry entry = decode(encodeEntry(key, environment, info, small));
    EXPECT_EQ(entry.fault, EntryFault::None) << entry.reason;
    EXPECT_EQ(entry.payload, small);
  }
}

TEST_F(CacheEntryTest, EveryFlippedBitIsRefused) {
  auto bytes = encodeEntry(key, environment, info, payload);
  std::mt19937 random(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint8_t bit = uint8_t(1) << (random() % 8);
    bytes[i] ^= bit;
    EXPECT_NE(decode(bytes).fault, EntryFault::None) << "byte " << i;
    bytes[i] ^= bit;
  }
}

TEST_F(CacheEntryTest, EveryTruncationAndExtensionIsRefused) {
  auto bytes = encodeEntry(key, environment, info, payload);
  for (size_t size = 0; size < bytes.size(); size += size < 600 ? 1 : 64) {
    std::vector<uint8_t> shorter(bytes.begin(), bytes.begin() + size);
    EXPECT_EQ(decode(shorter).fault, EntryFault::Corrupt) << size;
  }
  bytes.push_back(0);
  EXPECT_EQ(decode(bytes).fault, EntryFault::Corrupt);
}

TEST_F(CacheEntryTest, EntryOfAnotherKeyOrMachineIsRefused) {
  auto bytes = encodeEntry(key, environment, info, payload);
  Digest other = sha256(std::string_view("other"));
  EXPECT_EQ(decodeEntry(bytes, other, environment).fault,
            EntryFault::WrongKey);
  EXPECT_EQ(decodeEntry(bytes, key, other).fault,
            EntryFault::ForeignEnvironment);
}
