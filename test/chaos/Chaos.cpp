//===- Chaos.cpp - What the faults have in common -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
namespace fs = std::filesystem;

chaos::Scratch::Scratch() : owner_(::getpid()) {
  const char *base = std::getenv("TMPDIR");
  std::string pattern =
      std::string(base && *base ? base : "/tmp") + "/kiln-chaos-XXXXXX";
  if (!::mkdtemp(pattern.data())) {
    std::perror("kiln-chaos: mkdtemp");
    std::_Exit(3);
  }
  path_ = pattern;
}

chaos::Scratch::~Scratch() {
  std::error_code ignored;
  if (::getpid() == owner_)
    fs::remove_all(path_, ignored);
}

LocalConfig chaos::plainConfig() {
  LocalConfig config;
  config.minFreeBytes = 0;
  return config;
}

/// Processes of a command are of one user.
static KeyRingPtr ring() {
  static const auto shared = std::make_shared<KeyRing>(
      Seed({7}), std::vector<PublicKey>(), std::vector<PublicKey>());
  return shared;
}

Result<std::unique_ptr<LocalStore>>
chaos::openStore(const std::string &root, const LocalConfig &config) {
  return LocalStore::open(root, ring(), config);
}

CacheKey chaos::keyOf(uint64_t number, KeyKind kind) {
  CacheKeyBuilder builder(kind);
  builder.addText(KeyTag::Options, "number", std::to_string(number));
  return builder.finish();
}

std::vector<uint8_t> chaos::payloadOf(uint64_t number, size_t bytes) {
  std::mt19937_64 random(number);
  std::vector<uint8_t> payload(bytes != 0 ? bytes : 16 + random() % 65536);
  for (size_t i = 0; i < payload.size(); ++i)
    payload[i] = static_cast<uint8_t>(i % 2 != 0 ? number : random());
  return payload;
}

Digest chaos::environmentOf() { return sha256(std::string_view("chaos")); }

chaos::Found chaos::lookUp(Store &store, uint64_t number, KeyKind kind,
                           size_t bytes) {
  Lookup found = store.get(keyOf(number, kind), environmentOf());
  if (!found.hit())
    return Found::Nothing;
  for (const DecodedEntry &entry : found.variants)
    if (entry.payload != payloadOf(number, bytes))
      return Found::Wrong;
  return Found::Right;
}

Status chaos::store(Store &store, uint64_t number, KeyKind kind,
                    size_t bytes) {
  EntryInfo info;
  info.kind = kind;
  info.compileTimeMicros = 1;
  return store.put(keyOf(number, kind), environmentOf(), info,
                   payloadOf(number, bytes));
}

std::string chaos::onlyEntry(const std::string &root) {
  std::string found;
  for (const auto &entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".kc") {
      if (!found.empty())
        return "";
      found = entry.path();
    }
  return found;
}

void chaos::checkAll(const std::string &root, uint64_t &damaged,
                     uint64_t &wrong) {
  auto store = LocalStore::openExisting(root, ring(), plainConfig());
  if (!store || !*store)
    return;
  (*store)->forEach([&](const StoredEntry &entry) {
    DecodedEntry decoded = (*store)->read(entry);
    if (decoded.fault != EntryFault::None) {
      ++damaged;
      return;
    }
    const auto &parts = decoded.info.keyParts;
    uint64_t number =
        parts.size() == 1 ? std::strtoull(parts[0].value.c_str(), nullptr, 10)
                          : 0;
    wrong += decoded.payload != payloadOf(number) ||
             keyOf(number, entry.kind).digest != entry.key;
  });
}

size_t chaos::filesIn(const std::string &folder) {
  std::error_code ignored;
  fs::directory_iterator begin(folder, ignored), end;
  return ignored ? 0 : static_cast<size_t>(std::distance(begin, end));
}

pid_t chaos::spawn(const std::function<int()> &work) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0)
    std::_Exit(work());
  return child;
}

int chaos::join(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                 WEXITSTATUS(status) == 0
             ? 0
             : 1;
}

double chaos::secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void chaos::numberFlag(tools::CommandLine &line, const char *name,
                       uint64_t &target) {
  line.value(name, [name, &target](const std::string &text) -> Status {
    auto value = parseSize(text);
    if (!value || *value == 0)
      return Error::usage("--" + std::string(name) + "=" + text +
                          ": expected a positive number");
    target = *value;
    return Status::success();
  });
}

void chaos::report(
    const char *name,
    const std::vector<std::pair<std::string, double>> &figures) {
  std::printf("%s:", name);
  for (const auto &[figure, value] : figures)
    std::printf(" %s=%.10g", figure.c_str(), value);
  std::printf("\n");
}
