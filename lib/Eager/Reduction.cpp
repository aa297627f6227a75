//===- Reduction.cpp - Sums, extremes, statistics -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction is a function of one row: the reduced dimensions are moved to the
// end, read as a dense vector of the compute type, and each row becomes one
// element of the result.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Formulas.h"
#include "Operators.h"
#include "Reductions.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::eager;
using namespace kiln::eager::formula;

namespace {
/// Where the rows of a reduction lie and what its result looks like.
struct Rows {
  Tensor view; ///< kept dimensions, then reduced ones
  Ints resultSizes;
  int64_t count = 1, length = 1;
};
} // namespace

static Rows rowsOf(const Tensor &x, const Ints &dims, bool keepdim) {
  Rows rows;
  Ints order;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (std::binary_search(dims.begin(), dims.end(), d)) {
      rows.length *= x.size(d);
      if (keepdim)
        rows.resultSizes.push_back(1);
      continue;
    }
    order.push_back(d);
    rows.count *= x.size(d);
    rows.resultSizes.push_back(x.size(d));
  }
  order.insert(order.end(), dims.begin(), dims.end());
  rows.view = permuted(x, order);
  return rows;
}

/// Reduces rows of T to elements of R.
template <typename T, typename R = T, typename F>
static Tensor reduceRows(const Tensor &x, const Ints &dims, bool keepdim,
                         DType dtype, F f) {
  Rows rows = rowsOf(x, dims, keepdim);
  std::vector<T> values = readAll<T>(rows.view);
  std::vector<R> results(static_cast<size_t>(rows.count));
  for (int64_t i = 0; i < rows.count; ++i)
    results[i] = f(values.data() + i * rows.length, rows.length);
  return makeTensor(dtype, rows.resultSizes, results);
}

static Ints dimsArgument(const Args &args, size_t i) {
  return reducedDims(args.optInts(i), args.tensor(0).rank());
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// Pairwise, so that rounding errors grow with the logarithm of the length.
template <typename T> static T pairwiseSum(const T *values, int64_t count) {
  if (count <= 128) {
    T result = T(0);
    for (int64_t i = 0; i < count; ++i)
      result = add(result, values[i]);
    return result;
  }
  int64_t half = count / 2 / 64 * 64;
  return add(pairwiseSum(values, half),
             pairwiseSum(values + half, count - half));
}

static DType sumDType(const Tensor &x, std::optional<DType> asked) {
  if (asked)
    return *asked;
  return isBoolOrInteger(x.dtype()) ? DType::I64 : x.dtype();
}

Tensor eager::sumOver(const Tensor &x, const Ints &dims, bool keepdim,
                      std::optional<DType> asked) {
  DType dtype = sumDType(x, asked);
  return withNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T>(inDType(x, dtype), dims, keepdim, dtype,
                         pairwiseSum<T>);
  });
}

static Values sumAll(const Args &args) {
  return {sumOver(args.tensor(0), dimsArgument(args, 99), false,
                  args.optDType(1))};
}
static Values sumDims(const Args &args) {
  return {sumOver(args.tensor(0), dimsArgument(args, 1), args.flag(2),
                  args.optDType(3))};
}

static Values nansum(const Args &args) {
  DType dtype = sumDType(args.tensor(0), args.optDType(3));
  return {withReal(dtype, [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T>(args.tensor(0), dimsArgument(args, 1), args.flag(2),
                         dtype, [](T *row, int64_t n) {
                           std::replace_if(row, row + n, isNan<T>, T(0));
                           return pairwiseSum<T>(row, n);
                         });
  })};
}

Tensor eager::meanOver(const Tensor &x, const Ints &dims, bool keepdim,
                       std::optional<DType> asked) {
  DType dtype = asked.value_or(x.dtype());
  require(!isBoolOrInteger(dtype),
          {"mean needs a floating point type, found ", dtype});
  return withNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    // 16-bit results come from the unrounded input
    bool narrows = isFloat(dtype) && itemSize(dtype) == 2;
    return reduceRows<T>(inDType(x, narrows ? DType::F32 : dtype), dims,
                         keepdim, dtype, [](const T *row, int64_t n) {
                           return pairwiseSum(row, n) / static_cast<T>(n);
                         });
  });
}
static Values meanAll(const Args &args) {
  return {meanOver(args.tensor(0), dimsArgument(args, 99), false,
                   args.optDType(1))};
}
static Values meanDims(const Args &args) {
  return {meanOver(args.tensor(0), dimsArgument(args, 1), args.flag(2),
                   args.optDType(3))};
}

