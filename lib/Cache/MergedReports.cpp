//===- MergedReports.cpp - Counters of all processes ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that ends adds what it counted to one of several files, below a
// lock. Each begins with a line that has a checksum of the rest: one that does
// not match, of a process that was ended while it wrote, counts from zero.
//
//===----------------------------------------------------------------------===//

#include "Directory.h"
#include "FileLock.h"
#include "Layout.h"

#include "kiln/Cache/LocalStore.h"

#include <fcntl.h>

using namespace kiln;
using namespace kiln::cache;

// Far above what all counters and reasons of a few tiers take.
static constexpr uint64_t kMostBytes = 256 << 10;

static std::string headLine(std::string_view body) {
  return "kiln-stats 1 " + sha256(body).hex().substr(0, 16) + "\n";
}

/// Adds the counters of a file to `tiers`.
static void readReports(int fd, const Access &access,
                        std::map<std::string, CacheReport> &tiers) {
  int code = 0;
  auto bytes = readWhole(fd, access, kMostBytes, code);
  if (!bytes)
    return;
  std::string_view text = ByteView(*bytes).text();
  size_t end = text.find('\n');
  if (end == std::string_view::npos)
    return;
  std::string_view body = text.substr(end + 1);
  if (text.substr(0, end + 1) == headLine(body))
    parseReport(body, tiers);
}

void LocalStore::mergeReport(const std::string &tier,
                             const CacheReport &report) const {
  if (!config_.writes())
    return;
  FileLock lock;
  if (lock.lockShortly(*directory_,
                       counterPath("counters", ownCounterFile())) !=
      LockResult::Taken)
    return;
  std::map<std::string, CacheReport> tiers;
  readReports(lock.file(), directory_->access(), tiers);
  tiers[tier] += report;
  std::string body;
  for (const auto &[name, counted] : tiers)
    body += printReport(name, counted);
  std::string text = headLine(body) + body;
  if (text.size() > kMostBytes)
    return;
  auto size = static_cast<off_t>(text.size());
  if (::pwrite(lock.file(), text.data(), text.size(), 0) == size)
    (void)!::ftruncate(lock.file(), size);
}

std::map<std::string, CacheReport> LocalStore::mergedReports() const {
  std::map<std::string, CacheReport> tiers;
  for (unsigned i = 0; i < kCounterFiles; ++i) {
    FileDescriptor fd =
        directory_->openAt(counterPath("counters", i), O_RDONLY | O_NONBLOCK);
    if (fd.valid())
      readReports(fd.get(), directory_->access(), tiers);
  }
  return tiers;
}
