//===- GPUSchedulesTest.cpp - Numbers that are chosen for a GPU -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

#include <array>

using namespace kiln::loop;

namespace {

constexpr GPUMachine kMachine;

GPUAcrossShape makeAcross(Size points, int64_t narrow, int64_t wide) {
  GPUAcrossShape shape;
  shape.points = shape.last = points;
  shape.narrow = narrow;
  shape.wide = wide;
  return shape;
}

TEST(GPUSchedules, AnAccessHasSixteenBytesOfTheNarrowest) {
  EXPECT_EQ(chooseGPUAcross(makeAcross(1 << 28, 2, 2), kMachine).lanes, 8);
  EXPECT_EQ(chooseGPUAcross(makeAcross(1 << 28, 4, 4), kMachine).lanes, 4);
  EXPECT_EQ(chooseGPUAcross(makeAcross(1 << 28, 8, 8), kMachine).lanes, 2);
  // And at most two of the widest.
  EXPECT_EQ(chooseGPUAcross(makeAcross(1 << 28, 1, 4), kMachine).lanes, 8);
  EXPECT_EQ(chooseGPUAcross(makeAcross(1 << 28, 1, 8), kMachine).lanes, 4);
}

TEST(GPUSchedules, VectorsNeedRowsThatBeginAligned) {
  GPUAcrossShape shape = makeAcross(1 << 28, 2, 2);
  shape.hasOuter = true;
  shape.last = 4100;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).lanes, 4);
  shape.last = 4099;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).lanes, 1);
  shape.last = {};
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).lanes, 1);
  // One dimension begins at the beginning.
  shape.hasOuter = false;
  shape.points = {};
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).lanes, 8);
}

TEST(GPUSchedules, FewElementsAreSpreadOverTheDevice) {
  EXPECT_EQ(chooseGPUAcross(makeAcross(1 << 16, 2, 2), kMachine).lanes, 1);
  EXPECT_EQ(chooseGPUAcross(makeAcross(1 << 17, 2, 2), kMachine).lanes, 2);
}

TEST(GPUSchedules, WindowsOfNeighboursAreWalkedTogether) {
  // 64 images of 28 by 28 with 384 channels of bf16.
  GPUAcrossShape shape = makeAcross(64 * 28 * 28 * 384, 2, 2);
  shape.last = 384;
  shape.hasOuter = shape.hasWindows = true;
  shape.beside = 28;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 7);
  // None is left over at the end of a row.
  shape.beside = 32;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 4);
  shape.beside = 31;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 1);
  shape.beside = {};
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 1);
  // A thread has so many sums, and no more than eight points.
  shape.narrow = shape.wide = 4;
  shape.beside = 56;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 8);
  // Of batches of any size what they were captured with counts.
  shape.points = {};
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 1);
  shape.likely = 64 * 28 * 28 * 384;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 8);
  // Few points are spread over the device, and windows that share nothing are walked alone.
  shape.points = 28 * 28 * 384;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 1);
  shape.points = 64 * 28 * 28 * 384;
  shape.hasWindows = false;
  EXPECT_EQ(chooseGPUAcross(shape, kMachine).points, 1);
}

void expectRows(int64_t size, int64_t bytes, GPURowsSchedule expected) {
  SCOPED_TRACE(size);
  GPURowsSchedule s = chooseGPURows({size, size, bytes, bytes});
  EXPECT_EQ(s.threads, expected.threads);
  EXPECT_EQ(s.rows, expected.rows);
  EXPECT_EQ(s.lanes, expected.lanes);
  EXPECT_EQ(s.steps, expected.steps);
}

TEST(GPUSchedules, RowsStayInRegistersWhereTheyFit) {
  expectRows(4096, 2, {256, 1, 8, 2});
  expectRows(4096, 4, {256, 1, 4, 4});
  expectRows(32768, 2, {1024, 1, 8, 4});
  expectRows(1 << 20, 4, {1024, 1, 4, 0});
  expectRows(512, 4, {128, 1, 4, 1});
}

TEST(GPUSchedules, ShortRowsHaveAPartOfAWarp) {
  expectRows(128, 4, {32, 4, 4, 1});
  expectRows(64, 4, {16, 8, 4, 1});
  expectRows(17, 4, {32, 4, 1, 1});
}

TEST(GPUSchedules, VectorsNeedNotDivideLongRows) {
  auto getLanes = [](int64_t size, bool canPeel) {
    return chooseGPURows({size, size, 2, 4, /*isSorted=*/false, canPeel}).lanes;
  };
  EXPECT_EQ(getLanes(50257, true), 8);
  EXPECT_EQ(getLanes(50257, false), 1);
  GPURowsSchedule s = chooseGPURows({50257, 50257, 2, 2, false, true});
  EXPECT_EQ(s.threads, 512);
  EXPECT_EQ(s.steps, 13);
  EXPECT_EQ(getLanes(50260, true), 8);
  // Too short for a warp with whole vectors.
  EXPECT_EQ(getLanes(197, true), 1);
}

