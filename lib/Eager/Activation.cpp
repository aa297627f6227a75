//===- Activation.cpp - Activations and their derivatives -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All are float formulas; scalar parameters are operands that do not promote.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "PointwiseEngine.h"

using namespace kiln;
using namespace kiln::eager;
using namespace kiln::eager::formula;

/// A function of a tensor and N - 1 numbers, with its in-place form.
template <size_t N, unsigned Accepts = kFloat, typename F>
static void activation(Table &table, const char *name, F f) {
  pointwiseBoth<N, Accepts>(table, name, {"default"},
                            {Accepts, Kind::Default, 1, false}, f);
}

/// A derivative: gradient, then tensor, then N - 2 numbers.
template <size_t N, unsigned Accepts = kFloat, typename F>
static void derivative(Table &table, const char *name, F f) {
  pointwise<N, Accepts>(table, std::string(name) + "_backward.default",
                        {Accepts, Kind::Default, 3, false}, f);
}

/// A derivative that passes the gradient on in some pieces and not in others.
/// Of NaN PyTorch's loop over vectors says that it is not passed, the loop over
/// the elements that fill no vectors that it is. The former sees all but the last
/// elements of a long tensor, and of a short one those of `Wide` bytes and more: 4,
/// or 8 where its vectors have 512 bits. `f` is told first which one answers.
template <size_t N, size_t Wide = 4, typename F>
static void piecewise(Table &table, const char *name, F f) {
  constexpr PointwiseTraits traits{kFloat, Kind::Default, 3, false};
  static const PointwiseOperator vectors = detail::makeOperator<N, kFloat>(
      traits, [f](auto... v) { return f(std::true_type(), v...); });
  static const PointwiseOperator rest = detail::makeOperator<N, kFloat>(
      traits, [f](auto... v) { return f(std::false_type(), v...); });
  static const Operator run = [](const Args &args) {
    bool isWide = itemSize(args.tensor(1).dtype()) >= Wide;
    return Values{evaluate(isWide ? vectors : rest,
                           detail::firstOperands(args, N))};
  };
  table.add(std::string(name) + "_backward.default",
            [](const OpArguments &a) { return guarded(run, a); });
}

static void addSmooth(Table &table) {
  activation<1, kFloat | kComplex>(table, "silu", [](auto x) {
    return x / (decltype(x)(1) + std::exp(-x));
  });
  derivative<2, kFloat | kComplex>(table, "silu", [](auto g, auto x) {
    using T = decltype(x);
    T s = T(1) / (T(1) + std::exp(-x));
    return g * s * (T(1) + x * (T(1) - s));
  });
  activation<1>(table, "mish",
                [](auto x) { return x * std::tanh(softplusOne(x)); });
  derivative<2>(table, "mish", [](auto g, auto x) {
    auto t = std::tanh(softplusOne(x));
    return g * (t + x * formula::sigmoid(x) * (1 - t * t));
  });
  activation<3>(table, "softplus", [](auto x, auto beta, auto threshold) {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  });
  derivative<4>(table, "softplus", [](auto g, auto x, auto beta, auto limit) {
    auto z = std::exp(x * beta);
    return x * beta > limit ? g : g * z / (z + 1);
  });
  derivative<2, kFloat | kComplex>(table, "sigmoid", [](auto g, auto y) {
    if constexpr (std::is_floating_point_v<decltype(y)>)
      return g * (1 - y) * y;
    else
      return g * std::conj((decltype(y)(1) - y) * y);
  });
  derivative<2, kFloat | kComplex>(table, "tanh", [](auto g, auto y) {
    auto slope = decltype(y)(1) - y * y;
    if constexpr (std::is_floating_point_v<decltype(y)>)
      return g * slope;
    else
      return g * std::conj(slope);
  });
  activation<1>(table, "selu", [](auto x) {
    using T = decltype(x);
    constexpr T scale = T(1.0507009873554804934193349852946);
    constexpr T alpha = T(1.6732632423543772848170429916717);
    return scale * (x > 0 ? x : alpha * std::expm1(x));
  });
  activation<2>(table, "celu", [](auto x, auto alpha) {
    return x > 0 ? x : alpha * std::expm1(x / alpha);
  });
  activation<4>(table, "elu",
                [](auto x, auto alpha, auto scale, auto inputScale) {
                  return x > 0 ? x * scale
                               : std::expm1(x * inputScale) * alpha * scale;
                });
}

