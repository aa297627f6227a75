//===- Convolution.cpp - Convolutions by im2col and matrix products -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward: weight times columns. Gradient of the input: transposed weight times
// gradient, columns added back. Gradient of the weight: gradient times
// transposed columns. A transposed convolution is the gradient of the input of
// the plain one, so three products serve all operators here.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "Operators.h"
#include "Views.h"
#include "Windows.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::eager;

void Windows::computeOutput(bool ceilMode) {
  output.clear();
  for (size_t d = 0; d < input.size(); ++d) {
    require(kernel[d] > 0, {"kernel sizes must be positive, found ", kernel});
    require(stride[d] > 0, {"strides must be positive, found ", stride});
    require(padding[d] >= 0, {"padding must not be negative, found ", padding});
    require(dilation[d] > 0, {"dilation must be positive, found ", dilation});
    int64_t extent = 0, reach = 0;
    require(!__builtin_mul_overflow(dilation[d], kernel[d] - 1, &extent) &&
                !__builtin_add_overflow(input[d], 2 * padding[d], &reach) &&
                padding[d] < int64_t(1) << 40,
            {"kernel sizes ", kernel, " or padding ", padding, " overflow"});
    int64_t span = reach - extent - 1;
    int64_t size = span < 0 ? (ceilMode && span > -stride[d] ? 1 : 0)
                            : span / stride[d] + 1;
    if (ceilMode && span >= 0) {
      size = (span + stride[d] - 1) / stride[d] + 1;
      if ((size - 1) * stride[d] >= input[d] + padding[d])
        --size;
    }
    output.push_back(size);
  }
}

std::vector<int64_t> Windows::positions() const {
  int64_t outputs = outputCount();
  std::vector<int64_t> result(size_t(product({kernelCount(), outputs})));
  forEachIndex(output, [&](const Ints &at, int64_t o) {
    forEachTap(at, [&](int64_t tap, int64_t position) {
      result[tap * outputs + o] = position;
    });
  });
  return result;
}

namespace {
/// A plain convolution: x [n, ci, input] -> y [n, co, output], weight
/// [co, ci / groups, kernel].
struct Convolution {
  int64_t n, ci, co, groups;
  Windows windows;

  int64_t groupIn() const { return ci / groups; }
  int64_t groupOut() const { return co / groups; }
  int64_t columnRows() const { return groupIn() * windows.kernelCount(); }
};
} // namespace

/// Columns [groupIn * taps, outputs] of one image and group.
template <typename T>
static void readColumns(const Convolution &c, const T *image,
                        const std::vector<int64_t> &positions, T *columns) {
  int64_t inputs = c.windows.inputCount();
  for (int64_t channel = 0; channel < c.groupIn(); ++channel)
    for (int64_t position : positions)
      *columns++ = position < 0 ? T(0) : image[channel * inputs + position];
}

template <typename T>
static void addColumns(const Convolution &c, const T *columns,
                       const std::vector<int64_t> &positions, T *image) {
  int64_t inputs = c.windows.inputCount();
  for (int64_t channel = 0; channel < c.groupIn(); ++channel)
    for (int64_t position : positions) {
      T value = *columns++;
      if (position >= 0)
        image[channel * inputs + position] += value;
    }
}

template <typename T>
static std::vector<T> convolve(const Convolution &c, const std::vector<T> &x,
                               const std::vector<T> &weight) {
  auto positions = c.windows.positions();
  int64_t inputs = c.windows.inputCount(), outputs = c.windows.outputCount();
  std::vector<T> y(size_t(product({c.n, c.co, outputs})), T(0));
  std::vector<T> columns(size_t(c.columnRows() * outputs));
  for (int64_t n = 0; n < c.n; ++n)
    for (int64_t g = 0; g < c.groups; ++g) {
      readColumns(c, x.data() + (n * c.ci + g * c.groupIn()) * inputs,
                  positions, columns.data());
      gemm(c.groupOut(), outputs, c.columnRows(),
           weight.data() + g * c.groupOut() * c.columnRows(), columns.data(),
           y.data() + (n * c.co + g * c.groupOut()) * outputs);
    }
  return y;
}