TEST(GPUSchedules, RowsOfPartsLeaveRegistersForSums) {
  auto expect = [](const GPURowPartsShape &shape, int64_t threads,
                   int64_t lanes, int64_t steps, int64_t parts) {
    auto s = chooseGPURowParts(shape, kMachine);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->threads, threads);
    EXPECT_EQ(s->lanes, lanes);
    EXPECT_EQ(s->steps, steps);
    EXPECT_EQ(s->parts, parts);
  };
  // A layer norm's: two sums, two inputs, a weight.
  expect({4096, 4096, 2, 4, 18}, 512, 8, 1, 264);
  expect({4096, 4096, 4, 4, 28}, 1024, 4, 1, 132);
  expect({768, 768, 2, 4, 18}, 128, 8, 1, 1056);
  // One sum, one input: twice as many elements for half as many threads.
  expect({4096, 4096, 2, 4, 10}, 256, 8, 2, 528);
  EXPECT_FALSE(chooseGPURowParts({16384, 16384, 2, 4, 18}, kMachine));
}

TEST(GPUSchedules, OwnersFillTheMachineAndNoMore) {
  EXPECT_EQ(chooseGPUOwners(1, 1 << 20, kMachine), 1024);
  EXPECT_EQ(chooseGPUOwners(64, 1 << 20, kMachine), 256);
  EXPECT_EQ(chooseGPUOwners(64, 100, kMachine), 64);
  EXPECT_EQ(chooseGPUOwners(1 << 20, 1 << 20, kMachine), 1);
  EXPECT_EQ(chooseGPUOwners(0, 0, kMachine), 1);
}

TEST(GPUSchedules, FusionKeepsRowsInRegisters) {
  FusionOptions options = getGPUFusionOptions({108, 2048, 65536});
  EXPECT_EQ(options.minWorkItems, 108);
  EXPECT_EQ(options.maxRowBytes, 128 << 10);
  EXPECT_EQ(options.sharedRow, 64 << 10);
}

TEST(GPUSchedules, RowsOfAnySizeAreALoop) {
  GPURowsSchedule s = chooseGPURows({{}, 1, 4, 4});
  EXPECT_EQ(s.threads, 256);
  EXPECT_EQ(s.lanes, 1);
  EXPECT_EQ(s.steps, 0);
}

void expectParts(const GPUPartsShape &shape, GPUPartsSchedule expected) {
  auto s = chooseGPUParts(shape, kMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, expected.threads);
  EXPECT_EQ(s->lanes, expected.lanes);
  EXPECT_EQ(s->parts, expected.parts);
}

TEST(GPUSchedules, FewColumnsAreReducedInParts) {
  GPUPartsShape shape;
  shape.points = 4096;
  shape.size = 16384;
  shape.last = 4096;
  expectParts(shape, {256, 4, 66});
  shape.narrow = 2;
  expectParts(shape, {256, 8, 132});
  // Columns that begin anywhere are read one by one.
  shape.last = {};
  expectParts(shape, {256, 1, 16});
  // Short columns have few parts, many have none.
  shape.size = 64;
  expectParts(shape, {256, 1, 4});
  shape.size = 31;
  EXPECT_FALSE(chooseGPUParts(shape, kMachine));
  shape.size = 16384;
  shape.points = 1 << 16;
  EXPECT_FALSE(chooseGPUParts(shape, kMachine));
}

TEST(GPUSchedules, LongRowsAreReducedByManyBlocks) {
  GPUPartsShape shape;
  shape.across = false;
  shape.size = 1 << 28;
  shape.last = 1 << 28;
  expectParts(shape, {256, 4, 528});
  shape.points = 8;
  expectParts(shape, {256, 4, 66});
  shape.size = shape.last.emplace(1 << 15);
  expectParts(shape, {256, 4, 8});
  shape.points = 1000;
  EXPECT_FALSE(chooseGPUParts(shape, kMachine));
}

TEST(GPUSchedules, WarpsAddUpRowsOfAMatrix) {
  auto expectRows = [](GPURowsSchedule s, GPURowsSchedule expected) {
    EXPECT_EQ(s.threads, expected.threads);
    EXPECT_EQ(s.rows, expected.rows);
    EXPECT_EQ(s.lanes, expected.lanes);
    EXPECT_EQ(s.steps, expected.steps);
  };
  expectRows(chooseGPUVectorProduct(768, 768, 2), {32, 4, 8, 3});
  expectRows(chooseGPUVectorProduct(64, 64, 2), {4, 32, 8, 2});
  expectRows(chooseGPUVectorProduct(4096, 4096, 4), {256, 1, 4, 4});
  expectRows(chooseGPUVectorProduct(1001, 1001, 2), {256, 1, 1, 4});
  expectRows(chooseGPUVectorProduct(1 << 20, 1 << 20, 2), {256, 1, 8, 0});
}