/// Products of 16-bit floats are rounded at each step, as PyTorch does.
static Tensor prodOver(const Tensor &x, const Ints &dims, bool keepdim,
                       std::optional<DType> asked) {
  DType dtype = sumDType(x, asked);
  bool rounds = isFloat(dtype) && itemSize(dtype) == 2;
  return withNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T>(inDType(x, dtype), dims, keepdim, dtype,
                         [&](const T *row, int64_t n) {
                           T result = T(1);
                           for (int64_t i = 0; i < n; ++i) {
                             result = mul(result, row[i]);
                             if (rounds)
                               result = roundTo(dtype, result);
                           }
                           return result;
                         });
  });
}
static Values prodAll(const Args &args) {
  return {prodOver(args.tensor(0), dimsArgument(args, 99), false,
                   args.optDType(1))};
}
static Values prodDim(const Args &args) {
  Ints dims = reducedDims(Ints{args.integer(1)}, args.tensor(0).rank());
  return {prodOver(args.tensor(0), dims, args.flag(2), args.optDType(3))};
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

/// `any` is found where an element differs from zero, `all` where none is zero.
template <bool Any>
static Tensor anyOrAll(const Tensor &x, const Ints &dims, bool keepdim) {
  DType dtype = x.dtype() == DType::U8 ? DType::U8 : DType::Bool;
  return withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T, int64_t>(
        x, dims, keepdim, dtype, [](const T *row, int64_t n) {
          auto isTrue = [](T value) { return value != T(0); };
          return int64_t(Any ? std::any_of(row, row + n, isTrue)
                             : std::all_of(row, row + n, isTrue));
        });
  });
}
template <bool Any> static Values anyAll(const Args &args) {
  return {anyOrAll<Any>(args.tensor(0), dimsArgument(args, 99), false)};
}
template <bool Any> static Values anyDim(const Args &args) {
  Ints dims = reducedDims(Ints{args.integer(1)}, args.tensor(0).rank());
  return {anyOrAll<Any>(args.tensor(0), dims, args.flag(2))};
}
/// An empty list of dimensions reduces nothing here, none reduces all.
template <bool Any> static Values anyDims(const Args &args) {
  auto asked = args.optInts(1);
  Ints dims = asked && asked->empty() ? Ints() : dimsArgument(args, 1);
  return {anyOrAll<Any>(args.tensor(0), dims, args.flag(2))};
}

static Values countNonzero(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T, int64_t>(
        x, dimsArgument(args, 1), false, DType::I64,
        [](const T *row, int64_t n) {
          return n - int64_t(std::count(row, row + n, T(0)));
        });
  })};
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

/// Whether `a` comes before `b`: the first largest (smallest) wins, NaN first.
template <bool Largest, typename T> static bool precedes(T a, T b) {
  if (isNan(b))
    return false;
  return isNan(a) || (Largest ? a > b : a < b);
}

template <bool Largest, typename T>
static int64_t extremeIndex(const T *row, int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i)
    if (precedes<Largest>(row[i], row[best]))
      best = i;
  return best;
}

/// Dimensions that hold nothing have no extreme.
static void requireNonEmpty(const Tensor &x, const Ints &dims) {
  for (int64_t dim : dims)
    require(x.size(dim) > 0, {"cannot reduce dimension ", dim, " of ", x,
                              ": it is empty"});
}

template <bool Largest>
static Tensor extreme(const Tensor &x, const Ints &dims, bool keepdim) {
  requireNonEmpty(x, dims);
  return withReal(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T>(x, dims, keepdim, x.dtype(),
                         [](const T *row, int64_t n) {
                           return row[extremeIndex<Largest>(row, n)];
                         });
  });
}

template <bool Largest> static Values extremeDims(const Args &args) {
  return {extreme<Largest>(args.tensor(0), dimsArgument(args, 1),
                           args.flag(2))};
}
template <bool Largest> static Values extremeAll(const Args &args) {
  return {extreme<Largest>(args.tensor(0), dimsArgument(args, 99), false)};
}

template <bool Largest>
static Tensor extremePosition(const Tensor &x, const Ints &dims,
                              bool keepdim) {
  requireNonEmpty(x, dims);
  return withReal(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T, int64_t>(x, dims, keepdim, DType::I64,
                                  extremeIndex<Largest, T>);
  });
}

template <bool Largest> static Values extremeDim(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints dims = reducedDims(Ints{args.integer(1)}, x.rank());
  bool keepdim = args.flag(2);
  return {extreme<Largest>(x, dims, keepdim),
          extremePosition<Largest>(x, dims, keepdim)};
}

template <bool Largest> static Values argExtreme(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() != DType::Bool, {"not defined for bool"});
  if (args.isNone(1)) {
    Tensor result =
        extremePosition<Largest>(x, reducedDims(std::nullopt, x.rank()), false);
    return {args.flag(2) ? reshaped(result, Ints(x.rank(), 1)) : result};
  }
  return {extremePosition<Largest>(
      x, reducedDims(Ints{args.integer(1)}, x.rank()), args.flag(2))};
}

