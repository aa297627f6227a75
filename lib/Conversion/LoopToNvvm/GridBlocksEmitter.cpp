//===- GridBlocksEmitter.cpp - Two products in one walk -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridBlocks.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::BlockProduct;
using analysis::DimGroup;
using guard::ExprAttr;

/// Elements of 16 bits, bytes of one, and elements that a thread copies together: by so
/// many more a row in shared memory is apart from the next, that no two of eight
/// neighbours are in one bank.
static constexpr int64_t kWidth = 2, kCopied = 8;
/// Registers in which a thread keeps factors of its rows over the walk, at most.
static constexpr int64_t kMostKept = 32;

Value GridBlocksEmitter::getShared(Value bytes) {
  return LLVM::GEPOp::create(b, sharedBase.getType(), b.getI8Type(), sharedBase,
                             ArrayRef<LLVM::GEPArg>{toWord(bytes)});
}

/// `count` bits of the thread's number, from bit `from` on, times `scale`.
Value GridBlocksEmitter::bits(int64_t from, int64_t count, int64_t scale) {
  Value shifted =
      arith::DivUIOp::create(b, thread, constantIndex(int64_t(1) << from));
  return mul(arith::RemUIOp::create(b, shifted,
                                    constantIndex(int64_t(1) << count)),
             scale);
}

//===----------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------===//

LogicalResult GridBlocksEmitter::analyze() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
  StringRef why;
  auto found = analysis::getOnlineRows(kernel, strides, why);
  if (!found)
    return refuse(schedule) << "because " << why;
  why = analysis::whyNotCopied(*found);
  if (!why.empty())
    return refuse(schedule) << "because " << why;
  online = std::move(*found);
  factorType = analysis::getUnitType(online.scores.op, true);
  // Scores and weights are nowhere in memory.
  layout.remove_if(
      [&](const auto &entry) { return !buffers.count(entry.first); });
  countsPoints = false;
  reached.push_back(guard::product(context, sharedExtents));
  for (const BlockProduct *product : {&online.scores, &online.sums})
    for (const DimGroup *group :
         {&product->shape.rows, &product->shape.columns, &product->shape.sum})
      reached.push_back(group->extent);
  return success();
}

/// The point of the block in the domain of a product, its first row, column and sum.
Position GridBlocksEmitter::getPoint(const BlockProduct &product) {
  Position domain;
  domain.extents = ContractOp(product.op).getDomain().all();
  domain.dims.assign(domain.extents.size(), constantIndex(0));
  for (auto [k, dim] : llvm::enumerate(ArrayRef(product.shared).drop_back()))
    if (dim)
      domain.dims[*dim] = point.dims[k];
  return domain;
}

GridBlocksEmitter::Operand
GridBlocksEmitter::describe(const BlockProduct &product, unsigned k,
                            const DimGroup &rows, const DimGroup &inner) {
  ContractOp op = product.op;
  bool isLeft = (k == 0) != product.shape.exchanged;
  Operand operand;
  operand.memory = buffers.lookup(isLeft ? op.getLhs() : op.getRhs());
  operand.base = emitIndex(product.shape.addresses[k], getPoint(product));
  operand.step = rows.steps[k];
  operand.extent = rows.extent;
  operand.width = *inner.extent.getConstant();
  operand.padded = llvm::alignTo(operand.width, kMmaSum);
  operand.pitch = operand.padded + kCopied;
  return operand;
}

