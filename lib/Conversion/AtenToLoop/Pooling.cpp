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
#include "kiln/Dialect/Guard/IR/ExprRange.h"

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
  WindowNest getNest(LoopBuilder &loops) const;
  /// Whether all taps of a window may lie outside of the input: padding is no
  /// wider than half of a window, so that only gaps between taps let it miss.
  bool mayHaveEmptyWindows() const {
    return !isAdaptive && llvm::any_of(shapes, [](const WindowShape &shape) {
      return !shape.padding.isConstant(0) && !shape.dilation.isConstant(1);
    });
  }
  /// For each spatial dimension the first tap that is not in front of the input.
  Exprs getFirst(LoopBuilder &loops) const;
};

} // namespace

WindowNest Pooling::getNest(LoopBuilder &loops) const {
  return WindowNest(
      loops, isBackward ? input : output, spatial,
      [&](unsigned k, ExprAttr place, ExprAttr index) {
        ExprAttr from = getInput()[k], to = getOutput()[k];
        if (isAdaptive)
          return isBackward ? adapt(to, from, place, index)
                            : adapt(from, to, place, index);
        return isBackward ? cover(shapes[k], place, index)
                          : slide(shapes[k], place, index);
      });
}

Exprs Pooling::getFirst(LoopBuilder &loops) const {
  Exprs first;
  for (auto [k, shape] : llvm::enumerate(shapes)) {
    ExprAttr begin = loops.dim(getLead() + k) * shape.stride - shape.padding;
    first.push_back(guard::select(guard::lt(begin, loops.expr(0)),
                                  guard::mod(begin, shape.dilation), begin));
  }
  return first;
}

