//===- GridWalks.h - Products and rows in several walks, on a GPU ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits a kernel of `analysis::getBlockWalks` as two functions, in both of which
// `#loop.gpu_blocks` says what a block has and what it walks a tile at a time:
//
//   over columns  a block has rows: their reductions, a walk for those that need each
//                 other's values, then sums over the columns in one more walk; values of
//                 rows that the other function needs go to the workspace
//   over rows     a block has columns, and walks the rows for the sums over them
//
// Or the second one adds its parts of a sum over the columns to memory, and others stand
// before and behind it in place of the first.
//
// What is at a row and a column is computed in the registers that scores of `mma.sync`
// are in (GridBlocks.h), whichever of both a block has: in the second function columns are
// where rows are in the first.
//
//   GridWalksEmitter.cpp   operands, copies, walks
//   WalksWgmma.cpp         the same by a copy engine and warpgroups
//   WalksAdded.cpp         sums over columns that are added to memory
//   WalkedValues.cpp       values of rows or columns that walks read
//   WalkElements.cpp       what is at a row and a column, values of rows, results
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDWALKS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDWALKS_H

#include "GridBlocks.h"

#include "kiln/Analysis/BlockWalks.h"

namespace kiln::loop {

class GridWalksEmitter : public GridBlocksBase {
public:
  GridWalksEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                   GPUBlocksScheduleAttr schedule, bool overRows, bool isNarrow)
      : GridBlocksBase(kernel, strides, schedule, isNarrow), overRows(overRows) {}

protected:
  using Sum = analysis::BlockWalks::Sum;
  using Values = llvm::DenseMap<Value, Value>; ///< of tensors, at one place

  /// An operand, and what tells it from others.
  struct Factors {
    Value tensor;
    guard::ExprAttr address;
    Operand operand;
    Value map, plane; ///< where a copy engine brings it
  };
  /// One walk: what it adds up, and what that needs.
  struct Walk {
    SmallVector<ReduceOp> reductions;
    SmallVector<const Sum *> sums;
    SmallVector<NestOpInterface> needed;
    llvm::SmallSetVector<unsigned, 4> moving; ///< operands that are copied
    SmallVector<const analysis::BlockProduct *> scores;
    /// What is computed of a tile when so many of these scores are there, and
    /// one more.
    SmallVector<SmallVector<NestOpInterface>> phases;
  };
  /// What a thread has of a walk: of each reduction for each of its two rows, and the
  /// registers of all sums.
  struct State {
    SmallVector<Value> reduced, sums;
  };
  /// Neighbours that are walked, in one of the thread's rows.
  struct Place {
    Value moved, inside; ///< null: they are there
    int64_t lanes;
    unsigned row;
    size_t number; ///< of the first one's register
    Values made;   ///< vectors where there are several
  };
  /// A tile of scores and weights, by eight columns and register.
  struct Tile {
    Value first; ///< that is walked
    llvm::DenseMap<Operation *, SmallVector<Value>> scores;
    llvm::DenseMap<Value, SmallVector<Value>> weights;
    SmallVector<Place, 0> places;
  };

  LogicalResult emitThread() override;
  Value getOwner() override { return constantIndex(0); }
  Value loadStaged(LoadOp load, int64_t lanes) override;
  Value emitOperation(Operation &op, ValueRange operands) override;
  Value getPower(Value x, Value row);
  Value getDifference(Value x, Value y);
  bool isAssured(guard::ExprAttr condition, const Position &) override {
    return isWithin(condition, walks.limit);
  }

  // Operands and walks.
  LogicalResult analyze();
  void enterBlock();
  void describeOperands();
  void findAdded();
  int64_t countAddedColumns() const;
  void bindAdded();
  Value getAddedPlace(Value rows, Value warp, int64_t columns);
  unsigned addOperand(SmallVectorImpl<Factors> &operands,
                      const analysis::BlockProduct &product, unsigned k,
                      const analysis::DimGroup &rows,
                      const analysis::DimGroup &inner);
  /// What else is to be known of an operand, of which a tile has `count` rows.
  virtual void describeMemory(Factors &, const analysis::BlockProduct &,
                              unsigned /*k*/, const analysis::DimGroup & /*rows*/,
                              const analysis::DimGroup & /*inner*/,
                              int64_t /*count*/) {}
  /// Bytes of so many rows of an operand in shared memory.
  virtual int64_t getBytes(const Operand &operand, int64_t rows) {
    return operand.getBytes(rows);
  }
  void findPhases(Walk &walk);
  Walk plan(ArrayRef<ReduceOp> reductions, ArrayRef<const Sum *> sums);
  Walk planRows(unsigned level);
  SmallVector<Walk, 0> planSums();
  void copyTile(const Walk &walk, Value number, Value stage);
  guard::ExprAttr getAddress(LoadOp load, NestOpInterface nest);
  void readOwn(const Walk &walk);
  virtual FailureOr<State> emitWalk(const Walk &walk);
  SmallVector<Value> startWalk(const Walk &walk);
  LogicalResult emitWalks();
  LogicalResult emitStep(const Walk &walk, Value number, Value stage,
                         State &state);

