//===- GridEmitter.h - The functions of a kernel on a GPU -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a `loop.kernel` into the functions of a `loop.launch_grid`. What a thread
// does is said by the schedule (LoopGPU.td): there is an emitter for each kind of
// them, and no number here that could be tuned.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDEMITTER_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDEMITTER_H

#include "Warpgroups.h"

#include "kiln/Analysis/WholeRows.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>
#include <optional>

namespace kiln::loop {

class RowMemory;
class SortedRow;
struct RadixRow;
struct RankedRow;
struct RowSelection;

/// How rows are sorted whose elements are in registers.
struct RankedShape {
  int64_t items = 0; ///< elements of a thread
  int64_t width = 0; ///< bits of a key
  int64_t bits = 0;  ///< of a digit

  /// Key and place are one word.
  bool isPacked() const { return width <= 16; }
  int64_t getElementBits() const { return std::max<int64_t>(width, 32); }
  /// Of a thread: for elements and their ranks, and some others.
  int64_t countRegisters() const {
    constexpr int64_t kOthers = 16;
    return items * (getElementBits() / 32 + (isPacked() ? 1 : 2)) + kOthers;
  }
  /// Of the key in an element.
  int64_t getFirstBit() const { return isPacked() ? 16 : 0; }
};

/// Threads of a warp.
inline constexpr int64_t kWarp = 32;
/// Bytes of shared memory that the sorts of a function may declare: 48 KB less what its
/// reductions need.
inline constexpr int64_t kMostDeclared = 45056;

/// What a launch of the emitted functions needs.
struct EmittedGrid {
  SmallVector<GridStepAttr> steps;
  guard::ExprAttr workspace;   ///< bytes; null: none
  /// Every index that the functions compute is less than 2^31 where this is true.
  guard::ExprAttr fitsNarrow;
  /// Whether results may lie where an input lies that they are computed from.
  bool mayOverwrite = true;
};

/// Emits a kernel by its schedule at the builder's insertion point, with indices of
/// 32 bits or 64.
FailureOr<EmittedGrid> emitGrid(KernelOp kernel,
                                const analysis::KernelStrides &inputStrides,
                                OpBuilder &builder, StringRef name,
                                bool isNarrow);

/// One function.
class GridEmitter : public KernelEmitter {
public:
  GridEmitter(KernelOp kernel, const analysis::KernelStrides &inputStrides,
              int64_t threads, bool isNarrow)
      : KernelEmitter(kernel, inputStrides), threads(threads),
        isNarrow(isNarrow) {
    readsFirst = true;
  }

  /// Emits the function at the builder's insertion point and adds it to `grid`.
  LogicalResult emit(OpBuilder &builder, StringRef name, EmittedGrid &grid);

protected:
  /// Emits what a thread does, and sets `blocks`.
  virtual LogicalResult emitThread() = 0;
  /// What the tensors of the kernel need to know of the thread.
  virtual void enterThread() {}
  /// Who has scratch memory of its own, by number, and how many there are.
  virtual Value getOwner() { return item; }
  virtual guard::ExprAttr countOwners();
  /// Inputs whose elements stay as they are while the kernel runs.
  virtual bool isConstant(unsigned input);

  Value emitArgument(unsigned number) override;
  Value allocateScratch(guard::ExprAttr bytes) override;
  Value toIndex(Value number) override;
  LogicalResult emitAssertion(AssertOp op, Value condition) override;

  /// The argument that a tensor map is handed over in, behind all others.
  Value addMap(TensorMapAttr map);
  Value isLess(Value x, Value y);
  Value add(Value x, Value y);
  Value mul(Value x, int64_t y);
  Value mulExpr(Value index, guard::ExprAttr factor);
  Value toWord(Value index); ///< as i32
  /// What a block may have of it.
  int64_t getMostShared();
  /// Shared memory of `sharedBytes`, which the launch says.
  Value getSharedMemory();
  /// Runs `body` in each thread whose `item` is one of `items`, and sets `blocks`.
  LogicalResult emitForItem(guard::ExprAttr items,
                            llvm::function_ref<LogicalResult()> body);
  LogicalResult
  emitVectors(Value item, ArrayRef<guard::ExprAttr> extents, int64_t lanes,
              llvm::function_ref<LogicalResult(const Position &)> body);
  /// Both: `body` for each vector of a domain, or for each point, in a thread of its own.
  LogicalResult
  emitForVectors(ArrayRef<guard::ExprAttr> extents, int64_t lanes,
                 llvm::function_ref<LogicalResult(const Position &)> body);

