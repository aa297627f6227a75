//===- GPUSchedules.cpp - How kernels are best emitted for a GPU ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace kiln;
using namespace kiln::loop;

/// Bytes of one access of a thread, the most there are.
static constexpr int64_t kAccess = 16;
/// Elements of a row that a thread keeps in registers before more threads share it,
/// and at most, and those that it sorts.
static constexpr int64_t kKept = 32, kMostKept = 64, kSorted = 8;
/// The most threads that share a row.
static constexpr int64_t kMostRowThreads = 1024;

/// Vectors of a row from which on it is worth to have what is before and behind
/// them apart: a warp's, which then has elements enough for both.
static constexpr int64_t kPeeled = 32;
/// Elements of such a row that a thread keeps at most.
static constexpr int64_t kMostPeeled = 128;

/// Vectors of a row of a matrix that a thread reads at a time.
static constexpr int64_t kRowVectors = 4;

/// Elements of a column that a thread reduces at least, where a reduction is done in parts,
/// vectors of a row, for each of which it waits, and the most parts.
static constexpr int64_t kPart = 16, kPartVectors = 4, kMostParts = 4096;
/// Threads that share the elements of a scatter, at most.
static constexpr int64_t kMostOwners = 1024;
/// Points of a tile in each direction: 128 bytes of the narrower elements, of which a
/// line consists.
static constexpr int64_t kSide = 64;

/// Lanes so that the narrowest elements are one access; of the widest no more than
/// two, since what a thread has in flight costs registers.
static int64_t getLanes(int64_t narrow, int64_t wide) {
  int64_t lanes = kAccess / std::clamp<int64_t>(narrow, 1, kAccess);
  while (lanes > 1 && lanes * wide > 2 * kAccess)
    lanes /= 2;
  return lanes;
}

/// The largest power of two up to `lanes` that divides `extent`.
static int64_t divide(Size extent, int64_t lanes) {
  while (lanes > 1 && (!extent || *extent % lanes != 0))
    lanes /= 2;
  return lanes;
}

FusionOptions loop::getGPUFusionOptions(const GPUMachine &machine) {
  FusionOptions options;
  options.minWorkItems = machine.multiprocessors;
  options.minAcrossItems = machine.multiprocessors * machine.threads / 4;
  options.smallKernelPoints = kGPUBlock * kMostKept;
  options.sharedRow = kMostKept * kMostRowThreads;
  // The other half is for what is computed with.
  options.maxRowBytes = machine.registers * 4 / 2;
  return options;
}

GPUAcrossSchedule loop::chooseGPUAcross(const GPUAcrossShape &kernel,
                                        const GPUMachine &machine) {
  int64_t lanes = kernel.canVector ? getLanes(kernel.narrow, kernel.wide) : 1;
  // Where rows begin anywhere, vectors would be read element by element.
  if (kernel.last || kernel.hasOuter)
    lanes = divide(kernel.last, lanes);
  // Rather all multiprocessors than whole vectors.
  while (lanes > 1 && kernel.points &&
         *kernel.points / lanes < machine.multiprocessors * kGPUBlock)
    lanes /= 2;
  return {kGPUBlock, lanes, kernel.addsFloats ? kSumBlock : 0};
}

GPURowsSchedule loop::chooseGPURows(const GPURowsShape &kernel) {
  int64_t wanted = getLanes(kernel.narrow, kernel.wide);
  int64_t lanes = divide(kernel.last, wanted);
  if (!kernel.size)
    return {kGPUBlock, 1, lanes, 0};
  bool isPeeled = kernel.canPeel && *kernel.size >= kPeeled * wanted &&
                  *kernel.size % wanted != 0;
  if (isPeeled)
    lanes = wanted;
  int64_t vectors = std::max<int64_t>(llvm::divideCeil(*kernel.size, lanes), 2);
  int64_t threads = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), kGPUBlock);
  auto getSteps = [&] {
    return std::max<int64_t>(llvm::divideCeil(*kernel.size, threads * lanes), 1);
  };
  // Sorts wait for one element after the other, and few blocks have room for a long row.
  int64_t kept = kernel.isSorted ? kSorted : kKept;
  // Two blocks of 1024 threads share no multiprocessor where they keep a row,
  // and each thread has few registers beside it: with long rows half as many
  // are faster.
  int64_t most = isPeeled ? 512 : kMostRowThreads;
  while (threads < most && threads * 2 <= vectors && getSteps() * lanes > kept)
    threads *= 2;
  int64_t steps = getSteps();
  if (steps * lanes > (isPeeled ? kMostPeeled : kMostKept))
    steps = 0;
  // Parts of warps fill blocks of four warps.
  int64_t rows = threads <= 32 ? 128 / threads : 1;
  return {threads, rows, lanes, steps};
}

