//===- Crc32.cpp - The check sum of archives and packages -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All weights are summed when a model is opened, which zlib does at 1 to 2 GB a
// second: for half a gigabyte that was a quarter of a warm start. Multiplications
// without carries fold 64 bytes at a time into 64 others with the same remainder,
// as in "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ" (Gopal and
// others, Intel, 2009), whose constants for this polynomial, bits reversed, these
// are. The rest of a buffer is left to zlib.
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/Crc32.h"

#include <immintrin.h>
#include <zlib.h>

using namespace kiln;

/// Bytes of four vectors, and of one.
static constexpr size_t kBlock = 64, kVector = 16;

namespace {
/// Powers of x that a vector's halves are multiplied with to move it on.
struct Distance {
  uint64_t low, high;
};
} // namespace
static constexpr Distance kByFour = {0x154442bd4, 0x1c6e41596},
                          kByOne = {0x1751997d0, 0x0ccaa009e},
                          kToWord = {0x163cd6124, 0},
                          kReduce = {0x1db710641, 0x1f7011641};

#define KILN_CLMUL __attribute__((target("pclmul,sse4.1")))

KILN_CLMUL static __m128i toVector(Distance distance) {
  return _mm_set_epi64x(static_cast<long long>(distance.high),
                        static_cast<long long>(distance.low));
}

KILN_CLMUL static __m128i load(const uint8_t *data) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(data));
}

/// `value` moved on by a distance, and what is there added.
KILN_CLMUL static __m128i fold(__m128i value, __m128i distance, __m128i there) {
  __m128i low = _mm_clmulepi64_si128(value, distance, 0x00);
  __m128i high = _mm_clmulepi64_si128(value, distance, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/// The remainder of 128 bits, as 32.
KILN_CLMUL static uint32_t reduce(__m128i value) {
  const __m128i words = _mm_setr_epi32(~0, 0, ~0, 0);
  __m128i moved = _mm_clmulepi64_si128(value, toVector(kByOne), 0x10);
  value = _mm_xor_si128(_mm_srli_si128(value, 8), moved);
  moved = _mm_clmulepi64_si128(_mm_and_si128(value, words), toVector(kToWord),
                               0x00);
  value = _mm_xor_si128(_mm_srli_si128(value, 4), moved);
  // Barrett: the quotient by a multiplication, then the polynomial times it.
  const __m128i by = toVector(kReduce);
  moved = _mm_clmulepi64_si128(_mm_and_si128(value, words), by, 0x10);
  moved = _mm_clmulepi64_si128(_mm_and_si128(moved, words), by, 0x00);
  return static_cast<uint32_t>(
      _mm_extract_epi32(_mm_xor_si128(value, moved), 1));
}

/// Continues a sum over `size` bytes, whole blocks and at least one.
KILN_CLMUL static uint32_t addBlocks(uint32_t sum, const uint8_t *data,
                                     size_t size) {
  __m128i parts[kBlock / kVector];
  for (size_t k = 0; k < 4; ++k)
    parts[k] = load(data + k * kVector);
  parts[0] = _mm_xor_si128(parts[0], _mm_cvtsi32_si128(static_cast<int>(~sum)));
  const __m128i byFour = toVector(kByFour), byOne = toVector(kByOne);
  for (size_t at = kBlock; at < size; at += kBlock)
    for (size_t k = 0; k < 4; ++k)
      parts[k] = fold(parts[k], byFour, load(data + at + k * kVector));
  __m128i value = parts[0];
  for (size_t k = 1; k < 4; ++k)
    value = fold(value, byOne, parts[k]);
  return ~reduce(value);
}

#undef KILN_CLMUL

uint32_t kiln::crc32(ByteView bytes) {
  static const bool hasMultiplication = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  }();
  size_t blocks = hasMultiplication ? bytes.size() / kBlock * kBlock : 0;
  uint32_t sum = 0;
  if (blocks != 0)
    sum = addBlocks(0, bytes.data(), blocks);
  return static_cast<uint32_t>(
      ::crc32_z(sum, bytes.data() + blocks, bytes.size() - blocks));
}
