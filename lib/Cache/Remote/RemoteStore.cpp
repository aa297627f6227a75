//===- RemoteStore.cpp - A cache that machines share ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteWorker.h"

#include "kiln/Base/Log.h"
#include "kiln/Cache/LocalStore.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::cache;
using namespace std::chrono_literals;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Answers that may come late and are still wanted.
static constexpr size_t kMaxAbandoned = 256;

static std::string prefixOf(const RemoteConfig &config, const CacheKey &key,
                            const Digest &environment) {
  std::string folder = entryDirectory(key);
  return "kiln:v1:" +
         (config.nameSpace.empty() ? "default" : config.nameSpace) + ":" +
         folder.substr(0, folder.find('/')) + ":" +
         environment.hex().substr(0, 16) + ":" + key.digest.hex();
}

std::vector<std::string> cache::redisKeys(const RemoteConfig &config,
                                          const CacheKey &key,
                                          const Digest &environment) {
  std::string prefix = prefixOf(config, key, environment);
  const size_t slots = rowOf(key.kind).slots;
  if (slots == 1)
    return {prefix};
  std::vector<std::string> keys;
  for (size_t slot = 0; slot < slots; ++slot)
    keys.push_back(prefix + ":" + std::to_string(slot));
  return keys;
}

std::string cache::redisKey(const RemoteConfig &config, const CacheKey &key,
                            const Digest &environment, ByteView payload) {
  return redisKeys(config, key, environment)[sha256(payload).bytes[0] %
                                             rowOf(key.kind).slots];
}

struct RemoteStore::Request {
  Query query;
  WishPtr wish;
};

RemoteStore::RemoteStore(const RemoteConfig &config, KeyRingPtr keys)
    : config_(config), keys_(std::move(keys)),
      worker_(std::make_shared<RemoteWorker>(config)),
      budget_(milliseconds(config.compileMillis)) {
  if (keys_->allowsUnsigned())
    log::write("cache", log::Level::Warning,
               "unsigned entries of the remote cache are accepted "
               "(KILN_CACHE_ALLOW_UNSIGNED=1): whoever writes there runs code "
               "here");
}

RemoteStore::~RemoteStore() { close(); }

void RemoteStore::close() {
  if (!isClosed_)
    worker_->stop(milliseconds(config_.exitFlushMillis));
  isClosed_ = true;
}

void RemoteStore::beginCompile() {
  budget_ = milliseconds(config_.compileMillis);
}

