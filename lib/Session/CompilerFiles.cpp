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

namespace {
/// A library of this process.
struct Loaded {
  std::string path; ///< empty if none of the name is loaded
  std::string id;   ///< its build id, "none" if it has none
};
} // namespace

/// Read from memory: the file at the path may be another by now.
static Loaded findLoaded(std::string_view name) {
  struct Search {
    std::string_view name;
    Loaded found;
  } search = {name, {"", "none"}};
  dl_iterate_phdr(
      [](struct dl_phdr_info *info, size_t, void *data) {
        auto *search = static_cast<Search *>(data);
        if (!info->dlpi_name || nameOf(info->dlpi_name) != search->name)
          return 0;
        search->found.path = info->dlpi_name;
        for (size_t i = 0; i < info->dlpi_phnum; ++i) {
          const auto &segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE)
            continue;
          auto *notes = reinterpret_cast<const uint8_t *>(info->dlpi_addr +
                                                          segment.p_vaddr);
          std::string id = findBuildId(ByteView(notes, segment.p_memsz),
                                       segment.p_align);
          if (!id.empty())
            search->found.id = std::move(id);
        }
        return 1;
      },
      &search);
  return search.found;
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

/// Names of the libraries that make code, by their labels.
static std::vector<std::pair<std::string, std::string>>
namesOf(const Result<DynamicNeeds> &needs) {
  std::vector<std::pair<std::string, std::string>> names = {
      {"compiler", kCompiler}, {"runtime", "libKilnRuntime.so"}};
  for (auto [label, prefix] : kBackEnds) {
    names.emplace_back(label, "");
    if (needs)
      for (const std::string &name : needs->needed)
        if (name.rfind(prefix, 0) == 0)
          names.back().second = name;
  }
  return names;
}

std::vector<cache::KeyPart> session::findBuildIds() {
  const std::string own = libraryFolder();
  auto needs = readDynamicNeeds(own + "/" + kCompiler);
  const std::vector<std::string> folders =
      foldersOf(needs ? needs->folders : std::vector<std::string>(), own);
  std::vector<cache::KeyPart> ids;
  for (const auto &[label, name] : namesOf(needs)) {
    Loaded loaded = findLoaded(name);
    if (!loaded.path.empty()) {
      ids.push_back({label, loaded.id});
      continue;
    }
    // Kiln's own lie together, wherever variables point.
    bool isOwn = label == "compiler" || label == "runtime";
    std::string path = isOwn ? own + "/" + name : "";
    for (size_t i = 0; !name.empty() && path.empty() && i < folders.size(); ++i)
      if (std::string file = folders[i] + "/" + name;
          ::access(file.c_str(), R_OK) == 0)
        path = file;
    ids.push_back({label, idOf(path)});
  }
  return ids;
}

std::string
session::compareWithLoaded(const std::vector<cache::KeyPart> &found) {
  auto needs = readDynamicNeeds(libraryFolder() + "/" + kCompiler);
  for (const auto &[label, name] : namesOf(needs)) {
    Loaded loaded = findLoaded(name);
    for (const cache::KeyPart &part : found)
      if (part.label == label && part.value != loaded.id)
        return "the compiler loaded '" + loaded.path + "' with build id " +
               loaded.id + ", expected " + part.value;
  }
  return "";
}
