//===- SchedulesTest.cpp - Numbers that are chosen for kernels ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Schedules.h"

#include "gtest/gtest.h"

using namespace kiln::loop;

namespace {

/// As an x86-64-v3 and an x86-64-v4.
constexpr Machine kNarrow;
constexpr Machine kWide{512, 32, true, 1 << 20, 16384};

TEST(Schedules, LanesFitTheExtent) {
  EXPECT_EQ(fitLanes(std::nullopt, 16, false), 16);
  EXPECT_EQ(fitLanes(100, 16, false), 16);
  // Not longer than the row, or as short as it may be with a mask.
  EXPECT_EQ(fitLanes(10, 16, false), 8);
  EXPECT_EQ(fitLanes(10, 16, true), 16);
  EXPECT_EQ(fitLanes(8, 16, true), 8);
  EXPECT_EQ(fitLanes(1, 16, true), 1);
  EXPECT_EQ(fitLanes(0, 16, false), 1);
  EXPECT_EQ(fitLanes(5, 0, false), 1);
}

TEST(Schedules, GrainIsPointsWorthAThread) {
  EXPECT_EQ(getGrain(kNarrow, 64), 256);
  EXPECT_EQ(getGrain(kNarrow, 0), 16384);
  EXPECT_EQ(getGrain(kNarrow, INT64_MAX), 1);
}

TEST(Schedules, AcrossTakesShortChunksOfASingleRow) {
  AcrossShape shape;
  shape.last = 4096;
  shape.vector = 16;
  AcrossSchedule s = chooseAcross(shape, kWide);
  EXPECT_EQ(s.lanes, 16);
  EXPECT_EQ(s.chunk, 64);
  EXPECT_EQ(s.grain, 256);
  EXPECT_EQ(s.sumBlock, 0);
  EXPECT_TRUE(s.masked);

  shape.hasOuter = true;
  shape.last = 10000;
  shape.inner = 8;
  s = chooseAcross(shape, kWide);
  EXPECT_EQ(s.chunk, 4096);
  EXPECT_EQ(s.grain, 1);
}

TEST(Schedules, ReductionsOverRowsReadMuchOfARow) {
  AcrossShape shape;
  shape.last = 768;
  shape.vector = 16;
  shape.inner = 8192;
  shape.carried = 2;
  AcrossSchedule s = chooseAcross(shape, kWide);
  EXPECT_EQ(s.lanes, 128);
  EXPECT_EQ(s.chunk, 128);
  // As many as there are registers for, and no more than there are columns.
  shape.carried = 6;
  EXPECT_EQ(chooseAcross(shape, kWide).lanes, 32);
  shape.carried = 2;
  shape.last = 20;
  EXPECT_EQ(chooseAcross(shape, kWide).lanes, 32);
}

TEST(Schedules, WindowsOfNeighboursAreWalkedTogether) {
  AcrossShape shape;
  shape.last = 120;
  shape.vector = 16;
  shape.inner = 5;
  shape.carried = 2;
  shape.hasOuter = shape.hasWindows = true;
  // As many as there are registers for.
  AcrossSchedule s = chooseAcross(shape, kWide);
  EXPECT_EQ(s.points, 8);
  EXPECT_EQ(s.lanes, 16);
  EXPECT_EQ(s.chunk, 120);
  // Rather none left at the end of a row.
  shape.beside = 14;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 7);
  shape.beside = 13;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 8);
  shape.beside = 3;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 3);
  shape.beside = 1;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 1);
  shape.beside = 0;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 8);
  EXPECT_EQ(chooseAcross(shape, kNarrow).points, 4);
  // A pooling has nothing that all of them read.
  shape.readsAlone = true;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 2);
  shape.beside = 56;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 2);
  shape.beside = 1;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 1);
  shape.hasWindows = false;
  EXPECT_EQ(chooseAcross(shape, kWide).points, 1);
}