template <typename T>
static std::vector<T> inputGradient(const Convolution &c,
                                    const std::vector<T> &y,
                                    const std::vector<T> &weight) {
  auto positions = c.windows.positions();
  int64_t inputs = c.windows.inputCount(), outputs = c.windows.outputCount();
  std::vector<T> x(size_t(product({c.n, c.ci, inputs})), T(0));
  std::vector<T> columns(size_t(c.columnRows() * outputs));
  for (int64_t g = 0; g < c.groups; ++g) {
    auto transposed =
        transposedValues(weight.data() + g * c.groupOut() * c.columnRows(),
                         c.groupOut(), c.columnRows());
    for (int64_t n = 0; n < c.n; ++n) {
      std::fill(columns.begin(), columns.end(), T(0));
      gemm(c.columnRows(), outputs, c.groupOut(), transposed.data(),
           y.data() + (n * c.co + g * c.groupOut()) * outputs, columns.data());
      addColumns(c, columns.data(), positions,
                 x.data() + (n * c.ci + g * c.groupIn()) * inputs);
    }
  }
  return x;
}

template <typename T>
static std::vector<T> weightGradient(const Convolution &c,
                                     const std::vector<T> &x,
                                     const std::vector<T> &y) {
  auto positions = c.windows.positions();
  int64_t inputs = c.windows.inputCount(), outputs = c.windows.outputCount();
  std::vector<T> weight(size_t(c.co * c.columnRows()), T(0));
  std::vector<T> columns(size_t(c.columnRows() * outputs));
  for (int64_t n = 0; n < c.n; ++n)
    for (int64_t g = 0; g < c.groups; ++g) {
      readColumns(c, x.data() + (n * c.ci + g * c.groupIn()) * inputs,
                  positions, columns.data());
      auto transposed =
          transposedValues(columns.data(), c.columnRows(), outputs);
      gemm(c.groupOut(), c.columnRows(), outputs,
           y.data() + (n * c.co + g * c.groupOut()) * outputs,
           transposed.data(),
           weight.data() + g * c.groupOut() * c.columnRows());
    }
  return weight;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
/// The arguments all convolution operators share.
struct Settings {
  Ints stride, padding, dilation, outputPadding;
  bool transposed;
  int64_t groups;
};
} // namespace

static Ints spatial(const Tensor &x) {
  return Ints(x.sizes().begin() + 2, x.sizes().end());
}

/// The plain convolution behind a call, `x` batched. For a transposed one, the
/// roles of input and output are exchanged. Also checks everything.
static Convolution describe(const Tensor &x, const Tensor &weight,
                            const Settings &s) {
  requireSameDType(x, weight);
  require(x.dtype() != DType::Bool, {"convolutions of bool are not defined"});
  require(weight.rank() == x.rank() && x.rank() >= 3 && x.rank() <= 5,
          {"expected input and weight of one rank of 3 to 5, found ", x,
           " and ", weight});
  require(s.groups > 0 && weight.size(0) > 0 &&
              weight.size(0) % s.groups == 0,
          {"output channels of ", weight, " are not divisible by ", s.groups,
           " groups"});
  int64_t expected = s.transposed ? weight.size(0) : weight.size(1) * s.groups;
  require(x.size(1) == expected,
          {"expected ", expected, " input channels, found ", x});
  Convolution c;
  c.n = x.size(0);
  c.groups = s.groups;
  c.windows.kernel = spatial(weight);
  c.windows.stride = s.stride;
  c.windows.padding = s.padding;
  c.windows.dilation = s.dilation;
  c.windows.input = spatial(x);
  for (size_t d = 0; d < s.padding.size(); ++d)
    require(s.outputPadding[d] >= 0,
            {"output padding must not be negative, found ", s.outputPadding});
  if (!s.transposed) {
    c.ci = x.size(1);
    c.co = weight.size(0);
    c.windows.computeOutput();
    for (int64_t size : c.windows.output)
      require(size > 0, {"kernel ", weight, " is larger than the padded input ",
                         x});
    return c;
  }
  // the "input" of the plain convolution is this one's output
  c.ci = weight.size(1) * s.groups;
  c.co = weight.size(0);
  Ints output = c.windows.input;
  c.windows.computeOutput(); // checks signs
  for (size_t d = 0; d < output.size(); ++d) {
    c.windows.input[d] = (output[d] - 1) * s.stride[d] - 2 * s.padding[d] +
                         s.dilation[d] * (c.windows.kernel[d] - 1) +
                         s.outputPadding[d] + 1;
    require(s.outputPadding[d] < std::max(s.stride[d], s.dilation[d]),
            {"output padding must be less than stride or dilation, found ",
             s.outputPadding});
    require(c.windows.input[d] >= 0,
            {"the result of ", x, " and ", weight, " would have the size ",
             c.windows.input[d]});
  }
  c.windows.output = output;
  return c;
}

