//===- Random.cpp - Random numbers in kernels -----------------------------===//
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

#include "Lowerings.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// The call at the start of the function that gives its draws.
static ExternOp getDraws(Converter &converter) {
  Block *block = converter.getBuilder().getInsertionBlock();
  const char *overload = "aten._draws.default";
  auto known = block->empty() ? ExternOp() : dyn_cast<ExternOp>(block->front());
  if (known && known.getOverload() == overload)
    return known;
  OpBuilder front = OpBuilder::atBlockBegin(block);
  return ExternOp::create(
      front, block->getParentOp()->getLoc(),
      TypeRange{guard::makeTensorType(front.getI64Type(), converter.expr(2))},
      overload, ValueRange(), front.getArrayAttr(front.getI64IntegerAttr(0)),
      StringAttr());
}

/// The number of the next draw of the function.
static int64_t takeDraw(Converter &converter) {
  ExternOp draws = getDraws(converter);
  int64_t number = cast<IntegerAttr>(draws.getArguments()[0]).getInt();
  Builder builder(converter.getContext());
  draws.setArgumentsAttr(
      builder.getArrayAttr(builder.getI64IntegerAttr(number + 1)));
  return number;
}

namespace {

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
    return scale(arith::AddIOp::create(b, loc, value, one), type, bits);
  }
  /// Words 0 and 1 as an i64.
  Value getWide() { return join(0); }
  /// True with probability `p`, an f64.
  Value isHit(Value p) {
    Type f64 = b.getF64Type();
    Value word = arith::UIToFPOp::create(b, loc, f64, words[0]);
    ScalarBuilder scalars(b, loc, f64);
    return scalars.lt(word,
                      scalars.mul(p, scalars.constant(f64, 4294967296.0)));
  }

private:
  Value number(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value join(unsigned first) {
    Type i64 = b.getI64Type();
    Value high = arith::ExtUIOp::create(b, loc, i64, words[first]);
    Value low = arith::ExtUIOp::create(b, loc, i64, words[first + 1]);
    high = arith::ShLIOp::create(b, loc, high, number(i64, 32));
    return arith::OrIOp::create(b, loc, high, low);
  }
  Value getBits(unsigned first, int bits) {
    Value value = bits <= 32 ? words[first] : join(first);
    int width = bits <= 32 ? 32 : 64;
    return arith::ShRUIOp::create(b, loc, value,
                                  number(value.getType(), width - bits));
  }
  Value scale(Value value, Type type, int bits) {
    Value real = arith::SIToFPOp::create(b, loc, type, value);
    ScalarBuilder scalars(b, loc, type);
    return scalars.mul(real, scalars.constant(type, std::ldexp(1.0, -bits)));
  }

  OpBuilder &b;
  Location loc;
  SmallVector<Value> words;
};

/// One operator's draw.
class Draw {
public:
  /// The numbers that the op is given, else the next ones of the function.
  explicit Draw(Converter &converter) : converter(converter) {
    if (Value given = converter.getTensor("draws")) {
      auto draw = dyn_cast_if_present<IntegerAttr>(
          converter.getArg("draw").getAttribute());
      state = converter.getView(given);
      number = draw ? draw.getInt() : 0;
    } else {
      state = converter.getView(getDraws(converter).getResult(0));
      number = takeDraw(converter);
    }
  }

