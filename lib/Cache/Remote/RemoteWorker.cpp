//===- RemoteWorker.cpp - The thread that talks to servers ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteWorker.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Base/Log.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

static constexpr size_t kMaxQueuedValues = 1024;
static constexpr size_t kMaxQueuedBytes = 64 << 20;
static constexpr size_t kMaxKeysTogether = 256;
static constexpr uint64_t kMaxReplyBytes = 512 << 20;
/// Values that are sent before an answer is waited for.
static constexpr size_t kBytesTogether = 1 << 20;
static constexpr auto kIdle = 60s;
const char *const cache::kTooLate = "the remote cache did not answer in time";

RemoteWorker::RemoteWorker(const RemoteConfig &config) : config_(config) {
  uint64_t seed = 0;
  if (::getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
    seed = uint64_t(::getpid());
  for (const RedisAddress &address : config_.shards)
    shards_.push_back(std::make_unique<Shard>(config_, address, ++seed));
}

RemoteWorker::~RemoteWorker() {
  if (wake_ >= 0)
    ::close(wake_);
}

size_t RemoteWorker::shardOf(const Digest &key) const {
  size_t best = 0;
  Digest highest;
  for (size_t i = 0; i < config_.shards.size() && config_.shards.size() > 1;
       ++i) {
    Hasher hasher;
    hasher.addPart("shard",
                   ByteView(std::string_view(config_.shards[i].text())));
    hasher.addPart("key", ByteView(key.bytes.data(), key.bytes.size()));
    Digest weight = hasher.finish();
    if (i == 0 || highest < weight) {
      highest = weight;
      best = i;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

void RemoteWorker::wake() {
  uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof(one));
}

/// Under the mutex. The thread keeps this object until it ends. False where the
/// system gives no thread or no descriptor; the next caller tries again.
bool RemoteWorker::start() {
  if (isStarted_)
    return true;
  std::string reason;
  if (wake_ < 0)
    wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake_ < 0) {
    reason = systemMessage(errno);
  } else {
    try {
      thread_ = std::thread([self = shared_from_this()] { self->run(); });
      isStarted_ = true;
      return true;
    } catch (const std::exception &error) {
      reason = error.what();
    }
  }
  bool isFirst = stats_.lastError.empty();
  stats_.lastError = "there is no thread for the remote cache: " + reason;
  if (isFirst)
    log::write("cache", log::Level::Warning, stats_.lastError);
  return false;
}

void RemoteWorker::ask(const WishPtr &wish) {
  std::lock_guard<std::mutex> lock(mutex_);
  Shard &shard = *shards_[wish->shard];
  bool isLeftAlone = !shard.breaker.isClosed() || isStopping_;
  if (isLeftAlone || !start()) {
    wish->fault =
        (isLeftAlone ? "the remote cache is left alone for a while: " : "") +
        stats_.lastError;
    wish->isDone = true;
    ++stats_.skipped;
    return;
  }
  shard.wishes.push_back(wish);
  wake();
}

bool RemoteWorker::wait(const WishPtr &wish, TimePoint deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (changed_.wait_until(lock, deadline, [&] { return wish->isDone; }))
    return true;
  wish->isAbandoned = true;
  ++stats_.budgetExceeded;
  Shard &shard = *shards_[wish->shard];
  failed(shard, {Failure::Operation, kTooLate, false, false});
  return false;
}

bool RemoteWorker::isAnswered(const WishPtr &wish) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return wish->isDone;
}

void RemoteWorker::store(size_t shard, std::string key,
                         std::vector<uint8_t> value) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (isStopping_ || value.size() > kMaxQueuedBytes || !start()) {
    ++stats_.queueDropped;
    return;
  }
  queuedBytes_ += value.size();
  ++queuedValues_;
  shards_[shard]->values.push_back({std::move(key), std::move(value)});
  while (queuedValues_ > kMaxQueuedValues || queuedBytes_ > kMaxQueuedBytes) {
    // The oldest of the shard that has most; the others keep theirs.
    auto longest = std::max_element(
        shards_.begin(), shards_.end(), [](const auto &a, const auto &b) {
          return a->values.size() < b->values.size();
        });
    queuedBytes_ -= (*longest)->values.front().bytes.size();
    --queuedValues_;
    (*longest)->values.pop_front();
    ++stats_.queueDropped;
  }
  wake();
}