GPURowsSchedule loop::chooseGPUVectorProduct(int64_t size, int64_t last,
                                             int64_t bytes) {
  int64_t lanes = divide(last, getLanes(bytes, bytes));
  int64_t vectors = llvm::divideCeil(size, lanes);
  int64_t threads = std::clamp<int64_t>(
      llvm::PowerOf2Ceil(llvm::divideCeil(vectors, kRowVectors)), 4, kGPUBlock);
  int64_t steps = llvm::divideCeil(vectors, threads);
  int64_t rows = threads <= 32 ? 128 / threads : 1;
  return {threads, rows, lanes, steps * lanes <= kMostKept ? steps : 0};
}

std::optional<GPUPartsSchedule>
loop::chooseGPUParts(const GPUPartsShape &kernel, const GPUMachine &machine) {
  int64_t lanes = kernel.canVector
                      ? divide(kernel.last, getLanes(kernel.narrow, kernel.wide))
                      : 1;
  // So many threads have enough in flight to wait for memory and not for each other;
  // more make more parts, which somebody has to combine.
  int64_t resident = machine.multiprocessors * machine.threads;
  int64_t parts, most;
  if (kernel.across) {
    int64_t vectors = std::max<int64_t>(kernel.points / lanes, 1);
    parts = resident / 4 / vectors;
    most = kernel.size / kPart;
  } else {
    parts = resident / 2 / kGPUBlock / std::max<int64_t>(kernel.points, 1);
    most = kernel.size / (kGPUBlock * lanes * kPartVectors);
  }
  parts = std::min({parts, most, kMostParts});
  if (parts < 2)
    return std::nullopt;
  return GPUPartsSchedule{kGPUBlock, lanes, parts};
}

int64_t loop::chooseGPUOwners(int64_t points, int64_t steps,
                              const GPUMachine &machine) {
  // Each of them looks at all points: more would wait for each other, not for
  // memory.
  int64_t wanted =
      machine.multiprocessors * kGPUBlock / 2 / std::max<int64_t>(points, 1);
  wanted = std::min({wanted, steps, kMostOwners});
  return wanted > 1 ? llvm::bit_floor(uint64_t(wanted)) : 1;
}

std::optional<GPUTileSchedule> loop::chooseGPUTile(const GPUTileShape &kernel) {
  for (Size extent : {kernel.rows, kernel.columns})
    if (extent && *extent < kSide / 4)
      return std::nullopt;
  int64_t lanes = divide(kernel.columns, getLanes(kernel.narrow, kernel.wide));
  return GPUTileSchedule{kGPUBlock, divide(kernel.rows, lanes), kSide};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A tile and the multiplications and additions that a multiprocessor does in a cycle
/// with it, however many blocks that takes. For matrix units both count factors of 16
/// bits; of wider ones a step has fewer. That of warpgroups is for what threads bring them:
/// what a copy engine brings is counted itself.
struct ProductTile {
  ProductUnit unit;
  int64_t rows, columns, sum, partRows, partColumns, stages;
  double rate;
};
} // namespace

