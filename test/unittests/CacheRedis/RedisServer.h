//===- RedisServer.h - A redis-server of a test's own -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_CACHEREDIS_REDISSERVER_H
#define KILN_TEST_CACHEREDIS_REDISSERVER_H

#include "kiln/Cache/TieredStore.h"

#include <functional>
#include <gtest/gtest.h>

namespace kiln::test {

/// A folder that goes with the test.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  const std::string path;
};

/// A port that was free a moment ago.
uint16_t freePort();

/// A server with a port of its own and nothing on disk, ended with the object.
class RedisServer {
public:
  /// `arguments` as on the command line of redis-server. Waits until it accepts
  /// connections.
  explicit RedisServer(std::vector<std::string> arguments = {},
                       uint16_t port = 0);
  ~RedisServer();

  uint16_t port() const { return port_; }
  /// Empty, or why the tests cannot run.
  const std::string &problem() const { return problem_; }
  void signal(int number) const;
  /// Ends it at once.
  void kill();
  /// Runs a command as administrator: "SET" "a" "b". Text of the reply.
  std::string command(const std::vector<std::string> &words) const;

private:
  uint16_t port_;
  int pid_ = -1;
  std::string problem_;
};

/// What every test with a remote needs: keys, an environment, configurations.
class RemoteTest : public ::testing::Test {
protected:
  static cache::KeyRingPtr
  ringOf(uint8_t seed, std::vector<cache::PublicKey> trusted = {},
         std::vector<cache::PublicKey> revoked = {});
  static cache::CacheKey keyOf(std::string_view name,
                               cache::KeyKind kind = cache::KeyKind::FxGraph);
  static cache::RemoteConfig configOf(uint16_t port);
  /// The store of one machine: a local folder of its own, and the remote.
  std::unique_ptr<cache::TieredStore> machine(const cache::RemoteConfig &config,
                                              const std::string &name,
                                              cache::KeyRingPtr keys) const;
  /// Text of the only variant, or of the faults.
  static std::string found(const cache::Lookup &lookup);
  /// Waits until something holds; a limit far beyond what it takes.
  static bool eventually(const std::function<bool()> &holds);

  ScratchFolder folder;
  Digest environment = sha256(std::string_view("environment"));
};

} // namespace kiln::test

#endif // KILN_TEST_CACHEREDIS_REDISSERVER_H
