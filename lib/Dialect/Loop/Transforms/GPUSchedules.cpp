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

using namespace kiln;
using namespace kiln::loop;

/// Bytes of one access of a thread, the most there are.
static constexpr int64_t kAccess = 16;
/// Elements of a row that a thread keeps in registers before more threads share it,
/// and at most.
static constexpr int64_t kKept = 32, kKeptOfFew = 8, kMostKept = 64;
/// Threads that need no barrier, and elements that each of them keeps, up to which they have a row
/// alone: of 768 elements, that 4,096 rows have in GPT-2.
static constexpr int64_t kWarp = 32, kKeptOfWarp = 24;
/// Elements that a thread sorts by comparing pairs, and of rows of several keys, at most; and that
/// it sorts digit by digit, for which two warps are enough where that is all.
static constexpr int64_t kCompared = 8, kMostOfSeveralKeys = 6144, kSortedByDigits = 32,
                         kLeastSorting = 64;
/// Threads for each element that is looked for, whose least elements bound it, and
/// elements that such a thread reads at most, if there are threads.
static constexpr int64_t kThreadsOfSelected = 4, kSelectedFrom = 128;
/// Sums that a thread has where it walks several points, so that two blocks share a
/// multiprocessor, the most points, and blocks for each multiprocessor, at least.
static constexpr int64_t kPointSums = 56, kMostPoints = 8, kPointBlocks = 2;
/// Vectors that a thread asks memory for before it waits where it reads parameters besides, and
/// blocks of a multiprocessor that are left then.
static constexpr int64_t kLoadsAhead = 4, kAheadBlocks = 4;
/// The most threads that share a row.
static constexpr int64_t kMostRowThreads = 1024;
/// Points that a thread computes one after the other in about the time of a launch.
static constexpr int64_t kMostSerial = 64;

/// Vectors of a row from which on it is worth to have what is before and behind
/// them apart: a warp's, which then has elements enough for both.
static constexpr int64_t kPeeled = 32;
/// Elements of such a row that a thread keeps at most, where so many share it.
static constexpr int64_t kMostPeeled = 128, kPeeledThreads = 512;

/// Bytes that a thread keeps of its columns in registers where its block walks
/// rows.
static constexpr int64_t kKeptOfPart = 160;
/// The same where warps have rows of their own and as many registers as there are, threads of a
/// block then, and bytes of shared memory in which they join their sums.
static constexpr int64_t kKeptOfTurns = 640, kTurnsBlock = 256,
                         kMostHanded = 44 << 10;

/// Bytes of a row that one copy of a copy engine brings, at least, and of a row that is worth to
/// be kept in shared memory in place of registers.
static constexpr int64_t kLeastBrought = 2048, kLeastBroughtRow = 16 << 10;
/// Elements of such a row that a thread walks, and vectors of them.
static constexpr int64_t kMostBrought = 256, kMostBroughtSteps = 64;
/// Rows of a part that are there or under way, and pieces of another row.
static constexpr int64_t kPartStages = 2, kRowPieces = 4;
/// Bytes of shared memory that each block has besides, and what barriers and slots take.
static constexpr int64_t kReservedShared = 1024, kSmallShared = 1024;
/// Threads of a multiprocessor that walk rows in shared memory: with more of them, each would
/// have too few registers for the steps that are under way.
static constexpr int64_t kWalkingThreads = 1024;

/// Vectors of a row of a matrix that a thread reads at a time.
static constexpr int64_t kRowVectors = 4;

/// Elements of a column that a thread reduces at least, where a reduction is done in parts,
/// vectors of a row, for each of which it waits, and the most parts.
static constexpr int64_t kPart = 8, kPartVectors = 4, kMostParts = 4096;
/// Threads of a column where there is one part, and elements that each of them has at most: more
/// take longer than another launch.
static constexpr int64_t kSingleRows = 8, kMostSingle = 32;
/// Vectors of columns that a block has side by side, at most.
static constexpr int64_t kMostColumns = 64;
/// Sums of tiles: columns of a block, from a sector of f64 to a line of them; blocks that there
/// should be before there are more columns; rows that a thread reads at a time; threads.
static constexpr int64_t kLeastJoined = 4, kMostJoined = 16, kJoinBlocks = 64,
                         kJoinedRows = 4, kLeastJoinThreads = 128;
