//===- RemoteConfig.h - Settings of the remote tier -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each variable has two names, KILN_X wins over TORCHINDUCTOR_X. Switches
// are on for `1` and off for anything else.
//
//   variable                           default    meaning
//   *_FX_GRAPH_REMOTE_CACHE            off        inference programs, kernels, sizes
//                                                 that programs were called with
//   *_AUTOGRAD_REMOTE_CACHE            off        training programs; needs both
//                                                 the former and the local one
//   *_AUTOTUNE_REMOTE_CACHE            off        what was measured; needs no other
//   *_BUNDLED_AUTOTUNE_REMOTE_CACHE    off        the same, all of a program in one
//                                                 value
//   *_REDIS_URL                        -          redis://, rediss://, unix://;
//                                                 several, separated by commas,
//                                                 are shards
//   *_REDIS_HOST, *_REDIS_PORT         localhost, where there is no URL
//                                      6379       (TRITON_REDIS_HOST, _PORT
//                                                 count as well)
//   KILN_REDIS_TTL_S,                  2592000    seconds that values live;
//     TORCHINDUCTOR_REDIS_EXPIRE                  0: for ever
//   KILN_REDIS_USERNAME                -          ACL user
//   KILN_REDIS_PASSWORD_FILE           -          closed to others; or
//   KILN_REDIS_PASSWORD                           taken out of the environment
//   KILN_REDIS_DB                      0          number of the database
//   KILN_REDIS_TLS                     off        TLS also without rediss://
//   KILN_REDIS_CA_FILE, _CA_DIR        system's   who may vouch for a server
//   KILN_REDIS_CERT_FILE, _KEY_FILE    -          certificate of this client
//   KILN_REDIS_SERVER_NAME             the host   name in the certificate
//   KILN_REDIS_TLS_PIN_SHA256          -          SHA-256 of the server's public
//                                                 key (64 digits); makes a CA
//                                                 unnecessary
//   KILN_REDIS_ALLOW_PLAINTEXT_AUTH    off        a password without TLS to
//                                                 another machine
//   KILN_REMOTE_MODE                   rw         rw, ro, wo or off
//   KILN_REMOTE_BUDGET_MS              100        wait of one look-up
//   KILN_REMOTE_COMPILE_BUDGET_MS      500        of all look-ups of a compile
//   KILN_REDIS_CONNECT_TIMEOUT_MS      100
//   KILN_REDIS_TLS_TIMEOUT_MS          250
//   KILN_REDIS_OP_TIMEOUT_MS           1000
//   KILN_REMOTE_MAX_VALUE              67108864   bytes of a value
//   KILN_REMOTE_EXIT_FLUSH_MS          1000       for what is still to be sent
//   KILN_CACHE_NAMESPACE               -          keeps users of one server, and
//                                                 of one folder, apart
//   KILN_CACHE_RESHARE                 off        local hits are sent, too
//   KILN_CACHE_RECACHE                 off        what is there is not read
//
// Of passwords, only KILN_REDIS_PASSWORD is taken out of the environment, and a
// file is never in it; one in a URL stays there for children of this process to
// see.
//
// A variable that cannot be understood switches the remote off and says so: the
// cache is then local, and nothing fails.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CACHE_REMOTECONFIG_H
#define KILN_CACHE_REMOTECONFIG_H

#include "kiln/Base/Result.h"
#include "kiln/Cache/Secret.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kiln::cache {

/// One server.
struct RedisAddress {
  std::string host = "localhost";
  uint16_t port = 6379;
  std::string socketPath; ///< of a Unix socket, instead of host and port
  bool tls = false;
  uint32_t database = 0;
  std::string user;
  Secret password;

  /// "redis://host:6379/0" without user and password.
  std::string text() const;
  /// One URL. No error repeats what may be a password.
  static Result<RedisAddress> parse(std::string_view url);
};

struct TlsConfig {
  std::string caFile, caFolder, certificateFile, keyFile, serverName;
  std::string pin; ///< SHA-256 of the server's public key, 64 digits, or empty
};

struct RemoteConfig {
  bool fxGraph = false;
  bool aotAutograd = false;
  bool autotune = false;
  bool bundledAutotune = false;
  bool reads = true, writes = true;
  bool reshare = false;
  std::vector<RedisAddress> shards;
  TlsConfig tls;
  bool allowPlaintextAuth = false;
  /// KILN_CACHE_NAMESPACE, which is part of every key; "default" in Redis.
  std::string nameSpace;
  uint64_t ttlSeconds = 2592000;     ///< 0: values live for ever
  uint32_t lookupMillis = 100;
  uint32_t compileMillis = 500;
  uint32_t connectMillis = 100;
  uint32_t tlsMillis = 250;
  uint32_t operationMillis = 1000;
  uint32_t exitFlushMillis = 1000;
  uint64_t maxValueBytes = 64 << 20;
  /// Why there is no remote although one was asked for.
  std::string fault;

  bool enabled() const {
    return (fxGraph || aotAutograd || autotune || bundledAutotune) &&
           fault.empty();
  }
};

/// Reads the environment.
RemoteConfig readRemoteConfig();

/// What may name a namespace: 1 to 64 letters, digits, '.', '_' and '-'.
bool isNamespace(std::string_view text);

} // namespace kiln::cache

#endif // KILN_CACHE_REMOTECONFIG_H
