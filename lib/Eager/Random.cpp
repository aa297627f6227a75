//===- Random.cpp - Random tensors and dropout ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random values follow the distribution, not PyTorch's stream: they are those of
// Philox.h. Kernels compute the same ones, so what is done to the words here is
// repeated in lib/Conversion/AtenToLoop/Random.cpp.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "MemoryFormat.h"
#include "Operators.h"
#include "Philox.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;

/// Bits of a uniform number, few enough that rounding never gives 1.
static int unitBits(DType dtype) {
  return dtype == DType::F64    ? 53
         : dtype == DType::F16  ? 11
         : dtype == DType::BF16 ? 8
                                : 24;
}

/// A tensor of `sizes`; `make` gives an element from its words.
template <typename F>
static Tensor drawn(DType dtype, const Ints &sizes, F make) {
  Draw draw = nextDraws();
  Tensor result = empty(dtype, sizes);
  using T = decltype(make(Words()));
  std::vector<T> values(result.numel());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = make(draw(i));
  writeAll(result, values);
  return result;
}

/// `compute` in double for f64, else in float.
template <typename F> static double inComputeType(DType dtype, F compute) {
  return dtype == DType::F64 ? double(compute(double()))
                             : double(compute(float()));
}

/// True with probability `p`, by one word.
static bool isHit(const Words &words, double p) {
  return double(words[0]) < p * 4294967296.0;
}

static void requireRandomFloat(DType dtype) {
  require(isFloat(dtype) && itemSize(dtype) > 1,
          {"expected a floating point type, found ", dtype});
}

/// Complex tensors are drawn as pairs of reals.
static Tensor complexOf(DType dtype, const Ints &sizes, const Tensor &pairs) {
  auto parts = readAll<double>(pairs);
  std::vector<CDouble> values(parts.size() / 2);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = {parts[2 * i], parts[2 * i + 1]};
  return makeTensor(dtype, sizes, values);
}
static Ints pairSizes(Ints sizes) {
  sizes.push_back(2);
  return sizes;
}

static Tensor uniformTensor(DType dtype, const Ints &sizes, double from,
                            double to) {
  if (isComplex(dtype))
    return complexOf(dtype, sizes, uniformTensor(realDType(dtype),
                                                 pairSizes(sizes), from, to));
  requireRandomFloat(dtype);
  require(from <= to, {"expected a range from low to high"});
  require(std::isfinite(to - from), {"the range is too wide"});
  return drawn(dtype, sizes, [&](const Words &words) {
    return inComputeType(dtype, [&](auto zero) {
      using T = decltype(zero);
      return T(from) + T(to - from) * T(unitOf(words, unitBits(dtype)));
    });
  });
}
static Tensor normalTensor(DType dtype, const Ints &sizes, double mean,
                           double deviation) {
  if (isComplex(dtype)) // half of the variance in each part
    return complexOf(dtype, sizes,
                     normalTensor(realDType(dtype), pairSizes(sizes), mean,
                                  deviation * std::sqrt(0.5)));
  requireRandomFloat(dtype);
  require(deviation >= 0, {"a standard deviation must not be negative"});
  // Box and Muller, "A note on the generation of random normal deviates" (1958).
  return drawn(dtype, sizes, [&](const Words &words) {
    return inComputeType(dtype, [&](auto zero) {
      using T = decltype(zero);
      int bits = dtype == DType::F64 ? 53 : 24;
      T radius = std::sqrt(T(-2) * std::log(T(positiveUnitOf(words, 0, bits))));
      T turn = T(positiveUnitOf(words, bits == 53 ? 2 : 1, bits));
      return T(mean) + T(deviation) *
                           (radius * std::cos(T(6.283185307179586) * turn));
    });
  });
}

