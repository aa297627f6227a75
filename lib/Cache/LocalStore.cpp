//===- LocalStore.cpp - A cache directory ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/LocalStore.h"

#include "Directory.h"
#include "Layout.h"
#include "LocalFlight.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Base/Log.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <tuple>

using namespace kiln;
using namespace kiln::cache;

// The time of the last use is kept to the hour.
static constexpr int64_t kTouchSeconds = 3600;
// An entry also holds the parts of its key.
static constexpr uint64_t kMaxPayloadBytes =
    kMaxEntryBytes - (uint64_t(16) << 20);

Store::~Store() = default;

std::vector<Lookup> Store::getAll(const std::vector<CacheKey> &keys,
                                  const Digest &environment) {
  std::vector<Lookup> lookups;
  for (const CacheKey &key : keys)
    lookups.push_back(get(key, environment));
  return lookups;
}

FlightPtr Store::enter(const CacheKey &) { return nullptr; }

void Store::noteGuardMiss(const CacheKey &key) {
  counters_.replace(key.kind, &StoreStats::hits, &StoreStats::guardMisses);
}

void Store::noteBypass(const CacheKey &key, const std::string &reason) {
  counters_.add(key.kind, &StoreStats::lookups);
  counters_.outcome(key.kind, &StoreStats::bypasses, reason);
}

/// "ENOSPC", the name by which an errno is counted.
static std::string errnoName(int code) {
  const char *name = ::strerrorname_np(code);
  return name ? name : std::to_string(code);
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

LocalStore::LocalStore(std::unique_ptr<Directory> directory, std::string root,
                       KeyRingPtr keys, const LocalConfig &config)
    : directory_(std::move(directory)), root_(std::move(root)),
      keys_(std::move(keys)), config_(config) {}

Result<std::unique_ptr<LocalStore>>
LocalStore::openDirectory(const std::string &root, KeyRingPtr keys,
                          const LocalConfig &config, bool create) {
  Access access;
  if (config.group)
    access.group = *config.group;
  auto directory = Directory::open(root, access, create);
  if (!directory)
    return directory.takeError();
  if (!*directory)
    return std::unique_ptr<LocalStore>();
  std::unique_ptr<LocalStore> store(
      new LocalStore(std::move(*directory), root, std::move(keys), config));
  store->sweepSometimes();
  return store;
}

Result<std::unique_ptr<LocalStore>>
LocalStore::open(const std::string &root, KeyRingPtr keys,
                 const LocalConfig &config) {
  auto store =
      openDirectory(root, std::move(keys), config, config.writes());
  if (store && !*store)
    return Error::io("cache folder '" + root +
                     "' does not exist, and is not to be written");
  return store;
}

Result<std::unique_ptr<LocalStore>>
LocalStore::openExisting(const std::string &root, KeyRingPtr keys,
                         const LocalConfig &config) {
  return openDirectory(root, std::move(keys), config, /*create=*/false);
}

LocalStore::~LocalStore() {
  CacheReport report = counters_.take();
  if (report.isEmpty())
    return;
  if (log::isEnabled("cache", log::Level::Info)) {
    std::string text = printReport("local", report);
    std::replace(text.begin(), text.end(), '\n', ';');
    log::write("cache", log::Level::Info, "cache counters: " + text);
  }
  mergeReport("local", report);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::vector<std::string>
LocalStore::variantNames(const std::string &directory) const {
  std::vector<std::pair<timespec, std::string>> found;
  directory_->list(directory,
                   [&](const std::string &name, const struct stat &info) {
                     if (isVariantName(name))
                       found.emplace_back(info.st_mtim, name);
                   });
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return std::make_tuple(a.first.tv_sec, a.first.tv_nsec, a.second) <
           std::make_tuple(b.first.tv_sec, b.first.tv_nsec, b.second);
  });
  // The newest ones: what was compiled last is what is asked for next.
  if (found.size() > kMaxVariants)
    found.erase(found.begin(), found.end() - kMaxVariants);
  std::vector<std::string> names;
  for (auto &[time, name] : found)
    names.push_back(std::move(name));
  return names;
}

/// What a look-up that found nothing usable is counted as: of several entries
/// the fault that is first in this order.
struct cache::LookupFaults {
  Counter outcome = &StoreStats::misses;
  std::string reason;