static constexpr ProductTile kProductTiles[] = {
    {ProductUnit::Wgmma, 128, 256, 64, 64, 256, 4, 1700},
    {ProductUnit::Wgmma, 192, 192, 64, 64, 192, 4, 0},
    {ProductUnit::Wgmma, 128, 192, 64, 64, 192, 5, 1580},
    {ProductUnit::Wgmma, 128, 128, 64, 64, 128, 6, 1400},
    {ProductUnit::Wgmma, 64, 256, 64, 64, 256, 4, 900},
    {ProductUnit::Wgmma, 64, 128, 64, 64, 128, 8, 600},
    {ProductUnit::Wgmma, 128, 64, 64, 64, 64, 8, 800},
    {ProductUnit::Wgmma, 64, 64, 64, 64, 64, 8, 350},
    {ProductUnit::Mma, 128, 256, 64, 64, 64, 3, 730},
    {ProductUnit::Mma, 256, 128, 64, 64, 64, 3, 730},
    {ProductUnit::Mma, 128, 128, 64, 64, 64, 3, 690},
    {ProductUnit::Mma, 128, 128, 32, 64, 64, 4, 630},
    {ProductUnit::Mma, 128, 64, 64, 64, 32, 3, 500},
    {ProductUnit::Mma, 64, 128, 64, 32, 64, 3, 470},
    {ProductUnit::Mma, 64, 64, 64, 32, 32, 3, 380},
    {ProductUnit::Mma, 32, 64, 64, 16, 32, 4, 240},
    {ProductUnit::Mma, 16, 64, 64, 16, 16, 5, 140},
    {ProductUnit::Mma, 64, 16, 64, 16, 16, 5, 140},
    {ProductUnit::Fma, 128, 128, 16, 8, 8, 2, 100},
    {ProductUnit::Fma, 128, 64, 16, 8, 4, 3, 75},
    {ProductUnit::Fma, 64, 128, 16, 4, 8, 3, 75},
    {ProductUnit::Fma, 64, 64, 16, 4, 4, 3, 65},
    {ProductUnit::Fma, 32, 32, 16, 4, 4, 4, 35},
    {ProductUnit::Fma, 16, 64, 16, 4, 4, 4, 30},
};

/// Steps' worth of a sum that starting and finishing a tile takes, bytes of memory that
/// pass in a cycle, and cycles until another function has started.
static constexpr double kTileCost = 160, kBytesPerCycle = 1800, kLaunch = 5000;
/// Cycles until the first function multiplies, and sums that a warpgroup finishes in one.
static constexpr double kStart = 2500, kFinished = 8;
/// What is left of the rate of warpgroups to which threads bring an operand.
static constexpr double kGathered = 0.75;
/// Multiplications and additions of warpgroups in a cycle; bytes of a cache that reach a
/// multiprocessor in one, alone and with all others, and how often those count that do
/// not begin where a line of the cache does.
static constexpr double kBroughtRate = 1700, kProcessorBytes = 72,
                        kSharedBytes = 46, kApart = 2;
/// What a schedule must be better than one before it, whose tile is larger or its sum less
/// split: it reads less, and leaves more of the power to multiply.
static constexpr double kWorthOther = 0.98;
/// What is felt of the shorter of multiplying and reading.
static constexpr double kOverlapped = 0.1;
/// The most rows of tiles that are visited together, and parts of a sum.
static constexpr int64_t kMostGroup = 32, kMostSplit = 16;

/// The tile for factors of so many bytes. Where neighbours are fewer than a thread can
/// copy together, it is copies that take the time.
static ProductTile getTileFor(ProductTile tile, const GPUProductShape &product) {
  if (tile.unit == ProductUnit::Fma)
    return tile;
  tile.sum = tile.sum * 2 / product.bytes;
  tile.rate = tile.rate * 2 / product.bytes;
  if (tile.unit == ProductUnit::Mma)
    tile.rate = tile.rate * product.together / kAccess;
  return tile;
}

static int64_t getProductShared(const ProductTile &tile,
                                const GPUProductShape &product) {
  bool isFma = tile.unit == ProductUnit::Fma;
  if (tile.unit == ProductUnit::Wgmma)
    // Across the sum as many elements come at a time as along it.
    return tile.stages * ((llvm::alignTo(tile.rows, tile.sum) +
                           llvm::alignTo(tile.columns, tile.sum)) *
                              128 +
                          16) +
           tile.rows * 160;
  int64_t bytes = isFma ? product.sumBytes : product.bytes;
  // A row more, for the units by which rows are set apart.
  int64_t stage = (tile.rows + tile.columns) * tile.sum * bytes +
                  std::max({tile.rows, tile.columns, tile.sum}) * 32 + 256;
  int64_t sums = tile.rows * (tile.columns + 8) * product.sumBytes;
  return std::max(tile.stages * stage, sums);
}

