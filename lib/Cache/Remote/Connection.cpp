//===- Connection.cpp - One connection to a Redis server ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connection.h"

#include "kiln/Base/FileSystem.h"

#include <arpa/inet.h>
#include <cerrno>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
using std::chrono::milliseconds;

Connection::~Connection() { close(); }

void Connection::close() {
  fail(Failure::Operation, "the connection to " + name() + " was closed");
}

//===----------------------------------------------------------------------===//
// Connecting
//===----------------------------------------------------------------------===//

static bool isLoopback(const sockaddr *address) {
  if (address->sa_family == AF_INET) {
    auto *v4 = reinterpret_cast<const sockaddr_in *>(address);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  if (address->sa_family == AF_INET6) {
    auto *v6 = reinterpret_cast<const sockaddr_in6 *>(address);
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
  }
  return address->sa_family == AF_UNIX;
}

Result<std::vector<Connection::Endpoint>> Connection::resolve() const {
  std::vector<Endpoint> found;
  if (!address_.socketPath.empty()) {
    Endpoint endpoint;
    auto *local = reinterpret_cast<sockaddr_un *>(&endpoint.address);
    if (address_.socketPath.size() >= sizeof(local->sun_path))
      return Error::io("the path of " + name() + " is too long for a socket");
    local->sun_family = AF_UNIX;
    std::copy(address_.socketPath.begin(), address_.socketPath.end(),
              local->sun_path);
    endpoint.size = sizeof(sockaddr_un);
    endpoint.family = AF_UNIX;
    endpoint.isLocal = true;
    found.push_back(endpoint);
    return found;
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo *list = nullptr;
  int code =
      ::getaddrinfo(address_.host.c_str(),
                    std::to_string(address_.port).c_str(), &hints, &list);
  if (code != 0)
    return Error::io("cannot find " + name() + ": " + ::gai_strerror(code));
  for (addrinfo *one = list; one; one = one->ai_next) {
    if (one->ai_addrlen > sizeof(sockaddr_storage))
      continue;
    Endpoint endpoint;
    std::memcpy(&endpoint.address, one->ai_addr, one->ai_addrlen);
    endpoint.size = one->ai_addrlen;
    endpoint.family = one->ai_family;
    endpoint.isLocal = isLoopback(one->ai_addr);
    found.insert(found.begin(), endpoint);
  }
  ::freeaddrinfo(list);
  return found;
}

void Connection::connect(TimePoint now) {
  auto endpoints = resolve();
  if (!endpoints)
    return fail(Failure::Connect, endpoints.error().message);
  endpoints_ = std::move(*endpoints);
  state_ = State::Connecting;
  // A resolver may have taken long; that is not the server's time.
  stateDeadline_ =
      std::max(now, Clock::now()) + milliseconds(config_.connectMillis);
  if (!connectNext())
    fail(Failure::Connect, "cannot connect to " + name() + ": " +
                               systemMessage(errno));
}

/// Begins with the next address; false if none is left.
bool Connection::connectNext() {
  while (!endpoints_.empty()) {
    Endpoint endpoint = endpoints_.back();
    endpoints_.pop_back();
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = ::socket(endpoint.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                   0);
    if (fd_ < 0)
      continue;
    isLocal_ = endpoint.isLocal;
    int on = 1;
    if (endpoint.family != AF_UNIX)
      ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(fd_, reinterpret_cast<sockaddr *>(&endpoint.address),
                  endpoint.size) == 0 ||
        errno == EINPROGRESS)
      return true;
  }
  return false;
}

void Connection::connected(TimePoint now) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
    error = errno;
  if (error != 0) {
    if (!connectNext())
      fail(Failure::Connect,
           "cannot connect to " + name() + ": " + systemMessage(error));
    return;
  }
  ++connects_;
  isAnswered_ = false;
  reader_ = std::make_unique<RespReader>();
  if (!address_.tls)
    return logIn(now);
  if (!tlsContext_) {
    auto context = TlsContext::make(config_.tls);
    if (!context)
      return fail(Failure::Configuration, context.error().message, true);
    tlsContext_ = *context;
  }
  tls_ = std::make_unique<TlsSession>(tlsContext_, address_.host);
  state_ = State::Handshake;
  stateDeadline_ = now + milliseconds(config_.tlsMillis);
  shakeHands(now);
}