  const int64_t threads;
  const bool isNarrow;
  mlir::LLVM::LLVMFuncOp function;
  Value thread, block, item; ///< in its block, of the grid, in the grid
  Value workspace;
  guard::ExprAttr blocks, scratchBytes;
  int64_t sharedBytes = 0;      ///< of each block, besides what is declared
  SmallVector<Attribute> maps;  ///< tensor maps that the function takes
  SmallVector<mlir::BlockArgument> mapArguments;
  SmallVector<mlir::BlockArgument> cellArguments; ///< of assertions, by their slots
  SmallVector<guard::ExprAttr> reached; ///< sizes that indices reach, besides tensors
  bool countsPoints = true; ///< indices reach the number of points of each nest
};

class GridAcrossEmitter : public GridEmitter {
public:
  GridAcrossEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                    GPUAcrossScheduleAttr schedule, bool isNarrow)
      : GridEmitter(kernel, strides, schedule.getThreads(), isNarrow),
        schedule(schedule) {}

private:
  LogicalResult emitThread() override;

  GPUAcrossScheduleAttr schedule;
};

class GridRowsEmitter : public GridEmitter {
public:
  GridRowsEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                  GPURowsScheduleAttr schedule, bool isNarrow)
      : GridEmitter(kernel, strides, schedule.getThreads() * schedule.getRows(),
                    isNarrow),
        schedule(schedule) {}

protected:
  void finish(Value result, const Position &position, Value value) override;
  FailureOr<SmallVector<Value>> combineThreads(ReduceOp op,
                                               SmallVector<Value> values);
  FailureOr<SmallVector<Value>> combineShuffled(ReduceOp op,
                                                SmallVector<Value> values,
                                                int64_t count,
                                                int64_t apart = 1);
  /// A number in shared memory: truths are bytes, and indices have 64 bits.
  Type getSlotType(Type type);
  Value toSlot(Value value);
  Value fromSlot(Value loaded, Type type);
  /// The position of a nest at a point, where its dimensions of one element are at 0.
  Position enterPoint(const Position &point, NestOpInterface nest);
  LogicalResult emitRowPointwise(PointwiseOp op, const Position &shared);

  Value row, lane; ///< of the grid, and the thread among those of its row

  // Threads of the same columns (GridRowJoin.cpp).
  /// Where a thread is in a block that has several of them for each of `columns`.
  struct Place {
    int64_t columns = 1, deep = 1; ///< in the block, threads of each
    Value column, row;             ///< of this thread
  };
  LogicalResult joinColumns(ArrayRef<ReduceOp> ops,
                            llvm::MutableArrayRef<Value> sums,
                            const Place &place, int64_t times = 1);
  FailureOr<SmallVector<Value>> joinForAll(ReduceOp op, SmallVector<Value> sums,
                                           const Place &place);

  Value elementInside; ///< of the elements at hand; null where all are
  int64_t step = 0;    ///< which elements these are
  /// Elements of rows in registers, by the steps of a thread.
  llvm::DenseMap<std::pair<Value, int64_t>, Value> kept;

