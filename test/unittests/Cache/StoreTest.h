//===- StoreTest.h - A store in a folder of its own -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CACHE_STORETEST_H
#define KILN_TEST_UNITTESTS_CACHE_STORETEST_H

#include "kiln/Cache/LocalStore.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace kiln::cache {

/// Opens a store as often as a test asks for it, and removes it behind the test.
class StoreTest : public ::testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/kiln-store-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    root = std::string(pattern) + "/cache";
    config.minFreeBytes = 0;
  }
  void TearDown() override {
    std::filesystem::remove_all(std::filesystem::path(root).parent_path());
  }

  std::unique_ptr<LocalStore> open() {
    auto store = LocalStore::open(root, keys, config);
    EXPECT_TRUE(bool(store)) << (store ? "" : store.error().message);
    return store ? std::move(*store) : nullptr;
  }

  KeyRingPtr keys = std::make_shared<KeyRing>(
      Seed({1}), std::vector<PublicKey>(), std::vector<PublicKey>());
  std::string root;
  LocalConfig config;
  Digest environment = sha256(std::string_view("environment"));
};

} // namespace kiln::cache

#endif // KILN_TEST_UNITTESTS_CACHE_STORETEST_H
