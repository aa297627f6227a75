//===- GPUSchedules.cpp - How kernels are best emitted for a GPU ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace kiln;
using namespace kiln::loop;

/// Bytes of one access of a thread, the most there are.
static constexpr int64_t kAccess = 16;
/// Elements of a row that a thread keeps in registers before more threads share it,
/// and at most, and those that it sorts.
static constexpr int64_t kKept = 32, kMostKept = 64, kSorted = 8;
/// Sums that a thread has where it walks several points, so that two blocks share a
/// multiprocessor, the most points, and blocks for each multiprocessor, at least.
static constexpr int64_t kPointSums = 56, kMostPoints = 8, kPointBlocks = 2;
/// The most threads that share a row.
static constexpr int64_t kMostRowThreads = 1024;
/// Points that a thread computes one after the other in about the time of a launch.
static constexpr int64_t kMostSerial = 64;

/// Vectors of a row from which on it is worth to have what is before and behind
/// them apart: a warp's, which then has elements enough for both.
static constexpr int64_t kPeeled = 32;
/// Elements of such a row that a thread keeps at most.
static constexpr int64_t kMostPeeled = 128;

/// Bytes that a thread keeps of its columns in registers where its block walks
/// rows.
static constexpr int64_t kKeptOfPart = 160;

/// Vectors of a row of a matrix that a thread reads at a time.
static constexpr int64_t kRowVectors = 4;

/// Elements of a column that a thread reduces at least, where a reduction is done in parts,
/// vectors of a row, for each of which it waits, and the most parts.
static constexpr int64_t kPart = 16, kPartVectors = 4, kMostParts = 4096;
/// Threads that join their parts of the same columns.
static constexpr int64_t kJoiningThreads = 32;
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
  options.mostSerialPoints = kMostSerial;
  // The other half is for what is computed with.
  options.maxRowBytes = machine.registers * 4 / 2;
  return options;
}

/// Neighbours whose windows a thread walks together: as many as it has room for that leave
/// none over at the end of a row, and enough threads.
static int64_t choosePoints(const GPUAcrossShape &kernel, int64_t lanes,
                            const GPUMachine &machine) {
  if (!kernel.hasWindows || lanes == 1 || !kernel.beside)
    return 1;
  int64_t all = kernel.points.value_or(kernel.likely);
  int64_t busy = kPointBlocks * machine.multiprocessors * kGPUBlock;
  for (int64_t points = std::min(kPointSums / lanes, kMostPoints); points > 1;
       --points)
    if (*kernel.beside % points == 0 && all / (lanes * points) >= busy)
      return points;
  return 1;
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
  return {kGPUBlock, lanes, kernel.addsFloats ? kSumBlock : 0,
          choosePoints(kernel, lanes, machine)};
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

std::optional<GPURowPartsSchedule>
loop::chooseGPURowParts(const GPURowPartsShape &kernel,
                        const GPUMachine &machine) {
  int64_t lanes = divide(kernel.last, getLanes(kernel.narrow, kernel.wide));
  int64_t vectors = llvm::divideCeil(kernel.size, lanes);
  auto getSteps = [&](int64_t threads) {
    return std::max<int64_t>(llvm::divideCeil(vectors, threads), 1);
  };
  int64_t threads =
      std::clamp<int64_t>(llvm::PowerOf2Ceil(vectors), 32, kMostRowThreads);
  // Threads that have few elements wait for each other more often than they
  // need.
  while (threads > 128 &&
         getSteps(threads / 2) * lanes * kernel.kept <= kKeptOfPart)
    threads /= 2;
  int64_t steps = getSteps(threads);
  if (steps * lanes * kernel.kept > kKeptOfPart)
    return std::nullopt;
  int64_t blocks = std::min(machine.registers / (kPartRegisters * threads),
                            machine.threads / threads);
  return GPURowPartsSchedule{threads, lanes, steps,
                             machine.multiprocessors *
                                 std::max<int64_t>(blocks, 1)};
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
  // Threads of a warp join their parts, if each warp has as many.
  int64_t joined = kernel.across ? kJoiningThreads * lanes /
                                       std::max<int64_t>(kernel.points, 1)
                                 : 0;
  if (joined > 1 && parts > joined)
    parts -= parts % joined;
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
  bool isForGathered = false; ///< for 16 bits that threads bring alone
  int64_t turns = 1;          ///< warpgroups that have tiles of their own
};
} // namespace

