//===- Pooling.cpp - Windows reduced to one value -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pooling is one reduction over windows. What PyTorch refuses stays a call,
// so that it is refused with its message.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Windows.h"

#include "kiln/Analysis/IndexExpr.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace {

/// A pooling operator: between which sizes, over which windows.
struct Pooling {
  unsigned spatial;
  bool isAdaptive, isBackward, isMax;
  RankedTensorType type; ///< of the result, or of the gradient's result
  Exprs input, output;   ///< all sizes of either side
  SmallVector<WindowShape> shapes;

  unsigned getLead() const { return input.size() - spatial; }
  ArrayRef<ExprAttr> getInput() const {
    return ArrayRef(input).take_back(spatial);
  }
  ArrayRef<ExprAttr> getOutput() const {
    return ArrayRef(output).take_back(spatial);
  }
  /// The windows behind each element of the result.
  WindowNest getNest(Converter &converter) const;
  /// Whether all taps of a window may lie outside of the input: padding is no
  /// wider than half of a window, so that only gaps between taps let it miss.
  bool mayHaveEmptyWindows() const {
    return !isAdaptive && llvm::any_of(shapes, [](const WindowShape &shape) {
      return !shape.padding.isConstant(0) && !shape.dilation.isConstant(1);
    });
  }
  /// For each spatial dimension the first tap that is not in front of the input.
  Exprs getFirst(Converter &converter) const;
};

} // namespace

WindowNest Pooling::getNest(Converter &converter) const {
  return WindowNest(
      converter, isBackward ? input : output, spatial,
      [&](unsigned k, ExprAttr place, ExprAttr index) {
        ExprAttr from = getInput()[k], to = getOutput()[k];
        if (isAdaptive)
          return isBackward ? adapt(to, from, place, index)
                            : adapt(from, to, place, index);
        return isBackward ? cover(shapes[k], place, index)
                          : slide(shapes[k], place, index);
      });
}

Exprs Pooling::getFirst(Converter &converter) const {
  Exprs first;
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    ExprAttr begin =
        converter.dim(getLead() + k) * shape.stride - shape.padding;
    first.push_back(guard::select(guard::lt(begin, converter.expr(0)),
                                  guard::mod(begin, shape.dilation), begin));
  }
  return first;
}

/// Nothing but the batch may be empty.
static bool hasEmptyPlane(ArrayRef<ExprAttr> sizes, unsigned spatial) {
  return llvm::any_of(sizes.take_back(spatial + 1),
                      [](ExprAttr size) { return size.isConstant(0); });
}

static Value getLowest(ScalarBuilder &scalars, Type type) {
  if (isa<FloatType>(type))
    return scalars.constant(type, -HUGE_VAL);
  if (type.isUnsignedInteger())
    return scalars.constant(type, int64_t(0));
  return scalars.constant(
      type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth())
                .getSExtValue());
}

/// The position within a plane of sizes `sizes`, row by row.
static ExprAttr getFlat(ArrayRef<ExprAttr> at, ArrayRef<ExprAttr> sizes) {
  ExprAttr flat = at.front();
  for (auto [index, size] : llvm::zip(at.drop_front(), sizes.drop_front()))
    flat = flat * size + index;
  return flat;
}

//===----------------------------------------------------------------------===//
// Extrema
//===----------------------------------------------------------------------===//

