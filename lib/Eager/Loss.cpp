//===- Loss.cpp - Losses and their derivatives ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise losses are a formula, a derivative and a reduction (0 none,
// 1 mean, 2 sum). The classification losses follow below.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "PointwiseEngine.h"
#include "Reductions.h"
#include "TypePromotion.h"
#include "Views.h"

using namespace kiln;
using namespace kiln::eager;
using namespace kiln::eager::formula;

static Tensor reduced(const Tensor &losses, int64_t reduction) {
  require(reduction >= 0 && reduction <= 2,
          {"expected reduction 0, 1 or 2, found ", reduction});
  if (reduction == 0)
    return losses;
  Ints all = reducedDims(std::nullopt, losses.rank());
  return reduction == 1 ? meanOver(losses, all, false)
                        : sumOver(losses, all, false);
}

/// 1 / numel for means, else 1.
static double meanFactor(const Tensor &x, int64_t reduction) {
  return reduction == 1 ? 1 / double(x.numel()) : 1;
}

//===----------------------------------------------------------------------===//
// Elementwise losses
//===----------------------------------------------------------------------===//

static constexpr PointwiseTraits kPair{kFloat, Kind::Default, 3, false};
static constexpr PointwiseTraits kTriple{kFloat, Kind::Default, 7, false};

