//===- LookCommands.cpp - info, stats, list, verify -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "common/JsonWriter.h"
#include "common/Output.h"

#include <algorithm>
#include <ctime>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::cachetool;
using kiln::tools::JsonWriter;
using kiln::tools::print;

namespace {
struct Amount {
  uint64_t files = 0, bytes = 0;
};
} // namespace

static std::map<std::string, Amount> countEntries(const LocalStore *store) {
  std::map<std::string, Amount> kinds;
  if (store)
    store->forEach([&](const StoredEntry &entry) {
      Amount &amount = kinds[kindName(entry.kind)];
      ++amount.files;
      amount.bytes += entry.diskBytes;
    });
  return kinds;
}

static double hitRate(const StoreStats &stats) {
  return stats.lookups == 0 ? 0 : double(stats.hits) / double(stats.lookups);
}

//===----------------------------------------------------------------------===//
// info
//===----------------------------------------------------------------------===//

static void writeInfo(const CacheConfig &config,
                      const std::map<std::string, Amount> &kinds, Amount total,
                      const StoreStats &stats, bool exists) {
  JsonWriter json;
  json.beginObject().key("directory").text(config.root);
  json.key("exists").flag(exists);
  json.key("entries").number(int64_t(total.files));
  json.key("bytes").number(int64_t(total.bytes));
  json.key("max_bytes").number(int64_t(config.local.maxBytes));
  json.key("max_entries").number(int64_t(config.local.maxFiles));
  json.key("kinds").beginObject();
  for (const auto &[kind, amount] : kinds) {
    json.key(kind).beginObject();
    json.key("entries").number(int64_t(amount.files));
    json.key("bytes").number(int64_t(amount.bytes)).endObject();
  }
  json.endObject();
  json.key("lookups").number(int64_t(stats.lookups));
  json.key("hits").number(int64_t(stats.hits));
  json.key("hit_rate").real(hitRate(stats)).endObject();
  print(json.str() + "\n");
}

static Result<int> info(int argc, char **argv) {
  CacheFlags flags;
  bool json = false;
  flags.line.flag("json", json);
  if (Status s = flags.parse(argc, argv, 0, 1); !s)
    return s.takeError();
  if (!flags.words().empty())
    return describePackage(flags.words().front(), json);
  auto store = flags.open();
  if (!store)
    return store.takeError();
  auto kinds = countEntries(store->get());
  Amount total;
  for (const auto &[kind, amount] : kinds) {
    total.files += amount.files;
    total.bytes += amount.bytes;
  }
  StoreStats stats;
  if (*store)
    stats = (*store)->mergedReports()["local"].total();
  const CacheConfig &config = flags.config();
  if (json) {
    writeInfo(config, kinds, total, stats, *store != nullptr);
    return 0;
  }
  print("folder    " + config.root + (*store ? "\n" : " (does not exist)\n"));
  auto limit = [](uint64_t value, const std::string &text) {
    return value == 0 ? std::string("no limit") : "of at most " + text;
  };
  print("entries   " + std::to_string(total.files) + ", " +
        limit(config.local.maxFiles, std::to_string(config.local.maxFiles)) +
        "\n");
  print("size      " + showBytes(total.bytes) + ", " +
        limit(config.local.maxBytes, showBytes(config.local.maxBytes)) + "\n");
  for (const auto &[kind, amount] : kinds)
    print("  " + kind + ": " + std::to_string(amount.files) + ", " +
          showBytes(amount.bytes) + "\n");
  char rate[16];
  std::snprintf(rate, sizeof(rate), "%.1f %%", hitRate(stats) * 100);
  print("look-ups  " + std::to_string(stats.lookups) + ", " +
        std::to_string(stats.hits) + " hits (" + rate + ")\n");
  return 0;
}

//===----------------------------------------------------------------------===//
// stats
//===----------------------------------------------------------------------===//

static void writeCounters(JsonWriter &json, const StoreStats &stats) {
  for (const CounterRow &row : counterTable())
    json.key(row.name).number(int64_t(stats.*row.field));
  json.key("latency_us").beginObject();
  for (auto [name, part] : {std::pair<const char *, double>("p50", 0.5),
                            {"p90", 0.9},
                            {"p99", 0.99}})
    json.key(name).number(int64_t(stats.latencyQuantile(part)));
  json.endObject();
}