void Connection::shakeHands(TimePoint now) {
  auto progress = tls_->handshake();
  tls_->takeOutput(out_);
  if (progress == TlsSession::Progress::Failed) {
    flush(); // the alert that tells the server why
    return fail(tls_->refusedCertificate() ? Failure::Configuration
                                           : Failure::Connect,
                name() + ": " + tls_->error(), true);
  }
  flush();
  if (progress == TlsSession::Progress::Done)
    logIn(now);
}

void Connection::logIn(TimePoint now) {
  std::string command;
  size_t replies = 0;
  if (!address_.password.empty()) {
    if (!tls_ && !isLocal_ && !config_.allowPlaintextAuth)
      return fail(Failure::Configuration,
                  "no password is sent to " + name() +
                      " without TLS; use rediss://, or set "
                      "KILN_REDIS_ALLOW_PLAINTEXT_AUTH=1");
    const std::string &password = address_.password.reveal();
    command += address_.user.empty()
                   ? formatCommand({"AUTH", password})
                   : formatCommand({"AUTH", address_.user, password});
    ++replies;
  }
  if (address_.database != 0) {
    command += formatCommand({"SELECT", std::to_string(address_.database)});
    ++replies;
  }
  if (replies == 0)
    return ready();
  state_ = State::Login;
  Operation operation;
  operation.command = std::move(command);
  operation.replies = replies;
  operation.deadline = now + milliseconds(config_.operationMillis);
  operation.done = [this](std::vector<Reply> &answers, const Fault *fault) {
    if (fault)
      return;
    for (const Reply &answer : answers)
      if (answer.isError())
        return fail(Failure::Configuration,
                    name() + " refuses the login: " + answer.errorCode());
    ready();
  };
  stateDeadline_ = operation.deadline;
  send(operation);
  sent_.push_back(std::move(operation));
  flush();
}