static void addPiecewise(Table &table) {
  activation<1>(table, "hardswish", [](auto x) {
    using T = decltype(x);
    return x * std::min(std::max(x + T(3), T(0)), T(6)) / T(6);
  });
  piecewise<2, 8>(table, "hardswish", [](auto stopsNan, auto g, auto x) {
    using T = decltype(x);
    bool bends = x < 3 || (stopsNan && isNan(x));
    return x <= -3 ? T(0) : bends ? g * (x / T(3) + T(0.5)) : g;
  });
  activation<1>(table, "hardsigmoid", [](auto x) {
    using T = decltype(x);
    return std::min(std::max(x + T(3), T(0)), T(6)) / T(6);
  });
  derivative<2>(table, "hardsigmoid", [](auto g, auto x) {
    using T = decltype(x);
    return x > -3 && x < 3 ? g / T(6) : T(0);
  });
  activation<1, kFloat | kInteger>(table, "relu6", [](auto x) {
    using T = decltype(x);
    return formula::minimum(formula::maximum(x, T(0)), T(6));
  });
  piecewise<4>(table, "hardtanh",
               [](auto stopsNan, auto g, auto x, auto low, auto high) {
                 bool isOutside = x <= low || x >= high;
                 return isOutside || (stopsNan && isNan(x)) ? decltype(x)(0)
                                                            : g;
               });
  activation<2>(table, "leaky_relu",
                [](auto x, auto slope) { return x > 0 ? x : x * slope; });
  derivative<3>(table, "leaky_relu", [](auto g, auto x, auto slope) {
    return x > 0 ? g : g * slope;
  });
  activation<2>(table, "hardshrink", [](auto x, auto bound) {
    return x >= -bound && x <= bound ? decltype(x)(0) : x;
  });
  activation<2>(table, "softshrink", [](auto x, auto bound) {
    require(bound >= 0, {"the bound of softshrink must not be negative"});
    return isNan(x) ? x
                    : x > bound    ? x - bound
                      : x < -bound ? x + bound
                                   : decltype(x)(0);
  });
  for (const char *name : {"hardshrink", "softshrink"})
    piecewise<3>(table, name, [](auto stopsNan, auto g, auto x, auto bound) {
      bool isInside = x >= -bound && x <= bound;
      return isInside || (stopsNan && isNan(x)) ? decltype(x)(0) : g;
    });
  activation<3, kFloat | kInteger>(
      table, "threshold", [](auto x, auto threshold, auto value) {
        return x <= threshold ? value : x;
      });
  derivative<3, kFloat | kInteger>(
      table, "threshold", [](auto g, auto x, auto threshold) {
        return x <= threshold ? decltype(x)(0) : g;
      });
  pointwise<2, kFloat>(table, "_prelu_kernel.default",
                       {kFloat, Kind::Default, 3, false},
                       [](auto x, auto w) { return x > 0 ? x : x * w; });
}

static Values hardtanh(const Args &args) {
  static const PointwiseOperator op =
      detail::makeOperator<3, kFloat | kInteger>(
          {kReal, Kind::Default, 1, false}, [](auto x, auto low, auto high) {
            return formula::minimum(formula::maximum(x, low), high);
          });
  const Tensor &x = args.tensor(0);
  OpValue low = args.isNone(1) ? OpValue(-1.0) : args[1];
  OpValue high = args.isNone(2) ? OpValue(1.0) : args[2];
  require(x.dtype() != DType::U8 || (toNumber(low, "the lower bound") >= 0 &&
                                     toNumber(high, "the upper bound") >= 0),
          {"unsigned values need bounds that are not negative"});
  return {evaluate(op, {x, low, high})};
}

/// Whether `approximate` asks for the tanh form.
static bool approximates(const Args &args, size_t i) {
  std::string mode = args.optString(i).value_or("none");
  require(mode == "none" || mode == "tanh",
          {"expected approximation 'none' or 'tanh', found '", mode, "'"});
  return mode == "tanh";
}