static LogicalResult lowerMax(Converter &c, const Pooling &pool) {
  View self = c.getView(c.getTensor("self"));
  Type stored = pool.type.getElementType();
  if (stored.isInteger(1) || (pool.isAdaptive && !isa<FloatType>(stored)))
    return c.refuse("an extremum of these elements has no kernel");
  WindowNest nest = pool.getNest(c);
  Type acc = Converter::getComputeType(stored);
  // Unsigned bytes compare as wider integers.
  if (stored.isUnsignedInteger())
    acc = c.getBuilder().getIntegerType(32);
  auto element = [&](BodyContext body, ScalarBuilder &scalars, Value valid) {
    if (!valid)
      return scalars.convert(c.read(body, self, nest.at), stored, acc);
    return scalars.convert(
        c.read(body, self, nest.at, valid, getLowest(scalars, stored)), stored,
        acc);
  };
  bool withIndices = c.getNumResults() > 1 && !c.isUnused(1);
  if (!withIndices) {
    SmallVector<Value> values = c.makeReduce(
        TypeRange(pool.type), nest.parallel, nest.reduction,
        ReductionKind::Max, acc, [&](BodyContext body, ScalarBuilder &scalars) {
          return SmallVector<Value>{
              element(body, scalars, c.condition(body, nest.valid))};
        });
    c.setResult(0, values[0]);
    return success();
  }
  // Of several NaNs PyTorch gives the last, of other equals the first. The
  // smaller key wins, and those of NaNs are negative and fall.
  Type i64 = c.getBuilder().getI64Type();
  bool isFloat = isa<FloatType>(stored);
  auto indexType = cast<RankedTensorType>(c.getResultType(1));
  SmallVector<Value> results = c.makeReduce(
      TypeRange({pool.type, indexType}), nest.parallel, nest.reduction,
      ReductionKind::ArgMax, acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = c.condition(body, nest.valid);
        Value value = element(body, scalars, valid);
        ExprAttr flat = getFlat(
            ArrayRef(nest.at).take_back(pool.spatial), pool.getInput());
        Value key = c.number(body, scalars, flat, i64);
        if (isFloat)
          key = scalars.where(scalars.isNan(value), scalars.bitNot(key), key);
        if (valid)
          key = scalars.where(valid, key,
                              scalars.constant(i64, int64_t(INT64_MAX)));
        return SmallVector<Value>{value, key};
      });
  c.setResult(0, results[0]);
  bool mayBeEmpty = pool.mayHaveEmptyWindows();
  if (!isFloat && !mayBeEmpty) {
    c.setResult(1, results[1]);
    return success();
  }
  View keys = c.getView(results[1]);
  Value indices = c.makePointwise(
      indexType, i64, [&](BodyContext body, ScalarBuilder &scalars) {
        Value key = c.read(body, keys, keys.map);
        Value negative = scalars.lt(key, scalars.constant(i64, int64_t(0)));
        Value index = scalars.where(negative, scalars.bitNot(key), key);
        if (!mayBeEmpty)
          return index;
        Value first =
            c.number(body, scalars, getFlat(pool.getFirst(c), pool.getInput()),
                     i64);
        return scalars.where(
            scalars.eq(key, scalars.constant(i64, int64_t(INT64_MAX))), first,
            index);
      });
  c.setResult(1, indices);
  return success();
}

/// The sum of the gradients of the windows that chose an element.
static LogicalResult lowerMaxBackward(Converter &c, const Pooling &pool) {
  Value gradient = c.getTensor("grad_output"), chosen = c.getTensor("indices");
  View source = c.getView(gradient), indices = c.getView(chosen);
  Type stored = pool.type.getElementType();
  if (!isa<FloatType>(stored) || c.getElement(gradient) != stored ||
      c.getElement(chosen) != c.getBuilder().getI64Type())
    return c.refuse("a gradient of these types has no kernel");
  WindowNest nest = pool.getNest(c);
  Type acc = Converter::getComputeType(stored);
  Type i64 = c.getBuilder().getI64Type();
  SmallVector<Value> sums = c.makeReduce(
      TypeRange(pool.type), nest.parallel, nest.reduction, ReductionKind::Sum,
      acc, [&](BodyContext body, ScalarBuilder &scalars) {
        Exprs place;
        for (unsigned k = 0; k < pool.spatial; ++k)
          place.push_back(c.dim(pool.getLead() + k));
        Value own =
            c.number(body, scalars, getFlat(place, pool.getInput()), i64);
        Value valid = c.condition(body, nest.valid);
        Value zero = scalars.constant(stored, 0.0);
        Value none = scalars.constant(i64, int64_t(-1));
        Value at = valid ? c.read(body, indices, nest.at, valid, none)
                         : c.read(body, indices, nest.at);
        Value share = valid ? c.read(body, source, nest.at, valid, zero)
                            : c.read(body, source, nest.at);
        share = scalars.where(scalars.eq(at, own), share, zero);
        return SmallVector<Value>{scalars.convert(share, stored, acc)};
      });
  c.setResult(0, sums[0]);
  return success();
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

/// By what the sum of the window at output position `at` is divided: factors.
/// Their product is left to the code, it has no short form.
static Exprs getDivisor(Converter &c, const Pooling &pool,
                        ArrayRef<ExprAttr> at,
                        const guard::Assumptions &assumptions) {
  Exprs factors;
  if (!c.getArg("divisor_override").isNone())
    return {c.expr(c.getInt("divisor_override"))};
  bool includesPadding = c.getArg("count_include_pad").isNone() ||
                         c.getBool("count_include_pad");
  for (unsigned k = 0; k < pool.spatial; ++k) {
    ExprAttr place = at[k], from = pool.getInput()[k];
    if (pool.isAdaptive) {
      factors.push_back(countAdaptive(from, pool.getOutput()[k], place));
      continue;
    }
    const WindowShape &shape = pool.shapes[k];
    ExprAttr begin = place * shape.stride - shape.padding;
    if (includesPadding) {
      factors.push_back(
          guard::min(begin + shape.kernel, from + shape.padding) - begin);
      continue;
    }
    // A window may lie in the padding alone: its sum is 0, whatever divides.
    ExprAttr inside = guard::min(begin + shape.kernel, from) -
                      guard::max(begin, c.expr(0));
    factors.push_back(guard::max(inside, c.expr(1)));
  }
  ExprAttr constant = c.expr(1);
  Exprs result;
  for (ExprAttr factor : factors) {
    factor = guard::simplify(factor, assumptions);
    if (guard::hasDims(factor))
      result.push_back(factor);
    else
      constant = constant * factor;
  }
  result.push_back(constant);
  return result;
}

static LogicalResult lowerAverage(Converter &c, const Pooling &pool) {
  Type stored = pool.type.getElementType();
  bool isInteger = stored.isSignlessInteger(64) && !pool.isAdaptive;
  if (!isa<FloatType>(stored) && !isInteger)
    return c.refuse("averages of these elements have no kernel");
  if (!c.getArg("divisor_override").isNone() &&
      c.getInt("divisor_override") == 0)
    return c.refuse("a divisor of 0 has no kernel");
  Value source =
      c.getTensor(pool.isBackward ? StringRef("grad_output") : "self");
  if (c.getElement(source) != stored)
    return c.refuse("a gradient of another type has no kernel");
  View view = c.getView(source);
  Type acc = Converter::getComputeType(stored);
  RankedTensorType type = pool.type;
  auto sumType = cast<RankedTensorType>(type.clone(acc));
  WindowNest nest = pool.getNest(c);
  Exprs extents(nest.parallel);
  extents.append(nest.reduction);
  guard::Assumptions assumptions = c.getAssumptions();
  analysis::addExtents(assumptions, c.getContext(), extents);
  auto divide = [&](BodyContext body, ScalarBuilder &scalars, Value value,
                    ArrayRef<ExprAttr> at) {
    Value divisor;
    for (ExprAttr factor : getDivisor(c, pool, at, assumptions))
      if (Value next = factor.isConstant(1)
                           ? Value()
                           : c.number(body, scalars, factor, acc))
        divisor = divisor ? scalars.mul(divisor, next) : next;
    if (!divisor)
      return value;
    return isInteger ? scalars.truncDiv(value, divisor)
                     : scalars.div(value, divisor);
  };
  SmallVector<Value> sums = c.makeReduce(
      TypeRange(pool.isBackward ? pool.type : sumType), nest.parallel,
      nest.reduction, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = c.condition(body, nest.valid);
        Value zero = scalars.constant(stored, int64_t(0));
        Value value = valid ? c.read(body, view, nest.at, valid, zero)
                            : c.read(body, view, nest.at);
        value = scalars.convert(value, stored, acc);
        // A gradient is shared out by the window it belongs to.
        if (pool.isBackward)
          value = divide(body, scalars, value,
                         ArrayRef(nest.at).take_back(pool.spatial));
        return SmallVector<Value>{value};
      });
  if (pool.isBackward) {
    c.setResult(0, sums[0]);
    return success();
  }
  View total = c.getView(sums[0]);
  Value mean = c.makePointwise(
      pool.type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
        return divide(body, scalars, c.read(body, total, total.map),
                      ArrayRef(total.map).take_back(pool.spatial));
      });
  if (!mean)
    return failure();
  c.setResult(0, mean);
  return success();
}