static Tensor convolution(Tensor x, const Tensor &weight, const Tensor &bias,
                          const Settings &s) {
  bool batched = x.rank() == weight.rank();
  if (!batched)
    x = unsqueezed(x, 0);
  Convolution c = describe(x, weight, s);
  int64_t channels = s.transposed ? c.ci : c.co;
  if (bias.defined()) {
    requireSameDType(x, bias);
    require(bias.sizes() == Ints{channels},
            {"expected a bias per output channel of ", weight, ", found ",
             bias});
  }
  Ints sizes = {c.n, channels};
  const Ints &extent = s.transposed ? c.windows.input : c.windows.output;
  sizes.insert(sizes.end(), extent.begin(), extent.end());
  Tensor result = withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto input = readAll<T>(x), w = readAll<T>(weight);
    auto y = s.transposed ? inputGradient(c, input, w) : convolve(c, input, w);
    if (bias.defined()) {
      auto b = readAll<T>(bias);
      int64_t inner = product(extent);
      for (size_t i = 0; i < y.size(); ++i)
        y[i] += b[i / size_t(inner) % b.size()];
    }
    return makeTensor(x.dtype(), sizes, y);
  });
  return batched ? result : selected(result, 0, 0);
}

/// Schema: input, weight, bias, stride, padding, dilation, transposed,
/// output_padding, groups.
static Values convolutionGeneral(const Args &args) {
  const Tensor &weight = args.tensor(1);
  require(weight.rank() >= 3, {"expected a weight of rank 3 to 5, found ",
                               weight});
  size_t dims = size_t(weight.rank()) - 2;
  Settings s{args.intsOf(3, dims), args.intsOf(4, dims), args.intsOf(5, dims),
             args.intsOf(7, dims, {0}), args.flag(6), args.integer(8)};
  const Tensor &x = args.tensor(0);
  require(x.rank() == weight.rank() || x.rank() + 1 == weight.rank(),
          {"expected an input of the rank of ", weight, ", found ", x});
  return {convolution(x, weight, args.optTensor(2), s)};
}

/// Schema: input, weight, bias, stride, padding, dilation, groups.
template <size_t Dims> static Values convolutionPlain(const Args &args) {
  const Tensor &x = args.tensor(0), &weight = args.tensor(1);
  require(weight.rank() == int64_t(Dims) + 2 &&
              (x.rank() == weight.rank() || x.rank() + 1 == weight.rank()),
          {"expected an input of rank ", Dims + 1, " or ", Dims + 2,
           ", found ", x, " and ", weight});
  Settings s{args.intsOf(3, Dims, {1}), args.intsOf(4, Dims, {0}),
             args.intsOf(5, Dims, {1}), Ints(Dims, 0), false,
             args.optInteger(6).value_or(1)};
  return {convolution(x, weight, args.optTensor(2), s)};
}

