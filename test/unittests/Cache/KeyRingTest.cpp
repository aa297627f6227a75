//===- KeyRingTest.cpp ----------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/KeyRing.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
namespace fs = std::filesystem;

namespace {
class KeyRingTest : public ::testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/kiln-keys-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder = pattern;
    config.file = folder + "/state/cache.key";
  }
  void TearDown() override { fs::remove_all(folder); }

  KeyRingPtr open() const {
    auto ring = KeyRing::open(config);
    EXPECT_TRUE(bool(ring)) << (ring ? "" : ring.error().message);
    return ring ? *ring : nullptr;
  }
  std::string refusal() const {
    auto ring = KeyRing::open(config);
    return ring ? "none" : ring.error().message;
  }

  std::string folder;
  KeyConfig config;
};

AuthFault check(const KeyRing &reader, const KeyRing &writer, Tier tier) {
  std::string_view message = "message";
  auto method = Authentication::Ed25519;
  return reader.verify(tier, method, writer.keyId(method), message,
                       writer.sign(method, message));
}
} // namespace

static std::string bytesOf(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// RFC 4231, cases 1, 2 and 6.
TEST(Hmac, GivesTheValuesOfTheStandard) {
  auto mac = [](const std::string &key, std::string_view message) {
    return hmacSha256(std::string_view(key), message).hex();
  };
  EXPECT_EQ(mac(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b"
            "881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(mac("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c7"
            "5a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(mac(std::string(131, '\xaa'),
                "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f"
            "8e0bc6213728c5140546040f0ee37f54");
}

// RFC 5869, case 3: no salt, no info; the first block of it.
TEST(Hkdf, GivesTheValueOfTheStandard) {
  std::string secret(22, '\x0b');
  EXPECT_EQ(hkdfSha256(std::string_view(secret), "").hex(),
            "8da4e775a563c18f715f802a063c5a31"
            "b8a11f5c5ee1879ec3454e5f3c738d2d");
}

// RFC 8032, test 1.
TEST(Ed25519, GivesTheSignatureOfTheStandard) {
  auto seed = Seed::parse("9d61b19deffd5a60ba844af492ec2cc4"
                          "4449c5697b326919703bac031cae7f60",
                          "seed");
  ASSERT_TRUE(bool(seed));
  PublicKey key = publicKeyOf(*seed);
  EXPECT_EQ(std::string(key.bytes.begin(), key.bytes.end()),
            bytesOf("d75a980182b10ab7d54bfed3c964073a"
                    "0ee172f3daa62325af021a68f707511a"));
  KeyRing ring(*seed, {}, {});
  AuthTag tag = ring.sign(Authentication::Ed25519, ByteView());
  EXPECT_EQ(std::string(tag.begin(), tag.end()),
            bytesOf("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e0652"
                    "24901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465"
                    "5141438e7a100b"));
}

TEST(PublicKeyText, HasOneForm) {
  PublicKey key = publicKeyOf(Seed({5}));
  key.name = "ci@farm-1.example";
  auto parsed = PublicKey::parse(key.text());
  ASSERT_TRUE(bool(parsed)) << parsed.error().message;
  EXPECT_EQ(parsed->bytes, key.bytes);
  EXPECT_EQ(parsed->name, key.name);
  std::string text = key.text(), encoded = text.substr(text.find(':') + 1);
  for (std::string wrong :
       {std::string(), encoded, ":" + encoded, "a b:" + encoded, std::string("x:"),
        "x:" + encoded + "=", "x:" + encoded.substr(1), "x: " + encoded,
        "x:" + encoded.substr(0, 42) + "==", "../x:" + encoded,
        "x:" + std::string(44, '*'), "x:" + std::string(44, '\xff')})
    EXPECT_FALSE(bool(PublicKey::parse(wrong))) << wrong;
}

TEST_F(KeyRingTest, AKeyIsMadeOnceAndClosedToOthers) {
  KeyRingPtr first = open(), second = open();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->publicKey().text(), second->publicKey().text());
  struct stat info;
  ASSERT_EQ(stat(config.file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder + "/state"), {}), 1);
}

