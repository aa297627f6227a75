//===- JsonReaderTest.cpp - Reading JSON ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveTestSupport.h"
#include "kiln/Archive/JsonReader.h"

#include <cmath>

using namespace kiln;
using namespace kiln::archive;

TEST(JsonReader, ErrorsNameThePlace) {
  auto document = parseJson(
      R"({"graph": {"nodes": [{"a": 1}, {"inputs": [{"arg": true}]}]}})", "m");
  ASSERT_TRUE(document);
  JsonView nodes = document->root().field("graph").field("nodes");
  EXPECT_EQ(nodes[0].field("a").asInt(), 1);
  EXPECT_EQ(nodes[1].field("inputs")[0].field("arg").asInt(), 0);
  expectError(document->status(), ErrorKind::Malformed,
              {"m: graph.nodes[1].inputs[0].arg", "an integer", "a bool"});
}

TEST(JsonReader, OnlyTheFirstErrorIsKept) {
  auto document = parseJson(R"({"a": 1})", "m");
  document->root().field("b");
  document->root().field("c");
  expectError(document->status(), ErrorKind::Malformed, {"'b' is missing"});
}

TEST(JsonReader, NumbersKeepTheirKind) {
  auto document = parseJson(
      R"([9223372036854775807, 9223372036854775808, 1.0, 1e300, "NaN", true])",
      "m");
  ASSERT_TRUE(document);
  JsonView root = document->root();
  EXPECT_EQ(root[0].asInt(), INT64_MAX);
  EXPECT_EQ(root[1].asDouble(), 9223372036854775808.0);
  EXPECT_EQ(root[3].asDouble(), 1e300);
  EXPECT_TRUE(std::isnan(root[4].asDouble()));
  EXPECT_TRUE(document->status());
  root[1].asInt();
  EXPECT_FALSE(document->status()) << "an integer over 2^63 is no int64";
  auto other = parseJson("[1.0, 300]", "m");
  other->root()[0].asInt();
  EXPECT_FALSE(other->status()) << "a float is no integer";
  auto range = parseJson("[300]", "m");
  EXPECT_EQ(range->root()[0].asInt(0, 255), 255);
  expectError(range->status(), ErrorKind::Malformed, {"0 to 255", "300"});
}

TEST(JsonReader, RefusesDuplicateKeys) {
  expectError(parseJson(R"({"a": 1, "a": 2})", "m"), ErrorKind::Malformed,
              {"\"a\"", "twice"});
  std::string many = "{";
  for (int i = 0; i < 50; ++i)
    many += "\"k" + std::to_string(i) + "\": 0, ";
  EXPECT_TRUE(parseJson(many + "\"x\": 0}", "m"));
  EXPECT_FALSE(parseJson(many + "\"k7\": 0}", "m"));
}

TEST(JsonReader, LimitsDepthSizeAndCount) {
  std::string deep(512, '['), deeper(513, '[');
  EXPECT_TRUE(parseJson(deep + std::string(512, ']'), "m"));
  expectError(parseJson(deeper + std::string(513, ']'), "m"),
              ErrorKind::Malformed, {"512"});
  // A bomb of brackets must not reach the stack.
  EXPECT_FALSE(parseJson(std::string(1000000, '['), "m"));
  JsonLimits small;
  small.bytes = 3;
  EXPECT_FALSE(parseJson("[1,2]", "m", small));
  JsonLimits few;
  few.nodes = 3;
  EXPECT_TRUE(parseJson("[1,2]", "m", few));
  EXPECT_FALSE(parseJson("[1,2,3]", "m", few));
}

TEST(JsonReader, RefusesWhatIsNoJson) {
  for (const char *text : {"", "{", "[1,]", "{\"a\"}", "NaN", "'a'", "01",
                           "[1] 2", "\"\\ud800\"", "\"\xff\""})
    EXPECT_FALSE(parseJson(text, "m")) << text;
}

// The lexer takes it for the end.
TEST(JsonReader, RefusesBytesOfZero) {
  using namespace std::string_view_literals;
  for (auto text : {"{}\0"sv, "{}\0x"sv, "\0{}"sv, "{\"a\0\":1}"sv})
    EXPECT_FALSE(parseJson(text, "f.json")) << text;
}

TEST(JsonReader, BareInfinitiesOnlyWhenAskedFor) {
  const char *text = R"([NaN, -Infinity, Infinity, "a NaN \" NaN"])";
  EXPECT_FALSE(parseJson(text, "m"));
  JsonLimits old;
  old.quoteNonFinite = true;
  auto document = parseJson(text, "m", old);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->root()[1].asDouble(), -HUGE_VAL);
  EXPECT_EQ(document->root()[3].asString(), "a NaN \" NaN");
}

TEST(JsonReader, UnionsHaveOneKey) {
  auto document = parseJson(R"([{"as_int": 3}, {}, {"a": 1, "b": 2}])", "m");
  auto [tag, value] = document->root()[0].asUnion();
  EXPECT_EQ(tag, "as_int");
  EXPECT_EQ(value.asInt(), 3);
  EXPECT_TRUE(document->status());
  document->root()[2].asUnion();
  expectError(document->status(), ErrorKind::Malformed, {"m: [2]", "2 keys"});
}

TEST(JsonReader, QuotesText) {
  EXPECT_EQ(jsonQuote("a\"b\n"), "\"a\\\"b\\n\"");
}
