//===- CompositeMath.cpp - Element functions and reductions of others -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeFormulas.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

static bool hasFractions(Value x) {
  return llvm::isa<mlir::FloatType>(Composite::elementTypeOf(x));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// Within a tolerance, as `numpy.isclose` has it.
Value decomposeIsclose(IscloseOp op, Composite &c) {
  Value a = op.getSelf(), b = op.getOther();
  if (Composite::elementTypeOf(a) != Composite::elementTypeOf(b))
    return {};
  Value close = c.eq(a, b);
  if (hasFractions(a) && op.getEqualNan())
    close = c.logicalOr(close, c.logicalAnd(c.isnan(a), c.isnan(b)));
  double relative = op.getRtol().convertToDouble(),
         absolute = op.getAtol().convertToDouble();
  if (relative == 0 && absolute == 0)
    return close;
  a = c.floating(a);
  b = c.floating(b);
  Value allowed = c.add(c.abs(c.mul(b, relative)), absolute);
  Value difference = c.abs(c.sub(a, b));
  Value isFinite = c.lt(difference, std::numeric_limits<double>::infinity());
  return c.logicalOr(close, c.logicalAnd(isFinite, c.le(difference, allowed)));
}

Value decomposeIsin(const IsinArgs &args, Composite &c) {
  Value elements = args.elements, tests = args.testElements;
  if (!elements)
    elements = c.wrap(args.element, tests);
  if (!tests)
    tests = c.wrap(args.testElement, elements);
  Value each = c.unsqueeze(elements, -1);
  Value row = c.row(tests);
  Value found = c.anyDim(c.eq(each, row), -1);
  return *args.invert ? c.logicalNot(found) : found;
}

/// Rounded to a number of decimals, half to even.
Value decomposeRound(const RoundArgs &args, Composite &c) {
  Value x = args.self;
  int64_t decimals = *args.decimals;
  if (!hasFractions(x))
    return decimals == 0 ? x : Value();
  if (decimals == 0)
    return c.round(x);
  double power = std::pow(10.0, double(std::abs(decimals)));
  if (decimals > 0)
    return c.div(c.round(c.mul(x, power)), power);
  return c.mul(c.round(c.div(x, power)), power);
}

/// log2(2^a + 2^b).
Value decomposeLogaddexp2(Logaddexp2Op op, Composite &c) {
  Value a = op.getSelf(), b = op.getOther();
  double ln2 = std::log(2.0);
  return c.div(
      c.logaddexp(c.mul(c.floating(a), ln2), c.mul(c.floating(b), ln2)), ln2);
}

Value decomposeFloatPower(const PowerArgs &args, Composite &c) {
  Type f64 = c.getBuilder().getF64Type();
  auto wide = [&](Value x) {
    return llvm::isa<RankedTensorType>(x.getType()) ? c.cast(x, f64)
                                                    : c.full(Sizes(), x, f64);
  };
  return c.powTensorTensor(wide(args.self), wide(args.exponent));
}

/// The logarithm of the multivariate gamma function of dimension p.
Value decomposeMvlgamma(MvlgammaOp op, Composite &c) {
  Value x = c.floating(op.getSelf());
  int64_t p = int64_t(op.getP());
  if (!x || p < 1)
    return {};
  Value sum;
  for (int64_t k = 0; k < p; ++k) {
    Value term = c.lgamma(c.sub(x, 0.5 * double(k)));
    sum = sum ? c.add(sum, term) : term;
  }
  return c.add(sum, double(p * (p - 1)) / 4 * std::log(M_PI));
}

/// The least common multiple, 0 where one is 0.
Value decomposeLcm(LcmOp op, Composite &c) {
  Value a = op.getSelf(), b = op.getOther();
  Value divisor = c.gcd(a, b);
  if (!divisor)
    return {};
  Value some = c.where(c.eq(divisor, 0), c.filled(divisor, 1), divisor);
  Value share = c.divTensorMode(a, some, "trunc");
  return c.abs(c.mul(share, b));
}

/// start, ..., end in equal steps, of which one is a tensor without dimensions.
Value decomposeLinspaceOfTensors(const LinspaceArgs &args, Composite &c) {
  Type type = args.dtype ? args.dtype : c.getBuilder().getF32Type();
  int64_t steps = *args.steps;
  if (!llvm::isa<mlir::FloatType>(type) || steps < 0)
    return {};
  auto end = [&](Value x) {
    return llvm::isa<RankedTensorType>(x.getType()) ? c.cast(x, type)
                                                    : c.full(Sizes(), x, type);
  };
  Value first = end(args.start), last = end(args.end);
  if (steps == 1)
    return c.unsqueeze(first, 0);
  Value at = c.iota(c.expr(steps), type);
  Value step = c.div(c.sub(last, first), double(steps - 1));
  // From the nearer end, so that both are exact.
  Value up = c.add(first, c.mul(at, step));
  Value down = c.sub(last, c.mul(c.sub(double(steps - 1), at), step));
  return c.where(c.lt(at, double(steps / 2)), up, down);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Values decomposeDeviationAndMean(const MomentsArgs &args, Composite &c) {
  return c
      .stdMeanCorrection(args.self, args.dim ? IntsArg(*args.dim) : IntsArg(),
                         int64_t(*args.unbiased), args.keepdim.value_or(false))
      .all();
}

Value decomposeNanmean(NanmeanOp op, Composite &c) {
  Value x = op.getSelf();
  Type type = op.getDtype().value_or(Type());
  Value sum = c.nansum(x, op.getDim(), op.getKeepdim(), type);
  Value counted = c.logicalNot(c.isnan(x));
  Value count = c.sumDimIntList(counted, op.getDim(), op.getKeepdim());
  return sum && count ? c.div(sum, c.cast(count, Composite::elementTypeOf(sum)))
                      : Value();
}

/// The lower of two middle values that are numbers, and where it is; NaN if
/// there is none.
static Values nanMedian(Composite &c, Value x, int64_t dim, bool keepdim) {
  if (Composite::rankOf(x) == 0)
    x = c.unsqueeze(x, 0);
  OpResults sorted = c.sort(x, dim);
  if (!sorted)
    return {};
  Type i64 = c.getBuilder().getI64Type();
  Value isNumber =
      hasFractions(x) ? c.logicalNot(c.isnan(x))
                 : c.full(Composite::dimsOf(x), 1, c.getBuilder().getI1Type());
  Value count = c.sumOver(c.cast(isNumber, i64), {dim}, /*keepdim=*/true);
  Value middle = c.divTensorMode(c.clamp(c.sub(count, 1), 0), 2, "floor");
  Values both;
  for (Value results : {sorted[0], sorted[1]}) {
    Value chosen = c.gather(results, dim, middle);
    both.push_back(keepdim ? chosen : c.squeezeDim(chosen, dim));
  }
  return both;
}

/// How rows vary with each other.
Value decomposeCov(CovOp op, Composite &c) {
  Value x = op.getSelf();
  if (Composite::rankOf(x) > 2)
    return {};
  if (op.getFweights() || op.getAweights())
    return c.refuse("a covariance with weights");
  bool isRow = Composite::rankOf(x) < 2;
  if (isRow)
    x = c.view(x, {c.expr(1), Composite::numelOf(x)});
  x = c.floating(x);
  ExprAttr count = c.sizeOf(x, 1);
  Value centered = c.sub(x, c.meanOver(x, {1}, /*keepdim=*/true));
  Value sums = c.mm(centered, c.transposeLast(centered));
  Value divisor =
      c.full(Sizes(),
             c.number(guard::max(count - c.expr(int64_t(op.getCorrection())),
                                 c.expr(0))),
             Composite::elementTypeOf(x));
  Value result = c.div(sums, divisor);
  return isRow && result ? c.view(result, ArrayRef<ExprAttr>()) : result;
}

/// The same, divided by standard deviations.
Value decomposeCorrcoef(CorrcoefOp op, Composite &c) {
  Value x = c.floating(op.getSelf());
  if (Composite::rankOf(x) != 2)
    return Composite::rankOf(x) < 2 ? c.refuse("a correlation of one row")
                                    : Value();
  Value centered = c.sub(x, c.meanOver(x, {1}, /*keepdim=*/true));
  Value sums = c.mm(centered, c.transposeLast(centered));
  Value deviation = c.sqrt(c.diagonal(sums));
  Value result = c.div(c.div(sums, c.unsqueeze(deviation, 1)), deviation);
  return result ? c.clamp(result, c.number(-1.0), c.number(1.0)) : result;
}

Value formula::shareOf(Composite &c, Value x, double number) {
  return c.full(Sizes(), number, Composite::elementTypeOf(x));
}

Value formula::quantile(Composite &c, Value x, Value q,
                        std::optional<int64_t> givenDim, bool keeps,
                        StringRef how, bool skipsNan) {
  if (!hasFractions(x) || !q)
    return {};
  bool isFlat = !givenDim;
  int64_t rank = Composite::rankOf(x), dim = 0;
  auto kept = Composite::dimsOf(x);
  if (isFlat || rank == 0) {
    x = c.row(x);
    llvm::fill(kept, c.expr(1));
  } else {
    dim = c.place(*givenDim, rank);
    x = c.transpose(x, dim, -1);
    kept[dim] = c.expr(1);
  }
  if (!x)
    return {};
  // The sorted rows, a batch of them.
  Value rows = c.sort(x, -1).front();
  if (!rows)
    return {};
  auto dims = Composite::dimsOf(rows);
  ExprAttr count = dims.back(), last = count - c.expr(1);
  dims.back() = c.expr(1);
  Type type = Composite::elementTypeOf(x);
  Value isMissing = c.isnan(rows);
  // How many intervals a row has; all of it is NaN as soon as one element is,
  // unless those are left out.
  Value ranks;
  Value shares = c.view(q, {Composite::numelOf(q)});
  if (skipsNan) {
    Value there = c.sumDimIntList(c.logicalNot(isMissing), {-1}, true);
    ranks = c.clamp(c.mul(c.cast(c.sub(there, 1), type), shares), 0);
  } else {
    Value whole = c.mul(shares, c.full(Sizes(), c.number(last), type));
    Value end = c.full(Sizes(), c.number(last), type);
    ranks = c.where(c.anyDim(isMissing, -1, /*keepdim=*/true), end, whole);
  }
  if (!ranks)
    return {};
  Type i64 = c.getBuilder().getI64Type();
  auto at = [&](Value rank) { return c.gather(rows, -1, c.cast(rank, i64)); };
  Value low = c.floor(ranks), high = c.ceil(ranks), result;
  if (how == "lower")
    result = at(low);
  else if (how == "higher")
    result = at(high);
  else if (how == "nearest")
    result = at(c.round(ranks));
  else if (how == "midpoint")
    result = c.mul(c.add(at(low), at(high)), 0.5);
  else
    result = c.lerpTensor(at(low), at(high), c.sub(ranks, low));
  // [rows..., shares] with the reduced dimension in its place, shares first.
  if (!result)
    return {};
  result = c.unsqueeze(result, 0);
  result = c.transpose(result, 0, -1);
  SmallVector<ExprAttr> wanted;
  bool isList = Composite::rankOf(q) > 0;
  if (isList)
    wanted.push_back(c.sizeOf(q, 0));
  if (isFlat || rank == 0) {
    if (keeps)
      llvm::append_range(wanted, kept);
    return c.view(result, wanted);
  }
  // result: [shares, dims with `dim` and the last exchanged, 1 at the end]
  result = c.transpose(result, dim + 1, -1);
  if (!keeps)
    kept.erase(kept.begin() + dim);
  llvm::append_range(wanted, kept);
  return c.view(c.reshape(result, wanted), wanted);
}

/// Areas of the strips below a curve whose points have these distances.
static Value strips(Composite &c, Value y, Value distances, int64_t dim) {
  ExprAttr count = c.sizeOf(y, dim);
  Value left = c.sliceTensor(y, dim, c.expr(0), count - c.expr(1));
  Value right = c.sliceTensor(y, dim, c.expr(1), count);
  return c.div(c.mul(c.add(c.floating(left), c.floating(right)), distances), 2);
}

static Value distances(Composite &c, Value y, Value x, int64_t dim) {
  int64_t rank = Composite::rankOf(y);
  dim = c.place(dim, rank);
  int64_t along =
      Composite::rankOf(x) == 1 ? 0 : dim - rank + Composite::rankOf(x);
  if (along < 0)
    return {};
  ExprAttr count = c.sizeOf(x, along);
  Value steps = c.sub(c.sliceTensor(x, along, c.expr(1), count),
                      c.sliceTensor(x, along, c.expr(0), count - c.expr(1)));
  if (Composite::rankOf(x) == 1)
    for (int64_t k = dim + 1; k < rank; ++k)
      steps = c.unsqueeze(steps, -1);
  return steps;
}

Value decomposeIsreal(IsrealOp op, Composite &c) {
  Value x = op.getSelf();
  if (llvm::isa<mlir::ComplexType>(Composite::elementTypeOf(x)))
    return c.eq(c.imag(x), 0);
  return c.full(Composite::dimsOf(x), 1, c.getBuilder().getI1Type());
}

Value decomposeSpecialNdtr(SpecialNdtrOp op, Composite &c) {
  Value x = c.floating(op.getSelf());
  return c.mul(c.erfc(c.mul(x, -std::sqrt(0.5))), 0.5);
}

Value decomposeCountNonzeroDimIntList(CountNonzeroDimIntListOp op,
                                      Composite &c) {
  return c.sumDimIntList(c.ne(op.getSelf(), 0), op.getDim());
}

Values decomposeVarMean(VarMeanOp op, Composite &c) {
  return c.varMeanCorrection(op.getSelf(), {}, int64_t(op.getUnbiased())).all();
}

Value decomposeMedian(MedianOp op, Composite &c) {
  Value row = c.row(op.getSelf());
  return c.medianDim(row, 0).front();
}

Value decomposeNanmedian(NanmedianOp op, Composite &c) {
  Value row = c.row(op.getSelf());
  Values both = row ? nanMedian(c, row, 0, false) : Values();
  return both.empty() ? Value() : both[0];
}

Values decomposeNanmedianDim(NanmedianDimOp op, Composite &c) {
  return nanMedian(c, op.getSelf(), int64_t(op.getDim()), op.getKeepdim());
}

Values decomposeUniqueDimConsecutive(UniqueDimConsecutiveOp op, Composite &c) {
  return c.rebuild<UniqueConsecutiveOp>(
      op, {op.getSelf(), op.getReturnInverseAttr(), op.getReturnCountsAttr(),
           op.getDimAttr()});
}

Values decomposeNonzeroNumpy(NonzeroNumpyOp op, Composite &c) {
  return c.rebuild<WhereOp>(op, {op.getSelf()});
}

Value decomposeTrapezoid(const TrapezoidArgs &args, Composite &c,
                         bool isCumulative) {
  int64_t dim = *args.dim;
  Value steps =
      args.x ? distances(c, args.y, args.x, dim) : c.numberOr(args.dx, 1);
  Value areas = strips(c, args.y, steps, dim);
  return isCumulative ? c.cumsum(areas, dim) : c.sumOver(areas, {dim});
}

Value decomposeDist(DistOp op, Composite &c) {
  return c.normScalar(c.sub(op.getSelf(), op.getOther()),
                      c.numberOr(op.getP(), 2));
}

} // namespace kiln::aten