TEST(Schedules, BlocksFillHalfTheSecondCache) {
  BlocksShape shape;
  shape.points = 12;
  shape.rows = 1024;
  shape.rowBytes = 8192;
  Machine machine = kWide;
  machine.l2Bytes = 2 << 20;
  EXPECT_EQ(chooseBlockRows(shape, machine), 120);
  shape.rowBytes = 1 << 20;
  EXPECT_EQ(chooseBlockRows(shape, machine), 24);
  shape.rowBytes = 16;
  EXPECT_EQ(chooseBlockRows(shape, machine), 180);
  // A single head still is work for several threads.
  shape.points = 1;
  shape.rows = 256;
  EXPECT_EQ(chooseBlockRows(shape, machine), 24);
  shape.rows = 5;
  EXPECT_EQ(chooseBlockRows(shape, machine), 5);
  shape.rows = shape.rowBytes = std::nullopt;
  EXPECT_EQ(chooseBlockRows(shape, machine), 96);
  ProductShape product;
  product.n = product.k = 5000;
  PackedSchedule packed = chooseBlockProduct(product, 120, machine);
  EXPECT_EQ(packed.blockRows, 120);
  EXPECT_EQ(packed.itemRows, 120);
  EXPECT_EQ(packed.itemColumns, 1024);
  EXPECT_GE(chooseBlockProduct(product, 5, machine).blockRows, 5);

  // The sum over rows takes those of a block in one piece.
  product.m = 64;
  product.n = 1024;
  product.k = 4096;
  packed = chooseBlockSum(product, 60, machine);
  EXPECT_EQ(packed.blockDepth, 64);
  EXPECT_EQ(packed.itemRows, packed.blockRows);
  EXPECT_EQ(packed.itemColumns, 1024);
}

TEST(Schedules, AcrossMasksNothingThatTraps) {
  AcrossShape shape;
  shape.last = 10;
  shape.vector = 16;
  shape.traps = shape.addsFloats = true;
  AcrossSchedule s = chooseAcross(shape, kWide);
  EXPECT_FALSE(s.masked);
  EXPECT_EQ(s.lanes, 8);
  EXPECT_EQ(s.chunk, 10);
  EXPECT_EQ(s.sumBlock, kSumBlock);
}

// No extent makes a number that its attribute refuses.
TEST(Schedules, HugeExtentsAreNoTrouble) {
  AcrossShape shape;
  shape.last = INT64_MAX;
  shape.inner = INT64_MAX;
  shape.vector = 16;
  shape.hasOuter = true;
  EXPECT_EQ(chooseAcross(shape, kNarrow).grain, 1);
  ProductShape product;
  product.batch = product.m = product.n = product.k = int64_t(1) << 40;
  EXPECT_TRUE(isWorthPacking(product));
  auto s = std::get<PackedSchedule>(chooseProduct(product, kNarrow));
  EXPECT_LE(s.itemRows, 1 << 20);
  EXPECT_LE(s.itemColumns, 1 << 20);
  EXPECT_LE(s.blockDepth, 1 << 20);
}

TEST(Schedules, RowsAreAlongOrBeside) {
  NestShape nest;
  nest.kind = NestShape::Kind::Reduction;
  nest.vector = 8;
  nest.row = 1000;
  nest.wanted = 32;
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).along, 32);
  // Rows side by side need neighbours.
  nest.wanted = 1;
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).along, 8);
  nest.hasOwn = true;
  nest.own = 100;
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).along, 1);
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).beside, 8);
  // The taps of a window are fewer than lanes, its neighbours are more.
  nest.wanted = 4;
  nest.row = 3;
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).along, 1);
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).beside, 8);
  nest.own = 5;
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).beside, 1);
  nest.kind = NestShape::Kind::Ordered;
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).along, 1);
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).beside, 1);
  nest.kind = NestShape::Kind::Pointwise;
  nest.own = 3;
  EXPECT_EQ(chooseNestLanes(nest, kNarrow).along, 2);
  EXPECT_EQ(chooseNestLanes(nest, kWide).along, 4);
}

TEST(Schedules, RowLanesDependOnTheReductionAlone) {
  EXPECT_EQ(chooseRowLanes(8, /*cost=*/2, /*length=*/1000), 32);
  EXPECT_EQ(chooseRowLanes(8, /*cost=*/20, /*length=*/1000), 16);
  EXPECT_EQ(chooseRowLanes(8, /*cost=*/2, /*length=*/64), 16);
  EXPECT_EQ(chooseRowLanes(8, /*cost=*/2, /*length=*/3), 8);
}

