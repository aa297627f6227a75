//===- OpCasesTest.cpp - Eager operators against PyTorch's values ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pack in the folders that KILN_OP_CASES names (separated by colons)
// whose overload is registered is one test; each of its cases must pass.
//
//===----------------------------------------------------------------------===//

#include "OpCaseRunner.h"
#include "kiln/Eager/Registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace kiln;

static const runtime::OperatorRegistry &operators() {
  static const runtime::OperatorRegistry registry = [] {
    runtime::OperatorRegistry result;
    auto status = eager::registerAll(result);
    EXPECT_TRUE(status) << status.error().message;
    return result;
  }();
  return registry;
}

static std::vector<std::string> packPaths() {
  std::vector<std::string> paths;
  const char *folders = std::getenv("KILN_OP_CASES");
  std::stringstream stream(folders ? folders : "");
  for (std::string folder; std::getline(stream, folder, ':');) {
    std::error_code error;
    for (const auto &entry :
         std::filesystem::directory_iterator(folder, error)) {
      std::string overload = entry.path().stem().string();
      if (entry.path().extension() == ".json" && operators().find(overload))
        paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

namespace {
class OpCasesTest : public testing::TestWithParam<std::string> {};
} // namespace

TEST_P(OpCasesTest, EveryCaseAgreesWithPyTorch) {
  auto pack = archive::loadOpPack(GetParam());
  ASSERT_TRUE(pack) << pack.error().message;
  ASSERT_FALSE(pack->cases.empty());
  auto parameters = test::parseSchema(pack->schema);
  runtime::OpFunction function = operators().find(pack->overload);
  ASSERT_NE(function, nullptr);
  for (const archive::OpCase &opCase : pack->cases) {
    std::string text = test::runCase(function, parameters, opCase);
    EXPECT_TRUE(text.empty()) << opCase.id << ": " << text;
    RecordProperty("cases", int(pack->cases.size()));
  }
}

static std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Packs, OpCasesTest, testing::ValuesIn(packPaths()),
                         nameOf);

TEST(OpCasesSetup, FindsThePacks) {
  EXPECT_GE(packPaths().size(), 15u)
      << "KILN_OP_CASES names no folder with operator cases";
}
