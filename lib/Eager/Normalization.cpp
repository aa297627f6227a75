//===- Normalization.cpp - Batch, layer, group, instance and RMS norm -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two routines do all the work. `RowNorm` normalizes rows of a matrix with a
// weight that depends on the position (layer norm: the column; group norm: the
// channel). `ChannelNorm` normalizes the channels of [N, C, S] (batch norm;
// instance norm is batch norm with N * C channels).
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"
#include "Views.h"

#include <cmath>
#include <limits>

using namespace kiln;
using namespace kiln::eager;

/// Weights have the input's type, or f32 beside a 16-bit input. Returns the
/// type of saved statistics: that of the weights.
static DType parameterDType(const Tensor &input,
                            const std::vector<Tensor> &parameters) {
  requireFloat(input);
  DType result = input.dtype();
  for (const Tensor &parameter : parameters) {
    if (!parameter.defined())
      continue;
    bool mixed =
        itemSize(input.dtype()) == 2 && parameter.dtype() == DType::F32;
    require(parameter.dtype() == input.dtype() || mixed,
            {"expected parameters of ", input.dtype(), ", found ", parameter});
    if (mixed)
      result = DType::F32;
  }
  return result;
}

template <typename T> static std::vector<T> readOptional(const Tensor &x) {
  return x.defined() ? readAll<T>(x) : std::vector<T>();
}

static bool masks(const Args &args, size_t i, size_t which) {
  const auto *list = std::get_if<OpValue::List>(&args[i].value);
  require(list && list->size() > which,
          {"expected a mask of the wanted results"});
  return toInteger((*list)[which], "a mask") != 0;
}

/// The tensor, or none where it was not asked for.
static OpValue wanted(bool asked, Tensor tensor) {
  return asked ? OpValue(std::move(tensor)) : OpValue();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// How positions of a row map to weights: element i of row r uses weight
/// (r % groups) * (length / inner) + i / inner.
struct RowNorm {
  int64_t rows, length, inner, groups;
  int64_t weightIndex(int64_t row, int64_t i) const {
    return row % groups * (length / inner) + i / inner;
  }
};
} // namespace

/// {output, mean, rstd} with mean and rstd of `statSizes`.
static Values rowNorm(const RowNorm &shape, const Tensor &x,
                      const Tensor &weight, const Tensor &bias, double eps,
                      const Ints &statSizes) {
  DType statDType = parameterDType(x, {weight, bias});
  return withFloat(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto values = readAll<T>(x), w = readOptional<T>(weight),
         b = readOptional<T>(bias);
    std::vector<T> means(size_t(shape.rows)), rstds(size_t(shape.rows));
    for (int64_t r = 0; r < shape.rows; ++r) {
      T *row = values.data() + r * shape.length;
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < shape.length; ++i)
        sum += row[i];
      T mean = T(sum / double(shape.length));
      for (int64_t i = 0; i < shape.length; ++i)
        squares += (double(row[i]) - sum / double(shape.length)) *
                   (double(row[i]) - sum / double(shape.length));
      T rstd = T(1 / std::sqrt(squares / double(shape.length) + eps));
      for (int64_t i = 0; i < shape.length; ++i) {
        int64_t at = shape.weightIndex(r, i);
        row[i] = (row[i] - mean) * rstd * (w.empty() ? T(1) : w[at]) +
                 (b.empty() ? T(0) : b[at]);
      }
      means[r] = mean;
      rstds[r] = rstd;
    }
    return {makeTensor(x.dtype(), x.sizes(), values),
            makeTensor(statDType, statSizes, means),
            makeTensor(statDType, statSizes, rstds)};
  });
}

