//===- ScheduleEmitters.h - One emitter for each kind of schedule ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LoopSchedules.td says what each kind does. Every number comes from there.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOSCF_SCHEDULEEMITTERS_H
#define KILN_LIB_CONVERSION_LOOPTOSCF_SCHEDULEEMITTERS_H

#include "ContractionEmitter.h"
#include "FunctionEmitter.h"

#include "kiln/Analysis/Blocks.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

namespace kiln::loop {

/// Emits a kernel by its schedule at the builder's insertion point.
FailureOr<EmittedKernel>
emitKernel(KernelOp kernel, const analysis::KernelStrides &inputStrides,
           OpBuilder &builder, StringRef name);

/// A kernel and the schedule that says how.
template <typename ScheduleT> class ScheduledEmitter : public FunctionEmitter {
public:
  ScheduledEmitter(KernelOp kernel, const analysis::KernelStrides &inputStrides,
                   ScheduleT schedule)
      : FunctionEmitter(kernel, inputStrides), schedule(schedule) {}

protected:
  ScheduleT schedule;
};

class AcrossEmitter : public ScheduledEmitter<AcrossScheduleAttr> {
public:
  using ScheduledEmitter::ScheduledEmitter;

private:
  /// Where lanes are: part of a dimension, at one point of those around it or, if
  /// `beside` is one of them, at several of that.
  struct Row {
    unsigned dim = 0;
    Value low, high;
    std::optional<unsigned> beside;
  };

  LogicalResult emitItems() override;
  bool isAssured(guard::ExprAttr condition, const Position &position) override;
  bool hasEdge(unsigned dim, guard::Interval inside);
  std::optional<guard::Interval> findInside(unsigned dim, int64_t points);
  LogicalResult emitBeside(const Position &position, const Row &row);
  LogicalResult emitInPieces(const Position &position, unsigned dim,
                             const Row &row);
  LogicalResult emitRow(const Position &position, const Row &row);
  LogicalResult emitVectors(const Position &position, const Row &row,
                            Value from, Value to, bool isWhole);
  LogicalResult emitWindows(const Position &position, const Row &row,
                            int64_t extent);
  LogicalResult emitColumns(const Position &position, const Row &row,
                            Value from, Value to, int64_t multiple,
                            int64_t lanes, bool masked = false);
  int64_t getMultiple(const Row &row, Value index);
  LogicalResult emitAt(Position at, const Row &row, Value index,
                       int64_t multiple, int64_t lanes, Value mask = {});
};

class WithinEmitter : public ScheduledEmitter<WithinScheduleAttr> {
public:
  using ScheduledEmitter::ScheduledEmitter;

private:
  LogicalResult emitItems() override;
  void bindRow(Value result) override;
  LogicalResult emitRow(const Position &row, const Position &part);
  bool isReadInStep(PointwiseOp maker, OwnLanes made, ReduceOp reader,
                    OwnLanes lanes, const Position &row);
  LogicalResult emitTogether(PointwiseOp maker, int64_t width, ReduceOp reader,
                             OwnLanes lanes, const Position &row);
  LogicalResult emitParts(Value item);
  LogicalResult clearParts(const Position &part);
  LogicalResult addToPart(ReduceOp op, const Position &part, int64_t lanes);
  LogicalResult
  emitColumns(ReduceOp op, Position part, int64_t lanes,
              llvm::function_ref<LogicalResult(const Position &)> body);

  /// Where a work item is several rows, which some nests sum up. The position of such
  /// a row has the indices of its part, and then of the row in it.
  std::optional<RowParts> parts;
};

class TransposeEmitter : public ScheduledEmitter<TransposeScheduleAttr> {
public:
  using ScheduledEmitter::ScheduledEmitter;

private:
  LogicalResult emitItems() override;
  void stageTile(const analysis::TransposedRead &load, const Position &tile);
  Value loadStaged(LoadOp load, int64_t lanes) override;

  /// Tiles of tensors that are transposed, by the loads that read them, and
  /// where the row at hand begins in each.
  llvm::DenseMap<Operation *, Buffer> staged;
  Value stagedRow;
};

class ScatterEmitter : public ScheduledEmitter<ScatterScheduleAttr> {
public:
  using ScheduledEmitter::ScheduledEmitter;

private:
  LogicalResult emitItems() override;
  LogicalResult emitPoint(Value item, guard::ExprAttr parts);
  LogicalResult copyInitial(ArrayRef<Value> own);
  LogicalResult visitPoints(ArrayRef<Value> own);
  Value getBegin(const Position &position, unsigned dim) override;
  Value getEnd(const Position &position, unsigned dim) override;

