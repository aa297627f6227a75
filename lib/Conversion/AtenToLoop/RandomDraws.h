//===- RandomDraws.h - Random words in kernels ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A random number is a function of seed, operator and position (Philox 4x32-10,
// lib/Eager/Philox.h), so an operator that draws is a pointwise nest. One call at
// the start of a program asks the generator for as many draws as the program has
// such operators; each reads the seed and adds its own number to the first. In a
// training step the numbers are given (aten-number-draws), because forward and
// backward are two programs. What is made of the words is what
// lib/Eager/Random.cpp makes of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_RANDOMDRAWS_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_RANDOMDRAWS_H

#include "Lowerings.h"

#include <cmath>

namespace kiln::loop {

/// The words of one element, and numbers made of them.
class Words {
public:
  Words(BodyContext body, ArrayRef<Value> words)
      : b(body.builder), loc(body.loc), words(words) {}

  /// In [0, 1): `bits` of the first word, or 53 of two.
  Value getUnit(Type type, int bits) { return scale(getBits(0, bits), type, bits); }
  /// In (0, 1], from word `first` on.
  Value getPositiveUnit(Type type, unsigned first, int bits) {
    Value value = getBits(first, bits);
    Value one = number(value.getType(), 1);
    return scale(mlir::arith::AddIOp::create(b, loc, value, one), type, bits);
  }
  /// Words 0 and 1 as an i64.
  Value getWide() { return join(0); }
  /// True with probability `p`, an f64.
  Value isHit(Value p) {
    Type f64 = b.getF64Type();
    Value word = mlir::arith::UIToFPOp::create(b, loc, f64, words[0]);
    ScalarBuilder scalars(b, loc, f64);
    return scalars.lt(word,
                      scalars.mul(p, scalars.constant(f64, 4294967296.0)));
  }

private:
  Value number(Type type, int64_t value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value join(unsigned first) {
    Type i64 = b.getI64Type();
    Value high = mlir::arith::ExtUIOp::create(b, loc, i64, words[first]);
    Value low = mlir::arith::ExtUIOp::create(b, loc, i64, words[first + 1]);
    high = mlir::arith::ShLIOp::create(b, loc, high, number(i64, 32));
    return mlir::arith::OrIOp::create(b, loc, high, low);
  }
  Value getBits(unsigned first, int bits) {
    Value value = bits <= 32 ? words[first] : join(first);
    int width = bits <= 32 ? 32 : 64;
    return mlir::arith::ShRUIOp::create(b, loc, value,
                                  number(value.getType(), width - bits));
  }
  Value scale(Value value, Type type, int bits) {
    Value real = mlir::arith::SIToFPOp::create(b, loc, type, value);
    ScalarBuilder scalars(b, loc, type);
    return scalars.mul(real, scalars.constant(type, std::ldexp(1.0, -bits)));
  }

  OpBuilder &b;
  Location loc;
  SmallVector<Value> words;
};

/// The numbers that an operator is given to draw; without them it draws the
/// next ones of the function.
struct Draws {
  /// Of an op, or of a family.
  template <typename Op> static Draws of(Op op) {
    Draws draws{op.getDraws(), 0};
    if (auto number = op.getDraw())
      draws.number = int64_t(*number);
    return draws;
  }
  static Draws of(const DrawArgs &args) {
    return {args.draws, args.draw.value_or(0)};
  }
  Value given;
  int64_t number;
};

/// One operator's draw.
class Draw {
public:
  Draw(LoopBuilder &loops, const Draws &draws);

  /// The words at `position`, an index over those of the body.
  Words atPosition(BodyContext body, guard::ExprAttr position);

  /// The words of the element of a tensor of sizes `dims` that a body is at.
  Words at(BodyContext body, ArrayRef<guard::ExprAttr> dims) {
    guard::ExprAttr position = loops.expr(0);
    for (auto [i, size] : llvm::enumerate(dims))
      position = position * size + loops.dim(i);
    return atPosition(body, position);
  }

private:
  LoopBuilder &loops;
  View state;
  int64_t number = 0;
};

inline bool isProbability(double p) { return p >= 0 && p <= 1; }

/// How many bits of a word a number of type `stored` is made of.
inline int getUnitBits(Type stored) {
  return stored.isF64() ? 53 : stored.isF16() ? 11 : stored.isBF16() ? 8 : 24;
}

/// What an element is made of.
using MakeFn = llvm::function_ref<Value(BodyContext, ScalarBuilder &, Words &)>;

/// Result 0 of elements that `make` gives, computed in type `in`.
LogicalResult drawElements(LoopBuilder &loops, const Draws &draws, Type in,
                           MakeFn make);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_RANDOMDRAWS_H
