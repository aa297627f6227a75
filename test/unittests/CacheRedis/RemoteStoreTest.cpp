//===- RemoteStoreTest.cpp - Two machines and a server --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RedisServer.h"

#include "kiln/Base/FileSystem.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::test;

namespace {
/// How often something is tried: a number of the environment, for long forms.
int longForm(const char *variable, int shortForm) {
  const char *value = std::getenv(variable);
  return value ? std::atoi(value) : shortForm;
}

class RemoteStoreTest : public RemoteTest {
protected:
  void SetUp() override {
    ASSERT_EQ(server.problem(), "");
    config = configOf(server.port());
  }

  /// What one machine finds that was never here before.
  Lookup look(const CacheKey &key, KeyRingPtr keys) {
    return machine(config, "reader" + std::to_string(++readers), keys)
        ->get(key, environment);
  }
  /// Puts a value as a stranger to the protocol would.
  void plant(const CacheKey &key, ByteView payload, ByteView file) {
    ASSERT_EQ(server.command({"SET", redisKey(config, key, environment, payload),
                              std::string(file.text())}),
              "OK");
  }

  static EntryInfo kernelInfo() {
    EntryInfo info;
    info.kind = KeyKind::Kernel;
    return info;
  }

  RedisServer server;
  RemoteConfig config;
  int readers = 0;
};
} // namespace

/// Sets what is kept in the remote to the kinds of one switch.
static RemoteConfig onlyWith(RemoteConfig config, bool RemoteConfig::*kind) {
  config.fxGraph = config.aotAutograd = config.autotune =
      config.bundledAutotune = false;
  config.*kind = true;
  return config;
}

TEST_F(RemoteStoreTest, EachSwitchIsForItsKinds) {
  KeyRingPtr keys = ringOf(1);
  const std::map<KeyKind, bool RemoteConfig::*> switches = {
      {KeyKind::FxGraph, &RemoteConfig::fxGraph},
      {KeyKind::Kernel, &RemoteConfig::fxGraph},
      {KeyKind::Pgo, &RemoteConfig::fxGraph},
      {KeyKind::AotAutograd, &RemoteConfig::aotAutograd},
      {KeyKind::Joint, &RemoteConfig::aotAutograd},
      {KeyKind::Autotune, &RemoteConfig::autotune},
      {KeyKind::AutotuneBundle, &RemoteConfig::bundledAutotune}};
  ASSERT_EQ(switches.size(), std::size(kKinds));
  for (const auto &[kind, own] : switches)
    for (auto other : {&RemoteConfig::fxGraph, &RemoteConfig::aotAutograd,
                       &RemoteConfig::autotune, &RemoteConfig::bundledAutotune}) {
      CacheKey key = keyOf("of one kind", kind);
      EntryInfo info;
      info.kind = kind;
      RemoteConfig some = onlyWith(config, other);
      std::string name = rowOf(kind).name + std::to_string(++readers);
      ASSERT_TRUE(machine(some, name, keys)
                      ->put(key, environment, info, std::string_view("it")));
      EXPECT_EQ(machine(some, name + "b", keys)->get(key, environment).hit(),
                own == other)
          << rowOf(kind).name;
      server.command({"FLUSHALL"});
    }
}

// Of what is joined a machine sees what others know although it knows something.
TEST_F(RemoteStoreTest, JoinedKindsAskEveryTier) {
  KeyRingPtr keys = ringOf(1);
  CacheKey key = keyOf("program", KeyKind::Pgo);
  EntryInfo info;
  info.kind = KeyKind::Pgo;
  auto first = machine(config, "a", keys);
  ASSERT_TRUE(first->put(key, environment, info, std::string_view("one")));
  // It is sent by a thread of its own.
  ASSERT_TRUE(eventually([&] {
    return server.command(
               {"EXISTS", redisKeys(config, key, environment).front()}) == "1";
  }));
  ASSERT_TRUE(machine(config, "b", keys)
                  ->put(key, environment, info, std::string_view("two")));
  auto texts = [&] {
    std::multiset<std::string> all;
    for (const DecodedEntry &entry : first->get(key, environment).variants)
      all.insert(std::string(ByteView(entry.payload).text()));
    return all;
  };
  EXPECT_TRUE(eventually(
      [&] { return texts() == std::multiset<std::string>{"one", "two"}; }));
  // Now both are here, each once.
  EXPECT_EQ(texts(), (std::multiset<std::string>{"one", "two"}));
}

