//===- Connection.h - One connection to a Redis server ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A socket of our own that never blocks, moved on by whoever polls it:
//
//   closed -> connecting -> TLS handshake -> login -> ready
//
// Every state and every operation has one absolute deadline, so a server that
// sends a byte at a time gains nothing by it. Data are sent with MSG_NOSIGNAL:
// a server that goes away is an error, not a signal. An operation is asked for
// at any time and answered once, by the replies or by what went wrong.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CACHE_REMOTE_CONNECTION_H
#define KILN_LIB_CACHE_REMOTE_CONNECTION_H

#include "CircuitBreaker.h"
#include "Resp.h"
#include "Tls.h"

#include <functional>
#include <sys/socket.h>

namespace kiln::cache {

/// What went wrong, in words that hold no secret.
struct Fault {
  Failure failure = Failure::Operation;
  std::string reason;
  bool isTls = false;
  bool isTimeout = false;
};

struct Operation {
  std::string command; ///< one or more commands as bytes
  size_t replies = 1;
  size_t replyBytes = 1 << 16; ///< most bytes of one reply
  TimePoint deadline;
  /// Called once; `fault` is null on success.
  std::function<void(std::vector<Reply> &replies, const Fault *fault)> done;
};

class Connection {
public:
  Connection(const RemoteConfig &config, const RedisAddress &address)
      : config_(config), address_(address) {}
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// Asks for an operation; connects if there is no connection.
  void submit(Operation operation, TimePoint now);
  /// Moves on after `poll` said `revents`, or nothing (0).
  void step(short revents, TimePoint now);
  /// Ends what is late.
  void expire(TimePoint now);
  void close();

  bool isOpen() const { return state_ != State::Closed; }
  bool isIdle() const { return waiting_.empty() && sent_.empty(); }
  int descriptor() const { return fd_; }
  short events() const;
  /// When `expire` has something to do.
  TimePoint deadline() const;
  TimePoint lastUse() const { return lastUse_; }
  /// Connections made so far.
  uint64_t connects() const { return connects_; }

private:
  enum class State { Closed, Connecting, Handshake, Login, Ready };

  void connect(TimePoint now);
  bool connectNext();
  void connected(TimePoint now);
  void shakeHands(TimePoint now);
  void logIn(TimePoint now);
  void ready();
  void send(const Operation &operation);
  std::string receive();
  std::string hint() const;
  bool flush();
  void takeReplies(TimePoint now);
  void fail(Fault fault);
  void fail(Failure failure, std::string reason, bool isTls = false,
            bool isTimeout = false) {
    fail({failure, std::move(reason), isTls, isTimeout});
  }
  std::string name() const { return "'" + address_.text() + "'"; }

  struct Endpoint {
    sockaddr_storage address{};
    socklen_t size = 0;
    int family = 0;
    bool isLocal = false;
  };
  Result<std::vector<Endpoint>> resolve() const;

  const RemoteConfig &config_;
  const RedisAddress &address_;
  State state_ = State::Closed;
  int fd_ = -1;
  std::vector<Endpoint> endpoints_; ///< still to be tried, last one first
  bool isLocal_ = false;
  bool isAnswered_ = false; ///< by at least one reply
  std::shared_ptr<TlsContext> tlsContext_;
  std::unique_ptr<TlsSession> tls_;
  std::unique_ptr<RespReader> reader_;
  std::string out_; ///< bytes for the socket
  size_t outDone_ = 0;
  std::deque<Operation> waiting_, sent_;
  std::vector<Reply> replies_; ///< of the first operation that was sent
  TimePoint stateDeadline_, lastUse_;
  uint64_t connects_ = 0;
};

} // namespace kiln::cache

#endif // KILN_LIB_CACHE_REMOTE_CONNECTION_H
