//===- Softmax.cpp - Softmax and its derivatives --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"
#include "Reductions.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::eager;

template <bool Log> static Tensor softmaxOf(const Tensor &x, int64_t dim) {
  requireFloat(x);
  dim = wrapDim(dim, x.rank());
  int64_t length = x.rank() ? x.size(dim) : 1;
  return withFloat(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto values = readLines<T>(x, dim);
    for (size_t begin = 0; length > 0 && begin < values.size();
         begin += size_t(length)) {
      T *line = values.data() + begin;
      T largest = *std::max_element(line, line + length), sum = 0;
      for (int64_t i = 0; i < length; ++i) {
        T e = std::exp(line[i] - largest);
        sum += e;
        line[i] = Log ? line[i] - largest : e;
      }
      T shift = std::log(sum);
      for (int64_t i = 0; i < length; ++i)
        line[i] = Log ? line[i] - shift : line[i] / sum;
    }
    return makeFromLines(x.dtype(), x.sizes(), dim, values);
  });
}

Tensor eager::logSoftmaxOf(const Tensor &x, int64_t dim) {
  return softmaxOf<true>(x, dim);
}

/// Schema: self, dim, half_to_float.
template <bool Log> static Values softmaxKernel(const Args &args) {
  require(!args.flag(2), {"conversion to f32 is not supported on the CPU"});
  return {softmaxOf<Log>(args.tensor(0), args.integer(1))};
}
/// Schema: self, dim, dtype; converts before.
template <bool Log> static Values softmax(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {softmaxOf<Log>(inDType(x, args.dtypeOr(2, x.dtype())),
                         args.integer(1))};
}

/// Schema: grad_output, output, dim, input_dtype.
template <bool Log> static Values softmaxBackward(const Args &args) {
  const Tensor &gradient = args.tensor(0), &output = args.tensor(1);
  requireSameDType(gradient, output);
  requireFloat(gradient);
  require(gradient.sizes() == output.sizes(),
          {"expected a gradient of the sizes of ", output, ", found ",
           gradient});
  int64_t dim = wrapDim(args.integer(2), output.rank());
  int64_t length = output.rank() ? output.size(dim) : 1;
  DType dtype = args.dtypeOr(3, gradient.dtype());
  return {withFloat(gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto g = readLines<T>(gradient, dim), y = readLines<T>(output, dim);
    for (size_t begin = 0; length > 0 && begin < g.size();
         begin += size_t(length)) {
      T sum = 0;
      for (size_t i = begin; i < begin + size_t(length); ++i)
        sum += Log ? g[i] : g[i] * y[i];
      for (size_t i = begin; i < begin + size_t(length); ++i)
        g[i] = Log ? g[i] - std::exp(y[i]) * sum : y[i] * (g[i] - sum);
    }
    return makeFromLines(dtype, output.sizes(), dim, g);
  })};
}

void eager::addSoftmaxOperators(Table &table) {
  table.op<softmaxKernel<false>>("_softmax.default");
  table.op<softmaxKernel<true>>("_log_softmax.default");
  table.op<softmax<false>>("softmax.int");
  table.op<softmax<true>>("log_softmax.int");
  table.op<softmaxBackward<false>>("_softmax_backward_data.default");
  table.op<softmaxBackward<true>>("_log_softmax_backward_data.default");
}