static constexpr ProductTile kProductTiles[] = {
    {ProductUnit::Wgmma, 128, 256, 64, 64, 256, 4, 1700},
    {ProductUnit::Wgmma, 192, 192, 64, 64, 192, 4, 0},
    {ProductUnit::Wgmma, 128, 192, 64, 64, 192, 5, 1580},
    {ProductUnit::Wgmma, 192, 128, 64, 64, 128, 4, 1480, /*isForGathered=*/true},
    {ProductUnit::Wgmma, 128, 128, 64, 64, 128, 6, 1400},
    {ProductUnit::Wgmma, 64, 256, 64, 64, 256, 4, 900},
    {ProductUnit::Wgmma, 64, 128, 64, 64, 128, 8, 600},
    {ProductUnit::Wgmma, 128, 64, 64, 64, 64, 8, 800},
    {ProductUnit::Wgmma, 64, 64, 64, 64, 64, 8, 350},
    {ProductUnit::Wgmma, 64, 256, 64, 64, 256, 4, 0, false, /*turns=*/2},
    {ProductUnit::Wgmma, 128, 128, 64, 64, 128, 6, 0, false, /*turns=*/2},
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
    {ProductUnit::Fma, 32, 128, 16, 4, 8, 3, 68},
    {ProductUnit::Fma, 32, 32, 16, 4, 4, 4, 35},
    {ProductUnit::Fma, 16, 64, 16, 4, 4, 4, 30},
};

/// Steps' worth of a sum that starting and finishing a tile takes, bytes of memory that
/// pass in a cycle, and cycles until another function has started.
static constexpr double kTileCost = 160, kBytesPerCycle = 1800, kLaunch = 5000;
/// Cycles until the first function multiplies, and sums that a warpgroup finishes in one,
/// also where their rows begin anywhere; operations of an epilogue in one, where others do the
/// same beside it and alone, where an operation waits for the one before.
static constexpr double kStart = 2500, kFinished = 8, kFinishedAnywhere = 4,
                        kBesideOthers = 64, kAlone = 52;
/// Threads of a multiprocessor that have its rate without matrix units: fewer wait for
/// their own sums and for memory. (32 x 4096 x 4096 by blocks of 64 threads, one on each.)
static constexpr double kFmaThreads = 160;
/// What is left of the rate of warpgroups to which threads bring an operand.
static constexpr double kGathered = 0.75;
/// Multiplications and additions of warpgroups in a cycle; bytes of a cache that reach a
/// multiprocessor in one, alone and with all others, and how often those count whose rows
/// do not begin at a sector of a line.
static constexpr double kBroughtRate = 1700, kProcessorBytes = 72,
                        kSharedBytes = 46, kApart = 2;
/// The rate of warpgroups that take turns, whose tiles are half as large.
static constexpr double kTurnsRate = 1640;
/// Caches' worth of factors from which on memory has to bring them again.
static constexpr double kBroughtAgain = 2;
/// Cycles of a thread that waits for what it reads of both factors of a sum at a time.
static constexpr double kDotStep = 300;
/// Cycles until blocks of a cluster have met, beside what they share.
static constexpr double kClusterStart = 4000;
/// What a schedule must be better than one before it, whose tile is larger or its sum less
/// split: it reads less, and leaves more of the power to multiply.
static constexpr double kWorthOther = 0.98, kWorthTurns = 0.95;
/// What is felt of the shorter of multiplying and reading.
static constexpr double kOverlapped = 0.1;
/// The most rows of tiles that are visited together, and parts of a sum.
static constexpr int64_t kMostGroup = 32, kMostSplit = 64;

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
           std::max(tile.rows, 64 * tile.turns) * 160;
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

/// True if two blocks below each other can share what the copy engine brings of the columns'
/// factors. The last rows fill up both tiles, which must not take one more round.
static bool mayCluster(const ProductTile &tile, int64_t split,
                       const GPUProductShape &product,
                       const GPUMachine &machine) {
  // Across the sum a block brings as many columns as a step has of it.
  int64_t part = product.columnsAlongSum ? 8 : tile.sum;
  if (tile.unit != ProductUnit::Wgmma || !product.inBoxes ||
      tile.columns % (2 * part) != 0 || !product.knowsRows ||
      product.rows <= tile.rows || machine.multiprocessors < 2)
    return false;
  auto countRounds = [&](int64_t cluster) {
    return llvm::divideCeil(countBlocks(tile, split, cluster, product),
                            machine.multiprocessors / cluster * cluster);
  };
  return countRounds(2) <= countRounds(1);
}

