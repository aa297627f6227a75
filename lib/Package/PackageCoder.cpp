//===- PackageCoder.cpp - Encode and decode a package --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coder.h"
#include "kiln/Base/Crc32.h"
#include "kiln/Base/Digest.h"
#include "kiln/Package/Package.h"
#include "kiln/Package/Verifier.h"

#include <map>
#include <set>
#include <tuple>

namespace kiln::package {

namespace {

constexpr const char *kSectionNames[] = {"",        "constants", "programs",
                                         "guards",  "image",     "uses",
                                         "reasons", "facts",     "data"};

constexpr size_t kLeastConstant = 17; ///< bytes of the smallest encoding

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
  c.enumeration(image.kind, KILN_IMAGE_NATIVE, KILN_IMAGE_PTX);
  c.u32(image.requiredFeatures);
  c.list(image.kernels, 12, [&](auto &kernel) {
    c.text(kernel.name);
    c.u64(kernel.entry);
  });
  c.blob(image.bytes);
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
  c.text(facts.optimizer);
  c.u64(facts.bytesRead);
  c.u64(facts.bytesWritten);
  c.u64(facts.bytesUnfused);
  c.u64(facts.savedForBackwardBytes);
  c.u64(facts.plannedPeakBytes);
}

/// All sections of a variant but PROGRAMS, which nests blobs with an encoding of
/// their own, and USES, which a package in memory does not have.
template <typename C, typename T>
void visitSection(C &c, T &package, uint32_t kind) {
  switch (kind) {
  case KILN_SECTION_GUARDS:
    return c.list(package.guards, 26,
                  [&](auto &guard) { visitGuard(c, guard); });
  case KILN_SECTION_IMAGE:
    return visitImage(c, package.image);
  case KILN_SECTION_REASONS:
    return c.list(package.reasons, 17,
                  [&](auto &reason) { visitReason(c, reason); });
  case KILN_SECTION_FACTS:
    return visitFacts(c, package.facts);
  }
}

void encodePrograms(const Package &package, Encoder &encoder) {
  for (const auto *list : {&package.programs, &package.bodies})
    encoder.list(*list, 8, [&](const Program &program) {
      std::vector<uint8_t> bytes;
      encodeProgram(program, bytes);
      encoder.blob(bytes);
    });
}

Status decodePrograms(ByteView bytes, Package &package) {
  Decoder decoder(bytes, "programs section");
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

/// The digest of all before DATA but the digest.
Digest digestOf(ByteView head) {
  Hasher hasher;
  hasher.add(head.slice(0, KILN_PACKAGE_DIGEST_OFFSET));
  hasher.add(head.slice(KILN_PACKAGE_HEADER_SIZE, head.size()));
  return hasher.finish();
}

Error notAPackage(const std::string &what) {
  return Error::malformed("package header: " + what);
}

Status checkSectionCount(uint32_t sections) {
  uint32_t own = sections - KILN_PACKAGE_SHARED_SECTIONS;
  uint32_t variants = own / KILN_PACKAGE_VARIANT_SECTIONS;
  if (sections >= KILN_PACKAGE_SHARED_SECTIONS &&
      own % KILN_PACKAGE_VARIANT_SECTIONS == 0 && variants != 0 &&
      variants <= KILN_PACKAGE_MAX_VARIANTS)
    return Status::success();
  return notAPackage("expected sections of 1 to " +
                     std::to_string(KILN_PACKAGE_MAX_VARIANTS) +
                     " variants, found " + std::to_string(sections));
}

/// How many bytes there are before DATA, as the header of a file of `size`
/// bytes says, of which `bytes` are the first ones.
Result<uint64_t> readHeadSize(ByteView bytes, uint64_t size) {
  ByteReader reader(bytes);
  std::string_view magic = reader.text(8);
  uint32_t version = reader.u32();
  uint32_t sections = reader.u32();
  uint64_t written = reader.u64();
  reader.skip(32);
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
  if (written != size)
    return notAPackage("expected " + std::to_string(written) +
                       " bytes, found " + std::to_string(size));
  if (Status s = checkSectionCount(sections); !s)
    return s.takeError();
  uint64_t table = uint64_t(sections) * KILN_PACKAGE_ENTRY_SIZE;
  reader.skip(table - KILN_PACKAGE_ENTRY_SIZE + 8);
  uint64_t data = reader.u64();
  if (!reader.ok() || data < KILN_PACKAGE_HEADER_SIZE + table || data > size)
    return notAPackage(
        "expected a section of data behind the table and within " +
        std::to_string(size) + " bytes: the package is damaged");
  return data;
}

Status checkHead(ByteView head, uint64_t size) {
  auto found = readHeadSize(head, size);
  if (!found)
    return found.takeError();
  ByteView digest = head.slice(KILN_PACKAGE_DIGEST_OFFSET, 32);
  if (*found != head.size() ||
      std::memcmp(digestOf(head).bytes.data(), digest.data(), 32) != 0)
    return notAPackage("checksum does not match the contents: the package is "
                       "damaged");
  return Status::success();
}

/// Sections of so many variants.
constexpr size_t sectionCount(size_t variants) {
  return KILN_PACKAGE_SHARED_SECTIONS +
         variants * KILN_PACKAGE_VARIANT_SECTIONS;
}

/// Where the bytes of a constant begin that stand behind `end` bytes.
constexpr uint64_t alignData(uint64_t end) {
  return (end + KILN_PACKAGE_DATA_ALIGNMENT - 1) / KILN_PACKAGE_DATA_ALIGNMENT *
         KILN_PACKAGE_DATA_ALIGNMENT;
}

/// Kind of the section at a place of the table of `sections`, and its variant.
std::pair<uint32_t, uint32_t> sectionAt(size_t index, size_t sections) {
  if (index == 0 || index + 1 == sections)
    return {index == 0 ? KILN_SECTION_CONSTANTS : KILN_SECTION_DATA, 0};
  --index;
  return {KILN_SECTION_PROGRAMS + index % KILN_PACKAGE_VARIANT_SECTIONS,
          index / KILN_PACKAGE_VARIANT_SECTIONS};
}

/// The constants of all variants, each once, and which of them each has.
struct ConstantPool {
  std::vector<const ConstantTensor *> constants;
  std::vector<std::vector<uint32_t>> uses;

  explicit ConstantPool(const std::vector<const Package *> &variants) {
    std::map<ConstantKey, uint32_t> known;
    for (const Package *package : variants) {
      uses.emplace_back();
      for (const ConstantTensor &constant : package->constants) {
        auto [entry, isNew] = known.try_emplace(
            keyOf(constant), static_cast<uint32_t>(constants.size()));
        if (isNew)
          constants.push_back(&constant);
        uses.back().push_back(entry->second);
      }
    }
  }
};

void encodeSection(const std::vector<const Package *> &variants,
                   const ConstantPool &pool, uint32_t kind, size_t variant,
                   std::vector<uint8_t> &out) {
  Encoder encoder(out);
  switch (kind) {
  case KILN_SECTION_CONSTANTS:
    return encoder.list(pool.constants, kLeastConstant,
                        [&](const ConstantTensor *constant) {
                          encoder.dtype(constant->dtype);
                          encoder.list(constant->sizes, 8,
                                       [&](int64_t size) { encoder.i64(size); });
                          encoder.u64(constant->bytes.size());
                          encoder.u32(crc32(constant->bytes.view()));
                        });
  case KILN_SECTION_DATA:
    for (const ConstantTensor *constant : pool.constants) {
      ByteWriter writer(out);
      writer.align(KILN_PACKAGE_DATA_ALIGNMENT);
      writer.bytes(constant->bytes.view());
    }
    return;
  case KILN_SECTION_PROGRAMS:
    return encodePrograms(*variants[variant], encoder);
  case KILN_SECTION_USES:
    return encoder.list(pool.uses[variant], 4,
                        [&](uint32_t use) { encoder.u32(use); });
  default:
    return visitSection(encoder, *variants[variant], kind);
  }
}

std::vector<uint8_t> encode(const std::vector<const Package *> &variants) {
  ConstantPool pool(variants);
  size_t sections = sectionCount(variants.size());
  std::vector<uint8_t> out;
  ByteWriter writer(out);
  writer.text(std::string_view(KILN_PACKAGE_MAGIC, 8));
  writer.u32(KILN_PACKAGE_VERSION);
  writer.u32(static_cast<uint32_t>(sections));
  writer.u64(0);
  writer.bytes(std::vector<uint8_t>(32));
  size_t table = out.size(), head = 0;
  out.resize(table + sections * KILN_PACKAGE_ENTRY_SIZE);
  for (size_t i = 0; i < sections; ++i) {
    auto [kind, variant] = sectionAt(i, sections);
    size_t begin = out.size();
    if (kind == KILN_SECTION_DATA) {
      uint64_t end = head = begin;
      for (const ConstantTensor *constant : pool.constants)
        end = alignData(end) + constant->bytes.size();
      out.reserve(end);
    }
    encodeSection(variants, pool, kind, variant, out);
    size_t entry = table + i * KILN_PACKAGE_ENTRY_SIZE;
    writer.patchU32(entry, kind);
    writer.patchU32(entry + 4, variant);
    writer.patchU64(entry + 8, begin);
    writer.patchU64(entry + 16, out.size() - begin);
  }
  writer.patchU64(16, out.size());
  Digest digest = digestOf(ByteView(out).slice(0, head));
  std::copy(digest.bytes.begin(), digest.bytes.end(),
            out.begin() + KILN_PACKAGE_DIGEST_OFFSET);
  return out;
}

} // namespace

ConstantKey keyOf(const ConstantTensor &constant) {
  return {constant.dtype, constant.sizes, constant.bytes.text()};
}

ConstantAdder::ConstantAdder(Package &package) : package_(package) {
  for (size_t i = 0; i < package.constants.size(); ++i)
    known_.try_emplace(keyOf(package.constants[i]), static_cast<uint32_t>(i));
}

uint32_t ConstantAdder::add(ConstantTensor constant) {
  auto found = known_.find(keyOf(constant));
  if (found != known_.end())
    return found->second;
  uint32_t place = static_cast<uint32_t>(package_.constants.size());
  package_.constants.push_back(std::move(constant));
  // The bytes stay where they are when the list grows.
  known_.emplace(keyOf(package_.constants.back()), place);
  return place;
}

std::vector<uint8_t> encodePackage(const Package &package) {
  return encode({&package});
}

std::vector<uint8_t> encodePackages(const std::vector<Package> &variants) {
  std::vector<const Package *> pointers;
  for (const Package &package : variants)
    pointers.push_back(&package);
  return encode(pointers);
}

std::vector<uint8_t> encodeReasons(const std::vector<Reason> &reasons) {
  Package package;
  package.reasons = reasons;
  std::vector<uint8_t> bytes;
  Encoder encoder(bytes);
  visitSection(encoder, package, KILN_SECTION_REASONS);
  return bytes;
}

Result<std::vector<Reason>> decodeReasons(ByteView bytes) {
  Package package;
  Decoder decoder(bytes, "reasons");
  visitSection(decoder, package, KILN_SECTION_REASONS);
  if (Status s = decoder.finish(); !s)
    return s.takeError();
  return std::move(package.reasons);
}

Result<Package> decodePackage(const uint8_t *data, size_t size) {
  auto reader = PackageReader::open(ByteView(data, size));
  if (!reader)
    return reader.takeError();
  if (reader->variants().size() != 1)
    return Error::usage("expected a package with one variant, found " +
                        std::to_string(reader->variants().size()));
  return reader->read(0);
}

//===----------------------------------------------------------------------===//
// PackageReader
//===----------------------------------------------------------------------===//

ByteView PackageReader::section(size_t variant, uint32_t kind) const {
  return kind == KILN_SECTION_CONSTANTS
             ? sections_[0]
             : sections_[1 + variant * KILN_PACKAGE_VARIANT_SECTIONS + kind -
                         KILN_SECTION_PROGRAMS];
}

Status PackageReader::readTable(uint64_t size) {
  ByteReader reader(head_.view());
  reader.seek(12);
  uint32_t sections = reader.u32();
  reader.seek(KILN_PACKAGE_HEADER_SIZE);
  uint64_t expected =
      KILN_PACKAGE_HEADER_SIZE + uint64_t(sections) * KILN_PACKAGE_ENTRY_SIZE;
  for (uint32_t i = 0; i < sections; ++i) {
    std::string place = "section table, byte " +
                        std::to_string(reader.position()) + ": ";
    uint32_t kind = reader.u32();
    uint32_t variant = reader.u32();
    uint64_t offset = reader.u64();
    uint64_t length = reader.u64();
    if (!reader.ok())
      return Error::malformed(place + "ends too early");
    auto [wantedKind, wantedVariant] = sectionAt(i, sections);
    if (kind != wantedKind || variant != wantedVariant)
      return Error::malformed(
          place + "expected section " + std::to_string(wantedKind) +
          " of variant " + std::to_string(wantedVariant) + ", found " +
          std::to_string(kind) + " of " + std::to_string(variant));
    bool isData = kind == KILN_SECTION_DATA;
    if (offset != expected || length > size - expected ||
        (!isData && !head_.view().contains(offset, length)))
      return Error::malformed(
          place + "expected a section at byte " + std::to_string(expected) +
          " within " + std::to_string(size) + " bytes, found byte " +
          std::to_string(offset) + ", length " + std::to_string(length));
    expected += length;
    if (!isData)
      sections_.push_back(head_.view().slice(offset, length));
  }
  if (expected != size)
    return Error::malformed("package: expected the end at byte " +
                            std::to_string(expected) + ", found " +
                            std::to_string(size) + " bytes");
  return Status::success();
}

Status PackageReader::readConstants() {
  Decoder decoder(sections_[0], "constants section");
  decoder.list(constants_, kLeastConstant, [&](StoredConstant &constant) {
    decoder.dtype(constant.dtype);
    decoder.list(constant.sizes, 8, [&](int64_t &size) { decoder.i64(size); });
    decoder.u64(constant.size);
    decoder.u32(constant.crc);
  });
  return decoder.finish();
}

/// Finds the bytes of constants in DATA, of which nothing is left over.
Status PackageReader::placeConstants(const SharedBytes &bytes) {
  std::set<ConstantKey> known;
  uint64_t end = head_.size();
  for (size_t i = 0; i < constants_.size(); ++i) {
    StoredConstant &constant = constants_[i];
    std::string place = "data section, constant " + std::to_string(i) + ": ";
    uint64_t begin = alignData(end);
    if (!bytes.view().contains(begin, constant.size))
      return Error::malformed(place + "ends behind the package");
    for (uint64_t at = end; at < begin; ++at)
      if (bytes.view()[at] != 0)
        return Error::malformed(place + "expected zeros before it");
    constant.bytes = bytes.slice(begin, constant.size);
    end = begin + constant.size;
    if (!known.insert({constant.dtype, constant.sizes, constant.bytes.text()})
             .second)
      return Error::malformed("constants section: expected each constant once");
  }
  if (end != bytes.size())
    return Error::malformed("data section: expected the end at byte " +
                            std::to_string(end) + ", found " +
                            std::to_string(bytes.size()) + " bytes");
  return Status::success();
}

Status PackageReader::checkSums(size_t variant, const ForEach &forEach) const {
  const std::vector<uint32_t> &uses = uses_[variant];
  std::vector<uint8_t> isRight(uses.size());
  auto check = [&](size_t i) {
    const StoredConstant &constant = constants_[uses[i]];
    isRight[i] = crc32(constant.bytes.view()) == constant.crc;
  };
  if (forEach)
    forEach(uses.size(), check);
  else
    for (size_t i = 0; i < uses.size(); ++i)
      check(i);
  for (size_t i = 0; i < uses.size(); ++i)
    if (!isRight[i])
      return Error::malformed("constant " + std::to_string(uses[i]) +
                              ": checksum does not match the contents: the "
                              "package is damaged");
  return Status::success();
}

/// `used`: constants that variants before this one have, which are the first. A
/// variant that had one twice would take more memory than the file has bytes.
Status PackageReader::readUses(size_t variant, size_t &used) {
  Decoder decoder(section(variant, KILN_SECTION_USES), "uses section");
  std::vector<bool> isUsed(constants_.size());
  uses_.emplace_back();
  decoder.list(uses_.back(), 4, [&](uint32_t &use) {
    size_t at = decoder.position();
    decoder.u32(use);
    if (decoder.ok() && (use > used || use >= constants_.size()))
      return decoder.fail(at, "expected a constant below " +
                                  std::to_string(std::min(
                                      used + 1, constants_.size())) +
                                  ", found " + std::to_string(use));
    if (decoder.ok() && isUsed[use])
      return decoder.fail(at, "expected each constant once, found " +
                                  std::to_string(use) + " again");
    if (decoder.ok())
      isUsed[use] = true;
    used += use == used;
  });
  return decoder.finish();
}

/// The first fields of two sections; the rest is read with the variant.
Status PackageReader::readInfo(size_t variant) {
  VariantInfo info;
  Decoder image(section(variant, KILN_SECTION_IMAGE), "image section");
  image.text(info.target);
  image.enumeration(info.kind, KILN_IMAGE_NATIVE, KILN_IMAGE_PTX);
  image.u32(info.requiredFeatures);
  Decoder programs(section(variant, KILN_SECTION_PROGRAMS),
                   "programs section");
  uint32_t count = 0;
  programs.u32(count);
  for (Decoder *decoder : {&image, &programs})
    if (!decoder->ok())
      return decoder->finish();
  info.isTraining = count == 2;
  variants_.push_back(std::move(info));
  return Status::success();
}

Result<PackageReader> PackageReader::open(SharedBytes bytes) {
  PackageReader reader;
  auto head = readHeadSize(bytes.view(), bytes.size());
  if (!head)
    return head.takeError();
  reader.head_ = bytes.slice(0, *head);
  if (bytes.owner())
    reader.head_ = SharedBytes::own(std::vector<uint8_t>(
        reader.head_.view().begin(), reader.head_.view().end()));
  if (Status s = checkHead(reader.head_.view(), bytes.size()); !s)
    return s.takeError();
  if (Status s = reader.readTable(bytes.size()); !s)
    return s.takeError();
  if (Status s = reader.readConstants(); !s)
    return s.takeError();
  if (Status s = reader.placeConstants(bytes); !s)
    return s.takeError();
  size_t used = 0;
  size_t count = reader.sections_.size() / KILN_PACKAGE_VARIANT_SECTIONS;
  for (size_t variant = 0; variant < count; ++variant) {
    if (Status s = reader.readUses(variant, used); !s)
      return s.takeError();
    if (Status s = reader.readInfo(variant); !s)
      return s.takeError();
  }
  if (used != reader.constants_.size())
    return Error::malformed("uses sections: expected uses of all " +
                            std::to_string(reader.constants_.size()) +
                            " constants, found " + std::to_string(used));
  return reader;
}

Result<Package> PackageReader::read(size_t variant,
                                    const ForEach &forEach) const {
  if (variant >= variants_.size())
    return Error::usage("there is no variant " + std::to_string(variant) +
                        ", expected one below " +
                        std::to_string(variants_.size()));
  Package package;
  if (Status s = decodePrograms(section(variant, KILN_SECTION_PROGRAMS),
                                package);
      !s)
    return s.takeError();
  for (uint32_t kind : {KILN_SECTION_GUARDS, KILN_SECTION_IMAGE,
                        KILN_SECTION_REASONS, KILN_SECTION_FACTS}) {
    Decoder decoder(section(variant, kind),
                    std::string(kSectionNames[kind]) + " section");
    visitSection(decoder, package, kind);
    if (Status s = decoder.finish(); !s)
      return s.takeError();
  }
  if (Status s = checkSums(variant, forEach); !s)
    return s.takeError();
  for (uint32_t use : uses_[variant]) {
    const StoredConstant &constant = constants_[use];
    ByteView bytes = constant.bytes.view();
    package.constants.push_back({constant.dtype, constant.sizes,
                                 constant.bytes.owner()
                                     ? constant.bytes
                                     : SharedBytes::own(std::vector<uint8_t>(
                                           bytes.begin(), bytes.end()))});
  }
  if (Status status = verifyPackage(package); !status)
    return status.takeError();
  return package;
}

Result<std::vector<Package>> PackageReader::readAll() const {
  std::vector<Package> packages;
  for (size_t i = 0; i < variants_.size(); ++i) {
    auto package = read(i);
    if (!package)
      return package.error().withContext("variant " + std::to_string(i));
    packages.push_back(std::move(*package));
  }
  if (Status s = verifyVariants(packages); !s)
    return s.takeError();
  return packages;
}

} // namespace kiln::package