/// Words of columns that a thread keeps at most where it has them for itself,
/// and where it shares them with others, whose blocks have at most so many
/// threads while there are columns enough.
static constexpr int64_t kOwnColumn = 64, kKeptOfColumns = 32,
                         kColumnThreads = 512;
/// Threads of a block that share nothing, and of a multiprocessor that occupy
/// it so; bytes that each of them reads at a time.
static constexpr int64_t kOwnThreads = 128, kBusyThreads = 256, kLeastLoad = 4;
/// Bytes of neighbouring columns of a block: a sector of memory at least.
static constexpr int64_t kSector = 32, kWideTile = 512;
/// A part of the multiprocessors that moves as much as all of them, nearly, where blocks are full.
static constexpr int64_t kColumnShare = 4;
/// Threads that share the elements of a scatter, at most.
static constexpr int64_t kMostOwners = 1024;
/// Points of a tile in each direction: 128 bytes of the narrower elements, of which a
/// line consists.
static constexpr int64_t kSide = 64;

/// Bytes of a vector from which on windows are worth to be computed for a tile, and of what a
/// tile of results may have.
static constexpr int64_t kLeastVector = 8, kMostStaged = 40 << 10;
/// Elements of such a window, and neighbours whose windows a thread walks together where they
/// overlap: of larger windows, or with fewer neighbours, the vectors that a tile reads beyond those
/// that seven neighbours would cost as much as turning an image around.
static constexpr int64_t kMostTileTaps = 16, kLeastTilePoints = 4;

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
  options.columnWords = kMostRowThreads * kKeptOfColumns;
  options.columnBytes = kSector;
  options.columnTiles = machine.multiprocessors / kColumnShare;
  // The other half is for what is computed with.
  options.maxRowBytes = machine.registers * 4 / 2;
  return options;
}

