//===- ProductUnits.cpp - Steps of a product in registers -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

SmallVector<Value> GridProductEmitter::getZeros() {
  int64_t count = schedule.getPartRows() * schedule.getPartColumns();
  if (schedule.getUnit() == ProductUnit::Mma)
    count /= kWarp;
  Value zero =
      arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(sumType)));
  return SmallVector<Value>(count, zero);
}

/// The sums of this thread after one step.
SmallVector<Value> GridProductEmitter::multiply(Value stage, ValueRange sums) {
  return schedule.getUnit() == ProductUnit::Fma
             ? multiplyFma(stage, llvm::to_vector(sums))
             : multiplyMma(stage, llvm::to_vector(sums));
}

void GridProductEmitter::storeSums(ValueRange sums) {
  if (schedule.getUnit() == ProductUnit::Fma)
    storeFmaSums(sums);
  else
    storeMmaSums(sums);
}

//===----------------------------------------------------------------------===//
// Fused multiplications and additions
//===----------------------------------------------------------------------===//

namespace {
/// Which rows (or columns) a thread has: `lanes` neighbours, then as many behind those
/// of all other threads, and so on, so that threads read neighbours in shared memory.
struct Spread {
  Spread(int64_t part, int64_t extent, Type type)
      : lanes(std::min<int64_t>(part, 16 / bytesOf(type))),
        pieces(part / lanes), stride(extent / pieces) {}
  int64_t lanes, pieces, stride;
};
} // namespace

/// The elements of one k that a thread multiplies.
SmallVector<Value> GridProductEmitter::loadParts(const Operand &operand,
                                                 Value stage, Value first,
                                                 int64_t sum) {
  int64_t width = bytesOf(operand.type);
  int64_t part = operand.number == 0 ? schedule.getPartRows()
                                     : schedule.getPartColumns();
  Spread spread(part, operand.extent, operand.type);
  auto type = VectorType::get({spread.lanes}, operand.type);
  SmallVector<Value> values;
  Value place = add(stage, mul(first, width));
  for (int64_t piece = 0; piece < spread.pieces; ++piece) {
    int64_t more = operand.place +
                   (sum * operand.pitch + piece * spread.stride) * width;
    Value loaded = LLVM::LoadOp::create(b, type, getShared(place, more),
                                        spread.lanes * width);
    for (int64_t k = 0; k < spread.lanes; ++k)
      values.push_back(
          vector::ExtractOp::create(b, loaded, ArrayRef<int64_t>{k}));
  }
  return values;
}

/// The first row and column of a thread. A warp has a rectangle of 4 by 8
/// threads where the tile has room for them: its threads read fewer different
/// rows and columns together than those of two long lines would.
static std::pair<Value, Value> getFirst(ImplicitLocOpBuilder &b, Value thread,
                                        GPUProductScheduleAttr schedule,
                                        Type type) {
  constexpr int64_t high = 4, wide = kWarp / high;
  int64_t across = schedule.getColumns() / schedule.getPartColumns();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value row = arith::DivUIOp::create(b, thread, constant(across));
  Value column = arith::RemUIOp::create(b, thread, constant(across));
  if (across % wide == 0 &&
      schedule.getRows() / schedule.getPartRows() % high == 0) {
    Value lane = arith::RemUIOp::create(b, thread, constant(kWarp));
    Value warp = arith::DivUIOp::create(b, thread, constant(kWarp));
    Value perRow = constant(across / wide);
    auto join = [&](Value outer, Value inner, int64_t extent) -> Value {
      Value first = arith::MulIOp::create(b, outer, constant(extent));
      return arith::AddIOp::create(b, first, inner);
    };
    row = join(arith::DivUIOp::create(b, warp, perRow),
               arith::DivUIOp::create(b, lane, constant(wide)), high);
    column = join(arith::RemUIOp::create(b, warp, perRow),
                  arith::RemUIOp::create(b, lane, constant(wide)), wide);
  }
  auto scale = [&](Value index, int64_t part, int64_t extent) -> Value {
    return arith::MulIOp::create(b, index,
                                 constant(Spread(part, extent, type).lanes));
  };
  return {scale(row, schedule.getPartRows(), schedule.getRows()),
          scale(column, schedule.getPartColumns(), schedule.getColumns())};
}

SmallVector<Value> GridProductEmitter::multiplyFma(Value stage,
                                                   SmallVector<Value> sums) {
  auto [row, column] = getFirst(b, thread, schedule, sumType);
  for (int64_t k = 0; k < schedule.getSum(); ++k) {
    SmallVector<Value> left = loadParts(operands[0], stage, row, k);
    SmallVector<Value> right = loadParts(operands[1], stage, column, k);
    for (auto [i, x] : llvm::enumerate(left))
      for (auto [j, y] : llvm::enumerate(right)) {
        Value &sum = sums[i * right.size() + j];
        sum = math::FmaOp::create(b, x, y, sum);
      }
  }
  return sums;
}

