//===- KeyFiles.cpp - Seeds and public keys in files and variables --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/KeyRing.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Cache/Secret.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cache;

static constexpr uint64_t kMaxKeyFileBytes = 1 << 20;

//===----------------------------------------------------------------------===//
// Text forms
//===----------------------------------------------------------------------===//

Seed::~Seed() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

static Result<std::array<uint8_t, 32>> randomBytes() {
  std::array<uint8_t, 32> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    return Error::io("cannot draw random numbers: " + systemMessage(errno));
  return bytes;
}

Result<Seed> Seed::random() {
  auto bytes = randomBytes();
  if (!bytes)
    return bytes.takeError();
  Seed seed(*bytes);
  OPENSSL_cleanse(bytes->data(), bytes->size());
  return seed;
}

static bool isSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

Result<Seed> Seed::parse(std::string_view text, const std::string &what) {
  while (!text.empty() && isSpace(text.back()))
    text.remove_suffix(1);
  auto digest = Digest::fromHex(text);
  if (!digest)
    return Error::malformed(what + " has " + std::to_string(text.size()) +
                            " characters, expected 64 lower-case hexadecimal "
                            "digits as 'kiln-cache key-gen' writes them");
  Seed seed(digest->bytes);
  OPENSSL_cleanse(digest->bytes.data(), digest->bytes.size());
  return seed;
}

std::string Seed::hex() const {
  Digest digest{bytes_};
  std::string text = digest.hex();
  OPENSSL_cleanse(digest.bytes.data(), digest.bytes.size());
  return text;
}

std::string PublicKey::text() const {
  // 32 bytes are 44 characters and the final zero that OpenSSL adds.
  unsigned char encoded[45];
  int size = EVP_EncodeBlock(encoded, bytes.data(), int(bytes.size()));
  return name + ":" + std::string(reinterpret_cast<char *>(encoded), size);
}

Result<PublicKey> PublicKey::parse(std::string_view text) {
  auto malformed = [&] {
    return Error::malformed("public key '" +
                            std::string(text.substr(0, 120)) +
                            "' is not of the form 'name:base64' with 32 bytes");
  };
  size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > 64)
    return malformed();
  PublicKey key;
  key.name = std::string(text.substr(0, colon));
  for (char c : key.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) &&
        std::string_view("._-@").find(c) == std::string_view::npos)
      return malformed();
  std::string_view encoded = text.substr(colon + 1);
  unsigned char decoded[33];
  if (encoded.size() != 44 ||
      EVP_DecodeBlock(decoded,
                      reinterpret_cast<const unsigned char *>(encoded.data()),
                      int(encoded.size())) != int(sizeof(decoded)))
    return malformed();
  std::copy(decoded, decoded + 32, key.bytes.begin());
  // Only one text stands for a key.
  if (key.text() != text)
    return malformed();
  return key;
}

/// Keys between white space and commas.
static Result<std::vector<PublicKey>> parseKeys(std::string_view rest) {
  std::vector<PublicKey> keys;
  auto isSeparator = [](char c) { return isSpace(c) || c == ','; };
  while (!rest.empty()) {
    if (isSeparator(rest.front())) {
      rest.remove_prefix(1);
      continue;
    }
    size_t end = std::find_if(rest.begin(), rest.end(), isSeparator) -
                 rest.begin();
    auto key = PublicKey::parse(rest.substr(0, end));
    if (!key)
      return key.takeError();
    keys.push_back(std::move(*key));
    rest.remove_prefix(end);
  }
  return keys;
}

Result<std::vector<PublicKey>>
cache::readPublicKeys(const std::string &list) {
  return !list.empty() && list[0] == '/'
             ? readPublicKeyFile(list, /*mayBeAbsent=*/false)
             : parseKeys(list);
}

Result<std::vector<PublicKey>>
cache::readPublicKeyFile(const std::string &path, bool mayBeAbsent) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) {
    // A list that cannot be looked at is not an empty one: it may hold what
    // somebody revoked.
    if (mayBeAbsent && (errno == ENOENT || errno == ENOTDIR))
      return std::vector<PublicKey>();
    return Error::io("cannot read '" + path + "': " + systemMessage(errno));
  }
  if ((info.st_uid != ::geteuid() && info.st_uid != 0) || (info.st_mode & 022))
    return Error::malformed("the list of keys '" + path +
                            "' could have been written by others, expected "
                            "a file of this user with mode 0644 or less");
  auto bytes = readFile(path, kMaxKeyFileBytes);
  if (!bytes)
    return bytes.takeError();
  return parseKeys(ByteView(*bytes).text());
}

