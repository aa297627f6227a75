//===- SourceTest.cpp - What a model is, and that it is read once ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArchive.h"

#include "kiln/ABI/PackageABI.h"
#include "kiln/Archive/Source.h"
#include "kiln/Base/FileSystem.h"

#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::archive;

TEST(Source, AnArchiveHasAProgram) {
  auto source = Source::open(getSampleArchive());
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->form, SourceForm::Program);
  ASSERT_NE((*source)->program, nullptr);
  EXPECT_EQ((*source)->digest, (*source)->program->digest);
  EXPECT_EQ((*source)->path, getSampleArchive());
}

TEST(Source, BytesSayWhatTheyAre) {
  auto bytes = readFile(getSampleArchive());
  ASSERT_TRUE(bytes);
  auto archive = Source::read(SharedBytes::own(std::move(*bytes)), "<stdin>");
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_EQ((*archive)->form, SourceForm::Program);
  EXPECT_EQ((*archive)->path, "<stdin>");
  EXPECT_EQ((*archive)->digest, (*Source::open(getSampleArchive()))->digest);

  std::string text = "func.func @main()";
  auto module = Source::read(SharedBytes::own(text), "<stdin>");
  ASSERT_TRUE(module);
  EXPECT_EQ((*module)->form, SourceForm::Module);
  EXPECT_EQ((*module)->bytes.text(), text);
  EXPECT_EQ((*module)->digest, sha256(ByteView(std::string_view(text))));
  EXPECT_EQ((*module)->program, nullptr);

  auto package = Source::read(
      SharedBytes::own(std::string(KILN_PACKAGE_MAGIC, 8)), "<stdin>");
  ASSERT_TRUE(package);
  EXPECT_EQ((*package)->form, SourceForm::Package);
}

TEST(Source, AFileThatIsNotThereIsNamed) {
  for (const char *path : {"/nowhere/m.pt2", "/nowhere/m.mlir",
                           "/nowhere/m.mlirbc", "/nowhere/m.kiln"}) {
    auto source = Source::open(path);
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().kind, ErrorKind::Io);
    EXPECT_NE(source.error().message.find(path), std::string::npos);
  }
}
