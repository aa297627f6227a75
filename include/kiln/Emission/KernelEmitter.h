//===- KernelEmitter.h - What all kinds of kernels are made of ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of a `loop.kernel`, whatever the processor: index expressions, memory,
// and the loops of a nest at a point of the shared domain. Who inherits it makes
// the function around that code, and says what a work item is and which lanes
// there are.
//
// Bodies are widened by need: a value that does not depend on the vector
// dimension stays a scalar. An access is a vector load, a broadcast or a
// gather according to how its linear address changes along that dimension,
// read off the symbolic expression. Adjacent dimensions that every access walks
// as one are collapsed first, so that a contiguous tensor of any rank is one
// long loop.
//
// Everything that depends on symbols alone (sizes, strides, work counts) is
// not computed here: it becomes an integer argument that the runtime evaluates
// with checked arithmetic.
//
// An emitter of one's own:
//
//   class MyEmitter : public KernelEmitter {
//     LogicalResult emit() {              // having made a function
//       if (failed(bindTensors(pointers)))
//         return failure();
//       ...                               // a position for each work item
//       if (failed(emitNests(position)))
//         return failure();
//       return checkIndices();
//     }
//     Value emitArgument(unsigned number) override;  // reads an argument
//     Value allocateScratch(ExprAttr bytes) override;
//   };
//
//===----------------------------------------------------------------------===//

#ifndef KILN_EMISSION_KERNELEMITTER_H
#define KILN_EMISSION_KERNELEMITTER_H

#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kiln::loop {

/// The attribute that says which of its kernel's numbers a `loop.number` is, and which of
/// its assertions a `loop.assert`.
inline constexpr llvm::StringLiteral kSlotAttrName = "loop.slot";

/// Bytes that caches move at a time.
inline constexpr int64_t kLineBytes = 64;

/// Memory that a tensor lives in, seen from a kernel.
struct Buffer {
  Value pointer; ///< to the first element, in the address space of its memory
  SmallVector<guard::ExprAttr> strides;
  Type elementType;
  /// What the address of the first element is a multiple of, in bytes; 1 where
  /// that is not known beyond the size of an element.
  int64_t alignment = 1;
  /// Nothing writes there while the kernel runs.
  bool isConstant = false;
  /// Elements from the first one on that are known to be there.
  int64_t first = 0;
  /// Elements from the first to the last one; 0 where that is not known.
  int64_t span = 0;
};

/// Where in its domain a nest is being evaluated. Index k of the nest is
/// `dims[k]`; with `lanes > 1` the value of dimension `vectorDim` is a vector
/// of `lanes` consecutive indices that begins there.
struct Position {
  SmallVector<Value> dims;
  SmallVector<guard::ExprAttr> extents;
  int vectorDim = -1;
  int64_t lanes = 1;
  Value mask; ///< of the lanes that lie inside; null when all do
  /// The index of `vectorDim` at the first lane is a multiple of this, or is so
  /// when `begin`, an expression without that index, is added to it.
  int64_t multiple = 1;
  guard::ExprAttr begin;
  /// What the indices of `vectorDim` are known to be within, where that is less than its
  /// extent.
  guard::Interval bounds = {0, guard::Interval::kMax};
  /// A dimension of whose index the same is known, where several points of it are walked
  /// together; all of them are in the dimension then.
  int besideDim = -1;
  guard::Interval besideBounds = {};
};

/// The position of a nest at a point of the shared domain: its own dims have no
/// value yet.
Position enter(const Position &shared, const Domain &domain);
/// True where the keys `x` stand before `y`, compared first to last as signed integers.
/// There is one at least.
Value areKeysLess(ImplicitLocOpBuilder &b, ArrayRef<Value> x, ArrayRef<Value> y);
/// Gives dimension `dim` its index, the first of `lanes`.
void setDim(Position &position, unsigned dim, Value value, int64_t lanes);
/// True if the lanes begin at a multiple of their number, as those of a GPU do.
inline bool beginsVectors(const Position &position) {
  return llvm::has_single_bit(uint64_t(position.lanes)) && position.lanes > 1 &&
         !position.begin && position.multiple % position.lanes == 0;
}

