//===- GridProduct.h - Matrix products on a GPU ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits C[b,m,n] = f(sum over k of A[b,m,k] * B[b,k,n]) as `#loop.gpu_product` says: a
// block has a tile of C, and walks k in steps whose elements of A and B lie in shared
// memory.
//
//   copy       (ProductCopies.cpp)   what of A and B a step needs, several steps ahead;
//                                    through registers where something is to be
//                                    computed on the way
//   multiply   (ProductUnits.cpp)    by fused multiplications or on matrix units; sums
//                                    stay in registers
//              (ProductWgmma.cpp)    both, by a copy engine and warpgroups
//              (ProductGather.cpp)   what no copy engine can bring
//   finish     (GridProductBase,     sums go through shared memory, so that threads have
//               ProductFinish.cpp)   neighbours in C, and then through the epilogue and
//                                    the nests that follow the product
//                                    (ProductFollowers.cpp)
//              (ProductStores.cpp)   by a copy engine
//   sum up     (ProductSums.cpp)     columns of what is finished, where the kernel does
//
// Where a tile of members in groups begins, and where it ends, is in ProductGroups.cpp.
//
// A and B are what analysis::analyzeContraction finds in a contraction, so strides,
// transposes, slices, windows of convolutions and masks are the same code.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDPRODUCT_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDPRODUCT_H

#include "GridEmitter.h"
#include "Warpgroups.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Emission/ShortSums.h"