/// Which point and rows the block has. Blocks that run together have the same rows of
/// several points; those with the most columns come first.
void GridBlocksEmitter::enterBlock() {
  ArrayRef<ExprAttr> outer = ArrayRef(sharedExtents).drop_back();
  ExprAttr points = guard::product(context, llvm::to_vector(outer));
  ExprAttr rowExtent = sharedExtents.back();
  ExprAttr tiles = guard::ceilDiv(rowExtent, schedule.getRows());
  blocks = points * tiles;
  Value group = constantIndex(schedule.getGroup());
  Value size = mulExpr(group, tiles);
  Value first = arith::MulIOp::create(
      b, arith::DivUIOp::create(b, block, size), group);
  Value rest = arith::RemUIOp::create(b, block, size);
  Value height = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, getArgument(points), first), group);
  Value tile = arith::DivUIOp::create(b, rest, height);
  if (online.limit)
    tile = arith::SubIOp::create(
        b, getArgument(tiles), add(tile, constantIndex(1)));
  point.extents = sharedExtents;
  point.dims = delinearize(
      add(first, arith::RemUIOp::create(b, rest, height)), outer);
  point.dims.push_back({});
  firstRow = mul(tile, schedule.getRows());

  Value warp = arith::DivUIOp::create(b, thread, constantIndex(kWarp));
  partRow = mul(warp, schedule.getPartRows());
  quadRow = bits(2, 3, 1);
  quadColumn = bits(0, 2, 2);
  auto known = rowExtent.getConstant();
  bool isWhole = known && *known % schedule.getRows() == 0;
  Value last = arith::SubIOp::create(b, getArgument(rowExtent), constantIndex(1));
  for (int64_t k = 0; k < 2 * getParts(); ++k) {
    Value row = add(add(firstRow, partRow), add(quadRow, constantIndex(8 * k)));
    rowInside.push_back(isWhole ? Value() : arith::CmpIOp::create(
        b, arith::CmpIPredicate::sle, row, last));
    rowIndices.push_back(
        isWhole ? row : arith::MinSIOp::create(b, row, last).getResult());
  }
  columnEnd = getArgument(online.columns);
  if (!online.limit)
    return;
  Value behind = arith::MinSIOp::create(
      b, add(firstRow, constantIndex(schedule.getRows() - 1)), last);
  columnEnd = arith::MinSIOp::create(
      b, columnEnd, add(behind, constantIndex(online.limit->beyond)));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies `rows` rows, from row `first` on, to byte `stage` and the operand's place behind
/// it. What is not there becomes 0.
void GridBlocksEmitter::copy(const Operand &operand, int64_t rows, Value first,
                             Value stage) {
  int64_t perRow = operand.padded / kCopied, total = rows * perRow;
  auto extent = operand.extent.getConstant();
  bool hasAllRows = extent && *extent % rows == 0;
  Value bytes = arith::ConstantIntOp::create(b, kCopied * kWidth, 32);
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  for (int64_t done = 0; done < total; done += threads) {
    Value number = add(thread, constantIndex(done));
    Value isThere = done + threads > total
                        ? isLess(number, constantIndex(total))
                        : Value();
    (void)emitIf(isThere, [&] {
      Value row = arith::DivUIOp::create(b, number, constantIndex(perRow));
      Value column =
          mul(arith::RemUIOp::create(b, number, constantIndex(perRow)), kCopied);
      Value from = add(first, row), count;
      auto require = [&](Value condition) {
        count = arith::SelectOp::create(b, condition, count ? count : bytes,
                                        zero);
      };
      if (!hasAllRows)
        require(isLess(from, getArgument(operand.extent)));
      if (operand.padded != operand.width)
        require(isLess(column, constantIndex(operand.width)));
      Value offset = add(operand.base, add(mulExpr(from, operand.step), column));
      Value source = LLVM::GEPOp::create(
          b, operand.memory.pointer.getType(), factorType,
          operand.memory.pointer,
          ArrayRef<LLVM::GEPArg>{
              arith::IndexCastOp::create(b, b.getI64Type(), offset).getResult()});
      Value place = mul(add(mul(row, operand.pitch), column), kWidth);
      NVVM::CpAsyncOp::create(
          b, getShared(add(stage, add(place, constantIndex(operand.place)))),
          source, b.getI32IntegerAttr(kCopied * kWidth),
          NVVM::LoadCacheModifierKindAttr::get(
              context, NVVM::LoadCacheModifierKind::CG),
          count);
      return success();
    });
  }
}