  /// The words at `position`, an index over those of the body.
  Words atPosition(BodyContext body, ExprAttr position) {
    OpBuilder &b = body.builder;
    Location loc = body.loc;
    Type i64 = b.getI64Type(), i32 = b.getI32Type();
    auto constant = [&](Type type, int64_t value) -> Value {
      return arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(),
                                               uint64_t(value), false, true)));
    };
    auto low = [&](Value wide) -> Value {
      return arith::TruncIOp::create(b, loc, i32, wide);
    };
    auto high = [&](Value wide) -> Value {
      return low(arith::ShRUIOp::create(b, loc, wide, constant(i64, 32)));
    };
    Value seed = converter.read(body, state, converter.expr(0));
    Value first = converter.read(body, state, converter.expr(1));
    Value draw = arith::AddIOp::create(b, loc, first, constant(i64, number));
    Value element = arith::IndexCastOp::create(
        b, loc, i64, converter.index(body, position));
    SmallVector<Value> counter = {low(element), high(element), low(draw),
                                  high(draw)};
    Value keyLow = low(seed), keyHigh = high(seed);
    auto multiply = [&](Value word, int64_t by) -> Value {
      Value wide = arith::ExtUIOp::create(b, loc, i64, word);
      return arith::MulIOp::create(b, loc, wide, constant(i64, by));
    };
    auto mix = [&](Value x, Value y, Value key) -> Value {
      return arith::XOrIOp::create(
          b, loc, arith::XOrIOp::create(b, loc, x, y), key);
    };
    for (int round = 0; round < 10; ++round) {
      Value x = multiply(counter[0], 0xD2511F53);
      Value y = multiply(counter[2], 0xCD9E8D57);
      counter = {mix(high(y), counter[1], keyLow), low(y),
                 mix(high(x), counter[3], keyHigh), low(x)};
      keyLow = arith::AddIOp::create(b, loc, keyLow, constant(i32, 0x9E3779B9));
      keyHigh =
          arith::AddIOp::create(b, loc, keyHigh, constant(i32, 0xBB67AE85));
    }
    return Words(body, counter);
  }

  /// The words of the element of a tensor of sizes `dims` that a body is at.
  Words at(BodyContext body, ArrayRef<ExprAttr> dims) {
    ExprAttr position = converter.expr(0);
    for (auto [i, size] : llvm::enumerate(dims))
      position = position * size + converter.dim(i);
    return atPosition(body, position);
  }

private:
  Converter &converter;
  View state;
  int64_t number = 0;
};

/// What an element is made of.
using MakeFn = llvm::function_ref<Value(BodyContext, ScalarBuilder &, Words &)>;

} // namespace

/// How many bits of a word a number of type `stored` is made of.
static int getUnitBits(Type stored) {
  return stored.isF64() ? 53 : stored.isF16() ? 11 : stored.isBF16() ? 8 : 24;
}

/// Result 0 of elements that `make` gives.
static LogicalResult drawElements(Converter &converter, Type in, MakeFn make) {
  Draw draw(converter);
  RankedTensorType type = converter.getResultType();
  auto dims = *guard::getDims(type);
  return converter.setReshaped(
      0, converter.makePointwise(type, in,
                                 [&](BodyContext body, ScalarBuilder &scalars) {
                                   Words words = draw.at(body, dims);
                                   return make(body, scalars, words);
                                 }));
}

static LogicalResult drawUniform(Converter &converter, double from, double to) {
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(from <= to) || !std::isfinite(to - from))
    return converter.refuse("the range is an error");
  Type in = Converter::getComputeType(stored);
  return drawElements(
      converter, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value unit = words.getUnit(in, getUnitBits(stored));
        if (from == 0 && to == 1)
          return unit;
        return scalars.add(scalars.constant(in, from),
                           scalars.mul(scalars.constant(in, to - from), unit));
      });
}

static LogicalResult drawNormal(Converter &converter, double mean,
                                double deviation) {
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(deviation >= 0))
    return converter.refuse("the deviation is an error");
  Type in = Converter::getComputeType(stored);
  int bits = in.isF64() ? 53 : 24;
  return drawElements(
      converter, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value log = scalars.log(words.getPositiveUnit(in, 0, bits));
        Value radius =
            scalars.sqrt(scalars.mul(scalars.constant(in, -2.0), log));
        Value turn = scalars.mul(
            scalars.constant(in, 6.283185307179586),
            words.getPositiveUnit(in, bits == 53 ? 2 : 1, bits));
        Value value = scalars.mul(radius, scalars.cos(turn));
        return scalars.add(
            scalars.constant(in, mean),
            scalars.mul(scalars.constant(in, deviation), value));
      });
}