/// The same with a padding by its name, "valid" or "same". Half of what a
/// window is wider than one element stands on each side; of an odd number, the
/// first half is the smaller, so the first window of too much is dropped.
template <size_t Dims> static Values convolutionNamed(const Args &args) {
  const Tensor &x = args.tensor(0), &weight = args.tensor(1);
  require(weight.rank() == int64_t(Dims) + 2 &&
              (x.rank() == weight.rank() || x.rank() + 1 == weight.rank()),
          {"expected an input of rank ", Dims + 1, " or ", Dims + 2,
           ", found ", x, " and ", weight});
  std::string padding = args.optString(4).value_or("valid");
  Settings s{args.intsOf(3, Dims, {1}), Ints(Dims, 0),
             args.intsOf(5, Dims, {1}), Ints(Dims, 0), false,
             args.optInteger(6).value_or(1)};
  require(padding == "valid" || padding == "same",
          {"unknown padding '", padding, "'"});
  if (padding == "valid")
    return {convolution(x, weight, args.optTensor(2), s)};
  Ints dropped;
  for (size_t d = 0; d < Dims; ++d) {
    require(s.stride[d] == 1, {"padding 'same' needs strides of 1, found ",
                               s.stride});
    int64_t total = s.dilation[d] * (weight.size(int64_t(d) + 2) - 1);
    s.padding[d] = (total + 1) / 2;
    dropped.push_back(total % 2);
  }
  Tensor result = convolution(x, weight, args.optTensor(2), s);
  for (size_t d = 0; d < Dims; ++d) {
    int64_t dim = result.rank() - int64_t(Dims) + int64_t(d);
    result = narrowed(result, dim, dropped[d],
                      x.size(x.rank() - int64_t(Dims) + int64_t(d)));
  }
  return {take(result.clone())};
}

/// Schema: input, weight, bias, stride, padding, output_padding, groups,
/// dilation.
template <size_t Dims> static Values convolutionTransposed(const Args &args) {
  const Tensor &x = args.tensor(0), &weight = args.tensor(1);
  require(weight.rank() == int64_t(Dims) + 2 &&
              (x.rank() == weight.rank() || x.rank() + 1 == weight.rank()),
          {"expected an input of rank ", Dims + 1, " or ", Dims + 2,
           ", found ", x, " and ", weight});
  Settings s{args.intsOf(3, Dims, {1}), args.intsOf(4, Dims, {0}),
             args.intsOf(7, Dims, {1}), args.intsOf(5, Dims, {0}), true,
             args.optInteger(6).value_or(1)};
  return {convolution(x, weight, args.optTensor(2), s)};
}

/// Schema: grad_output, input, weight, bias_sizes, stride, padding, dilation,
/// transposed, output_padding, groups, output_mask.
static Values convolutionBackward(const Args &args) {
  Tensor gradient = args.tensor(0), x = args.tensor(1);
  const Tensor &weight = args.tensor(2);
  require(weight.rank() >= 3, {"expected a weight of rank 3 to 5, found ",
                               weight});
  size_t dims = size_t(weight.rank()) - 2;
  Settings s{args.intsOf(4, dims), args.intsOf(5, dims), args.intsOf(6, dims),
             args.intsOf(8, dims, {0}), args.flag(7), args.integer(9)};
  Convolution c = describe(x, weight, s);
  Ints expected = {c.n, s.transposed ? c.ci : c.co};
  const Ints &extent = s.transposed ? c.windows.input : c.windows.output;
  expected.insert(expected.end(), extent.begin(), extent.end());
  requireSameDType(gradient, x);
  require(gradient.sizes() == expected,
          {"expected a gradient of sizes ", expected, ", found ", gradient});
  Ints mask = args.ints(10);
  require(mask.size() == 3, {"expected a mask of three results"});
  return withFloat(x.dtype(), [&](auto zero) -> Values {
    using T = decltype(zero);
    auto g = readAll<T>(gradient), input = readAll<T>(x),
         w = readAll<T>(weight);
    Values results(3);
    if (mask[0])
      results[0] = makeTensor(x.dtype(), x.sizes(),
                              s.transposed ? convolve(c, g, w)
                                           : inputGradient(c, g, w));
    if (mask[1])
      results[1] = makeTensor(x.dtype(), weight.sizes(),
                              s.transposed ? weightGradient(c, g, input)
                                           : weightGradient(c, input, g));
    if (mask[2]) {
      std::vector<T> bias(size_t(expected[1]), T(0));
      int64_t inner = product(extent);
      for (size_t i = 0; i < g.size(); ++i)
        bias[i / size_t(inner) % bias.size()] += g[i];
      results[2] = makeTensor(x.dtype(), {expected[1]}, bias);
    }
    return results;
  });
}

