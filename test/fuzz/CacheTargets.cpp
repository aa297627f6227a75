//===- CacheTargets.cpp - What the cache promises of any bytes ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheTargets.h"

#include "Fuzzer.h"

#include "../../lib/Cache/Remote/Resp.h"

#include "kiln/Base/Crc32.h"
#include "kiln/Cache/CacheEntry.h"
#include "kiln/Cache/Counters.h"
#include "kiln/Cache/LocalConfig.h"
#include "kiln/Cache/RemoteConfig.h"
#include "kiln/Session/CacheArtifacts.h"

#include <algorithm>
#include <map>

using namespace kiln;
using namespace kiln::cache;
using test::require;

static const KeyRing &ring() {
  static const KeyRing own(Seed({1, 2, 3}), {}, {});
  return own;
}
static const Digest kKey = sha256(std::string_view("key"));
static const Digest kEnvironment = sha256(std::string_view("environment"));

//===----------------------------------------------------------------------===//
// Files as their makers write them
//===----------------------------------------------------------------------===//

static std::string textOf(const std::vector<uint8_t> &bytes) {
  return {bytes.begin(), bytes.end()};
}

const std::string &fuzz::goodEntry(bool isCompressed) {
  auto make = [](size_t size) {
    std::vector<uint8_t> payload(size);
    for (size_t i = 0; i < size; ++i)
      payload[i] = uint8_t(i * i >> 7);
    return textOf(encodeEntry(kKey, kEnvironment, {}, payload,
                              {ring(), Authentication::Ed25519}));
  };
  static const std::string files[] = {make(300), make(9000)};
  return files[isCompressed];
}

const std::string &fuzz::goodArtifact() {
  static const std::string file = [] {
    std::vector<session::ArtifactEntry> entries;
    for (uint8_t i = 0; i < 3; ++i) {
      const std::string &entry = goodEntry(i % 2);
      entries.push_back({kKinds[i].kind, sha256(ByteView(&i, 1)), kEnvironment,
                         {entry.begin(), entry.end()}});
    }
    return textOf(session::encodeArtifacts(std::move(entries), ring()));
  }();
  return file;
}

std::string_view fuzz::goodManifest() {
  const std::string &file = goodArtifact();
  const size_t size = ByteReader(ByteView(file).slice(24, 8)).u64();
  return std::string_view(file).substr(kEntryHeaderBytes, size);
}

std::string_view fuzz::goodBlobs() {
  return std::string_view(goodArtifact())
      .substr(kEntryHeaderBytes + goodManifest().size());
}

std::string fuzz::change(std::string file, std::string_view changes) {
  for (; changes.size() >= 3; changes.remove_prefix(3))
    file[(uint8_t(changes[0]) + 256u * uint8_t(changes[1])) % file.size()] =
        changes[2];
  return file;
}

//===----------------------------------------------------------------------===//
// Seals
//===----------------------------------------------------------------------===//

/// Makes digest, signature and checksum of a changed header or body anew.
static void seal(std::string &file, std::string_view context, size_t digested) {
  if (file.size() < kEntryHeaderBytes)
    return;
  ByteView bytes((std::string_view(file)));
  Digest digest = sha256(bytes.slice(kEntryHeaderBytes, digested));
  std::copy(digest.bytes.begin(), digest.bytes.end(), file.begin() + 128);
  std::string message = std::string(context) + '\0' + file.substr(0, 160);
  AuthTag tag = ring().sign(Authentication(uint8_t(file[15])),
                            ByteView(std::string_view(message)));
  std::copy(tag.begin(), tag.end(), file.begin() + 160);
  uint32_t crc = crc32(bytes.slice(0, 224));
  for (size_t i = 0; i < 4; ++i)
    file[224 + i] = char(crc >> (8 * i));
}

std::string fuzz::sealEntry(std::string file) {
  seal(file, "kiln-entry-v1", SIZE_MAX);
  return file;
}

std::string fuzz::sealArtifact(std::string_view manifest,
                               std::string_view blobs) {
  std::string file = goodArtifact().substr(0, kEntryHeaderBytes);
  file.append(manifest).append(blobs);
  for (size_t i = 0; i < 8; ++i) {
    file[24 + i] = char(manifest.size() >> (8 * i));
    file[32 + i] = char(file.size() >> (8 * i));
  }
  seal(file, "kiln-artifact-v1", manifest.size());
  return file;
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

void fuzz::checkEntry(std::string_view file, bool isSealed) {
  bool isGood = file == goodEntry(false) || file == goodEntry(true);
  for (Tier tier : {Tier::Local, Tier::Remote, Tier::Artifact}) {
    DecodedEntry entry =
        decodeEntry(ByteView(file), kKey, kEnvironment, {ring(), tier});
    require(isSealed || isGood || entry.fault != EntryFault::None,
            "what is changed is refused");
    require(entry.fault == EntryFault::None || entry.payload.empty(),
            "what is refused has no payload");
    require(entry.fault == EntryFault::None || !entry.reason.empty(),
            "a refusal has a reason");
  }
}

void fuzz::checkArtifact(std::string_view file, bool isSealed) {
  CacheInfo info;
  auto entries = session::decodeArtifacts(ByteView(file), ring(), info);
  require(isSealed || file == goodArtifact() || !entries,
          "what is changed is refused");
  if (entries)
    for (const auto &entry : *entries)
      (void)decodeEntry(entry.file, entry.key, entry.environment,
                        {ring(), Tier::Artifact});
  (void)info.json();
}

static size_t bytesIn(const Reply &reply) {
  size_t bytes = reply.text.size() + 1;
  for (const Reply &element : reply.elements)
    bytes += bytesIn(element);
  return bytes;
}

void fuzz::checkReplies(std::string_view stream,
                        const std::function<size_t(size_t)> &nextPart) {
  RespReader reader;
  reader.limit(1 << 12);
  size_t taken = 0;
  for (size_t at = 0; at < stream.size();) {
    size_t part = std::max<size_t>(nextPart(stream.size() - at), 1);
    if (!reader.feed(ByteView(stream).slice(at, part)))
      break;
    at += part;
    while (auto reply = reader.next())
      taken += bytesIn(*reply) - 1;
  }
  // Every element takes bytes of the stream.
  require(taken <= stream.size(),
          "a reply is not larger than what was sent");
}

void fuzz::checkKeyText(std::string_view text) {
  if (auto parsed = PublicKey::parse(text))
    require(parsed->text() == text, "one text stands for a key");
  // What begins with '/' names a file.
  (void)readPublicKeys("," + std::string(text));
  (void)Seed::parse(text, "seed");
  (void)parseSize(std::string(text));
  (void)parseAge(std::string(text));
  (void)isNamespace(text);
  std::map<std::string, CacheReport> tiers;
  parseReport(text, tiers);
  constexpr std::string_view secret = "hunter2";
  // What stands in the place of a host or a path as well is no secret.
  if (text.find(secret) != text.rfind(secret))
    return;
  if (auto address = RedisAddress::parse(text))
    require(address->password.reveal() != secret ||
                address->text().find(secret) == std::string::npos,
            "a password is in no text");
  else
    require(address.error().message.find(secret) == std::string::npos,
            "a password is in no error");
}
