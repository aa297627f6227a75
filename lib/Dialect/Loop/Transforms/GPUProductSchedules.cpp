//===- GPUProductSchedules.cpp - How products are best emitted for a GPU --===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile, and by how many blocks and in how many parts of the sum, with all numbers that
// a processor and what was measured give.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace kiln;
using namespace kiln::loop;

/// Bytes that a thread copies at once, at most, and vectors of both factors of a sum that it
/// reads at a time.
static constexpr int64_t kCopied = 16, kDotVectors = 4;

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
    {ProductUnit::Wgmma, 128, 128, 64, 64, 128, 6, 0, false, /*turns=*/2},
    {ProductUnit::Wgmma, 64, 256, 64, 64, 256, 4, 0, false, /*turns=*/2},
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
/// Cycles until the first function multiplies, and sums that a warpgroup finishes in one;
/// operations of an epilogue in one, where others do the same beside it and alone, where an
/// operation waits for the one before.
static constexpr double kStart = 2500, kFinished = 8, kBesideOthers = 64,
                        kAlone = 52;
/// Operations that a further result takes for each of its elements to be packed
/// and stored: a guess, because a copy engine does the rest beside.
static constexpr double kStoredToo = 1;
/// Cycles that a sum waits for an element that only it reads, and by turns, while another
/// warpgroup multiplies: the gradient of gelu behind 4096 x 3072 x 768 takes 52.0 us and 48.1.
static constexpr double kReadWaits = 0.36, kReadWaitsByTurns = 0.08;
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
/// Cycles, about, until what a thread asks memory for has come. What goes through registers is
/// one step ahead, however many stages there are.
static constexpr double kArrives = 800;
/// Cycles of a multiprocessor for a row of a tile that begins anywhere, whose first and last
/// bytes share a sector with others: 4096 x 50257 by 768 takes 520 us in rows of 128 columns
/// and 450 in rows of 256, where 50304 columns take 408 and 429.
static constexpr double kRowAnywhere = 15;
/// Cycles until blocks of a cluster have met, beside what they share.
static constexpr double kClusterStart = 4000;
/// What a schedule must be better than one before it, whose tile is larger or its sum less
/// split: it reads less, and leaves more of the power to multiply. One by turns beside one
/// that is not has smaller tiles, too, of which caches have to bring more.
static constexpr double kWorthOther = 0.98, kWorthTurns = 0.95;
/// What is felt of the shorter of multiplying and reading.
static constexpr double kOverlapped = 0.1;
/// The most rows of tiles that are visited together, and parts of a sum.
static constexpr int64_t kMostGroup = 32, kMostSplit = 64;

/// The tile for factors of so many bytes. Where neighbours are fewer than a thread can
/// copy together, it is copies that take the time. What is copied by way of registers is one
/// step ahead, however many stages there are.
static ProductTile getTileFor(ProductTile tile, const GPUProductShape &product,
                              const GPUMachine &machine) {
  if (machine.capability < kGPUCopiesAhead)
    tile.stages = 2;
  if (tile.unit == ProductUnit::Fma)
    return tile;
  tile.sum = tile.sum * 2 / product.bytes;
  tile.rate = tile.rate * 2 / product.bytes;
  if (tile.unit == ProductUnit::Mma)
    tile.rate = tile.rate * product.together / kCopied;
  return tile;
}

static int64_t getProductShared(const ProductTile &tile,
                                const GPUProductShape &product) {
  bool isFma = tile.unit == ProductUnit::Fma;
  if (tile.unit == ProductUnit::Wgmma)
    // Across the sum 64 elements of 16 bits come at a time, which all tiles are
    // multiples of.
    return tile.stages * ((tile.rows + tile.columns) * 128 + 16) +
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
  int64_t high = tile.rows * cluster;
  int64_t down = llvm::divideCeil(product.rows, high) * product.matrices;
  // Of a group that has several the last tile is half full.
  if (product.inGroups)
    down = std::max<int64_t>(
        product.matrices,
        llvm::divideCeil((2 * product.rows + high) * product.matrices,
                         2 * high));
  return down * cluster * llvm::divideCeil(product.columns, tile.columns) *
         split;
}

