//===- PackageCoderTest.cpp - Encoding, decoding, damage -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleProgram.h"
#include "kiln/ABI/PackageABI.h"
#include "kiln/Base/Digest.h"
#include "kiln/Package/Printer.h"
#include "kiln/Package/Verifier.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace kiln;
using namespace kiln::test;

namespace {

/// Writes the digest that the bytes should have.
void seal(std::vector<uint8_t> &bytes) {
  Hasher hasher;
  hasher.add(ByteView(bytes).slice(0, KILN_PACKAGE_DIGEST_OFFSET));
  hasher.add(ByteView(bytes).slice(KILN_PACKAGE_HEADER_SIZE, bytes.size()));
  Digest digest = hasher.finish();
  std::copy(digest.bytes.begin(), digest.bytes.end(),
            bytes.begin() + KILN_PACKAGE_DIGEST_OFFSET);
}

} // namespace

TEST(PackageCoder, RoundTripKeepsEverything) {
  for (const Package &package : {samplePackage(), richPackage(), gridPackage()}) {
    ASSERT_TRUE(verifyPackage(package))
        << verifyPackage(package).error().message;
    std::vector<uint8_t> bytes = encodePackage(package);
    auto decoded = decodePackage(bytes.data(), bytes.size());
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(printPackage(*decoded), printPackage(package));
    EXPECT_EQ(encodePackage(*decoded), bytes);
    EXPECT_EQ(decoded->image.bytes, package.image.bytes);
    EXPECT_EQ(decoded->facts.bytesRead, package.facts.bytesRead);
  }
}

namespace {
/// Two variants that share one constant and have one each.
std::vector<Package> twoVariants() {
  std::vector<Package> variants = {richPackage(), richPackage()};
  variants[1].image.target = "x86-64-v4";
  variants[1].image.requiredFeatures |= KILN_CPU_AVX512;
  variants[0].constants.push_back({DType::U8, {1}, {1}});
  variants[1].constants.push_back({DType::U8, {1}, {2}});
  return variants;
}
} // namespace

TEST(PackageCoder, VariantsShareTheirConstants) {
  std::vector<Package> variants = twoVariants();
  ASSERT_TRUE(verifyVariants(variants));
  std::vector<uint8_t> bytes = encodePackages(variants);
  auto reader = PackageReader::open(bytes);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_EQ(reader->variants().size(), 2u);
  EXPECT_EQ(reader->variants()[0].target, variants[0].image.target);
  EXPECT_EQ(reader->variants()[1].target, "x86-64-v4");
  EXPECT_EQ(reader->variants()[1].requiredFeatures,
            variants[1].image.requiredFeatures);
  auto decoded = reader->readAll();
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(printPackage((*decoded)[0]), printPackage(variants[0]));
  EXPECT_EQ(printPackage((*decoded)[1]), printPackage(variants[1]));
  EXPECT_EQ((*decoded)[1].constants.back().bytes, (std::vector<uint8_t>{2}));
  EXPECT_EQ(encodePackages(*decoded), bytes);
  EXPECT_FALSE(reader->read(2));

  // A constant of a megabyte is there once.
  size_t before = bytes.size();
  for (Package &package : variants)
    package.constants.push_back(
        {DType::U8, {1 << 20}, std::vector<uint8_t>(1 << 20, 7)});
  size_t grown = encodePackages(variants).size() - before;
  EXPECT_GT(grown, size_t(1) << 20);
  EXPECT_LT(grown, (size_t(1) << 20) + 100);

  auto one = decodePackage(bytes.data(), bytes.size());
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().message, "expected a package with one variant, found 2");
}

// Half a million uses of 64 KiB fit into 2 MB and would take 32 GB.
TEST(PackageCoder, AConstantThatIsUsedTwiceIsRefused) {
  Package package = richPackage();
  package.constants.push_back(package.constants[0]);
  EXPECT_EQ(verifyPackage(package).error().message,
            "constant 1 is equal to one before it, expected each constant once");
  std::vector<uint8_t> bytes = encodePackage(package);
  auto reader = PackageReader::open(bytes);
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find(
                "uses section, byte 8: expected each constant once, found 0"),
            std::string::npos)
      << reader.error().message;

  ConstantAdder adder(package);
  ConstantTensor other = package.constants[0];
  EXPECT_EQ(adder.add(other), 0u);
  other.bytes.back() ^= 1;
  EXPECT_EQ(adder.add(other), 2u);
  EXPECT_EQ(adder.add(other), 2u);
}

TEST(PackageCoder, VariantsAreOfOneProgram) {
  std::vector<Package> variants = twoVariants();
  variants[1].image.target = variants[0].image.target;
  EXPECT_NE(verifyVariants(variants).error().message.find("are both for"),
            std::string::npos);
  variants = twoVariants();
  variants[1].programs[0].slots[0].name = "other";
  EXPECT_NE(verifyVariants(variants).error().message.find(
                "other inputs or outputs than variant 0"),
            std::string::npos);
  std::vector<uint8_t> bytes = encodePackages(variants);
  auto reader = PackageReader::open(bytes);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->read(1)) << "each is right by itself";
  EXPECT_FALSE(reader->readAll());
  EXPECT_FALSE(verifyVariants({}));
}

