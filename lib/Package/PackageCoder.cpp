//===- PackageCoder.cpp - Encode and decode a package --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coder.h"
#include "kiln/Base/Digest.h"
#include "kiln/Package/Package.h"
#include "kiln/Package/Verifier.h"

#include <array>

namespace kiln::package {

namespace {

constexpr const char *kSectionNames[] = {"",        "programs", "guards",
                                         "image",   "constants", "reasons",
                                         "facts"};

constexpr kiln_guard_kind kGuardKinds[] = {
#define KILN_GUARD(KIND, code, text) KILN_GUARD_##KIND,
#include "kiln/ABI/GuardKinds.def"
};

template <typename C, typename T> void visitGuard(C &c, T &guard) {
  c.enumeration(guard.kind, *std::begin(kGuardKinds),
                *std::rbegin(kGuardKinds));
  c.u32(guard.slot);
  c.u32(guard.dim);
  c.i64(guard.value);
  c.u32(guard.expr);
  visit(c, guard.constant);
  c.text(guard.text);
}

template <typename C, typename T> void visitImage(C &c, T &image) {
  c.text(image.target);
  c.u32(image.requiredFeatures);
  c.list(image.kernels, 12, [&](auto &kernel) {
    c.text(kernel.name);
    c.u64(kernel.entry);
  });
  c.blob(image.bytes);
}

template <typename C, typename T> void visitConstant(C &c, T &constant) {
  c.dtype(constant.dtype);
  c.list(constant.sizes, 8, [&](auto &size) { c.i64(size); });
  c.blob(constant.bytes);
}

template <typename C, typename T> void visitReason(C &c, T &reason) {
  c.enumeration(reason.kind, Reason::Kind::Passed, Reason::Kind::Analysis);
  c.text(reason.pass);
  c.text(reason.name);
  c.text(reason.function);
  c.list(reason.arguments, 8, [&](auto &argument) {
    c.text(argument.key);
    c.text(argument.value);
  });
}

template <typename C, typename T> void visitFacts(C &c, T &facts) {
  c.text(facts.backend);
  c.u64(facts.compileTimeMicros);
  c.u64(facts.bytesRead);
  c.u64(facts.bytesWritten);
  c.u64(facts.bytesUnfused);
  c.u64(facts.savedForBackwardBytes);
  c.u64(facts.plannedPeakBytes);
}

/// All sections but PROGRAMS, which nests blobs with an encoding of their own.
template <typename C, typename T>
void visitSection(C &c, T &package, uint32_t kind) {
  switch (kind) {
  case KILN_SECTION_GUARDS:
    return c.list(package.guards, 26,
                  [&](auto &guard) { visitGuard(c, guard); });
  case KILN_SECTION_IMAGE:
    return visitImage(c, package.image);
  case KILN_SECTION_CONSTANTS:
    return c.list(package.constants, 13,
                  [&](auto &constant) { visitConstant(c, constant); });
  case KILN_SECTION_REASONS:
    return c.list(package.reasons, 17,
                  [&](auto &reason) { visitReason(c, reason); });
  case KILN_SECTION_FACTS:
    return visitFacts(c, package.facts);
  }
}

void encodeSection(const Package &package, uint32_t kind,
                   std::vector<uint8_t> &out) {
  Encoder encoder(out);
  if (kind != KILN_SECTION_PROGRAMS)
    return visitSection(encoder, package, kind);
  for (const auto *list : {&package.programs, &package.bodies})
    encoder.list(*list, 8, [&](const Program &program) {
      std::vector<uint8_t> bytes;
      encodeProgram(program, bytes);
      encoder.blob(bytes);
    });
}

Status decodeSection(ByteView bytes, uint32_t kind, Package &package) {
  Decoder decoder(bytes, std::string(kSectionNames[kind]) + " section");
  if (kind != KILN_SECTION_PROGRAMS) {
    visitSection(decoder, package, kind);
    return decoder.finish();
  }
  std::vector<std::vector<uint8_t>> programs, bodies;
  for (auto *blobs : {&programs, &bodies})
    decoder.list(*blobs, 8, [&](auto &blob) { decoder.blob(blob); });
  if (Status status = decoder.finish(); !status)
    return status;
  auto decode = [](const std::vector<std::vector<uint8_t>> &blobs,
                   const char *what, std::vector<Program> &list) {
    for (const std::vector<uint8_t> &blob : blobs) {
      auto program = decodeProgram(blob.data(), blob.size());
      if (!program)
        return Status(program.error().withContext(
            "programs section, " + (what + std::to_string(list.size()))));
      list.push_back(std::move(*program));
    }
    return Status::success();
  };
  if (Status s = decode(programs, "program ", package.programs); !s)
    return s;
  return decode(bodies, "body ", package.bodies);
}

/// The digest of everything but the digest.
Digest digestOf(ByteView bytes) {
  Hasher hasher;
  hasher.add(bytes.slice(0, KILN_PACKAGE_DIGEST_OFFSET));
  hasher.add(bytes.slice(KILN_PACKAGE_HEADER_SIZE, bytes.size()));
  return hasher.finish();
}

Error notAPackage(const std::string &what) {
  return Error::malformed("package header: " + what);
}

Status checkHeader(ByteView bytes) {
  ByteReader reader(bytes);
  std::string_view magic = reader.text(8);
  uint32_t version = reader.u32();
  uint32_t sections = reader.u32();
  uint64_t size = reader.u64();
  ByteView digest = reader.bytes(32);
  if (!reader.ok())
    return notAPackage("expected at least " +
                       std::to_string(KILN_PACKAGE_HEADER_SIZE) +
                       " bytes, found " + std::to_string(bytes.size()));
  if (magic != std::string_view(KILN_PACKAGE_MAGIC, 8))
    return notAPackage("expected the mark of a kiln package, found other "
                       "bytes");
  if (version != KILN_PACKAGE_VERSION)
    return notAPackage("expected version " +
                       std::to_string(KILN_PACKAGE_VERSION) + ", found " +
                       std::to_string(version) +
                       "; compile the model again with this kiln");
  if (size != bytes.size())
    return notAPackage("expected " + std::to_string(size) + " bytes, found " +
                       std::to_string(bytes.size()));
  Digest found = digestOf(bytes);
  if (std::memcmp(found.bytes.data(), digest.data(), digest.size()) != 0)
    return notAPackage("checksum does not match the contents: the package is "
                       "damaged");
  if (sections != KILN_PACKAGE_SECTION_COUNT)
    return notAPackage("expected " +
                       std::to_string(KILN_PACKAGE_SECTION_COUNT) +
                       " sections, found " + std::to_string(sections));
  return Status::success();
}

} // namespace

std::vector<uint8_t> encodePackage(const Package &package) {
  std::vector<uint8_t> out;
  ByteWriter writer(out);
  writer.text(std::string_view(KILN_PACKAGE_MAGIC, 8));
  writer.u32(KILN_PACKAGE_VERSION);
  writer.u32(KILN_PACKAGE_SECTION_COUNT);
  writer.u64(0);
  writer.bytes(std::vector<uint8_t>(32));
  size_t table = out.size();
  out.resize(table + KILN_PACKAGE_SECTION_COUNT * KILN_PACKAGE_ENTRY_SIZE);
  for (uint32_t kind = 1; kind <= KILN_PACKAGE_SECTION_COUNT; ++kind) {
    size_t begin = out.size();
    encodeSection(package, kind, out);
    size_t entry = table + (kind - 1) * KILN_PACKAGE_ENTRY_SIZE;
    writer.patchU32(entry, kind);
    writer.patchU64(entry + 8, begin);
    writer.patchU64(entry + 16, out.size() - begin);
  }
  writer.patchU64(16, out.size());
  Digest digest = digestOf(out);
  std::copy(digest.bytes.begin(), digest.bytes.end(),
            out.begin() + KILN_PACKAGE_DIGEST_OFFSET);
  return out;
}

Result<Package> decodePackage(const uint8_t *data, size_t size) {
  ByteView bytes(data, size);
  if (Status status = checkHeader(bytes); !status)
    return status.takeError();
  Package package;
  ByteReader reader(bytes);
  reader.seek(KILN_PACKAGE_HEADER_SIZE);
  uint64_t expected = KILN_PACKAGE_HEADER_SIZE +
                      KILN_PACKAGE_SECTION_COUNT * KILN_PACKAGE_ENTRY_SIZE;
  for (uint32_t kind = 1; kind <= KILN_PACKAGE_SECTION_COUNT; ++kind) {
    std::string place = "section table, byte " +
                        std::to_string(reader.position()) + ": ";
    uint32_t found = reader.u32();
    uint32_t zero = reader.u32();
    uint64_t offset = reader.u64();
    uint64_t length = reader.u64();
    if (!reader.ok())
      return Error::malformed(place + "ends too early");
    if (found != kind || zero != 0)
      return Error::malformed(place + "expected section " +
                              std::to_string(kind) + ", found " +
                              std::to_string(found));
    if (offset != expected || !bytes.contains(offset, length))
      return Error::malformed(place + "expected a section at byte " +
                              std::to_string(expected) + " within " +
                              std::to_string(size) + " bytes, found byte " +
                              std::to_string(offset) + ", length " +
                              std::to_string(length));
    expected += length;
    if (Status status = decodeSection(bytes.slice(offset, length), kind,
                                      package);
        !status)
      return status.takeError();
  }
  if (expected != size)
    return Error::malformed("package: expected the end at byte " +
                            std::to_string(expected) + ", found " +
                            std::to_string(size) + " bytes");
  if (Status status = verifyPackage(package); !status)
    return status.takeError();
  return package;
}

} // namespace kiln::package
