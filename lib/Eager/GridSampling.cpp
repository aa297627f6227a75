//===- GridSampling.cpp - Sampling images at given positions --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample is a weighted sum of input elements; weights are products of one
// list of taps per dimension. A tap also knows how its weight changes with the
// grid coordinate, which gives the gradients from the same lists.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"

#include <cmath>

using namespace kiln;
using namespace kiln::eager;

namespace {
struct GridTap {
  int64_t input; ///< -1 outside
  double weight, slope;
};
struct GridMode {
  int64_t interpolation; ///< 0 linear, 1 nearest, 2 cubic
  int64_t padding;       ///< 0 zeros, 1 border, 2 reflection
  bool alignCorners;
};
/// A coordinate and its derivative in the one it came from.
struct Coordinate {
  double at, slope;
};
} // namespace

static Coordinate unnormalized(double g, int64_t size, bool corners) {
  double scale = corners ? double(size - 1) / 2 : double(size) / 2;
  return {(g + 1) * scale - (corners ? 0 : 0.5), scale};
}

static Coordinate clipped(Coordinate c, int64_t size) {
  if (!(c.at > 0))
    return {0, 0};
  if (c.at >= double(size - 1))
    return {double(size - 1), 0};
  return c;
}

/// Folds a coordinate into [low, high] by reflections.
static Coordinate reflected(Coordinate c, double low, double high) {
  if (low == high)
    return {0, 0};
  double span = high - low, in = c.at - low;
  double sign = in < 0 ? -1 : 1;
  in = std::fabs(in);
  double extra = std::fmod(in, span);
  bool even = std::fmod(std::floor(in / span), 2) == 0;
  return {even ? extra + low : span - extra + low,
          c.slope * sign * (even ? 1 : -1)};
}

static Coordinate padded(Coordinate c, int64_t size, const GridMode &mode) {
  if (mode.padding == 2)
    c = mode.alignCorners ? reflected(c, 0, double(size - 1))
                          : reflected(c, -0.5, double(size) - 0.5);
  if (mode.padding != 0)
    c = clipped(c, size);
  // beyond any image, and safe to convert
  if (!(std::fabs(c.at) < 1e15))
    c.at = -100;
  return c;
}

static std::vector<GridTap> gridTaps(double g, int64_t size,
                                     const GridMode &mode) {
  Coordinate raw = unnormalized(g, size, mode.alignCorners);
  auto inside = [size](int64_t i) { return i >= 0 && i < size ? i : -1; };
  if (mode.interpolation == 2) {
    if (!(std::fabs(raw.at) < 1e15))
      raw.at = -100;
    double base = std::floor(raw.at), t = raw.at - base;
    const double a = -0.75;
    double x[4] = {t + 1, t, 1 - t, 2 - t};
    std::vector<GridTap> taps;
    for (int i = 0; i < 4; ++i) {
      bool isNear = i == 1 || i == 2;
      double v = x[i], sign = i < 2 ? 1 : -1;
      double weight = isNear ? ((a + 2) * v - (a + 3)) * v * v + 1
                             : ((a * v - 5 * a) * v + 8 * a) * v - 4 * a;
      double slope = isNear ? (3 * (a + 2) * v - 2 * (a + 3)) * v
                            : (3 * a * v - 10 * a) * v + 8 * a;
      double at = base - 1 + i; // each tap is padded on its own
      Coordinate c = padded({at, 1}, size, mode);
      taps.push_back({inside(int64_t(c.at)), weight,
                      slope * sign * raw.slope});
    }
    return taps;
  }
  Coordinate c = padded(raw, size, mode);
  if (mode.interpolation == 1)
    return {{inside(int64_t(std::nearbyint(c.at))), 1, 0}};
  double base = std::floor(c.at), t = c.at - base;
  return {{inside(int64_t(base)), 1 - t, -c.slope},
          {inside(int64_t(base) + 1), t, c.slope}};
}