static Values rowNormBackward(const RowNorm &shape, const Tensor &gradient,
                              const Tensor &x, const Tensor &mean,
                              const Tensor &rstd, const Tensor &weight,
                              const Ints &weightSizes, const Args &args,
                              size_t mask, DType weightDType) {
  require(gradient.numel() == x.numel() && mean.numel() == shape.rows &&
              rstd.numel() == shape.rows,
          {"expected a gradient and statistics that fit ", x, ", found ",
           gradient, ", ", mean, " and ", rstd});
  return withFloat(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto g = readAll<T>(gradient), values = readAll<T>(x),
         means = readAll<T>(mean), rstds = readAll<T>(rstd),
         w = readOptional<T>(weight);
    std::vector<double> dWeight(size_t(product(weightSizes)), 0),
        dBias = dWeight;
    std::vector<T> dInput(values.size());
    for (int64_t r = 0; r < shape.rows; ++r) {
      int64_t base = r * shape.length;
      double sum = 0, dotted = 0;
      for (int64_t i = 0; i < shape.length; ++i) {
        int64_t at = shape.weightIndex(r, i);
        T normal = (values[base + i] - means[r]) * rstds[r];
        T scaled = g[base + i] * (w.empty() ? T(1) : w[at]);
        sum += scaled;
        dotted += double(scaled) * normal;
        dWeight[at] += double(g[base + i]) * normal;
        dBias[at] += g[base + i];
      }
      for (int64_t i = 0; i < shape.length; ++i) {
        int64_t at = shape.weightIndex(r, i);
        double normal = (values[base + i] - means[r]) * rstds[r];
        double scaled = g[base + i] * (w.empty() ? T(1) : w[at]);
        dInput[base + i] = T((scaled - sum / double(shape.length) -
                              normal * dotted / double(shape.length)) *
                             rstds[r]);
      }
    }
    return {wanted(masks(args, mask, 0),
                   makeTensor(x.dtype(), x.sizes(), dInput)),
            wanted(masks(args, mask, 1),
                   makeTensor(weightDType, weightSizes, dWeight)),
            wanted(masks(args, mask, 2),
                   makeTensor(weightDType, weightSizes, dBias))};
  });
}

/// The trailing dimensions that a layer norm spans.
static RowNorm layerShape(const Tensor &x, const Ints &normalized,
                          const Tensor &weight, const Tensor &bias) {
  require(!normalized.empty(), {"expected at least one normalized dimension"});
  require(x.rank() >= int64_t(normalized.size()) &&
              std::equal(normalized.rbegin(), normalized.rend(),
                         x.sizes().rbegin()),
          {"expected trailing sizes ", normalized, ", found ", x});
  for (const Tensor &parameter : {weight, bias})
    require(!parameter.defined() || parameter.sizes() == normalized,
            {"expected a parameter of sizes ", normalized, ", found ",
             parameter});
  int64_t length = product(normalized);
  return {length ? x.numel() / length : 0, length, 1, 1};
}

/// Sizes of one statistic per row: normalized dimensions become one.
static Ints layerStatSizes(const Tensor &x, size_t normalizedRank) {
  Ints sizes = x.sizes();
  std::fill(sizes.end() - normalizedRank, sizes.end(), 1);
  return sizes;
}

/// Schema: input, normalized_shape, weight, bias, eps.
static Values layerNormNative(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints normalized = args.ints(1);
  Tensor weight = args.optTensor(2), bias = args.optTensor(3);
  RowNorm shape = layerShape(x, normalized, weight, bias);
  Ints statSizes = layerStatSizes(x, normalized.size());
  if (x.numel() == 0) {
    // statistics of empty rows are undefined values
    DType dtype = parameterDType(x, {weight, bias});
    return {take(x.clone()), filled(dtype, statSizes, 0.0),
            filled(dtype, statSizes, 0.0)};
  }
  return rowNorm(shape, x, weight, bias, args.number(4), statSizes);
}
static Values layerNorm(const Args &args) { return {layerNormNative(args)[0]}; }

/// Schema: grad_out, input, normalized_shape, mean, rstd, weight, bias, mask.
static Values layerNormBackward(const Args &args) {
  const Tensor &x = args.tensor(1);
  Ints normalized = args.ints(2);
  Tensor weight = args.optTensor(5), bias = args.optTensor(6);
  RowNorm shape = layerShape(x, normalized, weight, bias);
  DType dtype = parameterDType(x, {weight, bias});
  Values results =
      rowNormBackward(shape, args.tensor(0), x, args.tensor(3), args.tensor(4),
                      weight, normalized, args, 7, dtype);
  if (!weight.defined())
    results[1] = OpValue();
  if (!bias.defined())
    results[2] = OpValue();
  return results;
}

