//===- LoopSchedules.cpp - What schedules of kernels must satisfy ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds keep what is emitted finite: lanes, tiles and unrolling are repeated in
// the code, blocks and items are scratch memory.
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// Most elements of a side of a block or an item of a contraction.
static constexpr int64_t kMaxSide = int64_t(1) << 20;
/// Most elements of scratch memory of a contraction.
static constexpr int64_t kMaxScratch = int64_t(1) << 27;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static LogicalResult verifyMultiple(EmitError emitError, StringRef field,
                                    int64_t value, StringRef unitField,
                                    int64_t unit, int64_t high) {
  if (value >= 1 && value <= high && value % unit == 0)
    return success();
  return emitError() << field << " of a schedule is a multiple of "
                     << unitField << ", " << unit << ", up to " << high
                     << ", but found " << value;
}

static LogicalResult verifyGrain(EmitError emitError, int64_t grain) {
  return verifyRange(emitError, "grain", grain, 1, 1000000000);
}

static LogicalResult verifyStream(EmitError emitError,
                                  ArrayRef<int64_t> stream) {
  int64_t last = -1;
  for (int64_t result : stream) {
    if (result <= last)
      return emitError() << "stream of a schedule has numbers of results, each "
                            "greater than the one before, but found "
                         << result << " behind " << last;
    last = result;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult verifyStreamed(Attribute attr, KernelOp kernel,
                                    ArrayRef<int64_t> stream) {
  if (stream.empty() || stream.back() < int64_t(kernel.getNumResults()))
    return success();
  return refuse(kernel, attr) << "which streams result " << stream.back()
                              << " of " << kernel.getNumResults();
}

/// Contractions are alone in their kernels.
static LogicalResult verifyContraction(Attribute attr, Operation *op) {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto contract = nests.size() == 1
                      ? dyn_cast<ContractOp>(nests[0].getOperation())
                      : ContractOp();
  if (!contract)
    return refuse(kernel, attr) << "which is for a contraction";
  if (!contract.getAccType().isF32() && !contract.getAccType().isF64() &&
      !contract.getAccType().isInteger(32))
    return refuse(kernel, attr) << "which accumulates in f32, f64 or i32, but "
                                   "its contraction does in "
                                << contract.getAccType();
  return success();
}

//===----------------------------------------------------------------------===//
// #loop.across
//===----------------------------------------------------------------------===//

LogicalResult AcrossScheduleAttr::verify(EmitError emitError, int64_t lanes,
                                         int64_t chunk, int64_t sumBlock, bool,
                                         int64_t grain, int64_t points,
                                         ArrayRef<int64_t> stream) {
  if (points > 1 && !stream.empty()) // C6
    return emitError() << "points = " << points
                       << " with results past the caches; expected one or the "
                          "other";
  return failure(
      failed(verifyRange(emitError, "points", points, 1, 16)) ||         // C6
      failed(verifyPower(emitError, "lanes", lanes, 1, 128)) ||          // C1
      failed(verifyRange(emitError, "chunk", chunk, 1, 1000000000)) ||   // C2
      failed(verifyRange(emitError, "sum_block", sumBlock, 0, 1000000000)) ||
      failed(verifyGrain(emitError, grain)) ||                           // C3
      failed(verifyStream(emitError, stream)));                          // C5
}

/// True if a nest of the kernel has results that stay inside and are more than
/// one value per point of the shared domain.
static bool keepsRows(KernelOp kernel, NestOpInterface nest) {
  OperandRange returned =
      kernel.getBody().front().getTerminator()->getOperands();
  return llvm::any_of(nest->getResults(), [&](Value result) {
    return cast<RankedTensorType>(result.getType()).getRank() !=
               int64_t(kernel.getShared().size()) &&
           !llvm::is_contained(returned, result);
  });
}

bool loop::canWalkAcross(KernelOp kernel) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  // As a reduction it is over all of its parallel dimensions.
  if (nests.size() == 1 && isa<ContractOp>(nests[0]))
    return !nests[0].getDomain().parallel.empty();
  return !kernel.getShared().empty() && !getRowParts(kernel) &&
         llvm::none_of(nests, [&](NestOpInterface nest) {
           return nest.standsAlone(0) || nest.holdsRow() ||
                  keepsRows(kernel, nest);
         });
}

LogicalResult AcrossScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (canWalkAcross(kernel)) // C4
    return verifyStreamed(*this, kernel, getStream()); // C5
  return refuse(kernel, *this)
         << "which is for kernels that share a dimension, neither sort nor "
            "scatter, and keep one value per point of the shared domain";
}