/// Calls `f(position, weights, slopes)` for every combination of taps inside
/// of the image; per dimension a weight and a slope.
template <size_t Dims, typename F>
static void forEachSample(const std::vector<GridTap> (&taps)[Dims],
                          const Ints &input, F f) {
  Ints counts;
  for (const auto &list : taps)
    counts.push_back(int64_t(list.size()));
  forEachIndex(counts, [&](const Ints &at, int64_t) {
    int64_t position = 0;
    const GridTap *chosen[Dims];
    for (size_t d = 0; d < Dims; ++d) {
      chosen[d] = &taps[d][at[d]];
      if (chosen[d]->input < 0)
        return;
      position = position * input[d] + chosen[d]->input;
    }
    f(position, chosen);
  });
}

template <size_t Dims>
static GridMode gridMode(const Tensor &x, const Tensor &grid,
                         int64_t interpolation, int64_t padding, bool corners) {
  requireSameDType(x, grid);
  requireFloat(x);
  require(x.rank() == int64_t(Dims) + 2 && grid.rank() == x.rank() &&
              x.size(0) == grid.size(0) && grid.sizes().back() == int64_t(Dims),
          {"grid ", grid, " does not fit input ", x});
  for (size_t d = 2; d < Dims + 2; ++d)
    require(x.size(d) > 0, {"expected sizes that are not zero, found ", x});
  require(interpolation >= 0 && interpolation <= (Dims == 2 ? 2 : 1) &&
              padding >= 0 && padding <= 2,
          {"unknown interpolation ", interpolation, " or padding ", padding});
  return {interpolation, padding, corners};
}

/// Taps of the grid position whose coordinates (innermost dimension first) lie
/// at `g`.
template <size_t Dims, typename T>
static void tapsAt(const T *g, const Ints &input, const GridMode &mode,
                   std::vector<GridTap> (&taps)[Dims]) {
  for (size_t d = 0; d < Dims; ++d)
    taps[d] = gridTaps(g[Dims - 1 - d], input[d], mode);
}

/// Schema: input, grid, interpolation_mode, padding_mode, align_corners.
template <size_t Dims> static Values gridSampler(const Args &args) {
  const Tensor &x = args.tensor(0), &grid = args.tensor(1);
  GridMode mode = gridMode<Dims>(x, grid, args.integer(2), args.integer(3),
                                 args.flag(4));
  Ints input(x.sizes().begin() + 2, x.sizes().end()), sizes = x.sizes();
  std::copy_n(grid.sizes().begin() + 1, Dims, sizes.begin() + 2);
  int64_t c = x.size(1), inputs = product(input);
  int64_t outputs = product(Ints(sizes.begin() + 2, sizes.end()));
  return {withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readAll<T>(x), g = readAll<T>(grid);
    std::vector<double> result(size_t(product(sizes)), 0);
    std::vector<GridTap> taps[Dims];
    for (int64_t i = 0; i < x.size(0) * outputs; ++i) {
      int64_t n = i / outputs, o = i % outputs;
      tapsAt(g.data() + i * int64_t(Dims), input, mode, taps);
      forEachSample(taps, input, [&](int64_t position, auto &chosen) {
        double weight = 1;
        for (const GridTap *tap : chosen)
          weight *= tap->weight;
        for (int64_t k = 0; k < c; ++k)
          result[(n * c + k) * outputs + o] +=
              weight * values[(n * c + k) * inputs + position];
      });
    }
    return makeTensor(x.dtype(), sizes, result);
  })};
}

