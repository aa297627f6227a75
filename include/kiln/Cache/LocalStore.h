//===- LocalStore.h - A cache directory -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout below the root, which is owned by the user and closed to others:
//
//   CACHEDIR.TAG  .kiln-format
//   fxgraph/<hh>/f<key>/<variant>.kc      hh: first two digits of the key
//   aotautograd/<hh>/a<key>/<variant>.kc  variant: first 16 digits of the
//   kernels/<hh>/k<key>/<variant>.kc      payload's SHA-256
//   tmp/         files being written
//   locks/       one a key that is being compiled, and the evictor's
//   stats/       counters of all processes, and hints of how much there is
//   quarantine/  damaged entries, if they are to be kept
//
// Every access is relative to a descriptor of the root and follows no symbolic
// link. An entry is read into private memory, verified there and used from
// there: no cache file is ever mapped or executed. A file appears under its
// final name by renaming only, so a reader sees all of it or nothing, and a
// damaged file is a miss that the next put heals.
//
// The time of an entry's last change is the time of its last use, to the hour.
// When there is too much, the entries that were used longest ago are removed
// until four fifths of the limit are left.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_LOCALSTORE_H
#define KILN_CACHE_LOCALSTORE_H

#include "kiln/Cache/LocalConfig.h"
#include "kiln/Cache/Store.h"

#include <functional>
#include <memory>

namespace kiln::cache {

class Directory;
struct LookupFaults;

/// A file of the cache, by its name alone.
struct StoredEntry {
  std::string path; ///< below the root
  KeyKind kind = KeyKind::FxGraph;
  Digest key;
  uint64_t fileBytes = 0;
  uint64_t diskBytes = 0;
  int64_t usedSeconds = 0; ///< since 1970
};

/// What is to be left. 0 is no limit.
struct EvictionLimits {
  uint64_t bytes = 0; ///< on disk
  uint64_t files = 0;
  uint64_t ageSeconds = 0;
  /// Entries younger than this are spared as long as the limits permit it.
  uint64_t spareSeconds = 0;
  /// Once there is too much, what is left of a limit.
  double lowWater = 1;
};

struct EvictionResult {
  uint64_t evictedFiles = 0, evictedBytes = 0;
  uint64_t leftFiles = 0, leftBytes = 0;
  uint64_t failedFiles = 0; ///< of those left, the ones that cannot be removed
};

/// How much there is, as far as those who put it said so.
struct StoreHint {
  int64_t bytes = 0, files = 0;
};

class LocalStore : public Store {
public:
  /// Opens or creates the directory `root` (absolute). Refused with an Io error
  /// when it belongs to somebody else, is writable by others, is a symbolic
  /// link, or lies in a folder where others could replace it. Entries are made
  /// and believed by `keys`.
  static Result<std::unique_ptr<LocalStore>>
  open(const std::string &root, KeyRingPtr keys,
       const LocalConfig &config = {});
  /// The same for what exists; null if there is nothing.
  static Result<std::unique_ptr<LocalStore>>
  openExisting(const std::string &root, KeyRingPtr keys,
               const LocalConfig &config = {});

  /// Adds what was counted to the figures of all processes.
  ~LocalStore() override;

  Lookup get(const CacheKey &key, const Digest &environment) override;
  Status put(const CacheKey &key, const Digest &environment,
             const EntryInfo &info, ByteView payload) override;
  /// Adds the file of an entry as it is, with the signature of who made it.
  /// The caller has decoded it and found this payload.
  Status putFile(const CacheKey &key, ByteView payload,
                 std::vector<uint8_t> file);
  void remove(const CacheKey &key) override;
  void removeVariant(const CacheKey &key, ByteView payload) override;
  bool contains(const CacheKey &key,
                const std::set<std::string> &known = {}) override;
  FlightPtr enter(const CacheKey &key) override;

  //===--- Upkeep, for tools and for the store itself ---------------------===//

  /// Calls `visit` for each entry. Files with other names are nobody's.
  void forEach(const std::function<void(const StoredEntry &)> &visit) const;
  /// Reads and checks an entry, for whatever environment it was made. Nothing
  /// is removed or counted. `file` receives the bytes as they are.
  DecodedEntry read(const StoredEntry &entry, Digest *environment = nullptr,
                    std::vector<uint8_t> *file = nullptr) const;
  /// The file of the variant with this payload, as it is; Io if there is none.
  Result<std::vector<uint8_t>> readFile(const CacheKey &key,
                                        ByteView payload) const;
  /// Removes an entry and the folders that are empty without it. An errno, or 0.
  int removeEntry(const StoredEntry &entry);
  /// Removes entries until the limits hold.
  EvictionResult evict(const EvictionLimits &limits);
  /// The limits of the configuration, as they are kept when something is put.
  EvictionLimits configuredLimits() const;
  /// Removes unfinished files older than an hour, and locks and quarantined
  /// entries older than a week; how many unfinished ones there were.
  uint64_t sweep();
  /// Removes everything that the cache made, counters included.
  EvictionResult clear();
  /// The counters of all processes so far, by tier.
  std::map<std::string, CacheReport> mergedReports() const;
  /// Adds the counters of a tier to them, if the folder may be written.
  void mergeReport(const std::string &tier, const CacheReport &report) const;

private:
  LocalStore(std::unique_ptr<Directory> directory, std::string root,
             KeyRingPtr keys, const LocalConfig &config);
  static Result<std::unique_ptr<LocalStore>>
  openDirectory(const std::string &root, KeyRingPtr keys,
                const LocalConfig &config, bool create);

  Status publish(const CacheKey &key, ByteView payload,
                 const std::function<std::vector<uint8_t>()> &encode);
  std::vector<std::string> variantNames(const std::string &directory) const;
  bool readVariant(const std::string &path, const CacheKey &key,
                   const Digest &environment, Lookup &lookup,
                   LookupFaults &faults);
  void touch(int fd) const;
  void discard(const std::string &path, const CacheKey &key);
  bool isDiskLow() const;
  void addToHints(uint64_t bytes);
  bool isOverLimits(const StoreHint &sum) const;
  void keepWithinLimits();
  EvictionResult evictLocked(const EvictionLimits &limits);
  StoreHint sumHints() const;
  void writeHints(const EvictionResult &left, const StoreHint &before);
  void sweepSometimes();

  std::unique_ptr<Directory> directory_;
  std::string root_;
  KeyRingPtr keys_;
  LocalConfig config_;
};

/// The folder of a key below the root, "fxgraph/3f/f3f..".
std::string entryDirectory(const CacheKey &key);
/// The file name of a variant.
std::string variantName(ByteView payload);

} // namespace kiln::cache

#endif // KILN_CACHE_LOCALSTORE_H