static void writeReport(JsonWriter &json, const CacheReport &report) {
  StoreStats total = report.total();
  json.beginObject();
  writeCounters(json, total);
  json.key("consistent").flag(total.isConsistent());
  json.key("kinds").beginObject();
  for (size_t i = 0; i < kKeyKinds; ++i) {
    CacheReport one;
    one.kinds[i] = report.kinds[i];
    if (one.isEmpty())
      continue;
    json.key(kindName(static_cast<KeyKind>(i))).beginObject();
    writeCounters(json, report.kinds[i]);
    json.endObject();
  }
  json.endObject().key("reasons").beginObject();
  for (const auto &[reason, count] : report.reasons)
    json.key(reason).number(int64_t(count));
  json.endObject().endObject();
}

static Result<int> stats(int argc, char **argv) {
  CacheFlags flags;
  bool json = false;
  flags.line.flag("json", json);
  auto store = flags.parseAndOpen(argc, argv);
  if (!store)
    return store.takeError();
  std::map<std::string, CacheReport> tiers;
  if (*store)
    tiers = (*store)->mergedReports();
  tiers["local"];
  if (json) {
    JsonWriter writer;
    writer.beginObject();
    for (const auto &[tier, report] : tiers) {
      writer.key(tier);
      writeReport(writer, report);
    }
    print(writer.endObject().str() + "\n");
    return 0;
  }
  for (const auto &[tier, report] : tiers) {
    StoreStats total = report.total();
    print(tier + "\n");
    for (const CounterRow &row : counterTable()) {
      char line[128];
      std::snprintf(line, sizeof(line), "  %-22s %12llu  %s\n", row.name,
                    static_cast<unsigned long long>(total.*row.field),
                    row.meaning);
      print(line);
    }
    for (const auto &[reason, count] : report.reasons)
      print("  " + reason + ": " + std::to_string(count) + "\n");
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// list, verify
//===----------------------------------------------------------------------===//

/// Entries by the time of their last use, the latest first.
static std::vector<StoredEntry> sortedEntries(const LocalStore *store) {
  std::vector<StoredEntry> entries;
  if (store)
    store->forEach(
        [&](const StoredEntry &entry) { entries.push_back(entry); });
  std::sort(entries.begin(), entries.end(),
            [](const StoredEntry &a, const StoredEntry &b) {
              return a.usedSeconds != b.usedSeconds
                         ? a.usedSeconds > b.usedSeconds
                         : a.path < b.path;
            });
  return entries;
}

static Result<int> list(int argc, char **argv) {
  CacheFlags flags;
  auto store = flags.parseAndOpen(argc, argv);
  if (!store)
    return store.takeError();
  for (const StoredEntry &entry : sortedEntries(store->get())) {
    tm parts = {};
    time_t used = entry.usedSeconds;
    char time[32] = "";
    if (::localtime_r(&used, &parts))
      std::strftime(time, sizeof(time), "%Y-%m-%d %H:%M", &parts);
    print(std::string(time) + "  " + std::to_string(entry.fileBytes) + "  " +
          kindName(entry.kind) + "  " + entry.key.hex() + "  " +
          entry.path.substr(entry.path.rfind('/') + 1) + "\n");
  }
  return 0;
}

static Result<int> verify(int argc, char **argv) {
  CacheFlags flags;
  auto store = flags.parseAndOpen(argc, argv);
  if (!store)
    return store.takeError();
  uint64_t good = 0, bad = 0;
  for (const StoredEntry &entry : sortedEntries(store->get())) {
    DecodedEntry decoded = (*store)->read(entry);
    if (decoded.fault == EntryFault::None) {
      ++good;
      continue;
    }
    ++bad;
    print(entry.path + ": " + decoded.reason + "\n");
  }
  print(std::to_string(good) + " good, " + std::to_string(bad) + " damaged\n");
  return bad == 0 ? 0 : 1;
}

std::vector<Command> cachetool::lookCommands() {
  return {
      {"info", "[--json] [PACKAGE]",
       "how much there is, by kind; limits and hit rate. Of a\n"
       "package of kiln-compile: variants, inputs, outputs,\n"
       "weights, ranges of sizes", info},
      {"stats", "[--json]", "counters of all processes since 'clear'", stats},
      {"list", "", "entries, the last used first: time of use, bytes,\n"
                   "kind, key, variant", list},
      {"verify", "", "check every entry; exit code 1 if one is damaged",
       verify},
  };
}