static Values l1Loss(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kFloat>(
      kPair, [](auto x, auto y) { return std::fabs(x - y); });
  const Tensor &x = args.tensor(0), &y = args.tensor(1);
  if (isComplex(x.dtype()) || isComplex(y.dtype())) {
    Ints sizes = broadcastSizes(x.sizes(), y.sizes());
    auto a = readAll<CDouble>(expandTo(x, sizes));
    auto b = readAll<CDouble>(expandTo(y, sizes));
    std::vector<double> losses(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      losses[i] = std::abs(a[i] - b[i]);
    return {reduced(makeTensor(realDType(joinDTypes(x.dtype(), y.dtype())),
                               sizes, losses),
                    args.integer(2))};
  }
  return {reduced(evaluate(op, {x, y}), args.integer(2))};
}

static Values mseLoss(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kFloat>(
      kPair, [](auto x, auto y) { return (x - y) * (x - y); });
  return {reduced(evaluate(op, {args.tensor(0), args.tensor(1)}),
                  args.integer(2))};
}
/// Schema: grad_output, self, target, reduction.
static Values mseLossBackward(const Args &args) {
  static const PointwiseOperator op =
      detail::makeOperator<4, kFloat | kInteger>(
          kTriple, [](auto g, auto x, auto y, auto factor) {
            return factor * (x - y) * g;
          });
  double factor = 2 * meanFactor(args.tensor(1), args.integer(3));
  return {
      evaluate(op, {args.tensor(0), args.tensor(1), args.tensor(2), factor})};
}

static Values smoothL1Loss(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<3, kFloat>(
      kPair, [](auto x, auto y, auto beta) {
        auto d = std::fabs(x - y);
        return d < beta ? d * d / (2 * beta) : d - beta / 2;
      });
  require(args.number(3) >= 0, {"beta must not be negative"});
  return {reduced(evaluate(op, {args.tensor(0), args.tensor(1), args[3]}),
                  args.integer(2))};
}
static Values smoothL1Backward(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<5, kFloat>(
      kTriple, [](auto g, auto x, auto y, auto beta, auto factor) {
        auto d = x - y;
        return factor * g *
               (std::fabs(d) >= beta ? formula::sign(d) : d / beta);
      });
  return {evaluate(op, {args.tensor(0), args.tensor(1), args.tensor(2), args[4],
                        meanFactor(args.tensor(1), args.integer(3))})};
}

static Values huberLoss(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<3, kFloat>(
      kPair, [](auto x, auto y, auto delta) {
        auto d = std::fabs(x - y);
        return d <= delta ? d * d / 2 : delta * (d - delta / 2);
      });
  require(args.number(3) > 0, {"delta must be positive"});
  return {reduced(evaluate(op, {args.tensor(0), args.tensor(1), args[3]}),
                  args.integer(2))};
}
static Values huberBackward(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<5, kFloat>(
      kTriple, [](auto g, auto x, auto y, auto delta, auto factor) {
        auto d = x - y;
        return factor * g * (d <= -delta ? -delta : d >= delta ? delta : d);
      });
  return {evaluate(op, {args.tensor(0), args.tensor(1), args.tensor(2), args[4],
                        meanFactor(args.tensor(1), args.integer(3))})};
}

/// Schema: self, target, reduction, *, log_target.
static Values klDiv(const Args &args) {
  static const PointwiseOperator ofLog = detail::makeOperator<2, kFloat>(
      kPair, [](auto x, auto y) { return std::exp(y) * (y - x); });
  static const PointwiseOperator plain = detail::makeOperator<2, kFloat>(
      kPair, [](auto x, auto y) {
        auto entropy = isNan(y) ? y : y == 0 ? decltype(y)(0) : y * std::log(y);
        return entropy - y * x;
      });
  return {reduced(evaluate(args.flag(3) ? ofLog : plain,
                           {args.tensor(0), args.tensor(1)}),
                  args.integer(2))};
}

/// PyTorch computes some losses in the memory of a copy of one operand.
static void requireSizesOf(const Tensor &copied, const Tensor &losses) {
  require(losses.sizes() == copied.sizes(),
          {"output with shape ", copied.sizes(),
           " doesn't match the broadcast shape ", losses.sizes()});
}

static Values softMarginLoss(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<2, kFloat>(
      kPair, [](auto x, auto y) { return std::log1p(std::exp(-x * y)); });
  Tensor losses = evaluate(op, {args.tensor(0), args.tensor(1)});
  requireSizesOf(args.tensor(0), losses);
  return {reduced(losses, args.integer(2))};
}

static OpValue weightOrOne(const Args &args, size_t i) {
  return args.isNone(i) ? OpValue(1.0) : OpValue(args.tensor(i));
}

/// Schema: self, target, weight, reduction.
static Values crossEntropyBinary(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<3, kFloat>(
      kTriple, [](auto x, auto y, auto weight) {
        using T = decltype(x);
        require(!(x < 0 || x > 1), {"expected probabilities between 0 and 1"});
        T logX = std::max(std::log(x), T(-100));
        T logRest = std::max(std::log1p(-x), T(-100));
        return weight * ((y - 1) * logRest - y * logX);
      });
  require(args.tensor(0).sizes() == args.tensor(1).sizes(),
          {"expected a target of the sizes of ", args.tensor(0), ", found ",
           args.tensor(1)});
  return {reduced(evaluate(op, {args.tensor(0), args.tensor(1),
                                weightOrOne(args, 2)}),
                  args.integer(3))};
}
/// Schema: grad_output, self, target, weight, reduction.
static Values crossEntropyBinaryBackward(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<5, kFloat>(
      {kFloat, Kind::Default, 15, false},
      [](auto g, auto x, auto y, auto weight, auto factor) {
        using T = decltype(x);
        return factor * weight * g * (x - y) / std::max((1 - x) * x, T(1e-12));
      });
  return {evaluate(op, {args.tensor(0), args.tensor(1), args.tensor(2),
                        weightOrOne(args, 3),
                        meanFactor(args.tensor(1), args.integer(4))})};
}
/// Schema: self, target, weight, pos_weight, reduction. The type follows the
/// target.
static Values crossEntropyLogits(const Args &args) {
  static const PointwiseOperator op = detail::makeOperator<4, kFloat>(
      {kFloat, Kind::KeepFirst, 15, false},
      [](auto y, auto x, auto weight, auto positive) {
        auto logSigmoid = -softplusOne(-x);
        auto factor = 1 + (positive - 1) * y;
        return weight * ((1 - y) * x - factor * logSigmoid);
      });
  const Tensor &x = args.tensor(0), &y = args.tensor(1);
  requireFloat(x);
  requireFloat(y);
  Tensor losses =
      evaluate(op, {y, x, weightOrOne(args, 2), weightOrOne(args, 3)});
  requireSizesOf(y, losses);
  return {reduced(losses, args.integer(4))};
}

//===----------------------------------------------------------------------===//
// Negative log likelihood
//===----------------------------------------------------------------------===//

namespace {
/// Scores [n, c, s] (a vector is one sample) with one class per (n, s).
struct Classes {
  Tensor scores;
  Ints lossSizes;
  std::vector<int64_t> target;
  int64_t n, c, s, ignored;

  int64_t position(int64_t i) const {
    return (i / s * c + target[i]) * s + i % s;
  }
};
} // namespace

static Classes classesOf(const Tensor &scores, const Tensor &target,
                         const Tensor &weight, int64_t ignored) {
  requireFloat(scores);
  Classes k{scores, target.sizes(), {}, 1, 0, 1, ignored};
  require(scores.rank() >= 1, {"expected at least one dimension"});
  k.c = scores.rank() == 1 ? scores.size(0) : scores.size(1);
  Ints expected;
  if (scores.rank() > 1) {
    k.n = scores.size(0);
    k.s = product(Ints(scores.sizes().begin() + 2, scores.sizes().end()));
    expected = scores.sizes();
    expected.erase(expected.begin() + 1);
  }
  require(target.sizes() == expected ||
              (scores.rank() == 1 && target.numel() == 1 && target.rank() <= 1),
          {"expected a target of sizes ", expected, ", found ", target});
  require(target.dtype() == DType::I64 || target.dtype() == DType::U8 ||
              target.dtype() == DType::I32,
          {"expected integer classes, found ", target});
  require(!weight.defined() || weight.sizes() == Ints{k.c},
          {"expected a weight per class of ", scores, ", found ", weight});
  k.target = readAll<int64_t>(target);
  for (int64_t t : k.target)
    require(t == ignored || (t >= 0 && t < k.c),
            {"class ", t, " is out of range for ", k.c, " classes"});
  return k;
}

/// {loss, total weight}.
static Values nllLoss(const Tensor &scores, const Tensor &target,
                      const Tensor &weight, int64_t reduction,
                      int64_t ignored) {
  Classes k = classesOf(scores, target, weight, ignored);
  return withFloat(scores.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto x = readAll<T>(scores);
    auto w = weight.defined() ? readAll<T>(weight) : std::vector<T>();
    std::vector<T> losses(k.target.size(), T(0));
    double sum = 0, total = 0;
    for (size_t i = 0; i < losses.size(); ++i) {
      if (k.target[i] == ignored)
        continue;
      T factor = w.empty() ? T(1) : w[k.target[i]];
      losses[i] = -x[k.position(int64_t(i))] * factor;
      sum += losses[i];
      total += factor;
    }
    DType dtype = scores.dtype();
    if (reduction == 0) // of one sample, the total is known all the same
      return {makeTensor(dtype, k.lossSizes, losses),
              filled(dtype, {}, scores.rank() == 1 ? total : 0.0)};
    T result = T(reduction == 1 ? sum / total : sum);
    return {makeTensor<T>(dtype, {}, {result}),
            makeTensor<T>(dtype, {}, {T(total)})};
  });
}