TEST_F(KeyRingTest, ProcessesThatNeedTheFirstKeyAtOnceAgree) {
  std::vector<std::thread> threads;
  std::vector<std::string> keys(16);
  for (std::string &key : keys)
    threads.emplace_back([&] { key = open()->publicKey().text(); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &key : keys)
    EXPECT_EQ(key, keys[0]);
}

TEST_F(KeyRingTest, AKeyFileThatIsNamedIsNotMade) {
  config.isGiven = true;
  EXPECT_NE(refusal().find("kiln-cache key-gen"), std::string::npos);
  EXPECT_FALSE(fs::exists(config.file));
}

TEST_F(KeyRingTest, AKeyFileThatIsOpenToOthersIsRefused) {
  ASSERT_TRUE(bool(makeSeedFile(config.file, false)));
  fs::permissions(config.file, fs::perms(0640));
  EXPECT_NE(refusal().find("open to others"), std::string::npos);
}

TEST_F(KeyRingTest, WhatIsNoKeyFileIsRefused) {
  fs::create_directories(config.file);
  EXPECT_NE(refusal(), "none");
  fs::remove(config.file);
  std::ofstream(folder + "/other") << std::string(64, 'a');
  fs::create_symlink(folder + "/other", config.file);
  EXPECT_NE(refusal(), "none");
  fs::remove(config.file);
  ASSERT_EQ(mkfifo(config.file.c_str(), 0600), 0);
  EXPECT_NE(refusal(), "none");
  fs::remove(config.file);
  for (std::string text : {std::string(), std::string(63, 'a'),
                           std::string(65, 'a'), std::string(64, 'G'),
                           std::string(100000, 'a')}) {
    std::ofstream(config.file) << text;
    fs::permissions(config.file, fs::perms(0600));
    EXPECT_NE(refusal().find("expected 64"), std::string::npos);
    EXPECT_EQ(refusal().find("aaaa"), std::string::npos);
  }
}

TEST_F(KeyRingTest, TrustAndRevocationAreByPublicKey) {
  KeyRing writer(Seed({7}), {}, {});
  const PublicKey key = writer.publicKey();
  KeyRing stranger(Seed({8}), {}, {});
  KeyRing friendly(Seed({8}), {key}, {});
  KeyRing wary(Seed({8}), {key}, {key});
  KeyRing onlyWary(Seed({8}), {}, {key});
  for (Tier tier : {Tier::Local, Tier::Remote, Tier::Artifact}) {
    EXPECT_EQ(check(stranger, writer, tier), AuthFault::UnknownKey);
    EXPECT_EQ(check(friendly, writer, tier), AuthFault::None);
    EXPECT_EQ(check(wary, writer, tier), AuthFault::Revoked);
    EXPECT_EQ(check(onlyWary, writer, tier), AuthFault::Revoked);
  }
}

TEST_F(KeyRingTest, AKeyIdIsNoProof) {
  KeyRing writer(Seed({7}), {}, {}), forger(Seed({8}), {}, {});
  std::string_view message = "message";
  auto method = Authentication::Ed25519;
  EXPECT_EQ(writer.verify(Tier::Remote, method, writer.keyId(method), message,
                          forger.sign(method, message)),
            AuthFault::BadTag);
  EXPECT_EQ(writer.verify(Tier::Local, Authentication::Hmac,
                          writer.keyId(Authentication::Hmac), message,
                          forger.sign(Authentication::Hmac, message)),
            AuthFault::BadTag);
}

TEST_F(KeyRingTest, ListsComeFromTheVariableAndFromTheFileBesideTheKey) {
  PublicKey a = publicKeyOf(Seed({1})), b = publicKeyOf(Seed({2}));
  config.trusted = a.text() + ", ";
  ASSERT_TRUE(bool(addPublicKey(trustedKeysFile(config), b)));
  ASSERT_TRUE(bool(addPublicKey(trustedKeysFile(config), b)));
  EXPECT_EQ(open()->trusted().size(), 2u);
  config.trusted = trustedKeysFile(config);
  EXPECT_EQ(open()->trusted().size(), 2u);
  fs::permissions(config.trusted, fs::perms(0666));
  EXPECT_NE(refusal().find("written by others"), std::string::npos);
  config.trusted = "nonsense";
  EXPECT_NE(refusal().find("'name:base64'"), std::string::npos);
}

TEST_F(KeyRingTest, AKeyMadeByChanceDoesNotSignForThoseWhoTrustByName) {
  EXPECT_TRUE(open()->maySignForOthers());
  config.trusted = publicKeyOf(Seed({1})).text();
  EXPECT_FALSE(open()->maySignForOthers());
  config.isGiven = true;
  EXPECT_TRUE(open()->maySignForOthers());
}

TEST_F(KeyRingTest, TheKeyVariableIsTakenOutOfTheEnvironment) {
  const std::string seed(64, 'a');
  ASSERT_EQ(setenv("KILN_CACHE_KEY", seed.c_str(), 1), 0);
  const char *where = getenv("KILN_CACHE_KEY");
  KeyConfig read = readKeyConfig();
  EXPECT_EQ(getenv("KILN_CACHE_KEY"), nullptr);
  EXPECT_EQ(std::string_view(where, 1), std::string_view("\0", 1));
  ASSERT_TRUE(read.seed);
  EXPECT_EQ(read.seed->hex(), seed);
  EXPECT_EQ(readKeyConfig().seed->hex(), seed);
}

TEST_F(KeyRingTest, AListThatCannotBeReadIsNotEmpty) {
  ASSERT_TRUE(bool(addPublicKey(revokedKeysFile(config), publicKeyOf(Seed({1})))));
  EXPECT_EQ(open()->revoked().size(), 1u);
  // A link to itself stands for all that is neither a file nor absent.
  fs::remove(revokedKeysFile(config));
  fs::create_symlink(revokedKeysFile(config), revokedKeysFile(config));
  EXPECT_NE(refusal().find("cannot read"), std::string::npos) << refusal();
  EXPECT_FALSE(bool(addPublicKey(revokedKeysFile(config), publicKeyOf(Seed({2})))));
  EXPECT_TRUE(fs::is_symlink(revokedKeysFile(config)));
}

TEST_F(KeyRingTest, AListIsClosedToOthersWhateverTheUmaskIs) {
  mode_t before = ::umask(0);
  Status added = addPublicKey(trustedKeysFile(config), publicKeyOf(Seed({1})));
  ::umask(before);
  ASSERT_TRUE(bool(added));
  EXPECT_EQ(fs::status(trustedKeysFile(config)).permissions(), fs::perms(0600));
  EXPECT_EQ(open()->trusted().size(), 1u);
}

TEST_F(KeyRingTest, NoAdditionIsLostToAnotherAtTheSameTime) {
  std::vector<std::thread> threads;
  for (uint8_t i = 1; i <= 8; ++i)
    threads.emplace_back([&, i] {
      EXPECT_TRUE(bool(
          addPublicKey(revokedKeysFile(config), publicKeyOf(Seed({i})))));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(open()->revoked().size(), 8u);
}

TEST_F(KeyRingTest, TheOwnKeyOnceRevokedMakesNothing) {
  KeyRing ring(Seed({1}), {}, {publicKeyOf(Seed({1}))});
  EXPECT_FALSE(ring.maySignForOthers());
  auto method = Authentication::Hmac;
  std::string_view message = "message";
  EXPECT_EQ(ring.verify(Tier::Local, method, ring.keyId(method), message,
                        ring.sign(method, message)),
            AuthFault::Revoked);
  EXPECT_EQ(check(ring, ring, Tier::Local), AuthFault::Revoked);
}

TEST_F(KeyRingTest, ASecretThatMachinesShareIsEnough) {
  config.sharedFile = folder + "/shared.key";
  EXPECT_NE(refusal().find("KILN_CACHE_HMAC_KEY_FILE"), std::string::npos);
  ASSERT_TRUE(bool(makeSeedFile(config.sharedFile, /*keepExisting=*/false)));
  KeyRingPtr first = open();
  config.file = folder + "/other/cache.key";
  KeyRingPtr second = open();
  config.sharedFile = folder + "/another.key";
  ASSERT_TRUE(bool(makeSeedFile(config.sharedFile, /*keepExisting=*/false)));
  KeyRingPtr stranger = open();
  config.sharedFile = "";
  KeyRingPtr outside = open();
  const auto method = Authentication::SharedHmac;
  ASSERT_EQ(first->methodForOthers(), method);
  EXPECT_EQ(outside->methodForOthers(), Authentication::Ed25519);
  const std::string_view message = "message";
  auto verify = [&](const KeyRing &reader, Tier tier, std::string_view text) {
    return reader.verify(tier, method, first->keyId(method), text,
                         first->sign(method, message));
  };
  for (Tier tier : {Tier::Local, Tier::Remote, Tier::Artifact}) {
    EXPECT_EQ(verify(*second, tier, message), AuthFault::None);
    EXPECT_EQ(verify(*second, tier, "another"), AuthFault::BadTag);
    EXPECT_EQ(verify(*stranger, tier, message), AuthFault::UnknownKey);
    EXPECT_EQ(verify(*outside, tier, message), AuthFault::Method);
  }
  // It is a key of its own: neither passes for the user's, nor the other way.
  EXPECT_NE(first->keyId(method), first->keyId(Authentication::Hmac));
  EXPECT_NE(first->sign(method, message),
            first->sign(Authentication::Hmac, message));
  EXPECT_TRUE(second->maySignForOthers());
  ::chmod((folder + "/shared.key").c_str(), 0644);
  config.sharedFile = folder + "/shared.key";
  EXPECT_NE(refusal().find("open to others"), std::string::npos) << refusal();
}
