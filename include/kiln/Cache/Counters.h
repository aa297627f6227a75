//===- Counters.h - What a tier of the cache counts -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tier counts by kind of key while a process runs, and adds its figures to
// those of all processes when it is closed. Reasons ("corrupt: payload checksum
// does not match", "put_fail: EROFS") are counted beside the numbers.
//
//   Counters counters;
//   counters.add(KeyKind::FxGraph, &StoreStats::lookups);
//   counters.outcome(KeyKind::FxGraph, &StoreStats::corrupt, "bad checksum");
//   std::string text = printReport("local", counters.report());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_COUNTERS_H
#define KILN_CACHE_COUNTERS_H

#include "kiln/Cache/CacheKey.h"

#include <array>
#include <iterator>
#include <map>
#include <mutex>

namespace kiln::cache {

/// Bucket n of a histogram has times below 2^n microseconds that no earlier one
/// has; the last one has all others.
constexpr size_t kLatencyBuckets = 24;

struct StoreStats {
#define KILN_COUNTER(field, name, meaning) uint64_t field = 0;
#include "kiln/Cache/Counters.def"
  std::array<uint64_t, kLatencyBuckets> latency{}; ///< of look-ups

  StoreStats &operator+=(const StoreStats &other);
  /// Whether every look-up has exactly one outcome.
  bool isConsistent() const;
  /// Microseconds that the given part (0 to 1) of the look-ups stayed below.
  uint64_t latencyQuantile(double part) const;
};

using Counter = uint64_t StoreStats::*;

struct CounterRow {
  const char *name;
  const char *meaning;
  Counter field;
  bool isOutcome;
};
/// All counters, in the order of Counters.def.
const std::vector<CounterRow> &counterTable();

constexpr size_t kKeyKinds = std::size(kKinds) + 2; ///< KeyKind is an index
/// "fxgraph", the name of a kind in files and JSON.
const char *kindName(KeyKind kind);

/// The counters of one tier.
struct CacheReport {
  std::array<StoreStats, kKeyKinds> kinds;
  /// "corrupt: payload checksum does not match" and how often.
  std::map<std::string, uint64_t> reasons;

  StoreStats total() const;
  bool isEmpty() const;
  CacheReport &operator+=(const CacheReport &other);
};

/// Lines "local fxgraph hit 3", without those that are zero.
std::string printReport(const std::string &tier, const CacheReport &report);
/// Adds such lines to reports by tier. What cannot be read is skipped: counters
/// are told, never relied upon.
void parseReport(std::string_view text,
                 std::map<std::string, CacheReport> &tiers);

/// The counters of a tier in this process. May be used by several threads.
class Counters {
public:
  void add(KeyKind kind, Counter field, uint64_t amount = 1);
  /// Counts the field and the reason under its name.
  void outcome(KeyKind kind, Counter field, const std::string &reason = "");
  /// Takes an outcome back, for one that turned out to be another.
  void replace(KeyKind kind, Counter from, Counter to);
  void latency(KeyKind kind, uint64_t micros);
  CacheReport report() const;
  /// The figures since the last call.
  CacheReport take();

private:
  mutable std::mutex mutex_;
  CacheReport report_;
};

} // namespace kiln::cache

#endif // KILN_CACHE_COUNTERS_H
