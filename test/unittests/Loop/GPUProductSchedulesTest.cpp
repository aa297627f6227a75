//===- GPUProductSchedulesTest.cpp - Tiles of products on a GPU -----------===//
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

constexpr GPUMachine kDefaultMachine;

GPUProductShape makeProduct(int64_t rows, int64_t columns, int64_t sum) {
  GPUProductShape product;
  product.rows = rows;
  product.columns = columns;
  product.sum = sum;
  product.bytes = 2;
  product.onUnits = product.inBoxes = product.knowsRows = true;
  return product;
}

TEST(GPUProductSchedules, LargeProductsHaveLargeTiles) {
  GPUProductSchedule s =
      chooseGPUProduct(makeProduct(4096, 4096, 4096), kDefaultMachine);
  EXPECT_EQ(s.unit, ProductUnit::Mma);
  EXPECT_EQ(s.rows * s.columns, 128 * 256);
  EXPECT_EQ(s.split, 1);
  EXPECT_EQ(s.blocks, 0);
}

TEST(GPUProductSchedules, WarpgroupsMultiplyWhatACopyEngineBrings) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  GPUProductShape product = makeProduct(4096, 4096, 4096);
  EXPECT_EQ(chooseGPUProduct(product, machine).unit, ProductUnit::Wgmma);
  EXPECT_EQ(chooseGPUProduct(product, machine).blocks, machine.multiprocessors);
  product.inBoxes = false;
  EXPECT_EQ(chooseGPUProduct(product, machine).unit, ProductUnit::Mma);
  product.isGathered = true;
  EXPECT_EQ(chooseGPUProduct(product, machine).unit, ProductUnit::Wgmma);
  machine.hasWarpgroups = false;
  EXPECT_EQ(chooseGPUProduct(product, machine).unit, ProductUnit::Mma);
  product.onUnits = false;
  EXPECT_EQ(chooseGPUProduct(product, machine).unit, ProductUnit::Fma);
}

TEST(GPUProductSchedules, BlocksBelowEachOtherShareWhatIsBrought) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  machine.multiprocessors = 133;
  GPUProductSchedule s =
      chooseGPUProduct(makeProduct(8192, 8192, 8192), machine);
  EXPECT_EQ(s.cluster, 2);
  EXPECT_EQ(s.blocks, 132);
  EXPECT_EQ(s.columns % 128, 0);
  // Both factors stay in the cache.
  EXPECT_EQ(chooseGPUProduct(makeProduct(4096, 4096, 4096), machine).cluster, 1);
  // Nobody is below the first tile.
  EXPECT_EQ(chooseGPUProduct(makeProduct(64, 8192, 8192), machine).cluster, 1);
  // Four tiles of 192 columns beside each other leave fewer blocks idle than three.
  EXPECT_EQ(chooseGPUProduct(makeProduct(4096, 768, 3072), machine).columns, 192);
  // What threads copy is nobody else's.
  GPUProductShape product = makeProduct(8192, 8192, 8192);
  product.inBoxes = false;
  product.isGathered = true;
  EXPECT_EQ(chooseGPUProduct(product, machine).cluster, 1);
}

TEST(GPUProductSchedules, BlocksSharePairsOfTilesWhereAllAreWhole) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  auto getCluster = [&](const GPUProductShape &product) {
    return chooseGPUProduct(product, machine).cluster;
  };
  EXPECT_EQ(getCluster(makeProduct(512, 65536, 1024)), 2);
  // Three or five rows of tiles would be four or six.
  EXPECT_EQ(getCluster(makeProduct(384, 65536, 1024)), 1);
  EXPECT_EQ(getCluster(makeProduct(640, 65536, 1024)), 1);
  // Rows that are a guess may be any number.
  GPUProductShape product = makeProduct(512, 65536, 1024);
  product.knowsRows = false;
  EXPECT_EQ(getCluster(product), 1);
}