/// The folder of a file, "." for a name alone.
static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Writes a file of random name beside `path`, closed to others whatever the
/// umask is; its name.
static Result<std::string> writeAside(const std::string &path,
                                      const std::string &text) {
  if (Status made = createDirectories(folderOf(path)); !made)
    return made.takeError();
  auto name = randomBytes();
  if (!name)
    return name.takeError();
  std::string aside = path + "." + Digest{*name}.hex().substr(0, 32);
  int fd = ::open(aside.c_str(),
                  O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return Error::io("cannot make '" + path + "': " + systemMessage(errno));
  Status written =
      writeDescriptor(fd, ByteView(std::string_view(text)), "'" + aside + "'");
  if (written && ::fsync(fd) != 0)
    written =
        Error::io("cannot write '" + aside + "': " + systemMessage(errno));
  ::close(fd);
  if (written)
    return aside;
  ::unlink(aside.c_str());
  return written.takeError();
}

/// Reads the list again and replaces it, while nobody else does.
static Status addToList(const std::string &path, const PublicKey &key,
                        int folder) {
  auto present = readPublicKeyFile(path, /*mayBeAbsent=*/true);
  if (!present)
    return present.takeError();
  std::string text;
  for (const PublicKey &other : *present) {
    if (other.bytes == key.bytes)
      return Status::success();
    text += other.text() + "\n";
  }
  auto aside = writeAside(path, text + key.text() + "\n");
  if (!aside)
    return aside.takeError();
  if (::rename(aside->c_str(), path.c_str()) != 0) {
    Status failed =
        Error::io("cannot replace '" + path + "': " + systemMessage(errno));
    ::unlink(aside->c_str());
    return failed;
  }
  // A revocation is not to come undone with the power.
  if (::fsync(folder) != 0)
    return Error::io("cannot write the folder of '" + path +
                     "': " + systemMessage(errno));
  return Status::success();
}

Status cache::addPublicKey(const std::string &path, const PublicKey &key) {
  const std::string folder = folderOf(path);
  if (Status made = createDirectories(folder); !made)
    return made;
  int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return Error::io("cannot open '" + folder + "': " + systemMessage(errno));
  int locked;
  do
    locked = ::flock(fd, LOCK_EX);
  while (locked != 0 && errno == EINTR);
  Status added = locked == 0
                     ? addToList(path, key, fd)
                     : Status(Error::io("cannot lock '" + folder +
                                        "': " + systemMessage(errno)));
  (void)::flock(fd, LOCK_UN);
  ::close(fd);
  return added;
}

//===----------------------------------------------------------------------===//
// The seed's file
//===----------------------------------------------------------------------===//

Result<Seed> cache::readSeedFile(const std::string &path) {
  const std::string what = "key file '" + path + "'";
  int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return Error::io("cannot open " + what + ": " + systemMessage(errno) +
                     "; 'kiln-cache key-gen FILE' makes one");
  struct stat info;
  Status checked;
  if (::fstat(fd, &info) != 0)
    checked = Error::io("cannot inspect " + what + ": " + systemMessage(errno));
  else if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid())
    checked = Error::io(what + " is not a regular file of this user");
  else if (info.st_mode & 077)
    checked = Error::io(what + " is open to others, expected mode 0600");
  // More than a seed and a line break has no meaning.
  char text[128];
  ssize_t size = checked ? ::read(fd, text, sizeof(text)) : 0;
  if (size < 0)
    checked = Error::io("cannot read " + what + ": " + systemMessage(errno));
  ::close(fd);
  if (!checked)
    return checked.takeError();
  auto seed = Seed::parse(std::string_view(text, size), what);
  OPENSSL_cleanse(text, sizeof(text));
  return seed;
}

Status cache::makeSeedFile(const std::string &path, bool keepExisting) {
  if (keepExisting && ::access(path.c_str(), F_OK) == 0)
    return Status::success();
  auto seed = Seed::random();
  if (!seed)
    return seed.takeError();
  // Written aside and linked: of two processes that need the first key at the
  // same time, one makes it and both read all of it.
  std::string text = seed->hex() + "\n";
  auto aside = writeAside(path, text);
  OPENSSL_cleanse(text.data(), text.size());
  if (!aside)
    return aside.takeError();
  Status linked;
  if (::link(aside->c_str(), path.c_str()) != 0 &&
      !(errno == EEXIST && keepExisting))
    linked = Error::io("cannot make key file '" + path +
                       "': " + systemMessage(errno));
  ::unlink(aside->c_str());
  return linked;
}

static std::string beside(const KeyConfig &config, const char *name) {
  if (config.file.empty())
    return "";
  size_t slash = config.file.rfind('/');
  return (slash == std::string::npos ? "" : config.file.substr(0, slash + 1)) +
         name;
}

std::string cache::trustedKeysFile(const KeyConfig &config) {
  return beside(config, "trusted.keys");
}

std::string cache::revokedKeysFile(const KeyConfig &config) {
  return beside(config, "revoked.keys");
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

static std::string valueOf(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// ${XDG_STATE_HOME:-~/.local/state}/kiln; a relative path counts as unset.
static std::string stateFolder() {
  std::string folder = valueOf("XDG_STATE_HOME");
  if (!folder.empty() && folder[0] == '/')
    return folder + "/kiln";
  std::string home = valueOf("HOME");
  if (home.empty() || home[0] != '/') {
    struct passwd record;
    struct passwd *found = nullptr;
    char buffer[4096];
    if (getpwuid_r(geteuid(), &record, buffer, sizeof(buffer), &found) != 0 ||
        !found || !found->pw_dir || found->pw_dir[0] != '/')
      return "";
    home = found->pw_dir;
  }
  return home + "/.local/state/kiln";
}

KeyConfig cache::readKeyConfig() {
  KeyConfig config;
  config.trusted = valueOf("KILN_CACHE_TRUSTED_KEYS");
  config.revoked = valueOf("KILN_CACHE_REVOKED_KEYS");
  config.allowUnsigned = valueOf("KILN_CACHE_ALLOW_UNSIGNED") == "1";
  config.file = valueOf("KILN_CACHE_KEY_FILE");
  config.isGiven = !config.file.empty();
  config.sharedFile = valueOf("KILN_CACHE_HMAC_KEY_FILE");
  if (config.file.empty()) {
    std::string folder = stateFolder();
    config.file = folder.empty() ? "" : folder + "/cache.key";
  }
  Secret variable = takeSecretVariable("KILN_CACHE_KEY");
  if (!variable.empty() && !config.isGiven) {
    config.isGiven = true;
    if (auto seed = Seed::parse(variable.reveal(), "KILN_CACHE_KEY"))
      config.seed = *seed;
    else
      config.fault = seed.error().message;
  }
  return config;
}