void Connection::ready() {
  state_ = State::Ready;
  stateDeadline_ = TimePoint::max();
  while (!waiting_.empty()) {
    send(waiting_.front());
    sent_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  flush();
}

//===----------------------------------------------------------------------===//
// Sending and receiving
//===----------------------------------------------------------------------===//

void Connection::submit(Operation operation, TimePoint now) {
  lastUse_ = now;
  if (state_ == State::Ready) {
    send(operation);
    sent_.push_back(std::move(operation));
    flush();
    return;
  }
  waiting_.push_back(std::move(operation));
  if (state_ == State::Closed)
    connect(now);
}

void Connection::send(const Operation &operation) {
  if (sent_.empty())
    reader_->limit(operation.replyBytes);
  if (!tls_) {
    out_ += operation.command;
    return;
  }
  tls_->write(operation.command); // a failure shows when it is read
  tls_->takeOutput(out_);
}

/// Sends what can be sent; false if the connection failed.
bool Connection::flush() {
  while (fd_ >= 0 && outDone_ < out_.size()) {
    ssize_t count = ::send(fd_, out_.data() + outDone_, out_.size() - outDone_,
                           MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return true;
    if (count < 0)
      return false; // what the server said before it left is still read
    outDone_ += size_t(count);
  }
  out_.clear();
  outDone_ = 0;
  return true;
}

/// Reads what is there; why the connection ended, or nothing.
std::string Connection::receive() {
  char buffer[65536];
  // So much at a time; the others want their turn.
  for (int turns = 0; turns < 64; ++turns) {
    ssize_t count = ::recv(fd_, buffer, sizeof(buffer), 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      break;
    if (count <= 0)
      return count == 0 ? "the server closed it" : systemMessage(errno);
    ByteView bytes(buffer, size_t(count));
    if (tls_)
      tls_->receive(bytes);
    else
      reader_->feed(bytes);
    if (size_t(count) < sizeof(buffer))
      break;
  }
  return "";
}

void Connection::takeReplies(TimePoint now) {
  if (tls_) {
    std::string plain;
    auto progress = tls_->read(plain, size_t(64) << 20);
    reader_->feed(ByteView(std::string_view(plain)));
    if (progress == TlsSession::Progress::Failed)
      return fail(tls_->refusedCertificate() ? Failure::Configuration
                                             : Failure::Operation,
                  name() + ": " + tls_->error(), true);
    if (progress == TlsSession::Progress::Done && sent_.empty())
      return fail(Failure::Operation, name() + " ended the TLS session");
  }
  // An answer may end the connection.
  while (state_ == State::Ready || state_ == State::Login) {
    auto reply = reader_->next();
    if (!reply)
      break;
    lastUse_ = now;
    isAnswered_ = true;
    if (sent_.empty())
      return fail(Failure::Operation, name() + " answers what nobody asked");
    replies_.push_back(std::move(*reply));
    if (replies_.size() < sent_.front().replies)
      continue;
    Operation operation = std::move(sent_.front());
    sent_.pop_front();
    std::vector<Reply> replies = std::move(replies_);
    replies_.clear();
    if (!sent_.empty())
      reader_->limit(sent_.front().replyBytes);
    operation.done(replies, nullptr);
  }
  if (reader_ && !reader_->error().empty())
    fail(Failure::Operation,
         name() + ": " + reader_->error() + hint());
}

short Connection::events() const {
  if (state_ == State::Connecting)
    return POLLOUT;
  return short(POLLIN | (outDone_ < out_.size() ? POLLOUT : 0));
}

void Connection::step(short revents, TimePoint now) {
  if (state_ == State::Closed || revents == 0)
    return;
  if (state_ == State::Connecting)
    return connected(now);
  if (revents & POLLOUT)
    flush();
  if (!(revents & (POLLIN | POLLHUP | POLLERR)))
    return;
  // What came before the end is looked at first: it may say why.
  const std::string end = receive();
  if (state_ == State::Handshake)
    shakeHands(now);
  if (state_ == State::Login || state_ == State::Ready)
    takeReplies(now);
  if (state_ == State::Closed)
    return;
  if (!end.empty())
    return fail(state_ == State::Ready ? Failure::Operation : Failure::Connect,
                "the connection to " + name() + " ended: " + end + hint(),
                state_ == State::Handshake);
  if (tls_) {
    tls_->takeOutput(out_);
    flush();
  }
}

/// What may be wrong with a server that never said a word of Redis.
std::string Connection::hint() const {
  if (isAnswered_)
    return "";
  return tls_ ? "; is this a TLS port?" : "; is this a port without TLS?";
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

TimePoint Connection::deadline() const {
  TimePoint first = TimePoint::max();
  if (state_ == State::Closed)
    return first;
  if (state_ != State::Ready)
    first = stateDeadline_;
  for (const auto *list : {&sent_, &waiting_})
    for (const Operation &operation : *list)
      first = std::min(first, operation.deadline);
  return first;
}

void Connection::expire(TimePoint now) {
  if (state_ == State::Closed || now < deadline())
    return;
  static const char *const words[] = {"", "connecting to",
                                      "the TLS handshake with", "the login at",
                                      "an answer of"};
  std::string reason = std::string(words[int(state_)]) + " " + name() +
                       " took too long";
  if (state_ != State::Connecting)
    reason += hint();
  fail(state_ == State::Ready ? Failure::Operation : Failure::Connect,
       std::move(reason), state_ == State::Handshake, /*isTimeout=*/true);
}

void Connection::fail(Fault fault) {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
  state_ = State::Closed;
  endpoints_.clear();
  tls_.reset();
  reader_.reset();
  out_.clear();
  outDone_ = 0;
  replies_.clear();
  // Those who are told find a connection that is closed, with nothing waiting.
  std::deque<Operation> ended = std::move(sent_);
  sent_.clear();
  for (Operation &operation : waiting_)
    ended.push_back(std::move(operation));
  waiting_.clear();
  std::vector<Reply> none;
  for (Operation &operation : ended)
    operation.done(none, &fault);
}