/// Cycles of a warpgroup from sums to the result of its tile, or of its part of one.
static double getFinish(const ProductTile &tile,
                        const GPUProductShape &product) {
  double sums = double(tile.turns > 1 ? tile.rows : tile.partRows) *
                tile.partColumns;
  return sums / (product.storesVectors ? kFinished : kFinishedAnywhere) +
         sums * product.epilogue / (tile.turns > 1 ? kAlone : kBesideOthers);
}

/// Bytes of both factors of a matrix.
static double countFactors(const GPUProductShape &product) {
  return (double(product.rows) + product.columns) * product.sum * product.bytes;
}

/// Cycles that so many blocks take at a time, each a tile that a copy engine brings: as
/// long as multiplying, or as the cache has it.
static double getBroughtRound(const ProductTile &tile, int64_t cluster,
                              double sum, double blocks,
                              const GPUProductShape &product,
                              const GPUMachine &machine) {
  if (blocks == 0)
    return 0;
  double steps = std::ceil(sum / tile.sum);
  double rate = tile.turns > 1 ? kTurnsRate : kBroughtRate;
  double multiplied = double(tile.rows) * tile.columns * tile.sum /
                      (rate * 2 / product.bytes);
  // Nothing is brought of what is outside. What caches are quick to bring gains nothing
  // by being shared.
  double lines = double(std::min(tile.rows, product.rows));
  double columns = std::min(tile.columns, product.columns);
  lines += product.beginsSectors ? columns : columns / cluster;
  double bytes = lines * tile.sum * product.bytes *
                 (product.beginsSectors ? 1 : kApart);
  // Blocks by turns are less in step: what one has read others find.
  double share = kProcessorBytes;
  if (tile.turns == 1 ||
      countFactors(product) > kBroughtAgain * machine.l2)
    share = std::min(share, kSharedBytes * machine.multiprocessors / blocks);
  double made = steps * std::max(multiplied, bytes / share);
  double finished = getFinish(tile, product);
  // By turns one is finished while the next is made.
  return tile.turns > 1 ? std::max(made, (made + finished) / tile.turns)
                        : made + finished;
}