static LogicalResult drawExponential(Converter &converter, double rate) {
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored) || !(rate > 0))
    return converter.refuse("the rate is an error");
  Type in = Converter::getComputeType(stored);
  int bits = in.isF64() ? 53 : 24;
  return drawElements(
      converter, in, [&](BodyContext, ScalarBuilder &scalars, Words &words) {
        Value time =
            scalars.neg(scalars.log(words.getPositiveUnit(in, 0, bits)));
        return scalars.div(time, scalars.constant(in, rate));
      });
}

static LogicalResult drawIntegers(Converter &converter, ExprAttr low,
                                  ExprAttr high) {
  if (!guard::isKnownLess(low, high, converter.getAssumptions()))
    return converter.refuse("it is not known that the range has a number");
  Type i64 = IntegerType::get(converter.getContext(), 64);
  return drawElements(
      converter, i64,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) -> Value {
        auto number = [&](ExprAttr expr) -> Value {
          return arith::IndexCastOp::create(body.builder, body.loc, i64,
                                            converter.index(body, expr));
        };
        Value first = number(low), range = number(high - low);
        return scalars.add(first,
                           arith::RemUIOp::create(body.builder, body.loc,
                                                  words.getWide(), range));
      });
}

/// Numbers in the order of random keys.
LogicalResult loop::lowerRandperm(Converter &converter) {
  Draw draw(converter);
  Type i64 = IntegerType::get(converter.getContext(), 64);
  RankedTensorType type = converter.getResultType();
  ExprAttr extent = (*guard::getDims(type))[0];
  auto sort = SortOp::create(converter.getBuilder(), converter.getLoc(),
                             guard::makeTensorType(i64, extent), Exprs(),
                             extent, 0, converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&sort.getBody().front());
  BodyContext body{inner, converter.getLoc(), sort.getBody().getArguments()};
  YieldOp::create(inner, body.loc, draw.atPosition(body, converter.dim(0)).getWide());
  return converter.setReshaped(
      0, converter.materialize(converter.getView(sort.getResult()),
                               type.getElementType()));
}