TEST_F(RemoteStoreTest, WhatOneMachineCompiledAnotherFinds) {
  KeyRingPtr keys = ringOf(1);
  CacheKey key = keyOf("model");
  auto reader = machine(config, "b", keys);
  {
    auto writer = machine(config, "a", keys);
    EXPECT_FALSE(writer->get(key, environment).hit());
    ASSERT_TRUE(writer->put(key, environment, {}, std::string_view("one")));
  }
  Lookup lookup = reader->get(key, environment);
  EXPECT_EQ(found(lookup), "one");
  EXPECT_EQ(lookup.remoteHits, 1u);
  // Now it is local, as it was signed.
  EXPECT_EQ(reader->get(key, environment).remoteHits, 0u);
  auto file = readFile(folder.path + "/b/" + entryDirectory(key) + "/" +
                       variantName(std::string_view("one")));
  ASSERT_TRUE(bool(file));
  EXPECT_EQ((*file)[15], uint8_t(Authentication::Ed25519));
}

TEST_F(RemoteStoreTest, VariantsOfAKeyLieSideBySide) {
  KeyRingPtr keys = ringOf(1);
  CacheKey key = keyOf("model");
  const std::vector<std::string> names =
      redisKeys(config, key, environment);
  EXPECT_EQ(names.size(), kMaxVariants);
  EXPECT_EQ(names[3], "kiln:v1:default:fxgraph:" +
                          environment.hex().substr(0, 16) + ":" +
                          key.digest.hex() + ":3");
  std::set<std::string> used;
  {
    auto writer = machine(config, "a", keys);
    for (std::string payload : {"one", "two", "three"}) {
      used.insert(redisKey(config, key, environment, std::string_view(payload)));
      ASSERT_TRUE(writer->put(key, environment, {}, std::string_view(payload)));
    }
  }
  EXPECT_EQ(look(key, keys).variants.size(), used.size());
}

TEST_F(RemoteStoreTest, ValuesLiveForAsLongAsIsSaid) {
  CacheKey key = keyOf("kernel", KeyKind::Kernel);
  std::string name = redisKey(config, key, environment, std::string_view("x"));
  for (uint64_t seconds : {uint64_t(0), uint64_t(5000)}) {
    config.ttlSeconds = seconds;
    ASSERT_TRUE(machine(config, "a" + std::to_string(seconds), ringOf(1))
                    ->put(key, environment, kernelInfo(),
                          std::string_view("x")));
    int left = std::stoi(server.command({"TTL", name}));
    EXPECT_TRUE(seconds == 0 ? left == -1 : left > 4000 && left <= 5000) << left;
  }
}

TEST_F(RemoteStoreTest, DatabasesAndNamespacesAreApart) {
  CacheKey key = keyOf("model");
  ASSERT_TRUE(machine(config, "a", ringOf(1))
                  ->put(key, environment, {}, std::string_view("one")));
  config.nameSpace = "other";
  EXPECT_FALSE(look(key, ringOf(1)).hit());
  config.nameSpace = "";
  config.shards[0].database = 3;
  EXPECT_FALSE(look(key, ringOf(1)).hit());
  config.shards[0].database = 0;
  EXPECT_TRUE(look(key, ringOf(1)).hit());
}

TEST_F(RemoteStoreTest, AReaderDoesNotWriteAndAWriterDoesNotRead) {
  CacheKey key = keyOf("model");
  config.writes = false;
  ASSERT_TRUE(machine(config, "a", ringOf(1))
                  ->put(key, environment, {}, std::string_view("one")));
  EXPECT_EQ(server.command({"DBSIZE"}), "0");
  config.writes = true;
  ASSERT_TRUE(machine(config, "b", ringOf(1))
                  ->put(key, environment, {}, std::string_view("one")));
  EXPECT_EQ(server.command({"DBSIZE"}), "1");
  config.reads = false;
  EXPECT_FALSE(look(key, ringOf(1)).hit());
}

TEST_F(RemoteStoreTest, LocalHitsAreSentWhereThatIsWanted) {
  CacheKey key = keyOf("model");
  config.writes = false;
  ASSERT_TRUE(machine(config, "a", ringOf(1))
                  ->put(key, environment, {}, std::string_view("one")));
  config.writes = config.reshare = true;
  EXPECT_TRUE(machine(config, "a", ringOf(1))->get(key, environment).hit());
  EXPECT_EQ(found(look(key, ringOf(1))), "one");
}

