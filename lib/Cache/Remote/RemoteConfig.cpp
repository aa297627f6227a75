//===- RemoteConfig.cpp - Environment to settings of the remote -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/RemoteConfig.h"

#include "kiln/Base/Digest.h"
#include "kiln/Base/FileSystem.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;

bool cache::isNamespace(std::string_view text) {
  if (text.empty() || text.size() > 64)
    return false;
  for (char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' &&
        c != '-')
      return false;
  return true;
}

static std::optional<uint64_t> parseNumber(std::string_view text, uint64_t low,
                                           uint64_t high) {
  if (text.empty() || text.size() > 18)
    return std::nullopt;
  uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return std::nullopt;
    value = value * 10 + uint64_t(c - '0');
  }
  if (value < low || value > high)
    return std::nullopt;
  return value;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

std::string RedisAddress::text() const {
  if (!socketPath.empty())
    return "unix://" + socketPath;
  bool isNumericV6 = host.find(':') != std::string::npos;
  return (tls ? "rediss://" : "redis://") +
         (isNumericV6 ? "[" + host + "]" : host) + ":" + std::to_string(port) +
         "/" + std::to_string(database);
}

/// "%41" as "A"; nothing for a broken escape or a zero byte.
static std::optional<std::string> decodePercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() ||
        !std::isxdigit(static_cast<unsigned char>(text[i + 1])) ||
        !std::isxdigit(static_cast<unsigned char>(text[i + 2])))
      return std::nullopt;
    char byte = char(
        std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
    if (byte == 0)
      return std::nullopt;
    out += byte;
    i += 2;
  }
  return out;
}

/// "host", "host:port", "[::1]:port"; false if it is none of them.
static bool parseHost(std::string_view text, RedisAddress &address) {
  std::string_view port;
  if (!text.empty() && text[0] == '[') {
    size_t end = text.find(']');
    if (end == std::string_view::npos)
      return false;
    address.host = std::string(text.substr(1, end - 1));
    port = text.substr(end + 1);
  } else {
    size_t colon = text.find(':');
    address.host = std::string(text.substr(0, colon));
    port = colon == std::string_view::npos ? "" : text.substr(colon);
  }
  if (address.host.empty() || address.host.size() > 253)
    return false;
  for (char c : address.host)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' &&
        c != '_' && c != ':')
      return false;
  if (port.empty())
    return true;
  auto number = parseNumber(port.substr(1), 1, 65535);
  if (port[0] != ':' || !number)
    return false;
  address.port = uint16_t(*number);
  return true;
}