/// Schema: input, weight, bias, N, C, HxW, group, eps.
static Values groupNormOf(const Tensor &x, const Tensor &weight,
                          const Tensor &bias, int64_t n, int64_t c, int64_t s,
                          int64_t groups, double eps) {
  require(groups > 0 && c % groups == 0,
          {"channels ", c, " are not divisible by ", groups, " groups"});
  require(n >= 0 && s >= 0 && x.numel() == product({n, c, s}),
          {"sizes ", n, ", ", c, ", ", s, " do not fit ", x});
  for (const Tensor &parameter : {weight, bias})
    require(!parameter.defined() || parameter.sizes() == Ints{c},
            {"expected a parameter per channel of ", c, ", found ",
             parameter});
  if (x.numel() == 0) {
    DType dtype = parameterDType(x, {weight, bias});
    return {take(x.clone()), filled(dtype, {n, groups}, 0.0),
            filled(dtype, {n, groups}, 0.0)};
  }
  RowNorm shape{n * groups, c / groups * s, s, groups};
  return rowNorm(shape, x, weight, bias, eps, {n, groups});
}
static Values groupNormNative(const Args &args) {
  return groupNormOf(args.tensor(0), args.optTensor(1), args.optTensor(2),
                     args.integer(3), args.integer(4), args.integer(5),
                     args.integer(6), args.number(7));
}
/// Schema: input, num_groups, weight, bias, eps.
static Values groupNorm(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() >= 2, {"expected at least 2 dimensions, found ", x});
  int64_t c = x.size(1);
  int64_t s = product(Ints(x.sizes().begin() + 2, x.sizes().end()));
  require(c > 0 && s > 0, {"expected channels that are not empty, found ", x});
  return {groupNormOf(x, args.optTensor(2), args.optTensor(3), x.size(0), c, s,
                      args.integer(1), args.optNumber(4).value_or(1e-5))[0]};
}
/// Schema: grad_out, input, mean, rstd, weight, N, C, HxW, group, mask.
static Values groupNormBackward(const Args &args) {
  const Tensor &x = args.tensor(1);
  Tensor weight = args.optTensor(4);
  int64_t n = args.integer(5), c = args.integer(6), s = args.integer(7),
          groups = args.integer(8);
  require(groups > 0 && c % groups == 0 && x.numel() == product({n, c, s}),
          {"sizes ", n, ", ", c, ", ", s, " in ", groups,
           " groups do not fit ", x});
  RowNorm shape{n * groups, c / groups * s, s, groups};
  DType dtype = parameterDType(x, {weight});
  return rowNormBackward(shape, args.tensor(0), x, args.tensor(2),
                         args.tensor(3), weight, {c}, args, 9, dtype);
}

/// {output, rstd}. Schema: input, normalized_shape, weight, eps.
static Values rmsNormBoth(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints normalized = args.ints(1);
  Tensor weight = args.optTensor(2);
  parameterDType(x, {weight});
  RowNorm shape = layerShape(x, normalized, weight, Tensor());
  double machine = x.dtype() == DType::F64 ? 0x1p-52 : 0x1p-23;
  double eps = args.optNumber(3).value_or(machine);
  return withFloat(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto values = readAll<T>(x), w = readOptional<T>(weight);
    std::vector<T> rstds(size_t(shape.rows));
    for (int64_t r = 0; r < shape.rows; ++r) {
      T *row = values.data() + r * shape.length;
      double squares = 0;
      for (int64_t i = 0; i < shape.length; ++i)
        squares += double(row[i]) * double(row[i]);
      rstds[r] = T(1 / std::sqrt(squares / double(shape.length) + eps));
      for (int64_t i = 0; i < shape.length; ++i)
        row[i] = row[i] * rstds[r] * (w.empty() ? T(1) : w[i]);
    }
    Ints statSizes = layerStatSizes(x, normalized.size());
    rstds.resize(size_t(product(statSizes)));
    return {makeTensor(x.dtype(), x.sizes(), values),
            makeTensor(x.dtype() == DType::F64 ? DType::F64 : DType::F32,
                       statSizes, rstds)};
  });
}
static Values rmsNorm(const Args &args) { return {rmsNormBoth(args)[0]}; }

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

