//===- HexTest.cpp - Bytes as hexadecimal digits --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/Hex.h"

#include <gtest/gtest.h>

using namespace kiln;

TEST(Hex, DigitsOfBytesAndNumbers) {
  EXPECT_EQ(toHex(ByteView()), "");
  EXPECT_EQ(toHex(ByteView(std::vector<uint8_t>{0x00, 0x9a, 0xff})), "009aff");
  EXPECT_EQ(toHex(uint32_t(0)), "00000000");
  EXPECT_EQ(toHex(uint32_t(0x1f)), "0000001f");
  EXPECT_EQ(toHex(uint32_t(0xfedcba98)), "fedcba98");
}
