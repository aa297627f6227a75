//===- CacheArtifactsTest.cpp ---------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/CacheArtifacts.h"

#include "../../fuzz/CacheTargets.h"

#include "kiln/Cache/LocalStore.h"
#include "kiln/Session/ProgramKey.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::cache;
namespace fs = std::filesystem;

namespace {
class CacheArtifactsTest : public ::testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/kiln-artifacts-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  /// A cache folder of the holder of a key.
  CacheConfig configOf(const std::string &name, uint8_t seed = 1) const {
    CacheConfig config;
    config.root = folder + "/" + name;
    config.keys.seed = Seed({seed});
    config.keys.isGiven = true;
    return config;
  }
  static CacheKey keyOf(std::string_view name, KeyKind kind) {
    CacheKeyBuilder builder(kind);
    builder.addText(KeyTag::Options, "options", name);
    return builder.finish();
  }
  std::unique_ptr<LocalStore> open(const CacheConfig &config) const {
    auto keys = KeyRing::open(config.keys);
    EXPECT_TRUE(bool(keys));
    auto store = LocalStore::open(config.root, *keys, config.local);
    EXPECT_TRUE(bool(store)) << (store ? "" : store.error().message);
    return std::move(*store);
  }
  void fill(const CacheConfig &config, uint64_t created) const {
    auto store = open(config);
    for (KeyKind kind :
         {KeyKind::Kernel, KeyKind::AotAutograd, KeyKind::FxGraph}) {
      EntryInfo info;
      info.kind = kind;
      info.createdMillis = info.compileTimeMicros = created;
      for (std::string_view name : {"one", "two"})
        ASSERT_TRUE(store->put(keyOf(name, kind), here, info, name));
    }
  }
  std::vector<uint8_t> save(const CacheConfig &config) const {
    auto made = saveCacheArtifacts(config);
    EXPECT_TRUE(made && *made) << (made ? "nothing" : made.error().message);
    return made && *made ? (*made)->bytes : std::vector<uint8_t>();
  }

  std::string folder;
  Digest here = session::environmentKey(session::currentEnvironment()).digest;
};
} // namespace

TEST_F(CacheArtifactsTest, WhatOneFolderHasAnotherGets) {
  fill(configOf("a"), 1);
  auto saved = saveCacheArtifacts(configOf("a"));
  ASSERT_TRUE(saved && *saved);
  EXPECT_EQ((*saved)->info.keys["inductor"].size(), 2u);
  EXPECT_EQ((*saved)->info.keys["aot_autograd"].size(), 2u);
  EXPECT_EQ((*saved)->info.keys["kernel"].size(), 2u);
  auto loaded = loadCacheArtifacts((*saved)->bytes, configOf("b"));
  ASSERT_TRUE(bool(loaded)) << loaded.error().message;
  EXPECT_TRUE(loaded->skipped.empty()) << loaded->json();
  EXPECT_EQ(loaded->keys, (*saved)->info.keys);
  auto store = open(configOf("b"));
  for (std::string_view name : {"one", "two"}) {
    Lookup lookup = store->get(keyOf(name, KeyKind::Kernel), here);
    ASSERT_EQ(lookup.variants.size(), 1u);
    EXPECT_EQ(ByteView(lookup.variants[0].payload).text(), name);
  }
}

TEST_F(CacheArtifactsTest, NothingToSaveIsNoFile) {
  auto saved = saveCacheArtifacts(configOf("absent"));
  ASSERT_TRUE(bool(saved));
  EXPECT_FALSE(*saved);
  EXPECT_FALSE(fs::exists(folder + "/absent"));
}

TEST_F(CacheArtifactsTest, EqualEntriesAreEqualBytes) {
  fill(configOf("a"), 1);
  fill(configOf("b"), 99);
  auto first = save(configOf("a"));
  EXPECT_EQ(first, save(configOf("b")));
  // Loaded and saved again, too.
  ASSERT_TRUE(bool(loadCacheArtifacts(first, configOf("c"))));
  EXPECT_EQ(first, save(configOf("c")));
}

TEST_F(CacheArtifactsTest, AChangedFileWritesNothing) {
  fill(configOf("a"), 1);
  auto bytes = save(configOf("a"));
  for (size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 500) {
    auto changed = bytes;
    changed[i] ^= 0x40;
    EXPECT_FALSE(bool(loadCacheArtifacts(changed, configOf("b")))) << i;
    EXPECT_FALSE(fs::exists(folder + "/b")) << i;
  }
  for (size_t size : {size_t(0), size_t(255), size_t(256), bytes.size() - 1}) {
    std::vector<uint8_t> shorter(bytes.begin(), bytes.begin() + long(size));
    EXPECT_FALSE(bool(loadCacheArtifacts(shorter, configOf("b"))));
  }
  bytes.push_back(0);
  EXPECT_FALSE(bool(loadCacheArtifacts(bytes, configOf("b"))));
  EXPECT_FALSE(fs::exists(folder + "/b"));
}

TEST_F(CacheArtifactsTest, AFileOfAStrangerWritesNothing) {
  fill(configOf("a"), 1);
  auto bytes = save(configOf("a"));
  CacheConfig reader = configOf("b", 2);
  auto refused = loadCacheArtifacts(bytes, reader);
  ASSERT_FALSE(bool(refused));
  EXPECT_NE(refused.error().message.find("unknown_key"), std::string::npos);
  EXPECT_FALSE(fs::exists(reader.root));
  reader.keys.trusted = publicKeyOf(Seed({1})).text();
  EXPECT_TRUE(bool(loadCacheArtifacts(bytes, reader)));
  // It keeps the signature of its maker, who can still be revoked.
  CacheConfig wary = reader;
  wary.keys.revoked = reader.keys.trusted;
  CacheKey key = keyOf("one", KeyKind::FxGraph);
  EXPECT_TRUE(open(reader)->get(key, here).hit());
  EXPECT_FALSE(open(wary)->get(key, here).hit());
}

