//===- CacheEntry.cpp - Encode, decode, verify ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Cache/CacheEntry.h"

#include "Container.h"
#include "kiln/Base/Crc32.h"

#include <algorithm>
#include <cstdio>
#include <zstd.h>

using namespace kiln;
using namespace kiln::cache;

static constexpr uint8_t kMagic[8] = {0x89, 0x4B, 0x4C, 0x4E,
                                      0x43, 0x0D, 0x0A, 0x1A};
static constexpr size_t kTagOffset = 160;
static constexpr size_t kCrcOffset = 224;
static constexpr size_t kCompressionThreshold = 4096;
// Level 1: native code shrinks three times at more than disk speed.
static constexpr int kCompressionLevel = 1;

/// What is signed: the context, so that a tag is worth nothing elsewhere, and
/// the header before the tag.
static std::vector<uint8_t> signedMessage(ByteView file) {
  std::vector<uint8_t> message;
  ByteWriter writer(message);
  writer.text(std::string_view("kiln-entry-v1\0", 14));
  writer.bytes(file.slice(0, kTagOffset));
  return message;
}

std::vector<uint8_t> cache::encodeEntry(const Digest &key,
                                        const Digest &environment,
                                        const EntryInfo &info,
                                        ByteView contents,
                                        const Signer &signer) {
  const std::vector<uint8_t> container = packEntry(info.keyParts, contents);
  const ByteView payload = container;
  std::vector<uint8_t> compressed;
  ByteView stored = payload;
  if (payload.size() > kCompressionThreshold) {
    compressed.resize(ZSTD_compressBound(payload.size()));
    size_t size =
        ZSTD_compress(compressed.data(), compressed.size(), payload.data(),
                      payload.size(), kCompressionLevel);
    bool worthIt = !ZSTD_isError(size) && size <= payload.size() / 10 * 9 &&
                   payload.size() <= size * kMaxCompressionRatio;
    compressed.resize(worthIt ? size : 0);
    if (worthIt)
      stored = compressed;
  }
  bool isCompressed = stored.data() != payload.data();

  std::vector<uint8_t> out;
  out.reserve(kEntryHeaderBytes + stored.size());
  ByteWriter writer(out);
  writer.bytes(ByteView(kMagic, sizeof(kMagic)));
  writer.u16(1);
  writer.u16(kEntryHeaderBytes);
  writer.u16(static_cast<uint16_t>(info.kind));
  writer.u8(isCompressed);
  writer.u8(static_cast<uint8_t>(signer.method));
  writer.u32(info.nativeCode ? 1 : 0);
  writer.u32(signer.ring.keyId(signer.method));
  writer.u64(stored.size());
  writer.u64(payload.size());
  writer.u64(info.createdMillis);
  writer.u64(info.compileTimeMicros);
  writer.u64(0);
  writer.bytes(ByteView(key.bytes.data(), key.bytes.size()));
  writer.bytes(ByteView(environment.bytes.data(), environment.bytes.size()));
  Digest digest = sha256(stored);
  writer.bytes(ByteView(digest.bytes.data(), digest.bytes.size()));
  AuthTag tag = signer.ring.sign(signer.method, signedMessage(out));
  writer.bytes(ByteView(tag.data(), tag.size()));
  writer.u32(crc32(ByteView(out.data(), kCrcOffset)));
  out.resize(kEntryHeaderBytes, 0);
  writer.bytes(stored);
  return out;
}

static DecodedEntry refuse(EntryFault fault, std::string reason) {
  DecodedEntry result;
  result.fault = fault;
  result.reason = std::move(reason);
  return result;
}

static DecodedEntry refuse(AuthFault fault, uint32_t keyId) {
  char id[16];
  std::snprintf(id, sizeof(id), "%08x", keyId);
  std::string reason;
  switch (fault) {
  case AuthFault::None:
  case AuthFault::Unsigned:
    reason = "entry is not signed";
    break;
  case AuthFault::Method:
    reason = "entry is authenticated by a method that is not accepted here, "
             "expected an Ed25519 signature, or the HMAC of a secret that "
             "both sides have (KILN_CACHE_HMAC_KEY_FILE)";
    break;
  case AuthFault::UnknownKey:
    reason = std::string("entry was made with the unknown key ") + id +
             "; set KILN_CACHE_KEY_FILE to keep one key between homes, or "
             "trust the key by KILN_CACHE_TRUSTED_KEYS";
    break;
  case AuthFault::Revoked:
    reason = std::string("entry was made with the revoked key ") + id;
    break;
  case AuthFault::BadTag:
    reason = std::string("entry was not made by the holder of key ") + id;
    break;
  }
  DecodedEntry result = refuse(EntryFault::Auth, std::move(reason));
  result.authFault = fault;
  return result;
}

static bool allZero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](uint8_t byte) { return byte == 0; });
}