/// Schema: self, target, weight, reduction, ignore_index.
static Values nllForward(const Args &args) {
  require(args.tensor(0).rank() <= 2,
          {"expected scores of rank 1 or 2, found ", args.tensor(0)});
  return nllLoss(args.tensor(0), args.tensor(1), args.optTensor(2),
                 args.integer(3), args.integer(4));
}
static Values nllForward2d(const Args &args) {
  require(args.tensor(0).rank() == 4,
          {"expected scores of rank 4, found ", args.tensor(0)});
  return nllLoss(args.tensor(0), args.tensor(1), args.optTensor(2),
                 args.integer(3), args.integer(4));
}
static Values nllAny(const Args &args) {
  return {nllLoss(args.tensor(0), args.tensor(1), args.optTensor(2),
                  args.optInteger(3).value_or(1),
                  args.optInteger(4).value_or(-100))[0]};
}

/// Schema: grad_output, self, target, weight, reduction, ignore_index,
/// total_weight.
static Values nllBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &scores = args.tensor(1);
  Tensor weight = args.optTensor(3);
  int64_t reduction = args.integer(4), ignored = args.integer(5);
  Classes k = classesOf(scores, args.tensor(2), weight, ignored);
  int64_t expected = reduction == 0 ? int64_t(k.target.size()) : 1;
  require(gradient.numel() == expected,
          {"expected a gradient of ", expected, " elements, found ", gradient});
  return {withFloat(scores.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto g = readAll<T>(gradient);
    auto w = weight.defined() ? readAll<T>(weight) : std::vector<T>();
    T total = reduction == 1 ? readAll<T>(args.tensor(6))[0] : T(1);
    std::vector<T> result(size_t(scores.numel()), T(0));
    for (size_t i = 0; i < k.target.size(); ++i)
      if (k.target[i] != ignored)
        result[k.position(int64_t(i))] = -g[reduction == 0 ? i : 0] *
                                         (w.empty() ? T(1) : w[k.target[i]]) /
                                         total;
    return makeTensor(scores.dtype(), scores.sizes(), result);
  })};
}