static Values aminmax(const Args &args) {
  const Tensor &x = args.tensor(0);
  std::optional<Ints> asked;
  if (!args.isNone(1))
    asked = Ints{args.integer(1)};
  Ints dims = reducedDims(asked, x.rank());
  return {extreme<false>(x, dims, args.flag(2)),
          extreme<true>(x, dims, args.flag(2))};
}

//===----------------------------------------------------------------------===//
// Variance
//===----------------------------------------------------------------------===//

/// Mean and variance of every row. f32 accumulates in f64.
template <typename T>
static std::pair<T, T> meanAndVariance(const T *row, int64_t n,
                                       double correction) {
  double mean = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) // Welford
  {
    double delta = row[i] - mean;
    mean += delta / double(i + 1);
    squares += delta * (row[i] - mean);
  }
  double divisor = std::max(0.0, double(n) - correction);
  return {n == 0 ? T(NAN) : T(mean), n == 0 ? T(NAN) : T(squares / divisor)};
}

/// Real and imaginary parts of a complex tensor, which vary independently.
static Tensor part(const Tensor &x, bool imaginary) {
  std::vector<double> values;
  for (CDouble element : readAll<CDouble>(x))
    values.push_back(imaginary ? element.imag() : element.real());
  return makeTensor(realDType(x.dtype()), x.sizes(), values);
}

/// {variance or its root, mean}.
static Values statistics(const Tensor &x, const Ints &dims, bool keepdim,
                         double correction, bool root) {
  DType dtype = realDType(x.dtype());
  require(!isBoolOrInteger(dtype),
          {"variance needs a floating point type, found ", dtype});
  if (isComplex(x.dtype())) {
    auto variance = [&](bool imaginary) {
      Values parts =
          statistics(part(x, imaginary), dims, keepdim, correction, false);
      return std::get<Tensor>(parts[0].value);
    };
    auto real = readAll<double>(variance(false));
    Tensor imaginary = variance(true);
    auto other = readAll<double>(imaginary);
    for (size_t i = 0; i < real.size(); ++i)
      real[i] = root ? std::sqrt(real[i] + other[i]) : real[i] + other[i];
    return {makeTensor(dtype, imaginary.sizes(), real),
            meanOver(x, dims, keepdim, std::nullopt)};
  }
  return withFloat(dtype, [&](auto zero) -> Values {
    using T = decltype(zero);
    Tensor variance = reduceRows<T>(
        x, dims, keepdim, dtype, [&](const T *row, int64_t n) {
          double value = meanAndVariance<double>(
                             std::vector<double>(row, row + n).data(), n,
                             correction)
                             .second;
          return T(root ? std::sqrt(value) : value);
        });
    Tensor mean = reduceRows<T>(x, dims, keepdim, dtype,
                                [&](const T *row, int64_t n) {
                                  return meanAndVariance(row, n, 0).first;
                                });
    return {variance, mean};
  });
}

static Values only(const Values &values, bool both) {
  return both ? values : Values{values[0]};
}

/// Schema: self, dim, *, correction, keepdim.
template <bool Root, bool Both> static Values varCorrection(const Args &args) {
  return only(statistics(args.tensor(0), dimsArgument(args, 1), args.flag(3),
                         args.optNumber(2).value_or(1), Root),
              Both);
}
/// Schema: self, dim, unbiased, keepdim.
template <bool Root, bool Both> static Values varDim(const Args &args) {
  return only(statistics(args.tensor(0), dimsArgument(args, 1), args.flag(3),
                         args.flag(2) ? 1 : 0, Root),
              Both);
}
/// Schema: self, unbiased.
template <bool Root, bool Both> static Values varAll(const Args &args) {
  return only(statistics(args.tensor(0), dimsArgument(args, 99), false,
                         args.flag(1) ? 1 : 0, Root),
              Both);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

template <typename T> static T rowNorm(const T *row, int64_t n, double p) {
  T result = 0;
  if (std::isinf(p)) {
    for (int64_t i = 0; i < n; ++i) {
      T a = std::fabs(row[i]);
      result = i == 0 ? a
               : p > 0 ? formula::maximum(result, a)
                       : formula::minimum(result, a);
    }
    return result;
  }
  std::vector<T> terms(row, row + n);
  for (T &term : terms) {
    T a = std::fabs(term);
    term = p == 2   ? a * a
           : p == 1 ? a
           : p == 0 ? T(a != 0)
                    : std::pow(a, T(p));
  }
  result = pairwiseSum(terms.data(), n);
  return p == 2             ? std::sqrt(result)
         : p == 1 || p == 0 ? result
                            : std::pow(result, T(1 / p));
}

static Tensor normOver(const Tensor &x, double p, const Ints &dims,
                       bool keepdim, std::optional<DType> asked) {
  require(!isBoolOrInteger(x.dtype()),
          {"norm needs a floating point type, found ", x});
  if (std::isinf(p) && p > 0 ? false : p < 0 || std::isinf(p))
    requireNonEmpty(x, dims);
  Tensor input = asked ? inDType(x, *asked) : x;
  if (isComplex(input.dtype())) {
    std::vector<double> magnitudes;
    for (CDouble element : readAll<CDouble>(input))
      magnitudes.push_back(std::abs(element));
    input = makeTensor(realDType(input.dtype()), input.sizes(), magnitudes);
  }
  if (std::isinf(p) && input.numel() == 0 && p > 0)
    requireNonEmpty(x, dims);
  return withFloat(input.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T>(
        input, dims, keepdim, input.dtype(),
        [&](const T *row, int64_t n) { return rowNorm(row, n, p); });
  });
}

