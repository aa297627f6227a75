//===- BlocksWeights.cpp - Weights of rows whose columns come in tiles ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a row the largest x so far is known, and what was added up of exponentials behind it.
// A larger one scales both by the exponential of the difference. While all x are minus
// infinity they are taken behind 0, which leaves nothing added up; where that is so at the
// end, each exponential was NaN.
//
//===----------------------------------------------------------------------===//

#include "GridBlocks.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Eights of columns that the threads of a row exchange.
static constexpr int64_t kExchanged = 4;
/// How far x may be above what exponentials are taken behind, as a power of
/// two, of which rounding makes twice as much at most: f16 has weights of that
/// size, and those below 1 are as exact as others.
static constexpr double kFar = 6;
/// Powers of two of which a rounding error is no matter: 2^-14 of what has 16 bits.
static constexpr double kLargePower = 1024;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The score, or exponential, at hand: bodies read them in their own place alone.
Value GridBlocksEmitter::loadStaged(LoadOp load, int64_t) {
  loop::ContractOp scores = online.scores.op;
  loop::PointwiseOp exponentials = online.exponentials;
  bool isOwn = load.getTensor() == scores.getResult() ||
               load.getTensor() == exponentials.getResult();
  return isOwn ? staged : Value();
}

/// Of the four threads that have a row together.
Value GridBlocksEmitter::combineQuad(Value value, bool isMaximum) {
  for (int64_t distance : {1, 2}) {
    Value other = shuffleQuad(value, distance);
    value = isMaximum ? arith::MaximumFOp::create(b, value, other).getResult()
                      : arith::AddFOp::create(b, value, other).getResult();
  }
  return value;
}

/// Neighbours in pairs, so that dependent operations are few.
static Value joinInPairs(ImplicitLocOpBuilder &b, SmallVector<Value> values,
                     bool isMaximum) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t k = 0; k + 1 < values.size(); k += 2)
      next.push_back(
          isMaximum
              ? arith::MaximumFOp::create(b, values[k], values[k + 1]).getResult()
              : arith::AddFOp::create(b, values[k], values[k + 1]).getResult());
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

//===----------------------------------------------------------------------===//
// Exponents
//===----------------------------------------------------------------------===//

/// The position of a nest at one of the thread's rows; its own dimensions are at 0.
Position GridBlocksEmitter::getRowPosition(const Domain &domain, unsigned row) {
  Position position = point;
  position.dims.back() = rowIndices[row];
  position = enter(position, domain);
  for (Value &dim : position.dims)
    if (!dim)
      dim = constantIndex(0);
  return position;
}

/// True if a value of the body is `scaled`, or minus infinity instead.
static bool isMasked(Value value, Value &scaled) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isMasked(select.getTrueValue(), scaled) &&
           isMasked(select.getFalseValue(), scaled);
  if (matchPattern(value, m_NegInfFloat()))
    return true;
  if (!value.getDefiningOp<arith::MulFOp>() || (scaled && scaled != value))
    return false;
  scaled = value;
  return true;
}

/// A positive number that all scores are multiplied by goes into what exponents
/// are multiplied by in any case: differences of scores are taken instead,
/// which are more exact. It is at most 1, so that x is infinite for scores
/// alone that are.
void GridBlocksEmitter::findUnit() {
  constexpr float least = 0x1p-64f;
  Value found;
  Block &block = online.maximum.getBody().front();
  if (!isMasked(block.getTerminator()->getOperand(0), found) || !found ||
      !found.getType().isF32())
    return;
  auto product = found.getDefiningOp<arith::MulFOp>();
  Value factor = product.getRhs(), other = product.getLhs();
  if (!factor.getDefiningOp<arith::ConstantOp>())
    std::swap(factor, other);
  APFloat number(0.0f);
  auto load = other.getDefiningOp<LoadOp>();
  ContractOp scores = online.scores.op;
  if (!matchPattern(factor, m_ConstantFloat(&number)) || !load ||
      load.getTensor() != scores.getResult())
    return;
  float value = number.convertToFloat();
  if (value < least || !(value <= 1))
    return;
  unit = value;
  scaled = found;
}

/// What a body that was emitted yields, in units.
Value GridBlocksEmitter::getExponent(BodyEmitter &body, Value yielded,
                                     Value score) {
  if (yielded == scaled)
    return score;
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  if (!scaled || !select)
    return body.getWide(yielded);
  return arith::SelectOp::create(
      b, body.getWide(select.getCondition()),
      getExponent(body, select.getTrueValue(), score),
      getExponent(body, select.getFalseValue(), score));
}