/// Cycles that a product takes, about.
static double getCost(const ProductTile &tile, int64_t split, int64_t cluster,
                      const GPUProductShape &product,
                      const GPUMachine &machine) {
  int64_t processors = std::max<int64_t>(machine.multiprocessors, 1);
  int64_t blocks = countBlocks(tile, split, /*cluster=*/1, product);
  double sum = std::ceil(double(product.sum) / split);
  double cycles = kStart;
  if (cluster > 1 && (!product.beginsSectors || tile.turns > 1))
    cycles += kClusterStart;
  if (tile.unit == ProductUnit::Wgmma && product.inBoxes) {
    cycles += blocks / processors *
                  getBroughtRound(tile, cluster, sum, processors, product,
                                  machine) +
              getBroughtRound(tile, cluster, sum, blocks % processors, product,
                              machine);
    if (tile.turns > 1) // the last one, alone
      cycles += getFinish(tile, product);
  } else {
    double rate =
        tile.unit == ProductUnit::Wgmma ? tile.rate * kGathered : tile.rate;
    if (tile.unit == ProductUnit::Fma) {
      double threads = double(tile.rows / tile.partRows) *
                       (tile.columns / tile.partColumns) *
                       std::max(double(blocks) / processors, 1.0);
      rate *= std::min(1.0, threads / kFmaThreads);
    }
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

/// Blocks that share columns: worth to wait for each other where caches do not hold the
/// factors of a matrix, those that are visited together, or take longer to bring them.
static int64_t getCluster(const ProductTile &tile, int64_t split,
                          const GPUProductShape &product,
                          const GPUMachine &machine) {
  if (!mayCluster(tile, split, product, machine))
    return 1;
  bool isWorth = product.beginsSectors && tile.turns == 1
                     ? tile.columns % 128 == 0 && countFactors(product) >
                                                       kBroughtAgain * machine.l2
                     : getCost(tile, split, 2, product, machine) <
                           getCost(tile, split, 1, product, machine);
  return isWorth ? 2 : 1;
}

namespace {
/// A schedule and its cycles; no rows: none.
struct FoundProduct {
  GPUProductSchedule schedule = {};
  double cycles = 0;
};
} // namespace

/// The tiles that a product may have.
static std::vector<ProductTile> getTiles(const GPUProductShape &product,
                                         const GPUMachine &machine) {
  bool isBrought =
      (product.inBoxes || product.isGathered) && machine.hasWarpgroups;
  auto mayBe = [&](ProductUnit unit) {
    return product.onUnits
               ? unit == ProductUnit::Mma ||
                     (unit == ProductUnit::Wgmma && isBrought)
               : unit == ProductUnit::Fma;
  };
  std::vector<ProductTile> tiles;
  for (const ProductTile &each : kProductTiles) {
    ProductTile tile = getTileFor(each, product);
    // Threads do not bring the largest tiles.
    bool canBring = product.inBoxes ? !tile.isForGathered
                                    : tile.rate != 0 && !(tile.isForGathered &&
                                                          product.bytes != 2);
    if (mayBe(tile.unit) && canBring &&
        getProductShared(tile, product) <= machine.shared)
      tiles.push_back(tile);
  }
  return tiles;
}

/// Takes the tile with a split, if that is better than `best`.
static void improve(const ProductTile &tile, const GPUProductShape &product,
                    const GPUMachine &machine, FoundProduct &best) {
  // What threads copy may be split into any number of parts that fills a round
  // of blocks.
  auto getNext = [&](int64_t split) {
    return product.inBoxes ? split * 2
                           : split + std::max<int64_t>(split / 4, 1);
  };
  for (int64_t split = 1; split <= kMostSplit; split = getNext(split)) {
    if (split > 1 && (!product.maySplit ||
                      product.sum < split * tile.sum * tile.stages))
      break;
    int64_t cluster = getCluster(tile, split, product, machine);
    double cost = getCost(tile, split, cluster, product, machine);
    double worth = tile.turns > 1 && best.schedule.turns == 1 ? kWorthTurns
                                                              : kWorthOther;
    if (best.schedule.rows && cost >= best.cycles * worth)
      continue;
    // One stays on each multiprocessor.
    int64_t blocks = tile.unit == ProductUnit::Wgmma
                         ? machine.multiprocessors / cluster * cluster
                         : 0;
    best.cycles = cost;
    best.schedule = {tile.unit,     tile.rows,        tile.columns, tile.sum,
                     tile.partRows, tile.partColumns, tile.stages,
                     getGroup(tile, cluster, machine), split, blocks, cluster,
                     tile.turns};
  }
}

static FoundProduct findGPUProduct(const GPUProductShape &product,
                                   const GPUMachine &machine) {
  FoundProduct best;
  for (const ProductTile &tile : getTiles(product, machine))
    improve(tile, product, machine, best);
  return best;
}

std::vector<GPUProductSchedule>
loop::getGPUProducts(const GPUProductShape &product, const GPUMachine &machine) {
  GPUProductSchedule best = findGPUProduct(product, machine).schedule;
  std::vector<FoundProduct> others;
  for (const ProductTile &tile : getTiles(product, machine)) {
    FoundProduct found;
    improve(tile, product, machine, found);
    const GPUProductSchedule &s = found.schedule;
    if (s.unit != best.unit || s.rows != best.rows ||
        s.columns != best.columns || s.sum != best.sum || s.turns != best.turns)
      others.push_back(found);
  }
  auto getOrder = [](const FoundProduct &found) {
    const GPUProductSchedule &s = found.schedule;
    return std::make_tuple(found.cycles, -s.rows, -s.columns, -s.sum, s.turns);
  };
  std::sort(others.begin(), others.end(),
            [&](const FoundProduct &a, const FoundProduct &b) {
              return getOrder(a) < getOrder(b);
            });
  std::vector<GPUProductSchedule> schedules;
  if (best.rows)
    schedules.push_back(best);
  for (const FoundProduct &other : others)
    schedules.push_back(other.schedule);
  return schedules;
}

GPUProductSchedule loop::chooseGPUProduct(const GPUProductShape &product,
                                          const GPUMachine &machine) {
  return findGPUProduct(product, machine).schedule;
}

double loop::estimateGPUProduct(const GPUProductShape &product,
                                const GPUMachine &machine) {
  return findGPUProduct(product, machine).cycles;
}

double loop::estimateGPUDots(const GPUProductShape &product,
                             const GPUMachine &machine) {
  double elements = double(product.rows) * product.columns * product.matrices;
  double bytes = elements * product.sum * 2 * product.bytes;
  double steps = std::ceil(double(product.sum) / (kGPUBlock * kRowVectors));
  return kStart + steps * kDotStep +
         bytes / (kSharedBytes * std::max<int64_t>(machine.multiprocessors, 1));
}

double loop::estimateGPUCopies(int64_t kernels, double bytes) {
  return kernels * kLaunch + bytes / kBytesPerCycle;
}