Result<RedisAddress> RedisAddress::parse(std::string_view url) {
  // What is wrong is not repeated: it may hold a password.
  const auto malformed = Error::malformed(
      "the Redis URL is malformed, expected redis://, rediss:// or unix:// with "
      "[user:password@]host[:port][/database]");
  RedisAddress address;
  auto takePrefix = [&](std::string_view prefix) {
    if (url.substr(0, prefix.size()) != prefix)
      return false;
    url.remove_prefix(prefix.size());
    return true;
  };
  bool isSocket = takePrefix("unix://");
  address.tls = !isSocket && takePrefix("rediss://");
  if (!isSocket && !address.tls && !takePrefix("redis://"))
    return malformed;
  if (size_t at = url.rfind('@'); at != std::string_view::npos) {
    std::string_view login = url.substr(0, at);
    url.remove_prefix(at + 1);
    size_t colon = login.find(':');
    auto user = decodePercent(login.substr(0, colon));
    auto password = decodePercent(
        colon == std::string_view::npos ? "" : login.substr(colon + 1));
    if (!user || !password)
      return malformed;
    address.user = *user;
    address.password = Secret(std::move(*password));
  }
  if (isSocket) {
    if (url.empty() || url[0] != '/' || url.size() > 100)
      return malformed;
    address.socketPath = std::string(url);
    return address;
  }
  size_t slash = url.find('/');
  if (!parseHost(url.substr(0, slash), address))
    return malformed;
  if (slash != std::string_view::npos && slash + 1 < url.size()) {
    auto database = parseNumber(url.substr(slash + 1), 0, 1 << 20);
    if (!database)
      return malformed;
    address.database = uint32_t(*database);
  }
  return address;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {
/// Reads variables, and keeps the first thing that is wrong with them.
class Reader {
public:
  explicit Reader(RemoteConfig &config) : config_(config) {}

  /// The first of the variables that is set.
  std::string text(std::initializer_list<const char *> names) {
    for (const char *name : names)
      if (const char *value = std::getenv(name)) {
        last_ = name;
        return value;
      }
    return "";
  }
  bool isOn(std::initializer_list<const char *> names) {
    return text(names) == "1";
  }
  template <typename T>
  void number(std::initializer_list<const char *> names, T &value,
              uint64_t low, uint64_t high) {
    std::string given = text(names);
    if (given.empty())
      return;
    if (auto parsed = parseNumber(given, low, high))
      value = T(*parsed);
    else
      fail(last_ + " is '" + given.substr(0, 40) + "', expected " +
           std::to_string(low) + " to " + std::to_string(high));
  }
  /// The variable that was read last.
  const std::string &last() const { return last_; }
  void fail(std::string message) {
    if (config_.fault.empty())
      config_.fault = std::move(message);
  }

private:
  RemoteConfig &config_;
  std::string last_;
};
} // namespace

/// The password of a file of this user that nobody else can read.
static Result<Secret> readPasswordFile(const std::string &path) {
  const std::string what = "password file '" + path + "'";
  int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return Error::io("cannot open " + what + ": " + systemMessage(errno));
  struct stat info;
  char text[4096];
  ssize_t size = -1;
  Status checked;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_uid != ::geteuid())
    checked = Error::io(what + " is not a regular file of this user");
  else if (info.st_mode & 077)
    checked = Error::io(what + " is open to others, expected mode 0600");
  else if ((size = ::read(fd, text, sizeof(text))) <= 0 ||
           size == ssize_t(sizeof(text)))
    checked = Error::io(what + " is empty or has more than 4095 bytes");
  ::close(fd);
  if (!checked)
    return checked.takeError();
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
    --size;
  Secret secret(std::string(text, size_t(size)));
  OPENSSL_cleanse(text, sizeof(text));
  return secret;
}

/// Fills in the servers and how one logs in.
static void readServers(Reader &reader, RemoteConfig &config) {
  std::string urls = reader.text({"KILN_REDIS_URL", "TORCHINDUCTOR_REDIS_URL"});
  if (urls.empty()) {
    RedisAddress address;
    std::string host = reader.text({"KILN_REDIS_HOST",
                                    "TORCHINDUCTOR_REDIS_HOST",
                                    "TRITON_REDIS_HOST"});
    if (!host.empty() && (!parseHost(host, address) || address.host != host))
      // What somebody put there may hold a password: it is not repeated.
      reader.fail(reader.last() + " is not a name or an address; a URL with a "
                                  "login belongs into KILN_REDIS_URL");
    reader.number({"KILN_REDIS_PORT", "TORCHINDUCTOR_REDIS_PORT",
                   "TRITON_REDIS_PORT"},
                  address.port, 1, 65535);
    config.shards.push_back(std::move(address));
  }
  for (size_t begin = 0; begin < urls.size();) {
    size_t end = std::min(urls.find(',', begin), urls.size());
    auto address = RedisAddress::parse(
        std::string_view(urls).substr(begin, end - begin));
    if (address)
      config.shards.push_back(std::move(*address));
    else
      reader.fail(address.error().message);
    begin = end + 1;
  }
  OPENSSL_cleanse(urls.data(), urls.size());

  std::string user = reader.text({"KILN_REDIS_USERNAME"});
  Secret password = takeSecretVariable("KILN_REDIS_PASSWORD");
  if (std::string file = reader.text({"KILN_REDIS_PASSWORD_FILE"});
      !file.empty()) {
    auto read = readPasswordFile(file);
    if (read)
      password = *read;
    else
      reader.fail(read.error().message);
  }
  uint32_t database = 0;
  reader.number({"KILN_REDIS_DB"}, database, 0, 1 << 20);
  bool tls = reader.isOn({"KILN_REDIS_TLS"});
  for (RedisAddress &shard : config.shards) {
    shard.tls |= tls && shard.socketPath.empty();
    if (shard.user.empty())
      shard.user = user;
    if (shard.password.empty())
      shard.password = password;
    if (shard.database == 0)
      shard.database = database;
  }
}

