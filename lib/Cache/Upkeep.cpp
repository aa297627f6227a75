//===- Upkeep.cpp - Limits, eviction, sweeping ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each put adds to one of several files of hints. When their sum is above a
// limit, whoever gets the evictor's lock looks at all entries, removes what was
// used longest ago, and writes what it saw into the hints. Several evictors may
// run: a file that is gone already is as good as removed.
//
//===----------------------------------------------------------------------===//

#include "Directory.h"
#include "FileLock.h"
#include "Layout.h"

#include "kiln/Cache/LocalStore.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <tuple>

using namespace kiln;
using namespace kiln::cache;

static constexpr int64_t kSweepSeconds = 600;
static constexpr int64_t kOrphanSeconds = 3600;
static constexpr int64_t kIdleSeconds = 7 * 86400;
static constexpr uint64_t kSpareSeconds = 60;
static constexpr double kLowWater = 0.8;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static uint64_t diskBytes(const struct stat &info) {
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

void LocalStore::forEach(
    const std::function<void(const StoredEntry &)> &visit) const {
  for (const KindRow &row : kKinds) {
    KeyKind kind = row.kind;
    std::string kindFolder = row.folder;
    directory_->list(kindFolder, [&](const std::string &shard,
                                     const struct stat &) {
      std::string shardFolder = kindFolder + "/" + shard;
      directory_->list(shardFolder, [&](const std::string &name,
                                        const struct stat &folder) {
        auto key = keyOfFolder(kind, name);
        if (!key || name.substr(1, 2) != shard)
          return;
        // The folder of a key is there for its entries: the first one pays.
        uint64_t folderBytes = diskBytes(folder);
        std::string path = shardFolder + "/" + name;
        directory_->list(path, [&](const std::string &variant,
                                   const struct stat &info) {
          if (!isVariantName(variant))
            return;
          visit({path + "/" + variant, kind, *key,
                 static_cast<uint64_t>(info.st_size),
                 diskBytes(info) + folderBytes, info.st_mtim.tv_sec});
          folderBytes = 0;
        });
      });
    });
  }
}

DecodedEntry LocalStore::read(const StoredEntry &entry, Digest *environment,
                              std::vector<uint8_t> *file) const {
  auto refuse = [](std::string reason) {
    DecodedEntry result;
    result.fault = EntryFault::Corrupt;
    result.reason = std::move(reason);
    return result;
  };
  FileDescriptor fd = directory_->openAt(entry.path, O_RDONLY | O_NONBLOCK);
  if (!fd.valid())
    return refuse("entry cannot be opened");
  int code = 0;
  auto bytes = readWhole(fd.get(), directory_->access(),
                         kMaxEntryBytes + kEntryHeaderBytes, code);
  if (!bytes)
    return refuse(bytes.error().message);
  // The environment that the entry names itself: any is as good.
  Digest own;
  ByteView named = ByteView(*bytes).slice(96, own.bytes.size());
  std::copy(named.begin(), named.end(), own.bytes.begin());
  if (environment)
    *environment = own;
  DecodedEntry result = decodeEntry(
      *bytes, entry.key, own, {*keys_, Tier::Local});
  if (result.fault == EntryFault::None &&
      variantName(result.payload) !=
          entry.path.substr(entry.path.rfind('/') + 1))
    return refuse("payload does not match the entry's name");
  if (file)
    *file = std::move(*bytes);
  return result;
}

int LocalStore::removeEntry(const StoredEntry &entry) {
  int code = directory_->unlink(entry.path);
  // Those with other entries stay.
  std::string folder = entry.path;
  for (int level = 0; level < 2; ++level) {
    folder.resize(folder.rfind('/'));
    directory_->removeFolder(folder);
  }
  return code;
}

//===----------------------------------------------------------------------===//
// Eviction
//===----------------------------------------------------------------------===//

EvictionLimits LocalStore::configuredLimits() const {
  EvictionLimits limits;
  limits.bytes = config_.maxBytes;
  limits.files = config_.maxFiles;
  limits.ageSeconds = config_.maxAgeSeconds;
  limits.spareSeconds = kSpareSeconds;
  limits.lowWater = kLowWater;
  return limits;
}

namespace {
/// Entries by their last use, and what is left of them.
class Evictor {
public:
  Evictor(LocalStore &store, const EvictionLimits &limits)
      : store_(store), limits_(limits) {}

  EvictionResult run();

private:
  bool isOver(double share) const {
    auto above = [share](uint64_t value, uint64_t limit) {
      return limit != 0 && double(value) > double(limit) * share;
    };
    return above(result_.leftBytes, limits_.bytes) ||
           above(result_.leftFiles, limits_.files);
  }
  void evictWhile(const std::function<bool(int64_t age)> &isWanted);

  LocalStore &store_;
  const EvictionLimits &limits_;
  std::vector<StoredEntry> entries_;
  EvictionResult result_;
};
} // namespace

/// Removes entries, those of the longest time first, until one is not wanted.
void Evictor::evictWhile(const std::function<bool(int64_t)> &isWanted) {
  int64_t now = currentSeconds();
  size_t done = 0;
  for (; done < entries_.size(); ++done) {
    const StoredEntry &entry = entries_[done];
    if (!isWanted(std::max<int64_t>(now - entry.usedSeconds, 0)))
      break;
    // What cannot be removed counts as left.
    if (store_.removeEntry(entry) != 0) {
      ++result_.failedFiles;
      continue;
    }
    ++result_.evictedFiles;
    result_.evictedBytes += entry.diskBytes;
    --result_.leftFiles;
    result_.leftBytes -= entry.diskBytes;
  }
  entries_.erase(entries_.begin(),
                 entries_.begin() + static_cast<ptrdiff_t>(done));
}

EvictionResult Evictor::run() {
  int64_t now = currentSeconds();
  store_.forEach([&](const StoredEntry &entry) {
    entries_.push_back(entry);
    // A time in the future is of a clock that was wrong.
    entries_.back().usedSeconds = std::min(entry.usedSeconds, now);
    ++result_.leftFiles;
    result_.leftBytes += entry.diskBytes;
  });
  std::sort(entries_.begin(), entries_.end(),
            [](const StoredEntry &a, const StoredEntry &b) {
              return std::tie(a.usedSeconds, a.path) <
                     std::tie(b.usedSeconds, b.path);
            });
  if (limits_.ageSeconds != 0)
    evictWhile([&](int64_t age) {
      return static_cast<uint64_t>(age) > limits_.ageSeconds;
    });
  if (!isOver(1))
    return result_;
  evictWhile([&](int64_t age) {
    return static_cast<uint64_t>(age) >= limits_.spareSeconds &&
           isOver(limits_.lowWater);
  });
  if (isOver(1))
    evictWhile([&](int64_t) { return isOver(limits_.lowWater); });
  return result_;
}

EvictionResult LocalStore::evict(const EvictionLimits &limits) {
  // Beside another evictor both would be right, and the hints would not.
  FileLock lock;
  for (int attempt = 0; attempt < 100; ++attempt)
    if (lock.lockShortly(*directory_, kEvictorLock) != LockResult::Held)
      break;
  EvictionResult result = evictLocked(limits);
  lock.unlock();
  keepWithinLimits();
  return result;
}

EvictionResult LocalStore::evictLocked(const EvictionLimits &limits) {
  const StoreHint before = sumHints();
  EvictionResult result = Evictor(*this, limits).run();
  counters_.add(KeyKind(), &StoreStats::evictedFiles, result.evictedFiles);
  counters_.add(KeyKind(), &StoreStats::evictedBytes, result.evictedBytes);
  writeHints(result, before);
  return result;
}

//===----------------------------------------------------------------------===//
// Hints of how much there is
//===----------------------------------------------------------------------===//

static StoreHint readHint(int fd) {
  StoreHint hint;
  if (::pread(fd, &hint, sizeof(hint), 0) != sizeof(hint))
    return StoreHint();
  // A damaged file must not make the sum overflow.
  constexpr int64_t most = int64_t(1) << 56;
  bool isSane = hint.bytes >= 0 && hint.files >= 0 && hint.bytes < most &&
                hint.files < most;
  return isSane ? hint : StoreHint();
}

void LocalStore::addToHints(uint64_t bytes) {
  if (config_.maxBytes == 0 && config_.maxFiles == 0)
    return;
  FileLock lock;
  if (lock.lockShortly(*directory_, counterPath("size", ownCounterFile())) ==
      LockResult::Taken) {
    StoreHint hint = readHint(lock.file());
    // In whole blocks, and with one for the folder.
    hint.bytes += static_cast<int64_t>((bytes + 4095) / 4096 * 4096 + 4096);
    hint.files += 1;
    (void)!::pwrite(lock.file(), &hint, sizeof(hint), 0);
    lock.unlock();
  }
  keepWithinLimits();
}

/// What others put while entries were looked at found the lock held, and is the
/// holder's to see: it looks again once the lock is free.
void LocalStore::keepWithinLimits() {
  bool removes = true;
  while (removes && isOverLimits(sumHints())) {
    FileLock evictor;
    if (evictor.tryLock(*directory_, kEvictorLock) != LockResult::Taken)
      return;
    removes = evictLocked(configuredLimits()).evictedFiles != 0;
  }
}

bool LocalStore::isOverLimits(const StoreHint &sum) const {
  return (config_.maxBytes != 0 && uint64_t(sum.bytes) > config_.maxBytes) ||
         (config_.maxFiles != 0 && uint64_t(sum.files) > config_.maxFiles);
}

StoreHint LocalStore::sumHints() const {
  StoreHint sum;
  for (unsigned i = 0; i < kCounterFiles; ++i) {
    FileDescriptor fd =
        directory_->openAt(counterPath("size", i), O_RDONLY | O_NONBLOCK);
    if (!fd.valid())
      continue;
    StoreHint hint = readHint(fd.get());
    sum.bytes += hint.bytes;
    sum.files += hint.files;
  }
  return sum;
}

/// What was put since `before` may have been seen or not: it counts again. The
/// sum goes to the first file that can be locked, whichever it is.
void LocalStore::writeHints(const EvictionResult &left,
                            const StoreHint &before) {
  FileLock first;
  StoreHint sum;
  for (unsigned i = 0; i < kCounterFiles; ++i) {
    FileLock other;
    FileLock &lock = first.file() < 0 ? first : other;
    if (lock.lockShortly(*directory_, counterPath("size", i)) !=
        LockResult::Taken)
      continue;
    StoreHint hint = readHint(lock.file());
    sum.bytes += hint.bytes;
    sum.files += hint.files;
    const StoreHint none;
    if (&lock != &first)
      (void)!::pwrite(lock.file(), &none, sizeof(none), 0);
  }
  StoreHint hint;
  hint.bytes = static_cast<int64_t>(left.leftBytes) +
               std::max<int64_t>(sum.bytes - before.bytes, 0);
  hint.files = static_cast<int64_t>(left.leftFiles) +
               std::max<int64_t>(sum.files - before.files, 0);
  if (first.file() >= 0)
    (void)!::pwrite(first.file(), &hint, sizeof(hint), 0);
}

//===----------------------------------------------------------------------===//
// Sweeping
//===----------------------------------------------------------------------===//

/// Removes files of a folder that nobody touched for `seconds`. Those that are
/// locks only while they are free.
static uint64_t sweepFolder(const Directory &directory,
                            const std::string &folder, int64_t seconds,
                            bool areLocks) {
  uint64_t count = 0;
  int64_t now = currentSeconds();
  directory.list(folder, [&](const std::string &name, const struct stat &info) {
    if (now - info.st_mtim.tv_sec < seconds || !S_ISREG(info.st_mode))
      return;
    std::string path = folder + "/" + name;
    FileLock lock;
    if (areLocks && lock.tryLock(directory, path) != LockResult::Taken)
      return;
    count += directory.unlink(path) == 0;
  });
  return count;
}

uint64_t LocalStore::sweep() {
  uint64_t orphans =
      sweepFolder(*directory_, "tmp", kOrphanSeconds, /*areLocks=*/false);
  counters_.add(KeyKind(), &StoreStats::orphansSwept, orphans);
  sweepFolder(*directory_, "locks", kIdleSeconds, /*areLocks=*/true);
  sweepFolder(*directory_, "quarantine", kIdleSeconds, /*areLocks=*/false);
  return orphans;
}

void LocalStore::sweepSometimes() {
  if (!config_.writes())
    return;
  FileDescriptor mark = directory_->openAt(kSweepMark, O_RDONLY | O_NONBLOCK);
  struct stat info;
  if (mark.valid() && ::fstat(mark.get(), &info) == 0) {
    int64_t age = currentSeconds() - info.st_mtim.tv_sec;
    if (age >= 0 && age < kSweepSeconds)
      return;
  } else {
    // A new cache. Tools that copy folders know the tag.
    std::string what;
    (void)directory_->publish(
        "CACHEDIR.TAG",
        std::string_view("Signature: 8a477f597d28d172789f06886806bc55\n"
                         "# Compiled programs of Kiln.\n"),
        /*sync=*/false, what);
    (void)directory_->publish(".kiln-format",
                              std::string_view("kiln-cache 1\n"),
                              /*sync=*/false, what);
    mark = directory_->openShared(kSweepMark);
  }
  if (mark.valid())
    (void)::futimens(mark.get(), nullptr);
  sweep();
  if (config_.maxAgeSeconds != 0)
    evict(configuredLimits());
}

EvictionResult LocalStore::clear() {
  EvictionResult result;
  forEach([&](const StoredEntry &entry) {
    bool isRemoved = removeEntry(entry) == 0;
    result.failedFiles += !isRemoved;
    (isRemoved ? result.evictedFiles : result.leftFiles) += 1;
    (isRemoved ? result.evictedBytes : result.leftBytes) += entry.diskBytes;
  });
  for (const char *folder : {"tmp", "quarantine", "stats"})
    sweepFolder(*directory_, folder, INT64_MIN, /*areLocks=*/false);
  sweepFolder(*directory_, "locks", INT64_MIN, /*areLocks=*/true);
  (void)counters_.take();
  return result;
}
