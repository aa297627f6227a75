//===- UpkeepTest.cpp -----------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTest.h"

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
namespace fs = std::filesystem;

namespace {
/// Holds the lock of a file, as another process would.
class HeldFile {
public:
  explicit HeldFile(const std::string &path) {
    fs::create_directories(fs::path(path).parent_path());
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    EXPECT_EQ(::fcntl(file_, F_OFD_SETLK, &lock), 0) << path;
  }
  ~HeldFile() { ::close(file_); }

private:
  int file_ = -1;
};

class UpkeepTest : public StoreTest {
protected:
  static CacheKey keyOf(int number) {
    CacheKeyBuilder builder(KeyKind::FxGraph);
    builder.addNumber(KeyTag::KernelAbi, "number", uint64_t(number));
    return builder.finish();
  }
  static std::string payloadOf(int number) {
    return "payload " + std::to_string(number);
  }
  void put(LocalStore &store, int number) {
    Status s = store.put(keyOf(number), environment, {},
                         std::string_view(payloadOf(number)));
    EXPECT_TRUE(bool(s)) << (s ? "" : s.error().message);
  }
  std::string pathOf(int number) const {
    return root + "/" + entryDirectory(keyOf(number)) + "/" +
           variantName(std::string_view(payloadOf(number)));
  }
  /// Lets a file have been used so many seconds ago.
  static void age(const std::string &path, int64_t seconds) {
    timespec when = {::time(nullptr) - seconds, 0};
    timespec times[2] = {when, when};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
  }
  static int64_t ageOf(const std::string &path) {
    struct stat info = {};
    ::stat(path.c_str(), &info);
    return ::time(nullptr) - info.st_mtim.tv_sec;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Eviction
//===----------------------------------------------------------------------===//

TEST_F(UpkeepTest, WhatWasUsedLongestAgoGoesFirstDownToTheLowWater) {
  config.maxFiles = 10;
  auto store = open();
  for (int i = 0; i < 10; ++i) {
    put(*store, i);
    age(pathOf(i), 1000 - i);
  }
  EXPECT_TRUE(fs::exists(pathOf(0)));
  put(*store, 10);
  // Eight of eleven are left: the three of the longest time went.
  for (int i = 0; i <= 10; ++i)
    EXPECT_EQ(fs::exists(pathOf(i)), i >= 3) << i;
  EXPECT_EQ(store->stats().evictedFiles, 3u);
  EXPECT_GT(store->stats().evictedBytes, 0u);
  // Folders that are empty go along.
  EXPECT_FALSE(fs::exists(fs::path(pathOf(0)).parent_path()));
}

TEST_F(UpkeepTest, EntriesOfTheLastMinuteAreSparedWhileThereIsAnother) {
  config.maxFiles = 4;
  auto store = open();
  for (int i = 0; i < 4; ++i)
    put(*store, i);
  age(pathOf(3), 100);
  put(*store, 4);
  EXPECT_FALSE(fs::exists(pathOf(3)));
  for (int i : {0, 1, 2, 4})
    EXPECT_TRUE(fs::exists(pathOf(i))) << i;
  // Without an old one the limit holds all the same.
  put(*store, 5);
  EvictionResult left = store->evict({});
  EXPECT_LE(left.leftFiles, 4u);
}

TEST_F(UpkeepTest, BytesAreALimitToo) {
  config.maxBytes = 64 << 10;
  auto store = open();
  for (int i = 0; i < 40; ++i)
    put(*store, i);
  EvictionResult left = store->evict({});
  EXPECT_LE(left.leftBytes, config.maxBytes);
  EXPECT_GT(left.leftFiles, 0u);
}

TEST_F(UpkeepTest, WhoeverEvictedLooksAgainForWhatOthersPutMeanwhile) {
  config.maxFiles = 4;
  auto store = open();
  put(*store, 0);
  {
    HeldFile evictor(root + "/locks/gc");
    for (int i = 1; i < 10; ++i)
      put(*store, i);
    EXPECT_EQ(store->stats().evictedFiles, 0u);
  }
  store->evict({});
  EXPECT_GE(store->stats().evictedFiles, 6u);
}

TEST_F(UpkeepTest, WhatIsLeftIsKnownAlsoWhenAFileOfHintsIsHeld) {
  config.maxFiles = 10;
  auto store = open();
  for (int i = 0; i < 8; ++i)
    put(*store, i);
  {
    HeldFile hints(root + "/stats/size.f");
    store->evict({});
  }
  for (int i = 8; i < 11; ++i)
    put(*store, i);
  EXPECT_EQ(store->stats().evictedFiles, 3u);
}

TEST_F(UpkeepTest, AHitIsAUseToTheHour) {
  auto store = open();
  put(*store, 0);
  age(pathOf(0), 1800);
  EXPECT_TRUE(store->get(keyOf(0), environment).hit());
  EXPECT_GE(ageOf(pathOf(0)), 1790);
  age(pathOf(0), 3700);
  EXPECT_TRUE(store->get(keyOf(0), environment).hit());
  EXPECT_LE(ageOf(pathOf(0)), 10);
  // A time in the future is put right.
  age(pathOf(0), -86400);
  EXPECT_TRUE(store->get(keyOf(0), environment).hit());
  EXPECT_GE(ageOf(pathOf(0)), 0);
}

TEST_F(UpkeepTest, EntriesThatNobodyUsesEndByAge) {
  auto store = open();
  for (int i : {0, 1})
    put(*store, i);
  age(pathOf(0), 1000);
  EvictionLimits limits;
  limits.ageSeconds = 500;
  EXPECT_EQ(store->evict(limits).evictedFiles, 1u);
  EXPECT_FALSE(fs::exists(pathOf(0)));
  EXPECT_TRUE(fs::exists(pathOf(1)));
}

TEST_F(UpkeepTest, FilesOfOthersAreNotTouched) {
  auto store = open();
  put(*store, 0);
  std::string stranger = fs::path(pathOf(0)).parent_path() / "notes.txt";
  std::ofstream(stranger) << "mine";
  EvictionLimits limits;
  limits.bytes = 1;
  EXPECT_EQ(store->evict(limits).leftFiles, 0u);
  EXPECT_TRUE(fs::exists(stranger));
}

//===----------------------------------------------------------------------===//
// Sweeping
//===----------------------------------------------------------------------===//

TEST_F(UpkeepTest, UnfinishedFilesAreSweptAfterAnHour) {
  auto store = open();
  put(*store, 0);
  for (const char *name : {"young", "old"})
    std::ofstream(root + "/tmp/" + name) << "part";
  age(root + "/tmp/old", 4000);
  EXPECT_EQ(store->sweep(), 1u);
  EXPECT_TRUE(fs::exists(root + "/tmp/young"));
  EXPECT_FALSE(fs::exists(root + "/tmp/old"));
  EXPECT_EQ(store->stats().orphansSwept, 1u);
}

TEST_F(UpkeepTest, OpeningSweepsEveryTenMinutes) {
  { auto store = open(); put(*store, 0); }
  std::ofstream(root + "/tmp/old") << "part";
  age(root + "/tmp/old", 4000);
  open();
  EXPECT_TRUE(fs::exists(root + "/tmp/old"));
  age(root + "/stats/swept", 700);
  open();
  EXPECT_FALSE(fs::exists(root + "/tmp/old"));
}

TEST_F(UpkeepTest, ALockThatIsHeldIsNotSwept) {
  auto store = open();
  FlightPtr held = store->enter(keyOf(0));
  store->enter(keyOf(1)).reset();
  for (const auto &file : fs::directory_iterator(root + "/locks"))
    age(file.path(), 8 * 86400);
  store->sweep();
  EXPECT_EQ(std::distance(fs::directory_iterator(root + "/locks"),
                          fs::directory_iterator()),
            1);
}

TEST_F(UpkeepTest, ACacheIsTaggedForProgramsThatCopyFolders) {
  open();
  std::ifstream tag(root + "/CACHEDIR.TAG");
  std::string line;
  std::getline(tag, line);
  EXPECT_EQ(line, "Signature: 8a477f597d28d172789f06886806bc55");
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

TEST_F(UpkeepTest, AReadOnlyStoreServesAndChangesNothing) {
  { auto store = open(); put(*store, 0); }
  age(pathOf(0), 7200);
  config.mode = LocalMode::ReadOnly;
  auto store = open();
  EXPECT_TRUE(store->get(keyOf(0), environment).hit());
  EXPECT_GE(ageOf(pathOf(0)), 7000);
  put(*store, 1);
  EXPECT_FALSE(fs::exists(pathOf(1)));
  EXPECT_EQ(store->stats().putSkips, 1u);
  {
    std::ofstream file(pathOf(0), std::ios::trunc);
    file << "damaged";
  }
  EXPECT_FALSE(store->get(keyOf(0), environment).hit());
  EXPECT_TRUE(fs::exists(pathOf(0)));
}

TEST_F(UpkeepTest, AReadOnlyStoreIsNotMade) {
  config.mode = LocalMode::ReadOnly;
  EXPECT_FALSE(bool(LocalStore::open(root, keys, config)));
  EXPECT_FALSE(fs::exists(root));
}

TEST_F(UpkeepTest, AWriteOnlyStoreAndRecachingBypassWhatIsThere) {
  { auto store = open(); put(*store, 0); }
  config.mode = LocalMode::WriteOnly;
  EXPECT_FALSE(open()->get(keyOf(0), environment).hit());
  config.mode = LocalMode::ReadWrite;
  config.recache = true;
  auto store = open();
  EXPECT_FALSE(store->get(keyOf(0), environment).hit());
  EXPECT_EQ(store->stats().bypasses, 1u);
  put(*store, 0);
  config.recache = false;
  EXPECT_TRUE(open()->get(keyOf(0), environment).hit());
}

TEST_F(UpkeepTest, AFullDiskIsNotWrittenTo) {
  config.minFreeBytes = UINT64_MAX;
  auto store = open();
  Status s = store->put(keyOf(0), environment, {},
                         std::string_view("x"));
  ASSERT_FALSE(bool(s));
  EXPECT_NE(s.error().message.find("KILN_CACHE_MIN_FREE"), std::string::npos);
  EXPECT_EQ(store->stats().putSkips, 1u);
  EXPECT_EQ(store->report().reasons.count("put_skip: lowdisk"), 1u);
}

TEST_F(UpkeepTest, DamageIsKeptAsideIfThatIsWanted) {
  config.quarantine = true;
  auto store = open();
  put(*store, 0);
  {
    std::ofstream file(pathOf(0), std::ios::trunc);
    file << "damaged";
  }
  Lookup lookup = store->get(keyOf(0), environment);
  EXPECT_FALSE(lookup.hit());
  EXPECT_TRUE(lookup.damaged);
  EXPECT_FALSE(fs::exists(pathOf(0)));
  EXPECT_EQ(std::distance(fs::directory_iterator(root + "/quarantine"),
                          fs::directory_iterator()),
            1);
}

TEST_F(UpkeepTest, AGroupSharesACache) {
  config.group = ::getegid();
  auto store = open();
  put(*store, 0);
  EXPECT_TRUE(store->get(keyOf(0), environment).hit());
  struct stat info = {};
  ASSERT_EQ(::stat(root.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 02770u);
  ASSERT_EQ(::stat(pathOf(0).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0660u);
  EXPECT_EQ(info.st_gid, ::getegid());
  // For one user alone it is too open, and for another group a stranger's.
  config.group.reset();
  EXPECT_FALSE(bool(LocalStore::open(root, keys, config)));
  config.group = ::getegid() + 1;
  EXPECT_FALSE(bool(LocalStore::open(root, keys, config)));
}

//===----------------------------------------------------------------------===//
// Single flight
//===----------------------------------------------------------------------===//

TEST_F(UpkeepTest, ThreadsOfOneProcessMakeAKeyOnce) {
  std::atomic<int> made{0}, right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      auto store = open();
      FlightPtr flight = store->enter(keyOf(0));
      if (!store->get(keyOf(0), environment).hit()) {
        ++made;
        put(*store, 0);
      }
      right += store->get(keyOf(0), environment).hit();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(right, 8);
}

TEST_F(UpkeepTest, NobodyWaitsForEver) {
  config.lockTimeoutSeconds = 0.05;
  auto store = open();
  FlightPtr first = store->enter(keyOf(0));
  FlightPtr second = store->enter(keyOf(0));
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(store->stats().lockTimeouts, 1u);
  // Another key is another matter.
  store->enter(keyOf(1));
  EXPECT_EQ(store->stats().lockTimeouts, 1u);
}

TEST_F(UpkeepTest, WhereNothingCanBeLockedEverybodyCompiles) {
  auto store = open();
  fs::remove_all(root + "/locks");
  std::ofstream(root + "/locks") << "no folder";
  FlightPtr flight = store->enter(keyOf(0));
  EXPECT_NE(flight, nullptr);
  EXPECT_EQ(store->stats().lockTimeouts, 0u);
}
