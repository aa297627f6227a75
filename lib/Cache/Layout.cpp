//===- Layout.cpp - Names below the root of a cache -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "kiln/Cache/LocalStore.h"

#include <algorithm>
#include <ctime>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;

std::string cache::entryDirectory(const CacheKey &key) {
  std::string folder = rowOf(key.kind).folder;
  std::string hex = key.digest.hex();
  return folder + "/" + hex.substr(0, 2) + "/" + folder[0] + hex;
}

std::optional<Digest> cache::keyOfFolder(KeyKind kind, std::string_view name) {
  if (name.empty() || name[0] != rowOf(kind).folder[0])
    return std::nullopt;
  return Digest::fromHex(name.substr(1));
}

std::string cache::variantName(ByteView payload) {
  return sha256(payload).hex().substr(0, 16) + ".kc";
}

bool cache::isVariantName(std::string_view name) {
  return name.size() == 19 && name.substr(16) == ".kc" &&
         std::all_of(name.begin(), name.begin() + 16, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string cache::lockPath(const CacheKey &key) {
  return "locks/" + key.digest.hex().substr(0, 16);
}

std::string cache::counterPath(const char *what, unsigned index) {
  return "stats/" + std::string(what) + "." +
         "0123456789abcdef"[index % kCounterFiles];
}

unsigned cache::ownCounterFile() {
  return static_cast<unsigned>(::getpid()) % kCounterFiles;
}

int64_t cache::currentSeconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec;
}