static Values vectorNorm(const Args &args) {
  return {normOver(args.tensor(0), args.optNumber(1).value_or(2),
                   dimsArgument(args, 2), args.flag(3), args.optDType(4))};
}
static Values normScalar(const Args &args) {
  return {normOver(args.tensor(0), args.optNumber(1).value_or(2),
                   dimsArgument(args, 99), false, std::nullopt)};
}
static Values normDims(const Args &args) {
  return {normOver(args.tensor(0), args.optNumber(1).value_or(2),
                   dimsArgument(args, 2), args.flag(3), std::nullopt)};
}

static Values logsumexp(const Args &args) {
  Tensor x = args.tensor(0);
  if (isBoolOrInteger(x.dtype()))
    x = converted(x, DType::F32);
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return reduceRows<T>(
        x, dimsArgument(args, 1), args.flag(2), x.dtype(),
        [](const T *row, int64_t n) {
          T largest = n ? row[extremeIndex<true>(row, n)] : T(-INFINITY);
          if (std::isinf(largest))
            largest = largest > 0 && n ? largest : T(0);
          if (std::isinf(largest) || isNan(largest))
            return largest;
          std::vector<T> terms(row, row + n);
          for (T &term : terms)
            term = std::exp(term - largest);
          return std::log(pairwiseSum(terms.data(), n)) + largest;
        });
  })};
}

void eager::addReductionOperators(Table &table) {
  table.op<sumAll>("sum.default");
  table.op<sumDims>("sum.dim_IntList");
  table.op<sumDims>("sum.SymInt");
  table.op<nansum>("nansum.default");
  table.op<meanAll>("mean.default");
  table.op<meanDims>("mean.dim");
  table.op<prodAll>("prod.default");
  table.op<prodDim>("prod.dim_int");
  table.op<anyAll<true>>("any.default");
  table.op<anyDim<true>>("any.dim");
  table.op<anyDims<true>>("any.dims");
  table.op<anyAll<false>>("all.default");
  table.op<anyDim<false>>("all.dim");
  table.op<anyDims<false>>("all.dims");
  table.op<countNonzero>("count_nonzero.default");
  table.op<countNonzero>("count_nonzero.dim_IntList");
  table.op<extremeDims<true>>("amax.default");
  table.op<extremeDims<false>>("amin.default");
  table.op<extremeAll<true>>("max.default");
  table.op<extremeAll<false>>("min.default");
  table.op<extremeDim<true>>("max.dim");
  table.op<extremeDim<false>>("min.dim");
  table.op<argExtreme<true>>("argmax.default");
  table.op<argExtreme<false>>("argmin.default");
  table.op<aminmax>("aminmax.default");
  table.op<varAll<false, false>>("var.default");
  table.op<varDim<false, false>>("var.dim");
  table.op<varCorrection<false, false>>("var.correction");
  table.op<varAll<true, false>>("std.default");
  table.op<varDim<true, false>>("std.dim");
  table.op<varCorrection<true, false>>("std.correction");
  table.op<varAll<false, true>>("var_mean.default");
  table.op<varDim<false, true>>("var_mean.dim");
  table.op<varCorrection<false, true>>("var_mean.correction");
  table.op<varAll<true, true>>("std_mean.default");
  table.op<varDim<true, true>>("std_mean.dim");
  table.op<varCorrection<true, true>>("std_mean.correction");
  table.op<vectorNorm>("linalg_vector_norm.default");
  table.op<normScalar>("norm.Scalar");
  table.op<normDims>("norm.ScalarOpt_dim");
  table.op<logsumexp>("logsumexp.default");
}
