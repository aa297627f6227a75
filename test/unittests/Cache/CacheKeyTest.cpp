//===- CacheKeyTest.cpp ---------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheKey.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::cache;

static Digest keyOf(std::string_view model, std::string_view options) {
  CacheKeyBuilder builder(KeyKind::FxGraph);
  builder.addText(KeyTag::Model, "model", model);
  builder.addText(KeyTag::Options, "options", options);
  return builder.finish().digest;
}

TEST(CacheKey, EqualPartsGiveEqualKeys) {
  EXPECT_EQ(keyOf("m", "a=1\n"), keyOf("m", "a=1\n"));
}

TEST(CacheKey, BytesCannotMoveBetweenFields) {
  EXPECT_NE(keyOf("ab", "c"), keyOf("a", "bc"));
  EXPECT_NE(keyOf("", "abc"), keyOf("abc", ""));
}

TEST(CacheKey, ListsDoNotRunTogether) {
  auto key = [](std::vector<std::string> ids) {
    CacheKeyBuilder builder(KeyKind::Environment);
    builder.addTexts(KeyTag::BuildIds, "build ids", ids);
    return builder.finish().digest;
  };
  EXPECT_NE(key({"ab", "c"}), key({"a", "bc"}));
  EXPECT_NE(key({"ab"}), key({"a", "b"}));
  EXPECT_NE(key({}), key({""}));
}

TEST(CacheKey, KindIsPartOfTheKey) {
  auto key = [](KeyKind kind) {
    CacheKeyBuilder builder(kind);
    builder.addNumber(KeyTag::KernelAbi, "abi", 1);
    return builder.finish().digest;
  };
  EXPECT_NE(key(KeyKind::FxGraph), key(KeyKind::AotAutograd));
}

TEST(CacheKey, PartsKeepTheirLabels) {
  CacheKeyBuilder builder(KeyKind::FxGraph);
  builder.addText(KeyTag::Options, "options", "backend=eager\n");
  CacheKey key = builder.finish();
  ASSERT_EQ(key.parts.size(), 1u);
  EXPECT_EQ(key.parts[0].label, "options");
  EXPECT_EQ(key.parts[0].value, "backend=eager\n");
}