private:
  LogicalResult reserveSlots(int64_t bytes);
  FailureOr<SmallVector<Value>> foldColumns(ReduceOp op,
                                            ArrayRef<Value> values,
                                            const Place &place, int64_t count,
                                            int64_t half);
  void forEachSlot(
      ArrayRef<Value> values, Value slot, int64_t slots,
      llvm::function_ref<void(unsigned, int64_t, Value, Type)> body);
  void storeSlots(ArrayRef<Value> values, Value slot, int64_t slots);
  SmallVector<Value> loadSlots(ArrayRef<Value> like, Value slot, int64_t slots);
  Value getSlotMemory();

  /// Some neighbouring elements of a row: where they are, and whether they lie
  /// inside. Positions are inside always; a null `inside` says that so are they.
  using RowBody =
      llvm::function_ref<LogicalResult(const Position &, Value inside)>;

  LogicalResult emitThread() override;
  void enterThread() override;
  Value getOwner() override { return row; }
  guard::ExprAttr countOwners() override;
  bool isConstant(unsigned) override { return true; }
  void bindRow(Value result) override;
  Value loadStaged(LoadOp load, int64_t lanes) override;

  Position enterRow(const Position &start, unsigned shared, Value element,
                    int64_t lanes);
  /// Calls `body` for each vector of a thread among `size` elements of a row,
  /// with the first of its elements.
  LogicalResult forEachStep(
      int64_t size,
      llvm::function_ref<LogicalResult(Value element, Value inside)> body);
  LogicalResult emitSteps(const Position &start, unsigned shared, RowBody body);
  LogicalResult emitRowNest(NestOpInterface nest, const Position &point);
  guard::ExprAttr chooseBegin();
  void enterPeeled(const Position &point);
  /// An element before or behind the vectors of a row for each of the first threads, and
  /// whether it is that thread's.
  struct Edge {
    Value element, inside;
  };
  Edge enterEdge(int64_t size);
  LogicalResult emitEdges(const Position &start, unsigned shared, RowBody body);
  /// How many vectors a row of so many elements has, at least and at most.
  std::pair<int64_t, int64_t> countVectors(int64_t size) const;
  mlir::scf::ForOp emitVectorLoop(const Position &start, unsigned shared,
                                  ArrayRef<Value> sums, int64_t together = 1);
  LogicalResult emitRowReduce(ReduceOp op, const Position &shared);
  FailureOr<SmallVector<Value>> reduceSteps(ReduceOp op, const Position &start,
                                            unsigned shared,
                                            ArrayRef<Value> sums);
  LogicalResult emitOwn(const Position &start, unsigned shared, RowBody body);
  Value emitKeptEnd(guard::ExprAttr count);
  LogicalResult emitKept(const Position &start, guard::ExprAttr count,
                         RowBody body);
  FailureOr<SmallVector<Value>> reduceKept(ReduceOp op, const Position &start);
  /// The value of the thread of the same warp that `kind` and `place`, an i32, say.
  Value shuffle(Value value, mlir::NVVM::ShflKind kind, Value place);
  mlir::LLVM::GlobalOp declareSlots(Type slot);
  SmallVector<Value> exchange(ArrayRef<Value> values);
  Value exchange(Value value);
  LogicalResult combinePending();
  LogicalResult combineBefore(NestOpInterface nest);

  // Sums over parts of the rows (GridRowParts.cpp).
  /// An input of which threads read their elements before they need them.
  struct StagedInput {
    Value tensor;
    OwnRead read = OwnRead::Other;
    SmallVector<guard::ExprAttr> columns;
  };
  /// A row of a part.
  struct PartRow {
    Position point;                 ///< of the shared domain
    SmallVector<Value> outer, rows; ///< as in RowParts
  };
  LogicalResult emitPart(const RowParts &parts);
  void findStaged();
  SmallVector<guard::ExprAttr> getRowIndices(RankedTensorType type);
  SmallVector<Value> readAhead(const StagedInput &input, const Position &row);
  SmallVector<Value> readAhead(bool isOfAll, const Position &row);
  void keepAhead(bool isOfAll, ArrayRef<Value> values);
  int64_t countSteps() const;
  PartRow enterPartRow(const RowParts &parts, Value number);
  Position enterColumns(ReduceOp op, const PartRow &row, Value element);
  LogicalResult addRow(ReduceOp op, const PartRow &row,
                       llvm::MutableArrayRef<Value> sums);
  LogicalResult emitPartRow(const PartRow &row,
                            llvm::MutableArrayRef<Value> sums);
  LogicalResult finishSums(const PartRow &row,
                           llvm::MutableArrayRef<Value> sums);
  int64_t limitRegisters();

  // What a copy engine brings (GridRowCopies.cpp).
  /// Rows of an input that it brings: where one lies in a stage, and what the thread has
  /// of it besides vectors.
  struct BroughtRow {
    analysis::WholeRow row;
    int64_t place = 0;
    Value edge;
  };
  void findBrought(bool isOfParts);
  void declareBrought(int64_t copies, int64_t barriers, int64_t limit);
  Value getRowBarrier(Value number);
  void startBringing(int64_t barriers, llvm::function_ref<void()> ask);
  Value isFirstThread();
  Value getRowPointer(const BroughtRow &each, const Position &point, Value at);
  Value readBrought(const BroughtRow &each, Value stage);
  void bringPartRow(const RowParts &parts, Value number, Value stage);
  StageTurn startPart(const RowParts &parts, int64_t rows);
  void takePartRow(const RowParts &parts, int64_t rows, Value number,
                   const StageTurn &turn);
  void runBehindBarrier();
  void bringRow(const Position &point);
  void awaitPiece();

  // Scans (GridRowScan.cpp).
  struct Joined {
    SmallVector<Value> before, all;
    Value isFirst; ///< of the row, so nothing is before it
  };
  LogicalResult emitRowScan(ScanOp op, const Position &shared);
  FailureOr<SmallVector<Value>> emitScannedPiece(ScanOp op,
                                                 const Position &position,
                                                 ArrayRef<Value> carried);
  FailureOr<SmallVector<Value>> joinUnlessNone(ScanOp op, ArrayRef<Value> left,
                                               ArrayRef<Value> right,
                                               Value isNone);
  FailureOr<Joined> joinThreads(ScanOp op, SmallVector<Value> values);
  FailureOr<SmallVector<Value>>
  scanShuffled(ScanOp op, SmallVector<Value> values, int64_t count);
  SmallVector<Value> fetch(ArrayRef<Value> values, Value from);

  // Sorts (GridRowSort.cpp, GridRowRadix.cpp).
  LogicalResult emitRowSort(SortOp op, const Position &shared);
  void declareRows(guard::ExprAttr extent, ArrayRef<Type> types, int64_t all,
                   RowMemory &memory);
  LogicalResult fillSorted(Block &block, RowMemory &memory,
                           const Position &position, Value inside);
  void finishSorted(SortOp op, RowMemory &memory, unsigned column, Value at,
                    const Position &position);
  LogicalResult drainSorted(SortOp op, RowMemory &memory, unsigned column,
                            Value at, const Position &start, unsigned shared);
  void sortDeclared(SortedRow &sorted, guard::ExprAttr most, Value count);
  void forEachPair(Value count, Value half,
                   llvm::function_ref<void(Value low, Value place)> compare);
  LogicalResult emitRadixSort(SortOp op, const Position &start,
                              unsigned shared);
  int64_t getMostSorted();
  RadixRow enterRadix(guard::ExprAttr extent, ArrayRef<Type> keyTypes);
  void forEachDigit(RadixRow &row, unsigned k, Value shift, Value at,
                    llvm::function_ref<void(Value place, Value counter)> body);
  Value addShuffled(Value value, int64_t count);
  std::pair<Value, Value> addThreads(Value value);
  Value addThreadsBefore(Value value);
  void addCounters(RadixRow &row);
  Value emitDigit(RadixRow &row, unsigned k, Value shift, Value at);

  // Sorts of rows in registers (GridRowRanks.cpp).
  std::optional<RankedShape> getRanked(SortOp op);
  RankedRow enterRanked(SortOp op, const RankedShape &shape);
  void clearCounters(RankedRow &row);
  void readKeys(RankedRow &row, int64_t count);
  SmallVector<Value> readColumn(RankedRow &row, unsigned column);
  void storeColumn(RankedRow &row, unsigned column, ArrayRef<Value> values,
                   ArrayRef<Value> ranks);
  Value getCounter(RankedRow &row, Value digit);
  Value countPeers(RankedRow &row, Value key, Value shift);
  void addWarps(RankedRow &row);
  void sortDigit(RankedRow &row, Value shift);
  LogicalResult bringSorted(RankedRow &row, LoadOp load, const Position &start,
                            unsigned shared);
  std::optional<Buffer> enterSorted(PointwiseOp op);
  LogicalResult emitRankedSort(SortOp op, const RankedShape &shape,
                               const Position &start, unsigned shared);

  // The first of long rows (GridRowSelect.cpp).
  /// What is carried on behind an element with a key at a place of its row; a
  /// null `inside` says that it lies inside.
  using KeyBody = llvm::function_ref<SmallVector<Value>(
      Value key, Value place, Value inside, ArrayRef<Value> carried)>;
  /// Whether an element with a key at a place is one of those meant.
  using KeyTest = llvm::function_ref<Value(Value key, Value place)>;
  std::optional<int64_t> getCandidates(SortOp op);
  Type getPlaceType();
  LogicalResult emitRowSelect(SortOp op, const Position &start, unsigned shared,
                              int64_t room);
  FailureOr<Value> emitCandidates(RowSelection &row, int64_t room,
                                  RowMemory &to);
  FailureOr<Value> emitExactly(RowSelection &row, Value kept, RowMemory &to);
  RowMemory declareCounters(int64_t count);
  int64_t countSlots(SortOp op);
  FailureOr<SmallVector<Value>> findLeast(RowSelection &row);
  FailureOr<SmallVector<Value>> findLeastOfSlots(RowSelection &row);
  FailureOr<Value> collect(RowSelection &row, ArrayRef<Value> least,
                           Value bound, int64_t room, RowMemory &counters,
                           RowMemory &to);
  Value enlist(const RowSelection &row, ArrayRef<Value> least, Value bound,
               RowMemory &counters, RowMemory &owners);
  void rankCandidates(RowMemory &candidates, Value count, RowMemory &ranked);
  FailureOr<Value> evaluateKey(SortOp op, const Position &position);
  LogicalResult holdKeys(RowSelection &row);
  FailureOr<SmallVector<Value>> foldKeys(RowSelection &row,
                                         ArrayRef<Value> carried, KeyBody body);
  FailureOr<Value> countKeys(RowSelection &row, KeyTest isMeant);
  FailureOr<Value> emitLeast(Type type, int64_t bits, bool isSigned,
                             Value wanted,
                             llvm::function_ref<FailureOr<Value>(Value)> count);
  FailureOr<Value> emitBound(ArrayRef<Value> keys, int64_t kept);
  FailureOr<std::pair<Value, Value>> emitLast(RowSelection &row, Type keyType,
                                              Value kept);
  Value isUpTo(Value key, Value place, Value lastKey, Value lastPlace);
  LogicalResult gather(RowSelection &row, Value at, RowMemory &to,
                       KeyTest isMeant);

  GPURowsScheduleAttr schedule;
  /// Of rows that begin at no multiple of the lanes: where those do that this
  /// one's place is known to be one of, the first of their vectors, how many
  /// there are, and where they end. Null where all vectors of all rows are
  /// aligned.
  struct {
    guard::ExprAttr begin;
    Value head, vectors, split;
  } peeled;
  Value rowInside;       ///< null where all are
  Value vector; ///< the number of the vector that these are; null elsewhere
  bool isOfFewer = false; ///< they are of a row that has fewer than others
  /// The step of those before and behind the vectors of a row.
  static constexpr int64_t kEdges = -1;
  int64_t sortedBytes = 0; ///< of shared memory that sorts have declared
  /// What a sort has brought to shared memory of its row; null where nothing is.
  struct {
    Value tensor;
    Buffer buffer;
  } sortedRow;
  int64_t exchanges = 0;   ///< between the warps of a row, in the code so far
  /// What a thread has reduced of its own elements, and where.
  struct PendingReduction {
    ReduceOp op;
    Position start;
    SmallVector<Value> values;
  };
  SmallVector<PendingReduction, 1> pending; ///< whose results nobody has read yet
  int64_t partColumns = 0; ///< of the sums over parts of the rows
  Value group; ///< of the threads that share a row of the part, in the block
  mlir::LLVM::GlobalOp slots; ///< shared memory where threads join what they have
  int64_t slotBytes = 0;      ///< of it
  SmallVector<StagedInput> staged;
  std::optional<Warpgroups> tools; ///< where something is brought
  SmallVector<BroughtRow, 2> brought;
  /// Of which row each of their loads reads.
  llvm::DenseMap<Operation *, size_t> broughtLoads;
  int64_t broughtBytes = 0;    ///< of a stage
  int64_t broughtBarriers = 0; ///< where they lie
  /// What the next barrier of the block permits.
  std::function<void()> behindBarrier;
  int64_t pieceSteps = 0, pieces = 0, awaited = 0; ///< of a row in pieces
};

