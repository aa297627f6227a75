//===- GridBlocks.h - Two products and the rows between them, on a GPU ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits a kernel of `analysis::getOnlineRows` as `#loop.gpu_blocks` says. A block keeps
// the factors of its rows in shared memory and walks tiles of columns:
//
//   walk     (GridBlocksEmitter.cpp)   copies, several tiles ahead; both products
//            (BlocksWgmma.cpp)         the same by a copy engine and warpgroups
//   weights  (BlocksWeights.cpp)       x of each score, the largest so far, exponentials
//                                      and their total; at the end values of rows
//
// Scores, weights and sums are in the registers of `mma.sync`: thread t of a warp has two
// neighbouring columns, from 2 * (t % 4) on, of each 8, in row t / 4 of a part's 16 and
// eight rows below. Scores of 16 columns are, once rounded, a left operand as they are.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDBLOCKS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDBLOCKS_H

#include "GridEmitter.h"
#include "Warpgroups.h"

#include "kiln/Analysis/OnlineRows.h"

namespace kiln::loop {

/// What kernels of products with rows between them have in common.
class GridBlocksBase : public GridEmitter {
protected:
  GridBlocksBase(KernelOp kernel, const analysis::KernelStrides &strides,
                 GPUBlocksScheduleAttr schedule, bool isNarrow)
      : GridEmitter(kernel, strides, schedule.getThreads(), isNarrow),
        schedule(schedule), strides(strides) {}

  /// Bytes of an element of a factor.
  static constexpr int64_t kWidth = 2;
  static constexpr double kLog2E = 1.4426950408889634;

  /// Rows of memory that are copied into shared memory.
  struct Operand {
    Buffer memory;
    Value base;             ///< of the block's point, in elements
    guard::ExprAttr step;   ///< from row to row, in elements
    guard::ExprAttr extent; ///< rows that there are
    int64_t width = 0;      ///< elements of a row
    int64_t padded = 0;     ///< the same as a multiple of 16
    int64_t pitch = 0;      ///< elements from row to row in shared memory
    int64_t place = 0;      ///< in shared memory, or in a stage; in bytes

    int64_t getBytes(int64_t rows) const { return rows * pitch * kWidth; }
  };
  /// Factors of a warp's rows in registers, by part and step.
  using KeptFactors = SmallVector<SmallVector<SmallVector<Value>>>;

  bool isConstant(unsigned) override { return true; }
  void bindRow(Value) override {}
  guard::ExprAttr countOwners() override {
    return guard::getConstant(context, 1);
  }

  Value enterPoint(guard::ExprAttr tiles, bool isLastFirst);
  void enterRows(guard::ExprAttr extent);
  Operand describe(const analysis::BlockProduct &product, unsigned k,
                   const analysis::DimGroup &rows,
                   const analysis::DimGroup &inner);
  Position getPoint(const analysis::BlockProduct &product);
  /// Stores sums of a product, neighbours at `at`, behind its epilogue.
  LogicalResult storeSums(ContractOp op, const Position &at, Value sums);
  /// Stores what a thread has of the last columns of a row, `count` of eight:
  /// `store` gets the number of the first of its two neighbours, and how many
  /// of them, up to `lanes`.
  LogicalResult storeLastColumns(
      int64_t count, int64_t lanes,
      llvm::function_ref<LogicalResult(int64_t from, int64_t lanes)> store);
  void copy(const Operand &operand, int64_t rows, Value first, Value stage);
  SmallVector<Value> loadLeft(const Operand &left, int64_t part, int64_t k);
  SmallVector<Value> multiplyScores(const Operand &left, const Operand &right,
                                    Value stage, const KeptFactors &kept);
  void addSums(const Operand &values, Value stage, ArrayRef<Value> weights,
               MutableArrayRef<Value> sums);
  SmallVector<Value> loadMatrices(Value place, int64_t pitch, bool secondDown,
                                  bool isTransposed);
  void multiply(ArrayRef<Value> left, ArrayRef<Value> right,
                MutableArrayRef<Value> sums);
  Value getShared(Value bytes);
  Value bits(int64_t from, int64_t count, int64_t scale);
  Value constant(double value);
  SmallVector<Value> pack(ArrayRef<Value> weights);
  Value shuffleQuad(Value value, int64_t distance);
  Value powerOfTwo(Value x);
  bool isWithin(guard::ExprAttr condition,
                const std::optional<analysis::ColumnLimit> &limit);

  /// Rows of a thread, and the parts of 16 that they are two of each.
  int64_t getParts() const { return schedule.getPartRows() / 16; }

  GPUBlocksScheduleAttr schedule;
  const analysis::KernelStrides &strides;
  Type factorType;      ///< f16 or bf16
  Value sharedBase;
  Position point;       ///< of the shared domain; the row is set for each
  Value firstRow;       ///< of the block
  Value partRow;        ///< of this warp, in the block
  Value quadRow, quadColumn; ///< of this thread, in 16 by 8
  SmallVector<Value> rowIndices, rowInside; ///< of a thread's rows; inside may be null
  /// The tile at hand has columns alone that all its rows need.
  bool isInner = false;
  /// Which dimensions of the position at hand are the row and the column.
  unsigned rowDim = 0, columnDim = 0;
};

/// One walk: weights of rows that are known as columns come.
class GridBlocksEmitter : public GridBlocksBase {
public:
  GridBlocksEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                    GPUBlocksScheduleAttr schedule, bool isNarrow)
      : GridBlocksBase(kernel, strides, schedule, isNarrow) {}

protected:
  /// What one walk changes, of a thread: two rows of each of its parts' 16.
  struct State {
    SmallVector<Value> maxima, totals; ///< by row
    /// Where exponentials may be taken behind less than the maximum, that is here.
    SmallVector<Value> peaks;
    SmallVector<Value> sums;           ///< by part, eight columns, and register
  };
  /// Exponentials of a tile by row, and what earlier sums of a row are multiplied by.
  struct Weights {
    SmallVector<SmallVector<Value>> rows;
    SmallVector<Value> scales;
    Value isScaled; ///< for the whole warp, whether a scale is not 1; null: not known
  };

