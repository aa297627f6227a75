//===- RemoteFaultTest.cpp - Servers that are away, hang or lie -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeRedis.h"
#include "RedisServer.h"

#include <arpa/inet.h>
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::test;

namespace {
class RemoteFaultTest : public RemoteTest {
protected:
  /// What a look-up at a fake server says.
  std::string ask(const FakeRedis::Behaviour &behaviour,
                  uint32_t lookupMillis = 10000) {
    FakeRedis server(behaviour);
    RemoteConfig config = configOf(server.port());
    config.lookupMillis = lookupMillis;
    config.exitFlushMillis = 0;
    return found(machine(config, "m" + std::to_string(++machines), ringOf(1))
                     ->get(keyOf("model"), environment));
  }

  int machines = 0;
};

/// Bytes of memory that this process has.
size_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}
} // namespace

TEST_F(RemoteFaultTest, NoServerIsAMissAndThenNoLookUp) {
  RemoteConfig config = configOf(freePort());
  auto store = machine(config, "a", ringOf(1));
  for (int i = 0; i < 20; ++i) {
    CacheKey key = keyOf(std::to_string(i));
    EXPECT_NE(found(store->get(key, environment)).find("cannot connect"),
              std::string::npos);
    EXPECT_TRUE(store->put(key, environment, {}, std::string_view("code")));
    EXPECT_TRUE(store->get(key, environment).hit()) << "local";
  }
  RemoteStats stats = store->remote().remoteStats();
  EXPECT_TRUE(stats.isOpen);
  EXPECT_EQ(stats.breakerOpens, 1u);
  EXPECT_GE(stats.skipped, 16u);
}

TEST_F(RemoteFaultTest, AHungServerHoldsNobodyLongerThanTheBudget) {
  RedisServer server;
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server.port());
  config.lookupMillis = 20;
  config.compileMillis = 60;
  config.exitFlushMillis = 0;
  auto store = machine(config, "a", ringOf(1));
  EXPECT_TRUE(eventually([&] {
    store->beginCompile();
    return found(store->get(keyOf("first"), environment)) == "0 variants";
  }));
  server.signal(SIGSTOP);
  store->beginCompile();
  std::string last;
  int waited = 0;
  for (int i = 0; i < 8; ++i) {
    last = found(store->get(keyOf(std::to_string(i)), environment));
    waited += last.find("in time") != std::string::npos;
  }
  EXPECT_GE(waited, 1);
  EXPECT_LE(waited, 3);
  EXPECT_NE(last.find("used up its time"), std::string::npos) << last;
  server.signal(SIGCONT);
}

TEST_F(RemoteFaultTest, ALateAnswerIsKeptForTheNextTime) {
  KeyRingPtr keys = ringOf(1);
  RedisServer server;
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server.port());
  CacheKey key = keyOf("model");
  ASSERT_TRUE(machine(config, "writer", keys)
                  ->put(key, environment, {}, std::string_view("code")));
  config.lookupMillis = 30;
  auto store = machine(config, "reader", keys);
  server.signal(SIGSTOP);
  EXPECT_FALSE(store->get(key, environment).hit());
  server.signal(SIGCONT);
  EXPECT_TRUE(eventually(
      [&] { return store->remote().remoteStats().lateHits == 1; }));
  (void)store->get(keyOf("another"), environment);
  EXPECT_TRUE(store->local().contains(key));
}

TEST_F(RemoteFaultTest, AServerThatIsKilledIsAMissAndNoSignal) {
  RedisServer server;
  ASSERT_EQ(server.problem(), "");
  auto before = std::signal(SIGPIPE, SIG_DFL);
  auto store = machine(configOf(server.port()), "a", ringOf(1));
  // Incompressible, so that it is under way when the server ends.
  std::vector<uint8_t> large(16 << 20);
  uint32_t state = 1;
  for (uint8_t &byte : large)
    byte = uint8_t((state = state * 1664525 + 1013904223) >> 24);
  EXPECT_FALSE(store->get(keyOf("x"), environment).hit());
  server.signal(SIGSTOP);
  ASSERT_TRUE(store->put(keyOf("x"), environment, {}, large));
  server.kill();
  EXPECT_TRUE(eventually([&] {
    return store->remote().remoteStats().storeFailures["connection"] != 0;
  }));
  EXPECT_NE(found(store->get(keyOf("y"), environment)).find("connect"),
            std::string::npos);
  EXPECT_EQ(std::signal(SIGPIPE, before), SIG_DFL);
}

TEST_F(RemoteFaultTest, AServerThatComesBackIsFound) {
  KeyRingPtr keys = ringOf(1);
  const uint16_t port = freePort();
  RemoteConfig config = configOf(port);
  CacheKey key = keyOf("model");
  auto store = machine(config, "reader", keys);
  for (int i = 0; i < 4; ++i)
    EXPECT_FALSE(store->get(key, environment).hit());
  EXPECT_TRUE(store->remote().remoteStats().isOpen);
  RedisServer server({}, port);
  ASSERT_EQ(server.problem(), "");
  ASSERT_TRUE(machine(config, "writer", keys)
                  ->put(key, environment, {}, std::string_view("code")));
  // Nobody asks: the thread itself finds out.
  EXPECT_TRUE(
      eventually([&] { return !store->remote().remoteStats().isOpen; }));
  EXPECT_EQ(found(store->get(key, environment)), "code");
}