class GridTileEmitter : public GridEmitter {
public:
  GridTileEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                  GPUTileScheduleAttr schedule, bool isNarrow)
      : GridEmitter(kernel, strides, schedule.getThreads(), isNarrow),
        schedule(schedule) {}

private:
  LogicalResult emitThread() override;
  bool isConstant(unsigned) override { return true; }
  Value loadStaged(LoadOp load, int64_t lanes) override;
  void finish(Value result, const Position &position, Value value) override;

  /// Rows of a tile that the threads have at a time, a point of each.
  int64_t getRows() const {
    return schedule.getThreads() * schedule.getLanes() / schedule.getSide();
  }
  /// Neighbours in a row of a tile that are read and written at once: points that a thread
  /// has, up to a word.
  int64_t getWidth(Type slot) const;
  /// Elements from row to row of a tile: neither those nor neighbours in a row are
  /// in one bank.
  int64_t getPitch(Type slot) const {
    return schedule.getSide() + getWidth(slot);
  }
  Position enterTile();
  Value clamp(Value index, unsigned dim, int64_t width);
  mlir::LLVM::GlobalOp createTile(Type slot);
  Value getSlot(mlir::LLVM::GlobalOp tile, Type type, Value row, Value column);
  void put(mlir::LLVM::GlobalOp tile, ArrayRef<Value> points, Value place);
  Value take(mlir::LLVM::GlobalOp tile, int64_t lanes);
  void stageReads(const Position &tile);
  void stage(const analysis::TransposedRead &read, mlir::LLVM::GlobalOp memory,
             const Position &tile);
  LogicalResult stageResults(const Position &tile);
  LogicalResult computeAt(const Position &tile, Value place);
  void storeStaged(const Position &position);

  GPUTileScheduleAttr schedule;
  /// Extents of what tiles are of: those shared, joined as accesses walk them or, where
  /// results are staged, behind `dim` as results lie.
  SmallVector<guard::ExprAttr> tileExtents;
  Value row, column; ///< of the first vector of a thread in its tile
  Value point;       ///< row of the vector at hand
  llvm::DenseMap<Operation *, mlir::LLVM::GlobalOp> tiles; ///< by the load
  /// A result that goes through shared memory: where it will lie, and what a thread has
  /// computed of it, point by point.
  struct StagedResult {
    Buffer target;
    mlir::LLVM::GlobalOp tile;
    SmallVector<Value> made;
  };
  llvm::MapVector<Value, StagedResult> staged;
};

