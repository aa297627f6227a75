//===- MathBuilder.h - Arithmetic on SSA values with operators ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes expansions read like the formulas they are:
//
//   Num r = fma(n, m.f(-kLn2Hi), x);
//   return select(x < 0.0, -r, r);
//
// A `Num` is a float or a vector of floats, an `Int` the integers of the same
// shape and width, a `Mask` the i1 of the same shape. Constants are splatted to
// the shape of the other operand. No operator reassociates or contracts: what
// is written is what is computed.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_EXPANDMATH_MATHBUILDER_H
#define KILN_CONVERSION_EXPANDMATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln::expand {

struct MathBuilder;

struct Mask {
  mlir::Value v;
  const MathBuilder *m;
};
struct Int {
  mlir::Value v;
  const MathBuilder *m;
};
struct Num {
  mlir::Value v;
  const MathBuilder *m;
};

/// Where and in what shape to build: one element type, f32 or f64.
struct MathBuilder {
  MathBuilder(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type)
      : b(b), loc(loc), type(type) {}

  bool isF64() const { return mlir::getElementTypeOrSelf(type).isF64(); }
  /// Significand bits without the implicit one: 23 or 52.
  unsigned mantissa() const { return isF64() ? 52 : 23; }
  int64_t bias() const { return isF64() ? 1023 : 127; }

  mlir::Type withElement(mlir::Type element) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      return vector.clone(element);
    return element;
  }
  mlir::Type intType() const {
    return withElement(b.getIntegerType(isF64() ? 64 : 32));
  }

  mlir::Value constant(mlir::TypedAttr element) const {
    mlir::TypedAttr attr = element;
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      attr = mlir::DenseElementsAttr::get(vector.clone(element.getType()),
                                          mlir::Attribute(element));
    return mlir::arith::ConstantOp::create(b, loc, attr);
  }
  Num f(double value) const {
    return {constant(b.getFloatAttr(mlir::getElementTypeOrSelf(type), value)),
            this};
  }
  Int i(int64_t value) const {
    return {constant(b.getIntegerAttr(
                mlir::getElementTypeOrSelf(intType()), value)),
            this};
  }
  Num num(mlir::Value v) const { return {v, this}; }
  Mask yes() const { return {constant(b.getBoolAttr(true)), this}; }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
  /// The processor multiplies by 2^k, for any k, in one instruction.
  bool scales = false;
  /// It has 2^x of f32 as an instruction, and additions that round down or saturate, as
  /// GPUs of NVIDIA do.
  bool powers = false;
};

#define KILN_BINARY(Type, op, Op)                                              \
  inline Type operator op(Type x, Type y) {                                    \
    return {mlir::arith::Op::create(x.m->b, x.m->loc, x.v, y.v), x.m};         \
  }
KILN_BINARY(Num, +, AddFOp)
KILN_BINARY(Num, -, SubFOp)
KILN_BINARY(Num, *, MulFOp)
KILN_BINARY(Num, /, DivFOp)
KILN_BINARY(Int, +, AddIOp)
KILN_BINARY(Int, -, SubIOp)
KILN_BINARY(Int, *, MulIOp)
KILN_BINARY(Int, &, AndIOp)
KILN_BINARY(Int, |, OrIOp)
KILN_BINARY(Int, ^, XOrIOp)
KILN_BINARY(Int, <<, ShLIOp)
KILN_BINARY(Int, >>, ShRSIOp)
KILN_BINARY(Mask, &, AndIOp)
KILN_BINARY(Mask, |, OrIOp)
KILN_BINARY(Mask, ^, XOrIOp)
#undef KILN_BINARY

#define KILN_MIXED(op)                                                         \
  inline Num operator op(Num x, double y) { return x op x.m->f(y); }           \
  inline Num operator op(double x, Num y) { return y.m->f(x) op y; }
KILN_MIXED(+)
KILN_MIXED(-)
KILN_MIXED(*)
KILN_MIXED(/)
#undef KILN_MIXED

#define KILN_MIXED(op)                                                         \
  inline Int operator op(Int x, int64_t y) { return x op x.m->i(y); }
KILN_MIXED(+)
KILN_MIXED(-)
KILN_MIXED(*)
KILN_MIXED(&)
KILN_MIXED(|)
KILN_MIXED(^)
KILN_MIXED(<<)
KILN_MIXED(>>)
#undef KILN_MIXED

