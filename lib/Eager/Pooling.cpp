//===- Pooling.cpp - Windows reduced to one value -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Poolings in one to three dimensions share one shape of code: leading
// dimensions are merged into planes, and every output position of a plane
// reduces the input positions of its window.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "Windows.h"

#include <algorithm>
#include <limits>

using namespace kiln;
using namespace kiln::eager;

/// Sizes of x with its last dimensions replaced.
static Ints withSpatial(const Tensor &x, const Ints &spatial) {
  Ints sizes = x.sizes();
  std::copy(spatial.begin(), spatial.end(), sizes.end() - spatial.size());
  return sizes;
}

static Ints trailing(const Tensor &x, size_t dims) {
  return Ints(x.sizes().end() - dims, x.sizes().end());
}

static void requirePlaneRank(const Tensor &x, int64_t dims) {
  require(x.rank() == dims + 1 || x.rank() == dims + 2,
          {"expected rank ", dims + 1, " or ", dims + 2, ", found ", x});
}

/// Only what lies in front of dimension `first` may be empty.
static void requireElements(const Tensor &x, int64_t first) {
  for (int64_t d = first; d < x.rank(); ++d)
    require(x.size(d) > 0, {"expected elements along dimension ", d,
                            ", found ", x});
}

/// Only the batch may be empty.
static void requirePlanes(const Tensor &x, int64_t dims) {
  requirePlaneRank(x, dims);
  requireElements(x, x.rank() - dims - 1);
}

static Windows windowsOf(const Args &args, const Tensor &x, size_t dims,
                         size_t kernelArgument, const Ints &dilation,
                         bool ceilMode) {
  requirePlanes(x, int64_t(dims));
  Windows w;
  w.input = trailing(x, dims);
  w.kernel = args.intsOf(kernelArgument, dims);
  w.stride = args.intsOf(kernelArgument + 1, dims, w.kernel);
  w.padding = args.intsOf(kernelArgument + 2, dims, {0});
  w.dilation = dilation;
  w.computeOutput(ceilMode);
  for (size_t d = 0; d < dims; ++d) {
    require(w.padding[d] <= ((w.kernel[d] - 1) * w.dilation[d] + 1) / 2,
            {"padding ", w.padding, " is more than half of the kernel ",
             w.kernel});
    require(w.output[d] > 0, {"no window of ", w.kernel, " fits ", x});
  }
  return w;
}

/// Planes times outputs, with the index of the largest element. A window without
/// one gives the lowest number, and the index that `none` says.
template <typename T, typename F, typename G>
static Values maxOver(const Tensor &x, const Ints &input, const Ints &output,
                      F forEachPosition, G none) {
  constexpr T kLowest = std::numeric_limits<T>::has_infinity
                            ? -std::numeric_limits<T>::infinity()
                            : std::numeric_limits<T>::lowest();
  auto values = readAll<T>(x);
  int64_t inputs = product(input),
          planes = x.numel() / std::max<int64_t>(inputs, 1);
  std::vector<T> largest;
  std::vector<int64_t> indices;
  for (int64_t p = 0; p < planes; ++p) {
    const T *plane = values.data() + p * inputs;
    forEachIndex(output, [&](const Ints &at, int64_t) {
      int64_t best = -1;
      forEachPosition(at, [&](int64_t position) {
        if (best < 0 || plane[position] > plane[best] ||
            formula::isNan(plane[position]))
          best = position;
      });
      largest.push_back(best < 0 ? kLowest : plane[best]);
      indices.push_back(best < 0 ? none(at) : best);
    });
  }
  Ints sizes = withSpatial(x, output);
  return {makeTensor(x.dtype(), sizes, largest),
          makeTensor(DType::I64, sizes, indices)};
}

/// Where PyTorch begins to look: at the first tap that is not in front of the
/// input, which may lie behind it.
static int64_t firstTap(const Windows &w, const Ints &at) {
  int64_t position = 0;
  for (size_t d = 0; d < w.input.size(); ++d) {
    int64_t first = at[d] * w.stride[d] - w.padding[d];
    if (first < 0)
      first += (-first + w.dilation[d] - 1) / w.dilation[d] * w.dilation[d];
    position = position * w.input[d] + first;
  }
  return position;
}