static LogicalResult lowerPooling(Converter &c, unsigned spatial, bool isMax) {
  Pooling pool;
  pool.isBackward = !c.getArg("grad_output").isNone();
  pool.isAdaptive = c.getArg("kernel_size").isNone();
  pool.isMax = isMax;
  pool.spatial = spatial;
  pool.type = c.getResultType();
  View self = c.getView(c.getTensor("self"));
  pool.input = self.dims;
  pool.output = pool.isBackward ? c.getView(c.getTensor("grad_output")).dims
                                : *guard::getDims(pool.type);
  if (pool.input.size() != pool.output.size() ||
      (pool.input.size() != pool.spatial + 1 &&
       pool.input.size() != pool.spatial + 2))
    return c.refuse("the gradient and the input have different ranks");
  if (hasEmptyPlane(pool.input, pool.spatial) ||
      (!pool.isAdaptive && hasEmptyPlane(pool.output, pool.spatial)))
    return c.refuse("an image without elements has no kernel");
  if (pool.isAdaptive && hasEmptyPlane(pool.output, pool.spatial)) {
    // Nothing is asked for; a gradient of nothing is refused by PyTorch.
    if (pool.isBackward || !isa<FloatType>(pool.type.getElementType()))
      return c.refuse("an image without elements has no kernel");
    for (unsigned i = 0; i < c.getNumResults(); ++i)
      c.setResult(i, c.makeZeros(c.getResultType(i)));
    return success();
  }
  if (!pool.isAdaptive)
    pool.shapes = getWindowShapes(c, pool.getInput(), pool.getOutput());
  if (pool.isMax)
    return pool.isBackward ? lowerMaxBackward(c, pool) : lowerMax(c, pool);
  return lowerAverage(c, pool);
}

LogicalResult loop::lowerMaxPool(Converter &converter, unsigned spatial) {
  return lowerPooling(converter, spatial, /*isMax=*/true);
}

LogicalResult loop::lowerAveragePool(Converter &converter, unsigned spatial) {
  return lowerPooling(converter, spatial, /*isMax=*/false);
}
