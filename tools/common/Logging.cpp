//===- Logging.cpp - Log words ---------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Logging.h"

#include "kiln/Base/Log.h"

#include <cstdio>
#include <cstdlib>

using namespace kiln;
using namespace kiln::tools;

static void warn(const std::string &tool, const std::string &text) {
  std::fprintf(stderr, "%s: warning: %s\n", tool.c_str(), text.c_str());
}

Status tools::configureLogs(const std::string &tool,
                            const std::optional<std::string> &flag) {
  log::setSink([tool](std::string_view, log::Level level,
                      std::string_view text) {
    if (level >= log::Level::Warning)
      return warn(tool, std::string(text));
    bool ends = !text.empty() && text.back() == '\n';
    std::fprintf(stderr, "%.*s%s", static_cast<int>(text.size()), text.data(),
                 ends ? "" : "\n");
  });
  if (flag) {
    Status configured = log::configure(*flag);
    return configured ? Status::success()
                      : Status(configured.error().withContext("--log"));
  }
  const char *variable = std::getenv("TORCH_LOGS");
  std::vector<std::string> unknown;
  if (Status s = log::configure(variable ? variable : "", &unknown); !s)
    return s.error().withContext("TORCH_LOGS");
  if (unknown.empty())
    return Status::success();
  std::string ignored, known;
  for (const std::string &word : unknown)
    ignored += (ignored.empty() ? "'" : ", '") + word + "'";
  for (std::string_view word : log::categories())
    known += (known.empty() ? "" : ", ") + std::string(word);
  warn(tool, "TORCH_LOGS: " + ignored + " ignored, " + tool +
                 " has no such logs; it has all, " + known);
  return Status::success();
}
