//===- RowEmitter.cpp - Scans and sorts -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan is a loop that carries its accumulators and stores them at each step;
// where lanes run across rows it works on as many rows at once. Where they run along
// the row, a step has a vector of it: each lane is joined with the one before it, then
// with the two before, then with four, and at last with what the loop carries, so that
// a step waits for the one before it once and not for each element.
//
// A sort is a merge sort from runs of one element upwards. Keys and positions
// of a row lie in scratch, twice: each pass merges pairs of runs from one half
// to the other. A merge takes one element a step without branches on the data,
// so the processor has nothing to predict.
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

LogicalResult KernelEmitter::emitRows(
    NestOpInterface nest, const Position &shared,
    llvm::function_ref<LogicalResult(const Position &)> row) {
  Domain domain = nest.getDomain();
  SmallVector<unsigned> own;
  for (unsigned k = shared.extents.size(); k < domain.parallel.size(); ++k)
    own.push_back(k);
  return emitLoops(enter(shared, domain), own, 1, row);
}

/// Joins each lane with all lanes before it.
FailureOr<SmallVector<Value>>
KernelEmitter::joinLanesBefore(ScanOp op, SmallVector<Value> values) {
  int64_t lanes = cast<VectorType>(values[0].getType()).getNumElements();
  SmallVector<Value> neutral = identities(op, lanes);
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    // Lane k of what is `distance` before, and neutral elements in front.
    SmallVector<int64_t> places;
    for (int64_t k = 0; k < lanes; ++k)
      places.push_back(k < distance ? k : lanes + k - distance);
    SmallVector<Value> before;
    for (auto [none, value] : llvm::zip_equal(neutral, values))
      before.push_back(vector::ShuffleOp::create(b, none, value, places));
    auto joined = combine(op, before, values);
    if (failed(joined))
      return failure();
    values = std::move(*joined);
  }
  return values;
}

/// One step of a scan at a position, after what was `carried`: gives what comes next.
FailureOr<SmallVector<Value>>
KernelEmitter::emitScanned(ScanOp op, const Position &position,
                           ArrayRef<Value> carried) {
  int64_t rows = 1; // lanes that are rows side by side
  if (auto vector = dyn_cast<VectorType>(carried[0].getType()))
    rows = vector.getNumElements();
  if (position.lanes == rows) {
    auto values = accumulate(op, position, carried);
    if (succeeded(values))
      finishAccumulators(op, position, *values);
    return values;
  }
  auto values = evaluate(op, position);
  if (failed(values))
    return failure();
  values = joinLanesBefore(op, std::move(*values));
  if (failed(values))
    return failure();
  SmallVector<Value> before;
  for (Value value : carried)
    before.push_back(broadcast(value, position.lanes));
  values = combine(op, before, *values);
  if (failed(values))
    return failure();
  finishAccumulators(op, position, *values);
  SmallVector<Value> last;
  for (Value value : *values)
    last.push_back(vector::ExtractOp::create(
        b, value, ArrayRef<int64_t>{position.lanes - 1}));
  return last;
}

LogicalResult KernelEmitter::emitScan(ScanOp op, const Position &shared,
                                      int64_t lanes) {
  return emitRows(op, shared, [&](const Position &row) -> LogicalResult {
    unsigned dim = row.extents.size() - 1;
    auto emitFor = [&](Value from, Value to, int64_t width,
                       ArrayRef<Value> carried,
                       bool masked = false) -> FailureOr<SmallVector<Value>> {
      auto loop =
          scf::ForOp::create(b, from, to, constantIndex(width), carried);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      Position position = row;
      setDim(position, dim, loop.getInductionVar(), width);
      if (masked)
        position.mask = firstLanes(
            arith::SubIOp::create(b, to, loop.getInductionVar()), width);
      auto next = emitScanned(
          op, position, llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
      if (failed(next))
        return failure();
      scf::YieldOp::create(b, *next);
      return llvm::to_vector_of<Value>(loop.getResults());
    };
    SmallVector<Value> first = identities(op, row.lanes);
    RowBounds bounds = emitRowBounds(row, dim, lanes);
    if (lanes == 1)
      return emitFor(bounds.zero, bounds.end, 1, first);
    auto carried = emitFor(bounds.zero, bounds.split, lanes, first);
    if (failed(carried) || bounds.isExact)
      return carried;
    // Lanes behind the end come after all others: nothing is joined with them.
    return masksTails
               ? emitFor(bounds.split, bounds.end, lanes, *carried, true)
               : emitFor(bounds.split, bounds.end, 1, *carried);
  });
}

Value loop::areKeysLess(ImplicitLocOpBuilder &b, ArrayRef<Value> x,
                        ArrayRef<Value> y) {
  Value less;
  for (size_t k = x.size(); k-- > 0;) {
    Value here =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[k], y[k]);
    if (less) {
      Value same =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[k], y[k]);
      here =
          arith::OrIOp::create(b, here, arith::AndIOp::create(b, same, less));
    }
    less = here;
  }
  return less;
}

namespace {

/// The keys and positions of one row, two halves of each.
class SortedRow {
public:
  SortedRow(ImplicitLocOpBuilder &b, ArrayRef<Value> pointers,
            ArrayRef<Type> types)
      : b(b), pointers(pointers), types(types) {}