  void add(Counter fault, const std::string &why) {
    static const Counter order[] = {
        &StoreStats::corrupt, &StoreStats::authRejects, &StoreStats::ioErrors,
        &StoreStats::foreignEnvironment};
    for (Counter known : order) {
      if (known == outcome)
        return;
      if (known == fault)
        break;
    }
    outcome = fault;
    reason = why;
  }
};

void LocalStore::touch(int fd) const {
  struct stat info;
  if (!config_.writes() || ::fstat(fd, &info) != 0)
    return;
  int64_t age = currentSeconds() - info.st_mtim.tv_sec;
  // A time in the future is of a clock that was wrong.
  if (age < 0 || age > kTouchSeconds)
    (void)::futimens(fd, nullptr);
}

void LocalStore::discard(const std::string &path, const CacheKey &key) {
  if (!config_.writes())
    return;
  if (config_.quarantine &&
      directory_->rename(path, "quarantine/" + key.digest.hex().substr(0, 16) +
                                   "-" + path.substr(path.rfind('/') + 1)) == 0)
    return;
  (void)directory_->unlink(path);
}

/// Adds a variant to `lookup`, or says what is wrong with it.
bool LocalStore::readVariant(const std::string &path, const CacheKey &key,
                             const Digest &environment, Lookup &lookup,
                             LookupFaults &faults) {
  int code = 0;
  auto read = [&](FileDescriptor &fd) -> Result<std::vector<uint8_t>> {
    fd = directory_->openAt(path, O_RDONLY | O_NONBLOCK);
    if (fd.valid())
      return readWhole(fd.get(), directory_->access(),
                       kMaxEntryBytes + kEntryHeaderBytes, code);
    code = errno;
    return Error::io("cannot open entry '" + path +
                     "': " + systemMessage(code));
  };
  FileDescriptor fd;
  auto bytes = read(fd);
  if (!bytes && code == ESTALE)
    bytes = read(fd);
  // Evicted, or replaced on a file server, since it was listed.
  if (!bytes && (code == ENOENT || code == ESTALE))
    return false;
  if (!bytes) {
    lookup.faults.push_back(path + ": " + bytes.error().message);
    lookup.damaged = true;
    faults.add(&StoreStats::ioErrors,
               code != 0 ? errnoName(code) : bytes.error().message);
    return false;
  }
  DecodedEntry entry =
      decodeEntry(*bytes, key.digest, environment, {*keys_, Tier::Local});
  // The name promises the payload's digest; a swapped file breaks it.
  if (entry.fault == EntryFault::None &&
      variantName(entry.payload) != path.substr(path.rfind('/') + 1)) {
    entry.fault = EntryFault::Corrupt;
    entry.reason = "payload does not match the entry's name";
  }
  if (entry.fault == EntryFault::None) {
    touch(fd.get());
    counters_.add(key.kind, &StoreStats::bytesIn, bytes->size());
    counters_.add(key.kind, &StoreStats::timeSavedMicros,
                  entry.info.compileTimeMicros);
    lookup.variants.push_back(std::move(entry));
    return true;
  }
  lookup.faults.push_back(path + ": " + entry.reason);
  if (entry.fault == EntryFault::ForeignEnvironment) {
    faults.add(&StoreStats::foreignEnvironment, "");
    return false;
  }
  lookup.damaged = true;
  if (entry.fault == EntryFault::Auth) {
    // Somebody else's, who may have a use for it.
    faults.add(&StoreStats::authRejects, authFaultName(entry.authFault));
    return false;
  }
  faults.add(&StoreStats::corrupt, entry.reason);
  discard(path, key);
  return false;
}

Lookup LocalStore::get(const CacheKey &key, const Digest &environment) {
  auto start = std::chrono::steady_clock::now();
  Lookup lookup;
  if (config_.recache || !config_.reads()) {
    noteBypass(key, config_.recache ? "KILN_CACHE_RECACHE" : "write only");
    return lookup;
  }
  counters_.add(key.kind, &StoreStats::lookups);
  LookupFaults faults;
  std::string directory = entryDirectory(key);
  try {
    for (const std::string &name : variantNames(directory))
      readVariant(directory + "/" + name, key, environment, lookup, faults);
  } catch (const std::exception &error) {
    // No memory for an entry: it is compiled again, which may need less.
    lookup.faults.push_back(directory + ": " + error.what());
    faults.add(&StoreStats::ioErrors, errnoName(ENOMEM));
  }
  if (lookup.hit())
    counters_.outcome(key.kind, &StoreStats::hits);
  else
    counters_.outcome(key.kind, faults.outcome, faults.reason);
  counters_.latency(
      key.kind, static_cast<uint64_t>(
                    std::chrono::duration_cast<std::chrono::microseconds>(
                        std::chrono::steady_clock::now() - start)
                        .count()));
  return lookup;
}