TEST(Schedules, TilesNeedMasksAndLength) {
  EXPECT_TRUE(chooseTranspose(100, 100, 16, false, kWide));
  EXPECT_TRUE(chooseTranspose(std::nullopt, 8, 16, false, kWide));
  EXPECT_FALSE(chooseTranspose(100, 100, 8, false, kNarrow));
  EXPECT_FALSE(chooseTranspose(100, 100, 16, true, kWide));
  EXPECT_FALSE(chooseTranspose(7, 100, 16, false, kWide));
  EXPECT_FALSE(chooseTranspose(100, 7, 16, false, kWide));
  EXPECT_FALSE(chooseTranspose(100, 100, 2, false, kWide));
}

TEST(Schedules, ScattersCopyInVectors) {
  ScatterShape shape;
  shape.last = 100;
  shape.vector = 8;
  shape.points = 6;
  ScatterSchedule s = chooseScatter(shape, kNarrow);
  EXPECT_EQ(s.lanes, 8);
  EXPECT_EQ(s.grain, 2730);
  EXPECT_EQ(s.columns, 0);
  shape.last = 1;
  EXPECT_EQ(chooseScatter(shape, kWide).lanes, 1);
}

TEST(Schedules, ColumnsOfScattersAreDivided) {
  ScatterShape shape;
  shape.last = shape.columns = 512;
  shape.vector = 16;
  shape.points = 512 * 2048;
  ScatterSchedule s = chooseScatter(shape, kWide);
  EXPECT_EQ(s.columns, 64);
  EXPECT_EQ(s.grain, 1);
  // Few vectors are not worth finding out where they go.
  shape.last = shape.columns = 64;
  EXPECT_EQ(chooseScatter(shape, kWide).columns, 0);
  // Not more parts than threads will ask for.
  shape.last = shape.columns = 5000;
  EXPECT_EQ(chooseScatter(shape, kWide).columns, 320);
  // Nor where there are items enough.
  shape.items = 16;
  EXPECT_EQ(chooseScatter(shape, kWide).columns, 0);
}

ProductShape makeSizes(Size m, Size n, Size k) {
  ProductShape product;
  product.m = m;
  product.n = n;
  product.k = k;
  return product;
}

TEST(Schedules, SmallProductsAreNotPacked) {
  EXPECT_FALSE(isWorthPacking(makeSizes(64, 64, 63)));
  EXPECT_TRUE(isWorthPacking(makeSizes(64, 64, 64)));
  EXPECT_TRUE(isWorthPacking(makeSizes(std::nullopt, 1, 1)));
  EXPECT_FALSE(isWorthPacking(makeSizes(std::nullopt, 0, 64)));
}

TEST(Schedules, SmallProductsOfLargeBatchesArePacked) {
  auto isPacked = [](Size batch, int64_t m, int64_t n, int64_t k) {
    ProductShape product = makeSizes(m, n, k);
    product.batch = batch;
    return isWorthPacking(product);
  };
  EXPECT_TRUE(isPacked(48, 49, 49, 32));
  EXPECT_FALSE(isPacked(1, 49, 49, 32));
  EXPECT_FALSE(isPacked(std::nullopt, 49, 49, 32));
  EXPECT_TRUE(isPacked(64, 16, 16, 16));
  EXPECT_FALSE(isPacked(63, 16, 16, 16));
  EXPECT_FALSE(isPacked(1 << 20, 16, 16, 15)); // each is too small
  EXPECT_FALSE(isPacked(256, 8, 64, 63));      // rows of A are few

  // One for each of eight images, 64 channels of 3 x 3 pixels.
  ProductShape product = makeSizes(64, 9, 256);
  EXPECT_FALSE(isWorthPacking(product));
  product.outer = 8;
  EXPECT_TRUE(isWorthPacking(product));
  product.outer = std::nullopt;
  EXPECT_FALSE(isWorthPacking(product));
}