void GridBlocksEmitter::copyTile(Value number, Value stage) {
  Value first = mul(number, schedule.getColumns());
  copy(right, schedule.getColumns(), first, stage);
  copy(values, schedule.getColumns(), first, stage);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Four matrices of 8 by 8 elements from byte `place` on. The second lies eight rows down
/// and the third eight columns to the right, or the other way about.
SmallVector<Value> GridBlocksEmitter::loadMatrices(Value place, int64_t pitch,
                                                   bool secondDown,
                                                   bool isTransposed) {
  Value low = bits(0, 3, 1), second = bits(3, 1, 8), third = bits(4, 1, 8);
  Value row = add(low, secondDown ? second : third);
  Value column = secondDown ? third : second;
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(context, {i32, i32, i32, i32});
  Value loaded = NVVM::LdMatrixOp::create(
      b, type,
      getShared(add(place, mul(add(mul(row, pitch), column), kWidth))),
      /*num=*/4, isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> words;
  for (int64_t k = 0; k < 4; ++k) {
    Value word = LLVM::ExtractValueOp::create(b, loaded, ArrayRef<int64_t>{k});
    if (factorType.isF16())
      word = LLVM::BitcastOp::create(b, VectorType::get({2}, factorType), word);
    words.push_back(word);
  }
  return words;
}

void GridBlocksEmitter::multiply(ArrayRef<Value> left, ArrayRef<Value> right,
                                 MutableArrayRef<Value> sums) {
  NVVM::MMATypes type =
      factorType.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Type result = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(kMmaSums, b.getF32Type()));
  Value made = NVVM::MmaOp::create(
      b, result, left, right, sums,
      ArrayRef<int64_t>{kMmaRows, kMmaColumns, kMmaSum}, std::nullopt,
      std::nullopt, std::array{type, type},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [k, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(b, made, ArrayRef<int64_t>{int64_t(k)});
}

/// The factors of a part's rows, by steps of 16.
SmallVector<SmallVector<Value>> GridBlocksEmitter::loadLeft(int64_t part) {
  SmallVector<SmallVector<Value>> steps;
  for (int64_t k = 0; k < left.padded; k += kMmaSum) {
    Value row = add(partRow, constantIndex(part * kMmaRows));
    Value place = add(mul(row, left.pitch * kWidth),
                      constantIndex(left.place + k * kWidth));
    steps.push_back(loadMatrices(place, left.pitch, /*secondDown=*/true,
                                 /*isTransposed=*/false));
  }
  return steps;
}

/// Scores of all parts, eight columns and register.
SmallVector<Value> GridBlocksEmitter::multiplyScores(Value stage) {
  int64_t tiles = schedule.getColumns() / kMmaColumns;
  SmallVector<Value> scores(getParts() * tiles * kMmaSums, constant(0));
  for (int64_t k = 0; k < right.padded / kMmaSum; ++k) {
    SmallVector<SmallVector<Value>> factors;
    for (int64_t part = 0; part < getParts(); ++part)
      factors.push_back(keptLeft.empty() ? loadLeft(part)[k]
                                         : keptLeft[part][k]);
    for (int64_t pair = 0; pair < tiles / 2; ++pair) {
      int64_t more = right.place +
                     (pair * 2 * kMmaColumns * right.pitch + k * kMmaSum) * kWidth;
      SmallVector<Value> words =
          loadMatrices(add(stage, constantIndex(more)), right.pitch,
                       /*secondDown=*/false, /*isTransposed=*/false);
      for (int64_t n = 0; n < 2; ++n)
        for (int64_t part = 0; part < getParts(); ++part)
          multiply(factors[part], ArrayRef(words).slice(2 * n, 2),
                   MutableArrayRef(scores).slice(
                       ((part * tiles) + pair * 2 + n) * kMmaSums, kMmaSums));
    }
  }
  return scores;
}

/// Adds weights times values to the sums. The weights are words, by part, eight columns
/// and row.
void GridBlocksEmitter::addSums(Value stage, ArrayRef<Value> weights,
                                State &state) {
  int64_t steps = schedule.getColumns() / kMmaSum;
  int64_t tiles = values.padded / kMmaColumns;
  for (int64_t k = 0; k < steps; ++k)
    for (int64_t pair = 0; pair < tiles / 2; ++pair) {
      int64_t more = values.place +
                     (k * kMmaSum * values.pitch + pair * 2 * kMmaColumns) * kWidth;
      SmallVector<Value> words =
          loadMatrices(add(stage, constantIndex(more)), values.pitch,
                       /*secondDown=*/true, /*isTransposed=*/true);
      for (int64_t n = 0; n < 2; ++n)
        for (int64_t part = 0; part < getParts(); ++part)
          multiply(weights.slice((part * steps + k) * 4, 4),
                   ArrayRef(words).slice(2 * n, 2),
                   MutableArrayRef(state.sums)
                       .slice((part * tiles + pair * 2 + n) * kMmaSums,
                              kMmaSums));
    }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

FailureOr<GridBlocksEmitter::State> GridBlocksEmitter::emitWalk() {
  int64_t stages = schedule.getStages();
  Value zero = constantIndex(0), one = constantIndex(1);
  Value steps = arith::DivUIOp::create(
      b, add(columnEnd, constantIndex(schedule.getColumns() - 1)),
      constantIndex(schedule.getColumns()));
  int64_t stageBegin = left.place + schedule.getRows() * left.pitch * kWidth;
  copy(left, schedule.getRows(), firstRow, zero);
  for (int64_t k = 0; k + 1 < stages; ++k) {
    (void)emitIf(isLess(constantIndex(k), steps), [&] {
      copyTile(constantIndex(k), constantIndex(stageBegin + k * stageBytes));
      return success();
    });
    NVVM::CpAsyncCommitGroupOp::create(b);
  }
  int64_t words = left.padded / kMmaSum * 4 * getParts();
  if (words <= kMostKept) {
    NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
    NVVM::Barrier0Op::create(b);
    for (int64_t part = 0; part < getParts(); ++part)
      keptLeft.push_back(loadLeft(part));
  }
  unsigned rows = 2 * getParts();
  int64_t sums = getParts() * values.padded / kMmaColumns * kMmaSums;
  SmallVector<Value> carried = {
      constantIndex(stageBegin),
      constantIndex(stageBegin + (stages - 1) * stageBytes)};
  carried.append(rows, constant(-std::numeric_limits<double>::infinity()));
  carried.append(rows + sums, constant(0));
  auto loop = scf::ForOp::create(b, zero, steps, one, carried);
  auto getState = [&](ValueRange values) {
    State state;
    state.maxima = values.slice(2, rows);
    state.totals = values.slice(2 + rows, rows);
    state.sums = values.drop_front(2 + 2 * rows);
    return state;
  };
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value read = loop.getRegionIterArg(0), write = loop.getRegionIterArg(1);
  // After this, everybody's copies for this tile are there, and nobody reads what was
  // multiplied last, which is overwritten next.
  NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
  NVVM::Barrier0Op::create(b);
  Value number = loop.getInductionVar();
  Value ahead = add(number, constantIndex(stages - 1));
  (void)emitIf(isLess(ahead, steps), [&] {
    copyTile(ahead, write);
    return success();
  });
  NVVM::CpAsyncCommitGroupOp::create(b);
  State state = getState(loop.getRegionIterArgs());
  auto weights = emitWeights(multiplyScores(read),
                             mul(number, schedule.getColumns()), state);
  if (failed(weights))
    return failure();
  addSums(read, *weights, state);
  Value end = constantIndex(stageBegin + stages * stageBytes);
  SmallVector<Value> next;
  for (Value place : {read, write}) {
    Value moved = add(place, constantIndex(stageBytes));
    Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, moved, end);
    next.push_back(arith::SelectOp::create(b, isEnd, constantIndex(stageBegin),
                                           moved));
  }
  for (ArrayRef<Value> part : {ArrayRef<Value>(state.maxima),
                               ArrayRef<Value>(state.totals),
                               ArrayRef<Value>(state.sums)})
    llvm::append_range(next, part);
  scf::YieldOp::create(b, next);
  return getState(loop.getResults());
}

LogicalResult GridBlocksEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  sharedBase = getSharedMemory();
  enterBlock();
  const auto &scores = online.scores.shape, &sums = online.sums.shape;
  left = describe(online.scores, 0, scores.rows, scores.sum);
  right = describe(online.scores, 1, scores.columns, scores.sum);
  values = describe(online.sums, 1, sums.sum, sums.columns);
  values.place = schedule.getColumns() * right.pitch * kWidth;
  stageBytes =
      values.place + schedule.getColumns() * values.pitch * kWidth;
  sharedBytes = schedule.getRows() * left.pitch * kWidth +
                schedule.getStages() * stageBytes;
  auto state = emitWalk();
  if (failed(state))
    return failure();
  for (unsigned row = 0; row < rowIndices.size(); ++row)
    if (failed(emitRow(row, *state)))
      return failure();
  return success();
}