/// Copies the initial values of a scatter into its result.
class GridCopyEmitter : public GridEmitter {
public:
  using GridEmitter::GridEmitter;

private:
  LogicalResult emitThread() override;
};

class GridScatterEmitter : public GridEmitter {
public:
  GridScatterEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                     GPUScatterScheduleAttr schedule, bool isNarrow)
      : GridEmitter(kernel, strides, schedule.getThreads(), isNarrow),
        schedule(schedule) {}

private:
  LogicalResult emitThread() override;
  LogicalResult emitPoint(ScatterOp op, const Buffer &target,
                          const Position &position);
  Value isOwned(ScatterOp op, ArrayRef<guard::ExprAttr> indices,
                const Position &position);
  void addAtomically(const Buffer &target, guard::ExprAttr address,
                     const Position &position, Value value);

  /// What a point writes, and where.
  struct Point {
    Value value;
    Value condition; ///< null: it is written always
    SmallVector<guard::ExprAttr> indices;
    guard::ExprAttr address; ///< of the element, over `position`
    Position position;
  };
  FailureOr<Point> evaluatePoint(ScatterOp op, const Buffer &target,
                                 const Position &position);

  // Groups (GridScatterGroups.cpp).
  LogicalResult emitGroup(ScatterOp op, const Buffer &target,
                          const Position &first);
  FailureOr<Point> evaluateGroupPoint(ScatterOp op, const Buffer &target,
                                      Position position, Value index);
  FailureOr<Value> emitIsOfGroup(ScatterOp op, const Buffer &target,
                                 const Point &group, Value place, Value index,
                                 Value exists);
  FailureOr<Value> emitGroupEnd(ScatterOp op, const Buffer &target,
                                const Point &group, Value place, Value first,
                                Value count);
  FailureOr<Value> joinGroup(ScatterOp op, const Buffer &target,
                             const Position &position, Value joined, Value from,
                             Value end, int64_t together);

  GPUScatterScheduleAttr schedule;
  SmallVector<unsigned> ownDims; ///< whose points a thread has one of
  Value owner; ///< of the thread, among those of its point; null where it is
               ///< the only one
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDEMITTER_H