/// Rows of tiles that are visited together, so that what all multiprocessors read at a time
/// is as high as it is wide: then it is the least. Clusters, whose tiles are one row here,
/// read columns half as often, and are better off with half of that height.
static int64_t getGroup(const ProductTile &tile, int64_t cluster,
                        const GPUMachine &machine) {
  double side = std::sqrt(double(std::max<int64_t>(machine.multiprocessors, 1)) *
                          tile.rows * tile.columns);
  int64_t group = std::llround(side / (tile.rows * cluster * cluster));
  return std::min<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(group, 1)),
                           kMostGroup);
}

/// Blocks, as many as `cluster` says for each tile of so many rows more.
static int64_t countBlocks(const ProductTile &tile, int64_t split,
                           int64_t cluster, const GPUProductShape &product) {
  return llvm::divideCeil(product.rows, tile.rows * cluster) * cluster *
         llvm::divideCeil(product.columns, tile.columns) * product.matrices *
         split;
}

/// Blocks that share what the copy engine brings of the columns' factors, tiles
/// of whole 64 columns each: worth to wait for each other where caches do not
/// hold the factors of a matrix, those that are visited together. The last rows
/// fill up both tiles, which must not take one more round.
static int64_t getCluster(const ProductTile &tile, int64_t split,
                          const GPUProductShape &product,
                          const GPUMachine &machine) {
  double factors =
      (double(product.rows) + product.columns) * product.sum * product.bytes;
  bool isWorth = tile.unit == ProductUnit::Wgmma && product.inBoxes &&
                 tile.columns % 128 == 0 && product.knowsRows &&
                 product.rows > tile.rows && machine.multiprocessors > 1 &&
                 factors > 2.0 * machine.l2;
  if (!isWorth)
    return 1;
  auto countRounds = [&](int64_t cluster) {
    return llvm::divideCeil(countBlocks(tile, split, cluster, product),
                            machine.multiprocessors / cluster * cluster);
  };
  return countRounds(2) <= countRounds(1) ? 2 : 1;
}

/// Cycles that so many blocks take at a time, each a tile that a copy engine brings: as
/// long as multiplying, or as the cache has it.
static double getBroughtRound(const ProductTile &tile, double sum, double blocks,
                              const GPUProductShape &product,
                              const GPUMachine &machine) {
  if (blocks == 0)
    return 0;
  double steps = std::ceil(sum / tile.sum);
  double multiplied = double(tile.rows) * tile.columns * tile.sum /
                      (kBroughtRate * 2 / product.bytes);
  // Nothing is brought of what is outside.
  double lines = double(std::min(tile.rows, product.rows)) +
                 std::min(tile.columns, product.columns);
  double bytes = lines * tile.sum * product.bytes *
                 (product.beginsLines ? 1 : kApart);
  double share = std::min(kProcessorBytes,
                          kSharedBytes * machine.multiprocessors / blocks);
  return steps * std::max(multiplied, bytes / share) +
         double(tile.partRows) * tile.partColumns / kFinished;
}

/// Cycles that a product takes, about.
static double getCost(const ProductTile &tile, int64_t split,
                      const GPUProductShape &product,
                      const GPUMachine &machine) {
  int64_t processors = std::max<int64_t>(machine.multiprocessors, 1);
  int64_t blocks = countBlocks(tile, split, /*cluster=*/1, product);
  double sum = std::ceil(double(product.sum) / split);
  double cycles = kStart;
  if (tile.unit == ProductUnit::Wgmma && product.inBoxes) {
    cycles += blocks / processors *
                  getBroughtRound(tile, sum, processors, product, machine) +
              getBroughtRound(tile, sum, blocks % processors, product, machine);
  } else {
    double rate =
        tile.unit == ProductUnit::Wgmma ? tile.rate * kGathered : tile.rate;
    cycles += llvm::divideCeil(blocks, processors) *
              (double(tile.rows) * tile.columns * (sum + kTileCost) / rate);
  }
  double elements = double(product.rows) * product.columns * product.matrices;
  // Memory takes its time whatever multiplies. Windows are read several times.
  if (product.inBoxes) {
    double factors = (double(product.rows) + product.columns) * product.sum *
                     product.matrices;
    double memory = (factors + elements) * product.bytes / kBytesPerCycle;
    cycles =
        std::max(cycles, memory) + kOverlapped * std::min(cycles, memory);
  }
  if (split == 1)
    return cycles;
  return cycles + kLaunch +
         elements * product.sumBytes * 2 * split / kBytesPerCycle;
}