  // Elements.
  bool hasWholeTiles();
  void enterTile(const Walk &walk, Value number, Tile &tile);
  LogicalResult emitElements(const Walk &walk, ArrayRef<NestOpInterface> nests,
                             Tile &tile, State &state);
  LogicalResult emitElement(ArrayRef<NestOpInterface> nests, const Tile &tile,
                            Place &place);
  FailureOr<Value> emitScore(const analysis::BlockProduct &product, Value score,
                             const Place &place);
  void setPlace(Position &position, const Place &place);

  // Rows.
  void bindRowValues();
  Position getRow(const Domain &domain, Value row);
  Values loadRowValues(Value row, int64_t lanes);
  LogicalResult combineRows(const Walk &walk, const State &state);
  LogicalResult emitRowNests(unsigned level);
  LogicalResult finishRows();
  LogicalResult finishSums(const Walk &walk, const State &state);
  LogicalResult finishSum(const Sum &sum, unsigned row, ArrayRef<Value> sums);
  Value round(Value result, Value value);

  const bool overRows;
  analysis::BlockWalks walks;
  SmallVector<Factors> staying, moving;
  SmallVector<std::pair<unsigned, unsigned>> scoreOperands; ///< staying, moving
  SmallVector<unsigned> sumOperands;                        ///< moving
  int64_t stageBegin = 0, stageBytes = 0;
  Value walkBegin, walkEnd; ///< tiles
  guard::ExprAttr walked;   ///< how many there are of what is walked
  const Place *atHand = nullptr; ///< where elements are computed
  /// What loads read in all tiles of the walk at hand, in each of the thread's rows.
  llvm::DenseMap<std::pair<Operation *, unsigned>, Value> own;
  Values staged;                 ///< at the place at hand
  bool isElement = false;   ///< what is emitted is at a row and a column
  bool isWhole = false;     ///< all that the tile at hand walks is there
  Values rowValues[2];      ///< of the thread's rows
  SmallVector<std::pair<Value, Buffer>> passed; ///< values of rows, in the workspace
  /// The sum over the columns that a walk over the rows adds to memory, or null; where that
  /// is, and how much.
  const Sum *added = nullptr;
  Value addedMemory;
  guard::ExprAttr addedBytes;
};

/// Clears the memory that a walk over the rows adds a sum over the columns to, or has it
/// through the sum's epilogue.
class GridAddedSumEmitter : public GridWalksEmitter {
public:
  GridAddedSumEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                      GPUBlocksScheduleAttr walk, bool clears, bool isNarrow);

private:
  LogicalResult emitThread() override;

  const int64_t groups; ///< of warps that have some of the columns each
  const bool clears;
};

/// The same walks, with tiles that the copy engine brings: the last warpgroup asks for them,
/// the others have 64 rows, or columns, each. Weights stay in registers.
class GridWgmmaWalksEmitter : public GridWalksEmitter {
public:
  using GridWalksEmitter::GridWalksEmitter;

private:
  enum Barrier { Rows, Full, Empty, Weights };

  LogicalResult emitThread() override;
  void describeMemory(Factors &factors, const analysis::BlockProduct &product,
                      unsigned k, const analysis::DimGroup &rows,
                      const analysis::DimGroup &inner, int64_t count) override;
  int64_t getBytes(const Operand &operand, int64_t rows) override;
  FailureOr<State> emitWalk(const Walk &walk) override;
  Value loadStaged(LoadOp load, int64_t lanes) override;
  /// Values of walked rows that come with a tile, over the dimensions of a nest; where they
  /// are in what a stage has of them, in bytes.
  struct Walked {
    Buffer buffer;
    guard::ExprAttr address;
    int64_t width, place;
  };
  void findWalked();
  Value countWalked(Value first);
  void askWalked(Value first, Value rows, Value stage, Value barrier);
  Value getBarrier(Barrier kind, Value stage);
  void initBarriers();
  void ask(const Factors &factors, int64_t rows, Value first, Value place,
           Value barrier);
  void emitCopies();
  SmallVector<Value> beginScores(const Factors &left, const Factors &right,
                                 Value stage);
  /// Tiles one after the other that need the same comparisons.
  struct Tiles {
    Value from, to;
    bool isInner, isWhole;
  };
  SmallVector<Tiles> splitTiles();
  FailureOr<State> emitTiles(const Walk &walk, const Tiles &tiles,
                             const State &first);
  LogicalResult emitTile(const Walk &walk, Value number, Value stage,
                         State &state, SmallVectorImpl<Value> &parts);
  bool addSums(const Walk &walk, ArrayRef<NestOpInterface> made, Value stage,
               Tile &tile, State &state, SmallVectorImpl<Value> &words);
  SmallVector<Value> getWords(ArrayRef<Value> weights);
  void storeWeights(ArrayRef<Value> words, Value place);
  Value getWeightsPlace(Value odd);
  SmallVector<Value> beginAdded(Value odd);
  void addToMemory(Value number, ArrayRef<Value> parts);
  void addLast();

  int64_t barrierPlace = 0, addedPlace = 0, partsPlace = 0;
  SmallVector<Walked> brought;
  llvm::DenseMap<Operation *, unsigned> broughtWith; ///< loads
  int64_t broughtPlace = 0, broughtBytes = 0;        ///< of all stages; of one
  std::optional<Warpgroups> tools;
  Value warpgroup, isLeader; ///< of those that multiply; the first of its threads
  Value stageAtHand;
  StageTurn turn;            ///< of the next tile
  Value odd; ///< whether the next tile's number in the walk is, where sums are added
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDWALKS_H