void RemoteWorker::stop(milliseconds limit) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    isStopping_ = true;
    stopTime_ = Clock::now() + limit;
    if (!isStarted_)
      return;
    wake();
    // A resolver may hold the thread longer than anybody wants to wait. It then
    // ends by itself, with this object.
    if (!changed_.wait_until(lock, stopTime_ + 250ms,
                             [&] { return isEnded_; })) {
      thread_.detach();
      return;
    }
  }
  thread_.join();
}

RemoteStats RemoteWorker::stats() const {
  std::lock_guard<std::mutex> lock(mutex_);
  RemoteStats stats = stats_;
  for (const auto &shard : shards_) {
    stats.breakerOpens += shard->breaker.opens();
    stats.isOpen |= !shard->breaker.isClosed();
  }
  return stats;
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

void RemoteWorker::run() {
  // Signals are for the threads of the program.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!mayEnd(Clock::now())) {
    try {
      turn();
    } catch (const std::exception &) {
      // No memory for what a server sent. Whoever waits stops waiting in time.
      for (const auto &shard : shards_) {
        shard->reader.close();
        shard->writer.close();
      }
    }
  }
  for (const auto &shard : shards_) {
    shard->reader.close();
    shard->writer.close();
  }
  std::lock_guard<std::mutex> lock(mutex_);
  isEnded_ = true;
  changed_.notify_all();
}

/// Sends what is wanted, waits for anything to happen, and looks at it.
void RemoteWorker::turn() {
  pump(Clock::now());
  TimePoint now = Clock::now();
  polled_.assign(1, {wake_, POLLIN, 0});
  for (const auto &shard : shards_)
    for (Connection *connection : {&shard->reader, &shard->writer})
      polled_.push_back({connection->isOpen() ? connection->descriptor() : -1,
                         connection->events(), 0});
  TimePoint next = nextTime(now);
  int timeout = -1;
  if (next != TimePoint::max())
    timeout = int(std::clamp<int64_t>(
        std::chrono::ceil<milliseconds>(next - now).count(), 0, 60000));
  ::poll(polled_.data(), polled_.size(), timeout);
  if (polled_[0].revents) {
    uint64_t count;
    (void)!::read(wake_, &count, sizeof(count));
  }
  now = Clock::now();
  size_t i = 1;
  for (const auto &shard : shards_)
    for (Connection *connection : {&shard->reader, &shard->writer}) {
      connection->step(polled_[i++].revents, now);
      connection->expire(now);
      if (connection->isOpen() && connection->isIdle() &&
          now - connection->lastUse() > kIdle)
        connection->close();
    }
}

/// True if the owner wants to stop and nothing is left that may be sent.
bool RemoteWorker::mayEnd(TimePoint now) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!isStopping_)
    return false;
  return now >= stopTime_ ||
         std::all_of(shards_.begin(), shards_.end(), [&](const auto &shard) {
           return (shard->values.empty() && shard->writer.isIdle()) ||
                  !shard->breaker.isClosed() || now < shard->writesOffUntil;
         });
}

TimePoint RemoteWorker::nextTime(TimePoint now) {
  std::lock_guard<std::mutex> lock(mutex_);
  TimePoint next = isStopping_ ? stopTime_ : TimePoint::max();
  for (const auto &shard : shards_) {
    for (Connection *connection : {&shard->reader, &shard->writer}) {
      next = std::min(next, connection->deadline());
      if (connection->isOpen() && connection->isIdle())
        next = std::min(next, connection->lastUse() + kIdle);
    }
    if (shard->breaker.state() == CircuitBreaker::State::Open)
      next = std::min(next, shard->breaker.probeTime());
    if (shard->writer.isIdle() && !shard->values.empty() &&
        shard->breaker.isClosed())
      next = std::min(next, std::max(now, shard->writesOffUntil));
  }
  return next;
}

void RemoteWorker::pump(TimePoint now) {
  for (const auto &shard : shards_) {
    askTogether(*shard, now);
    sendValues(*shard, now);
    probe(*shard, now);
  }
}

//===----------------------------------------------------------------------===//
// Look-ups
//===----------------------------------------------------------------------===//