/// The best schedule of each tile, and its cycles, in the order of tiles.
static std::vector<std::pair<GPUProductSchedule, double>>
findGPUProducts(const GPUProductShape &product, const GPUMachine &machine) {
  bool isBrought =
      (product.inBoxes || product.isGathered) && machine.hasWarpgroups;
  auto mayBe = [&](ProductUnit unit) {
    return product.onUnits
               ? unit == ProductUnit::Mma ||
                     (unit == ProductUnit::Wgmma && isBrought)
               : unit == ProductUnit::Fma;
  };
  std::vector<std::pair<GPUProductSchedule, double>> list;
  for (const ProductTile &each : kProductTiles) {
    ProductTile tile = getTileFor(each, product);
    // Threads that bring what a copy engine does not have 128 rows.
    if (!mayBe(tile.unit) || (tile.rate == 0 && !product.inBoxes) ||
        getProductShared(tile, product) > machine.shared)
      continue;
    GPUProductSchedule best = {};
    double least = 0;
    for (int64_t split = 1; split <= kMostSplit; split *= 2) {
      if (split > 1 && product.sum < split * tile.sum * tile.stages)
        break;
      double cost = getCost(tile, split, product, machine);
      if (best.rows && cost >= least * kWorthOther)
        continue;
      least = cost;
      int64_t cluster = getCluster(tile, split, product, machine);
      // One stays on each multiprocessor.
      int64_t blocks = tile.unit == ProductUnit::Wgmma
                           ? machine.multiprocessors / cluster * cluster
                           : 0;
      best = {tile.unit,     tile.rows,        tile.columns, tile.sum,
              tile.partRows, tile.partColumns, tile.stages,
              getGroup(tile, cluster, machine), split, blocks, cluster};
    }
    list.push_back({best, least});
  }
  return list;
}

/// The best schedule, and its cycles; nothing and 0 where no tile fits.
static std::pair<GPUProductSchedule, double>
findGPUProduct(const GPUProductShape &product, const GPUMachine &machine) {
  std::pair<GPUProductSchedule, double> best = {{}, 0};
  for (const auto &tile : findGPUProducts(product, machine))
    if (!best.first.rows || tile.second < best.second)
      best = tile;
  return best;
}

std::vector<GPUProductSchedule>
loop::getGPUProducts(const GPUProductShape &product, const GPUMachine &machine) {
  auto list = findGPUProducts(product, machine);
  std::vector<size_t> order(list.size());
  std::iota(order.begin(), order.end(), size_t(0));
  // Of equally good ones the first stays the first.
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(list[a].second, a) < std::pair(list[b].second, b);
  });
  std::vector<GPUProductSchedule> schedules;
  for (size_t i : order)
    schedules.push_back(list[i].first);
  return schedules;
}

GPUProductSchedule loop::chooseGPUProduct(const GPUProductShape &product,
                                          const GPUMachine &machine) {
  return findGPUProduct(product, machine).first;
}

double loop::estimateGPUProduct(const GPUProductShape &product,
                                const GPUMachine &machine) {
  return findGPUProduct(product, machine).second;
}

double loop::estimateGPUCopies(int64_t kernels, double bytes) {
  return kernels * kLaunch + bytes / kBytesPerCycle;
}

//===----------------------------------------------------------------------===//
// Two products and the rows between them
//===----------------------------------------------------------------------===//

/// Sums that a thread has in registers, of both products together, at most; the most
/// columns of a result, and blocks that take turns in reading the same columns.
static constexpr int64_t kMostSums = 160, kMostResult = 256, kBlockGroup = 16;
/// Rows from which on a warp has 32 of them: it reads the columns' factors half as often,
/// and there are still four warps.
static constexpr int64_t kLongParts = 128;

