//===- dnn.cpp - A cuDNN without a GPU ------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers what lib/RuntimeCUDA/DnnLibrary.h asks of libcudnn.so.9, on the
// driver without a GPU. It is found where its folder is in the path of
// libraries.
//
// A convolution is written down as "convolve SOURCE by WEIGHT to TARGET pad P
// stride S dilation D groups G type T math M algorithm A", and the gradient of
// a weight as "gradient ...", images as sizes/strides and weights as sizes and
// "first" or "last", where their channels are. By the clock of events either
// takes 10 microseconds. KILN_FAKE_CUDA says with dnn=N whether it is computed,
// too (1; only of f32), whether there is no algorithm for anything (2), whether
// the library does not start (3), or whether it is made for a later CUDA than
// any driver has (4); the default is 0.
//
//===----------------------------------------------------------------------===//

#include "driver.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace fake_cuda;

namespace {

enum { NotInitializedYet = 1001, BadParameter = 2000, NotSupported = 3000 };
enum { Computes = 1, HasNone = 2, DoesNotStart = 3, IsNewer = 4 };

using Numbers = std::vector<int64_t>;

struct Context {
  void *stream = nullptr;
};

struct Image {
  int type = -1;
  Numbers sizes, steps;
};

struct Weight {
  int type = -1, format = -1;
  Numbers sizes;

