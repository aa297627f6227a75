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
  expectRows(1024, 2, {128, 1, 8, 1});
}

TEST(GPUSchedules, ShortRowsAreAWarpsUnlessThereAreFew) {
  expectRows(768, 2, {32, 4, 8, 3});
  expectRows(512, 4, {32, 4, 4, 4});
  GPURowsShape few{768, 768, 2, 2};
  few.areFew = true;
  EXPECT_EQ(chooseGPURows(few).threads, 128);
}

TEST(GPUSchedules, FewRowsHaveManyThreads) {
  auto expect = [](int64_t size, int64_t bytes, int64_t threads,
                   int64_t steps) {
    SCOPED_TRACE(size);
    GPURowsShape shape{size, size, bytes, bytes};
    shape.areFew = true;
    GPURowsSchedule s = chooseGPURows(shape);
    EXPECT_EQ(s.threads, threads);
    EXPECT_EQ(s.steps, steps);
  };
  expect(8192, 8, 1024, 4);
  expect(4096, 2, 512, 1);
  expect(768, 2, 128, 1);
  expect(32768, 4, 1024, 8);
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

TEST(GPUSchedules, ThreadsHaveElementsEnoughOfASortedRow) {
  auto getThreads = [](int64_t size, bool hasSeveralKeys = false) {
    GPURowsShape shape = {size, size, 4, 4, /*isSorted=*/true};
    shape.hasSeveralKeys = hasSeveralKeys;
    return chooseGPURows(shape).threads;
  };
  EXPECT_EQ(getThreads(256), 64);
  EXPECT_EQ(getThreads(512), 64);
  EXPECT_EQ(getThreads(4096), 128);
  EXPECT_EQ(getThreads(8192), 256);
  EXPECT_EQ(getThreads(16384), 512);
  EXPECT_EQ(getThreads(32768), 1024);
  // Pairs are compared of longer rows, too, where one key is not all.
  EXPECT_EQ(getThreads(2048, /*hasSeveralKeys=*/true), 256);
  EXPECT_EQ(getThreads(8192, /*hasSeveralKeys=*/true), 256);
}

TEST(GPUSchedules, RowsAreSearchedByThreadsEnoughForABound) {
  auto expect = [](int64_t size, int64_t bytes, int64_t kept,
                   GPURowsSchedule expected) {
    SCOPED_TRACE(size);
    GPURowsSchedule s = chooseGPURows({size, size, bytes, bytes,
                                       /*isSorted=*/true, /*canPeel=*/false,
                                       kept});
    EXPECT_EQ(s.threads, expected.threads);
    EXPECT_EQ(s.rows, 1);
    EXPECT_EQ(s.lanes, expected.lanes);
    EXPECT_EQ(s.steps, 0);
  };
  expect(32000, 2, 50, {256, 1, 8, 0});
  expect(32000, 2, 100, {512, 1, 8, 0});
  expect(131072, 4, 50, {1024, 1, 4, 0});
  expect(4096, 4, 900, {1024, 1, 4, 0});
  // Some elements for each thread.
  expect(512, 2, 8, {256, 1, 2, 0});
  expect(50257, 2, 8, {512, 1, 1, 0});
}

TEST(GPUSchedules, RowsOfPartsLeaveRegistersForSums) {
  auto expect = [](const GPURowPartsShape &shape, int64_t threads, int64_t rows,
                   int64_t lanes, int64_t steps, int64_t parts) {
    auto s = chooseGPURowParts(shape, kMachine);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->threads, threads);
    EXPECT_EQ(s->rows, rows);
    EXPECT_EQ(s->lanes, lanes);
    EXPECT_EQ(s->steps, steps);
    EXPECT_EQ(s->parts, parts);
  };
  // A layer norm's: two sums, two inputs, a weight.
  expect({4096, 4096, 2, 4, 18}, 512, 1, 8, 1, 264);
  expect({4096, 4096, 4, 4, 28}, 1024, 1, 4, 1, 132);
  // Short rows are a warp's, or a part's of it, and a block has eight of them, or more.
  expect({768, 768, 2, 4, 18}, 32, 8, 8, 3, 132);
  expect({64, 64, 2, 4, 18}, 8, 32, 8, 1, 132);
  // Too many sums for that.
  EXPECT_FALSE(chooseGPURowParts({768, 768, 2, 4, 28}, kMachine));
  // One sum, one input: twice as many elements for half as many threads.
  expect({4096, 4096, 2, 4, 10}, 256, 1, 8, 2, 528);
  EXPECT_FALSE(chooseGPURowParts({16384, 16384, 2, 4, 18}, kMachine));
}