/// Tiles of warpgroups for results of up to so many columns, the better ones first. Two
/// blocks of 64 rows share a multiprocessor: one begins or ends while the other multiplies,
/// which counts where walks are short, and where exponentials take as long as products.
static constexpr struct {
  int64_t resultColumns, leastColumns, rows, columns;
} kWarpgroupTiles[] = {
    {64, 1, 64, 128},  {128, 2048, 128, 128}, {128, 1, 64, 64},
    {256, 1, 128, 64}, {256, 1, 64, 64},
};

/// Columns of a tile, at most, where memory is read at each score.
static constexpr int64_t kReadColumns = 64;

/// A tile of warpgroups; nothing where rows are few.
static std::optional<GPUBlocksSchedule>
chooseWarpgroupBlocks(const GPUBlocksShape &kernel, const GPUMachine &machine) {
  constexpr int64_t stages = 2, chunk = 64, partRows = 16, barriers = 128;
  auto getRow = [](int64_t elements) {
    return int64_t(llvm::alignTo(elements, chunk)) * 2;
  };
  for (const auto &tile : kWarpgroupTiles) {
    int64_t row = getRow(kernel.scoreSum);
    // What is read takes registers.
    int64_t columns = std::min(tile.columns, kernel.readsColumns ? kReadColumns
                                                                 : tile.columns);
    int64_t shared =
        tile.rows * row +
        stages * columns * (row + getRow(kernel.resultColumns)) + barriers;
    int64_t blocks = kernel.points * llvm::divideCeil(kernel.rows, tile.rows);
    int64_t least = tile.rows > 64 ? machine.multiprocessors
                                   : machine.multiprocessors / 2;
    if (kernel.resultColumns > tile.resultColumns ||
        kernel.columns < tile.leastColumns || shared > machine.shared ||
        kernel.rows <= tile.rows / 2 || blocks < least)
      continue;
    return GPUBlocksSchedule{tile.rows, columns,     partRows,
                             stages,    kBlockGroup, ProductUnit::Wgmma};
  }
  return std::nullopt;
}

std::optional<GPUBlocksSchedule>
loop::chooseGPUBlocks(const GPUBlocksShape &kernel, const GPUMachine &machine) {
  if (machine.capability < kGPUProduct || kernel.scoreSum > kMostResult ||
      kernel.resultColumns > kMostResult)
    return std::nullopt;
  if (machine.hasWarpgroups && kernel.isBrought)
    if (auto schedule = chooseWarpgroupBlocks(kernel, machine))
      return schedule;
  constexpr int64_t stages = 2, width = 2, pad = 8;
  auto getPitch = [](int64_t elements) {
    return (int64_t(llvm::alignTo(elements, 16)) + pad) * width;
  };
  int64_t scores = getPitch(kernel.scoreSum);
  int64_t results = getPitch(kernel.resultColumns);
  auto getShared = [&](int64_t rows, int64_t columns) {
    return rows * scores + stages * columns * (scores + results);
  };
  auto fits = [&](int64_t rows, int64_t columns, int64_t partRows) {
    int64_t sums = (kernel.resultColumns + columns) / 2 * (partRows / 16);
    return sums <= kMostSums && getShared(rows, columns) <= machine.shared;
  };
  for (int64_t rows : {128, 64, 32, 16}) {
    // Rather all multiprocessors than many rows, but more than one warp where there are
    // the rows for it.
    int64_t blocks = kernel.points * llvm::divideCeil(kernel.rows, rows);
    if (rows > 16 && (kernel.rows <= rows / 2 ||
                      (rows > 32 && blocks < machine.multiprocessors)))
      continue;
    for (int64_t partRows : {32, 16})
      for (int64_t columns : {64, 32})
        if ((partRows == 16 || rows >= kLongParts) &&
            fits(rows, columns, partRows))
          return GPUBlocksSchedule{rows,        columns,
                                   partRows,    stages,
                                   kBlockGroup, ProductUnit::Mma,
                                   getShared(rows, columns)};
  }
  return std::nullopt;
}

/// Parts that are joined at most, warps that a multiprocessor has at a time, and tiles'
/// worth of time in which a walk begins and ends.
static constexpr int64_t kMostColumnParts = 32, kReadingWarps = 8, kWalkEnds = 2;

