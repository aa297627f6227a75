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

/// Where constants begin, as the last entry of the table says.
uint64_t dataOffset(const std::vector<uint8_t> &bytes) {
  ByteReader reader(bytes);
  reader.seek(12);
  uint64_t sections = reader.u32();
  reader.seek(KILN_PACKAGE_HEADER_SIZE +
              (sections - 1) * KILN_PACKAGE_ENTRY_SIZE + 8);
  return reader.u64();
}

/// Writes the digest that the bytes should have.
void seal(std::vector<uint8_t> &bytes) {
  Hasher hasher;
  ByteView head = ByteView(bytes).slice(0, dataOffset(bytes));
  hasher.add(head.slice(0, KILN_PACKAGE_DIGEST_OFFSET));
  hasher.add(head.slice(KILN_PACKAGE_HEADER_SIZE, head.size()));
  Digest digest = hasher.finish();
  std::copy(digest.bytes.begin(), digest.bytes.end(),
            bytes.begin() + KILN_PACKAGE_DIGEST_OFFSET);
}

} // namespace

TEST(PackageCoder, RoundTripKeepsEverything) {
  for (const Package &package :
       {samplePackage(), richPackage(), gridPackage(), convolutionPackage(),
        checkedPackage()}) {
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
ConstantTensor bytesOf(std::vector<uint8_t> bytes) {
  auto count = static_cast<int64_t>(bytes.size());
  return {DType::U8, {count}, SharedBytes::own(std::move(bytes))};
}

/// Two variants that share one constant and have one each.
std::vector<Package> twoVariants() {
  std::vector<Package> variants = {richPackage(), richPackage()};
  variants[1].image.target = "x86-64-v4";
  variants[1].image.requiredFeatures |= KILN_CPU_AVX512;
  variants[0].constants.push_back(bytesOf({1}));
  variants[1].constants.push_back(bytesOf({2}));
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
  EXPECT_EQ((*decoded)[1].constants.back().bytes.text(), "\2");
  EXPECT_EQ(encodePackages(*decoded), bytes);
  EXPECT_FALSE(reader->read(2));

  // A constant of a megabyte is there once.
  size_t before = bytes.size();
  for (Package &package : variants)
    package.constants.push_back(bytesOf(std::vector<uint8_t>(1 << 20, 7)));
  size_t grown = encodePackages(variants).size() - before;
  EXPECT_GE(grown, size_t(1) << 20);
  EXPECT_LT(grown, (size_t(1) << 20) + 200);

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
  other.bytes = SharedBytes::own(std::vector<uint8_t>(8, 2));
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

// Who keeps the bytes alive has no copies of constants; kernels find them where
// they may be read.
TEST(PackageCoder, ConstantsStayWhereTheyAre) {
  Package package = richPackage();
  package.constants.push_back(bytesOf({1, 2, 3}));
  package.constants.push_back(bytesOf({4}));
  SharedBytes bytes = SharedBytes::own(encodePackage(package));
  auto reader = PackageReader::open(bytes);
  ASSERT_TRUE(reader) << reader.error().message;
  auto read = reader->read(0);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->constants.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const SharedBytes &found = read->constants[i].bytes;
    EXPECT_EQ(found.text(), package.constants[i].bytes.text());
    EXPECT_EQ((found.data() - bytes.data()) % KILN_PACKAGE_DATA_ALIGNMENT, 0);
    EXPECT_EQ(found.owner(), bytes.owner());
  }
  auto borrowed = decodePackage(bytes.data(), bytes.size());
  ASSERT_TRUE(borrowed);
  EXPECT_EQ(borrowed->constants[1].bytes.text(), "\1\2\3");
  EXPECT_TRUE(borrowed->constants[1].bytes.data() < bytes.data() ||
              borrowed->constants[1].bytes.data() >=
                  bytes.data() + bytes.size());
}

// A mapped file may be changed behind the check: code then stays what was
// checked.
TEST(PackageCoder, NothingButConstantsIsReadTwice) {
  auto file =
      std::make_shared<std::vector<uint8_t>>(encodePackage(richPackage()));
  auto reader = PackageReader::open(SharedBytes(ByteView(*file), file));
  ASSERT_TRUE(reader) << reader.error().message;
  std::fill_n(file->begin(), dataOffset(*file), uint8_t(0xcc));
  auto read = reader->read(0);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(printPackage(*read), printPackage(richPackage()));
  EXPECT_EQ(read->image.bytes, richPackage().image.bytes);
}

TEST(PackageCoder, SumsOfConstantsAreChecked) {
  std::vector<Package> variants = twoVariants();
  std::vector<uint8_t> bytes = encodePackages(variants);
  bytes.back() ^= 1;
  auto reader = PackageReader::open(bytes);
  ASSERT_TRUE(reader) << "constants are checked by who reads them";
  EXPECT_TRUE(reader->read(0)) << "it has another one";
  size_t calls = 0;
  auto read = reader->read(1, [&](size_t count, const auto &call) {
    for (size_t i = count; i-- > 0; ++calls)
      call(i);
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(read.error().kind, ErrorKind::Malformed);
  EXPECT_EQ(read.error().message,
            "constant 2: checksum does not match the contents: the package is "
            "damaged");
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
  bytes[8] = 10;
  auto decoded = decodePackage(bytes.data(), bytes.size());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message,
            "package header: expected version 12, found 10; compile the model "
            "again with this kiln");
}