static Values gelu(const Args &args) {
  static const PointwiseOperator exact = detail::makeOperator<1, kFloat>(
      {}, [](auto x) { return x * normalCdf(x); });
  static const PointwiseOperator tanhForm = detail::makeOperator<1, kFloat>(
      {}, [](auto x) {
        using T = decltype(x);
        return T(0.5) * x * (T(1) + std::tanh(geluTanhArgument(x)));
      });
  return {evaluate(approximates(args, 1) ? tanhForm : exact, {args.tensor(0)})};
}

static Values geluBackward(const Args &args) {
  static const PointwiseOperator exact = detail::makeOperator<2, kFloat>(
      {}, [](auto g, auto x) {
        return g * (normalCdf(x) + x * normalPdf(x));
      });
  static const PointwiseOperator tanhForm = detail::makeOperator<2, kFloat>(
      {}, [](auto g, auto x) {
        using T = decltype(x);
        T t = std::tanh(geluTanhArgument(x));
        T inner = T(0.7978845608028654) * (T(1) + T(3 * 0.044715) * x * x);
        return g * (T(0.5) * (T(1) + t) +
                    T(0.5) * x * (T(1) - t * t) * inner);
      });
  return {evaluate(approximates(args, 2) ? tanhForm : exact,
                   {args.tensor(0), args.tensor(1)})};
}

/// The slope of elu by its input or its result, and where NaN is stopped (see
/// `piecewise`).
template <bool StopsNan> static const PointwiseOperator &eluSlope(bool isResult) {
  constexpr PointwiseTraits traits{kFloat, Kind::Default, 3, false};
  static const PointwiseOperator fromInput = detail::makeOperator<5, kFloat>(
      traits, [](auto g, auto x, auto alpha, auto scale, auto inputScale) {
        return x <= 0 || (StopsNan && isNan(x))
                   ? g * inputScale * alpha * scale * std::exp(x * inputScale)
                   : g * scale;
      });
  static const PointwiseOperator fromResult = detail::makeOperator<5, kFloat>(
      traits, [](auto g, auto y, auto alpha, auto scale, auto inputScale) {
        return y <= 0 || (StopsNan && isNan(y))
                   ? g * inputScale * (y + alpha * scale)
                   : g * scale;
      });
  return isResult ? fromResult : fromInput;
}

/// Arguments: gradient, alpha, scale, input scale, is_result, tensor.
static Values eluBackward(const Args &args) {
  bool isResult = args.flag(4);
  require(!isResult || args.number(1) >= 0,
          {"a negative alpha cannot be differentiated from the result"});
  const Tensor &x = args.tensor(5);
  return {evaluate(itemSize(x.dtype()) >= 8 ? eluSlope<true>(isResult)
                                            : eluSlope<false>(isResult),
                   {args.tensor(0), x, args[1], args[2], args[3]})};
}

static Values logSigmoid(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<1, kFloat>(
      {}, [](auto x) { return -softplusOne(-x); });
  static const PointwiseOperator buffer = detail::makeOperator<1, kFloat>(
      {}, [](auto x) { return std::exp(-std::fabs(x)); });
  return {evaluate(op, {args.tensor(0)}), evaluate(buffer, {args.tensor(0)})};
}

static Values logSigmoidPlain(const Args &args) {
  return {logSigmoid(args)[0]};
}

static Values logSigmoidBackward(const Args &args) {
  static const PointwiseOperator fromInput = detail::makeOperator<2, kFloat>(
      {}, [](auto g, auto x) { return g * formula::sigmoid(-x); });
  // the buffer is exp(-|x|), if there is one
  static const PointwiseOperator fromBuffer = detail::makeOperator<3, kFloat>(
      {}, [](auto g, auto x, auto z) {
        auto part = z / (1 + z);
        return g * (x < 0 ? 1 - part : part);
      });
  const Tensor &x = args.tensor(1);
  Tensor buffer = args.optTensor(2);
  if (buffer.defined() && buffer.sizes() == x.sizes())
    return {evaluate(fromBuffer, {args.tensor(0), x, buffer})};
  return {evaluate(fromInput, {args.tensor(0), x})};
}

