//===- FloatFormats.h - Floats of tensors as doubles ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interpreters compute floats of every type as doubles: a double holds each of them, and
// what is computed is rounded to the type, nearest to even. Sums, products, quotients and
// roots of numbers of a type are as if they were rounded once, because the 53 bits of a
// double are more than twice those of the narrower types and two. The conversions give the
// bits that LLVM's APFloat gives.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_FLOATFORMATS_H
#define KILN_TEST_UNITTESTS_CONVERSION_FLOATFORMATS_H

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/bit.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace kiln::loop {

/// Floats of 16 bits: of the exponent, and of the fraction.
template <unsigned kExponentBits, unsigned kFractionBits> struct SmallFloat {
  static constexpr int kMost =
      (1 << kExponentBits) - 1; ///< infinity's exponent
  static constexpr int kBias = kMost / 2;
  /// Bits of a double's fraction that have no place.
  static constexpr unsigned kDropped = 52 - kFractionBits;

  static double decode(uint64_t bits) {
    uint64_t sign = bits >> (kExponentBits + kFractionBits) << 63;
    int exponent = int(bits >> kFractionBits) & kMost;
    uint64_t fraction = bits & ((uint64_t(1) << kFractionBits) - 1);
    if (exponent == 0) { // the fraction, in units of the least number
      double unit = llvm::bit_cast<double>(
          uint64_t(1023 + 1 - kBias - int(kFractionBits)) << 52);
      return llvm::bit_cast<double>(
          llvm::bit_cast<uint64_t>(double(fraction) * unit) | sign);
    }
    uint64_t wide = exponent == kMost ? 0x7FF : exponent - kBias + 1023;
    if (exponent == kMost && fraction != 0)
      fraction |= uint64_t(1) << (kFractionBits - 1); // quiet
    return llvm::bit_cast<double>(sign | wide << 52 | fraction << kDropped);
  }

  static uint64_t encode(double value) {
    uint64_t bits = llvm::bit_cast<uint64_t>(value);
    uint64_t sign = bits >> 63 << (kExponentBits + kFractionBits);
    uint64_t infinity = uint64_t(kMost) << kFractionBits;
    uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
    int wide = int(bits >> 52 & 0x7FF);
    if (wide == 0x7FF && fraction != 0)
      return sign | infinity | uint64_t(1) << (kFractionBits - 1) |
             fraction >> kDropped;
    // Below the least normal number a fraction has fewer bits. What is carried out of
    // the fraction goes to the exponent.
    int exponent = wide - 1023 + kBias;
    unsigned dropped = kDropped + std::max(1 - exponent, 0);
    if (dropped > 53)
      return sign;
    uint64_t significand = fraction | uint64_t(1) << 52;
    uint64_t half = uint64_t(1) << (dropped - 1);
    uint64_t kept = significand >> dropped;
    uint64_t rest = significand & (2 * half - 1);
    kept += rest > half || (rest == half && kept % 2 == 1);
    uint64_t base = uint64_t(std::max(exponent, 1) - 1) << kFractionBits;
    return sign | std::min(base + kept, infinity);
  }
};

using F16 = SmallFloat<5, 10>;
using BF16 = SmallFloat<8, 7>;

struct F32 {
  static double decode(uint64_t bits) {
    return llvm::bit_cast<float>(uint32_t(bits));
  }
  static uint64_t encode(double value) {
    return llvm::bit_cast<uint32_t>(float(value));
  }
};

struct F64 {
  static double decode(uint64_t bits) { return llvm::bit_cast<double>(bits); }
  static uint64_t encode(double value) {
    return llvm::bit_cast<uint64_t>(value);
  }
};

/// What `make` gives for the format of `type`, an object of one of these structs; a
/// default for other types.
template <typename Make> auto withFormat(mlir::Type type, Make make) {
  if (type.isF16())
    return make(F16());
  if (type.isBF16())
    return make(BF16());
  if (type.isF32())
    return make(F32());
  if (type.isF64())
    return make(F64());
  return decltype(make(F64()))();
}

/// The bits of a number rounded to a type, and the number of bits. A type of another format
/// fails the test.
inline uint64_t encodeFloat(mlir::Type type, double value) {
  auto bits = withFormat(type, [&](auto format) -> std::optional<uint64_t> {
    return decltype(format)::encode(value);
  });
  EXPECT_TRUE(bits) << "floats of a type have no format";
  return bits.value_or(0);
}
inline double decodeFloat(mlir::Type type, uint64_t bits) {
  auto value = withFormat(type, [&](auto format) -> std::optional<double> {
    return decltype(format)::decode(bits);
  });
  EXPECT_TRUE(value) << "floats of a type have no format";
  return value.value_or(0);
}

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_FLOATFORMATS_H
