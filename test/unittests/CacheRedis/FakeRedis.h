//===- FakeRedis.h - A server that does not behave --------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_CACHEREDIS_FAKEREDIS_H
#define KILN_TEST_CACHEREDIS_FAKEREDIS_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace kiln::test {

/// Accepts one connection at a time and lets a function have it.
class FakeRedis {
public:
  /// What is done with a connection, which is closed behind it. It looks at
  /// `stop` now and then.
  using Behaviour = std::function<void(int fd, const std::atomic<bool> &stop)>;
  explicit FakeRedis(Behaviour behaviour);
  ~FakeRedis();

  uint16_t port() const { return port_; }
  /// Connections so far.
  int connections() const { return connections_; }

private:
  void run();

  Behaviour behaviour_;
  int fd_;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> connections_{0};
  std::thread thread_;
};

/// Behaviours. Each waits for a request first.
FakeRedis::Behaviour answers(std::string text);
FakeRedis::Behaviour drips(std::string text);
FakeRedis::Behaviour answersForEver(std::string begin, std::string more);
FakeRedis::Behaviour isSilent();

} // namespace kiln::test

#endif // KILN_TEST_CACHEREDIS_FAKEREDIS_H