void RemoteWorker::askTogether(Shard &shard, TimePoint now) {
  std::vector<WishPtr> wishes;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!shard.breaker.isClosed())
      return refuseWishes(shard);
    size_t keys = 0;
    while (!shard.wishes.empty() &&
           (wishes.empty() ||
            keys + shard.wishes.front()->keys.size() <= kMaxKeysTogether)) {
      WishPtr wish = std::move(shard.wishes.front());
      shard.wishes.pop_front();
      if (wish->isAbandoned) {
        // Nobody waits, and it was never sent.
        wish->fault = kTooLate;
        finish(wish);
        continue;
      }
      keys += wish->keys.size();
      wishes.push_back(std::move(wish));
    }
    if (!shard.wishes.empty())
      wake();
  }
  // Each value may be as large as one may be, and a reply has a limit: so many
  // keys a command. The commands are sent together, and fail together.
  const size_t most =
      std::max<size_t>(1, kMaxReplyBytes / config_.maxValueBytes);
  auto isCounted = std::make_shared<bool>(false);
  for (auto begin = wishes.begin(); begin != wishes.end();) {
    size_t keys = 0;
    auto end = begin;
    while (end != wishes.end() &&
           (end == begin || keys + (*end)->keys.size() <= most))
      keys += (*end++)->keys.size();
    askOnce(shard, {begin, end}, isCounted, now);
    begin = end;
  }
}

/// One MGET for all keys of `wishes`.
void RemoteWorker::askOnce(Shard &shard, const std::vector<WishPtr> &wishes,
                           const std::shared_ptr<bool> &isCounted,
                           TimePoint now) {
  std::vector<std::string_view> words = {"MGET"};
  for (const WishPtr &wish : wishes)
    words.insert(words.end(), wish->keys.begin(), wish->keys.end());
  Operation operation;
  operation.command = formatCommand(words);
  operation.replyBytes = size_t(
      std::min<uint64_t>(kMaxReplyBytes,
                         (words.size() - 1) * uint64_t(config_.maxValueBytes)) +
      (1 << 20));
  operation.deadline = now + milliseconds(config_.operationMillis);
  operation.done = [this, &shard, wishes, isCounted](
                       std::vector<Reply> &replies, const Fault *fault) {
    answered(shard, wishes, replies, fault, *isCounted);
  };
  shard.reader.submit(std::move(operation), now);
}

/// Under the mutex.
void RemoteWorker::refuseWishes(Shard &shard) {
  while (!shard.wishes.empty()) {
    WishPtr wish = std::move(shard.wishes.front());
    shard.wishes.pop_front();
    wish->fault =
        "the remote cache is left alone for a while: " + stats_.lastError;
    ++stats_.skipped;
    finish(wish);
  }
}

/// Under the mutex.
void RemoteWorker::finish(const WishPtr &wish) {
  wish->isDone = true;
  stats_.lateHits += wish->isAbandoned && wish->fault.empty() &&
                     std::any_of(wish->values.begin(), wish->values.end(),
                                 [](const auto &value) { return bool(value); });
  changed_.notify_all();
}

/// What a reply that is no answer means.
static Fault faultOf(const std::string &code) {
  if (code == "NOPERM" || code == "NOAUTH" || code == "WRONGPASS")
    return {Failure::Configuration, "the server refuses this user: " + code};
  if (code == "MOVED" || code == "ASK" || code == "CROSSSLOT")
    return {Failure::Operation,
            "the server is part of a cluster, which is not supported: " + code};
  if (code == "LOADING")
    return {Failure::Operation, "the server is still starting: LOADING"};
  if (code == "OOM")
    return {Failure::Operation, "the server is out of memory: OOM"};
  if (code == "READONLY")
    return {Failure::Operation, "the server is a replica: READONLY"};
  return {Failure::Operation, "the server refuses the command: " + code};
}

void RemoteWorker::answered(Shard &shard, const std::vector<WishPtr> &wishes,
                            std::vector<Reply> &replies, const Fault *fault,
                            bool &isCounted) {
  std::lock_guard<std::mutex> lock(mutex_);
  noteConnects();
  size_t count = 0;
  for (const WishPtr &wish : wishes)
    count += wish->keys.size();
  Fault own;
  if (!fault && replies[0].isError()) {
    own = faultOf(replies[0].errorCode());
    fault = &own;
  } else if (!fault && (replies[0].kind != Reply::Kind::Array ||
                        replies[0].elements.size() != count)) {
    own = {Failure::Operation, "the server answers MGET with something else"};
    fault = &own;
  }
  bool wasWaitedFor = false;
  size_t at = 0;
  for (const WishPtr &wish : wishes) {
    wasWaitedFor |= !wish->isAbandoned;
    for (size_t i = 0; i < wish->keys.size() && !fault; ++i) {
      Reply &value = replies[0].elements[at++];
      if (value.kind == Reply::Kind::String)
        wish->values.push_back(std::move(value.text));
      else
        wish->values.push_back(std::nullopt);
    }
    if (fault)
      wish->fault = fault->reason;
    finish(wish);
  }
  // What nobody waited for has been counted as a failure already.
  if (fault && wasWaitedFor && !isCounted) {
    isCounted = true;
    failed(shard, *fault);
  } else if (!fault && wasWaitedFor) {
    shard.breaker.succeeded(Clock::now());
  }
}