TEST(GPUSchedules, TilesHaveVectorsInBothDirections) {
  auto s = chooseGPUTile({16384, 16384, 2, 2});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->lanes, 8);
  EXPECT_EQ(s->side, 64);
  s = chooseGPUTile({16384, 1002, 4, 4});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->lanes, 2);
  s = chooseGPUTile({{}, {}, 4, 4});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->lanes, 1);
  EXPECT_FALSE(chooseGPUTile({3, 1 << 20, 4, 4}));
}

GPUProductShape makeProduct(int64_t rows, int64_t columns, int64_t sum) {
  GPUProductShape product;
  product.rows = rows;
  product.columns = columns;
  product.sum = sum;
  product.bytes = 2;
  product.onUnits = product.inBoxes = product.knowsRows = true;
  return product;
}

TEST(GPUSchedules, LargeProductsHaveLargeTiles) {
  GPUProductSchedule s =
      chooseGPUProduct(makeProduct(4096, 4096, 4096), kMachine);
  EXPECT_EQ(s.unit, ProductUnit::Mma);
  EXPECT_EQ(s.rows * s.columns, 128 * 256);
  EXPECT_EQ(s.split, 1);
  EXPECT_EQ(s.blocks, 0);
}

TEST(GPUSchedules, WarpgroupsMultiplyWhatACopyEngineBrings) {
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

TEST(GPUSchedules, BlocksBelowEachOtherShareWhatIsBrought) {
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

TEST(GPUSchedules, BlocksSharePairsOfTilesWhereAllAreWhole) {
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

TEST(GPUSchedules, TilesOfWarpgroupsFollowWhatWasMeasured) {
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

TEST(GPUSchedules, WarpgroupsTakeTurnsWhereMuchFollowsTheSums) {
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
  // Rows that begin anywhere are stored in pieces.
  product = makeProduct(4096, 50257, 768);
  product.storesVectors = false;
  EXPECT_EQ(getTurns(product), 2);
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

TEST(GPUSchedules, ThreadsThatCopyHaveTilesOfTheirOwn) {
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

TEST(GPUSchedules, MatricesOfABatchShareNoFactors) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  GPUProductShape product = makeProduct(1024, 1024, 1024);
  product.matrices = 64;
  EXPECT_EQ(chooseGPUProduct(product, machine).cluster, 1);
}

TEST(GPUSchedules, TilesFitWhereFactorsComeAcrossTheSum) {
  GPUMachine machine;
  machine.hasWarpgroups = true;
  GPUProductShape product = makeProduct(4096, 768, 3072);
  EXPECT_EQ(chooseGPUProduct(product, machine).columns, 192);
  // 128 elements of a byte are a step of the sum: 192 columns take the memory
  // of 256.
  product.bytes = 1;
  EXPECT_NE(chooseGPUProduct(product, machine).columns, 192);
}

// What is tried besides the best are the best of other tiles, none of them twice.
TEST(GPUSchedules, OtherTilesFollowTheBestByTheirCost) {
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

TEST(GPUSchedules, LongSumsOfFewElementsAreSplit) {
  EXPECT_GT(chooseGPUProduct(makeProduct(512, 512, 16384), kMachine).split, 1);
  EXPECT_EQ(chooseGPUProduct(makeProduct(512, 512, 64), kMachine).split, 1);
}

/// As the gradient of a weight has them: a tile or a few, and all pixels for a sum.
TEST(GPUSchedules, FewTilesFillTheMultiprocessorsByPartsOfTheirSum) {
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

TEST(GPUSchedules, FewRowsHaveLowTiles) {
  GPUProductSchedule s = chooseGPUProduct(makeProduct(4, 4096, 4096), kMachine);
  EXPECT_EQ(s.rows, 16);
}

TEST(GPUSchedules, TilesFitIntoSharedMemory) {
  GPUMachine machine;
  machine.shared = 64 << 10;
  GPUProductSchedule s =
      chooseGPUProduct(makeProduct(4096, 4096, 4096), machine);
  EXPECT_LE(s.rows * (s.columns + 8) * 4, machine.shared);
  machine.shared = 1;
  EXPECT_EQ(chooseGPUProduct(makeProduct(64, 64, 64), machine).rows, 0);
}

TEST(GPUSchedules, BlocksHaveManyRowsWhereAllMultiprocessorsHaveOne) {
  GPUBlocksShape heads = {128, 4096, 4096, 64, 64};
  auto s = chooseGPUBlocks(heads, kMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->rows, 128);
  EXPECT_EQ(s->partRows, 32);
  heads.points = 1;
  heads.rows = 256;
  EXPECT_EQ(chooseGPUBlocks(heads, kMachine)->rows, 32);
  heads.rows = 1;
  EXPECT_EQ(chooseGPUBlocks(heads, kMachine)->rows, 16);
}

TEST(GPUSchedules, WarpgroupsHaveWhatACopyEngineBrings) {
  GPUMachine machine = kMachine;
  machine.hasWarpgroups = true;
  GPUBlocksShape heads = {128, 4096, 4096, 128, 128};
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->unit, ProductUnit::Mma);
  heads.isBrought = true;
  auto s = chooseGPUBlocks(heads, machine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->unit, ProductUnit::Wgmma);
  EXPECT_EQ(s->partRows, 16);
  EXPECT_EQ(s->rows, 128);
  EXPECT_EQ(chooseGPUBlocks(heads, kMachine)->unit, ProductUnit::Mma);
  heads.readsColumns = true; // and registers for what is read
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->columns, 64);
  heads.readsColumns = false;
  heads.columns = 1024; // short walks: two blocks of a multiprocessor overlap
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->rows, 64);
  heads.scoreSum = heads.resultColumns = 256; // more sums, and wider tiles
  s = chooseGPUBlocks(heads, machine);
  EXPECT_LE((s->rows + 4 * s->columns) * 512, machine.shared);
  heads.rows = 1; // not worth 64 of them
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->unit, ProductUnit::Mma);
}

TEST(GPUSchedules, ColumnsOfFewRowsComeInPartsUntilAllMultiprocessorsRead) {
  GPUBlocksShape heads = {12, 1, 1024, 64, 64};
  auto s = chooseGPUColumnParts(heads, kMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->parts, 16); // each has a tile
  heads.columns = 1 << 20;
  EXPECT_EQ(chooseGPUColumnParts(heads, kMachine)->parts, 32);
  heads.rows = 17;
  EXPECT_FALSE(chooseGPUColumnParts(heads, kMachine));
  heads.rows = 16;
  heads.points = 1 << 16;
  EXPECT_FALSE(chooseGPUColumnParts(heads, kMachine));
  heads.points = 1;
  heads.columns = 64;
  EXPECT_FALSE(chooseGPUColumnParts(heads, kMachine));
}

TEST(GPUSchedules, PartsOfColumnsFillTheMachineOnce) {
  // 74 KB of shared memory a block: three on each of 132 multiprocessors.
  GPUMachine machine = {132, 2048, 65536, 232448};
  GPUBlocksShape heads = {128, 4, 4096, 128, 128};
  EXPECT_EQ(chooseGPUColumnParts(heads, machine)->parts, 3);
}

TEST(GPUSchedules, SumsOfBlocksStayInRegisters) {
  GPUBlocksShape heads = {128, 4096, 4096, 256, 256};
  auto s = chooseGPUBlocks(heads, kMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->partRows, 16);
  heads.resultColumns = 264;
  EXPECT_FALSE(chooseGPUBlocks(heads, kMachine));
  heads.resultColumns = 64;
  GPUMachine machine = kMachine;
  machine.shared = 1 << 10;
  EXPECT_FALSE(chooseGPUBlocks(heads, machine));
  machine = kMachine;
  machine.capability = 75;
  EXPECT_FALSE(chooseGPUBlocks(heads, machine));
}

TEST(GPUSchedules, WalksKeepScoresAndSumsInRegisters) {
  // Two scores, of heads of 64; a sum over the columns, and two over the rows.
  GPUWalksShape heads = {128, 2048, 2048, 2, 128, 64, 128};
  auto s = chooseGPUWalks(heads, kMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->rows, 64);
  EXPECT_EQ(s->columns, 32);
  EXPECT_EQ(s->partRows, 16);
  heads.points = 1;
  EXPECT_EQ(chooseGPUWalks(heads, kMachine)->rows, 32);
  heads.rows = 16;
  EXPECT_EQ(chooseGPUWalks(heads, kMachine)->rows, 16);
  heads = {128, 2048, 2048, 2, 256, 128, 256};
  EXPECT_TRUE(chooseGPUWalks(heads, kMachine));
  heads.rowSums = 512;
  EXPECT_FALSE(chooseGPUWalks(heads, kMachine));
  heads.rowSums = 128;
  GPUMachine machine = kMachine;
  machine.shared = 1 << 10;
  EXPECT_FALSE(chooseGPUWalks(heads, machine));
  machine = kMachine;
  machine.capability = 75;
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