TEST_F(RemoteStoreTest, SeveralServersShareTheKeys) {
  RedisServer second, third;
  ASSERT_EQ(second.problem() + third.problem(), "");
  for (const RedisServer *other : {&second, &third}) {
    RedisAddress address = config.shards[0];
    address.port = other->port();
    config.shards.push_back(address);
  }
  {
    auto writer = machine(config, "a", ringOf(1));
    for (int i = 0; i < 60; ++i)
      ASSERT_TRUE(writer->put(keyOf("kernel " + std::to_string(i),
                                    KeyKind::Kernel),
                              environment, kernelInfo(), std::string_view("x")));
  }
  int total = 0;
  for (const RedisServer *one : {&server, &second, &third}) {
    int count = std::stoi(one->command({"DBSIZE"}));
    EXPECT_GT(count, 0);
    total += count;
  }
  EXPECT_EQ(total, 60);
  // Many keys are one round trip a server.
  std::vector<CacheKey> keys;
  for (int i = 0; i < 60; ++i)
    keys.push_back(keyOf("kernel " + std::to_string(i), KeyKind::Kernel));
  auto reader = machine(config, "b", ringOf(1));
  for (const Lookup &found : reader->getAll(keys, environment))
    EXPECT_TRUE(found.hit());
  for (const CacheKey &key : keys)
    EXPECT_TRUE(reader->local().contains(key));
  // One that is lost takes its own keys with it and no others.
  second.kill();
  int left = 0;
  auto other = machine(config, "c", ringOf(1));
  for (const Lookup &found : other->getAll(keys, environment))
    left += found.hit();
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 60);
}

//===----------------------------------------------------------------------===//
// Values that lie
//===----------------------------------------------------------------------===//

TEST_F(RemoteStoreTest, ForeignKeysAreBelievedByNameOnly) {
  KeyRingPtr writer = ringOf(2);
  const int planted = longForm("KILN_TEST_PLANTED", 50);
  for (int i = 0; i < planted; ++i) {
    CacheKey key = keyOf(std::to_string(i));
    plant(key, std::string_view("code"),
          encodeEntry(key.digest, environment, {}, std::string_view("code"),
                      {*writer, Authentication::Ed25519}));
  }
  auto count = [&](KeyRingPtr keys) {
    auto reader = machine(config, "reader" + std::to_string(++readers), keys);
    int hits = 0;
    for (int i = 0; i < planted; ++i)
      hits += reader->get(keyOf(std::to_string(i)), environment).hit();
    return hits;
  };
  EXPECT_EQ(count(ringOf(1)), 0);
  EXPECT_EQ(count(ringOf(1, {writer->publicKey()})), planted);
  EXPECT_EQ(count(ringOf(1, {writer->publicKey()}, {writer->publicKey()})), 0);
}

TEST_F(RemoteStoreTest, ARevokedKeyIsRevokedInTheLocalFolder) {
  KeyRingPtr writer = ringOf(2);
  CacheKey key = keyOf("model");
  ASSERT_TRUE(machine(config, "a", writer)
                  ->put(key, environment, {}, std::string_view("code")));
  EXPECT_TRUE(machine(config, "b", ringOf(1, {writer->publicKey()}))
                  ->get(key, environment)
                  .hit());
  config.reads = false;
  Lookup lookup = machine(config, "b",
                          ringOf(1, {writer->publicKey()},
                                 {writer->publicKey()}))
                      ->get(key, environment);
  EXPECT_FALSE(lookup.hit());
  EXPECT_NE(found(lookup).find("revoked"), std::string::npos);
}

TEST_F(RemoteStoreTest, NoLyingValueIsAccepted) {
  KeyRingPtr own = ringOf(1);
  CacheKey key = keyOf("model"), other = keyOf("other");
  Digest elsewhere = sha256(std::string_view("elsewhere"));
  const std::string_view payload = "code";
  auto file = [&](const CacheKey &of, const Digest &in, Authentication method) {
    return encodeEntry(of.digest, in, {}, payload, {*own, method});
  };
  auto look = [&](std::vector<uint8_t> value) {
    plant(key, payload, value);
    return found(this->look(key, own));
  };
  auto good = file(key, environment, Authentication::Ed25519);
  EXPECT_EQ(look(good), "code");
  EXPECT_NE(look(file(key, environment, Authentication::None)).find("not signed"),
            std::string::npos);
  EXPECT_NE(look(file(key, environment, Authentication::Hmac)).find("method"),
            std::string::npos);
  EXPECT_NE(look(file(other, environment, Authentication::Ed25519))
                .find("another key"),
            std::string::npos);
  EXPECT_NE(look(file(key, elsewhere, Authentication::Ed25519))
                .find("another compiler"),
            std::string::npos);
  for (size_t size : {size_t(0), size_t(1), size_t(255), good.size() - 1})
    EXPECT_NE(look({good.begin(), good.begin() + long(size)}), "code");
  auto longer = good;
  longer.push_back(0);
  EXPECT_NE(look(longer), "code");
  std::mt19937 random(5);
  for (int i = 0; i < longForm("KILN_TEST_FLIPS", 100); ++i) {
    auto flipped = good;
    flipped[random() % flipped.size()] ^= uint8_t(1u << (random() % 8));
    EXPECT_NE(look(flipped), "code");
  }
  config.maxValueBytes = good.size() - 1;
  EXPECT_NE(look(good), "code");
}

