//===- RemoteTlsTest.cpp - TLS, passwords, users --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Certificates.h"
#include "RedisServer.h"

#include "kiln/Base/Log.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::test;

namespace {
/// Collects what is logged, at the most talkative level.
class LogTest : public RemoteTest {
protected:
  LogTest() {
    EXPECT_TRUE(bool(log::configure("+all")));
    log::setSink([this](std::string_view, log::Level, std::string_view text) {
      logged += std::string(text) + "\n";
    });
  }
  ~LogTest() override {
    log::setSink(nullptr);
    (void)log::configure("");
  }

  /// Why nothing was found, once nothing is tried any more; empty for a value.
  std::string refusal(const RemoteConfig &config) {
    auto store = machine(config, "m" + std::to_string(++machines), ringOf(1));
    Lookup lookup = store->get(keyOf("model"), environment);
    std::string text;
    for (const std::string &fault : lookup.faults)
      text += fault + "\n";
    text += store->remote().remoteStats().lastError;
    everything += text + "\n";
    return lookup.hit() ? "" : text;
  }
  void publish(const RemoteConfig &config) {
    ASSERT_TRUE(machine(config, "writer", ringOf(1))
                    ->put(keyOf("model"), environment, {},
                          std::string_view("code")));
  }

  std::string logged, everything;
  int machines = 0;
};

class RemoteTlsTest : public LogTest {
protected:
  RemoteTlsTest()
      : authority(folder.path, "ca"), stranger(folder.path, "stranger") {
    pin = authority.issue("server", "IP:127.0.0.1");
    authority.issue("named", "DNS:redis.example");
    authority.issue("expired", "IP:127.0.0.1", /*isExpired=*/true);
    authority.issue("client", "");
  }
  std::vector<std::string> tls(const std::string &name,
                               const std::string &clients = "no") const {
    return {"--tls-port",        "PORT",
            "--tls-cert-file",   authority.path(name, "crt"),
            "--tls-key-file",    authority.path(name, "key"),
            "--tls-ca-cert-file", authority.certificate(),
            "--tls-auth-clients", clients};
  }
  RemoteConfig configOf(const RedisServer &server) const {
    RemoteConfig config = RemoteTest::configOf(server.port());
    config.shards[0].tls = true;
    config.tls.caFile = authority.certificate();
    return config;
  }

  Authority authority, stranger;
  std::string pin;
};
} // namespace

TEST_F(RemoteTlsTest, OnlyTheRightServerIsTalkedTo) {
  RedisServer server(tls("server"));
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server);
  publish(config);
  EXPECT_EQ(refusal(config), "");

  RemoteConfig wrongName = config;
  wrongName.tls.serverName = "redis.example";
  EXPECT_NE(refusal(wrongName).find("hostname mismatch"), std::string::npos);
  RemoteConfig wrongAuthority = config;
  wrongAuthority.tls.caFile = stranger.certificate();
  std::string untrusted = refusal(wrongAuthority);
  EXPECT_NE(untrusted.find("self-signed certificate"), std::string::npos)
      << untrusted;
  RemoteConfig noFile = config;
  noFile.tls.caFile = folder.path + "/absent";
  EXPECT_NE(refusal(noFile).find("cannot read the certificates"),
            std::string::npos);
  // Without TLS there is nothing to talk to.
  RemoteConfig plain = config;
  plain.shards[0].tls = false;
  EXPECT_NE(refusal(plain).find("is this a port without TLS?"),
            std::string::npos);
}

TEST_F(RemoteTlsTest, APinnedKeyNeedsNoAuthority) {
  RedisServer server(tls("server"));
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server);
  config.tls.caFile = "";
  config.tls.pin = pin;
  publish(config);
  EXPECT_EQ(refusal(config), "");
  config.tls.pin[0] = config.tls.pin[0] == '0' ? '1' : '0';
  EXPECT_NE(refusal(config).find("not the pinned one"), std::string::npos);
}

TEST_F(RemoteTlsTest, HitsAreTimed) {
  RedisServer server(tls("server"));
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server);
  const CacheKey key = keyOf("kernel", KeyKind::Kernel);
  EntryInfo info;
  info.kind = KeyKind::Kernel;
  const std::vector<uint8_t> payload(4096, 7);
  ASSERT_TRUE(
      machine(config, "a", ringOf(1))->put(key, environment, info, payload));
  RemoteStore store(config, ringOf(1));
  store.get(key, environment); // connects
  std::vector<int64_t> micros;
  for (int i = 0; i < 300; ++i) {
    auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(store.get(key, environment).hit());
    micros.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::steady_clock::now() - start)
                         .count());
    store.beginCompile();
  }
  std::sort(micros.begin(), micros.end());
  // What is right does not depend on it.
  std::printf("a hit of 4 KiB over TLS, signature checked: p50 %lld us, "
              "p99 %lld us\n",
              static_cast<long long>(micros[150]),
              static_cast<long long>(micros[297]));
}

