//===- ArtifactFile.cpp - The format of a cache in one file ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/JsonReader.h"
#include "kiln/Base/Crc32.h"
#include "kiln/Session/CacheArtifacts.h"

#include <algorithm>
#include <tuple>

using namespace kiln;
using namespace kiln::session;
using namespace kiln::cache;

static constexpr uint8_t kArtifactMagic[8] = {0x89, 0x4B, 0x4C, 0x4E,
                                      0x42, 0x0D, 0x0A, 0x1A};
static constexpr uint16_t kKind = 7;
static constexpr size_t kTagOffset = 160, kCrcOffset = 224;
static constexpr uint64_t kMaxManifestBytes = 64 << 20;
static constexpr size_t kAlignment = 64;

std::string CacheInfo::json() const {
  std::string text = "{\"keys\":{";
  for (const auto &[type, list] : keys) {
    text += (text.back() == '{' ? "\"" : ",\"") + type + "\":[";
    for (const std::string &key : list)
      text += (text.back() == '[' ? "\"" : ",\"") + key + "\"";
    text += "]";
  }
  text += "},\"bytes\":" + std::to_string(bytes) + ",\"skipped\":[";
  for (const Skipped &one : skipped)
    text += std::string(text.back() == '[' ? "" : ",") +
            "{\"key\":" + archive::jsonQuote(one.key) +
            ",\"reason\":" + archive::jsonQuote(one.reason) + "}";
  return text + "],\"producer\":" + archive::jsonQuote(producer) + "}";
}

