//===- Reductions.cpp - What the kinds of reductions mean -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/LoopToScf/Nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

TypedAttr loop::getIdentity(Builder &b, ReductionKind kind, unsigned position,
                           Type type, bool isUnsigned) {
  auto floatType = dyn_cast<FloatType>(type);
  auto infinity = [&](bool negative) {
    return FloatAttr::get(
        type, llvm::APFloat::getInf(floatType.getFloatSemantics(), negative));
  };
  auto bound = [&](bool lowest) -> TypedAttr {
    if (floatType)
      return infinity(lowest);
    unsigned width = type.getIntOrFloatBitWidth();
    if (isUnsigned || width == 1)
      return IntegerAttr::get(type, lowest ? APInt::getMinValue(width)
                                           : APInt::getMaxValue(width));
    return IntegerAttr::get(type, lowest ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
  };
  switch (kind) {
  case ReductionKind::Prod:
    return floatType ? TypedAttr(b.getFloatAttr(type, 1.0))
                     : b.getIntegerAttr(type, 1);
  case ReductionKind::All:
    return b.getIntegerAttr(
        type, APInt::getAllOnes(type.getIntOrFloatBitWidth()));
  case ReductionKind::Max:
    return bound(/*lowest=*/true);
  case ReductionKind::Min:
    return bound(/*lowest=*/false);
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin:
    // An index beyond all others, so that any real element wins a tie.
    if (position == 1)
      return b.getIntegerAttr(
          type, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth()));
    return bound(kind == ReductionKind::ArgMax);
  default:
    return cast<TypedAttr>(b.getZeroAttr(type));
  }
}

bool loop::hasUnsignedElements(Value result) {
  Type type = cast<RankedTensorType>(result.getType()).getElementType();
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// Among (value, index) pairs: the larger (smaller) value, a NaN above all, the
/// smaller index among equals.
static void combineArg(ImplicitLocOpBuilder &b, bool isMax, bool isUnsignedType,
                       ArrayRef<Value> left, ArrayRef<Value> right,
                       SmallVectorImpl<Value> &result) {
  Value better, equal;
  if (isa<FloatType>(getElementTypeOrSelf(left[0].getType()))) {
    auto beats = isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value leftNan =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, left[0], left[0]);
    Value rightNan =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, right[0], right[0]);
    Value greater = arith::CmpFOp::create(b, beats, right[0], left[0]);
    Value rightOnly = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt,
                                            rightNan, leftNan);
    better = arith::OrIOp::create(b, greater, rightOnly);
    Value same =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, right[0], left[0]);
    Value bothNan = arith::AndIOp::create(b, leftNan, rightNan);
    equal = arith::OrIOp::create(b, same, bothNan);
  } else {
    auto predicate = isUnsignedType
                         ? (isMax ? arith::CmpIPredicate::ugt
                                  : arith::CmpIPredicate::ult)
                         : (isMax ? arith::CmpIPredicate::sgt
                                  : arith::CmpIPredicate::slt);
    better = arith::CmpIOp::create(b, predicate, right[0], left[0]);
    equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, right[0],
                                  left[0]);
  }
  Value earlier =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, right[1], left[1]);
  Value tie = arith::AndIOp::create(b, equal, earlier);
  Value take = arith::OrIOp::create(b, better, tie);
  result.push_back(arith::SelectOp::create(b, take, right[0], left[0]));
  result.push_back(arith::SelectOp::create(b, take, right[1], left[1]));
}

/// Chan et al., "Updating formulae and a pairwise algorithm for computing
/// sample variances" (1979): joins two (mean, squares, weight) triples.
static void combineWelford(ImplicitLocOpBuilder &b, ArrayRef<Value> left,
                           ArrayRef<Value> right,
                           SmallVectorImpl<Value> &result) {
  Type type = left[0].getType();
  Value zero =
      arith::ConstantOp::create(b, type, cast<TypedAttr>(b.getZeroAttr(type)));
  Value weight = arith::AddFOp::create(b, left[2], right[2]);
  Value empty =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, weight, zero);
  Value quotient = arith::DivFOp::create(b, right[2], weight);
  Value share = arith::SelectOp::create(b, empty, zero, quotient);
  Value delta = arith::SubFOp::create(b, right[0], left[0]);
  Value shift = arith::MulFOp::create(b, delta, share);
  Value mean = arith::AddFOp::create(b, left[0], shift);
  Value squares = arith::AddFOp::create(b, left[1], right[1]);
  Value cross = arith::MulFOp::create(b, delta, shift);
  Value scaled = arith::MulFOp::create(b, cross, left[2]);
  result.append({mean, arith::AddFOp::create(b, squares, scaled), weight});
}