/// Nothing but the batch may be empty.
static bool hasEmptyPlane(ArrayRef<ExprAttr> sizes, unsigned spatial) {
  return llvm::any_of(sizes.take_back(spatial + 1),
                      [](ExprAttr size) { return size.isConstant(0); });
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

static LogicalResult lowerMax(LoopBuilder &loops, const PoolingArgs &args,
                              const Pooling &pool) {
  View self = loops.getView(args.self);
  Type stored = pool.type.getElementType();
  if (stored.isInteger(1) || (pool.isAdaptive && !isa<FloatType>(stored)))
    return loops.refuse("an extremum of these elements has no kernel");
  WindowNest nest = pool.getNest(loops);
  Type acc = LoopBuilder::getComputeType(stored);
  // Unsigned bytes compare as wider integers.
  if (stored.isUnsignedInteger())
    acc = loops.getBuilder().getIntegerType(32);
  auto element = [&](BodyContext body, ScalarBuilder &scalars, Value valid) {
    if (!valid)
      return scalars.convert(loops.read(body, self, nest.at), stored, acc);
    return scalars.convert(
        loops.read(body, self, nest.at, valid,
                   scalars.neutral(ReductionKind::Max, stored)),
        stored, acc);
  };
  bool withIndices = loops.getNumResults() > 1 && !loops.isUnused(1);
  if (!withIndices) {
    SmallVector<Value> values = loops.makeReduce(
        TypeRange(pool.type), nest.parallel, nest.reduction, ReductionKind::Max,
        acc, [&](BodyContext body, ScalarBuilder &scalars) {
          return SmallVector<Value>{
              element(body, scalars, loops.condition(body, nest.valid))};
        });
    return loops.setMade(0, values[0]);
  }
  // Of several NaNs PyTorch gives the last, of other equals the first.
  Type i64 = loops.getBuilder().getI64Type();
  auto indexType = cast<RankedTensorType>(loops.getResultType(1));
  SmallVector<Value> results = loops.makeReduce(
      TypeRange({pool.type, indexType}), nest.parallel, nest.reduction,
      isa<FloatType>(stored) ? ReductionKind::ArgMaxLastNaN
                             : ReductionKind::ArgMax,
      acc, [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = loops.condition(body, nest.valid);
        Value value = element(body, scalars, valid);
        ExprAttr flat = getFlat(
            ArrayRef(nest.at).take_back(pool.spatial), pool.getInput());
        Value index = loops.number(body, scalars, flat, i64);
        if (valid)
          index = scalars.where(valid, index,
                                scalars.constant(i64, int64_t(INT64_MAX)));
        return SmallVector<Value>{value, index};
      });
  if (failed(loops.setMade(0, results[0])))
    return failure();
  if (!pool.mayHaveEmptyWindows()) {
    loops.setResult(1, results[1]);
    return success();
  }
  View found = loops.getView(results[1]);
  Value indices = loops.makePointwise(
      indexType, i64, [&](BodyContext body, ScalarBuilder &scalars) {
        Value index = loops.read(body, found, found.map);
        Value first = loops.number(
            body, scalars, getFlat(pool.getFirst(loops), pool.getInput()), i64);
        return scalars.where(
            scalars.eq(index, scalars.constant(i64, int64_t(INT64_MAX))), first,
            index);
      });
  loops.setResult(1, indices);
  return success();
}

/// The sum of the gradients of the windows that chose an element.
static LogicalResult lowerMaxBackward(LoopBuilder &loops,
                                      const PoolingArgs &args,
                                      const Pooling &pool) {
  Value gradient = args.gradOutput, chosen = args.indices;
  View source = loops.getView(gradient), indices = loops.getView(chosen);
  Type stored = pool.type.getElementType();
  if (!isa<FloatType>(stored) || loops.getElement(gradient) != stored ||
      loops.getElement(chosen) != loops.getBuilder().getI64Type())
    return loops.refuse("a gradient of these types has no kernel");
  WindowNest nest = pool.getNest(loops);
  Type acc = LoopBuilder::getComputeType(stored);
  Type i64 = loops.getBuilder().getI64Type();
  SmallVector<Value> sums = loops.makeReduce(
      TypeRange(pool.type), nest.parallel, nest.reduction, ReductionKind::Sum,
      acc, [&](BodyContext body, ScalarBuilder &scalars) {
        Exprs place;
        for (unsigned k = 0; k < pool.spatial; ++k)
          place.push_back(loops.dim(pool.getLead() + k));
        Value own =
            loops.number(body, scalars, getFlat(place, pool.getInput()), i64);
        Value valid = loops.condition(body, nest.valid);
        Value zero = scalars.constant(stored, 0.0);
        Value none = scalars.constant(i64, int64_t(-1));
        Value at = loops.read(body, indices, nest.at, valid, none);
        Value share = loops.read(body, source, nest.at, valid, zero);
        share = scalars.where(scalars.eq(at, own), share, zero);
        return SmallVector<Value>{scalars.convert(share, stored, acc)};
      });
  return loops.setMade(0, sums[0]);
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

/// By what the sum of the window at output position `at` is divided: factors.
/// Their product is left to the code, it has no short form.
static Exprs getDivisor(LoopBuilder &loops, const PoolingArgs &args,
                        const Pooling &pool, ArrayRef<ExprAttr> at,
                        const guard::Assumptions &assumptions) {
  Exprs factors;
  if (args.divisorOverride)
    return {loops.expr(*args.divisorOverride)};
  bool includesPadding = args.countIncludePad.value_or(true);
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
                      guard::max(begin, loops.expr(0));
    factors.push_back(guard::max(inside, loops.expr(1)));
  }
  ExprAttr constant = loops.expr(1);
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

static LogicalResult lowerAverage(LoopBuilder &loops, const PoolingArgs &args,
                                  const Pooling &pool) {
  Type stored = pool.type.getElementType();
  bool isInteger = stored.isSignlessInteger(64) && !pool.isAdaptive;
  if (!isa<FloatType>(stored) && !isInteger)
    return loops.refuse("averages of these elements have no kernel");
  if (args.divisorOverride == 0)
    return loops.refuse("a divisor of 0 has no kernel");
  Value source = pool.isBackward ? args.gradOutput : args.self;
  if (loops.getElement(source) != stored)
    return loops.refuse("a gradient of another type has no kernel");
  View view = loops.getView(source);
  Type acc = LoopBuilder::getComputeType(stored);
  RankedTensorType type = pool.type;
  auto sumType = cast<RankedTensorType>(type.clone(acc));
  WindowNest nest = pool.getNest(loops);
  Exprs extents(nest.parallel);
  extents.append(nest.reduction);
  guard::Assumptions assumptions = loops.getAssumptions();
  analysis::addExtents(assumptions, loops.getContext(), extents);
  auto divide = [&](BodyContext body, ScalarBuilder &scalars, Value value,
                    ArrayRef<ExprAttr> at) {
    Value divisor;
    for (ExprAttr factor : getDivisor(loops, args, pool, at, assumptions))
      if (Value next = factor.isConstant(1)
                           ? Value()
                           : loops.number(body, scalars, factor, acc))
        divisor = divisor ? scalars.mul(divisor, next) : next;
    if (!divisor)
      return value;
    return isInteger ? scalars.truncDiv(value, divisor)
                     : scalars.div(value, divisor);
  };
  SmallVector<Value> sums = loops.makeReduce(
      TypeRange(pool.isBackward ? pool.type : sumType), nest.parallel,
      nest.reduction, ReductionKind::Sum, acc,
      [&](BodyContext body, ScalarBuilder &scalars) {
        Value valid = loops.condition(body, nest.valid);
        Value zero = scalars.constant(stored, int64_t(0));
        Value value = loops.read(body, view, nest.at, valid, zero);
        value = scalars.convert(value, stored, acc);
        // A gradient is shared out by the window it belongs to.
        if (pool.isBackward)
          value = divide(body, scalars, value,
                         ArrayRef(nest.at).take_back(pool.spatial));
        return SmallVector<Value>{value};
      });
  if (pool.isBackward) {
    return loops.setMade(0, sums[0]);
  }
  View total = loops.getView(sums[0]);
  Value mean = loops.makePointwise(
      pool.type, acc, [&](BodyContext body, ScalarBuilder &scalars) {
        return divide(body, scalars, loops.read(body, total, total.map),
                      ArrayRef(total.map).take_back(pool.spatial));
      });
  return loops.setMade(0, mean);
}

static LogicalResult lowerPooling(LoopBuilder &loops, const PoolingArgs &args,
                                  unsigned spatial, bool isMax) {
  Pooling pool;
  pool.isBackward = bool(args.gradOutput);
  pool.isAdaptive = args.kernelSize.empty();
  pool.isMax = isMax;
  pool.spatial = spatial;
  pool.type = loops.getResultType();
  View self = loops.getView(args.self);
  pool.input = self.dims;
  pool.output = pool.isBackward ? loops.getView(args.gradOutput).dims
                                : *guard::getDims(pool.type);
  if (pool.input.size() != pool.output.size() ||
      (pool.input.size() != pool.spatial + 1 &&
       pool.input.size() != pool.spatial + 2))
    return loops.refuse("the gradient and the input have different ranks");
  if (hasEmptyPlane(pool.input, pool.spatial) ||
      (!pool.isAdaptive && hasEmptyPlane(pool.output, pool.spatial)))
    return loops.refuse("an image without elements has no kernel");
  if (pool.isAdaptive && hasEmptyPlane(pool.output, pool.spatial)) {
    // Nothing is asked for; a gradient of nothing is refused by PyTorch.
    if (pool.isBackward || !isa<FloatType>(pool.type.getElementType()))
      return loops.refuse("an image without elements has no kernel");
    for (unsigned i = 0; i < loops.getNumResults(); ++i)
      loops.setResult(i, loops.makeZeros(loops.getResultType(i)));
    return success();
  }
  if (!pool.isAdaptive)
    pool.shapes = getWindowShapes(
        loops, {args.kernelSize, args.stride, args.padding, args.dilation},
        pool.getInput(), pool.getOutput());
  if (pool.isMax)
    return pool.isBackward ? lowerMaxBackward(loops, args, pool)
                           : lowerMax(loops, args, pool);
  return lowerAverage(loops, args, pool);
}

LogicalResult loop::lowerMaxPool(LoopBuilder &loops, const PoolingArgs &args,
                                 unsigned spatial) {
  return lowerPooling(loops, args, spatial, /*isMax=*/true);
}

LogicalResult loop::lowerAveragePool(LoopBuilder &loops,
                                     const PoolingArgs &args,
                                     unsigned spatial) {
  return lowerPooling(loops, args, spatial, /*isMax=*/false);
}
