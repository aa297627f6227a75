//===- Reductions.cpp - What the kinds of reductions mean -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/IR/Reductions.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

const ReductionRecord &loop::getRecord(ReductionKind kind) {
  static const ReductionRecord records[] = {
#define GET_REDUCTION_RECORDS
#include "kiln/Dialect/Loop/IR/LoopReductions.cpp.inc"
  };
  return records[unsigned(kind)];
}

bool loop::hasUnsignedElements(Value tensor) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  return type.isUnsignedInteger() || type.isInteger(1);
}

//===----------------------------------------------------------------------===//
// Neutral elements
//===----------------------------------------------------------------------===//

/// The least or the greatest number of a type.
static TypedAttr getBound(Type type, bool isUnsigned, bool lowest) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(
        type, llvm::APFloat::getInf(floatType.getFloatSemantics(), lowest));
  unsigned width = type.getIntOrFloatBitWidth();
  if (isUnsigned || width == 1)
    return IntegerAttr::get(type, lowest ? APInt::getMinValue(width)
                                         : APInt::getMaxValue(width));
  return IntegerAttr::get(type, lowest ? APInt::getSignedMinValue(width)
                                       : APInt::getSignedMaxValue(width));
}

TypedAttr loop::getNeutral(Builder &b, ReductionKind kind, unsigned position,
                           Type type, bool isUnsigned) {
  switch (getRecord(kind).carried[position].neutral) {
  case Neutral::Zero:
    return cast<TypedAttr>(b.getZeroAttr(type));
  case Neutral::One:
    return b.getOneAttr(type);
  case Neutral::AllOnes:
    return b.getIntegerAttr(type,
                            APInt::getAllOnes(type.getIntOrFloatBitWidth()));
  case Neutral::Lowest:
    return getBound(type, isUnsigned, /*lowest=*/true);
  case Neutral::Highest:
    return getBound(type, isUnsigned, /*lowest=*/false);
  case Neutral::LastIndex:
    // So that any real element wins a tie.
    return getBound(type, /*isUnsigned=*/false, /*lowest=*/false);
  }
  llvm_unreachable("all neutral elements are covered");
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

namespace {

/// The functions of LoopReductions.td, by type.
class AccumulatorBuilder {
public:
  AccumulatorBuilder(ImplicitLocOpBuilder &b, bool isUnsigned)
      : b(b), isUnsigned(isUnsigned) {}

  Value add(Value x, Value y) {
    return byType<arith::AddFOp, arith::AddIOp>(x, y);
  }
  Value accumulate(Value x, Value y) {
    if (!isFloat(x))
      return arith::AddIOp::create(b, x, y);
    return arith::AddFOp::create(b, x, y, arith::FastMathFlags::contract);
  }
  Value sub(Value x, Value y) {
    return byType<arith::SubFOp, arith::SubIOp>(x, y);
  }
  Value mul(Value x, Value y) {
    return byType<arith::MulFOp, arith::MulIOp>(x, y);
  }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value max(Value x, Value y) {
    return isUnsigned
               ? byType<arith::MaximumFOp, arith::MaxUIOp>(x, y)
               : byType<arith::MaximumFOp, arith::MaxSIOp>(x, y);
  }
  Value min(Value x, Value y) {
    return isUnsigned
               ? byType<arith::MinimumFOp, arith::MinUIOp>(x, y)
               : byType<arith::MinimumFOp, arith::MinSIOp>(x, y);
  }
  Value bitAnd(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value bitXor(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }

  Value greater(Value x, Value y) {
    return beats(x, y, arith::CmpFPredicate::OGT,
                 isUnsigned ? arith::CmpIPredicate::ugt
                            : arith::CmpIPredicate::sgt);
  }
  Value less(Value x, Value y) {
    return beats(x, y, arith::CmpFPredicate::OLT,
                 isUnsigned ? arith::CmpIPredicate::ult
                            : arith::CmpIPredicate::slt);
  }
  Value same(Value x, Value y) {
    if (!isFloat(x))
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
    Value numbers = equal(x, y);
    return bitOr(numbers, bitAnd(isNan(y), isNan(x)));
  }
  Value equal(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  }
  Value before(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value zeroOf(Value x) {
    return arith::ConstantOp::create(
        b, x.getType(), cast<TypedAttr>(b.getZeroAttr(x.getType())));
  }

private:
  static bool isFloat(Value x) {
    return isa<FloatType>(getElementTypeOrSelf(x.getType()));
  }
  template <typename FloatOp, typename IntegerOp>
  Value byType(Value x, Value y) {
    return isFloat(x) ? FloatOp::create(b, x, y).getResult()
                      : IntegerOp::create(b, x, y).getResult();
  }
  Value isNan(Value x) {
    Value &known = nans[x];
    if (!known)
      known = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    return known;
  }
  Value beats(Value x, Value y, arith::CmpFPredicate floats,
              arith::CmpIPredicate integers) {
    if (!isFloat(x))
      return arith::CmpIOp::create(b, integers, x, y);
    Value yIsNan = isNan(y), xIsNan = isNan(x);
    Value beyond = arith::CmpFOp::create(b, floats, x, y);
    Value only = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, xIsNan,
                                       yIsNan);
    return bitOr(beyond, only);
  }

  ImplicitLocOpBuilder &b;
  bool isUnsigned;
  llvm::SmallDenseMap<Value, Value> nans;
};

} // namespace

void loop::combineKind(ImplicitLocOpBuilder &builder, ReductionKind kind,
                       bool isUnsigned, ValueRange left, ValueRange right,
                       SmallVectorImpl<Value> &result) {
  AccumulatorBuilder b(builder, isUnsigned);
  switch (kind) {
#define GET_REDUCTION_FORMULAS
#include "kiln/Dialect/Loop/IR/LoopReductions.cpp.inc"
  }
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

Value loop::combineScattered(ImplicitLocOpBuilder &builder, ScatterKind kind,
                             Value old, Value value, Type type) {
  // Vectors of lanes, or both scalars.
  Type wide = value.getType(), element = getElementTypeOrSelf(wide);
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  if (old.getType() != wide)
    old = isa<FloatType>(element)
              ? Value(arith::ExtFOp::create(builder, wide, old))
          : isUnsigned ? Value(arith::ExtUIOp::create(builder, wide, old))
                       : Value(arith::ExtSIOp::create(builder, wide, old));
  AccumulatorBuilder b(builder, isUnsigned);
  switch (kind) {
  case ScatterKind::Set:
    return value;
  case ScatterKind::Add:
    // The sum of bools is their disjunction.
    return element.isInteger(1) ? b.bitOr(old, value) : b.add(old, value);
  case ScatterKind::Prod:
    return b.mul(old, value);
  case ScatterKind::Min:
    return b.min(old, value);
  case ScatterKind::Max:
    return b.max(old, value);
  }
  llvm_unreachable("all kinds are covered");
}
