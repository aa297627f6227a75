//===- LocalStoreTest.cpp -------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/LocalStore.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
namespace fs = std::filesystem;

namespace {
class LocalStoreTest : public ::testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/kiln-store-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder = pattern;
    root = folder + "/cache";
  }
  void TearDown() override { fs::remove_all(folder); }

  std::unique_ptr<LocalStore> open() {
    auto store = LocalStore::open(root, keys);
    EXPECT_TRUE(bool(store)) << (store ? "" : store.error().message);
    return store ? std::move(*store) : nullptr;
  }

  static KeyRingPtr ringOf(uint8_t seed) {
    return std::make_shared<KeyRing>(Seed({seed}), std::vector<PublicKey>(),
                                     std::vector<PublicKey>());
  }

  static CacheKey makeKey(std::string_view name) {
    CacheKeyBuilder builder(KeyKind::FxGraph);
    builder.addText(KeyTag::Options, "options", name);
    return builder.finish();
  }

  std::string entryPath(std::string_view payload) const {
    return root + "/" + entryDirectory(key) + "/" + variantName(payload);
  }

  std::string folder, root;
  KeyRingPtr keys = ringOf(1);
  CacheKey key = makeKey("a");
  Digest environment = sha256(std::string_view("environment"));
};
} // namespace

TEST_F(LocalStoreTest, MissThenHitAlsoInAnotherProcessOfThisUser) {
  auto store = open();
  EXPECT_FALSE(store->get(key, environment).hit());
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("one")));
  Lookup lookup = open()->get(key, environment);
  ASSERT_EQ(lookup.variants.size(), 1u);
  EXPECT_EQ(ByteView(lookup.variants[0].payload).text(), "one");
  EXPECT_EQ(store->stats().misses, 1u);
  EXPECT_EQ(store->stats().puts, 1u);
}

TEST_F(LocalStoreTest, AKeyKeepsSeveralVariantsAndEachOnce) {
  auto store = open();
  for (std::string_view payload : {"one", "two", "two"})
    ASSERT_TRUE(store->put(key, environment, {}, payload));
  EXPECT_EQ(store->get(key, environment).variants.size(), 2u);
  store->removeVariant(key, std::string_view("one"));
  Lookup lookup = store->get(key, environment);
  ASSERT_EQ(lookup.variants.size(), 1u);
  EXPECT_EQ(ByteView(lookup.variants[0].payload).text(), "two");
  store->remove(key);
  EXPECT_FALSE(store->contains(key));
}

TEST_F(LocalStoreTest, DamagedEntryIsAMissAndHeals) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  {
    std::fstream file(entryPath("payload"),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kEntryHeaderBytes + 2);
    file.put('X');
  }
  Lookup lookup = store->get(key, environment);
  EXPECT_FALSE(lookup.hit());
  ASSERT_EQ(lookup.faults.size(), 1u);
  EXPECT_NE(lookup.faults[0].find("payload checksum"), std::string::npos);
  EXPECT_EQ(store->stats().corrupt, 1u);
  EXPECT_FALSE(fs::exists(entryPath("payload")));
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  EXPECT_TRUE(store->get(key, environment).hit());
}

TEST_F(LocalStoreTest, EntryOfAnotherMachineIsLeftAlone) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  Digest other = sha256(std::string_view("other"));
  EXPECT_FALSE(store->get(key, other).hit());
  EXPECT_EQ(store->stats().foreignEnvironment, 1u);
  EXPECT_TRUE(fs::exists(entryPath("payload")));
}

TEST_F(LocalStoreTest, SymbolicLinkInPlaceOfAnEntryIsNotFollowed) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  std::string outside = folder + "/outside";
  fs::rename(entryPath("payload"), outside);
  fs::create_symlink(outside, entryPath("payload"));
  EXPECT_FALSE(store->get(key, environment).hit());
  EXPECT_TRUE(fs::exists(outside));
}

TEST_F(LocalStoreTest, SymbolicLinkInPlaceOfAFolderIsNotFollowed) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  fs::rename(root + "/fxgraph", folder + "/elsewhere");
  fs::create_directory_symlink(folder + "/elsewhere", root + "/fxgraph");
  EXPECT_FALSE(store->get(key, environment).hit());
  EXPECT_FALSE(store->contains(key));
}

