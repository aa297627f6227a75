//===- DTypeTest.cpp - Which numbers a type holds -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected: whether torch.full((2,), number, dtype=...) of PyTorch 2.14 accepts
// the number.
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/DType.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace kiln;

TEST(DType, RangeOfFloats) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    EXPECT_TRUE(isInRange(double(INFINITY), dtype)) << dtypeName(dtype);
    EXPECT_TRUE(isInRange(double(NAN), dtype)) << dtypeName(dtype);
  }
  EXPECT_TRUE(isInRange(65504.0, DType::F16));
  EXPECT_FALSE(isInRange(65519.0, DType::F16));
  EXPECT_FALSE(isInRange(int64_t(65505), DType::F16));
  EXPECT_TRUE(isInRange(3e38, DType::BF16));
  EXPECT_FALSE(isInRange(3.4e38, DType::BF16));
  EXPECT_TRUE(isInRange(3.4e38, DType::F32));
  EXPECT_FALSE(isInRange(-1e39, DType::F32));
  EXPECT_TRUE(isInRange(-1e39, DType::F64));
}

TEST(DType, RangeOfSmallFloats) {
  struct {
    DType dtype;
    double largest, beyond;
    bool hasInfinity;
  } cases[] = {{DType::F8E4M3FN, 448, 449, false},
               {DType::F8E5M2, 57344, 57345, true},
               {DType::F8E4M3FNUZ, 240, 241, false},
               {DType::F8E5M2FNUZ, 57344, 57345, false},
               {DType::F8E8M0FNU, 3e38 / 2, 3e38, false}};
  for (const auto &c : cases) {
    EXPECT_TRUE(isInRange(c.largest, c.dtype)) << dtypeName(c.dtype);
    EXPECT_FALSE(isInRange(c.beyond, c.dtype)) << dtypeName(c.dtype);
    EXPECT_EQ(isInRange(double(INFINITY), c.dtype), c.hasInfinity)
        << dtypeName(c.dtype);
    EXPECT_TRUE(isInRange(double(NAN), c.dtype)) << dtypeName(c.dtype);
  }
  EXPECT_TRUE(isInRange(-1.0, DType::F8E4M3FN));
  EXPECT_FALSE(isInRange(-1.0, DType::F8E8M0FNU));
  EXPECT_FALSE(isInRange(0.0, DType::F8E8M0FNU));
  EXPECT_TRUE(isInRange(int64_t(0), DType::F8E8M0FNU));
}

TEST(DType, RangeOfIntegers) {
  EXPECT_TRUE(isInRange(int64_t(-255), DType::U8));
  EXPECT_FALSE(isInRange(int64_t(-256), DType::U8));
  EXPECT_FALSE(isInRange(-1.0, DType::U8));
  EXPECT_FALSE(isInRange(255.5, DType::U8));
  EXPECT_TRUE(isInRange(1.5, DType::U8));
  EXPECT_TRUE(isInRange(int64_t(-128), DType::I8));
  EXPECT_FALSE(isInRange(int64_t(128), DType::I8));
  EXPECT_TRUE(isInRange(INT64_MIN, DType::I64));
  EXPECT_TRUE(isInRange(INT64_MIN, DType::U64));
  EXPECT_FALSE(isInRange(std::ldexp(1, 63), DType::I64));
  EXPECT_TRUE(isInRange(std::ldexp(1, 63), DType::U64));
  EXPECT_FALSE(isInRange(std::ldexp(1, 64), DType::U64));
  EXPECT_FALSE(isInRange(double(NAN), DType::I32));
  EXPECT_TRUE(isInRange(double(NAN), DType::Bool));
}