namespace {
struct ChannelNorm {
  Tensor x, weight, bias, runningMean, runningVar;
  bool training;
  double momentum, eps;
  int64_t n, c, s;

  ChannelNorm(Tensor input, Tensor w, Tensor b, Tensor mean, Tensor var,
              bool trains, double m, double e)
      : x(std::move(input)), weight(std::move(w)), bias(std::move(b)),
        runningMean(std::move(mean)), runningVar(std::move(var)),
        training(trains), momentum(m), eps(e) {
    require(x.rank() >= 2, {"expected at least 2 dimensions, found ", x});
    n = x.size(0);
    c = x.size(1);
    s = product(Ints(x.sizes().begin() + 2, x.sizes().end()));
    for (const Tensor &parameter : {weight, bias, runningMean, runningVar})
      require(!parameter.defined() || parameter.numel() == c,
              {"expected a parameter per channel of ", x, ", found ",
               parameter});
    require(training || (runningMean.defined() && runningVar.defined()),
            {"evaluation needs running statistics"});
  }
};

struct ChannelResult {
  Tensor output, mean, invstd, runningMean, runningVar;
  std::vector<double> batchMean, batchVar; ///< in training
};
} // namespace

static ChannelResult channelNorm(const ChannelNorm &norm) {
  DType statDType = parameterDType(norm.x, {norm.weight, norm.bias,
                                            norm.runningMean, norm.runningVar});
  return withFloat(norm.x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(norm.x), w = readOptional<T>(norm.weight),
         b = readOptional<T>(norm.bias);
    auto running = readOptional<double>(norm.runningMean),
         runningVar = readOptional<double>(norm.runningVar);
    std::vector<double> means(size_t(norm.c)), invstds(size_t(norm.c));
    ChannelResult result;
    int64_t count = norm.n * norm.s;
    for (int64_t c = 0; c < norm.c; ++c) {
      auto forEach = [&](auto f) {
        for (int64_t n = 0; n < norm.n; ++n)
          for (int64_t s = 0; s < norm.s; ++s)
            f(values[(n * norm.c + c) * norm.s + s]);
      };
      double mean = 0, variance = 0;
      if (norm.training) {
        forEach([&](T value) { mean += value; });
        mean /= double(count);
        forEach([&](T v) { variance += (v - mean) * (v - mean); });
        double unbiased = variance / double(count - 1);
        variance /= double(count);
        result.batchMean.push_back(mean);
        result.batchVar.push_back(unbiased);
        if (norm.runningMean.defined())
          running[c] += norm.momentum * (mean - running[c]);
        if (norm.runningVar.defined())
          runningVar[c] += norm.momentum * (unbiased - runningVar[c]);
      } else {
        mean = running[c];
        variance = runningVar[c];
      }
      T center = T(mean), invstd = T(1 / std::sqrt(variance + norm.eps));
      T scale = w.empty() ? T(1) : w[c], shift = b.empty() ? T(0) : b[c];
      forEach([&](T &value) {
        value = (value - center) * invstd * scale + shift;
      });
      means[c] = mean;
      invstds[c] = invstd;
    }
    result.output = makeTensor(norm.x.dtype(), norm.x.sizes(), values);
    result.mean = makeTensor(statDType, {norm.c}, means);
    result.invstd = makeTensor(statDType, {norm.c}, invstds);
    if (norm.runningMean.defined())
      result.runningMean = makeTensor(norm.runningMean.dtype(),
                                      norm.runningMean.sizes(), running);
    if (norm.runningVar.defined())
      result.runningVar = makeTensor(norm.runningVar.dtype(),
                                     norm.runningVar.sizes(), runningVar);
    return result;
  });
}