Result<std::vector<uint8_t>> LocalStore::readFile(const CacheKey &key,
                                                  ByteView payload) const {
  std::string path = entryDirectory(key) + "/" + variantName(payload);
  FileDescriptor fd = directory_->openAt(path, O_RDONLY | O_NONBLOCK);
  if (!fd.valid())
    return Error::io("cannot open entry '" + path +
                     "': " + systemMessage(errno));
  int code = 0;
  return readWhole(fd.get(), directory_->access(),
                   kMaxEntryBytes + kEntryHeaderBytes, code);
}

bool LocalStore::contains(const CacheKey &key,
                          const std::set<std::string> &known) {
  const auto names = variantNames(entryDirectory(key));
  return std::any_of(names.begin(), names.end(), [&](const std::string &name) {
    return known.count(name) == 0;
  });
}

FlightPtr LocalStore::enter(const CacheKey &key) {
  FlightResult result =
      enterFlight(config_.writes() ? directory_.get() : nullptr, root_,
                  lockPath(key), config_.lockTimeoutSeconds);
  counters_.add(key.kind, &StoreStats::flightWaitMicros, result.waitedMicros);
  if (result.isTimedOut)
    counters_.add(key.kind, &StoreStats::lockTimeouts);
  return std::move(result.flight);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool LocalStore::isDiskLow() const {
  uint64_t free = 0, total = 0;
  if (config_.minFreeBytes == 0 || !directory_->freeSpace(free, total))
    return false;
  return free < config_.minFreeBytes || free < total / 50;
}

Status LocalStore::put(const CacheKey &key, const Digest &environment,
                       const EntryInfo &info, ByteView payload) {
  EntryInfo full = info;
  full.keyParts = key.parts;
  // The members of a group have keys of their own.
  auto method =
      config_.group ? keys_->methodForOthers() : Authentication::Hmac;
  if (keys_->isOwnRevoked()) {
    counters_.outcome(key.kind, &StoreStats::putSkips, "revoked");
    return Error::io("the own key is revoked; expected a new one, see "
                     "'kiln-cache keys'");
  }
  return publish(key, payload, [&] {
    return encodeEntry(key.digest, environment, full, payload,
                       {*keys_, method});
  });
}

Status LocalStore::putFile(const CacheKey &key, ByteView payload,
                           std::vector<uint8_t> file) {
  return publish(key, payload, [&] { return std::move(file); });
}

Status
LocalStore::publish(const CacheKey &key, ByteView payload,
                    const std::function<std::vector<uint8_t>()> &encode) {
  auto skip = [&](const char *reason) {
    counters_.outcome(key.kind, &StoreStats::putSkips, reason);
  };
  if (!config_.writes()) {
    skip("ro");
    return Status::success();
  }
  if (payload.size() > kMaxPayloadBytes) {
    skip("toolarge");
    return Error::io("the entry has " + std::to_string(payload.size()) +
                     " bytes, expected at most " +
                     std::to_string(kMaxPayloadBytes));
  }
  if (isDiskLow()) {
    skip("lowdisk");
    return Error::io("the disk of the cache folder is almost full; expected "
                     "KILN_CACHE_MIN_FREE bytes and 2 % of it to be free");
  }
  std::vector<uint8_t> bytes = encode();
  std::string path = entryDirectory(key) + "/" + variantName(payload);
  std::string what;
  int code = directory_->publish(path, bytes, config_.sync, what);
  if (code != 0) {
    counters_.outcome(key.kind, &StoreStats::putFailures, errnoName(code));
    return Error::io("cannot " + what +
                     " in the cache folder: " + systemMessage(code));
  }
  counters_.add(key.kind, &StoreStats::puts);
  counters_.add(key.kind, &StoreStats::bytesOut, bytes.size());
  addToHints(bytes.size());
  return Status::success();
}

void LocalStore::remove(const CacheKey &key) {
  if (!config_.writes())
    return;
  std::string directory = entryDirectory(key);
  for (const std::string &name : variantNames(directory))
    (void)directory_->unlink(directory + "/" + name);
}

void LocalStore::removeVariant(const CacheKey &key, ByteView payload) {
  if (config_.writes())
    (void)directory_->unlink(entryDirectory(key) + "/" + variantName(payload));
}