TEST(GPUProductSchedules, GroupsOfRowsHaveTilesThatAreNotFull) {
  GPUMachine machine;
  machine.multiprocessors = 132;
  machine.hasWarpgroups = true;
  GPUProductShape groups = makeProduct(1024, 2048, 2048);
  groups.matrices = 8;
  groups.inGroups = true;
  groups.knowsRows = false;
  EXPECT_EQ(chooseGPUProduct(groups, machine).unit, ProductUnit::Wgmma);
  EXPECT_EQ(chooseGPUProduct(groups, machine).cluster, 1);
  // They take longer than as many rows that are whole tiles.
  GPUProductShape whole = groups;
  whole.inGroups = false;
  EXPECT_GT(estimateGPUProduct(groups, machine),
            estimateGPUProduct(whole, machine));
  // Of so few rows each group has one tile.
  groups.rows = 16;
  groups.matrices = 132;
  double some = estimateGPUProduct(groups, machine);
  groups.rows = 32;
  EXPECT_LT(estimateGPUProduct(groups, machine), some * 1.1);
}

TEST(GPUProductSchedules, WhatGoesThroughRegistersIsAskedForByMoreBlocks) {
  GPUMachine machine;
  machine.multiprocessors = 132;
  GPUProductShape product = makeProduct(16, 4096, 4096);
  product.inBoxes = false;
  GPUProductSchedule ahead = chooseGPUProduct(product, machine);
  product.byRegisters = true;
  GPUProductSchedule waits = chooseGPUProduct(product, machine);
  EXPECT_GT(waits.split, ahead.split);
  EXPECT_EQ(waits.rows, ahead.rows);
  // Where units are what a product takes its time for, nothing is waited for.
  product.rows = 4096;
  double byRegisters = estimateGPUProduct(product, machine);
  product.byRegisters = false;
  EXPECT_EQ(estimateGPUProduct(product, machine), byRegisters);
}

TEST(GPUProductSchedules, TilesOfWarpgroupsFollowWhatWasMeasured) {
  GPUMachine machine;
  machine.multiprocessors = 132;
  machine.hasWarpgroups = true;
  auto expectTile = [&](const GPUProductShape &product, int64_t rows,
                        int64_t columns, int64_t split = 1) {
    GPUProductSchedule s = chooseGPUProduct(product, machine);
    EXPECT_EQ(s.unit, ProductUnit::Wgmma);
    EXPECT_EQ(s.rows, rows);
    EXPECT_EQ(s.columns, columns);
    EXPECT_EQ(s.split, split);
  };
  // What is small is done when it has come.
  expectTile(makeProduct(512, 512, 512), 64, 64);
  expectTile(makeProduct(1024, 1024, 1024), 128, 64);
  // Rows that begin within sectors take the cache twice as long: two blocks share what they
  // read of the columns.
  GPUProductShape apart = makeProduct(1000, 1000, 1000);
  apart.beginsSectors = false;
  expectTile(apart, 128, 128);
  GPUProductShape uneven = makeProduct(4096, 1032, 4104);
  uneven.knowsRows = true;
  EXPECT_EQ(chooseGPUProduct(uneven, machine).cluster, 1);
  uneven.beginsSectors = false;
  expectTile(uneven, 192, 192);
  EXPECT_EQ(chooseGPUProduct(uneven, machine).cluster, 2);
  // Across the sum a block brings 64 columns at a time, of which 192 are no two parts.
  uneven.columnsAlongSum = false;
  expectTile(uneven, 192, 192);
  EXPECT_EQ(chooseGPUProduct(uneven, machine).cluster, 1);
  // Few rows: all multiprocessors read, and no partial sums.
  expectTile(makeProduct(16, 14336, 4096), 64, 128);
  expectTile(makeProduct(256, 256, 65536), 64, 128, 16);
  // One round, four rounds, and tiles that three warpgroups have.
  expectTile(makeProduct(6304, 768, 768), 192, 192);
  expectTile(makeProduct(6304, 3072, 768), 192, 192);
  expectTile(makeProduct(4096, 4096, 4096), 128, 256);
  expectTile(makeProduct(2048, 2048, 2048), 128, 256);
}

TEST(GPUProductSchedules, WarpgroupsTakeTurnsWhereMuchFollowsTheSums) {
  GPUMachine machine;
  machine.multiprocessors = 132;
  machine.hasWarpgroups = true;
  auto getTurns = [&](const GPUProductShape &product) {
    return chooseGPUProduct(product, machine).turns;
  };
  // Gelu behind a short sum takes as long as the sum.
  GPUProductShape product = makeProduct(8192, 4096, 1024);
  EXPECT_EQ(getTurns(product), 1);
  product.epilogue = 30;
  EXPECT_EQ(getTurns(product), 2);
  // One round of tiles has nothing to finish meanwhile, ...
  product = makeProduct(1024, 1024, 768);
  product.epilogue = 30;
  EXPECT_EQ(getTurns(product), 1);
  // ... and a long sum takes longer than anything behind it.
  product = makeProduct(4096, 4096, 16384);
  product.epilogue = 30;
  EXPECT_EQ(getTurns(product), 1);
  // Memory has to bring again what caches do not hold, which larger tiles read less often.
  product = makeProduct(8192, 11008, 4096);
  product.epilogue = 30;
  EXPECT_EQ(getTurns(product), 1);
  // What threads copy has other tiles.
  product = makeProduct(4096, 3072, 768);
  product.epilogue = 30;
  product.inBoxes = false;
  product.isGathered = true;
  EXPECT_EQ(getTurns(product), 1);
}