//===----------------------------------------------------------------------===//
// #loop.within
//===----------------------------------------------------------------------===//

LogicalResult WithinScheduleAttr::verify(EmitError emitError,
                                         ArrayRef<int64_t> along,
                                         ArrayRef<int64_t> beside,
                                         int64_t sumBlock, bool,
                                         int64_t grain,
                                         ArrayRef<int64_t> stream) {
  for (auto [field, list] :
       {std::pair("along", along), std::pair("beside", beside)})
    for (int64_t lanes : list)
      if (failed(verifyPower(emitError, field, lanes, 1, 128))) // C1
        return failure();
  return failure(
      failed(verifyRange(emitError, "sum_block", sumBlock, 0, 1000000000)) ||
      failed(verifyGrain(emitError, grain)) ||   // C3
      failed(verifyStream(emitError, stream)));  // C6
}

LogicalResult WithinScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  if (getAlong().size() != nests.size() || getBeside().size() != nests.size())
    return refuse(kernel, *this)
           << "which has " << getAlong().size() << " and "
           << getBeside().size() << " numbers of lanes, expected one for each "
           << "of " << nests.size() << " nests"; // C4
  if (mixesContractions(kernel))
    return refuse(kernel, *this)
           << "which is not for contractions among other nests";
  for (auto [k, nest] : llvm::enumerate(nests)) {
    if (isa<ScatterOp>(nest)) // C5
      return refuse(kernel, *this) << "which is not for scatters";
    int64_t along = getAlong()[k], beside = getBeside()[k];
    auto parts = getRowParts(kernel, nest);
    size_t given = parts ? parts->dim + 1 : kernel.getShared().size();
    bool hasRows =
        nest.isReduction() && nest.getDomain().parallel.size() > given;
    // Lanes of a scan are joined with those before them, which takes a kind.
    auto scan = dyn_cast<ScanOp>(nest.getOperation());
    // Those of a sort that keeps all have no limit to be compared with.
    auto sort = dyn_cast<SortOp>(nest.getOperation());
    bool hasLanes = (!nest.isOrdered() && !parts) ||
                    (scan && scan.getCombiner().empty()) ||
                    (sort && !sort.keepsAll());
    if ((along > 1 && (beside > 1 || !hasLanes)) ||
        (beside > 1 && !hasRows))
      return refuse(kernel, *this)
             << "because '" << nest->getName() << "', its nest " << k
             << ", cannot have " << along << " lanes along its rows and "
             << beside << " rows beside each other";
  }
  return verifyStreamed(*this, kernel, getStream()); // C6
}

//===----------------------------------------------------------------------===//
// #loop.transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeScheduleAttr::verify(EmitError emitError, int64_t dim,
                                            int64_t lanes, int64_t block,
                                            int64_t grain,
                                            ArrayRef<int64_t> stream) {
  return failure(
      failed(verifyRange(emitError, "dim", dim, 0, kMaxSide)) ||
      failed(verifyPower(emitError, "lanes", lanes, 4, 64)) || // C1
      failed(verifyMultiple(emitError, "block", block, "lanes", lanes,
                            4096)) ||          // C2
      failed(verifyGrain(emitError, grain)) || // C3
      failed(verifyStream(emitError, stream))); // C5
}

LogicalResult TransposeScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  unsigned shared = kernel.getShared().size();
  bool isPointwise =
      llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
        return nest.isPointwise() && nest.getDomain().rank() == shared;
      });
  if (isPointwise && getDim() + 1 < int64_t(shared)) // C4
    return verifyStreamed(*this, kernel, getStream()); // C5
  return refuse(kernel, *this)
         << "which is for nests that are pointwise over the shared domain, "
            "with 'dim' before its last dimension";
}

//===----------------------------------------------------------------------===//
// #loop.scatter
//===----------------------------------------------------------------------===//