TEST_F(RemoteFaultTest, WhatIsNoAnswerIsAMissWithAReason) {
  struct {
    const char *answer;
    const char *reason;
  } const cases[] = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "not the Redis protocol"},
      {"\x15\x03\x03\x00\x02\x02\x28", "without TLS?"},
      {"+OK\r\n", "something else"},
      {"$-1\r\n", "something else"},
      {":5\r\n", "something else"},
      {"*-1\r\n", "something else"},
      {"*0\r\n", "something else"},
      {"*1\r\n$-1\r\n", "something else"},
      {"*2147483647\r\n", "more elements"},
      {"*65537\r\n", "more elements"},
      {"-MOVED 3999 127.0.0.1:6381\r\n", "cluster"},
      {"-LOADING Redis is loading\r\n", "starting"},
      {"-NOAUTH hunter2\r\n", "NOAUTH"},
      {"-ERR unknown 'AUTH', with args 'hunter2'\r\n", "command: ERR"},
      {"-READONLY x\r\n", "replica"},
      {"-OOM x\r\n", "out of memory"},
  };
  for (const auto &one : cases) {
    std::string text = ask(answers(one.answer));
    EXPECT_NE(text.find(one.reason), std::string::npos)
        << one.answer << text;
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
  }
  // A well-formed answer with values of other types is a miss.
  EXPECT_EQ(ask(answers("*8\r\n:1\r\n+x\r\n-E\r\n$-1\r\n*0\r\n*-1\r\n"
                        "*1\r\n:1\r\n$-1\r\n")),
            "0 variants");
}

TEST_F(RemoteFaultTest, EndlessAnswersAreCutOff) {
  size_t before = residentBytes();
  const std::string block(1 << 20, 'x');
  for (const char *begin : {"+", "*8\r\n$2000000000\r\n", "-", ":", "$",
                            "$99999999999999999999999\r\n",
                            "*8\r\n$60000000\r\n"}) {
    std::string text = ask(answersForEver(begin, block));
    EXPECT_TRUE(text.find("more than") != std::string::npos ||
                text.find("without end") != std::string::npos ||
                text.find("protocol") != std::string::npos)
        << text;
  }
  // What one answer may have, while it is read, and some air.
  EXPECT_LT(residentBytes(), before + (size_t(300) << 20));
}

TEST_F(RemoteFaultTest, AServerThatDripsOrIsSilentGainsNothing) {
  EXPECT_NE(ask(drips("*8\r\n$60000\r\n" + std::string(60000, ' ')), 50).find("in time"),
            std::string::npos);
  EXPECT_NE(ask(isSilent(), 50).find("in time"), std::string::npos);
}

TEST_F(RemoteFaultTest, AFullBacklogIsAMiss) {
  // Accepts nothing; the queue takes one connection.
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::listen(fd, 0), 0);
  sockaddr_storage address;
  socklen_t size = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size);
  uint16_t port = ntohs(reinterpret_cast<sockaddr_in *>(&address)->sin_port);
  std::vector<int> fillers;
  for (int i = 0; i < 3; ++i) {
    fillers.push_back(
        ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    (void)::connect(fillers.back(), reinterpret_cast<sockaddr *>(&address),
                    size);
  }
  RemoteConfig config = configOf(port);
  config.lookupMillis = config.connectMillis = 50;
  config.exitFlushMillis = 0;
  std::string text = found(
      machine(config, "a", ringOf(1))->get(keyOf("model"), environment));
  EXPECT_TRUE(text.find("in time") != std::string::npos ||
              text.find("too long") != std::string::npos)
      << text;
  for (int filler : fillers)
    ::close(filler);
  ::close(fd);
}

TEST_F(RemoteFaultTest, APasswordStaysAtHome) {
  FakeRedis server(isSilent());
  RemoteConfig config = configOf(server.port());
  config.shards[0].password = Secret("hunter2");
  // Another machine, as far as addresses tell; nothing is sent there.
  config.shards[0].host = "0.0.0.0";
  std::string text = found(
      machine(config, "a", ringOf(1))->get(keyOf("model"), environment));
  EXPECT_NE(text.find("no password is sent"), std::string::npos) << text;
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
}

TEST_F(RemoteFaultTest, OnlyPublicKeysMeansNothingIsSent) {
  FakeRedis server(isSilent());
  KeyConfig keys;
  keys.file = folder.path + "/state/cache.key";
  keys.trusted = ringOf(2)->publicKey().text();
  auto ring = KeyRing::open(keys);
  ASSERT_TRUE(bool(ring)) << ring.error().message;
  auto store = machine(configOf(server.port()), "a", *ring);
  const std::string_view code = "code";
  ASSERT_TRUE(store->put(keyOf("model"), environment, {}, code));
  Status put = store->remote().put(keyOf("model"), environment, {}, code);
  ASSERT_FALSE(bool(put));
  EXPECT_NE(put.error().message.find("KILN_CACHE_KEY_FILE"), std::string::npos);
  EXPECT_TRUE(store->local().contains(keyOf("model")));
  store.reset();
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(RemoteFaultTest, WithoutADescriptorThereIsNoRemoteUntilThereIsOne) {
  RedisServer server;
  ASSERT_EQ(server.problem(), "");
  RemoteStore store(configOf(server.port()), ringOf(1));
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = {0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string text = found(store.get(keyOf("model"), environment));
  (void)store.put(keyOf("model"), environment, {}, std::string_view("code"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NE(text.find("there is no thread"), std::string::npos) << text;
  EXPECT_EQ(store.remoteStats().queueDropped, 1u);
  EXPECT_EQ(found(store.get(keyOf("model"), environment)), "0 variants");
}