static Values logitBackward(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<3, kFloat>(
      {kFloat, Kind::Default, 3, false}, [](auto g, auto x, auto eps) {
        using T = decltype(x);
        if (eps < 0)
          return x < 0 || x > 1 ? T(NAN) : g / (x * (1 - x));
        return x < eps || x > 1 - eps ? T(0) : g / (x * (1 - x));
      });
  return {evaluate(op, {args.tensor(0), args.tensor(1),
                        args.optNumber(2).value_or(-1)})};
}

/// The weight of a prelu, one per channel, seen along dimension 1.
static Tensor channelWeight(const Tensor &x, const Tensor &weight) {
  if (weight.numel() == 1)
    return reshaped(weight, {});
  require(x.rank() > 0 && weight.rank() == 1 &&
              weight.numel() == (x.rank() > 1 ? x.size(1) : 1),
          {"expected one weight per channel of ", x, ", found ", weight});
  Ints sizes(x.rank(), 1);
  sizes[1] = weight.numel();
  return reshaped(weight, sizes);
}

static Values prelu(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kFloat>(
      {kFloat, Kind::KeepFirst, 1, false},
      [](auto x, auto w) { return x > 0 ? x : x * w; });
  const Tensor &x = args.tensor(0), &weight = args.tensor(1);
  requireSameDType(x, weight);
  return {evaluate(op, {x, channelWeight(x, weight)})};
}

static Values preluBackward(const Args &args) {
  static const PointwiseOperator input = detail::makeOperator<3, kFloat>(
      {}, [](auto g, auto x, auto w) { return x > 0 ? g : g * w; });
  static const PointwiseOperator weight = detail::makeOperator<3, kFloat>(
      {}, [](auto g, auto x, auto) {
        return x > 0 ? decltype(x)(0) : g * x;
      });
  std::vector<OpValue> operands = detail::firstOperands(args, 3);
  return {evaluate(input, operands), evaluate(weight, operands)};
}

/// Halves of a tensor along a dimension, as views.
static std::pair<Tensor, Tensor> halves(const Tensor &x, int64_t dim) {
  require(x.rank() > 0, {"expected at least one dimension"});
  dim = wrapDim(dim, x.rank());
  require(x.size(dim) % 2 == 0,
          {"dimension ", dim, " must be even to be halved, found ", x});
  Ints sizes = x.sizes();
  sizes[dim] /= 2;
  Tensor first = restrided(x, sizes, x.strides());
  return {first, x.asStrided(sizes, x.strides(),
                             x.storageOffset() + sizes[dim] * x.stride(dim))};
}

static Values glu(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kFloat>(
      {}, [](auto a, auto b) { return a * formula::sigmoid(b); });
  auto [a, b] = halves(args.tensor(0), args.optInteger(1).value_or(-1));
  return {evaluate(op, {a, b})};
}

static Values gluBackward(const Args &args) {
  static const PointwiseOperator first = detail::makeOperator<3, kFloat>(
      {}, [](auto g, auto, auto b) { return g * formula::sigmoid(b); });
  static const PointwiseOperator second = detail::makeOperator<3, kFloat>(
      {}, [](auto g, auto a, auto b) {
        auto s = formula::sigmoid(b);
        return g * a * s * (1 - s);
      });
  const Tensor &x = args.tensor(1);
  auto [a, b] = halves(x, args.integer(2));
  Tensor result = empty(x.dtype(), x.sizes());
  auto [ga, gb] = halves(result, args.integer(2));
  assign(ga, evaluate(first, {args.tensor(0), a, b}));
  assign(gb, evaluate(second, {args.tensor(0), a, b}));
  return {result};
}

void eager::addActivationOperators(Table &table) {
  addSmooth(table);
  addPiecewise(table);
  table.both<hardtanh>("hardtanh", "default");
  table.both<gelu>("gelu", "default");
  table.op<geluBackward>("gelu_backward.default");
  table.op<eluBackward>("elu_backward.default");
  table.op<logSigmoid>("log_sigmoid_forward.default");
  table.op<logSigmoidPlain>("log_sigmoid.default");
  table.op<logSigmoidBackward>("log_sigmoid_backward.default");
  table.op<logitBackward>("logit_backward.default");
  table.op<prelu>("prelu.default");
  table.op<preluBackward>("_prelu_kernel_backward.default");
  table.op<glu>("glu.default");
  table.op<gluBackward>("glu_backward.default");
}