//===----------------------------------------------------------------------===//
// Columns as operators
//===----------------------------------------------------------------------===//

/// Schema: self, kernel_size, dilation, padding, stride.
static Values im2col(const Args &args) {
  Tensor x = args.tensor(0);
  require((x.rank() == 3 || x.rank() == 4) && x.size(x.rank() - 1) > 0 &&
              x.size(x.rank() - 2) > 0 && x.size(x.rank() - 3) > 0,
          {"expected an image of rank 3 or 4, found ", x});
  bool batched = x.rank() == 4;
  if (!batched)
    x = unsqueezed(x, 0);
  Windows w{spatial(x),        args.intsOf(1, 2), args.intsOf(4, 2),
            args.intsOf(3, 2), args.intsOf(2, 2), {}};
  w.computeOutput();
  require(w.outputCount() > 0, {"no window fits ", x});
  auto positions = w.positions();
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < x.size(0) * x.size(1); ++i)
    for (int64_t position : positions)
      elements.push_back(position < 0 ? -1 : i * w.inputCount() + position);
  Tensor result = gatherElements(
      x, {x.size(0), x.size(1) * w.kernelCount(), w.outputCount()}, elements);
  return {batched ? result : selected(result, 0, 0)};
}

/// Schema: self, output_size, kernel_size, dilation, padding, stride.
static Values col2im(const Args &args) {
  Tensor x = args.tensor(0);
  require(x.rank() == 2 || x.rank() == 3,
          {"expected columns of rank 2 or 3, found ", x});
  bool batched = x.rank() == 3;
  if (!batched)
    x = unsqueezed(x, 0);
  Windows w{args.intsOf(1, 2), args.intsOf(2, 2), args.intsOf(5, 2),
            args.intsOf(4, 2), args.intsOf(3, 2), {}};
  w.computeOutput();
  require(x.size(1) > 0 && x.size(1) % w.kernelCount() == 0 &&
              x.size(2) == w.outputCount() && w.outputCount() > 0,
          {"columns ", x, " do not fit output sizes ", w.input});
  int64_t channels = x.size(1) / w.kernelCount();
  auto positions = w.positions();
  Tensor result = withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto columns = readAll<T>(x);
    std::vector<T> image(size_t(x.size(0) * channels * w.inputCount()), T(0));
    for (size_t i = 0; i < columns.size(); ++i) {
      int64_t position = positions[i % positions.size()];
      if (position >= 0)
        image[i / positions.size() * size_t(w.inputCount()) +
              size_t(position)] += columns[i];
    }
    return makeTensor(x.dtype(), {x.size(0), channels, w.input[0], w.input[1]},
                      image);
  });
  return {batched ? result : selected(result, 0, 0)};
}

void eager::addConvolutionOperators(Table &table) {
  table.op<convolutionGeneral>("convolution.default");
  table.op<convolutionPlain<1>>("conv1d.default");
  table.op<convolutionPlain<2>>("conv2d.default");
  table.op<convolutionPlain<3>>("conv3d.default");
  table.op<convolutionNamed<1>>("conv1d.padding");
  table.op<convolutionNamed<2>>("conv2d.padding");
  table.op<convolutionNamed<3>>("conv3d.padding");
  table.op<convolutionTransposed<1>>("conv_transpose1d.default");
  table.op<convolutionTransposed<2>>("conv_transpose2d.input");
  table.op<convolutionTransposed<3>>("conv_transpose3d.input");
  table.op<convolutionBackward>("convolution_backward.default");
  table.op<im2col>("im2col.default");
  table.op<col2im>("col2im.default");
}
