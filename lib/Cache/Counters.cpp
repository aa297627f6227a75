//===- Counters.cpp - Counting, printing, reading -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/Counters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace kiln;
using namespace kiln::cache;

// A hostile or damaged file of counters stays small in memory.
static constexpr size_t kMostReasons = 256;
static constexpr size_t kMostTiers = 8;

const std::vector<CounterRow> &cache::counterTable() {
  static const std::vector<CounterRow> table = {
#define KILN_COUNTER(field, name, meaning)                                     \
  {name, meaning, &StoreStats::field, false},
#define KILN_OUTCOME(field, name, meaning)                                     \
  {name, meaning, &StoreStats::field, true},
#include "kiln/Cache/Counters.def"
  };
  return table;
}

const char *cache::kindName(KeyKind kind) {
  if (const KindRow *row = findKind(kind))
    return row->name;
  return kind == KeyKind::Environment ? "environment" : "other";
}

StoreStats &StoreStats::operator+=(const StoreStats &other) {
  for (const CounterRow &row : counterTable())
    this->*row.field += other.*row.field;
  for (size_t i = 0; i < kLatencyBuckets; ++i)
    latency[i] += other.latency[i];
  return *this;
}

bool StoreStats::isConsistent() const {
  uint64_t outcomes = 0;
  for (const CounterRow &row : counterTable())
    if (row.isOutcome)
      outcomes += this->*row.field;
  return outcomes == lookups;
}

uint64_t StoreStats::latencyQuantile(double part) const {
  uint64_t count = 0;
  for (uint64_t bucket : latency)
    count += bucket;
  auto wanted = static_cast<uint64_t>(std::ceil(double(count) * part));
  uint64_t seen = 0;
  for (size_t i = 0; i < kLatencyBuckets && count != 0; ++i)
    if ((seen += latency[i]) >= wanted)
      return uint64_t(1) << i;
  return 0;
}

StoreStats CacheReport::total() const {
  StoreStats sum;
  for (const StoreStats &kind : kinds)
    sum += kind;
  return sum;
}

bool CacheReport::isEmpty() const {
  StoreStats sum = total();
  const auto &table = counterTable();
  return std::all_of(table.begin(), table.end(), [&](const CounterRow &row) {
    return sum.*row.field == 0;
  });
}

CacheReport &CacheReport::operator+=(const CacheReport &other) {
  for (size_t i = 0; i < kKeyKinds; ++i)
    kinds[i] += other.kinds[i];
  for (const auto &[reason, count] : other.reasons)
    if (reasons.size() < kMostReasons || reasons.count(reason))
      reasons[reason] += count;
  return *this;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string cache::printReport(const std::string &tier,
                               const CacheReport &report) {
  std::string text;
  auto line = [&](const std::string &group, const std::string &name,
                  uint64_t count) {
    if (count != 0)
      text += tier + " " + group + " " + std::to_string(count) + " " + name +
              "\n";
  };
  for (size_t i = 0; i < kKeyKinds; ++i) {
    const StoreStats &stats = report.kinds[i];
    std::string kind = kindName(static_cast<KeyKind>(i));
    for (const CounterRow &row : counterTable())
      line(kind, row.name, stats.*row.field);
    for (size_t bucket = 0; bucket < kLatencyBuckets; ++bucket)
      line(kind, "latency_" + std::to_string(bucket), stats.latency[bucket]);
  }
  for (const auto &[reason, count] : report.reasons)
    line("reason", reason, count);
  return text;
}

/// The text up to the next blank, which is taken off `line`.
static std::string_view takeWord(std::string_view &line) {
  size_t blank = std::min(line.find(' '), line.size());
  std::string_view word = line.substr(0, blank);
  line.remove_prefix(std::min(blank + 1, line.size()));
  return word;
}

static bool parseCount(std::string_view text, uint64_t &count) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  return code == std::errc() && end == text.data() + text.size();
}

static void parseLine(std::string_view line, CacheReport &report) {
  std::string_view group = takeWord(line);
  uint64_t count = 0;
  if (!parseCount(takeWord(line), count) || line.empty() || line.size() > 256)
    return;
  if (group == "reason") {
    std::string reason(line);
    if (report.reasons.size() < kMostReasons || report.reasons.count(reason))
      report.reasons[reason] += count;
    return;
  }
  for (size_t i = 0; i < kKeyKinds; ++i) {
    if (group != kindName(static_cast<KeyKind>(i)))
      continue;
    for (const CounterRow &row : counterTable())
      if (line == row.name)
        report.kinds[i].*row.field += count;
    uint64_t bucket = 0;
    if (line.substr(0, 8) == "latency_" && parseCount(line.substr(8), bucket) &&
        bucket < kLatencyBuckets)
      report.kinds[i].latency[bucket] += count;
  }
}

void cache::parseReport(std::string_view text,
                        std::map<std::string, CacheReport> &tiers) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string tier(takeWord(line));
    if (!tier.empty() && (tiers.count(tier) || tiers.size() < kMostTiers))
      parseLine(line, tiers[tier]);
  }
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

static size_t indexOf(KeyKind kind) {
  auto index = static_cast<size_t>(kind);
  return index < kKeyKinds ? index : 0;
}

void Counters::add(KeyKind kind, Counter field, uint64_t amount) {
  std::lock_guard<std::mutex> lock(mutex_);
  report_.kinds[indexOf(kind)].*field += amount;
}

void Counters::outcome(KeyKind kind, Counter field, const std::string &reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  report_.kinds[indexOf(kind)].*field += 1;
  if (reason.empty())
    return;
  for (const CounterRow &row : counterTable())
    if (row.field == field) {
      // One line a reason, in the file as in memory.
      std::string text = row.name + (": " + reason).substr(0, 200);
      std::replace(text.begin(), text.end(), '\n', ' ');
      if (report_.reasons.size() < kMostReasons || report_.reasons.count(text))
        ++report_.reasons[text];
    }
}

void Counters::replace(KeyKind kind, Counter from, Counter to) {
  std::lock_guard<std::mutex> lock(mutex_);
  StoreStats &stats = report_.kinds[indexOf(kind)];
  if (stats.*from == 0)
    return;
  --(stats.*from);
  ++(stats.*to);
}

void Counters::latency(KeyKind kind, uint64_t micros) {
  size_t bucket = 0;
  while (bucket + 1 < kLatencyBuckets && (uint64_t(1) << bucket) <= micros)
    ++bucket;
  std::lock_guard<std::mutex> lock(mutex_);
  ++report_.kinds[indexOf(kind)].latency[bucket];
}

CacheReport Counters::report() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return report_;
}

CacheReport Counters::take() {
  std::lock_guard<std::mutex> lock(mutex_);
  CacheReport taken = std::move(report_);
  report_ = CacheReport();
  return taken;
}
