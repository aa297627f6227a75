//===- SizeProfileTest.cpp ------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "kiln/Cache/TieredStore.h"
#include "kiln/Session/SizeProfile.h"

#include <random>
#include <sys/wait.h>

using namespace kiln;
using namespace kiln::test;
using session::Session;
using session::SizeProfile;

static SizeProfile profileOf(std::vector<std::pair<std::string, int64_t>> seen) {
  SizeProfile profile;
  for (const auto &[symbol, value] : seen)
    profile.note(symbol, value);
  return profile;
}

TEST(SizeProfile, OneValueIsAValueAndTwoVary) {
  SizeProfile profile = profileOf({{"a", 4}, {"b", 4}, {"a", 4}, {"b", -1}});
  EXPECT_FALSE(profile.varies("a"));
  EXPECT_TRUE(profile.varies("b"));
  EXPECT_FALSE(profile.varies("c"));
  EXPECT_TRUE(profile.variesAtAll());
}

TEST(SizeProfile, JoiningForgetsNothingInAnyOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    SizeProfile parts[3];
    for (SizeProfile &part : parts)
      for (int i = 0; i < 4; ++i)
        part.note(std::string(1, char('a' + random() % 4)), random() % 2);
    SizeProfile forward, backward;
    for (int i = 0; i < 3; ++i) {
      forward.join(parts[i]);
      backward.join(parts[2 - i]);
    }
    EXPECT_EQ(forward, backward);
    SizeProfile again = forward;
    again.join(forward);
    EXPECT_EQ(again, forward);
  }
}

TEST(SizeProfile, BytesThatItDoesNotWriteAreRefused) {
  SizeProfile profile = profileOf({{"s0", 16}, {"s1", 1}, {"s1", 2}});
  const std::vector<uint8_t> good = profile.encode();
  auto back = SizeProfile::decode(good);
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(*back, profile);
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(SizeProfile::decode(ByteView(good.data(), size)));
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  EXPECT_FALSE(SizeProfile::decode(longer));
  // Whatever else is read is what would be written.
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::vector<uint8_t> flipped = good;
    flipped[bit / 8] ^= uint8_t(1u << (bit % 8));
    if (auto read = SizeProfile::decode(flipped))
      EXPECT_EQ(read->encode(), flipped) << bit;
  }
}

TEST(SizeProfile, WhatAProcessLearntTheNextOneCompilesFor) {
  auto io = archive::loadIoFile(inputs("attention_dynamic_batch/io.json"));
  ASSERT_TRUE(bool(io));
  ScratchFolder scratch;
  auto run = [&](std::initializer_list<const archive::IoSet *> sets) {
    session::SessionOptions wanted = options(scratch / "cache");
    wanted.dynamic = Dynamic::First;
    auto session =
        Session::open(inputs("attention_dynamic_batch/train.pt2"), wanted);
    EXPECT_TRUE(bool(session));
    for (const archive::IoSet *set : sets)
      EXPECT_EQ(callAndCompare(**session, *set), "");
    return (*session)->stats().graphsCompiled;
  };
  EXPECT_EQ(run({&io->main}), 1u);
  // Whatever becomes of what was compiled, what was seen is known.
  auto forget = [&] {
    std::filesystem::remove_all(scratch / "cache/fxgraph");
  };
  forget();
  EXPECT_EQ(run({&io->alts.front()}), 1u);
  forget();
  EXPECT_EQ(run({&io->main, &io->alts.front()}), 1u);
  // A size that never varied stays a number.
  std::filesystem::remove_all(scratch / "cache/pgo");
  forget();
  EXPECT_EQ(run({&io->main, &io->alts.front()}), 2u);
}

/// A folder of one machine before a slot that all of them write.
class MachineStore final : public cache::Store {
public:
  explicit MachineStore(std::vector<uint8_t> &slot) : slot_(slot) {}

  cache::Lookup get(const cache::CacheKey &, const Digest &) override {
    cache::Lookup lookup;
    for (const auto *bytes : {&own_, &slot_})
      if (!bytes->empty() && (bytes == &own_ || *bytes != own_)) {
        cache::DecodedEntry entry;
        entry.payload = *bytes;
        lookup.variants.push_back(std::move(entry));
      }
    return lookup;
  }
  Status put(const cache::CacheKey &, const Digest &, const cache::EntryInfo &,
             ByteView payload) override {
    own_.assign(payload.begin(), payload.end());
    slot_ = own_;
    ++puts;
    return Status::success();
  }
  void remove(const cache::CacheKey &) override {}
  void removeVariant(const cache::CacheKey &, ByteView) override {}
  bool contains(const cache::CacheKey &, const std::set<std::string> &) override {
    return !own_.empty();
  }

  unsigned puts = 0;

private:
  std::vector<uint8_t> own_;
  std::vector<uint8_t> &slot_;
};

// What a machine wrote and another overwrote comes back with its next call.
TEST(SizeProfile, MachinesJoinWhatTheyKnow) {
  archive::Source source;
  const cache::CacheKey key = session::profileKey(source, "");
  std::vector<uint8_t> remote;
  MachineStore first(remote), second(remote);
  SizeProfile small, large;
  small.note("s0", 16);
  large.note("s0", 32);
  EXPECT_FALSE(session::mergeProfile(first, key, small).varies("s0"));
  // The second writes before it could see what the first wrote.
  remote.clear();
  EXPECT_FALSE(session::mergeProfile(second, key, large).varies("s0"));
  EXPECT_TRUE(session::mergeProfile(first, key, small).varies("s0"));
  EXPECT_TRUE(SizeProfile::decode(remote)->varies("s0"));
  EXPECT_TRUE(session::mergeProfile(second, key, large).varies("s0"));
  // Then all of them say the same, and nobody writes.
  unsigned puts = first.puts + second.puts;
  session::mergeProfile(first, key, small);
  session::mergeProfile(second, key, large);
  EXPECT_EQ(first.puts + second.puts, puts);
}

TEST(SizeProfile, ProcessesThatAddAtOnceLoseNothing) {
  ScratchFolder scratch;
  archive::Source source;
  source.digest = sha256(std::string_view("a program"));
  const cache::CacheKey key = session::profileKey(source, "");
  constexpr int processes = 8, facts = 5;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < facts; ++i) {
        auto store = cache::openStore(cache::readCacheConfig(scratch / "cache"));
        SizeProfile seen;
        seen.note("s" + std::to_string(p * facts + i), i);
        seen.note("all", p);
        if (store)
          (void)session::mergeProfile(**store, key, seen);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children)
    ::waitpid(child, nullptr, 0);
  auto store = cache::openStore(cache::readCacheConfig(scratch / "cache"));
  ASSERT_TRUE(bool(store));
  SizeProfile all = session::mergeProfile(**store, key, {});
  EXPECT_EQ(all.size(), size_t(processes * facts + 1));
  EXPECT_TRUE(all.varies("all"));
}