namespace kiln::loop {

/// Bytes of an element in memory.
static inline int64_t bytesOf(mlir::Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

/// What the functions of a product have in common.
class GridProductBase : public GridEmitter {
public:
  GridProductBase(KernelOp kernel, const analysis::KernelStrides &strides,
                  GPUProductScheduleAttr schedule, int64_t threads,
                  bool isNarrow)
      : GridEmitter(kernel, strides, threads, isNarrow), schedule(schedule) {}

protected:
  bool isConstant(unsigned) override { return true; }
  guard::ExprAttr countOwners() override {
    return guard::getConstant(context, 1);
  }

  /// Sees the contraction as a product; an error where it is none.
  LogicalResult analyze();
  /// Whether the sum and the factors are what the unit takes; an error where
  /// they are not.
  LogicalResult checkUnit();
  /// Whether the elements of operand `number` (A or B) are integers without a
  /// sign.
  bool isUnsigned(unsigned number);
  /// Products, each of a matrix by a matrix.
  guard::ExprAttr countMatrices();
  /// Where matrix `number` is: the indices of its batch and of what is outside.
  Position enterMatrix(Value number);
  void setGroup(Position &position, const analysis::DimGroup &group,
                Value index);
  /// A tile of the result, and which part of the sum.
  struct Tile {
    Value matrixNumber, part;
    Position matrix;
    Value firstRow, firstColumn;
    Value sumBegin, sumEnd, steps;
    Value before; ///< tiles of this block before it, i32; null: nobody asks
    Value exists; ///< whether it has rows; null: it has
  };
  /// A group of rows, the row tiles before it, its first row and its end.
  struct GroupPlace {
    Value group, tiles, begin, end;
  };
  guard::ExprAttr countTiles();
  /// With `before`, of rows in groups: a place that is before no tile from `number` on; it
  /// becomes one nearer to it.
  Tile enterTile(Value number, GroupPlace *before = nullptr);
  bool hasGroupedRows() { return op.isGrouped() && op.hasGroupedRows(); }
  /// Tiles below each other: of rows in groups those of each group begin where it does, and
  /// behind the last one there is one more group, of zeros.
  guard::ExprAttr countRowTiles();
  guard::ExprAttr countTiledMatrices();
  void enterGroup(Tile &tile, const GroupPlace &before, Value number);
  GroupPlace getFirstGroup();
  /// Walks the ends of groups from a place on, until the one that `rowTile` is of.
  GroupPlace findGroup(const GroupPlace &from, Value rowTile);
  void enterMembers(Tile &tile);
  Value loadEnd(Value group, guard::ExprAttr most);
  /// Finishes `lanes` neighbours of a row, or keeps them for the second function;
  /// nothing where they are outside.
  LogicalResult finishInside(const Tile &tile, Value row, Value column,
                             llvm::function_ref<Value()> getSums);
  /// Whether an element of a tile is inside; null: it is.
  Value isInside(Value row, Value column);
  /// Finishes `lanes` neighbours of a row and stores what is made of them.
  LogicalResult finishVector(const Position &matrix, Value row, Value column,
                             Value sums, int64_t lanes);
  LogicalResult finishAt(const Position &position, Value sums);
  FailureOr<Value> evaluateEpilogue(const Position &position, Value sums);
  Position enterVector(const Position &matrix, Value row, Value column,
                       int64_t lanes);

  // What else is made of each element (ProductFollowers.cpp).
  /// Sees which nests follow the product, and what is stored; an error where
  /// that is something else.
  LogicalResult describeFollowers();
  /// A position of the product as one of a nest that follows it.
  Position enterFollower(PointwiseOp nest, const Position &position);
  /// The epilogue and all that follows it on neighbours: what `results` has of
  /// them.
  FailureOr<SmallVector<Value>> evaluateAll(const Position &position,
                                            Value sums);
  void storeOne(Value tensor, const Position &position, Value value);
  /// Elements that the kernel keeps to itself are at hand where they are read.
  void bindRow(Value) override {}
  /// Loads of what the kernel reads for elements of the result.
  SmallVector<LoadOp> getFinishLoads();
  /// The dimensions of a side of the product in the nest that has such a load.
  SmallVector<unsigned> getDimsOf(LoadOp load, const analysis::DimGroup &side);

  // Sums over rows of tiles (ProductSums.cpp).
  /// Sees what the kernel sums up; an error where that is something else.
  LogicalResult describeSums();
  /// Puts what was finished of a vector where its columns are read, if somebody does.
  void keepResult(Value value);
  SmallVector<Value> getNeutralSums();
  Position enterTileSum(ReduceOp sum, const Tile &tile, Value row,
                        Value column);
  SmallVector<ShortSums, 0> beginRows(ArrayRef<Value> sums);
  /// Adds `element` of the result, in a row and a column of the tile, to sums of this column.
  LogicalResult addTileRow(const Tile &tile, Value row, Value column,
                           Value element,
                           llvm::MutableArrayRef<ShortSums> sums);
  LogicalResult endRows(llvm::MutableArrayRef<ShortSums> rows,
                        llvm::MutableArrayRef<Value> sums);
  LogicalResult joinTileSums(ArrayRef<Value> more,
                             llvm::MutableArrayRef<Value> sums);
  LogicalResult storeTileSums(const Tile &tile, Value column,
                              ArrayRef<Value> sums);

  /// The value of a load that was read ahead, or of one of what the kernel has
  /// just made.
  Value loadStaged(LoadOp load, int64_t lanes) override;
  /// What can be read before there are sums.
  using Ahead = SmallVector<std::pair<LoadOp, Value>>;
  Ahead readAhead(const Tile &tile, Value row, Value column);
  /// The indices of a load as expressions of the domain of its nest, where they
  /// are known without the sums.
  std::optional<SmallVector<guard::ExprAttr>> getKnownIndices(LoadOp load);
  /// Whether what is read for elements is the same for all rows of a tile, or
  /// with `orDownAlone` for all columns.
  bool readsAcrossAlone(bool orDownAlone = false);
  /// An index of a group as indices of its runs.
  SmallVector<Value> splitRuns(const analysis::DimGroup &group, Value index);
  /// How far operand `number` is moved by an index of a group, in elements.
  Value getOffset(const analysis::DimGroup &group, unsigned number, Value index,
                  ArrayRef<Value> runs);
  /// The elements of the sums in parts: [parts, matrices, rows, columns].
  guard::ExprAttr countParts();
  Value getPartAddress(Value part, Value matrix, Value row, Value column);

  GPUProductScheduleAttr schedule;
  ContractOp op;
  analysis::ContractionShape shape;
  Type sumType;
  Value rowEnd; ///< of the group that the tile is in; null: of all rows
  Ahead ahead; ///< for the vector of the result that is being finished
  SmallVector<PointwiseOp> followers;
  SmallVector<Value> results; ///< what is stored of elements, in order
  /// Elements of what the kernel makes, where they are read.
  SmallVector<std::pair<Value, Value>, 2> atHand;
  SmallVector<ReduceOp> tileSums;
  Value keptPlace; ///< of a vector that is finished next, for them; null: nowhere
};

class GridProductEmitter : public GridProductBase {
public:
  GridProductEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                     GPUProductScheduleAttr schedule, bool isNarrow)
      : GridProductBase(kernel, strides, schedule, schedule.getThreads(),
                        isNarrow) {}

private:
  /// Neighbours that a thread copies together.
  struct Chunk {
    Value across, sum; ///< the first's row of A or column of B, and its k in a step
    Value offset;      ///< of `across`, in elements
    SmallVector<Value> runs; ///< indices of `across` in the runs of its group
    Value inside;      ///< whether `across` is; null: it is
    Value place;       ///< in a stage, in bytes
  };
  /// A or B.
  struct Operand {
    unsigned number = 0; ///< 0: A, 1: B
    Buffer memory;
    guard::ExprAttr mask;
    Region *prologue = nullptr;
    const analysis::DimGroup *across = nullptr;
    Type type;             ///< in shared memory
    int64_t extent = 0;    ///< of the tile, across
    int64_t lanes = 1;     ///< of a chunk
    bool walksSum = false; ///< chunks lie along the sum
    bool keepsSum = false; ///< neighbours in shared memory lie along the sum
    bool isAsync = false;  ///< copied without registers
    int64_t pitch = 0;     ///< elements from row to row in shared memory
    int64_t place = 0;     ///< in a stage, in bytes
    Value base;            ///< offset of this matrix, in elements
    SmallVector<Chunk> chunks; ///< of this thread
    Value hasLast;         ///< whether there is a last chunk; null: there is
  };

  LogicalResult emitThread() override;
  LogicalResult emitSteps();
  LogicalResult emitFinish();
  LogicalResult emitTileSums();

  // Copies.
  /// Whether threads multiply while what they have asked for is copied.
  bool copiesAhead();
  LogicalResult describe(Operand &operand);
  int64_t getLanesAlong(const Operand &operand, bool alongSum);
  void makeChunks(Operand &operand);
  /// Where a chunk is in memory, and whether it is inside (null: yes) and not masked.
  struct Source {
    Value pointer, inside, unmasked, sum;
  };
  Source getSource(const Operand &operand, const Chunk &chunk, Value start);
  void copyAsync(const Operand &operand, Value stage, Value start);
  FailureOr<SmallVector<Value>> loadChunks(const Operand &operand, Value start);
  void storeChunks(const Operand &operand, Value stage, ArrayRef<Value> values);
  LogicalResult copy(Value stage, Value start);
  void forEachChunk(const Operand &operand,
                    llvm::function_ref<void(const Chunk &)> body);

  // Units.
  SmallVector<Value> getZeros();
  SmallVector<Value> multiply(Value stage, ValueRange sums);
  SmallVector<Value> multiplyFma(Value stage, SmallVector<Value> sums);
  SmallVector<Value> multiplyMma(Value stage, SmallVector<Value> sums);
  SmallVector<Value> loadMatrices(const Operand &operand, Value stage,
                                  Value across, int64_t sum);
  SmallVector<Value> loadElements(const Operand &operand, Value stage,
                                  Value across, int64_t sum);
  SmallVector<Value> loadParts(const Operand &operand, Value stage,
                               Value first, int64_t sum);
  void storeSums(ValueRange sums);
  void storeFmaSums(ValueRange sums);
  void storeMmaSums(ValueRange sums);
  int64_t getSumPitch() const;

  Value getShared(Value bytes, int64_t more = 0);

  Operand operands[2];
  int64_t stageBytes = 0;
  Value sharedBase;
  Tile tile;
};

/// Bytes of shared memory for what is finished of a row of a warpgroup's tile
/// at a time.
inline constexpr int64_t kFinishedRow = 160;
/// Registers of a thread that multiplies, beside those of its sums.
inline constexpr int64_t kOtherRegisters = 40;
/// Elements of 16 bits from row to row of that memory, where that is what is finished: columns at a
/// time, and eight more.
inline constexpr int64_t kPackedColumns = 64, kPackedPitch = kPackedColumns + 8;

/// Tiles that one warpgroup has the copy engine bring, and the others multiply by `wgmma`;
/// a block has one tile after the other.
class GridWgmmaEmitter : public GridProductBase {
public:
  GridWgmmaEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                   GPUProductScheduleAttr schedule, bool isNarrow)
      : GridProductBase(kernel, strides, schedule, schedule.getThreads(),
                        isNarrow) {}

private:
  struct Operand {
    unsigned number = 0; ///< 0: A, 1: B
    analysis::OperandBoxes boxes;
    Type type;
    Value map;
    int64_t extent = 0, place = 0; ///< across; in a stage, in bytes
    int64_t asked = 0;             ///< across, what the copy engine brings
    bool isGathered = false;       ///< copied by threads, from `memory`
    Buffer memory;
  };
  /// A row (or column) of a gathered operand; the first of eight that are neighbours.
  struct GatheredRow {
    Value offset;            ///< of its first element, in elements
    SmallVector<Value> runs; ///< its index in the runs of its group
    Value inside;            ///< null: it is
  };
  using GatheredRows = std::array<SmallVector<GatheredRow>, 2>;

