//===- WalkElements.cpp - What walks compute at a row and a column --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridWalks.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::BlockProduct;
using guard::ExprAttr;

/// What was computed at the place at hand, and values of its row.
Value GridWalksEmitter::loadStaged(LoadOp load, int64_t lanes) {
  Value value = staged.lookup(load.getTensor());
  return value ? broadcast(value, lanes) : value;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The position of a nest at a row and a column.
Position GridWalksEmitter::getPlace(const Domain &domain, Value row,
                                    Value column) {
  Position position = getRow(domain, row);
  position.dims.back() = column;
  return position;
}

/// A score through its epilogue.
FailureOr<Value> GridWalksEmitter::emitScore(const BlockProduct &product,
                                             Value score, Value row,
                                             Value column) {
  ContractOp op = product.op;
  if (op.getEpilogue().empty())
    return round(op.getResult(), score);
  Position position = getPoint(product);
  position.dims[*product.shared.back()] = row;
  position.dims[product.shape.columns.dims.back()] = column;
  BodyEmitter body(*this, position);
  Block &block = op.getEpilogue().front();
  if (failed(body.emit(block, {score})))
    return failure();
  return body.get(block.getTerminator()->getOperand(0));
}

/// What a walk needs at row number `row` of the thread and at `moved`: `made` of it is what
/// it adds up. Scores are register `number` of the tile's.
LogicalResult GridWalksEmitter::emitElement(const Walk &walk, unsigned row,
                                            Value moved, const Tile &tile,
                                            size_t number, Values &made) {
  Value own = rowIndices[row];
  Value i = overRows ? moved : own, j = overRows ? own : moved;
  for (NestOpInterface nest : walk.needed) {
    FailureOr<Value> value = Value();
    if (auto op = dyn_cast<ContractOp>(nest.getOperation())) {
      const BlockProduct *product = llvm::find_if(
          walks.scores, [&](const BlockProduct &each) { return each.op == op; });
      value = emitScore(*product, tile.scores.lookup(op)[number], i, j);
    } else {
      BodyEmitter body(*this, getPlace(nest.getDomain(), i, j));
      Block &block = nest->getRegion(0).front();
      if (failed(body.emit(block)))
        return failure();
      value = body.get(block.getTerminator()->getOperand(0));
    }
    if (failed(value))
      return failure();
    made[nest->getResult(0)] = *value;
    staged[nest->getResult(0)] = *value;
  }
  return success();
}

/// Everything that a walk needs of a tile; what is not there adds nothing.
LogicalResult GridWalksEmitter::emitElements(const Walk &walk, Tile &tile,
                                             State &state) {
  auto known = walked.getConstant();
  bool isWhole = known && *known % schedule.getColumns() == 0;
  int64_t tiles = schedule.getColumns() / kMmaColumns;
  for (const Sum *sum : walk.sums)
    tile.weights[sum->weights].assign(tiles * kMmaSums, Value());
  Value end = getArgument(walked);
  for (int64_t k = 0; k < tiles * 2; ++k) {
    Value moved = add(add(tile.first, quadColumn),
                      constantIndex(k / 2 * kMmaColumns + k % 2));
    Value inside;
    if (!isWhole) {
      inside = isLess(moved, end);
      moved = arith::MinSIOp::create(
          b, moved, arith::SubIOp::create(b, end, constantIndex(1)));
    }
    auto orElse = [&](Value value, Value other) -> Value {
      return inside ? arith::SelectOp::create(b, inside, value, other).getResult()
                    : value;
    };
    Values values;
    if (overRows)
      values = loadRowValues(moved);
    for (unsigned row : {0, 1}) {
      staged = overRows ? values : rowValues[row];
      size_t number = k / 2 * kMmaSums + row * 2 + k % 2;
      Values made;
      if (failed(emitElement(walk, row, moved, tile, number, made)))
        return failure();
      for (auto [n, op] : llvm::enumerate(walk.reductions)) {
        Value value = orElse(made[op->getResult(0)], identities(op, 1).front());
        Value &sum = state.reduced[2 * n + row];
        auto combined = combine(op, {sum}, {value});
        if (failed(combined))
          return failure();
        sum = combined->front();
      }
      for (const Sum *sum : walk.sums) {
        Value weight = made[sum->weights];
        if (!weight.getType().isF32())
          weight = arith::ExtFOp::create(b, b.getF32Type(), weight);
        tile.weights[sum->weights][number] = orElse(weight, constant(0));
      }
    }
  }
  staged.clear();
  return success();
}

//===----------------------------------------------------------------------===//
// Values of rows
//===----------------------------------------------------------------------===//

/// A value as a tensor's elements are read.
Value GridWalksEmitter::round(Value result, Value value) {
  Type element =
      getBodyType(cast<RankedTensorType>(result.getType()).getElementType());
  return value.getType() == element ? value : toMemory(value, element);
}

/// Places in the workspace for what the other function needs of rows.
void GridWalksEmitter::bindRowValues() {
  SmallVector<Value> weights;
  for (const Sum &sum : walks.sums)
    if (sum.product.overRows)
      weights.push_back(sum.weights);
  for (Value row : walks.getRowsRead(walks.getNeeded(weights))) {
    Buffer buffer;
    buffer.elementType = cast<RankedTensorType>(row.getType()).getElementType();
    buffer.strides = guard::getContiguousStrides(context, sharedExtents);
    buffer.alignment = 16;
    buffer.isConstant = overRows;
    int64_t bytes = buffer.elementType.getIntOrFloatBitWidth() / 8;
    buffer.pointer =
        allocateScratch(guard::product(context, sharedExtents) * bytes);
    passed.push_back({row, buffer});
  }
}

/// The position of a nest at a row; its own dimensions are at 0.
Position GridWalksEmitter::getRow(const Domain &domain, Value row) {
  Position position = point;
  position.dims.back() = row;
  position = enter(position, domain);
  for (Value &dim : position.dims)
    if (!dim)
      dim = constantIndex(0);
  return position;
}

GridWalksEmitter::Values GridWalksEmitter::loadRowValues(Value row) {
  Values values;
  Position position = point;
  position.dims.back() = row;
  SmallVector<ExprAttr> map = getIdentityMap(context, sharedExtents.size());
  for (auto &[tensor, buffer] : passed)
    values[tensor] =
        load(buffer, linearAddress(buffer, map), position, {}, {}, {});
  return values;
}

/// Joins what the four threads have reduced that have a row together.
LogicalResult GridWalksEmitter::combineRows(const Walk &walk,
                                            const State &state) {
  for (auto [n, op] : llvm::enumerate(walk.reductions))
    for (unsigned row : {0, 1}) {
      Value value = state.reduced[2 * n + row];
      for (int64_t distance : {1, 2}) {
        auto combined = combine(op, {value}, {shuffleQuad(value, distance)});
        if (failed(combined))
          return failure();
        value = combined->front();
      }
      rowValues[row][op->getResult(0)] = round(op->getResult(0), value);
    }
  return success();
}

/// Nests of one value a row that are known after so many walks.
LogicalResult GridWalksEmitter::emitRowNests(unsigned level) {
  for (NestOpInterface nest : walks.nests) {
    Value result = nest->getResult(0);
    auto known = walks.rowLevels.find(result);
    if (known == walks.rowLevels.end() || known->second != level ||
        isa<ReduceOp>(nest.getOperation()))
      continue;
    for (unsigned row : {0, 1}) {
      staged = rowValues[row];
      BodyEmitter body(*this, getRow(nest.getDomain(), rowIndices[row]));
      Block &block = nest->getRegion(0).front();
      if (failed(body.emit(block)))
        return failure();
      rowValues[row][result] = body.get(block.getTerminator()->getOperand(0));
    }
  }
  staged.clear();
  return success();
}

/// Stores values of rows that leave the kernel, or that the other function needs.
LogicalResult GridWalksEmitter::finishRows() {
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, quadColumn,
                                        constantIndex(0));
  for (unsigned row : {0, 1}) {
    Value stores = isFirst;
    if (rowInside[row])
      stores = arith::AndIOp::create(b, stores, rowInside[row]);
    LogicalResult stored = emitIf(stores, [&] {
      Position position = point;
      position.dims.back() = rowIndices[row];
      SmallVector<ExprAttr> map = getIdentityMap(context, sharedExtents.size());
      for (auto &[tensor, buffer] : passed)
        store(buffer, linearAddress(buffer, map), position,
              rowValues[row].lookup(tensor));
      for (NestOpInterface nest : walks.nests) {
        Value result = nest->getResult(0);
        auto buffer = buffers.find(result);
        if (buffer == buffers.end())
          continue;
        unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
        store(buffer->second,
              linearAddress(buffer->second, getIdentityMap(context, rank)),
              getRow(nest.getDomain(), rowIndices[row]),
              rowValues[row].lookup(result));
      }
      return success();
    });
    if (failed(stored))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The sums of a thread's row, or column, through the epilogue: two neighbours at a time
/// where they are neighbours in memory.
LogicalResult GridWalksEmitter::finishSum(const Sum &sum, unsigned row,
                                          ArrayRef<Value> sums) {
  ContractOp op = sum.product.op;
  const Buffer &buffer = buffers.find(op.getResult())->second;
  unsigned inner = sum.inner().dims.back();
  unsigned own = overRows ? sum.outer().dims.back() : *sum.product.shared.back();
  int64_t width = *sum.inner().extent.getConstant();
  int64_t lanes = buffer.strides[inner].isConstant(1) ? 2 : 1;
  for (int64_t c = 0; c < width / kMmaColumns * 2; c += lanes) {
    size_t first = c / 2 * kMmaSums + row * 2 + c % 2;
    Value value = sums[first];
    if (lanes == 2)
      value = vector::FromElementsOp::create(
          b, VectorType::get({2}, b.getF32Type()), sums.slice(first, 2));
    Position position = getPoint(sum.product);
    position.dims[own] = rowIndices[row];
    setDim(position, inner,
           add(quadColumn, constantIndex(c / 2 * kMmaColumns + c % 2)), lanes);
    position.multiple = lanes;
    if (failed(storeSums(op, position, value)))
      return failure();
  }
  return success();
}

LogicalResult GridWalksEmitter::finishSums(const Walk &walk, const State &state) {
  for (unsigned row : {0, 1}) {
    if (!overRows)
      staged = rowValues[row];
    LogicalResult finished = emitIf(rowInside[row], [&]() -> LogicalResult {
      size_t first = 0;
      for (const Sum *sum : walk.sums) {
        if (failed(finishSum(*sum, row, ArrayRef(state.sums).drop_front(first))))
          return failure();
        int64_t width = *sum->inner().extent.getConstant();
        first += llvm::alignTo(width, kMmaSum) / kMmaColumns * kMmaSums;
      }
      return success();
    });
    staged.clear();
    if (failed(finished))
      return failure();
  }
  return success();
}