/// Indices of a row of weights, each as often as its weight says.
LogicalResult loop::lowerMultinomial(Converter &converter) {
  Value tensor = converter.getTensor("self");
  View weights = converter.getView(tensor);
  Type from = cast<RankedTensorType>(tensor.getType()).getElementType();
  RankedTensorType type = converter.getResultType();
  Exprs dims = *guard::getDims(type);
  size_t rank = weights.dims.size();
  if ((rank != 1 && rank != 2) || dims.size() != rank || !isa<FloatType>(from))
    return converter.refuse("drawing from these weights is an error");
  ExprAttr extent = weights.dims.back(), samples = dims.back();
  Exprs rows = weights.dims;
  rows.pop_back();
  const guard::Assumptions &assumptions = converter.getAssumptions();
  bool isOnce = !converter.getBool("replacement") || samples.isConstant(1);
  if (!guard::isKnownNonNegative(samples + -1, assumptions) ||
      (isOnce && !guard::isKnownNonNegative(extent - samples, assumptions)))
    return converter.refuse("it is not known that there are so many");
  MLIRContext *context = converter.getContext();
  Type f64 = Float64Type::get(context), i64 = IntegerType::get(context, 64);
  auto getWeight = [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, f64);
    return scalars.convert(converter.readAt(body, weights, body.indices), from,
                           f64);
  };
  converter.check(
      weights.dims, "probability tensor contains either `inf`, `nan` or "
                    "element < 0",
      [&](BodyContext body) {
        ScalarBuilder scalars(body.builder, body.loc, f64);
        Value weight = getWeight(body);
        return scalars.logicalAnd(
            scalars.ge(weight, scalars.constant(f64, 0.0)),
            scalars.logicalNot(scalars.isInf(weight)));
      });
  auto sum = ScanOp::create(
      converter.getBuilder(), converter.getLoc(),
      TypeRange{guard::makeTensorType(f64, weights.dims)}, ValueRange(), rows,
      extent, rank - 1, ReductionKind::Sum, converter.getOrigins());
  {
    OpBuilder inner = OpBuilder::atBlockEnd(&sum.getBody().front());
    BodyContext body{inner, converter.getLoc(), sum.getBody().getArguments()};
    YieldOp::create(inner, body.loc, getWeight(body));
  }
  View sums = converter.getView(sum.getResult(0));
  auto getTotal = [&](BodyContext body) {
    Exprs index = getIdentityMap(context, rows.size());
    index.push_back(extent + -1);
    return converter.read(body, sums, index);
  };
  converter.check(rows, "invalid multinomial distribution (sum of "
                        "probabilities <= 0)",
                  [&](BodyContext body) {
                    ScalarBuilder scalars(body.builder, body.loc, f64);
                    return scalars.gt(getTotal(body),
                                      scalars.constant(f64, 0.0));
                  });
  Draw draw(converter);
  if (!isOnce)
    return converter.setReshaped(
        0, converter.makePointwise(
               type, i64, [&](BodyContext body, ScalarBuilder &) {
                 ScalarBuilder scalars(body.builder, body.loc, f64);
                 Value unit = draw.at(body, dims).getUnit(f64, 53);
                 Value wanted = scalars.mul(unit, getTotal(body));
                 SmallVector<Value> row(body.indices);
                 Value at = searchRow(
                     converter, body, extent, [&](Value position, Value mask) {
                       row.back() = position;
                       Value here = LoadOp::create(
                           body.builder, body.loc, sums.base, row, sums.map,
                           mask, scalars.constant(f64, 0.0));
                       return scalars.gt(here, wanted);
                     });
                 Value wide = arith::IndexCastOp::create(
                     body.builder, body.loc, i64, at);
                 return Value(arith::IndexCastOp::create(
                     body.builder, body.loc, i64,
                     converter.toIndex(body, wide, i64, extent,
                                       /*negative=*/false)));
               }));

  // Of exponential variables the one with the highest rate most often comes
  // first; their order is that of drawing without replacement.
  auto sort = SortOp::create(
      converter.getBuilder(), converter.getLoc(),
      guard::makeTensorType(i64, weights.dims), rows, extent, rank - 1,
      converter.getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&sort.getBody().front());
  BodyContext body{inner, converter.getLoc(), sort.getBody().getArguments()};
  ScalarBuilder scalars(inner, body.loc, f64);
  Value weight = getWeight(body);
  Value unit = draw.at(body, weights.dims).getPositiveUnit(f64, 0, 53);
  Value time = scalars.div(scalars.neg(scalars.log(unit)), weight);
  Value never =
      scalars.constant(f64, std::numeric_limits<double>::infinity());
  Value isPossible = scalars.gt(weight, scalars.constant(f64, 0.0));
  time = scalars.where(isPossible, time, never);
  YieldOp::create(inner, body.loc,
                  makeSortKey(body, time, f64, /*descending=*/false));
  View order = converter.getView(sort.getResult());
  order.dims = dims;
  converter.setView(converter.getResult(0), order);
  return success();
}

//===----------------------------------------------------------------------===//
// Bernoulli and dropout
//===----------------------------------------------------------------------===//

static bool isProbability(double p) { return p >= 0 && p <= 1; }

static LogicalResult drawChance(Converter &converter, double p) {
  if (!isProbability(p))
    return converter.refuse("the probability is an error");
  Type stored = converter.getResultType().getElementType();
  return drawElements(
      converter, stored,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Type f64 = body.builder.getF64Type();
        return scalars.convert(words.isHit(scalars.constant(f64, p)),
                               body.builder.getI1Type(), stored);
      });
}

static LogicalResult drawChances(Converter &converter, Value chances) {
  Type stored = converter.getResultType().getElementType();
  Type from = cast<RankedTensorType>(chances.getType()).getElementType();
  if (!isa<FloatType>(from))
    return converter.refuse("the probabilities are an error");
  View view = converter.getView(chances);
  auto identity = getIdentityMap(converter.getContext(), view.dims.size());
  converter.check(
      view.dims, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.",
      [&](BodyContext body) {
        Type in = Converter::getComputeType(from);
        ScalarBuilder scalars(body.builder, body.loc, in);
        Value p = scalars.convert(converter.read(body, view, identity), from,
                                  in);
        return scalars.logicalAnd(scalars.ge(p, scalars.constant(in, 0.0)),
                                  scalars.le(p, scalars.constant(in, 1.0)));
      });
  auto dims = *guard::getDims(converter.getResultType());
  Exprs index = converter.broadcast(view, dims);
  return drawElements(
      converter, stored,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Value p = scalars.convert(converter.read(body, view, index), from,
                                  body.builder.getF64Type());
        return scalars.convert(words.isHit(p), body.builder.getI1Type(),
                               stored);
      });
}