static size_t aligned(size_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

static std::vector<uint8_t> signedMessage(ByteView header) {
  std::vector<uint8_t> message;
  ByteWriter writer(message);
  writer.text(std::string_view("kiln-artifact-v1\0", 17));
  writer.bytes(header.slice(0, kTagOffset));
  return message;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The manifest, with blobs that begin at `base`. Members are sorted by name.
static std::string writeManifest(const std::vector<ArtifactEntry> &entries,
                                 const KeyRing &keys, size_t base) {
  std::string text = "{\"entries\":[";
  size_t offset = base;
  for (const ArtifactEntry &entry : entries) {
    offset = aligned(offset);
    text += text.back() == '[' ? "{" : ",{";
    text += "\"digest\":\"" + sha256(entry.file).hex() + "\",\"env\":\"" +
            entry.environment.hex() + "\",\"key\":\"" + entry.key.hex() +
            "\",\"offset\":" + std::to_string(offset) +
            ",\"stored\":" + std::to_string(entry.file.size()) +
            ",\"type\":\"" + rowOf(entry.kind).type + "\"}";
    offset += entry.file.size();
  }
  return text + "],\"format\":1,\"producer\":" +
         archive::jsonQuote(keys.publicKey().text()) + "}";
}

std::vector<uint8_t>
session::encodeArtifacts(std::vector<ArtifactEntry> entries,
                         const KeyRing &keys) {
  std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
    return std::make_tuple(std::string_view(rowOf(a.kind).type), a.key,
                           a.file) <
           std::make_tuple(std::string_view(rowOf(b.kind).type), b.key, b.file);
  });
  // The offsets are in the manifest, whose length depends on their digits: it is
  // written with room that grows until it fits, and filled up with spaces.
  std::string manifest;
  for (size_t room = 0;; room = aligned(manifest.size())) {
    manifest = writeManifest(entries, keys, kEntryHeaderBytes + room);
    if (manifest.size() > room)
      continue;
    manifest.resize(room, ' ');
    break;
  }
  size_t total = kEntryHeaderBytes + manifest.size();
  for (const ArtifactEntry &entry : entries)
    total = aligned(total) + entry.file.size();

  std::vector<uint8_t> out;
  out.reserve(total);
  ByteWriter writer(out);
  writer.bytes(ByteView(kArtifactMagic, sizeof(kArtifactMagic)));
  writer.u16(1);
  writer.u16(kEntryHeaderBytes);
  writer.u16(kKind);
  writer.u8(0);
  writer.u8(uint8_t(keys.methodForOthers()));
  writer.u32(0);
  writer.u32(keys.keyId(keys.methodForOthers()));
  writer.u64(manifest.size());
  writer.u64(total);
  out.resize(128, 0);
  Digest digest = sha256(std::string_view(manifest));
  writer.bytes(ByteView(digest.bytes.data(), digest.bytes.size()));
  AuthTag tag = keys.sign(keys.methodForOthers(), signedMessage(out));
  writer.bytes(ByteView(tag.data(), tag.size()));
  writer.u32(crc32(ByteView(out.data(), kCrcOffset)));
  out.resize(kEntryHeaderBytes, 0);
  writer.text(manifest);
  for (const ArtifactEntry &entry : entries) {
    writer.align(kAlignment);
    writer.bytes(entry.file);
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The manifest of a file whose header and signature are right.
static Result<ByteView> checkHeader(ByteView file, const KeyRing &keys) {
  auto malformed = [](const std::string &what) {
    return Error::malformed("artifact file " + what);
  };
  if (file.size() < kEntryHeaderBytes || file.size() > kMaxArtifactBytes)
    return malformed("has " + std::to_string(file.size()) +
                     " bytes, expected 256 bytes to 4 GiB");
  if (!std::equal(std::begin(kArtifactMagic), std::end(kArtifactMagic),
                  file.begin()))
    return malformed("does not begin with the magic of KLNB");
  ByteReader reader(file);
  reader.skip(sizeof(kArtifactMagic));
  uint16_t version = reader.u16(), length = reader.u16(), kind = reader.u16();
  uint8_t compression = reader.u8(), method = reader.u8();
  uint32_t flags = reader.u32(), keyId = reader.u32();
  uint64_t manifestBytes = reader.u64(), fileBytes = reader.u64();
  auto isZero = [&](size_t begin, size_t end) {
    return std::all_of(file.begin() + begin, file.begin() + end,
                       [](uint8_t byte) { return byte == 0; });
  };
  reader.seek(kCrcOffset);
  if (reader.u32() != crc32(file.slice(0, kCrcOffset)))
    return malformed("is damaged: its header has another checksum");
  if (version != 1 || length != kEntryHeaderBytes || kind != kKind ||
      compression != 0 || method > uint8_t(Authentication::SharedHmac) ||
      flags != 0 || !isZero(40, 128) || !isZero(228, kEntryHeaderBytes))
    return malformed("holds a value that version 1 does not know");
  if (fileBytes != file.size())
    return malformed("has " + std::to_string(file.size()) +
                     " bytes, expected " + std::to_string(fileBytes));
  if (manifestBytes > kMaxManifestBytes ||
      !file.contains(kEntryHeaderBytes, manifestBytes))
    return malformed("has a manifest of " + std::to_string(manifestBytes) +
                     " bytes, expected at most 64 MiB inside the file");
  AuthTag tag;
  std::copy_n(file.data() + kTagOffset, tag.size(), tag.begin());
  AuthFault fault = keys.verify(Tier::Artifact, Authentication(method), keyId,
                                signedMessage(file), tag);
  if (fault != AuthFault::None)
    return malformed(std::string("is not signed by a trusted key (") +
                     authFaultName(fault) +
                     "); 'kiln-cache trust' takes the public key of its maker");
  ByteView manifest = file.slice(kEntryHeaderBytes, manifestBytes);
  Digest digest = sha256(manifest);
  if (!std::equal(digest.bytes.begin(), digest.bytes.end(),
                  file.begin() + 128))
    return malformed("is damaged: its manifest has another digest");
  return manifest;
}

Result<std::vector<ArtifactEntry>>
session::decodeArtifacts(ByteView file, const KeyRing &keys, CacheInfo &info) {
  auto manifest = checkHeader(file, keys);
  if (!manifest)
    return manifest.takeError();
  archive::JsonLimits limits;
  limits.bytes = kMaxManifestBytes;
  limits.depth = 8;
  limits.nodes = kMaxArtifactEntries * 8;
  auto document = archive::parseJson(manifest->text(), "manifest", limits);
  if (!document)
    return document.takeError();
  archive::JsonView root = document->root();
  (void)root.field("format").asInt(1, 1);
  info.producer = root.field("producer").asString();
  info.bytes = file.size();
  archive::JsonView list = root.field("entries");
  std::vector<ArtifactEntry> entries;
  uint64_t end = kEntryHeaderBytes + manifest->size();
  for (size_t i = 0, count = list.size(); i < count && document->status();
       ++i) {
    archive::JsonView one = list[i];
    auto digestOf = [&](const char *name) {
      auto digest = Digest::fromHex(one.field(name).asString());
      if (!digest)
        one.fail(std::string(name) + " is no SHA-256, expected 64 digits");
      return digest.value_or(Digest());
    };
    ArtifactEntry entry;
    entry.key = digestOf("key");
    entry.environment = digestOf("env");
    Digest digest = digestOf("digest");
    uint64_t offset = uint64_t(one.field("offset").asInt(0));
    uint64_t stored = uint64_t(one.field("stored").asInt(0));
    const std::string &type = one.field("type").asString();
    // One file for the same entries: no gaps but zeros.
    ByteView gap = file.slice(end, offset - end);
    if (offset != aligned(end) || !file.contains(offset, stored) ||
        std::any_of(gap.begin(), gap.end(),
                    [](uint8_t byte) { return byte != 0; })) {
      one.fail("lies where it cannot, expected it at the next multiple of 64 "
               "behind zeros");
      break;
    }
    end = offset + stored;
    ByteView blob = file.slice(offset, stored);
    if (sha256(blob) != digest) {
      one.fail("is damaged: it has another digest");
      break;
    }
    auto kind =
        std::find_if(std::begin(kKinds), std::end(kKinds),
                     [&](const KindRow &row) { return row.type == type; });
    if (kind == std::end(kKinds)) {
      info.skipped.push_back({entry.key.hex(), "its type is not known here"});
      continue;
    }
    entry.kind = kind->kind;
    entry.file.assign(blob.begin(), blob.end());
    entries.push_back(std::move(entry));
  }
  if (Status s = document->status(); !s)
    return s.takeError();
  if (end != file.size())
    return Error::malformed("artifact file has " +
                            std::to_string(file.size() - end) +
                            " bytes behind its last entry");
  return entries;
}
