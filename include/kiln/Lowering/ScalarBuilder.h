//===- ScalarBuilder.h - PyTorch's scalar functions -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vocabulary of bodies (that of AtenLoopBody.td) as functions that build
// arith and math operations with exactly PyTorch's results: integers wrap, maxima
// propagate NaN, shifts beyond the width give 0, an integer division by 0 gives a
// number and never a trap (the check that PyTorch makes there is not in kernels).
//
//   ScalarBuilder scalars(builder, loc, builder.getF32Type());
//   Value wide = scalars.convert(element, stored, scalars.getType());
//   Value relu = scalars.max(wide, scalars.constant(scalars.getType(), 0.0));
//
// A function given an absent value (null) returns it where that has a meaning
// (`clampLow(x, absent)` is x). What has no kernel sets a reason, which ends the
// conversion of the operator; the values returned from there on are arbitrary.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LOWERING_SCALARBUILDER_H
#define KILN_LOWERING_SCALARBUILDER_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

class ScalarBuilder {
public:
  /// `type` is the computation type, with its sign.
  ScalarBuilder(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  /// The element type of the result, if it matters to a function.
  Type stored;
  /// Special functions of f32 and narrower take the terms that these need, not those of f64.
  bool shortSpecials = false;

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }
  Type getType() const { return type; }
  /// Why the body cannot be a kernel; empty if it can.
  llvm::StringRef getReason() const { return reason; }
  Value refuse(llvm::StringRef why);

  /// `value` of type `from` as type `to`, both with their signs.
  Value convert(Value value, Type from, Type to);
  Value constant(Type type, double value);
  Value constant(Type type, int64_t value);
  /// What changes nothing when `kind`, of one value, joins it with a number of
  /// `type`: `neutral(ReductionKind::Max, type)` is the lowest.
  Value neutral(ReductionKind kind, Type type);

  // Leaves.
  Value number(llvm::StringRef text);
  Value copyOf(Value a) { return a; }
  Value toBool(Value a);
  Value orElse(Value a, Value b) { return a ? a : b; }
  Value ifGiven(Value a, Value b, Value c) { return a ? b : c; }

  // Arithmetic.
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value floorDiv(Value a, Value b);
  Value truncDiv(Value a, Value b);
  Value remainder(Value a, Value b);
  Value fmod(Value a, Value b);
  Value neg(Value a);
  Value abs(Value a);
  Value recip(Value a);
  Value sign(Value a);
  Value pow(Value a, Value b);
  Value copySign(Value a, Value b);
  Value signBit(Value a);
  Value nextAfter(Value a, Value b);
  Value gcd(Value a, Value b);

  // Order.
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value clampLow(Value a, Value b) { return b ? max(a, b) : a; }
  Value clampHigh(Value a, Value b) { return b ? min(a, b) : a; }
  Value clampFirst(Value a, Value b, Value c) {
    return where(lt(a, b), b, where(gt(a, c), c, a));
  }

  // Functions of floats.
  Value exp(Value a);
  Value expm1(Value a);
  Value log(Value a);
  Value log2(Value a);
  Value log10(Value a);
  Value log1p(Value a);
  Value sqrt(Value a);
  Value rsqrt(Value a);
  Value sin(Value a);
  Value cos(Value a);
  Value tan(Value a);
  Value asin(Value a);
  Value acos(Value a);
  Value atan(Value a);
  Value atan2(Value a, Value b);
  Value sinh(Value a);
  Value cosh(Value a);
  Value tanh(Value a);
  Value erf(Value a);
  Value erfc(Value a);
  Value erfinv(Value a);
  Value lgamma(Value a);
  Value digamma(Value a);
  Value hypot(Value a, Value b);
  Value sigmoid(Value a);
  Value floor(Value a);
  Value ceil(Value a);
  Value trunc(Value a);
  Value round(Value a);
  Value isNan(Value a);
  Value isWideNan(Value a) { return isNanFrom(32, a); }
  Value isWidestNan(Value a) { return isNanFrom(64, a); }
  Value isInf(Value a);

  // Comparisons.
  Value eq(Value a, Value b);
  Value ne(Value a, Value b);
  Value lt(Value a, Value b);
  Value le(Value a, Value b);
  Value gt(Value a, Value b) { return lt(b, a); }
  Value ge(Value a, Value b) { return le(b, a); }

  // Bool.
  Value logicalAnd(Value a, Value b);
  Value logicalOr(Value a, Value b);
  Value logicalXor(Value a, Value b);
  Value logicalNot(Value a);
  Value where(Value condition, Value a, Value b);

  // Bits.
  Value bitAnd(Value a, Value b);
  Value bitOr(Value a, Value b);
  Value bitXor(Value a, Value b);
  Value bitNot(Value a);
  Value shl(Value a, Value b);
  Value shr(Value a, Value b);

private:
  /// An 8-bit float, held as its bits, to f32; and an f32 rounded to one.
  Value decodeSmallFloat(Value byte, mlir::FloatType from);
  Value encodeSmallFloat(Value value, mlir::FloatType to);
  bool isUnsigned() const { return type.isUnsignedInteger(); }
  /// True for NaN if the result's elements have at least that many bits.
  Value isNanFrom(unsigned bits, Value a);
  Value compare(mlir::arith::CmpFPredicate floats,
                mlir::arith::CmpIPredicate integers, Value a, Value b);
  /// `a` to the power of an integer that only the run knows.
  Value powInteger(Value a, Value b);
  /// True if a special function of `a` takes the terms of f32.
  bool isShort(Value a) const;
  /// What `function` gives in f64, for functions that lose digits in f32.
  Value throughF64(llvm::ArrayRef<Value> operands,
                   llvm::function_ref<Value(llvm::ArrayRef<Value>)> function);
  /// `b`, or 1 where dividing `a` by it would trap.
  Value makeDivisor(Value a, Value b);

  OpBuilder &builder;
  Location loc;
  Type type;
  std::string reason;
};

} // namespace kiln::loop

#endif // KILN_LOWERING_SCALARBUILDER_H