/// Neighbours that a thread walks together: as many as it has room for that leave none over
/// at the end of a row, and enough threads. Of windows these are what its registers have sums
/// for; of others what makes enough loads that are under way at a time.
static int64_t choosePoints(const GPUAcrossShape &kernel, int64_t lanes,
                            const GPUMachine &machine) {
  bool isAhead = kernel.streams > 0 && kernel.streams < kLoadsAhead;
  if ((!kernel.hasWindows && !isAhead) || lanes == 1 || !kernel.beside)
    return 1;
  int64_t all = kernel.points.value_or(kernel.likely);
  int64_t busy = (kernel.hasWindows ? kPointBlocks : kAheadBlocks) *
                 machine.multiprocessors * kGPUBlock;
  int64_t most = kernel.hasWindows ? std::min(kPointSums / lanes, kMostPoints)
                                   : kLoadsAhead / kernel.streams;
  for (int64_t points = most; points > 1; --points)
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

/// Rows that few elements are looked for in are read once, and a little of them again:
/// from memory. So blocks need few registers, and while threads of one wait for each
/// other, others read.
static GPURowsSchedule chooseSelection(const GPURowsShape &kernel,
                                       int64_t lanes) {
  int64_t size = kernel.size.value_or(kernel.last.value_or(0));
  int64_t threads = llvm::PowerOf2Ceil(
      std::max(*kernel.selected * kThreadsOfSelected, size / kSelectedFrom));
  threads = std::clamp(threads, kGPUBlock, kMostRowThreads);
  // Each thread has some elements.
  while (lanes > 1 && kernel.size && size < threads * lanes)
    lanes /= 2;
  return {threads, 1, lanes, 0};
}

GPURowsSchedule loop::chooseGPURows(const GPURowsShape &kernel) {
  int64_t wanted = getLanes(kernel.narrow, kernel.wide);
  int64_t lanes = divide(kernel.last, wanted);
  if (kernel.selected)
    return chooseSelection(kernel, lanes);
  if (!kernel.size)
    return {kGPUBlock, 1, lanes, 0};
  bool isPeeled = kernel.canPeel && *kernel.size >= kPeeled * wanted &&
                  *kernel.size % wanted != 0;
  if (isPeeled)
    lanes = wanted;
  int64_t vectors = std::max<int64_t>(llvm::divideCeil(*kernel.size, lanes), 2);
  int64_t threads = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), kGPUBlock);
  if (!kernel.isSorted && !kernel.areFew && !isPeeled &&
      *kernel.size <= kWarp * kKeptOfWarp)
    threads = std::min(threads, kWarp);
  bool isByDigits =
      kernel.isSorted && *kernel.size > (kernel.hasSeveralKeys
                                             ? kMostOfSeveralKeys
                                             : kGPUMostCompared);
  if (isByDigits)
    threads = std::min(threads, kLeastSorting);
  auto getSteps = [&] {
    return std::max<int64_t>(llvm::divideCeil(*kernel.size, threads * lanes), 1);
  };
  // Of few rows each thread waits for memory, and there is nobody to wait with it.
  int64_t kept = isByDigits        ? kSortedByDigits
                 : kernel.isSorted ? kCompared
                 : kernel.areFew   ? kKeptOfFew
                                   : kKept;
  // Two blocks of 1024 threads share no multiprocessor where they keep a row,
  // and each thread has few registers beside it: with long rows half as many
  // are faster.
  int64_t most =
      isPeeled && !kernel.areFew ? kPeeledThreads : kMostRowThreads;
  while (threads < most && threads * 2 <= vectors && getSteps() * lanes > kept)
    threads *= 2;
  int64_t steps = getSteps();
  if (steps * lanes >
      (isPeeled && threads <= kPeeledThreads ? kMostPeeled : kMostKept))
    steps = 0;
  // Parts of warps fill blocks of four warps.
  int64_t rows = threads <= 32 ? 128 / threads : 1;
  return {threads, rows, lanes, steps};
}

/// Blocks of a multiprocessor of so many threads, each of which walks so many rows at a time.
static int64_t countPartBlocks(int64_t threads, int64_t rows,
                               const GPUMachine &machine) {
  return std::min(machine.registers / (getPartRegisters(rows) * threads),
                  machine.threads / threads);
}

/// The same of all multiprocessors, at least one on each.
static int64_t fillWithParts(int64_t threads, int64_t rows,
                             const GPUMachine &machine) {
  return machine.multiprocessors *
         std::max<int64_t>(countPartBlocks(threads, rows, machine), 1);
}

/// Blocks of a multiprocessor that have so many bytes of shared memory each.
static int64_t countSharers(int64_t bytes, const GPUMachine &machine) {
  return (machine.shared + kReservedShared) /
         (bytes + kSmallShared + kReservedShared);
}

std::optional<GPURowsSchedule>
loop::bringGPURows(const GPURowsSchedule &rows, const GPUBroughtShape &brought,
                   const GPUMachine &machine) {
  GPURowsSchedule s = rows;
  if (brought.isOfParts) {
    // As many blocks as before.
    int64_t blocks = countPartBlocks(s.threads, /*rows=*/1, machine);
    s.stages = kPartStages;
    while (s.stages > 1 &&
           countSharers(s.stages * brought.bytes, machine) < blocks)
      --s.stages;
    return s.stages > 1 ? s : std::optional<GPURowsSchedule>();
  }
  int64_t blocks = countSharers(brought.bytes, machine);
  if (blocks < 1 || brought.bytes < kLeastBroughtRow)
    return std::nullopt;
  s.stages = kRowPieces;
  s.threads = std::max<int64_t>(
      llvm::bit_floor(uint64_t(kWalkingThreads / blocks)), kGPUBlock);
  auto getSteps = [&] {
    return llvm::divideCeil(brought.size, s.threads * s.lanes);
  };
  while (s.threads < kMostRowThreads &&
         int64_t(getSteps()) * s.lanes > kMostBrought)
    s.threads *= 2;
  s.steps = getSteps();
  return s.steps <= kMostBroughtSteps && s.steps * s.lanes <= kMostBrought
             ? s
             : std::optional<GPURowsSchedule>();
}

