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
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::BlockProduct;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The power of two that exp(x - row) is, where x is a score times a number, or minus infinity
/// by a condition: a product whose sum with the row's is rounded alone, as FlashAttention-2
/// has it. Its error is 2^-24 of the row's, as that of the row's own rounding. Null if x is
/// something else.
Value GridWalksEmitter::getPower(Value x, Value row) {
  auto getNumber = [&](Value value) -> std::optional<double> {
    FloatAttr number;
    if (auto same = value.getDefiningOp<vector::BroadcastOp>())
      value = same.getSource();
    return matchPattern(value, m_Constant(&number))
               ? std::optional<double>(number.getValueAsDouble())
               : std::nullopt;
  };
  auto vector = dyn_cast<VectorType>(x.getType());
  auto getConstant = [&](double number) {
    return broadcast(constant(number), vector ? vector.getNumElements() : 1);
  };
  if (auto select = x.getDefiningOp<arith::SelectOp>()) {
    Value chosen = getPower(select.getTrueValue(), row),
          other = getPower(select.getFalseValue(), row);
    return chosen && other ? arith::SelectOp::create(b, select.getCondition(),
                                                     chosen, other)
                                 .getResult()
                           : Value();
  }
  Value behind = arith::NegFOp::create(
      b, arith::MulFOp::create(b, row, getConstant(kLog2E)));
  if (auto number = getNumber(x))
    return std::isinf(*number) && *number < 0
               ? arith::AddFOp::create(b, getConstant(*number), behind)
                     .getResult()
               : Value();
  auto product = x.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  for (auto [score, factor] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())})
    if (auto number = getNumber(factor); number && std::abs(*number) <= 1)
      return math::FmaOp::create(b, score, getConstant(*number * kLog2E),
                                 behind);
  return {};
}

/// x - y, where both are products of the same number, as that of it and one difference;
/// null elsewhere. So the gradient of a softmax is w * (dp - d), rounded once less.
Value GridWalksEmitter::getDifference(Value x, Value y) {
  auto first = x.getDefiningOp<arith::MulFOp>(),
       second = y.getDefiningOp<arith::MulFOp>();
  if (!first || !second)
    return {};
  for (unsigned k : {0, 1})
    for (unsigned n : {0, 1})
      if (first->getOperand(k) == second->getOperand(n))
        return arith::MulFOp::create(
            b, first->getOperand(k),
            arith::SubFOp::create(b, first->getOperand(1 - k),
                                  second->getOperand(1 - n)));
  return {};
}

/// Exponentials at a row and a column by the instruction: what is made of them
/// has 16 bits when it is multiplied.
Value GridWalksEmitter::emitOperation(Operation &op, ValueRange operands) {
  if (!isElement || !op.getNumResults() || !op.getResult(0).getType().isF32())
    return {};
  if (isa<arith::SubFOp>(op))
    return getDifference(operands[0], operands[1]);
  if (!isa<math::ExpOp>(op))
    return {};
  Value x = operands[0], power;
  auto type = dyn_cast<VectorType>(x.getType());
  if (auto difference = x.getDefiningOp<arith::SubFOp>())
    power = getPower(difference.getLhs(), difference.getRhs());
  if (!power)
    power = arith::MulFOp::create(
        b, x, broadcast(constant(kLog2E), type ? type.getNumElements() : 1));
  if (!type)
    return powerOfTwo(power);
  SmallVector<Value> made;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    made.push_back(powerOfTwo(
        vector::ExtractOp::create(b, power, ArrayRef<int64_t>{lane})));
  return vector::FromElementsOp::create(b, type, made);
}

/// Gives a position, whose row and column are `rowDim` and `columnDim`, a
/// place.
void GridWalksEmitter::setPlace(Position &position, const Place &place) {
  position.dims[overRows ? columnDim : rowDim] = rowIndices[place.row];
  setDim(position, overRows ? rowDim : columnDim, place.moved, place.lanes);
  position.multiple = place.lanes;
}

/// A score through its epilogue.
FailureOr<Value> GridWalksEmitter::emitScore(const BlockProduct &product,
                                             Value score, const Place &place) {
  ContractOp op = product.op;
  if (op.getEpilogue().empty())
    return round(op.getResult(), score);
  Position position = getPoint(product);
  rowDim = *product.shared.back();
  columnDim = product.shape.columns.dims.back();
  setPlace(position, place);
  BodyEmitter body(*this, position);
  Block &block = op.getEpilogue().front();
  if (failed(body.emit(block, {score})))
    return failure();
  return body.getWide(block.getTerminator()->getOperand(0));
}