/// Schema: self, target, weight, reduction, ignore_index, label_smoothing.
static Values crossEntropyLoss(const Args &args) {
  const Tensor &x = args.tensor(0), &target = args.tensor(1);
  Tensor weight = args.optTensor(2);
  int64_t reduction = args.optInteger(3).value_or(1);
  int64_t ignored = args.optInteger(4).value_or(-100);
  double smoothing = args.optNumber(5).value_or(0);
  require(smoothing >= 0 && smoothing <= 1,
          {"label smoothing must lie between 0 and 1"});
  require(x.rank() >= 1, {"expected at least one dimension"});
  Tensor scores = logSoftmaxOf(x, x.rank() == 1 ? 0 : 1);
  bool probabilities = target.sizes() == x.sizes() && isFloat(target.dtype());
  if (!probabilities && smoothing == 0)
    return {nllLoss(scores, target, weight, reduction, ignored)[0]};
  int64_t c = x.rank() == 1 ? x.size(0) : x.size(1);
  int64_t n = x.rank() == 1 ? 1 : x.size(0);
  int64_t s = c * n ? x.numel() / (c * n) : 0;
  require(!weight.defined() || weight.sizes() == Ints{c},
          {"expected a weight per class of ", x, ", found ", weight});
  Classes k;
  if (!probabilities)
    k = classesOf(scores, target, weight, ignored);
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto logs = readAll<T>(scores);
    auto wanted = probabilities ? readAll<T>(target) : std::vector<T>();
    auto w = weight.defined() ? readAll<T>(weight) : std::vector<T>();
    std::vector<T> losses(size_t(n * s), T(0));
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n * s; ++i) {
      if (!probabilities && k.target[i] == ignored)
        continue;
      double loss = 0;
      for (int64_t label = 0; label < c; ++label) {
        int64_t at = (i / s * c + label) * s + i % s;
        double p = probabilities ? double(wanted[at])
                                 : double(k.target[i] == label);
        p = p * (1 - smoothing) + smoothing / double(c);
        loss -= p * logs[at] * (w.empty() ? 1 : w[label]);
      }
      losses[i] = T(loss);
      sum += loss;
      total += probabilities || w.empty() ? 1 : w[k.target[i]];
    }
    if (reduction != 0)
      return makeTensor<T>(x.dtype(), {},
                           {T(reduction == 1 ? sum / total : sum)});
    Ints sizes = x.sizes();
    sizes.erase(sizes.begin() + (x.rank() == 1 ? 0 : 1));
    return makeTensor(x.dtype(), sizes, losses);
  })};
}

/// Schema: self, target, p, margin, weight, reduction.
static Values multiMarginLoss(const Args &args) {
  const Tensor &x = args.tensor(0);
  Tensor weight = args.optTensor(4);
  double p = args.optNumber(2).value_or(1),
         margin = args.optNumber(3).value_or(1);
  require(p == 1 || p == 2, {"expected p of 1 or 2"});
  require(x.rank() <= 2 && x.numel() > 0, {"expected a non-empty vector or "
                                           "matrix, found ",
                                           x});
  Tensor scores = x.rank() == 0 ? reshaped(x, {1}) : x;
  Classes k = classesOf(scores, args.tensor(1), weight, INT64_MIN);
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(scores);
    auto w = weight.defined() ? readAll<T>(weight) : std::vector<T>();
    std::vector<T> losses(k.target.size());
    for (size_t i = 0; i < losses.size(); ++i) {
      double sum = 0;
      for (int64_t c = 0; c < k.c; ++c) {
        double z = margin - values[k.position(int64_t(i))] +
                   values[int64_t(i) * k.c + c];
        if (c != k.target[i] && z > 0)
          sum += (p == 1 ? z : z * z) * (w.empty() ? 1 : w[k.target[i]]);
      }
      losses[i] = T(sum / double(k.c));
    }
    Ints sizes = x.rank() == 2 ? Ints{x.size(0)} : Ints();
    return reduced(makeTensor(x.dtype(), sizes, losses), args.integer(5));
  })};
}

void eager::addLossOperators(Table &table) {
  table.op<l1Loss>("l1_loss.default");
  table.op<mseLoss>("mse_loss.default");
  table.op<mseLossBackward>("mse_loss_backward.default");
  table.op<smoothL1Loss>("smooth_l1_loss.default");
  table.op<smoothL1Backward>("smooth_l1_loss_backward.default");
  table.op<huberLoss>("huber_loss.default");
  table.op<huberBackward>("huber_loss_backward.default");
  table.op<klDiv>("kl_div.default");
  table.op<softMarginLoss>("soft_margin_loss.default");
  table.op<crossEntropyBinary>("binary_cross_entropy.default");
  table.op<crossEntropyBinaryBackward>("binary_cross_entropy_backward.default");
  table.op<crossEntropyLogits>("binary_cross_entropy_with_logits.default");
  table.op<nllForward>("nll_loss_forward.default");
  table.op<nllForward2d>("nll_loss2d_forward.default");
  table.op<nllAny>("nll_loss_nd.default");
  table.op<nllAny>("nll_loss.default");
  table.op<nllBackward>("nll_loss_backward.default");
  table.op<nllBackward>("nll_loss2d_backward.default");
  table.op<crossEntropyLoss>("cross_entropy_loss.default");
  table.op<multiMarginLoss>("multi_margin_loss.default");
}
