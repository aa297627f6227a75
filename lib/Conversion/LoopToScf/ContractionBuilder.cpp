//===- ContractionBuilder.cpp - Addresses, masks and loops ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kiln::loop;
using namespace mlir;

ContractionBuilder::ContractionBuilder(OpBuilder &b, Location loc,
                                       const ContractionSpec &spec,
                                       int64_t lanes, bool masked)
    : b(b), loc(loc), spec(spec), lanes(lanes), masked(masked),
      sumBytes(spec.sumType.getIntOrFloatBitWidth() / 8),
      sums(VectorType::get({lanes}, spec.sumType)) {}

/// The value of an i64 constant.
static std::optional<int64_t> known(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

Value ContractionBuilder::constant(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

/// Null unless it is known whether the condition holds.
static std::optional<bool> holds(Value condition) {
  APInt flag;
  if (condition.getType().isInteger(1) &&
      matchPattern(condition, m_ConstantInt(&flag)))
    return !flag.isZero();
  return std::nullopt;
}

Value ContractionBuilder::flag(bool value) {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(value));
}

Value ContractionBuilder::get(const Extent &extent) {
  return extent.constant ? constant(*extent.constant) : extent.value;
}

Value ContractionBuilder::add(Value x, Value y) {
  auto cx = known(x), cy = known(y);
  if (cx && cy)
    return constant(*cx + *cy);
  if (cx == 0)
    return y;
  if (cy == 0)
    return x;
  return arith::AddIOp::create(b, loc, x, y);
}

Value ContractionBuilder::sub(Value x, Value y) {
  auto cx = known(x), cy = known(y);
  if (cx && cy)
    return constant(*cx - *cy);
  return cy == 0 ? x : arith::SubIOp::create(b, loc, x, y).getResult();
}

Value ContractionBuilder::mul(Value x, Value y) {
  auto cx = known(x), cy = known(y);
  if (cx && cy)
    return constant(*cx * *cy);
  if (cx == 0 || cy == 0)
    return constant(0);
  if (cx == 1)
    return y;
  if (cy == 1)
    return x;
  return arith::MulIOp::create(b, loc, x, y);
}

Value ContractionBuilder::min(Value x, Value y) {
  auto cx = known(x), cy = known(y);
  if (cx && cy)
    return constant(std::min(*cx, *cy));
  return arith::MinSIOp::create(b, loc, x, y);
}

Value ContractionBuilder::ceilDiv(Value x, int64_t y) {
  return div(add(x, y - 1), constant(y));
}

Value ContractionBuilder::div(Value x, Value y) {
  auto cx = known(x), cy = known(y);
  if (cx && cy && *cy)
    return constant(*cx / *cy);
  return cy == 1 ? x : arith::DivUIOp::create(b, loc, x, y).getResult();
}

Value ContractionBuilder::rem(Value x, Value y) {
  auto cx = known(x), cy = known(y);
  if (cx && cy && *cy)
    return constant(*cx % *cy);
  return cy == 1 ? constant(0) : arith::RemUIOp::create(b, loc, x, y);
}

Value ContractionBuilder::less(Value x, Value y) {
  auto cx = known(x), cy = known(y);
  if (cx && cy)
    return flag(*cx < *cy);
  if (x == y)
    return flag(false);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}

Value ContractionBuilder::equal(Value x, Value y) {
  if (!isa<VectorType>(x.getType())) {
    auto cx = known(x), cy = known(y);
    if (cx && cy)
      return flag(*cx == *cy);
    if (x == y)
      return flag(true);
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
}

Value ContractionBuilder::both(Value x, Value y) {
  for (auto [one, other] : {std::pair(x, y), std::pair(y, x)})
    if (std::optional<bool> flag = holds(one))
      return *flag ? other : one;
  return arith::AndIOp::create(b, loc, x, y);
}

Value ContractionBuilder::select(Value c, Value x, Value y) {
  if (std::optional<bool> flag = holds(c))
    return *flag ? x : y;
  return arith::SelectOp::create(b, loc, c, x, y);
}

void ContractionBuilder::forEach(Value from, Value to, int64_t step,
                                 llvm::function_ref<void(Value)> body) {
  auto start = known(from), stop = known(to);
  if (from == to || (start && stop && *start >= *stop))
    return;
  if (start && stop && *stop - *start <= step) {
    body(from);
    return;
  }
  auto loop = scf::ForOp::create(b, loc, from, to, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value> ContractionBuilder::forEach(
    Value from, Value to, int64_t step, ArrayRef<Value> initial,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, from, to, constant(step), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

void ContractionBuilder::when(Value condition,
                              llvm::function_ref<void()> then) {
  if (std::optional<bool> flag = holds(condition)) {
    if (*flag)
      then();
    return;
  }
  auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
}

void ContractionBuilder::when(Value condition, llvm::function_ref<void()> then,
                              llvm::function_ref<void()> otherwise) {
  if (std::optional<bool> flag = holds(condition))
    return *flag ? then() : otherwise();
  auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

VectorType ContractionBuilder::vectorOf(Type element) const {
  return VectorType::get({lanes}, element);
}

Value ContractionBuilder::zero(Type type) {
  return arith::ConstantOp::create(b, loc, type,
                                   cast<TypedAttr>(b.getZeroAttr(type)));
}

Value ContractionBuilder::splat(Value scalar) {
  return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType()),
                                     scalar);
}

Value ContractionBuilder::fma(Value x, Value y, Value z) {
  if (!isa<FloatType>(spec.sumType))
    return arith::AddIOp::create(b, loc,
                                 arith::MulIOp::create(b, loc, x, y), z);
  return math::FmaOp::create(b, loc, x, y, z);
}

Value ContractionBuilder::addSums(Value x, Value y) {
  if (!isa<FloatType>(spec.sumType))
    return arith::AddIOp::create(b, loc, x, y);
  return arith::AddFOp::create(b, loc, x, y);
}

Value ContractionBuilder::firstLanes(Value count) {
  SmallVector<int32_t> numbers;
  for (int32_t i = 0; i < lanes; ++i)
    numbers.push_back(i);
  VectorType type = vectorOf(b.getI32Type());
  Value iota = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, llvm::ArrayRef<int32_t>(numbers)));
  Value limited = arith::MaxSIOp::create(b, loc, min(count, lanes),
                                         constant(0));
  Value narrow = arith::TruncIOp::create(b, loc, b.getI32Type(), limited);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iota,
                               splat(narrow));
}

Value ContractionBuilder::convert(Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

Value ContractionBuilder::address(Value base, Value offset, Type element) {
  if (known(offset) == 0)
    return base;
  return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value ContractionBuilder::load(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(b, loc, type, pointer, alignment);
}

void ContractionBuilder::store(Value value, Value pointer, unsigned alignment,
                               Value mask) {
  if (mask)
    LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask,
                                b.getI32IntegerAttr(alignment));
  else
    LLVM::StoreOp::create(b, loc, value, pointer, alignment);
}

void ContractionBuilder::prefetch(Value pointer) {
  LLVM::Prefetch::create(b, loc, pointer, /*rw=*/0, /*hint=*/2, /*cache=*/1);
}

void ContractionBuilder::clear(Value base, Value from, Value to, bool whole) {
  auto alignment = static_cast<unsigned>(whole ? lanes * sumBytes : sumBytes);
  forEach(from, to, lanes, [&](Value at) {
    store(zero(sums), address(base, at, spec.sumType), alignment,
          whole ? Value() : firstLanes(sub(to, at)));
  });
}

Value ContractionBuilder::gather(Value base, Value offsets, Value mask) {
  Value pointers = LLVM::GEPOp::create(
      b, loc, VectorType::get({lanes}, base.getType()), spec.sumType, base,
      ArrayRef<LLVM::GEPArg>{offsets});
  return LLVM::masked_gather::create(
      b, loc, sums, pointers, mask, ValueRange{zero(sums)},
      b.getI32IntegerAttr(static_cast<int32_t>(sumBytes)));
}

static unsigned itemBytes(Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

SmallVector<Value> ContractionBuilder::split(const ContractionAxis &axis,
                                             Value index) {
  SmallVector<Value> indices(std::max<size_t>(axis.size(), 1), index);
  for (size_t k = axis.size(); k-- > 1;) {
    Value extent = get(axis[k]);
    indices[k] = rem(indices[0], extent);
    indices[0] = div(indices[0], extent);
  }
  return indices;
}

SmallVector<Value> ContractionBuilder::next(const ContractionAxis &axis,
                                            ValueRange indices) {
  SmallVector<Value> result(indices);
  if (axis.empty())
    return {add(result[0], 1)};
  Value carry = constant(1);
  for (size_t k = axis.size(); k-- > 0;) {
    Value moved = add(result[k], carry);
    Value wraps = equal(moved, get(axis[k]));
    result[k] = select(wraps, constant(0), moved);
    carry = select(wraps, constant(1), constant(0));
  }
  return result;
}

Value ContractionBuilder::offset(ValueRange indices, ArrayRef<Extent> steps) {
  Value sum = constant(0);
  for (auto [index, step] : llvm::zip_equal(indices, steps))
    sum = add(sum, mul(index, get(step)));
  return sum;
}

Value ContractionBuilder::elementAddress(const ContractionOperand &operand,
                                         const ContractionIndex &index) {
  Value sum = mul(index.batch, get(operand.batchStride));
  sum = add(sum, operand.irregular
                     ? offset(split(spec.rows, index.row), operand.rowSteps)
                     : mul(index.row, get(operand.rowStride)));
  sum = add(sum, mul(index.column, get(operand.columnStride)));
  if (index.lane) // neighbours
    sum = sub(sum, index.lane);
  return address(operand.base, sum, operand.type);
}

Value ContractionBuilder::loadLanes(const ContractionOperand &operand,
                                    Value pointer, Value offsets, Value mask,
                                    int64_t step) {
  VectorType type = vectorOf(operand.type);
  unsigned alignment = itemBytes(operand.type);
  Value value;
  if (offsets) {
    Value pointers = LLVM::GEPOp::create(
        b, loc, VectorType::get({lanes}, pointer.getType()), operand.type,
        pointer, ArrayRef<LLVM::GEPArg>{offsets});
    Value all = mask;
    if (!mask)
      all = arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(vectorOf(b.getI1Type()), true));
    value = LLVM::masked_gather::create(b, loc, type, pointers, all,
                                        ValueRange{zero(type)},
                                        b.getI32IntegerAttr(alignment));
  } else if (step == 2) {
    value = loadEverySecond(b, loc, pointer, type, mask, alignment);
  } else if (mask) {
    value = LLVM::MaskedLoadOp::create(b, loc, type, pointer, mask, zero(type),
                                       b.getI32IntegerAttr(alignment),
                                       /*nontemporal=*/UnitAttr());
  } else {
    value = load(type, pointer, alignment);
  }
  return toSummand(operand, value, {});
}

Value ContractionBuilder::toSummand(const ContractionOperand &operand,
                                    Value value,
                                    const ContractionIndex &index) {
  // A map takes the type in memory, and may give another one.
  if (operand.map)
    value = operand.map(b, loc, value, index);
  return convert(value, spec.sumType);
}

Value ContractionBuilder::loadElement(const ContractionOperand &operand,
                                      Value batch, Value row, Value column) {
  ContractionIndex index{batch, row, column, false, nullptr};
  Value value = load(operand.type, elementAddress(operand, index),
                     itemBytes(operand.type));
  return toSummand(operand, value, index);
}

Value ContractionBuilder::loadVector(const ContractionOperand &operand,
                                     const ContractionIndex &index) {
  VectorType type = vectorOf(operand.type);
  Value pointer = elementAddress(operand, index);
  unsigned alignment = itemBytes(operand.type);
  Value value;
  if (index.mask)
    value =
        LLVM::MaskedLoadOp::create(b, loc, type, pointer, index.mask,
                                   zero(type), b.getI32IntegerAttr(alignment),
                                   /*nontemporal=*/UnitAttr());
  else
    value = load(type, pointer, alignment);
  value = toSummand(operand, value, index);
  if (operand.map && index.mask)
    value = select(index.mask, value, zero(sums));
  return value;
}

void ContractionBuilder::storeElement(Value sum,
                                      const ContractionIndex &index) {
  Value value = spec.c.map ? spec.c.map(b, loc, sum, index) : sum;
  value = convert(value, spec.c.type);
  store(value, elementAddress(spec.c, index), itemBytes(spec.c.type));
}

void ContractionBuilder::storeVector(Value value,
                                     const ContractionIndex &index) {
  if (spec.c.map)
    value = spec.c.map(b, loc, value, index);
  value = convert(value, spec.c.type);
  Value pointer = elementAddress(spec.c, index);
  unsigned alignment = itemBytes(spec.c.type);
  if (index.mask)
    LLVM::MaskedStoreOp::create(b, loc, value, pointer, index.mask,
                                b.getI32IntegerAttr(alignment));
  else
    store(value, pointer, alignment);
}
