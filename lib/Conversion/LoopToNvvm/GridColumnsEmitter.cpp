//===- GridColumnsEmitter.cpp - Columns that threads keep -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has some vectors of neighbouring columns side by side, and all their
// elements, which threads of a vector have by turns: they read memory as it
// lies, keep what they have in registers, and join what they reduce of it.
// Loads of what nothing writes meanwhile are one in all nests, as in those of
// rows.
//
//===----------------------------------------------------------------------===//

#include "GridColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Finds the columns of the thread. Those beside the last vector compute that
/// as well, and let it go.
LogicalResult GridColumnsEmitter::enterColumns() {
  int64_t lanes = tile.getLanes(), count = tile.getColumns();
  extents = analysis::collapseDims(
      kernel, layout, columns.columns,
      [&](NestOpInterface nest) { return columns.getDims(nest)->columns; });
  SmallVector<ExprAttr> counts = extents; // of vectors
  auto last = extents.back().getConstant();
  if (lanes > 1 && (!last || *last % lanes != 0))
    return refuse(tile) << "because " << lanes << " lanes do not divide '"
                        << extents.back().str() << "'";
  counts.back() = guard::floorDiv(counts.back(), lanes);
  ExprAttr vectors = guard::product(context, counts);
  blocks = guard::ceilDiv(vectors, count);
  Value each = constantIndex(count);
  place = {count, tile.getThreads() / count,
           arith::RemUIOp::create(b, lane, each),
           arith::DivUIOp::create(b, lane, each)};
  Value vector = add(mul(block, count), place.column);
  auto known = vectors.getConstant();
  if (!known || *known % count != 0) {
    Value all = getArgument(vectors);
    columnInside = isLess(vector, all);
    vector = arith::MinSIOp::create(
        b, vector, arith::SubIOp::create(b, all, constantIndex(1)));
  }
  column = delinearize(vector, counts);
  column.back() = mul(column.back(), lanes);
  return success();
}

/// The position of a nest at the first element of the columns.
Position GridColumnsEmitter::enterNest(NestOpInterface nest,
                                       const ColumnDims &dims) {
  Position position;
  position.extents = nest.getDomain().all();
  position.dims.assign(position.extents.size(), constantIndex(0));
  for (auto [k, dim] : llvm::enumerate(dims.columns)) {
    position.dims[dim] = column[k];
    position.extents[dim] = extents[k];
  }
  if (tile.getLanes() > 1) {
    position.vectorDim = dims.columns.back();
    position.lanes = position.multiple = tile.getLanes();
  }
  return position;
}

/// The elements of a thread, one after the other. Those behind the last are
/// that again, so that there is no branch and what two nests have in common is
/// computed once.
LogicalResult GridColumnsEmitter::forEachElement(
    NestOpInterface nest, const ColumnDims &dims,
    llvm::function_ref<LogicalResult(const Position &)> body) {
  for (step = 0; step * place.deep < size; ++step) {
    Position position = enterNest(nest, dims);
    Value number = constantIndex(step);
    elementInside = {};
    if (place.deep > 1) {
      number = add(place.row, constantIndex(step * place.deep));
      if ((step + 1) * place.deep > size) {
        elementInside = isLess(number, constantIndex(size));
        number = arith::MinSIOp::create(b, number, constantIndex(size - 1));
      }
    }
    SmallVector<ExprAttr> own;
    for (unsigned dim : dims.elements)
      own.push_back(position.extents[dim]);
    for (auto [dim, index] :
         llvm::zip_equal(dims.elements, delinearize(number, own)))
      position.dims[dim] = index;
    if (failed(body(position)))
      return failure();
  }
  elementInside = {};
  return success();
}

Value GridColumnsEmitter::loadStaged(LoadOp load, int64_t) {
  return kept.lookup({load.getTensor(), step});
}

/// One of the threads that have the value of a column stores it.
void GridColumnsEmitter::finish(Value result, const Position &position,
                                Value value) {
  auto nest = result.getDefiningOp<NestOpInterface>();
  SmallVector<Value, 2> conditions;
  if (columnInside)
    conditions.push_back(columnInside);
  if (nest.isReduction() || columns.getDims(nest)->elements.empty()) {
    perPoint[result] = value;
    if (place.deep > 1)
      conditions.push_back(isLess(place.row, constantIndex(1)));
  } else {
    kept[{result, step}] = value;
    if (elementInside)
      conditions.push_back(elementInside);
  }
  if (!buffers.count(result))
    return;
  Value condition;
  for (Value each : conditions)
    condition = condition
                    ? arith::AndIOp::create(b, condition, each).getResult()
                    : each;
  (void)emitIf(condition, [&] {
    KernelEmitter::finish(result, position, value);
    return success();
  });
}

LogicalResult GridColumnsEmitter::emitColumnsReduce(ReduceOp op,
                                                    const ColumnDims &dims) {
  auto nest = cast<NestOpInterface>(op.getOperation());
  SmallVector<Value> sums = identities(op, tile.getLanes());
  auto add = [&](const Position &position) {
    auto values = accumulate(op, position, sums);
    if (failed(values))
      return failure();
    for (auto [sum, value] : llvm::zip_equal(sums, *values))
      sum = elementInside
                ? arith::SelectOp::create(b, elementInside, value, sum)
                      .getResult()
                : value;
    return success();
  };
  if (failed(forEachElement(nest, dims, add)))
    return failure();
  auto joined = joinForAll(op, std::move(sums), place);
  if (failed(joined))
    return failure();
  finishAccumulators(op, enterNest(nest, dims), *joined);
  return success();
}

LogicalResult GridColumnsEmitter::emitColumnsPointwise(PointwiseOp op,
                                                       const ColumnDims &dims) {
  auto nest = cast<NestOpInterface>(op.getOperation());
  auto emit = [&](const Position &position) {
    return emitElement(op, position);
  };
  return dims.elements.empty() ? emit(enterNest(nest, dims))
                               : forEachElement(nest, dims, emit);
}

LogicalResult GridColumnsEmitter::emitThread() {
  if (failed(tile.verifyKernel(kernel)))
    return failure();
  columns = *getKernelColumns(kernel);
  size = *guard::product(context, columns.elements).getConstant();
  if (failed(enterColumns()))
    return failure();
  for (NestOpInterface nest : kernel.getNests()) {
    ColumnDims dims = *columns.getDims(nest);
    auto reduce = dyn_cast<ReduceOp>(nest.getOperation());
    if (failed(reduce ? emitColumnsReduce(reduce, dims)
                      : emitColumnsPointwise(
                            cast<PointwiseOp>(nest.getOperation()), dims)))
      return failure();
  }
  return success();
}