TEST(GPUProductSchedules, RowsThatBeginAnywhereAreStoredInLongPieces) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  GPUProductShape product = makeProduct(4096, 50304, 768);
  GPUProductSchedule s = chooseGPUProduct(product, machine);
  EXPECT_EQ(s.turns, 2);
  EXPECT_EQ(s.columns, 128);
  product.storesVectors = false;
  s = chooseGPUProduct(product, machine);
  EXPECT_EQ(s.turns, 2);
  EXPECT_EQ(s.columns, 256);
}

TEST(GPUProductSchedules, WhatFollowsIsFinishedInTilesWhereThatIsLess) {
  GPUMachine machine;
  machine.multiprocessors = 132;
  machine.hasWarpgroups = true;
  // Gelu of what a wide layer of GPT-2 makes, which is stored as well: less
  // than another kernel, and more than without.
  GPUProductShape product = makeProduct(4096, 3072, 768), joined = product;
  product.epilogue = joined.epilogue = 4;
  joined.followers = 20;
  joined.results = 2;
  double bytes = 2.0 * 4096 * 3072 * 2;
  auto estimate = [&](const GPUProductShape &product) {
    return estimateGPUProduct(product, machine);
  };
  EXPECT_GT(estimate(joined), estimate(product));
  EXPECT_LT(estimate(joined), estimate(product) + estimateGPUCopies(1, bytes));
  EXPECT_EQ(chooseGPUProduct(joined, machine).turns, 2);
  // What computes for long does so in a kernel of its own, with all threads.
  joined.followers = 400;
  EXPECT_GT(estimate(joined), estimate(product) + estimateGPUCopies(1, bytes));
  // Others pay for what is stored and computed, too.
  for (GPUProductShape *each : {&product, &joined})
    each->onUnits = each->inBoxes = false;
  joined.followers = 0;
  double stored = estimate(joined) - estimate(product);
  EXPECT_GT(stored, 0);
  joined.followers = 20;
  EXPECT_GT(estimate(joined) - estimate(product), stored);
}

TEST(GPUProductSchedules, ThreadsThatCopyHaveTilesOfTheirOwn) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  auto expectGathered = [&](int64_t rows, int64_t columns, int64_t sum,
                            int64_t tileRows, int64_t tileColumns) {
    GPUProductShape product = makeProduct(rows, columns, sum);
    product.inBoxes = false;
    product.isGathered = true;
    GPUProductSchedule s = chooseGPUProduct(product, machine);
    EXPECT_EQ(s.rows, tileRows) << rows << " x " << columns;
    EXPECT_EQ(s.columns, tileColumns) << rows << " x " << columns;
  };
  // Images of 56 and 28 pixels a side, windows of 3 by 3: as few rounds of higher tiles.
  expectGathered(32 * 56 * 56, 128, 1152, 192, 128);
  expectGathered(32 * 28 * 28, 128, 1152, 192, 128);
  expectGathered(64 * 28 * 28, 128, 1152, 192, 128);
  // One round of them would leave half of the multiprocessors idle.
  expectGathered(32 * 14 * 14, 256, 2304, 128, 128);
  // Channels that lie in the columns of wide tiles.
  expectGathered(32 * 56 * 56, 256, 2304, 128, 256);
  // What a copy engine brings has others, and f32, which waits to be rounded.
  GPUProductShape product = makeProduct(32 * 28 * 28, 128, 1152);
  GPUProductSchedule brought = chooseGPUProduct(product, machine);
  EXPECT_NE(std::make_pair(brought.rows, brought.columns),
            (std::pair<int64_t, int64_t>(192, 128)));
  product.inBoxes = false;
  product.isGathered = true;
  product.bytes = 4;
  EXPECT_EQ(chooseGPUProduct(product, machine).rows, 128);
}

