//===- Schedules.h - How kernels are best emitted ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem: given what a kernel looks like, and a processor, choose the
// numbers of its schedule. Plain data, so that it is tested without IR; each
// function is deterministic and sees the whole of what its answer depends on. The
// structures answer to the attributes of LoopSchedules.td, where the fields are
// explained.
//
//   chooseAcross({.last = 4096, .vector = 16}, machine)
//     -> lanes 16, chunk 64, grain 256
//   chooseProduct({.m = 1024, .n = 1024, .k = 1024}, machine)
//     -> packed, 12 x 32 sums in registers, ...
//
// A size that is not known until the program runs is nothing; in estimates it
// counts as 64.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_SCHEDULES_H
#define KILN_DIALECT_LOOP_TRANSFORMS_SCHEDULES_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include <cstdint>
#include <optional>
#include <variant>

namespace kiln::loop {

/// Of a processor, as in `#loop.target`.
struct Machine {
  int64_t vectorBits = 256;
  int64_t registers = 16;
  bool masks = false;
  int64_t l2Bytes = 512 << 10;
  int64_t grainPoints = 16384;
  DotUnit bf16 = DotUnit::Fma;
  DotUnit bytes = DotUnit::Fma;
  int64_t threads = 2;
  int64_t streamBytes = 0;
};

/// The least number of `y` that hold `x`, and the least multiple of `y` that does.
inline int64_t divideUp(int64_t x, int64_t y) { return (x + y - 1) / y; }
inline int64_t roundUp(int64_t x, int64_t y) { return divideUp(x, y) * y; }

/// A size, if it is known.
using Size = std::optional<int64_t>;

/// The power of two up to `wanted` that fits a known extent: the largest that is
/// not larger, or with masks the smallest that holds it.
int64_t fitLanes(Size extent, int64_t wanted, bool masked);

/// How many items of so many points are worth handing to a thread, at least 1.
int64_t getGrain(const Machine &machine, int64_t pointsPerItem);

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

/// A kernel with lanes across its last shared dimension.
struct AcrossShape {
  Size last;             ///< extent of that dimension
  bool hasOuter = false; ///< there are others
  int64_t inner = 1;     ///< the longest dimension of a nest that is not shared
  int64_t vector = 1;    ///< lanes of a vector of its widest elements
  bool traps = false;    ///< some lanes must not be computed in vain
  bool addsFloats = false;
  /// Values that its reductions carry for each lane, 0 if there are none: the most
  /// of a nest. Their loops read a piece of a row at each step.
  int64_t carried = 0;
  /// Its reductions are over windows, which neighbours in the dimension before the
  /// last share in part; and the extent of that dimension.
  bool hasWindows = false;
  /// These windows are read alone, as those of a pooling: there are no factors that
  /// neighbours share.
  bool readsAlone = false;
  Size beside;
  /// Most of what it computes is the same for such neighbours, as positions in an image are
  /// for its channels.
  bool sharesValues = false;
};
struct AcrossSchedule {
  int64_t lanes, chunk, sumBlock;
  bool masked;
  int64_t grain, points = 1;
};
AcrossSchedule chooseAcross(const AcrossShape &kernel, const Machine &machine);

/// A nest of a kernel of rows.
struct NestShape {
  enum class Kind { Pointwise, Reduction, Scan, Ordered };
  Kind kind = Kind::Pointwise;
  bool hasOwn = false; ///< parallel dimensions besides the shared ones
  Size own;            ///< extent of the last of them
  Size row;            ///< extent of the last reduced dimension, or of a scan's row
  int64_t vector = 1;  ///< lanes of a vector of the kernel's widest elements
  /// Lanes of a reduction or scan along its rows, 1 for rows side by side; nothing for a
  /// vector of the kernel's elements.
  std::optional<int64_t> wanted;
  bool traps = false;
};
struct NestLanes {
  int64_t along = 1, beside = 1;
};
NestLanes chooseNestLanes(const NestShape &nest, const Machine &machine);

/// Lanes of a reduction along rows of about `length` elements: several vectors
/// side by side, as one alone waits for itself at each step, unless the row is
/// short. `cost` is the weight of the operations at each element.
int64_t chooseRowLanes(int64_t vector, int64_t cost, int64_t length);

/// Terms of a sum of floats that are added one after the other. Each addition
/// rounds by what has come together so far, so a longer sum is made of blocks
/// with sums of their own: its error grows with the block and the number of
/// blocks, not with their product. The same for all kernels, so that what is
/// computed again has the same bits.
constexpr int64_t kSumBlock = 128;

/// A kernel that reads across memory, with two dimensions of these extents.
struct TransposeSchedule {
  int64_t lanes, block, grain;
};
/// Nothing if tiles do not pay: without masks, with short vectors, or where `last`
/// or `other`, the dimensions that tiles consist of, is short.
std::optional<TransposeSchedule> chooseTranspose(Size last, Size other,
                                                 int64_t vector, bool traps,
                                                 const Machine &machine);

/// A scatter as schedules see it.
struct ScatterShape {
  Size last = 1;      ///< elements of a row; 1 where a point is an item
  int64_t vector = 1; ///< elements of a vector
  int64_t points = 1; ///< of the domain, without the independent dimensions
  int64_t items = 1;  ///< of the independent dimensions
  /// Those of the domain's last dimension, if each column is written without a look at
  /// others; else 0.
  int64_t columns = 0;
  bool traps = false;
};

struct ScatterSchedule {
  int64_t lanes;
  bool masked;
  int64_t grain;
  int64_t columns;
};
ScatterSchedule chooseScatter(const ScatterShape &scatter,
                              const Machine &machine);

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A product of m x k and k x n.
struct ProductShape {
  Size batch = 1, m, n, k;
  Size outer = 1; ///< products of such a batch each, as of images that lie apart
  int64_t sumBits = 32;
  bool ofBF16 = false; ///< factors are bf16, their sums f32
  /// Factors of one side are unsigned bytes, of the other signed ones.
  bool ofBytes = false;
  /// All operands are matrices whose rows and columns are one dimension each.
  bool isRegular = true;
  bool aIsMatrix = true; ///< A is one, whatever B and the result are
  // Neighbours in memory: along the rows of A and B, the columns of B, the rows
  // of the result, and its batch.
  bool aRows = false, bRows = false, bColumns = false, cRows = false,
       cBatch = false;
  /// Neighbours along the sum that A can be read by in place; 0 if it cannot.
  int64_t aRun = 0;