void GridProductEmitter::storeFmaSums(ValueRange sums) {
  auto [row, column] = getFirst(b, thread, schedule, sumType);
  Spread rows(schedule.getPartRows(), schedule.getRows(), sumType);
  Spread columns(schedule.getPartColumns(), schedule.getColumns(), sumType);
  auto type = VectorType::get({columns.lanes}, sumType);
  int64_t width = bytesOf(sumType), pitch = getSumPitch();
  Value place = mul(add(mul(row, pitch), column), width);
  for (int64_t i = 0; i < schedule.getPartRows(); ++i)
    for (int64_t piece = 0; piece < columns.pieces; ++piece) {
      int64_t down = i / rows.lanes * rows.stride + i % rows.lanes;
      size_t first = i * schedule.getPartColumns() + piece * columns.lanes;
      Value vector = vector::FromElementsOp::create(
          b, type, sums.slice(first, columns.lanes));
      LLVM::StoreOp::create(
          b, vector,
          getShared(place, (down * pitch + piece * columns.stride) * width),
          columns.lanes * width);
    }
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

/// Four matrices of 8 rows of 16 bytes, of which each thread has one word: 16 of A's rows
/// by 32 bytes of the sum, or 16 of B's columns by as many. The order of the four is that
/// in which `mma.sync` takes the operand's registers.
SmallVector<Value> GridProductEmitter::loadMatrices(const Operand &operand,
                                                    Value stage, Value across,
                                                    int64_t sum) {
  auto bits = [&](int64_t from, int64_t count, int64_t scale) -> Value {
    Value shifted =
        arith::DivUIOp::create(b, thread, constantIndex(int64_t(1) << from));
    return mul(arith::RemUIOp::create(b, shifted,
                                      constantIndex(int64_t(1) << count)),
               scale);
  };
  bool isLeft = operand.number == 0;
  int64_t half = 16 / bytesOf(operand.type);
  // Threads 0..7 say where the rows of the first matrix are, 8..15 of the second, ...
  Value low = bits(0, 3, 1);
  Value inAcross = bits(isLeft ? 3 : 4, 1, 8), inSum = bits(isLeft ? 4 : 3, 1, half);
  (operand.keepsSum ? inAcross : inSum) =
      add(operand.keepsSum ? inAcross : inSum, low);
  Value row = operand.keepsSum ? add(across, inAcross)
                               : add(inSum, constantIndex(sum));
  Value column = operand.keepsSum ? add(inSum, constantIndex(sum))
                                  : add(across, inAcross);
  Value place = add(stage, mul(add(mul(row, operand.pitch), column),
                               bytesOf(operand.type)));
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(context, {i32, i32, i32, i32});
  Value loaded = NVVM::LdMatrixOp::create(
      b, type, getShared(place, operand.place), /*num=*/4,
      operand.keepsSum ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> words;
  for (int64_t k = 0; k < 4; ++k) {
    Value word = LLVM::ExtractValueOp::create(b, loaded, ArrayRef<int64_t>{k});
    if (operand.type.isF16())
      word = LLVM::BitcastOp::create(b, VectorType::get({2}, operand.type), word);
    words.push_back(word);
  }
  return words;
}

/// The same for f32 whose neighbours in shared memory lie across: no instruction
/// transposes them, each word is read by itself.
SmallVector<Value> GridProductEmitter::loadElements(const Operand &operand,
                                                    Value stage, Value across,
                                                    int64_t sum) {
  int64_t width = bytesOf(operand.type);
  Value lane = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value four = constantIndex(4);
  Value row = arith::RemUIOp::create(b, lane, four);
  Value column = add(across, arith::DivUIOp::create(b, lane, four));
  Value place =
      add(stage, mul(add(mul(row, operand.pitch), column), width));
  SmallVector<Value> words;
  for (int64_t k = 0; k < 4; ++k) {
    int64_t isBelow = operand.number == 0 ? k / 2 : k % 2;
    int64_t isBeside = operand.number == 0 ? k % 2 : k / 2;
    int64_t more = (sum + isBelow * 4) * operand.pitch + isBeside * 8;
    words.push_back(LLVM::LoadOp::create(
        b, b.getI32Type(), getShared(place, operand.place + more * width),
        width));
  }
  return words;
}

void loop::roundWords(ImplicitLocOpBuilder &b, MutableArrayRef<Value> words) {
  for (Value &word : words)
    word = NVVM::ConvertFloatToTF32Op::create(
        b, b.getI32Type(), LLVM::BitcastOp::create(b, b.getF32Type(), word),
        NVVM::FPRoundingMode::RNA, NVVM::SaturationMode::NONE, /*relu=*/false);
}

static NVVM::MMATypes getMmaType(Type factor, bool isUnsigned) {
  if (factor.isInteger(8))
    return isUnsigned ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
  return factor.isF32()   ? NVVM::MMATypes::tf32
         : factor.isF16() ? NVVM::MMATypes::f16
                          : NVVM::MMATypes::bf16;
}

SmallVector<Value> GridProductEmitter::multiplyMma(Value stage,
                                                   SmallVector<Value> sums) {
  int64_t partRows = schedule.getPartRows();
  int64_t partColumns = schedule.getPartColumns();
  Value warp = arith::DivUIOp::create(b, thread, constantIndex(kWarp));
  Value perRow = constantIndex(schedule.getColumns() / partColumns);
  Value row = mul(arith::DivUIOp::create(b, warp, perRow), partRows);
  Value column = mul(arith::RemUIOp::create(b, warp, perRow), partColumns);
  bool isRounded = operands[0].type.isF32();
  std::array types = {getMmaType(operands[0].type, isUnsigned(0)),
                      getMmaType(operands[1].type, isUnsigned(1))};
  // Integers do not stay at the largest one.
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (isa<IntegerType>(sumType))
    overflow = NVVM::MMAIntOverflow::wrapped;
  const int64_t depth = kMmaSumBytes / bytesOf(operands[0].type);
  const size_t parts = copiesAhead() ? 1 : 2;
  auto load = [&](const Operand &operand, Value across, int64_t sum) {
    SmallVector<Value> words =
        isRounded && !operand.keepsSum
            ? loadElements(operand, stage, across, sum)
            : loadMatrices(operand, stage, across, sum);
    if (isRounded)
      roundWords(b, words);
    return words;
  };
  Type result =
      LLVM::LLVMStructType::getLiteral(context, SmallVector<Type>(4, sumType));
  for (int64_t k = 0; k < schedule.getSum(); k += depth) {
    SmallVector<SmallVector<Value>> left, right;
    for (int64_t i = 0; i < partRows; i += kMmaRows)
      left.push_back(load(operands[0], add(row, constantIndex(i)), k));
    for (int64_t j = 0; j < partColumns; j += 2 * kMmaColumns) {
      SmallVector<Value> words =
          load(operands[1], add(column, constantIndex(j)), k);
      right.push_back({words[0], words[1]});
      right.push_back({words[2], words[3]});
    }
    auto multiply = [&](ArrayRef<Value> x, ArrayRef<Value> y, int64_t first,
                        int64_t sum) {
      Value made = NVVM::MmaOp::create(
          b, result, x, y, ArrayRef(sums).slice(first, kMmaSums),
          ArrayRef<int64_t>{kMmaRows, kMmaColumns, sum}, std::nullopt, overflow,
          types, std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (int64_t n = 0; n < kMmaSums; ++n)
        sums[first + n] =
            LLVM::ExtractValueOp::create(b, made, ArrayRef<int64_t>{n});
    };
    // Units of sm_75 take half of the sum at a time, whose words are neighbours.
    for (size_t part = 0; part < parts; ++part) {
      auto getPart = [&](ArrayRef<Value> words) {
        size_t count = words.size() / parts;
        return words.slice(part * count, count);
      };
      size_t first = 0;
      for (const auto &x : left)
        for (const auto &y : right) {
          multiply(getPart(x), getPart(y), first, depth / parts);
          first += kMmaSums;
        }
    }
  }
  return sums;
}

/// Thread t of a warp has two neighbours in row t / 4 of each 16 by 8 sums, and two
/// eight rows below.
void GridProductEmitter::storeMmaSums(ValueRange sums) {
  int64_t partRows = schedule.getPartRows();
  int64_t partColumns = schedule.getPartColumns();
  int64_t width = bytesOf(sumType), pitch = getSumPitch();
  Value warp = arith::DivUIOp::create(b, thread, constantIndex(kWarp));
  Value lane = arith::RemUIOp::create(b, thread, constantIndex(kWarp));
  Value perRow = constantIndex(schedule.getColumns() / partColumns);
  Value four = constantIndex(4);
  Value row = add(mul(arith::DivUIOp::create(b, warp, perRow), partRows),
                  arith::DivUIOp::create(b, lane, four));
  Value column = add(mul(arith::RemUIOp::create(b, warp, perRow), partColumns),
                     mul(arith::RemUIOp::create(b, lane, four), 2));
  Value place = mul(add(mul(row, pitch), column), width);
  auto type = VectorType::get({2}, sumType);
  size_t first = 0;
  for (int64_t i = 0; i < partRows; i += kMmaRows)
    for (int64_t j = 0; j < partColumns; j += kMmaColumns)
      for (int64_t below : {0, 8}) {
        Value pair = vector::FromElementsOp::create(b, type, sums.slice(first, 2));
        LLVM::StoreOp::create(
            b, pair, getShared(place, ((i + below) * pitch + j) * width),
            2 * width);
        first += 2;
      }
}