/// What the body of the maximum makes of `lanes` neighbouring scores.
FailureOr<Value> GridBlocksEmitter::emitExponent(unsigned row, Value score,
                                                 Value column, int64_t lanes) {
  loop::ContractOp scores = online.scores.op;
  Type element = getBodyType(
      cast<RankedTensorType>(scores.getResult().getType()).getElementType());
  if (!scores.getEpilogue().empty()) {
    Position position = getPoint(online.scores);
    position.dims[*online.scores.shared.back()] = rowIndices[row];
    setDim(position, online.scores.shape.columns.dims.back(), column, lanes);
    position.multiple = lanes;
    rowDim = *online.scores.shared.back();
    columnDim = online.scores.shape.columns.dims.back();
    BodyEmitter epilogue(*this, position);
    Block &block = scores.getEpilogue().front();
    if (failed(epilogue.emit(block, {score})))
      return failure();
    score = epilogue.getWide(block.getTerminator()->getOperand(0));
  } else {
    score = toMemory(score, element);
  }
  Position position = getRowPosition(online.maximum.getDomain(), row);
  setDim(position, position.dims.size() - 1, column, lanes);
  position.multiple = lanes;
  rowDim = sharedExtents.size() - 1;
  columnDim = position.dims.size() - 1;
  staged = score;
  BodyEmitter body(*this, position);
  Block &block = online.maximum.getBody().front();
  if (failed(body.emit(block)))
    return failure();
  return getExponent(body, block.getTerminator()->getOperand(0), score);
}

/// True if the last tile is as wide as the others.
bool GridBlocksEmitter::hasWholeTiles() {
  auto known = online.columns.getConstant();
  return known && *known % schedule.getColumns() == 0;
}

/// x of all scores of a row, in units; minus infinity behind the last column.
FailureOr<SmallVector<Value>>
GridBlocksEmitter::emitExponents(unsigned row, ArrayRef<Value> scores,
                                 Value firstColumn) {
  auto known = online.columns.getConstant();
  bool isWhole = isInner || hasWholeTiles();
  int64_t lanes = known && *known % 2 == 0 ? 2 : 1;
  int64_t tiles = schedule.getColumns() / kMmaColumns;
  Value end = getArgument(online.columns);
  SmallVector<Value> exponents;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    size_t first = ((row / 2) * tiles + tile) * kMmaSums + row % 2 * 2;
    for (int64_t n = 0; n < 2; n += lanes) {
      Value column = add(add(firstColumn, quadColumn),
                         constantIndex(tile * kMmaColumns + n));
      Value inside;
      if (!isWhole) {
        inside = isLess(column, end);
        column = arith::MinSIOp::create(
            b, column, arith::SubIOp::create(b, end, constantIndex(lanes)));
      }
      Value score = lanes == 1
                        ? scores[first + n]
                        : vector::FromElementsOp::create(
                              b, VectorType::get({2}, b.getF32Type()),
                              scores.slice(first, 2))
                              .getResult();
      auto made = emitExponent(row, score, column, lanes);
      if (failed(made))
        return failure();
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value x = lanes == 1 ? *made
                             : vector::ExtractOp::create(
                                   b, *made, ArrayRef<int64_t>{lane})
                                   .getResult();
        if (inside)
          x = arith::SelectOp::create(b, inside, x, constant(-kInfinity));
        exponents.push_back(x);
      }
    }
  }
  return exponents;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// What exponentials of a tile are taken behind, whose largest x are `most`.
/// Where peaks are kept, a warp goes on with what it has until an x of it is
/// far above: so its sums are seldom scaled, and weights are no larger than
/// that. Says whether it went on; null: not known.
Value GridBlocksEmitter::chooseMaxima(ArrayRef<Value> most, State &state,
                                      SmallVectorImpl<Value> &maxima) {
  for (auto [old, top] : llvm::zip_equal(state.maxima, most))
    maxima.push_back(arith::MaximumFOp::create(b, old, top));
  if (state.peaks.empty())
    return {};
  Value isAny;
  for (auto [k, top] : llvm::enumerate(most)) {
    state.peaks[k] = arith::MaximumFOp::create(b, state.peaks[k], top);
    Value limit = arith::AddFOp::create(b, state.maxima[k],
                                        constant(kFar / (unit * kLog2E)));
    Value isFar =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, top, limit);
    isAny = isAny ? arith::OrIOp::create(b, isAny, isFar).getResult() : isFar;
  }
  isAny = NVVM::VoteSyncOp::create(b, b.getI1Type(),
                                   arith::ConstantIntOp::create(b, -1, 32),
                                   isAny, NVVM::VoteSyncKind::any);
  for (auto [k, maximum] : llvm::enumerate(maxima))
    maximum = arith::SelectOp::create(b, isAny, maximum, state.maxima[k]);
  return isAny;
}