RemoteConfig cache::readRemoteConfig() {
  RemoteConfig config;
  Reader reader(config);
  if (std::string name = reader.text({"KILN_CACHE_NAMESPACE"}); !name.empty()) {
    config.nameSpace = name;
    if (!isNamespace(name))
      reader.fail("KILN_CACHE_NAMESPACE is '" + name.substr(0, 80) +
                  "', expected 1 to 64 letters, digits, '.', '_' and '-'");
  }
  config.fxGraph = reader.isOn(
      {"KILN_FX_GRAPH_REMOTE_CACHE", "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE"});
  config.aotAutograd =
      config.fxGraph &&
      reader.isOn({"KILN_AUTOGRAD_REMOTE_CACHE",
                   "TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE"});
  config.autotune = reader.isOn(
      {"KILN_AUTOTUNE_REMOTE_CACHE", "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE"});
  config.bundledAutotune =
      reader.isOn({"KILN_BUNDLED_AUTOTUNE_REMOTE_CACHE",
                   "TORCHINDUCTOR_BUNDLED_AUTOTUNE_REMOTE_CACHE"});
  std::string mode = reader.text({"KILN_REMOTE_MODE"});
  if (mode == "off")
    config.fxGraph = config.aotAutograd = config.autotune =
        config.bundledAutotune = false;
  if (!config.enabled())
    return config;
  config.reads = mode != "wo" && !reader.isOn({"KILN_CACHE_RECACHE"});
  config.writes = mode != "ro";
  if (!mode.empty() && mode != "rw" && mode != "ro" && mode != "wo")
    reader.fail("KILN_REMOTE_MODE is '" + mode.substr(0, 40) +
                "', expected rw, ro, wo or off");
  if (!reader.text({"TRITON_REDIS_KEY_FORMAT"}).empty())
    reader.fail("TRITON_REDIS_KEY_FORMAT is set, and the form of keys cannot "
                "be chosen");
  readServers(reader, config);
  config.reshare = reader.isOn({"KILN_CACHE_RESHARE"});
  config.tls = {reader.text({"KILN_REDIS_CA_FILE"}),
                reader.text({"KILN_REDIS_CA_DIR"}),
                reader.text({"KILN_REDIS_CERT_FILE"}),
                reader.text({"KILN_REDIS_KEY_FILE"}),
                reader.text({"KILN_REDIS_SERVER_NAME"}),
                reader.text({"KILN_REDIS_TLS_PIN_SHA256"})};
  if (!config.tls.pin.empty() && !Digest::fromHex(config.tls.pin))
    reader.fail("KILN_REDIS_TLS_PIN_SHA256 is no SHA-256, expected 64 "
                "lower-case hexadecimal digits");
  config.allowPlaintextAuth = reader.isOn({"KILN_REDIS_ALLOW_PLAINTEXT_AUTH"});
  reader.number({"KILN_REDIS_TTL_S", "TORCHINDUCTOR_REDIS_EXPIRE"},
                config.ttlSeconds, 0, 1000000000);
  constexpr uint64_t kHour = 3600000;
  reader.number({"KILN_REMOTE_BUDGET_MS"}, config.lookupMillis, 0, kHour);
  reader.number({"KILN_REMOTE_COMPILE_BUDGET_MS"}, config.compileMillis, 0,
                kHour);
  reader.number({"KILN_REDIS_CONNECT_TIMEOUT_MS"}, config.connectMillis, 1,
                kHour);
  reader.number({"KILN_REDIS_TLS_TIMEOUT_MS"}, config.tlsMillis, 1, kHour);
  reader.number({"KILN_REDIS_OP_TIMEOUT_MS"}, config.operationMillis, 1, kHour);
  reader.number({"KILN_REMOTE_EXIT_FLUSH_MS"}, config.exitFlushMillis, 0,
                kHour);
  reader.number({"KILN_REMOTE_MAX_VALUE"}, config.maxValueBytes, 1024,
                512 << 20);
  return config;
}