/// Moves a running statistic towards the batch's, channel by channel: of an
/// expanded tensor, all channels are one number.
static void updateRunning(const Tensor &running,
                          const std::vector<double> &batch, double momentum) {
  for (size_t c = 0; running.defined() && c < batch.size(); ++c) {
    Tensor element = selected(running, 0, int64_t(c));
    double value = readAll<double>(element)[0];
    assign(element,
           makeTensor<double>(running.dtype(), {},
                              {value + momentum * (batch[c] - value)}));
  }
}

/// Runs and writes the running statistics back, as training does.
static ChannelResult updatingNorm(const ChannelNorm &norm) {
  ChannelResult result = channelNorm(norm);
  updateRunning(norm.runningMean, result.batchMean, norm.momentum);
  updateRunning(norm.runningVar, result.batchVar, norm.momentum);
  return result;
}

/// Outside of training nothing is saved.
static Values savedResults(const ChannelNorm &norm,
                           const ChannelResult &result) {
  if (norm.training)
    return {result.output, result.mean, result.invstd};
  Tensor none = empty(result.mean.dtype(), {0});
  return {result.output, none, none};
}

/// Schema: input, weight, bias, running_mean, running_var, training, momentum,
/// eps.
static ChannelNorm normArguments(const Args &args) {
  return {args.tensor(0),    args.optTensor(1), args.optTensor(2),
          args.optTensor(3), args.optTensor(4), args.flag(5),
          args.number(6),    args.number(7)};
}
static Values batchNormNative(const Args &args) {
  ChannelNorm norm = normArguments(args);
  return savedResults(norm, updatingNorm(norm));
}
static Values batchNorm(const Args &args) {
  ChannelNorm norm = normArguments(args);
  return {updatingNorm(norm).output};
}
static Values batchNormFunctional(const Args &args) {
  ChannelNorm norm = normArguments(args);
  ChannelResult result = channelNorm(norm);
  Values values = savedResults(norm, result);
  values.push_back(result.runningMean);
  values.push_back(result.runningVar);
  return values;
}
/// Schema: input, weight, bias, training, momentum, eps.
static Values batchNormNoStats(const Args &args) {
  ChannelNorm norm(args.tensor(0), args.optTensor(1), args.optTensor(2), {}, {},
                   args.flag(3), args.number(4), args.number(5));
  return savedResults(norm, channelNorm(norm));
}
/// Schema: input, weight, bias, running_mean, running_var, momentum, eps.
static Values batchNormNoTraining(const Args &args) {
  ChannelNorm norm(args.tensor(0), args.optTensor(1), args.optTensor(2),
                   args.optTensor(3), args.optTensor(4), false, args.number(5),
                   args.number(6));
  return savedResults(norm, channelNorm(norm));
}

/// Schema: input, weight, bias, running_mean, running_var, use_input_stats,
/// momentum, eps. Every instance of a channel is a channel of its own.
static Values instanceNorm(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.rank() >= 2, {"expected at least 2 dimensions, found ", x});
  int64_t n = x.size(0), c = x.size(1);
  Ints sizes = x.sizes();
  sizes[0] = 1;
  sizes[1] = n * c;
  auto repeated = [&](const Tensor &parameter) {
    if (!parameter.defined())
      return Tensor();
    require(parameter.numel() == c, {"expected a parameter per channel of ", x,
                                     ", found ", parameter});
    Tensor rows = expandTo(reshaped(parameter, {1, c}), {n, c});
    return take(reshaped(rows, {n * c}).clone());
  };
  ChannelNorm norm(reshaped(x, sizes), repeated(args.optTensor(1)),
                   repeated(args.optTensor(2)), repeated(args.optTensor(3)),
                   repeated(args.optTensor(4)), args.flag(5), args.number(6),
                   args.number(7));
  ChannelResult result = channelNorm(norm);
  auto average = [&](const Tensor &target, const Tensor &all) {
    if (!target.defined() || !norm.training)
      return;
    auto values = readAll<double>(all);
    std::vector<double> means(size_t(c), 0);
    for (size_t i = 0; i < values.size(); ++i)
      means[i % size_t(c)] += values[i] / double(n);
    assign(target, makeTensor(target.dtype(), target.sizes(), means));
  };
  average(args.optTensor(3), result.runningMean);
  average(args.optTensor(4), result.runningVar);
  return {reshaped(result.output, x.sizes())};
}