TEST_F(RemoteTlsTest, TheNameMayDifferFromTheHost) {
  RedisServer server(tls("named"));
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server);
  EXPECT_NE(refusal(config).find("mismatch"), std::string::npos);
  config.tls.serverName = "redis.example";
  publish(config);
  EXPECT_EQ(refusal(config), "");
}

TEST_F(RemoteTlsTest, AnExpiredCertificateIsRefused) {
  RedisServer server(tls("expired"));
  ASSERT_EQ(server.problem(), "");
  EXPECT_NE(refusal(configOf(server)).find("certificate has expired"),
            std::string::npos);
}

TEST_F(RemoteTlsTest, OldProtocolsAreRefused) {
  auto arguments = tls("server");
  arguments.insert(arguments.end(), {"--tls-protocols", "TLSv1.1"});
  RedisServer server(arguments);
  ASSERT_EQ(server.problem(), "");
  EXPECT_NE(refusal(configOf(server)).find("TLS failed"), std::string::npos);
}

TEST_F(RemoteTlsTest, AServerMayWantACertificateOfTheClient) {
  RedisServer server(tls("server", "yes"));
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server);
  EXPECT_NE(refusal(config).find("certificate required"), std::string::npos);
  config.tls.certificateFile = authority.path("client", "crt");
  config.tls.keyFile = authority.path("client", "key");
  publish(config);
  EXPECT_EQ(refusal(config), "");
}

TEST_F(RemoteTlsTest, APortWithoutTlsIsNamedAsSuch) {
  RedisServer server;
  ASSERT_EQ(server.problem(), "");
  RemoteConfig config = configOf(server);
  config.tlsMillis = 200; // it never answers
  EXPECT_NE(refusal(config).find("is this a TLS port?"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

namespace {
class RemoteUserTest : public LogTest {
protected:
  void SetUp() override {
    std::string acl = folder.path + "/users.acl";
    std::ofstream(acl) << "user default off\n"
                       << "user writer on >" << kPassword
                       << " ~kiln:* -@all +get +set +mget +ping +auth\n"
                       << "user reader on >" << kPassword
                       << " ~kiln:* -@all +get +mget +ping +auth\n";
    server = std::make_unique<RedisServer>(
        std::vector<std::string>{"--aclfile", acl});
    ASSERT_EQ(server->problem(), "");
  }
  RemoteConfig configOf(const std::string &user, const char *password) const {
    RemoteConfig config = RemoteTest::configOf(server->port());
    config.shards[0].user = user;
    config.shards[0].password = Secret(password);
    return config;
  }

  static constexpr const char *kPassword = "correct-horse-battery";
  std::unique_ptr<RedisServer> server;
};
} // namespace

TEST_F(RemoteUserTest, AUserMayDoWhatItsListSays) {
  publish(configOf("writer", kPassword));
  EXPECT_EQ(refusal(configOf("writer", kPassword)), "");
  EXPECT_EQ(refusal(configOf("reader", kPassword)), "");

  auto reader = machine(configOf("reader", kPassword), "r", ringOf(1));
  ASSERT_TRUE(reader->put(keyOf("new"), environment, {},
                          std::string_view("code")));
  EXPECT_TRUE(eventually([&] {
    return reader->remote().remoteStats().storeFailures["NOPERM"] == 1;
  }));
  EXPECT_FALSE(reader->remote().remoteStats().isOpen);
  EXPECT_TRUE(reader->get(keyOf("model"), environment).hit());
}

TEST_F(RemoteUserTest, AWrongPasswordIsAskedForOnceAndNeverShown) {
  RemoteConfig config = configOf("writer", "hunter2-wrong");
  EXPECT_NE(refusal(config).find("WRONGPASS"), std::string::npos);
  EXPECT_NE(refusal(configOf("", "hunter2-wrong")).find("WRONGPASS"),
            std::string::npos);
  EXPECT_NE(refusal(configOf("", "")).find("NOAUTH"), std::string::npos);
  // One line an attempt to use the cache, not one a look-up.
  auto store = machine(config, "again", ringOf(1));
  logged.clear();
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(store->get(keyOf(std::to_string(i)), environment).hit());
  EXPECT_EQ(std::count(logged.begin(), logged.end(), '\n'), 1) << logged;
  EXPECT_TRUE(store->remote().remoteStats().isOpen);

  everything += logged;
  for (const char *secret : {"hunter2", "wrong", kPassword})
    EXPECT_EQ(everything.find(secret), std::string::npos);
}