// Depthwise convolutions, with their channels last.
TEST(Schedules, RowsOfChannelsAreNotPacked) {
  ProductShape product = makeSizes(8 * 112 * 112, 1, 9);
  product.batch = 32;
  product.isRegular = false;
  EXPECT_TRUE(isWorthPacking(product));
  product.cBatch = true;
  EXPECT_FALSE(isWorthPacking(product));
  product.m = std::nullopt;
  EXPECT_FALSE(isWorthPacking(product));
  product.batch = 1;
  EXPECT_TRUE(isWorthPacking(product));
}

TEST(Schedules, BlocksFitTheSecondCache) {
  auto choose = [](int64_t l2Bytes) {
    Machine machine = kWide;
    machine.l2Bytes = l2Bytes;
    return std::get<PackedSchedule>(
        chooseProduct(makeSizes({}, {}, {}), machine));
  };
  PackedSchedule s = choose(1 << 20);
  EXPECT_EQ(s.tileRows, 8);
  EXPECT_EQ(s.tileColumns, 48);
  EXPECT_EQ(s.blockDepth, 1024);
  EXPECT_EQ(s.blockRows, 128);
  EXPECT_EQ(s.itemRows, 896);
  EXPECT_EQ(s.itemColumns, 288);
  EXPECT_EQ(s.unroll, 4);
  // At least one tile, also without a cache; not more than pays.
  EXPECT_EQ(choose(0).blockRows, 8);
  EXPECT_EQ(choose(256 << 10).blockRows, 64);
  EXPECT_EQ(choose(int64_t(1) << 40).blockRows, 128);
}

TEST(Schedules, RowsAreReadInPlace) {
  auto choose = [](int64_t n, int64_t k, int64_t run, const Machine &machine) {
    ProductShape product;
    product.m = 3136;
    product.n = n;
    product.k = k;
    product.aRun = run;
    product.isRegular = product.aIsMatrix = run == k;
    return std::get<PackedSchedule>(chooseProduct(product, machine));
  };
  PackedSchedule s = choose(64, 576, 64, kWide);
  EXPECT_TRUE(s.inPlace);
  EXPECT_EQ(s.tileRows, 6);
  EXPECT_EQ(s.tileColumns, 64);
  EXPECT_EQ(s.blockDepth, 576);
  // Blocks of the sum have whole runs, or a whole part of one, of about the same size.
  EXPECT_EQ(choose(64, 2304, 256, kWide).blockDepth, 768);
  EXPECT_EQ(choose(64, 1296, 144, kWide).blockDepth, 720);
  EXPECT_EQ(choose(64, 9 * 2560, 2560, kWide).blockDepth, 640);
  EXPECT_EQ(choose(64, 24, 24, kWide).blockDepth, 32);
  // Few registers, few columns: no more rows than there are registers for addresses.
  Machine narrow;
  EXPECT_EQ(choose(64, 576, 64, narrow).tileRows, 6);
  EXPECT_EQ(choose(8, 576, 64, kWide).tileRows, 12);
  // Packed: runs too short, no such block, many columns of a matrix.
  EXPECT_FALSE(choose(64, 27, 3, kWide).inPlace);
  EXPECT_FALSE(choose(64, 9 * 1999, 1999, kWide).inPlace);
  EXPECT_FALSE(choose(4096, 576, 576, kWide).inPlace);
  EXPECT_FALSE(choose(64, 2560, 2560, kWide).inPlace);
  EXPECT_TRUE(choose(4096, 576, 64, kWide).inPlace);
}