std::optional<GPUColumnPartsSchedule>
loop::chooseGPUColumnParts(const GPUBlocksShape &kernel,
                           const GPUMachine &machine) {
  constexpr int64_t rows = 16, columns = 64;
  auto walk = chooseGPUBlocks(kernel, machine);
  // The same walk by one warp, of whose rows there are no more.
  if (!walk || walk->columns != columns || kernel.rows > rows)
    return std::nullopt;
  int64_t tiles = llvm::divideCeil(kernel.columns, columns);
  int64_t points = std::max<int64_t>(kernel.points, 1);
  int64_t resident = std::max<int64_t>(machine.multiprocessors, 1) *
                     std::clamp<int64_t>(
                         machine.shared / std::max<int64_t>(walk->shared, 1), 1,
                         kReadingWarps);
  // The last blocks should not have the machine for themselves.
  auto getTime = [&](int64_t parts) {
    return llvm::divideCeil(points * parts, resident) *
           (llvm::divideCeil(tiles, parts) + kWalkEnds);
  };
  int64_t parts = 1;
  for (int64_t k = 2; k <= std::min(tiles, kMostColumnParts); ++k)
    if (getTime(k) < getTime(parts))
      parts = k;
  // Another function starts for a tenth at least.
  if (parts == 1 || getTime(parts) * 10 > getTime(1) * 9)
    return std::nullopt;
  return GPUColumnPartsSchedule{columns, walk->stages, parts};
}

/// Tiles of warpgroups in several walks, for factors and results of up to so many columns.
static constexpr struct {
  int64_t widest, rows, columns;
} kWarpgroupWalks[] = {{64, 64, 64}, {128, 128, 64}};

/// A tile of warpgroups; nothing where rows are few, or sums have no room in registers.
static std::optional<GPUBlocksSchedule>
chooseWarpgroupWalks(const GPUWalksShape &kernel, const GPUMachine &machine) {
  constexpr int64_t stages = 2, width = 2, chunk = 64, partRows = 16,
                    barriers = 128, mostSums = 256;
  int64_t sums = std::max(kernel.columnSums, kernel.rowSums);
  // As if every operand were there but once in both functions.
  int64_t factors = kernel.scoreChunks * chunk * width;
  int64_t tile =
      factors + std::max(kernel.columnChunks, kernel.rowChunks) * chunk * width;
  for (const auto &each : kWarpgroupWalks) {
    int64_t least = std::min(kernel.rows, kernel.columns);
    int64_t blocks = kernel.points * llvm::divideCeil(least, each.rows);
    if (kernel.widest > each.widest || sums > mostSums || least <= each.rows / 2 ||
        blocks < machine.multiprocessors ||
        each.rows * factors + stages * each.columns * tile + barriers >
            machine.shared)
      continue;
    return GPUBlocksSchedule{each.rows, each.columns, partRows,
                             stages,    kBlockGroup,  ProductUnit::Wgmma};
  }
  return std::nullopt;
}

std::optional<GPUBlocksSchedule>
loop::chooseGPUWalks(const GPUWalksShape &kernel, const GPUMachine &machine) {
  if (machine.capability < kGPUProduct)
    return std::nullopt;
  if (machine.hasWarpgroups && kernel.isBrought)
    if (auto schedule = chooseWarpgroupWalks(kernel, machine))
      return schedule;
  constexpr int64_t stages = 2, width = 2, pad = 24, partRows = 16;
  int64_t sums = std::max(kernel.columnSums, kernel.rowSums);
  // As if every operand were there but once in both functions, and padded.
  int64_t factors = (kernel.scoreSums + pad * kernel.scores) * width;
  int64_t tile = factors + (sums + 2 * pad) * width;
  for (int64_t rows : {64, 32, 16}) {
    int64_t blocks = kernel.points *
                     llvm::divideCeil(std::min(kernel.rows, kernel.columns), rows);
    if (rows > 16 && (std::min(kernel.rows, kernel.columns) <= rows / 2 ||
                      (rows > 32 && blocks < machine.multiprocessors)))
      continue;
    for (int64_t columns : {32, 16})
      if ((columns * kernel.scores + sums) / 2 <= kMostSums &&
          rows * factors + stages * columns * tile <= machine.shared)
        return GPUBlocksSchedule{rows, columns, partRows, stages, kBlockGroup};
  }
  return std::nullopt;
}