TEST_F(LocalStoreTest, FifoInPlaceOfAnEntryDoesNotHang) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  fs::remove(entryPath("payload"));
  ASSERT_EQ(mkfifo(entryPath("payload").c_str(), 0600), 0);
  EXPECT_FALSE(store->get(key, environment).hit());
}

TEST_F(LocalStoreTest, RootThatOthersMayWriteIsRefused) {
  fs::create_directory(root);
  fs::permissions(root, fs::perms::all);
  auto store = LocalStore::open(root, keys);
  ASSERT_FALSE(bool(store));
  EXPECT_NE(store.error().message.find("writable by others"),
            std::string::npos);
}

TEST_F(LocalStoreTest, RootThatIsALinkIsRefused) {
  fs::create_directory(folder + "/real");
  fs::create_directory_symlink(folder + "/real", root);
  EXPECT_FALSE(bool(LocalStore::open(root, keys)));
}

TEST_F(LocalStoreTest, RelativeRootIsRefused) {
  EXPECT_FALSE(bool(LocalStore::open("cache", keys)));
  EXPECT_FALSE(bool(LocalStore::open("", keys)));
}

TEST_F(LocalStoreTest, NothingIsLeftInTheTemporaryFolder) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  EXPECT_TRUE(fs::is_empty(root + "/tmp"));
}

TEST_F(LocalStoreTest, ADeletedCacheIsAMissAndIsMadeAgain) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  fs::remove_all(root + "/fxgraph");
  EXPECT_FALSE(store->get(key, environment).hit());
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  EXPECT_TRUE(store->get(key, environment).hit());
}

TEST_F(LocalStoreTest, AnEntryOfAnotherKeyIsAMissAndIsLeftAlone) {
  ASSERT_TRUE(open()->put(key, environment, {}, std::string_view("payload")));
  keys = ringOf(2);
  auto store = open();
  Lookup lookup = store->get(key, environment);
  EXPECT_FALSE(lookup.hit());
  ASSERT_EQ(lookup.faults.size(), 1u);
  EXPECT_NE(lookup.faults[0].find("unknown key"), std::string::npos);
  EXPECT_EQ(store->stats().authRejects, 1u);
  EXPECT_TRUE(fs::exists(entryPath("payload")));
  // What this process makes replaces it.
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("payload")));
  EXPECT_TRUE(store->get(key, environment).hit());
}

TEST_F(LocalStoreTest, NothingIsWrittenIntoAFileWithASecondName) {
  { ASSERT_TRUE(open()->put(key, environment, {}, std::string_view("one"))); }
  ASSERT_TRUE(fs::exists(root + "/stats"));
  const std::string victim = folder + "/victim";
  std::ofstream(victim) << "precious";
  for (const auto &file : fs::directory_iterator(root + "/stats")) {
    fs::remove(file.path());
    fs::create_hard_link(victim, file.path());
  }
  { EXPECT_TRUE(open()->get(key, environment).hit()); }
  std::ifstream file(victim);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "precious");
}

TEST_F(LocalStoreTest, AReadOnlyStoreRemovesNothing) {
  ASSERT_TRUE(open()->put(key, environment, {}, std::string_view("one")));
  LocalConfig config;
  config.mode = LocalMode::ReadOnly;
  auto store = LocalStore::open(root, keys, config);
  ASSERT_TRUE(bool(store));
  (*store)->removeVariant(key, std::string_view("one"));
  (*store)->remove(key);
  EXPECT_TRUE(open()->get(key, environment).hit());
}

TEST_F(LocalStoreTest, KnownVariantsAreNoNews) {
  auto store = open();
  ASSERT_TRUE(store->put(key, environment, {}, std::string_view("one")));
  EXPECT_TRUE(store->contains(key));
  EXPECT_FALSE(store->contains(key, {variantName(std::string_view("one"))}));
  EXPECT_TRUE(store->contains(key, {variantName(std::string_view("two"))}));
}
