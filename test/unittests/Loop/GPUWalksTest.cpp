//===- GPUWalksTest.cpp - Products and rows in several walks --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "gtest/gtest.h"

using namespace kiln::loop;

namespace {

constexpr GPUMachine kWalkMachine;

TEST(GPUSchedules, WalksKeepScoresAndSumsInRegisters) {
  // Two scores, of heads of 64; a sum over the columns, and two over the rows.
  GPUWalksShape heads = {128, 2048, 2048, 2, 128, 64, 128};
  auto s = chooseGPUWalks(heads, kWalkMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->rows, 64);
  EXPECT_EQ(s->columns, 32);
  EXPECT_EQ(s->partRows, 16);
  heads.points = 1;
  EXPECT_EQ(chooseGPUWalks(heads, kWalkMachine)->rows, 32);
  heads.rows = 16;
  EXPECT_EQ(chooseGPUWalks(heads, kWalkMachine)->rows, 16);
  heads = {128, 2048, 2048, 2, 256, 128, 256};
  EXPECT_TRUE(chooseGPUWalks(heads, kWalkMachine));
  heads.rowSums = 512;
  EXPECT_FALSE(chooseGPUWalks(heads, kWalkMachine));
  heads.rowSums = 128;
  GPUMachine machine = kWalkMachine;
  machine.shared = 1 << 10;
  EXPECT_FALSE(chooseGPUWalks(heads, machine));
  machine = kWalkMachine;
  machine.capability = 75;
  EXPECT_FALSE(chooseGPUWalks(heads, machine));
}

TEST(GPUSchedules, WalksAddLongSumsWhereTheOrderIsFree) {
  // Heads of 128, what sums read being factors of scores.
  GPUWalksShape heads = {128, 2048, 2048, 2, 256, 128, 256, 128, 4, 2, 4, true, 128};
  heads.mayAdd = true;
  GPUMachine machine = kWalkMachine;
  machine.hasWarpgroups = true;
  machine.shared = 232448;
  auto s = chooseGPUWalks(heads, machine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->unit, ProductUnit::Wgmma);
  EXPECT_EQ(s->rows, 128);
  EXPECT_TRUE(s->added);
  heads.isLimited = true;
  EXPECT_TRUE(chooseGPUWalks(heads, machine)->added);
  heads.columns = 1024;
  EXPECT_FALSE(chooseGPUWalks(heads, machine)->added);
  heads.columns = 2048;
  heads.mayAdd = false;
  EXPECT_FALSE(chooseGPUWalks(heads, machine)->added);
}

TEST(GPUSchedules, WalksOfOneSumEachWhereRegistersDoNotSufficeForAll) {
  // Heads of 256: what sums read are factors of scores.
  GPUWalksShape heads = {128, 2048, 2048, 2, 512,  256, 512,
                         256, 8,    4,    8, true, 256};
  auto s = chooseGPUWalks(heads, kWalkMachine);
  ASSERT_TRUE(s);
  EXPECT_TRUE(s->apart);
  EXPECT_EQ(s->unit, ProductUnit::Mma);
  EXPECT_EQ(s->rows, 64);
  EXPECT_EQ(s->columns, 32);
  GPUMachine machine = kWalkMachine;
  machine.shared = 101376; // sm_89
  s = chooseGPUWalks(heads, machine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->rows, 32);
  EXPECT_EQ(s->columns, 16);
  machine = kWalkMachine;
  machine.hasWarpgroups = true;
  s = chooseGPUWalks(heads, machine);
  ASSERT_TRUE(s);
  EXPECT_TRUE(s->apart);
  EXPECT_EQ(s->unit, ProductUnit::Wgmma);
  EXPECT_EQ(s->rows, 128);
  EXPECT_EQ(s->columns, 32);
  heads.points = 256;
  heads.rows = 48;
  EXPECT_EQ(chooseGPUWalks(heads, machine)->rows, 64);
  // Heads of 192, and of 128, whose sums have room together.
  heads = {128, 2048, 2048, 2, 384, 192, 384, 192, 6, 3, 6, true, 192};
  EXPECT_EQ(chooseGPUWalks(heads, machine)->columns, 64);
  heads = {128, 2048, 2048, 2, 256, 128, 256, 128, 4, 2, 4, true, 128};
  EXPECT_FALSE(chooseGPUWalks(heads, machine)->apart);
  // Other memory than that of scores takes room besides.
  heads = {128, 2048, 2048, 2, 512, 256, 512, 256, 8, 4, 8, true, 256, 512, 8};
  EXPECT_EQ(chooseGPUWalks(heads, machine)->unit, ProductUnit::Mma);
  heads.widestSum = 264;
  EXPECT_EQ(chooseGPUWalks(heads, machine)->columns, 16);
  heads.widestSum = 320;
  EXPECT_FALSE(chooseGPUWalks(heads, machine));
}

TEST(GPUSchedules, WalksByWarpgroupsHaveWhatACopyEngineBrings) {
  GPUMachine machine = {132, 2048, 65536, 232448};
  machine.hasWarpgroups = true;
  GPUWalksShape heads = {128, 2048, 2048, 2, 128, 64, 128, 64, 2, 1, 2};
  EXPECT_EQ(chooseGPUWalks(heads, machine)->unit, ProductUnit::Mma);
  heads.isBrought = true;
  auto s = chooseGPUWalks(heads, machine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->unit, ProductUnit::Wgmma);
  EXPECT_EQ(s->rows, 64);
  // Sums of 128 columns each, of which two have room.
  heads = {128, 2048, 2048, 2, 256, 128, 256, 128, 4, 2, 4, true};
  EXPECT_EQ(chooseGPUWalks(heads, machine)->rows, 128);
  EXPECT_EQ(chooseGPUWalks(heads, machine)->unit, ProductUnit::Wgmma);
  heads.rowSums = 264;
  EXPECT_EQ(chooseGPUWalks(heads, machine)->unit, ProductUnit::Mma);
  heads.rowSums = 256;
  heads.points = 1; // 16 blocks
  EXPECT_EQ(chooseGPUWalks(heads, machine)->unit, ProductUnit::Mma);
  heads.points = 128;
  heads.widest = 136;
  EXPECT_EQ(chooseGPUWalks(heads, machine)->unit, ProductUnit::Mma);
}

} // namespace
