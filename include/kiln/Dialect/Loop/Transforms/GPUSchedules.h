//===- GPUSchedules.h - How kernels are best emitted for a GPU --*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As Schedules.h for a CPU: plain data in, the numbers of LoopGPU.td out.
//
//   chooseGPUAcross({.points = 1 << 28, .last = 1 << 28, .narrow = 2}, machine)
//     -> threads 256, lanes 8
//   chooseGPURows({.rows = 8192, .size = 4096, .last = 4096, .narrow = 2}, machine)
//     -> threads 256, rows 1, lanes 8, steps 2
//   chooseGPUParts({.points = 4096, .size = 16384, .last = 4096}, machine)
//     -> threads 256, lanes 4, parts 66
//   chooseGPUProduct({.rows = 4096, .columns = 4096, .sum = 4096, .bytes = 2,
//                     .onUnits = true}, machine)
//     -> mma, tiles of 128 by 256, 3 stages, not split
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_GPUSCHEDULES_H
#define KILN_DIALECT_LOOP_TRANSFORMS_GPUSCHEDULES_H

#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/Transforms/Fusion.h"
#include "kiln/Dialect/Loop/Transforms/Schedules.h"

#include <optional>

namespace kiln::loop {

/// Threads of a block, where nothing else is known to be better.
inline constexpr int64_t kGPUBlock = 256;
/// Rows of fewer elements are a thread's each.
inline constexpr int64_t kShortGPURow = 16;

/// Of a GPU, as in `#loop.gpu`.
struct GPUMachine {
  int64_t multiprocessors = 132;
  int64_t threads = 2048;
  int64_t registers = 65536; ///< of 32 bits, of a multiprocessor
  int64_t shared = 232448;   ///< bytes, most of a block
  int64_t capability = 90;   ///< of the instruction set, times ten
  bool hasWarpgroups = false; ///< that multiply what a copy engine brings (sm_90a)
  int64_t l2 = 52428800;     ///< bytes of the cache that they share
  bool deterministic = false; ///< floats are added up in one order
};

/// What fusion may make: rows that a block keeps in registers, and kernels that leave
/// no multiprocessor without a row unless a block is enough for all of it.
FusionOptions getGPUFusionOptions(const GPUMachine &machine);

/// A kernel with a thread for neighbours in its last shared dimension.
struct GPUAcrossShape {
  Size points;            ///< of the shared domain
  Size last;              ///< extent of its last dimension
  bool hasOuter = false;  ///< there are others
  bool canVector = true;  ///< several lanes may be one thread's
  int64_t narrow = 4;     ///< bytes of the narrowest element in memory
  int64_t wide = 4;       ///< bytes of the widest
  bool addsFloats = false;
  /// Neighbours in the dimension before the last have windows that overlap; its extent.
  bool hasWindows = false;
  Size beside;
  /// Inputs of which these neighbours read elements of their own, where they read others alike.
  int64_t streams = 0;
  int64_t likely = 1; ///< points where their number is not known
};
struct GPUAcrossSchedule {
  int64_t threads, lanes, sumBlock;
  int64_t points = 1; ///< neighbours that a thread walks together
};
GPUAcrossSchedule chooseGPUAcross(const GPUAcrossShape &kernel,
                                  const GPUMachine &machine);

/// A kernel whose rows threads share.
struct GPURowsShape {
  Size size;          ///< of every row; nothing if they differ
  Size last;          ///< what the last extents of all rows are multiples of
  int64_t narrow = 4; ///< bytes of the narrowest element in memory
  int64_t wide = 4;   ///< bytes of the widest
  bool isSorted = false; ///< some of them
  bool canPeel = false;  ///< vectors need not divide them
  /// So many elements are looked for, and nothing else is done with the row.
  Size selected = std::nullopt;
  /// There are fewer than multiprocessors: nothing else has their time.
  bool areFew = false;
  bool hasSeveralKeys = false; ///< a sort of them
};
struct GPURowsSchedule {
  int64_t threads, rows, lanes, steps;
  int64_t stages = 0; ///< rows that a copy engine brings, or pieces of one
};
GPURowsSchedule chooseGPURows(const GPURowsShape &kernel);

/// What a copy engine can bring of the rows of such a kernel.
struct GPUBroughtShape {
  int64_t size = 0;       ///< elements of a row
  int64_t bytes = 0;      ///< of a row, of all inputs that are brought together
  int64_t least = 0;      ///< of the input that has fewest
  bool isOfParts = false; ///< a block has several rows, one after the other
  bool areFew = false;    ///< fewer than multiprocessors
};
/// `rows`, a schedule without, with a copy engine; nothing where shared memory has no room, or
/// rows are too short to be worth trying.
std::optional<GPURowsSchedule> bringGPURows(const GPURowsSchedule &rows,
                                            const GPUBroughtShape &brought,
                                            const GPUMachine &machine);
/// True if that is better than `rows` as far as is known without measuring.
bool paysBringingGPURows(const GPURowsSchedule &rows,
                         const GPUBroughtShape &brought,
                         const GPUMachine &machine);

/// A kernel that sums up parts of its rows: a block has a part, one row after the other, or
/// short rows by the turns of its warps.
struct GPURowPartsShape {
  int64_t size = 1;   ///< of every row
  Size last;          ///< what the last extents of all rows are multiples of
  int64_t narrow = 4; ///< bytes of the narrowest element in memory
  int64_t wide = 4;   ///< bytes of the widest
  /// Bytes that a thread keeps for each element that it has of a row: sums,
  /// elements of this row and the next, and of what is the same for all rows.
  int64_t kept = 4;
  int64_t joined = 4; ///< the same of what one reduction sums up, at most
};
struct GPURowPartsSchedule {
  int64_t threads, rows, lanes, steps;
  int64_t parts; ///< that run together
};
/// Nothing where registers do not suffice.
std::optional<GPURowPartsSchedule>
chooseGPURowParts(const GPURowPartsShape &kernel, const GPUMachine &machine);

/// A matrix times a vector: rows of so many products to be added up, neighbours in runs of
/// multiples of `last`, of factors with at most so many bytes.
GPURowsSchedule chooseGPUVectorProduct(int64_t size, int64_t last,
                                       int64_t bytes);

/// Threads that share the elements of a scatter in order, besides `points` that
/// each have elements of their own; `steps` is what each of them walks.
int64_t chooseGPUOwners(int64_t points, int64_t steps,
                        const GPUMachine &machine);

/// Reductions of much to few points.
struct GPUPartsShape {
  int64_t points = 1; ///< of the shared domain
  int64_t size = 1;   ///< elements that become one
  Size last;          ///< what lanes must divide
  bool across = true; ///< neighbours are points, not elements of a row
  bool canVector = true;
  int64_t narrow = 4; ///< bytes of the narrowest element in memory
  int64_t wide = 4;   ///< bytes of the widest
};
struct GPUPartsSchedule {
  int64_t threads, lanes, parts, columns;
};
/// Nothing where the points alone occupy the machine, or parts would be too short.
std::optional<GPUPartsSchedule> chooseGPUParts(const GPUPartsShape &kernel,
                                               const GPUMachine &machine);
/// One function for `rows` sums of each of `points` columns, which tiles of a product have
/// left of many more.
GPUPartsSchedule chooseGPUJoin(int64_t points, int64_t rows);

/// A kernel whose columns' elements stay in registers (`#loop.gpu_columns`).
struct GPUColumnsShape {
  int64_t columns = 1;  ///< at the hints
  Size last;            ///< extent of their last dimension
  int64_t elements = 1; ///< of each
  /// Bytes of an element that are under way or wanted again at a time, at most.
  int64_t kept = 4;
  bool canVector = true;
  int64_t narrow = 4; ///< bytes of the narrowest element of columns in memory
  int64_t wide = 4;   ///< bytes of the widest
};
struct GPUColumnsSchedule {
  int64_t threads, lanes, columns, steps;
};
/// Nothing where a block has no room for columns that fill a sector of memory.
std::optional<GPUColumnsSchedule>
chooseGPUColumns(const GPUColumnsShape &kernel, const GPUMachine &machine);

/// A kernel that reads along `rows` and writes along `columns`.
struct GPUTileShape {
  Size rows, columns; ///< extents, where they are known
  int64_t narrow = 4; ///< bytes of the narrowest element in memory
  int64_t wide = 4;   ///< bytes of the widest
  /// What goes through shared memory are results, of so many bytes a point together, and
  /// not inputs.
  int64_t staged = 0;
  int64_t taps = 1; ///< elements that a window has
  /// Neighbours along the last extent have windows that overlap; the extent.
  bool hasWindows = false;
  Size beside = {};
};
struct GPUTileSchedule {
  int64_t threads, lanes, side;
  int64_t points = 1; ///< neighbours whose windows a thread walks together
};
/// Nothing where tiles would be mostly empty, or what is computed would not be in vectors, or
/// cost more than another kernel that turns it around.
std::optional<GPUTileSchedule> chooseGPUTile(const GPUTileShape &kernel);

/// A product of matrices, on a GPU of capability `kGPUProduct` or more.
struct GPUProductShape {
  int64_t matrices = 1, rows = 1, columns = 1, sum = 1;
  bool knowsRows = false; ///< they are no guess
  bool inGroups = false;  ///< they are those of a matrix on average, and end anywhere
  int64_t bytes = 4;     ///< of a factor
  int64_t sumBytes = 4;
  int64_t resultBytes =
      0; ///< of an element of the result; 0: as many as of a factor
  bool onUnits = false;  ///< matrix units may multiply such factors
  bool inBoxes = false;  ///< a copy engine can bring both operands
  bool beginsSectors = true; ///< whose rows begin at 32 bytes of a line of a cache
  bool columnsAlongSum = true; ///< neighbours of the columns' operand are along the sum
  int64_t together = 16; ///< bytes of an operand that are copied together, the fewest
  bool isGathered = false; ///< threads can bring what it cannot, 16 bytes at a time
  bool maySplit = true;    ///< the sum may be done in parts
  bool byRegisters = false; ///< an operand is computed on its way to shared memory
  double epilogue = 0;     ///< operations on an element of the result
  int64_t reads = 0;       ///< elements that are read for it, each for this one alone
  double followers =
      0; ///< operations of what follows the epilogue, on such an element
  int64_t results = 1; ///< of such an element, which are stored
  bool storesVectors = true; ///< rows of the first begin where 16 bytes are stored at once
};
struct GPUProductSchedule {
  ProductUnit unit;
  int64_t rows, columns, sum, partRows, partColumns, stages, group, split;
  int64_t blocks = 0, cluster = 1, turns = 1;
};
GPUProductSchedule chooseGPUProduct(const GPUProductShape &product,
                                    const GPUMachine &machine);
/// The best schedule of each tile, the best of all first.
std::vector<GPUProductSchedule> getGPUProducts(const GPUProductShape &product,
                                               const GPUMachine &machine);
/// Cycles that it takes by that schedule, about; those where threads read both factors of each
/// element of the result; and those of so many kernels that read and write so many bytes.
double estimateGPUProduct(const GPUProductShape &product,
                          const GPUMachine &machine);
double estimateGPUDots(const GPUProductShape &product, const GPUMachine &machine);
double estimateGPUCopies(int64_t kernels, double bytes);

/// Two products of 16-bit factors and the rows between them, on a GPU of capability
/// `kGPUCopiesAhead` or more.
struct GPUBlocksShape {
  int64_t points = 1;        ///< of the outer shared dimensions
  int64_t rows = 1, columns = 1;
  int64_t scoreSum = 1;      ///< factors of a score
  int64_t resultColumns = 1; ///< of the second product
  bool isBrought = false;    ///< a copy engine can bring the factors
  bool readsColumns = false; ///< memory is read at each score, as a bias is
  bool isLimited = false;    ///< rows need columns up to their own place alone
};
struct GPUBlocksSchedule {
  int64_t rows, columns, partRows, stages, group;
  ProductUnit unit = ProductUnit::Mma;
  int64_t shared = 0; ///< bytes of shared memory of a block; 0: not known
  bool apart = false; ///< each sum has a walk of its own
  bool added = false; ///< walks over rows add sums over columns to memory
};
/// Nothing where the sums of a row do not fit into registers, or tiles into shared memory.
std::optional<GPUBlocksSchedule> chooseGPUBlocks(const GPUBlocksShape &kernel,
                                                 const GPUMachine &machine);

/// A warp has 16 rows, and some of the columns: for few rows, whose blocks would not
/// occupy the machine, each reading long columns.
struct GPUColumnPartsSchedule {
  int64_t columns, stages, parts;
};
/// Nothing where blocks are enough, columns few, or a tile does not fit.
std::optional<GPUColumnPartsSchedule>
chooseGPUColumnParts(const GPUBlocksShape &kernel, const GPUMachine &machine);

/// The same in several walks (kiln/Analysis/BlockWalks.h): a block has rows, or columns,
/// and keeps scores of a tile, and sums, in registers.
struct GPUWalksShape {
  int64_t points = 1;     ///< of the outer shared dimensions
  int64_t rows = 1, columns = 1;
  int64_t scores = 1;     ///< products that make them
  int64_t scoreSums = 1;  ///< factors of a score, of all of them together
  /// Columns of all sums over the columns, and of all over the rows.
  int64_t columnSums = 0, rowSums = 0;
  /// The widest of any factors, or columns of a sum.
  int64_t widest = 1;
  /// The same three in whole chunks of 64 elements, as a copy engine brings them.
  int64_t scoreChunks = 0, columnChunks = 0, rowChunks = 0;
  bool isBrought = false; ///< a copy engine can bring what products need
  int64_t widestSum =
      0; ///< columns of one sum; 0: sums have no walks of their own
  /// Columns of what sums read that is no factor of a score, of all over the
  /// columns or all over the rows, whichever are more; and in whole chunks.
  int64_t further = 0, furtherChunks = 0;
  /// A walk over the rows can add the sum over the columns to memory, in any order.
  bool mayAdd = false;
  bool isLimited = false; ///< a row walks half of the columns in the mean
};
/// Nothing where registers or shared memory do not suffice, even for one sum at
/// a time.
std::optional<GPUBlocksSchedule> chooseGPUWalks(const GPUWalksShape &kernel,
                                                const GPUMachine &machine);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_GPUSCHEDULES_H