LogicalResult loop::lowerDropout(Converter &converter) {
  auto p = converter.getConstant("p");
  if (!p || !isProbability(*p))
    return converter.refuse("the probability is an error");
  RankedTensorType type = converter.getResultType();
  RankedTensorType maskType = converter.getResultType(1);
  Type stored = type.getElementType();
  View self = converter.getView(converter.getTensor("input"));
  auto identity = getIdentityMap(converter.getContext(), self.dims.size());
  Type i1 = IntegerType::get(converter.getContext(), 1);
  bool trains =
      converter.getArg("train").isNone() || converter.getBool("train");
  if (!trains) {
    Value kept = converter.makePointwise(
        maskType, i1, [&](BodyContext, ScalarBuilder &scalars) {
          return scalars.constant(i1, int64_t(1));
        });
    if (failed(converter.setReshaped(1, kept)))
      return failure();
    converter.setView(converter.getResult(0), self);
    return success();
  }
  if (!isa<FloatType>(stored))
    return converter.refuse("dropout of integers is an error");
  Draw draw(converter);
  Value mask = converter.makePointwise(
      maskType, i1, [&](BodyContext body, ScalarBuilder &scalars) {
        Type f64 = body.builder.getF64Type();
        return draw.at(body, self.dims)
            .isHit(scalars.constant(f64, 1 - *p));
      });
  if (failed(converter.setReshaped(1, mask)))
    return failure();
  View keeps = converter.getView(mask);
  Type in = Converter::getComputeType(stored);
  double scale = *p == 1 ? 0 : 1 / (1 - *p);
  return converter.setReshaped(
      0, converter.makePointwise(
             type, in, [&](BodyContext body, ScalarBuilder &scalars) {
               Value x = scalars.convert(converter.read(body, self, identity),
                                         stored, in);
               Value keep = scalars.convert(
                   converter.read(body, keeps, identity), i1, in);
               return scalars.mul(
                   x, scalars.mul(keep, scalars.constant(in, scale)));
             }));
}

/// Dropped elements become the negative saturation value of selu; the affine
/// map restores mean and variance.
LogicalResult loop::lowerAlphaDropout(Converter &converter) {
  auto p = converter.getConstant("p");
  if (!p || !isProbability(*p))
    return converter.refuse("the probability is an error");
  View self = converter.getView(converter.getTensor("input"));
  bool isEmpty = guard::product(converter.getContext(), self.dims).isConstant(0);
  if (!converter.getBool("train") || *p == 0 || isEmpty) {
    converter.setView(converter.getResult(0), self);
    return success();
  }
  Type stored = converter.getResultType().getElementType();
  if (!isa<FloatType>(stored))
    return converter.refuse("dropout of integers is an error");
  Type in = Converter::getComputeType(stored);
  const double alpha = 1.7580993408473766;
  double a = *p == 1 ? 0 : 1 / std::sqrt((alpha * alpha * *p + 1) * (1 - *p));
  auto identity = getIdentityMap(converter.getContext(), self.dims.size());
  return drawElements(
      converter, in,
      [&](BodyContext body, ScalarBuilder &scalars, Words &words) {
        Type f64 = body.builder.getF64Type();
        Value x = scalars.convert(converter.read(body, self, identity), stored,
                                  in);
        Value kept = scalars.add(scalars.mul(x, scalars.constant(in, a)),
                                 scalars.constant(in, alpha * a * *p));
        Value dropped = scalars.constant(in, -alpha * a + alpha * a * *p);
        Value isDropped = words.isHit(scalars.constant(f64, *p));
        Value value = scalars.where(isDropped, dropped, kept);
        return *p == 1 ? scalars.constant(in, 0.0) : value;
      });
}