/// Exponentials of a tile, of which `weights` has x by row, behind `maxima`: these in the
/// place of x, what sums behind the maxima `before` are multiplied by, and, as the result,
/// their sums. A product whose difference is rounded alone takes one operation, and what is
/// taken away is then the power of two of the maximum as rounded: the same for all that is
/// added up, so nothing comes of that. Where it is large the exponential of the maximum could
/// be far from 1, and two maxima of which one is such would not agree: there the maximum is
/// taken away from x.
SmallVector<Value> GridBlocksEmitter::emitExponentials(Weights &weights,
                                                       ArrayRef<Value> before,
                                                       ArrayRef<Value> maxima) {
  Value factor = constant(unit * kLog2E);
  auto getLeast = [&](Value maximum) -> Value {
    Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum,
                                         constant(-kInfinity));
    return arith::SelectOp::create(b, isNone, constant(0), maximum);
  };
  auto getPower = [&](Value x) -> Value {
    return arith::MulFOp::create(b, x, factor);
  };
  SmallVector<Value> least, behind;
  Value most = constant(0);
  for (auto [old, maximum] : llvm::zip_equal(before, maxima)) {
    least.push_back(getLeast(maximum));
    behind.push_back(getPower(least.back()));
    for (Value power : {behind.back(), getPower(getLeast(old))})
      most = arith::MaximumFOp::create(b, most,
                                       math::AbsFOp::create(b, power));
  }
  Value isLarge = arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, most,
                                        constant(kLargePower));
  size_t rows = maxima.size(), count = 2 * rows;
  for (ArrayRef<Value> row : weights.rows)
    count += row.size();
  auto branch = scf::IfOp::create(b, SmallVector<Type>(count, b.getF32Type()),
                                  isLarge, /*withElseRegion=*/true);
  using Power = llvm::function_ref<Value(unsigned, Value)>;
  auto fill = [&](Block *block, Power ofScore, Power ofMaximum) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    SmallVector<Value> made, sums;
    for (auto [row, exponents] : llvm::enumerate(weights.rows)) {
      SmallVector<Value> exponentials;
      for (Value x : exponents)
        exponentials.push_back(powerOfTwo(ofScore(row, x)));
      sums.push_back(joinInPairs(b, exponentials, /*isMaximum=*/false));
      llvm::append_range(made, exponentials);
    }
    for (unsigned row = 0; row < rows; ++row)
      made.push_back(powerOfTwo(ofMaximum(row, before[row])));
    llvm::append_range(made, sums);
    scf::YieldOp::create(b, made);
  };
  auto subtract = [&](unsigned row, Value x) -> Value {
    return getPower(arith::SubFOp::create(b, x, least[row]));
  };
  fill(branch.thenBlock(), subtract, subtract);
  fill(
      branch.elseBlock(),
      [&](unsigned row, Value x) -> Value {
        return math::FmaOp::create(b, x, factor,
                                   arith::NegFOp::create(b, behind[row]));
      },
      [&](unsigned row, Value maximum) -> Value {
        return arith::SubFOp::create(b, getPower(maximum), behind[row]);
      });
  auto made = llvm::to_vector_of<Value>(branch.getResults());
  ArrayRef<Value> next = made;
  for (SmallVector<Value> &row : weights.rows) {
    size_t size = row.size();
    row = llvm::to_vector(next.take_front(size));
    next = next.drop_front(size);
  }
  weights.scales = llvm::to_vector(next.take_front(rows));
  return llvm::to_vector(next.drop_front(rows));
}

/// Weights of a tile; brings maxima and totals up to date.
FailureOr<GridBlocksEmitter::Weights>
GridBlocksEmitter::emitWeights(ArrayRef<Value> scores, Value firstColumn,
                               State &state) {
  Weights weights;
  SmallVector<Value> most, maxima;
  for (unsigned row = 0; row < rowIndices.size(); ++row) {
    auto exponents = emitExponents(row, scores, firstColumn);
    if (failed(exponents))
      return failure();
    most.push_back(combineQuad(joinInPairs(b, *exponents, /*isMaximum=*/true),
                               /*isMaximum=*/true));
    weights.rows.push_back(std::move(*exponents));
  }
  weights.isScaled = chooseMaxima(most, state, maxima);
  SmallVector<Value> sums = emitExponentials(weights, state.maxima, maxima);
  for (auto [row, sum] : llvm::enumerate(sums)) {
    Value total =
        arith::MulFOp::create(b, state.totals[row], weights.scales[row]);
    state.totals[row] = arith::AddFOp::create(b, total, sum);
    state.maxima[row] = maxima[row];
  }
  return weights;
}

