//===- GPUBlockSchedules.cpp - How attention is best emitted for a GPU ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two products and the rows between them, forward and backward, with all numbers that
// a processor and what was measured give.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::loop;

//===----------------------------------------------------------------------===//
// Two products and the rows between them
//===----------------------------------------------------------------------===//

/// Sums that a thread has in registers, of both products together, at most; the most
/// columns of a result, and blocks that take turns in reading the same columns.
static constexpr int64_t kMostSums = 160, kMostResult = 256, kBlockGroup = 16;
/// Rows from which on a warp has 32 of them: it reads the columns' factors half as often,
/// and there are still four warps.
static constexpr int64_t kLongParts = 128;

/// Tiles of warpgroups for results of up to so many columns, by the columns that a row walks
/// in the mean, the better ones first. Two or three blocks of 64 rows share a multiprocessor:
/// one begins or ends while others multiply, which counts where walks are short, and where
/// exponentials take as long as products. Three have room for up to 96 columns of heads of 64.
static constexpr struct {
  int64_t resultColumns, leastWalked, rows, columns;
} kWarpgroupTiles[] = {
    {64, 4096, 192, 128},  {64, 1024, 64, 96}, {64, 1, 64, 64},
    {128, 1024, 128, 128}, {128, 1, 64, 64},   {256, 1, 128, 64},
    {256, 1, 64, 64},
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
  int64_t walked = kernel.isLimited ? kernel.columns / 2 : kernel.columns;
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
        walked < tile.leastWalked || shared > machine.shared ||
        kernel.rows <= tile.rows / 2 || blocks < least)
      continue;
    return GPUBlocksSchedule{tile.rows, columns,     partRows,
                             stages,    kBlockGroup, ProductUnit::Wgmma};
  }
  return std::nullopt;
}

std::optional<GPUBlocksSchedule>
loop::chooseGPUBlocks(const GPUBlocksShape &kernel, const GPUMachine &machine) {
  if (machine.capability < kGPUCopiesAhead || kernel.scoreSum > kMostResult ||
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
  // A thread joins the parts of two neighbours of a row.
  if (!walk || walk->columns != columns || kernel.rows > rows ||
      kernel.resultColumns % 2 != 0)
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

namespace {
/// A tile of warpgroups in several walks, for factors and results of up to so
/// many columns.
struct WarpgroupWalk {
  int64_t widest, rows, columns;
};
} // namespace

/// Those for all sums at once, and for one in each walk. Wide rows are read
/// from the cache half as often where blocks have 128 of them.
static constexpr WarpgroupWalk kWarpgroupWalks[] = {{64, 64, 64},
                                                    {128, 128, 64}};
static constexpr WarpgroupWalk kWarpgroupWalksApart[] = {
    {192, 128, 64}, {256, 128, 32}, {256, 64, 64}};

/// Columns of a row in the mean from which on its sum over them is worth 8 bytes of each
/// element that are written and read besides, in place of scores that are computed again. On
/// an H200, bf16, without and with: 916 and 822 us for causal heads of 64 with 4,096 rows,
/// 127 and 134 with 1,024; of 128 1,498 and 1,352, 291 and 296.
static constexpr int64_t kLeastAddedColumns = 1024;

/// A tile of warpgroups; nothing where rows are few, or sums have no room in registers.
static std::optional<GPUBlocksSchedule>
chooseWarpgroupWalks(const GPUWalksShape &kernel, const GPUMachine &machine,
                     bool apart) {
  constexpr int64_t stages = 2, width = 2, chunk = 64, partRows = 16,
                    barriers = 128, mostSums = 256;
  int64_t sums =
      apart ? kernel.widestSum : std::max(kernel.columnSums, kernel.rowSums);
  // As if every operand were there but once in both functions.
  int64_t factors = kernel.scoreChunks * chunk * width;
  int64_t chunks = apart ? kernel.furtherChunks
                         : std::max(kernel.columnChunks, kernel.rowChunks);
  int64_t tile = factors + chunks * chunk * width;
  llvm::ArrayRef<WarpgroupWalk> tiles = kWarpgroupWalks;
  if (apart)
    tiles = kWarpgroupWalksApart;
  for (const WarpgroupWalk &each : tiles) {
    int64_t least = std::min(kernel.rows, kernel.columns);
    int64_t blocks = kernel.points * llvm::divideCeil(least, each.rows);
    if (kernel.widest > each.widest || sums > mostSums || least <= each.rows / 2 ||
        blocks < machine.multiprocessors ||
        each.rows * factors + stages * each.columns * tile + barriers >
            machine.shared)
      continue;
    // Weights of two tiles, and sums of one, go through shared memory.
    int64_t moved = factors + kernel.furtherChunks * chunk * width;
    int64_t most = each.rows * factors + stages * each.columns * moved +
                   2 * each.rows * each.columns * width +
                   each.columns * llvm::alignTo(kernel.widestSum, chunk) *
                       sizeof(float) +
                   barriers;
    int64_t walked = kernel.isLimited ? kernel.columns / 2 : kernel.columns;
    bool added = kernel.mayAdd && !apart && walked >= kLeastAddedColumns &&
                 most <= machine.shared;
    return GPUBlocksSchedule{each.rows,   each.columns,       partRows, stages,
                             kBlockGroup, ProductUnit::Wgmma, 0,        apart,
                             added};
  }
  return std::nullopt;
}

/// The same of warps that multiply by themselves.
static std::optional<GPUBlocksSchedule>
chooseWarpWalks(const GPUWalksShape &kernel, const GPUMachine &machine,
                bool apart) {
  constexpr int64_t stages = 2, width = 2, pad = 24, partRows = 16;
  int64_t sums =
      apart ? kernel.widestSum : std::max(kernel.columnSums, kernel.rowSums);
  // As if every operand were there but once in both functions, and padded.
  int64_t factors = (kernel.scoreSums + pad * kernel.scores) * width;
  int64_t copied = apart ? kernel.further : sums;
  int64_t tile = factors + (copied + 2 * pad) * width;
  for (int64_t rows : {64, 32, 16}) {
    int64_t blocks = kernel.points *
                     llvm::divideCeil(std::min(kernel.rows, kernel.columns), rows);
    if (rows > 16 && (std::min(kernel.rows, kernel.columns) <= rows / 2 ||
                      (rows > 32 && blocks < machine.multiprocessors)))
      continue;
    for (int64_t columns : {32, 16})
      if ((columns * kernel.scores + sums) / 2 <= kMostSums &&
          rows * factors + stages * columns * tile <= machine.shared)
        return GPUBlocksSchedule{rows,   columns,     partRows,
                                 stages, kBlockGroup, ProductUnit::Mma,
                                 0,      apart};
  }
  return std::nullopt;
}

std::optional<GPUBlocksSchedule>
loop::chooseGPUWalks(const GPUWalksShape &kernel, const GPUMachine &machine) {
  if (machine.capability < kGPUCopiesAhead)
    return std::nullopt;
  // Scores are computed once where there is room for all sums.
  for (bool apart : {false, true}) {
    if (apart && kernel.widestSum == 0)
      break;
    if (machine.hasWarpgroups && kernel.isBrought)
      if (auto schedule = chooseWarpgroupWalks(kernel, machine, apart))
        return schedule;
    if (auto schedule = chooseWarpWalks(kernel, machine, apart))
      return schedule;
  }
  return std::nullopt;
}
