//===- CompilerFiles.cpp - The files that a compiler is made of -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerFiles.h"

#include "kiln/Base/DynamicNeeds.h"
#include "kiln/Session/ProgramKey.h"

#include <cstdlib>
#include <link.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::session;

static constexpr char kCompiler[] = "libKilnCompiler.so";
static constexpr const char *kSystemFolders[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
    "/usr/lib64", "/lib", "/usr/lib"};
/// Needed libraries that make code, by how their names begin.
static constexpr struct {
  const char *label, *prefix;
} kBackEnds[] = {{"mlir", "libMLIR.so"}, {"llvm", "libLLVM.so"}};

static std::string_view nameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The path of a library that is loaded under this name; empty if none is.
static std::string findLoaded(std::string_view name) {
  struct Search {
    std::string_view name;
    std::string path;
  } search = {name, ""};
  dl_iterate_phdr(
      [](struct dl_phdr_info *info, size_t, void *data) {
        auto *search = static_cast<Search *>(data);
        if (!info->dlpi_name || nameOf(info->dlpi_name) != search->name)
          return 0;
        search->path = info->dlpi_name;
        return 1;
      },
      &search);
  return search.path;
}

/// Where LD_LIBRARY_PATH and the run path say that libraries are.
static std::vector<std::string>
foldersOf(const std::vector<std::string> &runPath, const std::string &origin) {
  std::vector<std::string> folders;
  const char *variable = std::getenv("LD_LIBRARY_PATH");
  std::string path = variable ? variable : "";
  for (size_t begin = 0; !path.empty() && begin <= path.size();) {
    size_t end = std::min(path.find_first_of(":;", begin), path.size());
    // An empty part is the working folder.
    folders.push_back(end > begin ? path.substr(begin, end - begin) : ".");
    begin = end + 1;
  }
  for (std::string folder : runPath) {
    for (std::string_view word : {"$ORIGIN", "${ORIGIN}"})
      if (size_t at = folder.find(word); at != std::string::npos)
        folder.replace(at, word.size(), origin);
    folders.push_back(std::move(folder));
  }
  folders.insert(folders.end(), std::begin(kSystemFolders),
                 std::end(kSystemFolders));
  return folders;
}

static std::string idOf(const std::string &path) {
  auto id = path.empty() ? Result<std::string>(Error::io("no file"))
                         : readBuildId(path);
  return id ? *id : "none";
}

std::vector<cache::KeyPart> session::findBuildIds() {
  const std::string folder = libraryFolder();
  const std::string compiler = folder + "/" + kCompiler;
  std::vector<cache::KeyPart> ids = {
      {"compiler", idOf(compiler)},
      {"runtime", idOf(folder + "/libKilnRuntime.so")}};
  auto needs = readDynamicNeeds(compiler);
  std::vector<std::string> folders =
      foldersOf(needs ? needs->folders : std::vector<std::string>(), folder);
  for (auto [label, prefix] : kBackEnds) {
    std::string path;
    for (const std::string &name :
         needs ? needs->needed : std::vector<std::string>()) {
      if (name.rfind(prefix, 0) != 0)
        continue;
      path = findLoaded(name);
      for (size_t i = 0; path.empty() && i < folders.size(); ++i)
        if (std::string file = folders[i] + "/" + name;
            ::access(file.c_str(), R_OK) == 0)
          path = file;
    }
    ids.push_back({label, idOf(path)});
  }
  return ids;
}

std::string
session::compareWithLoaded(const std::vector<cache::KeyPart> &found) {
  auto needs = readDynamicNeeds(libraryFolder() + "/" + kCompiler);
  for (auto [label, prefix] : kBackEnds)
    for (const std::string &name :
         needs ? needs->needed : std::vector<std::string>()) {
      if (name.rfind(prefix, 0) != 0)
        continue;
      std::string path = findLoaded(name), id = idOf(path);
      for (const cache::KeyPart &part : found)
        if (part.label == label && part.value != id)
          return "the compiler loaded '" + path + "' with build id " + id +
                 ", expected " + part.value;
    }
  return "";
}
