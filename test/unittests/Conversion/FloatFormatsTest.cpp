//===- FloatFormatsTest.cpp - Floats of tensors as doubles ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interpreters judge kernels by these conversions, so they are compared with LLVM's.
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <random>

using namespace kiln::loop;
using llvm::APFloat;
using llvm::APInt;
using llvm::bit_cast;

static uint64_t convertBits(uint64_t bits, const llvm::fltSemantics &from,
                            const llvm::fltSemantics &to) {
  APFloat number(from, APInt(64, bits).trunc(APFloat::getSizeInBits(from)));
  bool loses;
  number.convert(to, APFloat::rmNearestTiesToEven, &loses);
  return number.bitcastToAPInt().getZExtValue();
}

template <typename Format>
static void checkEncoding(uint64_t bits, const llvm::fltSemantics &format) {
  EXPECT_EQ(Format::encode(bit_cast<double>(bits)),
            convertBits(bits, APFloat::IEEEdouble(), format))
      << std::hex << bits;
}

/// Every number of 16 bits; and doubles at it, halfway to the next one, just beside these,
/// and anywhere.
template <typename Format>
static void checkFormat(const llvm::fltSemantics &format) {
  std::mt19937_64 random(5);
  for (uint64_t bits = 0; bits < (1 << 16); ++bits) {
    uint64_t wide = bit_cast<uint64_t>(Format::decode(bits));
    EXPECT_EQ(wide, convertBits(bits, format, APFloat::IEEEdouble()))
        << std::hex << bits;
    uint64_t half = uint64_t(1) << (Format::kDropped - 1);
    for (uint64_t near : {wide, wide + half, wide + half / 2})
      for (int64_t beside : {-1, 0, 1})
        checkEncoding<Format>(near + beside, format);
    checkEncoding<Format>(random(), format);
  }
}

TEST(FloatFormats, RoundAsAPFloatDoes) {
  checkFormat<F16>(APFloat::IEEEhalf());
  checkFormat<BF16>(APFloat::BFloat());
}

TEST(FloatFormats, FloatsOf32BitsAreThoseOfTheHost) {
  std::mt19937_64 random(6);
  for (int k = 0; k < 100000; ++k) {
    uint64_t bits = random();
    EXPECT_EQ(bit_cast<uint64_t>(F32::decode(uint32_t(bits))),
              convertBits(uint32_t(bits), APFloat::IEEEsingle(),
                          APFloat::IEEEdouble()));
    checkEncoding<F32>(bits, APFloat::IEEEsingle());
    // Where a float of 32 bits is not 0 or infinite.
    checkEncoding<F32>((bits & ~(uint64_t(0x7FF) << 52)) |
                           (0x360 + (bits >> 56)) << 52,
                       APFloat::IEEEsingle());
  }
}