/// A row that comes while another is computed needs no registers until it is there, and the
/// multiprocessor always has some under way. A long row has a block of all registers for itself
/// if these are to hold it; by way of shared memory there are several, of which some compute
/// while others wait.
bool loop::paysBringingGPURows(const GPURowsSchedule &rows,
                               const GPUBroughtShape &brought,
                               const GPUMachine &machine) {
  if (brought.isOfParts)
    return brought.least >= kLeastBrought;
  bool isAlone = rows.steps == 0 || rows.threads == kMostRowThreads ||
                 rows.steps * rows.lanes > kMostKept;
  return isAlone && !brought.areFew && countSharers(brought.bytes, machine) > 1;
}

std::optional<GPURowPartsSchedule>
loop::chooseGPURowParts(const GPURowPartsShape &kernel,
                        const GPUMachine &machine) {
  int64_t lanes = divide(kernel.last, getLanes(kernel.narrow, kernel.wide));
  int64_t vectors = llvm::divideCeil(kernel.size, lanes);
  auto getSteps = [&](int64_t threads) {
    return std::max<int64_t>(llvm::divideCeil(vectors, threads), 1);
  };
  // No barriers, and several rows under way.
  if (kernel.size <= kWarp * kKeptOfWarp) {
    int64_t threads = std::clamp<int64_t>(llvm::PowerOf2Ceil(vectors), 2, kWarp);
    int64_t rows = kTurnsBlock / threads, steps = getSteps(threads);
    if (steps * lanes * kernel.kept <= kKeptOfTurns &&
        rows / 2 * kernel.size * kernel.joined <= kMostHanded)
      return GPURowPartsSchedule{threads, rows, lanes, steps,
                                 fillWithParts(kTurnsBlock, rows, machine)};
  }
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
  return GPURowPartsSchedule{threads, /*rows=*/1, lanes, steps,
                             fillWithParts(threads, /*rows=*/1, machine)};
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
  int64_t points = std::max<int64_t>(kernel.points, 1);
  int64_t resident = machine.multiprocessors * machine.threads / 2 / kGPUBlock;
  int64_t parts, most, columns = 0;
  if (kernel.across && kernel.size >= kPart * kSingleRows &&
      kernel.size <= kMostSingle * kSingleRows)
    return GPUPartsSchedule{kGPUBlock, /*lanes=*/1, /*parts=*/1,
                            kGPUBlock / kSingleRows};
  if (kernel.across) {
    // As many vectors side by side as tiles of equal size have.
    int64_t vectors = llvm::divideCeil(points, lanes);
    int64_t tiles = llvm::divideCeil(vectors, kMostColumns);
    columns = llvm::divideCeil(vectors, tiles);
    // Threads have several rows under way, and sums of a vector: two blocks are what
    // registers are enough for, and more would come after them.
    parts = 2 * machine.multiprocessors / tiles;
    most = kernel.size / (kGPUBlock / columns * kPart);
  } else {
    parts = resident / points;
    most = kernel.size / (kGPUBlock * lanes * kPartVectors);
  }
  parts = std::min({parts, most, kMostParts});
  if (parts < 2)
    return std::nullopt;
  return GPUPartsSchedule{kGPUBlock, lanes, parts, columns};
}