LogicalResult ScatterScheduleAttr::verify(EmitError emitError, int64_t lanes,
                                          bool, int64_t grain,
                                          int64_t columns) {
  return failure(failed(verifyPower(emitError, "lanes", lanes, 1, 128)) || // C1
                 failed(verifyGrain(emitError, grain)) ||                  // C2
                 (columns != 0 &&
                  failed(verifyMultiple(emitError, "columns", columns, "lanes",
                                        lanes, 1000000000)))); // C4
}

LogicalResult ScatterScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto scatter = nests.size() == 1 ? dyn_cast<ScatterOp>(nests[0].getOperation())
                                   : ScatterOp();
  if (!scatter) // C3
    return refuse(kernel, *this) << "which is for a scatter";
  if (getColumns() != 0 && !ownsColumns(scatter)) // C5
    return refuse(kernel, *this)
           << "whose columns are for points that go to the column of their own "
              "index";
  return success();
}

//===----------------------------------------------------------------------===//
// #loop.packed
//===----------------------------------------------------------------------===//

/// C8 and C9 of `#loop.packed`.
static LogicalResult verifyUnit(EmitError emitError, DotUnit unit,
                                int64_t lanes, int64_t tileRows,
                                int64_t tileColumns, int64_t blockDepth,
                                bool masked) {
  if (unit == DotUnit::Fma)
    return success();
  if (lanes != 16 || !masked)
    return emitError() << "a schedule with unit " << stringifyEnum(unit)
                       << " has 16 lanes and is masked, but found " << lanes
                       << (masked ? "" : ", not masked");
  bool isQuads = unit == DotUnit::Quads;
  if (failed(verifyMultiple(emitError, "block_depth", blockDepth,
                            isQuads ? "4 * lanes" : "2 * lanes",
                            (isQuads ? 4 : 2) * lanes, kMaxSide)))
    return failure();
  if (unit != DotUnit::Tiles)
    return success();
  int64_t high = tileRows / 16, wide = tileColumns / 16;
  if (tileRows % 16 == 0 && tileColumns % 16 == 0 &&
      high * wide + high + wide <= 8)
    return success();
  return emitError() << "a schedule with unit tiles has sums and factors for at "
                        "most 8 registers of 16 by 16, but found tile_rows "
                     << tileRows << " and tile_columns " << tileColumns;
}

LogicalResult PackedScheduleAttr::verify(
    EmitError emitError, int64_t lanes, int64_t tileRows, int64_t tileColumns,
    int64_t blockRows, int64_t blockDepth, int64_t itemRows,
    int64_t itemColumns, int64_t unroll, bool masked, int64_t grain,
    DotUnit unit, bool inPlace) {
  if (inPlace && unit == DotUnit::Tiles) // C10
    return emitError() << "a schedule with unit tiles does not read in place";
  if (failed(verifyPower(emitError, "lanes", lanes, 2, 64)) || // C1
      failed(verifyRange(emitError, "tile_rows", tileRows, 1, 64)) ||
      failed(verifyMultiple(emitError, "tile_columns", tileColumns, "lanes",
                            lanes, 128 / tileRows * lanes)) || // C2
      failed(verifyRange(emitError, "unroll", unroll, 1, 8)))  // C3
    return failure();
  if (lanes % unroll != 0)
    return emitError() << "unroll of a schedule divides lanes, " << lanes
                       << ", but found " << unroll;
  if (failed(verifyMultiple(emitError, "block_rows", blockRows, "tile_rows",
                            tileRows, kMaxSide)) || // C4
      failed(verifyMultiple(emitError, "item_rows", itemRows, "tile_rows",
                            tileRows, kMaxSide)) ||
      failed(verifyMultiple(emitError, "item_columns", itemColumns,
                            "tile_columns", tileColumns, kMaxSide)) ||
      failed(verifyMultiple(emitError, "block_depth", blockDepth, "lanes",
                            lanes, kMaxSide)) ||
      failed(verifyGrain(emitError, grain)) || // C6
      failed(verifyUnit(emitError, unit, lanes, tileRows, tileColumns, blockDepth,
                        masked)))
    return failure();
  int64_t elements = blockRows * blockDepth + blockDepth * itemColumns +
                     itemRows * itemColumns;
  if (elements <= kMaxScratch) // C5
    return success();
  return emitError() << "block and item of a schedule need scratch memory for "
                     << elements << " elements, expected at most "
                     << kMaxScratch;
}