/// Schema: self, kernel_size, stride, padding, dilation, ceil_mode.
template <size_t Dims> static Values maxPool(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.dtype() != DType::Bool, {"not defined for bool"});
  Windows w = windowsOf(args, x, Dims, 1, args.intsOf(4, Dims, {1}),
                        args.flag(5));
  return withReal(x.dtype(), [&](auto zero) {
    return maxOver<decltype(zero)>(
        x, w.input, w.output, [&](const Ints &at, auto visit) {
          w.forEachTap(at, [&](int64_t, int64_t position) {
            if (position >= 0)
              visit(position);
          });
        },
        [&](const Ints &at) { return firstTap(w, at); });
  });
}
template <size_t Dims> static Values maxPoolPlain(const Args &args) {
  return {maxPool<Dims>(args)[0]};
}

/// Adds every gradient to the element that was chosen.
static Tensor scatterToIndices(const Tensor &gradient, const Tensor &x,
                               const Tensor &indices, size_t dims) {
  require(gradient.sizes() == indices.sizes(),
          {"expected a gradient of the sizes of ", indices, ", found ",
           gradient});
  int64_t inputs = product(trailing(x, dims));
  int64_t outputs = product(trailing(indices, dims));
  require(inputs * indices.numel() == outputs * x.numel(),
          {"indices ", indices, " do not fit ", x});
  auto at = readIndices(indices);
  return withFloat(gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto g = readAll<T>(gradient);
    std::vector<T> result(size_t(x.numel()), T(0));
    for (size_t i = 0; i < g.size(); ++i) {
      require(at[i] >= 0 && at[i] < inputs, {"index ", at[i],
                                             " is out of range for ", x});
      result[int64_t(i) / outputs * inputs + at[i]] += g[i];
    }
    return makeTensor(gradient.dtype(), x.sizes(), result);
  });
}
/// Schema: grad_output, self, kernel_size, stride, padding, dilation,
/// ceil_mode, indices.
template <size_t Dims> static Values maxPoolBackward(const Args &args) {
  const Tensor &x = args.tensor(1), &gradient = args.tensor(0);
  Windows w = windowsOf(args, x, Dims, 2, args.intsOf(5, Dims, {1}),
                        args.flag(6));
  require(gradient.sizes() == withSpatial(x, w.output),
          {"expected a gradient of sizes ", withSpatial(x, w.output),
           ", found ", gradient});
  return {scatterToIndices(gradient, x, args.tensor(7), Dims)};
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

namespace {
struct Average {
  Windows windows;
  bool includesPadding;
  std::optional<int64_t> divisor;

  /// What the sum of the window at `at` is divided by.
  int64_t divisorAt(const Ints &at, int64_t inside) const {
    if (divisor)
      return *divisor;
    if (!includesPadding)
      return inside;
    int64_t count = 1;
    for (size_t d = 0; d < at.size(); ++d) {
      int64_t begin = at[d] * windows.stride[d] - windows.padding[d];
      int64_t end = std::min(begin + windows.kernel[d],
                             windows.input[d] + windows.padding[d]);
      count *= end - begin;
    }
    return count;
  }
};
} // namespace

/// Arguments from the kernel on: kernel_size, stride, padding, ceil_mode,
/// count_include_pad, divisor_override.
template <size_t Dims>
static Average averageOf(const Args &args, const Tensor &x, size_t kernel) {
  Average a{windowsOf(args, x, Dims, kernel, Ints(Dims, 1),
                      args.flag(kernel + 3)),
            args.isNone(kernel + 4) || args.flag(kernel + 4),
            args.optInteger(kernel + 5)};
  require(!a.divisor || *a.divisor != 0, {"the divisor must not be zero"});
  return a;
}

template <size_t Dims> static Values avgPool(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(isFloat(x.dtype()) || x.dtype() == DType::I64,
          {"expected a floating point tensor or i64, found ", x});
  Average a = averageOf<Dims>(args, x, 1);
  return {withReal(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(x);
    int64_t inputs = a.windows.inputCount();
    std::vector<T> result;
    for (int64_t p = 0; p < x.numel() / inputs; ++p)
      forEachIndex(a.windows.output, [&](const Ints &at, int64_t) {
        T sum = 0;
        int64_t inside = 0;
        a.windows.forEachTap(at, [&](int64_t, int64_t position) {
          if (position < 0)
            return;
          sum = formula::add(sum, values[p * inputs + position]);
          ++inside;
        });
        int64_t divisor = a.divisorAt(at, inside);
        result.push_back(inside == 0 ? T(0) : sum / T(divisor));
      });
    return makeTensor(x.dtype(), withSpatial(x, a.windows.output), result);
  })};
}

