//===- SizeProfile.cpp - The sizes a program was called with --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/SizeProfile.h"

#include "Clock.h"
#include "VariantLog.h"

#include "kiln/Session/ProgramKey.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::session;

static constexpr uint32_t kProfileVersion = 1;

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

void SizeProfile::add(const std::string &symbol, const Value &value) {
  auto found = symbols_.find(symbol);
  if (found == symbols_.end()) {
    if (symbols_.size() < kMaxSymbols)
      symbols_.emplace(symbol, value);
  } else if (found->second != value) {
    found->second = std::nullopt;
  }
}

void SizeProfile::note(const std::string &symbol, int64_t value) {
  add(symbol, value);
}

void SizeProfile::join(const SizeProfile &other) {
  for (const auto &[symbol, value] : other.symbols_)
    add(symbol, value);
}

bool SizeProfile::varies(const std::string &symbol) const {
  auto found = symbols_.find(symbol);
  return found != symbols_.end() && !found->second;
}

bool SizeProfile::variesAtAll() const {
  return std::any_of(symbols_.begin(), symbols_.end(),
                     [](const auto &symbol) { return !symbol.second; });
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

std::vector<uint8_t> SizeProfile::encode() const {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u32(kProfileVersion);
  writer.u32(static_cast<uint32_t>(symbols_.size()));
  for (const auto &[symbol, value] : symbols_) {
    writer.u8(!value);
    writer.u64(static_cast<uint64_t>(value.value_or(0)));
    writer.u32(static_cast<uint32_t>(symbol.size()));
    writer.text(symbol);
  }
  return bytes;
}

std::optional<SizeProfile> SizeProfile::decode(ByteView bytes) {
  if (bytes.size() > kMaxBytes)
    return std::nullopt;
  ByteReader reader(bytes);
  if (reader.u32() != kProfileVersion)
    return std::nullopt;
  uint32_t count = reader.u32();
  if (count > kMaxSymbols)
    return std::nullopt;
  SizeProfile profile;
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    uint8_t varies = reader.u8();
    auto value = static_cast<int64_t>(reader.u64());
    std::string symbol(reader.text(reader.u32()));
    auto &symbols = profile.symbols_;
    if (!reader.ok() || varies > 1 || (varies && value != 0) ||
        (!symbols.empty() && symbol <= symbols.rbegin()->first))
      return std::nullopt;
    symbols.emplace_hint(symbols.end(), std::move(symbol),
                         varies ? Value() : Value(value));
  }
  if (!reader.ok() || !reader.atEnd())
    return std::nullopt;
  return profile;
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

cache::CacheKey session::profileKey(const archive::Source &source,
                                    const std::string &nameSpace) {
  cache::CacheKeyBuilder builder(cache::KeyKind::Pgo);
  builder.addDigest(cache::KeyTag::Source, "source", source.digest);
  if (source.program)
    builder.addText(cache::KeyTag::Model, "model", source.program->model);
  if (!nameSpace.empty())
    builder.addText(cache::KeyTag::Namespace, "namespace", nameSpace);
  return builder.finish();
}

/// What is kept under a key, in all tiers, with the payloads that say it.
static SizeProfile readProfile(cache::Store &store, const cache::CacheKey &key,
                               std::vector<std::vector<uint8_t>> &payloads) {
  SizeProfile known;
  cache::Lookup lookup = store.get(key, portableEnvironment());
  for (const std::string &fault : lookup.faults)
    logMiss(fault, /*isWarning=*/false);
  for (cache::DecodedEntry &entry : lookup.variants) {
    if (auto profile = SizeProfile::decode(entry.payload))
      known.join(*profile);
    payloads.push_back(std::move(entry.payload));
  }
  return known;
}

SizeProfile session::mergeProfile(cache::Store &store,
                                  const cache::CacheKey &key,
                                  const SizeProfile &seen) {
  std::vector<std::vector<uint8_t>> payloads;
  SizeProfile all = readProfile(store, key, payloads);
  all.join(seen);
  std::vector<uint8_t> bytes = all.encode();
  auto saysAll = [&](const std::vector<uint8_t> &payload) {
    return payload == bytes;
  };
  // One that says less may be that of a remote, where another machine wrote last.
  if (!payloads.empty() &&
      std::all_of(payloads.begin(), payloads.end(), saysAll))
    return all;
  cache::FlightPtr flight = store.enter(key);
  payloads.clear();
  all.join(readProfile(store, key, payloads));
  bytes = all.encode();
  cache::EntryInfo info;
  info.kind = key.kind;
  info.createdMillis = millisSince1970();
  if (Status s = store.put(key, portableEnvironment(), info, bytes); !s) {
    logMiss("sizes that were seen are not kept: " + s.error().message,
            /*isWarning=*/false);
    return all;
  }
  // What was read is part of what was written.
  for (const std::vector<uint8_t> &payload : payloads)
    if (payload != bytes)
      store.removeVariant(key, payload);
  return all;
}