/// True if two blocks below each other can share what the copy engine brings of the columns'
/// factors. The last rows fill up both tiles, which must not take one more round.
static bool mayCluster(const ProductTile &tile, int64_t split,
                       const GPUProductShape &product,
                       const GPUMachine &machine) {
  // Across the sum a block brings as many columns as a step has of it.
  int64_t part = product.columnsAlongSum ? 8 : tile.sum;
  // Blocks by turns are less in step, and wait for each other longer than they gain.
  if (tile.unit != ProductUnit::Wgmma || tile.turns > 1 || !product.inBoxes ||
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
  bool byTurns = tile.turns > 1;
  double operations = product.epilogue + product.followers +
                      kStoredToo * double(product.results - 1);
  return sums / kFinished +
         sums * operations / (byTurns ? kAlone : kBesideOthers) +
         sums * double(product.reads) *
             (byTurns ? kReadWaitsByTurns : kReadWaits);
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

/// Cycles that blocks wait for what goes through registers: those that are on a multiprocessor
/// at a time do so together.
static double getWaits(const ProductTile &tile, double sum, int64_t blocks,
                       const GPUProductShape &product,
                       const GPUMachine &machine) {
  int64_t threads = (tile.rows / tile.partRows) *
                    (tile.columns / tile.partColumns) *
                    (tile.unit == ProductUnit::Mma ? 32 : 1);
  int64_t together = std::max<int64_t>(
      std::min(machine.shared / getProductShared(tile, product),
               machine.threads / threads),
      1);
  int64_t processors = std::max<int64_t>(machine.multiprocessors, 1);
  return std::ceil(sum / tile.sum) * kArrives *
         llvm::divideCeil(blocks, processors * together);
}

/// Cycles that a product takes, about.
static double getCost(const ProductTile &tile, int64_t split, int64_t cluster,
                      const GPUProductShape &product,
                      const GPUMachine &machine) {
  int64_t processors = std::max<int64_t>(machine.multiprocessors, 1);
  int64_t blocks = countBlocks(tile, split, /*cluster=*/1, product);
  double sum = std::ceil(double(product.sum) / split);
  double cycles = kStart;
  if (cluster > 1 && !product.beginsSectors)
    cycles += kClusterStart;
  if (tile.unit == ProductUnit::Wgmma && product.inBoxes) {
    auto getRound = [&](int64_t count) {
      return getBroughtRound(tile, cluster, sum, count, product, machine);
    };
    if (product.inGroups) // a guess: half of them have a tile of the last round
      cycles += std::max(double(blocks) / processors + 0.5, 1.0) *
                getRound(std::min(blocks, processors));
    else
      cycles += blocks / processors * getRound(processors) +
                getRound(blocks % processors);
    if (tile.turns > 1) // the last one, alone
      cycles += getFinish(tile, product);
    if (split == 1 && !product.storesVectors)
      cycles += kRowAnywhere * double(tile.rows) * blocks / processors;
  } else {
    double rate =
        tile.unit == ProductUnit::Wgmma ? tile.rate * kGathered : tile.rate;
    if (tile.unit == ProductUnit::Fma) {
      double threads = double(tile.rows / tile.partRows) *
                       (tile.columns / tile.partColumns) *
                       std::max(double(blocks) / processors, 1.0);
      rate *= std::min(1.0, threads / kFmaThreads);
    }
    double made = llvm::divideCeil(blocks, processors) *
                  (double(tile.rows) * tile.columns * (sum + kTileCost) / rate);
    if (product.byRegisters)
      made = std::max(made, getWaits(tile, sum, blocks, product, machine));
    cycles += made;
  }
  double elements = double(product.rows) * product.columns * product.matrices;
  double stored = elements * double(product.resultBytes ? product.resultBytes
                                                        : product.bytes);
  // Memory takes its time whatever multiplies. Windows are read several times.
  if (product.inBoxes) {
    double factors = (double(product.rows) + product.columns) * product.sum *
                     product.matrices;
    double memory =
        (factors * product.bytes + stored * double(product.results)) /
        kBytesPerCycle;
    cycles =
        std::max(cycles, memory) + kOverlapped * std::min(cycles, memory);
  }
  // What others store and compute is not counted above, being the same for all
  // tiles.
  if (tile.unit != ProductUnit::Wgmma || !product.inBoxes)
    cycles += stored * double(product.results - 1) / kBytesPerCycle +
              elements * product.followers / (kAlone * processors);
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
  bool isWorth = product.beginsSectors
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
    ProductTile tile = getTileFor(each, product, machine);
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
  double steps = std::ceil(double(product.sum) / (kGPUBlock * kDotVectors));
  return kStart + steps * kDotStep +
         bytes / (kSharedBytes * std::max<int64_t>(machine.multiprocessors, 1));
}

double loop::estimateGPUCopies(int64_t kernels, double bytes) {
  return kernels * kLaunch + bytes / kBytesPerCycle;
}