  Numbers steps() const {
    Numbers list(sizes.size());
    int64_t step = 1;
    auto walk = [&](size_t dim) {
      list[dim] = step;
      step *= sizes[dim];
    };
    if (format == 1)
      walk(1);
    for (size_t dim = sizes.size(); dim-- > 2;)
      walk(dim);
    if (format == 0)
      walk(1);
    walk(0);
    return list;
  }
};

struct Windows {
  Numbers padding, strides, dilations;
  int mode = -1, compute = -1, groups = 1, math = 0;
};

struct Algorithm {
  int algorithm, status;
  float time;
  size_t workspace;
  int determinism, math, reserved[3];
};

/// A product of elements asks for these bytes.
constexpr size_t kWorkspace = 1000, kTooMuch = size_t(64) << 20;

std::string join(const Numbers &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

bool isInMemory(const void *data, const Numbers &sizes, const Numbers &steps,
                int type) {
  size_t elements = 1;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    elements += size_t(sizes[dim] - 1) * size_t(steps[dim]);
  return bytesFrom(reinterpret_cast<Address>(data)) >=
             elements * (type == 0 ? 4 : 2) &&
         reinterpret_cast<uintptr_t>(data) % 16 == 0;
}

/// What the stream does.
struct Call {
  bool isGradient;
  Image source;
  Weight weight;
  Windows windows;
  Image target;
  int algorithm;
  void *from, *by, *to;

  /// True if sizes fit each other.
  bool isValid() const {
    const size_t rank = source.sizes.size();
    if (rank < 4 || rank > 5 || weight.sizes.size() != rank ||
        target.sizes.size() != rank || windows.padding.size() != rank - 2 ||
        source.type != weight.type || source.type != target.type ||
        windows.compute != 0 || windows.mode != 1 ||
        source.sizes[0] != target.sizes[0] ||
        source.sizes[1] != weight.sizes[1] * windows.groups ||
        target.sizes[1] != weight.sizes[0] ||
        weight.sizes[0] % windows.groups != 0)
      return false;
    for (size_t i = 0; i + 2 < rank; ++i) {
      int64_t left = source.sizes[2 + i] + 2 * windows.padding[i] - 1 -
                     (weight.sizes[2 + i] - 1) * windows.dilations[i];
      if (left < 0 || target.sizes[2 + i] != left / windows.strides[i] + 1)
        return false;
    }
    return true;
  }
  bool hasMemory() const {
    return isInMemory(from, source.sizes, source.steps, source.type) &&
           isInMemory(by, weight.sizes, weight.steps(), weight.type) &&
           isInMemory(to, target.sizes, target.steps, target.type);
  }

  void compute() const {
    const size_t rank = source.sizes.size();
    auto *x = static_cast<float *>(from), *w = static_cast<float *>(by),
         *y = static_cast<float *>(to);
    Numbers steps = weight.steps(), filter(rank), place(rank);
    float *result = isGradient ? w : y;
    const Numbers &sizes = isGradient ? weight.sizes : target.sizes;
    const Numbers &apart = isGradient ? steps : target.steps;
    for (Numbers at(rank); at[0] < sizes[0]; advance(at, sizes))
      result[dot(at, apart)] = 0;
    for (Numbers out(rank); out[0] < target.sizes[0];
         advance(out, target.sizes))
      for (Numbers tap(rank); tap[0] < 1; advance(tap, weight.sizes)) {
        Numbers in = out;
        in[1] = out[1] / (weight.sizes[0] / windows.groups) * weight.sizes[1] +
                tap[1];
        bool isInside = true;
        for (size_t i = 2; i < rank; ++i) {
          in[i] = out[i] * windows.strides[i - 2] +
                  tap[i] * windows.dilations[i - 2] - windows.padding[i - 2];
          isInside &= in[i] >= 0 && in[i] < source.sizes[i];
        }
        if (!isInside)
          continue;
        Numbers of = tap;
        of[0] = out[1];
        float &element = w[dot(of, steps)], &sum = y[dot(out, target.steps)],
              factor = x[dot(in, source.steps)];
        (isGradient ? element : sum) += factor * (isGradient ? sum : element);
      }
  }

  int run() const {
    State &s = state();
    if (!isValid() || !hasMemory())
      return BadParameter;
    s.isBusy = true;
    ++s.asked;
    doCopies();
    note((isGradient ? "gradient " : "convolve ") + join(source.sizes) + "/" +
         join(source.steps) + " by " + join(weight.sizes) +
         (weight.format == 1 ? " last" : " first") + " to " +
         join(target.sizes) + "/" + join(target.steps) + " pad " +
         join(windows.padding) + " stride " + join(windows.strides) +
         " dilation " + join(windows.dilations) + " groups " +
         std::to_string(windows.groups) + " type " +
         std::to_string(source.type) + " math " + std::to_string(windows.math) +
         " algorithm " + std::to_string(algorithm));
    s.clock += 10;
    if (setting("dnn", 0) == Computes && source.type == 0)
      compute();
    return Success;
  }

private:
  static int64_t dot(const Numbers &a, const Numbers &b) {
    int64_t sum = 0;
    for (size_t i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    return sum;
  }
  /// To the next place; behind the last one index 0 goes on.
  static void advance(Numbers &at, const Numbers &sizes) {
    for (size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < sizes[dim] || dim == 0)
        return;
      at[dim] = 0;
    }
  }
};

/// The best ones first, of which not all may be taken: those that transform
/// factors, have failed, add up in no order, and want more memory than there
/// is.
int choose(bool isGradient, const Call &call, int wanted, int *found,
           Algorithm *list) {
  if (!call.isValid())
    return BadParameter;
  note("algorithms");
  *found = 0;
  if (setting("dnn", 0) == HasNone)
    return Success;
  const int math = call.windows.math;
  const Algorithm forward[] = {
      {6, 0, 1, 0, 1, math, {}},
      {0, NotSupported, -1, 0, 1, math, {}},
      {0, 0, 2, 0, 0, math, {}},
      {2, 0, 3, kTooMuch, 1, math, {}},
      {1, 0, 4, kWorkspace, 1, math == 3 ? 0 : math, {}}};
  const Algorithm backward[] = {{4, 0, 1, 0, 1, math, {}},
                                {0, 0, 2, 0, 0, math, {}},
                                {1, 0, 3, kWorkspace, 1, math, {}}};
  auto give = [&](const Algorithm &one) {
    if (*found < wanted)
      list[(*found)++] = one;
  };
  if (isGradient)
    std::for_each(std::begin(backward), std::end(backward), give);
  else
    std::for_each(std::begin(forward), std::end(forward), give);
  return Success;
}

template <typename T> T &as(void *handle) { return *static_cast<T *>(handle); }

int ask(void *context, const void *alpha, const void *beta, void *workspace,
        size_t bytes, const Call &call) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (contexts.empty())
    return NotInitializedYet;
  if (*static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0 || bytes != kWorkspace ||
      call.algorithm != 1 ||
      bytesFrom(reinterpret_cast<Address>(workspace)) < bytes ||
      !call.isValid() || !call.hasMemory())
    return BadParameter;
  if (as<Context>(context).stream != s.capturing)
    return call.run();
  s.captured.push_back([call] { return call.run(); });
  return Success;
}

} // namespace

