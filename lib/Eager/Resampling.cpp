//===- Resampling.cpp - Changing the size of images -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upsampling is separable: every spatial dimension has, for each output
// coordinate, a few taps (input coordinate and weight). The forward operator
// applies one dimension after the other; the backward one applies the
// transposed taps.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::eager;

namespace {
enum class Filter { Nearest, NearestExact, Linear, Cubic, LinearAntialias };
struct Tap {
  int64_t input;
  double weight;
};
using Taps = std::vector<std::vector<Tap>>; ///< per output coordinate

/// One dimension: its sizes, and the scale that was given, if any.
struct Resize {
  int64_t input, output;
  std::optional<double> scale;
};
} // namespace

/// Input units per output unit.
static double stepOf(const Resize &r, bool alignCorners) {
  if (alignCorners)
    return r.output > 1 ? double(r.input - 1) / double(r.output - 1) : 0;
  return r.scale && *r.scale > 0 ? 1 / *r.scale
                                 : double(r.input) / double(r.output);
}

static void cubicTaps(std::vector<Tap> &taps, double at, int64_t size) {
  const double a = -0.75;
  int64_t base = int64_t(std::floor(at));
  double t = at - double(base);
  auto near = [a](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [a](double x) {
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  };
  double weights[4] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
  for (int64_t i = 0; i < 4; ++i)
    taps.push_back(
        {std::clamp<int64_t>(base - 1 + i, 0, size - 1), weights[i]});
}

/// A triangle as wide as the step, normalized.
static void antialiasTaps(std::vector<Tap> &taps, int64_t o, double step,
                          int64_t size) {
  double support = std::max(step, 1.0), center = step * (double(o) + 0.5);
  int64_t begin = std::max<int64_t>(int64_t(center - support + 0.5), 0);
  int64_t end = std::min(int64_t(center + support + 0.5), size);
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    double distance = std::fabs((double(i) - center + 0.5) / support);
    taps.push_back({i, std::max(0.0, 1 - distance)});
    sum += taps.back().weight;
  }
  for (Tap &tap : taps)
    tap.weight = sum != 0 ? tap.weight / sum : tap.weight;
}

/// f32 positions are computed in f32, as PyTorch does: a coordinate decides
/// which elements are read.
static Taps tapsOf(Filter filter, const Resize &r, bool alignCorners,
                   bool inDouble) {
  Taps taps(size_t(r.output));
  double step = stepOf(r, alignCorners);
  auto rounded = [inDouble](double value) {
    return inDouble ? value : double(float(value));
  };
  step = rounded(step);
  for (int64_t o = 0; o < r.output; ++o) {
    std::vector<Tap> &t = taps[o];
    double center = alignCorners
                        ? rounded(step * double(o))
                        : rounded(rounded(step * (double(o) + 0.5)) - 0.5);
    switch (filter) {
    case Filter::Nearest:
    case Filter::NearestExact: {
      double at = filter == Filter::Nearest ? double(o) : double(o) + 0.5;
      // positions of nearest neighbours are always computed in f32
      int64_t index = int64_t(std::floor(float(at) * float(step)));
      t.push_back({std::min(index, r.input - 1), 1});
      break;
    }
    case Filter::Linear: {
      double at = std::max(center, 0.0);
      int64_t low = std::min(int64_t(at), r.input - 1);
      int64_t high = std::min(low + 1, r.input - 1);
      double weight = std::min(std::max(at - double(low), 0.0), 1.0);
      t.push_back({low, 1 - weight});
      t.push_back({high, weight});
      break;
    }
    case Filter::Cubic:
      cubicTaps(t, center, r.input);
      break;
    case Filter::LinearAntialias:
      antialiasTaps(t, o, step, r.input);
      break;
    }
  }
  return taps;
}

/// Applies taps along the middle dimension of [outer, from, inner].
template <typename T>
static std::vector<T> applyTaps(const std::vector<T> &values, const Taps &taps,
                                int64_t outer, int64_t from, int64_t to,
                                int64_t inner, bool transposes) {
  std::vector<T> result(size_t(outer * to * inner), T(0));
  for (int64_t b = 0; b < outer; ++b)
    for (size_t o = 0; o < taps.size(); ++o)
      for (const Tap &tap : taps[o]) {
        int64_t source = transposes ? int64_t(o) : tap.input;
        int64_t target = transposes ? tap.input : int64_t(o);
        const T *in = values.data() + (b * from + source) * inner;
        T *out = result.data() + (b * to + target) * inner;
        for (int64_t i = 0; i < inner; ++i)
          out[i] += T(tap.weight) * in[i];
      }
  return result;
}