  LogicalResult emitThread() override;
  LogicalResult describe(Operand &operand);
  int64_t countAsked(const Operand &operand);
  int64_t countAskedBytes() const;
  int64_t countSharers(const Operand &operand) const;
  void initBarriers();
  Value getBarrier(bool isFull, Value stage);
  void wait(bool isFull, const StageTurn &turn, bool isNextPhase);
  void arrive(Value stage);
  LogicalResult forEachTile(
      llvm::function_ref<FailureOr<StageTurn>(const Tile &, StageTurn)> body);
  /// Fills a stage for each step of the tile; which stage's turn is next.
  StageTurn
  fillStages(const Tile &tile, StageTurn turn,
             llvm::function_ref<void(const StageTurn &now, Value step)> fill);
  StageTurn emitCopies(const Tile &tile, StageTurn turn);
  void copy(const Operand &operand, const Tile &tile, Value stage, Value sum);
  SmallVector<Value> getMatrixPlace(const analysis::OperandBoxes &boxes,
                                    const Tile &tile);
  FailureOr<StageTurn> emitProducts(const Tile &tile, StageTurn turn);
  Value getDescriptor(const Operand &operand, Value stage, Value part);
  FailureOr<StageTurn> emitOwnProducts(const Tile &tile, StageTurn turn);
  StageTurn passOver(const Tile &tile, StageTurn turn);
  Value getOrderBarrier(Value group);
  void awaitTurn(const Tile &tile);
  void giveTurn();
  SmallVector<Value> multiply(ValueRange sums, Value stage);
  void clearBehind(const Tile &tile, Value stage, Value step);
  SmallVector<Value> complete(ValueRange sums);
  void syncCluster(bool isAligned);
  int64_t countManyRegisters();
  /// Sums of a thread, which are in registers.
  int64_t countSums() {
    return schedule.getColumns() / 2 * schedule.getGroupParts();
  }