FailureOr<SmallVector<Value>>
loop::combineAccumulators(ImplicitLocOpBuilder &b, const Accumulation &op,
                          ArrayRef<Value> left, ArrayRef<Value> right,
                          GenericCombiner generic) {
  SmallVector<Value> result;
  while (result.size() < left.size()) {
    unsigned i = result.size();
    Value x = left[i], y = right[i];
    bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
    bool unsignedType = hasUnsignedElements(op.getResult(i));
    switch (op.getKind(i).first) {
    case ReductionKind::Sum:
      // A product that feeds the sum may become a fused multiply-add.
      result.push_back(
          isFloat ? arith::AddFOp::create(b, x, y,
                                          arith::FastMathFlags::contract)
                        .getResult()
                  : arith::AddIOp::create(b, x, y).getResult());
      break;
    case ReductionKind::Prod:
      result.push_back(isFloat ? arith::MulFOp::create(b, x, y).getResult()
                               : arith::MulIOp::create(b, x, y).getResult());
      break;
    case ReductionKind::Max:
      result.push_back(
          isFloat        ? arith::MaximumFOp::create(b, x, y).getResult()
          : unsignedType ? arith::MaxUIOp::create(b, x, y).getResult()
                         : arith::MaxSIOp::create(b, x, y).getResult());
      break;
    case ReductionKind::Min:
      result.push_back(
          isFloat        ? arith::MinimumFOp::create(b, x, y).getResult()
          : unsignedType ? arith::MinUIOp::create(b, x, y).getResult()
                         : arith::MinSIOp::create(b, x, y).getResult());
      break;
    case ReductionKind::Any:
      result.push_back(arith::OrIOp::create(b, x, y));
      break;
    case ReductionKind::All:
      result.push_back(arith::AndIOp::create(b, x, y));
      break;
    case ReductionKind::Xor:
      result.push_back(arith::XOrIOp::create(b, x, y));
      break;
    case ReductionKind::ArgMax:
    case ReductionKind::ArgMin:
      combineArg(b, op.getKind(i).first == ReductionKind::ArgMax,
                 unsignedType, left.slice(i, 2), right.slice(i, 2), result);
      break;
    case ReductionKind::Welford:
      combineWelford(b, left.slice(i, 3), right.slice(i, 3), result);
      break;
    case ReductionKind::Generic:
      return generic(left, right);
    }
  }
  return result;
}

Value loop::combineScattered(ImplicitLocOpBuilder &b, ScatterKind kind,
                             Value old, Value value, Type type) {
  Type wide = value.getType();
  bool isFloat = isa<FloatType>(wide);
  bool isUnsignedType = type.isUnsignedInteger() || type.isInteger(1);
  if (old.getType() != wide)
    old = isFloat ? Value(arith::ExtFOp::create(b, wide, old))
          : isUnsignedType ? Value(arith::ExtUIOp::create(b, wide, old))
                           : Value(arith::ExtSIOp::create(b, wide, old));
  switch (kind) {
  case ScatterKind::Set:
    return value;
  case ScatterKind::Add:
    if (isFloat)
      return arith::AddFOp::create(b, old, value);
    // The sum of bools is their disjunction.
    return wide.isInteger(1) ? Value(arith::OrIOp::create(b, old, value))
                             : Value(arith::AddIOp::create(b, old, value));
  case ScatterKind::Prod:
    return isFloat ? Value(arith::MulFOp::create(b, old, value))
                   : Value(arith::MulIOp::create(b, old, value));
  case ScatterKind::Min:
    return isFloat          ? Value(arith::MinimumFOp::create(b, old, value))
           : isUnsignedType ? Value(arith::MinUIOp::create(b, old, value))
                            : Value(arith::MinSIOp::create(b, old, value));
  case ScatterKind::Max:
    return isFloat          ? Value(arith::MaximumFOp::create(b, old, value))
           : isUnsignedType ? Value(arith::MaxUIOp::create(b, old, value))
                            : Value(arith::MaxSIOp::create(b, old, value));
  }
  llvm_unreachable("all kinds are covered");
}