TEST(Schedules, WordsAreReadInPlace) {
  auto choose = [](int64_t k, int64_t run, DotUnit unit) {
    ProductShape product;
    product.m = 3136;
    product.n = 64;
    product.k = k;
    product.aRun = run;
    product.ofBF16 = true;
    product.isRegular = product.aIsMatrix = run == k;
    Machine machine = kWide;
    machine.bf16 = unit;
    return std::get<PackedSchedule>(chooseProduct(product, machine));
  };
  PackedSchedule s = choose(576, 64, DotUnit::Pairs);
  EXPECT_TRUE(s.inPlace);
  EXPECT_EQ(s.unit, DotUnit::Pairs);
  EXPECT_EQ(s.tileRows, 6);
  EXPECT_EQ(s.tileColumns, 64);
  EXPECT_EQ(s.blockDepth, 576);
  // As many steps as of f32, each of a word.
  EXPECT_EQ(choose(9 * 512, 512, DotUnit::Pairs).blockDepth, 1536);
  // Packed: half a word at the end of a run, and units that take panels or f32.
  EXPECT_FALSE(choose(9 * 63, 63, DotUnit::Pairs).inPlace);
  EXPECT_FALSE(choose(576, 64, DotUnit::Tiles).inPlace);
  EXPECT_FALSE(choose(576, 64, DotUnit::Fma).inPlace);
}

TEST(Schedules, TilesLeaveFewZeros) {
  auto tileRows = [](int64_t m, const Machine &machine) {
    return std::get<PackedSchedule>(
               chooseProduct(makeSizes(m, 1000, 1000), machine))
        .tileRows;
  };
  EXPECT_EQ(tileRows(13, kWide), 7);
  EXPECT_EQ(tileRows(24, kWide), 6);
  EXPECT_EQ(tileRows(13, kNarrow), 5);
  EXPECT_EQ(tileRows(1, kWide), 1);
}

// Where AMX multiplies, packing is what takes time: as many items as threads.
TEST(Schedules, ItemsOfMatrixRegistersPackOnce) {
  Machine machine = kWide;
  machine.bf16 = DotUnit::Tiles;
  machine.threads = 2;
  auto expectItem = [&](int64_t m, int64_t n, int64_t rows, int64_t columns) {
    SCOPED_TRACE(n);
    ProductShape product = makeSizes(m, n, 1024);
    product.ofBF16 = true;
    auto s = std::get<PackedSchedule>(chooseProduct(product, machine));
    ASSERT_EQ(s.unit, DotUnit::Tiles);
    EXPECT_EQ(s.itemRows, rows);
    EXPECT_EQ(s.itemColumns, columns);
  };
  expectItem(1024, 1024, 512, 1024);
  expectItem(4096, 3072, 1024, 1024);
  expectItem(256, 2048, 256, 1024);
}

// Wide tiles take fewer loads, and few columns that do not count.
TEST(Schedules, TilesAreAsWideAsLoadsAndColumnsWantThem) {
  auto columns = [](Size n, const Machine &machine) {
    return std::get<PackedSchedule>(
               chooseProduct(makeSizes(1200, n, 1000), machine))
        .tileColumns;
  };
  EXPECT_EQ(columns(3072, kWide), 64);
  EXPECT_EQ(columns(64, kWide), 64);
  EXPECT_EQ(columns(96, kWide), 48);
  EXPECT_EQ(columns(33, kWide), 48);
  EXPECT_EQ(columns(32, kWide), 32);
  EXPECT_EQ(columns(16, kWide), 16);
  EXPECT_EQ(columns({}, kWide), 48);
  EXPECT_EQ(columns(3072, kNarrow), 16);
  EXPECT_EQ(columns(8, kNarrow), 8);
  // All registers, a load for every second multiply-add, and what spills.
  EXPECT_EQ(getTileSpeed(6, 4, kWide), 1);
  EXPECT_EQ(getTileSpeed(6, 2, kNarrow), 1);
  EXPECT_LT(getTileSpeed(12, 2, kWide), 0.9);
  EXPECT_LT(getTileSpeed(14, 2, kNarrow), 0.4);
}

// Where sums do not wait for another block of the depth.
TEST(Schedules, WideItemsPackRowsOnce) {
  auto columns = [](int64_t k) {
    return std::get<PackedSchedule>(
               chooseProduct(makeSizes(4096, 4096, k), kWide))
        .itemColumns;
  };
  EXPECT_EQ(columns(768), 1024);
  EXPECT_EQ(columns(3072), 512);
}

