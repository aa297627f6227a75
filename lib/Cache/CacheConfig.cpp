//===- CacheConfig.cpp - Environment to settings --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheConfig.h"

#include <cctype>
#include <climits>
#include <cstdlib>
#include <pwd.h>
#include <sys/auxv.h>
#include <unistd.h>

using namespace kiln::cache;

static bool readSwitch(const char *name, bool fallback) {
  const char *value = std::getenv(name);
  return value ? std::string(value) == "1" : fallback;
}

/// The user's name with everything but letters, digits, '-' and '_' replaced,
/// so that it is always one path component.
static std::string userName() {
  struct passwd record;
  struct passwd *found = nullptr;
  char buffer[4096];
  std::string name;
  if (getpwuid_r(geteuid(), &record, buffer, sizeof(buffer), &found) == 0 &&
      found)
    name = found->pw_name;
  if (name.empty())
    name = std::to_string(geteuid());
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-')
      c = '_';
  return name;
}

static std::string defaultRoot() {
  const char *temporary = std::getenv("TMPDIR");
  std::string base =
      temporary && temporary[0] == '/' ? temporary : "/tmp";
  while (base.size() > 1 && base.back() == '/')
    base.pop_back();
  return base + "/kiln_" + userName();
}

/// An absolute path without a final slash; empty when that cannot be had.
static std::string normalize(const std::string &path) {
  std::string result = path;
  if (!result.empty() && result[0] != '/') {
    char current[PATH_MAX];
    if (!getcwd(current, sizeof(current)))
      return "";
    result = std::string(current) + "/" + result;
  }
  while (result.size() > 1 && result.back() == '/')
    result.pop_back();
  return result;
}

/// $XDG_CACHE_HOME/kiln; empty without a home.
static std::string xdgRoot() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/')
    return normalize(std::string(cache) + "/kiln");
  const char *home = std::getenv("HOME");
  return home && home[0] == '/' ? normalize(std::string(home) + "/.cache/kiln")
                                : "";
}

/// The folder that the first of the variables with a meaning names, else
/// `fallback`.
static std::string
folderOfEnvironment(std::initializer_list<const char *> names,
                    std::string fallback, std::vector<std::string> &warnings) {
  for (const char *name : names) {
    const char *value = std::getenv(name);
    if (!value)
      continue;
    std::string text = value;
    std::string root = text == "xdg" ? xdgRoot()
                       : !text.empty() && text[0] == '/' ? normalize(text)
                                                         : "";
    if (!root.empty())
      return root;
    // A relative path would mean another cache in each folder.
    warnings.push_back(std::string(name) + "=" + text +
                       " is ignored: expected an absolute path, or xdg where "
                       "there is a home");
  }
  return fallback;
}

/// Kiln's own variable wins over PyTorch's.
static bool readSwitches(const char *own, const char *other, bool fallback) {
  return readSwitch(own, readSwitch(other, fallback));
}

CacheConfig
kiln::cache::readCacheConfig(const std::optional<std::string> &directory) {
  CacheConfig config;
  if (getauxval(AT_SECURE) != 0 ||
      readSwitch("KILN_FORCE_DISABLE_CACHES", false) ||
      readSwitch("TORCHINDUCTOR_FORCE_DISABLE_CACHES", false)) {
    config.fxGraph = config.aotAutograd = false;
    return config;
  }
  config.keys = readKeyConfig();
  config.remote = readRemoteConfig();
  config.fxGraph = readSwitches("KILN_FX_GRAPH_CACHE",
                                "TORCHINDUCTOR_FX_GRAPH_CACHE", true);
  config.aotAutograd =
      config.fxGraph && readSwitches("KILN_AUTOGRAD_CACHE",
                                     "TORCHINDUCTOR_AUTOGRAD_CACHE", true);
  config.local = readLocalConfig(config.warnings);
  config.root =
      directory ? normalize(*directory)
                : folderOfEnvironment(
                      {"KILN_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"},
                      defaultRoot(), config.warnings);
  config.kernelRoot = folderOfEnvironment(
      {"KILN_KERNEL_CACHE_DIR", "TRITON_CACHE_DIR"}, "", config.warnings);
  config.remote.fxGraph &= config.fxGraph;
  config.remote.aotAutograd &= config.aotAutograd;
  // Measurements are kept where programs are.
  config.remote.autotune &= config.fxGraph;
  config.remote.bundledAutotune &= config.fxGraph;
  return config;
}