/// Schema: grad_output, self, then as the forward operator.
template <size_t Dims> static Values avgPoolBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &x = args.tensor(1);
  Average a = averageOf<Dims>(args, x, 2);
  require(gradient.sizes() == withSpatial(x, a.windows.output),
          {"expected a gradient of sizes ", withSpatial(x, a.windows.output),
           ", found ", gradient});
  return {withReal(gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto g = readAll<T>(gradient);
    int64_t inputs = a.windows.inputCount(), outputs = a.windows.outputCount();
    std::vector<T> result(size_t(x.numel()), T(0));
    for (int64_t p = 0; p < x.numel() / inputs; ++p)
      forEachIndex(a.windows.output, [&](const Ints &at, int64_t o) {
        int64_t inside = 0;
        a.windows.forEachTap(at, [&](int64_t, int64_t position) {
          inside += position >= 0;
        });
        T share = inside ? g[p * outputs + o] / T(a.divisorAt(at, inside))
                         : T(0);
        a.windows.forEachTap(at, [&](int64_t, int64_t position) {
          if (position >= 0)
            result[p * inputs + position] += share;
        });
      });
    return makeTensor(gradient.dtype(), x.sizes(), result);
  })};
}

//===----------------------------------------------------------------------===//
// Adaptive windows
//===----------------------------------------------------------------------===//

/// Calls `f(position)` for the window of output position `at`, which spans
/// [floor(i * in / out), ceil((i + 1) * in / out)).
template <typename F>
static void forEachAdaptive(const Ints &input, const Ints &output,
                            const Ints &at, F f) {
  Ints begin, extent;
  for (size_t d = 0; d < input.size(); ++d) {
    begin.push_back(at[d] * input[d] / output[d]);
    extent.push_back(((at[d] + 1) * input[d] + output[d] - 1) / output[d] -
                     begin[d]);
  }
  forEachIndex(extent, [&](const Ints &offset, int64_t) {
    int64_t position = 0;
    for (size_t d = 0; d < input.size(); ++d)
      position = position * input[d] + begin[d] + offset[d];
    f(position);
  });
}

template <size_t Dims>
static Ints adaptiveOutput(const Args &args, const Tensor &x) {
  requirePlaneRank(x, Dims);
  Ints output = args.ints(1);
  if (output.size() == 1)
    output.resize(Dims, output[0]);
  require(output.size() == Dims, {"expected ", Dims, " output sizes, found ",
                                  output});
  requireSizes(output);
  return output;
}

/// A mean over everything (which the composite overloads take for what it is,
/// `MayBeMean`) may have nothing to average.
template <size_t Dims, bool MayBeMean>
static Values adaptiveAvgPool(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints output = adaptiveOutput<Dims>(args, x), input = trailing(x, Dims);
  if (!MayBeMean || output != Ints(Dims, 1))
    requireElements(x, Dims == 3 ? 1 : x.rank() - int64_t(Dims));
  int64_t planes = product(Ints(x.sizes().begin(), x.sizes().end() - Dims));
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(x);
    int64_t inputs = product(input);
    std::vector<T> result;
    for (int64_t p = 0; p < planes; ++p)
      forEachIndex(output, [&](const Ints &at, int64_t) {
        T sum = 0, count = 0;
        forEachAdaptive(input, output, at, [&](int64_t position) {
          sum += values[p * inputs + position];
          count += 1;
        });
        result.push_back(sum / count);
      });
    return makeTensor(x.dtype(), withSpatial(x, output), result);
  })};
}

