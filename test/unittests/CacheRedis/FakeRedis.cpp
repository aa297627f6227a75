//===- FakeRedis.cpp - A server that does not behave ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeRedis.h"

#include <arpa/inet.h>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace kiln::test;
using namespace std::chrono_literals;

FakeRedis::FakeRedis(Behaviour behaviour)
    : behaviour_(std::move(behaviour)),
      fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(fd_, reinterpret_cast<sockaddr *>(&address), size);
  ::getsockname(fd_, reinterpret_cast<sockaddr *>(&address), &size);
  ::listen(fd_, 16);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

FakeRedis::~FakeRedis() {
  stop_ = true;
  thread_.join();
  ::close(fd_);
}

void FakeRedis::run() {
  while (!stop_) {
    pollfd waiting{fd_, POLLIN, 0};
    if (::poll(&waiting, 1, 10) <= 0)
      continue;
    int connection = ::accept(fd_, nullptr, nullptr);
    if (connection < 0)
      continue;
    ++connections_;
    behaviour_(connection, stop_);
    ::close(connection);
  }
}

/// Takes what was sent; false when nothing more will come.
static bool takeRequest(int fd, const std::atomic<bool> &stop) {
  while (!stop) {
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, 10) <= 0)
      continue;
    char buffer[65536];
    return ::recv(fd, buffer, sizeof(buffer), 0) > 0;
  }
  return false;
}

static bool say(int fd, const std::string &text) {
  return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) ==
         ssize_t(text.size());
}

FakeRedis::Behaviour kiln::test::answers(std::string text) {
  return [text](int fd, const std::atomic<bool> &stop) {
    while (takeRequest(fd, stop))
      if (!say(fd, text))
        return;
  };
}

FakeRedis::Behaviour kiln::test::drips(std::string text) {
  return [text](int fd, const std::atomic<bool> &stop) {
    if (!takeRequest(fd, stop))
      return;
    for (char c : text) {
      if (stop || !say(fd, std::string(1, c)))
        return;
      std::this_thread::sleep_for(5ms);
    }
  };
}

FakeRedis::Behaviour kiln::test::answersForEver(std::string begin,
                                                std::string more) {
  return [begin, more](int fd, const std::atomic<bool> &stop) {
    if (!takeRequest(fd, stop) || !say(fd, begin))
      return;
    while (!stop && say(fd, more))
      ;
  };
}

FakeRedis::Behaviour kiln::test::isSilent() {
  return [](int fd, const std::atomic<bool> &stop) {
    while (takeRequest(fd, stop))
      ;
  };
}
