//===- KeyRing.cpp - Signing and verifying --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/KeyRing.h"

#include <algorithm>
#include <openssl/crypto.h>
#include <openssl/evp.h>

using namespace kiln;
using namespace kiln::cache;

const char *cache::authFaultName(AuthFault fault) {
  switch (fault) {
  case AuthFault::None:
    return "none";
  case AuthFault::Unsigned:
    return "unsigned";
  case AuthFault::Method:
    return "method";
  case AuthFault::UnknownKey:
    return "unknown_key";
  case AuthFault::Revoked:
    return "revoked";
  case AuthFault::BadTag:
    return "bad_tag";
  }
  return "none";
}

//===----------------------------------------------------------------------===//
// Symmetric
//===----------------------------------------------------------------------===//

// Over `Hasher` and not by EVP: the first use of EVP in a process costs 800 us,
// and each warm start verifies an entry.
Digest cache::hmacSha256(ByteView key, ByteView message) {
  constexpr size_t kBlock = 64;
  uint8_t inner[kBlock] = {}, outer[kBlock];
  if (key.size() > kBlock) {
    Digest digest = sha256(key);
    std::copy(digest.bytes.begin(), digest.bytes.end(), inner);
  } else {
    std::copy(key.begin(), key.end(), inner);
  }
  for (size_t i = 0; i < kBlock; ++i) {
    outer[i] = inner[i] ^ 0x5c;
    inner[i] ^= 0x36;
  }
  Hasher first;
  first.add(ByteView(inner, kBlock));
  first.add(message);
  Digest digest = first.finish();
  Hasher second;
  second.add(ByteView(outer, kBlock));
  second.add(ByteView(digest.bytes.data(), digest.bytes.size()));
  OPENSSL_cleanse(inner, kBlock);
  OPENSSL_cleanse(outer, kBlock);
  return second.finish();
}

Digest cache::hkdfSha256(ByteView secret, std::string_view info) {
  const std::array<uint8_t, 32> salt{};
  Digest extracted = hmacSha256(ByteView(salt.data(), salt.size()), secret);
  // One block of output: T(1) = HMAC(PRK, info | 0x01).
  std::string message(info);
  message += '\1';
  Digest result =
      hmacSha256(ByteView(extracted.bytes.data(), extracted.bytes.size()),
                 ByteView(message));
  OPENSSL_cleanse(extracted.bytes.data(), extracted.bytes.size());
  return result;
}

static Seed derive(const Seed &seed, std::string_view info) {
  Digest key =
      hkdfSha256(ByteView(seed.bytes().data(), seed.bytes().size()), info);
  Seed derived(key.bytes);
  OPENSSL_cleanse(key.bytes.data(), key.bytes.size());
  return derived;
}

static uint32_t firstFour(const Digest &digest) {
  return ByteReader(ByteView(digest.bytes.data(), 4)).u32();
}

//===----------------------------------------------------------------------===//
// Asymmetric
//===----------------------------------------------------------------------===//

namespace {
struct FreeKey {
  void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX *context) const { EVP_MD_CTX_free(context); }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeKey>;
using ContextHandle = std::unique_ptr<EVP_MD_CTX, FreeContext>;
} // namespace

static KeyHandle privateKeyOf(const Seed &seed) {
  return KeyHandle(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, seed.bytes().data(), seed.bytes().size()));
}

PublicKey cache::publicKeyOf(const Seed &seed) {
  PublicKey key;
  KeyHandle handle = privateKeyOf(seed);
  size_t size = key.bytes.size();
  if (handle)
    EVP_PKEY_get_raw_public_key(handle.get(), key.bytes.data(), &size);
  static const char digits[] = "0123456789abcdef";
  key.name = "kiln-";
  for (int shift = 28; shift >= 0; shift -= 4)
    key.name += digits[(key.id() >> shift) & 15];
  return key;
}

uint32_t PublicKey::id() const {
  return firstFour(sha256(ByteView(bytes.data(), bytes.size())));
}

/// True if the holder of `key` signed `message`.
static bool isSignedBy(const PublicKey &key, ByteView message,
                       const AuthTag &tag) {
  KeyHandle handle(EVP_PKEY_new_raw_public_key(
      EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()));
  ContextHandle context(EVP_MD_CTX_new());
  return handle && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr,
                              handle.get()) == 1 &&
         EVP_DigestVerify(context.get(), tag.data(), tag.size(),
                          message.data(), message.size()) == 1;
}

struct KeyRing::Pair {
  explicit Pair(const Seed &seed)
      : handle(privateKeyOf(seed)), publicKey(publicKeyOf(seed)) {}

  KeyHandle handle;
  PublicKey publicKey;
};

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

KeyRing::Mac KeyRing::macOf(const Seed &seed, const char *purpose) {
  const std::string name = purpose;
  Seed id = derive(seed, name + "-id-v1");
  return {derive(seed, name + "-v1"),
          firstFour(sha256(ByteView(id.bytes().data(), id.bytes().size())))};
}

KeyRing::KeyRing(const Seed &seed, std::vector<PublicKey> trusted,
                 std::vector<PublicKey> revoked, bool allowUnsigned,
                 const std::optional<Seed> &shared)
    : seed_(seed), own_(macOf(seed, "kiln-local-mac")),
      trusted_(std::move(trusted)), revoked_(std::move(revoked)),
      allowUnsigned_(allowUnsigned) {
  if (shared)
    shared_ = macOf(*shared, "kiln-shared-mac");
  // The public key costs time, which a list that is empty saves.
  isOwnRevoked_ = !revoked_.empty() && isRevoked(publicKey());
}

KeyRing::~KeyRing() = default;