/// Under the mutex, on the thread that owns the connections.
void RemoteWorker::noteConnects() {
  stats_.connects = 0;
  for (const auto &shard : shards_)
    stats_.connects += shard->reader.connects() + shard->writer.connects();
}

/// Under the mutex.
void RemoteWorker::failed(Shard &shard, const Fault &fault) {
  stats_.lastError = fault.reason;
  stats_.timeouts += fault.isTimeout;
  stats_.tlsFailures += fault.isTls;
  bool wasClosed = shard.breaker.isClosed();
  shard.breaker.failed(fault.failure, Clock::now());
  if (!wasClosed || shard.breaker.isClosed())
    return;
  bool isConfiguration = fault.failure == Failure::Configuration;
  log::write("cache",
             isConfiguration ? log::Level::Error : log::Level::Warning,
             "the remote cache is left alone for a while: " + fault.reason);
}

//===----------------------------------------------------------------------===//
// Stores and probes
//===----------------------------------------------------------------------===//

void RemoteWorker::sendValues(Shard &shard, TimePoint now) {
  if (!shard.writer.isIdle() || now < shard.writesOffUntil)
    return;
  Operation operation;
  operation.replies = 0;
  const std::string ttl = std::to_string(config_.ttlSeconds);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!shard.breaker.isClosed())
      return;
    while (!shard.values.empty() && operation.command.size() < kBytesTogether) {
      Value value = std::move(shard.values.front());
      shard.values.pop_front();
      --queuedValues_;
      queuedBytes_ -= value.bytes.size();
      std::vector<std::string_view> words = {"SET", value.key,
                                             ByteView(value.bytes).text()};
      if (config_.ttlSeconds != 0)
        words.insert(words.end(), {"EX", ttl});
      operation.command += formatCommand(words);
      ++operation.replies;
    }
  }
  if (operation.replies == 0)
    return;
  operation.deadline = now + milliseconds(config_.operationMillis);
  operation.done = [this, &shard, count = operation.replies](
                       std::vector<Reply> &replies, const Fault *fault) {
    stored(shard, replies, count, fault);
  };
  shard.writer.submit(std::move(operation), now);
}

void RemoteWorker::stored(Shard &shard, const std::vector<Reply> &replies,
                          size_t count, const Fault *fault) {
  std::lock_guard<std::mutex> lock(mutex_);
  noteConnects();
  if (fault) {
    stats_.storeFailures["connection"] += count;
    return failed(shard, *fault);
  }
  for (const Reply &reply : replies) {
    if (!reply.isError()) {
      ++stats_.stored;
      continue;
    }
    std::string code = reply.errorCode();
    ++stats_.storeFailures[code];
    Fault refused = faultOf(code);
    stats_.lastError = refused.reason;
    // A user that may only read goes on reading.
    if (refused.failure == Failure::Configuration &&
        shard.writesOffUntil < Clock::now()) {
      shard.writesOffUntil = Clock::now() + 300s;
      log::write("cache", log::Level::Warning,
                 "nothing is stored in the remote cache: " + refused.reason);
    }
  }
  shard.breaker.succeeded(Clock::now());
}

void RemoteWorker::probe(Shard &shard, TimePoint now) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (isStopping_ || !shard.breaker.startProbe(now))
      return;
  }
  Operation operation;
  operation.command =
      formatCommand({"PING"}) +
      formatCommand({"GET", "kiln:v1:probe"});
  operation.replies = 2;
  operation.replyBytes = config_.maxValueBytes;
  operation.deadline = now + milliseconds(config_.operationMillis);
  operation.done = [this, &shard](std::vector<Reply> &replies,
                                  const Fault *fault) {
    std::lock_guard<std::mutex> lock(mutex_);
    Fault own;
    for (const Reply &reply : replies)
      if (reply.isError() && !fault) {
        own = faultOf(reply.errorCode());
        fault = &own;
      }
    if (!fault)
      return shard.breaker.probeSucceeded();
    stats_.lastError = fault->reason;
    shard.breaker.probeFailed(fault->failure, Clock::now());
  };
  shard.reader.submit(std::move(operation), now);
}
