//===- Schedules.cpp - How kernels are best emitted -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Schedules.h"

#include "kiln/Dialect/Loop/IR/Weights.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace kiln;
using namespace kiln::loop;

/// Vectors of a row that are worth finding out where it goes, and items that columns are
/// divided into, at most.
static constexpr int64_t kVectorsOfColumns = 4, kMostColumnItems = 16;
/// Elements of the last shared dimension that one work item handles, where there
/// are outer dimensions besides; without them it is a few vectors.
static constexpr int64_t kRowChunk = 4096, kVectorsOfChunk = 4;
/// Lanes of a reduction over rows at most: neighbours of a row that are read at each
/// step, so that lines and pages are not read piece by piece.
static constexpr int64_t kColumnLanes = 128;
/// Elements of a side of a transposed block, and blocks for a thread.
static constexpr int64_t kBlock = 64, kBlocksForThread = 4;
/// Multiply-adds from which on a product is packed; of each product of a batch that
/// has as many in all.
static constexpr uint64_t kMinProduct = 64 * 64 * 64,
                          kMinProductOfBatch = 16 * 16 * 16;
/// Items of a thread that a large static product should have at least, so that
/// threads finish together even if one of them is interrupted.
static constexpr int64_t kWantedItems = 2;
/// Multiply-adds of an item that is not cut for more threads than two: with half of
/// its rows and columns, packing takes twice as large a part of its time.
static constexpr int64_t kItemWork = 1 << 20, kItemWorkOfTiles = 1 << 23;
/// Results of multiply-adds that must be on their way at once, so that none
/// waits.
static constexpr double kChains = 8;
/// Multiply-adds that are done in the time of a load where vectors have 512
/// bits. On an Ice Lake tiles of 6 x 64 and 8 x 48 reach 208 and 202 GF/s, 12 x
/// 32 187, 6 x 32 157, 12 x 16 103; of 256 bits 6 x 16 and 4 x 24 reach all of
/// 104.
static constexpr double kSumsOfWideLoad = 2;
/// What a narrower tile of as many sums must save: see above.
static constexpr double kNarrowTile = 0.97;
/// Vectors of columns of a tile of a product of unknown columns: wider ones
/// have more columns that do not count in the last panel.
static constexpr int64_t kUnknownVectors = 3;
/// Rows up to which a product is skinny.
static constexpr int64_t kSkinnyRows = 8;
/// Bytes of a core's second cache that packed rows may fill. Products of 768 and
/// 1536 rows in f32 take 3 to 5 % longer with half as many or twice as many, on a
/// Xeon that has 2 MiB.
static constexpr int64_t kPackedBytes = 512 << 10;
/// Bytes of the factors that a tile of AMX multiplies in a block of k: they stay in the first
/// cache, of 48 KiB, while other tiles use one side of them. On a Xeon with two threads products
/// of 1024 take 1.39 ms so and 1.46 with all of k at once.
static constexpr int64_t kTileBytes = 32 << 10;
/// Steps of a block of k whose A is read in place at most: with them a panel of 64 columns
/// is 288 KiB, and a window of 3 x 3 over 128 channels is one block, or over 512 of bytes.
static constexpr int64_t kMaxDepthInPlace = 1152;
/// Rows whose addresses have registers.
static constexpr int64_t kMaxRowsInPlace = 12;
/// Neighbours of A from which on they are worth an address, and columns up to which a
/// matrix is not packed, whose rows are besides not longer than a block.
static constexpr int64_t kMinRunInPlace = 4, kMaxColumnsInPlace = 1024;
/// Rows of a block at most; where rows are of unknown size; and at least, so that
/// packed columns are used several times.
static constexpr int64_t kMaxBlockRows = 192, kUnknownBlockRows = 96,
                         kMinBlockRows = 24;