TEST(PackageCoder, PrintsTheExampleOfTheHeader) {
  Package package = samplePackage();
  EXPECT_EQ(printProgram(package.programs[0], &package.image),
            "program 'main' {\n"
            "  symbol s0 = size(x, 0) in [2, 64]\n"
            "  slot 0 user_input x : f32[s0, 4]\n"
            "  value 0 = slot 0 : f32[s0, 4]\n"
            "  value 1 = new : f32[s0, 4]\n"
            "  step 0: launch 'add' (0, 1) writes (1) sym (1) work s0*4 grain 1\n"
            "  output 0 user_output 'y' = value 1\n"
            "}\n");
}

TEST(PackageCoder, EveryFlippedByteIsFound) {
  std::vector<uint8_t> bytes = encodePackage(richPackage());
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 0x10;
    auto decoded = decodePackage(bytes.data(), bytes.size());
    ASSERT_FALSE(decoded) << "byte " << i;
    EXPECT_EQ(decoded.error().kind, ErrorKind::Malformed);
    bytes[i] ^= 0x10;
  }
}

TEST(PackageCoder, EveryTruncationIsFound) {
  std::vector<uint8_t> bytes = encodePackage(richPackage());
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + length);
    EXPECT_FALSE(decodePackage(cut.data(), cut.size())) << length;
  }
  bytes.push_back(0);
  EXPECT_FALSE(decodePackage(bytes.data(), bytes.size()));
}

// With a valid checksum: one byte changed, or one 32-bit field set to a hostile
// value, at every place. What still decodes must verify, print and encode.
TEST(PackageCoder, SealedMutationsNeverCrash) {
  const std::vector<uint8_t> original = encodePackages(twoVariants());
  unsigned refused = 0, accepted = 0;
  auto attempt = [&](std::vector<uint8_t> bytes) {
    seal(bytes);
    auto reader = PackageReader::open(bytes);
    auto decoded =
        reader ? reader->readAll() : Result<std::vector<Package>>(reader.error());
    if (!decoded) {
      EXPECT_FALSE(decoded.error().message.empty());
      ++refused;
      return;
    }
    ++accepted;
    for (const Package &package : *decoded) {
      EXPECT_TRUE(verifyPackage(package));
      EXPECT_FALSE(printPackage(package).empty());
    }
    EXPECT_EQ(encodePackages(*decoded), bytes);
  };
  for (size_t i = 0; i < original.size(); ++i) {
    for (uint8_t change : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> bytes = original;
      bytes[i] ^= change;
      attempt(std::move(bytes));
    }
    if (i + 4 > original.size())
      continue;
    for (uint32_t hostile : {0xffffffffu, 0x7fffffffu, 0x01000000u}) {
      std::vector<uint8_t> bytes = original;
      std::memcpy(bytes.data() + i, &hostile, 4);
      attempt(std::move(bytes));
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(accepted, 100u);
}

TEST(PackageCoder, SealedRandomBytesNeverCrash) {
  const std::vector<uint8_t> original = encodePackage(richPackage());
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> bytes = original;
    for (unsigned n = 1 + random() % 6; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) {
      bytes.resize(KILN_PACKAGE_HEADER_SIZE +
                   random() % (bytes.size() - KILN_PACKAGE_HEADER_SIZE));
      uint64_t size = bytes.size();
      std::memcpy(bytes.data() + 16, &size, 8);
    }
    std::copy_n(original.begin(), 12, bytes.begin());
    seal(bytes);
    auto decoded = decodePackage(bytes.data(), bytes.size());
    EXPECT_TRUE(decoded || !decoded.error().message.empty());
  }
}

TEST(PackageCoder, DeepListsAreRefused) {
  Package package = samplePackage();
  Argument deep = {int64_t(1)};
  for (int i = 0; i < KILN_PROGRAM_MAX_ARGUMENT_DEPTH + 3; ++i) {
    Argument outer;
    outer.value = Argument::List{deep};
    deep = outer;
  }
  ExternStep call;
  call.overload = "aten.foo.default";
  call.arguments = {deep};
  package.programs[0].steps.emplace_back(call);
  std::vector<uint8_t> bytes = encodePackage(package);
  auto decoded = decodePackage(bytes.data(), bytes.size());
  ASSERT_FALSE(decoded);
  EXPECT_NE(decoded.error().message.find("deep"), std::string::npos)
      << decoded.error().message;
}

TEST(PackageCoder, AnotherVersionSaysWhatToDo) {
  std::vector<uint8_t> bytes = encodePackage(samplePackage());
  bytes[8] = 9;
  auto decoded = decodePackage(bytes.data(), bytes.size());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message,
            "package header: expected version 8, found 9; compile the model "
            "again with this kiln");
}
