//===- Crc32Test.cpp - Check sums -----------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/Crc32.h"

#include <gtest/gtest.h>

using namespace kiln;

/// A bit at a time, as the polynomial says.
static uint32_t sumBits(ByteView bytes) {
  uint32_t sum = ~0u;
  for (uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320u : 0u);
  }
  return ~sum;
}

// Whole blocks are summed in another way than what is behind them.
TEST(Crc32, OfAnyLengthAndPlace) {
  std::vector<uint8_t> bytes(70000);
  uint32_t state = 1;
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  for (size_t size = 0; size < 400; ++size) {
    ByteView part(bytes.data() + size % 17, size);
    EXPECT_EQ(crc32(part), sumBits(part)) << size << " bytes";
  }
  for (size_t size : {size_t(4096), size_t(65537), bytes.size()})
    EXPECT_EQ(crc32(ByteView(bytes.data(), size)),
              sumBits(ByteView(bytes.data(), size)));
  std::vector<uint8_t> zeros(1000), ones(1000, 0xff);
  for (const auto &same : {zeros, ones})
    EXPECT_EQ(crc32(ByteView(same.data(), same.size())),
              sumBits(ByteView(same.data(), same.size())));
  EXPECT_EQ(crc32(ByteView(std::string_view("123456789"))), 0xcbf43926u);
}
