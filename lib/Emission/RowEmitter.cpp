//===- RowEmitter.cpp - Scans ---------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan is a loop that carries its accumulators and stores them at each step;
// where lanes run across rows it works on as many rows at once. Where they run
// along the row, a step has a vector of it: of every two lanes the second is joined with
// the first, of every four the third and fourth with the second, and so on (Sklansky,
// "Conditional-Sum Addition Logic", 1960: processors have such moves of lanes as single
// instructions, but not those that move all lanes by one). At last all are joined with what
// the loop carries, so that a step waits for the one before it once and not for each
// element.
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
    // Second halves get the last lane of their first half, first halves neutral elements.
    SmallVector<int64_t> places;
    for (int64_t k = 0; k < lanes; ++k)
      places.push_back(k / distance % 2 == 0
                           ? k
                           : lanes + k / distance * distance - 1);
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
  auto values = accumulate(op, position, carried);
  if (succeeded(values))
    finishAccumulators(op, position, *values);
  return values;
}

/// The same of neighbours in a row. Each lane of what is carried has all elements before.
FailureOr<SmallVector<Value>>
KernelEmitter::emitScannedLanes(ScanOp op, const Position &position,
                                ArrayRef<Value> carried) {
  auto values = evaluate(op, position);
  if (failed(values))
    return failure();
  values = joinLanesBefore(op, std::move(*values));
  if (failed(values))
    return failure();
  auto here = combine(op, carried, *values);
  if (failed(here))
    return failure();
  finishAccumulators(op, position, *here);
  // As the last lane of `here`, which the next step would wait longer for.
  SmallVector<Value> last;
  SmallVector<int64_t> places(position.lanes, position.lanes - 1);
  for (Value value : *values)
    last.push_back(vector::ShuffleOp::create(b, value, value, places));
  return combine(op, carried, last);
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
      auto before = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
      auto next = width == 1 ? emitScanned(op, position, before)
                             : emitScannedLanes(op, position, before);
      if (failed(next))
        return failure();
      scf::YieldOp::create(b, *next);
      return llvm::to_vector_of<Value>(loop.getResults());
    };
    RowBounds bounds = emitRowBounds(row, dim, lanes);
    if (lanes == 1)
      return emitFor(bounds.zero, bounds.end, 1, identities(op, row.lanes));
    auto carried =
        emitFor(bounds.zero, bounds.split, lanes, identities(op, lanes));
    if (failed(carried) || bounds.isExact)
      return carried;
    // Lanes behind the end come after all others: nothing is joined with them.
    if (masksTails)
      return emitFor(bounds.split, bounds.end, lanes, *carried, true);
    SmallVector<Value> elements;
    for (Value value : *carried)
      elements.push_back(
          vector::ExtractOp::create(b, value, ArrayRef<int64_t>{0}));
    return emitFor(bounds.split, bounds.end, 1, elements);
  });
}
