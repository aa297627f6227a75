//===- RedisServer.cpp - A redis-server of a test's own -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RedisServer.h"

#include <arpa/inet.h>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <hiredis/hiredis.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kiln;
using namespace kiln::test;
using namespace kiln::cache;
using namespace std::chrono_literals;

extern char **environ;

static std::string makeFolder() {
  char pattern[] = "/tmp/kiln-redis-test-XXXXXX";
  return ::mkdtemp(pattern) ? pattern : "";
}

ScratchFolder::ScratchFolder() : path(makeFolder()) {}
ScratchFolder::~ScratchFolder() { std::filesystem::remove_all(path); }

static sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

uint16_t test::freePort() {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  ::bind(fd, reinterpret_cast<sockaddr *>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

static bool accepts(uint16_t port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(port);
  bool connected = ::connect(fd, reinterpret_cast<sockaddr *>(&address),
                             sizeof(address)) == 0;
  ::close(fd);
  return connected;
}

RedisServer::RedisServer(std::vector<std::string> arguments, uint16_t port)
    : port_(port ? port : freePort()) {
  std::vector<std::string> words = {
      "redis-server", "--save", "", "--appendonly", "no", "--bind",
      "127.0.0.1",    "--loglevel", "warning"};
  if (std::find(arguments.begin(), arguments.end(), "--tls-port") ==
      arguments.end())
    words.insert(words.end(), {"--port", std::to_string(port_)});
  else
    words.insert(words.end(), {"--port", "0"});
  for (std::string &argument : arguments)
    words.push_back(argument == "PORT" ? std::to_string(port_)
                                       : std::move(argument));
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  int code = ::posix_spawnp(&pid_, "redis-server", &actions, nullptr,
                            pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    pid_ = -1;
    problem_ = "redis-server is not installed; tools/install-packages.sh "
               "installs it";
    return;
  }
  for (int i = 0; i < 1000; ++i) {
    if (accepts(port_))
      return;
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      problem_ = "redis-server ended instead of accepting connections";
      return;
    }
    std::this_thread::sleep_for(10ms);
  }
  problem_ = "redis-server does not accept connections";
}

RedisServer::~RedisServer() { kill(); }

void RedisServer::signal(int number) const {
  if (pid_ > 0)
    ::kill(pid_, number);
}

void RedisServer::kill() {
  if (pid_ <= 0)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string RedisServer::command(const std::vector<std::string> &words) const {
  std::vector<const char *> pointers;
  std::vector<size_t> sizes;
  for (const std::string &word : words) {
    pointers.push_back(word.data());
    sizes.push_back(word.size());
  }
  redisContext *context = redisConnect("127.0.0.1", port_);
  std::string text = "no connection";
  if (context && !context->err) {
    auto *reply = static_cast<redisReply *>(redisCommandArgv(
        context, int(words.size()), pointers.data(), sizes.data()));
    text = !reply                                ? "no reply"
           : reply->type == REDIS_REPLY_INTEGER ? std::to_string(reply->integer)
           : reply->str                         ? std::string(reply->str,
                                                      size_t(reply->len))
           : reply->type == REDIS_REPLY_ARRAY
               ? std::to_string(reply->elements) + " elements"
               : "nil";
    if (reply)
      freeReplyObject(reply);
  }
  if (context)
    redisFree(context);
  return text;
}

KeyRingPtr RemoteTest::ringOf(uint8_t seed, std::vector<PublicKey> trusted,
                              std::vector<PublicKey> revoked) {
  return std::make_shared<KeyRing>(Seed({seed}), std::move(trusted),
                                   std::move(revoked));
}

CacheKey RemoteTest::keyOf(std::string_view name, KeyKind kind) {
  CacheKeyBuilder builder(kind);
  builder.addText(KeyTag::Options, "options", name);
  return builder.finish();
}

RemoteConfig RemoteTest::configOf(uint16_t port) {
  RemoteConfig config;
  config.fxGraph = config.aotAutograd = true;
  RedisAddress address;
  address.host = "127.0.0.1";
  address.port = port;
  config.shards.push_back(address);
  // Far beyond what an answer takes: only tests of deadlines shorten them.
  config.lookupMillis = config.connectMillis = config.tlsMillis = 10000;
  config.compileMillis = config.operationMillis = 20000;
  config.exitFlushMillis = 20000;
  return config;
}

std::unique_ptr<TieredStore> RemoteTest::machine(const RemoteConfig &config,
                                                 const std::string &name,
                                                 KeyRingPtr keys) const {
  auto local = LocalStore::open(folder.path + "/" + name, keys);
  EXPECT_TRUE(bool(local)) << (local ? "" : local.error().message);
  return std::make_unique<TieredStore>(
      std::move(*local), std::make_unique<RemoteStore>(config, keys),
      config.reshare);
}

std::string RemoteTest::found(const Lookup &lookup) {
  if (lookup.variants.size() == 1)
    return std::string(ByteView(lookup.variants[0].payload).text());
  std::string text = std::to_string(lookup.variants.size()) + " variants";
  for (const std::string &fault : lookup.faults)
    text += "; " + fault;
  return text;
}

bool RemoteTest::eventually(const std::function<bool()> &holds) {
  for (int i = 0; i < 2000; ++i) {
    if (holds())
      return true;
    std::this_thread::sleep_for(10ms);
  }
  return holds();
}