/// Columns of a block's product at a time.
static constexpr int64_t kBlockColumns = 1024;
/// Multiply-adds that take as long as packing a factor; of registers of AMX, by which of two
/// threads 1024 x 1024 take 1.23 ms in four items of 1024 x 256 and 1.10 in two of 512 x 1024.
static constexpr double kPackingWork = 6, kPackingWorkOfTiles = 80;
/// Items of a thread up to which they are cut so that threads finish together.
static constexpr int64_t kMostLevelled = 16;
/// The time that cutting a product into more items has to leave of it.
static constexpr double kWorthCutting = 0.97;
/// Neighbours that are walked together where they share no factors.
static constexpr int64_t kMaxPointsAlone = 2;
/// Rows and columns of an item of a product of unknown size; columns that pay for packing
/// rows for AMX.
static constexpr int64_t kItemRows = 960, kItemColumns = 256,
                         kItemColumnsOfTiles = 1024;

static int64_t multiply(int64_t x, int64_t y) {
  return std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(x, y),
                            INT64_MAX);
}

int64_t loop::fitLanes(Size extent, int64_t wanted, bool masked) {
  int64_t lanes = std::max<int64_t>(wanted, 1);
  if (extent)
    while (lanes > 1 && (masked ? lanes / 2 >= *extent : lanes > *extent))
      lanes /= 2;
  return lanes;
}