/// What `nests` make at a place.
LogicalResult GridWalksEmitter::emitElement(ArrayRef<NestOpInterface> nests,
                                            const Tile &tile, Place &place) {
  for (NestOpInterface nest : nests) {
    FailureOr<Value> value = Value();
    if (auto op = dyn_cast<ContractOp>(nest.getOperation())) {
      const BlockProduct *product = llvm::find_if(
          walks.scores, [&](const BlockProduct &each) { return each.op == op; });
      ArrayRef<Value> scores = tile.scores.find(op)->second;
      Value score = scores[place.number];
      if (place.lanes > 1)
        score = vector::FromElementsOp::create(
            b, VectorType::get({place.lanes}, score.getType()),
            scores.slice(place.number, place.lanes));
      value = emitScore(*product, score, place);
    } else {
      Position position = getRow(nest.getDomain(), constantIndex(0));
      rowDim = sharedExtents.size() - 1;
      columnDim = position.dims.size() - 1;
      setPlace(position, place);
      BodyEmitter body(*this, position);
      Block &block = nest->getRegion(0).front();
      if (failed(body.emit(block)))
        return failure();
      value = body.getWide(block.getTerminator()->getOperand(0));
    }
    if (failed(value))
      return failure();
    place.made[nest->getResult(0)] = *value;
    staged[nest->getResult(0)] = *value;
  }
  return success();
}

/// True if the last tile is as long as the others.
bool GridWalksEmitter::hasWholeTiles() {
  auto known = walked.getConstant();
  return known && *known % schedule.getColumns() == 0;
}

/// The places of tile `number`, of which nothing is known yet. Neighbours are
/// together where all of them have one.
void GridWalksEmitter::enterTile(const Walk &walk, Value number, Tile &tile) {
  tile.first = mul(number, schedule.getColumns());
  int64_t tiles = schedule.getColumns() / kMmaColumns;
  for (const Sum *sum : walk.sums)
    tile.weights[sum->weights].assign(tiles * kMmaSums, Value());
  auto known = walked.getConstant();
  int64_t lanes = known && *known % 2 == 0 ? 2 : 1;
  Value end = getArgument(walked);
  for (int64_t k = 0; k < tiles * 2; k += lanes) {
    Value moved = add(add(tile.first, quadColumn),
                      constantIndex(k / 2 * kMmaColumns + k % 2));
    Value inside;
    if (!isWhole) {
      inside = isLess(moved, end);
      moved = arith::MinSIOp::create(
          b, moved, arith::SubIOp::create(b, end, constantIndex(lanes)));
    }
    Values values;
    if (overRows)
      values = loadRowValues(moved, lanes);
    for (unsigned row : {0, 1})
      tile.places.push_back({moved, inside, lanes, row,
                             size_t(k / 2 * kMmaSums + row * 2 + k % 2),
                             values});
  }
}

/// What `nests`, some of those that a walk needs, make of a tile; what is not
/// there adds nothing.
LogicalResult GridWalksEmitter::emitElements(const Walk &walk,
                                             ArrayRef<NestOpInterface> nests,
                                             Tile &tile, State &state) {
  auto isMade = [&](Value value) {
    return llvm::is_contained(
        nests, NestOpInterface(value.getDefiningOp<NestOpInterface>()));
  };
  for (Place &place : tile.places) {
    staged = place.made;
    if (!overRows)
      staged.insert(rowValues[place.row].begin(), rowValues[place.row].end());
    isElement = true;
    atHand = &place;
    LogicalResult emitted = emitElement(nests, tile, place);
    isElement = false;
    atHand = nullptr;
    if (failed(emitted))
      return failure();
    auto getLane = [&](Value result, int64_t lane, Value other) -> Value {
      Value value = place.made[result];
      if (place.lanes > 1)
        value = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{lane});
      if (!value.getType().isF32() && isa<FloatType>(value.getType()))
        value = arith::ExtFOp::create(b, b.getF32Type(), value);
      return place.inside
                 ? arith::SelectOp::create(b, place.inside, value, other)
                       .getResult()
                 : value;
    };
    for (int64_t lane = 0; lane < place.lanes; ++lane) {
      for (auto [n, op] : llvm::enumerate(walk.reductions)) {
        if (!isMade(op->getResult(0)))
          continue;
        Value &sum = state.reduced[2 * n + place.row];
        auto combined = combine(
            op, {sum},
            {getLane(op->getResult(0), lane, identities(op, 1).front())});
        if (failed(combined))
          return failure();
        sum = combined->front();
      }
      for (const Sum *sum : walk.sums) {
        if (!isMade(sum->weights))
          continue;
        Value &weight = tile.weights[sum->weights][place.number + lane];
        weight = getLane(sum->weights, lane, constant(0));
        // Columns of the block are summed up, too.
        if (added && sum->weights == added->weights && rowInside[place.row])
          weight = arith::SelectOp::create(b, rowInside[place.row], weight,
                                           constant(0));
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
  return getElementTypeOrSelf(value.getType()) == element
             ? value
             : toMemory(value, element);
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

/// Of so many rows one below the other.
GridWalksEmitter::Values GridWalksEmitter::loadRowValues(Value row,
                                                         int64_t lanes) {
  Values values;
  Position position = point;
  setDim(position, position.dims.size() - 1, row, lanes);
  position.multiple = lanes;
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
  auto finish = [&](int64_t c, int64_t lanes) {
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
    return storeSums(op, position, value);
  };
  int64_t lanes = buffer.strides[inner].isConstant(1) ? 2 : 1;
  int64_t whole = width / kMmaColumns * 2, rest = width % kMmaColumns;
  for (int64_t c = 0; c < whole; c += lanes)
    if (failed(finish(c, lanes)))
      return failure();
  return rest == 0
             ? success()
             : storeLastColumns(rest, lanes, [&](int64_t from, int64_t each) {
                 return finish(whole + from, each);
               });
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