void GridBlocksEmitter::scaleSums(const Weights &weights, State &state) {
  size_t perPart = state.sums.size() / getParts();
  SmallVector<Value> scaled;
  auto scaleAll = [&] {
    for (auto [k, sum] : llvm::enumerate(state.sums))
      scaled.push_back(arith::MulFOp::create(
          b, sum, weights.scales[k / perPart * 2 + k % kMmaSums / 2]));
  };
  if (!weights.isScaled) {
    scaleAll();
    state.sums = std::move(scaled);
    return;
  }
  auto branch = scf::IfOp::create(b, ValueRange(state.sums).getTypes(),
                                  weights.isScaled, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scaleAll();
  scf::YieldOp::create(b, scaled);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, state.sums);
  state.sums.assign(branch.getResults().begin(), branch.getResults().end());
}

/// Weights as left operands, by part, 16 columns and register.
SmallVector<Value> GridBlocksEmitter::packWeights(const Weights &weights) {
  SmallVector<SmallVector<Value>> rows;
  for (ArrayRef<Value> row : weights.rows)
    rows.push_back(pack(row));
  SmallVector<Value> words;
  for (int64_t part = 0; part < getParts(); ++part)
    for (size_t tile = 0; tile < rows[0].size(); ++tile)
      for (int64_t half : {0, 1})
        words.push_back(rows[part * 2 + half][tile]);
  return words;
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// A value of the row, which the four threads that have it know.
void GridBlocksEmitter::finishRowValue(Value result, const Position &position,
                                       Value value) {
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  if (value.getType() != getBodyType(element))
    value = toMemory(value, element);
  perPoint[result] = value;
  auto buffer = buffers.find(result);
  if (buffer == buffers.end())
    return;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, quadColumn,
                                        constantIndex(0));
  (void)emitIf(isFirst, [&] {
    unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
    store(buffer->second,
          linearAddress(buffer->second, getIdentityMap(context, rank)), position,
          value);
    return success();
  });
}

/// What exponentials are multiplied by in a row, of which the weights make `one` that.
FailureOr<Value> GridBlocksEmitter::emitFactor(unsigned row, Value one) {
  loop::PointwiseOp weights = online.weights;
  if (!weights)
    return one;
  staged = one;
  BodyEmitter body(*this, getRowPosition(weights.getDomain(), row));
  if (failed(body.emit(weights.getBody().front())))
    return failure();
  return body.get(online.weight);
}

/// The four threads that have a row exchange what they have of 32 columns: of two
/// neighbours in each eight, each gets the eight of its own number.
void GridBlocksEmitter::exchangeSums(unsigned row, State &state) {
  int64_t tiles = values.padded / kMmaColumns;
  Value number = bits(0, 2, 1), zero = constantIndex(0);
  for (int64_t first = 0; first + kExchanged <= values.width / kMmaColumns;
       first += kExchanged) {
    for (int64_t distance : {1, 2}) {
      Value bit = arith::AndIOp::create(b, number, constantIndex(distance));
      Value isUpper =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, zero);
      for (int64_t k = 0; k < kExchanged; ++k) {
        if (k & distance)
          continue;
        for (int64_t n = 0; n < 2; ++n) {
          auto at = [&](int64_t tile) -> Value & {
            return state.sums[((row / 2) * tiles + first + tile) * kMmaSums +
                              row % 2 * 2 + n];
          };
          Value &low = at(k), &high = at(k + distance);
          Value other = shuffleQuad(
              arith::SelectOp::create(b, isUpper, low, high), distance);
          low = arith::SelectOp::create(b, isUpper, other, low);
          high = arith::SelectOp::create(b, isUpper, high, other);
        }
      }
    }
  }
}

