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

  std::vector<uint8_t> encode(Authentication method) const {
    return encodeEntry(key, environment, info, payload, {ring, method});
  }

  DecodedEntry decode(const std::vector<uint8_t> &bytes) const {
    return decodeEntry(bytes, key, environment, {ring, Tier::Local});
  }

  Digest key = sha256(std::string_view("key"));
  Digest environment = sha256(std::string_view("environment"));
  EntryInfo info;
  std::vector<uint8_t> payload;
  KeyRing ring{Seed({1, 2, 3}), {}, {}};
};
} // namespace

TEST_F(CacheEntryTest, RoundTrip) {
  auto bytes = encode(Authentication::Hmac);
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
    DecodedEntry entry =
        decode(encodeEntry(key, environment, info, small,
                           {ring, Authentication::Hmac}));
    EXPECT_EQ(entry.fault, EntryFault::None) << entry.reason;
    EXPECT_EQ(entry.payload, small);
  }
}

TEST_F(CacheEntryTest, EveryFlippedBitIsRefused) {
  auto bytes = encode(Authentication::Hmac);
  std::mt19937 random(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint8_t bit = uint8_t(1) << (random() % 8);
    bytes[i] ^= bit;
    EXPECT_NE(decode(bytes).fault, EntryFault::None) << "byte " << i;
    bytes[i] ^= bit;
  }
}

TEST_F(CacheEntryTest, EveryTruncationAndExtensionIsRefused) {
  auto bytes = encode(Authentication::Hmac);
  for (size_t size = 0; size < bytes.size(); size += size < 600 ? 1 : 64) {
    std::vector<uint8_t> shorter(bytes.begin(), bytes.begin() + size);
    EXPECT_EQ(decode(shorter).fault, EntryFault::Corrupt) << size;
  }
  bytes.push_back(0);
  EXPECT_EQ(decode(bytes).fault, EntryFault::Corrupt);
}

TEST_F(CacheEntryTest, EntryOfAnotherKeyOrMachineIsRefused) {
  auto bytes = encode(Authentication::Hmac);
  Digest other = sha256(std::string_view("other"));
  EXPECT_EQ(decodeEntry(bytes, other, environment, {ring, Tier::Local}).fault,
            EntryFault::WrongKey);
  EXPECT_EQ(decodeEntry(bytes, key, other, {ring, Tier::Local}).fault,
            EntryFault::ForeignEnvironment);
}

TEST_F(CacheEntryTest, TheTierDecidesWhatIsBelieved) {
  auto read = [&](Authentication method, Tier tier) {
    return decodeEntry(encode(method), key, environment, {ring, tier})
        .authFault;
  };
  for (Tier tier : {Tier::Local, Tier::Remote, Tier::Artifact}) {
    EXPECT_EQ(read(Authentication::None, tier), AuthFault::Unsigned);
    EXPECT_EQ(read(Authentication::Ed25519, tier), AuthFault::None);
  }
  EXPECT_EQ(read(Authentication::Hmac, Tier::Local), AuthFault::None);
  EXPECT_EQ(read(Authentication::Hmac, Tier::Remote), AuthFault::Method);
  EXPECT_EQ(read(Authentication::Hmac, Tier::Artifact), AuthFault::Method);
}

TEST_F(CacheEntryTest, UnsignedEntriesAreTakenFromARemoteOnlyWhenAllowed) {
  KeyRing lax(Seed({1, 2, 3}), {}, {}, /*allowUnsigned=*/true);
  auto bytes = encode(Authentication::None);
  for (Tier tier : {Tier::Local, Tier::Remote, Tier::Artifact})
    EXPECT_EQ(decodeEntry(bytes, key, environment, {lax, tier}).authFault,
              tier == Tier::Remote ? AuthFault::None : AuthFault::Unsigned);
}

TEST_F(CacheEntryTest, EveryFlippedBitOfASignedEntryIsRefused) {
  payload.resize(100);
  auto bytes = encode(Authentication::Ed25519);
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint8_t bit = uint8_t(1) << (i % 8);
    bytes[i] ^= bit;
    EXPECT_NE(
        decodeEntry(bytes, key, environment, {ring, Tier::Remote}).fault,
        EntryFault::None)
        << "byte " << i;
    bytes[i] ^= bit;
  }
}

TEST_F(CacheEntryTest, AnEntryOfSomebodyElseIsRefusedWithItsKey) {
  KeyRing stranger(Seed({9}), {}, {});
  for (Authentication method :
       {Authentication::Hmac, Authentication::Ed25519}) {
    DecodedEntry entry = decode(
        encodeEntry(key, environment, info, payload, {stranger, method}));
    EXPECT_EQ(entry.fault, EntryFault::Auth);
    EXPECT_EQ(entry.authFault, AuthFault::UnknownKey);
    EXPECT_NE(entry.reason.find("KILN_CACHE_KEY_FILE"), std::string::npos);
    EXPECT_TRUE(entry.payload.empty());
  }
}