/// Where PyTorch's kernels do not look at the scale that was given: they copy
/// what keeps its size, and some know a size that doubles.
static std::vector<Resize> withoutIdleScales(std::vector<Resize> resizes,
                                             Filter filter, bool isBackward) {
  bool allKeep = std::all_of(
      resizes.begin(), resizes.end(),
      [](const Resize &r) { return r.input == r.output; });
  for (Resize &r : resizes) {
    bool keeps = r.input == r.output, isIdle = false;
    switch (filter) {
    case Filter::Nearest:
      isIdle = (isBackward || resizes.size() == 2) &&
               (keeps || r.output == 2 * r.input);
      break;
    case Filter::Linear:
      isIdle = keeps;
      break;
    case Filter::Cubic:
      isIdle = isBackward && allKeep;
      break;
    case Filter::LinearAntialias:
      isIdle = keeps && !isBackward;
      break;
    case Filter::NearestExact:
      break;
    }
    if (isIdle)
      r.scale.reset();
  }
  return resizes;
}

/// `resizes` describe the trailing dimensions, forward; the gradient of the
/// input if `transposes`.
static Tensor resampled(const Tensor &x, const std::vector<Resize> &resizes,
                        Filter filter, bool alignCorners, bool transposes) {
  Ints sizes = x.sizes();
  size_t lead = sizes.size() - resizes.size();
  bool isByte = x.dtype() == DType::U8;
  require(isByte || (isFloat(x.dtype()) && itemSize(x.dtype()) > 1),
          {"expected a floating point tensor or u8, found ", x});
  std::vector<Resize> used =
      withoutIdleScales(resizes, filter, /*isBackward=*/transposes);
  return withFloat(isByte ? DType::F32 : x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(x);
    for (size_t d = used.size(); d-- > 0;) {
      const Resize &r = used[d];
      Taps taps = tapsOf(filter, r, alignCorners, sizeof(T) == 8);
      int64_t outer = product(Ints(sizes.begin(), sizes.begin() + lead + d));
      int64_t inner = product(Ints(sizes.begin() + lead + d + 1, sizes.end()));
      int64_t from = transposes ? r.output : r.input;
      int64_t to = transposes ? r.input : r.output;
      values = applyTaps(values, taps, outer, from, to, inner, transposes);
      sizes[lead + d] = to;
    }
    if (isByte)
      for (T &value : values)
        value = std::clamp(std::round(value), T(0), T(255));
    return makeTensor(x.dtype(), sizes, values);
  });
}

static void requireImage(const Tensor &x, size_t dims) {
  require(x.rank() == int64_t(dims) + 2,
          {"expected rank ", dims + 2, ", found ", x});
  for (int64_t d = 1; d < x.rank(); ++d)
    require(x.size(d) > 0,
            {"expected sizes that are not zero but for the batch, found ", x});
}

static std::vector<Resize> resizesOf(const Ints &input, const Ints &output,
                                     const std::vector<double> &scales) {
  std::vector<Resize> result;
  for (size_t d = 0; d < output.size(); ++d) {
    require(input[d] > 0 && output[d] > 0 && output[d] <= INT32_MAX,
            {"sizes must be from 1 to 2^31 - 1, found ", input, " and ",
             output});
    result.push_back({input[d], output[d],
                      scales.empty() ? std::nullopt
                                     : std::optional(scales[d])});
  }
  return result;
}

/// The `.vec` overloads: output sizes or scale factors, exactly one of them.
template <Filter F, size_t Dims> static Values upsampleVec(const Args &args) {
  constexpr bool takesCorners =
      F != Filter::Nearest && F != Filter::NearestExact;
  const Tensor &x = args.tensor(0);
  bool corners = takesCorners && args.flag(2);
  size_t scaleArgument = takesCorners ? 3 : 2;
  require(args.isNone(1) != args.isNone(scaleArgument),
          {"expected exactly one of output sizes and scale factors"});
  requireImage(x, Dims);
  Ints input(x.sizes().end() - Dims, x.sizes().end()), output;
  std::vector<double> scales;
  if (!args.isNone(1)) {
    output = args.ints(1);
  } else {
    scales = args.numbers(scaleArgument);
    for (size_t d = 0; d < scales.size() && d < Dims; ++d)
      output.push_back(int64_t(double(input[d]) * scales[d]));
  }
  require(output.size() == Dims && (scales.empty() || scales.size() == Dims),
          {"expected ", Dims, " sizes or factors"});
  return {resampled(x, resizesOf(input, output, scales), F, corners, false)};
}