extern "C" {

size_t cudnnGetVersion() { return 91002; }
size_t cudnnGetCudartVersion() {
  return setting("dnn", 0) == IsNewer ? 99000 : 12080;
}
int cudnnCreate(void **context) {
  if (setting("dnn", 0) == DoesNotStart || contexts.empty())
    return NotInitializedYet;
  note("dnn begins");
  *context = new Context();
  return Success;
}
int cudnnDestroy(void *context) {
  note("dnn ends");
  delete static_cast<Context *>(context);
  return Success;
}
int cudnnSetStream(void *context, void *stream) {
  as<Context>(context).stream = stream;
  return Success;
}
int cudnnCreateTensorDescriptor(void **image) {
  *image = new Image();
  return Success;
}
int cudnnDestroyTensorDescriptor(void *image) {
  delete static_cast<Image *>(image);
  return Success;
}
int cudnnSetTensorNdDescriptor(void *image, int type, int count,
                               const int *sizes, const int *steps) {
  as<Image>(image) = {type, Numbers(sizes, sizes + count),
                      Numbers(steps, steps + count)};
  bool isPositive = *std::min_element(sizes, sizes + count) > 0 &&
                    *std::min_element(steps, steps + count) > 0;
  return isPositive && (type == 0 || type == 2 || type == 9) ? Success
                                                             : BadParameter;
}
int cudnnCreateFilterDescriptor(void **weight) {
  *weight = new Weight();
  return Success;
}
int cudnnDestroyFilterDescriptor(void *weight) {
  delete static_cast<Weight *>(weight);
  return Success;
}
int cudnnSetFilterNdDescriptor(void *weight, int type, int format, int count,
                               const int *sizes) {
  as<Weight>(weight) = {type, format, Numbers(sizes, sizes + count)};
  return format == 0 || format == 1 ? Success : BadParameter;
}
int cudnnCreateConvolutionDescriptor(void **windows) {
  *windows = new Windows();
  return Success;
}
int cudnnDestroyConvolutionDescriptor(void *windows) {
  delete static_cast<Windows *>(windows);
  return Success;
}
int cudnnSetConvolutionNdDescriptor(void *windows, int count,
                                    const int *padding, const int *strides,
                                    const int *dilations, int mode,
                                    int compute) {
  Windows &w = as<Windows>(windows);
  w.padding.assign(padding, padding + count);
  w.strides.assign(strides, strides + count);
  w.dilations.assign(dilations, dilations + count);
  w.mode = mode;
  w.compute = compute;
  return Success;
}
int cudnnSetConvolutionGroupCount(void *windows, int groups) {
  as<Windows>(windows).groups = groups;
  return groups > 0 ? Success : BadParameter;
}
int cudnnSetConvolutionMathType(void *windows, int math) {
  as<Windows>(windows).math = math;
  return Success;
}
int cudnnGetConvolutionForwardAlgorithm_v7(void *, void *x, void *w,
                                           void *windows, void *y, int wanted,
                                           int *found, void *list) {
  return choose(false,
                {false, as<Image>(x), as<Weight>(w), as<Windows>(windows),
                 as<Image>(y), 0, nullptr, nullptr, nullptr},
                wanted, found, static_cast<Algorithm *>(list));
}
int cudnnGetConvolutionForwardWorkspaceSize(void *, void *, void *, void *,
                                            void *, int algorithm,
                                            size_t *bytes) {
  *bytes = algorithm == 2 ? kTooMuch : kWorkspace;
  return Success;
}
int cudnnConvolutionForward(void *context, const void *alpha, void *x,
                            const void *from, void *w, const void *by,
                            void *windows, int algorithm, void *workspace,
                            size_t bytes, const void *beta, void *y, void *to) {
  return ask(context, alpha, beta, workspace, bytes,
             {false, as<Image>(x), as<Weight>(w), as<Windows>(windows),
              as<Image>(y), algorithm, const_cast<void *>(from),
              const_cast<void *>(by), to});
}
int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void *, void *x, void *y,
                                                  void *windows, void *w,
                                                  int wanted, int *found,
                                                  void *list) {
  return choose(true,
                {true, as<Image>(x), as<Weight>(w), as<Windows>(windows),
                 as<Image>(y), 0, nullptr, nullptr, nullptr},
                wanted, found, static_cast<Algorithm *>(list));
}
int cudnnGetConvolutionBackwardFilterWorkspaceSize(void *, void *, void *,
                                                   void *, void *, int,
                                                   size_t *bytes) {
  *bytes = kWorkspace;
  return Success;
}
int cudnnConvolutionBackwardFilter(void *context, const void *alpha, void *x,
                                   const void *from, void *y, const void *to,
                                   void *windows, int algorithm,
                                   void *workspace, size_t bytes,
                                   const void *beta, void *w, void *by) {
  return ask(context, alpha, beta, workspace, bytes,
             {true, as<Image>(x), as<Weight>(w), as<Windows>(windows),
              as<Image>(y), algorithm, const_cast<void *>(from), by,
              const_cast<void *>(to)});
}

} // extern "C"