static Values rand(const Args &args) {
  return {uniformTensor(args.dtypeOr(1, DType::F32), args.ints(0), 0, 1)};
}
static Values randLike(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {uniformTensor(args.dtypeOr(1, x.dtype()), x.sizes(), 0, 1)};
}
static Values randn(const Args &args) {
  return {normalTensor(args.dtypeOr(1, DType::F32), args.ints(0), 0, 1)};
}
static Values randnLike(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {normalTensor(args.dtypeOr(1, x.dtype()), x.sizes(), 0, 1)};
}
static Values uniform(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {uniformTensor(x.dtype(), x.sizes(), args.optNumber(1).value_or(0),
                        args.optNumber(2).value_or(1))};
}
static Values normal(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {normalTensor(x.dtype(), x.sizes(), args.optNumber(1).value_or(0),
                       args.optNumber(2).value_or(1))};
}
static Values exponential(const Args &args) {
  const Tensor &x = args.tensor(0);
  double rate = args.optNumber(1).value_or(1);
  requireRandomFloat(x.dtype());
  require(rate > 0, {"expected a positive rate"});
  return {drawn(x.dtype(), x.sizes(), [&](const Words &words) {
    return inComputeType(x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      int bits = x.dtype() == DType::F64 ? 53 : 24;
      return -std::log(T(positiveUnitOf(words, 0, bits))) / T(rate);
    });
  })};
}

static Tensor integers(DType dtype, const Ints &sizes, int64_t low,
                       int64_t high) {
  require(low < high, {"expected low < high, found ", low, " and ", high});
  uint64_t range = uint64_t(high) - uint64_t(low);
  return drawn(dtype, sizes, [&](const Words &words) {
    uint64_t wide = uint64_t(words[0]) << 32 | words[1];
    return int64_t(uint64_t(low) + wide % range);
  });
}
static Values randint(const Args &args) {
  return {integers(args.dtypeOr(2, DType::I64), args.ints(1), 0,
                   args.integer(0))};
}
static Values randintLow(const Args &args) {
  return {integers(args.dtypeOr(3, DType::I64), args.ints(2), args.integer(0),
                   args.integer(1))};
}
static Values randintLike(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {integers(args.dtypeOr(2, x.dtype()), x.sizes(), 0, args.integer(1))};
}
static Values randintLikeLow(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {integers(args.dtypeOr(3, x.dtype()), x.sizes(), args.integer(1),
                   args.integer(2))};
}
static Values randperm(const Args &args) {
  int64_t n = args.integer(0);
  require(n >= 0, {"expected a size, found ", n});
  Draw draw = nextDraws();
  Tensor result = empty(args.dtypeOr(1, DType::I64), {n});
  std::vector<std::pair<int64_t, int64_t>> keys(n);
  for (int64_t i = 0; i < n; ++i) {
    Words words = draw(uint64_t(i));
    keys[i] = {int64_t(uint64_t(words[0]) << 32 | words[1]), i};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int64_t> values;
  for (const auto &key : keys)
    values.push_back(key.second);
  writeAll(result, values);
  return {result};
}

//===----------------------------------------------------------------------===//
// Bernoulli and dropout
//===----------------------------------------------------------------------===//

static void requireProbability(double p) {
  require(p >= 0 && p <= 1, {"a probability must lie between 0 and 1"});
}

static Tensor coins(DType dtype, const Ints &sizes, double p) {
  requireProbability(p);
  return drawn(dtype, sizes,
               [&](const Words &words) { return int64_t(isHit(words, p)); });
}

static Tensor coinsOf(DType dtype, const Tensor &probabilities) {
  Draw draw = nextDraws();
  auto values = readAll<double>(probabilities);
  for (size_t i = 0; i < values.size(); ++i) {
    requireProbability(values[i]);
    values[i] = isHit(draw(i), values[i]);
  }
  return makeTensor(dtype, probabilities.sizes(), values);
}

static Values bernoulli(const Args &args) {
  const Tensor &p = args.tensor(0);
  requireFloat(p);
  return {coinsOf(p.dtype(), p)};
}
static Values bernoulliP(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {coins(x.dtype(), x.sizes(), args.optNumber(1).value_or(0.5))};
}
static Values bernoulliTensor(const Args &args) {
  const Tensor &x = args.tensor(0);
  requireFloat(args.tensor(1));
  return {coinsOf(x.dtype(), expandTo(args.tensor(1), x.sizes()))};
}

/// x times mask times scale, in the compute type of x.
static Tensor masked(const Tensor &x, const Tensor &mask, double scale) {
  return withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(x);
    auto keep = readAll<double>(expandTo(mask, x.sizes()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(values[i] * static_cast<T>(keep[i] * scale));
    return makeTensor(x.dtype(), x.sizes(), values);
  });
}

static double keepScale(double p) { return p == 1 ? 0 : 1 / (1 - p); }

static Values nativeDropout(const Args &args) {
  const Tensor &x = args.tensor(0);
  double p = args.number(1);
  requireProbability(p);
  bool train = args.isNone(2) || args.flag(2);
  require(!isBoolOrInteger(x.dtype()) || !train,
          {"dropout needs a floating point type, found ", x});
  if (!train)
    return {take(x.clone()), filled(DType::Bool, x.sizes(), true)};
  Tensor mask = coins(DType::Bool, x.sizes(), 1 - p);
  return {masked(x, mask, keepScale(p)), mask};
}

static Values nativeDropoutBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0);
  DType dtype = isBoolOrInteger(gradient.dtype()) ? DType::F32
                                                  : gradient.dtype();
  return {masked(inDType(gradient, dtype), args.tensor(1), args.number(2))};
}