TEST(GPUSchedules, RowsOfPartsAreBroughtAheadOfTheirTurn) {
  // Two inputs of 4096 bf16: as many blocks as registers permit.
  GPUBroughtShape two{4096, 16384, 8192, /*isOfParts=*/true};
  GPURowsSchedule rows{512, 1, 8, 1};
  EXPECT_TRUE(paysBringingGPURows(rows, two, kMachine));
  auto s = bringGPURows(rows, two, kMachine);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->threads, 512);
  EXPECT_EQ(s->steps, 1);
  EXPECT_EQ(s->stages, 2);
  // There is room for two rows still, or for one.
  two.bytes = 3 * 16384;
  EXPECT_EQ(bringGPURows(rows, two, kMachine)->stages, 2);
  two.bytes = 5 * 16384;
  EXPECT_FALSE(bringGPURows(rows, two, kMachine));
  // Copies of few bytes.
  EXPECT_FALSE(paysBringingGPURows(
      {128, 1, 8, 1}, {768, 3072, 1536, /*isOfParts=*/true}, kMachine));
}

TEST(GPUSchedules, LongRowsAreBroughtInPieces) {
  auto expect = [](const GPUBroughtShape &brought, int64_t lanes,
                   GPURowsSchedule expected) {
    SCOPED_TRACE(brought.size);
    auto s = bringGPURows({1024, 1, lanes, 0}, brought, kMachine);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->threads, expected.threads);
    EXPECT_EQ(s->lanes, expected.lanes);
    EXPECT_EQ(s->steps, expected.steps);
    EXPECT_EQ(s->stages, expected.stages);
  };
  // Two blocks of a multiprocessor, three, and one.
  GPUBroughtShape odd{50257, 100514, 100514}, even{32768, 65536, 65536},
      wide{32768, 131072, 131072};
  expect(odd, 8, {512, 1, 8, 13, 4});
  expect(even, 8, {256, 1, 8, 16, 4});
  expect(wide, 4, {1024, 1, 4, 8, 4});
  EXPECT_TRUE(paysBringingGPURows({512, 1, 8, 13}, odd, kMachine));
  EXPECT_TRUE(paysBringingGPURows({1024, 1, 8, 4}, even, kMachine));
  EXPECT_FALSE(paysBringingGPURows({1024, 1, 4, 8}, wide, kMachine));
  odd.areFew = true;
  EXPECT_FALSE(paysBringingGPURows({512, 1, 8, 13}, odd, kMachine));
  // Registers hold rows of two blocks; short rows; rows longer than shared memory.
  EXPECT_FALSE(
      paysBringingGPURows({512, 1, 8, 4}, {16384, 32768, 32768}, kMachine));
  EXPECT_FALSE(bringGPURows({256, 1, 8, 2}, {4096, 8192, 8192}, kMachine));
  EXPECT_FALSE(
      bringGPURows({1024, 1, 4, 0}, {65536, 262144, 262144}, kMachine));
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
  EXPECT_EQ(s->columns, expected.columns);
}

TEST(GPUSchedules, FewColumnsAreReducedInParts) {
  GPUPartsShape shape;
  shape.points = 4096;
  shape.size = 16384;
  shape.last = 4096;
  // Tiles of 64 vectors, as many in all as two blocks of each multiprocessor.
  expectParts(shape, {256, 4, 16, 64});
  shape.narrow = 2;
  expectParts(shape, {256, 8, 33, 64});
  // Columns that begin anywhere are read one by one.
  shape.last = {};
  expectParts(shape, {256, 1, 4, 64});
  // Short columns are one part, many have none.
  shape.size = 512;
  expectParts(shape, {256, 1, 4, 64});
  shape.size = 256;
  expectParts(shape, {256, 1, 1, 32});
  shape.size = 64;
  expectParts(shape, {256, 1, 1, 32});
  shape.size = 63;
  EXPECT_FALSE(chooseGPUParts(shape, kMachine));
  shape.size = 16384;
  shape.points = 1 << 16;
  EXPECT_FALSE(chooseGPUParts(shape, kMachine));
  // Vectors are shared out evenly: 96 are two times 48, five threads for each.
  shape.last.emplace(768);
  shape.points = 768;
  shape.size = 4096;
  expectParts(shape, {256, 8, 102, 48});
  // Few columns have many threads each.
  shape.last.emplace(16);
  shape.points = 16;
  shape.size = 1 << 20;
  expectParts(shape, {256, 8, 264, 2});
}