// Two threads finish together even if one of them is interrupted.
TEST(Schedules, LargeProductsHaveSeveralItems) {
  for (auto [m, n] : {std::pair(1024, 1024), std::pair(4096, 64),
                      std::pair(64, 4096), std::pair(100, 100)}) {
    auto s = std::get<PackedSchedule>(
        chooseProduct(makeSizes(m, n, 512), kWide));
    int64_t items = ((m + s.itemRows - 1) / s.itemRows) *
                    ((n + s.itemColumns - 1) / s.itemColumns);
    EXPECT_GE(items, 4) << m << " x " << n;
    EXPECT_EQ(s.itemRows % s.tileRows, 0);
    EXPECT_EQ(s.itemColumns % s.tileColumns, 0);
    EXPECT_EQ(s.blockRows % s.tileRows, 0);
  }
}

// As many as threads ask for, unless they would be too small to pay.
TEST(Schedules, ManyThreadsHaveManyItems) {
  auto count = [](int64_t m, int64_t n, int64_t k, int64_t threads) {
    Machine machine = kWide;
    machine.threads = threads;
    auto s = std::get<PackedSchedule>(
        chooseProduct(makeSizes(m, n, k), machine));
    return ((m + s.itemRows - 1) / s.itemRows) *
           ((n + s.itemColumns - 1) / s.itemColumns);
  };
  EXPECT_GE(count(1024, 1024, 1024, 16), 32);
  EXPECT_LE(count(1024, 1024, 1024, 16), 64);
  EXPECT_LT(count(1024, 1024, 1024, 2), 16);
  EXPECT_GE(count(128, 3072, 768, 16), 32);
  EXPECT_LE(count(100, 100, 100, 64), 8);
}

TEST(Schedules, BF16TakesTheUnitOfTheTarget) {
  Machine machine = kWide;
  ProductShape product = makeSizes(1000, 1000, 5000);
  auto choose = [&](DotUnit unit) {
    machine.bf16 = unit;
    return std::get<PackedSchedule>(chooseProduct(product, machine));
  };
  EXPECT_EQ(choose(DotUnit::Tiles).unit, DotUnit::Fma);
  product.ofBF16 = true;
  EXPECT_EQ(choose(DotUnit::Fma).unit, DotUnit::Fma);
  PackedSchedule pairs = choose(DotUnit::Pairs);
  EXPECT_EQ(pairs.unit, DotUnit::Pairs);
  EXPECT_EQ(pairs.tileRows, 12);
  EXPECT_EQ(pairs.blockDepth % 32, 0);
  PackedSchedule tiles = choose(DotUnit::Tiles);
  EXPECT_EQ(tiles.unit, DotUnit::Tiles);
  EXPECT_EQ(tiles.tileRows, 32);
  EXPECT_EQ(tiles.tileColumns, 32);
  EXPECT_EQ(tiles.blockDepth % 32, 0);
  EXPECT_EQ(tiles.itemRows % 32, 0);
  product.m = 13;
  EXPECT_EQ(choose(DotUnit::Tiles).tileRows, 16);
}

TEST(Schedules, FewRowsStreamTheMatrix) {
  ProductShape product = makeSizes(4, 1000, 1000);
  EXPECT_TRUE(std::holds_alternative<PackedSchedule>(
      chooseProduct(product, kWide)));
  product.aRows = product.bColumns = true;
  auto columns = std::get<SkinnyColumnsSchedule>(chooseProduct(product, kWide));
  EXPECT_EQ(columns.columns, 2);
  product.m = 8; // whatever the tile of the packed product would be
  columns = std::get<SkinnyColumnsSchedule>(chooseProduct(product, kWide));
  EXPECT_EQ(columns.columns, 2);
  product.m = 4;
  product.bRows = product.cRows = true;
  auto rows = std::get<SkinnyRowsSchedule>(chooseProduct(product, kWide));
  EXPECT_EQ(rows.itemColumns, 512);
  product.m = 9;
  EXPECT_TRUE(std::holds_alternative<PackedSchedule>(
      chooseProduct(product, kWide)));
  product.m = 4;
  product.isRegular = false;
  EXPECT_TRUE(std::holds_alternative<PackedSchedule>(
      chooseProduct(product, kWide)));
}

} // namespace