/// Expands `stored` to exactly `rawBytes` bytes, or gives an empty vector.
static std::vector<uint8_t> decompress(ByteView stored, uint64_t rawBytes) {
  std::vector<uint8_t> raw(rawBytes);
  size_t size =
      ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) || size != rawBytes)
    raw.clear();
  return raw;
}

DecodedEntry cache::decodeEntry(ByteView file, const Digest &key,
                                const Digest &environment,
                                const Verifier &verifier) {
  const auto corrupt = EntryFault::Corrupt;
  if (file.size() < kEntryHeaderBytes)
    return refuse(corrupt, "entry has " + std::to_string(file.size()) +
                               " bytes, expected a header of 256");
  ByteReader reader(file);
  if (!std::equal(std::begin(kMagic), std::end(kMagic), file.begin()))
    return refuse(corrupt, "entry does not begin with the cache magic");
  reader.skip(sizeof(kMagic));
  if (crc32(file.slice(0, kCrcOffset)) !=
      static_cast<uint32_t>(file[kCrcOffset]) +
          (static_cast<uint32_t>(file[kCrcOffset + 1]) << 8) +
          (static_cast<uint32_t>(file[kCrcOffset + 2]) << 16) +
          (static_cast<uint32_t>(file[kCrcOffset + 3]) << 24))
    return refuse(corrupt, "header checksum does not match");
  if (reader.u16() != 1 || reader.u16() != kEntryHeaderBytes)
    return refuse(corrupt, "entry has another format version, expected 1");

  DecodedEntry entry;
  uint16_t kind = reader.u16();
  uint8_t compression = reader.u8();
  uint8_t authentication = reader.u8();
  uint32_t flags = reader.u32();
  uint32_t keyId = reader.u32();
  uint64_t storedBytes = reader.u64();
  uint64_t rawBytes = reader.u64();
  entry.info.createdMillis = reader.u64();
  entry.info.compileTimeMicros = reader.u64();
  uint64_t reserved = reader.u64();
  if (kind > UINT8_MAX || !findKind(static_cast<KeyKind>(kind)) ||
      compression > 1 ||
      authentication > static_cast<uint8_t>(Authentication::SharedHmac) ||
      (flags & ~3u) != 0 || reserved != 0 || !allZero(file.slice(228, 28)))
    return refuse(corrupt, "header holds a value that version 1 does not know");
  if (storedBytes != file.size() - kEntryHeaderBytes)
    return refuse(corrupt, "entry holds " +
                               std::to_string(file.size() - kEntryHeaderBytes) +
                               " payload bytes, expected " +
                               std::to_string(storedBytes));
  if (rawBytes > kMaxEntryBytes || storedBytes > kMaxEntryBytes ||
      (compression == 0 && rawBytes != storedBytes) ||
      (compression == 1 && rawBytes / kMaxCompressionRatio > storedBytes))
    return refuse(corrupt, "payload lengths contradict each other");
  auto method = static_cast<Authentication>(authentication);
  AuthTag tag;
  std::copy_n(file.data() + kTagOffset, tag.size(), tag.begin());
  if (method == Authentication::None &&
      (keyId != 0 || !allZero(ByteView(tag.data(), tag.size()))))
    return refuse(corrupt, "entry has a tag and no method");
  if (AuthFault fault = verifier.ring.verify(verifier.tier, method, keyId,
                                             signedMessage(file), tag);
      fault != AuthFault::None)
    return refuse(fault, keyId);
  entry.method = method;
  entry.info.kind = static_cast<KeyKind>(kind);
  entry.info.nativeCode = flags & 1;

  ByteView keyBytes = reader.bytes(32);
  if (!std::equal(keyBytes.begin(), keyBytes.end(), key.bytes.begin()))
    return refuse(EntryFault::WrongKey, "entry belongs to another key");
  ByteView environmentBytes = reader.bytes(32);
  if (!std::equal(environmentBytes.begin(), environmentBytes.end(),
                  environment.bytes.begin()))
    return refuse(EntryFault::ForeignEnvironment,
                  "entry was made by another compiler or for another machine");

  ByteView stored = file.slice(kEntryHeaderBytes, storedBytes);
  Digest digest = sha256(stored);
  ByteView digestBytes = reader.bytes(32);
  if (!std::equal(digestBytes.begin(), digestBytes.end(),
                  digest.bytes.begin()))
    return refuse(corrupt, "payload checksum does not match");
  std::vector<uint8_t> raw;
  if (compression == 1) {
    raw = decompress(stored, rawBytes);
    if (raw.empty())
      return refuse(corrupt,
                    "payload does not decompress to its stated length");
    stored = raw;
  }
  ByteView contents;
  if (!unpackEntry(stored, entry.info.keyParts, contents))
    return refuse(corrupt, "payload is not a container of version 1");
  entry.payload.assign(contents.begin(), contents.end());
  return entry;
}