  /// There is nothing to multiply.
  bool isEmpty() const { return batch == 0 || m == 0 || n == 0 || k == 0; }
};
struct PackedSchedule {
  int64_t lanes;
  int64_t tileRows, tileColumns;
  int64_t blockRows, blockDepth;
  int64_t itemRows, itemColumns;
  int64_t unroll;
  bool masked;
  int64_t grain;
  DotUnit unit = DotUnit::Fma;
  bool inPlace = false;
};
struct SkinnyRowsSchedule {
  int64_t lanes, itemColumns, unroll;
  bool masked;
  int64_t grain;
};
struct SkinnyColumnsSchedule {
  int64_t lanes, itemColumns, columns;
  bool masked;
  int64_t grain;
};
using ProductSchedule =
    std::variant<PackedSchedule, SkinnyRowsSchedule, SkinnyColumnsSchedule>;

/// False for products so small, or so few, that plain loops are as fast as packing, and
/// compile in a fraction of the time.
bool isWorthPacking(const ProductShape &product);

/// The most columns of windows that overlap for which neighbours along memory are walked, of the
/// image or of the sum: half of a vector of `lanes` sums, which a tile would fill no better. Of
/// bf16 half of that, since tiles multiply pairs.
inline int64_t countFewColumns(int64_t lanes, bool ofBF16) {
  return lanes / (ofBF16 ? 4 : 2);
}

/// The part of the machine's peak that a register tile of `rows` times
/// `vectors` sums reaches with multiply-adds.
double getTileSpeed(int64_t rows, int64_t vectors, const Machine &machine);

/// For a product of any number of rows.
PackedSchedule choosePacked(const ProductShape &product, const Machine &machine);

/// The same, or one that reads B where it lies if rows are few.
ProductSchedule chooseProduct(const ProductShape &product,
                              const Machine &machine);

//===----------------------------------------------------------------------===//
// Products and rows in blocks
//===----------------------------------------------------------------------===//

/// A kernel of products of `rows` rows at each of `points` points, with nests
/// between them.
struct BlocksShape {
  Size points, rows;
  Size rowBytes; ///< of all results that are kept for a block
  int64_t sumBits = 32;
};
/// How many rows a block has: as many as fit half of a core's second cache, so
/// that what is packed for them serves many, and few enough for all threads.
int64_t chooseBlockRows(const BlocksShape &kernel, const Machine &machine);
/// The packed product of `rows` rows within a block; `product.m` is ignored.
PackedSchedule chooseBlockProduct(ProductShape product, int64_t rows,
                                  const Machine &machine);
/// The packed product that sums up `rows` rows of a block; `product.k` is ignored.
PackedSchedule chooseBlockSum(ProductShape product, int64_t rows,
                              const Machine &machine);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_SCHEDULES_H