/// Ordered comparisons: false when an operand is NaN, but != is true.
#define KILN_COMPARE(op, predicate)                                            \
  inline Mask operator op(Num x, Num y) {                                      \
    return {mlir::arith::CmpFOp::create(                                       \
                x.m->b, x.m->loc, mlir::arith::CmpFPredicate::predicate, x.v,  \
                y.v),                                                          \
            x.m};                                                              \
  }                                                                            \
  inline Mask operator op(Num x, double y) { return x op x.m->f(y); }
KILN_COMPARE(<, OLT)
KILN_COMPARE(>, OGT)
KILN_COMPARE(<=, OLE)
KILN_COMPARE(>=, OGE)
KILN_COMPARE(==, OEQ)
KILN_COMPARE(!=, UNE)
#undef KILN_COMPARE

#define KILN_COMPARE(op, predicate)                                            \
  inline Mask operator op(Int x, Int y) {                                      \
    return {mlir::arith::CmpIOp::create(                                       \
                x.m->b, x.m->loc, mlir::arith::CmpIPredicate::predicate, x.v,  \
                y.v),                                                          \
            x.m};                                                              \
  }                                                                            \
  inline Mask operator op(Int x, int64_t y) { return x op x.m->i(y); }
KILN_COMPARE(<, slt)
KILN_COMPARE(>, sgt)
KILN_COMPARE(>=, sge)
KILN_COMPARE(==, eq)
KILN_COMPARE(!=, ne)
#undef KILN_COMPARE

inline Num operator-(Num x) {
  return {mlir::arith::NegFOp::create(x.m->b, x.m->loc, x.v), x.m};
}
inline Mask operator!(Mask x) { return x ^ x.m->yes(); }

inline Num fma(Num x, Num y, Num z) {
  return {mlir::math::FmaOp::create(x.m->b, x.m->loc, x.v, y.v, z.v), x.m};
}
inline Num fma(Num x, double y, Num z) { return fma(x, x.m->f(y), z); }
inline Num fma(Num x, Num y, double z) { return fma(x, y, x.m->f(z)); }

inline Num select(Mask c, Num x, Num y) {
  return {mlir::arith::SelectOp::create(c.m->b, c.m->loc, c.v, x.v, y.v), c.m};
}
inline Num select(Mask c, Num x, double y) { return select(c, x, c.m->f(y)); }
inline Num select(Mask c, double x, Num y) { return select(c, c.m->f(x), y); }
inline Num select(Mask c, double x, double y) {
  return select(c, c.m->f(x), c.m->f(y));
}
inline Int select(Mask c, Int x, Int y) {
  return {mlir::arith::SelectOp::create(c.m->b, c.m->loc, c.v, x.v, y.v), c.m};
}

inline Num abs(Num x) {
  return {mlir::math::AbsFOp::create(x.m->b, x.m->loc, x.v), x.m};
}
inline Num sqrt(Num x) {
  return {mlir::math::SqrtOp::create(x.m->b, x.m->loc, x.v), x.m};
}
inline Num trunc(Num x) {
  return {mlir::math::TruncOp::create(x.m->b, x.m->loc, x.v), x.m};
}
inline Num copysign(Num magnitude, Num sign) {
  return {mlir::math::CopySignOp::create(sign.m->b, sign.m->loc, magnitude.v,
                                         sign.v),
          sign.m};
}
/// The smaller, or `x` when it is NaN; one vminps. `bound` is not NaN.
inline Num clampAbove(Num x, double bound) {
  return select(x > bound, bound, x);
}
inline Num clampBelow(Num x, double bound) {
  return select(x < bound, bound, x);
}
inline Mask isNaN(Num x) {
  return {mlir::arith::CmpFOp::create(x.m->b, x.m->loc,
                                      mlir::arith::CmpFPredicate::UNO, x.v,
                                      x.v),
          x.m};
}

inline Int bits(Num x) {
  return {mlir::arith::BitcastOp::create(x.m->b, x.m->loc, x.m->intType(),
                                         x.v),
          x.m};
}
inline Num fromBits(Int x) {
  return {mlir::arith::BitcastOp::create(x.m->b, x.m->loc, x.m->type, x.v),
          x.m};
}

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
inline Num polynomial(Num x, llvm::ArrayRef<double> c) {
  Num sum = x.m->f(c.back());
  for (double next : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, next);
  return sum;
}

} // namespace kiln::expand

#endif // KILN_CONVERSION_EXPANDMATH_MATHBUILDER_H
