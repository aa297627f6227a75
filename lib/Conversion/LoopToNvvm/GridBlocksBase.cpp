//===- GridBlocksBase.cpp - Tiles of products with rows between them ------===//
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::BlockProduct;
using analysis::DimGroup;
using guard::ExprAttr;

/// Elements that a thread copies together: by so many more a row in shared memory is
/// apart from the next, that no two of eight neighbours are in one bank.
static constexpr int64_t kCopied = 8;

Value GridBlocksBase::constant(double value) {
  return arith::ConstantOp::create(
      b, b.getF32FloatAttr(static_cast<float>(value)));
}

Value GridBlocksBase::getShared(Value bytes) {
  return LLVM::GEPOp::create(b, sharedBase.getType(), b.getI8Type(), sharedBase,
                             ArrayRef<LLVM::GEPArg>{toWord(bytes)});
}

/// `count` bits of the thread's number, from bit `from` on, times `scale`.
Value GridBlocksBase::bits(int64_t from, int64_t count, int64_t scale) {
  Value shifted =
      arith::DivUIOp::create(b, thread, constantIndex(int64_t(1) << from));
  return mul(arith::RemUIOp::create(b, shifted,
                                    constantIndex(int64_t(1) << count)),
             scale);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The point of the block in the domain of a product, its first row, column and sum.
Position GridBlocksBase::getPoint(const BlockProduct &product) {
  Position domain;
  domain.extents = ContractOp(product.op).getDomain().all();
  domain.dims.assign(domain.extents.size(), constantIndex(0));
  for (auto [k, dim] : llvm::enumerate(ArrayRef(product.shared).drop_back()))
    if (dim)
      domain.dims[*dim] = point.dims[k];
  return domain;
}

LogicalResult GridBlocksBase::storeSums(ContractOp op, const Position &at,
                                        Value sums) {
  if (!op.getEpilogue().empty()) {
    BodyEmitter body(*this, at);
    Block &block = op.getEpilogue().front();
    if (failed(body.emit(block, {sums})))
      return failure();
    sums = body.getWide(block.getTerminator()->getOperand(0));
  }
  const Buffer &buffer = buffers.find(op.getResult())->second;
  unsigned rank = getExprs(op.getParallelExtents()).size();
  store(buffer, linearAddress(buffer, getIdentityMap(context, rank)), at, sums);
  return success();
}

LogicalResult GridBlocksBase::storeLastColumns(
    int64_t count, int64_t lanes,
    llvm::function_ref<LogicalResult(int64_t, int64_t)> store) {
  if (count % lanes != 0)
    lanes = 1;
  for (int64_t from = 0; from < 2; from += lanes) {
    Value isThere =
        isLess(add(quadColumn, constantIndex(from)), constantIndex(count));
    if (failed(emitIf(isThere, [&] { return store(from, lanes); })))
      return failure();
  }
  return success();
}

GridBlocksBase::Operand
GridBlocksBase::describe(const BlockProduct &product, unsigned k,
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

/// Copies `rows` rows, from row `first` on, to byte `stage` and the operand's place behind
/// it. What is not there becomes 0.
void GridBlocksBase::copy(const Operand &operand, int64_t rows, Value first,
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
      if (int64_t rest = operand.width % kCopied) {
        // What follows the row in the last 16 bytes stays where it is.
        Value isLast =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, column,
                                  constantIndex(operand.width - rest));
        Value most = arith::ConstantIntOp::create(b, rest * kWidth, 32);
        count = arith::SelectOp::create(
            b, isLast, arith::MinUIOp::create(b, count, most), count);
      }
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Four matrices of 8 by 8 elements from byte `place` on. The second lies eight rows down
/// and the third eight columns to the right, or the other way about.
SmallVector<Value> GridBlocksBase::loadMatrices(Value place, int64_t pitch,
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

void GridBlocksBase::multiply(ArrayRef<Value> left, ArrayRef<Value> right,
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

/// Factors of the warp's rows of a part, 16 of a row from element `k` on.
SmallVector<Value> GridBlocksBase::loadLeft(const Operand &left, int64_t part,
                                            int64_t k) {
  Value row = add(partRow, constantIndex(part * kMmaRows));
  Value place = add(mul(row, left.pitch * kWidth),
                    constantIndex(left.place + k * kWidth));
  return loadMatrices(place, left.pitch, /*secondDown=*/true,
                      /*isTransposed=*/false);
}

/// Scores of all parts, eight columns and register. `kept` has factors of the rows by
/// part and step, if it is not empty.
SmallVector<Value> GridBlocksBase::multiplyScores(const Operand &left,
                                                  const Operand &right,
                                                  Value stage,
                                                  const KeptFactors &kept) {
  int64_t tiles = schedule.getColumns() / kMmaColumns;
  SmallVector<Value> scores(getParts() * tiles * kMmaSums, constant(0));
  for (int64_t k = 0; k < right.padded / kMmaSum; ++k) {
    SmallVector<SmallVector<Value>> factors;
    for (int64_t part = 0; part < getParts(); ++part)
      factors.push_back(kept.empty() ? loadLeft(left, part, k * kMmaSum)
                                     : kept[part][k]);
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
void GridBlocksBase::addSums(const Operand &values, Value stage,
                             ArrayRef<Value> weights,
                             MutableArrayRef<Value> sums) {
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
                   sums.slice((part * tiles + pair * 2 + n) * kMmaSums,
                              kMmaSums));
    }
}

/// Which point, and which of `tiles` tiles of it, the block has. Blocks that run
/// together have the same tile of several points.
Value GridBlocksBase::enterPoint(ExprAttr tiles, bool isLastFirst) {
  ArrayRef<ExprAttr> outer = ArrayRef(sharedExtents).drop_back();
  ExprAttr points = guard::product(context, llvm::to_vector(outer));
  blocks = points * tiles;
  Value group = constantIndex(schedule.getGroup());
  Value size = mulExpr(group, tiles);
  Value first = arith::MulIOp::create(
      b, arith::DivUIOp::create(b, block, size), group);
  Value rest = arith::RemUIOp::create(b, block, size);
  Value height = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, getArgument(points), first), group);
  Value tile = arith::DivUIOp::create(b, rest, height);
  if (isLastFirst)
    tile = arith::SubIOp::create(
        b, getArgument(tiles), add(tile, constantIndex(1)));
  point.extents = sharedExtents;
  point.dims = delinearize(
      add(first, arith::RemUIOp::create(b, rest, height)), outer);
  point.dims.push_back({});
  return tile;
}

/// Where this thread's rows are, of `extent` from `firstRow` on; those that are not
/// there are the last one.
void GridBlocksBase::enterRows(ExprAttr extent) {
  Value warp = arith::DivUIOp::create(b, thread, constantIndex(kWarp));
  partRow = mul(warp, schedule.getPartRows());
  quadRow = bits(2, 3, 1);
  quadColumn = bits(0, 2, 2);
  auto known = extent.getConstant();
  bool isWhole = known && *known % schedule.getRows() == 0;
  Value last = arith::SubIOp::create(b, getArgument(extent), constantIndex(1));
  for (int64_t k = 0; k < 2 * getParts(); ++k) {
    Value row = add(add(firstRow, partRow), add(quadRow, constantIndex(8 * k)));
    rowInside.push_back(isWhole ? Value() : arith::CmpIOp::create(
        b, arith::CmpIPredicate::sle, row, last));
    rowIndices.push_back(
        isWhole ? row : arith::MinSIOp::create(b, row, last).getResult());
  }
}

/// True for a comparison `column <= row + more` that holds in every tile whose
/// columns are all inside the limit of all its rows, if the one at hand is
/// such.
bool GridBlocksBase::isWithin(
    ExprAttr condition, const std::optional<analysis::ColumnLimit> &limit) {
  if (!isInner || !limit ||
      (condition.getKind() != guard::ExprKind::Le &&
       condition.getKind() != guard::ExprKind::Lt))
    return false;
  bool isLe = condition.getKind() == guard::ExprKind::Le;
  ExprAttr difference = condition.getOperand(1) - condition.getOperand(0);
  ExprAttr more = difference - guard::getDim(context, rowDim) +
                  guard::getDim(context, columnDim);
  auto known = more.getConstant();
  return known && *known - !isLe >= limit->beyond - 1;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// By the instruction, within two units in the last place of f32.
Value GridBlocksBase::powerOfTwo(Value x) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
             ValueRange{x})
      .getResult(0);
}

/// The value, of 32 bits, of one of the four threads that have a row together: of the one
/// whose number differs in the bits of `distance`.
Value GridBlocksBase::shuffleQuad(Value value, int64_t distance) {
  Type i32 = b.getI32Type();
  auto word = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(b, number, 32);
  };
  Value other = NVVM::ShflOp::create(
      b, i32, word(-1), arith::BitcastOp::create(b, i32, value), word(distance),
      word(kWarp - 1), NVVM::ShflKind::bfly, UnitAttr());
  return arith::BitcastOp::create(b, value.getType(), other);
}

/// Weights of a row rounded to the type of what they are multiplied by, two a word.
SmallVector<Value> GridBlocksBase::pack(ArrayRef<Value> weights) {
  auto wide = VectorType::get({2}, b.getF32Type());
  auto narrow = VectorType::get({2}, factorType);
  SmallVector<Value> words;
  for (size_t k = 0; k < weights.size(); k += 2) {
    Value pair = vector::FromElementsOp::create(b, wide, weights.slice(k, 2));
    Value word = arith::TruncFOp::create(b, narrow, pair);
    if (factorType.isBF16())
      word = LLVM::BitcastOp::create(b, b.getI32Type(), word);
    words.push_back(word);
  }
  return words;
}