/// Threads that have columns for themselves, if there are enough of them and
/// registers suffice.
static std::optional<GPUColumnsSchedule>
chooseOwnColumns(const GPUColumnsShape &kernel, int64_t words,
                 const GPUMachine &machine) {
  int64_t lanes =
      kernel.canVector
          ? divide(kernel.last, getLanes(kernel.narrow, kernel.wide))
          : 1;
  for (; lanes >= 1; lanes /= 2)
    if (kernel.elements * words * lanes <= kOwnColumn &&
        lanes * kernel.narrow >= kLeastLoad &&
        kernel.columns / lanes >= machine.multiprocessors * kBusyThreads)
      return GPUColumnsSchedule{kOwnThreads, lanes, kOwnThreads,
                                kernel.elements};
  return std::nullopt;
}

/// The widest tile that leaves work for all multiprocessors and has room in a
/// block of few threads; else the narrowest, with as many threads as its
/// columns need.
std::optional<GPUColumnsSchedule>
loop::chooseGPUColumns(const GPUColumnsShape &kernel,
                       const GPUMachine &machine) {
  int64_t words = std::max<int64_t>(llvm::divideCeil(kernel.kept, 4), 1);
  if (auto own = chooseOwnColumns(kernel, words, machine))
    return own;
  int64_t bytes = std::clamp<int64_t>(kernel.narrow, 2, 8);
  std::optional<GPUColumnsSchedule> found;
  for (int64_t width = kWideTile; width >= kSector; width /= 2) {
    int64_t across = width / bytes;
    int64_t lanes =
        kernel.canVector
            ? divide(kernel.last,
                     std::min(getLanes(kernel.narrow, kernel.wide), across))
            : 1;
    // One warp at least, and no more elements in vectors than a thread keeps.
    while (lanes > 1 && lanes * words > kKeptOfColumns)
      lanes /= 2;
    int64_t columns = across / lanes;
    int64_t most = std::max<int64_t>(kKeptOfColumns / (lanes * words), 1);
    int64_t deep = llvm::PowerOf2Ceil(llvm::divideCeil(kernel.elements, most));
    int64_t threads = std::max(columns * deep, kWarp);
    if (threads > kMostRowThreads && width > kSector)
      continue;
    threads = std::min(threads, kMostRowThreads);
    deep = threads / columns;
    int64_t steps = llvm::divideCeil(kernel.elements, deep);
    if (steps * lanes * words > 2 * kKeptOfColumns)
      return std::nullopt;
    found = {threads, lanes, columns, steps};
    int64_t blocks = llvm::divideCeil(kernel.columns, across);
    if (threads <= kColumnThreads && blocks >= 2 * machine.multiprocessors)
      break;
  }
  return found;
}

GPUPartsSchedule loop::chooseGPUJoin(int64_t points, int64_t rows) {
  // Columns side by side fill sectors; of few there are more blocks rather.
  int64_t columns =
      std::clamp<int64_t>(llvm::bit_floor(uint64_t(points / kJoinBlocks)),
                          kLeastJoined, kMostJoined);
  int64_t threads = llvm::PowerOf2Ceil(
      columns * llvm::divideCeil(std::max<int64_t>(rows, 1), kJoinedRows));
  return {std::clamp(threads, kLeastJoinThreads, kMostRowThreads), /*lanes=*/1,
          /*parts=*/1, columns};
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
  lanes = divide(kernel.rows, lanes);
  if (kernel.staged == 0)
    return GPUTileSchedule{kGPUBlock, lanes, kSide};
  if (lanes * kernel.narrow < kLeastVector ||
      kSide * kSide * kernel.staged > kMostStaged)
    return std::nullopt;
  int64_t points = 1;
  if (kernel.hasWindows)
    points = divide(kernel.beside, llvm::bit_floor(uint64_t(std::min(
                                       kPointSums / lanes, kMostPoints))));
  if (kernel.taps > kMostTileTaps ||
      (kernel.hasWindows && points < kLeastTilePoints))
    return std::nullopt;
  int64_t all = kSide / lanes * (kSide / points);
  return GPUTileSchedule{std::min(kGPUBlock, all), lanes, kSide, points};
}