/// The keys of a variable and those of a file, which need not be there.
static Result<std::vector<PublicKey>> keysOf(const std::string &variable,
                                             const std::string &file) {
  auto keys = readPublicKeys(variable);
  if (!keys || file.empty())
    return keys;
  auto more = readPublicKeyFile(file, /*mayBeAbsent=*/true);
  if (!more)
    return more;
  keys->insert(keys->end(), more->begin(), more->end());
  return keys;
}

Result<KeyRingPtr> KeyRing::open(const KeyConfig &config) {
  if (!config.fault.empty())
    return Error::malformed(config.fault);
  if (!config.seed && config.file.empty())
    return Error::io("there is no folder for the key of the cache; expected "
                     "HOME, or KILN_CACHE_KEY_FILE");
  std::optional<Seed> seed = config.seed;
  if (!seed) {
    if (!config.isGiven)
      if (Status made = makeSeedFile(config.file, /*keepExisting=*/true); !made)
        return made.takeError();
    auto read = readSeedFile(config.file);
    if (!read)
      return read.takeError();
    seed = *read;
  }
  auto trusted = keysOf(config.trusted, trustedKeysFile(config));
  if (!trusted)
    return trusted.takeError();
  auto revoked = keysOf(config.revoked, revokedKeysFile(config));
  if (!revoked)
    return revoked.takeError();
  std::optional<Seed> shared;
  if (!config.sharedFile.empty()) {
    auto read = readSeedFile(config.sharedFile);
    if (!read)
      return read.error().withContext("KILN_CACHE_HMAC_KEY_FILE");
    shared = *read;
  }
  auto ring = std::make_shared<KeyRing>(*seed, std::move(*trusted),
                                        std::move(*revoked),
                                        config.allowUnsigned, shared);
  ring->signsForOthers_ = config.isGiven || shared || ring->trusted_.empty();
  return KeyRingPtr(std::move(ring));
}

const KeyRing::Pair &KeyRing::pair() const {
  std::call_once(pairMade_, [this] { pair_ = std::make_unique<Pair>(seed_); });
  return *pair_;
}

const PublicKey &KeyRing::publicKey() const { return pair().publicKey; }

bool KeyRing::isRevoked(const PublicKey &key) const {
  return std::any_of(revoked_.begin(), revoked_.end(), [&](const auto &other) {
    return other.bytes == key.bytes;
  });
}

uint32_t KeyRing::keyId(Authentication method) const {
  switch (method) {
  case Authentication::None:
    return 0;
  case Authentication::Hmac:
    return own_.id;
  case Authentication::Ed25519:
    return publicKey().id();
  case Authentication::SharedHmac:
    return shared_ ? shared_->id : 0;
  }
  return 0;
}

AuthTag KeyRing::sign(Authentication method, ByteView message) const {
  AuthTag tag{};
  const Mac *key = method == Authentication::Hmac ? &own_
                   : method == Authentication::SharedHmac && shared_
                       ? &*shared_
                       : nullptr;
  if (key) {
    Digest mac = hmacSha256(
        ByteView(key->key.bytes().data(), key->key.bytes().size()), message);
    std::copy(mac.bytes.begin(), mac.bytes.end(), tag.begin());
  } else if (method == Authentication::Ed25519) {
    ContextHandle context(EVP_MD_CTX_new());
    size_t size = tag.size();
    // A failure, for want of memory, leaves a tag that nobody believes.
    if (!pair().handle || !context ||
        EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr,
                           pair().handle.get()) != 1 ||
        EVP_DigestSign(context.get(), tag.data(), &size, message.data(),
                       message.size()) != 1)
      tag.fill(0);
  }
  return tag;
}

AuthFault KeyRing::verifyMac(Authentication method, const Mac &mac,
                             uint32_t keyId, ByteView message,
                             const AuthTag &tag) const {
  if (keyId != mac.id)
    return AuthFault::UnknownKey;
  AuthTag expected = sign(method, message);
  return CRYPTO_memcmp(expected.data(), tag.data(), tag.size()) == 0
             ? AuthFault::None
             : AuthFault::BadTag;
}

AuthFault KeyRing::verify(Tier tier, Authentication method, uint32_t keyId,
                          ByteView message, const AuthTag &tag) const {
  if (method == Authentication::None)
    return tier == Tier::Remote && allowUnsigned_ ? AuthFault::None
                                                  : AuthFault::Unsigned;
  if (method == Authentication::SharedHmac)
    return shared_ ? verifyMac(method, *shared_, keyId, message, tag)
                   : AuthFault::Method;
  if (method == Authentication::Hmac) {
    if (tier != Tier::Local)
      return AuthFault::Method;
    AuthFault fault = verifyMac(method, own_, keyId, message, tag);
    return fault == AuthFault::None && isOwnRevoked_ ? AuthFault::Revoked
                                                     : fault;
  }
  // Ids have four bytes: several keys may share one.
  AuthFault fault = AuthFault::UnknownKey;
  auto tryKey = [&](const PublicKey &key) {
    if (key.id() != keyId)
      return false;
    if (isRevoked(key)) {
      fault = AuthFault::Revoked;
      return false;
    }
    if (isSignedBy(key, message, tag)) {
      fault = AuthFault::None;
      return true;
    }
    fault = AuthFault::BadTag;
    return false;
  };
  if (tryKey(publicKey()))
    return fault;
  for (const PublicKey &key : trusted_)
    if (tryKey(key))
      return fault;
  // A revoked key need not be in the ring to be named as such.
  if (fault == AuthFault::UnknownKey &&
      std::any_of(revoked_.begin(), revoked_.end(),
                  [&](const auto &key) { return key.id() == keyId; }))
    return AuthFault::Revoked;
  return fault;
}
