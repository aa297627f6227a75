//===- Commands.cpp - What the commands share -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>

using namespace kiln;
using namespace kiln::cachetool;

std::vector<Command> cachetool::allCommands() {
  std::vector<Command> all;
  for (auto *group : {&lookCommands, &changeCommands, &explainCommands,
                      &keyCommands, &artifactCommands})
    for (const Command &command : group())
      all.push_back(command);
  return all;
}

CacheFlags::CacheFlags() {
  line.value("cache-dir", [this](const std::string &text) -> Status {
    if (text.empty())
      return Error::usage("--cache-dir is empty; expected a folder");
    directory_ = text;
    return Status::success();
  });
}

Status CacheFlags::parse(int argc, char **argv, size_t words,
                         size_t more) {
  if (Status s = line.parse(argc, argv); !s)
    return s;
  size_t count = line.positional().size();
  if (count < words || count > words + more)
    return Error::usage(std::string(argv[0]) + " takes " +
                        std::to_string(words) +
                        (more ? " to " + std::to_string(words + more) : "") +
                        " words, found " +
                        std::to_string(count));
  config_ = cache::readCacheConfig(directory_);
  for (const std::string &warning : config_.warnings)
    std::fprintf(stderr, "kiln-cache: warning: %s\n", warning.c_str());
  return Status::success();
}

Result<std::unique_ptr<cache::LocalStore>> CacheFlags::open() const {
  if (config_.root.empty())
    return Error::usage("the environment permits no cache "
                        "(TORCHINDUCTOR_FORCE_DISABLE_CACHES)");
  // Looking at nothing makes nothing, a key neither.
  struct stat info;
  if (::stat(config_.root.c_str(), &info) != 0 && errno == ENOENT)
    return std::unique_ptr<cache::LocalStore>();
  auto keys = cache::KeyRing::open(config_.keys);
  if (!keys)
    return keys.takeError();
  return cache::LocalStore::openExisting(config_.root, std::move(*keys),
                                         config_.local);
}

std::string cachetool::showBytes(uint64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", value,
                units[unit]);
  return text;
}
