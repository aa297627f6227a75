//===- RemoteWorker.h - The thread that talks to servers --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread owns resolver, sockets, TLS and breakers. Others leave a wish in a
// queue and wait for it on a condition variable, until a deadline of their own;
// so nothing that a server or a resolver does holds a compilation longer. All
// wishes that wait for a server are asked for together (MGET). What is to be
// stored is sent behind, and dropped, oldest first, when there is too much.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_REMOTE_REMOTEWORKER_H
#define KILN_LIB_CACHE_REMOTE_REMOTEWORKER_H

#include "Connection.h"

#include "kiln/Cache/RemoteStore.h"

#include <condition_variable>
#include <poll.h>
#include <thread>

namespace kiln::cache {

/// The fault of who stopped waiting.
extern const char *const kTooLate;

/// Values that somebody wants.
struct Wish {
  size_t shard = 0;
  std::vector<std::string> keys;

  // Guarded by the worker's mutex.
  bool isDone = false;
  bool isAbandoned = false;
  std::string fault; ///< why there are no values
  std::vector<std::optional<std::string>> values; ///< one a key
};
using WishPtr = std::shared_ptr<Wish>;

class RemoteWorker : public std::enable_shared_from_this<RemoteWorker> {
public:
  explicit RemoteWorker(const RemoteConfig &config);
  ~RemoteWorker();

  /// The shard of a key: the highest of the hashes with all shards, so that one
  /// that is added or lost moves only its own keys.
  size_t shardOf(const Digest &key) const;

  /// Asks for the values of keys of one shard. Done at once, with a fault, while
  /// the breaker is open.
  void ask(const WishPtr &wish);
  /// Waits; false if the deadline came first. The wish is then abandoned, and
  /// counts as a failure of its server.
  bool wait(const WishPtr &wish, TimePoint deadline);
  /// Whether an abandoned wish was answered since.
  bool isAnswered(const WishPtr &wish) const;
  void store(size_t shard, std::string key, std::vector<uint8_t> value);
  /// Stops. What is queued is sent before, for at most `limit`.
  void stop(std::chrono::milliseconds limit);

  RemoteStats stats() const;

private:
  struct Value {
    std::string key;
    std::vector<uint8_t> bytes;
  };
  struct Shard {
    Shard(const RemoteConfig &config, const RedisAddress &address,
          uint64_t seed)
        : breaker(seed), reader(config, address), writer(config, address) {}
    CircuitBreaker breaker; ///< guarded by the mutex
    Connection reader, writer;
    std::deque<WishPtr> wishes;
    std::deque<Value> values;
    TimePoint writesOffUntil{};
  };

  bool start();
  void run();
  void turn();
  void noteConnects();
  void pump(TimePoint now);
  void askTogether(Shard &shard, TimePoint now);
  void askOnce(Shard &shard, const std::vector<WishPtr> &wishes,
               const std::shared_ptr<bool> &isCounted, TimePoint now);
  void sendValues(Shard &shard, TimePoint now);
  void probe(Shard &shard, TimePoint now);
  void refuseWishes(Shard &shard);
  void answered(Shard &shard, const std::vector<WishPtr> &wishes,
                std::vector<Reply> &replies, const Fault *fault,
                bool &isCounted);
  void finish(const WishPtr &wish);
  void failed(Shard &shard, const Fault &fault);
  void stored(Shard &shard, const std::vector<Reply> &replies, size_t count,
              const Fault *fault);
  bool mayEnd(TimePoint now);
  TimePoint nextTime(TimePoint now);
  void wake();

  const RemoteConfig config_;
  std::vector<std::unique_ptr<Shard>> shards_;
  int wake_ = -1;
  std::thread thread_;
  std::vector<pollfd> polled_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t queuedValues_ = 0, queuedBytes_ = 0;
  bool isStarted_ = false, isStopping_ = false, isEnded_ = false;
  TimePoint stopTime_;
  RemoteStats stats_;
};

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_REMOTE_REMOTEWORKER_H