  ScatterOp op;
  unsigned independent = 0; ///< dimensions whose points are items
  Buffer init, target;
  /// The columns at hand, which are indices of the last dimension of the domain, or of
  /// the result; null: all.
  Value low, high;
};

/// Of contractions that are matrix products.
class ProductEmitter : public ScheduledEmitter<ScheduleAttr> {
public:
  using ScheduledEmitter::ScheduledEmitter;

protected:
  using ContractionShape = analysis::ContractionShape;
  using DimGroup = analysis::DimGroup;

  LogicalResult emitItems() override;
  LogicalResult describe(ContractOp op, const ContractionShape &shape);
  void addAxis(const DimGroup &group, ContractionAxis &axis);
  void describeOperand(const ContractionShape &shape, unsigned k);
  void describeFactors(ContractOp op, const analysis::ContractionShape &shape);
  void describeColumns(ContractOp op, const ContractionShape &shape);
  void place(ContractOp op, const ContractionShape &shape,
             const Position &outer);
  void emitProduct(ContractOp op, const ContractionShape &shape,
                   const Position &outer, Value from, Value to);
  Value emitEpilogue(ContractOp op, const ContractionShape &shape,
                     const Position &outer, Value sums,
                     const ContractionIndex &at);
  Extent toExtent(guard::ExprAttr expr);
  SmallVector<Extent> toSteps(const DimGroup &group, unsigned k);
  ContractionMap makePrologue(Region &region);
  ContractionMask makeMask(guard::ExprAttr mask, const DimGroup &rows,
                           const DimGroup &columns, const Position &outer);
  void setGroup(Position &position, const DimGroup &group, Value index,
                unsigned joined, Value lane = {});
  void joinDims(ContractOp op, const ContractionShape &shape);

  ContractionSpec spec;
  Buffer memory[3];          ///< of A, B and C
  /// The last dimensions of each group that are walked as one.
  struct {
    unsigned rows = 0, columns = 1;
  } joined;
  bool failedInside = false; ///< a callback failed
};

/// Makes the panels of B of a contraction: from B, the first pointer, to the second.
class ColumnsPacker : public ProductEmitter {
public:
  ColumnsPacker(KernelOp kernel, const analysis::KernelStrides &inputStrides,
                PackedScheduleAttr schedule, ContractOp op,
                const ContractionShape &shape)
      : ProductEmitter(kernel, inputStrides, schedule), op(op), shape(shape) {}

private:
  unsigned getPointerCount() override { return 2; }
  LogicalResult bindPointers(ArrayRef<Value> pointers) override;
  LogicalResult emitItems() override;

  ContractOp op;
  const ContractionShape &shape;
  Value panels;
};

/// Of contractions and rows, a block of rows at a time.
class BlocksEmitter : public ProductEmitter {
public:
  BlocksEmitter(KernelOp kernel, const analysis::KernelStrides &inputStrides,
                BlocksScheduleAttr schedule);

private:
  LogicalResult emitItems() override;
  void bindRow(Value result) override;
  Value getEnd(const Position &position, unsigned dim) override;
  LogicalResult emitBlock(ArrayRef<analysis::BlockProduct> products);
  LogicalResult emitProduct(const analysis::BlockProduct &product,
                            PackedScheduleAttr packed,
                            std::optional<unsigned> limited);
  LogicalResult emitRows(ArrayRef<unsigned> numbers);
  Position getPoint(const analysis::BlockProduct &product);
  void enterBlock(Value number);
  // Sums over the rows (BlockSums.cpp).
  void allocateSums(ArrayRef<analysis::BlockProduct> products);
  LogicalResult clearSums(ArrayRef<analysis::BlockProduct> products);
  LogicalResult addToSums(const analysis::BlockProduct &product,
                          PackedScheduleAttr packed,
                          std::optional<unsigned> limited);
  LogicalResult storeSums(ArrayRef<analysis::BlockProduct> products);
  ContractionOperand getSums(ContractOp op);

  BlocksScheduleAttr blocks;
  std::optional<analysis::ColumnLimit> limit;
  Position point;   ///< of the block; the last dimension has no value
  Value row0, row1; ///< its rows
  Value columnEnd;  ///< of what is limited
  std::optional<unsigned> limitedDim; ///< of the nest at hand
  llvm::DenseMap<Operation *, Value> sums; ///< of contractions over the rows
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOSCF_SCHEDULEEMITTERS_H