static void expectJoin(int64_t points, int64_t rows, int64_t threads,
                       int64_t columns) {
  SCOPED_TRACE(points);
  GPUPartsSchedule s = chooseGPUJoin(points, rows);
  EXPECT_EQ(s.threads, threads);
  EXPECT_EQ(s.lanes, 1);
  EXPECT_EQ(s.parts, 1);
  EXPECT_EQ(s.columns, columns);
}

TEST(GPUSchedules, SumsOfTilesAreJoinedByOneFunction) {
  // Many columns fill lines, a thread has four rows of one.
  expectJoin(3072, 32, 128, 16);
  expectJoin(2048, 100, 512, 16);
  // Few have more blocks, and no more threads than there may be.
  expectJoin(512, 784, 1024, 8);
  expectJoin(64, 3136, 1024, 4);
  expectJoin(10, 1, 128, 4);
}

TEST(GPUSchedules, LongRowsAreReducedByManyBlocks) {
  GPUPartsShape shape;
  shape.across = false;
  shape.size = 1 << 28;
  shape.last = 1 << 28;
  expectParts(shape, {256, 4, 528, 0});
  shape.points = 8;
  expectParts(shape, {256, 4, 66, 0});
  shape.size = shape.last.emplace(1 << 15);
  expectParts(shape, {256, 4, 8, 0});
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

TEST(GPUSchedules, TilesOfWindowsHaveNeighboursOfARow) {
  GPUTileShape images = {384, 28 * 28, 2, 2, /*staged=*/2, /*taps=*/9,
                         /*hasWindows=*/true, /*beside=*/28};
  auto s = chooseGPUTile(images);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->lanes, 8);
  EXPECT_EQ(s->points, 4);
  EXPECT_EQ(s->threads, 128);
  // Nothing where rows leave too few together, or windows are large.
  images.beside = 14;
  EXPECT_FALSE(chooseGPUTile(images));
  images.beside = 28;
  images.taps = 25;
  EXPECT_FALSE(chooseGPUTile(images));
  // Where windows share little, one at a time.
  images.taps = 9;
  images.hasWindows = false;
  EXPECT_EQ(chooseGPUTile(images)->points, 1);
  EXPECT_EQ(chooseGPUTile(images)->threads, 256);
  // Nothing where they would be computed one by one, or do not fit.
  images.columns = 49;
  EXPECT_FALSE(chooseGPUTile(images));
  images.columns = 64;
  images.staged = 12;
  EXPECT_FALSE(chooseGPUTile(images));
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
  heads.columns = 1024;
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->rows, 128);
  heads.isLimited = true; // short walks: two blocks of a multiprocessor overlap
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->rows, 64);
  heads.scoreSum = heads.resultColumns = 256; // more sums, and wider tiles
  s = chooseGPUBlocks(heads, machine);
  EXPECT_LE((s->rows + 4 * s->columns) * 512, machine.shared);
  heads.rows = 1; // not worth 64 of them
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->unit, ProductUnit::Mma);
}

TEST(GPUSchedules, WarpgroupsShareLongColumns) {
  GPUMachine machine = kMachine;
  machine.hasWarpgroups = true;
  GPUBlocksShape heads = {128, 4096, 4096, 64, 64, /*isBrought=*/true};
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->rows, 192);
  heads.isLimited = true; // half as long in the mean
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->rows, 64);
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->columns, 96);
  heads.columns = 1024; // short walks
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->rows, 64);
  EXPECT_EQ(chooseGPUBlocks(heads, machine)->columns, 64);
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

} // namespace
