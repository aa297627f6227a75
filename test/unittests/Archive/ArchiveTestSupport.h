//===- ArchiveTestSupport.h - Hand-made archives for tests ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_ARCHIVETESTSUPPORT_H
#define KILN_TEST_ARCHIVETESTSUPPORT_H

#include "ZipBuilder.h"

#include "kiln/Base/FileSystem.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace kiln::archive {

/// A folder that is gone after the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "/kiln-archive-XXXXXX";
    path_ = mkdtemp(pattern.data()) ? pattern : "";
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string &name) const { return path_ + "/" + name; }
  void write(const std::string &name, const std::string &text) const {
    ASSERT_TRUE(writeFile(file(name), ByteView(std::string_view(text))));
  }

private:
  std::string path_;
};

/// Checks kind and words of an error.
template <typename R>
void expectError(const R &result, ErrorKind kind,
                 std::initializer_list<const char *> words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, kind) << result.error().message;
  for (const char *word : words)
    EXPECT_NE(result.error().message.find(word), std::string::npos)
        << "'" << word << "' in: " << result.error().message;
}

} // namespace kiln::archive

#endif // KILN_TEST_ARCHIVETESTSUPPORT_H
