//===- CacheMutants.cpp - Mutants of what a cache reads -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: kiln-mutate-cache [SECONDS [SEED]]
//
// Entries, artifact files, replies of Redis and texts of keys, changed and read
// for so many seconds each (default: 5000 mutants each). What is changed and not
// signed again must be refused; what is signed again by somebody who is trusted
// must be read or refused, whatever it holds. Ends the process at the first
// broken promise, with the seed and the number of the mutant.
//
//===----------------------------------------------------------------------===//

#include "mutate/FileMutator.h"

#include "../../lib/Cache/Remote/Resp.h"

#include "kiln/Cache/CacheEntry.h"
#include "kiln/Cache/RemoteConfig.h"
#include "kiln/Session/CacheArtifacts.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace kiln;
using namespace kiln::cache;
using namespace kiln::fuzz;

namespace {
uint64_t seed = 1;
uint64_t number = 0;
const char *target = "";

void require(bool holds, const char *promise) {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %s (%s, seed %llu, mutant %llu)\n",
               promise, target, (unsigned long long)seed,
               (unsigned long long)number);
  std::abort();
}

const KeyRing &ring() {
  static const KeyRing own(Seed({1, 2, 3}), {}, {});
  return own;
}
const Digest kKey = sha256(std::string_view("key"));
const Digest kEnvironment = sha256(std::string_view("environment"));

std::string textOf(const std::vector<uint8_t> &bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Writes digest, tag and checksum of a header anew, as its maker would.
void seal(std::string &file, std::string_view context, size_t digested) {
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

const std::vector<uint8_t> &entrySeed(bool compressed) {
  auto make = [](size_t size) {
    std::vector<uint8_t> payload(size);
    for (size_t i = 0; i < size; ++i)
      payload[i] = uint8_t(i * i >> 7);
    return encodeEntry(kKey, kEnvironment, {}, payload,
                       {ring(), Authentication::Ed25519});
  };
  static const std::vector<uint8_t> seeds[] = {make(300), make(9000)};
  return seeds[compressed];
}

void mutateEntry(Random &random) {
  const std::string good = textOf(entrySeed(below(random, 2)));
  std::string file = mutateBytes(good, random);
  bool sealed = below(random, 2);
  if (sealed)
    seal(file, "kiln-entry-v1", SIZE_MAX);
  for (Tier tier : {Tier::Local, Tier::Remote, Tier::Artifact}) {
    DecodedEntry entry = decodeEntry(ByteView(std::string_view(file)), kKey,
                                     kEnvironment, {ring(), tier});
    require(sealed || file == good || entry.fault != EntryFault::None,
            "what is changed is refused");
    require(entry.fault == EntryFault::None || entry.payload.empty(),
            "what is refused has no payload");
    require(entry.fault == EntryFault::None || !entry.reason.empty(),
            "a refusal has a reason");
  }
}

void mutateArtifact(Random &random) {
  static const std::string good = [] {
    std::vector<session::ArtifactEntry> entries;
    for (uint8_t i = 0; i < 3; ++i)
      entries.push_back({KeyKind(2 + i), sha256(ByteView(&i, 1)), kEnvironment,
                         entrySeed(i % 2)});
    return textOf(session::encodeArtifacts(std::move(entries), ring()));
  }();
  std::string file = good;
  const size_t manifest = ByteReader(ByteView(good).slice(24, 8)).u64();
  bool sealed = below(random, 4) != 0;
  if (sealed) {
    // The manifest as text, in as many bytes.
    std::string text = good.substr(kEntryHeaderBytes, manifest);
    text = below(random, 2) ? mutateText(text, text, random)
                            : mutateBytes(text, random);
    text.resize(manifest, ' ');
    file.replace(kEntryHeaderBytes, manifest, text);
    seal(file, "kiln-artifact-v1", manifest);
  } else {
    file = mutateBytes(good, random);
  }
  CacheInfo info;
  auto entries = session::decodeArtifacts(ByteView(std::string_view(file)),
                                          ring(), info);
  require(sealed || file == good || !entries, "what is changed is refused");
  if (entries)
    for (const auto &entry : *entries)
      (void)decodeEntry(entry.file, entry.key, entry.environment,
                        {ring(), Tier::Artifact});
  (void)info.json();
}

size_t bytesIn(const Reply &reply) {
  size_t bytes = reply.text.size() + 1;
  for (const Reply &element : reply.elements)
    bytes += bytesIn(element);
  return bytes;
}

void mutateReply(Random &random) {
  static const std::string seeds[] = {
      "*3\r\n$5\r\nhello\r\n$-1\r\n:42\r\n", "+OK\r\n-NOPERM no\r\n",
      "*2\r\n*2\r\n:1\r\n:2\r\n$0\r\n\r\n", "$20\r\n01234567890123456789\r\n",
      "*8\r\n$-1\r\n$-1\r\n$-1\r\n$3\r\nabc\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n",
      "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "*2147483647\r\n",
      "$9223372036854775807\r\n", "*65536\r\n:1\r\n"};
  std::string text = mutateBytes(seeds[below(random, std::size(seeds))], random);
  RespReader reader;
  reader.limit(1 << 12);
  size_t taken = 0;
  for (size_t at = 0; at < text.size();) {
    size_t part = 1 + below(random, text.size() - at);
    if (!reader.feed(ByteView(std::string_view(text)).slice(at, part)))
      break;
    at += part;
    while (auto reply = reader.next())
      taken += bytesIn(*reply) - 1;
  }
  // Every element takes bytes of the stream.
  require(taken <= text.size(), "a reply is not larger than what was sent");
}

void mutateKeyText(Random &random) {
  static const std::string key = publicKeyOf(Seed({9})).text();
  std::string text = mutateBytes(key, random);
  if (auto parsed = PublicKey::parse(text))
    require(parsed->text() == text, "one text stands for a key");
  (void)readPublicKeys("," + mutateBytes(key + " " + key, random));
  (void)Seed::parse(mutateBytes(std::string(64, 'a'), random), "seed");
  static const std::string urls[] = {
      "redis://user:hunter2@[::1]:6379/3", "rediss://:hunter2@example.org",
      "unix://:hunter2@/run/redis.sock"};
  std::string url = mutateBytes(urls[below(random, std::size(urls))], random);
  if (auto address = RedisAddress::parse(url))
    require(address->password.reveal() != "hunter2" ||
                address->text().find("hunter2") == std::string::npos,
            "a password is in no text");
  else
    require(address.error().message.find("hunter2") == std::string::npos,
            "a password is in no error");
}
} // namespace

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 0;
  seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const struct {
    const char *name;
    void (*mutate)(Random &);
  } targets[] = {{"entry", mutateEntry},
                 {"artifact", mutateArtifact},
                 {"reply", mutateReply},
                 {"key", mutateKeyText}};
  using Clock = std::chrono::steady_clock;
  for (const auto &one : targets) {
    target = one.name;
    auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (number = 0; seconds > 0 ? Clock::now() < end : number < 5000;
         ++number) {
      Random random(seed * 1000003 + number);
      one.mutate(random);
    }
    std::printf("%s: %llu mutants\n", one.name, (unsigned long long)number);
  }
  return 0;
}