bool RemoteStore::keeps(KeyKind kind) const {
  switch (kind) {
  case KeyKind::FxGraph:
  case KeyKind::Kernel:
  case KeyKind::Pgo:
    return config_.fxGraph;
  case KeyKind::AotAutograd:
  case KeyKind::Joint:
    return config_.aotAutograd;
  case KeyKind::Autotune:
    return config_.autotune;
  case KeyKind::AutotuneBundle:
    return config_.bundledAutotune;
  case KeyKind::Environment:
    break;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Look-ups
//===----------------------------------------------------------------------===//

/// Of many forgeries in a short time the store is to blame, not one writer.
void RemoteStore::noteForgery() {
  TimePoint now = Clock::now();
  forgeries_.push_back(now);
  while (now - forgeries_.front() > 60s)
    forgeries_.erase(forgeries_.begin());
  if (forgeries_.size() < 10)
    return;
  forgeries_.clear();
  readsOffUntil_ = now + 300s;
  log::write("cache", log::Level::Error,
             "the remote cache holds entries that are damaged or of nobody "
             "who is trusted; it is not read for 300 s");
}

void RemoteStore::read(const Query &query, const Request &request,
                       Answer &answer) {
  answer.outcome = &StoreStats::misses;
  if (!request.wish->fault.empty()) {
    answer.outcome = &StoreStats::ioErrors;
    answer.faults.push_back(request.wish->fault);
    return;
  }
  for (size_t i = 0; i < request.wish->values.size(); ++i) {
    const auto &value = request.wish->values[i];
    if (!value)
      continue;
    RemoteEntry found;
    ByteView bytes((std::string_view(*value)));
    if (bytes.size() > config_.maxValueBytes) {
      found.entry.fault = EntryFault::Corrupt;
      found.entry.reason = "value is larger than KILN_REMOTE_MAX_VALUE";
    } else {
      found.entry = decodeEntry(bytes, query.key.digest, query.environment,
                                {*keys_, Tier::Remote});
    }
    if (found.entry.fault == EntryFault::None &&
        found.entry.info.kind != query.key.kind) {
      found.entry.fault = EntryFault::Corrupt;
      found.entry.reason = "entry is of another kind";
    }
    if (found.entry.fault == EntryFault::None) {
      found.file.assign(bytes.begin(), bytes.end());
      answer.entries.push_back(std::move(found));
      continue;
    }
    answer.faults.push_back("remote " + request.wish->keys[i] + ": " +
                            found.entry.reason);
    switch (found.entry.fault) {
    case EntryFault::ForeignEnvironment:
      answer.outcome = &StoreStats::foreignEnvironment;
      break;
    case EntryFault::Auth:
      answer.outcome = &StoreStats::authRejects;
      noteForgery();
      break;
    default:
      answer.outcome = &StoreStats::corrupt;
      noteForgery();
    }
  }
  if (!answer.entries.empty())
    answer.outcome = &StoreStats::hits;
}

std::vector<RemoteStore::Answer>
RemoteStore::fetch(const std::vector<Query> &queries) {
  std::vector<Answer> answers(queries.size());
  const TimePoint begin = Clock::now();
  const TimePoint deadline =
      begin + std::min<microseconds>(milliseconds(config_.lookupMillis),
                                     budget_);
  bool mayWait = budget_ > 0us && begin >= readsOffUntil_ && config_.reads;
  std::vector<Request> requests(queries.size());
  for (size_t i = 0; i < queries.size(); ++i) {
    if (!keeps(queries[i].key.kind) || !config_.reads)
      continue;
    if (!mayWait) {
      answers[i].faults.push_back(
          budget_ > 0us ? "the remote cache is not read for a while"
                        : "the remote cache used up its time for this "
                          "compilation");
      continue;
    }
    counters_.add(queries[i].key.kind, &StoreStats::lookups);
    auto wish = std::make_shared<Wish>();
    wish->shard = worker_->shardOf(queries[i].key.digest);
    wish->keys = redisKeys(config_, queries[i].key, queries[i].environment);
    requests[i] = {queries[i], wish};
    worker_->ask(wish);
  }
  for (size_t i = 0; i < queries.size(); ++i) {
    if (!requests[i].wish)
      continue;
    if (worker_->wait(requests[i].wish, deadline)) {
      read(queries[i], requests[i], answers[i]);
      counters_.outcome(queries[i].key.kind, answers[i].outcome);
      continue;
    }
    counters_.outcome(queries[i].key.kind, &StoreStats::ioErrors, "ETIMEDOUT");
    answers[i].faults.push_back(kTooLate);
    abandoned_.push_back(std::move(requests[i]));
    if (abandoned_.size() > kMaxAbandoned)
      abandoned_.erase(abandoned_.begin());
  }
  budget_ -= std::min<microseconds>(
      budget_, std::chrono::duration_cast<microseconds>(Clock::now() - begin));
  return answers;
}

std::vector<RemoteStore::LateAnswer> RemoteStore::takeLate() {
  std::vector<LateAnswer> late;
  std::vector<Request> waiting;
  for (Request &request : abandoned_) {
    if (!worker_->isAnswered(request.wish)) {
      waiting.push_back(std::move(request));
      continue;
    }
    if (!request.wish->fault.empty())
      continue;
    late.push_back({request.query, {}});
    read(request.query, request, late.back().answer);
  }
  abandoned_ = std::move(waiting);
  return late;
}

Lookup RemoteStore::get(const CacheKey &key, const Digest &environment) {
  Lookup lookup;
  Answer answer = std::move(fetch({{key, environment}}).front());
  lookup.faults = std::move(answer.faults);
  for (RemoteEntry &found : answer.entries)
    lookup.variants.push_back(std::move(found.entry));
  lookup.remoteHits = lookup.variants.size();
  lookup.damaged = answer.isForged();
  return lookup;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

Status RemoteStore::put(const CacheKey &key, const Digest &environment,
                        const EntryInfo &info, ByteView payload) {
  if (!keeps(key.kind) || !config_.writes)
    return Status::success();
  EntryInfo full = info;
  full.keyParts = key.parts;
  if (!keys_->maySignForOthers())
    return Error::io("nothing is stored in the remote cache without a key of "
                     "one's own; expected KILN_CACHE_KEY_FILE");
  putFile(key, environment, payload,
          encodeEntry(key.digest, environment, full, payload,
                      {*keys_, keys_->methodForOthers()}));
  return Status::success();
}

void RemoteStore::putFile(const CacheKey &key, const Digest &environment,
                          ByteView payload, std::vector<uint8_t> file) {
  if (!keeps(key.kind) || !config_.writes)
    return;
  if (file.size() > config_.maxValueBytes) {
    counters_.outcome(key.kind, &StoreStats::putSkips, "toolarge");
    return;
  }
  counters_.add(key.kind, &StoreStats::puts);
  counters_.add(key.kind, &StoreStats::bytesOut, file.size());
  worker_->store(worker_->shardOf(key.digest),
                 redisKey(config_, key, environment, payload), std::move(file));
}

RemoteStats RemoteStore::remoteStats() const { return worker_->stats(); }

CacheReport RemoteStore::report() const {
  CacheReport report = counters_.report();
  RemoteStats remote = remoteStats();
  StoreStats &all = report.kinds[0];
  all.timeouts = remote.timeouts;
  all.budgetExceeded = remote.budgetExceeded;
  all.lateHits = remote.lateHits;
  all.breakerOpens = remote.breakerOpens;
  all.queueDropped = remote.queueDropped;
  all.connects = remote.connects;
  all.tlsFailures = remote.tlsFailures;
  all.stored = remote.stored;
  for (const auto &[code, count] : remote.storeFailures)
    report.reasons["store_fail: " + code] = count;
  if (!remote.lastError.empty())
    report.reasons["last error: " + remote.lastError] = 1;
  if (remote.isOpen)
    report.reasons["a server was left alone at the end"] = 1;
  return report;
}