LogicalResult loop::lowerRrelu(Converter &converter) {
  auto lower = converter.getConstant("lower");
  auto upper = converter.getConstant("upper");
  double low = lower.value_or(0.125), high = upper.value_or(1.0 / 3);
  if (!(low <= high))
    return converter.refuse("the range is an error");
  RankedTensorType type = converter.getResultType();
  RankedTensorType noiseType = converter.getResultType(1);
  View self = converter.getView(converter.getTensor("self"));
  View noise = converter.getView(converter.getTensor("noise"));
  Type stored = type.getElementType(), in = Converter::getComputeType(stored);
  auto identity = getIdentityMap(converter.getContext(), self.dims.size());
  bool trains = converter.getBool("training");
  if (!isa<FloatType>(stored) || (trains && noise.dims != self.dims))
    return converter.refuse("the noise is an error");
  auto getInput = [&](BodyContext body, ScalarBuilder &scalars) {
    return scalars.convert(converter.read(body, self, identity), stored, in);
  };
  if (!trains) {
    converter.setView(converter.getResult(1), noise);
    return converter.setReshaped(
        0, converter.makePointwise(
               type, in, [&](BodyContext body, ScalarBuilder &scalars) {
                 Value x = getInput(body, scalars);
                 Value zero = scalars.constant(in, 0.0);
                 Value slope = scalars.constant(in, (low + high) / 2);
                 return scalars.where(scalars.lt(x, zero),
                                      scalars.mul(x, slope), x);
               }));
  }
  Draw draw(converter);
  // The slopes, in the precision that they multiply with.
  Value slopes = converter.makePointwise(
      guard::makeTensorType(in, self.dims), in,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value unit = draw.at(body, self.dims).getUnit(in, 24);
        Value slope = scalars.add(
            scalars.constant(in, low),
            scalars.mul(scalars.constant(in, high - low), unit));
        Value scales = scalars.le(getInput(body, scalars),
                                  scalars.constant(in, 0.0));
        return scalars.where(scales, slope, scalars.constant(in, 1.0));
      });
  if (!slopes)
    return failure();
  View factors = converter.getView(slopes);
  Value values = converter.makePointwise(
      type, in, [&](BodyContext body, ScalarBuilder &scalars) {
        return scalars.mul(getInput(body, scalars),
                           converter.read(body, factors, identity));
      });
  if (failed(converter.setReshaped(0, values)))
    return failure();
  return converter.setReshaped(
      1, converter.materialize(factors, noiseType.getElementType()));
}

/// A number among the arguments, or `otherwise` if it is absent; NaN if it is
/// not constant.
static double getNumber(Converter &converter, StringRef argument,
                        double otherwise) {
  return converter.getArg(argument).isNone()
             ? otherwise
             : converter.getConstant(argument).value_or(NAN);
}

LogicalResult loop::lowerRand(Converter &converter) {
  return drawUniform(converter, 0, 1);
}

LogicalResult loop::lowerUniform(Converter &converter) {
  return drawUniform(converter, getNumber(converter, "from", 0),
                     getNumber(converter, "to", 1));
}

LogicalResult loop::lowerRandn(Converter &converter) {
  return drawNormal(converter, 0, 1);
}

LogicalResult loop::lowerNormal(Converter &converter) {
  return drawNormal(converter, getNumber(converter, "mean", 0),
                    getNumber(converter, "std", 1));
}

LogicalResult loop::lowerExponential(Converter &converter) {
  return drawExponential(converter, getNumber(converter, "lambd", 1));
}

LogicalResult loop::lowerRandint(Converter &converter) {
  ExprAttr low = converter.getExpr("low"), high = converter.getExpr("high");
  return high ? drawIntegers(converter, low ? low : converter.expr(0), high)
              : converter.refuse("the range is not known");
}

LogicalResult loop::lowerBernoulli(Converter &converter) {
  return drawChances(converter, converter.getTensor("self"));
}

LogicalResult loop::lowerBernoulliNumber(Converter &converter) {
  return drawChance(converter, getNumber(converter, "p", 0.5));
}

LogicalResult loop::lowerBernoulliTensor(Converter &converter) {
  return drawChances(converter, converter.getTensor("p"));
}