/// Lanes of a nest along its rows, and of rows beside each other; besides those
/// that its position in the shared domain has.
struct OwnLanes {
  int64_t along = 1, beside = 1;
};

class InsertedRow;
class SortedRow;
struct PieceRun;

class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, const analysis::KernelStrides &inputStrides);
  virtual ~KernelEmitter() = default;

  /// The power of two, up to `most`, that an expression is a multiple of, where index
  /// `dim` is one of `multiple`. Other indices are any numbers.
  static uint64_t getFactor(guard::ExprAttr expr, guard::ExprAttr dim,
                            uint64_t multiple, uint64_t most);

protected:
  friend class BodyEmitter;
  friend class ShortSums;

  /// The number of an integer argument, as i64, at a place that dominates all uses.
  virtual Value emitArgument(unsigned number) = 0;
  /// Memory of `bytes` of its own for each thread.
  virtual Value allocateScratch(guard::ExprAttr bytes) = 0;
  /// Gives a result that stays inside, and is more than one value per point, a
  /// place: scratch memory.
  virtual void bindRow(Value result);
  /// Puts one value (or its lanes) of a result where it belongs.
  virtual void finish(Value result, const Position &position, Value value);
  /// A number that was read, of any integer type, as an index.
  virtual Value toIndex(Value number);
  /// Where the indices of a nest's dimension begin, if it is not 0.
  virtual Value getBegin(const Position &, unsigned /*dim*/) { return {}; }
  /// Where the indices of a nest's dimension end.
  virtual Value getEnd(const Position &position, unsigned dim) {
    return getArgument(position.extents[dim]);
  }
  /// Whether a comparison of indices is known to be true wherever this position is used.
  virtual bool isAssured(guard::ExprAttr, const Position &) { return false; }
  /// Another form of an operation of a body, with such operands; null: its own.
  virtual Value emitOperation(Operation &, ValueRange /*operands*/) {
    return {};
  }
  /// The value of a load that was staged elsewhere, if it was.
  virtual Value loadStaged(LoadOp, int64_t /*lanes*/) { return {}; }
  /// Has the kernel fail where a condition, of one lane or several, does not hold.
  virtual LogicalResult emitAssertion(AssertOp op, Value condition);

  // Expressions (IndexEmitter.cpp).
  /// The value of an expression without dims, as an `index`.
  Value getArgument(guard::ExprAttr expr);
  /// The same with all its bits, as i64.
  Value getWord(guard::ExprAttr expr);
  /// The value of a `guard.value`, in its type.
  Value emitNumber(guard::ValueOp number);
  /// The argument that a `loop.number` is.
  Value emitNumber(NumberOp number);
  /// The value of an expression at a position's first lane, as an `index`.
  Value emitIndex(guard::ExprAttr expr, const Position &position);
  /// The low 32 bits of it for all lanes, as a vector of i32.
  Value emitNarrowVector(guard::ExprAttr expr, const Position &position);
  /// The same for all lanes, as a vector of `index`.
  Value emitIndexVector(guard::ExprAttr expr, const Position &position);
  /// Whether an expression is not 0: i1, or a vector of it where lanes differ.
  Value emitCondition(guard::ExprAttr expr, const Position &position);
  Value emitLaneComparison(guard::ExprAttr difference,
                           const Position &position);
  Value getPeriodicFlags(guard::ExprAttr difference, const Position &position);
  Value emitIndexTree(guard::ExprAttr expr, const Position &position,
                      int64_t lanes,
                      llvm::SmallDenseMap<guard::ExprAttr, Value> &done);
  guard::Assumptions assumptionsOf(const Position &position) const;
  /// A position of a nest whose index along shared dimension `dim` is known to be within
  /// `bounds`: to ask what is known of it, for no index has a value.
  Position getWithin(NestOpInterface nest, unsigned dim, guard::Interval bounds) const;
  Value constantIndex(int64_t value);

  // Memory (MemoryEmitter.cpp).
  guard::ExprAttr linearAddress(const Buffer &buffer,
                                ArrayRef<guard::ExprAttr> indices) const;
  Value elementPointer(const Buffer &buffer, guard::ExprAttr address,
                       const Position &position);
  /// The place `offset` elements from where the input of a number begins, of
  /// which there are `inputPointers`, and which is like `buffer`.
  Value findInput(const Buffer &buffer, Value number, Value offset);
  /// What the address of the first lane is known to be a multiple of, in bytes.
  static unsigned getAlignment(const Buffer &buffer, guard::ExprAttr address,
                               const Position &position);
  /// True where two buffers begin at different addresses.
  Value isElsewhere(const Buffer &one, const Buffer &other);
  Value load(const Buffer &buffer, guard::ExprAttr address,
             const Position &position, ArrayRef<int> varyingDims, Value mask,
             Value other);
  /// The same of what lies at a pointer to any memory, an element or `lanes` of them.
  Value loadAt(Value pointer, Type elementType, int64_t lanes,
               unsigned alignment);
  Value lanePointers(const Buffer &buffer, guard::ExprAttr address,
                     const Position &position);
  bool isThereForAll(const Buffer &buffer, guard::ExprAttr address) const;
  Value loadInBranch(const Buffer &buffer, guard::ExprAttr address,
                     const Position &position, ArrayRef<int> varyingDims,
                     Value isInside, Value other, bool isUniform);
  Value loadApart(const Buffer &buffer, guard::ExprAttr address,
                  const Position &position, Value mask, Value other);
  Value loadOrFirst(const Buffer &buffer, guard::ExprAttr address,
                    const Position &position, bool isWide, Value isInside,
                    Value other);
  Value loadLanesOrFirst(const Buffer &buffer, guard::ExprAttr address,
                         const Position &position, Value mask, Value other);
  Value loadGroups(const Buffer &buffer, guard::ExprAttr address,
                   const Position &position, Value isInside, Value other);
  /// With `streams` past the caches: whole vectors that are aligned.
  void store(const Buffer &buffer, guard::ExprAttr address,
             const Position &position, Value value, bool streams = false);
  Value fromMemory(Value loaded, Type elementType);
  Value toMemory(Value value, Type elementType);
  Value broadcast(Value value, int64_t lanes);

  // Nests (NestEmitter.cpp).
  /// All nests of the kernel at a position in the shared domain.
  LogicalResult emitNests(const Position &shared);
  /// The same at several positions that differ in their indices alone, whose
  /// reductions go step by step together (PointsEmitter.cpp).
  LogicalResult emitNestsTogether(ArrayRef<Position> points, unsigned dim);
  /// A pointwise nest at these: what does not depend on dimension `dim` is evaluated once.
  LogicalResult emitElementsTogether(PointwiseOp op, ArrayRef<Position> points,
                                     unsigned dim);
  /// All nests at `points` neighbours in dimension `dim`, from `first` on: together if there
  /// are so many, and else, at the end of a row, one after the other.
  LogicalResult emitPoints(const Position &first, unsigned dim, int64_t points);
  /// Finds the numbers that masked loads of reductions give instead, and keeps vectors
  /// of `lanes` of them in memory, for the loops that `emitNestsTogether` makes.
  void keepPadding(int64_t lanes);
  /// A place with lanes of `other` at least as many as wanted, if there is one.
  Value getPadding(Value other, Type elementType, int64_t lanes);
  LogicalResult emitNest(NestOpInterface nest, const Position &shared,
                         OwnLanes lanes = {});
  LogicalResult emitPointwise(PointwiseOp op, const Position &shared,
                              int64_t lanes);
  /// The value of a pointwise nest at a position, put where it belongs.
  LogicalResult emitElement(PointwiseOp op, const Position &position);
  /// What is done for the lanes of a step before they are read.
  using BeforeStep = llvm::function_ref<LogicalResult(const Position &)>;
  LogicalResult emitReduce(ReduceOp op, const Position &shared, OwnLanes lanes,
                           BeforeStep before = {});
  LogicalResult emitReduceTogether(ReduceOp op, ArrayRef<Position> points);
  /// Enters a reduction: the position, and which dimensions are walked, those of its
  /// own and those that it reduces.
  struct ReducedDims {
    Position start;
    SmallVector<unsigned> own, reduced;
  };
  ReducedDims enterReduced(ReduceOp op, const Position &shared);
  /// The whole vectors of a row, [0, split) by `step`, and what is left of it.
  struct RowBounds {
    Value zero, one, split, end, step;
    bool isExact; ///< nothing is left, as is known here
  };
  RowBounds emitRowBounds(const Position &position, unsigned dim,
                          int64_t lanes);
  FailureOr<SmallVector<Value>>
  emitReducedRows(ReduceOp op, const Position &position,
                  ArrayRef<unsigned> outer, unsigned last, int64_t lanes,
                  BeforeStep before);
  FailureOr<SmallVector<Value>>
  emitReducedRow(ReduceOp op, const Position &outer, unsigned last,
                 int64_t lanes, const RowBounds &row, ArrayRef<Value> carried,
                 unsigned count, BeforeStep before);
  /// Loops over `dims` with the accumulators of all positions as loop-carried values,
  /// position by position.
  FailureOr<SmallVector<Value>>
  emitReductionLoops(ReduceOp op, ArrayRef<Position> positions, unsigned depth,
                     ArrayRef<unsigned> dims, ArrayRef<Value> accumulators);
  FailureOr<SmallVector<Value>>
  accumulateTogether(ReduceOp op, ArrayRef<Position> positions,
                     ArrayRef<Value> accumulators);
  FailureOr<SmallVector<Value>> evaluate(AccumulationOpInterface op,
                                         const Position &position);
  FailureOr<SmallVector<Value>> accumulate(AccumulationOpInterface op,
                                           const Position &position,
                                           ArrayRef<Value> accumulators);
  SmallVector<Value> identities(AccumulationOpInterface op, int64_t lanes);
  FailureOr<SmallVector<Value>> combine(AccumulationOpInterface op,
                                        ArrayRef<Value> left,
                                        ArrayRef<Value> right);
  FailureOr<SmallVector<Value>> combineLanes(AccumulationOpInterface op,
                                             ArrayRef<Value> vectors);
  void finishAccumulators(AccumulationOpInterface op, const Position &position,
                          ArrayRef<Value> values);
  /// Runs `body` for each index of `dims` (positions in the nest), the last of
  /// them in vectors if `lanes` is more than 1, and then the rest. `results` are what
  /// it stores.
  LogicalResult
  emitLoops(Position position, ArrayRef<unsigned> dims, int64_t lanes,
            llvm::function_ref<LogicalResult(const Position &)> body,
            ValueRange results = {});
  // Stores past the caches (StreamEmitter.cpp).
  /// Those of `results` that may be stored past the caches by `lanes` of dimension
  /// `dim` at a time.
  SmallVector<Value> getStreamed(ValueRange results, const Position &position,
                                 unsigned dim, int64_t lanes);
  /// Runs `body` for [low, high) of dimension `dim`: first in vectors of `lanes` whose
  /// stores to `results` are aligned and go past the caches, then what is before and
  /// behind these.
  LogicalResult
  emitStreamed(const Position &position, unsigned dim, Value low, Value high,
               int64_t lanes, ArrayRef<Value> results,
               llvm::function_ref<LogicalResult(const Position &)> body);
  /// Runs `body` for whole lines that begin at `position`, of `results` as `getStreamed`
  /// gives them: with stores past the caches if all lines are aligned.
  LogicalResult emitStreamedLine(const Position &position, unsigned dim,
                                 ArrayRef<Value> results,
                                 llvm::function_ref<LogicalResult()> body);
  Value emitAddress(Value result, Position position, unsigned dim, Value index);
  // Pieces of a row (PieceEmitter.cpp).
  /// Runs `body` for [low, high) of shared dimension `dim`, piece by piece
  /// where its index is compared with numbers: what a comparison says is known
  /// in a piece. `body` is told whether its bounds are multiples of `lanes` if
  /// `low` and `high` are. With `onlyRuns` all of it is one piece where no
  /// pieces are read alike, so that there would be more code.
  LogicalResult emitPieces(
      unsigned dim, Value low, Value high, int64_t lanes,
      llvm::function_ref<LogicalResult(Value from, Value to, bool isWhole)>
          body,
      bool onlyRuns = false);
  /// Runs `body` for [low, high) of shared dimension `dim`, apart for its ends if minima,
  /// maxima and choices of what is read along it are known but there, as those of a
  /// mirrored edge. `body` is told what its indices are known to be within.
  LogicalResult emitStraightPart(
      unsigned dim, Value low, Value high, int64_t lanes,
      llvm::function_ref<LogicalResult(Value from, Value to,
                                       guard::Interval bounds)>
          body);
  /// Minima, maxima and choices along `dim` by which nests read where that is within `bounds`.
  unsigned countChoices(unsigned dim, guard::Interval bounds);
  /// The same for pieces that begin at `first` and are read alike, by one loop.
  LogicalResult
  emitPieceRun(const PieceRun &run, int64_t first, Value low, Value high,
               bool isWhole, std::optional<int64_t> extent,
               llvm::function_ref<LogicalResult(Value, Value, bool)> body);
  void enterPiece(const PieceRun &run, Value number);
  /// Runs `body` where `condition` is true; always where it is null.
  LogicalResult emitIf(Value condition,
                       llvm::function_ref<LogicalResult()> body);

  // Rows (RowEmitter.cpp).
  LogicalResult emitScan(ScanOp op, const Position &shared, int64_t lanes);
  FailureOr<SmallVector<Value>> emitScanned(ScanOp op, const Position &position,
                                            ArrayRef<Value> carried);
  FailureOr<SmallVector<Value>> emitScannedLanes(ScanOp op,
                                                 const Position &position,
                                                 ArrayRef<Value> carried);
  FailureOr<SmallVector<Value>> joinLanesBefore(ScanOp op,
                                                SmallVector<Value> values);
  /// Calls `row` for each row of a scan or sort at a point of the shared domain.
  LogicalResult
  emitRows(NestOpInterface nest, const Position &shared,
           llvm::function_ref<LogicalResult(const Position &)> row);

  // Sorts (SortEmitter.cpp).
  LogicalResult emitSort(SortOp op, const Position &shared, int64_t lanes);
  // Few elements in order (InsertEmitter.cpp).
  bool isInserted(SortOp op) const;
  LogicalResult emitInserted(SortOp op, const Position &row, int64_t width);
  FailureOr<SmallVector<Value>>
  insertElement(SortOp op, const Position &row, Value at, InsertedRow &first,
                ArrayRef<Value> state, Value count);
  FailureOr<SmallVector<Value>> insertSome(SortOp op, const Position &row,
                                           Value at, int64_t width,
                                           InsertedRow &first,
                                           ArrayRef<Value> state);
  FailureOr<SmallVector<Value>> emitKeys(SortOp op, const Position &position);
  LogicalResult fillSorted(SortOp op, const Position &row, Value count,
                           SortedRow &to);
  FailureOr<Value> addCandidates(SortOp op, const Position &row, Value begin,
                                 Value end, Value count,
                                 mlir::ValueRange limits,
                                 SortedRow &candidates);
  FailureOr<Value> emitSelection(SortOp op, const Position &row, int64_t lanes,
                                 Value room, SortedRow &candidates);

  // The kernel (KernelEmitter.cpp).
  /// Says where the inputs and then the results lie, gives rows that stay inside
  /// scratch memory, and emits the constants of the body.
  LogicalResult bindTensors(ValueRange pointers, int64_t alignment = 1);
  /// An error where an index had no code.
  LogicalResult checkIndices();
  SmallVector<Value> delinearize(Value item, ArrayRef<guard::ExprAttr> extents);
  /// An error that `schedule` is not one for the kernel.
  mlir::InFlightDiagnostic refuse(mlir::Attribute schedule);
  /// Lanes [0, count) of `lanes`.
  Value firstLanes(Value count, int64_t lanes);

  KernelOp kernel;
  analysis::KernelLayout layout;
  MLIRContext *context;
  ImplicitLocOpBuilder b;

  /// Integer arguments in their order: as i64, and as `index` where it was wanted.
  struct Argument {
    Value word, index;
  };
  llvm::MapVector<guard::ExprAttr, Argument> arguments;
  llvm::DenseMap<Value, Buffer> buffers; ///< of tensors that live in memory
  Value inputPointers; ///< memory with those to the inputs; null if there is none
  bool findsInputs = false; ///< some are found by number
  /// Results that are one value per point of the shared domain, by lanes.
  llvm::DenseMap<Value, Value> perPoint;
  /// The same of each of several points that are walked together.
  SmallVector<llvm::DenseMap<Value, Value>> perPointTogether;
  /// Memory with lanes of a number, and how many lanes.
  llvm::SmallDenseMap<mlir::Attribute, Value> padding;
  int64_t paddingLanes = 0;
  bool usesPadding = false; ///< of what `load` reads where a mask is false
  /// Pointwise nests load what several points read before they compute: a processor would have
  /// no registers for it.
  bool readsAhead = false;
  /// Without such memory the first elements of the tensor are read there, and those of
  /// lanes where their masks are false.
  bool readsFirst = false;
  llvm::DenseMap<Value, Value> captured; ///< constants of the kernel's body
  SmallVector<guard::ExprAttr> sharedExtents;
  /// Comparisons of indices that the code at hand knows.
  llvm::SmallDenseMap<Operation *, bool> decided;
  size_t pieceCopies = 1; ///< of bodies, by pieces of dimensions around
  bool fitsIn32 = true;        ///< every constant that is an index does
  guard::ExprAttr unsupported; ///< an index that has no code, if any
  int64_t sumBlock = 0; ///< terms of a sum of floats in one piece; 0: all
  /// What is left of a row after whole vectors is one more vector with a mask,
  /// rather than elements one by one.
  bool masksTails = false;
  /// Elements that are two apart are picked of vectors, aligned or not.
  bool picksLanes = false;
  /// Where lanes lie apart is said in 32 bits if they can: vectors are half as long.
  bool gathersIn32 = false;
  /// Reduced dimensions that memory has as one are walked as one.
  bool joinsReduced = false;
  /// Few elements that are sorted are lanes of vectors meanwhile, more are sorted by digits.
  bool sortsInVectors = false;
  /// Results that are stored past the caches where that can be, and whether the code
  /// at hand may do so.
  llvm::SmallPtrSet<Value, 4> streamed;
  bool isStreaming = false;
};