  LogicalResult emitThread() override;
  Value loadStaged(LoadOp load, int64_t lanes) override;
  bool isAssured(guard::ExprAttr condition, const Position &) override {
    return isWithin(condition, online.limit);
  }

  // The walk.
  LogicalResult analyze();
  virtual void enterBlock();
  /// Behind the last tile of columns that the block walks.
  virtual Value countTiles();
  bool hasWholeTiles();
  void copyTile(Value number, Value stage);
  FailureOr<State> emitWalk();

  // Weights and values of rows.
  SmallVector<Value> emitExponentials(Weights &weights, ArrayRef<Value> before,
                                      ArrayRef<Value> maxima);
  FailureOr<Weights> emitWeights(ArrayRef<Value> scores, Value firstColumn,
                                 State &state);
  Value chooseMaxima(ArrayRef<Value> most, State &state,
                     SmallVectorImpl<Value> &maxima);
  void scaleSums(const Weights &weights, State &state);
  SmallVector<Value> packWeights(const Weights &weights);
  FailureOr<SmallVector<Value>> emitExponents(unsigned row,
                                              ArrayRef<Value> scores,
                                              Value firstColumn);
  FailureOr<Value> emitExponent(unsigned row, Value score, Value column,
                                int64_t lanes);
  void findUnit();
  Value getExponent(BodyEmitter &body, Value yielded, Value score);
  Value combineQuad(Value value, bool isMaximum);
  virtual LogicalResult finishRows(State state);
  void exchangeSums(unsigned row, State &state);
  LogicalResult emitRow(unsigned row, const State &state);
  LogicalResult finishRow(unsigned row, Value total, const State &state);
  FailureOr<Value> emitFactor(unsigned row, Value one);
  LogicalResult finishSums(unsigned row, Value factor, const State &state);
  void finishRowValue(Value result, const Position &position, Value value);
  Position getRowPosition(const Domain &domain, unsigned row);

  analysis::OnlineRows online;
  Operand left, right, values;
  int64_t stageBytes = 0;
  /// What exponents are counted in: scores times it are x.
  float unit = 1;
  Value scaled;         ///< of the maximum's body: the score times the unit, or null
  Value columnEnd;      ///< behind the last column that the block needs
  Value firstTile;      ///< of columns that the block walks; null: the first there is
  Value isEmpty;        ///< whether there are no columns; null: there are
  Value staged;         ///< the score at hand, or an exponential
};

/// The same walk, with tiles that the copy engine brings: the last warpgroup asks for them,
/// the others have 64 rows each. Scores of a tile are multiplied while the weights of the
/// one before are, which stay in registers.
class GridWgmmaBlocksEmitter : public GridBlocksEmitter {
public:
  using GridBlocksEmitter::GridBlocksEmitter;

private:
  /// An operand in shared memory: `chunks` of so many bytes each.
  struct Chunked {
    Value map;
    int64_t rows = 0, chunks = 0, place = 0;
    int64_t getChunkBytes() const { return rows * kChunkRow; }
    int64_t getBytes() const { return chunks * getChunkBytes(); }
  };
  /// What goes from tile to tile.
  struct Step {
    StageTurn keys, values; ///< of the next scores and sums
    State state;
    SmallVector<Value> words; ///< weights that are to be multiplied
  };
  enum Barrier { Rows, FullKeys, EmptyKeys, FullValues, EmptyValues };

  LogicalResult emitThread() override;
  void describeAll();
  void describe(const analysis::BlockProduct &product, unsigned k,
                const analysis::DimGroup &rows, const analysis::DimGroup &inner,
                int64_t count, Chunked &chunked);
  Value getBarrier(Barrier kind, Value stage);
  void initBarriers();
  void setRegisters();

  // Who asks.
  Value getPlane(const analysis::BlockProduct &product, unsigned k,
                 const analysis::DimGroup &rows);
  void copy(const Chunked &chunked, Value stage, Value first, Value plane,
            Value barrier);
  LogicalResult emitCopies();

  // Who multiplies.
  SmallVector<Value> multiplyScores(Value stage);
  SmallVector<Value> addSums(ArrayRef<Value> words, Value stage,
                             ValueRange sums);
  void arrive(Barrier kind, Value stage);
  LogicalResult emitWeights(ArrayRef<Value> scores, Value tile, Step &step);
  FailureOr<Step> emitTiles(Value from, Value to, const Step &first);
  FailureOr<State> emitMultiplications();

  Chunked rowFactors, keyFactors, valueFactors;
  int64_t barrierPlace = 0, manyRegisters = 0;
  std::optional<Warpgroups> tools;
  Value warpgroup, isLeader; ///< of those that multiply; the first of its threads
  Value tiles;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDBLOCKS_H