  SmallVector<Value> load(Value at) {
    SmallVector<Value> values;
    for (auto [pointer, type] : llvm::zip_equal(pointers, types))
      values.push_back(LLVM::LoadOp::create(b, type, address(pointer, type, at)));
    return values;
  }

  void store(Value at, ArrayRef<Value> values) {
    for (auto [value, pointer, type] : llvm::zip_equal(values, pointers, types))
      LLVM::StoreOp::create(b, value, address(pointer, type, at));
  }

  /// One run from [low, middle) and [middle, high) of the half that begins at
  /// `from`, into the half that begins at `to`.
  void merge(Value low, Value middle, Value high, Value from, Value to) {
    Value one = arith::ConstantIndexOp::create(b, 1);
    auto loop = scf::ForOp::create(b, low, high, one, ValueRange{low, middle});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value left = loop.getRegionIterArg(0), right = loop.getRegionIterArg(1);
    // One of them may have ended: what is read there, at most one element
    // behind the row, is not taken.
    SmallVector<Value> x = load(add(from, left)), y = load(add(from, right));
    Value hasLeft =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, middle);
    Value noRight =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, right, high);
    Value inOrder = arith::XOrIOp::create(b, isLess(y, x), getTrue());
    Value takesLeft = arith::AndIOp::create(
        b, hasLeft, arith::OrIOp::create(b, noRight, inOrder));
    SmallVector<Value> taken;
    for (auto [a, c] : llvm::zip_equal(x, y))
      taken.push_back(arith::SelectOp::create(b, takesLeft, a, c));
    store(add(to, loop.getInductionVar()), taken);
    Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), takesLeft);
    Value other = arith::SubIOp::create(b, one, step);
    scf::YieldOp::create(b, ValueRange{add(left, step), add(right, other)});
  }

private:
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value getTrue() { return arith::ConstantIntOp::create(b, 1, 1); }

  Value address(Value pointer, Type type, Value at) {
    Value offset = arith::IndexCastOp::create(b, b.getI64Type(), at);
    return LLVM::GEPOp::create(b, pointer.getType(), type, pointer,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  /// The keys, all but the last of the values, compared first to last.
  Value isLess(ArrayRef<Value> x, ArrayRef<Value> y) {
    return areKeysLess(b, x.drop_back(), y.drop_back());
  }

  ImplicitLocOpBuilder &b;
  ArrayRef<Value> pointers;
  ArrayRef<Type> types;
};

} // namespace

LogicalResult KernelEmitter::emitSort(SortOp op, const Position &shared) {
  ExprAttr extent = op.getRowExtent();
  Block &block = op.getBody().front();
  // Keys, and then the position.
  SmallVector<Type> types(block.getTerminator()->getOperandTypes());
  types.push_back(b.getI64Type());
  SmallVector<Value> pointers;
  for (Type type : types)
    pointers.push_back(allocateScratch(
        (extent * 2 + 1) * int64_t(type.getIntOrFloatBitWidth() / 8)));
  Buffer result = buffers.lookup(op.getResult());
  return emitRows(op, shared, [&](const Position &row) -> LogicalResult {
    unsigned dim = row.extents.size() - 1;
    SortedRow sorted(b, pointers, types);
    Value zero = constantIndex(0), one = constantIndex(1);
    Value count = getArgument(extent);

    auto fill = scf::ForOp::create(b, zero, count, one);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(fill.getBody()->getTerminator());
      Position position = row;
      setDim(position, dim, fill.getInductionVar(), 1);
      BodyEmitter body(*this, position);
      if (failed(body.emit(block)))
        return failure();
      SmallVector<Value> values;
      for (Value key : block.getTerminator()->getOperands())
        values.push_back(body.get(key));
      values.push_back(arith::IndexCastOp::create(b, b.getI64Type(),
                                                  fill.getInductionVar()));
      sorted.store(fill.getInductionVar(), values);
    }

    // The width of the runs, and where the half that holds them begins.
    Type index = b.getIndexType();
    auto passes = scf::WhileOp::create(
        b, TypeRange{index, index}, ValueRange{one, zero},
        [&](OpBuilder &builder, Location loc, ValueRange state) {
          Value more = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::slt, state[0], count);
          scf::ConditionOp::create(builder, loc, more, state);
        },
        [&](OpBuilder &builder, Location loc, ValueRange state) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToEnd(builder.getInsertionBlock());
          Value width = state[0], from = state[1];
          Value to = arith::SubIOp::create(b, count, from);
          Value both = arith::AddIOp::create(b, width, width);
          auto runs = scf::ForOp::create(b, zero, count, both);
          {
            OpBuilder::InsertionGuard inner(b);
            b.setInsertionPoint(runs.getBody()->getTerminator());
            Value low = runs.getInductionVar();
            Value middle = arith::MinSIOp::create(
                b, arith::AddIOp::create(b, low, width), count);
            Value high = arith::MinSIOp::create(
                b, arith::AddIOp::create(b, middle, width), count);
            sorted.merge(low, middle, high, from, to);
          }
          scf::YieldOp::create(b, ValueRange{both, to});
        });

    auto drain = scf::ForOp::create(b, zero, count, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(drain.getBody()->getTerminator());
    Position position = row;
    setDim(position, dim, drain.getInductionVar(), 1);
    Value at =
        arith::AddIOp::create(b, passes.getResult(1), drain.getInductionVar());
    store(result, linearAddress(result, op.getResultMap()), position,
          sorted.load(at).back());
    return success();
  });
}