TEST_F(CacheArtifactsTest, EntriesOfAnotherMachineAreSkippedWithAReason) {
  KeyRing ring(Seed({1}), {}, {});
  Digest elsewhere = sha256(std::string_view("elsewhere"));
  std::vector<session::ArtifactEntry> entries;
  for (const Digest &environment : {here, elsewhere}) {
    CacheKey key = keyOf(environment.hex(), KeyKind::FxGraph);
    entries.push_back({KeyKind::FxGraph, key.digest, environment,
                       encodeEntry(key.digest, environment, {},
                                   std::string_view("code"),
                                   {ring, Authentication::Ed25519})});
  }
  auto loaded =
      loadCacheArtifacts(session::encodeArtifacts(entries, ring), configOf("b"));
  ASSERT_TRUE(bool(loaded)) << loaded.error().message;
  EXPECT_EQ(loaded->keys["inductor"].size(), 1u);
  ASSERT_EQ(loaded->skipped.size(), 1u);
  EXPECT_NE(loaded->skipped[0].reason.find("another machine"),
            std::string::npos);
}

TEST_F(CacheArtifactsTest, EntriesThatLieAreSkipped) {
  KeyRing ring(Seed({1}), {}, {});
  CacheKey key = keyOf("one", KeyKind::FxGraph);
  auto file = [&](Authentication method) {
    return encodeEntry(key.digest, here, {}, std::string_view("code"),
                       {ring, method});
  };
  auto good = file(Authentication::Ed25519);
  auto load = [&](KeyKind kind, const Digest &digest,
                  std::vector<uint8_t> bytes) {
    auto loaded = loadCacheArtifacts(
        session::encodeArtifacts({{kind, digest, here, bytes}}, ring),
        configOf("b"));
    EXPECT_TRUE(bool(loaded)) << loaded.error().message;
    return loaded && loaded->keys.empty() && loaded->skipped.size() == 1;
  };
  EXPECT_TRUE(load(KeyKind::FxGraph, sha256(std::string_view("x")), good));
  EXPECT_TRUE(load(KeyKind::Kernel, key.digest, good));
  EXPECT_TRUE(load(KeyKind::FxGraph, key.digest, file(Authentication::Hmac)));
  EXPECT_TRUE(load(KeyKind::FxGraph, key.digest, file(Authentication::None)));
  EXPECT_TRUE(load(KeyKind::FxGraph, key.digest, {}));
  EXPECT_FALSE(load(KeyKind::FxGraph, key.digest, good));
}

/// All names below a folder.
static std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    names.push_back(entry.path());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(CacheArtifactsTest, HostileNamesThatATrustedKeySignedGoNowhere) {
  std::vector<std::string> names = {
      "", ".", "..", "/", "../x", "../../x", "../../../../../../tmp/x",
      "/tmp/x", "/etc/passwd", "//x", "./x", "x/../../y", "fxgraph/../../x",
      "..%2fx", "%2e%2e/x", "..\\\\x", "~", "~/x", "-rf", "*", "?",
      "$HOME", "`x`", "nul\\u0000l", "\\u002e\\u002e/x", "tmp/x", "locks/gc",
      "CACHEDIR.TAG", "stats/counters.0", "..\\n"};
  names.push_back(std::string(64, '.'));
  names.push_back(std::string(60, '0') + "/../");
  names.push_back(std::string(63, 'a'));
  names.push_back(std::string(64, 'A'));
  ASSERT_GE(names.size(), 30u);
  // The key that signs is the one of the fuzz targets.
  CacheConfig config = configOf("root/cache");
  config.keys.seed = Seed({1, 2, 3});
  fill(config, 1);
  const std::vector<uint8_t> bytes = save(config);
  const std::string file(bytes.begin(), bytes.end());
  const size_t size = ByteReader(ByteView(bytes).slice(24, 8)).u64();
  const std::string good = file.substr(kEntryHeaderBytes, size);
  const std::string blobs = file.substr(kEntryHeaderBytes + size);
  EXPECT_EQ(fuzz::sealArtifact(good, blobs), file);
  fs::remove_all(config.root);
  unsigned tried = 0, refused = 0;
  for (const std::string &name : names)
    for (const char *field : {"key", "env", "digest", "type"}) {
      std::string manifest = good;
      const std::string mark = "\"" + std::string(field) + "\":\"";
      size_t begin = manifest.find(mark) + mark.size();
      manifest.replace(begin, manifest.find('"', begin) - begin, name);
      // As long as before where that is possible: places stay right.
      manifest.resize(good.size(), ' ');
      std::string evil = fuzz::sealArtifact(manifest, blobs);
      const auto before = namesIn(folder);
      auto loaded =
          loadCacheArtifacts(ByteView(std::string_view(evil)), config);
      ++tried;
      refused += !loaded;
      // A type that is not known is one entry less; all else is no file.
      size_t taken = 0;
      for (const auto &[type, keys] : loaded ? loaded->keys : CacheInfo().keys)
        taken += keys.size();
      EXPECT_TRUE(!loaded || std::string_view(field) == "type") << name;
      EXPECT_LT(taken, 6u) << field << " " << name;
      std::vector<std::string> after;
      for (const std::string &path : namesIn(folder))
        if (path.compare(0, config.root.size(), config.root) != 0)
          after.push_back(path);
      EXPECT_EQ(after, before) << field << " " << name;
      fs::remove_all(config.root);
    }
  RecordProperty("hostile_files", int(tried));
  RecordProperty("hostile_files_refused", int(refused));
}