LogicalResult PackedScheduleAttr::verifyKernel(Operation *op) const {
  return verifyContraction(*this, op); // C7
}

//===----------------------------------------------------------------------===//
// #loop.skinny_rows, #loop.skinny_columns
//===----------------------------------------------------------------------===//

LogicalResult SkinnyRowsScheduleAttr::verify(EmitError emitError, int64_t lanes,
                                             int64_t itemColumns,
                                             int64_t unroll, bool,
                                             int64_t grain) {
  return failure(
      failed(verifyPower(emitError, "lanes", lanes, 2, 64)) || // C1
      failed(verifyMultiple(emitError, "item_columns", itemColumns, "lanes",
                            lanes, kMaxSide)) ||                 // C2
      failed(verifyRange(emitError, "unroll", unroll, 1, 16)) || // C3
      failed(verifyGrain(emitError, grain)));                    // C4
}

LogicalResult SkinnyRowsScheduleAttr::verifyKernel(Operation *op) const {
  return verifyContraction(*this, op); // C5
}

LogicalResult
SkinnyColumnsScheduleAttr::verify(EmitError emitError, int64_t lanes,
                                  int64_t itemColumns, int64_t columns, bool,
                                  int64_t grain) {
  return failure(
      failed(verifyPower(emitError, "lanes", lanes, 2, 64)) || // C1
      failed(verifyRange(emitError, "item_columns", itemColumns, 1,
                         kMaxSide)) ||                             // C2
      failed(verifyRange(emitError, "columns", columns, 1, 16)) || // C3
      failed(verifyGrain(emitError, grain)));                      // C4
}

LogicalResult SkinnyColumnsScheduleAttr::verifyKernel(Operation *op) const {
  return verifyContraction(*this, op); // C5
}

//===----------------------------------------------------------------------===//
// #loop.blocks
//===----------------------------------------------------------------------===//

LogicalResult BlocksScheduleAttr::verify(EmitError emitError, int64_t rows,
                                         WithinScheduleAttr, ArrayAttr products,
                                         int64_t grain) {
  if (failed(verifyRange(emitError, "rows", rows, 1, kMaxSide)) || // C1
      failed(verifyGrain(emitError, grain)))                       // C3
    return failure();
  for (Attribute attr : products) // C2
    if (!isa<PackedScheduleAttr>(attr))
      return emitError() << "products of a schedule are '#loop.packed', but "
                            "found "
                         << attr;
    else if (cast<PackedScheduleAttr>(attr).getInPlace())
      return emitError() << "products of a schedule pack their rows, but found "
                         << attr;
  return success();
}

/// A product of a block's rows has room for them; one that sums them up takes them in
/// any number of steps.
static LogicalResult verifyRoom(KernelOp kernel, ContractOp op,
                                BlocksScheduleAttr schedule,
                                PackedScheduleAttr product) {
  int64_t rows = schedule.getRows();
  if (sumsOverRows(op, getExprs(kernel.getShared())) ||
      (product.getBlockRows() >= rows && product.getItemRows() >= rows))
    return success();
  return refuse(kernel, schedule)
         << "whose products have block_rows and item_rows of at least its rows, "
         << rows << ", but found " << product.getBlockRows() << " and "
         << product.getItemRows();
}

LogicalResult BlocksScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  size_t contractions = 0;
  ArrayRef<Attribute> products = getProducts().getValue();
  for (NestOpInterface nest : nests)
    if (auto contract = dyn_cast<ContractOp>(nest.getOperation())) {
      ++contractions;
      if (!contract.getAccType().isF32() && !contract.getAccType().isF64())
        return refuse(kernel, *this)
               << "which accumulates in f32 or f64, but a contraction does in "
               << contract.getAccType();
      if (contractions <= products.size() &&
          failed(verifyRoom(kernel, contract, *this,
                            cast<PackedScheduleAttr>(
                                products[contractions - 1])))) // C2
        return failure();
    }
  if (mixesContractions(kernel) && contractions == getProducts().size() &&
      getNests().getAlong().size() == nests.size() &&
      getNests().getBeside().size() == nests.size()) // C4
    return success();
  return refuse(kernel, *this)
         << "which is for contractions among other nests, with a product for "
            "each contraction and lanes for each nest";
}
