//===- BestConfigTest.cpp - Winners of autotuning as text -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `.best_config` comes from a folder or a server that anybody may write to:
// whatever it is, decoding ends, and what it gives is a schedule that was asked
// for.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Compiler/BestConfig.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kiln;
using namespace kiln::compiler;

namespace {

const std::vector<std::string> kCandidates = {
    "#loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true, grain "
    "= 4>",
    "#loop.across<lanes = 8, chunk = 64, sum_block = 0, masked = true, grain = "
    "4>",
    "#loop.within<along = [16, 2], sum_block = 128, masked = true, grain = 4>"};

/// Of which the first two differ in a word alone.
const std::vector<std::string> kAlike = {
    "#loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true, grain "
    "= 4>",
    "#loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = false, grain "
    "= 4>"};

using Members = std::vector<std::pair<std::string, std::string>>;

/// The members that make the first candidate, each with its text.
Members getMembers(const std::vector<std::string> &candidates = kCandidates) {
  return {{"chunk", "64"},
          {"configs_hash", '"' + hashConfigs(candidates) + '"'},
          {"default_ns", "5200"},
          {"found_by_coordesc", "false"},
          {"grain", "4"},
          {"kind", "\"across\""},
          {"lanes", "16"},
          {"num_stages", "1"},
          {"num_warps", "1"},
          {"sum_block", "0"},
          {"time_ns", "4800"},
          {"time_taken_ms", "0"},
          {"triton_cache_hash", "null"}};
}

std::string print(const Members &members) {
  std::string text;
  for (const auto &[key, value] : members)
    text += (text.empty() ? "{\"" : ",\"") + key + "\":" + value;
  return text + "}";
}

/// With another text of one member, which may be a new one.
std::string with(const std::string &name, const std::string &value) {
  Members members = getMembers();
  auto found = std::find_if(members.begin(), members.end(),
                            [&](const auto &m) { return m.first == name; });
  if (found == members.end())
    members.emplace_back(name, value);
  else
    found->second = value;
  return print(members);
}

std::string without(const std::string &name) {
  Members members = getMembers();
  members.erase(std::remove_if(members.begin(), members.end(),
                               [&](const auto &m) { return m.first == name; }),
                members.end());
  return print(members);
}

std::string nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

std::string decode(const std::string &text, bool descends = false,
                   const std::vector<std::string> &candidates = kCandidates) {
  auto config = decodeBestConfig(text, candidates, descends);
  return config ? config->schedule : config.takeError().message;
}

TEST(BestConfig, WhatIsWrittenIsRead) {
  for (const auto &candidates : {kCandidates, kAlike})
    for (const std::string &candidate : candidates)
      for (bool byDescent : {false, true}) {
        std::string text =
            encodeBestConfig({candidate, 4800, 5200, byDescent}, candidates);
        for (bool descends : {false, true}) {
          auto config = decodeBestConfig(text, candidates, descends);
          ASSERT_TRUE(bool(config)) << text;
          EXPECT_EQ(config->schedule, candidate);
          EXPECT_EQ(config->nanoseconds, 4800);
          EXPECT_EQ(config->defaultNanoseconds, 5200);
          EXPECT_EQ(config->byDescent, byDescent);
        }
      }
}

TEST(BestConfig, WhatIsAccepted) {
  Members turned = getMembers();
  std::reverse(turned.begin(), turned.end());
  const std::string good[] = {
      print(getMembers()), print(turned), " \n" + print(getMembers()) + "\n",
      // Nothing reads them here.
      without("time_taken_ms"), without("triton_cache_hash"),
      with("triton_cache_hash", "\"abc\""),
      with("time_ns", "9223372036854775807"),
      with("words", "\"#loop.across<lanes = , chunk = , sum_block = , masked = "
                    "true, grain = >\"")};
  for (const std::string &text : good)
    EXPECT_EQ(decode(text), kCandidates[0]) << text;
}

/// A text, and what the error says; nothing where JSON is at fault, which has
/// messages of its own.
struct Refused {
  std::string text, complaint;
};

void expectRefused(const std::vector<Refused> &cases) {
  for (const Refused &c : cases) {
    auto config = decodeBestConfig(c.text, kCandidates, /*descends=*/false);
    std::string shown = c.text.substr(0, 400);
    ASSERT_FALSE(bool(config)) << shown;
    Error error = config.takeError();
    EXPECT_EQ(error.kind, ErrorKind::Malformed) << shown;
    EXPECT_NE(error.message.find(c.complaint), std::string::npos)
        << error.message << "\n"
        << shown;
    if (c.complaint.empty())
      EXPECT_EQ(error.message.find("candidates"), std::string::npos) << shown;
  }
}

constexpr char kFits[] = "fits 0 candidates";

TEST(BestConfig, WhatIsNoObject) {
  const std::string good = print(getMembers());
  expectRefused({{"", ""},
                 {" ", ""},
                 {std::string(1, '\0'), ""},
                 {"null", "expected an object"},
                 {"[]", "expected an object"},
                 {"1", "expected an object"},
                 {"\"across\"", "expected an object"},
                 {"[" + good + "]", "expected an object"},
                 {good + "}", ""},
                 {good + good, ""},
                 {good + std::string(1, '\0'), ""},
                 {good.substr(1), ""}});
}

TEST(BestConfig, WhatIsMissing) {
  expectRefused({{"{}", "configs_hash"},
                 {without("configs_hash"), "configs_hash"},
                 {without("kind"), "kind"},
                 {without("found_by_coordesc"), "found_by_coordesc"},
                 {without("default_ns"), "default_ns"},
                 {without("time_ns"), "time_ns"},
                 {without("num_stages"), "num_stages"},
                 {without("num_warps"), "num_warps"},
                 {without("lanes"), kFits}});
}

TEST(BestConfig, OtherTypes) {
  expectRefused({{with("configs_hash", "1"), "configs_hash"},
                 {with("configs_hash", "null"), "configs_hash"},
                 {with("kind", "null"), "kind"},
                 {with("kind", "[\"across\"]"), "kind"},
                 {with("found_by_coordesc", "0"), "found_by_coordesc"},
                 {with("found_by_coordesc", "\"false\""), "found_by_coordesc"},
                 {with("time_ns", "4800.0"), "time_ns"},
                 {with("time_ns", "\"4800\""), "time_ns"},
                 {with("default_ns", "false"), "default_ns"},
                 {with("words", "5"), "words"},
                 {with("lanes", "true"), "lanes"},
                 {with("lanes", "\"16\""), "lanes"},
                 {with("lanes", "16.0"), "lanes"},
                 {with("lanes", "1.6e1"), "lanes"},
                 {with("lanes", "null"), "lanes"},
                 {with("lanes", "[16]"), "lanes"},
                 {with("lanes", "{\"lanes\":16}"), "lanes"},
                 {with("lanes", "016"), ""},
                 {with("lanes", "0x10"), ""},
                 {with("lanes", "NaN"), ""}});
}

TEST(BestConfig, OtherNumbers) {
  expectRefused({{with("lanes", "-16"), "lanes"},
                 {with("lanes", "1000000001"), "lanes"},
                 {with("lanes", "4294967312"), "lanes"},
                 {with("lanes", "18446744073709551632"), "lanes"},
                 {with("lanes", "1e300"), "lanes"},
                 {with("lanes", "1e999"), ""},
                 {with("lanes", std::string(1000, '9')), ""},
                 {with("time_ns", "-1"), "time_ns"},
                 {with("time_ns", "9223372036854775808"), "time_ns"},
                 {with("num_warps", "2"), "num_warps"},
                 {with("num_stages", "0"), "num_stages"},
                 {with("lanes", "32"), kFits},
                 {with("lanes", "0"), kFits},
                 {with("kind", "\"within\""), kFits},
                 {with("kind", "\"\""), kFits},
                 {with("words", "\"\""), kFits}});
}

TEST(BestConfig, UnknownMembers) {
  expectRefused({{with("XBLOCK", "16"), kFits},
                 {with("along.0", "16"), kFits},
                 {with("", "16"), kFits},
                 {with("note", "\"mine\""), "note"},
                 {with("kiln_integrity", "{\"v\":1}"), "kiln_integrity"}});
}

TEST(BestConfig, OtherCandidates) {
  expectRefused(
      {{with("configs_hash", "\"\""), "other candidates"},
       {with("configs_hash", '"' + std::string(64, '0') + '"'),
        "other candidates"},
       {with("configs_hash", '"' + hashConfigs(kAlike) + '"'),
        "other candidates"},
       {with("configs_hash",
             '"' +
                 hashConfigs({kCandidates[1], kCandidates[0], kCandidates[2]}) +
                 '"'),
        "other candidates"}});
}

TEST(BestConfig, TheSameKeyTwice) {
  const std::string good = print(getMembers());
  expectRefused(
      {{"{\"lanes\":16," + good.substr(1), "occurs twice"},
       {"{\"lanes\":8," + good.substr(1), "occurs twice"},
       {"{\"kind\":\"within\"," + good.substr(1), "occurs twice"},
       {"{\"configs\\u005fhash\":\"\"," + good.substr(1), "occurs twice"}});
}

TEST(BestConfig, DepthAndLength) {
  const std::string good = print(getMembers());
  expectRefused({{with("lanes", nested(4)), ""},
                 {with("lanes", nested(100000)), ""},
                 {with("lanes", std::string(30000, '[')), ""},
                 {nested(100000), ""},
                 {good + std::string(64 << 10, ' '), ""},
                 {with("kind", '"' + std::string(64 << 10, 'a') + '"'), ""}});
}

TEST(BestConfig, WhatIsNoText) {
  expectRefused({{with("kind", "\"acro\xffss\""), ""},
                 {with("kind", "\"\xc0\xafross\""), ""},
                 {with("kind", "\"acro\xe2\x82\""), ""},
                 {with("kind", "\"acro\\ud800ss\""), ""},
                 {with("kind", "\"ac\nross\""), ""},
                 {"\xef\xbb\xbf{}", ""},
                 {"\xff\xfe{", ""}});
}

// Not one member may be many.
TEST(BestConfig, ManyMembersAreRefused) {
  Members members = getMembers();
  for (int i = 0; i < 4096; ++i)
    members.emplace_back("m" + std::to_string(i), "1");
  ASSERT_LT(print(members).size(), size_t(64 << 10));
  EXPECT_EQ(decode(print(members)).find("#loop"), std::string::npos);
}

TEST(BestConfig, NoBeginningIsRead) {
  const std::string good = print(getMembers());
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(bool(decodeBestConfig(good.substr(0, length), kCandidates,
                                       /*descends=*/true)))
        << length;
}

// A text that was changed says what was measured of another candidate, or
// nothing.
TEST(BestConfig, NoBitMakesAScheduleUp) {
  const std::string good = print(getMembers());
  unsigned read = 0;
  for (size_t i = 0; i < good.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string text = good;
      text[i] = char(text[i] ^ (1 << bit));
      auto config = decodeBestConfig(text, kCandidates, /*descends=*/false);
      if (!config)
        continue;
      ++read;
      EXPECT_NE(
          std::find(kCandidates.begin(), kCandidates.end(), config->schedule),
          kCandidates.end())
          << text;
    }
  // Times are numbers like others.
  EXPECT_GT(read, 0u);
}

TEST(BestConfig, SeveralMatchesAreNone) {
  std::string text = print(getMembers(kAlike));
  for (bool descends : {false, true})
    EXPECT_NE(decode(text, descends, kAlike).find("fits 2 candidates"),
              std::string::npos);
  EXPECT_NE(decode(print(getMembers({})), false, {}).find("fits 0 candidates"),
            std::string::npos);
}

// Descent leaves the candidates, but not the schedules that have the same
// numbers.
TEST(BestConfig, DescentMayEndElsewhere) {
  std::string ended =
      "#loop.across<lanes = 32, chunk = 64, sum_block = 0, masked "
      "= true, grain = 4>";
  std::string text = encodeBestConfig({ended, 4800, 5200, true}, kCandidates);
  EXPECT_NE(decode(text).find("fits 0 candidates"), std::string::npos);
  EXPECT_EQ(decode(text, /*descends=*/true), ended);
  EXPECT_NE(decode(with("XBLOCK", "16"), true).find("fits 0 candidates"),
            std::string::npos);
  EXPECT_NE(decode(without("lanes"), true).find("fits 0 candidates"),
            std::string::npos);
  EXPECT_NE(decode(with("lanes", "1000000001"), true).find("lanes"),
            std::string::npos);
}

} // namespace