static Values dropout(const Args &args) {
  const Tensor &x = args.tensor(0);
  requireProbability(args.number(1));
  if (!args.flag(2) || args.number(1) == 0 || x.numel() == 0)
    return {x};
  return {nativeDropout(args)[0]};
}

/// Schema: self, num_samples, replacement.
static Values multinomial(const Args &args) {
  const Tensor &x = args.tensor(0);
  int64_t samples = args.integer(1);
  bool replacement = args.flag(2);
  requireFloat(x);
  require(x.rank() == 1 || x.rank() == 2,
          {"expected 1 or 2 dimensions, found ", x});
  int64_t n = x.sizes().back(), rows = x.rank() == 2 ? x.size(0) : 1;
  require(samples > 0 && (replacement || samples <= n),
          {"cannot draw ", samples, " samples from ", n, " categories"});
  auto weights = readAll<double>(x);
  Draw draw = nextDraws();
  std::vector<int64_t> result;
  for (int64_t r = 0; r < rows; ++r) {
    const double *row = weights.data() + r * n;
    int64_t positive = 0;
    for (int64_t i = 0; i < n; ++i) {
      require(row[i] >= 0 && std::isfinite(row[i]),
              {"probabilities must be finite and not negative"});
      positive += row[i] > 0;
    }
    require(positive > 0, {"the probabilities of a row add up to zero"});
    if (replacement && samples > 1) {
      std::vector<double> sums(n);
      std::partial_sum(row, row + n, sums.begin());
      for (int64_t s = 0; s < samples; ++s) {
        double wanted =
            unitOf(draw(uint64_t(r * samples + s)), 53) * sums.back();
        auto at = std::upper_bound(sums.begin(), sums.end(), wanted);
        result.push_back(std::min<int64_t>(at - sums.begin(), n - 1));
      }
      continue;
    }
    // Of exponential variables the one with the highest rate most often comes
    // first; their order is that of drawing without replacement.
    std::vector<std::pair<double, int64_t>> order(n);
    for (int64_t i = 0; i < n; ++i) {
      double time = -std::log(positiveUnitOf(draw(uint64_t(r * n + i)), 0, 53));
      order[i] = {row[i] > 0 ? time / row[i] : INFINITY, i};
    }
    std::sort(order.begin(), order.end());
    for (int64_t s = 0; s < samples; ++s)
      result.push_back(order[s].second);
  }
  Ints sizes = x.sizes();
  sizes.back() = samples;
  return {makeTensor(DType::I64, sizes, result)};
}