/// Scales as separate optional arguments from index `first` on.
static std::vector<double> separateScales(const Args &args, size_t first,
                                          size_t dims) {
  std::vector<double> scales;
  for (size_t d = 0; d < dims; ++d)
    scales.push_back(args.optNumber(first + d).value_or(0));
  return scales;
}

/// Schema: self, output_size, [align_corners,] scales...
template <Filter F, size_t Dims> static Values upsample(const Args &args) {
  constexpr bool takesCorners =
      F != Filter::Nearest && F != Filter::NearestExact;
  const Tensor &x = args.tensor(0);
  requireImage(x, Dims);
  Ints input(x.sizes().end() - Dims, x.sizes().end());
  return {resampled(x,
                    resizesOf(input, args.intsOf(1, Dims),
                              separateScales(args, takesCorners ? 3 : 2, Dims)),
                    F, takesCorners && args.flag(2), false)};
}

/// Schema: grad_output, output_size, input_size, [align_corners,] scales...
template <Filter F, size_t Dims>
static Values upsampleBackward(const Args &args) {
  constexpr bool takesCorners =
      F != Filter::Nearest && F != Filter::NearestExact;
  const Tensor &gradient = args.tensor(0);
  Ints output = args.intsOf(1, Dims), sizes = args.ints(2);
  require(sizes.size() == Dims + 2,
          {"expected ", Dims + 2, " input sizes, found ", sizes});
  Ints expected = {sizes[0], sizes[1]};
  expected.insert(expected.end(), output.begin(), output.end());
  require(gradient.sizes() == expected,
          {"expected a gradient of sizes ", expected, ", found ", gradient});
  requireFloat(gradient);
  Ints input(sizes.begin() + 2, sizes.end());
  return {resampled(gradient,
                    resizesOf(input, output,
                              separateScales(args, takesCorners ? 4 : 3, Dims)),
                    F, takesCorners && args.flag(3), true)};
}

void eager::addResamplingOperators(Table &table) {
  table.op<upsampleVec<Filter::Nearest, 1>>("upsample_nearest1d.vec");
  table.op<upsampleVec<Filter::Nearest, 2>>("upsample_nearest2d.vec");
  table.op<upsampleVec<Filter::Nearest, 3>>("upsample_nearest3d.vec");
  table.op<upsampleVec<Filter::NearestExact, 2>>(
      "_upsample_nearest_exact2d.vec");
  table.op<upsampleVec<Filter::Linear, 1>>("upsample_linear1d.vec");
  table.op<upsampleVec<Filter::Linear, 2>>("upsample_bilinear2d.vec");
  table.op<upsampleVec<Filter::Linear, 3>>("upsample_trilinear3d.vec");
  table.op<upsampleVec<Filter::Cubic, 2>>("upsample_bicubic2d.vec");
  table.op<upsampleVec<Filter::LinearAntialias, 2>>(
      "_upsample_bilinear2d_aa.vec");
  table.op<upsample<Filter::Nearest, 2>>("upsample_nearest2d.default");
  table.op<upsample<Filter::Linear, 2>>("upsample_bilinear2d.default");
  table.op<upsample<Filter::Cubic, 2>>("upsample_bicubic2d.default");
  table.op<upsampleBackward<Filter::Nearest, 1>>(
      "upsample_nearest1d_backward.default");
  table.op<upsampleBackward<Filter::Nearest, 2>>(
      "upsample_nearest2d_backward.default");
  table.op<upsampleBackward<Filter::Nearest, 3>>(
      "upsample_nearest3d_backward.default");
  table.op<upsampleBackward<Filter::NearestExact, 2>>(
      "_upsample_nearest_exact2d_backward.default");
  table.op<upsampleBackward<Filter::Linear, 1>>(
      "upsample_linear1d_backward.default");
  table.op<upsampleBackward<Filter::Linear, 2>>(
      "upsample_bilinear2d_backward.default");
  table.op<upsampleBackward<Filter::Linear, 3>>(
      "upsample_trilinear3d_backward.default");
  table.op<upsampleBackward<Filter::Cubic, 2>>(
      "upsample_bicubic2d_backward.default");
  table.op<upsampleBackward<Filter::LinearAntialias, 2>>(
      "_upsample_bilinear2d_aa_backward.default");
}