template <size_t Dims> static Values adaptiveAvgPoolBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &x = args.tensor(1);
  requirePlaneRank(x, Dims);
  if (x.numel() == 0 && gradient.rank() == x.rank())
    return {filled(x.dtype(), x.sizes(), int64_t(0))};
  require(gradient.rank() == x.rank() &&
              product(trailing(gradient, Dims)) > 0 &&
              withSpatial(x, trailing(gradient, Dims)) == gradient.sizes(),
          {"gradient ", gradient, " does not fit ", x});
  requireSameDType(gradient, x);
  Ints input = trailing(x, Dims), output = trailing(gradient, Dims);
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto g = readAll<T>(gradient);
    int64_t inputs = product(input), outputs = product(output);
    std::vector<T> result(size_t(x.numel()), T(0));
    for (int64_t p = 0; p < x.numel() / inputs; ++p)
      forEachIndex(output, [&](const Ints &at, int64_t o) {
        T count = 0;
        forEachAdaptive(input, output, at, [&](int64_t) { count += 1; });
        forEachAdaptive(input, output, at, [&](int64_t position) {
          result[p * inputs + position] += g[p * outputs + o] / count;
        });
      });
    return makeTensor(x.dtype(), x.sizes(), result);
  })};
}

template <size_t Dims> static Values adaptiveMaxPool(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints output = adaptiveOutput<Dims>(args, x), input = trailing(x, Dims);
  requireElements(x, 1);
  return withFloat(x.dtype(), [&](auto zero) {
    return maxOver<decltype(zero)>(
        x, input, output, [&](const Ints &at, auto visit) {
          forEachAdaptive(input, output, at, visit);
        },
        [](const Ints &) { return 0; }); // each window has an element
  });
}

/// Schema: grad_output, self, indices.
template <size_t Dims> static Values adaptiveMaxPoolBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &x = args.tensor(1);
  requirePlanes(x, Dims);
  require(gradient.rank() == x.rank() &&
              withSpatial(x, trailing(gradient, Dims)) == gradient.sizes(),
          {"gradient ", gradient, " does not fit ", x});
  requireSameDType(gradient, x);
  return {scatterToIndices(gradient, x, args.tensor(2), Dims)};
}

void eager::addPoolingOperators(Table &table) {
  table.op<maxPoolPlain<1>>("max_pool1d.default");
  table.op<maxPoolPlain<2>>("max_pool2d.default");
  table.op<maxPoolPlain<3>>("max_pool3d.default");
  table.op<maxPool<1>>("max_pool1d_with_indices.default");
  table.op<maxPool<2>>("max_pool2d_with_indices.default");
  table.op<maxPool<3>>("max_pool3d_with_indices.default");
  table.op<maxPoolBackward<2>>("max_pool2d_with_indices_backward.default");
  table.op<maxPoolBackward<3>>("max_pool3d_with_indices_backward.default");
  table.op<avgPool<1>>("avg_pool1d.default");
  table.op<avgPool<2>>("avg_pool2d.default");
  table.op<avgPool<3>>("avg_pool3d.default");
  table.op<avgPoolBackward<2>>("avg_pool2d_backward.default");
  table.op<avgPoolBackward<3>>("avg_pool3d_backward.default");
  table.op<adaptiveAvgPool<1, true>>("adaptive_avg_pool1d.default");
  table.op<adaptiveAvgPool<2, true>>("adaptive_avg_pool2d.default");
  table.op<adaptiveAvgPool<3, true>>("adaptive_avg_pool3d.default");
  table.op<adaptiveAvgPool<2, false>>("_adaptive_avg_pool2d.default");
  table.op<adaptiveAvgPool<3, false>>("_adaptive_avg_pool3d.default");
  table.op<adaptiveAvgPoolBackward<2>>("_adaptive_avg_pool2d_backward.default");
  table.op<adaptiveAvgPoolBackward<3>>("_adaptive_avg_pool3d_backward.default");
  table.op<adaptiveMaxPool<1>>("adaptive_max_pool1d.default");
  table.op<adaptiveMaxPool<2>>("adaptive_max_pool2d.default");
  table.op<adaptiveMaxPool<3>>("adaptive_max_pool3d.default");
  table.op<adaptiveMaxPoolBackward<2>>("adaptive_max_pool2d_backward.default");
  table.op<adaptiveMaxPoolBackward<3>>("adaptive_max_pool3d_backward.default");
}
