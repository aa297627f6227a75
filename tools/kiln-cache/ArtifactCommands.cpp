//===- ArtifactCommands.cpp - save, load ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "common/Output.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Session/CacheArtifacts.h"

using namespace kiln;
using namespace kiln::cachetool;
using tools::print;

static Result<int> save(int argc, char **argv) {
  CacheFlags flags;
  if (Status s = flags.parse(argc, argv, 1); !s)
    return s.takeError();
  auto made = saveCacheArtifacts(flags.config());
  if (!made)
    return made.takeError();
  if (!*made)
    return Error::io("nothing to save: '" + flags.config().root +
                     "' has no entry of this compiler for this machine");
  if (Status s = writeFile(flags.words().front(), (*made)->bytes); !s)
    return s.takeError();
  print((*made)->info.json() + "\n");
  return 0;
}

static Result<int> load(int argc, char **argv) {
  CacheFlags flags;
  if (Status s = flags.parse(argc, argv, 1); !s)
    return s.takeError();
  const std::string &path = flags.words().front();
  auto bytes = readFile(path, uint64_t(4) << 30);
  if (!bytes)
    return bytes.takeError();
  auto info = loadCacheArtifacts(*bytes, flags.config());
  if (!info)
    return info.error().withContext("'" + path + "'");
  print(info->json() + "\n");
  return 0;
}

std::vector<Command> cachetool::artifactCommands() {
  return {
      {"save", "FILE",
       "writes the entries for this compiler and machine into\n"
       "one signed file, and says which",
       save},
      {"load", "FILE",
       "puts the entries of such a file into the cache; those\n"
       "of another compiler or machine are skipped",
       load},
  };
}