TEST_F(RemoteStoreTest, UnsignedValuesNeedAPermission) {
  CacheKey key = keyOf("model");
  auto lax = std::make_shared<KeyRing>(Seed({1}), std::vector<PublicKey>(),
                                       std::vector<PublicKey>(), true);
  plant(key, std::string_view("code"),
        encodeEntry(key.digest, environment, {}, std::string_view("code"),
                    {*lax, Authentication::None}));
  EXPECT_FALSE(look(key, ringOf(1)).hit());
  EXPECT_TRUE(look(key, lax).hit());
  // It is not kept where nobody believes it.
  EXPECT_TRUE(machine(config, "lax", lax)->get(key, environment).hit());
  config.reads = false;
  Lookup later = machine(config, "lax", lax)->get(key, environment);
  EXPECT_EQ(found(later), "0 variants");
  EXPECT_FALSE(later.damaged);
}

TEST_F(RemoteStoreTest, WhatIsSharedAgainKeepsItsSignature) {
  KeyRingPtr maker = ringOf(2), middle = ringOf(1, {maker->publicKey()});
  CacheKey key = keyOf("model");
  ASSERT_TRUE(machine(config, "a", maker)
                  ->put(key, environment, {}, std::string_view("code")));
  EXPECT_TRUE(machine(config, "b", middle)->get(key, environment).hit());
  server.command({"FLUSHALL"});
  config.reshare = true;
  EXPECT_TRUE(machine(config, "b", middle)->get(key, environment).hit());
  std::vector<PublicKey> both = {maker->publicKey(), middle->publicKey()};
  EXPECT_EQ(found(look(key, ringOf(3, both))), "code");
  EXPECT_FALSE(look(key, ringOf(3, both, {maker->publicKey()})).hit());
}

TEST_F(RemoteStoreTest, AStoreFullOfForgeriesIsLeftAlone) {
  KeyRingPtr forger = ringOf(2);
  auto reader = machine(config, "reader", ringOf(1));
  std::string last;
  for (int i = 0; i < 12; ++i) {
    CacheKey key = keyOf(std::to_string(i));
    plant(key, std::string_view("code"),
          encodeEntry(key.digest, environment, {}, std::string_view("code"),
                      {*forger, Authentication::Ed25519}));
    last = found(reader->get(key, environment));
  }
  EXPECT_NE(last.find("not read for a while"), std::string::npos) << last;
  EXPECT_EQ(reader->remote().stats().authRejects, 10u);
}

TEST_F(RemoteStoreTest, WhatACallerCompilesReplacesAForgery) {
  KeyRingPtr own = ringOf(1), forger = ringOf(2);
  CacheKey key = keyOf("kernel", KeyKind::Kernel);
  plant(key, std::string_view("code"),
        encodeEntry(key.digest, environment, kernelInfo(),
                    std::string_view("code"),
                    {*forger, Authentication::Ed25519}));
  {
    auto store = machine(config, "a", own);
    EXPECT_FALSE(store->get(key, environment).hit());
    ASSERT_TRUE(store->put(key, environment, kernelInfo(),
                           std::string_view("mine")));
  }
  EXPECT_EQ(found(look(key, own)), "mine");
}

TEST_F(RemoteStoreTest, VariantsTogetherMayBeLargerThanOne) {
  config.maxValueBytes = 3 << 20;
  const CacheKey key = keyOf("large");
  {
    RemoteStore store(config, ringOf(1));
    for (char c : {'a', 'b', 'c', 'd', 'e', 'f'}) {
      std::string payload;
      for (uint32_t i = 0, x = uint32_t(c); i < (2 << 20); ++i)
        payload += char((x = x * 1664525 + 1013904223) >> 24);
      ASSERT_TRUE(bool(store.put(key, environment, {}, std::string_view(payload))));
    }
  }
  RemoteStore store(config, ringOf(1));
  Lookup lookup = store.get(key, environment);
  EXPECT_GT(lookup.variants.size(), 1u) << found(lookup);
  EXPECT_TRUE(lookup.faults.empty()) << lookup.faults.front();
}