/// Evaluates the body of a nest at a position.
class BodyEmitter {
public:
  BodyEmitter(KernelEmitter &kernel, const Position &position)
      : kernel(kernel), position(position) {}

  /// Emits the operations of `block`, whose first arguments are given by
  /// `leading` and the others are the indices of the position. Values of the
  /// terminator are then available through `get`.
  LogicalResult emit(Block &block, ArrayRef<Value> leading = {});
  /// Emits what is alike at all indices `index`, as the part of `emit` that goes before.
  LogicalResult emitAlike(Block &block, mlir::BlockArgument index);
  /// Emits loads and what their places are computed of, as the part of `emit` that goes
  /// before: so those of several positions are under way together.
  LogicalResult emitLoads(Block &block);
  /// Moves to a position at another index of a dimension, of which nothing that was emitted
  /// depends: what is known of that index is known there.
  void moveTo(Position other) { position = std::move(other); }

  /// The emitted form of a value of the body: scalar, or vector of lanes.
  Value get(Value value);
  /// The same, broadcast to the position's lanes.
  Value getWide(Value value);
  /// The expression of an index value; computed indices become new dims.
  guard::ExprAttr getExpr(Value index);
  const Position &getPosition() const { return position; }

private:
  void enter(Block &block, ArrayRef<Value> leading);
  LogicalResult emitOne(Operation &op);
  LogicalResult emitOnce(Operation &op);
  LogicalResult emitLoad(LoadOp op);
  LogicalResult emitElementwise(Operation &op);
  bool emitCondition(Operation &op);
  bool emitKnown(Operation &op);
  guard::ExprAttr lookupExpr(Value value) const;
  SmallVector<guard::ExprAttr> composeMap(mlir::ArrayAttr map,
                                          ValueRange operands);

  KernelEmitter &kernel;
  Position position;
  llvm::DenseMap<Value, Value> values;
  llvm::DenseMap<Value, guard::ExprAttr> exprs;
  SmallVector<int> varying;
};

} // namespace kiln::loop

#endif // KILN_EMISSION_KERNELEMITTER_H