TEST(GPUProductSchedules, MatricesOfABatchShareNoFactors) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  GPUProductShape product = makeProduct(1024, 1024, 1024);
  product.matrices = 64;
  EXPECT_EQ(chooseGPUProduct(product, machine).cluster, 1);
}

// What is tried besides the best are the best of other tiles, none of them twice.
TEST(GPUProductSchedules, OtherTilesFollowTheBestByTheirCost) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  GPUProductShape product = makeProduct(4096, 4096, 4096);
  std::vector<GPUProductSchedule> all = getGPUProducts(product, machine);
  GPUProductSchedule best = chooseGPUProduct(product, machine);
  ASSERT_GT(all.size(), 3u);
  EXPECT_EQ(all[0].rows, best.rows);
  EXPECT_EQ(all[0].columns, best.columns);
  EXPECT_EQ(all[0].split, best.split);
  for (const GPUProductSchedule &s : all) {
    EXPECT_GT(s.rows, 0);
    EXPECT_NE(s.unit, ProductUnit::Fma);
  }
  machine.shared = 1;
  EXPECT_TRUE(getGPUProducts(product, machine).empty());
}

TEST(GPUProductSchedules, LongSumsOfFewElementsAreSplit) {
  EXPECT_GT(chooseGPUProduct(makeProduct(512, 512, 16384), kDefaultMachine).split, 1);
  EXPECT_EQ(chooseGPUProduct(makeProduct(512, 512, 64), kDefaultMachine).split, 1);
}

/// As the gradient of a weight has them: a tile or a few, and all pixels for a sum.
TEST(GPUProductSchedules, FewTilesFillTheMultiprocessorsByPartsOfTheirSum) {
  GPUMachine machine;
  machine.multiprocessors = 132;
  machine.hasWarpgroups = true;
  for (auto [rows, columns, sum] : {std::array<int64_t, 3>{64, 576, 100352},
                                    std::array<int64_t, 3>{128, 1152, 25088},
                                    std::array<int64_t, 3>{256, 2304, 6272}}) {
    GPUProductShape product = makeProduct(rows, columns, sum);
    product.inBoxes = false;
    product.isGathered = true;
    GPUProductSchedule s = chooseGPUProduct(product, machine);
    EXPECT_EQ(s.unit, ProductUnit::Wgmma);
    int64_t blocks = llvm::divideCeil(rows, s.rows) *
                     llvm::divideCeil(columns, s.columns) * s.split;
    EXPECT_LE(blocks, 132);
    EXPECT_GT(blocks, 100);
  }
}

TEST(GPUProductSchedules, StepsOfBytesHaveTwiceAsManyFactors) {
  GPUMachine machine;
  machine.multiprocessors = 132;
  machine.hasWarpgroups = true;
  GPUProductShape product = makeProduct(4096, 4096, 4096);
  double wide = estimateGPUProduct(product, machine);
  product.bytes = 1;
  product.resultBytes = 4;
  GPUProductSchedule s = chooseGPUProduct(product, machine);
  EXPECT_EQ(s.unit, ProductUnit::Wgmma);
  EXPECT_EQ(s.sum, 128);
  double narrow = estimateGPUProduct(product, machine);
  EXPECT_LT(narrow, wide * 0.7);
  // Results are stored as wide as they are.
  product.resultBytes = 2;
  EXPECT_LT(estimateGPUProduct(product, machine), narrow);
  // Tiles of 192 columns take no more memory than those of wider factors.
  product = makeProduct(4096, 768, 3072);
  product.bytes = 1;
  EXPECT_EQ(chooseGPUProduct(product, machine).columns, 192);
}

TEST(GPUProductSchedules, FewRowsHaveLowTiles) {
  GPUProductSchedule s = chooseGPUProduct(makeProduct(4, 4096, 4096), kDefaultMachine);
  EXPECT_EQ(s.rows, 16);
}

TEST(GPUProductSchedules, TilesFitIntoSharedMemory) {
  GPUMachine machine;
  machine.shared = 64 << 10;
  GPUProductSchedule s =
      chooseGPUProduct(makeProduct(4096, 4096, 4096), machine);
  EXPECT_LE(s.rows * (s.columns + 8) * 4, machine.shared);
  machine.shared = 1;
  EXPECT_EQ(chooseGPUProduct(makeProduct(64, 64, 64), machine).rows, 0);
}

} // namespace