  // What follows the product (ProductFinish.cpp).
  /// What a lane has summed up of one or two neighbouring columns, by column: those of
  /// all lanes follow each other, from column `first` of the tile on.
  struct ColumnSums {
    int64_t first;
    SmallVector<SmallVector<Value>, 2> values;
  };
  /// Where this thread is among those of its warp, and its warp in the tile.
  struct Finisher {
    Value lane, firstRow; ///< of the warp, in the tile
    Value memory;         ///< of the warp, in shared memory
    Value row, column;    ///< of the thread's first sums, in the warp's
    SmallVector<Value> matrix; ///< the last coordinates of its boxes
    int64_t box = 0;           ///< which of the tile is next
    SmallVector<ColumnSums> sums; ///< of the tile, so far
  };
  Finisher getFinisher();
  /// Waits for the sums, says so by `release`, and finishes them.
  LogicalResult finishTile(const Tile &tile, ValueRange sums,
                           llvm::function_ref<void()> release);
  LogicalResult finishIfThere(const Tile &tile, ValueRange sums,
                              llvm::function_ref<void()> release);
  bool canPack();
  bool has16Bits();       ///< all that is stored
  bool isShifted() const; ///< rows of the result begin anywhere
  using Words = SmallVector<SmallVector<Value>, 2>; ///< of each of `results`
  FailureOr<Words> finishPairs(const Tile &tile, const Finisher &own,
                               ArrayRef<Value> sums, int64_t first,
                               int64_t columns);
  LogicalResult finishPacked(const Tile &tile, Finisher &own,
                             ArrayRef<Value> sums);
  LogicalResult storeColumns(const Tile &tile, Finisher &own, unsigned number,
                             int64_t first, int64_t columns);
  LogicalResult sumPacked(const Tile &tile, Finisher &own, int64_t first,
                          int64_t columns);
  void storePacked(Value tensor, const Tile &tile, const Finisher &own,
                   int64_t first, int64_t columns);
  LogicalResult
  finishWide(const Tile &tile, Finisher &own,
             llvm::function_ref<SmallVector<Value>()> getSums);

