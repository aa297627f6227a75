//===- SessionTestSupport.h - Sessions over small programs ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_SESSION_SESSIONTESTSUPPORT_H
#define KILN_TEST_UNITTESTS_SESSION_SESSIONTESTSUPPORT_H

#include "kiln/Archive/IoFile.h"
#include "kiln/Base/FileSystem.h"
#include "kiln/Runtime/Compare.h"
#include "kiln/Session/Session.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kiln::test {

/// A folder of its own, removed at the end.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "kiln-session-XXXXXX")
            .string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string &name) const {
    return path_ + "/" + name;
  }

private:
  std::string path_;
};

inline std::string inputs(const std::string &name) {
  const char *root = std::getenv("KILN_TEST_INPUTS");
  return std::string(root ? root : "test/Inputs") + "/pt2/" + name;
}

inline session::SessionOptions options(const std::string &cache = "",
                                       Backend backend = Backend::Eager) {
  session::SessionOptions result;
  result.backend = backend;
  result.threads = 1;
  result.cache = cache::readCacheConfig(cache);
  result.verifyEach = true;
  return result;
}

inline runtime::Tensor tensorOf(const archive::IoValue &value) {
  auto tensor = runtime::Tensor::empty(value.dtype, value.sizes);
  std::memcpy(tensor->data(), value.bytes.data(), value.bytes.size());
  return *tensor;
}

/// Calls a session with a recorded set; empty if the outputs agree, else the
/// error or what differs.
inline std::string callAndCompare(session::Session &session,
                                  const archive::IoSet &set) {
  std::vector<runtime::OpValue> values;
  for (const archive::IoValue &input : set.inputs)
    values.emplace_back(tensorOf(input));
  auto outputs = session.call(values);
  if (!outputs)
    return "error: " + outputs.error().message;
  if (outputs->size() < set.outputs.size())
    return "wrong: too few outputs";
  for (size_t i = 0; i < set.outputs.size(); ++i) {
    auto compared = runtime::compareValues(
        (*outputs)[i], runtime::OpValue(tensorOf(set.outputs[i])),
        runtime::defaultTolerance(set.outputs[i].dtype));
    if (!compared.ok)
      return "wrong: " + compared.message;
  }
  return "";
}

} // namespace kiln::test

#endif // KILN_TEST_UNITTESTS_SESSION_SESSIONTESTSUPPORT_H