/// The sums of a row through the epilogue: eight neighbours at a time where
/// they were exchanged, else two, or one where a row ends between them.
LogicalResult GridBlocksEmitter::finishSums(unsigned row, Value factor,
                                            const State &state) {
  loop::ContractOp op = online.sums.op;
  unsigned columns = online.sums.shape.columns.dims.back();
  int64_t tiles = values.padded / kMmaColumns;
  auto finish = [&](int64_t tile, int64_t count, Value column, int64_t from,
                    int64_t each) {
    SmallVector<Value> sums;
    for (int64_t k = 0; k < count; ++k) {
      size_t first = ((row / 2) * tiles + tile + k) * kMmaSums + row % 2 * 2;
      for (Value sum : ArrayRef(state.sums).slice(first + from, each)) {
        sum = arith::MulFOp::create(b, sum, factor);
        if (isEmpty)
          sum = arith::SelectOp::create(b, isEmpty, constant(0), sum);
        sums.push_back(sum);
      }
    }
    int64_t lanes = sums.size();
    Position position = getPoint(online.sums);
    position.dims[*online.sums.shared.back()] = rowIndices[row];
    setDim(position, columns,
           add(column, constantIndex(tile * kMmaColumns + from)), lanes);
    position.multiple = lanes;
    Value value = sums.front();
    if (lanes > 1)
      value = vector::FromElementsOp::create(
          b, VectorType::get({lanes}, b.getF32Type()), sums);
    return storeSums(op, position, value);
  };
  int64_t tile = 0;
  for (; tile + kExchanged <= values.width / kMmaColumns; tile += kExchanged)
    if (failed(
            finish(tile, kExchanged, mul(quadColumn, kMmaColumns / 2), 0, 2)))
      return failure();
  for (; tile < values.width / kMmaColumns; ++tile)
    if (failed(finish(tile, 1, quadColumn, 0, 2)))
      return failure();
  int64_t rest = values.width % kMmaColumns;
  return rest == 0 ? success()
                   : storeLastColumns(rest, 2, [&](int64_t from, int64_t each) {
                       return finish(tile, 1, quadColumn, from, each);
                     });
}

/// Values of a row, from its maximum and total on, and then its sums.
LogicalResult GridBlocksEmitter::emitRow(unsigned row, const State &state) {
  return finishRow(row, combineQuad(state.totals[row], /*isMaximum=*/false),
                   state);
}

LogicalResult GridBlocksEmitter::finishRow(unsigned row, Value total,
                                           const State &state) {
  Value maximum = state.maxima[row], none = constant(-kInfinity);
  Value one = constant(1);
  if (!state.peaks.empty()) {
    // All weights are so much too large.
    Value peak = state.peaks[row];
    Value isSame =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum, peak);
    Value less = powerOfTwo(arith::MulFOp::create(
        b, arith::SubFOp::create(b, maximum, peak), constant(unit * kLog2E)));
    one = arith::SelectOp::create(b, isSame, one, less);
    total = arith::MulFOp::create(b, total, one);
    maximum = peak;
  }
  if (scaled)
    maximum = arith::MulFOp::create(b, maximum, constant(unit));
  Value isLost =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum, none);
  if (auto count = online.columns.getConstant(); !count || *count == 0) {
    isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                    getArgument(online.columns),
                                    constantIndex(0));
    Value no = arith::ConstantIntOp::create(b, 0, 1);
    isLost = arith::SelectOp::create(b, isEmpty, no, isLost);
  }
  Value nan = constant(std::numeric_limits<double>::quiet_NaN());
  total = arith::SelectOp::create(b, isLost, nan, total);
  one = arith::SelectOp::create(b, isLost, nan, one);
  return emitIf(rowInside[row], [&]() -> LogicalResult {
    finishRowValue(online.maximum->getResult(0),
                   getRowPosition(online.maximum.getDomain(), row),
                   maximum);
    finishRowValue(online.total->getResult(0),
                   getRowPosition(online.total.getDomain(), row), total);
    for (NestOpInterface nest : online.rows) {
      Position position = getRowPosition(nest.getDomain(), row);
      BodyEmitter body(*this, position);
      Block &block = nest->getRegion(0).front();
      if (failed(body.emit(block)))
        return failure();
      finishRowValue(nest->getResult(0), position,
                     body.get(block.getTerminator()->getOperand(0)));
    }
    auto factor = emitFactor(row, one);
    if (failed(factor) || failed(finishSums(row, *factor, state)))
      return failure();
    perPoint.clear(); // another row has other values
    return success();
  });
}

LogicalResult GridBlocksEmitter::finishRows(State state) {
  for (unsigned row = 0; row < rowIndices.size(); ++row)
    exchangeSums(row, state);
  for (unsigned row = 0; row < rowIndices.size(); ++row)
    if (failed(emitRow(row, state)))
      return failure();
  return success();
}