int64_t loop::getGrain(const Machine &machine, int64_t pointsPerItem) {
  return std::max<int64_t>(
      1, machine.grainPoints / std::max<int64_t>(pointsPerItem, 1));
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

/// Neighbours whose windows, or whose values that are alike, are walked together: as many as have registers besides what
/// they read, and if that can be, so many that none are left at the end of a row.
static int64_t choosePoints(const AcrossShape &kernel, const Machine &machine) {
  int64_t most = machine.registers / 4;
  // What only some windows share is in the cache, and many rows at a time are no order in
  // which a processor expects what is read next.
  if (kernel.hasWindows && kernel.readsAlone)
    most = std::min(most, kMaxPointsAlone);
  if ((!kernel.hasWindows && !kernel.sharesValues) || most < 2)
    return 1;
  if (!kernel.beside)
    return most;
  for (int64_t points = most; points > most / 2; --points)
    if (*kernel.beside % points == 0)
      return points;
  return std::max<int64_t>(std::min(most, *kernel.beside), 1);
}

AcrossSchedule loop::chooseAcross(const AcrossShape &kernel,
                                  const Machine &machine) {
  AcrossSchedule schedule;
  schedule.masked = machine.masks && !kernel.traps;
  schedule.points = choosePoints(kernel, machine);
  bool isAlone = schedule.points == 1;
  int64_t wanted = kernel.vector;
  if (kernel.carried > 0 && isAlone)
    while (wanted < kColumnLanes &&
           2 * wanted / kernel.vector * kernel.carried <= machine.registers / 2)
      wanted *= 2;
  schedule.lanes = fitLanes(kernel.last, wanted, schedule.masked);
  int64_t lanes = schedule.lanes;
  int64_t chunk = kernel.hasOuter ? kRowChunk : kVectorsOfChunk * lanes;
  // A second pass over the rows would be another item's as well.
  if (kernel.carried > 0)
    chunk = isAlone ? lanes : kColumnLanes;
  chunk = std::max(chunk / lanes * lanes, lanes);
  if (kernel.last)
    chunk = std::max<int64_t>(std::min(chunk, *kernel.last), 1);
  schedule.chunk = chunk;
  schedule.sumBlock = kernel.addsFloats ? kSumBlock : 0;
  schedule.grain = getGrain(
      machine, multiply(multiply(chunk, kernel.inner), schedule.points));
  return schedule;
}

NestLanes loop::chooseNestLanes(const NestShape &nest,
                                const Machine &machine) {
  bool masked = machine.masks && !nest.traps;
  switch (nest.kind) {
  case NestShape::Kind::Ordered:
    return {};
  case NestShape::Kind::Scan:
    // Every lane is joined with as many others as lanes have bits: one vector.
    return {nest.wanted == 1 ? 1 : fitLanes(nest.row, nest.vector, masked), 1};
  case NestShape::Kind::Pointwise:
    return {nest.hasOwn ? fitLanes(nest.own, nest.vector, masked) : 1, 1};
  case NestShape::Kind::Reduction:
    break;
  }
  int64_t wanted = nest.wanted.value_or(nest.vector);
  // The few taps of a window fill no vector, its neighbours do.
  bool isWindow = nest.row && 2 * *nest.row <= nest.vector &&
                  nest.own.value_or(0) >= nest.vector;
  if (wanted == 1 || isWindow) {
    int64_t beside =
        nest.hasOwn ? fitLanes(nest.own, nest.vector, masked) : 1;
    if (beside > 1)
      return {1, beside};
    wanted = nest.vector; // a single row has no neighbours
  }
  return {fitLanes(nest.row, wanted, masked), 1};
}

int64_t loop::chooseRowLanes(int64_t vector, int64_t cost, int64_t length) {
  int64_t vectors = cost <= 8 ? 4 : 2;
  // A row is several times as long as its lanes.
  while (vectors > 1 && 4 * vectors * vector > length)
    vectors /= 2;
  return vectors * vector;
}

std::optional<TransposeSchedule>
loop::chooseTranspose(Size last, Size other, int64_t vector, bool traps,
                      const Machine &machine) {
  auto isShort = [&](Size extent) { return extent && *extent < vector / 2; };
  if (!machine.masks || traps || vector < 4 || vector > kBlock ||
      isShort(last) || isShort(other))
    return std::nullopt;
  return TransposeSchedule{vector, kBlock, kBlocksForThread};
}

ScatterSchedule loop::chooseScatter(const ScatterShape &scatter,
                                    const Machine &machine) {
  ScatterSchedule schedule;
  schedule.masked = machine.masks && !scatter.traps;
  schedule.lanes = fitLanes(scatter.last, scatter.vector, schedule.masked);
  schedule.columns = 0;
  int64_t points = scatter.points;
  // Every item finds out where all points go, which few vectors of each are worth, if there
  // are not items enough.
  int64_t least = kVectorsOfColumns * schedule.lanes;
  if (scatter.columns > least && scatter.items < kMostColumnItems) {
    int64_t part = llvm::divideCeil(scatter.columns, kMostColumnItems);
    schedule.columns = std::max<int64_t>(
        llvm::alignTo(part, schedule.lanes), least);
    points = points / scatter.columns * schedule.columns;
  }
  schedule.grain = getGrain(machine, points);
  return schedule;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool loop::isWorthPacking(const ProductShape &product) {
  if (product.isEmpty())
    return false;
  // A row or a column of each channel, as in a depthwise convolution: what is packed
  // is used once, and neighbours are found along the channels.
  if (product.cBatch && product.batch != 1 &&
      (product.m == 1 || product.n == 1))
    return false;
  if (!product.m || !product.n || !product.k)
    return true;
  auto times = [](uint64_t x, uint64_t y) {
    return llvm::SaturatingMultiply(x, y);
  };
  uint64_t size = times(times(*product.m, *product.n), *product.k);
  if (size >= kMinProduct)
    return true;
  // A panel of B is read by a tile of rows at least, and compiling it pays.
  return *product.m > kSkinnyRows && size >= kMinProductOfBatch &&
         times(size, times(product.batch.value_or(1),
                           product.outer.value_or(1))) >= kMinProduct;
}

double loop::getTileSpeed(int64_t rows, int64_t vectors,
                          const Machine &machine) {
  double sums = double(rows * vectors), loads = double(rows + vectors);
  double perLoad = machine.registers >= 32 ? kSumsOfWideLoad : 1;
  double speed = std::min({1.0, sums / kChains, sums / (perLoad * loads)});
  bool spills = rows * vectors + vectors + 1 > machine.registers;
  return spills ? speed / 3 : speed;
}

/// Vectors of columns of a register tile, whose sums fill `sums` registers: few
/// loads, and few columns and rows that do not count.
static int64_t chooseTileVectors(int64_t sums, int64_t lanes,
                                 const ProductShape &product,
                                 const Machine &machine) {
  if (!product.n)
    return kUnknownVectors;
  int64_t best = 0;
  double least = 0;
  for (int64_t vectors : {4, 3, 2}) {
    int64_t rows = sums / vectors, m = product.m.value_or(0);
    if (m > 0)
      rows = divideUp(m, divideUp(m, rows));
    double padded = double(m > 0 ? roundUp(m, rows) : 1) *
                    double(roundUp(*product.n, vectors * lanes));
    double time = padded / getTileSpeed(rows, vectors, machine);
    if (best == 0 || time < kNarrowTile * least) {
      best = vectors;
      least = time;
    }
  }
  return best;
}

/// Rows and columns of a register tile: 24 vectors of sums in 32 registers, 12
/// in 16, or tiles of AMX, of which four hold sums and four factors.
static void chooseTile(PackedSchedule &s, const ProductShape &product,
                       const Machine &machine) {
  bool wide = machine.registers >= 32;
  int64_t sums = wide ? 24 : 12, vectors = 2;
  // One vector of columns leaves registers for twice as many rows.
  if (product.n && *product.n <= s.lanes)
    vectors = 1;
  else if (wide && s.unit == DotUnit::Fma)
    vectors = chooseTileVectors(sums, s.lanes, product, machine);
  s.tileRows = sums / vectors;
  // Few rows of zeros in the last tile.
  if (product.m && *product.m > 0)
    s.tileRows = divideUp(*product.m, divideUp(*product.m, s.tileRows));
  s.tileColumns = vectors * s.lanes;
  if (s.unit == DotUnit::Tiles)
    s.tileRows = product.m && *product.m <= s.lanes ? s.lanes : 2 * s.lanes;
}

/// Steps of `k` that are one block if A is read in place: all, some runs, or an equal part
/// of one. 0 if there is no such block of a fair size.
static int64_t getDepthInPlace(int64_t k, int64_t run, int64_t lanes) {
  if (k <= kMaxDepthInPlace)
    return roundUp(k, lanes);
  int64_t together = std::lcm(run, lanes);
  if (together <= kMaxDepthInPlace) {
    int64_t blocks = divideUp(k, kMaxDepthInPlace / together * together);
    return roundUp(divideUp(k, blocks), together);
  }
  for (int64_t parts = divideUp(run, kMaxDepthInPlace);
       parts <= 4 * divideUp(run, kMaxDepthInPlace); ++parts)
    if (run % (parts * lanes) == 0)
      return run / parts;
  return 0;
}

/// Has A read where it lies, if it can be and packing it is work that counts: few vectors of
/// columns multiply what is packed.
static void readInPlace(PackedSchedule &s, const ProductShape &product,
                        const Machine &machine) {
  DotUnit unit = product.ofBF16    ? DotUnit::Pairs
                 : product.ofBytes ? DotUnit::Quads
                                   : DotUnit::Fma;
  if (s.unit != unit || product.sumBits != 32 || !product.k || !product.n)
    return;
  // Steps of runs, each of a factor or a word of them.
  int64_t together = getFactorsOfWord(s.unit);
  int64_t k = *product.k / together, run = product.aRun / together;
  if (product.aRun % together != 0 || product.aRun < kMinRunInPlace ||
      (product.aIsMatrix &&
       (*product.n > kMaxColumnsInPlace || k > kMaxDepthInPlace)))
    return;
  int64_t depth = getDepthInPlace(k, run, s.lanes);
  if (depth == 0)
    return;
  s.inPlace = true;
  s.blockDepth = depth * together;
  bool wide = machine.registers >= 32;
  int64_t all = divideUp(std::max<int64_t>(*product.n, 1), s.lanes);
  int64_t vectors = std::min<int64_t>(all, 2);
  if (wide && all > 1)
    vectors = chooseTileVectors(24, s.lanes, product, machine);
  s.tileRows = std::min((wide ? 24 : 12) / vectors, kMaxRowsInPlace);
  s.tileColumns = vectors * s.lanes;
  if (product.m && *product.m > 0)
    s.tileRows = divideUp(*product.m, divideUp(*product.m, s.tileRows));
}

/// Cuts rows and columns into items of one size, into more of them where threads then
/// finish together: four items of 132 x 256 and 132 x 128 keep one of two threads
/// waiting for a quarter of the time, four of 132 x 192 none.
static void levelItems(PackedSchedule &s, const ProductShape &product,
                       const Machine &machine) {
  int64_t n = std::max<int64_t>(*product.n, 1);
  double packing =
      s.unit == DotUnit::Tiles ? kPackingWorkOfTiles : kPackingWork;
  auto getColumns = [&](int64_t items) {
    return roundUp(divideUp(n, items), s.tileColumns);
  };
  int64_t columnItems = divideUp(n, s.itemColumns);
  if (!product.m || !product.batch || *product.m <= 0) {
    s.itemColumns = getColumns(columnItems);
  } else {
    int64_t m = *product.m, rowItems = divideUp(m, s.itemRows);
    auto getRows = [&](int64_t items) {
      return roundUp(divideUp(m, items), s.tileRows);
    };
    // Of the thread that has most to do: products, and what is packed for them.
    auto getTime = [&](int64_t rows, int64_t columns) {
      int64_t items = multiply(*product.batch, multiply(divideUp(m, rows),
                                                        divideUp(n, columns)));
      return double(divideUp(items, machine.threads)) *
             (double(rows) * double(columns) + packing * double(rows + columns));
    };
    int64_t rows = getRows(rowItems), columns = getColumns(columnItems);
    double best = kWorthCutting * getTime(rows, columns);
    // With many items threads finish together anyway.
    int64_t most = kMostLevelled * machine.threads;
    for (int64_t r = rowItems; r <= std::min(2 * rowItems, most); ++r)
      for (int64_t c = columnItems; c <= std::min(2 * columnItems, most / r); ++c)
        if (double time = getTime(getRows(r), getColumns(c)); time < best) {
          best = time;
          rows = getRows(r);
          columns = getColumns(c);
        }
    s.itemRows = rows;
    s.itemColumns = columns;
  }
  s.blockRows = std::min(s.blockRows, s.itemRows);
  s.blockRows = roundUp(divideUp(s.itemRows, divideUp(s.itemRows, s.blockRows)),
                        s.tileRows);
}

PackedSchedule loop::choosePacked(const ProductShape &product,
                                  const Machine &machine) {
  PackedSchedule s;
  s.unit = product.ofBF16    ? machine.bf16
           : product.ofBytes ? machine.bytes
                             : DotUnit::Fma;
  bool isFma = s.unit == DotUnit::Fma;
  // Of what is packed.
  int64_t bytes = product.sumBits / 8 / getFactorsOfWord(s.unit);
  s.lanes = machine.vectorBits / product.sumBits;
  s.unroll = std::min<int64_t>(4, s.lanes);
  s.masked = machine.masks || !isFma;
  s.grain = 1;
  chooseTile(s, product, machine);
  // Long passes over k amortise the loads and stores of sums.
  s.blockDepth = s.unit == DotUnit::Tiles
                     ? kTileBytes / ((s.tileRows + s.tileColumns) * bytes)
                     : 4096 / bytes;
  int64_t together = s.lanes * getFactorsOfWord(s.unit);
  if (product.k) {
    int64_t k = std::max<int64_t>(*product.k, 1);
    s.blockDepth = roundUp(divideUp(k, divideUp(k, s.blockDepth)), together);
  }
  readInPlace(s, product, machine);
  // Packed rows of A are read again for each panel of B.
  int64_t rows = std::min(machine.l2Bytes, kPackedBytes) /
                 (s.blockDepth * bytes);
  s.blockRows = std::clamp<int64_t>(rows / s.tileRows, 1, 40) * s.tileRows;
  s.itemRows = std::max<int64_t>(kItemRows / s.blockRows, 1) * s.blockRows;
  if (product.m) {
    int64_t padded =
        roundUp(std::max<int64_t>(*product.m, 1), s.tileRows);
    s.blockRows = std::min(s.blockRows, padded);
    int64_t items = divideUp(padded, s.itemRows);
    s.itemRows = roundUp(divideUp(padded, items), s.tileRows);
  }
  bool isTiles = s.unit == DotUnit::Tiles;
  s.itemColumns = roundUp(isTiles && product.n ? kItemColumnsOfTiles : kItemColumns,
                          s.tileColumns);
  if (!product.n)
    return s;
  int64_t n = std::max<int64_t>(*product.n, 1);
  auto items = [&](int64_t itemColumns) {
    int64_t rows = product.m ? divideUp(*product.m, s.itemRows) : 1;
    return multiply(product.batch.value_or(1),
                    multiply(rows, divideUp(n, itemColumns)));
  };
  int64_t work = multiply(multiply(product.batch.value_or(1), n),
                          multiply(product.m.value_or(1), product.k.value_or(1)));
  // What AMX multiplies takes so little time that packing it twice is dearer than waiting.
  int64_t many = (isTiles ? 1 : kWantedItems) * machine.threads;
  int64_t few = std::min(kWantedItems * 2, many);
  int64_t wanted = std::clamp(
      work / (isTiles ? kItemWorkOfTiles : kItemWork), few, many);
  // Wide items pack A less often. Sums that stay for another block of k fill
  // caches.
  int64_t most = isTiles ? 1 : product.k && *product.k <= s.blockDepth ? 4 : 2;
  for (int64_t wider = 2;
       wider <= most && items(2 * s.itemColumns) >= 2 * wanted; wider *= 2)
    s.itemColumns *= 2;
  s.itemColumns = std::min(s.itemColumns, roundUp(n, s.tileColumns));
  // The longer side is cut: what is packed for it is packed less often.
  while (items(s.itemColumns) < wanted) {
    if (product.m && s.itemRows >= s.itemColumns + (isTiles ? 0 : 1) &&
        s.itemRows >= 2 * s.tileRows)
      s.itemRows = roundUp(s.itemRows / 2, s.tileRows);
    else if (s.itemColumns >= 2 * s.tileColumns)
      s.itemColumns = s.itemColumns / 2 / s.tileColumns * s.tileColumns;
    else
      break;
  }
  levelItems(s, product, machine);
  return s;
}

ProductSchedule loop::chooseProduct(const ProductShape &product,
                                    const Machine &machine) {
  PackedSchedule packed = choosePacked(product, machine);
  bool few = product.isRegular && product.m && *product.m <= kSkinnyRows;
  if (few && product.bRows && product.cRows)
    return SkinnyRowsSchedule{packed.lanes, 32 * packed.lanes, /*unroll=*/8,
                              machine.masks, /*grain=*/1};
  if (few && product.bColumns && product.aRows) {
    // Two columns where their sums are few vectors, one of more rows.
    int64_t columns = *product.m <= (machine.registers >= 32 ? 12 : 6) ? 2 : 1;
    return SkinnyColumnsSchedule{packed.lanes, /*itemColumns=*/96, columns,
                                 machine.masks, /*grain=*/1};
  }
  return packed;
}

//===----------------------------------------------------------------------===//
// Products and rows in blocks
//===----------------------------------------------------------------------===//

int64_t loop::chooseBlockRows(const BlocksShape &kernel,
                              const Machine &machine) {
  int64_t tile = machine.registers >= 32 ? 12 : 6;
  int64_t rows = kUnknownBlockRows;
  if (kernel.rowBytes)
    rows = machine.l2Bytes / 2 / std::max<int64_t>(*kernel.rowBytes, 1);
  rows = std::clamp(rows, kMinBlockRows, kMaxBlockRows) / tile * tile;
  if (!kernel.rows)
    return rows;
  int64_t all = std::max<int64_t>(*kernel.rows, 1);
  auto items = [&](int64_t block) {
    return multiply(kernel.points.value_or(1), divideUp(all, block));
  };
  int64_t wanted = 2 * kWantedItems * machine.threads;
  while (items(rows) < wanted && rows >= 2 * kMinBlockRows)
    rows = roundUp(rows / 2, tile);
  // Blocks of one size, and no larger than what there is.
  return roundUp(divideUp(all, divideUp(all, rows)), std::min(tile, all));
}

PackedSchedule loop::chooseBlockSum(ProductShape product, int64_t rows,
                                    const Machine &machine) {
  product.k = rows;
  product.aRun = 0; // of a block, packed rows serve many panels
  PackedSchedule s = choosePacked(product, machine);
  // Rows of A are packed once a block, and panels of columns where they are used.
  s.itemRows = s.blockRows;
  s.itemColumns = roundUp(std::min(product.n.value_or(kBlockColumns),
                                   kBlockColumns),
                          s.tileColumns);
  return s;
}

PackedSchedule loop::chooseBlockProduct(ProductShape product, int64_t rows,
                                        const Machine &machine) {
  product.m = rows;
  product.aRun = 0;
  PackedSchedule s = choosePacked(product, machine);
  s.blockRows = s.itemRows = roundUp(rows, s.tileRows);
  s.itemColumns = roundUp(std::min(product.n.value_or(kBlockColumns),
                                   kBlockColumns),
                          s.tileColumns);
  return s;
}