/// Schema: grad_output, input, grid, interpolation_mode, padding_mode,
/// align_corners, output_mask.
template <size_t Dims> static Values gridSamplerBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &x = args.tensor(1),
               &grid = args.tensor(2);
  GridMode mode =
      gridMode<Dims>(x, grid, args.integer(3), args.integer(4), args.flag(5));
  Ints input(x.sizes().begin() + 2, x.sizes().end()), expected = x.sizes();
  std::copy_n(grid.sizes().begin() + 1, Dims, expected.begin() + 2);
  require(gradient.sizes() == expected,
          {"expected a gradient of sizes ", expected, ", found ", gradient});
  Ints mask = args.ints(6);
  require(mask.size() == 2, {"expected a mask of two results"});
  int64_t c = x.size(1), inputs = product(input),
          outputs = product(Ints(expected.begin() + 2, expected.end()));
  return withFloat(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto up = readAll<T>(gradient), values = readAll<T>(x),
         g = readAll<T>(grid);
    std::vector<double> dInput(values.size(), 0), dGrid(g.size(), 0);
    std::vector<GridTap> taps[Dims];
    for (int64_t i = 0; i < x.size(0) * outputs; ++i) {
      int64_t n = i / outputs, o = i % outputs;
      tapsAt(g.data() + i * int64_t(Dims), input, mode, taps);
      forEachSample(taps, input, [&](int64_t position, auto &chosen) {
        double weight = 1;
        for (const GridTap *tap : chosen)
          weight *= tap->weight;
        for (int64_t k = 0; k < c; ++k) {
          double grad = up[(n * c + k) * outputs + o];
          int64_t at = (n * c + k) * inputs + position;
          dInput[at] += weight * grad;
          for (size_t d = 0; d < Dims; ++d) {
            double slope = 1;
            for (size_t e = 0; e < Dims; ++e)
              slope *= d == e ? chosen[e]->slope : chosen[e]->weight;
            dGrid[int64_t(Dims) * i + int64_t(Dims - 1 - d)] +=
                slope * grad * values[at];
          }
        }
      });
    }
    return {mask[0] ? OpValue(makeTensor(x.dtype(), x.sizes(), dInput))
                    : OpValue(),
            makeTensor(grid.dtype(), grid.sizes(), dGrid)};
  });
}

/// Positions of an output image under an affine map. Schema: theta, size,
/// align_corners.
static Values affineGrid(const Args &args) {
  const Tensor &theta = args.tensor(0);
  Ints size = args.ints(1);
  bool corners = args.flag(2);
  requireFloat(theta);
  require(size.size() == 4 || size.size() == 5,
          {"expected 4 or 5 sizes, found ", size});
  requireSizes(size);
  int64_t dims = int64_t(size.size()) - 2;
  require(theta.sizes() == Ints{size[0], dims, dims + 1},
          {"expected maps of sizes ", Ints{size[0], dims, dims + 1}, ", found ",
           theta});
  Ints sizes = {size[0]};
  sizes.insert(sizes.end(), size.begin() + 2, size.end());
  Ints gridSizes = sizes;
  gridSizes.push_back(dims);
  return {withFloat(theta.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto map = readAll<T>(theta);
    std::vector<double> result;
    forEachIndex(sizes, [&](const Ints &at, int64_t) {
      std::vector<double> base; // innermost dimension first, then one
      for (int64_t d = dims; d >= 1; --d) {
        double n = double(sizes[d]);
        base.push_back(corners ? (n > 1 ? 2 * double(at[d]) / (n - 1) - 1 : 0)
                               : (2 * double(at[d]) + 1) / n - 1);
      }
      base.push_back(1);
      for (int64_t row = 0; row < dims; ++row) {
        double sum = 0;
        for (int64_t k = 0; k <= dims; ++k)
          sum += double(map[(at[0] * dims + row) * (dims + 1) + k]) * base[k];
        result.push_back(sum);
      }
    });
    return makeTensor(theta.dtype(), gridSizes, result);
  })};
}

void eager::addGridSamplingOperators(Table &table) {
  table.op<gridSampler<2>>("grid_sampler_2d.default");
  table.op<gridSampler<3>>("grid_sampler_3d.default");
  table.op<gridSamplerBackward<2>>("grid_sampler_2d_backward.default");
  table.op<gridSamplerBackward<3>>("grid_sampler_3d_backward.default");
  table.op<affineGrid>("affine_grid_generator.default");
}
