//===- CompositeMath.cpp - Element functions and reductions of others -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

static bool isFloat(Value x) {
  return llvm::isa<mlir::FloatType>(Composite::elementTypeOf(x));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// x log(y), 0 where x is 0 and NaN where y is.
static Value xlogy(Composite &c, Value x, Value y) {
  return c.call("aten.xlogy.Tensor", {x, y});
}

/// Within a tolerance, as `numpy.isclose` has it.
static Value isClose(Composite &c) {
  Value a = c.self(), b = c.tensor("other");
  if (Composite::elementTypeOf(a) != Composite::elementTypeOf(b))
    return {};
  Value close = c.eq(a, b);
  if (isFloat(a) && c.flag("equal_nan"))
    close = c.logicalOr(close, c.logicalAnd(c.unary("aten.isnan", a),
                                            c.unary("aten.isnan", b)));
  double relative = c.real("rtol"), absolute = c.real("atol");
  if (relative == 0 && absolute == 0)
    return close;
  a = c.floating(a);
  b = c.floating(b);
  Value allowed = c.add(c.abs(c.mul(b, relative)), absolute);
  Value difference = c.abs(c.sub(a, b));
  Value isFinite = c.lt(difference, std::numeric_limits<double>::infinity());
  return c.logicalOr(close,
                     c.logicalAnd(isFinite, c.le(difference, allowed)));
}

static Value isIn(Composite &c, Value elements, Value tests) {
  Value each = c.unsqueeze(elements, -1);
  Value row = c.view(c.call("aten.reshape",
                            {tests, c.shape(Composite::numelOf(tests))}),
                     Composite::numelOf(tests));
  Value found = c.any(c.eq(each, row), -1);
  return c.flag("invert") ? c.logicalNot(found) : found;
}

/// Rounded to a number of decimals, half to even.
static Value roundTo(Composite &c) {
  Value x = c.self();
  int64_t decimals = c.integer("decimals");
  if (!isFloat(x))
    return decimals == 0 ? x : Value();
  if (decimals == 0)
    return c.unary("aten.round", x);
  double power = std::pow(10.0, double(std::abs(decimals)));
  if (decimals > 0)
    return c.div(c.unary("aten.round", c.mul(x, power)), power);
  return c.mul(c.unary("aten.round", c.div(x, power)), power);
}

/// log2(2^a + 2^b).
static Value logAddExp2(Composite &c, Value a, Value b) {
  double ln2 = std::log(2.0);
  return c.div(c.binary("aten.logaddexp", c.mul(c.floating(a), ln2),
                        c.mul(c.floating(b), ln2)),
               ln2);
}

static Value floatPower(Composite &c, Value base, Value exponent) {
  Type f64 = c.getBuilder().getF64Type();
  auto wide = [&](Value x) {
    return llvm::isa<RankedTensorType>(x.getType()) ? c.cast(x, f64)
                                                    : c.full({}, x, f64);
  };
  return c.call("aten.pow.Tensor_Tensor", {wide(base), wide(exponent)});
}

/// The logarithm of the multivariate gamma function of dimension p.
static Value multiLogGamma(Composite &c) {
  Value x = c.floating(c.self());
  int64_t p = c.integer("p");
  if (!x || p < 1)
    return {};
  Value sum;
  for (int64_t k = 0; k < p; ++k) {
    Value term = c.unary("aten.lgamma", c.sub(x, 0.5 * double(k)));
    sum = sum ? c.add(sum, term) : term;
  }
  return c.add(sum, double(p * (p - 1)) / 4 * std::log(M_PI));
}

/// The least common multiple, 0 where one is 0.
static Value leastMultiple(Composite &c, Value a, Value b) {
  Value divisor = c.call("aten.gcd", {a, b});
  if (!divisor)
    return {};
  Value some = c.where(c.eq(divisor, 0), c.onesLike(divisor), divisor);
  Value share = c.call("aten.div.Tensor_mode",
                       {a, some, c.getBuilder().getStringAttr("trunc")});
  return c.abs(c.mul(share, b));
}

/// start, ..., end in equal steps, of which one is a tensor without dimensions.
static Value linspace(Composite &c) {
  Type type = c.type("dtype");
  type = type ? type : Type(c.getBuilder().getF32Type());
  int64_t steps = c.integer("steps");
  if (!llvm::isa<mlir::FloatType>(type) || steps < 0)
    return {};
  auto end = [&](StringRef name) {
    Value x = c.scalar(name);
    return llvm::isa<RankedTensorType>(x.getType()) ? c.cast(x, type)
                                                    : c.full({}, x, type);
  };
  Value first = end("start"), last = end("end");
  if (steps == 1)
    return c.unsqueeze(first, 0);
  Value at = c.arange(c.expr(0), c.expr(steps), c.expr(1), type);
  Value step = c.div(c.sub(last, first), double(steps - 1));
  // From the nearer end, so that both are exact.
  Value up = c.add(first, c.mul(at, step));
  Value down = c.sub(last, c.mul(c.rsub(double(steps - 1), at), step));
  return c.where(c.lt(at, double(steps / 2)), up, down);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Standard deviation or variance, and the mean.
static Values spreadAndMean(Composite &c, StringRef overload) {
  bool unbiased = c.flag("unbiased");
  return Values(c.callMany(overload, {c.self(), c.arg("dim"),
                                      c.number(int64_t(unbiased)),
                                      c.arg("keepdim")}));
}

static Value nanMean(Composite &c) {
  Value x = c.self();
  Type type = c.type("dtype");
  Value sum = c.call("aten.nansum",
                     {x, c.arg("dim"), c.arg("keepdim"),
                      type ? aten::ArgValue(c.type(type)) : aten::ArgValue()});
  Value counted = c.logicalNot(c.unary("aten.isnan", x));
  Value count = c.call("aten.sum.dim_IntList",
                       {counted, c.arg("dim"), c.arg("keepdim")});
  return sum && count ? c.div(sum, c.cast(count, Composite::elementTypeOf(sum)))
                      : Value();
}

/// The lower of two middle values that are numbers, and where it is; NaN if there
/// is none.
static Values nanMedian(Composite &c, Value x, int64_t dim, bool keepdim) {
  if (Composite::rankOf(x) == 0)
    x = c.unsqueeze(x, 0);
  auto sorted = c.callMany("aten.sort", {x, c.AtenBuilder::integer(dim)});
  if (sorted.empty())
    return {};
  Type i64 = c.getBuilder().getI64Type();
  Value isNumber = isFloat(x) ? c.logicalNot(c.unary("aten.isnan", x))
                              : c.full(Composite::dimsOf(x), 1,
                                       c.getBuilder().getI1Type());
  Value count = c.sum(c.cast(isNumber, i64), {dim}, /*keepdim=*/true);
  Value middle = c.call("aten.div.Tensor_mode",
                        {c.clamp(c.sub(count, 1), 0), c.number(2),
                         c.getBuilder().getStringAttr("floor")});
  Values both;
  for (Value results : {sorted[0], sorted[1]}) {
    Value chosen = c.gather(results, dim, middle);
    both.push_back(keepdim ? chosen : c.squeeze(chosen, dim));
  }
  return both;
}

/// How rows vary with each other.
static Value covariance(Composite &c) {
  Value x = c.self();
  if (Composite::rankOf(x) > 2)
    return {};
  if (c.has("fweights") || c.has("aweights"))
    return c.refuse("a covariance with weights");
  bool isRow = Composite::rankOf(x) < 2;
  if (isRow)
    x = c.view(x, {c.expr(1), Composite::numelOf(x)});
  x = c.floating(x);
  ExprAttr count = c.dimOf(x, 1);
  Value centered = c.sub(x, c.mean(x, {1}, /*keepdim=*/true));
  Value sums = c.mm(centered, c.t(centered));
  Value divisor = c.full({}, c.number(guard::max(
                                 count - c.expr(c.integer("correction")),
                                 c.expr(0))),
                         Composite::elementTypeOf(x));
  Value result = c.div(sums, divisor);
  return isRow && result ? c.view(result, ArrayRef<ExprAttr>()) : result;
}

/// The same, divided by standard deviations.
static Value correlation(Composite &c) {
  Value x = c.floating(c.self());
  if (Composite::rankOf(x) != 2)
    return Composite::rankOf(x) < 2 ? c.refuse("a correlation of one row")
                                    : Value();
  Value centered = c.sub(x, c.mean(x, {1}, /*keepdim=*/true));
  Value sums = c.mm(centered, c.t(centered));
  Value deviation = c.sqrt(c.call("aten.diagonal", {sums}));
  Value result = c.div(c.div(sums, c.unsqueeze(deviation, 1)), deviation);
  return result ? c.AtenBuilder::clamp(result, c.number(-1.0), c.number(1.0))
                : result;
}

/// Values between sorted elements, at a share `q` of the way.
static Value quantile(Composite &c, Value q, bool skipsNan) {
  Value x = c.self();
  if (!isFloat(x))
    return {};
  StringRef how = c.text("interpolation");
  bool keeps = c.flag("keepdim"), isFlat = !c.has("dim");
  int64_t rank = Composite::rankOf(x), dim = 0;
  auto kept = Composite::dimsOf(x);
  if (isFlat || rank == 0) {
    x = c.call("aten.reshape", {x, c.shape(Composite::numelOf(x))});
    llvm::fill(kept, c.expr(1));
  } else {
    dim = c.place(c.integer("dim"), rank);
    x = c.transpose(x, dim, -1);
    kept[dim] = c.expr(1);
  }
  if (!x)
    return {};
  // The sorted rows, a batch of them.
  auto sorted = c.callMany("aten.sort", {x, c.AtenBuilder::integer(-1)});
  if (sorted.empty())
    return {};
  Value rows = sorted[0];
  auto dims = Composite::dimsOf(rows);
  ExprAttr count = dims.back(), last = count - c.expr(1);
  dims.back() = c.expr(1);
  Type type = Composite::elementTypeOf(x);
  Value isMissing = c.unary("aten.isnan", rows);
  // How many intervals a row has; all of it is NaN as soon as one element is,
  // unless those are left out.
  Value ranks;
  Value shares = c.view(q, Composite::numelOf(q));
  if (skipsNan) {
    Value there = c.call("aten.sum.dim_IntList",
                         {c.logicalNot(isMissing), c.ints({-1}),
                          c.boolean(true)});
    ranks = c.clamp(c.mul(c.cast(c.sub(there, 1), type), shares), 0);
  } else {
    Value whole = c.mul(shares, c.full({}, c.number(last), type));
    Value end = c.full({}, c.number(last), type);
    ranks = c.where(c.any(isMissing, -1, /*keepdim=*/true), end, whole);
  }
  if (!ranks)
    return {};
  Type i64 = c.getBuilder().getI64Type();
  auto at = [&](Value rank) {
    return c.gather(rows, -1, c.cast(rank, i64));
  };
  Value low = c.floor(ranks), high = c.unary("aten.ceil", ranks), result;
  if (how == "lower")
    result = at(low);
  else if (how == "higher")
    result = at(high);
  else if (how == "nearest")
    result = at(c.unary("aten.round", ranks));
  else if (how == "midpoint")
    result = c.mul(c.add(at(low), at(high)), 0.5);
  else
    result = c.call("aten.lerp.Tensor", {at(low), at(high), c.sub(ranks, low)});
  // [rows..., shares] with the reduced dimension in its place, shares first.
  if (!result)
    return {};
  result = c.unsqueeze(result, 0);
  result = c.transpose(result, 0, -1);
  SmallVector<ExprAttr> wanted;
  bool isList = Composite::rankOf(q) > 0;
  if (isList)
    wanted.push_back(c.dimOf(q, 0));
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
  return c.view(c.call("aten.reshape", {result, c.shape(wanted)}), wanted);
}

static Value quantileOfNumber(Composite &c, bool skipsNan) {
  return quantile(c,
                  c.full({}, c.real("q"), Composite::elementTypeOf(c.self())),
                  skipsNan);
}

/// Areas of the strips below a curve whose points have these distances.
static Value strips(Composite &c, Value distances) {
  Value y = c.self();
  int64_t dim = c.integer("dim");
  ExprAttr count = c.dimOf(y, dim);
  Value left = c.slice(y, dim, c.expr(0), count - c.expr(1));
  Value right = c.slice(y, dim, c.expr(1), count);
  return c.div(c.mul(c.add(c.floating(left), c.floating(right)), distances), 2);
}

static Value distances(Composite &c) {
  Value x = c.tensor("x"), y = c.self();
  int64_t rank = Composite::rankOf(y);
  int64_t dim = c.place(c.integer("dim"), rank);
  int64_t along = Composite::rankOf(x) == 1 ? 0
                                            : dim - rank + Composite::rankOf(x);
  if (along < 0)
    return {};
  ExprAttr count = c.dimOf(x, along);
  Value steps = c.sub(c.slice(x, along, c.expr(1), count),
                      c.slice(x, along, c.expr(0), count - c.expr(1)));
  if (Composite::rankOf(x) == 1)
    for (int64_t k = dim + 1; k < rank; ++k)
      steps = c.unsqueeze(steps, -1);
  return steps;
}


void pt2::addCompositeMath(CompositeTable &table) {
  table.add("aten::deg2rad(Tensor self) -> Tensor", [](Composite &c) {
    return Values{c.mul(c.floating(c.self()), M_PI / 180)};
  });
  table.add("aten::rad2deg(Tensor self) -> Tensor", [](Composite &c) {
    return Values{c.mul(c.floating(c.self()), 180 / M_PI)};
  });
  table.add("aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float "
            "atol=1e-08, bool equal_nan=False) -> Tensor",
            [](Composite &c) { return Values{isClose(c)}; });
  table.add("aten::isreal(Tensor self) -> Tensor", [](Composite &c) -> Values {
    Value x = c.self();
    if (llvm::isa<mlir::ComplexType>(Composite::elementTypeOf(x)))
      return {c.eq(c.unary("aten.imag", x), 0)};
    return {c.full(Composite::dimsOf(x), 1, c.getBuilder().getI1Type())};
  });
  table.add("aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, "
            "bool assume_unique=False, bool invert=False) -> Tensor",
            [](Composite &c) {
              return Values{isIn(c, c.self(), c.tensor("test_elements"))};
            });
  table.add("aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, "
            "bool assume_unique=False, bool invert=False) -> Tensor",
            [](Composite &c) {
              return Values{
                  isIn(c, c.self(), c.wrap(c.scalar("test_element"), c.self()))};
            });
  table.add("aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, "
            "bool assume_unique=False, bool invert=False) -> Tensor",
            [](Composite &c) {
              Value tests = c.tensor("test_elements");
              return Values{isIn(c, c.wrap(c.scalar("element"), tests), tests)};
            });
  table.add("aten::round.decimals(Tensor self, *, int decimals) -> Tensor",
            [](Composite &c) { return Values{roundTo(c)}; });
  table.add("aten::special_round(Tensor self, *, int decimals=0) -> Tensor",
            [](Composite &c) { return Values{roundTo(c)}; });
  table.add("aten::logaddexp2(Tensor self, Tensor other) -> Tensor",
            [](Composite &c) {
              return Values{logAddExp2(c, c.self(), c.tensor("other"))};
            });
  table.add("aten::mvlgamma(Tensor self, int p) -> Tensor",
            [](Composite &c) { return Values{multiLogGamma(c)}; });
  table.add("aten::special_ndtr(Tensor self) -> Tensor", [](Composite &c) {
    Value x = c.floating(c.self());
    return Values{
        c.mul(c.unary("aten.erfc", c.mul(x, -std::sqrt(0.5))), 0.5)};
  });
  table.add("aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> "
            "Tensor",
            [](Composite &c) {
              return Values{floatPower(c, c.self(), c.tensor("exponent"))};
            });
  table.add("aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> "
            "Tensor",
            [](Composite &c) {
              return Values{floatPower(c, c.self(), c.scalar("exponent"))};
            });
  table.add("aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor",
            [](Composite &c) {
              return Values{
                  floatPower(c, c.scalar("self"), c.tensor("exponent"))};
            });
  table.add("aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
            [](Composite &c) {
              return Values{
                  xlogy(c, c.self(), c.wrap(c.scalar("other"), c.self()))};
            });
  table.add("aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
            [](Composite &c) {
              Value y = c.tensor("other");
              return Values{xlogy(c, c.wrap(c.scalar("self"), y), y)};
            });

  // A number on the left of an operator on tensors, or on the right.
#define NUMBER_FIRST(NAME, OVERLOAD)                                           \
  table.add("aten::" NAME "(Scalar self, Tensor other) -> Tensor",             \
            [](Composite &c) {                                                 \
              Value other = c.tensor("other");                                 \
              return Values{c.call(                                            \
                  OVERLOAD, {c.wrap(c.scalar("self"), other), other})};        \
            })
  NUMBER_FIRST("remainder.Scalar_Tensor", "aten.remainder.Tensor");
  NUMBER_FIRST("bitwise_and.Scalar_Tensor", "aten.bitwise_and.Tensor");
  NUMBER_FIRST("bitwise_or.Scalar_Tensor", "aten.bitwise_or.Tensor");
  NUMBER_FIRST("bitwise_xor.Scalar_Tensor", "aten.bitwise_xor.Tensor");
  NUMBER_FIRST("bitwise_left_shift.Scalar_Tensor",
               "aten.bitwise_left_shift.Tensor");
  NUMBER_FIRST("bitwise_right_shift.Scalar_Tensor",
               "aten.bitwise_right_shift.Tensor");
#undef NUMBER_FIRST
#define NUMBER_LAST(NAME, OVERLOAD)                                            \
  table.add("aten::" NAME "(Tensor self, Scalar other) -> Tensor",             \
            [](Composite &c) {                                                 \
              return Values{c.call(                                            \
                  OVERLOAD,                                                    \
                  {c.self(), c.wrap(c.scalar("other"), c.self())})};           \
            })
  NUMBER_LAST("bitwise_left_shift.Tensor_Scalar",
              "aten.bitwise_left_shift.Tensor");
  NUMBER_LAST("bitwise_right_shift.Tensor_Scalar",
              "aten.bitwise_right_shift.Tensor");
#undef NUMBER_LAST
  table.add("aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool "
            "out_int32=False, bool right=False) -> Tensor",
            [](Composite &c) {
              Value boundaries = c.tensor("boundaries");
              return Values{c.call("aten.bucketize.Tensor",
                                   {c.wrap(c.scalar("self"), boundaries),
                                    boundaries, c.arg("out_int32"),
                                    c.arg("right")})};
            });
  table.add("aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, "
            "bool out_int32=False, bool right=False, str? side=None, Tensor? "
            "sorter=None) -> Tensor",
            [](Composite &c) {
              Value row = c.tensor("sorted_sequence");
              return Values{c.call(
                  "aten.searchsorted.Tensor",
                  {row, c.wrap(c.scalar("self"), row), c.arg("out_int32"),
                   c.arg("right"), c.arg("side"), c.arg("sorter")})};
            });

  table.add("aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
            [](Composite &c) {
              return Values{c.call("aten.sum.dim_IntList",
                                   {c.ne(c.self(), 0), c.arg("dim")})};
            });
  table.add("aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
            [](Composite &c) {
              return spreadAndMean(c, "aten.std_mean.correction");
            });
  table.add("aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, "
            "bool keepdim=False) -> (Tensor, Tensor)",
            [](Composite &c) {
              return spreadAndMean(c, "aten.std_mean.correction");
            });
  table.add("aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
            [](Composite &c) {
              return spreadAndMean(c, "aten.var_mean.correction");
            });
  table.add("aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, "
            "*, ScalarType? dtype=None) -> Tensor",
            [](Composite &c) { return Values{nanMean(c)}; });
  table.add("aten::median(Tensor self) -> Tensor", [](Composite &c) -> Values {
    Value row = c.call("aten.reshape",
                       {c.self(), c.shape(Composite::numelOf(c.self()))});
    auto both = c.callMany("aten.median.dim", {row, c.AtenBuilder::integer(0)});
    return both.empty() ? Values() : Values{both[0]};
  });
  table.add("aten::quantile(Tensor self, Tensor q, int? dim=None, bool "
            "keepdim=False, *, str interpolation=\"linear\") -> Tensor",
            [](Composite &c) { return Values{quantile(c, c.tensor("q"), false)}; });
  table.add("aten::quantile.scalar(Tensor self, float q, int? dim=None, bool "
            "keepdim=False, *, str interpolation=\"linear\") -> Tensor",
            [](Composite &c) { return Values{quantileOfNumber(c, false)}; });
  table.add("aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool "
            "keepdim=False, *, str interpolation=\"linear\") -> Tensor",
            [](Composite &c) { return Values{quantile(c, c.tensor("q"), true)}; });
  table.add("aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool "
            "keepdim=False, *, str interpolation=\"linear\") -> Tensor",
            [](Composite &c) { return Values{quantileOfNumber(c, true)}; });
  table.add("aten::nanmedian(Tensor self) -> Tensor", [](Composite &c) -> Values {
    Value row = c.call("aten.reshape",
                       {c.self(), c.shape(Composite::numelOf(c.self()))});
    Values both = row ? nanMedian(c, row, 0, false) : Values();
    return both.empty() ? both : Values{both[0]};
  });
  table.add("aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> "
            "(Tensor values, Tensor indices)",
            [](Composite &c) {
              return nanMedian(c, c.self(), c.integer("dim"),
                               c.flag("keepdim"));
            });
  table.add("aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, "
            "Tensor? aweights=None) -> Tensor",
            [](Composite &c) { return Values{covariance(c)}; });
  table.add("aten::corrcoef(Tensor self) -> Tensor",
            [](Composite &c) { return Values{correlation(c)}; });
  table.add("aten::lcm(Tensor self, Tensor other) -> Tensor", [](Composite &c) {
    return Values{leastMultiple(c, c.self(), c.tensor("other"))};
  });
  for (StringRef ends : {"Tensor_Tensor(Tensor start, Tensor",
                         "Tensor_Scalar(Tensor start, Scalar",
                         "Scalar_Tensor(Scalar start, Tensor"})
    table.add(("aten::linspace." + ends +
               " end, int steps, *, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None) -> "
               "Tensor")
                  .str(),
              [](Composite &c) { return Values{linspace(c)}; });
  for (StringRef name : {"_is_all_true", "_is_any_true"})
    table.add(("aten::" + name + "(Tensor self) -> Tensor").str(),
              name == "_is_all_true"
                  ? +[](Composite &c) {
                      return Values{c.call("aten.all", {c.self()})};
                    }
                  : +[](Composite &c) {
                      return Values{c.call("aten.any", {c.self()})};
                    });
  table.add("aten::unique_dim_consecutive(Tensor self, int dim, bool "
            "return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, "
            "Tensor)",
            [](Composite &c) {
              return c.callRecorded("aten.unique_consecutive",
                                    {c.self(), c.arg("return_inverse"),
                                     c.arg("return_counts"), c.arg("dim")});
            });
  table.add("aten::nonzero_numpy(Tensor self) -> Tensor[]", [](Composite &c) {
    return c.callRecorded("aten.where", {c.self()});
  });
  table.add("aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
            [](Composite &c) {
              return Values{c.sum(strips(c, c.scalar("dx")), {c.integer("dim")})};
            });
  table.add("aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
            [](Composite &c) {
              return Values{c.sum(strips(c, distances(c)), {c.integer("dim")})};
            });
  table.add("aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int "
            "dim=-1) -> Tensor",
            [](Composite &c) {
              return Values{c.cumsum(strips(c, c.scalar("dx")), c.integer("dim"))};
            });
  table.add("aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> "
            "Tensor",
            [](Composite &c) {
              return Values{c.cumsum(strips(c, distances(c)), c.integer("dim"))};
            });
  table.add("aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
            [](Composite &c) {
              return Values{c.call("aten.norm.Scalar",
                                   {c.sub(c.self(), c.tensor("other")),
                                    c.scalar("p")})};
            });
}