  // Sums over rows of tiles (ProductSums.cpp).
  LogicalResult
  sumRows(const Tile &tile, Finisher &own, int64_t first, int64_t columns,
          llvm::function_ref<Value(int64_t row, Value column)> getPlace);
  LogicalResult joinSums(const Tile &tile, const Finisher &own);
  LogicalResult joinSome(const Tile &tile, const Finisher &own,
                         ArrayRef<ColumnSums> some);
  SmallVector<int64_t> getSlotPlaces(ArrayRef<Value> sums, int64_t columns);
  int64_t countTileSums();
  int64_t getFinishedBytes() const;
  int64_t countTileWarps() const;
  void syncTile();

  // What the copy engine stores (ProductStores.cpp).
  /// What is made, in boxes of a warp's rows and `kPackedColumns`.
  struct Stores {
    analysis::OperandBoxes boxes;
    SmallVector<Value> maps; ///< of each of `results`, which lie alike
    int64_t buffers = 0; ///< of a warp, for one box each; 0: threads store
  };
  void describeStores(int64_t room);
  int64_t countBoxes() const;
  Value getBoxUnit(const Finisher &own);
  Value getBox(const Finisher &own);
  Value getPlaceInBox(const Finisher &own, int64_t row, Value bytes);
  void awaitBox(const Finisher &own);
  void storeBox(Value map, const Tile &tile, const Finisher &own,
                int64_t first);

  // Rows of the result that begin anywhere (ProductShifted.cpp).
  bool canShift();
  SmallVector<Value> loadShifted(Value from, Value isOdd);
  void storeSome(ArrayRef<Value> words, Value to,
                 llvm::function_ref<Value(int64_t)> counts);
  void storeShifted(const Tile &tile, const Finisher &own, int64_t first,
                    int64_t columns);

  // Operands that are no boxes (ProductGather.cpp).
  bool isGathered(unsigned number);
  bool gathers() const {
    return operands[0].isGathered || operands[1].isGathered;
  }
  LogicalResult describeGathered(Operand &operand);
  int64_t getGatheredBytes(const Operand &operand) const;
  int64_t countArrivals() const;
  SmallVector<GatheredRow> getRows(const Operand &operand, const Tile &tile);
  Value getUnmasked(const Operand &operand, const Tile &tile,
                    const GatheredRow &row, ArrayRef<Value> sum);
  Value countUnitBytes(const Operand &operand, Value inRun);
  void copyUnit(const Operand &operand, Value offset, Value to, Value count,
                ArrayRef<Value> conditions);
  Value getUnitPlace(const Operand &operand, Value stage);
  void gather(const Operand &operand, const Tile &tile,
              ArrayRef<GatheredRow> rows, Value stage, Value start);
  void fillStage(const Tile &tile, const GatheredRows &rows,
                 const StageTurn &now, Value step);
  void roundStage(const GatheredRows &rows, Value stage);
  StageTurn emitRounded(const Tile &tile, const GatheredRows &rows,
                        StageTurn turn);
  bool roundsGathered();
  StageTurn emitGather(const Tile &tile, StageTurn turn);
  LogicalResult emitGatherers();
  void fenceGathered();

  Operand operands[2];
  Stores stores;
  int64_t stageBytes = 0, barrierPlace = 0, sumPlace = 0;
  std::optional<Warpgroups> tools;
  Value warpgroup, isLeader;
  Value inGroup; ///< the number of a thread in its warpgroup
  Value rank;    ///< of the block in its cluster
};

/// Adds up the sums of parts.
class GridProductSumEmitter : public GridProductBase {
public:
  GridProductSumEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                        GPUProductScheduleAttr schedule, bool isNarrow)
      : GridProductBase(kernel, strides, schedule, /*threads=*/256, isNarrow) {}

private:
  LogicalResult emitThread() override;
  LogicalResult emitInOrder();
  Value addParts(Value matrix, Value row, Value column, int64_t lanes);
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDPRODUCT_H