static Values channelNormBackward(const Tensor &gradient,
                                  const ChannelNorm &norm, const Tensor &mean,
                                  const Tensor &invstd, const Args &args,
                                  size_t mask) {
  require(gradient.sizes() == norm.x.sizes(),
          {"expected a gradient of the sizes of ", norm.x, ", found ",
           gradient});
  require(!norm.training || (mean.defined() && mean.numel() == norm.c &&
                             invstd.defined() && invstd.numel() == norm.c),
          {"training needs saved statistics per channel of ", norm.x});
  DType dtype = norm.weight.defined() ? norm.weight.dtype() : norm.x.dtype();
  return withFloat(norm.x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto g = readAll<T>(gradient), values = readAll<T>(norm.x);
    auto w = readOptional<T>(norm.weight);
    auto means = readAll<T>(norm.training ? mean : norm.runningMean);
    auto invstds = readAll<double>(norm.training ? invstd : norm.runningVar);
    std::vector<T> dInput(values.size());
    std::vector<double> dWeight(size_t(norm.c), 0), dBias(size_t(norm.c), 0);
    double count = double(norm.n * norm.s);
    for (int64_t c = 0; c < norm.c; ++c) {
      double scale = norm.training ? invstds[c]
                                   : 1 / std::sqrt(invstds[c] + norm.eps);
      auto forEach = [&](auto f) {
        for (int64_t n = 0; n < norm.n; ++n)
          for (int64_t s = 0; s < norm.s; ++s)
            f((n * norm.c + c) * norm.s + s);
      };
      forEach([&](int64_t i) {
        dWeight[c] += double(g[i]) * (double(values[i]) - means[c]) * scale;
        dBias[c] += g[i];
      });
      double weight = w.empty() ? 1 : w[c];
      forEach([&](int64_t i) {
        double normal = (double(values[i]) - means[c]) * scale, value = g[i];
        if (norm.training)
          value -= (dBias[c] + normal * dWeight[c]) / count;
        dInput[i] = T(value * weight * scale);
      });
    }
    return {wanted(masks(args, mask, 0),
                   makeTensor(norm.x.dtype(), norm.x.sizes(), dInput)),
            wanted(masks(args, mask, 1),
                   makeTensor(dtype, {norm.c}, dWeight)),
            wanted(masks(args, mask, 2), makeTensor(dtype, {norm.c}, dBias))};
  });
}

/// Schema: grad_out, input, weight, running_mean, running_var, save_mean,
/// save_invstd, train, eps, output_mask.
static Values batchNormBackward(const Args &args) {
  ChannelNorm norm(args.tensor(1), args.optTensor(2), {}, args.optTensor(3),
                   args.optTensor(4), args.flag(7), 0, args.number(8));
  return channelNormBackward(args.tensor(0), norm, args.optTensor(5),
                             args.optTensor(6), args, 9);
}

void eager::addNormalizationOperators(Table &table) {
  table.op<layerNormNative>("native_layer_norm.default");
  table.op<layerNorm>("layer_norm.default");
  table.op<layerNormBackward>("native_layer_norm_backward.default");
  table.op<groupNormNative>("native_group_norm.default");
  table.op<groupNorm>("group_norm.default");
  table.op<groupNormBackward>("native_group_norm_backward.default");
  table.op<rmsNorm>("rms_norm.default");
  table.op<rmsNormBoth>("_fused_rms_norm.default");
  table.op<batchNormNative>("native_batch_norm.default");
  table.op<batchNormNative>("_native_batch_norm_legit.default");
  table.op<batchNormFunctional>("_native_batch_norm_legit_functional.default");
  table.op<batchNormNoStats>("_native_batch_norm_legit.no_stats");
  table.op<batchNormNoTraining>(
      "_native_batch_norm_legit_no_training.default");
  table.op<batchNorm>("batch_norm.default");
  table.op<batchNormBackward>("native_batch_norm_backward.default");
  table.op<batchNormBackward>("batch_norm_backward.default");
  table.op<instanceNorm>("instance_norm.default");
}