/// Schema: self, noise, lower, upper, training.
static Values rrelu(const Args &args) {
  const Tensor &x = args.tensor(0);
  double lower = args.number(2), upper = args.number(3);
  requireFloat(x);
  require(lower <= upper, {"expected lower <= upper"});
  bool training = args.flag(4);
  Draw draw = nextDraws();
  auto values = readAll<double>(x);
  auto noise = readAll<double>(args.tensor(1));
  require(!training || noise.size() == values.size(),
          {"expected noise of sizes ", x.sizes()});
  for (size_t i = 0; i < values.size(); ++i) {
    double slope = training ? lower + (upper - lower) * unitOf(draw(i), 24)
                            : (lower + upper) / 2;
    bool scales = training ? values[i] <= 0 : values[i] < 0;
    if (scales)
      values[i] *= slope;
    if (training)
      noise[i] = scales ? slope : 1;
  }
  return {makeTensor(x.dtype(), x.sizes(), values),
          makeTensor(args.tensor(1).dtype(), args.tensor(1).sizes(), noise)};
}

/// The seed, and the number of the first of as many draws as asked for: what the
/// kernels of a program need.
static Values draws(const Args &args) {
  require(args.integer(0) >= 0, {"expected a count, found ", args.integer(0)});
  Draw first = nextDraws(uint64_t(args.integer(0)));
  return {makeTensor<int64_t>(DType::I64, {2}, {int64_t(first.seed),
                                                int64_t(first.number)})};
}

/// An operator that draws given numbers: the tensor that `draws` gave and a
/// number below its count stand before its own arguments.
template <Operator Op> static Values drawnBy(const Args &args) {
  auto state = readAll<int64_t>(args.tensor(0));
  require(state.size() == 2, {"expected a seed and a number, found ",
                              args.tensor(0)});
  runtime::OpArguments own;
  for (size_t i = 2; i < args.size(); ++i)
    own.push_back(args[i]);
  GivenDraws given({uint64_t(state[0]),
                    uint64_t(state[1]) + uint64_t(args.integer(1))});
  return Op(Args(own));
}

template <Operator Op>
static void addRandom(Table &table, const std::string &name) {
  table.op<Op>(name);
  table.op<drawnBy<Op>>("_drawn_" + name);
}

void eager::addRandomOperators(Table &table) {
  table.op<draws>("_draws.default");
  addRandom<rand>(table, "rand.default");
  addRandom<randLike>(table, "rand_like.default");
  addRandom<randn>(table, "randn.default");
  addRandom<randnLike>(table, "randn_like.default");
  addRandom<uniform>(table, "uniform.default");
  table.inPlace<uniform>("uniform_.default");
  addRandom<normal>(table, "normal_functional.default");
  table.inPlace<normal>("normal_.default");
  addRandom<exponential>(table, "exponential.default");
  table.inPlace<exponential>("exponential_.default");
  addRandom<randint>(table, "randint.default");
  addRandom<randintLow>(table, "randint.low");
  addRandom<randintLike>(table, "randint_like.default");
  table.op<randintLikeLow>("randint_like.low_dtype");
  addRandom<randperm>(table, "randperm.default");
  addRandom<bernoulli>(table, "bernoulli.default");
  addRandom<bernoulliP>(table, "bernoulli.p");
  table.inPlace<bernoulliP>("bernoulli_.float");
  addRandom<bernoulliTensor>(table, "bernoulli.Tensor");
  table.inPlace<bernoulliTensor>("bernoulli_.Tensor");
  addRandom<nativeDropout>(table, "native_dropout.default");
  table.op<nativeDropoutBackward>("native_dropout_backward.default");
  table.both<dropout>("dropout", "default");
  addRandom<multinomial>(table, "multinomial.default");
  addRandom<rrelu>(table, "rrelu_with_noise_functional.default");
}
